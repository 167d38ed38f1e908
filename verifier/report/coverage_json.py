"""Coverage as JSON.

The document (`"gazette-coverage": 1`) is one object:

- `tool` {name, version}; `rulesets`, each one object:
- `ruleset` {name, digest, law, law_digest}; `words` and `clauses` {formalised, unobservable, external, structural,
  missing}: how many of either fare how; `transcripts`, `rounds`: how many of either were run, or null;
  `passed_over`: by ruleset, transcripts of other ones that were found beside them; `justified`: how many rules are not
  shown both kept and broken, and a reason says why, or null;
- `levels` {formalised, proved, exercised, killed}: {part, whole, percent}, percent never rounded up; null where nothing
  was given that could tell. `formalised` counts words, the others rules;
- `law` [{clause, heading, line, status, rules, phrases [{words, count, status, rules, reason}]}] in the order of the
  document; of words that only join items of a list the status is joining, and they count nowhere;
- `rules` [{rule, clause, file, line, exercised {kept, broken, read}, unshowable, justified {kept, broken}, proved
  {held, total}, killed {noticed, total}, reached {proved, exercised, killed}}]: null where nothing is known, or where
  it cannot be asked of the rule; `unshowable` which of kept and broken nothing shows, and is proved to be shown by no
  round that is lawful until then; `justified` which nothing shows for a reason, and the reason (NAME.unshown.yaml);
- `beside` [{name, file, line, killed {noticed, total}}]: what stands beside the rules and has mutants (definitions and
  events of the ruleset's own), which count among `killed`.

Text is in JSON's own escapes, plain ASCII.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from verifier.coverage.measure import LEVELS, Coverage, CoveredRule
from verifier.coverage.phrases import STATUSES, CoveredClause
from verifier.version import VERSION as TOOL_VERSION

VERSION = 1
KEY = "gazette-coverage"


def document(coverages: Sequence[Coverage]) -> dict[str, Any]:
    """All rulesets as one JSON object."""
    return {
        KEY: VERSION,
        "tool": {"name": "gazette-verifier", "version": TOOL_VERSION},
        "rulesets": [_ruleset(coverage) for coverage in coverages],
    }


def document_text(coverages: Sequence[Coverage]) -> str:
    """The document, indented, with a newline at the end."""
    return json.dumps(document(coverages), indent=2, ensure_ascii=True).replace("\x7f", "\\u007f") + "\n"


def _ruleset(coverage: Coverage) -> dict[str, Any]:
    ruleset = coverage.ruleset
    levels: dict[str, Any] = {}
    for level in LEVELS:
        share = coverage.share(level)
        known = {"part": share.part, "whole": share.whole, "percent": share.percent}
        levels[level] = known if coverage.known(level) else None
    return {
        "ruleset": {
            "name": ruleset.name,
            "digest": ruleset.digest,
            "law": None if ruleset.law is None else ruleset.law.id,
            "law_digest": None if ruleset.law is None else ruleset.law.digest,
        },
        "words": dict(coverage.words),
        "clauses": {status: sum(c.status == status for c in coverage.clauses) for status in STATUSES},
        "transcripts": coverage.transcripts,
        "passed_over": dict(sorted(coverage.passed_over.items())),
        "rounds": coverage.rounds,
        "justified": len(coverage.justified) if coverage.known("exercised") else None,
        "levels": levels,
        "law": [_clause(clause) for clause in coverage.clauses],
        "rules": [_rule(rule) for rule in coverage.rules],
        "beside": [
            {
                "name": name,
                "file": of.file,
                "line": of.line,
                "killed": {"noticed": of.noticed, "total": of.total},
            }
            for name, of in coverage.beside.items()
        ],
    }


def _clause(clause: CoveredClause) -> dict[str, Any]:
    return {
        "clause": clause.clause.address,
        "heading": clause.clause.heading,
        "line": clause.clause.line,
        "status": clause.status,
        "rules": list(clause.rules),
        "phrases": [
            {
                "words": phrase.words,
                "count": phrase.count,
                "status": phrase.status,
                "rules": list(phrase.rules),
                "reason": phrase.reason,
            }
            for phrase in clause.phrases
        ],
    }


def _rule(rule: CoveredRule) -> dict[str, Any]:
    done, proof, mutants = rule.exercise, rule.proof, rule.mutants
    return {
        "rule": rule.rule,
        "clause": rule.clause,
        "file": rule.file,
        "line": rule.line,
        "exercised": None if done is None else {"kept": done.kept, "broken": done.broken, "read": done.read},
        "unshowable": sorted(rule.unshowable),
        "justified": dict(rule.justified),
        "proved": None if proof is None else {"held": proof.held, "total": proof.total},
        "killed": None if mutants is None else {"noticed": mutants.noticed, "total": mutants.total},
        "reached": {level: rule.is_(level) for level in LEVELS[1:]},
    }
