"""Options that a log leaves unstated: what cannot be judged for want of them the kernel counts itself, with the
reasons that the interpreter gives; and only what it cannot tell exactly is the interpreter's."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations, islice
from pathlib import Path
from random import Random

import pytest
from both_engines import Judged, judge
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from logs import SHIPPED, mixed, ready, simulated, written
from unstated_rules import rules as rules_by_dice
from unstated_store import HEAD, HEADS, LATCH, ODD, PLAIN, by_dice, happened, log, stated

from verifier.check.engine import Prepared, prepare
from verifier.check.unjudged import Unjudged
from verifier.compile.kernel import Compiled, Kernel
from verifier.compile.lacking import unstated_in
from verifier.compile.module import compile_program
from verifier.run.undefined import Reason

AGREEMENT = int(os.environ.get("AGREEMENT", "4"))

OPTIONS: Mapping[str, object] = {"limit": 10**6, "light": 0, "wide": 2, "strict": False, "grade": 1}

RULE = 'rule 4.2 "The dealer shall at all times deal the cards"\n'

MADE: dict[str, Prepared] = {}


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Prepared]:
    """The store's rules: `plain`, with one more that asks whether another has been broken, `odd` ones, and such
    whose heads name options."""
    if not MADE:
        folder = tmp_path_factory.mktemp("store")
        for name, text in (("plain", PLAIN), ("latch", PLAIN + LATCH), ("odd", ODD), ("heads", HEADS)):
            path = folder / f"{name}.rules"
            path.write_text(HEAD + text)
            MADE[name] = prepare(path)
    return MADE


def of_one(folder: Path, *rules: str) -> Prepared:
    """The store with these rules alone, all on one clause."""
    path = folder / "one.rules"
    path.write_text(f"{HEAD}{RULE}" + "".join(f"  {rule}\n" for rule in rules))
    return prepare(path)


def said(rules: Prepared, folder: Path, out: str, events: str, sample: int = 0) -> Judged:
    """What both engines say of events, with some options left out; both say the same."""
    kept = {name: value for name, value in OPTIONS.items() if name not in out.split()}
    judged = judge(rules, [log(rules, kept, happened(*events.split("; ")))], folder, sample=sample)
    assert judged.unlike == []
    return judged


def lacked(judged: Judged, clause: str = "4.2") -> tuple[int, int, dict[str, int]]:
    """How often the first rule on a clause was kept, how often it could not be judged, and for want of what."""
    rule = judged.other.clause(clause).rules[0]
    wanted = {name: one.count for one in rule.why_not for name in OPTIONS if name in one.cause.text}
    return rule.counts.kept, rule.counts.not_checkable, wanted


LAID = "put ann 1 60; put bob 2 60"


@pytest.mark.parametrize(
    ("rule", "out", "events", "counts"),
    [
        pytest.param(
            "guest must not put(any, any, a) when a > limit", "limit", LAID, (0, 2, {"limit": 2}), id="amount"
        ),
        pytest.param(
            "guest must not put(any, s, a) when a > limit and s = 1",
            "limit",
            LAID,
            (1, 1, {"limit": 1}),
            id="and",
        ),
        pytest.param(
            "guest must not put(any, s, a) when not (a <= limit or s = 1)",
            "limit",
            LAID,
            (1, 1, {"limit": 1}),
            id="or",
        ),
        pytest.param(
            "guest must not put(any, s, a) when a > limit and s = wide and strict",
            "limit wide strict",
            LAID,
            (0, 2, {"limit": 2, "wide": 2, "strict": 2}),
            id="three at once",
        ),
        pytest.param(
            "guest must not put(any, s, a) when (a > limit or s = 1) and (strict or a < 50 and grade > 2)",
            "limit strict",
            LAID,
            (0, 2, {"limit": 1, "strict": 2}),
            id="and of or",
        ),
        pytest.param(
            "guest must not put(any, any, a) when a > limit + light",
            "limit light",
            LAID,
            (0, 2, {"limit": 2}),
            id="sum",
        ),
        pytest.param(
            "guest must not put(any, any, a) when (if strict then a else light) > 777",
            "light strict",
            LAID,
            (0, 2, {"light": 2}),
            id="of few values, then of any",
        ),
        pytest.param(
            "guest must not put(any, s, any) when grade < s",
            "grade",
            LAID,
            (1, 1, {"grade": 1}),
            id="a range",
        ),
        pytest.param(
            "guest must not put(any, s, any) when s = 1 and wide = 1 and wide = 2",
            "wide",
            LAID,
            (2, 0, {}),
            id="agreed",
        ),
        pytest.param(
            "guest must not fetch(any, any) when some b in Box: heavy(b) and b.shelf = wide",
            "limit wide",
            f"{LAID}; fetch ann 1",
            (0, 1, {"limit": 1, "wide": 1}),
            id="some",
        ),
        pytest.param(
            "guest must not fetch(any, any) when every b in Box: b.weight > light",
            "light",
            f"{LAID}; fetch ann 1",
            (0, 1, {"light": 1}),
            id="every",
        ),
        pytest.param(
            "guest must not fetch(any, any) when number of (b in Box where b.weight > light) > 2",
            "light",
            f"fetch ann 1; {LAID}; fetch ann 1",
            (1, 1, {"light": 1}),
            id="number",
        ),
        pytest.param(
            "guest may put(any, s, a) when a > limit or s = 2",
            "limit",
            LAID,
            (1, 1, {"limit": 1}),
            id="permission",
        ),
        pytest.param(
            "keeper must weigh(s) before shut when Box(s).weight > limit and not Box(s).kept",
            "limit",
            f"{LAID}; weigh 2; shut",
            (0, 2, {"limit": 2}),
            id="before",
        ),
        pytest.param(
            "keeper must weigh(s) by end of day when Box(s).weight > light and s != grade and not Box(s).kept",
            "light grade",
            f"{LAID}; weigh 2; shut",
            (0, 2, {"light": 2, "grade": 2}),
            id="by the end",
        ),
        pytest.param(
            "keeper must weigh(s) at once when Box(s).weight > light and not Box(s).kept and s < 3",
            "light",
            f"{LAID}; call ann",
            (0, 4, {"light": 4}),
            id="at once",
        ),
    ],
)
def test_a_condition_over_an_option(
    tmp_path: Path, rule: str, out: str, events: str, counts: tuple[int, int, dict[str, int]]
) -> None:
    rules = of_one(tmp_path, rule)
    for sample in (0, 1):
        judged = said(rules, tmp_path, out, events if events.endswith("shut") else f"{events}; shut", sample)
        assert (judged.explained, judged.sampled) == (0, sample)
        assert lacked(judged) == counts
        assert judged.other.exit_code == (3 if counts[1] else 0)


DECIDES = (
    "charge(b) = 5 when b.weight < limit",
    "charge(b) = 50 when b.weight >= limit",
    "keeper must not call(any) when charge(Box(1)) > 10",
)


def test_an_answer_that_hangs_on_an_option(tmp_path: Path) -> None:
    rules = of_one(tmp_path, *DECIDES)
    judged = said(rules, tmp_path, "limit", f"{LAID}; call ann")
    assert judged.explained == 0
    assert lacked(judged) == (0, 1, {"limit": 1})


def test_answers_that_are_the_same_whatever_the_option_is(tmp_path: Path) -> None:
    rules = of_one(tmp_path, *(case.replace("50", "5") for case in DECIDES))
    judged = said(rules, tmp_path, "limit", f"{LAID}; call ann")
    assert lacked(judged) == (0, 1, {"limit": 1})


def test_a_definition_that_asks_an_option_besides(tmp_path: Path) -> None:
    """What it asks of the option is asked too, though it is not of the box."""
    path = tmp_path / "asks.rules"
    big = "define big(b: Box): bool = b.weight > 10 and strict\ndecision charge"
    duty = "  keeper must weigh(s) before shut when big(Box(s)) and not Box(s).kept\n"
    path.write_text(
        f"{HEAD.replace('decision charge', big)}{RULE}{duty}  keeper must not call(any) when some b in Box: big(b)\n"
    )
    judged = said(prepare(path), tmp_path, "", "put ann 1 60; call ann; shut")
    assert (judged.explained, judged.other.exit_code) == (0, 0)


def test_a_gap_besides_is_the_interpreters(tmp_path: Path) -> None:
    """There is a gap, or an answer is wanting for the option: both are told."""
    rules = of_one(tmp_path, *DECIDES[::2], "guest must not fetch(any, s) when charge(Box(s)) > light")
    for sample in (0, 1):
        judged = said(rules, tmp_path, "limit light", f"{LAID}; fetch ann 1; call ann; fetch ann 3", sample)
        assert lacked(judged)[1] == 3


def test_what_holds_whatever_the_option_is_broken(tmp_path: Path) -> None:
    rules = of_one(
        tmp_path,
        "guest must not fetch(any, s) when strict or s = 3",
        "guest must not fetch(any, s) when (wide = 1 or wide = 2) and s = 1",
    )
    judged = said(rules, tmp_path, "strict wide", "fetch ann 1; shut; fetch ann 2; shut; fetch ann 3; shut")
    assert [entry.seq for entry in judged.other.entries] == [1, 5]
    assert judged.explained == 2
    assert lacked(judged) == (2, 2, {"strict": 2})


def test_whether_a_rule_was_broken_is_the_interpreters(tmp_path: Path) -> None:
    """Where that hangs on what cannot be judged, the round is."""
    rules = of_one(
        tmp_path,
        "guest must not put(any, s, a) when a > limit and s = 1",
        "keeper must not call(any) when rule 4.2 has been broken this day",
    )
    judged = said(rules, tmp_path, "limit", "put ann 1 60; call ann; shut; put ann 2 60; call ann; shut")
    assert judged.explained == 1
    assert lacked(judged) == (2, 2, {"limit": 2})


def test_a_duty_that_is_done_besides_is_the_interpreters(tmp_path: Path) -> None:
    rules = of_one(tmp_path, "keeper must weigh(s) at once when Box(s).weight > light and not Box(s).kept")
    judged = said(rules, tmp_path, "light", f"{LAID}; weigh 1; shut")
    assert judged.explained == 1


def test_a_kernel_that_counts_otherwise_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = of_one(tmp_path, "guest must not put(any, any, a) when a > limit")
    true = Kernel.unjudged

    def another(self: Kernel) -> dict[str, Unjudged]:
        found = true(self)
        return {
            rule: Unjudged(one.times, {Reason("option", "grade"): one.times}) for rule, one in found.items()
        }

    monkeypatch.setattr(Kernel, "unjudged", another)
    options = {name: value for name, value in OPTIONS.items() if name != "limit"}
    judged = judge(rules, [log(rules, options, happened(*LAID.split("; "), "shut"))], tmp_path, sample=1)
    (told,) = judged.disagreements
    assert "how often, or why, these could not be judged: 4.2" in told


def test_several_logs_of_which_each_leaves_out_another(rules: Mapping[str, Prepared], tmp_path: Path) -> None:
    """The kernel is made for the first; what the others lack besides is the interpreter's."""
    table = rules["plain"]
    logs = []
    for i, out in enumerate(("limit", "light", "", "strict grade")):
        options = {name: value for name, value in OPTIONS.items() if name not in out.split()}
        name, header, rows = log(table, options, by_dice(Random(i), 30))
        logs.append((f"{name}{i}", header, [replace(row, lives=(f"T{i}", row.lives[1])) for row in rows]))
    assert judge(table, logs, tmp_path).unlike == []


def test_where_all_is_stated_the_module_is_the_same(rules: Mapping[str, Prepared]) -> None:
    program = rules["plain"].program
    plain = Compiled.of(program)
    assert unstated_in(program, OPTIONS) == ()
    assert plain.lacking(program, ()) is plain
    other = plain.lacking(program, ("light", "limit"))
    assert other is plain.lacking(program, ("light", "limit"))
    assert compile_program(program).wasm() != compile_program(program, ("limit",)).wasm()


DICE = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], database=None
)


@given(
    kind=st.sampled_from(("plain", "latch", "odd", "heads")),
    out=st.frozensets(st.sampled_from(sorted(OPTIONS))),
    seed=st.integers(0, 2**32),
    sample=st.sampled_from((0, 1)),
)
@DICE
def test_any_options_unstated(
    rules: Mapping[str, Prepared], tmp_path: Path, kind: str, out: frozenset[str], seed: int, sample: int
) -> None:
    table, dice = rules[kind], Random(seed)
    one = log(table, stated(table, dice, out), by_dice(dice, 60))
    assert judge(table, [one], tmp_path, sample=sample).unlike == []


@pytest.mark.parametrize("seed", range(12 if AGREEMENT else 300))
def test_conditions_by_dice(tmp_path: Path, seed: int) -> None:
    """Norms and conditions by dice, any options unstated."""
    dice = Random(seed)
    path = tmp_path / "dice.rules"
    path.write_text(rules_by_dice(dice))
    table = prepare(path)
    kernel = Compiled.of(table.program)
    for _ in range(3):
        out = frozenset(dice.sample(sorted(OPTIONS), dice.choice((1, 1, 2, 2, 3, 5))))
        one = log(table, stated(table, dice, out), by_dice(dice, 50))
        judged = judge(table, [one], tmp_path, sample=dice.randrange(2), kernel=kernel)
        assert judged.unlike == [], sorted(out)


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_rules(name: str, tmp_path: Path) -> None:
    """Each option left out by itself, and in twos, of rounds written by hand: of a few, or (AGREEMENT=0) many."""
    rules = ready(name)
    logs = list(islice(written(name), 6 if AGREEMENT else 40))
    if name == "nz/roulette-1998":
        logs.append(simulated(name, 1, 3, tmp_path))
    for i, (title, header, rows) in enumerate(logs):
        options = header.options
        sets = [*((one,) for one in options), *combinations(options, 2), tuple(options)]
        for out in mixed(sets, lambda names, i=i: f"{i} {names}")[: 1 if AGREEMENT else 20]:
            rest = {option: value for option, value in options.items() if option not in out}
            judged = judge(rules, [(title, replace(header, options=rest), rows)], tmp_path)
            assert not judged.unlike, (title, out, judged.unlike)
