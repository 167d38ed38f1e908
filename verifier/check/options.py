"""The options in force: stated in a log's header, completed by the request, never contradicted by it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal

from verifier.check.result import Named, OptionResult
from verifier.check.schema import column, option_value
from verifier.core.program import Program
from verifier.errors import LogError, Problem, RequestError
from verifier.log.faults import nearest, shown
from verifier.log.header import Header
from verifier.log.values import MismatchError, checker, expected
from verifier.model import types as ty
from verifier.model.ruleset import Option, Ruleset
from verifier.model.values import show
from verifier.run.bench import MAX_COMBINATIONS, effective_options

_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,18}")
_SETTING = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)", re.DOTALL)


def read_settings(ruleset: Ruleset, settings: Mapping[str, object] | Iterable[str]) -> dict[str, object]:
    """Options from a request, as the core holds them: `{"name": value}`, or texts such as `name=value`.

    A value given as text is read by the option's type (yes, no; a whole number, money in minor units; the
    name of an enumeration's value). Raises `RequestError` for an option unknown, out of range, or set twice.
    """
    pairs: list[tuple[str, object]] = []
    if isinstance(settings, Mapping):
        pairs = list(settings.items())
    else:
        for text in settings:
            match = _SETTING.fullmatch(text)
            if match is None:
                raise RequestError(
                    Problem(
                        f"{shown(text)} sets no option",
                        code="option-syntax",
                        help="write name=value, such as " + _example(ruleset),
                    )
                )
            pairs.append((match.group(1), match.group(2).strip()))
    found: dict[str, object] = {}
    for name, value in pairs:
        if name in found:
            raise RequestError(
                Problem(f"option {name} is set twice", code="option-twice", help="set each option once")
            )
        option = ruleset.options.get(name)
        if option is None:
            raise RequestError(
                Problem(
                    f"the ruleset {ruleset.name} has no option {shown(name)}",
                    code="unknown-option",
                    help=nearest(name, ruleset.options, few=64) or "it declares no options",
                )
            )
        found[name] = _setting(option, value)
    return found


def _example(ruleset: Ruleset) -> str:
    for option in ruleset.options.values():
        if option.values:
            return f"{option.name}={show(option.type, option.values[0])}"
        return f"{option.name}=…"
    return "name=value (this ruleset declares no options)"


def _setting(option: Option, value: object) -> object:
    logged = _as_logged(option, value) if isinstance(value, str) else value
    logged_column = column(option.name, option.type)
    try:
        if logged is None:
            raise MismatchError("option-range", expected(logged_column))
        read = option_value(option.type, checker(logged_column)(logged))
    except MismatchError as mismatch:
        words = allowed(option) if option.values else mismatch.expected
        raise _wrong(option, value, words) from None
    if option.values is not None and read not in option.values:
        raise _wrong(option, value, allowed(option))
    return read


def _as_logged(option: Option, text: str) -> object:
    """What `text` stands for, as a log's header would hold it; None where it stands for nothing."""
    match option.type:
        case ty.BoolT():
            return {"yes": True, "true": True, "no": False, "false": False}.get(text)
        case ty.IntT() | ty.MoneyT():
            return int(text) if _WHOLE.fullmatch(text) else None
        case _:
            return text


def _wrong(option: Option, value: object, words: str) -> RequestError:
    if isinstance(option.type, ty.BoolT):
        words = "yes or no"
    return RequestError(
        Problem(
            f"option {option.name} is set to {shown(value)}, expected {words}",
            code="option-range",
            clause=option.clause,
            help=f"set {option.name} to one of its values, or leave it unstated",
        )
    )


def allowed(option: Option) -> str:
    """The values of an option, in words."""
    if option.values is None or len(option.values) > 12:
        return expected(column(option.name, option.type))
    return "one of " + ", ".join(show(option.type, value) for value in option.values)


def stated_options(
    ruleset: Ruleset, header: Header, settings: Mapping[str, object], file: str
) -> tuple[dict[str, object], dict[str, object]]:
    """The options that a log's header states, and these with the request's settings (core values).

    Raises `LogError` for a value that the option does not have, `RequestError` where the request says
    otherwise than the header.
    """
    logged: dict[str, object] = {}
    for name, value in header.options.items():
        option = ruleset.options[name]
        read = option_value(option.type, value)
        if option.values is not None and read not in option.values:
            raise LogError(
                Problem(
                    f"field options.{name}: found {shown(value)}, expected {allowed(option)}",
                    file,
                    code="log-range",
                    clause=option.clause,
                    help="the header states what was in force: correct it, or leave the option out",
                )
            )
        logged[name] = read
    for name, value in settings.items():
        if name in logged and logged[name] != value:
            option = ruleset.options[name]
            raise RequestError(
                Problem(
                    f"option {name} is set to {show(option.type, value)}, "
                    f"but the log states {show(option.type, logged[name])}",
                    file,
                    code="option-contradiction",
                    clause=option.clause,
                    help=f"leave {name} out of the request: what the log states was in force",
                )
            )
    return logged, {**logged, **settings}


def option_results(
    program: Program,
    logged: Mapping[str, object],
    settings: Mapping[str, object],
    files: tuple[str, ...] = (),
) -> tuple[OptionResult, ...]:
    """Each option with its value and where it comes from, in the order of the rules."""
    effective = effective_options(program, {**logged, **settings})
    found: list[OptionResult] = []
    for name, option in program.ruleset.options.items():
        if name not in effective:
            values = option.values or ()
            tried = values if 0 < len(values) <= MAX_COMBINATIONS else ()
            words = tuple(show(option.type, value) for value in tried)
            found.append(OptionResult(name, "unstated", None, words, files))
            continue
        value = effective[name]
        amount = value if isinstance(option.type, ty.MoneyT) and isinstance(value, int) else None
        named = Named(name, show(option.type, value), amount)
        source: Literal["log", "set", "default"] = (
            "log" if name in logged else "set" if name in settings else "default"
        )
        found.append(OptionResult(name, source, named, (), files))
    return tuple(found)
