"""Answers on disk, by what was asked. What is not exactly as it was written is not believed, and asked again."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from verifier.resources import VARIABLE, directory

FORMAT = 1
"""Raised whenever an entry's form, or what its key or value means, changes."""

MAX_BYTES = 64_000_000
"""An entry that is longer is none."""

__all__ = ["VARIABLE", "Cache", "Json", "digest", "directory"]

Json = None | bool | int | str | list["Json"] | dict[str, "Json"]


def digest(text: str) -> str:
    """The SHA-256 of a text, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(slots=True)
class Cache:
    """Entries in one directory. `hits` counts those found, `misses` those asked for in vain, `refused` those of the
    misses that were there and not believed."""

    path: Path
    hits: int = 0
    misses: int = 0
    refused: int = 0
    _made: set[Path] = field(default_factory=set)

    def get(self, namespace: str, key: Json) -> Json:
        """What was put there under exactly that key; None where nothing is, or nothing that can be believed."""
        place = self._place(namespace, key)
        try:
            if place.stat().st_size > MAX_BYTES:
                raise ValueError("too long")
            value = _opened(place.read_bytes(), key)
        except FileNotFoundError:
            self.misses += 1
            return None
        except (OSError, ValueError, RecursionError):
            self.misses += 1
            self.refused += 1
            return None
        self.hits += 1
        return value

    def put(self, namespace: str, key: Json, value: Json) -> None:
        """Keep `value` (not None) under the key. A directory that cannot be written keeps nothing, and that is all."""
        place = self._place(namespace, key)
        body = _canonical({"format": FORMAT, "key": key, "value": value})
        with contextlib.suppress(OSError):
            if place.parent not in self._made:
                place.parent.mkdir(parents=True, exist_ok=True)
                self._made.add(place.parent)
            handle, name = tempfile.mkstemp(dir=place.parent, prefix=".", suffix=".part")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(f"{hashlib.sha256(body).hexdigest()}\n".encode() + body)
                os.replace(name, place)
            except OSError:
                with contextlib.suppress(OSError):
                    os.unlink(name)
                raise

    def has(self, namespace: str, key: Json) -> bool:
        """Whether something is there under the key, to be believed or not."""
        return self._place(namespace, key).exists()

    def drop(self, namespace: str, key: Json) -> None:
        """Take away what is there under the key."""
        with contextlib.suppress(OSError):
            self._place(namespace, key).unlink()

    def reject(self) -> None:
        """Count the entry found last as refused: what asked for it could not read its value."""
        self.hits -= 1
        self.misses += 1
        self.refused += 1

    def _place(self, namespace: str, key: Json) -> Path:
        name = hashlib.sha256(_canonical({"format": FORMAT, "key": key})).hexdigest()
        return self.path / namespace / name[:2] / f"{name[2:]}.json"


def _canonical(value: Json) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def _opened(data: bytes, key: Json) -> Json:
    """The value in an entry. Raises `ValueError` for one that is damaged, of another format or of another key."""
    told, _, body = data.partition(b"\n")
    if told != hashlib.sha256(body).hexdigest().encode():
        raise ValueError("damaged")
    entry = json.loads(body)
    if (
        not isinstance(entry, dict)
        or entry.get("format") != FORMAT
        or _canonical(entry.get("key")) != _canonical(key)
    ):
        raise ValueError("not what was asked")
    value: Json = entry.get("value")
    if value is None:
        raise ValueError("no value")
    return value
