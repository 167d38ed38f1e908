"""A law text as an outline: clauses with addresses, in the order of the document.

Addresses follow the law's own labels; spec/law/README.md defines them. `5` is a section, `5.1` a rule,
`5.1(c)` an item, `1.0 Blackjack` a definition by its term, `3.9 [Split]` a row of a table, `Appendix 1` an
appendix. What stands under what is read off the outline and never off the spelling of an address.
"""

from __future__ import annotations

import datetime
import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from verifier.errors import LawError, Problem
from verifier.law.words import split_words

ClauseKind = Literal["section", "rule", "item", "definition", "row", "appendix"]

_NUMBERED = frozenset({"section", "rule", "item"})

LAW_ID = re.compile(r"[a-z0-9][a-z0-9.-]*(?:/[a-z0-9][a-z0-9.-]*)*")
"""The id of a law, which is its path below spec/law/ without the suffix."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One addressable clause and what stands under it.

    `intro` are the words before its list (all of its words, where it has no list), `tail` those after the
    list or in a second paragraph; either may be empty. `heading` is a title that is no part of the words: of
    a section or an appendix, run in before the words (New York), or the term of a definition. `cells` are
    the cells of a row and empty otherwise. `line` and `tail_line` count from 1 in the .law file.
    """

    address: str
    kind: ClauseKind
    label: str
    heading: str | None
    intro: str
    tail: str
    children: tuple[Clause, ...]
    parent: str | None
    line: int
    tail_line: int | None = None
    cells: tuple[str, ...] = ()

    @property
    def leaf(self) -> bool:
        """Whether nothing stands under it."""
        return not self.children

    @property
    def text(self) -> str:
        """Its own words as one string, intro then tail, without those of the clauses under it."""
        return f"{self.intro} {self.tail}".strip()

    @property
    def words(self) -> tuple[str, ...]:
        """Its own words, intro then tail, as `verifier.law.words.split_words` splits them."""
        return split_words(self.intro) + split_words(self.tail)


@dataclass(frozen=True, slots=True)
class Body:
    """What a law's file holds below its header: the notice, the table of contents, and the topmost clauses."""

    notice: tuple[str, ...]
    contents: tuple[tuple[str, ...], ...]
    tops: tuple[Clause, ...]

    def clauses(self) -> dict[str, Clause]:
        """All clauses by address, in document order."""
        found: dict[str, Clause] = {}
        for top in self.tops:
            found[top.address] = top
            found.update((clause.address, clause) for clause in _below(top))
        return found


@dataclass(frozen=True, slots=True)
class DatedFact:
    """A date of the instrument. `date` is None where it is unknown; `words` stand in the law's notice."""

    what: str
    date: datetime.date | None
    source: str
    words: str | None


@dataclass(frozen=True, slots=True)
class InForce:
    """From when until when the law is in force, each None where unknown; `words` stand in the notice."""

    start: datetime.date | None
    end: datetime.date | None
    source: str
    words: str | None


@dataclass(frozen=True, slots=True)
class Provenance:
    """The received file the text was taken from: name, SHA-256 in hex, first and last line (from 1)."""

    received: str
    sha256: str
    first_line: int
    last_line: int


@dataclass(frozen=True, slots=True)
class Header:
    """What is known about an instrument besides its words.

    `elsewhere` names other texts as this one names them ("division 2") with the law id that holds them, or
    None where they are not here. `missing` says what did not come through; `kept` which oddities of the
    received words stand uncorrected. `extent` is `fragment` where clauses before or after those here belong to
    the same rules and are lost.
    """

    title: str
    instrument: str
    issue: str
    dates: tuple[DatedFact, ...]
    in_force: InForce
    provenance: Provenance
    missing: tuple[str, ...]
    kept: tuple[str, ...]
    elsewhere: tuple[tuple[str, str | None], ...]
    extent: Literal["whole", "fragment"] = "whole"


@dataclass(frozen=True, slots=True, eq=False)
class Law:
    """One instrument. `clauses` maps every address to its clause, in the order of the document.

    `notice` are the lines before the first clause (masthead, resolution), `contents` the rows of the table
    of contents; neither is a clause. `digest` is the SHA-256 of the file's bytes, in hex.
    """

    id: str
    title: str
    header: Header
    notice: tuple[str, ...]
    contents: tuple[tuple[str, ...], ...]
    clauses: Mapping[str, Clause]
    digest: str
    path: Path

    def clause(self, address: str) -> Clause:
        """The clause at `address`; raises `LawError` naming the nearest addresses when there is none."""
        found = self.clauses.get(self.canonical(address))
        if found is None:
            raise LawError(
                Problem(
                    f"{self.id} has no clause {address}",
                    file=str(self.path),
                    help=self._instead_of(address),
                    clause=address,
                    code="unknown-clause",
                )
            )
        return found

    def canonical(self, address: str) -> str:
        """The one spelling of `address`: `2.0` is section `2`, `1.0 [Box]` the definition `1.0 Box`, and an
        appendix is written with a capital.

        An address that fits nothing comes back as it is.
        """
        if address.startswith("appendix ") and f"A{address[1:]}" in self.clauses:
            return f"A{address[1:]}"
        if address in self.clauses:
            return address
        section = re.fullmatch(r"([0-9]+)\.0", address)
        if section and section[1] in self.clauses:
            return section[1]
        definition = re.fullmatch(r"(.+) \[(.+)\]", address)
        if definition and f"{definition[1]} {definition[2]}" in self.clauses:
            return f"{definition[1]} {definition[2]}"
        return address

    def descendants(self, address: str) -> tuple[Clause, ...]:
        """All clauses under `address`, at any depth, in document order, itself not included."""
        return tuple(_below(self.clause(address)))

    def ancestors(self, address: str) -> tuple[Clause, ...]:
        """The clauses above `address`, the nearest first."""
        above: list[Clause] = []
        parent = self.clause(address).parent
        while parent is not None:
            above.append(self.clauses[parent])
            parent = above[-1].parent
        return tuple(above)

    def is_under(self, address: str, above: str) -> bool:
        """Whether `address` stands under `above`, at any depth; no clause is under itself.

        5.10 is not under 5.1, 5.1(c) is. Raises `LawError` when either is unknown.
        """
        target = self.clause(above).address
        return any(clause.address == target for clause in self.ancestors(address))

    def leaves(self) -> tuple[Clause, ...]:
        """The numbered leaf clauses: sections, rules and items with none of these under them.

        Definitions, rows of tables and whatever stands in an appendix are not among them; a rule with
        nothing but a table under it is.
        """
        return tuple(
            clause
            for clause in self.clauses.values()
            if clause.kind in _NUMBERED
            and not any(child.kind in _NUMBERED or child.kind == "definition" for child in clause.children)
            and not self._in_appendix(clause)
        )

    def definitions(self) -> tuple[Clause, ...]:
        """The definitions, in document order."""
        return tuple(clause for clause in self.clauses.values() if clause.kind == "definition")

    def _in_appendix(self, clause: Clause) -> bool:
        return any(above.kind == "appendix" for above in self.ancestors(clause.address))

    def _instead_of(self, address: str) -> str:
        parent = _longest_known_prefix(self, address)
        near = difflib.get_close_matches(self.canonical(address), self.clauses, n=3, cutoff=0.75)
        advice: list[str] = []
        if parent is not None:
            under = [child.address for child in parent.children]
            shown = ", ".join(under) if len(under) <= 12 else f"{', '.join(under[:11])}, … {under[-1]}"
            above = parent.address
            advice.append(f"under {above} there are {shown}" if under else f"nothing stands under {above}")
        near = [address for address in near if parent is None or self.clauses[address] not in parent.children]
        if near:
            advice.append(f"near in spelling: {', '.join(near)}")
        if not advice:
            tops = [clause.address for clause in self.clauses.values() if clause.parent is None]
            advice.append(f"its topmost clauses are {', '.join(tops)}")
        return "; ".join(advice)


def _below(clause: Clause) -> Iterator[Clause]:
    for child in clause.children:
        yield child
        yield from _below(child)


def _longest_known_prefix(law: Law, address: str) -> Clause | None:
    """The clause that would be the parent, judged by the spelling: 5.1 for 5.1(z), 5 for 5.40."""
    for cut in re.finditer(r"\(|\.| ", address[::-1]):
        prefix = law.canonical(address[: len(address) - cut.end()])
        if prefix in law.clauses:
            return law.clauses[prefix]
    return None
