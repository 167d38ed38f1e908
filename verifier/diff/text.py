"""What changed in the words of a law: its clauses, one by one, beside those that they answer to."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from verifier.diff.align import Match, Side, align, side, words_of
from verifier.diff.words import Span, compare
from verifier.law import Law

Which: TypeAlias = Literal["old", "new"]

Kind: TypeAlias = Literal["one", "split", "joined", "removed", "added", "beyond"]


@dataclass(frozen=True, slots=True)
class ClauseChange:
    """Clauses of both laws that answer to each other, or one that nothing answers to.

    `removed` and `added` have no counterpart in a law that is here whole; `beyond` has none on what there is
    of the other, which is a fragment, so that nothing can be said. `moved`: under another clause than its
    parent's counterpart, or out of the order of its neighbours. `spans` are the words of both, side by side.
    """

    kind: Kind
    old: tuple[str, ...]
    new: tuple[str, ...]
    moved: bool = False
    spans: tuple[Span, ...] = ()

    @property
    def renumbered(self) -> bool:
        """Whether it is one clause under another address."""
        return self.kind == "one" and self.old != self.new

    @property
    def reworded(self) -> bool:
        """Whether words changed, other than in how a figure is written."""
        return any(span.kind == "changed" for span in self.spans)

    @property
    def same(self) -> bool:
        """Whether address, place and words are the same."""
        return self.kind == "one" and not (self.moved or self.renumbered or self.reworded)


@dataclass(frozen=True, slots=True)
class TextDiff:
    """Both laws, clause by clause, in the order of the new one; what only the old has stands where it stood.

    `fragment` says which of them is a part of a text whose rest is not here.
    """

    old: Law
    new: Law
    changes: tuple[ClauseChange, ...]
    fragment: frozenset[Which] = frozenset()

    def counterparts(self, address: str) -> tuple[str, ...]:
        """The clauses of the new law that answer to `address` of the old."""
        return next((change.new for change in self.changes if address in change.old), ())

    @property
    def different(self) -> bool:
        """Whether any clause is not the same, those beyond a fragment left out."""
        return any(not change.same and change.kind != "beyond" for change in self.changes)


def compare_laws(old: Law, new: Law) -> TextDiff:
    """`old` and `new` by their words and places.

    Where one is a fragment by its header, no clause of the other is said to be added or removed: its
    counterpart may stand on what is lost.
    """
    sides: tuple[tuple[Which, Law], ...] = (("old", old), ("new", new))
    fragment = frozenset(which for which, law in sides if law.header.extent == "fragment")
    first, second = side(old), side(new)
    matches = align(first, second)
    moved = _moved(first, second, matches)
    changes = [_matched(first, second, match, match in moved) for match in matches]
    changes = _woven(
        changes,
        [
            _alone("new", address, fragment)
            for address in _unmatched(new, {a for m in matches for a in m.new})
        ],
        list(new.clauses),
        "new",
    )
    return TextDiff(
        old,
        new,
        tuple(
            _woven(
                changes,
                [
                    _alone("old", address, fragment)
                    for address in _unmatched(old, {a for m in matches for a in m.old})
                ],
                list(old.clauses),
                "old",
            )
        ),
        fragment,
    )


def _matched(first: Side, second: Side, match: Match, moved: bool) -> ClauseChange:
    kind: Kind = "one"
    if len(match.new) > 1:
        kind = "split"
    elif len(match.old) > 1:
        kind = "joined"
    old = [token for address in match.old for token in first.words[address]]
    new = [token for address in match.new for token in second.words[address]]
    return ClauseChange(kind, match.old, match.new, moved, compare(old, new))


def _unmatched(law: Law, matched: set[str]) -> list[str]:
    """Clauses in no match, those left out that say nothing themselves."""
    return [a for a, clause in law.clauses.items() if a not in matched and words_of(clause)]


def _alone(which: Which, address: str, fragment: frozenset[Which]) -> ClauseChange:
    if which == "old":
        return ClauseChange("beyond" if "new" in fragment else "removed", (address,), ())
    return ClauseChange("beyond" if "old" in fragment else "added", (), (address,))


def _moved(first: Side, second: Side, matches: Sequence[Match]) -> set[Match]:
    """Matches whose parents are no match, and, of those with one parent, the fewest that break the order."""
    partner: dict[str | None, set[str]] = {
        address: set(match.new) for match in matches for address in match.old
    }
    old_at = {address: at for at, address in enumerate(first.law.clauses)}
    found: set[Match] = set()
    families: dict[tuple[str | None, str | None], list[Match]] = {}
    for match in matches:
        above = first.law.clauses[match.old[0]].parent
        here = second.law.clauses[match.new[0]].parent
        apart = above in partner and here is not None and here not in partner[above]
        if apart or (above is None) != (here is None):
            found.add(match)
        else:
            families.setdefault((above, here), []).append(match)
    for family in families.values():
        keep = _rising([old_at[match.old[0]] for match in family])
        found |= {match for at, match in enumerate(family) if at not in keep}
    return found


def _rising(numbers: Sequence[int]) -> set[int]:
    """The positions of a longest rising run of `numbers`, which need not be neighbours."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int | None] = []
    for at, number in enumerate(numbers):
        place = bisect_left(ends, number)
        before.append(last[place - 1] if place else None)
        if place == len(ends):
            ends.append(number)
            last.append(at)
        else:
            ends[place], last[place] = number, at
    kept: set[int] = set()
    step = last[-1] if last else None
    while step is not None:
        kept.add(step)
        step = before[step]
    return kept


def _woven(
    changes: Sequence[ClauseChange], more: Sequence[ClauseChange], order: Sequence[str], which: Which
) -> list[ClauseChange]:
    """`changes` with each of `more` right after the change that holds the clause before it, by `order`."""
    after: dict[str | None, list[ClauseChange]] = {}
    extra = {(change.old or change.new)[0]: change for change in more}
    anchor: str | None = None
    for address in order:
        if address in extra:
            after.setdefault(anchor, []).append(extra[address])
        else:
            anchor = address
    woven = list(after.pop(None, ()))
    for change in changes:
        woven.append(change)
        for address in change.old if which == "old" else change.new:
            woven += after.pop(address, ())
    return woven
