"""One value against its column: nothing is coerced, and what is refused says what was expected."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from verifier.log.faults import Inexact, nearest
from verifier.log.limits import INT64_MAX, INT64_MIN
from verifier.log.schema import NUMERIC, Column, Kind
from verifier.log.times import EXPECTED as EXPECTED_TIME
from verifier.log.times import is_rfc3339

Check = Callable[[object], object]
"""From a value as a file holds it to the value that rows carry. Raises `MismatchError`."""

BAD_IN_TEXT = "\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ud800-\\udfff\\ufdd0-\\ufdef\\ufffe\\uffff"
"""What no text holds: controls, line separators, lone surrogates, noncharacters (a regex class)."""

_BAD_IN_TEXT = re.compile(f"[{BAD_IN_TEXT}]")
_BAD_IN_EXTRA = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_CANONICAL = re.compile(r"0|-?[1-9][0-9]*")
_NUMBER_LIKE = re.compile(r"\s*[-+]?[0-9.][0-9.eE+_-]*\s*")

EXTRA_LENGTH = 1 << 20
"""Characters of an x_ value."""

_CACHED = 4096


class MismatchError(Exception):
    """A value that its column does not take."""

    def __init__(self, code: str, expected: str, help: str | None = None) -> None:
        super().__init__(code, expected, help)
        self.code = code
        self.expected = expected
        self.help = help


def checker(column: Column) -> Check:
    """The check of one column's values, as Python sees them in JSON (`None` is not among them)."""
    match column.kind:
        case "integer" | "money":
            return _integer(column)
        case "boolean":
            return _boolean
        case "enumeration":
            return _enumeration(column)
        case "written":
            return _written(column)
        case "time":
            return _time
        case "text":
            return _text(column, expected(column), strict=False)
        case "identifier":
            return _text(column, expected(column), strict=True)


def expected(column: Column) -> str:
    """What a column takes, in words."""
    example = "" if column.example is None else f" such as {column.example}"
    match column.kind:
        case "integer" if column.choices:
            return _one_of(tuple(map(str, column.choices)), "numbers")
        case "integer" | "money":
            unit = " of minor units" if column.kind == "money" else ""
            if column.minimum is None and column.maximum is None:
                return f"a whole number{unit} of at most 64 bits"
            if column.maximum is None:
                return f"a whole number{unit} of at most 64 bits, {column.low} or more"
            if column.minimum is None:
                return f"a whole number{unit} of at most 64 bits, {column.high} or less"
            return f"a whole number{unit} from {column.low} to {column.high}"
        case "boolean":
            return "true or false"
        case "enumeration":
            return _one_of(column.values, "words")
        case "written":
            return f"text{example}"
        case "time":
            return EXPECTED_TIME
        case "text":
            return f"text of 1 to {column.length} characters on one line"
        case "identifier":
            return f"an identifier of 1 to {column.length} visible characters{example}"


def _one_of(values: tuple[str, ...], what: str) -> str:
    if len(values) > 12:
        return f"one of {len(values)} {what}, {', '.join(values[:6])}, …"
    return " or ".join(values) if len(values) < 3 else "one of " + ", ".join(values)


def from_text(column: Column) -> Check:
    """The check of one column's values in a format that has only text (CSV)."""
    check, kind = checker(column), column.kind
    if kind in NUMERIC or kind == "boolean":
        return lambda value: check(untext(kind, value) if type(value) is str else value)
    return check


def untext(kind: Kind, text: str) -> object:
    """What `text` stands for in a column of that kind: a number, true or false, or itself."""
    if kind in NUMERIC:
        if _CANONICAL.fullmatch(text) is not None and len(text) <= 20:
            return int(text)
        return Inexact(text) if _NUMBER_LIKE.fullmatch(text) is not None else text
    if kind == "boolean" and text in ("true", "false"):
        return text == "true"
    return text


def is_unicode(text: str) -> bool:
    """Whether a text can be written in UTF-8: it has no half of a pair of surrogates."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def check_extra(value: object) -> object:
    """The check of an x_ value: text (tabs and line breaks allowed), a 64-bit integer, true or false."""
    if type(value) is str and 0 < len(value) <= EXTRA_LENGTH and _BAD_IN_EXTRA.search(value) is None:
        return value
    if type(value) is bool or (type(value) is int and INT64_MIN <= value <= INT64_MAX):
        return value
    text = f"text of 1 to {EXTRA_LENGTH} characters"
    raise MismatchError("log-kind", f"{text}, a whole number of at most 64 bits, true or false")


def to_text(value: object) -> str:
    """A checked value as text formats write it."""
    if value is True or value is False:
        return "true" if value else "false"
    return str(value)


def _integer(column: Column) -> Check:
    low, high, words = column.low, column.high, expected(column)
    money = column.kind == "money"
    choices = frozenset(column.choices)

    def check(value: object) -> object:
        if type(value) is int:
            if low <= value <= high and (not choices or value in choices):
                return value
            raise MismatchError("log-range", words)
        raise MismatchError(
            "log-number" if isinstance(value, Inexact) else "log-kind", words, _number_help(value, money)
        )

    return check


def _number_help(value: object, money: bool) -> str | None:
    match value:
        case bool():
            return "true and false are not numbers"
        case str() if _NUMBER_LIKE.fullmatch(value):
            return "write the number without quotes"
        case Inexact(text) if re.fullmatch(r"[+-]0+|[-+]?0[0-9]+|\+[0-9]+|[-0-9_ ]*[_ ][-0-9_ ]*", text):
            return "write whole numbers in plain decimal: no leading zeros, no spaces, no plus sign, no -0"
        case Inexact(text) if re.fullmatch(r"-?[0-9]+", text):
            return None
        case Inexact() if money:
            return "money is counted in minor units (two decimals: 10.50 is 1050); nothing is rounded"
        case Inexact():
            return "write whole numbers in plain decimal: no fraction, no exponent; nothing is rounded"
        case _:
            return None


def _boolean(value: object) -> object:
    if type(value) is bool:
        return value
    raise MismatchError("log-kind", "true or false")


def _enumeration(column: Column) -> Check:
    words = expected(column)
    known = frozenset(column.values)

    def check(value: object) -> object:
        if type(value) is not str:
            raise MismatchError("log-kind", words)
        if value in known:
            return value
        raise MismatchError("log-enumeration", words, nearest(value, column.values, few=0))

    return check


def _text(column: Column, words: str, *, strict: bool) -> Check:
    length = column.length

    def check(value: object) -> object:
        if type(value) is not str:
            raise MismatchError("log-kind", words, _quote_help(value))
        if not 0 < len(value) <= length:
            raise MismatchError("log-text", words, f"it has {len(value)} characters")
        if value.isascii() and value.isprintable() and not (strict and (value[0] == " " or value[-1] == " ")):
            return value
        if _BAD_IN_TEXT.search(value) is not None:
            raise MismatchError("log-text", words, "control characters and lone surrogates are not text")
        if strict:
            _check_identifier(value, words)
        return value

    return check


def _check_identifier(value: str, words: str) -> None:
    if not value.isprintable() or value != value.strip():
        raise MismatchError("log-text", words, "no invisible characters, and no space at either end")
    if not unicodedata.is_normalized("NFC", value):
        raise MismatchError(
            "log-text", words, "write it in Unicode's composed form (NFC), so that equal ids look equal"
        )


def _quote_help(value: object) -> str | None:
    if isinstance(value, (int, Inexact)) and not isinstance(value, bool):
        return "write it in quotes: it is text"
    return None


def _written(column: Column) -> Check:
    decode = column.decode
    as_text = _text(column, expected(column), strict=True)
    if decode is None:
        return as_text
    cache: dict[str, object] = {}

    def check(value: object) -> object:
        if type(value) is str:
            known = cache.get(value)
            if known is not None:
                return known
        text = as_text(value)
        assert isinstance(text, str)
        try:
            decoded = decode(text)
        except ValueError as error:
            raise MismatchError("log-written", str(error).removeprefix("expected ")) from None
        if decoded is None:
            raise TypeError(f"decode of column {column.name} returned None")
        if len(cache) < _CACHED:
            cache[text] = decoded
        return decoded

    return check


def _time(value: object) -> object:
    if type(value) is str and is_rfc3339(value):
        return value
    raise MismatchError("log-time" if type(value) is str else "log-kind", EXPECTED_TIME)
