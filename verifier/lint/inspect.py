"""Lint of one ruleset: it is loaded and lowered, never run, and then looked over."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from verifier.errors import InternalError, VerifierError
from verifier.lint.finding import Finding, Inspected
from verifier.lint.law import clauses_with_words, law_findings
from verifier.lint.layers import layer_findings
from verifier.lint.use import use_findings


def lint(name: str | Path, search: Sequence[Path] = ()) -> Inspected:
    """Every error of the ruleset `name` (as `verifier.model.load.load` takes it) or, without errors, its warnings.

    A ruleset that is not to be found is an error of this kind too. Raises `InternalError` only.
    """
    from verifier.check.schema import bind
    from verifier.core.lower import lower
    from verifier.model.load import load

    try:
        ruleset = load(name, search)
        program = lower(ruleset)
        bind(ruleset)
    except InternalError:
        raise
    except VerifierError as error:
        return Inspected(str(name), tuple(Finding("error", problem) for problem in error.problems))
    problems = [*law_findings(ruleset), *use_findings(program), *layer_findings(ruleset)]
    own = [rule for rule in ruleset.rules.values() if rule.module == ruleset.sources[-1].path]
    return Inspected(
        str(name),
        tuple(Finding("warning", problem) for problem in problems),
        len(own),
        0 if ruleset.law is None else len(clauses_with_words(ruleset.law)),
    )
