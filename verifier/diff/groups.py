"""The whole difference of a matter, in groups: which rules apply then, which now, and with what values.

A rule that says, wherever it applies, what others say too is an echo: it changes no value, and is told beside the group
rather than making one. What is left is gone through by one solver, one set of applying rules after the other, until
there is no other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from verifier.core.program import Program
from verifier.diff.apart import States
from verifier.diff.fold import NO, YES, Loosener, conjunction, disjunction
from verifier.diff.matter import Half, Matter
from verifier.diff.merge import SideCase
from verifier.diff.unify import Which
from verifier.model import terms as m
from verifier.model.ruleset import Param
from verifier.model.show import names_of, show_term
from verifier.model.terms import Term
from verifier.model.types import BOOL
from verifier.prove.encode import Encoded, Encoder
from verifier.prove.question import Sometimes
from verifier.prove.shapes import leaves, model_leaf
from verifier.prove.transitions import Reads
from verifier.prove.values import CannotEncodeError, Truth, and_, equal, not_, or_
from verifier.prove.wide import Wide

GAP = "no rule answers"
CLASH = "rules clash"
"""What a decision comes to where it has no value."""

MOST_PATTERNS = 400
"""So many sets of applying rules are gone through at most."""

RLIMIT = 60_000_000
"""Z3's own count of its work on one check at which it is given up."""


class GivenUpError(Exception):
    """The difference was not gone through to its end; the message says why."""


@dataclass(frozen=True, slots=True)
class Voice:
    """The rules that apply on one side, and what they come to. `value` is None where that is no one value."""

    cases: tuple[int, ...]
    says: str
    value: Term | None


@dataclass(frozen=True, slots=True)
class Pattern:
    """A set of applying rules on each side with different answers."""

    old: Voice
    new: Voice


@dataclass(frozen=True, slots=True)
class Group:
    """Patterns that are told as one, and where they hold, as a term of the clauses' own conditions."""

    patterns: tuple[Pattern, ...]
    goal: Term

    @property
    def old(self) -> tuple[str, ...]:
        """What the old comes to here, each once."""
        return tuple(dict.fromkeys(p.old.says for p in self.patterns))

    @property
    def new(self) -> tuple[str, ...]:
        """What the new comes to here, each once."""
        return tuple(dict.fromkeys(p.new.says for p in self.patterns))


class Bench:
    """A matter, encoded. `context` is where both sides owe an answer, with what is costly left open (`open_`)."""

    def __init__(self, program: Program, wide: Wide, matter: Matter, supposing: Sequence[Term] = ()) -> None:
        self.program = program
        typed = wide.typed
        self.wide, self.typed = wide, typed
        self.matter = matter
        self.names = names_of(program.ruleset)
        loosener = Loosener(program)
        asked = [loosener.loosen(term) for term in (matter.old.asked, matter.new.asked)]
        self.context = conjunction([matter.fixed, *asked, *supposing])
        self.freed = loosener.params
        self.params: tuple[Param, ...] = (*matter.params, *loosener.params.values())
        self.encoder = Encoder(typed.state, typed.options)
        self.values: dict[str, Any] = {}
        assumed = typed.assumed(())
        if isinstance(assumed, str):
            raise GivenUpError(assumed)
        self.assumed = assumed
        conditions: list[Truth] = []
        for param in self.params:
            self.values[param.name] = typed.world.shapes.named(param.type, f"some {param.name}")
            made = param.name in matter.made
            conditions.append(typed.ranges(typed.state, param.type, self.values[param.name], made=made))
        self.own: list[Truth] = [*conditions, self.truth(self.context)]
        self.cases = {"old": self._encoded(matter.old), "new": self._encoded(matter.new)}
        self.solver = z3.SimpleSolver()
        self._markers: dict[int, tuple[Any, Any]] = {}
        self.solver.set("random_seed", 0)
        self.solver.set("rlimit", RLIMIT)
        self.solver.add(*assumed.conditions, *(c for c in self.own if c is not True))
        sure = [e.defined for side in self.cases.values() for e, _ in side]
        self.unsure = any(d is not True for d in sure) and self.possible(not_(and_(*sure)))
        self.uneven = self.unsure and self._uneven()
        if self.unsure:
            self.solver.add(*(d for d in sure if d is not True))
            self.own += sure

    def truth(self, term: Term) -> Truth:
        """That a term is defined and true."""
        found = self.encoder.encode(term, self.values)
        return and_(found.defined, found.value)

    def _encoded(self, half: Half) -> list[tuple[Encoded, Encoded]]:
        return [
            (self.encoder.encode(c.applies, self.values), self.encoder.encode(c.value, self.values))
            for c in half.cases
        ]

    def _uneven(self) -> bool:
        """Whether some condition of one side may be undefined where all of the other side's are not.

        Where that may be so only with what is costly left open, it is asked of the whole context as well.
        """
        old, new = (and_(*(e.defined for e, _ in self.cases[which])) for which in ("old", "new"))
        either = or_(and_(old, not_(new)), and_(new, not_(old)))
        if not self.possible(either):
            return False
        if not self.freed:
            return True
        try:
            owed = [self.truth(term) for term in (self.matter.old.asked, self.matter.new.asked)]
            return self.possible(either, *owed)
        except (CannotEncodeError, GivenUpError):
            return True

    def possible(self, *conditions: Truth) -> bool:
        """Whether the conditions can hold in the context. Raises `GivenUpError` where Z3 does not tell."""
        if any(c is False for c in conditions):
            return False
        said = self.solver.check(*(self._marker(c) for c in conditions if c is not True))
        if said == z3.unknown:
            raise GivenUpError(f"z3: {self.solver.reason_unknown()}")
        return bool(said == z3.sat)

    def _marker(self, condition: Any) -> Any:
        """A constant that makes the solver suppose a condition: one that it has taken apart before costs little."""
        key = condition.get_id()
        if key not in self._markers:
            marker = z3.Bool(f"supposed {len(self._markers)}")
            self.solver.add(z3.Implies(marker, condition))
            self._markers[key] = marker, condition
        return self._markers[key][0]

    def states(self, *known: Truth) -> States:
        """Where to look for states of the context in which what is known holds."""
        return States([*self.assumed.conditions, *self.own, *known], RLIMIT)

    def state(self, states: States, *conditions: Truth) -> Sometimes | None:
        """A state in which the conditions hold, by Z3 alone: whoever shows it has an interpreter look at it first."""
        model, typed = states.model(conditions), self.typed
        if model is None:
            return None
        values = {p.name: self.values[p.name] for p in self.matter.params}
        for expr in leaves(tuple(values.values())):
            model.update_value(expr, model.eval(expr, model_completion=True))
        leaf = model_leaf(model)
        return Sometimes(
            typed.state.read(leaf),
            typed.options.concretize(model),
            {p.name: typed.world.shapes.concrete(p.type, values[p.name], leaf) for p in self.matter.params},
            None,
            typed.scope_text,
            ("z3",),
        )


def half(matter: Matter, which: str) -> Half:
    """One side of a matter."""
    return matter.old if which == "old" else matter.new


# ------------------------------------------------------------------------------------------------------ echoes
def echoes(bench: Bench, which: str, first: frozenset[str]) -> tuple[int, ...]:
    """The cases of a side that say only what others say where they apply.

    Of two that say the same everywhere the one whose rule is in `first` stays, then the earlier one; what applies a
    clause by reference gives way to the clause.
    """
    cases = half(bench.matter, which).cases
    order = sorted(
        range(len(cases)), key=lambda i: (" with " not in cases[i].unit, cases[i].rule in first, -i)
    )
    left = list(range(len(cases)))
    for i in order:
        others = [j for j in left if j != i and cases[j].value == cases[i].value]
        if not others:
            continue
        mine, _ = bench.cases[which][i]
        if not bench.possible(mine.value, not_(or_(*(bench.cases[which][j][0].value for j in others)))):
            left.remove(i)
    return tuple(i for i in range(len(cases)) if i not in left)


# ---------------------------------------------------------------------------------------------------- patterns
def groups(
    bench: Bench, first: Mapping[Which, frozenset[str]]
) -> tuple[tuple[Group, ...], dict[str, tuple[int, ...]]]:
    """The groups of a matter, and the echoes of either side. Raises `GivenUpError`, `CannotEncodeError`."""
    repeated = {which: echoes(bench, which, first[which]) for which in ("old", "new")}
    kept = {
        which: [i for i in range(len(half(bench.matter, which).cases)) if i not in repeated[which]]
        for which in ("old", "new")
    }
    different = _different(bench, kept)
    patterns = _patterns(bench, kept, different)
    return tuple(_grouped(bench, kept, patterns, different)), repeated


def _different(bench: Bench, kept: dict[str, list[int]]) -> Truth:
    """That the two sides do not come to the same."""
    gap, clash = {}, {}
    for which in ("old", "new"):
        told = [bench.cases[which][i] for i in kept[which]]
        gap[which] = not_(or_(*(a.value for a, _ in told)))
        clash[which] = or_(
            *(
                and_(a.value, b.value, not_(equal(v.value, w.value)))
                for at, (a, v) in enumerate(told)
                for b, w in told[:at]
            )
        )
    apart = or_(
        *(
            and_(a.value, b.value, not_(equal(v.value, w.value)))
            for a, v in (bench.cases["old"][i] for i in kept["old"])
            for b, w in (bench.cases["new"][i] for i in kept["new"])
        )
    )
    return or_(
        _unlike(gap["old"], gap["new"]),
        _unlike(clash["old"], clash["new"]),
        and_(not_(clash["old"]), not_(clash["new"]), apart),
    )


def _unlike(a: Truth, b: Truth) -> Truth:
    return or_(and_(a, not_(b)), and_(b, not_(a)))


def _patterns(bench: Bench, kept: dict[str, list[int]], different: Truth) -> list[Pattern]:
    if different is False:
        return []
    found: list[Pattern] = []
    solver = bench.solver
    solver.push()
    if different is not True:
        solver.add(different)
    try:
        while True:
            if not bench.possible():
                return found
            if len(found) == MOST_PATTERNS:
                raise GivenUpError(f"more than {MOST_PATTERNS} sets of rules answer differently")
            model = solver.model()
            voices, same = {}, []
            for which in ("old", "new"):
                applying = []
                for i in kept[which]:
                    truth = bench.cases[which][i][0].value
                    holds = truth is True or (
                        truth is not False and z3.is_true(model.eval(truth, model_completion=True))
                    )
                    if holds:
                        applying.append(i)
                    same.append(truth if holds else not_(truth))
                voices[which] = _voice(bench, which, applying, model)
            found.append(Pattern(voices["old"], voices["new"]))
            solver.add(not_(and_(*same)))
    finally:
        solver.pop()


def _voice(bench: Bench, which: str, applying: Sequence[int], model: Any) -> Voice:
    cases = half(bench.matter, which).cases
    if not applying:
        return Voice((), GAP, None)
    values = list(dict.fromkeys(cases[i].value for i in applying))
    if len(values) > 1:
        told = [bench.cases[which][i][1].value for i in applying]
        apart = or_(*(not_(equal(told[0], other)) for other in told[1:]))
        if apart is True or (apart is not False and z3.is_true(model.eval(apart, model_completion=True))):
            return Voice(tuple(applying), CLASH, None)
    return Voice(tuple(applying), show_term(values[0], bench.names), values[0])


def _grouped(
    bench: Bench, kept: dict[str, list[int]], patterns: Sequence[Pattern], different: Truth
) -> list[Group]:
    rest = list(patterns)
    found: list[Group] = []
    reads = Reads(bench.program)
    read = {
        which: frozenset[str]().union(*(reads.of(c.applies) for c in half(bench.matter, which).cases))
        for which in ("old", "new")
    }
    for which in ("new", "old"):
        for i in kept[which]:
            mine = [p for p in rest if i in _of(p, which).cases]
            alone = all(_of(p, which).cases == (i,) for p in mine)
            others = {_of(p, "old" if which == "new" else "new").says for p in mine}
            if len(others) < 2 or not alone:
                continue
            case = half(bench.matter, which).cases[i]
            everywhere = not bench.possible(bench.cases[which][i][0].value, not_(different))
            if everywhere or reads.of(case.applies) - read[_other(which)]:
                goal = case.applies if everywhere else _goal(bench.matter, kept, mine)
                found.append(Group(tuple(mine), goal))
                rest = [p for p in rest if p not in mine]
    cores: list[list[Pattern]] = []
    for pattern in sorted(
        rest, key=lambda p: (len(p.old.cases) + len(p.new.cases), p.old.cases, p.new.cases)
    ):
        core = next((those for those in cores if _extends(pattern, those[0])), None)
        if core is None:
            cores.append([pattern])
        else:
            core.append(pattern)
    for those in cores:
        found.append(Group(tuple(those), _goal(bench.matter, kept, those)))
    return found


def _extends(pattern: Pattern, core: Pattern) -> bool:
    """Whether more rules say the same as in `core`."""
    return all(
        _of(pattern, which).says == _of(core, which).says
        and set(_of(core, which).cases) <= set(_of(pattern, which).cases)
        for which in ("old", "new")
    )


def _goal(matter: Matter, kept: dict[str, list[int]], those: Sequence[Pattern]) -> Term:
    """Where one of several patterns holds; what none or all of them say is said once."""
    said = [_items(matter, kept, p) for p in those]
    common = [item for item in said[0] if all(item in items for items in said)]
    rest = [[item for item in items if item not in common] for items in said]
    return conjunction([*common, disjunction([conjunction(items) for items in rest])])


def _other(which: str) -> str:
    return "new" if which == "old" else "old"


def _of(pattern: Pattern, which: str) -> Voice:
    return pattern.old if which == "old" else pattern.new


def _items(matter: Matter, kept: dict[str, list[int]], pattern: Pattern) -> list[Term]:
    """The conditions under which just the rules of a pattern apply, and answer as they do there."""
    items: list[Term] = []
    for which in ("old", "new"):
        cases, voice = half(matter, which).cases, _of(pattern, which)
        items += [cases[i].applies for i in voice.cases]
        items += [m.NotT(BOOL, cases[i].applies) for i in kept[which] if i not in voice.cases]
        values = [cases[i].value for i in voice.cases]
        items += _compared(values, voice.says == CLASH)
    if pattern.old.value is not None and pattern.new.value is not None:
        items += _compared([pattern.old.value, pattern.new.value], True)
    return items


def _compared(values: Sequence[Term], differ: bool) -> list[Term]:
    """That values that are no constants are all the same, or are not."""
    if all(isinstance(v, m.Lit) for v in values):
        return []
    pairs = [m.CompareT(BOOL, "!=", a, b) for at, a in enumerate(values) for b in values[:at] if a != b]
    return [disjunction(list(pairs))] if differ else [m.NotT(BOOL, pair) for pair in pairs]


# ------------------------------------------------------------------------------------------- the same, as terms
def different_term(matter: Matter) -> Term:
    """That the two sides do not come to the same, over all their cases: what completeness is proved against."""
    gap = {w: conjunction([m.NotT(BOOL, c.applies) for c in half(matter, w).cases]) for w in ("old", "new")}
    clash = {w: _apart(half(matter, w).cases, half(matter, w).cases) for w in ("old", "new")}
    apart = _apart(matter.old.cases, matter.new.cases)
    return disjunction(
        [
            conjunction([gap["old"], _not(gap["new"])]),
            conjunction([gap["new"], _not(gap["old"])]),
            conjunction([clash["old"], _not(clash["new"])]),
            conjunction([clash["new"], _not(clash["old"])]),
            conjunction([_not(clash["old"]), _not(clash["new"]), apart]),
        ]
    )


def _not(term: Term) -> Term:
    if term in (YES, NO):
        return NO if term == YES else YES
    return m.NotT(BOOL, term)


def _apart(first: Sequence[SideCase], second: Sequence[SideCase]) -> Term:
    """That some case of `first` and some case of `second` apply, and their values differ."""
    found: list[Term] = []
    by_value: dict[Term, list[Term]] = {}
    others: dict[Term, list[Term]] = {}
    for case in first:
        by_value.setdefault(case.value, []).append(case.applies)
    for case in second:
        others.setdefault(case.value, []).append(case.applies)
    for a, mine in by_value.items():
        for b, theirs in others.items():
            if a == b:
                continue
            both = [disjunction(mine), disjunction(theirs)]
            if not (isinstance(a, m.Lit) and isinstance(b, m.Lit)):
                both.append(m.CompareT(BOOL, "!=", a, b))
            found.append(conjunction(both))
    return disjunction(found)
