"""Random rule files: each construct of the grammar, written with random spaces, line breaks and comments."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from verifier.syntax.layout import WITH_STATEMENTS

NAMES = (
    "a",
    "h",
    "p2",
    "win",
    "stand_off",
    "dealer",
    "android",
    "orbit",
    "norm",
    "inner",
    "whence",
    "kind",
    "given",
)
TYPES = ("Hand", "Card", "X2")

TIGHT = frozenset("()[]{},:;|=?+-*/")

Words = list[str]


class Maker:
    """Makes the words of constructs, from the random numbers it is given; `depth` bounds the nesting.

    A `~` is a space within words that must stay on one line.
    """

    def __init__(self, random: Random) -> None:
        self.random = random

    def one(self, *choices: object) -> Words:
        """The words of one of the choices: words, or functions that make them."""
        chosen = self.random.choice(choices)
        made = chosen() if callable(chosen) else chosen
        return made if isinstance(made, list) else str(made).split()

    def maybe(self, *words: object) -> Words:
        return self.all(*words) if self.random.random() < 0.4 else []

    def all(self, *parts: object) -> Words:
        return [word for part in parts for word in self.one(part)]

    def several(self, sign: str, part: object, most: int = 3) -> Words:
        words = self.all(part)
        for _ in range(self.random.randrange(most)):
            words += [sign, *self.all(part)]
        return words

    def name(self) -> Words:
        return [self.random.choice(NAMES)]

    def type_name(self) -> Words:
        return [self.random.choice(TYPES)]

    def string(self) -> Words:
        return [
            self.random.choice(
                ['"x"', '"no # comment (here"', r'"a \"b\" \\"', '""', f'"{"long words " * 9}"']
            )
        ]

    # ------------------------------------------------------------------------------------------- expressions
    def expr(self, depth: int = 3) -> Words:
        return self.disj(depth) if depth <= 0 or self.random.random() < 0.8 else self.open(depth - 1)

    def open(self, d: int) -> Words:
        before = self.random.choice(["", "and", "or", "or and"])
        if before == "or and":
            return self.all(lambda: self.disj(d), "or", lambda: self.conj(d), "and", lambda: self.quant(d))
        left = (lambda: self.conj(d)) if before == "and" else (lambda: self.disj(d))
        return self.all(left, before, lambda: self.quant(d)) if before else self.quant(d)

    def quant(self, d: int) -> Words:
        def e() -> Words:
            return self.expr(d)

        if self.random.random() < 0.3:
            return self.all("if", e, "then", e, "else", e)
        kind = self.random.choice(["some", "every", "none"])
        return self.all(kind, self.name, "in", lambda: self.domain(d), self.where(d), ":", e)

    def where(self, d: int) -> Words:
        return self.maybe("where", lambda: self.expr(d))

    def disj(self, d: int) -> Words:
        return self.several("or", lambda: self.conj(d), 2 if d > 0 else 1)

    def conj(self, d: int) -> Words:
        return self.several("and", lambda: self.neg(d), 2 if d > 0 else 1)

    def neg(self, d: int) -> Words:
        return [*self.maybe("not"), *self.cmp(d)]

    def cmp(self, d: int) -> Words:
        def s() -> Words:
            return self.sum(d - 1)

        if d <= 0:
            return self.sum(0)
        return self.one(
            s,
            lambda: self.all(s, self.random.choice(["=", "!=", "<", "<=", ">", ">="]), s),
            lambda: self.all(s, self.random.choice(["in", "not~in"]), lambda: self.domain(d - 1)),
            lambda: self.all(s, self.random.choice(["exists", "does~not~exist"])),
            lambda: self.all(s, "has 2", self.name, self.random.choice(["", "or~more", "or~fewer"])),
            lambda: self.all(
                lambda: self.call(d - 1),
                self.random.choice(["has~happened", "has~not~happened"]),
                self.scope(d - 1),
            ),
            lambda: self.all("rule", self.clause, "has~been~broken", self.scope(d - 1)),
            lambda: self.all(s, "is~a~multiple~of", s),
        )

    def sum(self, d: int) -> Words:
        sign = self.random.choice(["+", "-", "*", "mod", "div", "/"])
        return self.several(sign, lambda: self.unary(d), 2 if d > 0 else 1)

    def unary(self, d: int) -> Words:
        return [*self.maybe("-"), *self.postfix(d)]

    def postfix(self, d: int) -> Words:
        words = self.atom(d)
        for _ in range(self.random.randrange(3) if d > 0 else 0):
            words += self.one(
                lambda: [".", *self.name()], lambda: self.all("[", lambda: self.expr(d - 1), "]")
            )
        return words

    def atom(self, d: int) -> Words:
        simple = (self.name, "0", "17", "yes", "no", "3~to~2", self.string, self.name)
        if d <= 0:
            return self.one(*simple)

        def e() -> Words:
            return self.expr(d - 1)

        def over() -> Words:
            return self.all(self.name, "in", lambda: self.domain(d - 1), self.where(d - 1), ")")

        return self.one(
            *simple,
            lambda: self.call(d),
            lambda: self.all(self.type_name, "(", lambda: self.args(d - 1), ")"),
            lambda: self.all("(", e, ")"),
            lambda: self.all(self.random.choice(["sum", "least", "greatest"]), "(", e, "for", over),
            lambda: self.all(self.random.choice(["number~of", "the~first", "the~last", "all"]), "(", over),
            lambda: self.all("number~of (", lambda: self.call(d - 1), self.scope(d - 1), ")"),
            lambda: self.all("after (", e, ")"),
            lambda: self.all(
                "table (", e, ") {",
                lambda: self.several(";", lambda: self.all(lambda: self.sum(0), ":", lambda: self.sum(d - 1)), 9), "}",
            ),
        )  # fmt: skip

    def call(self, d: int) -> Words:
        return [*self.name(), *self.maybe("(", lambda: self.args(d - 1), ")")]

    def args(self, d: int) -> Words:
        def arg() -> Words:
            return self.one(
                "any",
                lambda: self.sum(d),
                lambda: self.all(self.name, "where", lambda: self.expr(d - 1)),
                lambda: self.all(self.name, ":", lambda: self.sum(d)),
                lambda: self.all(self.name, ": any"),
            )

        return self.several(",", arg)

    def scope(self, d: int) -> Words:
        return self.one(lambda: self.all("this", self.name), lambda: self.all("since", lambda: self.call(d)))

    def domain(self, d: int) -> Words:
        def element() -> Words:
            return self.all(lambda: self.sum(d), self.maybe("..", lambda: self.sum(0)))

        return self.one(
            self.type_name,
            lambda: self.postfix(d),
            "1 .. 7",
            lambda: self.all("{", lambda: self.several(",", element), "}"),
        )

    # ---------------------------------------------------------------------------------------------- statements
    def clause(self) -> Words:
        address = self.random.choice(["5.1", "5.1(c)", "(a)(ii)", "16", "10.3(a)"])
        if self.random.random() < 0.2:
            return ["section", address]
        return [address, *self.one([], [], ["[the late draw]"])]

    def clauses(self) -> Words:
        return self.several(",", self.clause)

    def variables(self) -> Words:
        return self.maybe("(", lambda: self.several(",", self.name), ")")

    def param(self) -> Words:
        return self.all(self.name, ":", self.type)

    def params(self) -> Words:
        return self.maybe("(", lambda: self.several(",", self.param), ")")

    def type(self) -> Words:
        return self.one(
            "0 .. 7", "bool", "money", "odds", "text", "id~max 24", self.type_name,
            lambda: [*self.type_name(), "?"],
            lambda: self.all("list~of", self.type_name, "max 22"),
            lambda: self.all("set~of", self.type_name),
            lambda: self.all(self.type_name, "->", self.type),
        )  # fmt: skip

    def when(self) -> Words:
        return self.maybe("when", self.expr)

    def act(self) -> Words:
        return self.all(self.name, self.maybe("(", lambda: self.args(1), ")"))

    def acts(self) -> Words:
        return self.several("or", self.act)

    def effect(self) -> Words:
        return self.all("outcome", self.variables, "=", lambda: self.sum(2))

    def define(self) -> Words:
        return self.all("define", self.name, self.params, ":", self.type, "=", lambda: self.expr(4))

    def deontic(self) -> Words:
        bearer = self.random.choice(["dealer", "dealer | supervisor", "player p", "anyone~but dealer"])
        force = self.random.choice(["must", "must~not", "may"])
        deadline: Words = []
        if force == "must":
            deadline = self.one(
                "at~once",
                lambda: self.all("before", self.acts),
                lambda: self.all("by~end~of", self.name),
                lambda: self.all("immediately~after", self.act),
            )
        elif force == "must~not":
            deadline = self.maybe("until", self.act, "this", self.name)
        return self.all(bearer, force, self.acts, deadline, self.when)

    def statement(self) -> Words:
        edge = self.random.choice(["except", "subject~to", "unless", "notwithstanding", "overrides"])
        return self.one(
            self.define,
            lambda: self.all("decision", self.name, self.params, ":", self.type),
            lambda: self.all("option", self.name, ":", self.type, self.maybe("=", lambda: self.expr(1))),
            lambda: ["option", "o", ":", "{", "50", ",", "100", "}"],
            lambda: self.all("given", self.expr, self.maybe("for", lambda: self.several("|", self.name))),
            lambda: self.all(edge, self.clauses, self.maybe("for", lambda: self.several(",", self.name))),
            "unless~expressly~permitted",
            "notwithstanding everything",
            lambda: self.all(lambda: self.several("and", self.effect), self.one(self.when, "otherwise")),
            lambda: self.all("asked", self.name, self.variables, self.when),
            lambda: self.all("apply", self.clause, self.maybe("to", self.clause), "where", self.expr),
            self.deontic,
            self.deontic,
            lambda: self.all("require", self.expr, self.when),
            lambda: self.all("unobservable", self.string, self.maybe("for~words", self.string)),
            lambda: self.all(self.random.choice(["external", "reading", "structural"]), self.string),
            "structural",
            lambda: self.all(self.random.choice(["agrees~with", "points~to"]), self.clauses),
            lambda: self.all("dealer answers~for", self.clauses),
        )

    # -------------------------------------------------------------------------------------------------- blocks
    def field(self) -> Words:
        return self.all(self.param, self.maybe("=", lambda: self.expr(2)))

    def update(self) -> Words:
        place = self.all("a", self.maybe("[", lambda: self.expr(1), "]"), self.maybe(". b"))
        return self.one(
            lambda: self.all(place, "=", self.expr, self.when),
            lambda: self.all(place, "gains", self.expr, self.when),
            lambda: self.all("new", lambda: self.postfix(2), self.when),
            lambda: self.all(
                "for~each", self.name, "in", lambda: self.domain(1), self.where(1), ":", place, "=", self.expr
            ),
        )

    def event_clause(self) -> Words:
        return self.one(
            "observed",
            lambda: self.all("claims", self.expr),
            lambda: self.all("needs", self.expr),
            lambda: self.all("moves", self.expr, "from house to p . q", self.maybe("due", self.expr)),
        )

    def claim(self) -> Words:
        for_all = self.maybe("for~all", lambda: self.several(",", self.param), self.where(2), ":")
        return [*for_all, *self.expr()]

    def written(self) -> Words:
        form = self.maybe("for (", lambda: self.several(",", lambda: self.expr(1)), ")")
        return self.maybe("written", lambda: self.several(",", lambda: self.all(self.string, form)))

    def head(self) -> Words:
        """A block of one statement."""
        return self.one(
            lambda: [
                "ruleset",
                "nz/new",
                *self.maybe("extends nz/old-1.2", self.maybe(", disapplying", self.clauses)),
            ],
            "law ny/9-nycrr-4620.5",
            "in~force~from 1998-02-01",
            "use std/cards",
            lambda: self.all("actors", lambda: self.several(",", self.name)),
            self.define,
            lambda: self.all("type X =", self.type),
            lambda: self.all(
                "enum E :", lambda: self.several("|", lambda: self.one("a", '2 "T"', 'b "w"'), 30)
            ),
            lambda: self.all("record R", self.keyed, self.written),
            lambda: self.all(
                "life",
                self.name,
                self.maybe(lambda: self.one("around a", "beside b")),
                self.maybe("begins a | b"),
                self.maybe("ends c"),
            ),
            lambda: self.all("accepted~finding", self.name, self.string),
            lambda: self.all("chance deal ( card ) uniform"),
            lambda: self.all("chance deal ( card ) from", self.expr, "without~replacement since", self.name),
        )

    def shown(self) -> Words:
        return self.all("text", lambda: self.several(",", self.expr), self.maybe("when", self.expr))

    def many(self) -> Words:
        return self.all(self.name, "in", lambda: self.domain(1), self.where(1))

    def look(self) -> Words:
        return self.one(
            lambda: self.all("shape", self.string),
            self.shown,
            lambda: self.all("colour", self.string, self.maybe("when", self.expr)),
            lambda: self.all("mark", self.string, self.maybe("when", self.expr)),
            lambda: self.all("faded when", self.expr),
            lambda: self.all("holds", self.many),
        )

    def part(self) -> Words:
        return self.one(
            lambda: self.all("row", self.maybe(self.string, ":"), self.many),
            lambda: self.all("ring", self.many),
            lambda: self.all("grid", self.many, "at (", lambda: self.expr(1), ",", lambda: self.expr(1), ")"),
            lambda: self.all("lay", self.many, "on", self.many),
            self.shown,
        )

    def keyed(self) -> Words:
        return self.all("(", lambda: self.several(",", self.param), ")")

    def rule(self) -> Words:
        address = self.random.choice(["5.1", "5.1(c)", "(a)(ii)", "10.3(a)"])
        return self.all("rule", address, self.maybe("[late]"), self.string)

    def block(self) -> list[Words]:
        """The words of a block's first line, then of its statements."""
        kind = self.random.choice(
            ["rule"] * 6
            + ["head", "head", "entity", "state", "event", "on", "supplied", "claim", "view", "scene"]
        )
        some, many = range(1 + self.random.randrange(3)), range(self.random.randrange(4))
        match kind:
            case "rule":
                inline = self.statement() if self.random.random() < 0.3 else []
                return [[*self.rule(), *inline], *(self.statement() for _ in many)]
            case "head":
                return [self.head()]
            case "entity":
                head = self.all("entity Hand", self.keyed, "in", self.name, self.written)
                return [head, *(self.field() for _ in many)]
            case "state":
                return [self.all("state", self.name), *(self.field() for _ in some)]
            case "event":
                head = self.all("event", self.name, self.params, self.maybe("by a | b"), self.maybe("in c"))
                return [head, *(self.event_clause() for _ in many)]
            case "on":
                return [self.all("on", self.name, self.variables), *(self.update() for _ in some)]
            case "supplied":
                return [self.all("supplied", self.string), *(self.define() for _ in some)]
            case "view":
                return [self.all("view", self.name, ": Hand"), *(self.look() for _ in some)]
            case "scene":
                return [self.all("view", self.string, "in", self.name), *(self.part() for _ in some)]
            case _:
                claim = self.random.choice(["theorem", "invariant", "reachable"])
                return [self.all(claim, self.name, self.one([], self.string)), self.claim()]


class Writer:
    """Writes words with random layout; its comments are numbered, so that none can get lost unseen."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.comments = 0

    def comment(self) -> str:
        self.comments += 1
        return f"#{self.random.choice(['', ' ', '  '])}c{self.comments} " + self.random.choice(
            ["", '"', "( rule", "- "]
        )

    def trailing(self) -> str:
        return self.random.choice(["", " ", "   "]) + (self.comment() if self.random.random() < 0.2 else "")

    def lines(self, indents: tuple[int, ...]) -> str:
        """Blank lines and comments between statements."""
        found = ""
        while self.random.random() < 0.3:
            comment = " " * self.random.choice(indents) + self.comment()
            found += self.random.choice(["", "", "  ", comment, comment]) + "\n"
        return found

    def between(self, before: str, after: str, deeper: int | None) -> str:
        if deeper is not None and self.random.random() < 0.15:
            lines = self.lines((0, deeper, deeper + 3))
            return self.trailing() + "\n" + lines + " " * (deeper + self.random.randrange(3))
        if (before[-1] in TIGHT or after[0] in TIGHT) and before[-1] + after[0] not in {
            "->",
            "<=",
            ">=",
            "!=",
        }:
            return self.random.choice(["", " ", "  "])
        return self.random.choice([" ", " ", "  "])

    def statement(self, words: Words, deeper: int | None) -> str:
        words = [word.replace("~", self.random.choice([" ", "  "])) for word in words]
        text = words[0]
        for before, after in pairwise(words):
            text += self.between(before, after, deeper) + after
        return text + self.trailing()

    def block(self, statements: list[Words]) -> str:
        takes = statements[0][0].upper() in WITH_STATEMENTS
        step = 1 + self.random.randrange(4)
        text = self.lines((0,)) + self.statement(statements[0], None if takes else 1) + "\n"
        for statement in statements[1:]:
            text += self.lines((0, step, 7)) + " " * step + self.statement(statement, step + 1) + "\n"
        return text + self.lines((0, step))


def made_module(random: Random) -> str:
    """A random rule file that parses. Its comments read `# c1`, each with a number of its own."""
    maker, writer = Maker(random), Writer(random)
    return "".join(writer.block(maker.block()) for _ in range(1 + random.randrange(3)))
