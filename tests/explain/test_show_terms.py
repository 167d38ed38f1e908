"""Terms printed as rules: what is printed reads back as the same term."""

from __future__ import annotations

from fractions import Fraction

import pytest
from explain_ferry import again, env_of, mini, names, parsed, plain, said, texts_of
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.errors import RuleTextError
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.expressions import elaborate
from verifier.model.load import load, shipped
from verifier.model.ruleset import Norm
from verifier.model.show import cite, fill, names_of, show_term, show_unit
from verifier.model.values import HOUSE
from verifier.syntax import tree as t

TYPES = {name: mini().ruleset.types[name] for name in ("Hand", "Rank", "Kind", "Wager", "Player", "Card")}
VARIABLES: dict[str, ty.Type] = {
    "n": ty.IntT(0, 9),
    "k": ty.IntT(0, 40),
    "a": ty.MONEY,
    "o": ty.ODDS,
    "b": ty.BOOL,
    "r": TYPES["Rank"],
    "q": ty.OptT(TYPES["Rank"]),
    "h": TYPES["Hand"],
    "w": TYPES["Wager"],
    "p": TYPES["Player"],
}
AT = t.At(1, 1, 1, 1)


def printed(text: str) -> str:
    """The text of the term that `text` says."""
    return show_term(*said(text, VARIABLES))


def test_every_term_of_the_mini_ruleset_reads_back() -> None:
    count = 0
    for where, term, variables, guards, wanted in texts_of(mini().ruleset):
        text = show_term(term, names())
        found = again(text, mini().ruleset, names(), variables, guards, wanted)
        assert plain(found) == plain(term), (where, text)
        count += 1
    assert count > 80


def test_every_term_of_the_shipped_rulesets_reads_back() -> None:
    for name in shipped():
        ruleset = load(name)
        known = names_of(ruleset)
        bases = {f"rule {rule.base} " for rule in ruleset.rules.values() if rule.base}
        for where, term, variables, guards, wanted in texts_of(ruleset):
            text = show_term(term, known)
            if any(base in text for base in bases):
                continue  # a breach of a rule of the base is written in the base alone
            assert plain(again(text, ruleset, known, variables, guards, wanted)) == plain(term), (where, text)


@pytest.mark.parametrize(
    "text",
    [
        "b or b and not b",
        "(b or b) and b",
        "not (b and b)",
        "n - (k - 1)",
        "n - k - 1",
        "n * (k + 1)",
        "-(n + 1)",
        "-n + 1",
        "n - -k",
        "(n + 1) mod 2 = 0",
        "n is a multiple of 3",
        "r in {2..10}",
        "r not in {ace, king}",
        "k in 17..21",
        "k not in 17..21",
        "h in hands",
        "h not in hands",
        "h has 2 cards",
        "h has 1 card or more",
        "h has 3 cards or fewer",
        "h has 1 card or more and h.cards[1].rank = 7",
        "q exists",
        "q does not exist",
        "q = 7",
        "o = 3 to 2",
        "none x in hands: x.doubled",
        "b and every x in hands where x.place > 3: x.doubled or b",
        "(some x in Hand: x.doubled) and b",
        "k = (if b then n else k)",
        "if b then b else if b then no else yes",
        "sum (x.place for x in hands where x.doubled) > 4",
        "number of (x in h.cards where x.rank = ace) = 1",
        "the first (x in hands where x.doubled) exists",
        "least (x.place for x in hands) exists",
        "ask_payment(p, h) has happened this round",
        "ask_payment(p, any) has not happened this shoe",
        "deal(h, any) has happened since split(any, h, any)",
        "number of (deal(h, any) this round) >= 2",
        "shuffle has happened this table",
        "rule 5.4 [even] has been broken this round",
        "rule 5.1(a) has been broken since shuffle",
        "after(total(h)) > 21",
        "w in Wager",
        "table (b) { no: 1; yes: 2 } = 1",
        "outcome(w, Finish(22, no)) = win",
        "Wager(p, h, initial).stake * 3 to 2 > a",
    ],
)
def test_minimal_text_is_printed_as_it_was_written(text: str) -> None:
    assert printed(text) == text


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("((b) and (b))", "b and b"),
        ("(n * k) + 1 > 2", "n * k + 1 > 2"),
        ("not not b", "not not b"),
        ("r = jack or r = queen or r = king", "r in {jack, queen, king}"),
        ("b or r = ace or r = 2", "b or r in {ace, 2}"),
        ("k >= 17 and k <= 21 and b", "k in 17..21 and b"),
        ("q = absent", "q does not exist"),
        ("x_is_no_name or b", ""),
    ],
)
def test_other_ways_of_writing_are_printed_in_one(written: str, wanted: str) -> None:
    if not wanted:
        with pytest.raises(RuleTextError):
            printed(written)
        return
    assert printed(written) == wanted


# ---------------------------------------------------------------------------------------- generated terms
NUMBERS = st.deferred(
    lambda: st.one_of(
        st.sampled_from(["n", "k"]).map(lambda name: t.Name(AT, name)),
        st.integers(0, 40).map(lambda value: t.Int(AT, value)),
        NUMBERS.map(lambda of: t.Negate(AT, of)),
        st.builds(lambda op, x, y: t.Arith(AT, op, x, y), st.sampled_from(["+", "-", "*"]), NUMBERS, NUMBERS),
        st.builds(lambda x, y: t.Arith(AT, "mod", x, t.Int(AT, y)), NUMBERS, st.integers(1, 9)),
        st.builds(lambda c, x, y: t.If(AT, c, x, y), CONDITIONS, NUMBERS, NUMBERS),
    )
)
CONDITIONS: st.SearchStrategy[t.Expr] = st.deferred(
    lambda: st.one_of(
        st.sampled_from(["b", "players_done"]).map(lambda name: t.Name(AT, name)),
        st.builds(
            lambda op, x, y: t.Compare(AT, op, x, y),
            st.sampled_from(["=", "!=", "<", "<=", ">", ">="]),
            NUMBERS,
            NUMBERS,
        ),
        CONDITIONS.map(lambda of: t.Not(AT, of)),
        st.builds(lambda x, y: t.And(AT, x, y), CONDITIONS, CONDITIONS),
        st.builds(lambda x, y: t.Or(AT, x, y), CONDITIONS, CONDITIONS),
        st.builds(lambda x, y, z: t.If(AT, x, y, z), CONDITIONS, CONDITIONS, CONDITIONS),
        st.builds(
            lambda kind, where, body: t.Quantified(AT, kind, "x", t.Name(AT, "hands"), where, body),
            st.sampled_from(["some", "every", "none"]),
            st.one_of(st.none(), CONDITIONS),
            CONDITIONS,
        ),
    )
)


@given(CONDITIONS)
@settings(max_examples=60, deadline=None)
def test_generated_terms_read_back(expr: t.Expr) -> None:
    try:
        term = elaborate(expr, env_of(mini().ruleset, names(), VARIABLES))
    except RuleTextError:
        return
    text = show_term(term, names())
    found = elaborate(parsed(text), env_of(mini().ruleset, names(), VARIABLES))
    assert plain(found) == plain(term), text


# ------------------------------------------------------------------------------------- values, norms, names
def test_values_put_in_are_printed_as_values() -> None:
    hand = (1, 1)
    wager = ("ann", hand, 0)
    values = {"h": hand, "w": wager, "p": "ann", "a": Fraction(7, 2)}
    for text, wanted in (
        ("total(h) > 21", "total(B1H1) > 21"),
        ("total(w.hand) > 21", "total(B1H1) > 21"),
        ("w.stake > a", "Wager(ann, B1H1, initial).stake > 7/2"),
        ("deal(h, any) has happened this round", "deal(B1H1, any) has happened this round"),
        ("Wager(p, h, initial).open", "Wager(ann, B1H1, initial).open"),
    ):
        term, known = said(text, VARIABLES)
        assert show_term(fill(term, values, VARIABLES), known) == wanted


def test_event_variables_lose_their_prefix() -> None:
    term = m.CompareT(ty.BOOL, ">", m.Var(ty.MONEY, "@amount"), m.Lit(ty.MONEY, 5))
    assert show_term(term, names()) == "amount > 5"


def test_bound_variables_without_surface_get_a_name_of_their_own() -> None:
    body = m.CompareT(ty.BOOL, "=", m.Var(TYPES["Hand"], "h'7"), m.Var(TYPES["Hand"], "h"))
    term = m.Quant(ty.BOOL, "some", "h'7", m.OverEntity(TYPES["Hand"], "Hand"), None, body)
    assert show_term(term, names()) == "some h2 in Hand: h2 = h"


def test_the_house_and_the_empty_list_have_their_words() -> None:
    assert show_term(m.Lit(ty.PARTY, HOUSE), names()) == "house"
    assert printed("h.cards = empty") == "h.cards = empty"


def test_text_is_escaped() -> None:
    assert show_term(m.Lit(ty.TEXT, 'a"b\\c'), names()) == '"a\\"b\\\\c"'


def test_the_question_whether_a_rule_applies() -> None:
    event = m.CallF(ty.BOOL, "applies 13.4 #1 to deal", ())
    assert show_term(event, names()) == "13.4 applies"
    call = m.CallF(ty.BOOL, "applies 11.4 #2 with 5.1(b)", ())
    assert show_term(call, names()) == "11.4 with 5.1(b) applies"
    assert show_term(m.NotT(ty.BOOL, call), names()) == "11.4 with 5.1(b) does not apply"


def test_units_say_what_they_say() -> None:
    norms = {cite(u.id): show_unit(u, names()) for u in mini().ruleset.units.values() if isinstance(u, Norm)}
    assert norms["13.3 [draw]"] == "dealer must deal(dealer, any) at once"
    assert norms["13.3 [stop]"] == "dealer must not deal(dealer, any)"
    assert norms["14.3(d)"] == "player must split(p, h, any) or designate(p, h) before deal(any, any)"
    contributions = {
        u.id: show_unit(u, names()) for u in mini().ruleset.units.values() if not isinstance(u, Norm)
    }
    assert contributions["5.4 [blackjack] #1"] == "odds(w, d) = 3 to 2"
    assert contributions["4.1(a) #1"] == "value(c, h) = pips(c.rank)"
