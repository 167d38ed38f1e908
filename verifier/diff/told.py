"""What is told of the decisions of two rulesets: matters, each the same or with every region in which it differs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from verifier.diff.sides import Example
from verifier.diff.turn import HALF_OPEN, OTHERWISE, Turn
from verifier.diff.unify import Which
from verifier.diff.weight import Stock, Weight

Verdict: TypeAlias = Literal["same", "different", "only old", "only new", "undecided"]

Rank: TypeAlias = Literal["open", "sign", "amount", "unknown", "name"]
"""How a difference weighs: one side has a gap or a clash; who gains changes; how much; nobody can tell how much; the
money is the same, and only what it is called differs."""

RANKS: tuple[Rank, ...] = ("open", "sign", "amount", "unknown", "name")


@dataclass(frozen=True, slots=True)
class Spoken:
    """One side's rules in a group and what they come to. `also` say the same in part of it or in all of it."""

    rules: tuple[str, ...]
    says: str
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """A region of a matter: what both sides say there, where it is, an example, the money, and how often.

    `answers` pairs what the sides say; a rule that overrides several of the other side's has several. `cubes` are the
    conjunctions of the formula `where`. `beyond` are the sides whose rules here stand on clauses that the other, a
    fragment, may have lost. `kept_out` names the invariants that together exclude the region, as proved by `proved_by`
    within `scope`: then it is told last. `uncounted` says why nobody counts how often a region is that reads lists,
    `unshort` why there is no formula `where`.
    """

    rank: Rank
    answers: tuple[tuple[Spoken, Spoken], ...]
    where: str | None
    cubes: tuple[str, ...]
    proved_by: tuple[str, ...]
    scope: str
    supposing: tuple[str, ...]
    example: Example | None
    gain: tuple[Fraction | None, Fraction | None] | None
    weight: Weight | None
    beyond: tuple[Which, ...]
    kept_out: tuple[str, ...]
    uncounted: str = ""
    unshort: str = ""

    @property
    def change(self) -> Fraction | None:
        """What the player gains by the change, of one unit staked; None where nobody can tell."""
        if self.gain is None or self.gain[0] is None or self.gain[1] is None:
            return None
        return self.gain[1] - self.gain[0]


@dataclass(frozen=True, slots=True)
class Compared:
    """One matter. `by` and `scope` say how it is known that there are no more regions, `why` what keeps it open.

    `owed` is what became of when an answer is owed: regions are told where both sides owe one; where that is written
    otherwise and proved the same, `owed_by` and `owed_scope` are by whom, and of which states. `foreign`: only one side
    answers, and the other does not even have the values that it is about. `uneven`: rules
    of one side may read what is undefined where those of the other do not; there nothing is compared.
    """

    name: str
    title: str
    about: tuple[tuple[str, str], ...]
    closed: tuple[tuple[str, str], ...]
    verdict: Verdict
    asked: tuple[str, str]
    rules: tuple[tuple[str, ...], tuple[str, ...]]
    differences: tuple[Difference, ...]
    scope: str
    by: tuple[str, ...]
    why: str
    disagree: bool
    echoes: tuple[tuple[str, ...], tuple[str, ...]]
    unsure: bool
    beyond: bool = False
    foreign: bool = False
    owed: Turn = "same"
    owed_by: tuple[str, ...] = ()
    owed_scope: str = ""
    uneven: bool = False

    @property
    def alone_counts(self) -> bool:
        """Whether one side alone answers, and the other is not a fragment that may have lost its answer."""
        return self.verdict in ("only old", "only new") and not self.beyond


@dataclass(frozen=True, slots=True)
class Meaning:
    """All decisions of two rulesets. `apart` are those that only one side has, or whose arguments differ in type;
    `beyond` those of them whose rules all stand on clauses that the other, a fragment, may have lost."""

    matters: tuple[Compared, ...]
    apart: tuple[tuple[Which, str], ...]
    beyond: tuple[tuple[Which, str], ...]
    notes: tuple[str, ...]
    stock: Stock | None
    same: Mapping[tuple[Which, str], tuple[Which, str]]

    @property
    def different(self) -> bool:
        """Whether some matter differs in a region; what only one side answers counts unless it is `beyond`."""
        return any(
            c.verdict == "different"
            or (c.verdict == "undecided" and c.differences)
            or c.alone_counts
            or c.owed in (*OTHERWISE, "unsure")
            for c in self.matters
        )

    @property
    def uneven(self) -> frozenset[str]:
        """The decisions that are not compared where the rules of one side read what is undefined."""
        return frozenset(c.name for c in self.matters if c.uneven)

    @property
    def untold(self) -> frozenset[str]:
        """The decisions of which nothing is told but that they are the same wherever both sides owe an answer."""
        told = {c.name for c in self.matters if c.verdict != "same" or c.owed != "same"}
        return frozenset(c.name for c in self.matters) - told

    @property
    def undecided(self) -> bool:
        """Whether some matter is open."""
        return any(
            c.verdict == "undecided" or c.owed in ("open", *HALF_OPEN) or c.uneven for c in self.matters
        )

    @property
    def disagree(self) -> bool:
        """Whether two of our own ways of answering contradict each other."""
        return any(c.disagree for c in self.matters)


@dataclass(frozen=True, slots=True)
class Aligned:
    """What the texts say of the rules: by side the rules whose clause has a counterpart, and those beyond the page."""

    paired: Mapping[Which, frozenset[str]]
    beyond: Mapping[Which, frozenset[str]]
