"""Rounds that people's plays led to, kept beside the ruleset."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from verifier.check.engine import Prepared, prepare
from verifier.cli.app import run
from verifier.generate.beside import Target
from verifier.generate.generate import Generated, generate, lacking
from verifier.generate.handed import rounds_text
from verifier.generate.proofs import Unmet
from verifier.prove.found import ROUNDS, kept
from verifier.prove.known import Known
from verifier.prove.solve import Settings

BRIDGE = Path(__file__).parents[1] / "cli" / "bridge"
RULESETS = Path(__file__).parents[2] / "rulesets"
SHIPPED = sorted(path.relative_to(RULESETS) for path in RULESETS.rglob(f"*{ROUNDS}"))

Make = Callable[[Prepared], Generated]


def test_the_shortest_round_is_kept_of_what_is_lacking_without(
    made: Generated, bridge: Prepared, tmp_path: Path
) -> None:
    without: set[Target] = {("1.1(a)", "kept"), ("1.1(a)", "broken"), ("1.3", "kept")}
    folder = shutil.copytree(BRIDGE, tmp_path / "bridge")
    text = rounds_text(bridge, without, made)
    assert text is not None
    (folder / f"bridge{ROUNDS}").write_text(text, "utf-8")
    ready = prepare(folder / "bridge.rules")
    found = kept(ready.ruleset, ROUNDS)
    assert found is not None
    assert set(found.plays) == {("kept 1.1(a)", "play"), ("broken 1.1(a)", "play")}
    lawful = next(p for p in Known(ready.program, found).plays() if p.lawful)
    assert len(lawful.happenings) == min(one.events for one in made.lawful if "1.1(a)" in one.shows)


def test_a_round_that_shows_it_beside_something_else_is_kept_where_no_other_does(
    made: Generated, bridge: Prepared
) -> None:
    shown = replace(made.faulty[0], rule=None, name="beside-1.3.transcript.yaml")
    found = replace(made, beside=(shown,), unmet=(Unmet("1.3", "kept", False, "", beside=shown.name),))
    text = rounds_text(bridge, [("1.3", "kept"), ("1.3", "broken")], found)
    assert text is not None
    assert [line for line in text.splitlines() if "kept 1.3" in line] == text.splitlines()[1:]
    assert rounds_text(bridge, [("1.3", "broken")], found) is None


def test_no_round_is_kept_for_a_rule_about_options(tmp_path: Path, make: Make) -> None:
    folder = shutil.copytree(BRIDGE, tmp_path / "bridge")
    rules = folder / "bridge.rules"
    option = "  option height: 1..9\n  require height > 1\n"
    rules.write_text(rules.read_text("utf-8").partition("  unobservable")[0] + option, "utf-8")
    ready = prepare(rules)
    found = make(ready)
    assert "1.3" in found.broken
    assert rounds_text(ready, [("1.3", "broken")], found) is None


def test_nothing_of_the_file_is_believed(
    made: Generated, bridge: Prepared, tmp_path: Path, make: Make
) -> None:
    """That the play of another rule stands under a rule's name changes nothing."""
    folder = shutil.copytree(BRIDGE, tmp_path / "bridge")
    text = rounds_text(bridge, [("1.1(a)", "broken")], made)
    assert text is not None
    (folder / f"bridge{ROUNDS}").write_text(text.replace("broken 1.1(a)", "kept 1.3"), "utf-8")
    again = make(prepare(folder / "bridge.rules"))
    assert (again.exercised, again.broken) == (made.exercised, made.broken)


def test_without_plays_there_is_nothing_to_keep(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["generate", str(BRIDGE / "bridge.rules"), "--write-found"]) == 2
    assert "add --plays" in capsys.readouterr().err


def test_where_nothing_is_lacking_nothing_is_kept(tmp_path: Path) -> None:
    folder = shutil.copytree(BRIDGE, tmp_path / "bridge")
    (folder / f"bridge{ROUNDS}").write_text('{"found": "bridge", "rules": ""}\n', "utf-8")
    plays = str(folder / "kept.jsonl")
    command = ["generate", str(folder / "bridge.rules"), "--write-found", "--plays", plays]
    assert run([*command, "--quiet", "--no-progress"]) == 0
    assert not (folder / f"bridge{ROUNDS}").exists()


def test_what_play_does_not_come_upon_is_lacking_though_it_would_be_found_on_purpose(
    bridge: Prepared, made: Generated
) -> None:
    """In so few events nobody raises the bridge."""
    assert lacking(bridge, Settings(("z3",)), steps=10) == {("1.2", "broken")}
    assert "1.2" in made.broken


def test_with_what_is_kept_nothing_of_the_page_of_1994_is_open() -> None:
    """Without it 4.1(d) is."""
    made = generate(prepare("nz/blackjack-1994"), Settings())
    assert made.exit_code == 0
    assert {"4.1(d)"} <= made.exercised & made.broken


@pytest.mark.parametrize("file", SHIPPED, ids=str)
def test_what_is_shipped_can_be_played(file: Path) -> None:
    ready = prepare(str(file).removesuffix(ROUNDS))
    found = kept(ready.ruleset, ROUNDS)
    assert found is not None
    assert {name.split(" ", 1)[1] for name, _ in found.plays} <= ready.ruleset.rules.keys()
    assert len(Known(ready.program, found).plays()) == len({id(one) for one in found.plays.values()}) > 0


def test_what_is_no_longer_come_upon_where_rounds_are_kept_is_kept_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(BRIDGE, tmp_path / "bridge")
    asked: list[bool] = []

    def told(*_: object, rounds: bool = False, **__: object) -> frozenset[Target]:
        asked.append(rounds)
        return frozenset({("1.1(a)", "broken"), *([("1.1(b)", "broken")] if rounds else [])})

    monkeypatch.setattr("verifier.generate.generate.lacking", told)
    command = [
        "generate",
        str(folder / "bridge.rules"),
        "--write-found",
        "--plays",
        str(folder / "kept.jsonl"),
    ]
    assert run([*command, "--quiet", "--no-progress"]) == 0
    found = kept(prepare(folder / "bridge.rules").ruleset, ROUNDS)
    assert found is not None
    assert set(found.plays) == {("broken 1.1(a)", "play"), ("broken 1.1(b)", "play")}
    assert asked == [False, True, True]
