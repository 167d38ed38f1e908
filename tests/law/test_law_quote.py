"""Quotes are found where they stand, and nowhere else."""

import itertools
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.law import Law, clauses_with, find_quote, load_law, nearest_words, split_words

MakeLaw = Callable[..., Law]
BLACKJACK = "nz/gazette-1998-9-division-2"
ROULETTE = "nz/gazette-1998-16-division-8"


@pytest.mark.parametrize(
    ("law_id", "address", "quote"),
    [
        (BLACKJACK, "5.1", "each player shall make a wager against the dealer which shall"),
        (BLACKJACK, "5.1(c)", "win if the player has a blackjack"),
        (BLACKJACK, "5.1(c)", "win  if\n the player\thas"),
        (BLACKJACK, "5.5(a)", "make any wager"),
        (BLACKJACK, "5.4", "which (subject to rule 10.3) shall be paid at odds of 3 to 2"),
        (BLACKJACK, "5.4", "subject to rule 10.3"),
        (BLACKJACK, "8.2", "call “No more bets”"),
        (BLACKJACK, "8.2", "No more bets"),
        (BLACKJACK, "5.5", "and no dealer or other person shall permit any player to do so"),
        (BLACKJACK, "5.5", "once the dealer has called … no player shall … permit any player"),
        (BLACKJACK, "1.0 Blackjack", "an ace and any card having a point value of 10"),
        (BLACKJACK, "14.3(c)", "In any event, only 1 additional card"),
        (ROULETTE, "3.1(i)", 'the numbers 19 to 36 inclusive or "High"'),
        (ROULETTE, "3.9 [Straight Up]", "Straight Up 35 to 1"),
        ("ny/9-nycrr-4620.5", "(h) [Option one]", 'All ties are "pushes."'),
        ("ny/9-nycrr-4620.5", "(f)(2)", "Maximum bet shall be $5"),
        ("uk/si-1994-2899-regulation-7", "7(1)", "pontoon or vingtet-un in which"),
        ("uk/si-1994-2899-regulation-7", "7(1)", "vingtet-un in which-"),
    ],
)
def test_found(laws: Mapping[str, Law], law_id: str, address: str, quote: str) -> None:
    assert find_quote(laws[law_id].clause(address), quote) is not None


@pytest.mark.parametrize(
    ("address", "quote", "why"),
    [
        ("5.1", "win if the player's point total is 21 or less", "the words of a clause below"),
        ("5.1(a)", "each player shall make a wager", "the words of the clause above"),
        ("5", "Wagers", "a heading"),
        ("1.0 Box", "“Box” means an area", "the term is the label"),
        ("5.1(c)", "win if the Player has", "a capital"),
        ("5.1(c)", "win if player has", "a word left out"),
        ("5.1(c)", "has a blackjack … win if", "words out of order"),
        ("5.1(c)", "win if the play", "part of a word"),
        ("5.1(c)", "in if the player", "part of a word"),
        ("5.1(a)", "is 21 or less; and", "other punctuation between words"),
        ("5.5(a)", "make any wager,", "other punctuation after them"),
        ("5.6", "an insurance Super Sevens", "punctuation left out between words"),
        ("5.5", "no player shall: and no dealer", "over the list without …"),
        ("5.5", "no player shall make any wager", "over the list and through it"),
        ("5.3", "player", "a word that is not there"),
        ("5.1(c)", "", "no words"),
        ("5.1(c)", "…", "no words"),
        ("5.1(c)", " , ; ", "punctuation only"),
    ],
)
def test_not_found(blackjack: Law, address: str, quote: str, why: str) -> None:
    assert find_quote(blackjack.clause(address), quote) is None, why


def test_ranges_are_those_of_the_words_quoted(blackjack: Law) -> None:
    clause = blackjack.clause("5.5")
    span = find_quote(clause, "no player shall … no dealer … to do so")
    assert span is not None
    assert [clause.words[a:b] for a, b in span.ranges] == [
        ("no", "player", "shall:"),
        ("no", "dealer"),
        ("to", "do", "so."),
    ]
    assert span.part == "both"
    assert len(span.indices) == 8
    only_intro = find_quote(clause, "no player shall")
    only_tail = find_quote(clause, "no dealer")
    assert only_intro is not None
    assert only_tail is not None
    assert (only_intro.part, only_tail.part) == ("intro", "tail")


def test_whole_clause_covers_all_its_words(laws: Mapping[str, Law]) -> None:
    for law in laws.values():
        for clause in law.clauses.values():
            quote = f"{clause.intro} … {clause.tail}"
            span = find_quote(clause, quote)
            assert (span is None) == (not clause.words)
            assert span is None or span.indices == frozenset(range(len(clause.words)))


def test_a_run_that_occurs_twice_is_matched_first_where_it_can_be(make_law: MakeLaw) -> None:
    clause = make_law("# 5.0 W\n5.1 the hand or the box or the hand again\n").clause("5.1")
    first = find_quote(clause, "the hand")
    second = find_quote(clause, "box … the hand")
    assert first is not None
    assert second is not None
    assert (first.ranges, second.ranges) == (((0, 2),), ((4, 5), (6, 8)))


def test_same_words_are_not_used_twice(make_law: MakeLaw) -> None:
    clause = make_law("# 5.0 W\n5.1 win or lose\n").clause("5.1")
    assert find_quote(clause, "win … win") is None
    assert find_quote(clause, "win … lose") is not None


def test_clauses_that_hold_a_quote(blackjack: Law) -> None:
    assert clauses_with(blackjack, "point total exceeds the dealer's") == ("5.1(b)",)
    assert clauses_with(blackjack, "paid at odds of 1 to 1 if they win") == ("11.4", "12.5")
    assert clauses_with(blackjack, "roulette") == ()


@pytest.mark.parametrize(
    ("address", "quote", "nearest"),
    [
        (
            "5.1(a)",
            "win if the players point total is 22 or less",
            "win if the player's point total is 21 or less",
        ),
        ("5.1(b)", "win if point total exceeds", "win if the player's point total exceeds"),
        (
            "5.5",
            "no dealer or other person shall allow any player",
            "no dealer or other person shall permit any player",
        ),
        ("5.5", "no players shal … any playr to do it", "no player shall: … any player to do so."),
        ("9.4", "insurence", "insurance"),
        ("9.4", "", ""),
        ("5", "wagers", ""),
    ],
)
def test_nearest_words(blackjack: Law, address: str, quote: str, nearest: str) -> None:
    assert nearest_words(blackjack.clause(address), quote) == nearest


CLAUSES = [clause for clause in load_law(BLACKJACK).clauses.values() if clause.words]


@given(st.sampled_from(CLAUSES), st.data())
def test_any_runs_of_a_clause_are_found_in_it(clause: object, data: st.DataObject) -> None:
    from verifier.law import Clause

    assert isinstance(clause, Clause)
    border = len(split_words(clause.intro))
    cuts = sorted(data.draw(st.sets(st.integers(0, len(clause.words)), min_size=2, max_size=6)) | {border})
    kept = [run for run in itertools.pairwise(cuts) if data.draw(st.booleans())]
    quote = " … ".join(" ".join(clause.words[a:b]) for a, b in kept)
    span = find_quote(clause, quote)
    assert (span is None) == (not kept)
    if span is not None:
        assert len(span.indices) == sum(b - a for a, b in kept)
        assert all(end <= border or start >= border for start, end in span.ranges)


@given(st.sampled_from(CLAUSES), st.data())
def test_a_quote_with_one_word_changed_is_not_found(clause: object, data: st.DataObject) -> None:
    from verifier.law import Clause

    assert isinstance(clause, Clause)
    words = list(split_words(clause.intro))
    at = data.draw(st.integers(0, len(words) - 1))
    words[at] = data.draw(st.sampled_from(["x" + words[at], words[at].swapcase() + "x", "zebra"]))
    assert find_quote(clause, " ".join(words)) is None
    assert nearest_words(clause, " ".join(words))
