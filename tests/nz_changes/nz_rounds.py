"""Legal rounds under the New Zealand rules of 1998, and the rows that they are in a log.

A round is written as steps parted by semicolons: an event and its columns in the order of the schema, the actor
being the first one that the event provides for, or the one after `@`. Short forms stand for common events.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import count

from verifier.check.engine import Prepared, prepare
from verifier.log.header import Header, parse_header
from verifier.log.rows import Row, RowReader

RULESET = "nz/blackjack-1998"

OPTIONS: dict[str, object] = {
    "decks": 8,
    "boxes_on_layout": 7,
    "cutting_cards": 1,
    "smallest_chip": 50,
    "burn_first_card": True,
    "minimum_increment": 0,
    "players_per_box": 3,
    "box_maximum_set": False,
    "player_maximum_set": False,
    "boxes_per_player": 7,
    "table_minimum": 100,
    "super_sevens_offered": True,
    "super_sevens_stake": 500,
    "layout": "appendix_2",
    "table_maximum": 0,
    "permitted_maximum": 0,
}

HEADER: dict[str, object] = {
    "gazette-log": 1,
    "operator": "a test",
    "ruleset": RULESET,
    "currency": "NZD",
    "exponent": 2,
    "records": "all",
    "missing_columns": ["at"],
    "options": OPTIONS,
}

SHORT = {
    "w": "wager",
    "calls": "close_bets",
    "d": "deal",
    "says": "announce_total",
    "hits": "draw",
    "stands": "stand",
    "rm": "remove_cards",
    "end": "end_round",
    "takes": "collect",
    "back": "give_back",
}

OPENING = (
    "open_table; receive_decks 8; inspect_cards; supervisor_inspects; spread_cards; sit ann 3; sit bob 5; "
    "turn_cards; chemmy_shuffle; stack_cards; riffle_shuffle; shuffle 416; offer_cut 3; decline_cut 3; "
    "offer_cut 5; cut 100; insert_cutting_card 104; load_shoe; burn"
)
PLAIN = (
    "w ann 3 initial 1000; calls; d B3H1 Ts; d dealer 6d; d B3H1 9s; says B3H1 19; stands ann B3H1; "
    "d dealer Tc; d dealer 2c; says dealer 18; pay ann B3H1 initial 1000; rm B3H1; rm dealer; end"
)

ROUNDS: dict[str, tuple[str, ...]] = {
    "plain": (
        "w ann 1 initial 1000; w bob 2 initial 500; calls; d B1H1 Ts; d B2H1 9h; d dealer 6d; d B1H1 9s; "
        "d B2H1 2h; says B1H1 19; stands ann B1H1; says B2H1 11; hits bob B2H1; d B2H1 Kd; says B2H1 21; "
        "d dealer Tc; d dealer 2c; says dealer 18; pay ann B1H1 initial 1000; pay bob B2H1 initial 500; "
        "rm B1H1; rm B2H1; rm dealer; end",
    ),
    "over 21": (
        "w ann 1 initial 1000; w bob 2 initial 500; calls; d B1H1 Ts; d B2H1 9h; d dealer 6d; d B1H1 5s; "
        "d B2H1 Th; says B1H1 15; hits ann B1H1; d B1H1 Kd; says B1H1 25; takes ann B1H1 initial; rm B1H1; "
        "says B2H1 19; stands bob B2H1; d dealer Tc; d dealer 2c; says dealer 18; pay bob B2H1 initial 500; "
        "rm B2H1; rm dealer; end",
    ),
    "blackjack paid at once": (
        "w ann 1 initial 1000; w bob 2 initial 500; calls; d B1H1 As; d B2H1 9h; d dealer 6d; d B1H1 Ks; "
        "d B2H1 Th; pay ann B1H1 initial 1500; rm B1H1; says B2H1 19; stands bob B2H1; d dealer Tc; "
        "d dealer 2c; says dealer 18; pay bob B2H1 initial 500; rm B2H1; rm dealer; end",
    ),
    "blackjack against a ten": (
        "w ann 1 initial 1000; calls; d B1H1 As; d dealer Td; d B1H1 Ks; d dealer 5c; says dealer 15; "
        "pay ann B1H1 initial 1500; rm B1H1; rm dealer; end",
    ),
    "insurance lost": (
        "w ann 1 initial 1000; calls; d B1H1 Ts; d dealer Ad; d B1H1 9s; announce_insurance; "
        "insure ann 1 500; says B1H1 19; stands ann B1H1; d dealer 6c; takes ann B1H1 insurance; "
        "says dealer 17; pay ann B1H1 initial 1000; rm B1H1; rm dealer; end",
    ),
    "insurance won": (
        "w ann 1 initial 1000; calls; d B1H1 Ts; d dealer Ad; d B1H1 9s; announce_insurance; "
        "insure ann 1 500; says B1H1 19; stands ann B1H1; d dealer Kc; pay ann B1H1 insurance 1000; "
        "says dealer 21; takes ann B1H1 initial; rm B1H1; rm dealer; end",
    ),
    "early payment": (
        "w ann 1 initial 1000; w bob 2 initial 1000; calls; d B1H1 As; d B2H1 9h; d dealer Ad; d B1H1 Ks; "
        "d B2H1 9s; announce_insurance; insure ann 1 500; ask_payment ann 1; pay ann B1H1 initial 1000; "
        "rm B1H1; back ann B1H1 insurance; withdraw ann B1H1 initial; says B2H1 18; stands bob B2H1; "
        "d dealer Kc; says dealer 21; takes bob B2H1 initial; rm B2H1; rm dealer; end",
    ),
    "early payment of one of two": (
        "sit ann 1; sit bob 2; w ann 1 initial 1000; w cat 1 initial 1000; calls; d B1H1 As; d dealer Ad; "
        "d B1H1 Ks; announce_insurance; ask_payment cat 1; pay cat B1H1 initial 1000; d dealer 8c; "
        "says dealer 19; pay ann B1H1 initial 1500; rm B1H1; rm dealer; end",
    ),
    "double": (
        "w ann 1 initial 1000; calls; d B1H1 5s; d dealer 6d; d B1H1 6s; says B1H1 11; double ann B1H1 1000; "
        "d B1H1 9c; says B1H1 20; d dealer Tc; d dealer 2c; says dealer 18; pay ann B1H1 initial 1000; "
        "pay ann B1H1 double 1000; rm B1H1; rm dealer; end",
    ),
    "double against a blackjack": (
        "w ann 1 initial 1000; calls; d B1H1 5s; d dealer Td; d B1H1 6s; says B1H1 11; double ann B1H1 1000; "
        "d B1H1 9c; says B1H1 20; d dealer Ac; says dealer 21; takes ann B1H1 initial; "
        "back ann B1H1 double; rm B1H1; rm dealer; end",
    ),
    "split, split again and doubled": (
        "w ann 1 initial 1000; calls; d B1H1 8s; d dealer 6d; d B1H1 8d; says B1H1 16; split ann B1H1 1000; "
        "d B1H1 8c; says B1H1 16; split ann B1H1 1000; d B1H1 Tc; says B1H1 18; stands ann B1H1; "
        "d B1H3 3c; says B1H3 11; double ann B1H3 1000; d B1H3 7c; says B1H3 18; d B1H2 Tc; says B1H2 18; "
        "stands ann B1H2; d dealer Tc; d dealer 2c; says dealer 18; back ann B1H1 initial; "
        "back ann B1H2 split; back ann B1H3 split; back ann B1H3 double; rm B1H1; rm B1H2; rm B1H3; "
        "rm dealer; end",
    ),
    "split aces": (
        "w ann 1 initial 1000; calls; d B1H1 As; d dealer 6d; d B1H1 Ad; says B1H1 12; split ann B1H1 1000; "
        "d B1H1 Kc; says B1H1 21; d B1H2 5c; says B1H2 16; d dealer Tc; d dealer 2c; says dealer 18; "
        "pay ann B1H1 initial 1000; takes ann B1H2 split; rm B1H1; rm B1H2; rm dealer; end",
    ),
    "split against a blackjack": (
        "w ann 1 initial 1000; calls; d B1H1 8s; d dealer Td; d B1H1 8d; says B1H1 16; split ann B1H1 1000; "
        "d B1H1 Kc; says B1H1 18; stands ann B1H1; d B1H2 Tc; says B1H2 18; stands ann B1H2; d dealer Ac; "
        "says dealer 21; takes ann B1H1 initial; back ann B1H2 split; rm B1H1; rm B1H2; rm dealer; end",
    ),
    "Super Sevens at 3 to 1 and lost": (
        "w ann 1 initial 1000; w ann 1 super_sevens 500; w bob 2 initial 500; w bob 2 super_sevens 500; "
        "calls; d B1H1 8s; d B2H1 7h; d dealer 6d; d B1H1 Td; d B2H1 Tc; takes ann B1H1 super_sevens; "
        "pay bob B2H1 super_sevens 1500; withdraw bob B2H1 super_sevens; says B1H1 18; stands ann B1H1; "
        "says B2H1 17; stands bob B2H1; d dealer Tc; d dealer 2c; says dealer 18; back ann B1H1 initial; "
        "takes bob B2H1 initial; rm B1H1; rm B2H1; rm dealer; end",
    ),
    "three sevens": (
        "w ann 1 initial 1000; w ann 1 super_sevens 500; calls; d B1H1 7s; d dealer 6d; d B1H1 7d; "
        "says B1H1 14; hits ann B1H1; d B1H1 7c; says B1H1 21; pay ann B1H1 super_sevens 250000; "
        "d dealer Tc; d dealer 2c; says dealer 18; pay ann B1H1 initial 1000; rm B1H1; rm dealer; end",
    ),
    "two sevens split": (
        "w ann 1 initial 1000; w ann 1 super_sevens 500; calls; d B1H1 7s; d dealer 6d; d B1H1 7s; "
        "says B1H1 14; split ann B1H1 1000; pay ann B1H1 super_sevens 50000; d B1H1 7c; says B1H1 14; "
        "stands ann B1H1; d B1H2 Tc; says B1H2 17; stands ann B1H2; d dealer Tc; d dealer 2c; "
        "says dealer 18; takes ann B1H1 initial; takes ann B1H2 split; rm B1H1; rm B1H2; rm dealer; end",
    ),
    "two sevens left alone": (
        "w ann 1 initial 1000; w ann 1 super_sevens 500; calls; d B1H1 7s; d dealer 6d; d B1H1 7d; "
        "says B1H1 14; stands ann B1H1; pay ann B1H1 super_sevens 25000; d dealer Tc; d dealer 2c; "
        "says dealer 18; takes ann B1H1 initial; rm B1H1; rm dealer; end",
    ),
    "several players double": (
        "sit ann 1; sit bob 2; w ann 1 initial 1000; w cat 1 initial 500; w dan 1 initial 400; calls; "
        "d B1H1 5s; d dealer 6d; d B1H1 6s; says B1H1 11; double ann B1H1 1000; double cat B1H1 200; "
        "d B1H1 9c; says B1H1 20; d dealer Tc; d dealer 2c; says dealer 18; pay ann B1H1 initial 1000; "
        "pay ann B1H1 double 1000; pay cat B1H1 initial 500; pay cat B1H1 double 200; "
        "pay dan B1H1 initial 400; rm B1H1; rm dealer; end",
    ),
    "several players split": (
        "sit ann 1; sit bob 2; w ann 1 initial 1000; w cat 1 initial 500; w dan 1 initial 400; calls; "
        "d B1H1 8s; d dealer 6d; d B1H1 8d; says B1H1 16; split ann B1H1 1000; cover cat B1H2 500; "
        "designate dan B1H2; d B1H1 Tc; says B1H1 18; stands ann B1H1; d B1H2 3c; says B1H2 11; "
        "hits ann B1H2; d B1H2 9c; says B1H2 20; stands ann B1H2; d dealer Tc; d dealer 2c; "
        "says dealer 18; back ann B1H1 initial; back cat B1H1 initial; pay ann B1H2 split 1000; "
        "pay cat B1H2 split 500; pay dan B1H2 initial 400; rm B1H1; rm B1H2; rm dealer; end",
    ),
    "a card refused": (
        "w ann 1 initial 1000; calls; d B1H1 8s; d dealer 6d; d B1H1 6s; draw_exposed 9c; says B1H1 14; "
        "refuse ann B1H1; d dealer 9c; d dealer 8c; says dealer 23; pay ann B1H1 initial 1000; rm B1H1; "
        "rm dealer; end",
    ),
    "a hand voided": (
        "w ann 1 initial 1000; w bob 2 initial 500; calls; d B1H1 8s; d B2H1 Tc; d dealer Ad; d B1H1 6s; "
        "d B2H1 9s; announce_insurance; insure ann 1 500; says B1H1 14; d B1H1 9c; says B1H1 23; void_hand B1H1; "
        "back ann B1H1 initial; back ann B1H1 insurance; rm B1H1; says B2H1 19; stands bob B2H1; "
        "d dealer 7d; says dealer 18; pay bob B2H1 initial 500; rm B2H1; rm dealer; end",
    ),
    "an opening and a shoe": (
        f"{OPENING}; {PLAIN}",
        PLAIN.replace("d dealer Tc;", "cutting_card 0; d dealer Tc;"),
        f"shuffle 416; offer_cut 5; cut 200; insert_cutting_card 10; load_shoe; {PLAIN}",
    ),
}
"""Each is one or several rounds, with what is done before them; a plain one follows when they are judged."""

FAULTS_OF = {"a hand voided": (("dealer deal B1H1 9c", ("8.4 [deal]",)),)}
"""A hand can be voided only where a card was dealt wrongly: rows at fault in a round as it stands, and the rules."""


@dataclass(frozen=True)
class Step:
    """One row without its place: who did what, the columns of the event as text."""

    actor: str
    event: str
    columns: tuple[str, ...]

    @property
    def text(self) -> str:
        return " ".join([self.actor, self.event, *self.columns])


@cache
def ready() -> Prepared:
    return prepare(RULESET)


@cache
def header() -> Header:
    return parse_header(HEADER, ready().binding.schema)


def steps(script: str) -> list[Step]:
    """The steps of a script."""
    found: list[Step] = []
    for part in filter(None, (piece.strip() for piece in script.split(";"))):
        words = part.split()
        actor = words.pop(0)[1:] if words[0].startswith("@") else None
        event = SHORT.get(words[0], words[0])
        by = ready().ruleset.events[event].by
        found.append(Step(actor or (by[0] if by else "dealer"), event, tuple(words[1:])))
    return found


@dataclass(frozen=True)
class Placed:
    """A step with the keys of its lives: table, shoe, round."""

    step: Step
    lives: tuple[object, ...]


def placed(scripts: tuple[str, ...]) -> list[Placed]:
    """The steps of several rounds, each script with the next number; a shuffle belongs to the shoe it ends."""
    found: list[Placed] = []
    shoe = 1
    for number, script in enumerate(scripts, 1):
        for step in steps(script):
            found.append(Placed(step, ("T1", shoe, number)))
            shoe += step.event == "shuffle"
    return found


def fields(step: Placed, seq: int) -> dict[str, object]:
    """The step as a line of JSON Lines."""
    schema = ready().binding.schema
    names = schema.events[step.step.event].parameters
    found: dict[str, object] = {life.name: key for life, key in zip(schema.lives, step.lives, strict=True)}
    found |= {"seq": seq, "actor": step.step.actor, "event": step.step.event}
    for name, text in zip(names, step.step.columns, strict=True):
        found[name] = _value(schema.columns[name].kind, text)
    return found


def _value(kind: str, text: str) -> object:
    match kind:
        case "integer" | "money":
            return int(text)
        case "boolean":
            return text == "yes"
        case _:
            return text


@cache
def _reader() -> tuple[RowReader, Iterator[int]]:
    """A reader of the one table there is, and the numbers of the rows that it is given."""
    return RowReader("rounds", ready().binding.schema, header()), count(1)


@cache
def _read(step: Step, lives: tuple[object, ...]) -> Row:
    reader, numbers = _reader()
    number = next(numbers)
    row = reader.read(fields(Placed(step, lives), number), number)
    assert isinstance(row, Row)
    return row


def rows(log: list[Placed]) -> Iterator[Row]:
    """The steps as rows that a reader would give."""
    for number, step in enumerate(log, 1):
        yield replace(_read(step.step, step.lives), seq=number, line=number)
