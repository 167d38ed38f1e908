"""A trace says, for one event, everything that the rules had to say."""

from __future__ import annotations

import pytest
from explain_ferry import Table, mini

from verifier.run.account import EventTrace
from verifier.run.explain import Explainer
from verifier.run.judge import Judge

PLAYED = (
    "wager ann B1H1 initial 1000",
    "deal B1H1 As",
    "deal dealer 6h",
    "deal B1H1 7d",
    "play_over",
    "deal dealer Th",
)


def traced(*texts: str) -> EventTrace:
    table = Table()
    for text in texts[:-1]:
        table.play(text)
    return table.trace(texts[-1])


def endings(trace: EventTrace) -> dict[str, str]:
    return {duty.rule: duty.course.ending for duty in trace.duties}


def test_a_duty_arises() -> None:
    found = traced(*PLAYED)
    assert endings(found) == {"13.3 [draw]": "arisen"}
    assert (found.number, found.event, found.actor) == (6, "deal(dealer, Th)", "dealer")


def test_a_duty_is_performed() -> None:
    found = traced(*PLAYED, "deal dealer 5h")
    assert endings(found) == {"13.3 [draw]": "performed"}
    assert found.duties[0].course.since == "event 6, deal(dealer, Th)"
    assert found.judgements == ()


def test_a_duty_is_passed_over() -> None:
    found = traced(*PLAYED, "pay ann/B1H1/initial 1000")
    assert endings(found) == {"13.3 [draw]": "skipped"}
    assert [j.kind for j in found.judgements] == ["skipped"]


def test_a_duty_stays_while_others_act() -> None:
    found = traced(*PLAYED, "stand ann B1H1")
    assert endings(found) == {"13.3 [draw]": "pending"}


def test_a_duty_lapses_with_its_life() -> None:
    split = ("wager ann B1H1 initial 100", "deal B1H1 8h", "deal B1H1 8s", "split ann B1H1 100")
    table = Table()
    table.play_all(*split[:2], "end_round", *split)
    table.play("wager bob B1H1 initial 100")
    waiting = table.trace("stand bob B1H1")
    assert endings(waiting) == {"14.3(d)": "pending"}
    assert dict(waiting.duties[0].binding) == {"p": "bob", "h": "B1H1"}
    found = table.trace("end_round")
    assert endings(found) == {"14.3(d)": "lapsed"}
    assert found.judgements == ()


def test_prohibitions_that_did_not_apply_are_there() -> None:
    found = traced(*PLAYED, "deal dealer 5h")
    words = {(n.force, n.ground.rule): n.ground.applies for n in found.norms}
    assert words == {("must not", "13.3 [stop]"): "no", ("must not", "13.4"): "no"}


def test_rules_on_other_hands_are_not() -> None:
    assert traced("deal B1H1 As").norms == ()


def test_a_permission_that_applied() -> None:
    found = traced(
        "wager ann B1H1 initial 1000",
        "deal B1H1 As",
        "deal dealer Ah",
        "deal B1H1 Kd",
        "ask_payment ann B1H1",
    )
    (word,) = found.norms
    assert (word.force, word.ground.rule, word.ground.applies) == ("may", "10.3(a)", "yes")
    assert endings(found) == {"10.3(a)": "arisen"}
    assert found.duties[0].course.owed == ("pay(Wager(ann, B1H1, initial), 1000)",)


def test_decisions_that_a_settlement_consulted() -> None:
    found = traced(*PLAYED, "deal dealer 5h", "collect ann/B1H1/initial")
    assert [(d.text, d.value) for d in found.decisions] == [
        ("outcome(Wager(ann, B1H1, initial), Finish(21, no))", "lose")
    ]


def test_tracing_needs_tracking() -> None:
    explainer = Explainer(Judge(mini(), {}))
    with pytest.raises(ValueError, match="tracking"):
        explainer.trace(Table().happening("shuffle"))
