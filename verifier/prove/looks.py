"""What of a state a question reads: of states that do not differ in that it is asked once.

An event leaves most of a state as it was, and what it leaves is the same object in the next: that is looked at, and
not whether what is another object is equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from types import NoneType

from verifier.core.program import Program
from verifier.model import types as ty
from verifier.model.types import Type
from verifier.prove.question import Question
from verifier.prove.transitions import Reads, read_by, written
from verifier.run.state import State


class Looks:
    """What questions about one program read."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._reads = Reads(program)

    def read(self, question: Question) -> tuple[str, ...]:
        """The parts of a state on which it hangs whether, and for which values, a question is true there: fields of
        the state by name, and `new KIND`, `ids KIND`, `count N` and `breach N`."""
        found: set[str] = set()
        terms = [question.condition, *(nothing.condition for nothing in question.none)]
        params = [*question.params, *(p for nothing in question.none for p in nothing.params)]
        if question.event is not None:
            ruleset = self.program.ruleset
            event = ruleset.events[question.event]
            params += event.params
            terms += [*event.needs, *chain.from_iterable(map(read_by, ruleset.mechanics.get(event.name, ())))]
            found |= written(ruleset, event.name)
        for term in terms:
            found |= self._reads.of(term)
        for param in params:
            found.update(f"ids {kind}" for kind in ty.ids_within(param.type))
            found.update(f"new {kind}" for kind in _things(param.type))
        return tuple(sorted({self._whole(name) for name in found}))

    def _whole(self, name: str) -> str:
        """A field of things as all that is kept of them."""
        kind, dot, _ = name.partition(".")
        return f"new {kind}" if dot and kind in self.program.ruleset.entities else name


def look(state: State, parts: Sequence[str]) -> tuple[object, ...]:
    """What states with the same in those parts have in common, as long as they are kept."""
    return tuple(_part(state, name) for name in parts)


def _part(state: State, name: str) -> object:
    kind, _, which = name.partition(" ")
    match kind if which else "":
        case "new":
            return id(state.entities[which])
        case "ids":
            return id(state.ids[which])
        case "count":
            return id(state.counts[int(which)])
        case "breach":
            return state.broken[int(which)]
        case _:
            value = state.fields[name]
            return value if isinstance(value, bool | int | str | NoneType) else id(value)


def _things(type_: Type) -> Iterator[str]:
    """The kinds of thing of which a value of the type may be one, or name one."""
    match type_:
        case ty.EntityT(name=name, keys=parts):
            yield name
            for _, part in parts:
                yield from _things(part)
        case ty.RecordT(fields=parts):
            for _, part in parts:
                yield from _things(part)
        case ty.OptT(of=of):
            yield from _things(of)
        case _:
            return
