"""Rules and each of their statements: read as the node it is, and refused where it is faulty."""

from __future__ import annotations

import pytest
from syntax_reading import (
    BOOL,
    A,
    B,
    C,
    N,
    X,
    arg,
    as_statement,
    block,
    name,
    ref,
    refused_where_marked,
    statement,
)

from verifier.syntax import tree as t

EQUAL = t.Compare(N, "=", A, B)
DEAL = t.Act(N, "deal", (arg(name("h")), t.Arg(N, None)))
STOP = t.Act(N, "stop", ())
DEALER = t.Bearer(N, ("dealer",))


def duty(deadline: t.Deadline, when: t.Expr | None = None, *acts: t.Act) -> t.Deontic:
    return t.Deontic(N, DEALER, "must", acts or (DEAL,), deadline, when)


AT_ONCE = t.Deadline(N, "at once")

GOOD: list[tuple[str, t.Statement]] = [
    ("define a: bool = b", t.Define(N, "a", (), BOOL, B)),
    ("decision a: bool", t.Decision(N, "a", (), BOOL)),
    ("option a: bool = yes", t.Option(N, "a", BOOL, t.Bool(N, True))),
    ("given a = b", t.Given(N, EQUAL, ())),
    ("given a for outcome | deal", t.Given(N, A, ("outcome", "deal"))),
    ("except 5.1(c), 5.1(d) [late]", t.Edge(N, "except", (ref("5.1(c)"), ref("5.1(d)", "late")), ())),
    ("except appendix 1", t.Edge(N, "except", (ref("appendix 1"),), ())),
    ("except (a)(ii) for odds, outcome", t.Edge(N, "except", (ref("(a)(ii)"),), ("odds", "outcome"))),
    ("subject to section 16", t.Edge(N, "subject to", (t.ClauseRef(N, "16", None, True),), ())),
    ("unless 13.4", t.Edge(N, "unless", (ref("13.4"),), ())),
    ("unless expressly permitted", t.Edge(N, "unless expressly permitted", (), ())),
    ("notwithstanding 5.4", t.Edge(N, "notwithstanding", (ref("5.4"),), ())),
    ("notwithstanding everything", t.Edge(N, "notwithstanding everything", (), ())),
    ("overrides 5.1(a)", t.Edge(N, "overrides", (ref("5.1(a)"),), ())),
    ("outcome(w, d) = win", t.Effects(N, (t.Effect(N, "outcome", ("w", "d"), name("win")),), None, False)),
    ("open = yes otherwise", t.Effects(N, (t.Effect(N, "open", (), t.Bool(N, True)),), None, True)),
    (
        "outcome(w) = win and odds(w) = 3 to 2 when a = b",
        t.Effects(
            N,
            (t.Effect(N, "outcome", ("w",), name("win")), t.Effect(N, "odds", ("w",), t.OddsLiteral(N, 3, 2))),
            EQUAL,
            False,
        ),
    ),
    ("open = (a or b)", t.Effects(N, (t.Effect(N, "open", (), t.Or(N, A, B)),), None, False)),
    ("asked outcome(w, d) when a", t.Asked(N, "outcome", ("w", "d"), A)),
    ("asked open", t.Asked(N, "open", (), None)),
    ("apply 5.1(a) to 5.1(g) where a", t.Apply(N, ref("5.1(a)"), ref("5.1(g)"), A)),
    ("apply 5.1(a) where a", t.Apply(N, ref("5.1(a)"), None, A)),
    ("dealer must deal(h, any) at once", duty(AT_ONCE)),
    ("dealer must deal(h, any) or stop at once when a", duty(AT_ONCE, A, DEAL, STOP)),
    ("dealer must deal(h, any) before stop or deal(h, any)", duty(t.Deadline(N, "before", (STOP, DEAL)))),
    ("dealer must deal(h, any) by end of round", duty(t.Deadline(N, "by end of", (), "round"))),
    ("dealer must deal(h, any) immediately after stop when a = b",
     duty(t.Deadline(N, "immediately after", (STOP,)), EQUAL)),
    (
        "player p must not deal(h where a, k: b) until stop this round when c",
        t.Deontic(
            N,
            t.Bearer(N, ("player",), "p"),
            "must not",
            (t.Act(N, "deal", (t.Arg(N, name("h"), A), t.Arg(N, B, None, "k"))),),
            t.Deadline(N, "until", (STOP,), "round"),
            C,
        ),
    ),
    ("dealer | supervisor may stop",
     t.Deontic(N, t.Bearer(N, ("dealer", "supervisor")), "may", (STOP,), None, None)),
    ("anyone but dealer must not stop",
     t.Deontic(N, t.Bearer(N, (), None, "dealer"), "must not", (STOP,), None, None)),
    ("require a = b when c", t.Require(N, EQUAL, C)),
    ("require a", t.Require(N, A, None)),
    ('unobservable "why" for words "in a clear voice"',
     t.Unchecked(N, "unobservable", "why", "in a clear voice")),
    ('unobservable "why"', t.Unchecked(N, "unobservable", "why")),
    ('external "division 1"', t.Unchecked(N, "external", "division 1")),
    ('structural "a heading"', t.Unchecked(N, "structural", "a heading")),
    ("structural", t.Unchecked(N, "structural", "")),
    ("agrees with 5.4", t.Pointer(N, "agrees with", (ref("5.4"),))),
    ("points to 15.4, 15.5", t.Pointer(N, "points to", (ref("15.4"), ref("15.5")))),
    ('reading "two aces are 12"', t.Reading(N, "two aces are 12")),
    ("dealer answers for 5.5(a), 5.6", t.AnswersFor(N, "dealer", (ref("5.5(a)"), ref("5.6")))),
]  # fmt: skip


@pytest.mark.parametrize(("text", "node"), GOOD, ids=[text for text, _ in GOOD])
def test_a_statement_is_read_as(text: str, node: t.Statement) -> None:
    assert statement(text) == node


def test_a_rule_has_address_label_quote_and_statements() -> None:
    quote = 'the word \\"void\\"'
    read = block(f'rule 5.1(e) [a tie] "{quote}"\n  except 5.2\n  structural\n')
    statements = (t.Edge(N, "except", (ref("5.2"),), ()), t.Unchecked(N, "structural", ""))
    assert read == t.Rule(N, "5.1(e)", "a tie", 'the word "void"', N, statements)


def test_a_rule_may_have_one_statement_on_its_line_or_none() -> None:
    assert block('rule 5.1 "x" structural\n') == t.Rule(
        N, "5.1", None, "x", N, (t.Unchecked(N, "structural", ""),)
    )
    assert block('rule 5.1 "x"\n') == t.Rule(N, "5.1", None, "x", N, ())


def test_names_may_be_words_of_the_language_where_nothing_else_is_meant() -> None:
    assert statement("given w.kind = a.given") == t.Given(
        N, t.Compare(N, "=", t.Attr(N, name("w"), "kind"), t.Attr(N, A, "given")), ()
    )
    assert statement("asked rule_") == t.Asked(N, "rule_", (), None)
    assert statement("open = x") == t.Effects(N, (t.Effect(N, "open", (), X),), None, False)


BAD = [
    "given¦",
    "given a for¦",
    "except¦",
    "except ¦each",
    "except 5.1(c) ¦5.1(d)",
    "except 5.1¦(c, d)",
    "except section¦",
    "subject ¦5.1",
    "unless¦",
    "unless ¦expressly allowed",
    "notwithstanding¦",
    "overrides 5.1 ¦everything",
    "outcome(w, d)¦",
    "outcome(w, d) ¦win",
    "outcome(¦3) = win",
    "outcome(w, d) =¦",
    "outcome(w, d) = a ¦or b",
    "outcome(w, d) = a ¦has 2 cards",
    "outcome(w, d) = a otherwise ¦when b",
    "odds(w, d) = 3¦:2",
    "asked¦",
    "asked outcome(w, d) ¦if a",
    "apply 5.1(a)¦",
    "apply 5.1(a) ¦until 5.1(g) where a",
    "dealer must¦",
    "dealer shall ¦deal(h, any) at once",
    "dealer must ¦deal(h, any)",
    "dealer must ¦deal(h, any) when a",
    "dealer must deal(h, any) ¦at onc",
    "dealer must deal(h, any) before¦",
    "dealer must deal(h, any) by end of¦",
    "dealer must deal(h, any) when a ¦at once",
    "dealer must deal(h, any) ¦until stop this round",
    "dealer must not deal(h, any) ¦at once",
    "dealer must not deal(h, any) until stop¦",
    "dealer may deal(h, any) ¦at once",
    "¦Dealer may stop",
    "anyone but¦",
    "require¦",
    "require a ¦if b",
    "unobservable¦",
    'unobservable "why" for words¦',
    "external¦",
    "structural ¦5.1",
    "agrees with¦",
    "points to ¦a",
    "reading¦",
    "dealer answers for¦",
]


@pytest.mark.parametrize("text", BAD)
def test_a_faulty_statement_is_refused_where_it_is_faulty(text: str) -> None:
    assert refused_where_marked(as_statement(text)).clause == "5.1"


@pytest.mark.parametrize(
    "text",
    [
        "rule¦\n",
        'rule ¦"x"\n',
        "rule 5.1¦\n",
        "rule 5.1 ¦x\n",
        'rule 5.1 ¦"x\n',
        'rule 5.1 "a \\"quoted\\" ¦\\word"\n',
        'rule 5.1 "a "¦quoted" word"\n',
        'rule 5.1 ¦[] "x"\n',
        'rule 5.1 "x" except 5.2 ¦except 5.3\n',
    ],
)
def test_a_faulty_rule_is_refused_where_it_is_faulty(text: str) -> None:
    refused_where_marked(text)
