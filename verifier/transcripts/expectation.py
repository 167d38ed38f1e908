"""What a transcript expects of a check: its faults, each with the rules and the money, and the rules that it keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from verifier.log.faults import Fault as Misfit
from verifier.log.faults import Inexact, RefusedError, nearest, shown
from verifier.log.yamltext import Listed, Mapped, entries
from verifier.run.verdict import Verdict

VERDICTS: tuple[str, ...] = tuple(v for v in get_args(Verdict) if v not in ("kept", "not checkable"))
"""The verdicts of entries: what is kept, or could not be checked, makes none."""

_FAULT_KEYS = ("seq", "verdict", "clauses", "short", "also", "answers")

Cited = tuple[tuple[str, frozenset[str]], ...]
"""Verdicts, the leading one first and the rest in alphabetical order, each with the rules cited."""

Answers = tuple[tuple[str, frozenset[str]], ...]
"""Who answers for it beside whoever did it, in alphabetical order, each with the rules that say so."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One entry of a check: where (None for the options as a whole), what is said under which rules, and the money
    as (who, minor units) pairs. `answers` says who answers for it, None where it is not told."""

    seq: int | None
    cited: Cited
    short: tuple[tuple[str, str], ...] = ()
    answers: Answers | None = field(default=None, compare=False)

    def words(self) -> str:
        """The fault as a line of text."""
        place = "the options" if self.seq is None else f"seq {self.seq}"
        said = "; ".join(
            f"{verdict} {', '.join(sorted(rules)) or 'under no rule'}" for verdict, rules in self.cited
        )
        money = "".join(f"; {who} is short {amount}" for who, amount in self.short)
        return f"{place}: {said}{money}"


@dataclass(frozen=True, slots=True)
class Expectation:
    """Every fault that the check must find, in its order, and rules that must be exercised and only kept."""

    faults: tuple[Fault, ...]
    kept: tuple[str, ...]

    @property
    def broken(self) -> frozenset[str]:
        """The rules expected to be found broken."""
        return frozenset(
            rule
            for fault in self.faults
            for verdict, rules in fault.cited
            if verdict == "broken"
            for rule in rules
        )

    @property
    def cited(self) -> frozenset[str]:
        """Every rule that is named at all."""
        named = (rules for fault in self.faults for _, rules in fault.cited)
        return frozenset(self.kept).union(*named)


def read_expectation(expect: Any, rules: Mapping[str, object], line: int = 1) -> Expectation:
    """What `expect` (as the YAML reader gives it) says of a ruleset with these `rules`.

    `line` is where it stands. Raises `RefusedError`, its fault with a line.
    """
    document = _mapping(expect, "expect", ("faults", "kept"), ("faults",), line)
    known = _Rules(rules)
    faults = tuple(
        _fault(entry, at, known)
        for at, entry in _listed(document["faults"], "faults", document.lines["faults"])
    )
    at = document.lines.get("kept", line)
    kept = known.read(document["kept"], "kept", at) if "kept" in document else []
    if not faults and not kept:
        raise _refused("kept", None, "the rules that a lawful transcript keeps, one at least", at)
    return Expectation(faults, tuple(kept))


def _fault(entry: object, line: int, rules: _Rules) -> Fault:
    found = _mapping(entry, "faults", _FAULT_KEYS, ("seq", "verdict", "clauses"), line)
    seq = found["seq"]
    if seq is not None and type(seq) is not int:
        raise _refused("seq", seq, "a whole number, or null for the options", found.lines["seq"])
    also = [
        _cited(_mapping(other, "also", ("verdict", "clauses"), ("verdict", "clauses"), at), rules)
        for at, other in _listed(found.get("also", _none()), "also", found.lines.get("also", line))
    ]
    cited = (_cited(found, rules), *sorted(also, key=_by_verdict))
    return Fault(seq, cited, _short(found, line), _answers(found, rules, line))


def _answers(found: Mapped, rules: _Rules, line: int) -> Answers | None:
    if "answers" not in found:
        return None
    at = found.lines["answers"]
    who = _mapping(found["answers"], "answers", None, (), at)
    return tuple(sorted((role, frozenset(rules.read(who[role], role, who.lines[role]))) for role in who))


def _short(found: Mapped, line: int) -> tuple[tuple[str, str], ...]:
    if "short" not in found:
        return ()
    at = found.lines["short"]
    short = _mapping(found["short"], "short", None, (), at)
    for who, amount in short.items():
        fraction = isinstance(amount, str) and _is_fraction(amount)
        if type(amount) is not int and not fraction:
            raise _refused(who, amount, "minor units: a whole number, or a fraction such as 1/2", at)
    return tuple(sorted((who, str(amount)) for who, amount in short.items()))


def _is_fraction(text: str) -> bool:
    above, stroke, below = text.partition("/")
    return bool(stroke) and above.removeprefix("-").isdecimal() and below.isdecimal() and below[0] != "0"


def _cited(found: Mapped, rules: _Rules) -> tuple[str, frozenset[str]]:
    verdict = found["verdict"]
    if verdict not in VERDICTS:
        raise _refused("verdict", verdict, f"one of {', '.join(VERDICTS)}", found.lines["verdict"])
    return verdict, frozenset(rules.read(found["clauses"], "clauses", found.lines["clauses"]))


def _by_verdict(cited: tuple[str, frozenset[str]]) -> tuple[str, list[str]]:
    return cited[0], sorted(cited[1])


@dataclass(frozen=True, slots=True)
class _Rules:
    """Reads lists of rules; a name must be a rule's, to the letter."""

    known: Mapping[str, object]

    def read(self, value: object, key: str, line: int) -> list[str]:
        found: list[str] = []
        for at, entry in _listed(value, key, line):
            # 9.1 is a rule's name and looks like a number.
            name = entry.text if isinstance(entry, Inexact) else entry
            if not isinstance(name, str) or name not in self.known:
                help = nearest(name, self.known) if isinstance(name, str) else None
                raise _refused(key, entry, "a rule of the ruleset, its label in brackets", at, help)
            if name in found:
                raise _refused(key, entry, "each rule once", at)
            found.append(name)
        return found


def _mapping(
    value: object, field: str, keys: tuple[str, ...] | None, needed: tuple[str, ...], line: int
) -> Mapped:
    """The mapping at `field`, with none but these keys (None: any) and all that are needed."""
    if not isinstance(value, Mapped):
        wanted = "a mapping" if keys is None else f"a mapping with {', '.join(keys)}"
        raise _refused(field, value, wanted, line)
    for key in value:
        if keys is not None and key not in keys:
            raise _refused(key, value[key], f"{', '.join(keys)} in {field}", value.lines[key])
    for key in needed:
        if key not in value:
            raise _refused(field, value, f"{key} in it", value.line)
    return value


def _listed(value: object, field: str, line: int) -> list[tuple[int, Any]]:
    if not isinstance(value, Listed):
        raise _refused(field, value, "a list", line)
    return list(entries(value))


def _none() -> Listed:
    empty = Listed()
    empty.lines = []
    return empty


def _refused(field: str, value: object, wanted: str, line: int, help: str | None = None) -> RefusedError:
    return RefusedError(Misfit("log-expect", field, shown(value), wanted, help, None, line))
