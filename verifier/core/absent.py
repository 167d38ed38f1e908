"""What becomes of a condition that reads a part of what is absent, or divides by nothing.

The judge cannot check such a rule there, and says nothing; where a decision has a gap or a clash it says so. A term
is undefined in both cases alike. `settled` takes the first apart from the second: what is undefined for want of
something absent becomes yes or no, what a gap or a clash leaves undefined stays so.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.rewrite import substitute
from verifier.model.terms import Term, children
from verifier.model.types import BOOL

YES = m.Lit(BOOL, True)
NO = m.Lit(BOOL, False)


@dataclass(frozen=True, slots=True)
class Reads:
    """What a term reads, through functions and decisions too: a decision's value, something that may be absent."""

    decides: bool = False
    absent: bool = False

    def __or__(self, other: Reads) -> Reads:
        return Reads(self.decides or other.decides, self.absent or other.absent)


@dataclass(slots=True)
class Absent:
    """What the terms of one program read, and how they are settled. Functions are opened only where they must be."""

    program: Program
    _functions: dict[str, Reads] = field(default_factory=dict)
    _decisions: dict[str, Reads] = field(default_factory=dict)
    _open: list[str] = field(default_factory=list)

    # ---------------------------------------------------------------------------------------- what is read
    def reads(self, term: Term) -> Reads:
        """What a term reads, itself and through what it calls."""
        match term:
            case m.CallF(function=name):
                found = self._function(name)
            case m.Decide(decision=name):
                found = Reads(decides=True) | self._decision(name)
            case m.Force():
                found = Reads(absent=True)
            case m.Part(of=of) | m.Field(of=of):
                found = Reads(absent=isinstance(of.type, ty.OptT))
            case m.ArithT(op=("/" | "mod" | "div"), right=right):
                found = Reads(absent=not self._never_zero(right))
            case _:
                found = Reads()
        for child in children(term):
            found |= self.reads(child)
        return found

    def _function(self, name: str) -> Reads:
        if name not in self._functions:
            self._functions[name] = self.reads(self.program.functions[name].body)
        return self._functions[name]

    def _decision(self, name: str) -> Reads:
        """As `reads` has it of the decision's cases. Decisions may read one another: it grows until it is stable."""
        if not self._decisions:
            self._decisions = dict.fromkeys(self.program.decisions, Reads(decides=True))
            before: dict[str, Reads] = {}
            while before != self._decisions:
                before = dict(self._decisions)
                self._functions.clear()
                for decision in self.program.decisions.values():
                    for case in decision.cases:
                        self._decisions[decision.name] |= self._function(case.applies) | self.reads(
                            case.value
                        )
        return self._decisions[name]

    def _never_zero(self, term: Term) -> bool:
        match term:
            case m.Lit(value=value):
                return value != 0
            case m.OptionGet(name=name) if (values := self.program.ruleset.options[name].values) is not None:
                return 0 not in values
            case _:
                return isinstance(term.type, ty.IntT) and (
                    (term.type.low is not None and term.type.low > 0)
                    or (term.type.high is not None and term.type.high < 0)
                )

    # --------------------------------------------------------------------------------------------- settling
    def settled(self, term: Term, as_: bool) -> Term:
        """A condition that is `as_` wherever `term` is undefined and something absent is among the reasons.

        Where a decision reads something absent that it may do without, it may be `as_` too often.
        """
        reads = self.reads(term)
        if not reads.absent:
            return term
        filled = self._filled(term, as_)
        if not reads.decides:
            return filled
        met = self._met(term)
        return some_of(filled, met) if as_ else all_of(filled, negated(met))

    def _filled(self, term: Term, as_: bool) -> Term:
        """`term` with each of its conditions that reads something absent taken for what makes the whole `as_`."""
        if not self.reads(term).absent:
            return term
        match term:
            case m.AndT(items=items):
                return all_of(*(self._filled(item, as_) for item in items))
            case m.OrT(items=items):
                return some_of(*(self._filled(item, as_) for item in items))
            case m.NotT(of=of):
                return negated(self._filled(of, not as_))
            case m.AfterT(of=of):
                return m.AfterT(BOOL, self._filled(of, as_))
            case m.Quant(kind=kind, var=var, domain=domain, where=where, body=body):
                some = kind == "some"
                inner = m.Quant(
                    BOOL,
                    kind,
                    var,
                    domain,
                    None if where is None else self._filled(where, as_ if some else not as_),
                    self._filled(body, as_),
                )
                return self._if_told(self._domain_told(domain), inner, as_)
            case m.Ite(condition=condition, then=then, otherwise=otherwise):
                inner_if = m.Ite(BOOL, condition, self._filled(then, as_), self._filled(otherwise, as_))
                return self._if_told(self._told(condition), inner_if, as_)
            case m.CallF() if term.function not in self._open:
                return self._if_told(self._all_told(term.args), self._opened(term, as_), as_)
            case _:
                return self._if_told(self._told(term), term, as_)

    def _opened(self, call: m.CallF, as_: bool) -> Term:
        self._open.append(call.function)
        try:
            return self._filled(self._body(call), as_)
        finally:
            self._open.pop()

    def _body(self, call: m.CallF) -> Term:
        function = self.program.functions[call.function]
        by = {p.name: a for p, a in zip(function.params, call.args, strict=True)}
        return substitute(function.body, by)

    @staticmethod
    def _if_told(told: Term, term: Term, as_: bool) -> Term:
        if told == YES:
            return term
        return some_of(negated(told), term) if as_ else all_of(told, term)

    # ------------------------------------------------------------------------- whether nothing absent is met
    def _told(self, term: Term) -> Term:
        """That reading `term` meets nothing absent, or that this does not matter. It may be no too often."""
        if not self.reads(term).absent:
            return YES
        match term:
            case m.AndT() | m.OrT() | m.NotT() | m.Quant():
                return some_of(self._filled(term, False), negated(self._filled(term, True)))
            case m.Force(of=of):
                return all_of(self._told(of), m.Present(BOOL, of))
            case m.Part(of=of) | m.Field(of=of) if isinstance(of.type, ty.OptT):
                return all_of(self._told(of), m.Present(BOOL, of))
            case m.ArithT(op=op, left=left, right=right):
                zero = op in ("/", "mod", "div") and not self._never_zero(right)
                sound = m.CompareT(BOOL, "!=", right, m.Lit(ty.INT, 0)) if zero else YES
                return all_of(self._told(left), self._told(right), sound)
            case m.Ite(condition=condition, then=then, otherwise=otherwise):
                branches = m.Ite(BOOL, condition, self._told(then), self._told(otherwise))
                return all_of(self._told(condition), branches)
            case m.CallF(function=name, args=args):
                if name in self._open:
                    return NO
                self._open.append(name)
                try:
                    return all_of(self._all_told(args), self._told(self._body(term)))
                finally:
                    self._open.pop()
            case m.Decide():
                return self._decision_told(term)
            case m.AfterT(of=of):
                return m.AfterT(BOOL, self._told(of))
            case m.Fold(var=var, domain=domain, where=where, body=body):
                return self._each_told(var, domain, where, body)
            case m.Pick(var=var, domain=domain, where=where):
                return self._each_told(var, domain, where, None)
            case _:
                return self._all_told(children(term))

    def _all_told(self, terms: tuple[Term, ...]) -> Term:
        return all_of(*(self._told(term) for term in terms))

    def _domain_told(self, domain: m.Domain) -> Term:
        return self._all_told(m.domain_terms(domain))

    def _each_told(self, var: str, domain: m.Domain, where: Term | None, body: Term | None) -> Term:
        inner = YES if body is None else self._told(body)
        if where is not None:
            inner = all_of(self._told(where), some_of(negated(where), inner) if inner != YES else YES)
        if inner == YES:
            return self._domain_told(domain)
        return all_of(self._domain_told(domain), m.Quant(BOOL, "every", var, domain, None, inner))

    def _decision_told(self, term: m.Decide) -> Term:
        """That no case of a decision reads anything absent."""
        key = f"decide {term.decision}"
        if key in self._open:
            return NO
        self._open.append(key)
        try:
            decision = self.program.decisions[term.decision]
            by = {p.name: a for p, a in zip(decision.params, term.args, strict=True)}
            items = [self._all_told(term.args)]
            for case in decision.cases:
                applies = m.CallF(BOOL, case.applies, term.args)
                value = self._told(substitute(case.value, by))
                items.append(self._told(applies))
                if value != YES:
                    items.append(some_of(negated(applies), value))
            return all_of(*items)
        finally:
            self._open.pop()

    # ---------------------------------------------------- whether something absent is among several reasons
    def _met(self, term: Term) -> Term:
        """That something absent may be among the reasons why `term` is undefined. It may be yes too often."""
        if not self.reads(term).absent:
            return NO
        match term:
            case m.AndT(items=items):
                return all_of(
                    some_of(*map(self._met, items)), *(self._filled(i, True) for i in self._plain(items))
                )
            case m.OrT(items=items):
                open_ = (negated(self._filled(i, False)) for i in self._plain(items))
                return all_of(some_of(*map(self._met, items)), *open_)
            case m.NotT(of=of):
                return self._met(of)
            case m.AfterT(of=of):
                return m.AfterT(BOOL, self._met(of))
            case m.Quant(kind=kind, var=var, domain=domain, where=where, body=body):
                inner = body
                if where is not None:
                    inner = all_of(where, body) if kind == "some" else some_of(negated(where), body)
                met = m.Quant(BOOL, "some", var, domain, None, self._met(inner))
                return some_of(negated(self._domain_told(domain)), met)
            case m.CallF(function=name, args=args) if name not in self._open:
                self._open.append(name)
                try:
                    return some_of(negated(self._all_told(args)), self._met(self._body(term)))
                finally:
                    self._open.pop()
            case _:
                return negated(self._told(term))

    def _plain(self, items: tuple[Term, ...]) -> list[Term]:
        return [item for item in items if not self.reads(item).decides]


def all_of(*items: Term) -> Term:
    """All of `items`; what is plainly yes is dropped."""
    rest = [item for item in items if item != YES]
    if NO in rest:
        return NO
    if not rest:
        return YES
    return rest[0] if len(rest) == 1 else m.AndT(BOOL, tuple(rest))


def some_of(*items: Term) -> Term:
    """Some of `items`; what is plainly no is dropped."""
    rest = [item for item in items if item != NO]
    if YES in rest:
        return YES
    if not rest:
        return NO
    return rest[0] if len(rest) == 1 else m.OrT(BOOL, tuple(rest))


def negated(item: Term) -> Term:
    match item:
        case m.Lit(value=value):
            return m.Lit(BOOL, not value)
        case m.NotT(of=of):
            return of
        case _:
            return m.NotT(BOOL, item)
