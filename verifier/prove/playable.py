"""The smallest scope in which a game can be played: an induction in a smaller one speaks of what never happens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from verifier.core.program import Program
from verifier.model import types as ty
from verifier.model.types import Type
from verifier.prove.explore.corpus import Corpus, Node
from verifier.prove.extent import places
from verifier.prove.question import Mode
from verifier.prove.scope import Scope, id_of, scope_of

MOST_PLACES = 400
"""A scope in which the state has more fields than this is too much for an induction."""

MOST_MORE = 2
"""So many more values there may be of a range or an id type: a play that needs more is no way to do with little."""

MOST_PLAYS = 40
"""So many plays are looked at for one kind of event, those that need least."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What a play needs beyond a scope: `values` of the id types and ranges that it bounds, `lengths` of lists."""

    values: frozenset[tuple[str, object]]
    lengths: frozenset[tuple[str, int]]

    def __or__(self, other: Needs) -> Needs:
        return Needs(self.values | other.values, _longest(self.lengths, other.lengths))

    @property
    def more(self) -> Counts:
        """How many more values there must be of each type, whichever they are."""
        return Counts(frozenset(Counter(name for name, _ in self.values).items()), self.lengths)


@dataclass(frozen=True, slots=True)
class Counts:
    """How many more values of each type a scope must have, and how long its lists must be."""

    values: frozenset[tuple[str, int]]
    lengths: frozenset[tuple[str, int]]

    def __or__(self, other: Counts) -> Counts:
        return Counts(_longest(self.values, other.values), _longest(self.lengths, other.lengths))


def _longest(
    one: frozenset[tuple[str, int]], other: frozenset[tuple[str, int]]
) -> frozenset[tuple[str, int]]:
    found = dict(one)
    for name, number in other:
        found[name] = max(number, found.get(name, 0))
    return frozenset(found.items())


NOTHING = Needs(frozenset(), frozenset())
NO_MORE = Counts(frozenset(), frozenset())


@dataclass(slots=True)
class Reader:
    """Reads what plays need beyond `base`, the scope to begin with."""

    program: Program
    base: Scope
    _known: dict[int, Needs] = field(default_factory=dict)

    def of(self, node: Node) -> Needs:
        """What the play that led to a node needs."""
        found = NOTHING
        for step in node.path():
            if step.number not in self._known:
                self._known[step.number] = found | self._step(step)
            found = self._known[step.number]
        return found

    def _step(self, node: Node) -> Needs:
        ruleset = self.program.ruleset
        values: set[tuple[str, object]] = set()
        lengths: dict[str, int] = {}
        if node.happening is not None:
            params = ruleset.events[node.happening.event].params
            for param, value in zip(params, node.happening.values, strict=True):
                values.update(self._named(param.type, value))
        for kind, table in node.state.entities.items():
            declared = ruleset.entities[kind]
            lists = [part.name for part in declared.fields if isinstance(part.type, ty.ListT)]
            for ref, written in table.items():
                values.update(self._named(declared.type, ref))
                for name in lists:
                    elements = written.get(name, ())
                    path = f"{kind}.{name}"
                    lengths[path] = max(lengths.get(path, 0), len(elements))  # type: ignore[arg-type]
        for name, state in ruleset.state.items():
            value = node.state.fields[name]
            match state.type:
                case ty.ListT():
                    lengths[name] = len(value)
                case ty.MapT(key=key) | ty.SetT(of=key):
                    for item in value:
                        values.update(self._named(key, item))
                case _:
                    continue
        over = {(path, n) for path, n in lengths.items() if n > self.base.slots[path]}
        return Needs(frozenset(values), frozenset(over))

    def _named(self, type_: Type, value: object) -> Iterator[tuple[str, object]]:
        match type_, value:
            case ty.IdT(name=name), str():
                if value not in self.base.ids[name]:
                    yield name, value
            case ty.EntityT(keys=parts) | ty.RecordT(fields=parts), tuple():
                for (_, part), inner in zip(parts, value, strict=True):
                    yield from self._named(part, inner)
            case ty.OptT(of=of), _:
                if value is not None:
                    yield from self._named(of, value)
            case _:
                narrowed = self.base.narrowed.get(str(type_))
                if narrowed is not None and value not in narrowed:
                    yield str(type_), value


def playable(program: Program, base: Scope, corpus: Corpus, mode: Mode) -> Scope:
    """The scope `base`, with more where some kind of event needs it that a play of the mode in `corpus` had.

    Which values there are more of is not told by the plays: the lowest are taken. What would make the state have too
    many fields is left out, and what needs it does not happen in the scope then.
    """
    wanted = _by_event(Reader(program, base), corpus, mode)
    counts, scope = NO_MORE, base
    while wanted:
        choices = [
            (places(program, _with(program, base, counts | way)), name, counts | way)
            for name, ways in wanted.items()
            for way in ways
        ]
        size, name, together = min(choices, key=lambda choice: choice[:2])
        if size > MOST_PLACES:
            break
        counts, scope = together, _with(program, base, together)
        del wanted[name]
    return scope


def _by_event(reader: Reader, corpus: Corpus, mode: Mode) -> dict[str, list[Counts]]:
    """By each kind of event what plays need that have it; less those kinds that some play has which needs nothing."""
    found: dict[str, dict[Counts, None]] = {}
    for node in corpus.of(mode):
        if node.happening is not None:
            found.setdefault(node.happening.event, {})[reader.of(node).more] = None
    for (name, broken), parents in corpus.returns.items():
        if mode == "words" or not broken:
            found.setdefault(name, {}).update(dict.fromkeys(reader.of(parent).more for parent in parents))
    return {
        name: sorted((way for way in ways if _is_little(way)), key=_size)[:MOST_PLAYS]
        for name, ways in sorted(found.items())
        if NO_MORE not in ways and any(_is_little(way) for way in ways)
    }


def _is_little(counts: Counts) -> bool:
    return all(number <= MOST_MORE for _, number in counts.values)


def _size(counts: Counts) -> tuple[int, int, list[tuple[str, int]]]:
    return sum(n for _, n in counts.values), sum(n for _, n in counts.lengths), sorted(counts.values)


def _with(program: Program, base: Scope, counts: Counts) -> Scope:
    """The scope that has so much more."""
    ids: dict[str, Sequence[str]] = dict(base.ids)
    narrowed: dict[str, Sequence[object]] = dict(base.narrowed)
    slots: Mapping[str, int] = {**base.slots, **dict(counts.lengths)}
    for name, number in counts.values:
        if name in ids:
            ids[name] = tuple(id_of(name, i + 1) for i in range(len(base.ids[name]) + number))
        else:
            values = ty.finite_values(program.ruleset.types[name]) or []
            spare = [value for value in values if value not in base.narrowed[name]]
            narrowed[name] = tuple(sorted([*base.narrowed[name], *spare[:number]]))  # type: ignore[type-var]
    return scope_of(program, ids, narrowed, slots, money_parts=base.money_parts)
