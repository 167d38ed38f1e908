"""From law to verdict: game logs checked against gaming law, clause by clause.

`load(name)` gives the rules, whose `check` takes logs: see `verifier.api`. Importing this package loads
nothing else; what a name needs is loaded when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from verifier.api import Rules, load
    from verifier.check.result import CheckResult, Entry
    from verifier.errors import LawError, LogError, RequestError, RuleTextError, VerifierError

_HOMES = {
    "Rules": "verifier.api",
    "load": "verifier.api",
    "CheckResult": "verifier.check.result",
    "Entry": "verifier.check.result",
    "LawError": "verifier.errors",
    "LogError": "verifier.errors",
    "RequestError": "verifier.errors",
    "RuleTextError": "verifier.errors",
    "VerifierError": "verifier.errors",
}

__all__ = [
    "CheckResult",
    "Entry",
    "LawError",
    "LogError",
    "RequestError",
    "RuleTextError",
    "Rules",
    "VerifierError",
    "load",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
