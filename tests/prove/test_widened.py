"""What holds only because a scope tells less apart than the rules do is proved of nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.model.load import load
from verifier.prove.decide import all_visited, decide
from verifier.prove.desk import Desk
from verifier.prove.everywhere import typed
from verifier.prove.extent import scopes
from verifier.prove.inducing import with_invariants
from verifier.prove.question import Answer, Never, Obligation, Sometimes, Unknown
from verifier.prove.solve import Settings
from verifier.prove.telling import telling
from verifier.prove.whole import every
from verifier.prove.widened import SIZED

PEGS = """ruleset widened/pegs
law nz/gazette-1998-9-division-2
actors guest, clerk
type Guest = id max 6
type Peg = 1..30
life day
life evening ends close
entity Hook(peg: Peg) in evening
  weight: 0..99
event close by clerk
event hang(peg: Peg, weight: 0..99) by guest
on hang(p, w)
  new Hook(p)
  Hook(p).weight = w
rule 5.2 "All wagers shall be made by placing chips"
  {rule}
"""

SEATS = """ruleset widened/seats
law nz/gazette-1998-9-division-2
actors guest, clerk
type Guest = id max 6
life day
life evening ends close
entity Seat(guest: Guest) in evening
  up: bool
  won: bool
  ahead: 0..4
event close by clerk
event sit(guest: Guest, ahead: 0..4) by guest
event rise(seat: Seat) by guest
  needs seat in Seat
event win(seat: Seat) by guest
  needs seat in Seat{needs}
on sit(g, a)
  new Seat(g)
  Seat(g).ahead = a
on rise(s)
  s.up = yes
on win(s)
  s.won = yes{when}
{rules}
invariant none_wins "it takes some of them"
  none s in Seat: s.won
"""

RULE = 'rule 5.2 "All wagers shall be made by placing chips"\n  '
CHAIN = "(some u in Seat: u.ahead > t.ahead)"
SITTING = f"{RULE}guest must not win(s) when s.up"


def program(text: str, tmp_path: Path) -> Program:
    path = tmp_path / "rules.rules"
    path.write_text(text, "utf-8")
    return lower(load(path))


def in_play(program: Program, name: str) -> Answer:
    desk = Desk(program, Settings(solvers=("z3",)), steps=200)
    return with_invariants(desk, named(program, name), "play")


def named(program: Program, name: str) -> Obligation:
    return next(one for one in every(program) if one.id == name)


@pytest.mark.parametrize(
    ("rule", "pegs"),
    [
        ("guest must not hang(any, w) when w > 10", (1,)),
        ("guest must not hang(p, any) when p = 4", (1, 4)),
        ("guest must not hang(p, any) when p > 10", (1, 10, 11, 30)),
        ("guest must not hang(p, any) when 3 * p < 29", (1, 9, 10, 30)),
        ("guest must not hang(p, any) when p mod 9 != 6", (1, 6, 24, 30)),
        ("guest must not hang(p, any) when p in 5..7", (1, 4, 5, 7, 8, 30)),
        ("guest must not hang(p, any) when Hook(7) in Hook and p != 7", (1, 7)),
        ("guest must not hang(p, any) when some h in Hook: h.peg > p", (1,)),
        ("guest must not hang(p, any) when some h in Hook: h.peg > p + 8", tuple(range(1, 31))),
        ("guest must not hang(p, w) when p = w", tuple(range(1, 31))),
        (
            "define far(n: 1..60): bool = 2 * n > 40\n  guest must not hang(p, any) when far(p)",
            (1, 20, 21, 30),
        ),
        (
            "define most(p: Peg): 0..99 = if p > 28 then 40 else 5\n  guest must not hang(p, w) when w > most(p)",
            (1, 28, 29, 30),
        ),
    ],
)
def test_of_values_that_rules_tell_apart_a_scope_has_some(
    rule: str, pegs: tuple[int, ...], tmp_path: Path
) -> None:
    hooks = program(PEGS.format(rule=rule), tmp_path)
    assert telling(hooks, scopes(hooks)[0]).narrowed["Peg"] == pegs


KEPT = """ruleset widened/kept
law nz/gazette-1998-9-division-2
actors guest, clerk
type Guest = id max 6
type Peg = 1..30
life day
life evening ends close
entity Hook(peg: Peg) in evening
  weight: 0..99
state evening
  taken: set of Peg
  best: Peg?
  far: 0..40
event close by clerk
event take(peg: Peg) by guest
event mark by clerk
define is_taken(p: Peg): bool = p in taken
on take(p)
  taken gains p
  new Hook(p)
on mark
  {mark}
rule 5.2 "All wagers shall be made by placing chips"
  clerk must not mark when far > 39{rule}
invariant never
  {claim}
"""


@pytest.mark.parametrize(
    ("claim", "rule", "mark", "every_one"),
    [
        ("7 not in taken", "", "far = 1", False),
        ("not is_taken(7)", "", "far = 1", False),
        ("none p in {7, 9}: p in taken", "", "far = 1", True),
        ("far not in taken", "", "far = far + 1", True),
        ("far = 0 or far > 9", " and take(7) has happened this evening", "far = 1", False),
        ("not is_taken(1)", "", "taken gains 7", False),
        ("best does not exist", "", "best = 7", False),
        ("Hook(7).weight = 0", "", "Hook(7).weight = 3", False),
    ],
)
def test_values_that_are_named_where_things_are_kept_are_in_scope(
    claim: str, rule: str, mark: str, every_one: bool, tmp_path: Path
) -> None:
    kept = program(KEPT.format(claim=claim, rule=rule, mark=mark), tmp_path)
    pegs = telling(kept, scopes(kept)[0]).narrowed["Peg"]
    assert 7 in pegs
    assert (len(pegs) == 30) == every_one


def test_a_value_that_is_named_may_be_kept(tmp_path: Path) -> None:
    kept = program(
        KEPT.format(claim="7 not in taken", rule="\n  guest must not take(p) when p = 2", mark="far = 1"),
        tmp_path,
    )
    desk = Desk(kept, Settings(solvers=("z3",)), steps=20)
    assert not isinstance(decide(desk, named(kept, "invariant never")).play, Never)


def test_what_only_some_values_of_a_key_allow_is_not_proved_of_others(tmp_path: Path) -> None:
    rule = "guest must not hang(p, w) when p mod 9 != 6 and w > 10"
    said = "\n".join(
        f"invariant at_most_{w}\n  every h in Hook: h.weight <= {w} or h.peg mod 9 = {r}"
        for w, r in ((10, 5), (10, 6))
    )
    text = PEGS.format(rule=rule) + said.replace("at_most_10", "light", 1)
    hooks = program(text, tmp_path)
    assert not isinstance(in_play(hooks, "invariant light"), Never)
    held = in_play(hooks, "invariant at_most_10")
    assert isinstance(held, Never)
    assert "6" in held.scope


def test_a_theorem_of_things_that_are_kept_by_a_range_is_asked_of_values_that_it_tells_apart(
    tmp_path: Path,
) -> None:
    text = PEGS.format(rule="structural") + (
        "theorem apart\n  for all h: Hook: every k in Hook: h.peg + k.peg != 57 or h.weight + k.weight < 100\n"
    )
    hooks = program(text, tmp_path)
    desk = Desk(hooks, Settings(solvers=("z3",)), steps=200)
    assert not isinstance(typed(desk, named(hooks, "theorem apart")), Never)


@pytest.mark.parametrize(
    ("needs", "when", "rules"),
    [
        (
            "",
            "",
            "decision crowded(s: Seat): bool\n"
            f"{RULE}crowded(s) = yes when number of (t in Seat where t.up and t != s) >= 2\n"
            "  crowded(s) = no when number of (t in Seat where t.up and t != s) < 2\n"
            "  guest must not win(s) when crowded(s) = no",
        ),
        ("", "", f"{RULE}guest must not win(s) when number of (t in Seat where t.up and t != s) < 2"),
        (
            "",
            "",
            f"{RULE}guest must not win(s) when none t in Seat: t.ahead > s.ahead and {CHAIN}",
        ),
        (" and number of (t in Seat where t.up) >= 3", "", SITTING),
        ("", " when number of (t in Seat where t.up) >= 3", SITTING),
        ("", f" when some t in Seat: t.ahead > s.ahead and {CHAIN}", SITTING),
    ],
    ids=["a decision", "others", "a chain", "needed", "counted", "a chain changes"],
)
def test_what_takes_several_is_not_proved_of_few(needs: str, when: str, rules: str, tmp_path: Path) -> None:
    seats = program(SEATS.format(needs=needs, when=when, rules=rules), tmp_path)
    assert not isinstance(in_play(seats, "invariant none_wins"), Never)


FORKS = """ruleset widened/forks
law nz/gazette-1998-9-division-2
actors guest, clerk
type Fork = 1..3
life day
life evening ends close
state evening
  held: Fork -> Fork?
  ate: Fork -> bool
event close by clerk
event take(who: Fork, fork: Fork) by guest
event eat(who: Fork) by guest
event drop(who: Fork) by guest
define right(p: Fork): Fork = table (p) { 1: 2; 2: 3; 3: 1 }
on take(p, f)
  held[f] = p
on eat(p)
  ate[p] = yes
on drop(p)
  held[p] = absent
  held[right(p)] = absent
rule 5.2 "All wagers shall be made by placing chips"
  guest must not take(p, f) when f != p and f != right(p)
  guest must not take(any, f) when held[f] exists
  guest must not take(p, f) when f = right(p) and not held[p] = p
  guest must not drop(p) when not (held[p] = p and held[right(p)] = p and ate[p])
  guest must not eat(p) when not (held[p] = p and held[right(p)] = p)
  clerk must not close when some f in Fork: held[f] exists
"""


def test_play_that_goes_on_with_values_that_a_scope_lacks_is_not_stuck(tmp_path: Path) -> None:
    """With one fork in the scope who has taken it has nothing to do; with all three it takes three with one each."""
    forks = program(FORKS, tmp_path)
    desk = Desk(forks, Settings(solvers=("z3",)))
    found = decide(desk, next(one for one in every(forks) if one.id == "stuck evening")).play
    assert isinstance(found, Sometimes)
    assert found.play is not None
    assert [one.event for one in found.play.happenings] == ["take", "take", "take"]


def test_what_takes_many_is_not_ruled_out_by_going_through_all_that_one_can_do(tmp_path: Path) -> None:
    when = " when number of (t in Seat where t.up) >= 5"
    seats = program(SEATS.format(needs="", when=when, rules=SITTING), tmp_path)
    desk = Desk(seats, Settings(solvers=("z3",)), steps=200)
    assert not isinstance(decide(desk, named(seats, "invariant none_wins")).play, Never)


LINE = """ruleset widened/line
law nz/gazette-1998-9-division-2
actors guest, clerk
type Peg = 1..3
life day
life evening ends close
state evening
  line: list of Peg max 40
  lost: bool
event close by clerk
event add(peg: Peg) by guest
event lose by guest
on add(p)
  line gains p
on lose
  lost = yes{when}
rule 5.2 "All wagers shall be made by placing chips"
  {rule}
invariant never_lost
  not lost
"""


@pytest.mark.parametrize(
    ("rule", "when"),
    [
        ("guest must not lose when sum (p for p in line) < 110", ""),
        ('structural "nothing is asked"', " when sum (p for p in line) >= 110"),
    ],
)
def test_what_long_lists_add_up_to_is_not_ruled_out_by_short_ones(
    rule: str, when: str, tmp_path: Path
) -> None:
    """It takes 37 pegs, and play within the scope has three."""
    line = program(LINE.format(rule=rule, when=when), tmp_path)
    desk = Desk(line, Settings(solvers=("z3",)), steps=200)
    assert not isinstance(decide(desk, named(line, "invariant never_lost")).play, Never)


FIRSTS = """define first_of: Seat? = the first (s in Seat)
define second: Seat? = the first (s in Seat where s != first_of)
define third: Seat? = the first (s in Seat where s != first_of and s != second)
define fourth: Seat? = the first (s in Seat where s != first_of and s != second and s != third)
define fifth: Seat? =
  the first (s in Seat where s != first_of and s != second and s != third and s != fourth)
"""
CHAINED = """define one(s: Seat): bool = some t in Seat: t.ahead > s.ahead
define two(s: Seat): bool = some t in Seat: t.ahead > s.ahead and one(t)
define three(s: Seat): bool = some t in Seat: t.ahead > s.ahead and two(t)
define four(s: Seat): bool = number of (t in Seat where t.ahead > s.ahead and three(t)) >= 1
"""


@pytest.mark.parametrize(
    "rules",
    [
        f"{FIRSTS}{RULE}guest must not win(any) when fifth does not exist",
        f"{CHAINED}{RULE}guest must not win(s) when not four(s)",
        f"{CHAINED}decision far(s: Seat): bool\n{RULE}far(s) = yes when four(s)\n  far(s) = no when not four(s)\n"
        "  guest must not win(s) when far(s) = no",
    ],
    ids=["the first but four", "a chain", "a decision"],
)
def test_what_takes_as_many_as_defines_name_one_after_the_other_is_not_proved_of_fewer(
    rules: str, tmp_path: Path
) -> None:
    """It takes five to sit, who are never spoken of at once but by way of defines."""
    seats = program(SEATS.format(needs="", when="", rules=rules), tmp_path)
    desk = Desk(seats, Settings(solvers=("z3",)), steps=200)
    assert not isinstance(decide(desk, named(seats, "invariant none_wins")).play, Never)


def test_what_a_question_names_by_way_of_defines_is_asked_among_as_many(tmp_path: Path) -> None:
    rules = f"{FIRSTS}{RULE}guest must not win(any)\ninvariant never_five\n  fifth does not exist"
    seats = program(SEATS.format(needs="", when="", rules=rules), tmp_path)
    desk = Desk(seats, Settings(solvers=("z3",)), steps=200)
    assert not isinstance(decide(desk, named(seats, "invariant never_five")).play, Never)


def test_where_no_small_scope_has_as_many_as_are_named_it_is_left_open(tmp_path: Path) -> None:
    cubes = "entity Chip(seat: Seat, of: Guest, for_whom: Guest) in evening\n  lies: bool\nevent close"
    text = SEATS.replace("event close", cubes, 1)
    ahead = "(some t in Seat: t.ahead > s.ahead and three(t))"
    rules = f"{CHAINED}{RULE}guest must not win(s) when not {ahead}"
    seats = program(text.format(needs="", when="", rules=rules), tmp_path)
    assert in_play(seats, "invariant none_wins") == Unknown(SIZED, scope="plays with 1 Guest")


TRAY = """ruleset widened/tray
law nz/gazette-1998-9-division-2
actors clerk
type Weight = 1..6
life day
life evening ends close
state evening
  tray: list of Weight max 5
event close by clerk
event lay(weight: Weight) by clerk
on lay(w)
  tray gains w
rule 5.2 "All wagers shall be made by placing chips"
  clerk must not lay(w) when w = 6
invariant none_is_heavy
  none w in tray: w = 6
invariant light
  sum (w for w in tray) <= {most}
"""


@pytest.mark.parametrize(("most", "holds"), [("16", False), ("5 * number of (w in tray)", True)])
def test_what_only_a_long_list_adds_up_to_once_its_elements_are_known_is_not_proved_of_short_ones(
    most: str, holds: bool, tmp_path: Path
) -> None:
    """Three that may be 6 each add up to more than 16, and three of lawful play do not; five do."""
    tray = program(TRAY.format(most=most), tmp_path)
    desk = Desk(tray, Settings(solvers=("z3",)), steps=200)
    light = named(tray, "invariant light")
    assert all_visited(desk, light, "play") is None, "lists of three were"
    assert isinstance(with_invariants(desk, light, "play"), Never) is holds


CHEERS = """ruleset widened/cheers
law nz/gazette-1998-9-division-2
actors guest, clerk
type Guest = id max {most}
life day
life evening ends close
state evening
  hit: bool
  cheered: bool
event close by clerk
event hit(guest: Guest) by guest
event cheer(guest: Guest) by guest
on hit(g)
  hit = yes
on cheer(g)
  cheered = hit
rule 5.2 "All wagers shall be made by placing chips"
  guest must not cheer(g) when hit(g) has happened this evening
invariant nobody_cheers
  not cheered
"""


@pytest.mark.parametrize("most", [1, 6])
def test_what_one_may_not_do_for_what_he_has_done_somebody_else_may(most: int, tmp_path: Path) -> None:
    """Of one guest all is visited, and he who has hit does not cheer; of two there are states in which one does."""
    cheers = program(CHEERS.format(most=most), tmp_path)
    desk = Desk(cheers, Settings(solvers=("z3",)), steps=200)
    found = all_visited(desk, named(cheers, "invariant nobody_cheers"), "play")
    assert isinstance(found, Never) is (most == 1)
