"""New York's 4620.5, renamed: another ruleset, another table and a law without numbers, judged just the same."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import ny_rounds
import pytest
from alike import checked, compared
from rename import BUILT_IN, Renaming, texts, write_renamed
from renamed_log import as_jsonl, renamed_log

from verifier.check.engine import Prepared, prepare
from verifier.check.result import CheckResult
from verifier.syntax.grammar import tokens

RULES = ("std/cards", "std/blackjack", "std/hole-card-table", "ny/black-jack")
LAW = "ny/9-nycrr-4620.5"

ROWS = frozenset({"Option one", "Option two", "Option three"})
"""Words by which rows of the law are known, which stay."""

EACH = 3
"""Of the changes of a round every so many-th gets a table."""

NOT_RECORDED = {"peek", "announce_blackjack", "burn"}

HEADERS: dict[str, dict[str, object]] = {
    "everything recorded": {"records": "all", "options": dict(ny_rounds.OPTIONS)},
    "options and events not recorded": {
        "records": sorted(ny_rounds.ready().binding.schema.events.keys() - NOT_RECORDED),
        "unordered": ["collect"],
        "options": {"decks": 4},
    },
}
"""The log's headers: as it is, and as an operator would send it who records less."""

Row = dict[str, object]


@cache
def log(name: str) -> tuple[dict[str, object], list[Row]]:
    """Header and rows: each round, and some of the changes, at a table of its own."""
    header: dict[str, object] = {
        "gazette-log": 1,
        "operator": "a test",
        "ruleset": ny_rounds.RULESET,
        "currency": "USD",
        "exponent": 2,
        "missing_columns": ["at"],
        **HEADERS[name],
    }
    scripts = [round_.script for round_ in ny_rounds.rounds().values()]
    scripts += [fault.script for fault in ny_rounds.faults()[::EACH]]
    rows: list[Row] = []
    for number, script in enumerate(scripts, 1):
        recorded = [
            row
            for row in ny_rounds.fields(script)
            if header["records"] == "all" or row["event"] not in NOT_RECORDED
        ]
        rows += [{**row, "seq": seq, "table": f"T{number}"} for seq, row in enumerate(recorded, 1)]
    return header, rows


@cache
def found(name: str) -> CheckResult:
    return checked(ny_rounds.ready(), as_jsonl(*log(name)))


@pytest.fixture(scope="module")
def renaming() -> Renaming:
    return Renaming(rows=ROWS)


@pytest.fixture(scope="module")
def renamed(renaming: Renaming, tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    folder: Path = tmp_path_factory.mktemp("renamed")
    return prepare(write_renamed(renaming, folder, RULES, LAW))


@pytest.mark.parametrize("name", HEADERS)
def test_the_verdicts_are_the_same_up_to_the_renaming(
    name: str, renaming: Renaming, renamed: Prepared
) -> None:
    second = checked(renamed, as_jsonl(*renamed_log(renaming, *log(name), ny_rounds.ready())))
    assert compared((found(name), second), renaming) == []


def test_the_log_has_many_faults() -> None:
    first = found("everything recorded")
    findings = [finding for entry in first.entries for finding in entry.findings]
    assert {f.kind for f in findings} >= {"settlement", "early", "forbidden", "not permitted", "late"}
    assert len({citation.rule for finding in findings for citation in finding.citations}) >= 30


def test_the_poorer_log_leaves_rules_not_checkable() -> None:
    first = found("options and events not recorded")
    causes = {cause.cause.kind for clause in first.clauses for cause in clause.why_not}
    assert {"option", "unrecorded"} <= causes


def test_no_name_and_no_outermost_letter_is_left(renaming: Renaming, renamed: Prepared) -> None:
    kinds = ("NAME", "TYPENAME", "LABEL", "ADDRESS", "MODULE")
    old = {str(token) for text in texts(RULES).values() for token in tokens(text) if token.type in kinds}
    new = {str(t) for source in renamed.ruleset.sources for t in tokens(source.text) if t.type in kinds}
    assert old & new <= BUILT_IN | {f"[{row}]" for row in renaming.rows}
    assert len(new) == len(old)
    law, before = renamed.ruleset.law, ny_rounds.ready().ruleset.law
    assert law is not None
    assert before is not None
    assert not law.clauses.keys() & before.clauses.keys()
    assert [renaming.turned_back(address) for address in law.clauses] == list(before.clauses)
