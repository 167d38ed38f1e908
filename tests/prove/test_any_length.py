"""Questions of lists of any length: answered as if every list had been looked at, and never otherwise than it is."""

from __future__ import annotations

import random
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from obligation_bench import asked, program_of

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model.ruleset import Param
from verifier.model.types import BOOL
from verifier.prove.abstract import BUT_LISTS, EVERYWHERE, Outline
from verifier.prove.desk import Desk
from verifier.prove.everywhere import MANY_COUNTED, typed
from verifier.prove.extent import scopes
from verifier.prove.obligations import theorems
from verifier.prove.question import Never, Question, Sometimes, Unknown
from verifier.prove.smtlib import Assumed
from verifier.prove.solve import Settings, solve
from verifier.prove.typed import Typed
from verifier.prove.values import CannotEncodeError
from verifier.run.machine import Machine
from verifier.run.state import EXISTS, first_state

SETTINGS = Settings(solvers=("z3",))

LOT = """
record Put(v: 1..3, w: 0..1)
entity Lot(no: 1..1) in evening
  things: list of Put max {longest}
"""

LONGEST = 4
LISTS = [
    list_
    for length in range(LONGEST + 1)
    for list_ in product(list(product(range(1, 4), range(2))), repeat=length)
]


class Maker:
    """Random conditions of a lot's list, in the rule language."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def condition(self, depth: int = 2) -> str:
        one = self.rng.randrange(8 if depth else 6)
        match one:
            case 0 | 1:
                return f"{self.number()} {self.op()} {self.number()}"
            case 2:
                return f"{self.number()} {self.op()} {self.rng.randrange(8)}"
            case 3:
                kind = self.rng.choice(("some", "every", "none"))
                return f"({kind} x in l.things: {self.of('x')})"
            case 4:
                which = self.which()
                return f"({which} exists and {which}.v {self.op()} {self.rng.randint(1, 3)})"
            case 5:
                kind = self.rng.choice(("some", "every"))
                return f"({kind} x in l.things: x {self.rng.choice(('=', '!='))} {self.which()})"
            case _:
                joined = self.rng.choice((" and ", " or "))
                return f"({self.condition(depth - 1)}{joined}{self.condition(depth - 1)})"

    def number(self) -> str:
        return self.rng.choice(
            (
                "(number of (x in l.things))",
                f"(number of (x in l.things where {self.of('x')}))",
                f"(sum (x.v for x in l.things where {self.of('x')}))",
                "(sum (x.v for x in l.things))",
                f"(sum (x.v for x in l.things where x != {self.which()}))",
                f"(sum ((if x = {self.which()} then 5 else x.v) for x in l.things))",
            )
        )

    def which(self) -> str:
        return f"the {self.rng.choice(('first', 'last'))} (y in l.things where {self.of('y')})"

    def of(self, x: str) -> str:
        return self.rng.choice(
            (
                f"{x}.v {self.op()} {self.rng.randint(1, 3)}",
                f"{x}.w = {self.rng.randrange(2)}",
                f"{x}.v > {x}.w + 1",
            )
        )

    def op(self) -> str:
        return self.rng.choice(("=", "!=", "<", ">", "<=", ">="))


@cache
def questions(seed: int, number: int) -> str:
    maker = Maker(seed)
    return "".join(f"define q{i}(l: Lot): bool = {maker.condition()}\n" for i in range(number))


def of_lot(program: Program, name: str) -> Question:
    lot = Param("l", program.ruleset.entities["Lot"].type)
    return Question((lot,), m.CallF(BOOL, name, (m.Var(lot.type, "l"),)))


def possible(program: Program, name: str) -> bool:
    """Whether the condition is true of some list, each looked at by the interpreter."""
    machine = Machine(program, {})
    for list_ in LISTS:
        state = first_state(program.ruleset)
        state.entities["Lot"][(1,)] = {EXISTS: True, "things": list_}
        machine.enter(state)
        if machine.function(name, ((1,),)) is True:
            return True
    return False


def outlined(program: Program, name: str) -> str:
    """What lists of which only is known how many there are of each sort say of the condition."""
    typed = Typed(program, scopes(program)[0], SETTINGS)
    options = typed.assumed()
    assert isinstance(options, Assumed)
    outline = Outline(typed.state, typed.options, "counted")
    try:
        conditions = outline.conditions(of_lot(program, name))
    except CannotEncodeError:
        return "cannot"
    assert conditions is not None
    return solve(conditions, SETTINGS, "x", "", options, outline.writer, confirm=False).status


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "reading", ["", "define third(l: Lot): bool = l has 1 thing or more and l.things[1].v = 3\n"]
)
def test_lists_of_any_length_answer_as_all_lists_looked_at_do(
    tmp_path: Path, seed: int, reading: str
) -> None:
    number = 25
    program = program_of(LOT.format(longest=LONGEST) + reading + questions(seed, number), tmp_path)
    said = {f"q{i}": outlined(program, f"q{i}") for i in range(number)}
    told = {name: answer for name, answer in said.items() if answer != "cannot"}
    assert told == {name: "sat" if possible(program, name) else "unsat" for name in told}
    assert set(told.values()) == {"sat", "unsat"}
    assert len(told) >= number - 3


@pytest.mark.parametrize("seed", range(2))
def test_what_is_asked_as_likely_comes_out_the_same(tmp_path: Path, seed: int) -> None:
    """It is told by short lists first: with these it can be or cannot, as with any."""
    number = 25
    program = program_of(LOT.format(longest=LONGEST) + questions(seed, number), tmp_path)
    told = {}
    for likely in (False, True):
        typed = Typed(program, scopes(program)[0], SETTINGS)
        told[likely] = [typed.anywhere(of_lot(program, f"q{i}"), likely) for i in range(number)]
    assert told[False] == told[True]
    assert None in told[True]
    assert any(told[True])


HEAVY = """
record Put(v: {least}..{most})
entity Lot(no: 1..1) in evening
  things: list of Put max {longest}
event lay(v: {least}..{most}) by guest
on lay(a)
  new Lot(1)
  Lot(1).things gains Put(a)
define n(l: Lot): 0..{longest} = number of (x in l.things)
define s(l: Lot): 0..999999 = sum (x.v for x in l.things)
theorem worth "A lot is worth more than it has things, once it is worth more than 11"
  for all l: Lot: n(l) <= s(l) and (s(l) <= 11 or n(l) < s(l))
theorem sound "A lot is worth what its things are, one by one"
  for all l: Lot: n(l) * {least} <= s(l) and s(l) <= n(l) * {most}
"""


@pytest.mark.parametrize(
    ("least", "most", "longest", "worth"),
    [
        (1, 5, 20, Sometimes),  # so many sorts are counted, and it takes twelve of one
        (1, 500, 20, Sometimes),  # there are too many sorts: each of twenty is looked at
        (1, 500, 100, Unknown),  # neither can be done
        (2, 5, 20, Never),
        (2, 500, 20, Never),
        (2, 500, 100, Unknown),
    ],
)
def test_what_is_never_so_of_short_lists_is_not_proved_of_longer_ones(
    tmp_path: Path, least: int, most: int, longest: int, worth: type
) -> None:
    program = program_of(HEAVY.format(least=least, most=most, longest=longest), tmp_path)
    desk = Desk(program, SETTINGS)
    obligations = asked(theorems.obligations, program)
    found = typed(desk, obligations["theorem worth"])
    assert isinstance(found, worth)
    sound = typed(desk, obligations["theorem sound"])
    if worth is Unknown:
        assert isinstance(found, Unknown)
        assert isinstance(sound, Unknown)
        assert found.why == sound.why == MANY_COUNTED
    else:
        assert isinstance(sound, Never)
        assert sound.scope == EVERYWHERE


def test_a_scope_of_short_lists_says_that_its_lists_are_short(tmp_path: Path) -> None:
    text = (
        HEAVY.format(least=1, most=500, longest=100)
        + "define some_are(l: Lot): bool = n(l) > 0 and s(l) < n(l)\n"
    )
    program = program_of(text, tmp_path)
    answer = Typed(program, scopes(program)[0], SETTINGS).ask(of_lot(program, "some_are"))
    assert isinstance(answer, Never)
    assert answer.scope == f"{BUT_LISTS}, at most 3 Hook.articles, at most 3 Lot.things"
