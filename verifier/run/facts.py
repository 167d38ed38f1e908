"""What a condition rests on: its conjuncts with their truth, and the values that it read, in words.

Everything is evaluated by the machine's own closures, on subterms of the rules' conditions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.history import constant_value
from verifier.model.ruleset import Ruleset
from verifier.model.show import APPLIES, Names, cite, fill, show_term
from verifier.model.terms import Term, free_variables
from verifier.model.types import Type
from verifier.model.values import show
from verifier.run.bench import Bench
from verifier.run.operators import Closure
from verifier.run.undefined import Reason, Undefined

Truth = Literal["yes", "no", "unknown"]

DEPTH = 2
"""So many defines and decisions inside each other have the values that they read shown."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A value that a condition read: `total(B1H1)` is `23`, by rules `rules` where it is decided, out of `read`.

    `why` says why it is unknown, and is empty where it is not.
    """

    text: str
    value: str
    why: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    read: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class Conjunct:
    """One conjunct of a condition, as the rule writes it. `example` is an element that settles a quantifier;
    `parts` are the sides of an `or`; `why` says why its truth is unknown."""

    text: str
    truth: Truth
    why: tuple[str, ...] = ()
    example: str | None = None
    parts: tuple[Conjunct, ...] = ()


Scope = Mapping[str, tuple[Type, Any]]
"""Variables with their types and values."""


def reason_words(reason: Reason, ruleset: Ruleset) -> str:
    """Why a value is undefined, in a sentence without its full stop."""
    units = " and ".join(dict.fromkeys(cite(unit) for unit in reason.units))
    match reason.kind:
        case "gap":
            return f"no rule gives {reason.what} here"
        case "conflict":
            return f"{units} give {reason.what} different values"
        case "absent":
            return f"there is no {reason.what}"
        case "option":
            clause = ruleset.options[reason.what].clause if reason.what in ruleset.options else None
            return f"the option {reason.what} is not stated" + (f" ({clause})" if clause else "")
        case "unrecorded":
            return f"the log does not record {reason.what}"
        case "history":
            return f"{reason.what} may have been before the log began"
        case "impossible":
            return f"{reason.what} could not have happened"
        case "large":
            return f"{reason.what} is too large to check"


def conjuncts_of(terms: Iterable[Term]) -> Iterator[Term]:
    """The conjuncts of several conditions, flat."""
    for term in terms:
        if isinstance(term, m.AndT):
            yield from conjuncts_of(term.items)
        else:
            yield term


@dataclass(slots=True)
class Reading:
    """Evaluates terms in the state that the bench's machine has entered, and puts them into words."""

    bench: Bench
    names: Names
    closures: dict[tuple[Term, tuple[str, ...]], Closure] = field(init=False)

    def __post_init__(self) -> None:
        """Closures are kept with the machine, for all that read in it."""
        kept = self.bench.machine.kept.setdefault(Reading, {})
        self.closures = cast("dict[tuple[Term, tuple[str, ...]], Closure]", kept)

    @property
    def ruleset(self) -> Ruleset:
        return self.bench.program.ruleset

    def value(self, term: Term, scope: Scope) -> Any:
        """The term's value; raises `Undefined`. Unstated options are tried as the judge tries them."""
        names = tuple(scope)
        closure = self.closures.get((term, names))
        if closure is None:
            closure = self.closures[term, names] = self.bench.machine.closure(term, names)
        frame = [value for _, value in scope.values()]
        return self.bench.ask(lambda: closure(list(frame)))

    def why(self, undefined: Undefined) -> tuple[str, ...]:
        return tuple(reason_words(reason, self.ruleset) for reason in sorted(undefined.reasons))

    def truth(self, term: Term, scope: Scope) -> tuple[Truth, tuple[str, ...]]:
        """Whether a condition holds, and why nobody can tell where that is so."""
        try:
            return ("yes" if self.value(term, scope) else "no"), ()
        except Undefined as undefined:
            return "unknown", self.why(undefined)

    def all_true(self, terms: Iterable[Term], scope: Scope) -> Truth:
        """Whether all conditions hold."""
        found: Truth = "yes"
        for term in terms:
            truth, _ = self.truth(term, scope)
            if truth == "no":
                return "no"
            found = "unknown" if truth == "unknown" else found
        return found

    # ------------------------------------------------------------------------------------------ conjuncts
    def conjuncts(self, terms: Iterable[Term], scope: Scope) -> tuple[Conjunct, ...]:
        """The conjuncts of conditions, each with its truth."""
        return tuple(self.conjunct(term, scope) for term in conjuncts_of(terms))

    def conjunct(self, term: Term, scope: Scope) -> Conjunct:
        truth, why = self.truth(term, scope)
        text = show_term(term, self.names)
        parts: tuple[Conjunct, ...] = ()
        if isinstance(term, m.OrT) and " in {" not in text:
            parts = tuple(self.conjunct(item, scope) for item in term.items)
        return Conjunct(text, truth, why, self._example(term, truth, scope), parts)

    def _example(self, term: Term, truth: Truth, scope: Scope) -> str | None:
        """The element that makes `some` true or `every` false, by name, with those inside it."""
        if isinstance(term, m.NotT):
            opposite: dict[Truth, Truth] = {"yes": "no", "no": "yes", "unknown": "unknown"}
            return self._example(term.of, opposite[truth], scope)
        if not isinstance(term, m.Quant) or truth != ("yes" if term.kind == "some" else "no"):
            return None
        kept = [] if term.where is None else [term.where]
        body = term.body if term.kind == "some" else m.NotT(ty.BOOL, term.body)
        for element in self.elements(term.domain, scope):
            inside = {**scope, term.var: (term.domain.type, element)}
            if self.all_true([*kept, body], inside) == "yes":
                deeper = self._example(term.body, truth, inside)
                own = f"{term.var.split(chr(39))[0]} = {show(term.domain.type, element)}"
                return own if deeper is None else f"{own}, {deeper}"
        return None

    def elements(self, domain: m.Domain, scope: Scope) -> list[Any]:
        """The elements of a domain, in order; none where nobody can tell."""
        try:
            run = self.bench.machine.elements(domain, "it", None, tuple(scope))
            return run([value for _, value in scope.values()])
        except Undefined:
            return []

    # ---------------------------------------------------------------------------------------------- facts
    def facts(self, terms: Iterable[Term], scope: Scope, depth: int = DEPTH) -> tuple[Fact, ...]:
        """What conditions, or the bodies of defines, read; each once, with values."""
        found: dict[str, Fact] = {}
        for term in terms:
            for atom in _atoms(term, frozenset()):
                whole = isinstance(atom, m.Fold | m.Pick) and atom == term
                fact = None if whole else self._fact(atom, scope, depth)
                if fact is not None:
                    found.setdefault(fact.text, fact)
        return tuple(found.values())

    def _fact(self, atom: Term, scope: Scope, depth: int) -> Fact | None:
        if any(name not in scope for name in free_variables(atom)):
            return None
        if isinstance(atom, m.CallF) and constant_value(self.bench.program.functions[atom.function].body):
            return None
        text = show_term(atom if _of_variable(atom) else self._evaluated(atom, scope), self.names)
        rules, read = self._behind(atom, scope, depth)
        try:
            return Fact(text, show(atom.type, self.value(atom, scope)), (), rules, read)
        except Undefined as undefined:
            return Fact(text, "unknown", self.why(undefined), rules, read)

    def _evaluated(self, atom: Term, scope: Scope) -> Term:
        """`atom` with its direct arguments as values, where they have some."""
        from verifier.model.rewrite import map_children

        values = {name: value for name, (_, value) in scope.items()}
        types = {name: type_ for name, (type_, _) in scope.items()}

        def known(child: Term) -> Term:
            try:
                return m.Lit(child.type, self.value(child, scope))
            except Undefined:
                return fill(child, values, types)

        match atom:
            case m.CallF() | m.Decide() | m.Field() | m.Get() | m.Count():
                return map_children(atom, known)
            case m.CompareT(left=m.Count() as count):
                return m.CompareT(atom.type, atom.op, map_children(count, known), atom.right)
            case _:
                return fill(atom, values, types)

    def _behind(self, atom: Term, scope: Scope, depth: int) -> tuple[tuple[str, ...], tuple[Fact, ...]]:
        """The rules that gave a decision's value, and what a define or those rules read."""
        try:
            match atom:
                case m.CallF(function=name, args=args) if depth:
                    function = self.bench.program.functions[name]
                    inside = {
                        p.name: (p.type, self.value(a, scope))
                        for p, a in zip(function.params, args, strict=True)
                    }
                    return (), self.facts([function.body], inside, depth - 1)
                case m.Decide(decision=name, args=args):
                    decision = self.bench.program.decisions[name]
                    values = tuple(self.value(a, scope) for a in args)
                    sure, maybe, _ = self.bench.machine.cases(name, values)
                    units = list(dict.fromkeys(unit for _, unit in (*sure, *maybe)))
                    inside = {p.name: (p.type, v) for p, v in zip(decision.params, values, strict=True)}
                    bodies = [
                        item
                        for case in decision.cases
                        if case.unit in units
                        for item in conjuncts_of([self.bench.program.functions[case.applies].body])
                        if not asks_rules(item)
                    ]
                    read = self.facts(bodies, inside, depth - 1) if depth else ()
                    return tuple(dict.fromkeys(cite(unit) for unit in units)), read
                case _:
                    return (), ()
        except Undefined:
            return (), ()


def asks_rules(term: Term) -> bool:
    """Whether a term asks whether some rule applies."""
    if isinstance(term, m.CallF) and term.function.startswith(APPLIES):
        return True
    return any(asks_rules(child) for child in m.children(term))


def _of_variable(term: Term) -> bool:
    """A variable, or a part of one: shown as the rule names it."""
    return isinstance(term, m.Var) or (isinstance(term, m.Part) and _of_variable(term.of))


def _atoms(term: Term, bound: frozenset[str]) -> Iterator[Term]:
    """The largest subterms that are read as one value and hang on no bound variable."""
    match term:
        case m.Lit() | m.Make(parts=()):
            return
        case m.CompareT(left=m.Length(list=list_)):
            yield from _atoms(list_, bound)
        case m.CompareT(left=m.Count() as count, right=m.Lit()) if not free_variables(count) & bound:
            yield term
        case m.CallF(function=name) if name.startswith(APPLIES):
            return
        case m.Quant(var=var) | m.Fold(var=var) | m.Pick(var=var):
            if not isinstance(term, m.Quant) and not free_variables(term) & bound:
                yield term
            for inner in m.domain_terms(term.domain):
                yield from _atoms(inner, bound)
            body = None if isinstance(term, m.Pick) else term.body
            for part in (term.where, body):
                if part is not None:
                    yield from _atoms(part, bound | {var})
        case (
            m.Var()
            | m.Get()
            | m.Field()
            | m.Part()
            | m.OptionGet()
            | m.CallF()
            | m.Decide()
            | m.At()
            | m.Count()
            | m.BrokenT()
            | m.AfterT()
        ) if not free_variables(term) & bound:
            if not isinstance(term, m.Var) or not isinstance(term.type, ty.EntityT | ty.RecordT):
                yield term
        case _:
            for child in m.children(term):
                yield from _atoms(child, bound)
