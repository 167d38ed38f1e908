"""The head of a module and its declarations: Lark's parse tree to the dataclasses of `tree`.

One method a production, named as in grammar/rules.lark.
"""

from __future__ import annotations

from typing import Literal

from lark import Token, v_args
from lark.tree import Meta

from verifier.syntax import tree as t
from verifier.syntax.expressions import BuildExpressions
from verifier.syntax.nodes import (
    Children,
    all_declared,
    check_name,
    declared,
    names,
    parts,
    place,
    present,
    string,
)

Kind = Literal["theorem", "invariant", "reachable"]


def _variable(param: t.Param) -> t.Param:
    """A parameter that is read by its bare name, as the fields of records and entities are not."""
    check_name(param.name, param.at)
    return param


@v_args(meta=True)
class BuildDeclarations(BuildExpressions):
    """The head of a module and its declarations."""

    # --------------------------------------------------------------------------------------------------- head
    def extends(self, meta: Meta, c: Children) -> tuple[str, tuple[t.ClauseRef, ...]]:
        name, *refs = present(c)
        return str(name), tuple(refs)

    def ruleset(self, meta: Meta, c: Children) -> t.Ruleset:
        name, *rest = present(c)
        base, refs = rest[0] if rest else (None, ())
        return t.Ruleset(place(meta), str(name), base, refs)

    def law(self, meta: Meta, c: Children) -> t.LawDecl:
        return t.LawDecl(place(meta), str(present(c)[0]))

    def in_force(self, meta: Meta, c: Children) -> t.InForce:
        return t.InForce(place(meta), str(present(c)[0]))

    def use(self, meta: Meta, c: Children) -> t.Use:
        return t.Use(place(meta), str(present(c)[0]))

    def actors(self, meta: Meta, c: Children) -> t.Actors:
        return t.Actors(place(meta), all_declared(c))

    # ------------------------------------------------------------------------------------------- declarations
    def names(self, meta: Meta, c: Children) -> tuple[str, ...]:
        return names(c)

    def names_in(self, meta: Meta, c: Children) -> tuple[str, ...]:
        return all_declared(c)

    def params(self, meta: Meta, c: Children) -> tuple[t.Param, ...]:
        return tuple(_variable(p) for p in present(c))

    def param(self, meta: Meta, c: Children) -> t.Param:
        name, type_ = present(c)
        return t.Param(place(meta), str(name), type_)

    def field(self, meta: Meta, c: Children) -> t.FieldDecl:
        name, type_, *initial = present(c)
        return t.FieldDecl(place(meta), str(name), type_, initial[0] if initial else None)

    def enum_value(self, meta: Meta, c: Children) -> tuple[str, str]:
        name, *written = present(c)
        return declared(name), string(written[0]) if written else str(name)

    def written(self, meta: Meta, c: Children) -> tuple[t.WrittenForm, ...]:
        return tuple(present(c))

    def written_form(self, meta: Meta, c: Children) -> t.WrittenForm:
        template, *values = present(c)
        return t.WrittenForm(place(meta), string(template), tuple(values))

    def type_decl(self, meta: Meta, c: Children) -> t.TypeDecl:
        name, type_ = present(c)
        return t.TypeDecl(place(meta), str(name), type_)

    def enum_decl(self, meta: Meta, c: Children) -> t.EnumDecl:
        name, *values = present(c)
        return t.EnumDecl(place(meta), str(name), tuple(values))

    def record_decl(self, meta: Meta, c: Children) -> t.RecordDecl:
        name, *rest = present(c)
        fields = tuple(r for r in rest if isinstance(r, t.Param))
        written = next((r for r in rest if isinstance(r, tuple)), ())
        return t.RecordDecl(place(meta), str(name), fields, written)

    def entity_decl(self, meta: Meta, c: Children) -> t.EntityDecl:
        name, *rest = present(c)
        keys = tuple(r for r in rest if isinstance(r, t.Param))
        life = next(str(r) for r in rest if isinstance(r, Token))
        written = next((r for r in rest if isinstance(r, tuple)), ())
        fields = tuple(r for r in rest if isinstance(r, t.FieldDecl))
        return t.EntityDecl(place(meta), str(name), keys, life, written, fields)

    def around(self, meta: Meta, c: Children) -> tuple[str, str]:
        return "around", str(present(c)[0])

    def beside(self, meta: Meta, c: Children) -> tuple[str, str]:
        return "beside", str(present(c)[0])

    def in_life(self, meta: Meta, c: Children) -> str:
        return str(present(c)[0])

    def begins(self, meta: Meta, c: Children) -> tuple[str, tuple[str, ...]]:
        return "begins", present(c)[0]

    def ends(self, meta: Meta, c: Children) -> tuple[str, tuple[str, ...]]:
        return "ends", present(c)[0]

    def life_decl(self, meta: Meta, c: Children) -> t.LifeDecl:
        name, *rest = present(c)
        said = dict(rest)
        begins, ends = said.get("begins", ()), said.get("ends", ())
        return t.LifeDecl(place(meta), str(name), begins, ends, said.get("around"), said.get("beside"))

    def state_decl(self, meta: Meta, c: Children) -> t.StateDecl:
        life, *fields = present(c)
        return t.StateDecl(place(meta), str(life), tuple(fields))

    def by_actor(self, meta: Meta, c: Children) -> list[str]:
        return list(names(c))

    def claims(self, meta: Meta, c: Children) -> t.Claims:
        return t.Claims(place(meta), present(c)[0])

    def moves(self, meta: Meta, c: Children) -> t.Moves:
        amount, source, target, *due = present(c)
        return t.Moves(place(meta), amount, source, target, due[0] if due else None)

    def observed(self, meta: Meta, c: Children) -> t.Observed:
        return t.Observed(place(meta))

    def needs(self, meta: Meta, c: Children) -> t.Needs:
        return t.Needs(place(meta), present(c)[0])

    def event_decl(self, meta: Meta, c: Children) -> t.EventDecl:
        name, *rest = present(c)
        params = next((r for r in rest if isinstance(r, tuple)), ())
        by = next((tuple(r) for r in rest if isinstance(r, list)), ())
        clauses = tuple(r for r in rest if isinstance(r, t.Claims | t.Moves | t.Observed | t.Needs))
        life = next((r for r in rest if isinstance(r, str)), None)
        return t.EventDecl(place(meta), declared(name), params, by, clauses, life)

    def on_decl(self, meta: Meta, c: Children) -> t.OnDecl:
        name, *rest = present(c)
        params = next((r for r in rest if isinstance(r, tuple)), ())
        updates = tuple(r for r in rest if not isinstance(r, tuple))
        return t.OnDecl(place(meta), str(name), params, updates)

    def assign(self, meta: Meta, c: Children) -> t.Update:
        target, value, *when = present(c)
        return t.Assign(place(meta), target, value, when[0] if when else None)

    def gains(self, meta: Meta, c: Children) -> t.Update:
        target, value, *when = present(c)
        return t.Gains(place(meta), target, value, when[0] if when else None)

    def create(self, meta: Meta, c: Children) -> t.Update:
        entity, *when = present(c)
        return t.Create(place(meta), entity, when[0] if when else None)

    def update_each(self, meta: Meta, c: Children) -> t.Update:
        name, domain, where, update = parts(c)
        return t.UpdateEach(place(meta), declared(name), domain, where, update)

    def define(self, meta: Meta, c: Children) -> t.Define:
        name, *rest = present(c)
        params = rest.pop(0) if isinstance(rest[0], tuple) else ()
        type_, body = rest
        return t.Define(place(meta), declared(name), params, type_, body)

    def decision(self, meta: Meta, c: Children) -> t.Decision:
        name, *rest = present(c)
        params = rest.pop(0) if isinstance(rest[0], tuple) else ()
        return t.Decision(place(meta), declared(name), params, rest[0])

    def option(self, meta: Meta, c: Children) -> t.Option:
        name, type_, *initial = present(c)
        return t.Option(place(meta), declared(name), type_, initial[0] if initial else None)

    def supplied(self, meta: Meta, c: Children) -> t.Supplied:
        reason, *defines = present(c)
        return t.Supplied(place(meta), string(reason), tuple(defines))

    def accepted(self, meta: Meta, c: Children) -> t.Accepted:
        finding, reason = present(c)
        return t.Accepted(place(meta), str(finding), string(reason))

    def chance_uniform(self, meta: Meta, c: Children) -> t.ChanceDecl:
        event, param = names(c)
        return t.ChanceDecl(place(meta), event, param, None, None)

    def chance_stock(self, meta: Meta, c: Children) -> t.ChanceDecl:
        event, param, stock, since = present(c)
        return t.ChanceDecl(place(meta), str(event), str(param), stock, str(since))

    def claim(self, meta: Meta, c: Children) -> t.Claim:
        params = tuple(_variable(p) for p in present(c) if isinstance(p, t.Param))
        exprs = [p for p in present(c) if not isinstance(p, t.Param)]
        return t.Claim(place(meta), params, exprs[0] if len(exprs) == 2 else None, exprs[-1])

    def _theorem(self, meta: Meta, c: Children, kind: Kind) -> t.Theorem:
        name, *rest = present(c)
        title = string(rest[0]) if isinstance(rest[0], Token) else None
        return t.Theorem(place(meta), kind, str(name), title, rest[-1])

    def theorem(self, meta: Meta, c: Children) -> t.Theorem:
        return self._theorem(meta, c, "theorem")

    def invariant(self, meta: Meta, c: Children) -> t.Theorem:
        return self._theorem(meta, c, "invariant")

    def reachable(self, meta: Meta, c: Children) -> t.Theorem:
        return self._theorem(meta, c, "reachable")

    # -------------------------------------------------------------------------------------------------- views
    def many(self, meta: Meta, c: Children) -> t.Many:
        name, domain, where = parts(c)
        return t.Many(place(meta), declared(name), domain, where)

    def shape(self, meta: Meta, c: Children) -> t.Shape:
        return t.Shape(place(meta), string(present(c)[0]))

    def words(self, meta: Meta, c: Children) -> t.Words:
        values, *when = present(c)
        return t.Words(place(meta), values, when[0] if when else None)

    def values(self, meta: Meta, c: Children) -> tuple[t.Expr, ...]:
        return tuple(present(c))

    def colour(self, meta: Meta, c: Children) -> t.Colour:
        name, *when = present(c)
        return t.Colour(place(meta), string(name), when[0] if when else None)

    def mark(self, meta: Meta, c: Children) -> t.Mark:
        text, *when = present(c)
        return t.Mark(place(meta), string(text), when[0] if when else None)

    def faded(self, meta: Meta, c: Children) -> t.Faded:
        return t.Faded(place(meta), present(c)[0])

    def holds(self, meta: Meta, c: Children) -> t.Holds:
        return t.Holds(place(meta), present(c)[0])

    def row(self, meta: Meta, c: Children) -> t.Row:
        title, many = parts(c)
        return t.Row(place(meta), None if title is None else string(title), many)

    def ring(self, meta: Meta, c: Children) -> t.Ring:
        return t.Ring(place(meta), present(c)[0])

    def grid(self, meta: Meta, c: Children) -> t.Grid:
        many, across, down = present(c)
        return t.Grid(place(meta), many, across, down)

    def lay(self, meta: Meta, c: Children) -> t.Lay:
        many, on = present(c)
        return t.Lay(place(meta), many, on)

    def view_decl(self, meta: Meta, c: Children) -> t.ViewDecl:
        name, type_, *looks = present(c)
        return t.ViewDecl(place(meta), declared(name), str(type_), tuple(looks))

    def scene_decl(self, meta: Meta, c: Children) -> t.SceneDecl:
        title, life, *drawn = present(c)
        return t.SceneDecl(place(meta), string(title), str(life), tuple(drawn))
