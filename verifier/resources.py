"""Where files are: those that travel with the package (law, grammars, rulesets, templates), and what is kept."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Literal

from verifier.errors import InternalError, Problem

Kind = Literal["spec", "grammar", "rulesets", "reports"]

VARIABLE = "GAZETTE_CACHE"
"""The environment variable that names the directory in which answers are kept, or says `off`."""


def root(kind: Kind) -> Path:
    """The folder of that kind: `<package>/_data/<kind>` when installed, else `<package>/../<kind>`.

    Raises `InternalError` when neither is there (an incomplete installation).
    """
    package = Path(str(files("verifier")))
    for folder in (package / "_data" / kind, package.parent / kind):
        if folder.is_dir():
            return folder
    raise InternalError(
        Problem(
            f"the folder {kind}/ that belongs to this package is missing",
            file=str(package / "_data" / kind),
            help="the installation is incomplete: install the package again",
            code="missing-package-data",
        )
    )


def directory(environment: Mapping[str, str] | None = None) -> Path | None:
    """Where answers are kept: `GAZETTE_CACHE`, else `gazette` in the user's cache; None where it is switched off."""
    found = os.environ if environment is None else environment
    if named := found.get(VARIABLE, ""):
        return None if named == "off" else Path(named)
    if base := found.get("XDG_CACHE_HOME", ""):
        return Path(base) / "gazette"
    home = found.get("HOME", "")
    return Path(home) / ".cache" / "gazette" if home else None


def tables(grammar: str) -> str | None:
    """The file that keeps the tables of a grammar's parser between runs; None where nothing is to be kept, or cannot
    be."""
    place = directory()
    if place is None:
        return None
    try:
        (place / "grammar").mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return str(place / "grammar" / f"{hashlib.sha256(grammar.encode()).hexdigest()[:16]}.tables")
