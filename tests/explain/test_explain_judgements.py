"""Why a judgement came out as it did: conditions, values, displacements, the course of duties."""

from __future__ import annotations

import pytest
from explain_ferry import Table, mini, names, said

from verifier.run.account import Explanation, Ground
from verifier.run.bench import Happening
from verifier.run.explain import Explainer, explain
from verifier.run.facts import Conjunct, Fact, Reading, reason_words
from verifier.run.judge import Judge, Recording
from verifier.run.state import first_state
from verifier.run.undefined import Reason

DEALT = ("wager ann B1H1 initial 1000", "deal B1H1 As", "deal dealer 6h", "deal B1H1 7d")
PLAYED = (*DEALT, "play_over", "deal dealer Th")
FINISHED = (*PLAYED, "deal dealer 5h")
PAY = "pay ann/B1H1/initial 1000"
EARLY = (
    "wager ann B1H1 initial 1000",
    "deal B1H1 As",
    "deal dealer Ah",
    "deal B1H1 Kd",
    "ask_payment ann B1H1",
)


def only(table: Table, *texts: str) -> Explanation:
    (found,) = table.explained(*texts)
    return found


def truths(conjuncts: tuple[Conjunct, ...]) -> dict[str, str]:
    return {c.text: c.truth for c in conjuncts}


def values(facts: tuple[Fact, ...]) -> dict[str, str]:
    return {f.text: f.value for f in facts}


def ground(explanation: Explanation, rule: str) -> Ground:
    return next(g for g in explanation.grounds if g.rule == rule)


# -------------------------------------------------------------------------------------------- settlements
def test_a_false_settlement_names_the_rule_its_conditions_and_what_they_read() -> None:
    found = only(Table(), *FINISHED, PAY)
    assert (found.verdict, found.kind, found.rules) == ("broken", "settlement", ("5.1(g)",))
    assert found.event == "pay(Wager(ann, B1H1, initial), 1000)"
    rule = ground(found, "5.1(g)")
    assert rule.says == "outcome(w, d) = lose"
    assert rule.quote.startswith("lose if the dealer's point total exceeds the player's")
    assert truths(rule.condition) == {
        "w.kind = initial": "yes",
        "d.total > total(w.hand)": "yes",
        "total(w.hand) <= 21": "yes",
        "d.total <= 21": "yes",
    }
    read = values(rule.facts)
    assert read["total(B1H1)"] == "18"
    assert read["d.total"] == "21"
    cards = next(f for f in rule.facts if f.text == "total(B1H1)").read
    assert values(cards) == {"B1H1.cards": "Dealt(ace, spades, 1) Dealt(7, diamonds, 2)"}
    assert found.short is not None
    assert (found.short.who, found.short.amount) == ("the house", 1000)


def test_every_case_of_the_decision_is_shown() -> None:
    found = only(Table(), *FINISHED, PAY)
    outcome = found.decisions[0]
    assert outcome.text == "outcome(Wager(ann, B1H1, initial), Finish(21, no))"
    assert (outcome.value, outcome.due) == ("lose", "yes")
    applying = [c.rule for c in outcome.cases if c.applies == "yes"]
    assert applying == ["5.1(g)"]
    by = {c.rule: c for c in outcome.cases}
    assert len(by) == len(mini().decisions["outcome"].cases)
    assert truths(by["5.1(b)"].condition)["total(w.hand) > d.total"] == "no"
    assert "11.4 with 5.1(g)" in by


def test_a_displaced_rule_says_by_what_and_in_which_words() -> None:
    found = only(Table(), *EARLY, "pay ann/B1H1/initial 1500")
    settled = found if found.kind == "settlement" else None
    assert settled is not None
    odds = next(d for d in settled.decisions if d.text.startswith("odds("))
    assert odds.value == "1 to 1"
    displaced = next(c for c in odds.cases if c.rule == "5.4 [blackjack]")
    assert displaced.applies == "no"
    (by,) = displaced.displaced_by
    assert (by.winner, by.applies, by.because) == (
        "10.3(a)",
        "yes",
        "5.4 [blackjack]: subject to 10.3(a)",
    )
    assert set(truths(displaced.condition).values()) == {"yes"}


def test_otherwise_names_the_rules_it_waits_for() -> None:
    table = Table()
    table.play_all(*DEALT)
    table.judge.machine.enter(table.judge.state)
    decision = table.explainer.grounds.decision(mini().decisions["blackjack"], ((1, 1),))
    assert decision.value == "no"
    otherwise = decision.cases[1]
    assert otherwise.applies == "yes"
    assert otherwise.displaced_by == ()
    table.play_all("end_round", *EARLY)
    table.judge.machine.enter(table.judge.state)
    decision = table.explainer.grounds.decision(mini().decisions["blackjack"], ((1, 1),))
    assert decision.value == "yes"
    (by,) = decision.cases[1].displaced_by
    assert by.because == "otherwise"


def test_settling_early_shows_when_an_answer_is_due() -> None:
    found = only(Table(), *DEALT, PAY)
    assert found.kind == "early"
    outcome = found.decisions[0]
    assert outcome.due == "no"
    asked = next(a for a in outcome.asked if a.rule == "5.1")
    assert truths(asked.condition) == {
        "w.kind = initial": "yes",
        "players_done": "no",
        "dealer has 2 cards or more": "no",
    }


# ----------------------------------------------------------------------------- prohibitions, permissions
def test_a_forbidden_act_and_the_rule_it_displaces() -> None:
    blackjack = ("wager ann B1H1 initial 1000", "deal B1H1 As", "deal dealer 6h", "deal B1H1 Kd")
    found = only(Table(), *blackjack, "play_over", "deal dealer Th", "deal dealer 5h")
    assert (found.kind, found.rules) == ("forbidden", ("13.4",))
    rule = ground(found, "13.4")
    assert truths(rule.condition) == {
        "players_done": "yes",
        "dealer has 2 cards or more": "yes",
        "moot": "yes",
    }
    assert values(rule.facts)["dealer.cards"] == "Dealt(6, hearts, 1) Dealt(10, hearts, 2)"
    (displaced,) = rule.displaces
    assert (displaced.loser, displaced.because) == ("13.3 [draw]", "13.3 [draw]: except 13.4")


def test_an_act_that_no_permission_permits_shows_what_it_wants() -> None:
    found = only(Table(), *DEALT, "ask_payment ann B1H1")
    assert (found.kind, found.rules) == ("not permitted", ("10.3(a)",))
    rule = ground(found, "10.3(a)")
    assert rule.applies == "no"
    assert dict(rule.binding) == {"p": "ann", "h": "B1H1"}
    wanted = truths(rule.condition)
    assert wanted["blackjack(h)"] == "no"
    assert wanted["dealer.cards[1].rank = ace"] == "no"
    blackjack = next(f for f in rule.facts if f.text == "blackjack(B1H1)")
    assert (blackjack.value, blackjack.rules) == ("no", ("1.0 [Blackjack]",))


def test_a_lawful_act_has_nothing_to_explain() -> None:
    assert Table().explained(*EARLY) == []


# ------------------------------------------------------------------------------------------------- duties
def test_a_duty_passed_over_shows_its_course() -> None:
    found = only(Table(), *PLAYED, PAY)
    rule = ground(found, "13.3 [draw]")
    assert rule.course is not None
    assert rule.course.roles == ("dealer",)
    assert rule.course.owed == ("deal(dealer, any)",)
    assert rule.course.deadline == "at once"
    assert rule.course.since == "event 6, deal(dealer, Th)"
    assert rule.course.ending == "skipped"
    assert [(d.winner, d.applies) for d in rule.displaced_by] == [("13.4", "no")]
    assert values(rule.facts)["total(dealer)"] == "16"


def test_without_tracking_a_course_does_not_know_since_when() -> None:
    table = Table()
    judge = Judge(mini(), {})
    for text in PLAYED:
        judge.step(table.happening(text))
    last = table.happening(PAY)
    (judgement,) = judge.step(last)
    course = explain(judge, judgement, last).grounds[0].course
    assert course is not None
    assert (course.since, course.ending) == (None, "skipped")


def test_a_duty_not_done_in_time_names_the_acts_that_would_have_done() -> None:
    start = ("wager ann B1H1 initial 100", "deal B1H1 8h", "deal B1H1 8s", "split ann B1H1 100")
    found = only(Table(), *start, "wager bob B1H1 initial 100", "deal B1H1 9c")
    assert (found.kind, found.rules) == ("late", ("14.3(d)",))
    rule = ground(found, "14.3(d)")
    assert dict(rule.binding) == {"p": "bob", "h": "B1H1"}
    assert rule.course is not None
    assert rule.course.owed == ("split(bob, B1H1, any)", "designate(bob, B1H1)")
    assert rule.course.deadline == "before deal(any, any)"
    assert rule.course.since == "event 5, wager(bob, B1H1, initial, 100)"
    assert rule.course.ending == "late"
    read = values(rule.facts)
    assert read["B1H1.split_from"] == "8"
    assert read["stake(bob, B1H1, initial)"] == "100"
    assert read["designate(bob, B1H1) has happened this round"] == "no"


def test_an_act_of_the_wrong_actor_says_who_should_have_acted() -> None:
    found = only(Table(), "player: deal B1H1 As")
    assert found.kind == "actor"
    assert found.required == ("deal(dealer)",)


def test_an_impossible_event_has_its_note() -> None:
    table = Table()
    found = table.explained(*["deal B1H1 2h"] * 23)[0]
    assert found.kind == "impossible"
    assert found.note == "a list holds 22 at most"
    assert found.grounds == ()


# ------------------------------------------------------------------------------------- what cannot be told
def test_what_the_log_does_not_record_is_unknown_and_says_why() -> None:
    judge = Judge(mini(), {}, Recording(absent=frozenset({"play_over"})))
    explainer = Explainer(judge)
    table = Table()
    for text in DEALT:
        explainer.step(table.happening(text))
    judge.machine.enter(judge.state)
    decision = explainer.grounds.decision(mini().decisions["outcome"], (("ann", (1, 1), 0), (22, False)))
    assert decision.due == "no"
    explainer.step(table.happening("deal dealer Th"))
    judge.machine.enter(judge.state)
    decision = explainer.grounds.decision(mini().decisions["outcome"], (("ann", (1, 1), 0), (22, False)))
    assert decision.due == "unknown"
    done = next(c for c in decision.asked[0].condition if c.text == "players_done")
    assert (done.truth, done.why) == ("unknown", ("the log does not record play_over",))


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (Reason("gap", "outcome"), "no rule gives outcome here"),
        (
            Reason("conflict", "outcome", ("5.1(a) #1", "11.4 #2 with 5.1(b)")),
            "5.1(a) and 11.4 with 5.1(b) give outcome different values",
        ),
        (Reason("absent", "element 1"), "there is no element 1"),
        (Reason("option", "decks"), "the option decks is not stated"),
        (Reason("unrecorded", "stand"), "the log does not record stand"),
        (Reason("history", "shuffle"), "shuffle may have been before the log began"),
        (Reason("impossible", "deal"), "deal could not have happened"),
    ],
)
def test_reasons_in_words(reason: Reason, words: str) -> None:
    assert reason_words(reason, mini().ruleset) == words


def test_a_quantifier_shows_the_element_that_settles_it() -> None:
    table = Table()
    table.play_all(*DEALT, "deal B2H1 4c")
    table.judge.machine.enter(table.judge.state)
    reading = Reading(table.judge.bench, names())
    for text, truth, example in (
        ("some x in hands: x has 1 card", "yes", "x = B2H1"),
        ("every x in hands: x has 2 cards", "no", "x = B2H1"),
        ("none x in hands: x has 2 cards", "no", "x = B1H1"),
        ("some x in hands: x has 9 cards", "no", None),
        ("some x in hands: some c in x.cards: c.rank = 4", "yes", "x = B2H1, c = Dealt(4, clubs, 1)"),
    ):
        term, _ = said(text, {})
        found = reading.conjunct(term, {})
        assert (found.truth, found.example) == (truth, example), text


def test_the_sides_of_an_or_have_truths_of_their_own() -> None:
    table = Table()
    table.play_all(*DEALT)
    table.judge.machine.enter(table.judge.state)
    term, _ = said("players_done or dealer has 1 card", {})
    found = Reading(table.judge.bench, names()).conjunct(term, {})
    assert found.truth == "yes"
    assert truths(found.parts) == {"players_done": "no", "dealer has 1 card": "yes"}


# ----------------------------------------------------------------------------------- nothing is disturbed
def test_explaining_changes_no_verdict_and_no_count() -> None:
    texts = (*PLAYED, PAY, "deal dealer 5h", PAY, "end_round", *EARLY, "pay ann/B1H1/initial 1500")
    table = Table()
    silent = Judge(mini(), {})
    for text in texts:
        happening: Happening = table.happening(text)
        plainly = silent.step(happening)
        told = table.play(text)
        for judgement in told:
            table.explainer.explain(judgement, happening)
        assert told == plainly
    assert table.judge.tallies == silent.tallies
    assert table.judge.why_not == silent.why_not
    assert first_state(mini().ruleset).fields.keys() == table.judge.state.fields.keys()
