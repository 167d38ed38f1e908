"""What each kind of change yields on each kind of event: the table in `changes.yaml`, and how it is made.

Run as a program, with `tests/scripted` on the path, it writes the table anew; read the difference before it is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from change_table import Cell, Key, cells, write_table
from nz_change import Change, changes
from nz_judging import Bench, Course, Found
from nz_rounds import FAULTS_OF, PLAIN, ROUNDS, placed

HERE = Path(__file__).parent
TABLE = HERE / "changes.yaml"
REASONS = HERE / "reasons.yaml"


@dataclass(frozen=True)
class Outcome:
    """A change and the entries that it makes (those of the round as it stands left out)."""

    round: str
    change: Change
    found: tuple[Found, ...]

    @property
    def text(self) -> str:
        lines = [f"{self.round}: {self.change.text}"]
        for seq, verdict, kind, rules in self.found:
            row = self.change.log[seq - 1].step.text
            lines.append(f"    {row}: {verdict}, {kind} {', '.join(rules)}")
        return "\n".join(lines)


def course(name: str, bench: Bench) -> Course:
    """The round of that name and a plain one after it, judged as they stand."""
    return Course.of(placed((*ROUNDS[name], PLAIN)), bench)


def outcomes(names: Iterable[str], one_in: int = 1) -> Iterator[Outcome]:
    """All changes of one row in the rounds of these names, and what they yield.

    Of each kind of change of each kind of event one in `one_in`, the first among them; of those that come by the dozen
    for a row, other actors and other cards, a third of these.
    """
    met: Counter[Key] = Counter()
    bench = Bench()
    for name in names:
        legal = course(name, bench)
        known = set(FAULTS_OF.get(name, ()))
        for change in changes(legal.log, len(placed(ROUNDS[name]))):
            key = (change.kind, change.row.event)
            met[key] += 1
            if (met[key] - 1) % (3 * one_in if one_in > 1 and change.kind in ("actor", "card") else one_in):
                continue
            found = legal.changed(change.log, change.at, change.longer)
            new = (f for f in found if (change.log[f[0] - 1].step.text, f[3]) not in known)
            yield Outcome(name, change, tuple(new))


def stands_on(found: Found) -> str:
    """The rule that an entry is led by, or, where it cites none, its kind."""
    _, _, kind, rules = found
    return rules[0] if rules else kind


def table_of(every: Iterable[Outcome]) -> dict[Key, Cell]:
    return cells(
        ((outcome.change.kind, outcome.change.row.event), tuple(map(stands_on, outcome.found)))
        for outcome in every
    )


HEAD = """\
# Entries that a change of one row makes, by kind of change and of event, over all rounds of nz_rounds.py.
# `then`: what entries after the first are led by; why there may be any, says reasons.yaml.
# Written by nz_table.py.
"""

if __name__ == "__main__":
    write_table(TABLE, table_of(outcomes(ROUNDS)), HEAD)
