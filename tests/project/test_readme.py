"""The README is run: its console output, its Python, its set-up commands."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from verifier.cli.app import COMMANDS, run

ROOT = Path(__file__).resolve().parents[2]
ELISION = "…"
DOCUMENTS = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]


def blocks(language: str) -> list[str]:
    """The code blocks of the README in that language."""
    return re.findall(
        rf"^```{language}\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL
    )


def printed(command: list[str]) -> tuple[int, str]:
    """Exit code and standard output of `gazette …`."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = run(command)
    return code, out.getvalue()


def fits(shown: str, real: str) -> bool:
    """Whether `real` is `shown`, where a line of `…` stands for any number of lines."""
    parts = re.split(rf"^{ELISION}\n", shown, flags=re.MULTILINE)
    return re.fullmatch("(?:.*\n)*?".join(re.escape(part) for part in parts), real) is not None


@pytest.fixture(autouse=True)
def _in_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_console_blocks_show_what_is_printed() -> None:
    shown = [block.partition("\n") for block in blocks("console")]
    assert shown
    for command, _, output in shown:
        program, *arguments = shlex.split(command.removeprefix("$ "))
        assert program == "gazette"
        _, real = printed(arguments)
        assert fits(output, real), real


def test_the_first_command_sets_up_and_checks_the_example_that_is_shown() -> None:
    first, _ = blocks("sh")
    *set_up, job = (shlex.split(part) for part in first.split("&&"))
    assert set_up == [shlex.split("python3 -m venv .venv"), shlex.split(".venv/bin/pip install .")]
    assert job[0] == ".venv/bin/gazette"
    assert blocks("console")[0].startswith(f"$ gazette {shlex.join(job[1:])}\n")
    assert printed(job[1:])[0] == 1


def test_the_second_command_sets_up_and_runs_the_tests() -> None:
    _, second = blocks("sh")
    *set_up, tests = (shlex.split(part) for part in second.split("&&"))
    assert set_up == [shlex.split("python3 -m venv .venv"), shlex.split(".venv/bin/pip install -e '.[dev]'")]
    assert tests == [".venv/bin/pytest", "-n", "2"]


def test_python_blocks_run() -> None:
    (block,) = blocks("python")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(block, "README.md", "exec"), {})
    assert "5.4" in out.getvalue()


def test_every_command_and_exit_code_is_in_the_tables() -> None:
    text = (ROOT / "README.md").read_text()
    for name in set(COMMANDS) - {"version"}:
        assert f"| `gazette {name} " in text or f"| `gazette {name}` |" in text
    for code in (0, 1, 2, 3, 4):
        assert f"\n| {code} | " in text


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_and_folders_named_are_there(name: str) -> None:
    text = (ROOT / name).read_text()
    for target in re.findall(r"\]\(([^)#]+)", text):
        assert (ROOT / target).exists(), target
    for path in re.findall(r"`((?:verifier|spec|rulesets|tests|examples|grammar)/[\w./-]*)`", text):
        assert (ROOT / path).exists(), path


@pytest.mark.parametrize(
    ("shown", "real", "verdict"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\n…\nd\n", "a\nb\nc\nd\n", True),
        ("a\n…\n", "a\n", True),
        ("a\nb\n", "a\nc\n", False),
        ("a\n…\nd\n", "a\nb\nc\n", False),
    ],
)
def test_elisions(shown: str, real: str, verdict: bool) -> None:
    assert fits(shown, real) == verdict
