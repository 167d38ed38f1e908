"""The changes that can be made in an expression."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, assert_never

from verifier.mutate.mutant import Change, Kind
from verifier.mutate.text import Text
from verifier.syntax import tree as t

COMPARISONS: Mapping[t.CompareOp, str] = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "=": "!=", "!=": "="}

# A bound moved one way is the comparison made strict or loose; only the other way is a change of its own.
_STEPS_RIGHT: Mapping[t.CompareOp, tuple[int, ...]] = {"<": (-1,), "<=": (1,), ">": (1,), ">=": (-1,)}

_QUANTIFIERS = {"some": "none", "none": "some", "every": "some"}
_OPPOSITES = {"first": "last", "last": "first", "least": "greatest", "greatest": "least"}
_WORDS = {"first": r"the\s+first", "last": r"the\s+last", "least": "least", "greatest": "greatest"}


@dataclass(frozen=True, slots=True)
class Expressions:
    """Finds changes in expressions of one text. `labels` gives the next value of the enumeration for each,
    of every enumeration that has it."""

    text: Text
    labels: Mapping[str, Sequence[str]]

    def change(self, kind: Kind, at: t.At, start: int, end: int, text: str) -> Change:
        """`text` for a stretch, shown within the construct at `at`."""
        return Change(kind, start, end, text, self.text.start(at), self.text.end(at))

    def of(self, term: t.Expr, truth: bool = False) -> Iterator[Change]:
        """All changes in an expression; `truth`: it is a condition, and may be negated."""
        match term:
            case t.Int():
                yield from self._steps(term, (1, -1))
            case t.OddsLiteral(at=at, paid=paid, staked=staked):
                yield self._whole("odds", at, f"{paid + 1} to {staked}")
                yield self._whole("odds", at, f"{paid} to {staked + 1}")
            case t.Bool(at=at, value=value):
                yield self._whole("label", at, "no" if value else "yes")
            case t.Text():
                return
            case t.Name(at=at, name=name):
                if name in self.labels:
                    for other in self.labels[name]:
                        yield self._whole("label", at, other)
                elif truth:
                    yield self._negated(at)
            case t.Call(at=at, args=args) | t.Construct(at=at, args=args):
                if truth:
                    yield self._negated(at)
                yield from self.arguments(args)
            case t.Attr(at=at, of=of):
                if truth:
                    yield self._negated(at)
                yield from self.of(of)
            case t.Index(at=at, of=of, index=number):
                if truth:
                    yield self._negated(at)
                yield from self.of(of)
                yield from self.of(number)
            case t.Arith():
                yield from self._arithmetic(term)
            case t.Negate(of=of) | t.After(of=of):
                yield from self.of(of)
            case t.Compare():
                yield from self._comparison(term)
            case t.And(at=at):
                yield from self._chain(at, self._items(term, t.And), "and", "or")
            case t.Or(at=at):
                yield from self._chain(at, self._items(term, t.Or), "or", "and")
            case t.Not(at=at, of=of):
                start = self.text.start(at)
                _, end = self.text.find(r"not\s+", start, self.text.end(at))
                yield self.change("negation", at, start, end, "")
                yield from self._inside_not(of)
            case t.If(condition=condition, then=then, otherwise=otherwise):
                yield from self.of(condition, True)
                yield from self.of(then, truth)
                yield from self.of(otherwise, truth)
            case t.Quantified(at=at, kind=kind, domain=domain, where=where, body=body):
                start, end = self.text.find(kind, self.text.start(at), self.text.end(at))
                yield self.change("negation", at, start, end, _QUANTIFIERS[kind])
                yield from self.domain(domain)
                yield from self.where(at, where)
                yield from self.of(body, True)
            case t.Aggregate():
                yield from self._aggregate(term)
            case t.Member(at=at, of=of, domain=domain, negated=negated):
                start = self.text.end(of.at)
                word = self.text.find(r"not\s+in\b" if negated else r"\bin\b", start, self.text.end(at))
                yield self.change("negation", at, *word, "in" if negated else "not in")
                yield from self.of(of)
                yield from self.domain(domain)
            case t.Exists(at=at, of=of, negated=negated):
                tail = r"does\s+not\s+exist" if negated else "exists"
                word = self.text.find(tail, self.text.end(of.at), self.text.end(at))
                yield self.change("negation", at, *word, "exists" if negated else "does not exist")
                yield from self.of(of)
            case t.Has():
                yield from self._has(term)
            case t.Happened(at=at, event=event, negated=negated):
                tail = r"has\s+not\s+happened" if negated else r"has\s+happened"
                word = self.text.find(tail, self.text.end(event.at), self.text.end(at))
                yield self.change("negation", at, *word, "has happened" if negated else "has not happened")
                yield from self._pattern(event)
            case t.Times(event=event):
                yield from self._pattern(event)
            case t.Broken(at=at):
                yield self._negated(at)
            case t.MultipleOf(at=at, left=left, right=right):
                yield self._negated(at)
                yield from self.of(left)
                yield from self.of(right)
            case t.Table(of=of, rows=rows):
                yield from self.of(of)
                for _, result in rows:
                    yield from self.of(result)
            case _:
                assert_never(term)

    def arguments(self, args: tuple[t.Arg, ...]) -> Iterator[Change]:
        """The changes in arguments."""
        for arg in args:
            if arg.where is not None:
                yield from self.of(arg.where, True)
            elif arg.value is not None:
                yield from self.of(arg.value)

    def where(self, at: t.At, where: t.Expr | None) -> Iterator[Change]:
        """The changes in a `where` of the construct at `at`, and its leaving out."""
        if where is None:
            return
        start, _ = self.text.find_last(r"\bwhere\b", self.text.start(at), self.text.start(where.at))
        yield self.always(where.at, start)
        yield from self.of(where, True)

    def always(self, condition: t.At, shown_from: int) -> Change:
        """A condition that always holds, shown as left out."""
        start, end = self.text.start(condition), self.text.end(condition)
        return Change("condition", start, end, f"({self.text.text[start:end]}) or yes", shown_from, end, "")

    def domain(self, domain: t.Domain) -> Iterator[Change]:
        """The changes in what a variable ranges over."""
        match domain:
            case t.DomainType():
                return
            case t.DomainRange(at=at, low=low, high=high):
                yield from self.range(at, low, high)
            case t.DomainSet(at=at, elements=elements):
                spans = [self._element(e) for e in elements]
                yield from self._fewer(at, spans) if len(spans) > 1 else ()
                for element in elements:
                    if isinstance(element, tuple):
                        for part in element:
                            yield from self._ends(part, at) if isinstance(part, t.Int) else self.of(part)
            case _:
                yield from self.of(domain)

    def range(self, at: t.At, low: int, high: int) -> Iterator[Change]:
        """A range of whole numbers one wider or narrower at either end."""
        for low_, high_ in ((low - 1, high), (low + 1, high), (low, high - 1), (low, high + 1)):
            if 0 <= low_ <= high_ and (low_, high_) != (low, high):
                yield self._whole("range", at, f"{low_}..{high_}")

    def choice(self, at: t.At, values: tuple[int, ...]) -> Iterator[Change]:
        """A list of numbers, one fewer."""
        for index in range(len(values)) if len(values) > 1 else ():
            left = [str(value) for i, value in enumerate(values) if i != index]
            yield self._whole("range", at, "{" + ", ".join(left) + "}")

    # ------------------------------------------------------------------------------------------------ parts
    def _whole(self, kind: Kind, at: t.At, text: str) -> Change:
        return self.change(kind, at, self.text.start(at), self.text.end(at), text)

    def _negated(self, at: t.At) -> Change:
        start = self.text.start(at)
        return self.change("negation", at, start, start, "not ")

    def _inside_not(self, of: t.Expr) -> Iterator[Change]:
        """What stands behind a `not`: it is not negated once more, nor turned by its own words."""
        own = (self.text.start(of.at), self.text.end(of.at))
        for change in self.of(of):
            if change.kind != "negation" or (change.shown_from, change.shown_to) != own:
                yield change

    def _steps(self, term: t.Int, steps: tuple[int, ...], within: t.At | None = None) -> Iterator[Change]:
        start, end = self.text.start(term.at), self.text.end(term.at)
        for step in steps:
            if term.value + step >= 0:
                yield self.change("constant", within or term.at, start, end, str(term.value + step))

    def _ends(self, term: t.Int, within: t.At) -> Iterator[Change]:
        start, end = self.text.start(term.at), self.text.end(term.at)
        for value in (term.value + 1, term.value - 1):
            if value >= 0:
                yield self.change("range", within, start, end, str(value))

    def _element(self, element: t.Expr | tuple[t.Expr, t.Expr]) -> tuple[int, int]:
        first, last = element if isinstance(element, tuple) else (element, element)
        return self.text.start(first.at), self.text.end(last.at)

    def _fewer(self, at: t.At, spans: list[tuple[int, int]]) -> Iterator[Change]:
        """A list with commas, each of its elements left out in turn."""
        for index, (start, end) in enumerate(spans):
            if index:
                yield self.change("range", at, spans[index - 1][1], end, "")
            else:
                yield self.change("range", at, start, spans[1][0], "")

    def _arithmetic(self, term: t.Arith) -> Iterator[Change]:
        if term.op in ("+", "-"):
            word = self.text.find(r"[+-]", self.text.end(term.left.at), self.text.start(term.right.at))
            yield self.change("constant", term.at, *word, "-" if term.op == "+" else "+")
        for part in (term.left, term.right):
            if isinstance(part, t.Int):
                yield from self._steps(part, (1, -1), term.at)
            else:
                yield from self.of(part)

    def _comparison(self, term: t.Compare) -> Iterator[Change]:
        word = self.text.find(r"[<>!]=|[<>=]", self.text.end(term.left.at), self.text.start(term.right.at))
        yield self.change("comparison", term.at, *word, COMPARISONS[term.op])
        steps = _STEPS_RIGHT.get(term.op, (1, -1))
        for part, ways in ((term.left, tuple(-s for s in steps)), (term.right, steps)):
            if isinstance(part, t.Int):
                yield from self._steps(part, ways if len(steps) == 1 else steps, term.at)
            else:
                yield from self.of(part)

    def _items(self, term: t.Expr, kind: type[t.And] | type[t.Or]) -> list[t.Expr]:
        if isinstance(term, kind):
            return [*self._items(term.left, kind), *self._items(term.right, kind)]
        return [term]

    def _chain(
        self, at: t.At, items: list[t.Expr], word: Literal["and", "or"], other: Literal["and", "or"]
    ) -> Iterator[Change]:
        """`and`s or `or`s on one level: each connective the other one, each part left out."""
        spans = [(self.text.start(item.at), self.text.end(item.at)) for item in items]
        words = [self.text.find(rf"\b{word}\b", end, start) for (_, end), (start, _) in pairwise(spans)]
        yield self._all_other(at, words, other)
        for index, (start, end) in enumerate(spans):
            if index:
                from_, behind = words[index - 1]
                cut = (from_, self.text.closed(start, behind, end))
            else:
                before, to = words[0]
                cut = (self.text.opened(end, before, start), to)
            yield self._without(at, (start, end), cut, "or yes" if word == "and" else "and no")
        for item in items:
            # A limb turned round is noticed where a limb left out is.
            yield from self.of(item)

    def _all_other(self, at: t.At, words: list[tuple[int, int]], other: str) -> Change:
        """Every connective of a chain the other one."""
        start, end = words[0][0], words[-1][1]
        text = self.text.text
        pieces = [other]
        for (_, before), (after, _) in pairwise(words):
            pieces += [text[before:after], other]
        return self.change("connective", at, start, end, "".join(pieces))

    def _without(self, at: t.At, limb: tuple[int, int], cut: tuple[int, int], idle: str) -> Change:
        """A limb that decides nothing any more, shown as left out: what it names stays in use."""
        start, end = limb
        from_, to = self.text.start(at), self.text.end(at)
        text = self.text.text
        shown = text[from_ : cut[0]] + text[cut[1] : to]
        return Change("limb", start, end, f"(({text[start:end]}) {idle})", from_, to, shown)

    def _aggregate(self, term: t.Aggregate) -> Iterator[Change]:
        if term.kind in _OPPOSITES:
            word = self.text.find(_WORDS[term.kind], self.text.start(term.at), self.text.end(term.at))
            other = _OPPOSITES[term.kind]
            text = f"the {other}" if other in ("first", "last") else other
            yield self.change("bound", term.at, *word, text)
        if term.value is not None:
            yield from self.of(term.value)
        yield from self.domain(term.domain)
        yield from self.where(term.at, term.where)

    def _has(self, term: t.Has) -> Iterator[Change]:
        head = self.text.end(term.of.at)
        start, _ = self.text.find(r"\bhas\b", head, self.text.end(term.at))
        others = ("at least", "at most") if term.count else ("at least",)
        for bound in others if term.bound == "exactly" else ():
            yield self.change(
                "bound", term.at, start, self.text.end(term.at), _has(term.count, term.what, bound)
            )
        for step in (-1, 1) if term.bound != "exactly" else ():
            if term.count + step >= 0:
                text = _has(term.count + step, term.what, term.bound)
                yield self.change("bound", term.at, start, self.text.end(term.at), text)
        yield from self.of(term.of)

    def _pattern(self, event: t.Call | t.Name) -> Iterator[Change]:
        if isinstance(event, t.Call):
            yield from self.arguments(event.args)


def _has(count: int, what: str, bound: str) -> str:
    return f"has {count} {what}" + {"exactly": "", "at least": " or more", "at most": " or fewer"}[bound]
