"""Events per second of the compiled rules alone, against the interpreter, plain Python and C.

All judge the same lawful log of New Zealand's blackjack of 1998 in memory: the kernel all rules, and only those that
the checkers by hand know (settlement and the dealer's drawing); the interpreter all rules; `by_hand.py` and, where
there is a C compiler, `by_hand.c` their few. Seconds are of processor time; beside them, the instructions that
the kernel takes for an event, which do not depend on the machine. If one of them finds a fault in the log,
or kernel and interpreter count a rule differently, the exit code is 1.
"""

from __future__ import annotations

import argparse
import ctypes
import shutil
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import wasmtime

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import by_hand  # noqa: E402
from interpreter import OPTIONS, RULESET, happenings, judge, rows_of  # noqa: E402
from rounds import KINDS, RANKS, Event, played  # noqa: E402

from verifier.check.engine import prepare  # noqa: E402
from verifier.check.options import read_settings  # noqa: E402
from verifier.compile.columns import Encoder  # noqa: E402
from verifier.compile.kept import host_and_module  # noqa: E402
from verifier.compile.kernel import STACK, Compiled, Kernel, Seat  # noqa: E402
from verifier.core.program import Program  # noqa: E402
from verifier.log.rows import Row  # noqa: E402
from verifier.run.bench import effective_options  # noqa: E402

FEW = ("5.1", "5.4", "10.1", "10.3", "11.4", "11.5", "12.5", "12.6", "13.2", "13.3", "13.4")
"""The clauses that the checkers by hand know."""

IN_C = ("wager", "deal", "double", "split", "ask_payment", "pay", "collect", "give_back", "end_round")


def restricted(program: Program, clauses: tuple[str, ...]) -> Program:
    """The program with no norms or duties but those of these clauses; decisions and claims stay."""

    def of(rule: str) -> bool:
        return rule.split(" [")[0].split("(")[0] in clauses

    return replace(
        program,
        prohibitions={e: tuple(n for n in norms if of(n.rule)) for e, norms in program.prohibitions.items()},
        permissions={e: tuple(n for n in norms if of(n.rule)) for e, norms in program.permissions.items()},
        duties=tuple(duty for duty in program.duties if of(duty.rule)),
    )


def seconds(run: Callable[[], object], times: int) -> float:
    """Processor time of the fastest of several runs."""
    spent = []
    for _ in range(times):
        start = time.thread_time()
        run()
        spent.append(time.thread_time() - start)
    return min(spent)


def in_c(events: list[Event]) -> Callable[[], int] | None:
    """The checker in C, ready to run over the events; None where there is no compiler."""
    cc = shutil.which("cc")
    if cc is None:
        return None
    folder = tempfile.mkdtemp()
    library = Path(folder) / "by_hand.so"
    subprocess.run([cc, "-O2", "-shared", "-fPIC", "-o", library, HERE / "by_hand.c"], check=True)
    faults = ctypes.CDLL(str(library)).faults
    faults.restype = ctypes.c_int64
    columns = [array("q") for _ in range(7)]
    for event in events:
        for column, value in zip(columns, _c_row(event), strict=True):
            column.append(value)
    pointers = [ctypes.c_void_p(column.buffer_info()[0]) for column in columns]
    keep = (columns, pointers)

    def run() -> int:
        return int(faults(ctypes.c_int64(len(keep[0][0])), *keep[1]))

    return run


def _c_row(event: Event) -> tuple[int, ...]:
    """Event, player, place, number, kind, rank, amount."""
    kind = IN_C.index(event.event) if event.event in IN_C else len(IN_C)
    values = [str(value) for value in event.values]
    player = next((int(v[1:]) for v in values if v[0] == "p" and v[1:].isdigit()), 0)
    hand = next((v for v in values if v[0] == "B" and "H" in v), None)
    place, number = (int(hand[1]), int(hand[3])) if hand else (0, 1)
    match event.event:
        case "wager":
            return kind, player, int(values[1]), 1, KINDS.index(values[2]), 0, int(values[3])
        case "deal":
            return kind, 0, place, number, 0, RANKS.index(values[1][0]), 0
        case "double" | "split":
            return kind, player, place, number, 0, 0, int(values[2])
        case "pay":
            return kind, player, place, number, KINDS.index(values[2]), 0, int(values[3])
        case "collect" | "give_back":
            return kind, player, place, number, KINDS.index(values[2]), 0, 0
        case _:
            return kind, player, place, number, 0, 0, 0


def kernels(
    program: Program, options: Mapping[str, object], rows: list[Row]
) -> tuple[Any, Callable[[], Kernel]]:
    """A compiled program, and what gives kernels with the log in memory."""
    compiled = Compiled.of(program)
    columns = Encoder(compiled.module.inputs).columns(rows)

    def fresh() -> Kernel:
        kernel = Kernel(compiled, options)
        kernel.put(columns)
        return kernel

    return compiled, fresh


FUEL = 1 << 62
"""More than any run takes."""


def instructions(program: Program, options: Mapping[str, object], rows: list[Row]) -> float:
    """How many instructions of WebAssembly an event takes: the fuel that a run uses up, whatever else the machine
    does."""
    module, wasm = host_and_module(program)
    config = wasmtime.Config()
    config.max_wasm_stack = STACK
    config.consume_fuel = True
    engine = wasmtime.Engine(config)
    compiled = Compiled(module, engine, wasmtime.Module(engine, wasm))
    seat = Seat(compiled)
    seat.store.set_fuel(FUEL)
    kernel = Kernel(compiled, options, seat)
    kernel.put(Encoder(module.inputs).columns(rows))
    before: int = seat.store.get_fuel()
    kernel.run(0, len(rows))
    return (before - seat.store.get_fuel()) / len(rows)


def fastest(fresh: Callable[[], Kernel], events: int, times: int) -> tuple[float, Kernel]:
    """Seconds of the fastest run, and the kernel of the last. Raises where an event is marked."""
    best = float("inf")
    for _ in range(times):
        kernel = fresh()
        start = time.thread_time()
        stop = kernel.run(0, events)
        best = min(best, time.thread_time() - start)
        if stop.mark:
            raise SystemExit(
                f"the kernel marks event {stop.at + 1}: {stop.mark.name} {stop.rule or stop.why}"
            )
    return best, kernel


def measure(rounds: int, interpreted: int, times: int, seed: int) -> tuple[bool, dict[str, float]]:
    """Prints the events per second of each, and its ratio to the fastest; whether nobody found a fault and the kernel
    counted as the interpreter does, and the events per second by name."""
    ready = prepare(RULESET)
    options = effective_options(ready.program, read_settings(ready.ruleset, OPTIONS))
    events = played(rounds, seed)
    few = [event for event in events if event.round <= interpreted]
    rows = rows_of(ready, events, shoe=2)
    start = time.thread_time()
    _, fresh = kernels(ready.program, options, rows)
    built = time.thread_time() - start
    print(f"{rounds} rounds, {len(events)} events, seed {seed}; compiled and fed in {built:.2f} s")

    spent, _ = fastest(fresh, len(events), times)
    speeds = {"kernel, all rules": len(events) / spent}
    _, fresh_few = kernels(restricted(ready.program, FEW), options, rows)
    spent, _ = fastest(fresh_few, len(events), times)
    speeds["kernel, the rules of those by hand"] = len(events) / spent

    own = judge(ready)
    log = happenings(ready, few)
    start = time.thread_time()
    at_fault = sum(bool(own.step(happening)) for happening in log)
    speeds["interpreter, all rules"] = len(log) / (time.thread_time() - start)
    speeds["Python by hand"] = len(events) / seconds(lambda: by_hand.faults(events), 1)
    at_fault += len(by_hand.faults(events))
    c = in_c(events)
    if c is not None:
        at_fault += c()
        speeds["C by hand"] = len(events) / seconds(c, times)
    best = max(speeds.values())
    for name, speed in speeds.items():
        print(f"{name:36}{speed:14,.0f} events/s   1 : {best / speed:,.1f}")

    whole, part = (
        instructions(one, options, rows) for one in (ready.program, restricted(ready.program, FEW))
    )
    print(f"instructions of WebAssembly an event: {whole:,.0f} of all rules, {part:,.0f} of those by hand")

    _, short = kernels(ready.program, options, rows[: len(few)])
    _, kernel = fastest(short, len(few), 1)
    theirs = {rule: tally.kept for rule, tally in own.tallies.items() if tally.kept}
    print(f"faults found in a lawful log: {at_fault}; the counts of {len(theirs)} rules, the same: "
          f"{kernel.tallies() == theirs}")  # fmt: skip
    return kernel.tallies() == theirs and not at_fault, speeds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2000, help="lawful rounds to judge (default 2000)")
    parser.add_argument(
        "--interpreted", type=int, default=200, help="rounds for the interpreter (default 200)"
    )
    parser.add_argument("--times", type=int, default=5, help="runs of which the fastest counts (default 5)")
    parser.add_argument("--seed", type=int, default=1998)
    asked = parser.parse_args()
    right, _ = measure(asked.rounds, asked.interpreted, asked.times, asked.seed)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
