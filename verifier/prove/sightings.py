"""What play shows to be possible, of many questions at once.

Most rules can be seen to apply, and to matter, in some state of some play; only for the others must a solver look for
a state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from verifier.core.program import Program
from verifier.prove.explore.evaluate import Asker
from verifier.prove.explore.explorer import Explorer
from verifier.prove.question import Obligation, Sometimes
from verifier.prove.scope import Scope
from verifier.run.state import State

MOST_STATES = 60
"""So many of the states that play reached are looked at, those first that showed most that was new."""

MOST_BINDINGS = 200
"""So many values of a question's variables are tried in one state: what is harder to see a solver finds sooner."""


def sightings(
    program: Program, scope: Scope, explorer: Explorer, obligations: Iterable[Obligation]
) -> dict[str, Sometimes]:
    """By its id, how each obligation that wants `sometimes` was seen to be so; those not seen are left out."""
    open_ = [o for o in obligations if o.wanted == "sometimes" and o.question is not None]
    asker = Asker(program, scope, MOST_BINDINGS)
    found: dict[str, Sometimes] = {}
    fresh = sorted((n for n in explorer.corpus.nodes if n.fresh), key=lambda n: (-n.fresh, n.number))
    for node in fresh[:MOST_STATES]:
        for obligation, values in _seen(asker, open_, node.state, node.options):
            if node.broken and "words" not in obligation.modes:
                continue
            play = node.play()
            found[obligation.id] = Sometimes(
                play.state, play.options, values, play, explorer.scope_text, ("interpreter",)
            )
        open_ = [o for o in open_ if o.id not in found]
    return found


def _seen(
    asker: Asker, obligations: Sequence[Obligation], state: State, options: Mapping[str, object]
) -> Iterable[tuple[Obligation, dict[str, object]]]:
    for obligation in obligations:
        assert obligation.question is not None
        values = asker.find(obligation.question, state, options)
        if values is not None:
            yield obligation, values
