"""YAML as people write it by hand, read without YAML's surprises.

Only mappings with text keys, lists and plain scalars; `null`, `true`, `false` and canonical whole numbers
are what they look like; a number in any other form becomes `Inexact`; everything else is text (`yes`, `on`,
`1:30` and dates too). No tags, no merge keys, no equal keys; aliases, nesting and size are bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from verifier.log.faults import Fault, Inexact, RefusedError, cut
from verifier.log.limits import LIMITS, Limits

_BAD_NUMBER = re.compile(
    r"[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?0[xob][0-9a-fA-F_]+|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_APART = re.compile(r"[\t?!%&*\ufeff]|[|>][-+0-9]*#")
"""What libyaml reads otherwise than PyYAML does: a text that has it is left to the latter."""
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,19}")
_TAG = "tag:yaml.org,2002:"


class Mapped(dict[str, Any]):
    """A YAML mapping with the line of each key and of itself (from 1)."""

    line: int
    lines: dict[str, int]


class Listed(list[Any]):
    """A YAML list with the line of each entry and of itself (from 1)."""

    line: int
    lines: list[int]


def parse_yaml(text: str, limits: Limits = LIMITS) -> Any:
    """The document in `text`: `Mapped`, `Listed`, str, int, bool, None or `Inexact`.

    Raises `RefusedError`, each fault with its line.
    """
    if _APART.search(text) is None and (loader := _loader(fast=True)) is not None:
        import yaml

        try:
            node = loader(text, limits).get_single_node()
        except yaml.YAMLError:
            node = _read(text, limits)  # for its words
    else:
        node = _read(text, limits)
    if node is None:
        return None
    return _Builder(limits).build(node)


def _read(text: str, limits: Limits) -> Any:
    """The node of the document in `text`, None of an empty one. Raises `RefusedError`."""
    import yaml

    loader: Any = None
    try:
        loader = _loader(fast=False)(text, limits)
        return loader.get_single_node()
    except yaml.reader.ReaderError as error:
        line, at = _place(text, error.position)
        found = f"the character U+{ord(text[error.position]):04X}"
        raise RefusedError(Fault("log-syntax", None, found, "printable characters", None, at, line)) from None
    except yaml.MarkedYAMLError as error:
        raise RefusedError(_syntax(error)) from None
    finally:
        if loader is not None:
            loader.dispose()


@lru_cache(maxsize=2)
def _loader(fast: bool) -> Any:
    """What composes the nodes of a text, within limits: on libyaml, or None where there is no such library; or all
    in Python, which is slow, and says better what is wrong."""
    import yaml

    if fast and not yaml.__with_libyaml__:
        return None
    parsers: tuple[Any, ...] = (yaml.composer.Composer, yaml.CSafeLoader) if fast else (yaml.SafeLoader,)

    class Bounded(*parsers):  # type: ignore[misc]
        def __init__(self, text: str, limits: Limits) -> None:
            parsers[-1].__init__(self, text)
            yaml.composer.Composer.__init__(self)
            self.limits = limits
            self.depth = self.aliases = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                self.aliases += 1
                if self.aliases > self.limits.yaml_aliases:
                    found = f"more than {self.limits.yaml_aliases} aliases"
                    raise _refused(self.peek_event(), found, "fewer")
            self.depth += 1
            if self.depth > self.limits.yaml_depth:
                found = f"nesting over {self.limits.yaml_depth} deep"
                raise _refused(self.peek_event(), found, "a flatter document")
            node = super().compose_node(parent, index)
            self.depth -= 1
            return node

    return Bounded


@lru_cache(maxsize=1)
def parse_document(text: str, limits: Limits = LIMITS) -> Any:
    """As `parse_yaml`, of a text that is read twice, once for whose it is. What it gives is not to be written to."""
    return parse_yaml(text, limits)


class _Builder:
    """Turns composed nodes into values; counts them with aliases expanded."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.nodes = 0
        self.open: set[int] = set()

    def build(self, node: Any) -> Any:
        self.nodes += 1
        if self.nodes > self.limits.yaml_nodes:
            found = f"over {self.limits.yaml_nodes} values once aliases are expanded"
            raise _refused(node, found, "a smaller document", "log-limit")
        kind = type(node).__name__
        if kind == "ScalarNode":
            return _scalar(node)
        if id(node) in self.open:
            raise _refused(node, "an alias to what contains it", "a document without loops")
        self.open.add(id(node))
        built = self.mapping(node) if kind == "MappingNode" else self.sequence(node)
        self.open.discard(id(node))
        return built

    def mapping(self, node: Any) -> Mapped:
        _demand_tag(node, "map")
        mapped = Mapped()
        mapped.line = _line(node)
        mapped.lines = {}
        for key_node, value_node in node.value:
            key = self.build(key_node)
            if not isinstance(key, str):
                raise _refused(key_node, "a key that is not text", "text, in quotes if need be")
            if key_node.tag == _TAG + "merge":
                raise _refused(key_node, "a merge key <<", "each key written out")
            if key in mapped:
                fault = Fault("log-duplicate-key", key, "it twice in one mapping", "each key once", None)
                raise RefusedError(_on(fault, _line(key_node)))
            mapped[key] = self.build(value_node)
            mapped.lines[key] = _line(key_node)
        return mapped

    def sequence(self, node: Any) -> Listed:
        _demand_tag(node, "seq")
        listed = Listed(self.build(entry) for entry in node.value)
        listed.line = _line(node)
        listed.lines = [_line(entry) for entry in node.value]
        return listed


def _scalar(node: Any) -> Any:
    text: str = node.value
    if not node.tag.startswith(_TAG) or node.tag == _TAG + "binary":
        raise _bad_tag(node)
    if node.style:  # of a plain scalar None, or on libyaml empty
        _demand_tag(node, "str")
        return text
    if text in ("", "~", "null"):
        return None
    if text in ("true", "false"):
        return text == "true"
    if _WHOLE.fullmatch(text):
        return int(text)
    if _BAD_NUMBER.fullmatch(text):
        return Inexact(text)
    return text


def _demand_tag(node: Any, name: str) -> None:
    if node.tag != _TAG + name:
        raise _bad_tag(node)


def _bad_tag(node: Any) -> RefusedError:
    return _refused(node, f"the tag {cut(node.tag.replace(_TAG, '!!'))}", "no tags", "log-syntax")


def _place(text: str, position: int) -> tuple[int, int]:
    """Line, from 1, and offset in it of a position in `text`."""
    return text.count("\n", 0, position) + 1, position - (text.rfind("\n", 0, position) + 1)


def _line(node: Any) -> int:
    return int(node.start_mark.line) + 1


def _refused(node: Any, found: str, wanted: str, code: str = "log-syntax") -> RefusedError:
    return RefusedError(Fault(code, None, found, wanted, None, None, _line(node)))


def _on(fault: Fault, line: int) -> Fault:
    return Fault(fault.code, fault.field, fault.found, fault.expected, fault.help, fault.at, line)


def _syntax(error: Any) -> Fault:
    mark = error.problem_mark or error.context_mark
    words = ": ".join(cut(part) for part in (error.context, error.problem) if part)
    line = None if mark is None else int(mark.line) + 1
    at = None if mark is None else int(mark.column)
    return Fault("log-syntax", None, f"broken YAML ({words})", "YAML", None, at, line)


def entries(value: object) -> Iterator[tuple[int, object]]:
    """The entries of a list, each with its line."""
    if isinstance(value, Listed):
        yield from zip(value.lines, value, strict=True)
