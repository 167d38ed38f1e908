"""What earlier proofs found, kept beside a ruleset: it is looked at anew, and nothing is believed of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from prove_toll import toll

from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.errors import RequestError
from verifier.model.load import load
from verifier.prove import decide
from verifier.prove.desk import Desk
from verifier.prove.explore.evaluate import Asker
from verifier.prove.explore.explorer import Explorer
from verifier.prove.found import Found, Hint, beside, kept, read, written
from verifier.prove.known import SCOPE, Known
from verifier.prove.prove import Proof
from verifier.prove.proven import rules_digest
from verifier.prove.proving import Proving
from verifier.prove.question import Sometimes
from verifier.prove.solve import Settings
from verifier.prove.whole import every, prove_whole

ONLY = ("theorem",)
DRY = 'theorem dry "Nobody has paid while the bridge is raised"\n  not (raised and charged)'


def proved(program: Program, found: Found | None = None) -> Proof:
    return prove_whole(program, Settings(solvers=("z3",)), only=ONLY, found=found)


@pytest.fixture(scope="module")
def wet(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return toll(tmp_path_factory.mktemp("wet"), more=DRY)


@pytest.fixture(scope="module")
def plain(wet: Program) -> Proof:
    return proved(wet)


@pytest.fixture
def text(wet: Program, plain: Proof) -> str:
    return written(wet, [result.decided for result in plain.results], {})


def keep(program: Program, text: str) -> Found:
    place = beside(program.ruleset)
    assert place is not None
    place.write_text(text, encoding="utf-8")
    plays = kept(program.ruleset)
    assert plays is not None
    return plays


def no_search(*_: object) -> None:
    raise AssertionError("a play was looked for")


def test_a_kept_play_answers_first(wet: Program, plain: Proof, text: str) -> None:
    again = proved(wet, keep(wet, text))
    assert [r.decided.words.scope for r in again.results if isinstance(r.decided.words, Sometimes)] == [SCOPE]
    assert again.findings == plain.findings != ()


def test_events_stand_in_the_file_as_in_a_log(text: str) -> None:
    head, play = map(json.loads, text.splitlines())
    assert set(head) == {"found", "rules"}
    assert play["answers"] == [["theorem dry", "words"]]
    assert play["events"] == [
        {"actor": "keeper", "event": "charge", "traveller": "traveller1", "kind": "cart", "amount": 200},
        {"actor": "keeper", "event": "raise"},
    ]


def answer(program: Program, plays: Found) -> Sometimes | None:
    (theorem,) = (o for o in every(program) if o.kind == "theorem")
    assert theorem.question is not None
    return Known(program, plays).answer(theorem, "words", theorem.question, [Asker(program)])


Event = dict[str, object]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda events: events[:1], id="a play that shows nothing"),
        pytest.param(lambda events: [{**e, "event": "fly"} for e in events], id="an event there is none of"),
        pytest.param(lambda events: [{**e, "actor": "nobody"} for e in events], id="an actor there is not"),
        pytest.param(lambda events: [{**e, "colour": "red"} for e in events], id="a column there is not"),
        pytest.param(lambda events: [{**events[0], "amount": "200"}, events[1]], id="a value that is none"),
        pytest.param(
            lambda events: [{"event": e["event"], "actor": e["actor"]} for e in events], id="columns missing"
        ),
    ],
)
def test_what_does_not_show_it_is_passed_over(
    wet: Program, text: str, change: Callable[[list[Event]], list[Event]]
) -> None:
    head, play = map(json.loads, text.splitlines())
    other = {**play, "events": change(play["events"])}
    assert answer(wet, keep(wet, text)) is not None
    assert answer(wet, keep(wet, "\n".join(map(json.dumps, (head, other))))) is None


def test_options_there_are_none_of_are_passed_over(wet: Program, text: str) -> None:
    head, play = map(json.loads, text.splitlines())
    other = {**play, "options": {"night": True}}
    assert answer(wet, keep(wet, "\n".join(map(json.dumps, (head, other))))) is None


def test_what_breaks_a_rule_shows_nothing_of_lawful_play(wet: Program, text: str) -> None:
    head, play = map(json.loads, text.splitlines())
    (theorem,) = (o for o in every(wet) if o.kind == "theorem")
    assert theorem.question is not None
    first = {
        "actor": "traveller",
        "event": "charge",
        "traveller": "traveller1",
        "kind": "cart",
        "amount": 200,
    }
    both = [["theorem dry", "words"], ["theorem dry", "play"]]
    wrong = {**play, "answers": both, "events": [first, play["events"][1]]}
    plays = keep(wet, "\n".join(map(json.dumps, (head, wrong))))
    known, asker = Known(wet, plays), Asker(wet)
    assert known.answer(theorem, "play", theorem.question, [asker]) is None
    assert known.answer(theorem, "words", theorem.question, [asker]) is not None


def test_a_play_under_other_rules_proves_nothing(wet: Program, text: str, tmp_path: Path) -> None:
    sound = toll(tmp_path, ("charged = yes", "charged = no"), more=DRY)
    assert answer(sound, keep(wet, text)) is None
    assert proved(sound, keep(wet, text)).counts["proved"] == 1


def vain(program: Program, rules: str) -> Found:
    """That nothing was found of the theorem, under some rules."""
    lines = {"found": "bridge", "rules": rules}, {"vain": [["theorem dry", "words"]]}
    return keep(program, "\n".join(map(json.dumps, lines)))


def test_what_was_sought_in_vain_is_sought_again_where_rules_have_changed(
    wet: Program, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Nothing is there to be seen but by a search.
    monkeypatch.setattr(Explorer, "look", lambda *_: None)
    monkeypatch.setattr(decide, "all_visited", lambda *_: None)
    monkeypatch.setattr(decide, "beyond", lambda *_: None)
    monkeypatch.setattr(decide, "search", no_search)
    same = json.loads(text.splitlines()[0])["rules"]
    found = proved(wet, vain(wet, same))
    assert found.counts["undecided"] == 1
    assert [decide.SOUGHT_BEFORE in str(result.why) for result in found.results] == [True]
    assert '"vain": [["theorem dry", "words"]]' in written(wet, [r.decided for r in found.results], {})
    with pytest.raises(AssertionError, match="a play was looked for"):
        proved(wet, vain(wet, "0" * 64))


def test_a_scope_asked_for_has_no_plays_from_elsewhere(wet: Program, text: str) -> None:
    plays = keep(wet, text)
    asked = prove_whole(wet, Settings(solvers=("z3",)), only=ONLY, scope=["Traveller=1"], found=plays)
    assert SCOPE not in asked.scopes


def test_an_induction_begins_with_what_held_before_and_proves_it_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lots = lower(load(Path(__file__).parent / "rules" / "counted-lots.rules"))

    def desk(found: Found | None) -> Desk:
        return Desk(lots, Settings(solvers=("z3",)), kept=None if found is None else Known(lots, found))

    first = desk(None)
    plain = first.proven("words")
    (named,) = first.hints
    assert first.hints[named].guesses
    monkeypatch.setattr(Proving, "survivors", no_search)
    again = desk(Found(hints=first.hints))
    assert again.proven("words") == plain
    assert again.hints == first.hints
    with pytest.raises(AssertionError):
        desk(Found(hints={"0" * 64: first.hints[named]})).proven("words")
    wrong = Hint((*first.hints[named].guesses, "no such guess"))
    with pytest.raises(AssertionError):
        desk(Found(hints={named: wrong})).proven("words")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "expected"),
        ('{"found": 1, "rules": "x"}', "the digest of its rules"),
        ('{"found": "own/bridge", "rules": "x", "more": 1}', "the digest of its rules"),
        ('{"found": "own/bridge", "rules": "x"}\n{"vain": [["a", "b"]]}', "words or play"),
        ('{"found": "own/bridge", "rules": "x"}\n{"vain": "a"}', "words or play"),
        ('{"found": "own/bridge", "rules": "x"}\n{"answers": [], "options": {}, "events": [1]}', "a play"),
        (
            '{"found": "own/bridge", "rules": "x"}\n{"induction": "x", "guesses": [1], "parts": []}',
            "by their keys",
        ),
        (
            '{"found": "own/bridge", "rules": "x"}\n{"induction": "x", "guesses": [], "parts": [[1]]}',
            "list of numbers",
        ),
        ('{"vain": []}', "the digest of its rules"),
        ('{"found": "own/bridge", "rules": "x"}\n{"more": 1}', "a play, what was not found, or an induction"),
        ('{"found": "a", "found": "b", "rules": "x"}', "twice"),
    ],
)
def test_a_malformed_file_is_refused_at_its_line(tmp_path: Path, line: str, message: str) -> None:
    place = tmp_path / "bad.found.jsonl"
    place.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(RequestError, match=message) as refused:
        read(place)
    (problem,) = refused.value.problems
    assert problem.line == 1 + line.count("\n")
    assert problem.help is not None


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "bad.found.jsonl"
    place.write_bytes(b"\xff\n")
    with pytest.raises(RequestError, match="UTF-8"):
        read(place)


RULESETS = Path(__file__).parents[2] / "rulesets"
SHIPPED = sorted(path.relative_to(RULESETS) for path in RULESETS.rglob("*.found.jsonl"))


@pytest.mark.parametrize("file", SHIPPED, ids=str)
def test_what_is_shipped_is_of_these_rules(file: Path) -> None:
    ruleset = load(str(file).removesuffix(".found.jsonl"))
    found = kept(ruleset)
    assert found is not None
    assert found.rules == rules_digest(ruleset), f"write it anew: gazette prove {ruleset.name} --write-found"
    assert found.plays or found.hints
