"""What an induction rests on: nothing that a play refutes.

*One of six lockers is free* is kept by every event among two people, and eight take all of them. Where the induction of
two supposes it, what they prove is no law of eight.
"""

from __future__ import annotations

from collections.abc import Callable

from verifier.prove.desk import Desk
from verifier.prove.extent import small
from verifier.prove.obligations import theorems
from verifier.prove.question import Answer, Mode, Never, Obligation, Sometimes

Seek = Callable[[Obligation], Sometimes | None]
"""What looks for a play that refutes an invariant."""


def upheld(desk: Desk, own: str, mode: Mode, prove: Callable[[], Answer], seek: Seek) -> Answer:
    """The answer that `prove` gives, of a small ruleset by an induction that supposes no other invariant beside the
    ruleset than such as no play is found to refute; `own` is the id of what is asked."""
    if desk.asked or desk.less or not small(desk.program, desk.inductive):
        return prove()
    invariants = {o.id: o for o in theorems.obligations(desk.program) if o.kind == "invariant"}
    while True:
        answer = prove()
        if not isinstance(answer, Never):
            return answer
        refuted = False
        for name in answer.using:
            invariant = invariants.get(f"invariant {name}")
            if invariant is None or invariant.id == own:
                continue
            if (name, mode) not in desk.doubted:
                desk.doubt(name, mode, seek(invariant) is not None)
            refuted = refuted or desk.doubted[name, mode]
        if not refuted:
            return answer
