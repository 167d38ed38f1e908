"""Rounds kept beside the ruleset that no search finds: those that people's plays showed, in `NAME.rounds.jsonl`.

They are plays as `verifier.prove.found` keeps them, each with the rules that it shows kept or broken. Nothing is
believed of them: each is judged anew.
"""

from __future__ import annotations

from collections.abc import Collection

from verifier.check.engine import Prepared
from verifier.generate.beside import Target
from verifier.generate.generate import Generated, Made
from verifier.generate.proofs import Wanted
from verifier.prove.found import About, play_text, plays_text


def rounds_text(ready: Prepared, lacking: Collection[Target], made: Generated) -> str | None:
    """The file's text: the rounds `made` with people's plays of all that is `lacking` without them; None without any.

    What no round shows by itself may have one in which it is at work beside something else. Rules about options need
    none: a round under options that break them is no play of the rules.
    """
    found: dict[str, list[About]] = {}
    required = {requirement.rule for requirement in ready.ruleset.requirements}
    for rule, wanted in sorted(target for target in lacking if target[0] not in required):
        shown = _showing(made, rule, wanted)
        if shown is not None:
            draft = shown.draft
            text = play_text(draft.options, draft.happenings, ready.ruleset, ready.binding)
            found.setdefault(text, []).append((f"{wanted} {rule}", "play"))
    return "\n".join((*plays_text(ready.ruleset, found), "")) if found else None


def _showing(made: Generated, rule: str, wanted: Wanted) -> Made | None:
    """The shortest round that shows it, or one that does beside something else."""
    match wanted:
        case "kept":
            rounds = [one for one in made.lawful if rule in one.shows]
        case "broken":
            rounds = [one for one in made.faulty if one.rule == rule]
    beside = {one.beside for one in made.unmet if (one.rule, one.wanted) == (rule, wanted)}
    rounds = rounds or [one for one in made.beside if one.name in beside]
    return min(rounds, key=lambda one: one.events, default=None)
