"""Rule text over the toy law to verdicts: fragments completed and loaded, logs in one-line form run and compared.

A log line is `actor event(arg, …)`, or `end LIFE` for a life that ends without an event of its own. What
the verifier says stands after `→`: `broken 2.1`, `kept 2.1`, `not checkable 3.2 (option cap)`, several parted
by `;`, several rules by `,`. Facts in brackets (the kind of judgement, who is `short`, reasons) must be among those
found. Before the first event may stand `options: NAME = VALUE, …`, `not recorded: EVENT, …` and
`order not recorded: EVENT, …`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.errors import Problem, RuleTextError
from verifier.law import load_law
from verifier.model import types as ty
from verifier.model.load import load
from verifier.model.ruleset import Ruleset
from verifier.model.values import reader, show
from verifier.run.bench import effective_options
from verifier.run.judge import Happening, Judge, Recording
from verifier.run.undefined import Undefined
from verifier.run.verdict import Judgement

EXAMPLES = Path(__file__).parents[2] / "spec" / "examples"
LAW = "anyton/cloakroom"
HEAD = f"ruleset example\nlaw {LAW}\nuse anyton/base\n"
CLEAR = ("broken", "disputed", "undecided", "impossible")
COUNTED = ("kept", "broken", "disputed", "undecided", "not checkable")

_RULE = re.compile(r"^rule (?P<address>\d+(?:\.\d+)*(?:\([a-z]\))*)(?P<label> \[[^\]\n]+\])?$", re.MULTILINE)


@lru_cache
def words_of(address: str) -> str:
    """The first words of a clause of the toy law."""
    clause = load_law(LAW, [EXAMPLES]).clause(address)
    return " ".join((clause.intro or clause.heading or "").split()[:4]).rstrip(",;:.")


def completed(text: str) -> str:
    """A fragment as a module: with a head where it has none, and a quote for each rule that has none."""
    quoted = _RULE.sub(lambda m: f'{m.group()} "{words_of(m["address"])}"', text)
    return quoted if quoted.startswith("ruleset ") else HEAD + quoted


def loaded(text: str, folder: Path) -> Ruleset:
    """The ruleset of a fragment; raises `RuleTextError` as `load` does."""
    text = completed(text)
    name = text.split("\n", 1)[0].removeprefix("ruleset ").split(" extends")[0]
    path = folder / f"{name}.rules"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return load(path, [EXAMPLES, folder])


def program(text: str, folder: Path) -> Program:
    return lower(loaded(text, folder))


def problems(text: str, folder: Path) -> tuple[Problem, ...]:
    """What is wrong with a fragment; fails where nothing is."""
    try:
        program(text, folder)
    except RuleTextError as error:
        return error.problems
    raise AssertionError("this was to be refused, and loads:\n" + text)


@dataclass(slots=True)
class Run:
    """A log run over a program: each line as written, and as the verifier would have it annotated."""

    judge: Judge
    said: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)


def run(program_: Program, log: str) -> Run:
    """Run a log. `said` and `expected` hold one text a line, equal where the log says what the verifier says."""
    options: dict[str, object] = {}
    lacking: dict[str, frozenset[str]] = {"not recorded": frozenset(), "order not recorded": frozenset()}
    lines = [line.strip() for line in log.strip().splitlines() if line.strip()]
    while lines and (head := re.fullmatch(r"(options|not recorded|order not recorded): (.*)", lines[0])):
        lines.pop(0)
        if head[1] == "options":
            for pair in head[2].split(", "):
                name, value = pair.split(" = ")
                options[name] = value_of(program_.ruleset.options[name].type, value)
        else:
            lacking[head[1]] = frozenset(head[2].split(", "))
    recording = Recording(lacking["not recorded"], lacking["order not recorded"])
    judge = Judge(program_, effective_options(program_, options), recording)
    result = Run(judge)
    for line in lines:
        happening, _, note = line.partition("→")
        before = _counts(judge)
        why = {rule: dict(reasons) for rule, reasons in judge.why_not.items()}
        found = _step(judge, program_, happening.strip())
        expected, said = _compare(note.strip(), found, before, judge, why)
        result.expected.append(f"{happening.strip()} → {expected}")
        result.said.append(f"{happening.strip()} → {said}")
    return result


def check(text: str, log: str, folder: Path) -> Judge:
    """Load a fragment, run a log, and assert that the verifier says what the log says."""
    found = run(program(text, folder), log)
    if found.said != found.expected:
        wrong = [
            f"expected  {e}\nfound     {s}" for e, s in zip(found.expected, found.said, strict=True) if e != s
        ]
        raise AssertionError("the verifier says something else:\n" + "\n".join(wrong))
    return found.judge


def decided(text: str, name: str, item: str, folder: Path, log: str = "", **options: Any) -> object:
    """The decision's value for an item after a log, or the kinds of reason why it has none."""
    core = program(text, folder)
    judge = run(core, log).judge
    judge.machine.options = {**judge.machine.options, **options}
    judge.machine.enter(judge.state)
    decision = core.decisions[name]
    try:
        value = judge.bench.ask(
            lambda: judge.machine.decide(name, (value_of(decision.params[0].type, item),))
        )
    except Undefined as undefined:
        return sorted(f"{r.kind} {r.what}" for r in undefined.reasons)
    return value if not hasattr(decision.type, "values") else decision.type.values[value]


def _step(judge: Judge, program_: Program, text: str) -> list[Judgement]:
    if text.startswith("end "):
        return judge.end_life(text.removeprefix("end "))
    match = re.fullmatch(r"([a-z_]+) ([a-z_]+)(?:\((.*)\))?", text)
    assert match is not None, f"no event: {text}"
    event = program_.ruleset.events[match[2]]
    texts = [] if match[3] is None else split(match[3])
    assert len(texts) == len(event.params), f"{event.name} takes {len(event.params)} value(s): {text}"
    values = tuple(value_of(p.type, value) for p, value in zip(event.params, texts, strict=True))
    return judge.step(Happening(event.name, match[1], values))


def split(text: str) -> list[str]:
    """Arguments parted by commas outside brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def value_of(type_: ty.Type, text: str) -> Any:
    """A value of the type, written as in a rule or as the type declares that it is written."""
    match type_:
        case ty.OptT(of=of):
            return None if text == "none" else value_of(of, text)
        case ty.BoolT():
            return {"yes": True, "no": False}[text]
        case ty.EnumT(values=values):
            return values.index(text)
        case ty.IntT() | ty.MoneyT():
            return int(text)
        case ty.RecordT(name=name) | ty.EntityT(name=name) if text.startswith(f"{name}("):
            parts = type_.fields if isinstance(type_, ty.RecordT) else type_.keys
            inner = split(text[len(name) + 1 : -1])
            return tuple(value_of(t, v) for (_, t), v in zip(parts, inner, strict=True))
        case ty.RecordT() | ty.EntityT():
            return reader(type_)(text)
        case _:
            return text


def _counts(judge: Judge) -> dict[tuple[str, str], int]:
    return {
        (verdict, rule): getattr(tally, verdict.replace(" ", "_"))
        for rule, tally in judge.tallies.items()
        for verdict in COUNTED
    }


def _compare(
    note: str,
    found: Sequence[Judgement],
    before: dict[tuple[str, str], int],
    judge: Judge,
    why: dict[str, dict[Any, int]],
) -> tuple[str, str]:
    """The note in a standard form, and what the verifier said in the same form, with no more facts than the note."""
    wanted: dict[str, list[str]] = {}
    facts: dict[str, list[str]] = {}
    for part in note.split(";") if note else []:
        match = re.fullmatch(
            r"(\w+(?: checkable)?)(?: ([^()]*(?:\([a-z]\)[^()]*)*?))?(?: \((.*)\))?", part.strip()
        )
        assert match is not None, f"no verdict: {part}"
        verdict = match[1]
        assert verdict in (*CLEAR, *COUNTED), f"no verdict: {verdict}"
        wanted.setdefault(verdict, []).extend(x.strip() for x in (match[2] or "").split(",") if x.strip())
        if match[3]:
            facts[verdict] = [x.strip() for x in match[3].split(",")]
    said: dict[str, list[str]] = {}
    for judgement in found:
        said.setdefault(judgement.verdict, []).extend(judgement.rules)
    after = _counts(judge)
    for verdict in ("kept", "not checkable"):
        grown = [r for (v, r), n in after.items() if v == verdict and n > before.get((v, r), 0)]
        if verdict in wanted:
            grown = [r for r in grown if verdict != "kept" or r in wanted["kept"]]
            said.setdefault(verdict, []).extend(grown)
        elif verdict == "not checkable" and grown:
            said.setdefault(verdict, []).extend(grown)
    shown: dict[str, list[str]] = {}
    for verdict, texts in facts.items():
        known = {fact for j in found if j.verdict == verdict for fact in _facts(j)}
        if verdict == "not checkable":
            known |= {
                f"{r.kind} {r.what}"
                for rule, reasons in judge.why_not.items()
                for r, n in reasons.items()
                if n > why.get(rule, {}).get(r, 0)
            }
        shown[verdict] = texts if set(texts) <= known else sorted(known)
    return _standard(wanted, facts), _standard(said, shown)


def _facts(judgement: Judgement) -> list[str]:
    short = [f"{judgement.short.who} short {judgement.short.amount}"] if judgement.short else []
    binding = [f"{name} = {value}" for name, value in judgement.binding]
    return [judgement.kind, *short, *binding, *(f"{r.kind} {r.what}" for r in judgement.reasons)]


def _standard(verdicts: dict[str, list[str]], facts: dict[str, list[str]]) -> str:
    order = ("impossible", "broken", "disputed", "undecided", "not checkable", "kept")
    return "; ".join(
        f"{verdict} {', '.join(sorted(set(verdicts[verdict])))}".strip()
        + (f" ({', '.join(facts[verdict])})" if facts.get(verdict) else "")
        for verdict in order
        if verdict in verdicts
    )


def shown_value(type_: ty.Type, value: object) -> str:
    """A value in words, for assertions on state."""
    return show(type_, value)
