"""What the tests of reports share: logs of a bridge, hostile names, and opening a page."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
BRIDGE = ROOT / "tests" / "cli" / "bridge"
ROUND = ROOT / "examples" / "one-round.yaml"
CARDS = "nz/blackjack-1998"

VIEWS = """
view t: Traveller
  shape "disc"
  text t
  mark "here" when here exists and here = t
  colour "blue"

view "The bridge" in crossing
  text "the bridge is raised" when raised
  row "On the road": t in Traveller
"""

HOSTILE = [
    "<script>document.title='owned'</script>",
    "\"><img src=x onerror=document.title='owned'>",
    "=cmd|' /C calc'!A0",
    "@SUM(1+1)",
    "</script><svg onload=document.title='owned'>",
    "{{ 7 * 7 }} ${7 * 7}",
]
"""What names in a log may be: markup, formulas, templates. What cannot be seen the reader of logs refuses."""

MEGABYTE = 1 << 20
"""Characters of one text of the operator's own: as many as are read."""


def megabyte(piece: str) -> str:
    """The piece again and again."""
    return (piece * (MEGABYTE // len(piece) + 1))[:MEGABYTE]


TURNED = "\u202etfel ot thgir\u2066 "
"""Characters that turn the line round, and that the operator's own texts may have."""

UNSEEN = "\u202etfel ot thgir\u2066 \x1b[31m\x07"
"""Characters that turn the line round, colour it, ring the bell."""


def chromium() -> str | None:
    """The browser's program, if there is one."""
    named = os.environ.get("GAZETTE_CHROMIUM")
    found = (named, *map(shutil.which, ("chromium", "chromium-browser", "google-chrome")))
    return next((path for path in found if path), None)


def opened(page: Any, path: Path, fragment: str = "") -> Any:
    """The page at `path`, once its script has run."""
    page.goto(path.as_uri() + (f"#{fragment}" if fragment else ""))
    page.wait_for_selector("html[data-ready=yes]", state="attached")
    return page


def rows(page: Any) -> list[int]:
    """The numbers of the faults that are listed."""
    return [int(text) for text in page.locator(".list > li .num").all_text_contents()]


def until(page: Any, wanted: Callable[[], bool]) -> None:
    """Wait until it is so; the test fails where it never is."""
    for _ in range(400):
        if wanted():
            return
        page.wait_for_timeout(50)
    assert wanted(), page.locator(".list").text_content()


def log(rows: list[dict[str, Any]], operator: str = "Northern Bridges", **own: Any) -> bytes:
    """A log of the bridge with its header and trailer."""
    header = {
        "gazette-log": 1,
        "operator": operator,
        "ruleset": "bridge",
        "currency": "NZD",
        "exponent": 2,
        "records": "all",
        **own,
    }
    lines = [json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in (header, *rows)]
    digest = hashlib.sha256(b"".join(lines)).hexdigest()
    end = {"gazette-log-end": {"events": len(rows), "sha256": digest}}
    return b"".join([*lines, json.dumps(end).encode() + b"\n"])


def crossing(
    number: int, seq: int, who: str, amount: int = 50, bridge: str = "north", **more: Any
) -> list[dict[str, Any]]:
    """A crossing on foot, charged with `amount`: 50 is due."""
    at = f"2024-03-{1 + number % 28:02d}T20:01:00+13:00"
    lives = {"bridge": bridge, "crossing": number}
    events: list[dict[str, Any]] = [
        {"actor": "traveller", "event": "arrive", "traveller": who},
        {"actor": "keeper", "event": "charge", "traveller": who, "kind": "foot", "amount": amount},
        {"actor": "traveller", "event": "cross", "traveller": who},
        {"actor": "traveller", "event": "leave"},
    ]
    return [{**lives, "seq": seq + n, "at": at, **event, **more} for n, event in enumerate(events)]
