"""Syntax trees of rule files on disk, by what they were parsed from: to read one back takes a tenth of the time.

A tree is kept by the SHA-256 of its text, of the grammar and of the code that parses. What is not exactly as it was
written, or is not made of the classes of `verifier.syntax.tree`, is not believed, and the text is parsed again.
"""

from __future__ import annotations

import hashlib
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path
from typing import cast

from verifier.cache import Cache, Json, digest
from verifier.resources import directory, root
from verifier.syntax import tree
from verifier.syntax.tree import At, Block
from verifier.trees import Classes, built, written

LEAST = 400
"""A shorter text is parsed sooner than it is looked for."""

NAMESPACE = "trees"


def kept(text: str) -> tuple[Block, ...] | None:
    """The blocks of a text that was parsed before; None where they are not there, or cannot be believed."""
    if len(text) < LEAST or (place := directory()) is None:
        return None
    store, key = Cache(place), _key(text)
    value = store.get(NAMESPACE, key)
    try:
        blocks = None if value is None else built(value, _classes())
    except (LookupError, TypeError, ValueError, RecursionError):
        blocks = None
    if not isinstance(blocks, tuple):
        if value is not None or store.refused:
            store.drop(NAMESPACE, key)
        return None
    return cast(tuple[Block, ...], blocks)


def keep(text: str, blocks: tuple[Block, ...]) -> None:
    """Keep the blocks of a text for the next time, unless they are there."""
    if len(text) >= LEAST and (place := directory()) is not None:
        store, key = Cache(place), _key(text)
        if not store.has(NAMESPACE, key):
            store.put(NAMESPACE, key, written(blocks, _classes()))


def _key(text: str) -> Json:
    return {"text": digest(text), "by": _code()}


@cache
def _code() -> str:
    """The SHA-256 of the grammar and of the code that reads by it."""
    found = hashlib.sha256((root("grammar") / "rules.lark").read_bytes())
    here = Path(__file__)
    for file in (here.parents[1] / "trees.py", *sorted(here.parent.glob("*.py"))):
        found.update(file.read_bytes() + b"\0")
    return found.hexdigest()


@cache
def _classes() -> Classes:
    named = {
        name: value for name, value in vars(tree).items() if isinstance(value, type) and is_dataclass(value)
    }
    return Classes(named, At)
