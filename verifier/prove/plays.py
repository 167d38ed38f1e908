"""Plays that earlier proofs found, kept beside the ruleset: searches that need not be made again.

Nothing is taken from them but where to look. Each play is judged anew, and answers a question only if that is true at
its end; where rules have changed, what no longer fits is passed over. That a search was in vain is a reason not to
repeat it as long as the rules are the very same; what it was after stays undecided.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from verifier.check.fields import Writable, fields_of, happening_of, logged
from verifier.check.options import read_settings
from verifier.check.schema import Binding, bind
from verifier.core.program import Program
from verifier.errors import Problem, RequestError, RuleTextError
from verifier.log.faults import Fault, RefusedError, shown
from verifier.log.jsontext import parse_object
from verifier.model.ruleset import Ruleset
from verifier.prove.cache import digest
from verifier.prove.explore.evaluate import Asker
from verifier.prove.explore.replay import replayed
from verifier.prove.explore.snapshot import Runner
from verifier.prove.proven import rules_digest
from verifier.prove.question import Answer, Decided, Mode, Obligation, Play, Question, Sometimes, Unknown
from verifier.resources import root
from verifier.run.bench import Happening
from verifier.run.machine import Machine
from verifier.run.state import first_state
from verifier.run.undefined import Undefined

ENDING = ".plays.jsonl"

MOST_BYTES = 64_000_000
"""A file that is longer is refused."""

SCOPE = "a play kept from an earlier proof"

About = tuple[str, Mode]
"""The id of an obligation, and the mode in which its question was asked."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A play as the file has it: options by name, events as rows of a log."""

    options: Mapping[str, object]
    events: Sequence[Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class Plays:
    """What a file holds. `rules` is the digest of the rules of which it was found."""

    rules: str = ""
    found: Mapping[About, Recorded] = field(default_factory=dict)
    vain: frozenset[About] = frozenset()
    text: str = ""

    @property
    def digest(self) -> str:
        """The SHA-256 of the file."""
        return digest(self.text)


# ------------------------------------------------------------------------------------------------ the file
def beside(ruleset: Ruleset) -> Path | None:
    """The file that goes with a ruleset, there or not: its own rule file's name with another ending."""
    source = next((s for s in ruleset.sources if s.module == ruleset.name), None)
    if source is None:
        return None
    rules = Path(source.path)
    if not rules.is_file() and rules.parts[:1] == ("rulesets",):
        rules = root("rulesets").joinpath(*rules.parts[1:])
    return rules.with_suffix(ENDING)


def kept(ruleset: Ruleset) -> Plays | None:
    """What is kept beside a ruleset; None where nothing is. Raises `RequestError` as `read` does."""
    place = beside(ruleset)
    return None if place is None or not place.is_file() else read(place)


def read(path: Path) -> Plays:
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
    rules, found, vain = "", dict[About, Recorded](), set[About]()
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            match parse_object(line):
                case {"plays": str(), "rules": str(rules), **more} if number == 1 and not more:
                    pass
                case {"answers": answers, "options": dict(options), "events": list(events), **more} if (
                    number > 1 and not more and all(isinstance(event, dict) for event in events)
                ):
                    found |= dict.fromkeys(_abouts(answers), Recorded(options, events))
                case {"vain": unanswered, **more} if number > 1 and not more:
                    vain |= set(_abouts(unanswered))
                case other:
                    raise RefusedError(Fault("plays", None, shown(other), "a play, or what was not found"))
        except RefusedError as refused:
            raise _wrong(path, refused.faults[0].message, number) from None
    return Plays(rules, found, frozenset(vain), text)


def _abouts(value: object) -> Iterator[About]:
    for pair in value if isinstance(value, list) else (value,):
        match pair:
            case [str(name), ("words" | "play") as mode]:
                yield name, mode
            case _:
                raise RefusedError(Fault("plays", None, shown(pair), "an obligation, and words or play"))


def _wrong(path: Path, why: str, line: int | None = None) -> RequestError:
    return RequestError(
        Problem(
            f"cannot read the plays of an earlier proof: {why}",
            str(path),
            line,
            code="plays",
            help="remove the file, or prove with --afresh; --write-plays writes it anew",
        )
    )


def written(program: Program, decided: Iterable[Decided]) -> str:
    """The file's text: of each obligation that needs a play the one that was found, or that none was."""
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
                    found.setdefault(_told(play, ruleset, binding), []).append((one.obligation.id, mode))
                case Unknown(disagree=False):
                    vain.append((one.obligation.id, mode))
                case _:
                    continue
    lines = [_line({"plays": ruleset.name, "rules": rules_digest(ruleset)})]
    for told, abouts in found.items():
        lines.append(f'{{"answers": {_line(abouts)}, {told}}}')
    lines += [_line({"vain": [about]}) for about in vain]
    return "\n".join((*lines, ""))


def _told(play: Play, ruleset: Ruleset, binding: Binding) -> str:
    options = {n: logged(ruleset.options[n].type, value) for n, value in play.options.items()}
    events = [fields_of(happening, ruleset, binding) for happening in play.happenings]
    return f'"options": {_line(options)}, "events": {_line(events)}'


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _needs_play(obligation: Obligation) -> bool:
    """Whether plays are looked for on purpose; what wants to be so in some state of the types needs none."""
    if obligation.question is None or obligation.kind == "stuck":
        return False
    return obligation.wanted == "never" or "play" in obligation.modes


# ----------------------------------------------------------------------------------------------- answering
class Known:
    """The plays of a file at a program: what of them still answers."""

    def __init__(self, program: Program, plays: Plays) -> None:
        self.program = program
        self.plays = plays
        self.same = plays.rules == rules_digest(program.ruleset)
        self._runner: Runner | None = None
        self._binding: Binding | None = None

    def in_vain(self, obligation: Obligation, mode: Mode) -> bool:
        """Whether a play was looked for in vain, of the very same rules."""
        return self.same and (obligation.id, mode) in self.plays.vain

    def answer(
        self, obligation: Obligation, mode: Mode, question: Question, askers: Sequence[Asker]
    ) -> Sometimes | None:
        """The play kept for an obligation, judged anew, if one of `askers` finds the question true at its end."""
        for asked in (mode, "play"):
            recorded = self.plays.found.get((obligation.id, asked))
            play = None if recorded is None else self._replayed(recorded)
            if play is None or mode == "play" and not play.lawful:
                continue
            for asker in askers:
                values = asker.find(question, play.state, play.options)
                if values is not None:
                    return Sometimes(play.state, play.options, values, play, SCOPE, ("interpreter",))
        return None

    def _replayed(self, recorded: Recorded) -> Play | None:
        """The play, where the ruleset has its options and events, and they can happen."""
        try:
            self._binding = self._binding or bind(self.program.ruleset)
            options = read_settings(self.program.ruleset, recorded.options)
        except (RuleTextError, RequestError):
            return None
        if not self._allowed(options):
            return None
        happenings: list[Happening] = []
        for fields in recorded.events:
            happening = happening_of(fields, self.program.ruleset, self._binding)
            if happening is None:
                return None
            happenings.append(happening)
        self._runner = self._runner or Runner(self.program)
        return replayed(self._runner, options, happenings)

    def _allowed(self, options: dict[str, object]) -> bool:
        """Whether every option is stated, and all of them meet what is required."""
        if options.keys() != self.program.ruleset.options.keys():
            return False
        machine = Machine(self.program, options)
        machine.enter(first_state(self.program.ruleset))
        try:
            return all(machine.closure(r.condition, ())([]) for r in self.program.ruleset.requirements)
        except Undefined:
            return False
