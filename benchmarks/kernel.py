"""Events per second of the compiled rules alone, against the interpreter, plain Python and C.

All judge the same lawful log of New Zealand's blackjack of 1998 in memory: the kernel all rules, and only those that
the checkers by hand know (settlement and drawing, by_hand.FEW); the interpreter all rules; `by_hand.py` and, where
there is a C compiler, `by_hand.c` their few. Seconds are of processor time; beside them, the instructions that
the kernel takes for an event, which do not depend on the machine. Then faults are planted. If one of them finds a fault
in the lawful log, kernel and interpreter count a rule differently, the checkers by hand find another number of planted
faults, or the first that the kernel with the same rules finds is another than theirs, the exit code is 1.
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
from itertools import groupby
from pathlib import Path
from typing import Any

import wasmtime

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import by_hand  # noqa: E402
from interpreter import OPTIONS, RULESET, happenings, judge, rows_of  # noqa: E402
from rounds import DEALER, KINDS, RANKS, SUITS, Event, played, with_faults  # noqa: E402

from verifier.check.engine import Prepared, prepare  # noqa: E402
from verifier.check.options import read_settings  # noqa: E402
from verifier.compile.columns import Encoder  # noqa: E402
from verifier.compile.kept import host_and_module  # noqa: E402
from verifier.compile.kernel import STACK, Compiled, Kernel, Seat  # noqa: E402
from verifier.core.program import Program  # noqa: E402
from verifier.log.rows import Row  # noqa: E402
from verifier.run.bench import effective_options  # noqa: E402

IN_C = (
    "wager", "deal", "draw", "stand", "double", "split", "insure", "ask_payment", "pay", "collect", "give_back",
    "remove_cards", "end_round",
)  # fmt: skip


def restricted(program: Program) -> Program:
    """The program with no norms or duties but those of the rules known by hand; decisions and claims stay."""

    def few(norms: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(norm for norm in norms if by_hand.knows(norm.rule))

    return replace(
        program,
        prohibitions={e: few(norms) for e, norms in program.prohibitions.items()},
        permissions={e: few(norms) for e, norms in program.permissions.items()},
        duties=few(program.duties),
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
    columns = [array("q") for _ in range(8)]
    for event in events:
        for column, value in zip(columns, _c_row(event), strict=True):
            column.append(value)
    pointers = [ctypes.c_void_p(column.buffer_info()[0]) for column in columns]
    keep = (columns, pointers)

    def run() -> int:
        return int(faults(ctypes.c_int64(len(keep[0][0])), *keep[1]))

    return run


def _c_row(event: Event) -> tuple[int, ...]:
    """Event, player, place, number, kind, rank, suit, amount."""
    kind = IN_C.index(event.event) if event.event in IN_C else len(IN_C)
    values = [str(value) for value in event.values]
    match event.event:
        case "wager":
            return kind, int(values[0][1:]), int(values[1]), 1, KINDS.index(values[2]), 0, 0, int(values[3])
        case "deal":
            rank, suit = values[1]
            return kind, 0, *_hand(values[0]), 0, RANKS.index(rank), SUITS.index(suit), 0
        case "draw" | "stand" | "double" | "split":
            return kind, int(values[0][1:]), *_hand(values[1]), 0, 0, 0, int((*values, 0)[2])
        case "insure" | "ask_payment":
            return kind, int(values[0][1:]), int(values[1]), 1, 0, 0, 0, int((*values, 0)[2])
        case "pay" | "collect" | "give_back":
            wager = (int(values[0][1:]), *_hand(values[1]), KINDS.index(values[2]))
            return kind, *wager, 0, 0, int((*values, 0)[3])
        case "remove_cards":
            return kind, 0, *_hand(values[0]), 0, 0, 0, 0
        case _:
            return kind, 0, 0, 1, 0, 0, 0, 0


def _hand(name: str) -> tuple[int, int]:
    """Its place and number."""
    return (0, 1) if name == DEALER else (int(name[1]), int(name[3]))


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
    _, fresh_few = kernels(restricted(ready.program), options, rows)
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

    whole, part = (instructions(one, options, rows) for one in (ready.program, restricted(ready.program)))
    print(f"instructions of WebAssembly an event: {whole:,.0f} of all rules, {part:,.0f} of those by hand")

    _, short = kernels(ready.program, options, rows[: len(few)])
    _, kernel = fastest(short, len(few), 1)
    theirs = {rule: tally.kept for rule, tally in own.tallies.items() if tally.kept}
    print(f"faults found in a lawful log: {at_fault}; the counts of {len(theirs)} rules, the same: "
          f"{kernel.tallies() == theirs}")  # fmt: skip
    right = kernel.tallies() == theirs and not at_fault
    return planted(ready, options, rounds, interpreted, seed) and right, speeds


def planted(ready: Prepared, options: Mapping[str, object], rounds: int, by_kernel: int, seed: int) -> bool:
    """Prints how many faults the checkers by hand find in a log with planted ones, and in how many of its first rounds
    the kernel with the same rules finds one; whether C finds as many as Python, and the kernel the first of each
    round where Python does."""
    events = with_faults(played(rounds, seed, loaded=True))
    found = by_hand.faults(events)
    c = in_c(events)
    in_both = c is None or c() == len(found)
    print(f"planted: {len(found)} events at fault by Python, {'not asked' if c is None else c()} by C; "
          f"the same: {in_both}")  # fmt: skip

    first = {events[index].round: index for index in reversed(found) if events[index].round <= by_kernel}
    marked: dict[int, int] = {}
    compiled = Compiled.of(restricted(ready.program))
    encoder = Encoder(compiled.module.inputs)
    places = range(len(events))
    for number, of_round in groupby(places, key=lambda index: events[index].round):
        if number > by_kernel:
            break
        start, *more = of_round
        kernel = Kernel(compiled, options)
        kernel.put(encoder.columns(rows_of(ready, events[start : start + len(more) + 1], shoe=2)))
        stop = kernel.run(0, len(more) + 1)
        if stop.mark:
            marked[number] = start + stop.at
    print(f"planted: of {by_kernel} rounds {len(first)} at fault by Python, {len(marked)} by the kernel of its rules; "
          f"the first fault of each, the same: {marked == first}")  # fmt: skip
    return in_both and marked == first


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
