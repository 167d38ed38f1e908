"""Legal rounds under the mini ruleset, and changes of one row: what the property test draws from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from hypothesis import strategies as st

RANKS = "A23456789TJQK"
SUITS = "cdhs"
PLAYERS = ("ann", "bob", "cat")
DEALER = "dealer"

Change = Literal["card", "amount", "actor", "order", "dropped", "doubled"]
CHANGES: tuple[Change, ...] = ("card", "amount", "actor", "order", "dropped", "doubled")


@dataclass(frozen=True)
class Step:
    """One row of a transcript."""

    actor: str
    event: str
    hand: str | None = None
    player: str | None = None
    card: str | None = None
    amount: int | None = None

    def text(self) -> str:
        kind = "initial" if self.event in ("wager", "pay", "collect") else None
        fields = {
            "player": self.player,
            "hand": self.hand,
            "kind": kind,
            "card": self.card,
            "amount": self.amount,
        }
        words = [f"{name}={value}" for name, value in fields.items() if value is not None]
        return " ".join([self.actor, self.event, *words])


def total(cards: list[str]) -> int:
    hard = sum(min(RANKS.index(card[0]) + 1, 10) for card in cards)
    return hard + 10 if any(card[0] == "A" for card in cards) and hard <= 11 else hard


def blackjack(cards: list[str]) -> bool:
    return len(cards) == 2 and total(cards) == 21


def outcome(hand: list[str], dealer: list[str]) -> str | None:
    """win, lose, stand off, or None where the law clashes with itself: both are over 21 with the same total."""
    mine, theirs = total(hand), total(dealer)
    if mine > 21:
        return None if mine == theirs else "lose"
    if theirs > 21:
        return "win"
    if mine == theirs and blackjack(hand) != blackjack(dealer):
        return "win" if blackjack(hand) else "lose"
    return "stand off" if mine == theirs else "win" if mine > theirs else "lose"


PACK = [rank + suit for rank in RANKS for suit in SUITS]
cards = st.sampled_from(PACK)


@st.composite
def rounds(draw: st.DrawFn) -> list[Step]:
    """One legal round: wagers, cards, the dealer's play, each wager settled or left as a stand off, the end."""
    boxes = draw(st.integers(1, 3))
    steps: list[Step] = []
    hands: dict[str, list[str]] = {}
    stakes: dict[str, int] = {}
    for box in range(boxes):
        hand = f"B{box + 1}H1"
        stakes[hand] = draw(st.integers(1, 50)) * 100
        steps.append(Step("player", "wager", hand, PLAYERS[box], amount=stakes[hand]))
        hands[hand] = []
    dealer: list[str] = []
    pack = draw(st.permutations(PACK))

    def deal(hand: str, to: list[str]) -> None:
        card = pack.pop()
        to.append(card)
        steps.append(Step(DEALER, "deal", hand, card=card))

    for hand in hands:
        deal(hand, hands[hand])
    deal(DEALER, dealer)
    for hand, held in hands.items():
        deal(hand, held)
        while total(held) < 19 and draw(st.booleans()):
            deal(hand, held)
    steps.append(Step(DEALER, "play_over"))
    deal(DEALER, dealer)
    moot = all(total(held) > 21 or blackjack(held) for held in hands.values())
    while total(dealer) < 17 and not moot:
        deal(DEALER, dealer)
    for index, (hand, held) in enumerate(hands.items()):
        match outcome(held, dealer):
            case "win":
                stake = stakes[hand]
                amount = stake * 3 // 2 if blackjack(held) else stake
                steps.append(Step(DEALER, "pay", hand, PLAYERS[index], amount=amount))
            case "lose":
                steps.append(Step(DEALER, "collect", hand, PLAYERS[index]))
            case _:
                pass
    return [*steps, Step(DEALER, "end_round")]


def possible(step: Step, change: Change) -> bool:
    """Whether a row can be changed so."""
    match change:
        case "card":
            return step.card is not None
        case "amount":
            return step.amount is not None
        case "actor" | "order" | "dropped" | "doubled":
            return True


def changed(steps: list[Step], at: int, change: Change, other: str, more: int) -> list[Step]:
    """The rows with the one at `at` changed: another card, `more` money, another actor, swapped with the next
    row, dropped, doubled."""
    step = steps[at]
    before, after = steps[:at], steps[at + 1 :]
    match change:
        case "card":
            return [*before, replace(step, card=other), *after]
        case "amount":
            assert step.amount is not None
            return [*before, replace(step, amount=step.amount + more), *after]
        case "actor":
            return [*before, replace(step, actor="player" if step.actor == DEALER else DEALER), *after]
        case "order":
            return [*before, *after[:1], step, *after[1:]]
        case "dropped":
            return [*before, *after]
        case "doubled":
            return [*before, step, step, *after]
