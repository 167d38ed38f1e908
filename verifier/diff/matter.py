"""What is held against what: one decision, for one kind of thing, on both sides, in the same words of the core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from verifier.core.program import Program
from verifier.diff.fold import NO, YES, Folder, conjuncts, renamed
from verifier.diff.merge import Answer, Merger, SideCase
from verifier.diff.unify import SIDES, Which
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.ruleset import Param
from verifier.model.terms import Term, children, free_variables
from verifier.model.types import BOOL
from verifier.model.values import show


@dataclass(frozen=True, slots=True)
class Half:
    """One side of a matter. `asked` is when an answer is due; `supplied` that the law itself says nothing, but the
    ruleset supplies a meaning. `args` are the side's own arguments, of the matter's parameters."""

    which: Which
    cases: tuple[SideCase, ...]
    asked: Term
    supplied: str | None
    args: tuple[Term, ...]

    @property
    def answered(self) -> bool:
        return bool(self.cases)


@dataclass(frozen=True, slots=True)
class Matter:
    """A decision on both sides. `about` fixes parts of its arguments (`w.kind` is `initial`).

    `closed` are the parameters for which the rules ask one value only (`d`, for which they ask `finish`), `made` those
    that name a thing that need not exist. `foreign` are the sides that do not have the values that `about` fixes.
    """

    name: str
    params: tuple[Param, ...]
    about: tuple[tuple[str, str], ...]
    closed: tuple[tuple[str, Term], ...]
    old: Half
    new: Half
    fixed: Term
    made: frozenset[str] = frozenset()
    foreign: frozenset[Which] = frozenset()

    @property
    def title(self) -> str:
        """`outcome(w), w.kind = initial`."""
        head = f"{self.name}({', '.join(p.name for p in self.params)})" if self.params else self.name
        return ", ".join((head, *(f"{what} = {value}" for what, value in self.about)))


def alike(matter: Matter) -> bool:
    """Whether both sides have the same cases, term for term."""
    first = {(c.applies, c.value) for c in matter.old.cases}
    return first == {(c.applies, c.value) for c in matter.new.cases}


def matters(merger: Merger, name: str, owed: bool = True) -> tuple[Matter, ...]:
    """A decision that both sides have, taken apart by the enumerations in the keys of its arguments; also where no
    answer is `owed`, if that is asked for.

    Nothing where the arguments are not of the same types.
    """
    first, second = merger.answer("old", name), merger.answer("new", name)
    if first is None or second is None:
        return ()
    if not owed:
        first, second = replace(first, asked=None), replace(second, asked=None)
    program = merger.program()
    joined = _joined(merger, program, first, second)
    if joined is None:
        return ()
    params, closed, old_by, new_by = joined
    loose = [_loosely(answer, by) for answer, by in ((first, old_by), (second, new_by))]
    old, new = _put(first, old_by), _put(second, new_by)
    splits = _splits(params, [*_terms(old), *_terms(new)], program)
    found: list[Matter] = []
    for values in product(*(_values(params, split) for split in splits)):
        fixed = dict(zip(splits, values, strict=True))
        folder = Folder(program, fixed)
        halves = [
            _half(merger, answer, folder, tuple(by[p.name] for p in answer.params))
            for answer, by in ((old, old_by), (new, new_by))
        ]
        if not any(half.answered and half.asked != NO for half in halves):
            continue
        types = {p.name: p.type for p in params}
        about = tuple(
            (f"{var}.{_part(types[var], at)[0]}", show(value.type, value.value))
            for (var, at), value in fixed.items()
        )
        condition = [
            m.CompareT(BOOL, "=", m.Part(value.type, m.Var(types[var], var), at), value)
            for (var, at), value in fixed.items()
        ]
        known = condition[0] if len(condition) == 1 else m.AndT(BOOL, tuple(condition)) if condition else YES
        foreign = frozenset[Which](
            which
            for which in SIDES
            if not all(merger.common.side(which).has(value.type, value.value) for value in fixed.values())
        )
        left, fixing = _closing(params, [var for var, _ in splits], halves, loose)
        halves = [_fixed(half, by, folder) for half, by in zip(halves, fixing, strict=True)]
        also = tuple(
            entry
            for p in params
            if p not in left
            for entry in _entries(p.name, fixing[0][p.name], fixing[1][p.name])
        )
        found.append(
            Matter(name, left, about, (*closed, *also), halves[0], halves[1], known, foreign=foreign)
        )
    return tuple(found)


def _terms(answer: Answer) -> list[Term]:
    bodies = [] if answer.body is None else [answer.body]
    return [*(c.applies for c in answer.cases), *(c.value for c in answer.cases), *bodies]


# ----------------------------------------------------------------------------------------------- parameters
def _joined(
    merger: Merger, program: Program, first: Answer, second: Answer
) -> tuple[tuple[Param, ...], tuple[tuple[str, Term], ...], dict[str, Term], dict[str, Term]] | None:
    """The parameters that both sides have, and what each side's own stand for."""
    if first.type != second.type:
        return None
    names = {answer.which: _names(merger, answer) for answer in (first, second)}
    closed = {answer.which: _closed(answer) for answer in (first, second)}
    params: list[Param] = []
    by: dict[Which, dict[str, Term]] = {"old": {}, "new": {}}
    kept: list[tuple[str, Term]] = []
    taken: set[str] = set()
    for p in first.params:
        other = next((q for q in second.params if q.type == p.type and q.name not in taken), None)
        a = closed["old"].get(p.name) if other is not None else _named(first, p)
        b = closed["new"].get(other.name) if other is not None else a
        if other is not None:
            taken.add(other.name)
        if a is not None and (a == b or other is None):
            # What only one side takes is the value of which that side asks.
            by["old"][p.name] = a
            if other is not None:
                by["new"][other.name] = a
            kept.append((names["old"][p.name], a))
        elif a is not None and b is not None and other is not None and not _literal(a, b):
            by["old"][p.name], by["new"][other.name] = a, b
            kept += [(f"old.{names['old'][p.name]}", a), (f"new.{names['new'][other.name]}", b)]
        elif other is None:
            return None
        else:
            # Where one side asks it of one value only, and the other of others too, answers are owed in other cases.
            variable = m.Var(p.type, names["old"][p.name])
            params.append(Param(variable.name, p.type))
            by["old"][p.name] = by["new"][other.name] = variable
    for q in second.params:
        if q.name in taken:
            continue
        value = _named(second, q)
        if value is None:
            return None
        by["new"][q.name] = value
        kept.append((names["new"][q.name], value))
    return tuple(params), tuple(kept), by["old"], by["new"]


def _entries(name: str, first: Term, second: Term) -> list[tuple[str, Term]]:
    return [(name, first)] if first == second else [(f"old.{name}", first), (f"new.{name}", second)]


def _questions(asked: Term) -> tuple[Term, ...]:
    return asked.items if isinstance(asked, m.OrT) else (asked,)


def _loosely(answer: Answer, by: Mapping[str, Term]) -> dict[str, Term]:
    """By a matter's parameters the one value of each that some rules of a side ask for, whatever others ask."""
    found: dict[str, Term] = {}
    for param in answer.params:
        variable = by.get(param.name)
        if answer.asked is None or not isinstance(variable, m.Var):
            continue
        values = set[Term]().union(*(_fixes(one, param.name) for one in _questions(answer.asked)))
        if len(values) == 1:
            found[variable.name] = values.pop()
    return found


def _closing(
    params: tuple[Param, ...],
    split: Sequence[str],
    halves: Sequence[Half],
    loose: Sequence[Mapping[str, Term]],
) -> tuple[tuple[Param, ...], list[dict[str, Term]]]:
    """What of a matter's parameters both sides ask of one value only for the things that it is about, or of any where
    nothing that they say hangs on it: the parameters that are left, and by side the values of the others."""
    left: list[Param] = []
    by: list[dict[str, Term]] = [{}, {}]
    for param in params:
        values = [one.get(param.name) for one in loose]
        first, second = values
        idle = not any(
            param.name in free_variables(term)
            for half in halves
            for c in half.cases
            for term in (c.applies, c.value)
        )
        if (
            first is None
            or second is None
            or param.name in split
            or (first != second and _literal(first, second))
            or not all(
                _asks_only(half.asked, param.name, value, idle)
                for half, value in zip(halves, values, strict=True)
            )
        ):
            left.append(param)
        else:
            by[0][param.name], by[1][param.name] = first, second
    return tuple(left), by


def _asks_only(asked: Term, name: str, value: Term | None, idle: bool) -> bool:
    """Whether an answer is asked of one value only; of any too where the parameter is `idle`."""
    if asked == NO:
        return True
    return all(
        any(_equated(c, name) == value for c in conjuncts(one)) or (idle and name not in free_variables(one))
        for one in _questions(asked)
    )


def _fixed(half: Half, by: Mapping[str, Term], folder: Folder) -> Half:
    """A side with values put in for parameters."""
    if not by:
        return half
    put = of(half, by)
    cases = tuple(
        replace(c, applies=applies, value=folder.fold(c.value))
        for c in put.cases
        if (applies := folder.fold(c.applies)) != NO
    )
    return replace(put, cases=cases, asked=folder.fold(put.asked))


def of(half: Half, by: Mapping[str, Term]) -> Half:
    """A side of what is put in for its parameters."""
    cases = tuple(replace(c, applies=renamed(c.applies, by), value=renamed(c.value, by)) for c in half.cases)
    args = tuple(renamed(arg, by) for arg in half.args)
    return replace(half, cases=cases, asked=renamed(half.asked, by), args=args)


def _literal(*terms: Term) -> bool:
    return all(isinstance(term, m.Lit) for term in terms)


def _names(merger: Merger, answer: Answer) -> dict[str, str]:
    """What the parameters are called where the thing is declared."""
    program = merger.programs[answer.which]
    declared = (
        program.decisions[answer.name].params
        if answer.name in program.decisions
        else program.functions[answer.name].params
    )
    return {f"p{i}": p.name for i, p in enumerate(declared)}


def _closed(answer: Answer) -> dict[str, Term]:
    """Parameters of which the answer is asked for one value only, by whichever rule."""
    if answer.asked is None:
        return {}
    found: dict[str, Term] = {}
    for param in answer.params:
        fixed = [_fixes(one, param.name) for one in _questions(answer.asked)]
        if all(fixed) and len(values := set().union(*fixed)) == 1:
            found[param.name] = values.pop()
    return found


def _named(answer: Answer, param: Param) -> Term | None:
    """The one value that a side names of a parameter which the other does not have, wherever its rules speak of it as
    they ask."""
    if answer.asked is None:
        return None
    values: set[Term] = set()
    for one in _questions(answer.asked):
        fixed = _fixes(one, param.name)
        if not fixed and param.name in free_variables(one):
            return None
        values |= fixed
    return values.pop() if len(values) == 1 else None


def _fixes(question: Term, name: str) -> set[Term]:
    """What a condition says that a parameter is, where that reads no parameter."""
    return {v for c in conjuncts(question) if (v := _equated(c, name)) is not None}


def _equated(term: Term, name: str) -> Term | None:
    """What a condition says that a parameter is, where that reads no parameter."""
    match term:
        case m.CompareT(op="=", left=m.Var(name=found), right=value) if found == name:
            return None if free_variables(value) else value
        case m.CompareT(op="=", left=value, right=m.Var(name=found)) if found == name:
            return None if free_variables(value) else value
        case _:
            return None


def _put(answer: Answer, by: Mapping[str, Term]) -> Answer:
    return replace(
        answer,
        cases=tuple(
            replace(c, applies=renamed(c.applies, by), value=renamed(c.value, by)) for c in answer.cases
        ),
        asked=None if answer.asked is None else renamed(answer.asked, by),
        body=None if answer.body is None else renamed(answer.body, by),
    )


# -------------------------------------------------------------------------------------------------- taking apart
def _part(type_: ty.Type, at: int) -> tuple[str, ty.Type]:
    assert isinstance(type_, ty.EntityT)
    return type_.keys[at]


def _splits(params: Sequence[Param], terms: Sequence[Term], program: Program) -> list[tuple[str, int]]:
    """The parts of keys, of enumerations, that some rule compares with a constant."""
    compared: set[tuple[str, int]] = set()
    seen: set[tuple[str, tuple[Term, ...]]] = set()

    def visit(term: Term) -> None:
        match term:
            case m.CompareT(left=m.Part(of=m.Var(name=var), index=index, type=ty.EnumT()), right=m.Lit()):
                compared.add((var, index))
            case m.CallF(function=name, args=args) if (name, args) not in seen:
                seen.add((name, args))
                function = program.functions[name]
                if any(isinstance(a, m.Var) for a in args):
                    visit(
                        renamed(
                            function.body, dict(zip((p.name for p in function.params), args, strict=True))
                        )
                    )
            case _:
                pass
        for child in children(term):
            visit(child)

    for term in terms:
        visit(term)
    names = {p.name: p.type for p in params}
    return sorted((var, at) for var, at in compared if isinstance(names.get(var), ty.EntityT))


def _values(params: Sequence[Param], split: tuple[str, int]) -> list[m.Lit]:
    type_ = next(p.type for p in params if p.name == split[0])
    part = _part(type_, split[1])[1]
    return [m.Lit(part, value) for value in ty.finite_values(part) or ()]


def _half(merger: Merger, answer: Answer, folder: Folder, args: tuple[Term, ...]) -> Half:
    asked = YES if answer.asked is None else folder.fold(answer.asked)
    program = merger.programs[answer.which]
    if answer.body is not None:
        function = program.functions[answer.name]
        rule = function.clause or ""
        body = folder.fold(answer.body)
        cases: tuple[SideCase, ...]
        if answer.type == BOOL:
            cases = (
                SideCase(rule, rule, body, YES),
                SideCase(rule, rule, folder.fold(m.NotT(BOOL, body)), NO),
            )
        else:
            cases = (SideCase(rule, rule, YES, body),)
        return Half(answer.which, tuple(c for c in cases if c.applies != NO), asked, function.supplied, args)
    cases = tuple(
        SideCase(c.unit, c.rule, applies, folder.fold(c.value))
        for c in answer.cases
        if (applies := folder.fold(c.applies)) != NO
    )
    return Half(answer.which, cases, asked, None, args)
