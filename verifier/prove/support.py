"""What an induction rests on: of all that holds, so much as keeps itself, and with it what was asked."""

from __future__ import annotations

from collections.abc import Sequence

from verifier.core.program import Program
from verifier.model.terms import Term
from verifier.prove.conjectures import Named
from verifier.prove.houdini import Houdini
from verifier.prove.proving import PATIENT
from verifier.prove.scope import Scope
from verifier.prove.solve import Settings
from verifier.prove.transitions import system, transitions
from verifier.prove.unmade import unmade


class Support:
    """What is `holding` in words within a scope, and what of it each part rests on."""

    def __init__(self, program: Program, scope: Scope, holding: Sequence[Named], settings: Settings) -> None:
        made = unmade(system(program, scope, "words"), settings)
        self.houdini = Houdini(made, tuple(transitions(made)), PATIENT)
        self.numbers = {self.houdini.add(named): named for named in holding}
        self._kept_by: dict[int, frozenset[int] | None] = {}

    def of(self, claim: Term) -> tuple[Named, ...] | None:
        """Some of what holds, few where that is easily told, that is inductive by itself and of which `claim`
        follows. None where Z3 does not see that, though all together may be so.

        What an event writes and none of it reads cannot bear on the claim.
        """
        alive = self.houdini.alive
        same = [number for number, named in self.numbers.items() if named.term == claim and number in alive]
        rest = same[:1] or self.houdini.implying(Named("what is asked", claim))
        if rest is None:
            return None
        found = set(rest)
        while rest:
            needed = self._needs(rest.pop())
            if needed is None:
                return None
            rest += sorted(needed - found)
            found |= needed
        return tuple(named for number, named in self.numbers.items() if number in found)

    def _needs(self, number: int) -> frozenset[int] | None:
        """By what everything that can happen keeps one of what holds."""
        if number not in self._kept_by:
            found: frozenset[int] | None = frozenset()
            for index in range(len(self.houdini.transitions)):
                core = self.houdini.kept_by(index, number)
                if core is None or found is None:
                    found = None
                    break
                found |= core
            self._kept_by[number] = found
        return self._kept_by[number]
