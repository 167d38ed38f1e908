"""spec/log.md: every example is run, and its tables are the code's."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any, get_args

import jsonschema
import pytest
from log_ferry import HEADER, SCHEMA, read

import verifier.log
import verifier.transcripts
from verifier.cli.check import command as check_command
from verifier.errors import LogError
from verifier.log.arrange import read_columns
from verifier.log.faults import RefusedError
from verifier.log.header import HEADER_KEYS, parse_header
from verifier.log.limits import LIMITS
from verifier.log.rows import Row
from verifier.log.schema import RESERVED, Kind
from verifier.log.schema_json import to_json_schema
from verifier.log.yamltext import parse_yaml
from verifier.transcripts.expectation import Fault, read_expectation

PAGE = (Path(__file__).parents[2] / "spec" / "log.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```([a-z]+)(?: ([a-z]+))?\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def blocks(kind: str, word: str) -> list[str]:
    return [text for language, mark, text in BLOCKS if (language, mark) == (kind, word)]


def rows_of(text: str, name: str) -> list[Row]:
    Path(name).write_text(text, encoding="utf-8", newline="")
    return read(Path(name))


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_every_block_is_run() -> None:
    kinds = [(language, mark) for language, mark, _ in BLOCKS]
    assert sorted(set(kinds)) == [
        ("csv", "good"),
        ("json", "manifest"),
        ("jsonl", "good"),
        ("jsonl", "refused"),
        ("text", ""),
        ("yaml", "columns"),
        ("yaml", "expect"),
        ("yaml", "good"),
    ]
    assert kinds.count(("csv", "good")) == kinds.count(("json", "manifest")) == 1


def test_good_logs() -> None:
    day, corrected = (rows_of(text, "day.jsonl") for text in blocks("jsonl", "good"))
    assert [row.event for row in day] == ["board", "weather", "depart"]
    assert [(row.values, row.corrected_by, row.lives) for row in corrected] == [
        (("P1", None, 1500, None), 2, ("Kea", None, 1))
    ]


def test_refused_logs() -> None:
    refused = re.findall(
        r"^```jsonl refused\n(.*?)^```\n\n```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
    )
    assert len(refused) == len(blocks("jsonl", "refused")) == 2
    for text, said in refused:
        with pytest.raises(LogError) as caught:
            rows_of(text, "day.jsonl")
        assert str(caught.value) + "\n" == said


def test_what_a_transcript_expects() -> None:
    (text,) = blocks("yaml", "expect")
    expected = read_expectation(parse_yaml(text)["expect"], dict.fromkeys(["9.1", "9.2 [then]", "9.3(a)"]))
    assert expected.faults == (Fault(6, (("broken", frozenset({"9.3(a)"})),), (("the house", "500"),)),)
    assert expected.kept == ("9.1", "9.2 [then]")


def test_names_of_ones_own() -> None:
    Path("map.yaml").write_text(blocks("yaml", "columns")[0], encoding="utf-8")
    arrange = read_columns(Path("map.yaml"), SCHEMA)
    assert arrange.names == {"vessel": "boat", "FARE_CENTS": "fare", "badge": "x_clerk"}
    assert arrange.ignored == {"created by"}


def test_csv_with_its_manifest() -> None:
    Path("day.csv.manifest.json").write_text(blocks("json", "manifest")[0], encoding="utf-8")
    rows = rows_of(blocks("csv", "good")[0], "day.csv")
    assert [row.event for row in rows] == ["board", "weather", "depart"]
    assert rows[1].extras == {"x_wind": "SE 5, gusts"}


def test_transcripts() -> None:
    short, long = (rows_of(text, "case.yaml") for text in blocks("yaml", "good"))
    assert [(row.seq, row.event, row.lives) for row in short] == [
        (1, "board", ("1", 1, 1)),
        (2, "weather", ("1", 1, 1)),
        (3, "depart", ("1", 1, 1)),
    ]
    assert [(row.seq, row.event, row.lives) for row in long] == [
        (1, "board", ("Kea", 1, 7)),
        (2, "depart", ("Kea", 1, 7)),
        (3, "refund", ("Kea", 1, 8)),
        (4, "board", ("Kea", 2, 8)),
    ]


def listed(heading: str) -> str:
    return PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]


def test_the_declarations_are_those_of_the_examples() -> None:
    names: list[str] = [life.name for life in SCHEMA.lives]
    names += [*SCHEMA.actors, *SCHEMA.events, *SCHEMA.columns, *SCHEMA.options]
    assert [name for name in names if f"`{name}`" not in PAGE] == []


def test_columns_and_keys_are_all_described() -> None:
    assert [name for name in RESERVED if f"`{name}`" not in PAGE] == []
    assert [key for key in HEADER_KEYS if f"`{key}`" not in listed("Header")] == []


def table(section: str, columns: int) -> list[list[str]]:
    """The cells of the rows of each table in a section that has so many columns."""
    lines = [re.split(r" *(?<!\\)\| *", line)[1:-1] for line in section.splitlines() if line.startswith("| ")]
    return [cells for cells in lines if len(cells) == columns and not cells[0].startswith("---")]


def quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


COLUMN_OF: dict[str, tuple[str, str]] = {
    "integer": ("depart", "delay"),
    "money": ("board", "fare"),
    "boolean": ("board", "concession"),
    "enumeration": ("weather", "sea"),
    "identifier": ("board", "passenger"),
    "text": ("weather", "remark"),
    "written": ("board", "seat"),
    "time": ("board", "at"),
}
"""Of each kind a column, and an event that has it."""

VALUES = {cells[0]: cells[1:] for cells in table(PAGE.split("\n### Values\n")[1].split("\n## ")[0], 3)[1:]}


def test_every_kind_is_described() -> None:
    assert VALUES.keys() == COLUMN_OF.keys() == set(get_args(Kind))
    assert all(quoted(cell) for cells in VALUES.values() for cell in cells)
    for kind, (_, column) in COLUMN_OF.items():
        assert kind == "time" or SCHEMA.columns[column].kind == kind


def with_value(kind: str, token: str) -> str:
    """A log of one row, whose column of this kind holds what the token says."""
    event, column = COLUMN_OF[kind]
    fields = {
        "board": {"passenger": "P1", "seat": "B4", "fare": 5},
        "weather": {"sea": "calm"},
        "depart": {},
    }[event]
    values: dict[str, object] = {
        "boat": "Kea",
        "tide": 1,
        "crossing": 1,
        "seq": 1,
        "at": "2024-03-01T20:15:00Z",
    }
    values |= {"actor": "purser", "event": event, **fields}
    values.pop(column, None)
    line = json.dumps(values)[:-1] + f', "{column}": {token}}}\n'
    body = json.dumps({**HEADER, "missing_columns": []}) + "\n" + line
    seal = {"events": 1, "sha256": hashlib.sha256(body.encode()).hexdigest()}
    return body + json.dumps({"gazette-log-end": seal}) + "\n"


@pytest.mark.parametrize(
    ("kind", "token"), [(kind, token) for kind, cells in VALUES.items() for token in quoted(cells[0])]
)
def test_values_that_are_read(kind: str, token: str) -> None:
    (row,) = rows_of(with_value(kind, token), "day.jsonl")
    found = (
        row.at
        if kind == "time"
        else row.values[SCHEMA.events[row.event].parameters.index(COLUMN_OF[kind][1])]
    )
    assert found == (("B", 4) if kind == "written" else json.loads(token))


@pytest.mark.parametrize(
    ("kind", "token"), [(kind, token) for kind, cells in VALUES.items() for token in quoted(cells[1])]
)
def test_values_that_are_refused(kind: str, token: str) -> None:
    with pytest.raises(LogError):
        rows_of(with_value(kind, token), "day.jsonl")


def refused_in_a_header() -> list[tuple[str, str]]:
    section = listed("Header").split("\n| key | refused |\n")[1]
    return [(quoted(key)[0], token) for key, cell in table(section, 2) for token in quoted(cell)]


def test_what_is_refused_of_a_header_is_said_of_each_key() -> None:
    assert {key for key, _ in refused_in_a_header()} == {*HEADER_KEYS, "x_clerk"}


@pytest.mark.parametrize(("key", "token"), refused_in_a_header())
def test_headers_that_are_refused(key: str, token: str) -> None:
    with pytest.raises(RefusedError) as caught:
        parse_header({**HEADER, key: json.loads(token)}, SCHEMA)
    assert {fault.field.partition(".")[0] for fault in caught.value.faults} == {key}


def test_the_seal_is_what_the_page_says() -> None:
    for text in blocks("jsonl", "good"):
        *before, last = text.splitlines(keepends=True)
        digest = hashlib.sha256("".join(before).encode()).hexdigest()
        assert json.loads(last) == {"gazette-log-end": {"events": len(before) - 1, "sha256": digest}}


def test_good_lines_satisfy_the_json_schema() -> None:
    for text in blocks("jsonl", "good"):
        lines = [json.loads(line) for line in text.splitlines()]
        check = jsonschema.Draft202012Validator(to_json_schema(SCHEMA, parse_header(lines[0], SCHEMA)))
        assert [list(check.iter_errors(line)) for line in lines] == [[]] * len(lines)
        whole = jsonschema.Draft202012Validator(to_json_schema(SCHEMA))
        assert [line["seq"] for line in lines[1:-1] if whole.is_valid(line)] == []  # each lacks `at`


def test_options_are_those_of_the_command() -> None:
    has = {name for parameter in check_command.params for name in parameter.opts if name.startswith("--")}
    told = {name for cells in table(listed("Options of a check"), 2)[1:] for name in quoted(cells[0])}
    others = {
        "format",
        "output",
        "verdicts",
        "strict",
        "engine",
        "jobs",
        "quiet",
        "no-progress",
        "color",
        "help",
    }
    assert told | {f"--{name}" for name in others} >= has >= told


def test_bounds_are_those_of_the_code() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([\d,]+) \|", listed("Bounds"), re.MULTILINE)
    stated = {name: int(number.replace(",", "")) for name, number in rows}
    assert stated == {name: getattr(LIMITS, name) for name in LIMITS.__slots__}


def test_codes_are_those_of_the_code() -> None:
    folders = [Path(package.__path__[0]) for package in (verifier.log, verifier.transcripts)]
    used: set[Any] = set()
    for file in (file for folder in folders for file in folder.glob("*.py")):
        used |= set(re.findall(r'"(log-[a-z-]+)"', file.read_text(encoding="utf-8")))
    assert set(re.findall(r"`(log-[a-z-]+)`", listed("Refusals"))) == used


def test_the_manifest_is_json() -> None:
    assert json.loads(blocks("json", "manifest")[0])["events"] == 3
