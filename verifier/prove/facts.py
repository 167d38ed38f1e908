"""What is worth trying as an invariant of any program: of lists, of what does not exist, of references, of limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from verifier.core.lower import domain_of
from verifier.core.program import EVENT_PREFIX, Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.rewrite import map_children, substitute
from verifier.model.ruleset import Param
from verifier.model.terms import Term, children, free_variables
from verifier.model.types import BOOL, INT
from verifier.prove.clauses import Clause, clause, countable, exists
from verifier.prove.guard import Sizes
from verifier.prove.probes import VAR, at_first, not_
from verifier.prove.question import Mode
from verifier.prove.transitions import Reads
from verifier.run.apply import written_by

MOST_OF_LIMIT = 100
"""A prohibition that comes to more terms, with all that it calls, is too dear to be made a limit of the state,"""
MOST_COMBINATIONS = 64
"""or where its arguments have more values than this."""

MOST_ELEMENTS = 8
"""A list's positions are spoken of up to this element."""


def facts(program: Program, mode: Mode) -> Iterator[Clause]:
    """What is always worth trying. What prohibitions say is a limit in play only."""
    yield from plain(program)
    if mode == "play":
        yield from limits(program)


def plain(program: Program) -> Iterator[Clause]:
    """What is always worth trying: positions in lists, what does not exist yet, references to what exists."""
    ruleset = program.ruleset
    written = {
        name for updates in ruleset.mechanics.values() for update in updates for name in written_by(update)
    }
    for name, declared in ruleset.state.items():
        place = m.Get(declared.type, name)
        if name not in written and not isinstance(declared.type, ty.MapT | ty.SetT):
            yield clause(None, at_first(place, declared.initial))
        yield from (clause(None, *these) for these in _of_place(place))
    for kind, entity in ruleset.entities.items():
        x = m.Var(entity.type, VAR)
        everywhere = countable(entity.type)
        for part in entity.fields:
            place_ = m.Field(part.type, kind, part.name, x)
            for these in _of_place(place_):
                yield clause(entity.type, *these)
                if everywhere:
                    yield clause(entity.type, *these, anywhere=True)
            yield from (clause(entity.type, *these) for these in _alike(x, place_))
            if everywhere:
                yield clause(entity.type, exists(x), at_first(place_, part.initial), anywhere=True)
        for i, (_, key) in enumerate(entity.type.keys):
            own = m.Part(key, x, i)
            if isinstance(key, ty.EntityT):
                yield clause(entity.type, exists(own))
            elif isinstance(key, ty.IntT) and key.low is not None:
                yield clause(entity.type, *_in_turn(x, i, key))


def _in_turn(x: m.Var, index: int, type_: ty.IntT) -> tuple[Term, Term]:
    """A number in a key is the lowest, or the same thing with the number before it exists."""
    assert isinstance(x.type, ty.EntityT)
    parts = [m.Part(key, x, i) for i, (_, key) in enumerate(x.type.keys)]
    lowest = m.CompareT(BOOL, "=", parts[index], m.Lit(type_, type_.low))
    before = m.ArithT(type_, "-", parts[index], m.Lit(type_, 1))
    made = m.Make(x.type, tuple(before if i == index else part for i, part in enumerate(parts)))
    return lowest, exists(made)


def _of_place(place: Term) -> Iterator[tuple[Term, ...]]:
    """Of a list: the part of each element that is a number says where it stands. Of a reference: it is to
    something that exists."""
    match place.type:
        case ty.ListT(of=ty.RecordT(fields=parts) as of, maximum=maximum):
            for index, (_, part) in enumerate(parts):
                if isinstance(part, ty.IntT) and part.low == 1:
                    for n in range(1, min(maximum, MOST_ELEMENTS) + 1):
                        number = m.Lit(INT, n)
                        own = m.Part(part, m.At(of, place, number), index)
                        shorter = m.CompareT(BOOL, "<", m.Length(INT, place), number)
                        yield shorter, m.CompareT(BOOL, "=", own, number)
        case ty.OptT(of=ty.EntityT() as target):
            yield not_(m.Present(BOOL, place)), exists(m.Force(target, place))
        case ty.EntityT():
            yield (exists(place),)
        case _:
            return


def _alike(x: m.Var, place: Term) -> Iterator[tuple[Term, ...]]:
    """A reference is to something that is alike in a part of its key."""
    own = x.type.keys if isinstance(x.type, ty.EntityT) else ()
    target = place.type.of if isinstance(place.type, ty.OptT) else place.type
    if not isinstance(target, ty.EntityT):
        return
    absent = [not_(m.Present(BOOL, place))] if isinstance(place.type, ty.OptT) else []
    held = m.Force(target, place) if absent else place
    for i, (_, theirs) in enumerate(target.keys):
        for j, (_, mine) in enumerate(own):
            if mine == theirs:
                yield *absent, m.CompareT(BOOL, "=", m.Part(mine, held, i), m.Part(mine, x, j))


def limits(program: Program) -> Iterator[Clause]:
    """That nothing is beyond what a prohibition allows: that it does not forbid adding nothing to what there is,
    and that what it stops at has not been passed."""
    sizes, reads = Sizes(program), Reads(program)
    for name, norms in program.prohibitions.items():
        params = [Param(EVENT_PREFIX + p.name, p.type) for p in program.ruleset.events[name].params]
        amounts = {p.name: m.Lit(p.type, 0) for p in params if isinstance(p.type, ty.MoneyT)}
        for norm in norms:
            body = program.functions[norm.applies].body
            if norm.reads_after or sizes.of(body) > MOST_OF_LIMIT or _divides(body):
                continue
            nothing = _without_zeros(substitute(body, amounts))
            for term in dict.fromkeys((_passed(nothing), nothing)):
                closed = _of_all(not_(term), params)
                if closed is not None and reads.of(closed):
                    yield clause(None, closed)


def _of_all(term: Term, params: Sequence[Param]) -> Term | None:
    """A condition for all values of the parameters that it reads; None where they are too many."""
    free = free_variables(term)
    combined = 1
    for param in reversed(params):
        if param.name not in free:
            continue
        domain = domain_of(param.type)
        if domain is None:
            return None
        combined *= len(domain.values) if isinstance(domain, m.OverValues) else 1
        name = param.name.removeprefix(EVENT_PREFIX)
        term = substitute(term, {param.name: m.Var(param.type, name)})
        term = m.Quant(BOOL, "every", name, domain, None, term)
    return term if combined <= MOST_COMBINATIONS else None


def _divides(term: Term) -> bool:
    """Whether a condition asks for a multiple of something: that is no limit."""
    return (isinstance(term, m.ArithT) and term.op in ("mod", "div", "/")) or any(
        map(_divides, children(term))
    )


def _passed(term: Term) -> Term:
    """A condition with every limit that it names passed, not only reached."""
    found = map_children(term, _passed)
    match found:
        case m.CompareT(op=(">=" | "<=") as op):
            return replace(found, op=">" if op == ">=" else "<")
        case _:
            return found


def _without_zeros(term: Term) -> Term:
    found = map_children(term, _without_zeros)
    match found:
        case m.ArithT(op="+", left=left, right=m.Lit(value=0)):
            return left
        case _:
            return found
