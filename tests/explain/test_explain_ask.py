"""Everything the rules say at one point: decided, owed, permitted, forbidden."""

from __future__ import annotations

from pathlib import Path

from explain_ferry import MINI, Table

from verifier.core.lower import lower
from verifier.model.load import load
from verifier.run.ask import Answers, Governed, ask

EARLY = ("wager ann B1H1 initial 1000", "deal B1H1 As", "deal dealer Ah", "deal B1H1 Kd")

LIMIT = """
rule 9.1 "each player who has made an initial wager"
  option house_rule: bool
  player may stand(any, h) when house_rule and h.place > 0
rule 9.3(a) "not more than half the amount staked in the player's initial wager"
  player p must not wager(p, h, insurance, a) when 2 * a > stake(p, h, initial)
"""


def asked(*texts: str) -> Answers:
    table = Table()
    for text in texts:
        table.play(text)
    return ask(table.judge)


def governed(answers: Answers, actor: str, event: str) -> Governed:
    return next(g for g in answers.governed if (g.actor, g.event) == (actor, event))


# --------------------------------------------------------------------------------------------- decisions
def test_nothing_is_decided_before_an_answer_is_due() -> None:
    assert asked(*EARLY).decisions == ()


def test_a_decision_that_is_due_has_its_value_and_clauses() -> None:
    found = asked(*EARLY, "ask_payment ann B1H1").decisions
    assert [(d.text, d.value) for d in found] == [
        ("outcome(Wager(ann, B1H1, initial), Finish(11, no))", "win"),
        ("odds(Wager(ann, B1H1, initial), Finish(11, no))", "1 to 1"),
    ]
    assert [c.rule for c in found[0].cases if c.applies == "yes"] == ["10.3(a)"]


# ------------------------------------------------------------------------------------------------ duties
def test_duties_pending_with_their_deadline() -> None:
    (owed,) = asked(*EARLY, "ask_payment ann B1H1").owed
    assert (owed.rule, owed.roles, owed.deadline) == ("10.3(a)", ("dealer",), "at once")
    assert owed.acts == ("pay(Wager(ann, B1H1, initial), 1000)",)
    assert not owed.reported
    assert asked(*EARLY).owed == ()


def test_a_duty_broken_and_charged_is_marked() -> None:
    (owed,) = asked(*EARLY, "ask_payment ann B1H1", "shuffle").owed
    assert owed.reported


# --------------------------------------------------------------------------------------------- may, must not
def test_a_permission_closes_its_act_and_permits_what_it_says() -> None:
    found = governed(asked(*EARLY), "player", "ask_payment")
    assert found.closed_by == ("10.3(a) ask_payment(p, h)",)
    assert [(w.force, w.act, w.rule) for w in found.words] == [("may", "ask_payment(any, B1H1)", "10.3(a)")]


def test_a_closed_act_that_nothing_permits_now() -> None:
    found = governed(asked("wager ann B1H1 initial 1000", "deal B1H1 As"), "player", "ask_payment")
    assert found.closed_by
    assert found.words == ()


def test_a_prohibition_that_applies_now() -> None:
    found = governed(asked("deal dealer Th", "deal dealer 8h"), "dealer", "deal")
    assert [(w.force, w.act, w.rule, w.when) for w in found.words] == [
        ("must not", "deal(dealer, any)", "13.3 [stop]", ())
    ]
    assert found.closed_by == ()


def test_events_of_which_no_rule_speaks_are_free() -> None:
    free = dict(asked(*EARLY).free)
    assert "wager" in free["player"]
    assert "ask_payment" not in free["player"]
    assert "deal" in free["dealer"]


def with_limit(folder: Path) -> Table:
    """A table of the mini ruleset with one limit on an amount and one act that an option opens."""
    path = folder / "limit.rules"
    path.write_text(MINI.read_text(encoding="utf-8") + LIMIT, encoding="utf-8")
    return Table(lower(load(path)))


def test_a_condition_on_an_open_amount_is_left_in_words(tmp_path: Path) -> None:
    table = with_limit(tmp_path)
    table.play_all("wager ann B1H1 initial 1000", "deal B1H1 As")
    (word,) = governed(ask(table.judge), "player", "wager").words
    assert word.act == "wager(ann, B1H1, insurance, a)"
    assert word.when == ("2 * a > stake(ann, B1H1, initial)",)
    assert [(f.text, f.value) for f in word.facts] == [("stake(ann, B1H1, initial)", "1000")]


QUOTE = 'rule 9.3(a) "not more than half the amount staked in the player\'s initial wager"'


def test_conditions_left_open_stand_in_brackets_where_they_need_them(tmp_path: Path) -> None:
    path = tmp_path / "either.rules"
    act = "player p must not wager(p, h, insurance, a) when a > 9 and (a = 77 or h.doubled and p = p)"
    path.write_text(f"{MINI.read_text(encoding='utf-8')}{QUOTE}\n  {act}\n", encoding="utf-8")
    (word,) = governed(ask(Table(lower(load(path))).judge), "player", "wager").words
    assert word.when == ("a > 9", "(a = 77 or h.doubled and p = p)")


def test_acts_of_others_are_listed_for_those_a_rule_names(tmp_path: Path) -> None:
    path = tmp_path / "others.rules"
    act = "anyone but dealer must not deal(any, any)"
    path.write_text(f"{MINI.read_text(encoding='utf-8')}{QUOTE}\n  {act}\n", encoding="utf-8")
    found = ask(Table(lower(load(path))).judge)
    assert [(w.force, w.act) for w in governed(found, "player", "deal").words] == [
        ("must not", "deal(any, any)")
    ]
    assert not any(g.actor == "operator" and g.event == "ask_payment" for g in found.governed)


def test_an_entity_of_which_none_is_there_stays_open(tmp_path: Path) -> None:
    (word,) = governed(ask(with_limit(tmp_path).judge), "player", "wager").words
    assert word.act == "wager(p, h, insurance, a)"
    assert word.when == ("2 * a > stake(p, h, initial)",)
    assert word.facts == ()


def test_an_unstated_option_leaves_a_permission_open(tmp_path: Path) -> None:
    table = with_limit(tmp_path)
    table.play_all("wager ann B1H1 initial 1000", "deal B1H1 As")
    (word,) = governed(ask(table.judge), "player", "stand").words
    assert word.act == "stand(any, B1H1)"
    assert word.why == ("the option house_rule is not stated (9.1)",)


# ------------------------------------------------------------------------------------------------- judge
def test_asking_leaves_the_judge_as_it_is() -> None:
    table = Table()
    table.play_all(*EARLY)
    state, tallies = table.judge.state, dict(table.judge.tallies)
    first = ask(table.judge)
    assert table.judge.state is state
    assert table.judge.tallies == tallies
    assert ask(table.judge) == first


# ---------------------------------------------------------------------------- a duty ended by another amount
DEPOSITS = MINI.parent / "milestone-deposits.rules"


def seated() -> Table:
    table = Table(lower(load(DEPOSITS)))
    table.play("name ann")
    return table


def test_what_a_duty_demands_is_not_also_forbidden() -> None:
    """That another amount would end it otherwise is no prohibition of the act that it demands."""
    answers = ask(seated().judge)
    assert [owed.rule for owed in answers.owed if "lay" in str(owed.acts)] == ["5.1"]
    words = [word for one in answers.governed if one.event == "lay" for word in one.words]
    assert not [word for word in words if word.force == "must not" and word.act.startswith("lay(ann")]


def test_an_event_that_ends_a_duty_otherwise_is_traced_as_that_duty_and_no_prohibition_of_it() -> None:
    trace = seated().trace("lay ann 50")
    assert [judgement.kind for judgement in trace.judgements] == ["otherwise"]
    assert [(duty.unit, duty.course.ending) for duty in trace.duties if duty.unit == "5.1 #1"] == [
        ("5.1 #1", "otherwise")
    ]
    assert "5.1 #1" not in {word.ground.unit for word in trace.norms}
