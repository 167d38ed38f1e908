"""Names that the rule language gives to what is said of a ruleset."""

from __future__ import annotations

import re


def name_of(id: str) -> str:
    """An obligation's id as a name of the rule language: `conflict-outcome-5.1(e)` is `conflict_outcome_5_1e`."""
    plain = re.sub(r"(?<=[0-9])\(([A-Za-z]+)\)", r"\1", id)
    plain = re.sub(r"[^A-Za-z0-9]+", "_", plain).strip("_").lower()
    return plain if plain[:1].isalpha() else f"finding_{plain}"
