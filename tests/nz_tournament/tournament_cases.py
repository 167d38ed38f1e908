"""Logs of a tournament under Division 7, written short, and what a check finds in them.

A log is steps parted by semicolons: an event and its columns in the order of the schema, the actor being the first
one that the event provides for, or the one after `@`. Short forms stand for common events, names in capitals for
scenes, and `play ann:1000:+ bob:500:-` for a whole round: wagers in that order, then the deal from box 1 up, where
each player stands and wins (+), loses (-) or stands off (=). A step with `!` before it is one that is at fault.

A case in `cases.yaml` says what it is about (`rule`, and `shows` what happens), the scene `before` it, the steps, the
rules that each fault cites (in the order of the steps marked `!`), and the rules that it keeps. A rule of division 2
is written `division 2: 8.2`. Options are those of `OPTIONS`, but for what the case says.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from verifier.check.engine import Prepared, Run, prepare
from verifier.check.options import read_settings
from verifier.check.result import Entry
from verifier.log.schema import Beside
from verifier.log.sources import open_stream

RULESET = "nz/tournament-blackjack-1998"
BASE = "nz/blackjack-1998 "
CASES = Path(__file__).with_name("cases.yaml")

OPTIONS: dict[str, object] = {
    "decks": 8,
    "boxes_on_layout": 7,
    "cutting_cards": 1,
    "smallest_chip": 50,
    "burn_first_card": False,
    "minimum_increment": 0,
    "super_sevens_offered": False,
    "layout": "appendix_1",
    "entry_fee": 10000,
    "starting_chips": 50000,
    "chip_issue": "face_value",
    "numbers_limited": False,
    "most_players": 0,
    "increments_required": False,
    "increment": 50,
    "session_by": "by_rounds",
    "session_rounds": 3,
    "session_shoes": 2,
    "discretion": False,
    "advancing": 2,
}

HEADER: dict[str, object] = {
    "gazette-log": 1,
    "operator": "a test",
    "ruleset": RULESET,
    "currency": "NZD",
    "exponent": 2,
    "records": "all",
    "missing_columns": ["at"],
}

SHORT = {
    "w": "wager",
    "calls": "close_bets",
    "d": "deal",
    "says": "announce_total",
    "stands": "stand",
    "rm": "remove_cards",
    "end": "end_round",
    "takes": "collect",
    "back": "give_back",
}

BOXES = {"ann": 1, "bob": 3, "cat": 4, "dan": 6}

_WASHED = "chemmy_shuffle; stack_cards; riffle_shuffle"
_SHUFFLED = f"{_WASHED}; shuffle 416; @employee cut 200; insert_cutting_card 100; load_shoe"
_ENTRANTS = ("ann", "bob", "cat", "dan", "eve")

SCENES: dict[str, str] = {
    "SHUFFLED": _SHUFFLED,
    "LIMITS": "display_limits 1000 50000",
    "SEATED": "; ".join(f"allot_box {name} {box}" for name, box in BOXES.items()),
    "ISSUED": "; ".join(f"issue {name} 50000" for name in BOXES),
    "READY": "LIMITS; SEATED; ISSUED; SHUFFLED",
    "STARTED": "READY; start_session ordinary 1; place_marker 1",
    "BETS": "; ".join(f"w {name} {box} initial 1000" for name, box in BOXES.items()),
    "TALLIED": "tally ann 53000; tally bob 47000; tally cat 50000; tally dan 47000",
    "PLAYED": "STARTED; play ann:1000:+ bob:1000:- cat:1000:= dan:1000:-; place_marker 3; "
    "play bob:1000:- cat:1000:= dan:1000:- ann:1000:+; place_marker 4; "
    "play cat:1000:= dan:1000:- ann:1000:+ bob:1000:-",
    "ENDED": "PLAYED; end_session",
    "DETERMINED": "determine form; determine fee; determine chips_held; determine chip_issue_terms; "
    "determine limits; determine duration; determine prizes_offered; list_prize 1 30000; list_prize 2 12000; "
    "list_prize 3 6000; list_prize 4 2000",
    "ENTERED": "DETERMINED; "
    + "; ".join(f"apply_for_entry {e}; notify {e}; accept {e}; receive_fee {e} 10000" for e in _ENTRANTS),
    "BEGUN": "ENTERED; begin_play",
}
"""The fees come to 50,000, and so do the prizes."""

CARDS = {"+": "9", "-": "7", "=": "8"}
SUITS = {1: "s", 3: "h", 4: "d", 6: "c"}


@dataclass(frozen=True, slots=True)
class Step:
    """One row without its place; `fault` marks one that is at fault."""

    actor: str
    event: str
    columns: tuple[str, ...]
    fault: bool = False


@dataclass(frozen=True)
class Case:
    """One log and what is expected of it."""

    rule: str
    shows: str
    log: str
    before: str = ""
    faults: tuple[tuple[str, frozenset[str]], ...] = ()
    kept: tuple[str, ...] = ()
    options: Mapping[str, object] = field(default_factory=dict)
    short: Mapping[str, object] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.rule}: {self.shows}"


@cache
def ready() -> Prepared:
    return prepare(RULESET)


@cache
def cases() -> tuple[Case, ...]:
    """The cases of `cases.yaml`."""
    return tuple(_case(entry) for entry in yaml.safe_load(CASES.read_text("utf-8")))


def _case(entry: dict[str, Any]) -> Case:
    known = {"rule", "shows", "before", "log", "faults", "kept", "options", "short"}
    assert entry.keys() <= known, entry.keys() - known
    return Case(
        str(entry["rule"]),
        entry["shows"],
        entry["log"],
        entry.get("before", ""),
        tuple(_fault(fault) for fault in entry.get("faults", ())),
        tuple(_full(rule) for rule in entry.get("kept", ())),
        entry.get("options", {}),
        entry.get("short", {}),
    )


def _fault(text: str) -> tuple[str, frozenset[str]]:
    """`5.2 [own], division 2: 8.3`, or with another verdict than broken, `disputed 3.5 [then], 3.6`."""
    verdict = next((v for v in ("disputed", "undecided", "impossible") if text.startswith(v)), "")
    rules = [rule.strip() for rule in text.removeprefix(verdict).split(",") if rule.strip()]
    return verdict or "broken", frozenset(_full(rule) for rule in rules)


def _full(rule: str) -> str:
    return str(rule).replace("division 2: ", BASE)


# -------------------------------------------------------------------------------------------------- logs
def steps(script: str) -> Iterator[Step]:
    """The steps of a script, scenes and whole rounds written out."""
    for part in filter(None, (piece.strip() for piece in script.split(";"))):
        fault = part.startswith("!")
        words = part.removeprefix("!").split()
        if words[0] in SCENES:
            yield from steps(SCENES[words[0]])
        elif words[0] == "play":
            yield from steps(round_of(words[1:]))
        else:
            actor = words.pop(0)[1:] if words[0].startswith("@") else None
            event = SHORT.get(words[0], words[0])
            by = ready().ruleset.events[event].by
            yield Step(actor or (by[0] if by else "dealer"), event, tuple(words[1:]), fault)


def round_of(bets: list[str]) -> str:
    """A whole round in which the dealer ends on 18."""
    laid = [(name, BOXES[name], int(stake), end) for name, stake, end in (bet.split(":") for bet in bets)]
    made = [f"w {name} {box} initial {stake}" for name, box, stake, _ in laid] + ["calls"]
    hands = sorted((box, name, stake, end) for name, box, stake, end in laid)
    made += [f"d B{box}H1 T{SUITS[box]}" for box, *_ in hands] + ["d dealer 6d"]
    made += [f"d B{box}H1 {CARDS[end]}{SUITS[box]}" for box, _, _, end in hands]
    for box, name, _, end in hands:
        made += [f"says B{box}H1 {10 + int(CARDS[end])}", f"stands {name} B{box}H1"]
    made += ["d dealer Tc", "d dealer 2c", "says dealer 18"]
    for box, name, stake, end in hands:
        settled = {"+": "pay", "-": "takes", "=": "back"}[end]
        made += [f"{settled} {name} B{box}H1 initial" + (f" {stake}" if end == "+" else ""), f"rm B{box}H1"]
    return "; ".join([*made, "rm dealer", "end"])


def rows(log: list[Step], number: int = 1) -> Iterator[tuple[Step, dict[str, object]]]:
    """The steps with their lines of JSON Lines, each with the keys of the log in which it stands."""
    schema = ready().binding.schema
    keys: dict[str, object] = {
        "tournament": f"C{number}", "table": f"T{number}", "session": 1, "shoe": 1, "round": 1
    }  # fmt: skip
    seqs: dict[str, int] = {}
    after = {"close_session": "session", "shuffle": "shoe", "end_round": "round"}
    for step in log:
        shape = schema.events[step.event]
        carried = schema.carries(step.event)
        own = shape.life or "table"
        seqs[own] = seqs.get(own, 0) + 1
        found = {name: key for name, key in keys.items() if name in carried}
        found |= {"seq": seqs[own], "actor": step.actor, "event": step.event}
        for name, text in zip(shape.parameters, step.columns, strict=True):
            found[name] = _value(schema.columns[name].kind, text)
        yield step, found
        if step.event in after:
            life = after[step.event]
            last = keys[life]
            assert isinstance(last, int)
            keys[life] = last + 1


def _value(kind: str, text: str) -> object:
    match kind:
        case "integer" | "money":
            return int(text)
        case "boolean":
            return text == "yes"
        case _:
            return text


def as_jsonl(header: Mapping[str, object], lines: list[dict[str, object]]) -> bytes:
    """A whole log, with its trailer."""
    data = b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in (header, *lines))
    seal = {"gazette-log-end": {"events": len(lines), "sha256": hashlib.sha256(data).hexdigest()}}
    return data + json.dumps(seal).encode() + b"\n"


@dataclass(frozen=True, slots=True)
class Shown:
    """What the check finds in a case's log: entries, and how often each rule was judged."""

    entries: tuple[Entry, ...]
    kept: frozenset[str]
    unclear: frozenset[str]
    wanted: tuple[tuple[object, object], ...]
    """The keys and `seq` of the rows marked as faults."""

    @property
    def told(self) -> str:
        """The entries as text, for messages."""
        lines: list[str] = [""]
        for entry in self.entries:
            event = "" if entry.event is None else entry.event.line
            verdict, rules = cited(entry)
            lines.append(f"seq {entry.seq} {event}: {verdict} {', '.join(sorted(rules))} {entry.lead.note}")
            lines += [f"      {v.name} = {v.text}" for f in entry.findings for v in f.rests_on]
        return "\n".join(lines)


@cache
def shown() -> Mapping[str, Shown]:
    """By the name of the case: those with the same options are checked as one log, at a table for each."""
    groups: dict[str, list[tuple[int, Case]]] = {}
    for number, case in enumerate(cases(), 1):
        groups.setdefault(json.dumps(OPTIONS | case.options, sort_keys=True), []).append((number, case))
    found: dict[str, Shown] = {}
    for options, group in groups.items():
        lines: list[dict[str, object]] = []
        wanted: dict[int, list[tuple[object, object]]] = {}
        for number, case in group:
            for step, line in rows(list(steps(f"{case.before}; {case.log}")), number):
                lines.append(line)
                if step.fault:
                    wanted.setdefault(number, []).append(
                        (line.get("table") or line["tournament"], line["seq"])
                    )
        header = {**HEADER, "options": json.loads(options)}
        stream = open_stream("cases.jsonl", io.BytesIO(as_jsonl(header, lines)), ready().binding.schema)
        run = Run(ready(), read_settings(ready().ruleset, ()), False, 10_000, None)
        run.file(stream, None)
        for number, case in group:
            judges = [s.judge for key, s in run.streams.items() if _of(key) in (f"T{number}", f"C{number}")]
            tallies = [(rule, tally) for judge in judges for rule, tally in judge.tallies.items()]
            found[case.name] = Shown(
                tuple(e for e in run.entries if _place(e) in (f"T{number}", f"C{number}")),
                frozenset(rule for rule, tally in tallies if tally.kept)
                - frozenset(rule for rule, tally in tallies if tally.broken or tally.disputed),
                frozenset(rule for rule, tally in tallies if tally.not_checkable),
                tuple(wanted.get(number, ())),
            )
    return found


def _of(key: object) -> object:
    return key.key if isinstance(key, Beside) else key


def _place(entry: Entry) -> object:
    return entry.table or dict(entry.lives).get("tournament")


def place_of(entry: Entry) -> tuple[object, object]:
    """Where an entry stands: the table, or the tournament, and the row."""
    return _place(entry), entry.seq


def cited(entry: Entry) -> tuple[str, frozenset[str]]:
    """What an entry is led by: its verdict, and the rules that all findings of that verdict cite."""
    rules = {c.rule for f in entry.findings if f.verdict == entry.lead.verdict for c in f.citations}
    return entry.lead.verdict, frozenset(rules)
