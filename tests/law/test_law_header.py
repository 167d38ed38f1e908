"""Headers are read strictly: every fault is refused with its line, and nothing is guessed."""

import datetime
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from verifier.errors import LawError
from verifier.law import Law, read_law
from verifier.law.load import MAX_BYTES

BODY = "\n> Resolved on 27 November 1997, with effect from 1 February 1998.\n\n# 5.0 Wagers\n5.1 Pay.\n"
MakeLaw = Callable[..., Law]


def test_dates_are_dates_and_unknown_is_none(laws: Mapping[str, Law]) -> None:
    header = laws["nz/gazette-1998-9-division-2"].header
    assert (header.in_force.start, header.in_force.end) == (datetime.date(1998, 2, 1), None)
    assert [fact.date for fact in header.dates] == [
        datetime.date(1997, 11, 27),
        datetime.date(1998, 1, 22),
        datetime.date(1998, 1, 28),
    ]
    assert laws["uk/si-1994-2899-regulation-7"].header.dates[0].date is None


def test_every_date_has_a_source_and_something_is_said_to_be_missing(laws: Mapping[str, Law]) -> None:
    for law in laws.values():
        assert all(fact.source for fact in law.header.dates)
        assert law.header.in_force.source
        assert law.header.missing


def test_a_text_is_whole_unless_its_header_says_that_it_is_a_fragment(
    laws: Mapping[str, Law], make_law: MakeLaw, header: str
) -> None:
    fragments = {law_id for law_id, law in laws.items() if law.header.extent == "fragment"}
    assert fragments == {"nz/gazette-1994-112-page"}
    assert make_law(BODY, header + "extent: whole\n").header.extent == "whole"


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("title: Example\n", "", 2, "the header lacks the field title"),
        ("title: Example\n", "title: Example\ntitle: Example\n", 3, "the header has title twice"),
        ("title: Example\n", "title: Example\ntitel: Example\n", 3, "the header has no field titel"),
        ("title: Example\n", "title:\n", 2, "expected words"),
        ("title: Example\n", "title: [Example]\n", 2, "expected words"),
        ("title: Example\n", "title: &a Example\n", 2, "no anchors"),
        ("title: Example\n", "title: *a\n", 2, "no anchors"),
        ("title: Example\n", "title: [[[[[[x]]]]]]\n", 2, "nested deeper"),
        ("title: Example\n", "title: Example: two\n", 2, "is not YAML"),
        ("title: Example\n", "title: {\n", 4, "is not YAML"),
        ("  from: unknown\n", "  from: 1 February 1998\n", 7, "1 February 1998 is not a date"),
        ("  from: unknown\n", "  from: 1998-02-30\n", 7, "1998-02-30 is not a date"),
        ("  from: unknown\n", "  from: 19980201\n", 7, "19980201 is not a date"),
        (
            "  from: unknown\n  until: unknown\n",
            "  from: 1998-02-01\n  until: 1998-01-01\n",
            8,
            "before it begins",
        ),
        ("  lines: 1-2\n", "  lines: 2-1\n", 13, "not a range of lines"),
        ("  lines: 1-2\n", "  lines: 12\n", 13, "not a range of lines"),
        ("  sha256: 0", "  sha256: g", 12, "not a SHA-256 digest"),
        ("dates: []\n", "dates: unknown\n", 5, "expected a list"),
        ("dates: []\n", "dates:\n  - 1998-02-01\n", 6, "expected fields for a date"),
        ("dates: []\n", "dates:\n  - what: made\n    date: unknown\n", 6, "a date lacks the field source"),
        ("division 1: not here", "division 1: ../x", 15, "../x is no law id"),
        ("  division 2:", "  division 1:", 16, "division 1 is there twice"),
        ("missing: []\n", "missing: []\nelsewhere: none\n", 18, "has elsewhere twice"),
        ("missing: []\n", "extent: page\nmissing: []\n", 17, "page is no extent"),
    ],
)
def test_a_faulty_header_is_refused_with_its_line(
    make_law: MakeLaw, header: str, old: str, new: str, line: int, says: str
) -> None:
    assert old in header
    with pytest.raises(LawError) as caught:
        make_law(BODY, header.replace(old, new))
    assert says in caught.value.problem.message
    assert caught.value.problem.line == line
    assert caught.value.problem.code == "bad-law-header"
    assert caught.value.problem.help


def test_words_of_a_date_stand_in_the_notice(make_law: MakeLaw, header: str) -> None:
    fact = "dates:\n  - what: resolved\n    date: 1997-11-27\n    source: the notice\n    words: {}\n"
    law = make_law(BODY, header.replace("dates: []\n", fact.format("Resolved on 27 November 1997")))
    assert law.header.dates[0].words == "Resolved on 27 November 1997"
    with pytest.raises(LawError) as caught:
        make_law(BODY, header.replace("dates: []\n", fact.format("Resolved on 28 November 1997")))
    assert caught.value.problem.code == "date-words-not-found"


@pytest.mark.parametrize(
    ("data", "line", "code"),
    [
        (b"", 1, "cut-short"),
        (b"# 5.0 Wagers\n", 1, "no-law-header"),
        (b"---\ntitle: x\n", 2, "no-law-header"),
        (b"---\n---\n", 2, "bad-law-header"),
        (b"---\ntitle: \xff\n---\n", 2, "not-utf-8"),
        (b"\xef\xbb\xbf---\n", 1, "unseen-character"),
        (b"x" * (MAX_BYTES + 1), None, "law-too-large"),
    ],
)
def test_a_file_that_is_no_law_is_refused(tmp_path: Path, data: bytes, line: int | None, code: str) -> None:
    path = tmp_path / "x.law"
    path.write_bytes(data)
    with pytest.raises(LawError) as caught:
        read_law(path, "x")
    assert (caught.value.problem.code, caught.value.problem.line) == (code, line)
