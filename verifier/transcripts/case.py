"""Transcript files: found, read whole, and checked against a ruleset."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from verifier.check.engine import Prepared, check_logs
from verifier.check.result import CheckResult
from verifier.errors import LogError, Problem, RequestError
from verifier.log.assemble import Opened, Tally
from verifier.log.faults import Fault, RefusedError, log_error, shown
from verifier.log.header import Header
from verifier.log.limits import LIMITS
from verifier.log.rows import Row
from verifier.log.sources import LogFile, open_log, open_stream
from verifier.log.streams import decode_utf8, read_all
from verifier.log.yamltext import Mapped, parse_document
from verifier.transcripts.compare import differences
from verifier.transcripts.expectation import Expectation, read_expectation

ENDING = ".transcript.yaml"

MOST_NAMED = 4
"""So many rulesets are named whose transcripts were passed over."""

_PLAIN = re.compile(r"[A-Za-z0-9._/-]{1,80}")


@dataclass(frozen=True, slots=True)
class Case:
    """One transcript, read: what it is about, its rows, and what it expects of a check."""

    path: str
    about: str
    header: Header
    rows: tuple[Row, ...]
    digest: str
    expected: Expectation

    def check(self, ready: Prepared) -> CheckResult:
        """The check of its rows, against any ruleset whose logs look the same."""
        opened = Opened(self.header, iter(self.rows), Tally(events=len(self.rows)))
        return check_logs([LogFile(self.path, "yaml", "", opened, None, ExitStack())], ready)

    def differences(self, result: CheckResult) -> list[str]:
        """In words, all in which a check differs from what is expected."""
        return differences(self.expected, result)

    def unlike(self, ready: Prepared) -> list[str]:
        """The differences of its check."""
        return self.differences(self.check(ready))


def read_case(path: str | os.PathLike[str], ready: Prepared) -> Case:
    """The transcript at `path`. Raises `LogError` where it is malformed or expects nothing, `RequestError` where
    it is not there."""
    with open_log(path, ready.binding.schema, "yaml") as log:
        return _case(os.fspath(path), log, ready)


def case_of(name: str, text: str, ready: Prepared) -> Case:
    """The transcript with this text, `name` being what its errors call it. As `read_case`."""
    with open_stream(name, BytesIO(text.encode()), ready.binding.schema, "yaml") as log:
        return _case(name, log, ready)


def _case(name: str, log: LogFile, ready: Prepared) -> Case:
    assert log.transcript is not None
    about, expect = log.transcript.about, log.transcript.expect
    try:
        if expect is None:
            help = "say under expect which faults the check must find, and which rules are kept"
            raise RefusedError(Fault("log-expect", "expect", "nothing", "faults, and rules kept", help))
        expected = read_expectation(expect, ready.ruleset.rules, expect.line)
    except RefusedError as refused:
        raise log.transcript.refusal(name, refused) from None
    rows = tuple(log.rows())
    return Case(name, about or "", log.header, rows, log.digest or "", expected)


def find_transcripts(paths: Sequence[str | os.PathLike[str]]) -> list[str]:
    """The files that `paths` stand for, sorted: files as named, in folders every `*.transcript.yaml`.

    Raises `RequestError` where one is not there or there is none.
    """
    found: set[str] = set()
    for path in paths:
        place = Path(path)
        if place.is_dir():
            found |= {str(file) for file in place.rglob("*" + ENDING) if file.is_file()}
        elif place.is_file():
            found.add(str(place))
        else:
            raise RequestError(
                Problem(
                    "there is no such transcript",
                    str(place),
                    code="no-such-transcript",
                    help="check the path",
                )
            )
    if paths and not found:
        raise RequestError(
            Problem(
                f"no transcripts in {', '.join(os.fspath(path) for path in paths)}",
                code="no-transcripts",
                help=f"a transcript's name ends in {ENDING}",
            )
        )
    return sorted(found)


def ruleset_of(path: str | os.PathLike[str]) -> str:
    """The ruleset that a transcript names. Raises `LogError` where it names none."""
    name = os.fspath(path)
    with open(path, "rb") as stream:
        text = decode_utf8(name, read_all(name, stream, LIMITS.transcript, "a transcript"), 1, first=True)
    try:
        document: Any = parse_document(text, LIMITS)
        ruleset = document.get("ruleset") if isinstance(document, Mapped) else None
        if not isinstance(ruleset, str):
            raise RefusedError(Fault("log-header", "ruleset", shown(ruleset), "the name of a ruleset"))
    except RefusedError as refused:
        raise log_error(name, None, refused.faults) from None
    return ruleset


def read_cases(
    paths: Sequence[str | os.PathLike[str]],
    ready: Prepared,
    others: Collection[str] = (),
    passed: Counter[str] | None = None,
) -> Iterator[Case]:
    """Every transcript at `paths` that is of this ruleset; of other ones those in a folder are passed over, and those
    that are named where they are of one of the `others`. `passed` counts by ruleset those that are passed over and of
    none of the others.

    Raises `RequestError`, `LogError`.
    """
    named = {os.fspath(path) for path in paths}
    for path in find_transcripts(paths):
        ruleset = ruleset_of(path) if others or path not in named else ready.ruleset.name
        if ruleset == ready.ruleset.name or (path in named and ruleset not in others):
            yield read_case(path, ready)
        elif passed is not None and ruleset not in others:
            passed[ruleset] += 1


def passed_words(passed: Mapping[str, int]) -> str:
    """`; 3 of uk/blackjack-1994 passed over`; nothing where none were."""
    if not passed:
        return ""
    if len(passed) > MOST_NAMED:
        return f"; {sum(passed.values())} of {len(passed)} other rulesets passed over"
    names = {name: name if _PLAIN.fullmatch(name) else shown(name) for name in passed}
    return "; " + ", ".join(f"{passed[name]} of {names[name]}" for name in sorted(passed)) + " passed over"


__all__ = [
    "ENDING",
    "Case",
    "LogError",
    "case_of",
    "find_transcripts",
    "passed_words",
    "read_case",
    "read_cases",
    "ruleset_of",
]
