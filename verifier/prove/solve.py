"""One question asked of Z3 and of cvc5, both from the same text, each in an environment of its own.

`unsat` stands where every solver says so. `sat` stands where one gives a model and every other that can tell agrees
that it is one: for that it need only be asked the text with the model's values put in, which is quick. Work is
bounded by the solvers' own counts, which are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

import z3

from verifier.cache import Cache, Json, digest
from verifier.prove import contexts
from verifier.prove.smtlib import Assumed, Smtlib, Writer
from verifier.prove.values import Truth

Status = Literal["sat", "unsat", "unknown", "disagree"]
Solver = Literal["z3", "cvc5"]
Values = Mapping[str, bool | int]
"""A model: what the constants of the text are, by their names."""

SOLVERS: tuple[Solver, ...] = ("z3", "cvc5")

RLIMIT = 200_000_000
"""What Z3 may spend on a question, in its own units."""

CVC5_RLIMIT = 4_000_000
"""What cvc5 may spend on a question in one way, in its own units."""


LATER = 4
"""Where a solver has given up the next may spend so many times less: of what it finds only a model is of use, and
those are found soon."""

CVC5_WAYS = (
    (("sat-solver", "cadical"), ("decision", "justification"), ("static-learning", "false")),
    (("sat-solver", "cadical"), ("decision", "internal"), ("static-learning", "false")),
)
"""How cvc5 is asked: on questions of real rules it is several times faster so, some in the one way and some, among them
the largest, in the other. The last way is tried first, for its units cost least."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How questions are asked. `smt2`: a directory into which each question is written. Without `cache` nothing is
    kept. Of its limit a solver may spend one in `share`."""

    solvers: tuple[Solver, ...] = SOLVERS
    rlimit: int = RLIMIT
    cvc5_rlimit: int = CVC5_RLIMIT
    seed: int = 0
    smt2: Path | None = None
    cache: Cache | None = None
    share: int = 1


@dataclass(frozen=True, slots=True)
class Solved:
    """An answer. `model` (where `sat`) is Z3's own, over the constants of the question: `SymbolicState.concretize`
    takes it. `by` are the solvers who said so, `why` tells what kept them from telling, or how they contradict each
    other. `text` is what was asked; `kept` that the answer comes from the cache.
    """

    status: Status
    model: Any
    text: str
    by: tuple[str, ...]
    why: str = ""
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Said:
    """What one solver says; `values` where `sat`."""

    status: Literal["sat", "unsat", "unknown"]
    values: Values
    why: str = ""


def solve(
    conditions: Sequence[Truth],
    settings: Settings,
    name: str = "",
    comment: str = "",
    assumed: Assumed | None = None,
    writer: Writer | None = None,
    confirm: bool = True,
    twice: bool = True,
) -> Solved:
    """Whether all `conditions` can hold, together with what is `assumed`, of which only what matters is asked.

    `comment` should say what unsat would mean. Where a `sat` need not be confirmed it is one solver's word, and
    where an `unsat` need not be found `twice`, that is.
    A `writer` that is kept makes questions over the same state cheaper.
    Raises `CannotEncodeError` for conditions beyond linear arithmetic on whole numbers. Solvers' own errors are
    answers of status `unknown`.
    """
    writer = writer or Writer()
    relevant = [] if assumed is None else writer.relevant(conditions, assumed)
    written = writer.write([*relevant, *conditions], name, comment)
    if settings.smt2 is not None:
        save(written, settings.smt2, name)
    key = _key(written, settings, confirm, twice)
    found = None if settings.cache is None else _kept(settings.cache, key, written)
    if found is None:
        status, values, by, why = ask(written, settings, confirm, twice)
        if settings.cache is not None:
            value: Json = {"status": status, "values": dict(values), "by": list(by), "why": why}
            settings.cache.put("solved", key, value)
        kept = False
    else:
        (status, values, by, why), kept = found, True
    model = model_of(written, values, assumed) if status == "sat" else None
    return Solved(status, model, written.text, by, why, kept)


def ask(
    written: Smtlib, settings: Settings, confirm: bool = True, twice: bool = True
) -> tuple[Status, Values, tuple[str, ...], str]:
    """Status, model, who said so, and why not, from the text alone."""
    whys: list[str] = []
    for position, first in enumerate(settings.solvers):
        said = _ask_one(first, written.body, replace(settings, share=LATER) if position else settings)
        if said.status == "unknown":
            whys.append(f"{first}: {said.why}")
            continue
        others = [s for s in settings.solvers if s != first]
        if said.status == "sat":
            return _agreed_sat(written.body, settings, first, said, others if confirm else ())
        if said.status == "unsat" and not twice:
            return "unsat", {}, (first,), ""
        for other in others if position == 0 else []:
            second = _ask_one(other, written.body, settings)
            if second.status == "sat":
                return "disagree", {}, (), f"{first} says unsat, {other} says sat"
            if second.status == "unknown":
                whys.append(f"{other}: {second.why}")
        if not whys:
            return "unsat", {}, tuple(settings.solvers), ""
        return "unknown", {}, (first,), f"{first} says unsat; " + "; ".join(whys)
    return "unknown", {}, (), "; ".join(whys)


def _agreed_sat(
    body: str, settings: Settings, first: Solver, said: Said, others: Sequence[Solver]
) -> tuple[Status, Values, tuple[str, ...], str]:
    """A model, and who agrees that it is one."""
    by: list[str] = [first]
    why: list[str] = []
    for other in others:
        second = _ask_one(other, pinned(body, said.values), settings)
        if second.status == "sat":
            by.append(other)
        elif second.status == "unsat":
            return "disagree", {}, (), f"{first} gives a model that {other} says is none"
        else:
            why.append(f"{other}: {second.why}")
    return "sat", said.values, tuple(by), "; ".join(why)


def pinned(body: str, values: Values) -> str:
    """The question whether the values are a model: each constant is defined, not declared."""
    lines = body.splitlines()
    for i, line in enumerate(lines):
        if (found := _declaration(line)) is not None:
            name, sort = found
            value = values[name]
            shown = ("true" if value else "false") if isinstance(value, bool) else _numeral(value)
            lines[i] = f"(define-fun |{name}| () {sort} {shown})"
    return "\n".join((*lines, ""))


def _declaration(line: str) -> tuple[str, str] | None:
    """The name and the sort of the constant that a line declares."""
    symbol, found, sort = line.removeprefix("(declare-fun ").removesuffix(")").rpartition(" () ")
    return (symbol.strip("|"), sort) if found and line.startswith("(declare-fun ") else None


def _numeral(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"


def model_of(written: Smtlib, values: Values, assumed: Assumed | None) -> Any:
    """A Z3 model over the question's own constants, and over those left out as the assumptions' base has them."""
    model = z3.Model()
    for constant, value in () if assumed is None else assumed.base:
        model.update_value(constant, value)
    for name, constant in written.constants.items():
        said = values[name]
        model.update_value(constant, z3.BoolVal(said) if isinstance(said, bool) else z3.IntVal(said))
    return model


def save(written: Smtlib, folder: Path, name: str) -> Path:
    """Write the question into a file of its own, named for what it asks."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = "".join(c if c.isascii() and (c.isalnum() or c in ".-_()[]") else "-" for c in name)[:120]
    place = folder / f"{kept.strip('-.') or 'question'}.{digest(written.body)[:8]}.smt2"
    place.write_text(written.text, encoding="utf-8")
    return place


# ---------------------------------------------------------------------------------------------- the cache
def versions(settings: Settings) -> dict[str, Json]:
    """The solvers asked, each with its version and its limit."""
    found: dict[str, Json] = {}
    for solver in settings.solvers:
        match solver:
            case "z3":
                found[solver] = [z3.get_version_string(), settings.rlimit]
            case "cvc5":
                found[solver] = [_cvc5_version(), settings.cvc5_rlimit, repr(CVC5_WAYS)]
    return found


def _cvc5_version() -> str:
    try:
        return metadata.version("cvc5")
    except metadata.PackageNotFoundError:
        return "absent"


def _key(written: Smtlib, settings: Settings, confirm: bool, twice: bool) -> Json:
    return {
        "text": digest(written.body),
        "solvers": versions(settings),
        "order": list(settings.solvers),
        "seed": settings.seed,
        "confirm": confirm,
        **({} if twice else {"twice": False}),
    }


def _kept(cache: Cache, key: Json, written: Smtlib) -> tuple[Status, Values, tuple[str, ...], str] | None:
    """What the cache has; None where its entry does not answer this question."""
    match cache.get("solved", key):
        case None:
            return None
        case {
            "status": ("sat" | "unsat" | "unknown" | "disagree") as status,
            "values": dict(values),
            "by": list(by),
            "why": str(why),
        } if all(isinstance(s, str) for s in by) and (status != "sat" or _fits(values, written)):
            return status, values, tuple(map(str, by)), why  # type: ignore[return-value]
        case _:
            cache.reject()
            return None


def _fits(values: Mapping[str, object], written: Smtlib) -> bool:
    return values.keys() == written.constants.keys() and all(
        isinstance(values[name], bool) if z3.is_bool(constant) else type(values[name]) is int
        for name, constant in written.constants.items()
    )


# --------------------------------------------------------------------------------------------- the solvers
def _ask_one(solver: Solver, body: str, settings: Settings) -> Said:
    try:
        match solver:
            case "z3":
                return _z3(body, settings)
            case "cvc5":
                return _cvc5(body, settings)
    except ImportError:
        return Said("unknown", {}, "it is not installed")
    except (z3.Z3Exception, RuntimeError, MemoryError, ValueError) as error:
        return Said("unknown", {}, " ".join(str(error).split()) or type(error).__name__)


def _z3(body: str, settings: Settings) -> Said:
    context = contexts.fresh()
    solver = z3.SimpleSolver(ctx=context) if "(set-logic QF_" in body else z3.Solver(ctx=context)
    solver.set("rlimit", settings.rlimit // settings.share)
    solver.set("random_seed", settings.seed)
    solver.from_string(body)
    result = solver.check()
    if result == z3.unsat:
        return Said("unsat", {})
    if result != z3.sat:
        return Said("unknown", {}, solver.reason_unknown())
    model = solver.model()
    values: dict[str, bool | int] = {}
    for constant in _declared(body, context):
        found = model.eval(constant, model_completion=True)
        values[constant.decl().name()] = z3.is_true(found) if z3.is_bool(found) else found.as_long()
    return Said("sat", values)


def _declared(body: str, context: Any) -> list[Any]:
    """The constants that a text declares."""
    found = [declared for line in body.splitlines() if (declared := _declaration(line)) is not None]
    return [(z3.Bool if sort == "Bool" else z3.Int)(name, ctx=context) for name, sort in found]


def _cvc5(body: str, settings: Settings) -> Said:
    limit = settings.cvc5_rlimit // settings.share
    first, second = reversed(CVC5_WAYS)
    said = _cvc5_so(body, settings, limit, first)
    return _cvc5_so(body, settings, limit, second) if said.status == "unknown" else said


def _cvc5_so(body: str, settings: Settings, rlimit: int, options: tuple[tuple[str, str], ...]) -> Said:
    import cvc5

    manager = cvc5.TermManager()
    solver = cvc5.Solver(manager)
    for option, value in (
        ("produce-models", "true"),
        ("seed", str(settings.seed)),
        ("rlimit", str(rlimit)),
        *options,
    ):
        solver.setOption(option, value)
    symbols = cvc5.SymbolManager(manager)
    parser = cvc5.InputParser(solver, symbols)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, body.replace("(check-sat)", ""), "question")
    while not (command := parser.nextCommand()).isNull():
        said = command.invoke(solver, symbols)
        if said:
            return Said("unknown", {}, " ".join(str(said).split()))
    result = solver.checkSat()
    if result.isUnsat():
        return Said("unsat", {})
    if not result.isSat():
        return Said("unknown", {}, result.getUnknownExplanation().name.lower())
    values: dict[str, bool | int] = {}
    for term in symbols.getDeclaredTerms():
        if term.getSort().isBoolean():
            values[term.getSymbol()] = solver.getValue(term).getBooleanValue()
        elif term.getSort().isInteger():
            values[term.getSymbol()] = solver.getValue(term).getIntegerValue()
    return Said("sat", values)
