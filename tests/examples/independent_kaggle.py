"""The law's questions asked of the generator's own records, by hand, with no line of the verifier.

    python tests/examples/independent_kaggle.py examples/data/kaggle_format_generated_120.csv.gz

Each question counts, round by round, what New Zealand's rules of 1998 would call a fault.
"""

from __future__ import annotations

import csv
import gzip
import itertools
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

Found = dict[str, Counter[int]]

ACE = 11


def total(cards: list[int]) -> int:
    hard = sum(1 if card == ACE else card for card in cards)
    return hard + 10 if ACE in cards and hard <= 11 else hard


def told(hands: list[list[int]], acts: list[list[str]], dealer: list[int], win: float) -> list[float] | None:
    """What each hand won, where the sum can be made up in one way only."""
    if acts == [["R"]] and win == -0.5:
        return [-0.5]
    stopped = len(dealer) == 2 and total(dealer) == 21
    every: list[set[float]] = []
    for cards, done in zip(hands, acts, strict=True):
        stake = 2.0 if "D" in done else 1.0
        every.append({-stake, 0.0, stake} | ({-1.0} if stopped else set()))
        if len(hands) == 1 and len(cards) == 2 and total(cards) == 21:
            every[-1].add(1.5)
    ways = [way for way in itertools.product(*every) if sum(way) == win]
    assert ways
    return list(ways[0]) if len(ways) == 1 else None


def ask(source: Path) -> Found:
    found: Found = defaultdict(Counter)
    with gzip.open(source, "rt", encoding="utf-8", newline="") as lines:
        for number, row in enumerate(csv.DictReader(lines), 1):
            acts = json.loads(row["actions_taken"].replace("'", '"'))
            hands = json.loads(row["player_final"])
            dealer = json.loads(row["dealer_final"])
            _round(found, number, hands, acts, dealer, float(row["win"]))
    return {question: +counts for question, counts in found.items()}


def _round(
    found: Found, number: int, hands: list[list[int]], acts: list[list[str]], dealer: list[int], win: float
) -> None:
    def charge(question: str, count: int) -> None:
        if count:
            found[question][number] += count

    splits = sum(done.count("P") for done in acts)
    stopped = len(dealer) == 2 and total(dealer) == 21
    found["told" if told(hands, acts, dealer, win) is not None else "sums only"][number] += 1
    over = all(total(cards) > 21 for cards in hands)
    natural = not splits and len(hands[0]) == 2 and total(hands[0]) == 21
    # 8.5: the second card while the player has not decided; a surrender is no decision, nor is to decline insurance.
    charge("8.5 [second]", acts in ([["R"]], [["N"]]) and not natural)
    # 8.4: a card asked for that never came, since the dealer had a blackjack.
    charge("8.4 [deal]", stopped and acts[0][-1] in ("H", "D"))
    # 12.3: the first hand of each pair has its second card only if it asks for one; else it stands on one card.
    charge("12.3 [second]", splits)
    charge("12.4(a) [three]", max(0, splits - 2))
    charge(
        "13.1(d)",
        sum(done[-1] == "S" and total(cards) <= 11 for cards, done in zip(hands, acts, strict=True)),
    )
    if splits:
        doubled = [cards for cards, done in zip(hands, acts, strict=True) if done[-1] == "D"]
        charge("11.1", sum(ACE in cards[:2] for cards in doubled))
        for cards, done in zip(hands, acts, strict=True):
            # Each card beyond the second, and each time that one was asked for.
            more = max(0, len(cards) - 2) if cards[0] == ACE else 0
            charge("12.4(b) [one card]", 2 * more - (1 if more and done[-1] == "D" else 0))
    # 13.3 and 13.4: the dealer's third card and each after it; 13.4 whatever his total ("regardless of the point
    # total"). 16.3: each such card is to be taken out of play, and none is.
    in_vain = over or natural
    drawn_on = [total(dealer[:size]) >= 17 for size in range(2, len(dealer))]
    charge("13.3 [stop]", sum(drawn_on))
    charge("13.4", len(drawn_on) if in_vain else 0)
    charge("16.3", len(drawn_on) if in_vain else sum(drawn_on))
    # 5.1: how each hand ended, where that is told. When is not: the total on which the dealer was to stop counts too.
    results = told(hands, acts, dealer, win)
    stops = [t for size in range(2, len(dealer) + 1) if (t := total(dealer[:size])) >= 17]
    for index, (cards, done) in enumerate(zip(hands, acts, strict=True)):
        if results is None:
            continue
        lost, banker, player = results[index] < 0, total(dealer), total(cards)
        if player <= 21 < banker and lost:
            if any(player < stop <= 21 for stop in stops):
                charge("lost to a total that was drawn to", 1)
                continue
            doubled = "D" in done
            charge("5.1(a)", index == 0)
            charge("12.5", bool(splits))
            charge("11.4", (2 if index == 0 and not splits else 1) if doubled else 0)
            charge("short", 100 if done == ["R"] else 400 if doubled else 200)
        elif player > 21 and not lost:
            charge("5.1(f)", 1)
        elif player <= 21 and banker <= 21:
            better, theirs = 22 if natural else player, 22 if stopped else banker
            right = (better > theirs) - (better < theirs)
            wrong = (results[index] > 0) - (results[index] < 0) != right
            charge("5.1(b) to (g)", wrong and done != ["R"])
            charge("surrendered, and would not have lost", done == ["R"] and right >= 0)


if __name__ == "__main__":
    for question, counts in sorted(ask(Path(sys.argv[1])).items()):
        print(f"{question}: {counts.total()} in {len(counts)} rounds, first in {min(counts)}")
