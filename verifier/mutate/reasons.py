"""Why mutants may survive: a YAML file from mutants' ids to reasons, each written by somebody who looked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from verifier import reasons

ENDING = ".mutants.yaml"


def beside(rules: Path) -> Path | None:
    """The reasons that come with a rule file, as `verifier.reasons.beside`."""
    return reasons.beside(rules, ENDING)


def read_reasons(path: Path) -> Mapping[str, str]:
    """The reasons in a file. Raises `RequestError` where it is not there, `LogError` where it is malformed."""
    return reasons.read_file(path, "a mapping from mutants to reasons", reasons.in_words)
