"""Plays that come with a ruleset: those that its proofs found, those that people showed, tables played by habit."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from verifier.check.engine import Prepared
from verifier.errors import RequestError
from verifier.generate.habitual import Tables
from verifier.prove.found import ENDING, ROUNDS, kept
from verifier.prove.known import Known
from verifier.prove.question import Play

KEPT = 200
"""So many of those kept beside the rules are taken,"""
TABLES = 2
"""and so many tables under each setting of the options."""


def familiar(ready: Prepared, seed: int) -> Iterator[Play]:
    """The plays, the same for the same ruleset, what is kept beside it, and seed. A file that cannot be read keeps
    none."""
    tables = Tables(ready, seed)
    for ending in (ENDING, ROUNDS):
        try:
            found = kept(ready.ruleset, ending)
        except RequestError:
            continue
        if found is not None:
            for play in islice(Known(ready.program, found).plays(), KEPT):
                ended = tables.ended(play) if play.lawful else None
                yield play if ended is None else Play(play.options, ended, (), play.state)
    for options in tables.settings():
        for number in range(TABLES):
            *_, whole = ((), *tables.play(options, number))
            if whole:
                yield Play(options, whole, (), tables.runner.empty.state)
