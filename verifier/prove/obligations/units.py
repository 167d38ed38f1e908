"""Units taken apart again: what a rule itself says, what stands beside it, and what displaces it.

A unit's `applies` function is the conjunction of its own condition, of what an `otherwise` waits for, and of its
displacers, in this order (`verifier.core.lower`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from verifier.core.lower import conjunction, domain_of, event_variable, head_of, own_condition
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.domains import HIDDEN
from verifier.model.edges import heads
from verifier.model.rewrite import substitute
from verifier.model.ruleset import Act, Contribution, Edge, Norm, Param, Rule, Unit
from verifier.model.show import Names, cite, names_of, show_term, show_unit
from verifier.model.terms import Term, children, free_variables
from verifier.model.types import BOOL
from verifier.prove.question import Obligation, Question
from verifier.prove.scope import reads_after

TRUE = m.Lit(BOOL, True)
FALSE = m.Lit(BOOL, False)


@dataclass(frozen=True, slots=True)
class Parts:
    """How it comes about that a unit applies: `own` holds, and each of `beside`, and no displacer does.

    The terms read `params`: a decision's, a duty's variables, or those of `event` with their prefix. `edges` are
    the displacers with the edges that make them.
    """

    unit: Unit
    params: tuple[Param, ...]
    event: str | None
    own: Term
    beside: tuple[Term, ...]
    edges: tuple[tuple[Edge, Term], ...]

    @property
    def applies(self) -> Term:
        """The unit applies."""
        return both(self.own, *self.clear)

    @property
    def clear(self) -> tuple[Term, ...]:
        """Nothing but its own condition keeps the unit from applying."""
        return (*self.beside, *(no(displaced) for _, displaced in self.edges))


Change = Callable[[Term], Term]


def parts_of(program: Program, unit: Unit) -> tuple[Parts, ...]:
    """A unit taken apart: once, or, of a prohibition or a permission, for each kind of event that it speaks of."""
    match unit:
        case Contribution(decision=decision):
            return (_parted(program, unit, program.decisions[decision].params, None),)
        case Norm(force="must", variables=variables):
            return (_parted(program, unit, variables, None),)
        case Norm():
            return tuple(
                _parted(program, unit, event_params(program, event), event)
                for event in dict.fromkeys(act.event for act in unit.acts)
            )


def event_params(program: Program, event: str) -> tuple[Param, ...]:
    """An event's parameters, as a judgement's terms read them."""
    found = []
    for param in program.ruleset.events[event].params:
        variable = event_variable(param)
        found.append(Param(variable.name, param.type))
    return tuple(found)


def own_of(program: Program, unit: Unit, event: str | None, change: Change = lambda term: term) -> Term:
    """A unit's own condition as its `applies` has it, with `change` made to it before it is put there."""
    condition = change(own_condition(unit))
    match unit:
        case Contribution(decision=decision, variables=variables):
            params = program.decisions[decision].params
            return substitute(
                condition,
                {
                    v.name: m.Var(p.type, p.name)
                    for v, p in zip(variables, params, strict=True)
                    if v.name != p.name
                },
            )
        case Norm(force="must", acts=acts):
            narrowed = [slot.where for act in acts for slot in act.slots if slot.where is not None]
            return both(*(narrowed if len(acts) == 1 else ()), condition)
        case Norm(acts=acts):
            return either(*(_at_event(program, unit, act, condition) for act in acts if act.event == event))


def _at_event(program: Program, norm: Norm, act: Act, condition: Term) -> Term:
    head, by = head_of(act, program.ruleset.events[act.event])
    body = both(head, substitute(condition, by))
    for variable in norm.variables:
        if variable.name not in by and variable.name in free_variables(body):
            domain = domain_of(variable.type)
            assert domain is not None, "a variable that nothing binds ranges over what has an end"
            body = m.Quant(BOOL, "some", variable.name, domain, None, body)
    return body


def _parted(program: Program, unit: Unit, params: tuple[Param, ...], event: str | None) -> Parts:
    name = f"applies {unit.id}" if event is None else f"applies {unit.id} to {event}"
    body = list(items_of(program.functions[name].body))
    own = own_of(program, unit, event)
    first = len(items_of(own))
    assert items_of(own) == tuple(body[:first]), f"{name} is not made of its own condition"
    edges = [edge for edge in program.ruleset.edges if edge.loser == unit.id]
    if event is not None:
        edges = [
            edge for edge in edges if not edge.like or _speaks_of(program.ruleset.units[edge.winner], event)
        ]
    last = len(body) - len(edges)
    displaced: list[tuple[Edge, Term]] = []
    for edge, term in zip(edges, body[last:], strict=True):
        assert isinstance(term, m.NotT)
        displaced.append((edge, term.of))
    return Parts(unit, params, event, own, tuple(body[first:last]), tuple(displaced))


def _speaks_of(unit: Unit, event: str) -> bool:
    return isinstance(unit, Norm) and any(act.event == event for act in unit.acts)


# --------------------------------------------------------------------------------------------- small terms
def items_of(term: Term) -> tuple[Term, ...]:
    """The conjuncts of a term; none of `yes`."""
    if term == TRUE:
        return ()
    return term.items if isinstance(term, m.AndT) else (term,)


def all_of(term: Term) -> Iterator[Term]:
    """A term and all terms in it, one that stands in several places once."""
    seen: set[int] = set()
    rest = [term]
    while rest:
        part = rest.pop()
        if id(part) not in seen:
            seen.add(id(part))
            yield part
            rest += reversed(children(part))


def both(*items: Term) -> Term:
    """All of `items`."""
    return conjunction(list(items))


def same(left: Term, right: Term) -> Term:
    return m.CompareT(BOOL, "=", left, right)


def either(*items: Term) -> Term:
    """One of `items`; `no` where there is none."""
    if not items:
        return FALSE
    if TRUE in items:
        return TRUE
    return items[0] if len(items) == 1 else m.OrT(BOOL, items)


def no(term: Term) -> Term:
    return m.NotT(BOOL, term)


def call(function: str, params: Iterable[Param]) -> Term:
    """A function of the core that is a condition, of variables named as `params`."""
    return m.CallF(BOOL, function, tuple(m.Var(p.type, p.name) for p in params))


def known(params: Iterable[Param]) -> Term:
    """Each of `params` that is an entity exists, and each that is somebody has been met."""
    return both(*(there(m.Var(p.type, p.name)) for p in params if isinstance(p.type, ty.EntityT | ty.IdT)))


def there(variable: m.Var) -> Term:
    """What the variable means exists; printed `w in Wager`."""
    domain = domain_of(variable.type)
    assert domain is not None
    return m.Quant(BOOL, "some", HIDDEN, domain, None, same(m.Var(variable.type, HIDDEN), variable))


def asked_of(program: Program, decision: str) -> Term:
    """An answer to the decision is due: it is asked, and of what there is."""
    found = program.decisions[decision]
    return both(known(found.params), TRUE if found.asked is None else found.asked)


# -------------------------------------------------------------------------------------------------- names
class Naming:
    """What units are called in ids and claims: their rule, and where it says several things, what each says."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.names: Names = names_of(program.ruleset)
        self._named: dict[str, str] = {}
        by_rule: dict[str, list[Unit]] = {}
        for unit in program.ruleset.units.values():
            by_rule.setdefault(cite(unit.id), []).append(unit)
        for cited, units in by_rule.items():
            texts = [show_unit(unit, self.names) for unit in units]
            for index, (unit, text) in enumerate(zip(units, texts, strict=True)):
                self._named[unit.id] = (
                    cited if len(units) == 1 else f"{cited}: {text}{_ordinal(texts, index)}"
                )

    def __getitem__(self, unit: Unit) -> str:
        return self._named[unit.id]

    def group(self, group: Sequence[Unit]) -> str:
        """The name of units that stand together: their own, or that of the rule that applies them."""
        if len(group) == 1:
            return self._named[group[0].id]
        return f"{group[0].rule}: what it applies"

    def term(self, term: Term) -> str:
        """A term as a rule writes it."""
        return show_term(term, self.names)

    def says(self, unit: Unit) -> str:
        """What a unit says, with its condition."""
        text = f"{cite(unit.id)}: {show_unit(unit, self.names)}"
        own = own_condition(unit)
        if isinstance(unit, Contribution) and unit.otherwise:
            text += " otherwise"
        return text if own == TRUE else f"{text} when {self.term(own)}"


def _ordinal(texts: list[str], index: int) -> str:
    """What tells one text from equal ones before it."""
    before = texts[:index].count(texts[index])
    return f" ({before + 1})" if before else ""


def agreeing(program: Program, rule: Rule) -> frozenset[str]:
    """The rules that say on purpose what `rule` says: `agrees with`, either way round."""
    found: set[str] = set()
    for other in program.ruleset.rules.values():
        if rule.base == other.base and (
            any(program.ruleset.means(ref, other) for ref in rule.agrees_with)
            or any(program.ruleset.means(ref, rule) for ref in other.agrees_with)
        ):
            found.add(other.id)
    return frozenset(found)


# ------------------------------------------------------------------------------------------ alternatives
@dataclass(frozen=True, slots=True)
class Alternative:
    """A way in which something may come about: for some `params`, in a state or at an event of the kind `event`."""

    params: tuple[Param, ...]
    condition: Term
    event: str | None = None


def any_of(program: Program, alternatives: Sequence[Alternative]) -> Question | None:
    """Whether something comes about in one of several ways; None where no one question asks that.

    Ways at events of different kinds are asked of the state before: that the event can be applied there. What reads
    the state after its event can only stand with others at such events.
    """
    events = {a.event for a in alternatives}
    if len(events) == 1:
        (event,) = events
        return _joined(alternatives, event)
    if any(reads_after(program, a.condition) for a in alternatives):
        return None
    return _joined([before_event(program, a) for a in alternatives], None)


def before_event(program: Program, alternative: Alternative) -> Alternative:
    """The same asked of the state before the event, whose parameters become parameters of the question."""
    if alternative.event is None:
        return alternative
    event = program.ruleset.events[alternative.event]
    by = {p.name: event_variable(p) for p in event.params}
    needs = [substitute(need, by) for need in event.needs]
    params = (*alternative.params, *event_params(program, alternative.event))
    return Alternative(params, both(alternative.condition, *needs))


def _joined(alternatives: Sequence[Alternative], event: str | None) -> Question:
    """One of `alternatives`; those of their parameters that have one name and type are shared."""
    params: dict[str, Param] = {}
    conditions: list[Term] = []
    for index, alternative in enumerate(alternatives):
        by: dict[str, Term] = {}
        for param in alternative.params:
            kept = param
            if param.name in params and params[param.name].type != param.type:
                kept = replace(param, name=f"{param.name} {index + 1}")
                by[param.name] = m.Var(kept.type, kept.name)
            params[kept.name] = kept
        conditions.append(substitute(alternative.condition, by))
    return Question(tuple(params.values()), either(*dict.fromkeys(conditions)), event)


# ------------------------------------------------------------------------------------------------- groups
Group = tuple[Unit, ...]


@dataclass(frozen=True, slots=True)
class Resting:
    """An obligation, and the ids of those without which it asks nothing: where one fails, this one says no more."""

    obligation: Obligation
    on: tuple[str, ...] = ()


Only = Collection[str] | None
"""The rules about which obligations are wanted; None: all."""


def among(only: Only, *rules: str) -> bool:
    """Whether obligations about one of `rules` are wanted."""
    return only is None or any(rule in only for rule in rules)


def dead_id(name: str) -> str:
    """The id of the obligation that a unit can apply, by the unit's name."""
    return f"dead rule {name}"


def asked_id(decision: str, rule: str) -> str:
    """The id of the obligation that a rule asks a decision somewhere."""
    return f"vacuous {rule} asks {decision}"


def given_id(name: str) -> str:
    """The id of the obligation that what stands above units can be, by the name of that."""
    return f"vacuous {name}"


def groups_of(program: Program) -> tuple[Group, ...]:
    """The units, those together that one `apply` brings in for one decision."""
    found: dict[object, list[Unit]] = {}
    for unit in program.ruleset.units.values():
        applied = isinstance(unit, Contribution) and unit.applied is not None
        found.setdefault((unit.rule, unit.place, heads(unit)) if applied else unit.id, []).append(unit)
    return tuple(tuple(units) for units in found.values())


def givens_of(program: Program, naming: Naming) -> Iterator[tuple[str, Term, Group]]:
    """What stands above units, each with its name and the units under it: a `given`, the `where` of an `apply`."""
    above: dict[Term, list[Unit]] = {}
    for group in groups_of(program):
        for given in dict.fromkeys(given for unit in group for given in unit.given):
            if len(group) > 1:
                yield naming.group(group), given, group
            else:
                above.setdefault(given, []).append(group[0])
    told: dict[str, int] = {}
    for given, units in above.items():
        name = f"{_chapeau(program, units)}: given"
        told[name] = told.get(name, 0) + 1
        yield name if told[name] == 1 else f"{name} ({told[name]})", given, tuple(units)


def _chapeau(program: Program, units: Sequence[Unit]) -> str:
    """The rule whose `given` units stand under: the nearest one on a clause above all of them."""
    rules = program.ruleset.rules
    under = [rules[unit.rule] for unit in units]
    above = [
        rule.id
        for rule in rules.values()
        if rule.has_given
        and rule.base == under[0].base
        and all(program.ruleset.means(rule.address, one) for one in under)
    ]
    return above[-1] if above else rules[units[0].rule].id
