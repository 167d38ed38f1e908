"""What could not be judged, by rule, as either engine counts it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from verifier.run.undefined import Reason
from verifier.run.verdict import Tally


@dataclass(frozen=True, slots=True)
class Unjudged:
    """How often a rule could not be judged, and how often for each reason."""

    times: int = 0
    reasons: Mapping[Reason, int] = field(default_factory=dict)

    def since(self, before: Unjudged) -> Unjudged:
        """What has come since it was so."""
        reasons = {r: n - before.reasons.get(r, 0) for r, n in self.reasons.items()}
        return Unjudged(self.times - before.times, {r: n for r, n in reasons.items() if n})


NEVER = Unjudged()


def since(after: Mapping[str, Unjudged], before: Mapping[str, Unjudged]) -> dict[str, Unjudged]:
    """By rule, what has come since it was so."""
    found = {rule: one.since(before.get(rule, NEVER)) for rule, one in after.items()}
    return {rule: one for rule, one in found.items() if one != NEVER}


def unjudged_by(
    tallies: Mapping[str, Tally], why_not: Mapping[str, Mapping[Reason, int]]
) -> dict[str, Unjudged]:
    """By rule, what the interpreter has counted."""
    found = {
        rule: Unjudged(tallies[rule].not_checkable if rule in tallies else 0, dict(why_not.get(rule, {})))
        for rule in tallies.keys() | why_not.keys()
    }
    return {rule: one for rule, one in found.items() if one != NEVER}


__all__ = ["Unjudged", "since", "unjudged_by"]
