"""A program made runnable: its functions and decisions, evaluated in a state, at most once each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from verifier.core.program import DecisionProgram, Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.terms import Term
from verifier.model.types import Type
from verifier.model.values import Partial
from verifier.run.evaluate import MISSING, Compiler
from verifier.run.operators import Closure, Frame
from verifier.run.state import EXISTS, State
from verifier.run.undefined import Reason, Undefined, because


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of one table beside its state: fields and latches lost or from before the log, types of which an
    id was met that the log does not tell, breaches that could not be judged, and how often each unit gave a value."""

    lost: dict[str, Partial] = field(default_factory=dict)
    lost_latches: dict[int, str] = field(default_factory=dict)
    lost_ids: dict[str, Partial] = field(default_factory=dict)
    before: dict[str, Partial] = field(default_factory=dict)
    before_latches: dict[int, str] = field(default_factory=dict)
    doubts: dict[int, frozenset[Reason]] = field(default_factory=dict)
    given: dict[str, int] = field(default_factory=dict)


class Machine:
    """A program made runnable. `state` is what closures read; `options` are those stated.

    `kept` is what readers of this program keep from state to state: closures, and what no state changes.
    `lost` are fields written to at a place that the log does not tell. `unrecorded` says which fields and latches
    the log cannot tell at all, and which it tells only when a life ends. `trusting` are those of the latter that the
    event whose mechanics are compiled writes to: what came before it is taken from where the log has it. `chosen` are
    answers of decisions that stand, whatever the rules say (`verifier.run.readings`).
    """

    def __init__(
        self, program: Program, options: dict[str, object], unrecorded: Unrecorded | None = None
    ) -> None:
        self.program = program
        self.ruleset = program.ruleset
        self.options = options
        self.unrecorded = unrecorded or Unrecorded()
        self.trusting: frozenset[str] = frozenset()
        self.state: State = None  # type: ignore[assignment]
        self.after: State | None = None
        self.at_end = False
        self.memo: dict[tuple[object, ...], object] = {}
        self.never_judged: frozenset[int] = frozenset()
        self.never_reset: frozenset[int] = frozenset()
        self.know(Known())
        self.consulted: list[tuple[str, tuple[Any, ...]]] | None = None
        self.chosen: dict[tuple[str, tuple[Any, ...]], Any] = {}
        self.function_closures: dict[str, Closure] = {}
        self.decision_closures: dict[str, Callable[[tuple[Any, ...]], Any]] = {}
        self.kept: dict[object, object] = {}

    def know(self, known: Known) -> None:
        """Take up what one table's log tells and does not; closures read it through these names."""
        self.known = known
        self.lost, self.lost_latches, self.lost_ids = known.lost, known.lost_latches, known.lost_ids
        self.before, self.before_latches = known.before, known.before_latches
        self.doubts, self.given = known.doubts, known.given

    def enter(self, state: State, after: State | None = None, at_end: bool = False) -> None:
        """Make `state` the one that closures read; `after` the one that the event leaves."""
        self.state = state
        self.after = after
        self.at_end = at_end
        self.memo = {}

    def lose(self, name: str, undefined: Undefined) -> None:
        """A write went nobody can tell where: nothing of the field `name` is known until its life ends."""
        for reason in sorted(undefined.reasons):
            if reason.kind in ("unrecorded", "history", "large"):
                self.lost[name] = Partial(reason.what, reason.kind)
                return

    def tells_all(self) -> bool:
        """Whether there is nothing, of what is or has been, of which the log does not tell."""
        return not (self.lost or self.lost_ids or self.before) and self.unrecorded.nothing

    def unmet(self, type_: Type) -> Partial | None:
        """Why values of a type may have ids that were met and the log does not tell; None where they have not."""
        match type_:
            case ty.IdT(name=name):
                if name in self.lost_ids:
                    return self.lost_ids[name]
                return Partial(self.unrecorded.ids[name]) if name in self.unrecorded.ids else None
            case ty.EntityT(keys=parts) | ty.RecordT(fields=parts):
                return next((why for _, part in parts if (why := self.unmet(part)) is not None), None)
            case ty.OptT(of=of):
                return self.unmet(of)
            case _:
                return None

    def unlisted(self, type_: Type) -> Partial | None:
        """Why there may be more entities or ids of a type than are known."""
        if not isinstance(type_, ty.EntityT):
            return self.unmet(type_)
        name = f"new {type_.name}"
        lacking = self.unrecorded.fields.get(name)
        if lacking is not None:
            return Partial(", ".join(lacking))
        if name in self.unrecorded.late and not self.at_end:
            return Partial(f"the order of what sets {name}")
        return self.lost.get(name) or self.before.get(name)

    def closure(self, term: Term, variables: Iterable[str]) -> Closure:
        """A closure of `term`; the frame it takes begins with the values of `variables`."""
        return Compiler(self, list(variables)).top(term)

    def elements(
        self, domain: m.Domain, var: str, where: Term | None, variables: Iterable[str]
    ) -> Callable[[Frame], list[Any]]:
        """A closure that lists the elements of a domain that meet `where`."""
        return Compiler(self, list(variables)).elements(domain, var, where)

    # ------------------------------------------------------------------------------ functions, decisions
    def function(self, name: str, args: tuple[Any, ...]) -> Any:
        """A define or an `applies` function, evaluated at most once in a state."""
        key = (name, args)
        memo = self.memo
        found = memo.get(key, MISSING)
        if found is not MISSING:
            if type(found) is Undefined:
                raise found
            return found
        closure = self.function_closures.get(name)
        if closure is None:
            function = self.program.functions[name]
            closure = self.closure(function.body, [p.name for p in function.params])
            self.function_closures[name] = closure
        try:
            value = closure(args)
        except Undefined as undefined:
            memo[key] = undefined
            raise
        memo[key] = value
        return value

    def decide(self, name: str, args: tuple[Any, ...]) -> Any:
        """A decision's value; undefined on a gap and on a conflict."""
        if self.consulted is not None:
            self.consulted.append((name, args))
        if (name, args) in self.chosen:
            return self.chosen[name, args]
        key = ("decide", name, args)
        memo = self.memo
        if key in memo:
            found = memo[key]
            if type(found) is Undefined:
                raise found
            return found
        try:
            value = self._decide(self.program.decisions[name], args)
        except Undefined as undefined:
            memo[key] = undefined
            raise
        memo[key] = value
        return value

    def _decide(self, decision: DecisionProgram, args: tuple[Any, ...]) -> Any:
        sure, maybe, reasons = self.cases(decision.name, args)
        for _, unit in sure:
            self.given[unit] = self.given.get(unit, 0) + 1
        values = {value for value, _ in sure}
        if len(values) > 1:
            raise because("conflict", decision.name, tuple(unit for _, unit in sure))
        if values and all(value in values for value, _ in maybe):
            return next(iter(values))
        if not values and not maybe and not reasons:
            raise because("gap", decision.name)
        raise Undefined(reasons)

    def cases(
        self, name: str, args: tuple[Any, ...]
    ) -> tuple[list[tuple[Any, str]], list[tuple[Any, str]], frozenset[Reason]]:
        """The values with the units that apply, those that may apply, and why one cannot tell."""
        sure: list[tuple[Any, str]] = []
        maybe: list[tuple[Any, str]] = []
        reasons: frozenset[Reason] = frozenset()
        decision = self.program.decisions[name]
        hidden, self.consulted = self.consulted, None
        try:
            for index, case in enumerate(decision.cases):
                try:
                    if not self.function(case.applies, args):
                        continue
                    certain = True
                except Undefined as undefined:
                    certain = False
                    reasons |= undefined.reasons
                try:
                    value = self._case_value(decision, index, args)
                except Undefined as undefined:
                    reasons |= undefined.reasons
                    maybe.append((_Unknown(), case.unit))
                    continue
                (sure if certain else maybe).append((value, case.unit))
        finally:
            self.consulted = hidden
        return sure, maybe, reasons

    def _case_value(self, decision: DecisionProgram, index: int, args: tuple[Any, ...]) -> Any:
        name = f"{decision.name} case {index}"
        closure = self.function_closures.get(name)
        if closure is None:
            closure = self.closure(decision.cases[index].value, [p.name for p in decision.params])
            self.function_closures[name] = closure
        return closure(args)

    def refs(self, entity: str) -> list[Any]:
        """The entities of a kind that exist, in key order; ids in the order first seen."""
        key = ("refs", entity)
        found: Any = self.memo.get(key)
        if found is None:
            keys = self.ruleset.entities[entity].type.keys
            found = [ref for ref, written in self.state.entities[entity].items() if EXISTS in written]
            if len(found) > 1:
                found.sort(key=lambda ref: self._order(keys, ref))
            self.memo[key] = found
        return found  # type: ignore[no-any-return]

    def _order(self, keys: tuple[tuple[str, Type], ...], ref: Any) -> tuple[Any, ...]:
        return tuple(self._place(type_, part) for (_, type_), part in zip(keys, ref, strict=True))

    def _place(self, type_: Type, part: Any) -> Any:
        match type_:
            case ty.IdT(name=name):
                return self.state.ids[name].get(part, len(self.state.ids[name]))
            case ty.EntityT(keys=parts) | ty.RecordT(fields=parts):
                return self._order(parts, part)
            case ty.OptT(of=of):
                return (0,) if part is None else (1, self._place(of, part))
            case _:
                return part


class _Unknown:
    """A value that equals nothing."""


class Unrecorded:
    """What a log cannot tell: by field of the state (`field`, or `Entity.field`), by latch, by type of which ids may
    be met that are not in the log, with the events lacking."""

    def __init__(
        self,
        fields: dict[str, tuple[str, ...]] | None = None,
        latches: dict[int, str] | None = None,
        late: frozenset[str] = frozenset(),
        late_latches: frozenset[int] = frozenset(),
        unordered: frozenset[str] = frozenset(),
        ids: dict[str, str] | None = None,
    ) -> None:
        self.fields = fields or {}
        self.latches = latches or {}
        self.late = late
        self.late_latches = late_latches
        self.unordered = unordered
        self.ids = ids or {}
        self.nothing = not (self.fields or self.late or self.ids)
