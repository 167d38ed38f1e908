"""What a comparison says in its words: what is the same is counted and listed last, what is counted is called by its
name, and a scope is told in the words of the declarations."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.diff.diff_edits import CART, CROSS, Gazette, MakeRules
from verifier.core.lower import lower
from verifier.diff.merge import Merger
from verifier.diff.regions import opposite
from verifier.diff.scope import scope_of_program, telling
from verifier.diff.unify import SIDES, unify
from verifier.diff.whole import compare
from verifier.model.load import load
from verifier.model.terms import CompareT, Length, Lit, Var
from verifier.model.types import BOOL, INT, ListT
from verifier.prove.question import Never, Question
from verifier.prove.scope import Scope
from verifier.prove.scope_words import Telling, scope_text
from verifier.prove.solve import Settings
from verifier.prove.typed import Typed
from verifier.report.diff_acts import acts_told
from verifier.report.diff_markdown import page

NO_CARTS = (
    ("; or\n  (b) two dollars, where the traveller brings a cart.", "."),
    ('rule 1.1(b) "where the traveller brings a cart"\n  toll(k) = 200 when k = cart\n\n', ""),
)
FRAGMENT = ("missing: []", "missing: [the rest]\nextent: fragment")


def test_what_is_proved_the_same_is_counted_and_listed_last(gazette: Gazette, rules: MakeRules) -> None:
    _, out = gazette("diff", rules(), rules((CROSS, "  traveller must not cross when charged\n")))
    said = "1 decision is proved the same:\n        toll(k): by the terms themselves (every state, of whatever size)"
    assert said in out
    assert out.count("toll(k)") == 1
    _, out = gazette("diff", rules(), rules((CART, "  toll(k) = 300 when k = cart\n")))
    assert "proved the same:" not in out
    assert "toll(k): 1 region of difference; that there is no other" in out


def test_regions_beyond_the_page_are_called_so_and_not_counted_as_none(
    gazette: Gazette, rules: MakeRules
) -> None:
    _, out = gazette("diff", rules(*NO_CARTS, FRAGMENT), rules())
    said = " ".join(out.split())
    assert (
        "in the other 1 region by rules whose counterparts may stand on what is lost of the other law."
        in said
    )
    assert "0 regions" not in said
    _, out = gazette("diff", rules(*NO_CARTS), rules())
    assert "in the other 1 region of difference." in " ".join(out.split())


def test_a_scope_is_told_in_words_of_the_declarations(rules: MakeRules) -> None:
    lists = (
        (
            "  charged: bool\n",
            "  charged: bool\n  passed: list of Kind max 30\n  never: list of Kind max 30\n",
        ),
        ("  charged = yes\n", "  charged = yes\n  passed gains k\n"),
    )
    old, new = load(rules(*lists)), load(rules(*lists, (CART, "  toll(k) = 300 when k = cart\n")))
    merger = Merger(unify(old, new), {"old": lower(old), "new": lower(new)})
    for which in SIDES:
        assert merger.decision(which, "toll")
    program = merger.program()
    scope = replace(scope_of_program(program), money_parts=2)
    assert set(scope.slots) == {"passed", "never"}
    said = telling(merger)
    everywhere = Scope({}, {}, {"passed": 5, "never": 5}, money_parts=2)
    assert (
        scope_text(everywhere, program, said)
        == "at most 5 things in passed, money to 1/2 of its smallest unit"
    )
    # As a proof tells it every list is told, by its path.
    told = "at most 5 passed, at most 5 never, amounts in parts of 1/2"
    assert scope_text(everywhere, program) == told
    # What no event writes bounds no answer: to ask further would look at rounds that cannot be.
    answer = Typed(program, scope, Settings(), said).ask(Question((), Lit(BOOL, False)))
    assert isinstance(answer, Never)
    assert answer.scope.startswith("every state, of whatever size")
    assert "never" not in answer.scope


def test_lists_of_things_are_told_by_who_has_them() -> None:
    said = Telling(in_words=True)
    assert said.lists("Wagon.cargo", 4) == "each Wagon with at most 4 cargo"
    assert said.lists("passed", 4) == "at most 4 things in passed"
    assert Telling().lists("Wagon.cargo", 4) == "at most 4 Wagon.cargo"


@pytest.mark.parametrize(("number", "op", "other"), [(1, "=", 0), (2, "<=", 1), (4, "<=", 3)])
def test_a_list_with_nothing_in_it_is_said_to_have_none(number: int, op: str, other: int) -> None:
    length = Length(INT, Var(ListT(INT, 9), "passed"))
    atom = CompareT(BOOL, ">=", length, Lit(INT, number))
    assert opposite(atom) == CompareT(BOOL, op, length, Lit(INT, other))


def test_an_act_in_an_example_has_happened_no_more_often_than_it_need(rules: MakeRules) -> None:
    cap = '  unobservable "the log records crossings and tolls, not what people wear"\n'
    often = "  traveller must not cross when 2 * number of (cross this bridge) >= "
    whole = compare(load(rules((cap, cap + often + "6\n"))), load(rules((cap, cap + often + "60\n"))))
    (norm,) = whole.norms
    assert norm.told is not None
    (region,) = norm.told.regions
    assert region.example is not None
    told = [(f.text, f.value) for f in (*region.example.old.facts, *region.example.new.facts)]
    assert ("number of (cross this bridge)", "3") in told


INVARIANT = 'invariant up_is_charged "the bridge is raised for who has paid"\n  not raised or charged\n\n'
DEARER = (CART, "  toll(k) = 300 when k = cart and raised\n  toll(k) = 200 when k = cart and not raised\n")
RULE = 'rule 2.1 "The keeper shall raise the bridge"\n'


def test_an_example_keeps_the_invariants_where_it_can(gazette: Gazette, rules: MakeRules) -> None:
    kept = (RULE, INVARIANT + RULE)
    code, out = gazette("diff", rules(kept), rules(kept, DEARER))
    assert code == 1
    assert "raised = yes" in out
    assert "charged = yes" in out
    assert "invariant" not in out


def test_an_example_that_breaks_an_invariant_says_so(rules: MakeRules) -> None:
    never = (RULE, INVARIANT.replace("not raised or charged", "not raised") + RULE)
    whole = compare(load(rules(never)), load(rules(never, ("cross when raised", "cross when charged"))))
    (norm,) = whole.norms
    assert norm.told is not None
    broken = {r.binds: r.example.breaks for r in norm.told.regions if r.example}
    assert broken == {"old": (("old", "up_is_charged"),), "new": ()}
    said = [told.breaks for told in acts_told(norm)]
    sentence = "this example does not keep the invariant up_is_charged (old): no lawful play may lead to it"
    assert said == [sentence, ""]
    assert sentence[0].upper() + sentence[1:] in page(whole).replace("\\_", "_")


def test_an_invariant_that_is_listed_as_a_finding_is_not_supposed(rules: MakeRules) -> None:
    never = (RULE, INVARIANT.replace("not raised or charged", "not raised") + RULE)
    refuted = (RULE, RULE.replace("rule", 'accepted finding invariant_up_is_charged "refuted"\n\nrule'))
    out = {}
    for name, more in (("kept", ()), ("refuted", (refuted,))):
        whole = compare(load(rules(never, *more)), load(rules(never, *more, DEARER)))
        assert whole.meaning is not None
        (matter,) = whole.meaning.matters
        (out[name],) = matter.differences
    assert out["kept"].kept_out == ("up_is_charged (bridge)",)
    assert not out["refuted"].kept_out
    assert out["refuted"].where is not None
    assert out["refuted"].example is not None
    assert out["refuted"].example.breaks == ()


STATES = tuple("abcdefgh")
EIGHT = (("  raised: bool\n", "  raised: bool\n" + "".join(f"  {name}: bool\n" for name in STATES)),)


@pytest.mark.parametrize("few", [6, 8])
def test_where_no_formula_is_short_the_rules_own_conditions_and_the_reason_are_told(
    rules: MakeRules, few: int
) -> None:
    needed = " and ".join(STATES[:few])
    whole = compare(
        load(rules(*EIGHT)), load(rules(*EIGHT, ("cross when raised", f"cross when raised and {needed}")))
    )
    (norm,) = whole.norms
    (told,) = acts_told(norm)
    if few == 6:
        assert told.where == "where raised and (not a or not b or not c or not d or not e or not f)"
        assert told.proof.startswith("proved equal to the difference, both ways, by z3 and cvc5")
    else:
        assert told.where == f"where raised and not (raised and {needed})"
        assert told.proof == (
            "no short formula: no 6 conjunctions of 7 of the clauses' conditions each, or fewer, were found to make "
            "it up; told in the rules' own conditions; that there are no other cases is proved with the rules' own "
            "conditions"
        )
        assert norm.told is not None
        assert not norm.told.why
