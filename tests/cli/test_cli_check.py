"""`gazette check`: what it takes, what it writes, and how it ends."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import sys
from pathlib import Path

import pytest

TRANSCRIPT = """\
ruleset: bridge
events:
- traveller arrive traveller=ann
- keeper charge traveller=ann kind=foot amount={amount}
- traveller cross traveller=ann
"""


def test_a_log_in_order(gazette, bridge: Path) -> None:
    ran = gazette("check", bridge / "kept.jsonl", "--rules", bridge / "bridge.rules")
    assert (ran.code, ran.err) == (0, "")
    assert "The log is in order" in ran.out


def test_a_log_with_faults_cites_the_clauses(gazette, bridge: Path) -> None:
    ran = gazette("check", bridge / "broken.jsonl", "--rules", bridge / "bridge.rules")
    assert ran.code == 1
    assert "NOT in order: 3 faults" in ran.out
    assert "1.2 “No traveller shall cross while the bridge is raised”" in ran.out
    assert "ann is short by NZD 1.50" in ran.out


def test_json(gazette, bridge: Path) -> None:
    ran = gazette("check", bridge / "broken.jsonl", "--rules", bridge / "bridge.rules", "--format", "json")
    found = json.loads(ran.out)
    assert found["exit_code"] == ran.code == 1
    assert [entry["findings"][0]["rules"][0]["clause"] for entry in found["entries"]] == [
        "1.1(a)",
        "1.2",
        "1.1",
    ]


def test_jsonl_has_a_line_for_each_entry_and_a_summary(gazette, bridge: Path) -> None:
    ran = gazette("check", bridge / "broken.jsonl", "--rules", bridge / "bridge.rules", "--format", "jsonl")
    lines = [json.loads(line) for line in ran.out.splitlines()]
    assert [list(line) for line in lines] == [["entry"], ["entry"], ["entry"], ["summary"]]
    assert lines[-1]["summary"]["entries_total"] == 3


def test_output_to_a_file_is_the_text_without_colour(gazette, bridge: Path, tmp_path: Path) -> None:
    arguments = ["check", bridge / "broken.jsonl", "--rules", bridge / "bridge.rules"]
    ran = gazette(*arguments, "--output", tmp_path / "report.txt", "--color", "always")
    assert (ran.code, ran.out, ran.err) == (1, "", "")
    assert (tmp_path / "report.txt").read_text() == gazette(*arguments).out


def test_colour(gazette, bridge: Path) -> None:
    arguments = ["check", bridge / "broken.jsonl", "--rules", bridge / "bridge.rules"]
    assert "\x1b[" in gazette(*arguments, "--color", "always").out
    assert "\x1b[" not in gazette(*arguments).out


def test_quiet_leaves_the_exit_code(gazette, bridge: Path, tmp_path: Path) -> None:
    arguments = ["check", bridge / "broken.jsonl", "--rules", bridge / "bridge.rules", "--quiet"]
    for format_ in ("text", "json", "jsonl"):
        ran = gazette(*arguments, "--format", format_)
        assert (ran.code, ran.out, ran.err) == (1, "", "")
    gazette(*arguments, "-o", tmp_path / "report.txt")
    assert "NOT in order" in (tmp_path / "report.txt").read_text()


def test_standard_input(gazette, bridge: Path) -> None:
    log = (bridge / "kept.jsonl").read_bytes()
    ran = gazette("check", "-", "--rules", bridge / "bridge.rules", stdin=log)
    assert ran.code == 0
    assert "<standard input> (8 events" in ran.out
    assert gazette("check", "-", "--rules", bridge / "bridge.rules", stdin=gzip.compress(log)).code == 0


def test_log_format_for_what_no_name_tells(gazette, bridge: Path) -> None:
    arguments = ["check", "-", "--rules", bridge / "bridge.rules"]
    transcript = TRANSCRIPT.format(amount=50).encode()
    assert gazette(*arguments, stdin=transcript).code == 2
    assert gazette(*arguments, "--log-format", "yaml", stdin=transcript).code == 0
    assert gazette(*arguments, "--log-format", "yaml", stdin=TRANSCRIPT.format(amount=60).encode()).code == 1


def test_several_logs_and_folders(gazette, bridge: Path, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    for number, name in enumerate(("kept", "broken")):
        (folder / f"{number}.jsonl").write_bytes((bridge / f"{name}.jsonl").read_bytes())
    ran = gazette("check", folder, "--rules", bridge / "bridge.rules", "--format", "json")
    assert [file["events"] for file in json.loads(ran.out)["files"]] == [8, 13]


def test_a_manifest_named(gazette, bridge: Path, tmp_path: Path) -> None:
    row = "north,1,1,2024-03-01T20:15:00+13:00,keeper,charge,ann,foot,50"
    log = f"bridge,crossing,seq,at,actor,event,traveller,kind,amount\n{row}\n".encode()
    (tmp_path / "log.csv").write_bytes(log)
    header = {"gazette-log": 1, "operator": "x", "ruleset": "bridge", "currency": "NZD", "exponent": 2}
    seal = {"records": "all", "events": 1, "sha256": hashlib.sha256(log).hexdigest()}
    (tmp_path / "about.json").write_text(json.dumps({**header, **seal}))
    arguments = ["check", tmp_path / "log.csv", "--rules", bridge / "bridge.rules"]
    assert gazette(*arguments).code == 2
    ran = gazette(*arguments, "--manifest", tmp_path / "about.json")
    assert (ran.code, ran.err) == (0, "")


def test_options_are_set(gazette, bridge: Path) -> None:
    rules = bridge / "bridge.rules"
    text = rules.read_text().replace("event raise by", "option low: bool\nevent raise by")
    rules.write_text(text.replace("cross(t) when raised", "cross(t) when raised and not low"))
    arguments = ["check", bridge / "broken.jsonl", "--rules", rules, "--format", "json"]
    clauses = {}
    for value in ("yes", "no"):
        found = json.loads(gazette(*arguments, "--set", f"low={value}").out)
        clauses[value] = [entry["findings"][0]["rules"][0]["clause"] for entry in found["entries"]]
    assert clauses == {"yes": ["1.1(a)", "1.1"], "no": ["1.1(a)", "1.2", "1.1"]}
    assert gazette(*arguments, "--set", "high=yes").code == 2
    assert gazette(*arguments, "--set", "low=maybe").code == 2
    assert gazette(*arguments, "--set", "low").code == 2


def test_what_is_not_recorded_makes_3_under_strict_only(gazette, bridge: Path, tmp_path: Path) -> None:
    log = tmp_path / "some.yaml"
    log.write_text(TRANSCRIPT.format(amount=50) + "records: [arrive, charge, cross, leave]\n")
    arguments = ["check", log, "--rules", bridge / "bridge.rules"]
    assert gazette(*arguments).code == 0
    assert gazette(*arguments, "--strict").code == 3


def test_a_log_of_another_ruleset(gazette, bridge: Path, tmp_path: Path) -> None:
    log = tmp_path / "other.yaml"
    log.write_text(TRANSCRIPT.format(amount=50).replace("ruleset: bridge", "ruleset: other"))
    arguments = ["check", log, "--rules", bridge / "bridge.rules"]
    assert gazette(*arguments).code == 2
    assert gazette(*arguments, "--any-ruleset").code == 0


@pytest.mark.parametrize("format_", ["text", "json", "jsonl"])
def test_a_malformed_log_is_refused_and_leaves_no_report(
    gazette, bridge: Path, tmp_path: Path, format_: str
) -> None:
    log = bridge / "broken.jsonl"
    log.write_bytes(log.read_bytes().replace(b'"amount": 200}\n', b'"amount": 200.5}\n'))
    ran = gazette("check", log, "--rules", bridge / "bridge.rules", "-o", tmp_path / "r", "--format", format_)
    assert (ran.code, ran.out) == (2, "")
    assert f"--> {log}:3" in ran.err
    assert "200.5" in ran.err
    assert not (tmp_path / "r").exists()


def test_a_progress_bar_on_a_terminal_only(gazette, bridge: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    arguments = ["check", bridge / "kept.jsonl", "--rules", bridge / "bridge.rules"]
    for extra, shown in (([], True), (["--no-progress"], False), (["--quiet"], False)):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        assert gazette(*arguments, *extra).code == 0, terminal.getvalue()
        assert ("kept.jsonl" in terminal.getvalue()) == shown
