"""Conditions that hold in every state that events lead to, of whatever size: kept by everything that can happen, by the
logic of its step alone.

Each is a clause (`verifier.prove.clauses`), of one thing or of the state. Whether a step keeps it is asked of what was
before the step, in outline (`verifier.prove.outlined`): no scope bounds how many things there are. What fails is
dropped until nothing does, as in `verifier.prove.induct`, so that what is left is inductive together.

A step is what an event leaves: before its history is counted, which is what rules mean by `after(…)`; when it has been,
where duties due by the end of a life are judged; once it is over. Lives may end without it, too; in play those alone
that no event ends. In words rules may be kept or broken; in play an event breaks none of those that are plain enough to
be taken up, and others do not matter.
What has no value in some state (a decision, a part of what is absent, an option that is not stated) is not spoken of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from verifier.core.lawful import parts
from verifier.core.lower import event_variable
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.rewrite import substitute
from verifier.model.ruleset import New, Param
from verifier.model.terms import Term, children
from verifier.prove.clauses import Clause, closed, exists
from verifier.prove.guard import Sizes
from verifier.prove.obligations.acts import Acts
from verifier.prove.obligations.then import Then
from verifier.prove.obligations.units import both, either, no
from verifier.prove.passing import passing
from verifier.prove.probes import VAR
from verifier.prove.question import Mode, Question
from verifier.prove.scope import reads_after
from verifier.prove.transitions import of_life
from verifier.prove.typed import Typed
from verifier.run.machine import Machine
from verifier.run.state import first_state
from verifier.run.undefined import Undefined

MOST_OF_PART = 150
"""Of what makes an event lawful, what comes to more terms, with all that it calls, is not taken up."""

MOST_BESIDE = 40
"""So many instances of what is supposed are asked with one step, those of the thing itself first."""


class _Left(Then):
    """What the mechanics leave, before its history is counted or after; no life has ended yet."""

    def __init__(self, acts: Acts, event: str, counted: bool) -> None:
        super().__init__(acts, event)
        self.ended = set()
        self.counted = counted

    def _count(self, term: m.Count) -> Term:
        return super()._count(term) if self.counted else term


class _Passing(Then):
    """Lives that end, and nothing else: where what ends them cannot be applied, or a log goes on with the next."""

    def __init__(self, acts: Acts, lives: frozenset[str]) -> None:
        super().__init__(acts, next(iter(acts.program.ruleset.events)))
        self.by, self.updates, self.ended = {}, (), set(lives)
        self.changed = frozenset(name for life in lives for name in of_life(self.ruleset, life))

    def _count(self, term: m.Count) -> Term:
        ended = self.ruleset.latches[term.latch].life in self.ended
        return m.Lit(term.type, 0) if ended else term


def lasting(typed: Typed, clauses: Iterable[Clause], mode: Mode = "words") -> tuple[Clause, ...]:
    """Those of the clauses that hold in every state of the mode, of whatever size.

    Every option is stated, and every event recorded. `typed` asks the solvers, and knows the program.
    """
    program = typed.program
    machine = Machine(program, {})
    machine.enter(first_state(program.ruleset))
    fit = (one for one in dict.fromkeys(clauses) if _speakable(program, one) and _at_first(machine, one))
    found = _Lasting(typed, list(fit), mode)
    found.run()
    return tuple(found.alive)


def _speakable(program: Program, clause: Clause) -> bool:
    """Whether a clause is of the state or of one entity, and always has a value."""
    if clause.sort is not None and not isinstance(clause.sort, ty.EntityT):
        return False
    return all(_total(program, test, set()) for test, _ in clause.literals)


def _total(program: Program, term: Term, seen: set[str]) -> bool:
    """Whether a term has a value in every state, which hangs on no id's being met."""
    match term:
        case m.Lit() | m.Var() | m.Get() | m.Field() | m.Part() | m.Make() | m.Count() | m.Present():
            pass
        case m.CompareT() | m.AndT() | m.OrT() | m.NotT() | m.Ite() | m.Length():
            pass
        case m.Quant(domain=domain) | m.Fold(kind="sum" | "number", domain=domain):
            if isinstance(domain, m.OverIds):  # that an id is met changes it, before anything happens
                return False
        case m.ArithT(op="+" | "-"):
            pass
        case m.CallF(function=name):
            if name not in seen:
                seen.add(name)
                if not _total(program, program.functions[name].body, seen):
                    return False
        case _:
            return False
    return all(_total(program, child, seen) for child in children(term))


def _at_first(machine: Machine, clause: Clause) -> bool:
    try:
        return bool(machine.closure(closed(clause), ())([]))
    except Undefined:
        return False


@dataclass(frozen=True, slots=True)
class _Step:
    """What is left by an event, or where lives end without one; `lawful` is what must be so that it breaks nothing."""

    then: Then
    event: str | None = None
    lawful: tuple[Term, ...] = ()


@dataclass(slots=True)
class _Lasting:
    """Clauses of which those are dropped that some step does not keep."""

    typed: Typed
    alive: list[Clause]
    mode: Mode
    acts: Acts = field(init=False)
    steps: list[_Step] = field(init=False)
    _reads: dict[Clause, frozenset[str]] = field(default_factory=dict)
    _said: dict[tuple[Clause, Term | None], Term] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.acts = Acts(self.typed.program)
        self.steps = []
        ruleset = self.typed.program.ruleset
        ending = ruleset.lives if self.mode == "words" else passing(ruleset)
        ends = {frozenset((life,)): None for life in ending}
        for name in ruleset.events:
            over = Then(self.acts, name)
            states = [over]
            if over.ended:
                states.append(_Left(self.acts, name, counted=True))
                ends[frozenset(over.ended)] = None
            if over.ended or any(name in (latch.event, latch.reset) for latch in ruleset.latches):
                states.append(_Left(self.acts, name, counted=False))
            for lawful in self._lawful(name):
                self.steps += (_Step(then, name, lawful) for then in states)
        self.steps += (_Step(_Passing(self.acts, lives)) for lives in ends)

    def _lawful(self, name: str) -> Iterator[tuple[Term, ...]]:
        """What makes an event of the kind lawful, by its actors; none where it never is."""
        program = self.typed.program
        event = program.ruleset.events[name]
        if self.mode == "words":
            yield ()
            return
        sizes, told = Sizes(program), set[tuple[Term, ...]]()
        for actor in event.by or program.ruleset.actors:
            found = (term for _, _, term in parts(program, name, actor) if not reads_after(program, term))
            plain = tuple(term for term in found if sizes.of(term) <= MOST_OF_PART)
            if plain not in told:
                told.add(plain)
                if not plain or self.typed.anywhere(Question((), both(*plain), name)) is None:
                    yield plain

    def run(self) -> None:
        """Drop clauses until each step keeps what is left."""
        proved: dict[tuple[Clause, int], frozenset[Clause]] = {}
        while True:
            there = frozenset(self.alive)
            kept = []
            for clause in self.alive:
                for number in range(len(self.steps)):
                    known = proved.get((clause, number))
                    if known is not None and known <= there:
                        continue
                    by = self._kept(clause, number)
                    if by is None:
                        break
                    proved[clause, number] = by
                else:
                    kept.append(clause)
            if len(kept) == len(self.alive):
                return
            self.alive = kept

    def reads(self, clause: Clause) -> frozenset[str]:
        """What a clause reads of the state."""
        if clause not in self._reads:
            terms = [test for test, _ in clause.literals]
            self._reads[clause] = frozenset[str]().union(*map(self.acts.reads.of, terms))
        return self._reads[clause]

    def _kept(self, clause: Clause, number: int) -> frozenset[Clause] | None:
        """By which clauses a step keeps one; None where that is not told."""
        step = self.steps[number]
        then, event = step.then, step.event
        there = _there(clause)
        if not any(then.changes(test) for test, _ in clause.literals) and not (
            there is not None and then.changes(there)
        ):
            return frozenset()
        failing: list[Term] = []
        for test, wanted in (*clause.literals, *(() if there is None else ((there, False),))):
            after = then.of(test)
            if after is None or not _total(self.typed.program, after, set()):
                return None
            failing.append(no(after) if wanted else after)
        beside = list(self._beside(clause, event, failing))
        params = [] if clause.sort is None else [Param(VAR, clause.sort)]
        question = Question(
            tuple(params),
            both(*failing, *(term for _, term in beside), *step.lawful),
            event,
            made=frozenset(p.name for p in params),
        )
        if self.typed.anywhere(question) is None:
            return None
        return frozenset(one for one, _ in beside)

    def _beside(
        self, clause: Clause, event: str | None, failing: Sequence[Term]
    ) -> Iterator[tuple[Clause, Term]]:
        """What is supposed of the state before, of what the step names."""
        read = frozenset[str]().union(*map(self.acts.reads.of, failing))
        found: list[tuple[Clause, Term]] = []
        named = list(self._named(clause, event))
        for other in (clause, *(one for one in self.alive if one != clause)):
            if other is not clause and not self.reads(other) & read:
                continue
            if other.sort is None:
                found.append((other, self._instance(other, None)))
            else:
                found += [(other, self._instance(other, ref)) for ref in named if ref.type == other.sort]
        yield from found[:MOST_BESIDE]

    def _instance(self, clause: Clause, ref: Term | None) -> Term:
        key = clause, ref
        if key not in self._said:
            self._said[key] = _instance(clause, ref)
        return self._said[key]

    def _named(self, clause: Clause, event: str | None) -> Iterator[Term]:
        """References to entities that the clause, or the event and what it does, is about."""
        roots: list[Term] = []
        if clause.sort is not None:
            roots.append(m.Var(clause.sort, VAR))
        if event is not None:
            ruleset = self.typed.program.ruleset
            by = {p.name: event_variable(p) for p in ruleset.events[event].params}
            roots += by.values()
            for update in ruleset.mechanics.get(event, ()):
                if isinstance(update, New):
                    roots.append(substitute(update.of, by))
        seen: dict[Term, None] = {}
        for root in roots:
            for ref in _parts(root):
                seen[ref] = None
        yield from seen


def _parts(term: Term) -> Iterator[Term]:
    """A reference to an entity, and those within its key."""
    if isinstance(term.type, ty.EntityT):
        yield term
        for index, (_, part) in enumerate(term.type.keys):
            yield from _parts(m.Part(part, term, index))


def _there(clause: Clause) -> Term | None:
    """That the thing exists of which the clause is; None where it is of every reference, or of none."""
    if clause.sort is None or clause.anywhere:
        return None
    return exists(m.Var(clause.sort, VAR))


def _instance(clause: Clause, ref: Term | None) -> Term:
    """What a clause says of one thing, named by `ref`."""
    there = _there(clause)
    said = [test if wanted else no(test) for test, wanted in clause.literals]
    body = either(*said, *(() if there is None else (no(there),)))
    return body if ref is None else substitute(body, {VAR: ref})
