"""References are found, taken apart and resolved."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from verifier.law import Law, read_law, references

MakeLaw = Callable[..., Law]


@pytest.mark.parametrize(
    ("law_id", "where", "words", "addresses"),
    [
        ("nz/gazette-1998-9-division-2", "5.1(e)", "subparagraphs (c) and (d)", "5.1(c) 5.1(d)"),
        ("nz/gazette-1998-9-division-2", "5.4", "rules 15.4 and 15.5", "15.4 15.5"),
        ("nz/gazette-1998-9-division-2", "7.5", "rule 7.3 or 7.4", "7.3 7.4"),
        ("nz/gazette-1998-9-division-2", "7.7", "sections 6 and 7", "6 7"),
        ("nz/gazette-1998-9-division-2", "12.4(a)", "rules 12.2, 12.3 and 12.4", "12.2 12.3 12.4"),
        ("nz/gazette-1998-9-division-2", "15.5", "subparagraph (b) of rule 15.4", "15.4(b)"),
        ("nz/gazette-1998-9-division-2", "13.1(d)", "subparagraph (b)", "13.1(b)"),
        ("nz/gazette-1998-9-division-2", "3.2(c)", "appendix 2", "Appendix 2"),
        (
            "nz/gazette-1998-9-division-2",
            "11.4",
            "subparagraphs (a) to (g) of rule 5.1",
            "5.1(a) 5.1(b) 5.1(c) 5.1(d) 5.1(e) 5.1(f) 5.1(g)",
        ),
        ("nz/gazette-1998-15-division-7", "1.0 Session", "rules 6.1 to 6.3", "6.1 6.2 6.3"),
        ("nz/gazette-1998-15-division-7", "6.8", "rules 6.9, 6.10 and 6.11", "6.9 6.10 6.11"),
        ("nz/gazette-1998-16-division-8", "3.6", "subparagraph (b)", "3.6(b)"),
        ("nz/gazette-1998-16-division-8", "3.1", "Appendices 1 and 2", "Appendix 1 Appendix 2"),
        ("nz/gazette-1994-112-page", "4.1(e)", "sub-paragraphs (c) and (d)", "4.1(c) 4.1(d)"),
        ("uk/si-1994-2899-regulation-7", "7(1)(e)", "paragraph (8)", "7(8)"),
        ("uk/si-1994-2899-regulation-7", "7(11)", "paragraphs (1) and (10)(f)", "7(1) 7(10)(f)"),
    ],
)
def test_resolved_here(laws: Mapping[str, Law], law_id: str, where: str, words: str, addresses: str) -> None:
    found = [r for r in references(laws[law_id]) if (r.where, r.words) == (where, words)]
    assert found
    assert {(r.status, " ".join(r.addresses)) for r in found} == {("here", addresses)}
    clause = laws[law_id].clause(where)
    text = clause.tail if found[0].part == "tail" else clause.intro
    assert text[found[0].start :].startswith(words)


def test_into_another_law(laws: Mapping[str, Law]) -> None:
    tournament = laws["nz/gazette-1998-15-division-7"]
    for others in ((), tuple(laws.values())):
        found = [r for r in references(tournament, others) if r.status == "elsewhere"]
        assert [(r.where, " ".join(r.addresses)) for r in found] == [
            ("2.1(b)", ""),
            ("2.2(b)", "5.3 5.8 7.1 8.7 8.8"),
            ("2.2(b)", "14 15"),
            ("5.8", "6.3"),
        ]
        assert {(r.law, r.instrument) for r in found} == {("nz/gazette-1998-9-division-2", "division 2")}


def test_to_texts_that_are_not_here(laws: Mapping[str, Law]) -> None:
    found = [
        (r.where, r.words, r.instrument)
        for law in laws.values()
        for r in references(law)
        if r.status == "external" and r.where != "notice"
    ]
    assert found == [
        ("2", "division 1", "division 1"),
        ("11.2(b)", "rule 9.5 of division 1", "division 1"),
        ("2.1(a)", "division 1", "division 1"),
        ("2.2(a)", "section 9", "division 1"),
        ("2.2(a)", "rules 10.2 and 10.4 of division 1", "division 1"),
        ("1", "division 1", "division 1"),
        ("7(2)", "Section 13(1) of the Act", "the Act"),
        ("(h)", "schedule 7 of GC-2B", "GC-2B"),
    ]
    notices = [r.instrument for law in laws.values() for r in references(law) if r.where == "notice"]
    assert notices == ["the Casino Control Act 1990"] * 3


def test_none_of_the_six_dangles(laws: Mapping[str, Law]) -> None:
    assert [
        r for law in laws.values() for r in references(law, tuple(laws.values())) if r.status == "dangling"
    ] == []


def test_how_many_there_are(laws: Mapping[str, Law]) -> None:
    assert {law_id: len(references(law)) for law_id, law in laws.items()} == {
        "nz/gazette-1998-9-division-2": 43,
        "nz/gazette-1998-15-division-7": 21,
        "nz/gazette-1998-16-division-8": 12,
        "nz/gazette-1994-112-page": 1,
        "uk/si-1994-2899-regulation-7": 12,
        "ny/9-nycrr-4620.5": 1,
    }


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("see rule 9.9", "9.9"),
        ("see rules 5.1, 5.7 and 5.2", "5.7"),
        ("see rules 5.1 to 5.9", "5.9"),
        ("see rules 5.2 to 5.1", "5.2 to 5.1"),
        ("see section 8", "8"),
        ("see subparagraph (z)", "5.1(z)"),
        ("see subparagraph (c) of rule 5.2", "5.2(c)"),
        ("see subparagraph (c) of rule 7.7", "7.7(c)"),
        ("see Appendix 3", "Appendix 3"),
        ("see schedule 3", "Schedule 3"),
        ("see division 3", "division 3"),
        ("see rule 5.1 of division 3", "division 3"),
    ],
)
def test_dangling(make_law: MakeLaw, text: str, missing: str) -> None:
    law = make_law(f"# 5.0 Wagers\n5.1 Pay, {text}:\n  (a) all.\n5.2 Pay.\n")
    (found,) = references(law)
    assert (found.status, " ".join(found.missing)) == ("dangling", missing)


@pytest.mark.parametrize(
    ("text", "instrument"),
    [
        ("section 5 of the Gaming Ordinance 1990", "the Gaming Ordinance 1990"),
        ("division 4 of the Gaming Ordinance", "the Gaming Ordinance"),
        ("rules 5.1 and 5.2 of the Tote Rules", "the Tote Rules"),
    ],
)
def test_of_another_text_though_a_clause_here_has_the_number(
    make_law: MakeLaw, text: str, instrument: str
) -> None:
    law = make_law(f"# 5.0 Wagers\n5.1 Pay under {text}.\n5.2 Pay.\n")
    (found,) = references(law)
    assert (found.status, found.instrument, found.addresses) == ("external", instrument, ())


def test_of_a_text_that_the_header_names() -> None:
    path = Path(__file__).parents[1] / "hunt" / "tombola.law"
    (found,) = (r for r in references(read_law(path, "tombola")) if r.where == "4.5")
    assert (found.words, found.status) == ("section 3 of the charter of the fair", "external")
    assert "charter of the fair" in path.read_text("utf-8").split("---")[1]


def test_a_subparagraph_without_a_number_before_it_is_of_the_rule_that_names_it(make_law: MakeLaw) -> None:
    (found,) = references(make_law("# 5.0 Wagers\n5.1 Pay, see subparagraph (z).\n5.2 Pay.\n"))
    assert (found.status, found.missing) == ("dangling", ("5.1(z)",))


def test_dangling_in_another_law(make_law: MakeLaw, blackjack: Law) -> None:
    law = make_law("# 5.0 Wagers\n5.1 See rules 5.3, 5.9 and sections 14 and 40 of division 2.\n")
    assert [(r.status, r.addresses, r.missing) for r in references(law, [blackjack])] == [
        ("dangling", ("5.3",), ("5.9",)),
        ("dangling", ("14",), ("40",)),
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("the rules of this section and of this division", []),
        ("paid under rule 5.1, or 100 to 1", ["rule 5.1"]),
        ("section 5, 2 cards", ["section 5"]),
        ("appendix 1 or appendix 2", ["appendix 1", "appendix 2"]),
        ("either rule 5.1 or rule 5.2", ["rule 5.1", "rule 5.2"]),
        ("overruled 5.1", []),
        ("paragraph 5", []),
        ("rule (a)", []),
    ],
)
def test_where_a_mention_ends(make_law: MakeLaw, text: str, found: list[str]) -> None:
    law = make_law(f"# 5.0 Wagers\n5.1 Pay, {text}.\n5.2 Pay.\n# Appendix 1 A\n# Appendix 2 B\n")
    assert [reference.words for reference in references(law)] == found


TWO_RULES = "# 5.0 Wagers\n5.1 Pay, {text}:\n  (a) all:\n    (i) now; or\n    (ii) later; and\n  (b) none.\n5.2 Pay.\n"


@pytest.mark.parametrize(
    ("text", "addresses", "missing"),
    [
        ("see rules 5.1(a) and (b)", "5.1(a) 5.1(b)", ""),
        ("see rule 5.1(a) or (z)", "5.1(a)", "5.1(z)"),
        ("see rules 5.1(a), (b) and 5.9", "5.1(a) 5.1(b)", "5.9"),
        ("see rules 5.1(a) to (z)", "", "5.1(z)"),
        ("see rules 5.1(a) to (b)", "5.1(a) 5.1(b)", ""),
        ("see subparagraphs (a)(i) and (ii)", "5.1(a)(i) 5.1(a)(ii)", ""),
        ("see subparagraphs (a)(i) and (b)", "5.1(a)(i) 5.1(b)", ""),
        ("see rule 5.1(a)(i) or (iii)", "5.1(a)(i)", "5.1(a)(iii)"),
        ("see rules 5.1–5.2", "5.1 5.2", ""),
        ("see rules 5.1-5.9", "", "5.9"),
        ("see rules 5.1 & 5.9", "5.1", "5.9"),
        ("see rule 5.2 and/or 5.9", "5.2", "5.9"),
        ("see section 5, 2 cards lie there", "5", ""),
        ("see clause 5.9", "", "5.9"),
        ("see clauses 5.1 and 5.2", "5.1 5.2", ""),
        ("see clause (b)", "5.1(b)", ""),
        ("see sub-rule (z) of rule 5.1", "", "5.1(z)"),
        ("see subsection (a) of clause 5.1", "5.1(a)", ""),
        ("see sub-rule 5", None, None),
    ],
)
def test_lists_of_labels_and_other_names_of_clauses(
    make_law: MakeLaw, text: str, addresses: str | None, missing: str | None
) -> None:
    found = references(make_law(TWO_RULES.format(text=text)))
    told = [(" ".join(r.addresses), " ".join(r.missing)) for r in found]
    assert told == ([] if addresses is None else [(addresses, missing)])
    assert all(r.status == ("dangling" if missing else "here") for r in found)


def test_labels_of_two_sorts_after_one_of_both(make_law: MakeLaw) -> None:
    law = make_law(
        "# 5.0 Pay\n5.1 All:\n  (1) see paragraphs (1)(a) and (b), (2) and (3):\n    (a) now;\n  (2) then.\n"
    )
    (found,) = references(law)
    assert (found.addresses, found.missing) == (("5.1(1)(a)", "5.1(2)"), ("5.1(1)(b)", "5.1(3)"))


THEREOF = "# 5.0 Wagers\n5.1 Pay:\n  (a) all; and\n  (b) none.\n5.2 Pay, {text}.\n"


@pytest.mark.parametrize(
    ("text", "addresses", "missing"),
    [
        ("see rule 5.1 and subparagraph (b) thereof", "5.1 5.1(b)", ""),
        ("see rule 5.1 and subparagraph (z) thereof", "5.1", "5.1(z)"),
        ("see rule 5.1, and pay as subparagraphs (a) and (b) thereof say", "5.1 5.1(a) 5.1(b)", ""),
        ("see subparagraph (a) of rule 5.1 or subparagraph (b) of that rule", "5.1(a) 5.1(b)", ""),
        ("see subparagraph (a) of rule 5.1 or subparagraph (z) of the same rule", "5.1(a)", "5.1(z)"),
        ("see subparagraph (b) thereof", "", "5.2(b)"),
        ("see rule 9 of the Betting Rules and subparagraph (z) thereof", "", ""),
    ],
)
def test_a_part_of_the_clause_spoken_of_last(
    make_law: MakeLaw, text: str, addresses: str, missing: str
) -> None:
    found = references(make_law(THEREOF.format(text=text)))
    assert " ".join(address for r in found for address in r.addresses) == addresses
    assert " ".join(address for r in found for address in r.missing) == missing
    assert all((r.status == "external") is ("Betting" in text) for r in found)
