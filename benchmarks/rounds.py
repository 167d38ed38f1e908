"""Lawful rounds of blackjack, played by dice: what the benchmarks judge. Seeded, so that every run has the same."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import NamedTuple

RANKS = "A23456789TJQK"
SUITS = "cdhs"
DECKS = 8
SHUFFLE_BELOW = 120
"""Cards left in the shoe below which it is shuffled after the round; no round takes as many."""

DEALER = "dealer"
KINDS = ("initial", "double", "split")


class Event(NamedTuple):
    """One row: `values` are the columns of the event in their order, numbers as numbers."""

    round: int
    shoe: int
    actor: str
    event: str
    values: tuple[str | int, ...]


def total(cards: list[str]) -> int:
    """The point total of a hand (4.1)."""
    hard = sum(min(RANKS.index(card[0]) + 1, 10) for card in cards)
    return hard + 10 if hard <= 11 and any(card[0] == "A" for card in cards) else hard


def pips(card: str) -> int:
    return min(RANKS.index(card[0]) + 1, 10)


@dataclass
class Table:
    """A table that plays lawful rounds."""

    dice: random.Random
    events: list[Event] = field(default_factory=list)
    shoe: list[str] = field(default_factory=list)
    shoes: int = 1
    rounds: int = 0
    hands: dict[str, list[str]] = field(default_factory=dict)
    stakes: dict[tuple[str, str, str], int] = field(default_factory=dict)
    paired: set[str] = field(default_factory=set)
    dealt: list[str] = field(default_factory=list)

    def log(self, actor: str, event: str, *values: str | int) -> None:
        self.events.append(Event(self.rounds, self.shoes, actor, event, values))

    def deal(self, hand: str) -> None:
        card = self.shoe.pop()
        (self.dealt if hand == DEALER else self.hands[hand]).append(card)
        self.log(DEALER, "deal", hand, card)

    def announce(self, hand: str) -> None:
        self.log(DEALER, "announce_total", hand, total(self.dealt if hand == DEALER else self.hands[hand]))

    def shuffle(self) -> None:
        self.shoe = [rank + suit for rank in RANKS for suit in SUITS] * DECKS
        self.dice.shuffle(self.shoe)
        self.log(DEALER, "shuffle", 52 * DECKS)
        self.shoes += 1
        self.log("employee", "cut", 100)
        self.log(DEALER, "insert_cutting_card", 104)
        self.log(DEALER, "load_shoe")

    def natural(self, hand: str) -> bool:
        return len(self.hands[hand]) == 2 and total(self.hands[hand]) == 21 and hand not in self.paired

    def round(self) -> None:
        """Play one round from the wagers to its end."""
        self.rounds += 1
        if len(self.shoe) < SHUFFLE_BELOW:
            self.shuffle()
        self.hands, self.stakes, self.paired, self.dealt = {}, {}, set(), []
        boxes = sorted(self.dice.sample(range(1, 6), self.dice.randint(1, 3)))
        for box in boxes:
            stake = 100 * self.dice.randint(1, 40)
            self.hands[f"B{box}H1"] = []
            self.stakes[f"p{box}", f"B{box}H1", "initial"] = stake
            self.log("player", "wager", f"p{box}", box, "initial", stake)
        self.log(DEALER, "close_bets")
        first = list(self.hands)
        for hand in (*first, DEALER, *first):
            self.deal(hand)
        if self.dealt[0][0] == "A":
            self.log(DEALER, "announce_insurance")
        at_once = [h for h in first if self.natural(h) and self.dealt[0][0] in "23456789"]
        for hand in at_once:
            self.pay(hand, "initial")
            self.log(DEALER, "remove_cards", hand)
        gone = set(at_once)
        for hand in first:
            if not self.natural(hand):
                self.play(hand, gone)
        self.finish(gone)

    def player(self, hand: str) -> str:
        return f"p{hand[1]}"

    def play(self, hand: str, gone: set[str]) -> None:
        """A player's decisions on a box: he may split once, double, draw and stand."""
        cards, who = self.hands[hand], self.player(hand)
        if total(cards) >= 21:
            return
        self.announce(hand)
        stake = self.stakes[who, hand, "initial"]
        if pips(cards[0]) == pips(cards[1]) and self.dice.random() < 0.5:
            other = hand[:-1] + "2"
            self.log("player", "split", who, hand, stake)
            self.stakes[who, other, "split"] = stake
            self.hands[other] = [cards.pop()]
            self.paired |= {hand, other}
            for half in (hand, other):
                self.deal(half)
                self.announce(half)
                if self.hands[half][0][0] != "A":
                    self.decide(half, gone)
        else:
            self.decide(hand, gone)

    def decide(self, hand: str, gone: set[str]) -> None:
        cards, who = self.hands[hand], self.player(hand)
        no_ace = all(card[0] != "A" for card in cards)
        if total(cards) < 21 and no_ace and self.dice.random() < 0.2:
            stake = self.stakes[who, hand, "split" if hand[-1] == "2" else "initial"]
            self.log("player", "double", who, hand, stake)
            self.stakes[who, hand, "double"] = stake
            self.deal(hand)
            self.announce(hand)
        else:
            while total(cards) <= 11 or (total(cards) < 18 and self.dice.random() < 0.5):
                self.log("player", "draw", who, hand)
                self.deal(hand)
                self.announce(hand)
            if total(cards) < 21:
                self.log("player", "stand", who, hand)
        if total(cards) > 21:
            for player, where, kind in self.stakes:
                if where == hand:
                    self.log(DEALER, "collect", player, where, kind)
            self.log(DEALER, "remove_cards", hand)
            gone.add(hand)

    def finish(self, gone: set[str]) -> None:
        """The dealer's hand, the settlement of what is left, and the end."""
        self.deal(DEALER)
        moot = all(total(cards) > 21 or self.natural(hand) for hand, cards in self.hands.items())
        while total(self.dealt) < 17 and not moot:
            self.deal(DEALER)
        self.announce(DEALER)
        blackjack = len(self.dealt) == 2 and total(self.dealt) == 21
        for (_, hand, kind), _stake in self.stakes.items():
            if hand in gone:
                continue
            mine, theirs = total(self.hands[hand]), total(self.dealt)
            natural = self.natural(hand)
            if (blackjack and (kind != "initial" or natural)) or (mine == theirs and natural == blackjack):
                self.log(DEALER, "give_back", self.player(hand), hand, kind)
            elif not blackjack and (natural or theirs > 21 or mine > theirs):
                self.pay(hand, kind)
            else:
                self.log(DEALER, "collect", self.player(hand), hand, kind)
        for hand in (*(h for h in self.hands if h not in gone), DEALER):
            self.log(DEALER, "remove_cards", hand)
        self.log(DEALER, "end_round")

    def pay(self, hand: str, kind: str) -> None:
        stake = self.stakes[self.player(hand), hand, kind]
        self.log(
            DEALER, "pay", self.player(hand), hand, kind, stake * 3 // 2 if self.natural(hand) else stake
        )


def played(rounds: int, seed: int = 1998) -> list[Event]:
    """The events of so many lawful rounds."""
    table = Table(random.Random(seed))
    for _ in range(rounds):
        table.round()
    return table.events


def with_faults(events: list[Event], share: float = 0.02, seed: int = 1) -> list[Event]:
    """The events with some settlements made another, and the dealer's last card now and then left out or doubled.

    Left out is a third card or a later one: that the second is missing is no matter of 13.3.
    """
    dice = random.Random(seed)
    made: list[Event] = []
    held = 0
    for index, event in enumerate(events):
        if event.event == "close_bets":
            held = 0
        following = events[index + 1].event if index + 1 < len(events) else ""
        if event.event in ("pay", "collect", "give_back") and dice.random() < share:
            event = _settled_otherwise(event, dice)
        if event.event == "deal" and event.values[0] == DEALER and following == "announce_total":
            chance = dice.random()
            if held >= 2 and chance < share:
                continue
            if chance < share:
                made.append(event)
        held += event.event == "deal" and event.values[0] == DEALER
        made.append(event)
    return made


def _settled_otherwise(event: Event, dice: random.Random) -> Event:
    who = event.values[:3]
    if event.event == "pay":
        amount = event.values[3]
        assert isinstance(amount, int)
        return (
            event._replace(values=(*who, amount + 50))
            if dice.random() < 0.5
            else event._replace(event="give_back", values=who)
        )
    if event.event == "collect" and dice.random() < 0.5:
        return event._replace(event="pay", values=(*who, 100))
    return event._replace(event="give_back" if event.event == "collect" else "collect", values=who)
