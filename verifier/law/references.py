"""References: where the law speaks of a rule, section, division, paragraph or appendix by its number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from verifier.law.outline import Law

Status = Literal["here", "elsewhere", "external", "dangling"]
Part = Literal["intro", "tail", "notice"]

_LABELS = r"\([a-z0-9]+\)"
_SHAPES = {
    "labelled": rf"(?:{_LABELS})+",
    "dotted": rf"[0-9]+\.[0-9]+(?:{_LABELS})*",
    "plain": rf"[0-9]+(?![.0-9][0-9])(?:{_LABELS})*",
}
_NOUN = re.compile(
    r"\b(?P<noun>sub-?paragraph|paragraph|rule|regulation|section|division|schedule|appendix|appendice)(?P<many>s?)\s+",
    re.IGNORECASE,
)
_SAME_NOUN = {"subparagraph": "paragraph", "sub-paragraph": "paragraph", "appendice": "appendix"}
_ITEM = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _SHAPES.items()))
_SEPARATOR = r"(?:,\s*(?:(?:and|or)\s+)?|\s+(?:and|or)\s+)"
_LINK = re.compile(_SEPARATOR)
_INNER = re.compile(
    rf"\s+of\s+(?:rule|section|regulation|paragraph)\s+(?P<base>{_SHAPES['dotted']}|{_SHAPES['plain']}|{_SHAPES['labelled']})"
)
_INSTRUMENTS = "Charter|Code|Directions?|Ordinance|Order|Regulations?|Rules|By-laws?"
_OUTER = (
    r"division\s+[0-9]+|(?:the\s+)?(?:[A-Z][\w'-]*\s+)*Act(?:\s+[0-9]{4})?\b|[A-Z][A-Z0-9]*-[A-Z0-9]+"
    rf"|(?:the\s+)?(?:[A-Z][\w'-]*\s+)+(?:{_INSTRUMENTS})(?:\s+[0-9]{{4}})?\b"
)
"""Another text that a clause is of, as texts are called; and as the header calls it, below `elsewhere`."""


@dataclass(frozen=True, slots=True)
class Reference:
    """One mention of other clauses.

    `where` is the address of the clause whose own words mention them, or `notice`; `words` the mention as it
    stands, `start` its first character in that part. `addresses` are what it resolves to, in this law
    (`here`) or in the law with the id `law` (`elsewhere`). `external` means a text that is not here, named
    by `instrument`; `dangling` that some or all of it resolves to nothing, which `missing` lists.
    """

    where: str
    part: Part
    start: int
    words: str
    status: Status
    addresses: tuple[str, ...]
    missing: tuple[str, ...] = ()
    law: str | None = None
    instrument: str | None = None


@dataclass(frozen=True, slots=True)
class _Mention:
    """`items` are pairs of first and last label, equal where no range is meant."""

    noun: str
    items: tuple[tuple[str, str], ...]
    start: int
    end: int
    base: str | None
    outer: str | None = None


def references(law: Law, others: Sequence[Law] = ()) -> tuple[Reference, ...]:
    """Every numbered reference in the law's notice and clauses, in the order of the document.

    Of the notice only sentences count: a title such as "Division 2—Blackjack" refers to nothing.

    A reference into another law is checked against that law when it is among `others`; else its addresses
    are those the text names. "of division 1" after "section 9 and rules 10.2 and 10.4" belongs to both.
    Words such as "this rule" or "these rules" carry no number and are no references.
    """
    known = {other.id: other for other in others}
    texts: list[tuple[str, Part, str]] = [
        ("notice", "notice", line) for line in law.notice if line.endswith(".")
    ]
    for clause in law.clauses.values():
        texts += [(clause.address, "intro", clause.intro), (clause.address, "tail", clause.tail)]
    outside = _outside(name for name, _ in law.header.elsewhere)
    return tuple(
        _resolve(law, known, where, part, text, mention)
        for where, part, text in texts
        for mention in _mentions(text, outside)
    )


def _outside(names: Iterable[str]) -> re.Pattern[str]:
    """What says of which other text a clause is: one of the names that the header has, or what looks like one."""
    declared = sorted((re.escape(name).replace(r"\ ", r"\s+") for name in names), key=len, reverse=True)
    written = "|".join([*(rf"(?:(?i:the)\s+)?(?i:{name})\b" for name in declared), _OUTER])
    return re.compile(rf"\s+of\s+(?P<name>{written})")


def _mentions(text: str, outside: re.Pattern[str]) -> Iterator[_Mention]:
    chain: list[_Mention] = []
    at = 0
    while (noun := _NOUN.search(text, at)) is not None:
        mention = _mention(text, noun)
        if mention is None:
            at = noun.end()
            continue
        if chain and not _LINK.fullmatch(text, chain[-1].end, mention.start):
            yield from chain
            chain = []
        chain.append(mention)
        at = mention.end
        outer = outside.match(text, at)
        if outer is not None:
            name = " ".join(outer["name"].split())
            for linked in chain[:-1]:
                yield _Mention(linked.noun, linked.items, linked.start, linked.end, linked.base, name)
            yield _Mention(mention.noun, mention.items, mention.start, outer.end(), mention.base, name)
            chain = []
            at = outer.end()
    yield from chain


def _mention(text: str, noun: re.Match[str]) -> _Mention | None:
    kind = _SAME_NOUN.get(noun["noun"].lower(), noun["noun"].lower())
    first = _ITEM.match(text, noun.end())
    if first is None or (kind == "paragraph") != (first.lastgroup == "labelled"):
        return None
    shape = str(first.lastgroup)
    following = re.compile(
        rf"(?P<to>\s+to\s+)(?P<last>{_SHAPES[shape]})|{_SEPARATOR}(?P<next>{_SHAPES[shape]})"
    )
    items = [(first[0], first[0])]
    at = first.end()
    # "section 9, 2 cards": a lone number continues a list only where the noun is in the plural
    while shape != "plain" or noun["many"] or kind == "appendix":
        more = following.match(text, at)
        if more is None:
            break
        if more["to"]:
            items[-1] = (items[-1][0], more["last"])
        else:
            items.append((more["next"], more["next"]))
        at = more.end()
    inner = _INNER.match(text, at) if kind == "paragraph" else None
    return _Mention(
        noun=kind,
        items=tuple(items),
        start=noun.start(),
        end=at if inner is None else inner.end(),
        base=None if inner is None else inner["base"],
    )


def _resolve(
    law: Law, known: dict[str, Law], where: str, part: Part, text: str, mention: _Mention
) -> Reference:
    words = text[mention.start : mention.end]
    named = {_bare(name): law_id for name, law_id in law.header.elsewhere}
    name = mention.outer
    if mention.noun == "division" and name is None:
        name = f"division {mention.items[0][0]}"
    if name is None:
        found, missing = _addresses(law, where, mention)
        status: Status = "dangling" if missing else "here"
        return Reference(where, part, mention.start, words, status, found, missing)
    law_id = named.get(_bare(name))
    if law_id is None:
        undeclared = name.startswith("division ") and _bare(name) not in named
        return Reference(
            where, part, mention.start, words,
            "dangling" if undeclared else "external", (), (name,) if undeclared else (), instrument=name,
        )  # fmt: skip
    if mention.noun == "division":
        return Reference(where, part, mention.start, words, "elsewhere", (), law=law_id, instrument=name)
    if law_id in known:
        found, missing = _addresses(known[law_id], None, mention)
    else:
        found, missing = tuple(dict.fromkeys(end for item in mention.items for end in item)), ()
    status = "dangling" if missing else "elsewhere"
    return Reference(where, part, mention.start, words, status, found, missing, law_id, name)


def _bare(name: str) -> str:
    """The name of a text as names are compared: without its article, in small letters."""
    return name.casefold().removeprefix("the ")


def _addresses(law: Law, where: str | None, mention: _Mention) -> tuple[tuple[str, ...], tuple[str, ...]]:
    found: list[str] = []
    missing: list[str] = []
    prefix = _prefix(law, where, mention)
    for first, last in mention.items:
        start, end = law.canonical(f"{prefix}{first}"), law.canonical(f"{prefix}{last}")
        absent = [address for address in dict.fromkeys((start, end)) if address not in law.clauses]
        if absent:
            missing += absent
        elif start == end:
            found.append(start)
        else:
            between = _between(law, start, end)
            found += between
            missing += [] if between else [f"{start} to {end}"]
    return tuple(dict.fromkeys(found)), tuple(missing)


def _prefix(law: Law, where: str | None, mention: _Mention) -> str:
    """What goes before the labels: the rule that a subparagraph belongs to, `Appendix `, or nothing."""
    match mention.noun:
        case "appendix":
            return "Appendix "
        case "schedule":
            return "Schedule "
        case "paragraph" if mention.base is not None:
            return law.canonical(mention.base)
        case "paragraph" if where is not None and where in law.clauses:
            above = [where, *(clause.address for clause in law.ancestors(where)), ""]
            nearest = above[1] if law.clauses[where].leaf and where.endswith(")") else where
            return next((base for base in above if f"{base}{mention.items[0][0]}" in law.clauses), nearest)
        case _:
            return ""


def _between(law: Law, start: str, end: str) -> tuple[str, ...]:
    """The siblings from `start` to `end`; empty when they are no siblings in that order."""
    parent = law.clauses[start].parent
    siblings: Iterable[str] = (
        [clause.address for clause in law.clauses.values() if clause.parent is None]
        if parent is None
        else [child.address for child in law.clauses[parent].children]
    )
    listed = list(siblings)
    if start not in listed or end not in listed or listed.index(end) < listed.index(start):
        return ()
    return tuple(listed[listed.index(start) : listed.index(end) + 1])
