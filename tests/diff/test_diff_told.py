"""What a comparison says in its words: what is the same is counted and listed last, what is counted is called by its
name, and a scope is told in the words of the declarations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from verifier.core.lower import lower
from verifier.diff.merge import Merger
from verifier.diff.scope import in_words
from verifier.diff.unify import unify
from verifier.model.load import load

MakeRules = Callable[..., Path]
Gazette = Callable[..., tuple[int, str]]

CART = "  toll(k) = 200 when k = cart\n"
CROSS = "  traveller must not cross when raised\n"

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
    said = "every state, of whatever size, at most 5 passed, at most 5 never, amounts in parts of 1/2"
    told = "every state, of whatever size, at most 5 things in passed, money to 1/2 of its smallest unit"
    assert in_words(said, merger) == told
    assert in_words("2 Player, at most 4 Wagon.cargo", merger) == "2 Player, each Wagon with at most 4 cargo"
    assert in_words("every state, of whatever size", merger) == "every state, of whatever size"
