"""Events as transcripts write them, and whole transcripts with what a check finds in them."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from io import BytesIO

from verifier.check.engine import Prepared, check_logs
from verifier.check.fields import fields_of, logged
from verifier.check.result import CheckResult
from verifier.log.sources import open_stream
from verifier.run.bench import Happening
from verifier.transcripts.compare import fault_of
from verifier.transcripts.expectation import Fault

WIDTH = 100
"""A line of a transcript is broken before it is longer, but for events, which stand on one line each."""

_PLAIN = re.compile(r"[A-Za-z0-9_(][A-Za-z0-9_.()/\- ]*(?<! )")
_NUMBERLIKE = re.compile(r"[-+.0-9_eExXoO:]+")
_BARE = re.compile(r"[^\s\"=]+")
_WORDS = ("true", "false", "null", "yes", "no", "on", "off", "y", "n", "~")


@dataclass(frozen=True, slots=True)
class Draft:
    """A transcript in the making: what happened, and what it is about. `about` is one paragraph."""

    options: Mapping[str, object]
    happenings: tuple[Happening, ...]
    about: str


def event_line(ready: Prepared, happening: Happening) -> str:
    """An event in a transcript's short form: actor, event, name=value."""
    actor, name, *fields = fields_of(happening, ready.ruleset, ready.binding).items()
    shown = " ".join(f"{column}={_short(value)}" for column, value in fields)
    return f"{actor[1]} {name[1]} {shown}".rstrip()


def _short(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    return text if isinstance(value, int) or _BARE.fullmatch(text) else json.dumps(text, ensure_ascii=False)


# ----------------------------------------------------------------------------------------------- transcripts
def transcript(ready: Prepared, draft: Draft, expect: Sequence[str] = ()) -> str:
    """The text of a transcript; `expect` are the lines under that key."""
    lines = [f"ruleset: {scalar(ready.ruleset.name)}", "about: >-"]
    lines += [f"  {line}" for line in textwrap.wrap(draft.about, WIDTH - 2, break_on_hyphens=False)]
    lines += _events(ready, draft.happenings)
    lines += ["expect:", *expect] if expect else []
    options = {
        name: logged(ready.ruleset.options[name].type, value)
        for name, value in draft.options.items()
        if value is not None
    }
    if options:
        lines += _wrapped("options: {", [f"{name}: {scalar(value)}" for name, value in options.items()], "}")
    return "\n".join(lines) + "\n"


def _events(ready: Prepared, happenings: Sequence[Happening]) -> list[str]:
    """`events`, or `rounds` where a round of play ends before the last event."""
    schema = ready.binding.schema
    lives = list(ready.ruleset.lives.values())
    inner = lives[-1] if lives else None
    lives = lives[1:] if len(lives) > 1 else lives
    keys = {life.name: 1 for life in lives}
    told: dict[str, int] = dict(keys)
    rounds: list[list[str]] = [[]]
    for happening in happenings:
        carried = schema.carries(happening.event)
        changed = {
            name: key
            for name, key in keys.items()
            if told[name] != key and name in carried and (inner is None or name != inner.name)
        }
        if changed:
            rounds[-1].append("lives: {" + ", ".join(f"{n}: {k}" for n, k in changed.items()) + "}")
            told.update(changed)
        line = event_line(ready, happening)
        rounds[-1].append(line if _is_plain_line(line) else json.dumps(line, ensure_ascii=False))
        for life in lives:
            if happening.event in life.ends:
                keys[life.name] += 1
                if inner is not None and life.name == inner.name:
                    rounds.append([])
    if not rounds[-1]:
        rounds.pop()
    if len(rounds) < 2:
        return ["events:", *(f"- {line}" for one in rounds for line in one)]
    found = ["rounds:"]
    for one in rounds:
        found += [("- - " if index == 0 else "  - ") + line for index, line in enumerate(one)]
    return found


def _is_plain_line(line: str) -> bool:
    """Whether YAML reads the line as this very text where it stands in a list."""
    return not re.search(r": |:$| #|\"|^[-?&*!|>'%@`{}\[\],#]", line)


def scalar(value: object) -> str:
    """A value as YAML, in quotes where it would be read as something else."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    text = str(value)
    plain = _PLAIN.fullmatch(text) and not _NUMBERLIKE.fullmatch(text) and text.lower() not in _WORDS
    return text if plain else json.dumps(text, ensure_ascii=False)


def _name(rule: str) -> str:
    """A rule's name within a list, where 9.1 is read as the name that it is."""
    return rule if re.fullmatch(r"[0-9]+\.[0-9]+", rule) else scalar(rule)


def _wrapped(head: str, items: Sequence[str], tail: str, indent: str = "  ") -> list[str]:
    """A flow list or mapping over as many lines as it needs."""
    lines, line = [], head
    for index, item in enumerate(items):
        piece = item + (tail if index == len(items) - 1 else ",")
        if len(line) + len(piece) > WIDTH and line not in (head, indent):
            lines.append(line.rstrip())
            line = indent
        line += piece + " "
    return [*lines, (line if items else head + tail).rstrip()]


# ---------------------------------------------------------------------------------------------- expectations
def expected(result: CheckResult, kept: Iterable[str]) -> list[str]:
    """What stands under `expect`: the faults that a check has found, and rules to be kept."""
    faults = [fault_of(entry) for entry in result.entries]
    lines = ["  faults:", *(f"  - {_fault(fault)}" for fault in faults)] if faults else ["  faults: []"]
    names = [_name(rule) for rule in kept]
    if names or not faults:
        lines += _wrapped("  kept: [", names, "]", "    ")
    return lines


def _fault(fault: Fault) -> str:
    (lead, rules), *others = fault.cited
    seq = "null" if fault.seq is None else str(fault.seq)
    text = f"{{seq: {seq}, verdict: {scalar(lead)}, clauses: {_rules(rules)}"
    if others:
        also = ", ".join(f"{{verdict: {scalar(v)}, clauses: {_rules(r)}}}" for v, r in others)
        text += f", also: [{also}]"
    if fault.short:
        money = ", ".join(f"{scalar(who)}: {_amount(amount)}" for who, amount in fault.short)
        text += f", short: {{{money}}}"
    return text + "}"


def _amount(amount: str) -> str:
    return json.dumps(amount) if "/" in amount else amount


def _rules(rules: Iterable[str]) -> str:
    return "[" + ", ".join(_name(rule) for rule in sorted(rules)) + "]"


def checked(ready: Prepared, text: str) -> CheckResult:
    """What a check finds in the log that a transcript holds. Raises `LogError`."""
    log = open_stream("a draft", BytesIO(text.encode()), ready.binding.schema, "yaml")
    with ExitStack() as closing:
        closing.callback(log.close)
        return check_logs([log], ready)
