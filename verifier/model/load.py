"""A ruleset by name or path: its modules found, read in passes, and put together."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from verifier.errors import LawError, Problem, RequestError, RuleTextError
from verifier.law import Law, load_law
from verifier.model import edges as graph
from verifier.model.declare import (
    Pending,
    declare_state,
    declare_type,
    read_chance,
    read_define,
    read_event,
    read_mechanics,
    read_theorem,
)
from verifier.model.limits import check_limits
from verifier.model.order import check_functions
from verifier.model.references import check_breaches, check_rule
from verifier.model.rules import Book, check_givens, read_body, read_head
from verifier.model.ruleset import Edge, Ruleset, Theorem
from verifier.model.ruleset import Source as SourceFile
from verifier.model.scope import Source, World, nearest
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
    path, folders = _find(name, search)
    modules = _modules(path, folders)
    return _build(modules, folders)


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
                    f"there is no file {name}",
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


def _modules(path: Path, folders: list[Path]) -> list[t.Module]:
    """The module and all that it uses, used ones first."""
    ordered: list[t.Module] = []
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
                "move what both need into a third module",
            )
        if key in state:
            return
        state[key] = "open"
        module = read_module(here, shown(here))
        for block in module.blocks:
            names = [(block.name, block.at)] if isinstance(block, t.Use) else []
            if isinstance(block, t.Ruleset) and block.extends:
                raise Source(module.path, module.text).error(
                    block.at,
                    "a ruleset laid over another is not read by this version",
                    "layers",
                    "transcribe the rules that apply into one ruleset",
                )
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
        state[key] = "done"
        ordered.append(module)

    visit(path, [], None)
    return ordered


def _build(modules: list[t.Module], folders: list[Path]) -> Ruleset:
    main = modules[-1]
    world, pending, book = World(), Pending(), Book()
    laws: dict[str, Law] = {}
    every = [
        (Source(module.path, module.text), module, block) for module in modules for block in module.blocks
    ]

    for source, _, block in every:
        pending.attempt(partial(declare_type, source, world, block))
    _stop(pending)
    for source, _, block in every:
        clause = block.address if isinstance(block, t.Rule) else None
        pending.attempt(partial(declare_state, Source(source.path, source.text, clause), world, block))
    _stop(pending)
    for module in modules:
        for block in module.blocks:
            if isinstance(block, t.LawDecl):
                laws[module.path] = _law(block, Source(module.path, module.text), folders)
    for source, module, block in every:
        if isinstance(block, t.Rule):
            pending.attempt(partial(_head, source, laws.get(module.path), block, module.path, book))
    for source, module, block in every:
        _bodies(source, module, block, world, pending, book, laws)
    theorems: list[Theorem] = []
    for source, declaration in pending.theorems:
        pending.attempt(lambda s=source, d=declaration: theorems.append(read_theorem(s, world, d)))  # type: ignore[misc]
    _stop(pending)
    law = laws.get(main.path)
    edges: list[Edge] = []
    if law is not None:
        edges, errors = graph.resolve(law, world, book)
        pending.problems += [p for error in errors for p in error.problems]
    for error in check_givens(book):
        pending.problems += error.problems
    texts = {module.path: module.text for module in modules}
    check_functions(world, book, edges, texts, pending)
    check_limits(world, book, theorems, texts, pending)
    if law is not None:
        check_breaches(law, world, book, texts, pending)
    _check_lives(world, every, pending)
    _stop(pending)
    return _freeze(main, modules, world, pending, book, law, edges, theorems)


def _head(source: Source, law: Law | None, block: t.Rule, module: str, book: Book) -> None:
    read_head(source, law, block, module, book)


def _bodies(
    source: Source,
    module: t.Module,
    block: t.Block,
    world: World,
    pending: Pending,
    book: Book,
    laws: dict[str, Law],
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
        case t.Rule(statements=statements, address=address):
            inner = Source(source.path, source.text, address)
            for statement in statements:
                if isinstance(statement, t.Define):
                    pending.attempt(partial(read_define, inner, world, statement, address, None))
            law = laws.get(module.path)
            if law is not None:
                pending.attempt(partial(check_rule, inner, law, world, block))
                pending.attempt(partial(read_body, source, world, law, block, book))
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


def _stop(pending: Pending) -> None:
    if pending.problems:
        raise RuleTextError(*pending.problems)


def _freeze(
    main: t.Module,
    modules: list[t.Module],
    world: World,
    pending: Pending,
    book: Book,
    law: Law | None,
    edges: list[Edge],
    theorems: list[Theorem],
) -> Ruleset:
    name = next((b.name for b in main.blocks if isinstance(b, t.Ruleset)), Path(main.path).stem)
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
        "\n".join([s.digest for s in sources] + ([law.digest] if law else [])).encode()
    ).hexdigest()
    accepted = {b.finding: b.reason for module in modules for b in module.blocks if isinstance(b, t.Accepted)}
    return Ruleset(
        name,
        law,
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
    )
