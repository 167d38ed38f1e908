"""Checks of one prepared ruleset keep what was compiled, and nothing of what was judged."""

from __future__ import annotations

import copy
import itertools
from pathlib import Path
from typing import Any

import pytest
from check_logs import CLOSE, END, GOOD, PAY, STATED, TILL, WAGER, transcript

from verifier.check.engine import Prepared, check, prepare
from verifier.check.result import CheckResult, Entry
from verifier.check.spare import Spare
from verifier.errors import LogError

ANNOUNCE = ("dealer announce player=ann", *GOOD)
LOGS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "in order": (GOOD, STATED),
    "never paid": ((WAGER, CLOSE, END), STATED),
    "cut short": ((WAGER, CLOSE), STATED),
    "other options": (ANNOUNCE, {"options": {"decks": 8, "cards": 2}}),
    "options that are not stated": (ANNOUNCE, {}),
    "events that are not recorded": ((WAGER, PAY, END), {**STATED, "records": ["wager", "pay", "end_round"]}),
}


def checked(log: str, ready: Prepared, folder: Path, **more: Any) -> CheckResult:
    events, header = LOGS[log]
    return check([transcript(folder / f"{log}.yaml", "check/till", events, **header)], ready, **more)


@pytest.mark.parametrize("pair", list(itertools.product(LOGS, repeat=2)), ids=" then ".join)
def test_a_check_finds_the_same_after_any_other(pair: tuple[str, str], tmp_path: Path) -> None:
    ready = prepare(TILL)
    for log in (*pair, pair[1]):
        assert checked(log, ready, tmp_path) == checked(log, prepare(TILL), tmp_path)


def test_what_was_compiled_is_not_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ready = prepare(TILL)
    first = checked("never paid", ready, tmp_path)

    def never(*_: object) -> None:
        raise AssertionError("compiled again")

    monkeypatch.setattr("verifier.run.duties.Duties._compile", never)
    assert checked("never paid", ready, tmp_path) == first
    with pytest.raises(AssertionError, match="compiled again"):
        checked("events that are not recorded", ready, tmp_path)


def test_a_check_within_a_check_has_judges_of_its_own(tmp_path: Path) -> None:
    ready = prepare(TILL)
    alone = checked("never paid", ready, tmp_path)
    inner: list[CheckResult] = []

    def again(_: Entry) -> None:
        inner.append(checked("other options", ready, tmp_path))

    assert checked("never paid", ready, tmp_path, on_entry=again) == alone
    assert inner == [checked("other options", prepare(TILL), tmp_path)] * len(inner) != []


def test_a_check_that_ends_early_leaves_nothing_behind(tmp_path: Path) -> None:
    ready = prepare(TILL)
    checked("in order", ready, tmp_path)
    path = transcript(tmp_path / "bad.yaml", "check/till", (WAGER, "dealer pay player=ann"), **STATED)
    with pytest.raises(LogError):
        check([path], ready)
    assert checked("never paid", ready, tmp_path) == checked("never paid", prepare(TILL), tmp_path)


def test_a_copy_has_no_judges(tmp_path: Path) -> None:
    ready = prepare(TILL)
    checked("in order", ready, tmp_path)
    assert vars(copy.copy(ready.spare)) == vars(Spare()) != vars(ready.spare)
