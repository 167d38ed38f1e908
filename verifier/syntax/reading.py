"""Text of a rule module read by the grammar. It imports Lark: import it only where used."""

from __future__ import annotations

from dataclasses import replace

from lark import Token, Tree
from lark.exceptions import UnexpectedInput, VisitError

from verifier.errors import Problem, RuleTextError
from verifier.syntax.faults import forbidden, layout_problem, syntax_problem
from verifier.syntax.grammar import parser, ready
from verifier.syntax.layout import LayoutError
from verifier.syntax.nodes import place
from verifier.syntax.places import begins_block, problem_at
from verifier.syntax.statements import Build
from verifier.syntax.tree import At, Block

MAX_DEPTH = 150
"""Constructs inside each other, a chain of `and` counting one each; deeper text is refused, so that what
walks the tree by recursion is safe."""

MOST_TOLD = 20
"""So many blocks that cannot be read are told of at once."""


def blocks_of(text: str, path: str) -> tuple[Block, ...]:
    """The blocks of a rule module. Raises `RuleTextError`, as `verifier.syntax.parse.parse_module` does."""
    hidden = forbidden(text, path)
    if hidden is not None:
        raise RuleTextError(hidden)
    tree = _tree(text, path)
    if isinstance(tree, Problem):
        raise RuleTextError(tree, *_others(text, path, tree))
    deep = _too_deep(tree)
    if deep is not None:
        raise RuleTextError(
            problem_at(
                text,
                path,
                deep,
                f"more than {MAX_DEPTH} constructs stand inside each other here",
                "nesting",
                "give parts of the expression names of their own with `define`",
            )
        )
    try:
        blocks: tuple[Block, ...] = Build().transform(tree)
    except VisitError as error:
        if isinstance(error.orig_exc, RuleTextError):
            raise RuleTextError(*(_placed(text, path, p) for p in error.orig_exc.problems)) from None
        raise error.orig_exc from None
    return blocks


def _tree(text: str, path: str) -> Tree[Token] | Problem:
    """The tree of a text, or the first thing that cannot be read in it."""
    try:
        return parser().parse(ready(text))
    except LayoutError as error:
        return layout_problem(text, path, error)
    except UnexpectedInput as error:
        return syntax_problem(text, path, error)


def _others(text: str, path: str, first: Problem) -> list[Problem]:
    """What cannot be read in the blocks after that of the first problem: one thing a block, at most `MOST_TOLD` in all.

    A block ends where the next begins, whatever stands in it, so that no error makes another one.
    """
    lines = text.split("\n")
    found, at = [first], 0
    while len(found) < MOST_TOLD:
        at = max(at + 1, found[-1].line or len(lines))
        while at < len(lines) and not begins_block(lines[at]):
            at += 1
        tree = _tree("\n" * at + "\n".join(lines[at:]), path)
        if not isinstance(tree, Problem):
            break
        found.append(tree)
    return found[1:]


def _placed(text: str, path: str, problem: Problem) -> Problem:
    """A builder's problem with file, excerpt and clause."""
    line, column = problem.line or 1, problem.column or 1
    at = At(line, column, line, column + problem.width)
    found = problem_at(text, path, at, problem.message, problem.code, problem.help)
    room = len(found.excerpt or "") - column + 1
    return replace(found, width=max(1, min(problem.width, room)))


def _too_deep(tree: Tree[Token]) -> At | None:
    """The place of a construct nested deeper than `MAX_DEPTH`, found without recursion."""
    pending = [(tree, 0)]
    while pending:
        node, depth = pending.pop()
        if depth > MAX_DEPTH:
            found = place(node.meta)
            return At(found.line, found.column, found.line, found.column + 1)
        pending.extend((child, depth + 1) for child in node.children if isinstance(child, Tree))
    return None
