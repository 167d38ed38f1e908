"""Little rulesets made at random, for what must be true of any ruleset: `little(seed)` is the text of one.

None of them makes sense. Each has people, one to three kinds of things, some fields, two to four kinds of events
besides the one that ends a trip, a decision mostly, one to four norms, and invariants, a theorem and a `reachable`
that may or may not hold.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from types import MappingProxyType

from verifier.law import load_law

LAW = "nz/gazette-1998-9-division-2"
CLAUSES = ("5.2", "5.3", "6.1", "6.2")
ANSWERS = ("5.1(a)", "5.1(b)", "5.1(c)")
KINDS = ("bool", "0..3", "Mode", "0..9", "Guest?")
KEYS = {"Seat": ("guest",), "Spot": ("place",), "Bid": ("guest", "place")}
DECLARED = {"guest": "Guest", "place": "Place"}
SHAPES: tuple[tuple[tuple[str, str], ...], ...] = (
    (("who", "Guest"),),
    (("s", "Seat"),),
    (("who", "Guest"), ("n", "0..3")),
    (("n", "0..3"),),
    (("p", "Place"),),
    (),
    (("who", "Guest"), ("p", "Place")),
    (("s", "Seat"), ("n", "0..3")),
)
EVENTS = ("board", "pay", "call", "mark")

Scope = list[tuple[str, str]]
"""The variables at hand, each with its type."""


def words(address: str) -> str:
    """The first words of a clause."""
    clause = load_law(LAW, []).clause(address)
    return " ".join((clause.intro or clause.heading or "").split()[:4]).rstrip(",;:.")


@dataclass
class Author:
    """One ruleset in the making."""

    r: Random
    fields: dict[str, Scope] = field(default_factory=dict)
    own: Scope = field(default_factory=list)
    events: list[tuple[str, tuple[tuple[str, str], ...]]] = field(default_factory=list)
    maps: Scope = field(default_factory=list)
    """Maps from people or places to flags or numbers, by name: key and value."""
    lived: list[str] = field(default_factory=list)
    """The lines that declare lives."""
    pile: bool = False
    """Whether every seat has a list of chips."""
    stack: int = 0
    """How many chips the stack holds at most; 0 where there is none."""
    bound: int = 0

    # -------------------------------------------------------------------------------------------- expressions
    def variable(self) -> str:
        self.bound += 1
        return f"q{self.bound}"

    def thing(self, kind: str, scope: Scope) -> str | None:
        """A thing of the kind, named by the variables at hand; None where none can name it."""
        parts: list[str] = []
        for key in KEYS[kind]:
            known = [v for v, t in scope if t == DECLARED[key]]
            if known:
                parts.append(self.r.choice(known))
            elif key == "place":
                parts.append(str(self.r.randint(1, 3)))
            else:
                return None
        return f"{kind}({', '.join(parts)})"

    def fields_of(self, wanted: str, scope: Scope) -> list[str]:
        """All that can be read of a type."""
        found = [name for name, kind in self.own if kind == wanted]
        for entity, several in self.fields.items():
            for name, kind in several:
                if kind == wanted:
                    found += [f"{v}.{name}" for v, t in scope if t == entity]
                    thing = self.thing(entity, scope)
                    found += [f"{thing}.{name}"] if thing else []
        for name, kind in self.maps:
            key, _, value = kind.partition(" -> ")
            if value == wanted:
                found += [f"{name}[{v}]" for v, t in scope if t == key]
                found += [f"{name}[{self.r.randint(1, 3)}]"] if key == "Place" else []
        found += [
            f"{v}.{ {'bool': 'hot', '0..3': 'worth'}[wanted] }"
            for v, t in scope
            if t == "Chip" and wanted in ("bool", "0..3")
        ]
        return found + [v for v, t in scope if t == wanted]

    def chips(self, scope: Scope, deep: int) -> str:
        """A number that the stack of chips has."""
        r, v = self.r, self.variable()
        inner = [*scope, (v, "Chip")]
        match r.randint(0, 3):
            case 0:
                return "size"
            case 1:
                return f"number of ({v} in stack where {self.condition(inner, deep and deep - 1)})"
            case 2:
                return f"sum ({v}.worth for {v} in stack where {self.condition(inner, 0)})"
            case _:
                return f"number of ({v} in stack where {v}.worth {r.choice(['=', '>='])} {r.randint(0, 3)})"

    def number(self, scope: Scope, deep: int = 1) -> str:
        r, known = self.r, self.fields_of("0..3", scope) + self.fields_of("0..9", scope)
        chance = r.random()
        if self.stack and r.random() < 0.25:
            return self.chips(scope, deep)
        if deep and chance < 0.3:
            entity, v = r.choice(list(self.fields)), self.variable()
            inner = [*scope, (v, entity)]
            summed = [name for name, kind in self.fields[entity] if kind in ("0..3", "0..9")]
            if chance < 0.2 or not summed:
                return f"number of ({v} in {entity} where {self.condition(inner, 0)})"
            return f"sum ({v}.{r.choice(summed)} for {v} in {entity} where {self.condition(inner, 0)})"
        if known and chance < 0.85:
            return r.choice(known) if r.random() < 0.75 else f"{r.choice(known)} + {r.randint(1, 2)}"
        return str(r.randint(0, 4))

    def happened(self) -> str:
        name, params = self.r.choice(self.events)
        never, life = self.r.choice(["", "not "]), self.r.choice(["trip", "trip", "season"])
        return f"{name}{_any(params)} has {never}happened this {life}"

    def condition(self, scope: Scope, deep: int = 2) -> str:
        r = self.r
        chance = r.random()
        if deep and chance < 0.22:
            return f"{self.condition(scope, deep - 1)} and {self.condition(scope, deep - 1)}"
        if deep and chance < 0.34:
            return f"({self.condition(scope, deep - 1)} or {self.condition(scope, deep - 1)})"
        if deep and chance < 0.44:
            return f"not ({self.condition(scope, deep - 1)})"
        if deep and chance < 0.56:
            entity, v = r.choice(list(self.fields)), self.variable()
            kind = r.choice(["some", "every", "none"])
            return f"({kind} {v} in {entity}: {self.condition([*scope, (v, entity)], deep - 1)})"
        if chance < 0.66 and self.events:
            return self.happened()
        flags = self.fields_of("bool", scope)
        if flags and chance < 0.78:
            return r.choice(flags)
        if chance < 0.88:
            sign = r.choice(["=", "!=", "<", "<=", ">", ">="])
            return f"{self.number(scope, deep)} {sign} {self.number(scope, 0)}"
        modes, pals = self.fields_of("Mode", scope), self.fields_of("Guest?", scope)
        if modes:
            return f"{r.choice(modes)} {r.choice(['=', '!='])} {r.choice(['idle', 'open', 'done'])}"
        guests = [v for v, t in scope if t == "Guest"]
        if pals and guests:
            return f"{r.choice(pals)} = {r.choice(guests)}"
        if pals:
            return f"{r.choice(pals)} {r.choice(['exists', 'does not exist'])}"
        return f"{self.number(scope, 0)} {r.choice(['=', '<', '>'])} {r.randint(0, 3)}"

    # -------------------------------------------------------------------------------------------- declarations
    def text(self, seed: int) -> str:
        """The whole ruleset, that of the seed by name."""
        r = self.r
        out = [
            f"ruleset little/r{seed}",
            f"law {LAW}",
            "actors keeper, guest",
            f"type Guest = id max {r.choice([3, 5, 8, 12])}",
            "type Place = 1..3",
            "type Small = 0..3",
            "enum Mode: idle | open | done",
            "enum Verdict: win | lose | off",
            "record Chip(worth: 0..3, hot: bool)",
        ]
        self.lived = self.lives()
        out += [*self.lived, *self.state()]
        planned = [
            (name, r.choice(SHAPES) if i else SHAPES[0]) for i, name in enumerate(EVENTS[: r.randint(2, 4)])
        ]
        for name, params in planned:
            listed = f"({', '.join(f'{a}: {b}' for a, b in params)})" if params else ""
            out.append(f"event {name}{listed} by {r.choice(['guest', 'keeper', 'guest | keeper'])}")
            if r.random() < 0.35:
                out.append(f"  needs {self.condition(list(params), 1)}")
        out.append("event leave by keeper")
        self.events = planned
        for name, params in planned:
            out += self.mechanics(name, params)
        told = self.rules()
        return "\n".join([*out, *self.settled(), *told, *self.asked(), ""])

    def lives(self) -> list[str]:
        """The lines that declare lives."""
        return ["life season", "life trip ends leave"]

    def kind(self) -> str:
        """The type of a field."""
        return self.r.choice(KINDS)

    def state(self) -> list[str]:
        """The lines that declare things and fields."""
        r = self.r
        out: list[str] = []
        kinds = ["Seat", *(["Spot"] if r.random() < 0.4 else []), *(["Bid"] if r.random() < 0.25 else [])]
        for entity in kinds:
            self.fields[entity] = [(f"{entity[0].lower()}{i}", self.kind()) for i in range(r.randint(1, 3))]
            keys = ", ".join(f"{key}: {DECLARED[key]}" for key in KEYS[entity])
            out.append(f"entity {entity}({keys}) in {r.choice(['trip', 'trip', 'season'])}")
            out += [f"  {_declared(name, kind)}" for name, kind in self.fields[entity]]
            out += ["  chips: list of Chip max 3"] if entity == "Seat" and self.pile else []
        self.own = [(f"x{i}", self.kind()) for i in range(r.randint(1, 3))]
        out += ["state trip", *(f"  {_declared(name, kind)}" for name, kind in self.own)]
        if r.random() < 0.4:
            self.own.append(("y0", r.choice(KINDS[:4])))
            out += ["state season", f"  {_declared(*self.own[-1])}"]
        if r.random() < 0.5:
            self.maps = [
                (f"m{i}", r.choice(["Guest", "Place"]) + " -> " + r.choice(["bool", "0..3"]))
                for i in range(r.randint(1, 2))
            ]
            out += [
                "state " + r.choice(["trip", "season"]),
                *(f"  {name}: {kind}" for name, kind in self.maps),
            ]
        if r.random() < 0.4:
            self.stack = r.choice([2, 5, 9])
            out += ["state trip", f"  stack: list of Chip max {self.stack}"]
            out.append("define size: 0..9 = number of (c in stack)")
        return out

    def settled(self) -> list[str]:
        """The lines that declare an event which claims something; none here."""
        return []

    def rules(self) -> list[str]:
        """The lines of all rules."""
        out = self.decision() if self.r.random() < 0.7 else []
        for address in CLAUSES[: self.r.randint(1, 4)]:
            out += [f'rule {address} "{words(address)}"', self.norm()]
        return out

    def mechanics(self, name: str, params: tuple[tuple[str, str], ...]) -> list[str]:
        r = self.r
        scope = [(f"v_{a}", t) for a, t in params]
        out = [f"on {name}{'(' + ', '.join(v for v, _ in scope) + ')' if scope else ''}"]
        for entity in self.fields:
            thing = self.thing(entity, scope)
            if thing and r.random() < 0.8:
                out.append(
                    f"  new {thing}" + (f" when {self.condition(scope, 1)}" if r.random() < 0.2 else "")
                )
        written: set[str] = set()
        for _ in range(r.randint(1, 3)):
            places = [(place, kind, place) for place, kind in self.own]
            for entity, several in self.fields.items():
                thing = self.thing(entity, scope)
                for field_, kind in several:
                    places += [(f"{v}.{field_}", kind, f"{entity}.{field_}") for v, t in scope if t == entity]
                    places += [(f"{thing}.{field_}", kind, f"{entity}.{field_}")] if thing else []
            for map_, of in self.maps:
                key, _, kind = of.partition(" -> ")
                places += [(f"{map_}[{v}]", kind, map_) for v, t in scope if t == key]
            place, kind, whole = r.choice(places)
            if whole not in written:
                written.add(whole)
                out.append(self.write(place, kind, scope))
        if self.stack and r.random() < 0.6:
            numbers = [v for v, t in scope if t == "0..3"]
            chip = f"Chip({r.choice([*numbers, str(r.randint(0, 3))])}, {r.choice(['yes', 'no'])})"
            out.append(f"  stack gains {chip} when size < {self.stack}")
        if r.random() < 0.3:
            entity = r.choice(list(self.fields))
            field_, kind = r.choice(self.fields[entity])
            if f"{entity}.{field_}" not in written:
                where = self.condition([*scope, ("z", entity)], 1)
                out.append(
                    f"  for each z in {entity} where {where}: {self.write(f'z.{field_}', kind, []).strip()}"
                )
                if " when " in out[-1]:
                    out.pop()
        return out if len(out) > 1 else [*out, f"  {self.write(*self.own[0], scope).strip()}"]

    def write(self, place: str, kind: str, scope: Scope) -> str:
        """One field set; what is counted up or down stays within its range."""
        r = self.r
        guard = f" when {self.condition(scope, 1)}" if r.random() < 0.5 else ""
        match kind:
            case "bool":
                value = r.choice(["yes", "no", f"not {place}"])
            case "Mode":
                value = r.choice(["idle", "open", "done"])
            case "Guest?":
                value = r.choice([*(v for v, t in scope if t == "Guest"), "absent"])
            case _:
                top = int(kind[3:])
                way = r.random()
                if way < 0.3:
                    return f"  {place} = {place} + 1 when {place} < {top}"
                if way < 0.45:
                    return f"  {place} = {place} - 1 when {place} > 0"
                value = f"({place} + 1) mod {top + 1}" if way < 0.6 else str(r.randint(0, top))
        return f"  {place} = {value}{guard}"

    # -------------------------------------------------------------------------------------------- rules
    def decision(self) -> list[str]:
        r = self.r
        of = r.choice(["Seat", "Guest", None])
        scope: Scope = [("s", of)] if of else []
        call = "verdict(s)" if of else "verdict"
        out = ['rule 5.1 "each player shall make a wager"']
        out += [
            f"  decision verdict{f'(s: {of})' if of else ''}: Verdict",
            f"  asked {call} when {self.condition(scope, 1)}",
        ]
        for address in ANSWERS[: r.randint(1, 3)]:
            out.append(f'rule {address} "{words(address)}"')
            out.append(f"  {call} = {r.choice(['win', 'lose', 'off'])} when {self.condition(scope)}")
            if address != ANSWERS[0] and r.random() < 0.25:
                out.append(f"  except {ANSWERS[0]}")
        return out

    def norm(self) -> str:
        r = self.r
        name, params = r.choice(self.events)
        role = r.choice(["guest", "keeper", "guest | keeper"])
        form = r.random()
        if form < 0.75:
            named = [(f"w_{a}", t) for a, t in params if r.random() < 0.6]
            condition = self.condition(named, 2 if form < 0.55 else 1)
            used = {v for v, _ in named if re.search(rf"\b{v}\b", condition)}
            parts = [f"w_{a}" if f"w_{a}" in used else "any" for a, _ in params]
            act = f"{name}({', '.join(parts)})" if parts else name
            return f"  {role} {'must not' if form < 0.55 else 'may'} {act} when {condition}"
        other, others = r.choice([*self.events, ("leave", ())])
        deadline = r.choice([f"before {other}{_any(others)}", "by end of trip", "at once"])
        return f"  {role} must {name}{_any(params)} {deadline} when {self.condition([], 1)}"

    def asked(self) -> list[str]:
        """What may or may not hold."""
        out: list[str] = []
        for i in range(4):
            out += [f'invariant held_{i} "What may hold"', f"  {self.condition([])}"]
        for i in range(2):
            entity, v = self.r.choice(list(self.fields)), self.variable()
            out += [f'invariant each_{i} "What may hold of each"']
            out += [f"  every {v} in {entity}: {self.condition([(v, entity)], 1)}"]
        entity = self.r.choice(list(self.fields))
        known: Scope = [("t", entity)]
        out += ['theorem asked "What may hold of any"']
        out += [f"  for all t: {entity} where {self.condition(known, 1)}: {self.condition(known, 1)}"]
        return [*out, "reachable met", f"  {self.condition([])}"]


def _any(params: tuple[tuple[str, str], ...]) -> str:
    return f"({', '.join(['any'] * len(params))})" if params else ""


def any_of(
    name: str, params: tuple[tuple[str, str], ...], known: Mapping[str, str] = MappingProxyType({})
) -> str:
    """An event with anything for its parameters, but for those whose type is known by a name."""
    return f"{name}({', '.join(known.get(t, 'any') for _, t in params)})" if params else name


def _declared(name: str, kind: str) -> str:
    return f"{name}: {kind}" + (" = idle" if kind == "Mode" else "")


def little(seed: int) -> str:
    """The text of a ruleset, the same for the same seed."""
    return Author(Random(seed)).text(seed)
