"""Scopes in which as much is told apart as the rules tell: what holds where they cannot is no law.

In a scope with two people *somebody is ahead of whoever is ahead of him* is never so; with pegs 1 and 5 *a peg beyond
the ninth* is not; with one hat *once three hang, the lamp is lit* lights none. A prohibition unless one of these is so
would be taken for a law, and an update where it is so for none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain

from verifier.core.lawful import parts
from verifier.core.program import Program
from verifier.model import types as ty
from verifier.model.terms import Term
from verifier.model.types import Type
from verifier.prove.counted import NESTED, SPARE, Counted, counted, either_way, measures_lists
from verifier.prove.depths import ENDLESS, Depths
from verifier.prove.desk import Desk
from verifier.prove.everywhere import STATED, UNTOLD
from verifier.prove.extent import LONGEST_WHOLE, small
from verifier.prove.freed import hanging
from verifier.prove.question import Mode, Obligation, Question, Unknown
from verifier.prove.scope import Scope, id_of, list_fields, scope_of
from verifier.prove.telling import telling
from verifier.prove.transitions import Behind, Reads, read_by, written

SIZED = "what events need or change hangs on how many there are, and no scope that has as many is small"

EVERYBODY = 5
"""So many people at most are looked at where nobody can tell how many it takes, if there are no more."""


def widened(desk: Desk, obligation: Obligation, scope: Scope, mode: Mode) -> Scope | Unknown:
    """The scope with what it takes besides to tell apart what the rules do: values of ranges, as many things as the
    mechanics count of events that bear on the question (`bearing_on`), and two of everybody at least, or three where
    somebody speaks of three; the scope itself where it has that, where scopes were asked for, and in a large ruleset.
    `Unknown` where no small scope has it. So few scopes are made, and one induction in each."""
    question, program = obligation.question, desk.program
    assert question is not None
    if desk.exact or not small(program, scope):
        return scope
    terms = [question.condition, *(nothing.condition for nothing in question.none)]
    told = with_whole_lists(program, telling(program, scope), obligation)
    if not small(program, told):
        return replace(UNTOLD, scope=desk.explorer.scope_text)
    bearing, read = bearing_on(program, terms, mode, [named.term for named in desk.written])
    if sized := hanging(program, told, bearing):
        more = counted(program, (told,), Question((), either_way(sized)), added=True)
        if more != Counted((), True):
            fits = more.whole and len(more.scopes) == 1 and small(program, more.scopes[0])
            if not fits:
                return Unknown(SIZED, scope=desk.explorer.scope_text)
            told = more.scopes[0]
    told = _with_one_besides(program, told, bearing)
    spoken = _spoken(program) | _supposed(desk, read) | chained(program, told, read)
    if _lacking(program, told, spoken):
        told = _with_several(program, told, max(spoken.values()), spoken)
        everybody = [len(told.ids[kind]) for kind in told.ids if spoken[kind] >= ENDLESS]
        fits = small(program, told) and max(everybody, default=0) <= EVERYBODY
        return told if fits else Unknown(SIZED, scope=desk.explorer.scope_text)
    for upto in range(NESTED, 1, -1):
        found = _with_several(program, told, upto, spoken)
        if small(program, found):
            return found if found != scope else scope
    return told


def bearing_on(
    program: Program, terms: Iterable[Term], mode: Mode, supposed: Sequence[Term] = ()
) -> tuple[list[str], frozenset[str]]:
    """The events that bear on what terms say, and all that is read there, by the names that `written` uses.

    They are those that write what the terms read, those that write what lets these happen (what they need and, of
    lawful play, what the rules say of them), and so on. *Nobody shouts before the gate is open* has whatever opens the
    gate bear on whether somebody shouts. What is `supposed` of anything that bears on it has all bear on it that bears
    on that: an induction may rest on it.
    """
    ruleset, behind, reads = program.ruleset, Behind(program), Reads(program)
    read, found = behind.of(terms), dict[str, None]()
    beside = {term: reads.of(term) for term in supposed}
    while True:
        more = [name for name in ruleset.events if name not in found and written(ruleset, name) & read]
        said = [term for term, of in beside.items() if of & read and not of <= read]
        if not more and not said:
            return [name for name in ruleset.events if name in found], read
        found |= dict.fromkeys(more)
        for name in more:
            event = ruleset.events[name]
            said += event.needs
            if mode == "play":
                actors = event.by or ruleset.actors
                said += [term for actor in actors for _, _, term in parts(program, name, actor)]
        read |= behind.of(said)


def with_whole_lists(program: Program, scope: Scope, obligation: Obligation) -> Scope:
    """The scope with those lists as long as they may be that what is stated measures, but for such as never are looked
    at so: of what only long ones add up to short ones tell nothing, once what their elements may be is known."""
    question = obligation.question
    if question is None or obligation.kind not in STATED or not measures_lists(program, question):
        return scope
    reads = Reads(program)
    terms = [question.condition, *(nothing.condition for nothing in question.none)]
    read = frozenset[str]().union(*map(reads.of, terms))
    whole = {
        path: type_.maximum
        for path, type_ in list_fields(program.ruleset)
        if path in read and type_.maximum <= LONGEST_WHOLE
    }
    return replace(scope, slots={**scope.slots, **whole})


def lacking(program: Program, scope: Scope) -> bool:
    """Whether the rules speak at once of more of some id type than any scope with several is sure to have, and than
    this one has; or the state has one lead to another (`chained`), of which this one has not all."""
    return _lacking(program, scope, _spoken(program) | chained(program, scope))


def _lacking(program: Program, scope: Scope, spoken: Counter[str]) -> bool:
    most = _most(program)
    wanted = {kind: min(spoken[kind], number) for kind, number in most.items() if spoken[kind] > NESTED}
    return any(number > len(scope.ids[kind]) for kind, number in wanted.items()) or any(
        spoken[name] >= ENDLESS and len(values) < (ty.count_values(program.ruleset.types[name]) or 0)
        for name, values in scope.narrowed.items()
        if name in program.ruleset.types
    )


def _with_several(program: Program, scope: Scope, upto: int, spoken: Counter[str]) -> Scope:
    """The scope with two of each id type at least, and as many as the rules speak of at once, but no more than `upto`
    for that."""
    most = _most(program)
    narrowed = {name: values for name, values in scope.narrowed.items() if spoken[name] < ENDLESS}
    ids = {
        kind: tuple(
            id_of(kind, i + 1) for i in range(min(most[kind], max(len(old), min(upto, max(2, spoken[kind])))))
        )
        for kind, old in scope.ids.items()
    }
    return scope_of(program, ids, narrowed, scope.slots, money_parts=scope.money_parts)


def _most(program: Program) -> dict[str, int]:
    return {t.name: t.maximum for t in program.ruleset.types.values() if isinstance(t, ty.IdT)}


def _with_one_besides(program: Program, scope: Scope, events: Sequence[str]) -> Scope:
    """The scope, or a small one with one more of what is counted by the rules on the events, where that is all there
    is: those counted may have to be others than the one at hand."""
    terms = [
        term
        for name in events
        for actor in program.ruleset.events[name].by or program.ruleset.actors
        for _, _, term in parts(program, name, actor)
    ]
    more = counted(program, (scope,), Question((), either_way(terms))).scopes if terms else ()
    fits = [one for one in more if small(program, one)]
    one_more = [
        one for one in fits if all(len(ids) <= len(scope.ids[kind]) + SPARE for kind, ids in one.ids.items())
    ]
    return one_more[0] if one_more else scope


def _spoken(program: Program) -> Counter[str]:
    """Of each id type, how many are spoken of at once, those that the event names included, in what an event needs and
    changes, and in what makes it lawful."""
    found: Counter[str] = Counter()
    depths, ruleset = Depths(program), program.ruleset
    for name, event in ruleset.events.items():
        terms = [*event.needs, *chain.from_iterable(map(read_by, ruleset.mechanics.get(name, ())))]
        for actor in event.by or ruleset.actors:
            terms += [term for _, _, term in parts(program, name, actor)]
        named = Counter(kind for param in event.params for kind in set(ty.ids_within(param.type)))
        for term in terms:
            found |= named + depths.of(term)
    return found


def _supposed(desk: Desk, read: frozenset[str]) -> Counter[str]:
    """Of how many what stands beside the rules may speak where it is supposed, of what speaks of what is read."""
    depths, reads, found = Depths(desk.program), Reads(desk.program), Counter[str]()
    for named in desk.written:
        if reads.of(named.term) & read:
            found |= depths.wanted(named.term, True)
    return found


def chained(program: Program, scope: Scope, read: frozenset[str] | None = None) -> Counter[str]:
    """The id types, and the ranges of which a scope lists few, of which the state has one lead to another (*who is
    ahead of whom*), and so on: all that there may be make a difference then, however few are spoken of at once. With
    `read` only what of the state has a name there leads anywhere."""
    ruleset, leads = program.ruleset, dict[str, set[str]]()
    kept = [
        *(
            (name, declared.type.key, declared.type.of)
            for name, declared in ruleset.state.items()
            if isinstance(declared.type, ty.MapT)
        ),
        *(
            (f"{name}.{field.name}", entity.type, field.type)
            for name, entity in ruleset.entities.items()
            for field in entity.fields
        ),
    ]
    kept = [one for one in kept if read is None or one[0] in read]
    for _, by, held in kept:
        for one in _kinds(scope, by):
            leads.setdefault(one, set()).update(_kinds(scope, held))
    grown = True
    while grown:
        before = sum(map(len, leads.values()))
        for reached in leads.values():
            reached.update(*(leads.get(one, ()) for one in tuple(reached)))
        grown = sum(map(len, leads.values())) > before
    return Counter({kind: ENDLESS for kind, reached in leads.items() if kind in reached})


def _kinds(scope: Scope, type_: Type) -> set[str]:
    while isinstance(type_, ty.ListT | ty.SetT):
        type_ = type_.of
    return {name for name in map(str, ty.simple_parts(type_)) if name in scope.ids or name in scope.narrowed}
