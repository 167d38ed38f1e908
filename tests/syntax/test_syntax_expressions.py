"""Each construct of an expression: read as the node it is, and refused where it is faulty."""

from __future__ import annotations

import pytest
from syntax_reading import (
    A,
    B,
    C,
    N,
    X,
    arg,
    as_condition,
    expression,
    name,
    number,
    ref,
    refused_where_marked,
)

from verifier.syntax import tree as t

D = t.DomainType(N, "Hand")
DEAL = t.Call(N, "deal", (arg(name("h")), t.Arg(N, None)))
ROUND = t.Scope(N, "round", None)
SINCE = t.Scope(N, None, t.Call(N, "shuffle", (arg(X),)))

GOOD: list[tuple[str, t.Expr]] = [
    ("7", number(7)),
    ("3 to 2", t.OddsLiteral(N, 3, 2)),
    ("3  to  2", t.OddsLiteral(N, 3, 2)),
    ("yes", t.Bool(N, True)),
    ("no", t.Bool(N, False)),
    (r'"a \"b\" \\c"', t.Text(N, r'a "b" \c')),
    ('"# no comment"', t.Text(N, "# no comment")),
    ("a", A),
    ("android", name("android")),
    ("f(a, any)", t.Call(N, "f", (arg(A), t.Arg(N, None)))),
    ("f(k: a, l: any)", t.Call(N, "f", (t.Arg(N, A, None, "k"), t.Arg(N, None, None, "l")))),
    ("f(h where h = a)", t.Call(N, "f", (t.Arg(N, name("h"), t.Compare(N, "=", name("h"), A)),))),
    ("Card(ace, b)", t.Construct(N, "Card", (arg(name("ace")), arg(B)))),
    ("a.b.c", t.Attr(N, t.Attr(N, A, "b"), "c")),
    ("a.all", t.Attr(N, A, "all")),
    ("a[1].b", t.Attr(N, t.Index(N, A, number(1)), "b")),
    ("(a)", A),
    ("a + b - c", t.Arith(N, "-", t.Arith(N, "+", A, B), C)),
    ("a + b * c", t.Arith(N, "+", A, t.Arith(N, "*", B, C))),
    ("(a + b) * c", t.Arith(N, "*", t.Arith(N, "+", A, B), C)),
    ("a mod 2", t.Arith(N, "mod", A, number(2))),
    ("a div 2", t.Arith(N, "div", A, number(2))),
    ("a / 2", t.Arith(N, "/", A, number(2))),
    ("-a - -b", t.Arith(N, "-", t.Negate(N, A), t.Negate(N, B))),
    ("a = b", t.Compare(N, "=", A, B)),
    ("a != b", t.Compare(N, "!=", A, B)),
    ("a < b", t.Compare(N, "<", A, B)),
    ("a <= b", t.Compare(N, "<=", A, B)),
    ("a > b", t.Compare(N, ">", A, B)),
    ("a >= b", t.Compare(N, ">=", A, B)),
    ("a is a multiple of b", t.MultipleOf(N, A, B)),
    ("a and b and c", t.And(N, t.And(N, A, B), C)),
    ("a or b and c", t.Or(N, A, t.And(N, B, C))),
    ("(a or b) and c", t.And(N, t.Or(N, A, B), C)),
    ("not a and b", t.And(N, t.Not(N, A), B)),
    ("not not a", t.Not(N, t.Not(N, A))),
    ("if a then b else c", t.If(N, A, B, C)),
    ("some x in Hand: a", t.Quantified(N, "some", "x", D, None, A)),
    ("every x in Hand where b: a", t.Quantified(N, "every", "x", D, B, A)),
    ("none x in Hand: a", t.Quantified(N, "none", "x", D, None, A)),
    # A quantifier reaches as far as it can: `or c` belongs to its body.
    ("a and some x in Hand: b or c", t.And(N, A, t.Quantified(N, "some", "x", D, None, t.Or(N, B, C)))),
    ("a or some x in Hand: b", t.Or(N, A, t.Quantified(N, "some", "x", D, None, B))),
    (
        "a or b and some x in Hand: c",
        t.Or(N, A, t.And(N, B, t.Quantified(N, "some", "x", D, None, C))),
    ),
    ("(some x in Hand: a) and b", t.And(N, t.Quantified(N, "some", "x", D, None, A), B)),
    ("sum (a for x in Hand)", t.Aggregate(N, "sum", A, "x", D, None)),
    ("least (a for x in Hand where b)", t.Aggregate(N, "least", A, "x", D, B)),
    ("greatest (a for x in Hand)", t.Aggregate(N, "greatest", A, "x", D, None)),
    ("number of (x in Hand where b)", t.Aggregate(N, "number", None, "x", D, B)),
    ("the first (x in Hand)", t.Aggregate(N, "first", None, "x", D, None)),
    ("the last (x in Hand)", t.Aggregate(N, "last", None, "x", D, None)),
    ("all (x in Hand)", t.Aggregate(N, "all", None, "x", D, None)),
    ("number of (deal(h, any) this round)", t.Times(N, DEAL, ROUND)),
    ("number of (deal(h, any) since shuffle(x))", t.Times(N, DEAL, SINCE)),
    ("a in Hand", t.Member(N, A, D, False)),
    ("a not in b.c", t.Member(N, A, t.Attr(N, B, "c"), True)),
    ("a in 1..7", t.Member(N, A, t.DomainRange(N, 1, 7), False)),
    (
        "a in {b, 2..9, 10}",
        t.Member(N, A, t.DomainSet(N, (B, (number(2), number(9)), number(10))), False),
    ),
    ("a exists", t.Exists(N, A, False)),
    ("a does not exist", t.Exists(N, A, True)),
    ("a has 2 cards", t.Has(N, A, 2, "cards", "exactly")),
    ("a has 1 card or more", t.Has(N, A, 1, "card", "at least")),
    ("a has 3 cards or fewer", t.Has(N, A, 3, "cards", "at most")),
    ("deal(h, any) has happened this round", t.Happened(N, DEAL, ROUND, False)),
    ("deal(h, any) has not happened since shuffle(x)", t.Happened(N, DEAL, SINCE, True)),
    ("end_round has happened this shoe", t.Happened(N, name("end_round"), t.Scope(N, "shoe", None), False)),
    ("rule 8.7 has been broken this round", t.Broken(N, ref("8.7"), ROUND)),
    (
        "rule 8.7(a) [fast] has been broken since end_round",
        t.Broken(N, ref("8.7(a)", "fast"), t.Scope(N, None, name("end_round"))),
    ),
    ("after(a)", t.After(N, A)),
    (
        "table (a) { b: 1; 2: c }",
        t.Table(N, A, ((B, number(1)), (number(2), C))),
    ),
]


@pytest.mark.parametrize(("text", "node"), GOOD, ids=[text for text, _ in GOOD])
def test_an_expression_is_read_as(text: str, node: t.Expr) -> None:
    assert expression(text) == node


BAD = [
    "¦007",
    "3 ¦too 2",
    "10.¦5",
    r'"a¦\b"',
    '¦"a',
    "f¦(a",
    "f(¦)",
    "f(a,¦)",
    "f(a where ¦)",
    "f(k: ¦)",
    "Card¦",
    "a.¦1",
    "a[¦]",
    "¦(a",
    "a +¦",
    "a mod¦",
    "a div ¦/ 2",
    "-¦",
    "a =¦",
    "a =¦= b",
    "a < b ¦< c",
    "a ¦multiple of b",
    "a is a multiple of¦",
    "a and¦",
    "a or ¦or b",
    "not¦",
    "if a then b¦",
    "if a ¦else b",
    "some x ¦Hand",
    "every x in Hand¦",
    "none x in Hand where ¦: a",
    "not some ¦x in Hand: a",
    "sum (a in Hand¦)",
    "number of ¦x in Hand",
    "the first (x¦)",
    "number of (deal(h)¦)",
    "a in¦",
    "a in {¦}",
    "a in {b ¦c}",
    "a in 1..¦b",
    "a exists ¦b",
    "a ¦does not",
    "a has ¦cards",
    "a has 2¦",
    "deal(h) has happened¦",
    "deal(h) has happened this¦",
    "rule 8.7 has been broken¦",
    "rule ¦a has been broken this round",
    "after¦",
    "table (a) ¦1: 2",
    "table (a) { b: 1¦, c: 2 }",
    "¦_a",
    "a = ¦and",
    "a ¦orb",
    "¦aB",
]


@pytest.mark.parametrize("text", BAD)
def test_a_faulty_expression_is_refused_where_it_is_faulty(text: str) -> None:
    refused_where_marked(as_condition(text))
