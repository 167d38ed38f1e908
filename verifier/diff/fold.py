"""Terms made smaller where a part of a variable's key is fixed, and read more easily: what is constant is folded."""

from __future__ import annotations

from collections.abc import Mapping

from verifier.core.lower import conjunction as conjunction
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.rewrite import map_children, substitute
from verifier.model.ruleset import Param
from verifier.model.show import APPLIES
from verifier.model.terms import Term, children, free_variables
from verifier.model.types import BOOL

YES, NO = m.Lit(BOOL, True), m.Lit(BOOL, False)

Key = tuple[str, int]
"""A variable and the position of a part of its key."""


def disjunction(items: list[Term]) -> Term:
    """Any of `items`; `no` is dropped, and nested disjunctions are flattened."""
    flat: list[Term] = []
    for item in items:
        flat += item.items if isinstance(item, m.OrT) else (item,)
    flat = list(dict.fromkeys(item for item in flat if item != NO))
    if YES in flat:
        return YES
    if not flat:
        return NO
    return flat[0] if len(flat) == 1 else m.OrT(BOOL, tuple(flat))


class Folder:
    """Folds terms of a merged program; `fixed` says what parts of keys are."""

    def __init__(self, program: Program, fixed: Mapping[Key, m.Lit]) -> None:
        self.program = program
        self.fixed = fixed
        self._known: dict[Term, Term] = {}

    def fold(self, term: Term) -> Term:
        """`term`, with the questions whether a rule applies opened, and with what is fixed put in."""
        if term not in self._known:
            self._known[term] = self._fold(term)
        return self._known[term]

    def _fold(self, term: Term) -> Term:
        match term:
            case m.CallF(function=name, args=args) if name.startswith(APPLIES):
                function = self.program.functions[name]
                by = dict(zip((p.name for p in function.params), args, strict=True))
                return self.fold(substitute(function.body, by))
            case m.Part(of=m.CallF(function=name, args=args), index=index) if isinstance(
                self.program.functions[name].body, m.Make
            ):
                function = self.program.functions[name]
                assert isinstance(function.body, m.Make)
                by = dict(zip((p.name for p in function.params), args, strict=True))
                return self.fold(substitute(function.body.parts[index], by))
            case m.Part(of=m.Var(name=var), index=index) if (var, index) in self.fixed:
                return self.fixed[var, index]
            case m.Quant() | m.Fold() | m.Pick():
                return map_children(term, self.fold)
            case m.CallF(type=ty.BoolT(), function=name, args=args) if self._about_fixed(args):
                function = self.program.functions[name]
                by = dict(zip((p.name for p in function.params), args, strict=True))
                inside = self.fold(substitute(function.body, by))
                return inside if isinstance(inside, m.Lit) else map_children(term, self.fold)
        found = map_children(term, self.fold)
        match found:
            case m.AndT(items=items):
                if NO in items:
                    return NO
                return conjunction(list(dict.fromkeys(items)))
            case m.OrT(items=items):
                return disjunction(list(items))
            case m.NotT(of=m.Lit(value=value)):
                return NO if value else YES
            case m.NotT(of=m.NotT(of=of)):
                return of
            case m.CompareT(op=op, left=m.Lit(value=a), right=m.Lit(value=b)) if (
                a is not None and b is not None
            ):
                return YES if _compared(op, a, b) else NO
            case m.CompareT(op=("=" | "!=") as op, left=left, right=right) if left == right and isinstance(
                left, m.Var
            ):
                return YES if op == "=" else NO
            case m.Ite(condition=m.Lit(value=value), then=then, otherwise=otherwise):
                return then if value else otherwise
            case m.Part(of=m.Make(parts=parts), index=index):
                return parts[index]
            case m.TableT(of=m.Lit(value=key), rows=rows):
                return next((row for known, row in rows if known == key), found)
            case _:
                return found

    def _about_fixed(self, args: tuple[Term, ...]) -> bool:
        return any(isinstance(arg, m.Var) and any(arg.name == var for var, _ in self.fixed) for arg in args)


def _compared(op: str, a: object, b: object) -> bool:
    match op:
        case "=":
            return a == b
        case "!=":
            return a != b
        case "<":
            return a < b  # type: ignore[operator,no-any-return]
        case "<=":
            return a <= b  # type: ignore[operator,no-any-return]
        case ">":
            return a > b  # type: ignore[operator,no-any-return]
        case _:
            return a >= b  # type: ignore[operator,no-any-return]


# ------------------------------------------------------------------------------------------------ what is costly
class Loosener:
    """Replaces what ranges over entities or people, and breaches, by variables that may be anything.

    What cannot be with these free cannot be at all, and is far quicker to see.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.params: dict[Term, Param] = {}
        self._wide: dict[str, bool] = {}

    def loosen(self, term: Term) -> Term:
        """`term` with free variables in place of what is costly."""
        match term:
            case m.Quant() | m.Fold() | m.Pick() if _over_many(term.domain):
                return self._free(term)
            case m.BrokenT():
                return self._free(term)
            case m.CallF(function=name, args=args) if self._is_wide(name):
                function = self.program.functions[name]
                by = dict(zip((p.name for p in function.params), args, strict=True))
                return self.loosen(substitute(function.body, by))
            case m.Decide(decision=name) if self._decides_widely(name):
                return self._free(term)
            case _:
                return map_children(term, self.loosen)

    def _free(self, term: Term) -> Term:
        if term not in self.params:
            self.params[term] = Param(f"open {len(self.params)}", term.type)
        return m.Var(term.type, self.params[term].name)

    def _is_wide(self, name: str) -> bool:
        if name not in self._wide:
            self._wide[name] = False
            self._wide[name] = self._reads_widely(self.program.functions[name].body)
        return self._wide[name]

    def _decides_widely(self, name: str) -> bool:
        key = f"decision {name}"
        if key not in self._wide:
            self._wide[key] = False
            cases = self.program.decisions[name].cases
            self._wide[key] = any(self._is_wide(c.applies) or self._reads_widely(c.value) for c in cases)
        return self._wide[key]

    def _reads_widely(self, term: Term) -> bool:
        match term:
            case m.Quant() | m.Fold() | m.Pick() if _over_many(term.domain):
                return True
            case m.BrokenT():
                return True
            case m.CallF(function=name) if self._is_wide(name):
                return True
            case m.Decide(decision=name) if self._decides_widely(name):
                return True
            case _:
                return any(map(self._reads_widely, children(term)))


def _over_many(domain: m.Domain) -> bool:
    return isinstance(domain, m.OverEntity | m.OverIds)


def settled(term: Term, params: Mapping[Term, Param]) -> Term:
    """`term` with every freed truth taken to be false, and what else was freed as it was: a guess for where to look,
    never a proof."""
    while free_variables(term) & {p.name for p in params.values()}:
        term = substitute(term, {p.name: NO if p.type == BOOL else freed for freed, p in params.items()})
    return term


def less_obvious(term: Term) -> Term:
    """A condition without the comparisons in it of something with itself."""
    match term:
        case m.CompareT(op="=", left=left, right=right) if left == right:
            return YES
        case m.AndT(items=items):
            return conjunction([less_obvious(item) for item in items])
        case m.OrT(items=items):
            return disjunction([less_obvious(item) for item in items])
        case _:
            return term


def renamed(term: Term, by: Mapping[str, Term]) -> Term:
    """`term` with variables replaced, only where it has any of them."""
    return substitute(term, by) if free_variables(term) & set(by) else term


def conjuncts(term: Term) -> list[Term]:
    """A condition's conjuncts, flat."""
    return [x for item in term.items for x in conjuncts(item)] if isinstance(term, m.AndT) else [term]
