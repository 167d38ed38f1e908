"""Conditions on one entity by itself, told apart: a loop over entities then passes over those that fail them.

Of what a loop asks of each entity, some rests on nothing but that entity's own fields and key. It becomes a function of
its own, whose truth is kept by a bit for each row, so that a loop begins with the rows that meet it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field, replace

from verifier.compile.costs import items
from verifier.compile.depends import Depends, called
from verifier.compile.lacking import Lacking
from verifier.compile.names import OWED, OWN
from verifier.core.lower import conjunction
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.rewrite import map_children, substitute
from verifier.model.ruleset import Function, Param, Place
from verifier.model.terms import Term, children, free_variables, subterms
from verifier.model.types import BOOL

VARIABLE = "it"
NOWHERE = Place("", 0, 0, 0, 0)
DEEP = 3
"""Functions called within functions that are looked into."""


@dataclass(slots=True)
class Sift:
    """The functions made so far, by the entity that they are about and their body."""

    program: Program
    depends: Depends
    lacks: Lacking | None = None
    """What is never told, where anything is."""
    made: dict[tuple[str, Term], str] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)

    def own(self, asked: Iterable[Term], var: str, entity: str) -> m.CallF | None:
        """What of a conjunction rests on the entity `var` alone, asked of it as a function."""
        parts: list[Term] = []
        for term in asked:
            parts += self._parts(term, var, DEEP)
        type_ = self.program.ruleset.entities[entity].type
        by: dict[str, Term] = {var: m.Var(type_, VARIABLE)}
        body = conjunction(list(dict.fromkeys(substitute(part, by) for part in parts)))
        if not parts:
            return None
        name = self.made.get((entity, body))
        if name is None:
            name = self.made[entity, body] = f"{OWN}{len(self.made)}"
            self.functions[name] = Function(name, (Param(VARIABLE, type_),), BOOL, body, NOWHERE)
        return m.CallF(BOOL, name, (m.Var(type_, var),))

    def _parts(self, term: Term, var: str, deep: int) -> list[Term]:
        match term:
            case m.AndT(items=parts):
                return [found for part in parts for found in self._parts(part, var, deep)]
            case m.CallF() if deep:
                inside = [part for part in self._written_out(term) if part is not None]
                return [found for part in inside for found in self._parts(part, var, deep - 1)]
            case _:
                return [term] if self.depends.alone(term, var) else []

    def _written_out(self, call: m.CallF) -> list[Term | None]:
        """What a function asks of the variables with which it is called; None for what it asks of anything else."""
        function = self.program.functions[call.function]
        by: dict[str, Term] = {}
        for param, arg in zip(function.params, call.args, strict=True):
            if isinstance(arg, m.Var) and arg.type == param.type:
                by[param.name] = arg
        return [
            substitute(item, by) if free_variables(item) <= by.keys() else None
            for item in items(function.body)
        ]

    def _told(self, term: Term, var: str, deep: int = DEEP) -> bool:
        """Whether a term is nothing but what `own` takes of it: what is asked within it of nobody is left out there."""
        if not self.depends.alone(term, var):
            return False
        match term:
            case m.AndT(items=parts):
                return all(self._told(part, var, deep) for part in parts)
            case m.CallF() if deep:
                return all(
                    part is not None and self._told(part, var, deep - 1) for part in self._written_out(term)
                )
            case _:
                return True

    # ------------------------------------------------------------------------------------------------- rewriting
    def term(self, term: Term) -> Term:
        """The term with every loop over entities beginning with those that meet what is asked of them alone."""
        return map_children(self._sifted(term), self.term)

    def _sifted(self, term: Term) -> Term:
        match term:
            case m.Quant(where=m.CallF(function=name)) if name.startswith(OWN):
                return term
            case m.Quant(domain=m.OverEntity(entity=entity), kind=kind, var=var, where=where, body=body):
                asked = () if where is None else items(where)
                inside = items(body) if kind == "some" else ()
                own = self.own((*asked, *inside), var, entity)
                if own is None:
                    return term
                where = conjunction([own, *self._rest(asked, var)])
                return replace(
                    term, where=where, body=conjunction(self._rest(inside, var)) if inside else body
                )
            case (
                m.Fold(domain=m.OverEntity(entity=entity), var=var, where=where)
                | m.Pick(domain=m.OverEntity(entity=entity), var=var, where=where)
            ) if where is not None:
                own = self.own(items(where), var, entity)
                if own is None:
                    return term
                return replace(term, where=conjunction([own, *self._rest(items(where), var)]))
            case _:
                return term

    def _rest(self, asked: Iterable[Term], var: str) -> list[Term]:
        return [term for term in asked if not self._told(term, var)]

    def pending(self, function: Function) -> Function:
        """A duty's condition: what it asks of each of its entities alone, what it asks of none, and all the rest, which
        becomes a function of its own."""
        asked = items(function.body)
        entities = [(p.name, p.type.name) for p in function.params if isinstance(p.type, ty.EntityT)]
        own = [found for name, kind in entities if (found := self.own(asked, name, kind)) is not None]
        nobody = [term for term in asked if not free_variables(term)]
        rest = [
            term
            for term in asked
            if term not in nobody and not any(self._told(term, name) for name, _ in entities)
        ]
        if not own or not rest:
            return replace(function, body=conjunction([*nobody, *own, *rest]))
        needed: list[Term] = [self._any(call) for call in own]
        needed += [found for term in rest for found in self._needed(term, DEEP)]
        # what is asked of others besides would tell why it is not known of them
        nobody += [term for term in needed if not self._lacks(term)]
        name = f"{OWED}{len(self.functions)}"
        self.functions[name] = replace(function, name=name, body=conjunction(rest))
        args = tuple(m.Var(param.type, param.name) for param in function.params)
        body = conjunction([*dict.fromkeys(nobody), *own, m.CallF(BOOL, name, args)])
        return replace(function, body=body)

    def _lacks(self, term: Term) -> bool:
        """Whether a term may be undefined for what is never told."""
        if self.lacks is None:
            return False
        made = [
            self.functions[name].body for one in subterms(term) if (name := called(one)) in self.functions
        ]
        return any(map(self.lacks.of, [*made, *_without(term, self.functions)]))

    def _any(self, own: m.CallF) -> m.Quant:
        """That some entity meets a condition on it alone."""
        (it,) = own.args
        assert isinstance(it, m.Var)
        assert isinstance(it.type, ty.EntityT)
        of = m.OverEntity(it.type, it.type.name)
        call = replace(own, args=(m.Var(it.type, VARIABLE),))
        return m.Quant(BOOL, "some", VARIABLE, of, call, m.Lit(BOOL, True))

    def _needed(self, term: Term, deep: int) -> list[Term]:
        """What must be so for a term to be true, that no variable stands in."""
        match term:
            case m.AndT(items=parts):
                return [found for part in parts for found in self._needed(part, deep)]
            case m.CallF(function=name, args=args) if deep and args:
                return self._needed(self.program.functions[name].body, deep - 1)
            case m.Quant(kind="some", domain=m.OverEntity(entity=entity), var=var, where=where, body=body):
                own = self.own((*(() if where is None else items(where)), *items(body)), var, entity)
                return [] if own is None else [self._any(own)]
            case _:
                return [] if free_variables(term) or isinstance(term, m.Lit) else [term]


def _without(term: Term, functions: Container[str]) -> list[Term]:
    """The parts of a term that do not call any of these functions."""
    if not any(called(one) in functions for one in subterms(term)):
        return [term]
    return [part for child in children(term) for part in _without(child, functions)]


def sifted(program: Program, dense: frozenset[str], lacks: Lacking | None = None) -> Program:
    """The program, of the same meaning, with conditions on single entities as functions of their own; `lacks` has what
    is never told."""
    sift = Sift(program, Depends(program, dense), lacks)
    owed = {duty.pending for duty in program.duties}
    functions: dict[str, Function] = {}
    for name, function in program.functions.items():
        found = sift.pending(function) if name in owed else function
        functions[name] = replace(found, body=sift.term(found.body))
    decisions = {
        name: replace(
            decision,
            cases=tuple(replace(case, value=sift.term(case.value)) for case in decision.cases),
            asked=None if decision.asked is None else sift.term(decision.asked),
            askers=tuple((rule, sift.term(term)) for rule, term in decision.askers),
        )
        for name, decision in program.decisions.items()
    }
    made = {
        name: replace(function, body=sift.term(function.body))
        for name, function in list(sift.functions.items())
    }
    return replace(program, functions={**functions, **sift.functions, **made}, decisions=decisions)
