"""A finding's region: told in the clauses' own terms, proved equal to the finding, and not told where it is large."""

from __future__ import annotations

from dataclasses import replace

import pytest
from prove_bylaw import bylaw, named, typed

from verifier.model import terms as m
from verifier.model.show import names_of, show_term
from verifier.model.types import BOOL
from verifier.prove.obligations.units import both, either, no
from verifier.prove.question import Never, Nothing, Sometimes
from verifier.prove.region import Region, Regions, atoms_of, factored, region

LOST = """
rule 5.1 "Where an article is lost"
  asked liability(i) when i.lost
rule 5.1(a) "to make good the loss, if the guest declared what the article is worth"
  liability(i) = pay when i.worth > 0
rule 5.1(b) "nothing, if nothing was declared"
  liability(i) = nothing when i.worth <= LEAST and WHEN
"""
NEXT = """
rule 5.1(c) "except as provided in subparagraph (a), to make good the loss of a fur"
  except 5.1(a)
  liability(i) = void when i.article = fur
"""


def told(text: str, id: str) -> Region | None:
    question = named(text, id).question
    assert question is not None
    return region(bylaw(text), typed(text), question)


def lost(least: int = 0, when: str = "i.here", more: str = "") -> str:
    return LOST.replace("LEAST", str(least)).replace("WHEN", when) + more


@pytest.mark.parametrize(
    ("text", "id", "said"),
    [
        (lost(), "gap liability 5.1", "i.worth <= 0 and not i.here"),
        (lost(9), "conflict liability 5.1(a) / 5.1(b)", "i.worth > 0 and i.worth <= 9 and i.here"),
        (
            lost(0, "i.here", NEXT),
            "conflict liability 5.1(b) / 5.1(c)",
            "i.worth <= 0 and i.here and i.article = fur",
        ),
        (
            lost(0, "(i.here or i.booked)", NEXT),
            "conflict liability 5.1(b) / 5.1(c)",
            "i.worth <= 0 and i.article = fur and (i.here or i.booked)",
        ),
    ],
)
def test_a_region_is_told_as_the_clauses_would(text: str, id: str, said: str) -> None:
    found = told(text, id)
    assert found is not None
    assert sorted(found.text.split(" and ")) == sorted(said.split(" and "))
    assert found.where == "i in Item and i.lost"
    assert found.scope == "2 Guest"


def test_within_its_context_a_region_is_the_question() -> None:
    text = lost(9)
    question = named(text, "conflict liability 5.1(a) / 5.1(b)").question
    assert question is not None
    found = told(text, "conflict liability 5.1(a) / 5.1(b)")
    assert found is not None
    inside = replace(question, condition=both(found.context, *found.cubes))
    (cube,) = found.cubes
    assert isinstance(typed(text).ask(replace(inside, none=(Nothing((), question.condition),))), Never)
    assert isinstance(typed(text).ask(replace(question, none=(Nothing((), cube),))), Never)
    assert isinstance(cube, m.AndT)
    for item in cube.items:
        wider = both(found.context, *(other for other in cube.items if other != item))
        asked = replace(question, condition=wider, none=(Nothing((), question.condition),))
        assert isinstance(typed(text).ask(asked), Sometimes), f"{item} can be dropped"


def test_what_is_assumed_need_not_be_told() -> None:
    text = lost()
    question = named(text, "gap liability 5.1").question
    assert question is not None
    program = bylaw(text)
    (param,) = program.decisions["liability"].params
    item = m.Var(param.type, "x")
    here = m.Field(BOOL, "Item", "here", item)
    nothing_here = m.Quant(BOOL, "every", "x", m.OverEntity(param.type, "Item"), None, no(here))
    found = region(program, typed(text), question, [nothing_here])
    assert found is not None
    assert found.text == "i.worth <= 0"


def test_what_is_not_small_is_not_told() -> None:
    ways = " or ".join(f"i.{part}" for part in ("here", "ticket", "booked", "paid", "called_for", "settled"))
    few = " or ".join(f"i.{part}" for part in ("here", "ticket", "booked"))
    assert told(lost(9, f"({ways})"), "conflict liability 5.1(a) / 5.1(b)") is None
    assert told(lost(9, f"({few})"), "conflict liability 5.1(a) / 5.1(b)") is not None
    long = " and ".join(f"i.{part}" for part in ("here", "ticket", "booked", "paid", "called_for", "settled"))
    assert told(lost(9, long), "conflict liability 5.1(a) / 5.1(b)") is None


def test_what_takes_too_much_work_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(lost(), "gap liability 5.1") is not None
    monkeypatch.setattr("verifier.prove.region.MOST_WORK", -1)
    assert told(lost(), "gap liability 5.1") is None


def test_what_never_is_has_no_region() -> None:
    assert told(lost(), "conflict liability 5.1(a) / 5.1(b)") is None


def test_a_question_about_an_event_has_none() -> None:
    text = lost()
    question = named(text, "gap liability 5.1").question
    assert question is not None
    regions = Regions(bylaw(text), typed(text))
    assert regions.of(replace(question, event="open")) is None
    assert regions.of(question) is not None


def test_a_displaced_clause_is_opened_with_what_displaces_it() -> None:
    text = lost(0, "i.here", NEXT)
    question = named(text, "conflict liability 5.1(b) / 5.1(c)").question
    assert question is not None
    names = names_of(bylaw(text).ruleset)
    assert [show_term(atom, names) for atom in atoms_of(bylaw(text), question)] == [
        "i in Item",
        "i.lost",
        "i.worth <= 0",
        "i.here",
        "i.article = fur",
        "i.worth > 0",
    ]


def test_what_all_ways_have_in_common_is_said_once() -> None:
    a, b, c = (m.Var(BOOL, name) for name in "abc")
    assert factored((both(a, b), both(a, c))) == both(a, either(b, c))
    assert factored((both(a, b),)) == both(a, b)
    assert factored((a, both(a, b))) == a
