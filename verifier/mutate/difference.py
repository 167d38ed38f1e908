"""What differs between a ruleset's program and a mutant's, and whether a transcript can show it.

A mutant whose functions answer alike wherever they were asked is judged alike: by induction over the calls, nothing
that is asked next can differ. So the transcript need not be run again. What else may differ (whom a norm binds, what
does a duty, an option) is read at certain rows and in certain states only; a transcript that has none shows nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from verifier.check.options import stated_options
from verifier.core.program import Duty, EventNorm, Program
from verifier.errors import LogError, RequestError
from verifier.mutate.bench import Bench
from verifier.mutate.record import Key, Moment, Recorded
from verifier.run.machine import Machine
from verifier.run.undefined import Undefined


@dataclass(frozen=True, slots=True)
class Changed:
    """What differs.

    `functions` are those whose bodies differ, by name; `values` those of decisions' cases. Rows of the kinds `events`
    are judged otherwise, and those of a kind by an actor in `acts`, and those of `actors` whatever they do. `pending`
    are the functions that say when a duty is pending which otherwise differs: it shows where one is. `options` differ
    in what they may be. `head` is so where what is said of a whole transcript may differ (what options must be, who
    answers). `frame`: more differs than bodies, values, and what does duties or by when.
    """

    functions: frozenset[str]
    values: frozenset[tuple[str, int]]
    events: frozenset[str] = frozenset()
    acts: frozenset[tuple[str, str]] = frozenset()
    actors: frozenset[str] = frozenset()
    pending: frozenset[str] = frozenset()
    options: frozenset[str] = frozenset()
    head: bool = False
    frame: bool = False

    @property
    def keys(self) -> frozenset[Key]:
        """The functions and values."""
        return frozenset[Key](self.functions | self.values)


def changed(old: Program, new: Program) -> Changed | None:
    """What differs; None where a transcript would have to be run to tell whether it shows."""
    duties = _duties_changed(old, new)
    if duties is None or not _same_ground(old, new):
        return None
    functions: set[str] = set()
    for name, function in old.functions.items():
        other = new.functions.get(name)
        if other is None:
            continue  # whoever called it differs too
        if function.params != other.params or function.type != other.type:
            return None
        if function.body != other.body:
            functions.add(name)
    values: set[tuple[str, int]] = set()
    for name, decision in old.decisions.items():
        pairs = list(zip(decision.cases, new.decisions[name].cases, strict=True))
        values |= {(name, i) for i, (mine, its) in enumerate(pairs) if mine.value != its.value}
    norms = _norms_changed(old, new)
    mine, its = old.ruleset, new.ruleset
    options = {name for name, option in mine.options.items() if option != its.options[name]}
    head = old.answers != new.answers or _required(old) != _required(new)
    return Changed(
        frozenset(functions),
        frozenset(values),
        duties.events | norms.events,
        norms.acts,
        duties.actors,
        duties.pending | norms.pending,
        frozenset(options),
        head,
        bool(norms.events or norms.acts or duties.actors or options or head)
        or old.functions.keys() != new.functions.keys(),
    )


@dataclass(frozen=True, slots=True)
class _Rows:
    """At what rows, and while which duties are pending, a difference shows."""

    events: frozenset[str] = frozenset()
    acts: frozenset[tuple[str, str]] = frozenset()
    actors: frozenset[str] = frozenset()
    pending: frozenset[str] = frozenset()


def _duties_changed(old: Program, new: Program) -> _Rows | None:
    """Duties that differ in whom they bind, what does them, or by when: nothing is asked about those but while they
    are pending, at rows at which it was asked before whether they are; and at rows that the mutant adds to them. None
    where one is pending for other things or at other times, or there is one more or less."""
    events: set[str] = set()
    actors: set[str] = set()
    pending: set[str] = set()
    if [duty.unit for duty in old.duties] != [duty.unit for duty in new.duties]:
        return None
    for mine, its in zip(old.duties, new.duties, strict=True):
        if mine == its:
            continue
        if (mine.kind, mine.life, mine.pending, mine.variables) != (
            its.kind,
            its.life,
            its.pending,
            its.variables,
        ):
            return None
        pending.add(mine.pending)
        events |= _kinds(its) - _kinds(mine)
        actors |= set(its.roles) - set(mine.roles)
    return _Rows(events=frozenset(events), actors=frozenset(actors), pending=frozenset(pending))


def _kinds(duty: Duty) -> set[str]:
    return {act.event for act in (*duty.acts, *duty.deadline_acts)}


def _norms_changed(old: Program, new: Program) -> _Rows:
    """Prohibitions and permissions that differ otherwise than in when they apply. A prohibition is read at rows of
    its kind by those it binds or spares, and where a duty is pending that such an event would do."""
    events: set[str] = set()
    acts: set[tuple[str, str]] = set()
    pending: set[str] = set()
    for event in old.permissions.keys() | new.permissions.keys():
        if old.permissions.get(event) != new.permissions.get(event):
            events.add(event)
    tables = (old.prohibitions, new.prohibitions, old.endings, new.endings)
    for event in sorted({event for table in tables for event in table}):
        mine, its = old.against(event), new.against(event)
        if mine == its:
            continue
        acts |= {(event, actor) for actor in _bound(mine, its)}
        pending |= {duty.pending for duty in old.duties if any(act.event == event for act in duty.acts)}
    return _Rows(events=frozenset(events), acts=frozenset(acts), pending=frozenset(pending))


def _bound(mine: tuple[EventNorm, ...], its: tuple[EventNorm, ...]) -> set[str]:
    """Whose acts norms that differ judge otherwise."""
    both = set(mine) & set(its)
    found: set[str] = set()
    left, right = ([n for n in norms if n not in both] for norms in (mine, its))
    for norm in left:
        found ^= set(norm.roles) | set(norm.exempt)
    for norm in right:
        found ^= set(norm.roles) | set(norm.exempt)
    alike = len(left) == len(right) == 1 and _but_roles(left[0]) == _but_roles(right[0])
    return found if alike else {a for n in (*left, *right) for a in (*n.roles, *n.exempt)}


def _but_roles(norm: EventNorm) -> tuple[object, ...]:
    return norm.unit, norm.rule, norm.head, norm.applies, norm.exempt


def _required(program: Program) -> list[tuple[object, ...]]:
    return [(r.rule, r.condition) for r in program.ruleset.requirements]


def _same_ground(old: Program, new: Program) -> bool:
    """Whether what there is, what happens and what is asked is the same."""
    mine, its = old.ruleset, new.ruleset
    return (
        old.breach_rules == new.breach_rules
        and _outlines(old) == _outlines(new)
        and (mine.latches, mine.breaches, mine.state, mine.entities, mine.events, mine.mechanics)
        == (its.latches, its.breaches, its.state, its.entities, its.events, its.mechanics)
        and (mine.lives, mine.types, mine.chances, mine.actors)
        == (its.lives, its.types, its.chances, its.actors)
        and [(o.name, o.default) for o in mine.options.values()]
        == [(o.name, o.default) for o in its.options.values()]
    )


def _outlines(program: Program) -> list[tuple[object, ...]]:
    """Decisions without their values."""
    outlines: list[tuple[object, ...]] = []
    for decision in program.decisions.values():
        cases = tuple((case.unit, case.rule, case.applies) for case in decision.cases)
        outlines.append(
            (decision.name, decision.params, decision.type, cases, decision.asked, decision.askers)
        )
    return outlines


# -------------------------------------------------------------------------------------------- transcripts
def infected(recorded: Recorded, machine: Machine, found: Changed, bench: Bench) -> bool:
    """Whether what differs may show in a transcript; True where that is not known.

    `machine` and `bench` are the mutant's.
    """
    if recorded.moments is None:
        return True
    case = recorded.case
    for row in case.rows:
        if row.event in found.events or row.actor in found.actors or (row.event, row.actor) in found.acts:
            return True
    if found.options or found.head:
        try:
            _, stated = stated_options(bench.ready.ruleset, case.header, {}, case.path)
            if found.options - stated.keys() or (found.head and bench.head(case) != recorded.seen[0]):
                return True
        except (LogError, RequestError):
            return True
    if found.pending and any(
        answer is not False
        for moment in recorded.moments
        for name in found.pending & moment.calls.keys()
        for _, answer in moment.calls[name]
    ):
        return True
    return _answers_otherwise(recorded.moments, machine, found.keys)


def _answers_otherwise(moments: list[Moment], machine: Machine, keys: frozenset[Key]) -> bool:
    """Whether a function that differs answers otherwise where it was asked."""
    for moment in moments:
        mine = keys & moment.calls.keys()
        if mine:
            machine.options = moment.options
            machine.enter(moment.state, moment.after, moment.at_end)
            # What else was answered then stands, unless a changed function answers otherwise: then it is told here.
            machine.memo = dict(moment.memo)
            for key, args, _ in _calls(moment, mine):
                machine.memo.pop((key, args), None)
            if any(_answer(machine, key, args) != answer for key, args, answer in _calls(moment, mine)):
                return True
    return False


def _calls(moment: Moment, keys: frozenset[Key] | set[Key]) -> Iterator[tuple[Key, tuple[Any, ...], object]]:
    return ((key, args, answer) for key in keys for args, answer in moment.calls[key])


def _answer(machine: Machine, key: Key, args: tuple[Any, ...]) -> object:
    try:
        if isinstance(key, str):
            return machine.function(key, args)
        decision, index = key
        return machine._case_value(machine.program.decisions[decision], index, args)
    except Undefined as undefined:
        return undefined.reasons
