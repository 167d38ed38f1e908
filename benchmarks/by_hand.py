"""Settlement and drawing of New Zealand's blackjack of 1998 as one would write them by hand, in plain Python.

Twenty rules, with their lettered paragraphs:

- settlement of the wagers on a box: 5.1(a) to (g), 5.4, 10.1, 10.3(a) and (b), 11.4, 11.5, 12.5, 12.6, 13.2;
- of insurance: 9.1, 9.4, 9.5, and 10.3, which makes it void;
- of Super Sevens: 15.4(a) to (f), 15.5, 15.6;
- drawing of the players: 11.3, 12.4(b), 13.1(a) to (d);
- drawing of the dealer: 13.3, 13.4.

Each is known as the ruleset words it: how a wager ends and at what odds, that it is not settled before that is certain,
and by when it is to be settled and the cards to be removed. It cites, explains and asks nothing. Left out is who acts,
what is voided, and what is withdrawn.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from rounds import BOX_KINDS, DEALER, Event, total

FEW = (
    "5.1", "5.4", "9.1", "9.4", "9.5", "10.1", "10.3", "11.3", "11.4", "11.5", "12.4(b)", "12.5", "12.6", "13.1",
    "13.2", "13.3", "13.4", "15.4", "15.5", "15.6",
)  # fmt: skip
"""The rules that the checkers by hand know, with their paragraphs:

- 5.1(a) to (g): how a player's point total fares against the dealer's; 5.4: the odds of that
- 9.1, 9.4, 9.5: insurance wins or loses by the dealer's second card, at 2 to 1, and is collected at once
- 10.1, 10.3(a) and (b): a blackjack is paid at once, or early at 1 to 1, its insurance being void then
- 11.3: one card to a hand doubled; 11.4, 11.5: how the wagers on it fare
- 12.4(b): aces are split once, and get one card each; 12.5, 12.6: how the wagers on the hands of a pair fare
- 13.1(a) to (d): when a player may draw, and when he must
- 13.2: a hand over 21 loses at once
- 13.3, 13.4: when the dealer draws
- 15.4(a) to (f), 15.5, 15.6: Super Sevens, their odds, and when they are settled
"""

ENDINGS = range(17, 27)
NO_BLACKJACK = tuple("ATJQK")
"""Ranks of split pairs that make no blackjack (12.4(c))."""

Wager = tuple[str, str, str]
"""Player, hand and kind."""


def knows(rule: str) -> bool:
    """Whether a rule, by its id, is one of these."""
    return any(rule == known or rule.startswith((f"{known}(", f"{known} [")) for known in FEW)


@dataclass(slots=True)
class _Hand:
    cards: list[str] = field(default_factory=list)
    pair: str = ""
    doubled: bool = False
    stood: bool = False
    cleared: bool = False


@dataclass(slots=True)
class _Round:
    hands: dict[str, _Hand] = field(default_factory=dict)
    stakes: dict[Wager, int] = field(default_factory=dict)
    open: set[Wager] = field(default_factory=set)
    owed: set[Wager] = field(default_factory=set)  # open, and not found to be late
    early: set[tuple[str, str]] = field(default_factory=set)
    awaiting: str = ""
    running: bool = False
    begun: bool = False
    stopped: bool = False  # the dealer has settled before his hand was complete

    def hand(self, name: str) -> _Hand:
        found = self.hands.get(name)
        if found is None:
            found = self.hands[name] = _Hand()
        return found

    def stake(self, wager: Wager, amount: int) -> None:
        self.stakes[wager] = self.stakes.get(wager, 0) + amount
        self.open.add(wager)
        self.owed.add(wager)

    def dealers(self) -> list[str]:
        return self.hand(DEALER).cards

    def ace_up(self) -> bool:
        return self.dealers()[:1] != [] and self.dealers()[0][0] == "A"

    def staked(self, player: str, place: str) -> bool:
        return self.stakes.get((player, place + "H1", "initial"), 0) > 0


def faults(events: Iterable[Event]) -> list[int]:
    """The places, from 0, of the events that break one of these rules."""
    found: list[int] = []
    now = _Round()
    for index, (_, _, _, event, values) in enumerate(events):
        match event:
            case "wager" | "insure":
                if _laid(now, event, values):
                    found.append(index)
            case "deal":
                if _dealt(now, str(values[0]), str(values[1])):
                    found.append(index)
            case "draw" | "stand" | "double" | "split":
                if _chosen(now, event, values):
                    found.append(index)
            case "ask_payment":
                player, name = str(values[0]), f"B{values[1]}H1"
                first = now.ace_up() and len(now.dealers()) == 1
                if not first or not _blackjack(now.hand(name)) or not now.staked(player, name[:2]):
                    found.append(index)  # 10.3(a)
                if first:
                    now.early.add((player, name))
            case "pay" | "collect" | "give_back":
                wager = (str(values[0]), str(values[1]), str(values[2]))
                if _settled(now, event, wager, int(values[3]) if event == "pay" else 0):
                    found.append(index)
            case "remove_cards":
                name = str(values[0])
                if _insurance_late(now) | (_asking(now, name) == {True, False} and not _showdown(now)):
                    found.append(index)  # 9.5, 10.3(b)
                now.hand(name).cleared = True
            case "end_round":
                if _late(now) | _unsettled(now) | _to_draw(now):
                    found.append(index)
                now = _Round()
            case _:
                pass
    return found


def _laid(now: _Round, event: str, values: tuple[str | int, ...]) -> bool:
    """5.1 and 9.1: whether a wager is laid when it may not be."""
    player, place = str(values[0]), f"B{values[1]}"
    if event == "insure":
        wrong = not now.ace_up() or not now.staked(player, place)
        now.stake((player, place + "H1", "insurance"), int(values[2]))
        return wrong
    now.stake((player, place + "H1", str(values[2])), int(values[3]))
    return values[2] == "initial" and now.running


def _dealt(now: _Round, name: str, card: str) -> bool:
    wrong = _late(now)
    hand = now.hand(name)
    if name == DEALER:
        wrong |= _done(now)
    else:
        wrong |= hand.doubled and now.awaiting != name  # 11.3
        wrong |= hand.pair == "A" and len(hand.cards) >= 2  # 12.4(b), 13.1(c)
    hand.cards.append(card)
    now.awaiting, now.running, now.stopped = "", True, False
    return wrong


def _chosen(now: _Round, event: str, values: tuple[str | int, ...]) -> bool:
    """A player's decision: whether he may not make it (12.4(b), 13.1)."""
    player, name = str(values[0]), str(values[1])
    hand = now.hand(name)
    now.begun = True
    match event:
        case "draw":
            now.awaiting = name
            if hand.doubled or hand.pair == "A" or not now.staked(player, name[:2]):
                return True  # 13.1(b), 12.4(b), 13.1
            return total(hand.cards) >= 21  # 13.1(a)
        case "stand":
            hand.stood = True
            return total(hand.cards) <= 11 and not hand.doubled  # 13.1(d)
        case "double":
            if not hand.doubled:
                now.awaiting = name
            hand.doubled = True
            now.stake((player, name, "double"), int(values[2]))
            return total(hand.cards) == 21  # 13.1(a)
        case _:
            wrong = hand.pair == "A"  # 12.4(b)
            made = sum(bool(held.cards) for other, held in now.hands.items() if other.startswith(name[:3]))
            second = f"{name[:3]}{made + 1}"
            other = now.hand(second)
            other.cards.append(hand.cards.pop())
            hand.pair = other.pair = hand.cards[0][0]
            now.stake((player, second, "split"), int(values[2]))
            return wrong


def _settled(now: _Round, event: str, wager: Wager, amount: int) -> bool:
    wrong = (event == "pay" or wager[2] != "insurance") and _insurance_late(now)
    if not _decided(now, wager):
        wrong = True
        if wager[2] in BOX_KINDS:
            now.stopped = True  # the rest is judged by the hand on which he stopped (13.3)
    now.open.discard(wager)
    now.owed.discard(wager)
    if _outcome(now, wager) != event:
        return True
    return wrong or (event == "pay" and 2 * amount != now.stakes[wager] * _twice_odds(now, wager))


def _blackjack(hand: _Hand) -> bool:
    return len(hand.cards) == 2 and total(hand.cards) == 21 and hand.pair not in NO_BLACKJACK


def _asked(now: _Round, player: str, name: str) -> bool:
    return (player, name) in now.early and now.ace_up() and _blackjack(now.hand(name))


def _early(now: _Round, wager: Wager) -> bool:
    """Whether a wager is settled early (10.3)."""
    return wager[2] == "initial" and _asked(now, wager[0], wager[1])


def _natural_at_once(now: _Round, hand: _Hand) -> bool:
    """10.1"""
    return bool(now.dealers()) and now.dealers()[0][0] in "23456789" and _blackjack(hand)


def _rendered(hand: _Hand) -> bool:
    """Whether a Super Sevens wager has a result (15.6)."""
    cards = hand.cards
    if not cards or hand.pair or hand.stood:
        return bool(cards)
    return cards[0][0] != "7" or (len(cards) >= 2 and cards[1][0] != "7") or len(cards) >= 3


def _decided(now: _Round, wager: Wager) -> bool:
    """Whether it is certain how a wager ends (9.1, 13.3, 15.6)."""
    player, name, kind = wager
    hand = now.hand(name)
    if kind == "insurance":
        return len(now.dealers()) >= 2 or _asked(now, player, name)
    if kind == "super_sevens":
        return _rendered(hand)
    return total(hand.cards) > 21 or _natural_at_once(now, hand) or _early(now, wager) or _showdown(now)


def _outcome(now: _Round, wager: Wager) -> str:
    """By which event a wager is to be settled."""
    player, name, kind = wager
    if kind == "super_sevens":
        return "pay" if now.hand(name).cards[:1] and now.hand(name).cards[0][0] == "7" else "collect"
    if kind == "insurance":
        if _asked(now, player, name):
            return "give_back"  # 10.3
        return "pay" if len(now.dealers()) >= 2 and now.dealers()[1][0] in "TJQK" else "collect"  # 9.1
    return _against(now, wager, total(now.dealers()), _blackjack(now.hand(DEALER)))


def _against(now: _Round, wager: Wager, theirs: int, blackjack: bool) -> str:
    """How a wager on a box fares against a dealer's hand that ends so."""
    hand = now.hand(wager[1])
    mine = total(hand.cards)
    if _early(now, wager):
        return "pay"  # 10.3(a)
    if mine > 21:
        return "collect"  # 5.1(f), 13.2
    if blackjack and wager[2] in ("double", "split"):
        return "give_back"  # 11.5, 12.6
    natural = _blackjack(hand)
    if natural and _natural_at_once(now, hand):
        return "pay"  # 10.1
    if theirs > 21:
        return "pay"  # 5.1(a)
    if mine == theirs:
        if natural != blackjack:
            return "pay" if natural else "collect"  # 5.1(c), 5.1(d)
        return "give_back"  # 5.1(e)
    return "pay" if mine > theirs else "collect"  # 5.1(b), 5.1(g)


def _twice_odds(now: _Round, wager: Wager) -> int:
    """Twice the odds, so that 3 to 2 is a whole number (5.4, 9.4, 10.1, 10.3, 11.4, 12.5, 15.4, 15.5)."""
    hand = now.hand(wager[1])
    match wager[2]:
        case "insurance":
            return 4
        case "initial":
            return 3 if _blackjack(hand) and not _early(now, wager) else 2
        case "super_sevens":
            return 2 * _sevens(now, hand, wager[1])
        case _:
            return 2


def _sevens(now: _Round, hand: _Hand, name: str) -> int:
    """The odds of a Super Sevens wager that wins."""
    cards = hand.cards
    if hand.pair:
        return 100 if cards[0][1] == now.hand(name[:3] + "2").cards[0][1] else 50  # 15.5
    if len(cards) < 2 or cards[1][0] != "7":
        return 3  # 15.4(a)
    alike = cards[0][1] == cards[1][1]
    if len(cards) < 3 or cards[2][0] != "7":
        return 100 if alike else 50  # 15.4(b), 15.4(c)
    return 5000 if alike and cards[0][1] == cards[2][1] else 500  # 15.4(d), 15.4(e)


def _moot(now: _Round) -> bool:
    """Whether no further card of the dealer's can change how any wager fares (13.4)."""
    for wager in now.stakes:
        cards = now.hand(wager[1]).cards
        if wager[2] in BOX_KINDS and cards and total(cards) <= 21:
            if_over = _against(now, wager, 22, False)
            if any(_against(now, wager, ending, False) != if_over for ending in ENDINGS):
                return False
    return True


def _done(now: _Round) -> bool:
    """Whether the dealer's hand takes no more cards (13.3, 13.4)."""
    cards = now.dealers()
    return len(cards) >= 2 and (total(cards) >= 17 or _moot(now))


def _to_draw(now: _Round) -> bool:
    cards = now.dealers()
    return len(cards) >= 2 and total(cards) < 17 and not now.stopped and not _moot(now)


def _showdown(now: _Round) -> bool:
    return _done(now) or (now.stopped and len(now.dealers()) >= 2)


def _initial_deal_over(now: _Round) -> bool:
    return now.begun or all(
        len(now.hand(name).cards) >= 2 for _, name, kind in now.stakes if kind == "initial"
    )


def _asking(now: _Round, name: str) -> set[bool]:
    """Whether the players on a hand have asked to be paid at once."""
    return {_early(now, wager) for wager in now.stakes if wager[1:] == (name, "initial")}


def _insurance_late(now: _Round) -> bool:
    """9.5"""
    if len(now.dealers()) < 2:
        return False
    late = [w for w in now.owed if w[2] == "insurance" and _outcome(now, w) == "collect"]
    now.owed.difference_update(late)
    return bool(late)


def _late(now: _Round) -> bool:
    """Whether something that was owed before the next card has not been done (9.5, 10.1, 10.3, 13.2, 15.6)."""
    found = _insurance_late(now)
    over = _initial_deal_over(now)
    for wager in now.stakes:
        name, kind = wager[1:]
        hand = now.hand(name)
        if kind == "super_sevens":
            if over and wager in now.owed and _rendered(hand):
                now.owed.discard(wager)
                found = True
        elif kind != "insurance":
            early = _early(now, wager)
            gone = total(hand.cards) > 21 or (kind == "initial" and over and _natural_at_once(now, hand))
            if wager in now.owed and (early or gone):
                now.owed.discard(wager)
                found = True
            paid = not any(w[1:] == (name, "initial") for w in now.open)
            if not hand.cleared and (gone or (early and _asking(now, name) == {True} and paid)):
                hand.cleared = found = True
    return found


def _unsettled(now: _Round) -> bool:
    """By the end of the round: 5.1, 5.4, 9.4, 10.3, 11.4, 11.5, 12.5, 12.6"""
    shown = _showdown(now)
    return any(shown if w[2] in BOX_KINDS else w[2] == "insurance" and _decided(now, w) for w in now.owed)
