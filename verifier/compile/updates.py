"""Mechanics to code: every update reads the state before, and all are made together.

Where it is clear that no two write to one place they wait in locals; else they go into a list of writes, in which two
are found that do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from verifier.compile.depends import Atom, written
from verifier.compile.emit import OTHER, Number, cell_offset, i32, i64, is_untold, lack, load, store
from verifier.compile.encoding import UNDEFINED, NotCompiledError, range_of
from verifier.compile.expressions import Expressions
from verifier.compile.layout import Array, Cell, Table
from verifier.compile.loops import Env
from verifier.compile.resumed import begun_anew
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.ruleset import Append, Each, FieldTarget, New, StateTarget, Update, Write
from verifier.model.terms import Term


@dataclass(frozen=True, slots=True)
class Waiting:
    """An update whose place (0 where it is not made) and value are in locals; `change` is set where it changes any. Of
    an entity, `number` is then its row's, and `others` has a 0 in that place; updates of one entity share them."""

    update: Write | Append | New
    at: str
    value: str
    change: str
    number: str | None
    others: str | None


def apart(changes: Sequence[Update]) -> bool:
    """Whether no two of these can write to one place, or they write the same."""
    slots: list[Atom] = []
    for change in changes:
        match change:
            case Write(value=value):
                if isinstance(value.type, ty.ListT):
                    return False
                slots.append(written(change))
            case Append():
                slots.append(written(change))
            case New():
                pass
            case Each():
                return False
    return len(set(slots)) == len(slots)


def waiting(
    expressions: Expressions, changes: Sequence[Update], env: Env, ahead: bool
) -> tuple[str, list[Waiting]]:
    """Code that puts updates which are `apart` into locals; `ahead`: into the list of writes too, for what is judged by
    what the event would leave."""
    code = ""
    found: list[Waiting] = []
    rows: dict[tuple[str, Term], tuple[str, str]] = {}
    for change in changes:
        assert not isinstance(change, Each)
        body = expressions.body
        number = others = None
        if (of := entity_of(change)) is not None:
            number, others = rows.setdefault(of, (body.local("i32"), body.local()))
        one = Waiting(change, body.local("i32"), body.local(), body.local("i32"), number, others)
        found.append(one)

        def put(label: str, one: Waiting = one) -> str:
            value = i64(1)
            match one.update:
                case New(entity=entity, of=of):
                    place = _row(expressions, entity, of, env, label)
                case Write(target=target, value=term):
                    place, type_ = _place(expressions, target, env, label)
                    value = expressions.fitted(expressions.number(term, env, label), term.type, type_).code
                case Append(target=target, value=term):
                    place, type_ = _place(expressions, target, env, label)
                    value = expressions.fitted(
                        expressions.number(term, env, label), term.type, _elements(type_)
                    ).code
            return f"(local.set {one.value} {value}) (local.set {one.at} {place})"

        def guarded(label: str, one: Waiting = one) -> str:
            return _guarded(expressions, one.update.when, env, label, put(label))

        if _may_lack(expressions, change):
            code += _perhaps(expressions, change, env, one.at, one.value)
        else:
            code += _defined(expressions, guarded)
        at = f"(local.get {one.at})"
        if isinstance(change, Append):
            target_type = _target_type(expressions, change.target)
            assert isinstance(target_type, ty.ListT)
            full = f"(i64.ge_s (i64.load {at}) {i64(target_type.maximum)})"
            if _may_lack(expressions, change):
                # nothing is added to a list of which nobody can tell what it is
                untold = is_untold(f"(i64.load {at})")
                code += f"(if {at} (then (if {untold} (then (local.set {one.at} (i32.const 0))))))"
                full = f"(i32.and {full} (i32.eqz {is_untold(f'(local.get {one.value})')}))"
            code += f"(if {at} (then (if {full} (then {expressions.functions.give_up}))))"
            if ahead and _may_lack(expressions, change):
                longer = f"(i64.add (i64.load {at}) (i64.const 1))"
                end = f"(i32.add {at} {cell_offset(longer)})"
                value = f"(local.get {one.value})"
                code += (
                    f"(if {at} (then (if {is_untold(value)} (then (call $log {at} {value})) (else"
                    f" (call $log {at} {longer}) (call $log {end} {value})))))"
                )
            elif ahead:
                longer = f"(i64.add (i64.load {at}) (i64.const 1))"
                end = f"(i32.add {at} {cell_offset(longer)})"
                code += (
                    f"(if {at} (then (call $log {at} {longer}) (call $log {end} (local.get {one.value}))))"
                )
        elif ahead:
            code += f"(if {at} (then (call $log {at} (local.get {one.value}))))"
    return code, found


def entity_of(change: Update) -> tuple[str, Term] | None:
    """The entity that an update is about: its kind, and which it is."""
    match change:
        case (
            Write(target=FieldTarget(entity=entity, of=of))
            | Append(target=FieldTarget(entity=entity, of=of))
            | New(entity=entity, of=of)
        ):
            return entity, of
        case Write() | Append() | Each():
            return None


def column_of(expressions: Expressions, change: Update) -> tuple[Table, int] | None:
    """The table of an entity that an update writes to, and where in a row."""
    match change:
        case Write(target=FieldTarget() as target) | Append(target=FieldTarget() as target):
            table = expressions.layout.tables[f"entity {target.entity}"]
            return table, table.columns[target.name].offset
        case New(entity=entity):
            return expressions.layout.tables[f"entity {entity}"], 0
        case Write() | Append() | Each():
            return None


def made(expressions: Expressions, one: Waiting) -> str:
    """The code that makes an update that waits."""
    at, value = f"(local.get {one.at})", f"(local.get {one.value})"
    change = f"(local.set {one.change} (i32.const 1))"
    if (column := column_of(expressions, one.update)) is not None:
        table, offset = column
        row = f"(i32.sub {at} {i32(table.rows + offset)})"
        change += f"(local.set {one.number} (i32.div_u {row} {i32(table.stride)}))"
        place = f"(i64.extend_i32_u (local.get {one.number}))"
        change += f"(local.set {one.others} (i64.rotl (i64.const -2) {place}))"
    if isinstance(one.update, Append):
        longer = expressions.body.local()
        if _may_lack(expressions, one.update):
            return (
                f"(if {at} (then (if {is_untold(value)} (then (i64.store {at} {value})) (else"
                f" (local.set {longer} (i64.add (i64.load {at}) (i64.const 1)))"
                f" (i64.store (i32.add {at} {cell_offset(f'(local.get {longer})')}) {value})"
                f" (i64.store {at} (local.get {longer})))) {change}))"
            )
        return (
            f"(if {at} (then (local.set {longer} (i64.add (i64.load {at}) (i64.const 1)))"
            f" (i64.store (i32.add {at} {cell_offset(f'(local.get {longer})')}) {value})"
            f" (i64.store {at} (local.get {longer})) {change}))"
        )
    return f"(if {at} (then (if (i64.ne (i64.load {at}) {value}) (then (i64.store {at} {value}) {change}))))"


def _may_lack(expressions: Expressions, change: Update) -> bool:
    """Whether an update may write that nobody can tell what stands there."""
    return isinstance(change, Write | Append) and expressions.layout.may_lack(written(change))


def _perhaps(expressions: Expressions, change: Update, env: Env, at: str, to: str) -> str:
    """Code that sets a local to the place of an update (0 where it is not made) and another to the value; where that is
    never told, or whether it is written, to why not. It gives up where the place, or anything else, is undefined."""
    assert isinstance(change, Write | Append)
    body, layout = expressions.body, expressions.layout
    give_up = expressions.functions.give_up
    nowhere, unknown, done, out = (body.label() for _ in range(4))
    test, before = body.local("i32"), body.local()
    try:
        with expressions.tracked(True):
            when = None if change.when is None else expressions.truth(change.when, env)
            place, type_ = _place(expressions, change.target, env, nowhere)
            if isinstance(change, Append):
                type_ = _elements(type_)
            number = expressions.number(change.value, env, unknown)
            value = expressions.fitted(number, change.value.type, type_).code
    except NotCompiledError:
        return give_up
    inexact = [
        term for term in (change.when, change.value) if term is not None and not layout.lacks.exact(term)
    ]
    never = f"(i64.and {lack()} {i64(layout.never)})"
    unlike = f"(i32.or (i64.ne (i64.and {lack()} {i64(OTHER)}) (i64.const 0)) (i64.eqz {never}))"
    if inexact:
        unlike = f"(i32.or {unlike} (i64.gt_u (i64.popcnt {lack()}) (i64.const 1)))"
    why = f"(i64.add {i64(UNDEFINED)} (i64.ctz {never}))"
    code = f"(local.set {at} (i32.const 0)) (global.set $lack (i64.const 0)) (local.set {test} (i32.const 1))"
    if when is not None:
        code += f"(local.set {test} {when.code}) (br_if {out} (i32.eqz (local.get {test})))"
    code += (
        f"(local.set {before} {lack()}) (local.set {at} {place})"
        f" (block {done} (block {unknown} (if (i32.eq (local.get {test}) (i32.const 3))"
        f" (then (global.set $lack (local.get {before})) (br {unknown})))"
        f" (global.set $lack (i64.const 0)) (local.set {to} {value}) (br {done}))"
        f" (if {unlike} (then {give_up})) (local.set {to} {why}))"
    )
    return f"(block {out} (block {nowhere} {code} (br {out})) {give_up})"


def _defined(expressions: Expressions, write: Callable[[str], str]) -> str:
    """Code that gives up where a value in it, or a place, is undefined."""
    label = expressions.body.label()
    done = expressions.body.label()
    give_up = expressions.functions.give_up
    try:
        code = write(label)
    except NotCompiledError:
        return give_up
    if label not in expressions.body.used:
        return code
    return f"(block {done} (block {label} {code} (br {done})) {give_up})"


def update(expressions: Expressions, change: Update, env: Env) -> str:
    """The code of one update, into the list of writes; it gives up where a value, or its place, is undefined, and that
    cannot be written."""
    if isinstance(change, Write) and _may_lack(expressions, change):
        at, value = expressions.body.local("i32"), expressions.body.local()
        if not isinstance(change.value.type, ty.ListT):
            code = _perhaps(expressions, change, env, at, value)
            return f"{code} (if (local.get {at}) (then (call $write (local.get {at}) (local.get {value}))))"
    return _defined(expressions, lambda label: _update(expressions, change, env, label))


def _update(expressions: Expressions, change: Update, env: Env, label: str) -> str:
    match change:
        case Write(target=target, value=value, when=when):
            return _guarded(expressions, when, env, label, _write(expressions, target, value, env, label))
        case Append(target=target, value=value, when=when):
            return _guarded(expressions, when, env, label, _append(expressions, target, value, env, label))
        case New(entity=entity, of=of, when=when):
            row = _row(expressions, entity, of, env, label)
            return _guarded(expressions, when, env, label, f"(call $write {row} (i64.const 1))")
        case Each(var=var, domain=domain, where=where, update=inner):
            before = "" if expressions.in_order(domain) or not _appends(inner) else expressions.body.local()

            def write(inside: Env, out: str, on: str) -> str:
                test = expressions.where(where, inside, on, label)
                if before:
                    # rows stand in the order in which they were made, and a list grows in that of their keys
                    here = f"(local.get {inside[var].local})"
                    sooner = f"(i64.lt_s {here} (local.get {before}))"
                    test += (
                        f"(if {sooner} (then {expressions.functions.give_up})) (local.set {before} {here})"
                    )
                return test + _update(expressions, inner, inside, label)

            code = expressions.each(domain, var, env, label, write)
            return f"(local.set {before} (i64.const -1)) {code}" if before else code


def _appends(change: Update) -> bool:
    """Whether an update makes a list longer."""
    return isinstance(change, Append) or (isinstance(change, Each) and _appends(change.update))


def _guarded(expressions: Expressions, when: Term | None, env: Env, label: str, code: str) -> str:
    if when is None:
        return code
    test = expressions.truth(when, env)
    if not test.open:
        return expressions.body.where(test, code)
    t = expressions.body.local("i32")
    jump = expressions.body.undefined_if(f"(i32.eq (local.get {t}) (i32.const 3))", label)
    return f"(if (local.tee {t} {test.code}) (then {jump} {code}))"


def _row(expressions: Expressions, entity: str, of: Term, env: Env, label: str) -> str:
    """The address of the entity's row, made where there is none."""
    ref = expressions.number(of, env, label)
    code = ref.code
    if isinstance(of.type, ty.OptT):
        t = expressions.body.local()
        jump = expressions.body.undefined_if(f"(i64.lt_s (local.tee {t} {code}) (i64.const 0))", label)
        code = f"(block (result i64) {jump} (local.get {t}))"
    made = expressions.functions.make(expressions.layout.tables[f"entity {entity}"], code)
    return expressions.once(of, env, "i32", made)


def _target_type(expressions: Expressions, target: StateTarget | FieldTarget) -> ty.Type:
    match target:
        case FieldTarget(entity=entity, name=name):
            return expressions.layout.tables[f"entity {entity}"].columns[name].type
        case StateTarget(name=name):
            place = expressions.layout.place(name)
            return place.columns["value"].type if isinstance(place, Table) else place.type


def _elements(type_: ty.Type) -> ty.Type:
    if not isinstance(type_, ty.ListT):
        raise NotCompiledError(f"an element more in {type_}")
    return type_.of


def _place(
    expressions: Expressions, target: StateTarget | FieldTarget, env: Env, label: str
) -> tuple[str, ty.Type]:
    """Code for the address that a target stands for, and what is held there."""
    match target:
        case FieldTarget(entity=entity, name=name, of=of):
            table = expressions.layout.tables[f"entity {entity}"]
            column = table.columns[name]
            row = _row(expressions, entity, of, env, label)
            return f"(i32.add {row} {i32(column.offset)})", column.type
        case StateTarget(name=name, key=None):
            cell = expressions.layout.cells[name]
            return i32(cell.at), cell.type
        case StateTarget(name=name, key=key):
            assert key is not None
            place = expressions.layout.place(name)
            assert not isinstance(place, Cell)
            packed = expressions.packed(place.keys, [(expressions.number(key, env, label), key.type)])
            if isinstance(place, Array):
                return f"(i32.add {i32(place.at)} {cell_offset(packed)})", place.type
            column = place.columns["value"]
            row = expressions.functions.make(place, packed)
            return f"(i32.add {row} {i32(column.offset)})", column.type


def _write(
    expressions: Expressions, target: StateTarget | FieldTarget, value: Term, env: Env, label: str
) -> str:
    at, type_ = _place(expressions, target, env, label)
    if isinstance(type_, ty.ListT):
        if not _fits(value, type_):
            raise NotCompiledError("a list whose elements may not fit")
        start = expressions.body.local("i32")
        length = f"(i64.load (local.tee {start} {expressions.list_at(value, env, label)}))"
        long = f"(i64.gt_s {length} {i64(type_.maximum)})"
        give_up = expressions.functions.give_up
        here = expressions.body.local("i32")
        code = f"(local.set {here} {at}) (call $write_list (local.get {here}) (local.get {start}))"
        for apart, cell in begun_anew(expressions.layout, target):
            code += f"(call $write (i32.add (local.get {here}) {i32(apart)}) {i64(cell)})"
        return f"(if {long} (then {give_up}) (else {code}))"
    number = expressions.fitted(expressions.number(value, env, label), value.type, type_)
    return f"(call $write {at} {number.code})"


def _fits(value: Term, type_: ty.ListT) -> bool:
    """Whether every element that a list may have is one that a list of this type holds."""
    match value:
        case m.Lit(value=()):
            return True
        case m.Ite(then=then, otherwise=otherwise):
            return _fits(then, type_) and _fits(otherwise, type_)
        case _:
            assert isinstance(value.type, ty.ListT)
            low, high = range_of(value.type.of)
            least, most = range_of(type_.of)
            return least <= low and high <= most


def _append(
    expressions: Expressions, target: StateTarget | FieldTarget, value: Term, env: Env, label: str
) -> str:
    at, type_ = _place(expressions, target, env, label)
    number = expressions.fitted(expressions.number(value, env, label), value.type, _elements(type_))
    assert isinstance(type_, ty.ListT)
    if expressions.layout.may_lack(_written_at(target)):
        t = expressions.body.local("i32")
        untold = f"(if {is_untold(f'(i64.load (local.get {t}))')} (then {expressions.functions.give_up}))"
        return (
            f"(local.set {t} {at}) {untold} (call $append (local.get {t}) {number.code} {i64(type_.maximum)})"
        )
    return f"(call $append {at} {number.code} {i64(type_.maximum)})"


def _written_at(target: StateTarget | FieldTarget) -> Atom:
    match target:
        case FieldTarget(entity=entity, name=name):
            return ("field", entity, name)
        case StateTarget(name=name):
            return ("state", name)


def one_more(expressions: Expressions, name: str, keys: list[tuple[Number, ty.Type]]) -> str:
    """One more in a latch, at once."""
    place = expressions.layout.place(name)
    if isinstance(place, Cell):
        return store(place.at, f"(i64.add {load(place.at)} (i64.const 1))")
    packed = expressions.packed(place.keys, keys)
    at = expressions.body.local("i32")
    if isinstance(place, Array):
        where, offset = cell_offset(packed), place.at
    else:
        where, offset = expressions.functions.make(place, packed), place.columns["value"].offset
    counted = f"(i64.add (i64.load offset={offset} (local.get {at})) (i64.const 1))"
    return f"(local.set {at} {where}) (i64.store offset={offset} (local.get {at}) {counted})"


def forget(expressions: Expressions, name: str, kept_apart: list[tuple[int, int, str]] | None = None) -> str:
    """All of a latch set to nothing; or only where parts of the key are these: (shift, mask, the part's code)."""
    place = expressions.layout.place(name)
    if not kept_apart:
        return clear(place)
    assert not isinstance(place, Cell)
    i, end, key = expressions.body.local("i32"), expressions.body.local("i32"), expressions.body.local()
    tests = [
        f"(i64.eq (i64.and (i64.shr_u (local.get {key}) {i64(shift)}) {i64(mask)}) {code})"
        for shift, mask, code in kept_apart
    ]
    test = tests[0]
    for more in tests[1:]:
        test = f"(i32.and {test} {more})"
    out, loop = expressions.body.label(), expressions.body.label()
    if isinstance(place, Array):
        count = i32(place.size)
        read = f"(i64.extend_i32_u (local.get {i}))"
        at = f"(i32.shl (local.get {i}) (i32.const 3))"
        offset = place.at
    else:
        count = f"(i32.wrap_i64 {load(place.count)})" if not place.dense else i32(place.capacity)
        read = (
            f"(i64.load offset={place.key_at} (i32.shl (local.get {i}) (i32.const 3)))"
            if not place.dense
            else f"(i64.extend_i32_u (local.get {i}))"
        )
        at = f"(i32.mul (local.get {i}) {i32(place.stride)})"
        offset = place.rows + place.columns["value"].offset
    return (
        f"(local.set {i} (i32.const 0)) (local.set {end} {count}) (block {out} (loop {loop}"
        f" (br_if {out} (i32.ge_u (local.get {i}) (local.get {end}))) (local.set {key} {read})"
        f" (if {test} (then (i64.store offset={offset} {at} (i64.const 0))))"
        f" (local.set {i} (i32.add (local.get {i}) (i32.const 1))) (br {loop})))"
    )


def clear(place: Cell | Array | Table) -> str:
    """Everything there as it is at first."""
    match place:
        case Cell():
            return " ".join(store(at, i64(number)) for at, number in place.begun())
        case Array(at=at, size=size, initial=0):
            return f"(memory.fill {i32(at)} (i32.const 0) {i32(8 * size)})"
        case Array(at=at, size=size, initial=initial):
            return f"(call $fill {i32(at)} {i64(initial)} {i32(8 * size)})"
        case Table(dense=True):
            return (
                f"(call $clear {i32(place.count)} {i32(place.rows)} {i32(place.stride)} {i32(place.null)}"
                f" {i32(place.reset)})"
            )
        case Table():
            return store(place.count, i64(0))
