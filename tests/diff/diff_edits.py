"""Edits of the toy bridge's rules that several tests make, and the comparison of two such files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from verifier.diff.told import Difference
from verifier.diff.whole import WholeDiff, compare
from verifier.model.load import load

MakeRules = Callable[..., Path]
Gazette = Callable[..., tuple[int, str]]

CAP = '  unobservable "the log records crossings and tolls, not what people wear"\n'
CART = "  toll(k) = 200 when k = cart\n"
CROSS = "  traveller must not cross when raised\n"
CHARGE = "  keeper must charge(any, any) before cross when not charged\n"


def compared(old: Path, new: Path) -> WholeDiff:
    return compare(load(old), load(new))


def regions(whole: WholeDiff) -> tuple[Difference, ...]:
    assert whole.meaning is not None
    return whole.meaning.matters[0].differences
