"""Things of one origin in an example, made alike: what was made of another thing has what that has.

The solvers know of such things only what the invariants say; that both have one value of what an event wrote to both is
what a reader expects.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from verifier.core.program import Program
from verifier.model import types as ty
from verifier.model.ruleset import Entity
from verifier.prove.question import Sometimes
from verifier.run.state import EXISTS, Ref

Judge = Callable[[], Callable[[], bool]]
"""What tells, asked before anything is changed, how to ask whether an example is as good after a change."""


def alike(program: Program, at: Sometimes, judge: Judge) -> None:
    """Have what was made of another thing be like it, and what a thing has of one kind with the first in its own list,
    as long as the example stays as good."""
    keeps: Callable[[], bool] | None = None
    for kind, entity in program.ruleset.entities.items():
        table = at.state.entities[kind]
        for changed in (_own, _like):
            for ref in sorted(table, key=repr):
                for other in changed(entity, table, ref):
                    keeps = keeps or judge()
                    before, table[ref] = table[ref], other
                    if keeps():
                        break
                    table[ref] = before


def _own(entity: Entity, table: Mapping[Ref, dict[str, object]], ref: Ref) -> tuple[dict[str, object], ...]:
    """A thing's fields where a value is the one of its kind that the first in one of its lists has."""
    fields = table[ref]
    firsts = [
        (type_, value)
        for f in entity.fields
        if isinstance(f.type, ty.ListT) and isinstance(f.type.of, ty.RecordT)
        for whole in (fields.get(f.name, f.initial),)
        if isinstance(whole, tuple) and whole
        for (_, type_), value in zip(f.type.of.fields, whole[0], strict=True)
        if isinstance(type_, ty.EnumT)
    ]
    return tuple(
        {**fields, f.name: value}
        for f in entity.fields
        for type_, value in firsts
        if type_ == (f.type.of if isinstance(f.type, ty.OptT) else f.type)
        and fields.get(f.name, f.initial) not in (f.initial, value)
    )


def _like(entity: Entity, table: Mapping[Ref, dict[str, object]], ref: Ref) -> tuple[dict[str, object], ...]:
    """A thing's fields where it is like the one of its kind that it names, but for what it names."""
    fields = table[ref]
    naming = {f.name for f in entity.fields if _named(f.type) == entity.type.name}
    found: list[dict[str, object]] = []
    for name in sorted(naming):
        other: Any = fields.get(name)
        if other is None or other == ref or other not in table:
            continue
        whole = {
            **{n: v for n, v in table[other].items() if n not in naming},
            **{n: v for n, v in fields.items() if n in naming or n == EXISTS},
        }
        if whole != fields:
            found.append(whole)
    return tuple(found)


def _named(type_: ty.Type) -> str | None:
    of = type_.of if isinstance(type_, ty.OptT) else type_
    return of.name if isinstance(of, ty.EntityT) else None
