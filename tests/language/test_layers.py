"""Layers: a ruleset laid over another keeps both laws apart, and its own rules prevail."""

from __future__ import annotations

from pathlib import Path

import pytest
from language_bench import EXAMPLES, LAW, check, completed, decided, loaded, problems, program

from verifier.check.clause import clause_page
from verifier.check.clauses import Ledger
from verifier.core.lower import lower
from verifier.errors import LawError, Problem
from verifier.lint.inspect import lint
from verifier.model.load import load
from verifier.model.ruleset import Norm, Ruleset
from verifier.run.undefined import Reason
from verifier.run.verdict import Tally

TOP = "anyton/regatta"


def base(folder: Path, rules: str, name: str = "base", head: str = "") -> None:
    """Writes a ruleset over the toy law for others to be laid over."""
    text = f"ruleset {name}{head}\nlaw {LAW}\nuse anyton/base\n{rules}"
    (folder / f"{name}.rules").write_text(completed(text), "utf-8")


def layer(rules: str = "", disapplying: str = "", law: str = TOP, over: str = "base") -> str:
    words = f", disapplying {disapplying}" if disapplying else ""
    return f"ruleset top extends {over}{words}\nlaw {law}\n{rules}"


def layers_of(ruleset: Ruleset) -> list[tuple[str, str]]:
    return [(e.loser, e.winner) for e in ruleset.edges if e.by == "layer"]


FEES = """rule 3.1
  fee(i) = 20
"""
TICKETS = """rule 2.5(a)
  attendant must ticket(i) at once when i.here and not i.ticket
"""
DEPOSIT = "guest deposit(ann's coat, 1, 100)\n"


# ------------------------------------------------------------------------------------------- two laws, two names
def test_a_clause_of_each_law_under_one_number(tmp_path: Path) -> None:
    base(
        tmp_path,
        'rule 2.1 "While the doors are open"\n  guest must not deposit(any, any, any) when not doors\n',
    )
    text = layer('rule 2.1 "No guest shall deposit an article on peg 6"\n  guest must not deposit(peg: 6)\n')
    ruleset = loaded(text, tmp_path)
    assert list(ruleset.rules) == ["base 2.1", "2.1"]
    assert list(ruleset.units) == ["base 2.1 #1", "2.1 #1"]
    assert [(r.base, r.address) for r in ruleset.rules.values()] == [("base", "2.1"), ("", "2.1")]
    assert [law.id for law in ruleset.laws.values()] == [LAW, TOP]
    assert ruleset.law is not None
    assert ruleset.law.id == TOP
    log = "guest deposit(ann's coat, 6, 0) → broken 2.1, base 2.1\nguest deposit(ann's hat, 1, 0) → broken base 2.1"
    check(text, log, tmp_path)


def test_a_quote_must_stand_in_the_law_of_its_own_module(tmp_path: Path) -> None:
    base(tmp_path, FEES)
    (found,) = problems(layer('rule 2.1 "While the doors are open"\n  structural\n'), tmp_path)
    assert (found.code, found.file) == ("quote-not-found", str(tmp_path / "top.rules"))
    base(tmp_path, 'rule 2.1 "on peg 6"\n  structural\n')
    (found,) = problems(layer(), tmp_path)
    assert (found.code, found.file) == ("quote-not-found", str(tmp_path / "base.rules"))


def test_references_mean_the_text_in_which_they_stand(tmp_path: Path) -> None:
    base(
        tmp_path,
        "rule 2.2\n  given i.worth > 0\n  except 2.4\n  fee(i) = 1\nrule 2.4\n  fee(i) = 2 when i.worth > 50\n"
        "rule 2.5\n  points to 2.2\n  structural\n",
    )
    text = layer(
        'rule 2.4 "No ticket is handed out for a hat"\n  rate(i) = 1 to 1\n'
        'rule 2.5 "A guest may shelter"\n  except 2.4\n  rate(i) = 3 to 2\n'
    )
    edges = [(e.loser, e.winner) for e in loaded(text, tmp_path).edges]
    assert edges == [("base 2.2 #1", "base 2.4 #1"), ("2.5 #1", "2.4 #1")]
    (found,) = problems(layer('rule 2.5 "A guest may shelter"\n  except 3.1\n  rate(i) = 3 to 2\n'), tmp_path)
    assert (found.code, found.message) == ("unknown-clause", f"{TOP} has no clause 3.1")


def test_a_given_hands_nothing_to_a_clause_of_another_law(tmp_path: Path) -> None:
    base(tmp_path, "rule 5.1\n  given i.worth > 50\nrule 5.1(a)\n  fee(i) = 1\n")
    ruleset = loaded(layer("rule 5.1(b)\n  rate(i) = 1 to 1\n", law=LAW), tmp_path)
    assert len(ruleset.units["base 5.1(a) #1"].given) == 1
    assert ruleset.units["5.1(b) #1"].given == ()


def test_otherwise_looks_at_its_own_list_only(tmp_path: Path) -> None:
    base(tmp_path, "rule 6.2(a)\n  fee(i) = 1 when i.worth > 50\nrule 6.2(c)\n  fee(i) = 3 otherwise\n")
    over = layer(
        "rule 6.2(b)\n  rate(i) = 1 to 1 when i.here\nrule 6.2(a)\n  rate(i) = 3 to 2 otherwise\n", law=LAW
    )
    assert decided(over, "fee", "ann's coat", tmp_path, DEPOSIT) == 1
    assert decided(over, "fee", "ann's hat", tmp_path, DEPOSIT) == 3
    assert str(decided(over, "rate", "ann's coat", tmp_path, DEPOSIT)) == "1"


def test_a_breach_is_one_of_the_text_that_asks(tmp_path: Path) -> None:
    rules = "rule 2.2\n  guest must not deposit(any, p, any) when p = 2\n"
    base(tmp_path, rules + "rule 4.5\n  guest may complain(any) when rule 2.2 has been broken this evening\n")
    text = layer(
        'rule 2.2 "A guest may deposit an umbrella on a full peg"\n  attendant must not book(any)\n'
        'rule 2.5 "A guest may shelter"\n'
        "  guest must not show_card(any) when rule 2.2 has been broken this evening\n"
    )
    log = """attendant book(ann's coat) → broken 2.2
guest complain(ann) → broken base 4.5
guest show_card(ann) → broken 2.5
guest deposit(ann's coat, 2, 0) → broken base 2.2
guest complain(ann) → kept base 4.5"""
    check(text, log, tmp_path)


def test_who_answers_answers_for_the_clause_of_his_own_text(tmp_path: Path) -> None:
    base(tmp_path, TICKETS + "rule 4.6\n  proprietor answers for 2.5\n")
    text = layer('rule 2.5 "A guest may shelter"\n  attendant must not call(any)\n')
    assert program(text, tmp_path).answers == {"base 2.5(a)": (("proprietor", "base 4.6"),)}


# --------------------------------------------------------------------------------------------------- disapplying
MANY = """rule 2.2
  guest must not deposit(any, p, any) when p = 2
rule 3.5
  option pegs: 3..4
  require pegs = 3
  define pricey(i: Item): bool = i.worth > 50
rule 5.1
  given i.worth > 0
  asked liability(i) when i.lost
rule 5.1(a)
  liability(i) = pay
rule 5.1(b)
  except 5.1(a)
  liability(i) = nothing
rule 5.2
  rate(i) = 1 to 1 when pricey(i)
"""


def test_what_is_disapplied_neither_binds_nor_decides(tmp_path: Path) -> None:
    base(tmp_path, MANY)
    ruleset = loaded(layer(disapplying="2.2, 3.5, 5.1"), tmp_path)
    assert list(ruleset.units) == ["base 5.2 #1"]
    assert (ruleset.questions, ruleset.requirements, ruleset.edges) == ((), (), ())
    assert {"pegs"} == set(ruleset.options)
    assert "pricey" in ruleset.functions
    gone = [r.id for r in ruleset.rules.values() if r.disapplied == "top"]
    assert gone == ["base 2.2", "base 3.5", "base 5.1", "base 5.1(a)", "base 5.1(b)"]
    for name in gone:
        (why,) = ruleset.rules[name].unchecked
        assert (why.kind, why.reason) == ("structural", "disapplied by top")
    check(layer(disapplying="2.2"), "guest deposit(ann's coat, 2, 0)", tmp_path)
    check(layer(), "guest deposit(ann's coat, 2, 0) → broken base 2.2", tmp_path)


def test_a_labelled_rule_or_a_section_is_disapplied(tmp_path: Path) -> None:
    base(
        tmp_path, "rule 3.1 [one]\n  fee(i) = 1\nrule 3.1 [two]\n  fee(i) = 2\nrule 5.2\n  rate(i) = 1 to 1\n"
    )
    assert list(loaded(layer(disapplying="3.1 [one]"), tmp_path).units) == [
        "base 3.1 [two] #1",
        "base 5.2 #1",
    ]
    assert list(loaded(layer(disapplying="section 3"), tmp_path).units) == ["base 5.2 #1"]


@pytest.mark.parametrize(
    ("clause", "message"),
    [
        ("9.9", f"{LAW} has no clause 9.9"),
        ("6.3", "no rule stands on 6.3 or below it"),
        ("3.1 [one]", "there is no rule base 3.1 [one]"),
    ],
)
def test_what_is_not_there_cannot_be_disapplied(clause: str, message: str, tmp_path: Path) -> None:
    base(tmp_path, FEES)
    (found,) = problems(layer(disapplying=clause), tmp_path)
    assert (found.code, found.message, found.line) == ("unknown-clause", message, 1)
    assert found.file == str(tmp_path / "top.rules")


REFERS = {
    "edge": ("rule 3.2\n  except 3.1\n  fee(i) = 0\n", "base 3.2 refers to 3.1, which is disapplied"),
    "overrides": ("rule 3.2\n  overrides 3.1\n  fee(i) = 0\n", "base 3.2 refers to 3.1, which is disapplied"),
    "section": (
        "rule 5.2\n  unless section 3\n  fee(i) = 0\nrule 3.2\n  fee(i) = 3\n",
        "base 5.2 refers to section 3, of which 3.1 is disapplied",
    ),
    "apply": ("rule 5.3\n  apply 3.1 where i.lost\n", "base 5.3 refers to 3.1, which is disapplied"),
    "points": ("rule 5.3\n  points to 3.1\n", "base 5.3 refers to 3.1, which is disapplied"),
    "agrees": ("rule 5.3\n  agrees with 3.1\n", "base 5.3 refers to 3.1, which is disapplied"),
    "answers": ("rule 4.6\n  proprietor answers for 3.1\n", "base 4.6 refers to 3.1, which is disapplied"),
    "breach": (
        "rule 4.5\n  guest may complain(any) when rule 3.1 has been broken this evening\n",
        "base 4.5 refers to 3.1, which is disapplied",
    ),
}


@pytest.mark.parametrize("kind", REFERS)
def test_what_refers_to_a_disapplied_rule_is_noted(kind: str, tmp_path: Path) -> None:
    rules, note = REFERS[kind]
    base(tmp_path, FEES + rules)
    found = loaded(layer(disapplying="3.1"), tmp_path)
    assert found.notes == (note,)
    assert all("3.1" not in edge.winner and "3.1" not in edge.loser for edge in found.edges)
    assert loaded(layer(), tmp_path).notes == ()
    assert loaded(layer(disapplying="3.1, " + rules.split()[1]), tmp_path).notes == ()


def test_what_is_left_of_an_exception_and_of_an_apply_stands(tmp_path: Path) -> None:
    base(
        tmp_path,
        "rule 6.2(a)\n  fee(i) = 1 when i.worth > 50\nrule 6.2(b)\n  fee(i) = 2 when i.worth > 0\n"
        "rule 5.3\n  apply 6.2(a) to 6.2(b) where i.lost\nrule 5.4\n  except 6.2\n  fee(i) = 4\n",
    )
    found = loaded(layer(disapplying="6.2(a)"), tmp_path)
    assert "base 5.3 #1 with 6.2(b)" in found.units
    assert not any("6.2(a)" in unit for unit in found.units)
    assert [(e.loser, e.winner) for e in found.edges] == [("base 5.4 #1", "base 6.2(b) #1")]


def test_a_breach_of_what_is_disapplied_never_happens(tmp_path: Path) -> None:
    base(
        tmp_path, TICKETS + "rule 4.5\n  guest may complain(any) when rule 2.5 has been broken this evening\n"
    )
    log = "guest deposit(ann's coat, 1, 0)\nattendant call(ann){}\nguest complain(ann) → {} base 4.5"
    check(layer(), log.format(" → broken base 2.5(a)", "kept"), tmp_path)
    check(layer(disapplying="2.5"), log.format("", "broken"), tmp_path)


def test_a_given_whose_clauses_are_disapplied_is_no_mistake(tmp_path: Path) -> None:
    base(tmp_path, "rule 6.2\n  given i.lost\nrule 6.2(a)\n  fee(i) = 1\n")
    assert not loaded(layer(disapplying="6.2(a)"), tmp_path).units
    base(tmp_path, "rule 6.2\n  given j.lost\nrule 6.2(a)\n  fee(i) = 1\n")
    assert [p.code for p in problems(layer(), tmp_path)] == ["given"]


def warned(path: Path, folder: Path) -> list[Problem]:
    problems = [finding.problem for finding in lint(path, [EXAMPLES, folder]).findings]
    return [problem for problem in problems if problem.code == "refers-to-disapplied"]


def test_lint_warns_of_what_refers_to_a_disapplied_rule(tmp_path: Path) -> None:
    base(tmp_path, FEES + "rule 5.3\n  points to 3.1\n")
    path = tmp_path / "top.rules"
    path.write_text(layer(disapplying="3.1"))
    (found,) = warned(path, tmp_path)
    assert found.message == "base 5.3 refers to 3.1, which is disapplied"
    accepted = 'accepted finding reference_base_5_3_refers_to_3_1_which_is_disapplied "so it is"\n'
    assert found.help is not None
    assert accepted.split(' "')[0] in found.help
    path.write_text(layer(accepted, disapplying="3.1"))
    assert warned(path, tmp_path) == []


# ------------------------------------------------------------------------------------------------------ prevailing
UMBRELLA = 'rule 2.3 "The fee for an umbrella shall be 15 cents."\n  fee(i) = 15 when i.article = umbrella\n'


def test_an_effect_of_the_layer_displaces_one_of_the_base(tmp_path: Path) -> None:
    base(tmp_path, FEES)
    text = layer(UMBRELLA)
    (edge,) = loaded(text, tmp_path).edges
    assert (edge.loser, edge.winner, edge.like, edge.by) == ("base 3.1 #1", "2.3 #1", True, "layer")
    assert (edge.place.file, edge.place.line) == (str(tmp_path / "top.rules"), 4)
    assert decided(text, "fee", "ann's brolly", tmp_path) == 15
    assert decided(text, "fee", "ann's coat", tmp_path) == 20


def test_effects_of_one_layer_still_conflict(tmp_path: Path) -> None:
    base(tmp_path, FEES)
    text = layer(UMBRELLA + 'rule 2.4 "No ticket"\n  fee(i) = 1\n')
    assert decided(text, "fee", "ann's brolly", tmp_path) == ["conflict fee"]


def test_everything_of_the_base_is_not_displaced(tmp_path: Path) -> None:
    base(tmp_path, "rule 5.5\n  notwithstanding everything\n  fee(i) = 20\nrule 3.1\n  fee(i) = 10\n")
    text = layer(UMBRELLA)
    assert layers_of(loaded(text, tmp_path)) == [("base 3.1 #1", "2.3 #1")]
    assert decided(text, "fee", "ann's brolly", tmp_path) == ["conflict fee"]
    assert decided(text, "fee", "ann's coat", tmp_path) == 20


NORMS = {
    "may over must not": ("guest must not complain(g) when g in carded", "guest may complain(any)", True),
    "must over must not": (
        "guest must not pay_fee(i, any) when i.paid",
        "guest must pay_fee(i, any) by end of evening when i.here",
        True,
    ),
    "must not over must": (
        "attendant must ticket(i) at once when i.here and not i.ticket",
        "attendant must not ticket(i) when i.article = hat",
        True,
    ),
    "must not beside may": ("guest may complain(any)", "guest must not complain(g) when g in carded", False),
    "must not beside must not": (
        "guest must not complain(any)",
        "guest must not complain(g) when g in carded",
        False,
    ),
    "may beside may": ("guest may complain(any)", "guest may complain(g) when g in carded", False),
    "must beside must": (
        "attendant must ticket(i) at once when i.here and not i.ticket",
        "attendant must ticket(i) by end of evening when i.here and not i.ticket",
        False,
    ),
    "another event": ("guest must not complain(any)", "guest may deposit(any, any, any)", False),
    "another actor": ("guest must not complain(any)", "proprietor may complain(any)", False),
    "a way left": (
        "guest must deposit(i, any, any) by end of evening when not i.here",
        "guest must not deposit(i, p, any) when p = 6 and i.worth = 0",
        False,
    ),
    "a duty that is narrowed": (
        "guest must not deposit(i, p, any) when p = 6 and i.worth = 0",
        "guest must deposit(i, any, any) by end of evening when not i.here",
        False,
    ),
    "a duty with another act": (
        "attendant must not ticket(i) when i.article = hat",
        "attendant must ticket(i) or book(i) by end of evening when i.here and not i.ticket",
        False,
    ),
    "another act left": (
        "attendant must ticket(i) or book(i) by end of evening when i.here and not i.ticket",
        "attendant must not ticket(i) when i.article = hat",
        False,
    ),
    "another bearer left": (
        "attendant | proprietor must ticket(i) by end of evening when i.here and not i.ticket",
        "attendant must not ticket(i) when i.article = hat",
        False,
    ),
    "the state after": (
        "attendant must ticket(i) by end of evening when i.here and not i.ticket",
        "attendant must not ticket(i) when after(i.ticket)",
        False,
    ),
}


@pytest.mark.parametrize("kind", NORMS)
def test_norms_of_opposite_force(kind: str, tmp_path: Path) -> None:
    below, above, displaced = NORMS[kind]
    base(tmp_path, f"rule 6.1\n  {below}\n")
    text = layer(f'rule 2.5 "A guest may shelter"\n  {above}\n')
    assert layers_of(program(text, tmp_path).ruleset) == ([("base 6.1 #1", "2.5 #1")] if displaced else [])


def test_a_duty_of_the_base_gives_way_to_a_prohibition(tmp_path: Path) -> None:
    base(tmp_path, TICKETS)
    text = layer('rule 2.4 "No ticket"\n  attendant must not ticket(i) when i.article = hat\n')
    log = """guest deposit(ann's hat, 1, 0)
attendant call(ann)
guest deposit(ann's coat, 1, 0)
attendant call(ann) → broken base 2.5(a)
attendant ticket(ann's hat) → broken 2.4"""
    check(text, log, tmp_path)


def test_a_prohibition_of_the_base_gives_way_to_a_duty_and_a_permission(tmp_path: Path) -> None:
    base(tmp_path, "rule 6.1\n  attendant must not book(any)\nrule 6.3\n  attendant must not call(any)\n")
    text = layer(
        'rule 2.1 "No guest"\n  attendant must book(i) by end of evening when i.here and not i.booked\n'
        'rule 2.2 "A guest"\n  attendant may call(g) when g in carded\n'
    )
    log = """attendant book(bob's coat) → broken base 6.1
guest deposit(ann's coat, 1, 0)
attendant book(ann's coat) → kept base 6.1, 2.1
attendant call(ann) → broken base 6.3, 2.2
guest show_card(ann)
attendant call(ann) → kept base 6.3, 2.2"""
    check(text, log, tmp_path)


def test_a_prohibition_gives_way_for_those_only_whom_the_layer_binds(tmp_path: Path) -> None:
    head = "event nod(guest: Guest) by guest | attendant | proprietor\n"
    base(
        tmp_path,
        head + "rule 6.1\n  guest | proprietor must not nod(any)\nrule 6.3\n  unless 6.1\n  fee(i) = 1\n",
    )
    text = layer(
        'rule 2.5 "A guest may shelter"\n  proprietor must nod(g) by end of evening when g in carded\n'
    )
    ruleset = loaded(text, tmp_path)
    parts = {u.id: u.roles for u in ruleset.units.values() if isinstance(u, Norm) and u.rule == "base 6.1"}
    assert parts == {"base 6.1 #1": ("guest",), "base 6.1 #2": ("proprietor",)}
    assert layers_of(ruleset) == [("base 6.1 #2", "2.5 #1")]
    log = """guest show_card(ann)
guest nod(ann) → broken base 6.1
proprietor nod(bob) → broken base 6.1
proprietor nod(ann) → kept base 6.1, 2.5"""
    check(text, log, tmp_path)
    whole = loaded(layer(), tmp_path)
    assert [u.id for u in whole.units.values() if u.rule == "base 6.1"] == ["base 6.1 #1"]


def test_expressly_permitted_means_by_the_same_text(tmp_path: Path) -> None:
    base(tmp_path, "rule 2.3\n  unless expressly permitted\n  guest must not complain(any)\n"
                   "rule 2.4\n  guest may complain(g) when g in carded\n")  # fmt: skip
    text = layer('rule 2.4 "No ticket"\n  unless expressly permitted\n  guest must not complain(any)\n')
    assert [(e.loser, e.winner) for e in loaded(text, tmp_path).edges] == [("base 2.3 #1", "base 2.4 #1")]


# ---------------------------------------------------------------------------------------- declarations, many layers
def test_a_layer_declares_more_and_adds_to_what_an_event_does(tmp_path: Path) -> None:
    base(tmp_path, FEES)
    text = layer(
        "state evening\n  tickets: 0..9\nevent shelter by guest\non ticket(i)\n  tickets = tickets + 1\n"
        'rule 2.5 "A guest may shelter"\n  guest may shelter when tickets < 2 and left > 90\n'
    )
    log = """attendant ticket(ann's coat)
guest shelter → kept 2.5
attendant ticket(ann's hat)
guest shelter → broken 2.5"""
    judge = check(text, log, tmp_path)
    assert judge.program.ruleset.mechanics["ticket"][1:]
    again = layer("on ticket(i)\n  left = 7\n")
    check(again, "attendant ticket(ann's coat) → impossible", tmp_path)


def test_a_name_of_the_base_is_not_declared_again(tmp_path: Path) -> None:
    base(tmp_path, FEES)
    assert [p.code for p in problems(layer("event open by guest\n"), tmp_path)] == ["declared-twice"]


def test_a_layer_over_a_layer(tmp_path: Path) -> None:
    base(tmp_path, FEES + "rule 5.2\n  rate(i) = 1 to 1\nrule 4.5\n  structural\n")
    (tmp_path / "middle.rules").write_text(
        f"ruleset middle extends base, disapplying 5.2\nlaw {TOP}\n" + UMBRELLA
    )
    text = layer("rule 6.1\n  fee(i) = 1 when i.worth > 50\n", "2.3", LAW, "middle")
    ruleset = loaded(text, tmp_path)
    assert [(r.id, r.disapplied) for r in ruleset.rules.values()] == [
        ("base 3.1", None), ("base 5.2", "middle"), ("base 4.5", None), ("middle 2.3", "top"), ("6.1", None),
    ]  # fmt: skip
    text = layer("rule 6.1\n  fee(i) = 1 when i.worth > 50\n", "", LAW, "middle")
    assert layers_of(loaded(text, tmp_path)) == [
        ("base 3.1 #1", "middle 2.3 #1"), ("base 3.1 #1", "6.1 #1"), ("middle 2.3 #1", "6.1 #1"),
    ]  # fmt: skip
    assert decided(text, "fee", "ann's brolly", tmp_path) == 15
    (found,) = problems(layer("", "3.1", LAW, "middle"), tmp_path)
    assert (found.code, found.message) == ("unknown-clause", f"{TOP} has no clause 3.1")


def test_a_ruleset_with_rules_is_not_used(tmp_path: Path) -> None:
    base(tmp_path, FEES)
    (found,) = problems(f"ruleset top\nlaw {TOP}\nuse base\n", tmp_path)
    assert (found.code, found.line) == ("used-rules", 3)
    assert "extends base" in (found.help or "")


def test_a_module_without_rules_is_not_extended(tmp_path: Path) -> None:
    (found,) = problems(layer(over="anyton/base"), tmp_path)
    assert (found.code, found.line) == ("nothing-to-extend", 1)
    assert found.help == "write `use anyton/base`"


def test_a_base_that_is_missing_or_the_layer_itself(tmp_path: Path) -> None:
    assert [p.code for p in problems(layer(over="nowhere"), tmp_path)] == ["unknown-module"]
    assert [p.code for p in problems(layer(over="top"), tmp_path)] == ["import-cycle"]


# ------------------------------------------------------------------------------------------- digest, results, pages
def test_the_digest_covers_both_laws_and_both_files(tmp_path: Path) -> None:
    base(tmp_path, FEES)
    first = loaded(layer(), tmp_path).digest
    assert loaded(layer(), tmp_path).digest == first
    base(tmp_path, FEES.replace("20", "21"))
    assert loaded(layer(), tmp_path).digest != first
    base(tmp_path, FEES)
    for law, words in ((LAW, "Odds and ends"), (TOP, "The day")):
        copy = tmp_path / f"{law}.law"
        copy.parent.mkdir(exist_ok=True)
        text = (EXAMPLES / f"{law}.law").read_text("utf-8")
        copy.write_text(text.replace(words, "Changed"), "utf-8")
        changed = load(tmp_path / "top.rules", [tmp_path, EXAMPLES])
        assert changed.digest != first
        copy.unlink()


def test_clauses_of_the_base_are_listed_after_the_own_ones(tmp_path: Path) -> None:
    base(tmp_path, FEES + TICKETS)
    core = lower(loaded(layer(UMBRELLA, "3.1"), tmp_path))
    ledger = Ledger(core)
    reason: dict[str, dict[Reason, int]] = {}
    ledger.add({"base 2.5(a)": Tally(kept=2), "2.3": Tally(broken=1)}, reason, {})
    found = ledger.clauses()
    own = [c for c in found if not c.base]
    assert {c.law for c in own} == {TOP}
    assert {c.law for c in found[len(own) :]} == {LAW}
    by_name = {c.name: c for c in found}
    assert (by_name["2.3"].status, by_name["2.3"].counts.broken) == ("broken", 1)
    assert by_name["base 2.3"].status == "no rule"
    kept = by_name["base 2.5(a)"]
    assert (kept.status, kept.address, kept.words) == (
        "kept",
        "2.5(a)",
        "hand the guest a ticket for it; and",
    )
    assert by_name["base 3.1"].status == "structural"
    assert by_name["base 3.1"].unchecked == (("structural", "disapplied by top"),)


def test_the_page_of_a_clause_of_either_law(tmp_path: Path) -> None:
    base(tmp_path, FEES + 'rule 2.3 "Unless expressly permitted"\n  points to 3.1\n')
    ruleset = loaded(layer(UMBRELLA), tmp_path)
    own, below = clause_page(ruleset, "2.3"), clause_page(ruleset, "base 3.1")
    assert (own.law, [r.id for r in own.rules]) == (TOP, ["2.3"])
    assert (below.law, [r.id for r in below.rules]) == (LAW, ["base 3.1"])
    assert [(e.direction, e.other, e.words) for e in below.rules[0].edges] == [
        ("gives way to", "2.3", "layer: 2.3 is laid over base")
    ]
    assert [(n.rule, n.how) for n in below.named_by] == [("base 2.3", "points to")]
    assert clause_page(ruleset, "base 3.2").rules == ()
    with pytest.raises(LawError, match=f"{TOP} has no clause 3.1"):
        clause_page(ruleset, "3.1")
