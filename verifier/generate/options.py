"""Options that break a rule about options, with a round that is lawful under them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from verifier.generate.rounds import Bench, Round
from verifier.prove.explore.settings import Options, Settings
from verifier.run.machine import Machine
from verifier.run.state import first_state
from verifier.run.undefined import Undefined


def option_faults(bench: Bench, settings: Settings, rule: str, rounds: Sequence[Round]) -> Iterator[Round]:
    """Rounds under options, one of them set otherwise, by which the rule and no other requirement is broken."""
    requirements = bench.program.ruleset.requirements
    if not any(requirement.rule == rule for requirement in requirements):
        return
    machine = Machine(bench.program, {})
    machine.enter(first_state(bench.program.ruleset))
    closures = [(r.rule, machine.closure(r.condition, ())) for r in requirements]
    for one in sorted(rounds, key=lambda r: len(r.beats)):
        for options in _otherwise(one, settings):
            machine.options = options
            machine.enter(machine.state)
            try:
                broken = {name for name, closure in closures if not closure([])}
            except Undefined:
                continue
            if broken == {rule}:
                found = bench.judged(options, one.happenings, lawful=True)
                if found is not None:
                    yield found


def _otherwise(one: Round, settings: Settings) -> Iterator[Options]:
    """The options with one of them changed, or two."""
    stated = dict(one.options)
    singles = [(name, value) for name, values in settings.values.items() for value in values]
    for name, value in singles:
        if stated.get(name) != value:
            yield {**stated, name: value}
    for index, (name, value) in enumerate(singles):
        for other, its in singles[index + 1 :]:
            if other != name and stated.get(name) != value and stated.get(other) != its:
                yield {**stated, name: value, other: its}
