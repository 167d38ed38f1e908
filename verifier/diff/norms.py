"""Duties, prohibitions and permissions of both sides by meaning, where the words of the rules do not settle it.

Two statements that answer to each other are the same where they bind the same roles to the same acts by the same
deadline under conditions proved the same. What is so as written, structure for structure, needs no solver.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from verifier.core.program import Duty, EventNorm
from verifier.diff.acts import Acts, Pair, Told
from verifier.diff.binding import Binding
from verifier.diff.covers import Covered, Covers, people_of, said_by
from verifier.diff.fold import YES
from verifier.diff.merge import Merger
from verifier.diff.norm_words import (
    ALONE,
    BEYOND,
    DUTIES,
    ELSEWHERE,
    FREE,
    STILL,
    UNASKED,
    UNKNOWN_ACT,
    WORDS,
    NormChange,
    bound,
    cited,
)
from verifier.diff.regions import taken_over
from verifier.diff.rules import StatementChange
from verifier.diff.scope import scope_of_program, telling
from verifier.diff.turn import HALF_OPEN, OTHERWISE, SAME, Turn, Turned, Turner, together
from verifier.diff.unasked import Unasked
from verifier.diff.unify import SIDES, Which
from verifier.diff.weight import Stock
from verifier.model import terms as m
from verifier.model.rewrite import substitute
from verifier.model.ruleset import Norm
from verifier.model.show import names_of, show_act
from verifier.prove.extent import places
from verifier.prove.solve import Settings
from verifier.prove.typed import Typed
from verifier.prove.wide import Wide

MOST_PLACES = 100
"""Of a state with more fields than this what statements read of decisions where they are not compared is looked at in
states that are drawn at random, and not put to solvers: each would take minutes."""


class Norms:
    """Compares statements of two programs; `turner` asks of the program that was made of both. `drawn` is what is drawn
    of a stock, by which lists are shown. Of `untold` decisions it was proved that they are the same where an answer is
    owed, and nothing is told of them: what a statement reads of them elsewhere is compared with it, and so is
    what it reads of `uneven` ones, which are compared only where no rule reads what is undefined."""

    def __init__(
        self,
        merger: Merger,
        settings: Settings,
        drawn: Stock | None = None,
        untold: Collection[str] = (),
        uneven: Collection[str] = (),
    ) -> None:
        self.merger = merger
        self.drawn = drawn
        self.untold = untold
        self.uneven = uneven
        self.settings = settings
        self.binding = Binding(merger)
        self.covers = Covers(self.binding, self.turner)
        self._turner: tuple[int, Turner] | None = None
        self._blind: Norms | None = None
        self._acts_of: tuple[Turner, Acts] | None = None
        self._lookers: dict[Which, Unasked] = {}

    def alone(self, change: StatementChange, quoted: str | None) -> NormChange:
        """A statement to which no other answers by its clause: held against all that the other side says of the same
        act. `quoted` as in `NormChange`."""
        statement = change.old or change.new
        assert statement is not None
        which: Which = "old" if change.old is not None else "new"
        other: Which = "new" if which == "old" else "old"
        own = self.binding.by_unit[which].get(statement.unit, [])
        unit = self.merger.programs[which].ruleset.units[statement.unit]
        assert isinstance(unit, Norm)
        events = {self.binding.event(which, act.event) for act in unit.acts}
        if not events & set(self.merger.common.side(other).events.values()):
            return NormChange(change, UNKNOWN_ACT, "open", False, False, False, UNKNOWN_ACT)
        rivals = self.binding.of(other, statement.force, events)
        what = ALONE[statement.force, which] + self._leave(statement.force, which, own)
        if statement.force == "must":
            if not rivals:
                return NormChange(change, what, "other", False, False, False, quoted=quoted)
            named = cited(rivals)
            what = f"{DUTIES[which]}: {named}"
            return NormChange(change, what, "open", False, False, False, what)
        if statement.force == "may" and not rivals:
            return NormChange(change, FREE[which], "other", False, False, False, quoted=quoted)
        covered = [c for one in own if isinstance(one, EventNorm) for c in self.covers.covered(which, one)]
        turns = {c.turned.turn for c in covered}
        turn: Turn = "same" if turns == {"same"} else "open" if "open" in turns else "other"
        named = said_by(covered)
        strange = sorted(
            {role for norm in own for role in norm.roles if not self.binding.has(which, role, other)}
        )
        if turn == "same" and strange:
            what = f"the other says as much, of other people than {' and '.join(strange)}: {named}"
            return NormChange(change, what, turn, False, True, False, quoted=quoted)
        if turn == "same":
            what = f"the other says as much: {named}"
        elif turn == "open":
            what = f"whether the other says as much is open: {named}"
        else:
            what = self._only(statement.force, which, covered) + self._leave(statement.force, which, own)
        apart = [c.pair for c in covered if c.turned.turn == "other" and c.pair is not None]
        told = self._told(apart) if turn == "other" and apart else None
        why = what if turn == "open" else ""
        disagree = any(c.turned.disagree for c in covered)
        scope, by = _proof([c.turned for c in covered]) if turn == "same" else ("", ())
        return NormChange(
            change, what, turn, False, False, False, why, quoted, told, disagree, scope=scope, by=by
        )

    @staticmethod
    def _only(force: str, which: Which, covered: Sequence[Covered]) -> str:
        """What only one side says; of whom, where of others it says something else."""
        by: dict[frozenset[str], list[Covered]] = {}
        for c in covered:
            by.setdefault(c.roles, []).append(c)
        said: dict[str, list[Covered]] = {}
        for those in by.values():
            alone = [c for c in those if c.turned.turn != "same"]
            rivals = [norm for c in alone for norm in c.rivals]
            if not alone:
                what = f"the other says as much: {said_by(those)}"
            elif rivals:
                what = f"{BEYOND[force, which]}: {cited(rivals)}"
            else:
                what = ALONE[force, which]
            said.setdefault(what, []).extend(those)
        if len(said) == 1:
            return next(iter(said))
        # What differs comes first.
        order = sorted(
            said, key=lambda w: (all(c.turned.turn == "same" for c in said[w]), people_of(said[w]))
        )
        return "; ".join(f"of {people_of(said[what])}: {what}" for what in order)

    def _leave(self, force: str, which: Which, own: Sequence[EventNorm | Duty]) -> str:
        """By what rules an act that one side forbids needs leave on the other; empty where it needs none there."""
        if force != "must not":
            return ""
        given: dict[str, list[EventNorm]] = {}
        for one in own:
            if isinstance(one, EventNorm):
                spoken = [(self._spoken_of(which, one, may), may) for may in self.covers.leaves(which, one)]
                every = any(what == "it" for what, _ in spoken)
                for what, may in spoken:
                    # Beside a leave of every such act another only gives it for some of them.
                    given.setdefault("it" if every else what, []).append(may)
        return "".join(
            f"; {STILL[which].format(what=what, named=cited(mays))}" for what, mays in given.items()
        )

    def _spoken_of(self, which: Which, one: EventNorm, may: EventNorm) -> str:
        """Of which of the acts that a norm is on a leave of the other side speaks: `it` where of every one."""
        other: Which = "new" if which == "old" else "old"
        head = self.binding.head(other, may)
        if head in (YES, self.binding.head(which, one)):
            return "it"
        ruleset = self.merger.programs[other].ruleset
        unit = ruleset.units[may.unit]
        assert isinstance(unit, Norm)
        names = names_of(ruleset)
        return " or ".join(show_act(act, names) for act in unit.acts if act.event == may.event)

    def follows(self, change: StatementChange) -> bool:
        """Whether two statements are the same but for decisions that are compared for themselves."""
        assert change.old is not None
        assert change.new is not None
        if self._blind is None:
            self._blind = Norms(self.merger.blind(), self.settings)
        units: dict[Which, str] = {"old": change.old.unit, "new": change.new.unit}
        first, second = (self._blind.said(which, units[which]) for which in SIDES)
        return first == second

    def compared(self, change: StatementChange) -> bool:
        """Whether what statements that `follows` read of decisions of which nothing is told was compared with these: it
        is the same of all that they read, or they read it only where an answer is owed."""
        assert change.old is not None
        assert change.new is not None
        units: tuple[tuple[Which, str], ...] = (("old", change.old.unit), ("new", change.new.unit))
        return not self.untold or all(
            self._reads_compared(which, one)
            for which, unit in units
            for one in self.binding.by_unit[which].get(unit, [])
        )

    def beyond(self, change: StatementChange) -> NormChange:
        """A statement of both sides that reads decisions where they are not compared."""
        wide = self.turner().wide
        if places(wide.program, wide.typed.scope) <= MOST_PLACES or self._met(change):
            return self.pair(change)
        return NormChange(change, UNASKED, "open", False, False, False, UNASKED)

    def _met(self, change: StatementChange) -> bool:
        """Whether in a state drawn at random a statement binds on one side only."""
        assert change.old is not None
        assert change.new is not None
        old, new = self.binding.by_unit["old"], self.binding.by_unit["new"]
        for one, other in self._partners(old.get(change.old.unit, []), new.get(change.new.unit, [])):
            first, params = self.binding.when("old", one)
            second = self.binding.as_of(params, "new", other)
            made = frozenset(p.name for p in params) if isinstance(one, EventNorm) else frozenset[str]()
            turner = self.turner()
            if turner.apart(params, first, second, made) or turner.apart(params, second, first, made):
                return True
        return False

    def said(self, which: Which, unit: str) -> object:
        """When a statement binds, to what, and by when."""
        norm = self.merger.programs[which].ruleset.units[unit]
        assert isinstance(norm, Norm)
        when = [self.binding.when(which, one) for one in self.binding.by_unit[which].get(unit, [])]
        return when, self.binding.done(which, norm), self.binding.deadline(which, norm)

    def _reads_compared(self, which: Which, one: EventNorm | Duty) -> bool:
        """Whether a statement reads the decisions of which nothing is told only where they are known to be the same."""
        looker = self._looker(which)
        condition, params = self.binding.when(which, one)
        if not looker.reads(condition):
            return True
        if Unasked(self.merger, which, self.uneven).reads(condition):
            return False
        for name in looker.called:
            looker.asked(name, tuple(m.Var(p.type, p.name) for p in looker.params(name)))
        made = frozenset(p.name for p in params) if isinstance(one, EventNorm) else frozenset[str]()
        return looker.only_asked(self.turner().wide, condition, params, made)

    def _looker(self, which: Which) -> Unasked:
        if which not in self._lookers:
            self._lookers[which] = Unasked(self.merger, which, self.untold)
        return self._lookers[which]

    def pair(self, change: StatementChange) -> NormChange:
        """A statement of both sides."""
        assert change.old is not None
        assert change.new is not None
        parts: dict[Which, list[EventNorm | Duty]] = {
            "old": self.binding.by_unit["old"].get(change.old.unit, []),
            "new": self.binding.by_unit["new"].get(change.new.unit, []),
        }
        units = {
            "old": self.merger.programs["old"].ruleset.units[change.old.unit],
            "new": self.merger.programs["new"].ruleset.units[change.new.unit],
        }
        first, second = units["old"], units["new"]
        assert isinstance(first, Norm)
        assert isinstance(second, Norm)
        mine, theirs = self.merger.common.old, self.merger.common.new
        roles = (mine.roles(first.roles), mine.roles(first.exempt)) != (
            theirs.roles(second.roles),
            theirs.roles(second.exempt),
        )
        acts = self.binding.done("old", first) != self.binding.done("new", second)
        deadline = self.binding.deadline("old", first) != self.binding.deadline("new", second)
        turns: list[Turned] = []
        apart: list[Pair] = []
        for one, other in self._partners(parts["old"], parts["new"]):
            turned, held = self._turn(one, other)
            turns.append(turned)
            apart += [held] if held is not None and turned.turn in OTHERWISE else []
        turn = _joined([turned.turn for turned in turns])
        why, disagree = "; ".join(t.why for t in turns if t.why), any(t.disagree for t in turns)
        if (
            turn in OTHERWISE
            and not (deadline or roles or acts)
            and (others := self._elsewhere(parts)) is not None
        ):
            scope, by = _proof(others)
            return NormChange(change, ELSEWHERE, "same", False, False, False, scope=scope, by=by)
        does = "allows" if first.force == second.force == "may" else "binds"
        what = "; ".join(
            x
            for x in (
                WORDS[turn].format(does=does) if turn != "same" else "",
                "the deadline moved" if deadline else "",
                f"it {does} others: then {bound(first)}, now {bound(second)}" if roles else "",
                "other acts" if acts else "",
            )
            if x
        )
        told = self._told(apart) if turn in OTHERWISE else None
        scope, proved_by = _proof(turns) if turn == "same" else ("", ())
        return NormChange(
            change,
            what,
            turn,
            deadline,
            roles,
            acts,
            why,
            told=told,
            disagree=disagree,
            scope=scope,
            by=proved_by,
        )

    def _elsewhere(self, parts: Mapping[Which, list[EventNorm | Duty]]) -> list[Turned] | None:
        """That what the statements of one side say beyond those of the other is said there by other rules, of the same
        acts and with the same force, whichever side they are of; None where it is not."""
        found: list[Turned] = []
        for which in SIDES:
            for one in parts[which]:
                if isinstance(one, Duty):
                    return None
                found += [c.turned for c in self.covers.covered(which, one)]
                if any(turned.turn != "same" for turned in found):
                    return None
        return found

    def _told(self, pairs: Sequence[Pair]) -> Told:
        turner = self.turner()
        if self._acts_of is None or self._acts_of[0] is not turner:
            self._acts_of = turner, Acts(self.merger, turner.wide, self.drawn)
        return self._acts_of[1].told(pairs)

    def _partners(
        self, old: list[EventNorm | Duty], new: list[EventNorm | Duty]
    ) -> list[tuple[EventNorm | Duty, EventNorm | Duty]]:
        found: list[tuple[EventNorm | Duty, EventNorm | Duty]] = []
        for one in old:
            for other in new:
                if (isinstance(one, Duty) and isinstance(other, Duty)) or (
                    isinstance(one, EventNorm)
                    and isinstance(other, EventNorm)
                    and self.binding.event("old", one.event) == self.binding.event("new", other.event)
                ):
                    found.append((one, other))
        return found

    def _turn(self, one: EventNorm | Duty, other: EventNorm | Duty) -> tuple[Turned, Pair | None]:
        """When one binds against when the other does; and what was held against what."""
        first, params = self.binding.when("old", one)
        second, others = self.binding.when("new", other)
        if [p.type for p in params] != [p.type for p in others]:
            return Turned("open", "they bind different things"), None
        second = substitute(
            second, {b.name: m.Var(a.type, a.name) for a, b in zip(params, others, strict=True)}
        )
        if first == second:
            return SAME, None
        if not (isinstance(one, EventNorm) and isinstance(other, EventNorm)):
            turned = self.turner().turned(params, first, second)
            pair = Pair("", params, frozenset(), first, second, (one, other), never=turned.never)
            return turned, pair
        freely = (
            self.covers.unbarred(params, "old", one, "old", one.roles, other),
            self.covers.unbarred(params, "old", one, "new", one.roles, other),
        )
        free = m.free_variables(first) | m.free_variables(second)
        read = free.union(*(m.free_variables(term) for term in freely))
        named = tuple(p for p in params if p.name in free)
        turned = self.turner().turned(named, first, second, frozenset(free))
        event = self.binding.event("old", one.event)
        named = tuple(p for p in params if p.name in read)
        made, norms = frozenset(read), (one, other)
        return turned, Pair(event, named, made, first, second, norms, freely=freely, never=turned.never)

    def turner(self) -> Turner:
        """What asks of the program made so far."""
        if self._turner is None:
            # What any norm reads is taken over first, so that one program serves them all.
            for which in SIDES:
                for norms in self.binding.by_unit[which].values():
                    for norm in norms:
                        self.binding.when(which, norm)
            taken_over(self.merger)
        made = self.merger.size
        if self._turner is None or self._turner[0] != made:
            program = self.merger.program()
            typed = Typed(program, scope_of_program(program), self.settings, telling(self.merger))
            self._turner = made, Turner(Wide(program, typed, self.settings))
        return self._turner[1]


def _proof(turns: Sequence[Turned]) -> tuple[str, tuple[str, ...]]:
    """How far it was looked at that things are the same, and by whom."""
    by = dict.fromkeys(name for turned in turns for name in turned.by)
    return together([turned.scope for turned in turns]), tuple(by)


def _joined(turns: list[Turn]) -> Turn:
    kinds = set(turns) - {"same"}
    if len(kinds) < 2:
        return next(iter(kinds), "same")
    more = not kinds.isdisjoint({"wider", "some wider", "other"})
    fewer = not kinds.isdisjoint({"narrower", "some narrower", "other"})
    match more, fewer:
        case False, False:
            return "open"
        case True, False if not kinds.isdisjoint({"open", *HALF_OPEN}):
            return "some wider"
        case False, True if not kinds.isdisjoint({"open", *HALF_OPEN}):
            return "some narrower"
        case _:
            return "other"
