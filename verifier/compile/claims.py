"""The decisions that a claim asks for: which, of what, and when the place that asks is reached."""

from __future__ import annotations

from dataclasses import dataclass

from verifier.compile.encoding import NotCompiledError
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model.rewrite import substitute
from verifier.model.terms import Term, children
from verifier.model.types import BOOL


@dataclass(frozen=True, slots=True)
class Site:
    """A place in a claim that asks a decision, and when it is reached."""

    decision: str
    args: tuple[Term, ...]
    reached: tuple[Term, ...]


def sites(program: Program, claim: Term) -> list[Site]:
    """The places of a claim that ask a decision, where it holds, in order. Raises `NotCompiledError`."""
    found: list[Site] = []
    _sites(program, claim, _about(program, claim, frozenset()), (), found)
    return found


def _about(program: Program, term: Term, seen: frozenset[str]) -> set[str]:
    match term:
        case m.Decide(decision=name):
            return {name}
        case m.CallF(function=name, args=args) if name not in seen:
            inside = [_about(program, a, seen) for a in args]
            return set().union(_about(program, program.functions[name].body, seen | {name}), *inside)
        case _:
            return set().union(*(_about(program, child, seen) for child in children(term)))


def _sites(
    program: Program, term: Term, about: set[str], reached: tuple[Term, ...], found: list[Site]
) -> None:
    """The decisions that are asked for when the claim is judged and holds. Raises `NotCompiledError`."""
    if not _asked_within(program, term, frozenset()) & about:
        return
    match term:
        case m.Decide(decision=name, args=args):
            for arg in args:
                _sites(program, arg, about, reached, found)
            site = Site(name, args, reached)
            if name in about and not any(
                s.decision == name and s.args == args and s.reached in ((), reached) for s in found
            ):
                found.append(site)
        case m.CallF(function=name, args=args):
            for arg in args:
                _sites(program, arg, about, reached, found)
            function = program.functions[name]
            by = {p.name: a for p, a in zip(function.params, args, strict=True)}
            _sites(program, substitute(function.body, by), about, reached, found)
        case m.Ite(condition=condition, then=then, otherwise=otherwise):
            _sites(program, condition, about, reached, found)
            _sites(program, then, about, (*reached, condition), found)
            _sites(program, otherwise, about, (*reached, m.NotT(BOOL, condition)), found)
        case m.AndT(items=items) | m.OrT(items=items):
            before: tuple[Term, ...] = ()
            for item in items:
                _sites(program, item, about, (*reached, *before), found)
                if not (isinstance(term, m.AndT) and not reached):
                    before = (*before, item if isinstance(term, m.AndT) else m.NotT(BOOL, item))
        case m.Quant() | m.Fold() | m.Pick() | m.AfterT():
            raise NotCompiledError("a claim about the answers on several things")
        case _:
            for child in children(term):
                _sites(program, child, about, reached, found)


def _asked_within(program: Program, term: Term, seen: frozenset[str]) -> set[str]:
    """The decisions that judging the term asks for, in what they are asked of too."""
    found: set[str] = set()
    match term:
        case m.Decide(decision=name):
            found.add(name)
        case m.CallF(function=name) if name not in seen:
            found |= _asked_within(program, program.functions[name].body, seen | {name})
        case _:
            pass
    return found.union(*(_asked_within(program, child, seen) for child in children(term)))
