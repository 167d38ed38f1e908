"""Events per second of the interpreter, with and without explanations, against a checker written by hand.

The interpreter judges all rules of New Zealand's blackjack of 1998; the checker by hand only settlement and drawing
(by_hand.FEW). Both run over the same seeded log in one process; medians of several runs are printed, and the ratio.
On a log with planted faults both must find those of the rules that both know; if not, the exit code is 1.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import by_hand  # noqa: E402
from rounds import Event, played, with_faults  # noqa: E402

from verifier.check.engine import Prepared, prepare  # noqa: E402
from verifier.check.options import read_settings  # noqa: E402
from verifier.log.header import Header  # noqa: E402
from verifier.log.rows import Row, RowReader  # noqa: E402
from verifier.run.bench import effective_options  # noqa: E402
from verifier.run.explain import Explainer  # noqa: E402
from verifier.run.judge import Happening, Judge  # noqa: E402
from verifier.run.verdict import Judgement  # noqa: E402

RULESET = "nz/blackjack-1998"
OPTIONS: dict[str, object] = {
    "decks": 8, "boxes_on_layout": 7, "cutting_cards": 1, "smallest_chip": 50, "burn_first_card": False,
    "minimum_increment": 0, "players_per_box": 3, "box_maximum_set": False, "player_maximum_set": False,
    "boxes_per_player": 7, "table_minimum": 100, "super_sevens_offered": True, "super_sevens_stake": 500,
    "layout": "appendix_2", "table_maximum": 0, "permitted_maximum": 0,
}  # fmt: skip

HEADER = Header("a benchmark", RULESET, "NZD", 2, missing_columns=frozenset({"at"}))

CLASSES = {
    "settlements wrong, or too early": ("pay", "collect", "give_back"),
    "decisions not allowed": ("draw", "stand", "double", "split", "insure", "ask_payment", "wager"),
    "cards dealt, and rounds ended, against a rule": ("deal", "end_round", "remove_cards"),
}
"""What the planted faults come to, by the events at fault. What is done too late stands at the event that came
first: a card dealt, or the end of the round."""


def rows_of(ready: Prepared, events: list[Event], shoe: int = 1) -> list[Row]:
    """The events as the log reader gives them; no shoe has a lower number than `shoe`."""
    schema = ready.binding.schema
    reader = RowReader("rounds", schema, HEADER)
    found: list[Row] = []
    for number, event in enumerate(events, 1):
        lives = {"table": "T1", "shoe": max(event.shoe, shoe), "round": event.round}
        columns = dict(zip(schema.events[event.event].parameters, event.values, strict=True))
        row = reader.read(
            {**lives, "seq": number, "actor": event.actor, "event": event.event, **columns}, number
        )
        assert isinstance(row, Row)
        found.append(row)
    return found


def happenings(ready: Prepared, events: list[Event]) -> list[Happening]:
    """The events as the interpreter takes them: read and checked by the log reader."""
    return [
        Happening(row.event, row.actor, ready.binding.values(row.event, row.values, HEADER))
        for row in rows_of(ready, events)
    ]


def judge(ready: Prepared) -> Judge:
    stated = read_settings(ready.ruleset, OPTIONS)
    return Judge(ready.program, effective_options(ready.program, stated))


def judged(ready: Prepared, log: list[Happening]) -> list[list[Judgement]]:
    """What the interpreter says of each event."""
    own = judge(ready)
    return [own.step(happening) for happening in log]


def explained(ready: Prepared, log: list[Happening]) -> None:
    """Every event judged and explained in full: each rule that governs it, each duty, each decision."""
    explainer = Explainer(judge(ready), tracking=True)
    for happening in log:
        explainer.trace(happening)


def faults_found(found: list[list[Judgement]]) -> list[int]:
    """The places of the events that break a rule which the checkers by hand know."""
    return [
        index
        for index, judgements in enumerate(found)
        if any(by_hand.knows(rule) for j in judgements for rule in j.rules)
    ]


def compared(events: list[Event], ours: list[int], theirs: list[int]) -> bool:
    """Prints how many faults there are of each class, and whether each stands at the same event for both."""
    for name, kinds in CLASSES.items():
        one, other = ([i for i in found if events[i].event in kinds] for found in (ours, theirs))
        print(
            f"planted, {name}: {len(one)} by the interpreter, {len(other)} by hand; the same: {one == other}"
        )
    return ours == theirs and all(
        any(events[index].event in kinds for index in ours) for kinds in CLASSES.values()
    )


def median(run: Callable[[], object], times: int) -> float:
    """Seconds that a run takes: the median of several."""
    spent: list[float] = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        spent.append(time.perf_counter() - start)
    return statistics.median(spent)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2000, help="lawful rounds to judge (default 2000)")
    parser.add_argument(
        "--explained", type=int, default=100, help="rounds to judge and explain (default 100)"
    )
    parser.add_argument("--times", type=int, default=3, help="runs of which the median is taken (default 3)")
    parser.add_argument("--seed", type=int, default=1998)
    asked = parser.parse_args()

    ready = prepare(RULESET)
    events = played(asked.rounds, asked.seed)
    few = [event for event in events if event.round <= asked.explained]
    log, short = happenings(ready, events), happenings(ready, few)
    at_fault = sum(map(bool, judged(ready, log))) + len(by_hand.faults(events))
    print(f"{asked.rounds} rounds, {len(events)} events, seed {asked.seed}; lawful: {at_fault == 0}")

    speeds = {
        "by hand (settlement and drawing)": len(events) / median(lambda: by_hand.faults(events), asked.times),
        "interpreter (all rules)": len(log) / median(lambda: judged(ready, log), asked.times),
        "interpreter, every event explained": len(short)
        / median(lambda: explained(ready, short), asked.times),
    }
    best = max(speeds.values())
    for name, speed in speeds.items():
        print(f"{name:36}{speed:12,.0f} events/s   1 : {best / speed:,.1f}")

    faulty = with_faults(events)
    ours = faults_found(judged(ready, happenings(ready, faulty)))
    same = compared(faulty, ours, by_hand.faults(faulty))
    return 0 if same and not at_fault else 1


if __name__ == "__main__":
    sys.exit(main())
