"""Laws read before, on disk, by the bytes of their files: neither the grammar nor YAML is needed to read one back."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

from verifier.law.outline import Body, Clause, DatedFact, Header, InForce, Provenance
from verifier.shelf import Shelf
from verifier.trees import Classes

CLASSES = Classes(
    {kind.__name__: kind for kind in (Header, DatedFact, InForce, Provenance, Body, Clause, date)}
)


def _is_law(tree: Any) -> bool:
    match tree:
        case (Header(), Body()):
            return True
        case _:
            return False


LAWS = Shelf("laws", "law.lark", Path(__file__).parent, 1_000, lambda: CLASSES, _is_law)
"""Header and body of each."""
