"""Whether what reads decisions reads them only where an answer is owed, which is where they were compared.

A condition reads a decision in vain where something beside it is false: what is `a and d(x) = 1` hangs on the
decision only where `a` is not false. So each reading is taken with all that stands beside it, and it is asked whether
that leaves a state in which no answer is owed; and if so, whether of just what it is read of there the sides differ.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from verifier.core.program import Program
from verifier.diff.fold import YES, conjuncts, disjunction
from verifier.diff.matter import Matter, matters, of
from verifier.diff.merge import Merger
from verifier.diff.nowhere import comes_out_alike
from verifier.diff.unify import Which
from verifier.model import terms as m
from verifier.model.rewrite import substitute
from verifier.model.ruleset import Param
from verifier.model.terms import Term, children, free_variables, subterms
from verifier.model.types import BOOL
from verifier.prove.question import Never, Nothing, Question
from verifier.prove.wide import Wide


@dataclass(frozen=True, slots=True)
class Reading:
    """A decision that is read of `args`, where nothing `beside` it is false; `bound` are what binders go through."""

    name: str
    args: tuple[Term, ...]
    beside: tuple[Term, ...]
    bound: tuple[Param, ...]
    made: frozenset[str]


@dataclass(slots=True)
class Unasked:
    """Looks through one side's conditions for readings of `names`, common ones. What was asked stays `known`."""

    merger: Merger
    which: Which
    names: Collection[str]
    known: dict[object, bool] = field(default_factory=dict)
    _called: dict[str, str] = field(init=False)
    _matters: dict[str, tuple[Matter, ...]] = field(init=False)

    def __post_init__(self) -> None:
        own = self.merger.common.side(self.which).own
        decisions = self.merger.programs[self.which].decisions
        self._called = {
            self.merger.decision(self.which, own(name)): own(name)
            for name in self.names
            if own(name) in decisions
        }
        self._matters = {
            own(name): matters(self.merger, name, owed=False) for name in self.names if own(name) in decisions
        }

    @property
    def called(self) -> tuple[str, ...]:
        """What the decisions are called in the program that is made of both sides."""
        return tuple(self._called)

    def params(self, name: str) -> tuple[Param, ...]:
        """The parameters of one of them."""
        side = self.merger.common.side(self.which)
        decision = self.merger.programs[self.which].decisions[self._called[name]]
        return tuple(Param(p.name, side.type(p.type)) for p in decision.params)

    def reads(self, condition: Term) -> bool:
        """Whether a condition reads any of them."""
        return self._reads(self.merger.program(), condition)

    def only_asked(
        self, wide: Wide, condition: Term, params: tuple[Param, ...], made: frozenset[str]
    ) -> bool:
        """Whether all that a condition reads of the decisions is read where an answer is owed."""
        readings: list[Reading] = []
        for one in self._readings(wide.program, condition, (), (), frozenset()):
            if one is None:
                return False
            if one not in readings:
                readings.append(one)
        return all(self._compared(wide, one, params, made) for one in readings)

    def _compared(self, wide: Wide, one: Reading, params: tuple[Param, ...], made: frozenset[str]) -> bool:
        key = one, params, made
        if key not in self.known:
            self.known[key] = self._alike(wide, one, params, made) or self._asked(wide, one, params, made)
        return self.known[key]

    def _alike(self, wide: Wide, one: Reading, params: tuple[Param, ...], made: frozenset[str]) -> bool:
        """Whether the sides come to the same of what a decision is read of, also where no answer is owed."""
        plain = _plain(one, params, made)
        if plain not in self.known:
            those = self._matters[self._called[one.name]]
            put = [self._put(plain, matter) for matter in those]
            self.known[plain] = bool(put) and all(
                matter is not None and comes_out_alike(wide, matter) for matter in put
            )
        return self.known[plain]

    def _put(self, plain: Reading, matter: Matter) -> Matter | None:
        """A matter of just what a decision is read of; None where that cannot be said."""
        half = matter.old if self.which == "old" else matter.new
        by: dict[str, Term] = {}
        for own, arg in zip(half.args, plain.args, strict=True):
            if not isinstance(own, m.Var):
                return None
            by[own.name] = arg
        fixed = substitute(matter.fixed, by)
        old, new = (of(half, by) for half in (matter.old, matter.new))
        return replace(matter, params=plain.bound, old=old, new=new, fixed=fixed, made=plain.made)

    def _asked(self, wide: Wide, one: Reading, params: tuple[Param, ...], made: frozenset[str]) -> bool:
        asked = self.asked(one.name, one.args)
        owed = [c for c in conjuncts(asked) if c not in one.beside and c != YES]
        if not owed:
            return True
        rest = owed[0] if len(owed) == 1 else m.AndT(BOOL, tuple(owed))
        beside = [c for c in one.beside if not _decides(wide.program, c)]
        denied = disjunction([m.NotT(BOOL, c) for c in beside])
        none = (Nothing((), rest), *((Nothing((), denied),) if beside else ()))
        named = free_variables(rest).union(*(free_variables(c) for c in beside))
        known = (*(p for p in params if p.name in named), *(p for p in one.bound if p.name in named))
        question = Question(known, YES, none=none, made=(made | one.made) & named)
        return isinstance(wide.ask(question), Never)

    def asked(self, name: str, args: tuple[Term, ...]) -> Term:
        """When an answer to a decision of this side is owed of `args`."""
        decision = self.merger.programs[self.which].decisions[self._called[name]]
        if decision.asked is None:
            return YES
        by = {p.name: m.Var(p.type, f"asked {i}") for i, p in enumerate(decision.params)}
        term = self.merger.term(self.which, substitute(decision.asked, dict(by)))
        return substitute(term, {f"asked {i}": arg for i, arg in enumerate(args)})

    def _readings(
        self,
        program: Program,
        term: Term,
        beside: tuple[Term, ...],
        bound: tuple[Param, ...],
        made: frozenset[str],
    ) -> Iterator[Reading | None]:
        """Every reading in a term; None where nobody can tell what is beside it."""
        if not self._reads(program, term):
            return
        match term:
            case m.AndT(items=items):
                for at, item in enumerate(items):
                    others = [c for i, x in enumerate(items) if i != at for c in conjuncts(x)]
                    yield from self._readings(program, item, (*beside, *others), bound, made)
            case m.Ite(condition=condition, then=then, otherwise=otherwise):
                yield from self._readings(program, condition, beside, bound, made)
                held = (*beside, *conjuncts(condition))
                yield from self._readings(program, then, held, bound, made)
                held = (*beside, m.NotT(BOOL, condition))
                yield from self._readings(program, otherwise, held, bound, made)
            case (
                m.Quant(var=var, domain=domain)
                | m.Fold(var=var, domain=domain)
                | m.Pick(var=var, domain=domain)
            ):
                yield from self._of_binder(program, term, var, domain, beside, bound, made)
            case m.CallF(function=name, args=args):
                function = program.functions[name]
                body = substitute(
                    function.body, dict(zip((p.name for p in function.params), args, strict=True))
                )
                yield from self._readings(program, body, beside, bound, made)
            case m.AfterT():
                yield None
            case _:
                if isinstance(term, m.Decide) and term.decision in self._called:
                    yield Reading(term.decision, term.args, beside, bound, made)
                for child in children(term):
                    yield from self._readings(program, child, beside, bound, made)

    def _of_binder(
        self,
        program: Program,
        term: m.Quant | m.Fold | m.Pick,
        var: str,
        domain: m.Domain,
        beside: tuple[Term, ...],
        bound: tuple[Param, ...],
        made: frozenset[str],
    ) -> Iterator[Reading | None]:
        name = f"{var} {len(bound)}"  # No two are called alike.
        by: dict[str, Term] = {var: m.Var(domain.type, name)}
        bound = (*bound, Param(name, domain.type))
        if not isinstance(domain, m.OverEntity):
            made = made | {name}
        for inner in m.domain_terms(domain):
            yield from self._readings(program, inner, beside, bound[:-1], made)
        where = None if term.where is None else substitute(term.where, by)
        body = None if isinstance(term, m.Pick) or term.body is None else substitute(term.body, by)
        if where is not None:
            yield from self._readings(program, where, beside, bound, made)
            beside = (*beside, *conjuncts(where))
        if body is not None:
            yield from self._readings(program, body, beside, bound, made)

    def _reads(self, program: Program, term: Term) -> bool:
        return any(name in self._called for name in _decisions(program, term))


def _plain(one: Reading, params: tuple[Param, ...], made: frozenset[str]) -> Reading:
    """A reading of any values of its variables, whatever stands beside it and whatever these are called: many are one
    but for that."""
    named = frozenset().union(*(free_variables(arg) for arg in one.args))
    found = [p for p in (*params, *one.bound) if p.name in named]
    called = {p.name: Param(f"read {at}", p.type) for at, p in enumerate(found)}
    by: dict[str, Term] = {name: m.Var(p.type, p.name) for name, p in called.items()}
    made = frozenset(called[name].name for name in made | one.made if name in called)
    return Reading(one.name, tuple(substitute(arg, by) for arg in one.args), (), tuple(called.values()), made)


def _decides(program: Program, term: Term) -> bool:
    return bool(_decisions(program, term))


def _decisions(program: Program, term: Term) -> set[str]:
    """The decisions that a term reads, by functions too."""
    found: set[str] = set()
    seen: set[str] = set()
    rest = [term]
    while rest:
        for inner in subterms(rest.pop()):
            if isinstance(inner, m.Decide):
                found.add(inner.decision)
            elif isinstance(inner, m.CallF) and inner.function not in seen:
                seen.add(inner.function)
                rest.append(program.functions[inner.function].body)
    return found
