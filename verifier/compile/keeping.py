"""Values kept from one asking to the next, and from event to event, until something they rest on is written to.

Which are good is told by a bit each (`verifier.compile.layout.Place`): to ask is to look at it, to outdate to clear it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from verifier.compile.depends import Atom
from verifier.compile.emit import Body, Bound, i32, i64, load, store
from verifier.compile.encoding import UNDEFINED, bits, encode, range_of
from verifier.compile.layout import CELL, MASK, Place
from verifier.compile.memos import WORD, Memo
from verifier.compile.names import OWN
from verifier.compile.tables import Tables
from verifier.model import types as ty
from verifier.model.types import Type


@dataclass(frozen=True, slots=True)
class Changed:
    """A part of the state that an event writes to; `condition` is code for whether it does (None: surely), and
    `others`, where only one row is written to, a number that has a 0 in that row's place."""

    atom: Atom
    condition: str | None = None
    others: str | None = None


@dataclass(slots=True)
class Keeping(Tables):
    """Writes what keeps values, and what outdates them."""

    def asking_kept(self, name: str, symbol: str, args: list[str], result: str) -> str:
        """Code that asks a function: where it can be looked up in few words whether its value is kept, by them."""
        call = f"(call {symbol} {' '.join(args)})"
        if not all(arg.startswith(("(local.get ", "(i64.const ")) for arg in args):
            return call
        held = self.layout.held.get(name)
        if held is not None and self.layout.tables[f"entity {held.entity}"].dense:
            return f"(i32.wrap_i64 (i64.and (i64.shr_u {load(held.at)} {args[0]}) (i64.const 1)))"
        place = self.layout.memos.get(name)
        if place is None or not _plain(place.memo):
            return call
        anew = f"(call {symbol}_anew {' '.join(args)})"
        good, truth = load(place.good), load(place.values)
        if place.memo.keys == 1:
            bit = i64(signed(1 << place.bit))
            is_good = f"(i64.ne (i64.and {good} {bit}) (i64.const 0))"
            value = f"(i64.ne (i64.and {truth} {bit}) (i64.const 0))"
            row = i32(place.values)
        else:
            is_good = f"(i32.wrap_i64 (i64.and (i64.shr_u {good} {args[0]}) (i64.const 1)))"
            value = f"(i32.wrap_i64 (i64.and (i64.shr_u {truth} {args[0]}) (i64.const 1)))"
            size = CELL * self.layout.memo_cells(place.memo)
            row = f"(i32.add (i32.mul (i32.wrap_i64 {args[0]}) {i32(size)}) {i32(place.values)})"
        if not place.memo.truth:
            value = load(row) if result == "i64" else f"(i32.wrap_i64 {load(row)})"
        return f"(if (result {result}) {is_good} (then {value}) (else {anew}))"

    def keeping(
        self,
        symbol: str,
        bounds: tuple[Bound, ...],
        result: str,
        place: Place,
        open_: bool,
        body: Body,
        code: str,
    ) -> str:
        """A function that gives the value kept if it is still good, and else keeps the one it asks for, which is below.

        What was made while the kernel gave up is forgotten with the round. With a decision's value goes which cases
        gave it.
        """
        memo = place.memo
        anew = f"(call {symbol}_anew {passed(bounds)})"
        before, index = self._index(memo, bounds, anew)
        if memo.keys == 1:
            good, truth, bit = load(place.good), load(place.values), i64(signed(1 << place.bit))
            keep, keep_truth = store(place.good, "{}"), store(place.values, "{}")
            is_good = f"(i64.ne (i64.and {good} {bit}) (i64.const 0))"
            is_true = f"(i64.ne (i64.and {truth} {bit}) (i64.const 0))"
        else:
            at, by = "(i32.const 0)", "(i64.extend_i32_u (local.get $x))"
            before += f"(local.set $x {index})"
            if memo.keys > WORD:
                at = "(i32.shl (i32.shr_u (local.get $x) (i32.const 6)) (i32.const 3))"
            good, truth = load(at, place.good), load(at, place.values)
            bit = f"(i64.shl (i64.const 1) {by})"
            keep, keep_truth = store(at, "{}", place.good), store(at, "{}", place.values)
            is_good = f"(i32.wrap_i64 (i64.and (i64.shr_u {good} {by}) (i64.const 1)))"
            is_true = f"(i32.wrap_i64 (i64.and (i64.shr_u {truth} {by}) (i64.const 1)))"
        size = 8 * self.layout.memo_cells(memo)
        if memo.truth:
            told, given = "", is_true
            others = f"(i64.and {truth} (i64.xor {bit} (i64.const -1)))"
            own = f"(i64.or {truth} {bit})"
            keeping = keep_truth.format(f"(if (result i64) (local.get $r) (then {own}) (else {others}))")
            sure = "(i32.ne (local.get $r) (i32.const 3))" if open_ else ""
        else:
            row = i32(place.values)
            if memo.keys > 1:
                row = f"(i32.add {row} (i32.mul (local.get $x) {i32(size)}))"
            before += f"(local.set $a {row})"
            given, value = "(i64.load (local.get $a))", "(local.get $r)"
            if result == "i32":
                given, value = f"(i32.wrap_i64 {given})", f"(i64.extend_i32_u {value})"
            keeping = f"(i64.store (local.get $a) {value})"
            told, offset = "", 8
            if memo.name.startswith("decide "):
                for mask in self.masks(memo.name.removeprefix("decide ")):
                    keeping += f"(i64.store offset={offset} (local.get $a) (global.get {mask}))"
                    told += f"(global.set {mask} (i64.load offset={offset} (local.get $a)))"
                    offset += 8
            for i in memo.compared:
                own = f"(local.get {bounds[i].local})"
                keeping += f"(i64.store offset={offset} (local.get $a) {own})"
                same = f"(i64.eq (i64.load offset={offset} (local.get $a)) {own})"
                is_good = f"(if (result i32) {is_good} (then {same}) (else (i32.const 0)))"
                offset += 8
            sure = ""
            if self.layout.lacks.reached(memo.name):
                # it notes why it is undefined each time that it is asked
                sure = "(i32.ne (local.get $r) (i32.const 3))"
                if result == "i64":
                    sure = f"(i64.ne (local.get $r) {i64(UNDEFINED)})"
        kept = keeping + keep.format(f"(i64.or {good} {bit})")
        if sure:
            kept = f"(if {sure} (then {kept}))"
        head = f"{declared(bounds)} (result {result})"
        more = f"(local $a i32) (local $x i32) (local $r {result})"
        found = f"(func {symbol} {head} {more} {before} (if {is_good} (then {told} (return {given})))"
        keep_it = f"{kept} (local.get $r))"
        if _plain(memo):
            return (
                f"{found} {anew})"
                f"(func {symbol}_anew {head} {body.declared()} {more} {before} (local.set $r {code}) {keep_it}"
            )
        return f"{found} (local.set $r {anew}) {keep_it}(func {symbol}_anew {head} {body.declared()} {code})"

    def _index(self, memo: Memo, bounds: tuple[Bound, ...], anew: str) -> tuple[str, str]:
        """The number of a function's arguments among those of which values are kept; and code before it that asks
        anew where they are none of these."""
        if memo.keys == 1:
            return "", ""
        if memo.entity is not None:
            assert memo.position is not None
            table = self.layout.tables[f"entity {memo.entity}"]
            kept = min(memo.keys, table.capacity) * table.stride
            row = f"(i32.sub (local.get {bounds[memo.position].row}) {i32(table.rows)})"
            before = f"(if (i32.ge_u {row} {i32(kept)}) (then (return {anew})))"
            return before, f"(i32.div_u {row} {i32(table.stride)})"
        index = outside = ""
        for i, param in enumerate(memo.params):
            if i in memo.compared:
                continue
            low, _ = range_of(param.type) if isinstance(param.type, ty.IntT) else (0, 0)
            part = f"(i64.sub (local.get $p{i}) {i64(low)})" if low else f"(local.get $p{i})"
            if isinstance(param.type, ty.IntT):
                here = f"(i64.ge_u {part} {i64(1 << bits(param.type))})"
                outside = f"(i32.or {outside} {here})" if outside else here
            index = f"(i64.or (i64.shl {index} {i64(bits(param.type))}) {part})" if index else part
        return (
            f"(if {outside} (then (return {anew})))" if outside else "",
            f"(i32.wrap_i64 {index})",
        )

    def outdated(self, changes: Iterable[Changed]) -> str:
        """Code after which values that rest on any of these are no longer good."""
        by_atom: dict[Atom, list[Changed]] = {}
        for change in changes:
            by_atom.setdefault(change.atom, []).append(change)
        if not by_atom:
            return ""
        groups: dict[tuple[str, ...] | None, list[Place]] = {}
        by_row: dict[tuple[str, str], list[Place]] = {}
        for place in self.layout.memos.values():
            whole, rows = self._touched(place.memo, by_atom)
            if whole is not None:
                for row in rows:
                    by_row.setdefault(row, []).append(place)
            if whole is None or whole:
                groups.setdefault(whole, []).append(place)
        code = ""
        for conditions, places in groups.items():
            cleared = self._cleared(places)
            if conditions is None:
                code += cleared
                continue
            test = conditions[0]
            for more in conditions[1:]:
                test = f"(i32.or {test} {more})"
            code += f"(if {test} (then {cleared}))"
        for (condition, others), places in by_row.items():
            cleared = ""
            for word, pair in _paired([place.good for place in places]):
                if pair:
                    both = f"(v128.and (v128.load {i32(word)}) (i64x2.splat {others}))"
                    cleared += f"(v128.store {i32(word)} {both})"
                else:
                    cleared += store(word, f"(i64.and {load(word)} {others})")
            code += f"(if {condition} (then {cleared}))"
        return code

    def _touched(
        self, memo: Memo, by_atom: Mapping[Atom, list[Changed]]
    ) -> tuple[tuple[str, ...] | None, list[tuple[str, str]]]:
        """The conditions under which no value of a function is good (None: surely), and those under which that of one
        row is not, with a number that has a 0 in that row's place."""
        whole: list[str] = []
        rows: list[tuple[str, str]] = []
        sure = False
        for atom in sorted(memo.atoms & by_atom.keys()):
            for change in by_atom[atom]:
                sure = sure or change.condition is None
                whole += [change.condition] if change.condition is not None else []
        for atom, changes in by_atom.items():
            if (
                atom[0] == "exists"
                and memo.name.startswith(OWN)
                and memo.params[0].type == self._entity(atom[1])
            ):
                for change in changes:
                    if change.condition is None or change.others is None:
                        sure = True
                    else:
                        rows.append((change.condition, change.others))
            if atom[0] != "field":
                continue
            _, entity, name = atom
            for change in changes:
                if name in memo.own and memo.position is not None:
                    of = memo.params[memo.position].type
                    assert isinstance(of, ty.EntityT)
                    if of.name == entity:
                        if change.condition is None or change.others is None or not memo.by_row:
                            sure = sure or change.condition is None
                            whole += [change.condition] if change.condition is not None else []
                        else:
                            rows.append((change.condition, change.others))
                for kind, key, field_ in sorted(memo.rows, key=repr):
                    if (kind, field_) != (entity, name):
                        continue
                    if change.condition is None or change.others is None:
                        sure = sure or change.condition is None
                        whole += [change.condition] if change.condition is not None else []
                    else:
                        number = encode(self.layout.ruleset.entities[kind].type, key, {})
                        here = f"(i64.eq {change.others} {i64(signed(~(1 << number)))})"
                        whole.append(f"(i32.and {change.condition} {here})")
        return (None if sure else tuple(dict.fromkeys(whole))), rows

    def _entity(self, name: str) -> Type:
        return self.layout.ruleset.entities[name].type

    def _cleared(self, places: list[Place]) -> str:
        """No values of these functions are good."""
        bits_: dict[int, int] = {}
        words: list[int] = []
        for place in places:
            if place.memo.keys == 1:
                bits_[place.good] = bits_.get(place.good, 0) | 1 << place.bit
            else:
                words += range(place.good, place.good + CELL * -(-place.memo.keys // WORD), CELL)
        code = "".join(
            f"(v128.store {i32(word)} (v128.const i64x2 0 0))" if pair else store(word, i64(0))
            for word, pair in _paired(words)
        )
        for word, mask in bits_.items():
            code += store(word, f"(i64.and {load(word)} {i64(signed(~mask))})")
        return code

    def forget(self) -> str:
        """No value kept is good."""
        first, end = self.layout.good
        return f"(memory.fill {i32(first)} (i32.const 0) {i32(end - first)})"

    def masks(self, name: str) -> list[str]:
        """The globals that tell, by a bit each, which cases gave the value of the last answer."""
        count = len(self.layout.program.decisions[name].cases)
        index = list(self.layout.program.decisions).index(name)
        return [f"$mask_{index}_{i}" for i in range(count // MASK + 1)]


def _plain(memo: Memo) -> bool:
    """Whether there is a place for the value whatever the arguments, which alone tells whether it is kept."""
    if memo.compared or memo.entity is not None or memo.keys > WORD:
        return False
    return memo.keys == 1 or (len(memo.params) == 1 and isinstance(memo.params[0].type, ty.EntityT))


def declared(bounds: tuple[Bound, ...]) -> str:
    """The parameters of a function: of an entity whose row is not told by its key, the row too."""
    return "".join(f"(param {b.local} i64)" + (f"(param {b.row} i32)" if b.row else "") for b in bounds)


def passed(bounds: tuple[Bound, ...]) -> str:
    """Parameters, as they were given, as arguments."""
    return " ".join(f"(local.get {b.local})" + (f" (local.get {b.row})" if b.row else "") for b in bounds)


def _paired(words: list[int]) -> Iterator[tuple[int, bool]]:
    """Cells in order; two that lie side by side as one."""
    rest = sorted(words)
    while rest:
        first = rest.pop(0)
        pair = rest[:1] == [first + CELL]
        if pair:
            rest.pop(0)
        yield first, pair


def signed(word: int) -> int:
    """A number of 64 bits as a signed one."""
    word &= (1 << 64) - 1
    return word - (1 << 64) if word >> 63 else word
