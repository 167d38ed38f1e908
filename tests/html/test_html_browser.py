"""Reports opened in a browser: what a reader does with them, and what an audit of them finds."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from html_pages import CARDS, HOSTILE, ROUND, opened, rows, until

from verifier.check.engine import Prepared
from verifier.errors import escaped
from verifier.report.html import check
from verifier.report.html.check import Request

AUDIT = (Path(__file__).parent / "audit.js").read_text("utf-8")

PHONE = {"width": 375, "height": 812}

PAGES = ("index.html", "clauses.html", "faults.html", "rounds/0001.html")


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_audit_finds_nothing(page: Any, round_report: Path, name: str, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    opened(page, round_report / name)
    assert page.evaluate(AUDIT) == []


def test_axe_finds_nothing(page: Any, round_report: Path, long_report: Path, hostile_single: Path) -> None:
    # Where axe-core is at hand (.ci/run fetches it), it audits too; what it looks at AUDIT looks at without it.
    axe = os.environ.get("GAZETTE_AXE")
    for path, fragment in (
        *((round_report / name, "") for name in PAGES),
        (long_report / "round.html", "round-150-step-2"),
        (hostile_single, "round-2-step-2"),
    ):
        opened(page, path, fragment)
        page.locator("h1").first.wait_for()
        if fragment:
            page.locator(f"#{fragment}").wait_for()
        assert page.evaluate(AUDIT) == []
        if axe:
            page.evaluate(Path(axe).read_text("utf-8"))
            found = page.evaluate("axe.run()")["violations"]
            assert [(v["id"], [n["html"][:200] for n in v["nodes"]]) for v in found] == []


PAINTED = """() => {
  const colours = ["", ...["red", "black", "green", "blue", "gold", "grey"].map((name) => ` c-${name}`)];
  const words = '<text class="big mid" x="19" y="23">K</text>';
  const things = colours.flatMap((colour) => ["", " faded"].flatMap((faded) => [
    `<g class="tile${colour}${faded}"><rect width="38" height="54" rx="5"/>${words}</g>`,
    `<g class="cell${colour}${faded}"><rect width="34" height="34"/>${words}</g>`,
    `<g class="disc${colour}${faded}"><circle cx="10" cy="10" r="8"/><text class="small" x="24" y="14">ann</text></g>`,
  ]));
  document.querySelector("figure .wide").innerHTML = things.map((thing) =>
    `<svg role="img" aria-label="one" viewBox="0 0 60 60" width="60" height="60">${thing}</svg>`).join("");
}"""
"""All shapes in all colours."""


@pytest.mark.parametrize("media", ["screen", "print"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_drawn_is_read_in_every_colour(
    page: Any, round_report: Path, scheme: str, media: str
) -> None:
    page.emulate_media(color_scheme=scheme, media=media)
    opened(page, round_report / "rounds" / "0001.html", "round-1-step-1")
    page.evaluate(PAINTED)
    assert page.locator("svg[aria-label=one] text").count() == 42
    assert page.evaluate(AUDIT) == []
    page.evaluate("document.querySelector('.cell text').style.fill = '#888'")
    assert [line[:21] for line in page.evaluate(AUDIT)] == ["contrast in a picture"]


@pytest.mark.parametrize("name", PAGES)
def test_nothing_runs_off_the_side_of_a_phone(page: Any, round_report: Path, name: str) -> None:
    page.set_viewport_size(PHONE)
    opened(page, round_report / name)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_clauses_are_searched_and_filtered(page: Any, round_report: Path) -> None:
    opened(page, round_report / "clauses.html")
    shown = page.locator("article.clause:visible")
    every = shown.count()
    page.get_by_label("Search").fill("odds of 3 to 2")
    assert 0 < shown.count() < every
    assert page.locator("[id='c-10.1']").is_visible()
    page.get_by_label("Search").fill("")
    assert shown.count() == every
    for box in page.locator("input[name=status]").all():
        box.set_checked(box.get_attribute("value") == "broken")
    statuses = {a.get_attribute("data-status") for a in page.locator("article.clause:visible").all()}
    assert "broken" in statuses
    assert statuses <= {"broken", "", "structural", "kept"}  # and what they stand under
    assert page.locator(".found").first.text_content() == "2 found"


def test_the_words_behind_a_list_are_searched_in_their_clause(page: Any, round_report: Path) -> None:
    opened(page, round_report / "clauses.html")
    tail = page.locator("[id='c-5.8'] > .tail")
    words = (tail.text_content() or "").strip().upper()
    page.get_by_label("Search").fill(words)
    assert tail.is_visible()
    assert page.locator(".found").first.text_content() == "1 found"


def test_a_link_to_a_clause_opens_it(page: Any, round_report: Path) -> None:
    opened(page, round_report / "index.html")
    page.get_by_role("link", name="10.1", exact=True).first.click()
    page.wait_for_url(re.compile(r"clauses\.html#c-10\.1$"))
    assert page.locator("[id='c-10.1']").is_visible()
    assert page.evaluate("document.querySelector(':target').id") == "c-10.1"


def test_a_fault_leads_to_its_round_and_back(page: Any, round_report: Path) -> None:
    opened(page, round_report / "faults.html")
    assert rows(page) == [1]
    page.get_by_text("What was required, and why").click()
    detail = page.locator(".detail")
    assert "3 to 2" in (detail.text_content() or "")
    page.get_by_role("link", name="The round as it was played").click()
    page.wait_for_url(re.compile(r"rounds/0001\.html#round-1-step-9$"))
    page.wait_for_selector("html[data-ready=yes]", state="attached")
    assert page.locator("article.step:visible").count() == 1
    assert page.locator("article.step.fault:visible").is_visible()
    page.locator("article.step:visible").get_by_role("link", name="1", exact=True).click()
    page.wait_for_url(re.compile(r"faults\.html#fault-1$"))


def test_a_round_is_stepped_through_forward_and_back(page: Any, round_report: Path) -> None:
    opened(page, round_report / "rounds" / "0001.html")
    player = page.get_by_role("group", name="Replay")
    title = page.locator("article.step:visible h2")
    assert (title.text_content() or "").startswith("9. dealer pay")
    assert player.get_by_role("status").text_content() == "event 9 of 18"
    assert "9. dealer pay" in (player.get_by_role("slider").get_attribute("aria-valuetext") or "")
    pictures = page.locator("article.step:visible svg")
    label = pictures.first.get_attribute("aria-label") or ""
    assert "A ♠, K ♦" in label
    player.get_by_role("button", name="Next").click()
    assert (title.text_content() or "").startswith("10. dealer remove_cards")
    player.get_by_role("button", name="Back").click()
    player.get_by_role("button", name="Back").click()
    assert (title.text_content() or "").startswith("8. dealer deal")
    player.get_by_role("button", name="First").click()
    assert player.get_by_role("button", name="Back").is_disabled()
    page.locator("body").press("ArrowRight")
    assert (title.text_content() or "").startswith("2. ")
    player.get_by_role("slider").fill("18")
    assert (title.text_content() or "").startswith("18. ")
    assert player.get_by_role("button", name="Last").is_disabled()
    assert page.evaluate("location.hash") == "#round-1-step-18"
    opened(page, round_report / "rounds" / "0001.html", "round-1-step-3")
    assert (title.text_content() or "").startswith("3. dealer close_bets")


def test_a_long_list_is_paged_filtered_and_sorted(page: Any, long_report: Path) -> None:
    opened(page, long_report / "faults.html")
    assert rows(page) == list(range(1, 51))
    # The last round of each bridge is judged when the log ends: 302 is north's, the others at the end are south's.
    pager = page.get_by_role("navigation", name="Pages of faults")
    pager.get_by_role("button", name="Last").click()
    until(page, lambda: rows(page) == [301, 302, 303])
    assert pager.locator(".at").text_content() == "page 7 of 7"
    page.get_by_role("button", name="south").click()
    until(page, lambda: rows(page)[:2] == [250, 251])
    assert page.locator("form[data-filter=faults] .found").text_content() == "53 of 303"
    page.locator("select[name=order]").select_option("money")
    until(page, lambda: rows(page)[:2] == [303, 301])
    page.locator("select[name=table]").select_option("")
    until(page, lambda: rows(page)[:2] == [302, 249])
    opened(page, long_report / "faults.html", "fault-277")
    until(page, lambda: 277 in rows(page))
    assert page.locator("#fault-277 details").get_attribute("open") is not None


def test_a_long_list_is_searched(page: Any, long_report: Path) -> None:
    opened(page, long_report / "faults.html")
    words = page.get_by_role("searchbox", name="Search")
    found = page.locator("form .found").first
    every = rows(page)
    words.fill("SOUTH bob")
    until(page, lambda: found.text_content() == "26 of 303")
    assert rows(page)[0] == 251
    page.get_by_label("Order").select_option("money")
    page.wait_for_function("document.querySelector('.list .num').textContent === '301'")
    words.fill("no such word anywhere")
    page.wait_for_function("document.querySelector('form .found').textContent === '0 of 303'")
    assert rows(page) == []
    words.fill("")
    page.get_by_label("Order").select_option("log")
    page.wait_for_function("document.querySelector('.list .num')?.textContent === '1'")
    assert rows(page) == every


def test_every_fault_opens_its_round(page: Any, long_report: Path) -> None:
    # The first hundred are pages of their own, all others are unpacked where they are opened.
    opened(page, long_report / "faults.html")
    page.get_by_role("navigation", name="Pages of faults").get_by_role("button", name="Last").click()
    until(page, lambda: rows(page) == [301, 302, 303])
    assert page.get_by_role("link", name="The round as it was played").count() == 3
    page.locator("#fault-302").get_by_role("link", name="The round as it was played").click()
    page.wait_for_url(re.compile(r"/round\.html#round-\d+-step-2$"))
    step = page.locator("article.step.fault:visible")
    step.wait_for()
    assert step.count() == 1
    assert step.locator("svg").count() > 0
    assert "north" in (page.locator("h1").text_content() or "")
    player = page.get_by_role("group", name="Replay")
    player.get_by_role("button", name="Back").click()
    assert page.locator("article.step:visible").count() == 1
    assert page.locator("article.step.fault:visible").count() == 0
    page.locator("body").press("ArrowRight")
    assert page.locator("article.step.fault:visible").count() == 1
    assert page.evaluate(AUDIT) == []
    number = page.evaluate("Number(/round-(\\d+)/.exec(location.hash)[1])")
    page.get_by_role("link", name="The round before").click()
    until(page, lambda: page.locator(f"section#round-{number - 1}").count() == 1)
    assert page.locator("section.round").count() == 1
    page.emulate_media(media="print")
    assert page.locator("article.step:visible").count() == 4


def test_rounds_go_on_from_pages_to_packed_ones(page: Any, long_report: Path) -> None:
    opened(page, long_report / "rounds" / "0100.html")
    page.get_by_role("link", name="The next round").click()
    page.locator("section#round-101 article.step:visible").wait_for()
    page.get_by_role("link", name="The round before").click()
    page.wait_for_url(re.compile(r"rounds/0100\.html$"))


def test_one_file_opens_every_round(page: Any, hostile_single: Path) -> None:
    opened(page, hostile_single)
    listed = page.locator(".list > li")
    assert listed.count() == len(HOSTILE)
    links = page.get_by_role("link", name="The round as it was played")
    assert links.count() == len(HOSTILE)
    assert page.locator("section.round").count() == 1  # the others are packed
    for number, name in enumerate(HOSTILE, 1):
        links.nth(number - 1).click()
        step = page.locator(f"section#round-{number} article.step:visible")
        step.wait_for()
        assert escaped(name) in (page.locator(f"#round-{number} h1").text_content() or "")
        assert "fault" in (step.get_attribute("class") or "")
    assert page.locator("section.round").count() == 2
    assert page.title() != "owned"
    assert page.locator("img, iframe, object, script[src]").count() == 0
    assert page.evaluate(AUDIT) == []


def test_a_page_that_is_not_there_says_so(browser: Any, long_report: Path, tmp_path: Path) -> None:
    # Its own context: the console complains of the missing file.
    shutil.copy(long_report / "round.html", tmp_path)
    page = browser.new_page()
    opened(page, tmp_path / "round.html", "round-150-step-1")
    until(page, lambda: "keep the folder together" in (page.locator(".found").text_content() or ""))
    page.close()


def test_keys_step_from_the_buttons_too(page: Any, round_report: Path) -> None:
    opened(page, round_report / "rounds" / "0001.html")
    status = page.get_by_role("group", name="Replay").get_by_role("status")
    page.get_by_role("button", name="Next").press("Enter")
    assert status.text_content() == "event 10 of 18"
    page.keyboard.press("ArrowLeft")
    assert status.text_content() == "event 9 of 18"
    page.get_by_role("button", name="Last").press("Enter")
    page.keyboard.press("ArrowLeft")
    assert status.text_content() == "event 17 of 18"


def test_an_address_that_is_none_of_ours_stops_nothing(page: Any, round_report: Path) -> None:
    for name in PAGES:
        opened(page, round_report / name, "%E0%A4%A")


def test_a_clause_leads_to_its_faults_in_one_file(page: Any, cards: Prepared, tmp_path: Path) -> None:
    text, _ = check.single(Request((str(ROUND),), CARDS), cards)
    (tmp_path / "one.html").write_text(text, "utf-8")
    opened(page, tmp_path / "one.html")
    page.locator("[id='c-10.1']").get_by_role("link", name="its faults").first.click()
    until(page, lambda: page.locator("select[name=clause] option:checked").text_content() == "10.1")
    assert rows(page) == [1]


def test_what_is_typed_into_a_log_is_only_text(page: Any, hostile_report: Path) -> None:
    for path in sorted(hostile_report.rglob("*.html")):
        opened(page, path)
        assert page.title() != "owned"
        assert page.locator("img, iframe, object").count() == 0
        assert page.locator("script[src]").count() == 0
    opened(page, hostile_report / "faults.html")
    listed = page.locator(".list").text_content() or ""
    for name in HOSTILE:
        assert escaped(name) in listed, name
    opened(page, hostile_report / "rounds" / "0001.html")
    assert escaped(HOSTILE[0]) in (page.locator("svg").first.get_attribute("aria-label") or "")


def test_the_policy_stops_a_script_that_gets_in(browser: Any, hostile_report: Path) -> None:
    # Its own context: the page is to complain here.
    page = browser.new_page()
    page.goto((hostile_report / "index.html").as_uri())
    page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = \"document.title='owned'\";"
        " document.body.append(s); const i = document.createElement('img'); i.src = 'https://example.invalid/x';"
        " document.body.append(i); const b = document.createElement('b');"
        " b.setAttribute('onclick', \"document.title='owned'\"); document.body.append(b); b.click(); }"
    )
    page.wait_for_timeout(50)
    assert page.title() != "owned"
    page.close()


def test_without_script_the_answer_and_the_round_are_there(browser: Any, round_report: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((round_report / "index.html").as_uri())
    assert page.get_by_role("heading", name="The log is not in order: 1 fault.").is_visible()
    page.goto((round_report / "rounds" / "0001.html").as_uri())
    assert page.locator("article.step:visible").count() == 18
    page.goto((round_report / "clauses.html").as_uri())
    assert page.locator("article.clause:visible").count() > 100
    assert page.locator("form:visible").count() == 0  # a field that does nothing is not shown
    page.goto((round_report / "faults.html").as_uri())
    assert "has every fault" in (page.locator("noscript").text_content() or "")
    context.close()
