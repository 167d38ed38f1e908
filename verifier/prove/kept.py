"""A whole run as the cache keeps it: what was decided of each obligation, so that the next run asks nothing.

An entry is found under all that the answers rest on: the rules with their law, but not which findings they accept; our
own code, the solvers with their limits, the scope, and which obligations were asked for. What cannot be read back
whole is asked again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from verifier.cache import Cache, Json
from verifier.core.program import Program
from verifier.prove.codec import from_json, state_of, state_to_json, to_json
from verifier.prove.proven import code_digest, rules_digest
from verifier.prove.question import Answer, Decided, Never, Obligation, Play, Sometimes, Unknown
from verifier.prove.scope import Scope
from verifier.prove.solve import Settings, versions
from verifier.run.bench import Happening
from verifier.run.state import State

NAMESPACE = "run"

ONE = "decided"
"""What was decided of one obligation, for a run that was broken off."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One obligation as it was decided, with its region."""

    decided: Decided
    region: tuple[str, ...]


def key_of(
    program: Program,
    settings: Settings,
    scopes: Sequence[Scope],
    obligations: Sequence[Obligation],
    found: str = "",
) -> Json:
    """What a run is known by."""
    return {
        "ruleset": rules_digest(program.ruleset),
        "code": code_digest(),
        "solvers": versions(settings),
        "order": list(settings.solvers),
        "seed": settings.seed,
        "scopes": [repr(scope) for scope in scopes],
        "obligations": [o.id for o in obligations],
        "found": found,
    }


@dataclass(frozen=True, slots=True)
class Memory:
    """Whole runs of one program, kept by one cache. `found` is the digest of what a run began with."""

    cache: Cache
    program: Program
    settings: Settings
    scopes: tuple[Scope, ...]
    found: str = ""

    def get(
        self, asked: Sequence[Obligation], obligations: Mapping[str, Obligation]
    ) -> tuple[tuple[Entry, ...], tuple[str, ...]] | None:
        """What an earlier run of just what is `asked` decided, in its order, and the ids in the order reported.

        `obligations` are those that may have been decided, by id. None where there is no such run.
        """
        value = self.cache.get(NAMESPACE, self._key(asked))
        if value is None:
            return None
        found = read_back(value, obligations)
        if found is None:
            self.cache.reject()
        return found

    def put(self, asked: Sequence[Obligation], entries: Sequence[Entry], order: Sequence[str]) -> None:
        """Keep what was decided. What cannot be written is not kept."""
        with suppress(ValueError):
            self.cache.put(NAMESPACE, self._key(asked), written_down(entries, order))

    def get_one(self, asked: Sequence[Obligation], obligation: Obligation) -> Decided | None:
        """What a run of just what is `asked`, which may have been broken off, decided of one obligation."""
        value = self.cache.get(ONE, self._key(asked, obligation.id))
        if value is None:
            return None
        found = read_back(value, {obligation.id: obligation})
        if found is None or len(found[0]) != 1:
            self.cache.reject()
            return None
        return found[0][0].decided

    def put_one(self, asked: Sequence[Obligation], decided: Decided) -> None:
        """Keep what was decided of one obligation. What cannot be written is not kept."""
        with suppress(ValueError):
            name = decided.obligation.id
            self.cache.put(ONE, self._key(asked, name), written_down((Entry(decided, ()),), (name,)))

    def _key(self, asked: Sequence[Obligation], one: str | None = None) -> Json:
        key = key_of(self.program, self.settings, self.scopes, asked, self.found)
        return key if one is None else {"run": key, "one": one}


def written_down(entries: Sequence[Entry], order: Sequence[str]) -> Json:
    """The entries for the cache. States and plays that several answers share are written once."""
    shared = _Shared()
    answers: list[Json] = [
        [
            entry.decided.obligation.id,
            _answer(entry.decided.words, shared),
            _answer(entry.decided.play, shared),
            list(entry.region),
        ]
        for entry in entries
    ]
    return {"states": shared.states, "plays": shared.plays, "answers": answers, "order": list(order)}


def read_back(
    value: Json, obligations: Mapping[str, Obligation]
) -> tuple[tuple[Entry, ...], tuple[str, ...]] | None:
    """The entries that were written down, of the obligations by their ids; None where they cannot be read."""
    try:
        match value:
            case {"states": list(states), "plays": list(plays), "answers": list(answers), "order": order}:
                read = _Read([state_of(s) for s in states])
                read.plays = [_play_of(p, read) for p in plays]
                entries = tuple(_entry(answer, obligations, read) for answer in answers)
                names = _texts(order)
                if sorted(names) != sorted(e.decided.obligation.id for e in entries):
                    return None
                return entries, names
            case _:
                return None
    except (ValueError, IndexError, TypeError, KeyError):
        return None


# --------------------------------------------------------------------------------------------- writing
@dataclass(slots=True)
class _Shared:
    """States and plays written so far, and where."""

    states: list[Json] = field(default_factory=list)
    plays: list[Json] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)

    def state(self, state: State) -> int:
        return self._put(self.states, "state", state_to_json(state))

    def play(self, play: Play) -> int:
        return self._put(
            self.plays,
            "play",
            [
                to_json(dict(play.options)),
                [[h.event, h.actor, to_json(h.values)] for h in play.happenings],
                [list(rules) for rules in play.breaches],
                self.state(play.state),
            ],
        )

    def _put(self, into: list[Json], sort: str, value: Json) -> int:
        key = sort + json.dumps(value)
        if key not in self.places:
            self.places[key] = len(into)
            into.append(value)
        return self.places[key]


def _answer(answer: Answer | None, shared: _Shared) -> Json:
    match answer:
        case None:
            return None
        case Never():
            return ["never", answer.how, answer.scope, list(answer.by), list(answer.using)]
        case Unknown():
            return ["unknown", answer.why, answer.disagree, answer.scope]
        case Sometimes():
            return [
                "sometimes",
                shared.state(answer.state),
                to_json(dict(answer.options)),
                to_json(dict(answer.values)),
                None if answer.play is None else shared.play(answer.play),
                answer.scope,
                list(answer.by),
            ]


# --------------------------------------------------------------------------------------------- reading
@dataclass(slots=True)
class _Read:
    states: list[State]
    plays: list[Play] = field(default_factory=list)


def _play_of(value: Json, read: _Read) -> Play:
    match value:
        case [options, list(happenings), list(breaches), int(state)]:
            return Play(
                from_json(options),
                tuple(_happening(h) for h in happenings),
                tuple(_texts(rules) for rules in breaches),
                read.states[state],
            )
        case _:
            raise ValueError(value)


def _happening(value: Json) -> Happening:
    match value:
        case [str(event), str(actor), values]:
            return Happening(event, actor, from_json(values))
        case _:
            raise ValueError(value)


def _texts(value: Json) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
        raise ValueError(value)
    return tuple(str(part) for part in value)


def _entry(value: Json, obligations: Mapping[str, Obligation], read: _Read) -> Entry:
    match value:
        case [str(name), words, play, region]:
            decided = Decided(obligations[name], _answer_of(words, read), _answer_of(play, read))
            return Entry(decided, _texts(region))
        case _:
            raise ValueError(value)


def _answer_of(value: Json, read: _Read) -> Answer | None:
    match value:
        case None:
            return None
        case ["never", ("typed" | "induction" | "exhaustion") as how, str(scope), by, using]:
            found: Any = how
            return Never(found, scope, _texts(by), _texts(using))
        case ["unknown", str(why), bool(disagree), str(scope)]:
            return Unknown(why, disagree, scope)
        case ["sometimes", int(state), options, values, (None | int()) as play, str(scope), by]:
            return Sometimes(
                read.states[state],
                from_json(options),
                from_json(values),
                None if play is None else read.plays[play],
                scope,
                _texts(by),
            )
        case _:
            raise ValueError(value)
