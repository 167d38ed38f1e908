"""What came of an induction, and how the cache keeps it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from verifier.cache import Json
from verifier.model.ruleset import Ruleset, Source
from verifier.prove.codec import from_json, state_of, state_to_json, to_json
from verifier.prove.conjectures import Named
from verifier.prove.question import Mode
from verifier.run.state import State
from verifier.syntax import tree as t
from verifier.syntax.parse import parse_module

STAGES = ("syntax", "law", "model", "core", "run", "prove")
"""The stages on which the outcome of an induction rests."""


@dataclass(frozen=True, slots=True)
class Broken:
    """An invariant that was asked for and is not shown.

    `event` (None for the first state) by `actor` (empty where anybody) with `values` leads from `before`, where all
    that holds and the invariant hold, to a state where it does not: true or not, it is not inductive. Where `why` is
    not empty nobody could tell.
    """

    named: Named
    event: str | None
    actor: str
    before: State
    options: Mapping[str, object]
    values: Mapping[str, object]
    why: str = ""


@dataclass(frozen=True, slots=True)
class Proven:
    """What holds in every state of the mode, within the scope. `written` are those of `holding` that were asked for.

    `by` are the solvers that confirmed it. `disagree` where they contradict each other: then nothing holds.
    """

    mode: Mode
    scope: str
    holding: tuple[Named, ...]
    written: tuple[Named, ...]
    broken: tuple[Broken, ...]
    by: tuple[str, ...] = ()
    why: str = ""
    disagree: bool = False
    queries: int = 0


# ------------------------------------------------------------------------------------------------- the cache
@cache
def code_digest() -> str:
    """The SHA-256 of the code on which an outcome rests: other code may come to another."""
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for stage in STAGES:
        for file in sorted((package / stage).rglob("*.py")):
            digest.update(file.read_bytes())
            digest.update(b"\0")
    return digest.hexdigest()


def rules_digest(ruleset: Ruleset) -> str:
    """The SHA-256 of the rules and the law on which an outcome rests: to accept a finding changes none."""
    parts = [text for source in ruleset.sources for text in (source.module, _less_accepted(source))]
    parts += [law.digest for law in ruleset.laws.values()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _less_accepted(source: Source) -> str:
    """The text of a rule file without the lines that accept a finding, and without those that are blank."""
    gone: set[int] = set()
    for block in parse_module(source.text, source.path).blocks:
        if isinstance(block, t.Accepted):
            gone.update(range(block.at.line, block.at.end_line + (block.at.end_column > 1)))
    lines = enumerate(source.text.split("\n"), start=1)
    return "\n".join(line for number, line in lines if number not in gone and line.strip())


def written_down(proven: Proven, given: Sequence[Named], keys: Sequence[str]) -> Json:
    """An outcome for the cache: of what was given by position, of what was guessed by key."""
    position = {named: i for i, named in enumerate(given)}
    return {
        "scope": proven.scope,
        "written": [position[named] for named in proven.written],
        "guessed": list(keys),
        "broken": [
            [
                position[b.named],
                b.event,
                b.actor,
                b.why,
                state_to_json(b.before),
                to_json((dict(b.options), dict(b.values))),
            ]
            for b in proven.broken
        ],
        "by": list(proven.by),
        "queries": proven.queries,
    }


def read_back(
    value: Json, mode: Mode, given: Sequence[Named], known: Sequence[Named], guessed: Sequence[Named]
) -> Proven | None:
    """The outcome that was written down; None where it cannot be read. `guessed` are those of its keys."""
    match value:
        case {
            "scope": str(scope),
            "written": list(written),
            "broken": list(broken),
            "by": list(by),
            "queries": int(queries),
        }:
            try:
                held = tuple(given[int(str(i))] for i in written)
                failed = tuple(_broken(entry, given) for entry in broken)
            except (ValueError, IndexError, TypeError, KeyError):
                return None
            return Proven(
                mode, scope, (*known, *held, *guessed), held, failed, tuple(map(str, by)), queries=queries
            )
        case _:
            return None


def _broken(entry: Json, given: Sequence[Named]) -> Broken:
    match entry:
        case [int(i), (None | str()) as event, str(actor), str(why), before, other]:
            options, values = from_json(other)
            return Broken(given[i], event, actor, state_of(before), options, values, why)
        case _:
            raise ValueError(entry)
