"""A store whose rules ask for options in every way, and logs of it by dice: most of its rounds are lawful."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from verifier.check.engine import Prepared
from verifier.log.header import Header
from verifier.log.rows import Row

HEAD = """ruleset unstated/store
law nz/gazette-1998-9-division-2

actors guest, keeper
type Guest = id max 3
type Shelf = 1..3
life store
life day ends shut

entity Box(shelf: Shelf) in day
  weight: money
  kept: bool
  owner: Guest?

entity Bag(owner: Guest) in day
  weight: money

event put(guest: Guest, shelf: Shelf, weight: money) by guest
event fetch(guest: Guest, shelf: Shelf) by guest
event take(shelf: Shelf) by keeper
event weigh(shelf: Shelf) by keeper
event call(guest: Guest) by keeper
event shut by keeper

on put(g, s, w)
  new Box(s)
  Box(s).weight = w
  Box(s).owner = g
  new Bag(g)
  Bag(g).weight = Bag(g).weight + w
on weigh(s)
  Box(s).kept = yes
on take(s)
  Box(s).weight = 0

decision charge(b: Box): money
define heavy(b: Box): bool = b.weight > limit
define half(b: Box): money = if strict then b.weight div 2 else limit

rule 3.3(a) [decks] "4 to 8 decks of playing cards"
  option limit: money
  option light: money
  option wide: {1, 2}
  option strict: bool
  option grade: 1..5
"""

PLAIN = """rule 4.2 "The dealer shall at all times deal the cards"
  guest must not put(any, any, a) when a > limit
rule 5.1 "each player shall make a wager against the dealer which shall"
  guest must not put(any, s, a) when a < light and s = 1
  guest must not put(any, s, a) when not (a <= limit or s = 2)
  guest must not put(any, s, a) when strict and a > limit and s != 3
  guest may put(any, any, a) when a >= light
  guest may put(any, s, any) when strict and s < 3
rule 5.1(a) "win if the player's point total is 21 or less and the dealer's exceeds 21"
  guest must not fetch(any, s) when strict or s = 3
  guest must not fetch(any, s) when wide = 1 and s = 1 or wide = 2 and s = 1
  guest must not fetch(any, s) when half(Box(s)) > 700
  guest must not fetch(g, s) when Box(s).owner = g and grade >= 3 and Box(s).weight > light
rule 5.1(b) "win if the player's point total exceeds the dealer's without either exceeding 21"
  keeper must not take(s) when some b in Box: heavy(b) and b.shelf != s
  keeper must not take(any) when every b in Box: (b.weight < light or strict and wide = 2)
  keeper must not take(s) when number of (b in Box where b.weight > limit) > 1 and s = 2
rule 5.4 "shall be paid at odds of 3 to 2"
  charge(b) = 5 when b.weight < limit
  charge(b) = 50 when b.weight >= limit and strict
  charge(b) = 5 when grade > 4
  keeper must not call(any) when charge(Box(1)) > 10
rule 9.2 "Players may then make an insurance wager"
  keeper may take(s) when Box(s).weight > 0
rule 10.3(a) "the dealer shall at the player's request pay the player immediately"
  keeper must weigh(s) before shut when Box(s).weight > light and not Box(s).kept and grade > 2
  keeper must weigh(s) by end of day when heavy(Box(s)) and not Box(s).kept
rule 11.1 "A player may elect to double down after the initial deal"
  keeper must call(g) at once
    when some b in Box: b.owner = g and b.weight > light and b.shelf = wide and call(g) has not happened this day
"""

LATCH = """  guest must not fetch(any, any) when rule 4.2 has been broken this day
"""

ODD = """rule 4.2 "The dealer shall at all times deal the cards"
  guest must not put(any, any, a) when a > limit + light
rule 5.1 "each player shall make a wager against the dealer which shall"
  guest must not put(any, any, any) when limit < light
  guest must not put(any, any, a) when (if strict then limit else light) < a div 10
  guest may put(any, s, a) when strict and s < 3 or a >= light
  guest may put(any, any, any) when grade > 2 and not strict
rule 5.1(a) "win if the player's point total is 21 or less and the dealer's exceeds 21"
  guest must not fetch(any, any) when some b in Box: b.weight > limit and (strict or b.kept or grade = 1)
  guest must not fetch(any, any) when number of (b in Box where b.weight > limit or b.weight < light) > 1
  guest must not fetch(any, any) when number of (b in Bag where b.weight > limit) > 1
  guest must not fetch(g, any) when some b in Bag: b.weight > light and b.owner != g and (strict or grade = 5)
  guest must not fetch(any, any) when (least (b.weight for b in Bag where b.weight > light)) > 5000
  guest must not fetch(any, any) when sum (half(b) for b in Box where b.weight > light) > 50000
rule 5.1(b) "win if the player's point total exceeds the dealer's without either exceeding 21"
  keeper must not call(g) when the first (b in Bag where b.weight > light) = Bag(g) and g = Box(3).owner
  keeper must call(g) before shut when Bag(g).weight > limit and call(g) has not happened this day
  keeper must not take(s) when the first (b in Box where b.weight > light) = Box(s)
  keeper must not take(s) when the last (b in Box where b.weight > light and strict) = Box(s)
  keeper must not take(s) when s = wide and (strict or not strict) and grade > 0
rule 5.4 "shall be paid at odds of 3 to 2"
  charge(b) = 5 when b.weight < limit
  charge(b) = 50 when b.weight >= limit and strict
  charge(b) = 5 when grade > 4
  charge(b) = 6 when b.weight = 0 and wide = 2
  keeper must not call(any) when charge(Box(1)) > 10 and charge(Box(2)) > light
  keeper must not call(any) when charge(Box(3)) = light
rule 9.2 "Players may then make an insurance wager"
  keeper may take(s) when Box(s).weight > 0 and after(Box(s).weight) < light + 100
rule 10.3(a) "the dealer shall at the player's request pay the player immediately"
  keeper must weigh(s) or call(any) before shut when Box(s).weight > light and not Box(s).kept and grade > 2
  keeper must weigh(s) by end of day when charge(Box(s)) > 20 and not Box(s).kept
rule 11.1 "A player may elect to double down after the initial deal"
  keeper must call(g) or weigh(any) at once
    when some b in Box: b.owner = g and b.weight > light and b.shelf = wide and call(g) has not happened this day
"""

HEADS = """rule 4.2 "The dealer shall at all times deal the cards"
  guest must not put(any, any, limit)
  keeper must weigh(s) before put(any, any, limit) when Box(s).weight > 50 and not Box(s).kept
rule 5.1 "each player shall make a wager against the dealer which shall"
  keeper must take(wide) before shut when Box(wide).weight > 0
  guest must put(g, 3, light) by end of day when Box(1).owner = g and put(g, 3, any) has not happened this day
rule 5.1(a) "win if the player's point total is 21 or less and the dealer's exceeds 21"
  guest may put(any, any, light)
  guest may put(any, 2, any)
  keeper may take(wide)
rule 5.1(b) "win if the player's point total exceeds the dealer's without either exceeding 21"
  keeper must weigh(wide) at once when Box(wide).weight > 700 and not Box(wide).kept
  keeper may weigh(3)
  guest must not fetch(any, any) when half(Box(1)) < 0 and charge(Box(1)) > 10
  charge(b) = 5 when b.weight < limit
"""

LAX: Mapping[str, object] = {"limit": 10**8, "light": 0}
AMOUNTS = (49, 50, 100, 777, 888, 5_000)

Logged = tuple[str, Header, list[Row]]


def stated(ready: Prepared, dice: Random, out: frozenset[str]) -> dict[str, object]:
    """All options but these, some so that no amount is against them."""
    lax, found = dice.random() < 0.7, dict[str, object]()
    for name, option in ready.ruleset.options.items():
        value = dice.choice(option.values) if option.values is not None else dice.choice(AMOUNTS)
        found[name] = LAX[name] if lax and name in LAX else value
    return {name: value for name, value in found.items() if name not in out}


def log(ready: Prepared, options: Mapping[str, object], rows: list[Row]) -> Logged:
    return "store", Header("dice", ready.ruleset.name, "NZD", 2, options=options), rows


def happened(*events: str) -> list[Row]:
    """Rows of one day, or several: each event as words."""
    found: list[Row] = []
    day = 1
    for seq, event in enumerate(events, 1):
        name, *words = event.split()
        values = tuple(int(word) if word.isdigit() else word for word in words)
        actor = "guest" if name in ("put", "fetch") else "keeper"
        found.append(Row("store", seq, ("T1", day), seq, None, actor, name, values))
        day += name == "shut"
    return found


def by_dice(dice: Random, length: int) -> list[Row]:
    """So many events."""
    events: list[str] = []
    kinds = (
        "put",
        "put",
        "put",
        "put",
        "fetch",
        "fetch",
        "take",
        "weigh",
        "weigh",
        "weigh",
        "call",
        "shut",
        "shut",
    )
    for _ in range(length):
        guest, shelf = dice.choice(("ann", "bob")), dice.randint(1, 3)
        amount = dice.choice((0, 1, 50, 60, 100, 777, 5_000))
        words: dict[str, tuple[Any, ...]] = {
            "put": (guest, shelf, amount),
            "fetch": (guest, shelf),
            "take": (shelf,),
            "weigh": (shelf,),
            "call": (guest,),
            "shut": (),
        }
        name = dice.choice(kinds)
        events.append(" ".join(map(str, (name, *words[name]))))
    return happened(*events)
