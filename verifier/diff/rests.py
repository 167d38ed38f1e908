"""What a statement rests on that changed, though its own words did not: what it gives way to, defines, options."""

from __future__ import annotations

from verifier.core.program import Duty, EventNorm, Program
from verifier.diff.norms import Norms
from verifier.diff.rules import RulesDiff, Statement, StatementChange
from verifier.diff.unify import SIDES, Which
from verifier.model import terms as m
from verifier.model.show import cite
from verifier.model.terms import Term, subterms
from verifier.model.types import BOOL


class Rests:
    """Finds, among all that differs as written, what a statement reads."""

    def __init__(self, norms: Norms, rules: RulesDiff) -> None:
        self.norms = norms
        self._changed: dict[Which, dict[str, str]] = {"old": {}, "new": {}}
        for change in rules.statements:
            if change.fate != "beyond":
                for which, statement in zip(SIDES, (change.old, change.new), strict=True):
                    if statement is not None:
                        self._note(which, statement)
        self._options = {c.name: f"the option {c.name}" for c in rules.options if c.fate != "beyond"}

    def _note(self, which: Which, statement: Statement) -> None:
        program, changed = self.norms.merger.programs[which], self._changed[which]
        match statement.force:
            case "defines":
                (name,) = statement.about
                changed[name] = f"{name} ({cite(statement.rule)})"
            case "decides":
                for decision in program.decisions.values():
                    for case in decision.cases:
                        if case.unit == statement.unit:
                            changed[case.applies] = cite(statement.unit)
            case "asks":
                pass  # when an answer is due is read by whoever settles, and by no rule
            case "must" | "must not" | "may":
                for norm in self.norms.binding.by_unit[which].get(statement.unit, ()):
                    changed[_name(norm)] = cite(statement.unit)

    def on(self, change: StatementChange) -> tuple[str, ...]:
        """What a statement of both sides reads that differs as written, as either side has it: the nearest only."""
        found: dict[str, None] = {}
        for which in SIDES:
            statement = change.old if which == "old" else change.new
            assert statement is not None
            for norm in self.norms.binding.by_unit[which].get(statement.unit, ()):
                heads = () if isinstance(norm, Duty) else (norm.head,)
                self._read(
                    which, [*heads, self.norms.merger.programs[which].functions[_name(norm)].body], found
                )
        return tuple(found)

    def _read(self, which: Which, rest: list[Term], found: dict[str, None]) -> None:
        program, changed = self.norms.merger.programs[which], self._changed[which]
        seen: set[str] = set()
        while rest:
            for term in subterms(rest.pop()):
                match term:
                    case m.CallF(function=name) if name in changed:
                        found.setdefault(changed[name])
                    case m.CallF(function=name) if name not in seen:
                        seen.add(name)
                        rest.append(program.functions[name].body)
                    case m.OptionGet(name=name) if name in self._options:
                        found.setdefault(self._options[name])
                    case m.Decide(decision=name):
                        rest += _cases(program, name, seen)
                    case _:
                        pass


def _cases(program: Program, name: str, seen: set[str]) -> list[Term]:
    """What the cases of a decision say, that they apply as the calls of their functions; nothing the second time."""
    if f"decision {name}" in seen:
        return []
    seen.add(f"decision {name}")
    decision = program.decisions[name]
    args = tuple(m.Var(p.type, p.name) for p in decision.params)
    return [t for c in decision.cases for t in (m.CallF(BOOL, c.applies, args), c.value)]


def _name(norm: EventNorm | Duty) -> str:
    """The function that says when a norm binds."""
    return norm.applies if isinstance(norm, EventNorm) else norm.pending
