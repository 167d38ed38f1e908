"""A whole run kept by the cache, and something made ahead."""

from __future__ import annotations

import os
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from verifier.cache import Cache, Json
from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.model.load import load
from verifier.model.values import HOUSE
from verifier.prove import decide
from verifier.prove.ahead import ahead
from verifier.prove.codec import from_json, to_json
from verifier.prove.desk import Desk
from verifier.prove.kept import Entry, Memory, read_back, written_down
from verifier.prove.prove import Proof
from verifier.prove.proven import rules_digest
from verifier.prove.question import Decided, Never, Obligation, Play, Sometimes, Unknown
from verifier.prove.solve import Settings
from verifier.prove.whole import prove_whole
from verifier.run.bench import Happening
from verifier.run.state import first_state

RULES = Path(__file__).parent / "rules" / "typed-depot.rules"
ONLY = ("conflict",)


@cache
def depot() -> Program:
    return lower(load(RULES))


def proved(cache: Cache) -> Proof:
    return prove_whole(depot(), Settings(cache=cache), only=ONLY)


def told(proof: Proof) -> list[tuple[object, ...]]:
    return [(r.name, r.verdict, r.decided.words, r.decided.play, r.finding) for r in proof.results]


def test_a_second_run_asks_nothing_and_says_the_same(tmp_path: Path) -> None:
    first, second = proved(Cache(tmp_path)), proved(Cache(tmp_path))
    assert first.asked
    assert second.asked == 0
    assert second.cached == len(second.results)
    assert told(first) == told(second)


def test_a_run_that_was_broken_off_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes long is kept one by one; that a run ended is kept last."""
    decided: list[str] = []
    rest = decide.rest

    def counting(desk: Desk, obligation: Obligation) -> Decided:
        if len(decided) == most:
            raise KeyboardInterrupt
        decided.append(obligation.id)
        return rest(desk, obligation)

    monkeypatch.setattr(decide, "rest", counting)
    program = lower(load(RULES.with_name("induct-turnstile.rules")))
    most = 2
    with pytest.raises(KeyboardInterrupt):
        prove_whole(program, Settings(cache=Cache(tmp_path)))
    first = list(decided)
    assert len(first) == most
    most = 1000
    later = prove_whole(program, Settings(cache=Cache(tmp_path)))
    assert len(decided) == len(set(decided)) > len(first)
    assert told(later) == told(prove_whole(program, Settings(cache=Cache(tmp_path / "another"))))


def test_to_accept_a_finding_asks_nothing_anew(tmp_path: Path) -> None:
    text = RULES.read_text(encoding="utf-8")
    bare, accepting, other = (tmp_path / f"{name}.rules" for name in ("bare", "accepting", "other"))
    bare.write_text(text, encoding="utf-8")
    line = 'accepted finding a_name\n  "a reason"'
    accepting.write_text(f"{text}\n{line}\n\n{line}\n", encoding="utf-8")
    other.write_text(f"{text}\ntype Unheard = 1..3\n", encoding="utf-8")
    first, again, changed = (rules_digest(load(path)) for path in (bare, accepting, other))
    assert first == again
    assert first != changed


FOUND = Obligation("found", "gap", "a claim", ())
LOST = Obligation("lost", "gap", "a claim", ())


def entries() -> list[Entry]:
    state = first_state(depot().ruleset)
    play = Play({"most": Fraction(1, 2)}, (Happening("move", "clerk", (1, None)),), (("1.1",),), state)
    seen = Sometimes(state, {"most": 3}, {"who": HOUSE}, play, "all", ("interpreter",))
    never = Never("induction", "all", ("z3", "cvc5"), ("kept",))
    return [
        Entry(Decided(FOUND, seen, replace(seen, play=None)), ("given this",)),
        Entry(Decided(LOST, never, Unknown("too hard", True, "all")), ()),
    ]


def test_every_answer_comes_back_as_it_was() -> None:
    value = written_down(entries(), ["lost", "found"])
    assert read_back(value, {"found": FOUND, "lost": LOST}) == (tuple(entries()), ("lost", "found"))
    assert isinstance(value, dict)
    assert len(value["states"]) == len(value["plays"]) == 1  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "damage",
    [
        {},
        {"order": []},
        {"order": ["found", 3]},
        {"states": []},
        {"plays": [[]]},
        {"answers": [["of nothing", None, None, []]], "order": ["of nothing"]},
        {"answers": [["found", ["maybe"], None, []]], "order": ["found"]},
        {"answers": [["found"]], "order": ["found"]},
        {"answers": 3},
    ],
)
def test_an_entry_that_cannot_be_read_whole_is_not_read(damage: dict[str, Json]) -> None:
    value = written_down(entries(), ["lost", "found"])
    assert isinstance(value, dict)
    found = read_back({**value, **damage} if damage else {}, {"found": FOUND, "lost": LOST})
    assert found is None


def test_an_entry_that_cannot_be_read_is_asked_again(tmp_path: Path) -> None:
    kept = Memory(Cache(tmp_path), depot(), Settings(), ())
    kept.put([FOUND], entries(), ["lost", "found"])
    assert kept.get([FOUND], {"found": FOUND, "lost": LOST}) is not None
    assert kept.get([FOUND], {"found": FOUND}) is None
    assert kept.cache.refused == 1
    assert kept.get([FOUND, LOST], {"found": FOUND, "lost": LOST}) is None


@pytest.mark.parametrize(
    "value", [None, True, 3, "x", (1, ("y", None)), Fraction(3, 2), {(1, 2): {"a": False}}]
)
def test_values_come_back_as_they_were(value: object) -> None:
    found = from_json(to_json(value))
    assert found == value
    assert type(found) is type(value)


def test_the_house_comes_back_as_itself() -> None:
    assert from_json(to_json((HOUSE, 1)))[0] is HOUSE


def test_what_is_no_value_is_refused() -> None:
    with pytest.raises(ValueError, match=r"1\.5"):
        to_json(1.5)
    with pytest.raises(ValueError, match="odd"):
        from_json(["odd", 1])


def test_what_is_made_ahead_comes_from_another_process() -> None:
    made, process = ahead(lambda: (6 * 7, os.getpid())).fetch() or (0, 0)
    assert made == 42
    assert process != os.getpid()


def test_what_fails_ahead_is_nothing() -> None:
    assert ahead(lambda: 1 // 0).fetch() is None


def test_what_is_not_wanted_is_stopped() -> None:
    going = ahead(lambda: [None for _ in iter(int, 1)])
    going.stop()
    assert not going.process.is_alive()
