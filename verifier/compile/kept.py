"""Compiled rules on disk, by what they were compiled from: a second start writes no text.

A module is kept in binary form, with the addresses that the host needs, by the SHA-256 of the whole program and of the
code that compiles. What is not exactly as it was written, or does not fit the program, is not believed, and the program
is compiled again.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from functools import cache
from itertools import chain
from operator import attrgetter
from pathlib import Path
from types import NoneType
from typing import Any

from verifier.cache import Cache, Json
from verifier.compile.inputs import Host, Inputs
from verifier.compile.layout import Layout, placed
from verifier.compile.untold import NOTHING_UNTOLD, Untold
from verifier.core.program import Program
from verifier.resources import directory
from verifier.version import VERSION

NAMESPACE = "modules"

PACKAGE = Path(__file__).parents[1]
READ = (
    "compile",
    "core",
    "model",
    "check/clauses.py",
    "check/lives.py",
    "check/schema.py",
    "run/bench.py",
    "run/machine.py",
    "run/recording.py",
)
"""The code on which a module rests."""


def host_and_module(
    program: Program, unstated: tuple[str, ...] = (), untold: Untold = NOTHING_UNTOLD
) -> tuple[Host, bytes]:
    """What the host needs to know of a program's kernel, and the module in binary form; one that tells itself what
    cannot be judged where these options are `unstated` and the log leaves `untold` what it does. Raises
    `NotCompiledError`."""
    place = directory()
    if place is None:
        return _compiled(program, unstated, untold)
    store = Cache(place)
    key: Json = {
        "program": digest_of(program),
        "by": _code(),
        "unstated": list[Json](unstated),
        "untold": [list[Json](sorted(untold.absent)), [list[Json](one) for one in untold.params]],
    }
    value = store.get(NAMESPACE, key)
    if value is not None:
        try:
            return _read(value, program, unstated, untold)
        except (KeyError, TypeError, ValueError):
            store.drop(NAMESPACE, key)
    host, wasm = _compiled(program, unstated, untold)
    store.put(NAMESPACE, key, _written(host, wasm))
    return host, wasm


def _compiled(program: Program, unstated: tuple[str, ...], untold: Untold) -> tuple[Host, bytes]:
    # what writes code is imported only where some is written
    from verifier.compile.module import compile_program

    module = compile_program(program, unstated, untold)
    return module, module.wasm()


@cache
def _code() -> str:
    """The SHA-256 of the code that compiles."""
    found = hashlib.sha256(VERSION.encode())
    for name in READ:
        place = PACKAGE / name
        for file in sorted(place.glob("*.py")) if place.is_dir() else [place]:
            found.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return found.hexdigest()


# ------------------------------------------------------------------------------------------------- the program
def digest_of(program: Program) -> str:
    """The SHA-256 of all that a program is made of, its ruleset included; known of the last few programs."""
    known = _DIGESTS.get(id(program))
    if known is not None:
        return known[1]
    found: list[str] = []
    _told(program, {}, found)
    digest = hashlib.sha256("\x1f".join(found).encode()).hexdigest()
    if len(_DIGESTS) == MOST:
        del _DIGESTS[next(iter(_DIGESTS))]
    _DIGESTS[id(program)] = program, digest
    return digest


MOST = 8
"""The digests of so many programs are known."""

_DIGESTS: dict[int, tuple[Program, str]] = {}
"""By the address of the program, which is held here so that no other comes to lie there."""


LEAVES = frozenset({NoneType, bool, int, str})


def _told(node: object, seen: dict[int, int], found: list[str]) -> None:
    """A value in words; what occurs again, as what it was then."""
    kind: Any = type(node)
    if kind in LEAVES:
        found.append(repr(node))
        return
    before = seen.setdefault(id(node), len(seen))
    if before < len(seen) - 1:
        found.append(f"#{before}")
        return
    parts: Iterable[object]
    name, values = _form(kind)
    if values is not None:
        found.append(name)
        parts = values(node)
    else:
        match node:
            case int() | str():  # of an enumeration, say
                found.append(repr(node))
                return
            case tuple() | list():
                size, parts = len(node), node
            case Mapping():
                size, parts = 2 * len(node), chain.from_iterable(node.items())
            case Set():
                size, parts = len(node), sorted(node, key=repr)
            case _:
                found.append(repr(node))
                return
        found.append(f"{name} {size}")
    for part in parts:
        if type(part) in LEAVES:
            found.append(repr(part))
        else:
            _told(part, seen, found)


@cache
def _form(kind: Any) -> tuple[str, Callable[[Any], Iterable[object]] | None]:
    """What a class is called, and of a dataclass what reads the values of its fields."""
    name = str(kind.__name__)
    if not is_dataclass(kind):
        return name, None
    return f"{kind.__module__}.{name}", _values([field.name for field in fields(kind)])


def _values(names: Sequence[str]) -> Callable[[Any], Iterable[object]]:
    if len(names) < 2:  # of one name `attrgetter` gives no tuple
        return lambda node: [getattr(node, name) for name in names]
    return attrgetter(*names)


# ------------------------------------------------------------------------------------------------- the module
NUMBERS = ("unit", "tally", "judged", "lacking", "copy", "log", "pointers", "read", "known", "end")
"""Numbers of a layout that the host asks for."""


def _written(host: Host, wasm: bytes) -> Json:
    made = host.layout
    return {
        "wasm": base64.b64encode(wasm).decode(),
        "why": list[Json](host.why),
        "numbers": {name: int(getattr(made, name)) for name in NUMBERS},
        "kept": list(made.kept),
        "values": list(made.values),
        "met": list[Json](sorted(made.met)),
        "reasons": list[Json](made.reasons),
        "doubtful": [list[Json](atom) for atom in sorted(made.doubtful)],
        "noted": [[name, part] for name, part in made.noted],
        "places": {name: list(addresses) for name, addresses in _places(made)},
        "running": {
            place.name: list[Json](place.running)
            for place in (*made.cells.values(), *made.tables.values())
            if place.running
        },
    }


def _places(made: Layout) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The addresses of what is kept of the state, by name."""
    for cell in made.cells.values():
        yield f"cell {cell.name}", (cell.at,)
    for array in made.arrays.values():
        yield f"array {array.name}", (array.at, array.size)
    for table in made.tables.values():
        yield (
            f"table {table.name}",
            (table.null, table.count, table.key_at, table.rows, table.stride, table.capacity),
        )


def _read(value: Any, program: Program, unstated: tuple[str, ...], untold: Untold) -> tuple[Host, bytes]:
    """What was written. Raises `KeyError`, `TypeError` or `ValueError` for anything else."""
    running = {str(name): tuple(map(_whole, numbers)) for name, numbers in value["running"].items()}
    made = placed(program, unstated, untold, None, running)
    made.reasons = tuple(str(what) for what in value["reasons"])
    made.doubtful = frozenset(tuple(map(str, atom)) for atom in value["doubtful"])
    for name in NUMBERS:
        setattr(made, name, _whole(value["numbers"][name]))
    made.kept = (_whole(value["kept"][0]), _whole(value["kept"][1]))
    made.values = (_whole(value["values"][0]), _whole(value["values"][1]))
    made.met = {str(name) for name in value["met"]}
    if value["noted"] != [[name, part] for name, part in made.noted]:
        raise ValueError("noted")
    places = value["places"]
    for cell in made.cells.values():
        (cell.at,) = map(_whole, places[f"cell {cell.name}"])
    for array in made.arrays.values():
        array.at, size = map(_whole, places[f"array {array.name}"])
        if size != array.size:
            raise ValueError(array.name)
    for table in made.tables.values():
        table.null, table.count, table.key_at, table.rows, stride, capacity = map(
            _whole, places[f"table {table.name}"]
        )
        if (stride, capacity) != (table.stride, table.capacity):
            raise ValueError(table.name)
    if len(places) != len(made.cells) + len(made.arrays) + len(made.tables):
        raise ValueError("places")
    wasm = base64.b64decode(value["wasm"], validate=True)
    return Host(made, Inputs.of(made), tuple(str(why) for why in value["why"])), wasm


def _whole(number: object) -> int:
    if type(number) is not int:
        raise TypeError(number)
    return number


__all__ = ["digest_of", "host_and_module"]
