"""What changed in the decisions, by meaning: each matter proved the same, or every region in which it differs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.diff.fold import YES
from verifier.diff.matter import Matter, alike, matters
from verifier.diff.merge import Merger
from verifier.diff.names import called
from verifier.diff.regions import taken_over
from verifier.diff.several import several
from verifier.diff.stated import Stated
from verifier.diff.table import Table, answered, rules_of
from verifier.diff.told import Aligned, Compared, Meaning
from verifier.diff.unify import SIDES, Which, unify
from verifier.diff.weight import stock
from verifier.model import terms as m
from verifier.model.ruleset import Ruleset
from verifier.model.terms import Term, children
from verifier.prove.abstract import EVERYWHERE
from verifier.prove.solve import Settings

Progress: TypeAlias = Callable[[str], None]


def compare_meaning(
    old: Ruleset,
    new: Ruleset,
    aligned: Aligned,
    settings: Settings | None = None,
    progress: Progress = lambda _: None,
    jobs: int = 1,
    same: Sequence[Stated] = (),
) -> Meaning:
    """Every decision of both, by meaning. What cannot be asked of the solvers is told as undecided.

    Raises `RequestError` where what is stated to be the `same` does not fit.
    """
    return _Comparison(old, new, aligned, settings or Settings(), progress, jobs, same).meaning()


class _Comparison:
    def __init__(
        self,
        old: Ruleset,
        new: Ruleset,
        aligned: Aligned,
        settings: Settings,
        progress: Progress,
        jobs: int = 1,
        same: Sequence[Stated] = (),
    ) -> None:
        self.jobs = jobs
        self.rulesets: dict[Which, Ruleset] = {"old": old, "new": new}
        self.programs: dict[Which, Program] = {"old": lower(old), "new": lower(new)}
        self.common = unify(old, new, same)
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
            if self.common.side(which).decisions.get(name, name) not in names
            and self.programs[which].decisions[name].cases
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
        supplied: dict[tuple[str, str], list[Which]] = {}
        for which in SIDES:
            for name, function in self.programs[which].functions.items():
                if function.supplied:
                    supplied.setdefault((name, function.supplied), []).append(which)
        return tuple(
            f"{name}: {self._laws(those)} not say it, it is supplied: {why}"
            for (name, why), those in supplied.items()
        )

    def _laws(self, those: Sequence[Which]) -> str:
        if len(those) == len(SIDES):
            return "both laws do"
        (which,) = those
        return f"the law of {called(self.rulesets)[which]} does"

    def _names(self) -> list[str]:
        """The decisions of both, what is read before what reads it."""
        both = [
            name
            for name in dict.fromkeys([*self.common.old.decides(), *self.common.new.decides()])
            if all(self._has(which, name) for which in SIDES)
        ]
        ordered: list[str] = []

        def visit(name: str, under: frozenset[str]) -> None:
            if name in ordered or name in under:
                return
            for other in both:
                if any(
                    _mentions(self.programs[w], *map(self.common.side(w).own, (name, other))) for w in SIDES
                ):
                    visit(other, under | {name})
            ordered.append(name)

        for name in both:
            visit(name, frozenset())
        return [name for name in ordered if self._comparable(name)]

    def _has(self, which: Which, name: str) -> bool:
        own, program = self.common.side(which).own(name), self.programs[which]
        return own in program.functions or own in program.decisions

    def _comparable(self, name: str) -> bool:
        first, second = self.merger.answer("old", name), self.merger.answer("new", name)
        return first is not None and second is not None and first.type == second.type

    # -------------------------------------------------------------------------------------------- one decision
    def _decision(self, name: str) -> list[Compared]:
        those = matters(self.merger, name)
        if (
            len(those) == 1
            and not those[0].about
            and alike(those[0])
            and those[0].old.asked == those[0].new.asked
        ):
            return [self._same(those[0], EVERYWHERE, ("the terms themselves",))]
        taken_over(self.merger)
        whole = sum(not alike(matter) and answered(matter) for matter in those) > 1
        table = Table(
            self.merger, self.rulesets, self.aligned, self.stock, self.settings, 1 if whole else self.jobs
        )
        found = several([partial(table.compared, matter) for matter in those], self.jobs if whole else 1)
        alone = len(those) == 1 and not those[0].closed and those[0].old.asked == those[0].new.asked == YES
        same = all(one.verdict == "same" and not one.uneven for one in found)
        if same and (alone or table.alike_everywhere(name)):
            self.merger.same["new", self.common.new.own(name)] = ("old", self.common.old.own(name))
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
            (rules_of(matter.old), rules_of(matter.new)),
            (),
            scope,
            by,
            "",
            False,
            ((), ()),
            False,
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
