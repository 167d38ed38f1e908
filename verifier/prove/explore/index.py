"""Where each rule was seen to apply, so that a question need be asked only where its conjuncts can be true."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from verifier.model import terms as m
from verifier.model.types import BOOL
from verifier.prove.explore.corpus import Node
from verifier.prove.explore.evaluate import Asker
from verifier.prove.explore.pieces import conjuncts
from verifier.prove.question import Question


@dataclass(slots=True)
class _Seen:
    """At which of the first `upto` nodes a function is true of something, by their numbers."""

    question: Question
    upto: int = 0
    numbers: set[int] = field(default_factory=set)


@dataclass(slots=True)
class Index:
    """For functions that questions call, the nodes at which they are true of something; found when first asked for."""

    asker: Asker
    _seen: dict[str, _Seen] = field(default_factory=dict)

    def possible(self, question: Question, nodes: list[Node]) -> set[int] | None:
        """The numbers of the nodes at which the question may be true; None where nothing rules any out."""
        found: set[int] | None = None
        for name in self._calls(question):
            seen = self._looked(name, nodes)
            if seen is not None:
                found = seen if found is None else found & seen
                if not found:
                    return found
        return found

    def may_hold(self, question: Question, node: Node, known: dict[str, bool]) -> bool:
        """Whether the question may be true at the node. `known` keeps of this node which functions are true there of
        something; it begins empty, and is shared by all questions that are asked of it."""
        for name in self._calls(question):
            if name not in known:
                seen = self._seen_of(name)
                known[name] = self.asker.find(
                    seen.question, node.state, node.options
                ) is not None or not self.asker.complete(seen.question)
            if not known[name]:
                return False
        return True

    def _calls(self, question: Question) -> Iterator[str]:
        """The functions that must be true of some of the question's own params, as they are."""
        if question.event is not None:
            return
        own = {m.Var(p.type, p.name) for p in question.params}
        for conjunct in conjuncts(question.condition):
            if isinstance(conjunct, m.CallF) and all(arg in own for arg in conjunct.args):
                params = self.asker.program.functions[conjunct.function].params
                if all(a.type == p.type for a, p in zip(conjunct.args, params, strict=True)):
                    yield conjunct.function

    def _looked(self, name: str, nodes: list[Node]) -> set[int] | None:
        """Where a function is true of something; None where not all that it may be true of can be tried."""
        seen = self._seen_of(name)
        for node in nodes[seen.upto :]:
            if not self.asker.complete(seen.question):
                return None
            if self.asker.find(seen.question, node.state, node.options) is not None:
                seen.numbers.add(node.number)
        seen.upto = len(nodes)
        return seen.numbers if self.asker.complete(seen.question) else None

    def _seen_of(self, name: str) -> _Seen:
        seen = self._seen.get(name)
        if seen is None:
            params = self.asker.program.functions[name].params
            args = tuple(m.Var(p.type, p.name) for p in params)
            seen = self._seen[name] = _Seen(Question(params, m.CallF(BOOL, name, args)))
        return seen
