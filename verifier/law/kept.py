"""Laws read before, on disk, by the bytes of their files: neither the grammar nor YAML is needed to read one back.

A law is kept by the SHA-256 of its file, of the grammar and of the code that reads. What is not exactly as it was
written, or is not made of the classes of `verifier.law.outline`, is not believed, and the file is read again.
"""

from __future__ import annotations

import hashlib
from datetime import date
from functools import cache
from pathlib import Path

from verifier.cache import Cache, Json
from verifier.law.outline import Body, Clause, DatedFact, Header, InForce, Provenance
from verifier.resources import directory, root
from verifier.trees import Classes, built, written

NAMESPACE = "laws"

LEAST = 1_000
"""A file of fewer bytes is read sooner than it is looked for."""

CLASSES = Classes(
    {kind.__name__: kind for kind in (Header, DatedFact, InForce, Provenance, Body, Clause, date)}
)


def kept(data: bytes) -> tuple[Header, Body] | None:
    """Header and body of a file that was read before; None where they are not there, or cannot be believed."""
    if len(data) < LEAST or (place := directory()) is None:
        return None
    store, key = Cache(place), _key(data)
    value = store.get(NAMESPACE, key)
    try:
        match None if value is None else built(value, CLASSES):
            case (Header() as header, Body() as body):
                return header, body
            case _:
                pass
    except (LookupError, TypeError, ValueError, RecursionError):
        pass
    if value is not None or store.refused:
        store.drop(NAMESPACE, key)
    return None


def keep(data: bytes, header: Header, body: Body) -> None:
    """Keep what was read of a file for the next time, unless it is there."""
    if len(data) >= LEAST and (place := directory()) is not None:
        store, key = Cache(place), _key(data)
        if not store.has(NAMESPACE, key):
            store.put(NAMESPACE, key, written((header, body), CLASSES))


def _key(data: bytes) -> Json:
    return {"file": hashlib.sha256(data).hexdigest(), "by": _code()}


@cache
def _code() -> str:
    """The SHA-256 of the grammar and of the code that reads by it."""
    found = hashlib.sha256((root("grammar") / "law.lark").read_bytes())
    here = Path(__file__)
    for file in (here.parents[1] / "trees.py", *sorted(here.parent.glob("*.py"))):
        found.update(file.read_bytes() + b"\0")
    return found.hexdigest()
