"""Names that whoever asks states to be two laws' names of one thing: what the old calls split the new calls separate.

Two rulesets share what has one name in both. What corresponds under two names only a reader of both laws can say; so it
is taken for one where it is stated, and each page says that it was. What is stated must fit: of one kind on both sides,
with arguments or values of the same types. Where it is not stated, acts that could well correspond are named, and
nothing is made of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from verifier.errors import Problem, RequestError
from verifier.log.faults import nearest
from verifier.model.ruleset import Event, Ruleset
from verifier.model.types import EnumT, Type

Kind: TypeAlias = Literal["act", "decision", "option", "actor", "state", "field", "value"]

SPELLING = (
    "write OLD=NEW, the name that the old ruleset has and the one that the new has: of an event, a decision, an "
    "option, an actor or a state as it is declared, of a part of something as ENTITY.PART, of a value as "
    "ENUMERATION.VALUE"
)


@dataclass(frozen=True, slots=True)
class Stated:
    """`old` and `new` are names of one thing; of a field or a value `within` is the entity or enumeration."""

    kind: Kind
    within: str
    old: str
    new: str

    def __str__(self) -> str:
        inside = f"{self.within}." if self.within else ""
        return f"{inside}{self.old}={inside}{self.new}"

    @property
    def said(self) -> str:
        """In words, for the page."""
        of = f" of a {self.within}" if self.kind == "field" else f" of {self.within}" if self.within else ""
        return f"{self.new}{of} (new) is taken for {self.old} (old), as was stated and is not proved"


def stated(old: Ruleset, new: Ruleset, texts: Sequence[str]) -> tuple[Stated, ...]:
    """What `texts`, each OLD=NEW, state. Raises `RequestError` for what is not so spelled, names nothing, names what
    both have, or says two things of one name."""
    found: list[Stated] = []
    for text in texts:
        for one in _read(old, new, text):
            for other in found:
                alike = (other.kind, other.within) == (one.kind, one.within) and other != one
                if alike and (other.old == one.old or other.new == one.new):
                    raise _refused(text, f"{other} was stated already", "state each name once")
            if one not in found:
                found.append(one)
    return tuple(found)


def _read(old: Ruleset, new: Ruleset, text: str) -> list[Stated]:
    parts = [part.strip() for part in text.split("=")]
    if len(parts) != 2 or not all(parts):
        raise _refused(text, "it is not of the form OLD=NEW", SPELLING)
    first, second = (part.rpartition(".") for part in parts)
    if first[0] != second[0]:
        raise _refused(text, f"{parts[0]} and {parts[1]} are not parts of one thing", SPELLING)
    kinds = _INSIDE if first[0] else _WHOLE
    mine = {kind: names(old, first[0]) for kind, names in kinds.items()}
    theirs = {kind: names(new, first[0]) for kind, names in kinds.items()}
    for whose, name, known in (("old", first[2], mine), ("new", second[2], theirs)):
        if not any(name in names for names in known.values()):
            every = dict.fromkeys(n for names in known.values() for n in names)
            what = f"the {whose} ruleset has no {first[0] + '.' if first[0] else ''}{name}"
            raise _refused(text, what, nearest(name, every) or SPELLING)
    both = [kind for kind in kinds if first[2] in mine[kind] and second[2] in theirs[kind]]
    if not both:
        raise _refused(
            text,
            f"{parts[0]} and {parts[1]} are not of one kind",
            "state names of what is of one kind in both",
        )
    for kind in both:
        if first[2] in theirs[kind]:
            raise _refused(
                text,
                f"the new ruleset has {parts[0]} too, and what both have by one name is one",
                "state names of what one side alone has by that name",
            )
    return [Stated(kind, first[0], first[2], second[2]) for kind in both]


def _refused(text: str, what: str, help_: str) -> RequestError:
    return RequestError(Problem(f"--same {text}: {what}", code="same-names", help=help_))


def _fields(ruleset: Ruleset, within: str) -> tuple[str, ...]:
    entity = ruleset.entities.get(within)
    return () if entity is None else tuple(f.name for f in entity.fields)


def _values(ruleset: Ruleset, within: str) -> tuple[str, ...]:
    type_ = ruleset.types.get(within)
    return type_.values if isinstance(type_, EnumT) else ()


_WHOLE: Mapping[Kind, Callable[[Ruleset, str], Sequence[str]]] = {
    "act": lambda ruleset, _: tuple(ruleset.events),
    "decision": lambda ruleset, _: tuple(ruleset.decisions),
    "option": lambda ruleset, _: tuple(ruleset.options),
    "actor": lambda ruleset, _: tuple(ruleset.actors),
    "state": lambda ruleset, _: tuple(ruleset.state),
}

_INSIDE: Mapping[Kind, Callable[[Ruleset, str], Sequence[str]]] = {"field": _fields, "value": _values}


@dataclass(frozen=True, slots=True)
class Calling:
    """What the new ruleset's own names are called in common, and the other way round."""

    stated: tuple[Stated, ...] = ()

    def common(self, kind: Kind, name: str, within: str = "") -> str:
        """The common name of what the new ruleset calls `name`."""
        found = (s.old for s in self.stated if (s.kind, s.within, s.new) == (kind, within, name))
        return next(found, name)

    def by_common(self, kind: Kind, names: Sequence[str], within: str = "") -> dict[str, str]:
        """The new ruleset's own names by the common ones."""
        return {self.common(kind, name, within): name for name in names}

    def unfit(self, kind: Kind, common: str, why: str) -> None:
        """Raises `RequestError` where `common` is stated, and what it stands for does not fit."""
        for one in self.stated:
            if one.kind == kind and one.old == common:
                raise _refused(str(one), why, "state names of what is of one shape in both")


def likely(
    old: Ruleset,
    new: Ruleset,
    calling: Calling,
    types: tuple[Callable[[Type], Type], Callable[[Type], Type]],
    roles: Callable[[Sequence[str]], set[str]],
) -> Iterator[str]:
    """In words, the acts of one side alone that take the same as acts of the other side alone, by the same people:
    what could be stated. `types` and `roles` (of the new) give common ones."""
    taken = {calling.common("act", name) for name in new.events}
    mine = [e for name, e in old.events.items() if name not in taken]
    theirs = [e for name, e in new.events.items() if calling.common("act", name) not in old.events]
    for event in theirs:
        alike = [
            e.name
            for e in mine
            if e.params
            and _shape(e, types[0]) == _shape(event, types[1])
            and {*e.by} & roles(event.by)
            and e.observed == event.observed
        ]
        if alike:
            how = " or ".join(f"--same {name}={event.name}" for name in alike)
            yield (
                f"{event.name} (new) takes what {' and '.join(alike)} (old) {'takes' if len(alike) == 1 else 'take'}, "
                f"and is not compared with it: {how} has them compared as one act"
            )


def _shape(event: Event, type_: Callable[[Type], Type]) -> tuple[Type, ...]:
    return tuple(type_(p.type) for p in event.params)
