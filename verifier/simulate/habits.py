"""How people behave, which no law says: what they do often, what seldom, what an operator chooses.

A file of habits is YAML: `weights` gives for a kind of event how readily it is done of one's own accord (what is due
is done in any case), `options` what is chosen where the request does not say, `irregular` how often, from 0 to 1, one
of the kinds that are not listed is tried first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from verifier.core.program import Program
from verifier.errors import Problem, RequestError
from verifier.model.ruleset import Append, Each, FieldTarget, New, Ruleset, StateTarget, Update, Write

IRREGULAR = 0.01
"""So often something unusual is tried where habits do not say."""

FOLDER = "habits"
"""Beside the shipped rulesets: the habits that go with each."""


FREE = 0.03
"""What an act weighs that the law leaves free, beside one that some rule permits."""


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
    ruleset = program.ruleset
    if path is None:
        from verifier.resources import root

        shipped = root("rulesets") / FOLDER / f"{ruleset.name}.yaml"
        if not shipped.is_file():
            return suggested(program)
        path = shipped
    return read_habits(path, ruleset)


def read_habits(path: Path, ruleset: Ruleset) -> Habits:
    """Habits from a file. Raises `RequestError` with what is wrong with it."""
    import yaml

    try:
        fields = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise _wrong(path, f"the habits cannot be read: {str(error).splitlines()[0]}") from None
    if not isinstance(fields, dict) or not set(fields) <= {"weights", "options", "irregular"}:
        raise _wrong(path, "habits are a mapping with weights, options and irregular")
    weights = fields.get("weights", {})
    options = fields.get("options", {})
    irregular = fields.get("irregular", IRREGULAR)
    if not isinstance(weights, dict) or not isinstance(options, dict):
        raise _wrong(path, "weights and options are mappings")
    for name, weight in weights.items():
        if name not in ruleset.events:
            raise _wrong(path, f"weights: there is no event {name}")
        if type(weight) not in (int, float) or not 0 <= weight <= 1000:
            raise _wrong(path, f"weights: {name} is {weight!r}, and no number from 0 to 1000")
    for name in options:
        if name not in ruleset.options:
            raise _wrong(path, f"options: there is no option {name}")
    if type(irregular) not in (int, float) or not 0 <= irregular <= 1:
        raise _wrong(path, f"irregular is {irregular!r}, and no number from 0 to 1")
    own = {str(name): float(weight) for name, weight in weights.items()}
    return Habits({**_endings(ruleset), **own}, {str(k): v for k, v in options.items()}, float(irregular))


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
