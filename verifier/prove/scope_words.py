"""A scope in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from verifier.core.program import Program
from verifier.model import types as ty
from verifier.model.types import Type
from verifier.model.values import show
from verifier.prove.scope import Scope, list_fields

FEW_LISTED = 6
"""So many things of a kind are listed one by one where not all that there could be are in a scope."""


@dataclass(frozen=True, slots=True)
class Telling:
    """How scopes are told: lists by the paths of their fields, or `in_words` of who has them; of the lists in `quiet`
    nothing is said, for they are as long as at first in every round."""

    in_words: bool = False
    quiet: frozenset[str] = frozenset()

    def lists(self, path: str, most: int) -> str:
        """That a list has so many elements at most: `at most 3 Hand.cards`, `each Hand with at most 3 cards`."""
        if not self.in_words:
            return f"at most {most} {path}"
        entity, _, field = path.rpartition(".")
        return f"each {entity} with at most {most} {field}" if entity else f"at most {most} things in {field}"

    def money(self, parts: int) -> str:
        """In what parts of the smallest unit amounts are looked at."""
        return (
            f"money to 1/{parts} of its smallest unit" if self.in_words else f"amounts in parts of 1/{parts}"
        )


BY_PATH = Telling()


def scope_text(scope: Scope, program: Program, telling: Telling = BY_PATH) -> str:
    """A scope in words: `1 Player, Place 0 and 1, HandNo 1 to 2, at most 3 Hand.cards`."""
    return ", ".join(scope_parts(scope, program, telling)) or "everything"


def scope_parts(scope: Scope, program: Program, telling: Telling = BY_PATH) -> list[str]:
    """The same, part by part; empty where nothing is bounded."""
    ruleset = program.ruleset
    parts = [f"{len(ids)} {name}" for name, ids in scope.ids.items()]
    for name, values in scope.narrowed.items():
        type_ = ruleset.options[name].type if name in ruleset.options else ruleset.types.get(name)
        parts.append(f"{name} {_values(type_, values)}")
    whole = {name: type_.maximum for name, type_ in list_fields(ruleset)}
    parts += [
        telling.lists(path, n)
        for path, n in scope.slots.items()
        if path not in telling.quiet and n < whole.get(path, n + 1)
    ]
    for kind, refs in scope.entities.items():
        keys = ruleset.entities[kind].type.keys
        if len(refs) < (whole_kind := prod(len(scope.keys(t)) for _, t in keys)):
            few = len(refs) <= FEW_LISTED
            shown = _values(ruleset.entities[kind].type, refs) if few else f"{len(refs)} of {whole_kind}"
            parts.append(f"{kind} {shown}")
    if scope.money_parts != 1:
        parts.append(telling.money(scope.money_parts))
    return parts


def _values(type_: Type | None, values: Sequence[object]) -> str:
    shown = [str(v) if type_ is None else show(type_, v) for v in values]
    numbers = [v for v in values if isinstance(type_, ty.IntT) and isinstance(v, int)]
    if len(numbers) == len(values) > 2 and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"{shown[0]} to {shown[-1]}"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
