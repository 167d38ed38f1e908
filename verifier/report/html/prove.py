"""A proof as a page: what does not hold, with its witness drawn, the theorems, and every obligation with its answer."""

from __future__ import annotations

import os
import re
from pathlib import Path

from markupsafe import Markup

from verifier.core.lower import lower
from verifier.model.show import names_of
from verifier.prove.finding import answer_words
from verifier.prove.prove import VERDICTS, Proof, Result
from verifier.prove.question import Play, Sometimes
from verifier.report.html.draw import drawing, words
from verifier.report.html.law import clauses_by_rule, instruments
from verifier.report.html.page import Link, Site, body, whole
from verifier.report.html.rounds import Picture
from verifier.report.html.words import logged
from verifier.report.prove_json import document
from verifier.report.prove_text import FACTS, STATED, facts_of
from verifier.run.facts import Reading
from verifier.run.judge import Judge
from verifier.run.view import Viewer

PAGES = (
    Link("answer", "Answer"),
    Link("findings", "Findings"),
    Link("theorems", "Theorems"),
    Link("law", "The law"),
)


def text(proof: Proof, smt2: Path | None = None, output: Path | None = None) -> str:
    """The page. `smt2` is the folder into which the questions were written; the page, at `output`, links to them."""
    doc = document(proof)
    pictures = _pictures(proof)
    facts = {r.finding.id: _facts(r) for r in proof.results if r.finding is not None}
    files = _files(proof, smt2, output)
    site = Site(f"What was proved of {doc['ruleset']['name']}", True, PAGES)
    by_rule: dict[str, list[Result]] = {}
    for result in proof.results:
        for rule in result.obligation.rules:
            by_rule.setdefault(rule, []).append(result)

    def known(name: str) -> dict[str, int]:
        found = [r for rule in rules_on.get(name, ()) for r in by_rule.get(rule, ())]
        return {verdict: sum(r.verdict == verdict for r in found) for verdict in VERDICTS}

    rules_on: dict[str, list[str]] = {}
    for rule, clause in clauses_by_rule(proof.ruleset).items():
        rules_on.setdefault(clause, []).append(rule)
    content = body(
        "prove.html.j2",
        site,
        doc=doc,
        verdicts=VERDICTS,
        open=[f for f in doc["findings"] if f["accepted"] is None],
        accepted=[f for f in doc["findings"] if f["accepted"] is not None],
        stated=[r for r in doc["obligations"] if r["kind"] in STATED],
        obligations=doc["obligations"],
        answers={r.obligation.id: [logged(answer_words(a)) for a in r.answers] for r in proof.results},
        pictures=pictures,
        facts=facts,
        files=files,
        laws=instruments(proof.ruleset, known),
    )
    return whole(site, "answer", site.title, content)


def _facts(result: Result) -> list[str]:
    witness = None if result.finding is None else result.finding.witness
    if witness is None:
        return []
    found = facts_of(witness)
    return [
        logged(line)
        for line in (found if len(found) <= FACTS else [*found[:FACTS], f"{len(found) - FACTS} more"])
    ]


def _play(result: Result) -> Play | None:
    """The play that a finding's witness is."""
    plays = [a.play for a in result.answers if isinstance(a, Sometimes) and a.play is not None]
    return plays[-1] if plays else None


def _pictures(proof: Proof) -> dict[str, list[Picture]]:
    """The state that each finding's play leads to, as the ruleset draws it."""
    if not proof.ruleset.scenes:
        return {}
    program = lower(proof.ruleset)
    names = names_of(proof.ruleset)
    found: dict[str, list[Picture]] = {}
    for result in proof.results:
        play = _play(result)
        if result.finding is None or play is None:
            continue
        judge = Judge(program, dict(play.options))
        judge.bench.state = play.state
        event = None if not play.happenings else proof.ruleset.events[play.happenings[-1].event].life
        drawn = Viewer(judge, Reading(judge.bench, names), event).draw(play.state)
        found[result.finding.id] = [
            Picture(scene.title, Markup(drawing(scene, (), str)), logged(words(scene, str)))
            for scene in drawn
        ]
    return found


def _files(proof: Proof, smt2: Path | None, output: Path | None) -> dict[str, list[tuple[str, str]]]:
    """The files of the questions that an obligation was asked in, alone or with others that its name begins like: each
    its name, and the address of it from the page."""
    if smt2 is None or not smt2.is_dir():
        return {}
    here = Path.cwd() if output is None else output.parent
    asked = [
        (re.split("-+in-", path.name.rsplit(".", 2)[0])[0], path) for path in sorted(smt2.glob("*.smt2"))
    ]
    found: dict[str, list[tuple[str, str]]] = {}
    for result in proof.results:
        kept = _kept(result.obligation.id)
        found[result.obligation.id] = [
            (path.name, os.path.relpath(path, here))
            for name, path in asked
            if kept == name or kept.startswith(f"{name}-")
        ]
    return found


def _kept(name: str) -> str:
    """The name of an obligation as the files of its questions have it."""
    return "".join(c if c.isascii() and (c.isalnum() or c in ".-_()[]") else "-" for c in name)[:120].strip(
        "-."
    )
