"""6.8 to 6.11 on every small final, and on some of 5 to 7, against a reading that knows nothing of the rule language.

Where the two speak of a place or a prize they must say the same, and where the law leaves one open both must. What
the theorems beside the ruleset ask is asked here of the same finals: with more than two in a final a proof takes long.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from random import Random

import pytest
from tournament_cases import OPTIONS, ready

from verifier.check.schema import option_value
from verifier.run.apply import Mechanics, apply, compile_mechanics
from verifier.run.bench import effective_options
from verifier.run.judge import Happening, Judge
from verifier.run.undefined import Undefined

Chips = Mapping[str, int]
NAMES = ("ann", "bob", "cat", "dan")
PRIZES = (1200, 600, 240)
MORE_NAMES = (*NAMES, "eve", "fay", "gus")
MORE_PRIZES = (*PRIZES, 120, 60, 25, 7)
FINALS_OF_MORE = 60
"""So many finals of 5, of 6 and of 7 are drawn."""

LEVELS = (1, 2, 3)
CONTESTS = ("final_session", "winner_play_off", "runner_up_play_off")


# ------------------------------------------------------------------------------------- an independent reading
def best(held: Chips) -> list[str]:
    """Who holds most."""
    return [name for name in held if held[name] == max(held.values())]


def placings(final: Chips, first: Chips, second: Chips) -> dict[str, int | None]:
    """6.8 to 6.10: who takes which place; `first` and `second` are the play-offs for the winner and the runner-up."""
    leaders = best(final)
    if len(leaders) == 1:
        return {name: 1 + sum(held > final[name] for held in final.values()) for name in final}
    if not first or len(best(first)) > 1:
        return dict.fromkeys(final)
    (winner,) = best(first)
    rest = {name: held for name, held in first.items() if name != winner}
    runners = best(rest)
    if len(runners) > 1:
        if not second or len(best(second)) > 1:
            return dict.fromkeys(final)
        runners = best(second)
    (runner,) = runners
    found: dict[str, int | None] = {winner: 1, runner: 2}
    others = [name for name in final if name not in found]

    def rank(name: str) -> tuple[int, int, int]:
        return second.get(name, 0), first.get(name, 0), final[name]

    for name in others:
        found[name] = 3 + sum(rank(other) > rank(name) for other in others)
    return found


def prizes(places: Mapping[str, int | None], amounts: Sequence[int] = PRIZES) -> dict[str, Fraction | None]:
    """3.4 and 6.11: who has which prize; none where two are second, and neither 6.9 nor 6.11 speaks of them."""
    found: dict[str, Fraction | None] = {}
    for name, place in places.items():
        if place is None:
            found[name] = None
            continue
        level = sum(other == place for other in places.values())
        shared = sum(amounts[place - 1 : place - 1 + level])
        found[name] = None if place == 2 and level > 1 else Fraction(shared, level)
    return found


# ------------------------------------------------------------------------------------------------ all finals
def finals() -> Iterator[tuple[Chips, Chips, Chips]]:
    """Finals of four up to the order of names, with the play-offs that they call for; levels stand for chips."""
    for held in combinations_with_replacement(reversed(LEVELS), len(NAMES)):
        if held[0] < LEVELS[-1]:
            continue
        final = dict(zip(NAMES, held, strict=True))
        leaders = best(final)
        if len(leaders) == 1:
            yield final, {}, {}
            continue
        for again in product(LEVELS[:2] if len(leaders) == 4 else LEVELS, repeat=len(leaders)):
            first = dict(zip(leaders, again, strict=True))
            runners = best({n: h for n, h in first.items() if n not in best(first)} or {"": 0})
            if len(best(first)) > 1 or len(runners) < 2:
                yield final, first, {}
                continue
            for last in product(LEVELS[:2], repeat=len(runners)):
                yield final, first, dict(zip(runners, last, strict=True))


def finals_of(count: int) -> Iterator[tuple[Chips, Chips, Chips]]:
    """Finals of more, drawn, with play-offs that decide what they are for."""
    rng = Random(count)
    names = MORE_NAMES[:count]

    def held(among: Sequence[str]) -> Chips:
        return {name: rng.choice(LEVELS) for name in among}

    for _ in range(FINALS_OF_MORE):
        final = held(names)
        while True:
            first = held(best(final)) if len(best(final)) > 1 else {}
            runners = best({n: h for n, h in first.items() if n not in best(first)}) if first else []
            second = held(runners) if len(runners) > 1 else {}
            if settled((final, first, second)):
                yield final, first, second
                break


@cache
def listed(amounts: Sequence[int] = PRIZES, names: Sequence[str] = NAMES) -> Judge:
    """A record that holds the prize list, and knows the names."""
    ruleset = ready().ruleset
    stated = {name: option_value(ruleset.options[name].type, value) for name, value in OPTIONS.items()}
    judge = Judge(ready().program, effective_options(ready().program, stated))
    for number, amount in enumerate(amounts, 1):
        judge.step(Happening("list_prize", "operator", (number, amount)))
    for name in names:
        judge.step(Happening("apply_for_entry", "applicant", (name,)))
    return judge


@cache
def entering() -> Mechanics:
    return compile_mechanics(listed().machine, "enter_standing")


def judged(contests: tuple[Chips, Chips, Chips], judge: Judge | None = None) -> Judge:
    """The record with the standings on it."""
    judge = judge or listed()
    state = judge.state
    for index, held in enumerate(contests):
        for name, chips in held.items():
            judge.machine.enter(state)
            state = apply(judge.machine, entering(), (name, index, chips))
    judge.machine.enter(state)
    return judge


def decided(judge: Judge, decision: str, name: str) -> Fraction | int | None:
    try:
        value: Fraction | int = judge.machine.decide(decision, (name,))
    except Undefined:
        return None
    return value


Found = tuple[Mapping[str, Fraction | int | None], Mapping[str, Fraction | int | None]]


@cache
def every() -> list[tuple[tuple[Chips, Chips, Chips], Found]]:
    made = []
    for contests in finals():
        judge = judged(contests)
        made.append(
            (
                contests,
                (
                    {name: decided(judge, "place", name) for name in NAMES},
                    {name: decided(judge, "prize", name) for name in NAMES},
                ),
            )
        )
    return made


def settled(contests: tuple[Chips, Chips, Chips]) -> bool:
    """Whether the play-offs have decided what they were for."""
    return None not in placings(*contests).values()


def test_there_are_enough_finals() -> None:
    kinds = {(len(first), len(second)) for _, first, second in (c for c, _ in every())}
    assert kinds == {(0, 0), (2, 0), (3, 0), (3, 2), (4, 0), (4, 3)}
    assert len(every()) > 100


def test_places_are_those_of_an_independent_reading() -> None:
    for contests, (places, _) in every():
        if settled(contests):
            assert places == placings(*contests), contests


def test_prizes_are_those_of_an_independent_reading() -> None:
    for contests, (places, found) in every():
        if settled(contests):
            assert found == prizes(placings(*contests)), (contests, places)


def test_nobody_wins_until_the_play_off_is_decided() -> None:
    for contests, (places, _) in every():
        if not settled(contests):
            assert [places[name] for name in best(contests[0])].count(1) <= 1, contests
            assert None in places.values(), contests


# ---------------------------------------------------------------------------------- what the theorems ask
def refuted(holds: object) -> list[tuple[Chips, Chips, Chips]]:
    """The finals of which a claim about places and prizes is false."""
    assert callable(holds)
    return [c for c, (places, found) in every() if settled(c) and not holds(c, places, found)]


def test_placings_that_two_take() -> None:
    def once(_: object, places: Mapping[str, int], __: object) -> bool:
        return len(set(places.values())) == len(places)

    assert ({"ann": 3, "bob": 2, "cat": 1, "dan": 1}, {}, {}) in refuted(once)
    assert refuted(lambda _, places, __: list(places.values()).count(1) == 1) == []


def test_two_are_second_only_where_one_leads_the_final() -> None:
    two = refuted(lambda _, places, __: list(places.values()).count(2) <= 1)
    assert ({"ann": 3, "bob": 2, "cat": 2, "dan": 1}, {}, {}) in two
    assert all(not first for _, first, _ in two)


def test_equal_chips_get_equal_prizes_from_the_third_place_down() -> None:
    def alike(c: tuple[Chips, Chips, Chips], places: Mapping[str, int], found: Mapping[str, object]) -> bool:
        return all(found[a] == found[b] for a in NAMES for b in NAMES if c[0][a] == c[0][b])

    unlike = refuted(alike)
    assert ({"ann": 3, "bob": 3, "cat": 1, "dan": 1}, {"ann": 2, "bob": 1}, {}) in unlike
    assert all(first for _, first, _ in unlike)
    assert (
        refuted(
            lambda _, places, found: all(
                found[a] == found[b] for a in NAMES for b in NAMES if places[a] == places[b] > 2
            )
        )
        == []
    )


def test_what_they_are_entitled_to_is_the_list_unless_two_are_second() -> None:
    def listed(_: object, places: Mapping[str, int], found: Mapping[str, Fraction | None]) -> bool:
        known = [amount for amount in found.values() if amount is not None]
        return len(known) == len(found) and sum(known) == sum(PRIZES)

    assert all(placings(*c) and list(placings(*c).values()).count(2) > 1 for c in refuted(listed))


@pytest.mark.parametrize("count", [5, 6, 7])
@pytest.mark.parametrize("fewer", [0, 2])
def test_what_more_are_entitled_to_is_the_list(count: int, fewer: int) -> None:
    """As many prizes as players, or fewer: what a proof says of 3 in a final is asked of 5 to 7."""
    amounts = MORE_PRIZES[: count - fewer]
    judge = listed(amounts, MORE_NAMES)
    seen = set()
    for contests in finals_of(count):
        made = judged(contests, judge)
        names = MORE_NAMES[:count]
        places = {name: decided(made, "place", name) for name in names}
        found = {name: decided(made, "prize", name) for name in names}
        assert places == placings(*contests), contests
        assert found == prizes(placings(*contests), amounts), contests
        known = [amount for amount in found.values() if amount is not None]
        if list(places.values()).count(2) == 1:
            assert sum(known) == sum(amounts), contests
            seen.add((len(contests[1]) > 1, max(list(places.values()).count(p) for p in range(3, 8))))
    assert len(seen) > 3


@pytest.mark.parametrize("fewer", [0, 1])
def test_fewer_chips_no_better_place(fewer: int) -> None:
    assert (
        refuted(
            lambda c, places, _: all(
                places[a] > places[b] for a in NAMES for b in NAMES if c[0][a] + fewer < c[0][b]
            )
        )
        == []
    )
