"""What others take as it is: the pre-commit hooks and the workflow name commands and options that there are."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from verifier.cli.app import COMMANDS

ROOT = Path(__file__).parents[2]

HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
WORKFLOW: dict[Any, Any] = yaml.safe_load((ROOT / "examples" / "github-workflow.yml").read_text("utf-8"))
STEPS: list[dict[str, Any]] = WORKFLOW["jobs"]["rules"]["steps"]


def parsed(line: str) -> None:
    """Refuses a command line that no command takes (its files need not be there)."""
    words = line.replace('"$RULESET"', "own.rules").replace('"$TRANSCRIPTS"', "transcripts").split()
    assert words.pop(0) == "gazette"
    name = words.pop(0)
    assert name in COMMANDS
    command: click.Command = importlib.import_module(f"verifier.cli.{name}").command
    command.make_context(name, words)


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_runs_a_command(hook: dict[str, Any]) -> None:
    assert {"id", "name", "entry", "language", "files"} <= hook.keys()
    assert hook["language"] == "python"
    assert re.search(hook["files"], "rules/own.rules")
    assert not re.search(hook["files"], "rules/own.rules.md")
    parsed(f"{hook['entry']} own.rules")


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_about_rulesets_is_not_given_the_modules_that_they_use(hook: dict[str, Any]) -> None:
    """A module alone is no ruleset: what asks for one has its names in args."""
    of_files = hook["entry"].split()[1] == "fmt"
    assert hook.get("pass_filenames", True) == of_files
    assert of_files or "name the rulesets in args" in hook["description"]


@pytest.mark.parametrize("line", [step["run"] for step in STEPS if step.get("run", "").startswith("gazette")])
def test_the_workflow_runs_commands(line: str) -> None:
    parsed(line)


def test_the_workflow_uses_the_plugins_options() -> None:
    (line,) = [step["run"] for step in STEPS if "pytest --" in step.get("run", "")]
    plugin = (ROOT / "verifier" / "pytest_plugin.py").read_text("utf-8")
    for option in re.findall(r"--gazette[a-z-]*", line):
        assert f'"{option}"' in plugin


def test_the_plugin_is_an_entry_point() -> None:
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert '[project.entry-points.pytest11]\ngazette = "verifier.pytest_plugin"\n' in project
