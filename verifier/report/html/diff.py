"""Two rulesets side by side as a page, then and now in two columns, with the words that changed marked."""

from __future__ import annotations

from typing import Any

from verifier.diff.whole import WholeDiff
from verifier.exits import Exit
from verifier.report.diff_json import document
from verifier.report.html.page import Link, Site, body, whole

PAGES = (
    Link("answer", "Answer"),
    Link("meaning", "Meaning"),
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


def text(diff: WholeDiff, code: Exit) -> str:
    """The page."""
    doc = document(diff, code)
    site = Site(f"{doc['old']['name']} and {doc['new']['name']}, then and now", True, PAGES)
    changes = [c for c in doc["clauses"] if _differs(c)]
    content = body(
        "diff.html.j2",
        site,
        doc=doc,
        changes=changes,
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


def _differs(change: dict[str, Any]) -> bool:
    if change["kind"] == "beyond":
        return False
    return bool(change["kind"] != "one" or change["moved"] or change["renumbered"] or change["reworded"])
