"""Where the files that travel with the package are: the law, the grammars, the rulesets, the templates."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Literal

from verifier.errors import InternalError, Problem

Kind = Literal["spec", "grammar", "rulesets", "reports"]


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
