"""How far a state is from one at which a condition is true: nothing where it is, less the fewer conjuncts lack.

A measure for searching only: no verdict rests on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, log2
from typing import Any

from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.terms import Term, free_variables
from verifier.model.types import BOOL
from verifier.prove.explore.compiled import Level
from verifier.prove.explore.domains import endless, ends, fits, references
from verifier.prove.explore.evaluate import Asker
from verifier.prove.explore.pieces import called, conjuncts
from verifier.prove.question import Question
from verifier.prove.scope import reads_after
from verifier.run.operators import Closure
from verifier.run.state import State
from verifier.run.undefined import Undefined

Far = Callable[[list[Any]], float]

NOTHING_THERE = 2.0
"""What it counts where a condition asks for something of a kind of which there is none."""

UNKNOWN = 1.5
"""What an undefined part counts."""

SETTLED = 8.0
"""What a part counts that no event can change: an option, a constant."""

MOST_VALUES = 12
"""So many values of a variable are measured."""

MOST_MEASURED = 120
"""So many bindings are measured at a state."""

DEPTH = 3
"""Functions inside each other are looked into so far."""


@dataclass(slots=True)
class _Measure:
    """A question made measurable: at each level the parts that are bound from there on."""

    question: Question
    first: tuple[Far, ...]
    levels: tuple[tuple[Level, tuple[Far, ...]], ...]
    size: int


class Distances:
    """Measures states of a program. What is compiled for a question is kept until it is to be forgotten."""

    def __init__(self, asker: Asker) -> None:
        self.asker = asker
        self.machine = asker.machine
        self._measures: dict[int, _Measure] = {}
        self._functions: dict[tuple[str, bool, bool], Far] = {}
        self._numbers: dict[tuple[str, bool, bool], int] = {}
        self._left = 0
        self._deep = 0

    def at(self, question: Question, state: State, options: Mapping[str, object]) -> float:
        """How far the question is from being true at the state."""
        measure = self._measure(question)
        self.asker.enter(state, options)
        self._left = MOST_MEASURED
        frame: list[Any] = [None] * measure.size
        return self._least(measure, frame, 0, sum(far(frame) for far in measure.first), inf)

    def forget(self) -> None:
        """Drop what was compiled for questions."""
        self._measures.clear()

    def _least(self, measure: _Measure, frame: list[Any], depth: int, so_far: float, best: float) -> float:
        if so_far >= best:
            return best
        if depth == len(measure.levels):
            return so_far
        level, fars = measure.levels[depth]
        values = self._values(level, frame)
        if not values:
            lacking = sum(1 + len(more) for _, more in measure.levels[depth:])
            return min(best, so_far + NOTHING_THERE * lacking)
        for value, extra in values:
            self._left -= 1
            if self._left < 0:
                break
            frame[level.slot] = value
            here = so_far + extra + sum(far(frame) for far in fars)
            best = min(best, self._least(measure, frame, depth + 1, here, best))
        frame[level.slot] = None
        return best

    def _values(self, level: Level, frame: list[Any]) -> list[tuple[Any, float]]:
        type_, machine = level.param.type, self.machine
        found: dict[Any, float] = {}
        for closure in level.solved or ():
            try:
                value = closure(frame)
            except Undefined:
                continue
            if fits(type_, value, machine, existing=False):
                found[value] = 0.0
        if not found and not ends(type_):
            known = [_value(c, frame) for c in level.points]
            units = [_value(c, frame) for c in level.units]
            return [(n, 0.0) for n in endless(type_, known, units, self._references)[:MOST_VALUES]]
        if found:
            return list(found.items())
        lacking = 0.0 if level.solved is None else 1.0
        if isinstance(type_, ty.EntityT) and not level.of_event:
            there: list[Any] = machine.refs(type_.name)[:MOST_VALUES]
            more = self._references(type_)[len(there) :]
            return [*((ref, lacking) for ref in there), *((ref, lacking + 1.0) for ref in more)]
        return [(value, lacking) for value in self._references(type_)]

    def _references(self, type_: ty.Type) -> list[Any]:
        """The first values of a type at a state: of things those that there are come first."""
        key = ("references", type_)
        found: Any = self.machine.memo.get(key)
        if found is None:
            found = self.machine.memo[key] = references(type_, self.machine, self.asker.scope, MOST_VALUES)
        return found  # type: ignore[no-any-return]

    # --------------------------------------------------------------------------------------- compiling
    def _measure(self, question: Question) -> _Measure:
        found = self._measures.get(id(question))
        if found is None or found.question is not question:
            compiled = self.asker.compiled(question)
            names = list(compiled.slots)
            parts = list(self._parts(compiled.condition))
            bound: frozenset[str] = frozenset()
            first, parts = self._bound(parts, bound, names)
            denied = [self._denied(n.condition, names) for n in question.none if not n.params]
            levels: list[tuple[Level, tuple[Far, ...]]] = []
            for level in compiled.search.levels:
                bound = bound | {level.param.name}
                now, parts = self._bound(parts, bound, names)
                levels.append((level, now))
            if levels:
                level, now = levels[-1]
                levels[-1] = level, (*now, *denied)
            else:
                first = (*first, *denied)
            found = _Measure(question, first, tuple(levels), compiled.size)
            self._measures[id(question)] = found
        return found

    def _parts(self, condition: Term, depth: int = 3) -> list[Term]:
        """The conjuncts of a condition, those of the functions that it calls in place of the calls."""
        found: list[Term] = []
        for conjunct in conjuncts(condition):
            if isinstance(conjunct, m.CallF) and depth:
                found += self._parts(called(self.asker.program, conjunct), depth - 1)
            else:
                found.append(conjunct)
        return found

    def _bound(
        self, parts: Sequence[Term], bound: frozenset[str], names: list[str]
    ) -> tuple[tuple[Far, ...], list[Term]]:
        now = [part for part in parts if free_variables(part) <= bound]
        rest = [part for part in parts if part not in now]
        now = [part for part in now if not reads_after(self.asker.program, part)]
        return tuple(self.far(part, True, names) for part in now), rest

    def far(self, term: Term, want: bool, names: list[str]) -> Far:
        """How far `term` is from being `want`, over a frame of the values of `names`."""
        match term:
            case m.Lit(value=value):
                return _always(0.0 if value is want else SETTLED)
            case m.NotT(of=of):
                return self.far(of, not want, names)
            case m.AndT(items=items) | m.OrT(items=items):
                inner = [self.far(item, want, names) for item in items]
                every = isinstance(term, m.AndT) is want
                return _sum(inner) if every else _min(inner)
            case m.CallF(function=name, args=args):
                return self._call(name, args, want, False, names)
            case m.Present(of=m.CallF(function=name, args=args)):
                return self._call(name, args, want, True, names)
            case m.Present(of=m.Pick(var=var, domain=domain, where=where)):
                there = m.Quant(BOOL, "some", var, domain, None, where or m.Lit(BOOL, True))
                return self.far(there, want, names)
            case m.Quant():
                return self._quant(term, want, names)
            case m.Ite(condition=condition, then=then, otherwise=otherwise):
                return _min(
                    [
                        _sum([self.far(condition, held, names), self.far(branch, want, names)])
                        for held, branch in ((True, then), (False, otherwise))
                    ]
                )
            case m.CompareT():
                return self._compare(term, want, names)
            case m.Decide(decision=name, args=args):
                return self._decided(name, args, want, names)
            case _:
                return self._atom(term, want, names)

    def _denied(self, term: Term, names: list[str]) -> Far:
        """How far what must not be true is from being false; nothing where it has no value."""
        closure, away = self.machine.closure(term, names), self.far(term, False, names)

        def far(frame: list[Any]) -> float:
            try:
                return away(frame) if closure(frame) else 0.0
            except Undefined:
                return 0.0

        return far

    def _atom(self, term: Term, want: bool, names: list[str]) -> Far:
        closure = self.machine.closure(term, names)
        lacking = SETTLED if isinstance(term, m.OptionGet) else 1.0

        def far(frame: list[Any]) -> float:
            try:
                return 0.0 if bool(closure(frame)) is want else lacking
            except Undefined:
                return UNKNOWN

        return far

    def _call(self, name: str, args: tuple[Term, ...], want: bool, present: bool, names: list[str]) -> Far:
        """A function's body, measured once for the same arguments in a state; far down only whether it is so."""
        closures = [self.machine.closure(arg, names) for arg in args]
        key = (name, want, present)
        number = self._numbers.setdefault(key, len(self._numbers))  # found sooner than its name
        machine = self.machine
        only = closures[0] if len(closures) == 1 else None

        def far(frame: list[Any]) -> float:
            try:
                values = tuple([c(frame) for c in closures]) if only is None else (only(frame),)
                if self._deep >= DEPTH:
                    value = machine.function(name, values)
                    return 0.0 if (value is not None if present else value) is want else 1.0
            except Undefined:
                return UNKNOWN
            memo = (number, values)
            found = machine.memo.get(memo)
            if found is None:
                machine.memo[memo] = UNKNOWN
                self._deep += 1
                try:
                    found = machine.memo[memo] = self._body(key)(list(values))
                finally:
                    self._deep -= 1
            assert isinstance(found, float)
            return found

        return far

    def _body(self, key: tuple[str, bool, bool]) -> Far:
        inner = self._functions.get(key)
        if inner is None:
            name, want, present = key
            function = self.asker.program.functions[name]
            body = m.Present(BOOL, function.body) if present else function.body
            inner = self._functions[key] = self.far(body, want, [p.name for p in function.params])
        return inner

    def _quant(self, term: m.Quant, want: bool, names: list[str]) -> Far:
        elements = self.machine.elements(term.domain, term.var, None, names)
        inside = [*names, term.var]
        one = (term.kind == "some") is want
        body = self.far(term.body, want, inside)
        where = None if term.where is None else self.far(term.where, one, inside)

        def far(frame: list[Any]) -> float:
            try:
                found = elements(frame)
            except Undefined:
                return UNKNOWN
            frames = ([*frame, value] for value in found)
            if one:
                best = (body(f) + (where(f) if where else 0.0) for f in frames)
                return min(best, default=NOTHING_THERE)
            return sum((min(body(f), where(f)) if where else body(f) for f in frames), 0.0)

        return far

    def _decided(self, name: str, args: tuple[Term, ...], want: object, names: list[str]) -> Far:
        """That a decision has a value: that some case which gives it applies."""
        cases = self.asker.program.decisions[name].cases
        giving = [c.applies for c in cases if not isinstance(c.value, m.Lit) or c.value.value == want]
        if not giving:
            return _always(SETTLED)
        return _min([self._call(applies, args, True, False, names) for applies in giving])

    def _compare(self, term: m.CompareT, want: bool, names: list[str]) -> Far:
        op = term.op if want else m.DENIED[term.op]
        left, right = term.left, term.right
        if isinstance(left, m.Lit) and not isinstance(right, m.Lit) and op in ("=", "!="):
            left, right = right, left
        if isinstance(right, m.Lit) and op in ("=", "!="):
            if isinstance(left.type, ty.BoolT):
                return self.far(left, (right.value is True) is (op == "="), names)
            if isinstance(left, m.Decide) and op == "=":
                return self._decided(left.decision, left.args, right.value, names)
        settled = all(_is_settled(side) for side in (left, right))
        numbers = all(isinstance(_bare(side.type), ty.IntT | ty.MoneyT | ty.OddsT) for side in (left, right))
        if not numbers:
            return self._atom(m.CompareT(BOOL, op, left, right), True, names)
        a, b = self.machine.closure(left, names), self.machine.closure(right, names)
        gap_of = _GAPS[op]

        def far(frame: list[Any]) -> float:
            try:
                x, y = a(frame), b(frame)
            except Undefined:
                return UNKNOWN
            if x is None or y is None:
                return 0.0 if op == "!=" else 1.0
            gap = gap_of(x, y)
            if not gap:
                return 0.0
            return SETTLED if settled else _scaled(gap)

        return far


_GAPS: Mapping[str, Callable[[Any, Any], float]] = {
    "=": lambda x, y: 0.0 if x == y else float(abs(x - y)),
    "!=": lambda x, y: 1.0 if x == y else 0.0,
    "<": lambda x, y: 0.0 if x < y else float(x - y) + 1,
    "<=": lambda x, y: 0.0 if x <= y else float(x - y),
    ">": lambda x, y: 0.0 if x > y else float(y - x) + 1,
    ">=": lambda x, y: 0.0 if x >= y else float(y - x),
}
"""By how much a comparison of whole numbers, or of parts of them, fails; 0 where it holds."""


def _scaled(gap: float) -> float:
    """A number from 0 to 1 that grows with a gap (over 0), ever more slowly."""
    return 1 - 1 / (1 + log2(1 + gap))


def _is_settled(term: Term) -> bool:
    """Whether no event can change a term's value."""
    match term:
        case m.Lit() | m.OptionGet():
            return True
        case m.ArithT(left=left, right=right):
            return _is_settled(left) and _is_settled(right)
        case _:
            return False


def _bare(type_: ty.Type) -> ty.Type:
    return type_.of if isinstance(type_, ty.OptT) else type_


def _always(value: float) -> Far:
    return lambda frame: value


def _sum(fars: Sequence[Far]) -> Far:
    def far(frame: list[Any]) -> float:
        total = 0.0
        for one in fars:
            total += one(frame)
        return total

    return far


def _min(fars: Sequence[Far]) -> Far:
    def far(frame: list[Any]) -> float:
        best = inf
        for one in fars:
            here = one(frame)
            if here < best:
                best = here
                if not best:
                    break
        return best

    return far


def _value(closure: Closure, frame: list[Any]) -> Any:
    try:
        return closure(frame)
    except Undefined:
        return None
