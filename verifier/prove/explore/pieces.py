"""Terms taken apart: the conjuncts of a condition, what they imply, what solves them for a variable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.rewrite import map_children, substitute
from verifier.model.ruleset import Param
from verifier.model.terms import Term, children, free_variables
from verifier.model.types import BOOL, Type

DEPTH = 5
"""Functions inside each other are looked into so far, for what a condition implies."""

SHALLOW = 3
"""Functions and decisions inside each other are looked into so far for the values that they name."""

MOST_HINTS = 60
"""So many consequences of one conjunct are used."""


def conjuncts(term: Term) -> Iterator[Term]:
    """The conjuncts of a condition, flat; what is always true is left out."""
    match term:
        case m.AndT(items=items):
            for item in items:
                yield from conjuncts(item)
        case m.NotT(of=m.OrT(items=items)):
            for item in items:
                yield from conjuncts(negated(item))
        case m.NotT(of=m.NotT(of=of)):
            yield from conjuncts(of)
        case m.NotT(of=m.CompareT(op="!=", left=left, right=right)):
            yield m.CompareT(BOOL, "=", left, right)
        case m.Lit(value=True):
            return
        case _:
            yield term


def negated(term: Term) -> Term:
    """`not term`, a double negation dropped."""
    return term.of if isinstance(term, m.NotT) else m.NotT(BOOL, term)


def implied(program: Program, term: Term) -> list[Term]:
    """What must be true where a conjunct is: it itself, and the conjuncts of the functions that it calls."""
    found: list[Term] = []

    def down(conjunct: Term, depth: int) -> None:
        if len(found) >= MOST_HINTS:
            return
        found.append(conjunct)
        if isinstance(conjunct, m.CallF) and depth:
            for inner in conjuncts(called(program, conjunct)):
                down(inner, depth - 1)

    down(term, DEPTH)
    return found


def called(program: Program, call: m.CallF) -> Term:
    """The body of the function that is called, of its arguments."""
    function = program.functions[call.function]
    return substitute(function.body, {p.name: a for p, a in zip(function.params, call.args, strict=True)})


def equations(term: Term, name: str, known: frozenset[str]) -> list[Term] | None:
    """The terms over `known` one of which `name` must equal for the conjunct to be true; None if it may be any."""
    match term:
        case m.CompareT(op="=", left=m.Var(name=found), right=right) if (
            found == name and free_variables(right) <= known
        ):
            return [right]
        case m.CompareT(op="=", left=left, right=m.Var(name=found)) if (
            found == name and free_variables(left) <= known
        ):
            return [left]
        case m.OrT(items=items):
            every: list[Term] = []
            for item in items:
                solved = equations(item, name, known)
                if solved is None:
                    return None
                every += solved
            return every
        case m.Var(name=found) if found == name:
            return [m.Lit(BOOL, True)]
        case m.NotT(of=m.Var(name=found)) if found == name:
            return [m.Lit(BOOL, False)]
        case _:
            return None


def comparisons(program: Program, term: Term, name: str) -> list[m.CompareT]:
    """Every comparison in the term, or in a function that it hands the variable on to, that reads the variable."""
    found: dict[m.CompareT, None] = {}

    def down(inner: Term, depth: int) -> None:
        if name not in free_variables(inner):
            return
        if isinstance(inner, m.CompareT):
            found[inner] = None
        if isinstance(inner, m.CallF) and depth:
            down(called(program, inner), depth - 1)
        for child in children(inner):
            down(child, depth)

    down(term, DEPTH)
    return list(found)


def isolated(term: Term, name: str, value: Term) -> list[Term]:
    """What the variable is where `term`, in which it stands once, equals `value`; empty where that is not plain.

    Of an optional what it holds, of a record what a part of it is.
    """
    match term:
        case m.Var(name=found) if found == name:
            return [value]
        case m.Force(of=of) | m.Part(of=of):
            return isolated(of, name, value)
        case m.ArithT(op=op, left=left, right=right):
            inside_left = name in free_variables(left)
            if inside_left and name in free_variables(right):
                return []
            match op:
                case "+":
                    rest, other = (left, right) if inside_left else (right, left)
                    return isolated(rest, name, m.ArithT(value.type, "-", value, other))
                case "-" if inside_left:
                    return isolated(left, name, m.ArithT(value.type, "+", value, right))
                case "-":
                    return isolated(right, name, m.ArithT(value.type, "-", left, value))
                case "*":
                    rest, other = (left, right) if inside_left else (right, left)
                    return isolated(rest, name, m.ArithT(value.type, "/", value, other))
                case "/" if inside_left:
                    return isolated(left, name, m.ArithT(value.type, "*", value, right))
                case "mod" | "div" if inside_left:
                    return isolated(left, name, right)
                case _:
                    return []
        case _:
            return []


def turning_points(program: Program, term: Term, name: str) -> tuple[list[Term], list[Term]]:
    """Where comparisons with a number variable turn, and the units that it is wanted in whole numbers of.

    Terms over the other free variables of `term`; what hangs on a bound variable is left out.
    """
    points: dict[Term, None] = {}
    units: dict[Term, None] = {}
    outside = free_variables(term)
    for comparison in comparisons(program, term, name):
        for side, other in (
            (comparison.left, comparison.right),
            (comparison.right, comparison.left),
        ):
            if name not in free_variables(side) or name in free_variables(other):
                continue
            for point in isolated(side, name, other):
                if free_variables(point) <= outside:
                    points[point] = None
        for inner in within(comparison):
            if (
                isinstance(inner, m.ArithT)
                and inner.op == "mod"
                and name in free_variables(inner.left)
                and free_variables(inner.right) <= outside - {name}
            ):
                units[inner.right] = None
    return list(points), list(units)


def within(term: Term) -> Iterator[Term]:
    """The term and every term inside it."""
    yield term
    for child in children(term):
        yield from within(child)


def named_values(program: Program, term: Term) -> dict[Type, set[object]]:
    """The values of enumerations that a condition compares with, by type: in it, and in what it calls.

    What is added up over the elements of something is not looked into: it names every value.
    """
    found: dict[Type, set[object]] = {}
    seen: set[str] = set()

    def down(inner: Term, depth: int) -> None:
        match inner:
            case (
                m.CompareT(left=m.Lit(type=ty.EnumT() as type_, value=value))
                | m.CompareT(right=m.Lit(type=ty.EnumT() as type_, value=value))
            ):
                found.setdefault(type_, set()).add(value)
            case m.CallF(function=name) if depth and name not in seen:
                seen.add(name)
                down(program.functions[name].body, depth - 1)
            case m.Decide(decision=name) if depth and name not in seen:
                seen.add(name)
                for case in program.decisions[name].cases:
                    down(program.functions[case.applies].body, depth - 1)
            case _:
                pass
        for child in () if isinstance(inner, m.Fold) else children(inner):
            down(child, depth)

    down(term, SHALLOW)
    return found


def split_record(param: Param) -> tuple[Term, list[Param]]:
    """A variable of a record's type as a record of variables, one for each part that is no record itself."""
    if not isinstance(param.type, ty.RecordT):
        return m.Var(param.type, param.name), [param]
    parts: list[Term] = []
    scalars: list[Param] = []
    for name, type_ in param.type.fields:
        part, inner = split_record(Param(f"{param.name}.{name}", type_))
        parts.append(part)
        scalars += inner
    return m.Make(param.type, tuple(parts)), scalars


def simplified(term: Term) -> Term:
    """`term` with parts of records that are made there read off, and records compared part by part."""
    inner = map_children(term, simplified)
    match inner:
        case m.Part(of=m.Make(parts=parts), index=index):
            return parts[index]
        case m.CompareT(op="=", left=m.Make(type=ty.RecordT(), parts=left), right=m.Make(parts=right)):
            return m.AndT(BOOL, tuple(m.CompareT(BOOL, "=", a, b) for a, b in zip(left, right, strict=True)))
        case m.CompareT(op="=", left=m.Make(type=ty.RecordT() as type_, parts=left), right=right):
            return by_parts(type_, left, right)
        case m.CompareT(op="=", left=left_, right=m.Make(type=ty.RecordT() as type_, parts=right_)):
            return by_parts(type_, right_, left_)
        case _:
            return inner


def by_parts(type_: ty.RecordT, parts: Sequence[Term], whole: Term) -> Term:
    """That a record equals the one made of `parts`, one conjunct for each."""
    if not isinstance(whole.type, ty.RecordT):
        return m.CompareT(BOOL, "=", m.Make(type_, tuple(parts)), whole)
    return m.AndT(
        BOOL,
        tuple(
            simplified(m.CompareT(BOOL, "=", part, m.Part(part_type, whole, i)))
            for i, (part, (_, part_type)) in enumerate(zip(parts, type_.fields, strict=True))
        ),
    )


def renamed(term: Term, by: Mapping[str, Term]) -> Term:
    """`term` with variables replaced, and simplified."""
    return simplified(substitute(term, by)) if by else term


def value_from(type_: Type, scalars: Mapping[str, object], name: str) -> object:
    """The value of the variable that `split_record` split, from those of its parts."""
    if not isinstance(type_, ty.RecordT):
        return scalars[name]
    return tuple(value_from(part, scalars, f"{name}.{part_name}") for part_name, part in type_.fields)
