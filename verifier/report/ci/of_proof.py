"""The findings of a proof: one an obligation that does not hold or is undecided, one an acceptance of no finding; one
case a clause."""

from __future__ import annotations

from collections.abc import Iterator

from verifier.coverage.phrases import covered
from verifier.errors import Problem
from verifier.model.ruleset import Rule, named
from verifier.prove.prove import Proof, Result
from verifier.report.ci.findings import Case, Finding, Level, Report, State, Subject, distinct, fingerprint

WHOLE = "the ruleset as a whole"
"""The case of obligations that speak of no rule."""


def of_proof(proof: Proof) -> Report:
    """The report of a proof. Accepted findings are noted, with the reason."""
    open_ = [_finding(proof, result) for result in proof.results if result.verdict != "proved"]
    findings = distinct([*open_, *(_of_text(proof, problem) for problem in proof.errors)])
    return Report("prove", proof.about.name, proof.version, findings, tuple(_cases(proof)), len(findings))


def _of_text(proof: Proof, problem: Problem) -> Finding:
    """What is wrong with the text of the ruleset: it accepts a finding that no longer occurs, or never did."""
    words = (
        "A finding that a ruleset accepts occurs: its acceptance would else hide the next one of that name."
    )
    return Finding(
        Subject(problem.code, problem.code.replace("-", " "), words),
        "error",
        _says(problem),
        problem.file,
        problem.line,
        problem.column,
        fingerprint((proof.about.name, problem.code, problem.message)),
    )


def _says(problem: Problem) -> str:
    return problem.message if problem.help is None else f"{problem.message}: {problem.help}"


def _finding(proof: Proof, result: Result) -> Finding:
    rule = next(iter(_rules(proof, result)), None)
    level: Level = "error"
    if result.verdict in ("undecided", "accepted"):
        level = "warning" if result.verdict == "undecided" else "note"
    kind = result.obligation.kind
    subject = Subject(kind, kind, f"An obligation of the kind “{kind}” holds of every rule that it is about.")
    if rule is not None:
        clause = proof.ruleset.laws[rule.module].clause(rule.address)
        name = named(rule.base, rule.address)
        subject = Subject(f"{kind} {name}", f"{kind}: {rule.quote}", clause.text)
    place = None if rule is None else rule.place
    found = result.finding
    return Finding(
        subject,
        level,
        f"{result.name}: {_words(result)}",
        proof.ruleset.sources[-1].path if place is None else place.file,
        None if place is None else place.line,
        None if place is None else place.column,
        fingerprint((proof.about.name, result.obligation.id)),
        None if found is None else found.accepted,
    )


def _rules(proof: Proof, result: Result) -> list[Rule]:
    rules = proof.ruleset.rules
    return [rules[name] for name in result.obligation.rules if name in rules]


def _words(result: Result) -> str:
    claim = result.obligation.claim
    if result.finding is not None:
        reason = f" Accepted: {result.finding.accepted}" if result.finding.accepted is not None else ""
        return f"{claim}. {result.finding.says}{reason}"
    return f"{claim}. {result.verdict}: {result.why or 'no reason is known'}"


def _cases(proof: Proof) -> Iterator[Case]:
    """One case a clause, in the order of the law: of those of the ruleset's own all that have words."""
    by: dict[str, list[Result]] = {}
    rules = proof.ruleset.rules
    for clause in covered(proof.ruleset):
        for address in [rules[name].address for name in clause.rules] or [clause.clause.address]:
            by.setdefault(address, [])
    for rule in rules.values():
        by.setdefault(named(rule.base, rule.address), [])
    by[WHOLE] = []
    for result in proof.results:
        names = {named(r.base, r.address) for r in _rules(proof, result)} or {WHOLE}
        for name in names:
            by.setdefault(name, []).append(result)
    for name, results in by.items():
        yield Case(name, *_state(results, proof.errors if name == WHOLE else (), bool(proof.only)))


def _state(results: list[Result], errors: tuple[Problem, ...], some: bool) -> tuple[State, tuple[str, ...]]:
    """What became of a clause; `some`: not all obligations were asked for."""
    bad = [r for r in results if r.verdict in ("refuted", "undecided", "disagreement")]
    if bad or errors:
        return "failed", (*(f"{r.name}: {_words(r)}" for r in bad), *map(_says, errors))
    if not results:
        return "skipped", (f"no obligation {'that was asked for ' if some else ''}speaks of it",)
    return "passed", ()
