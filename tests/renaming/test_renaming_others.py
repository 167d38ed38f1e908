"""The same of the rulesets whose rounds are scripts: renamed, they judge every fault of their tables alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import nz_1994_rounds
import pytest
import uk_games
from alike import checked, compared
from rename import BUILT_IN, NZ_1994, UK_1994, Renaming, Subject, texts, write_renamed
from renamed_log import Row, as_jsonl, renamed_log
from scripted import Fault, Game

from verifier.check.engine import Prepared, prepare
from verifier.check.result import CheckResult
from verifier.syntax.grammar import tokens


@dataclass(frozen=True)
class Case:
    """A ruleset with its scripts and faults; `unstated` and `unrecorded` are what the poorer log leaves out."""

    subject: Subject
    game: Game
    scripts: Mapping[str, str]
    faults: list[Fault]
    unstated: str
    unrecorded: frozenset[str]

    def rows(self) -> Iterator[Row]:
        """A table for each lawful script, and one for each fault."""
        scripts = [*self.scripts.values(), *(f.made(self.scripts) for f in self.faults if not f.options)]
        for number, script in enumerate(scripts, 1):
            for row in self.game.fields(script):
                yield {**row, "table": f"T{number}"}

    def log(self, poorer: bool) -> tuple[dict[str, object], list[Row]]:
        header = self.game.header_fields({})
        if not poorer:
            return header, list(self.rows())
        options = {name: value for name, value in self.game.options.items() if name != self.unstated}
        events = sorted(self.game.ready.binding.schema.events.keys() - self.unrecorded)
        kept: list[Row] = []
        last: dict[object, int] = {}
        for row in self.rows():
            if row["event"] in events:
                last[row["table"]] = last.get(row["table"], 0) + 1
                kept.append({**row, "seq": last[row["table"]]})
        return {**header, "options": options, "records": events, "unordered": ["collect"]}, kept


CASES = {
    "uk/blackjack-1994": Case(
        UK_1994,
        uk_games.GAME,
        uk_games.GAMES,
        uk_games.FAULTS,
        "table_marked",
        frozenset({"stand", "offer_feature"}),
    ),
    "nz/blackjack-1994": Case(
        NZ_1994,
        nz_1994_rounds.GAME,
        nz_1994_rounds.ROUNDS,
        nz_1994_rounds.FAULTS,
        "decks",
        frozenset({"alter"}),
    ),
}


@dataclass(frozen=True)
class Renamed:
    case: Case
    renaming: Renaming
    prepared: Prepared

    def both(self, poorer: bool) -> tuple[CheckResult, CheckResult]:
        ready = self.case.game.ready
        header, rows = self.case.log(poorer)
        other = renamed_log(self.renaming, header, rows, ready)
        return checked(ready, as_jsonl(header, rows)), checked(self.prepared, as_jsonl(*other))


@pytest.fixture(scope="module", params=CASES)
def renamed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Renamed:
    case = CASES[request.param]
    renaming = Renaming()
    path = write_renamed(renaming, tmp_path_factory.mktemp("renamed"), case.subject.rules, case.subject.law)
    return Renamed(case, renaming, prepare(path))


def test_the_verdicts_are_the_same_up_to_the_renaming(renamed: Renamed) -> None:
    first, second = renamed.both(False)
    assert compared((first, second), renamed.renaming) == []
    assert {cite.rule for e in first.entries for f in e.findings for cite in f.citations} >= {
        fault.rule for fault in renamed.case.faults if any(f"broken {fault.rule}" in e for e in fault.entries)
    } - {fault.rule for fault in renamed.case.faults if fault.options}


def test_so_they_are_of_a_poorer_log(renamed: Renamed) -> None:
    first, second = renamed.both(True)
    assert compared((first, second), renamed.renaming) == []
    assert {cause.cause.kind for clause in first.clauses for cause in clause.why_not} & {
        "option",
        "unrecorded",
    }


def test_no_name_and_no_number_is_left(renamed: Renamed) -> None:
    kinds = ("NAME", "TYPENAME", "LABEL", "ADDRESS", "MODULE")
    subject, prepared = renamed.case.subject, renamed.prepared
    old = {
        str(token) for text in texts(subject.rules).values() for token in tokens(text) if token.type in kinds
    }
    new = {str(t) for source in prepared.ruleset.sources for t in tokens(source.text) if t.type in kinds}
    assert old & new <= BUILT_IN
    law, before = prepared.ruleset.law, renamed.case.game.ready.ruleset.law
    assert law is not None
    assert before is not None
    assert not set(before.clauses) & law.clauses.keys()
    assert [renamed.renaming.turned_back(address) for address in law.clauses] == list(before.clauses)
