"""Reports written once for all tests of this folder, and a browser to open them in.

The browser is Chromium, driven by Playwright: Debian's package, or what `GAZETTE_CHROMIUM` names. Where there is none
the tests that open pages are left out, and the end of the run says so; with `GAZETTE_NEEDS_BROWSER=1`, as `.ci/run`
sets it, they fail instead.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from html_pages import (
    BRIDGE,
    CARDS,
    HOSTILE,
    ROUND,
    TURNED,
    UNSEEN,
    VIEWS,
    chromium,
    crossing,
    log,
    megabyte,
)

from verifier.check.engine import Prepared, prepare
from verifier.report.html import check
from verifier.report.html.check import Request, folder


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what needs a browser where there is none, and say so."""
    if chromium() is not None or os.environ.get("GAZETTE_NEEDS_BROWSER") == "1":
        return
    here = Path(__file__).parent
    needing = [
        i for i in items if i.path.is_relative_to(here) and "browser" in getattr(i, "fixturenames", ())
    ]
    if needing:
        config.hook.pytest_deselected(items=needing)
        items[:] = [item for item in items if item not in needing]
        config.stash[LEFT_OUT] = len(needing)


LEFT_OUT = pytest.StashKey[int]()


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    number = config.stash.get(LEFT_OUT, 0)
    if number:
        terminalreporter.write_line(
            f"{number} tests open pages in a browser and were NOT run: there is no Chromium "
            "(apt-get install chromium, or set GAZETTE_CHROMIUM)"
        )


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    path = chromium()
    assert path is not None, "no Chromium: apt-get install chromium, or set GAZETTE_CHROMIUM"
    with sync_playwright() as play:
        made = play.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield made
        made.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page that fails its test where the console complains or anything but a file is asked for."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    context.set_default_timeout(30_000)
    made = context.new_page()
    trouble: list[str] = []
    made.on("console", lambda message: trouble.append(f"console: {message.text}"))
    made.on("pageerror", lambda error: trouble.append(f"error: {error}"))
    made.on(
        "request",
        lambda request: (
            None
            if request.url.startswith(("file:", "about:", "data:"))
            else trouble.append(f"asked for {request.url}")
        ),
    )
    made.on("dialog", lambda dialog: (trouble.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    yield made
    context.close()
    assert trouble == []


# ------------------------------------------------------------------------------------------------- reports
@pytest.fixture(scope="session")
def cards() -> Prepared:
    return prepare(CARDS)


@pytest.fixture(scope="session")
def bridge(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """The bridge of the command line's tests, with views."""
    place = tmp_path_factory.mktemp("bridge")
    shutil.copy(BRIDGE / "bridge.law", place)
    (place / "bridge.rules").write_text((BRIDGE / "bridge.rules").read_text("utf-8") + VIEWS, "utf-8")
    return prepare(place / "bridge.rules")


@pytest.fixture(scope="session")
def round_report(cards: Prepared, tmp_path_factory: pytest.TempPathFactory) -> Path:
    into = tmp_path_factory.mktemp("round")
    folder(Request((str(ROUND),), CARDS), cards, into)
    return into


@pytest.fixture(scope="session")
def hostile_report(bridge: Prepared, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("hostile")
    rows: list[dict[str, Any]] = []
    for number, name in enumerate(HOSTILE, 1):
        own = {"x_note": megabyte(TURNED + name), f"x_{name}": name, "x_told": number == 2}
        rows += crossing(1, 1, name, 60 + number, bridge=name, **own)
    path = place / f"a<b>&'{UNSEEN.strip()}.jsonl"
    header = {f"x_{HOSTILE[1]}": HOSTILE[1], "x_told": True, "x_long": megabyte(TURNED + HOSTILE[0])}
    path.write_bytes(log(rows, operator=HOSTILE[0], **header))
    into = place / "out"
    into.mkdir()
    folder(Request((str(path),), "bridge"), bridge, into)
    return into


@pytest.fixture(scope="session")
def hostile_single(bridge: Prepared, hostile_report: Path) -> Path:
    """The hostile report as one file, whose rounds are packed but for the first."""
    path = next(hostile_report.parent.glob("*.jsonl"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(check, "OWN_SINGLE", 1)
        text, _ = check.single(Request((str(path),), "bridge"), bridge)
    made = hostile_report.parent / "one.html"
    made.write_text(text, "utf-8")
    return made


@pytest.fixture(scope="session")
def long_report(bridge: Prepared, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """303 faults at two bridges: more than a file of data and a page of the list hold, and more rounds than have
    pages of their own."""
    place = tmp_path_factory.mktemp("long")
    rows: list[dict[str, Any]] = []
    for where, many in (("north", 250), ("south", 53)):
        for number in range(1, many + 1):
            rows += crossing(
                number, 4 * number - 3, "ann" if number % 2 else "bob", 50 + number, bridge=where
            )
    path = place / "long.jsonl"
    path.write_bytes(log(rows))
    into = place / "out"
    into.mkdir()
    folder(Request((str(path),), "bridge"), bridge, into)
    return into
