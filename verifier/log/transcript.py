"""Transcripts: a log as people write it by hand, in YAML, with what is the same for all rows left out."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from verifier.errors import LogError
from verifier.log.assemble import Opened, Raw, Tally, assemble
from verifier.log.faults import Fault, Mark, RefusedError, log_error, nearest, shown
from verifier.log.header import HEADER_KEY, VERSION, Header, parse_header
from verifier.log.jsontext import parse_object
from verifier.log.limits import LIMITS, Limits
from verifier.log.schema import CORRECTION, EXTRA_PREFIX, RESERVED, Column, LogSchema
from verifier.log.streams import decode_utf8, read_all
from verifier.log.values import untext
from verifier.log.yamltext import Listed, Mapped, entries, parse_document

KEYS = ("lives", "events", "rounds", "about", "expect")
"""Keys of a transcript beside the header's."""

DEFAULTS: Mapping[str, object] = {
    HEADER_KEY: VERSION,
    "operator": "a transcript",
    "currency": "XTS",
    "exponent": 2,
    "records": "all",
}
"""Header keys that a transcript may leave out; XTS is the code that ISO 4217 keeps for testing."""

_CORRECTION_KEYS = ("corrects", "corrected_event", "corrected_actor")
_WORD = r"([A-Za-z][A-Za-z0-9_]*)"
_TOKEN = re.compile(rf'\s*(?:{_WORD}=("(?:[^"\\]|\\.)*+"|[^\s"]+)|{_WORD})(?=\s|$)')


@dataclass(frozen=True, slots=True)
class Transcript:
    """What a transcript says beside its log (None if absent): its `about`, and its `expect` as the YAML has it.

    Mappings are `Mapped` and lists `Listed`, which know their lines. `lines` are those of the file.
    """

    about: str | None
    expect: Mapped | None
    lines: tuple[str, ...] = ()

    def refusal(self, name: str, problem: RefusedError) -> LogError:
        """What is wrong with what the transcript called `name` says, with the lines at fault."""
        return _refusal(name, self.lines, problem)


def open_transcript(
    name: str,
    stream: io.BufferedReader,
    schema: LogSchema,
    *,
    any_ruleset: bool = False,
    limits: Limits = LIMITS,
) -> tuple[Opened, Transcript]:
    """Reads the whole transcript but checks its rows only as they are asked for. Raises `LogError`."""
    data = read_all(name, stream, limits.transcript, "a transcript")
    text = decode_utf8(name, data, 1, first=True)
    lines = text.split("\n")
    try:
        document = parse_document(text, limits)
        if document is None:
            raise RefusedError(Fault("log-empty", None, "an empty document", "a transcript: ruleset, events"))
        if not isinstance(document, Mapped):
            raise RefusedError(
                Fault("log-syntax", None, shown(document), "a mapping with ruleset and events")
            )
        beside = _beside(document, lines)
        try:
            records = list(_Scribe(schema, document).records())
        except RefusedError:
            _own(document, schema, any_ruleset)
            raise
        header = _header(document, schema, records, any_ruleset)
    except RefusedError as problem:
        raise _refusal(name, lines, problem) from None
    tally = Tally(digest=hashlib.sha256(data).hexdigest())
    raw = _raw(records, lines, tally)
    opened = Opened(header, assemble(name, raw, schema, header, tally, limits, _locate_field), tally)
    return opened, beside


def _own(document: Mapped, schema: LogSchema, any_ruleset: bool) -> None:
    """Refuses a transcript of another ruleset: what is wrong with its events by this one is no news."""
    try:
        _header(document, schema, [], any_ruleset)
    except RefusedError as problem:
        other = [fault for fault in problem.faults if fault.code == "log-ruleset"]
        if other:
            raise RefusedError(*other) from None


def _beside(document: Mapped, lines: Sequence[str]) -> Transcript:
    """What stands beside the log: words on what it is about, and what a check is expected to find."""
    about, expect = document.get("about"), document.get("expect")
    for key, value, kind, wanted in (
        ("about", about, str, "text"),
        ("expect", expect, Mapped, "a mapping with faults, kept"),
    ):
        if value is not None and not isinstance(value, kind):
            raise RefusedError(Fault("log-expect", key, shown(value), wanted, line=document.lines[key]))
    return Transcript(about, expect, tuple(lines))


def _raw(records: list[_Record], lines: list[str], tally: Tally) -> Iterator[Raw]:
    for record in records:
        tally.events += 1
        yield record.line, record.fields, (record, lines)


def _header(document: Mapped, schema: LogSchema, records: list[_Record], any_ruleset: bool) -> Header:
    fields = {**DEFAULTS, **{key: value for key, value in document.items() if key not in KEYS}}
    missing = fields.get("missing_columns") or []
    if (
        isinstance(missing, list)
        and "at" not in missing
        and not any("at" in record.fields for record in records)
    ):
        fields["missing_columns"] = [*missing, "at"]
    try:
        return parse_header(fields, schema, any_ruleset=any_ruleset, others=KEYS)
    except RefusedError as problem:
        keys = ((fault.field or "").split(".")[0] for fault in problem.faults)
        raise RefusedError(
            *(
                Fault(f.code, f.field, f.found, f.expected, f.help, f.at, document.lines.get(key))
                for f, key in zip(problem.faults, keys, strict=True)
            )
        ) from None


@dataclass(frozen=True, slots=True)
class _Record:
    """An event's line, its full fields, and the lines of those that stand elsewhere."""

    line: int
    fields: dict[str, object]
    lines: Mapping[str, int]


class _Scribe:
    """Writes a transcript's entries out as full rows: life keys and seq filled in."""

    def __init__(self, schema: LogSchema, document: Mapped) -> None:
        self.schema = schema
        self.document = document
        self.lives = {life.name: life for life in schema.lives}
        self.beside = frozenset((*self.lives, "seq", "at", "actor"))
        self.current: dict[str, object] = {}
        self.seqs: dict[object, int] = {}
        missing = document.get("missing_columns")
        for life in schema.lives:
            if not (isinstance(missing, list) and life.name in missing):
                self.current[life.name] = max(1, life.low) if life.kind == "integer" else "1"

    def records(self) -> Iterator[_Record]:
        """Rows with their lines. Raises `RefusedError`, each fault with its line."""
        document = self.document
        if "lives" in document:
            self.set_lives(document["lives"], document.lines["lives"])
        if ("events" in document) == ("rounds" in document):
            found = "both events and rounds" if "events" in document else "neither events nor rounds"
            raise RefusedError(
                Fault("log-missing-field", "events", found, "events, or rounds of events", None, None, 1)
            )
        if "events" in document:
            yield from self.events(document["events"], document.lines["events"])
            return
        if not isinstance(document["rounds"], Listed):
            wanted = "a list of rounds, each a list of events"
            raise _refused("rounds", document["rounds"], wanted, document.lines["rounds"])
        for index, (line, entry) in enumerate(entries(document["rounds"])):
            if index:
                self.next_round(line)
            if isinstance(entry, Mapped):
                for key in entry:
                    if key not in ("lives", "events"):
                        raise _refused(key, entry[key], "lives and events in a round", entry.lines[key])
                if "lives" in entry:
                    self.set_lives(entry["lives"], entry.lines["lives"])
                yield from self.events(entry.get("events"), entry.lines.get("events", line))
            else:
                yield from self.events(entry, line)

    def next_round(self, line: int) -> None:
        life = self.schema.round
        if life is None or life.name not in self.current:
            wanted = "events: a log without rounds cannot number them"
            raise RefusedError(Fault("log-syntax", "rounds", "another round", wanted, None, None, line))
        value = self.current[life.name]
        number = untext("integer", value) if isinstance(value, str) else value
        if type(number) is not int:
            wanted = f"a number to count on from, or lives: {{{life.name}: …}} in each round"
            raise _refused(life.name, value, wanted, line)
        self.current[life.name] = str(number + 1) if isinstance(value, str) else number + 1

    def set_lives(self, value: object, line: int) -> None:
        if not isinstance(value, Mapped):
            raise _refused("lives", value, "a mapping from life to key", line)
        for name in value:
            if name not in self.lives:
                help = nearest(name, self.lives)
                raise RefusedError(
                    Fault(
                        "log-unknown-field", name, shown(value[name]), "a life", help, None, value.lines[name]
                    )
                )
        self.current.update(value)

    def events(self, value: object, line: int) -> Iterator[_Record]:
        if not isinstance(value, Listed):
            raise _refused("events", value, "a list of events", line)
        for at, entry in entries(value):
            if isinstance(entry, Mapped) and list(entry) == ["lives"]:
                self.set_lives(entry["lives"], at)
                continue
            lines: Mapping[str, int] = {}
            if isinstance(entry, str):
                fields = self.short(entry, at)
            elif isinstance(entry, Mapped):
                fields, lines = self.long(entry, at)
            else:
                wanted = "an event: actor event name=value …, or {event: {…}, actor: …}"
                raise _refused(None, entry, wanted, at)
            yield _Record(at, self.numbered({**self.keys(fields), **fields}), lines)

    def keys(self, fields: Mapping[str, object]) -> dict[str, object]:
        """The life keys that hold here, as far as rows of the event carry them."""
        event = fields.get("corrected_event") if fields.get("event") == CORRECTION else fields.get("event")
        if not isinstance(event, str) or event not in self.schema.events:
            return self.current
        carried = self.schema.carries(event)
        return {name: key for name, key in self.current.items() if name in carried}

    def numbered(self, fields: dict[str, object]) -> dict[str, object]:
        """The row with its seq: the one given, else the next at its table, from 1."""
        keys = tuple(fields.get(life.name) for life in self.schema.lives)
        plain = all(isinstance(key, str | int | None) for key in keys)
        key = self.schema.stream(keys) if plain else None
        given = fields.get("seq")
        seq = given if type(given) is int else self.seqs.get(key, 0) + 1
        self.seqs[key] = seq
        return fields if given is not None else {**fields, "seq": seq}

    def long(self, entry: Mapped, line: int) -> tuple[dict[str, object], Mapping[str, int]]:
        """`{board: {passenger: P1, seat: B4}, actor: passenger}`."""
        beside = {
            key: value for key, value in entry.items() if key in self.beside or key.startswith(EXTRA_PREFIX)
        }
        kinds = [key for key in entry if key not in beside]
        if len(kinds) != 1:
            found = f"{len(kinds)} keys that name an event" + (f" ({', '.join(kinds)})" if kinds else "")
            wanted = "one kind of event, and beside it actor, at, seq or lives"
            raise RefusedError(Fault("log-syntax", None, found, wanted, None, None, line))
        event = kinds[0]
        parameters = entry[event]
        if parameters is None:
            parameters = Mapped()
            parameters.lines = {}
        if not isinstance(parameters, Mapped):
            wanted = "a mapping from parameter to value"
            raise _refused(event, parameters, wanted, entry.lines[event])
        for key in parameters:
            if key in self.beside or (
                key in RESERVED and not (event == CORRECTION and key in _CORRECTION_KEYS)
            ):
                wanted = f"{key} beside the event, not among its parameters"
                raise _refused(key, parameters[key], wanted, parameters.lines[key])
        lines = {**entry.lines, "event": entry.lines[event], **parameters.lines}
        return {**beside, "event": event, **parameters}, lines

    def short(self, text: str, line: int) -> dict[str, object]:
        """`passenger board passenger=P1 seat=B4`; a value with spaces stands in double quotes."""
        words: list[str] = []
        fields: dict[str, object] = {}
        place = 0
        while text[place:].strip():
            match = _TOKEN.match(text, place)
            if match is None:
                found = shown(text[place:].strip())
                wanted = "name=value, the value in double quotes if it has spaces"
                raise RefusedError(Fault("log-syntax", None, found, wanted, None, None, line))
            name, value, word = match.groups()
            place = match.end()
            if word is not None:
                if len(words) == 2 or fields:
                    wanted = "actor and event, then name=value"
                    raise RefusedError(Fault("log-syntax", None, shown(word), wanted, None, None, line))
                words.append(word)
                continue
            if name in fields or name in ("actor", "event"):
                raise RefusedError(
                    Fault("log-duplicate-key", name, "it twice", "each name once", None, None, line)
                )
            fields[name] = untext(self.kind(name), _unquoted(value, name, line))
        if len(words) < 2:
            raise RefusedError(
                Fault("log-syntax", None, shown(text), "actor and event first", None, None, line)
            )
        return {"actor": words[0], "event": words[1], **fields}

    def kind(self, name: str) -> Any:
        if name in ("seq", "corrects"):
            return "integer"
        column: Column | None = self.lives.get(name) or self.schema.columns.get(name)
        return "text" if column is None else column.kind


def _unquoted(value: str, name: str, line: int) -> str:
    if not value.startswith('"'):
        return value
    try:
        text = parse_object(f'{{"": {value}}}')[""]
    except RefusedError:
        raise _refused(name, value, "text in quotes, with JSON's escapes", line) from None
    assert isinstance(text, str)
    return text


def _refused(field: str | None, value: object, wanted: str, line: int) -> RefusedError:
    return RefusedError(Fault("log-syntax", field, shown(value), wanted, None, None, line))


def _locate_field(place: object, fault: Fault) -> Mark:
    assert isinstance(place, tuple)
    record, lines = place
    number = record.lines.get(fault.field, record.line)
    mark = _locate(lines[number - 1], fault)
    return Mark(mark.excerpt, mark.column, mark.width, number)


def _locate(text: str, fault: Fault) -> Mark:
    if fault.field is not None:
        match = re.search(rf"(?<![\w]){re.escape(fault.field)}\s*[:=]\s*", text)
        if match is not None:
            return Mark(text, match.end() + 1)
    return Mark(text)


def _refusal(name: str, lines: Sequence[str], problem: RefusedError) -> LogError:
    marks = []
    for fault in problem.faults:
        text = lines[fault.line - 1] if fault.line is not None and fault.line <= len(lines) else None
        if text is None:
            marks.append(Mark())
        elif fault.at is not None:
            marks.append(Mark(text, fault.at + 1))
        else:
            marks.append(_locate(text, fault))
    return log_error(name, None, problem.faults, marks)
