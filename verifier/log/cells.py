"""Lines of JSON or CSV to columns, by a small WebAssembly module: fast where a line is as lines mostly are.

The module reads only what no reader could take in two ways: JSON objects on one line without escapes, nesting, or keys
that are not columns; CSV without doubled quotes or line breaks in cells; whole numbers in plain decimal, of at most 18
digits. Of anything else it says that it cannot tell, and somebody else is to read the block.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import Any

from verifier.log.schema import NUMERIC, Column

MOST = 1 << 15
"""So many different texts of a column are told apart in one block."""
FEW = 256
"""No more are kept for the next block."""
SLOTS = 2 * MOST
TEXTS = 1 << 20
"""Bytes of these texts."""

COLUMNS = 200
"""No more columns than so many can be read."""

NAMES = 1 << 15
"""Bytes of all their names."""

KEYS = 2048
"""Places for names of columns; they fill it to a quarter at most."""

DESCRIPTOR = 40
"""Bytes that describe a column, in words of 32 bits: what it is, its values, where there are any, the row that had one
last; of texts how many bytes there are, where they are, where each ends, how many there are, and a table to find them
by; where its name stands, and how long that is (16 bits each)."""
_KIND, _OUT, _VALID, _ROW, _SIZE, _BYTES, _ENDS, _COUNT, _TABLE, _NAME = range(10)

NUMBER, TRUTH, WORD, TEXT, IGNORED = range(5)
"""What a column is: numbers, true and false, texts that are numbered, texts one after another, or any of them that is
not looked at."""

PAGE = 65536
SEED, PRIME = 0x811C9DC5, 0x01000193
"""Of the FNV-1a hash."""

ALIGN = 64


class Cells:
    """Reads blocks of whole lines of one file. `columns` are those that there may be, each a name and what it is; in
    CSV there is one for each cell of a row, None for a cell that is not looked at. All names are at most `NAMES`
    bytes."""

    def __init__(self, columns: Sequence[tuple[str, int] | None]) -> None:
        import wasmtime

        code = _machine_code()  # from the process that this one was forked from, where that had it
        self._columns = [column for column in columns if column is not None]
        self._order = columns
        engine = _engine()
        self._store = wasmtime.Store(engine)
        module = wasmtime.Module.deserialize(engine, code)
        found = wasmtime.Instance(self._store, module, []).exports(self._store)
        self._exports: dict[str, Any] = {
            name: found[name] for name in ("memory", "json", "csv", "json_texts", "csv_texts", "texts", "row")
        }
        self._end = 0
        self._rows = 0
        self._views: dict[int, Any] = {}
        self._lay()

    # --------------------------------------------------------------------------------------------- memory
    def _take(self, size: int) -> int:
        at = self._end
        self._end += (size + ALIGN - 1) // ALIGN * ALIGN
        return at

    def _lay(self) -> None:
        """Give everything but rows its place."""
        import numpy as np

        # 0 is no address.
        self._take(ALIGN)
        names = [name.encode("utf-8") for name, _ in self._columns]
        self._keys = self._take(4 * KEYS)
        self._cells = self._take(4 * max(len(self._order), 1))
        at = self._take(sum(map(len, names)))
        descriptors = [self._take(DESCRIPTOR) for _ in names]
        self._fields = {
            name: (place, kind) for (name, kind), place in zip(self._columns, descriptors, strict=True)
        }
        tables = [
            [self._take(size) for size in (TEXTS, 4 * (MOST + 1), 4 * SLOTS)] if kind == WORD else [0, 0, 0]
            for _, kind in self._fields.values()
        ]
        self._grow(self._end)
        memory, words = self._view(np.uint8), self._view(np.int32)
        for name, place, (bytes_, ends, table) in zip(names, descriptors, tables, strict=True):
            memory[at : at + len(name)] = np.frombuffer(name, dtype=np.uint8)
            one = words[place // 4 : (place + DESCRIPTOR) // 4]
            one[_KIND] = self._fields[name.decode()][1]
            one[_BYTES], one[_ENDS], one[_TABLE] = bytes_, ends, table
            one[_NAME] = at | len(name) << 16
            slot = _hash(name) % KEYS
            while words[self._keys // 4 + slot]:
                slot = (slot + 1) % KEYS
            words[self._keys // 4 + slot] = place
            at += len(name)
        for i, column in enumerate(self._order):
            words[self._cells // 4 + i] = 0 if column is None else self._fields[column[0]][0]

    def _view(self, type_: Any) -> Any:
        """All of memory as numbers of a type; to be taken anew where it has grown."""
        import numpy as np

        found = self._views.get(np.dtype(type_).num)
        if found is None:
            memory = self._exports["memory"]
            whole: Any = (ctypes.c_uint8 * memory.data_len(self._store)).from_address(
                ctypes.addressof(memory.data_ptr(self._store).contents)
            )
            found = self._views[np.dtype(type_).num] = np.frombuffer(whole, dtype=type_)
        return found

    def _grow(self, end: int) -> None:
        memory = self._exports["memory"]
        have = memory.data_len(self._store)
        if end > have:
            memory.grow(self._store, (end - have) // PAGE + 1)
            self._views = {}

    def _room(self, rows: int, size: int) -> int:
        """Room for the columns of so many rows, then for so many bytes; where these go."""
        import numpy as np

        start, at = self._end, self._end
        places: dict[str, tuple[int, int, int]] = {}
        width = {NUMBER: 8 * rows, TRUTH: rows, WORD: 4 * rows, TEXT: 4 * (rows + 1), IGNORED: 0}
        for name, (_, kind) in self._fields.items():
            out = self._take(width[kind])
            valid = self._take(0 if kind == IGNORED else rows)
            places[name] = (out, valid, self._take(size) if kind == TEXT else 0)
        at = self._take(size + ALIGN)
        self._grow(self._end)
        words = self._view(np.int32)
        for name, (place, kind) in self._fields.items():
            one = words[place // 4 : (place + DESCRIPTOR) // 4]
            one[_OUT], one[_VALID], bytes_ = places[name]
            if kind == TEXT:
                one[_BYTES], one[_SIZE] = bytes_, 0
                words[one[_OUT] // 4] = 0
            elif kind == WORD and (one[_COUNT] > FEW or one[_SIZE] > TEXTS // 2):
                words[one[_TABLE] // 4 : one[_TABLE] // 4 + SLOTS] = 0
                one[_COUNT] = one[_SIZE] = 0
            if kind == IGNORED:
                continue
            memory = self._view(np.uint8)
            memory[one[_VALID] : one[_VALID] + rows] = 0
            memory[one[_OUT] : one[_OUT] + width[kind]] = 0
        self._end = start
        return at

    # --------------------------------------------------------------------------------------------- reading
    def json(self, block: bytes) -> dict[str, Any] | None:
        """The columns of whole lines of JSON, by name, as Arrow arrays; None where it cannot tell."""
        return self._read(block, "json", self._keys, KEYS - 1)

    def csv(self, block: bytes, ending: bytes) -> dict[str, Any] | None:
        """The columns of whole lines of CSV, each with this ending; None where it cannot tell."""
        return self._read(block, "csv", self._cells, len(self._order), int(ending == b"\r\n"))

    def json_texts(self, block: bytes, size: int) -> Any:
        """Of so many bytes, whole lines of JSON, the only column that there is, of texts; None where it cannot tell.

        A line is looked at up to its text, and need be none of JSON behind that.
        """
        ((name, (place, _)),) = self._fields.items()
        found = self._read(block, "json_texts", place, size=size)
        return None if found is None else found[name]

    def csv_texts(self, block: bytes, size: int) -> Any:
        """As `json_texts`, of whole lines of CSV; the column is that of the last cell."""
        ((name, (place, _)),) = self._fields.items()
        found = self._read(block, "csv_texts", place, len(self._order) - 1, size=size)
        return None if found is None else found[name]

    def _read(self, block: bytes, what: str, *more: int, size: int = -1) -> dict[str, Any] | None:
        import numpy as np

        data = np.frombuffer(block, dtype=np.uint8, count=size)
        rows = int(np.count_nonzero(data == ord("\n")))
        if not block.isascii():
            try:
                block[: len(data)].decode("utf-8")
            except UnicodeDecodeError:
                return None
        at = self._room(rows, len(data))
        self._view(np.uint8)[at : at + len(data)] = data
        text = next((place for place, kind in self._fields.values() if kind == TEXT), 0)
        self._exports["texts"].set_value(self._store, text)
        if self._exports[what](self._store, at, at + len(data), *more) != rows:
            return None
        return {
            name: self._array(place, kind, rows)
            for name, (place, kind) in self._fields.items()
            if kind != IGNORED
        }

    def unsure(self) -> int:
        """Of the block of which it could not tell: the line, from 0, that was not plain."""
        row: int = self._exports["row"].value(self._store)
        return row

    def _array(self, place: int, kind: int, rows: int) -> Any:
        import numpy as np
        import pyarrow as pa

        words, memory = self._view(np.int32), self._view(np.uint8)
        one = words[place // 4 : (place + DESCRIPTOR) // 4].tolist()
        there = memory[one[_VALID] : one[_VALID] + rows]
        absent = rows - int(np.count_nonzero(there))
        valid = pa.py_buffer(np.packbits(there, bitorder="little")) if absent else None
        if absent == rows and kind != WORD:
            return pa.nulls(rows, {NUMBER: pa.int64(), TRUTH: pa.bool_(), TEXT: pa.string()}[kind])

        def copied(start: int, size: int) -> Any:
            return pa.py_buffer(memory[start : start + size].copy())

        match kind:
            case 0:
                return pa.Array.from_buffers(pa.int64(), rows, [valid, copied(one[_OUT], 8 * rows)], absent)
            case 1:
                bits = np.packbits(memory[one[_OUT] : one[_OUT] + rows], bitorder="little")
                return pa.Array.from_buffers(pa.bool_(), rows, [valid, pa.py_buffer(bits)], absent)
            case 3:
                buffers = [valid, copied(one[_OUT], 4 * (rows + 1)), copied(one[_BYTES], one[_SIZE])]
                return pa.Array.from_buffers(pa.string(), rows, buffers, absent)
            case _:
                ends, size = copied(one[_ENDS], 4 * (one[_COUNT] + 1)), copied(one[_BYTES], one[_SIZE])
                texts = pa.Array.from_buffers(pa.string(), one[_COUNT], [None, ends, size], 0)
                codes = pa.Array.from_buffers(pa.int32(), rows, [valid, copied(one[_OUT], 4 * rows)], absent)
                return pa.DictionaryArray.from_arrays(codes, texts, safe=False)


@cache
def _machine_code() -> bytes:
    """The module compiled, once for all readers, and for all processes that are forked afterwards."""
    import wasmtime

    return bytes(wasmtime.Module(_engine(), bytes(wasmtime.wat2wasm(_CODE))).serialize())


def _engine() -> Any:
    import wasmtime

    config = wasmtime.Config()
    # the threads that would compile it are not there in a process that is forked later
    config.parallel_compilation = False
    return wasmtime.Engine(config)


def kind_of(column: Column) -> int:
    """What the values of a column are."""
    if column.kind in NUMERIC:
        return NUMBER
    if column.kind == "boolean":
        return TRUTH
    return TEXT if column.kind == "time" else WORD


def _hash(name: bytes) -> int:
    found = SEED
    for byte in name:
        found = (found ^ byte) * PRIME & 0xFFFFFFFF
    return found


def _field(index: int) -> str:
    return f"(i32.load offset={4 * index} (local.get $d))"


def _set(index: int, value: str) -> str:
    return f"(i32.store offset={4 * index} (local.get $d) {value})"


_UNSURE = "(return (i32.const -1))"
_BYTE = "(i32.load8_u (local.get $p))"
_STEP = "(local.set $p (i32.add (local.get $p) (i32.const 1)))"
_SPACES = f"(block $on (loop $more (br_if $on (i32.ne {_BYTE} (i32.const 32))) {_STEP} (br $more)))"
_THERE = f"(i32.store8 (i32.add {_field(_VALID)} (global.get $row)) (i32.const 1))"
_HASHED = f"(local.set $h (i32.mul (i32.xor (local.get $h) (local.get $c)) (i32.const {PRIME})))"


def _out(wide: int) -> str:
    """Where the row's value goes; values take 1, 4 or 8 bytes."""
    return f"(i32.add {_field(_OUT)} (i32.mul (global.get $row) (i32.const {wide})))"


def _expect(byte: str) -> str:
    return f"(if (i32.ne {_BYTE} (i32.const {ord(byte)})) (then {_UNSURE})) {_STEP}"


def _is(word: str, at: str) -> str:
    """Whether the first four letters of a word stand there."""
    return f"(i32.eq (i32.load align=1 (local.get {at})) (i32.const {int.from_bytes(word[:4].encode(), 'little')}))"


_QUOTED = f"""
  (local.set $start (local.get $p)) (local.set $h (i32.const {SEED}))
  (block $closed (loop $more
    (local.set $c {_BYTE})
    (br_if $closed (i32.eq (local.get $c) (i32.const {ord('"')})))
    (if (i32.or (i32.lt_u (local.get $c) (i32.const 32)) (i32.eq (local.get $c) (i32.const 92))) (then {_UNSURE}))
    {_HASHED} {_STEP} (br $more)))
  (local.set $n (i32.sub (local.get $p) (local.get $start))) {_STEP}"""
"""From behind an opening quote to behind the closing one: where the text begins, how long it is, and its hash."""
_CELL = f"""(if (i32.eq {_BYTE} (i32.const {ord('"')}))
        (then {_STEP} {_QUOTED})
        (else
          (local.set $start (local.get $p)) (local.set $h (i32.const {SEED}))
          (block $over (loop $more
            (local.set $c {_BYTE})
            (br_if $over (i32.eq (local.get $c) (i32.const {ord(",")})))
            (br_if $over (i32.lt_u (local.get $c) (i32.const 32)))
            (if (i32.eq (local.get $c) (i32.const {ord('"')})) (then {_UNSURE}))
            {_HASHED} {_STEP} (br $more)))
          (local.set $n (i32.sub (local.get $p) (local.get $start)))))"""
"""The same of a cell of CSV, quoted or not."""


def _may_be(kind: int) -> str:
    """Whether values of the kind may stand in the column."""
    return f"""(i32.or (i32.eq {_field(_KIND)} (i32.const {kind})) (i32.eq {_field(_KIND)} (i32.const {IGNORED})))"""


_CODE = f"""(module
(memory (export "memory") 1)
(global $row (export "row") (mut i32) (i32.const 0))
(global $stamp (mut i32) (i32.const 0))
(global $texts (export "texts") (mut i32) (i32.const 0))

(func $same (param $a i32) (param $b i32) (param $n i32) (result i32)
  (block $other (loop $more
    (if (i32.ge_u (local.get $n) (i32.const 8)) (then
      (br_if $other (i64.ne (i64.load align=1 (local.get $a)) (i64.load align=1 (local.get $b))))
      (local.set $a (i32.add (local.get $a) (i32.const 8))) (local.set $b (i32.add (local.get $b) (i32.const 8)))
      (local.set $n (i32.sub (local.get $n) (i32.const 8))) (br $more)))
    (if (i32.eqz (local.get $n)) (then (return (i32.const 1))))
    (br_if $other (i32.ne (i32.load8_u (local.get $a)) (i32.load8_u (local.get $b))))
    (local.set $a (i32.add (local.get $a) (i32.const 1))) (local.set $b (i32.add (local.get $b) (i32.const 1)))
    (local.set $n (i32.sub (local.get $n) (i32.const 1))) (br $more)))
  (i32.const 0))

;; The number of a word, -1 where there are too many.
(func $word (param $d i32) (param $p i32) (param $n i32) (param $h i32) (result i32)
  (local $code i32) (local $at i32) (local $end i32) (local $from i32)
  (block $new (loop $more
    (local.set $at (i32.add {_field(_TABLE)}
      (i32.shl (i32.and (local.get $h) (i32.const {SLOTS - 1})) (i32.const 2))))
    (local.set $code (i32.load (local.get $at)))
    (br_if $new (i32.eqz (local.get $code)))
    (local.set $end (i32.add {_field(_ENDS)} (i32.shl (local.get $code) (i32.const 2))))
    (local.set $from (i32.load (i32.sub (local.get $end) (i32.const 4))))
    (if (i32.eq (local.get $n) (i32.sub (i32.load (local.get $end)) (local.get $from))) (then
      (if (call $same (i32.add {_field(_BYTES)} (local.get $from)) (local.get $p) (local.get $n)) (then
        (return (i32.sub (local.get $code) (i32.const 1)))))))
    (local.set $h (i32.add (local.get $h) (i32.const 1))) (br $more)))
  (local.set $code {_field(_COUNT)})
  (if (i32.or (i32.ge_u (local.get $code) (i32.const {MOST}))
              (i32.gt_u (i32.add {_field(_SIZE)} (local.get $n)) (i32.const {TEXTS}))) (then {_UNSURE}))
  (memory.copy (i32.add {_field(_BYTES)} {_field(_SIZE)}) (local.get $p) (local.get $n))
  {_set(_SIZE, f"(i32.add {_field(_SIZE)} (local.get $n))")}
  {_set(_COUNT, "(i32.add (local.get $code) (i32.const 1))")}
  (i32.store (i32.add {_field(_ENDS)} (i32.shl {_field(_COUNT)} (i32.const 2))) {_field(_SIZE)})
  (i32.store (local.get $at) {_field(_COUNT)})
  (local.get $code))

;; Whether a text could be set down in its column.
(func $text (param $d i32) (param $p i32) (param $n i32) (param $h i32) (result i32)
  (local $code i32)
  (if (i32.eq {_field(_KIND)} (i32.const {WORD})) (then
    (local.set $code (call $word (local.get $d) (local.get $p) (local.get $n) (local.get $h)))
    (if (i32.lt_s (local.get $code) (i32.const 0)) (then (return (i32.const 0))))
    (i32.store {_out(4)} (local.get $code)) {_THERE} (return (i32.const 1))))
  (if (i32.eq {_field(_KIND)} (i32.const {TEXT})) (then
    (memory.copy (i32.add {_field(_BYTES)} {_field(_SIZE)}) (local.get $p) (local.get $n))
    {_set(_SIZE, f"(i32.add {_field(_SIZE)} (local.get $n))")} {_THERE} (return (i32.const 1))))
  (i32.eq {_field(_KIND)} (i32.const {IGNORED})))

;; Whether a whole number could be: no leading zero, no -0, no more than 18 digits.
(func $number (param $d i32) (param $p i32) (param $n i32) (result i32)
  (local $less i32) (local $c i32) (local $value i64)
  (if (i32.eqz {_may_be(NUMBER)}) (then (return (i32.const 0))))
  (if (i32.eq {_BYTE} (i32.const {ord("-")})) (then
    (local.set $less (i32.const 1)) {_STEP} (local.set $n (i32.sub (local.get $n) (i32.const 1)))))
  (if (i32.gt_u (i32.sub (local.get $n) (i32.const 1)) (i32.const 17)) (then (return (i32.const 0))))
  (if (i32.and (i32.eq {_BYTE} (i32.const {ord("0")}))
        (i32.or (local.get $less) (i32.gt_u (local.get $n) (i32.const 1)))) (then (return (i32.const 0))))
  (loop $more
    (local.set $c (i32.sub {_BYTE} (i32.const {ord("0")})))
    (if (i32.gt_u (local.get $c) (i32.const 9)) (then (return (i32.const 0))))
    (local.set $value (i64.add (i64.mul (local.get $value) (i64.const 10)) (i64.extend_i32_u (local.get $c))))
    {_STEP} (local.set $n (i32.sub (local.get $n) (i32.const 1)))
    (br_if $more (local.get $n)))
  (if (i32.eq {_field(_KIND)} (i32.const {IGNORED})) (then (return (i32.const 1))))
  (i64.store {_out(8)} (select (i64.sub (i64.const 0) (local.get $value)) (local.get $value) (local.get $less)))
  {_THERE} (i32.const 1))

;; Whether true or false could be.
(func $truth (param $d i32) (param $p i32) (param $n i32) (result i32)
  (local $value i32)
  (if (i32.eqz {_may_be(TRUTH)}) (then (return (i32.const 0))))
  (if (i32.and (i32.eq (local.get $n) (i32.const 4)) {_is("true", "$p")})
    (then (local.set $value (i32.const 1)))
    (else (if (i32.eqz (i32.and (i32.and (i32.eq (local.get $n) (i32.const 5)) {_is("false", "$p")})
                                (i32.eq (i32.load8_u offset=4 (local.get $p)) (i32.const {ord("e")}))))
      (then (return (i32.const 0))))))
  (if (i32.eq {_field(_KIND)} (i32.const {IGNORED})) (then (return (i32.const 1))))
  (i32.store8 {_out(1)} (local.get $value))
  {_THERE} (i32.const 1))

;; The column of a name, 0 where there is none.
(func $column (param $p i32) (param $n i32) (param $h i32) (param $keys i32) (param $mask i32) (result i32)
  (local $d i32) (local $name i32)
  (loop $more
    (local.set $d (i32.load (i32.add (local.get $keys)
      (i32.shl (i32.and (local.get $h) (local.get $mask)) (i32.const 2)))))
    (if (i32.eqz (local.get $d)) (then (return (i32.const 0))))
    (local.set $name {_field(_NAME)})
    (if (i32.eq (i32.shr_u (local.get $name) (i32.const 16)) (local.get $n)) (then
      (if (call $same (i32.and (local.get $name) (i32.const 0xFFFF)) (local.get $p) (local.get $n))
        (then (return (local.get $d))))))
    (local.set $h (i32.add (local.get $h) (i32.const 1))) (br $more))
  (unreachable))

;; Behind the end of a line.
(func $next (param $p i32) (result i32)
  (local $m i32)
  (loop $more
    (local.set $m (i8x16.bitmask (i8x16.eq (v128.load align=1 (local.get $p)) (i8x16.splat (i32.const 10)))))
    (if (i32.eqz (local.get $m)) (then (local.set $p (i32.add (local.get $p) (i32.const 16))) (br $more))))
  (i32.add (local.get $p) (i32.add (i32.ctz (local.get $m)) (i32.const 1))))

(func $end_row (local $d i32)
  (global.set $row (i32.add (global.get $row) (i32.const 1)))
  (if (local.tee $d (global.get $texts)) (then (i32.store {_out(4)} {_field(_SIZE)}))))

;; The rows of lines of JSON; -1 where it cannot tell.
(func (export "json") (param $p i32) (param $end i32) (param $keys i32) (param $mask i32) (result i32)
  (local $d i32) (local $c i32) (local $start i32) (local $n i32) (local $h i32)
  (global.set $row (i32.const 0))
  (block $done (loop $line
    (br_if $done (i32.ge_u (local.get $p) (local.get $end)))
    (global.set $stamp (i32.add (global.get $stamp) (i32.const 1)))
    {_expect("{")}
    (loop $field
      {_SPACES} {_expect('"')} {_QUOTED}
      (local.set $d (call $column (local.get $start) (local.get $n) (local.get $h) (local.get $keys) (local.get $mask)))
      (if (i32.eqz (local.get $d)) (then {_UNSURE}))
      (if (i32.eq {_field(_ROW)} (global.get $stamp)) (then {_UNSURE}))
      {_set(_ROW, "(global.get $stamp)")}
      {_SPACES} {_expect(":")} {_SPACES}
      (local.set $c {_BYTE})
      (if (i32.eq (local.get $c) (i32.const {ord('"')}))
        (then {_STEP} {_QUOTED}
          (if (i32.eqz (call $text (local.get $d) (local.get $start) (local.get $n) (local.get $h))) (then {_UNSURE})))
        (else
          (local.set $start (local.get $p))
          (block $over (loop $more
            (local.set $c {_BYTE})
            (br_if $over (i32.le_u (local.get $c) (i32.const 32)))
            (br_if $over (i32.eq (local.get $c) (i32.const {ord(",")})))
            (br_if $over (i32.eq (local.get $c) (i32.const {ord("}")})))
            {_STEP} (br $more)))
          (local.set $n (i32.sub (local.get $p) (local.get $start)))
          (if (i32.eqz (local.get $n)) (then {_UNSURE}))
          (local.set $c (i32.load8_u (local.get $start)))
          (if (i32.lt_u (local.get $c) (i32.const {ord("a")}))
            (then (if (i32.eqz (call $number (local.get $d) (local.get $start) (local.get $n))) (then {_UNSURE})))
            (else (if (i32.eqz (i32.and (i32.eq (local.get $n) (i32.const 4)) {_is("null", "$start")})) (then
              (if (i32.eqz (call $truth (local.get $d) (local.get $start) (local.get $n))) (then {_UNSURE}))))))))
      {_SPACES}
      (local.set $c {_BYTE}) {_STEP}
      (br_if $field (i32.eq (local.get $c) (i32.const {ord(",")})))
      (if (i32.ne (local.get $c) (i32.const {ord("}")})) (then {_UNSURE})))
    {_expect(chr(10))}
    (call $end_row) (br $line)))
  (global.get $row))

;; The rows of lines of CSV, of so many cells each, that all end with LF or all with CR LF; -1 where it cannot tell.
(func (export "csv") (param $p i32) (param $end i32) (param $cells i32) (param $many i32) (param $cr i32) (result i32)
  (local $d i32) (local $c i32) (local $start i32) (local $n i32) (local $h i32) (local $i i32) (local $held i32)
  (global.set $row (i32.const 0))
  (block $done (loop $line
    (br_if $done (i32.ge_u (local.get $p) (local.get $end)))
    (if (i32.lt_u {_BYTE} (i32.const 32)) (then {_UNSURE}))
    (local.set $i (i32.const 0))
    (loop $cell
      (local.set $d (i32.load (i32.add (local.get $cells) (i32.shl (local.get $i) (i32.const 2)))))
      {_CELL}
      (if (i32.and (i32.ne (local.get $d) (i32.const 0)) (i32.ne (local.get $n) (i32.const 0))) (then
        (local.set $held (i32.const 0))
        (if (i32.eq {_field(_KIND)} (i32.const {NUMBER}))
          (then (local.set $held (call $number (local.get $d) (local.get $start) (local.get $n))))
          (else (if (i32.eq {_field(_KIND)} (i32.const {TRUTH}))
            (then (local.set $held (call $truth (local.get $d) (local.get $start) (local.get $n))))
            (else (local.set $held
              (call $text (local.get $d) (local.get $start) (local.get $n) (local.get $h)))))))
        (if (i32.eqz (local.get $held)) (then {_UNSURE}))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (if (i32.lt_u (local.get $i) (local.get $many)) (then {_expect(",")} (br $cell))))
    (if (local.get $cr) (then {_expect(chr(13))}))
    {_expect(chr(10))}
    (call $end_row) (br $line)))
  (global.get $row))

;; Of lines of JSON the text of one column, where it is the first under its name; -1 where it cannot tell.
(func (export "json_texts") (param $p i32) (param $end i32) (param $d i32) (result i32)
  (local $c i32) (local $start i32) (local $n i32) (local $h i32) (local $name i32)
  (global.set $row (i32.const 0))
  (block $done (loop $line
    (br_if $done (i32.ge_u (local.get $p) (local.get $end)))
    {_expect("{")}
    (block $found (loop $field
      {_SPACES} {_expect('"')} {_QUOTED}
      (local.set $name (i32.const 0))
      (if (i32.eq (i32.shr_u {_field(_NAME)} (i32.const 16)) (local.get $n)) (then
        (local.set $name
          (call $same (i32.and {_field(_NAME)} (i32.const 0xFFFF)) (local.get $start) (local.get $n)))))
      {_SPACES} {_expect(":")} {_SPACES}
      (local.set $c {_BYTE})
      (if (i32.eq (local.get $c) (i32.const {ord('"')}))
        (then {_STEP} {_QUOTED}
          (if (local.get $name) (then
            (if (i32.eqz (call $text (local.get $d) (local.get $start) (local.get $n) (local.get $h))) (then {_UNSURE}))
            (br $found))))
        (else
          (if (i32.or (i32.eq (local.get $c) (i32.const {ord("{")})) (i32.eq (local.get $c) (i32.const {ord("[")})))
            (then {_UNSURE}))
          (if (local.get $name) (then
            (br_if $found {_is("null", "$p")}) {_UNSURE}))
          (block $over (loop $more
            (local.set $c {_BYTE})
            (br_if $over (i32.le_u (local.get $c) (i32.const 32)))
            (br_if $over (i32.eq (local.get $c) (i32.const {ord(",")})))
            (br_if $over (i32.eq (local.get $c) (i32.const {ord("}")})))
            {_STEP} (br $more)))))
      {_SPACES}
      (local.set $c {_BYTE}) {_STEP}
      (br_if $field (i32.eq (local.get $c) (i32.const {ord(",")})))
      (if (i32.ne (local.get $c) (i32.const {ord("}")})) (then {_UNSURE}))))
    (local.set $p (call $next (local.get $p)))
    (call $end_row) (br $line)))
  (global.get $row))

;; Of lines of CSV the text of the cell that has so many before it; -1 where it cannot tell.
(func (export "csv_texts") (param $p i32) (param $end i32) (param $d i32) (param $before i32) (result i32)
  (local $c i32) (local $start i32) (local $n i32) (local $h i32) (local $i i32)
  (global.set $row (i32.const 0))
  (block $done (loop $line
    (br_if $done (i32.ge_u (local.get $p) (local.get $end)))
    (local.set $i (local.get $before))
    (loop $cell
      {_CELL}
      (if (local.get $i) (then
        {_expect(",")} (local.set $i (i32.sub (local.get $i) (i32.const 1))) (br $cell))))
    (local.set $c {_BYTE})
    (if (i32.and (i32.ge_u (local.get $c) (i32.const 32)) (i32.ne (local.get $c) (i32.const {ord(",")})))
      (then {_UNSURE}))
    (if (local.get $n) (then
      (if (i32.eqz (call $text (local.get $d) (local.get $start) (local.get $n) (local.get $h))) (then {_UNSURE}))))
    (local.set $p (call $next (local.get $p)))
    (call $end_row) (br $line)))
  (global.get $row))
)"""
