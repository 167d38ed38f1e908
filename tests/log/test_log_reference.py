"""spec/log.md: every example is run, and its tables are the code's."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from log_ferry import SCHEMA, read

import verifier.log
import verifier.transcripts
from verifier.errors import LogError
from verifier.log.arrange import read_columns
from verifier.log.header import HEADER_KEYS
from verifier.log.limits import LIMITS
from verifier.log.rows import Row
from verifier.log.schema import RESERVED
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
