"""Whether a mutant and the original are judged alike in every state, asked of Z3 and cvc5, function by function.

The bodies that differ are compared as they stand, both over the original's other functions. Where each pair comes out
alike everywhere, so do the programs: calls go from function to function without a circle, and what is called comes
out alike already.

Everywhere is in every state that the types allow or, where that does not tell, in every one of these in which
conditions hold that the original keeps whatever happens and of whatever size (`verifier.prove.lasting`). A log leads
both to the same states until they are judged otherwise for the first time, and the original leads there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from verifier.core.program import EVENT_PREFIX, DecisionProgram, Duty, EventNorm, Program
from verifier.model import terms as m
from verifier.model.ruleset import Param
from verifier.model.show import names_of, show_term
from verifier.model.terms import Term
from verifier.model.types import BOOL
from verifier.mutate.difference import Changed, changed
from verifier.prove.desk import Desk
from verifier.prove.question import Never, Question
from verifier.prove.scope import reads_after
from verifier.prove.transitions import Reads
from verifier.prove.wide import Wide
from verifier.run.settlement import spoken_of


@dataclass(frozen=True, slots=True)
class Pair:
    """Two terms over the same parameters, of the original and of the mutant; `name` is what holds them."""

    name: str
    params: tuple[Param, ...]
    left: Term
    right: Term


def same(desk: Desk, mutant: Program, lasting: Sequence[Term] = ()) -> str | None:
    """How it was proved that the desk's program and a mutant of it are judged alike; None where it was not.

    `lasting` are conditions without variables that hold in every state that events of the desk's program lead to, of
    whatever size. What is proved within a scope alone is none: what differs only beyond it is not the same.
    """
    original = desk.program
    pairs = _all_pairs(original, mutant)
    if pairs is None:
        return None
    if any(reads_after(original, t) for p in pairs for t in (p.left, p.right)):
        return None
    scopes: dict[str, None] = {}
    by: dict[str, None] = {}
    using: dict[Term, None] = {}
    wide = Wide(original, desk.typed(0), desk.settings)
    for pair in pairs:
        answer = wide.differ(pair.params, pair.left, pair.right)
        if not isinstance(answer, Never):
            supposed = _bearing(original, pair, lasting)
            told = _supposing(wide, pair, supposed) if supposed else None
            if told is None:
                return None
            answer = told[0]
            using.update(dict.fromkeys(told[1]))
        scopes[answer.scope] = None
        by.update(dict.fromkeys(answer.by))
    if not pairs:
        return "the core is the same"
    if not using:
        return f"{', '.join(by)}: of every state that the types allow ({'; '.join(scopes)})"
    names = names_of(original.ruleset)
    shown = "; ".join(sorted(" ".join(show_term(term, names).split()) for term in using))
    return (
        f"{', '.join(by)}: of every state that the types allow ({'; '.join(scopes)}), "
        f"where, as wherever events lead and whatever the size: {shown}"
    )


def _bearing(program: Program, pair: Pair, lasting: Sequence[Term]) -> list[Term]:
    """Those of the conditions that read something that one of the terms reads."""
    reads = Reads(program)
    read = reads.of(pair.left) | reads.of(pair.right)
    return [term for term in lasting if reads.of(term) & read]


def _supposing(wide: Wide, pair: Pair, supposed: Sequence[Term]) -> tuple[Never, tuple[Term, ...]] | None:
    """That two terms come out alike where all of these hold, with those of them that it takes; None where they may
    not."""
    params, left, right = pair.params, pair.left, pair.right

    def enough(terms: Sequence[Term]) -> bool:
        return isinstance(wide.typed.differ(params, left, right, terms), Never)

    if not enough(supposed):
        return None
    few = _few(enough, (), tuple(supposed), False)
    for needed in dict.fromkeys((few, tuple(supposed))):  # few may be too few where there is more
        answer = wide.differ(params, left, right, needed)
        if isinstance(answer, Never):
            return answer, needed
    return None


def _few(
    enough: Callable[[Sequence[Term]], bool], given: tuple[Term, ...], rest: tuple[Term, ...], new: bool
) -> tuple[Term, ...]:
    """Those of the rest that are needed beside what is given, all together being enough (Junker, AAAI 2004); `new`:
    more is given than when that was last asked."""
    if new and enough(given):
        return ()
    if len(rest) == 1:
        return rest
    first, second = rest[: len(rest) // 2], rest[len(rest) // 2 :]
    of_second = _few(enough, (*given, *first), second, True)
    return (*_few(enough, (*given, *of_second), first, bool(of_second)), *of_second)


def _all_pairs(original: Program, mutant: Program) -> list[Pair] | None:
    """All that differs, to be compared; None where more differs."""
    asked = list(_asked(original, mutant))
    mutant = _asked_alike(original, mutant) if asked else mutant
    found = changed(original, mutant)
    if found is None or found.frame or not comparable(original, mutant):
        return None
    return [*asked, *_pairs(original, mutant, found)]


def _asked(original: Program, mutant: Program) -> Iterator[Pair]:
    """When answers are due, and by which rules, where that alone is not the same of a decision."""
    for name, its in mutant.decisions.items():
        mine = original.decisions.get(name)
        if mine is None or mine.asked is None or its.asked is None or not _speak_alike(mine, its):
            continue
        for left, right in ((mine.asked, its.asked), *zip(_due(mine), _due(its), strict=True)):
            if left != right:
                yield Pair(name, mine.params, left, right)


def _speak_alike(mine: DecisionProgram, its: DecisionProgram) -> bool:
    """Whether the same rules ask for it, of the same arguments."""
    told, others = ([(r, spoken_of(term)) for r, term in one.askers] for one in (mine, its))
    return told == others


def _due(decision: DecisionProgram) -> list[Term]:
    return [term for _, term in decision.askers]


def _asked_alike(original: Program, mutant: Program) -> Program:
    """The mutant with what `_asked` compares as it is in the original."""
    decisions = {
        name: replace(its, asked=mine.asked, askers=mine.askers)
        if (mine := original.decisions.get(name)) is not None
        and mine.asked is not None
        and its.asked is not None
        and _speak_alike(mine, its)
        else its
        for name, its in mutant.decisions.items()
    }
    return replace(mutant, decisions=decisions)


def _pairs(original: Program, mutant: Program, found: Changed) -> Iterator[Pair]:
    for name in sorted(found.functions):
        mine = original.functions[name]
        yield Pair(name, mine.params, mine.body, mutant.functions[name].body)
    for name, index in sorted(found.values):
        decision = original.decisions[name]
        its = mutant.decisions[name].cases[index]
        yield Pair(name, decision.params, decision.cases[index].value, its.value)
    for mine_, its_ in zip(original.duties, mutant.duties, strict=True):
        for ours, theirs in zip(
            (*mine_.acts, *mine_.deadline_acts), (*its_.acts, *its_.deadline_acts), strict=True
        ):
            if ours.matches != theirs.matches:
                params = [
                    Param(EVENT_PREFIX + p.name, p.type) for p in original.ruleset.events[ours.event].params
                ]
                yield Pair(mine_.rule, (*mine_.variables, *params), ours.matches, theirs.matches)


def comparable(original: Program, mutant: Program) -> bool:
    """Whether duties that differ do so only in when they are pending, and in what acts match them."""
    return [_frame(duty) for duty in original.duties] == [_frame(duty) for duty in mutant.duties]


def _frame(duty: Duty) -> tuple[object, ...]:
    acts = tuple((a.event, a.required) for a in duty.acts)
    deadlines = tuple(a.event for a in duty.deadline_acts)
    return duty.unit, duty.roles, duty.variables, duty.pending, duty.kind, duty.life, acts, deadlines


def distinguishing(original: Program, mutant: Program) -> Iterator[Question]:
    """Where one of the conditions that differ holds, and the other does not: what a search may aim at."""
    pairs = _all_pairs(original, mutant)
    if pairs is None:
        return
    events = {n.applies: event for norms in _norms(original) for event, ns in norms.items() for n in ns}
    for pair in pairs:
        if pair.left.type != BOOL:
            continue
        event = events.get(pair.name)
        if event is None and any(p.name.startswith(EVENT_PREFIX) for p in pair.params):
            continue
        left, right = pair.left, pair.right
        differ = m.OrT(
            BOOL,
            (
                m.AndT(BOOL, (left, m.NotT(BOOL, right))),
                m.AndT(BOOL, (right, m.NotT(BOOL, left))),
            ),
        )
        yield Question(() if event is not None else pair.params, differ, event)


def _norms(program: Program) -> tuple[Mapping[str, tuple[EventNorm, ...]], ...]:
    return program.prohibitions, program.permissions, program.endings
