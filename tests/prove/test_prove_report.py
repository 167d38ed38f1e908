"""Text, JSON and the page of a proof."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from prove_toll import CLASH, CLASHING, LAPSED, UNKNOWN, Fake, dead, of_each_kind, proof_of_each_kind, toll

from verifier.core.lower import lower
from verifier.model.load import load
from verifier.prove.prove import Proof, prove
from verifier.report.prove_json import document, document_text
from verifier.report.prove_page import code, markdown, page, stale
from verifier.report.prove_text import Lines, closing, finding_text, opening, text

HERE = Path(__file__).parent
ACCEPTS = 'accepted finding dead_rule_1_1 "the keeper takes no toll"'


@pytest.fixture
def proof(tmp_path: Path) -> Proof:
    """Something of each verdict but a disagreement."""
    return proof_of_each_kind(toll(tmp_path, CLASH, more=ACCEPTS))


def without_digests(words: str) -> str:
    """Lines that hold a digest or a version change with every edit of the rules, the solvers, or ours."""
    marks = ("sha256:", "SHA-256", "gazette-verifier", "<!-- gazette-report")
    return "".join(line for line in words.splitlines(keepends=True) if not any(m in line for m in marks))


# -------------------------------------------------------------------------------------------------------- text
def test_the_text_as_it_is_read(proof: Proof) -> None:
    assert without_digests(text(proof)) == (HERE / "data" / "prove.txt").read_text("utf-8")


def test_the_text_is_what_streams_while_it_runs(tmp_path: Path, proof: Proof) -> None:
    lines = Lines()
    parts = [opening(proof.about), *(lines.line(result) for result in proof.results), closing(proof, lines)]
    assert "".join(parts) == text(proof)
    assert all(len(lines.line(result).splitlines()) == 1 for result in proof.results)


def test_only_timings_differ_from_run_to_run(proof: Proof) -> None:
    assert "Slowest" not in text(proof)
    timed = text(proof, timings=True)
    assert timed.count(" s  ") == len(proof.results)
    assert timed.replace(timed[timed.index("\nSlowest") : timed.index("\nSummary")], "") == text(proof)


def test_why_it_is_undecided_or_who_disagrees(tmp_path: Path) -> None:
    program = toll(tmp_path)
    answers = {"dead rule 1.1": (UNKNOWN, None), "dead rule 1.2": (CLASHING, None)}
    shown = text(prove(program, [dead(), dead("1.1")], Fake(answers)))
    assert "Undecided\n dead_rule_1_1: 1.1 applies somewhere\n     z3: max. resource limit" in shown
    assert (
        "Answers that contradict each other\n dead_rule_1_2: 1.2 applies somewhere\n     z3 says unsat"
        in shown
    )


def test_what_was_left_out_is_said(tmp_path: Path) -> None:
    program = toll(tmp_path, CLASH)
    obligations, fake = of_each_kind(program)
    assert "1 obligation (of 6: only gap_toll): 1 undecided." in text(
        prove(program, obligations, fake, only=["gap_toll"])
    )


def test_controls_are_escaped_and_colour_is_only_where_asked(tmp_path: Path, proof: Proof) -> None:
    odd = replace(dead(), claim="up\x1b[31m and \u202e down")
    proved = prove(toll(tmp_path), [odd], Fake({odd.id: (UNKNOWN, None)}))
    for shown in (text(proved), page(proved)):
        assert "\x1b" not in shown
        assert "\u202e" not in shown
    assert "up\\x1b[31m and \\u202e down" in text(proved)
    assert "\x1b" not in text(proof)
    assert "\x1b[1;31mrefuted" in text(proof, colour=True)


def test_many_rules_without_an_answer_are_cut_to_the_nearest(tmp_path: Path) -> None:
    (finding,) = (f for f in proof_of_each_kind(toll(tmp_path, CLASH)).findings if f.kind == "conflict")
    shown = finding_text(finding)
    assert "1.1(a) says 50: k = foot" in shown
    assert "1.1(b) says 200: k in {foot, cart}" in shown
    assert "3. traveller  cross(ann)   breaks 1.2, 1.1" in shown


# -------------------------------------------------------------------------------------------------------- JSON
TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT}
MAYBE = {"type": ["string", "null"]}


def an(**properties: object) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def several(of: object) -> dict[str, object]:
    return {"type": "array", "items": of}


def maybe(of: object) -> dict[str, object]:
    return {"anyOf": [of, {"type": "null"}]}


COUNT = {"type": "integer", "minimum": 0}
VERDICT = {"enum": ["proved", "refuted", "accepted", "undecided", "disagreement"]}
TALLY = an(disagreement=COUNT, refuted=COUNT, undecided=COUNT, accepted=COUNT, proved=COUNT)
NAMED = an(name=TEXT, value=TEXT)
CITED = an(rule=TEXT, clause=TEXT, quote=TEXT, words=TEXT)
ANSWER = {
    "oneOf": [
        an(
            answer={"const": "never"},
            how={"enum": ["typed", "induction", "exhaustion"]},
            scope=TEXT,
            any_size={"type": "boolean"},
            by=TEXTS,
            using=TEXTS,
        ),
        an(answer={"const": "sometimes"}, events=maybe(COUNT), breaks=TEXTS, scope=TEXT, by=TEXTS),
        an(answer={"const": "unknown"}, why=TEXT, disagree={"type": "boolean"}, scope=TEXT),
        {"type": "null"},
    ]
}
WITNESS = an(
    options=several(NAMED),
    played={"type": "boolean"},
    moves=several(an(number=COUNT, actor=TEXT, event=TEXT, breaks=TEXTS)),
    event=MAYBE,
    values=several(NAMED),
    conditions=several({"type": "object", "required": ["text", "truth", "why", "example", "parts"]}),
    norms=several(
        an(rule=TEXT, says=TEXT, applies={"enum": ["yes", "no", "unknown"]}, condition=several({}))
    ),
    decisions=several(
        {"type": "object", "required": ["text", "value", "why", "due", "asked", "cases", "facts"]}
    ),
    facts=several({"type": "object", "required": ["text", "value", "why", "rules", "read"]}),
)
WHERE = ["in play", "in words only", "in words", "nowhere", "nowhere in play", "in the text"]
SCHEMA = an(
    **{"gazette-prove": {"const": 1}},
    tool=an(name=TEXT, version=TEXT),
    solvers=several(an(name=TEXT, version=TEXT)),
    ruleset=an(name=TEXT, digest=TEXT, law=MAYBE, law_title=MAYBE, law_digest=MAYBE, in_force=MAYBE),
    only=TEXTS,
    obligations_total=COUNT,
    exit_code={"enum": [0, 1, 2, 3, 4]},
    counts=TALLY,
    kinds={"type": "object", "additionalProperties": TALLY},
    bounded=COUNT,
    scopes=TEXTS,
    obligations=several(
        an(
            id=TEXT,
            name=TEXT,
            kind=TEXT,
            claim=TEXT,
            about=TEXTS,
            rules=TEXTS,
            wanted={"enum": ["never", "sometimes"]},
            verdict=VERDICT,
            words=ANSWER,
            play=ANSWER,
            why=MAYBE,
        )
    ),
    findings=several(
        an(
            id=TEXT,
            obligation=TEXT,
            kind=TEXT,
            claim=TEXT,
            where={"enum": WHERE},
            says=TEXT,
            about=TEXTS,
            clauses=several(CITED),
            kept_by=several(CITED),
            region=TEXTS,
            looked=TEXTS,
            accepted=MAYBE,
            witness=maybe(WITNESS),
        )
    ),
    errors=several(
        an(message=TEXT, code=TEXT, file=MAYBE, line=maybe(COUNT), column=maybe(COUNT), help=MAYBE)
    ),
    queries=an(asked=COUNT, from_cache=COUNT),
)


def test_json_has_the_shape_that_is_documented(tmp_path: Path, proof: Proof) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    validator = jsonschema.Draft202012Validator(SCHEMA)
    gone = proof_of_each_kind(toll(tmp_path, CLASH, more='accepted finding dead_rule_1_2 "…"'))
    for each in (proof, gone):
        assert list(validator.iter_errors(json.loads(document_text(each)))) == []
    assert not validator.is_valid({**document(proof), "more": 1})


def test_json_says_what_the_proof_says(proof: Proof) -> None:
    found = json.loads(document_text(proof))
    assert found["counts"] == {"disagreement": 0, "refuted": 3, "undecided": 1, "accepted": 1, "proved": 1}
    assert sum(sum(tally.values()) for tally in found["kinds"].values()) == len(found["obligations"]) == 6
    never = [a for o in found["obligations"] for a in (o["words"], o["play"]) if a and a["answer"] == "never"]
    assert {(a["scope"], a["any_size"]) for a in never} == {("2 Traveller", False)}
    assert found["bounded"] == 0
    (clash,) = (f for f in found["findings"] if f["kind"] == "conflict")
    assert [cited["rule"] for cited in clash["kept_by"]] == ["1.2", "1.1"]
    assert [case["value"] for case in clash["witness"]["decisions"][0]["cases"]] == ["50", "200"]
    (words,) = (o["words"] for o in found["obligations"] if o["kind"] == "conflict")
    assert (words["events"], words["breaks"]) == (3, ["1.2", "1.1"])
    assert found["exit_code"] == 1
    assert document_text(proof).isascii()


def test_json_places_an_accepted_finding_that_is_gone(tmp_path: Path) -> None:
    program = toll(tmp_path, CLASH, more='accepted finding dead_rule_1_2 "…"')
    (error,) = document(proof_of_each_kind(program))["errors"]
    last = len((tmp_path / "own" / "bridge.rules").read_text().splitlines())
    assert (error["code"], error["line"], error["column"]) == ("accepted-finding-gone", last, 1)


# -------------------------------------------------------------------------------------------------------- page
def test_the_page_as_it_is_published(proof: Proof) -> None:
    assert without_digests(page(proof)) == (HERE / "data" / "prove.md").read_text("utf-8")


def test_a_scope_of_which_nothing_is_known_has_a_letter_too(tmp_path: Path) -> None:
    nobody_knows = replace(UNKNOWN, scope="plays with 7 Traveller")
    program = toll(tmp_path)
    shown = page(prove(program, [dead("1.1")], Fake({"dead rule 1.1": (nobody_knows, None)})))
    assert "- scope A: plays with 7 Traveller" in shown


def test_the_page_has_the_same_bytes_every_time(tmp_path: Path, proof: Proof) -> None:
    again = proof_of_each_kind(toll(tmp_path, CLASH, more=ACCEPTS), jobs=2)
    assert page(again) == page(proof)
    assert page(proof).endswith("\n")
    assert not page(proof).endswith("\n\n")


def test_a_page_is_current_until_what_it_is_made_from_changes(
    tmp_path: Path, proof: Proof, monkeypatch: pytest.MonkeyPatch
) -> None:
    published = page(proof)
    assert stale(published, proof.ruleset) == []
    changed = toll(tmp_path, CLASH, LAPSED, more=ACCEPTS)
    assert stale(published, changed.ruleset) == ["the ruleset has changed"]
    law = tmp_path / "own" / "bridge.law"
    law.write_text(law.read_text().replace("wear a cap", "wear a hat"))
    rules = law.with_suffix(".rules")
    rules.write_text(rules.read_text().replace("wear a cap", "wear a hat"))
    assert stale(published, lower(load(rules)).ruleset) == [
        "the law's text has changed",
        "the ruleset has changed",
    ]
    assert stale(published.replace("in play", "out of play"), proof.ruleset) == [
        "it has been changed by hand"
    ]
    assert stale("# a page\n", proof.ruleset) == ["its first line is not that of a report"]
    monkeypatch.setattr("verifier.report.prove_page.VERSION", "99.0")
    assert stale(published, proof.ruleset) == ["another version of gazette wrote it"]


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("a_b _c_ * <d> [e] | f", r"a_b \_c\_ \* \<d\> \[e\] \| f"),
        ("state `a_b | c` so", "state `a_b | c` so"),
        ("one ` alone_", "one \\` alone\\_"),
        ("two\nlines\tand \x1b", "two lines and \\\\x1b"),
    ],
)
def test_words_stay_words_in_markdown(words: str, shown: str) -> None:
    assert markdown(words) == shown


def test_code_stays_code() -> None:
    assert code("a_b") == "`a_b`"
    assert code("a `b` ``c``") == "``` a `b` ``c`` ```"
