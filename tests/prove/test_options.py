"""Each value of an option can be stated, and what is stated makes a difference."""

from __future__ import annotations

from pathlib import Path

from obligation_bench import asked, in_any_state, program_of

from verifier.prove.obligations import options
from verifier.prove.question import Sometimes

FULL = """
rule 3.5
  option pegs: {3, 4}
  option surcharge: bool
  option fee_shown: money
{require}
rule 2.2
  guest must not deposit(any, p, any) when Hook(p) has 3 articles or more and {read}
"""


def text_of(require: str = "", read: str = "pegs = 3 and surcharge and fee_shown > 5") -> str:
    return FULL.replace("{require}", require).replace("{read}", read)


def stated(text: str, folder: Path) -> dict[str, bool]:
    """For each obligation that asks something, whether the value can be stated."""
    program = program_of(text, folder)
    return {
        name: isinstance(in_any_state(program, o.question), Sometimes)
        for name, o in asked(options.obligations, program).items()
        if o.question is not None
    }


def test_what_no_require_reads_needs_no_question(tmp_path: Path) -> None:
    found = asked(options.obligations, program_of(text_of(), tmp_path))
    assert [(o.id, o.told) for o in found.values()] == [
        ("option pegs is read", None),
        ("option pegs can be stated", None),
        ("option surcharge is read", None),
        ("option surcharge can be stated", None),
        ("option fee_shown is read", None),
        ("option fee_shown can be stated", None),
    ]
    assert found["option pegs is read"].rules == ("3.5", "2.2")


def test_a_value_that_no_statement_can_have(tmp_path: Path) -> None:
    require = "  require pegs = 3 when surcharge\n  require surcharge when pegs = 4"
    assert stated(text_of(require), tmp_path) == {
        "option pegs = 3": True,
        "option pegs = 4": False,
        "option surcharge = no": True,
        "option surcharge = yes": True,
    }


def test_a_require_that_leaves_every_value_open(tmp_path: Path) -> None:
    require = "  require pegs = 3 when surcharge\n  require fee_shown > 10 when surcharge"
    assert all(stated(text_of(require), tmp_path).values())


def test_an_option_that_no_rule_reads(tmp_path: Path) -> None:
    program = program_of(
        text_of("  require not surcharge when pegs = 4", "pegs = 3 and fee_shown > 5"), tmp_path
    )
    told = {o.id: o.told for o in options.obligations(program) if o.told is not None}
    assert list(told) == ["option surcharge is read"]
    assert "no rule reads `surcharge`" in str(told["option surcharge is read"])


def test_what_reads_it_through_a_define_counts(tmp_path: Path) -> None:
    text = (
        text_of(read="crowded(p)")
        + "define crowded(p: Peg): bool = pegs = 3 and surcharge and fee_shown > p\n"
    )
    assert not [o for o in options.obligations(program_of(text, tmp_path)) if o.told is not None]


def test_a_stock_that_is_as_large_as_the_option_says_counts(tmp_path: Path) -> None:
    text = (
        text_of("  option rolls: 1..3")
        + "chance deposit(peg) from rolls without replacement since new_roll\n"
    )
    found = asked(options.obligations, program_of(text, tmp_path))["option rolls is read"]
    assert (found.told, found.about) == (None, ("read by event deposit",))


def test_what_is_not_observed_is_said_and_no_fault(tmp_path: Path) -> None:
    text = text_of('  unobservable "nobody logs pegs"', "surcharge and fee_shown > 5")
    found = asked(options.obligations, program_of(text, tmp_path))["option pegs is read"]
    assert found.told is None
    assert found.about == ("3.5 is unobservable: nobody logs pegs",)


def test_of_a_long_range_the_ends_are_asked(tmp_path: Path) -> None:
    text = text_of("  option width: 1..400\n  require width < 400 when surcharge", "pegs = 3 and width > 3")
    assert [name for name in stated(text, tmp_path) if "width" in name] == [
        "option width = 1",
        "option width = 400",
    ]
