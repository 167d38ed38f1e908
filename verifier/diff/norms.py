"""Duties, prohibitions and permissions of both sides by meaning, where the words of the rules do not settle it.

Two statements that answer to each other are the same where they bind the same roles to the same acts by the same
deadline under conditions proved the same. What is so as written, structure for structure, needs no solver.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from verifier.core.program import EVENT_PREFIX, ActMatch, Duty, EventNorm, Program
from verifier.diff.acts import Acts, Pair, Told, when_of
from verifier.diff.merge import Merger
from verifier.diff.regions import taken_over
from verifier.diff.rules import StatementChange
from verifier.diff.scope import scope_of_program, telling
from verifier.diff.turn import SAME, Turn, Turned, Turner
from verifier.diff.unify import SIDES, Which
from verifier.diff.weight import Stock
from verifier.model import terms as m
from verifier.model.rewrite import substitute
from verifier.model.ruleset import Norm, Param
from verifier.model.show import cite
from verifier.model.terms import Term
from verifier.model.types import BOOL
from verifier.prove.question import Never, Nothing, Question, Sometimes, Unknown
from verifier.prove.solve import Settings
from verifier.prove.typed import Typed
from verifier.prove.wide import Wide


@dataclass(frozen=True, slots=True)
class NormChange:
    """A statement of both sides, or of one, with what its difference comes to.

    `what` says it in words; `turn` of its conditions; `deadline`, `roles` and `acts` whether those moved. Of a
    statement of one side `quoted` is the other law's clause in which all the words stand that its rule quotes. `told`
    are the regions in which only one side binds, where their conditions are not the same. `disagree`: what keeps it
    open is that those asked contradict each other.
    """

    change: StatementChange
    what: str
    turn: Turn
    deadline: bool
    roles: bool
    acts: bool
    why: str = ""
    quoted: str | None = None
    told: Told | None = None
    disagree: bool = False

    @property
    def same(self) -> bool:
        """Whether it is proved that nothing changed."""
        return self.turn == "same" and not (self.deadline or self.roles or self.acts)

    @property
    def unknown(self) -> bool:
        """Whether the other ruleset does not even record such an act."""
        return self.what == UNKNOWN_ACT


ALONE = {
    ("must", "old"): "had to be done, and need not be any more",
    ("must", "new"): "must now be done",
    ("must not", "old"): "was forbidden, and is not any more",
    ("must not", "new"): "is now forbidden",
    ("may", "old"): "was allowed, and no rule allows it any more",
    ("may", "new"): "is now allowed",
}
"""What a statement that only one side has comes to."""

BEYOND = {
    ("must not", "old"): "was forbidden, and is not any more where none of these forbids it",
    ("must not", "new"): "is now forbidden, also where none of these forbade it",
    ("may", "old"): "was allowed, and is not any more where none of these allows it",
    ("may", "new"): "is now allowed, also where none of these allowed it",
}
"""The same where the other side's rules on the same act, which are named after it, do not reach as far."""

FREE = {
    "old": "was allowed so only, and needs no leave any more: no rule of the new gives leave for it to anybody",
    "new": "is now allowed so only, and needed no leave: no rule of the old gives leave for it to anybody",
}
"""A permission where the other side has none of the same act: what nobody is given leave for is free."""

STILL = {
    "old": "it still needs leave by {named}, and without it is not allowed",
    "new": "it needed leave already by {named}, and without it was not allowed",
}
"""A prohibition where the other side gives leave for the same act: what needs leave is not free where nothing forbids
it."""

ELSEWHERE = "what it says beyond the other, other rules say there"
"""Statements that answer to each other and are not the same, where nothing follows from that."""

UNKNOWN_ACT = "nothing to compare it with: the other ruleset records no such act"


class Norms:
    """Compares statements of two programs; `turner` asks of the program that was made of both. `drawn` is what is drawn
    of a stock, by which lists are shown."""

    def __init__(self, merger: Merger, settings: Settings, drawn: Stock | None = None) -> None:
        self.merger = merger
        self.drawn = drawn
        self.settings = settings
        self.by_unit: dict[Which, dict[str, list[EventNorm | Duty]]] = {
            which: _by_unit(program) for which, program in merger.programs.items()
        }
        self._turner: tuple[int, Turner] | None = None
        self._blind: Norms | None = None
        self._acts_of: tuple[Turner, Acts] | None = None

    def alone(self, change: StatementChange, quoted: str | None) -> NormChange:
        """A statement to which no other answers by its clause: held against all that the other side says of the same
        act. `quoted` as in `NormChange`."""
        statement = change.old or change.new
        assert statement is not None
        which: Which = "old" if change.old is not None else "new"
        other: Which = "new" if which == "old" else "old"
        own = self.by_unit[which].get(statement.unit, [])
        unit = self.merger.programs[which].ruleset.units[statement.unit]
        assert isinstance(unit, Norm)
        events = {self._event(which, act.event) for act in unit.acts}
        if not events & set(self.merger.common.side(other).events.values()):
            return NormChange(change, UNKNOWN_ACT, "open", False, False, False, UNKNOWN_ACT)
        rivals = self._of(other, statement.force, events)
        what = ALONE[statement.force, which] + self._leave(statement.force, which, events)
        if not rivals:
            what = FREE[which] if statement.force == "may" else what
            return NormChange(change, what, "other", False, False, False, quoted=quoted)
        named = ", ".join(dict.fromkeys(cite(norm.unit) for norm in rivals))
        if statement.force == "must":
            what += f"; the other has duties of the same acts, not held against it: {named}"
            return NormChange(change, what, "open", False, False, False, what)
        covered = [self._covered(which, one, other, rivals) for one in own if isinstance(one, EventNorm)]
        turns = {one.turn for one, _ in covered}
        apart = [pair for one, pair in covered if one.turn == "other" and pair is not None]
        turn: Turn = "same" if turns == {"same"} else "open" if "open" in turns else "other"
        strange = sorted({role for norm in own for role in norm.roles if not self._has(which, role, other)})
        if turn == "same" and strange:
            what = f"the other says as much, of other people than {' and '.join(strange)}: {named}"
            return NormChange(change, what, turn, False, True, False, quoted=quoted)
        if turn == "same":
            what = f"the other says as much: {named}"
        elif turn == "open":
            what = f"whether the other says as much is open: {named}"
        else:
            what = f"{BEYOND[statement.force, which]}: {named}" + self._leave(statement.force, which, events)
        told = (
            self._told(apart)
            if turn == "other" and len(apart) == sum(one.turn == "other" for one, _ in covered)
            else None
        )
        why = what if turn == "open" else ""
        disagree = any(one.disagree for one, _ in covered)
        return NormChange(change, what, turn, False, False, False, why, quoted, told, disagree)

    def _leave(self, force: str, which: Which, events: set[str]) -> str:
        """By what rules an act that one side forbids needs leave on the other; empty where it needs none there."""
        other: Which = "new" if which == "old" else "old"
        given = self._of(other, "may", events)
        if force != "must not" or not given:
            return ""
        named = ", ".join(dict.fromkeys(cite(norm.unit) for norm in given))
        return f"; {STILL[which].format(named=named)}"

    def _of(self, which: Which, force: str, events: set[str]) -> list[EventNorm | Duty]:
        """The norms of a side that have the force, on some of the events."""
        return [
            norm
            for norms in self.by_unit[which].values()
            for norm in norms
            if self._force(which, norm) == force and events & self._acts(which, norm)
        ]

    def _force(self, which: Which, norm: EventNorm | Duty) -> str:
        unit = self.merger.programs[which].ruleset.units[norm.unit]
        assert isinstance(unit, Norm)
        return unit.force

    def _has(self, which: Which, role: str, other: Which) -> bool:
        """Whether the other side has an actor of one side, by whatever name."""
        common = self.merger.common
        actors = common.side(other).roles(self.merger.programs[other].ruleset.actors)
        return bool(common.side(which).roles([role]) & actors)

    def _acts(self, which: Which, norm: EventNorm | Duty) -> set[str]:
        acts = [norm.event] if isinstance(norm, EventNorm) else [act.event for act in norm.acts]
        return {self._event(which, event) for event in acts}

    def _covered(
        self, which: Which, one: EventNorm, other: Which, rivals: Sequence[EventNorm | Duty]
    ) -> tuple[Turned, Pair | None]:
        """Whether some rule of the other side says the same, of the same people where that side has such, wherever one
        of this side binds; and, where some rule says as much somewhere, what is held against what."""
        event = self._event(which, one.event)
        sides = self.merger.common.side(which), self.merger.common.side(other)
        roles = sides[0].roles(role for role in one.roles if self._has(which, role, other))
        binds, params = self._when(which, one)
        said, named_by = [], []
        for rival in rivals:
            if not isinstance(rival, EventNorm) or self._event(other, rival.event) != event:
                continue
            if len(roles) == len(one.roles) and not roles <= sides[1].roles(rival.roles):
                continue
            theirs, others = self._when(other, rival)
            by = {b.name: m.Var(a.type, a.name) for a, b in zip(params, others, strict=True)}
            said.append(substitute(theirs, dict(by)))
            named_by.append(cite(rival.unit))
        if not said:
            return Turned("other"), None
        covers = said[0] if len(said) == 1 else m.OrT(BOOL, tuple(said))
        free = m.free_variables(binds) | m.free_variables(covers)
        named = tuple(p for p in params if p.name in free)
        made = frozenset(p.name for p in named)
        # What the other side says besides is told of its own statements: here only what this one says alone counts.
        both = m.AndT(BOOL, (binds, covers))
        pair = (
            Pair(event, named, made, binds, both, (one, None), tuple(dict.fromkeys(named_by)))
            if which == "old"
            else Pair(event, named, made, both, binds, (None, one), tuple(dict.fromkeys(named_by)))
        )
        if self.turner().apart(named, binds, covers, made):
            return Turned("other"), pair
        match self.turner().wide.ask(Question(named, binds, none=(Nothing((), covers),), made=made)):
            case Never():
                return SAME, None
            case Sometimes():
                return Turned("other"), pair
            case Unknown(why=why, disagree=disagree):
                return Turned("open", why, disagree), None

    def follows(self, change: StatementChange) -> bool:
        """Whether two statements are the same but for decisions that are compared for themselves."""
        assert change.old is not None
        assert change.new is not None
        if self._blind is None:
            self._blind = Norms(self.merger.blind(), self.settings)
        told = self._blind
        first = [told._when("old", one) for one in self.by_unit["old"].get(change.old.unit, [])]
        return first == [told._when("new", one) for one in self.by_unit["new"].get(change.new.unit, [])]

    def pair(self, change: StatementChange) -> NormChange:
        """A statement of both sides."""
        assert change.old is not None
        assert change.new is not None
        parts: dict[Which, list[EventNorm | Duty]] = {
            "old": self.by_unit["old"].get(change.old.unit, []),
            "new": self.by_unit["new"].get(change.new.unit, []),
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
        acts = self._done("old", first) != self._done("new", second)
        deadline = self._deadline("old", first) != self._deadline("new", second)
        turns: list[Turned] = []
        apart: list[Pair] = []
        for one, other in self._partners(parts["old"], parts["new"]):
            turned, held = self._turn(one, other)
            turns.append(turned)
            apart += [held] if held is not None and turned.turn in ("wider", "narrower", "other") else []
        turn = _joined([turned.turn for turned in turns])
        why, disagree = "; ".join(t.why for t in turns if t.why), any(t.disagree for t in turns)
        if (
            turn in ("wider", "narrower", "other")
            and not (deadline or roles or acts)
            and self._elsewhere(parts)
        ):
            return NormChange(change, ELSEWHERE, "same", False, False, False)
        does = "allows" if first.force == second.force == "may" else "binds"
        what = "; ".join(
            x
            for x in (
                _WORDS[turn].format(does=does) if turn != "same" else "",
                "the deadline moved" if deadline else "",
                f"it {does} others" if roles else "",
                "other acts" if acts else "",
            )
            if x
        )
        told = self._told(apart) if turn in ("wider", "narrower", "other") else None
        return NormChange(change, what, turn, deadline, roles, acts, why, told=told, disagree=disagree)

    def _elsewhere(self, parts: Mapping[Which, list[EventNorm | Duty]]) -> bool:
        """Whether what the statements of one side say beyond those of the other is said there by other rules, of the
        same acts and with the same force, whichever side they are of."""
        for which in SIDES:
            other: Which = "new" if which == "old" else "old"
            for one in parts[which]:
                if isinstance(one, Duty):
                    return False
                rivals = self._of(other, self._force(which, one), {self._event(which, one.event)})
                if self._covered(which, one, other, rivals)[0].turn != "same":
                    return False
        return True

    def _told(self, pairs: Sequence[Pair]) -> Told:
        turner = self.turner()
        if self._acts_of is None or self._acts_of[0] is not turner:
            self._acts_of = turner, Acts(self.merger, turner.wide, self.drawn)
        return self._acts_of[1].told(pairs)

    def _event(self, which: Which, name: str) -> str:
        return self.merger.common.side(which).events[name]

    def _done(self, which: Which, norm: Norm) -> object:
        """The acts that a statement binds to; of a duty, also which of their kind perform it."""
        duty = next((d for d in self.by_unit[which].get(norm.id, []) if isinstance(d, Duty)), None)
        if duty is None:
            return frozenset(self._event(which, act.event) for act in norm.acts)
        return self._matching(which, duty.acts, duty.variables)

    def _matching(self, which: Which, acts: Sequence[ActMatch], variables: tuple[Param, ...]) -> object:
        return frozenset(
            (self._event(which, a.event), self._shape(which, a.event, a.matches, variables)) for a in acts
        )

    def _deadline(self, which: Which, norm: Norm) -> object:
        if norm.deadline is None:
            return None
        duty = next((d for d in self.by_unit[which].get(norm.id, []) if isinstance(d, Duty)), None)
        if duty is None:
            return None
        return duty.kind, duty.life, self._matching(which, duty.deadline_acts, duty.variables)

    def _shape(self, which: Which, event: str, term: Term, variables: tuple[Param, ...]) -> Term:
        """A condition on an event, whatever its parameters and the rule's variables are called."""
        by = {v.name: m.Var(v.type, f"v{i}") for i, v in enumerate(variables)}
        for i, p in enumerate(self.merger.programs[which].ruleset.events[event].params):
            by[EVENT_PREFIX + p.name] = m.Var(p.type, f"e{i}")
        return self.merger.term(which, substitute(term, dict(by)))

    def _partners(
        self, old: list[EventNorm | Duty], new: list[EventNorm | Duty]
    ) -> list[tuple[EventNorm | Duty, EventNorm | Duty]]:
        found: list[tuple[EventNorm | Duty, EventNorm | Duty]] = []
        for one in old:
            for other in new:
                if (isinstance(one, Duty) and isinstance(other, Duty)) or (
                    isinstance(one, EventNorm)
                    and isinstance(other, EventNorm)
                    and self._event("old", one.event) == self._event("new", other.event)
                ):
                    found.append((one, other))
        return found

    def _turn(self, one: EventNorm | Duty, other: EventNorm | Duty) -> tuple[Turned, Pair | None]:
        """When one binds against when the other does; and what was held against what."""
        first, params = self._when("old", one)
        second, others = self._when("new", other)
        if [p.type for p in params] != [p.type for p in others]:
            return Turned("open", "they bind different things"), None
        second = substitute(
            second, {b.name: m.Var(a.type, a.name) for a, b in zip(params, others, strict=True)}
        )
        if first == second:
            return SAME, None
        made = frozenset[str]()
        event = ""
        if isinstance(one, EventNorm):
            free = m.free_variables(first) | m.free_variables(second)
            params, made = tuple(p for p in params if p.name in free), frozenset(free)
            event = self._event("old", one.event)
        turned = self.turner().turned(params, first, second, made)
        return turned, Pair(event, params, made, first, second, (one, other))

    def _when(self, which: Which, norm: EventNorm | Duty) -> tuple[Term, tuple[Param, ...]]:
        """When a norm binds, over common inputs, and the variables of that."""
        side = self.merger.common.side(which)
        program = self.merger.programs[which]
        function = when_of(program, norm)
        body = function.body
        if isinstance(norm, EventNorm) and norm.head != m.Lit(BOOL, True):
            body = m.AndT(BOOL, (norm.head, body))
        names = {p.name: m.Var(p.type, p.name.removeprefix(EVENT_PREFIX)) for p in function.params}
        term = self.merger.term(which, substitute(body, dict(names)))
        params = tuple(Param(p.name.removeprefix(EVENT_PREFIX), side.type(p.type)) for p in function.params)
        return term, params

    def turner(self) -> Turner:
        """What asks of the program made so far."""
        if self._turner is None:
            # What any norm reads is taken over first, so that one program serves them all.
            for which in SIDES:
                for norms in self.by_unit[which].values():
                    for norm in norms:
                        self._when(which, norm)
            taken_over(self.merger)
        made = self.merger.size
        if self._turner is None or self._turner[0] != made:
            program = self.merger.program()
            typed = Typed(program, scope_of_program(program), self.settings, telling(self.merger))
            self._turner = made, Turner(Wide(program, typed, self.settings))
        return self._turner[1]


_WORDS: dict[Turn, str] = {
    "same": "",
    "wider": "it {does} in more cases",
    "narrower": "it {does} in fewer cases",
    "other": "it {does} in other cases",
    "unsure": "it {does} in the same cases, but in others it is open whether it does",
    "open": "whether it {does} in the same cases is open",
}


def _joined(turns: list[Turn]) -> Turn:
    if not turns:
        return "same"
    if "open" in turns:
        return "open"
    kinds = set(turns) - {"same"}
    return "same" if not kinds else kinds.pop() if len(kinds) == 1 else "other"


def _by_unit(program: Program) -> dict[str, list[EventNorm | Duty]]:
    found: dict[str, list[EventNorm | Duty]] = {}
    for table in (program.prohibitions, program.permissions):
        for norms in table.values():
            for norm in norms:
                found.setdefault(norm.unit, []).append(norm)
    for duty in program.duties:
        found.setdefault(duty.unit, []).append(duty)
    return found
