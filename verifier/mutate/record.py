"""What a ruleset's own functions were asked while its transcripts were judged, and what they answered.

A mutant that changes nothing but functions, and whose functions answer alike wherever they were asked, is judged
alike: by induction over the calls, nothing that is asked next can differ. So the transcripts need not be run again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from verifier.check.engine import Prepared
from verifier.core.program import Program
from verifier.model.terms import Term
from verifier.mutate.bench import Bench, Seen
from verifier.run.judge import Recording
from verifier.run.machine import Machine
from verifier.run.state import State
from verifier.run.undefined import Undefined
from verifier.transcripts.case import Case

Call = tuple[tuple[Any, ...], object]
"""Arguments and answer; an `Undefined`'s reasons where there was none."""

Key = str | tuple[str, int]
"""A function, or a case of a decision (its value)."""


@dataclass(slots=True)
class Moment:
    """A state in which functions were asked. `memo` holds all answers as the machine keeps them; `calls` those of
    the ruleset's own functions and values. `options` are those in force, stated or tried."""

    state: State
    after: State | None
    at_end: bool
    options: dict[str, object]
    memo: dict[tuple[object, ...], object]
    calls: dict[Key, list[Call]] = field(default_factory=dict)


@dataclass(slots=True)
class Recorded:
    """One transcript as the original shows it. `moments` is None where what was asked hangs on more than a state."""

    case: Case
    seen: tuple[Seen, ...]
    moments: list[Moment] | None


def record(ready: Prepared, cases: Sequence[Case]) -> list[Recorded]:
    """Every transcript judged once, and all calls of the ruleset's own functions kept."""
    own = _own(ready)
    bench = Bench(ready)
    return [_Recorder(bench, case, own).recorded() for case in cases]


def _own(ready: Prepared) -> frozenset[str]:
    """The functions that stand in the ruleset's own module."""
    path = ready.ruleset.sources[-1].path
    return frozenset(name for name, f in ready.program.functions.items() if f.place.file == path)


@dataclass(slots=True)
class _Recorder:
    """Listens to the machine while one transcript is judged."""

    bench: Bench
    case: Case
    own: frozenset[str]
    moments: list[Moment] = field(default_factory=list)
    by_memo: dict[int, Moment] = field(default_factory=dict)
    strange: bool = False

    def recorded(self) -> Recorded:
        judge = self.bench.judge(self.case.header, self.case.path)
        machine = judge.machine
        self.strange = judge.recording != Recording()
        function, case_value = machine.function, machine._case_value

        def asked(name: str, args: tuple[Any, ...]) -> Any:
            moment = self._moment(machine)
            known = (name, args) in moment.memo
            try:
                answer = function(name, args)
            except Undefined as undefined:
                clean = Undefined(undefined.reasons)
                machine.memo[name, args] = clean  # one that keeps no frames alive
                if not known and name in self.own:
                    moment.calls.setdefault(name, []).append((args, undefined.reasons))
                raise clean from None
            if not known and name in self.own:
                moment.calls.setdefault(name, []).append((args, answer))
            return answer

        def valued(decision: Any, index: int, args: tuple[Any, ...]) -> Any:
            calls = self._moment(machine).calls.setdefault((decision.name, index), [])
            try:
                answer = case_value(decision, index, args)
            except Undefined as undefined:
                calls.append((args, undefined.reasons))
                raise
            calls.append((args, answer))
            return answer

        machine.function, machine._case_value = asked, valued  # type: ignore[method-assign]
        try:
            seen = tuple(self.bench.seen(self.case))
        finally:
            del machine.function, machine._case_value
        kept = [moment for moment in self.moments if moment.calls]
        return Recorded(self.case, seen, None if self.strange else kept)

    def _moment(self, machine: Machine) -> Moment:
        """The moment that the machine is in: it has a memo of its own in each."""
        found = self.by_memo.get(id(machine.memo))
        if found is None:
            known = machine.known
            lost = known.lost or known.lost_latches or known.before or known.before_latches or known.doubts
            self.strange = self.strange or bool(lost)
            after = None if machine.after is None else _apart(machine.after)
            found = Moment(_apart(machine.state), after, machine.at_end, dict(machine.options), machine.memo)
            self.moments.append(found)
            self.by_memo[id(machine.memo)] = found
        return found


def _apart(state: State) -> State:
    """The state as it is now: what is counted after an event is written into the state that it leaves, and ids that
    are met into all states."""
    copy = state.changed()
    copy.ids = {name: dict(seen) for name, seen in state.ids.items()}
    return copy


# ------------------------------------------------------------------------------------------------ differences
@dataclass(frozen=True, slots=True)
class Changed:
    """What differs: functions' bodies by name, values of decisions' cases, and kinds of event at which duties are
    judged that differ otherwise (in what does them, or by when)."""

    functions: frozenset[str]
    values: frozenset[tuple[str, int]]
    events: frozenset[str] = frozenset()

    @property
    def keys(self) -> frozenset[Key]:
        """All of them."""
        return frozenset[Key](self.functions | self.values)


def changed(old: Program, new: Program) -> Changed | None:
    """What differs, where that is functions and values only; None where it is more."""
    events = _duties_changed(old, new)
    if events is None or not _same_frame(old, new) or old.functions.keys() != new.functions.keys():
        return None
    functions: set[str] = set()
    for name, function in old.functions.items():
        other = new.functions[name]
        if function.params != other.params or function.type != other.type:
            return None
        if function.body != other.body:
            functions.add(name)
    values: set[tuple[str, int]] = set()
    for name, decision in old.decisions.items():
        pairs = list(zip(decision.cases, new.decisions[name].cases, strict=True))
        values |= {(name, i) for i, (mine, its) in enumerate(pairs) if mine.value != its.value}
    return Changed(frozenset(functions), frozenset(values), events)


def _duties_changed(old: Program, new: Program) -> frozenset[str] | None:
    """The events that do duties which differ, or are their deadlines: nothing else asks about those. None where a
    duty is judged at other times too, or where there is one more or less."""
    found: set[str] = set()
    if [duty.unit for duty in old.duties] != [duty.unit for duty in new.duties]:
        return None
    for mine, its in zip(old.duties, new.duties, strict=True):
        if mine == its:
            continue
        if mine.kind != its.kind or mine.kind not in ("before", "immediately after"):
            return None
        for duty in (mine, its):
            found |= {act.event for act in (*duty.acts, *duty.deadline_acts)}
    return frozenset(found)


def _same_frame(old: Program, new: Program) -> bool:
    """Whether all but bodies and values is the same."""
    mine, its = old.ruleset, new.ruleset
    return (
        (old.prohibitions, old.permissions, old.breach_rules, old.answers)
        == (new.prohibitions, new.permissions, new.breach_rules, new.answers)
        and _outlines(old) == _outlines(new)
        and [(r.rule, r.condition) for r in mine.requirements]
        == [(r.rule, r.condition) for r in its.requirements]
        and (mine.latches, mine.breaches, mine.state, mine.entities, mine.events, mine.mechanics)
        == (its.latches, its.breaches, its.state, its.entities, its.events, its.mechanics)
        and (mine.lives, mine.types, mine.options, mine.chances, mine.actors)
        == (its.lives, its.types, its.options, its.chances, its.actors)
    )


def _outlines(program: Program) -> list[tuple[object, ...]]:
    """Decisions without their values."""
    outlines: list[tuple[object, ...]] = []
    for decision in program.decisions.values():
        cases = tuple((case.unit, case.rule, case.applies) for case in decision.cases)
        asked: Term | None = decision.asked
        outlines.append((decision.name, decision.params, decision.type, cases, asked, decision.askers))
    return outlines


def infected(recorded: Recorded, machine: Machine, found: Changed) -> bool:
    """Whether a changed function answers otherwise somewhere in a transcript; True where that is not known."""
    if recorded.moments is None or any(row.event in found.events for row in recorded.case.rows):
        return True
    keys = found.keys
    for moment in recorded.moments:
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
