"""Changes of one row: another card, amount, actor; swapped with the next row; dropped; doubled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from nz_rounds import Placed, Step, ready

Kind = Literal["card", "amount", "number", "actor", "order", "dropped", "doubled"]

KINDS: tuple[Kind, ...] = ("card", "amount", "number", "actor", "order", "dropped", "doubled")

RANKS = "A23456789TJQK"
SUITS = "cdhs"
MORE = (100, -50, 25)
"""Minor units by which an amount is changed: by chips that there are, up and down, and by a chip that there is not."""


@dataclass(frozen=True)
class Change:
    """A log with the row at `at` changed; `other` is what the row became, or what it was swapped with."""

    kind: Kind
    at: int
    log: list[Placed]
    longer: int
    row: Step
    other: str = ""

    @property
    def text(self) -> str:
        return f"{self.kind} of row {self.at + 1}, {self.row.text}" + (
            f": {self.other}" if self.other else ""
        )


def changes(log: list[Placed], rows: int) -> Iterator[Change]:
    """All changes of the first `rows` rows of a log."""
    for at in range(rows):
        before, place, after = log[:at], log[at], log[at + 1 :]
        step = place.step
        for kind, other in _others(step):
            changed = [*before, replace(place, step=other), *after]
            yield Change(kind, at, changed, 0, step, other.text)
        if at + 1 < rows and after[0].step != step:
            # A row is swapped with its place: the keys of the lives belong to the place.
            pair = [replace(place, step=after[0].step), replace(after[0], step=step)]
            yield Change("order", at, [*before, *pair, *after[1:]], 0, step, after[0].step.text)
        yield Change("dropped", at, [*before, *after], -1, step)
        yield Change("doubled", at, [*before, place, place, *after], 1, step)


def _others(step: Step) -> Iterator[tuple[Kind, Step]]:
    """The row with one value changed, and what kind of value it is."""
    ruleset, schema = ready().ruleset, ready().binding.schema
    for actor in ruleset.actors:
        if actor != step.actor and ruleset.events[step.event].by:
            yield "actor", replace(step, actor=actor)
    for index, name in enumerate(schema.events[step.event].parameters):
        text = step.columns[index]
        for kind, other in _values(name, schema.columns[name].kind, text):
            columns = (*step.columns[:index], other, *step.columns[index + 1 :])
            yield kind, replace(step, columns=columns)


def _values(name: str, kind: str, text: str) -> Iterator[tuple[Kind, str]]:
    match kind:
        case "money":
            for more in MORE:
                yield "amount", str(int(text) + more)
        case "integer" if name not in ("box", "place"):
            yield "number", str(int(text) + 1 if int(text) != 416 and name != "decks" else int(text) - 1)
        case "written" if name == "card":
            for rank in RANKS:
                if rank != text[0]:
                    yield "card", rank + text[1]
            for suit in SUITS:
                if suit != text[1]:
                    yield "card", text[0] + suit
        case _:
            return
