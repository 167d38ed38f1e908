"""What looks after the rules: transcripts and made rounds that exercise them, a proof, mutants."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from verifier.check.engine import Prepared
from verifier.check.result import CheckResult
from verifier.errors import LogError, Problem, RequestError
from verifier.model.ruleset import Ruleset
from verifier.mutate.mutant import VERDICTS
from verifier.transcripts.case import Case, case_of

MAX_BYTES = 256_000_000
"""A longer file of evidence is refused."""


@dataclass(frozen=True, slots=True)
class Exercise:
    """How often transcripts found a rule kept and broken, and how often they read what it decides."""

    kept: int = 0
    broken: int = 0
    read: int = 0

    def __add__(self, other: Exercise) -> Exercise:
        return Exercise(self.kept + other.kept, self.broken + other.broken, self.read + other.read)


@dataclass(frozen=True, slots=True)
class Proved:
    """How many obligations speak of a rule, and how many of them hold, or are accepted as they are."""

    held: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class Killed:
    """How many mutants a rule or a declaration has (those refused left out), and how many are noticed or excused;
    `file` and `line` are where the first of them stands."""

    noticed: int = 0
    total: int = 0
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class MadeRounds:
    """Rounds made for a ruleset, and by rule which of kept and broken is proved to be shown by none."""

    cases: tuple[Case, ...]
    unshowable: Mapping[str, frozenset[str]]


def exercised(ready: Prepared, cases: Iterable[Case]) -> Mapping[str, Exercise]:
    """What transcripts show of each rule. Raises `RequestError` where one differs from what it expects."""
    found: dict[str, Exercise] = {}
    for case in cases:
        result = case.check(ready)
        words = case.differences(result)
        if words:
            raise RequestError(
                Problem(
                    f"the ruleset does not fulfil this transcript: {words[0].strip()}",
                    case.path,
                    code="transcript-differs",
                    help="a transcript that fails is no evidence: mend it, or the rules",
                )
            )
        for rule, exercise in exercise_of(result).items():
            found[rule] = found.get(rule, Exercise()) + exercise
    return found


def exercise_of(result: CheckResult) -> Mapping[str, Exercise]:
    """What one check shows of the rules that it exercises."""
    return {
        rule.rule: Exercise(rule.counts.kept, rule.counts.broken, rule.read or 0)
        for clause in result.clauses
        for rule in clause.rules
        if rule.counts.kept or rule.counts.broken or rule.read
    }


def made(path: Path, ready: Prepared) -> MadeRounds:
    """The rounds that were made for a ruleset (`gazette generate --format json`): lawful, faulty and beside.

    Each is read as the transcript that it is, and what it shows says its check, not the document. Of the document are
    believed, as of that of a proof, the proofs that no round shows something. Raises `RequestError`.
    """
    command = f"gazette generate {ready.ruleset.name} --format json"
    document = _document(path, "gazette-generate", ready.ruleset, command)
    cases: dict[str, Case] = {}
    for key in ("lawful", "faulty", "beside"):
        for entry in _listed(document, key, path):
            name, text = entry.get("name"), entry.get("transcript")
            if not isinstance(name, str) or not isinstance(text, str):
                raise _wrong(
                    path,
                    f"one of its {key} has no name, or no transcript",
                    "evidence-format",
                    "write it anew",
                )
            if name in cases:
                raise _wrong(path, f"it has two rounds called {name}", "evidence-format", "write it anew")
            try:
                cases[name] = case_of(f"{path}: {name}", text, ready)
            except LogError as error:
                first = error.problems[0]
                raise _wrong(
                    path,
                    f"its round {name} cannot be read: {first.message}",
                    "evidence-format",
                    "write it anew",
                ) from None
    return MadeRounds(tuple(cases.values()), _unshowable(document, path, ready.ruleset))


def _unshowable(document: Mapping[str, Any], path: Path, ruleset: Ruleset) -> Mapping[str, frozenset[str]]:
    """What it is proved of, by rule, that no round shows it."""
    found: dict[str, frozenset[str]] = {}
    for entry in _listed(document, "unmet", path):
        rule, wanted, proof = entry.get("rule"), entry.get("wanted"), entry.get("proved")
        known = isinstance(rule, str) and rule in ruleset.rules
        if not known or wanted not in ("kept", "broken") or not isinstance(proof, bool):
            raise _wrong(
                path,
                "one of its unmet is not of a rule to be kept or broken, proved or not",
                "evidence-format",
                "write it anew",
            )
        if proof:
            assert isinstance(rule, str)
            found[rule] = found.get(rule, frozenset()) | {wanted}
    return found


def proved(path: Path, ruleset: Ruleset) -> Mapping[str, Proved]:
    """What a proof (`gazette prove --format json`) says of each rule. Raises `RequestError`."""
    document = _document(path, "gazette-prove", ruleset, f"gazette prove {ruleset.name} --format json")
    obligations = _listed(document, "obligations", path)
    if document.get("only") != []:
        raise _wrong(
            path, "these are some of the obligations, not all", "evidence-part", "run it without --only"
        )
    found: dict[str, Proved] = {}
    for obligation in obligations:
        held = obligation.get("verdict") in ("proved", "accepted")
        for rule in obligation.get("rules", ()):
            before = found.get(rule, Proved())
            found[rule] = Proved(before.held + held, before.total + 1)
    return found


def killed(path: Path, ruleset: Ruleset) -> Mapping[str, Killed]:
    """What the mutants (`gazette mutate --format json`) say of each rule, and of each declaration beside the rules
    (`define points`). Raises `RequestError`."""
    document = _document(path, "gazette-mutate", ruleset, f"gazette mutate {ruleset.name} --format json")
    mutants = _listed(document, "mutants", path)
    if len(mutants) != document.get("mutants_total"):
        raise _wrong(path, "these are some of the mutants, not all", "evidence-part", "run it without --only")
    found: dict[str, Killed] = {}
    for mutant in mutants:
        verdict = mutant.get("verdict")
        if verdict not in VERDICTS:
            raise _wrong(
                path, "one of its mutants has no verdict that there is", "evidence-format", "write it anew"
            )
        if verdict == "refused":
            continue
        noticed = verdict != "survived" or mutant.get("reason") is not None
        of, file, line = mutant.get("rule"), mutant.get("file"), mutant.get("line")
        if not (isinstance(of, str) and isinstance(file, str) and type(line) is int):
            raise _wrong(
                path, "one of its mutants is of no rule, or in no file", "evidence-format", "write it anew"
            )
        before = found.get(of, Killed(file=file, line=line))
        found[of] = replace(before, noticed=before.noticed + noticed, total=before.total + 1)
    return found


def _document(path: Path, key: str, ruleset: Ruleset, command: str) -> dict[str, Any]:
    """The JSON document, made for this text of the ruleset."""
    help = f"write one: {command} --output FILE"
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise _wrong(
            path, f"cannot read it: {(error.strerror or str(error)).lower()}", "no-evidence", help
        ) from None
    try:
        document = json.loads(data) if len(data) <= MAX_BYTES else None
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or document.get(key) != 1:
        raise _wrong(path, f"this is no {key} document", "evidence-format", help)
    about = document.get("ruleset")
    if (
        not isinstance(about, dict)
        or about.get("name") != ruleset.name
        or about.get("digest") != ruleset.digest
    ):
        raise _wrong(path, f"this is not about {ruleset.name} as it stands", "evidence-stale", help)
    return document


def _listed(document: Mapping[str, Any], key: str, path: Path) -> list[dict[str, Any]]:
    entries = document.get(key)
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise _wrong(path, f"its {key} are no list", "evidence-format", "write it anew")
    return entries


def _wrong(path: Path, message: str, code: str, help: str) -> RequestError:
    return RequestError(Problem(message, str(path), code=code, help=help))
