"""Compiled rules are kept from run to run, and believed only where they are exactly what they were made from."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from both_engines import judge
from logs import ready, written

from verifier.check.engine import prepare
from verifier.compile import kept, module
from verifier.compile.encoding import NotCompiledError
from verifier.compile.kernel import Compiled
from verifier.compile.module import compile_program
from verifier.compile.untold import NOTHING_UNTOLD, Untold
from verifier.core.program import Program

NAME = "uk/blackjack-1994"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GAZETTE_CACHE", str(tmp_path))
    return tmp_path


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Program]:
    """What has been compiled, and not read back."""
    found: list[Program] = []

    def compiled(program: Program, unstated: tuple[str, ...] = (), untold: Untold = NOTHING_UNTOLD) -> Any:
        found.append(program)
        return compile_program(program, unstated, untold)

    monkeypatch.setattr(module, "compile_program", compiled)
    return found


def entry(folder: Path) -> Path:
    (found,) = (folder / kept.NAMESPACE).rglob("*.json")
    return found


def test_what_is_read_back_is_what_was_compiled(folder: Path, made: list[Program]) -> None:
    program = ready(NAME).program
    first, wasm = kept.host_and_module(program)
    again, same = kept.host_and_module(prepare(NAME).program)
    assert len(made) == 1
    assert wasm == same == compile_program(program).wasm()
    assert again.why == first.why
    assert again.inputs.names == first.inputs.names
    for part in ("cells", "arrays", "tables", "rules", "noted", "met", "kept", "values", *kept.NUMBERS):
        assert getattr(again.layout, part) == getattr(first.layout, part), part


def test_both_engines_say_the_same_of_rules_that_were_kept(folder: Path, made: list[Program]) -> None:
    program = ready(NAME).program
    kept.host_and_module(program)
    kernel = Compiled.of(program)
    assert len(made) == 1
    judged = [
        judge(ready(NAME), [log], folder, kernel=kernel)
        for log, _ in zip(written(NAME), range(6), strict=False)
    ]
    assert not any(one.unlike for one in judged)
    assert any(one.explained for one in judged)


def test_without_a_place_nothing_is_kept(
    tmp_path: Path, made: list[Program], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GAZETTE_CACHE", "off")
    program = ready(NAME).program
    assert kept.host_and_module(program)[1] == kept.host_and_module(program)[1]
    assert len(made) == 2


def test_another_program_is_another_entry(folder: Path, made: list[Program]) -> None:
    """Whatever of it is other: rules left out, a duty, or the digest of its text alone."""
    program = ready(NAME).program
    others = [
        replace(program, prohibitions={}),
        replace(program, duties=program.duties[1:]),
        replace(program, ruleset=replace(program.ruleset, digest="0" * 64)),
    ]
    for one in (program, *others, program):
        assert kept.host_and_module(one)[1] == compile_program(one).wasm()
    assert len(made) == 4
    assert len({kept.digest_of(one) for one in (program, *others)}) == 4


def test_a_program_for_options_unstated_is_another_entry(folder: Path, made: list[Program]) -> None:
    program = ready("nz/roulette-1998").program
    names = tuple(program.ruleset.options)[:2]
    for unstated in ((), names, names[:1], names, ()):
        host, wasm = kept.host_and_module(program, unstated)
        assert wasm == compile_program(program, unstated).wasm()
        assert host.layout.unstated == unstated
    assert len(made) == 3


def test_a_program_for_logs_that_leave_something_out_is_another_entry(
    folder: Path, made: list[Program]
) -> None:
    program = ready("nz/roulette-1998").program
    event = next(name for name, event in program.ruleset.events.items() if event.params)
    absent = Untold(frozenset({event}))
    column = Untold(params=((event, 0, program.ruleset.events[event].params[0].name),))
    for untold in (NOTHING_UNTOLD, absent, column, absent, NOTHING_UNTOLD):
        host, wasm = kept.host_and_module(program, (), untold)
        assert wasm == compile_program(program, (), untold).wasm()
        assert host.layout.untold == untold
    assert len(made) == 3


def test_code_that_compiles_otherwise_is_another_entry(
    folder: Path, made: list[Program], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = ready(NAME).program
    kept.host_and_module(program)
    monkeypatch.setattr(kept, "_code", lambda: "another")
    kept.host_and_module(program)
    assert len(made) == 2


def signed(change: Callable[[Any], None]) -> Callable[[bytes], bytes]:
    """An entry with another value, and the digest of what it then holds."""

    def changed(data: bytes) -> bytes:
        content = json.loads(data.partition(b"\n")[2])
        change(content["value"])
        body = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
        return sha256(body).hexdigest().encode() + b"\n" + body

    return changed


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda data: data[:-9], id="cut off"),
        pytest.param(lambda data: data.replace(b"AGFzbQ", b"AGFzbR", 1), id="a byte of the module"),
        pytest.param(lambda data: b"", id="empty"),
        pytest.param(signed(lambda value: value.pop("why")), id="a part is missing"),
        pytest.param(signed(lambda value: value["numbers"].update(end="0")), id="a word for a number"),
        pytest.param(signed(lambda value: value["places"].popitem()), id="a place is missing"),
        pytest.param(signed(lambda value: value["places"].update({"cell x": [0]})), id="a place too many"),
        pytest.param(signed(lambda value: value.update(wasm="*")), id="no module"),
        pytest.param(signed(lambda value: value.update(noted=[])), id="other decisions"),
    ],
)
def test_what_is_not_as_it_was_written_is_compiled_again(
    damage: Callable[[bytes], bytes], folder: Path, made: list[Program]
) -> None:
    program = ready(NAME).program
    _, wasm = kept.host_and_module(program)
    place = entry(folder)
    before = place.read_bytes()
    place.write_bytes(damage(before))
    assert kept.host_and_module(program)[1] == wasm
    assert len(made) == 2
    assert place.read_bytes() == before


def test_what_cannot_be_compiled_is_not_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(program: Program, unstated: tuple[str, ...], untold: Untold) -> None:
        raise NotCompiledError("no code for it")

    monkeypatch.setattr(module, "compile_program", lacking)
    with pytest.raises(NotCompiledError):
        kept.host_and_module(ready(NAME).program)
    assert not list(folder.rglob("*.json"))
