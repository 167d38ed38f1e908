"""Syntax errors in a lawyer's words: what cannot stand there, what was expected, what may have been meant."""

from __future__ import annotations

import re

from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from verifier.errors import InternalError, Problem
from verifier.syntax import terms
from verifier.syntax.grammar import keywords
from verifier.syntax.layout import NAMES, LayoutError
from verifier.syntax.places import begins_block, problem_at
from verifier.syntax.repair import suggestion
from verifier.syntax.tree import At

CLOSING = {"(": ")", "[": "]", "{": "}"}

LOOKALIKES = {
    "“": '`"`',
    "”": '`"`',
    "„": '`"`',
    "«": '`"`',
    "»": '`"`',
    "'": '`"` round words',
    "‘": '`"`',
    "’": '`"`',
    "≤": "`<=`",
    "≥": "`>=`",
    "≠": "`!=`",
    "–": "`-`",
    "—": "`-`",
    "−": "`-`",
    "×": "`*`",
    "÷": "`/` or `div`",
    "…": "`..`",
    "\u00a0": "a plain space",
    "&": "`and`",
    "%": "`mod`",
    "~": "`not`",
    "!": "`not` or `!=`",
}
"""Characters often typed for one of the language's signs, and what to write."""

_FORBIDDEN = re.compile(
    "[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]|\r(?!\n)"
)
_TEXT = re.compile(r'"(?:\\.|[^"\\\n])*"|#[^\n]*|\[[^\]\n]+\]|[()\[\]{}]')
_QUOTED = re.compile(r'"(?:\\.|[^"\\\n])*"')
_WORD = re.compile(r"[A-Za-z0-9_]*")
SHOWN = 40
"""Characters of a token that a message repeats."""


def forbidden(text: str, path: str) -> Problem | None:
    """The first character that no rule file may hold, not even in quotes or comments: what cannot be seen."""
    found = _FORBIDDEN.search(text)
    if found is None:
        return None
    if found.group() == "\t":
        return _problem(
            text,
            path,
            found.start(),
            1,
            "a tab cannot stand in a rule file",
            "forbidden-character",
            "use spaces; two indent a statement",
        )
    return _problem(
        text,
        path,
        found.start(),
        1,
        f"the character U+{ord(found.group()):04X} cannot stand in a rule file",
        "forbidden-character",
        "delete it: it cannot be seen, and could hide what the text says",
    )


def layout_problem(text: str, path: str, error: LayoutError) -> Problem:
    """The problem for what the layout refuses about `text`."""
    near = suggestion(text, error.offset, signs=False) if error.code == "syntax" else None
    help = f"{near}\n{error.help}" if near else error.help
    return problem_at(text, path, error.at, error.message, error.code, help)


def syntax_problem(text: str, path: str, error: UnexpectedInput) -> Problem:
    """The problem for what Lark reports about `text`."""
    if isinstance(error, UnexpectedToken):
        offset = error.token.start_pos or 0
        return _unexpected(text, path, offset, error.token.type, str(error.token), set(error.accepts or ()))
    if isinstance(error, UnexpectedCharacters):
        accepts: set[str] = set()
        if error.interactive_parser is not None:
            accepts = error.interactive_parser.accepts()  # type: ignore[no-untyped-call]
        return _character(text, path, error.pos_in_stream or 0, accepts)
    raise InternalError(
        Problem(f"no words for {type(error).__name__}", path, code="unexplained-syntax-error")
    )


def _problem(
    text: str, path: str, offset: int, width: int, message: str, code: str, *helps: str | None
) -> Problem:
    line = text.count("\n", 0, offset) + 1
    column = offset - (text.rfind("\n", 0, offset) + 1) + 1
    help = "\n".join(h for h in helps if h) or None
    return problem_at(text, path, At(line, column, line, column + width), message, code, help)


def _character(text: str, path: str, offset: int, accepts: set[str]) -> Problem:
    """A character with which no token begins."""
    found = text[offset]
    line_end = text.find("\n", offset) if "\n" in text[offset:] else len(text)
    if found == '"':
        quoted = _QUOTED.match(text, offset)
        if quoted is None:
            return _problem(
                text,
                path,
                offset,
                line_end - offset,
                "these quoted words are not closed",
                "syntax",
                'close them with `"` on the same line; a quotation mark inside is written `\\"`',
            )
        bad = re.compile(r'\\(?!["\\])').search(text.replace("\\\\", "  "), offset)
        return _problem(
            text,
            path,
            bad.start() if bad else offset,
            2,
            "a backslash cannot stand here",
            "syntax",
            'in quoted words, write a quotation mark `\\"` and a backslash `\\\\`',
        )
    if found.isascii() and found.isdigit():
        word = _WORD.match(text, offset)
        shown = word.group() if word else found
        return _problem(
            text,
            path,
            offset,
            len(shown),
            f"`{shown}` is not a number",
            "syntax",
            "write whole numbers without leading zeros",
            terms.expected(accepts),
        )
    helps = [f"write {LOOKALIKES[found]}" if found in LOOKALIKES else None]
    if found == "_":
        helps.append("names begin with a small letter")
    elif found.isalpha():
        helps.append("outside of quotes and comments, write with the letters a to z")
    return _problem(
        text, path, offset, 1, f"`{found}` cannot stand here", "syntax", *helps, terms.expected(accepts)
    )


AT_ONCE = re.compile(r"at[ ]+once\b")
"""Where neither may stand the words are taken for the `at` of a grid."""


def _unexpected(text: str, path: str, offset: int, kind: str, token: str, accepts: set[str]) -> Problem:
    """A token that cannot follow what stands before it."""
    if kind == "AT" and (words := AT_ONCE.match(text, offset)) is not None:
        kind, token = "AT_ONCE", words[0]
    opened, wrong = _brackets(text, offset)
    at_end = kind in {"_NL", "_END", "$END"}
    if at_end and opened is not None:
        sign = text[opened]
        return _problem(
            text,
            path,
            opened,
            1,
            f"this `{sign}` is not closed",
            "syntax",
            f"close it with `{CLOSING[sign]}`; a line that continues a statement is indented further "
            "than the statement",
            suggestion(text, offset),
        )
    if kind == "_NL" and "_END" in accepts:
        more = re.compile(r"\n *(?=[^ #\n\r])").search(text, offset)
        return _problem(
            text,
            path,
            more.end() if more else offset,
            1,
            "no further statement may stand in this block",
            "syntax",
            "indent this line further if it continues the one above; begin it in column 1 if it is a block",
        )
    if at_end:
        return _problem(
            text,
            path,
            offset,
            1,
            "the statement ends here, too soon",
            "syntax",
            suggestion(text, offset),
            terms.expected(accepts),
        )
    if wrong is not None and token in CLOSING.values():
        if opened is None:
            return _problem(
                text,
                path,
                offset,
                1,
                f"this `{token}` closes nothing that was opened",
                "syntax",
                "delete it, or open the bracket before it",
            )
        return _problem(
            text,
            path,
            offset,
            1,
            f"this `{token}` does not close the `{text[opened]}` that is open",
            "syntax",
            f"write `{CLOSING[text[opened]]}`, or close {_where(text, opened)} before it",
        )
    start, whole = _whole(text, offset, token)
    shown = whole if len(whole) <= SHOWN else whole[: SHOWN - 1] + "…"
    near = _rule_of_thumb(text, offset, kind, token, accepts) or suggestion(text, start)
    if near is None and whole != token:
        near = NAMES
    unclosed = None
    if near is None and opened is not None:
        unclosed = f"{_where(text, opened)} is still open"
    return _problem(
        text,
        path,
        start,
        len(whole),
        f"`{shown}` cannot stand here",
        "syntax",
        near,
        unclosed,
        terms.expected(accepts),
    )


def _where(text: str, offset: int) -> str:
    """A bracket with its place."""
    line = text.count("\n", 0, offset) + 1
    return f"the `{text[offset]}` in line {line}, column {offset - text.rfind(chr(10), 0, offset)}"


def _whole(text: str, offset: int, token: str) -> tuple[int, str]:
    """The whole word of which the lexer may have taken a part only: `when` is found in `whenever`."""
    if not _WORD.fullmatch(token):
        return offset, token
    start = offset
    while start > 0 and (text[start - 1] == "_" or text[start - 1].isalnum()):
        start -= 1
    rest = _WORD.match(text, offset + len(token))
    return start, text[start : rest.end() if rest else offset + len(token)]


def _brackets(text: str, offset: int) -> tuple[int | None, int | None]:
    """The innermost bracket open at `offset`, and `offset` itself if a bracket there does not close it.

    Only the block round `offset` counts; words in quotes, comments and labels are passed over.
    """
    start = 0
    for line in re.finditer(r"^[^\n]*", text[:offset], re.MULTILINE):
        if begins_block(line.group()):
            start = line.start()
    opened: list[int] = []
    for found in _TEXT.finditer(text, start, offset):
        if found.group() in CLOSING:
            opened.append(found.start())
        elif found.group() in CLOSING.values() and opened:
            opened.pop()
    closes = text[offset : offset + 1]
    fits = bool(opened) and CLOSING[text[opened[-1]]] == closes
    return (opened[-1] if opened else None), (offset if closes in CLOSING.values() and not fits else None)


def _rule_of_thumb(text: str, offset: int, kind: str, token: str, accepts: set[str]) -> str | None:
    """Help for mistakes known by what stands there and what was expected; None for all others."""
    return (
        _about_broken_words(text, offset)
        or _about_names(text[:offset], kind, token, accepts)
        or _about_numbers(text[:offset], text[offset:], kind, token)
        or _about_conditions(text[:offset], kind, token, accepts)
    )


def _about_broken_words(text: str, offset: int) -> str | None:
    start = max(0, offset - SHOWN)
    for words in keywords().values():
        if " " not in words:
            continue
        broken = r"\b" + words.replace(" ", r"\s+") + r"\b"
        for found in re.finditer(broken, text[start : offset + SHOWN]):
            upto = text[start + found.end() : offset]
            if "\n" in found.group() and start + found.start() <= offset and not upto.strip():
                return f"write `{words}` on one line"
    return None


def _about_names(before: str, kind: str, token: str, accepts: set[str]) -> str | None:
    if kind == "TYPENAME" and token.lower() in keywords().values():
        return f"the words of the language are written small: `{token.lower()}`"
    if kind == "TYPENAME" and "NAME" in accepts and "TYPENAME" not in accepts:
        return f"names begin with a small letter: `{_small(token)}`"
    if kind == "NAME" and "TYPENAME" in accepts and "NAME" not in accepts and "BOOL" not in accepts:
        return "the name of a type begins with a capital letter"
    capital = re.search(r"\b([A-Z]\w*) *$", before)
    if capital and accepts == {"LPAR"}:
        return (
            f"`{capital.group(1)}` is a type; names begin with a small letter: `{_small(capital.group(1))}`"
        )
    return None


def _small(name: str) -> str:
    return name[:1].lower() + name[1:]


def _about_numbers(before: str, after: str, kind: str, token: str) -> str | None:
    if re.fullmatch(r"0\d+", token):
        return "write whole numbers without leading zeros"
    if token.isdigit() and re.search(r"\d\.$", before):
        return "numbers are whole; write a part of a whole as `3 to 2` or `1 / 2`, money in minor units"
    if kind == "COLON" and re.search(r"\d *$", before) and re.match(r": *\d", after):
        return "write odds as `3 to 2`"
    if token == "?" and re.search(r"\d$", before):
        return "a range that may be absent has a name: `type Seat = 1..3`, then `Seat?`"
    if token == "?" and re.search(r"\b(bool|text)$", before):
        return (
            "of the plain types only `money` and `odds` may be absent; "
            "so may what a `type`, `enum`, `record` or `entity` names"
        )
    if kind == "LPAR" and re.search(r"\d$", before):
        return "write each clause in full: `5.1(c), 5.1(d)`"
    return None


def _about_conditions(before: str, kind: str, token: str, accepts: set[str]) -> str | None:
    if kind == "EQUALS" and before.endswith("="):
        return "write one `=`"
    if kind in {"PLUS", "MINUS", "STAR"} and "GAINS" in accepts:
        return "say what it becomes: `x = x + y`"
    if kind == "COMMA" and "SEMICOLON" in accepts:
        return "rows of a table are parted by `;`"
    if kind in terms.DEADLINES and ("AND" in accepts or " when " in before):
        return "the deadline stands before `when`"
    quantifier = re.search(r"\b(some|every|none|if) +$", before)
    if quantifier and accepts & {"EQUALS", "OTHERWISE", "WHERE"}:
        return f"put it in brackets, since it reaches to the end: `({quantifier.group(1)} …)`"
    if kind in terms.TESTS | {"OR"} and {"OTHERWISE", "WHEN", "AND"} <= accepts:
        return "put a condition that is the value of a decision in brackets: `f(x) = (a or b)`"
    if kind in {"COMPARE", "EQUALS"} and "AND" in accepts and "EQUALS" not in accepts:
        return "comparisons do not follow each other: write `a < b and b < c`"
    return None
