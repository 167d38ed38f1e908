"""What each terminal of the grammar is called when a reader is told what was expected.

A terminal that is a word of the language is called by that word; the others, and whole groups of terminals
that may begin the same thing, have words here.
"""

from __future__ import annotations

WORDS = {
    "NAME": "a name",
    "TYPENAME": "the name of a type",
    "INT": "a whole number",
    "ODDS_LITERAL": "odds such as `3 to 2`",
    "ADDRESS": "a clause number",
    "LABEL": "a label such as `[draw]`",
    "MODULE": "the name of a module",
    "DATE": "a date such as 1998-02-01",
    "STRING": "words in double quotes",
    "_NL": "an indented line",
    "_END": "the end of the statement",
    "$END": "the end of the file",
    "COMPARE": "a comparison such as `<=`",
    "DOTDOT": "`..`",
    "DOT": "`.`",
    "ARROW": "`->`",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "LBRACKET": "`[`",
    "RBRACKET": "`]`",
    "LBRACE": "`{`",
    "RBRACE": "`}`",
    "COMMA": "`,`",
    "COLON": "`:`",
    "SEMICOLON": "`;`",
    "BAR": "`|`",
    "EQUALS": "`=`",
    "QUESTION": "`?`",
    "PLUS": "`+`",
    "MINUS": "`-`",
    "STAR": "`*`",
    "SLASH": "`/`",
    "COMMENT": "a comment",
    "BLANK": "a space",
    "_NEWLINE": "the end of the line",
}

KEYWORDS_IN_WORDS = {
    "IN_FORCE": "in force from",
    "ACCEPTED": "accepted finding",
    "NO_SUCH": "none",
    "IS_MULTIPLE_OF": "is a multiple of",
    "UNLESS_PERMITTED": "unless expressly permitted",
}
"""The terminals of words of the language whose name is not the word in capitals."""

VALUE = frozenset(
    {
        "NAME",
        "TYPENAME",
        "INT",
        "ODDS_LITERAL",
        "STRING",
        "YES",
        "NO",
        "LPAR",
        "MINUS",
        "SUM",
        "LEAST",
        "GREATEST",
        "NUMBER_OF",
        "THE_FIRST",
        "THE_LAST",
        "ALL",
        "AFTER",
        "TABLE",
    }
)
CONDITION = frozenset({"NOT", "SOME", "EVERY", "NO_SUCH", "IF", "RULE"})
TESTS = frozenset({"COMPARE", "EQUALS", "IN", "NOT_IN", "EXISTS", "DOES_NOT_EXIST", "HAS", "IS_MULTIPLE_OF"})
ARITHMETIC = frozenset({"PLUS", "MINUS", "STAR", "SLASH", "MOD", "DIV"})
PARTS = frozenset({"DOT", "LBRACKET"})
DEADLINES = frozenset({"AT_ONCE", "BEFORE", "BY_END_OF", "IMMEDIATELY_AFTER", "UNTIL"})
STATEMENTS = frozenset(
    {
        "DEFINE",
        "DECISION",
        "OPTION",
        "GIVEN",
        "EXCEPT",
        "SUBJECT_TO",
        "UNLESS",
        "UNLESS_PERMITTED",
        "NOTWITHSTANDING",
        "OVERRIDES",
        "ASKED",
        "APPLY",
        "REQUIRE",
        "UNOBSERVABLE",
        "EXTERNAL",
        "STRUCTURAL",
        "AGREES_WITH",
        "POINTS_TO",
        "READING",
        "ANYONE_BUT",
        "NAME",
    }
)
BLOCKS = frozenset(
    {
        "RULESET",
        "LAW",
        "IN_FORCE",
        "USE",
        "ACTORS",
        "DEFINE",
        "DECISION",
        "OPTION",
        "TYPE",
        "ENUM",
        "RECORD",
        "ENTITY",
        "LIFE",
        "STATE",
        "EVENT",
        "ON",
        "SUPPLIED",
        "ACCEPTED",
        "CHANCE",
        "THEOREM",
        "INVARIANT",
        "REACHABLE",
        "VIEW",
        "RULE",
    }
)
TYPES = frozenset({"INT", "BOOL", "MONEY", "ODDS", "TEXT", "ID_MAX", "TYPENAME", "LIST_OF", "SET_OF"})

GROUPS = (
    (BLOCKS | {"$END"}, "a rule or a declaration in column 1"),
    (STATEMENTS, "a statement"),
    (VALUE | CONDITION, "a value or a condition"),
    (VALUE, "a value"),
    (
        TYPES,
        "a type (`bool`, `money`, `odds`, `text`, a range such as `0..7`, `id max 24`, `set of`, `list of`, "
        "or a type's name)",
    ),
    (DEADLINES, "a deadline (`at once`, `before`, `by end of` …)"),
    (
        TESTS | ARITHMETIC | {"AND", "OR"},
        "an operator (`and`, `or`, `=`, `<=`, `in`, `exists`, `has`, `+` …)",
    ),
    (frozenset({"HAS_HAPPENED", "HAS_NOT_HAPPENED"}), "`has happened`"),
    (TESTS, "a comparison (`=`, `<=`, `in`, `exists`, `has` …)"),
    (ARITHMETIC, "`+`, `-`, `*`, `/`"),
    (PARTS, "`.`"),
    (frozenset({"_NL", "_END"}), "the end of the statement"),
)
"""Terminals that together are one thing to a reader; a group counts when all of it may stand there."""

MOST = 7
"""Things listed as expected; what is left over is counted."""


def in_words(terminal: str) -> str:
    """The words for a terminal: those of the table, else the word of the language itself."""
    if terminal in WORDS:
        return WORDS[terminal]
    return "`" + KEYWORDS_IN_WORDS.get(terminal, terminal.lower().replace("_", " ")) + "`"


def expected(terminals: set[str]) -> str:
    """`expected …`: what may stand at a place where the parser takes `terminals`."""
    said: list[str] = []
    covered: set[str] = set()
    for group, words in GROUPS:
        if group <= terminals and not group <= covered:
            said.append(words)
            covered |= group
    single = sorted(
        {in_words(name) for name in terminals - covered} - set(said), key=lambda w: (w[0] == "`", w)
    )
    said = single + said
    if not said:
        return "expected nothing more"
    if len(said) > MOST:
        return "expected one of: " + ", ".join(said[-MOST:]) + f" (and {len(said) - MOST} more)"
    if len(said) == 1:
        return "expected " + said[0]
    return "expected " + ", ".join(said[:-1]) + " or " + said[-1]
