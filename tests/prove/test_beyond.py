"""What a scope is too small for is not said of it: events that happen in a wider one, what is to be so somewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from obligation_bench import asked, program_of

from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model.load import load
from verifier.model.types import BOOL
from verifier.prove.conjectures import Named
from verifier.prove.decide import decide, possible
from verifier.prove.desk import Desk
from verifier.prove.effects import Effects
from verifier.prove.extent import scopes
from verifier.prove.inducing import with_invariants
from verifier.prove.obligations import rules, theorems
from verifier.prove.question import Never, Obligation, Sometimes, Unknown
from verifier.prove.scope import scope_of
from verifier.prove.solve import Settings
from verifier.prove.told import Table, Tellings, Told
from verifier.prove.transitions import Behind
from verifier.run.bench import Happening

SETTINGS = Settings(solvers=("z3",))


@pytest.fixture(scope="module")
def ferry() -> Program:
    return lower(load(Path(__file__).parent / "rules" / "explore-ferry.rules"))


@pytest.fixture(scope="module")
def desk(ferry: Program) -> Desk:
    """One at which the smallest scope was asked for, so that no other is looked at."""
    return Desk(ferry, Settings(solvers=("z3",)), scopes(ferry)[:1])


def named(program: Program, name: str) -> Obligation:
    return next(o for o in theorems.obligations(program) if o.id == name)


def test_an_event_that_only_a_wider_scope_has_is_told_apart_from_one_that_none_has(desk: Desk) -> None:
    question = named(desk.program, "invariant one_fare").question
    assert question is not None
    assert desk.scopes[0].narrowed["Place"] in [(0,), (1,), (0, 1)]
    assert desk.unseen("play", question) == (("go",), ("sink",))
    assert desk.unseen("words", question) == ((), ()), (
        "in words the ferry may go with one passenger, and sink"
    )


def test_what_may_be_changed_beyond_the_scope_is_not_proved_by_induction_within(desk: Desk) -> None:
    answer = with_invariants(desk, named(desk.program, "invariant one_fare"), "play")
    assert isinstance(answer, Unknown)
    assert answer.why == "no lawful play within that scope had `go`, which may change it, and a wider one had"


def test_where_no_scope_is_asked_for_the_induction_is_in_one_in_which_play_goes_on(ferry: Program) -> None:
    wider = Desk(ferry, Settings(solvers=("z3",)))
    assert len(wider.inductive.narrowed["Place"]) == 3, "the ferry goes with two passengers"
    question = named(ferry, "invariant one_fare").question
    assert question is not None
    assert wider.unseen("play", question) == ((), ("sink",))
    answer = with_invariants(wider, named(ferry, "invariant one_fare"), "play")
    assert isinstance(answer, Never)
    assert answer.scope.startswith("Place 0 to 7"), "any seat stands where a place is wanted"


def test_where_a_scope_has_them_it_is_proved_and_what_no_play_had_is_named(ferry: Program) -> None:
    wide = Desk(ferry, Settings(solvers=("z3",)), (scope_of(ferry, {}, {"Place": (1, 2)}),))
    answer = with_invariants(wide, named(ferry, "invariant one_fare"), "play")
    assert isinstance(answer, Never)
    assert answer.scope.endswith("; no lawful play was found that had `sink`")


def test_what_is_to_be_so_somewhere_is_not_refuted_by_a_scope_that_is_too_small(ferry: Program) -> None:
    small = Desk(ferry, Settings(solvers=("z3",)), scopes(ferry)[:1])
    assert not isinstance(decide(small, named(ferry, "reachable full")).play, Never)


def test_what_a_rule_says_of_a_value_that_no_scope_lists_is_looked_for_with_that_value(
    ferry: Program,
) -> None:
    small = Desk(ferry, Settings(solvers=("z3",)), scopes(ferry)[:1])
    (dead,) = (o for o in rules.obligations(ferry) if o.id == "dead rule 5.3")
    assert 6 not in small.scopes[0].narrowed["Place"]
    answer = possible(small, dead)
    assert isinstance(answer, Sometimes)
    assert answer.state.fields["taken"] == {6: True}


TOAST = """
state evening
  near: Guest -> bool
  toasts: 0..9
event approach(guest: Guest) by guest
event toast by guest
on approach(g)
  near[g] = yes
on toast
  toasts = toasts + 1 when toasts < 9
rule 5.2
  guest must not toast when number of (g in Guest where near[g]) < 2
invariant few "One toast at most"
  toasts <= 1
"""


def test_what_only_several_may_lawfully_do_is_not_proved_of_one(tmp_path: Path) -> None:
    program = program_of(TOAST, tmp_path)
    few = asked(theorems.obligations, program)["invariant few"]
    assert few.question is not None
    desk = Desk(program, Settings(solvers=("z3",)))
    assert len(desk.inductive.ids["Guest"]) == 1
    assert desk.unseen("play", few.question) == (("toast",), ())
    assert not isinstance(with_invariants(desk, few, "play"), Never)
    assert isinstance(decide(desk, few).play, Sometimes)


ALIKE = """
state evening
  emptied: 0..9
on toast
  emptied = emptied + 1 when emptied < 9
invariant alike "As many glasses are emptied as toasts are drunk"
  emptied = toasts
"""


def test_what_holds_whichever_rules_are_broken_is_proved_though_only_several_may_lawfully_do_it(
    tmp_path: Path,
) -> None:
    program = program_of(TOAST + ALIKE, tmp_path)
    alike = asked(theorems.obligations, program)["invariant alike"]
    assert alike.question is not None
    desk = Desk(program, Settings(solvers=("z3",)))
    assert len(desk.inductive.ids["Guest"]) == 1
    assert desk.unseen("play", alike.question) == (("toast",), ())
    answer = with_invariants(desk, alike, "play")
    assert isinstance(answer, Never)
    assert "alike" in answer.using
    assert "lawful play" not in answer.scope


HOP = """
state evening
  steps: 0..9
  hopped: Seat -> bool
  far: bool
event walk(steps: 2..9) by guest
event hop(seat: Seat) by guest
on walk(n)
  steps = n
on hop(s)
  hopped[s] = yes
  far = yes when s = steps and steps > 1
rule 5.2
  guest must not hop(s) when s != steps
invariant near "Nobody is far"
  not far
"""


@pytest.mark.parametrize(("seats", "seen"), [((0,), False), (tuple(range(10)), True)])
def test_an_event_that_changes_nothing_within_the_scope_has_not_been_shown_to_be_harmless(
    tmp_path: Path, seats: tuple[int, ...], seen: bool
) -> None:
    program = program_of("type Seat = 0..9\n" + HOP, tmp_path)
    effects = Effects(program, scope_of(program, {}, {"Seat": seats}), (), SETTINGS)
    assert effects.all_seen(["walk"], frozenset(("steps",)))
    assert effects.all_seen(["hop"], frozenset(("hopped",)))
    assert effects.all_seen(["walk", "hop"], frozenset(("far", "steps"))) is seen


def test_an_update_that_what_holds_rules_out_takes_no_effect(tmp_path: Path) -> None:
    program = program_of("type Seat = 0..9\n" + HOP, tmp_path)
    scope = scope_of(program, {}, {"Seat": (0, 2)})
    steps = m.Get(program.ruleset.state["steps"].type, "steps")
    still = Named("still", m.CompareT(BOOL, "=", steps, m.Lit(steps.type, 0)))
    assert Effects(program, scope, (), SETTINGS).all_seen(["hop"], frozenset(("far",)))
    assert not Effects(program, scope, (still,), SETTINGS).all_seen(["hop"], frozenset(("far",)))


# Two ways to say an update that does nothing where there is one guest: by when, and by what it writes.
GIFTS = """
state evening
  coins: Guest -> 0..9
  minted: Guest -> 0..9
event mint(guest: Guest) by guest
event give(giver: Guest, guest: Guest) by guest
on mint(g)
  coins[g] = coins[g] + 1 when coins[g] < 9
  minted[g] = minted[g] + 1 when coins[g] < 9
on give(a, b)
  {give}
rule 5.2
  guest must not mint(any) when number of (g in Guest) < 2
invariant so "{says}"
  every g in Guest: coins[g] {op} minted[g]
"""


@pytest.mark.parametrize(
    ("give", "op", "holds"),
    [
        ("coins[b] = coins[b] - 1 when a != b and coins[b] > 0", "=", False),
        ("coins[b] = if a != b and coins[b] > 0 then coins[b] - 1 else coins[b]", "=", False),
        ("coins[b] = coins[b] - 1 when a != b and coins[b] > 0", "<=", True),
        ("coins[b] = if a != b and coins[b] > 0 then coins[b] - 1 else coins[b]", "<=", True),
    ],
)
def test_what_is_so_whichever_rules_are_broken_is_shown_by_steps_that_do_something(
    tmp_path: Path, give: str, op: str, holds: bool
) -> None:
    program = program_of(GIFTS.format(give=give, op=op, says="as many as were minted"), tmp_path)
    so = asked(theorems.obligations, program)["invariant so"]
    assert so.question is not None
    desk = Desk(program, Settings(solvers=("z3",)))
    assert len(desk.inductive.ids["Guest"]) == 1
    assert desk.unseen("play", so.question)[0], "with one guest nothing is minted"
    assert "so" in [named.name for named in desk.proven("words").written], (
        "of one guest it is proved all the same"
    )
    answer = with_invariants(desk, so, "play")
    if holds:
        assert isinstance(answer, Never)
        assert "2 Guest" in answer.scope
        assert answer.using == ("so",)
    else:
        assert isinstance(answer, Unknown)
        assert isinstance(decide(desk, so).play, Sometimes)


def test_what_bears_on_a_question_only_by_another_field_bears_on_it(tmp_path: Path) -> None:
    text = """
state evening
  raised: bool
  drunk: bool
event lift by guest
event toast by guest
on lift
  raised = yes
on toast
  drunk = raised
invariant sober "Nobody has drunk"
  not drunk
"""
    program = program_of(text, tmp_path)
    question = asked(theorems.obligations, program)["invariant sober"].question
    assert question is not None
    assert Behind(program).of([question.none[0].condition]) == {"drunk", "raised"}


@pytest.mark.parametrize(("guests", "seen"), [((0, 1), True), ((0, 0), False)])
def test_what_lawful_plays_that_were_told_had_is_not_said_to_happen_nowhere(
    tmp_path: Path, guests: tuple[int, int], seen: bool
) -> None:
    program = program_of(TOAST, tmp_path)
    few = asked(theorems.obligations, program)["invariant few"]
    assert few.question is not None
    desk = Desk(program, Settings(solvers=("z3",)), scopes(program)[:1])
    assert desk.unseen("play", few.question) == ((), ("toast",))
    names = ("ann", "bob")
    events = [Happening("approach", "guest", (names[n],)) for n in guests]
    play = Table("evening.jsonl", {}, (*events, Happening("toast", "guest", ())))
    desk = Desk(program, Settings(solvers=("z3",)), scopes(program)[:1])
    desk.told = Tellings(program, Told((play,)))
    told = (("toast",), ()) if seen else ((), ("toast",))
    assert desk.unseen("play", few.question) == told


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("guest1", "guest2"), ((), ("close",))),
        (("guest1", "guest1"), ((), ("close", "toast"))),
        (("ann", "bob"), ((), ("close",))),
        (("ann", "bob", "cat"), (("toast",), ("close",))),
    ],
    ids=["within the scope", "toasting breaks a rule", "by other names", "more guests than the scope has"],
)
def test_plays_that_were_told_count_within_the_scope_where_they_stay_in_it(
    tmp_path: Path, names: tuple[str, ...], told: tuple[tuple[str, ...], tuple[str, ...]]
) -> None:
    """An explorer that hardly plays sees neither toast nor close by itself."""
    program = program_of(TOAST, tmp_path)
    few = asked(theorems.obligations, program)["invariant few"]
    assert few.question is not None
    desk = Desk(program, Settings(solvers=("z3",)), scopes(program)[1:2], steps=1)
    events = [Happening("approach", "guest", (name,)) for name in names]
    play = Table("evening.jsonl", {}, (*events, Happening("toast", "guest", ())))
    desk.told = Tellings(program, Told((play,)))
    assert desk.unseen("play", few.question) == told


# Twelve ones, of which no short list is told apart from what is always so.
LOTS = """
record Put(v: 1..5)
entity Lot(no: 1..1) in evening
  things: list of Put max 20
event lay(v: 1..5) by guest
on lay(a)
  new Lot(1)
  Lot(1).things gains Put(a)
define n(l: Lot): 0..20 = number of (x in l.things)
define s(l: Lot): 0..100 = sum (x.v for x in l.things)
rule 5.2
  guest must not lay(any) when number of (lay(any) this evening) >= 15
invariant worth "A lot is worth more than it has things, once it is worth more than 11"
  every l in Lot: n(l) <= s(l) and (s(l) <= 11 or n(l) < s(l))
"""


@pytest.mark.parametrize(("ones", "refuted"), [(12, True), (11, False)])
def test_what_is_never_so_of_few_is_held_against_the_plays_that_were_told(
    tmp_path: Path, ones: int, refuted: bool
) -> None:
    program = program_of(LOTS, tmp_path)
    worth = asked(theorems.obligations, program)["invariant worth"]
    desk = Desk(program, SETTINGS)
    play = Table("evening.jsonl", {}, tuple(Happening("lay", "guest", (1,)) for _ in range(ones)))
    desk.told = Tellings(program, Told((play,)))
    found = decide(desk, worth)
    assert isinstance(found.play, Sometimes) is refuted
