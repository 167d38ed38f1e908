"""What changed in the decisions, by meaning: each matter proved the same, or every region in which it differs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, TypeAlias

from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.diff.fold import NO, YES, conjunction, settled
from verifier.diff.groups import CLASH, GAP, Bench, GivenUpError, Group, different_term, groups
from verifier.diff.matter import Half, Matter, matters
from verifier.diff.merge import Merger
from verifier.diff.names import Shown, shown
from verifier.diff.regions import (
    Exclusion,
    Formula,
    Supposition,
    ask,
    complete,
    examples,
    excluded_by,
    formula,
    lists_of,
    suppositions,
    taken_over,
)
from verifier.diff.sides import Example, Sides
from verifier.diff.turn import Turn, turned
from verifier.diff.unify import SIDES, Which, unify
from verifier.diff.weight import Counting, Stock, Weight, stock
from verifier.model import terms as m
from verifier.model.rewrite import map_children
from verifier.model.ruleset import Ruleset
from verifier.model.show import cite
from verifier.model.terms import Term, children
from verifier.prove.extent import scopes
from verifier.prove.question import Never, Sometimes, Unknown
from verifier.prove.scope import Scope
from verifier.prove.solve import Settings
from verifier.prove.typed import Typed
from verifier.prove.values import CannotEncodeError

Verdict: TypeAlias = Literal["same", "different", "only old", "only new", "undecided"]

Rank: TypeAlias = Literal["open", "sign", "amount", "unknown", "name"]
"""How a difference weighs: one side has a gap or a clash; who gains changes; how much; nobody can tell how much; the
money is the same, and only what it is called differs."""

RANKS: tuple[Rank, ...] = ("open", "sign", "amount", "unknown", "name")

SLOTS = 5
"""Lists are looked at with so many elements, where what is proved does not hold of any length."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """One side's rules in a group and what they come to. `also` say the same in part of it or in all of it."""

    rules: tuple[str, ...]
    says: str
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """A region of a matter: what both sides say there, where it is, an example, the money, and how often.

    `answers` pairs what the sides say; a rule that overrides several of the other side's has several. `cubes` are the
    conjunctions of the formula `where`. `beyond` are the sides whose rules here stand on clauses that the other, a
    fragment, may have lost. `kept_out` names the invariants that together exclude the region, as proved by `proved_by`
    within `scope`: then it is told last.
    """

    rank: Rank
    answers: tuple[tuple[Spoken, Spoken], ...]
    where: str | None
    cubes: tuple[str, ...]
    proved_by: tuple[str, ...]
    scope: str
    supposing: tuple[str, ...]
    example: Example | None
    gain: tuple[Fraction | None, Fraction | None] | None
    weight: Weight | None
    beyond: tuple[Which, ...]
    kept_out: tuple[str, ...]

    @property
    def change(self) -> Fraction | None:
        """What the player gains by the change, of one unit staked; None where nobody can tell."""
        if self.gain is None or self.gain[0] is None or self.gain[1] is None:
            return None
        return self.gain[1] - self.gain[0]


@dataclass(frozen=True, slots=True)
class Compared:
    """One matter. `by` and `scope` say how it is known that there are no more regions, `why` what keeps it open.

    `owed` is what became of when an answer is owed: regions are told where both sides owe one.
    """

    name: str
    title: str
    about: tuple[tuple[str, str], ...]
    closed: tuple[tuple[str, str], ...]
    verdict: Verdict
    asked: tuple[str, str]
    rules: tuple[tuple[str, ...], tuple[str, ...]]
    differences: tuple[Difference, ...]
    scope: str
    by: tuple[str, ...]
    why: str
    disagree: bool
    echoes: tuple[tuple[str, ...], tuple[str, ...]]
    unsure: bool
    beyond: bool = False
    owed: Turn = "same"

    @property
    def alone_counts(self) -> bool:
        """Whether one side alone answers, and the other is not a fragment that may have lost its answer."""
        return self.verdict in ("only old", "only new") and not self.beyond


@dataclass(frozen=True, slots=True)
class Meaning:
    """All decisions of two rulesets. `apart` are those that only one side has, or whose arguments differ in type;
    `beyond` those of them whose rules all stand on clauses that the other, a fragment, may have lost."""

    matters: tuple[Compared, ...]
    apart: tuple[tuple[Which, str], ...]
    beyond: tuple[tuple[Which, str], ...]
    notes: tuple[str, ...]
    stock: Stock | None
    same: Mapping[tuple[Which, str], tuple[Which, str]]

    @property
    def different(self) -> bool:
        """Whether some matter differs in a region; what only one side answers counts unless it is `beyond`."""
        return any(
            c.verdict == "different" or c.alone_counts or c.owed in ("wider", "narrower", "other")
            for c in self.matters
        )

    @property
    def undecided(self) -> bool:
        """Whether some matter is open."""
        return any(c.verdict == "undecided" or c.owed == "open" for c in self.matters)

    @property
    def disagree(self) -> bool:
        """Whether two of our own ways of answering contradict each other."""
        return any(c.disagree for c in self.matters)


@dataclass(frozen=True, slots=True)
class Aligned:
    """What the texts say of the rules: by side the rules whose clause has a counterpart, and those beyond the page."""

    paired: Mapping[Which, frozenset[str]]
    beyond: Mapping[Which, frozenset[str]]


Progress: TypeAlias = Callable[[str], None]


def compare_meaning(
    old: Ruleset,
    new: Ruleset,
    aligned: Aligned,
    settings: Settings | None = None,
    progress: Progress = lambda _: None,
) -> Meaning:
    """Every decision of both, by meaning. What cannot be asked of the solvers is told as undecided."""
    return _Comparison(old, new, aligned, settings or Settings(), progress).meaning()


class _Comparison:
    def __init__(
        self, old: Ruleset, new: Ruleset, aligned: Aligned, settings: Settings, progress: Progress
    ) -> None:
        self.rulesets: dict[Which, Ruleset] = {"old": old, "new": new}
        self.programs: dict[Which, Program] = {"old": lower(old), "new": lower(new)}
        self.common = unify(old, new)
        self.aligned = aligned
        self.settings = settings
        self.progress = progress
        self.merger = Merger(self.common, self.programs)
        self.stock = stock(self.merger)

    def meaning(self) -> Meaning:
        found: list[Compared] = []
        names = self._names()
        for name in names:
            self.progress(name)
            found += self._decision(name)
        apart = tuple(
            (which, name)
            for which in SIDES
            for name in self.rulesets[which].decisions
            if name not in names and self.programs[which].decisions[name].cases
        )
        lost = tuple(
            (which, name)
            for which, name in apart
            if {c.rule for c in self.programs[which].decisions[name].cases} <= self.aligned.beyond[which]
        )
        notes = (*self._supplied(), *self.common.notes)
        return Meaning(tuple(found), apart, lost, notes, self.stock, dict(self.merger.same))

    def _supplied(self) -> tuple[str, ...]:
        """What a ruleset supplies because its law uses it and does not say it: that it is the same proves little."""
        return tuple(
            f"{name}: the law of {self.rulesets[which].name} does not say it, it is supplied: {function.supplied}"
            for which in SIDES
            for name, function in self.programs[which].functions.items()
            if function.supplied
        )

    def _names(self) -> list[str]:
        """The decisions of both, what is read before what reads it."""
        both = [
            name
            for name in dict.fromkeys([*self.rulesets["old"].decisions, *self.rulesets["new"].decisions])
            if all(name in self.programs[w].functions or name in self.programs[w].decisions for w in SIDES)
        ]
        ordered: list[str] = []

        def visit(name: str, under: frozenset[str]) -> None:
            if name in ordered or name in under:
                return
            for other in both:
                if any(_mentions(self.programs[w], name, other) for w in SIDES):
                    visit(other, under | {name})
            ordered.append(name)

        for name in both:
            visit(name, frozenset())
        return [name for name in ordered if self._comparable(name)]

    def _comparable(self, name: str) -> bool:
        first, second = self.merger.answer("old", name), self.merger.answer("new", name)
        return first is not None and second is not None and first.type == second.type

    # -------------------------------------------------------------------------------------------- one decision
    def _decision(self, name: str) -> list[Compared]:
        those = matters(self.merger, name)
        if (
            len(those) == 1
            and not those[0].about
            and _alike(those[0])
            and those[0].old.asked == those[0].new.asked
        ):
            return [self._same(those[0], "every state, of whatever size", ("the terms themselves",))]
        taken_over(self.merger)
        program = self.merger.program()
        table = _Table(self, program)
        found: list[Compared] = []
        for matter in those:
            found.append(table.compared(matter))
        if len(those) == 1 and found[0].verdict == "same" and those[0].old.asked == those[0].new.asked == YES:
            self.merger.same["new", name] = ("old", name)
            fresh = Merger(self.common, self.programs)
            fresh.same = self.merger.same
            self.merger = fresh
        return found

    def _same(self, matter: Matter, scope: str, by: tuple[str, ...]) -> Compared:
        return Compared(
            matter.name,
            matter.title,
            matter.about,
            (),
            "same",
            ("", ""),
            (_rules(matter.old), _rules(matter.new)),
            (),
            scope,
            by,
            "",
            False,
            ((), ()),
            False,
        )


class _Table:
    """One merged program, and what is needed to ask of it."""

    def __init__(self, comparison: _Comparison, program: Program) -> None:
        self.comparison = comparison
        self.program = program
        self.typed = Typed(program, scope_of_program(program), comparison.settings)
        drawn = None if comparison.stock is None else comparison.stock.type
        self.sides = Sides(comparison.merger, program, drawn)
        self.counting = Counting(program, comparison.stock)
        self.shown: Shown = shown(program)

    # ------------------------------------------------------------------------------------------------- matters
    def compared(self, matter: Matter) -> Compared:
        """A matter, decided."""
        base = Compared(
            matter.name,
            matter.title,
            matter.about,
            tuple((name, self.shown.term(value)) for name, value in matter.closed),
            "undecided",
            (self._asked(matter.old), self._asked(matter.new)),
            (_rules(matter.old), _rules(matter.new)),
            (),
            "",
            (),
            "",
            False,
            ((), ()),
            False,
        )
        live = {h.which: h.answered and h.asked != NO for h in (matter.old, matter.new)}
        if not live["old"] or not live["new"]:
            which: Which = "old" if live["old"] else "new"
            rules = {c.rule for c in _half(matter, which).cases}
            lost = rules <= self.comparison.aligned.beyond[which]
            return replace(base, verdict="only old" if live["old"] else "only new", beyond=lost)
        base = replace(base, owed=self._owed(matter))
        if _alike(matter):
            return replace(
                base, verdict="same", scope="every state, of whatever size", by=("the terms themselves",)
            )
        try:
            return self._decided(matter, base)
        except (GivenUpError, CannotEncodeError) as error:
            return replace(base, why=str(error))

    def _owed(self, matter: Matter) -> Turn:
        """When an answer is owed, then against now; what follows from decisions told for themselves is left out."""
        first, second = (conjunction([matter.fixed, h.asked]) for h in (matter.old, matter.new))
        if self._blind(first) == self._blind(second):
            return "same"
        return turned(self.typed, matter.params, first, second)[0]

    def _blind(self, term: Term) -> Term:
        """A term with each decision that both sides have read as the old one's."""
        found = map_children(term, self._blind)
        if not isinstance(found, m.Decide) or not found.decision.startswith("new."):
            return found
        other = f"old.{found.decision.removeprefix('new.')}"
        return replace(found, decision=other) if other in self.program.decisions else found

    def _asked(self, half: Half) -> str:
        """When a side owes an answer, as people read it: that a closed argument is what it is goes without saying."""
        parts = half.asked.items if isinstance(half.asked, m.AndT) else (half.asked,)
        told = [p for p in parts if not (isinstance(p, m.CompareT) and p.op == "=" and p.left == p.right)]
        return self.shown.term(conjunction(told))

    def _decided(self, matter: Matter, base: Compared) -> Compared:
        bare = Bench(self.program, self.typed, matter)
        base = replace(base, unsure=bare.unsure)
        whole = different_term(matter)
        if not bare.possible(bare.truth(whole)):
            answer = ask(self.typed, bare, conjunction([bare.context, whole]), NO)
            match answer:
                case Never(scope=scope, by=by):
                    return replace(base, verdict="same", scope=scope, by=by)
                case Unknown(why=why, disagree=disagree):
                    return replace(base, why=why, disagree=disagree)
                case Sometimes():
                    raise GivenUpError("the solvers found a difference that was not found before")
        first = {which: self.comparison.aligned.paired[which] for which in SIDES}
        found, repeated = groups(bare, first)
        invariants = suppositions(self.comparison.merger, self.program, matter)
        kept_out = [excluded_by(bare, group, invariants) for group in found]
        used = tuple(dict.fromkeys(s for out in kept_out if out is not None for s in out.supposing))
        formulas = [
            formula(bare, group, used) if out is None else None
            for group, out in zip(found, kept_out, strict=True)
        ]
        answer = complete(bare, found, formulas)
        told = [
            self._difference(matter, bare, group, one, used, invariants, repeated)
            if out is None
            else self._kept_out(matter, group, out)
            for group, one, out in zip(found, formulas, kept_out, strict=True)
        ]
        told.sort(key=_order)
        echoes = tuple(
            tuple(dict.fromkeys(cite(_half(matter, which).cases[i].unit) for i in repeated[which]))
            for which in SIDES
        )
        base = replace(base, differences=tuple(told), echoes=(echoes[0], echoes[1]))
        match answer:
            case Never(scope=scope, by=by):
                return replace(base, verdict="different", scope=scope, by=by)
            case Unknown(why=why, disagree=disagree):
                return replace(base, why=why, disagree=disagree)
            case Sometimes():
                return replace(base, why="there is a difference outside these regions", disagree=True)

    def _kept_out(self, matter: Matter, group: Group, out: Exclusion) -> Difference:
        """What differs only where some invariant does not hold: by clauses."""
        return Difference(
            "open" if {GAP, CLASH} & {*group.old, *group.new} else "unknown",
            self._answers(matter, group, {"old": (), "new": ()}),
            None,
            (),
            out.by,
            out.scope,
            (),
            None,
            None,
            None,
            (),
            self._named(out.supposing),
        )

    def _named(self, supposed: Sequence[Supposition]) -> tuple[str, ...]:
        """Invariants by name, each with whose it is and of which history it is taken."""
        return tuple(
            f"{s.name} ({self.comparison.rulesets[s.which].name})"
            + (f" where there was no {' and no '.join(s.quiet)}" if s.quiet else "")
            for s in supposed
        )

    # --------------------------------------------------------------------------------------------- differences
    def _answers(
        self, matter: Matter, group: Group, also: Mapping[Which, tuple[str, ...]]
    ) -> tuple[tuple[Spoken, Spoken], ...]:
        told: dict[tuple[str, str], tuple[dict[int, None], dict[int, None], set[int], set[int]]] = {}
        for p in group.patterns:
            key = p.old.says, p.new.says
            if key not in told:
                told[key] = (
                    dict.fromkeys(p.old.cases),
                    dict.fromkeys(p.new.cases),
                    set(p.old.cases),
                    set(p.new.cases),
                )
            else:
                for cases, some, every in (
                    (p.old.cases, told[key][0], told[key][2]),
                    (p.new.cases, told[key][1], told[key][3]),
                ):
                    some.update(dict.fromkeys(cases))
                    every.intersection_update(cases)
        found: list[tuple[Spoken, Spoken]] = []
        for (first, second), (some_old, some_new, every_old, every_new) in told.items():
            pair: list[Spoken] = []
            halves: tuple[tuple[Which, str, dict[int, None], set[int]], ...] = (
                ("old", first, some_old, every_old),
                ("new", second, some_new, every_new),
            )
            for which, says, some, every in halves:
                ours = _half(matter, which).cases
                main = sorted(every or some)
                besides = [cite(ours[i].unit) for i in sorted(some) if i not in main]
                pair.append(
                    Spoken(
                        tuple(dict.fromkeys(cite(ours[i].unit) for i in main)),
                        self.shown.text(says),
                        tuple(dict.fromkeys([*besides, *also[which]])),
                    )
                )
            found.append((pair[0], pair[1]))
        return tuple(sorted(found, key=lambda pair: (pair[0].rules, pair[1].rules)))

    def _difference(
        self,
        matter: Matter,
        bench: Bench,
        group: Group,
        one: Formula | None,
        supposed: Sequence[Supposition],
        invariants: Sequence[Supposition],
        repeated: Mapping[str, tuple[int, ...]],
    ) -> Difference:
        shown_example, at = self._example(matter, bench, group, (tuple(invariants), tuple(supposed), ()))
        also = {which: self._also(matter, bench, group, which, repeated[which], supposed) for which in SIDES}
        answers = self._answers(matter, group, also)
        gain = None
        if shown_example is not None and shown_example.old.gain and shown_example.new.gain:
            gain = shown_example.old.gain.amount, shown_example.new.gain.amount
        weight = None
        if at is not None and one is not None:
            lists = lists_of(bench, group.goal)
            condition = conjunction([settled(bench.context, bench.freed), one.term])
            if not matter.params or lists:
                weight = self._weight(one.term, condition, lists, at, matter)
        beyond = tuple(which for which in SIDES if self._all_beyond(matter, group, which) and group.patterns)
        return Difference(
            _rank(group, shown_example, gain),
            answers,
            None if one is None else self.shown.term(one.term),
            () if one is None else tuple(self.shown.term(c) for c in one.cubes),
            () if one is None else one.by,
            self.typed.scope_text if one is None else one.scope,
            () if one is None else self._named(one.supposing),
            shown_example,
            gain,
            weight,
            beyond,
            (),
        )

    def _weight(
        self, region: Term, condition: Term, lists: Sequence[Term], at: Sometimes, matter: Matter
    ) -> Weight | None:
        if not any(isinstance(t, m.Field | m.CallF | m.Decide) for t in _every(region)):
            return None
        names = [p.name for p in matter.params]
        reads = {f"{t.entity}.{t.name}" for t in lists if isinstance(t, m.Field)}
        if not self.counting.reads.of(region) & reads:
            return None
        return self.counting.weight(condition, lists, at, names)

    def _example(
        self, matter: Matter, bench: Bench, group: Group, within: Sequence[tuple[Supposition, ...]]
    ) -> tuple[Example | None, Sometimes | None]:
        """An example within as many of the invariants as there is one in: the first of `within` that has any."""
        for supposed in dict.fromkeys(within):
            condition = conjunction([group.goal, *(s.term for s in supposed)])
            for at in examples(bench, group, supposed):
                found = self.sides.example(matter, at, condition)
                if found is not None:
                    return found, at
        return None, None

    def _also(
        self,
        matter: Matter,
        bench: Bench,
        group: Group,
        which: Which,
        repeated: Sequence[int],
        supposed: Sequence[Supposition],
    ) -> tuple[str, ...]:
        """The rules that say the same besides, somewhere in a group."""
        goal = bench.truth(group.goal)
        within = [bench.truth(s.term) for s in supposed]
        found = [
            cite(_half(matter, which).cases[i].unit)
            for i in repeated
            if bench.possible(goal, bench.cases[which][i][0].value, *within)
        ]
        return tuple(dict.fromkeys(found))

    def _all_beyond(self, matter: Matter, group: Group, which: Which) -> bool:
        """Whether all that a side says here stands on clauses that the other, a fragment, may have lost."""
        beyond = self.comparison.aligned.beyond[which]
        cases = _half(matter, which).cases
        rules = {cases[i].rule for p in group.patterns for i in (p.old if which == "old" else p.new).cases}
        return bool(rules) and rules <= beyond


# ------------------------------------------------------------------------------------------------------ helpers
def _half(matter: Matter, which: str) -> Half:
    return matter.old if which == "old" else matter.new


def _rules(half: Half) -> tuple[str, ...]:
    return tuple(dict.fromkeys(cite(c.unit) for c in half.cases))


def _alike(matter: Matter) -> bool:
    """Whether both sides have the same cases, term for term."""
    first = {(c.applies, c.value) for c in matter.old.cases}
    return first == {(c.applies, c.value) for c in matter.new.cases}


def scope_of_program(program: Program) -> Scope:
    """A small scope with few people and things, and lists of some length."""
    first = scopes(program)[0]
    return replace(
        first,
        slots={
            path: max(most, min(SLOTS, _longest(program, path))) if most > 1 else most
            for path, most in first.slots.items()
        },
    )


def _longest(program: Program, path: str) -> int:
    from verifier.prove.scope import list_fields

    return next((type_.maximum for name, type_ in list_fields(program.ruleset) if name == path), SLOTS)


def _rank(
    group: Group, shown_example: Example | None, gain: tuple[Fraction | None, Fraction | None] | None
) -> Rank:
    if {GAP, CLASH} & {*group.old, *group.new}:
        return "open"
    if gain is None:
        return "unknown"
    old, new = gain
    if old is None or new is None:
        return "unknown"
    if old == new:
        return "name"
    return "sign" if (old > 0) - (old < 0) != (new > 0) - (new < 0) else "amount"


def _order(difference: Difference) -> tuple[object, ...]:
    """What weighs more first."""
    change = difference.change
    weight = difference.weight
    return (
        bool(difference.kept_out),
        bool(difference.beyond),
        RANKS.index(difference.rank),
        -abs(change) if change is not None else Fraction(0),
        -Fraction(weight.ways, weight.of) if weight is not None and weight.of else Fraction(-2),
        str(difference.answers),
    )


def _mentions(program: Program, name: str, other: str) -> bool:
    """Whether what answers `name` reads `other`, itself or through what it reads."""
    if name == other:
        return False
    seen: set[str] = set()
    rest: list[Term] = []

    def open_(what: str) -> None:
        if what in seen:
            return
        seen.add(what)
        if what in program.decisions:
            for case in program.decisions[what].cases:
                rest.append(program.functions[case.applies].body)
                rest.append(case.value)
        elif what in program.functions:
            rest.append(program.functions[what].body)

    open_(name)
    while rest:
        term = rest.pop()
        rest += children(term)
        if isinstance(term, m.CallF):
            open_(term.function)
        elif isinstance(term, m.Decide):
            open_(term.decision)
    return other in seen


def _every(term: Term) -> list[Term]:
    found = [term]
    at = 0
    while at < len(found):
        found += children(found[at])
        at += 1
    return found
