"""What a ruleset laid over another leaves behind: references to what it disapplies."""

from __future__ import annotations

from verifier.errors import Problem
from verifier.model.names import name_of
from verifier.model.ruleset import Ruleset


def layer_findings(ruleset: Ruleset) -> list[Problem]:
    """One problem for each rule that refers to a disapplied one, unless that is an accepted finding."""
    return [
        Problem(
            note,
            file=ruleset.sources[-1].path,
            line=1,
            help="disapply the rule that refers to it as well; where the law leaves it so, "
            f'write `accepted finding {name_of(f"reference {note}")} "…"` in the layer',
            code="refers-to-disapplied",
        )
        for note in ruleset.notes
        if name_of(f"reference {note}") not in ruleset.accepted
    ]
