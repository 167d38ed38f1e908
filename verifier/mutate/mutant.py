"""A mutant: one change of the text of one rule."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Literal, get_args

from verifier.model.ruleset import Place

Verdict = Literal["killed", "refuted", "proved", "equivalent", "refused", "survived"]
"""Killed by a transcript; by an obligation that fails where transcripts lead; by a proof; proved the same; refused
by the loader; noticed by nothing."""

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

Kind = Literal[
    "comparison",  # `<` for `<=`, `>=` for `<`, `!=` for `=`
    "bound",  # `has 2 cards` for `has 2 cards or more`, `least` for `greatest`
    "constant",  # one more, one less; `+` for `-`
    "odds",  # one more paid, one more staked
    "range",  # one wider or narrower at either end, one value fewer
    "connective",  # `and` for `or`
    "limb",  # one part of an `and` or an `or`, or one of several acts, left out
    "negation",  # `not` put in or taken out
    "condition",  # a `when`, `where` or `given` left out: it always holds
    "exception",  # an exception or an `otherwise` left out
    "rule",  # what a rule says left out: it never applies
    "label",  # another value of the enumeration, `yes` for `no`, one actor fewer
]

KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Change:
    """A stretch of a rule file that reads `text` instead; `start` and `end` are character offsets.

    `shown_from` and `shown_to` are what is quoted of the text round it, `shown` what is quoted of it afterwards where
    that is not the text as changed.
    """

    kind: Kind
    start: int
    end: int
    text: str
    shown_from: int
    shown_to: int
    shown: str | None = None


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change. `rule` is the rule, or the define or option outside of rules, in which it is made; `clause` the
    address of its clause, None where it has none.

    `id` is the same in every run, and as long as the words of the change and the rule's name are. `before` and
    `after` are the words, on one line. `block` is the number of the block in its module.
    """

    id: str
    kind: Kind
    rule: str
    clause: str | None
    place: Place
    before: str
    after: str
    block: int
    change: Change

    @property
    def words(self) -> str:
        """The change in words."""
        return f"{self.before}  →  {self.after or '(left out)'}"


def one_line(text: str) -> str:
    """A piece of rule text without comments and line breaks."""
    return re.sub(r"\s+", " ", re.sub(r"(?m)#[^\n\"]*$", "", text)).strip()


def identity(rule: str, kind: Kind, before: str, after: str, occurrence: int) -> str:
    """The id of a change: `5.1(a):comparison:3fa2c1`."""
    said = "\0".join((rule, kind, before, after, str(occurrence)))
    return f"{rule}:{kind}:{hashlib.sha256(said.encode()).hexdigest()[:6]}"
