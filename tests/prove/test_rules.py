"""Dead and subsumed rules, idle limbs and exceptions, vacuous suppositions: found, and what is well written passed."""

from __future__ import annotations

import pytest
from prove_bylaw import bylaw, every, ids, named, refuted

from verifier.check.engine import prepare
from verifier.prove.obligations import rules
from verifier.prove.obligations.limbs import limbs_of
from verifier.prove.obligations.units import Naming

A = 'rule 6.2(a) "in the first case"\n'
B = 'rule 6.2(b) "in the second case"\n'
C = 'rule 6.2(c) "in any other case"\n'


# ---------------------------------------------------------------------------------------------- dead rules
@pytest.mark.parametrize(
    "says",
    [
        "liability(i) = pay when i.worth > WORTH and i.worth < 4",
        "attendant must book(i) at once when i.worth > WORTH and i.worth < 4",
        "attendant must strike(i) immediately after give_back(i) when i.worth > WORTH and i.worth < 4",
        "attendant must not book(i) when i.worth > WORTH and i.worth < 4",
        "guest may deposit(any, any, w) when w > WORTH and w < 4",
    ],
)
def test_a_rule_that_can_never_apply_is_dead(says: str) -> None:
    assert refuted(A + "  " + says.replace("WORTH", "4"), "dead rule") == ["dead rule 6.2(a)"]
    assert refuted(A + "  " + says.replace("WORTH", "2"), "dead rule") == []


def test_a_rule_that_another_always_displaces_is_dead() -> None:
    displaced = (
        A + "  except 6.2(b)\n  fee(i) = 10 when i.worth > 50\n" + B + "  fee(i) = 20 when i.worth > WORTH\n"
    )
    assert refuted(displaced.replace("WORTH", "40"), "dead rule") == ["dead rule 6.2(a)"]
    assert refuted(displaced.replace("WORTH", "60"), "dead rule") == []


def test_an_effect_that_applies_only_where_no_answer_is_due_is_dead() -> None:
    asked = 'rule 6.1 "It shall be so."\n  asked liability(i) when i.lost\n' + A
    assert refuted(asked + "  liability(i) = pay when not i.lost\n", "dead rule") == ["dead rule 6.2(a)"]
    assert refuted(asked + "  liability(i) = pay when i.here\n", "dead rule") == []
    program = bylaw(asked + "  liability(i) = pay when not i.lost\n")
    (dead,) = (o for o in rules.obligations(program) if o.id == "dead rule 6.2(a)")
    assert dead.about[-1] == "looked for where 6.1 asks liability: i.lost"


def test_the_statements_of_a_rule_are_told_apart() -> None:
    several = (
        A + "  attendant must not book(i) when i.worth < 0\n  attendant must not call(g) when g in carded\n"
    )
    assert refuted(several, "dead rule") == ["dead rule 6.2(a): attendant must not book(i)"]


def test_what_a_rule_applies_is_one_thing() -> None:
    text = """
rule 5.1(a) "to make good the loss, if the guest declared what the article is worth"
  liability(i) = pay when i.worth > 0 and i.article != hat
rule 5.1(b) "nothing, if nothing was declared"
  liability(i) = nothing when i.worth = 0
rule 5.3 "A hat … is dealt with in accordance with subparagraphs (a) and (b) of rule 5.1"
  apply 5.1(a) to 5.1(b) where i.article = hat and WHERE
"""
    assert refuted(text.replace("WHERE", "i.here"), "dead rule", "subsumed rule") == []
    never = text.replace("WHERE", "i.worth > 3 and i.worth < 2")
    assert refuted(never, "dead rule") == ["dead rule 5.3: what it applies"]


# ------------------------------------------------------------------------------------------ subsumed rules
def test_an_answer_that_another_rule_always_gives_is_subsumed() -> None:
    twice = A + "  fee(i) = 10 when i.worth > WORTH\n" + B + "  fee(i) = 10 when i.worth > 40\n"
    assert refuted(twice.replace("WORTH", "50"), "subsumed rule") == ["subsumed rule 6.2(a)"]
    assert refuted(twice.replace("WORTH", "50").replace("10", "20", 1), "subsumed rule") == []
    assert refuted(twice.replace("WORTH", "30"), "subsumed rule") == ["subsumed rule 6.2(b)"]


def test_a_rule_that_repeats_another_on_purpose_is_none() -> None:
    twice = A + "  AGREES\n  fee(i) = 10 when i.worth > 50\n" + B + "  fee(i) = 10 when i.worth > 40\n"
    assert refuted(twice.replace("AGREES", "agrees with 6.2(b)"), "subsumed rule") == []
    assert refuted(twice.replace("AGREES", "agrees with 6.1"), "subsumed rule") == ["subsumed rule 6.2(a)"]


def test_an_exception_to_an_exception_matters_though_it_says_what_the_rule_says() -> None:
    text = (
        A
        + "  fee(i) = 10 when i.worth > 10\n"
        + B
        + "  overrides 6.2(a)\n  fee(i) = 20 when i.worth > 20\n"
        + C
        + "  overrides 6.2(b)\n  fee(i) = 10 when i.worth in 30..40\n"
    )
    assert refuted(text, "subsumed rule") == []
    assert refuted(text.replace("30..40", "15..18"), "subsumed rule") == ["subsumed rule 6.2(c)"]
    another = (
        text + 'rule 6.3 "It shall be otherwise."\n  overrides 6.2(b)\n  fee(i) = 10 when i.worth > 25\n'
    )
    assert refuted(another, "subsumed rule") == ["subsumed rule 6.2(c)"]


def test_a_rule_that_adds_a_duty_to_an_answer_matters() -> None:
    twice = A + "  fee(i) = 10 when i.worth > 50\n  MORE\n" + B + "  fee(i) = 10 when i.worth > 40\n"
    more = "attendant must book(i) at once when i.worth > 50 and not i.booked"
    assert refuted(twice.replace("MORE", more), "subsumed rule") == []


def test_a_prohibition_of_what_is_forbidden_or_not_permitted_anyway_is_subsumed() -> None:
    twice = (
        A
        + "  guest must not deposit(any, p, any) when p > 4\n"
        + B
        + "  guest must not deposit(any, p, any) when p > 3\n"
    )
    assert refuted(twice, "subsumed rule") == ["subsumed rule 6.2(a)"]
    others = twice.replace("guest", "guest | proprietor", 1)
    assert refuted(others, "subsumed rule") == []
    closed = (
        A
        + "  guest must not deposit(any, p, any) when p > 4\n"
        + C
        + "  guest may deposit(any, p, any) when p < P\n"
    )
    assert refuted(closed.replace("P\n", "4\n"), "subsumed rule") == ["subsumed rule 6.2(a)"]
    assert refuted(closed.replace("P\n", "6\n"), "subsumed rule") == []


def test_a_prohibition_of_what_a_duty_demands_matters_where_nothing_permits_it() -> None:
    text = (
        A
        + "  attendant must not ticket(any) when left < 50\n"
        + B
        + "  attendant must ticket(i) by end of evening when i.article = fur and not i.ticket\n"
        + C
        + "  attendant may ticket(any) when left >= 50\n"
    )
    assert refuted(text, "subsumed rule") == []
    assert refuted(text.replace("must ticket", "must book"), "subsumed rule") == ["subsumed rule 6.2(a)"]


def test_a_prohibition_for_which_a_permission_gives_way_matters() -> None:
    gives_way = (
        A
        + "  guest must not deposit(any, p, any) when p > 4\n"
        + C
        + "  subject to 6.2(a)\n  guest may deposit(any, any, any)\n"
    )
    assert refuted(gives_way, "subsumed rule") == []


def test_a_permission_that_another_grants_is_subsumed() -> None:
    twice = (
        A
        + "  guest may complain(g) when g in carded and doors\n"
        + B
        + "  guest may complain(g) when g in carded\n"
    )
    assert refuted(twice, "subsumed rule") == ["subsumed rule 6.2(a)"]
    assert refuted(twice.replace("guest may", "attendant may", 1), "subsumed rule") == []


def test_a_permission_that_alone_closes_an_act_matters() -> None:
    closes = (
        A
        + "  guest may deposit(i, any, any) when i.article = hat\n"
        + B
        + "  guest may deposit(i where i.article = hat, any, any)\n"
    )
    assert refuted(closes, "subsumed rule") == ["subsumed rule 6.2(b)"]


def test_a_duty_that_another_demands_as_soon_is_subsumed() -> None:
    twice = (
        A
        + "  attendant must book(i) before give_back(i) when i.worth > 50 and not i.booked\n"
        + B
        + "  attendant must book(x) before give_back(any) or ticket(any) when x.worth > 40 and not x.booked\n"
    )
    assert refuted(twice, "subsumed rule") == ["subsumed rule 6.2(a)"]
    later = twice.replace("give_back(any) or ticket(any)", "ticket(any)")
    other = twice.replace("must book(x)", "must strike(x)")
    either = twice.replace("must book(x)", "must book(x) or strike(x)")
    somebody = twice.replace("attendant must book(x)", "proprietor must book(x)")
    for text in (later, other, either, somebody):
        assert refuted(text, "subsumed rule") == []


def test_a_rule_that_nothing_repeats_is_not_asked_about() -> None:
    assert ids(A + "  fee(i) = 10 when i.worth > 50\n", "subsumed rule") == []


# -------------------------------------------------------------------------------------------------- limbs
IDLE = [
    ("i.worth > 50 and i.worth > 40", ["i.worth > 40"]),
    ("i.worth > 50 and i.here", []),
    ("i.here or i.here and i.lost", ["i.here and i.lost", "i.lost"]),
    ("i.here or i.booked and i.lost", []),
    ("not (i.here and (i.here or i.lost))", ["i.here or i.lost", "i.lost"]),
    ("not (i.here and (i.booked or i.lost))", []),
    ("i.article in {coat, hat} and i.worth > 3 and i.article != hat", ["i.article = hat"]),
    ("i.worth >= 0 and i.here", ["i.worth >= 0"]),
    ("i.worth > 3 and some h in Hook: h.peg = 1 and h.peg < 3", ["h.peg < 3"]),
    ("i.worth > 3 and some h in Hook where h.peg = 1: h has 1 article or more", []),
]


@pytest.mark.parametrize(("when", "idle"), IDLE)
def test_a_limb_that_changes_nothing_is_idle(when: str, idle: list[str]) -> None:
    for says in ("fee(i) = 10", "attendant must not book(i)", "attendant must book(i) at once"):
        found = refuted(f"{A}  {says} when {when}\n", "idle limb")
        assert found == [f"idle limb 6.2(a): {limb}" for limb in idle]


@pytest.mark.parametrize(
    "when",
    [
        "Hook(1) has 2 articles or more and Hook(1).articles[2].article = hat and Hook(1) has 3 articles",
        "i.peg exists and i.peg > 2",
        "size(1) > size(2) and size(1) <= 3 and size(2) <= 3",
        "i.article = fur and i.worth > 0 and known_fur(i)",
    ],
)
def test_what_guards_or_tells_the_kind_or_is_said_of_two_is_no_idle_limb(when: str) -> None:
    defines = (
        "  define known_fur(x: Item): bool = x.article = fur and x.here\n"
        "  define size(p: Peg): 0..4 = number of (a in Hook(p).articles)\n"
    )
    assert refuted(f"{A}{defines}  fee(i) = 10 when {when}\n", "idle limb") == []


def test_what_tells_the_value_that_a_rule_is_about_is_no_idle_limb() -> None:
    decided = "decision dear(a: Article): bool\n"
    asked = 'rule 6.1 "It shall be so."\n  asked dear(a) when left > 50 and a = coat\n'
    says = decided + asked + A + "  dear(a) = yes when LEFT and a = coat\n"
    assert refuted(says.replace("LEFT", "left > 60"), "idle limb") == []
    assert refuted(says.replace("LEFT", "left > 40"), "idle limb") == ["idle limb 6.2(a): left > 40"]


def test_a_limb_of_a_narrowed_act_can_be_idle() -> None:
    act = A + "  guest must not deposit(any, p where p > 2 and p > LOW, any)\n"
    assert refuted(act.replace("LOW", "1"), "idle limb") == ["idle limb 6.2(a): p > 1"]
    assert refuted(act.replace("LOW", "2 and p != 4"), "idle limb") == []


def test_what_mechanics_rule_out_is_no_idle_limb() -> None:
    assert refuted(A + "  attendant must not ticket(i) when i.lost and left > 0\n", "idle limb") == []


def test_a_limb_is_asked_about_where_an_answer_is_due() -> None:
    asked = 'rule 6.1 "It shall be so."\n  asked liability(i) when i.lost and i.worth > 10\n'
    text = asked + A + "  liability(i) = pay when i.worth > LEAST and i.here\n"
    assert refuted(text.replace("LEAST", "5"), "idle limb") == ["idle limb 6.2(a): i.worth > 5"]
    assert refuted(text.replace("LEAST", "15"), "idle limb") == []


def test_a_limb_of_a_statement_matters_if_it_does_for_one_effect() -> None:
    asked = 'rule 6.1 "It shall be so."\n  asked rate(i) when liability(i) = pay and i.lost\n'
    text = asked + A + "  liability(i) = pay and rate(i) = 1 to 1 when i.worth > 0\n"
    assert refuted(text, "idle limb") == []


def test_a_given_counts_once() -> None:
    text = (
        'rule 6.2 "It shall not be so"\n  given i.here and i.worth > 10\n'
        + A
        + "  fee(i) = 10 when i.worth > 20\n"
        + B
        + "  attendant must not book(i) when i.worth > LEAST\n"
    )
    assert refuted(text.replace("LEAST", "30"), "idle limb") == ["idle limb 6.2: given: i.worth > 10"]
    less = text.replace("i.worth > LEAST", "i.lost")
    assert refuted(less, "idle limb") == []
    assert len([i for i in ids(less, "idle limb") if "i.here" in i]) == 1


def test_a_limb_by_which_a_rule_asks_for_its_own_answer_is_not_asked_about() -> None:
    text = A + (
        "  liability(i) = void when i.lost\n"
        "  attendant must strike(i) before close when i.lost and i.booked and liability(i) = void\n"
    )
    assert refuted(text, "idle limb") == []


@pytest.mark.parametrize(
    ("otherwise", "when", "idle"),
    [
        # Without i.lost it would be asked of what nobody answers: then nobody could tell.
        ("", "some i in Item: i.lost and liability(i) = pay", []),
        ("", "every i in Item where i.lost: liability(i) = pay", []),
        ("liability(i) = nothing otherwise", "some i in Item: i.lost and liability(i) = pay", ["i.lost"]),
        ("liability(i) = nothing otherwise", "some i in Item: i.here and liability(i) = pay", []),
        (
            "liability(i) = nothing otherwise",
            "none i in Item: i.lost or liability(i) = pay",
            ["liability(i) = pay"],
        ),
    ],
)
def test_a_limb_within_some_or_every_may_ask_for_an_answer(
    otherwise: str, when: str, idle: list[str]
) -> None:
    answers = f"{A}  liability(i) = pay when i.lost and i.worth > 50\n  {otherwise}\n"
    text = f"{answers}{B}  attendant must not call(any) when {when}\n"
    assert refuted(text, "idle limb") == [f"idle limb 6.2(b): {limb}" for limb in idle]


def test_of_a_range_the_ends_are_limbs() -> None:
    program = bylaw(A + "  guest must not deposit(any, p, any) when p in {1, 2, 3, 4, 6}\n")
    unit = next(iter(program.ruleset.units.values()))
    assert unit.when is not None
    naming = Naming(program)
    assert [naming.term(limb.part) for limb in limbs_of(unit.when)][1:] == ["p = 1", "p = 4", "p = 6"]


# --------------------------------------------------------------------------------------------- exceptions
def test_an_exception_that_meets_nothing_is_idle() -> None:
    text = (
        A + "  except 6.2(b)\n  fee(i) = 10 when i.worth > 50\n" + B + "  fee(i) = 20 when i.worth < MOST\n"
    )
    assert refuted(text.replace("MOST", "40"), "idle exception") == ["idle exception 6.2(a) except 6.2(b)"]
    assert refuted(text.replace("MOST", "60"), "idle exception") == []


def test_each_reference_of_an_exception_is_asked_about() -> None:
    text = (
        A
        + "  fee(i) = 10 when i.worth > 50\n"
        + B
        + "  fee(i) = 20 when i.worth < 40\n"
        + C
        + "  overrides 6.2(a), 6.2(b)\n  fee(i) = 0 when i.worth > 45\n"
    )
    assert ids(text, "idle exception") == [
        "idle exception 6.2(c) overrides 6.2(a)",
        "idle exception 6.2(c) overrides 6.2(b)",
    ]
    assert refuted(text, "idle exception") == ["idle exception 6.2(c) overrides 6.2(b)"]


def test_an_exception_to_a_clause_bites_if_it_meets_one_below_it() -> None:
    text = (
        A
        + "  fee(i) = 10 when i.worth > 50\n"
        + B
        + "  fee(i) = 20 when i.worth < 40\n"
        + 'rule 6.3 "It shall be otherwise."\n  overrides 6.2\n  fee(i) = 0 when i.worth > 45\n'
    )
    assert ids(text, "idle exception") == ["idle exception 6.3 overrides 6.2"]
    assert refuted(text, "idle exception") == []


@pytest.mark.parametrize("named", ["3.1", "section 3", "3"])
def test_an_exception_to_a_clause_bites_if_it_meets_a_row_of_its_table(named: str) -> None:
    rows = (
        'rule 3.1 [Coat] "20 cents"\n  fee(i) = 20 when i.article = coat\n'
        'rule 3.1 [Hat] "10 cents"\n  fee(i) = 10 when i.article = hat\n'
    )
    text = (
        rows + f'rule 6.3 "It shall be otherwise."\n  overrides {named}\n  fee(i) = 0 when i.article = hat\n'
    )
    assert ids(text, "idle exception") == [f"idle exception 6.3 overrides {named}"]
    assert refuted(text, "idle exception") == []


def test_what_agrees_with_a_clause_agrees_with_the_rows_of_its_table() -> None:
    text = (
        'rule 3.1 [Hat] "10 cents"\n  fee(i) = 10 when i.article = hat\n'
        'rule 6.3 "It shall be otherwise."\n  AGREES\n  fee(i) = 10 when i.article = hat\n'
    )
    assert refuted(text.replace("AGREES", "agrees with 3.1"), "subsumed rule") == []
    assert refuted(text.replace("  AGREES\n", ""), "subsumed rule") != []


def test_exceptions_between_acts_are_asked_of_the_act() -> None:
    text = A + "  unless 6.2(b)\n  attendant must not book(i) when i.worth > 50\n" + B
    text += "  attendant may book(i) when i.worth < MOST\n"
    assert refuted(text.replace("MOST", "40"), "idle exception") == ["idle exception 6.2(a) unless 6.2(b)"]
    assert refuted(text.replace("MOST", "60"), "idle exception") == []


def test_words_that_name_no_rule_are_not_asked_about() -> None:
    text = (
        A + "  unless expressly permitted\n  guest must not deposit(i, any, any) when i.article = fur\n" + B
    )
    text += "  guest may deposit(i where i.article = hat, any, any)\n"
    assert ids(text, "idle exception") == []


# ------------------------------------------------------------------------------------------- suppositions
def test_what_is_supposed_must_be_possible() -> None:
    text = 'rule 6.2 "It shall not be so"\n  given i.worth > 10 and i.worth < MOST\n' + A + "  fee(i) = 10\n"
    assert refuted(text.replace("MOST", "5"), "vacuous") == ["vacuous 6.2: given"]
    assert refuted(text.replace("MOST", "50"), "vacuous") == []
    asked = (
        'rule 6.1 "It shall be so."\n  asked fee(i) when i.worth > 10 and i.worth < MOST\n'
        + A
        + "  fee(i) = 10\n"
    )
    assert refuted(asked.replace("MOST", "5"), "vacuous") == ["vacuous 6.1 asks fee"]
    assert refuted(asked.replace("MOST", "50"), "vacuous") == []


def test_what_is_asked_of_the_dead_rests_on_their_being_alive() -> None:
    text = (
        'rule 6.2 "It shall not be so"\n  given i.worth > 10\n'
        + A
        + "  except 6.2(b)\n  fee(i) = 10 when i.here\n"
    )
    text += B + "  fee(i) = 20 when i.lost and i.here\n"
    rests = rules.rests_on(bylaw(text))
    order = [o.id for o in rules.obligations(bylaw(text))]
    assert rests["dead rule 6.2(a)"] == ("vacuous 6.2: given",)
    assert rests["idle limb 6.2(b): i.lost"] == ("dead rule 6.2(b)",)
    assert rests["idle exception 6.2(a) except 6.2(b)"] == ("dead rule 6.2(a)", "dead rule 6.2(b)")
    assert all(order.index(one) < order.index(id) for id, several in rests.items() for one in several)


def test_ids_are_no_two_alike() -> None:
    text = A + "  fee(i) = 10 when i.worth > 50 and i.here or i.worth > 50 and i.lost\n"
    found = ids(text, "idle limb")
    assert len(found) == len(set(found))
    assert "idle limb 6.2(a): i.worth > 50 (2)" in found
    assert named(text, found[0]).wanted == "sometimes"


def test_of_a_whole_law_every_obligation_has_a_name_of_its_own_and_rests_on_others_of_it() -> None:
    program = prepare("nz/blackjack-1998").program
    found = [o.id for o in every(program)]
    assert len(found) == len(set(found))
    rests = rules.rests_on(program)
    assert rests
    assert {one for several in rests.values() for one in several} | set(rests) <= set(found)
    assert "idle exception 16.5 [void] overrides 11.4" in found
    assert "vacuous 11.4: what it applies" in found
