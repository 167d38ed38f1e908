"""Whether the judge and Z3 say the same of events: what they lead to, and whether they are lawful.

Each kind of event is encoded once, over a state made of variables, and asked about on random states. Whole plays are
unrolled once, with their amounts and cards open, and followed event by event beside the judge.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

from verifier.core.absent import Absent, Reads
from verifier.core.lawful import lawful, parts
from verifier.core.program import EVENT_PREFIX, Program
from verifier.model.values import show
from verifier.prove.agree import Disagreement, Outputs, Sample
from verifier.prove.encode import Encoder
from verifier.prove.explore.snapshot import BREACHES
from verifier.prove.question import Play
from verifier.prove.random_states import random_arguments, random_options, random_state
from verifier.prove.scope import Scope
from verifier.prove.shapes import Leaf, leaves
from verifier.prove.step import arguments, step
from verifier.prove.symbolic import SymbolicOptions, SymbolicState, World, lift, variables
from verifier.prove.unroll import Unrolled, true_of
from verifier.prove.values import Truth
from verifier.run.apply import CannotApply, apply, compile_mechanics
from verifier.run.bench import Happening
from verifier.run.judge import Judge
from verifier.run.state import State
from verifier.run.undefined import Undefined
from verifier.run.verdict import Judgement

Pairs = list[tuple[Any, Any]]


def stated_samples(program: Program, scope: Scope, count: int, seed: int = 0) -> Iterator[Sample]:
    """Random states of the program within the scope, every option stated."""
    world, rng = World(program, scope), Random(seed)
    for _ in range(count):
        options: dict[str, object] = {}
        while len(options) < len(program.ruleset.options):
            options = {**random_options(world, rng), **options}
        yield Sample(random_state(world, rng), options)


# ------------------------------------------------------------------------------------------- random states
class Events:
    """A program's events, each encoded once, to be compared with the judge on any number of states."""

    def __init__(self, program: Program, scope: Scope, encoder: type[Encoder] = Encoder) -> None:
        self.program = program
        self.encoder = encoder
        self.world = World(program, scope)
        self.state = variables(self.world)
        self.options = SymbolicOptions(
            self.world,
            {
                name: (self.world.shapes.variable(option.type, f"option {name}", whole=True), True)
                for name, option in program.ruleset.options.items()
            },
        )
        self.judge = Judge(program, {})
        self._encoded: dict[str, _Event] = {}

    def check(self, event: str, samples: Iterable[Sample], seed: int = 0) -> Iterator[Disagreement]:
        """What judge and Z3 say differently of an event, by a random actor with random arguments, in each state."""
        if event not in self._encoded:
            self._encoded[event] = _Event(self, event)
        rng = Random(seed)
        for sample in samples:
            yield from self._encoded[event].compare(sample, rng)

    def assignment(self, sample: Sample) -> Pairs:
        """What is put in for the variables of the state and the options."""
        found = self.state.assignment(sample.state)
        for name, (value, _) in self.options.values.items():
            type_ = self.program.ruleset.options[name].type
            found += self.world.shapes.pairs(value, self.world.shapes.constant(type_, sample.options[name]))
        return found


class _Event:
    """One kind of event: its step, and for each actor whether it is lawful."""

    def __init__(self, events: Events, name: str) -> None:
        self.events, self.name = events, name
        self.event = events.program.ruleset.events[name]
        self.args = arguments(events.world, name)
        self.step = step(events.state, events.options, name, self.args, events.encoder)
        encode = events.encoder(self.step.before, events.options, self.step.after)
        names = [EVENT_PREFIX + p.name for p in self.event.params]
        by = dict(zip(names, self.args, strict=True))
        self.mechanics = compile_mechanics(events.judge.machine, name)
        self.lawful: dict[str, Truth] = {}
        self.closures = {}
        for actor in events.program.ruleset.actors:
            term = lawful(events.program, name, actor)
            self.lawful[actor] = true_of(encode.encode(term, by))
            self.closures[actor] = events.judge.machine.closure(term, names)
        self.outputs = Outputs(
            (
                self.step.cannot,
                self.step.escapes,
                *self.lawful.values(),
                *changed(events.state, self.step.end),
            )
        )

    def compare(self, sample: Sample, rng: Random) -> Iterator[Disagreement]:
        """What is said differently of the event in one state."""
        events, shapes, machine = self.events, self.events.world.shapes, self.events.judge.machine
        values = random_arguments(events.world, sample.state, self.name, rng)
        pairs = events.assignment(sample)
        for param, arg, value in zip(self.event.params, self.args, values, strict=True):
            pairs += shapes.pairs(arg, shapes.constant(param.type, value))
        leaf = self.outputs.evaluate(pairs)
        args = ", ".join(show(p.type, v) for p, v in zip(self.event.params, values, strict=True))
        machine.options = sample.options
        machine.enter(sample.state)
        cannot = False
        try:
            after = apply(machine, self.mechanics, values)
        except CannotApply:
            after, cannot = sample.state, True
        if cannot is not _truth(self.step.cannot, leaf):
            yield Disagreement(f"{self.name} cannot be applied", args, str(cannot), str(not cannot), sample)
            return
        inside = not _truth(self.step.escapes, leaf)
        actor = rng.choice((*self.event.by, *events.program.ruleset.actors))
        found = fresh(events.judge, sample, Happening(self.name, actor, values))
        if not cannot:
            machine.enter(sample.state, after)
            ours = self._told(actor, values)
            what = f"{self.name} by {actor} is lawful"
            if inside and _truth(self.lawful[actor], leaf) is not ours:
                yield Disagreement(what, args, str(ours), str(not ours), sample)
            if ours is bool(found) and not (ours and left_out(events.program, self.name, actor, found)):
                yield Disagreement(what, args, said(found), str(ours), sample)
        if inside:
            before, end = lift(events.world, sample.state), events.judge.state
            for what, theirs, mine in differences(events.state, before, self.step.end, end, leaf, not found):
                yield Disagreement(f"{self.name}: {what}", args, theirs, mine, sample)

    def _told(self, actor: str, values: tuple[Any, ...]) -> bool:
        """What the interpreter makes of the term that says where the event is lawful."""
        try:
            return bool(self.closures[actor](list(values)))
        except Undefined:
            return False


def fresh(judge: Judge, sample: Sample, happening: Happening) -> list[Judgement]:
    """What a judge that knows of nothing but the state finds wrong with an event."""
    judge.duties.bits.clear()
    judge.duties.unsure.clear()
    judge.duties.charged.clear()
    judge.bench.past.clear()
    judge.bench.own.doubts.clear()
    judge.bench.state = sample.state
    return wrong(judge.step(happening))


def wrong(found: Iterable[Judgement]) -> list[Judgement]:
    """The judgements that keep an event from being lawful."""
    return [j for j in found if j.verdict in (*BREACHES, "impossible")]


def said(found: Iterable[Judgement]) -> str:
    """What was found wrong, in a line."""
    return "; ".join(f"{j.kind} {', '.join(j.units)}" for j in found) or "lawful"


def left_out(program: Program, event: str, actor: str, found: Iterable[Judgement]) -> bool:
    """Whether `lawful` leaves out what is found, as it says: what is due immediately after an event, that an act
    which may do such a duty passes over others or is permitted by nothing else, and rules that read both a decision
    and something absent."""
    later = [duty for duty in program.duties if duty.kind == "immediately after"]
    units = {duty.unit for duty in later}
    perhaps = any(actor in duty.roles and event in {act.event for act in duty.acts} for duty in later)
    absent = Absent(program)
    both = {rule for rule, _, term in parts(program, event, actor) if absent.reads(term) == Reads(True, True)}
    return all(
        set(j.units) & units or (perhaps and j.kind in ("skipped", "not permitted")) or both & {*j.rules, ""}
        for j in found
    )


def differences(
    variables_: SymbolicState,
    before: SymbolicState,
    end: SymbolicState,
    expected: State,
    leaf: Leaf,
    breaches: bool,
) -> Iterator[tuple[str, str, str]]:
    """Where the state that a step leaves is not `expected`; `before` is the one that the variables stand for.

    Whether rules have been broken is looked at only for `breaches`. A state that is not within the scope differs.
    """
    world = variables_.world
    try:
        wanted = lift(world, expected)
    except ValueError as error:
        yield "the scope", str(error), "is within the scope"
        return
    for place, type_ in world.places.items():
        mine, theirs = end.values[place], wanted.values[place]
        told = world.shapes.concrete(type_, theirs, _no_leaf)
        if mine is variables_.values[place]:
            found = world.shapes.concrete(type_, before.values[place], _no_leaf)
        else:
            found = world.shapes.concrete(type_, mine, leaf)
        if found != told:
            yield world.shown(place), str(told), str(found)
    firsts, olds, mines = _rest(variables_), _rest(before), _rest(end)
    for what, theirs in _rest(wanted).items():
        if what.startswith("breach") and not breaches:
            continue
        mine = mines[what]
        same = mine is firsts[what]
        found = olds[what] if same else mine if isinstance(mine, bool | int) else leaf(mine)
        if found != theirs:
            yield what, str(theirs), str(found)


def changed(before: SymbolicState, end: SymbolicState) -> Iterator[Any]:
    """The Z3 expressions of a state that are not those that stood there before."""
    for place, value in end.values.items():
        if value is not before.values[place]:
            yield from leaves(value)
    first = _rest(before)
    for what, value in _rest(end).items():
        if value is not first[what] and not isinstance(value, bool | int):
            yield value


def _rest(state: SymbolicState) -> dict[str, Any]:
    """What a state has beside its places, by what it is."""
    found: dict[str, Any] = {f"{kind} {ref} exists": bit for (kind, ref), bit in state.exists.items()}
    found |= {f"{kind} {name} is met": bit for (kind, name), bit in state.known.items()}
    for i, counts in enumerate(state.counts):
        found |= {f"count {i} {key}": n.n for key, n in counts.items()}
    return found | {f"breach {i}": bit for i, bit in enumerate(state.broken)}


def _truth(value: Truth, leaf: Leaf) -> bool:
    return value if isinstance(value, bool) else bool(leaf(value))


def _no_leaf(expr: Any) -> Any:
    raise AssertionError(f"a constant was expected, found {expr}")


# ------------------------------------------------------------------------------------------------- plays
def follow(program: Program, play: Play) -> Iterator[Disagreement]:
    """What judge and Z3 say differently of a play, event by event: unrolled with its amounts and cards open, which
    are then put in. `play` has no event that cannot happen. Once something has been found broken that an event
    claims, Z3 is not told of the breach, and the rest is not looked at."""
    unrolled = Unrolled(program, play)
    world = unrolled.world
    pairs: Pairs = []
    for moment in unrolled.moments:
        params = program.ruleset.events[moment.happening.event].params
        for param, arg, value in zip(params, moment.args, moment.happening.values, strict=True):
            if next(leaves(arg), None) is not None:
                pairs += world.shapes.pairs(arg, world.shapes.constant(param.type, value))
    starts = [unrolled.state(i) for i in range(len(unrolled.moments))]
    outputs = Outputs(
        value
        for start, moment in zip(starts, unrolled.moments, strict=True)
        for value in (moment.can, *(t for _, t in moment.lawful), *changed(start, moment.step.end))
    )
    leaf = outputs.evaluate(pairs)
    judge = Judge(program, dict(play.options))
    for number, happening in enumerate(play.happenings):
        sample = Sample(judge.state, dict(play.options))
        where = f"event {number + 1}, {happening.event} by {happening.actor}"
        if number == len(unrolled.moments) or not _truth(unrolled.moments[number].can, leaf):
            yield Disagreement(f"{where}: it can happen", str(happening.values), "True", "False", sample)
            return
        moment = unrolled.moments[number]
        charged = {compiled.duty.rule for compiled, _ in judge.duties.charged.values()}
        before = lift(world, judge.state)
        found = wrong(judge.step(happening))
        broken = [rule for rule, truth in moment.lawful if not _truth(truth, leaf)]
        if bool(found) is not bool(broken):
            silent = not found and set(broken) <= charged
            if not silent and (broken or not left_out(program, happening.event, happening.actor, found)):
                yield Disagreement(where, str(happening.values), said(found), f"breaks {broken}", sample)
        told = all(j.verdict == "broken" for j in found) and "" not in broken and not (charged & set(broken))
        told = told and bool(found) is bool(broken)
        start = starts[number]
        for what, theirs, mine in differences(start, before, moment.step.end, judge.state, leaf, told):
            yield Disagreement(f"{where}: {what}", str(happening.values), theirs, mine, sample)
        if not told:
            return
