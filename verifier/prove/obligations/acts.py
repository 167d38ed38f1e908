"""What can be done in a state, as conditions on it: acts that break nothing, and what bears on what.

`lawful` (`verifier.core.lawful`) says where an event breaks nothing. Here it is asked of events that are not at hand,
so what it says of the state that the event leaves (`after`) is said of the state before wherever the event's own
mechanics do not touch what is read; where they do it is left out, and the act taken for lawful. It is left out, too,
that the event must be one that can be applied, but for its `needs`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from verifier.core.lawful import parts
from verifier.core.lower import domain_of, event_variable
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.rewrite import map_children, substitute
from verifier.model.ruleset import Event, Param
from verifier.model.terms import Term, children, free_variables
from verifier.model.types import BOOL, Type
from verifier.prove.explore.pieces import called, conjuncts, equations
from verifier.prove.obligations.amounts import Sure, met, within
from verifier.prove.obligations.units import TRUE, either
from verifier.prove.transitions import Reads, written
from verifier.run.apply import written_by

MOST_VALUES = 40
"""What has more values than this is not gone through one by one."""


@dataclass(slots=True)
class Acts:
    """The acts of one program, taken apart as they are asked for."""

    program: Program
    reads: Reads = field(init=False)
    _parts: dict[tuple[str, str, str | None], tuple[Term | None, ...]] = field(default_factory=dict)
    _after: dict[str, bool] = field(default_factory=dict)
    _params: dict[str, frozenset[int]] = field(default_factory=dict)
    # By identity, and kept as long: what is put in the place of a call stands in many, and is one object in all.
    _made_plain: dict[int, tuple[Term, Term]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.reads = Reads(self.program)

    # --------------------------------------------------------------------------------------- what is lawful
    def somebody_can(
        self, event: str, besides: Term = TRUE, without: str | None = None, sure: Sure = "as told"
    ) -> Term:
        """That somebody can do such an event lawfully and with `besides`, of its parameters.

        The event need not be at hand. `without` is a duty that is left out of account.
        """
        declared = self.program.ruleset.events[event]
        by = {p.name: event_variable(p) for p in declared.params}
        needs = [substitute(need, by) for need in declared.needs]
        roles = declared.by or ("",)
        if sure == "surely":
            roles = tuple(role for role in roles if not self._left_out(event, role, without))
        ways = ([besides, *needs, *self.parts(event, role, without)] for role in roles)
        return either(*(self.some(event_params(declared), way, sure) for way in ways))

    def some(self, variables: Iterable[Param], conditions: Iterable[Term], sure: Sure = "as told") -> Term:
        """That all conditions hold for some values of the variables.

        What has more than `MOST_VALUES` values (an amount, a card) is not gone through: where one condition says what
        it is, it is that in the others; an amount is looked at where the conditions turn
        (`verifier.prove.obligations.amounts`); of what is left, each part of a condition is supposed to be as it helps,
        or as it hinders. Of things that may be many only those that there are can surely be meant.
        """
        bound: list[tuple[Param, m.Domain]] = []
        open_: dict[str, Param] = {}
        for variable in variables:
            over = domain(variable.type)
            if over is None and sure == "surely":
                over = domain_of(variable.type)
            if over is None:
                open_[variable.name] = variable
            else:
                bound.append((variable, over))
        items = [self._plain(item) for condition in conditions for item in conjuncts(condition)]
        if sure == "surely":  # what an equation says it is may be no value of its type
            read = frozenset[str]().union(*map(free_variables, items))
            for variable in open_.values():
                if variable.name in read:
                    items += within(m.Var(variable.type, variable.name), whole=True)
        for name in sorted(open_):
            items = _solved(items, name, set(open_))
        body = met(self.program, open_.values(), items, sure)
        for variable, over in reversed(bound):
            if variable.name in free_variables(body):
                body = m.Quant(BOOL, "some", variable.name, over, None, body)
        return body

    def _plain(self, term: Term) -> Term:
        """A term whose calls name no variable that the function does not read."""
        if id(term) not in self._made_plain:
            found = map_children(term, self._plain)
            if isinstance(found, m.CallF):
                read = self._read_by(found.function)
                args = tuple(
                    m.Lit(arg.type, None) if isinstance(arg, m.Var) and i not in read else arg
                    for i, arg in enumerate(found.args)
                )
                found = replace(found, args=args)
            self._made_plain[id(term)] = term, found
        return self._made_plain[id(term)][1]

    def _read_by(self, name: str) -> frozenset[int]:
        """The parameters that a function reads, by position."""
        if name not in self._params:
            function = self.program.functions[name]
            free = free_variables(self._plain(function.body))
            self._params[name] = frozenset(i for i, p in enumerate(function.params) if p.name in free)
        return self._params[name]

    def parts(self, event: str, role: str, without: str | None = None) -> tuple[Term, ...]:
        """What makes an event by that role lawful, part by part, as far as the state before it tells."""
        return tuple(part for part in self._told(event, role, without) if part is not None)

    def _left_out(self, event: str, role: str, without: str | None) -> bool:
        """Whether there is a part that the state before does not tell."""
        return None in self._told(event, role, without)

    def _told(self, event: str, role: str, without: str | None) -> tuple[Term | None, ...]:
        key = (event, role, without)
        if key not in self._parts:
            program = self.program
            if without is not None:
                program = replace(
                    program,
                    duties=tuple(d for d in program.duties if d.unit != without),
                    endings={
                        e: tuple(n for n in ns if n.unit != without) for e, ns in program.endings.items()
                    },
                )
            touched = self.touched(event)
            self._parts[key] = tuple(
                self._before(part, touched) for _, _, part in parts(program, event, role)
            )
        return self._parts[key]

    # ------------------------------------------------------------------------------------------ before, after
    def touched(self, event: str) -> frozenset[str]:
        """What an event's own mechanics change, by the names that `Reads` uses; history and the ends of lives apart."""
        ruleset = self.program.ruleset
        found = {name for update in ruleset.mechanics.get(event, ()) for name in written_by(update)}
        found.update(f"ids {kind}" for p in ruleset.events[event].params for kind in _ids(p.type))
        return frozenset(found)

    def _before(self, term: Term, touched: frozenset[str]) -> Term | None:
        """A condition on the state that the event leaves as one on the state before it; None where it differs."""
        if not self._says_after(term):
            return term
        match term:
            case m.AfterT(of=of):
                return None if self.reads.of(of) & touched else of
            case m.CallF():
                return self._before(called(self.program, term), touched)
            case _:
                told = [self._before(child, touched) for child in children(term)]
                if None in told:
                    return None
                return map_children(term, lambda child: self._before(child, touched) or child)

    def _says_after(self, term: Term) -> bool:
        match term:
            case m.AfterT():
                return True
            case m.CallF(function=name):
                if name not in self._after:
                    self._after[name] = False
                    self._after[name] = self._says_after(self.program.functions[name].body)
                if self._after[name]:
                    return True
            case _:
                pass
        return any(self._says_after(child) for child in children(term))

    # ------------------------------------------------------------------------------------- what bears on what
    def bearing(self, read: Iterable[str]) -> tuple[str, ...]:
        """The acts that change something of what is read: the state, history, or by ending a life."""
        wanted = {name for name in read if not name.startswith("breach ")}
        return tuple(
            event.name
            for event in self.program.ruleset.events.values()
            if not event.observed and wanted & written(self.program.ruleset, event.name)
        )

    def ending(self, read: Iterable[str]) -> frozenset[str]:
        """The events that end a life to which something of what is read belongs."""
        ruleset = self.program.ruleset
        wanted = set(read)
        lives = {field.life for name, field in ruleset.state.items() if name in wanted}
        for name, entity in ruleset.entities.items():
            if any(read in wanted for read in (f"new {name}", *(f"{name}.{f.name}" for f in entity.fields))):
                lives.add(entity.life)
        lives |= {latch.life or "" for i, latch in enumerate(ruleset.latches) if f"count {i}" in wanted}
        return frozenset(
            event for life in ruleset.lives.values() if life.name in lives for event in life.ends
        )


def domain(type_: Type) -> m.Domain | None:
    """What a variable ranges over: where references are few, those to what does not exist as well."""
    values = ty.finite_values(type_)
    if values is not None:
        if len(values) > MOST_VALUES:
            return None
        return m.OverValues(type_, tuple(m.Lit(type_, value) for value in values))
    return domain_of(type_)


def event_params(event: Event) -> tuple[Param, ...]:
    """An event's parameters, as a judgement's terms read them."""
    return tuple(Param(event_variable(p).name, p.type) for p in event.params)


def loose(type_: Type) -> Type:
    """A reference as the record of its parts: one to what need not exist."""
    match type_:
        case ty.EntityT(name=name, keys=keys):
            return ty.RecordT(name, tuple((part, loose(inner)) for part, inner in keys))
        case ty.RecordT(fields=fields):
            return replace(type_, fields=tuple((part, loose(inner)) for part, inner in fields))
        case ty.OptT(of=of):
            return ty.OptT(loose(of))
        case _:
            return type_


def _ids(type_: Type) -> set[str]:
    """The kinds of ids that a value of the type names."""
    match type_:
        case ty.IdT(name=name):
            return {name}
        case ty.EntityT(keys=parts) | ty.RecordT(fields=parts):
            return {kind for _, part in parts for kind in _ids(part)}
        case ty.OptT(of=of):
            return _ids(of)
        case _:
            return set()


def _solved(items: list[Term], name: str, open_: set[str]) -> list[Term]:
    """The conditions with what one of them says `name` is in its place, if that reads nothing of `open_`."""
    for item in items:
        match equations(item, name, free_variables(item) - open_):
            case [value]:
                return [substitute(other, {name: value}) for other in items if other is not item]
            case _:
                continue
    return items
