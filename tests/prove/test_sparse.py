"""Scopes with what one play has: where it takes many people to play, what is so is proved of few things."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from obligation_bench import asked, program_of

from verifier.core.program import Program
from verifier.prove.decide import decide
from verifier.prove.desk import Desk
from verifier.prove.extent import scopes
from verifier.prove.inducing import has_all_counted, with_invariants
from verifier.prove.obligations import theorems
from verifier.prove.question import Answer, Never, Sometimes
from verifier.prove.scope_words import scope_text
from verifier.prove.solve import Settings
from verifier.prove.sparse import Course, leaves_out, scope_of_course
from verifier.prove.told import Table, Tellings, Told
from verifier.run.bench import Happening

PARTY = """
type Shelf = 1..6
enum Drink: milk | tea | cocoa
entity Cup(guest: Guest, shelf: Shelf, drink: Drink) in evening
  drunk: bool
state evening
  near: Guest -> bool
  begun: bool
event take(guest: Guest, shelf: Shelf, drink: Drink) by guest
event begin by guest
event empty(cup: Cup) by guest
  needs cup in Cup
on take(g, s, d)
  new Cup(g, s, d)
  near[g] = yes
on begin
  begun = yes
on empty(c)
  c.drunk = yes
rule 5.2
  guest must not begin when number of (g in Guest where near[g]) < 4
"""

RULE = """
rule 5.3
  guest must not empty(any) when not begun
"""

BUT_COCOA = """
rule 5.3
  guest must not empty(c where c.drink != cocoa) when not begun
"""

IN_TIME = """
invariant asked_for "Nobody drinks before it has begun"
  begun or every c in Cup: not c.drunk
"""

FEW = """
invariant asked_for "No more cups than so many are drunk"
  number of (c in Cup where c.drunk) <= {most}
"""

COCOA = """
invariant asked_for "Before it has begun no cocoa is drunk"
  begun or every c in Cup where c.drink = cocoa: not c.drunk
"""

NAMES = ("ann", "bob", "cat", "dan")
SHELVES = (1, 2, 3, 5)


def events(guests: int = 4, shelves: Sequence[int] = SHELVES) -> tuple[Happening, ...]:
    """Each guest takes a cup of milk, each from a shelf of its own; it begins, and the first cup is emptied."""
    taken = [
        Happening("take", "guest", (name, shelf, 0))
        for name, shelf in zip(NAMES[:guests], shelves, strict=False)
    ]
    return (*taken, Happening("begin", "guest", ()), Happening("empty", "guest", (("ann", shelves[0], 0),)))


def desk_of(program: Program, *plays: Sequence[Happening]) -> Desk:
    desk = Desk(program, Settings(solvers=("z3",)))
    desk.told = Tellings(program, Told(tuple(Table("party.jsonl", {}, tuple(play)) for play in plays)))
    return desk


def answer_to(tmp_path: Path, text: str, *plays: Sequence[Happening]) -> Answer:
    program = program_of(text, tmp_path)
    obligation = asked(theorems.obligations, program)["invariant asked_for"]
    return with_invariants(desk_of(program, *plays), obligation, "play")


def course(program: Program) -> Course:
    (found,) = desk_of(program, events()).told.courses()  # type: ignore[union-attr]
    return found


def test_what_takes_more_people_than_there_are_is_proved_of_what_one_play_has(tmp_path: Path) -> None:
    answer = answer_to(tmp_path, PARTY + RULE + IN_TIME, events())
    assert isinstance(answer, Never)
    assert (answer.how, answer.using) == ("induction", ("asked_for",))
    assert answer.scope.startswith("4 Guest, Peg 1, Shelf 1, 2, 3 and 5, ")
    assert "no Hook" in answer.scope
    assert "no lawful play" not in answer.scope


def test_without_a_play_it_is_said_that_none_had_it(tmp_path: Path) -> None:
    answer = answer_to(tmp_path, PARTY + RULE + IN_TIME)
    assert isinstance(answer, Never)
    assert answer.scope.endswith("no lawful play was found that had `begin` or `empty`")


def test_where_a_rule_is_left_out_it_is_not_proved(tmp_path: Path) -> None:
    program = program_of(PARTY + IN_TIME, tmp_path)
    obligation = asked(theorems.obligations, program)["invariant asked_for"]
    desk = desk_of(program, events())
    assert not isinstance(with_invariants(desk, obligation, "play"), Never)
    assert isinstance(decide(desk, obligation).play, Sometimes)


def test_a_play_that_is_not_lawful_makes_no_scope(tmp_path: Path) -> None:
    answer = answer_to(tmp_path, PARTY + RULE + IN_TIME, events(guests=3))
    assert isinstance(answer, Never)
    assert answer.scope.endswith("no lawful play was found that had `begin` or `empty`")


@pytest.mark.parametrize(("most", "enough"), [(0, True), (1, False), (4, False)])
def test_what_counts_things_is_not_asked_where_some_of_them_are_left_out(
    tmp_path: Path, most: int, enough: bool
) -> None:
    program = program_of(PARTY + RULE + FEW.format(most=most), tmp_path)
    question = asked(theorems.obligations, program)["invariant asked_for"].question
    assert question is not None
    desk = desk_of(program, events())
    sparse = desk.sparse("play", ("begin", "empty"))
    assert sparse is not None
    assert has_all_counted(desk, question, sparse.scope) is enough


@pytest.mark.parametrize("rule", [RULE, BUT_COCOA])
def test_of_each_kind_of_thing_there_is_one(tmp_path: Path, rule: str) -> None:
    answer = answer_to(tmp_path, PARTY + rule + COCOA, events())
    assert isinstance(answer, Never) is (rule == RULE), "cocoa may be drunk, though no play had any"


def test_a_scope_has_what_the_play_has(tmp_path: Path) -> None:
    program = program_of(PARTY + RULE + IN_TIME, tmp_path)
    scope = scope_of_course(program, scopes(program)[0], course(program))
    assert scope.ids == {"Guest": NAMES}
    assert scope.narrowed == {"Peg": (1,), "Shelf": SHELVES}
    cups = [(name, shelf, 0) for name, shelf in zip(NAMES, SHELVES, strict=True)]
    assert scope.entities["Cup"] == tuple(sorted([*cups, ("ann", 1, 1), ("ann", 1, 2)]))
    assert leaves_out(program, scope, "Cup")
    assert "Cup(dan, 5, milk)" in scope_text(scope, program)


def test_a_scope_that_is_there_is_as_good_as_another(tmp_path: Path) -> None:
    program = program_of(PARTY + RULE + IN_TIME, tmp_path)
    desk = desk_of(program, events())
    both = desk.sparse("play", ("begin", "empty"))
    assert both is not None
    assert desk.sparse("play", ("empty",)) is both
    assert desk.sparse("play", ("no such event",)) is None
