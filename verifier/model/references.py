"""References of a ruleset to clauses that nothing else follows: each must be a clause of the law."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from verifier.errors import LawError
from verifier.model.declare import Pending
from verifier.model.edges import note_disapplied
from verifier.model.order import problem_for
from verifier.model.rules import Book, rule_id
from verifier.model.ruleset import BreachLatch, Place, Rule, named
from verifier.model.scope import Source, Text, World, nearest
from verifier.syntax import tree as t

_NOWHERE = t.At(1, 1, 1, 1)


def check_rule(source: Source, text: Text, world: World, book: Book, rule: t.Rule) -> None:
    """Raises `RuleTextError` for a clause that a rule points to, agrees with or answers for, and that is none.

    Of those that are disapplied it notes which rule names them, unless that is disapplied itself.
    """
    law, name = text.law, named(text.base, rule_id(rule.address, rule.label))
    for statement in rule.statements:
        if isinstance(statement, t.AnswersFor) and statement.role not in world.actors:
            help = nearest(statement.role, world.actors) or "declare it with `actors`"
            raise source.error(statement.at, f"there is no actor `{statement.role}`", "unknown-name", help)
        for ref in _refs(statement):
            try:
                law.clause(ref.address)
            except LawError as error:
                message = f"{law.id} has no clause {ref.address}"
                raise source.error(ref.at, message, "unknown-clause", error.problem.help) from None
            if book.applied(name):
                note_disapplied(book, name, ref, _standing(text, book, ref))


def _who(book: Book, place: Place) -> str:
    """The rule that stands at a place, or the place."""
    for rule in book.rules.values():
        if rule.place.file == place.file and rule.place.line <= place.line <= rule.place.end_line:
            return rule.id
    return f"{place.file}:{place.line}"


def _standing(text: Text, book: Book, ref: t.ClauseRef) -> list[Rule]:
    """The rules of the text on the clause that is referred to, and on those below it; none need be there."""
    law, address = text.law, text.law.clause(ref.address).address
    wanted = {address, *(clause.address for clause in law.descendants(address))}
    return [
        r
        for r in book.rules.values()
        if r.module == text.module
        and (ref.label is None or r.id == named(text.base, rule_id(ref.address, ref.label)))
        and law.canonical(r.address) in wanted
    ]


def breached(texts: Mapping[str, Text], book: Book, breach: BreachLatch) -> list[Rule]:
    """The rules that are meant where one is asked to have been broken; none where there is no such clause."""
    text = next((text for text in texts.values() if text.base == breach.base), None)
    if text is None:
        return []
    try:
        return _standing(text, book, t.ClauseRef(_NOWHERE, breach.address, breach.label))
    except LawError:
        return []


def _refs(statement: t.Statement) -> Iterator[t.ClauseRef]:
    if isinstance(statement, t.Pointer | t.AnswersFor):
        yield from statement.refs


def check_breaches(
    texts: Mapping[str, Text], world: World, book: Book, files: Mapping[str, str], pending: Pending
) -> None:
    """Adds a problem for each clause that is asked to have been broken, and on which no rule stands.

    `files` are the texts of the files by path. Of clauses that are disapplied it notes who asks.
    """
    by_base = {text.base: text for text in texts.values()}
    for breach, places in world.breach_places.items():
        if breach.base not in by_base:
            continue
        text, place = by_base[breach.base], places[0]
        law, name = text.law, rule_id(breach.address, breach.label)
        help: str | None = "transcribe the clause first, or ask of another"
        try:
            law.clause(breach.address)
        except LawError as error:
            message, help = f"{law.id} has no clause {breach.address}", error.problem.help
        else:
            ref = t.ClauseRef(_NOWHERE, breach.address, breach.label)
            found = _standing(text, book, ref)
            for asking in places:
                note_disapplied(book, _who(book, asking), ref, found)
            if found:
                continue
            message = f"no rule stands on {name}"
        pending.problems.append(
            problem_for(place, files, message, "unknown-clause", help or "check the number")
        )
