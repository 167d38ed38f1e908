"""What was parsed before, on disk, by what it was parsed from; what is not just as it was written is not believed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from verifier.cache import Cache, Json
from verifier.resources import directory, root
from verifier.trees import Classes, built, written


@dataclass(frozen=True, slots=True)
class Shelf:
    """Trees of one kind, made of `classes`; `right` tells whether something is one.

    A tree is kept by the SHA-256 of its text, of the grammar (its file's name) and of the `code` (a folder) that reads
    by it. A text of fewer bytes than `least` is read sooner than it is looked for.
    """

    namespace: str
    grammar: str
    code: Path
    least: int
    classes: Callable[[], Classes]
    right: Callable[[Any], bool]

    def get(self, text: bytes) -> Any:
        """The tree of a text that was parsed before; None where it is not there, or cannot be believed."""
        if len(text) < self.least or (place := directory()) is None:
            return None
        store, key = Cache(place), self._key(text)
        value = store.get(self.namespace, key)
        try:
            tree = None if value is None else built(value, self.classes())
        except (LookupError, TypeError, ValueError, RecursionError):
            tree = None
        if tree is not None and self.right(tree):
            return tree
        if value is not None or store.refused:
            store.drop(self.namespace, key)
        return None

    def put(self, text: bytes, tree: object) -> None:
        """Keep the tree of a text for the next time, unless it is there."""
        if len(text) >= self.least and (place := directory()) is not None:
            store, key = Cache(place), self._key(text)
            if not store.has(self.namespace, key):
                store.put(self.namespace, key, written(tree, self.classes()))

    def _key(self, text: bytes) -> Json:
        return {"text": hashlib.sha256(text).hexdigest(), "by": read_by(self.grammar, self.code)}


@cache
def read_by(grammar: str, code: Path) -> str:
    """The SHA-256 of a grammar and of the code that reads by it."""
    found = hashlib.sha256((root("grammar") / grammar).read_bytes())
    for file in (Path(__file__).with_name("trees.py"), *sorted(code.glob("*.py"))):
        found.update(file.read_bytes() + b"\0")
    return found.hexdigest()
