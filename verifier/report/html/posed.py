"""The example of a region as a page draws it: the state as each ruleset has it, then settled as either has it settled.

What is drawn and said of each comes from that ruleset alone: its views, its interpreter.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from verifier.check.played import Played, Step
from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.diff.sides import Example, Said
from verifier.model.ruleset import Ruleset
from verifier.report.html.rounds import Painter, picture_of, round_view
from verifier.report.html.witness import logged_event
from verifier.run.bench import Happening
from verifier.run.explain import Explainer
from verifier.run.facts import Reading
from verifier.run.judge import Judge
from verifier.run.view import Viewer

SIDES = {"old": "then", "new": "now"}

ABOUT = ("settlement", "contested", "early", "unasked", "impossible")
"""The kinds of judgement that are about a settlement itself."""


@dataclass(slots=True)
class Side:
    """One ruleset, and what draws its states."""

    ruleset: Ruleset
    painter: Painter = field(default_factory=lambda: Painter(str))
    _program: Program | None = None

    def judge(self, said: Said) -> Judge:
        """A judge of this ruleset in the state of an example."""
        if self._program is None:
            self._program = lower(self.ruleset)
        judge = Judge(self._program, dict(said.posed.options))
        judge.bench.state = judge.bench.before = deepcopy(said.posed.state)
        judge.machine.enter(judge.state)
        return judge

    def pictures(self, said: Said) -> list[Any]:
        """The state as the ruleset's views draw it."""
        if not self.ruleset.scenes:
            return []
        judge = self.judge(said)
        explainer = Explainer(judge)
        viewer = Viewer(judge, Reading(judge.bench, explainer.grounds.names))
        return [
            picture_of(drawn, (), self.painter.shown, self.painter.painted)
            for drawn in viewer.draw(judge.state)
        ]

    def step(self, said: Said, happening: Happening, key: str) -> dict[str, Any]:
        """An event in that state, with what the rules have to say of the settlement: what else is owed there, where
        nothing went before, is left out."""
        judge = self.judge(said)
        explainer = Explainer(judge, tracking=True, brief=True)
        viewer = Viewer(judge, Reading(judge.bench, explainer.grounds.names))
        trace = explainer.trace(happening)
        trace = replace(trace, duties=(), judgements=tuple(j for j in trace.judgements if j.kind in ABOUT))
        drawn = viewer.draw(judge.state)
        event = logged_event(self.ruleset, happening)
        step = Step("", None, 1, None, event, viewer.touched(happening), trace, drawn, ())
        found = round_view(Played(None, (), (), (step,), (), None), key, self.painter)
        only: dict[str, Any] = found["steps"][0]
        return only


def example_view(example: Example, key: str, old: Side, new: Side) -> dict[str, Any]:
    """What the template of an example shows: the events that settle it, each judged by both."""
    return {
        "key": key,
        "first": 1,
        "steps": [
            {
                "number": number,
                "by": " and ".join(SIDES[which] for which in act.by),
                "old": old.step(example.old, act.old, f"{key}o{number}"),
                "new": new.step(example.new, act.new, f"{key}n{number}"),
            }
            for number, act in enumerate(example.acts, 1)
        ],
    }
