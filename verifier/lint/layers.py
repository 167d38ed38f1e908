"""What a ruleset laid over another leaves behind: references to what it disapplies."""

from __future__ import annotations

from verifier.errors import Problem
from verifier.model.ruleset import Ruleset


def layer_findings(ruleset: Ruleset) -> list[Problem]:
    """One problem for each rule that refers to a disapplied one."""
    return [
        Problem(
            note,
            file=ruleset.sources[-1].path,
            line=1,
            help="say in the layer what holds instead, or disapply the rule that refers to it as well",
            code="refers-to-disapplied",
        )
        for note in ruleset.notes
    ]
