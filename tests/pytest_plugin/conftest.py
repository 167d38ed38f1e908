"""A project of the user's own with a toll bridge and its transcripts."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import verifier.pytest_plugin
from verifier.check.engine import prepare
from verifier.coverage.measure import measure
from verifier.transcripts.case import read_case

BRIDGE = Path(__file__).parents[1] / "cli" / "bridge"

LAWFUL = """ruleset: bridge
events:
- traveller arrive traveller=ann
- keeper charge traveller=ann kind=foot amount=50
- traveller cross traveller=ann
- traveller leave
expect: {faults: [], kept: ["1.1", 1.1(a), "1.2"]}
"""


@pytest.fixture(scope="session", autouse=True)
def everything_imported(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What a run inside this process imports is forgotten after it, and extension modules bear no second import."""
    ready = prepare(BRIDGE / "bridge.rules")
    path = tmp_path_factory.mktemp("first") / "lawful.transcript.yaml"
    path.write_text(LAWFUL, "utf-8")
    assert read_case(path, ready).unlike(ready) == []
    assert measure(ready).share("formalised").percent == 100
    assert verifier.pytest_plugin.ENDING


@pytest.fixture
def project(pytester: pytest.Pytester) -> Path:
    """A folder with the ruleset and one transcript."""
    shutil.copytree(BRIDGE, pytester.path / "rules")
    (pytester.path / "lawful.transcript.yaml").write_text(LAWFUL, "utf-8")
    return pytester.path


@pytest.fixture
def ran(pytester: pytest.Pytester) -> Callable[..., pytest.RunResult]:
    """Runs pytest with the plugin, which is there by itself where the package is installed.

    Without hypothesis, which each run inside this process would import anew only to have nothing to say.
    """
    installed = any(entry.name == "gazette" for entry in entry_points(group="pytest11"))
    plugin = () if installed else ("-p", "verifier.pytest_plugin")
    return lambda *args: pytester.runpytest_inprocess("-p", "no:hypothesispytest", *plugin, *args)
