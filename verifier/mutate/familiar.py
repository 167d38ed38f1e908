"""Plays that come with a ruleset: those that its proofs found, those that people showed, tables played by habit."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import islice

from verifier.check.engine import Prepared
from verifier.generate.habitual import Tables
from verifier.model.ruleset import Ruleset
from verifier.prove.found import ENDING, ROUNDS, kept
from verifier.prove.known import Known
from verifier.prove.question import Play
from verifier.simulate.habits import shipped

KEPT = 200
"""So many of those kept beside the rules are taken,"""
TABLES = 2
"""and so many tables under each setting of the options."""


def familiar(ready: Prepared, seed: int) -> Iterator[Play]:
    """The plays, the same for the same ruleset, what is kept beside it (`rests_on`), and seed. Raises `RequestError`
    where a file beside it is malformed."""
    tables = Tables(ready, seed)
    for ending in (ENDING, ROUNDS):
        found = kept(ready.ruleset, ending)
        if found is not None:
            for play in islice(Known(ready.program, found).plays(), KEPT):
                ended = tables.ended(play) if play.lawful else None
                yield play if ended is None else Play(play.options, ended, (), play.state)
    for options in tables.settings():
        for number in range(TABLES):
            *_, whole = ((), *tables.play(options, number))
            if whole:
                yield Play(options, whole, (), tables.runner.empty.state)


def rests_on(ruleset: Ruleset) -> str:
    """The digest of the files beside a ruleset from which the plays come. Raises `RequestError` where one of those that
    keep plays is malformed."""
    plays = [found.digest if (found := kept(ruleset, ending)) else "" for ending in (ENDING, ROUNDS)]
    habits = shipped(ruleset)
    told = "" if habits is None else habits.read_text("utf-8")
    return hashlib.sha256("\n".join((*plays, told)).encode()).hexdigest()
