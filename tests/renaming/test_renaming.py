"""The package knows no game: with everything renamed that has a name or a number, it says the same.

NZ 1998 and a log with many faults are checked, and so are their renamed counterparts; the second result, turned back
word by word, is the first: entries, verdicts, clauses, acts required, values, tallies, money. Then the package is made
to know something (an event, a clause, a word in a value), and each time the two results part.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from compared import checked, compared
from nz_rounds import ready
from rename import BUILT_IN, RULES, Renaming, texts, write_renamed
from renamed_log import HEADERS, as_jsonl, log, renamed_log

from verifier.check.engine import Prepared, prepare
from verifier.check.result import CheckResult
from verifier.run.bench import Bench, Happening
from verifier.run.judge import Judge
from verifier.run.verdict import Judgement
from verifier.syntax.grammar import tokens


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("renamed")


@pytest.fixture(scope="module")
def renaming() -> Renaming:
    return Renaming()


@pytest.fixture(scope="module")
def renamed(renaming: Renaming, folder: Path) -> Prepared:
    return prepare(write_renamed(renaming, folder))


@cache
def original_log(name: str) -> tuple[dict[str, object], list[dict[str, object]]]:
    return log(HEADERS[name])


@cache
def found(name: str) -> CheckResult:
    return checked(ready(), as_jsonl(*original_log(name)))


def both(name: str, renaming: Renaming, renamed: Prepared) -> tuple[CheckResult, CheckResult]:
    header, rows = original_log(name)
    first = found(name)
    return first, checked(renamed, as_jsonl(*renamed_log(renaming, header, rows)))


# ------------------------------------------------------------------------------------------------- the test
@pytest.mark.parametrize("name", HEADERS)
def test_the_verdicts_are_the_same_up_to_the_renaming(
    name: str, renaming: Renaming, renamed: Prepared
) -> None:
    assert compared(both(name, renaming, renamed), renaming) == []


def test_the_log_has_many_faults_of_many_kinds() -> None:
    first = found("everything recorded")
    assert first.entries_total >= 30
    assert len({entry.table for entry in first.entries}) >= 30
    findings = [finding for entry in first.entries for finding in entry.findings]
    assert {f.kind for f in findings} >= {
        "impossible", "settlement", "early", "forbidden", "not permitted", "skipped", "late", "actor"
    }  # fmt: skip
    assert len({citation.rule for finding in findings for citation in finding.citations}) >= 35
    assert sum(short.amount for short in first.short) > 0
    assert {"ann", "the house"} <= {short.who for short in first.short}


def test_the_poorer_log_leaves_rules_not_checkable() -> None:
    first = found("options and events not recorded")
    causes = {cause.cause.kind for clause in first.clauses for cause in clause.why_not}
    assert {"option", "unrecorded"} <= causes
    assert first.entries_total >= 5


# ------------------------------------------------------------------------------ that all of it was renamed
def test_no_name_of_the_rules_is_left(renaming: Renaming, renamed: Prepared) -> None:
    kinds = ("NAME", "TYPENAME", "LABEL", "ADDRESS", "MODULE")
    old = {str(token) for text in texts().values() for token in tokens(text) if token.type in kinds}
    new = {str(t) for source in renamed.ruleset.sources for t in tokens(source.text) if t.type in kinds}
    assert old & new <= BUILT_IN
    assert len(new) == len(old)
    assert len(old) > 450


def test_no_clause_number_of_the_law_is_left(renaming: Renaming, renamed: Prepared) -> None:
    law, before = renamed.ruleset.law, ready().ruleset.law
    assert law is not None
    assert before is not None
    numbered = {address for address in before.clauses if not address.startswith("Appendix")}
    assert not numbered & law.clauses.keys()
    assert [renaming.turned_back(address) for address in law.clauses] == list(before.clauses)
    assert [clause.text for clause in law.clauses.values()] == [
        clause.text for clause in before.clauses.values()
    ]


def test_no_word_of_the_log_is_left(renaming: Renaming, renamed: Prepared) -> None:
    header, rows = original_log("everything recorded")
    new_header, new_rows = renamed_log(renaming, header, rows)
    assert not {key for row in rows for key in row} & {key for row in new_rows for key in row} - {
        "seq",
        "actor",
        "event",
    }
    words = {value for row in rows for value in row.values() if isinstance(value, str)}
    assert len(words) > 80
    assert not words & {value for row in new_rows for value in row.values() if isinstance(value, str)}
    assert header["ruleset"] != new_header["ruleset"]


def test_the_renaming_is_the_same_every_time(tmp_path: Path, renamed: Prepared) -> None:
    path = write_renamed(Renaming(), tmp_path)
    assert prepare(path).ruleset.digest == renamed.ruleset.digest
    assert len({source.path for source in renamed.ruleset.sources}) == len(RULES)


# --------------------------------------------------------------------------- that a package that knows is caught
def told_apart(renaming: Renaming, renamed: Prepared) -> bool:
    """Whether a few tables are enough to see that the package knows something."""
    header, rows = original_log("everything recorded")
    paid = (e for e in found("everything recorded").entries if e.event is not None and e.event.event == "pay")
    few = list(dict.fromkeys(entry.table for entry in paid if entry.lead.kind == "settlement"))[:4]
    some = [row for row in rows if row["table"] in few]
    first = checked(ready(), as_jsonl(header, some))
    second = checked(renamed, as_jsonl(*renamed_log(renaming, header, some)))
    return compared((first, second), renaming) != []


def test_the_few_tables_alone_are_judged_alike(renaming: Renaming, renamed: Prepared) -> None:
    assert not told_apart(renaming, renamed)


def test_a_package_that_knows_an_event_is_caught(
    renaming: Renaming, renamed: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = Judge.step

    def knowing(self: Judge, happening: Happening) -> list[Judgement]:
        found = step(self, happening)
        return [j for j in found if j.kind != "settlement"] if happening.event == "pay" else found

    monkeypatch.setattr(Judge, "step", knowing)
    assert told_apart(renaming, renamed)


def test_a_package_that_knows_a_clause_is_caught(
    renaming: Renaming, renamed: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = Bench.count

    def knowing(self: Bench, rule: str, *more: Any) -> None:
        if not rule.startswith("5."):
            count(self, rule, *more)

    monkeypatch.setattr(Bench, "count", knowing)
    assert told_apart(renaming, renamed)


def test_a_package_that_knows_a_value_is_caught(
    renaming: Renaming, renamed: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = Judge.step

    def knowing(self: Judge, happening: Happening) -> list[Judgement]:
        return [j for j in step(self, happening) if not re.search(r"B\dH\d", str(j.values))]

    monkeypatch.setattr(Judge, "step", knowing)
    assert told_apart(renaming, renamed)
