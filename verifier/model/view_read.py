"""The `view` declarations of a module, bound and typed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.domains import over
from verifier.model.expressions import Env, article, condition, elaborate
from verifier.model.scope import Source, World, nearest
from verifier.model.terms import Term, children
from verifier.model.views import (
    COLOURS,
    SHAPES,
    Grid,
    Lay,
    Many,
    Part,
    Ring,
    Row,
    Said,
    Scene,
    View,
    Words,
    type_name,
)
from verifier.syntax import tree as t


def read_view(source: Source, world: World, decl: t.ViewDecl) -> None:
    """How values of one type look, into `world.views`. Raises `RuleTextError`."""
    type_ = world.types.get(decl.type)
    if type_ is None:
        raise source.error(
            decl.at,
            f"there is no type `{decl.type}`",
            "unknown-type",
            nearest(decl.type, list(world.types))
            or "a view is of a type, an enumeration, a record or an entity",
        )
    if decl.type in world.views:
        raise source.error(
            decl.at, f"{decl.type} has a view already", "declared-twice", "keep one of the two"
        )
    env = Env(source, world).bind(decl.name, type_)
    shape: str | None = None
    words: list[Words] = []
    colours: list[Said] = []
    marks: list[Said] = []
    faded: list[Term] = []
    holds: list[Many] = []
    for look in decl.looks:
        match look:
            case t.Shape(at=at, name=name):
                if shape is not None:
                    raise source.error(at, "a view has one shape", "declared-twice", "keep one of the two")
                shape = _one_of(source, at, name, SHAPES, "shape")
            case t.Words():
                words.append(_words(look, env))
            case t.Colour(at=at, name=name, when=when):
                colours.append(Said(_one_of(source, at, name, COLOURS, "colour"), _when(when, env)))
            case t.Mark(text=text, when=when):
                marks.append(Said(text, _when(when, env)))
            case t.Faded(when=when):
                faded.append(condition(when, env))
            case t.Holds(many=many):
                holds.append(_many(many, env))
    view = View(
        decl.type,
        decl.name,
        type_,
        shape or "line",
        tuple(words),
        tuple(colours),
        tuple(marks),
        tuple(faded),
        tuple(holds),
    )
    _no_history(source, decl.at, view.terms())
    world.views[decl.type] = view


def read_scene(source: Source, world: World, decl: t.SceneDecl) -> None:
    """What is drawn of a state, into `world.scenes`. Raises `RuleTextError`."""
    if decl.life not in world.lives:
        raise source.error(
            decl.at,
            f"there is no life `{decl.life}`",
            "unknown-name",
            nearest(decl.life, list(world.lives)) or "declare it: `life NAME ends EVENT`",
        )
    if any(scene.title == decl.title for scene in world.scenes):
        raise source.error(
            decl.at, f"there is a view “{decl.title}” already", "declared-twice", "give it another title"
        )
    env = Env(source, world)
    parts: list[Part] = []
    for part in decl.parts:
        parts.append(_part(part, env, parts))
    scene = Scene(decl.title, decl.life, tuple(parts))
    _no_history(source, decl.at, scene.terms())
    world.scenes.append(scene)


def _part(part: t.ScenePart, env: Env, before: list[Part]) -> Part:
    match part:
        case t.Words():
            return _words(part, env)
        case t.Row(title=title, many=many):
            return Row(title, _many(many, env))
        case t.Ring(many=many):
            return Ring(_many(many, env))
        case t.Grid(many=many, across=across, down=down):
            inside = env.bind(many.name, over(many.domain, many.name, env).element)
            return Grid(_many(many, env), elaborate(across, inside, ty.INT), elaborate(down, inside, ty.INT))
        case t.Lay(at=at, many=many, on=on):
            grid = next((p for p in reversed(before) if isinstance(p, Grid)), None)
            if grid is None:
                raise env.error(at, "there is no grid to lay it on", "view", "write the `grid` above it")
            things = _many(many, env)
            cells = _many(on, env.bind(many.name, things.element))
            if cells.element != grid.many.element:
                raise env.error(
                    on.at,
                    f"the cells of the grid are of {grid.many.element}, and this is {article(cells.element)}",
                    "type-mismatch",
                    f"write `on x in {grid.many.element} where …`",
                )
            return Lay(things, cells)


def _many(many: t.Many, env: Env) -> Many:
    ranged = over(many.domain, many.name, env)
    inside = env.bind(many.name, ranged.element)
    found = [
        c
        for c in (ranged.where, None if many.where is None else condition(many.where, inside))
        if c is not None
    ]
    where = m.AndT(ty.BOOL, tuple(found)) if len(found) == 2 else found[0] if found else None
    return Many(many.name, ranged.element, ranged.domain, where)


def _words(words: t.Words, env: Env) -> Words:
    when = _when(words.when, env)
    inside = env.guarded(when)
    return Words(tuple(_value(value, inside) for value in words.values), when)


def _value(value: t.Expr, env: Env) -> Term:
    """A value to be shown; a text where nothing says what else it is."""
    return elaborate(value, env, ty.TEXT if isinstance(value, t.Text) else None)


def _when(when: t.Expr | None, env: Env) -> Term | None:
    return None if when is None else condition(when, env)


def _one_of(source: Source, at: t.At, name: str, known: tuple[str, ...], what: str) -> str:
    if name not in known:
        raise source.error(
            at,
            f"there is no {what} “{name}”",
            "unknown-look",
            nearest(name, list(known)) or f"the {what}s are " + ", ".join(f'"{one}"' for one in known),
        )
    return name


def _no_history(source: Source, at: t.At, terms: Iterable[Term]) -> None:
    """A view is of a state, whatever led there: it adds nothing to what has to be remembered."""
    if any(isinstance(term, m.Count | m.BrokenT | m.AfterT) for whole in terms for term in _all(whole)):
        raise source.error(
            at,
            "a view shows a state, and this asks what has happened or will",
            "view-history",
            "let mechanics keep it in a field, and show the field",
        )


def _all(term: Term) -> Iterator[Term]:
    yield term
    for child in children(term):
        yield from _all(child)


def check_views(views: Iterable[View]) -> list[str] | None:
    """A circle of types of which each holds the next, or None: such a picture would have no end."""
    held = {view.type: [n for many in view.holds if (n := type_name(many.element))] for view in views}
    done: set[str] = set()

    def search(name: str, trail: list[str]) -> list[str] | None:
        if name in trail:
            return [*trail[trail.index(name) :], name]
        if name in done:
            return None
        for inner in held.get(name, ()):
            found = search(inner, [*trail, name])
            if found is not None:
                return found
        done.add(name)
        return None

    for name in held:
        found = search(name, [])
        if found is not None:
            return found
    return None


__all__ = ["check_views", "read_scene", "read_view"]
