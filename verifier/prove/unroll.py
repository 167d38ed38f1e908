"""A play with its amounts, cards and other records open: the events one after another in Z3, from an empty table.

The kinds of event, the actors, and whatever decides which places an event writes to stay as the play has them: so
nearly everything folds to constants, and what is left is small.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from math import lcm
from typing import Any

import z3

from verifier.core.lawful import parts
from verifier.core.program import EVENT_PREFIX, Program
from verifier.model import types as ty
from verifier.model.ruleset import Param
from verifier.model.types import Type
from verifier.prove.encode import Encoded, Encoder
from verifier.prove.explore.snapshot import Runner, ids_in
from verifier.prove.question import Play, Question
from verifier.prove.scope import Ref, Scope, list_fields
from verifier.prove.stated import chosen
from verifier.prove.steering import steering
from verifier.prove.step import Step, promised, step
from verifier.prove.symbolic import SymbolicOptions, SymbolicState, World, lift, merged
from verifier.prove.values import Truth, and_, not_, or_
from verifier.run.bench import Happening
from verifier.run.state import State, first_state

MOST_COMBINATIONS = 48
"""So many combinations of references are tried for the variables of a question in one state."""

MOST_USES = 24
"""What has been encoded of a state is kept for so many questions."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One event of the play, if `taken`. `can`: it can have happened; `lawful`: for each rule, that it keeps to it."""

    happening: Happening
    taken: Truth
    args: tuple[Any, ...]
    step: Step
    can: Truth
    lawful: tuple[tuple[str, Truth], ...]

    @property
    def kept(self) -> Truth:
        """That the event keeps to every rule."""
        return and_(*(truth for _, truth in self.lawful))


@dataclass(frozen=True, slots=True)
class Asked:
    """A question after the first `after` events, for some values of its variables: `truth` says that it is true."""

    after: int
    truth: Truth
    values: tuple[tuple[str, Type, Any], ...]


@dataclass(slots=True)
class Unrolled:
    """A play's events in Z3, as far as they can happen at all. `assumed` are the conditions on the options.

    Where they are `optional`, each event may be left out: `Moment.taken` tells.
    """

    program: Program
    play: Play
    free_options: bool = False
    optional: bool = False
    world: World = field(init=False)
    options: SymbolicOptions = field(init=False)
    assumed: list[Any] = field(init=False)
    moments: list[Moment] = field(default_factory=list)
    _steering: dict[str, frozenset[str]] = field(default_factory=dict)
    _encoders: dict[int, tuple[Encoder, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.world = World(self.program, scope_along(self.program, self.play, self.optional))
        self.options, self.assumed = self._options()
        for number, happening in enumerate(self.play.happenings):
            moment = self._moment(number, happening)
            if moment.can is False and not self.optional:
                break
            self.moments.append(moment)

    def _options(self) -> tuple[SymbolicOptions, list[Any]]:
        """The options as the play has them; or those with few values open, as far as they meet the requirements."""
        shapes = self.world.shapes
        values: dict[str, tuple[Any, Truth]] = {}
        for name, option in self.world.ruleset.options.items():
            if self.free_options and self.world.option_values(name) is not None:
                values[name] = (shapes.variable(option.type, f"option {name}", whole=True), True)
            else:
                stated = name in self.play.options
                values[name] = (shapes.constant(option.type, self.play.options.get(name)), stated)
        options = SymbolicOptions(self.world, values)
        if not self.free_options:
            return options, []
        encode = Encoder(lift(self.world, first_state(self.world.ruleset)), options)
        met = [encode.encode(r.condition, {}) for r in self.world.ruleset.requirements]
        return options, [*options.assumptions(), *(true_of(found) for found in met)]

    def state(self, after: int) -> SymbolicState:
        """The state after so many events."""
        if after:
            return self.moments[after - 1].step.end
        return lift(self.world, first_state(self.world.ruleset))

    def _moment(self, number: int, happening: Happening) -> Moment:
        args = self.arguments(happening, f"{number + 1} ")
        taken = step(self.state(number), self.options, happening.event, args)
        params = self.world.ruleset.events[happening.event].params
        encode = Encoder(taken.before, self.options, taken.after)
        by = {EVENT_PREFIX + p.name: a for p, a in zip(params, args, strict=True)}
        kept: list[tuple[str, Truth]] = []
        can = and_(*promised(self.world, happening.event, args), not_(taken.cannot), not_(taken.escapes))
        for rule, why, term in parts(self.program, happening.event, happening.actor):
            truth = true_of(encode.encode(term, by))
            if why == "impossible":
                can = and_(can, truth)
            elif truth is not True:
                kept.append((rule, truth))
        taken = replace(taken, end=self._breaches(taken.end, happening.event, kept))
        if not self.optional:
            return Moment(happening, True, args, taken, can, tuple(kept))
        occurs = False if can is False else z3.Bool(f"{number + 1} {happening.event} happens")
        return Moment(
            happening,
            occurs,
            args,
            replace(taken, end=merged(occurs, taken.end, self.state(number))),
            or_(not_(occurs), can),
            tuple((rule, or_(not_(occurs), truth)) for rule, truth in kept),
        )

    def _breaches(self, state: SymbolicState, event: str, kept: Sequence[tuple[str, Truth]]) -> SymbolicState:
        """The state with the breaches that the event's own rules tell of, but those of a life that it ends."""
        broken = list(state.broken)
        ended = {life.name for life in self.world.ruleset.lives.values() if event in life.ends}
        for index, rules in enumerate(self.program.breach_rules):
            if self.world.ruleset.breaches[index].life in ended:
                continue
            found = or_(*(not_(truth) for rule, truth in kept if rule in rules))
            broken[index] = or_(broken[index], found)
        return replace(state, broken=tuple(broken))

    def arguments(self, happening: Happening, prefix: str) -> tuple[Any, ...]:
        """An event's arguments: constants where they steer it, else open; `prefix` begins the variables' names."""
        shapes = self.world.shapes
        event = self.world.ruleset.events[happening.event]
        fixed, whole = self.steering(happening.event), chosen(event)
        return tuple(
            shapes.constant(p.type, value)
            if p.name in fixed
            else shapes.variable(p.type, f"{prefix}{happening.event} {p.name}", whole=p.name in whole)
            for p, value in zip(event.params, happening.values, strict=True)
        )

    def steering(self, event: str) -> frozenset[str]:
        """The parameters that decide which places the event writes to or reads."""
        if event not in self._steering:
            self._steering[event] = steering(self.program, event)
        return self._steering[event]

    # ------------------------------------------------------------------------------------------- questions
    def places(self, lawful: bool) -> range:
        """After how many events a question can be asked; `lawful`, only where none of them must break a rule."""
        if self.optional:
            return range(len(self.moments), len(self.moments) + 1)
        for number, moment in enumerate(self.moments):
            if lawful and moment.kept is False:
                return range(number + 1)
        return range(len(self.moments) + 1)

    def asked(self, question: Question, after: int) -> Iterator[Asked]:
        """The question after so many events, for each choice of references: of existing things, and for an event
        of its own those that the play's next event has, or all."""
        if question.event is None:
            yield from self._asked(question, after, self._encoder(after), ())
            return
        declared = self.world.ruleset.events[question.event]
        for number, happening in enumerate(self._next(question.event, after)):
            args = self.arguments(happening, f"asked {after} {number} ")
            taken = step(self.state(after), self.options, question.event, args)
            can = and_(*promised(self.world, question.event, args), not_(taken.cannot), not_(taken.escapes))
            if can is False:
                continue
            given = tuple(
                (EVENT_PREFIX + p.name, p.type, a) for p, a in zip(declared.params, args, strict=True)
            )
            encode = Encoder(taken.before, self.options, taken.after)
            for found in self._asked(question, after, encode, given):
                yield replace(found, truth=and_(can, found.truth))

    def _encoder(self, after: int) -> Encoder:
        """Terms over the state after so many events; what is encoded for one question serves others, for a while."""
        encoder, uses = self._encoders.get(after, (None, 0))
        if encoder is None or uses == MOST_USES:
            encoder, uses = Encoder(self.state(after), self.options), 0
        self._encoders[after] = (encoder, uses + 1)
        return encoder

    def _next(self, event: str, after: int) -> Iterator[Happening]:
        """Events of the kind, with what steers them as the play's next event has it, or else in every way."""
        if after < len(self.moments):
            if self.moments[after].happening.event == event:
                yield self.moments[after].happening
            return
        params = self.world.ruleset.events[event].params
        fixed = self.steering(event)
        choices: list[Sequence[object]] = []
        for param in params:
            choices.append(self._choices(param.type) if param.name in fixed else (None,))
        for number, values in enumerate(product(*choices)):
            if number == MOST_COMBINATIONS:
                return
            yield Happening(event, "", values)

    def _choices(self, type_: Type) -> Sequence[object]:
        """The values of a type that the play knows of."""
        if isinstance(type_, ty.EntityT | ty.IdT):
            return self.world.scope.keys(type_)
        met: dict[object, None] = {}
        for happening in self.play.happenings:
            for param, value in zip(
                self.world.ruleset.events[happening.event].params, happening.values, strict=True
            ):
                if param.type == type_:
                    met[value] = None
        return list(met) or (ty.finite_values(type_) or [None])[:1]

    def _asked(
        self,
        question: Question,
        after: int,
        encode: Encoder,
        given: tuple[tuple[str, Type, Any], ...],
    ) -> Iterator[Asked]:
        state = encode.state
        outer = {name: value for name, _, value in given}
        for number, (there, values) in enumerate(self._bindings(question.params, state, f"asked {after} ")):
            if number == MOST_COMBINATIONS:
                return
            found = true_of(encode.encode(question.condition, {**outer, **values}))
            truth = and_(there, found)
            if truth is False:
                continue
            for nothing in question.none:
                for exists, others in self._bindings(nothing.params, state, "", whole=True):
                    met = true_of(encode.encode(nothing.condition, {**outer, **values, **others}))
                    truth = and_(truth, not_(and_(exists, met)))
            if truth is not False:
                own = tuple((p.name, p.type, values[p.name]) for p in question.params)
                yield Asked(after, truth, (*own, *given))

    def _bindings(
        self, params: Sequence[Param], state: SymbolicState, prefix: str, whole: bool = False
    ) -> Iterator[tuple[Truth, dict[str, Any]]]:
        """Values for variables: each existing thing in turn, all else open. `whole`: every value in turn, none where
        there is no end of them."""
        shapes = self.world.shapes
        choices: list[list[tuple[Truth, Any]]] = []
        for param in params:
            match param.type:
                case ty.EntityT(name=kind):
                    there = [
                        (state.exists[kind, ref], shapes.constant(param.type, ref))
                        for ref in self.world.scope.entities[kind]
                    ]
                case ty.IdT(name=kind):
                    there = [
                        (state.known[kind, name], shapes.constant(param.type, name))
                        for name in self.world.scope.ids[kind]
                    ]
                case _ if whole:
                    values = ty.finite_values(param.type)
                    if values is None or len(values) > MOST_COMBINATIONS:
                        return
                    there = [(True, shapes.constant(param.type, value)) for value in values]
                case _:
                    value = shapes.variable(param.type, f"{prefix}{param.name}")
                    there = [(and_(*shapes.promises(param.type, value)), value)]
            choices.append([(exists, value) for exists, value in there if exists is not False])
        for picked in product(*choices):
            exist = and_(*(exists for exists, _ in picked))
            yield exist, {p.name: value for p, (_, value) in zip(params, picked, strict=True)}


def true_of(found: Encoded) -> Truth:
    """That a condition is defined and true."""
    return and_(found.defined, found.value)


# ------------------------------------------------------------------------------------------------- the scope
def scope_along(program: Program, play: Play, optional: bool = False) -> Scope:
    """What there is on the way of a play: its ids, the references that it meets, lists as long as it needs. Where its
    events are `optional` it goes on without one that cannot happen.

    Lists of one kind of element are equally long, for one may be set to what another holds.
    """
    ruleset = program.ruleset
    entities: dict[str, dict[Ref, None]] = {name: {} for name in ruleset.entities}
    slots = {path: 0 for path, _ in list_fields(ruleset)}
    for state in states_along(program, play, optional):
        for kind, table in state.entities.items():
            entities[kind].update(dict.fromkeys(table))
            for fields in table.values():
                for name, value in fields.items():
                    if isinstance(value, tuple) and f"{kind}.{name}" in slots:
                        slots[f"{kind}.{name}"] = max(slots[f"{kind}.{name}"], len(value))
        for name, value in state.fields.items():
            if isinstance(value, tuple) and name in slots:
                slots[name] = max(slots[name], len(value))
    for path, type_ in list_fields(ruleset):
        slots[path] = max(slots[other] for other, found in list_fields(ruleset) if found.of == type_.of)
    ids: dict[str, dict[str, None]] = {
        t.name: dict.fromkeys(play.state.ids[t.name]) for t in ruleset.types.values() if isinstance(t, ty.IdT)
    }
    parts_of_money = 1
    for happening in play.happenings:
        for param, value in zip(ruleset.events[happening.event].params, happening.values, strict=True):
            if isinstance(param.type, ty.MoneyT):
                parts_of_money = lcm(parts_of_money, Fraction(value).denominator)
            for kind, name in ids_in(param.type, value):
                ids[kind][name] = None
            for kind, ref in _references(param.type, value):
                entities[kind][ref] = None
    ordered = {kind: tuple(sorted(refs, key=lambda ref: _place(ref, ids))) for kind, refs in entities.items()}
    named = {kind: tuple(names) for kind, names in ids.items()}
    return Scope(named, ordered, slots, money_parts=parts_of_money)


def states_along(program: Program, play: Play, optional: bool) -> Iterator[State]:
    """The state before each event of a play, and the last; to the first that cannot happen, or without those."""
    runner = Runner(program)
    snapshot = runner.empty
    for happening in play.happenings:
        stepped = runner.step(snapshot, play.options, happening)
        if stepped is None:
            if optional:
                continue
            return
        yield runner.judge.before
        snapshot = stepped.snapshot
    yield snapshot.state


def _references(type_: Type, value: Any) -> Iterator[tuple[str, Ref]]:
    match type_:
        case ty.EntityT(name=kind, keys=keys):
            yield kind, value
            for (_, part), inner in zip(keys, value, strict=True):
                yield from _references(part, inner)
        case ty.RecordT(fields=fields):
            for (_, part), inner in zip(fields, value, strict=True):
                yield from _references(part, inner)
        case ty.OptT(of=of) if value is not None:
            yield from _references(of, value)
        case _:
            return


def _place(ref: Any, ids: dict[str, dict[str, None]]) -> Any:
    """Key order: ids in the order in which they are met."""
    if isinstance(ref, tuple):
        return tuple(_place(part, ids) for part in ref)
    if isinstance(ref, str):
        return min((list(names).index(ref) for names in ids.values() if ref in names), default=0)
    return -1 if ref is None else ref
