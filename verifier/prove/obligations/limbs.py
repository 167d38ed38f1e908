"""Each limb of a condition can matter: taken away, it sometimes changes what the condition comes to.

A limb is what stands between `and`, `or` and `not`, also within `some`, `every` and a membership `k in {a, b}`; of a
range only the ends are limbs. One of an `and` matters where the rest holds and it does not, one of an `or` where it
alone holds, and either where it keeps the rest from being undefined: as a stuck line of a circuit is found by the
inputs that show it (R. D. Eldred, "Test Routines Based on Symbolic Logical Statements", Journal of the ACM 6, 1959).
That is asked where the condition counts: of an effect where an answer is due and no other rule displaces it. One
statement with several effects, a `given` above several rules, the `where` of an `apply` are one condition each: a
limb matters if it does for one of those that it binds.

Well-written rules have limbs that decide nothing. Not asked about are:

- guards: of an element read by number, of an optional whose value is read (`x exists and x > 3`);
- what tells the kind that a rule is about, the value of the enumeration in an argument's key (`w.kind = initial`):
  by it the loader takes decisions apart; of what decides or asks also an argument that is such a value itself;
- what a rule says of two things in one breath ("without either exceeding 21"): comparisons by one operator with one
  constant in one `and` are one limb;
- a limb that asks for an answer which its own rule gives: it tells which of the rule's acts is meant;
- what mechanics alone rule out: what an event `needs` is not supposed;
- an end of a range that is the end of the type: of numbers up to 36, `n in 19..36` says 19 only.

An answer counts where it is due, and one that another decision reads wherever that may be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.expressions import guards_of
from verifier.model.ruleset import Act, Contribution, Norm, Param, Unit
from verifier.model.terms import Term
from verifier.model.types import BOOL
from verifier.prove.obligations.units import (
    TRUE,
    Alternative,
    Naming,
    Only,
    Parts,
    Resting,
    all_of,
    among,
    any_of,
    asked_id,
    asked_of,
    both,
    dead_id,
    either,
    given_id,
    givens_of,
    items_of,
    known,
    no,
    own_of,
    parts_of,
)
from verifier.prove.question import Nothing, Obligation, Question
from verifier.prove.reached import reached
from verifier.prove.scope import reads_after

LONGEST = 80
"""So many letters of a limb stand in an id."""

RANGE = 4
"""From so many neighbouring values on, a set written out is a range."""


@dataclass(frozen=True, slots=True)
class Limb:
    """A part of a condition, and the condition without it; `among` is the connective that it stands in.

    Where `turns` holds and none of `rest` is false, the condition differs from what is left of it without the part.
    `weaker` says that without the part the condition holds more often. A limb within `some` or `every` reads their
    variable: of it `apart` has what must hold, and what must not, be it that nobody can tell, for it to matter.
    """

    part: Term
    without: Term
    among: type[m.AndT] | type[m.OrT]
    turns: Term
    rest: tuple[Term, ...]
    weaker: bool
    apart: tuple[Term, Term] | None = None

    @property
    def shown(self) -> Term:
        """The part turns the condition, and all the rest holds."""
        return both(*self.rest, self.turns)

    @property
    def turning(self) -> tuple[Term, tuple[Term, ...]]:
        """The same in two parts: what holds, and what does not, be it that nobody can tell.

        What asks for a decision is undefined on a gap, and its `and` with it: so it matters where it is not true.
        """
        fails = [rest.of if isinstance(rest, m.NotT) else no(rest) for rest in self.rest]
        if self.apart is not None:
            holds, must_not = self.apart
            return holds, (*fails, must_not)
        if self.among is m.AndT and any(isinstance(t, m.Decide) for t in all_of(self.part)):
            return TRUE, (*fails, self.part)
        return self.turns, tuple(fails)


# ------------------------------------------------------------------------------------- taking limbs away
def limbs_of(condition: Term, sets: frozenset[str] = frozenset()) -> Iterator[Limb]:
    """The limbs of a whole condition, each before those inside it. `sets` are the defines that are sets."""
    yield from _of_and(items_of(condition), sets)


def _of_and(items: tuple[Term, ...], sets: frozenset[str]) -> Iterator[Limb]:
    for positions in _breaths(items):
        rest = tuple(item for index, item in enumerate(items) if index not in positions)
        part = both(*(items[index] for index in positions))
        if len(positions) > 1 or not isinstance(part, m.AndT):
            yield Limb(part, both(*rest), m.AndT, no(part), rest, True)
        if len(positions) == 1:
            at = positions[0]
            for limb in _inside(items[at], sets):
                without = both(*items[:at], limb.without, *items[at + 1 :])
                yield replace(limb, without=without, rest=(*rest, *limb.rest))


def _inside(term: Term, sets: frozenset[str]) -> Iterator[Limb]:
    """The limbs inside a condition that is itself one, or one's whole."""
    match term:
        case m.AndT(items=items):
            yield from _of_and(items, sets)
        case m.OrT(items=items):
            for at in _ends(items):
                before, after = items[:at], items[at + 1 :]
                others = tuple(no(item) for item in (*before, *after))
                yield Limb(items[at], either(*before, *after), m.OrT, items[at], others, False)
                for limb in _inside(items[at], sets):
                    without = either(*before, limb.without, *after)
                    yield replace(limb, without=without, rest=(*others, *limb.rest))
        case m.NotT(of=of):
            for limb in _inside(of, sets):
                yield replace(limb, without=no(limb.without), weaker=not limb.weaker)
        case m.Quant(where=where, body=body):
            for limb in limbs_of(where, sets) if where is not None else ():
                if not _is_domain(limb.part, term.var, sets):
                    narrower = None if limb.without == TRUE else limb.without
                    turned = replace(limb, weaker=limb.weaker == (term.kind == "some"))
                    yield _apart(turned, term, replace(term, where=narrower))
            for limb in _inside(body, sets):
                yield _apart(limb, term, replace(term, body=limb.without))
        case _:
            return


def _apart(limb: Limb, term: Term, without: Term) -> Limb:
    """A limb within `term`, which matters where that differs from what it is without the limb."""
    if any(isinstance(t, m.Decide) for t in all_of(limb.part)):
        # What asks for a decision is undefined on a gap: what is left may then be settled.
        apart = (without, term) if limb.weaker else (no(without), no(term))
    else:
        apart = (no(term), no(without)) if limb.weaker else (term, without)
    return replace(limb, without=without, turns=differs(term, without), rest=(), apart=apart)


def differs(one: Term, other: Term) -> Term:
    """Of two conditions one holds, and the other does not."""
    return either(both(one, no(other)), both(no(one), other))


def _breaths(items: Sequence[Term]) -> list[tuple[int, ...]]:
    """The positions of conjuncts, those together that say one thing of several: `a <= 21 and b <= 21`."""
    found: dict[object, list[int]] = {}
    for index, item in enumerate(items):
        match item:
            case m.CompareT(op=op, left=left, right=m.Lit(value=value)):
                found.setdefault((op, type(left.type), value), []).append(index)
            case _:
                found[index] = [index]
    return sorted(tuple(positions) for positions in found.values())


def _is_domain(term: Term, var: str, sets: frozenset[str]) -> bool:
    """Whether a condition is the set over which the variable was written to range."""
    match term:
        case m.CallF(function=name, args=(*_, m.Var(name=last))):
            return last == var and name in sets
        case m.Get(key=m.Var(name=key)):
            return key == var
        case _:
            return False


def _ends(items: Sequence[Term]) -> list[int]:
    """The positions of the alternatives that are limbs: all but the inner values of a range."""
    found = list(range(len(items)))
    for at in range(len(items)):
        run = 1
        while at + run < len(items) and _next(items[at + run - 1], items[at + run]):
            run += 1
        if run >= RANGE and not (at and _next(items[at - 1], items[at])):
            found = [i for i in found if not at < i < at + run - 1]
    return found


def _next(one: Term, other: Term) -> bool:
    """Whether two equations ask for neighbouring values of one term."""
    match one, other:
        case (
            m.CompareT(op="=", left=left, right=m.Lit(type=ty.EnumT() | ty.IntT(), value=int(a))),
            m.CompareT(op="=", left=right, right=m.Lit(value=int(b))),
        ):
            return left == right and b == a + 1
        case _:
            return False


# --------------------------------------------------------------------------------------------- obligations
def idle_limbs(program: Program, naming: Naming, only: Only = None) -> Iterator[Resting]:
    """One obligation for each limb of what units say, of what stands above them, and of what asks."""
    told: dict[str, int] = {}
    for found in _questions(program, naming, only):
        if found.question is not None:
            text = naming.term(found.part)
            short = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
            name = f"idle limb {found.where}: {short}"
            told[name] = told.get(name, 0) + 1
            obligation = Obligation(
                name if told[name] == 1 else f"{name} ({told[name]})",
                "idle limb",
                f"in {found.where}, `{text}` makes a difference somewhere",
                found.rules,
                "sometimes",
                found.question,
            )
            yield Resting(obligation, found.on)


@dataclass(frozen=True, slots=True)
class Found:
    """A limb, where it stands, the rules concerned, the question whether it matters, and on what that rests."""

    where: str
    rules: tuple[str, ...]
    part: Term
    question: Question | None
    on: tuple[str, ...]


def _questions(program: Program, naming: Naming, only: Only) -> Iterator[Found]:
    for where, given, units in givens_of(program, naming):
        if among(only, *(unit.rule for unit in units)):
            yield from _of_given(program, naming, where, given, units)
    for statement in _statements(program):
        if among(only, statement[0].rule):
            yield from _of_statement(program, naming, statement)
    for name, decision in program.decisions.items():
        for rule, asked in decision.askers:
            if not among(only, rule):
                continue
            # What stands above an asker may say the same as it does.
            condition = both(*dict.fromkeys(items_of(asked)))
            for limb in limbs_of(condition, naming.names.sets):
                if not _demanded(limb, condition) and not _kind(limb):
                    turns, none = limb.turning
                    question = Question(
                        decision.params, both(known(decision.params), turns), none=_none(none)
                    )
                    on = (asked_id(name, rule),)
                    yield Found(f"{rule}: asked {name}", (rule,), limb.part, question, on)


def _statements(program: Program) -> Iterator[tuple[Unit, ...]]:
    """The units that are no copies; those together that are effects of one statement."""
    found: dict[object, list[Unit]] = {}
    for unit in program.ruleset.units.values():
        if isinstance(unit, Norm):
            found[unit.id] = [unit]
        elif unit.applied is None:
            names = tuple(v.name for v in unit.variables)
            key = (unit.rule, unit.when, names) if unit.when is not None else unit.id
            found.setdefault(key, []).append(unit)
    yield from map(tuple, found.values())


def _of_statement(program: Program, naming: Naming, units: tuple[Unit, ...]) -> Iterator[Found]:
    """The limbs of a statement's `when`, and of what narrows the acts that it speaks of."""
    first = units[0]
    name = _together(naming, units)
    on = tuple(dead_id(naming[unit]) for unit in units)
    if first.when is not None:
        for limb in limbs_of(first.when, naming.names.sets):
            excused = _demanded(limb, first.when) or _own_answer(program, limb.part, first.rule)
            if not excused and not (isinstance(first, Contribution) and _kind(limb)):
                question = _single(program, first, limb) if len(units) == 1 else None
                without = None if limb.without == TRUE else limb.without
                ways = [
                    way
                    for unit in units
                    for way in _showing(
                        program, unit, replace(unit, when=without), replace(unit, when=limb.shown)
                    )
                ]
                yield Found(name, (first.rule,), limb.part, question or any_of(program, ways), on)
    if isinstance(first, Norm) and (first.force != "must" or len(first.acts) == 1):
        for index, act in enumerate(first.acts):
            for part, narrowed in _narrowing(act, naming.names.sets):
                acts = (*first.acts[:index], narrowed, *first.acts[index + 1 :])
                question = any_of(program, list(_wider(program, first, replace(first, acts=acts))))
                yield Found(name, (first.rule,), part, question, on)


def _together(naming: Naming, units: tuple[Unit, ...]) -> str:
    """The name of a statement: its unit's, or those of its several effects."""
    names = [naming[unit] for unit in units]
    return " and ".join([names[0], *(name.partition(": ")[2] or name for name in names[1:])])


def _narrowing(act: Act, sets: frozenset[str]) -> Iterator[tuple[Term, Act]]:
    """The limbs of the conditions inside an act, each with the act without it."""
    for index, slot in enumerate(act.slots):
        if slot.where is None:
            continue
        for limb in limbs_of(slot.where, sets):
            if not _demanded(limb, slot.where):
                wider = replace(slot, where=None if limb.without == TRUE else limb.without)
                yield limb.part, replace(act, slots=(*act.slots[:index], wider, *act.slots[index + 1 :]))


def _single(program: Program, unit: Unit, limb: Limb) -> Question | None:
    """Whether a limb of a unit's `when` matters; None where that is not one question about one condition.

    The rest of the `when` need not hold: where it is undefined the limb keeps the condition from being so.
    """
    split = parts_of(program, unit)
    if len(split) > 1 or (split[0].event is not None and _is_open(unit, split[0].event)):
        return None
    (parts,) = split
    params, context = _context(program, parts, True)
    holds, fails = limb.turning
    turns = own_of(program, replace(unit, when=holds), parts.event)
    none = [own_of(program, replace(unit, when=term, given=()), parts.event) for term in fails]
    way = _at(program, params, both(context, turns), parts.event, none)
    return Question(way.params, way.condition, way.event, _none(none))


def _none(terms: Iterable[Term]) -> tuple[Nothing, ...]:
    """That of some conditions one is true is not so: they are false, or nobody can tell."""
    found = tuple(terms)
    return (Nothing((), either(*found)),) if found else ()


def _showing(
    program: Program, unit: Unit, without: Unit, shown: Unit, due: bool = True
) -> Iterator[Alternative]:
    """How a unit comes to apply otherwise than without a limb; `shown` has what shows that for its condition."""
    for parts in parts_of(program, unit):
        params, context = _context(program, parts, due)
        if parts.event is None or not _is_open(unit, parts.event):
            difference = own_of(program, shown, parts.event)
        else:
            difference = differs(parts.own, own_of(program, without, parts.event))
        yield _at(program, params, both(context, difference), parts.event)


def _wider(program: Program, norm: Norm, without: Norm) -> Iterator[Alternative]:
    """How a duty or prohibition comes to apply otherwise where its acts are less narrow; a permission, to govern."""
    for parts in parts_of(program, norm):
        params, context = _context(program, parts, True)
        if norm.force == "may":
            with_limb, bare = (replace(unit, when=None, given=()) for unit in (norm, without))
            own, other = (own_of(program, unit, parts.event) for unit in (with_limb, bare))
            yield _at(program, params, differs(own, other), parts.event)
        else:
            difference = differs(parts.own, own_of(program, without, parts.event))
            yield _at(program, params, both(context, difference), parts.event)


def _at(
    program: Program,
    params: tuple[Param, ...],
    condition: Term,
    event: str | None,
    none: Iterable[Term] = (),
) -> Alternative:
    """A condition on an event, where `none` are not so, as one on the state, so that what the event needs is not
    supposed, if that can be."""
    if event is not None and any(reads_after(program, term) for term in (condition, *none)):
        return Alternative((), condition, event)
    return Alternative(params, condition)


def _is_open(unit: Unit, event: str) -> bool:
    """Whether a unit has variables that an event of the kind does not bind."""
    assert isinstance(unit, Norm)
    bound = [
        {slot.variable for slot in act.slots if slot.variable is not None}
        for act in unit.acts
        if act.event == event
    ]
    return len(bound) != 1 or any(v.name not in bound[0] for v in unit.variables)


def _context(program: Program, parts: Parts, due: bool) -> tuple[tuple[Param, ...], Term]:
    """Where a unit's condition counts: nothing displaces the unit, and an answer is due if `due`."""
    match parts.unit:
        case Contribution(decision=decision):
            counts = due and not _is_read(program, decision)
            wanted = asked_of(program, decision) if counts else known(parts.params)
            return parts.params, both(wanted, *parts.clear)
        case Norm(force="must"):
            return parts.params, both(known(parts.params), *parts.clear)
        case Norm():
            return parts.params, both(*parts.clear)


def _is_read(program: Program, decision: str) -> bool:
    """Whether another decision reads the answers of one."""
    for name, other in program.decisions.items():
        if name != decision:
            terms = [term for case in other.cases for term in (m.CallF(BOOL, case.applies, ()), case.value)]
            if any(isinstance(t, m.Decide) and t.decision == decision for t in reached(program, terms)):
                return True
    return False


def _of_given(
    program: Program, naming: Naming, where: str, given: Term, units: Sequence[Unit]
) -> Iterator[Found]:
    """The limbs of a condition that several units stand under. Who asks may stand under it as well."""
    rules = tuple(dict.fromkeys(unit.rule for unit in units))
    whole = both(given, *(unit.when for unit in units if unit.when is not None))
    for limb in limbs_of(given, naming.names.sets):
        if not _demanded(limb, whole):
            ways = [
                way
                for unit in units
                for way in _showing(
                    program,
                    unit,
                    _under(unit, given, limb.without),
                    _under(unit, given, limb.shown),
                    due=False,
                )
            ]
            yield Found(where, rules, limb.part, any_of(program, ways), (given_id(where),))


def _under(unit: Unit, given: Term, instead: Term) -> Unit:
    """A unit that stands under another condition instead of `given`."""
    found = (instead if term == given else term for term in unit.given)
    return replace(unit, given=tuple(term for term in found if term != TRUE))


# ---------------------------------------------------------------------------------------- what is exempt
def _demanded(limb: Limb, condition: Term) -> bool:
    """Whether a limb guards what the condition reads, or tells the kind that it is about."""
    if limb.among is m.AndT:
        match limb.part:
            case m.CompareT(op=op, left=left, right=m.Lit(value=int(value))) if _by_type(
                left.type, op, value
            ):
                return True
            case m.CompareT(op="=", left=m.Part(type=ty.EnumT(), of=m.Var()), right=m.Lit()):
                return True
            case m.Present(of=optional):
                return any(
                    isinstance(t, m.Force | m.Part | m.Field) and t.of == optional for t in all_of(condition)
                )
            case _:
                pass
    guarded = {list_ for list_, _ in guards_of(limb.part)}
    return bool(guarded) and any(isinstance(t, m.At) and t.list in guarded for t in all_of(condition))


def _kind(limb: Limb) -> bool:
    """Whether a limb says which value an argument of a decision is that is an enumeration's value itself."""
    match limb:
        case Limb(
            among=m.AndT, part=m.CompareT(op="=", left=m.Var(type=ty.EnumT()), right=m.Lit()), apart=None
        ):
            return True
        case _:
            return False


def _by_type(type_: ty.Type, op: str, value: int) -> bool:
    """Whether each number of a range compares so with a constant."""
    if not isinstance(type_, ty.IntT):
        return False
    match op:
        case "<=":
            return type_.high is not None and type_.high <= value
        case ">=":
            return type_.low is not None and type_.low >= value
        case _:
            return False


def _own_answer(program: Program, part: Term, rule: str) -> bool:
    """Whether a limb asks for an answer that the rule itself gives."""
    match part:
        case m.CompareT(op="=", left=m.Decide(decision=name), right=m.Lit() as value):
            return any(c.rule == rule and c.value == value for c in program.decisions[name].cases)
        case _:
            return False
