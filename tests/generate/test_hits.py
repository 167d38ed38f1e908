"""Where questions are true among what was played: many looked for together, as each would be found alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.check.engine import Prepared, prepare
from verifier.coverage.measure import binding_rules
from verifier.generate.asks import breaking, keeping
from verifier.generate.hits import Hit, Hits
from verifier.prove.desk import Desk
from verifier.prove.explore.explorer import Explorer
from verifier.prove.question import Question
from verifier.prove.solve import Settings

MOST = 2


@pytest.fixture(scope="module")
def pebbles() -> Prepared:
    return prepare(Path(__file__).parents[1] / "new_game" / "pebbles.rules")


@pytest.fixture(scope="module")
def explorer(pebbles: Prepared) -> Explorer:
    return Desk(pebbles.program, Settings(), steps=60).explorer


def questions(pebbles: Prepared) -> list[Question]:
    """All that is asked of the rules, kept and broken."""
    rules = binding_rules(pebbles.ruleset)
    return [
        ask.question for rule in rules for how in (keeping, breaking) for ask in how(pebbles.program, rule)
    ]


def told(hits: list[Hit]) -> list[tuple[int, dict[str, object]]]:
    return [(node.number, values) for node, values in hits]


def by_itself(explorer: Explorer, question: Question, upto: int) -> list[tuple[int, dict[str, object]]]:
    found = []
    for node in explorer.corpus.of("play"):
        if (
            node.number < upto
            and (values := explorer.asker.find(question, node.state, node.options)) is not None
        ):
            found.append((node.number, values))
    return found[:MOST]


def test_together_they_are_found_as_each_alone(pebbles: Prepared, explorer: Explorer) -> None:
    asked, size = questions(pebbles), len(explorer.corpus.nodes)
    hits = Hits((explorer,), MOST)
    hits.look(asked)
    found = [told(list(hits.of(question))) for question in asked]
    assert found == [by_itself(explorer, question, size) for question in asked]
    assert any(len(one) == MOST for one in found)
    assert any(not one for one in found), "some is true nowhere, and is looked for in all that was played"


def test_what_is_played_later_is_looked_at_then_and_once(
    pebbles: Prepared, explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = questions(pebbles)
    hits = Hits((explorer,), MOST)
    hits.look(asked)
    before, upto = [told(list(hits.of(q))) for q in asked], len(explorer.corpus.nodes)
    explorer.run(60)
    assert len(explorer.corpus.nodes) > upto
    looked: list[int] = []
    find = type(explorer.asker).find
    numbers = {id(node.state): node.number for node in explorer.corpus.nodes}

    def noting(self, question, state, options, most=None):  # type: ignore[no-untyped-def]
        looked.append(numbers[id(state)])
        return find(self, question, state, options, most)

    monkeypatch.setattr(type(explorer.asker), "find", noting)
    hits.look(asked)
    assert looked
    assert min(looked) >= upto
    for question, old in zip(asked, before, strict=True):
        assert told(list(hits.of(question)))[: len(old)] == old
