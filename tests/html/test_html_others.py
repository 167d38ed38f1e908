"""Proofs, comparisons and coverage as pages: what their JSON says stands in them."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from html_pages import BRIDGE, ROOT, VIEWS, opened

from verifier.cli.app import run
from verifier.model.load import load

FALSE = """
invariant free "is false: travellers arrive and are charged"
  not (here exists and charged)
"""
"""What play refutes: the finding has a witness of two events at least."""


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("proof")
    shutil.copy(BRIDGE / "bridge.law", place)
    (place / "bridge.rules").write_text((BRIDGE / "bridge.rules").read_text("utf-8") + VIEWS + FALSE, "utf-8")
    command = ["prove", str(place / "bridge.rules"), "--only", "invariant", "-j", "1", "--no-progress"]
    command += ["--no-cache"]
    assert (
        run([*command, "--smt2", str(place / "smt"), "--format", "html", "-o", str(place / "proof.html")])
        == 1
    )
    return place / "proof.html"


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("diff")
    for name in ("bridge.law", "bridge.rules"):
        text = (BRIDGE / name).read_text("utf-8") + (VIEWS if name.endswith(".rules") else "")
        (place / name).write_text(text, "utf-8")
    (place / "now").mkdir()
    law = (BRIDGE / "bridge.law").read_text("utf-8").replace("wear a cap", "wear a hat")
    (place / "now" / "bridge.law").write_text(law, "utf-8")
    rules = (
        (BRIDGE / "bridge.rules")
        .read_text("utf-8")
        .replace("wear a cap", "wear a hat")
        .replace("= 50 ", "= 60 ")
    ) + VIEWS
    (place / "now" / "bridge.rules").write_text(rules, "utf-8")
    made = place / "diff.html"
    old, new = str(place / "bridge.rules"), str(place / "now" / "bridge.rules")
    log = ["--log", str(BRIDGE / "kept.jsonl")]
    assert run(["diff", old, new, *log, "--format", "html", "-o", str(made)]) == 1
    return made


def test_a_proof_shows_its_findings_with_links_to_the_questions(proof: Path) -> None:
    text = proof.read_text("utf-8")
    assert "finding" in text[text.index("<h1") :][:200]
    links = re.findall(r'href="([^"#]*\.smt2)"', text)
    assert links
    assert all((proof.parent / link).is_file() for link in links)


def test_a_witness_is_stepped_through(page: Any, proof: Path) -> None:
    opened(page, proof)
    finding = page.locator("article.finding").first
    assert finding.locator("section.round").count() == 0
    finding.locator("details.piece > summary").click()
    steps = finding.locator("section.round article.step")
    steps.first.wait_for(state="attached")
    shown = finding.locator("article.step:visible")
    assert shown.count() == 1
    many = steps.count()
    player = finding.get_by_role("group", name="Replay")
    assert player.get_by_role("status").text_content() == f"event {many} of {many}"
    assert shown.locator("svg").count() > 0
    assert many > 1
    last = shown.locator("h4.title").text_content() or ""
    assert last.startswith(f"{many}. ")
    player.get_by_role("button", name="First").click()
    assert player.get_by_role("button", name="Back").is_disabled()
    first = shown.locator("h4.title").text_content() or ""
    assert first.startswith("1. ")
    assert {title.split()[2] for title in (first, last)} == {"arrive", "charge"}
    audit = (Path(__file__).parent / "audit.js").read_text("utf-8")
    assert page.evaluate(audit) == []
    assert finding.locator("h4.title, h5").count() > 0


def test_a_comparison_marks_the_words_that_changed(comparison: Path) -> None:
    text = comparison.read_text("utf-8")
    assert re.search(r"<del>cap\.?</del>", text)
    assert re.search(r"<ins>hat\.?</ins>", text)
    assert "1 clause changed" in text
    assert "toll(k) = 60" in text
    for place in (comparison.parent, comparison.parent / "now"):
        ruleset = load(str(place / "bridge.rules"))
        assert f"sha256:{ruleset.digest}" in text
        assert f"sha256:{next(iter(ruleset.laws.values())).digest}" in text


def test_the_example_of_a_region_is_drawn_as_either_ruleset_draws_it(page: Any, comparison: Path) -> None:
    opened(page, comparison)
    region = page.locator("section#meaning article.finding").first
    assert (region.locator("h3").text_content() or "").startswith("1. 50 → 60")
    example = region.get_by_role("group", name="the example")
    assert example.locator("svg").count() == 2
    assert "1.1(a) → 50" in (example.text_content() or "")
    assert "1.1(a) → 60" in (example.text_content() or "")
    assert region.locator("details.piece").count() == 0  # no event of these rules settles a toll alone
    assert "proved equal to the difference" in (region.text_content() or "").lower()


def test_a_comparison_tells_money_only_where_it_is_known(comparison: Path) -> None:
    text = comparison.read_text("utf-8")
    assert "None then" not in text
    assert "Money:" not in text
    assert "what it does to the money nobody can tell" in text


def test_a_round_is_stepped_through_under_both(page: Any, comparison: Path) -> None:
    opened(page, comparison)
    log = page.locator("section#log")
    assert "the house is short by NZD 0.10" in (log.text_content() or "")
    log.locator("details.piece > summary").click()
    step = log.locator("article.step:visible")
    step.wait_for()
    assert "2. keeper charge" in (step.locator("h3.title").text_content() or "")
    then, now = (step.get_by_role("group", name=name, exact=True) for name in ("Then", "Now"))
    assert "toll(foot) = 50" in (then.text_content() or "")
    assert "toll(foot) = 60" in (now.text_content() or "")
    assert then.locator(".judged").count() == 0
    assert now.locator(".judged.broken").count() == 1
    assert then.locator("svg").count() == now.locator("svg").count() == 1
    log.get_by_role("button", name="Back").click()
    assert "1. traveller arrive" in (step.locator("h3.title").text_content() or "")
    step.locator("h3.title").click()
    page.keyboard.press("ArrowRight")
    page.emulate_media(media="print")
    assert log.locator("article.step:visible").count() == 4


@pytest.mark.parametrize("template", ["both", "witness", "example"])
def test_rounds_of_several_findings_are_no_landmarks(template: str) -> None:
    # A page holds one for each finding: landmarks of one name would hide each other from a screen reader.
    text = (ROOT / "reports" / "html" / f"{template}.html.j2").read_text("utf-8")
    sections = re.findall(r"<section [^>]*>", text)
    assert sections
    assert all('role="group"' in section for section in sections)


def test_clauses_of_several_rulesets_have_places_of_their_own(page: Any, tmp_path: Path) -> None:
    made = tmp_path / "coverage.html"
    names = [str(BRIDGE / "bridge.rules"), "uk/blackjack-1994"]
    assert run(["coverage", *names, "--format", "html", "-o", str(made)]) == 0
    opened(page, made)
    assert page.evaluate((Path(__file__).parent / "audit.js").read_text("utf-8")) == []
    page.locator("[id='c-2-7'] > .own a.address").click()
    assert page.evaluate("document.querySelector(':target').id") == "c-2-7"
    assert page.locator("[id='c-1-1']").count() == 1


def test_they_read_well_on_a_phone(page: Any, proof: Path, comparison: Path, tmp_path: Path) -> None:
    coverage = tmp_path / "coverage.html"
    assert run(["coverage", str(BRIDGE / "bridge.rules"), "--format", "html", "-o", str(coverage)]) == 0
    audit = (Path(__file__).parent / "audit.js").read_text("utf-8")
    for path in (proof, comparison, coverage):
        page.set_viewport_size({"width": 375, "height": 812})
        opened(page, path)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        assert page.evaluate(audit) == [], path
        if axe := os.environ.get("GAZETTE_AXE"):
            page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
            page.wait_for_timeout(200)
            page.evaluate(Path(axe).read_text("utf-8"))
            found = page.evaluate("axe.run()")["violations"]
            assert [(v["id"], [n["html"][:200] for n in v["nodes"]]) for v in found] == []
