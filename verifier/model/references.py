"""References of a ruleset to clauses that nothing else follows: each must be a clause of the law."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from verifier.errors import LawError
from verifier.law import Law
from verifier.model.declare import Pending
from verifier.model.order import problem_for
from verifier.model.rules import Book, rule_id
from verifier.model.scope import Source, World, nearest
from verifier.syntax import tree as t


def check_rule(source: Source, law: Law, world: World, rule: t.Rule) -> None:
    """Raises `RuleTextError` for a clause that a rule points to, agrees with or answers for, and that is none."""
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


def _refs(statement: t.Statement) -> Iterator[t.ClauseRef]:
    if isinstance(statement, t.Pointer | t.AnswersFor):
        yield from statement.refs


def check_breaches(law: Law, world: World, book: Book, texts: Mapping[str, str], pending: Pending) -> None:
    """Adds a problem for each clause that is asked to have been broken, and on which no rule stands."""
    for breach, place in world.breach_places.items():
        name = rule_id(breach.address, breach.label)
        help: str | None = "transcribe the clause first, or ask of another"
        try:
            address = law.clause(breach.address).address
        except LawError as error:
            message, help = f"{law.id} has no clause {breach.address}", error.problem.help
        else:
            if name in book.rules or (
                breach.label is None
                and any(r.address == address or law.is_under(r.address, address) for r in book.rules.values())
            ):
                continue
            message = f"no rule stands on {name}"
        pending.problems.append(
            problem_for(place, texts, message, "unknown-clause", help or "check the number")
        )
