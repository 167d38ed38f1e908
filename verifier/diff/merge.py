"""Two rulesets as one program over common inputs: each side's functions and decisions, over one state.

Only what is reached from what is compared is taken over. A function that both have, structure for structure, is one;
else each is there under its own name, `old.NAME` and `new.NAME` where both use that name for different things. Nothing
of law or game is known here: what is compared is terms.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from verifier.core.program import Case, DecisionProgram, Program
from verifier.diff.unify import SIDES, Common, Side, Which
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.rewrite import map_children, substitute
from verifier.model.ruleset import (
    BreachLatch,
    Decision,
    FieldTarget,
    Function,
    Latch,
    Param,
    Ruleset,
    StateTarget,
    Update,
    Write,
)
from verifier.model.show import APPLIES
from verifier.model.terms import Term
from verifier.model.types import Type
from verifier.prove.signed import signed

Name = tuple[Which, str]


@dataclass(frozen=True, slots=True)
class SideCase:
    """A rule's case of a decision, over common inputs: the decision's parameters are `p0`, `p1`, …"""

    unit: str
    rule: str
    applies: Term
    value: Term


@dataclass(frozen=True, slots=True)
class Answer:
    """What one side says of a thing that is compared: cases, each with its rule, or one define.

    `asked` is when an answer is due (absent: always). `params` are common ones.
    """

    which: Which
    name: str
    params: tuple[Param, ...]
    type: Type
    cases: tuple[SideCase, ...]
    asked: Term | None
    body: Term | None


class Merger:
    """Both programs in a common world; functions are taken over when they are wanted.

    `same` are the answers proved the same so far: (side, name) by the one that stands for both.
    """

    def __init__(self, common: Common, programs: Mapping[Which, Program]) -> None:
        self.common = common
        self.programs = programs
        self.same: dict[Name, Name] = {}
        self.latches: list[Latch] = []
        self.breaches: list[BreachLatch] = []
        self._latch_of: dict[tuple[Which, int], int] = {}
        self._breach_of: dict[tuple[Which, int], int] = {}
        self._functions: dict[str, Function] = {}
        self._decisions: dict[str, tuple[Decision, tuple[Case, ...]]] = {}
        self._known: dict[tuple[str, Name], str] = {}
        self._by_shape: dict[object, str] = {}
        self._rewritten: dict[tuple[Which, Term], Term] = {}

    def blind(self, but: Collection[str] = ()) -> Merger:
        """The same two sides, with every decision that both have taken for one, `but` these: what differs there,
        differs besides."""
        found = Merger(self.common, self.programs)
        new = self.common.new
        shared = {*self.common.old.decides()} & {*new.decides()} - {*but}
        found.same = dict(self.same) | {
            ("new", new.own(name)): ("old", name) for name in sorted(shared) if self._comparable(name)
        }
        return found

    def alike(self) -> frozenset[str]:
        """The decisions that both have case for case, with all that they read: those of which nothing differs once all
        of them are taken for one, for a decision may read itself."""
        shared = frozenset({*self.common.old.decides()} & {*self.common.new.decides()})
        unlike = frozenset(name for name in shared if not self._comparable(name))
        while True:
            told = self.blind(unlike)
            more = {name for name in shared - unlike if told.cases("old", name) != told.cases("new", name)}
            if not more:
                return shared - unlike
            unlike |= more

    def cases(self, which: Which, name: str) -> object:
        """Which cases a side has of a decision, whatever its rules are called; None where it has no such decision."""
        answer = self.answer(which, name)
        return None if answer is None else (answer.body, {(c.applies, c.value) for c in answer.cases})

    def _comparable(self, name: str) -> bool:
        first, second = self.answer("old", name), self.answer("new", name)
        return (
            first is not None
            and second is not None
            and [p.type for p in first.params] == [p.type for p in second.params]
            and first.type == second.type
        )

    # ------------------------------------------------------------------------------------------------ terms
    def term(self, which: Which, term: Term) -> Term:
        """One side's term over the common inputs."""
        key = which, term
        if key not in self._rewritten:
            self._rewritten[key] = self._rewrite(which, term)
        return self._rewritten[key]

    def _rewrite(self, which: Which, term: Term) -> Term:
        side = self.common.side(which)
        found = map_children(term, lambda inner: self.term(which, inner))
        if isinstance(found, m.Quant | m.Fold | m.Pick):
            found = replace(found, domain=self._domain(side, found.domain))
        match found:
            case m.Lit(type=type_, value=value):
                return m.Lit(side.type(type_), side.value(type_, value))
            case m.Get(name=name):
                found = replace(found, name=side.state[name])
                if isinstance(found.type, ty.IntT) and found.key is None:
                    return replace(found, type=self.common.state[found.name].type)
            case m.Field(entity=entity, name=name):
                found = replace(found, entity=side.entities[entity], name=side.fields[entity, name])
            case m.OptionGet(name=name):
                found = replace(found, name=side.options[name])
            case m.CallF(function=name):
                other = self.same.get((which, name))
                if other is not None:
                    return self._stand_in(found, other)
                found = replace(found, function=self.function(which, name))
            case m.Decide(decision=name):
                other = self.same.get((which, name))
                if other is not None:
                    return self._stand_in(found, other)
                found = replace(found, decision=self.decision(which, name))
            case m.TableT(rows=rows):
                of = term.of.type if isinstance(term, m.TableT) else found.of.type
                found = replace(found, rows=tuple((side.value(of, key), v) for key, v in rows))
            case m.Count(latch=latch):
                found = replace(found, latch=self._latch(which, latch))
            case m.BrokenT(latch=latch):
                found = replace(found, latch=self._breach(which, latch))
            case _:
                pass
        return found if side.plain else replace(found, type=side.type(found.type))

    def _stand_in(self, term: m.CallF | m.Decide, other: Name) -> Term:
        which, name = other
        side = self.common.side(which)
        type_ = self.common.side(which).type(term.type)
        if name in side.ruleset.decisions:
            return m.Decide(type_, self.decision(which, name), term.args)
        return m.CallF(type_, self.function(which, name), term.args)

    def domain(self, which: Which, domain: m.Domain) -> m.Domain:
        """What one side goes through, over the common inputs."""
        match domain:
            case m.OverValues(values=values):
                domain = replace(domain, values=tuple(self.term(which, value) for value in values))
            case m.OverList(list=of):
                domain = replace(domain, list=self.term(which, of))
            case m.OverEntity() | m.OverIds():
                pass
        return self._domain(self.common.side(which), domain)

    @staticmethod
    def _domain(side: Side, domain: m.Domain) -> m.Domain:
        type_ = side.type(domain.type)
        match domain:
            case m.OverEntity(entity=entity):
                return m.OverEntity(type_, side.entities[entity])
            case m.OverValues() | m.OverList() | m.OverIds():
                return replace(domain, type=type_)

    def _latch(self, which: Which, index: int) -> int:
        side = self.common.side(which)
        latch = side.ruleset.latches[index]
        params = side.ruleset.events[latch.event].params
        moved = replace(
            latch,
            event=side.events[latch.event],
            fixed=tuple((i, side.value(params[i].type, v)) for i, v in latch.fixed),
            reset=None if latch.reset is None else side.events[latch.reset],
            reset_fixed=()
            if latch.reset is None
            else tuple(
                (i, side.value(side.ruleset.events[latch.reset].params[i].type, v))
                for i, v in latch.reset_fixed
            ),
        )
        if moved not in self.latches:
            self.latches.append(moved)
        known = self.latches.index(moved)
        self._latch_of[which, index] = known
        return known

    def known_latch(self, which: Which, index: int) -> int | None:
        """The common number of one side's counter; None where nothing compared reads it."""
        return self._latch_of.get((which, index))

    def known_breach(self, which: Which, index: int) -> int | None:
        """The common number of one side's note of a breach; None where nothing compared reads it."""
        return self._breach_of.get((which, index))

    def _breach(self, which: Which, index: int) -> int:
        breach = self.common.side(which).ruleset.breaches[index]
        if breach not in self.breaches:
            self.breaches.append(breach)
        self._breach_of[which, index] = self.breaches.index(breach)
        return self._breach_of[which, index]

    # ----------------------------------------------------------------------------------- functions, decisions
    def function(self, which: Which, name: str) -> str:
        """The common name of one side's function, taken over with all that it reads."""
        key = ("function", (which, name))
        if key in self._known:
            return self._known[key]
        side = self.common.side(which)
        function = self.programs[which].functions[name]
        params = tuple(Param(p.name, side.type(p.type)) for p in function.params)
        body = self.term(which, function.body)
        type_ = side.type(function.type)
        shape = (tuple(p.type for p in params), type_, _positional(body, params))
        known = self._by_shape.get(shape)
        if known is None:
            known = self._named(which, name, self.programs[_other(which)].functions)
            self._by_shape[shape] = known
            self._functions[known] = replace(function, name=known, params=params, type=type_, body=body)
        self._known[key] = known
        return known

    def decision(self, which: Which, name: str) -> str:
        """The common name of one side's decision, taken over with its cases."""
        key = ("decision", (which, name))
        if key in self._known:
            return self._known[key]
        side = self.common.side(which)
        program = self.programs[which].decisions[name]
        known = self._named(which, name, self.programs[_other(which)].decisions)
        # A decision may read itself for another constant: its name is settled before its cases are read.
        self._known[key] = known
        params = tuple(Param(p.name, side.type(p.type)) for p in program.params)
        cases = tuple(
            Case(c.unit, c.rule, self.function(which, c.applies), self.term(which, c.value))
            for c in program.cases
        )
        type_ = side.type(program.type)
        place = side.ruleset.decisions[name].place
        decision = Decision(known, params, type_, place)
        shape = (
            "decision",
            tuple(p.type for p in params),
            type_,
            frozenset((c.applies, _positional(c.value, params)) for c in cases),
        )
        other = self._by_shape.get(shape)
        if other is None:
            self._by_shape[shape] = known
            self._decisions[known] = decision, cases
        else:
            self._known[key] = other
        return self._known[key]

    def _named(self, which: Which, name: str, others: Mapping[str, object]) -> str:
        if name.startswith(APPLIES):
            return f"{APPLIES}{which}.{name.removeprefix(APPLIES)}"
        return f"{which}.{name}" if name in others else name

    def answer(self, which: Which, name: str) -> Answer | None:
        """What one side says of a decision or define of that common name, with parameters `p0`, `p1`, …; None where it
        has none."""
        side = self.common.side(which)
        program = self.programs[which]
        name = side.own(name)
        if name in program.decisions:
            decision = program.decisions[name]
            by = _by_position(decision.params)
            cases = []
            for case in decision.cases:
                function = program.functions[case.applies]
                applies = substitute(function.body, _by_position(function.params))
                cases.append(
                    SideCase(
                        case.unit,
                        case.rule,
                        self.term(which, applies),
                        self.term(which, substitute(case.value, by)),
                    )
                )
            asked = None if decision.asked is None else self.term(which, substitute(decision.asked, by))
            return Answer(
                which,
                name,
                tuple(Param(f"p{i}", side.type(p.type)) for i, p in enumerate(decision.params)),
                side.type(decision.type),
                tuple(cases),
                asked,
                None,
            )
        define = program.functions.get(name)
        if define is None:
            return None
        params = tuple(Param(f"p{i}", side.type(p.type)) for i, p in enumerate(define.params))
        body = self.term(which, substitute(define.body, _by_position(define.params)))
        return Answer(which, name, params, side.type(define.type), (), None, body)

    # ---------------------------------------------------------------------------------------------- program
    @property
    def size(self) -> int:
        """How much has been taken over so far: as long as it does not grow, `program` gives the same."""
        return len(self._functions) + len(self._decisions) + len(self.latches) + len(self.breaches)

    def program(self) -> Program:
        """All that has been taken over so far, as one program."""
        functions = dict(self._functions)
        decisions = {name: decision for name, (decision, _) in self._decisions.items()}
        ruleset = self._ruleset(functions, decisions)
        programs = {
            name: DecisionProgram(name, decision.params, decision.type, cases, None, ())
            for name, (decision, cases) in self._decisions.items()
        }
        return Program(ruleset, functions, programs, {}, {}, (), tuple(() for _ in self.breaches), {})

    def _ruleset(self, functions: Mapping[str, Function], decisions: Mapping[str, Decision]) -> Ruleset:
        common, old, new = self.common, self.common.old.ruleset, self.common.new.ruleset
        sources = {source.path: source for source in (*new.sources, *old.sources)}
        requirements = tuple(
            replace(requirement, condition=self.term(which, requirement.condition))
            for which in SIDES
            for requirement in common.side(which).ruleset.requirements
        )
        return replace(
            old,
            name=f"{old.name} and {new.name}",
            law=None,
            laws={},
            sources=tuple(sources.values()),
            types=common.types,
            lives=common.lives,
            state=common.state,
            entities=common.entities,
            events=common.events,
            mechanics={next(iter(common.events), ""): self._below_nothing()} if common.events else {},
            functions={n: f for n, f in functions.items() if not n.startswith(APPLIES)},
            decisions=decisions,
            options=common.options,
            rules={},
            units={},
            edges=(),
            questions=(),
            requirements=requirements,
            latches=tuple(self.latches),
            breaches=tuple(self.breaches),
            chances=(),
            theorems=(),
            accepted={},
            digest="",
        )

    def _below_nothing(self) -> tuple[Update, ...]:
        """Mechanics that may leave below 0 whichever amounts either side's may: all that is read of them here."""
        found: list[Update] = []
        for which in SIDES:
            side = self.common.side(which)
            for path in sorted(signed(self.programs[which])):
                name, _, part = path.partition(".")
                if part:
                    entity = self.common.entities[side.entities[name]]
                    type_ = next(f.type for f in entity.fields if f.name == side.fields[name, part])
                    of = m.Var(entity.type, "it")
                    target: FieldTarget | StateTarget = FieldTarget(
                        side.entities[name], side.fields[name, part], of
                    )
                else:
                    type_ = self.common.state[side.state[name]].type
                    target = StateTarget(side.state[name], None)
                if isinstance(type_, ty.MoneyT):
                    found.append(Write(target, m.Lit(type_, -1), None))
        return tuple(found)


def _other(which: Which) -> Which:
    return "new" if which == "old" else "old"


def _by_position(params: Sequence[Param]) -> dict[str, Term]:
    return {p.name: m.Var(p.type, f"p{i}") for i, p in enumerate(params)}


def _positional(body: Term, params: Sequence[Param]) -> Term:
    """A body whatever its parameters are called."""
    return substitute(body, _by_position(params))
