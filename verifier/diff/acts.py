"""Where one side binds an act and the other does not: the whole region, in the conditions that the clauses use.

A statement on an act is a matter with one answer: it binds, or it does not. So it is gone through, told in a formula,
proved equal to the difference and proved complete by what does that for decisions. Of the act's own arguments things
need not exist, for the act may make what it names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from verifier.core.program import EVENT_PREFIX, Duty, EventNorm, Program
from verifier.diff.fold import YES, conjunction
from verifier.diff.groups import Bench, GivenUpError, Group, groups
from verifier.diff.keys import first_numbers
from verifier.diff.lawful import Supposition
from verifier.diff.matter import Half, Matter
from verifier.diff.merge import Merger, SideCase
from verifier.diff.names import Shown, shown
from verifier.diff.regions import FEW_LAWFUL, Formula, complete, examples, formula, suppositions
from verifier.diff.shown import shown_state
from verifier.diff.sides import Sides
from verifier.diff.unify import SIDES, Which
from verifier.diff.weight import Stock
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.ruleset import Function, Param
from verifier.model.terms import Term
from verifier.model.types import BOOL
from verifier.model.values import show
from verifier.prove.abstract import EVERYWHERE
from verifier.prove.question import Never, Sometimes, Unknown
from verifier.prove.typed import Typed
from verifier.prove.values import CannotEncodeError
from verifier.prove.wide import Wide
from verifier.run.facts import Fact

Statement = EventNorm | Duty

MOST_LONG = 600
"""A condition of more characters is no line."""

MOST_WIDER = 3
"""So often the scope is made larger for a difference that a smaller one has not."""


def when_of(program: Program, norm: Statement) -> Function:
    """The function that says when a statement binds."""
    return program.functions[norm.applies if isinstance(norm, EventNorm) else norm.pending]


@dataclass(frozen=True, slots=True)
class ActSaid:
    """What one side's own interpreter says of an example: whether it binds, and the values that this rests on."""

    binds: bool
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class ActExample:
    """A state and an act in which one side binds and the other does not, as each side's interpreter says. `breaks` are
    the invariants that the state does not keep, by whose they are."""

    options: tuple[tuple[str, str], ...]
    values: tuple[tuple[str, str], ...]
    state: tuple[tuple[str, str], ...]
    old: ActSaid
    new: ActSaid
    breaks: tuple[tuple[Which, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ActRegion:
    """Where only `binds` binds. `where` is None where no short formula was found or proved (`unshort` says why); the
    list of regions is proved complete all the same, with the rules' own conditions, which `long` has where they fit.
    `whom` as in `Pair`.
    """

    event: str
    binds: Which
    where: str | None
    by: tuple[str, ...]
    scope: str
    example: ActExample | None
    unshort: str = ""
    long: str = ""
    whom: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """All regions of a statement. `by` and `scope` say how it is known that there are no more, `why` what keeps that
    open.

    `unsure`: a condition may have no answer (a decision that it reads has a gap, or a clash), and there nothing is
    compared.
    """

    regions: tuple[ActRegion, ...]
    by: tuple[str, ...]
    scope: str
    why: str = ""
    disagree: bool = False
    unsure: bool = False


@dataclass(frozen=True, slots=True)
class Pair:
    """What one side and the other say of one act: `old` and `new` are when they bind, over `params`.

    `event` is empty where it is a duty that is held against another. `norms` are the statements themselves; None where
    no one statement of a side says when that binds, but those that `rivals` names, and those that `leave` names, by
    which alone the act is allowed there. `freely`: that nothing else on the old side, and on the new, keeps people from
    the act. `whom` names the people of whom this is said, where of others it is said apart. `never`, where it is known,
    proves that one of them does not bind where the other does not; which one the regions tell, of which there are none.
    """

    event: str
    params: tuple[Param, ...]
    made: frozenset[str]
    old: Term
    new: Term
    norms: tuple[Statement | None, Statement | None]
    rivals: tuple[str, ...] = ()
    leave: tuple[str, ...] = ()
    freely: tuple[Term, Term] = (YES, YES)
    whom: str = ""
    never: Never | None = None


class Acts:
    """Tells where statements differ, over one merged program."""

    def __init__(self, merger: Merger, wide: Wide, drawn: Stock | None = None) -> None:
        self.merger = merger
        self.wide = wide
        self.sides = Sides(merger, wide.program, drawn)
        self.numbers = first_numbers(merger)
        self.shown: Shown = shown(wide.program)

    def told(self, pairs: Sequence[Pair]) -> Told:
        """The regions of the parts of one statement."""
        found: list[ActRegion] = []
        by: tuple[str, ...] = ()
        scope, whys, disagree, unsure = "", [], False, False
        for pair in pairs:
            one = self._pair(pair)
            found += one.regions
            whys += [one.why] if one.why else []
            disagree |= one.disagree
            unsure |= one.unsure
            if len(one.scope) > len(scope) or not by:
                by, scope = one.by, one.scope
        found.sort(key=lambda region: SIDES.index(region.binds))
        if whys:  # one part that is open leaves the whole list open
            by, scope = (), ""
        return Told(tuple(found), by, scope, "; ".join(dict.fromkeys(whys)), disagree, unsure)

    def _pair(self, pair: Pair) -> Told:
        """The regions of one pair, in a scope that has the differences that were found in a larger one."""
        matter, wide = _matter(pair), self.wide
        for _ in range(MOST_WIDER):
            told, found = self._within(pair, matter, wide)
            if found is None:
                break
            wide = Wide(self.wide.program, found, self.wide.settings)
        return told

    def _within(self, pair: Pair, matter: Matter, wide: Wide) -> tuple[Told, Typed | None]:
        """The regions as who asks now tells them; and who has a difference outside them, in a larger scope."""
        try:
            bench = Bench(self.wide.program, wide, matter)
            those, _ = groups(bench, {which: frozenset() for which in SIDES})
            invariants = suppositions(self.merger, self.wide.program, matter)
            answer = _known(pair, matter, those) or complete(bench, those)
            if isinstance(answer, Sometimes) and wide.found is not None:
                why = f"there is a difference outside these regions, in {answer.scope}"
                return Told((), (), "", why, unsure=bench.unsure), wide.found
            regions = tuple(self._region(pair, bench, group, invariants) for group in those)
        except (GivenUpError, CannotEncodeError) as error:
            return Told((), (), "", str(error)), None
        match answer:
            case Never(by=by, scope=scope):
                return Told(regions, by, scope, unsure=bench.unsure), None
            case Unknown(why=why, disagree=disagree):
                return Told(regions, (), "", why, disagree, bench.unsure), None
            case Sometimes():
                why = "there is a difference outside these regions"
                return Told(regions, (), "", why, True, bench.unsure), None
        raise AssertionError(answer)

    def _region(
        self, pair: Pair, bench: Bench, group: Group, invariants: tuple[Supposition, ...]
    ) -> ActRegion:
        told = formula(bench, group, ())
        one = told if isinstance(told, Formula) else None
        binds: Which = "old" if group.patterns[0].old.cases else "new"
        return ActRegion(
            pair.event,
            binds,
            None if one is None else self.shown.term(one.term),
            () if one is None else one.by,
            bench.typed.scope_text if one is None else one.scope,
            next(
                (
                    found
                    for within in _withins(pair, binds, invariants)
                    if (found := self._example(pair, bench, group, binds, within)) is not None
                ),
                None,
            ),
            told if isinstance(told, str) else "",
            self._long(pair, binds) if one is None else "",
            pair.whom,
        )

    def _long(self, pair: Pair, binds: Which) -> str:
        """A region in the rules' own conditions, not shortened; empty where that is no line."""
        here, there = (pair.old, pair.new) if binds == "old" else (pair.new, pair.old)
        said = [f"none of these applies: {', '.join(pair.rivals)}"] if pair.rivals else []
        said += [f"leave is given by {', '.join(pair.leave)}"] if pair.leave else []
        denied = " and ".join(said) or f"not ({self.shown.term(there)})"
        text = f"{self.shown.term(here)} and {denied}"
        return text if len(text) <= MOST_LONG else ""

    def _example(
        self, pair: Pair, bench: Bench, group: Group, binds: Which, within: tuple[Supposition, ...]
    ) -> ActExample | None:
        """An example in which what is supposed holds, and as many of the other invariants as it can keep."""
        best = found = self._first(pair, bench, group, binds, within)
        for _ in range(FEW_LAWFUL):
            if found is None or not (more := self.sides.lawful.asked(found.breaks, within)):
                break
            within = (*within, *more)
            found = self._first(pair, bench, group, binds, within)
            if found is not None and best is not None and len(found.breaks) < len(best.breaks):
                best = found
        return best

    def _first(
        self, pair: Pair, bench: Bench, group: Group, binds: Which, within: tuple[Supposition, ...]
    ) -> ActExample | None:
        condition = conjunction([bench.context, group.goal, *(s.term for s in within)])
        names = [p.name for p in pair.params]
        for at in examples(bench, group, within, self.numbers):
            if not self.sides.plain(condition, at, names):
                continue
            breaks = self.sides.mended(at, condition, names)
            said = {which: self._said(pair, which, at) for which in SIDES}
            old, new = said["old"], said["new"]
            if old is None or new is None or (old.binds, new.binds) != (binds == "old", binds == "new"):
                continue
            ruleset = self.wide.program.ruleset
            return ActExample(
                self.sides.options_read(at),
                tuple((p.name, show(p.type, at.values[p.name])) for p in pair.params),
                tuple(shown_state(ruleset, at.state, self.sides.drawn)),
                old,
                new,
                breaks,
            )
        return None

    def _said(self, pair: Pair, which: Which, at: Sometimes) -> ActSaid | None:
        """What one side says; where no one statement of it does, whether it binds the merged program says."""
        norm = pair.norms[SIDES.index(which)]
        if norm is None:
            term = pair.old if which == "old" else pair.new
            return ActSaid(self.sides.true(term, at, [p.name for p in pair.params]), ())
        program = self.merger.programs[which]
        function = when_of(program, norm)
        side = self.merger.common.side(which)
        # The pair's variables are called as the first of its statements has them.
        first: Which = "old" if pair.norms[0] is not None else "new"
        named = function if first == which else when_of(self.merger.programs[first], _first(pair))
        names = [p.name.removeprefix(EVENT_PREFIX) for p in named.params]
        try:
            scope = {
                p.name: (p.type, side.value(p.type, at.values[name], True))
                for p, name in zip(function.params, names, strict=True)
                if name in at.values
            }
        except (LookupError, ValueError):
            return None
        reading = self.sides.grounds(which, at).reading
        terms = [function.body]
        if isinstance(norm, EventNorm) and norm.head != YES:
            terms.insert(0, norm.head)
        return ActSaid(reading.all_true(terms, scope) == "yes", reading.facts(terms, scope))


def _withins(
    pair: Pair, binds: Which, invariants: tuple[Supposition, ...]
) -> tuple[tuple[Supposition, ...], ...]:
    """Within what an example is looked for, one after the other: an act that nothing else keeps people from, on either
    side or on the one that binds, of whole amounts of money, is one that a reader would meet."""
    whole = [
        condition
        for p in pair.params
        if isinstance(p.type, ty.MoneyT)
        for amount in (m.Var(p.type, p.name),)
        for condition in (
            m.CompareT(BOOL, ">", amount, m.Lit(p.type, 0)),
            m.CompareT(BOOL, "=", m.ArithT(p.type, "mod", amount, m.Lit(p.type, 1)), m.Lit(p.type, 0)),
        )
    ]
    own = pair.freely[SIDES.index(binds)]
    freely = [[term for term in terms if term != YES] for terms in (pair.freely, (own,), ())]
    told = [tuple(Supposition("old", "", term, ()) for term in (*whole, *terms)) for terms in freely]
    return tuple(dict.fromkeys((*((*invariants, *terms) for terms in told), invariants, ())))


def _first(pair: Pair) -> Statement:
    first = pair.norms[0] or pair.norms[1]
    assert first is not None
    return first


def _known(pair: Pair, matter: Matter, those: Sequence[Group]) -> Never | None:
    """That there is nothing outside the groups, where nobody need be asked: two conditions differ where one is true and
    the other is not, each way is a group of its own, and a way of which there is none is proved to be none."""
    (one,), (other,) = matter.old.cases, matter.new.cases
    old, new = one.applies, other.applies
    ways = {conjunction([old, m.NotT(BOOL, new)]), conjunction([m.NotT(BOOL, old), new])}
    goals = {group.goal for group in those}
    if goals == ways:
        return Never("typed", EVERYWHERE, ("the terms themselves",))
    return pair.never if len(goals) == 1 and goals < ways else None


def _matter(pair: Pair) -> Matter:
    def half(which: Which, norm: Statement | None, term: Term) -> Half:
        unit = norm.unit if norm is not None else which
        return Half(which, (SideCase(unit, unit, term, YES),), YES, None, ())

    old, new = half("old", pair.norms[0], pair.old), half("new", pair.norms[1], pair.new)
    return Matter(pair.event, pair.params, (), (), old, new, YES, pair.made)
