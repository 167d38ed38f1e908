"""Simulated logs: lawful where nothing was planted, the same for the same seed, of the length asked for."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from verifier.check.engine import Prepared, check, prepare
from verifier.errors import RequestError
from verifier.exits import Exit
from verifier.log.sources import open_logs
from verifier.simulate.habits import read_habits, suggested
from verifier.simulate.simulate import Simulated, simulate

SHIPPED = (
    "nz/blackjack-1998",
    "nz/blackjack-1994",
    "uk/blackjack-1994",
    "ny/black-jack",
    "nz/roulette-1998",
    "nz/tournament-blackjack-1998",
)

MINI = Path(__file__).parents[1] / "rules" / "mini.rules"


@pytest.fixture(scope="session")
def roulette() -> Prepared:
    return prepare("nz/roulette-1998")


def made(ready: Prepared, path: Path, rounds: int, **more: object) -> Simulated:
    more.setdefault("distinct", 6)
    more.setdefault("seed", 5)
    return simulate(ready, path, rounds, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", SHIPPED)
def test_nothing_is_found_in_lawful_play(name: str, tmp_path: Path) -> None:
    ready = prepare(name)
    path = tmp_path / "log.jsonl"
    log = made(ready, path, 12, distinct=5, seed=11)
    result = check([path], ready)
    assert (result.entries_total, result.exit_code) == (0, Exit.HOLDS)
    assert (result.rounds, result.events) == (12, log.rows)
    assert not any("stops inside" in note for note in result.notes)
    if name == "nz/blackjack-1994":
        return  # of one page: most of what leads from the deal to a payment it does not speak of
    settled = {name for name, event in ready.ruleset.events.items() if event.moves}
    assert settled & {row.event for log_ in open_logs([path], ready.binding.schema) for row in log_.rows()}


def test_a_ruleset_without_habits_is_played_too(tmp_path: Path) -> None:
    ready = prepare(MINI)
    path = tmp_path / "log.jsonl"
    made(ready, path, 2)
    result = check([path], ready)
    assert (result.entries_total, result.rounds) == (0, 2)


def test_the_same_seed_writes_the_same_log_whatever_plays_it(roulette: Prepared, tmp_path: Path) -> None:
    first, second, other = (tmp_path / f"{name}.jsonl" for name in "abc")
    made(roulette, first, 30, faults=0.3, jobs=1)
    made(roulette, second, 30, faults=0.3, jobs=2)
    made(roulette, other, 30, faults=0.3, seed=6)
    assert first.read_bytes() == second.read_bytes()
    assert first.read_bytes() != other.read_bytes()


@pytest.fixture(scope="module")
def plain(roulette: Prepared, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plain") / "log.jsonl"
    made(roulette, path, 12)
    return path


@pytest.mark.parametrize("ending", ["jsonl.gz", "csv", "csv.zst", "parquet"])
def test_every_format_says_the_same(roulette: Prepared, plain: Path, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"log.{ending}"
    made(roulette, path, 12)
    schema = roulette.binding.schema

    def rows(where: Path) -> list[object]:
        found = [row for log in open_logs([where], schema) for row in log.rows()]
        return [(row.lives, row.seq, row.at, row.actor, row.event, row.values) for row in found]

    assert rows(path) == rows(plain)


def test_a_long_log_strings_rounds_together_anew(roulette: Prepared, tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    log = made(roulette, path, 700, per_table=100)
    assert (log.rounds, log.distinct) == (700, 6)
    result = check([path], roulette)
    assert (result.entries_total, result.rounds) == (0, 700)
    assert all((table.rounds or 0) <= 100 for table in result.tables)


def test_options_stated_are_in_force_and_all_stand_in_the_header(roulette: Prepared, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    made(roulette, path, 3, options=["additional_areas=yes"], times=False)
    header = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    assert header["options"]["additional_areas"] is True
    assert set(header["options"]) == set(roulette.ruleset.options)
    assert header["missing_columns"] == ["at"]


ONE_LIFE = """\
ruleset raffle
actors vicar, member
type Member = id max 3
life raffle ends close
state raffle
  sold: 0..9
event sell(member: Member) by vicar
event draw by vicar
  needs sold > 0
event close by vicar
on sell(m)
  sold = sold + 1
"""


def test_without_tables_a_log_is_one_play(tmp_path: Path) -> None:
    rules = tmp_path / "raffle.rules"
    rules.write_text(ONE_LIFE, encoding="utf-8")
    ready, path, key = prepare(rules), tmp_path / "log.jsonl", tmp_path / "key.jsonl"
    log = made(ready, path, 40, distinct=30)
    result = check([path], ready)
    assert (result.entries_total, result.rounds, log.tables) == (0, 40, 1)
    rows = [row for one in open_logs([path], ready.binding.schema) for row in one.rows()]
    assert [row.seq for row in rows] == list(range(1, log.rows + 1))
    made(ready, path, 40, distinct=30, faults=1, key=key)
    assert check([path], ready).rounds == 40
    planted = [json.loads(line)["raffle"] for line in key.read_text(encoding="utf-8").splitlines()]
    assert planted == list(range(1, 41))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "a mapping"),
        ("weights: {fly: 1}", "no event fly"),
        ("weights: {spin: -1}", "no number from 0 to 1000"),
        ("weights: {spin: yes}", "no number from 0 to 1000"),
        ("options: {colour: red}", "no option colour"),
        ("irregular: 2", "no number from 0 to 1"),
        ("{", "cannot be read"),
        ("weights: {spin: .5}", r"spin is .*\.5.* no number"),
        (f"weights: &a {{spin: 1}}\noptions: [{'*a, ' * 300}]", "cannot be read: .*aliases"),
    ],
)
def test_habits_that_are_none_are_refused(roulette: Prepared, tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "habits.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RequestError, match=said):
        read_habits(path, roulette.ruleset)


def test_what_rules_suggest_leaves_out_what_is_nobodys_act(roulette: Prepared) -> None:
    habits = suggested(roulette.program)
    assert habits.weights["rest"] > 0  # chance decides it
    assert "hang_up" not in habits.weights


@pytest.mark.parametrize(
    ("rounds", "more", "code"),
    [
        (0, {}, "out-of-range"),
        (1, {"faults": 1.5}, "out-of-range"),
        (1, {"seed": -1}, "out-of-range"),
        (1, {"options": ["wheel=square"]}, "option-range"),
        (1, {"options": ["wheel=usual", "wheel=usual"]}, "option-twice"),
    ],
)
def test_requests_that_make_no_sense_are_refused(
    roulette: Prepared, tmp_path: Path, rounds: int, more: dict[str, object], code: str
) -> None:
    with pytest.raises(RequestError) as caught:
        made(roulette, tmp_path / "log.jsonl", rounds, **more)
    assert caught.value.problems[0].code == code


def test_a_name_that_tells_no_format_is_refused(roulette: Prepared, tmp_path: Path) -> None:
    for name in ("log.txt", "log.parquet.gz", "log.yaml"):
        with pytest.raises(RequestError) as caught:
            made(roulette, tmp_path / name, 1)
        assert caught.value.problems[0].code == "log-format"


NO_WAY_OUT = """\
ruleset small
law small
actors vicar
life raffle ends close
state raffle
  drawn: bool
event draw by vicar
event close by vicar
on draw
  drawn = yes
rule 1.1 "so"
  vicar must not close when not drawn
rule 1.2 "so"
  vicar must not draw when DRAWN
"""


def test_where_no_round_ends_lawfully_it_is_said(tmp_path: Path) -> None:
    law = Path(__file__).parents[1] / "hunt" / "small.law"
    (tmp_path / "small.law").write_text(law.read_text("utf-8"), "utf-8")
    rules = tmp_path / "small.rules"
    rules.write_text(NO_WAY_OUT.replace("DRAWN", "drawn"), encoding="utf-8")
    assert made(prepare(rules), tmp_path / "log.jsonl", 2).rows >= 4
    rules.write_text(NO_WAY_OUT.replace(" when DRAWN", ""), encoding="utf-8")
    with pytest.raises(RequestError) as caught:
        made(prepare(rules), tmp_path / "log.jsonl", 1)
    assert caught.value.problems[0].code == "no-round"


LIMITS = """ruleset limits
law bridge

actors traveller, keeper
type Traveller = id max 8
life bridge
life crossing ends leave
state crossing
  staked: bool
event stake(traveller: Traveller, amount: money) by traveller
event leave by traveller
on stake(t, a)
  staked = yes

rule 1.1 "The keeper shall charge each traveller, before he or she crosses"
  option minimum: money
  option maximum: money
  require maximum >= minimum
  traveller may stake(any, a) when a >= minimum and a <= maximum and a > 0 and not staked
"""


def test_options_are_such_as_play_comes_to_something_under(tmp_path: Path) -> None:
    """With 0 the least and the most that may be staked, which come first, nobody ever stakes."""
    shutil.copy(MINI.parents[1] / "cli" / "bridge" / "bridge.law", tmp_path)
    (tmp_path / "limits.rules").write_text(LIMITS, "utf-8")
    ready = prepare(tmp_path / "limits.rules")
    for seed in range(3):
        path = tmp_path / f"{seed}.jsonl"
        made(ready, path, 12, seed=seed)
        with path.open() as log:
            assert any(json.loads(line).get("event") == "stake" for line in log)
