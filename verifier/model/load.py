"""A ruleset by name or path: its modules found, read in passes, and put together."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from verifier.errors import LawError, Problem, RequestError, RuleTextError
from verifier.law import Law, load_law
from verifier.model import edges as graph
from verifier.model.again import Kept, Reading
from verifier.model.declare import (
    Pending,
    declare_state,
    declare_type,
    read_chance,
    read_define,
    read_event,
    read_theorem,
)
from verifier.model.layers import disapply, find_bases, lost_givens, prevail, ruleset_block, split
from verifier.model.limits import check_limits
from verifier.model.mechanics import read_mechanics
from verifier.model.order import check_functions
from verifier.model.references import check_breaches, check_rule
from verifier.model.rules import Book, check_givens, read_body, read_head
from verifier.model.ruleset import Edge, Ruleset, Theorem
from verifier.model.ruleset import Source as SourceFile
from verifier.model.scope import Source, Text, World, nearest
from verifier.model.streams import check_streams
from verifier.model.view_read import check_views, read_scene, read_view
from verifier.resources import root
from verifier.syntax import tree as t
from verifier.syntax.parse import read_module

SUFFIX = ".rules"
NAME = re.compile(r"[a-z0-9]+([-.][a-z0-9]+)*(/[a-z0-9]+([-.][a-z0-9]+)*){0,7}")


def shipped() -> tuple[str, ...]:
    """The names of the rulesets that come with the package and transcribe a law, sorted."""
    base = root("rulesets")
    return tuple(
        sorted(
            str(path.relative_to(base).with_suffix(""))
            for path in base.rglob(f"*{SUFFIX}")
            if not path.is_relative_to(base / "std")
        )
    )


def load(name: str | Path, search: Sequence[Path] = ()) -> Ruleset:
    """The ruleset called `name` (shipped, or in a folder of `search`), or the one in the file `name`.

    Raises `RequestError` if there is no such ruleset, `RuleTextError` and `LawError` if its text is wrong.
    """
    return build(read(name, search))


@dataclass(frozen=True, slots=True)
class Modules:
    """The syntax trees of a ruleset, its own last; by path what each extends; and where laws are looked for.

    `laws` are those read already, by the path of the module that quotes them; `kept` is what was read of blocks that
    other rulesets have too.
    """

    modules: tuple[t.Module, ...]
    under: Mapping[str, str]
    folders: tuple[Path, ...]
    laws: Mapping[str, Law] = field(default_factory=dict)
    kept: Kept | None = field(default=None, compare=False)


def read(name: str | Path, search: Sequence[Path] = ()) -> Modules:
    """The modules of a ruleset, parsed and not yet bound. Raises as `load`."""
    path, folders = _find(name, search)
    modules, under = _modules(path, folders)
    return Modules(tuple(modules), under, tuple(folders))


def build(read: Modules) -> Ruleset:
    """The ruleset that these modules make. Raises `RuleTextError`, `LawError`."""
    return _build(list(read.modules), dict(read.under), list(read.folders), read.laws, read.kept)


def _find(name: str | Path, search: Sequence[Path]) -> tuple[Path, list[Path]]:
    folders = [*search, root("rulesets")]
    if str(name).endswith(SUFFIX):
        path = Path(name)
        try:
            there = path.is_file()
        except OSError:
            there = False
        if not there:
            raise RequestError(
                Problem(
                    f"{name} is a folder" if path.is_dir() else f"there is no file {name}",
                    code="no-such-file",
                    help="check the path; `gazette rules` lists the shipped rulesets",
                )
            )
        return path, [path.parent, *path.parent.parents[:2], *folders]
    for folder in folders if len(str(name)) < 200 and NAME.fullmatch(str(name)) else ():
        path = folder / f"{name}{SUFFIX}"
        if _inside(path, folder) and path.is_file():
            return path, folders
    raise RequestError(
        Problem(
            f"there is no ruleset {name}",
            code="no-such-ruleset",
            help=nearest(str(name), list(shipped()))
            or "`gazette rules` lists the shipped rulesets; a file of your own ends in .rules",
        )
    )


def _inside(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())


def shown(path: Path) -> str:
    """A path as messages show it: shipped files by their place in the package, others as given."""
    base = root("rulesets")
    return f"rulesets/{path.relative_to(base)}" if path.is_relative_to(base) else str(path)


def _modules(path: Path, folders: list[Path]) -> tuple[list[t.Module], dict[str, str]]:
    """The module with all that it uses and extends, those first; and by path, what each module extends."""
    ordered: list[t.Module] = []
    under: dict[str, str] = {}
    read: dict[Path, t.Module] = {}
    state: dict[Path, str] = {}

    def visit(here: Path, trail: list[str], using: tuple[t.Module, t.At] | None) -> None:
        key = here.resolve()
        if state.get(key) == "open":
            assert using is not None
            module, at = using
            raise Source(module.path, module.text).error(
                at,
                f"this module imports itself: {' → '.join([*trail, shown(here)])}",
                "import-cycle",
                "delete this line"
                if here == Path(module.path)
                else "move what both need into a third module",
            )
        if key in state:
            return
        state[key] = "open"
        module = read[key] = read_module(here, shown(here))
        _check_head(module)
        head = ruleset_block(module)
        below = [(head.extends, head.at)] if head is not None and head.extends else []
        uses = [(block.name, block.at) for block in module.blocks if isinstance(block, t.Use)]
        for names, extends in ((below, True), (uses, False)):
            for name, at in names:
                found = next(
                    (f / f"{name}{SUFFIX}" for f in folders if (f / f"{name}{SUFFIX}").is_file()), None
                )
                if found is None:
                    known = sorted(
                        {
                            str(p.relative_to(f).with_suffix(""))
                            for f in folders[-1:]
                            for p in f.rglob(f"*{SUFFIX}")
                        }
                    )
                    raise Source(module.path, module.text).error(
                        at,
                        f"there is no module {name}",
                        "unknown-module",
                        nearest(name, known)
                        or "modules are found beside the file and among the shipped rulesets",
                    )
                visit(found, [*trail, shown(here)], (module, at))
                _check_joined(module, at, name, read[found.resolve()], extends)
                if extends:
                    under[module.path] = read[found.resolve()].path
        state[key] = "done"
        ordered.append(module)

    visit(path, [], None)
    return ordered, under


def _check_head(module: t.Module) -> None:
    """A module names itself, and says once what it is called, what law it quotes and since when it holds."""
    source = Source(module.path, module.text)
    if ruleset_block(module) is None:
        stem = Path(module.path).stem
        first = t.At(1, 1, 1, 1)
        name = stem if NAME.fullmatch(stem) else "NAME"
        raise source.error(
            first,
            "this module does not name itself",
            "no-name",
            f"write `ruleset {name}` in its first line: logs say by that name which rules they were kept under",
        )
    for kind, word in ((t.Ruleset, "ruleset"), (t.LawDecl, "law"), (t.InForce, "in force")):
        found = [block for block in module.blocks if isinstance(block, kind)]
        if len(found) > 1:
            raise source.error(
                found[1].at,
                f"there is a line `{word}` already, line {found[0].at.line}",
                "head-twice",
                "a module says this once: delete one of them",
            )


def _check_joined(module: t.Module, at: t.At, name: str, other: t.Module, extends: bool) -> None:
    """A ruleset is laid over rules, and uses declarations."""
    block = ruleset_block(other)
    quotes = any(isinstance(b, t.LawDecl) for b in other.blocks)
    rules = any(isinstance(b, t.Rule) for b in other.blocks) or (
        block is not None and block.extends is not None
    )
    source = Source(module.path, module.text)
    if extends and not quotes and not rules:
        help = f"write `use {name}`"
        raise source.error(at, f"{name} has no rules to be laid over", "nothing-to-extend", help)
    if rules and not extends:
        help = f"lay this ruleset over it: `ruleset NAME extends {name}`"
        raise source.error(
            at, f"{name} has rules of its own, and only declarations are used", "used-rules", help
        )


def _build(
    modules: list[t.Module],
    under: dict[str, str],
    folders: list[Path],
    known: Mapping[str, Law],
    kept: Kept | None,
) -> Ruleset:
    main = modules[-1]
    world, pending, book = World(), Pending(), Book()
    bases = find_bases(modules, under)
    laws: dict[str, Law] = {}
    every = [
        (Source(module.path, module.text, base=bases[module.path]), module, block)
        for module in modules
        for block in module.blocks
    ]

    for source, _, block in every:
        pending.attempt(partial(declare_type, source, world, block))
    _stop(pending)
    for source, _, block in every:
        clause = block.address if isinstance(block, t.Rule) else None
        pending.attempt(partial(declare_state, replace(source, clause=clause), world, block))
    _stop(pending)
    for module in modules:
        for block in module.blocks:
            if isinstance(block, t.LawDecl):
                laws[module.path] = known.get(module.path) or _law(
                    block, Source(module.path, module.text), folders
                )
    layers = {main.path, *under.values()} & laws.keys()
    texts = {m.path: Text(m.path, bases[m.path], laws[m.path]) for m in modules if m.path in layers}
    for source, module, block in every:
        if isinstance(block, t.Rule):
            pending.attempt(partial(_head, source, texts.get(module.path), block, book))
    for source, module, block in every:
        if isinstance(block, t.Ruleset) and module.path in under:
            base = texts.get(under[module.path])
            if base is not None:
                pending.attempt(partial(disapply, source, block, base, book))
    theorems: list[Theorem] = []
    reading = Reading(kept, world, book, theorems)
    for source, module, block in every:
        bodies = partial(_bodies, source, module, block, world, pending, book, texts)
        if isinstance(block, t.Define | t.Supplied | t.Rule):
            reading.read(block, bodies)
        else:
            bodies()
    for source, declaration in pending.theorems:
        claim = partial(_claim, source, declaration, world, theorems)
        reading.read(declaration, partial(pending.attempt, claim))
    _stop(pending)
    split(texts, book)
    edges, errors = graph.resolve(texts, world, book)
    edges += prevail(texts, world, book)
    pending.problems += [p for error in errors for p in error.problems]
    for error in check_givens(book, partial(lost_givens, texts, book)):
        pending.problems += error.problems
    files = {module.path: module.text for module in modules}
    check_functions(world, book, edges, files, pending)
    check_limits(world, book, theorems, files, pending)
    check_breaches(texts, world, book, files, pending)
    check_streams(texts, world, book, edges, theorems, files, pending)
    _check_lives(world, every, pending)
    pending.attempt(partial(_check_views, world, every))
    _stop(pending)
    ordered = {path: text.law for path, text in texts.items()}
    return _freeze(main, modules, world, pending, book, ordered, edges, theorems)


def _name(module: t.Module) -> str:
    block = ruleset_block(module)
    return Path(module.path).stem if block is None else block.name


def _head(source: Source, text: Text | None, block: t.Rule, book: Book) -> None:
    read_head(source, text, block, book)


def _claim(source: Source, declaration: t.Theorem, world: World, theorems: list[Theorem]) -> None:
    theorems.append(read_theorem(source, world, declaration))


def _bodies(
    source: Source,
    module: t.Module,
    block: t.Block,
    world: World,
    pending: Pending,
    book: Book,
    texts: Mapping[str, Text],
) -> None:
    match block:
        case t.Define():
            pending.attempt(partial(read_define, source, world, block, None, None))
        case t.Supplied(reason=reason, defines=defines):
            for define in defines:
                pending.attempt(partial(read_define, source, world, define, None, reason))
        case t.EventDecl():
            pending.attempt(partial(read_event, source, world, block))
        case t.OnDecl():
            pending.attempt(partial(read_mechanics, source, world, block, pending))
        case t.ChanceDecl():
            pending.attempt(partial(read_chance, source, world, block))
        case t.Theorem():
            pending.theorems.append((source, block))
        case t.ViewDecl():
            pending.attempt(partial(read_view, source, world, block))
        case t.SceneDecl():
            pending.attempt(partial(read_scene, source, world, block))
        case t.Rule(statements=statements, address=address):
            inner = replace(source, clause=address)
            for statement in statements:
                if isinstance(statement, t.Define):
                    pending.attempt(partial(read_define, inner, world, statement, address, None))
            text = texts.get(module.path)
            if text is not None:
                pending.attempt(partial(check_rule, inner, text, world, book, block))
                pending.attempt(partial(read_body, source, world, text, block, book))
        case _:
            pass


def _law(block: t.LawDecl, source: Source, folders: list[Path]) -> Law:
    try:
        return load_law(block.name, folders)
    except (LawError, RequestError) as error:
        if error.problem.file is None:
            raise source.error(block.at, error.problem.message, "unknown-law", error.problem.help) from None
        raise


def _check_lives(world: World, every: list[tuple[Source, t.Module, t.Block]], pending: Pending) -> None:
    first = next(iter(world.lives), "")
    for source, _, block in every:
        if isinstance(block, t.LifeDecl):
            for event in (*block.begins, *block.ends):
                if event not in world.events:
                    pending.problems.append(
                        source.problem(
                            block.at,
                            f"there is no event `{event}`",
                            "unknown-name",
                            nearest(event, list(world.events)),
                        )
                    )
                    continue
                own = block.name if block.beside else first
                other = world.events[event].life or first
                if other != own:
                    message = f"`{event}` stands in the logs of `{other}`, and `{block.name}` is in those of `{own}`"
                    help = "let an event of its own logs begin or end it"
                    pending.problems.append(source.problem(block.at, message, "two-logs", help))


def _check_views(world: World, every: list[tuple[Source, t.Module, t.Block]]) -> None:
    circle = check_views(world.views.values())
    if circle is None:
        return
    for source, _, block in every:
        if isinstance(block, t.ViewDecl) and block.type == circle[0]:
            raise source.error(
                block.at,
                f"what is drawn holds itself: {' → '.join(circle)}",
                "view-circle",
                "let one of them not hold the next",
            )


def _stop(pending: Pending) -> None:
    if pending.problems:
        raise RuleTextError(*pending.problems)


def _freeze(
    main: t.Module,
    modules: list[t.Module],
    world: World,
    pending: Pending,
    book: Book,
    laws: dict[str, Law],
    edges: list[Edge],
    theorems: list[Theorem],
) -> Ruleset:
    in_force = next((b.date for b in main.blocks if isinstance(b, t.InForce)), None)
    sources = tuple(
        SourceFile(
            next((b.name for b in module.blocks if isinstance(b, t.Ruleset)), module.path),
            module.path,
            hashlib.sha256(module.text.encode()).hexdigest(),
            module.text,
        )
        for module in modules
    )
    digest = hashlib.sha256(
        "\n".join([*(s.digest for s in sources), *(law.digest for law in laws.values())]).encode()
    ).hexdigest()
    accepted = {b.finding: b.reason for module in modules for b in module.blocks if isinstance(b, t.Accepted)}
    return Ruleset(
        _name(main),
        laws.get(main.path),
        in_force,
        sources,
        tuple(world.actors),
        world.types,
        world.lives,
        world.state,
        world.entities,
        world.events,
        {event: tuple(updates) for event, updates in pending.updates.items()},
        world.functions,
        world.decisions,
        world.options,
        book.rules,
        book.units,
        tuple(edges),
        tuple(book.questions),
        tuple(book.requirements),
        tuple(world.latches),
        tuple(world.breaches),
        tuple(world.chances),
        tuple(theorems),
        accepted,
        digest,
        tuple(book.notes),
        laws,
        world.views,
        tuple(world.scenes),
    )
