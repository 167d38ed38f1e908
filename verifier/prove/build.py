"""Z3 expressions made without the checks and coercions of its Python interface, which cost more than Z3 does.

Whoever calls has truths where truths are due and whole numbers where those are, all of Z3's main context.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import z3
from z3 import z3core
from z3.z3types import Ast

_library: Any = z3core
_context: Any = z3.main_ctx()
_ref: Any = _context.ref()


@cache
def whole(value: int) -> Any:
    """A whole number as Z3 has it."""
    return z3.IntVal(value)


def _ast(number: Any) -> Any:
    return (whole(number) if isinstance(number, int) else number).ast


def _listed(items: Sequence[Any]) -> Any:
    return (Ast * len(items))(*[item.ast for item in items])


def all_of(items: Sequence[Any]) -> Any:
    """The conjunction of two truths or more."""
    return z3.BoolRef(_library.Z3_mk_and(_ref, len(items), _listed(items)), _context)


def some_of(items: Sequence[Any]) -> Any:
    """The disjunction of two truths or more."""
    return z3.BoolRef(_library.Z3_mk_or(_ref, len(items), _listed(items)), _context)


def negated(item: Any) -> Any:
    """The negation of a truth."""
    return z3.BoolRef(_library.Z3_mk_not(_ref, item.ast), _context)


def same(left: Any, right: Any) -> Any:
    """That two numbers, or two truths, are equal; a number may be an `int`."""
    return z3.BoolRef(_library.Z3_mk_eq(_ref, _ast(left), _ast(right)), _context)


def below(left: Any, right: Any) -> Any:
    """`left < right`."""
    return z3.BoolRef(_library.Z3_mk_lt(_ref, _ast(left), _ast(right)), _context)


def at_most(left: Any, right: Any) -> Any:
    """`left <= right`."""
    return z3.BoolRef(_library.Z3_mk_le(_ref, _ast(left), _ast(right)), _context)


def truth_if(test: Any, then: Any, otherwise: Any) -> Any:
    """One truth or another."""
    return z3.BoolRef(_library.Z3_mk_ite(_ref, test.ast, then.ast, otherwise.ast), _context)


def number_if(test: Any, then: Any, otherwise: Any) -> Any:
    """One number or another."""
    return z3.ArithRef(_library.Z3_mk_ite(_ref, test.ast, _ast(then), _ast(otherwise)), _context)


def sum_of(items: Sequence[Any]) -> Any:
    """The sum of two numbers or more."""
    return z3.ArithRef(_library.Z3_mk_add(_ref, len(items), _listed(items)), _context)


def identical(left: Any, right: Any) -> bool:
    """Whether two expressions are one."""
    return bool(_library.Z3_is_eq_ast(_ref, left.ast, right.ast))
