"""Every rule can apply and matters, and so does each part of its condition, each exception, each hypothesis.

A unit is one effect, duty, prohibition or permission of a rule. What a rule applies by reference (`apply 5.1(a) to
5.1(g) where …`) is one thing here: the law says it in one breath, and a clause among those that has nothing to do
there is no fault. All obligations want `sometimes`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from verifier.core.lawful import demanded
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model.rewrite import substitute
from verifier.model.ruleset import Contribution, Norm, Rule, Unit
from verifier.model.terms import Term
from verifier.prove.obligations.duties import covered, duty_of
from verifier.prove.obligations.exceptions import idle_exceptions
from verifier.prove.obligations.limbs import idle_limbs
from verifier.prove.obligations.units import (
    FALSE,
    TRUE,
    Alternative,
    Group,
    Naming,
    Only,
    Resting,
    agreeing,
    among,
    any_of,
    asked_id,
    asked_of,
    both,
    call,
    dead_id,
    either,
    given_id,
    givens_of,
    groups_of,
    known,
    no,
    own_of,
    parts_of,
    same,
    there,
)
from verifier.prove.question import Obligation, Question


def obligations(program: Program) -> Iterator[Obligation]:
    """What each rule must be able to do."""
    for resting in resting_obligations(program):
        yield resting.obligation


def rests_on(program: Program) -> dict[str, tuple[str, ...]]:
    """For each obligation, the ids of those that must hold for it to say anything.

    Of what is dead nothing matters: whoever finds an obligation refuted has no more to say of those that rest on it.
    """
    return {resting.obligation.id: resting.on for resting in resting_obligations(program) if resting.on}


def resting_obligations(program: Program, only: Only = None) -> Iterator[Resting]:
    """The obligations with those that they rest on, which come before them; `only` those about some of these rules."""
    naming = Naming(program)
    yield from vacuous(program, naming, only)
    yield from dead_rules(program, naming, only)
    yield from subsumed_rules(program, naming, only)
    yield from idle_limbs(program, naming, only)
    yield from idle_exceptions(program, naming, only)


# ------------------------------------------------------------------------------------ vacuous suppositions
def vacuous(program: Program, naming: Naming, only: Only = None) -> Iterator[Resting]:
    """What rules suppose can be: what an `asked` asks about, a `given`, the `where` of an `apply`."""
    for decision in program.decisions.values():
        by_rule: dict[str, list[Term]] = {}
        for rule, condition in decision.askers:
            by_rule.setdefault(rule, []).append(condition)
        for rule, conditions in by_rule.items():
            if not among(only, rule):
                continue
            obligation = Obligation(
                asked_id(decision.name, rule),
                "vacuous",
                f"somewhere {rule} asks {decision.name}",
                (rule,),
                "sometimes",
                Question(decision.params, both(known(decision.params), either(*conditions))),
                about=tuple(naming.term(condition) for condition in conditions),
            )
            yield Resting(obligation)
    for name, given, units in givens_of(program, naming):
        if not among(only, *(unit.rule for unit in units)):
            continue
        question = any_of(program, [way for unit in units for way in _supposing(program, unit, given)])
        if question is not None:
            text = naming.term(given)
            obligation = Obligation(
                given_id(name),
                "vacuous",
                f"what {name} supposes can be: {text}",
                tuple(dict.fromkeys(unit.rule for unit in units)),
                "sometimes",
                question,
            )
            yield Resting(obligation)


def _supposing(program: Program, unit: Unit, given: Term) -> Iterator[Alternative]:
    """The ways in which what stands above a unit comes to be so."""
    bare = replace(unit, when=None, given=(given,))
    for parts in parts_of(program, unit):
        own = own_of(program, bare, parts.event)
        if parts.event is None:
            yield Alternative(parts.params, both(known(parts.params), own))
        else:
            yield Alternative((), own, parts.event)


# ---------------------------------------------------------------------------------------------- dead rules
def dead_rules(program: Program, naming: Naming, only: Only = None) -> Iterator[Resting]:
    """Each unit applies somewhere: an effect where its decision is due, a duty is pending, an act is governed."""
    above: dict[str, list[str]] = {}
    for where, _, units in givens_of(program, naming):
        for unit in units:
            above.setdefault(unit.id, []).append(given_id(where))
    for group in groups_of(program):
        if not among(only, group[0].rule):
            continue
        question = any_of(program, [way for unit in group for way in applying(program, unit)])
        if question is not None:
            name = naming.group(group)
            obligation = Obligation(
                dead_id(name),
                "dead rule",
                f"{name} applies somewhere",
                (group[0].rule,),
                "sometimes",
                question,
                about=(*(naming.says(unit) for unit in group), *_looked_for(program, naming, group)),
            )
            yield Resting(obligation, tuple(above.get(group[0].id, ())))


def _looked_for(program: Program, naming: Naming, group: Group) -> Iterator[str]:
    """Where an effect that applies does not count, because nobody asks: it may well apply elsewhere."""
    for decision in dict.fromkeys(unit.decision for unit in group if isinstance(unit, Contribution)):
        for rule, condition in program.decisions[decision].askers:
            yield f"looked for where {rule} asks {decision}: {naming.term(condition)}"


def applying(program: Program, unit: Unit) -> Iterator[Alternative]:
    """The ways in which a unit comes to apply."""
    match unit:
        case Contribution(decision=decision):
            for parts in parts_of(program, unit):
                yield Alternative(parts.params, both(asked_of(program, decision), parts.applies))
        case Norm(force="must"):
            duty = duty_of(program, unit)
            pending = both(known(duty.variables), call(duty.pending, duty.variables))
            if duty.kind == "immediately after":
                for act in duty.deadline_acts:
                    yield Alternative(duty.variables, both(pending, act.matches), act.event)
            else:
                yield Alternative(duty.variables, pending)
        case Norm():
            for parts in parts_of(program, unit):
                yield Alternative((), parts.applies, parts.event)


# ------------------------------------------------------------------------------------------ subsumed rules
def subsumed_rules(program: Program, naming: Naming, only: Only = None) -> Iterator[Resting]:
    """Each rule matters somewhere: one of its units does what no other rule does there.

    A rule is asked about as a whole: one that repeats another's answer but adds a deadline is not idle. Rules that
    say `agrees with` each other repeat each other on purpose, and a rule applied by reference stands for its
    original. Where nothing else could say what a unit says, the unit matters if it is not dead. It matters as well
    where it alone displaces what would say something else.
    """
    by_rule: dict[str, list[Group]] = {}
    for group in groups_of(program):
        if among(only, group[0].rule):
            by_rule.setdefault(group[0].rule, []).append(group)
    for rule, groups in by_rule.items():
        ways: list[Alternative] = []
        others: dict[str, None] = {}
        for group in groups:
            found = [mattering(program, unit, others) for unit in group]
            if any(one is None for one in found):
                break
            ways += [way for one in found if one is not None for way in one]
            ways += [way for unit in group for way in displacing(program, unit)]
        else:
            question = any_of(program, ways)
            if question is not None:
                obligation = Obligation(
                    f"subsumed rule {rule}",
                    "subsumed rule",
                    f"{rule} somewhere says what no other rule says",
                    (rule, *others),
                    "sometimes",
                    question,
                    about=(
                        *(naming.says(unit) for group in groups for unit in group),
                        f"the same may be said by {', '.join(others)}",
                    ),
                )
                yield Resting(obligation, (dead_id(naming.group(groups[0])),) if len(groups) == 1 else ())


def mattering(program: Program, unit: Unit, others: dict[str, None]) -> list[Alternative] | None:
    """The ways in which a unit does what no other rule does; None where no other could. `others` gains those."""
    rule = program.ruleset.rules[unit.rule]
    match unit:
        case Contribution():
            return _only_answer(program, unit, rule, others)
        case Norm(force="must"):
            return _only_duty(program, unit, rule, others)
        case Norm(force="must not"):
            return _only_prohibition(program, unit, rule, others)
        case Norm():
            return _only_permission(program, unit, rule, others)


def displacing(program: Program, unit: Unit) -> Iterator[Alternative]:
    """The ways in which a unit is the one exception that keeps another rule's unit from applying."""
    for edge in program.ruleset.edges:
        loser = program.ruleset.units[edge.loser]
        if edge.winner != unit.id or loser.rule == unit.rule or _says_the_same(program, unit, loser):
            continue
        for parts in parts_of(program, loser):
            others = [no(term) for other, term in parts.edges if other.winner != unit.id]
            displaced = either(*(term for other, term in parts.edges if other == edge))
            alone = both(parts.own, *parts.beside, displaced, *others)
            match loser:
                case Contribution(decision=decision):
                    yield Alternative(parts.params, both(asked_of(program, decision), alone))
                case Norm(force="must"):
                    yield Alternative(parts.params, both(known(parts.params), alone))
                case Norm():
                    yield Alternative((), alone, parts.event)


def _says_the_same(program: Program, one: Unit, other: Unit) -> bool:
    """Whether two effects give one decision one value, whatever the state."""
    if not isinstance(one, Contribution) or not isinstance(other, Contribution):
        return False
    cases = {case.unit: case.value for case in program.decisions[one.decision].cases}
    return one.decision == other.decision and cases[one.id] == cases[other.id]


def _only_answer(
    program: Program, unit: Contribution, rule: Rule, others: dict[str, None]
) -> list[Alternative] | None:
    """It gives an answer where one is due, and no other rule gives the same."""
    decision = program.decisions[unit.decision]
    mine = next(case for case in decision.cases if case.unit == unit.id)
    origin = unit.applied or unit.id
    friends = agreeing(program, rule)
    rivals: list[Term] = []
    for case in decision.cases:
        other = program.ruleset.units[case.unit]
        assert isinstance(other, Contribution)
        if other.rule == unit.rule or other.rule in friends or origin in (other.id, other.applied):
            continue
        applies = call(case.applies, decision.params)
        if isinstance(mine.value, m.Lit) and isinstance(case.value, m.Lit):
            if mine.value.value != case.value.value:
                continue
        else:
            applies = both(applies, same(mine.value, case.value))
        rivals.append(applies)
        others[case.rule] = None
    if not rivals:
        return None
    due = asked_of(program, unit.decision)
    alone = both(due, call(mine.applies, decision.params), *(no(rival) for rival in rivals))
    return [Alternative(decision.params, alone)]


def _only_prohibition(
    program: Program, unit: Norm, rule: Rule, others: dict[str, None]
) -> list[Alternative] | None:
    """It forbids to some role what nothing else forbids him, and what he would be permitted if it need be."""
    friends = agreeing(program, rule)
    found: dict[Alternative, None] = {}
    for parts in parts_of(program, unit):
        assert parts.event is not None
        rivals = [n for n in program.prohibitions[parts.event] if n.rule != rule.id and n.rule not in friends]
        permits = program.permissions.get(parts.event, ())
        applies = call(f"applies {unit.id} to {parts.event}", parts.params)
        for role in unit.roles:
            against = [n for n in rivals if role in n.roles]
            if not against and not permits:
                return None
            others.update((n.rule, None) for n in (*against, *permits))
            alone = both(
                applies,
                *(no(call(n.applies, parts.params)) for n in against),
                _open(program, parts.event, role, rule.id),
            )
            found[Alternative((), alone, parts.event)] = None
    return list(found)


def _open(program: Program, event: str, role: str, rule: str) -> Term:
    """No permission governs the event, or one permits it to the role, or would but for `rule` itself, or a duty of
    the role's demands it."""
    permits = program.permissions.get(event, ())
    if not permits:
        return TRUE
    permitted: list[Term] = []
    for norm in permits:
        if role in norm.roles:
            unit = program.ruleset.units[norm.unit]
            parts = next(p for p in parts_of(program, unit) if p.event == norm.event)
            others = [t for edge, t in parts.edges if program.ruleset.units[edge.winner].rule != rule]
            permitted.append(both(parts.own, *parts.beside, *(no(t) for t in others)))
    due = _pinned(demanded(program, event, role))
    return either(no(either(*(n.head for n in permits))), *permitted, *(() if due == FALSE else (due,)))


def _pinned(term: Term) -> Term:
    """A condition with what it says of the one thing that some variable must be said of that: no scope bounds it."""
    match term:
        case m.OrT(items=items):
            return either(*map(_pinned, items))
        case m.AndT(items=items):
            return both(*map(_pinned, items))
        case m.Quant(
            kind="some",
            var=var,
            where=m.CompareT(op="=", left=m.Var() as thing, right=m.Var(name=name)),
            body=body,
        ) if name == var:
            return both(there(thing), _pinned(substitute(body, {var: thing})))
        case _:
            return term


def _only_permission(
    program: Program, unit: Norm, rule: Rule, others: dict[str, None]
) -> list[Alternative] | None:
    """It permits some role what no other rule permits him, or closes to all what no other permission governs."""
    friends = agreeing(program, rule)
    found: dict[Alternative, None] = {}
    for parts in parts_of(program, unit):
        assert parts.event is not None
        rivals = [n for n in program.permissions[parts.event] if n.rule != rule.id and n.rule not in friends]
        if not rivals:
            return None
        mine = next(n for n in program.permissions[parts.event] if n.unit == unit.id)
        applies = call(mine.applies, parts.params)
        others.update((n.rule, None) for n in rivals)
        for role in unit.roles:
            permitted = (call(n.applies, parts.params) for n in rivals if role in n.roles)
            found[Alternative((), both(applies, *(no(p) for p in permitted)), parts.event)] = None
        closes = both(mine.head, no(applies), *(no(n.head) for n in rivals))
        found[Alternative((), closes, parts.event)] = None
    return list(found)


def _only_duty(program: Program, unit: Norm, rule: Rule, others: dict[str, None]) -> list[Alternative] | None:
    """It is pending, and no other rule demands the same of the same people by the same time."""
    friends = agreeing(program, rule)
    rivals: list[Term] = []
    for other in program.ruleset.units.values():
        if isinstance(other, Norm) and other.rule != rule.id and other.rule not in friends:
            covers = covered(program, unit, other)
            if covers is not None:
                rivals.append(covers)
                others[other.rule] = None
    if not rivals:
        return None
    duty = duty_of(program, unit)
    pending = both(known(duty.variables), call(duty.pending, duty.variables), *(no(r) for r in rivals))
    return [Alternative(duty.variables, pending)]
