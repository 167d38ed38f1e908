"""The largest set of candidates that everything that can happen keeps, all of them taken together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import z3

from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.terms import Term
from verifier.model.types import Type
from verifier.prove.cases import cases
from verifier.prove.clauses import Clause
from verifier.prove.conjectures import Guess, Named
from verifier.prove.encode import Encoder
from verifier.prove.guard import Guard, Sizes, happening
from verifier.prove.probes import VAR
from verifier.prove.symbolic import lift
from verifier.prove.transitions import Reads, System, Transition, next_of
from verifier.prove.values import CannotEncodeError, Truth, and_, not_, or_
from verifier.run.machine import Machine
from verifier.run.state import State, first_state
from verifier.run.undefined import Undefined

MOST_TRIES = 60
"""So often something that must be otherwise than at first is found, before a plain state is looked for no longer."""

CHEAP_GUESS = 30
"""A guess that comes to no more terms is not what makes a query too much."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A condition with what it is in the state at hand; `chosen` says in a query that it is assumed."""

    named: Named
    holds: Any
    reads: frozenset[str]
    chosen: Any
    cost: int


@dataclass(frozen=True, slots=True)
class Failure:
    """How a candidate fails: `event` leads from `before` to a state where it does not hold."""

    event: str | None
    actor: str
    before: State
    options: Mapping[str, object]
    values: Mapping[str, object]
    why: str = ""


Told = frozenset[int] | dict[int, Failure | None]
"""By which candidates something is kept; or what fails, and how."""


class DifferError(Exception):
    """The interpreter and Z3 say different things of the same state: a fault of ours."""


class Houdini:
    """Candidates over one system.

    `watched` are those whose failures are worth keeping, `cores` by which candidates each transition keeps each of
    those that it keeps, `apart` those of them that it was seen to keep case by case only, `first` what must hold of
    the options for a candidate to hold in the first state, `needed` which parts of what makes each transition lawful
    are taken up from the beginning; `exact` that lawfulness is taken as it is within the scope. Raises `DifferError`.
    """

    def __init__(self, made: System, moves: Sequence[Transition], rlimit: int, exact: bool = False) -> None:
        self.system = made
        self.transitions = moves
        self.exact = exact
        self.alive: dict[int, Candidate] = {}
        self.known: list[tuple[Any, Any]] = []
        self.drawn_on: dict[int, set[int]] = {}
        self.failures: dict[int, Failure] = {}
        self.watched: set[int] = set()
        self.cores: dict[int, dict[int, frozenset[int]]] = {}
        self.apart: dict[int, set[int]] = {}
        self.first: dict[int, Any] = {}
        self.needed: dict[int, tuple[int, ...]] = {}
        self.queries = 0
        self._count = 0
        self._reads = Reads(made.program)
        self._machine = Machine(made.program, {})
        self._sizes = Sizes(made.program)
        self._guards: dict[int, Guard] = {}
        self._used: dict[int, dict[int, Any]] = {}
        self._listed: dict[tuple[Type | None, bool], list[tuple[Truth, dict[str, Any]]]] = {}
        self._failed_at: dict[int, int] = {}
        self._at_first = [
            (variable, value)
            for variable, value in made.state.assignment(first_state(made.program.ruleset))
            if z3.is_expr(variable)
        ]
        self._first = Encoder(lift(made.world, first_state(made.program.ruleset)), made.options)
        self.solver = z3.SolverFor("QF_LIA")
        self.solver.set("random_seed", 0)
        self.solver.set("rlimit", rlimit)
        self.solver.add(*made.always)

    # -------------------------------------------------------------------------------------------- candidates
    def assume(self, named: Named) -> None:
        """Take what is known to hold for granted."""
        holds = self._holds(self.system.encoder, named.term)
        if holds is True:
            return
        chosen = z3.Bool(f"known {len(self.known)}")
        self.solver.add(z3.Implies(chosen, _bool(holds)))
        self.known.append((_bool(holds), chosen))

    def add(self, named: Named, watched: bool = False) -> int:
        """A candidate, by its number. One that does not hold at first fails at once."""
        number = self._count
        self._count += 1
        if watched:
            self.watched.add(number)
        try:
            at_first = self._holds(self._first, named.term)
            holds = self._holds(self.system.encoder, named.term)
        except CannotEncodeError as error:
            self._fail(
                number, Failure(None, "", first_state(self.system.program.ruleset), {}, {}, str(error))
            )
            return number
        if not isinstance(at_first, bool):
            self.first[number] = at_first
        if at_first is not True and (found := self._not_at_first(at_first)) is not None:
            self._fail(number, found)
            return number
        self._take(number, named, holds, self._sizes.of(named.term))
        return number

    def guess(self, guess: Guess) -> int:
        """A candidate that nobody asked for: as `add`, and quicker."""
        number = self._count
        self._count += 1
        self._machine.options = {}
        self._machine.enter(first_state(self.system.program.ruleset))
        try:
            if not self._machine.closure(guess.term, ())([]):
                return number
        except Undefined:
            return self.add(guess)
        with suppress(CannotEncodeError):
            cost = sum(self._sizes.of(test) for test, _ in guess.clause.literals)
            self._take(number, guess, self._clause(guess.clause), cost)
        return number

    def _clause(self, clause: Clause) -> Truth:
        """A clause of each thing in the scope: what its term says, with what is not in the scope taken as one."""
        found: list[Truth] = []
        for there, variables in self._things(clause):
            literals: list[Truth] = [not_(there)]
            for test, wanted in clause.literals:
                encoded = self.system.encoder.encode(test, variables)
                value = encoded.value if wanted else not_(encoded.value)
                literals.append(and_(encoded.defined, value))
            found.append(or_(*literals))
        return and_(*found)

    def _things(self, clause: Clause) -> list[tuple[Truth, dict[str, Any]]]:
        """What there may be of a clause's sort, each with whether it is there: the same objects each time."""
        key = (clause.sort, clause.anywhere)
        if key not in self._listed:
            self._listed[key] = self._list(clause)
        return self._listed[key]

    def _list(self, clause: Clause) -> list[tuple[Truth, dict[str, Any]]]:
        made, shapes = self.system, self.system.world.shapes
        match clause.sort:
            case None:
                return [(True, {})]
            case ty.EntityT(name=name) as sort if clause.anywhere:
                listed = [*made.world.scope.entities[name], _beyond(sort)]
                return [(True, {VAR: shapes.constant(sort, ref)}) for ref in listed]
            case sort:
                over: m.Domain
                if isinstance(sort, ty.EntityT):
                    over = m.OverEntity(sort, sort.name)
                elif isinstance(sort, ty.IdT):
                    over = m.OverIds(sort)
                else:
                    values = ty.finite_values(sort) or []
                    over = m.OverValues(sort, tuple(m.Lit(sort, v) for v in values))
                elements, _ = made.encoder.elements(over, {})
                return [(there, {VAR: value}) for there, value in elements]

    def _take(self, number: int, named: Named, holds: Truth, cost: int) -> None:
        chosen = z3.Bool(f"assumed {number}")
        truth = _bool(holds)
        self.solver.add(z3.Implies(chosen, truth))
        self.alive[number] = Candidate(named, truth, self._reads.of(named.term), chosen, cost)

    def _holds(self, encode: Encoder, term: Term) -> Truth:
        found = encode.encode(term, {})
        return and_(found.defined, found.value)

    def _not_at_first(self, holds: Truth) -> Failure | None:
        """Options under which a condition does not hold in the first state."""
        first = first_state(self.system.program.ruleset)
        self.solver.push()
        self.solver.add(not_(holds))
        result = self.solver.check()
        found: Failure | None = None
        if result == z3.sat:
            found = Failure(None, "", first, self.system.options.concretize(self.solver.model()), {})
        elif result != z3.unsat:
            found = Failure(None, "", first, {}, {}, f"Z3 gave up: {self.solver.reason_unknown()}")
        self.solver.pop()
        return found

    def _fail(self, number: int, failure: Failure | None) -> None:
        self.alive.pop(number, None)
        if failure is not None and number in self.watched:
            self.failures[number] = failure

    # ----------------------------------------------------------------------------------------------- running
    def run(self) -> None:
        """Drop candidates until each transition keeps what is left."""
        waiting = [i for i in range(len(self.transitions)) if not self._settled(i)]
        while waiting:
            index = waiting.pop(0)
            before = set(self.alive)
            self._keep(index)
            if before == self.alive.keys():
                continue
            waiting += [i for i in self.cores if i not in waiting and not self._settled(i)]

    def _settled(self, index: int) -> bool:
        """Whether it is known how a transition keeps all that it must."""
        return index in self.cores and all(self._kept(index, i) for i in self.cores[index] if i in self.alive)

    def _kept(self, index: int, number: int) -> bool:
        """Whether it is known that a transition keeps a candidate, by others that are all left."""
        core = self.cores.get(index, {}).get(number)
        return core is not None and core <= self.alive.keys()

    def affected(self, transition: Transition) -> dict[int, Any]:
        """The candidates that a transition may fail to keep, as they are in the state that it leads to."""
        numbers = [i for i, c in self.alive.items() if c.reads & transition.writes]
        after = next_of([self.alive[i].holds for i in numbers], transition.changes)
        return {i: then for i, then in zip(numbers, after, strict=True) if not then.eq(self.alive[i].holds)}

    def _keep(self, index: int) -> None:
        """Drop what a transition does not keep."""
        transition = self.transitions[index]
        cores = self.cores.setdefault(index, {})
        affected = {i: then for i, then in self.affected(transition).items() if not self._kept(index, i)}
        used = self._used.setdefault(index, {})
        for part in self.needed.get(index, ()):
            if 0 <= part < len(self._guard(index).parts):
                used.setdefault(part, self._guard(index).condition(part))
        self.solver.push()
        self.solver.add(*transition.conditions, *self._guarding(index))
        for i, then in affected.items():
            self.solver.add(z3.Implies(_fails(i), z3.Not(then)))
        rounds = 0
        while affected:
            rounds += 1
            some = z3.Bool(f"some {rounds}")
            self.solver.add(z3.Implies(some, z3.Or(*map(_fails, affected))))
            result = self._check(index, some)
            if result == z3.unsat:
                cores.update(dict.fromkeys(affected, self._core(index)))
                break
            failed = self._failing(index, affected) if result == z3.sat else None
            if failed is None and (dear := self._dearest(affected)):
                failed = dict.fromkeys(dear)
            if failed is None:
                failed = self._one_by_one(index, affected)
                affected = {}
            for i, failure in failed.items():
                affected.pop(i, None)
                self._fail(i, failure)
                self._failed_at[i] = index
        self.solver.pop()

    def _check(
        self, index: int, asked: Any, wanted: Sequence[Any] = (), put: Callable[[Truth], Truth] = lambda c: c
    ) -> Any:
        """What Z3 says of `asked` where all that is left is assumed; a model is one of a lawful event, in play, whose
        conditions are `put` otherwise."""
        chosen = [*wanted, *(c.chosen for c in self.alive.values()), *(chosen for _, chosen in self.known)]
        while True:
            self.queries += 1
            result = self.solver.check(asked, *chosen)
            if result != z3.sat or self.system.mode == "words":
                return result
            guard, used = self._guard(index), self._used.setdefault(index, {})
            part = guard.unmet(self.solver.model())
            if part is None:
                return result
            if part in used:
                raise DifferError(f"what makes {self.transitions[index].name} lawful")
            used[part] = guard.condition(part)
            self.solver.add(put(used[part]))

    def _guarding(self, index: int) -> list[Any]:
        """The conditions of lawfulness that have been needed so far."""
        return list(self._used.get(index, {}).values())

    def parts_used(self) -> dict[int, tuple[int, ...]]:
        """Which parts of what makes each transition lawful have been needed so far."""
        return {index: tuple(parts) for index, parts in self._used.items()}

    def _guard(self, index: int) -> Guard:
        if index not in self._guards:
            self._guards[index] = Guard(
                self.system, self.transitions[index], self._machine, self._sizes, self.exact
            )
        return self._guards[index]

    def _core(self, index: int) -> frozenset[int]:
        """By which candidates the solver has just told that nothing fails; what else it drew on is noted."""
        names = {c.chosen.get_id(): i for i, c in self.alive.items()}
        found = {expr.get_id() for expr in self.solver.unsat_core()}
        used = (i for i, (_, chosen) in enumerate(self.known) if chosen.get_id() in found)
        self.drawn_on.setdefault(index, set()).update(used)
        return frozenset(names[name] for name in found if name in names)

    def _failing(self, index: int, affected: dict[int, Any]) -> dict[int, Failure | None]:
        """What fails in the model at hand."""
        model = self.solver.model()
        failed = [
            i for i, then in affected.items() if not z3.is_true(model.eval(then, model_completion=True))
        ]
        if not failed:
            raise DifferError(f"what {self.transitions[index].name} leads to")
        if not self.watched & set(failed):
            return dict.fromkeys(failed)
        transition = self.transitions[index]
        state, options, values = happening(self.system, transition, model)
        actor = transition.actor if transition.event else ""
        return dict.fromkeys(failed, Failure(transition.event, actor, state, options, values))

    def _dearest(self, affected: dict[int, Any]) -> list[int]:
        """Half of the guesses, the dearer ones: they are given up where all at once is too much."""
        guesses = [i for i in affected if i not in self.watched and self.alive[i].cost > CHEAP_GUESS]
        guesses.sort(key=lambda i: (-self.alive[i].cost, -i))
        return guesses[: (len(guesses) + 1) // 2]

    def _one_by_one(self, index: int, affected: dict[int, Any]) -> dict[int, Failure | None]:
        """Where all at once is too much: what fails, or may fail, by itself; of the rest it is noted what keeps it."""
        failed: dict[int, Failure | None] = {}
        for i, then in affected.items():
            result = self._check(index, _fails(i))
            told: Told | None = self._core(index) if result == z3.unsat else None
            if result == z3.sat:
                told = self._failing(index, {i: then})
            elif result != z3.unsat and i in self.watched:
                told = self._case_by_case(index, i, then)
            if isinstance(told, frozenset):
                self.cores[index][i] = told
            elif told is not None:
                failed.update(told)
            else:
                why = f"Z3 gave up on {self.transitions[index].name}: {self.solver.reason_unknown()}"
                event = self.transitions[index].event
                failed[i] = Failure(event, "", first_state(self.system.program.ruleset), {}, {}, why)
        return failed

    def _case_by_case(self, index: int, number: int, then: Any) -> Told | None:
        """By which candidates a transition keeps one, or how it fails, where it is taken apart by what it is about;
        None where Z3 tells neither."""
        core: set[int] = set()
        told = cases(self.system, self.transitions[index])
        for case in told:
            before = set(self._used.get(index, ()))
            self.solver.push()
            self.solver.add(*case.conditions, not_(case.put(then)), *map(case.put, self._guarding(index)))
            result = self._check(index, z3.BoolVal(True), put=case.put)
            failed = self._failing(index, {number: then}) if result == z3.sat else None
            core |= self._core(index) if result == z3.unsat else set()
            self.solver.pop()
            # What was taken up of lawfulness went with the case.
            self.solver.add(*(c for part, c in self._used.get(index, {}).items() if part not in before))
            if result != z3.unsat:
                return failed
        if not told:
            return None
        self.apart.setdefault(index, set()).add(number)
        return frozenset(core)

    # ------------------------------------------------------------------------------------------- afterwards
    def kept_by(self, index: int, number: int) -> frozenset[int] | None:
        """By which candidates, few of them, a transition keeps one; None where Z3 does not see that it does."""
        transition, candidate = self.transitions[index], self.alive[number]
        if not candidate.reads & transition.writes:
            return frozenset()
        (then,) = next_of([candidate.holds], transition.changes)
        if then.eq(candidate.holds):
            return frozenset()
        self.solver.push()
        self.solver.add(*transition.conditions, *self._guarding(index), z3.Not(then))
        # Mostly a condition is kept by itself, and a core that is not the least draws others in.
        self.queries += 1
        found: frozenset[int] | None = None
        if self.solver.check(candidate.chosen, *(chosen for _, chosen in self.known)) == z3.unsat:
            found = frozenset((number,))
        elif self._check(index, z3.BoolVal(True)) == z3.unsat:
            found = self._core(index)
        self.solver.pop()
        return found

    def implying(self, named: Named) -> list[int] | None:
        """The candidates, few of them, of which a condition follows; None where Z3 does not see that it does."""
        self.solver.push()
        self.solver.add(z3.Not(_bool(self._holds(self.system.encoder, named.term))))
        self.queries += 1
        found = None
        if self.solver.check(*(c.chosen for c in self.alive.values())) == z3.unsat:
            core = {expr.get_id() for expr in self.solver.unsat_core()}
            found = [i for i, c in self.alive.items() if c.chosen.get_id() in core]
        self.solver.pop()
        return found

    def plainest(self, number: int, named: Named) -> Failure:
        """How something asked for fails, from a state that is as it was at first as far as it can be."""
        failure = self.failures[number]
        index = self._failed_at.get(number)
        if index is None or failure.why:
            return failure
        transition = self.transitions[index]
        holds = _bool(self._holds(self.system.encoder, named.term))
        (then,) = next_of([holds], transition.changes)
        self.solver.push()
        self.solver.add(*transition.conditions, *self._guarding(index), holds, z3.Not(then))
        wanted: list[Any] = []
        for i, (variable, value) in enumerate(self._at_first):
            wanted.append(z3.Bool(f"plain {i}"))
            self.solver.add(z3.Implies(wanted[-1], variable == value))
        for tries in range(MOST_TRIES):
            result = self._check(index, z3.BoolVal(True), wanted)
            if result != z3.unsat:
                break
            core = {expr.get_id() for expr in self.solver.unsat_core()}
            last = [w.get_id() for w in wanted if w.get_id() in core][-1:]
            gone = core if tries > MOST_TRIES // 2 else set(last)
            wanted = [w for w in wanted if w.get_id() not in gone]
        if result == z3.sat:
            state, options, values = happening(self.system, transition, self.solver.model())
            failure = replace(failure, before=state, options=options, values=values)
        self.solver.pop()
        return failure

    def give_up(self, number: int, transition: Transition | None, why: str) -> None:
        """Drop a candidate of which nobody can tell whether the transition keeps it, or whether it holds at first."""
        first = first_state(self.system.program.ruleset)
        event, actor = (transition.event, transition.actor) if transition is not None else (None, "")
        self._fail(number, Failure(event, actor, first, {}, {}, why))

    def prune(self, kept: Set[int]) -> None:
        """Forget candidates that follow from the rest, the last ones first, but none that is in `kept`."""
        for number in sorted(self.alive.keys() - kept, reverse=True):
            candidate = self.alive[number]
            others = [c.chosen for i, c in self.alive.items() if i != number]
            others += [chosen for _, chosen in self.known]
            self.solver.push()
            self.solver.add(z3.Not(candidate.holds))
            self.queries += 1
            if self.solver.check(*others) == z3.unsat:
                del self.alive[number]
            self.solver.pop()

    def obligations(self) -> Iterator[tuple[int, list[Any], dict[int, Any]]]:
        """For each transition that may change something: what can be assumed of it, and what it must keep."""
        for index in self.cores:
            affected = self.affected(self.transitions[index])
            if affected:
                yield index, self.by_core(index, affected), affected

    def by_core(self, index: int, numbers: Iterable[int]) -> list[Any]:
        """By what a transition is known to keep some candidates."""
        core = frozenset[int]().union(*(self.cores[index][number] for number in numbers))
        needed = [self.alive[i].holds for i in sorted(core & self.alive.keys())]
        needed += [self.known[i][0] for i in sorted(self.drawn_on.get(index, ()))]
        return [*self.transitions[index].conditions, *self._guarding(index), *needed]

    def alone(self, index: int, then: Any) -> list[Any] | None:
        """By what a transition keeps one thing: `then`, as it is afterwards. None where Z3 no longer sees it."""
        transition = self.transitions[index]
        ways = [(c.chosen, c.holds) for c in self.alive.values()]
        ways += [(chosen, holds) for holds, chosen in self.known]
        self.solver.push()
        for number, part in enumerate(self._guarding(index)):
            ways.append((z3.Bool(f"part {number}"), part))
            self.solver.add(z3.Implies(*ways[-1]))
        self.solver.add(*transition.conditions, z3.Not(then))
        self.queries += 1
        found = None
        if self.solver.check(*(name for name, _ in ways)) == z3.unsat:
            core = {expr.get_id() for expr in self.solver.unsat_core()}
            found = [*transition.conditions, *(holds for name, holds in ways if name.get_id() in core)]
        self.solver.pop()
        return found


def _beyond(type_: ty.Type) -> Any:
    """A key that nothing has: whatever is read of it is as it was at first."""
    match type_:
        case ty.EntityT(keys=parts) | ty.RecordT(fields=parts):
            return tuple(_beyond(part) for _, part in parts)
        case ty.IdT() | ty.TextT() | ty.PartyT():
            return ""
        case ty.OptT():
            return None
        case _:
            return -1


def _bool(truth: Truth) -> Any:
    return z3.BoolVal(truth) if isinstance(truth, bool) else truth


def _fails(number: int) -> Any:
    return z3.Bool(f"fails {number}")
