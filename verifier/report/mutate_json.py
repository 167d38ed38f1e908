"""The mutants of a ruleset as JSON.

The document (`"gazette-mutate": 1`) is one object:

- `tool` {name, version}; `ruleset` {name, digest, law, law_title, law_digest, in_force};
- `only`: the patterns that limited what was tried, `mutants_total` how many there are with or without them;
- `transcripts`: how many there were; `passed_over`: by ruleset, those of other ones; `prover`: which one, or null;
  `exit_code`;
- `counts` {killed, refuted, proved, equivalent, refused, survived}: killed by a transcript, by an obligation that fails
  where transcripts lead, by a proof, proved to change nothing, refused by the loader, noticed by nothing;
- `mutants` [{id, kind, rule, clause, file, line, column, before, after, verdict, by, detail, reason,
  witness}] in the order of the text: `by` is the transcript, the obligation, the proof or the loader's code, `reason`
  why a survivor may survive, `witness` the text of a transcript that would kill it; each may be null.

Text is in JSON's own escapes, plain ASCII. The same mutants, transcripts and code give the same document.
"""

from __future__ import annotations

from typing import Any

from verifier.mutate.run import Mutation
from verifier.mutate.trial import Outcome
from verifier.report.document import begun, written

VERSION = 1
KEY = "gazette-mutate"


def document(mutation: Mutation) -> dict[str, Any]:
    """The whole result as a JSON object."""
    return {
        **begun(KEY, VERSION, mutation.version, mutation.about),
        "only": list(mutation.only),
        "mutants_total": mutation.total,
        "transcripts": mutation.transcripts,
        "passed_over": dict(sorted(mutation.passed_over.items())),
        "prover": mutation.prover,
        "exit_code": int(mutation.exit_code),
        "counts": dict(mutation.counts),
        "mutants": [
            _mutant(outcome, mutation.reasons.get(outcome.mutant.id)) for outcome in mutation.outcomes
        ],
    }


def document_text(mutation: Mutation) -> str:
    """The document, indented, with a newline at the end."""
    return written(document(mutation))


def _mutant(outcome: Outcome, reason: str | None) -> dict[str, Any]:
    mutant = outcome.mutant
    return {
        "id": mutant.id,
        "kind": mutant.kind,
        "rule": mutant.rule,
        "clause": mutant.clause,
        "file": mutant.place.file,
        "line": mutant.place.line,
        "column": mutant.place.column,
        "before": mutant.before,
        "after": mutant.after,
        "verdict": outcome.verdict,
        "by": outcome.by or None,
        "detail": outcome.detail or None,
        "reason": reason,
        "witness": outcome.witness or None,
    }
