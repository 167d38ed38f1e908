"""Rules of the store by dice: conditions over options in every shape, of norms of every kind."""

from __future__ import annotations

import re
from random import Random

from unstated_store import HEAD

FORMS = (
    ("guest must not put(g, s, a) when", "gsa"),
    ("guest may put(g, s, a) when", "gsa"),
    ("guest must not fetch(g, s) when", "gs"),
    ("guest may fetch(g, s) when", "gs"),
    ("keeper must not call(g) when", "g"),
    ("keeper must not take(s) when", "s"),
    ("keeper must weigh(s) before shut when Box(s).weight > 50 and not Box(s).kept and", "s"),
    ("keeper must weigh(s) by end of day when not Box(s).kept and", "s"),
    ("keeper must weigh(s) at once when Box(s).weight > 776 and not Box(s).kept and", "s"),
    (
        "keeper must call(g) before fetch(g, any) when Bag(g).weight > 60 and call(g) has not happened this day and",
        "g",
    ),
)
"""A norm up to its condition, and the variables that this may read."""


def rules(dice: Random) -> str:
    """A ruleset of one to three norms, and an answer that they may ask for."""
    norms = "".join(_norm(dice) for _ in range(dice.randint(1, 3)))
    cases = "".join(
        f"  charge(b) = {n} when {_condition(dice, 'b', 1, asks=False)}\n" for n in (5, dice.choice((5, 60)))
    )
    return f'{HEAD}rule 4.2 "The dealer shall at all times deal the cards"\n{norms}{cases}'


def _norm(dice: Random) -> str:
    form, free = dice.choice(FORMS)
    text = f"{form} {_condition(dice, free, dice.choice((1, 2, 2, 3)))}"
    head, _, when = text.partition(" when ")
    if " must not " in head or " may " in head:
        # what the condition does not read has no name
        head = re.sub(
            r"\b[gsa]\b", lambda name: name[0] if re.search(rf"\b{name[0]}\b", when) else "any", head
        )
    return f"  {head} when {when}\n"


def _amount(dice: Random, free: str, deep: int, asks: bool) -> str:
    """A sum of money; `asks`: it may be an answer."""
    shelf = dice.randint(1, 3)
    found = ["limit", "light", "limit", "light", dice.choice(("0", "50", "777")), f"Box({shelf}).weight"]
    found += [
        value for name, value in (("a", "a"), ("b", "b.weight"), ("g", "Bag(g).weight")) if name in free
    ]
    if deep:
        one, other = (_amount(dice, free, deep - 1, asks) for _ in range(2))
        found += [f"({one} + {other})", f"half(Box({shelf}))"]
        found += [f"charge(Box({shelf}))"] if asks else []
        found.append(f"(if {_condition(dice, free, deep - 1, asks)} then {one} else {other})")
        if "b" not in free:
            where = _condition(dice, free + "b", deep - 1, asks)
            found.append(f"(sum (b.weight for b in {dice.choice(('Box', 'Bag'))} where {where}))")
    return dice.choice(found)


def _condition(dice: Random, free: str, deep: int, asks: bool = True) -> str:
    shelf = dice.randint(1, 3)
    found = [
        "strict",
        f"wide = {dice.randint(1, 2)}",
        f"grade > {dice.randint(0, 5)}",
        f"Box({shelf}).kept",
        "s = wide" if "s" in free else f"Box({shelf}).owner exists",
        f"{_amount(dice, free, 0, asks)} < {_amount(dice, free, 0, asks)}",
    ]
    if deep:
        one, other = (_condition(dice, free, deep - 1, asks) for _ in range(2))
        found += [f"({one} and {other})", f"({one} or {other})"] * 2
        found += [
            f"not ({one})",
            f"{_amount(dice, free, deep - 1, asks)} < {_amount(dice, free, deep - 1, asks)}",
        ]
        if "b" not in free:
            kind = dice.choice(("Box", "Bag"))
            where, body = (_condition(dice, free + "b", deep - 1, asks) for _ in range(2))
            found.append(f"(some b in {kind} where b.weight > 0 and {where}: b.weight < 60 or {body})")
            found.append(f"(every b in {kind}: b.weight > 99 or {body})")
            found.append(f"(number of (b in {kind} where b.weight > 0 and {where}) > {dice.randint(0, 2)})")
    return dice.choice(found)
