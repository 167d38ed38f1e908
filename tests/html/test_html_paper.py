"""Reports on paper, in black and white: what a reader of print has, who can open and filter nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from html_pages import opened, rows, until


def test_paper_has_the_whole_round(page: Any, round_report: Path) -> None:
    opened(page, round_report / "rounds" / "0001.html")
    page.emulate_media(media="print")
    assert page.locator("article.step:visible").count() == 18
    assert page.locator(".replay").is_hidden()
    made = page.pdf()
    assert made.startswith(b"%PDF-")
    assert made.count(b"/Type /Page\n") + made.count(b"/Type /Page ") > 3 or len(made) > 30_000


def test_paper_leaves_out_what_cannot_be_opened_there(page: Any, round_report: Path) -> None:
    opened(page, round_report / "clauses.html")
    assert page.locator("details.rules:visible").count() > 0
    page.emulate_media(media="print")
    assert page.locator("details.rules:visible").count() == 0


@pytest.mark.parametrize("media", ["screen", "print"])
def test_what_becomes_of_words_is_told_without_colour(page: Any, round_report: Path, media: str) -> None:
    page.emulate_media(media=media)
    opened(page, round_report / "clauses.html")
    looks = page.evaluate(
        "[...document.querySelectorAll('.legend .ph')].map((e) => getComputedStyle(e)).map((s) => "
        "[s.borderBottomColor === 'rgba(0, 0, 0, 0)' ? 'none' : s.borderBottomStyle, s.fontWeight].join())"
    )
    assert len(looks) == 5
    assert len(set(looks)) == 5


def test_a_page_of_paper_does_not_part_what_belongs_together(page: Any, round_report: Path) -> None:
    page.emulate_media(media="print")
    for name, held in (
        ("index.html", ".readings dt"),
        ("clauses.html", ".clause .heading"),
        ("rounds/0001.html", ".step > p"),
    ):
        opened(page, round_report / name)
        found = page.evaluate(
            "held => [...document.querySelectorAll(held)].map((e) => getComputedStyle(e).breakAfter)", held
        )
        assert set(found) == {"avoid"}, held


def test_paper_says_what_the_fields_left_out(page: Any, long_report: Path, round_report: Path) -> None:
    opened(page, long_report / "faults.html")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("form.filters + .note").count() == 0  # all of them, as logged
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.get_by_role("button", name="south").click()
    page.get_by_label("Order").select_option("money")
    until(page, lambda: rows(page)[:2] == [303, 301])
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    said = page.locator("form.filters + .note")
    assert said.is_visible()
    assert "Table: south; Order: most money first. 53 of 303" in (said.text_content() or "")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert said.count() == 0
    page.emulate_media(media="screen")
    opened(page, round_report / "clauses.html")
    page.get_by_label("Search").fill("odds of 3")
    for box in page.locator("input[name=status]").all():
        box.set_checked(box.get_attribute("value") == "broken")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert "Search: odds of 3; Show: broken 2. 2 found" in (said.text_content() or "")


def test_paper_says_why_faults_are_faults(page: Any, long_report: Path) -> None:
    opened(page, long_report / "faults.html")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.locator(".list details[open]").count() == 50
    assert page.locator(".pager .at").is_visible()
    assert page.locator(".pager button:visible").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator(".list details[open]").count() == 0
