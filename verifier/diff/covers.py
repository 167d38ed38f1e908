"""What one side alone says of an act, held against all that the other says of the same act to each of those people."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from verifier.core.program import EventNorm
from verifier.diff.acts import Pair
from verifier.diff.binding import Binding
from verifier.diff.fold import YES, conjunction, disjunction
from verifier.diff.norm_words import cited
from verifier.diff.turn import Turned, Turner, proved
from verifier.diff.unify import SIDES, Which
from verifier.model import terms as m
from verifier.model.ruleset import Param
from verifier.model.show import cite
from verifier.model.terms import Term
from verifier.model.types import BOOL
from verifier.prove.question import Never, Nothing, Question, Sometimes, Unknown


@dataclass(frozen=True, slots=True)
class Covered:
    """What became of a norm of one side for some of the people whom it binds, held against `rivals` and against the
    leave that is given for the act; `pair` is what is told where they do not cover it."""

    roles: frozenset[str]
    rivals: tuple[EventNorm, ...]
    leaves: tuple[EventNorm, ...]
    turned: Turned
    pair: Pair | None


class Covers:
    """Says whether other rules say what a norm of one side says; `turner` gives who asks of the program of both."""

    def __init__(self, binding: Binding, turner: Callable[[], Turner]) -> None:
        self.binding = binding
        self.merger = binding.merger
        self.turner = turner

    def covered(self, which: Which, one: EventNorm) -> list[Covered]:
        """Whether the other side says the same, of the same people where it has such, wherever a norm binds: for those
        people apart of whom other rules speak."""
        other: Which = "new" if which == "old" else "old"
        force = self.binding.force(which, one)
        rivals = self._on(which, one, other, force)
        leaves = self.leaves(which, one) if force == "must not" else []
        speaking = self._groups(which, one, [*rivals, *leaves])
        found = [
            self._held(which, one, roles, [r for r in those if r in rivals], leaves, those)
            for roles, those in speaking.items()
        ]
        if len(found) == 1:
            return found
        return [c if c.pair is None else replace(c, pair=replace(c.pair, whom=people_of([c]))) for c in found]

    def _held(
        self,
        which: Which,
        one: EventNorm,
        roles: frozenset[str],
        rivals: Sequence[EventNorm],
        leaves: Sequence[EventNorm],
        binding: Sequence[EventNorm],
    ) -> Covered:
        """A norm against what the other side says of the same people: `rivals`, and the `leaves` that it gives for the
        act, of which those in `binding` are theirs."""
        other: Which = "new" if which == "old" else "old"
        binds, params = self.binding.when(which, one)
        covering = [self.binding.as_of(params, other, rival) for rival in rivals]
        if leaves:
            covering.append(self._denied(params, other, leaves, [may for may in leaves if may in binding]))
        if not covering:
            return Covered(roles, (), (), Turned("other"), None)
        covers = disjunction(covering)
        freely = {of: self.unbarred(params, which, one, of, roles) for of in SIDES}
        # What a side gives leave for and forbids by another rule it does not allow.
        allows = self.binding.force(which, one) == "may"
        inside = conjunction([binds, freely[which]]) if allows else binds
        read = [binds, covers, *freely.values()]
        free = frozenset().union(*(m.free_variables(term) for term in read))
        named = tuple(p for p in params if p.name in free)
        made = frozenset(p.name for p in named)
        # What the other side says besides is told of its own statements: here only what this one says alone counts.
        both = m.AndT(BOOL, (binds, covers))
        then, now = (binds, both) if which == "old" else (both, binds)
        norms = (one, None) if which == "old" else (None, one)
        pair = Pair(
            self.binding.event(which, one.event),
            named,
            made,
            then,
            now,
            norms,
            tuple(dict.fromkeys(cite(rival.unit) for rival in rivals)),
            tuple(dict.fromkeys(cite(may.unit) for may in leaves)),
            (freely["old"], freely["new"]),
        )
        said = tuple(rivals), tuple(leaves)
        if self.turner().apart(named, inside, covers, made):
            return Covered(roles, *said, Turned("other"), pair)
        match self.turner().wide.ask(Question(named, inside, none=(Nothing((), covers),), made=made)):
            case Never() as never:
                return Covered(roles, *said, proved([never]), None)
            case Sometimes():
                return Covered(roles, *said, Turned("other"), pair)
            case Unknown(why=why, disagree=disagree):
                return Covered(roles, *said, Turned("open", why, disagree), None)

    def _on(self, which: Which, one: EventNorm, of: Which, force: str) -> list[EventNorm]:
        """What a side says with some force of the act of a norm of `which`, in cases of which that may speak too."""
        event = self.binding.event(which, one.event)
        those = [norm for norm in self.binding.of(of, force, {event}) if isinstance(norm, EventNorm)]
        return [norm for norm in those if norm is not one and self.binding.meet(which, one, of, norm)]

    def leaves(self, which: Which, one: EventNorm) -> list[EventNorm]:
        """By what the other side gives leave for the act that a norm forbids; nothing where nobody needs any there."""
        return self._leaves_of("new" if which == "old" else "old", which, one)

    def _leaves_of(self, of: Which, which: Which, one: EventNorm) -> list[EventNorm]:
        """By what a side gives leave for the act of a norm. An act that a duty demands needs none."""
        if self.binding.of(of, "must", {self.binding.event(which, one.event)}):
            return []
        return self._on(which, one, of, "may")

    def _denied(
        self, params: Sequence[Param], of: Which, leaves: Sequence[EventNorm], given: Sequence[EventNorm]
    ) -> Term:
        """Where an act needs leave by some of `leaves`, and none of `given` gives it."""
        governs = disjunction([self.binding.governs_as(params, of, may) for may in leaves])
        allowed = disjunction([self.binding.as_of(params, of, may) for may in given])
        return conjunction([governs, m.NotT(BOOL, allowed)])

    def _groups(
        self, which: Which, one: EventNorm, rivals: Sequence[EventNorm]
    ) -> Mapping[frozenset[str], list[EventNorm]]:
        """The people whom a norm binds, by what binds them on the other side; of nobody whom the other side knows
        everything counts."""
        other: Which = "new" if which == "old" else "old"
        sides = self.merger.common.side(which), self.merger.common.side(other)
        known = [role for role in one.roles if self.binding.has(which, role, other)]
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

    def unbarred(
        self,
        params: Sequence[Param],
        which: Which,
        one: EventNorm,
        of: Which,
        roles: Collection[str],
        besides: EventNorm | None = None,
    ) -> Term:
        """That nothing on a side but the norm itself and `besides` keeps these people from its act: no prohibition, nor
        want of leave where it is not leave that the norm is about."""
        common = self.merger.common
        people = common.side(which).roles(roles)

        def theirs(norms: Sequence[EventNorm]) -> list[EventNorm]:
            return [n for n in norms if n is not besides and people <= common.side(of).roles(n.roles)]

        bars = [self.binding.as_of(params, of, n) for n in theirs(self._on(which, one, of, "must not"))]
        if self.binding.force(which, one) == "must not" and (leaves := self._leaves_of(of, which, one)):
            bars.append(self._denied(params, of, leaves, theirs(leaves)))
        return m.NotT(BOOL, disjunction(bars)) if bars else YES


def said_by(covered: Sequence[Covered]) -> str:
    """By what rules the other side says as much: what forbids or allows it too, and what gives leave, but not here."""
    rivals = cited([norm for c in covered for norm in c.rivals])
    leaves = cited([norm for c in covered for norm in c.leaves])
    return "; ".join(x for x in (rivals, f"leave is given only by {leaves}" if leaves else "") if x)


def people_of(covered: Sequence[Covered]) -> str:
    """`the dealer and the player`."""
    return " and ".join(f"the {role}" for role in sorted({role for c in covered for role in c.roles}))
