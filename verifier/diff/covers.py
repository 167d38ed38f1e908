"""What one side alone says of an act, held against all that the other says of the same act to each of those people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from verifier.core.program import EventNorm
from verifier.diff.acts import Pair
from verifier.diff.binding import Binding
from verifier.diff.fold import NO, conjunction, disjunction
from verifier.diff.norm_words import cited
from verifier.diff.turn import SAME, Turned, Turner
from verifier.diff.unify import Which
from verifier.model import terms as m
from verifier.model.show import cite
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
            governs = disjunction([self.binding.governs_as(params, other, may) for may in leaves])
            given = [self.binding.as_of(params, other, may) for may in leaves if may in binding]
            covering.append(conjunction([governs, m.NotT(BOOL, disjunction(given))]))
        if not covering:
            return Covered(roles, (), (), Turned("other"), None)
        covers = disjunction(covering)
        barred = disjunction(
            [self.binding.as_of(params, which, norm) for norm in self._barring(which, one, roles)]
        )
        freely = m.NotT(BOOL, barred)
        allows = self.binding.force(which, one) == "may" and barred != NO
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
            self.binding.event(which, one.event),
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
            return Covered(roles, *said, Turned("other"), pair)
        match self.turner().wide.ask(Question(named, inside, none=(Nothing((), covers),), made=made)):
            case Never():
                return Covered(roles, *said, SAME, None)
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
        """By what the other side gives leave for the act that a norm forbids; nothing where nobody needs any there. An
        act that a duty demands needs none."""
        other: Which = "new" if which == "old" else "old"
        if self.binding.of(other, "must", {self.binding.event(which, one.event)}):
            return []
        return self._on(which, one, other, "may")

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

    def _barring(self, which: Which, one: EventNorm, roles: frozenset[str]) -> list[EventNorm]:
        """What else keeps these people from the act of a norm on its own side."""
        return [norm for norm in self._on(which, one, which, "must not") if roles <= set(norm.roles)]


def said_by(covered: Sequence[Covered]) -> str:
    """By what rules the other side says as much: what forbids or allows it too, else what gives leave to others."""
    rivals = cited([norm for c in covered for norm in c.rivals])
    return rivals or f"leave is given only by {cited([norm for c in covered for norm in c.leaves])}"


def people_of(covered: Sequence[Covered]) -> str:
    """`the dealer and the player`."""
    return " and ".join(f"the {role}" for role in sorted({role for c in covered for role in c.roles}))
