"""YAML is read alike on libyaml, where there is one, and without it; and refused in the same words."""

from __future__ import annotations

from typing import Any

import pytest

from verifier.log import yamltext
from verifier.log.faults import RefusedError
from verifier.log.limits import Limits

FEW = Limits(yaml_depth=4, yaml_aliases=2)


def read(text: str) -> Any:
    """What is read with the lines where it stands, or the faults for which it is refused."""
    try:
        return told(yamltext.parse_yaml(text, FEW))
    except RefusedError as refused:
        return refused.faults


def told(value: Any) -> Any:
    if isinstance(value, yamltext.Mapped):
        return value.line, value.lines, [(key, told(of)) for key, of in value.items()]
    if isinstance(value, yamltext.Listed):
        return value.line, value.lines, [told(of) for of in value]
    return type(value), value


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\nb:\n- x y=1\n- {c: 'two', d: \"three\\n\"}\n- [1.5, yes, null, ~, 007]\n",
        "a: >-\n  folded\n  text\nb: |\n  kept\n  as it is\n",
        "a: &x [1]\nb: *x\nc: *x\n",
        "",
        "# nothing\n",
        "a: 'Ünïcode ✓'\n",
    ],
)
def test_a_text_is_read_alike(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fast = read(text)
    slow_only(monkeypatch)
    assert fast == read(text)
    assert not isinstance(fast, tuple) or not any(isinstance(part, yamltext.Fault) for part in fast)


@pytest.mark.parametrize(
    "text",
    [
        "a: [1\n",
        "a: 1\na: 2\n",
        "a: !!int 1x\n- b\n",
        "a: &x [1]\nb: [*x, *x, *x]\n",
        "a: [[[[[1]]]]]\n",
        "a: *nobody\n",
        "a: 1\n---\nb: 2\n",
        "a: \a\n",
        "<<: {a: 1}\n",
        "a:\t1\n\tb: 2\n",
        "- {seq: 2, ver? dict: broken}\n",
    ],
)
def test_a_text_is_refused_in_the_same_words(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fast = read(text)
    slow_only(monkeypatch)
    assert fast == read(text)
    assert all(isinstance(fault, yamltext.Fault) for fault in fast)


@pytest.mark.parametrize("text", ["a\ufeffb: 1\n", "? a\n: b\n", "a: 1\t# first\n"])
def test_what_the_two_might_read_otherwise_is_left_to_one(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = read(text)
    slow_only(monkeypatch)
    assert found == read(text)


def slow_only(monkeypatch: pytest.MonkeyPatch) -> None:
    loader = yamltext._loader
    monkeypatch.setattr(yamltext, "_loader", lambda fast: None if fast else loader(fast=False))
