"""Terms of a merged program as people read them: a side is named only where a name means two things."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from verifier.core.program import Program
from verifier.diff.unify import SIDES, Which
from verifier.model.ruleset import Ruleset
from verifier.model.show import Names, names_of, show_term
from verifier.model.terms import Term

_SIDE = re.compile(r"\b(old|new)\.([a-z][a-z0-9_]*)")


@dataclass(frozen=True, slots=True)
class Shown:
    """`both` are the names that stand for one thing on one side and for another on the other."""

    names: Names
    both: frozenset[str]

    def term(self, term: Term) -> str:
        """A term as a rule would write it."""
        return self.text(show_term(term, self.names))

    def text(self, text: str) -> str:
        """A text with the sides dropped where they tell nothing apart."""
        return _SIDE.sub(lambda found: found[0] if found[2] in self.both else found[2], text)


def shown(program: Program) -> Shown:
    """How the terms of a merged program are shown."""
    used = {
        *program.functions,
        *program.decisions,
        *program.ruleset.state,
        *program.ruleset.options,
        *(f.name for e in program.ruleset.entities.values() for f in e.fields),
    }
    both = {name[4:] for name in used if name.startswith("old.")}
    return Shown(names_of(program.ruleset), frozenset(n for n in both if f"new.{n}" in used))


def called(rulesets: Mapping[Which, Ruleset]) -> dict[Which, str]:
    """Two rulesets by name, apart though both may have the same."""
    old, new = (rulesets[which].name for which in SIDES)
    return {"old": old, "new": new} if old != new else {"old": f"the old {old}", "new": f"the new {new}"}
