"""Invariants: what holds in the first state of everything and is kept by everything that can happen.

What is written beside the ruleset and what is guessed (`verifier.prove.conjectures`) is assumed all together; for
each kind of event one query asks which of it the event fails to keep; what fails is dropped, until nothing does
(Houdini: Flanagan and Leino, FME 2001). What is left is inductive as a whole, and is confirmed by every solver.

What a proof means: the invariants hold, defined and true, in every state of every play from an empty table under
options that meet what is required, as long as its ids, entities, list elements and keys are within the scope, its
amounts of money are whole numbers of the scope's units, and its values are within the ranges of their types. A step
that leaves the scope or a range is not looked at; that no value leaves its range is an obligation of its own. An
event that cannot be applied leads nowhere. Lives that have events to end them end by these only; those that have none,
the first aside, make way for the next between any two events. In words anybody does anything, and any rule may have
been broken; in play only what `lawful` lets through happens, of which part may suffice, and no rule has been broken.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any, Literal

from verifier.cache import Json, digest
from verifier.core.lower import domain_of
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.ruleset import Param
from verifier.model.terms import Term
from verifier.model.types import BOOL, Type
from verifier.prove.conjectures import MOST, Guess, Named, conjectures, found_again
from verifier.prove.found import Hint
from verifier.prove.proven import Broken, Proven, code_digest, read_back, rules_digest, written_down
from verifier.prove.proving import Proving
from verifier.prove.question import Mode, Never, Question
from verifier.prove.random_states import random_value
from verifier.prove.scope import Scope
from verifier.prove.solve import Settings, versions
from verifier.prove.stated import chosen
from verifier.prove.symbolic import World
from verifier.run.bench import Happening
from verifier.run.judge import Judge
from verifier.run.machine import Machine
from verifier.run.state import State, first_state
from verifier.run.undefined import Undefined

__all__ = ["Broken", "Named", "Proven", "invariants", "prove_by_induction"]

WILD = 1500
"""So many states are drawn by chance before anything is guessed in words,"""
WILD_LENGTH = 60
"""in plays of so many events,"""
WILD_KEPT = 0.2
"""of which only a few are kept: neighbours say the same."""

MOST_VALUES = 128
"""A question's parameter that has more values than this is not spoken of in one condition."""


Seen = Sequence[State] | Callable[[], Sequence[State]]
"""States that were reached, or what finds some when they are wanted."""


def invariants(
    program: Program,
    scope: Scope,
    given: Sequence[Named],
    mode: Mode,
    settings: Settings,
    seen: Seen = (),
    known: Sequence[Named] = (),
    most: int = MOST,
    sift: bool = False,
    jobs: int = 1,
    hints: Mapping[str, Hint] | None = None,
    noted: MutableMapping[str, Hint] | None = None,
    less: tuple[str, ...] = (),
    exact: bool = False,
) -> Proven:
    """Which of the `given` conditions, and of at most `most` guessed ones, hold in every state of the mode.

    `seen` are states of the mode that were reached: no guess contradicts one. `known` holds already (what holds in
    words holds in play); it is part of what is returned. With `sift` nothing is asked of what a state contradicts.
    What the cache has of the same code's answer is taken; what it has of guesses that held for other code is a hint,
    and proved again. So are `hints`, by the digest of what is asked; `noted` takes down what held. Up to `jobs`
    processes confirm what is found. `less` names rules that the program was made without.
    With `exact` the scope is taken for all there is.
    """
    asked: Json = {
        "ruleset": rules_digest(program.ruleset),
        "scope": repr(scope),
        "mode": mode,
        "given": [[named.name, repr(named.term)] for named in given],
        "known": [repr(named.term) for named in known],
        "most": most,
        "sift": sift,
        **({"less": list(less)} if less else {}),
        **({"exact": True} if exact else {}),
    }
    outcome: Json = {"asked": asked, "code": code_digest(), "solvers": versions(settings)}
    if settings.cache is not None and isinstance(kept := settings.cache.get("induction", outcome), dict):
        guessed = _again(program, mode, kept.get("guessed"))
        found = None if guessed is None else read_back(kept, mode, given, known, guessed)
        if found is not None:
            if noted is not None and guessed is not None:
                parts = _parts(settings.cache.get("parts", asked))
                noted[named_by(asked)] = Hint(tuple(guess.key for guess in guessed), tuple(parts.items()))
            return found
        settings.cache.reject()
    proving = Proving(program, scope, mode, settings, tuple(known), jobs, exact)
    hint = None if settings.cache is None else _again(program, mode, settings.cache.get("guesses", asked))
    if settings.cache is not None and hint is not None:
        proving.expected = _parts(settings.cache.get("parts", asked))
    elif (told := (hints or {}).get(named_by(asked))) is not None:
        hint = found_again(program, mode, told.guesses)
        proving.expected = dict(told.parts)
    states = _states(proving, seen) if sift or hint is None else []
    refuted = _refuted(program, given, states) if sift else ()
    open_ = [named for named in given if all(named is not b.named for b in refuted)]
    guesses = _survivors(proving, open_, states, most) if hint is None else hint
    found = proving.prove(open_, guesses)
    found = replace(found, broken=(*refuted, *found.broken))
    holding = [guess.key for guess in guesses if guess in found.holding]
    if noted is not None and not found.why:
        noted[named_by(asked)] = Hint(tuple(holding), tuple(proving.expected.items()))
    if settings.cache is not None and not found.why:
        settings.cache.put("guesses", asked, list(holding))
        settings.cache.put(
            "parts", asked, [[index, list(parts)] for index, parts in proving.expected.items()]
        )
        settings.cache.put("induction", outcome, written_down(found, given, holding))
    return found


def named_by(asked: Json) -> str:
    """What a hint is known by: the digest of what is asked of an induction."""
    return digest(json.dumps(asked, sort_keys=True))


def _again(program: Program, mode: Mode, keys: Json) -> list[Guess] | None:
    """The guesses that the cache names; None where it names none, or what is none."""
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        return None
    return found_again(program, mode, [str(key) for key in keys])


def _parts(kept: Json) -> dict[int, tuple[int, ...]]:
    """Which parts of lawfulness the cache says were needed, by transition: a hint, of which nothing hangs but time."""
    found: dict[int, tuple[int, ...]] = {}
    for pair in kept if isinstance(kept, list) else ():
        match pair:
            case [int(index), list(parts)]:
                found[index] = tuple(part for part in parts if isinstance(part, int))
            case _:
                continue
    return found


def _states(proving: Proving, seen: Seen) -> list[State]:
    """States of the mode: the first one, those that were reached, and in words what chance leads to."""
    program = proving.program
    wild = _wild(program, proving.scope) if proving.mode == "words" else []
    return [first_state(program.ruleset), *wild, *(seen() if callable(seen) else seen)]


def _refuted(program: Program, given: Sequence[Named], states: Sequence[State]) -> tuple[Broken, ...]:
    """Those conditions that are not so in a state that was reached, whatever the options: they need not be asked."""
    machine = Machine(program, {})
    open_ = [(named, machine.closure(named.term, ())) for named in given]
    found: dict[str, Broken] = {}
    for state in states:
        machine.enter(state)
        for named, holds in open_:
            if named.name in found:
                continue
            try:
                if holds([]):
                    continue
            except Undefined:  # it may hang on the options, which are not stated here
                continue
            found[named.name] = Broken(
                named, None, "", state, {}, {}, "it is not so in a state that was reached"
            )
    return tuple(found[named.name] for named in given if named.name in found)


def _survivors(proving: Proving, given: Sequence[Named], states: Sequence[State], most: int) -> list[Guess]:
    """The guesses that hold, out of all."""
    return proving.survivors(given, conjectures(proving.program, proving.mode, states, most))


def prove_by_induction(
    program: Program,
    scope: Scope,
    question: Question,
    mode: Mode,
    settings: Settings,
    proven: Proven,
    name: str = "",
) -> Never | None:
    """`never`, where that nothing answers the question is itself inductive beside what is `proven`; else None.

    For a question of states, not of an event, whose parameters have an end.
    """
    term = denied(question)
    if term is None:
        return None
    proving = Proving(program, scope, mode, settings, proven.holding)
    found = proving.prove([Named(name or "the question", term), *(b.named for b in proven.broken)], ())
    if all(named.term != term for named in found.written):
        return None
    used = (*(n.name for n in proven.written), *(n.name for n in found.written if n.term != term))
    return Never("induction", found.scope, found.by, tuple(dict.fromkeys(used)))


def denied(question: Question) -> Term | None:
    """That nothing answers a question, as one condition; None for what cannot be said so."""
    if question.event is not None:
        return None
    items: list[Term] = [m.NotT(BOOL, question.condition)]
    for nothing in question.none:
        some = _quantified("some", nothing.params, nothing.condition)
        if some is None:
            return None
        items.append(some)
    return _quantified("every", question.params, items[0] if len(items) == 1 else m.OrT(BOOL, tuple(items)))


def _quantified(kind: Literal["every", "some"], params: Sequence[Param], body: Term) -> Term | None:
    for param in reversed(params):
        domain = domain_of(param.type)
        if domain is None or (isinstance(domain, m.OverValues) and len(domain.values) > MOST_VALUES):
            return None
        body = m.Quant(BOOL, kind, param.name, domain, None, body)
    return body


def _wild(program: Program, scope: Scope) -> list[State]:
    """States that events drawn at random lead to, whether lawful or not; nothing is judged."""
    ruleset = program.ruleset
    bare = {name: replace(event, claims=(), moves=()) for name, event in ruleset.events.items()}
    plain = replace(
        program, ruleset=replace(ruleset, events=bare), prohibitions={}, permissions={}, duties=(), endings={}
    )
    rng = Random(0)
    world = World(program, scope)
    events = list(bare.values())
    weights = [1 + len(event.params) for event in events]
    found: list[State] = []
    first = Judge(plain, {})
    while len(found) < WILD:
        judge = Judge(plain, {}, beside=first)
        for _ in range(WILD_LENGTH):
            (event,) = rng.choices(events, weights)
            whole = chosen(ruleset.events[event.name])
            values = tuple(_drawn(world, judge.state, p.type, rng, p.name in whole) for p in event.params)
            judge.step(Happening(event.name, (*event.by, *ruleset.actors)[0], values))
            if rng.random() < WILD_KEPT:
                found.append(judge.state)
    return found


def _drawn(world: World, state: State, type_: Type, rng: Random, whole: bool) -> Any:
    """A value of a parameter, within the scope; of an amount that is `whole` no parts."""
    match type_:
        case ty.IdT(name=name):
            return rng.choice(world.scope.ids[name] or ("",))
        case ty.EntityT(name=name):
            return rng.choice(world.scope.entities[name])
        case ty.RecordT(fields=parts):
            return tuple(_drawn(world, state, part, rng, whole) for _, part in parts)
        case _ if str(type_) in world.scope.narrowed:
            return rng.choice(world.scope.narrowed[str(type_)])
        case _:
            return random_value(world, state, type_, rng, whole=whole)
