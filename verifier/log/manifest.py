"""Manifests: the header, and the seal, of logs that have no room for them (CSV, Parquet, relations)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from verifier.errors import LogError
from verifier.log.faults import Fault, Mark, RefusedError, log_error, shown
from verifier.log.header import Header, parse_header
from verifier.log.jsontext import parse_object
from verifier.log.limits import LIMITS, Limits
from verifier.log.schema import LogSchema
from verifier.log.streams import decode_utf8, read_all, refused, unreadable

SEAL_KEYS = ("events", "sha256")

OF_A_FILE = "a file is sealed by the count of its rows and its SHA-256, uncompressed, as sha256sum prints it"
OF_NO_FILE = "a seal is of a file: leave it out of the header of a table or query"
SUFFIXES = (".manifest.json", ".manifest.yaml", ".manifest.yml")
_COMPRESSED = (".gz", ".zst")


@dataclass(frozen=True, slots=True)
class Seal:
    """What vouches for a log's completeness: the count of its rows and a SHA-256 of its bytes."""

    events: int
    sha256: str

    def check(self, events: int, sha256: str) -> None:
        """Raises `RefusedError` where the file is not what the seal says."""
        if events != self.events:
            help = "rows were lost or added after the log was sealed"
            raise RefusedError(
                Fault("log-count", "events", str(self.events), f"{events}, the rows that the log has", help)
            )
        if sha256 != self.sha256:
            help = "the log was changed after it was sealed; a correction is a row of its own, never an edit"
            raise RefusedError(
                Fault("log-digest", "sha256", shown(self.sha256), f"{sha256}, the log's digest", help)
            )


def parse_seal(fields: Mapping[str, object], help: str | None = None) -> Seal:
    """The seal in `fields`. Raises `RefusedError`, with `help` on what is to be done."""
    events, sha256 = fields.get("events"), fields.get("sha256")
    faults: list[Fault] = []
    if type(events) is not int or not 0 <= events < 2**63:
        faults.append(
            Fault("log-trailer", "events", shown(events), "the count of rows, a whole number", help)
        )
    if not isinstance(sha256, str) or re.fullmatch(r"[0-9a-f]{64}", sha256) is None:
        wanted = "a SHA-256 of 64 lower-case hexadecimal digits"
        faults.append(Fault("log-trailer", "sha256", shown(sha256), wanted, help))
    if faults:
        raise RefusedError(*faults)
    assert type(events) is int
    assert isinstance(sha256, str)
    return Seal(events, sha256)


def manifests(path: Path) -> list[Path]:
    """Where a manifest of `path` may stand beside it: under its whole name first, then without .gz or .zst."""
    bases = [path.name]
    if path.suffix in _COMPRESSED:
        bases.append(path.name.removesuffix(path.suffix))
    return [path.with_name(base + suffix) for base in bases for suffix in SUFFIXES]


def find_manifest(path: Path) -> Path:
    """The one manifest beside `path`: `log.csv.manifest.json` or `.yaml`, also for `log.csv.gz`.

    One under the whole name goes before that of the uncompressed log. Raises `LogError` if there is none, or more than
    one.
    """
    candidates = manifests(path)
    there = [candidate for candidate in candidates if candidate.is_file()]
    found = [candidate for candidate in there if candidate.name.startswith(path.name + ".")] or there
    if len(found) == 1:
        return found[0]
    if found:
        names = " and ".join(candidate.name for candidate in found)
        raise refused(
            str(path), "log-manifest", f"more than one manifest: {names}", "one", "remove all but one"
        )
    help = "the manifest holds the header and the seal: see the log format, Manifest"
    raise refused(str(path), "log-manifest", "no manifest", f"one beside the log, {candidates[0].name}", help)


def read_manifest(
    path: Path, schema: LogSchema, *, any_ruleset: bool = False, limits: Limits = LIMITS
) -> tuple[Header, Seal]:
    """Header and seal of the manifest at `path`. Raises `LogError`, `OSError`."""
    name = str(path)
    with path.open("rb") as stream:
        text = decode_utf8(name, read_all(name, stream, limits.manifest, "a manifest"), 1, first=True)
    fields = _fields(name, text, path.suffix == ".json", limits)
    faults: list[Fault] = []
    header: Header | None = None
    seal: Seal | None = None
    try:
        header = parse_header(fields, schema, any_ruleset=any_ruleset, others=SEAL_KEYS)
    except RefusedError as problem:
        faults.extend(problem.faults)
    try:
        seal = parse_seal(fields, OF_A_FILE)
    except RefusedError as problem:
        faults.extend(problem.faults)
    if header is None or seal is None:
        raise _refusal(name, text, faults)
    return header, seal


def read_header(path: Path, schema: LogSchema, *, limits: Limits = LIMITS) -> Header:
    """The header in a manifest, of a log that is not the file it may be sealed for: a seal is not looked at.

    Raises `LogError`, and `RequestError` where it cannot be read.
    """
    name = str(path)
    try:
        with path.open("rb") as stream:
            text = decode_utf8(name, read_all(name, stream, limits.manifest, "a manifest"), 1, first=True)
    except OSError as error:
        raise unreadable(name, error) from None
    fields = _fields(name, text, path.suffix == ".json", limits)
    try:
        return parse_header(fields, schema, others=SEAL_KEYS)
    except RefusedError as problem:
        raise _refusal(name, text, problem.faults) from None


def read_unsealed(
    path: Path, schema: LogSchema, *, any_ruleset: bool = False, limits: Limits = LIMITS
) -> Header:
    """The header in a manifest of a relation, which has no seal. Raises `LogError`, `OSError`."""
    name = str(path)
    with path.open("rb") as stream:
        text = decode_utf8(name, read_all(name, stream, limits.manifest, "a manifest"), 1, first=True)
    fields = _fields(name, text, path.suffix == ".json", limits)
    try:
        return parse_header(fields, schema, any_ruleset=any_ruleset)
    except RefusedError as problem:
        faults = [
            replace(fault, help=OF_NO_FILE) if fault.field in SEAL_KEYS else fault for fault in problem.faults
        ]
        raise _refusal(name, text, faults) from None


def _fields(name: str, text: str, json: bool, limits: Limits) -> Mapping[str, object]:
    from verifier.log.yamltext import parse_yaml

    try:
        fields = parse_object(text, limits) if json else parse_yaml(text, limits)
    except RefusedError as problem:
        raise _refusal(name, text, problem.faults) from None
    if not isinstance(fields, dict):
        raise refused(name, "log-manifest", shown(fields), "a mapping")
    return fields


def _refusal(name: str, text: str, faults: list[Fault] | tuple[Fault, ...]) -> LogError:
    """Faults of a manifest, each on the line where its field stands."""
    return LogError(*(problem for fault in faults for problem in _placed(name, text, fault).problems))


def _placed(name: str, text: str, fault: Fault) -> LogError:
    lines = text.splitlines() or [""]
    number = fault.line
    column: int | None = None
    if number is None and fault.at is not None:
        number = text.count("\n", 0, fault.at) + 1
        column = fault.at - (text.rfind("\n", 0, fault.at) + 1) + 1
    if number is None and fault.field is not None:
        match = re.search(rf"\b{re.escape(fault.field.rsplit('.', 1)[-1])}\b", text)
        if match is not None:
            number = text.count("\n", 0, match.start()) + 1
            column = match.start() - (text.rfind("\n", 0, match.start()) + 1) + 1
    if number is None or number > len(lines):
        return log_error(name, None, [fault])
    return log_error(name, number, [fault], [Mark(lines[number - 1], column)])
