"""How people behave, which no law says: what they do often, what seldom, what an operator chooses.

A file of habits is YAML: `weights` gives for a kind of event how readily it is done of one's own accord (what is due
is done in any case), `options` what is chosen where the request does not say, `irregular` how often, from 0 to 1, one
of the kinds that are not listed is tried first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from verifier.core.program import Program
from verifier.errors import Problem, RequestError
from verifier.log.faults import Inexact, RefusedError, shown
from verifier.log.yamltext import parse_yaml
from verifier.model.ruleset import Append, Each, FieldTarget, New, Ruleset, StateTarget, Update, Write
from verifier.resources import root

IRREGULAR = 0.01
"""So often something unusual is tried where habits do not say."""

FOLDER = "habits"
"""Beside the shipped rulesets: the habits that go with each."""

FREE = 0.03
"""What an act weighs that the law leaves free, beside one that some rule permits."""

_DECIMAL = re.compile(r"[0-9]{1,6}\.[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Habits:
    """Weights of kinds of event, options preferred, and how often something unusual is tried."""

    weights: Mapping[str, float]
    options: Mapping[str, object] = field(default_factory=dict)
    irregular: float = IRREGULAR


def habits_of(program: Program, path: Path | None = None) -> Habits:
    """The habits in a file, else those that come with a shipped ruleset, else what the rules themselves suggest.

    Raises `RequestError` for a file that is none.
    """
    path = path or shipped(program.ruleset)
    return suggested(program) if path is None else read_habits(path, program.ruleset)


def shipped(ruleset: Ruleset) -> Path | None:
    """The file of habits that comes with a ruleset; None where none does."""
    path = root("rulesets") / FOLDER / f"{ruleset.name}.yaml"
    return path if path.is_file() else None


def read_habits(path: Path, ruleset: Ruleset) -> Habits:
    """Habits from a file. Raises `RequestError` with what is wrong with it."""
    try:
        fields = parse_yaml(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise _wrong(path, f"the habits cannot be read: {str(error).splitlines()[0]}") from None
    except RefusedError as refused:
        raise _wrong(path, f"the habits cannot be read: {refused.faults[0].message}") from None
    if not isinstance(fields, dict) or not set(fields) <= {"weights", "options", "irregular"}:
        raise _wrong(path, "habits are a mapping with weights, options and irregular")
    weights = fields.get("weights", {})
    options = fields.get("options", {})
    irregular = _number(fields.get("irregular", IRREGULAR))
    if not isinstance(weights, dict) or not isinstance(options, dict):
        raise _wrong(path, "weights and options are mappings")
    own: dict[str, float] = {}
    for name, weight in weights.items():
        if name not in ruleset.events:
            raise _wrong(path, f"weights: there is no event {name}")
        number = _number(weight)
        if number is None or not 0 <= number <= 1000:
            raise _wrong(path, f"weights: {name} is {shown(weight)}, and no number from 0 to 1000")
        own[name] = number
    for name in options:
        if name not in ruleset.options:
            raise _wrong(path, f"options: there is no option {name}")
    if irregular is None or not 0 <= irregular <= 1:
        raise _wrong(path, f"irregular is {shown(fields['irregular'])}, and no number from 0 to 1")
    return Habits({**_endings(ruleset), **own}, dict(options), irregular)


def _number(value: object) -> float | None:
    """How often, or how readily; None where it is no number. Nothing but play hangs on it."""
    match value:
        case bool():
            return None
        case int() | float():
            return float(value)
        case Inexact(text=text) if _DECIMAL.fullmatch(text):
            return float(text)
        case _:
            return None


def suggested(program: Program) -> Habits:
    """What the rules suggest: acts that some rule permits, and such as change what belongs to the round."""
    ruleset = program.ruleset
    life = list(ruleset.lives)[-1]
    weights = _endings(ruleset)
    drawn = {chance.event for chance in ruleset.chances}
    for name, event in ruleset.events.items():
        if any(name in other.ends for other in ruleset.lives.values()):
            continue
        if name in drawn or name in program.permissions:
            weights[name] = 1.0
        elif not event.observed and life in lives_written(ruleset, name):
            weights[name] = FREE
    return Habits(weights)


def _endings(ruleset: Ruleset) -> dict[str, float]:
    return dict.fromkeys(list(ruleset.lives.values())[-1].ends, 0.5)


def lives_written(ruleset: Ruleset, event: str) -> set[str]:
    """The lives whose state an event's mechanics write."""
    return {_life(ruleset, update) for update in ruleset.mechanics.get(event, ())}


def _life(ruleset: Ruleset, update: Update) -> str:
    match update:
        case Each(update=inner):
            return _life(ruleset, inner)
        case New(entity=entity):
            return ruleset.entities[entity].life
        case Write(target=target) | Append(target=target):
            match target:
                case FieldTarget(entity=entity):
                    return ruleset.entities[entity].life
                case StateTarget(name=name):
                    return ruleset.state[name].life


def _wrong(path: Path, message: str) -> RequestError:
    return RequestError(
        Problem(message, str(path), code="habits", help="see the shipped ones, in rulesets/habits")
    )
