"""A check as pages: the answer, the clauses, the faults with their rounds; in one file, or in a folder."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from verifier.check.engine import Prepared, Progress, check
from verifier.check.opening import Logs
from verifier.check.played import Wanted
from verifier.check.replays import Made, Replays
from verifier.check.result import CheckResult, ClauseStatus, Entry
from verifier.log.sources import Format, demand_again
from verifier.model.ruleset import Ruleset
from verifier.report.html import front
from verifier.report.html.faults import BY, PAGE, FaultBook
from verifier.report.html.law import clauses_by_rule, instruments
from verifier.report.html.packed import FILE, PieceFiles, packed
from verifier.report.html.page import Link, Site, body, data_text, whole
from verifier.report.html.rounds import Painter
from verifier.report.html.tables import FaultFolder
from verifier.report.html.words import logged
from verifier.report.json import summary
from verifier.report.money import money

MARKER = "report.json"
"""The result without its faults, as `gazette check --format json` has it; by this file a report's folder is known."""

OWN = 100
"""So many rounds of a folder are pages of their own, which open without a script; all others are packed."""

SINGLE = 2_000
"""So many faults a single file lists; a folder lists all."""

OWN_SINGLE = 10
"""So many rounds stand in a single file as they are; all others are packed."""

PACKED_SINGLE = 24_000_000
"""Bytes of packed rounds that a single file holds; a folder holds all."""

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
    columns: str | None = None
    sort: bool = False

    @property
    def named(self) -> Logs:
        """The logs, and how they are to be read."""
        return Logs(self.logs, self.format, self.manifest, self.any_ruleset, self.columns, self.sort)

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
        if self.columns is not None:
            words += ["--columns", self.columns]
        words += ["--sort"] * self.sort
        words += ["--any-ruleset"] * self.any_ruleset + ["--strict"] * self.strict
        return shlex.join(words)

    def replays(self, ready: Prepared, jobs: int) -> Replays:
        """What plays rounds of these logs again."""
        return Replays(self.named, ready, self.settings, jobs)


def single(
    request: Request,
    ready: Prepared,
    progress: Progress | None = None,
    rounds: int | None = None,
    jobs: int = 1,
) -> tuple[str, CheckResult]:
    """The report as one document, and the result. At most so many rounds are drawn, all by default, by so many
    processes. Raises what a check raises."""
    with request.replays(ready, jobs) as replays:
        return _single(request, ready, progress, rounds, replays)


def _single(
    request: Request, ready: Prepared, progress: Progress | None, rounds: int | None, replays: Replays
) -> tuple[str, CheckResult]:
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
    whole_rounds: list[str] = []
    pieces: list[str] = []
    links: dict[int, list[int]] = {}
    room = PACKED_SINGLE
    for drawn in _drawn(replays, book, rounds, min(book.total, SINGLE), site, result, progress):
        if drawn.number <= OWN_SINGLE:
            whole_rounds.append(drawn.text)
        else:
            piece = packed(drawn.text)
            room -= len(piece)
            if room < 0:
                break
            pieces.append(piece)
        links.update(drawn.links)
    shown = Shown(book, links, pages, len(whole_rounds), len(whole_rounds) + len(pieces))
    contents = [
        body("front.html.j2", site, **front.view(result, ready.ruleset, request.command)),
        body("clauses.html.j2", site, **clauses_view(result, ready.ruleset)),
        body("faults.html.j2", site, **faults_view(shown, single=True, asked=rounds)),
        *whole_rounds,
    ]
    if pieces:
        contents.append(body("viewer.html.j2", site, **viewer_view(shown), pieces=data_text(pieces)))
    return whole(site, "index", site.title, *contents), result


def folder(
    request: Request,
    ready: Prepared,
    into: Path,
    progress: Progress | None = None,
    rounds: int | None = None,
    jobs: int = 1,
) -> CheckResult:
    """The report as files in the folder `into`, which is there and empty; the result. At most so many rounds are drawn,
    all by default, by so many processes. Raises what a check raises."""
    with request.replays(ready, jobs) as replays:
        return _folder(request, ready, into, progress, rounds, replays)


def _folder(
    request: Request,
    ready: Prepared,
    into: Path,
    progress: Progress | None,
    rounds: int | None,
    replays: Replays,
) -> CheckResult:
    with FaultFolder(into, _book(request, ready)) as faults:
        result = _checked(request, ready, faults.add, progress)
    book = faults.book
    site = Site(_title(result), False, PAGES, data=True)
    (into / "rounds").mkdir()
    links: dict[int, list[int]] = {}
    pieces = PieceFiles(into)
    own = 0
    for drawn in _drawn(replays, book, rounds, book.total, site, result, progress):
        links.update(drawn.links)
        if drawn.number <= OWN:
            own += 1
            title = f"{site.title}: {drawn.title}"
            text = whole(site.below(), "faults", title, drawn.text)
            (into / "rounds" / f"{drawn.number:04d}.html").write_text(text, encoding="utf-8")
        else:
            pieces.add(drawn.text)
    pieces.close()
    faults.write_links(links)
    (into / MARKER).write_text(
        json.dumps(summary(result), indent=2, ensure_ascii=True) + "\n", encoding="utf-8"
    )
    shown = Shown(book, links, [faults.first], own, own + pieces.count)
    contents = {
        "index": body("front.html.j2", site, **front.view(result, ready.ruleset, request.command)),
        "clauses": body("clauses.html.j2", site, **clauses_view(result, ready.ruleset)),
        "faults": body("faults.html.j2", site, **faults_view(shown, asked=rounds)),
    }
    titles = {link.key: link.title for link in PAGES}
    if pieces.count:
        contents["round"] = body("viewer.html.j2", site, **viewer_view(shown), pieces=None)
        titles["round"] = "A round"
    for key, content in contents.items():
        text = whole(site, key if key != "round" else "faults", f"{site.title}: {titles[key]}", content)
        (into / f"{key}.html").write_text(text, encoding="utf-8")
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
    demand_again(request.logs, "a report")
    with next(iter(request.named.open(ready.binding.schema))) as log:
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
        columns=request.columns,
        sort=request.sort,
        keep=0,
        on_entry=entry,
    )


@dataclass(frozen=True, slots=True)
class DrawnRound:
    """A round rendered: its number among those drawn, its title, and for each fault in it the round and the step."""

    number: int
    title: str
    text: str
    links: dict[int, list[int]]


def _drawn(
    replays: Replays,
    book: FaultBook,
    most: int | None,
    among: int,
    site: Site,
    result: CheckResult,
    progress: Progress | None,
) -> Iterator[DrawnRound]:
    """The rounds that are drawn of the faults among the first so many, in the order of the logs. Every fault found in
    one of them is marked in it."""
    draw = book.drawn(most, among)
    rounds: dict[object, int] = {}
    share = {n: rounds.setdefault(book.where[n - 1].round, len(rounds)) % replays.shares for n in draw}
    shares = (
        [
            Wanted(
                place.number, place.file, place.line, place.table, place.passing, share.get(place.number) == n
            )
            for place in book.where
            if place.line is not None
        ]
        for n in range(replays.shares)
    )
    painter = Painter.of(result.currency, result.exponent)
    single, own = site.single, OWN_SINGLE if site.single else OWN
    events = 0
    # A round whose end is logged twice is played as two.
    views = islice(replays.play(shares, painter.view), most)
    for number, (view, more) in enumerate(_looking_ahead(views), 1):
        view["key"] = str(number)
        here = site if single or number > own else site.below()
        text = body(
            "round.html.j2",
            here,
            round=view,
            clause_of=book.clause_of,
            back=_place(here, number - 1, own) if number > 1 else None,
            on=_place(here, number + 1, own) if more else None,
        )
        events += len(view["steps"])
        if progress is not None and number % 10 in (0, 1):
            progress("drawing rounds", events)
        yield DrawnRound(number, view["title"], text, _links(view, number))


def _place(site: Site, number: int, own: int) -> str:
    """The address of a round from a page of the site."""
    if site.single:
        return f"#round-{number}"
    if number <= own:
        return f"{site.up}rounds/{number:04d}.html"
    return f"{site.up}round.html#round-{number}"


def _looking_ahead(items: Iterator[Made]) -> Iterator[tuple[Made, bool]]:
    """Each with whether there is another."""
    last = next(items, None)
    while last is not None:
        following = next(items, None)
        yield last, following is not None
        last = following


def _links(view: dict[str, Any], number: int) -> dict[int, list[int]]:
    """For each fault of a round: its round, and the step."""
    found: dict[int, list[int]] = {}
    for at, step in enumerate(view["steps"], 1):
        found.update({entry: [number, at] for entry in step["entries"]})
    found.update({entry: [number, len(view["steps"])] for entry in view["passed"]})
    return found


@dataclass(frozen=True, slots=True)
class Shown:
    """What of the faults a report holds: rows in `pages`, `links` from faults to their rounds; so many rounds are
    `drawn`, `own` of them as they are, the others packed."""

    book: FaultBook
    links: Mapping[int, list[int]]
    pages: list[list[dict[str, Any]]]
    own: int
    drawn: int


def viewer_view(shown: Shown) -> dict[str, Any]:
    """What the place shows where packed rounds are opened."""
    return {"own": shown.own, "drawn": shown.drawn, "file": FILE}


def faults_view(shown: Shown, *, single: bool = False, asked: int | None = None) -> dict[str, Any]:
    """What the page of faults shows: groups, and the rows of the pages of data that it holds itself. `asked` is the
    most rounds that were to be drawn."""
    book = shown.book
    groups = {by: book.grouped(by) for by in BY}
    here = sum(len(page) for page in shown.pages)
    links = shown.links if single else {n: to for n, to in shown.links.items() if n <= PAGE}
    return {
        "total": book.total,
        "unclear": book.unclear,
        "here": here,
        "page": PAGE,
        "drawn": shown.drawn,
        "own": shown.own,
        "undrawn": (min(here, book.total) if single else book.total) - len(shown.links),
        "asked": asked,
        "groups": [
            {
                "by": by,
                "more": max(0, len(groups[by]) - GROUPS),
                "rows": [
                    {
                        "name": logged(g.name),
                        "number": book.names[by].number(g.name),
                        "count": g.count,
                        "short": money(g.short, book.currency, book.exponent) if g.short else "",
                    }
                    for g in groups[by][:GROUPS]
                ],
            }
            for by in BY
        ],
        "pages": [data_text(page) for page in shown.pages],
        "links": data_text(links),
        "index": data_text(book.index()) if len(shown.pages) > 1 or book.total <= PAGE else None,
    }
