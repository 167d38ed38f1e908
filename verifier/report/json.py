"""A check's result as JSON, and as JSON Lines.

The document (`"gazette-check": 1`) is one object:

- `tool` {name, version, digest}, `ruleset` {name, digest, law, law_title, law_digest, in_force};
- `files` [{name, sha256, sealed, events, corrections, operator, extras, arranged}]: `corrections` are rows beside those
  of the events; `arranged` {ordered, columns [{column, name}], ignored}: whether rows were put in order, and which of
  the file's columns were read under what names, or not;
- `currency`, `exponent` (amounts are minor units);
- `options` [{name, source: log|set|default|unstated, value, tried, files}];
- `not_recorded` [{events, order_of, columns, files}] (`files` empty: all);
- `tables` [{name, rounds, events, entries, first_at, last_at}], `rounds`, `events`;
- `in_order`, `exit_code`, `strict`, `entries_total`, `faults` [{verdict, kind, entries}],
  `short` [{who, amount, basis}], `made_good` [{who, amount, basis}], `unreckoned`, `unmade`,
  `notes`, `disagreements` (where the two engines say different things: then `exit_code` is 4, and nothing else is to be
  relied on);
- `clauses` [{clause, heading, words, law, status, applied, kept, broken, disputed, undecided, not_checkable,
  why_not, unchecked, rules}] in the order of the law, each rule with the same counts;
- `entries` [entry], an entry being {number, verdict, kind, file, line, table, lives, seq, at, event, short,
  findings}; `event` is {actor, event, values, line, corrected_by} or null; a finding has {verdict, kind, rules
  [{rule, clause, quote, words, answers_for_it}], required [{event, values}], decided, rests_on, causes, short,
  note, explanation}. The first finding leads. A value is {name, text, amount}: `amount` null unless it is money,
  `text` null for any.

Integers are exact at any size; an amount that is no whole number is {"numerator", "denominator"}. Text is as the
log has it, in JSON's own escapes, plain ASCII. JSON Lines: one line `{"entry": …}` for each entry, all of them,
then one line `{"summary": …}`, which is the document without `entries`.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from verifier.check.result import (
    Act,
    Amount,
    CauseCount,
    CheckResult,
    Citation,
    ClauseResult,
    Counts,
    Entry,
    Finding,
    Named,
    OptionResult,
    Shortfall,
)
from verifier.version import code_digest

VERSION = 1
KEY = "gazette-check"


def document(result: CheckResult) -> dict[str, Any]:
    """The whole result as a JSON object."""
    return {**summary(result), "entries": [entry(item) for item in result.entries]}


def document_text(result: CheckResult) -> str:
    """The document, indented, with a newline at the end."""
    return _ascii(json.dumps(document(result), indent=2, ensure_ascii=True)) + "\n"


def entry_line(item: Entry) -> str:
    """One entry as a line of JSON Lines, with its newline."""
    return _line({"entry": entry(item)})


def summary_line(result: CheckResult) -> str:
    """The last line of JSON Lines."""
    return _line({"summary": summary(result)})


def summary(result: CheckResult) -> dict[str, Any]:
    """All but the entries."""
    ruleset = result.ruleset
    return {
        KEY: VERSION,
        "tool": {"name": "gazette-verifier", "version": result.version, "digest": code_digest()},
        "ruleset": {
            "name": ruleset.name,
            "digest": ruleset.digest,
            "law": ruleset.law,
            "law_title": ruleset.law_title,
            "law_digest": ruleset.law_digest,
            "in_force": ruleset.in_force,
        },
        "files": [
            {
                "name": file.name,
                "sha256": file.sha256,
                "sealed": file.sealed,
                "events": file.events,
                "corrections": file.corrections,
                "operator": file.operator,
                "extras": dict(file.extras),
                "arranged": {
                    "ordered": file.arranged.ordered,
                    "columns": [{"column": ours, "name": name} for ours, name in file.arranged.columns],
                    "ignored": list(file.arranged.ignored),
                },
            }
            for file in result.files
        ],
        "currency": result.currency,
        "exponent": result.exponent,
        "options": [_option(option) for option in result.options],
        "not_recorded": [
            {
                "events": list(recording.absent),
                "order_of": list(recording.unordered),
                "columns": list(recording.missing_columns),
                "before_the_log": list(recording.begun),
                "files": list(recording.files),
            }
            for recording in result.recording
        ],
        "tables": [
            {
                "name": table.name,
                "rounds": table.rounds,
                "events": table.events,
                "entries": table.entries,
                "first_at": table.first_at,
                "last_at": table.last_at,
            }
            for table in result.tables
        ],
        "rounds": result.rounds,
        "events": result.events,
        "in_order": result.in_order,
        "exit_code": int(result.exit_code),
        "strict": result.strict,
        "entries_total": result.entries_total,
        "faults": [{"verdict": f.verdict, "kind": f.kind, "entries": f.count} for f in result.faults],
        "short": [_short(short) for short in result.short],
        "made_good": [_short(short) for short in result.made_good],
        "unreckoned": result.unreckoned,
        "unmade": result.unmade,
        "notes": list(result.notes),
        "disagreements": list(result.disagreements),
        "clauses": [_clause(clause) for clause in result.clauses],
    }


def entry(item: Entry) -> dict[str, Any]:
    """One entry as a JSON object."""
    event = item.event
    return {
        "number": item.number,
        "verdict": item.lead.verdict,
        "kind": item.lead.kind,
        "file": item.file,
        "line": item.line,
        "table": item.table,
        "lives": dict(item.lives),
        "seq": item.seq,
        "at": item.at,
        "event": None
        if event is None
        else {
            "actor": event.actor,
            "event": event.event,
            "values": [_named(value) for value in event.values],
            "line": event.line,
            "corrected_by": event.corrected_by,
        },
        "short": [_short(short) for short in item.short],
        "findings": [_finding(finding) for finding in item.findings],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "verdict": finding.verdict,
        "kind": finding.kind,
        "rules": [_citation(citation) for citation in finding.citations],
        "required": [_act(act) for act in finding.required],
        "decided": [_named(value) for value in finding.decided],
        "rests_on": [_named(value) for value in finding.rests_on],
        "causes": [
            {"kind": cause.kind, "text": cause.text, "declared": cause.declared} for cause in finding.causes
        ],
        "short": None if finding.short is None else _short(finding.short),
        "note": finding.note,
        "explanation": list(finding.explanation),
    }


def _citation(citation: Citation) -> dict[str, Any]:
    return {
        "rule": citation.rule,
        "clause": citation.clause,
        "quote": citation.quote,
        "words": citation.words,
        "answers_for_it": [{"who": who, "rule": rule} for who, rule in citation.answers],
    }


def _act(act: Act) -> dict[str, Any]:
    return {"event": act.event, "values": [_named(value) for value in act.values]}


def _option(option: OptionResult) -> dict[str, Any]:
    return {
        "name": option.name,
        "source": option.source,
        "value": None if option.value is None else _named(option.value),
        "tried": list(option.tried),
        "files": list(option.files),
    }


def _clause(clause: ClauseResult) -> dict[str, Any]:
    return {
        "clause": clause.address,
        "heading": clause.heading,
        "words": clause.words,
        "law": clause.law,
        "status": clause.status,
        **_counts(clause.counts),
        "why_not": _why_not(clause.why_not),
        "unchecked": [{"kind": kind, "reason": reason} for kind, reason in clause.unchecked],
        "rules": [
            {
                "rule": rule.rule,
                "quote": rule.quote,
                **_counts(rule.counts),
                "why_not": _why_not(rule.why_not),
            }
            for rule in clause.rules
        ],
    }


def _counts(counts: Counts) -> dict[str, int]:
    return {
        "applied": counts.applied,
        "kept": counts.kept,
        "broken": counts.broken,
        "disputed": counts.disputed,
        "undecided": counts.undecided,
        "not_checkable": counts.not_checkable,
    }


def _why_not(items: tuple[CauseCount, ...]) -> list[dict[str, Any]]:
    return [
        {
            "kind": item.cause.kind,
            "text": item.cause.text,
            "declared": item.cause.declared,
            "count": item.count,
        }
        for item in items
    ]


def _named(value: Named) -> dict[str, Any]:
    amount = None if value.amount is None else _amount(value.amount)
    return {"name": value.name, "text": value.text, "amount": amount}


def _short(short: Shortfall) -> dict[str, Any]:
    return {"who": short.who, "amount": _amount(short.amount), "basis": short.basis}


def _amount(amount: Amount) -> int | dict[str, int]:
    if isinstance(amount, Fraction):
        if amount.denominator == 1:
            return amount.numerator
        return {"numerator": amount.numerator, "denominator": amount.denominator}
    return amount


def _line(value: dict[str, Any]) -> str:
    return _ascii(json.dumps(value, ensure_ascii=True, separators=(",", ":"))) + "\n"


def _ascii(text: str) -> str:
    """JSON leaves DEL as it is; nothing that a log says may reach a terminal so."""
    return text.replace("\x7f", "\\u007f")
