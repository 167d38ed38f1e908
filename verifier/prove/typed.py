"""Questions asked of every state that the types allow, within a scope.

That is more states than any play can reach: where there is none here there is none at all. What is found here may be
out of reach; the interpreter has then said that it is what was asked for, and nobody how to get there.

In a question, as in a rule, a parameter that names an entity ranges over those that exist in the state, one that
names a person over those met, any other over its whole type. An event's parameters are free: it may make what it
names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise, product
from typing import Any, Literal

import z3

from verifier.core.absent import Absent
from verifier.core.program import EVENT_PREFIX, Program
from verifier.model import types as ty
from verifier.model.ruleset import Param
from verifier.model.show import names_of, show_term
from verifier.model.terms import Term
from verifier.model.types import Type
from verifier.model.values import show
from verifier.prove.encode import MOST_STEPS, Encoder
from verifier.prove.modelled import Modelled, denied, not_met
from verifier.prove.outlined import Outlined, Outlines
from verifier.prove.question import Answer, Never, Nothing, Question, Sometimes, Unknown
from verifier.prove.scope import Scope
from verifier.prove.scope_words import BY_PATH, Telling, scope_text
from verifier.prove.shapes import leaves, model_leaf
from verifier.prove.smtlib import Assumed, Writer
from verifier.prove.solve import Settings, Solved, save, solve
from verifier.prove.step import Step, arguments, promised, step
from verifier.prove.symbolic import SymbolicOptions, SymbolicState, World, option_variables, variables
from verifier.prove.values import CannotEncodeError, Opt, Truth, and_, equal, not_, or_
from verifier.run.machine import Machine
from verifier.run.state import first_state

MOST_ROUNDS = 32
"""So often is a state refuted because there is what there must not be, before a quantifier says that for all values.
"""

MOST_KEPT = 4
"""So many questions are kept as they were encoded."""

DEGREES = 6
"""So often what is assumed is added to, before all of it is used."""

AT_ONCE = 8
"""So many assumptions are added at once, of those that a state found does not meet."""

SEVERAL = 3
"""Where a question has so many things that there must not be, a state is looked for before outlines with lists are
drawn: to find one costs less."""

INSTANCES = 8
"""So many instances of what must not be are asked at once: those of the question's own values."""


ASKED = "Of {scope}: unsat means that no state, with options and values, is what is asked for."


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a question is asked: in a state, or where an event is at hand; `step` is what that event does."""

    encoder: Encoder
    state: SymbolicState
    step: Step | None
    event: str | None
    args: tuple[Any, ...]
    conditions: tuple[Truth, ...]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question, encoded: its parameters' values, and what must hold of them."""

    place: _Place
    values: Mapping[str, Any]
    conditions: tuple[Truth, ...]


@dataclass(frozen=True, slots=True)
class Differ:
    """Two terms come out otherwise in some state that the types allow."""

    scope: str


class Typed:
    """A program within a scope, encoded bit by bit as it is asked about. `telling` is how scopes are told, `told` what
    outlines told of it, with the same settings, in other scopes."""

    def __init__(
        self,
        program: Program,
        scope: Scope,
        settings: Settings,
        telling: Telling = BY_PATH,
        told: Outlines | None = None,
    ) -> None:
        self.program = program
        self.scope = scope
        self.settings = settings
        self.telling = telling
        self.world = World(program, scope)
        self.state = variables(self.world)
        named = option_variables(self.world)
        self.options = SymbolicOptions(
            self.world, {name: (value, True) for name, (value, _) in named.values.items()}
        )
        self.scope_text = scope_text(scope, program, telling)
        self.outlined = Outlined(program, scope, settings, telling, self.state, self.options, told)
        self._of_options: Assumed | str | None = None
        self.writer = Writer()
        self._encoder = Encoder(self.state, self.options, most=MOST_STEPS)
        self._places: dict[str | None, _Place] = {}
        self._lately: list[tuple[Question, _Asked, list[Truth]]] = []
        self._assumed: dict[tuple[Term, ...], Assumed | str] = {}
        # By the identity of a term, which is kept as long: to compare large ones takes longer than to encode them.
        self._assumptions: dict[int, tuple[Term, Truth]] = {}
        self._machine = Machine(program, {})

    def ask(
        self,
        question: Question,
        assuming: Sequence[Term] = (),
        name: str = "",
        comment: str = "",
        likely: Literal["never", "sometimes"] = "never",
    ) -> Answer:
        """Whether there is a state, with options and values, that answers the question.

        `assuming` are closed conditions that are true in every state at issue; they are used, never proved here.
        `Never` has asked every solver of the settings. `Sometimes` has been evaluated by the interpreter; its values
        are by the names of the question's parameters, and of the event's with `EVENT_PREFIX` before them. What is
        `likely` is tried first; where that is `sometimes`, a `Never` that is bounded by the scope is one solver's word.
        """
        try:
            return self._ask(question, tuple(assuming), name, comment, likely == "never")
        except CannotEncodeError as error:
            problem = error.problems[0]
            return Unknown(f"{problem.message}; {problem.help}", scope=self.scope_text)

    def write(self, question: Question, name: str, comment: str) -> None:
        """Write a question into the settings' folder as it is asked of every state within the scope. Where that is not
        linear, the file says so and asks nothing."""
        folder = self.settings.smt2
        assert folder is not None
        comment = f"{comment}\n{ASKED.format(scope=self.scope_text)}"
        try:
            assumed = self.assumed()
            asked = self._encoded(question)
            conditions = [*asked.conditions, *(self._for_all(asked, nothing) for nothing in question.none)]
        except CannotEncodeError as error:
            save(
                Writer().write([], name, f"{comment}\nNot asked: {error.problems[0].message}."), folder, name
            )
            return
        if isinstance(assumed, str):
            save(Writer().write([], name, f"{comment}\nNot asked: {assumed}."), folder, name)
            return
        relevant = self.writer.relevant(conditions, assumed)
        save(self.writer.write([*relevant, *conditions], name, comment), folder, name)

    def anywhere(self, question: Question, likely: bool = False) -> Never | None:
        """`Never` where the logic of the question alone says so, as `ask` tries it first; None where that does not
        tell. What is `likely` to be so somewhere is sooner told as such."""
        options = self._options_assumed()
        return None if isinstance(options, str) else self.outlined.never(question, options, "", "", likely)

    def _ask(
        self, question: Question, assuming: tuple[Term, ...], name: str, comment: str, never: bool
    ) -> Answer:
        if assuming:
            return self._by_degrees(question, assuming, name, comment, twice=never)
        assumed = self.assumed()
        if isinstance(assumed, str):
            return Unknown(assumed, scope=self.scope_text)
        soon = len(question.none) >= SEVERAL
        if never and (anywhere := self._anywhere(question, name, comment, soon)) is not None:
            return anywhere
        here = self._here(question, (), assumed, name, comment, twice=never)
        match here:
            case Never():
                left = soon or not never
            case Unknown(disagree=disagree):
                left = soon and not disagree
            case Sometimes():
                left = False
        return (self._anywhere(question, name, comment) if left else None) or here

    def _by_degrees(
        self, question: Question, assuming: tuple[Term, ...], name: str, comment: str, twice: bool
    ) -> Answer:
        """The answer under assumptions, of which at first only those are used that a state found does not meet.

        Fewer are as good where they leave no state, and few do mostly; where they leave one in which all hold, that
        is the answer.
        """
        used: tuple[Term, ...] = ()
        for tried in range(DEGREES + 1):
            if tried == DEGREES:
                used = assuming
            assumed = self.assumed(used)
            if isinstance(assumed, str):
                return Unknown(assumed, scope=self.scope_text)
            answer = self._here(question, used, assumed, name, comment, twice=twice)
            if isinstance(answer, Never) or len(used) == len(assuming):
                return answer
            if not isinstance(answer, Sometimes):
                used = assuming
                continue
            unmet = not_met(self._machine, assuming, answer)
            if not unmet:
                return answer
            more = set(unmet[:AT_ONCE])
            used = tuple(term for term in assuming if term in more or term in used)
        raise AssertionError(name)

    def _here(
        self,
        question: Question,
        assuming: tuple[Term, ...],
        assumed: Assumed,
        name: str,
        comment: str,
        twice: bool,
    ) -> Answer:
        """The answer within the scope; a `Never` is confirmed where it is to be found `twice`."""
        asked, own = self._kept(question)
        comment = f"{comment}\n{ASKED.format(scope=self.scope_text)}"
        if assuming and self.settings.smt2 is not None:
            names = names_of(self.program.ruleset)
            shown = sorted(" ".join(show_term(term, names).split()) for term in assuming)
            comment += "\n".join(("\nSupposed, and proved to be kept by every event:", *shown))
        instances = list(own)
        for tried in range(MOST_ROUNDS + 1):
            if tried == MOST_ROUNDS:
                instances = [self._for_all(asked, nothing) for nothing in question.none]
            solved = solve(
                [*asked.conditions, *instances],
                self.settings,
                name,
                comment,
                assumed,
                self.writer,
                twice=twice,
            )
            if solved.status == "unsat":
                return Never("typed", self.scope_text, solved.by)
            if solved.status != "sat":
                return Unknown(solved.why, solved.status == "disagree", self.scope_text)
            found = self._concrete(asked, question, solved)
            more, why = self._refuting(asked, question, found)
            if why:
                return Unknown(why, scope=self.scope_text)
            if not more:
                return self._evaluated(question, assuming, found, solved)
            instances += more
        return Unknown("every state found has what there must not be", scope=self.scope_text)

    def _anywhere(self, question: Question, name: str, comment: str, soon: bool = False) -> Never | None:
        """`Never` where the logic of the question says so, with or without its lists, or without them if that is to be
        told `soon`; None where that does not tell."""
        options = self._options_assumed()
        assert isinstance(options, Assumed)
        return self.outlined.never(question, options, name, comment, soon=soon)

    def differ(
        self, params: Sequence[Param], left: Term, right: Term, assuming: Sequence[Term] = ()
    ) -> Never | Differ | Unknown:
        """Whether two terms over `params` ever come out otherwise: another value, or a value and none.

        `params` may be any values of their types, of records and entities too, there or not. Where both are
        undefined they count as the same unless one of them reads a decision: for want of a part of what is absent
        nothing is told of a rule, but a gap is not a clash. Neither term may read what an event leaves.
        """
        try:
            return self._differ(params, left, right, tuple(assuming))
        except CannotEncodeError as error:
            problem = error.problems[0]
            return Unknown(f"{problem.message}; {problem.help}", scope=self.scope_text)

    def _differ(
        self, params: Sequence[Param], left: Term, right: Term, assuming: tuple[Term, ...]
    ) -> Never | Differ | Unknown:
        assumed = self.assumed(assuming)
        if isinstance(assumed, str):
            return Unknown(assumed, scope=self.scope_text)
        shapes = self.world.shapes
        self._encoder.afresh()
        values = {p.name: shapes.named(p.type, f"some {p.name}") for p in params}
        promises = [c for p in params for c in shapes.promises(p.type, values[p.name], stated=False)]
        mine, its = self._encoder.encode(left, values), self._encoder.encode(right, values)
        both = and_(mine.defined, its.defined)
        cases = [
            and_(both, not_(equal(mine.value, its.value))),
            and_(mine.defined, not_(its.defined)),
            and_(its.defined, not_(mine.defined)),
        ]
        absent = Absent(self.program)
        if absent.reads(left).decides or absent.reads(right).decides:
            cases.append(not_(or_(mine.defined, its.defined)))
        name = "terms that differ"
        comment = f"Of {self.scope_text}: unsat means that in no state the two terms come out otherwise."
        solved = solve([*promises, or_(*cases)], self.settings, name, comment, assumed, self.writer)
        if solved.status == "unsat":
            return Never("typed", self.scope_text, solved.by)
        if solved.status != "sat":
            return Unknown(solved.why, solved.status == "disagree", self.scope_text)
        return Differ(self.scope_text)

    # -------------------------------------------------------------------------------------------- assumptions
    def assumed(self, assuming: tuple[Term, ...] = ()) -> Assumed | str:
        """What holds of every state and of the options, and `assuming`; or why nothing can be asked under that."""
        if assuming not in self._assumed:
            self._assumed[assuming] = self._assume(assuming)
        return self._assumed[assuming]

    def _options_assumed(self) -> Assumed | str:
        """What holds of the options, or why nothing can be asked of them."""
        if self._of_options is None:
            self._of_options = self._assume_options()
        return self._of_options

    def _assume_options(self) -> Assumed | str:
        conditions = list(self.options.assumptions())
        self._encoder.afresh()
        for requirement in self.program.ruleset.requirements:
            found = self._encoder.encode(requirement.condition, {})
            conditions += [found.value, found.defined]
        solved = solve(
            conditions,
            self.settings,
            "options",
            "Whether the options can meet every requirement; unsat would mean that they cannot.",
        )
        if solved.status != "sat":
            return f"no options are known to meet every requirement: {solved.why or solved.status}"
        values = tuple(value for value, _ in self.options.values.values())
        return Assumed(
            tuple(c for c in conditions if c is not True),
            tuple((expr, solved.model.eval(expr, model_completion=True)) for expr in leaves(values)),
        )

    def _assume(self, assuming: tuple[Term, ...]) -> Assumed | str:
        options = self._options_assumed()
        if isinstance(options, str):
            return options
        self._encoder.afresh()
        conditions = [*self.state.assumptions(), *options.conditions]
        conditions += [self._assumption(term) for term in assuming]
        conditions = [c for c in conditions if c is not True]
        base = (*self.state.assignment(first_state(self.program.ruleset)), *options.base)
        if not self._hold(conditions, base):
            solved = solve(
                conditions,
                self.settings,
                "assumptions",
                "Whether what is assumed of every state can be; unsat would mean that it cannot.",
            )
            if solved.status != "sat":
                return f"what is assumed is not known to be possible: {solved.why or solved.status}"
        return Assumed(tuple(conditions), base)

    def _assumption(self, term: Term) -> Truth:
        """That a closed condition is defined, and true."""
        if id(term) not in self._assumptions:
            found = self._encoder.encode(term, {})
            self._assumptions[id(term)] = term, and_(found.defined, found.value)
        return self._assumptions[id(term)][1]

    @staticmethod
    def _hold(conditions: Sequence[Truth], base: Sequence[tuple[Any, Any]]) -> bool:
        """Whether the base meets all the conditions."""
        rest = and_(*conditions)
        if isinstance(rest, bool):
            return rest
        return bool(z3.is_true(z3.simplify(z3.substitute(rest, *base))))

    # ---------------------------------------------------------------------------------------------- encoding
    def _place(self, event: str | None) -> _Place:
        if event not in self._places:
            self._places[event] = self._make_place(event)
        return self._places[event]

    def _make_place(self, event: str | None) -> _Place:
        if event is None:
            return _Place(self._encoder, self.state, None, None, (), ())
        args = arguments(self.world, event)
        made = step(self.state, self.options, event, args)
        params = self.program.ruleset.events[event].params
        conditions = [
            *promised(self.world, event, args),
            *(self._named(p.type, arg) for p, arg in zip(params, args, strict=True)),
            not_(made.cannot),
            not_(made.escapes),
        ]
        for kind, ids in self.scope.ids.items():
            conditions += [
                or_(not_(made.before.known[kind, b]), made.before.known[kind, a]) for a, b in pairwise(ids)
            ]
        encoder = Encoder(made.before, self.options, made.after, MOST_STEPS)
        return _Place(encoder, made.before, made, event, args, tuple(c for c in conditions if c is not True))

    def _named(self, type_: Type, value: Any) -> Truth:
        """That every id in an event's argument is somebody's."""
        match type_:
            case ty.IdT(name=kind):
                return or_(*(self.world.shapes.mentions(type_, value, kind, i) for i in self.scope.ids[kind]))
            case ty.RecordT(fields=parts) | ty.EntityT(keys=parts):
                return and_(*(self._named(part, v) for (_, part), v in zip(parts, value, strict=True)))
            case ty.OptT(of=of):
                return or_(not_(value.present), self._named(of, value.value))
            case _:
                return True

    def _kept(self, question: Question) -> tuple[_Asked, list[Truth]]:
        """A question, encoded, with the instances for its own values of what must not be. Those asked last are kept:
        the same is asked under other assumptions, and to encode it may take longer than to answer it."""
        for kept, asked, own in self._lately:
            if kept is question:
                asked.place.encoder.afresh()
                return asked, own
        asked = self._encoded(question)
        own = [i for nothing in question.none for i in self._own_instances(asked, question, nothing)]
        self._lately.insert(0, (question, asked, own))
        del self._lately[MOST_KEPT:]
        return asked, own

    def _encoded(self, question: Question) -> _Asked:
        place = self._place(question.event)
        place.encoder.afresh()
        params = () if question.event is None else self.program.ruleset.events[question.event].params
        values = {EVENT_PREFIX + p.name: arg for p, arg in zip(params, place.args, strict=True)}
        ranges: list[Truth] = []
        for param in question.params:
            values[param.name] = self.world.shapes.named(param.type, f"some {param.name}")
            made = param.name in question.made
            ranges.append(self.ranges(place.state, param.type, values[param.name], made=made))
        found = place.encoder.encode(question.condition, values)
        return _Asked(place, values, (*place.conditions, *ranges, found.defined, found.value))

    def ranges(self, state: SymbolicState, type_: Type, value: Any, made: bool = False) -> Truth:
        """That a parameter of the type may be `value` in the state; a thing that may be `made` need not exist."""
        shapes = self.world.shapes
        match type_:
            case ty.IdT(name=kind):
                return or_(
                    *(
                        and_(state.known[kind, name], equal(value, shapes.constant(type_, name)))
                        for name in self.scope.ids[kind]
                    )
                )
            case ty.EntityT(name=kind, keys=keys):
                own = zip(keys, value, strict=True) if made else ()
                return and_(
                    or_(
                        *(
                            and_(made or state.exists[kind, ref], equal(value, shapes.constant(type_, ref)))
                            for ref in self.scope.entities[kind]
                        )
                    ),
                    *(self.ranges(state, part, v, made) for (_, part), v in own),
                )
            case ty.RecordT(fields=parts):
                return and_(
                    *(self.ranges(state, part, v, made) for (_, part), v in zip(parts, value, strict=True))
                )
            case ty.OptT(of=of):
                assert isinstance(value, Opt)
                return or_(not_(value.present), self.ranges(state, of, value.value, made))
            case _:
                return and_(*shapes.promises(type_, value, stated=False))

    # ---------------------------------------------------------------------------------- what must not be
    def _instance(self, asked: _Asked, nothing: Nothing, values: Mapping[str, Any]) -> Truth:
        """That these values are not what there must not be."""
        state = asked.place.state
        ranges = [self.ranges(state, p.type, values[p.name]) for p in nothing.params]
        if any(r is False for r in ranges):
            return True
        found = asked.place.encoder.encode(nothing.condition, {**asked.values, **values})
        return not_(and_(*ranges, found.defined, found.value))

    def _for_all(self, asked: _Asked, nothing: Nothing) -> Truth:
        """That no values are what there must not be."""
        inner = {p.name: self.world.shapes.named(p.type, f"any {p.name}") for p in nothing.params}
        none = self._instance(asked, nothing, inner)
        bound = list(leaves(tuple(inner.values())))
        return none if isinstance(none, bool) or not bound else z3.ForAll(bound, none)

    def _own_instances(self, asked: _Asked, question: Question, nothing: Nothing) -> Iterator[Truth]:
        """Instances for the question's own values."""
        candidates = [
            [asked.values[p.name] for p in question.params if p.type == param.type]
            for param in nothing.params
        ]
        for values in islice(product(*candidates), INSTANCES):
            named = dict(zip((p.name for p in nothing.params), values, strict=True))
            yield self._instance(asked, nothing, named)

    def _refuting(self, asked: _Asked, question: Question, found: Modelled) -> tuple[list[Truth], str]:
        """Instances that the state does not meet, one for each `none` of which there is something after all."""
        more: list[Truth] = []
        for nothing in question.none:
            values, why = self._something(asked, nothing, found)
            if why:
                return [], why
            if values is not None:
                shapes = self.world.shapes
                constants = {p.name: shapes.constant(p.type, values[p.name]) for p in nothing.params}
                more.append(self._instance(asked, nothing, constants))
        return more, ""

    def _something(
        self, asked: _Asked, nothing: Nothing, found: Modelled
    ) -> tuple[dict[str, Any] | None, str]:
        """Values for which the condition is true in the state found; or why nobody can tell."""
        shapes = self.world.shapes
        inner = {p.name: shapes.named(p.type, f"any {p.name}") for p in nothing.params}
        ranges = [self.ranges(asked.place.state, p.type, inner[p.name]) for p in nothing.params]
        encoded = asked.place.encoder.encode(nothing.condition, {**asked.values, **inner})
        conditions = [
            c if isinstance(c, bool) else found.model.eval(c)
            for c in (*ranges, encoded.defined, encoded.value)
        ]
        solved = solve(conditions, replace(self.settings, smt2=None))
        if solved.status == "unsat":
            return None, ""
        if solved.status != "sat":
            return None, solved.why
        leaf = model_leaf(solved.model)
        return {p.name: shapes.concrete(p.type, inner[p.name], leaf) for p in nothing.params}, ""

    # --------------------------------------------------------------------------------------- the interpreter
    def _concrete(self, asked: _Asked, question: Question, solved: Solved) -> Modelled:
        """What a model is to the interpreter. What it leaves open of the question's values is settled here."""
        model, shapes = solved.model, self.world.shapes
        for expr in leaves(tuple(asked.values.values())):
            model.update_value(expr, model.eval(expr, model_completion=True))
        leaf = model_leaf(model)
        state = self.state.read(leaf)
        place = asked.place
        params = () if place.event is None else self.program.ruleset.events[place.event].params
        return Modelled(
            state,
            state if place.step is None else place.state.read(leaf),
            self.options.concretize(model),
            {p.name: shapes.concrete(p.type, asked.values[p.name], leaf) for p in question.params},
            tuple(shapes.concrete(p.type, arg, leaf) for p, arg in zip(params, place.args, strict=True)),
            model,
        )

    def _evaluated(
        self, question: Question, assuming: tuple[Term, ...], found: Modelled, solved: Solved
    ) -> Answer:
        """The answer, once the interpreter says the same of the state found."""
        params = () if question.event is None else self.program.ruleset.events[question.event].params
        event = {EVENT_PREFIX + p.name: v for p, v in zip(params, found.event, strict=True)}
        if wrong := denied(self.program, self._machine, question, assuming, found, event):
            values = ", ".join(
                f"{p.name} {show(p.type, v)}"
                for p, v in (
                    *((p, found.values[p.name]) for p in question.params),
                    *zip(params, found.event, strict=True),
                )
            )
            return Unknown(
                f"the interpreter denies what {' and '.join(solved.by)} found: {wrong}"
                + (f" ({values})" if values else ""),
                True,
                self.scope_text,
            )
        return Sometimes(
            found.state,
            found.options,
            {**found.values, **event},
            None,
            self.scope_text,
            (*solved.by, "interpreter"),
        )
