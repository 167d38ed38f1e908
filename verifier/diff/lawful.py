"""Whether an example keeps what either ruleset says of every state of its play: its invariants, all of them.

Solvers are asked within those that speak of what is compared; what an example does not need is then taken from it, and
the others may speak of that. What a yes or no restores is put right, what it does not is asked of the solvers; what
stays broken is named, for such a state no lawful play may lead to.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from verifier.core.program import Program
from verifier.diff.merge import Merger
from verifier.diff.unify import SIDES, Which
from verifier.model.ruleset import Ruleset, Theorem
from verifier.model.terms import Term
from verifier.model.types import BOOL
from verifier.prove.question import Sometimes
from verifier.prove.transitions import Reads
from verifier.prove.written import closed
from verifier.run.state import EXISTS

MOST_TURNED = 4
"""So many truths are turned in an example at most."""


def supposed(ruleset: Ruleset) -> Iterator[tuple[Theorem, Term]]:
    """A ruleset's invariants, each as one term, but for those that it lists itself as findings: they are not kept."""
    for theorem in ruleset.theorems:
        if theorem.kind == "invariant" and f"invariant_{theorem.name}" not in ruleset.accepted:
            whole = closed(theorem)
            if whole is not None:
                yield theorem, whole


@dataclass(frozen=True, slots=True)
class Supposition:
    """An invariant of one side's ruleset, where none of `quiet` has happened; `shared` where the other has it word for
    word. Whether lawful play keeps it the ruleset's own proof says, not this comparison."""

    which: Which
    name: str
    term: Term
    quiet: tuple[str, ...]
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Kept:
    """An invariant over the common inputs, with what it reads."""

    which: Which
    name: str
    term: Term
    reads: frozenset[str]


Holds = Callable[[Term, Sometimes, Sequence[str]], bool]
"""Whether a condition on named values is true in an example."""


class Lawful:
    """The invariants of both rulesets, and examples held against them; one that both have is the old one's."""

    def __init__(self, merger: Merger, program: Program, holds: Holds) -> None:
        self.program = program
        self.holds = holds
        reads = Reads(program)
        found: dict[Term, Kept] = {}
        for which in SIDES:
            for theorem, whole in supposed(merger.common.side(which).ruleset):
                term = merger.term(which, whole)
                found.setdefault(term, Kept(which, theorem.name, term, reads.of(term)))
        self.invariants = tuple(found.values())

    def asked(
        self, breaks: Collection[tuple[Which, str]], supposed: Sequence[Supposition]
    ) -> tuple[Supposition, ...]:
        """What to suppose beside what is `supposed` for an example that keeps what another breaks."""
        terms = {one.term for one in supposed}
        return tuple(
            Supposition(one.which, one.name, one.term, ())
            for one in self.invariants
            if (one.which, one.name) in breaks and one.term not in terms
        )

    def broken(self, at: Sometimes) -> tuple[Kept, ...]:
        """The invariants that an example breaks."""
        return tuple(one for one in self.invariants if not self.holds(one.term, at, ()))

    def mended(self, at: Sometimes, condition: Term, names: Sequence[str]) -> tuple[tuple[Which, str], ...]:
        """Turn what is yes or no in an example as long as it breaks fewer invariants by that and `condition` holds;
        those that stay broken, by whose they are and by name."""
        broken = self.broken(at)
        for _ in range(MOST_TURNED):
            fewer = self._fewer(at, condition, names, broken, len(broken), 2) if broken else None
            if fewer is None:
                break
            broken = fewer
        return tuple((one.which, one.name) for one in broken)

    def _fewer(
        self,
        at: Sometimes,
        condition: Term,
        names: Sequence[str],
        broken: Sequence[Kept],
        than: int,
        turns: int,
    ) -> tuple[Kept, ...] | None:
        """Turn a truth, or two where the first only breaks others, so that fewer `than` so many are broken, and say
        which; None where there is no such."""
        read = frozenset().union(*(one.reads for one in broken))
        for path, fields, name in self._truths(at, read):
            before = fields[name]
            fields[name] = not before
            if self.holds(condition, at, names):
                others = [one for one in self.invariants if path in one.reads and one not in broken]
                left = [one for one in broken if not self.holds(one.term, at, ())]
                now = (*left, *(one for one in others if not self.holds(one.term, at, ())))
                if len(now) < than:
                    return now
                if turns > 1 and len(left) < len(broken):
                    fewer = self._fewer(at, condition, names, now, than, turns - 1)
                    if fewer is not None:
                        return fewer
            fields[name] = before
        return None

    def _truths(self, at: Sometimes, read: frozenset[str]) -> Iterator[tuple[str, dict[str, object], str]]:
        """What is yes or no in an example and read: its path, where it is kept, and its name there."""
        ruleset = self.program.ruleset
        for name, field in ruleset.state.items():
            if field.type == BOOL and name in read:
                yield name, at.state.fields, name
        for kind, table in at.state.entities.items():
            for f in ruleset.entities[kind].fields:
                if f.type == BOOL and f"{kind}.{f.name}" in read:
                    for ref in sorted(table, key=repr):
                        if EXISTS in table[ref]:
                            table[ref].setdefault(f.name, f.initial)
                            yield f"{kind}.{f.name}", table[ref], f.name
