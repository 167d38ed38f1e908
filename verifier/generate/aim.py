"""Rounds aimed at: what is asked for is met in some state that the types allow, and the things that are in that state
are brought in by whatever events make them, before the events of a round that there is.

The state need not be one that play can reach: it says what things and values the question takes, which no round that
was played has had.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from verifier.core.lawful import parts as lawful_parts
from verifier.core.program import EVENT_PREFIX, Program
from verifier.generate.asks import Ask
from verifier.generate.proofs import Wanted
from verifier.model import terms as m
from verifier.model.ruleset import Param
from verifier.model.types import BOOL
from verifier.prove.aimed import bringing
from verifier.prove.desk import Desk
from verifier.prove.focus import in_focus
from verifier.prove.question import Play, Question, Sometimes
from verifier.prove.scenario import find_play
from verifier.prove.scope import Scope
from verifier.prove.typed import Typed
from verifier.run.bench import Happening

SKELETONS = 4
"""With the events of so many rounds behind what is brought in Z3 is asked for one."""

RLIMIT = 4_000_000
"""What Z3 may spend on looking for a state, in its own units."""

MOST_BROUGHT = 8
"""So many events bring things in, at most."""

Found = tuple[Play, Mapping[str, object]]


def sharper(program: Program, rule: str, wanted: Wanted, ask: Ask) -> Question:
    """What is asked, of an event that no rule forbids, or none but this where that is to be broken."""
    question = ask.question
    if question.event is None or ask.actor is None:
        return question
    lawful = [
        term
        for name, _, term in lawful_parts(program, question.event, ask.actor)
        if wanted == "kept" or name != rule
    ]
    return replace(question, condition=m.AndT(BOOL, (question.condition, *lawful))) if lawful else question


def sight(desk: Desk) -> Typed:
    """What asks for states: it may spend more on each than the search spends on a question, for it has few."""
    rlimit = max(desk.settings.rlimit, RLIMIT)
    return Typed(desk.program, desk.scopes[0], replace(desk.settings, rlimit=rlimit))


def met(typed: Typed, question: Question, more: Sequence[Scope]) -> Sometimes | None:
    """A state in which a question is met: in the smallest scope, or in one of `more`, or in one that is made for it."""
    first = typed.ask(question, (), "aim", "", "sometimes")
    return first if isinstance(first, Sometimes) else in_focus(typed, question, "aim", "", more)


def aimed(
    desk: Desk, typed: Typed, rule: str, wanted: Wanted, ask: Ask, skeletons: Iterable[Play]
) -> Iterator[Found]:
    """A lawful play at whose end the question is true, with the things of a state in which it is met; `typed` asks
    for that."""
    question = sharper(desk.program, rule, wanted, ask)
    at = met(typed, question, desk.scopes[1:2])
    if at is None:
        return
    behind = list(skeletons)[:SKELETONS]
    for skeleton in _before(_brought(desk.program, question, at), behind):
        found = find_play(
            desk.program, skeleton, question, True, desk.settings, free_options=True, optional=True
        )
        if found is not None and found.play is not None:
            yield found.play, dict(found.values)
            return


def _brought(program: Program, question: Question, at: Sometimes) -> list[Happening]:
    """Events that bring in the things of a state, those of the event's own arguments first."""
    event = () if question.event is None else program.ruleset.events[question.event].params
    own = (Param(EVENT_PREFIX + p.name, p.type) for p in event)
    named = tuple(p for p in (*own, *question.params) if p.name in at.values)
    return list(dict.fromkeys(bringing(program, replace(question, params=named), at)))[:MOST_BROUGHT]


def _before(brought: Sequence[Happening], skeletons: Sequence[Play]) -> Iterator[Play]:
    """What is brought in, alone and before the events of each of the plays, in both orders."""
    orders = tuple(dict.fromkeys((tuple(brought), tuple(reversed(brought)))))
    for behind, skeleton in (
        *(((), one) for one in skeletons[:1]),
        *((one.happenings, one) for one in skeletons),
    ):
        for order in orders:
            happenings = (*order, *behind)
            if happenings:
                yield Play(skeleton.options, happenings, ((),) * len(happenings), skeleton.state)
