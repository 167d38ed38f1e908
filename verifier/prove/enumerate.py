"""Questions answered by going through the cases, with no solver at all.

Functions and decisions are read through. What reads the state, or a parameter, is open: the first time that its value
is wanted, each value that it can have is tried in turn, and of numbers each range of values that a comparison tells
apart. Only what is wanted is tried, so that few cases often settle a question that has very many. What has no end of
values is never tried: then each comparison that it stands in may turn out any way. Where no case makes the condition
true no state does, however many entities there are and however long their lists. Numbers of a declared range are
taken to keep it, which is an obligation of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from verifier.core.program import EVENT_PREFIX, Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.terms import Term, children, free_variables
from verifier.model.types import BOOL, INT, Type
from verifier.prove.abstract import EVERYWHERE, Definedness
from verifier.prove.obligations.bounds import Measure
from verifier.prove.question import Never, Question

MOST_WORK = 20_000
"""So many terms are evaluated before a question is left to the solvers: a small part of a second."""

MOST_VALUES = 600
"""What can have more values than this is never gone through."""

SMALL = 200
"""A condition of more terms than this is not looked at before the others are told."""

MOST_NESTED = 60
"""Functions and decisions read one another at most so deep."""

Variables = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Open:
    """A value that may not be chosen yet: `name` tells what it is, the same for the same reading. To a number that is
    gone through `shift` is added."""

    name: Any
    type: Type
    shift: int = 0


class _WantedError(Exception):
    """The evaluation cannot go on until `name` is told to be one of `choices`: a value, or a range of numbers."""

    def __init__(self, name: Any, choices: Sequence[Any]) -> None:
        super().__init__(name)
        self.name = name
        self.choices = choices


class _UndefinedError(Exception):
    """The value is undefined."""


class _GivenUpError(Exception):
    """This question is none for enumeration."""


def enumerated(program: Program, question: Question) -> Never | None:
    """`Never` where no case makes the condition true; None where one does, or they are too many.

    What must not be (`none`), what an event needs and what the options must meet is left out: that only makes for
    more cases.
    """
    cases = Cases(program)
    variables: dict[str, Any] = {}
    if question.event is not None:
        for param in program.ruleset.events[question.event].params:
            name = EVENT_PREFIX + param.name
            variables[name] = Open(("variable", name), param.type)
    for param in question.params:
        variables[param.name] = Open(("variable", param.name), param.type)
    try:
        found = cases.can_hold(question.condition, variables)
    except (_GivenUpError, RecursionError):
        return None
    return None if found else Never("typed", EVERYWHERE, ("enumeration",))


class Cases:
    """An enumeration; `chosen` is the case at hand, `tried` how many there were."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.chosen: dict[Any, Any] = {}
        self.tried = 0
        self._measure = Measure(program)
        self._definedness = Definedness(program)
        self._work = 0
        self._depth = 0
        self._memo: dict[Any, Any] = {}
        self._sizes: dict[int, tuple[int, Term]] = {}

    def can_hold(self, condition: Term, variables: Variables) -> bool:
        """Whether some case makes the condition defined and true."""
        rest: list[dict[Any, Any]] = [{}]
        while rest:
            self.chosen, self._memo, self._depth = rest.pop(), {}, 0
            self.tried += 1
            try:
                if self._truth(condition, variables, ""):
                    return True
            except _UndefinedError:
                continue
            except _WantedError as wanted:
                rest += [{**self.chosen, wanted.name: choice} for choice in reversed(wanted.choices)]
        return False

    # ------------------------------------------------------------------------------------------------ values
    def _known(self, value: Any) -> Any:
        """A value that is chosen. Raises what is wanted where it is not, and gives up where that has no end."""
        if not isinstance(value, Open):
            return value
        between = self._between(value)
        if between is not None:
            low, high = between
            if low == high:
                return low
            raise _WantedError(value.name, [(v - value.shift,) * 2 for v in range(low, high + 1)])
        if value.name not in self.chosen:
            values = self._values(value)
            if values is None:
                raise _GivenUpError
            raise _WantedError(value.name, values)
        return self.chosen[value.name]

    def _between(self, value: Any) -> tuple[int, int] | None:
        """Between which numbers a number or a value of an enumeration is, both included; None where nobody says."""
        if type(value) is int:
            return value, value
        if not isinstance(value, Open) or self._listed(value) is not None:
            return None
        match value.type:
            case ty.IntT(low=low, high=high) if (
                low is not None and high is not None and high - low < MOST_VALUES
            ):
                found = self.chosen.get(value.name, (low, high))
            case ty.EnumT(values=names):
                found = self.chosen.get(value.name, (0, len(names) - 1))
            case _:
                return None
        return found[0] + value.shift, found[1] + value.shift

    def _listed(self, value: Open) -> Sequence[Any] | None:
        """The values that the rules leave an option."""
        return self.program.ruleset.options[value.name[1]].values if value.name[0] == "option" else None

    def _values(self, value: Open) -> Sequence[Any] | None:
        """What an open value can be that is told one by one."""
        return (False, True) if isinstance(value.type, ty.BoolT) else self._listed(value)

    def _flag(self, *name: Any) -> bool:
        """A truth of which nothing is known."""
        return bool(self._known(Open(name, BOOL)))

    def _whole(self, value: Any) -> Any:
        """A value with all its parts chosen."""
        match value:
            case tuple():
                return tuple(map(self._whole, value))
            case Open(type=(ty.RecordT() | ty.EntityT())):
                return tuple(self._whole(part) for part in _parts(value))
            case Open(type=ty.OptT()):
                return self._whole(self._held(value)) if self._present(value) else None
            case _:
                return self._known(value)

    def _present(self, value: Any) -> bool:
        if isinstance(value, Open) and isinstance(value.type, ty.OptT):
            return self._flag("present", value.name)
        return value is not None

    def _held(self, value: Any) -> Any:
        """What an optional holds."""
        if not self._present(value):
            raise _UndefinedError
        if isinstance(value, Open) and isinstance(value.type, ty.OptT):
            return Open(("held", value.name), value.type.of)
        return value

    # ----------------------------------------------------------------------------------------------- terms
    def _truth(self, term: Term, variables: Variables, tense: str) -> bool:
        return bool(self._known(self._value(term, variables, tense)))

    def _value(self, term: Term, variables: Variables, tense: str) -> Any:
        self._work += 1
        if self._work > MOST_WORK:
            raise _GivenUpError
        match term:
            case m.Lit(value=value):
                return value
            case m.Var(name=name):
                return variables[name]
            case m.Get(name=name, key=None):
                return Open((tense, "get", name), term.type)
            case m.Get(name=name, key=key) if key is not None:
                return Open((tense, "get", name, _named(self._value(key, variables, tense))), term.type)
            case m.Field(entity=entity, name=name, of=of):
                ref = self._held(self._value(of, variables, tense))
                return Open((tense, "field", entity, name, _named(ref)), term.type)
            case m.Part(of=of, index=index):
                return _parts(self._held(self._value(of, variables, tense)))[index]
            case m.Make(parts=parts):
                return tuple(self._value(part, variables, tense) for part in parts)
            case m.OptionGet(name=name):
                return Open(("option", name), term.type)
            case m.CallF(function=name, args=args):
                values = tuple(self._value(a, variables, tense) for a in args)
                return self._once(("call", name), values, tense, lambda: self._call(name, values, tense))
            case m.Decide(decision=name, args=args):
                values = tuple(self._value(a, variables, tense) for a in args)
                return self._once(("decide", name), values, tense, lambda: self._decide(name, values, tense))
            case m.ArithT(op=op, left=left, right=right):
                return self._arithmetic(
                    op, self._value(left, variables, tense), self._value(right, variables, tense), term.type
                )
            case m.CompareT(op=op, left=left, right=right):
                return self._compare(
                    op, self._value(left, variables, tense), self._value(right, variables, tense)
                )
            case m.AndT(items=items) | m.OrT(items=items):
                return self._items(sorted(items, key=self._size), variables, tense, isinstance(term, m.AndT))
            case m.NotT(of=of):
                return not self._truth(of, variables, tense)
            case m.Ite(condition=condition, then=then, otherwise=otherwise):
                branch = then if self._truth(condition, variables, tense) else otherwise
                return self._value(branch, variables, tense)
            case m.Quant() | m.Fold() | m.Pick():
                return self._over(term, variables, tense)
            case m.Length(list=list_):
                return _length(self._value(list_, variables, tense))
            case m.At(list=list_, index=index):
                return self._at(self._value(list_, variables, tense), self._value(index, variables, tense))
            case m.Present(of=of):
                return self._present(self._value(of, variables, tense))
            case m.Force(of=of):
                return self._held(self._value(of, variables, tense))
            case m.TableT(of=of, rows=rows):
                key = self._whole(self._value(of, variables, tense))
                return next(self._value(row, variables, tense) for known, row in rows if known == key)
            case m.Count(latch=latch, keys=keys):
                values = tuple(self._value(k, variables, tense) for k in keys)
                return Open((tense, "count", latch, _named(values)), INT)
            case m.BrokenT(latch=latch):
                return Open((tense, "broken", latch), BOOL)
            case m.AfterT(of=of):
                return self._value(of, variables, "after")

    def _once(self, what: Any, values: tuple[Any, ...], tense: str, run: Callable[[], Any]) -> Any:
        """What `run` gives or raises, at most once in a case."""
        key = (what, _named(values), tense)
        if key not in self._memo:
            self._depth += 1
            if self._depth > MOST_NESTED:
                raise _GivenUpError
            try:
                self._memo[key] = run()
            except (_UndefinedError, _WantedError) as error:
                self._memo[key] = error
            self._depth -= 1
        found = self._memo[key]
        if isinstance(found, _UndefinedError | _WantedError):
            raise found
        return found

    def _call(self, name: str, values: tuple[Any, ...], tense: str) -> Any:
        function = self.program.functions[name]
        by = dict(zip((p.name for p in function.params), values, strict=True))
        return self._value(function.body, by, tense)

    def _decide(self, name: str, values: tuple[Any, ...], tense: str) -> Any:
        decision = self.program.decisions[name]
        by = dict(zip((p.name for p in decision.params), values, strict=True))
        sure: set[Any] = set()
        maybe: set[Any] = set()
        wanted: _WantedError | None = None
        undefined = False
        for case in decision.cases:
            try:
                certain = True
                try:
                    if not self._known(self._value(m.CallF(BOOL, case.applies, self._args(name)), by, tense)):
                        continue
                except _UndefinedError:
                    certain = False
                try:
                    (sure if certain else maybe).add(self._whole(self._value(case.value, by, tense)))
                except _UndefinedError:
                    undefined = True
            except _WantedError as error:
                wanted = wanted or error
        if len(sure) > 1:
            raise _UndefinedError
        if wanted is not None:
            raise wanted
        if not sure or undefined or not maybe <= sure:
            raise _UndefinedError
        return next(iter(sure))

    def _args(self, name: str) -> tuple[m.Var, ...]:
        return tuple(m.Var(p.type, p.name) for p in self.program.decisions[name].params)

    # ------------------------------------------------------------------------------- connectives, comparison
    def _items(self, items: Sequence[Term], variables: Variables, tense: str, unit: bool) -> bool:
        """A junction of terms, small ones first. Once something is wanted no large one is looked at."""
        wanted: _WantedError | None = None
        undefined = False
        for item in items:
            if wanted is not None and self._size(item) > SMALL:
                break
            try:
                if self._truth(item, variables, tense) is not unit:
                    return not unit
            except _UndefinedError:
                undefined = True
            except _WantedError as error:
                wanted = wanted or error
        if wanted is not None:
            raise wanted
        if undefined:
            raise _UndefinedError
        return unit

    def _size(self, term: Term) -> int:
        """How many terms there are in one, with what it calls, as far as that is not within itself."""
        key = id(term)
        if key not in self._sizes:
            self._sizes[key] = 1, term
            size = 1 + sum(map(self._size, children(term)))
            match term:
                case m.CallF(function=name):
                    size += self._size(self.program.functions[name].body)
                case m.Decide(decision=name):
                    decision = self.program.decisions[name]
                    size += sum(
                        self._size(case.value) + self._size(self.program.functions[case.applies].body)
                        for case in decision.cases
                    )
                case _:
                    pass
            self._sizes[key] = size, term
        return self._sizes[key][0]

    def _junction(self, items: Iterable[Callable[[], bool]], unit: bool) -> bool:
        """And (`unit` true) or or (false), by Kleene's strong tables. What settles it needs nothing that is wanted."""
        wanted: _WantedError | None = None
        undefined = False
        for item in items:
            try:
                if item() is not unit:
                    return not unit
            except _UndefinedError:
                undefined = True
            except _WantedError as error:
                wanted = wanted or error
        if wanted is not None:
            raise wanted
        if undefined:
            raise _UndefinedError
        return unit

    def _compare(self, op: str, left: Any, right: Any) -> bool:
        if op in ("=", "!="):
            return self._equal(left, right) is (op == "=")
        match op:
            case "<":
                return self._less(left, right)
            case "<=":
                return not self._less(right, left)
            case ">":
                return self._less(right, left)
            case _:
                return not self._less(left, right)

    def _equal(self, left: Any, right: Any) -> bool:
        """Nothing equals what is absent."""
        if not self._present(left) or not self._present(right):
            return False
        left, right = self._held(left), self._held(right)
        if isinstance(left, Open) and left == right:
            return True
        types = [v.type for v in (left, right) if isinstance(v, Open)]
        if isinstance(left, tuple) or isinstance(right, tuple) or _is_record(types):
            if any(isinstance(t, ty.ListT) for t in types):
                return self._flag("same", *sorted((_named(left), _named(right)), key=repr))
            pairs = zip(_parts(left), _parts(right), strict=True)
            return self._junction((lambda a=a, b=b: self._same_part(a, b) for a, b in pairs), True)  # type: ignore[misc]
        if any(isinstance(t, ty.IdT | ty.TextT | ty.PartyT) for t in types):
            return self._flag("same", *sorted((_named(left), _named(right)), key=repr))
        if not types:
            return bool(left == right)
        return not self._less(left, right) and not self._less(right, left)

    def _same_part(self, left: Any, right: Any) -> bool:
        """Within a record what is absent is the same as what is absent."""
        if not self._present(left) or not self._present(right):
            return self._present(left) is self._present(right)
        return self._equal(left, right)

    def _less(self, left: Any, right: Any) -> bool:
        """Whether one number is less than the other. Where one has no end of values it may be or not."""
        a, b = self._between(left), self._between(right)
        if a is not None and b is not None:
            if a[1] < b[0] or a[0] >= b[1]:
                return a[1] < b[0]
            raise self._apart(left, a, right, b)
        left, right = self._number(left), self._number(right)
        if not isinstance(left, Open) and not isinstance(right, Open):
            return bool(left < right)
        if left == right:
            return False
        first, second = sorted((left, right), key=lambda v: repr(_named(v)))
        order = Open(("order", _named(first), _named(second)), ty.IntT(-1, 1))
        return self._less(order, 0) if first is left else self._less(0, order)

    def _apart(self, left: Any, a: tuple[int, int], right: Any, b: tuple[int, int]) -> _WantedError:
        """The ranges to look at one by one, so that it shows whether the left number is less than the right one."""
        for value, (low, high), cuts in (
            (left, a, (b[0], b[1])),
            (right, b, (a[0] + 1, a[1] + 1)),
            (left, a, ((a[0] + a[1] + 1) // 2,)),
        ):
            for cut in cuts if isinstance(value, Open) else ():
                if low < cut <= high:
                    s = value.shift
                    return _WantedError(value.name, [(low - s, cut - 1 - s), (cut - s, high - s)])
        raise AssertionError((left, a, right, b))

    def _number(self, value: Any) -> Any:
        """A number; open only where it has no end of values."""
        if isinstance(value, Open) and self._between(value) is None and self._values(value) is None:
            return value
        return self._known(value)

    def _arithmetic(self, op: str, left: Any, right: Any, type_: Type) -> Any:
        if op == "+" and type(left) is int:
            left, right = right, left
        if (
            op in ("+", "-")
            and type(right) is int
            and isinstance(left, Open)
            and self._between(left) is not None
        ):
            return replace(left, shift=left.shift + (right if op == "+" else -right))
        left, right = self._number(left), self._number(right)
        if isinstance(left, Open) or isinstance(right, Open):
            divides = op in ("/", "mod", "div")
            zero = self._flag("zero", _named(right)) if isinstance(right, Open) else right == 0
            if divides and zero:
                raise _UndefinedError
            loose = INT if isinstance(type_, ty.IntT) else type_
            return Open(("arithmetic", op, _named(left), _named(right)), loose)
        match op:
            case "+":
                return left + right
            case "-":
                return left - right
            case "*":
                return _reduced(left * right)
        if right == 0:
            raise _UndefinedError
        match op:
            case "/":
                return _reduced(Fraction(left) / right)
            case "mod":
                return left % right
            case _:
                return left // right

    # ----------------------------------------------------------------------------------------- over domains
    def _at(self, list_: Any, index: Any) -> Any:
        which = self._known(index)
        length = self._known(_length(list_))
        if not 1 <= which <= length:
            raise _UndefinedError
        if isinstance(list_, Open):
            assert isinstance(list_.type, ty.ListT)
            return Open(("at", list_.name, which), list_.type.of)
        return list_[which - 1]

    def _over(self, term: m.Quant | m.Fold | m.Pick, variables: Variables, tense: str) -> Any:
        if isinstance(term.domain, m.OverValues):
            return self._over_values(term, term.domain, variables, tense)
        read = tuple((name, _named(variables[name])) for name in sorted(free_variables(term)))
        if not self._definedness.certain(term) and not self._flag("defined", tense, term, read):
            raise _UndefinedError
        bounds = self._measure.of(term) if isinstance(term, m.Fold) else None
        type_ = term.type
        if bounds is not None and not isinstance(type_, ty.OptT):
            whole = isinstance(type_, ty.IntT)
            type_ = ty.IntT(_int(bounds.low), _int(bounds.high)) if whole else type_
        return Open(("over", tense, term, read), type_)

    def _over_values(
        self, term: m.Quant | m.Fold | m.Pick, domain: m.OverValues, variables: Variables, tense: str
    ) -> Any:
        frames = [{**variables, term.var: self._value(v, variables, tense)} for v in domain.values]

        def meets(frame: Variables) -> bool:
            return term.where is None or self._truth(term.where, frame, tense)

        match term:
            case m.Quant(kind=kind, body=body):
                every = kind == "every"

                def one(frame: Variables) -> bool:
                    parts = (
                        lambda: meets(frame) is not every,
                        lambda: self._truth(body, frame, tense),
                    )
                    return self._junction(parts, not every)

                return self._junction((lambda f=f: one(f) for f in frames), every)  # type: ignore[misc]
            case m.Pick(kind=kind):
                for frame in reversed(frames) if kind == "last" else frames:
                    if meets(frame):
                        return frame[term.var]
                return None
            case m.Fold(kind=kind, body=inner):
                taken = [frame for frame in frames if meets(frame)]
                if inner is None:
                    return len(taken)
                values = [self._known(self._value(inner, frame, tense)) for frame in taken]
                if kind == "sum":
                    return sum(values)
                return (min if kind == "least" else max)(values, default=None)


def _parts(value: Any) -> tuple[Any, ...]:
    """The parts of a record or reference."""
    if not isinstance(value, Open):
        return tuple(value)
    assert isinstance(value.type, ty.RecordT | ty.EntityT)
    parts = value.type.fields if isinstance(value.type, ty.RecordT) else value.type.keys
    return tuple(Open(("part", value.name, i), type_) for i, (_, type_) in enumerate(parts))


def _is_record(types: Sequence[Type]) -> bool:
    return any(isinstance(t, ty.RecordT | ty.EntityT) for t in types)


def _length(list_: Any) -> Any:
    if not isinstance(list_, Open):
        return len(list_)
    assert isinstance(list_.type, ty.ListT)
    return Open(("length", list_.name), ty.IntT(0, list_.type.maximum))


def _named(value: Any) -> Any:
    """What a value is called: the same for the same one, whatever is chosen for it."""
    match value:
        case Open(name=name, shift=shift):
            return ("open", name, shift)
        case tuple():
            return tuple(map(_named, value))
        case _:
            return value


def _reduced(value: Any) -> Any:
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def _int(value: int | Fraction | None) -> int | None:
    return None if value is None or value != int(value) else int(value)
