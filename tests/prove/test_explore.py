"""Explorers reach what can be reached, lawfully where that is asked for, and say when there is no more."""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path

import pytest

from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model.load import load
from verifier.model.ruleset import Param
from verifier.model.terms import Term
from verifier.model.types import BOOL, INT
from verifier.prove.explore.evaluate import true_at
from verifier.prove.explore.explorer import Explorer
from verifier.prove.explore.replay import replay
from verifier.prove.extent import scopes
from verifier.prove.question import Question
from verifier.prove.scope import scope_of
from verifier.run.bench import Happening
from verifier.run.judge import Judge

RULES = Path(__file__).parent / "rules"
NZ = Path(__file__).parents[2] / "rulesets" / "nz" / "blackjack-1998.rules"

DIM, BRIGHT = 1, 2


@cache
def program(name: str) -> Program:
    return lower(load(NZ if name == "nz" else RULES / f"explore-{name}.rules"))


def explorer(name: str, steps: int = 0, seed: int = 0) -> Explorer:
    own = program(name)
    found = Explorer(own, scopes(own)[:2][-1], seed)
    found.run(steps)
    return found


def applies(own: Program, function: str) -> Question:
    params = own.functions[function].params
    return Question(params, m.CallF(BOOL, function, tuple(m.Var(p.type, p.name) for p in params)))


def light_of(number: int, light: int) -> Term:
    own = program("lamps")
    lamp = own.ruleset.entities["Lamp"].type
    field = own.ruleset.types["Light"]
    read = m.Field(field, "Lamp", "light", m.Lit(lamp, (number,)))
    return m.CompareT(BOOL, "=", read, m.Lit(field, light))


def flag(name: str) -> Term:
    return m.Get(BOOL, name)


def both(*items: Term) -> Term:
    return m.AndT(BOOL, items)


# ---------------------------------------------------------------------------------------- exhaustion
def test_a_small_ruleset_is_gone_through() -> None:
    """As many states as a plain walk through all plays, judged from the beginning every time, comes to."""
    own = program("lamps")
    scope = scope_of(own, {"Guest": ("ann",)})
    found = Explorer(own, scope).exhaustion("play")
    assert found.complete
    lamps, lights = ((1,), (2,)), own.ruleset.types["Light"]
    assert lights is not None
    events = [
        *(Happening("kindle", "guest", ("ann", lamp)) for lamp in lamps),
        *(Happening("turn_up", "keeper", (lamp,)) for lamp in lamps),
        *(Happening(name, "keeper", ()) for name in ("ring", "lock", "dawn")),
    ]
    seen: set[object] = set()
    rest: list[tuple[Happening, ...]] = [()]
    while rest:
        play = rest.pop()
        judge = Judge(own, {})
        if any(judge.step(happening) for happening in play):
            continue
        state = judge.state
        lit = tuple(
            (
                state.entities["Lamp"].get(lamp, {}).get("light"),
                state.entities["Lamp"].get(lamp, {}).get("lit_by"),
            )
            for lamp in lamps
        )
        kindled = any(min(n, 1) for counts in state.counts for n in counts.values())
        key = (
            lit,
            state.fields["rung"],
            state.fields["locked"],
            kindled,
            bool(state.ids["Guest"]),
            bool(judge.duties.bits),
        )
        if key not in seen:
            seen.add(key)
            rest += [(*play, happening) for happening in events]
    assert len(found.reached) == len(seen)


def test_what_no_play_reaches_is_known_once_all_are_gone_through() -> None:
    found = explorer("lamps")
    unrung = Question((), both(flag("locked"), m.NotT(BOOL, flag("rung"))))
    assert found.look(unrung, "play") is None
    assert found.exhausted("play")
    assert found.exhausted("play", unrung)
    seen = found.look(unrung, "words")
    assert seen is not None
    assert seen.play is not None
    assert seen.play.broken == ("3.2(a)",)
    assert [h.event for h in seen.play.happenings] == ["lock"]


def test_money_has_no_end() -> None:
    found = explorer("till", 100)
    assert found.look(Question((), m.NotT(BOOL, m.Lit(BOOL, True))), "play") is None
    assert not found.exhausted("play")
    assert not found.exhausted("words")


def test_a_question_that_tells_more_apart_than_the_rules_do_is_not_exhausted() -> None:
    """The rules ask only whether a lamp was lit at all: the states gone through do not count further."""
    found = explorer("lamps")
    (latch,) = (i for i, latch in enumerate(program("lamps").ruleset.latches) if latch.event == "kindle")
    often = Question((), m.CompareT(BOOL, ">", m.Count(INT, latch, ()), m.Lit(INT, 5)))
    once = Question((), m.CompareT(BOOL, ">", m.Count(INT, latch, ()), m.Lit(INT, 0)))
    assert found.look(often, "play") is None
    assert not found.exhausted("play")
    assert found.look(once, "play") is not None
    assert found.exhausted("play")


# --------------------------------------------------------------------------------------------- looking
def test_a_witness_is_short_lawful_and_true_at_its_end() -> None:
    found = explorer("lamps", 600)
    both_bright = Question((), both(light_of(1, BRIGHT), light_of(2, BRIGHT)))
    seen = found.look(both_bright, "play")
    assert seen is not None
    assert seen.play is not None
    assert seen.play.lawful
    assert len(seen.play.happenings) in (4, 5), (
        "kindled and turned up, both; and rung where the second was first"
    )
    again = replay(program("lamps"), seen.options, seen.play.happenings)
    assert again == seen.play
    assert true_at(program("lamps"), again.state, again.options, both_bright) == seen.values


def test_a_lawful_play_breaks_no_rule_where_a_play_in_words_may() -> None:
    found = explorer("lamps", 600)
    left_dim = Question((), both(light_of(1, DIM), light_of(2, BRIGHT)))
    lawful, words = found.look(left_dim, "play"), found.look(left_dim, "words")
    assert lawful is not None
    assert words is not None
    assert lawful.play is not None
    assert lawful.play.lawful


def test_amounts_are_found_that_make_an_event_lawful() -> None:
    """Stakes in whole chips, of at least so much, paid at odds: none of it is guessed."""
    found = explorer("till", 1500)
    own = program("till")
    names = {node.happening.event for node in found.corpus.nodes if node.happening and not node.broken}
    assert {"lay", "close", "spin", "pay", "take", "clear"} <= names
    stake = own.ruleset.entities["Stake"].type
    s = m.Var(stake, "s")
    paid = Question(
        (Param("s", stake),),
        both(
            m.NotT(BOOL, m.Field(BOOL, "Stake", "open", s)),
            m.Decide(BOOL, "wins", (s,)),
            m.CompareT(
                BOOL, ">", m.Field(own.ruleset.options["floor"].type, "Stake", "amount", s), m.Lit(INT, 0)
            ),
        ),
    )
    seen = found.look(paid, "play")
    assert seen is not None
    assert seen.play is not None
    assert [h.event for h in seen.play.happenings][-2:] == ["spin", "pay"]


def test_no_event_states_an_amount_below_0() -> None:
    """Of a stake below the limit the words have an amount below 0 go back, which no log can state."""
    found = explorer("excess", 300)
    own = program("excess")
    money = own.ruleset.state["given_back"].type
    given_back = m.Get(money, "given_back")
    some = found.look(Question((), m.CompareT(BOOL, ">", given_back, m.Lit(INT, 0))), "play")
    assert some is not None
    assert some.play is not None
    assert some.play.lawful
    assert found.look(Question((), m.CompareT(BOOL, "<", given_back, m.Lit(INT, 0))), "play") is None
    assert found.look(Question((), m.CompareT(BOOL, "<", given_back, m.Lit(INT, 0))), "words") is None


def test_options_meet_what_is_required() -> None:
    found = explorer("till", 200)
    assert len(found.tables) > 3
    for table in found.tables:
        assert table.options.keys() == {"chip", "floor", "double_pay"}
        assert isinstance(table.options["floor"], int)
        assert table.options["floor"] > 0


def test_plays_show_different_things() -> None:
    found = explorer("lamps", 600)
    lawful = found.plays(True)
    assert lawful
    assert all(play.lawful for play in lawful)
    assert any(not play.lawful for play in found.plays(False))
    beginnings = [play.happenings for play in lawful]
    for one, other in product(beginnings, repeat=2):
        assert one is other or other[: len(one)] != one


# -------------------------------------------------------------------------------------------- searching
def test_what_was_not_met_is_reached_on_purpose() -> None:
    """That a third guest's black stake is paid after two others': walks do not come there by themselves."""
    own = program("till")
    stake = own.ruleset.entities["Stake"].type
    amount = own.ruleset.options["floor"].type
    colour = own.ruleset.types["Colour"]
    s = m.Var(stake, "s")
    laid = m.Field(amount, "Stake", "amount", s)
    condition = both(
        m.CompareT(BOOL, "=", m.Part(colour, s, 1), m.Lit(colour, 1)),
        m.CompareT(BOOL, ">", laid, m.Lit(INT, 700)),
        m.CompareT(BOOL, "=", m.Length(INT, m.Get(own.ruleset.state["slips"].type, "slips")), m.Lit(INT, 3)),
        m.Decide(BOOL, "wins", (s,)),
        m.NotT(BOOL, m.Field(BOOL, "Stake", "open", s)),
    )
    question = Question((Param("s", stake),), condition)
    found = Explorer(own, scopes(own)[1], seed=3)
    assert found.look(question, "play") is None
    seen = found.reach(question, "play", 3000)
    assert seen is not None
    assert seen.play is not None
    assert seen.play.lawful
    assert true_at(own, seen.play.state, seen.options, question) == seen.values


def test_what_cannot_be_is_not_reached() -> None:
    found = Explorer(program("till"), scopes(program("till"))[1])
    never = Question((), both(flag("closed"), m.NotT(BOOL, flag("closed"))))
    assert found.reach(never, "words", 200) is None
    assert found.runner.taken < 400


# --------------------------------------------------------------------------------------------- going on
def test_a_life_can_be_brought_to_its_end() -> None:
    own = program("lamps")
    found = Explorer(own, scopes(own)[0])
    play = replay(own, {}, [Happening("kindle", "guest", ("guest1", (1,)))])
    assert play is not None
    whole = found.can_finish(play, "night", 400)
    assert whole is not None
    assert whole.lawful
    assert whole.happenings[:1] == play.happenings
    assert [h.event for h in whole.happenings[1:]].count("dawn") == 1
    assert whole.happenings[-1].event == "dawn"


def test_a_table_at_which_nothing_is_lawful_is_stuck(tmp_path: Path) -> None:
    text = (RULES / "explore-lamps.rules").read_text("utf-8")
    old = 'rule 6.3(b) "stacked"\n'
    assert old in text
    more = (
        'rule 6.3(a) "chemmy shuffled (washing of the cards)"\n'
        "  keeper | guest must not ring when locked\n  keeper | guest must not lock when locked\n"
        "  keeper | guest must not dawn when locked\n  keeper must not turn_up(any) when locked\n"
    )
    path = tmp_path / "stuck.rules"
    path.write_text(text.replace("ruleset explore/lamps", "ruleset stuck").replace(old, more + old))
    own = lower(load(path))
    found = Explorer(own, scopes(own)[0])
    rung = replay(own, {}, [Happening("ring", "keeper", ())])
    locked = replay(own, {}, [Happening("ring", "keeper", ()), Happening("lock", "keeper", ())])
    assert rung is not None
    assert locked is not None
    assert found.goes_on(rung) is not None
    assert found.goes_on(locked) is None
    assert found.can_finish(locked, "night", 60) is None


# ------------------------------------------------------------------------------------------ a real ruleset
@pytest.fixture(scope="module")
def at_the_table() -> Explorer:
    """Blackjack of 1998, played by who does not know it."""
    own = program("nz")
    found = Explorer(own, scopes(own)[0], seed=0)
    found.run(2000)
    return found


def test_a_game_is_played_lawfully(at_the_table: Explorer) -> None:
    lawful = [node for node in at_the_table.corpus.nodes if not node.broken and node.happening]
    names = {node.happening.event for node in lawful if node.happening}
    assert {"wager", "close_bets", "deal", "announce_total", "draw", "remove_cards", "end_round"} <= names


@pytest.mark.parametrize(
    "rule", ["applies 13.2 [collect] #1", "applies 12.1 #1 to split", "applies 9.1 #1 to insure"]
)
def test_a_rule_is_brought_to_apply_on_purpose(at_the_table: Explorer, rule: str) -> None:
    """What a player has on his hand, what pairs are, what the upcard is: the search knows none of it."""
    own = at_the_table.program
    question = applies(own, rule)
    seen = at_the_table.reach(question, "play", 4000)
    assert seen is not None
    assert seen.play is not None
    assert seen.play.lawful
    assert len(seen.play.happenings) < 20
    assert true_at(own, seen.play.state, seen.options, question) == seen.values
