"""The states that were reached, how each was come by, and what was new about it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from verifier.core.program import Program
from verifier.prove.explore.snapshot import Snapshot, Stepped, snapshot_key
from verifier.prove.question import Mode, Play
from verifier.run.bench import Happening
from verifier.run.state import EXISTS, State

RARE = 3
"""What has been seen fewer times than this is worth seeing again."""


@dataclass(eq=False, slots=True)
class Node:
    """A table after `happening`, which came after `parent`. `broken` counts the events so far that broke a rule."""

    number: int
    parent: Node | None
    happening: Happening | None
    options: Mapping[str, object]
    snapshot: Snapshot
    breaches: tuple[str, ...]
    broken: int
    depth: int
    fresh: int = 0
    visits: int = 0

    @property
    def state(self) -> State:
        return self.snapshot.state

    def path(self) -> list[Node]:
        """The nodes from the first event on."""
        found: list[Node] = []
        node: Node | None = self
        while node is not None and node.parent is not None:
            found.append(node)
            node = node.parent
        return found[::-1]

    def play(self) -> Play:
        """How the state was come by."""
        path = self.path()
        ids = {kind: dict(names) for kind, names in self.state.ids.items()}
        return Play(
            dict(self.options),
            tuple(node.happening for node in path if node.happening is not None),
            tuple(node.breaches for node in path),
            replace(self.state, ids=ids),
        )


@dataclass(slots=True)
class Corpus:
    """Nodes in the order in which they were reached; one of each state, unless a later one broke fewer rules.

    `returns` has, by its kind and whether a rule was broken, where an event led to a state that was known already.
    """

    program: Program
    nodes: list[Node] = field(default_factory=list)
    seen: dict[Hashable, Node] = field(default_factory=dict)
    features: dict[Hashable, int] = field(default_factory=dict)
    returns: dict[tuple[str, bool], list[Node]] = field(default_factory=dict)

    def root(self, options: Mapping[str, object], snapshot: Snapshot) -> Node:
        """An empty table under these options."""
        key = self._key(options, snapshot)
        if key not in self.seen:
            node = Node(len(self.nodes), None, None, options, snapshot, (), 0, 0)
            self.nodes.append(node)
            self.seen[key] = node
        return self.seen[key]

    def add(self, parent: Node, happening: Happening, stepped: Stepped, features: set[Hashable]) -> Node:
        """The node that the event leads to: the one that is there already, or one that is added."""
        breaches = stepped.breaches
        broken = parent.broken + bool(breaches)
        key = self._key(parent.options, stepped.snapshot)
        known = self.seen.get(key)
        fresh = self.note(features)
        if known is not None and known.broken <= broken:
            known.fresh += fresh
            self.returns.setdefault((happening.event, broken > 0), []).append(parent)
            return known
        node = Node(
            len(self.nodes),
            parent,
            happening,
            parent.options,
            stepped.snapshot,
            breaches,
            broken,
            parent.depth + 1,
            fresh,
        )
        self.nodes.append(node)
        self.seen[key] = node
        return node

    def note(self, features: Iterable[Hashable]) -> int:
        """Count what was seen; how much of it is seen rarely."""
        fresh = 0
        for feature in features:
            count = self.features.get(feature, 0)
            fresh += count < RARE
            self.features[feature] = count + 1
        return fresh

    def _key(self, options: Mapping[str, object], snapshot: Snapshot) -> Hashable:
        return id(options), snapshot_key(snapshot, self.program.ruleset)

    def of(self, mode: Mode) -> Iterator[Node]:
        """The nodes whose states count in the mode, shortest plays first."""
        nodes = self.nodes if mode == "words" else [n for n in self.nodes if not n.broken]
        return iter(sorted(nodes, key=lambda n: (n.broken, n.depth, n.number)))


def features_of(happening: Happening, stepped: Stepped) -> set[Hashable]:
    """What an event showed: rules judged, values given, conditions met, and a rough sketch of the state after."""
    found: set[Hashable] = {("event", happening.event, happening.actor)}
    found.update(("given", unit) for unit in stepped.given)
    for rule, tally in stepped.tallies.items():
        if tally.kept:
            found.add(("kept", rule))
        if tally.broken or tally.disputed or tally.undecided:
            found.add(("broken", rule, happening.event))
    state = stepped.snapshot.state
    for name, value in state.fields.items():
        found.add(("field", name, _rough(value)))
    for kind, table in state.entities.items():
        found.update(("entity", kind, _outline(written)) for written in table.values() if EXISTS in written)
    found.update(("broken before", i) for i, broken in enumerate(state.broken) if broken)
    return found


def changes(before: State, after: State) -> set[Hashable]:
    """Where two states differ, with a rough idea of what is there after."""
    found: set[Hashable] = set()
    for name, value in after.fields.items():
        old = before.fields[name]
        if value is old:
            continue
        if isinstance(value, dict):
            found.update((name, key, _rough(v)) for key, v in value.items() if old.get(key, 0) != v)
        elif value != old:
            found.add((name, value if isinstance(value, tuple) and len(value) < 3 else _rough(value)))
    for kind, table in after.entities.items():
        known = before.entities[kind]
        if table is known:
            continue
        for ref, written in table.items():
            was = known.get(ref, {})
            if written is not was and EXISTS in written:
                found.update((kind, ref, n, _rough(v)) for n, v in written.items() if was.get(n, 0) != v)
    for index, counts in enumerate(after.counts):
        if counts is not before.counts[index]:
            found.add(("latch", index, bool(counts)))
    return found


def outline(state: State, places: Iterable[str]) -> Hashable:
    """A rough idea of what stands at some places of a state (as `verifier.prove.explore.static` names them)."""
    found: list[Hashable] = []
    for place in places:
        head, _, tail = place.partition(".")
        kind, _, number = place.partition(" ")
        if tail:
            table = state.entities[head]
            found.append(
                frozenset((ref, rough) for ref, w in table.items() if (rough := _rough(w.get(tail))))
            )
        elif kind == "new":
            found.append(frozenset(ref for ref, w in state.entities[number].items() if EXISTS in w))
        elif kind == "latch":
            found.append(frozenset(key for key, n in state.counts[int(number)].items() if n))
        elif kind == "breach":
            found.append(state.broken[int(number)])
        else:
            found.append(_rough(state.fields[place]))
    return tuple(found)


def _outline(written: Mapping[str, object]) -> Hashable:
    return frozenset((name, rough) for name, value in written.items() if (rough := _rough(value)))


def _rough(value: Any) -> int:
    if type(value) is int:
        return (value > 0) - (value < 0)
    match value:
        case bool():
            return int(value)
        case int() | Fraction():
            return 0 if not value else 1 if value > 0 else -1
        case dict():
            return min(sum(bool(v) for v in value.values()), 2)
        case None | "" | ():
            return 0
        case tuple():
            return min(len(value), 3)
        case _:
            return 1
