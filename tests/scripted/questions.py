"""What is asked beside a ruleset, held against rounds of it: which of these the law refutes, and where.

Every question is the prover's own (`gazette prove`), asked by the interpreter after events of rounds that break
nothing: a question refuted here is refuted by such play, whether or not the prover finds it. That a question is *not*
refuted here proves nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from scripted import Game

from verifier.prove.explore.evaluate import Asker
from verifier.prove.obligations.theorems import obligations
from verifier.prove.question import Obligation


@dataclass(frozen=True)
class Questions:
    """The questions beside a game's ruleset, and its rounds by name."""

    game: Game
    rounds: Mapping[str, str]
    _answered: dict[str, frozenset[str]] = field(default_factory=dict)

    @cached_property
    def by_id(self) -> dict[str, Obligation]:
        """All that is asked of play, by id."""
        return {o.id: o for o in obligations(self.game.ready.program) if o.kind != "vacuous"}

    @cached_property
    def _asker(self) -> Asker:
        return Asker(self.game.ready.program)

    def answered(self, name: str) -> frozenset[str]:
        """Those that have an answer after some event of a round: a counterexample, or what is to be reached."""
        if name not in self._answered:
            states, options = list(self.game.played(self.rounds[name])), self.game.in_force()
            found = set()
            for id_, obligation in self.by_id.items():
                assert obligation.question is not None
                if any(self._asker.find(obligation.question, state, options) is not None for state in states):
                    found.add(id_)
            self._answered[name] = frozenset(found)
        return self._answered[name]

    def reachable(self) -> set[str]:
        """Those that ask whether something can be."""
        return {id_ for id_, obligation in self.by_id.items() if obligation.kind == "reachable"}

    def accepted(self) -> set[str]:
        """Those that the ruleset accepts as refuted."""
        names = {name.replace("_", " ", 1) for name in self.game.ready.ruleset.accepted}
        return names & self.by_id.keys()
