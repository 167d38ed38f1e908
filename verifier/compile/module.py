"""A ruleset's kernel as one WebAssembly module: the same bytes for the same ruleset."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass

from verifier.compile.emit import LIMIT, Body, i32, i64, load, store
from verifier.compile.encoding import ABSENT, UNDEFINED
from verifier.compile.functions import Functions
from verifier.compile.inputs import ACTOR, KIND, Inputs
from verifier.compile.judging import Judging, own_events
from verifier.compile.layout import CELL, LOG_ENTRIES, Cell, Header, Layout, Table, layout
from verifier.compile.marks import Mark
from verifier.compile.updates import clear
from verifier.core.program import Program
from verifier.version import VERSION

ABI = 1
"""What host and module agree on; it changes when the one could no longer use the other."""

PAGE = 65536


@dataclass(frozen=True, slots=True)
class Module:
    """A compiled ruleset: the text, and what the host needs to know. `why`: what may hand over a round, by number."""

    layout: Layout
    inputs: Inputs
    text: str
    why: tuple[str, ...]

    def wasm(self) -> bytes:
        """The module in binary form, with the schema of its log and the digests of what it was made from."""
        from wasmtime import wat2wasm

        code = bytes(wat2wasm(self.text))
        ruleset = self.layout.ruleset
        digests = {
            "abi": ABI,
            "gazette": VERSION,
            "ruleset": ruleset.name,
            "ruleset_sha256": ruleset.digest,
            "law_sha256": None if ruleset.law is None else ruleset.law.digest,
            "code_sha256": hashlib.sha256(code).hexdigest(),
        }
        return code + _section("gazette.schema", self.schema()) + _section("gazette.digests", digests)

    def schema(self) -> dict[str, object]:
        """How to feed the kernel: kinds of event, actors, columns, options and addresses."""
        made = self.layout
        return {
            "events": list(made.ruleset.events),
            "actors": list(made.ruleset.actors),
            "columns": [{"name": name, "pointer": self.inputs.at(name)} for name in self.inputs.names],
            "options": {name: made.cells[f"option {name}"].at for name in made.ruleset.options},
            "rules": list(made.rules),
            "tally": made.tally,
            "input": made.end,
            "odds_unit": made.unit,
            "absent": ABSENT,
            "undefined": UNDEFINED,
        }


def _section(name: str, content: object) -> bytes:
    data = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
    label = name.encode()
    body = _leb(len(label)) + label + data
    return b"\0" + _leb(len(body)) + body


def _leb(number: int) -> bytes:
    found = bytearray()
    while True:
        low, number = number & 0x7F, number >> 7
        found.append(low | (0x80 if number else 0))
        if not number:
            return bytes(found)


def compile_program(program: Program) -> Module:
    """The kernel of a program. Raises `NotCompiledError` where its state has no static layout."""
    made = layout(program)
    inputs = Inputs.of(made)
    functions = Functions(made)
    kinds = list(program.ruleset.events.values())
    judged = [Judging(functions, inputs, event).function(f"$event_{i}") for i, event in enumerate(kinds)]
    reset = list(_resets(functions))
    code = [*functions.code, *judged, *reset, _step(functions, inputs), *_checkpoints(functions), _run(made)]
    pages = made.end // PAGE + 2
    data = "".join(f'(data (i32.const {at}) "{_bytes(image)}")' for at, image in made.images if any(image))
    text = "\n".join(
        [
            "(module",
            f'(memory (export "memory") {pages})',
            "(global $bad (mut i32) (i32.const 0))",
            "(global $rule (mut i32) (i32.const -1))",
            "(global $now (mut i64) (i64.const 1))",
            "(global $fresh (mut i64) (i64.const 0))",
            "(global $writes (mut i32) (i32.const 0))",
            *functions.globals,
            *_helpers(made),
            *code,
            data,
            ")",
        ]
    )
    return Module(made, inputs, text, tuple(functions.why))


def _bytes(cells: tuple[int, ...]) -> str:
    return "".join(f"\\{byte:02x}" for cell in cells for byte in cell.to_bytes(8, "little", signed=True))


def _helpers(made: Layout) -> Iterator[str]:
    """What every kernel has."""
    bad = "(global.set $bad (i32.const 1))"
    entry = f"(i32.add {i32(made.log)} (i32.shl (local.get $i) (i32.const 4)))"
    yield (
        # a write of the event at hand: two different ones to one place are an error
        "(func $write (param $at i32) (param $value i64) (local $i i32) (local $e i32)"
        " (block $out (loop $on (br_if $out (i32.ge_u (local.get $i) (global.get $writes)))"
        f" (local.set $e {entry}) (if (i32.eq (i32.load (local.get $e)) (local.get $at)) (then"
        f" (if (i64.ne (i64.load offset=8 (local.get $e)) (local.get $value)) (then {bad})) (return)))"
        " (local.set $i (i32.add (local.get $i) (i32.const 1))) (br $on)))"
        " (call $log (local.get $at) (local.get $value)))"
    )
    yield (
        "(func $log (param $at i32) (param $value i64) (local $i i32) (local $e i32)"
        " (local.set $i (global.get $writes))"
        f" (if (i32.ge_u (local.get $i) {i32(LOG_ENTRIES)}) (then {bad} (return)))"
        f" (local.set $e {entry})"
        " (i32.store (local.get $e) (local.get $at)) (i64.store offset=8 (local.get $e) (local.get $value))"
        " (global.set $writes (i32.add (local.get $i) (i32.const 1))))"
    )
    yield (
        # the entry for a place, or 0
        "(func $written (param $at i32) (result i32) (local $i i32) (local $e i32)"
        " (block $out (loop $on (br_if $out (i32.ge_u (local.get $i) (global.get $writes)))"
        f" (local.set $e {entry}) (if (i32.eq (i32.load (local.get $e)) (local.get $at)) (then (return (local.get $e))))"
        " (local.set $i (i32.add (local.get $i) (i32.const 1))) (br $on))) (i32.const 0))"
    )
    yield (
        # a whole list set to another; twice in one event is left to the interpreter
        "(func $write_list (param $at i32) (param $from i32) (local $end i32)"
        f" (if (call $written (local.get $at)) (then {bad} (return)))"
        " (call $log (local.get $at) (i64.load (local.get $from)))"
        " (local.set $end (i32.add (local.get $from) (i32.shl (i32.wrap_i64 (i64.load (local.get $from))) (i32.const 3))))"
        " (block $out (loop $on (br_if $out (i32.ge_u (local.get $from) (local.get $end)))"
        " (local.set $from (i32.add (local.get $from) (i32.const 8))) (local.set $at (i32.add (local.get $at) (i32.const 8)))"
        " (call $log (local.get $at) (i64.load (local.get $from))) (br $on))))"
    )
    yield (
        # one element more, after those that the event has given the list already
        "(func $append (param $at i32) (param $value i64) (param $most i64) (local $e i32) (local $n i64) (local $here i32)"
        " (local.set $e (call $written (local.get $at)))"
        " (local.set $n (if (result i64) (local.get $e) (then (i64.load offset=8 (local.get $e))) (else (i64.load (local.get $at)))))"
        f" (if (i64.ge_s (local.get $n) (local.get $most)) (then {bad} (return)))"
        " (local.set $here (i32.add (i32.add (local.get $at) (i32.const 8)) (i32.shl (i32.wrap_i64 (local.get $n)) (i32.const 3))))"
        " (local.set $n (i64.add (local.get $n) (i64.const 1)))"
        " (if (local.get $e) (then (i64.store offset=8 (local.get $e) (local.get $n))) (else (call $log (local.get $at) (local.get $n))))"
        " (local.set $e (call $written (local.get $here)))"
        " (if (local.get $e) (then (i64.store offset=8 (local.get $e) (local.get $value))) (else (call $log (local.get $here) (local.get $value)))))"
    )
    yield (
        # a row is another than it was: once for an event, or a later swap would bring an old version back
        "(func $outdate (param $at i32) (result i32)"
        f" (if (i32.eqz (call $written (i32.add (local.get $at) {i32(CELL)}))) (then"
        " (global.set $fresh (i64.add (global.get $fresh) (i64.const 1)))"
        f" (call $log (i32.add (local.get $at) {i32(CELL)}) (global.get $fresh)))) (local.get $at))"
    )
    yield (
        # the writes and what stands there change places
        "(func $swap (local $i i32) (local $e i32) (local $at i32) (local $old i64)"
        " (global.set $now (i64.add (global.get $now) (i64.const 1)))"
        " (block $out (loop $on (br_if $out (i32.ge_u (local.get $i) (global.get $writes)))"
        f" (local.set $e {entry}) (local.set $at (i32.load (local.get $e)))"
        " (local.set $old (i64.load (local.get $at)))"
        " (i64.store (local.get $at) (i64.load offset=8 (local.get $e))) (i64.store offset=8 (local.get $e) (local.get $old))"
        " (local.set $i (i32.add (local.get $i) (i32.const 1))) (br $on))))"
    )
    yield (
        "(func $bounded (param $n i64) (result i64)"
        f" (if (i32.or (i64.gt_s (local.get $n) {i64(LIMIT)}) (i64.lt_s (local.get $n) {i64(-LIMIT)}))"
        f" (then {bad} (return (i64.const 0)))) (local.get $n))"
    )
    yield (
        "(func $times (param $a i64) (param $b i64) (result i64) (local $n i64)"
        " (if (i32.or (i64.eqz (local.get $a)) (i64.eqz (local.get $b))) (then (return (i64.const 0))))"
        " (local.set $n (i64.mul (local.get $a) (local.get $b)))"
        # a and b are at most 61 bits, so that the division cannot overflow
        " (if (i64.ne (i64.div_s (local.get $n) (local.get $b)) (local.get $a)) (then "
        f"{bad} (return (i64.const 0)))) (call $bounded (local.get $n)))"
    )
    yield (
        "(func $div (param $a i64) (param $b i64) (result i64) (local $q i64)"
        " (local.set $q (i64.div_s (local.get $a) (local.get $b)))"
        " (if (i32.and (i64.ne (i64.rem_s (local.get $a) (local.get $b)) (i64.const 0))"
        " (i64.lt_s (i64.xor (local.get $a) (local.get $b)) (i64.const 0)))"
        " (then (local.set $q (i64.sub (local.get $q) (i64.const 1))))) (local.get $q))"
    )
    yield (
        "(func $mod (param $a i64) (param $b i64) (result i64) (local $r i64)"
        " (local.set $r (i64.rem_s (local.get $a) (local.get $b)))"
        " (if (i32.and (i64.ne (local.get $r) (i64.const 0))"
        " (i64.lt_s (i64.xor (local.get $r) (local.get $b)) (i64.const 0)))"
        " (then (local.set $r (i64.add (local.get $r) (local.get $b))))) (local.get $r))"
    )
    yield (
        "(func $fill (param $at i32) (param $value i64) (param $bytes i32) (local $end i32)"
        " (local.set $end (i32.add (local.get $at) (local.get $bytes)))"
        " (block $out (loop $on (br_if $out (i32.ge_u (local.get $at) (local.get $end)))"
        " (i64.store (local.get $at) (local.get $value)) (local.set $at (i32.add (local.get $at) (i32.const 8))) (br $on))))"
    )
    yield (
        # the rows of a dense table that were touched, as they were at first
        "(func $clear (param $mask i32) (param $rows i32) (param $stride i32) (param $null i32) (param $bytes i32) (local $m i64)"
        " (local.set $m (i64.load (local.get $mask)))"
        " (block $out (loop $on (br_if $out (i64.eqz (local.get $m)))"
        " (memory.copy (i32.add (local.get $rows) (i32.mul (i32.wrap_i64 (i64.ctz (local.get $m))) (local.get $stride)))"
        " (local.get $null) (local.get $bytes))"
        " (local.set $m (i64.and (local.get $m) (i64.sub (local.get $m) (i64.const 1)))) (br $on)))"
        " (i64.store (local.get $mask) (i64.const 0)))"
    )


def _resets(functions: Functions) -> Iterator[str]:
    """For each life a function that sets all that belongs to it to its first value."""
    made = functions.layout
    places = [*made.cells.values(), *made.arrays.values(), *made.tables.values()]
    for life in range(len(made.ruleset.lives)):
        code = " ".join(clear(place) for place in places if place.life == life)
        yield f"(func $reset_{life} {code})"


def _step(functions: Functions, inputs: Inputs) -> str:
    """One event: its keys, its judge, its keys again. The result is the mark."""
    made = functions.layout
    body = Body()
    ruleset = made.ruleset
    actor, kind, mark = body.local("i32"), body.local("i32"), body.local("i32")
    lives = list(ruleset.lives)
    own = own_events(functions.layout.program)
    tracks = [name for name in lives if name in own]
    kinds = list(ruleset.events)
    keys = {name: body.local() for name in tracks}
    unlike = body.local("i32")
    cells = {
        name: {w: made.cells[f"track {name} {w}"].at for w in ("key", "used", "ended", "after", "told")}
        for name in tracks
    }

    def among(events: frozenset[str]) -> str:
        """Whether the kind at hand is one of these; kinds are few, a bit each."""
        words = [0] * (len(kinds) // 64 + 1)
        for i, name in enumerate(kinds):
            if name in events:
                words[i // 64] |= 1 << i % 64
        found = "(i64.const 0)"
        for i, word in reversed(list(enumerate(words))):
            signed = word - (1 << 64) if word >> 63 else word
            here = i64(signed)
            found = (
                here
                if i == len(words) - 1
                else f"(select {here} {found} (i32.lt_u (local.get {kind}) {i32(64 * (i + 1))}))"
            )
        return f"(i32.wrap_i64 (i64.and (i64.shr_u {found} (i64.extend_i32_u (local.get {kind}))) (i64.const 1)))"

    life_mark = f"(return {i32(Mark.LIFE)})"
    steps = [
        "(global.set $now (i64.add (global.get $now) (i64.const 1)))",
        f"(local.set {kind} (i32.wrap_i64 {inputs.read(KIND)}))",
        f"(local.set {actor} (i32.wrap_i64 {inputs.read(ACTOR)}))",
        f"(local.set {unlike} (i32.const 0))",
    ]
    known = {name: f"(i64.ne {load(cells[name]['key'])} {i64(ABSENT)})" for name in tracks}
    here = {name: f"(i64.ne (local.get {keys[name]}) {i64(ABSENT)})" for name in tracks}
    for name in tracks:
        steps.append(f"(local.set {keys[name]} {inputs.read(f'life {name}')})")
        differs = f"(i64.ne {load(cells[name]['key'])} (local.get {keys[name]}))"
        steps.append(
            f"(if (i32.and (i32.and {known[name]} {here[name]}) {differs}) (then (local.set {unlike} (i32.const 1))))"
        )
    for name in tracks:
        c = cells[name]
        differs = f"(i64.ne {load(c['key'])} (local.get {keys[name]}))"
        passes = (
            f"(if (i32.and {known[name]} (i32.or (i64.eqz {load(c['ended'])}) (i32.wrap_i64 {load(c['after'])}))) (then {life_mark}))"
            f"{store(c['used'], i64(0))}{store(c['ended'], i64(0))}{store(c['after'], i64(0))}{store(c['told'], i64(0))}"
            f"{store(c['key'], f'(local.get {keys[name]})')}"
        )
        if name == lives[-1]:
            rounds = made.cells["track rounds"].at
            passes += store(rounds, f"(i64.add {load(rounds)} (i64.const 1))")
        again = (
            f"(i32.and (i32.and (i32.wrap_i64 {load(c['ended'])}) (i32.eqz (local.get {unlike})))"
            f" (i32.and (i64.eqz {load(c['told'])}) {among(own[name])}))"
        )
        steps.append(
            f"(if {here[name]} (then (if {differs} (then {passes}) (else (if {again} (then {life_mark}))))))"
        )
    chain = " ".join(f"$k{i}" for i in range(len(kinds)))
    inner = f"(br_table {chain} $none (local.get {kind}))"
    for i in range(len(kinds)):
        inner = f"(block $k{i} {inner}) (local.set {mark} (call $event_{i} (local.get $i) (local.get {actor}))) (br $done)"
    steps.append(f"(block $done (block $none {inner}) (global.set $bad (i32.const 1)))")
    steps.append(f"(if (global.get $bad) (then (return {i32(Mark.UNSURE)})))")
    steps.append(f"(if (local.get {mark}) (then (return (local.get {mark}))))")
    for name in tracks:
        c = cells[name]
        ends = frozenset(ruleset.lives[name].ends)
        is_round = name == lives[-1]
        ending = f"{store(c['ended'], i64(1))}{store(c['after'], i64(0))}"
        if is_round:
            rounds = made.cells["track rounds"].at
            ending += f"(if (i32.eqz {known[name]}) (then {store(rounds, f'(i64.add {load(rounds)} (i64.const 1))')}))"
        else:
            ending = f"(if (i32.or (i32.eqz {here[name]}) (i32.wrap_i64 {load(c['used'])})) (then {ending}))"
        going = f"(if {here[name]} (then {store(c['used'], i64(1))}{store(c['after'], load(c['ended']))}))"
        steps.append(f"(if {among(ends)} (then {ending}) (else {going}))" if ends else going)
    last = frozenset(ruleset.lives[lives[-1]].ends)
    steps.append(f"(if {among(last)} (then (return (i32.const -1))))")
    return f"(func $step (param $i i32) (result i32) {body.declared()} {' '.join(steps)} (i32.const 0))"


def _kept_places(made: Layout) -> tuple[list[tuple[int, int]], list[Table]]:
    """The ranges copied whole, and the tables of which only rows in use are."""
    start, end = made.kept
    tables = [t for t in made.tables.values() if start <= t.rows < end and not t.dense]
    holes = sorted((t.key_at, t.rows + t.capacity * t.stride) for t in tables)
    ranges: list[tuple[int, int]] = []
    at = start
    for low, high in holes:
        if low > at:
            ranges.append((at, low - at))
        at = high
    if end > at:
        ranges.append((at, end - at))
    return ranges, tables


def _checkpoints(functions: Functions) -> Iterator[str]:
    """What lies in the kept part, copied away and back; the last life is as at its beginning at every checkpoint."""
    made = functions.layout
    ranges, tables = _kept_places(made)
    away = made.copy - made.kept[0]

    def copy(at: int, size: str, back: bool) -> str:
        return f"(memory.copy {i32(at if back else at + away)} {i32(at + away if back else at)} {size})"

    for name, back in (("keep", False), ("restore", True)):
        code = "".join(copy(at, i32(size), back) for at, size in ranges)
        for table in tables:
            count = f"(i32.wrap_i64 {load(table.count)})"
            code += copy(table.key_at, f"(i32.shl {count} (i32.const 3))", back)
            code += copy(table.rows, f"(i32.mul {count} {i32(table.stride)})", back)
        if back:
            code += f"(call $reset_{made.last}) (global.set $bad (i32.const 0))"
        yield f'(func ${name} (export "{name}") {code})'


def _run(made: Layout) -> str:
    """Events from `$i` to before `$end`. Where one is marked the state is again that of the last checkpoint."""
    header = Header
    return (
        '(func $run (export "run") (param $i i32) (param $end i32) (result i32) (local $begun i32) (local $mark i32)'
        " (local.set $begun (local.get $i)) (global.set $rule (i32.const -1))"
        f" {store(header.MARK, i64(0))}"
        " (block $out (loop $on (br_if $out (i32.ge_u (local.get $i) (local.get $end)))"
        " (local.set $mark (call $step (local.get $i)))"
        " (if (i32.gt_s (local.get $mark) (i32.const 0)) (then"
        f" (i64.store {i32(header.MARK)} (i64.extend_i32_u (local.get $mark)))"
        f" (i64.store {i32(header.MARKED)} (i64.extend_i32_u (local.get $i)))"
        f" (i64.store {i32(header.RULE)} (i64.extend_i32_s (global.get $rule)))"
        f" (i64.store {i32(header.WHY)} (i64.extend_i32_u (global.get $bad)))"
        " (call $restore) (return (local.get $begun))))"
        " (local.set $i (i32.add (local.get $i) (i32.const 1)))"
        " (if (i32.eq (local.get $mark) (i32.const -1)) (then (call $keep) (local.set $begun (local.get $i))))"
        " (br $on)))"
        " (local.get $begun))"
    )


__all__ = ["CELL", "Cell", "Module", "compile_program"]
