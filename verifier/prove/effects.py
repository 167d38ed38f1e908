"""Whether what events may do is done somewhere within a scope: an induction over steps that change nothing shows
nothing of those that do."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, assert_never

import z3

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.ruleset import Append, Each, FieldTarget, New, StateTarget, Update, Write
from verifier.model.terms import Term
from verifier.model.types import BOOL
from verifier.prove.conjectures import Named
from verifier.prove.guard import happening
from verifier.prove.scope import Scope
from verifier.prove.solve import Settings
from verifier.prove.transitions import Transition, system, transitions, written_by
from verifier.prove.unmade import unmade
from verifier.prove.values import CannotEncodeError, Truth, and_
from verifier.run.apply import CannotApply, apply, compile_mechanics
from verifier.run.machine import Machine
from verifier.run.undefined import Undefined

PATIENT = 20_000_000
"""What Z3 may spend, in its own units, on one update."""

THERE = "what is there"
"""A variable that no rule can name."""


class Effects:
    """The steps that an induction within a scope looks at: from states in which all that is `holding` holds, lawful or
    not.

    Whether a play leads to such a state is not asked: an induction speaks of all of them. Each that a solver finds is
    looked at by the interpreter; where nobody can tell, an update takes no effect.
    """

    def __init__(self, program: Program, scope: Scope, holding: Sequence[Named], settings: Settings) -> None:
        self.made = unmade(system(program, scope, "words"), settings)
        self.machine = Machine(program, {})
        self.holding = [self.machine.closure(named.term, ()) for named in holding]
        self.solver = z3.SolverFor("QF_LIA")
        self.solver.set("random_seed", 0)
        self.solver.set("rlimit", PATIENT)
        self.solver.add(*self.made.always)
        self._known: dict[tuple[str, int | None], bool] = {}
        for named in holding:
            self._suppose(named.term, {})

    def all_seen(self, events: Collection[str], read: frozenset[str]) -> bool:
        """Whether each update of `events` that writes what is `read` changes it in some step; of an event that has no
        such update, whether there is a step."""
        wanted = [each for name in events for each in self._updates(name, read)]
        if any(self._known.get(each) is False for each in wanted):
            return False
        names = {name for name, number in wanted if (name, number) not in self._known}
        moves = {move.event: move for move in transitions(self.made, names)} if names else {}
        for name, number in wanted:
            if (name, number) not in self._known:
                move = moves.get(name)
                self._known[name, number] = move is not None and self._seen(move, number)
            if not self._known[name, number]:
                return False
        return True

    def _updates(self, name: str, read: frozenset[str]) -> list[tuple[str, int | None]]:
        """The updates of an event that write what is read, by their numbers; None where there are none."""
        updates = self.made.program.ruleset.mechanics.get(name, ())
        numbers = [i for i, update in enumerate(updates) if read.intersection(written_by(update))]
        return [(name, number) for number in numbers or (None,)]

    def _suppose(self, term: Term, variables: dict[str, Any]) -> None:
        found = self.made.encoder.encode(term, variables)
        holds: Truth = and_(found.defined, found.value)
        self.solver.add(z3.BoolVal(holds) if isinstance(holds, bool) else holds)

    def _seen(self, move: Transition, number: int | None) -> bool:
        """Whether some step of a kind of event makes an update that changes something."""
        assert move.event is not None
        ruleset = self.made.program.ruleset
        names = [param.name for param in ruleset.events[move.event].params]
        term: Term = m.Lit(BOOL, True)
        if number is not None:
            term = _changes(self.made.program, ruleset.mechanics[move.event][number])
        self.solver.push()
        try:
            self.solver.add(*move.conditions)
            self._suppose(term, dict(zip(names, move.args, strict=True)))
            return self.solver.check() == z3.sat and self._so(move, names, term)
        except CannotEncodeError:
            return False
        finally:
            self.solver.pop()

    def _so(self, move: Transition, names: list[str], term: Term) -> bool:
        """Whether the interpreter says the same of the step found."""
        assert move.event is not None
        state, options, values = happening(self.made, move, self.solver.model())
        machine, frame = self.machine, [values[name] for name in names]
        machine.options = options
        machine.enter(state)
        try:
            if not all(holds([]) for holds in self.holding) or not machine.closure(term, names)(list(frame)):
                return False
            apply(machine, compile_mechanics(machine, move.event), tuple(frame))
        except (Undefined, CannotApply):
            return False
        return True


def _changes(program: Program, update: Update) -> Term:
    """That an update changes something: that it is made, and what it writes was not there."""
    match update:
        case Each(var=var, domain=domain, where=where, update=inner):
            return m.Quant(BOOL, "some", var, domain, where, _changes(program, inner))
        case New(of=of, when=when):
            return _all(when, m.NotT(BOOL, _exists(of)))
        case Append(when=when):
            return _all(when)
        case Write(target=target, value=value, when=when):
            return _all(when, _differ(_at(program, target), value))
        case _:
            assert_never(update)


def _exists(of: Term) -> Term:
    ref = m.Force(of.type.of, of) if isinstance(of.type, ty.OptT) else of
    assert isinstance(ref.type, ty.EntityT)
    same = m.CompareT(BOOL, "=", m.Var(ref.type, THERE), ref)
    return m.Quant(BOOL, "some", THERE, m.OverEntity(ref.type, ref.type.name), None, same)


def _all(*conditions: Term | None) -> Term:
    items = tuple(condition for condition in conditions if condition is not None)
    return m.AndT(BOOL, items) if items else m.Lit(BOOL, True)


def _at(program: Program, target: FieldTarget | StateTarget) -> Term:
    """What stands where an update writes, before it does."""
    match target:
        case FieldTarget(entity=entity, name=name, of=of):
            (type_,) = (field.type for field in program.ruleset.entities[entity].fields if field.name == name)
            return m.Field(type_, entity, name, of)
        case StateTarget(name=name, key=key):
            declared = program.ruleset.state[name].type
            match declared:
                case ty.MapT(of=type_):
                    return m.Get(type_, name, key)
                case ty.SetT():
                    return m.Get(BOOL, name, key)
                case _:
                    return m.Get(declared, name, key)
        case _:
            assert_never(target)


def _differ(one: Term, other: Term) -> Term:
    """That two values are not the same. Nothing equals what is absent, so two that are absent are told apart here."""
    unequal = m.NotT(BOOL, m.CompareT(BOOL, "=", one, other))
    optional = [term for term in (one, other) if isinstance(term.type, ty.OptT)]
    if len(optional) < 2:
        return unequal
    return m.AndT(BOOL, (unequal, m.OrT(BOOL, tuple(m.Present(BOOL, term) for term in optional))))
