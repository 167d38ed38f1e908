"""A check as pages: the answer, the clauses, the faults with their rounds; in one file, or in a folder."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verifier.check.engine import Prepared, Progress, check
from verifier.check.played import Played, Wanted, play
from verifier.check.result import CheckResult, ClauseStatus, Entry
from verifier.errors import Problem, RequestError
from verifier.log.sources import Format
from verifier.model.ruleset import Ruleset
from verifier.report.html import front
from verifier.report.html.faults import BY, PAGE, FaultBook
from verifier.report.html.law import clauses_by_rule, instruments
from verifier.report.html.page import Link, Site, body, data_text, whole
from verifier.report.html.rounds import round_view
from verifier.report.html.tables import FaultFolder
from verifier.report.html.words import logged
from verifier.report.json import summary

MARKER = "report.json"
"""The result without its faults, as `gazette check --format json` has it; by this file a report's folder is known."""

ROUNDS = 100
"""So many rounds are drawn unless asked otherwise."""

SINGLE = 2_000
"""So many faults a single file holds; a folder holds all."""

ROUNDS_SINGLE = 20
"""So many rounds a single file draws unless asked otherwise."""

GROUPS = 200
"""So many groups a page lists; the filter has all."""

STATUSES: Mapping[ClauseStatus, str] = {
    "broken": "broken",
    "disputed": "disputed",
    "undecided": "undecided",
    "kept": "kept",
    "not checkable": "not checkable",
    "never exercised": "never exercised",
    "unobservable": "no log can show it",
    "external": "of another instrument",
    "structural": "structure of the text",
    "auxiliary": "read by other rules",
    "no rule": "no rule",
}
"""The status of a clause as the pages say it, in the order in which they list them."""

PAGES = (Link("index", "Answer"), Link("clauses", "Clauses"), Link("faults", "Faults"))


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for, as `verifier.check.engine.check` takes it; `settings` are texts `name=value`."""

    logs: tuple[str, ...]
    ruleset: str
    settings: tuple[str, ...] = ()
    format: Format | None = None
    manifest: str | None = None
    any_ruleset: bool = False
    strict: bool = False

    @property
    def command(self) -> str:
        """The command that checks the same."""
        words = ["gazette", "check", *self.logs, "--rules", self.ruleset]
        for setting in self.settings:
            words += ["--set", setting]
        if self.format is not None:
            words += ["--log-format", self.format]
        if self.manifest is not None:
            words += ["--manifest", self.manifest]
        words += ["--any-ruleset"] * self.any_ruleset + ["--strict"] * self.strict
        return shlex.join(words)


def single(
    request: Request, ready: Prepared, progress: Progress | None = None, rounds: int = ROUNDS_SINGLE
) -> tuple[str, CheckResult]:
    """The report as one document, and the result. Raises what a check raises."""
    book = _book(request, ready)
    pages: list[list[dict[str, Any]]] = [[]]

    def entry(item: Entry) -> None:
        row = book.add(item)
        if book.total <= SINGLE:
            if len(pages[-1]) == PAGE:
                pages.append([])
            pages[-1].append(row)

    result = _checked(request, ready, entry, progress)
    site = Site(_title(result), True, PAGES)
    drawn = list(_rounds(request, ready, book, rounds, min(book.total, SINGLE)))
    links = _links(drawn)
    contents = [
        body("front.html.j2", site, **front.view(result, ready.ruleset, request.command)),
        body("clauses.html.j2", site, **clauses_view(result, ready.ruleset)),
        body("faults.html.j2", site, **faults_view(book, links, pages, len(drawn))),
        *(
            body(
                "round.html.j2",
                site,
                round=round_view(played, number, result.currency, result.exponent),
                clause_of=book.clause_of,
            )
            for number, played in enumerate(drawn, 1)
        ),
    ]
    return whole(site, "index", site.title, *contents), result


def folder(
    request: Request, ready: Prepared, into: Path, progress: Progress | None = None, rounds: int = ROUNDS
) -> CheckResult:
    """The report as files in the folder `into`, which is there and empty; the result. Raises what a check raises."""
    with FaultFolder(into, _book(request, ready)) as faults:
        result = _checked(request, ready, faults.add, progress)
    book = faults.book
    site = Site(_title(result), False, PAGES, data=True)
    (into / "rounds").mkdir()
    links: dict[int, list[int]] = {}
    drawn = 0
    for drawn, played in enumerate(_rounds(request, ready, book, rounds, book.total), 1):
        links.update(_links([played], drawn))
        view = round_view(played, drawn, result.currency, result.exponent)
        text = whole(
            site.below(),
            "faults",
            f"{site.title}: {view['title']}",
            body("round.html.j2", site.below(), round=view, clause_of=book.clause_of),
        )
        (into / "rounds" / f"{drawn:04d}.html").write_text(text, encoding="utf-8")
    (into / MARKER).write_text(
        json.dumps(summary(result), indent=2, ensure_ascii=True) + "\n", encoding="utf-8"
    )
    contents = {
        "index": body("front.html.j2", site, **front.view(result, ready.ruleset, request.command)),
        "clauses": body("clauses.html.j2", site, **clauses_view(result, ready.ruleset)),
        "faults": body("faults.html.j2", site, **faults_view(book, links, [faults.first], drawn)),
    }
    for link in PAGES:
        text = whole(site, link.key, f"{site.title}: {link.title}", contents[link.key])
        (into / f"{link.key}.html").write_text(text, encoding="utf-8")
    return result


def clauses_view(result: CheckResult, ruleset: Ruleset) -> dict[str, Any]:
    """What the page of clauses shows."""
    known = {clause.name: clause for clause in result.clauses}
    found = [clause.status for clause in result.clauses if clause.words]
    statuses = {status: found.count(status) for status in STATUSES if status in found}
    return {"laws": instruments(ruleset, known.get), "statuses": statuses, "said": STATUSES}


# ------------------------------------------------------------------------------------------------------ parts
def _title(result: CheckResult) -> str:
    operators = list(dict.fromkeys(file.operator for file in result.files))
    return logged(f"{', '.join(operators[:3])}: check against {result.ruleset.name}")


def _book(request: Request, ready: Prepared) -> FaultBook:
    """An empty book in the currency of the logs. Raises `RequestError` where they cannot be read twice."""
    from verifier.log.sources import open_logs

    if "-" in request.logs:
        raise RequestError(
            Problem(
                "a report reads its logs twice, and standard input can be read but once",
                code="report-of-stream",
                help="write the log to a file, and name that",
            )
        )
    logs = open_logs(
        request.logs,
        ready.binding.schema,
        request.format,
        manifest=request.manifest,
        any_ruleset=request.any_ruleset,
    )
    with next(iter(logs)) as log:
        header = log.header
    return FaultBook(header.currency, header.exponent, clauses_by_rule(ready.ruleset))


def _checked(
    request: Request, ready: Prepared, entry: Callable[[Entry], None], progress: Progress | None
) -> CheckResult:
    return check(
        request.logs,
        ready,
        request.settings,
        request.format,
        progress,
        manifest=request.manifest,
        any_ruleset=request.any_ruleset,
        strict=request.strict,
        keep=0,
        on_entry=entry,
    )


def _rounds(request: Request, ready: Prepared, book: FaultBook, most: int, among: int) -> Iterator[Played]:
    """The rounds to draw. Every fault found in one of them is marked in it."""
    draw = book.drawn(most, among)
    wanted = [
        Wanted(place.number, place.file, place.line, place.table, place.passing, place.number in draw)
        for place in book.where
        if place.line is not None
    ]
    yield from play(
        request.logs,
        ready,
        wanted,
        request.settings,
        request.format,
        manifest=request.manifest,
        any_ruleset=request.any_ruleset,
    )


def _links(drawn: Sequence[Played], first: int = 1) -> dict[int, list[int]]:
    """For each fault that is drawn: its round, and the step."""
    found: dict[int, list[int]] = {}
    for number, played in enumerate(drawn, first):
        for at, step in enumerate(played.steps, 1):
            found.update({entry: [number, at] for entry in step.entries})
        found.update({entry: [number, len(played.steps)] for entry in played.passed})
    return found


def faults_view(
    book: FaultBook, links: Mapping[int, list[int]], pages: list[list[dict[str, Any]]], drawn: int
) -> dict[str, Any]:
    """What the page of faults shows: groups, and the rows of the pages of data that it holds itself. `links` lead from
    faults to their rounds, of which so many are `drawn`."""
    groups = {by: book.grouped(by) for by in BY}
    here = sum(len(page) for page in pages)
    return {
        "total": book.total,
        "here": here,
        "page": PAGE,
        "drawn": drawn,
        "groups": [
            {
                "by": by,
                "more": max(0, len(groups[by]) - GROUPS),
                "rows": [
                    {
                        "name": logged(g.name),
                        "number": book.names[by].number(g.name),
                        "count": g.count,
                        "short": _money(book, g.short),
                    }
                    for g in groups[by][:GROUPS]
                ],
            }
            for by in BY
        ],
        "pages": [data_text(page) for page in pages],
        "links": data_text(links),
        "index": data_text(book.index()) if len(pages) > 1 or book.total <= PAGE else None,
    }


def _money(book: FaultBook, amount: Any) -> str:
    from verifier.report.money import money

    return money(amount, book.currency, book.exponent) if amount else ""
