"""Whether the interpreter and Z3 say the same: of decisions, functions, duties and events, on concrete states.

Everything is encoded once, over a state made of variables; then each sample's values are put in for the variables
and Z3 simplifies what is left to constants, all of it in one call so that shared subterms are met once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any

import z3

from verifier.core.program import EVENT_PREFIX, Program
from verifier.model import types as ty
from verifier.model.ruleset import Param
from verifier.model.terms import Term
from verifier.model.types import BOOL, MONEY, PARTY, Type
from verifier.model.values import show
from verifier.prove.encode import Decided, Encoded, Encoder
from verifier.prove.random_states import random_arguments, random_options, random_state, random_value
from verifier.prove.scope import Scope, reads_after
from verifier.prove.shapes import Leaf, constant_of, leaves
from verifier.prove.step import Step, arguments, step
from verifier.prove.symbolic import SymbolicState, World, lift, option_variables, variables
from verifier.prove.values import Truth
from verifier.run.apply import CannotApply, Mechanics, apply, compile_mechanics
from verifier.run.bench import Happening
from verifier.run.judge import Judge
from verifier.run.machine import Machine
from verifier.run.state import State
from verifier.run.undefined import Undefined

MOST_COMBINATIONS = 24
"""References, ids and enumerations in arguments are taken one by one where there are at most so many in all."""

Answer = tuple[object, tuple[bool, ...]]
"""A value (None where undefined), then: is it defined, a gap, a conflict (decisions only)."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A state with the options stated in it."""

    state: State
    options: dict[str, object]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """What interpreter and Z3 say of `what` at these arguments; `sample` shows it again."""

    what: str
    args: str
    interpreter: str
    z3: str
    sample: Sample


def random_samples(program: Program, scope: Scope, count: int, seed: int = 0) -> list[Sample]:
    """`count` random states of the program within the scope, the same ones for the same seed."""
    world, rng = World(program, scope), Random(seed)
    return [Sample(random_state(world, rng), random_options(world, rng)) for _ in range(count)]


def agree(
    program: Program,
    scope: Scope,
    samples: Iterable[Sample],
    encoder: type[Encoder] = Encoder,
    seed: int = 0,
    symbolic: bool = False,
) -> list[Disagreement]:
    """Every disagreement on the samples; none is what should come.

    References, ids and enumerations in arguments are constants, all of them in turn, unless they are too many or
    all are to be `symbolic`; amounts and records are drawn anew for each sample from `seed`.
    """
    return list(Agreement(program, scope, encoder, symbolic).check(samples, seed))


@dataclass(frozen=True, slots=True)
class _Question:
    what: str
    params: tuple[Param, ...]
    args: tuple[Any, ...]
    type: Type
    value: Any
    flags: tuple[Truth, ...]
    run: Callable[[tuple[Any, ...]], Answer]


@dataclass(frozen=True, slots=True)
class _Happening:
    """An event of open arguments, with what is asked of them where it is at hand."""

    event: str
    args: tuple[Any, ...]
    step: Step
    mechanics: Mechanics
    questions: tuple[_Question, ...]


class Outputs:
    """Z3 expressions that are put together, so that values are put in for variables in all of them at once."""

    def __init__(self, values: Iterable[Any]) -> None:
        distinct = {expr.get_id(): expr for value in values for expr in leaves(value)}
        sorts = [expr.sort() for expr in distinct.values()]
        self._pack = z3.Function("everything", *sorts, z3.BoolSort())(*distinct.values()) if sorts else None
        self._names = [(number, z3.is_bool(expr)) for number, expr in distinct.items()]

    def evaluate(self, pairs: Sequence[tuple[Any, Any]]) -> Leaf:
        """What each expression is with values for all of its variables."""
        if self._pack is None:
            return _no_leaf
        count = len(pairs)
        variables_, constants = (z3.Ast * count)(), (z3.Ast * count)()
        for i, (variable, constant) in enumerate(pairs):
            variables_[i], constants[i] = variable.as_ast(), constant.as_ast()
        put_in = z3.Z3_substitute(self._pack.ctx_ref(), self._pack.as_ast(), count, variables_, constants)
        packed = z3.simplify(z3.BoolRef(put_in, self._pack.ctx))
        found: dict[int, bool | int] = {}
        for value, (number, truth) in zip(packed.children(), self._names, strict=True):
            if truth:
                found[number] = z3.is_true(value)
                assert found[number] or z3.is_false(value), f"Z3 left {value}"
            else:
                found[number] = value.as_long()
        return lambda expr: found[expr.get_id()]


class Agreement:
    """A program encoded once, or `only` one decision of it, to be compared on any number of samples."""

    def __init__(
        self,
        program: Program,
        scope: Scope,
        encoder: type[Encoder] = Encoder,
        symbolic: bool = False,
        only: str | None = None,
    ) -> None:
        self.world = World(program, scope)
        self.program = program
        self.encoder = encoder
        self.symbolic = symbolic
        self.state = variables(self.world)
        self.options = option_variables(self.world)
        self.machine = Machine(program, {})
        self.judge = Judge(program, {})
        self.encode = encoder(self.state, self.options)
        self.questions = [*self._decisions(only)]
        self.happenings = []
        if only is None:
            self.questions += [*self._functions(), *self._performances()]
            self.happenings = [self._happening(event) for event in program.ruleset.events]
        self._outputs = Outputs(self._leaves())

    # ------------------------------------------------------------------------------------------- questions
    def _decisions(self, only: str | None) -> Iterator[_Question]:
        for name, decision in self.program.decisions.items():
            if only not in (None, name):
                continue
            for args in self._arguments(name, decision.params):
                found = self.encode.decision(name, args)
                yield self._decision_question(name, decision.params, args, decision.type, found)
                if decision.asked is not None:
                    asked = decision.asked
                    yield self._term_question(
                        f"{name} is asked", asked, decision.params, args, BOOL, self.encode.asked(name, args)
                    )

    def _decision_question(
        self, name: str, params: tuple[Param, ...], args: tuple[Any, ...], type_: Type, found: Decided
    ) -> _Question:
        def run(values: tuple[Any, ...]) -> Answer:
            sure, maybe, reasons = self.machine.cases(name, values)
            gap = not sure and not maybe and not reasons
            conflict = len({value for value, _ in sure}) > 1
            try:
                return self.machine.decide(name, values), (True, gap, conflict)
            except Undefined:
                return None, (False, gap, conflict)

        return _Question(
            name, params, args, type_, found.value, (found.defined, found.gap, found.conflict), run
        )

    def _functions(self) -> Iterator[_Question]:
        for name, function in self.program.functions.items():
            if reads_after(self.program, function.body):
                continue
            for args in self._arguments(name, function.params):
                found = self.encode.call(name, args)
                yield self._function_question(name, function.params, args, function.type, found)

    def _performances(self) -> Iterator[_Question]:
        """Which events perform a duty, or are its deadline."""
        for duty in self.program.duties:
            for i, act in enumerate((*duty.acts, *duty.deadline_acts), 1):
                event = self.program.ruleset.events[act.event]
                marked = tuple(Param(EVENT_PREFIX + p.name, p.type) for p in event.params)
                params = (*marked, *duty.variables)
                what = f"act {i} of {duty.unit}"
                for args in self._arguments(what, params):
                    names = dict(zip((p.name for p in params), args, strict=True))
                    found = self.encode.encode(act.matches, names)
                    yield self._term_question(what, act.matches, params, args, BOOL, found)

    def _function_question(
        self, name: str, params: tuple[Param, ...], args: tuple[Any, ...], type_: Type, found: Encoded
    ) -> _Question:
        def run(values: tuple[Any, ...]) -> Answer:
            return _answer(lambda: self.machine.function(name, values))

        return _Question(name, params, args, type_, found.value, (found.defined,), run)

    def _term_question(
        self,
        what: str,
        term: Term,
        params: tuple[Param, ...],
        args: tuple[Any, ...],
        type_: Type,
        found: Encoded,
    ) -> _Question:
        closure = self.machine.closure(term, [p.name for p in params])
        return _Question(
            what,
            params,
            args,
            type_,
            found.value,
            (found.defined,),
            lambda values: _answer(lambda: closure(list(values))),
        )

    def _arguments(self, name: str, params: tuple[Param, ...]) -> Iterator[tuple[Any, ...]]:
        open_ = [self.world.shapes.variable(p.type, f"{name} of {p.name}") for p in params]
        fixed = [
            self.world.scope.keys(p.type)
            if isinstance(p.type, ty.EntityT | ty.IdT | ty.EnumT | ty.BoolT)
            else None
            for p in params
        ]
        total = 1
        for values in fixed:
            total *= 1 if values is None else len(values)
        if self.symbolic or total > MOST_COMBINATIONS:
            yield tuple(open_)
            return
        choices = [
            [variable]
            if values is None
            else [self.world.shapes.constant(param.type, value) for value in values]
            for param, variable, values in zip(params, open_, fixed, strict=True)
        ]
        yield from product(*choices)

    def _happening(self, event: str) -> _Happening:
        declared = self.program.ruleset.events[event]
        args = arguments(self.world, event)
        made = step(self.state, self.options, event, args, self.encoder)
        encode = self.encoder(made.before, self.options, made.after)
        marked = tuple(Param(EVENT_PREFIX + p.name, p.type) for p in declared.params)
        questions: list[_Question] = []

        def ask(what: str, term: Term, params: tuple[Param, ...], type_: Type) -> None:
            names = dict(zip((p.name for p in params), args, strict=True))
            found = encode.encode(term, names)
            questions.append(self._term_question(f"{event}: {what}", term, params, args, type_, found))

        for i, need in enumerate(declared.needs, 1):
            ask(f"need {i}", need, declared.params, BOOL)
        for i, claim in enumerate(declared.claims, 1):
            ask(f"claim {i}", claim, declared.params, BOOL)
        for i, move in enumerate(declared.moves, 1):
            ask(f"amount {i}", move.amount, declared.params, MONEY)
            ask(f"from {i}", move.source, declared.params, PARTY)
            ask(f"to {i}", move.target, declared.params, PARTY)
            if move.due is not None:
                ask(f"due {i}", move.due, declared.params, MONEY)
        for norm in (*self.program.against(event), *self.program.permissions.get(event, ())):
            ask(f"head of {norm.unit}", norm.head, marked, BOOL)
            function = self.program.functions[norm.applies]
            questions.append(
                self._function_question(
                    norm.applies, function.params, args, BOOL, encode.call(norm.applies, args)
                )
            )
        return _Happening(event, args, made, compile_mechanics(self.machine, event), tuple(questions))

    def _leaves(self) -> Iterator[Any]:
        for question in (*self.questions, *(q for h in self.happenings for q in h.questions)):
            yield from leaves((question.value, *question.flags))
        for happening in self.happenings:
            made = happening.step
            yield from leaves((made.cannot, made.escapes, *_parts(made.end)))

    # ------------------------------------------------------------------------------------------- comparing
    def check(self, samples: Iterable[Sample], seed: int = 0) -> Iterator[Disagreement]:
        """Compare on each sample; see `agree`."""
        rng = Random(seed)
        for sample in samples:
            drawn = self._draw(sample, rng)
            leaf = self._evaluate(sample, [pair for pairs, _ in drawn.values() for pair in pairs])
            self.machine.options = sample.options
            self.machine.enter(sample.state)
            for question in self.questions:
                yield from self._compare(
                    question, drawn[question.what.split(" is asked")[0]][1], sample, leaf
                )
            for happening in self.happenings:
                values = drawn[f"event {happening.event}"][1]
                yield from self._compare_event(happening, tuple(values.values()), sample, leaf)

    def _draw(self, sample: Sample, rng: Random) -> dict[str, tuple[list[tuple[Any, Any]], dict[str, Any]]]:
        """For each question and event a value for every open argument, with the Z3 variables it is put in for."""
        shapes = self.world.shapes
        found: dict[str, tuple[list[tuple[Any, Any]], dict[str, Any]]] = {}
        for question in self.questions:
            name = question.what.split(" is asked")[0]
            if name in found:
                continue
            values = {p.name: random_value(self.world, sample.state, p.type, rng) for p in question.params}
            pairs = [
                pair
                for p, arg in zip(question.params, question.args, strict=True)
                if not constant_of(arg)
                for pair in shapes.pairs(arg, shapes.constant(p.type, values[p.name]))
            ]
            found[name] = (pairs, values)
        for happening in self.happenings:
            params = self.program.ruleset.events[happening.event].params
            drawn = random_arguments(self.world, sample.state, happening.event, rng)
            pairs = [
                pair
                for p, arg, value in zip(params, happening.args, drawn, strict=True)
                for pair in shapes.pairs(arg, shapes.constant(p.type, value))
            ]
            found[f"event {happening.event}"] = (
                pairs,
                {p.name: v for p, v in zip(params, drawn, strict=True)},
            )
        return found

    def _evaluate(self, sample: Sample, arguments_: list[tuple[Any, Any]]) -> Leaf:
        """What each output is on the sample."""
        given = (self.state.assignment(sample.state), self.options.assignment(sample.options), arguments_)
        return self._outputs.evaluate([pair for pairs in given for pair in pairs])

    def _compare(
        self, question: _Question, drawn: dict[str, Any], sample: Sample, leaf: Leaf
    ) -> Iterator[Disagreement]:
        shapes = self.world.shapes
        values = tuple(
            shapes.concrete(p.type, arg, leaf) if constant_of(arg) else drawn[p.name]
            for p, arg in zip(question.params, question.args, strict=True)
        )
        expected = question.run(values)
        flags = tuple(shapes.concrete(BOOL, flag, leaf) for flag in question.flags)
        value = shapes.concrete(question.type, question.value, leaf) if flags[0] else None
        if (value, flags) != expected:
            yield Disagreement(
                question.what,
                ", ".join(show(p.type, v) for p, v in zip(question.params, values, strict=True)),
                _said(question.type, *expected),
                _said(question.type, value, flags),
                sample,
            )

    def _compare_event(
        self, happening: _Happening, values: tuple[Any, ...], sample: Sample, leaf: Leaf
    ) -> Iterator[Disagreement]:
        made, machine, shapes = happening.step, self.machine, self.world.shapes
        params = self.program.ruleset.events[happening.event].params
        args = ", ".join(show(p.type, v) for p, v in zip(params, values, strict=True))
        machine.enter(sample.state)
        cannot = False
        try:
            after = apply(machine, happening.mechanics, values)
        except CannotApply:
            after, cannot = sample.state, True
        if cannot is not shapes.concrete(BOOL, made.cannot, leaf):
            yield Disagreement(
                f"{happening.event} cannot be applied", args, str(cannot), str(not cannot), sample
            )
            return
        escapes = not cannot and shapes.concrete(BOOL, made.escapes, leaf)
        if not escapes:
            machine.enter(sample.state, after)
            for question in happening.questions:
                drawn = {p.name: v for p, v in zip(question.params, values, strict=True)}
                yield from self._compare(question, drawn, sample, leaf)
        yield from self._compare_end(happening, values, args, sample, leaf, escapes)

    def _compare_end(
        self,
        happening: _Happening,
        values: tuple[Any, ...],
        args: str,
        sample: Sample,
        leaf: Leaf,
        escapes: bool,
    ) -> Iterator[Disagreement]:
        event = self.program.ruleset.events[happening.event]
        self.judge.bench.state = sample.state
        self.judge.machine.options = sample.options
        judged = self.judge.step(Happening(event.name, (*event.by, *self.program.ruleset.actors)[0], values))
        end = self.judge.state
        try:
            expected = lift(self.world, end).read(_no_leaf)
        except ValueError:
            if not escapes:
                yield Disagreement(event.name, args, "leaves the scope", "stays within it", sample)
            return
        if escapes:
            lives = [life for life in self.program.ruleset.lives.values() if event.name in life.ends]
            if not lives:
                yield Disagreement(event.name, args, "stays within the scope", "leaves it", sample)
            return
        found = happening.step.end.read(leaf)
        if any(j.verdict == "broken" for j in judged):
            found.broken[:] = expected.broken
        for what, theirs, ours in _differences(expected, found):
            yield Disagreement(f"{event.name}: {what}", args, theirs, ours, sample)


def _answer(run: Callable[[], Any]) -> Answer:
    try:
        return run(), (True,)
    except Undefined:
        return None, (False,)


def _said(type_: Type, value: object, flags: Sequence[bool]) -> str:
    if flags[0]:
        return show(type_, value)
    names = [name for name, flag in zip(("gap", "conflict"), flags[1:], strict=False) if flag]
    return "undefined" + (f": {', '.join(names)}" if names else "")


def _parts(state: SymbolicState) -> Iterator[Any]:
    yield from state.values.values()
    yield from state.exists.values()
    for counts in state.counts:
        yield from counts.values()
    yield from state.broken
    yield from state.known.values()


def _no_leaf(expr: Any) -> Any:
    raise AssertionError(f"a constant was expected, found {expr}")


def _differences(expected: State, found: State) -> Iterator[tuple[str, str, str]]:
    for what, theirs, ours in (
        ("state", expected.fields, found.fields),
        ("entities", expected.entities, found.entities),
        ("history", dict(enumerate(expected.counts)), dict(enumerate(found.counts))),
        ("breaches", dict(enumerate(expected.broken)), dict(enumerate(found.broken))),
        ("ids", {k: list(v) for k, v in expected.ids.items()}, {k: list(v) for k, v in found.ids.items()}),
    ):
        for name in theirs:
            if theirs[name] != ours[name]:  # type: ignore[index]
                yield f"{what} {name}", str(theirs[name]), str(ours[name])  # type: ignore[index]
