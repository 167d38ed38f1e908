"""The rounds made for a ruleset as JSON.

The document (`"gazette-generate": 1`) is one object:

- `tool` {name, version}; `ruleset` {name, digest, law, law_title, law_digest, in_force}; `exit_code`;
- `rules`: those that bind or decide, in the order of the text;
- `lawful`, `faulty` and `beside` [{name, breaks, events, exercises, whole, beside, transcript}]: `breaks` is the rule
  that a faulty round is there for, else null; `exercises` the rules that a check finds exercised; `whole` that it goes
  on to the end of the round; `beside` what else is found in it, event by event; `transcript` the text of the file;
- `unmet` [{rule, wanted: kept|broken, proved, verdict: proved|beside|open, beside, why}]: what no round shows by
  itself. `beside` is the name of the round that shows it beside something else, or null; the verdict is so where,
  besides, an induction has the rule at work in no lawful play of a scope.

Text is in JSON's own escapes, plain ASCII. The same ruleset, steps, seed and code give the same document.
"""

from __future__ import annotations

from typing import Any

from verifier.generate.generate import Generated, Made
from verifier.report.document import begun, written

VERSION = 1
KEY = "gazette-generate"


def document(made: Generated) -> dict[str, Any]:
    """The whole result as a JSON object."""
    return {
        **begun(KEY, VERSION, made.version, made.about),
        "exit_code": int(made.exit_code),
        "rules": list(made.targets),
        "lawful": [_made(one) for one in made.lawful],
        "faulty": [_made(one) for one in made.faulty],
        "beside": [_made(one) for one in made.beside],
        "unmet": [
            {
                "rule": one.rule,
                "wanted": one.wanted,
                "proved": one.proved,
                "verdict": one.verdict,
                "beside": one.beside,
                "why": one.why,
            }
            for one in made.unmet
        ],
    }


def document_text(made: Generated) -> str:
    """The document, indented, with a newline at the end."""
    return written(document(made))


def _made(one: Made) -> dict[str, Any]:
    return {
        "name": one.name,
        "breaks": one.rule,
        "events": one.events,
        "exercises": list(one.shows),
        "whole": one.whole,
        "beside": list(one.beside),
        "transcript": one.text,
    }
