"""The settlement rules of New Zealand's blackjack of 1998 as one would write them by hand, in plain Python.

Rules 5.1, 5.4, 10.1, 10.3, 11.4, 11.5, 12.5, 12.6, 13.2 and the dealer's drawing, 13.3 and 13.4: what the benchmark
holds the interpreter against. It cites, explains and asks nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from rounds import DEALER, KINDS, Event, total

ENDINGS = range(17, 27)
NO_BLACKJACK = tuple("ATJQK")
"""Ranks of split pairs that make no blackjack (12.4(c))."""


@dataclass(slots=True)
class _Hand:
    cards: list[str] = field(default_factory=list)
    pair: str = ""


@dataclass(slots=True)
class _Round:
    hands: dict[str, _Hand] = field(default_factory=dict)
    stakes: dict[tuple[str, str, str], int] = field(default_factory=dict)
    early: set[tuple[str, str]] = field(default_factory=set)

    def hand(self, name: str) -> _Hand:
        found = self.hands.get(name)
        if found is None:
            found = self.hands[name] = _Hand()
        return found


def faults(events: Iterable[Event]) -> list[int]:
    """The places, from 0, of the events that settle a wager wrongly, and of those at which the dealer draws wrongly."""
    found: list[int] = []
    now = _Round()
    for index, (_, _, _, event, values) in enumerate(events):
        match event:
            case "wager":
                now.stakes[str(values[0]), f"B{values[1]}H1", str(values[2])] = int(values[3])
            case "deal":
                name, card = str(values[0]), str(values[1])
                if name == DEALER and _done(now):
                    found.append(index)
                now.hand(name).cards.append(card)
            case "double":
                now.stakes[str(values[0]), str(values[1]), "double"] = int(values[2])
            case "split":
                player, name, amount = str(values[0]), str(values[1]), int(values[2])
                hand, other = now.hand(name), now.hand(_next(now, name))
                other.cards.append(hand.cards.pop())
                hand.pair = other.pair = hand.cards[0][0]
                now.stakes[player, _next(now, name, made=True), "split"] = amount
            case "ask_payment":
                now.early.add((str(values[0]), f"B{values[1]}H1"))
            case "pay":
                wager = (str(values[0]), str(values[1]), str(values[2]))
                if _outcome(now, wager) != "win" or 2 * int(values[3]) != now.stakes[wager] * _twice_odds(
                    now, wager
                ):
                    found.append(index)
            case "collect":
                if _outcome(now, (str(values[0]), str(values[1]), str(values[2]))) != "lose":
                    found.append(index)
            case "give_back":
                if _outcome(now, (str(values[0]), str(values[1]), str(values[2]))) != "stand off":
                    found.append(index)
            case "end_round":
                if _to_draw(now):
                    found.append(index)
                now = _Round()
            case _:
                pass
    return found


def _next(now: _Round, name: str, made: bool = False) -> str:
    """The hand that a split of `name` makes, before or after it was made."""
    place = name[: name.index("H") + 1]
    return f"{place}{sum(other.startswith(place) for other in now.hands) + (not made)}"


def _blackjack(hand: _Hand) -> bool:
    return len(hand.cards) == 2 and total(hand.cards) == 21 and hand.pair not in NO_BLACKJACK


def _early(now: _Round, wager: tuple[str, str, str]) -> bool:
    player, name, kind = wager
    if kind != "initial" or (player, name) not in now.early:
        return False
    return now.hand(DEALER).cards[0][0] == "A" and _blackjack(now.hand(name))


def _outcome(now: _Round, wager: tuple[str, str, str]) -> str:
    dealer = now.hand(DEALER)
    return _against(now, wager, total(dealer.cards), _blackjack(dealer))


def _against(now: _Round, wager: tuple[str, str, str], theirs: int, blackjack: bool) -> str:
    """How a wager fares against a dealer's hand that ends so."""
    hand = now.hand(wager[1])
    mine = total(hand.cards)
    if _early(now, wager):
        return "win"  # 10.3(a)
    if mine > 21:
        return "lose"  # 5.1(f), 13.2
    if blackjack and wager[2] in ("double", "split"):
        return "stand off"  # 11.5, 12.6
    natural = _blackjack(hand)
    if natural and now.hand(DEALER).cards[0][0] in "23456789":
        return "win"  # 10.1
    if theirs > 21:
        return "win"  # 5.1(a)
    if mine == theirs:
        if natural != blackjack:
            return "win" if natural else "lose"  # 5.1(c), 5.1(d)
        return "stand off"  # 5.1(e)
    return "win" if mine > theirs else "lose"  # 5.1(b), 5.1(g)


def _twice_odds(now: _Round, wager: tuple[str, str, str]) -> int:
    """Twice the odds, so that 3 to 2 is a whole number (5.4, 10.1, 10.3, 11.4, 12.5)."""
    if wager[2] == "initial" and not _early(now, wager) and _blackjack(now.hand(wager[1])):
        return 3
    return 2


def _moot(now: _Round) -> bool:
    """Whether no further card of the dealer's can change how any wager fares (13.4)."""
    for wager in now.stakes:
        if wager[2] in KINDS and total(now.hand(wager[1]).cards) <= 21:
            if_over = _against(now, wager, 22, False)
            if any(_against(now, wager, ending, False) != if_over for ending in ENDINGS):
                return False
    return True


def _done(now: _Round) -> bool:
    """Whether the dealer's hand takes no more cards (13.3, 13.4)."""
    cards = now.hand(DEALER).cards
    return len(cards) >= 2 and (total(cards) >= 17 or _moot(now))


def _to_draw(now: _Round) -> bool:
    cards = now.hand(DEALER).cards
    return len(cards) >= 2 and total(cards) < 17 and not _moot(now)
