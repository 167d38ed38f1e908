"""Where only one side binds an act, in words: shared by the text and the Markdown of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from verifier.diff.acts import ActExample, ActRegion, ActSaid
from verifier.diff.norms import NormChange
from verifier.diff.unify import Which
from verifier.report.lines import listed

FACTS = 14
"""So many values of an example are shown on a side at most."""

BINDS = {
    "must": {"old": "due then, and not now", "new": "due now, and not then"},
    "must not": {"old": "forbidden then, and not now", "new": "forbidden now, and not then"},
    "may": {"old": "allowed then, and not now", "new": "allowed now, and not then"},
}

UNSURE = "where a decision that a condition reads has no answer, or two, nothing is compared"

AT_FIRST = "all is as at first"

WORDS_ONLY = "no example was found: told in words only"

SAYS = {
    "must": ("due", "not due"),
    "must not": ("forbidden", "not forbidden"),
    "may": ("allowed", "not allowed"),
}


@dataclass(frozen=True, slots=True)
class ActTold:
    """A region in words. `example` is empty where none was found; `facts` are what the sides read in the
    example, and what they say, line beside line."""

    headline: str
    where: str
    proof: str
    example: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]


def acts_told(norm: NormChange) -> list[ActTold]:
    """The regions of a duty, a prohibition or a permission; those of several acts that are the same told as one."""
    if norm.told is None:
        return []
    statement = norm.change.old or norm.change.new
    assert statement is not None
    alike: dict[tuple[Which, str | None], list[ActRegion]] = {}
    for region in norm.told.regions:
        # Regions without a formula are told one by one: nobody can tell whether they are the same.
        key = region.binds, region.where if region.where is not None else f" {len(alike)}"
        alike.setdefault(key, []).append(region)
    return [_told(statement.force, regions) for regions in alike.values()]


def acts_open(norm: NormChange) -> str:
    """Why it is open whether these are all regions, and what is not compared; empty where nothing is to be said."""
    if norm.told is None:
        return ""
    whys = [f"whether there are other cases is open: {norm.told.why}"] if norm.told.why else []
    whys += [UNSURE] if norm.told.unsure else []
    return "; ".join(whys)


def _told(force: str, regions: Sequence[ActRegion]) -> ActTold:
    first = regions[0]
    events = listed(
        dict.fromkeys(r.event.removeprefix("old.").removeprefix("new.") for r in regions if r.event)
    )
    headline = f"{events}: {BINDS[force][first.binds]}" if events else BINDS[force][first.binds].capitalize()
    if first.where is None:
        where = "where the rule of one side applies and that of the other does not"
        proof = "no short formula was found; that there are no other cases is proved with the rules' own conditions"
    else:
        where = "always" if first.where == "yes" else f"where {first.where}"
        proof = f"proved equal to the difference, both ways, by {listed(first.by)}: {first.scope}"
    example = next((r.example for r in regions if r.example is not None), None)
    if example is None:
        return ActTold(headline, where, proof, (), ())
    head = tuple(f"{name} = {value}" for name, value in (*example.values, *example.state, *example.options))
    return ActTold(headline, where, proof, head or (AT_FIRST,), _columns(force, example))


def _columns(force: str, example: ActExample) -> tuple[tuple[str, str], ...]:
    told = {name for name, _ in example.state}

    def side(said: ActSaid) -> list[str]:
        facts = [f"{f.text} = {f.value}" for f in said.facts if f.text not in told]
        if len(facts) > FACTS:
            facts = [*facts[:FACTS], f"{len(facts) - FACTS} more"]
        return [*facts, f"→ {SAYS[force][not said.binds]}"]

    return tuple(zip_longest(side(example.old), side(example.new), fillvalue=""))
