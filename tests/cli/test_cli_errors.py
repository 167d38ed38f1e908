"""How trouble is shown, and what the process ends with."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from verifier.errors import InternalError, Problem


def test_a_wrong_request_is_rendered_on_standard_error(gazette) -> None:
    ran = gazette("schema", "no/such")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: there is no ruleset no/such [no-such-ruleset]\n")


def test_a_wrong_rule_file_is_shown_with_its_place(gazette, bridge: Path) -> None:
    rules = bridge / "bridge.rules"
    text = rules.read_text().replace("toll(k) = 50", "tol(k) = 50")
    rules.write_text(text)
    ran = gazette("schema", rules)
    assert ran.code == 2
    line = text[: text.index("tol(k)")].count("\n") + 1
    assert f"--> {rules}:{line}:3\n" in ran.err
    assert "^^^" in ran.err


def test_all_problems_are_shown(gazette, bridge: Path) -> None:
    rules = bridge / "bridge.rules"
    rules.write_text(rules.read_text().replace("rule 1.2", "rule 1.20").replace("rule 1.3", "rule 1.30"))
    assert gazette("schema", rules).err.count("[unknown-clause]") == 2


def _fail(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def load(*_: object) -> None:
        raise error

    monkeypatch.setattr("verifier.model.load.load", load)


@pytest.mark.parametrize(
    "error",
    [KeyError("what\x1b[2J"), RecursionError("too deep"), InternalError(Problem("parts disagree", code="x"))],
)
def test_a_fault_of_ours_asks_for_a_report(
    gazette, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    _fail(monkeypatch, error)
    ran = gazette("schema", "any")
    assert ran.code == 4
    assert "Traceback" not in ran.err
    assert "\x1b" not in ran.err
    assert "GAZETTE_DEBUG=1" in ran.err


def test_debugging_shows_the_traceback(gazette, monkeypatch: pytest.MonkeyPatch) -> None:
    _fail(monkeypatch, KeyError("what"))
    monkeypatch.setenv("GAZETTE_DEBUG", "1")
    ran = gazette("schema", "any")
    assert ran.code == 4
    assert "Traceback" in ran.err


def test_an_interrupt_ends_without_a_traceback(gazette, monkeypatch: pytest.MonkeyPatch) -> None:
    _fail(monkeypatch, KeyboardInterrupt())
    ran = gazette("schema", "any")
    assert ran.code == 130
    assert "Traceback" not in ran.err


def test_control_c_in_a_process_of_its_own(process, tmp_path: Path) -> None:
    import os

    pipe = tmp_path / "pipe.rules"
    os.mkfifo(pipe)
    with process("fmt", pipe) as child:
        end = os.open(pipe, os.O_WRONLY)  # opens once the child reads
        time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        os.close(end)
        _, err = child.communicate(timeout=30)
    assert child.returncode == 130
    assert b"Traceback" not in err


def test_a_closed_pipe_is_quiet(process, bridge: Path) -> None:
    with process("schema", bridge / "bridge.rules") as child:
        child.stdout.close()
        err = child.stderr.read()
        child.wait(timeout=30)
    assert child.returncode == 141
    assert err == b""


def test_colour_only_where_it_is_asked_for(gazette, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in gazette("schema", "no/such").err
    assert "\x1b[1;31merror" in gazette("schema", "no/such", "--color", "always").err
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert "\x1b" not in gazette("schema", "no/such", "--color", "never").err


@pytest.mark.parametrize(
    ("environment", "painted"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_colour_on_a_terminal(
    gazette, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], painted: bool
) -> None:
    import io

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    assert gazette("schema", "no/such").code == 2
    assert ("\x1b" in terminal.getvalue()) == painted
    assert "no ruleset" in terminal.getvalue()


# ------------------------------------------------------------------------------------ outputs and what is read
@pytest.mark.parametrize(
    "request_",
    [
        ("lint", "{rules}", "-o", "{rules}"),
        ("schema", "{rules}", "-o", "{linked}"),
        ("compile", "{rules}", "-o", "{rules}"),
        ("explain", "{rules}", "3.1", "-o", "{rules}"),
        ("ask", "{rules}", "--transcript", "{log}", "-o", "{log}"),
        ("prove", "{rules}", "--report", "{rules}"),
        ("simulate", "{rules}", "--rounds", "1", "-o", "{new}", "--key", "{rules}"),
    ],
)
def test_what_is_read_is_never_written_over(
    gazette, bridge: Path, tmp_path: Path, request_: tuple[str, ...]
) -> None:
    places = {
        "rules": bridge / "bridge.rules",
        "log": bridge / "kept.jsonl",
        "linked": tmp_path / "link",
        "new": tmp_path / "new.jsonl",
    }
    places["linked"].symlink_to(places["rules"])
    before = [places[name].read_bytes() for name in ("rules", "log")]
    ran = gazette(*(part.format_map(places) for part in request_))
    assert (ran.code, ran.out) == (2, "")
    assert "[output-over-input]" in ran.err
    assert [places[name].read_bytes() for name in ("rules", "log")] == before


def test_two_outputs_are_not_written_to_one_file(gazette, bridge: Path, tmp_path: Path) -> None:
    one = tmp_path / "x.jsonl"
    ran = gazette("simulate", bridge / "bridge.rules", "--rounds", 1, "-o", one, "--faults", 1, "--key", one)
    assert (ran.code, "[output-twice]" in ran.err, one.exists()) == (2, True, False)


@pytest.mark.parametrize(
    ("text", "said", "help"),
    [
        ("", "does not name itself", "ruleset odd"),
        ("ruleset odd\n", "declares nobody who acts", "actors clerk, guest"),
        (
            "ruleset odd\nactors clerk\nlaw no/where\n",
            "there is no law no/where",
            "no/where.law beside the rules",
        ),
        ("ruleset odd\nuse odd\n", "imports itself", "delete this line"),
    ],
)
def test_what_to_do_is_said(gazette, tmp_path: Path, text: str, said: str, help: str) -> None:
    rules = tmp_path / "odd.rules"
    rules.write_text(text)
    ran = gazette("schema", rules)
    assert ran.code == 2
    assert said in ran.err
    assert help in ran.err


def test_a_folder_is_no_ruleset(gazette, tmp_path: Path) -> None:
    (tmp_path / "a.rules").mkdir()
    ran = gazette("schema", tmp_path / "a.rules")
    assert (ran.code, "is a folder" in ran.err) == (2, True)


def test_evidence_of_another_kind_is_not_to_be_written_over_it(gazette, bridge: Path) -> None:
    ran = gazette("coverage", bridge / "bridge.rules", "--proof", bridge / "bridge.rules")
    assert (ran.code, "--output FILE" in ran.err) == (2, True)


def test_a_table_is_not_asked_about_where_there_are_none(gazette, tmp_path: Path) -> None:
    rules, log = tmp_path / "yard.rules", tmp_path / "log.yaml"
    rules.write_text("ruleset yard\nactors clerk\nlife day ends close\nevent close by clerk\n")
    log.write_text("ruleset: yard\nevents:\n- clerk close\n")
    assert gazette("ask", rules, "--transcript", log).code == 0
    ran = gazette("ask", rules, "--transcript", log, "--table", "7")
    assert (ran.code, "[which-table]" in ran.err, "leave --table out" in ran.err) == (2, True, True)
