"""Plays are judged as a judge of their own judges them, from wherever an explorer goes on."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.model.load import load
from verifier.prove.explore.explorer import Explorer
from verifier.prove.explore.replay import replay
from verifier.prove.explore.snapshot import Runner, state_key
from verifier.prove.extent import scopes
from verifier.run.bench import Happening
from verifier.run.judge import Judge
from verifier.run.state import EXISTS

RULES = Path(__file__).parent / "rules"
NZ = Path(__file__).parents[2] / "rulesets" / "nz" / "blackjack-1998.rules"

LAMP, OTHER = (1,), (2,)


@cache
def program(name: str) -> Program:
    return lower(load(NZ if name == "nz" else RULES / f"explore-{name}.rules"))


def by(actor: str, event: str, *values: object) -> Happening:
    return Happening(event, actor, values)


def test_a_play_has_the_rules_that_each_event_broke() -> None:
    play = replay(
        program("lamps"),
        {},
        [
            by("guest", "kindle", "ann", LAMP),
            by("keeper", "lock"),
            by("keeper", "turn_up", LAMP),
            by("keeper", "dawn"),
        ],
    )
    assert play is not None
    assert play.breaches == ((), ("3.3(d)", "3.2(a)"), (), ("6.3(c)",))
    assert not play.lawful
    assert play.broken == ("3.3(d)", "3.2(a)", "6.3(c)")
    assert play.state.entities["Lamp"] == {}, "the night has ended"
    assert play.state.ids["Guest"] == {"ann": 0}, "but who was there stays known"


def test_a_lawful_play_breaks_nothing() -> None:
    play = replay(
        program("lamps"),
        {},
        [by("keeper", "ring"), by("guest", "kindle", "ann", LAMP), by("keeper", "turn_up", LAMP)],
    )
    assert play is not None
    assert play.lawful
    assert play.state.entities["Lamp"][LAMP] == {EXISTS: True, "light": 2, "lit_by": "ann"}


def test_what_cannot_happen_makes_no_play() -> None:
    lit = by("guest", "kindle", "ann", LAMP)
    assert replay(program("lamps"), {}, [lit]) is not None
    assert replay(program("lamps"), {}, [lit, lit]) is None, "the lamp is not dark"


def test_an_act_that_no_rule_speaks_of_keeps_a_play_from_being_lawful() -> None:
    play = replay(program("lamps"), {}, [by("guest", "lock")])
    assert play is not None
    assert play.breaches[0]


def test_a_bit_that_an_event_left_is_taken_up_again() -> None:
    """The keeper must ring right after he turned up the second lamp: that is in no field of the state."""
    runner, options = Runner(program("lamps")), dict[str, object]()
    lit = runner.step(runner.empty, options, by("guest", "kindle", "ann", OTHER))
    assert lit is not None
    up = runner.step(lit.snapshot, options, by("keeper", "turn_up", OTHER))
    assert up is not None
    elsewhere = runner.step(runner.empty, options, by("keeper", "lock"))
    assert elsewhere is not None
    late = runner.step(up.snapshot, options, by("keeper", "lock"))
    assert late is not None
    assert "6.3(b)" in late.breaches
    in_time = runner.step(up.snapshot, options, by("keeper", "ring"))
    assert in_time is not None
    assert not in_time.breaches


def test_a_name_met_in_one_play_is_not_known_in_another() -> None:
    runner = Runner(program("lamps"))
    start = runner.step(runner.empty, {}, by("keeper", "ring"))
    assert start is not None
    one = runner.step(start.snapshot, {}, by("guest", "kindle", "ann", LAMP))
    two = runner.step(start.snapshot, {}, by("guest", "kindle", "bob", LAMP))
    assert one is not None
    assert two is not None
    assert list(one.snapshot.state.ids["Guest"]) == ["ann"]
    assert list(two.snapshot.state.ids["Guest"]) == ["bob"]
    assert list(start.snapshot.state.ids["Guest"]) == []


@pytest.mark.parametrize(
    ("name", "steps", "least"), [("lamps", 400, 40), ("till", 500, 100), ("nz", 500, 200)]
)
def test_every_state_explored_comes_out_of_its_play_from_the_beginning(
    name: str, steps: int, least: int
) -> None:
    """Whatever was forked on the way: judged anew the same rules are broken, and the state is the same."""
    own = program(name)
    explorer = Explorer(own, scopes(own)[-1], seed=4)
    explorer.run(steps)
    nodes = explorer.corpus.nodes
    assert len(nodes) > least
    ends = [node for node in nodes if not any(node is other.parent for other in nodes)]
    some = ends[:: max(1, len(ends) // 60)]
    assert any(node.broken for node in some)
    assert any(not node.broken for node in some)
    judged = 0
    for node in some:
        play = node.play()
        judge = Judge(own, dict(play.options))
        for happening, rules in zip(play.happenings, play.breaches, strict=True):
            found = judge.step(happening)
            broken = [j for j in found if j.verdict in ("broken", "disputed", "undecided")]
            assert tuple(dict.fromkeys(r for j in broken for r in j.rules or (j.kind,))) == rules
            assert not [j for j in found if j.verdict == "impossible"]
            judged += 1
        assert state_key(judge.state, own.ruleset) == state_key(play.state, own.ruleset)
    assert judged > least


@pytest.fixture
def explored() -> Callable[[str, int], Explorer]:
    def make(name: str, seed: int) -> Explorer:
        own = program(name)
        explorer = Explorer(own, scopes(own)[-1], seed)
        explorer.run(150)
        return explorer

    return make


@pytest.mark.parametrize("name", ["lamps", "till", "nz"])
def test_the_same_seed_explores_the_same(explored: Callable[[str, int], Explorer], name: str) -> None:
    plays = [
        [(node.number, node.happening, node.breaches) for node in explored(name, seed).corpus.nodes]
        for seed in (1, 1, 2)
    ]
    assert plays[0] == plays[1]
    assert plays[0] != plays[2]
