"""Why mutants may survive: a YAML file from mutants' ids to reasons, each written by somebody who looked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from verifier.errors import LogError, Problem, RequestError
from verifier.log.faults import Fault, RefusedError, log_error, shown
from verifier.log.limits import LIMITS
from verifier.log.streams import decode_utf8
from verifier.log.yamltext import Mapped, parse_yaml
from verifier.resources import root

ENDING = ".mutants.yaml"


def beside(rules: Path) -> Path | None:
    """The reasons that come with a rule file, under its name; None where there are none.

    A shipped file may be named as messages show it, by its place in the package.
    """
    if not rules.is_file() and rules.parts[:1] == ("rulesets",):
        rules = root("rulesets").joinpath(*rules.parts[1:])
    place = rules.with_suffix(ENDING)
    return place if place.is_file() else None


def read_reasons(path: Path) -> Mapping[str, str]:
    """The reasons in a file. Raises `RequestError` where it is not there, `LogError` where it is malformed."""
    name = str(path)
    try:
        data = path.read_bytes()
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
            raise RefusedError(
                Fault("log-syntax", None, shown(document), "a mapping from mutants to reasons")
            )
        for mutant, reason in document.items():
            if not isinstance(reason, str) or not reason.strip():
                line = document.lines[mutant]
                raise RefusedError(
                    Fault("log-syntax", mutant, shown(reason), "a reason in words", None, None, line)
                )
    except RefusedError as refused:
        raise log_error(name, None, refused.faults) from None
    return {mutant: " ".join(reason.split()) for mutant, reason in document.items()}
