"""Converts what the blackjack engine baramundi666/Blackjack wrote into a log to check, and invents nothing.

    python examples/convert_baramundi.py examples/data/baramundi_8d_3p_2000.jsonl.gz examples/baramundi.jsonl.gz

The source has one JSON object a round. Whatever it holds that this program does not know is an error: a field, an
action, a phase, a place for a card, an amount that is no whole number of cents. `examples/README.md` says what
becomes of each field, and what the source does not tell.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

import verifier
from verifier.log.header import HEADER_KEY, VERSION, parse_header
from verifier.log.manifest import Seal
from verifier.log.write import write_jsonl

RULESET = "nz/blackjack-1998"

ENGINE, ENGINE_VERSION, SEED = "baramundi666/Blackjack", "07a8e13", 66009
DECKS, SEATS = 8, 3

# The engine's own rules, as each round states them. Another configuration would need another header.
CONFIG = {
    "decks": DECKS,
    "players": SEATS,
    "hole_card": False,
    "soft17": "stand",
    "max_hands": 4,
    "all_bets_lost_to_dealer_blackjack": True,
    "surrender": False,
    "interleaved_turns": True,
}

# A stake of 1.0 is a hundred minor units: with two decimals it is shown as 1.00, a blackjack's 1.5 is a whole number,
# and no other amount is scaled, rounded or renamed. XXX is ISO 4217's code for "no currency involved".
CURRENCY, EXPONENT = "XXX", 2

OPTIONS = {"decks": DECKS}

# Rows that the source gives, or that its form implies (a wager, the end of a round).
WRITTEN = ["wager", "deal", "draw", "stand", "double", "split", "pay", "collect", "give_back", "end_round"]
# No such thing is in the source, and it could not have happened without a trace in it: an act of a player is a row,
# chips are accounted for to the last, each card that leaves the shoe in a round is a row that says where it went.
NEVER_HAPPENED = [
    *["withdraw", "alter", "insure", "ask_payment", "cover", "designate", "refuse", "absent_player"],
    *["find_face_up", "draw_face_down", "draw_exposed", "set_aside", "discard", "move_card", "take_back"],
    *["reconstruct", "void_hand", "void_round"],
]
# Results stand at the end of a round, hand by hand: when each was paid or collected is not told.
UNORDERED = ["pay", "collect", "give_back"]

SUITS = {"C": "c", "D": "d", "H": "h", "S": "s"}
RANKS = {"A": "A", "10": "T", "J": "J", "Q": "Q", "K": "K", **{str(pips): str(pips) for pips in range(2, 10)}}
PHASES = {"initial", "hit", "double", "split", "dealer"}

Row = dict[str, object]
T = TypeVar("T")


class SourceError(ValueError):
    """The source holds what this converter does not know, or contradicts itself."""


def demand(holds: bool, where: str, what: str) -> None:
    """Raise `SourceError` unless it holds."""
    if not holds:
        raise SourceError(f"{where}: {what}")


def known(value: object, table: Mapping[str, T], where: str) -> T:
    """What `table` makes of a word; raises `SourceError` for any other."""
    if not isinstance(value, str) or value not in table:
        raise SourceError(f"{where}: {value!r}, expected one of {', '.join(table)}")
    return table[value]


def fields(value: object, names: Iterable[str], where: str) -> dict[str, Any]:
    """An object with exactly these fields."""
    wanted = set(names)
    if not isinstance(value, dict):
        raise SourceError(f"{where}: {value!r}, expected an object")
    odd = sorted(set(value) ^ wanted)
    demand(not odd, where, f"{', '.join(odd)}: fields missing, or unknown here")
    return value


def minor(amount: object, where: str) -> int:
    """An amount in minor units. JSON's numbers arrive as whole numbers and decimals, so that all is exact."""
    if isinstance(amount, bool) or not isinstance(amount, int | Decimal):
        raise SourceError(f"{where}: {amount!r}, expected a number")
    scaled = Decimal(amount) * 10**EXPONENT
    demand(scaled == scaled.to_integral_value(), where, f"{amount} is no whole number of minor units")
    return int(scaled)


def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object's fields; raises `SourceError` for equal names."""
    found = dict(pairs)
    demand(len(found) == len(pairs), "an object", "has a field twice")
    return found


@dataclass(slots=True)
class Hand:
    """A hand as the events make it. `staked`: minor units by kind of wager, in the order laid."""

    cards: list[str]
    staked: dict[str, int]


@dataclass(slots=True)
class Round:
    """One round of the source on its way to rows."""

    record: dict[str, Any]
    where: str
    rows: list[Row] = field(default_factory=list)
    hands: dict[str, Hand] = field(default_factory=dict)
    dealer: list[str] = field(default_factory=list)

    def convert(self) -> list[Row]:
        """All rows of the round, without their keys."""
        for seat in range(1, SEATS + 1):
            hand = self.hands[f"p{seat}h1"] = Hand([], {"initial": self.initial_stake(seat)})
            amount = hand.staked["initial"]
            self.add("player", "wager", player=player(seat), box=seat, kind="initial", amount=amount)
        for number, event in enumerate(self.record["events"], 1):
            where = f"{self.where}, event {number}"
            match event.get("t"):
                case "card":
                    self.card(fields(event, ["t", "to", "card", "face", "phase"], where), where)
                case "act":
                    self.act(event, where)
                case other:
                    raise SourceError(f"{where}: t is {other!r}, expected card or act")
        self.settle()
        self.add("dealer", "end_round")
        return self.rows

    def add(self, actor: str, event: str, **values: object) -> None:
        self.rows.append({"actor": actor, "event": event, **values})

    def initial_stake(self, seat: int) -> int:
        """What lay on the first hand before the cards: what lay there at last, less what its acts added."""
        name = f"p{seat}h1"
        last = [hand["stake"] for hand in self.record["hands"] if hand.get("hand") == name]
        demand(len(last) == 1, self.where, f"{name} has {len(last)} results")
        added = (
            event["stake_added"]
            for event in self.record["events"]
            if event.get("action") == "double" and event.get("hand") == name
        )
        return minor(last[0], self.where) - sum(minor(amount, self.where) for amount in added)

    def card(self, event: dict[str, Any], where: str) -> None:
        demand(event["face"] == "up" and event["phase"] in PHASES, where, "a card face up in a known phase")
        rank, suit = event["card"]
        card = known(rank, RANKS, where) + known(suit, SUITS, where)
        name = event["to"]
        if name == "dealer":
            self.dealer.append(card)
            self.add("dealer", "deal", hand="dealer", card=card)
        else:
            self.hand(name, where).cards.append(card)
            self.add("dealer", "deal", hand=place(name), card=card)

    def act(self, event: dict[str, Any], where: str) -> None:
        seat, name, action = event["seat"], event["hand"], event["action"]
        names = ["t", "seat", "hand", "action", "hands_now", "stake_added"]
        fields(event, [*names, "new_hand"] if action == "split" else names, where)
        hand = self.hand(name, where)
        demand(name.startswith(f"p{seat}h"), where, f"seat {seat} acts on {name}")
        count = sum(other.startswith(f"p{seat}h") for other in self.hands)
        demand(
            event["hands_now"] == count, where, f"hands_now is {event['hands_now']}, and there are {count}"
        )
        who = {"player": player(seat), "hand": place(name)}
        added = minor(event["stake_added"], where)
        match action:
            case "hit" | "stand":
                demand(added == 0, where, f"a stake added to a {action}")
                self.add("player", "draw" if action == "hit" else "stand", **who)
            case "double":
                demand("double" not in hand.staked, where, f"{name} is doubled twice")
                hand.staked["double"] = added
                self.add("player", "double", **who, amount=added)
            case "split":
                new = event["new_hand"]
                demand(new == f"p{seat}h{count + 1}", where, f"the new hand is {new}, and there are {count}")
                demand(len(hand.cards) == 2, where, f"{name} is split with {len(hand.cards)} cards")
                self.hands[new] = Hand([hand.cards.pop()], {"split": added})
                self.add("player", "split", **who, amount=added)
            case other:
                raise SourceError(f"{where}: unknown action {other!r}")

    def settle(self) -> None:
        """Rows for what became of each wager, once the results agree with the events and among themselves.

        A hand has one result for all that lies on it, so that each wager on it has that result.
        """
        wanted = ["cards", "engine_points", "engine_result", "from_split", "hand", "last_decision", "net"]
        wanted += ["returned", "seat", "stake", "true_total"]
        total = net = 0
        settled: list[str] = []
        for result in self.record["hands"]:
            name, where = result["hand"], f"{self.where}, result of {result['hand']}"
            fields(result, wanted, where)
            hand = self.hand(name, where)
            settled.append(name)
            self.demand_cards(result["cards"], hand.cards, where)
            stake, returned = minor(result["stake"], where), minor(result["returned"], where)
            demand(stake == sum(hand.staked.values()), where, f"stake {stake}, laid were {hand.staked}")
            demand(minor(result["net"], where) == returned - stake, where, "net is not returned less stake")
            total, net = total + returned, net + returned - stake
            for kind, amount in hand.staked.items():
                wager = {"player": player(result["seat"]), "hand": place(name), "kind": kind}
                self.settle_wager(wager, amount, result["engine_result"], (stake, returned), where)
        demand(sorted(settled) == sorted(self.hands), self.where, "not one result for each hand")
        dealer = fields(self.record["dealer"], ["cards", "engine_points", "true_total"], self.where)
        self.demand_cards(dealer["cards"], self.dealer, f"{self.where}, dealer")
        sums = (minor(self.record["returned_total"], self.where), minor(self.record["net_total"], self.where))
        demand(sums == (total, net), self.where, "the totals are not the sums of the hands")

    def settle_wager(
        self, wager: Mapping[str, object], amount: int, result: str, hand: tuple[int, int], where: str
    ) -> None:
        stake, returned = hand
        match result:
            case "WIN" | "BLACKJACK":
                demand(returned > stake, where, f"{result}, and {returned} returned of {stake}")
                won, rest = divmod((returned - stake) * amount, stake)
                demand(rest == 0, where, "what was won falls on no whole share for each wager")
                self.add("dealer", "pay", **wager, amount=won)
            case "PUSH":
                demand(returned == stake, where, f"{result}, and {returned} returned of {stake}")
                self.add("dealer", "give_back", **wager)
            case "LOSE":
                demand(returned == 0, where, f"{result}, and {returned} returned of {stake}")
                self.add("dealer", "collect", **wager)
            case _:
                raise SourceError(f"{where}: unknown result {result!r}")

    def hand(self, name: str, where: str) -> Hand:
        return known(name, self.hands, where)

    def demand_cards(self, found: list[list[str]], dealt: list[str], where: str) -> None:
        cards = [known(rank, RANKS, where) + known(suit, SUITS, where) for rank, suit in found]
        demand(cards == dealt, where, f"cards {cards}, dealt were {dealt}")


def player(seat: int) -> str:
    """The player at a seat: the source knows nobody by name."""
    return f"seat-{seat}"


def place(name: str) -> str:
    """`p2h3` is the third hand on box 2, `B2H3`."""
    return f"B{name[1]}H{name[3]}"


def rows(source: Path) -> Iterator[Row]:
    """All rows of the log. Raises `SourceError`."""
    wanted = [
        "engine",
        "version",
        "config",
        "seed",
        "round",
        "first_round_of_shoe",
        "events",
        "hands",
        "dealer",
    ]
    wanted += ["returned_total", "net_total"]
    seq = shoe = 0
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            where = f"line {number}"
            record = json.loads(line, parse_float=Decimal, object_pairs_hook=distinct)
            fields(record, wanted, where)
            made = (record["engine"], record["version"], record["seed"], record["config"])
            demand(
                made == (ENGINE, ENGINE_VERSION, SEED, CONFIG),
                where,
                "not the engine, seed and configuration",
            )
            demand(record["round"] == number, where, f"round {record['round']}, expected {number}")
            first = record["first_round_of_shoe"]
            demand(isinstance(first, bool) and (first or shoe > 0), where, "first_round_of_shoe")
            shoe += first
            for row in Round(record, where).convert():
                seq += 1
                yield {"table": f"seed-{SEED}", "shoe": shoe, "round": number, "seq": seq, **row}


def header(source: Path) -> dict[str, object]:
    """What the log says of itself."""
    return {
        HEADER_KEY: VERSION,
        "operator": f"{ENGINE} {ENGINE_VERSION}",
        "ruleset": RULESET,
        "currency": CURRENCY,
        "exponent": EXPONENT,
        "records": [*WRITTEN, *NEVER_HAPPENED],
        "unordered": UNORDERED,
        "missing_columns": ["at"],
        "options": OPTIONS,
        "x_source": source.name,
        "x_source_sha256": hashlib.sha256(source.read_bytes()).hexdigest(),
    }


def convert(source: Path, target: Path) -> Seal:
    """Write the log of `source` to `target`. Raises `SourceError`."""
    schema = verifier.load(RULESET).schema
    return write_jsonl(target, schema, parse_header(header(source), schema), rows(source))


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit("usage: convert_baramundi.py SOURCE.jsonl.gz LOG.jsonl.gz")
    seal = convert(Path(sys.argv[1]), Path(sys.argv[2]))
    print(f"{seal.events} events, sha256 {seal.sha256}")


if __name__ == "__main__":
    main()
