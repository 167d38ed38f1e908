"""What changed in the rules on the clauses: options, duties, permissions, decisions and definitions.

Rules are held against those on the clauses that answer to theirs, as they are written. Nothing here is proved:
two rules written differently may mean the same, and two written alike may rest on defines that differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from verifier.diff.stated import Calling, Kind, Stated
from verifier.diff.text import TextDiff, Which, compare_laws
from verifier.errors import Problem, RequestError
from verifier.law import Law
from verifier.model.ruleset import Contribution, Norm, Option, Question, Ruleset, Unit
from verifier.model.show import Names, cite, names_of, show_term, show_unit
from verifier.model.terms import AndT, Lit
from verifier.model.types import IntT
from verifier.model.values import describe, show

Force: TypeAlias = Literal["must", "must not", "may", "decides", "asks", "defines"]
"""`asks`: it says when an answer to a decision is due."""

Fate: TypeAlias = Literal["changed", "old", "new", "beyond"]
"""Both have it and it differs; only the old or only the new has it; what is lost of the other may have it."""

FEW = 16
"""Values of an option that are listed one by one at most."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that a rule says. `about` are the events that it binds, the decision or the define.

    `when` are its conditions, those of a `given` above it first; for a define, what it is. `subject_to` are the rules
    that displace it where they apply, whichever of the two says so.
    """

    rule: str
    clause: str
    force: Force
    about: tuple[str, ...]
    says: str
    when: tuple[str, ...]
    unit: str = ""
    subject_to: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StatementChange:
    """Two statements that answer to each other and differ, or one without the other."""

    fate: Fate
    old: Statement | None
    new: Statement | None


@dataclass(frozen=True, slots=True)
class OptionSide:
    """An option: the clause that gives it, its range, what else is required of it, and what it is where nobody states
    it; empty where it then is nothing."""

    clause: str | None
    range: str
    provisos: tuple[str, ...]
    unstated: str = ""

    @property
    def said(self) -> str:
        """All of it, in a line."""
        rest = [f"{self.unstated} where nobody states it"] if self.unstated else []
        return "; ".join((f"{self.clause or 'no clause'}: {self.range}", *rest, *self.provisos))


@dataclass(frozen=True, slots=True)
class OptionChange:
    """An option whose range, proviso or value where nobody states it moved, or that only one has."""

    fate: Fate
    name: str
    old: OptionSide | None
    new: OptionSide | None


@dataclass(frozen=True, slots=True)
class RulesDiff:
    """Two rulesets: the texts of their laws, and what their rules say.

    `unread`: the files differ, and in nothing that is compared here. `alike` are statements of both, word for word the
    same: they may still rest on defines that differ. `same` is what was stated to be two names of one thing.
    """

    old: Ruleset
    new: Ruleset
    text: TextDiff
    options: tuple[OptionChange, ...]
    statements: tuple[StatementChange, ...]
    alike: tuple[StatementChange, ...]
    same: tuple[Stated, ...] = ()

    @property
    def different(self) -> bool:
        """Whether a difference was found; what lies beyond a fragment is none."""
        changes: Sequence[OptionChange | StatementChange] = (*self.options, *self.statements)
        return self.text.different or any(change.fate != "beyond" for change in changes)

    @property
    def identical(self) -> bool:
        """Whether both are the same files of rules and law."""
        return self.old.digest == self.new.digest

    @property
    def unread(self) -> bool:
        """Whether nothing was found and yet something may differ."""
        return not self.different and not self.identical


def compare_rulesets(old: Ruleset, new: Ruleset, same: Sequence[Stated] = ()) -> RulesDiff:
    """`old` and `new` by their laws and rules, with names that are stated to be the `same`. Raises `RequestError` where
    one transcribes no law.

    Of a ruleset laid over another only its own rules and its own law are read.
    """
    text = compare_laws(_law(old), _law(new))
    calling = Calling(tuple(same))
    first, second = _statements(old, text.old), _statements(new, text.new)
    alike: list[StatementChange] = []
    changes = _compared(text, first, second, alike, calling)
    options = _options(old, new, text, calling)
    return RulesDiff(old, new, text, options, tuple(changes), tuple(alike), tuple(same))


def _law(ruleset: Ruleset) -> Law:
    if ruleset.law is None:
        raise RequestError(
            Problem(
                f"the ruleset {ruleset.name} transcribes no law, so there are no clauses to compare",
                help="give a ruleset with a line `law …`",
                code="no-law",
            )
        )
    return ruleset.law


# ----------------------------------------------------------------------------------------------- statements
def _statements(ruleset: Ruleset, law: Law) -> list[Statement]:
    names = names_of(ruleset)
    displacing: dict[str, dict[str, None]] = {}
    for edge in ruleset.edges:
        displacing.setdefault(edge.loser, {})[cite(edge.winner)] = None
    found: list[Statement] = []
    for unit in ruleset.units.values():
        rule = ruleset.rules[unit.rule]
        if rule.base or rule.disapplied:
            continue
        conditions = [*unit.given, *([unit.when] if unit.when is not None else [])]
        when = [show_term(condition, names) for condition in conditions]
        if isinstance(unit, Contribution) and unit.otherwise:
            when.append("otherwise")
        force: Force = unit.force if isinstance(unit, Norm) else "decides"
        clause = _clause(law, rule.id, rule.address)
        found.append(
            Statement(
                rule.id,
                clause,
                force,
                _about(unit),
                show_unit(unit, names),
                tuple(when),
                unit.id,
                tuple(displacing.get(unit.id, ())),
            )
        )
    found += [
        _asking(question, _clause(law, rule.id, rule.address), names)
        for question in ruleset.questions
        for rule in (ruleset.rules[question.rule],)
        if not rule.base and not rule.disapplied
    ]
    for function in ruleset.functions.values():
        if function.clause is None or _canonical(law, function.clause) is None:
            continue
        params = ", ".join(f"{p.name}: {p.type}" for p in function.params)
        says = f"define {function.name}({params}): {function.type}"
        body = (show_term(function.body, names),)
        clause = _canonical(law, function.clause) or function.clause
        found.append(Statement(function.clause, clause, "defines", (function.name,), says, body))
    return found


def _asking(question: Question, clause: str, names: Names) -> Statement:
    says = f"asked {question.decision}({', '.join(v.name for v in question.variables)})"
    parts = question.condition.items if isinstance(question.condition, AndT) else (question.condition,)
    when = tuple(show_term(part, names) for part in parts if not isinstance(part, Lit))
    return Statement(question.rule, clause, "asks", (question.decision,), says, when)


def _about(unit: Unit) -> tuple[str, ...]:
    match unit:
        case Contribution(decision=decision):
            return (decision,)
        case Norm(acts=acts):
            return tuple(act.event for act in acts)


def _clause(law: Law, rule: str, address: str) -> str:
    """Where the rule stands: the definition or row that its label names, else its clause."""
    return _canonical(law, rule) or _canonical(law, address) or address


def _canonical(law: Law, address: str) -> str | None:
    found = law.canonical(address)
    return found if found in law.clauses else None


def _compared(
    text: TextDiff,
    old: Sequence[Statement],
    new: Sequence[Statement],
    same: list[StatementChange],
    calling: Calling,
) -> list[StatementChange]:
    left, right = list(old), list(new)
    changed: list[StatementChange] = []
    answers = {address: set(change.new) for change in text.changes for address in change.old}

    def match(alike: Callable[[Statement, Statement], bool], anywhere: bool = False) -> None:
        for one in list(left):
            for other in right:
                placed = anywhere or other.clause in answers.get(one.clause, ())
                if placed and alike(one, other):
                    left.remove(one)
                    right.remove(other)
                    differs = (one.says, one.when) != (other.says, other.when)
                    (changed if differs else same).append(StatementChange("changed", one, other))
                    break

    match(lambda a, b: (a.force, a.says, a.when) == (b.force, b.says, b.when))
    match(lambda a, b: (a.force, a.says) == (b.force, b.says))
    match(lambda a, b: a.force == b.force and bool(set(a.about) & _called(b, calling)))
    match(lambda a, b: (a.force, a.says, a.when) == (b.force, b.says, b.when), anywhere=True)
    lost_old, lost_new = _beyond(text, "old"), _beyond(text, "new")
    alone = [StatementChange("beyond" if s.clause in lost_old else "old", s, None) for s in left]
    alone += [StatementChange("beyond" if s.clause in lost_new else "new", None, s) for s in right]
    return _in_order([*changed, *alone], text)


def _called(statement: Statement, calling: Calling) -> set[str]:
    """What a statement of the new ruleset is about, by the old one's names where such are stated."""
    kind: Kind = "decision" if statement.force in ("decides", "asks", "defines") else "act"
    return {calling.common(kind, name) for name in statement.about}


def _beyond(text: TextDiff, which: Which) -> set[str]:
    """The clauses of `which` whose counterparts, if any, are lost with the rest of the other."""
    beyond = [change for change in text.changes if change.kind == "beyond"]
    return {address for c in beyond for address in (c.old if which == "old" else c.new)}


def _in_order(changes: Sequence[StatementChange], text: TextDiff) -> list[StatementChange]:
    """By the clauses, as the text has them."""
    old_at = {address: at for at, change in enumerate(text.changes) for address in change.old}
    new_at = {address: at for at, change in enumerate(text.changes) for address in change.new}

    def place(change: StatementChange) -> int:
        if change.old is not None:
            return old_at.get(change.old.clause, -1)
        return -1 if change.new is None else new_at.get(change.new.clause, -1)

    return sorted(changes, key=place)


# -------------------------------------------------------------------------------------------------- options
def _options(old: Ruleset, new: Ruleset, text: TextDiff, calling: Calling) -> tuple[OptionChange, ...]:
    before = {name: _side(old, option) for name, option in old.options.items()}
    after = {calling.common("option", name): _side(new, option) for name, option in new.options.items()}
    lost_old, lost_new = _beyond(text, "old"), _beyond(text, "new")
    found: list[OptionChange] = []
    for name in dict.fromkeys([*before, *after]):
        one, other = before.get(name), after.get(name)
        if one and other and replace(one, clause=None) != replace(other, clause=None):
            found.append(OptionChange("changed", name, one, other))
        if one is not None and other is None:
            found.append(OptionChange("beyond" if one.clause in lost_old else "old", name, one, None))
        if other is not None and one is None:
            found.append(OptionChange("beyond" if other.clause in lost_new else "new", name, None, other))
    return tuple(found)


def _side(ruleset: Ruleset, option: Option) -> OptionSide:
    names = names_of(ruleset)
    provisos = [
        f"{requirement.rule}: {shown}"
        for requirement in ruleset.requirements
        if option.name in _words(shown := show_term(requirement.condition, names))
    ]
    values = describe(option.type)
    run = isinstance(option.type, IntT) and None not in (option.type.low, option.type.high)
    if option.values is not None and len(option.values) <= FEW and not run:
        values = " | ".join(show(option.type, value) for value in option.values)
    unstated = "" if option.default is None else show(option.type, option.default)
    return OptionSide(option.clause, values, tuple(provisos), unstated)


def _words(text: str) -> set[str]:
    return set("".join(c if c.isalnum() or c == "_" else " " for c in text).split())
