"""Duties and prohibitions never leave nobody a way.

**A duty against prohibitions.** A duty clashes with the law where it is pending and each act that would do it is
barred. An act is barred where some one prohibition binds all who bear the duty and applies whatever the duty leaves
open of the act (a prohibition that reads what is open bars nothing, nor one that reads the state after the act): as
`verifier.run.duties` has it when it calls a breach disputed. Each kind of duty has its moment:

- *at once*: any state. But where several things are due at once a prohibition may only say in which order they are
  done: therefore nobody has a lawful act that ends the clash, or brings its end nearer.
- *immediately after E*: the state that E leaves, with the duty's condition true before it. What cannot be told of that
  state is supposed to bar nothing where a clash is looked for, and to bar where it is to be ruled out.
- *before E*: E is at hand, and but for this duty it would break nothing. Here, too, a prohibition may lapse before the
  deadline comes: nobody has, besides, a lawful act that ends the clash, or brings its end nearer.
- *by the end of a life*: the same, with an event that ends the life for E, before and after its mechanics.

Of the last two it is a clash, too, where nothing can be done any more at all, so that no deadline comes (`stopped`).
That is only looked for: whether play ever stops so is another question, and asked in
`verifier.prove.obligations.stuck`.

An act ends the clash where the duty is then no longer pending, or some act that does it no longer barred; where that
cannot be told (`verifier.prove.obligations.then`), it is supposed of any act that changes what they read. It brings
the end nearer where one of several things that are in the way no longer is, or a number that is compared moves that
way: where two debts bar, to pay one of them is a way on. What is a clash all the same is one still where no such act
is left. To end the life in which the duty is pending is no way out. So a clash is found only where the law leaves
none. That there is none is another question (`surely`): there nothing is supposed, and only what can surely be done
and surely ends the clash or brings its end nearer is a way out. Where the two differ nobody can tell. It is not seen
from a state whether the act was open earlier in the life; then the duty was broken by waiting, and `disputed` (the
judge's own word on the play that leads there) says so.

A duty is first asked about in any state: where its act is never forbidden while it is due, no moment need be looked
at. Where that is not so, `parts` has the moments.

**Two duties** clash where each act that does the one is a deadline of the other that is pending as well, both ways;
or where one is due at once of its only bearer, and each of its acts is a deadline of the other, which is his too.

That what is under way can go on is asked in `verifier.prove.obligations.stuck`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement

from verifier.core.program import EVENT_PREFIX, ActMatch, Duty, EventNorm, Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.rewrite import substitute
from verifier.model.show import cite
from verifier.model.terms import Term
from verifier.model.types import BOOL, Type
from verifier.prove.obligations.acts import Acts
from verifier.prove.obligations.amounts import Sure
from verifier.prove.obligations.stuck import going_on
from verifier.prove.obligations.then import Then, nears
from verifier.prove.obligations.units import FALSE, TRUE, Naming, both, call, either, known, no
from verifier.prove.question import Mode, Nothing, Obligation, Play, Question, alike
from verifier.run.bench import Happening
from verifier.run.judge import Judge
from verifier.run.machine import Machine
from verifier.run.state import State
from verifier.run.undefined import Undefined

MODES: tuple[Mode, ...] = ("play",)
"""What is due from whoever has broken a rule already is not asked: the law speaks to those who keep it."""


def obligations(program: Program) -> Iterator[Obligation]:
    """For each duty that prohibitions may bar, and each two duties that may bar each other."""
    naming = Naming(program)
    for duty in program.duties:
        yield from _against(program, naming, duty)
    for one, other in combinations_with_replacement(program.duties, 2):
        yield from _each_other(program, naming, one, other)


# -------------------------------------------------------------------------------- a duty against prohibitions
@dataclass(frozen=True, slots=True)
class Bar:
    """A prohibition that may bar an act of a duty, and where it does, of the duty's variables."""

    norm: EventNorm
    condition: Term


def bars(program: Program, duty: Duty, act: ActMatch) -> tuple[Bar, ...]:
    """The prohibitions that may bar an act to those who bear the duty."""
    by = _as_required(program, act)
    return tuple(
        Bar(norm, substitute(program.functions[norm.applies].body, by))
        for norm in program.prohibitions.get(act.event, ())
        if set(duty.roles) <= set(norm.roles) and not norm.reads_after
    )


def _as_required(program: Program, act: ActMatch) -> dict[str, Term]:
    """What stands for an event's parameters where it does an act: what the act requires, or what nobody knows."""
    params = program.ruleset.events[act.event].params
    return {
        EVENT_PREFIX + p.name: _nobody_knows(p.type) if required is None else required
        for p, required in zip(params, act.required, strict=True)
    }


def _nobody_knows(type_: Type) -> Term:
    """A value of the type that is undefined: whatever hangs on it is."""
    bare = type_.of if isinstance(type_, ty.OptT) else type_
    return m.Force(bare, m.Lit(ty.OptT(bare), None))


def _against(program: Program, naming: Naming, duty: Duty) -> Iterator[Obligation]:
    barring = [bars(program, duty, act) for act in duty.acts]
    if not all(barring):
        return
    if duty.kind == "immediately after":
        for event, question, _ in _after(Acts(program), duty):
            yield _obligation(program, naming, duty, question, event)
    else:
        condition = both(_pending(duty), barred(program, duty))
        yield _obligation(program, naming, duty, Question(duty.variables, condition), None)


def _after(acts: Acts, duty: Duty) -> Iterator[tuple[str, Question, Question]]:
    """By event after which a duty is due immediately, what is asked: what cannot be told bars, or it bars nothing."""
    for event, matches in _deadlines(duty):
        over = Then(acts, event)
        told = [[over.of(bar.condition) for bar in bars(acts.program, duty, act)] for act in duty.acts]
        both_ways = (
            both(_pending(duty), matches, *(_one_of(several, untold) for several in told))
            for untold in (True, False)
        )
        whole, part = (Question(duty.variables, condition, event) for condition in both_ways)
        if whole.condition != FALSE:
            yield event, whole, part


def parts(program: Program, obligation: Obligation, surely: bool = False) -> tuple[Obligation, ...]:
    """What is asked in place of an obligation about a duty: the moments that count.

    `surely`: what is asked of the same moments, in the same order, where nothing is supposed of a way out.
    """
    if obligation.kind != "duty against prohibition" or obligation.question is None:
        return ()
    naming = Naming(program)
    for duty in program.duties:
        name = f"duty {_name(program, naming, duty)}"
        if duty.kind == "immediately after" and obligation.id.startswith(f"{name} at "):
            for event, whole, part in _after(Acts(program), duty):
                asked = _obligation(program, naming, duty, whole if surely else part, event)
                if asked.id == obligation.id:
                    return () if whole == part else (asked,)
        elif duty.kind != "immediately after" and obligation.id == name:
            moments = tuple(_moments(Acts(program), duty, surely))
            return tuple(
                _obligation(program, naming, duty, alike(question), event, True)
                for event, question in moments
            )
    return ()


def _obligation(
    program: Program, naming: Naming, duty: Duty, question: Question, event: str | None, last: bool = False
) -> Obligation:
    rules = [duty.rule, *(bar.norm.rule for act in duty.acts for bar in bars(program, duty, act))]
    waits = duty.kind in ("before", "by end of")
    due = "as long as it is due" if waits else "when it is due"
    name, when = "", f"{due}, or somebody may do what bears on that"
    if event is not None:
        name, when = f" at {event}", f"when `{event}` is at hand"
    elif last:
        name, when = " in time", "when nothing else can be done"
    return Obligation(
        f"duty {_name(program, naming, duty)}{name}",
        "duty against prohibition",
        f"what {cite(duty.unit)} demands is not forbidden {when}",
        tuple(dict.fromkeys(rules)),
        question=question,
        modes=MODES,
        about=(naming.says(program.ruleset.units[duty.unit]),),
    )


def _name(program: Program, naming: Naming, duty: Duty) -> str:
    """A duty's name: its rule and its acts, and all that it says where another of that rule has the same acts."""
    acts = " or ".join(dict.fromkeys(act.event for act in duty.acts))
    alike = [
        other
        for other in program.duties
        if cite(other.unit) == cite(duty.unit)
        and {a.event for a in other.acts} == {a.event for a in duty.acts}
    ]
    return f"{cite(duty.unit)} {acts}" if len(alike) == 1 else naming[program.ruleset.units[duty.unit]]


def _pending(duty: Duty) -> Term:
    return both(known(duty.variables), call(duty.pending, duty.variables))


def barred(program: Program, duty: Duty) -> Term:
    """That each act which would do a duty is barred."""
    return both(*(either(*(bar.condition for bar in bars(program, duty, act))) for act in duty.acts))


def _one_of(told: Iterable[Term | None], untold: bool) -> Term:
    """That one of several is so; what cannot be told is `untold`."""
    return either(*(m.Lit(BOOL, untold) if term is None else term for term in told))


def _moments(acts: Acts, duty: Duty, surely: bool) -> Iterator[tuple[str | None, Question]]:
    """The moments that count for a duty, with what is asked of them.

    Those that an event at hand need not be named for are one; a life's end whose mechanics touch what the duty
    reads is one of its own. Whether an event can be done lawfully is told generously: a clash is rather looked at.
    """
    still, openers = _still(acts, duty, surely)
    read = acts.reads.of(still)
    if duty.kind == "at once":
        yield None, Question(duty.variables, still, None, openers)
        return
    events = _deadlines(duty) if duty.life is None else _ends(acts.program, duty.life)
    ready: list[Term] = []
    for event, matches in events:
        if duty.life is not None and read & acts.touched(event):
            condition = both(
                still, m.AfterT(BOOL, still), acts.somebody_can(event, TRUE, duty.unit, "perhaps")
            )
            yield event, Question(duty.variables, condition, event, openers)
        else:
            ready.append(acts.somebody_can(event, matches, duty.unit, "perhaps"))
    if ready:
        yield None, Question(duty.variables, both(still, either(*ready)), None, openers)


def _still(acts: Acts, duty: Duty, surely: bool = False) -> tuple[Term, tuple[Nothing, ...]]:
    """That a duty is pending and barred, and that nobody has a lawful act that ends the clash."""
    still = both(_pending(duty), barred(acts.program, duty))
    ending = acts.ending(acts.reads.of(call(duty.pending, duty.variables)))
    bearing = acts.bearing(acts.reads.of(still))
    openers = (_opener(acts, duty, event, still, surely) for event in bearing if event not in ending)
    return still, tuple(opener for opener in openers if opener.condition != FALSE)


Moveless = Mapping[str, tuple[Nothing, ...]]
"""By life of which it is asked whether it can always go on, that nobody has a lawful move in it."""


def moveless(program: Program) -> Moveless:
    """The lives that can be stuck, as `stopped` needs them: found once, for it takes seconds where rules are many."""
    return {life.name: moves.none() for life, moves in going_on(Acts(program))}


def stopped(program: Program, obligation: Obligation, lives: Moveless) -> tuple[tuple[str, Question], ...]:
    """By life, that a duty is pending and barred where nobody has a lawful move: its deadline cannot come either.

    That lawful play leads on from there all the same is to be looked at, as of a life that is stuck.
    """
    acts, naming = Acts(program), Naming(program)
    for duty in program.duties:
        if duty.kind in ("before", "by end of") and obligation.id == f"duty {_name(program, naming, duty)}":
            still, openers = _still(acts, duty)
            return tuple(
                (life, alike(Question(duty.variables, still, None, (*openers, *none))))
                for life, none in lives.items()
                if duty.life in (None, life)
            )
    return ()


def _opener(acts: Acts, duty: Duty, event: str, still: Term, surely: bool) -> Nothing:
    """That nobody can lawfully do such an event and end the clash by that, or bring its end nearer.

    It does not end it where the duty is pending then, and enough prohibitions bar: of what cannot be told those of
    which it can, or all of them (`surely`).
    """
    over = Then(acts, event)
    pending = over.of(call(duty.pending, duty.variables))
    sure: Sure = "surely" if surely else "as told"
    if pending is None and not surely:
        return Nothing((), acts.somebody_can(event))
    barring = ([over.of(bar.condition) for bar in bars(acts.program, duty, act)] for act in duty.acts)
    ends = no(both(_one_of((pending,), surely), *(_one_of(several, surely) for several in barring)))
    nearer = either(*dict.fromkeys(nears(over, still, False, surely)))
    return Nothing(
        (), either(*(acts.somebody_can(event, way, sure=sure) for way in (ends, nearer) if way != FALSE))
    )


def _ends(program: Program, life: str) -> Iterator[tuple[str, Term]]:
    for event in program.ruleset.lives[life].ends:
        yield event, TRUE


def _deadlines(duty: Duty) -> Iterator[tuple[str, Term]]:
    """The kinds of event that are a duty's deadline, each with when it is."""
    by_event: dict[str, list[Term]] = {}
    for act in duty.deadline_acts:
        by_event.setdefault(act.event, []).append(act.matches)
    for event, matches in by_event.items():
        yield event, either(*matches)


def barring(
    program: Program, unit: str, state: State, options: Mapping[str, object], values: Mapping[str, object]
) -> tuple[str, ...]:
    """The prohibitions, by unit, that bar the acts of a duty in a state, its variables being `values`."""
    duty = next(duty for duty in program.duties if duty.unit == unit)
    machine = Machine(program, dict(options))
    machine.enter(state)
    names = [p.name for p in duty.variables]
    frame = [values[name] for name in names]
    found: dict[str, None] = {}
    for act in duty.acts:
        for bar in bars(program, duty, act):
            try:
                if machine.closure(bar.condition, names)(list(frame)):
                    found[bar.norm.unit] = None
            except Undefined:
                continue
    return tuple(found)


def disputed(program: Program, unit: str, play: Play, last: Happening) -> tuple[str, ...]:
    """The units that the judge says to be at odds with a duty when `last` follows a play; none where he does not.

    None, too, where the act was open earlier in the life: then the duty is broken, and the law does not clash.
    """
    judge = Judge(program, dict(play.options))
    for happening in play.happenings:
        judge.step(happening)
    for judgement in judge.step(last):
        if judgement.verdict == "disputed" and unit in judgement.units:
            return tuple(other for other in judgement.units if other != unit)
    return ()


# --------------------------------------------------------------------------------------- two duties at odds
def _each_other(program: Program, naming: Naming, one: Duty, two: Duty) -> Iterator[Obligation]:
    """The obligation that two duties leave each other a way, where they may not."""
    other = _apart(two)
    ways = [
        _both_ways(_before(program, one, other), _before(program, other, one)),
        _at_once_after(program, one, other),
        _at_once_after(program, other, one),
    ]
    if all(way == FALSE for way in ways):
        return
    pending = (both(known(d.variables), call(d.pending, d.variables)) for d in (one, other))
    units = program.ruleset.units
    a, b = (_name(program, naming, d) for d in (one, two))
    yield Obligation(
        f"duties {a} twice" if a == b else f"duties {a} / {b}",
        "duty against prohibition",
        f"{cite(one.unit)} never demands each of two things before the other"
        if a == b
        else f"what {cite(one.unit)} demands and what {cite(two.unit)} demands can both be done in time",
        tuple(dict.fromkeys((one.rule, two.rule))),
        question=Question((*one.variables, *other.variables), both(*pending, either(*ways))),
        modes=MODES,
        about=tuple(naming.says(units[unit]) for unit in dict.fromkeys((one.unit, two.unit))),
    )


def _apart(duty: Duty) -> Duty:
    """A duty with other names for its variables."""
    fresh = tuple(replace(p, name=f"other {p.name}") for p in duty.variables)
    by = {p.name: m.Var(p.type, f.name) for p, f in zip(duty.variables, fresh, strict=True)}

    def put(act: ActMatch) -> ActMatch:
        required = tuple(None if r is None else substitute(r, by) for r in act.required)
        return ActMatch(act.event, substitute(act.matches, by), required)

    return replace(
        duty,
        variables=fresh,
        acts=tuple(map(put, duty.acts)),
        deadline_acts=tuple(map(put, duty.deadline_acts)),
    )


def _both_ways(one: Term, other: Term) -> Term:
    return FALSE if FALSE in (one, other) else both(one, other)


def _before(program: Program, duty: Duty, other: Duty) -> Term:
    """That each act which does `duty` is a deadline of `other`."""
    if other.kind != "before":
        return FALSE
    found = [_passes(program, act, other) for act in duty.acts]
    return FALSE if FALSE in found else both(*found)


def _passes(program: Program, act: ActMatch, other: Duty) -> Term:
    by = _as_required(program, act)
    return either(*(substitute(d.matches, by) for d in other.deadline_acts if d.event == act.event))


def _at_once_after(program: Program, duty: Duty, other: Duty) -> Term:
    """That `duty` is due at once of its only bearer, whose `other` comes before each act that does it."""
    alone = duty.kind == "at once" and len(duty.roles) == 1 and set(other.roles) <= set(duty.roles)
    if not alone or {a.event for a in duty.acts} & {a.event for a in other.acts}:
        return FALSE
    return _before(program, duty, other)
