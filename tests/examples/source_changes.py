"""What the tests of the converters share: one record of a source changed, and the conversion refused for it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import zstandard

Change = Callable[[dict[str, Any]], object]


def inflated(path: Path) -> bytes:
    """What a file compressed with zstd holds."""
    with zstandard.ZstdDecompressor().stream_reader(path.read_bytes()) as stream:
        return stream.read()


def put(*path: str | int, value: object) -> Change:
    """A change that sets what stands at the end of a path."""

    def change(record: dict[str, Any]) -> None:
        place: Any = record
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value

    return change


def check_refused(
    converter: ModuleType, original: Path, rows: int, change: Change, words: str, folder: Path
) -> None:
    """The first record of `original` gives so many rows; changed, it is refused with these words."""
    with gzip.open(original, "rt", encoding="utf-8") as lines:
        record = json.loads(next(lines))
    source = folder / "source.jsonl.gz"
    source.write_bytes(gzip.compress(json.dumps(record).encode()))
    assert len(list(converter.rows(source))) == rows
    change(record)
    source.write_bytes(gzip.compress(json.dumps(record).encode()))
    with pytest.raises(converter.SourceError) as error:
        list(converter.rows(source))
    assert words in str(error.value)


def check_a_field_twice_is_refused(converter: ModuleType, folder: Path) -> None:
    source = folder / "source.jsonl.gz"
    source.write_bytes(gzip.compress(b'{"round": 1, "round": 1}\n'))
    with pytest.raises(converter.SourceError, match="twice"):
        list(converter.rows(source))
