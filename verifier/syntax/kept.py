"""Syntax trees of rule files on disk, by what they were parsed from: to read one back takes a tenth of the time.

A tree is kept by the SHA-256 of its text, of the grammar and of the code that parses. What is not exactly as it was
written, or is not made of the classes of `verifier.syntax.tree`, is not believed, and the text is parsed again.
"""

from __future__ import annotations

import hashlib
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from verifier.cache import Cache, Json, digest
from verifier.resources import directory
from verifier.syntax import tree
from verifier.syntax.grammar import grammar
from verifier.syntax.tree import At, Block

LEAST = 400
"""A shorter text is parsed sooner than it is looked for."""

NAMESPACE = "trees"

TUPLE, PLACE = "", "@"
"""What stands first in a list: a tuple's sign, that of a place, or the name of a class."""


def kept(text: str) -> tuple[Block, ...] | None:
    """The blocks of a text that was parsed before; None where they are not there, or cannot be believed."""
    if len(text) < LEAST or (place := directory()) is None:
        return None
    store, key = Cache(place), _key(text)
    value = store.get(NAMESPACE, key)
    try:
        blocks = None if value is None else _built(value, _classes())
    except (KeyError, TypeError, ValueError, RecursionError):
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
            store.put(NAMESPACE, key, _written(blocks))


def _key(text: str) -> Json:
    return {"text": digest(text), "by": _code()}


@cache
def _code() -> str:
    """The SHA-256 of the grammar and of the code that reads by it."""
    found = hashlib.sha256(grammar().encode())
    for file in sorted(Path(__file__).parent.glob("*.py")):
        found.update(file.read_bytes() + b"\0")
    return found.hexdigest()


@cache
def _classes() -> dict[str, type[Any]]:
    return {
        name: value for name, value in vars(tree).items() if isinstance(value, type) and is_dataclass(value)
    }


def _written(node: object) -> Json:
    match node:
        case None | bool() | int() | str():
            return node
        case tuple():
            return [TUPLE, *map(_written, node)]
        case At():
            return [PLACE, node.line, node.column, node.end_line, node.end_column]
        case _:
            return [type(node).__name__, *(_written(getattr(node, f.name)) for f in fields(cast(Any, node)))]


def _built(value: Any, classes: dict[str, type[Any]]) -> Any:
    """What was written; a JSON list of anything else raises one of the errors that `kept` expects."""
    if type(value) is not list:
        return value
    sign, *parts = value
    if sign == PLACE:
        return At(*parts)
    if sign == TUPLE:
        return tuple([_built(part, classes) for part in parts])
    return classes[sign](*[_built(part, classes) for part in parts])
