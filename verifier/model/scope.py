"""What the names of a ruleset mean while it is being read, and the errors of a name that means nothing."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field

from verifier.errors import Problem, RuleTextError
from verifier.law import Law
from verifier.model.ruleset import (
    BreachLatch,
    Chance,
    Decision,
    Entity,
    Event,
    Function,
    Latch,
    Life,
    Option,
    Param,
    Place,
    StateField,
)
from verifier.model.types import BOOL, INT, EnumT, IntT, Type
from verifier.model.views import Scene, View
from verifier.syntax import tree as t
from verifier.syntax.parse import problem_at


@dataclass(slots=True)
class Signature:
    """A define's head, known before its body is read."""

    params: tuple[Param, ...]
    type: Type


@dataclass(slots=True)
class World:
    """All that is declared so far. Filled in passes; frozen into a `Ruleset` at the end."""

    actors: list[str] = field(default_factory=list)
    types: dict[str, Type] = field(default_factory=dict)
    lives: dict[str, Life] = field(default_factory=dict)
    state: dict[str, StateField] = field(default_factory=dict)
    entities: dict[str, Entity] = field(default_factory=dict)
    events: dict[str, Event] = field(default_factory=dict)
    signatures: dict[str, Signature] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    decisions: dict[str, Decision] = field(default_factory=dict)
    options: dict[str, Option] = field(default_factory=dict)
    latches: dict[Latch, int] = field(default_factory=dict)
    breaches: dict[BreachLatch, int] = field(default_factory=dict)
    breach_places: dict[BreachLatch, list[Place]] = field(default_factory=dict)
    chances: list[Chance] = field(default_factory=list)
    views: dict[str, View] = field(default_factory=dict)
    scenes: list[Scene] = field(default_factory=list)

    def enums_with(self, value: str) -> list[EnumT]:
        return [e for e in self.types.values() if isinstance(e, EnumT) and value in e.values]

    def names(self) -> list[str]:
        """Every name an expression may use, for suggestions."""
        enum_values = [v for e in self.types.values() if isinstance(e, EnumT) for v in e.values]
        return [*self.state, *self.signatures, *self.decisions, *self.options, *enum_values]


@dataclass(frozen=True, slots=True)
class Text:
    """A module whose rules quote a law. `base` is its ruleset's name where another is laid over it, else empty."""

    module: str
    base: str
    law: Law


@dataclass(frozen=True, slots=True)
class Source:
    """The file that is being read, for error messages; `clause` is the rule at hand.

    `base` is the ruleset whose clauses it speaks of, where another is laid over that, else empty.
    """

    path: str
    text: str
    clause: str | None = None
    base: str = ""

    def place(self, at: t.At) -> Place:
        return Place(self.path, at.line, at.column, at.end_line, at.end_column)

    def error(self, at: t.At, message: str, code: str, help: str | None = None) -> RuleTextError:
        return RuleTextError(self.problem(at, message, code, help))

    def problem(self, at: t.At, message: str, code: str, help: str | None = None) -> Problem:
        return problem_at(self.text, self.path, at, message, code, help, self.clause)


def nearest(name: str, known: list[str]) -> str | None:
    """`did you mean …?`, or None where nothing is near."""
    found = difflib.get_close_matches(name, sorted(set(known)), 1, 0.6)
    return f"did you mean `{found[0]}`?" if found else None


def call(name: str, parameters: Iterable[str]) -> str:
    """How something is written with its arguments; what takes none has no brackets."""
    inside = ", ".join(parameters)
    return f"{name}({inside})" if inside else name


def resolve_type(source: Source, world: World, type_: t.TypeExpr) -> Type:
    """A written type to a resolved one."""
    from verifier.model import types as ty

    match type_:
        case t.RangeType(at=at, low=low, high=high):
            if low > high:
                raise source.error(
                    at, f"the range {low}..{high} is empty", "empty-range", "write the smaller first"
                )
            return IntT(low, high)
        case t.PlainType(kind=kind):
            plain: dict[str, Type] = {"bool": BOOL, "money": ty.MONEY, "odds": ty.ODDS, "text": ty.TEXT}
            return plain[kind]
        case t.IdType(at=at):
            raise source.error(
                at, "`id max N` names a kind of its own", "type", "declare it: `type Person = id max 24`"
            )
        case t.NamedType(at=at, name=name, optional=optional):
            plain_optional: dict[str, Type] = {"money": ty.MONEY, "odds": ty.ODDS}
            found = plain_optional.get(name) or world.types.get(name)
            if found is None:
                raise source.error(
                    at,
                    f"there is no type `{name}`",
                    "unknown-type",
                    nearest(name, list(world.types)) or "declare it with type, enum, record or entity",
                )
            return ty.OptT(found) if optional else found
        case t.ListType(at=at, element=element, maximum=maximum):
            return ty.ListT(resolve_type(source, world, t.NamedType(at, element)), maximum)
        case t.SetType(at=at, element=element):
            return ty.SetT(resolve_type(source, world, t.NamedType(at, element)))
        case t.MapType(at=at, key=key, value=value):
            return ty.MapT(
                resolve_type(source, world, t.NamedType(at, key)), resolve_type(source, world, value)
            )
        case t.ChoiceType():
            return INT
