"""What checks of one program need not make again: judges with what they have compiled, clauses with their rules."""

from __future__ import annotations

from collections.abc import Mapping

from verifier.check.clauses import Standing, standing_in
from verifier.core.program import Program
from verifier.run.judge import Judge, Recording

SPARE = 8
"""Recordings of which a judge is kept for the next check."""


class Spare:
    """Judges of one program that no check uses now, by recording: the next check need not compile all again.

    A check takes one out and puts it back at its end, so that no two ever share one. A copy has none.
    """

    def __init__(self) -> None:
        self._judges: dict[Recording, Judge] = {}
        self._standing: tuple[Standing, ...] | None = None

    def __reduce__(self) -> tuple[type[Spare], tuple[()]]:
        return Spare, ()

    def standing(self, program: Program) -> tuple[Standing, ...]:
        """The clauses of the program's law with the rules on them."""
        if self._standing is None:
            self._standing = standing_in(program)
        return self._standing

    def take(self, options: Mapping[str, object], recording: Recording) -> Judge | None:
        """A judge for these, no longer here; None where there is none."""
        judge = self._judges.pop(recording, None)
        if judge is not None:
            judge.machine.options = dict(options)
        return judge

    def put(self, recording: Recording, used: Judge) -> None:
        """Keep what a judge has compiled, and nothing of what it judged."""
        if len(self._judges) < SPARE:
            judge = Judge(used.program, {}, recording, used)
            judge.machine.enter(judge.state)
            self._judges[recording] = judge
