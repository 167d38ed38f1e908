"""What it means, point 5: history."""

from __future__ import annotations

from pathlib import Path

from language_bench import check, loaded


# ------------------------------------------------------------------------------------------------- 5 history
def test_5_has_happened_and_has_not_happened_this_life(tmp_path: Path) -> None:
    text = "rule 4.3\n  guest must not surrender(i) when call(i.guest) has not happened this evening\n"
    log = """
    attendant call(bob)
    guest surrender(ann's coat) → broken 4.3
    attendant call(ann)
    guest surrender(ann's coat) → kept 4.3
    attendant close
    guest surrender(ann's coat) → broken 4.3
    """
    check(text, log, tmp_path)


def test_5_until_is_history_too(tmp_path: Path) -> None:
    text = "rule 4.3\n  guest g must not complain(g) until call(g) this evening\n"
    log = """
    guest complain(ann) → broken 4.3
    attendant call(ann)
    guest complain(ann) → kept 4.3
    guest complain(bob) → broken 4.3
    """
    check(text, log, tmp_path)


def test_5_a_constant_counts_only_such_events(tmp_path: Path) -> None:
    text = "rule 6.1\n  attendant must not call(any) when deposit(any, 3, any) has happened this evening\n"
    log = """
    guest deposit(ann's coat, 2, 0)
    attendant call(ann) → kept 6.1
    guest deposit(ann's hat, 3, 0)
    attendant call(ann) → broken 6.1
    """
    check(text, log, tmp_path)


def test_5_named_arguments_leave_the_others_open(tmp_path: Path) -> None:
    text = "rule 6.1\n  attendant must not call(any) when deposit(peg: 3) has happened this evening\n"
    log = "guest deposit(ann's hat, 3, 0)\nattendant call(ann) → broken 6.1"
    check(text, log, tmp_path)


def test_5_counts_are_kept_by_key(tmp_path: Path) -> None:
    text = "rule 5.5\n  guest must not complain(g) when number of (complain(g) this evening) >= 2\n"
    log = """
    guest complain(ann)
    guest complain(bob)
    guest complain(ann)
    guest complain(bob) → kept 5.5
    guest complain(ann) → broken 5.5
    """
    check(text, log, tmp_path)


def test_5_since_counts_from_the_reset_on(tmp_path: Path) -> None:
    text = "rule 5.5\n  guest must not complain(g) when number of (complain(g) since new_roll) >= 1\n"
    log = """
    guest complain(ann)
    guest complain(ann) → broken 5.5
    attendant new_roll
    guest complain(ann) → kept 5.5
    attendant close
    guest complain(ann) → broken 5.5
    """
    check(text, log, tmp_path)


def test_5_since_with_the_same_key_resets_that_key_only(tmp_path: Path) -> None:
    text = "rule 5.5\n  guest must not complain(g) when complain(g) has happened since call(g)\n"
    log = """
    guest complain(ann)
    guest complain(bob)
    attendant call(ann)
    guest complain(ann) → kept 5.5
    guest complain(bob) → broken 5.5
    """
    check(text, log, tmp_path)


def test_5_the_reset_comes_before_the_count(tmp_path: Path) -> None:
    text = (
        "rule 5.5\n  guest must not surrender(any) when number of (complain(any) since complain(any)) != 1\n"
    )
    log = """
    guest surrender(ann's coat) → broken 5.5
    guest complain(ann)
    guest surrender(ann's coat) → kept 5.5
    guest complain(bob)
    guest surrender(ann's coat) → kept 5.5
    """
    check(text, log, tmp_path)


def test_5_the_event_at_hand_is_not_yet_history(tmp_path: Path) -> None:
    text = "rule 6.1\n  guest must not complain(g) when complain(g) has happened this evening\n"
    check(text, "guest complain(ann) → kept 6.1\nguest complain(ann) → broken 6.1", tmp_path)


def test_5_one_latch_serves_all_who_ask_the_same(tmp_path: Path) -> None:
    text = """rule 6.1
  guest must not complain(g) when complain(g) has happened this evening
rule 6.3
  attendant must not call(g) when complain(g) has happened this evening
"""
    assert len(loaded(text, tmp_path).latches) == 1


def test_5_without_a_reset_yet_since_counts_from_the_beginning_of_the_log(tmp_path: Path) -> None:
    text = "rule 5.5\n  guest must not complain(g) when complain(g) has happened since new_roll\n"
    check(text, "guest complain(ann) → kept 5.5\nguest complain(ann) → broken 5.5", tmp_path)
