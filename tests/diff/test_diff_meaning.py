"""What changed by meaning: decisions proved the same or told region by region; duties; the effect on a log."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from tests.diff.diff_edits import CAP, CART, CHARGE, CROSS, Gazette, MakeRules, compared, regions
from verifier.exits import Exit
from verifier.report.diff_meaning import one_sided
from verifier.report.diff_text import meaning_lines


def test_the_same_files_ask_nothing(rules: MakeRules) -> None:
    whole = compared(rules(), rules())
    assert whole.meaning is None
    assert whole.exit == Exit.HOLDS


def test_a_value_that_changed_is_told_with_its_region(rules: MakeRules) -> None:
    whole = compared(rules(), rules((CART, "  toll(k) = 300 when k = cart\n")))
    assert whole.meaning is not None
    (toll,) = whole.meaning.matters
    (difference,) = toll.differences
    assert (toll.verdict, toll.by) == ("different", ("z3", "cvc5"))
    assert difference.where == "k = cart"
    assert difference.proved_by == ("z3", "cvc5")
    assert [(a.says, a.rules, b.says, b.rules) for a, b in difference.answers] == [
        ("200", ("1.1(b)",), "300", ("1.1(b)",))
    ]
    assert difference.example is not None
    assert difference.example.values == (("k", "cart"),)
    assert (difference.example.old.value, difference.example.new.value) == ("200", "300")
    assert whole.exit == Exit.BROKEN


def test_an_actor_by_another_name_is_told_and_binds_no_others(rules: MakeRules) -> None:
    renamed = (
        ("actors traveller, keeper", "actors traveller, warden"),
        ("event raise by keeper", "event raise by warden"),
        ("amount: money) by keeper", "amount: money) by warden"),
        (CHARGE, CHARGE.replace("keeper", "warden")),
        ("keeper may raise", "warden may raise"),
    )
    whole = compared(rules(), rules(*renamed))
    assert whole.meaning is not None
    assert "warden (new) is taken for the keeper (old)" in whole.meaning.notes
    assert not [norm for norm in whole.norms if not norm.same]


def test_an_actor_who_does_other_acts_is_another(rules: MakeRules) -> None:
    others = (
        ("actors traveller, keeper", "actors traveller, keeper, warden"),
        ("event raise by keeper", "event raise by warden"),
        (CHARGE, CHARGE.replace("keeper", "keeper | warden")),
    )
    whole = compared(rules(), rules(*others))
    assert whole.meaning is not None
    assert not [note for note in whole.meaning.notes if "warden" in note]
    assert [norm.roles for norm in whole.norms if not norm.same] == [True]


def test_an_example_is_kept_as_either_side_has_it(rules: MakeRules) -> None:
    whole = compared(rules(), rules((CART, "  toll(k) = 200 when k = cart and raised\n")))
    assert whole.meaning is not None
    (difference,) = whole.meaning.matters[0].differences
    assert difference.example is not None
    for said in (difference.example.old, difference.example.new):
        assert [name for name, _ in said.posed.options] == ["lanes"]
        assert said.posed.state.fields["raised"] is False
    assert difference.example.acts == ()  # nothing that settles it moves money


def test_a_gap_ranks_as_open(rules: MakeRules) -> None:
    whole = compared(rules(), rules((CART, "  toll(k) = 200 when k = cart and raised\n")))
    assert whole.meaning is not None
    (difference,) = whole.meaning.matters[0].differences
    assert difference.rank == "open"
    assert difference.where == "k = cart and not raised"
    assert [b.says for _, b in difference.answers] == ["no rule answers"]


def test_a_clash_ranks_as_open(rules: MakeRules) -> None:
    whole = compared(rules(), rules((CART, "  toll(k) = 200 when k = cart or raised\n")))
    assert whole.meaning is not None
    (difference,) = whole.meaning.matters[0].differences
    assert difference.where == "raised and k = foot"
    assert [b.says for _, b in difference.answers] == ["rules clash"]


def test_rules_written_otherwise_are_proved_the_same(rules: MakeRules) -> None:
    for same in ("  toll(k) = 200 when k != foot\n", "  toll(k) = 100 + 100 when not (k = foot)\n"):
        whole = compared(rules(), rules((CART, same)))
        assert whole.meaning is not None
        assert [c.verdict for c in whole.meaning.matters] == ["same"]
        assert whole.exit == Exit.HOLDS


def test_a_prohibition_proved_the_same_wider_or_narrower(rules: MakeRules) -> None:
    for new, turn, code in (
        ("when not (not raised)", "same", Exit.HOLDS),
        ("when raised and charged", "narrower", Exit.BROKEN),
        ("when raised or charged", "wider", Exit.BROKEN),
        ("when charged", "other", Exit.BROKEN),
    ):
        whole = compared(rules(), rules((CROSS, f"  traveller must not cross {new}\n")))
        (norm,) = whole.norms
        assert (norm.turn, whole.exit) == (turn, code)


def test_a_deadline_that_moved(rules: MakeRules) -> None:
    whole = compared(rules(), rules((CHARGE, CHARGE.replace("before cross", "before leave"))))
    (norm,) = whole.norms
    assert norm.deadline
    assert norm.turn == "same"
    assert "the deadline moved" in norm.what


def test_what_only_one_side_says(rules: MakeRules) -> None:
    without = rules((CROSS, '  structural "says nothing"\n'))
    (norm,) = compared(rules(), without).norms
    assert norm.what == "was forbidden, and is not any more"
    (norm,) = compared(without, rules()).norms
    assert norm.what == "is now forbidden"


def test_an_enumeration_with_more_values(rules: MakeRules) -> None:
    more = rules(
        ("enum Kind: foot | cart", "enum Kind: foot | horse | cart"),
        (CART, "  toll(k) = 200 when k in {horse, cart}\n"),
    )
    whole = compared(rules(), more)
    assert whole.meaning is not None
    (toll,) = whole.meaning.matters
    assert [d.where for d in toll.differences] == ["k = horse"]


LOG = [
    {
        "gazette-log": 1,
        "operator": "Bridges",
        "ruleset": "bridge",
        "currency": "NZD",
        "exponent": 2,
        "records": "all",
    },
    {"seq": 1, "actor": "keeper", "event": "charge", "kind": "cart", "amount": 200},
    {"seq": 2, "actor": "traveller", "event": "cross"},
    {"seq": 3, "actor": "traveller", "event": "leave"},
]


def test_the_log_under_both(gazette: Gazette, rules: MakeRules, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    rows = [{"bridge": "north", "crossing": 1, "at": f"2024-03-01T20:0{i}:00Z", **LOG[i]} for i in (1, 2, 3)]
    told = "".join(json.dumps(row) + "\n" for row in (LOG[0], *rows))
    seal = {"events": len(rows), "sha256": hashlib.sha256(told.encode()).hexdigest()}
    log.write_text(told + json.dumps({"gazette-log-end": seal}) + "\n")
    new = rules((CART, "  toll(k) = 300 when k = cart\n"))
    _, out = gazette("diff", rules(), new, "--log", log, "--format", "json")
    found = json.loads(out)["log"]
    assert found["events"] == 3
    ((event,),) = [r["events"] for r in found["rounds"]]
    assert (event["seq"], event["old"], event["new"]["verdict"]) == (1, None, "broken")
    _, out = gazette("diff", rules(), rules(), "--log", log, "--format", "json")
    assert json.loads(out)["log"]["rounds"] == []


def test_an_option_that_one_side_has_is_left_out_by_the_other_and_said(
    gazette: Gazette, rules: MakeRules, tmp_path: Path
) -> None:
    raising = "  keeper may raise when not raised\n"
    limit = raising, raising + "  option limit: money\n"
    log = tmp_path / "crossing.yaml"
    log.write_text(
        "ruleset: bridge\noptions: {lanes: 2, limit: 500}\n"
        "events:\n- keeper charge kind=cart amount=200\n- traveller cross\n"
    )
    told = ("diff", rules(), rules(limit), "--log", log)
    _, out = gazette(*told, "--format", "json")
    found = json.loads(out)["log"]
    assert found["events"] > 0
    assert found["unasked"] == {"old": ["limit"], "new": []}
    for format_ in ("text", "markdown", "html"):
        _, out = gazette(*told, "--format", format_)
        assert "no option of the old ruleset: " in " ".join(out.split())
    for right, wrong in (("lanes: 2,", "lanes: 2, lnaes: 2,"), ("limit: 500", "limit: 5.5")):
        other = tmp_path / "other.yaml"
        other.write_text(log.read_text().replace(right, wrong))
        code, out = gazette(*told[:3], "--log", other)
        assert code == 2


def test_the_page_says_it_in_words(gazette: Gazette, rules: MakeRules) -> None:
    code, out = gazette("diff", rules(), rules((CART, "  toll(k) = 300 when k = cart\n")), "--no-cache")
    assert code == 1
    assert "1. 200 → 300" in out
    assert "where k = cart" in out
    assert "proved equal to the difference, both ways, by z3 and cvc5" in out


def test_json_has_regions_and_exact_numbers(gazette: Gazette, rules: MakeRules) -> None:
    _, out = gazette("diff", rules(), rules((CART, "  toll(k) = 300 when k = cart\n")), "--format", "json")
    (matter,) = json.loads(out)["meaning"]["matters"]
    (difference,) = matter["differences"]
    assert (matter["verdict"], difference["where"], difference["cubes"]) == (
        "different",
        "k = cart",
        ["k = cart"],
    )
    assert [a["says"] for a in difference["answers"][0]] == ["200", "300"]


def test_a_published_page_is_checked(gazette: Gazette, rules: MakeRules, tmp_path: Path) -> None:
    old, new = rules(), rules((CART, "  toll(k) = 300 when k = cart\n"))
    page = tmp_path / "page.md"
    assert gazette("diff", old, new, "--format", "markdown", "--output", page)[0] == 1
    assert page.read_text().startswith("<!-- gazette-diff 1 tool=")
    assert gazette("diff", old, new, "--check-report", page)[0] == 0
    page.write_text(page.read_text().replace("300", "301"))
    assert gazette("diff", old, new, "--check-report", page)[0] == 1
    assert gazette("diff", new, old, "--check-report", page)[0] == 1
    assert gazette("diff", old, new, "--check-report", tmp_path / "none.md")[0] == 2


FIRST = 'invariant raised_is_charged "who finds it raised has paid"\n  not raised or charged\n\n'
SECOND = 'invariant charged_is_down "who has paid finds it down"\n  not charged or not raised\n\n'


def test_invariants_that_exclude_a_region_only_together_are_both_named(
    gazette: Gazette, rules: MakeRules
) -> None:
    gap = (CART, "  toll(k) = 200 when k = cart and not raised\n")
    reads = ("  toll(k) = 50 when k = foot\n", "  toll(k) = 50 when k = foot and (charged or not charged)\n")
    last = "rule 1.3 "
    for supposed in (FIRST, SECOND):
        whole = compared(rules((last, supposed + last), reads), rules(gap, reads))
        assert whole.meaning is not None
        (difference,) = whole.meaning.matters[0].differences
        assert difference.kept_out == ()
        assert difference.where == "raised and k = cart"
    old = rules((last, FIRST + SECOND + last), reads)
    whole = compared(old, rules(gap, reads))
    assert whole.meaning is not None
    (difference,) = whole.meaning.matters[0].differences
    assert difference.kept_out == ("raised_is_charged (the old bridge)", "charged_is_down (the old bridge)")
    assert difference.proved_by == ("z3", "cvc5")
    one = compared(old, rules(gap, reads, (last, FIRST + last)))
    assert one.meaning is not None
    (difference,) = one.meaning.matters[0].differences
    assert difference.kept_out == ("raised_is_charged (bridge)", "charged_is_down (the old bridge)")
    _, out = gazette("diff", old, rules(gap, reads))
    named = "No such case while raised_is_charged (the old bridge) and charged_is_down (the old bridge) hold"
    assert named in " ".join(out.split())


def test_an_invariant_may_speak_of_when_an_answer_is_owed(rules: MakeRules) -> None:
    foot = "  toll(k) = 50 when k = foot\n"
    asked = (foot, f"  asked toll(k) when raised\n{foot}")
    gap = (CART, "  toll(k) = 200 when k = cart and charged\n")
    last = "rule 1.3 "
    old = rules((last, FIRST + last), asked)
    (difference,) = regions(compared(old, rules(asked, gap)))
    assert difference.kept_out == ("raised_is_charged (the old bridge)",)
    # Where an answer is owed always, nothing is known of what is raised.
    (difference,) = regions(compared(rules((last, FIRST + last)), rules(gap)))
    assert difference.kept_out == ()
    assert difference.where == "k = cart and not charged"


@pytest.mark.parametrize(("finding", "told"), [("gap_toll_1_1", True), ("gap_toll_1_2", False)])
def test_a_gap_that_its_ruleset_lists_itself_is_told_with_the_reason(
    gazette: Gazette, rules: MakeRules, finding: str, told: bool
) -> None:
    demand = "  keeper must charge(any, any) before cross when not charged\n"
    asked = (demand, f"  asked toll(k)\n{demand}")
    gap = (CART, "  toll(k) = 200 when k = cart and charged\n")
    reason = 'accepted finding {} "no cart was ever seen on it"\n\nrule 1.3 '
    old, new = rules(asked), rules(asked, gap, ("rule 1.3 ", reason.format(finding)))
    (difference,) = regions(compared(old, new))
    assert difference.example is not None
    assert (difference.example.old.known, bool(difference.example.new.known)) == ((), told)
    _, out = gazette("diff", old, new)
    said = "the new ruleset lists among its own findings that there is no answer: no cart was ever seen on it"
    assert (said in " ".join(out.split())) == told


@pytest.mark.parametrize("foreign", [True, False])
def test_what_one_side_answers_of_a_value_that_the_other_does_not_have_is_said_to_be_so(
    rules: MakeRules, foreign: bool
) -> None:
    load_ = "enum Kind: foot | cart\nentity Load(kind: Kind, no: 1..2) in bridge\n  heavy: bool\n"
    fees = "  decision fee(w: Load): money\n  fee(w) = 5 when w.kind = foot\n"
    old = (("enum Kind: foot | cart\n", load_), (CAP, CAP + fees + "  fee(w) = 7 when w.kind = cart\n"))
    new = (("enum Kind: foot | cart\n", load_), (CAP, CAP + fees))
    if foreign:
        new = (("foot | cart\n", "foot | mule\n"), (CART, CART.replace("cart", "mule")), *new)
        new = (
            *new[:2],
            (load_.split("\n")[0].replace("cart", "mule") + "\n", load_.replace("cart", "mule")),
            new[3],
        )
    whole = compared(rules(*old), rules(*new))
    assert whole.meaning is not None
    (line,) = (x for x in one_sided(whole.meaning) if x.startswith("fee: only the old says"))
    assert line.startswith("fee: only the old says where w.kind = cart")
    assert ("; the new knows no such value: " in line) == foreign


def test_what_is_supplied_is_said_to_be(rules: MakeRules) -> None:
    define = 'supplied "the page does not say what a cart is"\n  define heavy(k: Kind): bool = k = cart\n\n'
    first = ("rule 1.3 ", define + "rule 1.3 ")
    weighs = ("toll(k) = 200 when k = cart", "toll(k) = 200 when heavy(k)")
    whole = compared(
        rules(first, weighs), rules(first, weighs, (CHARGE, CHARGE.replace("not charged", "raised")))
    )
    assert whole.meaning is not None
    assert any("it is supplied: the page does not say what a cart is" in note for note in whole.meaning.notes)


def test_a_prohibition_that_another_rule_repeats_is_no_difference(rules: MakeRules) -> None:
    cap = (CAP,)
    old = rules((cap[0], cap[0] + "  traveller must not cross when raised and charged\n"))
    (norm,) = compared(old, rules()).norms
    assert (norm.turn, norm.what) == ("same", "the other says as much: 1.2")
    wider = rules((cap[0], cap[0] + "  traveller must not cross when charged\n"))
    (norm,) = compared(wider, rules()).norms
    assert norm.turn == "other"
    assert norm.what == "was forbidden, and is not any more where none of these forbids it: 1.2"


def test_what_needed_leave_is_free_where_nobody_is_given_leave(rules: MakeRules) -> None:
    may = "  keeper may raise when not raised"
    left = '  unobservable "nobody sees it"'
    (norm,) = compared(rules(), rules((may, left))).norms
    assert norm.turn == "other"
    assert norm.what == (
        "was allowed so only, and needs no leave any more: no rule of the new gives leave for it to anybody"
    )
    (norm,) = compared(rules((may, left)), rules()).norms
    assert norm.what == (
        "is now allowed so only, and needed no leave: no rule of the old gives leave for it to anybody"
    )
    # Where another rule gives leave for some of it the act is not free.
    elsewhere = (CAP, CAP + "  keeper may raise when charged\n")
    (norm, *_) = (n for n in compared(rules(elsewhere), rules((may, left), elsewhere)).norms)
    assert norm.what == "was allowed, and is not any more where none of these allows it: 1.3"


def test_what_needs_leave_is_not_free_where_nothing_forbids_it_any_more(rules: MakeRules) -> None:
    forbidden = (CAP, CAP + "  keeper must not raise when charged\n")
    (norm,) = compared(rules(forbidden), rules()).norms
    assert norm.what == (
        "was forbidden, and is not any more; it still needs leave by 2.1, and without it is not allowed"
    )
    (norm,) = compared(rules(), rules(forbidden)).norms
    assert norm.what == ("is now forbidden; it needed leave already by 2.1, and without it was not allowed")
    free = ("  keeper may raise when not raised", '  unobservable "nobody sees it"')
    (norm,) = compared(rules(forbidden, free), rules(free)).norms
    assert norm.what == "was forbidden, and is not any more"


def test_an_act_that_the_other_side_does_not_record_is_not_compared(
    gazette: Gazette, rules: MakeRules
) -> None:
    cap = '  unobservable "the log records crossings and tolls, not what people wear"\n'
    event = "event leave by traveller\n"
    old = rules((event, event + "event doff by keeper\n"), (cap, cap + "  keeper must not doff\n"))
    (norm,) = compared(old, rules()).norms
    assert norm.unknown
    _, out = gazette("diff", old, rules())
    assert "acts that the new ruleset does not record, so that nothing is compared: 1.3." in " ".join(
        out.split()
    )


def test_what_is_supplied_is_told_once_of_both_and_apart_of_laws_of_one_name(rules: MakeRules) -> None:
    first = 'rule 1.1 "The keeper'
    closed = (first, f'supplied "so"\n  define closed: bool = raised\n\n{first}')
    dearer = (CART, "  toll(k) = 300 when k = cart\n")
    both = compared(rules(closed), rules(closed, dearer))
    alone = compared(rules(closed), rules(closed, ('supplied "so"', 'supplied "and so"'), dearer))
    assert both.meaning is not None
    assert alone.meaning is not None
    assert both.meaning.notes == ("closed: both laws do not say it, it is supplied: so",)
    assert alone.meaning.notes == (
        "closed: the law of the old bridge does not say it, it is supplied: so",
        "closed: the law of the new bridge does not say it, it is supplied: and so",
    )


def test_where_every_decision_is_the_same_no_region_is_counted(rules: MakeRules) -> None:
    whole = compared(rules(), rules((CROSS, "  traveller must not cross when not raised\n")))
    assert meaning_lines(whole)[0] == "Decisions: the one that both answer is proved the same."


FEE = (
    "  option lanes: 2..3\n",
    "  option lanes: 2..3\n  decision fee(k: Kind): money\n  asked fee(k) when toll(k) = 200\n",
)
FEES = (
    "  toll(k) = 200 when k = cart\n",
    "  toll(k) = 200 when k = cart and not (rule 1.2 has been broken this crossing)\n  fee(k) = 1 when k = cart\n",
)
"""What a breach decides is costly to look at, and left open where regions are looked for."""


@pytest.mark.parametrize("toll", [200, 50])
def test_a_region_in_which_another_decision_leaves_no_answer_due_is_none(rules: MakeRules, toll: int) -> None:
    owed = ("asked fee(k) when toll(k) = 200", f"asked fee(k) when toll(k) = {toll}")
    more = ("  fee(k) = 1 when k = cart\n", "  fee(k) = 1 when k = cart\n  fee(k) = 2 when k = foot\n")
    whole = compared(rules(FEE, owed, FEES), rules(FEE, owed, FEES, more))
    assert whole.meaning is not None
    (fee,) = (matter for matter in whole.meaning.matters if matter.name == "fee")
    if toll == 200:
        assert (fee.verdict, fee.differences) == ("same", ())
    else:
        (difference,) = fee.differences
        assert difference.where == "k = foot"
        assert difference.example is not None
        assert difference.example.values == (("k", "foot"),)
        assert (difference.example.old.value, difference.example.new.value) == (None, "2")
