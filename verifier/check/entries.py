"""From the judgements of one event to its one entry: citations, acts and values as they were meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from verifier.check.explained import displacements, values_read
from verifier.check.owing import BASES, owed_at
from verifier.check.result import (
    KIND_ORDER,
    VERDICT_ORDER,
    Act,
    Amount,
    Cause,
    Citation,
    Entry,
    Finding,
    LoggedEvent,
    Named,
    Shortfall,
)
from verifier.core.program import Program
from verifier.errors import escaped
from verifier.log.rows import Row
from verifier.log.schema import LogSchema
from verifier.model import types as ty
from verifier.model.ruleset import Norm, Param
from verifier.model.types import Type
from verifier.run.account import Explanation
from verifier.run.undefined import Reason
from verifier.run.verdict import Judgement, Required

_AMOUNT = re.compile(r"-?[0-9]+(?:/[1-9][0-9]*)?")


@dataclass(slots=True)
class Scribe:
    """Writes entries for one ruleset; citations are made once and shared."""

    program: Program
    schema: LogSchema
    _cited: dict[str, Citation] = field(default_factory=dict)

    def entry(
        self,
        number: int,
        row: Row,
        judgements: Sequence[Judgement],
        explained: Sequence[Explanation | None],
        again: Iterable[str] = (),
    ) -> Entry:
        """The entry of a row's judgements; `explained` has the explanation of each of them, if any.

        `again` says of which lives the row goes on after their end: what else is wrong with it comes of that.
        """
        findings = [Finding("impossible", "life", note=note) for note in again]
        findings += [self.finding(j, more) for j, more in zip(judgements, explained, strict=True)]
        return self._of_row(number, row, findings, judgements)

    def passing(
        self,
        number: int,
        row: Row,
        notes: Iterable[str],
        judgements: Sequence[Judgement],
        explained: Sequence[Explanation | None],
    ) -> Entry:
        """The entry of lives that pass without their end before `row`: what is wrong, and what was due."""
        findings = [Finding("impossible", "life", note=note) for note in notes]
        findings += [self.finding(j, more) for j, more in zip(judgements, explained, strict=True)]
        return self._of_row(number, row, findings, judgements, of_event=False)

    def option(self, number: int, file: str, judgement: Judgement, values: tuple[Named, ...]) -> Entry:
        """The entry of options that break a rule; no row is at fault."""
        lead = self.finding(judgement)
        finding = Finding(
            lead.verdict, "option", lead.citations, rests_on=values, causes=lead.causes, note=lead.note
        )
        return Entry(number, file, None, None, (), None, None, None, (finding,))

    def _of_row(
        self,
        number: int,
        row: Row,
        findings: list[Finding],
        judgements: Iterable[Judgement],
        of_event: bool = True,
    ) -> Entry:
        ordered = tuple(sorted(findings, key=_rank))
        names = [life.name for life in self.schema.lives]
        first = 1 if self.schema.table is not None else 0
        event = self.logged(row) if of_event else None
        return Entry(
            number,
            row.file,
            row.line,
            _key(row.lives[0]) if first else None,
            tuple((name, _key(key)) for name, key in zip(names[first:], row.lives[first:], strict=True)),
            row.seq,
            row.at,
            event,
            ordered,
            owed_at(judgements),
        )

    def logged(self, row: Row) -> LoggedEvent:
        """The row as an event, each value as the log writes it."""
        values: list[Named] = []
        for name, value in zip(self.schema.events[row.event].parameters, row.values, strict=True):
            if value is None:
                continue
            column = self.schema.columns[name]
            match column.kind:
                case "money":
                    amount = value if isinstance(value, int) else None
                    values.append(Named(name, str(value), amount))
                case "boolean":
                    values.append(Named(name, "yes" if value else "no"))
                case "written":
                    values.append(Named(name, column.encode(value)))
                case "text" | "identifier" | "integer" | "enumeration" | "time":
                    values.append(Named(name, str(value)))
        return LoggedEvent(row.actor, row.event, tuple(values), row.corrected_by)

    def finding(self, judgement: Judgement, explanation: Explanation | None = None) -> Finding:
        """One judgement, with its rules cited and the values that they read."""
        shown = {name for name, _ in (*judgement.values, *judgement.binding)}
        read = () if explanation is None else values_read(explanation)
        decided = tuple(self._decided(name, text) for name, text in judgement.values)
        short = None
        if judgement.short is not None:
            basis = BASES.get(judgement.kind, "settled wrongly")
            short = Shortfall(judgement.short.who, judgement.short.amount, basis)
        return Finding(
            judgement.verdict,
            judgement.kind,
            tuple(self.cite(rule) for rule in judgement.rules),
            tuple(self._act(required, judgement.kind == "actor") for required in judgement.required),
            decided,
            (*self._binding(judgement), *(value for value in read if value.name not in shown)),
            tuple(cause(self.program, reason) for reason in judgement.reasons),
            short,
            judgement.note,
            () if explanation is None else displacements(explanation),
        )

    def cite(self, rule_id: str) -> Citation:
        """The rule and its clause."""
        found = self._cited.get(rule_id)
        if found is None:
            ruleset = self.program.ruleset
            rule = ruleset.rules[rule_id]
            words = ruleset.laws[rule.module].clause(rule.address).text
            answers = self.program.answers.get(rule_id, ())
            found = self._cited[rule_id] = Citation(rule_id, rule.address, rule.quote, words, answers)
        return found

    def _act(self, required: Required, by: bool) -> Act:
        event, values = required
        if by:
            return Act(event, (Named("actor", values[0]),))
        params = self.program.ruleset.events[event].params
        return Act(event, tuple(named(p.name, p.type, text) for p, text in zip(params, values, strict=True)))

    def _decided(self, name: str, text: str) -> Named:
        decision = self.program.decisions.get(name.partition("(")[0])
        return Named(name, text) if decision is None else named(name, decision.type, text)

    def _binding(self, judgement: Judgement) -> tuple[Named, ...]:
        types: dict[str, Type] = {}
        for unit_id in judgement.units:
            unit = self.program.ruleset.units.get(unit_id)
            variables: tuple[Param, ...] = unit.variables if isinstance(unit, Norm) else ()
            types.update({variable.name: variable.type for variable in variables})
        return tuple(named(name, types.get(name, ty.TEXT), text) for name, text in judgement.binding)


def named(name: str, type_: Type, text: str | None) -> Named:
    """A value shown as text, its amount recovered where it is money."""
    bare = type_.of if isinstance(type_, ty.OptT) else type_
    amount: Amount | None = None
    if isinstance(bare, ty.MoneyT) and text is not None and _AMOUNT.fullmatch(text):
        fraction = Fraction(text)
        amount = fraction.numerator if fraction.denominator == 1 else fraction
    return Named(name, text, amount)


def cause(program: Program, reason: Reason) -> Cause:
    """A reason in words."""
    rules = list(dict.fromkeys(program.ruleset.units[unit].rule for unit in reason.units))
    what = escaped(reason.what)
    match reason.kind:
        case "gap":
            words = f"the law says nothing on {what} here"
        case "conflict":
            words = f"the law clashes with itself on {what}: {' against '.join(rules)}"
        case "absent":
            words = f"{what} is not there"
        case "option":
            words = f"the option {what} is not stated"
        case "unrecorded":
            words = f"the log does not record {what}"
        case "history":
            words = f"{what} may have happened before the log begins"
        case "impossible":
            words = f"{what} could not be applied"
        case "large":
            words = f"{what} is too large to check"
    return Cause(reason.kind, words, reason.kind == "unrecorded")


def _rank(finding: Finding) -> tuple[int, int]:
    return VERDICT_ORDER.index(finding.verdict), KIND_ORDER.index(finding.kind)


def _key(key: object) -> str | None:
    return None if key is None else str(key)
