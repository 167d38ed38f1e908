"""One JSON object from one line of text, with everything refused that JSON readers tend to let pass."""

from __future__ import annotations

import json
import re

from verifier.log.faults import Fault, Inexact, RefusedError, cut, quoted, shown
from verifier.log.limits import LIMITS, Limits

_KEY_BEFORE = re.compile(r'"([^"\\]*)"\s*:\s*(?:"[^"\\]*|[^\s,{}\[\]"]*)$')
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*+"?', re.DOTALL)


class _TwiceError(ValueError):
    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _TwiceError(key)
            seen.add(key)
    return fields


def _whole(text: str) -> object:
    return Inexact(text) if len(text) > 20 or text == "-0" else int(text)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_float=Inexact, parse_int=_whole, parse_constant=Inexact, strict=True
)


def parse_object(text: str, limits: Limits = LIMITS) -> dict[str, object]:
    """The object that `text` holds, and nothing beside it.

    Whole numbers become int; every other number, and NaN and Infinity, become `Inexact`, for the column's
    check to refuse by name. Raises `RefusedError`: syntax, equal keys, nesting, more than one value.
    """
    if text.count("{") + text.count("[") > 1:
        _check_depth(text, limits.depth)
    try:
        value = _DECODER.decode(text)
    except _TwiceError as twice:
        raise RefusedError(
            Fault(
                "log-duplicate-key",
                twice.key,
                "it twice in one object",
                "each field once",
                "keep one of the two; which one was meant cannot be told",
                text.rfind(quoted(twice.key)) if quoted(twice.key) in text else None,
            )
        ) from None
    except json.JSONDecodeError as error:
        raise RefusedError(_syntax(text, error)) from None
    if not isinstance(value, dict):
        raise RefusedError(Fault("log-syntax", None, shown(value), "a JSON object, {…}, on each line"))
    return value


def _check_depth(text: str, limit: int) -> None:
    depth = 0
    for character in _STRINGS.sub("", text):
        if character in "{[":
            depth += 1
            if depth > limit:
                raise RefusedError(
                    Fault(
                        "log-depth",
                        None,
                        f"brackets nested over {limit} deep",
                        "a flat object",
                        "rows are flat",
                    )
                )
        elif character in "}]":
            depth -= 1


def _syntax(text: str, error: json.JSONDecodeError) -> Fault:
    at = error.pos
    key = _KEY_BEFORE.search(text[max(0, at - 200) : at])
    field = None if key is None else key.group(1)
    help: str | None = None
    if error.msg == "Extra data":
        field, found, wanted = (
            None,
            f"more after the first value: {_rest(text, at)}",
            "one object on each line",
        )
    elif error.msg.startswith("Invalid control character"):
        found, wanted = shown(text[at : at + 1]), "control characters in text as \\u escapes"
    elif (
        error.msg.startswith("Expecting ',' delimiter")
        and text[at - 1] in "-0"
        and text[at : at + 1].isdigit()
    ):
        found, wanted = "a number with a leading zero", "whole numbers in plain decimal"
    elif at >= len(text.rstrip()):
        found, wanted, help = "the end of the line", "the rest of the object", "the line was cut short"
    else:
        reason = error.msg[0].lower() + error.msg[1:].removesuffix(" starting at")
        found, wanted = _rest(text, at), f"JSON ({reason})"
    return Fault("log-syntax", field, found, wanted, help, at)


def _rest(text: str, at: int) -> str:
    return cut(text[at : at + 20]) + ("…" if len(text) > at + 20 else "")
