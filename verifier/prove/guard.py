"""What makes an event lawful, taken up part by part: most of it never matters to the question at hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from verifier.core.lawful import Part, parts
from verifier.core.program import EVENT_PREFIX, Program
from verifier.model import terms as m
from verifier.model.terms import Term, children
from verifier.prove.encode import Encoder
from verifier.prove.freed import freed
from verifier.prove.scope import reads_after
from verifier.prove.shapes import model_leaf
from verifier.prove.transitions import System, Transition, marked
from verifier.prove.values import Truth, and_
from verifier.run.apply import apply, compile_mechanics
from verifier.run.machine import Machine
from verifier.run.operators import Closure
from verifier.run.state import State
from verifier.run.undefined import Undefined

DEAR = 1_000_000
"""What a term counts for that calls itself (with another constant)."""


class Sizes:
    """How much there is to a term, with all that it calls."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._known: dict[str, int] = {}

    def of(self, term: Term) -> int:
        """How many terms it comes to."""
        total = 1
        match term:
            case m.CallF(function=name):
                total += self._body(f"call {name}", [self.program.functions[name].body])
            case m.Decide(decision=name):
                cases = self.program.decisions[name].cases
                bodies = [self.program.functions[case.applies].body for case in cases]
                total += self._body(f"decide {name}", bodies)
            case _:
                pass
        return total + sum(map(self.of, children(term)))

    def _body(self, name: str, bodies: list[Term]) -> int:
        if name not in self._known:
            self._known[name] = DEAR
            self._known[name] = sum(map(self.of, bodies))
        return self._known[name]


@dataclass(slots=True)
class Guard:
    """A transition's lawfulness. The parts that a model does not meet are found by the interpreter, cheap ones first,
    and only those are encoded.

    What only the size of the scope settles binds nothing (`verifier.prove.freed`), unless it is `exact`: then the scope
    is taken for all there is.
    """

    made: System
    transition: Transition
    machine: Machine
    sizes: Sizes
    exact: bool = False
    parts: list[Part] = field(init=False)
    _closures: list[Closure] = field(init=False)
    _encoded: dict[int, Truth] = field(default_factory=dict)
    _after: Encoder | None = None

    def __post_init__(self) -> None:
        event, actor = self.transition.event, self.transition.actor
        found: tuple[Part, ...] = ()
        if event is not None and self.exact:
            found = parts(self.made.program, event, actor)
        elif event is not None:
            found = freed(self.made.program, self.made.world.scope, event, actor)
        self.parts = sorted(found, key=lambda part: self.sizes.of(part[2]))
        names = [] if event is None else [p.name for p in self.made.program.ruleset.events[event].params]
        self._closures = [
            self.machine.closure(term, [EVENT_PREFIX + name for name in names]) for _, _, term in self.parts
        ]

    def unmet(self, model: Any) -> int | None:
        """A part that the model does not meet, by its number; None where it meets all.

        Raises `CannotApply` where the interpreter cannot apply the event that the model has.
        """
        if not self.parts or self.transition.event is None:
            return None
        state, options, values = happening(self.made, self.transition, model)
        frame = list(values.values())
        machine = self.machine
        machine.options = options
        machine.enter(state)
        after = apply(machine, compile_mechanics(machine, self.transition.event), tuple(frame))
        machine.enter(state, after)
        for i, closure in enumerate(self._closures):
            try:
                met = bool(closure(list(frame)))
            except Undefined:
                met = False
            if not met:
                return i
        return None

    def condition(self, index: int) -> Truth:
        """A part, encoded."""
        if index not in self._encoded:
            _, _, term = self.parts[index]
            encode = self.made.encoder
            if reads_after(self.made.program, term):
                if self._after is None:
                    kind = type(self.made.encoder)
                    self._after = kind(self.made.state, self.made.options, self.transition.after)
                encode = self._after
            found = encode.encode(term, marked(self.made.world, self.transition))
            self._encoded[index] = and_(found.defined, found.value)
        return self._encoded[index]


def happening(
    made: System, transition: Transition, model: Any
) -> tuple[State, dict[str, object], dict[str, object]]:
    """The state before, the options and the arguments (by name) of a Z3 model."""
    leaf = model_leaf(model)
    shapes = made.world.shapes
    params = () if transition.event is None else made.program.ruleset.events[transition.event].params
    values = {p.name: shapes.concrete(p.type, a, leaf) for p, a in zip(params, transition.args, strict=True)}
    return made.state.concretize(model), made.options.concretize(model), values
