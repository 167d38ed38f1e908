"""Where the kernel keeps what: the state of a ruleset in linear memory, with bounds fixed beforehand.

All lives but the last lie first ("kept"), with the tallies; a copy of them is taken whenever the last life ends, and a
round that needs explaining is begun anew from it. Every cell has eight bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from verifier.check.clauses import claimed_in
from verifier.compile.depends import Atom, Depends
from verifier.compile.encoding import MOST_BITS, NotCompiledError, bits, encode
from verifier.compile.lacking import MOST, Lacking
from verifier.compile.memos import WORD, Memo, Memos
from verifier.compile.running import Loop, Running, found_in, of_any
from verifier.compile.sift import sifted
from verifier.compile.units import terms_of, unit_of
from verifier.compile.untold import LACKS, NOTHING_UNTOLD, Told, Untold, lossy, told
from verifier.core.program import Duty, Program
from verifier.model import types as ty
from verifier.model.ruleset import Ruleset
from verifier.model.terms import Term
from verifier.model.types import Type
from verifier.run.undefined import Reason

CELL = 8
MASK = 63
"""A decision's cases that gave its value are told by a bit each, so many in a number."""
DENSE_BITS = 6
"""A table whose keys have at most so many bits has a row for each."""
ARRAY_BITS = 8
"""So it is with maps and counters, a cell for each key."""
ROWS = 256
"""Rows of any other table of the last life."""
KEPT_ROWS = 128
"""Rows of any other table of the lives before."""
LOG_ENTRIES = 2048
"""Cells that one event may write to."""
FIRST = 1024
"""Memory begins with what host and kernel say to each other (`Header`)."""


class Header:
    """Addresses of 64-bit cells at the start of memory."""

    MARK = 0  # why the run stopped, 0 where it went through
    MARKED = 8  # the event that needs explaining
    BEGUN = 16  # the first event since the last checkpoint
    RULE = 24  # the rule at issue, where there is one
    WHY = 32  # what was being judged when the kernel gave up


@dataclass(frozen=True, slots=True)
class Column:
    """A field of a table's rows; `cells` counts a list's length among them. `initial` are its cells at first."""

    name: str
    type: Type
    offset: int
    initial: int


@dataclass(slots=True)
class Table:
    """Rows by key. A dense one has a row for each key, at `rows` + key * stride; else `keys` lists those in use.

    The first cell of a row says whether its entity exists. Reading a key without a row reads the row at `null`.
    """

    name: str
    keys: tuple[Type, ...]
    columns: dict[str, Column]
    stride: int
    reset: int
    """Bytes of a row that are set when it is made: all but a list's elements."""
    dense: bool
    capacity: int
    life: int
    null: int = 0
    count: int = 0
    """The cell with the number of rows in use; of a dense table, the mask of the rows touched."""
    key_at: int = 0
    rows: int = 0
    running: tuple[int, ...] = ()
    """What folds over the row's lists come to of no elements; of each two cells are kept from `running_at` on: of how
    many elements it has been asked, and what it has come to."""
    running_at: int = 0


@dataclass(slots=True)
class Array:
    """A cell for each key."""

    name: str
    keys: tuple[Type, ...]
    type: Type
    initial: int
    size: int
    life: int
    at: int = 0


@dataclass(slots=True)
class Cell:
    """One value, or a list: its length and then its elements."""

    name: str
    type: Type
    initial: int
    life: int
    at: int = 0
    running: tuple[int, ...] = ()
    """Of a list, as `Table.running`: these cells follow its elements."""

    @property
    def running_at(self) -> int:
        """Where what is kept of folds begins, from the list's address on."""
        return CELL * cells_of(self.type)

    def begun(self) -> Iterator[tuple[int, int]]:
        """Addresses and numbers that set it to its first value."""
        yield self.at, self.initial
        for offset, number in unfolded(self.running):
            yield self.at + self.running_at + offset, number


@dataclass(slots=True)
class Place:
    """Where the values of a function are kept: from `good` on the bits that tell which are good, by its arguments'
    number from `bit` on; from `values` on the values, or truth values a bit each likewise."""

    memo: Memo
    good: int = 0
    bit: int = 0
    values: int = 0


@dataclass(slots=True)
class Held:
    """A condition on one entity: what it rests on, and the cell that tells by a bit each which rows meet it."""

    entity: str
    own: frozenset[str]
    at: int = 0


@dataclass(slots=True)
class Layout:
    """The memory of one ruleset's kernel.

    `lives` has -1 for what no life resets. `unit` is the common denominator of odds.
    """

    program: Program
    unit: int = 1
    unstated: tuple[str, ...] = ()
    """Options for want of which the kernel counts rules as not checkable; the module has a bit for each,"""
    reasons: tuple[str, ...] = ()
    """after those for what the log never records, in the order in which the interpreter gives them."""
    untold: Untold = NOTHING_UNTOLD
    """What that is,"""
    told: Told | None = None
    """and what follows from it; None where everything is recorded, and where no code is to be written."""
    doubtful: frozenset[Atom] = frozenset()
    """The parts of the state of which nobody may be able to tell what they are."""
    lacks: Lacking = field(init=False)
    """What reads them,"""
    optional: Lacking = field(init=False)
    """and what reads any option."""
    cells: dict[str, Cell] = field(default_factory=dict)
    arrays: dict[str, Array] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    running: dict[Loop, Running] = field(default_factory=dict)
    """The folds over lists of which it is kept how far they have come."""
    memos: dict[str, Place] = field(default_factory=dict)
    """What is kept, by function or `decide NAME`, and where."""
    held: dict[str, Held] = field(default_factory=dict)
    """The conditions on one entity of which it is held, at any time, which rows meet them."""
    holding: tuple[int, int] = (0, 0)
    """The cells that tell so; as many behind them are room for a copy."""
    good: tuple[int, int] = (0, 0)
    """The cells that tell by a bit each which values kept are good; as many behind them are room for a copy."""
    values: tuple[int, int] = (0, 0)
    """All that is kept; where it is made 0, nothing is."""
    written_out: frozenset[str] = frozenset()
    used_once: frozenset[str] = frozenset()
    """Functions that are written out because only one place calls them."""
    rules: dict[str, int] = field(default_factory=dict)
    tally: int = 0
    judged: int = 0
    """How many events of each kind have been judged, a cell each."""
    lacking: int = 0
    """For each rule how often it could not be judged, and then for each unstated option how often for want of it."""
    kept: tuple[int, int] = (0, 0)
    copy: int = 0
    log: int = 0
    pointers: int = 0
    noted: list[tuple[str, int]] = field(default_factory=list)
    """Of decisions that no claim is about the cases are noted that gave the value of an answer, a bit each: the name of
    the decision, and which of its numbers."""
    read: int = 0
    """Where these numbers stand: what the round at hand has read,"""
    known: int = 0
    """and what is known to be read."""
    input: int = 0
    end: int = 0
    images: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)
    """What stands in memory before anything has happened: (address, cells)."""
    constants: dict[tuple[int, ...], int] = field(default_factory=dict)
    """Where numbers stand that never change."""
    met: set[str] = field(default_factory=set)
    """Types of ids of which the rules ask who all has been met, or who was first."""

    def __post_init__(self) -> None:
        found = {} if self.told is None else self.told.found
        never = tuple(f"{LACKS}{what}" for what in self.reasons)
        self.lacks = Lacking(self.program, (*never, *self.unstated), found)
        self.optional = Lacking(self.program, (*never, *self.program.ruleset.options), found)

    @property
    def ruleset(self) -> Ruleset:
        return self.program.ruleset

    @property
    def last(self) -> int:
        """The number of the last life, whose end is a checkpoint."""
        return len(self.ruleset.lives) - 1

    @property
    def never(self) -> int:
        """The bits of what the log never records."""
        return (1 << len(self.reasons)) - 1

    @property
    def whys(self) -> tuple[Reason, ...]:
        """All for which the kernel counts that rules are not checkable, in the order of their bits."""
        never = tuple(Reason("unrecorded", what) for what in self.reasons)
        return never + tuple(Reason("option", name) for name in self.unstated)

    def never_told(self, term: Term) -> bool:
        """Whether a term may be undefined for what the log never records."""
        return bool(self.reasons) and any(name.startswith(LACKS) for name in self.lacks.of(term))

    def hangs(self, term: Term) -> bool:
        """Whether a term reads any option."""
        return any(not name.startswith(LACKS) for name in self.optional.of(term))

    def running_of(self, term: Loop) -> Running | None:
        """What is kept of a fold's coming on."""
        key = of_any(term)
        return None if key is None else self.running.get(key)

    def why(self, what: str) -> int:
        """The bit of what the log never records."""
        return self.lacks.bits[f"{LACKS}{what}"]

    def may_lack(self, atom: Atom) -> bool:
        """Whether a part of the state may be such that nobody can tell what it is."""
        return atom in self.doubtful

    def memo_cells(self, memo: Memo) -> int:
        """The cells of one kept value: the value, of a decision which cases gave it, and the arguments compared."""
        if memo.truth:
            return 0
        cells = 1 + len(memo.compared)
        if memo.name.startswith("decide "):
            cells += 1 + len(self.program.decisions[memo.name.removeprefix("decide ")].cases) // MASK
        return cells

    def atoms_of(self, life: int) -> frozenset[Atom]:
        """All that is set to its first value where the life ends."""
        found: set[Atom] = set()
        places: list[Cell | Array | Table] = [
            *self.cells.values(),
            *self.arrays.values(),
            *self.tables.values(),
        ]
        for place in places:
            if place.life == life:
                kind, _, rest = place.name.partition(" ")
                if kind == "entity" and isinstance(place, Table):
                    found |= {("exists", rest), ("keys", rest)}
                    found |= {("field", rest, name) for name in place.columns}
                elif kind in ("latch", "broken") and rest:
                    found.add((kind, rest))
                else:
                    found.add(("state", place.name))
        return frozenset(found)

    def place(self, name: str) -> Cell | Array | Table:
        """A state field, `latch N` or `broken N`."""
        return self.cells.get(name) or self.arrays.get(name) or self.tables[name]


def layout(program: Program, unstated: tuple[str, ...] = (), untold: Untold = NOTHING_UNTOLD) -> Layout:
    """The memory of a program's kernel. Raises `NotCompiledError`."""
    written = None if untold == NOTHING_UNTOLD else told(program, untold)
    program = program if written is None else written.program
    ruleset = program.ruleset
    dense = frozenset(
        name
        for name, entity in ruleset.entities.items()
        if sum(bits(part) for _, part in entity.type.keys) <= DENSE_BITS
    )
    lacks = None
    if written is not None:
        lacks = Lacking(program, tuple(f"{LACKS}{what}" for what in written.reasons), written.found)
    program = sifted(program, dense, lacks)
    made = placed(program, unstated, untold, written)
    known = Memos(program, frozenset() if written is None else frozenset(written.found))
    made.written_out = frozenset(name for name in program.functions if known.written_out(name))
    depends = Depends(program, dense)
    for name in known.held():
        (param,) = program.functions[name].params
        assert isinstance(param.type, ty.EntityT)
        made.held[name] = Held(param.type.name, depends.reads(name, 0).own)
    for memo in known.kept(dense):
        made.memos[memo.name] = Place(memo)
    made.used_once = known.used_once() - made.memos.keys()
    _allocate(made)
    return made


def placed(
    program: Program,
    unstated: tuple[str, ...] = (),
    untold: Untold = NOTHING_UNTOLD,
    written: Told | None = None,
    running: Mapping[str, tuple[int, ...]] | None = None,
) -> Layout:
    """What of a program's state is kept, with no addresses yet; of folds over lists what is known already of what is
    kept by place (`Table.running`). Raises `NotCompiledError`."""
    ruleset = program.ruleset
    reasons = () if written is None else written.reasons
    doubtful = frozenset[Atom]() if written is None else frozenset(written.found)
    made = Layout(program, unit_of(program), unstated, reasons, untold, written, doubtful)
    if running is None:
        made.running = found_in(program, terms_of(program), doubtful)
        running = {}
        for one in made.running.values():
            place = one.name if one.entity is None else f"entity {one.entity}"
            running[place] = (*running.get(place, ()), one.initial)
    if len(reasons) + len(unstated) > MOST:
        raise NotCompiledError("a log that leaves out so much")
    lives = {name: i for i, name in enumerate(ruleset.lives)}
    for name, state in ruleset.state.items():
        life = lives[state.life]
        match state.type:
            case ty.MapT(key=key, of=of):
                _keyed(made, name, (key,), of, _initial(made, of, state.initial), life)
            case ty.SetT(of=of):
                _keyed(made, name, (of,), ty.BOOL, 0, life)
            case type_:
                first = _initial(made, type_, state.initial)
                made.cells[name] = Cell(name, type_, first, life, running=running.get(name, ()))
    for name, entity in ruleset.entities.items():
        columns = [(f.name, f.type, _initial(made, f.type, f.initial)) for f in entity.fields]
        keys = tuple(part for _, part in entity.type.keys)
        table = f"entity {name}"
        made.tables[table] = _table(table, keys, columns, lives[entity.life], made, running.get(table, ()))
    for index, latch in enumerate(ruleset.latches):
        life = -1 if latch.life is None else lives[latch.life]
        keys = tuple(ruleset.events[latch.event].params[k].type for k in latch.keys)
        if keys:
            _keyed(made, f"latch {index}", keys, ty.INT, 0, life)
        else:
            made.cells[f"latch {index}"] = Cell(f"latch {index}", ty.INT, 0, life)
    for index, breach in enumerate(ruleset.breaches):
        life = -1 if breach.life is None else lives[breach.life]
        made.cells[f"broken {index}"] = Cell(f"broken {index}", ty.BOOL, 0, life)
        if untold != NOTHING_UNTOLD:
            made.cells[f"doubt {index}"] = Cell(f"doubt {index}", ty.INT, 0, life)
    for index in lossy(program, untold):
        latch_life = ruleset.latches[index].life
        life = -1 if latch_life is None else lives[latch_life]
        made.cells[f"lost {index}"] = Cell(f"lost {index}", ty.INT, 0, life)
    for index, duty in enumerate(program.duties):
        if keeps(duty):
            made.cells[f"bit {index}"] = Cell(f"bit {index}", ty.BOOL, 0, -1)
            for variable in duty.variables:
                name = f"bit {index} {variable.name}"
                made.cells[name] = Cell(name, variable.type, 0, -1)
            if made.lacks.unstated and untold != NOTHING_UNTOLD and not duty.variables:
                made.cells[f"unsure {index}"] = Cell(f"unsure {index}", ty.INT, 0, -1)
    for life_name in ruleset.lives:
        for what in ("key", "used", "ended", "after", "told"):
            name = f"track {life_name} {what}"
            made.cells[name] = Cell(name, ty.OptT(ty.INT) if what == "key" else ty.BOOL, 0, -1)
    claimed = claimed_in(program)
    for decision in program.decisions.values():
        if decision.name not in claimed:
            made.noted += [(decision.name, i) for i in range(len(decision.cases) // MASK + 1)]
    made.cells["track rounds"] = Cell("track rounds", ty.INT, 0, -1)
    for type_ in ruleset.types.values():
        if isinstance(type_, ty.IdT):
            made.cells[f"ids {type_.name}"] = Cell(f"ids {type_.name}", ty.INT, 0, -1)
    for option in ruleset.options.values():
        made.cells[f"option {option.name}"] = Cell(f"option {option.name}", option.type, 0, -2)
    made.rules = {rule: i for i, rule in enumerate(ruleset.rules)}
    return made


def keeps(duty: Duty) -> bool:
    """Whether of a duty `immediately after` an event one instance is kept as due, with the values of its variables:
    those that are one number each, and no row of a table."""
    one = (ty.BoolT, ty.IntT, ty.EnumT, ty.IdT, ty.RecordT)
    return duty.kind == "immediately after" and all(isinstance(v.type, one) for v in duty.variables)


def _initial(made: Layout, type_: Type, value: Any) -> int:
    if isinstance(type_, ty.ListT):
        bits_or_number(type_.of)
        if value:
            raise NotCompiledError("a list that is not empty at first")
        return 0
    bits_or_number(type_)
    return encode(type_, value, {}, made.unit)


def bits_or_number(type_: Type) -> None:
    """Raises `NotCompiledError` for a type whose values are not one number."""
    match type_:
        case ty.OptT(of=of):
            bits_or_number(of)
        case ty.MoneyT() | ty.OddsT():
            return
        case ty.IntT():
            return
        case _:
            if bits(type_) > MOST_BITS:
                raise NotCompiledError(f"{type_} has more than {MOST_BITS} bits")


def unfolded(running: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """What stands in the cells of folds that have been asked of no elements yet: where, from the first on, and what."""
    for i, initial in enumerate(running):
        yield 2 * CELL * i, 0
        yield 2 * CELL * i + CELL, initial


def cells_of(type_: Type) -> int:
    return 1 + type_.maximum if isinstance(type_, ty.ListT) else 1


def _keyed(made: Layout, name: str, keys: tuple[Type, ...], of: Type, initial: int, life: int) -> None:
    size = sum(bits(key) for key in keys)
    if size <= ARRAY_BITS:
        made.arrays[name] = Array(name, keys, of, initial, 1 << size, life)
    else:
        made.tables[name] = _table(name, keys, [("value", of, initial)], life, made)


def _table(
    name: str,
    keys: tuple[Type, ...],
    columns: list[tuple[str, Type, int]],
    life: int,
    made: Layout,
    running: tuple[int, ...] = (),
) -> Table:
    size = sum(bits(key) for key in keys)
    if size > MOST_BITS:
        raise NotCompiledError(f"the key of {name} has more than {MOST_BITS} bits")
    found: dict[str, Column] = {}
    at = CELL
    ordered = sorted(columns, key=lambda column: isinstance(column[1], ty.ListT))
    lists = [c for c in ordered if isinstance(c[1], ty.ListT)]
    reset = 0
    running_at = CELL * (1 + len(ordered) - len(lists))
    for column, type_, initial in ordered:
        if at == running_at:
            at += 2 * CELL * len(running)
        found[column] = Column(column, type_, at, initial)
        if lists and column == lists[0][0]:
            reset = at + CELL
        at += CELL * cells_of(type_)
    if len(lists) != 1:
        reset = at
    dense = size <= DENSE_BITS
    capacity = 1 << size if dense else (ROWS if life == len(made.ruleset.lives) - 1 else KEPT_ROWS)
    return Table(name, keys, found, at, reset, dense, capacity, life, running=running, running_at=running_at)


def _allocate(made: Layout) -> None:
    at = FIRST

    def take(cells: int) -> int:
        nonlocal at
        here, at = at, at + CELL * cells
        return here

    for cell in _cells(made, {-2}):
        cell.at = take(1)
    start = at
    made.tally = take(len(made.rules))
    made.judged = take(len(made.ruleset.events))
    if made.lacks.unstated:
        made.lacking = take(len(made.rules) * (1 + len(made.lacks.unstated)))
    kept = set(range(-1, made.last))
    _place(made, kept, take)
    made.kept = (start, at)
    _place(made, {made.last}, take)
    for table in made.tables.values():
        table.null = take(table.stride // CELL)
        made.images.append((table.null, row_image(table)))
    made.copy = take((made.kept[1] - made.kept[0]) // CELL)
    held = at
    for condition in made.held.values():
        condition.at = take(1)
    made.holding = (held, at)
    take((at - held) // CELL)
    first = at
    for i, place in enumerate(place for place in made.memos.values() if place.memo.keys == 1):
        place.bit = i % WORD
        place.good = at - CELL if place.bit else take(1)
    # side by side lies what is outdated together
    alike = sorted(
        made.memos.values(), key=lambda p: (p.memo.by_row, sorted(p.memo.own), sorted(p.memo.atoms))
    )
    for place in alike:
        if place.memo.keys > 1:
            place.good = take(-(-place.memo.keys // WORD))
    made.good = (first, at)
    # a copy of them, and truth values, which lie as the bits do that tell whether they are good
    take(2 * (at - first) // CELL)
    made.values = (held, at)
    for place in made.memos.values():
        if not place.memo.truth:
            place.values = take(made.memo_cells(place.memo) * place.memo.keys)
        else:
            place.values = place.good + 2 * (made.good[1] - made.good[0])
    made.log = take(2 * LOG_ENTRIES)
    made.pointers = take(256)
    made.read = take(len(made.noted))
    made.known = take(len(made.noted))
    made.images.append((made.known, (-1,) * len(made.noted)))
    made.end = at


def data_at(made: Layout, numbers: tuple[int, ...]) -> int:
    """The address of a table of constants."""
    if numbers not in made.constants:
        made.constants[numbers] = made.end
        made.images.append((made.end, numbers))
        made.end += CELL * len(numbers)
    return made.constants[numbers]


def _place(made: Layout, lives: set[int], take: Any) -> None:
    for cell in _cells(made, lives):
        cell.at = take(cells_of(cell.type) + 2 * len(cell.running))
        made.images += [(at, (number,)) for at, number in cell.begun() if number]
    for array in made.arrays.values():
        if array.life in lives:
            array.at = take(array.size)
            if array.initial:
                made.images.append((array.at, (array.initial,) * array.size))
    for table in made.tables.values():
        if table.life in lives:
            table.count = take(1)
            if not table.dense:
                table.key_at = take(table.capacity)
            table.rows = take(table.capacity * table.stride // CELL)
            if table.dense:
                image = row_image(table)
                for row in range(table.capacity):
                    made.images.append((table.rows + row * table.stride, image))


def row_image(table: Table) -> tuple[int, ...]:
    """A row as it is at first, up to a list's elements."""
    image = [0] * (table.reset // CELL)
    for column in table.columns.values():
        image[column.offset // CELL] = column.initial
    for offset, number in unfolded(table.running):
        image[(table.running_at + offset) // CELL] = number
    return tuple(image)


def _cells(made: Layout, lives: set[int]) -> Iterator[Cell]:
    return (cell for cell in made.cells.values() if cell.life in lives)
