"""Two rulesets side by side as a page, then and now in two columns, with the words that changed marked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from verifier.diff.meaning import Difference
from verifier.diff.whole import WholeDiff
from verifier.exits import Exit
from verifier.report.diff_json import document
from verifier.report.diff_meaning import RANK_WORDS, headline, money, often
from verifier.report.html.both import pieces, rounds_view
from verifier.report.html.page import Link, Site, body, whole

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
    drawn = {} if diff.log is None else pieces(diff.log, diff.rules.old, diff.rules.new, logs, site)
    changes = [c for c in doc["clauses"] if _differs(c)]
    content = body(
        "diff.html.j2",
        site,
        doc=doc,
        changes=changes,
        told=[]
        if diff.meaning is None
        else [[_told(d) for d in m.differences] for m in diff.meaning.matters],
        rounds=[] if diff.log is None else rounds_view(diff.log, drawn, diff.rules.old, logs),
        regions=sum(len(matter["differences"]) for matter in (doc["meaning"] or {"matters": ()})["matters"]),
        norms=[one for one in doc["norms"] if not one["same"]],
        options=[one for one in doc["options"] if one["fate"] != "beyond"],
        statements=[one for one in doc["statements"] if one["fate"] != "beyond"],
        same=len(doc["clauses"]) - len(changes),
        beyond=[c for c in doc["clauses"] if c["kind"] == "beyond"],
        kinds=KINDS,
        fates=FATES,
    )
    return whole(site, "answer", site.title, content)


def _told(difference: Difference) -> dict[str, str | None]:
    """What of a region the text of a comparison says too: who gains, how much, how often."""
    return {
        "rank": RANK_WORDS[difference.rank],
        "head": headline(difference),
        "money": money(difference) if difference.gain != (None, None) else None,
        "often": often(difference),
    }


def _differs(change: dict[str, Any]) -> bool:
    if change["kind"] == "beyond":
        return False
    return bool(change["kind"] != "one" or change["moved"] or change["renumbered"] or change["reworded"])
