"""Plays that people wrote as transcripts: what they lead to is judged anew, and looked at before any search."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest
from prove_toll import toll, written

from verifier.check.engine import Prepared
from verifier.check.schema import bind
from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.errors import LogError, RequestError
from verifier.model.load import load
from verifier.prove import decide
from verifier.prove import told as told_module
from verifier.prove.explore.evaluate import Asker
from verifier.prove.explore.explorer import Explorer
from verifier.prove.extent import scopes
from verifier.prove.prove import Proof
from verifier.prove.question import Mode, Sometimes
from verifier.prove.solve import Settings
from verifier.prove.told import Tellings, told
from verifier.prove.whole import every, prove_whole
from verifier.simulate.simulate import simulate

WANTED = """
reachable paid "Somebody has paid"
  charged

reachable paid_and_lowered "Somebody has paid, and the bridge, which was raised, is down"
  charged and not raised and raise has happened since arrive(any)

theorem dry "Nobody has paid while the bridge is raised"
  not (raised and charged)
"""

KEPT = """
about: A traveller pays, and waits for the bridge.
ruleset: bridge
events:
- keeper raise
- keeper lower
- traveller arrive traveller=ann
- keeper charge traveller=ann kind=foot amount=50
- keeper raise
- keeper lower
- traveller cross traveller=ann
- traveller leave
expect: {faults: [], kept: ["1.1"]}
"""

BROKEN = """
about: Nobody is charged before the crossing.
ruleset: bridge
events:
- traveller arrive traveller=bob
- traveller cross traveller=bob
- keeper charge traveller=bob kind=cart amount=200
- keeper raise
expect: {faults: [{seq: 2, verdict: broken, clauses: ["1.1"]}]}
"""


@pytest.fixture(scope="module")
def bridge(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return toll(tmp_path_factory.mktemp("told"), more=WANTED)


def write(folder: Path, *texts: str) -> Path:
    for number, text in enumerate(texts, 1):
        (folder / f"{number}.transcript.yaml").write_text(text, encoding="utf-8")
    return folder


def ready(program: Program) -> Prepared:
    return Prepared(program.ruleset, program, bind(program.ruleset))


def proved(program: Program, *paths: Path) -> Proof:
    return prove_whole(
        program,
        Settings(solvers=("z3",)),
        only=("reachable_*", "theorem_*"),
        told=told(ready(program), paths) if paths else None,
    )


def answer(program: Program, name: str, mode: Mode, *paths: Path) -> Sometimes | None:
    (one,) = (o for o in every(program) if o.id == name)
    assert one.question is not None
    tellings = Tellings(program, told(ready(program), paths))
    return tellings.answer(one.question, mode, (Asker(program),))


def test_what_is_told_answers_before_anything_is_looked_for(
    bridge: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_search(*_: object) -> None:
        raise AssertionError("a play was looked for")

    plain = proved(bridge)
    monkeypatch.setattr(decide, "search", no_search)
    monkeypatch.setattr(decide, "beyond", no_search)
    monkeypatch.setattr(Explorer, "look", lambda *_: None)
    again = proved(bridge, write(tmp_path, KEPT, BROKEN))
    assert [(r.name, r.verdict) for r in again.results] == [(r.name, r.verdict) for r in plain.results]
    scopes = {
        a.scope for r in again.results for a in (r.decided.words, r.decided.play) if isinstance(a, Sometimes)
    }
    assert "a play from 1.transcript.yaml" in scopes


def test_the_play_is_what_it_takes_and_no_more(bridge: Program, tmp_path: Path) -> None:
    found = answer(bridge, "reachable paid_and_lowered", "play", write(tmp_path, KEPT))
    assert found is not None
    assert found.play is not None
    assert found.play.lawful
    assert found.scope == "a play from 1.transcript.yaml"
    assert [h.event for h in found.play.happenings] == ["charge", "raise", "lower"]


def test_states_alike_in_what_is_read_are_asked_once(
    bridge: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    class Counting(Asker):
        def find(self, *given: object, **named: object) -> dict[str, object] | None:
            asked.append(1)
            return super().find(*given, **named)  # type: ignore[arg-type]

    def answers() -> list[Sometimes | None]:
        asker = Counting(bridge)
        return [tellings.answer(o.question, "words", (asker,)) for o in every(bridge) if o.question]

    tellings = Tellings(bridge, told(ready(bridge), [write(tmp_path, KEPT, BROKEN)]))
    once, few = answers(), len(asked)
    different = count()
    monkeypatch.setattr(told_module, "look", lambda *_: (next(different),))
    assert answers() == once
    assert few < len(asked) - few
    assert None in once
    assert any(once)


def test_who_looks_makes_no_difference(bridge: Program, tmp_path: Path) -> None:
    obligations = [o for o in every(bridge) if o.wanted == "sometimes" and o.question]
    paths = [write(tmp_path, KEPT, BROKEN)]
    alone, shared = (
        dict(Tellings(bridge, told(ready(bridge), paths)).answers(obligations, scopes(bridge)[0], jobs))
        for jobs in (1, 2)
    )
    assert alone == shared
    assert "reachable paid_and_lowered" in alone


def test_what_breaks_a_rule_tells_nothing_of_lawful_play(bridge: Program, tmp_path: Path) -> None:
    late = KEPT.replace("- keeper charge traveller=ann kind=foot amount=50\n", "").replace(
        "- traveller cross traveller=ann\n",
        "- traveller cross traveller=ann\n- keeper charge traveller=ann kind=foot amount=50\n",
    )
    folder = write(tmp_path, late)
    assert answer(bridge, "reachable paid_and_lowered", "play", folder) is None
    assert answer(bridge, "reachable paid_and_lowered", "words", folder) is not None


@pytest.mark.parametrize(
    "told_in_part",
    [
        pytest.param("records: [raise, lower, arrive, charge, cross, leave]", id="events not recorded"),
        pytest.param("begun: [bridge]", id="begun before"),
        pytest.param("unordered: [raise]", id="order not recorded"),
        pytest.param("missing_columns: [charge.amount]", id="a column missing"),
    ],
)
def test_what_leaves_something_out_tells_nothing(bridge: Program, tmp_path: Path, told_in_part: str) -> None:
    text = KEPT.replace("ruleset: bridge", f"ruleset: bridge\n{told_in_part}")
    if "amount" in told_in_part:
        text = text.replace(" amount=50", "")
    assert answer(bridge, "reachable paid_and_lowered", "words", write(tmp_path, text)) is None


@pytest.mark.parametrize(
    ("stated", "lawful"), [("", True), ("options: {fare: 50}", True), ("options: {fare: 80}", False)]
)
def test_an_option_that_is_left_out_is_chosen_so_that_the_play_is_lawful(
    tmp_path: Path, stated: str, lawful: bool
) -> None:
    path = written(
        tmp_path, ("toll(k) = 50 when k = foot", "option fare: {80, 50}\n  toll(k) = fare when k = foot")
    )
    program = lower(load(path))
    text = KEPT.replace("ruleset: bridge", f"ruleset: bridge\n{stated}" if stated else "ruleset: bridge")
    tellings = Tellings(program, told(ready(program), (write(tmp_path, text),)))
    assert {one.table.options["fare"] for one in tellings.reached()} == {50 if lawful else 80}
    assert all(one.lawful for one in tellings.reached()) is lawful


def test_transcripts_that_are_not_there_or_malformed_are_refused(bridge: Program, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="no such file"):
        told(ready(bridge), (tmp_path / "none",))
    with pytest.raises(LogError):
        told(ready(bridge), (write(tmp_path, KEPT.replace("charge traveller=ann", "charge")),))


def test_the_digest_is_of_what_the_transcripts_say(bridge: Program, tmp_path: Path) -> None:
    folder = write(tmp_path, KEPT)
    before = told(ready(bridge), (folder,)).digest
    assert told(ready(bridge), (folder,)).digest == before
    assert (
        told(ready(bridge), (write(tmp_path, KEPT.replace("foot amount=50", "cart amount=200")),)).digest
        != before
    )


def test_a_log_tells_as_a_transcript_does(bridge: Program, tmp_path: Path) -> None:
    path = tmp_path / "played.jsonl"
    simulate(ready(bridge), path, rounds=20, seed=3)
    found = answer(bridge, "reachable paid", "play", path)
    assert found is not None
    assert found.scope == "a play from played.jsonl"


def test_what_has_too_many_events_is_refused(bridge: Program, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
    one, two = write(tmp_path / "one", KEPT), write(tmp_path / "two", KEPT)
    with pytest.raises(RequestError, match="too many events"):
        told(ready(bridge), (one,), 7)
    assert [len(table.happenings) for table in told(ready(bridge), (one,), 8).tables] == [8]
    with pytest.raises(RequestError, match="too many events") as refused:
        told(ready(bridge), (one, two), 15)
    assert "they have more than 15 events between them" in str(refused.value)
    assert [len(table.happenings) for table in told(ready(bridge), (one, two), 16).tables] == [8, 8]
