"""Two rulesets side by side, as JSON.

The document (`"gazette-diff": 1`) is one object:

- `tool` {name, version}; `old` and `new` {name, digest, law, law_title, law_digest, fragment};
- `same` [{kind: act|decision|option|actor|state|field|value, within, old, new}]: names stated to be of one thing;
- `exit_code`; `identical`: the files are the same; `unread`: they differ, and in nothing that is compared;
- `clauses` [{kind: one|split|joined|removed|added|beyond, old, new, moved, renumbered, reworded, words}]: `old` and
  `new` are addresses, `words` [{kind: same|changed, old, new}] both texts from the first word to the last;
- `options` [{name, fate: changed|old|new|beyond, old, new}], a side being {clause, range, provisos, unstated}
  (what it is where nobody states it; empty: nothing) or null;
- `statements` [{fate, old, new}], a side being {rule, clause, force: must|must not|may|decides|asks|defines, about,
  says, when, unit, subject_to} or null. They are compared as written; `subject_to` are the rules that displace it;
- `meaning`, null where both are the same files: {notes, apart [[old|new, name]], beyond, stock, matters}.
  `notes` tell what was taken for what, and what a ruleset supplies that its law does not say; `apart` are decisions
  that only one side has, `beyond` those of them that the other, a fragment, may have lost; `stock` is what hands are
  drawn from: {type, copies, options [[old|new, name]]} or null.
  `matters` [{name, title, about [[what, value]], closed [[parameter, term]], verdict: same|different|only old|only
  new|undecided, beyond, foreign, asked [old, new], rules [old, new], by, scope, why, disagree, unsure, uneven, echoes
  [old, new], owed, owed_by, owed_scope, differences}]: one decision, for one value of the enumerations in its
  arguments; `foreign` that the side that does not answer has no such value. `asked` is when each side owes an answer,
  `owed` (same|wider|narrower|other|unsure|open) what became of that (`owed_by` and `owed_scope`, where it is written
  otherwise and proved the same, by whom and of which states); differences are told where both owe one. `by` and
  `scope` are who proved that there are no others, of which states; `echoes` are rules that say only what others say;
  `unsure` that some rule's condition may be undefined, where nothing is compared, `uneven` that one side's alone may
  be.
  `differences` [{rank: open|sign|amount|unknown|name, answers, where, cubes, proved_by, scope, supposing, gain,
  change, weight, uncounted, unshort, beyond, kept_out, example}], what weighs most first: `answers` are pairs [then,
  now] of {rules, says, also}; `where` the region as a formula and `cubes` its conjunctions, proved equal to the
  difference by `proved_by`, given the invariants `supposing`; `where` is null where none was short, `unshort` says
  why. `gain` [then, now] is what comes to the player of one unit staked, in the example, as exact fractions in text
  ("3/2") or null; `change` their difference. `weight` {ways, of, model}: exact counts, and the model of dealing in
  words; `uncounted` why nobody counts a region that reads lists. `beyond` are the sides whose rules here the other, a
  fragment, may have lost; `kept_out` the invariants that together leave no such state, as `proved_by` proves.
  `example` {values, state, options, old, new, acts, breaks}: pairs of names and values, and what each side says:
  {value, why, rules, facts [{text, value, why, rules, read}], due, known [reason for which its ruleset accepts, as a
  finding, that there is no answer], gain {event, amount, why}, state}, its `state`
  being what is there as that side has it; `acts` [{by [old|new], event, actor}] are the events by which the sides have
  it settled, `breaks` [[old|new, invariant]] the invariants that the state does not keep;
- `norms` [{old, new, what, turn: same|wider|narrower|other|some wider|
  some narrower|unsure|open, deadline, roles, acts, why, quoted, same,
  rests, scope, by, regions}]: duties, prohibitions and permissions by meaning, a side being as in `statements`;
  `quoted` is the other law's clause in which all the words stand that the rule of a statement of one side quotes, or
  null; `rests` that it is written alike, and rests on what is not; of what is the `same` `by` and `scope` are who
  proved it, of which states; `regions`, null where their conditions are the same or only one side has any, {regions
  [{event, binds: old|new, where, unshort, long, by, scope, example {options, values, state, old {binds, facts}, new,
  breaks}}], by, scope, why, disagree, unsure}: where only one side binds, `long` being that in the rules' own
  conditions where `where` is null; `by` and `scope` say how it is known that there are no more, `unsure` that where a
  condition has no answer nothing is compared;
- `background` [text]: what differs and is not compared;
- `log`, null without one: {events, cut, untold, unasked {old, new}, unchecked {old, new}, disagreements, notes, rounds
  [{place [[life, key]], events [{log, seq, event, old, new}]}]}, a side of an event being {verdict, rules, short [[who,
  amount]], also} or null where it finds no fault, `also` verdicts of other findings there, `untold` how many events
  come out otherwise beside those, `unchecked` [{rule, times, why, declared}] what either could not judge everywhere.

Text is in JSON's own escapes, plain ASCII.
"""

from __future__ import annotations

import json
from dataclasses import asdict, fields, is_dataclass
from fractions import Fraction
from typing import Any

from verifier.diff.logs import LogDiff
from verifier.diff.sides import Example, Said
from verifier.diff.told import Difference, Meaning
from verifier.diff.whole import WholeDiff
from verifier.exits import Exit
from verifier.law import Law
from verifier.model.ruleset import Ruleset
from verifier.version import VERSION as TOOL_VERSION

VERSION = 1
KEY = "gazette-diff"


def document(whole: WholeDiff, code: Exit) -> dict[str, Any]:
    """The comparison as a JSON object."""
    diff = whole.rules
    return {
        KEY: VERSION,
        "tool": {"name": "gazette", "version": TOOL_VERSION},
        "old": _ruleset(diff.old, diff.text.old),
        "new": _ruleset(diff.new, diff.text.new),
        "exit_code": int(code),
        "same": [asdict(one) for one in diff.same],
        "identical": diff.identical,
        "unread": diff.unread,
        "clauses": [
            {
                "kind": change.kind,
                "old": list(change.old),
                "new": list(change.new),
                "moved": change.moved,
                "renumbered": change.renumbered,
                "reworded": change.reworded,
                "words": [asdict(span) for span in change.spans],
            }
            for change in diff.text.changes
        ],
        "options": [asdict(change) for change in diff.options],
        "statements": [asdict(change) for change in diff.statements],
        "meaning": None if whole.meaning is None else _meaning(whole.meaning),
        "norms": [
            {
                "old": _plain(norm.change.old),
                "new": _plain(norm.change.new),
                "what": norm.what,
                "turn": norm.turn,
                "deadline": norm.deadline,
                "roles": norm.roles,
                "acts": norm.acts,
                "why": norm.why,
                "quoted": norm.quoted,
                "same": norm.same,
                "rests": norm.rests,
                "scope": norm.scope,
                "by": list(norm.by),
                "regions": _plain(norm.told),
            }
            for norm in whole.norms
        ],
        "background": list(whole.background),
        "log": None if whole.log is None else _log(whole.log),
    }


def _meaning(meaning: Meaning) -> dict[str, Any]:
    stock = meaning.stock
    return {
        "notes": list(meaning.notes),
        "apart": _plain(meaning.apart),
        "beyond": _plain(meaning.beyond),
        "stock": None
        if stock is None
        else {"type": stock.type.name, "copies": stock.copies, "options": _plain(stock.options)},
        "matters": [
            {
                **{
                    f.name: _plain(getattr(compared, f.name))
                    for f in fields(compared)
                    if f.name != "differences"
                },
                "differences": [_difference(d) for d in compared.differences],
            }
            for compared in meaning.matters
        ],
    }


def _difference(difference: Difference) -> dict[str, Any]:
    return {
        **{f.name: _plain(getattr(difference, f.name)) for f in fields(difference) if f.name != "example"},
        "change": _plain(difference.change),
        "example": None if difference.example is None else _example(difference.example),
    }


def _example(example: Example) -> dict[str, Any]:
    return {
        "values": _plain(example.values),
        "state": _plain(example.state),
        "options": _plain(example.options),
        "old": _said(example.old),
        "new": _said(example.new),
        "acts": [
            {"by": list(act.by), "event": act.old.event, "actor": act.old.actor} for act in example.acts
        ],
        "breaks": _plain(example.breaks),
    }


def _said(said: Said) -> dict[str, Any]:
    return {
        **{f.name: _plain(getattr(said, f.name)) for f in fields(said) if f.name != "posed"},
        "state": _plain(said.posed.shown),
    }


def _log(log: LogDiff) -> dict[str, Any]:
    return {
        "events": log.events,
        "cut": log.cut,
        "untold": log.untold,
        "unasked": {"old": list(log.unasked[0]), "new": list(log.unasked[1])},
        "unchecked": {"old": _plain(log.unchecked[0]), "new": _plain(log.unchecked[1])},
        "disagreements": list(log.disagreements),
        "notes": list(log.notes),
        "rounds": [
            {
                "place": _plain(place),
                "events": [
                    {"log": e.log, "seq": e.seq, "event": e.event, "old": _plain(e.old), "new": _plain(e.new)}
                    for e in events
                ],
            }
            for place, events in log.rounds
        ],
    }


def _plain(value: Any) -> Any:
    """A value as JSON has it; a fraction is text."""
    match value:
        case Fraction():
            return str(value)
        case tuple() | list():
            return [_plain(item) for item in value]
        case _ if is_dataclass(value) and not isinstance(value, type):
            return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
        case _:
            return value


def to_json(whole: WholeDiff, code: Exit) -> str:
    """The document as text, with a newline at the end."""
    return json.dumps(document(whole, code), indent=2, ensure_ascii=True).replace("\x7f", "\\u007f") + "\n"


def _ruleset(ruleset: Ruleset, law: Law) -> dict[str, Any]:
    return {
        "name": ruleset.name,
        "digest": ruleset.digest,
        "law": law.id,
        "law_title": law.title,
        "law_digest": law.digest,
        "fragment": law.header.extent == "fragment",
    }
