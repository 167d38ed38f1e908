"""States of New Zealand's blackjack of 1998 in which every decision can be asked, made without any solver: hands of a
player and the dealer, of few cards, with all that may be true of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from itertools import combinations_with_replacement, product

from tests.diff.seeded import Asked
from verifier.model.ruleset import Ruleset
from verifier.run.machine import Machine
from verifier.run.state import EXISTS, State, first_state

SOME = ("ace", "2", "7", "9", "10", "king")
"""Ranks that matter: what a card is worth hangs on no others."""

OVER = 23
"""From here on one total over 21 is as good as another."""

DECISIONS = ("value", "blackjack", "outcome", "odds", "cutter")

Card = tuple[int, int, int]


def gallery(ruleset: Ruleset, thrown: int = 900) -> dict[str, list[Asked]]:
    """By decision the states to look at: every pair of hands of two or three cards whose totals, aces and sevens are
    not had by simpler ones, for every kind of wager; and so many `thrown` by dice."""
    ranks = {name: place for place, name in enumerate(ruleset.types["Rank"].values)}  # type: ignore[union-attr]
    kinds = list(ruleset.types["Kind"].values)  # type: ignore[union-attr]
    found: dict[str, list[Asked]] = {name: [] for name in DECISIONS}
    some = [ranks[name] for name in SOME]
    hands, dealers = list(_unlike(some, True)), list(_unlike(some, False))
    dice = random.Random(1998)
    for kind in range(len(kinds)):
        # Of a side wager little hangs on the dealer's hand.
        for mine, its in product(hands, dealers if kind < 3 else dealers[kind % 5 :: 5]):
            _add(found, _round(ruleset, mine, its, kind))
    every = list(ranks.values())
    for _ in range(thrown):
        mine, its = (
            tuple(
                (dice.choice(every), dice.randrange(2), no)
                for no in range(1, dice.choice((1, 2, 2, 3, 3)) + 1)
            )
            for _ in range(2)
        )
        if dice.random() < 0.3:
            natural = tuple((rank, 0, no) for no, rank in enumerate((ranks["ace"], dice.choice(every)), 1))
            mine, its = (natural, its) if dice.random() < 0.5 else (mine, natural)
        state = _round(ruleset, mine, its, dice.randrange(len(kinds)), dice)
        _add(found, state)
        _cards(found, state)
    found["cutter"] = list(_cuts(ruleset, dice, thrown))
    return found


def _unlike(ranks: list[int], sevens: bool) -> Iterator[tuple[Card, ...]]:
    """Hands of two or three cards, one of several that count alike; with `sevens` also of those that have so many."""
    seen: set[object] = set()
    for size in (2, 3):
        for picked in combinations_with_replacement(ranks, size):
            points = [min(rank + 1, 10) for rank in picked]  # Ranks begin with the ace.
            soft = 1 in points and sum(points) <= 11
            total = min(sum(points) + 10 * soft, OVER)
            key = (total, size == 2 and total == 21, points.count(7) if sevens else 0)
            if key not in seen:
                seen.add(key)
                yield tuple((rank, no % 2, no) for no, rank in enumerate(picked, 1))


def _round(
    ruleset: Ruleset,
    mine: tuple[Card, ...],
    its: tuple[Card, ...],
    kind: int,
    dice: random.Random | None = None,
) -> Asked:
    options = {name: (option.values or (4,))[0] for name, option in ruleset.options.items()}
    state: State = first_state(ruleset)
    blank = {f.name: f.initial for f in ruleset.entities["Hand"].fields}
    hand, dealer, player = (1, 1), (0, 1), "player1"
    cards = {**blank, EXISTS: True, "cards": mine, "stood": True}
    cards |= {"doubled": kind == 1, "split_from": mine[0][0] if kind == 2 else None}
    laid = {f.name: f.initial for f in ruleset.entities["Wager"].fields}
    laid |= {EXISTS: True, "stake": 2, "open": True, "in_time": True}
    first = dict(laid)
    state.fields |= {"running": True, "closed": True}
    if dice is not None:
        split = dice.choice((None, None, None, *(rank for rank, _, _ in mine)))
        cards |= {"voided": dice.random() < 0.1, "stood": dice.random() < 0.8}
        cards |= {"doubled": dice.random() < 0.3, "split_from": split}
        first |= {"early": dice.random() < 0.4, "early_at": dice.randrange(1, 3)}
        laid |= {"early": first["early"], "early_at": first["early_at"], "stake": dice.choice((0, 2, 2, 2))}
    state.entities["Hand"] = {hand: cards, dealer: {**blank, EXISTS: True, "cards": its}}
    wager = (player, hand, kind)
    state.entities["Wager"] = {(player, hand, 0): first, wager: laid}
    state.ids["Player"] = {player: 0}
    kinds = ruleset.types["Kind"].values  # type: ignore[union-attr]
    values: dict[str, object] = {"w": wager, "h": hand}
    return Asked(state, options, values, partial(_ended, wager), (("w.kind", kinds[kind]),))


def _add(found: dict[str, list[Asked]], asked: Asked) -> None:
    found["outcome"].append(asked)
    found["odds"].append(asked)


def _cards(found: dict[str, list[Asked]], asked: Asked) -> None:
    """The same state, asked for what its hands are and what their cards are worth."""
    for hand, fields in asked.state.entities["Hand"].items():
        about = (("h.place", str(hand[0])),)
        found["blackjack"].append(
            Asked(asked.state, asked.options, {"h": hand}, partial(given, (hand,)), about)
        )
        for card in fields["cards"]:  # type: ignore[attr-defined]
            values = {"c": card, "h": hand}
            found["value"].append(
                Asked(asked.state, asked.options, values, partial(given, (card, hand)), about)
            )


def _cuts(ruleset: Ruleset, dice: random.Random, number: int) -> Iterator[Asked]:
    """The table before the cards are cut."""
    options = {name: (option.values or (4,))[0] for name, option in ruleset.options.items()}
    for _ in range(number):
        state = first_state(ruleset)
        seated = {box: True for box in range(1, 8) if dice.random() < 0.4}
        boxes = [None, *range(1, 8)]
        state.fields |= {name: dice.random() < 0.5 for name in ("played", "cut_seen", "new_cards")}
        state.fields |= {"uncut": dice.random() < 0.9, "taken": seated, "first_seat": dice.choice(boxes)}
        state.fields |= {"cut_place": dice.randrange(8)}
        yield Asked(state, options, {}, partial(given, ()))


def _ended(wager: object, machine: Machine) -> tuple[object, ...]:
    return wager, machine.function("finish", ())


def given(args: tuple[object, ...], _: Machine) -> tuple[object, ...]:
    """Arguments that hang on nothing."""
    return args
