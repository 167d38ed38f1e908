"""A ruleset of this folder with one change made to it, and what the prover says of that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import yaml

from verifier.core.lower import lower
from verifier.model.load import load
from verifier.prove.prove import Proof
from verifier.prove.whole import prove_whole, settings

HERE = Path(__file__).parent
GAMES = ("ring", "tombola")


def cases(game: str) -> list[dict[str, Any]]:
    """The table of a game: what was changed, and what must be found."""
    path = HERE / f"{game}.yaml"
    return list(yaml.safe_load(path.read_text("utf-8"))) if path.exists() else []


def changed(game: str, changes: Iterable[Sequence[str]], folder: Path) -> Path:
    """The game's files in `folder`, with each change made once: [old, new], or [new] to add at the end of the rules."""
    texts = {p.name: p.read_text("utf-8") for p in HERE.glob(f"{game}*") if p.suffix in {".law", ".rules"}}
    for change in changes:
        if len(change) == 1:
            texts[f"{game}.rules"] += "\n" + change[0]
            continue
        old, new = change
        holding = [name for name, text in texts.items() if old in text]
        assert len(holding) == 1, (old, holding)
        assert texts[holding[0]].count(old) == 1, old
        texts[holding[0]] = texts[holding[0]].replace(old, new)
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
    return folder / f"{game}.rules"


def proved(path: Path, only: Sequence[str] = ()) -> Proof:
    return prove_whole(lower(load(path)), settings(no_cache=True), only=only)
