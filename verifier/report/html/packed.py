"""Pieces of pages that are opened one by one: rendered as the others are, packed, and unpacked by the page's script.

They are kept beside a page as files of data, or in it. Nothing is in them but what a template made, all escaped.
"""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass, field
from pathlib import Path

from verifier.report.html.page import data_text

FILE = 20
"""So many pieces are in one file of data."""


def packed(html: str) -> str:
    """A piece of a page, compressed (zlib, RFC 1950), in base 64."""
    return base64.b64encode(zlib.compress(html.encode("utf-8"), 6)).decode("ascii")


@dataclass(slots=True)
class PieceFiles:
    """Writes pieces as they come into `data/rounds-0001.js` and so on, each with `FILE` of them, counted from 1."""

    into: Path
    count: int = 0
    _rest: list[str] = field(default_factory=list)

    def add(self, html: str) -> None:
        """Take a piece in."""
        self._rest.append(packed(html))
        self.count += 1
        if len(self._rest) == FILE:
            self.close()

    def close(self) -> None:
        """Write what is left."""
        if self._rest:
            number = (self.count - 1) // FILE + 1
            text = f"gazette.rounds({number},{data_text(self._rest)});\n"
            (self.into / "data" / f"rounds-{number:04d}.js").write_text(text, encoding="utf-8")
            self._rest.clear()
