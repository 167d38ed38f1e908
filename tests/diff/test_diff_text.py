"""Clauses of two laws: each kind of change found, and not where there is none."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from verifier.diff.text import ClauseChange, TextDiff, compare_laws
from verifier.diff.words import Span
from verifier.law import Law, load_law

MakeLaw = Callable[..., Law]
FRAGMENT = ("missing: []", "extent: fragment\nmissing: []")
CAP = "1.3 The keeper shall wear a cap.\n"


def changed(diff: TextDiff) -> list[ClauseChange]:
    return [change for change in diff.changes if not change.same]


def only(diff: TextDiff) -> ClauseChange:
    (change,) = changed(diff)
    return change


def test_a_law_against_itself(law: MakeLaw) -> None:
    diff = compare_laws(law(), law())
    assert not changed(diff)
    assert not diff.different
    assert [change.old for change in diff.changes] == [(address,) for address in law().clauses]


def test_a_figure_written_otherwise_is_no_change(law: MakeLaw) -> None:
    assert not compare_laws(law(), law(("twenty-one", "21"), ("fifty", "50"))).different


def test_another_figure_is_one(law: MakeLaw) -> None:
    change = only(compare_laws(law(), law(("twenty-one", "20"))))
    assert change.old == change.new == ("2.1",)
    assert [(s.old, s.new) for s in change.spans if s.kind == "changed"] == [("twenty-one", "20")]


def test_a_row_says_its_cells_once(law: MakeLaw) -> None:
    table = CAP + "\n1.4 The toll is paid in coins:\n  | Coin | Worth\n  | Groat | 4 pence\n"
    change = only(compare_laws(law((CAP, table)), law((CAP, table.replace("4 pence", "5 pence")))))
    same = Span("same", "Groat", "Groat"), Span("same", "pence", "pence")
    assert change.spans == (same[0], Span("changed", "4", "5"), same[1])


def test_renumbered(law: MakeLaw) -> None:
    diff = compare_laws(law(), law(("# 1.0", "# 4.0"), ("1.1 ", "4.1 "), ("1.2 ", "4.2 "), ("1.3 ", "4.3 ")))
    assert diff.counterparts("1.1(b)") == ("4.1(b)",)
    assert {c.old for c in changed(diff)} == {(a,) for a in law().clauses if a.startswith("1")}
    assert all(c.renumbered and not c.moved and not c.reworded for c in changed(diff))


def test_added_and_removed(law: MakeLaw) -> None:
    without = law((CAP, ""))
    assert only(compare_laws(law(), without)) == ClauseChange("removed", ("1.3",), ())
    assert only(compare_laws(without, law())) == ClauseChange("added", (), ("1.3",))


def test_beyond_the_page(law: MakeLaw) -> None:
    page = law((CAP, ""), FRAGMENT)
    diff = compare_laws(page, law())
    assert only(diff) == ClauseChange("beyond", (), ("1.3",))
    assert not diff.different
    assert only(compare_laws(law(), page)).kind == "beyond"


def test_what_the_whole_law_lacks_is_removed_though_the_other_is_a_page(law: MakeLaw) -> None:
    diff = compare_laws(law(FRAGMENT), law((CAP, "")))
    assert only(diff).kind == "removed"
    assert diff.different


def test_moved_within_its_section(law: MakeLaw) -> None:
    cross = "1.2 No traveller shall cross while the bridge is raised.\n"
    diff = compare_laws(
        law(),
        law(
            (cross, ""),
            (CAP, ""),
            ("# 2.0", f"{CAP.replace('1.3', '1.2')}\n{cross.replace('1.2', '1.3')}\n# 2.0"),
        ),
    )
    moved = [change for change in changed(diff) if change.moved]
    assert len(moved) == 1
    assert diff.counterparts("1.2") == ("1.3",)
    assert diff.counterparts("1.3") == ("1.2",)


def test_moved_to_another_section(law: MakeLaw) -> None:
    change = only(compare_laws(law(), law((CAP, ""), ("its horn.\n", f"its horn.\n\n2.2{CAP[3:]}"))))
    assert (change.old, change.new, change.moved, change.reworded) == (("1.3",), ("2.2",), True, False)


def test_split_and_joined(law: MakeLaw) -> None:
    long = law(
        (CAP, "1.3 The keeper shall wear a cap and shall carry a lantern after sunset every evening.\n")
    )
    apart = law((CAP, f"{CAP}\n1.4 The keeper shall carry a lantern after sunset every evening.\n"))
    split = only(compare_laws(long, apart))
    assert (split.kind, split.old, set(split.new)) == ("split", ("1.3",), {"1.3", "1.4"})
    joined = only(compare_laws(apart, long))
    assert (joined.kind, set(joined.old), joined.new) == ("joined", {"1.3", "1.4"}, ("1.3",))


def test_a_list_that_ends_a_sentence_belongs_to_it(law: MakeLaw) -> None:
    listed = "1.3 The keeper shall wear:\n  (a) a cap; and\n  (b) two boots.\n"
    change = only(compare_laws(law(), law((CAP, listed))))
    assert (change.kind, change.new) == ("split", ("1.3", "1.3(a)", "1.3(b)"))


def test_a_heading_answers_to_no_sentence(law: MakeLaw) -> None:
    diff = compare_laws(law((CAP, "1.3 Tolls.\n")), law(("# 1.0 Tolls", "# 1.0 Crossing"), (CAP, "")))
    assert diff.counterparts("1.3") == ()


def test_every_clause_is_in_one_change() -> None:
    old, new = load_law("nz/gazette-1998-9-division-2"), load_law("nz/gazette-1998-16-division-8")
    diff = compare_laws(old, new)
    assert sorted(a for change in diff.changes for a in change.old) == sorted(old.clauses)
    assert sorted(a for change in diff.changes for a in change.new) == sorted(new.clauses)


@pytest.fixture(scope="module")
def page() -> TextDiff:
    return compare_laws(load_law("nz/gazette-1994-112-page"), load_law("nz/gazette-1998-9-division-2"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("3", ("4",)),
        ("3.1", ("3.3(a)", "3.3(b)")),
        ("3.2(c)", ("4.1(c)",)),
        ("3.3", ("4.2",)),
        ("4.1", ("5.1",)),
        *((f"4.1({letter})", (f"5.1({letter})",)) for letter in "abcdefg"),
        ("4.2", ("5.5", "5.5(a)", "5.5(b)")),
    ],
)
def test_the_page_of_1994_in_1998(page: TextDiff, old: str, new: tuple[str, ...]) -> None:
    assert page.counterparts(old) == new


def test_an_instrument_of_one_regulation_answers_to_no_section_of_another() -> None:
    diff = compare_laws(load_law("nz/gazette-1998-9-division-2"), load_law("uk/si-1994-2899-regulation-7"))
    assert diff.counterparts("4.1(a)") == ("7(11)(b)",)
    # "Payment of Blackjack" is no counterpart of "Blackjack", which is all of the regulation, nor is early payment one
    # of a wager on the banker's second card.
    assert diff.counterparts("10") == diff.counterparts("10.3") == ()
    again = compare_laws(load_law("uk/si-1994-2899-regulation-7"), load_law("uk/si-1994-2899-regulation-7"))
    assert again.counterparts("7") == ("7",)


def test_what_the_page_does_not_have_is_beyond_it(page: TextDiff) -> None:
    alone = [change for change in page.changes if not change.old or not change.new]
    assert {change.kind for change in alone} == {"beyond"}
    assert ("12.4(c)",) in [change.new for change in alone]


def test_words_changed_are_shown_within_the_clause(page: TextDiff) -> None:
    change = next(c for c in page.changes if c.old == ("4.1(c)",))
    assert [(s.old, s.new) for s in change.spans if s.kind == "changed"] == [
        ("", "either"),
        ("", "or in 2 cards without achieving a blackjack;"),
    ]
