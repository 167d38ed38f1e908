"""Instructions of the compiled rules for an event of a round whose list grows long, by how long it grows.

Two rulesets, alike but for a field that is 0 throughout and that one of them adds to each number of the list: what an
element adds rests there not on the element alone, so that all are added up at each event. The other goes on where it
stopped. Both must pass every event; else the exit code is 1.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from kernel import instructions  # noqa: E402

from verifier.check.engine import prepare  # noqa: E402
from verifier.compile.columns import Encoder  # noqa: E402
from verifier.compile.kernel import Compiled, Kernel  # noqa: E402
from verifier.log.rows import Row  # noqa: E402

RULES = """ruleset in/lists
law nz/gazette-1998-9-division-2

actors keeper
type Num = 0..99
life evening
life round ends close
state evening
  nothing: Num
state round
  tape: list of Num max 1000

event note(num: Num) by keeper
event reset by keeper
event close by keeper
on note(n)
  tape gains n
on reset
  nothing = 0

rule 4.2 "The dealer shall at all times deal the cards"
  keeper must not note(any) when sum (n + {more} for n in tape) > 99000 or (some n in tape: n + {more} = 99)
"""
EVENTS = 2_000


def rows(each: int) -> list[Row]:
    """Rounds of so many numbers."""
    found: list[Row] = []
    for at in range(EVENTS):
        turn, place = divmod(at, each + 1)
        event, values = ("close", ()) if place == each else ("note", (place % 90,))
        found.append(Row("rows", at + 1, (1, turn + 1), at + 1, None, "keeper", event, values))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("long", nargs="*", type=int, default=[5, 20, 200], help="numbers a round")
    asked = parser.parse_args()
    print(f"{'numbers a round':>15} {'told anew':>12} {'carried on':>12}")
    right = True
    for each in asked.long:
        log, found = rows(each), []
        for more in ("nothing", "0"):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "lists.rules"
                path.write_text(RULES.replace("{more}", more))
                program = prepare(path).program
            compiled = Compiled.of(program)
            kernel = Kernel(compiled, {})
            kernel.put(Encoder(compiled.module.inputs).columns(log))
            right &= kernel.run(0, len(log)).mark == 0
            found.append(instructions(program, {}, log))
        print(f"{each:>15,} {found[0]:>12,.0f} {found[1]:>12,.0f}   1 : {found[1] / found[0]:.2f}")
    print(f"all events pass: {right}")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
