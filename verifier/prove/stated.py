"""Which amounts of money are whole numbers of minor units, wherever proofs look: those that somebody chooses.

A log has no others (`spec/log.md`). What an event's claims read is what the law makes of a stake, and may be half a
cent (3 to 2 of an odd one): it is left in the parts of the scope, so that a play can go on as the law has it. What a
state keeps is in parts as well.
"""

from __future__ import annotations

from verifier.model.ruleset import Event
from verifier.model.terms import free_variables
from verifier.prove.signed import holds_money


def chosen(event: Event) -> frozenset[str]:
    """The parameters of an event that hold an amount, and that no claim of it reads."""
    claimed = frozenset().union(*map(free_variables, event.claims)) if event.claims else frozenset()
    return frozenset(p.name for p in event.params if holds_money(p.type) and p.name not in claimed)
