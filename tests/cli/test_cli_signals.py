"""Commands that are told to end, or whose standard streams are closed or full."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RULES = str(ROOT / "tests" / "cli" / "bridge" / "bridge.rules")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and descriptors of POSIX")

SLOW = """
import signal, sys, time
from pathlib import Path
from verifier.cli import main
from verifier.check import engine
from verifier.log.aside import Aside

def check(*given, **more):
    with Aside() as aside:
        (aside.folder("log") / "rows").write_text("set down")
        print("begun", flush=True)
        try:
            time.sleep(60)
        finally:
            time.sleep(0.5)  # what is tidied takes its time

# Whoever runs the tests in the background may have had these ignored, which is handed down and would be heeded.
signal.signal(signal.SIGINT, signal.default_int_handler)
for number in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)
if IGNORING:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
engine.check = check
sys.argv = ["gazette", *sys.argv[1:]]
main()
"""


def begun(tmp_path: Path, ignoring: bool = False) -> subprocess.Popen[str]:
    """A command in the midst of its work; it was started with SIGHUP ignored, or not."""
    (tmp_path / "t").mkdir(exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW.replace("IGNORING", str(ignoring)), "check", "a.jsonl", "--rules", RULES],
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path / "t")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    return process


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
@pytest.mark.parametrize("times", [1, 3])
def test_a_command_that_is_told_to_end_tidies_up(
    number: signal.Signals, code: int, times: int, tmp_path: Path
) -> None:
    """However often it is told."""
    with begun(tmp_path) as process:
        try:
            for _ in range(times):
                process.send_signal(number)
                time.sleep(0.1)
            _, said = process.communicate(timeout=30)
        finally:
            process.kill()
    assert (process.returncode, said.strip()) == (code, "")
    assert list((tmp_path / "t").iterdir()) == []


def test_a_signal_that_was_ignored_stays_so(tmp_path: Path) -> None:
    """As under `nohup`."""
    with begun(tmp_path, ignoring=True) as process:
        try:
            process.send_signal(signal.SIGHUP)
            time.sleep(0.3)
            assert process.poll() is None
            process.terminate()
            process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode == 143


def gazette(words: str, redirected: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    command = f'exec "{sys.executable}" -m verifier {words} {redirected}'
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        ["sh", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("redirected", ["2>&-", "2>/dev/full"])
@pytest.mark.parametrize("words", [f"check nofile --rules {RULES}", "nocommand", "check --nonsense"])
def test_what_cannot_be_said_changes_no_exit_code(words: str, redirected: str, tmp_path: Path) -> None:
    if redirected.endswith("full") and not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    assert gazette(words, redirected, tmp_path).returncode == 2


@pytest.mark.parametrize("words", [f"check - --rules {RULES}", "fmt -"])
def test_closed_standard_input_is_told_as_such(words: str, tmp_path: Path) -> None:
    ran = gazette(words, "<&-", tmp_path)
    assert ran.returncode == 2
    assert "standard input is closed" in ran.stderr


# ------------------------------------------------------------------------------------------------- verdicts
def checked(tmp_path: Path, verdicts: str) -> subprocess.CompletedProcess[str]:
    log = tmp_path / "log.yaml"
    log.write_text("ruleset: bridge\nevents: []\n", "utf-8")
    return gazette(f"check log.yaml --rules {RULES} -q --verdicts {verdicts}", "", tmp_path)


def test_verdicts_keep_the_permissions_of_a_file_and_follow_a_link(tmp_path: Path) -> None:
    target = tmp_path / "target.parquet"
    target.write_bytes(b"old")
    target.chmod(0o600)
    (tmp_path / "link.parquet").symlink_to(target)
    (tmp_path / ".link.parquet.part").write_bytes(b"somebody's")
    assert checked(tmp_path, "link.parquet").returncode == 0
    assert (tmp_path / "link.parquet").is_symlink()
    assert target.read_bytes()[:4] == b"PAR1"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert (tmp_path / ".link.parquet.part").read_bytes() == b"somebody's"


def test_verdicts_go_into_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cat", "pipe"], cwd=tmp_path, stdout=subprocess.PIPE) as reader:
        assert checked(tmp_path, "pipe").returncode == 0
        data, _ = reader.communicate(timeout=30)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert data[:4] == data[-4:] == b"PAR1"


def test_verdicts_that_cannot_be_written_are_a_refusal(tmp_path: Path) -> None:
    ran = checked(tmp_path, "nowhere/v.parquet")
    assert ran.returncode == 2
    assert "cannot write the verdicts: no such file or directory" in ran.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["log.yaml"]
