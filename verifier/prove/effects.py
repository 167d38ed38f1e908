"""Whether what events may do was seen to be done: that one happened is not enough, if each time it changed nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import assert_never

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model.ruleset import Append, Each, New, Update, Write
from verifier.model.terms import Term
from verifier.model.types import BOOL
from verifier.prove.explore.corpus import Node
from verifier.prove.transitions import written_by
from verifier.run.evaluate import Closure
from verifier.run.machine import Machine
from verifier.run.undefined import Undefined


def all_seen(program: Program, events: Sequence[str], read: frozenset[str], nodes: Iterable[Node]) -> bool:
    """Whether each update of `events` that writes what is `read` was made by some step to one of `nodes`."""
    machine = Machine(program, {})
    lacking: dict[str, list[Closure]] = {}
    for name in events:
        params = [param.name for param in program.ruleset.events[name].params]
        updates = [u for u in program.ruleset.mechanics.get(name, ()) if read.intersection(written_by(u))]
        lacking[name] = [machine.closure(_made(update), params) for update in updates]
    for node in nodes:
        if node.parent is None or node.happening is None or not lacking.get(node.happening.event):
            continue
        machine.options = dict(node.options)
        machine.enter(node.parent.state)
        event, values = node.happening.event, node.happening.values
        lacking[event] = [made for made in lacking[event] if not _holds(made, values)]
        if not any(lacking.values()):
            break
    return not any(lacking.values())


def _holds(made: Closure, values: Sequence[object]) -> bool:
    try:
        return bool(made(list(values)))
    except Undefined:
        return False


def _made(update: Update) -> Term:
    """That an update writes something."""
    match update:
        case Write(when=when) | Append(when=when) | New(when=when):
            return m.Lit(BOOL, True) if when is None else when
        case Each(var=var, domain=domain, where=where, update=inner):
            return m.Quant(BOOL, "some", var, domain, where, _made(inner))
        case _:
            assert_never(update)
