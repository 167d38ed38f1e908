"""Invariants by induction: what holds, what does not and why, and that what is proved is never seen false."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
import z3

from verifier.cache import Cache, Json
from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model.load import load
from verifier.model.ruleset import Param, Requirement
from verifier.model.terms import Term
from verifier.model.types import BOOL, IntT
from verifier.prove import encode, induct, proving
from verifier.prove.extent import scopes
from verifier.prove.guard import Guard
from verifier.prove.houdini import Houdini
from verifier.prove.induct import Named, Proven, invariants, prove_by_induction
from verifier.prove.question import Mode, Nothing, Question
from verifier.prove.random_states import random_options, random_value
from verifier.prove.scope import Scope, scope_of
from verifier.prove.solve import Settings, Solved, solve
from verifier.prove.symbolic import World
from verifier.prove.transitions import system
from verifier.prove.written import written
from verifier.run.bench import Happening
from verifier.run.judge import Judge
from verifier.run.machine import Machine
from verifier.run.state import State
from verifier.run.undefined import Undefined

RULES = Path(__file__).parent / "rules"
SETTINGS = Settings()


@cache
def program(name: str) -> Program:
    return lower(load(RULES / f"induct-{name}.rules"))


@cache
def scope(name: str) -> Scope:
    if name == "lockers":
        return scope_of(program(name), {"Guest": ("g", "h")}, narrowed={"Number": (1, 2)}, money_parts=2)
    return scopes(program(name))[0]


@cache
def proven(name: str, mode: Mode) -> Proven:
    return invariants(program(name), scope(name), tuple(written(program(name))), mode, SETTINGS)


def names(found: Proven) -> set[str]:
    return {named.name for named in found.written}


def broken(found: Proven, name: str) -> Any:
    (failure,) = (b for b in found.broken if b.named.name == name)
    return failure


# ------------------------------------------------------------------------------------------- what is proved
def test_what_words_keep_and_what_only_play_keeps() -> None:
    assert names(proven("turnstile", "words")) == {"either", "idle"}
    assert names(proven("turnstile", "play")) == {"either", "idle", "unkicked", "paid_for"}
    assert proven("turnstile", "play").by == ("z3", "cvc5")


def test_a_helper_that_nobody_wrote_is_found() -> None:
    """That turns never outnumber coins needs to know that an unlocked turnstile has a coin to spare."""
    alone = invariants(
        program("turnstile"), scope("turnstile"), written_as("paid_for"), "play", SETTINGS, most=0
    )
    assert not alone.written
    helped = invariants(program("turnstile"), scope("turnstile"), written_as("paid_for"), "play", SETTINGS)
    assert names(helped) == {"paid_for"}
    assert any("unlocked" in n.name and "turns" in n.name for n in helped.holding)


def written_as(*wanted: str) -> list[Named]:
    return [n for name in ("turnstile", "lockers") for n in written(program(name)) if n.name in wanted]


def test_of_lists_entities_options_and_duties() -> None:
    assert names(proven("lockers", "words")) == {"numbered", "keyed", "filled"}
    assert names(proven("lockers", "play")) == {
        "numbered",
        "keyed",
        "filled",
        "half",
        "after_opening",
        "emptied",
    }


def test_history_counts_and_lives_end() -> None:
    filled = broken(proven("lockers", "words"), "unfilled")
    assert (filled.event, filled.before.counts) == ("fill", [{}])
    closed = broken(proven("lockers", "words"), "today")
    assert (closed.event, closed.before.fields["rented"]) == ("close", True)


def test_where_an_invariant_fails_is_told() -> None:
    found = broken(proven("turnstile", "words"), "poor")
    assert (found.event, found.why) == ("insert", "")
    assert found.before.fields["coins"] == 3
    first = broken(proven("turnstile", "words"), "rich")
    assert first.event is None
    assert first.before.fields["coins"] == 0
    kick = broken(proven("turnstile", "words"), "unkicked")
    assert (kick.event, kick.actor, kick.before.fields["kicked"]) == ("kick", "", False)
    returned = broken(proven("lockers", "play"), "first_held")
    assert (returned.event, returned.actor) == ("hand_back", "guest")
    assert returned.before.fields["last"] == returned.values["locker"]


def test_the_event_told_of_breaks_the_invariant_when_the_interpreter_plays_it() -> None:
    for name in ("turnstile", "lockers"):
        for failure in proven(name, "words").broken:
            if failure.event is None:
                continue
            before = failure.before
            assert holds(program(name), failure.named.term, before, failure.options)
            judge = Judge(program(name), dict(failure.options))
            judge.bench.state = before
            judge.step(Happening(failure.event, "guest", tuple(failure.values.values())))
            assert not holds(program(name), failure.named.term, judge.state, failure.options)


def test_a_rule_may_have_been_broken_in_words_and_never_in_play() -> None:
    """A guest may not pay twice once a kick was found: nothing but play keeps that rule from being broken."""
    unbroken = Named("unbroken", m.NotT(BOOL, m.BrokenT(BOOL, 0)))
    found = invariants(program("turnstile"), scope("turnstile"), [unbroken], "words", SETTINGS, most=0)
    assert broken(found, "unbroken").event is not None
    assert not found.written
    found = invariants(program("turnstile"), scope("turnstile"), [unbroken], "play", SETTINGS, most=0)
    assert names(found) == {"unbroken"}


def test_undefined_is_not_true() -> None:
    """A part of what is absent is undefined, in the first state already."""
    last = m.Get(program("lockers").ruleset.state["last"].type, "last")
    number = m.Part(program("lockers").ruleset.types["Number"], last, 0)
    term = m.CompareT(BOOL, ">=", number, m.Lit(number.type, 1))
    found = invariants(program("lockers"), scope("lockers"), [Named("n", term)], "words", SETTINGS, most=0)
    assert broken(found, "n").event is None


def test_what_is_known_helps_and_is_passed_on() -> None:
    helper = [
        n for n in proven("turnstile", "play").holding if n.name not in names(proven("turnstile", "play"))
    ]
    found = invariants(
        program("turnstile"),
        scope("turnstile"),
        written_as("paid_for"),
        "play",
        SETTINGS,
        known=helper,
        most=0,
    )
    assert names(found) == {"paid_for"}
    assert {n.name for n in found.holding} == {"paid_for", *(n.name for n in helper)}


def test_where_no_options_meet_what_is_required_nothing_is_proved() -> None:
    lockers = program("lockers")
    place = next(iter(lockers.ruleset.rules.values())).place
    never_met = Requirement("1.0", m.Lit(BOOL, False), place)
    strict = replace(lockers, ruleset=replace(lockers.ruleset, requirements=(never_met,)))
    found = invariants(strict, scope("lockers"), written_as("keyed"), "words", SETTINGS)
    assert not found.holding
    assert found.why == broken(found, "keyed").why == "no options meet every requirement"


def test_the_same_code_s_answer_is_taken_from_the_cache_whole(tmp_path: Path) -> None:
    cached = Settings(cache=Cache(tmp_path))
    lockers, given = program("lockers"), tuple(written(program("lockers")))
    first = invariants(lockers, scope("lockers"), given, "play", cached)
    again = invariants(lockers, scope("lockers"), given, "play", Settings(cache=Cache(tmp_path)), seen=never)
    assert again == first
    assert again.broken[0].before == first.broken[0].before


def test_other_code_takes_the_cache_for_a_hint_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turnstile, given = program("turnstile"), written(program("turnstile"))
    first = invariants(turnstile, scope("turnstile"), given, "play", Settings(cache=Cache(tmp_path)))
    monkeypatch.setattr(induct, "code_digest", lambda: "other")
    cached = Settings(cache=Cache(tmp_path))
    again = invariants(turnstile, scope("turnstile"), given, "play", cached, seen=never)
    assert again.holding == first.holding
    assert again.queries


@pytest.mark.parametrize(
    "value", [{}, {"guessed": ["no such key"]}, {"guessed": [], "written": [99]}, ["fact 9999"]]
)
def test_an_entry_that_says_nothing_is_not_believed(
    tmp_path: Path, value: Json, monkeypatch: pytest.MonkeyPatch
) -> None:
    turnstile, given = program("turnstile"), written(program("turnstile"))
    cached = Settings(cache=Cache(tmp_path))
    first = invariants(turnstile, scope("turnstile"), given, "play", cached)
    monkeypatch.setattr(Cache, "get", lambda self, namespace, key: None if namespace == "solved" else value)
    again = invariants(turnstile, scope("turnstile"), given, "play", cached)
    assert (again.holding, again.written) == (first.holding, first.written)


def test_what_no_solver_can_tell_is_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """One invariant that the solvers give up on is dropped; what does not need it is asked again, and held."""
    given = [*written_as("unkicked"), *written_as("idle")]

    def tired(conditions: Any, settings: Settings, name: str, *rest: Any) -> Solved:
        return (
            Solved("unknown", None, "", (), "z3: tired")
            if "kick" in name
            else solve(conditions, settings, name, *rest)
        )

    monkeypatch.setattr(proving, "solve", tired)
    found = invariants(program("turnstile"), scope("turnstile"), given, "play", SETTINGS, most=0)
    assert names(found) == {"idle"}
    assert broken(found, "unkicked").why == "z3: tired"
    assert not found.disagree


def test_all_that_a_transition_keeps_is_asked_at_once_for_little_and_one_by_one_for_all_that_may_be_spent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A question that is large costs a solver far more of each of its own units than a small one."""
    spent: list[tuple[int, int, int]] = []

    def tired(conditions: Any, settings: Settings, name: str, comment: str, *rest: Any) -> Solved:
        if "kick" not in name:
            return solve(conditions, settings, name, comment, *rest)
        (number,) = re.findall(r"keeps (\d+) invariants", comment)
        spent.append((int(number), settings.rlimit, settings.cvc5_rlimit))
        return Solved("unknown", None, "", (), "tired")

    monkeypatch.setattr(proving, "solve", tired)
    invariants(program("turnstile"), scope("turnstile"), written_as("either"), "play", SETTINGS)
    least = (SETTINGS.rlimit // proving.QUICK, SETTINGS.cvc5_rlimit // proving.QUICK_CVC5)
    assert max(number for number, *_ in spent) > 1
    for number, *limits in spent:
        assert tuple(limits) in ({least} if number > 1 else {least, (SETTINGS.rlimit, SETTINGS.cvc5_rlimit)})
    assert (1, SETTINGS.rlimit, SETTINGS.cvc5_rlimit) in spent


def never() -> list[State]:
    raise AssertionError("what the cache knows needs no states")


# ------------------------------------------------------------------------------------- a question's own denial
def test_a_question_is_denied_with_the_help_of_what_is_proven() -> None:
    found = proven("turnstile", "play")
    unlocked = m.Get(BOOL, "unlocked")
    kicked = m.Get(BOOL, "kicked")
    turns, coins = (m.Get(program("turnstile").ruleset.state[n].type, n) for n in ("turns", "coins"))
    free = Question((), m.AndT(BOOL, (unlocked, m.CompareT(BOOL, ">=", turns, coins))))
    never_free = prove_by_induction(program("turnstile"), scope("turnstile"), free, "play", SETTINGS, found)
    assert never_free is not None
    assert never_free.how == "induction"
    assert "unkicked" in never_free.using
    may_be = Question((), m.AndT(BOOL, (unlocked, m.NotT(BOOL, kicked))))
    assert (
        prove_by_induction(program("turnstile"), scope("turnstile"), may_be, "play", SETTINGS, found) is None
    )


def test_a_question_with_parameters_and_with_what_must_not_be() -> None:
    lockers = program("lockers")
    type_ = lockers.ruleset.entities["Locker"].type
    x = m.Var(type_, "l")
    holder = m.Field(lockers.ruleset.entities["Locker"].fields[0].type, "Locker", "holder", x)
    guest = lockers.ruleset.types["Guest"]
    keys = m.Get(BOOL, "keys", m.Var(guest, "g"))
    same = m.AndT(BOOL, (m.CompareT(BOOL, "=", holder, m.Var(guest, "g")), keys))
    question = Question(
        (Param("l", type_),), m.Present(BOOL, holder), none=(Nothing((Param("g", guest),), same),)
    )
    found = proven("lockers", "words")
    assert prove_by_induction(lockers, scope("lockers"), question, "words", SETTINGS, found) is not None
    without = Question((Param("l", type_),), m.Present(BOOL, holder))
    assert prove_by_induction(lockers, scope("lockers"), without, "words", SETTINGS, found) is None


# --------------------------------------------------------------------------------------------------- soundness
def holds(of: Program, term: Term, state: State, options: Any) -> bool:
    machine = Machine(of, dict(options))
    machine.enter(state)
    try:
        return bool(machine.closure(term, ())([]))
    except Undefined:
        return False


@pytest.mark.parametrize("name", ["turnstile", "lockers"])
@pytest.mark.parametrize("mode", ["words", "play"])
def test_what_is_proved_is_never_seen_false(name: str, mode: Mode) -> None:
    """Random events, within the scope; in play only those that the judge has nothing to say of."""
    found = proven(name, mode)
    of, world = program(name), World(program(name), scope(name))
    rng = Random(1)
    seen = 0
    for _ in range(25):
        options = {**random_options(world, rng), **dict.fromkeys(of.ruleset.options, 50)}
        machine = Machine(of, options)
        claims = [(n.name, machine.closure(n.term, ())) for n in found.holding]
        taken: list[Happening] = []
        for _ in range(25):
            judge = replayed(of, options, taken)
            event = rng.choice(list(of.ruleset.events.values()))
            values = tuple(drawn(world, judge.state, p.type, rng) for p in event.params)
            happening = Happening(event.name, event.by[0], values)
            judged = judge.step(happening)
            if any(j.kind == "impossible" for j in judged) or (mode == "play" and judged):
                continue
            if not within(world, judge.state):
                continue
            taken.append(happening)
            machine.enter(judge.state)
            for claim, closure in claims:
                assert closure([]), (claim, taken)
                seen += 1
    assert seen > 1000


def replayed(of: Program, options: dict[str, object], taken: list[Happening]) -> Judge:
    judge = Judge(of, options)
    for happening in taken:
        judge.step(happening)
    return judge


def drawn(world: World, state: State, type_: Any, rng: Random) -> Any:
    keys = {"Guest": ("g", "h"), "Number": (1, 2), "Locker": ((1,), (2,))}
    return rng.choice(keys[str(type_)]) if str(type_) in keys else random_value(world, state, type_, rng)


def within(world: World, state: State) -> bool:
    """Whether ids are met in the scope's order, which is how the scope names them, and numbers keep their ranges."""
    numbers = [(f.type, state.fields[name]) for name, f in world.ruleset.state.items()]
    kept = all(
        (t.low or 0) <= value <= (t.high or 0)
        for t, value in numbers
        if isinstance(t, IntT) and type(value) is int
    )
    return kept and all(list(met) == sorted(met) for met in state.ids.values())


def test_what_keeps_a_transition_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were Houdini to keep everything, the confirmation would say so: the two do not rest on each other."""
    monkeypatch.setattr(Houdini, "run", keep_all)
    found = invariants(
        program("turnstile"), scope("turnstile"), written_as("poor"), "words", SETTINGS, most=0
    )
    assert found.disagree
    assert not found.holding


def keep_all(houdini: Houdini) -> None:
    for index in range(len(houdini.transitions)):
        every = frozenset(houdini.alive)
        houdini.cores[index] = dict.fromkeys(every, every)


def test_a_guard_that_the_interpreter_reads_otherwise_is_a_disagreement(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A kick is unlawful to the interpreter and lawful to Z3: nothing follows from that."""
    monkeypatch.setattr(Guard, "condition", lambda self, index: z3.Bool("anything"))
    found = invariants(
        program("turnstile"), scope("turnstile"), written_as("unkicked"), "play", SETTINGS, most=0
    )
    assert found.disagree
    assert not found.holding
    assert "guest kick" in found.why


def test_an_option_may_decide_what_holds_at_first() -> None:
    """What the first state alone does not tell is asked of every solver too."""
    smallest = program("lockers").ruleset.options["smallest"].type
    low, high = (
        Named(str(n), m.CompareT(BOOL, ">=", m.OptionGet(smallest, "smallest"), m.Lit(smallest, n)))
        for n in (50, 51)
    )
    found = invariants(program("lockers"), scope("lockers"), [low, high], "words", SETTINGS, most=0)
    assert found.written == (low,)
    assert broken(found, "51").options == {"smallest": 50}
    assert found.by == ("z3", "cvc5")


def test_an_encoder_that_keeps_nothing_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("turnstile", "lockers"):
        keeping, other = (system(program(name), scope(name), "words") for _ in range(2))
        for named in proven(name, "words").holding:
            kept = keeping.encoder.encode(named.term, {})
            with monkeypatch.context() as patch:
                patch.setattr(encode, "MOST_KEPT", 0)
                assert str(other.encoder.encode(named.term, {})) == str(kept)
