"""A proof as a page: what does not hold, with its witness drawn, the theorems, and every obligation with its answer."""

from __future__ import annotations

import os
import re
from pathlib import Path

from verifier.core.lower import lower
from verifier.prove.finding import answer_words
from verifier.prove.prove import VERDICTS, Proof, Result
from verifier.prove.question import Play, Sometimes
from verifier.report.html.law import clauses_by_rule, instruments
from verifier.report.html.packed import packed
from verifier.report.html.page import Link, Site, body, data_text, whole
from verifier.report.html.witness import Witnesses
from verifier.report.html.words import logged
from verifier.report.prove_json import document
from verifier.report.prove_text import FACTS, STATED, facts_of

PAGES = (
    Link("answer", "Answer"),
    Link("findings", "Findings"),
    Link("theorems", "Theorems"),
    Link("law", "The law"),
)


def text(proof: Proof, smt2: Path | None = None, output: Path | None = None) -> str:
    """The page. `smt2` is the folder into which the questions were written; the page, at `output`, links to them."""
    doc = document(proof)
    plays = {r.finding.id: play for r in proof.results if r.finding is not None and (play := _play(r))}
    witnesses = Witnesses(lower(proof.ruleset)) if plays else None
    rounds = (
        {name: witnesses.view(play, f"w{n}") for n, (name, play) in enumerate(plays.items(), 1)}
        if witnesses
        else {}
    )
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
    clauses = clauses_by_rule(proof.ruleset)
    for rule, clause in clauses.items():
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
        pictures={name: view["steps"][-1]["pictures"] for name, view in rounds.items() if view["steps"]},
        pieces={
            name: data_text(packed(body("witness.html.j2", site, round=view, clause_of=clauses)))
            for name, view in rounds.items()
            if view["steps"]
        },
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
