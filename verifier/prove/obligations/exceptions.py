"""Every exception that a text makes bites somewhere.

An edge is written once and meets many units: `overrides 5.1` each effect of 5.1(a) to (g). It bites if it displaces
one of them. `unless expressly permitted` names no rule, and an edge that a layer makes has no words: neither is
asked about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from verifier.core.program import Program
from verifier.model.ruleset import Contribution, Edge, Norm, Place, Rule
from verifier.prove.obligations.duties import duty_of
from verifier.prove.obligations.units import (
    Alternative,
    Naming,
    Only,
    Resting,
    among,
    any_of,
    asked_of,
    both,
    dead_id,
    known,
    parts_of,
)
from verifier.prove.question import Obligation

KINDS = (
    "notwithstanding everything",
    "unless expressly permitted",
    "except",
    "subject to",
    "unless",
    "notwithstanding",
    "overrides",
)
FROM_THE_WINNER = ("notwithstanding", "overrides")
REFERENCE = re.compile(
    r"(?:(?:(?:section|appendix) +)?[0-9]+(?:\.[0-9]+)*|(?=\())(?:\([0-9a-z]+\))*(?: *\[[^\]]*\])?"
)
NARROWED = re.compile(r" for (?![^\[]*\])")


@dataclass(frozen=True, slots=True)
class Written:
    """An exception as the text has it, with one of the references in it; `rule` is where it stands."""

    rule: str
    kind: str
    ref: str


def idle_exceptions(program: Program, naming: Naming, only: Only = None) -> Iterator[Resting]:
    """One obligation for each reference of each exception written in the text."""
    texts = {source.path: source.text.splitlines() for source in program.ruleset.sources}
    found: dict[Written, list[Edge]] = {}
    for edge in program.ruleset.edges:
        if edge.by == "text":
            written = written_of(program, edge, words_at(texts[edge.place.file], edge.place))
            if written.kind != "unless expressly permitted":
                found.setdefault(written, []).append(edge)
    for written, edges in found.items():
        if not among(only, *(program.ruleset.units[end].rule for e in edges for end in (e.loser, e.winner))):
            continue
        ways = [way for edge in edges for way in biting(program, edge)]
        question = any_of(program, ways) if ways else None
        if question is not None:
            words = f"{written.kind} {written.ref}".strip()
            losers = tuple(dict.fromkeys(program.ruleset.units[e.loser].rule for e in edges))
            winners = tuple(dict.fromkeys(program.ruleset.units[e.winner].rule for e in edges))
            obligation = Obligation(
                f"idle exception {written.rule} {words}",
                "idle exception",
                f"in {written.rule}, `{words}` makes a difference somewhere",
                tuple(dict.fromkeys((written.rule, *losers, *winners))),
                "sometimes",
                question,
                about=tuple(
                    f"{naming[program.ruleset.units[e.loser]]} gives way to "
                    f"{naming[program.ruleset.units[e.winner]]}"
                    for e in edges
                ),
            )
            yield Resting(obligation, _sole(program, naming, edges))


def _sole(program: Program, naming: Naming, edges: list[Edge]) -> tuple[str, ...]:
    """That the only unit on a side of an exception can apply."""
    sides = ({e.loser for e in edges}, {e.winner for e in edges})
    return tuple(
        dead_id(naming[program.ruleset.units[unit]]) for side in sides if len(side) == 1 for unit in side
    )


def biting(program: Program, edge: Edge) -> Iterator[Alternative]:
    """The ways in which an edge displaces its loser, which would apply but for it.

    Other exceptions of the loser may displace it there as well: laws say twice, at either end, what gives way.
    """
    loser = program.ruleset.units[edge.loser]
    for parts in parts_of(program, loser):
        for own, displaced in parts.edges:
            if own == edge:
                meets = both(parts.own, *parts.beside, displaced)
                match loser:
                    case Contribution(decision=decision):
                        yield Alternative(parts.params, both(asked_of(program, decision), meets))
                    case Norm(force="must"):
                        variables = duty_of(program, loser).variables
                        yield Alternative(variables, both(known(variables), meets))
                    case Norm():
                        yield Alternative((), meets, parts.event)


def words_at(lines: list[str], place: Place) -> str:
    """The text at a place of a rule file, its white space as one blank."""
    taken = lines[place.line - 1 : place.end_line]
    taken[-1] = taken[-1][: place.end_column - 1]
    taken[0] = taken[0][place.column - 1 :]
    return " ".join(" ".join(taken).split())


def written_of(program: Program, edge: Edge, words: str) -> Written:
    """The exception as it is written that makes an edge: the reference that means the rule at its other end."""
    ruleset = program.ruleset
    kind = next(k for k in KINDS if words.startswith(k))
    loser, winner = (ruleset.rules[rule] for rule in _rules_of(program, edge))
    here, there = (winner, loser) if kind.startswith(FROM_THE_WINNER) else (loser, winner)
    home = _standing_at(program, edge.place) or here
    refs = REFERENCE.findall(NARROWED.split(words.removeprefix(kind))[0])
    meant = [ref for ref in refs if ruleset.means(ref.removeprefix("section").strip(), there)]
    return Written(home.id, kind, max(meant, key=len) if meant else "" if kind in KINDS[:2] else there.id)


def _rules_of(program: Program, edge: Edge) -> tuple[str, str]:
    """The rules at the ends of an edge; between two copies that one `apply` made, those of the originals."""
    units = program.ruleset.units
    loser, winner = units[edge.loser], units[edge.winner]
    match loser, winner:
        case Contribution(applied=str() as one), Contribution(applied=str() as other) if (
            loser.rule == winner.rule
        ):
            return units[one].rule, units[other].rule
        case _:
            return loser.rule, winner.rule


def _standing_at(program: Program, place: Place) -> Rule | None:
    """The rule in whose block a place is."""
    above = [
        r for r in program.ruleset.rules.values() if r.place.file == place.file and r.place.line <= place.line
    ]
    return max(above, key=lambda r: r.place.line) if above else None
