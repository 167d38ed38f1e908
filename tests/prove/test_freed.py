"""A rule that may leave free among more what it forbids among few proves nothing of more."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from verifier.core.lawful import parts
from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.model.load import load
from verifier.model.show import names_of, show_term
from verifier.prove import extent, inducing
from verifier.prove.decide import decide
from verifier.prove.desk import Desk
from verifier.prove.extent import scopes
from verifier.prove.freed import freed, unbinding
from verifier.prove.question import Answer, Never, Sometimes, Unknown
from verifier.prove.solve import Settings
from verifier.prove.whole import every

RULES = Path(__file__).parent / "rules"


def read(name: str) -> Program:
    return lower(load(RULES / f"{name}.rules"))


@pytest.fixture(scope="module")
def raises() -> Program:
    return read("freed-raises")


def in_play(desk: Desk, name: str) -> Answer | None:
    return decide(desk, next(o for o in every(desk.program) if o.id == name)).play


def test_what_a_rule_leaves_free_where_there_is_another_is_not_proved_of_one(raises: Program) -> None:
    answer = in_play(Desk(raises, Settings(solvers=("z3",))), "invariant few_raises")
    assert isinstance(answer, Sometimes)
    assert answer.play is not None
    assert answer.play.lawful
    assert answer.scope == "plays with 2 Holder"


def test_what_a_rule_leaves_free_where_there_are_two_is_not_proved_of_one() -> None:
    answer = in_play(Desk(read("counted-raises"), Settings(solvers=("z3",))), "invariant few_raises")
    assert isinstance(answer, Unknown)
    assert answer.why.endswith("; 5.2 may leave free among more what it forbids there")


def test_what_somebody_alone_cannot_be_is_not_proved_of_one(tmp_path: Path) -> None:
    text = (RULES / "counted-raises.rules").read_text("utf-8")
    rule = "number of (t in Stake where not t.folded) != 2"
    assert rule in text
    path = tmp_path / "raises.rules"
    path.write_text(text.replace(rule, "none t in Stake: t.folded"), "utf-8")
    answer = in_play(Desk(lower(load(path)), Settings(solvers=("z3",))), "invariant few_raises")
    assert answer is not None
    assert not isinstance(answer, Never)


def test_what_needs_no_such_rule_is_proved_of_two() -> None:
    answer = in_play(Desk(read("counted-raises"), Settings(solvers=("z3",))), "invariant raises_add_up")
    assert isinstance(answer, Never)
    assert (answer.how, answer.scope) == ("induction", "2 Holder")


def test_in_a_large_ruleset_rules_bind_and_the_scope_names_them(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (inducing, extent):
        monkeypatch.setattr(module, "SMALL", 0)
    few = in_play(Desk(read("counted-raises"), Settings(solvers=("z3",))), "invariant few_raises")
    assert isinstance(few, Never)
    assert few.scope == "1 Holder; 5.2 may leave free among more what it forbids there"


def test_what_needs_such_a_rule_is_proved_where_there_are_as_many_as_it_counts(raises: Program) -> None:
    answer = in_play(Desk(raises, Settings(solvers=("z3",))), "invariant nobody_folds_alone")
    assert isinstance(answer, Never)
    assert (answer.how, answer.scope) == ("induction", "3 Holder")


def test_within_a_scope_that_was_asked_for_rules_bind_as_they_do_there(raises: Program) -> None:
    desk = Desk(raises, Settings(solvers=("z3",)), scopes(raises)[:1])
    assert isinstance(in_play(desk, "invariant few_raises"), Never)


def test_only_what_might_be_otherwise_among_more_is_freed(raises: Program) -> None:
    one, two = scopes(raises)[:2]
    names = names_of(raises.ruleset)
    told = [show_term(term, names) for _, _, term in freed(raises, one, "raise", "holder")]
    assert told == ["5.2 does not apply", "5.2 does not apply", "yes"]
    assert freed(raises, one, "raise", "holder")[:2] == parts(raises, "raise", "holder")[:2]
    for event in ("raise", "fold"):
        assert freed(raises, two, event, "holder") == parts(raises, event, "holder")
    assert list(unbinding(raises, one, ["raise", "fold"])) == ["5.2"]
    assert unbinding(raises, two, ["raise", "fold"]) == {}


@pytest.mark.parametrize(
    ("when", "frees"),
    [
        ("s.holder != h", False),
        ("s.holder = h", True),
        ("s.raises >= 3", False),
        ("some t in Stake: t.holder = h and t.folded", False),
        ("some t in Stake: t.holder != h and t.folded", False),
        ("none t in Stake: t.holder != h and t.folded", True),
        ("every t in Stake: t.holder = h", True),
        ("number of (t in Stake where t.folded) >= 1", False),
        ("number of (t in Stake where t.folded) < 2", True),
        ("sum (t.raises for t in Stake where t.holder = h) >= 3", False),
        ("sum (t.raises for t in Stake where t.holder != h) >= 3", True),
        ("(if s.holder = h then s.raises else 0) >= 3", True),
        ("some t in Stake where t = s: t.folded", False),
        ("none t in Stake where t = s: t.holder != h", True),
        ("not (every t in Stake where t.holder != h: t.folded)", False),
        ("every t in Stake where t.holder != h: t.folded", True),
        ("s.folded and (s.raises >= 3 or s.holder = h)", True),
    ],
)
def test_which_prohibitions_might_bind_nothing_among_more(tmp_path: Path, when: str, frees: bool) -> None:
    text = (RULES / "freed-raises.rules").read_text("utf-8")
    old = "holder must not raise(s, h) when s.holder != h"
    assert old in text
    path = tmp_path / "raises.rules"
    stake, by = (name if re.search(rf"\b{name}\b", when) else "any" for name in ("s", "h"))
    path.write_text(text.replace(old, f"holder must not raise({stake}, {by}) when {when}"), "utf-8")
    program = lower(load(path))
    one = scopes(program)[0]
    told = zip(parts(program, "raise", "holder"), freed(program, one, "raise", "holder"), strict=True)
    assert next(most is not part for (_, _, part), (_, _, most) in told) is frees
