"""References: where the law speaks of a rule, section, division, paragraph or appendix by its number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
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
_PARTS = r"sub-?(?:paragraph|section|clause|rule|regulation|division)"
_NOUN = re.compile(
    rf"\b(?P<noun>{_PARTS}|paragraph|clause|rule|regulation|section|division|schedule|appendix|appendice)"
    r"(?P<many>s?)\s+",
    re.IGNORECASE,
)
_ITEM = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _SHAPES.items()))
_AND = r"(?:and/or|and|or|&)"
_SEPARATOR = rf"(?:,\s*(?:{_AND}\s+)?|\s+{_AND}\s+)"
_TO = r"(?:\s+to\s+|\s?–\s?|-)"
_LINK = re.compile(_SEPARATOR)
_INNER = re.compile(
    rf"\s+of\s+(?:rule|section|regulation|clause|{_PARTS}|paragraph)\s+(?P<base>{_SHAPES['dotted']}|{_SHAPES['plain']}|{_SHAPES['labelled']})"
)
_THEREOF = re.compile(
    rf"\s+(?:thereof|of\s+(?:that|the\s+(?:same|said))\s+(?:rule|section|regulation|clause|{_PARTS}|paragraph))\b",
    re.IGNORECASE,
)
"""Says that a part is one of the clause spoken of last."""

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
    last: _Mention | None = None
    at = 0
    while (noun := _NOUN.search(text, at)) is not None:
        mention = _mention(text, noun)
        if mention is None:
            at = noun.end()
            continue
        if chain and not _LINK.fullmatch(text, chain[-1].end, mention.start):
            yield from chain
            chain = []
        thereof = _THEREOF.match(text, mention.end)
        if thereof is not None and mention.noun == "paragraph" and mention.base is None and last is not None:
            yield from chain
            chain, at = [], thereof.end()
            yield replace(mention, end=at, base=last.base, outer=last.outer)
            continue
        chain.append(mention)
        at = mention.end
        outer = outside.match(text, at)
        name = None if outer is None else " ".join(outer["name"].split())
        last = _whole(mention, name) or last
        if outer is not None:
            for linked in chain[:-1]:
                yield _Mention(linked.noun, linked.items, linked.start, linked.end, linked.base, name)
            yield _Mention(mention.noun, mention.items, mention.start, outer.end(), mention.base, name)
            chain = []
            at = outer.end()
    yield from chain


def _whole(mention: _Mention, outer: str | None) -> _Mention | None:
    """What "thereof" may mean after a mention, as its `base`: the one clause mentioned, or the one that its parts are
    of; None where there is no such one."""
    match mention.noun:
        case "paragraph":
            base = mention.base
        case "division" | "schedule" | "appendix":
            base = None
        case _:
            (first, end), *more = mention.items
            base = first if first == end and not more else None
    return None if base is None else replace(mention, base=base, outer=outer)


def _mention(text: str, noun: re.Match[str]) -> _Mention | None:
    first = _ITEM.match(text, noun.end())
    if first is None:
        return None
    shape = str(first.lastgroup)
    kind = _kind(noun["noun"].lower(), shape)
    if (kind == "paragraph") != (shape == "labelled"):
        return None
    # "section 9, 2 cards": a lone number continues a list only where the noun is in the plural
    shapes = [_SHAPES[shape]] if shape != "plain" or noun["many"] or kind == "appendix" else []
    if first[0].endswith(")"):
        shapes.append(_SHAPES["labelled"])
    item = "|".join(shapes)
    following = re.compile(rf"(?P<to>{_TO})(?P<last>{item})|{_SEPARATOR}(?P<next>{item})")
    items = [(first[0], first[0])]
    at = first.end()
    while shapes:
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


def _kind(noun: str, shape: str) -> str:
    """What a noun calls: parts of a rule, by their labels, are all of one kind."""
    if noun == "appendice":
        return "appendix"
    if noun.startswith("sub") or (noun == "clause" and shape == "labelled"):
        return "paragraph"
    return noun


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
    before = ""
    for first, last in mention.items:
        start = _in_line(law, prefix, before, first)
        end = start if last == first else _in_line(law, prefix, start, last)
        before = end
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


def _in_line(law: Law, prefix: str, before: str, item: str) -> str:
    """The address of an item of a list. "5.1(a) and (b)": a label by itself stands beside the last label before it.

    Where the clause before has several labels ("paragraphs (1)(a) and (2)") it is the deepest at which there is such
    a clause, and where there is none, the deepest whose label is of the same sort, a number or letters.
    """
    usual = law.canonical(f"{prefix}{item}")
    if not item.startswith("(") or not before.endswith(")") or usual in law.clauses:
        return usual
    label = item[1 : item.index(")")]
    above: list[tuple[str, str]] = []
    rest = before
    while rest.endswith(")"):
        rest, _, last = rest[:-1].rpartition("(")
        above.append((rest, last))
    for base, _ in above:
        if law.canonical(f"{base}{item}") in law.clauses:
            return law.canonical(f"{base}{item}")
    alike = next((base for base, last in above if last.isdigit() == label.isdigit()), above[0][0])
    return law.canonical(f"{alike}{item}")


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
