"""One matter decided: proved the same, or every region of difference with its formula, example, money and weight."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import islice

from verifier.core.program import Program
from verifier.diff.fold import NO, conjunction, less_obvious
from verifier.diff.groups import CLASH, GAP, Bench, GivenUpError, Group, different_term, groups
from verifier.diff.keys import first_numbers
from verifier.diff.lawful import Supposition
from verifier.diff.matter import Half, Matter, alike, matters
from verifier.diff.merge import Merger
from verifier.diff.names import Shown, called, shown
from verifier.diff.nowhere import comes_out_alike, nowhere
from verifier.diff.regions import (
    FEW_LAWFUL,
    Exclusion,
    Formula,
    ask,
    complete,
    examples,
    excluded,
    excluding,
    formula,
    lists_of,
    suppositions,
)
from verifier.diff.scope import scope_of_program, telling
from verifier.diff.several import several
from verifier.diff.sides import Example, Said, Sides
from verifier.diff.told import RANKS, Aligned, Compared, Difference, Rank, Spoken, Verdict
from verifier.diff.turn import SAME, Turned, Turner, proved
from verifier.diff.unify import SIDES, Which
from verifier.diff.weight import Counting, Stock, Weight
from verifier.model import terms as m
from verifier.model.ruleset import Ruleset
from verifier.model.show import cite
from verifier.model.terms import Term
from verifier.prove.abstract import EVERYWHERE
from verifier.prove.question import Answer, Never, Sometimes, Unknown
from verifier.prove.solve import Settings
from verifier.prove.typed import Typed
from verifier.prove.values import CannotEncodeError
from verifier.prove.wide import Wide

TRIED = 6
"""So many examples are looked at where the first tells the money of one side alone."""

MOST_DRAWN = 12
"""So many states drawn at random are tried as an example of a matter that no solver can be asked of."""

MOST_WIDER = 3
"""So often the scope of a matter is made larger for a difference that a smaller one has not."""


@dataclass(frozen=True, slots=True)
class _Empty:
    """A group that is no region: what is costly in when an answer is owed leaves nothing of it, as `never` proves."""

    never: Never


class _WiderError(GivenUpError):
    """A difference was found in a larger scope."""

    def __init__(self, typed: Typed) -> None:
        super().__init__(f"there is a difference in {typed.scope_text}")
        self.typed = typed


class Table:
    """One merged program, and what is needed to ask of it."""

    def __init__(
        self,
        merger: Merger,
        rulesets: Mapping[Which, Ruleset],
        aligned: Aligned,
        drawn: Stock | None,
        settings: Settings,
        jobs: int = 1,
    ) -> None:
        self.merger = merger
        self.jobs = jobs
        self.rulesets = rulesets
        self.aligned = aligned
        self.program: Program = merger.program()
        self.settings = settings
        self.wide = self._asking(
            Typed(self.program, scope_of_program(self.program), settings, telling(merger))
        )
        self.turner = Turner(self.wide)
        self._blind: dict[str, tuple[Matter, ...]] = {}
        self.sides = Sides(merger, self.program, drawn)
        self.counting = Counting(self.program, drawn)
        self.numbers = first_numbers(merger)
        self.shown: Shown = shown(self.program)

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
            (rules_of(matter.old), rules_of(matter.new)),
            (),
            "",
            (),
            "",
            False,
            ((), ()),
            False,
        )
        if not answered(matter):
            which: Which = "old" if _live(matter.old) else "new"
            rules = {c.rule for c in _half(matter, which).cases}
            lost = rules <= self.aligned.beyond[which]
            other: Which = "new" if which == "old" else "old"
            return replace(
                base,
                verdict="only old" if which == "old" else "only new",
                beyond=lost,
                foreign=other in matter.foreign,
            )
        owed = self._owed(matter)
        base = replace(base, owed=owed.turn)
        if owed.turn == "same" and owed is not SAME:
            base = replace(base, owed_by=owed.by, owed_scope=owed.scope)
        found = self._told(matter, base)
        return replace(found, disagree=found.disagree or owed.disagree)

    def alike_everywhere(self, name: str) -> bool:
        """Whether a decision is proved to come out alike also where no answer is owed."""
        those = matters(self.merger, name, owed=False)
        return bool(those) and all(comes_out_alike(self.wide, matter) for matter in those)

    def _told(self, matter: Matter, base: Compared) -> Compared:
        """A matter that both sides answer, decided or open."""
        if alike(matter):
            return replace(base, verdict="same", scope=EVERYWHERE, by=("the terms themselves",))
        try:
            return self._decided(matter, base)
        except (GivenUpError, CannotEncodeError) as error:
            return self._at_random(matter, replace(base, why=_plain(error)))

    def _at_random(self, matter: Matter, base: Compared) -> Compared:
        """A matter of which solvers cannot be asked: with a state drawn at random in which the sides differ, where one
        is found."""
        whole = different_term(matter)
        inside = conjunction([matter.fixed, matter.old.asked, matter.new.asked, whole])
        for at in islice(self.turner.drawn(matter.params, inside, matter.made), MOST_DRAWN):
            shown = self.sides.example(matter, at, whole)
            if shown is None:
                continue
            gain = _gain_in(shown)
            unanswered = shown.old.value is None or shown.new.value is None
            rank: Rank = "open" if unanswered else _rank_of(gain)
            answers = self._spoken(matter.old, shown.old), self._spoken(matter.new, shown.new)
            told = Difference(
                rank, (answers,), None, (), (), "", (), shown, gain, None, (), (), unshort=base.why
            )
            return replace(base, differences=(told,))
        return base

    def _spoken(self, half: Half, said: Said) -> Spoken:
        """What a side says in an example, by its rules there."""
        cases = [c for c in half.cases if c.rule in said.rules]
        rules = tuple(dict.fromkeys(cite(c.unit) for c in cases))
        if said.value is None:
            return Spoken(rules, CLASH if rules else GAP)
        return Spoken(rules, self.shown.term(cases[0].value) if cases else said.value)

    def _owed(self, matter: Matter) -> Turned:
        """When an answer is owed, then against now; what follows from decisions told for themselves is left out."""
        first, second = (conjunction([matter.fixed, h.asked]) for h in (matter.old, matter.new))
        if first == second or self._follows(matter):
            return SAME
        return self.turner.turned(matter.params, first, second)

    def _follows(self, matter: Matter) -> bool:
        """Whether the sides owe an answer alike but for decisions that are compared for themselves."""
        if matter.name not in self._blind:
            self._blind[matter.name] = matters(self.merger.blind(), matter.name)
        return any(
            one.old.asked == one.new.asked for one in self._blind[matter.name] if one.about == matter.about
        )

    def _asked(self, half: Half) -> str:
        """When a side owes an answer, as people read it: that a closed argument is what it is goes without saying."""
        return self.shown.term(less_obvious(half.asked))

    def _asking(self, typed: Typed) -> Wide:
        return Wide(self.program, typed, self.settings)

    def _look_wider(self) -> None:
        """Go on where a difference was found that is not in the scope at hand. Raises `_WiderError` where it was."""
        if self.wide.found is not None:
            raise _WiderError(self.wide.found)

    def _decided(self, matter: Matter, base: Compared) -> Compared:
        """A matter, decided in a scope that has the differences that were found in a larger one."""
        first = self.wide
        try:
            for _ in range(MOST_WIDER):
                try:
                    return self._within(matter, base)
                except _WiderError as found:
                    self.wide = self._asking(found.typed)
            return self._within(matter, base)
        finally:
            self.wide = first

    def _within(self, matter: Matter, base: Compared) -> Compared:
        """A matter, decided by those who ask now."""
        bare = Bench(self.program, self.wide, matter)
        base = replace(base, unsure=bare.unsure, uneven=bare.uneven)
        whole = different_term(matter)
        if not bare.possible(bare.truth(whole)):
            answer = nowhere(self.wide, bare, matter, whole)
            match answer:
                case Never(scope=scope, by=by):
                    return replace(base, verdict="same", scope=scope, by=by)
                case Unknown(why=why, disagree=disagree):
                    return replace(base, why=why, disagree=disagree)
                case Sometimes():
                    self._look_wider()
                    raise GivenUpError("the solvers found a difference that was not found before")
        first = {which: self.aligned.paired[which] for which in SIDES}
        found, repeated = groups(bare, first)
        invariants = suppositions(self.merger, self.program, matter)
        named = [excluding(bare, group, invariants) for group in found]
        used = tuple(dict.fromkeys(s for those in named if those is not None for s in those))

        def told_of(group: Group, keeping: tuple[Supposition, ...] | None) -> Difference | _Empty:
            if keeping is not None and (out := excluded(bare, group, keeping)) is not None:
                return self._kept_out(matter, group, out)
            shown = self._example(matter, bare, group, (tuple(invariants), used, ()))
            if shown[0] is None:
                whole = self._in_full(matter, bare, group, invariants)
                if isinstance(whole, Never):
                    return _Empty(whole)
                shown = whole
            told = formula(bare, group, used)
            one = told if isinstance(told, Formula) else None
            unshort = told if isinstance(told, str) else ""
            return self._difference(matter, bare, group, one, used, repeated, shown, unshort)

        # What takes longest begins first.
        pairs = sorted(zip(found, named, strict=True), key=lambda pair: pair[1] is not None)
        tasks: list[Callable[[], Difference | _Empty | Answer]] = [partial(told_of, *pair) for pair in pairs]
        live = sum(those is None for those in named)
        tasks.insert(live, partial(complete, bare, found))
        made = several(tasks, self.jobs)
        told = [one for one in made if isinstance(one, Difference)]
        empty = [one.never for one in made if isinstance(one, _Empty)]
        last = made[live]
        told.sort(key=_order)
        echoes = tuple(
            tuple(dict.fromkeys(cite(_half(matter, which).cases[i].unit) for i in repeated[which]))
            for which in SIDES
        )
        base = replace(base, differences=tuple(told), echoes=(echoes[0], echoes[1]))
        match last:
            case Never() as never:
                whole_proof = proved([never, *empty])
                verdict: Verdict = "different" if told else "same"
                return replace(base, verdict=verdict, scope=whole_proof.scope, by=whole_proof.by)
            case Unknown(why=why, disagree=disagree):
                return replace(base, why=why, disagree=disagree)
            case Sometimes():
                # Asked again, for who found it may be a process of its own by now.
                complete(bare, found)
                self._look_wider()
                return replace(base, why="there is a difference outside these regions", disagree=True)
        raise AssertionError(last)

    def _in_full(
        self, matter: Matter, bench: Bench, group: Group, invariants: Sequence[Supposition]
    ) -> Never | tuple[Example | None, Sometimes | None]:
        """An example of a group of which none was found with what is costly in when an answer is owed left open, within
        the invariants where there is such a one; the proof that there is none at all."""
        if not bench.freed:
            return None, None
        full = conjunction([matter.fixed, matter.old.asked, matter.new.asked, group.goal])
        answer = ask(bench, full, NO)
        if isinstance(answer, Never):
            return answer
        for at in (ask(bench, full, NO, invariants), answer) if invariants else (answer,):
            if isinstance(at, Sometimes):
                shown = self.sides.example(matter, at, group.goal)
                if shown is not None:
                    return shown, at
        return None, None

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
        names = called(self.rulesets)
        return tuple(
            f"{s.name} ({self.rulesets[s.which].name if s.shared else names[s.which]})"
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
        repeated: Mapping[str, tuple[int, ...]],
        shown: tuple[Example | None, Sometimes | None],
        unshort: str,
    ) -> Difference:
        shown_example, at = shown
        also = {which: self._also(matter, bench, group, which, repeated[which], supposed) for which in SIDES}
        answers = self._answers(matter, group, also)
        gain = None if shown_example is None else _gain_in(shown_example)
        weight: Weight | str | None = None
        if at is not None and one is not None:
            weight = self._weight(one.term, lists_of(bench, group.goal), at, matter)
        beyond = tuple(which for which in SIDES if self._all_beyond(matter, group, which) and group.patterns)
        return Difference(
            _rank(group, shown_example, gain),
            answers,
            None if one is None else self.shown.term(one.term),
            () if one is None else tuple(self.shown.term(c) for c in one.cubes),
            () if one is None else one.by,
            self.wide.typed.scope_text if one is None else one.scope,
            () if one is None else self._named(one.supposing),
            shown_example,
            gain,
            weight if isinstance(weight, Weight) else None,
            beyond,
            (),
            weight if isinstance(weight, str) else "",
            unshort,
        )

    def _weight(
        self, region: Term, lists: Sequence[Term], at: Sometimes, matter: Matter
    ) -> Weight | str | None:
        """How often a region occurs, or why nobody counts; None where it reads no list."""
        reads = {f"{t.entity}.{t.name}" for t in lists if isinstance(t, m.Field)}
        if not self.counting.reads.of(region) & reads:
            return None
        condition = conjunction([matter.fixed, matter.old.asked, matter.new.asked, region])
        return self.counting.weight(condition, lists, at, matter.params)

    def _example(
        self, matter: Matter, bench: Bench, group: Group, within: Sequence[tuple[Supposition, ...]]
    ) -> tuple[Example | None, Sometimes | None]:
        """An example within as many of the invariants as there is one in: the first of `within` that has any, and of
        the others, which are asked of it afterwards, those that it can keep as well."""
        for supposed in dict.fromkeys(within):
            best = found = self._first(matter, bench, group, supposed)
            for _ in range(FEW_LAWFUL):
                if found is None or not (more := self.sides.lawful.asked(found[0].breaks, supposed)):
                    break
                supposed = (*supposed, *more)
                found = self._first(matter, bench, group, supposed)
                if found is not None and best is not None and len(found[0].breaks) < len(best[0].breaks):
                    best = found
            if best is not None:
                return best
        return None, None

    def _first(
        self, matter: Matter, bench: Bench, group: Group, supposed: Sequence[Supposition]
    ) -> tuple[Example, Sometimes] | None:
        """Of the first few examples the first for which the money of both sides can be told, where there is such a one;
        where a region has several answers, one in which the money differs."""
        condition = conjunction([group.goal, *(s.term for s in supposed)])
        found: list[tuple[Example, Sometimes]] = []
        for at in examples(bench, group, supposed, self.numbers):
            shown = self.sides.example(matter, at, condition)
            if shown is None:
                continue
            several_answers = len({(p.old.says, p.new.says) for p in group.patterns}) > 1
            if _untold(shown) != 1 and not (several_answers and _even(shown)):
                return shown, at
            found.append((shown, at))
            if len(found) == TRIED:
                break
        return next((pair for pair in found if _untold(pair[0]) != 1), found[0]) if found else None

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
        beyond = self.aligned.beyond[which]
        cases = _half(matter, which).cases
        rules = {cases[i].rule for p in group.patterns for i in (p.old if which == "old" else p.new).cases}
        return bool(rules) and rules <= beyond


# ------------------------------------------------------------------------------------------------------ helpers


def _half(matter: Matter, which: str) -> Half:
    return matter.old if which == "old" else matter.new


def rules_of(half: Half) -> tuple[str, ...]:
    return tuple(dict.fromkeys(cite(c.unit) for c in half.cases))


def answered(matter: Matter) -> bool:
    """Whether both sides answer."""
    return _live(matter.old) and _live(matter.new)


def _live(half: Half) -> bool:
    return half.answered and half.asked != NO


def _untold(example: Example) -> int:
    """How many of the sides settle it for an amount that nobody can tell."""
    return sum(said.gain is not None and said.gain.amount is None for said in (example.old, example.new))


def _even(example: Example) -> bool:
    """Whether the money is told, and is the same on both sides."""
    old, new = example.old.gain, example.new.gain
    return old is not None and new is not None and None is not old.amount == new.amount


def _rank(
    group: Group, shown_example: Example | None, gain: tuple[Fraction | None, Fraction | None] | None
) -> Rank:
    if {GAP, CLASH} & {*group.old, *group.new}:
        return "open"
    return _rank_of(gain)


def _gain_in(example: Example) -> tuple[Fraction | None, Fraction | None] | None:
    """What comes to the player then and now, where both sides settle it."""
    old, new = example.old.gain, example.new.gain
    return None if old is None or new is None else (old.amount, new.amount)


def _rank_of(gain: tuple[Fraction | None, Fraction | None] | None) -> Rank:
    if gain is None:
        return "unknown"
    old, new = gain
    if old is None or new is None:
        return "unknown"
    if old == new:
        return "name"
    return "sign" if (old > 0) - (old < 0) != (new > 0) - (new < 0) else "amount"


def _plain(error: Exception) -> str:
    """Why solvers cannot be asked, in a line."""
    if isinstance(error, CannotEncodeError):
        return "; ".join(problem.message for problem in error.problems)
    return str(error)


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
