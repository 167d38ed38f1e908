"""A ruleset's kernel as one WebAssembly module: the same bytes for the same ruleset."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass

from verifier.compile.emit import Body, add_to, i32, i64, load, store
from verifier.compile.encoding import ABSENT, UNDEFINED, NotCompiledError
from verifier.compile.functions import Functions
from verifier.compile.helpers import helpers
from verifier.compile.inputs import ACTOR, KIND, PAGE, Host, Inputs
from verifier.compile.judging import Judging, own_events
from verifier.compile.layout import CELL, Array, Cell, Header, Layout, Table, layout
from verifier.compile.marks import Mark
from verifier.compile.unstated import asking, globals_of
from verifier.compile.untold import NOTHING_UNTOLD, Untold
from verifier.compile.updates import clear
from verifier.core.program import Program
from verifier.model import types as ty
from verifier.version import VERSION

ABI = 1
"""What host and module agree on; it changes when the one could no longer use the other."""


@dataclass(frozen=True, slots=True)
class Module(Host):
    """A compiled ruleset: the text, and what the host needs to know."""

    text: str

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


def compile_program(
    program: Program, unstated: tuple[str, ...] = (), untold: Untold = NOTHING_UNTOLD
) -> Module:
    """The kernel of a program; one that tells itself what cannot be judged where these options are `unstated` and the
    log leaves `untold` what it does. Raises `NotCompiledError` where its state has no static layout."""
    made = layout(program, unstated, untold)
    program = made.program if made.told is None else made.told.program
    made.met.update(
        v.type.name for duty in program.duties for v in duty.variables if isinstance(v.type, ty.IdT)
    )
    inputs = Inputs.of(made)
    functions = Functions(made)
    kinds = list(program.ruleset.events.values())
    judged = [Judging(functions, inputs, event).function(f"$event_{i}") for i, event in enumerate(kinds)]
    reset = list(_resets(functions))
    ask = asking(made, functions.forget())
    renew = functions.renewing()
    code = [
        *functions.code,
        renew,
        *judged,
        *reset,
        _step(functions, inputs),
        *_checkpoints(functions),
        _run(made),
    ]
    pages = made.end // PAGE + 2
    data = "".join(f'(data (i32.const {at}) "{_bytes(image)}")' for at, image in made.images if any(image))
    text = "\n".join(
        [
            "(module",
            f'(memory (export "memory") {pages})',
            "(global $bad (mut i32) (i32.const 0))",
            "(global $rule (mut i32) (i32.const -1))",
            "(global $ahead (mut i32) (i32.const 0))",
            "(global $writes (mut i32) (i32.const 0))",
            "(global $settled (mut i32) (i32.const 0))",
            *globals_of(made),
            *functions.globals,
            helpers(made),
            *([ask] if ask else []),
            *code,
            data,
            ")",
        ]
    )
    return Module(made, inputs, tuple(functions.why), text)


def _bytes(cells: tuple[int, ...]) -> str:
    return "".join(f"\\{byte:02x}" for cell in cells for byte in cell.to_bytes(8, "little", signed=True))


def _resets(functions: Functions) -> Iterator[str]:
    """For each life a function that sets all that belongs to it to its first value."""
    made = functions.layout
    places: list[Cell | Array | Table] = [*made.cells.values(), *made.arrays.values(), *made.tables.values()]
    for life in range(len(made.ruleset.lives)):
        code = " ".join(clear(place) for place in places if place.life == life)
        for held in made.held.values():
            if made.tables[f"entity {held.entity}"].life == life:
                code += store(held.at, i64(0))
        yield f"(func $reset_{life} {code})"


def _step(functions: Functions, inputs: Inputs) -> str:
    """One event: its keys, its judge, its keys again. The result is the mark.

    While `$settled`, every life is under way, so that an event with the keys of the one before changes nothing of them
    unless it ends one.
    """
    made = functions.layout
    body = Body()
    ruleset = made.ruleset
    actor, kind, mark = body.local("i32"), body.local("i32"), body.local("i32")
    lives = list(ruleset.lives)
    own = own_events(functions.layout.program)
    tracks = [name for name in lives if name in own]
    kinds = list(ruleset.events)
    keys = {name: body.local() for name in tracks}
    unlike, settled = body.local("i32"), body.local("i32")
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
        f"(local.set {kind} (i32.wrap_i64 {inputs.read(KIND)}))",
        f"(local.set {actor} (i32.wrap_i64 {inputs.read(ACTOR)}))",
        f"(local.set {settled} (global.get $settled))",
    ]
    known = {name: f"(i64.ne {load(cells[name]['key'])} {i64(ABSENT)})" for name in tracks}
    here = {name: f"(i64.ne (local.get {keys[name]}) {i64(ABSENT)})" for name in tracks}
    for name in tracks:
        steps.append(f"(local.set {keys[name]} {inputs.read(f'life {name}')})")
        same = f"(i64.eq {load(cells[name]['key'])} (local.get {keys[name]}))"
        steps.append(f"(local.set {settled} (i32.and (local.get {settled}) {same}))")
    passing = [f"(local.set {unlike} (i32.const 0))"]
    for name in tracks:
        differs = f"(i64.ne {load(cells[name]['key'])} (local.get {keys[name]}))"
        passing.append(
            f"(if (i32.and (i32.and {known[name]} {here[name]}) {differs}) (then (local.set {unlike} (i32.const 1))))"
        )
    for name in tracks:
        c = cells[name]
        differs = f"(i64.ne {load(c['key'])} (local.get {keys[name]}))"
        goes_on = f"(i32.and (i32.wrap_i64 {load(c['used'])}) (i64.eqz {load(c['ended'])}))"
        passes = (
            f"(if (i32.and {known[name]} (i32.or {goes_on} (i32.wrap_i64 {load(c['after'])}))) (then {life_mark}))"
            f"{store(c['used'], i64(0))}{store(c['ended'], i64(0))}"
            f"{store(c['after'], i64(0))}{store(c['told'], i64(0))}"
            f"{store(c['key'], f'(local.get {keys[name]})')}"
        )
        if name == lives[-1]:
            rounds = made.cells["track rounds"].at
            passes += store(rounds, f"(i64.add {load(rounds)} (i64.const 1))")
        again = (
            f"(i32.and (i32.and (i32.wrap_i64 {load(c['ended'])}) (i32.eqz (local.get {unlike})))"
            f" (i32.and (i64.eqz {load(c['told'])}) {among(own[name])}))"
        )
        passing.append(
            f"(if {here[name]} (then (if {differs} (then {passes}) (else (if {again} (then {life_mark}))))))"
        )
    steps.append(f"(if (i32.eqz (local.get {settled})) (then {' '.join(passing)}))")
    chain = " ".join(f"$k{i}" for i in range(len(kinds)))
    inner = f"(br_table {chain} $none (local.get {kind}))"
    for i in range(len(kinds)):
        judged = f"(local.set {mark} (call $event_{i} (local.get $i) (local.get {actor})))"
        inner = f"(block $k{i} {inner}) {judged} {add_to(made.judged + CELL * i)} (br $done)"
    steps.append(f"(block $done (block $none {inner}) (global.set $bad (i32.const 1)))")
    steps.append(f"(if (global.get $bad) (then (return {i32(Mark.UNSURE)})))")
    steps.append(f"(if (local.get {mark}) (then (return (local.get {mark}))))")
    if not lives:
        raise NotCompiledError("it declares no life")
    going: dict[str, str] = {}
    ending = ["(global.set $settled (i32.const 0))"]
    settles = "(i32.const 1)"
    for name in tracks:
        c = cells[name]
        ends = frozenset(ruleset.lives[name].ends)
        is_round = name == lives[-1]
        over = f"{store(c['ended'], i64(1))}{store(c['after'], i64(0))}"
        if is_round:
            rounds = made.cells["track rounds"].at
            over += f"(if (i32.eqz {known[name]}) (then {store(rounds, f'(i64.add {load(rounds)} (i64.const 1))')}))"
        else:
            over = f"(if (i32.or (i32.eqz {here[name]}) (i32.wrap_i64 {load(c['used'])})) (then {over}))"
        going[name] = (
            f"(if {here[name]} (then {store(c['used'], i64(1))}{store(c['after'], load(c['ended']))}))"
        )
        ending.append(f"(if {among(ends)} (then {over}) (else {going[name]}))" if ends else going[name])
        settles = f"(i32.and {settles} (i64.eqz {load(c['ended'])}))"
    last = frozenset(ruleset.lives[lives[-1]].ends)
    ending.append(f"(if {among(last)} (then (return (i32.const -1))))")
    every = frozenset(event for life in ruleset.lives.values() for event in life.ends)
    goes_on = f"{' '.join(going.values())} (global.set $settled {settles})"
    steps.append(
        f"(if {among(every)} (then {' '.join(ending)}) (else (if (i32.eqz (local.get {settled})) (then {goes_on}))))"
    )
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
            # a stack that ran out may have left the kernel in what an event would leave
            read = i32(CELL * len(made.noted))
            if made.lacks.unstated:
                code += "(call $leave)"
            code += (
                f"(call $reset_{made.last}) (global.set $bad (i32.const 0)) (global.set $ahead (i32.const 0))"
                f" {functions.forget()} (memory.fill {i32(made.read)} (i32.const 0) {read})"
            )
        yield f'(func ${name} (export "{name}") {code})'


def _run(made: Layout) -> str:
    """Events from `$i` to before `$end`. Where one is marked the state is again that of the last checkpoint."""
    header = Header
    news = "(i64.const 0)"
    for i in range(len(made.noted)):
        here, known = load(made.read + CELL * i), load(made.known + CELL * i)
        news = f"(i64.or {news} (i64.and {here} (i64.xor {known} (i64.const -1))))"
    last = "(i32.eq (local.get $mark) (i32.const -1))"
    read = f"(if (i64.ne {news} (i64.const 0)) (then (local.set $mark {i32(Mark.READ)})))"
    return (
        '(func $run (export "run") (param $i i32) (param $end i32) (result i32) (local $begun i32) (local $mark i32)'
        " (local.set $begun (local.get $i)) (global.set $rule (i32.const -1)) (call $renew_all)"
        " (global.set $settled (i32.const 0))"
        f" {store(header.MARK, i64(0))}"
        " (block $out (loop $on (br_if $out (i32.ge_u (local.get $i) (local.get $end)))"
        f" (local.set $mark (call $step (local.get $i))) (if {last} (then {read}))"
        " (if (i32.gt_s (local.get $mark) (i32.const 0)) (then"
        f" (i64.store {i32(header.MARK)} (i64.extend_i32_u (local.get $mark)))"
        f" (i64.store {i32(header.MARKED)} (i64.extend_i32_u (local.get $i)))"
        f" (i64.store {i32(header.RULE)} (i64.extend_i32_s (global.get $rule)))"
        f" (i64.store {i32(header.WHY)} (i64.extend_i32_u (global.get $bad)))"
        " (call $restore) (return (local.get $begun))))"
        " (local.set $i (i32.add (local.get $i) (i32.const 1)))"
        f" (if {last} (then (call $keep) (local.set $begun (local.get $i))))"
        " (br $on)))"
        " (local.get $begun))"
    )


__all__ = ["Module", "compile_program"]
