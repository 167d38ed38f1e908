"""Explanations, traces, answers and clauses as text to read, and as JSON-ready data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

from verifier.check.clause import ClausePage, RuleOnClause, Word
from verifier.report.lines import Page, listed
from verifier.run.account import (
    CaseWord,
    Course,
    DecisionWord,
    Displacement,
    EventTrace,
    Explanation,
    Ground,
)
from verifier.run.ask import Answers, Governed, Owed, Ruled
from verifier.run.facts import Conjunct, Fact
from verifier.run.verdict import Short

COLUMN = 14
MARKS = {"yes": "yes", "no": "no ", "unknown": "?  "}
ENDINGS = {
    "arisen": "arises here",
    "pending": "is still owed",
    "performed": "is performed here",
    "skipped": "was passed over here",
    "late": "was not done in time",
    "otherwise": "is ended here by another amount than it demands",
    "lapsed": "is owed no more, though it was not done",
    "unclear": "may be owed",
}


def to_dict(value: object) -> Any:
    """Any of these data as what JSON has: objects, lists, strings, integers; a fraction as numerator and denominator.

    Raises `TypeError` for what is none of them.
    """
    match value:
        case None | bool() | int() | str():
            return value
        case Fraction():
            if value.denominator == 1:
                return value.numerator
            return {"numerator": value.numerator, "denominator": value.denominator}
        case tuple() | list():
            return [to_dict(item) for item in value]
        case Short(who=who, amount=amount):  # whose it is, the binding says
            return {"who": who, "amount": to_dict(amount)}
        case _ if is_dataclass(value):
            return {f.name: to_dict(getattr(value, f.name)) for f in fields(value)}
        case _:
            raise TypeError(f"{type(value).__name__} has no JSON form here")


# ------------------------------------------------------------------------------------------------ pieces
def _conditions(page: Page, conjuncts: Iterable[Conjunct], indent: int) -> None:
    for item in conjuncts:
        example = "" if item.example is None else f"   ({item.example})"
        why = "" if not item.why else f"   ({'; '.join(item.why)})"
        page.line(f"{MARKS[item.truth]} {item.text}{example}{why}", indent, hang=4)
        _conditions(page, item.parts, indent + 4)


def _facts(page: Page, facts: Iterable[Fact], indent: int, seen: set[str] | None = None) -> None:
    """Values with what they were made of, each once."""
    seen = set() if seen is None else seen
    for fact in facts:
        if fact.text in seen:
            continue
        seen.add(fact.text)
        rules = f"   by {listed(fact.rules)}" if fact.rules else ""
        why = f"   ({'; '.join(fact.why)})" if fact.why else ""
        page.line(f"{fact.text} = {fact.value}{rules}{why}", indent, hang=4)
        _facts(page, fact.read, indent + 2, seen)


def _displacement(page: Page, item: Displacement, indent: int) -> None:
    does = {"yes": "applies", "no": "does not apply", "unknown": "may apply"}[item.applies]
    if item.because == "otherwise":
        page.line(f"otherwise: {item.winner} {does}", indent, hang=4)
        return
    page.line(f"{item.loser} gives way to {item.winner}, which {does}   ({item.because})", indent, hang=4)


def _course(page: Page, course: Course, indent: int) -> None:
    page.pair("owed by", [" or ".join(course.roles)], COLUMN, indent)
    page.pair("owed", [" or ".join(course.owed)], COLUMN, indent)
    page.pair("due", [course.deadline], COLUMN, indent)
    if course.since is not None:
        page.pair("since", [course.since], COLUMN, indent)
    page.pair("outcome", [ENDINGS[course.ending]], COLUMN, indent)


def _ground(page: Page, ground: Ground, indent: int = 2) -> None:
    page.line(f"rule {ground.rule} “{ground.quote}”", indent, "quote", 2)
    does = {"yes": "applies", "no": "does not apply", "unknown": "may apply"}[ground.applies]
    page.line(f"{ground.says}   — {does}", indent + 2, hang=2)
    if ground.binding:
        page.line(
            "with " + ", ".join(f"{name} = {value}" for name, value in ground.binding), indent + 2, hang=2
        )
    _conditions(page, ground.condition, indent + 4)
    if ground.facts:
        page.line("read:", indent + 2)
        _facts(page, ground.facts, indent + 4)
    for item in (*ground.displaced_by, *ground.displaces):
        if item.applies != "no" or len(ground.displaced_by) <= 2:
            _displacement(page, item, indent + 2)
    if ground.course is not None:
        _course(page, ground.course, indent + 2)
    page.pair("reading", ground.readings, COLUMN, indent + 2)


def _decision(page: Page, decision: DecisionWord, indent: int = 2) -> None:
    value = decision.value if decision.value is not None else "undefined"
    due = {
        "yes": "",
        "no": ", and no answer is due",
        "unknown": ", and it is not certain that an answer is due",
    }
    page.line(f"{decision.text} = {value}{due[decision.due]}", indent, "head", 2)
    for why in decision.why:
        page.line(why, indent + 2, hang=2)
    if decision.due != "yes":
        for asking in decision.asked:
            page.line(f"an answer is due by {asking.rule} when", indent + 2)
            _conditions(page, asking.condition, indent + 4)
    others: list[str] = []
    for case in decision.cases:
        if case.applies == "no" and not case.displaced_by:
            others.append(case.rule)
        else:
            _case(page, case, indent + 2)
    if others:
        page.line(f"does not apply: {', '.join(others)}", indent + 2, "dim", 2)
    if decision.facts:
        page.line("read:", indent + 2)
        _facts(page, decision.facts, indent + 4)


def _case(page: Page, case: CaseWord, indent: int) -> None:
    does = {"yes": "applies", "no": "does not apply", "unknown": "may apply"}[case.applies]
    page.line(f"{case.rule} says {case.value}, {does}   “{case.quote}”", indent, hang=2)
    _conditions(page, case.condition, indent + 2)
    for item in case.displaced_by:
        _displacement(page, item, indent + 2)


# ---------------------------------------------------------------------------------------- explanations
def explanation_text(explanation: Explanation, width: int = 100, colour: bool = False) -> str:
    """Why a judgement came out as it did, as text."""
    page = Page(width, colour)
    event = explanation.event or "the end of a life"
    actor = f"{explanation.actor}: " if explanation.actor else ""
    page.line(f"{actor}{event}", style="head", hang=2)
    rules = f" {listed(explanation.rules)}" if explanation.rules else ""
    page.line(f"{explanation.verdict} ({explanation.kind}){rules}", 2, "bad", 2)
    if explanation.required:
        page.pair("required", [" or ".join(explanation.required)], COLUMN, 2)
    if explanation.short is not None:
        page.pair("short", [f"{explanation.short.who} by {explanation.short.amount}"], COLUMN, 2)
    page.pair("why", explanation.reasons, COLUMN, 2)
    if explanation.note:
        page.pair("note", [explanation.note], COLUMN, 2)
    shown = {case.unit for d in explanation.decisions for case in d.cases if case.applies != "no"}
    for ground in explanation.grounds:
        if ground.unit not in shown:
            page.line()
            _ground(page, ground)
    for decision in explanation.decisions:
        page.line()
        _decision(page, decision)
    return page.text()


def trace_text(trace: EventTrace, width: int = 100, colour: bool = False) -> str:
    """Everything the rules had to say at one event, as text."""
    page = Page(width, colour)
    page.line(f"{trace.number}. {trace.actor}: {trace.event}", style="head", hang=2)
    if not trace.judgements:
        page.line("in order", 2, "good")
    for judgement in trace.judgements:
        page.line(f"{judgement.verdict} ({judgement.kind}) {listed(judgement.rules)}", 2, "bad", 2)
    for norm in trace.norms:
        page.line()
        _ground(page, norm.ground)
    for duty in trace.duties:
        page.line()
        bound = ", ".join(f"{name} = {value}" for name, value in duty.binding)
        page.line(f"duty {duty.rule}{f' with {bound}' if bound else ''}", 2, "quote", 2)
        _course(page, duty.course, 4)
    for decision in trace.decisions:
        page.line()
        _decision(page, decision)
    return page.text()


def answers_text(answers: Answers, width: int = 100, colour: bool = False) -> str:
    """Everything the rules say at one point, as text."""
    page = Page(width, colour)
    page.line("Decided", style="head")
    for decision in answers.decisions:
        _decision(page, decision)
    if not answers.decisions:
        page.line("no answer is due", 2)
    page.heading("Owed")
    for owed in answers.owed:
        _owed(page, owed)
    if not answers.owed:
        page.line("nothing", 2)
    page.heading("May and must not")
    for governed in answers.governed:
        _governed(page, governed)
    for actor, events in answers.free:
        page.line(f"{actor}: no rule speaks here of {', '.join(events)}", 2, "dim", 4)
    if answers.left_out:
        page.line(f"{answers.left_out} or more sets of arguments were left out", 2)
    return page.text()


def _owed(page: Page, owed: Owed) -> None:
    may = "may owe" if owed.why else "must"
    page.line(f"{' or '.join(owed.roles)} {may} {' or '.join(owed.acts)} {owed.deadline}", 2, "head", 4)
    page.line(f"rule {owed.rule} “{owed.quote}”", 4, "quote", 2)
    for why in owed.why:
        page.line(why, 4, hang=2)
    if owed.reported:
        page.line("its breach is reported already", 4)


def _governed(page: Page, governed: Governed) -> None:
    page.line(f"{governed.actor}: {governed.event}", 2, "head", 4)
    if governed.closed_by:
        page.line(f"only what is permitted or demanded: {'; '.join(governed.closed_by)}", 4, "dim", 4)
    for word in governed.words:
        _ruled(page, word)
    if governed.closed_by and not any(w.force == "may" for w in governed.words):
        page.line("none is permitted now", 4)
    if governed.left_out:
        page.line(f"{governed.left_out} or more were left out", 4)


def _ruled(page: Page, word: Ruled) -> None:
    when = f" when {' and '.join(word.when)}" if word.when else ""
    sure = "" if not word.why else " (perhaps)"
    page.line(f"{word.force}{sure} {word.act}{when}   by {word.rule}", 4, hang=4)
    for why in word.why:
        page.line(why, 6, hang=2)
    _facts(page, word.facts, 6)


# ------------------------------------------------------------------------------------------------ clauses
def clause_text(clause: ClausePage, width: int = 100, colour: bool = False) -> str:
    """A clause of the law with the rules on it, as text."""
    page = Page(width, colour)
    heading = f" {clause.heading}" if clause.heading and clause.heading not in clause.address else ""
    page.line(f"{clause.law_title}, {clause.address}{heading}", style="head", hang=2)
    for above in clause.above:
        page.line(f"{above.address} {above.words or above.heading or ''}", 2, "dim", 2)
    page.line(f"{clause.address} {_said(clause.intro)}", 2, "quote", 2)
    for below in clause.below:
        page.line(f"{below.address} {below.words or below.heading or ''}", 4, "dim", 2)
    if clause.tail:
        page.line(_said(clause.tail), 2, "quote", 2)
    if clause.rules:
        page.pair("not quoted", [f"“{run}”" for run in clause.not_quoted], COLUMN, 2)
    else:
        page.line("no rule stands on this clause itself", 2)
    page.pair("refers to", [_reference(m.words, m.addresses, m.status, m.elsewhere) for m in clause.mentions],
              COLUMN, 2)  # fmt: skip
    page.pair("referred to", [f"by {m.where}: “{m.words}”" for m in clause.mentioned_by], COLUMN, 2)
    page.pair("named", [f"by rule {n.rule} ({n.how})" for n in clause.named_by], COLUMN, 2)
    for rule in clause.rules:
        _rule(page, rule)
    return page.text()


def _said(words: tuple[Word, ...]) -> str:
    return " ".join(word.text for word in words)


def _reference(words: str, addresses: tuple[str, ...], status: str, elsewhere: str | None) -> str:
    where = f" in {elsewhere}" if elsewhere else ""
    at = f": {', '.join(addresses)}" if addresses else ""
    lost = " (there is no such clause)" if status == "dangling" else ""
    return f"“{words}”{at}{where}{lost}"


def _rule(page: Page, rule: RuleOnClause) -> None:
    page.heading(f"rule {rule.id}  ({rule.file}:{rule.line})")
    for line in rule.text:
        page.raw(line, 2)
    given: list[str] = []
    for item in rule.given:
        of = f", for {listed(item.of)}" if item.of else ""
        given.append(f"{item.condition}   (handed down by {item.by}{of})")
    page.pair("given", given, COLUMN, 2)
    said = [f"{one.name}, which the law does not say: {one.reason}" for one in rule.supplied]
    page.pair("supplied", said, COLUMN, 2)
    for direction in ("gives way to", "goes before"):
        others: dict[str, list[str]] = {}
        for edge in rule.edges:
            if edge.direction == direction:
                linked = ", ".join(f"{theirs} is {mine}" for theirs, mine in edge.links if theirs != mine)
                words = edge.words + (f"; {linked}" if linked else "")
                others.setdefault(words, []).append(edge.other)
        page.pair(
            direction, [f"{', '.join(names)}   ({words})" for words, names in others.items()], COLUMN, 2
        )
