"""What the duties, prohibitions and permissions of two rulesets say, over the common inputs of both."""

from __future__ import annotations

from collections.abc import Sequence

from verifier.core.program import EVENT_PREFIX, ActMatch, Duty, EventNorm, Program
from verifier.diff.acts import when_of
from verifier.diff.fold import NO, Folder
from verifier.diff.merge import Merger
from verifier.diff.unify import Which
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.rewrite import substitute
from verifier.model.ruleset import Norm, Param
from verifier.model.terms import Term, subterms
from verifier.model.types import BOOL


class Binding:
    """The norms of two programs by the unit that states them; whom they bind, to which acts, when, and by when."""

    def __init__(self, merger: Merger) -> None:
        self.merger = merger
        self.by_unit: dict[Which, dict[str, list[EventNorm | Duty]]] = {
            which: _by_unit(program) for which, program in merger.programs.items()
        }

    def event(self, which: Which, name: str) -> str:
        """What an event of a side is called in common."""
        return self.merger.common.side(which).events[name]

    def force(self, which: Which, norm: EventNorm | Duty) -> str:
        """`must`, `must not` or `may`."""
        unit = self.merger.programs[which].ruleset.units[norm.unit]
        assert isinstance(unit, Norm)
        return unit.force

    def has(self, which: Which, role: str, other: Which) -> bool:
        """Whether the other side has an actor of one side, by whatever name."""
        common = self.merger.common
        actors = common.side(other).roles(self.merger.programs[other].ruleset.actors)
        return bool(common.side(which).roles([role]) & actors)

    def acts(self, which: Which, norm: EventNorm | Duty) -> set[str]:
        """The common events that a norm is on."""
        acts = [norm.event] if isinstance(norm, EventNorm) else [act.event for act in norm.acts]
        return {self.event(which, event) for event in acts}

    def of(self, which: Which, force: str, events: set[str]) -> list[EventNorm | Duty]:
        """The norms of a side that have the force, on some of the events."""
        return [
            norm
            for norms in self.by_unit[which].values()
            for norm in norms
            if self.force(which, norm) == force and events & self.acts(which, norm)
        ]

    def meet(self, which: Which, one: EventNorm, of: Which, other: EventNorm) -> bool:
        """Whether the heads of two norms on one act can both match, by the values of enumerations that each names."""
        heads = self.head(which, one), self.head(of, other)
        for param in self.merger.common.events[self.event(which, one.event)].params:
            values = ty.finite_values(param.type) if isinstance(param.type, ty.EnumT) else None
            if values is not None and not any(
                all(_may_be(self.merger.programs[which], head, param, value) for head in heads)
                for value in values
            ):
                return False
        return True

    def head(self, which: Which, norm: EventNorm) -> Term:
        """When a norm governs an act, over the parameters of the common event."""
        params = self.merger.common.events[self.event(which, norm.event)].params
        own = self.merger.programs[which].ruleset.events[norm.event].params
        by = {EVENT_PREFIX + a.name: m.Var(b.type, b.name) for a, b in zip(own, params, strict=True)}
        return self.merger.term(which, substitute(norm.head, dict(by)))

    def when(self, which: Which, norm: EventNorm | Duty) -> tuple[Term, tuple[Param, ...]]:
        """When a norm binds, over common inputs, and the variables of that."""
        side = self.merger.common.side(which)
        program = self.merger.programs[which]
        function = when_of(program, norm)
        body = function.body
        if isinstance(norm, EventNorm) and norm.head != m.Lit(BOOL, True):
            body = m.AndT(BOOL, (norm.head, body))
        names = {p.name: m.Var(p.type, p.name.removeprefix(EVENT_PREFIX)) for p in function.params}
        term = self.merger.term(which, substitute(body, dict(names)))
        params = tuple(Param(p.name.removeprefix(EVENT_PREFIX), side.type(p.type)) for p in function.params)
        if isinstance(norm, EventNorm):
            common = self.merger.common.events[self.event(which, norm.event)].params
            params = tuple(Param(p.name, c.type) for p, c in zip(params, common, strict=True))
            term = substitute(term, {p.name: m.Var(p.type, p.name) for p in params})
        return term, params

    def as_of(self, params: Sequence[Param], which: Which, norm: EventNorm | Duty) -> Term:
        """When a norm binds, over the parameters of another on the same act, or of another duty."""
        term, own = self.when(which, norm)
        by = {b.name: m.Var(a.type, a.name) for a, b in zip(params, own, strict=True)}
        return substitute(term, dict(by))

    def governs_as(self, params: Sequence[Param], which: Which, norm: EventNorm) -> Term:
        """When a norm governs an act, over the parameters of another on the same act."""
        own = self.merger.common.events[self.event(which, norm.event)].params
        by = {b.name: m.Var(a.type, a.name) for a, b in zip(params, own, strict=True)}
        return substitute(self.head(which, norm), dict(by))

    def done(self, which: Which, norm: Norm) -> object:
        """The acts that a statement binds to; of a duty, also which of their kind perform it."""
        duty = next((d for d in self.by_unit[which].get(norm.id, []) if isinstance(d, Duty)), None)
        if duty is None:
            return frozenset(self.event(which, act.event) for act in norm.acts)
        return self._matching(which, duty.acts, duty.variables)

    def deadline(self, which: Which, norm: Norm) -> object:
        """By when a duty is to be done; None where no time is set."""
        if norm.deadline is None:
            return None
        duty = next((d for d in self.by_unit[which].get(norm.id, []) if isinstance(d, Duty)), None)
        if duty is None:
            return None
        return duty.kind, duty.life, self._matching(which, duty.deadline_acts, duty.variables)

    def _matching(self, which: Which, acts: Sequence[ActMatch], variables: tuple[Param, ...]) -> object:
        return frozenset(
            (self.event(which, a.event), self._shape(which, a.event, a.matches, variables)) for a in acts
        )

    def _shape(self, which: Which, event: str, term: Term, variables: tuple[Param, ...]) -> Term:
        """A condition on an event, whatever its parameters and the rule's variables are called."""
        by = {v.name: m.Var(v.type, f"v{i}") for i, v in enumerate(variables)}
        common = self.merger.common.events[self.event(which, event)].params
        for i, p in enumerate(self.merger.programs[which].ruleset.events[event].params):
            by[EVENT_PREFIX + p.name] = m.Var(common[i].type, f"e{i}")
        return self.merger.term(which, substitute(term, dict(by)))


def _may_be(program: Program, head: Term, param: Param, value: object) -> bool:
    """Whether a head can match where a parameter has a value, as far as its conditions on that alone say."""
    for item in head.items if isinstance(head, m.AndT) else (head,):
        told = all(
            isinstance(t, m.CompareT | m.OrT | m.AndT | m.NotT | m.Var | m.Lit) for t in subterms(item)
        )
        if told and m.free_variables(item) == {param.name}:
            here = substitute(item, {param.name: m.Lit(param.type, value)})
            if Folder(program, {}).fold(here) == NO:
                return False
    return True


def _by_unit(program: Program) -> dict[str, list[EventNorm | Duty]]:
    found: dict[str, list[EventNorm | Duty]] = {}
    for table in (program.prohibitions, program.permissions):
        for norms in table.values():
            for norm in norms:
                found.setdefault(norm.unit, []).append(norm)
    for duty in program.duties:
        found.setdefault(duty.unit, []).append(duty)
    return found
