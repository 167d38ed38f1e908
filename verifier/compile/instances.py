"""A duty's pending instances in code: loops over its variables, left as soon as anything says that none is pending."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from verifier.compile.costs import items
from verifier.compile.emit import TRUE, Bound, Truth
from verifier.compile.expressions import Expressions
from verifier.compile.facts import joined
from verifier.compile.functions import Functions
from verifier.compile.holding import exists
from verifier.compile.loops import Env
from verifier.compile.names import OWED
from verifier.compile.unstated import asked
from verifier.core.lower import domain_of
from verifier.core.program import Duty
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.ruleset import Param
from verifier.model.terms import Term, free_variables

CHEAP = 40
"""What costs no more is asked within a loop before the whole condition is."""

Then = Callable[[Env], str]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a conjunction: of the duty's own condition, or of what the event must match."""

    term: Term
    own: bool
    needs: frozenset[str]


@dataclass(slots=True)
class Instances:
    """The instances of duties, where an event's parameters are `marked`."""

    functions: Functions
    expressions: Expressions
    marked: Env
    args: list[str] = field(default_factory=list)
    """The duty's variables as its condition takes them."""
    unsure: Then | None = None
    """What is to be done of an instance of which it cannot be told for want of options whether it is pending (`$lack`
    says which); None to give up."""
    sure: bool = False
    """What the event may match, if an option were stated, is not meant; else this gives up of what is pending."""
    parts: list[Part] = field(default_factory=list)
    maybe: list[str] = field(default_factory=list)
    """Locals that tell whether it is not sure for want of options that the event matches."""

    def each(self, duty: Duty, matches: Term | None, then: Then) -> str:
        """`then`, with the duty's variables, for each instance that surely matches and is pending; where it cannot be
        told whether it is pending, this gives up."""
        own = self.functions.layout.program.functions[duty.pending]
        names = self.args = [v.name for v in duty.variables]
        parts: list[Part] = []
        if [p.name for p in own.params] == names:
            parts += [Part(t, True, free_variables(t) & set(names)) for t in items(own.body)]
        pinned: dict[str, str] = {}
        for term in () if matches is None else items(matches):
            match term:
                case m.CompareT(op="=", left=m.Var(name=left) as of, right=m.Var(name=right)) if (
                    left in self.marked
                    and right not in pinned
                    and any(v.name == right and v.type == of.type for v in duty.variables)
                ):
                    pinned[right] = left
                case _:
                    parts.append(Part(term, False, free_variables(term) & set(names)))
        parts.sort(key=lambda part: self.functions.costs.of(part.term))
        self.parts = parts
        duty = replace(duty, variables=self._order(duty, pinned, parts))
        return self._level(duty, 0, pinned, parts, (), dict(self.marked), then)

    def _level(
        self,
        duty: Duty,
        at: int,
        pinned: dict[str, str],
        parts: list[Part],
        open_: tuple[Part, ...],
        env: dict[str, Bound],
        then: Then,
    ) -> str:
        """The variables from the one `at` on. `open_`: the parts of the duty's condition that may have
        been undefined."""
        told = {v.name for v in duty.variables[:at]}
        last = at == len(duty.variables)
        inside = any(v.name not in pinned for v in duty.variables[:at])
        guards: list[Truth] = []
        rest: list[Part] = []
        known: dict[str, int] = {}
        for part in parts:
            cost = self.functions.costs.of(part.term)
            if not part.needs <= told or (part.own and inside and cost > CHEAP):
                rest.append(part)
                continue
            with self.expressions.facts.given(known):
                truth = self.expressions.truth(part.term, env)
            known = joined(known, truth.when)
            if truth == TRUE:
                continue
            if part.own:
                open_ = (*open_, part) if truth.open else open_
                guards.append(truth)
            elif truth.open and not self.sure and self.functions.layout.optional.of(part.term):
                t = self.expressions.body.local("i32")
                self.maybe.append(t)
                guards.append(Truth(f"(local.tee {t} {truth.code})"))
            else:
                guards.append(Truth(f"(i32.eq {truth.code} (i32.const 1))") if truth.open else truth)
        with self.expressions.facts.given(known):
            if last:
                code = self._last(duty, rest, open_, env, then)
            else:
                code = self._variable(duty, at, pinned, rest, open_, env, then)
        for guard in reversed(guards):
            code = self.expressions.body.where(guard, code)
        return code

    def _order(self, duty: Duty, pinned: dict[str, str], parts: list[Part]) -> tuple[Param, ...]:
        """The variables in the order in which they are best looped over: first those that the event tells, then what
        the cheapest part that is still to be asked wants to know."""
        left = sorted(duty.variables, key=lambda v: v.name not in pinned)
        found: list[Param] = []
        while left:
            known = {v.name for v in found}
            wanted = [
                v for part in parts for v in left if v.name in part.needs and part.needs <= known | {v.name}
            ]
            taken = left[0] if left[0].name in pinned or not wanted else wanted[0]
            left.remove(taken)
            found.append(taken)
        return tuple(found)

    def _last(
        self, duty: Duty, rest: list[Part], open_: tuple[Part, ...], env: dict[str, Bound], then: Then
    ) -> str:
        """All variables are known."""
        lacking = self.unsure is not None and bool(self.functions.layout.lacks.reached(duty.pending))
        if any(part.own for part in self.parts):
            # what else has been asked was true
            left = [part.term for part in (*open_, *rest) if part.own]
            with self.expressions.tracked(lacking):
                truth = self.expressions.all_of([self.expressions.truth(term, env) for term in left])
            return self.demanded(duty, truth, env, then)
        found = self.functions.function(duty.pending)
        args = self.functions.passed(found.params, [env[name] for name in self.args])
        return self.demanded(duty, Truth(f"(call {found.symbol} {args})", found.open), env, then)

    def demanded(self, duty: Duty, truth: Truth, env: Env, make: Then) -> str:
        """`make` where the value is true; where it is undefined this gives up."""
        then = self._if_matched(make(env))
        if not truth.open:
            return self.expressions.body.where(truth, then)
        t = self.expressions.body.local("i32")
        if self.unsure is not None and self.functions.layout.lacks.reached(duty.pending):
            return (
                f"{asked(self.functions, self.expressions.body, duty.pending, truth, t)}"
                f" (if (i32.eq (local.get {t}) (i32.const 1)) (then {then}))"
                f" (if (i32.eq (local.get {t}) (i32.const 3)) (then {self._if_matched(self.unsure(env))}))"
            )
        return (
            f"(if (local.tee {t} {truth.code}) (then (if (i32.eq (local.get {t}) (i32.const 3))"
            f" (then {self.functions.give_up}) (else {then}))))"
        )

    def _if_matched(self, then: str) -> str:
        """`then` where it is sure that the event matches; else this gives up."""
        for t in self.maybe:
            then = (
                f"(if (i32.eq (local.get {t}) (i32.const 3)) (then {self.functions.give_up}) (else {then}))"
            )
        return then

    def _variable(
        self,
        duty: Duty,
        at: int,
        pinned: dict[str, str],
        parts: list[Part],
        open_: tuple[Part, ...],
        env: dict[str, Bound],
        then: Then,
    ) -> str:
        variable = duty.variables[at]
        if variable.name in pinned:
            bound = env[pinned[variable.name]]
            if isinstance(variable.type, ty.EntityT):
                return self._existing(duty, at, pinned, parts, open_, env, bound, then)
            return self._level(duty, at + 1, pinned, parts, open_, {**env, variable.name: bound}, then)
        domain = domain_of(variable.type)
        if domain is None:
            return ""
        own: str | None = None
        pending: str | None = None
        for part in parts:
            found, left = self.expressions.own_of(domain, variable.name, part.term)
            if part.own and found is not None:
                own = found
                if left is not part.term:
                    parts = [other for other in parts if other is not part]
                break
        for part in parts if own is not None else ():
            match part.term:
                case m.CallF(function=name) if part.own and name.startswith(OWED):
                    place = self.functions.layout.memos.get(name)
                    pending = name if place is not None and place.memo.truth and place.memo.by_row else None
                case _:
                    pass
        return self.expressions.each(
            domain,
            variable.name,
            env,
            self.expressions.body.label(),
            lambda inside, out, on: self._level(
                duty, at + 1, pinned, parts, open_, {**env, variable.name: inside[variable.name]}, then
            ),
            own,
            pending,
        )

    def _existing(
        self,
        duty: Duty,
        at: int,
        pinned: dict[str, str],
        parts: list[Part],
        open_: tuple[Part, ...],
        env: dict[str, Bound],
        bound: Bound,
        then: Then,
    ) -> str:
        """One entity, if there is one."""
        variable = duty.variables[at]
        assert isinstance(variable.type, ty.EntityT)
        table = self.functions.layout.tables[f"entity {variable.type.name}"]
        if bound.row is not None:
            # the event's own, whose row is known
            inner = self._level(duty, at + 1, pinned, parts, open_, {**env, variable.name: bound}, then)
            return self.expressions.body.where(exists(bound), inner)
        row = self.expressions.body.local("i32")
        here = replace(bound, row=row)
        inner = self._level(duty, at + 1, pinned, parts, open_, {**env, variable.name: here}, then)
        found = self.functions.find(table, f"(local.get {bound.local})")
        return f"(if (i32.wrap_i64 (i64.load (local.tee {row} {found}))) (then {inner}))"
