"""A decision's gaps and conflicts: found with the clauses that make them, and only where an answer is due."""

from __future__ import annotations

from prove_bylaw import bylaw, holds, ids, named, refuted, typed

from verifier.prove.obligations import decisions
from verifier.prove.question import Sometimes

LOST = """
rule 5.1 "Where an article is lost"
  asked liability(i) when i.lost
rule 5.1(a) "to make good the loss, if the guest declared what the article is worth"
  liability(i) = pay when i.worth > 0
rule 5.1(b) "nothing, if nothing was declared"
  liability(i) = nothing when i.worth = 0
"""
FUR = """
rule 5.1(c) "to make good the loss of a fur"
  liability(i) = pay when i.article = fur
"""


def test_a_question_that_every_case_passes_by_is_a_gap_of_who_asks() -> None:
    only = LOST.replace("i.worth = 0", "i.worth = 0 and i.article = hat")
    assert refuted(only, "gap") == ["gap liability 5.1"]
    assert refuted(LOST, "gap") == []


def test_a_gap_is_told_apart_by_who_asks() -> None:
    asked = """
rule 4.4 "Every article shall be given back"
  asked liability(i) when i.called_for and i.worth < 10
"""
    only = LOST.replace("i.worth = 0", "i.worth = 0 and i.called_for")
    assert refuted(only + asked, "gap") == ["gap liability 5.1"]
    gap = named(only + asked, "gap liability 4.4")
    assert gap.modes == ("words", "play")
    assert gap.rules == ("4.4", "5.1(a)", "5.1(b)")
    assert gap.claim == "wherever 4.4 asks liability(i), a rule answers"


def test_a_decision_that_nobody_asks_is_always_due() -> None:
    fee = 'rule 3.1 "The fee for an article shall be as follows"\n  fee(i) = 20 when i.article != fur\n'
    assert refuted(fee, "gap") == ["gap fee"]
    assert refuted(fee.replace(" when i.article != fur", ""), "gap") == []


def test_a_decision_that_no_rule_speaks_of_owes_nothing() -> None:
    assert (
        ids('rule 6.1 "It shall be so."\n  attendant must not book(i) when i.here\n', "gap", "conflict") == []
    )


def test_two_values_at_once_are_a_conflict_of_both_clauses() -> None:
    assert refuted(LOST + FUR, "conflict") == ["conflict liability", "conflict liability 5.1(b) / 5.1(c)"]
    assert refuted(LOST, "conflict") == []
    pair = named(LOST + FUR, "conflict liability 5.1(b) / 5.1(c)")
    assert pair.rules == ("5.1(b)", "5.1(c)")
    assert pair.about == (
        "5.1(b): liability(i) = nothing when i.worth = 0",
        "5.1(c): liability(i) = pay when i.article = fur",
    )


def test_a_clash_where_no_answer_is_due_is_none() -> None:
    never_lost = FUR.replace("i.article = fur", "i.article = fur and not i.lost")
    assert refuted(LOST + never_lost, "conflict") == []


def test_an_exception_ends_a_conflict() -> None:
    except_b = FUR.replace("  liability", "  except 5.1(b)\n  liability")
    assert refuted(LOST + except_b, "conflict") == []


def test_one_value_from_two_rules_is_no_pair() -> None:
    assert ids((LOST + FUR).replace("i.worth = 0", "i.worth <= 0"), "conflict") == [
        "conflict liability",
        "conflict liability 5.1(a) / 5.1(b)",
        "conflict liability 5.1(b) / 5.1(c)",
    ]


def test_values_that_are_no_constants_clash_where_they_differ() -> None:
    fees = """
rule 3.1 "The fee for an article shall be as follows"
  fee(i) = 20 when i.worth <= WORTH
rule 3.2 "no fee is payable by a guest who has shown a season card"
  fee(i) = i.worth + 10 when i.worth >= 10
"""
    assert refuted(fees.replace("WORTH", "11"), "conflict") == ["conflict fee", "conflict fee 3.1 / 3.2"]
    assert refuted(fees.replace("WORTH", "10"), "conflict") == []


def test_what_a_rule_applies_is_named_by_the_clause_applied() -> None:
    applied = """
rule 5.3 "A hat … is dealt with in accordance with subparagraphs (a) and (b) of rule 5.1"
  apply 5.1(a) to 5.1(b) where i.article = hat and i.here
"""
    loose = (LOST + applied).replace("i.worth = 0", "i.worth < 5 and i.article = hat")
    assert refuted(loose, "conflict") == [
        "conflict liability",
        "conflict liability 5.1(a) / 5.1(b)",
        "conflict liability 5.1(a) / 5.3 with 5.1(b)",
        "conflict liability 5.1(b) / 5.3 with 5.1(a)",
        "conflict liability 5.3 with 5.1(a) / 5.3 with 5.1(b)",
    ]


def test_all_pairs_together_are_the_whole() -> None:
    for text in (LOST, LOST + FUR):
        program = bylaw(text)
        whole = decisions.whole(program, "liability")
        parts = decisions.pairs(program, "liability")
        assert holds(text, whole) == all(holds(text, part) for part in parts)


def test_the_state_of_a_conflict_is_one_in_which_both_clauses_apply() -> None:
    pair = named(LOST + FUR, "conflict liability 5.1(b) / 5.1(c)")
    assert pair.question is not None
    answer = typed(LOST + FUR).ask(pair.question)
    assert isinstance(answer, Sometimes)
    item = answer.values["i"]
    assert isinstance(item, tuple)
    assert item[1] == 3, "a fur"
    assert answer.state.entities["Item"][item].get("worth", 0) == 0


def test_an_answer_for_want_of_what_a_case_reads_is_a_gap_of_its_own() -> None:
    peg = LOST.replace("i.worth > 0", "i.peg > 2").replace("i.worth = 0", "i.peg <= 2")
    assert refuted(peg, "gap") == ["gap liability undefined"]
    assert named(peg, "gap liability undefined").about == ("what may be lacking: i.peg",)
    hung = peg.replace("when i.lost", "when i.lost and i.peg exists")
    assert refuted(hung, "gap") == []
    assert "gap liability undefined" not in ids(LOST, "gap")


def test_a_gap_of_what_is_read_is_found_there_alone() -> None:
    fee = """
rule 3.1 "The fee for an article shall be as follows"
  fee(i) = 20 when i.worth > 5 or i.peg exists and i.peg > 2
"""
    reads = (LOST + fee).replace("i.worth > 0", "fee(i) = 20 and i.worth > 0 and i.called_for")
    assert refuted(reads, "gap") == ["gap fee", "gap liability 5.1"]


def test_rules_that_exclude_each_other_by_their_words_make_no_pair() -> None:
    kinds = """
rule 3.1 "The fee for an article shall be as follows"
  fee(i) = 20 when i.article in {coat, hat} and i.worth > 0
rule 3.2 "no fee is payable by a guest who has shown a season card"
  fee(i) = WHAT when WHEN
"""
    for what, when in (
        ("10", "i.article in {umbrella, fur}"),
        ("10", "i.article = fur and i.here"),
        ("10", "i.article = fur or i.article = umbrella"),
    ):
        assert ids(kinds.replace("WHAT", what).replace("WHEN", when), "conflict") == ["conflict fee"]
        assert refuted(kinds.replace("WHAT", what).replace("WHEN", when), "conflict") == []
    for what, when in (("10", "i.article in {hat, fur}"), ("10", "i.article = fur or i.here")):
        text = kinds.replace("WHAT", what).replace("WHEN", when)
        assert refuted(text, "conflict") == ["conflict fee", "conflict fee 3.1 / 3.2"]
    gives_way = kinds.replace("  fee(i) = 20", "  except 3.2\n  fee(i) = 20")
    assert ids(gives_way.replace("WHAT", "10").replace("WHEN", "i.here"), "conflict") == ["conflict fee"]
