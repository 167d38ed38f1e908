"""Witnesses of survivors written as transcripts, ready to be read and kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from verifier.generate.files import keep
from verifier.mutate.run import Mutation
from verifier.transcripts.case import ENDING


def keep_witnesses(folder: Path, mutation: Mutation) -> int:
    """Write a transcript for each survivor that has a witness and no reason; of several with the same events one.
    Returns how many. Raises `RequestError` where that cannot be."""
    return keep(folder, mutation.ruleset.name, _texts(mutation))


def _texts(mutation: Mutation) -> Iterator[tuple[str, str]]:
    told: set[str] = set()
    for outcome in mutation.open:
        events = re.sub(r"(?ms)^about: .*?(?=^(events|rounds):)", "", outcome.witness)
        if events and events not in told:
            told.add(events)
            name = re.sub(r"[^A-Za-z0-9.]+", "-", outcome.mutant.id).strip("-.")
            yield f"{name}{ENDING}", outcome.witness
