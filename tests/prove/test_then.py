"""What is said of the state after an event, of the state before, is what the judge's own replay leads to."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from obligation_bench import program_of

from verifier.core.program import EVENT_PREFIX, Program
from verifier.model import terms as m
from verifier.model.terms import Term
from verifier.model.types import BOOL
from verifier.prove.extent import scopes
from verifier.prove.obligations.acts import Acts
from verifier.prove.obligations.then import Then, helps
from verifier.prove.random_states import random_arguments, random_state
from verifier.prove.symbolic import World
from verifier.run.bench import Happening
from verifier.run.judge import Judge
from verifier.run.machine import Machine
from verifier.run.undefined import Undefined

EVERYTHING = """
state evening
  calls: 0..99
  last: Guest?
  by: Guest -> bool
  moods: Item?
on call(g)
  calls = calls + 1 when calls < 99
  last = g
  new Item(last, hat) when last exists  # the one who was last before
  by[g] = yes when left > 2
on complain(g)
  last = absent
  for each i in Item where i.guest = g: i.lost = yes when i.worth > 5
on surrender(i)
  new Item(i.guest, hat)
  moods = i
define a_lost: bool = some i in Item: i.lost and not i.paid
define hats(g: Guest): bool = every i in Item where i.guest = g: i.article = hat or i.called_for
define called: bool = some g in Guest: call(g) has happened this evening and g in carded
define twice: bool = number of (complain(any) since open) >= 2 or number of (call(any) since new_roll) > 1
define last_one: bool = last exists and Item(last, hat) in Item and Item(last, hat).worth > 2
define stock: bool = left > 50 and calls < 3 or doors
define marked: bool = some g in Guest: by[g] and (moods does not exist or moods.here)
define at_least: bool = calls >= number of (i in Item where i.here)
define few: bool = number of (i in Item where i.article = hat) <= 2
define cheap: bool = sum(i.worth for i in Item where not i.lost) <= 9
define all_here: bool = every i in Item where i.article = hat: i.here
define one_kind: bool = some i in Item where i.article = hat: not i.lost
rule 6.1
  attendant must not book(any)
    when a_lost or called or twice or last_one or stock or marked or at_least or some g in Guest: hats(g)
rule 6.2
  attendant must not book(any) when few or cheap or all_here or one_kind
rule 6.3
  attendant must not ticket(any) when rule 6.1 has been broken this evening
"""

NAMES = (
    "a_lost",
    "called",
    "twice",
    "last_one",
    "stock",
    "marked",
    "at_least",
    "few",
    "cheap",
    "all_here",
    "one_kind",
)


def conditions(program: Program) -> list[Term]:
    found: list[Term] = [m.CallF(BOOL, name, ()) for name in NAMES]
    some = program.functions["hats"].params[0]
    found.append(
        m.Quant(
            BOOL, "some", "g", m.OverIds(some.type), None, m.CallF(BOOL, "hats", (m.Var(some.type, "g"),))
        )
    )
    found += [m.BrokenT(BOOL, i) for i, _ in enumerate(program.ruleset.breaches)]
    return found


def value(machine: Machine, term: Term, names: list[str], values: list[object]) -> object:
    try:
        return machine.closure(term, names)(list(values))
    except Undefined:
        return None


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return program_of(EVERYTHING, tmp_path_factory.mktemp("then"))


def test_random_events_in_random_states(program: Program) -> None:
    """Only what cannot be told is left out, and something is told of every condition."""
    world, rng, acts = World(program, scopes(program)[-1]), Random(1), Acts(program)
    machine = Machine(program, {})
    told: dict[str, int] = {}
    events = [name for name, event in program.ruleset.events.items() if not event.observed]
    afters = {name: [Then(acts, name).of(term) for term in conditions(program)] for name in events}
    for _ in range(400):
        state, name = random_state(world, rng), rng.choice(events)
        args = random_arguments(world, state, name, rng)
        names = [EVENT_PREFIX + p.name for p in program.ruleset.events[name].params]
        judge = Judge(program, {})
        judge.bench.state = state
        judged = judge.step(Happening(name, program.ruleset.events[name].by[0], args))
        if any(j.verdict in ("impossible", "broken") for j in judged):
            continue
        for index, (before, after) in enumerate(zip(conditions(program), afters[name], strict=True)):
            if after is None:
                continue
            machine.enter(state)
            expected = value(machine, after, names, list(args))
            machine.enter(judge.state)
            found = value(machine, before, [], [])
            if expected is not None:
                told[str(index)] = told.get(str(index), 0) + 1
                assert found == expected, (name, args, before)
    assert len(told) == len(conditions(program))


@pytest.mark.parametrize(
    ("event", "condition", "wanted", "says"),
    [
        ("open", "stock", True, True),
        ("close", "called", False, True),
        ("ticket", "a_lost", False, False),
        ("pay_fee", "a_lost", False, True),
        ("deposit", "a_lost", False, False),
        ("surrender", "stock", True, False),
        ("call", "called", True, True),
        ("call", "twice", True, True),
        ("open", "twice", False, True),
    ],
)
def test_what_may_help(program: Program, event: str, condition: str, wanted: bool, says: bool) -> None:
    helping = list(helps(Then(Acts(program), event), m.CallF(BOOL, condition, ()), wanted))
    assert bool(helping) is says


def test_a_list_that_grows_is_not_told_of(tmp_path: Path) -> None:
    text = "define full: bool = some h in Hook: h has 4 articles\nrule 6.1\n  guest must not complain(any) when full\n"
    program = program_of(text, tmp_path)
    then = Then(Acts(program), "deposit")
    full = m.CallF(BOOL, "full", ())
    assert then.of(full) is None
    (helping,) = helps(then, full, False)
    assert isinstance(helping, m.Quant)
    assert helping.body == m.Lit(BOOL, True)
