"""Scopes in which as much is told apart as the rules tell: what holds where they cannot is no law.

In a scope with two people *somebody is ahead of whoever is ahead of him* is never so; with pegs 1 and 5 *a peg beyond
the ninth* is not; with one hat *once three hang, the lamp is lit* lights none. A prohibition unless one of these is so
would be taken for a law, and an update where it is so for none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from verifier.core.lawful import parts
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.types import BOOL
from verifier.prove.counted import NESTED, SPARE, Counted, counted, measures_lists
from verifier.prove.depths import Depths
from verifier.prove.desk import Desk
from verifier.prove.everywhere import STATED, UNTOLD
from verifier.prove.extent import LONGEST_WHOLE, small
from verifier.prove.freed import hanging
from verifier.prove.question import Obligation, Question, Unknown
from verifier.prove.scope import Scope, id_of, list_fields, scope_of
from verifier.prove.telling import telling
from verifier.prove.transitions import Behind, Reads, read_by, written

SIZED = "what events need or change hangs on how many there are, and no scope that has as many is small"


def widened(desk: Desk, obligation: Obligation, scope: Scope) -> Scope | Unknown:
    """The scope with what it takes besides to tell apart what the rules do: values of ranges, as many things as the
    mechanics count of events that bear on the question, and two of everybody at least, or three where somebody speaks
    of three; the scope itself where it has that, where scopes were asked for, and in a large ruleset. `Unknown` where
    no small scope has it. So few scopes are made, and one induction in each."""
    question, program = obligation.question, desk.program
    assert question is not None
    if desk.exact or not small(program, scope):
        return scope
    terms = [question.condition, *(nothing.condition for nothing in question.none)]
    told = with_whole_lists(program, telling(program, scope), obligation)
    if not small(program, told):
        return replace(UNTOLD, scope=desk.explorer.scope_text)
    read = Behind(program).of(terms)
    bearing = [event for event in program.ruleset.events if written(program.ruleset, event) & read]
    if sized := hanging(program, told, bearing):
        more = counted(program, (told,), Question((), m.AndT(BOOL, tuple(sized))), added=True)
        if more != Counted((), True):
            fits = more.whole and len(more.scopes) == 1 and small(program, more.scopes[0])
            if not fits:
                return Unknown(SIZED, scope=desk.explorer.scope_text)
            told = more.scopes[0]
    told = _with_one_besides(program, told, bearing)
    if lacking(program, told):
        told = _with_several(program, told, max(_spoken(program).values()))
        return told if small(program, told) else Unknown(SIZED, scope=desk.explorer.scope_text)
    for upto in range(NESTED, 1, -1):
        found = _with_several(program, told, upto)
        if small(program, found):
            return found if found != scope else scope
    return told


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
    this one has."""
    most, spoken = _most(program), _spoken(program)
    return any(
        spoken[kind] > NESTED and min(most[kind], spoken[kind]) > len(scope.ids[kind]) for kind in scope.ids
    )


def _with_several(program: Program, scope: Scope, upto: int) -> Scope:
    """The scope with two of each id type at least, and as many as the rules speak of at once, but no more than `upto`
    for that."""
    most, spoken = _most(program), _spoken(program)
    ids = {
        kind: tuple(
            id_of(kind, i + 1) for i in range(min(most[kind], max(len(old), min(upto, max(2, spoken[kind])))))
        )
        for kind, old in scope.ids.items()
    }
    return scope_of(program, ids, scope.narrowed, scope.slots, money_parts=scope.money_parts)


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
    more = counted(program, (scope,), Question((), m.AndT(BOOL, tuple(terms)))).scopes if terms else ()
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
