"""The Python API: what importing it costs, paths and relations, headers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from check_logs import GOOD, STATED, TILL, led, only, rules, transcript

import verifier
from verifier.errors import LogError, RequestError

HEADER: dict[str, Any] = {
    "operator": "A Casino",
    "currency": "NZD",
    "exponent": 2,
    "records": "all",
    "missing_columns": ["at"],
    **STATED,
}


def table(amount: int) -> Any:
    """One round at the till as an Arrow table."""
    import pyarrow as pa

    return pa.table(
        {
            "table": ["T1"] * 4,
            "shoe": [1] * 4,
            "round": [1] * 4,
            "seq": [1, 2, 3, 4],
            "actor": ["player", "dealer", "dealer", "dealer"],
            "event": ["wager", "close", "pay", "end_round"],
            "player": ["ann", None, "ann", None],
            "amount": [1000, None, amount, None],
        }
    )


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = ["lark", "duckdb", "pyarrow", "z3", "rich", "yaml", "jinja2", "click", "verifier.api"]
    code = f"import sys, verifier; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=TILL.parents[3]
    )
    assert done.stdout.strip() == "[]"


def test_the_package_names_what_it_offers() -> None:
    assert set(verifier.__all__) <= set(dir(verifier))
    for name in verifier.__all__:
        assert getattr(verifier, name).__name__ == name
    with pytest.raises(AttributeError, match="has no attribute 'lode'"):
        verifier.lode  # noqa: B018


def test_paths_in_all_forms(tmp_path: Path) -> None:
    path = transcript(tmp_path / "a.yaml", "check/till", GOOD, **STATED)
    till = verifier.load(TILL)
    assert till.name == "check/till"
    assert repr(till) == "<Rules check/till>"
    for logs in (path, str(path), [path], tmp_path):
        assert till.check(logs).in_order


def test_an_arrow_table(tmp_path: Path) -> None:
    good = rules(TILL).check(table(1500), header=HEADER)
    assert good.in_order
    assert (good.files[0].name, good.files[0].sha256) == ("<relation>", None)
    entry = only(rules(TILL).check(table(1400), header=HEADER))
    assert led(entry) == ("broken", "settlement")
    assert (entry.file, entry.line) == ("<relation>", 3)
    assert rules(TILL).check(table(1500).to_reader(), header=HEADER).in_order


def test_a_relation_needs_a_header() -> None:
    with pytest.raises(RequestError, match="comes without a header"):
        rules(TILL).check(table(1500))


def test_a_relation_with_a_wrong_header() -> None:
    with pytest.raises(LogError, match="currency"):
        rules(TILL).check(table(1500), header={**HEADER, "currency": "dollars"})


def test_a_file_takes_no_header(tmp_path: Path) -> None:
    path = transcript(tmp_path / "a.yaml", "check/till", GOOD, **STATED)
    with pytest.raises(RequestError, match="files have their own"):
        rules(TILL).check(path, header=HEADER)


def test_a_folder_of_rulesets(tmp_path: Path) -> None:
    assert verifier.load("till", [TILL.parent]).name == "check/till"
    with pytest.raises(RequestError):
        verifier.load("till", [tmp_path])
