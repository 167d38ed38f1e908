"""Core terms, acts and norms printed in the surface of the rule language, with no more brackets than it needs.

What is printed parses and elaborates to the term it was printed from, up to the names of bound variables,
conjunctions nested in conjunctions, and `until`, which is printed as what it stands for. Two things have no
surface and are printed for readers only: a reference or a record put in for a variable (as a log writes it),
and `5.1(c) applies`, the core's question whether a rule applies. Variables that stand for an event's
parameters are printed without their prefix.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.domains import HIDDEN
from verifier.model.rewrite import map_children, substitute
from verifier.model.ruleset import Act, Contribution, Deadline, Function, Norm, Ruleset, Unit, named
from verifier.model.terms import Term, free_variables
from verifier.model.types import INT, Type
from verifier.model.values import House, Partial, show

EVENT_MARK = "@"
APPLIES = "applies "

OTHERWISE = " otherwise"
"""A norm's id with this is that of the prohibition to end what it demands otherwise."""
"""What the core's functions that ask whether a rule applies are called, before the rule's name."""

OPEN, OR, AND, NOT, TEST, SUM, PRODUCT, UNARY, POSTFIX = range(9)
"""How tightly a construct binds; `OPEN` reaches as far to the right as it can (quantifiers, `if`)."""


@dataclass(frozen=True, slots=True)
class Names:
    """What printing needs of a ruleset: the ruleset, and which defines are sets."""

    ruleset: Ruleset
    sets: frozenset[str]


def names_of(ruleset: Ruleset) -> Names:
    """The names of `ruleset`."""
    texts = {source.path: source.text.splitlines() for source in ruleset.sources}
    return Names(
        ruleset, frozenset(f.name for f in ruleset.functions.values() if _is_set(f, texts.get(f.place.file)))
    )


def _is_set(function: Function, lines: list[str] | None) -> bool:
    """A define of set type takes its element as a last parameter `it`; only its text tells it from a condition."""
    if not function.params or function.params[-1].name != "it" or function.type != ty.BOOL:
        return False
    if lines is None:
        return True
    place = function.place
    return ": set of" in " ".join(" ".join(lines[place.line - 1 : place.end_line]).split())


def show_term(term: Term, names: Names) -> str:
    """`term` as a rule would write it."""
    return _Printer(names).at(term, OPEN, True)


def show_conjunct(term: Term, names: Names) -> str:
    """`term` as it stands between other conjuncts."""
    return _Printer(names).at(term, NOT)


def fill(term: Term, values: Mapping[str, object], types: Mapping[str, Type]) -> Term:
    """`term` with values for free variables; parts of a value, and what is made of values, become values."""
    return _folded(substitute(term, {n: m.Lit(types[n], v) for n, v in values.items() if n in types}))


def _folded(term: Term) -> Term:
    found = map_children(term, _folded)
    match found:
        case m.Part(type=type_, of=m.Lit(value=tuple() as whole), index=index):
            part = whole[index]
            return found if isinstance(part, Partial) else m.Lit(type_, part)
        case m.Make(type=type_, parts=parts) if all(isinstance(p, m.Lit) for p in parts):
            return m.Lit(type_, tuple(p.value for p in parts if isinstance(p, m.Lit)))
        case _:
            return found


def cite(unit: str) -> str:
    """A unit's rule as one cites it: `11.4 with 5.1(b)` for `11.4 #2 with 5.1(b)`."""
    return re.sub(r" #[0-9]+", "", unit)


class _Printer:
    def __init__(self, names: Names) -> None:
        self.names = names

    def at(self, term: Term, level: int, open_end: bool = False) -> str:
        """`term` where something binding as `level` is wanted; `open_end` where an open construct may stand."""
        text, own = self._text(term, open_end)
        if own >= level or (own == OPEN and open_end):
            return text
        return f"({self._text(term, True)[0]})"

    def _text(self, term: Term, open_end: bool) -> tuple[str, int]:
        member = self._member(term)
        if member is not None:
            return f"{self.at(member[0], SUM)} in {member[1]}", TEST
        match term:
            case m.Lit(type=type_, value=value):
                return _literal(type_, value)
            case m.Var(name=name):
                return name.removeprefix(EVENT_MARK), POSTFIX
            case m.Get(name=name, key=None) | m.OptionGet(name=name):
                return name, POSTFIX
            case m.Get(name=name, key=key) if key is not None:
                return f"{name}[{self.at(key, OPEN, True)}]", POSTFIX
            case m.Field(name=name, of=of):
                return f"{self.at(of, POSTFIX)}.{name}", POSTFIX
            case m.Part(of=of, index=index):
                return f"{self.at(of, POSTFIX)}.{_part_name(of.type, index)}", POSTFIX
            case m.Make(type=type_, parts=parts):
                return f"{type_}({self._list(parts)})", POSTFIX
            case m.CallF(function=name) if name.startswith(APPLIES):
                return f"{self._asked(name)} applies", TEST
            case m.CallF(function=name, args=args) | m.Decide(decision=name, args=args):
                return (f"{name}({self._list(args)})" if args else name), POSTFIX
            case m.ArithT():
                return self._arithmetic(term)
            case m.CompareT():
                return self._comparison(term), TEST
            case m.AndT(items=items):
                return self._joined(self._conjuncts(items), " and ", NOT, AND, open_end)
            case m.OrT(items=items):
                return self._joined(self._disjuncts(items), " or ", AND, OR, open_end)
            case m.NotT(of=of):
                return self._negation(of)
            case m.Ite(condition=condition, then=then, otherwise=otherwise):
                return (
                    f"if {self.at(condition, OR)} then {self.at(then, OR)} "
                    f"else {self.at(otherwise, OPEN, True)}",
                    OPEN,
                )
            case m.Quant():
                return self._quantifier(term, term.kind)
            case m.Fold() | m.Pick():
                return self._collected(term), POSTFIX
            case m.Length(list=list_):
                return f"the length of {self.at(list_, POSTFIX)}", SUM
            case m.At(list=list_, index=index):
                return f"{self.at(list_, POSTFIX)}[{self.at(index, OPEN, True)}]", POSTFIX
            case m.Present(of=of):
                return f"{self.at(of, SUM)} exists", TEST
            case m.Force(of=of):
                return self._text(of, open_end)
            case m.TableT(of=of, rows=rows):
                lines = "; ".join(f"{_literal(of.type, key)[0]}: {self.at(v, SUM)}" for key, v in rows)
                return f"table ({self.at(of, OPEN, True)}) {{ {lines} }}", POSTFIX
            case m.Count(latch=latch, keys=keys):
                event, scope = self.history(latch, keys)
                return f"number of ({event} {scope})", POSTFIX
            case m.BrokenT(latch=latch):
                return self._broken(latch), TEST
            case m.AfterT(of=of):
                return f"after({self.at(of, OPEN, True)})", POSTFIX
            case _:
                raise AssertionError(term)

    def _asked(self, function: str) -> str:
        """The rule of which a function of the core asks whether it applies (`applies 5.1 #1`, `… to deal`)."""
        unit, _, event = function.removeprefix(APPLIES).rpartition(" to ")
        unit = unit.removesuffix(OTHERWISE)
        return cite(unit if unit and event in self.names.ruleset.events else function.removeprefix(APPLIES))

    def _list(self, items: tuple[Term, ...]) -> str:
        return ", ".join(self.at(item, SUM) for item in items)

    # ----------------------------------------------------------------------- arithmetic, comparison, logic
    def _arithmetic(self, term: m.ArithT) -> tuple[str, int]:
        left, right = term.left, term.right
        zero = ty.IntT(0, 0) if isinstance(right.type, ty.IntT) else right.type
        if term.op == "-" and left == m.Lit(zero, 0):
            return f"-{self.at(right, UNARY)}", UNARY
        level = SUM if term.op in ("+", "-") else PRODUCT
        return f"{self.at(left, level)} {term.op} {self.at(right, level + 1)}", level

    def _comparison(self, term: m.CompareT) -> str:
        match term:
            case m.CompareT(
                left=m.Count(latch=latch, keys=keys), op=op, right=m.Lit(type=type_, value=n)
            ) if type_ == INT and (op, n) in ((">=", 1), ("=", 0)):
                event, scope = self.history(latch, keys)
                return f"{event} has {'' if n == 1 else 'not '}happened {scope}"
            case m.CompareT(op=("=" | ">=" | "<=") as op, left=m.Length(list=list_), right=m.Lit(value=n)):
                bound = {"=": "", ">=": " or more", "<=": " or fewer"}[op]
                owner, what = (list_.of, list_.name) if isinstance(list_, m.Field) else (list_, "elements")
                return f"{self.at(owner, POSTFIX)} has {_counted(what, n)}{bound}"
            case m.CompareT(op="=", left=m.ArithT(op="mod") as mod, right=m.Lit(type=type_, value=0)) if (
                type_ == mod.type
            ):
                return f"{self.at(mod.left, SUM)} is a multiple of {self.at(mod.right, SUM)}"
            case m.CompareT(op=op, left=left, right=right):
                return f"{self.at(left, SUM)} {op} {self.at(right, SUM)}"

    def _joined(
        self, items: list[Term | str], word: str, level: int, own: int, open_end: bool
    ) -> tuple[str, int]:
        """Terms, and tests already printed, joined by `and` or `or`."""
        if len(items) == 1:
            (only,) = items
            return (only, TEST) if isinstance(only, str) else self._text(only, open_end)
        last = len(items) - 1
        texts = [
            item if isinstance(item, str) else self.at(item, level, open_end and i == last)
            for i, item in enumerate(items)
        ]
        return word.join(texts), own

    def _conjuncts(self, items: tuple[Term, ...]) -> list[Term | str]:
        flat = _flat(items)
        found: list[Term | str] = []
        while flat:
            range_ = _in_range(flat[0], flat[1]) if len(flat) > 1 else None
            if range_ is None:
                found.append(flat.pop(0))
            else:
                found.append(f"{self.at(range_[0], SUM)} in {range_[1]}")
                del flat[:2]
        return found

    def _disjuncts(self, items: tuple[Term, ...]) -> list[Term | str]:
        found: list[Term | str] = []
        at = 0
        while at < len(items):
            run = _same_left(items[at:])
            if len(run) > 1:
                elements = self._elements(tuple(c.right for c in run))
                found.append(f"{self.at(run[0].left, SUM)} in {{{elements}}}")
                at += len(run)
            else:
                found.append(items[at])
                at += 1
        return found

    def _member(self, term: Term) -> tuple[Term, str] | None:
        """What is said to be in what, where a term says just that."""
        match term:
            case m.OrT(items=items):
                run = _same_left(items)
                if len(run) == len(items):
                    return run[0].left, f"{{{self._elements(tuple(c.right for c in run))}}}"
            case m.AndT(items=(low, high)):
                return _in_range(low, high)
            case m.Quant():
                element = _element_asked(term)
                return None if element is None else (element, self._domain(term.domain))
            case m.CallF(function=name, args=args) if name in self.names.sets:
                return args[-1], name if len(args) == 1 else f"{name}({self._list(args[:-1])})"
            case m.Get(name=name, key=key) if key is not None:
                if isinstance(self.names.ruleset.state[name].type, ty.SetT):
                    return key, name
            case _:
                pass
        return None

    def _negation(self, of: Term) -> tuple[str, int]:
        member = self._member(of)
        if member is not None:
            return f"{self.at(member[0], SUM)} not in {member[1]}", TEST
        match of:
            case m.Present(of=inner):
                return f"{self.at(inner, SUM)} does not exist", TEST
            case m.Quant(kind="some"):
                return self._quantifier(of, "none")
            case m.CompareT(left=m.Count(latch=latch, keys=keys), op=">=", right=m.Lit(type=type_, value=1)):
                if type_ == INT:
                    event, scope = self.history(latch, keys)
                    return f"{event} has not happened {scope}", TEST
            case m.CallF(function=name) if name.startswith(APPLIES):
                return f"{self._asked(name)} does not apply", TEST
            case _:
                pass
        return f"not {self.at(of, NOT)}", NOT

    # ------------------------------------------------------------------------------------------- domains
    def _quantifier(self, term: m.Quant, kind: str) -> tuple[str, int]:
        var, where, body = self._opened(term, term.body)
        assert body is not None
        return f"{kind} {var} in {where}: {self.at(body, OPEN, True)}", OPEN

    def _opened(self, term: m.Quant | m.Fold | m.Pick, body: Term | None) -> tuple[str, str, Term | None]:
        """The variable, its domain with what narrows it, and the body; a variable without surface gets a name."""
        var, where = term.var, term.where
        if not re.fullmatch(r"[a-z][a-z0-9_]*", var):
            taken = {n for x in (where, body) if x is not None for n in free_variables(x)}
            base = re.sub(r"^any |'.*$", "", var)
            fresh, number = base, 2
            while fresh in taken:
                fresh, number = f"{base}{number}", number + 1
            by = {var: m.Var(term.domain.type, fresh)}
            where = substitute(where, by) if where is not None else None
            body = substitute(body, by) if body is not None else None
            var = fresh
        set_, rest = self._set_of(where, var)
        text = set_ or self._domain(term.domain)
        return var, text if rest is None else f"{text} where {self.at(rest, OR)}", body

    def _set_of(self, where: Term | None, var: str) -> tuple[str | None, Term | None]:
        """The set that a domain was written as, and the rest of its condition."""
        first, rest = where, None
        if isinstance(where, m.AndT) and len(where.items) == 2:
            first, rest = where.items
        match first:
            case m.Get(name=name, key=m.Var(name=found)) if found == var:
                if isinstance(self.names.ruleset.state[name].type, ty.SetT):
                    return name, rest
            case m.CallF(function=name, args=(*others, m.Var(name=found))) if found == var:
                if name in self.names.sets and not any(var in free_variables(o) for o in others):
                    return (f"{name}({self._list(tuple(others))})" if others else name), rest
            case _:
                pass
        return None, where

    def _domain(self, domain: m.Domain) -> str:
        match domain:
            case m.OverEntity(entity=entity):
                return entity
            case m.OverIds(type=type_):
                return str(type_)
            case m.OverList(list=list_):
                return self.at(list_, POSTFIX)
            case m.OverValues(type=type_, values=values):
                if all(isinstance(v, m.Lit) and v.type == type_ for v in values) and [
                    v.value for v in values if isinstance(v, m.Lit)
                ] == ty.finite_values(type_):
                    match type_:
                        case ty.EnumT() | ty.RecordT() | ty.EntityT():
                            return str(type_)
                        case ty.IntT(name=name, low=low, high=high):
                            return name or f"{low}..{high}"
                        case _:
                            pass
                return f"{{{self._elements(values)}}}"

    def _elements(self, values: tuple[Term, ...]) -> str:
        """The elements of a set; neighbouring constants as a range where that is how they were written."""
        texts: list[str] = []
        at = 0
        while at < len(values):
            run = _run(values[at:])
            if run and (run[0].type == INT or len(run) > 3):
                texts.append(f"{self.at(run[0], SUM)}..{self.at(run[-1], SUM)}")
                at += len(run)
            else:
                texts.append(self.at(values[at], SUM))
                at += 1
        return ", ".join(texts)

    def _collected(self, term: m.Fold | m.Pick) -> str:
        var, domain, body = self._opened(term, term.body if isinstance(term, m.Fold) else None)
        match term.kind:
            case "number":
                return f"number of ({var} in {domain})"
            case "first" | "last":
                return f"the {term.kind} ({var} in {domain})"
            case "sum" | "least" | "greatest":
                assert body is not None
                return f"{term.kind} ({self.at(body, OR)} for {var} in {domain})"

    # ------------------------------------------------------------------------------------------- history
    def history(self, latch: int, keys: tuple[Term, ...]) -> tuple[str, str]:
        """An event's pattern and the stretch of time in which a latch counts it."""
        found = self.names.ruleset.latches[latch]
        given = {position: self.at(key, SUM) for position, key in zip(found.keys, keys, strict=True)}
        pattern = self._pattern(found.event, given, dict(found.fixed))
        if found.reset is None:
            return pattern, f"this {found.life}"
        links = {there: self.at(keys[position], SUM) for position, there in found.reset_keys}
        return pattern, f"since {self._pattern(found.reset, links, dict(found.reset_fixed))}"

    def _pattern(self, event: str, given: dict[int, str], fixed: dict[int, object]) -> str:
        if not given and not fixed:
            return event
        params = self.names.ruleset.events[event].params
        args = [
            given[i] if i in given else _made(p.type, fixed[i]) if i in fixed else "any"
            for i, p in enumerate(params)
        ]
        return f"{event}({', '.join(args)})"

    def _broken(self, latch: int) -> str:
        found = self.names.ruleset.breaches[latch]
        label = f" [{found.label}]" if found.label else ""
        scope = f"this {found.life}" if found.reset is None else f"since {found.reset}"
        return f"rule {named(found.base, found.address)}{label} has been broken {scope}"


def _literal(type_: Type, value: object) -> tuple[str, int]:
    match type_, value:
        case _, None:
            return "absent", POSTFIX
        case ty.OptT(of=of), _:
            return _literal(of, value)
        case ty.ListT(), ():
            return "empty", POSTFIX
        case ty.PartyT(), House():
            return "house", POSTFIX
        case ty.TextT(), str():
            return '"' + re.sub(r'(["\\])', r"\\\1", value) + '"', POSTFIX
        case ((ty.IntT() | ty.MoneyT()), int() | Fraction()):
            return str(value), POSTFIX if value >= 0 and not isinstance(value, Fraction) else UNARY
        case _:
            return show(type_, value), POSTFIX


def _made(type_: Type, value: object) -> str:
    """A constant of a pattern, as a rule can write it."""
    match type_, value:
        case ((ty.RecordT(fields=parts) | ty.EntityT(keys=parts)), tuple()):
            return f"{type_}({', '.join(_made(t, v) for (_, t), v in zip(parts, value, strict=True))})"
        case _:
            return _literal(type_, value)[0]


def _part_name(type_: Type, index: int) -> str:
    match type_.of if isinstance(type_, ty.OptT) else type_:
        case ty.RecordT(fields=parts) | ty.EntityT(keys=parts):
            return parts[index][0]
        case other:
            raise AssertionError(other)


def _counted(what: str, number: object) -> str:
    return f"1 {what.removesuffix('s')}" if number == 1 else f"{number} {what}"


def _flat(items: tuple[Term, ...]) -> list[Term]:
    """The conjuncts, those of conjunctions among them taken out."""
    return [x for item in items for x in (_flat(item.items) if isinstance(item, m.AndT) else [item])]


def _in_range(low: Term, high: Term) -> tuple[Term, str] | None:
    """What lies between two numbers, and the range, where two conjuncts say that."""
    match low, high:
        case (
            m.CompareT(op=">=", left=left, right=m.Lit(value=int(least))),
            m.CompareT(op="<=", left=other, right=m.Lit(value=int(most))),
        ) if left == other and isinstance(left.type, ty.IntT | ty.MoneyT) and 0 <= least <= most:
            return None if isinstance(left, m.Lit | m.Length | m.Count) else (left, f"{least}..{most}")
        case _:
            return None


def _same_left(items: tuple[Term, ...]) -> list[m.CompareT]:
    """The equations at the front that ask whether one and the same term is one of several."""
    run: list[m.CompareT] = []
    for item in items:
        if not isinstance(item, m.CompareT) or item.op != "=" or isinstance(item.left, m.Lit | m.Length):
            break
        if run and item.left != run[0].left:
            break
        run.append(item)
    return run


def _run(values: tuple[Term, ...]) -> list[m.Lit]:
    """The constants at the front that follow on each other, of one type."""
    run: list[m.Lit] = []
    for value in values:
        if not isinstance(value, m.Lit) or not isinstance(value.type, ty.IntT | ty.EnumT):
            break
        if run and (value.type != run[0].type or value.value != int(str(run[-1].value)) + 1):
            break
        run.append(value)
    return run


def _element_asked(term: m.Quant) -> Term | None:
    """What is asked to be in a list or among the entities, where the quantifier says just that."""
    match term:
        case m.Quant(
            kind="some", var=var, where=None, body=m.CompareT(op="=", left=m.Var(name=name), right=x)
        ):
            literal = isinstance(x, m.Lit) and not isinstance(term.domain, m.OverList)
            return None if literal or not var == name == HIDDEN else x
        case _:
            return None


# ------------------------------------------------------------------------------------------- acts and norms
def show_act(act: Act, names: Names) -> str:
    """An act as a rule writes it: `deal(dealer, any)`."""
    if not act.slots:
        return act.event
    printer = _Printer(names)
    args = []
    for slot in act.slots:
        text = slot.variable or ("any" if slot.equals is None else printer.at(slot.equals, SUM))
        args.append(text if slot.where is None else f"{text} where {printer.at(slot.where, OR)}")
    return f"{act.event}({', '.join(args)})"


def show_deadline(deadline: Deadline, names: Names) -> str:
    """A duty's deadline in words: `before deal(any, any)`."""
    match deadline.kind:
        case "at once":
            return "at once"
        case "by end of":
            return f"by end of {deadline.life}"
        case "before" | "immediately after":
            return f"{deadline.kind} {' or '.join(show_act(act, names) for act in deadline.acts)}"


def show_unit(unit: Unit, names: Names) -> str:
    """What a unit says, without its condition: `outcome(w, d) = win`, `dealer must shuffle at once`."""
    match unit:
        case Contribution(decision=decision, variables=variables, value=value):
            head = f"{decision}({', '.join(v.name for v in variables)})" if variables else decision
            return f"{head} = {_Printer(names).at(value, SUM)}"
        case Norm(roles=roles, force=force, acts=acts, deadline=deadline):
            ends = "" if deadline is None else " " + show_deadline(deadline, names)
            return f"{' | '.join(roles)} {force} {' or '.join(show_act(act, names) for act in acts)}{ends}"
