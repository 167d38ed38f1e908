"""Logs that lack columns, or kinds of event: what cannot be judged for that the kernel counts itself, with the reasons
that the interpreter gives; and only what it cannot tell exactly is the interpreter's."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from both_engines import Judged, judge
from logs import SHIPPED, columns_of, pieces, ready, simulated
from sharing import shared
from unstated_rules import rules as rules_by_dice
from unstated_store import HEAD, HEADS, LATCH, ODD, PLAIN, by_dice, happened, log, stated
from untold_logs import columns_in, less

from verifier.check.engine import Prepared, check, prepare
from verifier.compile.encoding import NotCompiledError
from verifier.compile.kernel import Compiled
from verifier.compile.untold import NOTHING_UNTOLD, Untold, told
from verifier.log.write_arrow import write_batches
from verifier.simulate.simulate import simulate

AGREEMENT = int(os.environ.get("AGREEMENT", "4"))

OPTIONS: Mapping[str, object] = {"limit": 100, "light": 0, "wide": 2, "strict": False, "grade": 1}

RULE = 'rule 4.2 "The dealer shall at all times deal the cards"\n'


def of_one(folder: Path, *rules: str) -> Prepared:
    """The store with these rules alone, all on one clause."""
    path = folder / "one.rules"
    path.write_text(f"{HEAD}{RULE}" + "".join(f"  {rule}\n" for rule in rules))
    return prepare(path)


def said(rules: Prepared, folder: Path, columns: str, kinds: str, events: str, sample: int = 0) -> Judged:
    """What both engines say of events, of which these columns and kinds are not recorded; both say the same."""
    whole = log(rules, OPTIONS, happened(*events.split("; ")))
    judged = judge(rules, [less(rules, whole, columns.split(), kinds.split())], folder, sample=sample)
    assert judged.unlike == []
    return judged


def counts(judged: Judged) -> tuple[int, int, list[str]]:
    """How often the first rule was kept, how often it could not be judged, and for want of what."""
    rule = judged.other.clause("4.2").rules[0]
    return rule.counts.kept, rule.counts.not_checkable, sorted(one.cause.text for one in rule.why_not)


LAID = "put ann 1 60; put bob 2 160; weigh 1; shut"


@pytest.mark.parametrize(
    ("rule", "columns", "kinds", "found"),
    [
        pytest.param("guest must not put(any, any, a) when a > limit", "weight", "", (0, 2, 1), id="column"),
        pytest.param(
            "guest must not put(any, s, a) when a > limit and s = 2", "put.weight", "", (1, 1, 1), id="and"
        ),
        pytest.param("guest may put(any, s, a) when a > limit or s = 1", "weight", "", (1, 1, 1), id="may"),
        pytest.param(
            "keeper must not weigh(s) when Box(s).weight > limit", "weight", "", (0, 1, 1), id="written"
        ),
        pytest.param(
            "keeper must take(s) before shut when Box(s).weight > limit", "weight", "", (0, 2, 1), id="before"
        ),
        pytest.param("keeper must not shut when Box(1).kept", "", "weigh", (0, 1, 1), id="kind"),
        pytest.param(
            "keeper must not shut when weigh(1) has happened this day", "", "weigh", (0, 1, 1), id="history"
        ),
        pytest.param(
            "keeper must not shut when weigh(1) has happened this day",
            "weigh.shelf",
            "",
            (0, 1, 1),
            id="lost",
        ),
        pytest.param(
            "keeper must weigh(s) before shut when Box(s).weight > limit", "", "weigh", (0, 1, 1), id="duty"
        ),
        pytest.param(
            "keeper must call(any) at once when Box(1).weight > limit", "weight", "", (0, 2, 1), id="at once"
        ),
        pytest.param(
            "keeper must weigh(s) at once when Box(s).weight > 0 and not Box(s).kept",
            "weight",
            "",
            (0, 3, 1),
            id="perhaps done",
        ),
        pytest.param("guest must not put(g, any, any) when g = g", "put.guest", "", (0, 2, 1), id="who"),
    ],
)
def test_what_is_not_recorded(
    tmp_path: Path, rule: str, columns: str, kinds: str, found: tuple[int, int, int]
) -> None:
    rules = of_one(tmp_path, rule)
    for sample in (0, 1):
        judged = said(rules, tmp_path, columns, kinds, LAID, sample)
        kept, not_checkable, why = counts(judged)
        assert (kept, not_checkable, len(why)) == found
        # of whose row it is that is written to, nobody can tell
        assert judged.explained == ("." in columns and columns != "put.weight")


def test_a_fault_among_what_is_recorded_is_found(tmp_path: Path) -> None:
    rules = of_one(
        tmp_path, "guest must not put(any, s, a) when a > limit or s = 2", "keeper must not weigh(any)"
    )
    judged = said(rules, tmp_path, "weight", "call", LAID)
    assert [entry.seq for entry in judged.other.entries] == [1, 2]
    assert judged.explained == 1


def test_whether_a_rule_has_been_broken(tmp_path: Path) -> None:
    """Where one could not be judged nobody can tell of another that rests on it; the kernel counts that too."""
    rules = of_one(
        tmp_path,
        "guest must not put(any, s, a) when a > limit and s = 2",
        "keeper must not shut when rule 4.2 has been broken this day",
    )
    for sample in (0, 1):
        judged = said(rules, tmp_path, "weight", "", f"{LAID}; put ann 1 60; shut", sample)
        assert judged.explained == 0
        assert counts(judged)[:2] == (3, 2)


@pytest.mark.parametrize(
    ("events", "found"),
    [
        pytest.param("put ann 1 60; weigh 1; shut", (0, 2), id="of the event that it is reckoned from"),
        pytest.param("put ann 1 60; weigh 1; weigh 2; shut", (2, 1), id="of the one before that"),
        pytest.param("put ann 1 60; weigh 2; weigh 1; shut", (1, 2), id="of the later one"),
        pytest.param("put ann 1 60; weigh 1; call ann; shut; weigh 2; shut", (2, 2), id="of the day before"),
    ],
)
def test_a_doubt_of_the_very_event_that_a_breach_is_reckoned_from_lasts(
    tmp_path: Path, events: str, found: tuple[int, int]
) -> None:
    rules = of_one(
        tmp_path,
        "keeper must not weigh(s) when Box(s).weight > limit",
        "keeper must not shut when rule 4.2 has been broken since weigh(any)",
    )
    for sample in (0, 1):
        judged = said(rules, tmp_path, "weight", "", events, sample)
        assert judged.explained == 0
        assert counts(judged)[:2] == found


def test_whom_nobody_can_tell_to_have_been_met_is_the_interpreters(tmp_path: Path) -> None:
    rules = of_one(tmp_path, "keeper must call(g) before shut when Bag(g).weight > limit")
    with pytest.raises(NotCompiledError):
        told(rules.program, Untold(frozenset(), (("put", 0, "guest"),)))
    judged = said(rules, tmp_path, "put.guest", "", LAID)
    assert judged.one.clause("4.2").counts.not_checkable


def test_a_record_of_all_has_the_same_module(tmp_path: Path) -> None:
    program = of_one(tmp_path, "guest must not put(any, any, a) when a > limit").program
    plain = Compiled.of(program)
    assert plain.lacking(program, (), NOTHING_UNTOLD) is plain
    other = plain.lacking(program, (), Untold(frozenset(("call",))))
    assert other is plain.lacking(program, (), Untold(frozenset(("call",))))
    assert plain.module.layout.reasons == ()


def test_logs_that_lack_other_things(tmp_path: Path) -> None:
    """The kernel is made for the first; what lacks anything else is the interpreter's."""
    rules = of_one(tmp_path, "guest must not put(any, s, a) when a > limit and s = 2")
    logs = []
    for i, columns in enumerate((("weight",), (), ("put.shelf",), ("weight",))):
        name, header, rows = less(rules, log(rules, OPTIONS, by_dice(Random(i), 30)), columns)
        logs.append((f"{name}{i}", header, [replace(row, lives=(f"T{i}", row.lives[1])) for row in rows]))
    assert judge(rules, logs, tmp_path).unlike == []


@pytest.mark.parametrize("seed", range(16 if AGREEMENT else 400))
def test_rules_by_dice(tmp_path: Path, seed: int) -> None:
    """Norms and conditions by dice, or the store's own; any columns and kinds lacking, any options unstated."""
    dice = Random(seed)
    path = tmp_path / "dice.rules"
    text = rules_by_dice(dice) if seed % 2 else HEAD + dice.choice((PLAIN, PLAIN + LATCH, ODD, HEADS))
    path.write_text(text)
    rules = prepare(path)
    kernel = Compiled.of(rules.program)
    for _ in range(3):
        out = frozenset(dice.sample(sorted(OPTIONS), dice.choice((0, 0, 1, 2))))
        whole = log(rules, stated(rules, dice, out), by_dice(dice, 50))
        columns = dice.sample(columns_in(rules), dice.choice((0, 1, 1, 2)))
        kinds = dice.sample(sorted(rules.ruleset.events), dice.choice((0, 0, 1, 2)))
        one = less(rules, whole, columns, kinds)
        judged = judge(rules, [one], tmp_path, sample=dice.randrange(2), kernel=kernel)
        assert judged.unlike == [], (columns, kinds, sorted(out))


LACKING = {
    "nz/blackjack-1998": (("cut.depth", "shuffle.cards"), ("announce_total",)),
    "nz/blackjack-1994": (("wager.amount",), ("withdraw",)),
    "nz/roulette-1998": (("spin.ball", "bell"), ("announce",)),
    "nz/tournament-blackjack-1998": (("cut.depth",), ("burn",)),
    "uk/blackjack-1994": (("stand.player",), ("shuffle",)),
    "ny/black-jack": (("shuffle.cards",), ("announce_over_21",)),
}
"""Columns and kinds of event that a log of each ruleset may well lack."""


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_rules(name: str, tmp_path: Path) -> None:
    rules = ready(name)
    whole = simulated(name, 1, 3 if AGREEMENT else 40, tmp_path)
    columns, kinds = LACKING[name]
    for out in ((columns, ()), ((), kinds), (columns, kinds)):
        judged = judge(rules, [less(rules, whole, *out)], tmp_path)
        assert not judged.unlike, (out, judged.unlike)


@pytest.mark.parametrize("unordered", [(), ("announce",)])
def test_several_processes(tmp_path: Path, unordered: tuple[str, ...]) -> None:
    """They judge a log that lacks something, by the kernel, or where it takes none by the interpreter."""
    name, whole, path = "nz/roulette-1998", tmp_path / "whole.parquet", tmp_path / "less.parquet"
    simulate(
        ready(name), whole, 24, seed=7, faults=0.3, key=tmp_path / "key", distinct=12, per_table=4, jobs=1
    )
    header, batch = columns_of(name, whole)
    header = replace(header, missing_columns=frozenset(("bell",)), unordered=frozenset(unordered))
    at = batch.schema.get_field_index("bell")
    batch = batch.set_column(
        at, batch.schema.field(at), pa.nulls(batch.num_rows, batch.schema.field(at).type)
    )
    write_batches(path, "parquet", ready(name).binding.schema, header, pieces(batch, 50), lambda rows: None)
    one = check([path], ready(name), engine="explain")
    several = shared(path, jobs=3)
    assert several is not None
    assert replace(several, clauses=()) == replace(one, clauses=())
    assert [clause.counts for clause in several.clauses] == [clause.counts for clause in one.clauses]
    assert one.entries_total
