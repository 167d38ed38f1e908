"""What can happen, as relations between a state made of variables and the next: one for each kind of event.

Every kind of event starts from the same variables, with arguments named by their types: what is encoded of the
state once serves all of them. An event mentions only ids that are met already; that an id is met is a transition of
its own, of which an event that names a new one is the first half.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, assert_never

import z3

from verifier.core.lawful import Part, parts
from verifier.core.program import EVENT_PREFIX, Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.ruleset import Append, Each, FieldTarget, New, Ruleset, Update, Write
from verifier.model.terms import Term, children
from verifier.model.types import BOOL, Type
from verifier.prove.encode import Encoder
from verifier.prove.lists import SlotList
from verifier.prove.passing import passing
from verifier.prove.question import Mode
from verifier.prove.scope import Scope
from verifier.prove.stated import chosen
from verifier.prove.step import begun_anew, promised, step
from verifier.prove.symbolic import SymbolicOptions, SymbolicState, World, option_variables, variables
from verifier.prove.values import Num, Opt, Truth, and_, not_, optional, or_


@dataclass(frozen=True, slots=True)
class Transition:
    """One kind of event by one actor; `event` is None where only an id is met, or, if it is `passing`, where a life
    that no event ends makes way for the next: `actor` is then of which kind that is.

    `args` are its arguments, made of variables. It happens where all `conditions` hold, and changes each variable of
    the state that is in `changes` to the expression beside it. `writes` names what it may change (see `Reads`).
    `after` is what its mechanics leave: what `after(…)` reads.
    """

    event: str | None
    actor: str
    args: tuple[Any, ...]
    conditions: tuple[Any, ...]
    changes: tuple[tuple[Any, Any], ...]
    writes: frozenset[str]
    after: SymbolicState
    passing: bool = False

    @property
    def name(self) -> str:
        """How it is called in what people read."""
        if self.event is None:
            return f"the next {self.actor}" if self.passing else f"meeting a {self.actor}"
        return f"{self.actor} {self.event}" if self.actor else self.event


@dataclass(frozen=True, slots=True)
class System:
    """A program within a scope as a transition system over `state`. Every option is stated; all meet what is required.

    `always` holds in every state: values keep their types, ids are met in order, options are what they may be.
    In play nothing is ever broken; in words anything may have been.
    """

    world: World
    mode: Mode
    state: SymbolicState
    options: SymbolicOptions
    encoder: Encoder
    always: tuple[Any, ...]

    @property
    def program(self) -> Program:
        return self.world.program


def system(program: Program, scope: Scope, mode: Mode) -> System:
    """The transition system of a program within a scope."""
    world = World(program, scope)
    state = variables(world)
    if mode == "play":
        state = replace(state, broken=(False,) * len(state.broken))
    open_ = option_variables(world)
    options = SymbolicOptions(world, {name: (value, True) for name, (value, _) in open_.values.items()})
    encode = Encoder(state, options)
    required: list[Truth] = []
    for requirement in program.ruleset.requirements:
        found = encode.encode(requirement.condition, {})
        required.append(and_(found.defined, found.value))
    always = [*state.assumptions(), *options.assumptions(), *required]
    return System(world, mode, state, options, encode, tuple(c for c in always if c is not True))


def transitions(made: System, only: Collection[str] | None = None) -> Iterator[Transition]:
    """Everything that can happen, in the order of the text, or of it the events in `only`. In play a kind of event is
    told apart by its actors, as far as the rules tell them apart."""
    ruleset = made.program.ruleset
    for kind in made.world.scope.ids:
        if made.world.scope.ids[kind] and only is None:
            yield _meeting(made, kind)
    for life in passing(ruleset) if only is None else ():
        yield _passing(made, life)
    for name, event in ruleset.events.items():
        if only is not None and name not in only:
            continue
        found = _happening(made, name)
        if found is None:
            continue
        if made.mode == "words":
            yield found
            continue
        told: list[tuple[Part, ...]] = []
        for actor in event.by or ruleset.actors:
            lawful = parts(made.program, name, actor)
            if lawful not in told:
                told.append(lawful)
                yield replace(found, actor=actor)


def _meeting(made: System, kind: str) -> Transition:
    """The next id of a kind is met."""
    known = [made.state.known[kind, name] for name in made.world.scope.ids[kind]]
    changes = tuple((met, or_(met, before)) for before, met in zip([True, *known], known, strict=False))
    fixed = tuple((met, z3.BoolVal(new) if isinstance(new, bool) else new) for met, new in changes)
    return Transition(None, kind, (), (), fixed, frozenset((f"ids {kind}",)), made.state)


def _passing(made: System, life: str) -> Transition:
    """A life without an end makes way for the next one between two events."""
    state, ruleset = made.state, made.program.ruleset
    anew = begun_anew(state, {life})
    pairs = [
        (state.values[place], new) for place, new in anew.values.items() if new is not state.values[place]
    ]
    pairs += [(state.exists[key], there) for key, there in anew.exists.items()]
    pairs += [
        (mine[key], theirs[key])
        for mine, theirs in zip(state.counts, anew.counts, strict=True)
        for key in mine
    ]
    pairs += zip(state.broken, anew.broken, strict=True)
    conditions: list[Truth] = []
    changes = [change for before, new in pairs for change in changed(before, new, conditions)]
    breaches = {f"breach {i}" for i, breach in enumerate(ruleset.breaches) if breach.life == life}
    writes = breaches.union(of_life(ruleset, life))
    return Transition(None, life, (), tuple(conditions), tuple(changes), frozenset(writes), anew, True)


def _happening(made: System, name: str) -> Transition | None:
    """An event that can be applied and stays within the scope; None where there is no such event."""
    world, state = made.world, made.state
    event = world.ruleset.events[name]
    args = shared_arguments(world, name)
    found = step(state, made.options, name, args)
    if found.cannot is True or found.escapes is True:
        return None
    conditions: list[Truth] = [not_(found.cannot), not_(found.escapes), *promised(world, name, args)]
    conditions += [_somebody(world, p.type, a) for p, a in zip(event.params, args, strict=True)]
    for (kind, id_), met in state.known.items():
        mentioned = or_(
            *(world.shapes.mentions(p.type, a, kind, id_) for p, a in zip(event.params, args, strict=True))
        )
        conditions.append(or_(met, not_(mentioned)))
    changes: list[tuple[Any, Any]] = []
    for place in world.places:
        new = found.end.values[place]
        if new is not state.values[place]:
            conditions += world.promises(place, new)
            changes += changed(state.values[place], new, conditions)
    for key, exists in found.end.exists.items():
        changes += changed(state.exists[key], exists, conditions)
    for mine, theirs in zip(state.counts, found.end.counts, strict=True):
        for key in mine:
            changes += changed(mine[key], theirs[key], conditions)
    changes += _breaches(made, name, found.end)
    if any(c is False for c in conditions):
        return None
    return Transition(
        name,
        "",
        args,
        tuple(c for c in conditions if c is not True),
        tuple(changes),
        written(world.ruleset, name),
        replace(found.after, known=state.known),
    )


def _somebody(world: World, type_: Type, value: Any) -> Truth:
    """That every id in a value is somebody's."""
    match type_:
        case ty.IdT(name=kind):
            return or_(*(world.shapes.mentions(type_, value, kind, id_) for id_ in world.scope.ids[kind]))
        case ty.RecordT(fields=parts_) | ty.EntityT(keys=parts_):
            return and_(*(_somebody(world, part, v) for (_, part), v in zip(parts_, value, strict=True)))
        case ty.OptT(of=of):
            return or_(not_(value.present), _somebody(world, of, value.value))
        case _:
            return True


def _breaches(made: System, event: str, end: SymbolicState) -> Iterator[tuple[Any, Any]]:
    """In words any event may break any rule, so every breach may come to be, unless its life ends just then."""
    if made.mode == "play":
        return
    ended = {life.name for life in made.program.ruleset.lives.values() if event in life.ends}
    breaches = zip(made.program.ruleset.breaches, made.state.broken, end.broken, strict=True)
    for i, (breach, before, after) in enumerate(breaches):
        if not made.program.breakable(i):
            continue
        if breach.life in ended:
            yield before, z3.BoolVal(False)
        else:
            yield before, or_(after, z3.Bool(f"breach {i} is found"))


def shared_arguments(world: World, event: str) -> tuple[Any, ...]:
    """An event's arguments as variables that all events share which have as many parameters of the type."""
    counts: dict[str, int] = {}
    found: list[Any] = []
    declared = world.ruleset.events[event]
    amounts = chosen(declared)
    for param in declared.params:
        whole = param.name in amounts
        name = f"whole {param.type}" if whole else str(param.type)
        counts[name] = counts.get(name, 0) + 1
        found.append(world.shapes.variable(param.type, f"argument {name} {counts[name]}", whole=whole))
    return tuple(found)


def marked(world: World, transition: Transition) -> dict[str, Any]:
    """The arguments by the names that judgements have for them."""
    if transition.event is None:
        return {}
    params = world.ruleset.events[transition.event].params
    return {EVENT_PREFIX + p.name: a for p, a in zip(params, transition.args, strict=True)}


def changed(variable: Any, new: Any, conditions: list[Truth]) -> Iterator[tuple[Any, Any]]:
    """Each leaf of a place with what becomes of it, where that is something else.

    That an amount of money is a whole number of the scope's units is added to `conditions`.
    """
    match variable:
        case Opt():
            given = optional(new)
            yield from changed(variable.present, given.present, conditions)
            yield from changed(variable.value, given.value, conditions)
        case SlotList():
            assert isinstance(new, SlotList)
            yield from changed(variable.length, new.length, conditions)
            for mine, theirs in zip(variable.slots, new.slots, strict=False):
                yield from changed(mine, theirs, conditions)
        case tuple():
            for mine, theirs in zip(variable, new, strict=True):
                yield from changed(mine, theirs, conditions)
        case Num():
            yield from _changed_number(variable, new, conditions)
        case bool():
            return
        case _:
            if isinstance(new, bool):
                yield variable, z3.BoolVal(new)
            elif not variable.eq(new):
                yield variable, new


def _changed_number(variable: Num, new: Num, conditions: list[Truth]) -> Iterator[tuple[Any, Any]]:
    n = new.n
    if variable.den % new.den == 0:
        factor = variable.den // new.den
        n = n if factor == 1 else n * factor
    elif isinstance(n, int):
        conditions.append(n * variable.den % new.den == 0)
        n = n * variable.den // new.den
    else:
        conditions.append((n * variable.den) % new.den == 0)
        n = (n * variable.den) / new.den
    if isinstance(n, int):
        yield variable.n, z3.IntVal(n)
    elif not variable.n.eq(n):
        yield variable.n, n


# ----------------------------------------------------------------------------------- what reads and writes what
def written(ruleset: Ruleset, event: str) -> frozenset[str]:
    """What an event may change, by name: `field`, `Entity.field`, `new Entity`, `count 3`, `breach 3`."""
    found: set[str] = set()
    for update in ruleset.mechanics.get(event, ()):
        found.update(written_by(update))
    found.update(
        f"count {i}" for i, latch in enumerate(ruleset.latches) if event in (latch.event, latch.reset)
    )
    found.update(f"breach {i}" for i, _ in enumerate(ruleset.breaches))
    for life in ruleset.lives.values():
        if event in life.ends:
            found.update(of_life(ruleset, life.name))
    return frozenset(found)


def written_by(update: Update) -> Iterator[str]:
    """What an update may change, by the names that `written` uses."""
    match update:
        case (
            Write(target=FieldTarget(entity=entity, name=name))
            | Append(target=FieldTarget(entity=entity, name=name))
        ):
            yield f"{entity}.{name}"
        case Write(target=target) | Append(target=target):
            yield target.name
        case New(entity=entity):
            yield f"new {entity}"
        case Each(update=inner):
            yield from written_by(inner)


def of_life(ruleset: Ruleset, life: str) -> Iterator[str]:
    """What begins anew where a life ends, by the names that `written` uses."""
    yield from (name for name, field in ruleset.state.items() if field.life == life)
    for name, entity in ruleset.entities.items():
        if entity.life == life:
            yield f"new {name}"
            yield from (f"{name}.{field.name}" for field in entity.fields)
    yield from (f"count {i}" for i, latch in enumerate(ruleset.latches) if latch.life == life)


class Reads:
    """What terms read of a state, by the names that `written` uses; functions and decisions are looked through."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._known: dict[str, frozenset[str]] = {}
        self._below: dict[str, frozenset[str]] = {}
        self._through: dict[str, frozenset[str]] = {}

    def of(self, term: Term) -> frozenset[str]:
        """What `term` reads."""
        found: set[str] = set()
        called: set[str] = set()
        self._direct(term, found, called)
        for name in called:
            if name not in self._through:
                self._through[name] = frozenset().union(*(self._known[n] for n in self._reached(name)))
            found |= self._through[name]
        return frozenset(found)

    def _reached(self, called: str) -> set[str]:
        done: set[str] = set()
        rest = [called]
        while rest:
            name = rest.pop()
            if name in done:
                continue
            done.add(name)
            if name not in self._known:
                found: set[str] = set()
                below: set[str] = set()
                for body in self._bodies(name):
                    self._direct(body, found, below)
                self._known[name], self._below[name] = frozenset(found), frozenset(below)
            rest += self._below[name]
        return done

    def _bodies(self, name: str) -> Iterator[Term]:
        kind, _, what = name.partition(" ")
        if kind == "call":
            yield self.program.functions[what].body
            return
        for case in self.program.decisions[what].cases:
            yield self.program.functions[case.applies].body
            yield case.value

    def _direct(self, term: Term, found: set[str], called: set[str]) -> None:
        rest = [term]
        while rest:
            inner = rest.pop()
            rest += children(inner)
            match inner:
                case m.Get(name=name):
                    found.add(name)
                case m.Field(entity=entity, name=name):
                    found.add(f"{entity}.{name}")
                case m.Count(latch=latch):
                    found.add(f"count {latch}")
                case m.BrokenT(latch=latch):
                    found.add(f"breach {latch}")
                case m.CallF(function=name):
                    called.add(f"call {name}")
                case m.Decide(decision=name):
                    called.add(f"decide {name}")
                case m.Quant(domain=domain) | m.Fold(domain=domain) | m.Pick(domain=domain):
                    if isinstance(domain, m.OverEntity):
                        found.add(f"new {domain.entity}")
                    elif isinstance(domain, m.OverIds):
                        found.add(f"ids {domain.type}")
                case _:
                    continue


def next_of(conditions: Sequence[Any], changes: Sequence[tuple[Any, Any]]) -> list[Any]:
    """The conditions, each a Z3 Bool, as they are in the state that the changes lead to."""
    if not conditions or not changes:
        return list(conditions)
    bools = [z3.BoolSort()] * (len(conditions) + 1)
    pack = z3.Function(f"pack {len(conditions)}", *bools)(*conditions)
    packed: list[Any] = z3.substitute(pack, *changes).children()
    return packed


class Behind:
    """What bears on something that is read: what the updates read that write it, and so on."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._reads = Reads(program)
        self._writes: list[tuple[frozenset[str], frozenset[str]]] | None = None

    def of(self, terms: Iterable[Term]) -> frozenset[str]:
        """All that bears on the terms, by the names that `written` uses."""
        found = set[str]().union(*map(self._reads.of, terms))
        if self._writes is None:
            ruleset = self.program.ruleset
            self._writes = [self._update(u) for several in ruleset.mechanics.values() for u in several]
        while True:
            more = {name for targets, read in self._writes if targets & found for name in read} - found
            if not more:
                return frozenset(found)
            found |= more

    def _update(self, update: Update) -> tuple[frozenset[str], frozenset[str]]:
        read = map(self._reads.of, read_by(update))
        return frozenset(written_by(update)), frozenset[str]().union(*read)


def read_by(update: Update) -> Iterator[Term]:
    """What an update reads, and where it writes."""
    match update:
        case Write(target=target, value=value, when=when) | Append(target=target, value=value, when=when):
            yield value
            place = target.of if isinstance(target, FieldTarget) else target.key
            yield from (term for term in (place, when) if term is not None)
        case New(of=of, when=when):
            yield of
            yield from (term for term in (when,) if term is not None)
        case Each(var=var, domain=domain, where=where, update=inner):
            yield m.Quant(BOOL, "some", var, domain, where, m.Lit(BOOL, True))
            yield from read_by(inner)
        case _:
            assert_never(update)
