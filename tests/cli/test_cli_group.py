"""The group: its help, its version, and what it loads."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from verifier.cli.app import COMMANDS
from verifier.exits import Exit, worst
from verifier.version import VERSION

HEAVY = ("lark", "yaml", "z3", "cvc5", "duckdb", "pyarrow", "rich", "jinja2", "zstandard")


def test_help_lists_every_command_and_every_exit_code(gazette) -> None:
    ran = gazette("--help")
    assert ran.code == 0
    for name, summary in COMMANDS.items():
        assert f"  {name}" in ran.out
        assert summary in ran.out
    for code in (0, 1, 2, 3, 4):
        assert f"{code} " in ran.out.partition("Exit codes:")[2]


@pytest.mark.parametrize("name", COMMANDS)
def test_summary_is_that_of_the_command(name: str, gazette) -> None:
    command = importlib.import_module(f"verifier.cli.{name}").command
    assert command.get_short_help_str(200).rstrip(".") == COMMANDS[name].rstrip(".")
    assert gazette(name, "--help").out.startswith(f"Usage: gazette {name} ")


@pytest.mark.parametrize("arguments", [["--help"], *([name, "--help"] for name in COMMANDS), ["version"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    program = (
        "import sys\nfrom verifier.cli.app import run\n"
        f"code = run({arguments!r})\n"
        f"print(*(name for name in {HEAVY!r} if name in sys.modules), file=sys.stderr)\nsys.exit(code)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ran.returncode == 0
    assert ran.stderr.strip() == ""


def test_version_both_ways(gazette) -> None:
    assert gazette("--version").out == gazette("version").out == f"gazette {VERSION}\n"


def test_unknown_command_names_the_nearest(gazette) -> None:
    ran = gazette("chek")
    assert ran.code == 2
    assert "there is no command chek; did you mean check?" in ran.err


def test_unknown_command_far_from_all_lists_them(gazette) -> None:
    assert "there are check, explain," in gazette("xyzzy\x1b[31m").err


def test_unknown_option_is_the_requests_fault(gazette) -> None:
    ran = gazette("rules", "--formt", "json")
    assert ran.code == 2
    assert "--format" in ran.err


@pytest.mark.parametrize(
    ("several", "one"),
    [
        ((), Exit.HOLDS),
        ((Exit.HOLDS, Exit.UNDECIDED), Exit.UNDECIDED),
        ((Exit.UNDECIDED, Exit.BROKEN, Exit.HOLDS), Exit.BROKEN),
        ((Exit.BROKEN, Exit.REQUEST, Exit.UNDECIDED), Exit.REQUEST),
        ((Exit.REQUEST, Exit.OURSELVES), Exit.OURSELVES),
    ],
)
def test_precedence_of_exits(several: tuple[Exit, ...], one: Exit) -> None:
    assert worst(several) == one
