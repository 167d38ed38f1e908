"""What events do to the state: the updates of `on` blocks, in the words of the events' own parameters."""

from __future__ import annotations

from collections.abc import Mapping

from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.declare import Pending
from verifier.model.domains import over
from verifier.model.expressions import Env, condition, elaborate, forced
from verifier.model.rewrite import substitute
from verifier.model.ruleset import Append, Each, FieldTarget, New, StateTarget, Update, Write
from verifier.model.scope import Source, World, call, nearest
from verifier.model.terms import Term
from verifier.model.types import BOOL, Type
from verifier.syntax import tree as t


def read_mechanics(source: Source, world: World, decl: t.OnDecl, pending: Pending) -> None:
    """The updates that an event makes."""
    event = world.events.get(decl.event)
    if event is None:
        raise source.error(
            decl.at,
            f"there is no event `{decl.event}`",
            "unknown-name",
            nearest(decl.event, list(world.events)),
        )
    if decl.params and len(decl.params) != len(event.params):
        raise source.error(
            decl.at,
            f"`{decl.event}` has {len(event.params)} parameter(s)",
            "arity",
            "write on " + call(decl.event, (p.name for p in event.params)),
        )
    for name, param in zip(decl.params, event.params, strict=False):
        if isinstance(param.type, ty.EnumT) and name in param.type.values:
            raise source.error(
                decl.at,
                f"`{name}` is a value of {param.type}, and a parameter here is a new name",
                "known-name",
                f"give the parameter a name of its own, and write `when` it is {name} after each update",
            )
    env = Env(
        source, world, dict(zip(decl.params, (p.type for p in event.params), strict=False)), mechanics=True
    )
    theirs: dict[str, Term] = {
        mine: m.Var(p.type, p.name)
        for mine, p in zip(decl.params, event.params, strict=False)
        if mine != p.name
    }
    for update in decl.updates:
        read = _update(update, env)
        renamed = _rename(read, theirs)
        pending.updates.setdefault(decl.event, []).append(renamed)
        pending.mechanics_read.append((source.place(update.at), renamed))


def _rename(update: Update, by: Mapping[str, Term]) -> Update:
    """The update with its free variables replaced; one that `for each` binds is its own, whatever it is called."""

    def sub(term: Term | None) -> Term | None:
        return None if term is None else substitute(term, by)

    def must(term: Term) -> Term:
        return substitute(term, by)

    def target(place: StateTarget | FieldTarget) -> StateTarget | FieldTarget:
        match place:
            case StateTarget(name=name, key=key):
                return StateTarget(name, sub(key))
            case FieldTarget(entity=entity, name=name, of=of):
                return FieldTarget(entity, name, must(of))

    match update:
        case Write():
            return Write(target(update.target), must(update.value), sub(update.when))
        case Append():
            return Append(target(update.target), must(update.value), sub(update.when))
        case New():
            return New(update.entity, must(update.of), sub(update.when))
        case Each(var=var, domain=domain, where=where, update=inner):
            probe = substitute(m.Quant(BOOL, "some", var, domain, where, m.Lit(BOOL, True)), by)
            assert isinstance(probe, m.Quant)
            inside = {name: term for name, term in by.items() if name != var}
            if probe.var != var:
                inside[var] = m.Var(domain.type, probe.var)
            return Each(probe.var, probe.domain, probe.where, _rename(inner, inside))


def _update(update: t.Update, env: Env) -> Update:
    match update:
        case t.Assign(target=place, value=value, when=when):
            guard = None if when is None else condition(when, env)
            target, type_ = _target(place, env)
            return Write(target, elaborate(value, env.guarded(guard), type_), guard)
        case t.Gains(target=place, value=value, when=when):
            guard = None if when is None else condition(when, env)
            target, type_ = _target(place, env)
            match type_:
                case ty.ListT(of=of):
                    return Append(target, elaborate(value, env.guarded(guard), of), guard)
                case ty.SetT(of=of) if isinstance(target, StateTarget):
                    member = elaborate(value, env, of)
                    return Write(StateTarget(target.name, member), m.Lit(BOOL, True), guard)
                case _:
                    raise env.error(
                        place.at, "only lists and sets gain elements", "type-mismatch", "write `= VALUE`"
                    )
        case t.Create(at=at, entity=entity, when=when):
            term = elaborate(entity, env)
            if not isinstance(term.type, ty.EntityT):
                raise env.error(at, "only an entity comes to exist", "type-mismatch", None)
            return New(term.type.name, term, None if when is None else condition(when, env))
        case t.UpdateEach(name=name, domain=domain, where=where, update=inner):
            ranged = over(domain, name, env)
            inside = env.bind(name, ranged.element)
            conditions = [c for c in (ranged.where, None if where is None else condition(where, inside)) if c]
            both: Term | None = (
                m.AndT(BOOL, tuple(conditions))
                if len(conditions) == 2
                else (conditions[0] if conditions else None)
            )
            return Each(name, ranged.domain, both, _update(inner, inside.guarded(both)))


def _target(place: t.Expr, env: Env) -> tuple[StateTarget | FieldTarget, Type]:
    term = elaborate(place, env)
    match term:
        case m.Get(name=name, key=key):
            return StateTarget(name, key), term.type
        case m.Field(entity=entity, name=name, of=of):
            return FieldTarget(entity, name, forced(of)), term.type
        case _:
            raise env.error(
                place.at,
                "this cannot be written to",
                "mechanics",
                "write to a field of the state or of an entity",
            )
