"""How long a report takes to write and to open, and how large it is, by the number of its faults.

The faults are made up, as the check of a log would yield them; the check itself is not measured. Each has a round of
its own, which is the one of the example log again and again: playing and drawing it is not measured either. A browser
opens the list of faults, its last page, the list sorted by money, and the round of the last fault, where there is
one. With `--log` and `--rules` the whole report of a log is measured instead, check, rounds and all.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from verifier.check.engine import prepare
from verifier.check.result import Citation, Entry, Finding, LoggedEvent, Named, Shortfall
from verifier.report.html.check import OWN, Request, Shown, faults_view, folder, viewer_view
from verifier.report.html.faults import FaultBook
from verifier.report.html.packed import PieceFiles
from verifier.report.html.page import Site, body, whole
from verifier.report.html.tables import FaultFolder

SIZES = (10, 1_000, 100_000)

RULES = [
    (f"{a}.{b}", f"clause {a}.{b} says what is to be done, and by whom, and when")
    for a in range(1, 9)
    for b in range(1, 9)
]

EXAMPLE = Path(__file__).parents[1] / "examples" / "one-round.yaml"

SHOWN = "before => { const n = document.querySelector('.list .num'); return n && n.textContent !== before }"
"""That the list begins with another fault than before."""


def entry(number: int) -> Entry:
    """A fault such as a check yields: a wrong settlement with its clause, what was required and what it rests on."""
    rule, quote = RULES[number * 7 % len(RULES)]
    short = Shortfall(f"guest {number % 500}", 50 + number * 13 % 10_000, "settled wrongly")
    finding = Finding(
        "broken",
        "settlement",
        (Citation(rule, rule, quote, quote),),
        decided=(Named("rate(W)", "3 to 2"),),
        rests_on=tuple(Named(f"value {n} of it", str(number + n)) for n in range(6)),
        short=short,
        explanation=(f"{rule} gives way to nothing",),
    )
    event = LoggedEvent("keeper", "settle", (Named("guest", short.who), Named("amount", str(number), number)))
    at = f"2024-{1 + number % 12:02d}-{1 + number % 28:02d}T20:01:00+13:00"
    lives = (("round", str(number)),)
    return Entry(number, "a.jsonl", number, f"T{number % 40}", lives, number, at, event, (finding,), (short,))


def example_round() -> str:
    """The round of the example log as its page shows it."""
    with tempfile.TemporaryDirectory() as name:
        into = Path(name)
        folder(Request((str(EXAMPLE),), "nz/blackjack-1998"), prepare("nz/blackjack-1998"), into)
        text = (into / "rounds" / "0001.html").read_text(encoding="utf-8")
    return text[text.index('<section id="round-1"') : text.rindex("</main>")]


def write(number: int, into: Path, drawn: str) -> tuple[float, int]:
    """A report's list of faults with their rounds in the folder; seconds, and bytes of all its files."""
    started = time.perf_counter()
    with FaultFolder(into, FaultBook("NZD", 2, {rule: rule for rule, _ in RULES})) as faults:
        for n in range(1, number + 1):
            faults.add(entry(n))
    site = Site("a report", False, (), data=True)
    links = {n: [n, 9] for n in range(1, number + 1)}
    pieces = PieceFiles(into)
    (into / "rounds").mkdir()
    for n in range(1, number + 1):
        text = drawn.replace('"round-1', f'"round-{n}').replace('"r1s', f'"r{n}s')
        if n <= OWN:
            page = whole(site.below(), "faults", site.title, text)
            (into / "rounds" / f"{n:04d}.html").write_text(page, encoding="utf-8")
        else:
            pieces.add(text)
    pieces.close()
    faults.write_links(links)
    shown = Shown(faults.book, links, [faults.first], min(number, OWN), number)
    page = body("faults.html.j2", site, **faults_view(shown))
    (into / "faults.html").write_text(whole(site, "faults", site.title, page), encoding="utf-8")
    page = body("viewer.html.j2", site, **viewer_view(shown), pieces=None)
    (into / "round.html").write_text(whole(site, "faults", site.title, page), encoding="utf-8")
    return time.perf_counter() - started, sum(p.stat().st_size for p in into.rglob("*") if p.is_file())


def opened(path: Path, number: int) -> tuple[float, float, float, float] | None:
    """Seconds until the first page of the list is there, until its last page is, until it is sorted by money, and until
    the last fault's round is."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        return None
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto("about:blank")
        times: list[float] = []

        def shown(before: str | None) -> None:
            page.wait_for_function(SHOWN, arg=before)
            times.append(time.perf_counter() - started)

        started = time.perf_counter()
        page.goto(path.as_uri())
        shown(None)
        last = page.locator(".pager [name=last]")
        if last.is_visible():
            started = time.perf_counter()
            last.click()
            shown("1")
        else:
            times.append(0.0)
        before = page.locator(".list .num").first.text_content()
        started = time.perf_counter()
        page.locator("select[name=order]").select_option("money")
        shown(before)
        place = f"rounds/{number:04d}.html" if number <= OWN else "round.html"
        started = time.perf_counter()
        page.goto(f"{(path.parent / place).as_uri()}#round-{number}-step-9")
        page.locator("article.step:visible svg").first.wait_for()
        times.append(time.perf_counter() - started)
        browser.close()
    return times[0], times[1], times[2], times[3]


def measure_log(log: str, rules: str) -> None:
    """The whole report of a log."""
    with tempfile.TemporaryDirectory() as name:
        into = Path(name)
        ready = prepare(rules)
        started, before = time.perf_counter(), time.process_time()
        result = folder(Request((log,), rules), ready, into)
        seconds, own = time.perf_counter() - started, time.process_time() - before
        total = sum(p.stat().st_size for p in into.rglob("*") if p.is_file())
        print(
            f"{log}: {result.events:,} events, {result.entries_total:,} faults, report in {seconds:.1f} s "
            f"({own:.1f} s of processor time), {total:,} bytes"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--no-browser", action="store_true")
    parser.add_argument("--log")
    parser.add_argument("--rules")
    arguments = parser.parse_args()
    if arguments.log is not None:
        measure_log(arguments.log, arguments.rules)
        return 0
    drawn = example_round()
    for size in arguments.sizes:
        with tempfile.TemporaryDirectory() as name:
            place = Path(name)
            seconds, total = write(size, place, drawn)
            page = (place / "faults.html").stat().st_size
            print(
                f"{size:>7,} faults: written in {seconds:.2f} s, {total:,} bytes, the page {page:,}", end=""
            )
            found = None if arguments.no_browser else opened(place / "faults.html", size)
            if found is None:
                print("; not opened")
            else:
                print(
                    f"; opened in {found[0]:.2f} s, last page {found[1]:.2f} s, sorted by money {found[2]:.2f} s, "
                    f"the last round {found[3]:.2f} s"
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
