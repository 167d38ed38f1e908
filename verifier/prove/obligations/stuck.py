"""What is under way can always go on.

A life is under way where anything of it is not as it first was. It goes on by moves, and a state without one, which
lawful play reaches, is a fault. A *move* is a lawful act, by anybody, of these:

- an event that ends the life;
- an act that helps to make that lawful: something that keeps it from being so now changes, be it one of several things
  or a number that is compared (`verifier.prove.obligations.then.helps`);
- an act that does a duty which is pending, at once or before a move.

What bears on none of this (somebody takes a seat) is no way on; nor is what merely befalls the table, for nobody can
be held to that. That there always is a move is not yet that the life comes to its end. The other way round, an act
that does nothing but open the way to a move is none itself: a state without moves is a fault only if lawful play
does not lead from there to the end either. Where an act is taken for lawful that is not, a fault may be missed. That
there is none is therefore asked another way (`surely`): there only what surely helps and is surely lawful is a move.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from verifier.core.lower import domain_of
from verifier.core.program import ActMatch, Duty, Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.rewrite import substitute
from verifier.model.ruleset import Life, Param
from verifier.model.terms import Term
from verifier.model.types import BOOL, Type
from verifier.prove.obligations.acts import Acts, event_params
from verifier.prove.obligations.amounts import Sure
from verifier.prove.obligations.then import Then, helps
from verifier.prove.obligations.units import FALSE, TRUE, both, call, either, no
from verifier.prove.question import Nothing, Obligation, Question, alike


def obligations(program: Program) -> Iterator[Obligation]:
    """One for each life that events end, but for one that may have to wait for the end of a life declared after it:
    that goes on as the other does."""
    for life, moves in going_on(Acts(program)):
        yield _of_life(program, life, moves)


def going_on(acts: Acts) -> Iterator[tuple[Life, Moves]]:
    """The lives of which it is asked, with their moves."""
    lives = list(acts.program.ruleset.lives.values())
    for index, life in enumerate(lives):
        if life.ends:
            moves = Moves(acts, life)
            if not any(set(inner.ends) & moves.helping().keys() for inner in lives[index + 1 :]):
                yield life, moves


def _of_life(program: Program, life: Life, moves: Moves) -> Obligation:
    found = moves.found()
    return Obligation(
        _id(life),
        "stuck",
        f"as long as the {life.name} is under way, somebody has a lawful move",
        (),
        question=alike(Question((), under_way(program, life), none=moves.none())),
        modes=("play",),
        about=(f"moves: {', '.join(found)}",),
    )


def surely(program: Program, obligation: Obligation) -> Question:
    """What is asked where it is to be ruled out that a life is stuck: nothing is supposed of a move."""
    question = obligation.question
    assert question is not None
    acts = Acts(program)
    for life, _ in going_on(acts):
        if obligation.id == _id(life):
            return alike(replace(question, none=Moves(acts, life, surely=True).none()))
    raise ValueError(obligation.id)


def _id(life: Life) -> str:
    return f"stuck {life.name}"


def under_way(program: Program, life: Life) -> Term:
    """That something of a life's own is not as it first was: a field of its state, or that something has come to be.

    Of a life that keeps no more than history, that one of its events has happened.
    """
    found: list[Term] = []
    for field in program.ruleset.state.values():
        if field.life == life.name:
            found += _changed(field.name, field.type, field.initial)
    for entity in program.ruleset.entities.values():
        if entity.life == life.name:
            domain = m.OverEntity(entity.type, entity.type.name)
            found.append(m.Quant(BOOL, "some", "it", domain, None, m.Lit(BOOL, True)))
    return either(*(found or _happened(program, life)))


def _changed(name: str, type_: Type, initial: object) -> Iterable[Term]:
    match type_:
        case ty.MapT(key=key, of=of):
            return _at_some_key(name, key, of, initial)
        case ty.SetT(of=of):
            return _at_some_key(name, of, BOOL, False)
        case _:
            return _differs(m.Get(type_, name), initial)


def _at_some_key(name: str, key: Type, of: Type, initial: object) -> Iterable[Term]:
    """That what a map or a set holds at some key is not what it first was; nothing where keys have no end."""
    domain = domain_of(key)
    if domain is None:
        return ()
    changed = _differs(m.Get(of, name, m.Var(key, "it")), initial)
    return (m.Quant(BOOL, "some", "it", domain, None, either(*changed)),)


def _differs(value: Term, initial: object) -> Iterable[Term]:
    match value.type:
        case ty.ListT():
            return (m.CompareT(BOOL, ">", m.Length(ty.INT, value), m.Lit(ty.INT, 0)),)
        case ty.OptT():
            return (m.Present(BOOL, value),)
        case ty.BoolT():
            return (value if not initial else no(value),)
        case type_:
            return (m.CompareT(BOOL, "!=", value, m.Lit(type_, initial)),)


def _happened(program: Program, life: Life) -> Iterator[Term]:
    """That one of the events has happened which the life counts."""
    for index, latch in enumerate(program.ruleset.latches):
        params = program.ruleset.events[latch.event].params
        keys = [(params[position].type, f"it {number}") for number, position in enumerate(latch.keys)]
        domains = [domain_of(type_) for type_, _ in keys]
        if latch.life != life.name or None in domains:
            continue
        count = m.Count(ty.INT, index, tuple(m.Var(type_, name) for type_, name in keys))
        some: Term = m.CompareT(BOOL, ">", count, m.Lit(ty.INT, 0))
        for (_, name), domain in zip(reversed(keys), reversed(domains), strict=True):
            assert domain is not None
            some = m.Quant(BOOL, "some", name, domain, None, some)
        yield some


class Moves:
    """The moves of one life: for each kind of act, of its parameters, what makes it one. `surely`: nothing is supposed
    of them."""

    def __init__(self, acts: Acts, life: Life, surely: bool = False) -> None:
        self.acts = acts
        self.surely = surely
        self.program = acts.program
        self.life = life
        self.ends = life.ends
        self._found: dict[str, Term] | None = None
        self._helping: dict[str, list[Term]] | None = None

    def helping(self) -> dict[str, list[Term]]:
        """The acts that may help to make the end lawful, each with the conditions on its parameters that it does."""
        if self._helping is None:
            self._helping = {}
            for end in self.ends:
                for event, help in self._help(end):
                    self._helping.setdefault(event, []).append(help)
        return self._helping

    def found(self) -> dict[str, Term]:
        """By kind of act, the end first, the condition that it is a move where it is lawful."""
        if self._found is None:
            self._found = self._made()
        return self._found

    @property
    def sure(self) -> Sure:
        """How sure it is to be that an act is one of the moves."""
        return "surely" if self.surely else "as told"

    def none(self) -> tuple[Nothing, ...]:
        """That nobody has a lawful move."""
        can = (self.acts.somebody_can(event, why, sure=self.sure) for event, why in self.found().items())
        return tuple(Nothing((), one) for one in can if one != FALSE)

    def _made(self) -> dict[str, Term]:
        why: dict[str, list[Term]] = {end: [TRUE] for end in self.ends}
        for event, helping in self.helping().items():
            if event not in why:
                why[event] = list(helping)
        for duty in self._due(set(why)):
            for act in duty.acts:
                why.setdefault(act.event, []).append(self._pending(duty, act))
        events = self.program.ruleset.events
        acts = (name for name, event in events.items() if name in why and not event.observed)
        ordered = sorted(acts, key=lambda name: name not in self.ends)
        return {name: either(*dict.fromkeys(why[name])) for name in ordered}

    def _due(self, moves: set[str]) -> list[Duty]:
        """The duties due at once, or before an act that is a move or does such a duty."""
        found: dict[str, Duty] = {}
        here = [duty for duty in self.program.duties if self.program.waits_for(self.ends[0], duty)]
        grown = -1
        while grown != len(found):
            grown = len(found)
            for duty in here:
                if duty.kind == "at once" or any(act.event in moves for act in duty.deadline_acts):
                    found[duty.unit] = duty
                    moves |= {act.event for act in duty.acts}
        return [duty for duty in self.program.duties if duty.unit in found]

    def _pending(self, duty: Duty, act: ActMatch) -> Term:
        """That a duty is pending for some values of its variables that match the event."""
        body = both(act.matches, call(duty.pending, duty.variables))
        for variable in reversed(duty.variables):
            over = domain_of(variable.type)
            assert over is not None, "a duty's variables range over what has an end"
            body = m.Quant(BOOL, "some", variable.name, over, None, body)
        return body

    def _help(self, end: str) -> Iterator[tuple[str, Term]]:
        """The acts that may help to make an event lawful, each with the condition that it does.

        The condition is on the act's parameters; those of the event may be any.
        """
        declared = self.program.ruleset.events[end]
        told: dict[Term, None] = {}
        for role in declared.by:
            told.update(dict.fromkeys(self.acts.parts(end, role)))
        apart = {p.name: f"{p.name} then" for p in event_params(declared)}
        names: dict[str, Term] = {p.name: m.Var(p.type, apart[p.name]) for p in event_params(declared)}
        params = [Param(apart[p.name], p.type) for p in event_params(declared)]
        for part in told:
            kept = substitute(part, names)
            for event in self.acts.bearing(self.acts.reads.of(part)):
                found = list(helps(Then(self.acts, event), kept, True, self.surely))
                if found:
                    helping = [no(kept), either(*dict.fromkeys(found))]
                    yield event, self.acts.some(params, helping, self.sure)
