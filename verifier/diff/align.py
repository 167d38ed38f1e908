"""Which clause of one law is which of another, by their words and their place.

Words weigh the more the fewer clauses hold them. Two clauses are a pair when they have most of that weight in
common, and each is the best that the other can have; where their parents are a pair, or the clauses under
them, less will do. Greedy and deterministic: a proposal that a reader can check, not a proof.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from verifier.diff.words import Token, tokens
from verifier.law import Clause, Law

ENOUGH = 0.42
"""What words and place must come to, from 0 to 1 and a little more."""

LEAST = 0.25
"""What the words alone must come to, unless the clauses under them speak for it."""

PART = 0.5
"""How much of a clause must come from another for it to be a part of that."""

_LITTLE = 5.0
"""What is left of a clause at least, by weight, for another to hold most of it: less is chance."""

_RARE = 10
"""Only words that at most one in so many clauses hold, or four, make one clause a part of another."""

_NEARLY = 1e-9
"""The same words come to 1 but for so much."""

_ABOVE, _BELOW = 0.2, 0.6
_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Side:
    """One law as it is aligned: the words of each clause by address, in the order of the document."""

    law: Law
    words: Mapping[str, tuple[Token, ...]]
    bags: Mapping[str, Counter[str]]


@dataclass(frozen=True, slots=True)
class Match:
    """Clauses that answer to each other, by address: one and one, or one and its parts."""

    old: tuple[str, ...]
    new: tuple[str, ...]


def side(law: Law) -> Side:
    """`law` with the words of its clauses."""
    words = {address: tokens(words_of(clause)) for address, clause in law.clauses.items()}
    return Side(law, words, {address: Counter(_stem(t.key) for t in all_) for address, all_ in words.items()})


def _stem(key: str) -> str:
    """A plural with its singular; which clause is which does not turn on it."""
    return key[:-1] if len(key) > 3 and key.endswith("s") and not key.endswith("ss") else key


def words_of(clause: Clause) -> str:
    """All that stands at the clause itself: its heading and its words, which of a row are its cells."""
    return " ".join(part for part in (clause.heading, clause.text) if part)


def align(old: Side, new: Side) -> tuple[Match, ...]:
    """The matches, in the order of the new law. No clause is in two of them. Of a law and itself each clause answers
    to itself."""
    if old.law.clauses == new.law.clauses:
        return tuple(Match((a,), (a,)) for a, clause in new.law.clauses.items() if words_of(clause))
    weights = _weights(old, new)
    scores = _word_scores(old, new, weights)
    pairs: dict[str, str] = {}
    for _ in range(_ROUNDS):
        pairs = _best(old, new, scores, pairs)
    matches = _with_parts(old, new, pairs, weights)
    order = {address: at for at, address in enumerate(new.law.clauses)}
    return tuple(sorted(matches, key=lambda match: order[match.new[0]]))


def _weights(old: Side, new: Side) -> dict[str, float]:
    held = Counter(key for one in (old, new) for bag in one.bags.values() for key in bag)
    every = len(old.bags) + len(new.bags)
    return {key: math.log(1 + every / number) for key, number in held.items()}


def _weight(bag: Counter[str], weights: Mapping[str, float]) -> float:
    return sum(weights.get(key, 0.0) * number for key, number in bag.items())


def _word_scores(old: Side, new: Side, weights: Mapping[str, float]) -> dict[tuple[str, str], float]:
    """Twice the common weight over the whole weight of both, of all that have any; 1 is the same words."""
    whole = {id(bag): _weight(bag, weights) for one in (old, new) for bag in one.bags.values()}
    holders: dict[str, list[str]] = {}
    for address, bag in new.bags.items():
        for key in bag:
            holders.setdefault(key, []).append(address)
    scores: dict[tuple[str, str], float] = {}
    for there, bag in old.bags.items():
        common: dict[str, float] = {}
        for key, number in bag.items():
            for here in holders.get(key, ()):
                shared = min(number, new.bags[here][key])
                common[here] = common.get(here, 0.0) + weights[key] * shared
        for here, weight in common.items():
            scores[there, here] = 2 * weight / (whole[id(bag)] + whole[id(new.bags[here])])
    return scores


def _best(
    old: Side, new: Side, scores: Mapping[tuple[str, str], float], before: Mapping[str, str]
) -> dict[str, str]:
    """Pairs by falling score, given those `before`; of equals the same label, then the order of the texts."""
    old_at = {address: at for at, address in enumerate(old.law.clauses)}
    new_at = {address: at for at, address in enumerate(new.law.clauses)}
    whole = _whole(old.law), _whole(new.law)
    ranked: list[tuple[float, bool, int, int, str, str]] = []
    for (there, here), score in scores.items():
        first, second = old.law.clauses[there], new.law.clauses[here]
        if bool(first.words) != bool(second.words):
            continue  # a bare heading answers to no sentence
        under = _under(first, second, before)
        if (there == whole[0]) != (here == whole[1]) and score < 1 - _NEARLY and under < PART:
            continue  # nor does all of an instrument to a part of another, unless it has its words or its clauses
        if score < LEAST and under < PART:
            continue
        above = first.parent is not None and before.get(first.parent) == second.parent
        total = score + _ABOVE * above + _BELOW * under
        if total >= ENOUGH:
            ranked.append(
                (-round(total, 9), first.label != second.label, old_at[there], new_at[here], there, here)
            )
    pairs: dict[str, str] = {}
    taken: set[str] = set()
    for *_, there, here in sorted(ranked):
        if there not in pairs and here not in taken:
            pairs[there] = here
            taken.add(here)
    return pairs


def _whole(law: Law) -> str | None:
    """The clause under which all others stand; None where there is none."""
    first = [address for address, clause in law.clauses.items() if clause.parent is None]
    return first[0] if len(first) == 1 else None


def _under(first: Clause, second: Clause, pairs: Mapping[str, str]) -> float:
    """Which share of the clauses under the two are pairs; a single one says nothing."""
    under = {child.address for child in second.children}
    met = sum(pairs.get(child.address) in under for child in first.children)
    return met / max(len(first.children), len(second.children)) if met > 1 else 0.0


def _with_parts(old: Side, new: Side, pairs: Mapping[str, str], weights: Mapping[str, float]) -> list[Match]:
    """The pairs, and with each the clauses without a partner that hold what the pair does not account for."""
    back = {here: there for there, here in pairs.items()}
    split = _parts(old, new, pairs, weights)
    joined = _parts(new, old, back, weights)
    found: list[Match] = []
    for there, here in pairs.items():
        more_new, more_old = split.get(there, []), joined.get(here, [])
        # a clause is split or joined, not both at once: what is more is the likelier
        if len(more_new) >= len(more_old):
            more_old = []
        else:
            more_new = []
        found.append(Match(_ordered(old, there, more_old), _ordered(new, here, more_new)))
    return found


def _parts(
    one: Side, other: Side, pairs: Mapping[str, str], weights: Mapping[str, float]
) -> dict[str, list[str]]:
    """By clause of `one`, the clauses of `other` that are parts of it beside its partner."""
    taken = set(pairs.values())
    every = len(one.bags) + len(other.bags)
    least = math.log(1 + min(_RARE, every / 4))
    rare = {key: weight for key, weight in weights.items() if weight >= least}
    parts: dict[str, list[str]] = {}
    for address, clause in other.law.clauses.items():
        bag = other.bags[address]
        if address in taken or not bag:
            continue
        best: tuple[float, str] | None = None
        for there, here in pairs.items():
            if _ends(clause, here) and one.law.clauses[there].leaf and other.law.clauses[here].words:
                best = 1.0, there  # a list that ends the sentence of a clause without one
                break
            if not _near(clause, other.law.clauses[here]):
                continue
            left = one.bags[there] - other.bags[here]
            if _weight(left, rare) < _LITTLE / 2:
                continue
            common = _weight(left & bag, rare)
            share = common / max(_weight(bag, rare), _LITTLE)
            if share >= PART / 4:
                share = max(share, common / max(_weight(left, rare), _LITTLE))
            if share >= PART and (best is None or share > best[0]):
                best = share, there
        if best is not None:
            parts.setdefault(best[1], []).append(address)
    return parts


def _ends(clause: Clause, above: str) -> bool:
    """Whether it is an item of the list that ends the sentence of `above`."""
    return clause.parent == above and clause.kind == "item"


def _near(clause: Clause, partner: Clause) -> bool:
    """Whether the two stand side by side under one clause, or one under the other."""
    if clause.parent is None or partner.parent is None:
        return partner.address == clause.parent or clause.address == partner.parent
    return (
        clause.parent == partner.parent
        or clause.parent == partner.address
        or partner.parent == clause.address
    )


def _ordered(one: Side, first: str, more: list[str]) -> tuple[str, ...]:
    whole = {first, *more}
    return tuple(address for address in one.law.clauses if address in whole) if more else (first,)
