"""Two results of a check, one of a renamed ruleset and a renamed log, held against each other word by word."""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Iterator, Mapping
from typing import Any

from rename import Renaming

from verifier.check.engine import Prepared, check_logs
from verifier.check.result import CheckResult
from verifier.log.sources import open_stream

OF_THE_FILE = frozenset({"sha256", "digest", "law_digest"})
"""What is a fingerprint of the text itself, and so another one for another text."""

BY_NAME = frozenset({"why_not", "causes", "absent", "unordered", "missing_columns"})
"""Lists that are in the order of names: other names, another order."""

Plain = Any


def checked(prepared: Prepared, content: bytes) -> CheckResult:
    stream = open_stream("log.jsonl", io.BytesIO(content), prepared.binding.schema)
    return check_logs([stream], prepared)


def plain(value: Plain, back: Renaming | None) -> Plain:
    """A result as lists, mappings, texts and numbers; turned back to the old names where `back` is given."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        of = {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.name not in OF_THE_FILE}
        made = {name: plain(inner, back) for name, inner in of.items()}
        ordered = {name: sorted(made[name], key=repr) for name in BY_NAME & made.keys()}
        return {"is": type(value).__name__} | made | ordered
    if isinstance(value, Mapping):
        return {plain(key, back): plain(inner, back) for key, inner in value.items()}
    if isinstance(value, str):
        return value if back is None else back.turned_back(value)
    if isinstance(value, tuple | list):
        return [plain(inner, back) for inner in value]
    return value


def differences(first: Plain, second: Plain, path: str = "") -> Iterator[str]:
    """Where two plain results differ."""
    if isinstance(first, dict) and isinstance(second, dict) and first.keys() == second.keys():
        for key in first:
            yield from differences(first[key], second[key], f"{path}.{key}")
    elif isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        for number, (one, other) in enumerate(zip(first, second, strict=True)):
            yield from differences(one, other, f"{path}[{number}]")
    elif first != second:
        yield f"{path}: {first!r} against {second!r}"


def compared(results: tuple[CheckResult, CheckResult], renaming: Renaming) -> list[str]:
    first, second = results
    return list(differences(plain(first, None), plain(second, renaming)))
