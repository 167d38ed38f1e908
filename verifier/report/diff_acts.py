"""Where only one side binds an act, in words: shared by the text and the Markdown of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from verifier.diff.acts import ActExample, ActRegion
from verifier.diff.norm_words import NormChange
from verifier.diff.unify import Which
from verifier.report.diff_meaning import breaks, facts_told
from verifier.report.lines import listed

VERBS = {
    "must": ("makes it due", "does not make it due"),
    "must not": ("forbids it", "does not forbid it"),
    "may": ("allows it", "does not allow it"),
}
"""What a rule does with an act, and what one does that does not. Another rule may do it: that is told by itself."""

NO_RULE = "no rule as wide"
"""The other side of a statement that only one law has: it is held against all that the other says of the act to as
many people."""

UNSURE = "where a decision that a condition reads has no answer, or two, nothing is compared"

AT_FIRST = "all is as at first"

COMPLETE = "that there are no other cases is proved with the rules' own conditions"

WHEN: dict[Which, str] = {"old": "then", "new": "now"}

WORDS_ONLY = "no example was found: told in words only"


@dataclass(frozen=True, slots=True)
class ActTold:
    """A region in words. `example` is empty where none was found; `breaks` says which invariants it does not keep,
    `facts` are what the sides read in it, and what they say, line beside line."""

    headline: str
    where: str
    proof: str
    example: tuple[str, ...]
    breaks: str
    facts: tuple[tuple[str, str], ...]


def acts_told(norm: NormChange) -> list[ActTold]:
    """The regions of a duty, a prohibition or a permission; those of several acts that are the same told as one."""
    if norm.told is None:
        return []
    change = norm.change
    statement = change.old or change.new
    assert statement is not None
    alike: dict[tuple[Which, str | None, str], list[ActRegion]] = {}
    for region in norm.told.regions:
        # Regions without a formula are told one by one: nobody can tell whether they are the same.
        key = region.binds, region.where if region.where is not None else f" {len(alike)}", region.whom
        alike.setdefault(key, []).append(region)
    sides = _Sides(
        VERBS[statement.force],
        NO_RULE if change.old is None else change.old.rule,
        NO_RULE if change.new is None else change.new.rule,
        not norm.told.why,
    )
    return [_told(sides, regions) for regions in alike.values()]


def acts_open(norm: NormChange) -> str:
    """Why it is open whether these are all regions, and what is not compared; empty where nothing is to be said."""
    if norm.told is None:
        return ""
    whys = [f"whether there are other cases is open: {norm.told.why}"] if norm.told.why else []
    whys += [UNSURE] if norm.told.unsure else []
    return "; ".join(whys)


@dataclass(frozen=True, slots=True)
class _Sides:
    """Who speaks for either law, and in what verbs; `whole`: it is proved that there are no other cases."""

    verbs: tuple[str, str]
    old: str
    new: str
    whole: bool

    def says(self, which: Which, binds: bool) -> str:
        """`5.1 forbids it`; a law without such a rule has none that does."""
        who = self.old if which == "old" else self.new
        return f"{who} {self.verbs[0 if binds or who == NO_RULE else 1]}"


def _told(sides: _Sides, regions: Sequence[ActRegion]) -> ActTold:
    first = regions[0]
    events = listed(
        dict.fromkeys(r.event.removeprefix("old.").removeprefix("new.") for r in regions if r.event)
    )
    binds = [f"{sides.says(which, which == first.binds)} {when}" for which, when in WHEN.items()]
    events += f" by {first.whom}" if first.whom else ""
    headline = f"{events + ': ' if events else ''}{binds[0]}, {binds[1]}"
    if first.where is None:
        where = f"where {first.long or 'the rule of one side applies and that of the other does not'}"
        proof = f"no short formula: {first.unshort}"
        proof += "; told in the rules' own conditions" if first.long else ""
        proof += f"; {COMPLETE}" if sides.whole else ""
    else:
        where = "always" if first.where == "yes" else f"where {first.where}"
        proof = f"proved equal to the difference, both ways, by {listed(first.by)}: {first.scope}"
    examples = [r.example for r in regions if r.example is not None]
    example = min(examples, key=lambda one: len(one.breaks), default=None)
    if example is None:
        return ActTold(headline, where, proof, (), "", ())
    head = tuple(f"{name} = {value}" for name, value in (*example.values, *example.state, *example.options))
    return ActTold(
        headline, where, proof, head or (AT_FIRST,), breaks(example.breaks), _columns(sides, example)
    )


def _columns(sides: _Sides, example: ActExample) -> tuple[tuple[str, str], ...]:
    told = {name for name, _ in example.state}
    old = [*facts_told(example.old.facts, told), f"→ {sides.says('old', example.old.binds)}"]
    new = [*facts_told(example.new.facts, told), f"→ {sides.says('new', example.new.binds)}"]
    return tuple(zip_longest(old, new, fillvalue=""))
