"""How the tests are dealt out to processes (`-n 2`): file by file, the longest first. No test is one of time."""

from __future__ import annotations

import gc
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

gc.set_threshold(50_000, 20, 20)  # as the command does

LONGEST = (
    "tests/mutate/test_shipped_mutants.py",
    "tests/coverage/test_shipped.py",
    "tests/examples/test_baramundi.py",
    "tests/nz_changes/test_nz_changes.py",
    "tests/prove/test_agree_rounds.py",
    "tests/prove/test_cli_prove.py",
    "tests/prove/test_rules.py",
    "benchmarks/test_benchmarks_run.py",
    "tests/hunt/test_hunt.py",
    "tests/fuzz/test_fuzz.py",
    "tests/milestone/test_milestone_agree.py",
    "tests/simulate/test_simulate.py",
)
"""Files that take ten seconds and more."""

WITH = {
    "tests/ny/test_ny_rounds.py": "tests/coverage/test_shipped.py",
    "tests/nz/test_transcripts.py": "tests/coverage/test_shipped.py",
    "tests/nz_1994/test_nz_1994.py": "tests/coverage/test_shipped.py",
    "tests/nz_roulette/test_roulette_transcripts.py": "tests/coverage/test_shipped.py",
    "tests/nz_tournament/test_nz_tournament.py": "tests/coverage/test_shipped.py",
    "tests/uk/test_uk_games.py": "tests/coverage/test_shipped.py",
}
"""Files that share with another what both need (`tests/scripted/shown.py`), and that file: one process has both."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The files of `LONGEST` before the others, so that none of them is left to one process at the end."""
    items.sort(key=_place)


def _place(item: pytest.Item) -> int:
    file = _group(item.nodeid)
    return LONGEST.index(file) if file in LONGEST else len(LONGEST)


def _group(nodeid: str) -> str:
    """What stays in one process: a file, with those that go with it."""
    file = nodeid.partition("::")[0]
    return WITH.get(file, file)


def pytest_collection_finish() -> None:
    """All tests stay to the end: to look for garbage among them again and again took a tenth of the time."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A file's tests stay in one process: what they share, such as a ruleset or a long log, is made once.

    Other ways of dealing (`--dist`) are left to whoever asks for them.
    """
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return _group(nodeid)

    if config.getvalue("dist") != "load":
        return None
    config.option.loadscopereorder = False
    return Scheduling(config, log)
