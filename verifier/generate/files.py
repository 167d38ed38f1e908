"""Transcripts written into a folder."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from verifier.errors import Problem, RequestError


def keep(folder: Path, ruleset: str, texts: Iterable[tuple[str, str]]) -> int:
    """Write transcripts of a ruleset, by name, into the folder, which is made where it is not there; how many.

    A file that stands there under the same name is written over only where it is a transcript of the same ruleset,
    else `RequestError`, as where the folder cannot be written.
    """
    number = 0
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts:
            place = folder / name
            if place.exists() and text.splitlines()[0] not in place.read_text("utf-8").splitlines():
                raise RequestError(
                    Problem(
                        f"there is a file of this name already that is no transcript of {ruleset}",
                        str(place),
                        code="output-over-input",
                        help="name an empty folder",
                    )
                )
            place.write_text(text, "utf-8", newline="\n")
            number += 1
    except OSError as error:
        raise RequestError(
            Problem(
                f"cannot write the transcripts: {(error.strerror or str(error)).lower()}",
                str(folder),
                code="unwritable",
                help="name a folder that may be written",
            )
        ) from None
    return number
