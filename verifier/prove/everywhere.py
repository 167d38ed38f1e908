"""Questions asked of every state that the types allow: in a small scope first and, where that tells nothing of larger
ones, in those that can tell.

With one guest, *two guests are aboard* is never; so is *five are* with four.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from verifier.core.program import Program
from verifier.model.terms import Term
from verifier.prove.abstract import BUT_LISTS, EVERYWHERE
from verifier.prove.counted import counted, measures_lists
from verifier.prove.desk import Desk
from verifier.prove.enumerate import enumerated
from verifier.prove.extent import LONGEST_WHOLE, MOST_PLACES, places, small, with_many
from verifier.prove.question import Answer, Kind, Never, Obligation, Question, Sometimes, Unknown
from verifier.prove.scope import Scope, list_fields
from verifier.prove.telling import telling_of
from verifier.prove.typed import Differ

MANY_COUNTED = "it counts more things than there are in any scope that can be looked at"

UNTOLD = Unknown("rules tell values of its ranges apart of which no scope that can be looked at has enough")

STATED: frozenset[Kind] = frozenset({"theorem", "invariant", "range"})
"""What is said in so many words, and will be read so: no list may be too short for it to be otherwise."""

Found = TypeVar("Found", Sometimes, Differ)


def typed(
    desk: Desk, obligation: Obligation, assuming: Sequence[Term] = (), upto: int | None = None
) -> Answer:
    """The answer over every state that the types allow; `never` only where that is so in every scope."""
    question = obligation.question
    assert question is not None

    def ask(scope: Scope, which: str) -> Answer:
        name = f"{obligation.id} {which}".rstrip()
        return desk.typed_within(scope).ask(question, assuming, name, obligation.claim, "never")

    alone = desk.asked or upto is not None
    answer = climb(desk.program, desk.scopes[:upto], question, ask, alone)
    if isinstance(answer, Never) and not (alone or assuming) and not of_any_size(answer):
        stated = obligation.kind in STATED and measures_lists(desk.program, question)
        if question in desk.typed(0).outlined.longer or (stated and long_lists(desk)):
            higher = ask(longest(desk), "with lists as long as they may be")
            answer = higher if not isinstance(higher, Never) or of_any_size(higher) else answer
        elif of_lists(answer) and measures_lists(desk.program, question):
            answer = Unknown(MANY_COUNTED, scope=answer.scope)
    if (
        isinstance(answer, Never)
        and not (alone or assuming)
        and not of_any_size(answer)
        and small(desk.program, desk.scopes[0])
    ):
        scope = telling_of(desk.program, desk.scopes, question)
        if scope != desk.scopes[0]:
            fits = places(desk.program, scope) <= MOST_PLACES
            answer = ask(scope, "with the values that tell") if fits else UNTOLD
    if isinstance(answer, Never) and (more := enumerated(desk.program, question)) is not None:
        answer = replace(answer, scope=more.scope, by=(*answer.by, *more.by))
    return answer


def long_lists(desk: Desk) -> bool:
    """Whether lists that are as long as they may be can be looked at."""
    return all(type_.maximum <= LONGEST_WHOLE for _, type_ in list_fields(desk.program.ruleset))


def longest(desk: Desk) -> Scope:
    """The first scope, with lists as long as they may be."""
    slots = {path: type_.maximum for path, type_ in list_fields(desk.program.ruleset)}
    return replace(desk.scopes[0], slots=slots)


def climb(
    program: Program,
    scopes: Sequence[Scope],
    question: Question,
    ask: Callable[[Scope, str], Never | Found | Unknown],
    alone: bool = False,
) -> Never | Found | Unknown:
    """The first answer that is not `never`, from the first of the scopes upwards; `never` where it is so in each.

    Beyond `scopes`, unless they are asked `alone`, are those with as many things as the question speaks of. `ask` is
    given a scope, and what to call it beside the first.
    """
    if not scopes:
        return Unknown("no scope")
    answer = ask(scopes[0], "")
    if not isinstance(answer, Never) or of_any_size(answer):
        return answer
    others = [(scope, "in a wider scope") for scope in scopes[1:]]
    whole = True
    if not alone:
        several, more = with_many(program, scopes[0], question), counted(program, scopes, question)
        others += [] if several is None else [(several, "of several")]
        others += [(s, f"of as many as it counts, {number}") for number, s in enumerate(more.scopes, 1)]
        whole = more.whole
    for scope, which in others:
        if of_lists(answer) and scope.slots == scopes[0].slots:
            continue
        higher = ask(scope, which)
        if not isinstance(higher, Never) or of_any_size(higher):
            return higher
        answer = higher
    return answer if whole else Unknown(MANY_COUNTED, scope=answer.scope)


def of_any_size(answer: Never) -> bool:
    """Whether an answer holds in every scope."""
    return answer.scope.startswith(EVERYWHERE) and not of_lists(answer)


def of_lists(answer: Never) -> bool:
    """Whether an answer holds in every scope but for lists, which are longer in some."""
    return answer.scope.startswith(BUT_LISTS)
