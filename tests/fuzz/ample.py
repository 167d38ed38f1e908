"""Little rulesets with more in them: what `little.py` leaves out, laid over what it makes.

Options and what they require, amounts and what events claim of them, exceptions of every spelling, several deadlines,
history since an event, optional numbers, records and references, sets, lists read by number, lives that overlap; and
layers over all that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from random import Random

from little import CLAUSES, LAW, Author, Scope, any_of, words

OPTIONS = {"cap": "1..3", "few": "{0, 2}", "way": "Mode", "lax": "bool", "fine": "money"}
KINDS = ("Small?", "Chip?", "Seat?", "money", "Mode?")
EDGES = ("except", "subject to", "unless")
BACK = ("notwithstanding", "overrides")


@dataclass
class Rich(Author):
    """One ruleset in the making, with more in it."""

    options: dict[str, str] = field(default_factory=dict)
    """Those declared, by name, each with its type; read only where `legal`."""
    legal: bool = False
    read: list[str] = field(default_factory=list)
    """Conditions on decisions, with `{s}` for the thing decided about; what decides reads none."""
    crowd: bool = False
    breaches: list[str] = field(default_factory=list)
    """Rules of which one may ask whether they have been broken."""

    # -------------------------------------------------------------------------------------------- expressions
    def condition(self, scope: Scope, deep: int = 2) -> str:
        if self.r.random() < 0.3:
            found = [kind for kind in self.more(scope, deep) if kind]
            if found:
                return self.r.choice(found)
        return super().condition(scope, deep)

    def more(self, scope: Scope, deep: int) -> list[str]:
        """Conditions that only rich rulesets have."""
        r, v = self.r, self.variable()
        sign, n = r.choice(["=", "!=", "<", ">="]), r.randint(0, 3)
        found = [self.since(scope)]
        if deep:
            one, two = self.condition(scope, 0), self.condition(scope, 0)
            found.append(f"(if {self.condition(scope, 0)} then {one} else {two})")
        for place in self.fields_of("Small?", scope):
            found += [f"{place} {sign} {n}", f"{place} exists and {place} {sign} {n}", f"{place} + 1 > {n}"]
        for place in self.fields_of("Mode?", scope):
            found += [f"{place} {r.choice(['=', '!='])} open", f"{place} does not exist"]
        for place in self.fields_of("Chip?", scope):
            found += [f"{place} = Chip({n}, yes)", f"{place}.worth {sign} {n}", f"{place}.hot"]
        for place in self.fields_of("Seat?", scope):
            name, kind = r.choice(self.fields["Seat"])
            test = {"bool": "", "Mode": " = open", "money": " >= 2"}.get(
                kind, f" {sign} {n}" if kind[0] == "0" else ""
            )
            found.append(f"{place} exists" if not test and kind != "bool" else f"{place}.{name}{test}")
        for place in self.fields_of("money", scope):
            found += [f"{place} {sign} {n}", f"{place} * 3 to 2 >= {n}"]
        if self.crowd:
            found += [f"{g} in crowd" for g, t in scope if t == "Guest"]
            found += [f"number of ({v} in Guest where {v} in crowd) {sign} {n}"]
            found += [f"({r.choice(['some', 'every', 'none'])} {v} in Guest: {v} in crowd)"]
        if self.stack:
            found += [f"(the {r.choice(['first', 'last'])} ({v} in stack where {v}.hot)).worth {sign} {n}"]
            found += [f"{r.choice(['least', 'greatest'])} ({v}.worth for {v} in stack) {sign} {n}"]
        for place in [p for p, t in scope if t == "Seat"] if self.pile else []:
            found += [
                f"{place} has {n} chips or more",
                f"{place} has 2 chips or more and {place}.chips[2].hot",
                f"{place} has 1 chip",
                f"some {v} in {place}.chips: {v}.hot",
            ]
        if self.legal:
            found += [self.option(name, kind) for name, kind in self.options.items()]
            found += [
                told.format(s=s) for told in self.read for s in self.seats(scope) if s or "{s}" not in told
            ]
            found += [f"rule {rule} has been broken this trip" for rule in self.breaches]
        return [f"({one})" for one in found if one]

    def seats(self, scope: Scope) -> list[str]:
        return [v for v, t in scope if t == "Seat"] + [f"Seat({v})" for v, t in scope if t == "Guest"] or [""]

    def option(self, name: str, kind: str) -> str:
        match kind:
            case "bool":
                return self.r.choice([name, f"not {name}"])
            case "Mode":
                return f"{name} {self.r.choice(['=', '!='])} {self.r.choice(['idle', 'open', 'done'])}"
            case "money":
                return f"{name} >= {self.r.randint(0, 3)}"
            case _:
                return f"{self.number([], 0)} {self.r.choice(['<', '>=', '='])} {name}"

    def since(self, scope: Scope) -> str:
        """What has happened since something else has, or for whom."""
        if not self.events:
            return ""
        name, params = self.r.choice(self.events)
        other = self.r.choice([*self.events, ("leave", ())])
        known = {kind: v for v, kind in scope if not v.startswith("q")}
        args = [known.get(t, "any") if self.r.random() < 0.7 else "any" for _, t in params]
        act = f"{name}({', '.join(args)})" if params else name
        keyed = [known[t] for t in args if t in known]
        again = [(keyed or ["any"])[0] if t == "Guest" and "who" in args else "any" for _, t in other[1]]
        after = f"since {other[0]}({', '.join(again)})" if other[1] else f"since {other[0]}"
        within = self.r.choice([after, after, "this trip", "this season"])
        return self.r.choice(
            [f"{act} has happened {within}", f"number of ({act} {within}) >= {self.r.randint(1, 2)}"]
        )

    def write(self, place: str, kind: str, scope: Scope) -> str:
        r = self.r
        guard = f" when {self.condition(scope, 1)}" if r.random() < 0.5 else ""
        match kind:
            case "Small?":
                known = [
                    *self.fields_of("0..3", scope),
                    *self.fields_of("Small?", scope),
                    str(r.randint(0, 3)),
                ]
                return f"  {place} = {r.choice([*known, 'absent'])}{guard}"
            case "Mode?":
                return f"  {place} = {r.choice(['idle', 'open', 'absent'])}{guard}"
            case "Chip?":
                number = r.choice([*(v for v, t in scope if t == "0..3"), str(r.randint(0, 3))])
                return f"  {place} = {r.choice([f'Chip({number}, yes)', 'Chip(1, no)', 'absent'])}{guard}"
            case "Seat?":
                return f"  {place} = {r.choice([self.thing('Seat', scope) or 'absent', 'absent'])}{guard}"
            case "money":
                paid = [v for v, t in scope if t == "money"]
                more = [f"{place} + {p}" for p in paid]
                return f"  {place} = {r.choice([*paid, *more, str(r.randint(0, 4))])}{guard}"
            case "0..3" if r.random() < 0.25 and (lent := self.fields_of("Small?", scope)):
                return f"  {place} = {r.choice(lent)}{guard}"
            case _:
                return super().write(place, kind, scope)

    # -------------------------------------------------------------------------------------------- declarations
    def kind(self) -> str:
        return self.r.choice(KINDS) if self.r.random() < 0.35 else super().kind()

    def lives(self) -> list[str]:
        found = super().lives()
        if self.r.random() < 0.4:
            start, end = self.r.choice([("board", "pay"), ("pay", "board"), ("board", "board")])
            found.append(f"life spell{f' begins {start}' if self.r.random() < 0.5 else ''} ends {end}")
        return found

    def state(self) -> list[str]:
        r = self.r
        self.crowd, self.pile = r.random() < 0.4, r.random() < 0.3
        out = super().state()
        out += ["state trip", "  crowd: set of Guest"] if self.crowd else []
        if any(line.startswith("life spell") for line in self.lived):
            self.own.append(("z0", r.choice(["bool", "0..3", "Small?"])))
            out += ["state spell", f"  z0: {self.own[-1][1]}"]
        return out

    def mechanics(self, name: str, params: tuple[tuple[str, str], ...]) -> list[str]:
        out = super().mechanics(name, params)
        scope = [(f"v_{a}", t) for a, t in params]
        guests = [v for v, t in scope if t == "Guest"]
        if self.crowd and guests and self.r.random() < 0.6:
            out.append(f"  crowd gains {guests[0]}")
        if self.pile and (thing := self.thing("Seat", scope)) and self.r.random() < 0.6:
            out.append(f"  {thing}.chips gains Chip({self.r.randint(0, 3)}, {self.r.choice(['yes', 'no'])})")
        return out

    def settled(self) -> list[str]:
        """An event that claims what is decided, and moves money."""
        if not self.price:
            return []
        claim = self.r.choice(
            ["amount = price(s)", "verdict(s) = win and amount = price(s)", "verdict(s) != lose"]
        )
        claim = claim if "verdict(s)" in "".join(self.read) or "verdict" not in claim else "amount = price(s)"
        return [
            "event settle(s: Seat, amount: money) by keeper",
            f"  claims {claim}",
            "  moves amount from house to s.guest due price(s)",
        ]

    # -------------------------------------------------------------------------------------------- rules
    price: bool = False

    def rules(self) -> list[str]:
        self.legal = True
        out = self.decision() if self.r.random() < 0.8 else []
        several = CLAUSES[: self.r.randint(1, 4)]
        told: list[str] = []
        for at, address in enumerate(several):
            told += [f'rule {address} "{words(address)}"', *self.edge(several, at), self.norm()]
            self.breaches += [address] if self.r.random() < 0.2 else []
        opened = [f"  option {name}: {kind}{self.default(kind)}" for name, kind in self.options.items()]
        if "cap" in self.options and "lax" in self.options:
            opened.append("  require cap > 1 when lax")
        if opened:
            opened.insert(0, f'rule 4.1 "{words("4.1")}"')
        self.legal = False
        return [*opened, *out, *told]

    def default(self, kind: str) -> str:
        first = {"1..3": "2", "{0, 2}": "2", "Mode": "open", "bool": "no", "money": "1"}[kind]
        return f" = {first}" if self.r.random() < 0.3 else ""

    def edge(self, several: tuple[str, ...], at: int) -> list[str]:
        """Exceptions to a rule, from those that stand below it, so that none goes in a circle."""
        found: list[str] = []
        for other in several[at + 1 :]:
            if self.r.random() < 0.3:
                found.append(f"  {self.r.choice(EDGES)} {other}")
        for other in several[:at]:
            if self.r.random() < 0.15:
                found.append(f"  {self.r.choice(BACK)} {other}")
        return found

    def decision(self) -> list[str]:
        out = super().decision()
        call = re.search(r"asked (verdict\S*)", out[2])
        assert call is not None
        told = [line for line in out if line.startswith("rule 5.1(")]
        plain = self.r.random() < 0.3
        if plain and len(told) > 1 and "except" not in out[-1]:
            out[-1] = re.sub(r" when .*", " otherwise", out[-1])
        for line in told[1:] if not plain else ():
            at = out.index(line) + 1
            other = self.r.choice(["5.1(a)", "5.1(a)", "5.1(b)"])
            here = re.search(r"5\.1\(.\)", line)
            assert here is not None
            if other < here[0] and "except" not in "".join(out[at : at + 2]):
                out.insert(at, f"  {self.r.choice([*EDGES, *BACK])} {other}")
        by_seat = "(s: Guest)" not in out[1]
        self.read = (
            [f"{call[1].replace('(s)', '({s})')} = {self.r.choice(['win', 'lose', 'off'])}"]
            if by_seat
            else []
        )
        if self.r.random() < 0.5:
            self.price = True
            paid = [*self.fields_of("money", [("s", "Seat")]), *(["fine"] if "fine" in self.options else [])]
            amount = self.r.choice([*paid, "2"])
            odds = "" if amount == "2" else self.r.choice(["", " * 3 to 2", " * rate"])
            out += [f'rule 5.4 "{words("5.4")}"', "  decision price(s: Seat): money"]
            out += (
                ["  decision rate: odds", "  rate = 2 to 1 when " + self.condition([], 0)]
                if "rate" in odds
                else []
            )
            out.append(
                f"  price(s) = {amount}{odds}"
                + (f" when {self.condition([('s', 'Seat')], 1)}" if self.r.random() < 0.4 else "")
            )
            self.read.append(f"price({{s}}) >= {self.r.randint(0, 3)}")
        return out

    def norm(self) -> str:
        r = self.r
        if r.random() < 0.55:
            line = super().norm()
            _, must_not, _ = line.partition(" must not ")
            if (must_not or " may " in line) and r.random() < 0.2:
                line += f" and after({self.condition([], 1)})"
            return line
        role = r.choice(["guest", "keeper", "guest | keeper"])
        acts = [r.choice(self.events) for _ in range(r.choice([1, 1, 2]))]
        ends = [r.choice([*self.events, ("leave", ())]) for _ in range(r.choice([1, 1, 2]))]
        entity, name = r.choice([("Guest", "w"), ("Seat", "w"), ("Place", "w"), ("", "")])
        of = entity if entity and any(t == entity for _, params in acts for _, t in params) else ""
        act = " or ".join(any_of(a, p, {of: name}) for a, p in acts)
        scope: Scope = [(name, of)] if of else []
        end = any_of(*ends[0], {of: name} if r.random() < 0.5 else {})
        more = " or ".join([end, *(any_of(*e) for e in ends[1:])])
        deadline = r.choice(
            [f"before {more}", "by end of trip", "by end of season", "at once", f"immediately after {end}"]
        )
        if of and not all(f"{name}" in one for one in re.findall(r"\w+\(([^)]*)\)", act)):
            deadline = r.choice(["by end of trip", f"before {more}"])
        condition = self.condition(scope, 1)
        if of and not re.search(rf"\b{name}\b", condition):
            condition = f"{condition} and {self.about(name, of)}"
        return f"  {role} must {act} {deadline} when {condition}"

    def about(self, name: str, of: str) -> str:
        """A condition that reads a variable of a type."""
        flags = self.fields_of("bool", [(name, of)])
        flags = [flag for flag in flags if re.search(rf"\b{name}\b", flag)]
        return self.r.choice([*flags, f"{name} = {name}"])


def rich(seed: int) -> str:
    """The text of a ruleset, the same for the same seed."""
    r = Random(f"rich {seed}")
    author = Rich(r)
    author.options = {name: kind for name, kind in OPTIONS.items() if r.random() < 0.3}
    return author.text(seed)


def layer(seed: int) -> tuple[str, str]:
    """The texts of a ruleset, and of one that is laid over it."""
    r = Random(f"layer {seed}")
    author = Rich(r)
    author.options = {name: kind for name, kind in OPTIONS.items() if r.random() < 0.2}
    base = author.text(seed)
    without = re.findall(r"^rule (6\.\d|5\.[23]) ", base, re.MULTILINE)
    out = [
        f"ruleset little/l{seed} extends little/r{seed}"
        + (f", disapplying {r.choice(without)}" if r.random() < 0.6 else "")
    ]
    out += [f"law {LAW}"]
    author.legal, author.breaches = True, []
    if author.read and r.random() < 0.5:
        call = re.search(r"asked (verdict\S*)", base)
        assert call is not None
        scope: Scope = [("s", "Seat")] if call[1] == "verdict(s)" and "verdict(s: Seat)" in base else []
        author.read = []
        told = author.condition(scope, 1)
        out += [f'rule 5.1(b) "{words("5.1(b)")}"', f"  {call[1]} = {r.choice(['win', 'lose'])} when {told}"]
    for address in r.sample(CLAUSES, r.randint(1, 2)):
        out += [f'rule {address} "{words(address)}"', author.norm()]
    author.legal = False
    return base, "\n".join([*out, *author.asked(), ""])
