"""Rules and their statements: Lark's parse tree to the dataclasses of `tree`.

One method a production, named as in grammar/rules.lark.
"""

from __future__ import annotations

from lark import Token, v_args
from lark.tree import Meta

from verifier.syntax import tree as t
from verifier.syntax.declarations import BuildDeclarations
from verifier.syntax.nodes import Children, names, place, present, span, string, token_place
from verifier.syntax.places import refuse


@v_args(meta=True)
class Build(BuildDeclarations):
    """Rules and statements, and with its bases the whole tree."""

    def start(self, meta: Meta, c: Children) -> tuple[t.Block, ...]:
        return tuple(present(c))

    def rule(self, meta: Meta, c: Children) -> t.Rule:
        address, *rest = present(c)
        label: str | None = None
        if isinstance(rest[0], Token) and rest[0].type == "LABEL":
            label = str(rest.pop(0))[1:-1]
        quote = rest.pop(0)
        return t.Rule(place(meta), str(address), label, string(quote), token_place(quote), tuple(rest))

    def given(self, meta: Meta, c: Children) -> t.Statement:
        condition, *only = present(c)
        return t.Given(place(meta), condition, only[0] if only else ())

    def _edge(self, meta: Meta, c: Children, kind: t.EdgeKind) -> t.Statement:
        refs = tuple(p for p in present(c) if isinstance(p, t.ClauseRef))
        only = next((p for p in present(c) if isinstance(p, tuple)), ())
        return t.Edge(place(meta), kind, refs, only)

    def edge_for(self, meta: Meta, c: Children) -> tuple[str, ...]:
        return names(c)

    def edge_except(self, meta: Meta, c: Children) -> t.Statement:
        return self._edge(meta, c, "except")

    def edge_subject(self, meta: Meta, c: Children) -> t.Statement:
        return self._edge(meta, c, "subject to")

    def edge_unless(self, meta: Meta, c: Children) -> t.Statement:
        return self._edge(meta, c, "unless")

    def edge_permitted(self, meta: Meta, c: Children) -> t.Statement:
        return self._edge(meta, c, "unless expressly permitted")

    def edge_notwithstanding(self, meta: Meta, c: Children) -> t.Statement:
        return self._edge(meta, c, "notwithstanding")

    def edge_overrides(self, meta: Meta, c: Children) -> t.Statement:
        return self._edge(meta, c, "overrides")

    def edge_everything(self, meta: Meta, c: Children) -> t.Statement:
        return self._edge(meta, c, "notwithstanding everything")

    def effect(self, meta: Meta, c: Children) -> t.Effect:
        name, *rest = present(c)
        args = rest[0] if len(rest) == 2 else ()
        return t.Effect(place(meta), str(name), args, rest[-1])

    def effects_when(self, meta: Meta, c: Children) -> t.Statement:
        effects = tuple(p for p in present(c) if isinstance(p, t.Effect))
        rest = [p for p in present(c) if not isinstance(p, t.Effect)]
        return t.Effects(place(meta), effects, rest[0] if rest else None, False)

    def effects_otherwise(self, meta: Meta, c: Children) -> t.Statement:
        return t.Effects(place(meta), tuple(present(c)), None, True)

    def asked(self, meta: Meta, c: Children) -> t.Statement:
        name, *rest = present(c)
        args = rest.pop(0) if rest and isinstance(rest[0], tuple) else ()
        return t.Asked(place(meta), str(name), args, rest[0] if rest else None)

    def apply(self, meta: Meta, c: Children) -> t.Statement:
        *refs, where = present(c)
        return t.Apply(place(meta), refs[0], refs[1] if len(refs) == 2 else None, where)

    def roles(self, meta: Meta, c: Children) -> t.Bearer:
        return t.Bearer(place(meta), names(c))

    def role_of(self, meta: Meta, c: Children) -> t.Bearer:
        role, variable = names(c)
        return t.Bearer(place(meta), (role,), variable)

    def anyone_but(self, meta: Meta, c: Children) -> t.Bearer:
        return t.Bearer(place(meta), (), None, names(c)[0])

    def force(self, meta: Meta, c: Children) -> list[str]:
        return [" ".join(str(c[0]).split())]

    def act(self, meta: Meta, c: Children) -> t.Act:
        name, *args = present(c)
        return t.Act(place(meta), str(name), args[0] if args else ())

    def at_once(self, meta: Meta, c: Children) -> t.Deadline:
        return t.Deadline(place(meta), "at once")

    def before(self, meta: Meta, c: Children) -> t.Deadline:
        return t.Deadline(place(meta), "before", tuple(present(c)))

    def by_end(self, meta: Meta, c: Children) -> t.Deadline:
        return t.Deadline(place(meta), "by end of", (), str(present(c)[0]))

    def right_after(self, meta: Meta, c: Children) -> t.Deadline:
        return t.Deadline(place(meta), "immediately after", tuple(present(c)))

    def until(self, meta: Meta, c: Children) -> t.Deadline:
        act, life = present(c)
        return t.Deadline(place(meta), "until", (act,), str(life))

    def deontic(self, meta: Meta, c: Children) -> t.Statement:
        bearer, force, *rest = present(c)
        acts = tuple(r for r in rest if isinstance(r, t.Act))
        deadline = next((r for r in rest if isinstance(r, t.Deadline)), None)
        when = next((r for r in rest if not isinstance(r, t.Act | t.Deadline)), None)
        if deadline is not None and force[0] == "may":
            raise refuse(
                deadline.at,
                "a permission has no deadline",
                "deadline",
                "say with `when` under what condition it may be done",
            )
        if deadline is not None and (deadline.kind == "until") != (force[0] == "must not"):
            raise refuse(
                deadline.at,
                f"`{force[0]}` cannot take this deadline",
                "deadline",
                "`must` takes `at once`, `before`, `by end of` or `immediately after`; "
                "`must not` takes `until`",
            )
        if force[0] == "must" and deadline is None:
            raise refuse(
                span(acts[0].at, acts[-1].at),
                "this duty has no deadline, so it could never be broken",
                "deadline",
                "say by when, ahead of any `when`: `at once`, `before …`, `by end of …` or `immediately after …`",
            )
        return t.Deontic(place(meta), bearer, force[0], acts, deadline, when)

    def require(self, meta: Meta, c: Children) -> t.Statement:
        condition, *when = present(c)
        return t.Require(place(meta), condition, when[0] if when else None)

    def unobservable(self, meta: Meta, c: Children) -> t.Statement:
        reason, *words = present(c)
        return t.Unchecked(place(meta), "unobservable", string(reason), string(words[0]) if words else None)

    def external(self, meta: Meta, c: Children) -> t.Statement:
        return t.Unchecked(place(meta), "external", string(present(c)[0]))

    def structural(self, meta: Meta, c: Children) -> t.Statement:
        reason = present(c)
        return t.Unchecked(place(meta), "structural", string(reason[0]) if reason else "")

    def agrees_with(self, meta: Meta, c: Children) -> t.Statement:
        return t.Pointer(place(meta), "agrees with", tuple(present(c)))

    def points_to(self, meta: Meta, c: Children) -> t.Statement:
        return t.Pointer(place(meta), "points to", tuple(present(c)))

    def reading(self, meta: Meta, c: Children) -> t.Statement:
        return t.Reading(place(meta), string(present(c)[0]))

    def answers_for(self, meta: Meta, c: Children) -> t.Statement:
        role, *refs = present(c)
        return t.AnswersFor(place(meta), str(role), tuple(refs))
