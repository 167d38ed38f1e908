"""`gazette mutate`: the exit code, both formats, and what is refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from verifier.cache import Cache
from verifier.mutate.run import mutate

LAWFUL = """ruleset: bridge
events:
- keeper raise
- traveller arrive traveller=ann
- keeper charge traveller=ann kind=foot amount=50
- keeper lower
- traveller cross traveller=ann
- traveller leave
expect: {faults: [], kept: ["1.1", 1.1(a), "1.2"]}
"""


@pytest.fixture
def one(bridge: Path) -> Path:
    path = bridge / "one.transcript.yaml"
    path.write_text(LAWFUL, "utf-8")
    return path


def test_survivors_are_listed_and_make_the_exit_code(gazette, bridge: Path, one: Path) -> None:
    ran = gazette("mutate", bridge / "bridge.rules", "-t", one, "--no-cache", "-j", 1)
    assert (ran.code, ran.err) == (1, "")
    assert "survived: 1.1(b):constant:" in ran.out
    assert "    before  toll(k) = 200 when k = cart\n    after   never applies\n" in ran.out


def test_all_killed_is_in_order(gazette, bridge: Path, one: Path) -> None:
    ran = gazette("mutate", bridge / "bridge.rules", "-t", bridge, "--no-cache", "--only", "1.1(a):const*")
    assert ran.code == 0
    assert "survived:" not in ran.out


def test_the_json_says_the_same(gazette, bridge: Path, one: Path) -> None:
    ran = gazette("mutate", bridge / "bridge.rules", "-t", one, "--no-cache", "-j", 1, "--format", "json")
    found = json.loads(ran.out)
    assert ran.code == found["exit_code"] == 1
    assert found["transcripts"] == 1


def test_what_was_found_is_kept(gazette, bridge: Path, one: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAZETTE_CACHE", str(bridge / "cache"))
    first = gazette("mutate", bridge / "bridge.rules", "-t", one, "-j", 1)
    assert list((bridge / "cache" / "mutate").rglob("*.json"))
    assert gazette("mutate", bridge / "bridge.rules", "-t", one, "-j", 1) == first


THE_FIRST_TAKES_LONG = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from verifier.mutate.trial import Trial
tried, long = Trial.of, sys.argv.pop(1)
def of(self, mutant):
    if mutant.id == long:
        print("at it", flush=True)
        time.sleep(300)
    return tried(self, mutant)
Trial.of = of
from verifier.cli.app import run
sys.exit(run(sys.argv[1:]))
"""


def test_an_interrupt_ends_every_process_and_what_was_tried_is_kept(bridge: Path, one: Path) -> None:
    rules, cache = bridge / "bridge.rules", bridge / "cache"
    every = [outcome.mutant.id for outcome in mutate(rules, [one]).outcomes]
    command = ["mutate", str(rules), "-t", str(one), "-j", "2"]
    with subprocess.Popen(
        [sys.executable, "-c", THE_FIRST_TAKES_LONG, every[0], *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "GAZETTE_CACHE": str(cache)},
    ) as started:
        try:
            assert started.stdout is not None
            assert started.stdout.readline().startswith("at it")
            begun = time.monotonic()
            while len(list(cache.glob("mutate/**/*.json"))) < len(every) - 1:
                assert time.monotonic() - begun < 120, "the others were not kept beside the first"
                time.sleep(0.05)
            os.killpg(started.pid, signal.SIGINT)
            out, err = started.communicate(timeout=60)
        finally:
            left = True
            try:
                os.killpg(started.pid, signal.SIGKILL)
            except ProcessLookupError:
                left = False
    assert not left, "a process was left behind"
    assert (started.returncode, out, err.strip()) == (130, "", "")
    again = mutate(rules, [one], cache=Cache(cache))
    assert again.cached == len(every) - 1
    assert [outcome.mutant.id for outcome in again.outcomes] == every


def test_a_transcript_without_expectation_is_refused(gazette, bridge: Path, one: Path) -> None:
    one.write_text(LAWFUL.partition("expect:")[0], "utf-8")
    ran = gazette("mutate", bridge / "bridge.rules", "-t", one, "--no-cache")
    assert (ran.code, ran.out) == (2, "")
    assert "[log-expect]" in ran.err


def test_by_theorems_lists_what_catches_which(gazette, bridge: Path, one: Path, tmp_path: Path) -> None:
    listed = tmp_path / "list.yaml"
    asked = ("mutate", bridge / "bridge.rules", "-t", one, "--no-cache", "-j", 1, "--by", "theorems")
    ran = gazette(*asked, "--report", listed)
    assert (ran.code, ran.err) == (0, "")
    assert "Caught, by the strongest that catches:" in ran.out
    assert ran.out.endswith("Which catches which, and why nothing does: --report FILE, or --format json.\n")
    assert "Written by `gazette mutate bridge --by theorems --report`" in listed.read_text("utf-8")
    found = json.loads(gazette(*asked, "--format", "json").out)
    assert sum(found["caught by"].values()) == found["mutants"]["caught"] > 0


@pytest.mark.parametrize("more", [("--by", "theorems", "--prove"), ("--report", "list.yaml")])
def test_options_of_the_other_question_are_refused(
    gazette, bridge: Path, one: Path, more: tuple[str, ...]
) -> None:
    ran = gazette("mutate", bridge / "bridge.rules", "-t", one, "--no-cache", *more)
    assert (ran.code, ran.out) == (2, "")
    assert "only" in ran.err
