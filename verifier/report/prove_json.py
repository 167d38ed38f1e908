"""A proof as JSON.

The document (`"gazette-prove": 1`) is one object:

- `tool` {name, version}, `solvers` [{name, version}];
- `ruleset` {name, digest, law, law_title, law_digest, in_force};
- `only`: the patterns that limited what was asked, `obligations_total` how many there are with or without them;
- `exit_code`, `counts` {proved, refuted, accepted, undecided, disagreement}, `kinds` the same for each kind; `bounded`:
  how many of those proved are so within their scope, and assumed of more than it has;
- `scopes`: how much was looked at, each as a text that answers repeat as their `scope`;
- `obligations` [{id, name, kind, claim, about, rules, wanted: never|sometimes, verdict, words, play, why}] in their
  order; `words` and `play` are answers in words and in play, null where that was not asked. An answer is
  {answer: never, how: typed|induction|exhaustion, scope, any_size, by, using} (`any_size`: of however many there are),
  {answer: sometimes, events, breaks, scope, by} (`events` null: a state that the types allow) or
  {answer: unknown, why, disagree, scope};
- `findings` [{id, obligation, kind, claim, where, says, about, clauses, kept_by, region, looked, accepted, witness}]:
  what does not hold, accepted (with its reason) or not (null). A clause is {rule, clause, quote, words}. A witness is
  null, or {options [{name, value}], played, moves [{number, actor, event, breaks}], event, values [{name, value}],
  conditions, norms [{rule, says, applies: yes|no|unknown, condition}], decisions, facts} (of what is observed the
  `actor` is null): conditions, decisions and
  facts as `gazette ask --format json` has them; where it was not `played` its state is one that the types allow;
- `errors` [{message, code, file, line, column, help}]: accepted findings that no longer occur;
- `queries` {asked, from_cache}: these alone differ from run to run.

Amounts are in minor units. Text is in JSON's own escapes, plain ASCII.
"""

from __future__ import annotations

import json
from typing import Any, assert_never

from verifier.prove.everywhere import of_any_size
from verifier.prove.finding import Cited, Finding, Witness
from verifier.prove.prove import Proof, Result
from verifier.prove.question import Answer, Never, Sometimes, Unknown
from verifier.report.document import begun
from verifier.report.explain import to_dict

VERSION = 1
KEY = "gazette-prove"


def document(proof: Proof) -> dict[str, Any]:
    """The whole proof as a JSON object."""
    return {
        **begun(KEY, VERSION, proof.version, proof.about),
        "solvers": [{"name": name, "version": version} for name, version in proof.solvers],
        "only": list(proof.only),
        "obligations_total": proof.total,
        "exit_code": int(proof.exit_code),
        "counts": dict(proof.counts),
        "kinds": {kind: dict(tally) for kind, tally in proof.kinds.items()},
        "bounded": proof.bounded,
        "scopes": list(proof.scopes),
        "obligations": [_result(result) for result in proof.results],
        "findings": [_finding(finding) for finding in proof.findings],
        "errors": [
            {
                "message": problem.message,
                "code": problem.code,
                "file": problem.file,
                "line": problem.line,
                "column": problem.column,
                "help": problem.help,
            }
            for problem in proof.errors
        ],
        "queries": {"asked": proof.asked, "from_cache": proof.cached},
    }


def document_text(proof: Proof) -> str:
    """The document, indented, with a newline at the end."""
    return json.dumps(document(proof), indent=2, ensure_ascii=True).replace("\x7f", "\\u007f") + "\n"


def _result(result: Result) -> dict[str, Any]:
    obligation = result.obligation
    return {
        "id": obligation.id,
        "name": result.name,
        "kind": obligation.kind,
        "claim": obligation.claim,
        "about": list(obligation.about),
        "rules": list(obligation.rules),
        "wanted": obligation.wanted,
        "verdict": result.verdict,
        "words": _answer(result.decided.words),
        "play": _answer(result.decided.play),
        "why": result.why,
    }


def _answer(answer: Answer | None) -> dict[str, Any] | None:
    match answer:
        case None:
            return None
        case Never(how=how, scope=scope, by=by, using=using):
            return {
                "answer": "never",
                "how": how,
                "scope": scope,
                "any_size": of_any_size(answer),
                "by": list(by),
                "using": list(using),
            }
        case Sometimes(play=play, scope=scope, by=by):
            return {
                "answer": "sometimes",
                "events": None if play is None else len(play.happenings),
                "breaks": [] if play is None else list(play.broken),
                "scope": scope,
                "by": list(by),
            }
        case Unknown(why=why, disagree=disagree, scope=scope):
            return {"answer": "unknown", "why": why, "disagree": disagree, "scope": scope}
        case _:
            assert_never(answer)


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "obligation": finding.obligation,
        "kind": finding.kind,
        "claim": finding.claim,
        "where": finding.where,
        "says": finding.says,
        "about": list(finding.about),
        "clauses": [_cited(cited) for cited in finding.clauses],
        "kept_by": [_cited(cited) for cited in finding.kept_by],
        "region": list(finding.region),
        "looked": list(finding.looked),
        "accepted": finding.accepted,
        "witness": None if finding.witness is None else _witness(finding.witness),
    }


def _cited(cited: Cited) -> dict[str, Any]:
    return {"rule": cited.rule, "clause": cited.clause, "quote": cited.quote, "words": cited.words}


def _witness(witness: Witness) -> dict[str, Any]:
    return {
        "options": [{"name": name, "value": value} for name, value in witness.options],
        "played": witness.played,
        "moves": [
            {
                "number": move.number,
                "actor": move.actor or None,
                "event": move.event,
                "breaks": list(move.breaks),
            }
            for move in witness.moves
        ],
        "event": witness.event,
        "values": [{"name": name, "value": value} for name, value in witness.values],
        "conditions": to_dict(witness.conditions),
        "norms": to_dict(witness.norms),
        "decisions": to_dict(witness.decisions),
        "facts": to_dict(witness.facts),
    }
