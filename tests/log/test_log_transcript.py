"""YAML transcripts: both forms of an event, what is filled in, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from log_ferry import SCHEMA, read, refusal

from verifier.log.sources import open_log

TOP = "ruleset: ferry/strait-1990\n"


def put(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "case.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_both_forms_of_an_event(tmp_path: Path) -> None:
    path = put(
        tmp_path,
        TOP
        + """
events:
- passenger board passenger=P1 seat=B4 fare=1050 concession=true
- {board: {passenger: P1, seat: B4, fare: 1050, concession: true}, actor: passenger}
- board: {passenger: P1, seat: B4, fare: 1050, concession: true}
  actor: passenger
- skipper depart
- {depart: , actor: skipper}
- skipper weather sea=calm remark="light \\"southerly\\", 5 knots" x_wind=5
""",
    )
    rows = read(path)
    assert [row.values for row in rows[:3]] == [("P1", ("B", 4), 1050, True)] * 3
    assert [(row.event, row.actor, row.values) for row in rows[3:5]] == [("depart", "skipper", (None,))] * 2
    assert rows[5].values == ("calm", 'light "southerly", 5 knots')
    assert rows[5].extras == {"x_wind": "5"}
    assert [(row.lives, row.seq, row.at, row.line) for row in rows] == [
        (("1", 1, 1), seq, None, line) for seq, line in zip(range(1, 7), (4, 5, 6, 8, 9, 10), strict=True)
    ]


def test_rounds_count_on(tmp_path: Path) -> None:
    path = put(
        tmp_path,
        TOP
        + """
lives: {boat: Kea, crossing: 7}
rounds:
- - skipper depart
  - skipper weather sea=calm
- [skipper depart]
- lives: {tide: 2}
  events:
  - skipper depart
  - {lives: {tide: 3}}
  - skipper weather sea=rough
- lives: {crossing: 20}
  events: [skipper depart]
- [skipper depart]
""",
    )
    assert [(row.lives, row.seq) for row in read(path)] == [
        (("Kea", 1, 7), 1),
        (("Kea", 1, 7), 2),
        (("Kea", 1, 8), 3),
        (("Kea", 2, 9), 4),
        (("Kea", 3, 9), 5),
        (("Kea", 3, 20), 6),
        (("Kea", 3, 21), 7),
    ]


def test_given_keys_prevail(tmp_path: Path) -> None:
    path = put(
        tmp_path,
        TOP
        + """
operator: The desk
currency: NZD
events:
- skipper depart seq=40 at=2024-03-01T20:15:00+13:00
- {depart: {delay: 5}, actor: skipper, crossing: 2, at: 2024-03-01T20:16:00Z, x_by: hand}
- skipper depart at=2024-03-01T20:17:00Z boat=Tui
- skipper depart at=2024-03-01T20:18:00Z crossing=2
""",
    )
    with open_log(path, SCHEMA) as log:
        rows = list(log.rows())
        assert (log.header.operator, log.header.currency, log.header.missing_columns) == (
            "The desk",
            "NZD",
            frozenset(),
        )
    assert [(row.lives, row.seq) for row in rows] == [
        (("1", 1, 1), 40),
        (("1", 1, 2), 41),
        (("1", 1, 2), 42),
        (("Tui", 1, 1), 1),
    ]
    assert rows[1].at == "2024-03-01T20:16:00Z"
    assert rows[1].extras == {"x_by": "hand"}


def test_about_and_expect_come_back_as_they_are(tmp_path: Path) -> None:
    path = put(
        tmp_path,
        TOP
        + "about: A fare is refunded.\nexpect:\n  faults:\n  - {rule: '5.1', seq: 2}\nevents: [skipper depart]\n",
    )
    with open_log(path, SCHEMA) as log:
        assert log.transcript is not None
        assert log.transcript.about == "A fare is refunded."
        assert log.transcript.expect == {"faults": [{"rule": "5.1", "seq": 2}]}
        assert log.transcript.expect.lines == {"faults": 4}
        assert (log.header.currency, log.header.missing_columns) == ("XTS", frozenset({"at"}))
        assert not log.complete
        assert len(list(log.rows())) == 1
        assert log.complete


def test_a_correction(tmp_path: Path) -> None:
    path = put(
        tmp_path,
        TOP
        + """
events:
- passenger board passenger=P1 seat=B4 fare=1000
- purser correction corrects=1 corrected_event=board corrected_actor=passenger passenger=P1 seat=B4 fare=1050
- correction: {corrects: 1, corrected_event: refund, corrected_actor: purser, passenger: P1, fare: 7}
  actor: purser
""",
    )
    (row,) = read(path)
    assert (row.event, row.values, row.corrected_by) == ("refund", ("P1", 7), 3)


def test_yaml_without_its_surprises(tmp_path: Path) -> None:
    text = TOP + "lives: {boat: on}\nevents:\n- {weather: {sea: calm, remark: 1:30}, actor: skipper}\n"
    (row,) = read(put(tmp_path, text))
    assert (row.lives[0], row.values) == ("on", ("calm", "1:30"))


def test_missing_lives_are_not_filled_in(tmp_path: Path) -> None:
    (row,) = read(put(tmp_path, TOP + "missing_columns: [tide]\nevents: [skipper depart]\n"))
    assert row.lives == ("1", None, 1)


E = "events:\n"
BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{new}: &{new} [{','.join(['*' + old] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
MANY = "about: [&a x, " + ", ".join(["*a"] * 300) + "]\n"

# id: (text after the ruleset's line, code, line, field, found, expected)
CASES: dict[str, tuple[str, str, int | None, str | None, str, str]] = {
    "an alias bomb": (BOMB, "log-limit", None, None, "once aliases are expanded", "smaller"),
    "too many aliases": (MANY, "log-syntax", 2, None, "more than 256 aliases", "fewer"),
    "an alias to itself": ("about: &a [*a]\n", "log-syntax", 2, None, "what contains it", "without loops"),
    "an unknown alias": ("about: *a\n", "log-syntax", 2, None, "undefined alias", "YAML"),
    "a python tag": (
        "about: !!python/object/apply:os.system [ls]\n",
        "log-syntax",
        2,
        None,
        "python/object",
        "no tags",
    ),
    "a tag": ("about: !secret x\n", "log-syntax", 2, None, "!secret", "no tags"),
    "a set": ("about: !!set {a}\n", "log-syntax", 2, None, "set", "no tags"),
    "a merge key": ("about: {<<: {a: 1}}\n", "log-syntax", 2, None, "merge key", "written out"),
    "equal keys": ("about: a\nabout: b\n", "log-duplicate-key", 3, "about", "twice", "each key once"),
    "deep nesting": (
        "about: " + "[" * 40 + "]" * 40 + "\n",
        "log-syntax",
        2,
        None,
        "nesting over 16",
        "flatter",
    ),
    "two documents": (E + "- skipper depart\n---\na: 1\n", "log-syntax", 4, None, "another document", "YAML"),
    "broken YAML": (E + "- {depart\n", "log-syntax", 4, None, "flow mapping", "YAML"),
    "a tab": (E + "\t- skipper depart\n", "log-syntax", 3, None, "\\t", "YAML"),
    "a bell": (E + "- skipper depart \a\n", "log-syntax", 3, None, "U+0007", "printable"),
    "a key that is a number": ("1: a\n", "log-syntax", 2, None, "not text", "text"),
    "an unknown key": (
        "event: []\n" + E + "- skipper depart\n",
        "log-unknown-field",
        2,
        "event",
        "a list",
        "no such key",
    ),
    "a wrong currency": (
        "currency: dollar\n" + E + "- skipper depart\n",
        "log-header",
        2,
        "currency",
        "dollar",
        "three",
    ),
    "no events": ("about: a\n", "log-missing-field", 1, "events", "neither", "rounds of events"),
    "events and rounds": (
        "rounds: []\n" + E + "- skipper depart\n",
        "log-missing-field",
        1,
        "events",
        "both",
        "events, or",
    ),
    "events that are none": (
        "events: skipper depart\n",
        "log-syntax",
        2,
        "events",
        "skipper depart",
        "a list of events",
    ),
    "rounds that are none": ("rounds: {a: b}\n", "log-syntax", 2, "rounds", "a mapping", "a list of rounds"),
    "a round of another kind": (
        "rounds: [{event: []}]\n",
        "log-syntax",
        2,
        "event",
        "a list",
        "lives and events",
    ),
    "a number for an event": (E + "- 7\n", "log-syntax", 3, None, "7", "actor event name=value"),
    "one word": (E + "- depart\n", "log-syntax", 3, None, "depart", "actor and event first"),
    "three words": (E + "- skipper depart now\n", "log-syntax", 3, None, "now", "then name=value"),
    "a name twice": (
        E + "- skipper depart delay=1 delay=2\n",
        "log-duplicate-key",
        3,
        "delay",
        "twice",
        "once",
    ),
    "an open quote": (
        E + "- 'skipper weather remark=\"a'\n",
        "log-syntax",
        3,
        None,
        "remark",
        "double quotes",
    ),
    "a bad escape": (
        E + "- 'skipper weather remark=\"\\q\"'\n",
        "log-syntax",
        3,
        "remark",
        "\\q",
        "JSON's escapes",
    ),
    "two events in one": (
        E + "- {depart: {}, moor: {}, actor: skipper}\n",
        "log-syntax",
        3,
        None,
        "2 keys",
        "one kind",
    ),
    "no event in one": (E + "- {actor: skipper}\n", "log-syntax", 3, None, "0 keys", "one kind"),
    "parameters in a list": (
        E + "- {depart: [1], actor: skipper}\n",
        "log-syntax",
        3,
        "depart",
        "a list",
        "a mapping",
    ),
    "the actor inside": (
        E + "- {depart: {actor: skipper}}\n",
        "log-syntax",
        3,
        "actor",
        "skipper",
        "beside the event",
    ),
    "no actor": (E + "- {depart: {}}\n", "log-missing-field", 3, "actor", "nothing", "one of purser"),
    "an unknown event": (
        E + "- skipper sail\n",
        "log-unknown-event",
        3,
        "event",
        "sail",
        "the ruleset declares",
    ),
    "an unknown life": (
        "lives: {table: a}\n" + E + "- skipper depart\n",
        "log-unknown-field",
        2,
        "table",
        '"a"',
        "a life",
    ),
    "a life of a wrong type": (
        "lives: {boat: 7}\n" + E + "- skipper depart\n",
        "log-kind",
        4,
        "boat",
        "7",
        "identifier",
    ),
    "10.5": (
        E + "- passenger board passenger=P1 seat=B4 fare=10.5\n",
        "log-number",
        3,
        "fare",
        "10.5",
        "whole",
    ),
    "010": (
        E + "- {board: {passenger: P1, seat: B4, fare: 010}, actor: passenger}\n",
        "log-number",
        3,
        "fare",
        "010",
        "whole",
    ),
    "1_000": (
        E + "- {board: {passenger: P1, seat: B4, fare: 1_000}, actor: passenger}\n",
        "log-number",
        3,
        "fare",
        "1_000",
        "whole",
    ),
    "0x10": (
        E + "- {board: {passenger: P1, seat: B4, fare: 0x10}, actor: passenger}\n",
        "log-number",
        3,
        "fare",
        "0x10",
        "whole",
    ),
    "quoted 500": (
        E + "- {board: {passenger: P1, seat: B4, fare: '500'}, actor: passenger}\n",
        "log-kind",
        3,
        "fare",
        '"500"',
        "whole",
    ),
    "a number for an id": (
        E + "- {board: {passenger: 1, seat: B4, fare: 5}, actor: passenger}\n",
        "log-kind",
        3,
        "passenger",
        "1",
        "identifier",
    ),
    "yes": (
        E + "- passenger board passenger=P1 seat=B4 fare=1 concession=yes\n",
        "log-kind",
        3,
        "concession",
        '"yes"',
        "true or false",
    ),
    "a gap in seq": (E + "- skipper depart seq=1\n- skipper depart seq=3\n", "log-seq", 4, "seq", "3", "2"),
    "a number expected": ("expect: 5\n" + E + "- skipper depart\n", "log-expect", 2, "expect", "5", "faults"),
    "a list expected": (E + "- skipper depart\nexpect: []\n", "log-expect", 4, "expect", "list", "faults"),
    "about a number": ("about: 5\n" + E + "- skipper depart\n", "log-expect", 2, "about", "5", "text"),
    "half the times": (
        E + "- skipper depart at=2024-03-01T20:15:00Z\n- skipper depart\n",
        "log-missing-field",
        4,
        "at",
        "nothing",
        "RFC 3339",
    ),
    "a BOM": ("\ufeff", "log-encoding", 1, None, "byte order mark", "without"),
}


@pytest.mark.parametrize("case", CASES)
def test_refused(case: str, tmp_path: Path) -> None:
    text, code, number, field, found, expected = CASES[case]
    path = put(tmp_path, text if case == "a BOM" else TOP + text)
    problem = refusal(path)[0]
    assert (problem.code, problem.file) == (code, str(path)), problem
    assert number is None or problem.line == number, problem
    assert problem.message.startswith("found " if field is None else f"field {field}: found "), (
        problem.message
    )
    said_found, _, said_expected = problem.message.partition(", expected ")
    assert found in said_found, problem.message
    assert expected in said_expected, problem.message


@pytest.mark.parametrize("text", ["", "# nothing\n", "- a\n", "just text\n"])
def test_no_mapping_at_all(text: str, tmp_path: Path) -> None:
    problem = refusal(put(tmp_path, text))[0]
    assert problem.code in ("log-empty", "log-syntax")
    assert "ruleset" in problem.message.partition(", expected ")[2]


def test_rounds_that_cannot_be_numbered(tmp_path: Path) -> None:
    text = TOP + "missing_columns: [crossing]\nrounds:\n- [skipper depart]\n- [skipper depart]\n"
    problem = refusal(put(tmp_path, text))[0]
    assert problem.line == 5
    assert "cannot number them" in problem.message


def test_a_transcript_over_the_limit(tmp_path: Path) -> None:
    assert refusal(put(tmp_path, TOP + "#" * (5 << 20)))[0].code == "log-limit"


def test_the_line_of_a_field_in_a_long_event(tmp_path: Path) -> None:
    text = TOP + "events:\n- board:\n    passenger: P1\n    seat: B4\n    fare: 10.5\n  actor: captain\n"
    problems = refusal(put(tmp_path, text))
    assert [(p.line, p.message.split(":")[0], p.excerpt) for p in problems] == [
        (7, "field actor", "  actor: captain"),
        (6, "field fare", "    fare: 10.5"),
    ]
    assert problems[1].column == 11


def test_another_ruleset_is_told_before_what_that_makes_unknown(tmp_path: Path) -> None:
    text = "ruleset: ferry/river-1990\nevents:\n- {lives: {trip: 2}}\n- skipper depart\n"
    (problem,) = refusal(put(tmp_path, text))
    assert (problem.code, problem.line) == ("log-ruleset", 1)
    (problem,) = refusal(put(tmp_path, text.replace("river", "strait")))
    assert (problem.code, problem.line) == ("log-unknown-field", 3)
