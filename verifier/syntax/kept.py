"""Syntax trees of rule files on disk, by what they were parsed from: to read one back takes a tenth of the time."""

from __future__ import annotations

from dataclasses import is_dataclass
from functools import cache
from pathlib import Path

from verifier.shelf import Shelf
from verifier.syntax import tree
from verifier.syntax.tree import At
from verifier.trees import Classes


@cache
def _classes() -> Classes:
    named = {
        name: value for name, value in vars(tree).items() if isinstance(value, type) and is_dataclass(value)
    }
    return Classes(named, At)


RULES = Shelf(
    "trees", "rules.lark", Path(__file__).parent, 400, _classes, lambda blocks: isinstance(blocks, tuple)
)
"""The blocks of each."""
