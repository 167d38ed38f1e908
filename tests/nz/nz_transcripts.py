"""Transcripts that show rules kept and broken, and what the New Zealand ones have besides.

What `expect` says is the same for all transcripts (`spec/log.md`). Here `about` begins with the rule shown and the
clause's own words in curly quotes. Options are all stated, so that a transcript leaves nothing unchecked and can be
checked by itself; they stand at the end, where they do not keep a reader from the play.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import shown

from verifier.check.engine import Prepared
from verifier.check.result import CheckResult
from verifier.transcripts.case import ENDING, Case, read_case
from verifier.transcripts.compare import differences
from verifier.transcripts.expectation import Expectation as Expected
from verifier.transcripts.expectation import Fault

FOLDER = Path(__file__).parent / "transcripts"

_RULE = r"\d+\.\d+(?:\([a-z]+\))*(?: \[[^\]]+\])?"
_ABOUT = re.compile(rf"(?P<rule>{_RULE}): (?=“)")
_QUOTE = re.compile(r"“([^”]+)”")


class UnreadableError(Exception):
    """A transcript whose `about` is not in the form above."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a transcript says that it shows: `rule`, its words and what else is quoted, and what is expected."""

    rule: str
    quotes: tuple[str, ...]
    expected: Expected

    @property
    def faults(self) -> tuple[Fault, ...]:
        return self.expected.faults

    @property
    def kept(self) -> tuple[str, ...]:
        return self.expected.kept

    @property
    def broken(self) -> frozenset[str]:
        return self.expected.broken


@dataclass(frozen=True, slots=True)
class Shown:
    """A transcript read and checked."""

    expected: Expected
    result: CheckResult


def files() -> list[Path]:
    """All transcripts, by name."""
    return sorted(FOLDER.rglob("*" + ENDING))


def name_of(path: Path) -> str:
    """`09/insurance-too-high` for a transcript in the folder 09."""
    return path.relative_to(FOLDER).as_posix().removesuffix(ENDING)


def shown_of(ruleset: str, folder: Path, path: Path) -> tuple[Expectation, Shown]:
    """What the transcript at `path`, one of those in the folder, says that it shows, and what it does: read and
    checked once in a process, whoever asks. Raises `UnreadableError`, `LogError`."""
    case = shown.cases(ruleset, folder)[path]
    return _about(case), Shown(case.expected, shown.result(ruleset, folder, path))


def show(path: Path, ready: Prepared) -> Shown:
    """Read and check the transcript at `path`. Raises `LogError`."""
    case = read_case(path, ready)
    return Shown(case.expected, case.check(ready))


def read_about(about: str) -> tuple[str, tuple[str, ...]]:
    """The rule and the quotes of an `about`. Raises `UnreadableError`."""
    if (found := _ABOUT.match(about)) is None:
        raise UnreadableError(f"about: begin with the rule and its words, `9.3(a): “…”`; found {about!r}")
    return found["rule"], tuple(_QUOTE.findall(about))


def _about(case: Case) -> Expectation:
    rule, quotes = read_about(case.about)
    return Expectation(rule, quotes, case.expected)


def unlike(shown: Shown) -> list[str]:
    """In words, everything in which the check differs from what the transcript expects."""
    return differences(shown.expected, shown.result)
