"""Under which terms logs are judged, and what a result says of them: ruleset, options, what is recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from verifier.check.options import option_results
from verifier.check.result import Arranged, FileResult, OptionResult, RecordingResult, RulesetResult
from verifier.core.program import Program
from verifier.log.sources import LogFile
from verifier.model import terms as m
from verifier.model.ruleset import Ruleset
from verifier.model.terms import Term
from verifier.run.recording import Recording

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Terms:
    """Under which terms a table's rows are judged: options and what is recorded."""

    logged: Mapping[str, object]
    options: dict[str, object]
    recording: Recording
    missing: frozenset[str]


Files = Sequence[tuple[str, Terms]]
"""The names of files, each with its terms."""


def options_of(program: Program, files: Files, settings: Mapping[str, object]) -> tuple[OptionResult, ...]:
    """The options in force, by file where they differ."""
    groups: list[tuple[Terms, list[str]]] = []
    for name, terms in files:
        for known, names in groups:
            if known.logged == terms.logged:
                names.append(name)
                break
        else:
            groups.append((terms, [name]))
    if len(groups) == 1:
        return option_results(program, groups[0][0].logged, settings)
    return tuple(
        option
        for terms, names in groups
        for option in option_results(program, terms.logged, settings, tuple(names))
    )


def recording_of(ruleset: Ruleset, files: Files) -> tuple[RecordingResult, ...]:
    """What the logs do not record, by file where they differ."""
    order = list(ruleset.events)
    found: dict[tuple[Names, Names, Names, Names], list[str]] = {}
    for name, terms in files:
        key = (
            tuple(event for event in order if event in terms.recording.absent),
            tuple(event for event in order if event in terms.recording.unordered),
            tuple(sorted(terms.missing)),
            tuple(life for life in ruleset.lives if life in terms.recording.begun),
        )
        found.setdefault(key, []).append(name)
    several = len(found) > 1
    return tuple(
        RecordingResult(absent, unordered, missing, begun, tuple(names) if several else ())
        for (absent, unordered, missing, begun), names in found.items()
        if absent or unordered or missing or begun
    )


def supplied(ruleset: Ruleset) -> list[str]:
    """A note on each definition that the law does not give."""
    functions = ruleset.functions.values()
    return [
        f"{f.name} is supplied, and not the law's: {f.supplied}" for f in functions if f.supplied is not None
    ]


def options_read(term: Term, program: Program) -> frozenset[str]:
    """The options that a term reads, directly or through defines."""
    found: set[str] = set()
    seen: set[str] = set()
    rest: list[Term] = [term]
    while rest:
        here = rest.pop()
        match here:
            case m.OptionGet(name=name):
                found.add(name)
            case m.CallF(function=name) if name not in seen:
                seen.add(name)
                rest.append(program.functions[name].body)
            case _:
                pass
        rest.extend(m.children(here))
    return frozenset(found)


def ruleset_result(ruleset: Ruleset) -> RulesetResult:
    """Which ruleset it is, and of which law."""
    law = ruleset.law
    if law is None:
        return RulesetResult(ruleset.name, ruleset.digest, in_force=ruleset.in_force)
    return RulesetResult(ruleset.name, ruleset.digest, law.id, law.title, law.digest, ruleset.in_force)


def file_result(log: LogFile) -> FileResult:
    """What is said of a log whose rows have been read."""
    arrange, header = log.arrange, log.header
    return FileResult(
        log.name,
        log.digest,
        log.sealed is not None,
        log.events - log.corrections,
        header.operator,
        dict(header.extras),
        log.corrections,
        Arranged(
            arrange.sort,
            tuple((ours, theirs) for theirs, ours in arrange.names.items()),
            tuple(sorted(arrange.ignored)),
        ),
    )


def with_part(file: FileResult, rows: int, corrections: int) -> FileResult:
    """A log of which some more rows were read, corrections among them."""
    events = file.events + rows - corrections
    return replace(file, events=events, corrections=file.corrections + corrections)
