"""Numbers that stand for counts: what is held against one counts as much as what is held against the count.

Where `risen` is the number of those who are up, `risen < 7` is never otherwise among two people, and is so of seven.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.terms import Term
from verifier.model.types import BOOL
from verifier.prove.counted import made_of
from verifier.prove.explore.exhaust import every_term
from verifier.prove.question import Question
from verifier.prove.reached import reached
from verifier.prove.transitions import Reads


def with_counts(program: Program, question: Question, supposed: Sequence[Term]) -> Question:
    """The question with what it counts by way of numbers that, as is supposed, stand for counts. Only what it counts
    is to be asked of it."""
    known = _counts(program, supposed)
    if not known:
        return question
    reads, found = Reads(program), dict[Term, None]()
    asked = [question.condition, *(nothing.condition for nothing in question.none)]
    for term in reached(program, supposed):
        for side, other, op in _sides(term):
            if isinstance(side.type, ty.IntT) and side.type.high is not None and _chosen(program, side):
                most = m.Lit(side.type, side.type.high)
                counts = [part for part in made_of(program, other, set()) if _of_any_number(part)]
                found |= {m.CompareT(BOOL, op, fold, most): None for fold in counts}
    for term in reached(program, [*asked, *supposed, *every_term(program)]):
        for side, other, op in _sides(term):
            if isinstance(other, m.Lit) and isinstance(side.type, ty.IntT | ty.MoneyT):
                for path in reads.of(side):
                    found |= {m.CompareT(BOOL, op, fold, other): None for fold in known.get(path, ())}
    return replace(question, condition=m.OrT(BOOL, (question.condition, *found))) if found else question


def _counts(program: Program, supposed: Sequence[Term]) -> dict[str, dict[Term, None]]:
    """For each place of the state the counts that something kept there is held against, itself or by way of others."""
    reads = Reads(program)
    known: dict[str, dict[Term, None]] = defaultdict(dict)
    beside: list[frozenset[str]] = []
    for term in reached(program, supposed):
        for side, other, _ in _sides(term):
            if isinstance(side, m.Lit) or isinstance(other, m.Lit):
                continue
            folds = [part for part in made_of(program, side, set()) if _of_any_number(part)]
            for path in reads.of(other):
                known[path] |= dict.fromkeys(folds)
            if not folds and isinstance(side.type, ty.IntT | ty.MoneyT):
                beside.append(reads.of(side) | reads.of(other))
    grown = True
    while grown:
        grown = False
        for paths in beside:
            of_any = {fold: None for path in paths for fold in known.get(path, ())}
            for path in paths:
                grown |= len(of_any) > len(known[path])
                known[path] |= of_any
    return {path: folds for path, folds in known.items() if folds}


def _chosen(program: Program, term: Term) -> bool:
    """Whether a number is told by what is no number: it is held against others by that alone."""
    return any(isinstance(part, m.TableT | m.Ite) for part in reached(program, [term]))


def _of_any_number(part: Term) -> bool:
    return isinstance(part, m.Fold) and isinstance(part.domain, m.OverIds | m.OverEntity | m.OverValues)


def _sides(term: Term) -> Iterator[tuple[Term, Term, m.Comparison]]:
    if isinstance(term, m.CompareT):
        yield term.left, term.right, term.op
        yield term.right, term.left, m.TURNED[term.op]
