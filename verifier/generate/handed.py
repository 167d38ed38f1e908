"""Rounds kept beside the ruleset that no search finds: those that people's plays showed, in `NAME.rounds.jsonl`.

They are plays as `verifier.prove.found` keeps them, each with the rules that it shows kept or broken. Nothing is
believed of them: each is judged anew.
"""

from __future__ import annotations

from verifier.check.engine import Prepared
from verifier.generate.generate import Generated, Made
from verifier.generate.proofs import Wanted
from verifier.prove.found import About, play_text, plays_text

Target = tuple[str, Wanted]


def rounds_text(ready: Prepared, without: Generated, made: Generated) -> str | None:
    """The file's text: the rounds `made` with people's plays of all that is open `without` them; None without any."""
    found: dict[str, list[About]] = {}
    for one in (u for u in without.unmet if not u.proved):
        shown = _showing(made, (one.rule, one.wanted))
        if shown is not None:
            draft = shown.draft
            text = play_text(draft.options, draft.happenings, ready.ruleset, ready.binding)
            found.setdefault(text, []).append((f"{one.wanted} {one.rule}", "play"))
    return "\n".join((*plays_text(ready.ruleset, found), "")) if found else None


def _showing(made: Generated, target: Target) -> Made | None:
    """The shortest round that shows it."""
    rule, wanted = target
    match wanted:
        case "kept":
            rounds = [one for one in made.lawful if rule in one.shows]
        case "broken":
            rounds = [one for one in made.faulty if one.rule == rule]
    return min(rounds, key=lambda one: one.events, default=None)
