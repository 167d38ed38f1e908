"""What became of a duty, a prohibition or a permission, and the words that say it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from verifier.core.program import Duty, EventNorm
from verifier.diff.acts import Told
from verifier.diff.rules import StatementChange
from verifier.diff.turn import Turn
from verifier.model.ruleset import Norm
from verifier.model.show import cite


@dataclass(frozen=True, slots=True)
class NormChange:
    """A statement of both sides, or of one, with what its difference comes to.

    `what` says it in words; `turn` of its conditions; `deadline`, `roles` and `acts` whether those moved. Of a
    statement of one side `quoted` is the other law's clause in which all the words stand that its rule quotes. `told`
    are the regions in which only one side binds, where their conditions are not the same. `disagree`: what keeps it
    open is that those asked contradict each other. `scope` and `by`: how far, and by whom, it was looked for what would
    make it otherwise, where nothing changed. `rests`: it is written alike, and rests on what is not.
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
    scope: str = ""
    by: tuple[str, ...] = ()
    rests: bool = False

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

DUTIES = {
    "old": "had to be done; whether it still has to be is open: not held against the other's duties of such acts",
    "new": "must be done; whether it had to be already is open: not held against the other's duties of such acts",
}
"""A duty where the other side has duties of the same acts on other clauses, which are named after it."""

FREE = {
    "old": "was allowed so only, and needs no leave any more: no rule of the new gives leave for it to anybody",
    "new": "is now allowed so only, and needed no leave: no rule of the old gives leave for it to anybody",
}
"""A permission where the other side has none of the same act: what nobody is given leave for is free."""

STILL = {
    "old": "{what} still needs leave by {named}, and without it is not allowed",
    "new": "{what} needed leave already by {named}, and without it was not allowed",
}
"""A prohibition where the other side gives leave for the same act: what needs leave is not free where nothing forbids
it. `what` is the act, as far as that leave speaks of it."""

ELSEWHERE = "what it says beyond the other, other rules say there"
"""Statements that answer to each other and are not the same, where nothing follows from that."""

UNASKED = "it reads decisions where no answer is owed, and what they come to there is not compared"
"""Statements alike that read decisions elsewhere than where these are proved the same."""

UNKNOWN_ACT = "nothing to compare it with: the other ruleset records no such act"

WORDS: dict[Turn, str] = {
    "same": "",
    "wider": "it {does} in more cases",
    "narrower": "it {does} in fewer cases",
    "other": "it {does} in other cases",
    "some wider": "it {does} in cases in which it did not; whether it still does in all others is open",
    "some narrower": "in some cases it does not any more; whether it {does} in others is open",
    "unsure": "it {does} in the same cases, but in others it is open whether it does",
    "open": "whether it {does} in the same cases is open",
}
"""What became of when a statement of both sides binds."""


def cited(norms: Sequence[EventNorm | Duty]) -> str:
    """The rules of norms, each once: `3.1, 5.2`."""
    return ", ".join(dict.fromkeys(cite(norm.unit) for norm in norms))


def bound(norm: Norm) -> str:
    """Whom a statement binds: `the dealer and the player`; `anybody but the dealer`."""
    roles = norm.exempt or norm.roles
    return ("anybody but " if norm.exempt else "") + " and ".join(f"the {role}" for role in sorted(roles))
