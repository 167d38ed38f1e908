"""The whole region of a finding in the clauses' own terms, where it is small.

A region is a disjunction of conjunctions over conditions that the clauses themselves use, each conjunction a prime
implicant: none of its conditions can be dropped. It is found from states: one that answers the question gives a
conjunction of all that the clauses say of it, which is then shortened as long as it still implies the question;
then a state outside is looked for (W. V. Quine, "A Way to Simplify Truth Functions", American Mathematical Monthly
62, 1955, with a solver in place of the table). What is found is then proved equal to the question by two questions
more, put as every other is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import z3

from verifier.core.program import EVENT_PREFIX, Program
from verifier.model import terms as m
from verifier.model.rewrite import substitute
from verifier.model.show import APPLIES, Names, names_of, show_term
from verifier.model.terms import Term, free_variables
from verifier.model.types import BOOL
from verifier.prove.encode import Encoder
from verifier.prove.obligations.units import all_of, both, either, items_of, no
from verifier.prove.question import Never, Nothing, Question
from verifier.prove.typed import Typed
from verifier.prove.values import CannotEncodeError, Truth, and_, not_
from verifier.prove.wide import Wide

MOST_CUBES = 4
"""A region of more conjunctions than this is not small."""

MOST_LITERALS = 6
"""Nor is one with a longer conjunction."""

MOST_ATOMS = 80
"""So many conditions are considered at most; the first in the order of the question are."""

RLIMIT = 40_000_000
"""Z3's own count of its work at which the search is given up."""

MOST_WORK = 60_000_000
"""The same of all that is asked for one region: of those that were found, of three laws held against each other, none
took more than 36 million, and of those that were not one took 470."""


@dataclass(frozen=True, slots=True)
class Region:
    """Where `context` holds, the question is answered exactly where one of `cubes` holds, within `scope`.

    `text` is the region as a rule would write it, `where` the context.
    """

    context: Term
    cubes: tuple[Term, ...]
    text: str
    where: str
    scope: str


class Regions:
    """Finds regions of one program in one scope; what is encoded for one serves the next."""

    def __init__(self, program: Program, typed: Typed) -> None:
        self.program = program
        self.typed = typed
        self.wide = Wide(program, typed, typed.settings)
        self.names: Names = names_of(program.ruleset)
        self.encoder = Encoder(typed.state, typed.options)

    def of(self, question: Question, assuming: Sequence[Term] = ()) -> Region | None:
        """The region of a question, proved equal to it; None where it is not small or nobody can tell.

        What the question supposes before it speaks of clauses (that an answer is due, that what is spoken of exists)
        is the context: the region is told within it. `assuming` are closed conditions under which it is told, as in
        `Typed.ask`. A question about an event has no region here.
        """
        if question.none or question.event is not None:
            return None
        context, goal = split(question)
        try:
            found = self._cubes(question, context, goal, tuple(assuming))
        except CannotEncodeError:
            return None
        if not found or not self._proved(question, context, goal, found, tuple(assuming)):
            return None
        text = show_term(factored(found), self.names)
        return Region(context, found, text, show_term(context, self.names), self.typed.scope_text)

    def _cubes(
        self, question: Question, context: Term, goal: Term, assuming: tuple[Term, ...]
    ) -> tuple[Term, ...] | None:
        typed = self.typed
        assumed = typed.assumed(assuming)
        if isinstance(assumed, str):
            return None
        conditions: list[Truth] = list(assumed.conditions)
        values: dict[str, Any] = {}
        for param in question.params:
            values[param.name] = typed.world.shapes.variable(param.type, f"some {param.name}")
            conditions.append(typed.ranges(typed.state, param.type, values[param.name]))

        def holds(term: Term) -> Truth:
            found = self.encoder.encode(term, values)
            return and_(found.defined, found.value)

        literals = [
            Literal(literal, holds(literal), z3.Bool(f"literal {place} {sign}"))
            for place, atom in enumerate(atoms_of(self.program, replace(question, condition=goal)))
            for sign, literal in (("yes", atom), ("no", denied(atom)))
        ]
        return Search([*conditions, holds(context)], holds(goal), literals).cubes()

    def _proved(
        self, question: Question, context: Term, goal: Term, cubes: Sequence[Term], assuming: tuple[Term, ...]
    ) -> bool:
        """Whether the region is the question, either way."""
        either_way = either(*cubes)
        return all(
            isinstance(
                self.wide.ask(
                    replace(question, condition=both(context, inside), none=(Nothing((), outside),)), assuming
                ),
                Never,
            )
            for inside, outside in ((goal, either_way), (either_way, goal))
        )


def region(
    program: Program, typed: Typed, question: Question, assuming: Sequence[Term] = ()
) -> Region | None:
    """The region of one question; see `Regions.of`."""
    return Regions(program, typed).of(question, assuming)


def factored(cubes: Sequence[Term]) -> Term:
    """A disjunction of conjunctions with what all have in common said once."""
    parts = [items_of(cube) for cube in cubes]
    common = [item for item in parts[0] if all(item in items for items in parts)]
    rest = [both(*(item for item in items if item not in common)) for items in parts]
    return both(*common, *(() if len(rest) == 1 else (either(*rest),)))


def split(question: Question) -> tuple[Term, Term]:
    """The context of a question, and what is asked within it: from the first clause on."""
    items = tuple(dict.fromkeys(items_of(question.condition)))
    first = next((i for i, item in enumerate(items) if any(_is_clause(t) for t in all_of(item))), 0)
    return both(*items[:first]), both(*items[first:])


def _is_clause(term: Term) -> bool:
    return isinstance(term, m.CallF) and term.function.startswith(APPLIES)


# ------------------------------------------------------------------------------------------------- atoms
def atoms_of(program: Program, question: Question) -> tuple[Term, ...]:
    """The conditions that the clauses of a question use, in its order: what stands between `and`, `or`, `not`.

    A clause is opened, and so are those that displace it; a define is not: its name is the clauses' own term.
    """
    event = question.event
    params = {p.name for p in question.params} | (
        set() if event is None else {EVENT_PREFIX + p.name for p in program.ruleset.events[event].params}
    )
    found: dict[Term, None] = {}

    def visit(term: Term) -> None:
        match term:
            case m.AndT(items=items) | m.OrT(items=items):
                for item in items:
                    visit(item)
            case m.NotT(of=of):
                visit(of)
            case m.CallF(function=name, args=args) if name.startswith(APPLIES):
                function = program.functions[name]
                visit(
                    substitute(function.body, dict(zip((p.name for p in function.params), args, strict=True)))
                )
            case m.CompareT(op="!="):
                visit(replace(term, op="="))
            case m.Quant() | m.Lit() if _is_clause_inside(term) or isinstance(term, m.Lit):
                return
            case _:
                if free_variables(term) <= params:
                    found.setdefault(term)

    for item in items_of(question.condition):
        visit(item)
    return tuple(found)[:MOST_ATOMS]


def _is_clause_inside(term: Term) -> bool:
    return any(_is_clause(t) for t in all_of(term))


# ------------------------------------------------------------------------------------------------ search
@dataclass(frozen=True, slots=True)
class Literal:
    """A condition or its opposite; `marker` is a constant that makes the search suppose it."""

    term: Term
    truth: Truth
    marker: Any


class Search:
    """Conjunctions of literals that make up a goal, one after the other, by one solver kept for the purpose."""

    def __init__(
        self,
        conditions: Sequence[Truth],
        goal: Truth,
        literals: Sequence[Literal],
        most_cubes: int = MOST_CUBES,
        most_literals: int = MOST_LITERALS,
        solver: Any = None,
    ) -> None:
        self.most_cubes, self.most_literals = most_cubes, most_literals
        self.solver = z3.SolverFor("QF_LIA") if solver is None else solver
        self.solver.set("random_seed", 0)
        self.solver.set("rlimit", RLIMIT)
        self.solver.add(*conditions)
        self.goal = goal
        self.literals = literals
        for literal in literals:
            self.solver.add(z3.Implies(literal.marker, literal.truth))
        self._begun = self._work()

    def _work(self) -> int:
        """Z3's count of its work so far."""
        told = self.solver.statistics()
        names = told.keys()
        return int(told.get_key_value("rlimit count")) if "rlimit count" in names else 0

    def cubes(self) -> tuple[Term, ...] | None:
        """The conjunctions, none of them needless; None where they are not few and short, or Z3 gives up."""
        found: list[list[Literal]] = []
        while True:
            said, holding = self._outside(found)
            if said == z3.unknown:
                return None
            if said == z3.unsat:
                break
            cube = self._shortened(holding)
            if (
                cube is None
                or self._work() - self._begun > MOST_WORK
                or len(cube) > self.most_literals
                or len(found) == self.most_cubes
            ):
                return None
            found.append(cube)
        for cube in list(found):
            rest = [other for other in found if other is not cube]
            if rest and self._outside(rest)[0] == z3.unsat:
                found = rest
        place = {literal.marker.get_id(): at for at, literal in enumerate(self.literals)}
        found.sort(key=lambda cube: [place[literal.marker.get_id()] for literal in cube])
        return tuple(both(*(literal.term for literal in cube)) for cube in found)

    def _outside(self, cubes: Sequence[Sequence[Literal]]) -> tuple[z3.CheckSatResult, list[Literal]]:
        """Whether a state of the goal is in none of `cubes`, and what holds of one."""
        self.solver.push()
        self.solver.add(self.goal, *(self._denied([x.truth for x in cube]) for cube in cubes))
        said = self.solver.check()
        model = self.solver.model() if said == z3.sat else None
        self.solver.pop()
        if model is None:
            return said, []
        return said, [
            x
            for x in self.literals
            if x.truth is True
            or (x.truth is not False and z3.is_true(model.eval(x.truth, model_completion=True)))
        ]

    def _denied(self, truths: Sequence[Truth]) -> Any:
        """That not all of the truths hold."""
        return not_(and_(*truths))

    def _shortened(self, literals: list[Literal]) -> list[Literal] | None:
        """A part of `literals` that implies the goal, and does no more if any is dropped; None where all do not.

        What denies is dropped before what says, what stands later in the clauses before what stands earlier.
        """
        self.solver.push()
        self.solver.add(self._denied([self.goal]))
        kept = list(literals)
        core = self._core(kept)
        if core is not None:
            last_first = literals[::-1]
            for literal in sorted(last_first, key=lambda x: not isinstance(x.term, m.NotT)):
                if self._work() - self._begun > MOST_WORK:
                    break
                rest = [x for x in kept if x is not literal]
                # What is in no core that is still whole is not needed, and nobody has to ask.
                if literal.marker.get_id() in core:
                    less = self._core(rest)
                    if less is None:
                        continue
                    core = less
                kept = rest
        self.solver.pop()
        return None if core is None else kept

    def _core(self, literals: Sequence[Literal]) -> frozenset[int] | None:
        """The markers of some of the literals that imply the goal; None where all of them do not."""
        if self.solver.check(*(x.marker for x in literals)) != z3.unsat:
            return None
        return frozenset(marker.get_id() for marker in self.solver.unsat_core())


def denied(atom: Term) -> Term:
    """The opposite of a condition, as a rule writes it."""
    match atom:
        case m.CompareT(type=type_, op=op, left=left, right=right) if op != "!=" and _plain(left, right):
            return m.CompareT(type_, m.DENIED[op], left, right)
        case _:
            return no(atom)


def _plain(left: Term, right: Term) -> bool:
    """Whether a comparison is between terms whose opposite is written with another operator."""
    return not isinstance(left, m.Length | m.Count) and left.type != BOOL and right.type != BOOL
