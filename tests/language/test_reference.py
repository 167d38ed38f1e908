"""The reference is true: every block of spec/language.md is run and says what the text says."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from language_bench import EXAMPLES, completed, problems, program, run
from lark import Tree

from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.errors import render
from verifier.model.load import load
from verifier.model.show import names_of
from verifier.report.html.draw import words
from verifier.run.facts import Reading
from verifier.run.judge import Judge
from verifier.run.undefined import Undefined
from verifier.run.view import Viewer
from verifier.syntax.grammar import parser, ready

REFERENCE = EXAMPLES.parent / "language.md"
GRAMMAR = EXAMPLES.parents[1] / "grammar" / "rules.lark"
KINDS = ("rules", "log", "error", "value", "drawn", "law")


@dataclass(frozen=True)
class Block:
    kind: str
    line: int
    text: str


@dataclass
class Example:
    """A block of rules (or of law) with the blocks that show what it does."""

    head: Block
    shown: list[Block] = field(default_factory=list)


def blocks() -> list[Block]:
    """Every fenced block of the reference."""
    found: list[Block] = []
    kind: str | None = None
    start, lines = 0, list[str]()
    for number, line in enumerate(REFERENCE.read_text("utf-8").split("\n"), 1):
        if line.startswith("```") and kind is None:
            kind, start, lines = line[3:], number, []
        elif line.startswith("```"):
            assert kind is not None
            found.append(Block(kind, start, "\n".join(lines) + "\n"))
            kind = None
        else:
            lines.append(line)
    assert kind is None, f"the block of line {start} does not end"
    return found


def examples() -> list[Example]:
    found: list[Example] = []
    for block in blocks():
        if block.kind in ("rules", "law"):
            found.append(Example(block))
        elif found:
            found[-1].shown.append(block)
    return found


EXAMPLES_SHOWN = examples()


def test_every_block_is_of_a_kind_that_is_run() -> None:
    assert {(b.line, b.kind) for b in blocks() if b.kind not in KINDS} == set()
    assert sum(1 + len(e.shown) for e in EXAMPLES_SHOWN) == len(blocks())
    assert len(EXAMPLES_SHOWN) > 50


@pytest.mark.parametrize("example", EXAMPLES_SHOWN, ids=[f"line {e.head.line}" for e in EXAMPLES_SHOWN])
def test_the_reference_says_what_the_verifier_says(example: Example, tmp_path: Path) -> None:
    if example.head.kind == "law":
        law = (EXAMPLES / "anyton" / "cloakroom.law").read_text("utf-8").split("\n")
        assert [x for x in example.head.text.split("\n") if x not in law] == []
        assert example.shown == []
        return
    if any(b.kind == "error" for b in example.shown):
        (error,) = example.shown
        expected = error.text.strip().split("\n")
        found = problems(example.head.text, tmp_path)
        assert len(found) == len(expected), [render(p) for p in found]
        for problem, line in zip(found, expected, strict=True):
            code, _, message = line.partition(": ")
            assert (problem.code, problem.message) == (code, message), render(problem)
        return
    core = program(example.head.text, tmp_path)
    judge = Judge(core, {})
    for block in example.shown:
        match block.kind:
            case "log":
                result = run(core, block.text)
                assert result.said == result.expected
                assert any("→" in line for line in block.text.split("\n")) or {"value", "drawn"} & {
                    b.kind for b in example.shown
                }
                judge = result.judge
            case "value":
                told(example.head.text, block.text, judge, tmp_path)
            case "drawn":
                assert drawn(judge) == [line.rstrip() for line in block.text.rstrip("\n").split("\n")]
            case other:
                raise AssertionError(other)


def drawn(judge: Judge) -> list[str]:
    """Each scene of the state that the log left, in words."""
    viewer = Viewer(judge, Reading(judge.bench, names_of(judge.program.ruleset)))
    return [f"{scene.title}: {words(scene, str)}".rstrip() for scene in viewer.draw(judge.state)]


def told(text: str, values: str, judge: Judge, folder: Path) -> None:
    """Each line `CONDITION → yes`, `no` or `undefined` of a block of values, in the state that the log left."""
    lines = [line.split("→") for line in values.strip().split("\n")]
    defines = "".join(f"define told_{n}: bool =\n  {c.strip()}\n" for n, (c, _) in enumerate(lines))
    core = with_defines(text, defines, folder)
    state = judge.state
    judge = Judge(core, judge.machine.options)
    state.counts = state.counts + [{} for _ in range(len(core.ruleset.latches) - len(state.counts))]
    judge.machine.enter(state)
    for number, (condition, value) in enumerate(lines):
        try:
            found = {True: "yes", False: "no"}[judge.machine.function(f"told_{number}", ())]
        except Undefined:
            found = "undefined"
        assert (condition.strip(), found) == (condition.strip(), value.strip())


def with_defines(text: str, defines: str, folder: Path) -> Program:
    return program(text.rstrip("\n") + "\n" + defines, folder)


def test_every_construct_of_the_grammar_is_shown() -> None:
    shown: set[str] = set()
    for block in blocks():
        if block.kind == "rules":
            shown |= names_in(parser().parse(ready(completed(block.text))))
        if block.kind == "value":
            text = "".join(f"define a: bool =\n  {x.split('→')[0]}\n" for x in block.text.strip().split("\n"))
            shown |= names_in(parser().parse(ready(text)))
    constructs = set(re.findall(r"-> ([a-z_0-9]+)$", GRAMMAR.read_text("utf-8"), re.MULTILINE))
    assert len(constructs) > 100
    assert sorted(constructs - shown) == []


def names_in(tree: Tree[object]) -> set[str]:
    return {str(node.data) for node in tree.iter_subtrees()}


def test_the_toy_law_is_a_law_and_its_base_loads() -> None:
    assert lower(load("anyton/base", [EXAMPLES])).decisions.keys() == {"fee", "liability", "rate"}
