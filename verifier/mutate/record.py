"""What a ruleset's own functions were asked while its transcripts were judged, and what they answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from verifier.check.engine import Prepared
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
    the ruleset's own functions and values. `options` are those in force, stated or tried. `rows` of the transcript
    were judged before."""

    state: State
    after: State | None
    at_end: bool
    options: dict[str, object]
    memo: dict[tuple[object, ...], object]
    rows: int
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
    bench = Bench(ready, asks_all=True)  # a mutant's condition may begin with other words
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
    rows: int = 0
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
            seen: list[Seen] = []
            for one in self.bench.seen(self.case):
                self.rows = min(len(seen), len(self.case.rows))  # the first is of the transcript as a whole
                seen.append(one)
        finally:
            del machine.function, machine._case_value
        kept = [moment for moment in self.moments if moment.calls]
        return Recorded(self.case, tuple(seen), None if self.strange else kept)

    def _moment(self, machine: Machine) -> Moment:
        """The moment that the machine is in: it has a memo of its own in each."""
        found = self.by_memo.get(id(machine.memo))
        if found is None:
            known = machine.known
            lost = known.lost or known.lost_latches or known.before or known.before_latches or known.doubts
            self.strange = self.strange or bool(lost)
            after = None if machine.after is None else _apart(machine.after)
            found = Moment(
                _apart(machine.state), after, machine.at_end, dict(machine.options), machine.memo, self.rows
            )
            self.moments.append(found)
            self.by_memo[id(machine.memo)] = found
        return found


def _apart(state: State) -> State:
    """The state as it is now: what is counted after an event is written into the state that it leaves, and ids that
    are met into all states."""
    copy = state.changed()
    copy.ids = {name: dict(seen) for name, seen in state.ids.items()}
    return copy
