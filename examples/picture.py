"""The picture of a report in the README: the fault of the example log as its round shows it.

    .venv/bin/python examples/picture.py

writes `examples/report.png`. Needs Chromium: Debian's package, or what `GAZETTE_CHROMIUM` names.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from verifier.cli.app import run

HERE = Path(__file__).parent
SIZE = {"width": 1180, "height": 860}


def main() -> int:
    named = os.environ.get("GAZETTE_CHROMIUM")
    found = (named, *map(shutil.which, ("chromium", "chromium-browser", "google-chrome")))
    program = next((path for path in found if path), None)
    if program is None:
        print("there is no Chromium: apt-get install chromium, or set GAZETTE_CHROMIUM", file=sys.stderr)
        return 2
    os.chdir(HERE.parent)
    with tempfile.TemporaryDirectory() as place:
        report = Path(place) / "report"
        log = "examples/one-round.yaml"
        run(["report", log, "--rules", "nz/blackjack-1998", "--quiet", "--output", str(report)])
        with sync_playwright() as play:
            browser = play.chromium.launch(executable_path=program, args=["--no-sandbox"])
            page = browser.new_page(viewport=SIZE, color_scheme="light")
            page.goto((report / "rounds" / "0001.html").as_uri())
            page.wait_for_selector("html[data-ready=yes]", state="attached")
            page.screenshot(path=str(HERE / "report.png"))
            browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
