"""Duties, prohibitions and permissions of both sides by meaning, where the words of the rules do not settle it.

Two statements that answer to each other are the same where they bind the same roles to the same acts by the same
deadline under conditions proved the same. What is so as written, structure for structure, needs no solver.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from verifier.core.program import EVENT_PREFIX, ActMatch, Duty, EventNorm, Program
from verifier.diff.acts import Acts, Pair, Told, when_of
from verifier.diff.fold import NO, Folder, conjunction, disjunction
from verifier.diff.merge import Merger
from verifier.diff.regions import taken_over
from verifier.diff.rules import StatementChange
from verifier.diff.scope import scope_of_program, telling
from verifier.diff.turn import SAME, Turn, Turned, Turner
from verifier.diff.unify import SIDES, Which
from verifier.diff.weight import Stock
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.rewrite import substitute
from verifier.model.ruleset import Norm, Param
from verifier.model.show import cite
from verifier.model.terms import Term, subterms
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


@dataclass(frozen=True, slots=True)
class _Covered:
    """What became of a norm of one side for some of the people whom it binds, held against `rivals` and against the
    leave that is given for the act; `pair` is what is told where they do not cover it."""

    roles: frozenset[str]
    rivals: tuple[EventNorm, ...]
    leaves: tuple[EventNorm, ...]
    turned: Turned
    pair: Pair | None


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
        what = ALONE[statement.force, which] + self._leave(statement.force, which, own)
        if statement.force == "must":
            if not rivals:
                return NormChange(change, what, "other", False, False, False, quoted=quoted)
            named = _cited(rivals)
            what += f"; the other has duties of the same acts, not held against it: {named}"
            return NormChange(change, what, "open", False, False, False, what)
        if statement.force == "may" and not rivals:
            return NormChange(change, FREE[which], "other", False, False, False, quoted=quoted)
        covered = [c for one in own if isinstance(one, EventNorm) for c in self._covered(which, one)]
        turns = {c.turned.turn for c in covered}
        turn: Turn = "same" if turns == {"same"} else "open" if "open" in turns else "other"
        named = _said_by(covered)
        strange = sorted({role for norm in own for role in norm.roles if not self._has(which, role, other)})
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
        return NormChange(change, what, turn, False, False, False, why, quoted, told, disagree)

    @staticmethod
    def _only(force: str, which: Which, covered: Sequence[_Covered]) -> str:
        """What only one side says; of whom, where of others it says something else."""
        by: dict[frozenset[str], list[_Covered]] = {}
        for c in covered:
            by.setdefault(c.roles, []).append(c)
        said: dict[str, list[_Covered]] = {}
        for those in by.values():
            alone = [c for c in those if c.turned.turn != "same"]
            rivals = [norm for c in alone for norm in c.rivals]
            if not alone:
                what = f"the other says as much: {_said_by(those)}"
            elif rivals:
                what = f"{BEYOND[force, which]}: {_cited(rivals)}"
            else:
                what = ALONE[force, which]
            said.setdefault(what, []).extend(those)
        if len(said) == 1:
            return next(iter(said))
        # What differs comes first.
        order = sorted(said, key=lambda w: (all(c.turned.turn == "same" for c in said[w]), _people(said[w])))
        return "; ".join(f"of {_people(said[what])}: {what}" for what in order)

    def _leave(self, force: str, which: Which, own: Sequence[EventNorm | Duty]) -> str:
        """By what rules an act that one side forbids needs leave on the other; empty where it needs none there."""
        if force != "must not":
            return ""
        given = [may for one in own if isinstance(one, EventNorm) for may in self._leaves(which, one)]
        return f"; {STILL[which].format(named=_cited(given))}" if given else ""

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

    # ------------------------------------------------------------------------- what the other side says of an act
    def _on(self, which: Which, one: EventNorm, of: Which, force: str) -> list[EventNorm]:
        """What a side says with some force of the act of a norm of `which`, in cases of which that may speak too."""
        event = self._event(which, one.event)
        those = [norm for norm in self._of(of, force, {event}) if isinstance(norm, EventNorm)]
        return [norm for norm in those if norm is not one and self._meet(which, one, of, norm)]

    def _meet(self, which: Which, one: EventNorm, of: Which, other: EventNorm) -> bool:
        """Whether the heads of two norms on one act can both match, by the values of enumerations that each names."""
        heads = self._head(which, one), self._head(of, other)
        for param in self.merger.common.events[self._event(which, one.event)].params:
            values = ty.finite_values(param.type) if isinstance(param.type, ty.EnumT) else None
            if values is not None and not any(
                all(_may_be(self.merger.programs[which], head, param, value) for head in heads)
                for value in values
            ):
                return False
        return True

    def _head(self, which: Which, norm: EventNorm) -> Term:
        """When a norm governs an act, over the parameters of the common event."""
        params = self.merger.common.events[self._event(which, norm.event)].params
        own = self.merger.programs[which].ruleset.events[norm.event].params
        by = {EVENT_PREFIX + a.name: m.Var(b.type, b.name) for a, b in zip(own, params, strict=True)}
        return self.merger.term(which, substitute(norm.head, dict(by)))

    def _leaves(self, which: Which, one: EventNorm) -> list[EventNorm]:
        """By what the other side gives leave for the act that a norm forbids; nothing where nobody needs any there. An
        act that a duty demands needs none."""
        other: Which = "new" if which == "old" else "old"
        if self._of(other, "must", {self._event(which, one.event)}):
            return []
        return self._on(which, one, other, "may")

    def _groups(
        self, which: Which, one: EventNorm, rivals: Sequence[EventNorm]
    ) -> Mapping[frozenset[str], list[EventNorm]]:
        """The people whom a norm binds, by what binds them on the other side; of nobody whom the other side knows
        everything counts."""
        other: Which = "new" if which == "old" else "old"
        sides = self.merger.common.side(which), self.merger.common.side(other)
        known = [role for role in one.roles if self._has(which, role, other)]
        if not known:
            return {frozenset(one.roles): list(rivals)}
        found: dict[tuple[str, ...], set[str]] = {}
        binding: dict[tuple[str, ...], list[EventNorm]] = {}
        for role in known:
            those = [r for r in rivals if sides[0].roles([role]) <= sides[1].roles(r.roles)]
            key = tuple(r.unit for r in those)
            found.setdefault(key, set()).add(role)
            binding[key] = those
        return {frozenset(roles): binding[key] for key, roles in found.items()}

    def _covered(self, which: Which, one: EventNorm) -> list[_Covered]:
        """Whether the other side says the same, of the same people where it has such, wherever a norm binds: for those
        people apart of whom other rules speak."""
        other: Which = "new" if which == "old" else "old"
        force = self._force(which, one)
        rivals = self._on(which, one, other, force)
        leaves = self._leaves(which, one) if force == "must not" else []
        speaking = self._groups(which, one, [*rivals, *leaves])
        found = [
            self._held(which, one, roles, [r for r in those if r in rivals], leaves, those)
            for roles, those in speaking.items()
        ]
        if len(found) == 1:
            return found
        return [c if c.pair is None else replace(c, pair=replace(c.pair, whom=_people([c]))) for c in found]

    def _held(
        self,
        which: Which,
        one: EventNorm,
        roles: frozenset[str],
        rivals: Sequence[EventNorm],
        leaves: Sequence[EventNorm],
        binding: Sequence[EventNorm],
    ) -> _Covered:
        """A norm against what the other side says of the same people: `rivals`, and the `leaves` that it gives for the
        act, of which those in `binding` are theirs."""
        other: Which = "new" if which == "old" else "old"
        binds, params = self._when(which, one)
        covering = [self._as(params, other, rival) for rival in rivals]
        if leaves:
            governs = disjunction([self._renamed(params, other, may) for may in leaves])
            given = [self._as(params, other, may) for may in leaves if may in binding]
            covering.append(conjunction([governs, m.NotT(BOOL, disjunction(given))]))
        if not covering:
            return _Covered(roles, (), (), Turned("other"), None)
        covers = disjunction(covering)
        barred = disjunction([self._as(params, which, norm) for norm in self._barring(which, one, roles)])
        freely = m.NotT(BOOL, barred)
        allows = self._force(which, one) == "may" and barred != NO
        # What a side gives leave for and forbids by another rule it does not allow.
        inside = conjunction([binds, freely]) if allows else binds
        free = m.free_variables(binds) | m.free_variables(covers) | m.free_variables(barred)
        named = tuple(p for p in params if p.name in free)
        made = frozenset(p.name for p in named)
        # What the other side says besides is told of its own statements: here only what this one says alone counts.
        both = m.AndT(BOOL, (binds, covers))
        then, now = (binds, both) if which == "old" else (both, binds)
        norms = (one, None) if which == "old" else (None, one)
        pair = Pair(
            self._event(which, one.event),
            named,
            made,
            then,
            now,
            norms,
            tuple(dict.fromkeys(cite(rival.unit) for rival in rivals)),
            tuple(dict.fromkeys(cite(may.unit) for may in leaves)),
            None if barred == NO else freely,
        )
        said = tuple(rivals), tuple(leaves)
        if self.turner().apart(named, inside, covers, made):
            return _Covered(roles, *said, Turned("other"), pair)
        match self.turner().wide.ask(Question(named, inside, none=(Nothing((), covers),), made=made)):
            case Never():
                return _Covered(roles, *said, SAME, None)
            case Sometimes():
                return _Covered(roles, *said, Turned("other"), pair)
            case Unknown(why=why, disagree=disagree):
                return _Covered(roles, *said, Turned("open", why, disagree), None)

    def _barring(self, which: Which, one: EventNorm, roles: frozenset[str]) -> list[EventNorm]:
        """What else keeps these people from the act of a norm on its own side."""
        return [norm for norm in self._on(which, one, which, "must not") if roles <= set(norm.roles)]

    def _as(self, params: Sequence[Param], which: Which, norm: EventNorm) -> Term:
        """When a norm binds, over the parameters of another on the same act."""
        term, own = self._when(which, norm)
        by = {b.name: m.Var(a.type, a.name) for a, b in zip(params, own, strict=True)}
        return substitute(term, dict(by))

    def _renamed(self, params: Sequence[Param], which: Which, norm: EventNorm) -> Term:
        """When a norm governs an act, over the parameters of another on the same act."""
        own = self.merger.common.events[self._event(which, norm.event)].params
        by = {b.name: m.Var(a.type, a.name) for a, b in zip(params, own, strict=True)}
        return substitute(self._head(which, norm), dict(by))

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
            for one in parts[which]:
                if isinstance(one, Duty):
                    return False
                if any(c.turned.turn != "same" for c in self._covered(which, one)):
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
        common = self.merger.common.events[self._event(which, event)].params
        for i, p in enumerate(self.merger.programs[which].ruleset.events[event].params):
            by[EVENT_PREFIX + p.name] = m.Var(common[i].type, f"e{i}")
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
        if isinstance(norm, EventNorm):
            common = self.merger.common.events[self._event(which, norm.event)].params
            params = tuple(Param(p.name, c.type) for p, c in zip(params, common, strict=True))
            term = substitute(term, {p.name: m.Var(p.type, p.name) for p in params})
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


def _cited(norms: Sequence[EventNorm | Duty]) -> str:
    return ", ".join(dict.fromkeys(cite(norm.unit) for norm in norms))


def _said_by(covered: Sequence[_Covered]) -> str:
    """By what rules the other side says as much: what forbids or allows it too, else what gives leave to others."""
    rivals = _cited([norm for c in covered for norm in c.rivals])
    return rivals or f"leave is given only by {_cited([norm for c in covered for norm in c.leaves])}"


def _people(covered: Sequence[_Covered]) -> str:
    return " and ".join(f"the {role}" for role in sorted({role for c in covered for role in c.roles}))


def _may_be(program: Program, head: Term, param: Param, value: object) -> bool:
    """Whether a head can match where a parameter has a value, as far as its conditions on that alone say."""
    for item in head.items if isinstance(head, m.AndT) else (head,):
        told = all(
            isinstance(t, m.CompareT | m.OrT | m.AndT | m.NotT | m.Var | m.Lit) for t in subterms(item)
        )
        if told and m.free_variables(item) == {param.name}:
            here = substitute(item, {param.name: m.Lit(param.type, value)})
            if Folder(program, {}).fold(here) == NO:
                return False
    return True


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
