"""The header of a .law file: strict YAML in which every value is text, a list or a mapping of these."""

from __future__ import annotations

import contextlib
import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NoReturn

import yaml

from verifier.errors import LawError, Problem
from verifier.law.outline import LAW_ID, DatedFact, Header, InForce, Provenance

UNKNOWN = "unknown"
NOT_HERE = "not here"
MAX_DEPTH = 4
"""Lists and mappings within each other that a header may have; four are needed."""


@dataclass(frozen=True, slots=True)
class _Source:
    file: str
    lines: tuple[str, ...]
    first_line: int


def read_header(text: str, file: str, first_line: int) -> Header:
    """The header whose YAML is `text`, which begins on line `first_line` of `file`.

    Raises `LawError` with the place for bad YAML, anchors and aliases, a key that is missing, unknown or
    there twice, and a value of the wrong shape. No value is converted but dates and line numbers.
    """
    source = _Source(file, tuple(text.splitlines()), first_line)
    root = _compose(text, source)
    fields = _mapping(
        root,
        source,
        "the header",
        required=("title", "instrument", "issue", "dates", "in force", "provenance", "missing"),
        optional=("kept", "elsewhere", "extent"),
    )
    return Header(
        title=_text(fields["title"], source),
        instrument=_text(fields["instrument"], source),
        issue=_text(fields["issue"], source),
        dates=tuple(_dated_fact(node, source) for node in _items(fields["dates"], source)),
        in_force=_in_force(fields["in force"], source),
        provenance=_provenance(fields["provenance"], source),
        missing=tuple(_text(node, source) for node in _items(fields["missing"], source)),
        kept=tuple(_text(node, source) for node in _items(fields.get("kept"), source)),
        elsewhere=_elsewhere(fields.get("elsewhere"), source),
        extent=_extent(fields.get("extent"), source),
    )


def _compose(text: str, source: _Source) -> yaml.Node:
    try:
        depth = 0
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
                _refuse(
                    event, source, "a header has no anchors (&) and no aliases (*)", "write the value out"
                )
            if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
                depth += 1
            elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                depth -= 1
            if depth > MAX_DEPTH:
                _refuse(event, source, f"nested deeper than {MAX_DEPTH} levels", "flatten the header")
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise LawError(
            _problem(
                source,
                0 if mark is None else mark.line,
                None if mark is None else mark.column,
                f"the header is not YAML: {error.problem or error.context}",
                "a text with a colon and a space in it goes between quotation marks",
            )
        ) from error
    except yaml.YAMLError as error:
        raise LawError(_problem(source, 0, None, "the header is not YAML", str(error))) from error
    if root is None:
        raise LawError(
            _problem(source, 0, None, "the header is empty", "see spec/law/README.md for its fields")
        )
    return root


def _mapping(
    node: yaml.Node, source: _Source, what: str, required: Sequence[str], optional: Sequence[str] = ()
) -> dict[str, yaml.Node]:
    advice = f"its fields: {', '.join([*required, *optional])}"
    if not isinstance(node, yaml.MappingNode):
        _refuse(node, source, f"expected fields for {what}", advice)
    fields: dict[str, yaml.Node] = {}
    for key_node, value in node.value:
        key = _text(key_node, source)
        if key in fields:
            _refuse(key_node, source, f"{what} has {key} twice", "keep one of the two")
        if key not in required and key not in optional:
            _refuse(key_node, source, f"{what} has no field {key}", advice)
        fields[key] = value
    for key in required:
        if key not in fields:
            _refuse(node, source, f"{what} lacks the field {key}", f"add `{key}:`")
    return fields


def _items(node: yaml.Node | None, source: _Source) -> list[yaml.Node]:
    if node is None:
        return []
    if not isinstance(node, yaml.SequenceNode):
        _refuse(node, source, "expected a list", "begin each item on a line of its own with `- `")
    return list(node.value)


def _text(node: yaml.Node, source: _Source) -> str:
    if not isinstance(node, yaml.ScalarNode) or not str(node.value).strip():
        _refuse(node, source, "expected words", "write the value after the colon")
    return str(node.value)


def _date(node: yaml.Node, source: _Source) -> datetime.date | None:
    text = _text(node, source)
    if text == UNKNOWN:
        return None
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        with contextlib.suppress(ValueError):
            return datetime.date.fromisoformat(text)
    return _refuse(node, source, f"{text} is not a date", f"write it as 1998-02-01, or `{UNKNOWN}`")


def _dated_fact(node: yaml.Node, source: _Source) -> DatedFact:
    fields = _mapping(node, source, "a date", ("what", "date", "source"), ("words",))
    return DatedFact(
        what=_text(fields["what"], source),
        date=_date(fields["date"], source),
        source=_text(fields["source"], source),
        words=_text(fields["words"], source) if "words" in fields else None,
    )


def _in_force(node: yaml.Node, source: _Source) -> InForce:
    fields = _mapping(node, source, "in force", ("from", "until", "source"), ("words",))
    start, end = _date(fields["from"], source), _date(fields["until"], source)
    if start is not None and end is not None and end < start:
        _refuse(fields["until"], source, "the law ends before it begins", "check both dates")
    words = _text(fields["words"], source) if "words" in fields else None
    return InForce(start=start, end=end, source=_text(fields["source"], source), words=words)


def _provenance(node: yaml.Node, source: _Source) -> Provenance:
    fields = _mapping(node, source, "provenance", ("received", "sha256", "lines"))
    sha256 = _text(fields["sha256"], source)
    if not re.fullmatch(r"[0-9a-f]{64}", sha256):
        _refuse(fields["sha256"], source, "not a SHA-256 digest", "64 digits, 0 to 9 and a to f")
    lines = re.fullmatch(r"([1-9][0-9]{0,6})-([1-9][0-9]{0,6})", _text(fields["lines"], source))
    if lines is None or int(lines[1]) > int(lines[2]):
        _refuse(fields["lines"], source, "not a range of lines", "first and last line, as in 1-340")
    received = _text(fields["received"], source)
    return Provenance(received=received, sha256=sha256, first_line=int(lines[1]), last_line=int(lines[2]))


def _elsewhere(node: yaml.Node | None, source: _Source) -> tuple[tuple[str, str | None], ...]:
    if node is None:
        return ()
    if not isinstance(node, yaml.MappingNode):
        _refuse(node, source, "expected names of other texts", f"as in `division 1: {NOT_HERE}`")
    named: dict[str, str | None] = {}
    for key_node, value in node.value:
        name, law_id = _text(key_node, source), _text(value, source)
        if name in named:
            _refuse(key_node, source, f"{name} is there twice", "keep one of the two")
        if law_id != NOT_HERE and not LAW_ID.fullmatch(law_id):
            _refuse(value, source, f"{law_id} is no law id", f"an id as in nz/rules-1998, or `{NOT_HERE}`")
        named[name] = None if law_id == NOT_HERE else law_id
    return tuple(named.items())


def _extent(node: yaml.Node | None, source: _Source) -> Literal["whole", "fragment"]:
    if node is None:
        return "whole"
    match _text(node, source):
        case "whole":
            return "whole"
        case "fragment":
            return "fragment"
        case other:
            return _refuse(node, source, f"{other} is no extent", "write `whole` or `fragment`")


def _refuse(at: yaml.Node | yaml.Event, source: _Source, message: str, advice: str) -> NoReturn:
    mark = at.start_mark
    line, column = (0, None) if mark is None else (mark.line, mark.column)
    raise LawError(_problem(source, line, column, message, advice))


def _problem(source: _Source, line: int, column: int | None, message: str, advice: str) -> Problem:
    line = min(line, max(len(source.lines) - 1, 0))
    return Problem(
        message,
        file=source.file,
        line=source.first_line + line,
        column=None if column is None else column + 1,
        excerpt=source.lines[line] if source.lines else "",
        help=advice,
        code="bad-law-header",
    )
