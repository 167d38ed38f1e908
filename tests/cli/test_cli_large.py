"""Numbers that grow past all bounds: what is too large to check is known no more, and breaks nothing."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

TIMES = 450
"""So many tolls later a number that grows by 20 bits with each has been too large for long, and by 10 as well."""


@pytest.fixture
def growing(bridge: Path) -> tuple[Path, Path]:
    """A log, and rules by which nobody crosses while the number that grows slowly is the larger one: never."""
    path = bridge / "bridge.rules"
    text = path.read_text("utf-8")
    text = text.replace("  raised: bool\n", "  raised: bool\n  fast: money\n  slow: money\n")
    text = text.replace(
        "  charged = yes\n", "  charged = yes\n  fast = fast * 1048576 + a\n  slow = slow * 1024 + a\n"
    )
    path.write_text(text.replace("must not cross(t) when raised", "must not cross(t) when slow > fast"))
    assert "slow > fast" in path.read_text("utf-8")
    header = {
        "gazette-log": 1, "operator": "a test", "ruleset": "bridge", "currency": "NZD", "exponent": 2,
        "records": "all", "missing_columns": ["at"],
    }  # fmt: skip
    rows: list[dict[str, object]] = []
    for crossing in range(1, TIMES + 1):
        for fields in (
            {"actor": "traveller", "event": "arrive", "traveller": "ann"},
            {"actor": "keeper", "event": "charge", "traveller": "ann", "kind": "foot", "amount": 50},
            {"actor": "traveller", "event": "cross", "traveller": "ann"},
            {"actor": "traveller", "event": "leave"},
        ):
            rows.append({"bridge": "n", "crossing": crossing, "seq": len(rows) + 1, **fields})
    body = "".join(json.dumps(line) + "\n" for line in [header, *rows])
    end = {"events": len(rows), "sha256": hashlib.sha256(body.encode()).hexdigest()}
    log = bridge / "growing.jsonl"
    log.write_text(body + json.dumps({"gazette-log-end": end}) + "\n")
    return log, path


@pytest.mark.parametrize("engine", ["explain", "bulk"])
def test_what_grows_too_large_is_not_checkable(gazette, growing: tuple[Path, Path], engine: str) -> None:
    log, rules = growing
    ran = gazette("check", log, "--rules", rules, "--engine", engine, "--format", "json")
    assert ran.err == ""
    found = json.loads(ran.out)
    (clause,) = (c for c in found["clauses"] if c["clause"] == "1.2")
    assert (ran.code, found["entries"]) == (3, [])
    assert clause["kept"] + clause["not_checkable"] == TIMES
    assert clause["kept"] == 205, "6 bits for the first toll, 20 for each further one, 4,096 at most"
    (why,) = clause["why_not"]
    assert why["text"] == "a number is too large to check"


def test_what_stays_small_is_checked(gazette, growing: tuple[Path, Path]) -> None:
    log, rules = growing
    rules.write_text(
        rules.read_text("utf-8").replace("fast * 1048576", "fast").replace("slow * 1024", "slow")
    )
    ran = gazette("check", log, "--rules", rules)
    assert (ran.code, "is in order" in ran.out) == (0, True)
