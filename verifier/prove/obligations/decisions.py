"""Every decision has one answer wherever one is due: no gap, no conflict.

An answer is due where a rule asks it, of entities that exist and people who have been met; a decision that no rule
asks is always due, and one of which no rule says anything is none of the ruleset's. A gap is that every case is known
not to apply. A conflict is that two cases apply, both with a value, and the values differ. Where a case reads what may
be absent, or divides by what may be nothing, there may be no answer for want of that: a gap of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from verifier.core.program import Case, DecisionProgram, Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.rewrite import substitute
from verifier.model.ruleset import Contribution, Param
from verifier.model.show import cite
from verifier.model.terms import Term
from verifier.model.types import BOOL
from verifier.prove.obligations.units import (
    Naming,
    all_of,
    asked_of,
    both,
    call,
    either,
    items_of,
    known,
    no,
    same,
)
from verifier.prove.question import Mode, Nothing, Obligation, Question
from verifier.prove.reached import reached

MODES: tuple[Mode, ...] = ("words", "play")


def obligations(program: Program) -> Iterator[Obligation]:
    """For each decision: a gap for every rule that asks it, and one conflict for all of its rules.

    The one for all rules is true of a state exactly if one of `pairs` is. Whoever finds it possible asks those, and
    reports them in its place; where it is not, none of them is.
    """
    for decision in program.decisions.values():
        yield from gaps(program, decision)
        yield from undefined(program, decision)
        if _clashes(decision):
            yield whole(program, decision.name)


# ---------------------------------------------------------------------------------------------------- gaps
def gap_id(decision: str, rule: str) -> str:
    """The obligation that whoever asks a decision by a rule gets an answer."""
    return f"gap {decision} {rule}"


def gaps(program: Program, decision: DecisionProgram) -> Iterator[Obligation]:
    """One obligation for each rule that asks, so that a finding says whose question has no answer."""
    shown = _shown(decision)
    none = [no(call(case.applies, decision.params)) for case in decision.cases]
    by_rule: dict[str, list[Term]] = {}
    for rule, condition in decision.askers:
        by_rule.setdefault(rule, []).append(condition)
    for rule, conditions in by_rule.items():
        yield Obligation(
            gap_id(decision.name, rule),
            "gap",
            f"wherever {rule} asks {shown}, a rule answers",
            (rule, *_rules(decision.cases)),
            question=Question(decision.params, both(known(decision.params), either(*conditions), *none)),
            modes=MODES,
        )
    if not by_rule and decision.cases:
        yield Obligation(
            f"gap {decision.name}",
            "gap",
            f"a rule always answers {shown}",
            _rules(decision.cases),
            question=Question(decision.params, both(known(decision.params), *none)),
            modes=MODES,
        )


def undefined(program: Program, decision: DecisionProgram) -> Iterator[Obligation]:
    """An answer never lacks for want of what a case reads; asked only of a decision whose cases can lack it.

    A gap or conflict of the decision, or of one that it reads, is found as such and not here.
    """
    lacking: dict[Term, None] = {}
    read: dict[m.Decide, None] = {}
    for case in decision.cases:
        for term in reached(program, (program.functions[case.applies].body, case.value), decisions=False):
            if isinstance(term, m.Decide):
                read[term] = None
            elif _may_lack(term):
                lacking[term] = None
    if not lacking:
        return
    naming = Naming(program)
    answer = m.Decide(decision.type, decision.name, tuple(m.Var(p.type, p.name) for p in decision.params))
    none = [Nothing((), same(answer, answer)), *(Nothing((), why) for why in _failing(program, answer))]
    for inner in read:
        variables = {t.name: t for t in all_of(inner) if isinstance(t, m.Var)}
        own = {p.name for p in decision.params}
        params = tuple(Param(v.name, v.type) for v in variables.values() if v.name not in own)
        none += [Nothing(params, why) for why in _failing(program, inner)]
    reads = ", ".join(dict.fromkeys(naming.term(term) for term in lacking))
    yield Obligation(
        f"gap {decision.name} undefined",
        "gap",
        f"wherever {_shown(decision)} is due, what its rules read is there",
        _rules(decision.cases),
        question=Question(decision.params, asked_of(program, decision.name), none=tuple(none)),
        modes=MODES,
        about=(f"what may be lacking: {reads}",),
    )


def _failing(program: Program, asked: m.Decide) -> Iterator[Term]:
    """That a decision has a gap, and that two of its rules clash, for the arguments at hand."""
    found = program.decisions[asked.decision]
    by = {p.name: arg for p, arg in zip(found.params, asked.args, strict=True)}
    yield substitute(both(*(no(call(case.applies, found.params)) for case in found.cases)), by)
    clashes = _clashes(found)
    if clashes:
        yield substitute(either(*clashes), by)


def _may_lack(term: Term) -> bool:
    """Whether a term has no value where part of it has one. Elements of lists are guarded."""
    match term:
        case m.Force():
            return True
        case m.Part(of=of) | m.Field(of=of):
            return isinstance(of.type, ty.OptT)
        case m.ArithT(op="/" | "mod" | "div", right=right):
            return not isinstance(right, m.Lit)
        case _:
            return False


# ----------------------------------------------------------------------------------------------- conflicts
def whole(program: Program, decision: str) -> Obligation:
    """No two rules of a decision clash where it is due: the disjunction of its `pairs`, in a shorter form.

    Cases with one constant value stand together, so that there are as many alternatives as pairs of values, not as
    pairs of rules.
    """
    found = program.decisions[decision]
    return Obligation(
        f"conflict {decision}",
        "conflict",
        f"no two rules give {_shown(found)} different values",
        _rules(found.cases),
        question=Question(found.params, both(asked_of(program, decision), either(*_clashes(found)))),
        modes=MODES,
    )


def _clashes(decision: DecisionProgram) -> list[Term]:
    """The ways in which cases of a decision clash, those of one constant value taken together."""
    groups: dict[object, list[Case]] = {}
    for case in decision.cases:
        groups.setdefault(case.value if isinstance(case.value, m.Lit) else case.unit, []).append(case)
    return [
        _clash(decision, a, b) for a, b in combinations(groups.values(), 2) if _differ(a[0].value, b[0].value)
    ]


def pairs(program: Program, decision: str) -> tuple[Obligation, ...]:
    """For every two rules of a decision that can give it different values: they never do so at once.

    Effects of one rule stand together; what a rule applies by reference is told apart by the clause applied. Rules
    whose conditions exclude each other by their words alone (one of initial wagers, one of insurance wagers; one
    displaced by the other) make no pair.
    """
    naming = Naming(program)
    found = program.decisions[decision]
    by_rule: dict[str, list[Case]] = {}
    for case in found.cases:
        by_rule.setdefault(cite(case.unit), []).append(case)
    due = asked_of(program, decision)
    fixed = {case.unit: _fixed(program, found, case) for case in found.cases}
    obligations: list[Obligation] = []
    sides = list(by_rule.items())
    for index, (a, ours) in enumerate(sides):
        for b, theirs in sides[index:]:
            clashes = [
                _clash(found, [x], [y])
                for x, y in (combinations(ours, 2) if a == b else ((x, y) for x in ours for y in theirs))
                if _differ(x.value, y.value) and not _exclusive(fixed[x.unit], fixed[y.unit])
            ]
            if clashes:
                obligations.append(_pair(naming, found, (a, ours), (b, theirs), both(due, either(*clashes))))
    return tuple(obligations)


Fixed = dict[Term, frozenset[object]]
"""Of some terms the values that they can have where a case applies."""


def _fixed(program: Program, decision: DecisionProgram, case: Case) -> Fixed:
    """What the conjuncts of a case's condition say of single terms: what they equal, whether they hold."""
    found: Fixed = {call(case.applies, decision.params): frozenset((True,))}
    for item in items_of(program.functions[case.applies].body):
        term, values = _said(item)
        found[term] = found[term] & values if term in found else values
    return found


def _said(item: Term) -> tuple[Term, frozenset[object]]:
    match item:
        case m.CompareT(op="=", left=left, right=m.Lit(value=value)):
            return left, frozenset((value,))
        case m.NotT(of=of):
            return of, frozenset((False,))
        case m.OrT(items=items):
            said = [_said(one) for one in items]
            if all(isinstance(one, m.CompareT) for one in items) and len({term for term, _ in said}) == 1:
                return said[0][0], frozenset[object]().union(*(values for _, values in said))
        case _:
            pass
    return item, frozenset((True,))


def _exclusive(one: Fixed, other: Fixed) -> bool:
    """Whether two cases never apply together, whatever the state."""
    return any(term in other and not values & other[term] for term, values in one.items())


def _pair(
    naming: Naming,
    decision: DecisionProgram,
    a: tuple[str, list[Case]],
    b: tuple[str, list[Case]],
    clash: Term,
) -> Obligation:
    shown = _shown(decision)
    same = a[0] == b[0]
    cases = a[1] if same else [*a[1], *b[1]]
    return Obligation(
        f"conflict {decision.name} {a[0]}" if same else f"conflict {decision.name} {a[0]} / {b[0]}",
        "conflict",
        f"{a[0]} never gives {shown} two values at once"
        if same
        else f"{a[0]} and {b[0]} never give {shown} different values",
        _rules(cases),
        question=Question(decision.params, clash),
        modes=MODES,
        about=tuple(naming.says(_contribution(naming.program, case)) for case in cases),
    )


def _clash(decision: DecisionProgram, a: list[Case], b: list[Case]) -> Term:
    """Some case of `a` and some of `b` apply, and the values, which each group has in common, differ."""
    one = either(*(call(case.applies, decision.params) for case in a))
    other = either(*(call(case.applies, decision.params) for case in b))
    left, right = a[0].value, b[0].value
    if isinstance(left, m.Lit) and isinstance(right, m.Lit):
        return both(one, other)
    return both(one, other, m.CompareT(BOOL, "!=", left, right))


def _differ(left: Term, right: Term) -> bool:
    """Whether the values of two cases can differ, as far as they are written down."""
    if isinstance(left, m.Lit) and isinstance(right, m.Lit):
        return left.value != right.value
    return left != right


def _contribution(program: Program, case: Case) -> Contribution:
    unit = program.ruleset.units[case.unit]
    assert isinstance(unit, Contribution)
    return unit


def _rules(cases: Iterable[Case]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(case.rule for case in cases))


def _shown(decision: DecisionProgram) -> str:
    return (
        f"{decision.name}({', '.join(p.name for p in decision.params)})" if decision.params else decision.name
    )
