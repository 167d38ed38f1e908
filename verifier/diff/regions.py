"""A group as a short formula in the conditions that the clauses themselves use, proved equal to it; an example of it.

What is proved is put to Z3 and cvc5 as every obligation is. A formula is looked for anywhere first; where there is no
short one, within the invariants of the rulesets, which are then named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import z3

from verifier.core.program import Program
from verifier.diff.apart import Apart, States
from verifier.diff.fold import NO, YES, Folder, conjunction, conjuncts, disjunction, settled
from verifier.diff.groups import Bench, GivenUpError, Group, different_term
from verifier.diff.instances import instances, references
from verifier.diff.keys import Path
from verifier.diff.lawful import Supposition, supposed
from verifier.diff.matter import Matter
from verifier.diff.merge import Merger
from verifier.diff.unify import SIDES, Which
from verifier.model import terms as m
from verifier.model.rewrite import map_children
from verifier.model.terms import Term, children, free_variables, subterms
from verifier.model.types import BOOL, INT, EntityT, IntT, ListT
from verifier.prove.abstract import EVERYWHERE
from verifier.prove.question import Answer, Never, Nothing, Question, Sometimes
from verifier.prove.region import Literal, atoms_of, denied, factored
from verifier.prove.transitions import Reads
from verifier.prove.values import Truth

MOST_CUBES = 6
MOST_LITERALS = 7
"""A formula with more conjunctions, or a longer one, is not short."""

PLAIN = 4
"""A formula of one conjunction with so many conditions could hardly be told more shortly."""

LOWEST = 3
"""So many numbers are tried for a part of a key."""

MOST_LISTS = 2
"""So many lists are looked at, to have an example with few elements, and to count."""

FEWEST = (2, 3, 4)
"""An example is looked for with so many elements in each list first."""


FEW_LAWFUL = 4
"""So often an example is looked for again, within the invariants that the one before does not keep."""


@dataclass(frozen=True, slots=True)
class Formula:
    """Where a group is, told within where both sides owe an answer. `proved` by whom, within `scope`."""

    cubes: tuple[Term, ...]
    term: Term
    by: tuple[str, ...]
    scope: str
    supposing: tuple[Supposition, ...]


# -------------------------------------------------------------------------------------------------- invariants
def suppositions(merger: Merger, program: Program, matter: Matter) -> tuple[Supposition, ...]:
    """The invariants of either side that speak only of what a matter reads, and of history that it does not. Of when an
    answer is owed only what is read there counts, not what functions read for it: that a wager is open.

    One that both have, word for word, is the old one's; one that its ruleset lists as a finding is not supposed.
    """
    reads = Reads(program)
    terms = [t for h in (matter.old, matter.new) for c in h.cases for t in (c.applies, c.value)]
    owed = [t for h in (matter.old, matter.new) for t in subterms(h.asked)]
    read = frozenset(
        [f"{t.entity}.{t.name}" for t in owed if isinstance(t, m.Field)]
        + [t.name for t in owed if isinstance(t, m.Get)]
    ).union(*map(reads.of, terms))
    found: list[Supposition] = []
    for which in SIDES:
        for theorem, whole in supposed(merger.common.side(which).ruleset):
            term = merger.term(which, whole)
            alone = {x for x in reads.of(term) if not x.startswith(("count ", "new "))}
            if alone <= read:
                found.append(_quiet(merger, program, which, theorem.name, term))
    by_term: dict[tuple[Term, tuple[str, ...]], Supposition] = {}
    for one in found:
        key = one.term, one.quiet
        if one.term != YES:
            by_term[key] = replace(by_term[key], shared=True) if key in by_term else one
    return tuple(by_term.values())


def taken_over(merger: Merger) -> None:
    """Have the functions that invariants read in the program."""
    for which in SIDES:
        for _, whole in supposed(merger.common.side(which).ruleset):
            merger.term(which, whole)


def _quiet(merger: Merger, program: Program, which: Which, name: str, term: Term) -> Supposition:
    """An invariant where what it counts has never happened."""
    counted: set[str] = set()

    def calm(inner: Term) -> Term:
        match inner:
            case m.Count(latch=latch):
                counted.add(merger.latches[latch].event)
                return m.Lit(INT, 0)
            case m.CallF(function=function, args=()) if program.functions[function].type == BOOL:
                return calm(program.functions[function].body)
            case _:
                return map_children(inner, calm)

    return Supposition(which, name, Folder(program, {}).fold(calm(term)), tuple(sorted(counted)))


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Invariants that together leave nothing of a group, none of which can be left out; proved as a formula is."""

    supposing: tuple[Supposition, ...]
    by: tuple[str, ...]
    scope: str


def excluding(bench: Bench, group: Group, supposed: Sequence[Supposition]) -> tuple[Supposition, ...] | None:
    """Invariants that together keep a group from being, none of which can be left out; None where all of them do not,
    or nobody can tell.

    One is taken after the other, each because a state of the group that keeps those before breaks it.
    """
    try:
        kept = _excluding(bench, bench.truth(group.goal), [bench.truth(one.term) for one in supposed])
    except GivenUpError:
        return None
    return None if kept is None else tuple(supposed[i] for i in kept)


def excluded(bench: Bench, group: Group, named: tuple[Supposition, ...]) -> Exclusion | None:
    """The proof that invariants leave nothing of a group; None where there is none."""
    answer = ask(bench, conjunction([bench.context, group.goal]), NO, named)
    return Exclusion(named, answer.by, answer.scope) if isinstance(answer, Never) else None


def _excluding(bench: Bench, goal: Truth, truths: Sequence[Truth]) -> list[int] | None:
    kept: list[int] = []
    while bench.possible(goal, *(truths[i] for i in kept)):
        model = bench.solver.model()
        broken = (i for i, truth in enumerate(truths) if i not in kept and not _true_in(model, truth))
        first = next(broken, None)
        if first is None:
            return None
        kept.append(first)
    for i in list(kept):
        rest = [j for j in kept if j != i]
        if not bench.possible(goal, *(truths[j] for j in rest)):
            kept = rest
    return sorted(kept)


def _true_in(model: Any, truth: Truth) -> bool:
    return truth is True or (truth is not False and z3.is_true(model.eval(truth, model_completion=True)))


# ---------------------------------------------------------------------------------------------------- formulas
def formula(bench: Bench, group: Group, supposed: Sequence[Supposition]) -> Formula | str:
    """A short formula of a group, proved equal to it; in words why there is none, where none was found or proved.

    Within what is `supposed` only where none is short without that, or far shorter.
    """
    found: Formula | None = None
    why = (
        f"no {MOST_CUBES} conjunctions of {MOST_LITERALS} of the clauses' conditions each, or fewer, "
        "were found to make it up"
    )
    for within in dict.fromkeys(((), tuple(supposed))):
        cubes = _cubes(bench, group, within)
        if not cubes or (found is not None and 2 * _length(cubes) > _length(found.cubes)):
            continue
        term = factored(cubes)
        proved = _equal(bench, group.goal, term, within)
        if proved is not None:
            found = Formula(cubes, term, proved.by, proved.scope, within)
            if len(cubes) == 1 and _length(cubes) <= PLAIN:
                break
        else:
            why = "one was found, and that it is equal to the difference stays unproved"
    return why if found is None else found


def _length(cubes: Sequence[Term]) -> int:
    return sum(len(conjuncts(cube)) for cube in cubes)


def _cubes(bench: Bench, group: Group, within: Sequence[Supposition]) -> tuple[Term, ...] | None:
    matter = bench.matter
    said = conjunction([c.applies for h in (matter.old, matter.new) for c in h.cases])
    atoms = sorted(atoms_of(bench.program, Question(matter.params, said)), key=_plainness)
    signed = [
        (f"literal {place} {sign}", literal)
        for sign, turned in (("yes", False), ("no", True))
        for place, atom in enumerate(atoms)
        for literal in (opposite(atom) if turned else atom,)
        if atom not in (YES, NO)
    ]
    literals = [Literal(term, bench.truth(term), z3.Bool(name)) for name, term in signed]
    goal = bench.truth(group.goal)
    known = [c for c in (*bench.own, *(bench.truth(s.term) for s in within)) if c is not True]
    # Of what holds of every state only what can matter: the solver is asked a hundred times.
    known += bench.typed.writer.relevant([*known, goal, *(x.truth for x in literals)], bench.assumed)
    return Apart(known, goal, literals, MOST_CUBES, MOST_LITERALS).cubes()


def _plainness(atom: Term) -> int:
    """What stays longer in a formula first: the law's own terms, then what is or is not, then comparisons."""
    match atom:
        case m.CallF() | m.Decide():
            return 0
        case m.CompareT(op="="):
            return 2
        case m.CompareT(left=m.Length()):
            return 3
        case m.CompareT():
            return 4
        case _:
            return 1


def opposite(atom: Term) -> Term:
    """That an atom is not so, as people say it: *has 3 cards or fewer*, *has 0 cards*."""
    match atom:
        case m.CompareT(op=">=", left=m.Length(), right=m.Lit(type=type_, value=int() as n)) if n > 0:
            return replace(atom, op="<=" if n > 1 else "=", right=m.Lit(type_, n - 1))
        case _:
            return denied(atom)


def _equal(bench: Bench, one: Term, other: Term, within: Sequence[Supposition]) -> Never | None:
    """The proof that two conditions are the same in the context; None where there is none."""
    found: Never | None = None
    for inside, outside in ((one, other), (other, one)):
        answer = ask(bench, conjunction([bench.context, inside]), outside, within)
        if not isinstance(answer, Never):
            return None
        if found is None or len(answer.scope) > len(found.scope):
            found = answer
    return found


def complete(bench: Bench, groups: Sequence[Group]) -> Answer:
    """Whether there is a difference outside all the groups: `Never` proves the list complete."""
    everywhere = conjunction([bench.context, different_term(bench.matter)])
    return ask(bench, everywhere, disjunction([group.goal for group in groups]))


def ask(bench: Bench, inside: Term, outside: Term, within: Sequence[Supposition] = ()) -> Answer:
    """Whether there is a state that is inside and not outside, of those `within` all that is supposed.

    What is supposed of all things is first put to what is compared alone: where that leaves no state, all of it leaves
    none.
    """
    if inside == NO:
        return Never("typed", EVERYWHERE, ("the terms themselves",))
    none = () if outside == NO else (Nothing((), outside),)
    whole = conjunction([inside, *(s.term for s in within)])
    names = free_variables(whole) | free_variables(outside)
    params = tuple(p for p in bench.params if p.name in names)
    made = bench.matter.made & names
    weaker = None
    if within:
        those = frozenset(p.name for p in bench.matter.params)
        about = references(bench.program, [inside, outside], those)
        said = [one for s in within for one in instances(s.term, about, those)]
        weaker = Question(params, conjunction([inside, *said]), none=none, made=made)
    return bench.wide.ask(Question(params, whole, none=none, made=made), weaker=weaker)


# ---------------------------------------------------------------------------------------------------- examples
def examples(
    bench: Bench, group: Group, supposed: Sequence[Supposition], numbers: Mapping[Path, int]
) -> Iterator[Sometimes]:
    """States of a group in which both sides owe an answer, those with few elements in their lists first. `numbers` are
    the first that keys have of things that events make.

    What is costly in when an answer is owed is taken to be false: whether it is really owed, and whether the state is
    in the group, an interpreter must say.
    """
    context = settled(bench.context, bench.freed)
    states = bench.states(*(bench.truth(t) for t in (context, group.goal, *(s.term for s in supposed))))
    _lowest(bench, states, numbers)
    lists = lists_of(bench, group.goal)
    for sizes in sorted(product(FEWEST, repeat=len(lists)), key=lambda s: (sum(s), s)) if lists else []:
        few = [
            bench.truth(m.CompareT(BOOL, "=", m.Length(INT, list_), m.Lit(INT, size)))
            for list_, size in zip(lists, sizes, strict=True)
        ]
        if (found := bench.state(states, *few)) is not None:
            yield found
    if (found := bench.state(states)) is not None:
        yield found


def _lowest(bench: Bench, states: States, numbers: Mapping[Path, int]) -> None:
    """Have the numbers in the keys of what an example is about be as low as they can be in play, else in the type."""

    def visit(term: Term, path: Path) -> None:
        match term.type:
            case EntityT(name=name, keys=keys):
                for at, (key, type_) in enumerate(keys):
                    visit(m.Part(type_, term, at), (*(path or (name,)), key))
            case IntT(low=int() as low) as type_:
                first = numbers.get(path, low)
                for value in dict.fromkeys([*range(first, first + LOWEST), *range(low, low + LOWEST)]):
                    here = bench.truth(m.CompareT(BOOL, "=", term, m.Lit(type_, value)))
                    if states.model([here]) is not None:
                        states.add(here)
                        return
            case _:
                return

    for param in bench.matter.params:
        visit(m.Var(param.type, param.name), ())


def lists_of(bench: Bench, goal: Term) -> tuple[Term, ...]:
    """The lists that a condition reads of the things that it names, told by one variable or by none; those first of
    which it says how long they are."""
    found: dict[Term, None] = {}
    names = frozenset(p.name for p in bench.matter.params)

    def visit(term: Term) -> None:
        if isinstance(term, m.Length) and isinstance(term.list, m.Field) and free_variables(term) <= names:
            found.setdefault(term.list)
        for child in children(term):
            visit(child)

    visit(bench.context)
    visit(goal)
    reads = Reads(bench.program).of(goal)
    for thing in references(bench.program, [bench.context, goal], names):
        assert isinstance(thing.type, EntityT)
        kind = thing.type.name
        for field in bench.program.ruleset.entities[kind].fields:
            if isinstance(field.type, ListT) and f"{kind}.{field.name}" in reads:
                found.setdefault(m.Field(field.type, kind, field.name, thing))
    return tuple(found)[:MOST_LISTS]
