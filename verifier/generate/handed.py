"""Rounds kept beside the ruleset that no search finds: those that people's plays showed, in `NAME.rounds.jsonl`.

They are plays as `verifier.prove.found` keeps them, each with the rules that it shows kept or broken. Nothing is
believed of them: each is judged anew.
"""

from __future__ import annotations

from verifier.check.engine import Prepared
from verifier.generate.generate import Generated, Made
from verifier.generate.proofs import Unmet, Wanted
from verifier.prove.found import About, play_text, plays_text

Target = tuple[str, Wanted]


def rounds_text(ready: Prepared, without: Generated, made: Generated) -> str | None:
    """The file's text: the rounds `made` with people's plays of all that none shows `without` them; None without any.

    What no round shows by itself may have one in which it is at work beside something else.
    """
    found: dict[str, list[About]] = {}
    for one in without.unmet:
        shown = (None if one.proved else _showing(made, (one.rule, one.wanted))) or _beside(made, one)
        if shown is not None:
            draft = shown.draft
            text = play_text(draft.options, draft.happenings, ready.ruleset, ready.binding)
            found.setdefault(text, []).append((f"{one.wanted} {one.rule}", "play"))
    return "\n".join((*plays_text(ready.ruleset, found), "")) if found else None


def _beside(made: Generated, without: Unmet) -> Made | None:
    """The round that shows it beside something else, where none does without people's plays."""
    names = {
        one.beside
        for one in made.unmet
        if (one.rule, one.wanted) == (without.rule, without.wanted) and without.beside is None
    }
    return next((one for one in made.beside if one.name in names), None)


def _showing(made: Generated, target: Target) -> Made | None:
    """The shortest round that shows it."""
    rule, wanted = target
    match wanted:
        case "kept":
            rounds = [one for one in made.lawful if rule in one.shows]
        case "broken":
            rounds = [one for one in made.faulty if one.rule == rule]
    return min(rounds, key=lambda one: one.events, default=None)
