"""The rounds made for a ruleset as text: what each shows, and what none does, with the reason."""

from __future__ import annotations

from collections.abc import Mapping

from verifier.generate.generate import Generated, Made
from verifier.generate.proofs import Verdict
from verifier.report.lines import Page, count

_HOW: Mapping[Verdict, str] = {"proved": "", "beside": "BESIDE SOMETHING ELSE ONLY: ", "open": "OPEN: "}


def text(made: Generated, width: int) -> str:
    """The whole result."""
    page = Page(width)
    total = len(made.targets)
    page.line(f"Ruleset {made.about.name} ({made.about.digest[:12]})", style="head")
    shown = len(made.exercised & set(made.targets))
    page.line(
        f"{count(total, 'rule')} that may bind or decide: {shown} shown kept, "
        f"by {count(len(made.lawful), 'lawful round')}; "
        f"{len(made.broken)} shown broken, each in a round of its own."
    )
    page.heading("Lawful rounds")
    for one in made.lawful:
        page.pair(one.name, [_sizes(one)], 32, 2)
    page.heading("Faulty rounds")
    for one in made.faulty:
        page.pair(one.name, [_sizes(one)], 48, 2)
    if made.beside:
        page.heading("Rounds that show a rule at work, but are not lawful or leave something open")
    for one in made.beside:
        page.pair(one.name, [f"{count(one.events, 'event')}; {'; '.join(one.beside)}"], 48, 2)
    for wanted, heading in (("kept", "Exercised by no lawful round"), ("broken", "Broken by no round")):
        mine = [unmet for unmet in made.unmet if unmet.wanted == wanted]
        if mine:
            page.heading(heading)
        for unmet in mine:
            page.pair(unmet.rule, [_HOW[unmet.verdict] + unmet.why], 24, 2)
    return page.text()


def _sizes(one: Made) -> str:
    if one.rule is None:
        return f"{count(one.events, 'event')}, {count(len(one.shows), 'rule')}"
    others = f"; besides, {'; '.join(one.beside)}" if one.beside else ""
    return f"{count(one.events, 'event')}, breaks {one.rule}{others}" + ("" if one.whole else "; stops there")
