"""Coverage: the words of the law, the levels of the rules, and the evidence that is believed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from verifier.check.engine import prepare
from verifier.core.lower import lower
from verifier.coverage.measure import Coverage, CoveredRule, Share, measure, require
from verifier.errors import RequestError
from verifier.generate.generate import generate
from verifier.model.load import load
from verifier.mutate.run import mutate
from verifier.prove.whole import prove_whole, settings
from verifier.report import coverage_html, coverage_lcov
from verifier.report.ci.of_coverage import of_coverage
from verifier.report.coverage_json import document
from verifier.report.coverage_text import detail, text
from verifier.report.generate_json import document_text as rounds_text
from verifier.report.mutate_json import document_text as mutants_text
from verifier.report.prove_json import document_text as proof_text

RULES = "bridge.rules"

LAWFUL = 'expect: {faults: [], kept: ["1.2"]}\n'


def edit(path: Path, old: str, new: str) -> None:
    """Replace a piece of a file that is there."""
    text_ = path.read_text("utf-8")
    assert old in text_
    path.write_text(text_.replace(old, new), "utf-8")


def of(
    folder: Path, proof: Path | None = None, mutants: Path | None = None, rounds: Path | None = None
) -> Coverage:
    return measure(folder / RULES, [folder / "transcripts"], proof=proof, mutants=mutants, rounds=rounds)


def no_rounds(folder: Path, name: str, unmet: list[tuple[str, bool]]) -> Path:
    """A document of no rounds, that says what none shows of one rule, proved or not."""
    rounds = made_rounds(folder)
    document_ = json.loads(rounds.read_text("utf-8")) | {"lawful": [], "faulty": [], "beside": []}
    document_["unmet"] = [{"rule": name, "wanted": what, "proved": proof, "why": ""} for what, proof in unmet]
    rounds.write_text(json.dumps(document_), "utf-8")
    return rounds


def made_rounds(folder: Path) -> Path:
    """What `gazette generate` makes of the bridge, as a file."""
    path = folder / "rounds.json"
    path.write_text(rounds_text(generate(prepare(folder / RULES), settings("z3", None, True))), "utf-8")
    return path


def phrases(coverage: Coverage, address: str) -> list[tuple[str, str]]:
    clause = next(c for c in coverage.clauses if c.clause.address == address)
    return [(phrase.status, phrase.words) for phrase in clause.phrases]


def rule(coverage: Coverage, name: str) -> CoveredRule:
    return next(r for r in coverage.rules if r.rule == name)


# ---------------------------------------------------------------------------------------------------- the law
def test_every_word_of_a_whole_ruleset_is_accounted_for(folder: Path) -> None:
    coverage = measure(folder / RULES)
    words = coverage.words
    assert words["missing"] == 0
    assert words["formalised"] > words["unobservable"] > 0
    assert coverage.share("formalised").percent == 100
    assert coverage.missing == ()


def test_words_that_no_rule_quotes_are_shown_in_their_clause(folder: Path) -> None:
    edit(
        folder / RULES,
        '"No traveller shall cross while the bridge is raised"',
        '"No traveller … while the bridge is raised"',
    )
    coverage = measure(folder / RULES)
    assert phrases(coverage, "1.2") == [
        ("formalised", "No traveller"),
        ("missing", "shall cross"),
        ("formalised", "while the bridge is raised."),
    ]
    assert "No traveller ⟦shall cross⟧ while the bridge is raised." in text([coverage], 100)
    assert coverage.share("formalised").percent < 100


def test_a_clause_without_a_rule_is_missing(folder: Path) -> None:
    path = folder / RULES
    path.write_text(path.read_text("utf-8").partition("rule 1.3")[0], "utf-8")
    coverage = measure(folder / RULES)
    assert [(c.clause.address, p.words) for c, p in coverage.missing] == [
        ("1.3", "The keeper shall wear a cap.")
    ]


def test_what_is_said_of_some_words_goes_before_what_is_said_of_all(folder: Path) -> None:
    edit(
        folder / RULES,
        "when raised\n",
        'when raised\n  unobservable "nobody looks" for words "while the bridge is raised"\n',
    )
    assert phrases(measure(folder / RULES), "1.2") == [
        ("formalised", "No traveller shall cross"),
        ("unobservable", "while the bridge is raised."),
    ]


def test_a_rule_that_binds_nothing_covers_nothing(folder: Path) -> None:
    edit(
        folder / RULES,
        '  unobservable "the log records crossings and tolls, not what people wear"',
        '  reading "a cap is a hat"',
    )
    assert phrases(measure(folder / RULES), "1.3") == [("missing", "The keeper shall wear a cap.")]


# -------------------------------------------------------------------------------------------------- the rules
def test_rules_are_exercised_where_transcripts_keep_and_break_them(folder: Path) -> None:
    coverage = of(folder)
    assert coverage.transcripts == 2
    assert rule(coverage, "1.2").is_("exercised") is True
    assert rule(coverage, "1.1(a)").is_("exercised") is True
    assert rule(coverage, "1.1").is_("exercised") is False  # never broken
    assert rule(coverage, "1.1(b)").is_("exercised") is False
    assert coverage.share("exercised") == Share(2, 4)


def test_without_evidence_nothing_is_known(folder: Path) -> None:
    coverage = measure(folder / RULES)
    assert [rule(coverage, "1.2").is_(level) for level in ("proved", "exercised", "killed")] == [None] * 3
    assert "not looked at" in text([coverage], 100)
    for level in ("proved", "exercised", "killed"):
        with pytest.raises(RequestError, match="nothing tells what of bridge is"):
            require([coverage], level)


def test_transcripts_of_other_rulesets_are_passed_over_and_told_of(folder: Path) -> None:
    edit(folder / "transcripts" / "kept.transcript.yaml", "ruleset: bridge", "ruleset: brigde")
    coverage = of(folder)
    assert (coverage.transcripts, dict(coverage.passed_over)) == (1, {"brigde": 1})
    assert "by 1 transcript; 1 of brigde passed over" in text([coverage], 100)
    assert document([coverage])["rulesets"][0]["passed_over"] == {"brigde": 1}
    edit(folder / "transcripts" / "kept.transcript.yaml", "ruleset: brigde", 'ruleset: "a\\e[31m"')
    assert r"""1 of "a\x1b[31m" passed over""" in text([of(folder)], 100)


def test_a_transcript_that_fails_is_no_evidence(folder: Path) -> None:
    edit(folder / "transcripts" / "kept.transcript.yaml", "amount=50", "amount=51")
    with pytest.raises(RequestError, match="does not fulfil this transcript"):
        of(folder)


def test_made_rounds_count_beside_transcripts(folder: Path) -> None:
    rounds = made_rounds(folder)
    coverage = of(folder, rounds=rounds)
    document_ = json.loads(rounds.read_text("utf-8"))
    made = sum(len(document_[key]) for key in ("lawful", "faulty", "beside"))
    assert (coverage.transcripts, coverage.rounds) == (2, made)
    assert f"by 2 transcripts and {made} made rounds" in text([coverage], 100)
    assert rule(coverage, "1.1(b)").is_("exercised") is True  # by a made round alone
    by_transcripts, found = rule(of(folder), "1.2").exercise, rule(coverage, "1.2").exercise
    assert by_transcripts is not None
    assert found is not None
    assert found.kept > by_transcripts.kept
    assert found.broken > by_transcripts.broken


def test_made_rounds_alone_are_evidence(folder: Path) -> None:
    coverage = measure(folder / RULES, rounds=made_rounds(folder))
    assert coverage.transcripts is None
    unmet = {one["rule"] for one in json.loads((folder / "rounds.json").read_text("utf-8"))["unmet"]}
    assert {one.rule for one in coverage.lacking("exercised")} == unmet
    assert require([coverage], "exercised").whole == 4
    assert document([coverage])["rulesets"][0]["transcripts"] is None


def test_what_a_made_round_shows_says_its_check_alone(folder: Path) -> None:
    rounds = made_rounds(folder)
    document_ = json.loads(rounds.read_text("utf-8"))
    for key in ("lawful", "faulty", "beside"):
        document_[key] = document_[key][:1]
    document_ |= {"unmet": [], "exit_code": 0}
    for entry in document_["lawful"]:
        entry["exercises"] = ["1.1", "1.1(a)", "1.1(b)", "1.2"]
    rounds.write_text(json.dumps(document_), "utf-8")
    assert measure(folder / RULES, rounds=rounds).share("exercised").part < 4


@pytest.mark.parametrize(
    ("unmet", "reached", "whole"),
    [
        ([], False, 4),
        ([("kept", False)], False, 4),
        ([("kept", True)], False, 4),
        ([("broken", True)], True, 4),
        ([("kept", True), ("broken", True)], True, 4),  # it is kept by a transcript all the same
    ],
)
def test_what_is_proved_to_be_shown_by_no_round_is_not_asked(
    folder: Path, unmet: list[tuple[str, bool]], reached: bool, whole: int
) -> None:
    coverage = of(folder, rounds=no_rounds(folder, "1.1", unmet))
    assert rule(coverage, "1.1").is_("exercised") is reached  # never broken by the transcripts
    assert coverage.share("exercised").whole == whole


def test_what_a_transcript_shows_is_not_said_to_be_shown_by_no_round(folder: Path) -> None:
    found = rule(of(folder, rounds=no_rounds(folder, "1.1", [("kept", True), ("broken", True)])), "1.1")
    assert found.exercise is not None
    assert found.exercise.kept > 0
    assert found.unshowable == {"broken"}
    told = detail(found, "exercised")
    assert "broken by no round that is lawful until then, as is proved" in told
    assert "kept by no round" not in told


def test_a_rule_that_no_round_shows_at_all_is_not_asked(folder: Path) -> None:
    coverage = of(folder, rounds=no_rounds(folder, "1.1(b)", [("kept", True), ("broken", True)]))
    assert rule(coverage, "1.1(b)").is_("exercised") is None
    assert coverage.share("exercised") == Share(2, 3)
    (found,) = document([coverage])["rulesets"]
    assert {r["rule"]: r["unshowable"] for r in found["rules"] if r["unshowable"]} == {
        "1.1(b)": ["broken", "kept"]
    }
    assert "1.1(b)" not in coverage_lcov.text([coverage])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda d: d | {"gazette-generate": 2}, "this is no gazette-generate document"),
        (lambda d: d | {"ruleset": d["ruleset"] | {"digest": "0" * 64}}, "not about bridge as it stands"),
        (lambda d: d | {"faulty": None}, "its faulty are no list"),
        (lambda d: d | {"unmet": [{"rule": [], "wanted": [], "proved": True}]}, "one of its unmet"),
        (lambda d: d | {"unmet": [{"rule": "9.9", "wanted": "kept", "proved": True}]}, "one of its unmet"),
        (lambda d: d | {"unmet": [{"rule": "1.1", "wanted": "kept", "proved": 1}]}, "one of its unmet"),
        (lambda d: d | {"unmet": [{"rule": "1.1", "wanted": "read", "proved": True}]}, "one of its unmet"),
        (lambda d: d | {"lawful": d["lawful"] * 2}, "it has two rounds called"),
        (lambda d: d | {"lawful": [{"name": "a"}]}, "one of its lawful has no name, or no transcript"),
        (
            lambda d: d | {"lawful": [{"name": "a", "transcript": "ruleset: bridge\nevents: [\n"}]},
            "its round a cannot be read",
        ),
        (
            lambda d: d | {"lawful": [{"name": "a", "transcript": "ruleset: bridge\nevents: []\n"}]},
            "its round a cannot be read",
        ),
        (
            lambda d: (
                d
                | {
                    "faulty": [
                        o | {"transcript": o["transcript"].split("expect:")[0] + LAWFUL} for o in d["faulty"]
                    ]
                }
            ),
            "does not fulfil this transcript",
        ),
    ],
)
def test_made_rounds_that_are_none_are_refused(folder: Path, change: object, says: str) -> None:
    rounds = made_rounds(folder)
    rounds.write_text(json.dumps(change(json.loads(rounds.read_text("utf-8")))), "utf-8")  # type: ignore[operator]
    with pytest.raises(RequestError, match=says):
        of(folder, rounds=rounds)


def test_mutants_count_where_they_are_noticed(folder: Path) -> None:
    mutation = mutate(folder / RULES, [folder / "transcripts"])
    path = folder / "mutants.json"
    path.write_text(mutants_text(mutation), "utf-8")
    coverage = of(folder, mutants=path)
    for name in ("1.1", "1.1(a)", "1.1(b)", "1.2"):
        mine = [o for o in mutation.outcomes if o.mutant.rule == name and o.verdict != "refused"]
        found = rule(coverage, name).mutants
        assert found is not None
        assert (found.noticed, found.total) == (sum(o.verdict == "killed" for o in mine), len(mine))
    assert rule(coverage, "1.1(b)").is_("killed") is False


def test_mutants_of_definitions_count_among_those_of_rules(folder: Path) -> None:
    rules = folder / RULES
    plain = rules.read_text("utf-8")
    own = "define late(hour: 0..23): bool = hour > 20\n"
    rules.write_text(plain.replace("\nrule ", f"\n{own}\nrule ", 1), "utf-8")
    mutation = mutate(rules, [folder / "transcripts"])
    mine = [o for o in mutation.outcomes if o.mutant.rule == "define late" and o.verdict != "refused"]
    assert [o.verdict for o in mine] == ["survived"] * len(mine) != []
    path = folder / "mutants.json"
    path.write_text(mutants_text(mutation), "utf-8")
    coverage = of(folder, mutants=path)
    found = coverage.beside["define late"]
    assert (found.noticed, found.total, found.line) == (0, len(mine), mine[0].mutant.place.line)
    assert list(coverage.survived_beside) == ["define late"]
    told = [one.is_("killed") for one in coverage.rules]
    assert coverage.share("killed") == Share(
        told.count(True), len(told) - told.count(None) + len(coverage.beside)
    )
    assert "1 declaration with a mutant that nothing noticed" in text([coverage], 100)
    assert document([coverage])["rulesets"][0]["beside"][0]["name"] == "define late"
    assert f"define late: 0 of {len(mine)} mutants noticed" in coverage_html.text([coverage])
    report = of_coverage([coverage])
    assert [f.message for f in report.findings if "define late" in f.message] == [
        f"define late is with a mutant that nothing noticed: 0 of {len(mine)} mutants noticed"
    ]
    assert [case.state for case in report.cases if case.name == "define late"] == ["failed"]
    excused = mutate(
        rules, [folder / "transcripts"], reasons={o.mutant.id: "it is read by nothing" for o in mine}
    )
    path.write_text(mutants_text(excused), "utf-8")
    assert not of(folder, mutants=path).survived_beside


def test_a_mutant_that_survives_with_a_reason_counts_as_noticed(folder: Path) -> None:
    path = folder / "mutants.json"
    survivors = [o.mutant for o in mutate(folder / RULES, [folder / "transcripts"]).survivors]
    mine = [mutant.id for mutant in survivors if mutant.rule == "1.1(b)"]
    for reasons, killed in ((dict.fromkeys(mine, "no carts"), True), ({mine[0]: "no carts"}, False)):
        mutation = mutate(folder / RULES, [folder / "transcripts"], reasons=reasons)
        path.write_text(mutants_text(mutation), "utf-8")
        assert rule(of(folder, mutants=path), "1.1(b)").is_("killed") is killed


def test_a_proof_counts_where_its_obligations_hold(folder: Path) -> None:
    proof = prove_whole(lower(load(folder / RULES)), settings("z3", None, True), only=["1.2"])
    path = folder / "proof.json"
    path.write_text(proof_text(proof), "utf-8")
    with pytest.raises(RequestError, match="some of the obligations, not all"):
        of(folder, proof=path)
    path.write_text(proof_text(replace(proof, only=())), "utf-8")
    coverage = of(folder, proof=path)
    mine = [r for r in proof.results if "1.2" in r.obligation.rules]
    found = rule(coverage, "1.2").proof
    assert found is not None
    assert (found.held, found.total) == (sum(r.verdict in ("proved", "accepted") for r in mine), len(mine))
    assert found.total > 0
    assert rule(coverage, "1.1(b)").is_("proved") is False  # nothing was asked of it


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda d: d | {"gazette-mutate": 2}, "this is no gazette-mutate document"),
        (lambda d: d | {"ruleset": d["ruleset"] | {"digest": "0" * 64}}, "not about bridge as it stands"),
        (lambda d: d | {"mutants": d["mutants"][:-1]}, "some of the mutants, not all"),
        (lambda d: d | {"mutants": 5}, "its mutants are no list"),
        (
            lambda d: d | {"mutants": [d["mutants"][0] | {"verdict": "noticed"}, *d["mutants"][1:]]},
            "no verdict that there is",
        ),
    ],
)
def test_evidence_of_something_else_is_refused(folder: Path, change: object, says: str) -> None:
    path = folder / "mutants.json"
    document_ = json.loads(mutants_text(mutate(folder / RULES)))
    path.write_text(json.dumps(change(document_)), "utf-8")  # type: ignore[operator]
    with pytest.raises(RequestError, match=says):
        of(folder, mutants=path)


def test_evidence_that_is_not_there_is_refused(folder: Path) -> None:
    with pytest.raises(RequestError, match="cannot read it"):
        of(folder, proof=folder / "none.json")


# ------------------------------------------------------------------------------------------------- the counts
@pytest.mark.parametrize(
    ("part", "whole", "percent"),
    [(12_000, 12_000, 100), (11_999, 12_000, 99), (0, 5, 0), (1, 3, 33), (0, 0, 100)],
)
def test_nothing_is_rounded_up(part: int, whole: int, percent: int) -> None:
    share = Share(part, whole)
    assert share.percent == percent
    assert share.reaches(percent)
    assert percent == 100 or not share.reaches(percent + 1)


def test_the_document_adds_up(folder: Path) -> None:
    (found,) = document([of(folder)])["rulesets"]
    counted = dict.fromkeys(found["words"], 0)
    for clause in found["law"]:
        for phrase in clause["phrases"]:
            if phrase["status"] != "joining":
                counted[phrase["status"]] += phrase["count"]
    assert counted == found["words"]
    assert found["levels"]["exercised"] == {"part": 2, "whole": 4, "percent": 50}
    assert found["levels"]["killed"] is None
