"""What a command writes is kept apart from what it reads, and its outputs from one another: a log is evidence."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path

import click

from verifier.errors import Problem, RequestError

WRITES = ("output", "report", "key", "verdicts")
"""The parameters that name what is written."""

RULESETS = ("ruleset", "rulesets", "old", "new")
LOGS = ("logs", "plays", "transcript")
TRANSCRIPTS = "transcripts"
QUERY = "query"
"""The parameters that stand for files without being the name of one; those that are have the type `click.Path`."""

BESIDE_RULES = (".found.jsonl", ".rounds.jsonl", ".mutants.yaml", ".unshown.yaml")
"""Endings of what is read beside a rule file, under its name."""

TEXTS = (".rules", ".law")
"""Endings of rules and laws. Which ones a ruleset reads shows only once it is loaded; no output is one."""

WORD = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\$(\w*)\$.*?\$\1\$|[^\s'\"(),;\[\]]+", re.DOTALL)
"""A text or a name in SQL: DuckDB takes either for a file."""

Identity = tuple[int, int]
"""A device, and a file on it: hard links share it."""


@dataclass(frozen=True, slots=True)
class _Output:
    """A place to write to: as given, without links, and which file or folder is there now, if any.

    `special` is a device or a pipe.
    """

    given: Path
    real: str
    identity: Identity | None
    folder: bool
    special: bool

    @classmethod
    def at(cls, path: Path) -> _Output:
        """What is at `path`."""
        real = os.path.realpath(path)
        try:
            found = os.stat(real)
        except OSError:
            return cls(path, real, None, False, False)
        folder = stat.S_ISDIR(found.st_mode)
        special = not folder and not stat.S_ISREG(found.st_mode)
        return cls(path, real, None if special else (found.st_dev, found.st_ino), folder, special)

    def same(self, other: _Output) -> bool:
        """Whether one would be written over the other. Devices and pipes are not replaced, but written to."""
        if self.special:
            return False
        return self.real == other.real or (self.identity is not None and self.identity == other.identity)

    def holds(self, name: str, identity: Identity | None) -> bool:
        """Whether the file of that name is what would be replaced, or lies in it."""
        if self.identity is not None and identity == self.identity:
            return True
        return self.folder and os.path.realpath(name).startswith(self.real + os.sep)


def keep_apart(ctx: click.Context, implied: Sequence[Path] = ()) -> None:
    """Refuse to write over what the command is given to read, or two outputs to one file. Raises `RequestError`.

    `implied` are places to write to that no parameter names.
    """
    named = [
        Path(ctx.params[name]) for name in WRITES if ctx.params.get(name) not in (None, "", "-", Path("-"))
    ]
    outputs = [_Output.at(path) for path in (*named, *implied)]
    for index, one in enumerate(outputs):
        for other in outputs[:index]:
            if one.same(other):
                raise RequestError(
                    Problem(
                        "two outputs would be written to one file",
                        str(one.given),
                        code="output-twice",
                        help="name a file for each"
                        if str(one.given) == str(other.given)
                        else f"it is {other.given}, too: name a file for each",
                    )
                )
    there = [one for one in outputs if one.identity is not None]
    if not there:  # what is not there is not read
        return
    for name in _inputs(ctx):
        identity = _identity(name)
        for one in there:
            if one.holds(name, identity):
                shown = "standard input" if name == "-" else name
                raise _refused(one, f"{shown}, which is read")
    for one in there:
        if one.real.endswith(TEXTS):
            raise _refused(one, f"{one.given}, which is a text of rules or law")


def _refused(output: _Output, over: str) -> RequestError:
    return RequestError(
        Problem(
            f"the output would be written over {over}",
            str(output.given),
            code="output-over-input",
            help="write it to another file",
        )
    )


def _identity(name: str) -> Identity | None:
    try:
        found = os.fstat(sys.stdin.fileno()) if name == "-" else os.stat(name)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def _inputs(ctx: click.Context) -> Iterator[str]:
    """The files that the parameters stand for, as far as that can be told before they are read."""
    from verifier.log.sources import files_read

    for parameter in ctx.command.params:
        name = parameter.name or ""
        value = ctx.params.get(name)
        values = [os.fspath(one) for one in (value if isinstance(value, tuple) else (value,)) if _names(one)]
        if name in WRITES:
            continue
        if name in RULESETS:
            for one in values:
                yield from _of_ruleset(one)
        elif name in LOGS:
            for one in values:
                yield from files_read(one)
        elif name == TRANSCRIPTS:
            for one in values:
                yield from _transcripts(one)
        elif name == QUERY:
            for one in values:
                yield from named_in(one)
        elif isinstance(parameter.type, click.Path):
            yield from values


def _names(value: object) -> bool:
    return isinstance(value, str | Path) and value != ""


def _of_ruleset(name: str) -> Iterator[str]:
    from verifier.resources import root

    own = name.endswith(TEXTS[0])
    rules = Path(name) if own else root("rulesets") / f"{name}{TEXTS[0]}"
    yield str(rules)
    yield from (str(rules.with_suffix(ending)) for ending in BESIDE_RULES)
    if not own:
        yield str(root("rulesets") / "habits" / f"{name}.yaml")


def _transcripts(place: str) -> Iterator[str]:
    from verifier.transcripts.case import ENDING

    if os.path.isdir(place):
        yield from map(str, Path(place).rglob("*" + ENDING))
    else:
        yield place


def named_in(sql: str) -> Iterator[str]:
    """The files that texts and names in a query may stand for: patterns are followed, what is put together is not."""
    for match in WORD.finditer(sql):
        word = match[0]
        quoted = True
        if word[0] in "'\"":
            word = word[1:-1].replace(word[0] * 2, word[0])
        elif match[1] is not None:
            word = word[len(match[1]) + 2 : -len(match[1]) - 2]
        else:
            quoted = False
        word = word.removeprefix("file://")
        if os.path.lexists(word):
            yield word
        elif quoted and has_magic(word):  # a * without quotes is every column
            yield from glob(word, recursive=True)
