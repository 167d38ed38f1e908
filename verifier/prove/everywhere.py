"""Questions asked of every state that the types allow, in every scope, also where there is as much as they count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from verifier.model.terms import Term
from verifier.prove.abstract import EVERYWHERE
from verifier.prove.desk import Desk
from verifier.prove.enumerate import enumerated
from verifier.prove.question import Answer, Never, Obligation, Sometimes, Unknown

MANY_COUNTED = "it counts more things than there are in any scope that can be looked at"


def typed(
    desk: Desk, obligation: Obligation, assuming: Sequence[Term] = (), upto: int | None = None
) -> Answer:
    """The answer over every state that the types allow; `never` only where that is so in every scope."""
    question = obligation.question
    assert question is not None
    answer: Answer = Unknown("no scope")
    for index in range(len(desk.scopes))[:upto]:
        name = obligation.id if not index else f"{obligation.id} in a wider scope"
        answer = desk.typed(index).ask(question, assuming, name, obligation.claim, "never")
        if isinstance(answer, Unknown | Sometimes):
            return answer
        if of_any_size(answer):
            break
    else:
        many = None if upto is not None else desk.with_many(question)
        if isinstance(answer, Never) and many is not None:
            answer = many.ask(question, assuming, f"{obligation.id} of several", obligation.claim, "never")
        if isinstance(answer, Never) and upto is None:
            answer = of_so_many(desk, obligation, answer, assuming)
    if isinstance(answer, Never) and (more := enumerated(desk.program, question)) is not None:
        answer = replace(answer, scope=more.scope, by=(*answer.by, *more.by))
    return answer


def of_so_many(desk: Desk, obligation: Obligation, never: Never, assuming: Sequence[Term]) -> Answer:
    """The answer where there are as many things as the question counts; `never`, where the scopes had them."""
    question = obligation.question
    assert question is not None
    more = desk.counted(question)
    for number, scope in enumerate(more.scopes, 1):
        name = f"{obligation.id} of as many as it counts, {number}"
        answer = desk.typed_within(scope).ask(question, assuming, name, obligation.claim, "never")
        if not isinstance(answer, Never):
            return answer
    return never if more.whole else Unknown(MANY_COUNTED, scope=never.scope)


def of_any_size(answer: Never) -> bool:
    """Whether an answer holds in every scope."""
    return answer.scope.startswith(EVERYWHERE) and "at most" not in answer.scope
