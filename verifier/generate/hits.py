"""Where questions are true among all that was played lawfully: many at once, state by state, so that what they ask of
a state is found out once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from verifier.prove.explore.corpus import Node
from verifier.prove.explore.explorer import Explorer
from verifier.prove.question import Question

Hit = tuple[Node, dict[str, object]]
"""A node of lawful play, with the values for which a question is true there."""


@dataclass(slots=True)
class _Looked:
    """How far a question was looked for, by explorer: so many of its nodes."""

    hits: list[Hit] = field(default_factory=list)
    upto: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class Hits:
    """The first `most` nodes at which each question is true, the shortest plays of the first explorer first.

    What was looked for once is looked for only in what has been played since.
    """

    explorers: Sequence[Explorer]
    most: int
    _looked: dict[Question, _Looked] = field(default_factory=dict)

    def of(self, question: Question) -> Iterator[Hit]:
        """Where it is true."""
        self.look([question])
        yield from self._looked[question].hits

    def look(self, questions: Iterable[Question]) -> None:
        """Look for all of them together."""
        asked = [
            (question, self._looked.setdefault(question, _Looked())) for question in dict.fromkeys(questions)
        ]
        for number, explorer in enumerate(self.explorers):
            self._look_in(number, explorer, asked)

    def _look_in(self, number: int, explorer: Explorer, asked: Sequence[tuple[Question, _Looked]]) -> None:
        size = len(explorer.corpus.nodes)
        starts = [looked.upto.get(number, 0) for _, looked in asked]
        left = [
            (start, question, looked)
            for start, (question, looked) in zip(starts, asked, strict=True)
            if start < size and len(looked.hits) < self.most
        ]
        first = min((start for start, _, _ in left), default=size)
        nodes = [node for node in explorer.corpus.nodes[first:] if not node.broken]
        for node in sorted(nodes, key=lambda n: (n.depth, n.number)):
            if not left:
                break
            known: dict[str, bool] = {}
            for start, question, looked in left:
                if node.number < start or not explorer.index.may_hold(question, node, known):
                    continue
                values = explorer.asker.find(question, node.state, node.options)
                if values is not None:
                    looked.hits.append((node, values))
            left = [one for one in left if len(one[2].hits) < self.most]
        for _, looked in asked:
            looked.upto[number] = size
