"""Verdicts, findings with their clauses and witnesses, what a ruleset accepts, and the order in several processes."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from prove_toll import (
    BREACH,
    CLASH,
    CLASHING,
    CROSSING,
    GAP,
    INDUCED,
    NEVER,
    UNKNOWN,
    Fake,
    clash,
    dangling,
    dead,
    led_to,
    of_each_kind,
    played,
    proof_of_each_kind,
    theorem,
    toll,
)

from verifier.errors import InternalError, LogError, Problem, RequestError
from verifier.exits import Exit
from verifier.model import terms as m
from verifier.model.names import name_of
from verifier.model.ruleset import Param
from verifier.model.types import BOOL
from verifier.prove.finding import Finding, names_of
from verifier.prove.obligations import decisions
from verifier.prove.prove import Proof, prove
from verifier.prove.question import Obligation, Question, Sometimes
from verifier.prove.values import CannotEncodeError
from verifier.report.prove_text import finding_text


def proved(program, obligations, *, fake: Fake | None = None, **options) -> Proof:
    return prove(program, obligations, fake or Fake(), **options)


# ------------------------------------------------------------------------------------------------------ names
@pytest.mark.parametrize(
    ("id", "name"),
    [
        ("conflict outcome 5.1(e) / 5.1(f)", "conflict_outcome_5_1e_5_1f"),
        ("gap value 4.1", "gap_value_4_1"),
        ("dead rule 4.1(c) [one]", "dead_rule_4_1c_one"),
        ("conflict odds 11.4 with 5.1(b) / 5.4 [even]", "conflict_odds_11_4_with_5_1b_5_4_even"),
        ('reference 8.3 "rule 8.2"', "reference_8_3_rule_8_2"),
        ("9 things", "finding_9_things"),
    ],
)
def test_a_finding_has_a_name_that_the_rule_language_can_write(id: str, name: str) -> None:
    assert name_of(id) == name
    assert re.fullmatch(r"[a-z][a-z0-9_]*", name)


def test_names_that_would_be_alike_are_told_apart() -> None:
    several = [Obligation(id, "gap", "", ()) for id in ("gap 5.1", "gap 5/1", "gap 5.2")]
    names = names_of(several)
    assert names["gap 5.2"] == "gap_5_2"
    assert len(set(names.values())) == 3
    assert all(name.startswith("gap_5_1_") for id, name in names.items() if id != "gap 5.2")
    assert names == names_of(several[::-1])


# --------------------------------------------------------------------------------------------------- verdicts
SEEN = "seen"


@pytest.mark.parametrize(
    ("words", "play", "verdict", "where", "code"),
    [
        (NEVER, NEVER, "proved", None, 0),
        (NEVER, None, "proved", None, 0),
        (None, INDUCED, "proved", None, 0),
        (SEEN, SEEN, "refuted", "in play", 1),
        (None, SEEN, "refuted", "in play", 1),
        (SEEN, INDUCED, "refuted", "in words only", 1),
        (SEEN, UNKNOWN, "refuted", "in words", 1),
        (SEEN, None, "refuted", "in words", 1),
        (UNKNOWN, NEVER, "undecided", None, 3),
        (UNKNOWN, None, "undecided", None, 3),
        (NEVER, CLASHING, "disagreement", None, 4),
        (SEEN, CLASHING, "disagreement", "in words", 4),
    ],
)
def test_what_must_never_be(tmp_path: Path, words, play, verdict, where, code) -> None:
    program = toll(tmp_path, CLASH)
    seen = led_to(played(program, *CROSSING), k=0)
    answers = tuple(seen if answer == SEEN else answer for answer in (words, play))
    pair = clash(program)
    (result,) = (proof := proved(program, [pair], fake=Fake({pair.id: answers}))).results
    assert (result.verdict, proof.exit_code) == (verdict, code)
    assert (None if result.finding is None else result.finding.where) == where


@pytest.mark.parametrize(
    ("words", "play", "verdict", "where", "code"),
    [
        (SEEN, None, "proved", None, 0),
        (None, SEEN, "proved", None, 0),
        (NEVER, None, "refuted", "nowhere", 1),
        (None, INDUCED, "refuted", "nowhere", 1),
        (SEEN, INDUCED, "refuted", "nowhere in play", 1),
        (UNKNOWN, None, "undecided", None, 3),
        (CLASHING, None, "disagreement", None, 4),
    ],
)
def test_what_must_sometimes_be(tmp_path: Path, words, play, verdict, where, code) -> None:
    program = toll(tmp_path)
    seen = led_to(played(program, *CROSSING))
    answers = tuple(seen if answer == SEEN else answer for answer in (words, play))
    (result,) = (proof := proved(program, [dead()], fake=Fake({dead().id: answers}))).results
    assert (result.verdict, proof.exit_code) == (verdict, code)
    assert (None if result.finding is None else result.finding.where) == where


def test_what_needs_no_question_is_told(tmp_path: Path) -> None:
    program = toll(tmp_path)
    proof = proved(program, [dangling()])
    (finding,) = proof.findings
    assert (finding.where, finding.says) == ("in the text", "bridge has no 9, which 1.2 refers to")
    assert proof.exit_code == 1
    assert proved(program, [dangling(None)]).exit_code == 0


def test_the_worst_verdict_gives_the_exit_code(tmp_path: Path) -> None:
    program = toll(tmp_path, CLASH)
    obligations, fake = of_each_kind(program)
    assert prove(program, obligations, fake).exit_code == Exit.BROKEN
    again = Fake({**fake.answers, "dead rule 1.2": (CLASHING, None)}, fake.later)
    assert prove(program, obligations, again).exit_code == Exit.OURSELVES
    assert prove(program, [], Fake()).exit_code == Exit.HOLDS


def test_beyond_what_can_be_encoded_is_undecided(tmp_path: Path) -> None:
    fails = {dead().id: CannotEncodeError("a product of unknowns", "name one of them")}
    (result,) = proved(toll(tmp_path), [dead()], fake=Fake(fails=fails)).results
    assert (result.verdict, result.why) == ("undecided", "a product of unknowns")


# --------------------------------------------------------------------------------------------------- findings
@pytest.fixture
def found(tmp_path: Path) -> dict[str, Finding]:
    """The findings of a bridge with a clash, by name."""
    return {finding.id: finding for finding in proof_of_each_kind(toll(tmp_path, CLASH)).findings}


def test_a_clash_is_told_with_its_clauses_and_both_values(found: dict[str, Finding]) -> None:
    finding = found["conflict_toll_1_1a_1_1b"]
    assert [(c.rule, c.quote) for c in finding.clauses] == [
        ("1.1(a)", "50 cents, where the traveller is on foot"),
        ("1.1(b)", "2 dollars, where the traveller brings a cart"),
    ]
    assert finding.clauses[0].words == "50 cents, where the traveller is on foot; or"
    witness = finding.witness
    assert witness is not None
    assert witness.values == (("k", "foot"),)
    assert finding.region == ("k = foot",)
    (decision,) = witness.decisions
    assert (decision.text, decision.value) == ("toll(foot)", None)
    assert [(case.rule, case.value, case.applies) for case in decision.cases] == [
        ("1.1(a)", "50", "yes"),
        ("1.1(b)", "200", "yes"),
    ]


def test_in_words_only_says_what_keeps_lawful_play_away(found: dict[str, Finding]) -> None:
    finding = found["conflict_toll_1_1a_1_1b"]
    assert finding.where == "in words only"
    assert [cited.rule for cited in finding.kept_by] == ["1.2", "1.1"]
    assert finding.witness is not None
    assert not finding.witness.lawful
    assert [(move.event, move.breaks) for move in finding.witness.moves] == [
        ("raise", ()),
        ("arrive(ann)", ()),
        ("cross(ann)", ("1.2", "1.1")),
    ]
    assert finding.looked == (
        "in play: never, by induction over events (2 Traveller; z3, cvc5, using never_two)",
    )


def test_an_event_at_issue_is_shown_with_what_it_leaves(found: dict[str, Finding]) -> None:
    finding = found["theorem_dry"]
    assert (finding.where, finding.kept_by) == ("in play", ())
    witness = finding.witness
    assert witness is not None
    assert witness.lawful
    assert witness.event == "charge(ann, foot, 50)"
    assert [(c.text, c.truth) for c in witness.conditions] == [("raised", "yes"), ("after(charged)", "yes")]
    assert {fact.text: fact.value for fact in witness.facts} == {"raised": "yes", "after(charged)": "yes"}


def test_a_state_that_no_play_leads_to_is_shown_as_one(tmp_path: Path) -> None:
    program = toll(tmp_path, GAP)
    (gap,) = decisions.gaps(program, program.decisions["toll"])
    state = played(program).state
    seen = Sometimes(state, {}, {"k": 1}, None, "2 Traveller", ("z3",))
    (finding,) = proved(program, [gap], fake=Fake({gap.id: (seen, None)})).findings
    assert finding.witness is not None
    assert not finding.witness.played
    assert not finding.witness.lawful
    (decision,) = finding.witness.decisions
    assert [[c.text for c in case.condition if c.truth == "no"] for case in decision.cases] == [
        ["k = foot"],
        ["raised"],
    ]


def test_what_is_so_from_the_beginning_needs_no_event(tmp_path: Path) -> None:
    program = toll(tmp_path, CLASH)
    pair = clash(program)
    seen = led_to(played(program), k=0)
    (finding,) = proved(program, [pair], fake=Fake({pair.id: (seen, seen)})).findings
    assert finding.witness is not None
    assert (finding.witness.played, finding.witness.lawful, finding.witness.moves) == (True, True, ())
    assert "it is so before anything has happened:" in finding_text(finding)


def test_duties_and_prohibitions_at_issue_are_told_with_their_conditions(tmp_path: Path) -> None:
    program = toll(tmp_path)
    who = m.Var(program.ruleset.types["Traveller"], "t")
    crossing = m.Var(who.type, "@traveller")
    condition = m.AndT(
        BOOL,
        (
            m.CallF(BOOL, program.duties[0].pending, (who,)),
            m.CallF(BOOL, program.prohibitions["cross"][0].applies, (crossing,)),
        ),
    )
    obligation = replace(
        dead(), wanted="never", question=Question((Param("t", who.type),), condition, "cross")
    )
    seen = led_to(played(program, *BREACH[:2]), **{"t": "ann", "@traveller": "ann"})
    (finding,) = proved(program, [obligation], fake=Fake({obligation.id: (seen, seen)})).findings
    witness = finding.witness
    assert witness is not None
    assert [(norm.rule, norm.says, norm.applies) for norm in witness.norms] == [
        ("1.1", "keeper must charge(t, any, any) before cross(t)", "yes"),
        ("1.2", "traveller must not cross(t)", "yes"),
    ]
    assert [c.text for c in witness.norms[0].condition] == ["here = t", "not charged"]
    assert {f.text: f.value for f in witness.facts} == {
        "here": "ann",
        "t": "ann",
        "charged": "no",
        "raised": "yes",
    }
    shown = finding_text(finding)
    assert "1.1 applies: here = t and not charged" in shown
    assert "then          cross(ann)" in shown


def test_nothing_shows_what_is_nowhere(found: dict[str, Finding]) -> None:
    finding = found["dead_rule_1_1"]
    assert (finding.where, finding.witness) == ("nowhere", None)
    assert finding.looked == ("in words: never, in every state that the types allow (2 Traveller; z3, cvc5)",)


# --------------------------------------------------------------------------------------------------- accepted
ACCEPTS = 'accepted finding conflict_toll_1_1a_1_1b "the keeper is kind"'


def both_in_words(program, *more: str) -> Proof:
    pair = clash(program)
    gaps = list(decisions.gaps(program, program.decisions["toll"]))
    seen = led_to(played(program, *BREACH), k=0)
    return proved(program, [*gaps, pair], fake=Fake({pair.id: (seen, NEVER)}), only=more)


def test_an_accepted_finding_is_shown_and_green(tmp_path: Path) -> None:
    proof = both_in_words(toll(tmp_path, CLASH, more=ACCEPTS))
    (finding,) = proof.findings
    assert finding.accepted == "the keeper is kind"
    assert (proof.exit_code, proof.counts["accepted"], proof.errors) == (0, 1, ())


def test_an_accepted_finding_that_is_gone_is_an_error_of_the_text(tmp_path: Path) -> None:
    program = toll(tmp_path, CLASH, more=f'{ACCEPTS}\naccepted finding gap_toll "no boats"')
    proof = both_in_words(program)
    (problem,) = proof.errors
    assert problem.message == "the finding gap_toll no longer occurs"
    assert (problem.code, problem.excerpt) == (
        "accepted-finding-gone",
        'accepted finding gap_toll "no boats"',
    )
    assert problem.file is not None
    assert problem.file.endswith("own/bridge.rules")
    assert proof.exit_code == Exit.REQUEST


def test_an_accepted_finding_outside_of_what_was_asked_is_not_judged(tmp_path: Path) -> None:
    program = toll(tmp_path, CLASH, more=f'{ACCEPTS}\naccepted finding gap_toll "no boats"')
    assert both_in_words(program, "conflict").exit_code == 0
    assert both_in_words(program, "gap").exit_code == Exit.REQUEST


def test_an_accepted_finding_left_undecided_is_not_gone(tmp_path: Path) -> None:
    program = toll(tmp_path, CLASH, more=ACCEPTS)
    pair = clash(program)
    proof = proved(program, [pair], fake=Fake({pair.id: (UNKNOWN, UNKNOWN)}))
    assert (proof.exit_code, proof.errors) == (Exit.UNDECIDED, ())
    (result,) = proof.results
    assert result.why is not None
    assert "the ruleset accepts it as a finding, though none was made: " in result.why


@pytest.mark.parametrize(
    ("line", "message", "help"),
    [
        ("conflict_toll_1_1a_1_b", "there is no finding conflict_toll_1_1a_1_b", "conflict_toll_1_1a_1_1b?"),
        ("zzz", "there is no finding zzz", "gazette prove prints the name"),
        ("conflict_toll_1_1a_1_1b", "the finding conflict_toll_1_1a_1_1b is accepted twice", "keep one line"),
    ],
)
def test_an_accepted_finding_must_be_one(tmp_path: Path, line: str, message: str, help: str) -> None:
    proof = both_in_words(toll(tmp_path, CLASH, more=f'{ACCEPTS}\naccepted finding {line} "…"'))
    (problem,) = proof.errors
    assert problem.message == message
    assert help in (problem.help or "")
    assert problem.line == len((tmp_path / "own" / "bridge.rules").read_text().splitlines())


# ------------------------------------------------------------------------------------------------------ parts
def whole(program) -> tuple[Obligation, Fake]:
    obligation = decisions.whole(program, "toll")
    others = replace(obligation, id="conflict toll otherwise")
    return obligation, Fake(split={obligation.id: (others, *decisions.pairs(program, "toll"))})


def test_what_is_not_proved_whole_is_asked_in_parts(tmp_path: Path) -> None:
    program = toll(tmp_path, CLASH)
    obligation, fake = whole(program)
    seen = led_to(played(program, *CROSSING), k=0)
    fake.later = {obligation.id: (NEVER, NEVER), clash(program).id: (seen, seen)}
    proof = proved(program, [obligation, dead()], fake=fake)
    assert [(r.name, r.verdict) for r in proof.results] == [
        ("conflict_toll_otherwise", "proved"),
        ("conflict_toll_1_1a_1_1b", "refuted"),
        ("dead_rule_1_2", "refuted"),
    ]


def test_what_is_proved_whole_is_not_asked_in_parts(tmp_path: Path) -> None:
    program = toll(tmp_path, CLASH, more=ACCEPTS)
    obligation, fake = whole(program)
    proof = proved(program, [obligation], fake=fake)
    assert [(r.name, r.verdict) for r in proof.results] == [("conflict_toll", "proved")]
    assert [p.message for p in proof.errors] == ["the finding conflict_toll_1_1a_1_1b no longer occurs"]


def test_a_part_can_be_asked_for_by_its_name(tmp_path: Path) -> None:
    program = toll(tmp_path, CLASH)
    obligation, fake = whole(program)
    proof = proved(program, [obligation], fake=fake, only=["conflict_toll_1_1a*"])
    assert [r.name for r in proof.results] == ["conflict_toll_1_1a_1_1b"]


# ------------------------------------------------------------------------------------------------------- only
@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("gap_toll", ["gap_toll"]),
        ("gap toll", ["gap_toll"]),
        ("DEAD RULE", ["dead_rule_1_2", "dead_rule_1_1"]),
        ("dead*", ["dead_rule_1_2", "dead_rule_1_1"]),
        ("1.1(a)", ["gap_toll", "conflict_toll_1_1a_1_1b"]),
        ("1.?", ["dead_rule_1_2", "dead_rule_1_1", "reference_1_2_rule_9"]),
    ],
)
def test_only_what_a_pattern_names_is_proved(tmp_path: Path, pattern: str, names: list[str]) -> None:
    program = toll(tmp_path, CLASH)
    obligations, fake = of_each_kind(program)
    proof = prove(program, obligations, fake, only=[pattern])
    assert [result.name for result in proof.results] == names
    assert (proof.total, proof.only) == (len(obligations), (pattern,))


@pytest.mark.parametrize(
    ("pattern", "help"),
    [("conflct", "did you mean conflict?"), ("[a-z]", "there are the kinds gap, conflict")],
)
def test_a_pattern_that_names_nothing_is_refused(tmp_path: Path, pattern: str, help: str) -> None:
    program = toll(tmp_path, CLASH)
    obligations, fake = of_each_kind(program)
    with pytest.raises(RequestError) as error:
        prove(program, obligations, fake, only=["gap", pattern])
    assert help in (error.value.problem.help or "")


# ------------------------------------------------------------------------------------------------- processes
def test_several_processes_say_what_one_says_in_the_same_order(tmp_path: Path) -> None:
    program = toll(tmp_path, CLASH)
    obligations, fake = of_each_kind(program)
    seen: dict[int, list[str]] = {1: [], 2: []}
    told: dict[int, list[str]] = {1: [], 2: []}
    proofs = [
        prove(
            program,
            obligations,
            Fake(fake.answers, fake.later, regions=fake.regions),
            jobs=jobs,
            on_result=lambda result, jobs=jobs: seen[jobs].append(result.name),
            on_progress=lambda what, done, total, jobs=jobs: told[jobs].append(f"{what} {done}/{total}"),
        )
        for jobs in (1, 2)
    ]
    assert [r.verdict for r in proofs[0].results] == [r.verdict for r in proofs[1].results]
    assert proofs[0].findings == proofs[1].findings
    assert proofs[0].asked == proofs[1].asked == 5 + 3 + 3
    assert seen[1] == seen[2]
    assert seen[1][-3:] == ["conflict_toll_1_1a_1_1b", "theorem_dry", "gap_toll"], (
        "what nobody knows comes last"
    )
    assert told[1] == told[2]
    assert told[1][0] == "deciding 0/6"
    assert told[1][-1] == "deciding 6/6"
    assert "playing 3/6" in told[1]


def test_a_process_that_dies_is_our_fault(tmp_path: Path) -> None:
    program = toll(tmp_path)
    with pytest.raises(InternalError, match="ended before its time"):
        prove(program, [dead(), dead("1.1")], Fake(dies=dead().id), jobs=2)


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_keeps_its_words_on_the_way(tmp_path: Path, jobs: int) -> None:
    fails = {dead().id: RequestError(Problem("no such thing", code="x"))}
    with pytest.raises(RequestError, match="no such thing"):
        prove(toll(tmp_path), [dead(), dead("1.1")], Fake(fails=fails), jobs=jobs)
    fails = {dead().id: LogError(Problem("not here", code="x"))}
    with pytest.raises(InternalError if jobs > 1 else LogError, match="not here"):
        prove(toll(tmp_path), [dead(), dead("1.1")], Fake(fails=fails), jobs=jobs)


def test_a_theorem_says_what_it_supposes(tmp_path: Path) -> None:
    program = toll(tmp_path)
    (result,) = proved(program, [theorem(program)]).results
    assert result.obligation.about == ("supposed: raised",)
