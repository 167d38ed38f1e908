"""Files of reasons that stand beside a rule file under its name: found by it, and read strictly."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from verifier.errors import LogError, Problem, RequestError
from verifier.log.faults import Fault, RefusedError, log_error, shown
from verifier.log.limits import LIMITS
from verifier.log.streams import decode_utf8
from verifier.log.yamltext import Mapped, parse_yaml
from verifier.resources import root

Taken = TypeVar("Taken")


def beside(rules: Path, ending: str) -> Path | None:
    """The file under the name of a rule file that has another `ending`; None where there is none.

    A shipped file may be named as messages show it, by its place in the package.
    """
    if not rules.is_file() and rules.parts[:1] == ("rulesets",):
        rules = root("rulesets").joinpath(*rules.parts[1:])
    place = rules.with_suffix(ending)
    return place if place.is_file() else None


def read_file(path: Path, expected: str, take: Callable[[str, Any, int], Taken]) -> dict[str, Taken]:
    """What a YAML file says of each name, as `take` has it of the name, what stands there, and the line.

    `expected` is what the file as a whole should be. Raises `RequestError` where it cannot be read, `LogError` where
    it is malformed; `take` raises `RefusedError`.
    """
    name = str(path)
    try:
        with path.open("rb") as file:
            data = file.read(LIMITS.transcript + 1)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise RequestError(
            Problem(f"cannot read the reasons: {why}", name, code="no-reasons", help="check the path")
        ) from None
    if len(data) > LIMITS.transcript:
        raise LogError(Problem(f"the file has over {LIMITS.transcript} bytes", name, code="log-limit"))
    try:
        document = parse_yaml(decode_utf8(name, data, 1, first=True))
        if document is None:
            return {}
        if not isinstance(document, Mapped):
            raise RefusedError(Fault("log-syntax", None, shown(document), expected))
        return {key: take(key, value, document.lines[key]) for key, value in document.items()}
    except RefusedError as refused:
        raise log_error(name, None, refused.faults) from None


def in_words(name: str, found: Any, line: int) -> str:
    """A reason, in one line. Raises `RefusedError` where it is none."""
    if not isinstance(found, str) or not found.strip():
        raise RefusedError(Fault("log-syntax", name, shown(found), "a reason in words", None, None, line))
    return " ".join(found.split())
