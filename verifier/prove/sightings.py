"""What play and chance show to be possible, of many questions at once.

Most rules can be seen to apply, and to matter, in some state of some play or among random states; only for the
others must a solver look for a state.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from verifier.core.program import Program
from verifier.prove.explore.evaluate import Asker
from verifier.prove.explore.explorer import Explorer
from verifier.prove.question import Obligation, Sometimes
from verifier.prove.random_states import random_options, random_state
from verifier.prove.scope import Scope
from verifier.prove.scope_words import scope_text
from verifier.prove.symbolic import World
from verifier.run.undefined import Undefined

MOST_STATES = 60
"""So many of the states that play reached are looked at, those first that showed most that was new."""

RANDOM_STATES = 0
"""So many random states are looked at after those."""

MOST_BINDINGS = 200
"""So many values of a question's variables are tried in one state: what is harder to see a solver finds sooner."""


def sightings(
    program: Program, scope: Scope, explorer: Explorer, obligations: Iterable[Obligation], seed: int = 0
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
    open_ = [o for o in open_ if "words" in o.modes]
    world, rng = World(program, scope), Random(seed)
    for _ in range(RANDOM_STATES if open_ else 0):
        state, options = random_state(world, rng), allowed_options(program, world, rng)
        if options is None:
            continue
        for obligation, values in _seen(asker, open_, state, options):
            found[obligation.id] = Sometimes(
                state, options, values, None, scope_text(scope, program), ("interpreter",)
            )
        open_ = [o for o in open_ if o.id not in found]
    return found


def _seen(
    asker: Asker, obligations: Sequence[Obligation], state: object, options: object
) -> Iterable[tuple[Obligation, dict[str, object]]]:
    for obligation in obligations:
        assert obligation.question is not None
        values = asker.find(obligation.question, state, options)  # type: ignore[arg-type]
        if values is not None:
            yield obligation, values


def allowed_options(program: Program, world: World, rng: Random, tries: int = 20) -> dict[str, object] | None:
    """Random options, all of them stated, that meet every requirement; None where none were found."""
    from verifier.run.machine import Machine
    from verifier.run.state import first_state

    for _ in range(tries):
        options = random_options(world, rng, all_stated=True)
        machine = Machine(program, options)
        machine.enter(first_state(program.ruleset))
        try:
            if all(machine.closure(r.condition, ())([]) for r in program.ruleset.requirements):
                return options
        except Undefined:
            continue
    return None
