"""Findings that a ruleset accepts, held against what was found: one that no longer occurs is an error of its text."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Mapping

from verifier.errors import Problem
from verifier.model.ruleset import Ruleset, Source
from verifier.syntax import tree as t
from verifier.syntax.parse import parse_module
from verifier.syntax.places import problem_at


def out_of_date(
    ruleset: Ruleset, holds: Mapping[str, str], names: Collection[str], whole: bool
) -> tuple[Problem, ...]:
    """What is wrong with the ruleset's accepted findings, each with its place.

    `holds` are the obligations proved, name to claim; `names` the names of all that there are. An accepted finding
    that is not decided is left alone; so is one that names nothing, unless the `whole` ruleset was asked about.
    """
    problems: list[Problem] = []
    seen: set[str] = set()
    for source, accepted in _accepted(ruleset):
        if accepted.finding in seen:
            problems.append(
                problem_at(
                    source.text,
                    source.path,
                    accepted.at,
                    f"the finding {accepted.finding} is accepted twice",
                    "accepted-finding-twice",
                    "keep one line, with the reason that holds",
                )
            )
            continue
        seen.add(accepted.finding)
        if accepted.finding in holds:
            problems.append(
                problem_at(
                    source.text,
                    source.path,
                    accepted.at,
                    f"the finding {accepted.finding} no longer occurs",
                    "accepted-finding-gone",
                    f"proved: {holds[accepted.finding]}. Remove the line",
                )
            )
        elif whole and accepted.finding not in names:
            near = difflib.get_close_matches(accepted.finding, sorted(names), n=1)
            problems.append(
                problem_at(
                    source.text,
                    source.path,
                    accepted.at,
                    f"there is no finding {accepted.finding}",
                    "accepted-finding-unknown",
                    f"did you mean {near[0]}?" if near else "gazette prove prints the name of each finding",
                )
            )
    return tuple(problems)


def _accepted(ruleset: Ruleset) -> Iterator[tuple[Source, t.Accepted]]:
    """The lines of the ruleset's own module that accept a finding; what other modules accept is for others as well."""
    if not ruleset.accepted:
        return
    own = ruleset.sources[-1]
    for block in parse_module(own.text, own.path).blocks:
        if isinstance(block, t.Accepted):
            yield own, block
