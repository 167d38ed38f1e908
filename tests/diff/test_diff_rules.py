"""Options and what rules say, by the clauses that answer to each other; and the command that prints it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from verifier.diff.rules import RulesDiff, StatementChange, compare_rulesets
from verifier.errors import RequestError
from verifier.model.load import load
from verifier.report.diff_meaning import statements_said

MakeRules = Callable[..., Path]
Gazette = Callable[..., tuple[int, str]]

RENUMBERED = (("# 1.0", "# 4.0"), ("1.1", "4.1"), ("1.2 ", "4.2 "), ("1.3 ", "4.3 "))
NO_SHIPS = (
    (
        "# 2.0 Ships\n\n2.1 The keeper shall raise the bridge "
        "within twenty-one minutes after a ship has sounded its horn.",
        "",
    ),
    ('rule 2.1 "The keeper shall raise the bridge"\n  keeper may raise when not raised', ""),
)
CAP = '  unobservable "the log records crossings and tolls, not what people wear"\n'
FRAGMENT = ("missing: []", "extent: fragment\nmissing: []")


def compared(old: Path, new: Path) -> RulesDiff:
    return compare_rulesets(load(old), load(new))


def only(diff: RulesDiff) -> StatementChange:
    assert not diff.options
    (change,) = diff.statements
    return change


def test_the_same_rules(rules: MakeRules) -> None:
    diff = compared(rules(), rules())
    assert diff.identical
    assert not diff.different
    assert not diff.unread


def test_rules_follow_their_clauses_to_other_numbers(rules: MakeRules) -> None:
    diff = compared(rules(), rules(*RENUMBERED))
    assert diff.text.counterparts("1.2") == ("4.2",)
    assert not diff.statements
    assert [(c.old and c.old.clause, c.new and c.new.clause) for c in diff.options] == []
    assert diff.different


def test_an_option_whose_range_moved(rules: MakeRules) -> None:
    (change,) = compared(rules(), rules(("2..3", "1..3"))).options
    assert change.fate == "changed"
    assert change.old is not None
    assert change.new is not None
    assert (change.old.range, change.new.range) == ("2 to 3", "1 to 3")


def test_an_option_that_only_one_has(rules: MakeRules) -> None:
    without = rules(("  option lanes: 2..3\n", ""))
    assert [c.fate for c in compared(rules(), without).options] == ["old"]
    assert [c.fate for c in compared(without, rules()).options] == ["new"]


def test_a_proviso_of_an_option(rules: MakeRules) -> None:
    (change,) = compared(
        rules(), rules(("  option lanes: 2..3\n", "  option lanes: 2..3\n  require lanes >= 3\n"))
    ).options
    assert change.new is not None
    assert change.new.provisos == ("1.1: lanes >= 3",)


@pytest.mark.parametrize(
    ("line", "force"),
    [
        ("  keeper must charge(any, any) before cross when not charged\n", "must"),
        ("  keeper may raise when not raised\n", "may"),
        ("  toll(k) = 200 when k = cart\n", "decides"),
    ],
)
def test_what_was_said_and_is_not(rules: MakeRules, line: str, force: str) -> None:
    without = rules((line, '  structural "says nothing here"\n'))
    change = only(compared(rules(), without))
    assert change.fate == "old"
    assert change.old is not None
    assert change.old.force == force
    change = only(compared(without, rules()))
    assert change.fate == "new"


def test_a_condition_that_changed(rules: MakeRules) -> None:
    change = only(compared(rules(), rules(("cross when raised", "cross when not raised"))))
    assert change.fate == "changed"
    assert change.old is not None
    assert change.new is not None
    assert (change.old.when, change.new.when) == (("raised",), ("not raised",))


def test_when_an_answer_is_due_is_a_statement_of_its_own(rules: MakeRules) -> None:
    line = "  toll(k) = 200 when k = cart\n"
    asked = (line, f"{line}  asked toll(k) when k = cart\n")
    change = only(compared(rules(), rules(asked)))
    assert (change.fate, change.old) == ("new", None)
    assert change.new is not None
    assert (change.new.force, change.new.about) == ("asks", ("toll",))
    other = rules((line, f"{line}  asked toll(k) when k = foot\n"))
    change = only(compared(rules(asked), other))
    assert statements_said(change) == ("asked toll(k) when k = cart", "asked toll(k) when k = foot")


def test_another_force_is_no_counterpart(rules: MakeRules) -> None:
    diff = compared(rules(), rules(("keeper may raise", "keeper must not raise")))
    assert [c.fate for c in diff.statements] == ["old", "new"]


def test_what_a_whole_law_lacks_and_what_a_page_lacks(rules: MakeRules) -> None:
    assert only(compared(rules(*NO_SHIPS), rules())).fate == "new"
    diff = compared(rules(*NO_SHIPS, FRAGMENT), rules())
    assert only(diff).fate == "beyond"
    assert not diff.different
    assert diff.unread


def test_what_is_not_compared_is_left_open(rules: MakeRules) -> None:
    diff = compared(rules(), rules(("  raised = yes\n", "  raised = no\n")))
    assert not diff.different
    assert diff.unread


def test_a_ruleset_without_a_law(tmp_path: Path, rules: MakeRules) -> None:
    bare = tmp_path / "bare.rules"
    bare.write_text("ruleset bare\nactors keeper\nlife day\nevent open by keeper\n")
    with pytest.raises(RequestError, match="transcribes no law"):
        compared(bare, rules())


# -------------------------------------------------------------------------------------------------- command
def test_exit_codes(gazette: Gazette, rules: MakeRules) -> None:
    assert gazette("diff", rules(), rules())[0] == 0
    assert gazette("diff", rules(), rules(("2..3", "1..3")))[0] == 1
    assert gazette("diff", rules(), rules(("  raised = yes\n", "  raised = no\n")))[0] == 3
    assert gazette("diff", rules(), "no/such")[0] == 2


def test_the_page_of_two_that_are_the_same(gazette: Gazette, rules: MakeRules) -> None:
    _, out = gazette("diff", rules(), rules())
    assert "Both are the same files of law and rules.\n" in out
    assert "Clauses" not in out


def test_the_page(gazette: Gazette, rules: MakeRules) -> None:
    changes = (
        ("twenty-one minutes", "20 minutes"),
        ("2..3", "1..3"),
        ("cross when raised", "cross when not raised"),
    )
    _, out = gazette("diff", rules(), rules(*changes))
    assert "Clauses: 7 the same, 1 reworded.\n" in out
    assert (
        """
2.1  →  2.1   reworded
    The keeper shall raise the bridge within       │ The keeper shall raise the bridge within ⟦20⟧
    ⟦twenty-one⟧ minutes after a ship has sounded  │ minutes after a ship has sounded its horn.
    its horn.                                      │
"""
        in out
    )
    assert (
        """
    lanes   differs
        1.1: 2 to 3                                  │ 1.1: 1 to 3
"""
        in out
    )
    assert (
        """
    1.2  →  1.2   it binds in other cases
        traveller must not cross when raised         │ traveller must not cross when not raised
"""
        in out
    )
    assert all(len(line) <= 100 for line in out.splitlines())


def test_clauses_beyond_the_page_are_listed_and_not_called_removed(
    gazette: Gazette, rules: MakeRules
) -> None:
    _, out = gazette("diff", rules(), rules(*NO_SHIPS, FRAGMENT))
    assert "2 clauses beyond the page\n    2, 2.1\n" in out
    assert "removed" not in out


def test_json(gazette: Gazette, rules: MakeRules) -> None:
    code, out = gazette("diff", rules(), rules(("twenty-one minutes", "20 minutes")), "--format", "json")
    document = json.loads(out)
    assert (document["gazette-diff"], document["exit_code"], code) == (1, 0, 0)
    (clause,) = [c for c in document["clauses"] if c["reworded"]]
    assert clause["new"] == ["2.1"]
    assert {"kind": "changed", "old": "twenty-one", "new": "20"} in clause["words"]
    assert document["old"]["fragment"] is False


def test_what_a_statement_is_subject_to_is_told_with_it(rules: MakeRules) -> None:
    crossing = "  traveller must not cross when raised\n"
    narrowed = (
        (crossing, "  subject to 1.3\n" + crossing.replace("when raised", "when raised and charged")),
        (CAP, CAP + "  traveller may cross when raised and charged\n"),
    )
    old, new = rules(narrowed[1]), rules(*narrowed)
    change = only(compared(old, new))
    assert change.old is not None
    assert change.new is not None
    assert (change.old.subject_to, change.new.subject_to) == ((), ("1.3",))
    assert statements_said(change) == (
        "traveller must not cross when raised",
        "traveller must not cross when raised and charged; subject to 1.3",
    )
    # What both are subject to is not what changed.
    both = rules((crossing, "  subject to 1.3\n" + crossing), narrowed[1])
    assert statements_said(only(compared(both, new)))[1] == "traveller must not cross when raised and charged"


def test_a_define_is_shown_with_the_names_of_its_types(tmp_path: Path) -> None:
    """An entity that has no written form has a name all the same."""
    stall, shown = Path(__file__).parents[1] / "new_game", {}
    for side, most in (("old", "100"), ("new", "200")):
        (tmp_path / side).mkdir()
        for path in stall.glob("pebble*"):
            text = path.read_text("utf-8")
            if path.name == "pebbles.rules":
                line = 'rule 5.1 "A stake shall"\n'
                assert line in text
                text = text.replace(
                    line, f"{line}  define high(s: Stake, c: Colour?): bool = s.amount > {most}\n"
                )
            (tmp_path / side / path.name).write_text(text, "utf-8")
        shown[side] = tmp_path / side / "pebbles.rules"
    change = only(compared(shown["old"], shown["new"]))
    assert change.old is not None
    assert change.old.says == "define high(s: Stake, c: Colour?): yes or no"
