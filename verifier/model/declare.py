"""Declarations of a module into the world: types, lives, state, entities, events, defines, options, theorems."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from verifier.errors import Problem, RuleTextError
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.domains import over
from verifier.model.expressions import Env, condition, elaborate
from verifier.model.history import constant_value
from verifier.model.ruleset import (
    Chance,
    Decision,
    Entity,
    Event,
    Function,
    Latch,
    Life,
    Moves,
    Option,
    Param,
    Place,
    StateField,
    Theorem,
    Update,
    named,
)
from verifier.model.scope import Signature, Source, World, nearest, resolve_type
from verifier.model.terms import Term
from verifier.model.types import BOOL, INT, MONEY, PARTY, Type
from verifier.model.values import HOUSE, alike, writable
from verifier.syntax import tree as t

WrittenT = TypeVar("WrittenT", ty.RecordT, ty.EntityT)

ENUMERABLE = 64
"""An option with at most this many values is tried in all of them where it is not stated."""


MAX_PROBLEMS = 50
"""A ruleset with so many errors is read no further."""


@dataclass(slots=True)
class Pending:
    """What waits for a later pass, each with the file it stands in."""

    problems: list[Problem] = field(default_factory=list)
    mechanics_read: list[tuple[Place, Update]] = field(default_factory=list)
    theorems: list[tuple[Source, t.Theorem]] = field(default_factory=list)
    updates: dict[str, list[Update]] = field(default_factory=dict)

    def attempt(self, action: Callable[[], None]) -> None:
        """Run one step, keeping its errors, so that one run shows the errors of every block."""
        if len(self.problems) >= MAX_PROBLEMS:
            return
        try:
            action()
        except RuleTextError as error:
            self.problems.extend(error.problems)


def _unique(source: Source, at: t.At, name: str, kind: str, *tables: Mapping[str, object]) -> None:
    if any(name in table for table in tables):
        raise source.error(
            at, f"`{name}` is declared already", "declared-twice", f"give this {kind} another name"
        )


def declare_type(source: Source, world: World, block: t.Block) -> None:
    """First pass: types, enumerations, records, entities' keys, actors, lives."""
    match block:
        case t.Actors(names=names):
            world.actors += [n for n in names if n not in world.actors]
        case t.TypeDecl(at=at, name=name, type=type_):
            _unique(source, at, name, "type", world.types)
            match type_:
                case t.RangeType(low=low, high=high):
                    resolve_type(source, world, type_)
                    world.types[name] = ty.IntT(low, high, name)
                case t.IdType(maximum=maximum):
                    world.types[name] = ty.IdT(name, maximum)
                case _:
                    raise source.error(
                        at,
                        "a named type is a range or `id max N`",
                        "type",
                        "for parts use `record`, for values in a list `enum`",
                    )
        case t.EnumDecl(at=at, name=name, values=values):
            _unique(source, at, name, "enumeration", world.types)
            for position in (0, 1):
                seen = [v[position] for v in values]
                twice = next((v for v in seen if seen.count(v) > 1), None)
                if twice is not None:
                    raise source.error(
                        at, f"`{twice}` stands twice in {name}", "declared-twice", "each value once"
                    )
            world.types[name] = ty.EnumT(name, tuple(v for v, _ in values), tuple(w for _, w in values))
        case t.RecordDecl(at=at, name=name, fields=fields, written=written):
            _unique(source, at, name, "record", world.types)
            parts = tuple((f.name, resolve_type(source, world, f.type)) for f in fields)
            world.types[name] = _written(
                source, ty.RecordT(name, parts, _forms(source, world, written, parts)), written
            )
        case t.EntityDecl(at=at, name=name, keys=keys, written=written):
            _unique(source, at, name, "entity", world.types)
            parts = tuple((k.name, resolve_type(source, world, k.type)) for k in keys)
            world.types[name] = _written(
                source, ty.EntityT(name, parts, _forms(source, world, written, parts)), written
            )
        case t.LifeDecl(name=name, begins=begins, ends=ends, beside=beside):
            place = _life_place(source, world, block)
            listed = list(world.lives.values())
            listed.insert(place, Life(name, begins, ends, beside is not None))
            world.lives = {life.name: life for life in listed}
        case _:
            pass


def _life_place(source: Source, world: World, decl: t.LifeDecl) -> int:
    """Where among the lives a new one stands: last, or before the one that it is around, or after the first."""
    _unique(source, decl.at, decl.name, "life", world.lives)
    names = list(world.lives)
    if decl.around is not None:
        _life(source, world, decl.around, decl.at)
        if world.lives[decl.around].beside or decl.around == names[0]:
            raise source.error(
                decl.at,
                f"no life is around `{decl.around}`: it has logs of its own",
                "life-place",
                f"for others beside them write `life {decl.name} beside {names[0]}`",
            )
        return names.index(decl.around)
    if decl.beside is not None:
        _life(source, world, decl.beside, decl.at)
        if decl.beside != names[0]:
            raise source.error(
                decl.at,
                f"`{decl.beside}` has no logs of its own to be beside",
                "life-place",
                f"a life has logs of its own beside those of the first: `beside {names[0]}`",
            )
        return 1
    return len(names)


def _forms(
    source: Source, world: World, written: tuple[t.WrittenForm, ...], parts: tuple[tuple[str, Type], ...]
) -> tuple[ty.Form, ...]:
    names = [name for name, _ in parts]
    forms: list[ty.Form] = []
    for form in written:
        pieces: list[str | int] = []
        for piece in re.split(r"(\{[a-z0-9_]*\})", form.template):
            if piece.startswith("{"):
                if piece[1:-1] not in names:
                    raise source.error(
                        form.at,
                        f"there is no part `{piece[1:-1]}` to write",
                        "unknown-name",
                        nearest(piece[1:-1], names) or "the parts are " + ", ".join(names),
                    )
                pieces.append(names.index(piece[1:-1]))
            elif piece:
                pieces.append(piece)
        only: tuple[object, ...] | None = None
        if form.values:
            if len(form.values) != len(parts):
                raise source.error(form.at, f"expected {len(parts)} value(s)", "arity", "one for each part")
            env = Env(source, world)
            values = [
                constant_value(elaborate(v, env, type_))
                for v, (_, type_) in zip(form.values, parts, strict=True)
            ]
            if any(v is None for v in values):
                raise source.error(form.at, "the values of a written form are constants", "constant", None)
            only = tuple(v[0] for v in values if v is not None)
        elif sorted(p for p in pieces if isinstance(p, int)) != list(range(len(parts))):
            raise source.error(
                form.at,
                "a written form names each part once",
                "written",
                'or say for which values it stands: `written "…" for (…)`',
            )
        forms.append(ty.Form(tuple(pieces), only))
    return tuple(forms)


def _written(source: Source, type_: WrittenT, forms: tuple[t.WrittenForm, ...]) -> WrittenT:
    """The type, if what a log writes of its values can be read, and in one way."""
    if not forms:
        return type_
    parts = type_.keys if isinstance(type_, ty.EntityT) else type_.fields
    for name, part in parts:
        if not writable(part):
            message = f"no written form holds the part `{name}`: it is {part}"
            help = f"leave the form of {type_.name} out: then a log has a column for each part"
            raise source.error(forms[0].at, message, "written", help)
    twice = alike(type_)
    if twice is not None:
        text, one, other = twice
        message = f'"{text}" is written for two values: {one} and {other}'
        help = "put something between the parts that is in none of them"
        raise source.error(forms[0].at, message, "written", help)
    return type_


def default_of(type_: Type) -> object:
    """What a field of the type holds before anything is written to it."""
    match type_:
        case ty.BoolT():
            return False
        case ty.IntT(low=low):
            return 0 if low is None or low <= 0 else low
        case ty.MoneyT() | ty.OddsT():
            return 0
        case ty.EnumT():
            return 0
        case ty.OptT():
            return None
        case ty.ListT():
            return ()
        case ty.TextT() | ty.IdT():
            return ""
        case ty.RecordT(fields=fields) | ty.EntityT(keys=fields):
            return tuple(default_of(f) for _, f in fields)
        case ty.MapT(of=of):
            return default_of(of)
        case ty.SetT():
            return False
        case ty.PartyT():
            return HOUSE


def _field(source: Source, world: World, decl: t.FieldDecl, life: str) -> StateField:
    type_ = resolve_type(source, world, decl.type)
    if decl.initial is None:
        if isinstance(type_, ty.EnumT | ty.IdT | ty.TextT | ty.RecordT | ty.EntityT):
            raise source.error(
                decl.at,
                f"`{decl.name}` needs a first value",
                "initial",
                f"write `= VALUE`, or make it optional: `{decl.name}: {type_}?`",
            )
        return StateField(decl.name, type_, life, default_of(type_))
    wanted = type_.of if isinstance(type_, ty.MapT) else type_
    constant = constant_value(elaborate(decl.initial, Env(source, world), wanted))
    if constant is None:
        raise source.error(decl.initial.at, "the first value is a constant", "constant", None)
    return StateField(decl.name, type_, life, constant[0])


def declare_state(source: Source, world: World, block: t.Block) -> None:
    """Second pass: fields of the state and of entities, events' heads, options, decisions, defines' heads."""
    match block:
        case t.StateDecl(at=at, life=life, fields=fields):
            _life(source, world, life, at)
            for decl in fields:
                _value_name(source, world, decl.at, decl.name, "field")
                world.state[decl.name] = _field(source, world, decl, life)
        case t.EntityDecl(at=at, name=name, life=life, fields=fields):
            _life(source, world, life, at)
            type_ = world.types[name]
            assert isinstance(type_, ty.EntityT)
            seen = [k for k, _ in type_.keys]
            found: list[StateField] = []
            for decl in fields:
                if decl.name in seen:
                    raise source.error(decl.at, f"`{decl.name}` is declared already", "declared-twice", None)
                seen.append(decl.name)
                found.append(_field(source, world, decl, life))
            world.entities[name] = Entity(type_, life, tuple(found))
        case t.EventDecl(at=at, name=name, params=params, by=by, life=own):
            _unique(source, at, name, "event", world.events)
            if own is not None:
                _life(source, world, own, at)
                if not world.lives[own].beside:
                    raise source.error(
                        at,
                        f"`{own}` has no logs of its own",
                        "life-place",
                        f"declare it so, `life {own} beside {next(iter(world.lives))}`, or leave `in {own}` out",
                    )
            for actor in by:
                if actor not in world.actors:
                    raise source.error(
                        at,
                        f"there is no actor `{actor}`",
                        "unknown-name",
                        nearest(actor, world.actors) or "declare it with `actors`",
                    )
            world.events[name] = Event(
                name, _params(source, world, params), by, (), (), (), False, source.place(at), own
            )
        case t.Option():
            declare_option(source, world, block)
        case t.Decision():
            declare_decision(source, world, block)
        case t.Define():
            declare_define(source, world, block)
        case t.Supplied(defines=defines):
            for define in defines:
                declare_supplied(source, world, define)
        case t.Rule(statements=statements):
            for statement in statements:
                match statement:
                    case t.Option():
                        declare_option(source, world, statement)
                    case t.Decision():
                        declare_decision(source, world, statement)
                    case t.Define():
                        declare_define(source, world, statement)
                    case _:
                        pass
        case _:
            pass


def _life(source: Source, world: World, life: str, at: t.At) -> None:
    if life not in world.lives:
        raise source.error(
            at,
            f"there is no life `{life}`",
            "unknown-name",
            nearest(life, list(world.lives)) or "declare it: `life NAME ends EVENT`",
        )


def _params(source: Source, world: World, params: tuple[t.Param, ...]) -> tuple[Param, ...]:
    found: list[Param] = []
    for param in params:
        if param.name in [p.name for p in found]:
            raise source.error(param.at, f"`{param.name}` stands twice", "declared-twice", None)
        found.append(Param(param.name, resolve_type(source, world, param.type)))
    return tuple(found)


def _value_name(source: Source, world: World, at: t.At, name: str, kind: str) -> None:
    _unique(
        source,
        at,
        name,
        kind,
        world.state,
        world.signatures,
        world.decisions,
        world.options,
    )


def declare_option(source: Source, world: World, decl: t.Option) -> None:
    """An option with its type, its values where few, and its default if it has one."""
    _value_name(source, world, decl.at, decl.name, "option")
    type_ = resolve_type(source, world, decl.type)
    values: tuple[object, ...] | None
    if isinstance(decl.type, t.ChoiceType):
        values = decl.type.values
        twice = next((v for v in values if values.count(v) > 1), None)
        if twice is not None:
            raise source.error(
                decl.type.at, f"`{twice}` stands twice in `{decl.name}`", "declared-twice", "each value once"
            )
    else:
        listed = ty.finite_values(type_)
        values = tuple(listed) if listed is not None else None
    default: object | None = None
    if decl.initial is not None:
        constant = constant_value(elaborate(decl.initial, Env(source, world), type_))
        if constant is None:
            raise source.error(decl.initial.at, "an option's default is a constant", "constant", None)
        default = constant[0]
        if values is not None and default not in values:
            raise source.error(
                decl.initial.at,
                f"the default is no value of `{decl.name}`",
                "out-of-range",
                "choose one of its values",
            )
    clause = None if source.clause is None else named(source.base, source.clause)
    world.options[decl.name] = Option(decl.name, type_, values, default, source.place(decl.at), clause)


def declare_decision(source: Source, world: World, decl: t.Decision) -> None:
    """A decision's head."""
    _value_name(source, world, decl.at, decl.name, "decision")
    world.decisions[decl.name] = Decision(
        decl.name,
        _params(source, world, decl.params),
        resolve_type(source, world, decl.type),
        source.place(decl.at),
    )


def declare_define(source: Source, world: World, decl: t.Define) -> None:
    """A define's head; its body is read when everything is declared."""
    _value_name(source, world, decl.at, decl.name, "define")
    world.signatures[decl.name] = Signature(
        _params(source, world, decl.params), resolve_type(source, world, decl.type)
    )


def declare_supplied(source: Source, world: World, decl: t.Define) -> None:
    """A supplied define's head. It takes the place of a decision of that name, which the law then does not answer."""
    decision = world.decisions.get(decl.name)
    if decision is not None:
        params = _params(source, world, decl.params)
        type_ = resolve_type(source, world, decl.type)
        if [p.type for p in params] != [p.type for p in decision.params] or type_ != decision.type:
            wanted = ", ".join(f"{p.name}: {p.type}" for p in decision.params)
            head = f"{decl.name}({wanted})" if wanted else decl.name
            raise source.error(
                decl.at,
                f"`{decl.name}` is supplied with other types than the decision has",
                "supplied-otherwise",
                f"give it those of the decision: {head}, whose value is {decision.type}",
            )
        del world.decisions[decl.name]
    declare_define(source, world, decl)


# ------------------------------------------------------------------------------------------------- bodies
def read_define(
    source: Source, world: World, decl: t.Define, clause: str | None, supplied: str | None
) -> None:
    """Third pass: a define's body. A set becomes the condition of membership on one more argument, `it`."""
    signature = world.signatures[decl.name]
    env = Env(source, world, {p.name: p.type for p in signature.params})
    place = source.place(decl.at)
    match signature.type:
        case ty.SetT(of=element):
            if not isinstance(decl.body, t.Aggregate) or decl.body.kind != "all":
                raise source.error(
                    decl.body.at, "a set is written `all (x in T where C)`", "type-mismatch", None
                )
            ranged = over(decl.body, "it", env)
            if not ty.fits(ranged.element, element):
                raise source.error(
                    decl.body.at,
                    f"this is a set of {ranged.element}, declared is {element}",
                    "type-mismatch",
                    None,
                )
            body: Term = ranged.where or m.Lit(BOOL, True)
            params = (*signature.params, Param("it", element))
            world.functions[decl.name] = Function(decl.name, params, BOOL, body, place, clause, supplied)
        case type_:
            body = elaborate(decl.body, env, type_)
            world.functions[decl.name] = Function(
                decl.name, signature.params, type_, body, place, clause, supplied
            )


def read_event(source: Source, world: World, decl: t.EventDecl) -> None:
    """An event's claims, moves and needs."""
    head = world.events[decl.name]
    env = Env(source, world, {p.name: p.type for p in head.params})
    claims: list[Term] = []
    moves: list[Moves] = []
    needs: list[Term] = []
    observed = False
    for clause in decl.clauses:
        match clause:
            case t.Claims(condition=claim):
                term = condition(claim, env)
                claims += term.items if isinstance(term, m.AndT) else (term,)
            case t.Moves(amount=amount, source=giver, target=taker, due=due):
                moves.append(
                    Moves(
                        elaborate(amount, env, MONEY),
                        elaborate(giver, env, PARTY),
                        elaborate(taker, env, PARTY),
                        None if due is None else elaborate(due, env, MONEY),
                    )
                )
            case t.Needs(condition=need):
                needs.append(condition(need, env))
            case t.Observed():
                observed = True
    world.events[decl.name] = replace(
        head, claims=tuple(claims), moves=tuple(moves), needs=tuple(needs), observed=observed
    )


def read_chance(source: Source, world: World, decl: t.ChanceDecl) -> None:
    """How a parameter comes about; a stock that is used up is counted by a latch."""
    event = world.events.get(decl.event)
    if event is None:
        raise source.error(
            decl.at,
            f"there is no event `{decl.event}`",
            "unknown-name",
            nearest(decl.event, list(world.events)),
        )
    names = [p.name for p in event.params]
    if decl.param not in names:
        raise source.error(
            decl.at,
            f"`{event.name}` has no `{decl.param}`",
            "unknown-name",
            nearest(decl.param, names) or "it has " + ", ".join(names),
        )
    parameter = names.index(decl.param)
    if decl.stock is None or decl.since is None:
        world.chances.append(Chance(event.name, parameter, None, None, source.place(decl.at)))
        return
    if decl.since not in world.events:
        raise source.error(
            decl.at,
            f"there is no event `{decl.since}`",
            "unknown-name",
            nearest(decl.since, list(world.events)),
        )
    env = Env(source, world, {p.name: p.type for p in event.params})
    stock = elaborate(decl.stock, env, INT)
    latch = Latch(event.name, (), (parameter,), None, decl.since)
    number = world.latches.setdefault(latch, len(world.latches))
    world.chances.append(Chance(event.name, parameter, stock, number, source.place(decl.at)))


def read_theorem(source: Source, world: World, decl: t.Theorem) -> Theorem:
    """A theorem, invariant or reachability question."""
    params = _params(source, world, decl.claim.params)
    env = Env(source, world, {p.name: p.type for p in params})
    where = None if decl.claim.where is None else condition(decl.claim.where, env)
    return Theorem(
        decl.kind,
        decl.name,
        decl.title,
        params,
        where,
        condition(decl.claim.body, env.guarded(where)),
        source.place(decl.at),
    )
