"""The judge and Z3 say the same: of decisions and events on random states, of whole rounds event by event.

AGREEMENT in the environment sets how many random states there are in all, and with them how many rounds: one for
each hundred.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from cloakroom import OPTIONS, cloakroom, cloakroom_scope, random_plays

from verifier.check.engine import Prepared, prepare
from verifier.check.lives import Lives
from verifier.check.options import stated_options
from verifier.core.lawful import parts
from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.log.sources import open_log
from verifier.model import terms as m
from verifier.model.load import load
from verifier.model.types import BOOL
from verifier.model.values import unrecorded_in
from verifier.prove import agree_judge, unroll
from verifier.prove.agree import Agreement, Disagreement, random_samples
from verifier.prove.agree_judge import Events, follow, stated_samples
from verifier.prove.encode import Encoded, Encoder
from verifier.prove.explore.replay import replay
from verifier.prove.extent import first_scope
from verifier.prove.question import Play
from verifier.prove.scope import Scope, scope_of
from verifier.prove.values import not_
from verifier.resources import root
from verifier.run.bench import Happening, effective_options

AGREEMENT = int(os.environ.get("AGREEMENT", "10000"))

RULES = Path(__file__).parents[1] / "rules"
TRANSCRIPTS = Path(__file__).parents[1] / "nz" / "transcripts"

Known = tuple[Program, Scope]


@cache
def constructs() -> Known:
    program = lower(load(RULES / "milestone-constructs.rules"))
    return program, scope_of(program, {"Player": ("p", "q")}, slots={"Pile.chips": 3}, money_parts=4)


@cache
def placings() -> Known:
    program = lower(load(RULES / "milestone-placings.rules"))
    return program, scope_of(program, {"Entrant": ("p", "q", "r", "s")})


@cache
def deposits() -> Known:
    program = lower(load(RULES / "milestone-deposits.rules"))
    return program, scope_of(program, {"Player": ("p", "q")}, money_parts=4)


@cache
def blackjack() -> Known:
    """Two hands at one box, and the dealer's."""
    program = lower(load(RULES / "milestone-blackjack.rules"))
    kinds = program.ruleset.types["Kind"].values  # type: ignore[union-attr]
    return program, scope_of(
        program,
        {"Player": ("p",)},
        narrowed={"Kind": [kinds.index(k) for k in ("initial", "double")]},
        slots={"Hand.cards": 3},
        entities={"Hand": [(0, 1), (1, 1)]},
    )


def whole() -> Known:
    return cloakroom(), cloakroom_scope()


@cache
def gazetted() -> Known:
    """The rules of 1998 themselves, with one player, a box of two hands, and the dealer's."""
    program = lower(load(root("rulesets") / "nz" / "blackjack-1998.rules"))
    return program, first_scope(program)


RULESETS: dict[str, Callable[[], Known]] = {
    "cloakroom": whole,
    "constructs": constructs,
    "placings": placings,
    "deposits": deposits,
    "blackjack": blackjack,
    "nz/blackjack-1998": gazetted,
}

SHARES = {
    "cloakroom": 300,
    "constructs": 200,
    "placings": 300,
    "deposits": 200,
    "blackjack": 100,
    "nz/blackjack-1998": 5,
}
"""How many states in ten thousand each decision and each event is asked about."""


def targets(kind: str) -> Iterator[tuple[str, str]]:
    """Each ruleset with each of its decisions, or events."""
    for name, known in RULESETS.items():
        program = known()[0]
        for target in program.decisions if kind == "decision" else program.ruleset.events:
            yield name, target


def states_of(name: str, agreement: int) -> int:
    return max(1, SHARES[name] * agreement // 10_000)


def test_ten_thousand_states_are_asked_about() -> None:
    """As many as there are to be, over every decision and every event of the rulesets."""
    asked = Counter(name for kind in ("decision", "event") for name, _ in targets(kind))
    assert sum(asked[name] * states_of(name, 10_000) for name in RULESETS) >= 10_000


@pytest.mark.parametrize(("name", "decision"), list(targets("decision")))
def test_interpreter_and_z3_give_a_decision_the_same_value(name: str, decision: str) -> None:
    program, scope = RULESETS[name]()
    samples = random_samples(program, scope, states_of(name, AGREEMENT), seed=11)
    assert list(Agreement(program, scope, only=decision).check(samples, seed=12)) == []


@pytest.mark.parametrize(("name", "event"), list(targets("event")))
def test_judge_and_z3_say_the_same_of_an_event(name: str, event: str) -> None:
    """Whether it can be applied, what it leads to, and whether it is lawful."""
    program, scope = RULESETS[name]()
    samples = stated_samples(program, scope, states_of(name, AGREEMENT), seed=13)
    assert list(Events(program, scope).check(event, samples, seed=14)) == []


# ------------------------------------------------------------------------------------------- whole rounds
NZ_OPTIONS: dict[str, object] = {
    "decks": 8,
    "boxes_on_layout": 7,
    "layout": 0,
    "cutting_cards": 1,
    "smallest_chip": 50,
    "burn_first_card": True,
    "minimum_increment": 0,
    "players_per_box": 3,
    "boxes_per_player": 7,
    "table_minimum": 500,
    "table_maximum": 100_000,
    "box_maximum_set": False,
    "player_maximum_set": False,
    "permitted_maximum": 100_000,
    "super_sevens_offered": False,
    "super_sevens_stake": 500,
}


def logged_rounds(ready: Prepared) -> Iterator[Play]:
    """The rounds of the transcripts of the New Zealand rules of 1998, lawful and not, in an order that mixes them."""
    program = ready.program
    paths = sorted(
        TRANSCRIPTS.rglob("*.transcript.yaml"), key=lambda path: sha256(path.name.encode()).digest()
    )
    for path in paths:
        with open_log(path, ready.binding.schema, None) as log:
            header, lives = log.header, Lives.of(program.ruleset)
            _, stated = stated_options(program.ruleset, header, {}, log.name)
            happenings = []
            told = not header.unordered and all(header.has_event(e) for e in program.ruleset.events)
            for row in log.rows():
                told = told and all(passing.again for passing in lives.arrive(row, header))
                values = ready.binding.values(row.event, row.values, header)
                told = told and not any(unrecorded_in(value) for value in values)
                happenings.append(Happening(row.event, row.actor, values))
                lives.leave(row)
        options = {**NZ_OPTIONS, **effective_options(program, stated)}
        if told and (play := replay(program, options, happenings)) is not None:
            yield play


def constructed_rounds() -> Iterator[Play]:
    program, scope = constructs()
    options: dict[str, object] = {"minimum": 50, "loose": False, "most": 100}
    return random_plays(program, scope, options, 17)


def evenings() -> Iterator[Play]:
    return random_plays(cloakroom(), cloakroom_scope(), OPTIONS, 19)


def followed(program: Program, plays: Iterable[Play]) -> Counter[str]:
    """How many plays were lawful, how many not, with nothing said differently of any; and which events they had."""
    seen: Counter[str] = Counter()
    for play in plays:
        assert list(follow(program, play)) == []
        seen["lawful" if play.lawful else "faulty"] += 1
        seen.update(happening.event for happening in play.happenings)
    return seen


def test_judge_and_z3_go_through_rounds_of_blackjack_together() -> None:
    ready = prepare("nz/blackjack-1998")
    seen = followed(ready.program, islice(logged_rounds(ready), AGREEMENT * 20 // 10_000))
    assert min(seen["lawful"], seen["faulty"], seen["deal"], seen["pay"] + seen["collect"]) > 0


def test_judge_and_z3_go_through_evenings_together() -> None:
    seen = followed(cloakroom(), islice(evenings(), AGREEMENT * 50 // 10_000))
    assert min(seen["lawful"], seen["faulty"], seen["deposit"], seen["close"], seen["give_back"]) > 0


def test_judge_and_z3_go_through_rounds_of_constructs_together() -> None:
    program, _ = constructs()
    seen = followed(program, islice(constructed_rounds(), AGREEMENT * 30 // 10_000))
    assert min(seen["lawful"], seen["faulty"], seen["bet"], seen["finish_round"]) > 0


# ------------------------------------------------------------------------------------------- it can fail
class _NotForbidden(Encoder):
    """A negation of what a rule applies to that is always true."""

    def encode(self, term: m.Term, variables: Any) -> Encoded:
        match term:
            case m.NotT(of=m.CallF(function=name)) if name.startswith("applies 4.3"):
                return Encoded(True, True)
            case _:
                return super().encode(term, variables)


class _NotBroken(Encoder):
    """Breaches that are told the other way round."""

    def encode(self, term: m.Term, variables: Any) -> Encoded:
        found = super().encode(term, variables)
        return Encoded(not_(found.value), True) if isinstance(term, m.BrokenT) else found


@pytest.mark.parametrize(("encoder", "event"), [(_NotForbidden, "surrender"), (_NotBroken, "complain")])
def test_an_encoding_of_what_is_lawful_that_is_wrong_is_found(encoder: type[Encoder], event: str) -> None:
    samples = list(stated_samples(cloakroom(), cloakroom_scope(), 60, seed=3))
    found = Events(cloakroom(), cloakroom_scope(), encoder).check(event, samples, seed=4)
    assert any("interpreter and Z3" in d.what or "is lawful" in d.what for d in found)
    assert list(Events(cloakroom(), cloakroom_scope()).check(event, samples, seed=4)) == []


@pytest.mark.parametrize(
    ("rule", "event"),
    [("2.1", "deposit"), ("2.5(a)", "call"), ("4.3", "surrender"), ("4.4", "close"), ("", "pay_fee")],
)
def test_a_rule_that_lawful_forgets_is_found(rule: str, event: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fewer(program: Program, event: str, actor: str) -> m.Term:
        terms = tuple(term for found, _, term in parts(program, event, actor) if found != rule)
        return m.AndT(BOOL, (m.Lit(BOOL, True), *terms))

    monkeypatch.setattr(agree_judge, "lawful", fewer)
    program, scope = cloakroom(), cloakroom_scope()
    assert list(Events(program, scope).check(event, stated_samples(program, scope, 150, seed=5)))


def test_a_rule_that_lawful_forgets_is_found_in_whole_evenings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        unroll, "parts", lambda *event: tuple(p for p in parts(*event) if p[0] not in ("2.5(a)", "2.5(b)"))
    )
    differing: list[Disagreement] = []
    for play in islice(evenings(), 20):
        differing += follow(cloakroom(), play)
    assert differing
