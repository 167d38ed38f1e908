"""An event's parameters, read off the columns of the log."""

from __future__ import annotations

from dataclasses import dataclass

from verifier.compile.emit import i64, load, store
from verifier.compile.encoding import BAD, NotCompiledError, parts_of, range_of, shifts
from verifier.compile.keeping import Changed
from verifier.compile.marking import Marking
from verifier.core.program import EVENT_PREFIX
from verifier.model import types as ty


@dataclass(slots=True)
class Arguments(Marking):
    """The code that reads an event's parameters."""

    def arguments(self) -> list[str]:
        """The parameters, read off the columns; ids not met before are counted."""
        found: list[str] = []
        columns: dict[str, str] = {}

        def column(name: str) -> str:
            if name not in columns:
                local = columns[name] = self.body.local()
                found.append(f"(local.set {local} {self.inputs.read(name)})")
                leave = f"{self.functions.give_up} (return (i32.const 0))"
                found.append(f"(if (i64.eq (local.get {local}) {i64(BAD)}) (then {leave}))")
            return f"(local.get {columns[name]})"

        def value(name: str, type_: ty.Type) -> str:
            """A parameter or a part of one."""
            bare = type_.of if isinstance(type_, ty.OptT) else type_
            if self.inputs.is_split(bare):
                names = bare.keys if isinstance(bare, ty.EntityT) else bare.fields  # type: ignore[union-attr]
                code = ""
                parts = [(value(part, of), of) for part, of in names]
                for (part, of), shift in zip(parts, shifts(parts_of(bare)), strict=True):
                    t = self.body.local()
                    found.append(f"(local.set {t} {part})")
                    if isinstance(type_, ty.OptT):
                        raise NotCompiledError("an optional reference in several columns")
                    low, _ = range_of(of)
                    shifted = f"(local.get {t})"
                    if isinstance(of, ty.IntT) and low:
                        shifted = f"(i64.sub {shifted} {i64(low)})"
                    if isinstance(of, ty.OptT):
                        raise NotCompiledError("an optional part of a reference in a column")
                    if shift:
                        shifted = f"(i64.shl {shifted} {i64(shift)})"
                    code = f"(i64.or {code} {shifted})" if code else shifted
                return code
            if isinstance(bare, ty.IdT):
                cell = self.layout.cells[f"ids {bare.name}"].at
                more = store(cell, f"(i64.add {column(name)} (i64.const 1))")
                more += self.functions.outdated([Changed(("ids", bare.name))])
                found.append(f"(if (i64.ge_s {column(name)} {load(cell)}) (then {more}))")
            elif self.mentions_ids(bare):
                found.append(self.met(column(name), bare))
            return column(name)

        for index, param in enumerate(self.event.params):
            if index in self.missing:
                continue
            code = value(param.name, param.type)
            found.append(f"(local.set {self.plain[param.name].local} {code})")
        rows, bounds = self.functions.with_rows(self.body, tuple(self.plain.values()))
        self.plain = dict(zip(self.plain, bounds, strict=True))
        self.marked = {EVENT_PREFIX + name: bound for name, bound in self.plain.items()}
        return [*found, rows]

    def mentions_ids(self, type_: ty.Type) -> bool:
        match type_:
            case ty.IdT():
                return True
            case ty.OptT(of=of):
                return self.mentions_ids(of)
            case ty.RecordT() | ty.EntityT():
                return any(self.mentions_ids(part) for part in parts_of(type_))
            case _:
                return False

    def met(self, code: str, type_: ty.Type) -> str:
        raise NotCompiledError("an id within a written value")
