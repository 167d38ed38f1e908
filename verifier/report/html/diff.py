"""Two rulesets side by side as a page, then and now in two columns, with the words that changed marked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from verifier.diff.logs import log_said
from verifier.diff.whole import WholeDiff
from verifier.errors import escaped
from verifier.exits import Exit
from verifier.report.diff_acts import WORDS_ONLY, acts_open, acts_told
from verifier.report.diff_json import document
from verifier.report.diff_meaning import (
    RANK_WORDS,
    RegionTold,
    matters_told,
    norm_line,
    norms_same,
    norms_told,
    norms_unknown,
    not_compared,
    one_sided,
    same_told,
)
from verifier.report.diff_text import meaning_lines
from verifier.report.html.both import pieces, rounds_view
from verifier.report.html.packed import packed
from verifier.report.html.page import Link, Site, body, data_text, whole
from verifier.report.html.posed import Side, example_view

PAGES = (
    Link("answer", "Answer"),
    Link("meaning", "Meaning"),
    Link("log", "Log"),
    Link("duties", "Duties"),
    Link("clauses", "Clauses"),
    Link("options", "Options"),
    Link("rules", "Rules"),
)

KINDS = {
    "one": "",
    "split": "split",
    "joined": "joined",
    "removed": "only then",
    "added": "only now",
    "beyond": "beyond what is left of the other text",
}

FATES = {"changed": "differs", "old": "only then", "new": "only now", "beyond": "beyond the other text"}


def text(diff: WholeDiff, code: Exit, logs: Sequence[Path] = ()) -> str:
    """The page. `logs` are those that both judged: the rounds that come out otherwise are drawn from them."""
    doc = document(diff, code)
    links = tuple(link for link in PAGES if link.key != "log" or diff.log is not None)
    site = Site(f"{doc['old']['name']} and {doc['new']['name']}, then and now", True, links)
    drawn = (
        {}
        if diff.log is None
        else pieces(diff.log, diff.rules.old, diff.rules.new, logs, site, diff.rules.same)
    )
    changes = [c for c in doc["clauses"] if _differs(c)]
    content = body(
        "diff.html.j2",
        site,
        doc=doc,
        changes=changes,
        told=_matters(diff, site),
        rounds=[] if diff.log is None else rounds_view(diff.log, drawn, diff.rules.old, diff.rules.new, logs),
        unasked=[] if diff.log is None else [escaped(line) for line in log_said(diff.log)],
        regions=_regions(diff),
        proved=[] if diff.meaning is None else same_told(diff.meaning),
        alone=[] if diff.meaning is None else one_sided(diff.meaning),
        background=not_compared(diff.background),
        norms=[(norm_line(n), n.change, acts_told(n), acts_open(n)) for n in norms_told(diff.norms)],
        words_only=WORDS_ONLY,
        same_norms=norms_same(diff.norms),
        unknown=norms_unknown(diff.norms),
        lines=meaning_lines(diff),
        options=[one for one in doc["options"] if one["fate"] != "beyond"],
        statements=[one for one in doc["statements"] if one["fate"] != "beyond"],
        same=len(doc["clauses"]) - len(changes),
        beyond=[c for c in doc["clauses"] if c["kind"] == "beyond"],
        kinds=KINDS,
        fates=FATES,
    )
    return whole(site, "answer", site.title, content)


def _regions(diff: WholeDiff) -> int:
    """How many regions there are that are neither beyond a fragment nor kept out by invariants."""
    if diff.meaning is None:
        return 0
    return sum(not d.beyond and not d.kept_out for m in diff.meaning.matters for d in m.differences)


def _matters(diff: WholeDiff, site: Site) -> list[dict[str, Any]]:
    """The decisions that both answer, in the words of the text of a comparison, with each region's example drawn."""
    if diff.meaning is None:
        return []
    sides = Side(diff.rules.old), Side(diff.rules.new)
    return [
        {
            "told": told,
            "line": told.line.removeprefix(f"{told.compared.title}: "),
            "groups": [
                (title, [_region(region, f"e{at}-{region.number}", sides, site) for region in those])
                for title, those in told.groups
            ],
        }
        for at, told in enumerate(matters_told(diff.meaning))
    ]


def _region(region: RegionTold, key: str, sides: tuple[Side, Side], site: Site) -> dict[str, Any]:
    """A region in words, and its example as either ruleset draws it and has it settled."""
    example = region.difference.example
    view = None if example is None or not example.acts else example_view(example, key, *sides)
    said = () if example is None else (example.old, example.new)
    return {
        "told": region,
        "answers": region.difference.answers,
        "rank": RANK_WORDS[region.difference.rank],
        "sides": [
            (name, facts, side.pictures(one))
            for name, facts, side, one in zip(("Then", "Now"), region.sides, sides, said, strict=False)
        ],
        "piece": None if view is None else data_text(packed(body("example.html.j2", site, round=view))),
    }


def _differs(change: dict[str, Any]) -> bool:
    if change["kind"] == "beyond":
        return False
    return bool(change["kind"] != "one" or change["moved"] or change["renumbered"] or change["reworded"])
