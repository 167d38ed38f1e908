"""Where the two engines disagree: in what, and the round saved with all that was known at its beginning."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from verifier.log.rows import Row
from verifier.model import types as ty
from verifier.model.ruleset import Ruleset
from verifier.model.values import Partial
from verifier.run.state import EXISTS, State

MOST = 1000
"""So many files of rounds may stand in one folder."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A round of which the two engines say different things."""

    table: str
    lives: tuple[object, ...]
    seq: int | None
    """None: it is about the whole table."""
    what: str
    saved: str | None
    """In what was said of where the round is: in which file, or why in none."""

    @property
    def text(self) -> str:
        """Where, in what, and where the round is, on one line."""
        place = " ".join(part for part in (self.table, "" if self.seq is None else f"seq {self.seq}") if part)
        at = f"at {place}: " if place else ""
        return f"{at}{self.what}" + (f"; {self.saved}" if self.saved else "")


def save(
    folder: Path,
    ruleset: Ruleset,
    row: Row,
    what: str,
    options: Mapping[str, object],
    state: State,
    rows: Sequence[Mapping[str, object]],
) -> str:
    """Write a round on which the engines disagree into a file of its own. In which, or why that failed, in words: what
    else was found is told all the same."""
    content = {
        "ruleset": ruleset.name,
        "ruleset_digest": ruleset.digest,
        "file": row.file,
        "seq": row.seq,
        "what": what,
        "options": {name: str(value) for name, value in options.items()},
        "state": repr(state),
        "rows": rows,
    }
    text = json.dumps(content, ensure_ascii=False, indent=1, default=str)
    for number in range(1, MOST + 1):
        path = folder / f"gazette-disagreement-{number}.json"
        try:
            with path.open("x", encoding="utf-8") as stream:
                stream.write(text)
        except FileExistsError:
            continue
        except OSError as error:
            return f"the round could not be saved in {path}: {error.strerror}"
        return f"saved in {path}"
    return f"not saved: there are {MOST:,} such files in {folder.resolve()}"


def _unlike(one: object, other: object) -> bool:
    """Whether two values differ; what nobody can tell is alike where it is so for the same reason."""
    if isinstance(one, Partial) and isinstance(other, Partial):
        return (one.kind, one.what) != (other.kind, other.what)
    return one != other


def unlike_states(ruleset: Ruleset, one: State, other: State) -> str | None:
    """In what two states differ, in a word; what stands at its first value may be written or not."""
    for name in one.fields.keys() | other.fields.keys():
        a, b = one.fields.get(name), other.fields.get(name)
        if isinstance(a, dict) and isinstance(b, dict):
            if any(_unlike(a.get(key), b.get(key)) for key in a.keys() & b.keys()):
                return name
            state = ruleset.state[name]
            first = state.initial if isinstance(state.type, ty.MapT) else False
            if any(_unlike(dict_.get(key, first), first) for dict_ in (a, b) for key in a.keys() ^ b.keys()):
                return name
        elif _unlike(a, b):
            return name
    for entity in one.entities:
        mine, theirs = one.entities[entity], other.entities[entity]
        real = {ref for ref, fields in mine.items() if EXISTS in fields}
        if real != {ref for ref, fields in theirs.items() if EXISTS in fields}:
            return f"which {entity} there are"
        for ref in real:
            for field_name, value in theirs[ref].items():
                if _unlike(mine[ref].get(field_name), value):
                    return f"{entity}.{field_name}"
    for index, (counts, theirs_) in enumerate(zip(one.counts, other.counts, strict=True)):
        if {k: n for k, n in counts.items() if n} != {k: n for k, n in theirs_.items() if n}:
            return f"how often events happened ({index})"
    if one.broken != other.broken:
        return "which rules have been broken"
    return None
