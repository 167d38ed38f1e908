"""What earlier proofs found, kept beside the ruleset: plays, searches in vain, guesses of invariants that held.

It says where to look, and proves nothing: plays are judged anew (`verifier.prove.known`), and what was guessed is
proved anew (`verifier.prove.induct`). What a search was in vain after stays undecided.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from verifier.cache import digest
from verifier.check.fields import Writable, fields_of, logged
from verifier.check.schema import Binding, bind
from verifier.core.program import Program
from verifier.errors import Problem, RequestError
from verifier.log.faults import Fault, RefusedError, shown
from verifier.log.jsontext import parse_object
from verifier.model.ruleset import Ruleset
from verifier.prove.proven import rules_digest
from verifier.prove.question import Answer, Decided, Mode, Obligation, Play, Sometimes, Unknown
from verifier.resources import root
from verifier.run.bench import Happening

ENDING = ".found.jsonl"

ROUNDS = ".rounds.jsonl"
"""The ending of the file beside a ruleset that keeps rounds which people showed (`verifier.generate.handed`)."""

MOST_BYTES = 64_000_000
"""A file that is longer is refused."""

About = tuple[str, Mode]
"""The id of an obligation, and the mode in which its question was asked."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A play as the file has it: options by name, events as rows of a log."""

    options: Mapping[str, object]
    events: Sequence[Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class Hint:
    """What held of what an induction guessed, by key, and which parts of lawfulness each transition needed."""

    guesses: tuple[str, ...]
    parts: tuple[tuple[int, tuple[int, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """What a file holds. `rules` is the digest of the rules of which it was found; `hints` are by the digest of what
    an induction was asked. `digest` is the file's own."""

    rules: str = ""
    plays: Mapping[About, Recorded] = field(default_factory=dict)
    vain: frozenset[About] = frozenset()
    hints: Mapping[str, Hint] = field(default_factory=dict)
    digest: str = ""


# ------------------------------------------------------------------------------------------------ the file
def beside(ruleset: Ruleset, ending: str = ENDING) -> Path | None:
    """The file that goes with a ruleset, there or not: its own rule file's name with another ending."""
    source = next((s for s in ruleset.sources if s.module == ruleset.name), None)
    if source is None:
        return None
    rules = Path(source.path)
    if not rules.is_file() and rules.parts[:1] == ("rulesets",):
        rules = root("rulesets").joinpath(*rules.parts[1:])
    return rules.with_suffix(ending)


def kept(ruleset: Ruleset, ending: str = ENDING) -> Found | None:
    """What is kept beside a ruleset; None where nothing is. Raises `RequestError` as `read` does."""
    place = beside(ruleset, ending)
    return None if place is None or not place.is_file() else read(place)


def read(path: Path) -> Found:
    """What the file holds. Raises `RequestError` where it cannot be read, or is malformed."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise _wrong(path, f"it has over {MOST_BYTES} bytes")
        text = data.decode()
    except OSError as error:
        raise _wrong(path, (error.strerror or str(error)).lower()) from None
    except UnicodeDecodeError:
        raise _wrong(path, "it is not UTF-8") from None
    rules, plays, vain, hints = "", dict[About, Recorded](), set[About](), dict[str, Hint]()
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            match parse_object(line):
                case {"found": str(), "rules": str(rules), **more} if number == 1 and not more:
                    pass
                case {"answers": answers, "options": dict(options), "events": list(events), **more} if (
                    number > 1 and not more and all(isinstance(event, dict) for event in events)
                ):
                    plays |= dict.fromkeys(_abouts(answers), Recorded(options, events))
                case {"vain": unanswered, **more} if number > 1 and not more:
                    vain |= set(_abouts(unanswered))
                case {"induction": str(asked), "guesses": guesses, "parts": parts, **more} if (
                    number > 1 and not more
                ):
                    hints[asked] = _hint(guesses, parts)
                case other:
                    kinds = "a play, what was not found, or an induction"
                    wanted = "a ruleset's name, and the digest of its rules" if number == 1 else kinds
                    raise RefusedError(Fault("found", None, shown(other), wanted))
        except RefusedError as refused:
            raise _wrong(path, refused.faults[0].message, number) from None
    return Found(rules, plays, frozenset(vain), hints, digest(text))


def _abouts(value: object) -> Iterator[About]:
    for pair in value if isinstance(value, list) else (value,):
        match pair:
            case [str(name), ("words" | "play") as mode]:
                yield name, mode
            case _:
                raise RefusedError(Fault("found", None, shown(pair), "an obligation, and words or play"))


def _hint(guesses: object, parts: object) -> Hint:
    match guesses, parts:
        case list(), list() if all(isinstance(guess, str) for guess in guesses):
            return Hint(tuple(guesses), tuple(map(_part, parts)))
        case _:
            raise RefusedError(Fault("found", None, shown(guesses), "guesses by their keys, and parts"))


def _part(value: object) -> tuple[int, tuple[int, ...]]:
    match value:
        case [int(index), list(parts)] if all(type(part) is int for part in parts):
            return index, tuple(parts)
        case _:
            raise RefusedError(Fault("found", None, shown(value), "a number, and a list of numbers"))


def _wrong(path: Path, why: str, line: int | None = None) -> RequestError:
    return RequestError(
        Problem(
            f"cannot read what an earlier proof found: {why}",
            str(path),
            line,
            code="found",
            help="remove the file, or prove with --afresh, which with --write-found writes it anew",
        )
    )


def written(program: Program, decided: Iterable[Decided], hints: Mapping[str, Hint]) -> str:
    """The file's text: of each obligation that needs a play the one that was found, or that none was; and the hints."""
    ruleset, binding = program.ruleset, bind(program.ruleset)
    writable = Writable(ruleset, binding)
    found: dict[str, list[About]] = {}
    vain: list[About] = []
    for one in decided:
        if not _needs_play(one.obligation):
            continue
        answers: tuple[tuple[Mode, Answer | None], ...] = (("words", one.words), ("play", one.play))
        for mode, answer in answers:
            match answer:
                case Sometimes(play=Play() as play) if all(map(writable, play.happenings)):
                    told = play_text(play.options, play.happenings, ruleset, binding)
                    found.setdefault(told, []).append((one.obligation.id, mode))
                case Unknown(disagree=False) if one.obligation.kind != "stuck":
                    vain.append((one.obligation.id, mode))
                case _:
                    continue
    lines = [*plays_text(ruleset, found)]
    lines += [_line({"vain": [about]}) for about in vain]
    lines += [
        _line({"induction": asked, "guesses": hint.guesses, "parts": hint.parts})
        for asked, hint in hints.items()
    ]
    return "\n".join((*lines, ""))


def plays_text(ruleset: Ruleset, plays: Mapping[str, Sequence[About]]) -> Iterator[str]:
    """The first line of a file, and a line for each play (`play_text`) with what it answers."""
    yield _line({"found": ruleset.name, "rules": rules_digest(ruleset)})
    for told, abouts in plays.items():
        yield f'{{"answers": {_line(abouts)}, {told}}}'


def play_text(
    settings: Mapping[str, object], happenings: Iterable[Happening], ruleset: Ruleset, binding: Binding
) -> str:
    """What a play's line says of it: the options stated, and the events as rows of a log."""
    options = {n: logged(ruleset.options[n].type, value) for n, value in settings.items()}
    events = [fields_of(happening, ruleset, binding) for happening in happenings]
    return f'"options": {_line(options)}, "events": {_line(events)}'


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _needs_play(obligation: Obligation) -> bool:
    """Whether plays are looked for on purpose; what wants to be so in some state of the types needs none."""
    if obligation.question is None:
        return False
    return obligation.wanted == "never" or "play" in obligation.modes
