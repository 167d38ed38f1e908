"""A round as it was played, step by step: the picture, what the rules had to say, and what rests on what."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from markupsafe import Markup

from verifier.check.played import Played, Step
from verifier.report.explain import ENDINGS
from verifier.report.html.draw import Money, Painted, drawing, words
from verifier.report.html.words import logged, own
from verifier.report.money import money
from verifier.report.text import MEANING, UNCLEAR
from verifier.run.account import CaseWord, DecisionWord, Ground
from verifier.run.facts import Conjunct, Fact
from verifier.run.verdict import Judgement
from verifier.run.view import Drawn

FACTS = 24
"""So many numbers stand beside a step."""

SAID = {"yes": "applies", "no": "does not apply", "unknown": "may apply"}

CONJUNCTS = 12

EXTRAS = 24
"""So many of the operator's own columns stand beside a step; how many more there are is said."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A scene drawn, with its title and the same in words."""

    title: str
    svg: Markup
    words: str


@dataclass(frozen=True, slots=True)
class Painter:
    """Shows the rounds of one log: its amounts as `shown` writes them, and each thing painted once."""

    shown: Money
    painted: Painted = field(default_factory=Painted)

    @staticmethod
    def of(currency: str, exponent: int) -> Painter:
        """One that writes amounts out in a currency."""
        return Painter(partial(money, currency=currency, exponent=exponent))

    def view(self, played: Played) -> dict[str, Any]:
        """What the template of a round shows, but for its key."""
        return round_view(played, "", self)


def round_view(played: Played, key: str, painter: Painter) -> dict[str, Any]:
    """What the template of a round shows; `key` tells it from others on a page. All texts are inert."""
    steps = [_step(step, n, painter) for n, step in enumerate(played.steps, 1)]
    at_fault = next(
        (n for n, step in enumerate(played.steps, 1) if step.entries), len(steps) if played.passed else 1
    )
    keys = [f"{life} {key}" for life, key in played.lives if key is not None]
    table = [] if played.table is None else [f"table {played.table}"]
    return {
        "key": key,
        "title": logged(", ".join([*table, *keys]) or "the log"),
        "part": played.part,
        "steps": steps,
        "first": at_fault,
        "passed": list(played.passed),
        "faults": sorted({*played.entries}),
        "file": logged(played.steps[0].file) if played.steps else "",
        "lines": f"{played.steps[0].line}–{played.steps[-1].line}"
        if played.steps and played.steps[0].line
        else "",
    }


def _step(step: Step, number: int, painter: Painter) -> dict[str, Any]:
    shown = painter.shown
    trace = step.trace
    event = step.event
    values = [f"{logged(v.name)}={_value(v.text, v.amount, shown)}" for v in event.values]
    applied = [w for w in trace.norms if w.ground.applies != "no"]
    idle = [w for w in trace.norms if w.ground.applies == "no"]
    grounds = [w.ground for w in applied]
    return {
        "number": number,
        "seq": step.seq,
        "line": step.line,
        "at": "" if step.at is None else logged(step.at),
        "actor": logged(event.actor),
        "event": event.event,
        "said": " ".join(values),
        "entries": list(step.entries),
        "fault": bool(step.entries) or (step.line is None and bool(trace.judgements)),
        "pictures": [picture_of(drawn, step.touched, shown, painter.painted) for drawn in step.drawn],
        "judged": [_judged(j) for j in trace.judgements],
        "norms": [_norm(w.force, w.ground) for w in applied],
        "idle": [(w.force, w.ground.rule) for w in idle],
        "duties": [
            {
                "rule": w.rule,
                "binding": logged(", ".join(f"{n} = {v}" for n, v in w.binding)),
                "roles": " or ".join(w.course.roles),
                "owed": logged(" or ".join(w.course.owed)),
                "deadline": w.course.deadline,
                "since": "" if w.course.since is None else logged(w.course.since),
                "ending": w.course.ending,
                "says": ENDINGS[w.course.ending],
            }
            for w in trace.duties
        ],
        "decisions": [_decision(d) for d in trace.decisions],
        "gives": _gives(grounds, trace.decisions),
        "extras": [(own(name), own(value)) for name, value in step.extras[:EXTRAS]],
        "extras_more": max(0, len(step.extras) - EXTRAS),
        "facts": _facts(
            [f for g in grounds for f in g.facts] + [f for d in trace.decisions for f in d.facts]
        ),
    }


def picture_of(drawn: Drawn, touched: Iterable[str], shown: Money, painted: Painted | None = None) -> Picture:
    """A scene as a page shows it."""
    return Picture(
        drawn.title, Markup(drawing(drawn, touched, shown, painted)), logged(words(drawn, shown, painted))
    )


def _value(text: str | None, amount: Any, shown: Money) -> str:
    if amount is not None:
        return shown(amount)
    return "any" if text is None else logged(text)


def _judged(judgement: Judgement) -> dict[str, Any]:
    unclear = UNCLEAR.get(judgement.verdict)
    said = MEANING[judgement.kind] if unclear is None else f"{unclear} ({judgement.kind})"
    return {
        "verdict": judgement.verdict,
        "what": said,
        "rules": judgement.rules,
        "note": logged(judgement.note),
    }


def _norm(force: str, ground: Ground) -> dict[str, Any]:
    return {
        "force": force,
        "rule": ground.rule,
        "quote": ground.quote,
        "says": logged(ground.says),
        "applies": SAID[ground.applies],
        "condition": [_conjunct(c) for c in ground.condition[:CONJUNCTS]],
    }


def _conjunct(conjunct: Conjunct) -> tuple[str, str]:
    example = "" if conjunct.example is None else f" ({conjunct.example})"
    return conjunct.truth, logged(conjunct.text + example)


def _decision(decision: DecisionWord) -> dict[str, Any]:
    return {
        "text": logged(decision.text),
        "value": "no value" if decision.value is None else logged(decision.value),
        "why": [logged(w) for w in decision.why],
        "cases": [_case(case) for case in decision.cases if _matters(case)],
        "others": sum(1 for case in decision.cases if not _matters(case)),
    }


def _matters(case: CaseWord) -> bool:
    """Whether a case applies, may, or would but for a rule that displaces it."""
    return case.applies != "no" or any(d.applies != "no" for d in case.displaced_by)


def _case(case: CaseWord) -> dict[str, Any]:
    return {
        "rule": case.rule,
        "quote": case.quote,
        "applies": SAID[case.applies],
        "value": logged(case.value),
        "displaced": [d.winner for d in case.displaced_by if d.applies != "no"],
    }


def _gives(grounds: Iterable[Ground], decisions: Iterable[DecisionWord]) -> list[str]:
    """What displaced what, once each."""
    found = [d for ground in grounds for d in (*ground.displaced_by, *ground.displaces)]
    found += [
        d for decision in decisions for case in decision.cases if _matters(case) for d in case.displaced_by
    ]
    lines = (f"{d.loser} gives way to {d.winner}: {d.because}" for d in found if d.applies == "yes")
    return list(dict.fromkeys(logged(line) for line in lines))


def _facts(facts: Iterable[Fact]) -> list[tuple[str, str]]:
    """The values that were read, outermost first, each once."""
    found: dict[str, str] = {}
    level = list(facts)
    while level:
        for fact in level:
            found.setdefault(fact.text, fact.value)
        level = [inner for fact in level for inner in fact.read]
    return [(logged(name), logged(value)) for name, value in list(found.items())[:FACTS]]
