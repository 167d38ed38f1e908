"""Every seeded change of one token of New Zealand's blackjack of 1998 compared with what it was, and what is told of it
held against enumeration: `python -m tests.diff.seeds`.

A change is found where the comparison says that the two differ, at the changed rule; its regions are right where, hand
by hand, the two interpreters differ just there; what is told of duties, prohibitions and permissions is right where
play, event by event, shows nothing else. A change that is proved to change nothing must show none in either.

All of them take hours. `RECORD` keeps what came of those that were run, and of which revision; a run goes on where the
last one stopped, and drops changes that the rules no longer have.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import pytest

from tests.diff.hands import DECISIONS, gallery
from tests.diff.played import Alike, Binding, Moment, moments, turned, turned_wrongly
from tests.diff.seeded import Asked, Speaker, hold, owed_wrongly, told
from verifier.diff import table
from verifier.diff.rules import RulesDiff
from verifier.diff.whole import WholeDiff, compare
from verifier.errors import RuleTextError
from verifier.exits import Exit
from verifier.mutate.mutant import Mutant
from verifier.mutate.reasons import read_reasons
from verifier.mutate.walk import mutants
from verifier.mutate.workshop import Workshop, workshop
from verifier.prove.solve import Settings
from verifier.transcripts.case import Case, find_transcripts, read_case

ROOT = Path(__file__).parents[2]
NZ = "nz/blackjack-1998"

RECORD = Path(__file__).parent / "seeds.jsonl"
"""A line for each change that was run: its name, what came of it, in how many states and events enumeration saw a
difference, and at which revision of the tool."""

EVERY = 6
"""Of the transcripts of `NZ` one in so many is played."""


@cache
def shop() -> Workshop:
    return workshop(NZ)


@cache
def changes() -> dict[str, Mutant]:
    return {mutant.id: mutant for mutant in mutants(shop().modules)}


@cache
def idle() -> frozenset[str]:
    """The changes that are said to change nothing in lawful play."""
    return frozenset(read_reasons(ROOT / "rulesets" / "nz" / "blackjack-1998.mutants.yaml"))


@cache
def hands() -> dict[str, list[Asked]]:
    return gallery(shop().original.ruleset)


@cache
def plays() -> list[Moment]:
    return moments(shop().original, _cases())


def _cases() -> Iterator[Case]:
    for path in find_transcripts([str(ROOT / "tests" / "nz" / "transcripts")])[::EVERY]:
        yield read_case(path, shop().original)


@cache
def before() -> Speaker:
    return Speaker.of(shop().original.ruleset)


@dataclass(slots=True)
class Outcome:
    """What came of one change. `what`: *found*, *proved the same*, *open*, *refused* (no ruleset any more) or *wrong*;
    `faults` why. `idle`: the record of mutants says that it changes nothing in lawful play. `looked` at so many states
    in which both sides owe an answer; they differ in `differ`; `played` events at which a norm binds otherwise, and
    no others say the same."""

    seed: str
    words: str
    what: str = ""
    faults: list[str] = field(default_factory=list)
    regions: int = 0
    looked: int = 0
    differ: int = 0
    played: int = 0
    said: list[str] = field(default_factory=list)
    idle: bool = False
    seconds: float = 0.0


def outcome(seed: str, settings: Settings | None = None) -> Outcome:
    """A change compared and checked."""
    start = time.process_time()
    mutant = changes()[seed]
    found = Outcome(seed, mutant.words, idle=seed in idle())
    try:
        _checked(mutant, found, settings)
    except RuleTextError:
        found.what = "refused"  # whoever compares it is told so
    found.seconds = round(time.process_time() - start, 2)
    return found


def _checked(mutant: Mutant, found: Outcome, settings: Settings | None) -> None:
    old, new = shop().original, shop().made(mutant)
    with told(pytest.MonkeyPatch()) as regions:
        whole = compare(old.ruleset, new.ruleset, settings)
    assert whole.meaning is not None
    found.regions = len(regions)
    sides = before(), Speaker.of(new.ruleset, before())
    alike = Alike(old.program, new.program)
    for name in DECISIONS:
        if alike.decision(name):
            continue
        held = hold(sides, name, regions, hands()[name], whole.meaning.matters)
        found.looked += held.looked
        found.differ += held.differ
        found.faults += held.faults[:3] + owed_wrongly(whole.meaning.matters, name, held)
    decided = any(c.verdict != "same" or c.owed != "same" for c in whole.meaning.matters)
    if whole.norms or not decided:
        same = old.program.ruleset.latches == new.program.ruleset.latches
        its = Binding(new, plays() if same else moments(new, _cases()))
        met = turned(Binding(old, plays()), its)
        found.played = sum(t.alone for t in met.values())
        found.faults += turned_wrongly(met, whole.norms, decided)
    found.said = list(_said(whole))
    found.what = _what(mutant, whole, found)


def _what(mutant: Mutant, whole: WholeDiff, found: Outcome) -> str:
    if found.faults:
        return "wrong"
    if whole.exit == Exit.BROKEN:
        if not _at(mutant, whole):
            found.faults.append("a difference is found, none of them at the changed rule")
            return "wrong"
        return "found"
    if whole.exit == Exit.UNDECIDED:
        return "open"
    if whole.exit != Exit.HOLDS:
        found.faults.append(f"exit {whole.exit}")
        return "wrong"
    if found.differ or found.played:
        found.faults.append("proved the same, and enumeration shows a difference")
        return "wrong"
    return "proved the same"


def _at(mutant: Mutant, whole: WholeDiff) -> bool:
    """Whether something that differs stands on the changed rule, or reads a define that stands there. Of a define by
    itself or an option any rule that differs will do."""
    if mutant.rule.startswith(("define ", "option ")) or whole.rules.options:
        return True
    assert whole.meaning is not None
    cited = [
        rule
        for c in whole.meaning.matters
        if c.verdict != "same" or c.owed != "same"
        for rules in c.rules
        for rule in rules
    ]
    for change in whole.norms:
        if not change.same:
            both = (change.change.old, change.change.new)
            cited += [statement.rule for statement in both if statement is not None]
    written = [s for c in whole.rules.statements for s in (c.old, c.new) if s is not None]
    defined = [s.about[0] for s in written if s.force == "defines"]
    asked = {s.about[0] for s in written if s.force == "asks" and s.rule == mutant.rule}
    if any(c.name in asked and (c.owed != "same" or c.alone_counts) for c in whole.meaning.matters):
        return True  # it says when an answer is due, and that is what is told
    if any(f"{name} (" in n.what for n in whole.norms if not n.same for name in defined):
        return True  # it stands in the changed rule, and what rests on it says so
    names = {mutant.rule, *(s.rule for s in written), *_readers(whole.rules, defined)}
    return any(_is(rule, name) for rule in cited for name in names)


def _readers(rules: RulesDiff, defined: Sequence[str]) -> set[str]:
    """The rules whose conditions name one of the defines, or another that does."""
    every = [s for c in (*rules.statements, *rules.alike) for s in (c.old, c.new) if s is not None]
    found: set[str] = set()
    names, reached = set(defined), list(defined)
    while reached:
        word = re.compile(rf"\b{reached.pop()}\b")
        for statement in every:
            if any(word.search(condition) for condition in statement.when):
                found.add(statement.rule)
                if statement.force == "defines" and statement.about[0] not in names:
                    names.add(statement.about[0])
                    reached.append(statement.about[0])
    return found


def _is(cited: str, rule: str) -> bool:
    return cited == rule or cited.startswith(f"{rule} with ") or cited.endswith(f" with {rule}")


def _said(whole: WholeDiff) -> Iterator[str]:
    """What differs, in short."""
    assert whole.meaning is not None
    for c in whole.meaning.matters:
        if c.verdict != "same" or c.owed != "same":
            yield f"{c.title}: {c.verdict}, owed {c.owed}, {len(c.differences)} regions {c.why}".strip()
    for change in whole.norms:
        if not change.same:
            statement = change.change.old or change.change.new
            assert statement is not None
            yield f"{statement.unit}: {change.what}"
    yield from (f"option {c.name}" for c in whole.rules.options)
    yield from whole.background


# -------------------------------------------------------------------------------------------------------- sampling
def decides(mutant: Mutant) -> bool:
    """Whether a change is in a statement that answers a decision, or says when an answer is owed."""
    text = shop().modules.modules[-1].text
    line = text.rfind("\n  ", 0, mutant.change.shown_from + 1)
    while line >= 0 and text[line + 3] == " ":
        line = text.rfind("\n  ", 0, line)
    words = text[line : text.find("\n", line + 1)].strip()
    head = words.split("(")[0].split(" ")[0]
    return head in DECISIONS or words.startswith("asked ")


def ordered() -> list[str]:
    """All changes: decisions first, then of each rule one after the other."""
    dice = random.Random(1998)
    names = list(changes())
    dice.shuffle(names)
    first = [name for name in names if decides(changes()[name])]
    rest: dict[str, list[str]] = {}
    for name in names:
        if name not in set(first):
            rest.setdefault(changes()[name].rule, []).append(name)
    queues = list(rest.values())
    spread = [queue[at] for at in range(max(map(len, queues))) for queue in queues if at < len(queue)]
    return [*first, *spread]


def record() -> dict[str, dict[str, Any]]:
    """The rows of `RECORD` by change."""
    lines = RECORD.read_text("utf-8").splitlines() if RECORD.exists() else []
    return {row["seed"]: row for row in map(json.loads, lines)}


def _revision() -> str:
    said = subprocess.run(
        ("git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"), capture_output=True, text=True, check=True
    )
    return said.stdout.strip()


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--faults", type=Path, help="what is wrong is written here in full, a line of JSON for each"
    )
    parser.add_argument(
        "--part", default="1/1", help="of what is left one in so many, as 2/3: for several at a time"
    )
    parser.add_argument("--again", action="store_true", help="run what the record has of other revisions too")
    parser.add_argument("--only", default="", help="only changes whose names begin so")
    parser.add_argument("--every", type=int, default=0, help="one in so many, in the order of the rules")
    parser.add_argument("--most", type=int, default=10_000)
    parser.add_argument(
        "--quick",
        action="store_true",
        help="ask Z3 alone, and look for no examples: what is checked is the same",
    )
    asked = parser.parse_args(words)
    settings = Settings(solvers=("z3",)) if asked.quick else Settings()
    if asked.quick:
        table.Table._example = lambda *_: (None, None)  # type: ignore[method-assign]
    here = _revision()
    done = record()
    every = list(changes())[:: asked.every] if asked.every else ordered()
    names = [name for name in every if name.startswith(asked.only)]
    left = [n for n in names if n not in done or (asked.again and done[n]["at"] != here)]
    part, parts = map(int, asked.part.split("/"))
    for seed in left[part - 1 :: parts][: asked.most]:
        found = outcome(seed, settings)
        if found.what == "wrong" and asked.faults is not None:
            with asked.faults.open("a", encoding="utf-8") as out:
                out.write(json.dumps(asdict(found)) + "\n")
        row = {"seed": seed, "what": found.what, "differ": found.differ, "played": found.played, "at": here}
        done = record() | {seed: row}  # others may have written meanwhile
        lines = [json.dumps(done[name]) + "\n" for name in changes() if name in done]
        with NamedTemporaryFile("w", dir=RECORD.parent, delete=False, encoding="utf-8") as made:
            made.writelines(lines)
        Path(made.name).replace(RECORD)
    told_of = [done[name] for name in names if name in done]
    for kind, those in (("decisions", True), ("the rest", False)):
        mine = [row for row in told_of if decides(changes()[row["seed"]]) is those]
        asked_of = sum(decides(changes()[name]) is those for name in names)
        print(f"{kind}: {len(mine)} of {asked_of} run; {dict(Counter(row['what'] for row in mine))}")
    same = [r["seed"] for r in told_of if r["what"] == "proved the same" and r["seed"] not in idle()]
    print(
        f"proved the same, and noticed in a transcript, if only by the rule that is cited: {', '.join(same)}"
    )
    faulty = [row for row in told_of if row["what"] == "wrong"]
    for row in faulty:
        print(row["what"], row["seed"], changes()[row["seed"]].words, sep="\n  ")
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main())
