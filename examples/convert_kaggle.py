"""Converts rounds in the layout of the public "50 million blackjack hands" data set into logs, and invents nothing.

    python examples/convert_kaggle.py examples/data/kaggle_format_generated_120.csv.gz told.jsonl.zst sums.jsonl.zst

The source has one CSV record a round: one player's hands, the dealer's, and what the round won in all. Where that sum
can be made up of the hands' results in one way only, the round goes to the first log, with its settlement; the others
go to the second, which records none. `examples/README.md` says what becomes of each field, and what is not told.
"""

from __future__ import annotations

import ast
import csv
import gzip
import hashlib
import io
import itertools
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path

import verifier
from verifier.log.header import HEADER_KEY, VERSION, parse_header
from verifier.log.manifest import Seal
from verifier.log.write import write_jsonl

RULESET = "nz/blackjack-1998"
DECKS = 8
SHOE = 52 * DECKS + 1  # as the source counts a full one

# A unit is a hundred minor units, so that a blackjack's 1.5 and a surrender's 0.5 are whole. XXX: no currency involved.
CURRENCY, EXPONENT, UNIT = "XXX", 2, 100
OPTIONS = {"decks": DECKS}
PLAYER, BOX = "player", 1

PLAY = ["wager", "deal", "draw", "stand", "double", "split", "alter", "end_round"]
SETTLEMENT = ["pay", "collect", "give_back"]
# No such thing is in the source, and it could not have happened without a trace in it: an act is listed, and the cards
# that have left the shoe are those of the hands, to the card.
NEVER_HAPPENED = [
    *["withdraw", "insure", "ask_payment", "cover", "designate", "refuse", "absent_player"],
    *["find_face_up", "draw_face_down", "draw_exposed", "set_aside", "discard", "move_card", "take_back"],
    *["reconstruct", "void_hand", "void_round"],
]

COLUMNS = ["shoe_id", "cards_remaining", "dealer_up", "initial_hand", "dealer_final", "dealer_final_value"]
COLUMNS += ["player_final", "player_final_value", "actions_taken", "run_count", "true_count", "win"]
ACTIONS = {"H", "S", "D", "P", "N", "R"}

Row = dict[str, object]


class SourceError(ValueError):
    """The source holds what this converter does not know, or contradicts itself."""


def demand(holds: bool, where: str, what: str) -> None:
    """Raise `SourceError` unless it holds."""
    if not holds:
        raise SourceError(f"{where}: {what}")


def total(cards: list[int]) -> int:
    """The value of a hand as the source counts it: 11 is an ace, which counts 1 where 11 would be too much."""
    hard = sum(1 if card == 11 else card for card in cards)
    return hard + 10 if 11 in cards and hard + 10 <= 21 else hard


def written(card: int) -> str:
    """A card: its suit is not recorded. A 10 is any card of that value; it is written as a ten."""
    return {11: "A", 10: "T"}.get(card, str(card)) + "?"


@dataclass(frozen=True, slots=True)
class Record:
    """One record of the source, its fields read."""

    where: str
    shoe: int
    remaining: int
    initial: list[int]
    dealer: list[int]
    hands: list[list[int]]
    actions: list[list[str]]
    win: int

    @property
    def cards(self) -> int:
        return len(self.dealer) + sum(len(hand) for hand in self.hands)

    @property
    def stopped(self) -> bool:
        """Whether the dealer's blackjack ended the round: a card then asked for was never dealt."""
        return len(self.dealer) == 2 and total(self.dealer) == 21


def whole(text: str, where: str) -> int:
    """A whole number, zero or more."""
    demand(text.isascii() and text.isdigit(), where, f"{text!r}, expected a whole number")
    return int(text)


def listed(text: str, where: str) -> list[object]:
    """A list as Python writes one."""
    try:
        found = ast.literal_eval(text)
    except (ValueError, SyntaxError) as error:
        raise SourceError(f"{where}: {text!r}, expected a list") from error
    demand(isinstance(found, list), where, f"{text!r}, expected a list")
    return list(found)


def cards_of(value: object, where: str) -> list[int]:
    """A hand: numbers from 2 to 11."""
    demand(isinstance(value, list) and bool(value), where, f"{value!r}, expected cards")
    assert isinstance(value, list)
    for card in value:
        demand(type(card) is int and 2 <= card <= 11, where, f"{card!r}, expected a card from 2 to 11")
    return list(value)


def acts_of(value: object, where: str) -> list[str]:
    """What was done on a hand: letters."""
    demand(isinstance(value, list) and bool(value), where, f"{value!r}, expected actions")
    assert isinstance(value, list)
    for act in value:
        demand(act in ACTIONS, where, f"unknown action {act!r}")
    return list(value)


def minor(text: str, where: str) -> int:
    """An amount in minor units."""
    try:
        scaled = Decimal(text) * UNIT
    except InvalidOperation as error:
        raise SourceError(f"{where}: {text!r}, expected a number") from error
    demand(scaled == scaled.to_integral_value(), where, f"{text} is no whole number of minor units")
    return int(scaled)


def read(fields: dict[str, str], where: str) -> Record:
    """A record, held against itself: totals, first cards, and that there is a hand for each list of actions."""
    record = Record(
        where,
        whole(fields["shoe_id"], where),
        whole(fields["cards_remaining"], where),
        cards_of(listed(fields["initial_hand"], where), where),
        cards_of(listed(fields["dealer_final"], where), where),
        [cards_of(hand, where) for hand in listed(fields["player_final"], where)],
        [acts_of(acts, where) for acts in listed(fields["actions_taken"], where)],
        minor(fields["win"], where),
    )
    splits = sum(acts.count("P") for acts in record.actions)
    demand(len(record.hands) == len(record.actions) == splits + 1, where, "hands, actions and splits differ")
    demand(
        len(record.initial) == 2 and len(record.dealer) >= 2, where, "two cards at first, two for the dealer"
    )
    demand(fields["dealer_up"] == str(record.dealer[0]), where, "dealer_up is not the dealer's first card")
    natural = {True: "BJ", False: str(total(record.dealer))}[record.stopped]
    demand(fields["dealer_final_value"] == natural, where, f"the dealer's total is not {natural}")
    values = [
        "BJ" if not splits and len(hand) == 2 and total(hand) == 21 else total(hand) for hand in record.hands
    ]
    demand(listed(fields["player_final_value"], where) == values, where, f"the totals are not {values}")
    return record


@dataclass(slots=True)
class Round:
    """A record on its way to rows. `names` are the hands in their order of play, `staked` what lies on each by kind."""

    record: Record
    rows: list[Row] = field(default_factory=list)
    names: list[str] = field(default_factory=lambda: ["B1H1"])
    staked: dict[str, dict[str, int]] = field(default_factory=lambda: {"B1H1": {"initial": UNIT}})
    surrendered: bool = False

    def convert(self) -> list[Row]:
        """All rows of the round but those of settlement, without their keys."""
        record = self.record
        self.add("player", "wager", player=PLAYER, box=BOX, kind="initial", amount=UNIT)
        self.deal("B1H1", record.initial[0])
        self.deal("dealer", record.dealer[0])
        self.deal("B1H1", record.initial[1])
        for index, (acts, cards) in enumerate(zip(record.actions, record.hands, strict=True)):
            self.play(index, acts, cards)
        for card in record.dealer[1:]:
            self.deal("dealer", card)
        return self.rows

    def play(self, index: int, acts: list[str], cards: list[int]) -> None:
        """What was done on one hand. A hand that waited gets its second card without an act, the others ask for it."""
        name, where = self.names[index], self.record.where
        left = list(cards[1:])
        held = 1
        if index == 0:
            held = 2
            demand(
                cards[0] == self.record.initial[0], where, "the first hand does not begin with the first card"
            )
            if acts[0] != "P" and acts[:2] != ["N", "P"]:
                demand(left[:1] == self.record.initial[1:], where, "the second card is not the one dealt")
                left = left[1:]
        for number, act in enumerate(acts):
            if index > 0 and number == 0:
                self.next_card(name, cards[0], left, acts[0] == "P")
                held = 2
            after = acts[number + 1 : number + 2]
            match act:
                case "N":
                    demand(
                        self.record.dealer[0] == 11 and number == 0,
                        where,
                        "insurance declined without an ace",
                    )
                case "S":
                    demand(not after, where, "an act after standing")
                    self.add("player", "stand", player=PLAYER, hand=name)
                case "H":
                    self.add("player", "draw", player=PLAYER, hand=name)
                    if not self.record.stopped:
                        self.next_card(name, cards[0], left, held == 1 and after == ["P"])
                        held += 1
                case "D":
                    demand(not after, where, "an act after doubling")
                    self.staked[name]["double"] = UNIT
                    self.add("player", "double", player=PLAYER, hand=name, amount=UNIT)
                    if not self.record.stopped:
                        self.next_card(name, cards[0], left, False)
                case "P":
                    demand(held == 2, where, f"{name} is split with {held} cards")
                    held = 1
                    new = f"B1H{len(self.names) + 1}"
                    self.names.insert(index + 1, new)
                    self.staked[new] = {"split": UNIT}
                    self.add("player", "split", player=PLAYER, hand=name, amount=UNIT)
                case "R":
                    demand(acts == ["R"] and len(self.names) == 1, where, "a surrender after another act")
                    if self.record.win == -UNIT // 2:
                        self.surrendered = True
                        wager = {"player": PLAYER, "hand": name, "kind": "initial"}
                        self.add("player", "alter", **wager, stake=UNIT // 2)
                case _:
                    raise SourceError(f"{where}: unknown action {act!r}")
        demand(not left, where, f"{name} has {len(left)} cards that no act asked for")

    def next_card(self, name: str, first: int, left: list[int], paired: bool) -> None:
        """A card to a hand; one that is split off at once is of the hand's own value, and ends in another hand."""
        demand(paired or bool(left), self.record.where, f"{name} lacks a card")
        self.deal(name, first if paired else left.pop(0))

    def deal(self, name: str, card: int) -> None:
        self.add("dealer", "deal", hand=name, card=written(card))

    def add(self, actor: str, event: str, **values: object) -> None:
        self.rows.append({"actor": actor, "event": event, **values})

    def results(self) -> list[dict[str, int]]:
        """Each way in which the hands' results make up what the round won: by hand, what was won or lost on it."""
        if self.surrendered:
            return [{"B1H1": -UNIT // 2}]
        stakes = {name: sum(kinds.values()) for name, kinds in self.staked.items()}
        natural = (
            len(self.names) == 1 and len(self.record.hands[0]) == 2 and total(self.record.hands[0]) == 21
        )
        lost = {name: {-stake} for name, stake in stakes.items()}
        if self.record.stopped:
            # Only the stake laid at first is lost to the dealer's blackjack where the card was never dealt.
            lost = {name: {-stake, -UNIT} for name, stake in stakes.items()}
        every = [
            sorted({*lost[name], 0, stake, *({3 * UNIT // 2} if natural else set())})
            for name, stake in stakes.items()
        ]
        ways = [way for way in itertools.product(*every) if sum(way) == self.record.win]
        demand(bool(ways), self.record.where, f"no results of the hands make up {self.record.win}")
        return [dict(zip(stakes, way, strict=True)) for way in ways]

    def settle(self, result: dict[str, int]) -> None:
        """Rows for what became of each wager."""
        for name, kinds in self.staked.items():
            won, stake = result[name], sum(kinds.values())
            for kind, amount in kinds.items():
                wager = {"player": PLAYER, "hand": name, "kind": kind}
                if won > 0:
                    self.add("dealer", "pay", **wager, amount=won * amount // stake)
                elif won == 0 or (won == -UNIT and kind == "double"):
                    self.add("dealer", "give_back", **wager)
                else:
                    self.add("dealer", "collect", **wager)


def records(source: Path) -> Iterator[Record]:
    """All records. Cards that leave a shoe must be those of its rounds. Raises `SourceError`."""
    text = gzip.decompress(source.read_bytes()).decode("utf-8")
    lines = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    demand(lines.fieldnames == COLUMNS, "the head", f"columns {lines.fieldnames}, expected {COLUMNS}")
    last: Record | None = None
    for number, fields in enumerate(lines, 2):
        where = f"line {number}"
        demand(None not in fields and None not in fields.values(), where, "too few or too many cells")
        record = read(fields, where)
        if last is None or record.shoe != last.shoe:
            demand(record.remaining == SHOE, where, f"a shoe that begins with {record.remaining} cards")
        else:
            demand(last.remaining - record.remaining == last.cards, where, "cards are missing, or too many")
        last = record
        yield record


def rows(source: Path, told: bool) -> Iterator[Row]:
    """The rows of one of the two logs. Raises `SourceError`."""
    seq = 0
    for number, record in enumerate(records(source), 1):
        made = Round(record)
        made.convert()
        ways = made.results()
        if (len(ways) == 1) is not told:
            continue
        if told:
            made.settle(ways[0])
        made.add("dealer", "end_round")
        table = "generated" if told else "generated-sums"
        for row in made.rows:
            seq += 1
            yield {"table": table, "shoe": record.shoe, "round": number, "seq": seq, **row}


def header(source: Path, told: bool) -> dict[str, object]:
    """What a log says of itself."""
    return {
        HEADER_KEY: VERSION,
        "operator": "generator of the 50 million blackjack hands",
        "ruleset": RULESET,
        "currency": CURRENCY,
        "exponent": EXPONENT,
        "records": [*PLAY, *(SETTLEMENT if told else []), *NEVER_HAPPENED],
        "unordered": SETTLEMENT if told else [],
        "missing_columns": ["at"],
        "options": OPTIONS,
        "x_source": source.name,
        "x_source_sha256": hashlib.sha256(source.read_bytes()).hexdigest(),
    }


def convert(source: Path, told: Path, sums: Path) -> tuple[Seal, Seal]:
    """Write the two logs of `source`. Raises `SourceError`."""
    schema = verifier.load(RULESET).schema
    first, second = (
        write_jsonl(target, schema, parse_header(header(source, known), schema), rows(source, known))
        for target, known in ((told, True), (sums, False))
    )
    return first, second


def main() -> None:
    if len(sys.argv) != 4:
        sys.exit("usage: convert_kaggle.py SOURCE.csv.gz TOLD.jsonl.zst SUMS.jsonl.zst")
    for seal in convert(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])):
        print(f"{seal.events} events, sha256 {seal.sha256}")


if __name__ == "__main__":
    main()
