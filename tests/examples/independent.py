"""The questions that the law puts to the engine's rounds, asked of the original file by hand.

Nothing of the verifier is used: this was written from the words of the law (New Zealand Gazette No. 9 of 1998,
Division 2), to be compared with what the verifier says of the converted log. What is taken from a reading of the
ruleset says so.

    python tests/examples/independent.py examples/data/baramundi_8d_3p_2000.jsonl.gz
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

Card = tuple[str, str]
Found = dict[str, Counter[int]]
"""Faults: by clause, how many in which round."""

QUESTIONS = {
    "3.3(a)": "a shoe gave some card more than 8 times, or more than 416 cards",
    "4.1": "the engine's own totals are not the law's",
    "5.1": "a wager won, lost or stood off otherwise than 5.1 says (neither doubled nor split)",
    "5.1(a)": "the dealer went over 21, and a hand that had not was not paid",
    "5.1(e)": "of those of 5.1: a blackjack against the dealer's blackjack",
    "5.1 [before]": "a box without a wager was dealt to",
    "5.4": "a wager won under 5.1, and not paid 1 to 1, or 3 to 2 for a blackjack",
    "8.2": "the first seven cards do not go 1, 2, 3, dealer, 1, 2, 3, before any act",
    "8.3": "an act on a hand while an earlier hand is not finished, and has not lost its turn",
    "8.3 (every act)": "an act on a hand while an earlier hand is not finished, each time",
    "8.3 [stand]": "an act on a hand that has stood, doubled, or gone over 21",
    "8.3 [allow]": "a hand was left undecided",
    "8.4": "a draw or a double is not followed by one card for that hand, or a card came uncalled for",
    "8.5 [second]": "the dealer never took a second card",
    "8.5 (order)": "the dealer took his second card before the hands were finished",
    "10.1": "a blackjack against 2 to 9 was not paid 3 to 2",
    "11.1": "a double with an ace among the 2 cards of a split pair, or with other than 2 cards",
    "11.1 (initial deal)": "a double with an ace among the 2 cards of the initial deal",
    "11.2(a)": "a double for more than the original wager",
    "11.3": "a hand that was doubled has not 3 cards",
    "11.4": "a doubled hand settled otherwise than 5.1 says, or paid other than 1 to 1",
    "11.5": "the dealer has a blackjack, and collected a double of a hand that was not over 21",
    "11.5 (over 21)": "the same of a hand over 21, which 13.2 says is lost at once: no fault",
    "12.1": "a split of 2 cards of different value, or of other than 2 cards",
    "12.2": "a split for another amount than the original wager",
    "12.3 [second]": "after a split, the next card is not the first hand's",
    "12.3": "a hand made by splitting got its second card before the earlier ones on its box were finished",
    "12.3 (its own pair)": "of these: the second of a pair before the first",
    "12.4(a)": "a split into a fourth hand",
    "12.4(b)": "aces split again, drawn to, or with other than 2 cards in the end",
    "12.4(c)": "a split hand of ace and ten paid as a blackjack",
    "12.5": "a split hand settled otherwise than 5.1 says, or paid other than 1 to 1",
    "12.6": "the dealer has a blackjack, and collected a wager made in splitting on a hand not over 21",
    "13.1(a)": "a draw at 21 or more",
    "13.1(d)": "a stand on 11 or less",
    "13.2": "a hand over 21 was not lost",
    "13.3": "the dealer has 2 cards or more, stopped under 17, and it mattered",
    "13.3 [settle]": "a hand of 21 or less settled before the dealer had a second card (no blackjack against 2 to 9)",
    "13.3 [stop]": "the dealer drew on 17 or more",
    "13.4": "the dealer drew where no card could change the outcome",
    "insurance": "insurance, early payment, surrender: there is none",
}


def pips(card: Card) -> int:
    """An ace counts 1, a court card 10."""
    rank = card[0]
    return 1 if rank == "A" else 10 if rank in "JQK" else int(rank)


def points(cards: list[Card]) -> int:
    """The point total: one ace counts 11 where that is not over 21 (4.1)."""
    hard = sum(pips(card) for card in cards)
    return hard + 10 if hard <= 11 and any(card[0] == "A" for card in cards) else hard


@dataclass(slots=True)
class Hand:
    """A hand as the acts and the cards make it."""

    seat: int
    cards: list[Card]
    initial: Fraction = Fraction(0)
    by_split: Fraction = Fraction(0)
    by_double: Fraction = Fraction(0)
    aces: bool = False
    was_split: bool = False
    stood: bool = False

    @property
    def doubled(self) -> bool:
        return self.by_double > 0

    @property
    def total(self) -> int:
        return points(self.cards)

    @property
    def blackjack(self) -> bool:
        """A ten and an ace as the initial two; never of a split hand (1.0; 12.4(c))."""
        return not self.was_split and len(self.cards) == 2 and self.total == 21

    @property
    def played(self) -> bool:
        """Some decision on it has been made, a split apart."""
        return self.stood or self.doubled or len(self.cards) > 2

    @property
    def finished(self) -> bool:
        """No decision on it is left."""
        done = (self.doubled and len(self.cards) > 2) or (self.aces and len(self.cards) == 2)
        return self.stood or self.total >= 21 or done


@dataclass(slots=True)
class Review:
    """One round under review. `order`: names of hands in the order of their turns."""

    record: dict[str, Any]
    found: Found
    hands: dict[str, Hand] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    dealer: list[Card] = field(default_factory=list)

    def fault(self, clause: str, holds: bool = True) -> None:
        if clause not in QUESTIONS:
            raise KeyError(clause)
        if holds:
            self.found[clause][self.record["round"]] += 1

    def run(self) -> None:
        events = self.record["events"]
        stakes = {hand["hand"]: Fraction(hand["stake"]) for hand in self.record["hands"]}
        for event in events:
            if event.get("action") == "double":
                stakes[event["hand"]] -= Fraction(event["stake_added"])
        for seat in (1, 2, 3):
            name = f"p{seat}h1"
            self.hands[name] = Hand(seat, [], initial=stakes[name])
            self.order.append(name)
            self.fault("5.1 [before]", stakes[name] <= 0)
        heading = [event.get("to") for event in events[:7]]
        boxes = ["p1h1", "p2h1", "p3h1"]
        self.fault("8.2", heading != [*boxes, "dealer", *boxes])
        index = 0
        while index < len(events):
            event = events[index]
            if event["t"] == "act":
                index = self.act(event, index + 1)
            else:
                self.card(event, index)
                index += 1
        self.end()

    def out_of_turn(self, name: str) -> bool:
        """Whether a hand before this one has its turn now.

        A hand loses its turn to a later one that is played, or gets the second card of a split: whoever goes on
        from there is not at fault for it again. The law has no such words. It is how the ruleset counts, so that
        one fault is one; the question "every act" does without.
        """
        place = self.order.index(name)
        for index, other in enumerate(self.order[:place]):
            hand = self.hands[other]
            later = [self.hands[behind] for behind in self.order[index + 1 :]]
            if not hand.finished and not any(
                behind.played or self.second_dealt(behind, hand.seat) for behind in later
            ):
                return True
        return False

    @staticmethod
    def second_dealt(hand: Hand, seat: int) -> bool:
        return hand.was_split and (hand.seat != seat or len(hand.cards) >= 2)

    def held_up(self, name: str) -> bool:
        """Whether an earlier hand on the same box is not finished."""
        earlier = [self.hands[other] for other in self.order[: self.order.index(name)]]
        return any(not other.finished for other in earlier if other.seat == self.hands[name].seat)

    # ------------------------------------------------------------------------------------------- cards
    def card(self, event: dict[str, Any], index: int) -> None:
        """A card that no act has just called for: the initial deal's, or the dealer's."""
        card = (event["card"][0], event["card"][1])
        if event["to"] != "dealer":
            self.fault("8.4", index >= 7)
            self.hands[event["to"]].cards.append(card)
            return
        if len(self.dealer) == 1:
            self.fault("8.5 (order)", not all(hand.finished for hand in self.hands.values()))
        elif self.dealer:
            self.fault("13.3 [stop]", points(self.dealer) >= 17)
            self.fault("13.4", points(self.dealer) < 17 and not self.still_open())
        self.dealer.append(card)

    def still_open(self) -> bool:
        """Whether a further card for the dealer could change what some wager wins or loses.

        He has two cards, under 17, and so no blackjack any more: a hand over 21 has lost, and a blackjack has won.
        Any other hand loses to some end between 17 and 21, or stands off with it, and wins if he goes over.
        """
        return any(hand.total <= 21 and not hand.blackjack for hand in self.hands.values())

    def called_for(self, name: str, index: int) -> bool:
        """Take the card for `name` that stands at `index`; whether it does."""
        events = self.record["events"]
        if index < len(events) and events[index].get("to") == name:
            self.hands[name].cards.append((events[index]["card"][0], events[index]["card"][1]))
            return True
        return False

    # -------------------------------------------------------------------------------------------- acts
    def act(self, event: dict[str, Any], index: int) -> int:
        """Judge an act, take the cards that it calls for, and give the index of what comes next."""
        name = event["hand"]
        hand = self.hands[name]
        earlier = [self.hands[other] for other in self.order[: self.order.index(name)]]
        waiting = [other for other in earlier if not other.finished]
        self.fault("8.3 (every act)", bool(waiting))
        self.fault("8.3", self.out_of_turn(name))
        drawing = event["action"] == "hit"
        # Whoever draws at 21 is at fault under 13.1(a); he may say that he stands.
        self.fault("8.3 [stand]", hand.stood or hand.doubled or hand.total > 21)
        added = Fraction(event["stake_added"])
        original = self.hands[f"p{hand.seat}h1"].initial
        match event["action"]:
            case "stand":
                self.fault("13.1(d)", hand.total <= 11)
                hand.stood = True
            case "hit" | "double":
                self.fault("12.4(b)", hand.aces)
                if drawing:
                    self.fault("13.1(a)", hand.total >= 21)
                else:
                    ace = any(card[0] == "A" for card in hand.cards)
                    self.fault("11.1", len(hand.cards) != 2 or (hand.was_split and ace))
                    self.fault("11.1 (initial deal)", ace and not hand.was_split)
                    self.fault("11.2(a)", added > original)
                    hand.by_double += added
                came = self.called_for(name, index)
                self.fault("8.4", not came)
                index += came
            case "split":
                index = self.split(event, hand, index)
            case other_action:
                self.fault("insurance")
                raise ValueError(f"unknown action {other_action}")
        return index

    def split(self, event: dict[str, Any], hand: Hand, index: int) -> int:
        name, new = event["hand"], event["new_hand"]
        first, second = hand.cards
        same_box = [other for other in self.hands.values() if other.seat == hand.seat]
        self.fault("12.1", len(hand.cards) != 2 or pips(first) != pips(second))
        self.fault("12.2", Fraction(event["stake_added"]) != self.hands[f"p{hand.seat}h1"].initial)
        self.fault("12.4(a)", len(same_box) >= 3)
        self.fault("12.4(b)", hand.aces)
        hand.cards, hand.was_split, hand.aces = [first], True, first[0] == "A"
        staked = Fraction(event["stake_added"])
        self.hands[new] = Hand(hand.seat, [second], by_split=staked, aces=hand.aces, was_split=True)
        self.order.insert(self.order.index(name) + 1, new)
        self.fault("12.3", self.held_up(name))
        came = self.called_for(name, index)
        self.fault("12.3 [second]", not came)
        index += came
        too_soon = (self.held_up(new), not hand.finished)
        if self.called_for(new, index):
            self.fault("12.3", too_soon[0])
            self.fault("12.3 (its own pair)", too_soon[1])
            index += 1
        return index

    # ----------------------------------------------------------------------------------------- the end
    def end(self) -> None:
        for hand in self.hands.values():
            self.fault("8.3 [allow]", not hand.finished)
            self.fault("11.3", hand.doubled and len(hand.cards) != 3)
            self.fault("12.4(b)", hand.aces and len(hand.cards) != 2)
        self.fault("8.5 [second]", len(self.dealer) < 2)
        self.fault("13.3", len(self.dealer) >= 2 and points(self.dealer) < 17 and self.still_open())
        told = self.record["dealer"]
        self.fault("4.1", {told["engine_points"], told["true_total"]} != {points(self.dealer)})
        cards = [tuple(card) for card in told["cards"]]
        if cards != self.dealer or len(self.record["hands"]) != len(self.hands):
            raise ValueError(f"round {self.record['round']}: events and results differ")
        for result in self.record["hands"]:
            hand = self.hands[result["hand"]]
            if [tuple(card) for card in result["cards"]] != hand.cards:
                raise ValueError(f"round {self.record['round']}: events and results differ")
            self.fault("4.1", {result["engine_points"], result["true_total"]} != {hand.total})
            self.settlement(hand, Fraction(result["stake"]), Fraction(result["returned"]))

    def settlement(self, hand: Hand, stake: Fraction, returned: Fraction) -> None:
        """Each wager on the hand has the hand's result: `returned` is in proportion to the stakes."""
        rate = returned / stake - 1
        natural = len(self.dealer) == 2 and points(self.dealer) == 21
        if hand.total > 21:
            self.fault("13.2", rate != -1)
            self.fault("11.5 (over 21)", natural and hand.doubled)
            return
        if hand.blackjack and pips(self.dealer[0]) in range(2, 10):
            self.fault("10.1", rate != Fraction(3, 2))
            return
        if len(self.dealer) < 2:
            self.fault("13.3 [settle]")
            return
        self.fault("5.1(a)", points(self.dealer) > 21 and rate <= 0)
        won = Fraction(3, 2) if hand.blackjack else Fraction(1)
        due = won if self.beats(hand) else -1 if self.beaten(hand) else Fraction(0)
        self.fault("12.4(c)", hand.was_split and rate > 1)
        # What each wager on the hand should have come to, against what it came to.
        if hand.initial:
            what = "12.5" if hand.was_split else "11.4" if hand.doubled else "5.1"
            wrong = rate != due and (min(rate, due) < 0 or (rate > 0) != (due > 0))
            self.fault(what, wrong)
            self.fault("5.1(e)", wrong and hand.blackjack and natural)
            self.fault("5.4" if what == "5.1" else what, rate != due and not wrong)
        if hand.by_split:
            self.fault("12.6", natural and rate != 0)
            self.fault("12.5", not natural and rate != due)
        if hand.by_double:
            self.fault("11.5", natural and rate != 0)
            self.fault("11.4", not natural and rate != due)

    def beats(self, hand: Hand) -> bool:
        """5.1(a) to (c), of a hand not over 21."""
        dealer, natural = points(self.dealer), len(self.dealer) == 2 and points(self.dealer) == 21
        return dealer > 21 or hand.total > dealer or (hand.blackjack and dealer == 21 and not natural)

    def beaten(self, hand: Hand) -> bool:
        """5.1(d) and (g), of a hand not over 21."""
        dealer, natural = points(self.dealer), len(self.dealer) == 2 and points(self.dealer) == 21
        return (dealer <= 21 and hand.total < dealer) or (natural and hand.total == 21 and not hand.blackjack)


def records(source: Path) -> Iterator[dict[str, Any]]:
    """The rounds of the original file."""
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def ask(source: Path, rounds: int | None = None) -> Found:
    """Every question, asked of the first `rounds` rounds."""
    found: Found = {question: Counter() for question in QUESTIONS}
    shoe: Counter[Card] = Counter()
    for record in records(source):
        if rounds is not None and record["round"] > rounds:
            break
        review = Review(record, found)
        review.run()
        if record["first_round_of_shoe"]:
            shoe.clear()
        for event in record["events"]:
            if event["t"] == "card":
                card = (event["card"][0], event["card"][1])
                shoe[card] += 1
                review.fault("3.3(a)", shoe[card] > 8 or shoe.total() > 416)
    return found


def main() -> None:
    found = ask(Path(sys.argv[1]))
    for question, words in QUESTIONS.items():
        faults = found[question]
        example = f"first in round {min(faults)}" if faults else ""
        print(f"{question:18} {faults.total():6} in {len(faults):5} rounds  {words}  {example}")


if __name__ == "__main__":
    main()
