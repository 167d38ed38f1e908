"""The package knows no roulette either: Division 8 and a log with many faults, renamed, are judged alike."""

from __future__ import annotations

import re
from functools import cache

import pytest
from compared import checked, differences, plain
from rename import BUILT_IN, Renaming, texts, write_renamed
from renamed_log import as_jsonl, renamed_log
from roulette_changes import LEGAL, changes
from roulette_rounds import HEADER, RULESET, fields, ready

from verifier.check.engine import Prepared, prepare
from verifier.check.result import CheckResult
from verifier.syntax.grammar import tokens

RULES = ("std/roulette-wheel", "std/roulette-table", RULESET)
LAW = "nz/gazette-1998-16-division-8"

EACH = 6
"""Every so many-th change gets a table, and each round as it stands."""

HEADERS: dict[str, dict[str, object]] = {
    "everything recorded": HEADER,
    "options and events not recorded": {
        **HEADER,
        "options": {"additional_areas": True},
        "records": sorted(ready().binding.schema.events.keys() - {"announce", "place_dolly"}),
        "unordered": ["collect"],
        "missing_columns": ["at", "close_bets.bell"],
    },
}
"""The log's headers: as it is, and as an operator would send it who records less."""

Row = dict[str, object]


@cache
def log(name: str) -> list[Row]:
    """The rows of a log with that header."""
    header = HEADERS[name]
    rows: list[Row] = []
    for number, change in enumerate(changes()):
        seq = 0
        for place in change.log if number % EACH == 0 or change.kind == LEGAL else ():
            if header["records"] != "all" and place.step.event not in str(header["records"]):
                continue
            seq += 1
            row = fields(place, f"T{number}", seq)
            if "close_bets.bell" in str(header["missing_columns"]):
                row.pop("bell", None)
            rows.append(row)
    return rows


def written(renaming: Renaming, old: str) -> str:
    """A spot or a group as it is written, renamed."""
    if group := re.fullmatch(r"N(\d+)", old):
        return renaming.new("written", "N") + group[1]
    first, last = old.split("-")
    return f"{first}{renaming.new('written', '-')}{last}"


@pytest.fixture(scope="module")
def renaming() -> Renaming:
    law = ready().ruleset.law
    assert law is not None
    rows = (clause.address.partition(" [") for clause in law.clauses.values() if clause.kind == "row")
    return Renaming(rows=frozenset(label.removesuffix("]") for _, _, label in rows))


@pytest.fixture(scope="module")
def renamed(renaming: Renaming, tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return prepare(write_renamed(renaming, tmp_path_factory.mktemp("renamed"), RULES, LAW))


@cache
def found(name: str) -> CheckResult:
    return checked(ready(), as_jsonl(HEADERS[name], log(name)))


@pytest.mark.parametrize("name", HEADERS)
def test_the_verdicts_are_the_same_up_to_the_renaming(
    name: str, renaming: Renaming, renamed: Prepared
) -> None:
    other = checked(renamed, as_jsonl(*renamed_log(renaming, HEADERS[name], log(name), ready(), written)))
    assert list(differences(plain(found(name), None), plain(other, renaming))) == []


def test_the_log_has_many_faults_of_many_kinds() -> None:
    findings = [finding for entry in found("everything recorded").entries for finding in entry.findings]
    assert len(findings) >= 50
    assert {f.kind for f in findings} >= {"impossible", "settlement", "early", "forbidden", "late", "actor"}
    assert len({citation.rule for finding in findings for citation in finding.citations}) >= 18


def test_the_poorer_log_leaves_rules_not_checkable() -> None:
    result = found("options and events not recorded")
    causes = {cause.cause.kind for clause in result.clauses for cause in clause.why_not}
    assert {
        "gap",
        "unrecorded",
    } <= causes  # the option `wheel` is not stated: on another wheel colours are a gap


def test_no_name_of_the_rules_is_left(renaming: Renaming, renamed: Prepared) -> None:
    kinds = ("NAME", "TYPENAME", "LABEL", "ADDRESS", "MODULE")
    old = {str(token) for text in texts(RULES).values() for token in tokens(text) if token.type in kinds}
    new = {str(t) for source in renamed.ruleset.sources for t in tokens(source.text) if t.type in kinds}
    stay = BUILT_IN | {f"[{label}]" for label in renaming.rows}
    assert {name for name in old & new if not name.startswith("appendix")} <= stay
    assert len(new) == len(old)
