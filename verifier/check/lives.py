"""Lives followed through a table's rows: where a key passes on without its end, or goes on after it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from verifier.log.header import Header
from verifier.log.rows import Row
from verifier.model.ruleset import Append, Each, FieldTarget, Life, New, Ruleset, Update, Write
from verifier.run.recording import Recording


@dataclass(frozen=True, slots=True)
class Passing:
    """A life that passes from key `old` to `new` without its end, or (`again`) goes on after it.

    `fault` says what is wrong in words; empty where the log records no end of this life, so that the keys are
    all there is.
    """

    life: str
    old: object
    new: object
    again: bool
    fault: str


@dataclass(slots=True)
class _Track:
    life: Life
    index: int
    own: frozenset[str]
    """The events that go on in it: those that begin it, else those that write its state; in a round also its ends.

    A second end of a round is another round's. Those of other lives may come one upon the other, as shuffles do.
    """
    key: object = None
    used: bool = False
    ended: bool = False
    after: bool = False
    """Whether rows of this key came after its end."""
    told: bool = False


@dataclass(slots=True)
class Lives:
    """The lives of one table. `rounds` counts keys of the innermost one; None before any was seen.

    The event that ends a life belongs to it and carries its key; a row may lack the key of a life that it
    stands outside of. A life may begin with its own end event (the first shuffle of a log); one of which nothing
    else is logged may end with it too.
    """

    tracks: tuple[_Track, ...]
    round: str | None
    rounds: int | None = None

    @classmethod
    def of(cls, ruleset: Ruleset) -> Lives:
        """The lives of a ruleset; the first of several is the table and never passes."""
        lives = list(ruleset.lives.values())
        first = 1 if len(lives) > 1 else 0
        tracks = tuple(
            _Track(life, index, _own(ruleset, life, life is lives[-1]))
            for index, life in enumerate(lives)
            if index >= first
        )
        return cls(tracks, lives[-1].name if lives else None)

    def anew(self) -> Lives:
        """Those of another table of the same ruleset."""
        return Lives(tuple(_Track(t.life, t.index, t.own) for t in self.tracks), self.round)

    def arrive(self, row: Row, header: Header) -> list[Passing]:
        """What passes when `row` comes; inner lives first."""
        found: list[Passing] = []
        changed = any(
            track.key is not None
            and row.lives[track.index] is not None
            and row.lives[track.index] != track.key
            for track in self.tracks
        )
        for track in reversed(self.tracks):
            key = row.lives[track.index]
            if track.key is None and track.life.name in header.begun:
                track.used = True
            if key is None:
                continue
            if track.key is None or key != track.key:
                if track.key is not None and track.used and not track.ended:
                    found.append(_passing(track, key, header))
                elif track.after:
                    found.append(Passing(track.life.name, track.key, key, False, ""))
                track.used = track.key is None and track.life.name in header.begun
                track.key = key
                track.ended, track.after, track.told = False, False, False
                self._count(track)
            elif track.ended and not changed and not track.told and row.event in track.own:
                fault = ""
                if not _loose(track.life, header):
                    fault = f"{track.life.name} {key} goes on after its end: what follows is another one's"
                found.append(Passing(track.life.name, key, key, True, fault))
                track.told = True
        return found

    def leave(self, row: Row) -> None:
        """Note what `row` ended."""
        for track in self.tracks:
            if row.event in track.life.ends:
                if row.lives[track.index] is None or track.used or track.life.name == self.round:
                    track.ended, track.after = True, False
                if track.key is None and track.life.name == self.round:
                    self.rounds = (self.rounds or 0) + 1
            elif row.lives[track.index] is not None:
                track.used, track.after = True, track.ended

    def open_round(self, header: Header) -> object:
        """The key of a round that the log leaves open though it records its end, else None."""
        for track in self.tracks:
            if track.life.name == self.round and track.used and not track.ended:
                return track.key if _recorded(track.life, header) else None
        return None

    def _count(self, track: _Track) -> None:
        if track.life.name == self.round:
            self.rounds = (self.rounds or 0) + 1


def _own(ruleset: Ruleset, life: Life, innermost: bool) -> frozenset[str]:
    events = frozenset(life.begins or _writers(ruleset, life.name))
    return events | frozenset(life.ends) if innermost else events


def recording_in(ruleset: Ruleset, header: Header) -> Recording:
    """What a log with such a header can tell."""
    lives = list(ruleset.lives.values())
    return Recording(
        frozenset(event for event in ruleset.events if not header.has_event(event)),
        header.unordered,
        header.begun,
        # The first of several is the table, and never ends.
        frozenset(
            life.name
            for life in (lives[1:] if len(lives) > 1 else lives)
            if not life.beside
            and header.lacks(life.name)
            and (not life.ends or _recorded(life, header) != life.ends or _loose(life, header))
        ),
    )


def _writers(ruleset: Ruleset, life: str) -> Iterator[str]:
    """The events whose mechanics write state of the life, its own ends apart."""
    for event, updates in ruleset.mechanics.items():
        if event not in ruleset.lives[life].ends and any(_life_of(ruleset, u) == life for u in updates):
            yield event


def _life_of(ruleset: Ruleset, update: Update) -> str:
    match update:
        case Write(target=FieldTarget(entity=entity)) | Append(target=FieldTarget(entity=entity)):
            return ruleset.entities[entity].life
        case Write(target=target) | Append(target=target):
            return ruleset.state[target.name].life
        case New(entity=entity):
            return ruleset.entities[entity].life
        case Each(update=inner):
            return _life_of(ruleset, inner)


def _recorded(life: Life, header: Header) -> tuple[str, ...]:
    return tuple(event for event in life.ends if header.has_event(event))


def _loose(life: Life, header: Header) -> bool:
    """Whether the log does not say when the life's end events happened."""
    return any(event in header.unordered for event in life.ends)


def _passing(track: _Track, key: object, header: Header) -> Passing:
    life = track.life
    recorded = _recorded(life, header)
    fault = ""
    if recorded and len(recorded) == len(life.ends) and not _loose(life, header):
        fault = f"the log passes from {life.name} {track.key} to {key} without {_one_of(recorded)}"
    return Passing(life.name, track.key, key, False, fault)


def _one_of(events: tuple[str, ...]) -> str:
    words = [f"{'an' if event[0] in 'aeiou' else 'a'} {event}" for event in events]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + f" or {words[-1]}"
