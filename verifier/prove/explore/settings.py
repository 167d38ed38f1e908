"""Options to play under: every one stated, all together meeting every requirement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, product
from math import prod
from random import Random

from verifier.core.program import Program
from verifier.model import types as ty
from verifier.model.declare import default_of
from verifier.model.ruleset import Option
from verifier.prove.scope import Scope, literals
from verifier.run.machine import Machine
from verifier.run.operators import Closure
from verifier.run.state import first_state
from verifier.run.undefined import Undefined

AMOUNTS = (0, 100, 1000, 100_000, 1)
"""Amounts of money (minor units) that an option is tried with, beside the numbers that the ruleset names."""

MOST_DRAWN = 400
"""So many combinations are drawn before options are taken to have none more that meet their requirements."""

MOST_LISTED = 4096
"""Options of more combinations than this are never listed all."""

Options = dict[str, object]


class Required:
    """Tells whether options, every one stated, meet all that a program requires of them."""

    def __init__(self, program: Program) -> None:
        self.machine = Machine(program, {})
        self.machine.enter(first_state(program.ruleset))
        self.conditions: tuple[Closure, ...] = tuple(
            self.machine.closure(requirement.condition, ()) for requirement in program.ruleset.requirements
        )

    def __call__(self, options: Options) -> bool:
        """Whether they do; what is undefined does not."""
        self.machine.options = options
        self.machine.enter(self.machine.state)
        try:
            return all(holds([]) for holds in self.conditions)
        except Undefined:
            return False


class Settings:
    """Draws options of a program within a scope; every drawing differs from those before while there are others.

    Those `given` stay as they are.
    """

    def __init__(
        self, program: Program, scope: Scope, rng: Random, given: Mapping[str, object] | None = None
    ) -> None:
        self.program = program
        self.rng = rng
        self.given = given or {}
        self.meets = Required(program)
        numbers = tuple(n for n in literals(program) if n >= 0)
        self.values: Mapping[str, tuple[object, ...]] = {
            name: (self.given[name],) if name in self.given else _values(option, scope, numbers)
            for name, option in program.ruleset.options.items()
        }
        self.ends = all(_listed(option, scope) for option in program.ruleset.options.values())

    def every(self) -> list[Options] | None:
        """All options that there can be within the scope; None where there is no end of them, or too many."""
        if not self.ends or prod(len(v) for v in self.values.values()) > MOST_LISTED:
            return None
        return [options for options in self._listed() if self.meets(options)]

    def _listed(self) -> Iterator[Options]:
        for chosen in product(*self.values.values()):
            yield dict(zip(self.values, chosen, strict=True))

    def draw(self, number: int) -> list[Options]:
        """At most so many different options: the clauses' own values first, then lowest and highest, then any."""
        found: list[Options] = []
        first = (
            {
                name: self.values[name][0] if option.default is None or name in self.given else option.default
                for name, option in self.program.ruleset.options.items()
            },
            {name: values[0] for name, values in self.values.items()},
            {name: values[-1] for name, values in self.values.items()},
        )
        drawn = 0
        while len(found) < number and drawn < MOST_DRAWN:
            options = (
                first[drawn]
                if drawn < len(first)
                else {name: self.rng.choice(values) for name, values in self.values.items()}
            )
            drawn += 1
            if options not in found and self.meets(options):
                found.append(options)
        return found


def _listed(option: Option, scope: Scope) -> bool:
    return (
        bool(scope.narrowed.get(option.name))
        or option.values is not None
        or ty.finite_values(option.type) is not None
    )


def _values(option: Option, scope: Scope, numbers: tuple[int, ...]) -> tuple[object, ...]:
    given = scope.narrowed.get(option.name) or option.values
    if given:
        return tuple(given)
    listed = ty.finite_values(option.type)
    if listed is not None:
        return tuple(listed)
    match option.type:
        case ty.MoneyT():
            return tuple(dict.fromkeys((*AMOUNTS, *(n for n in numbers if n > 100))))
        case ty.IntT(low=low, high=high):
            named = ((n, n + 1) for n in numbers)
            some = dict.fromkeys((*(n for n in (low, high) if n is not None), *AMOUNTS, *chain(*named)))
            return tuple(n for n in some if (low is None or n >= low) and (high is None or n <= high))
        case ty.OddsT():
            return (0, 1, 2)
        case other:
            return (default_of(other),)
