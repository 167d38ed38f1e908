"""State from the kernel to the interpreter and back: what either needs to go on where the other stopped."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from verifier.compile.depends import Atom
from verifier.compile.emit import WORD
from verifier.compile.encoding import ABSENT, UNDEFINED, NotCompiledError, decode, encode, pack, unpack
from verifier.compile.layout import CELL, Array, Cell, Layout, Table, row_image
from verifier.model import types as ty
from verifier.model.values import Partial
from verifier.run.state import EXISTS, State, first_state
from verifier.run.undefined import Reason

Names = Mapping[str, list[str]]


def state_from(cells: Any, layout: Layout, names: Names) -> State:
    """The interpreter's state where the kernel's is `cells`; `names` are the ids by number."""
    ruleset = layout.ruleset
    state = first_state(ruleset)
    for name, field in ruleset.state.items():
        place = layout.place(name)
        if isinstance(place, Cell):
            state.fields[name] = _cell(cells, place.at, place.type, layout, names)
        else:
            of = field.type.of if isinstance(field.type, ty.MapT) else ty.BOOL
            state.fields[name] = {
                key[0]: _told(of, value, layout, names) for key, value in _entries(cells, place, names)
            }
    for name in ruleset.entities:
        table = layout.tables[f"entity {name}"]
        for key, row in _rows(cells, table):
            found: dict[str, object] = {
                column.name: _cell(cells, row + column.offset, column.type, layout, names)
                for column in table.columns.values()
            }
            if cells[row // CELL]:
                found[EXISTS] = True
            state.entities[name][unpack(table.keys, key, names)] = found
    for index in range(len(ruleset.latches)):
        place = layout.place(f"latch {index}")
        if isinstance(place, Cell):
            times = cells[place.at // CELL]
            state.counts[index] = {(): times} if times else {}
        else:
            state.counts[index] = {key: value for key, value in _entries(cells, place, names) if value}
    for index in range(len(ruleset.breaches)):
        state.broken[index] = bool(cells[layout.cells[f"broken {index}"].at // CELL])
    for kind in state.ids:
        known = cells[layout.cells[f"ids {kind}"].at // CELL]
        state.ids[kind] = {name: i for i, name in enumerate(names[kind][:known])}
    return state


def _told(type_: ty.Type, value: int, layout: Layout, names: Names) -> Any:
    """What a cell stands for: a value, or why nobody can tell it."""
    if layout.reasons and value < UNDEFINED + WORD:
        return Partial(layout.reasons[value - UNDEFINED])
    return decode(type_, value, names, layout.unit)


def _cell(cells: Any, at: int, type_: ty.Type, layout: Layout, names: Names) -> Any:
    if isinstance(type_, ty.ListT):
        length = cells[at // CELL]
        if length < 0:
            return _told(type_, length, layout, names)
        first = at // CELL + 1
        return tuple(decode(type_.of, cells[i], names, layout.unit) for i in range(first, first + length))
    return _told(type_, cells[at // CELL], layout, names)


def _entries(cells: Any, place: Array | Table, names: Names) -> Iterable[tuple[tuple[Any, ...], int]]:
    """What differs from the first value, by key."""
    if isinstance(place, Array):
        for i in range(place.size):
            value = cells[place.at // CELL + i]
            if value != place.initial:
                yield unpack(place.keys, i, names), value
        return
    column = place.columns["value"]
    for key, row in _rows(cells, place):
        yield unpack(place.keys, key, names), cells[(row + column.offset) // CELL]


def _rows(cells: Any, table: Table) -> Iterable[tuple[int, int]]:
    """The rows in use: key and address."""
    used = cells[table.count // CELL]
    if table.dense:
        for key in range(table.capacity):
            if used >> key & 1:
                yield key, table.rows + key * table.stride
        return
    for i in range(used):
        yield cells[table.key_at // CELL + i], table.rows + i * table.stride


def state_to(cells: Any, layout: Layout, state: State, ids: Mapping[str, Mapping[str, int]]) -> None:
    """Make the kernel's state that of the interpreter. Raises `NotCompiledError` where it has no room for it; then
    what `cells` hold is of no use."""
    ruleset = layout.ruleset
    _clear(cells, layout)
    for name, field in ruleset.state.items():
        place = layout.place(name)
        value = state.fields[name]
        if isinstance(place, Cell):
            _set(cells, place.at, place.type, value, layout, ids, ("state", name))
        else:
            of = field.type.of if isinstance(field.type, ty.MapT) else ty.BOOL
            _demand_dict(value)
            for key, one in value.items():
                _put(cells, place, (key,), _number(of, one, layout, ids, ("state", name)), ids)
    for name in ruleset.entities:
        table = layout.tables[f"entity {name}"]
        for ref, fields in state.entities[name].items():
            row = _row(cells, table, pack(table.keys, ref, ids))
            for field_name, one in fields.items():
                if field_name == EXISTS:
                    cells[row // CELL] = 1
                else:
                    column = table.columns[field_name]
                    _set(
                        cells, row + column.offset, column.type, one, layout, ids, ("field", name, field_name)
                    )
    for index, counts in enumerate(state.counts):
        place = layout.place(f"latch {index}")
        for key, times in counts.items():
            if isinstance(place, Cell):
                cells[place.at // CELL] = times
            else:
                _put(cells, place, key, times, ids)
    for index, broken in enumerate(state.broken):
        cells[layout.cells[f"broken {index}"].at // CELL] = int(broken)
    for kind, known in state.ids.items():
        cells[layout.cells[f"ids {kind}"].at // CELL] = len(known)


def _demand_dict(value: object) -> None:
    if not isinstance(value, dict):
        raise NotCompiledError("a map of which nothing is known")


def _set(
    cells: Any,
    at: int,
    type_: ty.Type,
    value: Any,
    layout: Layout,
    ids: Mapping[str, Mapping[str, int]],
    atom: Atom,
) -> None:
    if isinstance(type_, ty.ListT) and not isinstance(value, Partial):
        if not isinstance(value, tuple) or len(value) > type_.maximum:
            raise NotCompiledError("a list of which nothing is known")
        cells[at // CELL] = len(value)
        for i, item in enumerate(value):
            cells[at // CELL + 1 + i] = encode(type_.of, item, ids, layout.unit)
        return
    cells[at // CELL] = _number(type_, value, layout, ids, atom)


def _number(
    type_: ty.Type, value: Any, layout: Layout, ids: Mapping[str, Mapping[str, int]], atom: Atom
) -> int:
    """As a cell holds a value, or why nobody can tell it. Raises `NotCompiledError`."""
    if not isinstance(value, Partial):
        return encode(type_, value, ids, layout.unit)
    if not layout.may_lack(atom) or value.kind != "unrecorded" or value.what not in layout.reasons:
        raise NotCompiledError("a value that is not told")
    return UNDEFINED + layout.reasons.index(value.what)


def _put(
    cells: Any, place: Array | Table, key: tuple[Any, ...], value: int, ids: Mapping[str, Mapping[str, int]]
) -> None:
    packed = pack(place.keys, key, ids)
    if isinstance(place, Array):
        cells[place.at // CELL + packed] = value
    else:
        cells[(_row(cells, place, packed) + place.columns["value"].offset) // CELL] = value


def _row(cells: Any, table: Table, key: int) -> int:
    """The address of a fresh row."""
    used = cells[table.count // CELL]
    if table.dense:
        _image(cells, table.rows + key * table.stride, table)
        mask = (used & ((1 << 64) - 1)) | 1 << key
        cells[table.count // CELL] = mask - (1 << 64) if mask >> 63 else mask
        return table.rows + key * table.stride
    if used >= table.capacity:
        raise NotCompiledError(f"more than {table.capacity} of {table.name}")
    cells[table.count // CELL] = used + 1
    cells[table.key_at // CELL + used] = key
    row: int = table.rows + used * table.stride
    _image(cells, row, table)
    return row


def _image(cells: Any, row: int, table: Table) -> None:
    for i, cell in enumerate(row_image(table)):
        cells[row // CELL + i] = cell


def _clear(cells: Any, layout: Layout) -> None:
    """Everything of the state as at first, and no values kept; tallies, options and tracks stay."""
    first, end = layout.values
    ctypes.memset(ctypes.addressof(cells) + first, 0, end - first)
    for cell in layout.cells.values():
        if not cell.name.startswith(("option ", "track ")):
            for at, number in cell.begun():
                cells[at // CELL] = number
    for array in layout.arrays.values():
        for i in range(array.size):
            cells[array.at // CELL + i] = array.initial
    for table in layout.tables.values():
        if table.dense:
            for key, row in list(_rows(cells, table)):
                del key
                _image(cells, row, table)
        cells[table.count // CELL] = 0


Reasons = frozenset[Reason]


def known_from(cells: Any, layout: Layout) -> tuple[dict[int, str], dict[int, Reasons], dict[int, Reasons]]:
    """Of which latches the kernel cannot tell how they stand, each with the reason, which breaches it could not judge,
    with the reasons, and of which duties it cannot tell whether they are due right after an event."""
    lost: dict[int, str] = {}
    for index in range(len(layout.ruleset.latches)):
        cell = layout.cells.get(f"lost {index}")
        if cell is not None and (bit := cells[cell.at // CELL]):
            lost[index] = layout.reasons[bit.bit_length() - 1]
    found: list[dict[int, Reasons]] = []
    for what, many in (("doubt", len(layout.ruleset.breaches)), ("unsure", len(layout.program.duties))):
        found.append({})
        for index in range(many):
            cell = layout.cells.get(f"{what} {index}")
            if cell is not None and (mask := cells[cell.at // CELL]):
                found[-1][index] = frozenset(why for i, why in enumerate(layout.whys) if mask >> i & 1)
    return lost, found[0], found[1]


def known_to(
    cells: Any,
    layout: Layout,
    lost: Mapping[int, str],
    doubts: Mapping[int, Reasons],
    unsure: Mapping[int, Reasons],
) -> None:
    """Make that what the kernel knows. Raises `NotCompiledError` where it has no room for it."""
    for index, what in lost.items():
        cell = layout.cells.get(f"lost {index}")
        if cell is None or what not in layout.reasons:
            raise NotCompiledError("a count that is lost")
        cells[cell.at // CELL] = 1 << layout.reasons.index(what)
    whys = layout.whys
    for what, of in (("doubt", doubts), ("unsure", unsure)):
        for index, reasons in of.items():
            cell = layout.cells.get(f"{what} {index}")
            if cell is None or not reasons <= set(whys):
                raise NotCompiledError("what could not be judged")
            cells[cell.at // CELL] = sum(1 << whys.index(reason) for reason in reasons)


TRACK = ("key", "used", "ended", "after", "told")


def track_cells(layout: Layout) -> list[int]:
    """Where what is known of the lives stands, one life after another; behind them how many keys the last has had."""
    found = [
        layout.cells[f"track {name} {what}"].at // CELL for name in layout.ruleset.lives for what in TRACK
    ]
    return [*found, layout.cells["track rounds"].at // CELL]


def tracks_from(known: Sequence[int], layout: Layout) -> dict[str, tuple[int | None, bool, bool, bool, bool]]:
    """For each life, its key's number, and whether it is used, ended, went on after it, and that was told; `known` is
    what stands in the `track_cells`."""
    found = {}
    for i, name in enumerate(layout.ruleset.lives):
        key, used, ended, after, told = known[i * len(TRACK) : (i + 1) * len(TRACK)]
        found[name] = (None if key == ABSENT else key, bool(used), bool(ended), bool(after), bool(told))
    return found


def track_to(
    cells: Any, layout: Layout, name: str, key: int | None, flags: tuple[bool, bool, bool, bool]
) -> None:
    """Set what is known of a life."""
    cells[layout.cells[f"track {name} key"].at // CELL] = ABSENT if key is None else key
    for what, flag in zip(("used", "ended", "after", "told"), flags, strict=True):
        cells[layout.cells[f"track {name} {what}"].at // CELL] = int(flag)
