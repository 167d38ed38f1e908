"""What the tests of the law share: the six laws, and law files made to measure."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from verifier.law import Law, load_law, read_law

IDS = (
    "nz/gazette-1998-9-division-2",
    "nz/gazette-1998-15-division-7",
    "nz/gazette-1998-16-division-8",
    "nz/gazette-1994-112-page",
    "uk/si-1994-2899-regulation-7",
    "ny/9-nycrr-4620.5",
)

HEADER = """\
title: Example
instrument: Example
issue: unknown
dates: []
in force:
  from: unknown
  until: unknown
  source: none
provenance:
  received: example.txt
  sha256: 0000000000000000000000000000000000000000000000000000000000000000
  lines: 1-2
elsewhere:
  division 1: not here
  division 2: nz/gazette-1998-9-division-2
missing: []
"""


@pytest.fixture(scope="session")
def laws() -> Mapping[str, Law]:
    return {law_id: load_law(law_id) for law_id in IDS}


@pytest.fixture(scope="session")
def blackjack(laws: Mapping[str, Law]) -> Law:
    return laws["nz/gazette-1998-9-division-2"]


@pytest.fixture(scope="session")
def roulette(laws: Mapping[str, Law]) -> Law:
    return laws["nz/gazette-1998-16-division-8"]


@pytest.fixture
def header() -> str:
    """The header that `make_law` gives a law."""
    return HEADER


@pytest.fixture
def body_starts() -> int:
    """The number of the first line of a body under that header."""
    return HEADER.count("\n") + 3


@pytest.fixture
def make_law(tmp_path: Path) -> Callable[..., Law]:
    """Reads a law from a body and, where it matters, a header."""

    def make(body: str, header: str = HEADER) -> Law:
        path = tmp_path / "example.law"
        path.write_text(f"---\n{header}---\n{body}", encoding="utf-8", newline="")
        return read_law(path, "example")

    return make
