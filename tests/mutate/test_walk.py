"""Which mutants there are: for each construct its changes, and none where there is nothing to change."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.errors import RuleTextError
from verifier.model.load import Modules
from verifier.mutate.mutant import KINDS, Mutant
from verifier.mutate.walk import mutants
from verifier.mutate.workshop import Workshop, workshop
from verifier.syntax.parse import parse_module

LEFT_OUT = ""


def made(text: str) -> list[Mutant]:
    return list(mutants(Modules((parse_module(text, "own.rules"),), {}, ())))


def of(condition: str) -> set[tuple[str, str, str]]:
    """The mutants of a condition, beyond those of the statement that it stands in."""
    text = f'enum Kind: foot | cart\nrule 1.2 "…"\n  keeper must not cross(t) when {condition}\n'
    return {(m.kind, m.before, m.after) for m in made(text) if not m.before.startswith(("keeper", "when"))}


CHANGES = {
    "a < 5": {("comparison", "a < 5", "a <= 5"), ("constant", "a < 5", "a < 4")},
    "a >= 5": {("comparison", "a >= 5", "a > 5"), ("constant", "a >= 5", "a >= 4")},
    "5 > a": {("comparison", "5 > a", "5 >= a"), ("constant", "5 > a", "4 > a")},
    "a = 0": {("comparison", "a = 0", "a != 0"), ("constant", "a = 0", "a = 1")},
    "a = foot": {("comparison", "a = foot", "a != foot"), ("label", "foot", "cart")},
    "a != b": {("comparison", "a != b", "a = b")},
    "a = 3 to 2": {
        ("comparison", "a = 3 to 2", "a != 3 to 2"),
        ("odds", "3 to 2", "4 to 2"),
        ("odds", "3 to 2", "3 to 3"),
    },
    "wet": {("negation", "wet", "not wet")},
    "not wet": {("negation", "not wet", "wet")},
    "not (a in {1, 2})": {
        ("negation", "not (a in {1, 2})", "(a in {1, 2})"),
        ("range", "{1, 2}", "{1}"),
        ("range", "{1, 2}", "{2}"),
    },
    "a exists": {("negation", "a exists", "a does not exist")},
    "a does not exist": {("negation", "a does not exist", "a exists")},
    "cross(t) has happened this day": {
        ("negation", "cross(t) has happened this day", "cross(t) has not happened this day")
    },
    "a in 2..3": {
        ("negation", "a in 2..3", "a not in 2..3"),
        ("range", "2..3", "1..3"),
        ("range", "2..3", "3..3"),
        ("range", "2..3", "2..2"),
        ("range", "2..3", "2..4"),
    },
    "a has 2 cards or more": {
        ("bound", "a has 2 cards or more", "a has 1 cards or more"),
        ("bound", "a has 2 cards or more", "a has 3 cards or more"),
    },
    "a has 2 cards": {
        ("bound", "a has 2 cards", "a has 2 cards or more"),
        ("bound", "a has 2 cards", "a has 2 cards or fewer"),
    },
    "a has 0 cards": {("bound", "a has 0 cards", "a has 0 cards or more")},
    "wet and dark": {
        ("connective", "wet and dark", "wet or dark"),
        ("limb", "wet and dark", "wet"),
        ("limb", "wet and dark", "dark"),
    },
    "(wet or dark) and cold": {
        ("connective", "(wet or dark) and cold", "(wet or dark) or cold"),
        ("limb", "(wet or dark) and cold", "(wet or dark)"),
        ("limb", "(wet or dark) and cold", "cold"),
        ("connective", "wet or dark", "wet and dark"),
        ("limb", "wet or dark", "wet"),
        ("limb", "wet or dark", "dark"),
    },
    "some x in Kind where x != a: x = b": {
        ("negation", "some x in Kind where x != a: x = b", "none x in Kind where x != a: x = b"),
        ("condition", "where x != a", LEFT_OUT),
        ("comparison", "x != a", "x = a"),
        ("comparison", "x = b", "x != b"),
    },
    "a = least (x for x in Kind)": {
        ("comparison", "a = least (x for x in Kind)", "a != least (x for x in Kind)"),
        ("bound", "least (x for x in Kind)", "greatest (x for x in Kind)"),
    },
    "a + 1 = b": {
        ("comparison", "a + 1 = b", "a + 1 != b"),
        ("constant", "a + 1", "a - 1"),
        ("constant", "a + 1", "a + 2"),
        ("constant", "a + 1", "a + 0"),
    },
}


def test_a_name_in_two_enumerations_has_the_next_of_each() -> None:
    """Which is meant only the types tell: a mutant of the other is no ruleset."""
    text = 'enum Kind: foot | cart\nenum Mark: foot | tar\nrule 1.2 "…"\n  keeper must not cross(t) when a = foot\n'
    assert {m.after for m in made(text) if m.kind == "label" and m.before == "foot"} == {"cart", "tar"}


@pytest.mark.parametrize("condition", CHANGES)
def test_the_changes_of_a_condition(condition: str) -> None:
    assert of(condition) == CHANGES[condition]


STATEMENTS = {
    "keeper must not cross(t)": {("rule", "keeper must not cross(t)", "never applies")},
    "keeper must not cross(t) when wet": {
        ("rule", "keeper must not cross(t) when wet", "never applies"),
        ("condition", "when wet", LEFT_OUT),
        ("negation", "wet", "not wet"),
    },
    "keeper | traveller may raise": {
        ("rule", "keeper | traveller may raise", "never applies"),
        ("label", "keeper | traveller", "keeper"),
        ("label", "keeper | traveller", "traveller"),
    },
    "keeper must raise or lower before leave": {
        ("rule", "keeper must raise or lower before leave", "never applies"),
        ("limb", "keeper must raise or lower before leave", "keeper must raise before leave"),
        ("limb", "keeper must raise or lower before leave", "keeper must lower before leave"),
    },
    "toll(k) = yes otherwise": {
        ("rule", "toll(k) = yes otherwise", "never applies"),
        ("exception", "toll(k) = yes otherwise", "toll(k) = yes"),
        ("label", "yes", "no"),
    },
    "except 1.1": {("exception", "except 1.1", LEFT_OUT)},
    "except 1.1, 1.3": {
        ("exception", "except 1.1, 1.3", "except 1.3"),
        ("exception", "except 1.1, 1.3", "except 1.1"),
    },
    "unless expressly permitted": {("exception", "unless expressly permitted", LEFT_OUT)},
    "given wet": {("condition", "given wet", LEFT_OUT), ("negation", "wet", "not wet")},
    "asked toll(k)": {("rule", "asked toll(k)", "never applies")},
    "keeper answers for 1.1": {("rule", "keeper answers for 1.1", "never applies")},
    "option size: {1, 2}": {("range", "{1, 2}", "{1}"), ("range", "{1, 2}", "{2}")},
    'structural "print"': set(),
    'reading "one of two"': set(),
    "points to 1.1": set(),
}


@pytest.mark.parametrize("statement", STATEMENTS)
def test_the_changes_of_a_statement(statement: str) -> None:
    found = {(m.kind, m.before, m.after) for m in made(f'rule 1.2 "…"\n  {statement}\n')}
    assert found == STATEMENTS[statement]


def test_mechanics_and_declarations_are_left_alone() -> None:
    assert made("actors keeper\nstate day\n  wet: bool = no\non rain\n  wet = yes when not wet\n") == []


def test_defines_outside_of_rules_are_changed_under_their_names() -> None:
    (one,) = made("define cold: bool = wet\n")
    assert (one.rule, one.clause, one.kind) == ("define cold", None, "negation")


def test_comments_and_quotes_are_not_taken_for_text() -> None:
    text = 'rule 1.2 "no and no or"  # and\n  keeper must not cross(t) when wet  # or and\n    and dark\n'
    kinds = [m.kind for m in made(text)]
    assert kinds == ["rule", "condition", "connective", "limb", "limb"]


def test_a_mutant_has_its_place() -> None:
    text = 'rule 1.2 "…"\n  keeper must not cross(t)\n    when wet\n    and left < 5\n'
    (one,) = [m for m in made(text) if m.kind == "comparison"]
    assert (one.place.file, one.place.line, one.place.column) == ("own.rules", 4, 14)


def test_ids_are_unique_and_the_same_each_time(shop: Workshop) -> None:
    first, again = (list(mutants(shop.modules)) for _ in range(2))
    assert first == again
    assert len({m.id for m in first}) == len(first) > 10


def test_an_id_outlives_changes_elsewhere() -> None:
    rule = 'rule 1.2 "…"\n  keeper must not cross(t) when wet\n'
    before = {m.id for m in made(rule)}
    assert before <= {m.id for m in made('rule 1.1 "…"\n  keeper must not cross(t) when dry\n' + rule)}
    assert not before & {m.id for m in made(rule.replace("1.2", "1.3"))}


def test_every_mutant_of_a_ruleset_is_one_change_of_its_text(shop: Workshop) -> None:
    text = shop.modules.modules[-1].text
    for mutant in mutants(shop.modules):
        changed = shop.text(mutant)
        assert changed != text
        assert changed.count("\n") == text.count("\n")
        assert mutant.kind in KINDS
        made_ = shop.made(mutant)
        assert made_.ruleset.digest != shop.original.ruleset.digest
        assert made_.ruleset.rules.keys() == shop.original.ruleset.rules.keys()


def test_a_made_mutant_is_what_loading_its_text_gives(shop: Workshop, folder: Path) -> None:
    mutant = next(m for m in mutants(shop.modules) if m.kind == "limb")
    (folder / "bridge.rules").write_text(shop.text(mutant), "utf-8")
    loaded = workshop(folder / "bridge.rules").original
    made_ = shop.made(mutant)
    assert loaded.program.functions == made_.program.functions
    assert loaded.program.duties == made_.program.duties


def test_a_mutant_that_is_no_ruleset_is_refused(folder: Path) -> None:
    path = folder / "bridge.rules"
    path.write_text(
        path.read_text("utf-8") + "enum Size: 1 | 2 | 3\ndefine big(s: Size): bool = s in {2..3}\n", "utf-8"
    )
    shop = workshop(path)
    wider = next(m for m in mutants(shop.modules) if m.after == "{2..4}")
    with pytest.raises(RuleTextError):
        shop.made(wider)
