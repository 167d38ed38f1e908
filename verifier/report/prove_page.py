"""A proof as a page to publish: Markdown from `reports/prove.md.j2`, headed by what it was made from.

The same proof gives the same bytes. The first line is a comment with the digests of the law, the ruleset, the
template and the page itself, and the version of the tool, so that whether the page is stale can be told without
proving anything.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from verifier.errors import escaped
from verifier.model.ruleset import Ruleset
from verifier.resources import root
from verifier.version import VERSION

if TYPE_CHECKING:
    from verifier.prove.finding import Witness
    from verifier.prove.prove import Proof

TEMPLATE = "prove.md.j2"

_HEAD = re.compile(r"<!-- gazette-report 1((?: [a-z]+=[^\s>]+)*) -->")
_SPECIAL = re.compile(r"([\\`*\[\]<>|~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9]))")


def page(proof: Proof) -> str:
    """The page. Raises `InternalError` where the template is missing."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from verifier.prove.prove import VERDICTS
    from verifier.report.prove_text import STATED, Lines

    environment = Environment(
        loader=FileSystemLoader(root("reports")),
        autoescape=False,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    environment.filters.update(md=markdown, cell=cell, code=code)
    lines = Lines()
    for result in proof.results:
        lines.how(result)
    body = environment.get_template(TEMPLATE).render(
        proof=proof,
        about=proof.about,
        laws=_laws(proof.ruleset),
        verdicts=VERDICTS,
        lines=lines,
        letters={scope: f"scope {lines.letter(scope)}" for scope in proof.scopes},
        open=[f for f in proof.findings if f.accepted is None],
        accepted=[f for f in proof.findings if f.accepted is not None],
        theorems=[r for r in proof.results if r.obligation.kind in STATED],
        undecided=[r for r in proof.results if r.verdict in ("undecided", "disagreement")],
        readings=list(_readings(proof.ruleset)),
        supplied=list(_supplied(proof.ruleset)),
        unchecked=list(_unchecked(proof.ruleset)),
        read=read,
    )
    body = re.sub(r"\n{3,}", "\n\n", body).strip("\n") + "\n"
    told = {**made_from(proof.ruleset), "page": _sha256(body)}
    return f"<!-- gazette-report 1{''.join(f' {k}={v}' for k, v in told.items())} -->\n{body}"


def read(witness: Witness) -> list[str]:
    """The values that a witness rests on, as the text report has them."""
    from verifier.report.prove_text import FACTS, facts_of

    found = facts_of(witness)
    return found if len(found) <= FACTS else [*found[:FACTS], f"{len(found) - FACTS} more"]


# ------------------------------------------------------------------------------------------------ staleness
def made_from(ruleset: Ruleset) -> dict[str, str]:
    """What a page of the ruleset is made from, by name: a change of any makes it stale."""
    laws = "".join(f"{law} {digest}\n" for law, digest in _laws(ruleset))
    template = Path(root("reports") / TEMPLATE).read_text(encoding="utf-8")
    return {
        "tool": VERSION,
        "law": _sha256(laws),
        "ruleset": ruleset.digest,
        "template": _sha256(template),
    }


def stale(text: str, ruleset: Ruleset) -> list[str]:
    """Why a page is no longer what would be written, in a few words each; empty where it is current."""
    first, _, body = text.partition("\n")
    head = _HEAD.fullmatch(first)
    if head is None:
        return ["its first line is not that of a report"]
    told = dict(item.split("=", 1) for item in head.group(1).split())
    changed = {
        "tool": "another version of gazette wrote it",
        "law": "the law's text has changed",
        "ruleset": "the ruleset has changed",
        "template": "the template of reports has changed",
    }
    found = [changed[name] for name, now in made_from(ruleset).items() if told.get(name) != now]
    if told.get("page") != _sha256(body):
        found.append("it has been changed by hand")
    return found


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _laws(ruleset: Ruleset) -> list[tuple[str, str]]:
    """Each law by its id, with the digest of its file."""
    laws = list(ruleset.laws.values()) or ([ruleset.law] if ruleset.law is not None else [])
    return sorted({law.id: law.digest for law in laws}.items())


# ------------------------------------------------------------------------------------------------- the rules
def _readings(ruleset: Ruleset) -> Iterator[tuple[str, str, str]]:
    for rule in ruleset.rules.values():
        for reading in rule.readings:
            yield rule.id, rule.quote, reading


def _supplied(ruleset: Ruleset) -> Iterator[tuple[str, str]]:
    """Definitions that the law uses and lacks: the name, and why it is supplied."""
    for function in ruleset.functions.values():
        if function.supplied is not None:
            yield function.name, function.supplied


def _unchecked(ruleset: Ruleset) -> Iterator[tuple[str, str, str, str]]:
    """Rules that no log can show, or that speak of another text; a structural rule says nothing of its own."""
    for rule in ruleset.rules.values():
        for why in rule.unchecked:
            if why.kind != "structural":
                yield rule.id, why.kind, why.words or rule.quote, why.reason


# -------------------------------------------------------------------------------------------------- Markdown
def markdown(text: str, in_code: str = "|") -> str:
    """Text that Markdown shows as it is, on one line; what stands between backticks stays code."""
    parts = escaped(" ".join(text.split())).split("`")
    if len(parts) % 2 == 0:
        return _SPECIAL.sub(r"\\\1", "`".join(parts))
    return "`".join(
        part.replace("|", in_code) if i % 2 else _SPECIAL.sub(r"\\\1", part) for i, part in enumerate(parts)
    )


def cell(text: str) -> str:
    """The same in a cell of a table, where a bar ends the cell even in code."""
    return markdown(text, r"\|")


def code(text: str) -> str:
    """Text as code, whatever backticks it has."""
    shown = escaped(" ".join(text.split()))
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {shown} {fence}" if longest else f"`{shown}`"
