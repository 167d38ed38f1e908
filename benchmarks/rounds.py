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
BOX_KINDS = ("initial", "double", "split")
KINDS = (*BOX_KINDS, "insurance", "super_sevens")

SMALLEST_CHIP = 50
SEVENS_STAKE = 500


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
    """A table that plays lawful rounds; `loaded`: sevens come to the boxes more often than shuffling brings them."""

    dice: random.Random
    loaded: bool = False
    events: list[Event] = field(default_factory=list)
    shoe: list[str] = field(default_factory=list)
    shoes: int = 1
    rounds: int = 0
    hands: dict[str, list[str]] = field(default_factory=dict)
    stakes: dict[tuple[str, str, str], int] = field(default_factory=dict)
    paired: set[str] = field(default_factory=set)
    dealt: list[str] = field(default_factory=list)
    insured: dict[str, int] = field(default_factory=dict)
    sevens: set[str] = field(default_factory=set)

    def log(self, actor: str, event: str, *values: str | int) -> None:
        self.events.append(Event(self.rounds, self.shoes, actor, event, values))

    def deal(self, hand: str) -> None:
        if self.loaded and hand != DEALER and len(self.hands[hand]) < 3 and self.dice.random() < 0.5:
            self.bring_seven(self.hands[hand])
        card = self.shoe.pop()
        (self.dealt if hand == DEALER else self.hands[hand]).append(card)
        self.log(DEALER, "deal", hand, card)

    def bring_seven(self, cards: list[str]) -> None:
        """Puts a seven first in the shoe, of the suit of the first card where there is one."""
        sevens = [i for i, card in enumerate(self.shoe) if card[0] == "7"]
        alike = [i for i in sevens if cards and self.shoe[i] == cards[0] and self.dice.random() < 0.5]
        for place in (alike or sevens)[-1:]:
            self.shoe.append(self.shoe.pop(place))

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
        self.insured, self.sevens = {}, set()
        boxes = sorted(self.dice.sample(range(1, 6), self.dice.randint(1, 3)))
        for box in boxes:
            stake = 100 * self.dice.randint(1, 40)
            self.hands[f"B{box}H1"] = []
            self.stakes[f"p{box}", f"B{box}H1", "initial"] = stake
            self.log("player", "wager", f"p{box}", box, "initial", stake)
            if self.dice.random() < 0.4:
                self.sevens.add(f"B{box}H1")
                self.log("player", "wager", f"p{box}", box, "super_sevens", SEVENS_STAKE)
        self.log(DEALER, "close_bets")
        first = list(self.hands)
        for hand in (*first, DEALER, *first):
            self.deal(hand)
        for hand in first:
            cards = self.hands[hand]
            if not cards[0][0] == cards[1][0] == "7":
                self.settle_sevens(hand)
        gone = set[str]()
        if self.dealt[0][0] == "A":
            self.log(DEALER, "announce_insurance")
            for hand in first:
                self.insure(hand)
        for hand in first:
            early = self.dealt[0][0] == "A" and self.dice.random() < 0.5
            if self.natural(hand) and (early or self.dealt[0][0] in "23456789"):
                self.pay_at_once(hand, early)
                gone.add(hand)
        for hand in first:
            if not self.natural(hand):
                self.play(hand, gone)
        self.finish(gone)

    def player(self, hand: str) -> str:
        return f"p{hand[1]}"

    def insure(self, hand: str) -> None:
        """Now and then, for half the initial wager at most (9.3)."""
        if self.dice.random() < 0.4:
            most = self.stakes[self.player(hand), hand, "initial"] // 2
            amount = SMALLEST_CHIP * self.dice.randint(1, most // SMALLEST_CHIP)
            self.insured[hand] = amount
            self.log("player", "insure", self.player(hand), int(hand[1]), amount)

    def pay_at_once(self, hand: str, early: bool) -> None:
        """A blackjack against a 2 to 9 (10.1), or at its player's request against an ace (10.3)."""
        if early:
            self.log("player", "ask_payment", self.player(hand), int(hand[1]))
            stake = self.stakes[self.player(hand), hand, "initial"]
            self.log(DEALER, "pay", self.player(hand), hand, "initial", stake)
        else:
            self.pay(hand, "initial")
        if self.insured.pop(hand, 0):
            self.log(DEALER, "give_back", self.player(hand), hand, "insurance")
        self.log(DEALER, "remove_cards", hand)

    def settle_sevens(self, hand: str) -> None:
        """The Super Sevens wager, as soon as its result is certain (15.4, 15.5, 15.6)."""
        if hand not in self.sevens:
            return
        self.sevens.remove(hand)
        cards = [*self.hands[hand][:3], "  ", "  "]
        if hand in self.paired:
            cards = [cards[0], self.hands[hand[:-1] + "2"][0], "  "]
        if cards[0][0] != "7":
            self.log(DEALER, "collect", self.player(hand), hand, "super_sevens")
            return
        if cards[1][0] != "7":
            odds = 3
        elif cards[2][0] != "7":
            odds = 100 if cards[0] == cards[1] else 50
        else:
            odds = 5000 if cards[0] == cards[1] == cards[2] else 500
        self.log(DEALER, "pay", self.player(hand), hand, "super_sevens", SEVENS_STAKE * odds)

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
            self.settle_sevens(hand)
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
            self.settle_sevens(hand)
            self.announce(hand)
        else:
            while total(cards) <= 11 or (total(cards) < 18 and self.dice.random() < 0.5):
                self.log("player", "draw", who, hand)
                self.deal(hand)
                self.settle_sevens(hand)
                self.announce(hand)
            if total(cards) < 21:
                self.log("player", "stand", who, hand)
                self.settle_sevens(hand)
        if total(cards) > 21:
            for player, where, kind in self.stakes:
                if where == hand:
                    self.log(DEALER, "collect", player, where, kind)
            self.log(DEALER, "remove_cards", hand)
            gone.add(hand)

    def finish(self, gone: set[str]) -> None:
        """The dealer's hand, the settlement of what is left, and the end."""
        self.deal(DEALER)
        insured = [hand for hand in self.insured if self.dealt[1][0] in "TJQK"]
        for hand in self.insured:
            if hand not in insured:
                self.log(DEALER, "collect", self.player(hand), hand, "insurance")
        moot = all(total(cards) > 21 or self.natural(hand) for hand, cards in self.hands.items())
        while total(self.dealt) < 17 and not moot:
            self.deal(DEALER)
        self.announce(DEALER)
        for hand in insured:
            self.log(DEALER, "pay", self.player(hand), hand, "insurance", 2 * self.insured[hand])
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


def played(rounds: int, seed: int = 1998, loaded: bool = False) -> list[Event]:
    """The events of so many lawful rounds."""
    table = Table(random.Random(seed), loaded)
    for _ in range(rounds):
        table.round()
    return table.events


def with_faults(events: list[Event], share: float = 0.02, seed: int = 1) -> list[Event]:
    """The events with some settlements made another or left out, some odds wrong, and cards removed too late; with
    the dealer's last card now and then left out or doubled; with cards drawn to hands that may take none, stands on
    hands that must draw, and insurance against another card than an ace.

    Left out is a third card or a later one: that the second is missing is no matter of 13.3.
    """
    dice = random.Random(seed)
    made: list[Event] = []
    hands: dict[str, list[str]] = {}
    full: set[str] = set()
    for index, event in enumerate(events):
        name = str(event.values[0]) if event.values else ""
        following = events[index + 1] if index + 1 < len(events) else event
        chance = dice.random()
        match event.event:
            case "close_bets":
                hands, full = {DEALER: []}, set()
            case "pay" | "collect" | "give_back":
                if chance < share / 2:
                    continue
                if chance < 3 * share / 2:
                    event = _settled_otherwise(event, dice)
            case "remove_cards" if chance < share:
                continue
            case "deal":
                if name == DEALER and following.event in ("announce_total", "collect") and chance < share:
                    if len(hands[DEALER]) >= 2 and dice.random() < 0.5:
                        continue
                    made.append(event)
                    hands[DEALER].append(str(event.values[1]))
                hands.setdefault(name, []).append(str(event.values[1]))
            case "split":
                name = str(event.values[1])
                hands[name[:-1] + "2"] = [hands[name].pop()]
                if hands[name][0][0] == "A":
                    full |= {name, name[:-1] + "2"}
            case "double":
                full.add(str(event.values[1]))
            case _:
                pass
        made.append(event)
        if event.event == "announce_total" and name != DEALER:
            made += _acts_too_many(event, hands, name in full, following.event == "draw", share, dice)
    return made


def _acts_too_many(
    event: Event, hands: dict[str, list[str]], full: bool, draws: bool, share: float, dice: random.Random
) -> list[Event]:
    """What may not be done on a hand whose total was announced just now, if anything."""
    name, cards = str(event.values[0]), hands[str(event.values[0])]
    who = f"p{name[1]}"
    chance = dice.random()
    drawn = event._replace(actor="player", event="draw", values=(who, name))
    card = event._replace(event="deal", values=(name, f"{dice.choice(RANKS)}{dice.choice(SUITS)}"))
    if full and chance < 5 * share:
        cards.append(str(card.values[1]))
        return [drawn, card] if dice.random() < 0.5 else [card]
    if total(cards) == 21 and chance < 5 * share:
        cards.append(str(card.values[1]))
        return [drawn, card]
    if draws and total(cards) <= 11 and chance < share:
        return [drawn._replace(event="stand")]
    if hands[DEALER][0][0] != "A" and chance < share / 2:
        return [drawn._replace(event="insure", values=(who, int(name[1]), SMALLEST_CHIP))]
    return []


def _settled_otherwise(event: Event, dice: random.Random) -> Event:
    who = event.values[:3]
    chance = dice.random()
    if event.event == "pay":
        amount = event.values[3]
        assert isinstance(amount, int)
        if chance < 0.6:
            return event._replace(values=(*who, amount + SMALLEST_CHIP if chance < 0.3 else 2 * amount))
        return event._replace(event="give_back" if chance < 0.8 else "collect", values=who)
    if event.event == "collect" and chance < 0.5:
        return event._replace(event="pay", values=(*who, 100))
    return event._replace(event="give_back" if event.event == "collect" else "collect", values=who)
