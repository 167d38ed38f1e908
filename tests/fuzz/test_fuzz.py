"""What must be true of any ruleset, of rulesets that nobody thought of.

`GAZETTE_FUZZ=100-300` tries those seeds in place of the few that are tried always.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from brute import dead_ends, reached
from little import little

import verifier
from verifier.check.result import CheckResult
from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.diff.whole import compare
from verifier.exits import Exit
from verifier.model.load import load
from verifier.prove.decide import decide
from verifier.prove.desk import Desk
from verifier.prove.explore.evaluate import Asker
from verifier.prove.obligations import norms
from verifier.prove.question import Answer, Mode, Never, Unknown
from verifier.prove.solve import Settings
from verifier.prove.whole import every
from verifier.run.bench import Happening
from verifier.run.state import State

STEPS = 300
SEARCHED = ((1, 150), (2, 250), (4, 250))
"""With so many guests, so many states."""


def seeds(few: range) -> range:
    first, _, last = os.environ.get("GAZETTE_FUZZ", "").partition("-")
    return range(int(first), int(last) + 1) if first else few


def made(folder: Path, seed: int) -> Path:
    path = folder / f"r{seed}.rules"
    path.write_text(little(seed), "utf-8")
    return path


# ------------------------------------------------------------------------------------------------ proofs
@pytest.mark.parametrize("seed", seeds(range(2, 4)))
def test_no_play_shows_what_is_proved_never_to_be(tmp_path: Path, seed: int) -> None:
    program = lower(load(made(tmp_path, seed)))
    desk = Desk(program, Settings(solvers=("z3",)), steps=STEPS)
    asker = Asker(program)
    states: Mapping[Mode, list[tuple[State, tuple[Happening, ...]]]] = {
        "words": _states(program, lawful=False),
        "play": _states(program, lawful=True),
    }
    ends = [found for guests, most in SEARCHED for found in dead_ends(program, guests, most)]
    for obligation in every(program):
        if obligation.question is None or norms.parts(program, obligation):
            continue
        decided = decide(desk, obligation)
        if obligation.kind == "stuck":
            if isinstance(decided.play, Never):
                for state, path in ends:
                    assert asker.find(obligation.question, state, {}) is None, (decided.play, path)
            continue
        answers: Mapping[Mode, Answer | None] = {"words": decided.words, "play": decided.play}
        for mode, answer in answers.items():
            assert not (isinstance(answer, Unknown) and answer.disagree), (obligation.id, answer)
            if isinstance(answer, Never):
                for state, path in states[mode]:
                    assert asker.find(obligation.question, state, {}) is None, (obligation.id, answer, path)


def _states(program: Program, lawful: bool) -> list[tuple[State, tuple[Happening, ...]]]:
    return [found for guests, most in SEARCHED for found in reached(program, guests, most, lawful)]


# ------------------------------------------------------------------------------------------------ two engines
@pytest.mark.parametrize("seed", seeds(range(11, 23)))
def test_both_engines_find_the_same_in_any_log(tmp_path: Path, seed: int) -> None:
    rules = made(tmp_path, seed)
    log = written(tmp_path / "log.jsonl", rules, seed)
    ready = verifier.load(rules)
    one, other = ready.check(log, engine="explain"), ready.check(log, engine="bulk")
    assert other.notes == one.notes
    assert said(other) == said(one)
    assert counts(other) == counts(one)


def counts(result: CheckResult) -> list[object]:
    """What stands of each clause, but for how often its answers were read: the kernel counts that of some rounds."""
    return [[replace(rule, read=None) for rule in clause.rules] for clause in result.clauses]


def said(result: CheckResult) -> list[object]:
    return [(e.seq, e.lives, [(f.verdict, f.kind, f.citations) for f in e.findings]) for e in result.entries]


def written(path: Path, rules: Path, seed: int) -> Path:
    """A log of whatever events, at three tables."""
    header = {
        "gazette-log": 1,
        "operator": "nobody",
        "ruleset": f"little/r{seed}",
        "currency": "XTS",
        "exponent": 2,
    }
    rows = list(_rows(rules.read_text("utf-8"), Random(seed)))
    whole = [{**header, "records": "all", "missing_columns": ["at"]}, *rows]
    body = "".join(json.dumps(row) + "\n" for row in whole)
    end = {"events": len(rows), "sha256": hashlib.sha256(body.encode()).hexdigest()}
    path.write_text(body + json.dumps({"gazette-log-end": end}) + "\n", "utf-8")
    return path


def _rows(rules: str, r: Random) -> Iterator[dict[str, object]]:
    events = {
        name: [param.split(": ") for param in params.split(", ") if param]
        for name, params in re.findall(r"^event (\w+)(?:\(([^)]*)\))? by", rules, re.MULTILINE)
    }
    for table in range(3):
        seq = 0
        for trip in range(1, 41):
            names = [r.choice(list(events)) for _ in range(r.choice([1, 2, 3, 5, 8]))]
            for name in [*(n for n in names if n != "leave"), "leave"]:
                seq += 1
                row: dict[str, object] = {"season": f"T{table}", "trip": trip, "seq": seq}
                row |= {"actor": r.choice(["keeper", "guest"]), "event": name}
                for param, type_ in events[name]:
                    match type_:
                        case "Guest" | "Seat":
                            row["guest" if type_ == "Seat" else param] = f"g{r.randint(1, 3)}"
                        case "Place":
                            row[param] = r.randint(1, 3)
                        case _:
                            row[param] = r.randint(0, 3)
                yield row


# ------------------------------------------------------------------------------------------------ two laws
@pytest.mark.parametrize("seed", seeds(range(31, 39)))
def test_where_nothing_is_said_to_differ_no_log_is_judged_otherwise(tmp_path: Path, seed: int) -> None:
    old = made(tmp_path, seed)
    (tmp_path / "new").mkdir()
    new = tmp_path / "new" / old.name
    changed = one_change(old.read_text("utf-8"), Random(seed))
    new.write_text(changed, "utf-8")
    try:
        whole = compare(load(old), load(new), Settings(solvers=("z3",)))
    except verifier.RuleTextError:
        return
    log = written(tmp_path / "log.jsonl", old, seed)
    results = [verifier.load(path).check(log, engine="explain") for path in (old, new)]
    if said(results[0]) != said(results[1]):
        assert whole.exit != Exit.HOLDS


def one_change(text: str, r: Random) -> str:
    """One word, sign or number of one rule changed."""
    swaps = (
        ("win", "lose"), ("lose", "off"), ("and", "or"), ("or", "and"), ("<=", "<"), ("<", "<="), (">", ">="),
        (">=", ">"), ("!=", "="), ("some", "every"), ("every", "some"), ("none", "some"), ("trip", "season"),
        ("season", "trip"), ("must not", "may"), ("1", "2"), ("2", "3"), ("0", "1"),
    )  # fmt: skip
    lines = text.split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith("rule "))
    last = next(i for i, line in enumerate(lines) if line.startswith("invariant "))
    places = [
        (at, found.start(), found.end(), new)
        for at in range(first, last)
        if lines[at].startswith("  ") and "decision" not in lines[at]
        for old, new in swaps
        for found in re.finditer(rf"(?<![\w.(<>!=]){re.escape(old)}(?![\w.(<>=])", lines[at])
    ]
    if not places:
        return text
    at, start, end, new = r.choice(places)
    lines[at] = lines[at][:start] + new + lines[at][end:]
    return "\n".join(lines)
