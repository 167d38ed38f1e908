"""Which obligations are asked of a mutant: those that may come out otherwise, as far as asking them is cheap.

An obligation that reads nothing of what was changed, be it through functions and decisions, comes out as before. Of
the obligations that speak of single rules those are asked that are about the changed rule, and about the rules whose
conditions are made of what was changed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model.ruleset import Norm, Ruleset
from verifier.model.terms import Term, children
from verifier.mutate.difference import Changed
from verifier.mutate.mutant import Mutant
from verifier.prove.found import kept
from verifier.prove.obligations import decisions, norms, options, ranges, rules, theorems
from verifier.prove.obligations.units import Resting, asked_of
from verifier.prove.question import Kind, Obligation, Question

ASKED: tuple[Kind, ...] = (
    "gap",
    "conflict",
    "theorem",
    "invariant",
    "reachable",
    "range",
    "vacuous",
    "dead rule",
    "subsumed rule",
    "idle limb",
    "idle exception",
    "unreachable option",
    "duty against prohibition",
)

NOT_ASKED: dict[Kind, str] = {
    "stuck": "it is found by long play, or left undecided",
    "reference": "it asks of the law's own words, which no mutant changes",
}

MOST_RULES = 6
"""Obligations about so many rules are asked; what is defined for more is read by others as well."""

MOST_TRIED = 200
"""So many values of a question's variables are tried in one state."""

CUT: frozenset[str] = frozenset(("limb", "condition", "rule"))
"""Kinds of mutants in which something stays in the text that decides nothing, for want of a shorter way to leave it
out. That it is idle is no catch."""


@dataclass(slots=True)
class Reading:
    """What obligations and rules of a program read, through the functions and the decisions that they ask."""

    program: Program
    _direct: dict[str, frozenset[str]] = field(default_factory=dict)
    _reads: dict[str, frozenset[str]] = field(default_factory=dict)

    def of(self, question: Question) -> frozenset[str]:
        """The functions and the decisions that a question reads."""
        terms = [question.condition, *(nothing.condition for nothing in question.none)]
        return self._closed({name for term in terms for name in _named(term)})

    def rules(self, rule: str, names: Collection[str]) -> tuple[str, ...]:
        """The rules whose conditions are made of functions that differ, `rule` itself first."""
        found = {rule: None}
        for function, owner in self._owners().items():
            if function in names or self._called(function) & frozenset(names):
                found[owner] = None
        return tuple(found)[:MOST_RULES]

    def _owners(self) -> dict[str, str]:
        """The rule of each function that says when one of its units applies."""
        found = {duty.pending: duty.rule for duty in self.program.duties}
        for norm_of in (self.program.prohibitions, self.program.permissions, self.program.endings):
            found |= {norm.applies: norm.rule for several in norm_of.values() for norm in several}
        for decision in self.program.decisions.values():
            found |= {case.applies: case.rule for case in decision.cases}
        return found

    def _closed(self, names: set[str]) -> frozenset[str]:
        found: set[str] = set()
        rest = list(names)
        while rest:
            name = rest.pop()
            if name not in found:
                found.add(name)
                rest += self._called(name)
        return frozenset(found)

    def _called(self, name: str) -> frozenset[str]:
        """What one function or decision reads itself."""
        if name not in self._direct:
            terms: list[Term] = []
            called: set[str] = set()
            if (function := self.program.functions.get(name)) is not None:
                terms.append(function.body)
            if (decision := self.program.decisions.get(name)) is not None:
                terms += [case.value for case in decision.cases]
                called |= {case.applies for case in decision.cases}
            called.update(inner for term in terms for inner in _named(term))
            self._direct[name] = frozenset(called)
        return self._direct[name]


def _named(term: Term) -> Iterator[str]:
    rest = [term]
    while rest:
        inner = rest.pop()
        rest += children(inner)
        match inner:
            case m.CallF(function=name):
                yield name
            case m.Decide(decision=name):
                yield name
            case _:
                pass


# ------------------------------------------------------------------------------------------- what must never be so
def general(program: Program) -> Iterator[Obligation]:
    """Those that do not stand by single rules: of decisions, defines and options, and what stands beside them all."""
    for module in (decisions, ranges, options, theorems):
        yield from module.obligations(program)


def refuted_before(ruleset: Ruleset) -> frozenset[str]:
    """The obligations that earlier proofs have found refuted of a ruleset, that of a pair with that of all pairs."""
    earlier = kept(ruleset)
    found: set[str] = set()
    for name, _ in () if earlier is None else earlier.plays:
        found |= {name, " ".join(name.split(" ")[:2])} if name.startswith("conflict ") else {name}
    return frozenset(found)


def clashing(program: Program, about: Collection[str]) -> Iterator[Obligation]:
    """That two rules of a decision never clash, one of them being among those named."""
    for name, decision in program.decisions.items():
        if any(case.rule in about for case in decision.cases):
            for pair in decisions.pairs(program, name):
                if any(rule in about for rule in pair.rules):
                    yield pair


def barred(program: Program, about: Collection[str]) -> Iterator[Obligation]:
    """That what a duty demands is not forbidden, where one of the rules named says the one or the other."""
    own = (u for u in program.ruleset.units.values() if isinstance(u, Norm) and u.rule in about)
    if any(own):
        for obligation in norms.obligations(program):
            if any(rule in about for rule in obligation.rules):
                yield obligation


def supposed(program: Program, obligation: Obligation) -> Question | None:
    """Where it is worth looking how an obligation comes out: where what it supposes is so, or what it wants; None where
    it supposes nothing that could be asked by itself."""
    question = obligation.question
    if question is None or question.event is not None:
        return None
    if obligation.kind in ("gap", "conflict"):
        name = next((name for name in program.decisions if _is_about(obligation.id, name)), None)
        if name is not None:
            return Question(program.decisions[name].params, asked_of(program, name))
    if obligation.wanted == "sometimes":
        return question
    return Question(question.params, question.condition) if question.none else None


def _is_about(name: str, decision: str) -> bool:
    """Whether a gap or a conflict with this id is that of a decision."""
    return name.split(" ")[1] == decision


# -------------------------------------------------------------------------------------------- what must be so somewhere
def single(program: Program, mutant: Mutant, about: Collection[str]) -> Iterator[Resting]:
    """Those that speak of single rules, of the rules named."""
    for resting in rules.resting_obligations(program, about):
        if resting.obligation.kind != "idle limb" or mutant.kind not in CUT:
            yield resting


def differing(found: Changed | None) -> frozenset[str] | None:
    """The functions and decisions that differ; None where more does, so that whatever reads anything may."""
    if found is None:
        return None
    return found.functions | {name for name, _ in found.values}
