"""What a ruleset declares and never uses, rules that bind nothing, and words that nothing writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from verifier.core.absent import Absent
from verifier.core.program import Program
from verifier.errors import Problem
from verifier.model import terms as m
from verifier.model.ruleset import (
    Act,
    Append,
    Contribution,
    Each,
    FieldTarget,
    New,
    Norm,
    Ruleset,
    StateTarget,
    Target,
    Update,
    Write,
)
from verifier.model.show import names_of, show_term
from verifier.model.terms import Term
from verifier.model.types import EntityT, EnumT, RecordT
from verifier.syntax import tree as t
from verifier.syntax.parse import parse_module
from verifier.syntax.places import problem_at

_ADVICE = {
    "define": "use it in a rule, or remove it",
    "decision": "ask it, let a claim or a condition read it, or remove it with the rules that answer it",
    "option": "let a condition or a `require` read it, or remove it",
    "event": "let a rule govern it or mechanics follow it, or remove it: its rows would change nothing",
}


def use_findings(program: Program) -> list[Problem]:
    """One problem for each rule of the ruleset's own module that binds nothing, for each define, decision,
    option or event of it that nothing uses, each enumeration whose words nothing writes, and each event with a claim
    that no rule answers. What other modules declare is for others as well."""
    ruleset = program.ruleset
    own = ruleset.sources[-1]
    used, written = _used(ruleset), _written(ruleset)
    problems: list[Problem] = []
    for block in parse_module(own.text, own.path).blocks:
        if isinstance(block, t.Rule) and all(isinstance(s, t.Reading) for s in block.statements):
            name = block.address if block.label is None else f"{block.address} [{block.label}]"
            problems.append(
                problem_at(
                    own.text,
                    own.path,
                    block.at,
                    f"rule {name} binds nothing",
                    "rule-binds-nothing",
                    "say what follows from its words, or why there is nothing to check: "
                    "`unobservable`, `external` or `structural`",
                )
            )
        if isinstance(block, t.EventDecl):
            problems += _uncited(program, own.text, own.path, block)
        if isinstance(block, t.EnumDecl) and block.name not in written:
            problems += _unwritten(own.text, own.path, block)
        for kind, declared, at in _declared(block):
            if declared not in used[kind]:
                problems.append(
                    problem_at(
                        own.text,
                        own.path,
                        at,
                        f"nothing uses the {kind} `{declared}`",
                        f"unused-{kind}",
                        _ADVICE[kind],
                    )
                )
    return problems


def _written(ruleset: Ruleset) -> set[str]:
    """The enumerations that are a part of something which a log writes as text."""
    found: set[str] = set()
    for type_ in ruleset.types.values():
        match type_:
            case RecordT(fields=parts, forms=forms) | EntityT(keys=parts, forms=forms):
                pieces = {piece for form in forms if form.only is None for piece in form.pieces}
                kinds = [kind for number, (_, kind) in enumerate(parts) if number in pieces]
                found.update(kind.name for kind in kinds if isinstance(kind, EnumT))
            case _:
                pass
    return found


def _unwritten(text: str, path: str, block: t.EnumDecl) -> Iterator[Problem]:
    for name, word in block.values:
        if name != word:
            yield problem_at(
                text,
                path,
                block.at,
                f"nothing writes the word “{word}” of `{name}`: a column that holds a {block.name} has the name",
                "unused-word",
                "leave the word out, or call the value so",
            )
            return


def _uncited(program: Program, text: str, path: str, block: t.EventDecl) -> Iterator[Problem]:
    """An event with a claim that reads no decision."""
    absent = Absent(program)
    for claim in program.ruleset.events[block.name].claims:
        if not absent.reads(claim).decides:
            shown = show_term(claim, names_of(program.ruleset))
            yield problem_at(
                text,
                path,
                next(clause.at for clause in block.clauses if isinstance(clause, t.Claims)),
                f"no clause is cited where `{shown}` is false: it reads no decision",
                "claim-without-clause",
                "let a rule decide what is right, and claim that",
            )
            return


def _declared(block: t.Block) -> Iterator[tuple[str, str, t.At]]:
    """What a block declares that wants a use: kind, name, place."""
    parts: tuple[object, ...] = (block,)
    if isinstance(block, t.Rule):
        parts = block.statements
    elif isinstance(block, t.Supplied):
        parts = block.defines
    for part in parts:
        match part:
            case t.Define(name=name, at=at):
                yield "define", name, at
            case t.Decision(name=name, at=at):
                yield "decision", name, at
            case t.Option(name=name, at=at):
                yield "option", name, at
            case t.EventDecl(name=name, at=at):
                yield "event", name, at
            case _:
                pass


def _used(ruleset: Ruleset) -> dict[str, set[str]]:
    """The names that something reads, by kind.

    A define that only unused defines read is unused itself. A decision is used where it is asked, too; an
    event where mechanics follow it, a life begins or ends with it, a rule speaks of it, or it settles money.
    """
    used: dict[str, set[str]] = {
        "define": set(),
        "decision": {question.decision for question in ruleset.questions},
        "option": set(),
        "event": _events_used(ruleset),
    }
    pending = list(_terms_of(ruleset))
    while pending:
        term = pending.pop()
        match term:
            case m.CallF(function=name):
                if name not in used["define"]:
                    used["define"].add(name)
                    pending.append(ruleset.functions[name].body)
            case m.Decide(decision=name):
                used["decision"].add(name)
            case m.OptionGet(name=name):
                used["option"].add(name)
            case _:
                pass
        pending.extend(m.children(term))
    return used


def _events_used(ruleset: Ruleset) -> set[str]:
    used = {event for event, updates in ruleset.mechanics.items() if updates}
    for event in ruleset.events.values():
        if event.claims or event.moves:
            used.add(event.name)
    for life in ruleset.lives.values():
        used.update(life.begins, life.ends)
    for latch in ruleset.latches:
        used.update(name for name in (latch.event, latch.reset) if name is not None)
    used.update(breach.reset for breach in ruleset.breaches if breach.reset is not None)
    used.update(act.event for unit in ruleset.units.values() if isinstance(unit, Norm) for act in _acts(unit))
    return used


def _acts(norm: Norm) -> tuple[Act, ...]:
    return norm.acts + (norm.deadline.acts if norm.deadline is not None else ())


def _terms_of(ruleset: Ruleset) -> Iterator[Term]:
    """Every term that stands outside of a define."""
    for unit in ruleset.units.values():
        yield from unit.given
        yield from _present(unit.when)
        match unit:
            case Contribution(value=value):
                yield value
            case Norm():
                for act in _acts(unit):
                    for slot in act.slots:
                        yield from _present(slot.equals, slot.where)
    for question in ruleset.questions:
        yield question.condition
    for requirement in ruleset.requirements:
        yield requirement.condition
    for event in ruleset.events.values():
        yield from (*event.claims, *event.needs)
        for move in event.moves:
            yield from _present(move.amount, move.source, move.target, move.due)
    for updates in ruleset.mechanics.values():
        yield from _updates(updates)
    for theorem in ruleset.theorems:
        yield from _present(theorem.where, theorem.body)
    for view in ruleset.views.values():
        yield from view.terms()
    for scene in ruleset.scenes:
        yield from scene.terms()


def _updates(updates: Iterable[Update]) -> Iterator[Term]:
    for update in updates:
        match update:
            case Write(target=target, value=value, when=when) | Append(target=target, value=value, when=when):
                yield from _present(_place(target), value, when)
            case New(of=of, when=when):
                yield from _present(of, when)
            case Each(domain=domain, where=where, update=inner):
                yield from (*m.domain_terms(domain), *_present(where))
                yield from _updates((inner,))


def _place(target: Target) -> Term | None:
    match target:
        case StateTarget(key=key):
            return key
        case FieldTarget(of=of):
            return of


def _present(*terms: Term | None) -> Iterator[Term]:
    return (term for term in terms if term is not None)
