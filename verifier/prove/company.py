"""An invariant proved in a scope too large for all that holds: beside those conditions only that it needs.

The proof begins with the condition alone. Where an event fails to keep it, the state before that event contradicts
something that is known to hold in a smaller scope, or the condition is not inductive: what is contradicted is asked
for beside it, and so on (counterexamples to induction: Bradley, VMCAI 2011). Nothing is taken on trust of the smaller
scope: what is asked for is proved in this one, together with the condition.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from verifier.core.program import Program
from verifier.model.terms import Term, children
from verifier.prove.conjectures import Guess, Named
from verifier.prove.proven import Broken, Proven
from verifier.prove.proving import Proving
from verifier.prove.question import Mode
from verifier.prove.scope import Scope
from verifier.prove.solve import Settings
from verifier.run.machine import Machine
from verifier.run.undefined import Undefined

MOST_PLACES = 1000
"""A scope in which the state has more fields than this is too much."""

MOST = 80
"""So many conditions are asked for together at most,"""
FEW = 6
"""or so many, where little is to be spent on it,"""
AT_ONCE = 3
"""of what one state contradicts so many at once: what stands in the rules first, then what is shortest."""


def in_company(
    program: Program,
    scope: Scope,
    named: Named,
    mode: Mode,
    settings: Settings,
    pool: Sequence[Named],
    most: int = MOST,
    exact: bool = False,
) -> Proven:
    """Whether a condition holds in every state of the mode within the scope, with what of the `pool` it takes, if that
    is not more than `most` conditions.

    What is returned has `named` among what is `holding` where it holds, and its company beside it.
    """
    proving = Proving(program, scope, mode, settings, (), exact=exact)
    beside = sorted(pool, key=lambda one: (isinstance(one, Guess), _size(one.term)))
    company: list[Named] = [named]
    while True:
        proven = proving.prove(company, ())
        if proven.disagree or named in proven.holding or len(company) >= most:
            return proven
        more = _contradicted(program, proven.broken, [one for one in beside if one not in company])
        if not more:
            return proven
        company += more


def _contradicted(program: Program, broken: Sequence[Broken], pool: Sequence[Named]) -> list[Named]:
    """What of the pool the states contradict in which something is not kept: of each state some."""
    found: dict[Named, None] = {}
    for one in broken:
        if one.event is not None and not one.why:
            machine = Machine(program, dict(one.options))
            machine.enter(one.before)
            false = (named for named in pool if not _is_so(machine, named.term))
            found.update(dict.fromkeys(islice(false, AT_ONCE)))
    return list(found)


def _is_so(machine: Machine, term: Term) -> bool:
    try:
        return bool(machine.closure(term, ())([]))
    except Undefined:
        return False


def _size(term: Term) -> int:
    return 1 + sum(map(_size, children(term)))
