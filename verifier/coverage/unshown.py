"""Why rules are not shown kept, or not broken: a YAML file beside the rules, each reason written by somebody who
looked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from verifier import reasons
from verifier.coverage.evidence import Exercise
from verifier.errors import Problem, RequestError
from verifier.log.faults import Fault, RefusedError, shown
from verifier.log.yamltext import Mapped
from verifier.model.ruleset import Ruleset

ENDING = ".unshown.yaml"

Side = Literal["kept", "broken"]

SIDES: tuple[Side, ...] = ("kept", "broken")


@dataclass(frozen=True, slots=True)
class Unshown:
    """Why no transcript shows a rule kept, and why none shows it broken; None where that is not said.

    `file` and `line` are where it stands.
    """

    file: str
    line: int
    kept: str | None = None
    broken: str | None = None


def read_unshown(path: Path) -> Mapping[str, Unshown]:
    """The reasons in a file, by rule. Raises `RequestError` where it is not there, `LogError` where it is malformed."""

    def take(rule: str, found: Any, line: int) -> Unshown:
        if not isinstance(found, Mapped) or not found or not found.keys() <= set(SIDES):
            expected = "kept, broken or both, each with the reason why no transcript shows it"
            raise RefusedError(Fault("log-syntax", rule, shown(found), expected, None, None, line))
        said = {
            side: reasons.in_words(f"{rule}: {side}", found[side], found.lines[side])
            for side in SIDES
            if side in found
        }
        return Unshown(str(path), line, **said)

    return reasons.read_file(path, "a mapping from rules to kept and broken", take)


def unshown_of(ruleset: Ruleset, asked: Collection[str]) -> Mapping[str, Unshown]:
    """The reasons that come with a ruleset, of whose rules those `asked` can be exercised.

    Raises `RequestError` for a reason of another rule, `LogError`.
    """
    place = reasons.beside(Path(ruleset.sources[-1].path), ENDING)
    found = {} if place is None else read_unshown(place)
    gone = [(rule, said) for rule, said in found.items() if rule not in asked]
    if gone:
        raise RequestError(
            *(
                Problem(
                    f"a reason is given why {rule} is not shown, and no rule {rule} binds or decides",
                    said.file,
                    said.line,
                    code="unknown-rule",
                    help="name a rule of the ruleset's own that can be exercised, or take the reason out",
                )
                for rule, said in gone
            )
        )
    return found


def refuse_stale(
    unshown: Mapping[str, Unshown], exercise: Mapping[str, Exercise], claimed: Collection[str]
) -> None:
    """Raises `RequestError` for reasons why there is not shown what is: of a rule that is not `claimed`, and that
    others read, all is."""
    stale = [
        (rule, said, side)
        for rule, said in unshown.items()
        for side in SIDES
        if getattr(said, side) is not None
        and (getattr(exercise[rule], side) or (rule not in claimed and exercise[rule].read))
    ]
    if stale:
        raise RequestError(
            *(
                Problem(
                    f"a reason is given why {rule} is not shown {side}, and it is shown",
                    said.file,
                    said.line,
                    code="stale-reason",
                    help="take the reason out: it was wrong, or the rule was changed",
                )
                for rule, said, side in stale
            )
        )
