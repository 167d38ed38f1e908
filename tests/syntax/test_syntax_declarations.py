"""Each declaration: read as the node it is, and refused where it is faulty."""

from __future__ import annotations

import pytest
from syntax_reading import BOOL, A, B, C, N, X, arg, block, name, number, ref, refused_where_marked

from verifier.syntax import tree as t

HAND = t.NamedType(N, "Hand")
CARD = t.NamedType(N, "Card")
H = t.Param(N, "h", HAND)
D = t.DomainType(N, "Hand")


def typed(text: str) -> str:
    return f"decision d: {text}\n"


TYPES: list[tuple[str, t.TypeExpr]] = [
    ("0..7", t.RangeType(N, 0, 7)),
    ("bool", BOOL),
    ("money", t.PlainType(N, "money")),
    ("odds", t.PlainType(N, "odds")),
    ("text", t.PlainType(N, "text")),
    ("id max 24", t.IdType(N, 24)),
    ("Hand", HAND),
    ("Hand?", t.NamedType(N, "Hand", True)),
    ("list of Card max 22", t.ListType(N, "Card", 22)),
    ("set of Hand", t.SetType(N, "Hand")),
    ("Box -> Player?", t.MapType(N, "Box", t.NamedType(N, "Player", True))),
]


@pytest.mark.parametrize(("text", "node"), TYPES, ids=[text for text, _ in TYPES])
def test_a_type_is_read_as(text: str, node: t.TypeExpr) -> None:
    assert block(typed(text)) == t.Decision(N, "d", (), node)


@pytest.mark.parametrize(
    "text",
    ["0..¦", "0..¦b", "¦-1..2", "¦boolean", "¦id 24", "id max¦",
     "list of ¦card max 2", "list of Card¦", "list of Card max ¦Two", "set of ¦0..7", "Hand?¦?", "Box ->¦"],
)  # fmt: skip
def test_a_faulty_type_is_refused_where_it_is_faulty(text: str) -> None:
    refused_where_marked(typed(text))


GOOD: list[tuple[str, t.Block]] = [
    ("ruleset nz/blackjack-1998\n", t.Ruleset(N, "nz/blackjack-1998", None, ())),
    (
        "ruleset nz/new extends nz/old, disapplying 5.1(e), section 7, 13.3 [draw]\n",
        t.Ruleset(N, "nz/new", "nz/old", (ref("5.1(e)"), t.ClauseRef(N, "7", None, True), ref("13.3", "draw"))),
    ),
    ("ruleset nz/new extends nz/old\n", t.Ruleset(N, "nz/new", "nz/old", ())),
    ("law ny/9-nycrr-4620.5\n", t.LawDecl(N, "ny/9-nycrr-4620.5")),
    ("in force from 1998-02-01\n", t.InForce(N, "1998-02-01")),
    ("use std/cards\n", t.Use(N, "std/cards")),
    ("actors player, dealer\n", t.Actors(N, ("player", "dealer"))),
    ("type Box = 1..7\n", t.TypeDecl(N, "Box", t.RangeType(N, 1, 7))),
    ('enum Rank: ace "A" | 2 | 10 "T"\n', t.EnumDecl(N, "Rank", (("ace", "A"), ("2", "2"), ("10", "T")))),
    (
        'record Card(rank: Rank, suit: Suit) written "{rank}{suit}"\n',
        t.RecordDecl(
            N,
            "Card",
            (t.Param(N, "rank", t.NamedType(N, "Rank")), t.Param(N, "suit", t.NamedType(N, "Suit"))),
            (t.WrittenForm(N, "{rank}{suit}", ()),),
        ),
    ),
    ("record R(no: bool)\n", t.RecordDecl(N, "R", (t.Param(N, "no", BOOL),), ())),
    (
        'entity Hand(place: Place) in round written "dealer" for (0), "B{place}"\n'
        "  cards: list of Card max 22\n"
        "  stood: bool = no\n",
        t.EntityDecl(
            N,
            "Hand",
            (t.Param(N, "place", t.NamedType(N, "Place")),),
            "round",
            (t.WrittenForm(N, "dealer", (number(0),)), t.WrittenForm(N, "B{place}", ())),
            (
                t.FieldDecl(N, "cards", t.ListType(N, "Card", 22), None),
                t.FieldDecl(N, "stood", BOOL, t.Bool(N, False)),
            ),
        ),
    ),
    ("entity Hand(h: Hand) in round\n", t.EntityDecl(N, "Hand", (H,), "round", (), ())),
    ("life table\n", t.LifeDecl(N, "table", (), ())),
    ("life round begins open | resume ends close\n", t.LifeDecl(N, "round", ("open", "resume"), ("close",))),
    ("life session around shoe ends over\n", t.LifeDecl(N, "session", (), ("over",), "shoe")),
    ("life contest beside table\n", t.LifeDecl(N, "contest", (), (), None, "table")),
    (
        "state round\n  running: bool = no\n  seated: Box -> Player?\n",
        t.StateDecl(
            N,
            "round",
            (
                t.FieldDecl(N, "running", BOOL, t.Bool(N, False)),
                t.FieldDecl(N, "seated", t.MapType(N, "Box", t.NamedType(N, "Player", True)), None),
            ),
        ),
    ),
    ("event end_round\n", t.EventDecl(N, "end_round", (), (), ())),
    ("event enter by dealer in contest\n", t.EventDecl(N, "enter", (), ("dealer",), (), "contest")),
    ("event note in contest\n  observed\n", t.EventDecl(N, "note", (), (), (t.Observed(N),), "contest")),
    (
        "event pay(h: Hand) by dealer | operator\n"
        "  claims a = b\n  moves a from house to h.player due b\n  moves a from h.player to house\n"
        "  observed\n  needs c\n",
        t.EventDecl(
            N,
            "pay",
            (H,),
            ("dealer", "operator"),
            (
                t.Claims(N, t.Compare(N, "=", A, B)),
                t.Moves(N, A, name("house"), t.Attr(N, name("h"), "player"), B),
                t.Moves(N, A, t.Attr(N, name("h"), "player"), name("house"), None),
                t.Observed(N),
                t.Needs(N, C),
            ),
        ),
    ),
    (
        "on deal(h, c)\n  new h\n  new Hand(1) when a\n  h.cards gains c when b\n  seated[b] = c\n"
        "  for each x in Hand where a: x.stood = b when c\n",
        t.OnDecl(
            N,
            "deal",
            ("h", "c"),
            (
                t.Create(N, name("h"), None),
                t.Create(N, t.Construct(N, "Hand", (arg(number(1)),)), A),
                t.Gains(N, t.Attr(N, name("h"), "cards"), C, B),
                t.Assign(N, t.Index(N, name("seated"), B), C, None),
                t.UpdateEach(N, "x", D, A, t.Assign(N, t.Attr(N, X, "stood"), B, C)),
            ),
        ),
    ),
    ("on end_round\n  a = b\n", t.OnDecl(N, "end_round", (), (t.Assign(N, A, B, None),))),
    ("define a: bool = b\n", t.Define(N, "a", (), BOOL, B)),
    ("define f(h: Hand): bool = b\n", t.Define(N, "f", (H,), BOOL, B)),
    ("decision d(h: Hand): odds\n", t.Decision(N, "d", (H,), t.PlainType(N, "odds"))),
    ("option o: 0..9 = 3\n", t.Option(N, "o", t.RangeType(N, 0, 9), number(3))),
    ("option o: {50, 100}\n", t.Option(N, "o", t.ChoiceType(N, (50, 100)), None)),
    (
        'supplied "the law does not say"\n  define a: bool = b\n  define c: bool = b\n',
        t.Supplied(
            N, "the law does not say", (t.Define(N, "a", (), BOOL, B), t.Define(N, "c", (), BOOL, B))
        ),
    ),
    ('accepted finding gap_7 "as printed"\n', t.Accepted(N, "gap_7", "as printed")),
    ("chance shuffle(seed) uniform\n", t.ChanceDecl(N, "shuffle", "seed", None, None)),
    (
        "chance deal(card) from pack + 1 without replacement since shuffle\n",
        t.ChanceDecl(N, "deal", "card", t.Arith(N, "+", name("pack"), number(1)), "shuffle"),
    ),
    (
        'theorem sound "no gap"\n  for all h: Hand, g: Hand where a: b\n',
        t.Theorem(N, "theorem", "sound", "no gap", t.Claim(N, (H, t.Param(N, "g", HAND)), A, B)),
    ),
    ("theorem sound\n  for all h: Hand: b\n", t.Theorem(N, "theorem", "sound", None, t.Claim(N, (H,), None, B))),
    ("invariant kept\n  a = b\n",
     t.Theorem(N, "invariant", "kept", None, t.Claim(N, (), None, t.Compare(N, "=", A, B)))),
    ("reachable end\n  a\n", t.Theorem(N, "reachable", "end", None, t.Claim(N, (), None, A))),
    (
        'view h: Hand\n  shape "frame"\n  text a, b when c\n  text a\n  colour "red" when a\n  colour "black"\n'
        '  mark "stood"\n  mark "lost" when a\n  faded when b\n  holds x in Hand where a\n',
        t.ViewDecl(
            N,
            "h",
            "Hand",
            (
                t.Shape(N, "frame"),
                t.Words(N, (A, B), C),
                t.Words(N, (A,), None),
                t.Colour(N, "red", A),
                t.Colour(N, "black", None),
                t.Mark(N, "stood", None),
                t.Mark(N, "lost", A),
                t.Faded(N, B),
                t.Holds(N, t.Many(N, "x", D, A)),
            ),
        ),
    ),
    (
        'view "The table" in round\n  row "Here": x in Hand\n  row x in Hand where a\n  ring x in Hand\n'
        "  grid x in Hand where a at (b, c)\n  lay x in Hand on y in Hand where b\n  text a when b\n",
        t.SceneDecl(
            N,
            "The table",
            "round",
            (
                t.Row(N, "Here", t.Many(N, "x", D, None)),
                t.Row(N, None, t.Many(N, "x", D, A)),
                t.Ring(N, t.Many(N, "x", D, None)),
                t.Grid(N, t.Many(N, "x", D, A), B, C),
                t.Lay(N, t.Many(N, "x", D, None), t.Many(N, "y", D, B)),
                t.Words(N, (A,), B),
            ),
        ),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "node"), GOOD, ids=[text.split("\n")[0] for text, _ in GOOD])
def test_a_declaration_is_read_as(text: str, node: t.Block) -> None:
    assert block(text) == node


BAD = [
    "ruleset¦\n",
    "ruleset nz/new ¦extending nz/old\n",
    "ruleset nz/new extends nz/old ¦disapplying 5.1\n",
    "ruleset nz/new extends nz/old, disapplying¦\n",
    "law¦\n",
    "¦in force since 1998-02-01\n",
    "in force from ¦1.2.1998\n",
    "use ¦Std/cards\n",
    "use std/cards ¦std/table\n",
    "actors player ¦dealer\n",
    "actors ¦Player\n",
    "type ¦box = 1..7\n",
    "type Box ¦1..7\n",
    "enum Rank ¦ace\n",
    "enum Rank: ace |¦\n",
    "enum Rank: ace¦, king\n",
    "record Card¦\n",
    "record Card(¦)\n",
    "record Card(rank¦)\n",
    "entity Hand(h: Hand)¦\n",
    "entity Hand(h: Hand) in ¦Round\n",
    "entity Hand(h: Hand) in round\n  cards ¦list of Card max 22\n",
    "entity Hand(h: Hand) in round written¦\n",
    "life¦\n",
    "life round ends¦\n",
    "state round¦\n",
    "state round\n  running¦\n",
    "state round\n  running: bool = no\n ¦stopped: bool = no\n",
    "event ¦Deal\n",
    "event deal(h ¦Hand) by dealer\n",
    "event deal by¦\n",
    "event deal\n  moves a¦\n",
    "event deal\n  moves a ¦to house from b\n",
    "event deal\n  ¦claim a\n",
    "on deal(h)¦\n",
    "on deal(¦any)\n  a = b\n",
    "on deal(¦Hand)\n  a = b\n",
    "on deal(h)\n  a ¦gain b\n",
    "on deal(h)\n  a ¦+= b\n",
    "on deal(h)\n  for each x in Hand ¦a = b\n",
    "define a ¦= b\n",
    "define a: bool ¦b\n",
    "define ¦no: bool = b\n",
    "define f(¦if: bool): bool = b\n",
    "decision d¦\n",
    "decision d: bool ¦= yes\n",
    "option o: {50 ¦100}\n",
    "option o: 0..9 =¦\n",
    'supplied "why"¦\n',
    "supplied¦\n  define a: bool = b\n",
    'accepted finding ¦"why"\n',
    "chance deal¦\n",
    "chance deal(card)¦\n",
    "chance deal(card) from pack¦\n",
    "chance deal(card) from pack without replacement¦\n",
    "theorem sound¦\n",
    "theorem sound\n  for all h ¦Hand: b\n",
    "invariant kept\n  a\n  ¦b\n",
    "view h: ¦hand\n",
    "view h: Hand¦\n",
    "view h: Hand\n  shape ¦frame\n",
    "view h: Hand\n  ¦color a\n",
    "view h: Hand\n  colour ¦red\n",
    "view h: Hand\n  faded ¦a\n",
    "view h: Hand\n  ¦row x in D\n",
    "view ¦if: Hand\n  text a\n",
    'view "The table"¦\n',
    'view "The table" in round¦\n',
    'view "The table" in round\n  ¦holds x in D\n',
    'view "The table" in round\n  row "Here" ¦x in D\n',
    'view "The table" in round\n  grid x in D¦\n',
    'view "The table" in round\n  grid x in D at (a¦)\n',
    'view "The table" in round\n  lay x in D¦\n',
]


@pytest.mark.parametrize("text", BAD)
def test_a_faulty_declaration_is_refused_where_it_is_faulty(text: str) -> None:
    refused_where_marked(text)
