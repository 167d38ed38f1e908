"""Definitions and decisions must not go in circles: a define never calls itself, a decision only other cases.

A decision may read itself for other wagers, boxes or kinds (15.7(b) reads `outcome` within `outcome`). It is
specialised by the enumeration values that its rules fix in their conditions, of a part of an argument or else of an
argument that is such a value itself, and the graph of those specialised decisions must be acyclic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from verifier.errors import Problem
from verifier.model import terms as m
from verifier.model.declare import Pending
from verifier.model.rules import Book
from verifier.model.ruleset import Contribution, Edge, Param, Place, Rule, Unit
from verifier.model.scope import World
from verifier.model.terms import Term, children
from verifier.model.types import EntityT, EnumT, RecordT, Type
from verifier.syntax import tree as t
from verifier.syntax.parse import problem_at

Kind = tuple[str, int | None]
"""A decision, and the value of the enumeration that specialises it (None: it has none)."""


@dataclass(frozen=True, slots=True)
class Call:
    decision: str
    kinds: frozenset[int] | None


def check_functions(
    world: World, book: Book, edges: Iterable[Edge], texts: Mapping[str, str], pending: Pending
) -> None:
    """Adds a problem for every circle of defines and of specialised decisions.

    A rule that another displaces reads the other's condition. `texts` are the files by path.
    """
    graph: dict[str, set[str]] = {}
    for function in world.functions.values():
        graph[f"define {function.name}"] = {f"define {n}" for n in _functions(function.body)}
    contributions = [u for u in book.units.values() if isinstance(u, Contribution)]
    winners: dict[str, list[Unit]] = {}
    for edge in edges:
        winners.setdefault(edge.loser, []).append(book.units[edge.winner])
    places: dict[str, Place] = {f"define {f.name}": f.place for f in world.functions.values()}
    for unit in contributions:
        own: list[int] | None = _own_kinds(unit)
        kinds: list[int | None] = [*own] if own else [None]
        for kind in kinds:
            terms = [*_conditions(unit), unit.value]
            for reader in _read_too(unit, kind, winners, contributions, book):
                terms += _conditions(reader)
            node = f"decision {unit.decision}" + ("" if kind is None else f" of kind {kind}")
            places.setdefault(node, unit.place)
            for term in terms:
                for call in _calls(term, {}, world, frozenset()):
                    for other in (
                        call.kinds if call.kinds is not None else _all_kinds(call.decision, contributions)
                    ):
                        graph.setdefault(node, set()).add(
                            f"decision {call.decision}" + ("" if other is None else f" of kind {other}")
                        )
    cycle = _cycle(graph)
    if cycle:
        place = places.get(cycle[0]) or next(iter(places.values()))
        help = "nothing may be defined by itself: part the cases, or write the value out"
        message = f"this goes in a circle: {' → '.join(cycle)}"
        pending.problems.append(problem_for(place, texts, message, "circle", help))


def problem_for(place: Place, texts: Mapping[str, str], message: str, code: str, help: str) -> Problem:
    """A problem at the place of something that was read before; `texts` are the files by path."""
    at = t.At(place.line, place.column, place.end_line, place.end_column)
    return problem_at(texts.get(place.file, ""), place.file, at, message, code, help)


def _conditions(unit: Unit) -> list[Term]:
    return [*unit.given, *((unit.when,) if unit.when is not None else ())]


def _read_too(
    unit: Contribution,
    kind: int | None,
    winners: Mapping[str, Sequence[Unit]],
    contributions: list[Contribution],
    book: Book,
) -> Iterator[Unit]:
    """The units whose conditions are read with this one's: those that displace it, and those beside an `otherwise`; and
    again those that are read with theirs."""
    seen = {(unit.id, kind)}
    rest: list[tuple[Unit, int | None]] = [(unit, kind)]
    while rest:
        here, of = rest.pop()
        for other in (*winners.get(here.id, ()), *_beside(here, contributions, book)):
            then: int | None = None
            if (
                isinstance(here, Contribution)
                and isinstance(other, Contribution)
                and other.decision == here.decision
            ):
                kinds = _own_kinds(other)
                if kinds is not None and of is not None and of not in kinds:
                    continue
                then = of
            if (other.id, then) not in seen:
                seen.add((other.id, then))
                rest.append((other, then))
                yield other


def _beside(unit: Unit, contributions: list[Contribution], book: Book) -> list[Contribution]:
    """The rules that an `otherwise` waits for."""
    if not isinstance(unit, Contribution) or not unit.otherwise:
        return []
    stem = _stem(book.rules[unit.rule])
    return [
        u
        for u in contributions
        if u.decision == unit.decision
        and u.id != unit.id
        and not u.otherwise
        and _stem(book.rules[u.rule]) == stem
    ]


def _stem(rule: Rule) -> tuple[str, str]:
    return rule.module, rule.address.rsplit("(", 1)[0]


def _functions(term: Term) -> Iterator[str]:
    if isinstance(term, m.CallF):
        yield term.function
    for child in children(term):
        yield from _functions(child)


WHOLE = -1
"""In place of a part's position: the parameter is an enumeration's value itself."""


def _kind_part(params: Sequence[Param]) -> tuple[str, int] | None:
    """The parameter whose enumeration-valued part specialises: (its name, position in its key).

    Where none has such a part, the first that is an enumeration's value itself: (its name, `WHOLE`).
    """
    for param in params:
        for index, (_, type_) in enumerate(_parts_of(param.type)):
            if isinstance(type_, EnumT):
                return param.name, index
    whole = next((param.name for param in params if isinstance(param.type, EnumT)), None)
    return None if whole is None else (whole, WHOLE)


def _parts_of(type_: Type) -> tuple[tuple[str, Type], ...]:
    match type_:
        case EntityT(keys=parts) | RecordT(fields=parts):
            return tuple(parts)
        case _:
            return ()


def _fixed(conditions: Iterable[Term], variable: str, index: int) -> frozenset[int] | None:
    """The enumeration values that the conjuncts allow for part `index` of `variable`; None where they say nothing."""
    found: frozenset[int] | None = None
    for item in conditions:
        items = item.items if isinstance(item, m.AndT) else (item,)
        for conjunct in items:
            values = _values(conjunct, variable, index)
            if values is not None:
                found = values if found is None else found & values
    return found


def _values(term: Term, variable: str, index: int) -> frozenset[int] | None:
    match term:
        case m.CompareT(op="=", left=m.Part(of=m.Var(name=name), index=i), right=m.Lit(value=int(value))):
            return frozenset((value,)) if (name, i) == (variable, index) else None
        case m.CompareT(op="=", left=m.Var(name=name), right=m.Lit(value=int(value))):
            return frozenset((value,)) if (name, WHOLE) == (variable, index) else None
        case m.OrT(items=items):
            parts = [_values(item, variable, index) for item in items]
            return None if any(p is None for p in parts) else frozenset(v for p in parts if p for v in p)
        case m.AndT(items=items):
            return _fixed(items, variable, index)
        case _:
            return None


def _own_kinds(unit: Contribution) -> list[int] | None:
    part = _kind_part(unit.variables)
    if part is None:
        return None
    fixed = _fixed([*unit.given, *((unit.when,) if unit.when else ())], *part)
    if fixed is not None:
        return sorted(fixed)
    type_ = next(p.type for p in unit.variables if p.name == part[0])
    enum = type_ if part[1] == WHOLE else _parts_of(type_)[part[1]][1]
    return list(range(len(enum.values))) if isinstance(enum, EnumT) else None


def _all_kinds(decision: str, contributions: list[Contribution]) -> list[int | None]:
    found: set[int | None] = set()
    for unit in contributions:
        if unit.decision == decision:
            own = _own_kinds(unit)
            found |= {None} if own is None else set(own)
    return sorted(found, key=lambda k: -1 if k is None else k)


def _calls(
    term: Term, facts: dict[str, frozenset[int]], world: World, seen: frozenset[str]
) -> Iterator[Call]:
    """Every decision read in `term`, with the kinds that its argument can have by the conditions around it."""
    match term:
        case m.Decide(decision=decision, args=args):
            for arg in args:
                yield from _calls(arg, facts, world, seen)
            part = _kind_part(world.decisions[decision].params)
            kinds: frozenset[int] | None = None
            if part is not None:
                position = [p.name for p in world.decisions[decision].params].index(part[0])
                arg = _written_out(args[position], world)
                if isinstance(arg, m.Var):
                    kinds = facts.get(arg.name)
                else:
                    kind = arg.parts[part[1]] if isinstance(arg, m.Make) else arg
                    if isinstance(kind, m.Lit) and isinstance(kind.value, int):
                        kinds = frozenset((kind.value,))
            yield Call(decision, kinds)
        case m.CallF(function=function, args=args):
            for arg in args:
                yield from _calls(arg, facts, world, seen)
            if function not in seen:
                called = world.functions[function]
                inner = {
                    p.name: facts[a.name]
                    for p, a in zip(called.params, args, strict=True)
                    if isinstance(a, m.Var) and a.name in facts
                }
                yield from _calls(called.body, inner, world, seen | {function})
        case m.AndT(items=items):
            more = _with_facts(items, facts)
            for item in items:
                yield from _calls(item, more, world, seen)
        case m.Quant(where=where, body=body) | m.Fold(where=where, body=body):
            inside = _with_facts(
                tuple(x for x in (where, body) if x), {k: v for k, v in facts.items() if k != term.var}
            )
            for child in children(term):
                yield from _calls(child, inside, world, seen)
        case _:
            for child in children(term):
                yield from _calls(child, facts, world, seen)


def _written_out(term: Term, world: World) -> Term:
    """What a define without parameters stands for, if that is what the term calls."""
    called: set[str] = set()
    while isinstance(term, m.CallF) and not term.args and term.function not in called:
        called.add(term.function)
        term = world.functions[term.function].body
    return term


def _with_facts(items: tuple[Term, ...], facts: dict[str, frozenset[int]]) -> dict[str, frozenset[int]]:
    more = dict(facts)
    for item in items:
        for name, index in _parts_compared(item):
            values = _fixed((item,), name, index)
            if values is not None:
                more[name] = more[name] & values if name in more else values
    return more


def _parts_compared(term: Term) -> Iterator[tuple[str, int]]:
    match term:
        case m.CompareT(op="=", left=m.Part(of=m.Var(name=name, type=type_), index=index), right=m.Lit()):
            parts = _parts_of(type_)
            if parts and isinstance(parts[index][1], EnumT):
                yield name, index
        case m.CompareT(op="=", left=m.Var(name=name, type=EnumT()), right=m.Lit()):
            yield name, WHOLE
        case m.AndT(items=items) | m.OrT(items=items):
            for item in items:
                yield from _parts_compared(item)
        case _:
            return


def _cycle(graph: dict[str, set[str]]) -> list[str] | None:
    done: set[str] = set()

    def visit(node: str, path: list[str]) -> list[str] | None:
        if node in path:
            return [*path[path.index(node) :], node]
        if node in done:
            return None
        for after in sorted(graph.get(node, ())):
            found = visit(after, [*path, node])
            if found:
                return found
        done.add(node)
        return None

    for start in sorted(graph):
        found = visit(start, [])
        if found:
            return found
    return None
