"""Transcripts written into a folder."""

from __future__ import annotations

from pathlib import Path

from verifier.errors import Problem, RequestError
from verifier.generate.generate import Generated


def keep(folder: Path, made: Generated) -> None:
    """Write every transcript into the folder, which is made where it is not there.

    What stands there under the same name is written over only where it is one of ours, else `RequestError`, as
    where the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for one in (*made.lawful, *made.faulty):
            place = folder / one.name
            if place.exists() and f"\nruleset: {made.ruleset.name}\n" not in "\n" + place.read_text("utf-8"):
                raise RequestError(
                    Problem(
                        "there is a file of this name already, of another ruleset",
                        str(place),
                        code="output-over-input",
                        help="name an empty folder",
                    )
                )
            place.write_text(one.text, "utf-8", newline="\n")
    except OSError as error:
        raise RequestError(
            Problem(
                f"cannot write the transcripts: {(error.strerror or str(error)).lower()}",
                str(folder),
                code="unwritable",
                help="name a folder that may be written",
            )
        ) from None
