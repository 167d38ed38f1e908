"""What must be true of any ruleset, of rulesets that nobody thought of.

`GAZETTE_FUZZ=100-300` tries those seeds in place of the few that are tried always.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from ample import layer, rich
from brute import dead_ends, reached, stated
from little import little
from partly import complaints, played

import verifier
from verifier.check.result import CheckResult
from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.diff.whole import compare
from verifier.exits import Exit
from verifier.model.load import load
from verifier.mutate.sameness import same
from verifier.mutate.walk import mutants
from verifier.mutate.workshop import workshop
from verifier.prove.decide import decide
from verifier.prove.desk import Desk
from verifier.prove.explore.evaluate import Asker
from verifier.prove.obligations import norms
from verifier.prove.question import Answer, Mode, Never, Unknown
from verifier.prove.solve import Settings
from verifier.prove.whole import every
from verifier.run.bench import Happening
from verifier.run.judge import Judge
from verifier.run.state import State

STEPS = 300
MUTANTS = 25
"""So many mutants of a ruleset are tried."""
SEARCHED = ((1, 150), (2, 250), (4, 250)) if "GAZETTE_FUZZ" in os.environ else ((2, 40),)
"""With so many guests, so many states."""


def seeds(few: range) -> range:
    first, _, last = os.environ.get("GAZETTE_FUZZ", "").partition("-")
    return range(int(first), int(last) + 1) if first else few


Make = Callable[[int], str | tuple[str, str]]
MADE = [pytest.param(make, id=make.__name__) for make in (little, rich, layer)]


def made(folder: Path, seed: int, make: Make) -> Path:
    """A ruleset on disk; of a layer, with its base beside it."""
    texts = make(seed)
    for text in texts if isinstance(texts, tuple) else (texts,):
        path = folder / f"{text.split()[1]}.rules"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return path


# ------------------------------------------------------------------------------------------------ proofs
@pytest.mark.parametrize("seed", seeds(range(4, 5)))
@pytest.mark.parametrize("make", MADE)
def test_no_play_shows_what_is_proved_never_to_be(tmp_path: Path, seed: int, make: Make) -> None:
    _no_play_shows(lower(load(made(tmp_path, seed, make), [tmp_path])))


def _no_play_shows(program: Program) -> None:
    desk = Desk(program, Settings(solvers=("z3",)), steps=STEPS)
    asker = Asker(program)
    under = stated(program)
    under = Random(len(under)).sample(under, min(2, len(under)))
    states: Mapping[Mode, list[Seen]] = {
        "words": [(o, *seen) for o in under for seen in _states(program, False, o)],
        "play": [(o, *seen) for o in under for seen in _states(program, True, o)],
    }
    ends = [
        (o, *seen) for o in under for guests, most in SEARCHED for seen in dead_ends(program, guests, most, o)
    ]
    for obligation in every(program):
        if obligation.question is None or norms.parts(program, obligation):
            continue
        decided = decide(desk, obligation)
        if obligation.kind == "stuck":
            if isinstance(decided.play, Never):
                for options, state, path in ends:
                    assert asker.find(obligation.question, state, options) is None, (decided.play, path)
            continue
        answers: Mapping[Mode, Answer | None] = {"words": decided.words, "play": decided.play}
        for mode, answer in answers.items():
            assert not (isinstance(answer, Unknown) and answer.disagree), (obligation.id, answer)
            if isinstance(answer, Never):
                for options, state, path in states[mode]:
                    found = asker.find(obligation.question, state, options)
                    assert found is None, (obligation.id, answer, options, path)


Seen = tuple[Mapping[str, object], State, tuple[Happening, ...]]


def _states(
    program: Program, lawful: bool, options: Mapping[str, object]
) -> list[tuple[State, tuple[Happening, ...]]]:
    return [found for guests, most in SEARCHED for found in reached(program, guests, most, lawful, options)]


# ------------------------------------------------------------------------------------------------ partial records
@pytest.mark.parametrize("seed", seeds(range(51, 55)))
@pytest.mark.parametrize("make", MADE)
def test_what_is_said_of_part_of_a_record_is_so_of_the_whole(tmp_path: Path, seed: int, make: Make) -> None:
    program = lower(load(made(tmp_path, seed, make), [tmp_path]))
    for turn in range(4):
        assert list(complaints(program, Random(f"{seed} {turn}"))) == []


# ------------------------------------------------------------------------------------------------ two engines
@pytest.mark.parametrize("seed", seeds(range(11, 14)))
@pytest.mark.parametrize("make", MADE)
def test_both_engines_find_the_same_in_any_log(tmp_path: Path, seed: int, make: Make) -> None:
    rules = made(tmp_path, seed, make)
    log = written(tmp_path / "log.jsonl", rules, seed)
    ready = verifier.load(rules, [tmp_path])
    one, other = ready.check(log, engine="explain"), ready.check(log, engine="bulk")
    assert other.notes == one.notes
    assert said(other) == said(one)
    assert counts(other) == counts(one)


def counts(result: CheckResult) -> list[object]:
    """What stands of each clause, but for how often its answers were read: the kernel counts that of some rounds."""
    return [[replace(rule, read=None) for rule in clause.rules] for clause in result.clauses]


VALUES: dict[str, list[object]] = {
    "cap": [1, 2, 3],
    "few": [0, 2],
    "way": ["idle", "open", "done"],
    "lax": [True, False],
    "fine": [0, 2],
}
"""What options may be stated to be."""


def said(result: CheckResult) -> list[object]:
    return [(e.seq, e.lives, [(f.verdict, f.kind, f.citations) for f in e.findings]) for e in result.entries]


def written(path: Path, rules: Path, seed: int) -> Path:
    """A log of whatever events, at three tables."""
    header: dict[str, object] = {
        "gazette-log": 1,
        "operator": "nobody",
        "ruleset": rules.read_text("utf-8").split()[1],
        "currency": "XTS",
        "exponent": 2,
    }
    base = rules.with_name(f"r{seed}.rules")
    text, r = (
        "".join(path.read_text("utf-8") for path in sorted({rules, base}) if path.exists()),
        Random(seed),
    )
    options = {name: VALUES[name] for name in re.findall(r"^  option (\w+):", text, re.MULTILINE)}
    header["options"] = {name: r.choice(some) for name, some in options.items() if r.random() < 0.8}
    rows = list(_rows(text, r))
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
    spell = re.search(r"^life spell .*ends (\w+)$", rules, re.MULTILINE)
    for table in range(3):
        seq, spells = 0, 1
        for trip in range(1, 41):
            names = [r.choice(list(events)) for _ in range(r.choice([1, 2, 3, 5, 8]))]
            for name in [*(n for n in names if n != "leave"), "leave"]:
                seq += 1
                row: dict[str, object] = {"season": f"T{table}", "trip": trip, "seq": seq}
                row |= {"spell": spells} if spell else {}
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
                spells += bool(spell) and spell[1] == name


# ------------------------------------------------------------------------------------------------ two laws
@pytest.mark.parametrize("seed", seeds(range(31, 33)))
@pytest.mark.parametrize("make", MADE)
def test_where_nothing_is_said_to_differ_no_log_is_judged_otherwise(
    tmp_path: Path, seed: int, make: Make
) -> None:
    old = made(tmp_path / "old", seed, make)
    new = made(tmp_path / "new", seed, make)
    new.write_text(one_change(old.read_text("utf-8"), Random(seed)), "utf-8")
    search = {old: [tmp_path / "old"], new: [tmp_path / "new"]}
    try:
        whole = compare(load(old, search[old]), load(new, search[new]), Settings(solvers=("z3",)))
    except verifier.RuleTextError:
        return
    log = written(tmp_path / "log.jsonl", old, seed)
    results = [verifier.load(path, search[path]).check(log, engine="explain") for path in (old, new)]
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
        if lines[at].startswith("  ") and not re.match(r"  (option|.*decision)", lines[at])
        for old, new in swaps
        for found in re.finditer(rf"(?<![\w.(<>!=]){re.escape(old)}(?![\w.(<>=])", lines[at])
    ]
    if not places:
        return text
    at, start, end, new = r.choice(places)
    lines[at] = lines[at][:start] + new + lines[at][end:]
    return "\n".join(lines)


# ------------------------------------------------------------------------------------------------ mutants
@pytest.mark.parametrize("seed", seeds(range(41, 43)))
@pytest.mark.parametrize("make", MADE)
def test_a_mutant_that_is_proved_the_same_is_judged_the_same(tmp_path: Path, seed: int, make: Make) -> None:
    shop = workshop(made(tmp_path, seed, make))
    original = shop.original.program
    desk = Desk(original, Settings(solvers=("z3",)), steps=STEPS)
    several = list(mutants(shop.modules))
    for mutant in Random(seed).sample(several, min(MUTANTS, len(several))):
        try:
            changed = shop.made(mutant).program
        except verifier.RuleTextError:
            continue
        if same(desk, changed) is None:
            continue
        for turn in range(6):
            r = Random(f"{seed} {turn}")
            options = r.choice(stated(original))
            happenings = played(original, r, options)
            assert judged(original, options, happenings) == judged(changed, options, happenings), mutant


def judged(program: Program, options: Mapping[str, object], happenings: Sequence[Happening]) -> list[object]:
    judge = Judge(program, dict(options))
    return [[(j.verdict, j.kind, j.rules) for j in judge.step(h)] + [dict(judge.tallies)] for h in happenings]
