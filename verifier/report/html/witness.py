"""The witness of a finding as a round to step through: its events, played from an empty table as the interpreter does.

What stands beside a step comes from the same explainer as in the rounds of a log.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from verifier.check.played import Played, Step
from verifier.check.result import LoggedEvent, Named
from verifier.core.program import Program
from verifier.model import types as ty
from verifier.model.ruleset import Ruleset
from verifier.model.values import show
from verifier.prove.question import Play
from verifier.report.html.rounds import Painter, round_view
from verifier.run.bench import Happening
from verifier.run.explain import Explainer
from verifier.run.facts import Reading
from verifier.run.judge import Judge
from verifier.run.view import Viewer


@dataclass(slots=True)
class Witnesses:
    """Plays the witnesses of one program again."""

    program: Program
    painter: Painter = field(default_factory=lambda: Painter(str))

    def played(self, play: Play) -> Played:
        """A play as a round: all that the rules had to say at each event, and the state that it left."""
        judge = Judge(self.program, dict(play.options))
        explainer = Explainer(judge, tracking=True, brief=True)
        life = self._life(play)
        viewer = Viewer(judge, Reading(judge.bench, explainer.grounds.names), life)
        ends = {event for one in self.program.ruleset.lives.values() for event in one.ends}
        steps: list[Step] = []
        before = viewer.draw(judge.state)
        for number, happening in enumerate(play.happenings, 1):
            trace = explainer.trace(happening, f"event {number}")
            state = judge.left_by(happening) if happening.event in ends else judge.state
            drawn = viewer.draw(state)
            touched = viewer.touched(happening)
            event = logged_event(self.program.ruleset, happening)
            steps.append(Step("", None, number, None, event, touched, trace, drawn, ()))
        return Played(None, (), before, tuple(steps), (), None)

    def view(self, play: Play, key: str) -> dict[str, Any]:
        """What the template of steps shows of a play: first its last event, where it has led."""
        found = round_view(self.played(play), key, self.painter)
        return {**found, "first": max(1, len(play.happenings))}

    def _life(self, play: Play) -> str | None:
        ruleset = self.program.ruleset
        life = None if not play.happenings else ruleset.events[play.happenings[-1].event].life
        return life if life is not None and ruleset.lives[life].beside else None


def logged_event(ruleset: Ruleset, happening: Happening) -> LoggedEvent:
    """An event as a log would have it."""
    params = ruleset.events[happening.event].params
    values = [
        Named(
            param.name,
            show(param.type, value),
            value if isinstance(param.type, ty.MoneyT) and isinstance(value, int | Fraction) else None,
        )
        for param, value in zip(params, happening.values, strict=True)
        if value is not None
    ]
    return LoggedEvent(happening.actor, happening.event, tuple(values))
