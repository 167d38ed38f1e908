"""What takes as many as are spoken of beside one another is not ruled out by fewer."""

from __future__ import annotations

from pathlib import Path

import pytest
from obligation_bench import asked, program_of

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model.types import BOOL
from verifier.prove.decide import decide
from verifier.prove.depths import ENDLESS, Depths
from verifier.prove.desk import Desk
from verifier.prove.obligations import theorems
from verifier.prove.question import Mode, Never
from verifier.prove.scope import scope_of
from verifier.prove.solve import Settings
from verifier.prove.widened import bearing_on, chained, lacking

HEAD = """ruleset abreast
law anyton/cloakroom
actors guest, clerk
type Guest = id max 9
life day
life evening ends close
event close by clerk
"""
SITS = """type Seat = 1..6
state evening
  at: Guest -> Seat?
event sit(guest: Guest, seat: Seat) by guest
on sit(g, s)
  at[g] = s
"""
STAIR = " and ".join(f"(some g in Guest: up[g] = {n})" for n in range(1, 6))
RISES = """state evening
  up: Guest -> 0..6
  loud: bool
event rise(guest: Guest) by guest
event look by clerk
on rise(g)
  up[g] = up[g] + 1
on look
  loud = yes when STAIR
rule 5.2
  guest must not rise(g) when up[g] >= 6
""".replace("STAIR", STAIR)
FOLLOWS = """state evening
  depth: Guest -> 0..9
  next: Guest -> Guest?
  deep: bool
event follow(guest: Guest, other: Guest) by guest
on follow(g, o)
  depth[g] = depth[o] + 1 when depth[o] < 9
  next[g] = o
  deep = yes when depth[o] = 6
rule 5.2
  guest must not follow(g, o) when next[g] exists or g = o or (some x in Guest: next[x] exists and next[x] = g)
invariant above
  every g in Guest: next[g] does not exist or depth[g] = depth[next[g]] + 1
invariant shallow
  every g in Guest: depth[g] <= 3
"""
TURNS = """type Turn = 0..996
state evening
  key: Guest -> 0..2
  open: bool
  loud: bool
event turn(guest: Guest, by_: Turn) by guest
event look by clerk
event shout by clerk
  needs NEEDED
on turn(g, t)
  key[g] = if t = (key[g] + 3) * 137 mod 997 then key[g] + 1 else 0
on look
  open = yes when number of (g in Guest where key[g] = 2) >= 6
on shout
  loud = yes
rule 5.2
  guest must not turn(g, any) when key[g] = 2
rule 5.3
  clerk must not shout when SAID
"""
CLAIMS = {
    "a seat is free": (SITS, "some s in Seat: none g in Guest: at[g] exists and at[g] = s"),
    "nobody on one of five steps": (RISES, f"not ({STAIR})"),
    "nobody ever was on all five": (RISES, "not loud"),
    "no long chain": (FOLLOWS, "not deep"),
    "a rule waits for six": (TURNS.replace("NEEDED", "yes").replace("SAID", "not open"), "not loud"),
}


def proved(text: str, claim: str, folder: Path) -> bool:
    program = program_of(f"{HEAD}{text}invariant never\n  {claim}\n", folder)
    obligation = asked(theorems.obligations, program)["invariant never"]
    answer = decide(Desk(program, Settings(solvers=("z3",)), steps=20), obligation).play
    return isinstance(answer, Never)


@pytest.mark.parametrize(("text", "claim"), CLAIMS.values(), ids=CLAIMS)
def test_what_as_many_are_needed_for_is_not_proved_of_fewer(text: str, claim: str, tmp_path: Path) -> None:
    assert not proved(text, claim, tmp_path)


def test_what_is_so_however_many_there_are_is_proved(tmp_path: Path) -> None:
    at_most = "every g in Guest: up[g] <= 6"
    assert proved(RISES, at_most, tmp_path)


@pytest.mark.parametrize(
    ("needed", "said", "mode", "bears"),
    [
        ("open", "loud", "words", True),
        ("yes", "not open", "words", False),
        ("yes", "not open", "play", True),
        ("yes", "loud", "play", False),
    ],
)
def test_what_lets_an_event_happen_bears_on_what_it_does(
    needed: str, said: str, mode: Mode, bears: bool, tmp_path: Path
) -> None:
    program = program_of(f"{HEAD}{TURNS.replace('NEEDED', needed).replace('SAID', said)}", tmp_path)
    found, _ = bearing_on(program, [m.Get(BOOL, "loud")], mode)
    assert found == (["close", "turn", "look", "shout"] if bears else ["close", "shout"])


def test_what_is_supposed_of_it_bears_on_it(tmp_path: Path) -> None:
    text = TURNS.replace("NEEDED", "yes").replace("SAID", "loud")
    program = program_of(f"{HEAD}{text}invariant both\n  not loud or open\n", tmp_path)
    (both,) = program.ruleset.theorems
    found, _ = bearing_on(program, [m.Get(BOOL, "loud")], "play", [both.body])
    assert found == ["close", "turn", "look", "shout"]


def depths(text: str, condition: str, folder: Path) -> tuple[int, int]:
    """How many guests it may take for a condition to be so, and not to be."""
    program = program_of(f"{HEAD}{text}invariant never\n  {condition}\n", folder)
    (theorem,) = program.ruleset.theorems
    found = Depths(program)
    term = theorem.body
    return found.wanted(term, True)["Guest"], found.wanted(term, False)["Guest"]


@pytest.mark.parametrize(
    ("condition", "so", "not_so"),
    [
        ("some g in Guest: at[g] exists", 1, 0),
        ("(some g in Guest: at[g] = 1) and (some g in Guest: at[g] = 2)", 2, 0),
        ("(some g in Guest: at[g] = 1) or (some g in Guest: at[g] = 2)", 1, 0),
        ("every s in Seat: some g in Guest: at[g] = s", 6, 0),
        ("none s in Seat: none g in Guest: at[g] = s", 6, 0),
        ("every s in Seat where s > 2: some g in Guest: some h in Guest: at[g] = s and at[h] = s", 12, 0),
        ("every g in Guest: some h in Guest: at[g] = at[h]", ENDLESS, 1),
    ],
)
def test_how_many_it_takes(condition: str, so: int, not_so: int, tmp_path: Path) -> None:
    assert depths(SITS, condition, tmp_path) == (so, not_so)


LOTS = """entity Lot(holder: Guest) in evening
  open: bool
state evening
  next: Guest -> Guest?
"""


@pytest.mark.parametrize(
    ("condition", "so"),
    [
        ("every g in Guest: some l in Lot where l.holder = g: l.open", 0),
        ("every g in Guest: some l in Lot where l.holder = next[g]: l.open", ENDLESS),
        ("every g in Guest: number of (l in Lot where l.open) <= 3", 0),
        ("every g in Guest: number of (l in Lot where l.open) >= 3", ENDLESS),
        ("every g in Guest: not (number of (l in Lot where l.open) >= 3)", 0),
    ],
)
def test_what_keys_tell_and_what_is_so_of_fewer_takes_nobody_besides(
    condition: str, so: int, tmp_path: Path
) -> None:
    assert depths(LOTS, condition, tmp_path)[0] == so


def test_a_chain_that_bears_on_nothing_asked_leads_nowhere(tmp_path: Path) -> None:
    program = program_of(f"{HEAD}{FOLLOWS}", tmp_path)
    scope = scope_of(program, {"Guest": ("a",)}, {})
    assert chained(program, scope, frozenset({"next"})) == {"Guest": ENDLESS}
    assert chained(program, scope, frozenset({"depth", "deep"})) == {}


def test_where_one_leads_to_another_it_takes_all_that_there_may_be(tmp_path: Path) -> None:
    def lacks(text: str, guests: int) -> bool:
        program = program_of(f"{HEAD}{text}", tmp_path)
        ids = tuple(f"guest{number}" for number in range(guests))
        return lacking(program, scope_of(program, {"Guest": ids}, {}))

    assert lacks(FOLLOWS, 4)
    assert not lacks(FOLLOWS, 9)
    assert not lacks(SITS, 4)


def test_who_leads_to_whom_may_go_on(tmp_path: Path) -> None:
    def chains(text: str) -> dict[str, int]:
        program: Program = program_of(f"{HEAD}{text}", tmp_path)
        return dict(chained(program, scope_of(program, {"Guest": ("a",)}, {"Seat": (1, 2)})))

    assert chains(FOLLOWS) == {"Guest": ENDLESS}
    assert chains(SITS) == {}
    back = SITS.replace("state evening", "state evening\n  of: Seat -> Guest?")
    assert chains(back) == {"Guest": ENDLESS, "Seat": ENDLESS}
