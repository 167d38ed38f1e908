"""Questions as SMT-LIB 2 text that any solver can be given; a question is what its text says and nothing else.

The text is the same for the same conditions whatever was asked before: declarations are sorted, and what is shared
or long is defined by itself, numbered in the order in which it is met.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import z3

from verifier.prove.values import CannotEncodeError, Truth

WIDTH = 110
"""Comments are wrapped at so many characters."""

LONG = 1000
"""What takes more characters than this is defined by itself, so that no line gets very long."""

_TRUTHS = {
    z3.Z3_OP_TRUE: "true",
    z3.Z3_OP_FALSE: "false",
    z3.Z3_OP_AND: "and",
    z3.Z3_OP_OR: "or",
    z3.Z3_OP_NOT: "not",
    z3.Z3_OP_IMPLIES: "=>",
    z3.Z3_OP_XOR: "xor",
    z3.Z3_OP_IFF: "=",
    z3.Z3_OP_EQ: "=",
    z3.Z3_OP_DISTINCT: "distinct",
    z3.Z3_OP_LE: "<=",
    z3.Z3_OP_GE: ">=",
    z3.Z3_OP_LT: "<",
    z3.Z3_OP_GT: ">",
}
_NUMBERS = {
    z3.Z3_OP_ADD: "+",
    z3.Z3_OP_SUB: "-",
    z3.Z3_OP_UMINUS: "-",
    z3.Z3_OP_MUL: "*",
    z3.Z3_OP_IDIV: "div",
    z3.Z3_OP_MOD: "mod",
}
_SORTS = {z3.Z3_BOOL_SORT: "Bool", z3.Z3_INT_SORT: "Int"}

ANONYMOUS = re.compile("\x1f([0-9]+)\x1f")
"""Where it stands in a constant's name, the constant has none of its own, and each text counts it anew."""

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789~!@$%^&*_-+=<>.?/")
_RESERVED = frozenset(
    ("_", "!", "/", "abs", "ite", "let", "forall", "exists", "match", "par", "as", "assert", "Int", "Bool")
) | frozenset((*_TRUTHS.values(), *_NUMBERS.values()))


@dataclass(frozen=True, slots=True)
class Smtlib:
    """A question as text: `head` is its comment, `body` all that is asked. `constants` are Z3's, by their symbols."""

    head: str
    body: str
    constants: Mapping[str, Any]

    @property
    def text(self) -> str:
        """The whole file."""
        return self.head + self.body


@dataclass(frozen=True, slots=True)
class Assumed:
    """Conditions that hold of whatever is asked; `base` gives every constant a value such that all are met."""

    conditions: tuple[Any, ...]
    base: tuple[tuple[Any, Any], ...]


@dataclass(frozen=True, slots=True)
class _Node:
    """An expression: its operator or value, its parts by number, and as bits the constants that it reads.

    `bit` is the number of the constant or function that heads it, if one does."""

    head: str
    parts: tuple[int, ...]
    reads: int
    truth: bool
    bit: int = -1


@dataclass(slots=True)
class Writer:
    """Writes questions, and remembers the expressions that it has read: many questions share most of theirs."""

    _nodes: dict[int, _Node] = field(default_factory=dict)
    _declared: list[Any] = field(default_factory=list)
    _bits: dict[int, int] = field(default_factory=dict)
    _quantified: set[int] = field(default_factory=set)
    _idle: dict[tuple[int, int], bool] = field(default_factory=dict)
    _alive: list[Any] = field(default_factory=list)

    def write(self, conditions: Sequence[Truth], name: str = "", comment: str = "") -> Smtlib:
        """The question whether all `conditions` can hold. `name` and `comment` say in words what is asked.

        Raises `CannotEncodeError` for what is no linear arithmetic on whole numbers.
        """
        roots = list(dict.fromkeys(self._read(c) for c in conditions if not isinstance(c, bool)))
        order, shared = self._order(roots)
        symbols = self._symbols_of(order, roots)
        bits = sorted(symbols, key=lambda bit: symbols[bit].strip("|"))
        prefix = "$"
        while any(symbol.strip("|").startswith(prefix) for symbol in symbols.values()):
            prefix += "$"
        lines = [f"(set-logic {self._logic(order, bits)})"]
        lines += [_declaration(symbols[bit], self._declared[bit]) for bit in bits]
        lines += self._statements(order, shared, frozenset(roots), symbols, prefix)
        lines += ["(assert false)"] if any(c is False for c in conditions) else []
        body = "\n".join((*lines, "(check-sat)", ""))
        constants = {
            symbols[bit].strip("|"): self._declared[bit]() for bit in bits if not self._declared[bit].arity()
        }
        return Smtlib(_comment(name, comment), body, constants)

    def relevant(self, asked: Sequence[Truth], assumed: Assumed) -> list[Any]:
        """Those of the assumptions on which it can hang whether all that is `asked` can hold.

        What is left out is met by the base whatever the constants of the rest are. So an answer for the rest, with
        the base for all other constants, is an answer for all.
        """
        reach = self._reads([self._read(c) for c in asked if not isinstance(c, bool)])
        base = {self._bit(constant.decl()): (constant, value) for constant, value in assumed.base}
        kept: set[int] = set()
        rest = [(self._read(c), c) for c in assumed.conditions]
        grown = True
        while grown:
            grown, waiting, rest = False, rest, []
            for number, condition in waiting:
                open_ = self._nodes[number].reads & ~reach
                if open_ and self._met(number, condition, open_, base):
                    rest.append((number, condition))
                    continue
                kept.add(number)
                grown = grown or bool(open_)
                reach |= open_
        return [condition for condition in assumed.conditions if condition.get_id() in kept]

    def _met(self, number: int, condition: Any, open_: int, base: Mapping[int, tuple[Any, Any]]) -> bool:
        """Whether the base's values for `open_` meet a condition whatever its other constants are."""
        key = (number, open_)
        if key not in self._idle:
            pairs = [base[bit] for bit in _ones(open_) if bit in base]
            self._idle[key] = z3.is_true(z3.simplify(z3.substitute(condition, *pairs)))
        return self._idle[key]

    # --------------------------------------------------------------------------------------------- reading
    def _reads(self, roots: Sequence[int]) -> int:
        found = 0
        for root in roots:
            found |= self._nodes[root].reads
        return found

    def _read(self, expr: Any) -> int:
        """The number of an expression, once it and all below it are known."""
        root = int(expr.get_id())
        if root in self._nodes:
            return root
        self._alive.append(expr)
        context, nodes = expr.ctx_ref(), self._nodes
        rest: list[tuple[Any, int, tuple[int, ...] | None]] = [(expr.as_ast(), root, None)]
        while rest:
            ast, number, numbers = rest.pop()
            if number in nodes:
                continue
            if numbers is None:
                kind = z3.Z3_get_ast_kind(context, ast)
                if kind == z3.Z3_NUMERAL_AST:
                    nodes[number] = _numeral(z3.Z3_get_numeral_string(context, ast))
                    continue
                if kind != z3.Z3_APP_AST:
                    nodes[number] = self._quantifier(z3.QuantifierRef(ast, expr.ctx), number)
                    continue
                several = range(z3.Z3_get_app_num_args(context, ast))
                parts = [z3.Z3_get_app_arg(context, ast, i) for i in several]
                numbers = tuple([int(z3.Z3_get_ast_id(context, part)) for part in parts])
                missing = [(p, n, None) for p, n in zip(parts, numbers, strict=True) if n not in nodes]
                if missing:
                    rest.append((ast, number, numbers))
                    rest += missing
                    continue
            nodes[number] = self._application(ast, numbers, expr.ctx)
        return root

    def _application(self, ast: Any, parts: tuple[int, ...], context: Any) -> _Node:
        decl = z3.Z3_get_app_decl(context.ref(), ast)
        operator = z3.Z3_get_decl_kind(context.ref(), decl)
        reads = self._reads(parts)
        if operator in _TRUTHS:
            return _Node(_TRUTHS[operator], parts, reads, True)
        if operator in _NUMBERS:
            return _Node(_NUMBERS[operator], parts, reads, False)
        if operator == z3.Z3_OP_ITE:
            return _Node("ite", parts, reads, self._nodes[parts[1]].truth)
        function = z3.FuncDeclRef(decl, context)
        if operator != z3.Z3_OP_UNINTERPRETED:
            raise CannotEncodeError(
                f"`{function.name()}` is no linear arithmetic on whole numbers",
                "use truths, whole numbers, comparison, sums, and products with constants",
            )
        bit = self._bit(function)
        return _Node("", parts, reads | 1 << bit, function.range().kind() == z3.Z3_BOOL_SORT, bit)

    def _bit(self, function: Any) -> int:
        """The number of a declared constant or function."""
        number = int(function.get_id())
        if number not in self._bits:
            self._bits[number] = len(self._declared)
            self._declared.append(function)
        return self._bits[number]

    def _symbols_of(self, order: Sequence[int], roots: Sequence[int]) -> dict[int, str]:
        """A symbol for each constant and function. Those without a name of their own are counted as they are met."""
        found: dict[int, str] = {}
        taken: set[str] = set()
        counted: dict[str, str] = {}
        met = dict.fromkeys(self._nodes[number].bit for number in order if self._nodes[number].bit >= 0)
        for bit in (*met, *(bit for bit in _ones(self._reads(roots)) if bit not in met)):
            name = ANONYMOUS.sub(
                lambda n: f" {counted.setdefault(n[1], str(len(counted) + 1))}", self._declared[bit].name()
            )
            symbol = _symbol(name)
            while symbol in taken:
                symbol = _symbol(symbol.strip("|") + "'")
            taken.add(symbol)
            found[bit] = symbol
        return found

    def met(self, conditions: Sequence[Truth]) -> list[int]:
        """The constants that the conditions read, by the ids of their declarations, in the order in which they
        are met."""
        roots = [self._read(c) for c in conditions if not isinstance(c, bool)]
        bits = dict.fromkeys(self._nodes[number].bit for number in self._order(roots)[0])
        return [int(self._declared[bit].get_id()) for bit in bits if bit >= 0]

    def _quantifier(self, expr: Any, number: int) -> _Node:
        """A quantifier is written as Z3 writes it; what it shares with other expressions is written again."""
        reads = 0
        rest, seen = [expr.body()], set()
        while rest:
            part = rest.pop()
            if part.get_id() in seen:
                continue
            seen.add(part.get_id())
            if z3.is_quantifier(part):
                rest.append(part.body())
            elif z3.is_app(part):
                rest += part.children()
                if part.decl().kind() == z3.Z3_OP_UNINTERPRETED:
                    bit = self._bit(part.decl())
                    if _symbol(part.decl().name()).strip("|") != part.decl().name():
                        raise CannotEncodeError(
                            f"`{part.decl().name()}` cannot be named under a quantifier", "name it otherwise"
                        )
                    reads |= 1 << bit
        self._quantified.add(number)
        return _Node(" ".join(expr.sexpr().split()), (), reads, True)

    # --------------------------------------------------------------------------------------------- writing
    def _order(self, roots: Sequence[int]) -> tuple[list[int], frozenset[int]]:
        """All that the roots are made of, parts first; and which of it stands in more than one place."""
        nodes = self._nodes
        order: list[int] = []
        met: set[int] = set()
        shared: set[int] = set()
        rest = [(root, False) for root in reversed(roots)]
        while rest:
            number, ready = rest.pop()
            if ready:
                order.append(number)
                continue
            parts = nodes[number].parts
            if number in met:
                if parts or number in self._quantified:
                    shared.add(number)
                continue
            met.add(number)
            rest.append((number, True))
            rest += [(part, False) for part in reversed(parts)]
        return order, frozenset(shared)

    def _statements(
        self,
        order: list[int],
        shared: frozenset[int],
        roots: frozenset[int],
        symbols: Mapping[int, str],
        prefix: str,
    ) -> Iterator[str]:
        """A definition for what is shared or long, an assertion for each root; each after what it needs."""
        text: dict[int, str] = {}
        defined = 0
        for number in order:
            node = self._nodes[number]
            written = node.head if node.bit < 0 else symbols[node.bit]
            if node.parts:
                written = f"({written} {' '.join([text[part] for part in node.parts])})"
            if number in shared or (node.parts and len(written) > LONG):
                defined += 1
                yield f"(define-fun {prefix}{defined} () {'Bool' if node.truth else 'Int'} {written})"
                written = f"{prefix}{defined}"
            text[number] = written
            if number in roots:
                yield f"(assert {written})"

    def _logic(self, order: Sequence[int], bits: Sequence[int]) -> str:
        quantified = any(number in self._quantified for number in order)
        functions = any(self._declared[bit].arity() for bit in bits)
        return f"{'' if quantified else 'QF_'}{'UF' if functions else ''}LIA"


def _ones(bits: int) -> Iterator[int]:
    """The numbers of the bits that are set."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


def _numeral(digits: str) -> _Node:
    return _Node(f"(- {digits[1:]})" if digits.startswith("-") else digits, (), 0, False)


def _symbol(name: str) -> str:
    """A name as a symbol, in bars where it needs them; what no symbol can hold is replaced."""
    name = "".join("¦" if c == "|" else "∕" if c == "\\" else c if c.isprintable() else "?" for c in name)
    if name in _RESERVED:
        name += "'"
    return name if name and set(name) <= _PLAIN and not name[0].isdigit() else f"|{name}|"


def _declaration(symbol: str, function: Any) -> str:
    sorts = [function.domain(i) for i in range(function.arity())]
    if any(sort.kind() not in _SORTS for sort in (*sorts, function.range())):
        raise CannotEncodeError(
            f"{symbol} is neither a truth nor a whole number", "use truths and whole numbers"
        )
    given = " ".join(_SORTS[sort.kind()] for sort in sorts)
    return f"(declare-fun {symbol} ({given}) {_SORTS[function.range().kind()]})"


def _comment(name: str, comment: str) -> str:
    """The head of the file: each line a comment, nothing in it can end one."""
    lines = [
        line for part in (name, *comment.splitlines()) for line in textwrap.wrap(part, WIDTH - 2) or [""]
    ]
    while lines and not lines[-1]:
        lines.pop()
    shown = ("".join(c if c.isprintable() else "?" for c in line) for line in lines)
    return "".join(f"; {line}".rstrip() + "\n" for line in shown)
