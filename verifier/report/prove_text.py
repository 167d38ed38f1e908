"""A proof as text to read: a line for each obligation as it is decided, then every finding in full."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import assert_never

from verifier.check.result import RulesetResult
from verifier.errors import escaped
from verifier.prove.finding import Applied, Cited, Finding, Witness
from verifier.prove.prove import VERDICTS, Proof, Result, Verdict
from verifier.prove.question import Answer, Never, Sometimes, Unknown
from verifier.report.lines import STYLES, Page, count
from verifier.run.account import CaseWord, DecisionWord
from verifier.run.facts import Conjunct, Fact

VERDICT = 13
COLUMN = 14
"""Columns that a verdict takes, and the name of a part of a finding."""

FACTS = 24
"""So many of the values that a witness rests on are shown; JSON has all."""

CASES = 6
"""So many of the rules that give no value are shown with what each lacks, the nearest first."""

STATED = ("theorem", "invariant", "reachable")
"""Kinds of obligation that somebody wrote, beside those that write themselves."""

COLOURS: dict[Verdict, str] = {
    "proved": "good",
    "accepted": "good",
    "refuted": "bad",
    "undecided": "doubt",
    "disagreement": "bad",
}

NOT_PLAYED = "whether any play leads there was not shown"

HOW = {"typed": "every typed state", "induction": "by induction", "exhaustion": "every state visited"}


def text(proof: Proof, width: int = 100, colour: bool = False, timings: bool = False) -> str:
    """The whole of it; the same proof always gives the same text but for its counts of queries."""
    lines = Lines(colour)
    shown = "".join(lines.line(result) for result in proof.results)
    return opening(proof.about, width) + shown + closing(proof, lines, width, timings)


def opening(about: RulesetResult, width: int = 100) -> str:
    """What is about to be proved."""
    page = Page(width)
    page.pair("Ruleset", [about.name, f"  sha256:{about.digest}"], COLUMN)
    if about.law is not None:
        since = "" if about.in_force is None else f", in force from {about.in_force}"
        page.pair("Law", [f"{about.law}: {about.law_title}{since}", f"  sha256:{about.law_digest}"], COLUMN)
    page.line()
    return page.text()


# ---------------------------------------------------------------------------------------- a line for each
@dataclass(slots=True)
class Lines:
    """The lines of obligations as they are decided. Scopes are named by letters, which the end explains."""

    colour: bool = False
    scopes: dict[str, str] = field(default_factory=dict)

    def line(self, result: Result) -> str:
        """Verdict, name, claim and how it was told on one line, with its newline."""
        verdict = result.verdict.ljust(VERDICT)
        if self.colour:
            verdict = f"\x1b[{STYLES[COLOURS[result.verdict]]}m{verdict}\x1b[0m"
        how = self.how(result)
        told = f"  [{how}]" if how else ""
        return f"{verdict}{escaped(f'{result.name}: {result.obligation.claim}{told}')}\n"

    def how(self, result: Result) -> str:
        """How it was told: once where words and play are alike, else one after the other."""
        asked = (("words", result.decided.words), ("play", result.decided.play))
        told = {mode: self._answer(answer) for mode, answer in asked if answer is not None}
        if result.obligation.kind == "dead rule" and result.verdict == "proved":
            match result.decided.words:
                case Sometimes(play=None):
                    told["words"] += f"; {NOT_PLAYED}"
                case _:
                    pass
        if len(set(told.values())) == 1:
            return next(iter(told.values()))
        return "; ".join(f"in {mode}: {how}" for mode, how in told.items())

    def _answer(self, answer: Answer) -> str:
        match answer:
            case Never(how=how, scope=scope, by=by, using=using):
                needs = f" with {', '.join(using)}" if using else ""
                return f"never: {HOW[how]}{needs}{self._scope(scope)}, {', '.join(by)}"
            case Sometimes(play=None, scope=scope):
                return f"so in a typed state{self._scope(scope)}"
            case Sometimes(play=play, scope=scope):
                assert play is not None
                broken = f", which breaks {', '.join(play.broken)}" if play.broken else ""
                after = count(len(play.happenings), "event") if play.happenings else "nothing"
                return f"so after {after}{broken}{self._scope(scope)}"
            case Unknown(why=why):
                return why
            case _:
                assert_never(answer)

    def letter(self, scope: str) -> str:
        """The letter of a scope."""
        return self.scopes.setdefault(scope, _letter(len(self.scopes)))

    def _scope(self, scope: str) -> str:
        return f", scope {self.letter(scope)}" if scope else ""


def _letter(number: int) -> str:
    return chr(ord("A") + number) if number < 26 else f"A{number - 25}"


# ------------------------------------------------------------------------------------------------ the end
def closing(proof: Proof, lines: Lines, width: int = 100, timings: bool = False) -> str:
    """What comes after the lines: findings, theorems, what is undecided, scopes, and how many came out how."""
    page = Page(width, lines.colour)
    _findings(page, "Findings", [f for f in proof.findings if f.accepted is None])
    _findings(page, "Accepted findings", [f for f in proof.findings if f.accepted is not None])
    _stated(page, proof)
    _open(page, proof)
    if lines.scopes:
        page.heading("Scopes")
    for scope, letter in lines.scopes.items():
        page.pair(letter, [scope], 4, 1)
    if timings:
        page.heading("Slowest")
        for result in proof.slowest:
            page.line(f"{result.seconds:8.2f} s  {result.name}")
    _summary(page, proof)
    return page.text()


def _stated(page: Page, proof: Proof) -> None:
    stated = [result for result in proof.results if result.obligation.kind in STATED]
    if stated:
        page.heading("Theorems")
    for result in stated:
        page.line(f"{result.verdict.ljust(VERDICT)}{result.name}: {result.obligation.claim}", 1, hang=VERDICT)
        for line in result.obligation.about:
            page.line(line, 1 + VERDICT, "dim", 2)


def _open(page: Page, proof: Proof) -> None:
    for verdict, title in (
        ("undecided", "Undecided"),
        ("disagreement", "Answers that contradict each other"),
    ):
        results = [result for result in proof.results if result.verdict == verdict]
        if results:
            page.heading(title)
        for result in results:
            page.line(f"{result.name}: {result.obligation.claim}", 1, hang=4)
            if result.why is not None:
                page.line(result.why, 5, hang=2)


def _summary(page: Page, proof: Proof) -> None:
    page.heading("Summary")
    for kind, tally in proof.kinds.items():
        told = ", ".join(f"{tally[verdict]:,} {verdict}" for verdict in VERDICTS if tally[verdict])
        page.pair(kind, [told], 26, 1)
    page.line()
    counts = proof.counts
    part = f" (of {proof.total:,}: only {', '.join(proof.only)})" if proof.only else ""
    told = ", ".join(f"{counts[verdict]:,} {verdict}" for verdict in VERDICTS if counts[verdict])
    page.line(
        f"{count(len(proof.results), 'obligation')}{part}: {told or 'none'}.", style=_style(proof), hang=3
    )
    if proof.bounded:
        page.line(
            f"Of those proved {count(proof.bounded, 'holds', 'hold')} within the scope that stands by it: that it is "
            "the same with more people and things is assumed.",
            hang=3,
        )
    if counts["refuted"]:
        page.line(
            'A known fault of the law is accepted in the ruleset: accepted finding NAME "reason".', hang=3
        )
    solvers = ", ".join(f"{name} {version}" for name, version in proof.solvers)
    page.line(f"By gazette-verifier {proof.version} with {solvers}.", hang=3)
    page.line(f"{count(proof.asked, 'question')} asked, {proof.cached:,} answered from the cache.", hang=3)


def _style(proof: Proof) -> str:
    counts = proof.counts
    if counts["refuted"] or counts["disagreement"]:
        return "bad"
    return "doubt" if counts["undecided"] else "good"


# ------------------------------------------------------------------------------------------------ findings
def _findings(page: Page, title: str, findings: list[Finding]) -> None:
    if findings:
        page.heading(title)
    for number, finding in enumerate(findings, 1):
        page.line()
        _finding(page, finding, number)


def finding_text(finding: Finding, width: int = 100, colour: bool = False) -> str:
    """One finding as the report shows it."""
    page = Page(width, colour)
    _finding(page, finding, None)
    return page.text()


def _finding(page: Page, finding: Finding, number: int | None) -> None:
    lead = "" if number is None else f"{number}. "
    style = "bad" if finding.accepted is None else "good"
    page.line(f"{lead}{finding.id} ({finding.kind}, {finding.where})", style=style, hang=4)
    page.line(f"What must hold: {finding.claim}.", 4, hang=4)
    page.line(finding.says, 4, hang=4)
    page.pair("accepted", [finding.accepted] if finding.accepted is not None else [], COLUMN, 4)
    for line in finding.about:
        page.line(line, 4, "dim", 4)
    for cited in finding.clauses:
        _cited(page, cited, 4)
    page.pair("exactly when", finding.region, COLUMN, 4)
    if finding.witness is not None:
        _witness(page, finding.witness, bool(finding.region))
    if finding.kept_by:
        page.line("but on the way these are broken:", 4)
    for cited in finding.kept_by:
        page.line(f"{cited.rule} “{cited.quote}”", 6, "quote", 4)
    page.pair("looked at", finding.looked, COLUMN, 4)


def _cited(page: Page, cited: Cited, indent: int) -> None:
    page.line(f"{cited.rule} “{cited.quote}”", indent, "quote", 4)
    if _plain(cited.words) != _plain(cited.quote) and cited.clause not in page.told:
        page.told.add(cited.clause)
        page.line(f"{cited.clause} in full: {cited.words}", indent + 4, "dim", 4)


def _plain(words: str) -> str:
    return " ".join(words.split()).strip(" .,;:")


def _witness(page: Page, witness: Witness, one_of: bool) -> None:
    if witness.moves:
        page.line("for example:" if one_of else "this play leads there:", 4)
        actors = max(len(move.actor) for move in witness.moves)
        digits = len(str(len(witness.moves)))
        for move in witness.moves:
            breaks = f"   breaks {', '.join(move.breaks)}" if move.breaks else ""
            page.line(
                f"{str(move.number).rjust(digits)}. {move.actor.ljust(actors)}  {move.event}{breaks}",
                6,
                "doubt" if move.breaks else None,
                digits + actors + 4,
            )
    elif witness.played:
        page.line("it is so before anything has happened:", 4)
    else:
        page.line("it is so in a state that the types allow (no play that leads there is shown):", 4)
    then = [witness.event] if witness.event is not None else []
    page.pair("then", then, COLUMN, 4)
    values = [f"{name} = {value}" for name, value in witness.values]
    page.pair("with", [", ".join(values)] if values else [], COLUMN, 4)
    for decision in witness.decisions:
        _decision(page, decision, 4)
    for norm in witness.norms:
        _norm(page, norm)
    for conjunct in () if witness.decisions else witness.conditions:
        page.pair("so that", [_conjunct(conjunct)], COLUMN, 4)
    _listed(page, "since", facts_of(witness))
    _listed(page, "options", [f"{name} = {value}" for name, value in witness.options], None)


def _norm(page: Page, norm: Applied) -> None:
    does = {"yes": "applies", "no": "does not apply", "unknown": "may apply"}[norm.applies]
    told = [c for c in norm.condition if norm.applies == "yes" or c.truth != "yes"]
    because = " and ".join(_conjunct(c) if c.truth == "yes" else f"not: {c.text}" for c in told)
    page.line(f"{norm.rule} {does}" + (f": {because}" if because else ""), 4, hang=4)


def facts_of(witness: Witness) -> list[str]:
    """The values that a witness rests on, each once, without those of its variables."""
    read = [*witness.facts, *(fact for decision in witness.decisions for fact in decision.facts)]
    told = {f"{name} = {value}" for name, value in witness.values}
    found = dict.fromkeys(f"{fact.text} = {fact.value}" for fact in _flat(read))
    return [text for text in found if text not in told]


def _listed(page: Page, name: str, items: list[str], most: int | None = FACTS) -> None:
    more = [] if most is None or len(items) <= most else [f"and {len(items) - most} more"]
    shown = [*items[:most], *more]
    page.pair(name, [", ".join(shown)] if shown else [], COLUMN, 4)


def _conjunct(conjunct: Conjunct) -> str:
    return conjunct.text if conjunct.example is None else f"{conjunct.text} ({conjunct.example})"


def _flat(facts: Iterable[Fact]) -> Iterator[Fact]:
    """What is read directly, then what stands behind it."""
    level = list(facts)
    while level:
        yield from level
        level = [inner for fact in level for inner in fact.read]


def _decision(page: Page, decision: DecisionWord, indent: int) -> None:
    value = decision.value if decision.value is not None else f"undefined ({'; '.join(decision.why)})"
    page.line(f"{decision.text} = {value}", indent, "head", 4)
    giving = [case for case in decision.cases if case.applies != "no"]
    for case in giving:
        because = " and ".join(_conjunct(c) for c in case.condition if c.truth == "yes")
        page.line(f"{case.rule} says {case.value}" + (f": {because}" if because else ""), indent + 2, hang=4)
    if giving:
        return
    ranked = sorted(decision.cases, key=lambda case: len(_lacking(case)))
    for case in ranked[:CASES]:
        page.line(
            f"{case.rule} would say {case.value}, but {' and '.join(_lacking(case))}", indent + 2, hang=4
        )
    if len(ranked) > CASES:
        page.line(f"{count(len(ranked) - CASES, 'more rule')} that {_lack(len(ranked) - CASES)}", indent + 2)


def _lack(number: int) -> str:
    return "does not apply" if number == 1 else "do not apply"


def _lacking(case: CaseWord) -> list[str]:
    """What keeps a rule from applying: conjuncts that do not hold, and rules that go before it."""
    lacking = [f"not: {c.text}" for c in case.condition if c.truth != "yes"]
    return lacking + [f"{d.winner} goes before it" for d in case.displaced_by]
