"""How an obligation is decided: what is cheap and certain first, what must be searched for last.

A question whose answer is to be `never` is asked of every state that the types allow. Where there is such a state,
the invariants that events keep are added; where there still is one, a play that leads to one is looked for, lawful
or not. A question whose answer is to be `sometimes` needs a play only where it is about play.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import assert_never

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.types import BOOL
from verifier.prove.abstract import EVERYWHERE
from verifier.prove.aimed import aimed, bringing
from verifier.prove.counted import Counted
from verifier.prove.desk import Desk
from verifier.prove.everywhere import of_any_size, typed
from verifier.prove.explore.explorer import Explorer
from verifier.prove.explore.grown import settled
from verifier.prove.explore.undone import as_it_was
from verifier.prove.extent import abreast, places, small, with_everybody
from verifier.prove.focus import in_focus, longer
from verifier.prove.freed import hanging, unbinding
from verifier.prove.inducing import among_more, in_no_play, inductive, listed, with_invariants
from verifier.prove.obligations import norms
from verifier.prove.obligations.stuck import surely
from verifier.prove.passing import passing
from verifier.prove.patterns import beginning, extended, nearest
from verifier.prove.question import (
    Answer,
    Decided,
    Kind,
    Mode,
    Never,
    Obligation,
    Play,
    Question,
    Sometimes,
    Unknown,
)
from verifier.prove.scenario import find_play
from verifier.prove.scope import Scope
from verifier.prove.telling import telling
from verifier.prove.unbroken import in_unbroken_states
from verifier.prove.upheld import upheld
from verifier.prove.widened import lacking, with_whole_lists

BOUNDED = "within this scope it is never so, and a wider one may have it"

NOT_RULED_OUT = "no play that leads there was found, and the invariants found do not rule it out"

SOUGHT_BEFORE = "an earlier proof of these very rules looked for one; this one did not"

SUPPOSED = "ways out that nobody is seen to have for sure do not count"

STUCK_NOWHERE = (
    "play was stuck nowhere, but not every state was visited, or there are more where there are more things"
)

FINISH_STEPS = 4_000
"""So many events are played to see whether a life can still come to its end: what is not found is called stuck."""

BEYOND_STEPS = 400
"""So many where there is more of everything, for what was not seen to happen there anyway."""

MOST_MOVES = 12
"""Where there are more kinds of moves solvers are not asked whether play gets stuck: they would not end."""

CROWDED: frozenset[Kind] = frozenset({"duty against prohibition"})
"""What speaks of so much that no induction is made of it alone: for minutes each took on everything that holds."""

LIVELY: frozenset[Kind] = frozenset({"dead rule"})
"""What is asked of plays as well, lawful or not, where only the types are known to allow it."""

MOST_SUSPECTS = 12
"""So many states without a move are looked into."""

SMALL = 100
"""Where there are no more fields than this it is also asked of solvers what would make a play one that leads there."""

GLANCE = 300
"""So many where nothing is asked of solvers as long as play shows it,"""
REACH_STEPS = 1_000
"""and so many events are played on purpose for one question that is looked into."""


def decide(desk: Desk, obligation: Obligation) -> Decided:
    """What can be found out about an obligation that asks a question."""
    return first(desk, obligation) or rest(desk, obligation)


def first(desk: Desk, obligation: Obligation) -> Decided | None:
    """What the types alone settle; None where plays and invariants are needed, which `Desk.prepare` gets ready."""
    if obligation.wanted == "sometimes" and "play" not in obligation.modes:
        answer = possible(desk, obligation)
        if obligation.kind in LIVELY and of_types_only(answer) and not desk.asked:
            assert obligation.question is not None
            seen = desk.shown(obligation.question) or _reached(desk.explorer, obligation, "words", GLANCE)
            if seen is None:
                desk.allowed[obligation.id] = answer
                return None
            answer = seen
        return Decided(obligation, answer, None)
    if obligation.kind == "stuck":
        return None
    nowhere = typed(desk, obligation)
    if isinstance(nowhere, Sometimes) or _bounded(obligation, nowhere):
        return None
    found: dict[Mode, Answer] = dict.fromkeys(obligation.modes, nowhere)
    if isinstance(nowhere, Never) and not of_any_size(nowhere):
        shown = _all_the_same(desk, obligation)
        if shown and norms.parts(desk.program, obligation):
            return None  # which moments count is looked into there
        found |= shown
    return Decided(obligation, found.get("words"), found.get("play"))


def _all_the_same(desk: Desk, obligation: Obligation) -> dict[Mode, Answer]:
    """The plays that were told, or are kept, that answer what is never so within a scope: they may have more."""
    assert obligation.question is not None
    found: dict[Mode, Answer] = {}
    for mode in obligation.modes:
        if (seen := desk.answered_by_told(obligation.question, mode)) is not None:
            found[mode] = seen
    return found


def rest(desk: Desk, obligation: Obligation) -> Decided:
    """What plays and invariants tell of an obligation that `first` leaves open."""
    if obligation.kind == "stuck":
        return Decided(obligation, None, stuck(desk, obligation))
    if moments := norms.parts(desk.program, obligation):
        return Decided(obligation, None, at_moments(desk, obligation, moments))
    if obligation.kind in LIVELY:
        return ever(desk, obligation, desk.allowed.get(obligation.id) or possible(desk, obligation))
    found: dict[Mode, Answer] = {}
    for mode in sorted(obligation.modes):
        found[mode] = in_mode(desk, obligation, mode, found)
    return Decided(obligation, found.get("words"), found.get("play"))


def again(desk: Desk, decided: Decided, plays: Sequence[Play]) -> Decided:
    """What is decided where something was not known: a play that answers another question may answer this one."""
    obligation = decided.obligation
    if obligation.question is None or obligation.kind == "stuck" or norms.parts(desk.program, obligation):
        return decided
    found: dict[Mode, Answer | None] = {"words": decided.words, "play": decided.play}
    for play in plays:
        modes: tuple[Mode, ...] = ("words", "play") if play.lawful else ("words",)
        asking = [mode for mode in modes if isinstance(found[mode], Unknown)]
        if asking and desk.explorer.asker.find(obligation.question, play.state, play.options) is not None:
            found |= dict.fromkeys(asking, desk.explorer.answer(obligation.question, play))
    return replace(decided, words=found["words"], play=found["play"])


def at_moments(desk: Desk, obligation: Obligation, moments: Sequence[Obligation]) -> Answer:
    """Whether a duty that is barred somewhere is so at one of the moments that count; it is not where it never is.

    A moment is asked about in any state first, and then in those which the invariants leave, until one is not ruled
    out: that alone leaves it open. No induction is made for a moment by itself, of which there may be dozens. Wider
    scopes, which cost most, are looked at once no moment is left open by the first. A moment is ruled out where nothing
    need be supposed for it.
    """
    for moment in moments:
        assert moment.question is not None
        if (kept := desk.kept_play(obligation, "play", moment.question)) is not None:
            return kept
    halts = norms.stopped(desk.program, obligation, desk.moveless)
    for life, question in halts:
        kept = desk.kept_play(obligation, "play", question)
        if (
            kept is not None
            and kept.play is not None
            and not any(
                _goes_on(explorer, kept.play, life, obligation.id)
                for explorer in (desk.explorer, *desk.wider)
            )
        ):
            return kept
    answer = in_mode(desk, obligation, "play", {})
    if isinstance(answer, Never):
        return answer
    for moment in moments:
        assert moment.question is not None
        for explorer in (desk.explorer, *desk.wider):
            seen = explorer.look(moment.question, "play")
            if seen is not None:
                return seen
        if (told := desk.told_play("play", moment.question)) is not None:
            return told
    for life, question in halts:
        for explorer in (desk.explorer, *desk.wider):
            halt, _ = _stuck_in(desk, explorer, obligation, question, life)
            if halt is not None:
                return halt
    plainly = norms.parts(desk.program, obligation, surely=True)
    found: dict[int, Answer] = {}
    for few in (1, None):
        for number, (moment, sure) in enumerate(zip(moments, plainly, strict=True)):
            if number in found:
                continue
            other = _ruled_out(desk, replace(sure, id=f"{moment.id} surely"), few)
            if other is None:
                continue
            if not isinstance(other, Never):
                why = (other.why if isinstance(other, Unknown) else NOT_RULED_OUT) + _sought_before(
                    desk, obligation, "play"
                )
                disagree = isinstance(other, Unknown) and other.disagree
                if not disagree and moment.question != sure.question:
                    why += f"; {SUPPOSED}"
                return Unknown(why, disagree, desk.explorer.scope_text)
            found[number] = other
    by_induction = (
        one for _, one in sorted(found.items()) if isinstance(one, Never) and one.how == "induction"
    )
    return next(by_induction, found[0])


def _ruled_out(desk: Desk, moment: Obligation, few: int | None) -> Answer | None:
    """Whether there is no such moment, in so `few` scopes or all; None where more of them are to be asked."""
    nowhere = typed(desk, moment, (), few)
    if isinstance(nowhere, Never) and few is not None:
        return None
    settled = isinstance(nowhere, Never) or (isinstance(nowhere, Unknown) and nowhere.disagree)
    return nowhere if settled else with_invariants(desk, moment, "play", alone=False)


def stuck(desk: Desk, obligation: Obligation) -> Answer:
    """Whether play gets stuck: in a state without a move from which no lawful play leads to the life's end either."""
    question, explorer = obligation.question, desk.explorers[-1]
    assert question is not None
    life = obligation.id.removeprefix("stuck ")
    for seen in _seen(desk, obligation, question):
        assert seen.play is not None
        if not any(_goes_on(one, seen.play, life, obligation.id) for one in (*desk.explorers, *desk.wider)):
            return seen
    suspects = 0
    for other in (explorer, *desk.wider, *desk.with_as_many(question)):
        found, suspected = _stuck_in(desk, other, obligation, question, life)
        if found is not None:
            return found
        suspects += suspected
    if not suspects and (never := all_visited(desk, obligation, "play")) is not None:
        return never
    if len(question.none) <= MOST_MOVES:
        sure = replace(obligation, id=f"{obligation.id} surely", question=surely(desk.program, obligation))
        nowhere = typed(desk, sure)
        if isinstance(nowhere, Never):
            return nowhere
    return Unknown(STUCK_NOWHERE, scope=explorer.scope_text)


def _seen(desk: Desk, obligation: Obligation, question: Question) -> Iterator[Sometimes]:
    """What an earlier proof found for an obligation, and some of what was told: plays to where its question is true."""
    if (kept := desk.kept_play(obligation, "play", question)) is not None:
        yield kept
    yield from islice(desk.told_plays("play", question), MOST_SUSPECTS)


def _stuck_in(
    desk: Desk, explorer: Explorer, obligation: Obligation, question: Question, life: str
) -> tuple[Sometimes | None, int]:
    """Where an explorer's play gets stuck, if it does; and in how many states without a move it does not.

    What leads on may take things or values that an explorer does not know, and others do.
    """
    others = [one for one in (*desk.explorers, *desk.wider) if one is not explorer]

    def goes_on(play: Play, drawn_by: str) -> bool:
        return any(_goes_on(one, play, life, drawn_by) for one in (explorer, *others))

    suspects = 0
    for node in explorer.corpus.of("play"):
        if explorer.asker.find(question, node.state, node.options) is None:
            continue
        play = node.play()
        if not goes_on(play, f"{obligation.id}, {suspects}"):
            short = explorer.answer(question, play)
            if short.play is not None and not goes_on(short.play, obligation.id):
                return short, suspects
            values = explorer.asker.find(question, node.state, node.options) or {}
            return replace(short, state=play.state, options=play.options, values=values, play=play), suspects
        suspects += 1
        if suspects == MOST_SUSPECTS:
            break
    return None, suspects


def _goes_on(explorer: Explorer, play: Play, life: str, drawn_by: str) -> bool:
    """Whether lawful play was found that leads on from a play to the end of the life."""
    with as_it_was(explorer):
        explorer.rng.seed(drawn_by)
        return explorer.can_finish(play, life, FINISH_STEPS) is not None


def narrowed(desk: Desk, parts: Sequence[Obligation]) -> tuple[tuple[Obligation, ...], Answer | None]:
    """Those of `parts` that the types alone do not settle, and the answer to all the others taken together;
    None where there are no others.

    Instead of one question for each part: where may any part fail? That part aside, where may any other? And so on.
    """
    left = list(parts)
    open_: list[Obligation] = []
    while left:
        question = either_of(left)
        answer = typed(desk, replace(left[0], id=f"{left[0].kind} of {len(left)} others", question=question))
        if not isinstance(answer, Sometimes):
            return tuple(o for o in parts if o in open_), answer
        failing = [o for o in left if desk.holds(o, answer)]
        if not failing:
            return tuple(parts), Unknown("the state found fails none of the parts", disagree=True)
        open_ += failing
        left = [o for o in left if o not in failing]
    return tuple(parts), None


def either_of(obligations: Sequence[Obligation]) -> Question:
    """Whether the question of any of the obligations is true; they have the same variables, and no event."""
    questions = [o.question for o in obligations if o.question is not None]
    terms = tuple(q.condition for q in questions)
    return replace(questions[0], condition=terms[0] if len(terms) == 1 else m.OrT(BOOL, terms))


def _bounded(obligation: Obligation, answer: Answer) -> bool:
    """Whether an answer says of a scope only that something is never so that is to be so somewhere."""
    return obligation.wanted == "sometimes" and isinstance(answer, Never) and not of_any_size(answer)


def possible(desk: Desk, obligation: Obligation) -> Answer:
    """Whether the types allow a state in which it is so: the first scope that has one tells."""
    question = obligation.question
    assert question is not None
    answer: Answer = Unknown("no scope")
    if not desk.settings.smt2 and (seen := desk.sighted.get(obligation.id)) is not None:
        return seen
    for index in range(len(desk.scopes)):
        name = obligation.id if not index else f"{obligation.id} in a wider scope"
        answer = desk.typed(index).ask(question, (), name, obligation.claim, "sometimes")
        match answer:
            case Sometimes():
                desk.see_too(obligation, answer)
                return answer
            case Unknown(disagree=True):
                return answer
            case Never():
                if of_any_size(answer):
                    break
            case Unknown():
                continue
            case _:
                assert_never(answer)
    if not isinstance(answer, Never) or of_any_size(answer):
        return answer
    more = desk.counted(question).scopes
    if (seen := in_focus(desk.typed(0), question, obligation.id, obligation.claim, more)) is not None:
        return seen
    for explorer in desk.explorers:
        if (played := explorer.look(question, "words")) is not None:
            return played
    if not answer.scope.startswith(EVERYWHERE):
        return _abreast(desk, obligation, question) or Unknown(BOUNDED, scope=answer.scope)
    # Only how long lists are is bounded: what needs longer ones is so with lists of twice the length.
    wider = desk.typed_within(longer(desk.typed(len(desk.scopes) - 1)))
    answer = wider.ask(question, (), f"{obligation.id} with longer lists", obligation.claim, "never")
    if isinstance(answer, Never) and not of_any_size(answer):
        return Unknown(BOUNDED, scope=answer.scope)
    return answer


def _abreast(desk: Desk, obligation: Obligation, question: Question) -> Sometimes | None:
    """A state where more of every range are beside each other than in the desk's scopes."""
    for scope in () if desk.asked else abreast(desk.program):
        if scope not in desk.scopes:
            name = f"{obligation.id} with more beside each other"
            answer = desk.typed_within(scope).ask(question, (), name, obligation.claim, "sometimes")
            if isinstance(answer, Sometimes):
                return answer
    return None


def of_types_only(answer: Answer) -> bool:
    """Whether it is so in a state of which no play is known that leads there."""
    return isinstance(answer, Sometimes) and answer.play is None


def ever(desk: Desk, obligation: Obligation, typed: Answer) -> Decided:
    """Whether what the types allow comes about in some play, lawful or not, or it is proved that it does in none.

    Where neither is shown the types have the last word, and the answer has no play. Before an induction is believed a
    play is looked for on purpose, and where there is more of everything.
    """
    question = obligation.question
    assert question is not None
    if not of_types_only(typed):
        return Decided(obligation, typed, None)
    for explorer in desk.explorers[1:]:
        if (seen := explorer.look(question, "words")) is not None:
            return Decided(obligation, seen, None)
    never = in_no_play(desk, obligation)
    if isinstance(never, Unknown):
        return Decided(obligation, never, None)
    small = places(desk.program, desk.scopes[0]) <= SMALL
    if never is not None or small:
        asked = replace(obligation, wanted="never")
        seen = beyond(desk, asked, "words") or search(desk, asked, "words")
        if seen is not None:
            return Decided(obligation, seen, None)
    return Decided(obligation, typed, never)


def in_mode(desk: Desk, obligation: Obligation, mode: Mode, found: dict[Mode, Answer]) -> Answer:
    """The answer in words or in play, of a question that the types alone do not settle."""
    question = obligation.question
    assert question is not None
    other = found.get("play") if mode == "words" else None
    if isinstance(other, Sometimes):
        return other
    if (kept := desk.kept_play(obligation, mode, question)) is not None:
        return kept
    for explorer in desk.explorers:
        if (seen := explorer.look(question, mode)) is not None:
            return seen
    if (told := desk.told_play(mode, question)) is not None:
        return told
    if mode == "play" and (unbroken := in_unbroken_states(desk, obligation)) is not None:
        return unbroken
    if (visited := all_visited(desk, obligation, mode)) is not None:
        return beyond(desk, obligation, mode) or visited
    # An induction made for a question is dear: where it counts more than there is, a play is looked for before.
    looked = bool(desk.counted(question, induction=True).scopes)
    if looked and (seen := beyond(desk, obligation, mode)) is not None:
        return seen
    by_induction = upheld(
        desk,
        obligation.id,
        mode,
        lambda: with_invariants(desk, obligation, mode, alone=obligation.kind not in CROWDED),
        lambda other: beyond(desk, other, mode),
    )
    bounded = _bounded(obligation, by_induction)
    if isinstance(by_induction, Never) and not bounded:
        if looked or of_any_size(by_induction):
            return by_induction
        return beyond(desk, obligation, mode) or by_induction
    if isinstance(by_induction, Unknown) and by_induction.disagree:
        return by_induction
    at = by_induction if isinstance(by_induction, Sometimes) else None
    sought = _sought_before(desk, obligation, mode)
    if not sought:
        if (seen := search(desk, obligation, mode, at)) is not None:
            return seen
        if not looked and (seen := beyond(desk, obligation, mode)) is not None:
            return seen
    if bounded:
        assert isinstance(by_induction, Never)
        return Unknown(f"{BOUNDED}{sought}", scope=by_induction.scope)
    why = by_induction.why if isinstance(by_induction, Unknown) else NOT_RULED_OUT
    why += among_more(desk, question) if mode == "play" else ""
    if lives := passing(desk.program.ruleset):
        why += f"; no play goes on with the next {listed(lives)}, which no event ends"
    return Unknown(f"{why}{sought}", scope=desk.explorers[-1].scope_text)


def _sought_before(desk: Desk, obligation: Obligation, mode: Mode) -> str:
    """That an earlier proof looked for a play in vain, so that none is looked for again; empty where none did."""
    vain = desk.kept is not None and desk.kept.in_vain(obligation, mode)
    return f" ({SOUGHT_BEFORE})" if vain else ""


def all_visited(desk: Desk, obligation: Obligation, mode: Mode) -> Never | None:
    """`Never`, where every state of the mode was visited; None where that is not so, or tells nothing beyond the scope.

    It tells nothing where the scope has less than the question, what events need or change or, of play, some rule
    counts, or than the rules of a small ruleset speak of at once, lists shorter than those that it measures may be, or
    no such state by its types alone, where an event that may change the answer happened in wider scopes only, and of
    what is to be so somewhere. Where the scope has one of somebody all must be visited that two of everybody can do;
    and where there may be more than it has, one more of everybody must come to nothing new (`explore.grown`).
    """
    question, explorer = obligation.question, desk.explorers[-1]
    assert question is not None
    if not explorer.exhausted(mode, question):
        return None
    never = Never("exhaustion", explorer.scope_text, ("interpreter",))
    if desk.asked:
        return never
    if (
        obligation.wanted == "sometimes"
        or desk.counted(question, induction=True) != Counted((), True)
        or desk.unseen(mode, question)[0]
        or (mode == "play" and unbinding(desk.program, explorer.scope, desk.program.ruleset.events))
        or hanging(desk.program, explorer.scope, desk.program.ruleset.events)
        or telling(desk.program, explorer.scope) != explorer.scope
        or with_whole_lists(desk.program, explorer.scope, obligation) != explorer.scope
        or (small(desk.program, explorer.scope) and lacking(desk.program, explorer.scope))
        or isinstance(inductive(desk, obligation, ()), Never)
    ):
        return None
    if _anybody_alone(desk.program, explorer.scope):
        several = (one for one in desk.wider if not _anybody_alone(desk.program, one.scope))
        other = next((one for one in several if one.exhausted(mode, question)), None)
        if other is None or other.look(question, mode):
            return None
        never = replace(never, scope=other.scope_text)
    return never if settled(explorer, mode, question) is not None else None


def _anybody_alone(program: Program, scope: Scope) -> bool:
    """Whether there is one of some id type of which there may be more: what one has done keeps only him from more."""
    most = {t.name: t.maximum for t in program.ruleset.types.values() if isinstance(t, ty.IdT)}
    return any(len(ids) == 1 < most[kind] for kind, ids in scope.ids.items())


def beyond(desk: Desk, obligation: Obligation, mode: Mode) -> Sometimes | None:
    """A play that leads to such a state where there is more of everything than the induction looks at.

    What one person alone cannot bring about is not told by an induction that knows of one.
    """
    question = obligation.question
    assert question is not None
    wider = (*desk.wider, *desk.with_as_many(question))
    # What a number counts that the rules keep by hand, one after the other, no scope is made for.
    whole = None if desk.asked else with_everybody(desk.program, desk.scopes[0])
    everybody: tuple[Explorer, ...] = (
        () if whole is None else (desk.crowded(whole, "playing with everybody"),)
    )
    for explorer in (*wider, *everybody):
        if (seen := explorer.look(question, mode)) is not None:
            return seen
    for explorer in (*wider, *everybody):
        steps = BEYOND_STEPS if explorer in wider else REACH_STEPS
        if (seen := _reached(explorer, obligation, mode, steps)) is not None:
            return seen
    for explorer in wider:
        small = places(desk.program, explorer.scope) <= SMALL
        if small and (seen := filled_in(desk, explorer, question, mode)) is not None:
            return seen
    return None


def search(desk: Desk, obligation: Obligation, mode: Mode, at: Sometimes | None = None) -> Sometimes | None:
    """A play that leads to such a state, looked for on purpose, whatever was looked for before.

    Where it is known what such a state may be, `at`, it is looked for with the values that this has, too.
    """
    question = obligation.question
    assert question is not None
    for explorer in desk.explorers:
        if (found := filled_in(desk, explorer, question, mode)) is not None:
            return found
    for explorer in desk.explorers:
        if (found := _reached(explorer, obligation, mode, REACH_STEPS)) is not None:
            return found
    scope = None if at is None or desk.asked else aimed(desk.program, desk.inductive, question, at)
    if at is None or scope is None:
        return None
    explorer = Explorer(desk.program, scope, desk.seed)
    explorer.run(REACH_STEPS)
    if (found := explorer.look(question, mode) or filled_in(desk, explorer, question, mode)) is not None:
        return found
    for play in beginning(explorer, question, mode, bringing(desk.program, question, at)):
        found = find_play(desk.program, play, question, mode == "play", desk.settings, optional=True)
        if found is not None:
            return found
    return explorer.reach(question, mode, REACH_STEPS)


def _reached(explorer: Explorer, obligation: Obligation, mode: Mode, steps: int) -> Sometimes | None:
    """A play that leads to where the question is true, of so many events played on purpose by an explorer, whatever
    was looked for before."""
    assert obligation.question is not None
    with as_it_was(explorer):
        explorer.rng.seed(f"{obligation.id}, {mode}")
        return explorer.reach(obligation.question, mode, steps)


def filled_in(desk: Desk, explorer: Explorer, question: Question, mode: Mode) -> Sometimes | None:
    """A play made of those of an explorer that come nearest, with other values, and with more events or fewer."""
    lawful = mode == "play"
    near = nearest(explorer, question, mode)
    for skeleton in near:
        if (found := find_play(desk.program, skeleton, question, lawful, desk.settings)) is not None:
            return found
    for pattern in extended(explorer, question, near):
        found = find_play(desk.program, pattern, question, lawful, desk.settings, optional=True)
        if found is not None:
            return found
    return None
