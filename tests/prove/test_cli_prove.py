"""`gazette prove` and `verifier.load(…).prove(…)`, from ruleset to exit code."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cvc5
import pytest
from prove_toll import CLASH, GAP, LAPSED, written

import verifier
from verifier.cli.app import run
from verifier.errors import RequestError


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str


Gazette = Callable[..., Ran]


@pytest.fixture
def gazette(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Gazette:
    """Runs `gazette prove ARGUMENTS…` with a cache of its own, in one process unless told otherwise."""
    for name in ("NO_COLOR", "GAZETTE_DEBUG", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GAZETTE_CACHE", str(tmp_path / "cache"))

    def ran(*arguments: object, jobs: int = 1) -> Ran:
        capsys.readouterr()
        code = run(["prove", *map(str, arguments), "--jobs", str(jobs)])
        shown = capsys.readouterr()
        return Ran(code, shown.out, shown.err)

    return ran


def last(text: str) -> str:
    """The line that counts the queries: it alone differs from run to run."""
    return text.splitlines()[-1]


def but_last(text: str) -> list[str]:
    return text.splitlines()[:-1]


RAISED = """
about: Somebody pays, and the bridge is raised.
ruleset: bridge
events: [keeper charge traveller=ann kind=foot amount=50, keeper raise]
expect: {faults: [], kept: ["1.1(a)"]}
"""


# ---------------------------------------------------------------------------------------------------- verdicts
def test_a_ruleset_without_fault_is_proved(gazette: Gazette, tmp_path: Path) -> None:
    ran = gazette(written(tmp_path))
    assert (ran.code, ran.err) == (0, "")
    assert "proved       gap_toll: a rule always answers toll(k)" in ran.out
    assert "proved       conflict_toll: no two rules give toll(k) different values" in ran.out
    assert "Findings" not in ran.out
    assert "refuted" not in ran.out


def test_a_clash_is_found_with_both_clauses(gazette: Gazette, tmp_path: Path) -> None:
    ran = gazette(written(tmp_path, CLASH), "--only", "conflict")
    assert (ran.code, ran.err) == (1, "")
    assert "1. conflict_toll_1_1a_1_1b (conflict, in play)" in ran.out
    assert "1.1(a) says 50: k = foot" in ran.out
    assert "1.1(b) says 200: k in {foot, cart}" in ran.out
    assert "1.1(b) “2 dollars, where the traveller brings a cart”" in ran.out


def test_a_gap_is_found_with_what_each_rule_lacks(gazette: Gazette, tmp_path: Path) -> None:
    ran = gazette(written(tmp_path, GAP), "--only", "gap")
    assert ran.code == 1
    assert "1. gap_toll (gap, in play)" in ran.out
    assert "1.1(b) would say 200, but not: raised" in ran.out


def test_a_play_from_a_transcript_says_so(gazette: Gazette, tmp_path: Path) -> None:
    told = tmp_path / "raised.transcript.yaml"
    told.write_text(RAISED, encoding="utf-8")
    path = written(tmp_path, more='reachable paid_up "Paid, and the bridge is up"\n  raised and charged')
    ran = gazette(path, "--only", "reachable_*", "--plays", told, "--no-cache")
    assert (ran.code, ran.err) == (0, "")
    missing = gazette(path, "--plays", tmp_path / "none")
    assert missing.code == 2
    assert "no such file" in missing.err


def test_an_accepted_finding_is_green(gazette: Gazette, tmp_path: Path) -> None:
    path = written(tmp_path, CLASH, more='accepted finding conflict_toll_1_1a_1_1b "the keeper is kind"')
    ran = gazette(path, "--only", "conflict")
    assert (ran.code, ran.err) == (0, "")
    assert "accepted     conflict_toll_1_1a_1_1b" in ran.out
    assert "accepted      the keeper is kind" in ran.out


def test_an_accepted_finding_that_is_gone_is_an_error_with_its_place(
    gazette: Gazette, tmp_path: Path
) -> None:
    path = written(tmp_path, more='accepted finding gap_toll "no boats"')
    ran = gazette(path, "--only", "gap")
    assert ran.code == 2
    assert "error: the finding gap_toll no longer occurs [accepted-finding-gone]" in ran.err
    assert f"{path.name}:{len(path.read_text().splitlines())}:1" in ran.err
    assert "proved       gap_toll" in ran.out


# ------------------------------------------------------------------------------------------------------ output
def test_a_second_run_asks_nothing_and_says_so(gazette: Gazette, tmp_path: Path) -> None:
    path = written(tmp_path, CLASH)
    first, second = gazette(path), gazette(path)
    assert but_last(first.out) == but_last(second.out)
    assert re.fullmatch(r"[1-9]\d* questions asked, \d+ answered from the cache\.", last(first.out))
    assert re.fullmatch(r"0 questions asked, [1-9]\d* answered from the cache\.", last(second.out))
    anew = last(gazette(path, "--no-cache").out)
    assert re.fullmatch(r"[1-9]\d* questions asked, 0 answered from the cache\.", anew)


def test_several_processes_print_the_same(gazette: Gazette, tmp_path: Path) -> None:
    path = written(tmp_path, CLASH)
    one, two = gazette(path, "--no-cache"), gazette(path, "--no-cache", jobs=2)
    assert (one.code, but_last(one.out)) == (two.code, but_last(two.out))


def test_json_and_a_file_to_write_to(gazette: Gazette, tmp_path: Path) -> None:
    path = written(tmp_path, CLASH)
    ran = gazette(path, "--only", "conflict", "--format", "json", "--output", tmp_path / "proof.json")
    assert (ran.code, ran.out, ran.err) == (1, "", "")
    found = json.loads((tmp_path / "proof.json").read_text())
    assert found["gazette-prove"] == 1
    assert [f["id"] for f in found["findings"]] == ["conflict_toll_1_1a_1_1b"]
    assert found["findings"][0]["witness"]["played"] is True


def test_how_many_verdicts_hold_within_their_scope_only_is_told(gazette: Gazette, tmp_path: Path) -> None:
    raises = Path(__file__).parent / "rules" / "counted-raises.rules"
    for path, only, bounded in ((raises, "invariant_raises_add_up", 1), (written(tmp_path), "conflict", 0)):
        shown = gazette(path, "--only", only)
        assert shown.code == 0
        assert ("Of those proved 1 holds within the scope that stands by it" in shown.out) == bool(bounded)
        found = json.loads(gazette(path, "--only", only, "--format", "json").out)
        assert found["bounded"] == bounded
        answers = [a for o in found["obligations"] for a in (o["words"], o["play"]) if a is not None]
        assert {a["any_size"] for a in answers if a["answer"] == "never"} == {not bounded}


def test_quiet_leaves_the_exit_code(gazette: Gazette, tmp_path: Path) -> None:
    assert gazette(written(tmp_path, CLASH), "--only", "conflict", "-q") == Ran(1, "", "")


def test_every_question_is_written_as_smt_lib(gazette: Gazette, tmp_path: Path) -> None:
    ran = gazette(written(tmp_path), "--only", "conflict", "--smt2", tmp_path / "asked")
    assert ran.code == 0
    question = min((tmp_path / "asked").glob("conflict-toll*.smt2"))
    assert "(check-sat)" in question.read_text()
    assert "no two rules give toll(k) different values" in question.read_text()


def by_cvc5(text: str) -> str:
    """What cvc5 says of a file, which has all that is asked."""
    manager = cvc5.TermManager()
    solver, symbols = cvc5.Solver(manager), cvc5.SymbolManager(manager)
    parser = cvc5.InputParser(solver, symbols)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "file")
    said = []
    while not (command := parser.nextCommand()).isNull():
        said.append(str(command.invoke(solver, symbols)).strip())
    return next(answer for answer in said if answer)


def test_each_obligation_has_a_file_that_any_solver_can_be_given(gazette: Gazette, tmp_path: Path) -> None:
    folder = tmp_path / "asked"
    ran = gazette(written(tmp_path, CLASH), "--smt2", folder, "--format", "json")
    assert ran.code == 1
    results = json.loads(ran.out)["obligations"]
    asked = [r for r in results if r["kind"] != "reference"]
    assert len(asked) > 10
    for result in asked:
        stem = re.sub(r"[^A-Za-z0-9.\-_()\[\]]", "-", f"{result['id']}, in itself")
        (file,) = (f for f in folder.glob("*.smt2") if f.name.rsplit(".", 2)[0] == stem)
        text = file.read_text("utf-8")
        head = " ".join(text.partition("(set-logic")[0].replace(";", "").split())
        assert "unsat means that no state, with options and values, is what is asked for" in head
        wanted = "some state" if result["kind"] in ("dead rule", "subsumed rule", "idle limb") else None
        assert wanted is None or f"It holds where {wanted} is what is asked for" in head
        if "every typed state" in str(result):
            assert by_cvc5(text) == "unsat", result["id"]
    assert {by_cvc5(f.read_text("utf-8")) for f in folder.glob("conflict-toll--in-itself.*")} == {"sat"}


def test_what_was_not_selected_has_no_file(gazette: Gazette, tmp_path: Path) -> None:
    folder = tmp_path / "asked"
    gazette(written(tmp_path, CLASH), "--only", "dead rule", "--smt2", folder)
    assert {f.name.partition("-in-")[0].partition("-1.")[0] for f in folder.glob("*-itself.*")} == {
        "dead-rule"
    }


def test_files_of_an_induction_say_what_is_kept_and_what_is_supposed(
    gazette: Gazette, tmp_path: Path
) -> None:
    folder = tmp_path / "asked"
    ran = gazette(
        Path(__file__).parent / "rules" / "explore-ferry.rules", "--only", "invariant", "--smt2", folder
    )
    steps = [f.read_text("utf-8") for f in folder.glob("induction--in-play--*")]
    assert any("; kept: " in step for step in steps), ran.out
    assert {by_cvc5(step) for step in steps} <= {"unsat", "sat"}


def test_one_solver_alone(gazette: Gazette, tmp_path: Path) -> None:
    ran = gazette(written(tmp_path), "--only", "conflict", "--solver", "z3")
    assert ", z3" in ran.out
    assert "cvc5" not in ran.out


def test_timings_name_the_slowest(gazette: Gazette, tmp_path: Path) -> None:
    ran = gazette(written(tmp_path), "--only", "gap", "--timings")
    assert " s  gap_toll\n" in ran.out


# ------------------------------------------------------------------------------------------------------- scope
def test_a_scope_asked_for_is_said(gazette: Gazette, tmp_path: Path) -> None:
    ran = gazette(written(tmp_path), "--only", "dead rule", "--scope", "Traveller=3")
    assert (ran.code, ran.err) == (0, "")
    assert "Scopes\n A   plays with 3 Traveller\n" in ran.out


@pytest.mark.parametrize(
    ("scope", "message", "help"),
    [
        (
            "Traveler=2",
            "there is no id type, list, range or enumeration Traveler",
            "there are Traveller, Kind",
        ),
        ("Traveller=9", "9 is no number from 1 to 8", "write NAME=NUMBER"),
        ("Traveller", "nothing is no number", "write NAME=NUMBER"),
        ("Kind=foot,boat", "boat is no value of Kind", "its values are foot, cart"),
    ],
)
def test_a_scope_must_make_sense(
    gazette: Gazette, tmp_path: Path, scope: str, message: str, help: str
) -> None:
    ran = gazette(written(tmp_path), "--scope", scope)
    assert ran.code == 2
    assert f"--scope {scope}: {message}" in ran.err
    assert help in ran.err


def test_a_narrowed_enumeration(gazette: Gazette, tmp_path: Path) -> None:
    ran = gazette(written(tmp_path), "--only", "dead rule", "--scope", "Kind=cart")
    assert ran.code in (0, 1)
    assert "Kind cart" in ran.out


# ---------------------------------------------------------------------------------------------------- mistakes
def test_what_names_nothing_is_refused(gazette: Gazette, tmp_path: Path) -> None:
    ran = gazette(written(tmp_path), "--only", "gap_tol")
    assert (ran.code, ran.out.count("proved")) == (2, 0)
    assert "error: no obligation is called gap_tol [unknown-obligation]" in ran.err
    assert "did you mean gap_toll?" in ran.err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--report", "--only", "gap"], "report-only"),
        (["--report", "--scope", "Guest=1"], "report-scope"),
        (["--report", "--solver", "z3"], "report-solver"),
        (["--report", "--format", "json"], "report-format"),
        (["--smt2", "own/bridge.rules/x"], "unwritable"),
    ],
)
def test_options_that_do_not_go_together(
    gazette: Gazette, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: str
) -> None:
    path = written(tmp_path)
    monkeypatch.chdir(tmp_path)
    ran = gazette(path, *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert f"[{code}]" in ran.err


def test_jobs_must_be_some(gazette: Gazette, tmp_path: Path) -> None:
    assert gazette(written(tmp_path), jobs=0).code == 2


# ------------------------------------------------------------------------------------------------------ report
def test_a_report_is_written_and_known_to_be_current(gazette: Gazette, tmp_path: Path) -> None:
    path, page = written(tmp_path, CLASH), tmp_path / "report.md"
    ran = gazette(path, "--report", page)
    assert ran.code == 1
    assert "1. conflict_toll_1_1a_1_1b" in ran.out
    assert "### conflict_toll_1_1a_1_1b" in page.read_text()
    assert gazette(path, "--check-report", page) == Ran(0, "", "")
    assert gazette(path, "--report").out == page.read_text()
    written(tmp_path, CLASH, LAPSED)
    stale = gazette(path, "--check-report", page)
    assert stale.code == 1
    assert "is stale: the ruleset has changed" in stale.err
    assert "--report" in stale.err


def test_a_report_is_written_over_a_report_only(gazette: Gazette, tmp_path: Path) -> None:
    path, notes = written(tmp_path), tmp_path / "notes.md"
    before = path.read_text()
    ran = gazette(path, "--report", path)
    assert (ran.code, path.read_text()) == (2, before)
    assert "which is read [output-over-input]" in ran.err
    notes.write_text("mine\n")
    ran = gazette(path, "--report", notes)
    assert (ran.code, notes.read_text()) == (2, "mine\n")
    assert "is there and is no report [report-over-file]" in ran.err


def test_a_report_that_is_not_there(gazette: Gazette, tmp_path: Path) -> None:
    ran = gazette(written(tmp_path), "--check-report", tmp_path / "none.md")
    assert ran.code == 2
    assert "cannot read the report: no such file or directory [no-report]" in ran.err


# ------------------------------------------------------------------------------------------------------ python
def test_the_same_from_python(tmp_path: Path) -> None:
    path = written(tmp_path, CLASH)
    seen: list[str] = []
    proof = verifier.load(path).prove(
        only=["conflict"], cache=False, on_result=lambda result: seen.append(result.name)
    )
    assert [finding.id for finding in proof.findings] == seen == ["conflict_toll_1_1a_1_1b"]
    assert proof.exit_code == 1
    with pytest.raises(RequestError, match="there is no solver yices"):
        verifier.load(path).prove(solver="yices")


# --------------------------------------------------------------------------------------------------- processes
def test_an_interrupt_ends_every_process(tmp_path: Path) -> None:
    program = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background ignores it
        "from verifier.prove import decide\n"
        "decide.first = lambda desk, obligation: (print('at it', flush=True), time.sleep(60))\n"
        "from verifier.cli.app import run\n"
        "sys.exit(run(sys.argv[1:]))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, "prove", str(written(tmp_path)), "-j", "2", "-q", "--no-cache"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as started:
        try:
            assert started.stdout is not None
            assert started.stdout.readline().startswith("at it")
            begun = time.monotonic()
            os.killpg(started.pid, signal.SIGINT)
            _, err = started.communicate(timeout=30)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(started.pid, signal.SIGKILL)
                pytest.fail("a process was left behind")
    assert (started.returncode, err.strip()) == (130, "")
    assert time.monotonic() - begun < 20


def test_a_bar_is_shown_on_a_terminal_only(
    gazette: Gazette, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path)
    plain = gazette(path, "--only", "gap")
    assert plain.err == ""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    assert but_last(gazette(path, "--only", "gap").out) == but_last(plain.out), terminal.getvalue()
    assert "deciding" in terminal.getvalue()
    assert "1/1" in terminal.getvalue()
