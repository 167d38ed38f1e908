"""What only many may lawfully begin is looked at with few, the rule that wants many being left out."""

from __future__ import annotations

from pathlib import Path

import pytest
from obligation_bench import asked, program_of

from verifier.core.program import Program
from verifier.prove.decide import decide
from verifier.prove.desk import Desk
from verifier.prove.inducing import with_invariants
from verifier.prove.loosened import frontier, hindrances, less, opening
from verifier.prove.obligations import theorems
from verifier.prove.question import Never, Sometimes, Unknown
from verifier.prove.scope import scope_of
from verifier.prove.solve import Settings
from verifier.prove.told import FirstBroken, Table, Tellings, Told
from verifier.run.bench import Happening

COACH = """
ruleset example/coach
law anyton/cloakroom
actors guest
type Guest = id max 9
life year
life day ends home
state day
  aboard: Guest -> bool
  away: bool
  fares: Guest -> 0..9
  worst: 0..9
event board(guest: Guest) by guest
event depart by guest
event pay(guest: Guest) by guest
event home by guest
event swap(giver: Guest, guest: Guest) by guest
on board(g)
  aboard[g] = yes
on depart
  away = yes
on pay(g)
  fares[g] = fares[g] + 1 when fares[g] < 9
on swap(a, b)
  {swap}
rule 5.2
  guest must not depart when number of (g in Guest where aboard[g]) < 4
rule 5.3
  guest must not pay(g) when not away or fares[g] > 0
  guest must not swap(any, any) when not away
invariant once "Nobody pays twice"
  every g in Guest: fares[g] <= 1
invariant crowd "It leaves with four"
  not away or number of (g in Guest where aboard[g]) >= 1
invariant four "It leaves with four"
  not away or number of (g in Guest where aboard[g]) >= 4
invariant five "It leaves with five"
  not away or number of (g in Guest where aboard[g]) >= 5
invariant calm "Nothing is worse than it was"
  worst = 0
"""
NOTHING = "aboard[a] = no"
SEVERAL = "worst = 9 when a != b"


def coach(folder: Path, swap: str = NOTHING) -> Program:
    return program_of(COACH.replace("{swap}", swap), folder)


def desk_of(program: Program) -> Desk:
    return Desk(program, Settings(solvers=("z3",)))


def test_what_holds_whether_or_not_the_rule_that_wants_many_is_kept_is_proved_of_one(tmp_path: Path) -> None:
    program = coach(tmp_path)
    once = asked(theorems.obligations, program)["invariant once"]
    assert once.question is not None
    desk = desk_of(program)
    assert len(desk.inductive.ids["Guest"]) == 1
    assert "pay" in desk.unseen("play", once.question)[0]
    answer = with_invariants(desk, once, "play")
    assert isinstance(answer, Never)
    assert answer.scope.endswith("; whether 5.2 is kept or not")
    assert desk.loosened is not None
    assert desk.loosened.less == ("5.2",)
    assert isinstance(decide(desk, once).play, Never)


def test_what_rests_on_the_rule_that_is_left_out_is_not_proved_so(tmp_path: Path) -> None:
    program = coach(tmp_path)
    crowd = asked(theorems.obligations, program)["invariant crowd"]
    answer = with_invariants(desk_of(program), crowd, "play")
    assert not isinstance(answer, Never) or "kept or not" not in answer.scope


def test_what_counts_as_many_is_proved_where_plays_of_as_many_stay(tmp_path: Path) -> None:
    program = coach(tmp_path, "worst = 0")
    desk, of = desk_of(program), asked(theorems.obligations, program)
    answer = decide(desk, of["invariant four"]).play
    assert isinstance(answer, Never)
    assert answer.scope == "5 Guest", "one more than 5.2 counts"
    assert "kept or not" not in answer.scope
    assert isinstance(decide(desk, of["invariant five"]).play, Sometimes)


def test_what_takes_several_to_make_a_difference_is_not_proved_of_one(tmp_path: Path) -> None:
    program = coach(tmp_path, SEVERAL)
    calm = asked(theorems.obligations, program)["invariant calm"]
    desk = desk_of(program)
    assert isinstance(with_invariants(desk, calm, "play"), Unknown)
    assert isinstance(decide(desk, calm).play, Sometimes)


def test_no_rule_is_left_out_where_one_alone_can_do_all(tmp_path: Path) -> None:
    desk = desk_of(program_of(COACH.replace("{swap}", NOTHING).replace("< 4", "< 1"), tmp_path))
    assert desk.loosened is None


def test_no_rule_is_left_out_of_a_scope_that_was_asked_for(tmp_path: Path) -> None:
    program = coach(tmp_path)
    scope = scope_of(program, {"Guest": ("ann",)})
    assert Desk(program, Settings(solvers=("z3",)), (scope,)).loosened is None


BOARD = Happening("board", "guest", ("ann",))
DEPART = Happening("depart", "guest", ())
PAY = Happening("pay", "guest", ("ann",))


def test_a_told_play_shows_which_rule_wants_many(tmp_path: Path) -> None:
    """One guest may depart on a feast day, lawfully, and is back at once: what keeps pay from being had is not that
    nobody can depart, and not the rule that forbids to pay at home."""
    feast = COACH.replace("{swap}", NOTHING).replace(
        "event depart by guest", "event depart(feast: bool) by guest"
    )
    feast = feast.replace("on depart\n  away = yes", "on depart(f)\n  away = not f")
    program = program_of(feast.replace("not depart when", "not depart(f) when not f and"), tmp_path)
    desk = desk_of(program)
    depart = Happening("depart", "guest", (False,))
    desk.told = Tellings(program, Told((Table("one.jsonl", {}, (BOARD, depart, PAY)),)))
    assert desk.loosened is not None
    assert desk.loosened.less == ("5.2",)
    once = asked(theorems.obligations, program)["invariant once"]
    answer = with_invariants(desk, once, "play")
    assert isinstance(answer, Never)
    assert answer.scope.endswith("; whether 5.2 is kept or not")


@pytest.mark.parametrize(
    ("happenings", "found"),
    [
        ((BOARD, DEPART, PAY), [FirstBroken("depart", ("5.2",), ("pay",))]),
        ((BOARD, DEPART, DEPART, PAY), [FirstBroken("depart", ("5.2",), ("depart", "pay"))]),
        ((BOARD, DEPART, PAY, PAY), [FirstBroken("depart", ("5.2",), ("pay",))]),
        ((BOARD, PAY, DEPART), [FirstBroken("pay", ("5.3",), ())]),
        ((BOARD,), []),
    ],
)
def test_what_a_told_play_breaks_first(
    tmp_path: Path, happenings: tuple[Happening, ...], found: list[FirstBroken]
) -> None:
    tellings = Tellings(coach(tmp_path), Told((Table("one.jsonl", {}, happenings),)))
    assert list(tellings.first_broken(lambda happening, state: True)) == found


@pytest.mark.parametrize(
    ("play", "found"),
    [
        (FirstBroken("depart", ("5.2",), ("pay",)), {"depart": frozenset({"5.2"})}),
        (FirstBroken("depart", ("5.2",), ("home",)), {}),
        (FirstBroken("depart", ("5.2", "5.3"), ("pay",)), {}),
        (FirstBroken("pay", ("5.2",), ("pay",)), {}),
    ],
)
def test_a_play_opens_the_way_where_a_rule_prohibits_its_event_and_it_goes_on_as_wanted(
    tmp_path: Path, play: FirstBroken, found: dict[str, frozenset[str]]
) -> None:
    assert opening(coach(tmp_path), {"pay"}, [play]) == found


@pytest.mark.parametrize(
    ("attempts", "found"),
    [
        ([("depart", ("5.2",)), ("depart", ("5.2", "5.9"))], {"depart": frozenset({"5.2"})}),
        ([("depart", ("5.2",)), ("depart", ("5.9",))], {}),
        ([("depart", ("5.2", "5.9"))], {}),
        ([("pay", ("5.3",))], {}),
        ([], {}),
    ],
)
def test_a_rule_stands_in_the_way_where_it_alone_prohibits_each_try(
    tmp_path: Path, attempts: list[tuple[str, tuple[str, ...]]], found: dict[str, frozenset[str]]
) -> None:
    assert hindrances(coach(tmp_path), {"depart"}, attempts) == found


def test_of_each_play_the_first_event_that_no_other_had_counts() -> None:
    plays = [["board", "depart", "pay"], ["board"], ["wave", "depart"]]
    assert frontier(plays, {"board"}) == {"depart", "wave"}


def test_only_those_prohibitions_are_left_out(tmp_path: Path) -> None:
    program = coach(tmp_path)
    rest = less(program, {"depart": frozenset({"5.2"})})
    assert rest.prohibitions["depart"] == ()
    assert rest.prohibitions["pay"] == program.prohibitions["pay"]
    assert rest.functions is program.functions
