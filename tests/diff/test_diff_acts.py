"""Acts by meaning: what must be done, may be done and must not be done, told with the regions in which it differs."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.diff.diff_edits import CHARGE, CROSS, Gazette, MakeRules, compared
from verifier.diff.turn import Turner
from verifier.exits import Exit
from verifier.prove.question import Unknown
from verifier.report.diff_acts import acts_open, acts_told


def test_a_prohibition_that_binds_otherwise_is_told_once_with_its_conditions(
    rules: MakeRules, gazette: Gazette
) -> None:
    old, new = rules(), rules((CROSS, "  traveller must not cross when not raised\n"))
    _, page = gazette("diff", old, new, "--format", "markdown")
    first, second = "traveller must not cross when raised", "traveller must not cross when not raised"
    assert f"| 1.2: {first} | 1.2: {second} | it binds in other cases |" in page.replace("`", "")
    _, out = gazette("diff", old, new)
    assert out.count("1.2  →  1.2") == 1
    _, drawn = gazette("diff", old, new, "--format", "html")
    assert "1 rule that binds or allows otherwise" in drawn


CARTS = (
    ("state bridge", "entity Wagon(no: 1..3) in crossing\n  laden: bool\n\nstate bridge"),
    ("event leave by", "event bring(wagon: Wagon) by traveller\nevent leave by"),
    ("on raise", "on bring(w)\n  new w\n\non raise"),
)


def _bringing(when: str) -> tuple[tuple[str, str], ...]:
    return (*CARTS, (CROSS, f"{CROSS}  traveller must not bring(w) when {when}\n"))


@pytest.mark.parametrize(
    ("when", "what"),
    [
        ("(raised or w.laden) and w in Wagon", "it binds in fewer cases"),
        ("raised or w.laden or w not in Wagon and charged", "it binds in more cases"),
        ("(raised or w.laden) and (w in Wagon or w not in Wagon)", ""),
    ],
)
def test_an_act_may_make_what_it_names(rules: MakeRules, when: str, what: str) -> None:
    whole = compared(rules(*_bringing("raised or w.laden")), rules(*_bringing(when)))
    assert [norm.what for norm in whole.norms if not norm.same] == ([what] if what else [])
    assert whole.exit == (Exit.BROKEN if what else Exit.HOLDS)


@pytest.mark.parametrize(
    ("when", "binds", "where"),
    [
        ("(raised or w.laden) and w in Wagon", "old", "wagon not in Wagon and (raised or wagon.laden)"),
        (
            "raised or w.laden or w not in Wagon and charged",
            "new",
            "charged and not raised and not wagon.laden and wagon not in Wagon",
        ),
    ],
)
def test_where_an_act_is_bound_by_one_side_alone(rules: MakeRules, when: str, binds: str, where: str) -> None:
    whole = compared(rules(*_bringing("raised or w.laden")), rules(*_bringing(when)))
    (norm,) = (norm for norm in whole.norms if not norm.same)
    assert norm.told is not None
    assert (norm.told.by, norm.told.why) == (("z3", "cvc5"), "")
    (region,) = norm.told.regions
    assert (region.event, region.binds, region.by) == ("bring", binds, ("z3", "cvc5"))
    assert region.where == where
    assert region.example is not None
    assert (region.example.old.binds, region.example.new.binds) == (binds == "old", binds == "new")
    assert not any(name.startswith("Wagon") for name, _ in region.example.state if name.endswith("laden"))


def test_a_permission_and_a_duty_that_moved_are_told_with_their_regions(rules: MakeRules) -> None:
    may = ("keeper may raise when not raised", "keeper may raise when not raised and not charged")
    must = (CHARGE, CHARGE.replace("when not charged", "when not charged and not raised"))
    told = {}
    for change in (may, must):
        (norm,) = (norm for norm in compared(rules(), rules(change)).norms if not norm.same)
        assert norm.told is not None
        told[norm.change.old and norm.change.old.force] = [(r.binds, r.where) for r in norm.told.regions]
    assert told == {"may": [("old", "charged and not raised")], "must": [("old", "raised and not charged")]}


def test_both_directions_are_told(rules: MakeRules) -> None:
    whole = compared(rules(), rules((CROSS, "  traveller must not cross when charged\n")))
    (norm,) = (norm for norm in whole.norms if not norm.same)
    assert norm.told is not None
    assert {(r.binds, r.where) for r in norm.told.regions} == {
        ("old", "raised and not charged"),
        ("new", "charged and not raised"),
    }


def test_regions_of_acts_are_shown(gazette: Gazette, rules: MakeRules) -> None:
    old, new = rules(), rules((CROSS, "  traveller must not cross when charged\n"))
    code, out = gazette("diff", old, new)
    assert code == 1
    said = "cross: 1.2 forbids it then, 1.2 does not forbid it now\n          where raised and not charged\n"
    assert said in out
    assert "→ 1.2 forbids it" in out
    code, out = gazette("diff", old, new, "--format", "markdown")
    said = "cross: 1.2 does not forbid it then, 1.2 forbids it now\n\n- Where `charged and not raised`\n"
    assert f"**1.2 → 1.2**: {said}" in out
    code, out = gazette("diff", old, new, "--format", "json")
    (norm,) = (norm for norm in json.loads(out)["norms"] if not norm["same"])
    assert [region["where"] for region in norm["regions"]["regions"]] == [
        "raised and not charged",
        "charged and not raised",
    ]


def test_a_region_speaks_of_its_rules_and_not_of_the_law(gazette: Gazette, rules: MakeRules) -> None:
    """Without the new rule of 2.1 the act stays forbidden by 1.2: nobody may read that it was not."""
    also = (
        "  keeper may raise when not raised",
        "  keeper may raise when not raised\n  traveller must not cross when ALSO",
    )
    old = rules((also[0], also[1].replace("ALSO", "raised and charged")))
    new = rules((also[0], also[1].replace("ALSO", "charged and not raised")))
    _, out = gazette("diff", old, new)
    assert (
        "cross: 2.1 forbids it then, 2.1 does not forbid it now\n          where raised and charged\n" in out
    )
    assert "cross: forbidden" not in out


def _twice(acts: str) -> tuple[tuple[str, str], ...]:
    return (*CARTS, (CROSS, f"{CROSS}  traveller must not {acts} when raised\n"))


@pytest.mark.parametrize(
    ("acts", "where"),
    [
        ("bring(w where w.no = 2) or bring(w where w.no = 1)", None),
        ("bring(w where w.no in {1, 2})", None),
        ("bring(w where w.no = 1) or bring(w where w.no = 3)", {("old", "raised and wagon.no = 2")}),
    ],
)
def test_what_a_rule_says_of_one_act_twice_is_held_together(
    rules: MakeRules, acts: str, where: set[tuple[str, str]] | None
) -> None:
    old = rules(*_twice("bring(w where w.no = 1) or bring(w where w.no = 2)"))
    found = [norm for norm in compared(old, rules(*_twice(acts))).norms if not norm.same]
    if where is None:
        assert found == []
        return
    (norm,) = found
    assert norm.told is not None
    assert where < {(r.binds, r.where) for r in norm.told.regions}
    assert len(norm.told.regions) == 2
    assert all(r.example is not None for r in norm.told.regions)


def test_what_is_open_is_not_said_to_be_proved(rules: MakeRules) -> None:
    (norm,) = (
        n
        for n in compared(rules(), rules((CROSS, "  traveller must not cross when charged\n"))).norms
        if not n.same
    )
    assert norm.told is not None
    bare = tuple(replace(region, where=None) for region in norm.told.regions)
    whole, part = replace(norm.told, regions=bare), replace(norm.told, regions=bare, by=(), why="given up")
    assert all("is proved" in told.proof for told in acts_told(replace(norm, told=whole)))
    assert not any("is proved" in told.proof for told in acts_told(replace(norm, told=part)))
    assert acts_open(replace(norm, told=part)) == "whether there are other cases is open: given up"


@pytest.mark.parametrize(
    ("when", "what"),
    [
        (
            "raised or charged",
            "it binds in cases in which it did not; whether it still does in all others is open",
        ),
        ("raised and charged", "in some cases it does not any more; whether it binds in others is open"),
    ],
)
def test_what_is_known_is_told_though_solvers_give_up_on_the_rest(
    rules: MakeRules, monkeypatch: pytest.MonkeyPatch, when: str, what: str
) -> None:
    """A state drawn at random shows the one way; of the other nobody can tell."""
    monkeypatch.setattr(Turner, "_asked", lambda *_: Unknown("z3: gave up"))
    old, new = (rules((CROSS, f"  traveller must not cross when {w}\n")) for w in ("raised", when))
    whole = compared(old, new)
    (norm,) = (norm for norm in whole.norms if not norm.same)
    assert (norm.what, norm.why) == (what, "z3: gave up")
    assert whole.exit == Exit.BROKEN
