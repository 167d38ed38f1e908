"""Headers and manifests that must be refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from log_ferry import HEADER, body, log, manifest, read, refusal, row, trailer

CSV = b"boat,tide,crossing,seq,actor,event\nKea,1,1,1,skipper,depart\n"

# id: (changes to the header, code, field, found, expected); a change to None leaves the key out.
CASES: dict[str, tuple[dict[str, Any], str, str, str, str]] = {
    "version 2": ({"gazette-log": 2}, "log-header", "gazette-log", "found 2", "1, the version"),
    "version true": ({"gazette-log": True}, "log-header", "gazette-log", "found true", "1, the version"),
    "no operator": ({"operator": None}, "log-missing-field", "operator", "nothing", "operator's name"),
    "operator on two lines": ({"operator": "a\nb"}, "log-header", "operator", "a\\nb", "on one line"),
    "no ruleset": ({"ruleset": None}, "log-missing-field", "ruleset", "nothing", "ferry/strait-1990"),
    "another ruleset": (
        {"ruleset": "ferry/gulf"},
        "log-ruleset",
        "ruleset",
        "ferry/gulf",
        "ferry/strait-1990",
    ),
    "a short digest": ({"ruleset_digest": "ab"}, "log-header", "ruleset_digest", '"ab"', "SHA-256"),
    "a word for a currency": ({"currency": "dollar"}, "log-header", "currency", "dollar", "three capital"),
    "text for the exponent": ({"exponent": "2"}, "log-header", "exponent", '"2"', "from 0 to 9"),
    "an exponent too large": ({"exponent": 10}, "log-header", "exponent", "found 10", "from 0 to 9"),
    "no records": ({"records": None}, "log-header", "records", "nothing", '"all" or a list'),
    "an unknown record": ({"records": ["bord"]}, "log-header", "records", '"bord"', "a kind of event"),
    "a record twice": ({"records": ["board", "board"]}, "log-header", "records", "twice", "each name once"),
    "records some": ({"records": "some"}, "log-header", "records", '"some"', '"all" or a list'),
    "unordered text": ({"unordered": "board"}, "log-header", "unordered", '"board"', "a list"),
    "unordered but not recorded": (
        {"records": ["depart"], "unordered": ["board"]},
        "log-header",
        "unordered",
        '"board"',
        "recorded",
    ),
    "an unknown missing column": (
        {"missing_columns": ["at", "wind"]},
        "log-header",
        "missing_columns",
        '"wind"',
        "a life",
    ),
    "actor missing": ({"missing_columns": ["actor"]}, "log-header", "missing_columns", '"actor"', "a life"),
    "options as a list": ({"options": []}, "log-header", "options", "a list of 0", "a mapping"),
    "an unknown option": (
        {"options": {"lugage": 1}},
        "log-unknown-field",
        "options.lugage",
        "found 1",
        "an option",
    ),
    "an option out of range": (
        {"options": {"luggage": 4}},
        "log-range",
        "options.luggage",
        "found 4",
        "from 0 to 3",
    ),
    "an unknown key": ({"operater": "x"}, "log-unknown-field", "operater", '"x"', "no such key"),
}


def changed(changes: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in (HEADER | changes).items() if value is not None}


def check(problem: Any, path: Path, case: str) -> None:
    _, code, field, found, expected = CASES[case]
    assert (problem.code, problem.file) == (code, str(path))
    assert problem.message.startswith(f"field {field}: found ")
    said_found, _, said_expected = problem.message.partition(", expected ")
    assert found.removeprefix("found ") in said_found, problem.message
    assert expected in said_expected, problem.message


@pytest.mark.parametrize("case", CASES)
def test_refused_header(case: str, tmp_path: Path) -> None:
    path = tmp_path / "day.jsonl"
    path.write_bytes(log(header=changed(CASES[case][0])))
    problem = refusal(path)[0]
    assert problem.line == 1
    check(problem, path, case)


@pytest.mark.parametrize("case", CASES)
def test_refused_manifest(case: str, tmp_path: Path) -> None:
    path = tmp_path / "day.csv"
    path.write_bytes(CSV)
    beside = tmp_path / "day.csv.manifest.json"
    beside.write_text(
        json.dumps({k: v for k, v in manifest(CSV, 1, **CASES[case][0]).items() if v is not None})
    )
    check(refusal(path)[0], beside, case)


def test_several_faults_of_one_header(tmp_path: Path) -> None:
    path = tmp_path / "day.jsonl"
    path.write_bytes(log(header=changed({"operator": None, "currency": "nzd", "exponent": 2.5})))
    assert [problem.message.split(":")[0] for problem in refusal(path)] == [
        "field operator",
        "field currency",
        "field exponent",
    ]


def test_a_kind_that_is_not_recorded(tmp_path: Path) -> None:
    path = tmp_path / "day.jsonl"
    path.write_bytes(log(row(1), header=changed({"records": ["depart", "moor"]})))
    problem = refusal(path)[0]
    assert (problem.code, problem.line) == ("log-contradiction", 2)
    assert problem.help == "the header says that board is not recorded"


@pytest.mark.parametrize("missing", ["fare", "board.fare"])
def test_a_column_that_is_never_recorded_but_there(missing: str, tmp_path: Path) -> None:
    path = tmp_path / "day.jsonl"
    path.write_bytes(log(row(1), header=changed({"missing_columns": ["at", missing]})))
    problem = refusal(path)[0]
    assert (problem.code, problem.line) == ("log-contradiction", 2)
    assert problem.message.startswith("field fare: found 1050, expected nothing")


def test_a_correction_where_rounds_are_not_recorded(tmp_path: Path) -> None:
    header = changed({"missing_columns": ["at", "crossing"]})
    correction = row(
        2, "correction", crossing=None, corrects=1, corrected_event="depart", corrected_actor="skipper"
    )
    path = tmp_path / "day.jsonl"
    path.write_bytes(log(row(1, crossing=None), correction, header=header))
    problem = refusal(path)[0]
    assert (problem.code, problem.line) == ("log-correction", 3)


@pytest.mark.parametrize(
    "at",
    [
        "2024-02-30T10:00:00Z",
        "2024-02-01 10:00:00Z",
        "2024-02-01T10:00:00",
        "2024-02-01T24:00:00Z",
        "2024-02-01T10:00:60Z",
        "2024-02-01t10:00:00z",
        "24-02-01T10:00:00Z",
        "2024-02-01T10:00:00+24:00",
        "2024-02-01T10:00:00.Z",
        "２024-02-01T10:00:00Z",
    ],
)
def test_refused_times(at: str, tmp_path: Path) -> None:
    path = tmp_path / "day.jsonl"
    path.write_bytes(log(row(1, at=at), header=changed({"missing_columns": None})))
    problem = refusal(path)[0]
    assert (problem.code, problem.line) == ("log-time", 2)
    assert problem.message.startswith("field at: found")
    assert "RFC 3339" in problem.message


@pytest.mark.parametrize(
    "at",
    [
        "2024-02-29T10:00:00Z",
        "2024-02-01T10:00:00.123456789+13:00",
        "2016-12-31T23:59:60Z",
        "2017-01-01T12:59:60+13:00",
        "2016-12-31T18:29:60.5-05:30",
    ],
)
def test_accepted_times(at: str, tmp_path: Path) -> None:
    path = tmp_path / "day.jsonl"
    path.write_bytes(log(row(1, at=at), header=changed({"missing_columns": None})))
    assert [line.at for line in read(path)] == [at]


def test_no_time_where_times_are_recorded(tmp_path: Path) -> None:
    path = tmp_path / "day.jsonl"
    path.write_bytes(log(row(1), header=changed({"missing_columns": None})))
    assert refusal(path)[0].message.startswith("field at: found nothing, expected a time")


def manifest_refusal(tmp_path: Path, text: str, name: str = "day.csv.manifest.json") -> Any:
    path = tmp_path / "day.csv"
    path.write_bytes(CSV)
    (tmp_path / name).write_text(text)
    return refusal(path)[0]


def test_equal_keys_in_a_manifest(tmp_path: Path) -> None:
    text = json.dumps(manifest(CSV, 1), indent=1).replace('"exponent": 2', '"exponent": 2,\n "exponent": 0')
    problem = manifest_refusal(tmp_path, text)
    assert (problem.code, problem.line) == ("log-duplicate-key", 7)
    assert problem.message == "field exponent: found it twice in one object, expected each field once"


def test_equal_keys_in_a_yaml_manifest(tmp_path: Path) -> None:
    text = (
        "".join(f"{key}: {json.dumps(value)}\n" for key, value in manifest(CSV, 1).items()) + "exponent: 0\n"
    )
    problem = manifest_refusal(tmp_path, text, "day.csv.manifest.yaml")
    assert (problem.code, problem.line) == ("log-duplicate-key", 10)
    assert problem.message.startswith("field exponent: found it twice")


@pytest.mark.parametrize(
    ("changes", "field", "code"),
    [
        ({"events": "1"}, "events", "log-trailer"),
        ({"events": 1.0}, "events", "log-trailer"),
        ({"sha256": "AB"}, "sha256", "log-trailer"),
        ({"sha256": None}, "sha256", "log-trailer"),
    ],
)
def test_a_manifest_without_a_good_seal(
    changes: dict[str, Any], field: str, code: str, tmp_path: Path
) -> None:
    problem = manifest_refusal(tmp_path, json.dumps(manifest(CSV, **({"events": 1} | changes))))
    assert problem.code == code
    assert problem.message.startswith(f"field {field}: found ")
    assert problem.help is not None
    assert "sha256sum" in problem.help


def test_no_manifest(tmp_path: Path) -> None:
    (tmp_path / "day.csv").write_bytes(CSV)
    problem = refusal(tmp_path / "day.csv")[0]
    assert problem.code == "log-manifest"
    assert problem.message == "found no manifest, expected one beside the log, day.csv.manifest.json"


def test_two_manifests(tmp_path: Path) -> None:
    (tmp_path / "day.csv.manifest.yaml").write_text("{}")
    problem = manifest_refusal(tmp_path, "{}")
    assert problem.code == "log-manifest"
    assert "more than one" in problem.message


def test_a_manifest_under_the_whole_name_goes_first(tmp_path: Path) -> None:
    import gzip

    path = tmp_path / "day.csv.gz"
    path.write_bytes(gzip.compress(CSV))
    (tmp_path / "day.csv.manifest.json").write_text("{}")
    assert refusal(path)[0].file == str(tmp_path / "day.csv.manifest.json")
    (tmp_path / "day.csv.gz.manifest.json").write_text(json.dumps(manifest(CSV, 1)))
    assert len(read(path)) == 1
    (tmp_path / "day.csv.gz.manifest.yml").write_text("{}")
    assert "day.csv.gz.manifest.json and day.csv.gz.manifest.yml" in refusal(path)[0].message


@pytest.mark.parametrize(("name", "text"), [("json", "[]"), ("yaml", "- a\n"), ("yml", "")])
def test_a_manifest_that_is_no_mapping(name: str, text: str, tmp_path: Path) -> None:
    problem = manifest_refusal(tmp_path, text, f"day.csv.manifest.{name}")
    assert problem.code in ("log-syntax", "log-manifest")
    assert problem.line in (1, None)
    assert "expected a JSON object" in problem.message or "expected a mapping" in problem.message


def test_a_trailer_of_an_empty_log(tmp_path: Path) -> None:
    path = tmp_path / "day.jsonl"
    path.write_bytes(body() + trailer(body()))
    assert read(path) == []
