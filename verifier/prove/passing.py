"""Lives that end without an event, in any play."""

from __future__ import annotations

from verifier.model.ruleset import Ruleset


def passing(ruleset: Ruleset) -> tuple[str, ...]:
    """The lives within the first that no event ends: each lasts until a log goes on with the next, whenever that is."""
    return tuple(life.name for life in list(ruleset.lives.values())[1:] if not life.ends and not life.beside)
