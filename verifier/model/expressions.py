"""Expressions of the syntax tree to typed core terms: names bound, literals read by their type, guards checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from verifier.errors import RuleTextError
from verifier.model import domains
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.history import breach_latch
from verifier.model.scope import Source, World, call, nearest
from verifier.model.terms import Term
from verifier.model.types import BOOL, INT, MONEY, ODDS, PARTY, TEXT, Type
from verifier.model.values import HOUSE
from verifier.syntax import tree as t


@dataclass(frozen=True, slots=True)
class Env:
    """Where an expression stands: the file, what is declared, the variables in sight, the guards in force.

    `guards` are (list, n): the list is known to hold n elements or more.
    """

    source: Source
    world: World
    variables: Mapping[str, Type] = field(default_factory=dict)
    guards: frozenset[tuple[Term, int]] = frozenset()
    mechanics: bool = False

    def bind(self, name: str, type_: Type) -> Env:
        return replace(self, variables={**self.variables, name: type_})

    def guarded(self, *conditions: Term | None) -> Env:
        found = {guard for condition in conditions if condition for guard in guards_of(condition)}
        return replace(self, guards=self.guards | found) if found else self

    def error(self, at: t.At, message: str, code: str, help: str | None = None) -> RuleTextError:
        return self.source.error(at, message, code, help)


def guards_of(condition: Term) -> set[tuple[Term, int]]:
    """The lists whose least length the conjuncts of `condition` state."""
    match condition:
        case m.AndT(items=items):
            return {guard for item in items for guard in guards_of(item)}
        case m.CompareT(op="=" | ">=", left=m.Length(list=list_), right=m.Lit(value=int(n))):
            return {(list_, n)}
        case _:
            return set()


def elaborate(expr: t.Expr, env: Env, expected: Type | None = None) -> Term:
    """A typed term for `expr`; where `expected` is given the term fits it, or `RuleTextError` says why not."""
    term = read(expr, env, expected)
    if expected is not None and isinstance(term.type, ty.OptT) and not isinstance(expected, ty.OptT):
        term = forced(term)
    if expected is not None and not ty.fits(term.type, expected):
        raise env.error(
            expr.at,
            f"this is {article(term.type)}, where {article(expected)} is expected",
            "type-mismatch",
            _suggest_type(expected),
        )
    return term


def forced(term: Term) -> Term:
    """The value that an optional holds, where the value itself is wanted."""
    return m.Force(term.type.of, term) if isinstance(term.type, ty.OptT) else term


def condition(expr: t.Expr, env: Env) -> Term:
    """`expr` as a condition."""
    return elaborate(expr, env, BOOL)


def article(type_: Type) -> str:
    """A type with its article, for messages."""
    return (
        f"a {type_}"
        if isinstance(type_, ty.EnumT | ty.RecordT | ty.EntityT | ty.IdT | ty.OptT)
        else str(type_)
    )


def _suggest_type(expected: Type) -> str | None:
    match expected:
        case ty.EnumT(values=values):
            return "expected one of: " + ", ".join(values)
        case ty.BoolT():
            return "write a condition, or `yes` or `no`"
        case _:
            return None


def read(expr: t.Expr, env: Env, expected: Type | None) -> Term:
    """A term for `expr`, read in the light of `expected` but not checked against it."""
    match expr:
        case t.Int(value=value, at=at):
            return _integer(value, at, env, expected)
        case t.OddsLiteral(paid=paid, staked=staked):
            return m.Lit(ODDS, Fraction(paid, staked))
        case t.Bool(value=value):
            return m.Lit(BOOL, value)
        case t.Text(value=value):
            return m.Lit(TEXT, value)
        case t.Name(at=at, name=name):
            return _name(name, at, env, expected)
        case t.Call(at=at, name=name, args=args):
            return _call(name, args, at, env)
        case t.Construct(at=at, name=name, args=args):
            return _construct(name, args, at, env)
        case t.Attr(at=at, of=of, name=name):
            return _attribute(read(of, env, None), name, at, env)
        case t.Index(at=at, of=of, index=index):
            return _index(read(of, env, None), index, at, env)
        case t.Arith(op=op, left=left, right=right, at=at):
            return _arithmetic(op, left, right, at, env)
        case t.Negate(of=of):
            term = forced(read(of, env, None))
            if not ty.numeric(term.type):
                raise env.error(
                    expr.at, f"this is {article(term.type)}, where a number is expected", "type-mismatch"
                )
            zero = m.Lit(ty.IntT(0, 0) if isinstance(term.type, ty.IntT) else term.type, 0)
            return m.ArithT(_result("-", zero, term, expr.at, env), "-", zero, term)
        case t.Compare(op=op, left=left, right=right, at=at):
            return _compare(op, left, right, at, env)
        case t.And():
            return _conjunction(expr, env)
        case t.Or(left=left, right=right):
            sides = [condition(side, env) for side in (left, right)]
            return m.OrT(
                BOOL, tuple(x for side in sides for x in (side.items if isinstance(side, m.OrT) else (side,)))
            )
        case t.Not(of=of):
            return m.NotT(BOOL, condition(of, env))
        case t.If(condition=test, then=then, otherwise=otherwise):
            chosen = condition(test, env)
            first = elaborate(then, env.guarded(chosen), expected)
            wanted = expected or (INT if isinstance(first.type, ty.IntT) else first.type)
            second = elaborate(otherwise, env, wanted)
            return m.Ite(_joined(first.type, second.type), chosen, first, second)
        case t.Quantified():
            return domains.quantified(expr, env)
        case t.Aggregate():
            return domains.aggregate(expr, env, expected)
        case t.Member(of=of, domain=dom, negated=negated, at=at):
            inside = domains.member(of, dom, at, env)
            return m.NotT(BOOL, inside) if negated else inside
        case t.Exists(of=of, negated=negated, at=at):
            term = read(of, env, None)
            if not isinstance(term.type, ty.OptT):
                raise env.error(
                    at,
                    f"{article(term.type)} always exists",
                    "type-mismatch",
                    "`exists` is asked of optional values (`T?`) only",
                )
            present = m.Present(BOOL, term)
            return m.NotT(BOOL, present) if negated else present
        case t.Has(of=of, count=count, what=what, bound=bound, at=at):
            return _has(of, count, what, bound, at, env)
        case t.Happened(event=event, scope=scope, negated=negated, at=at):
            happened = m.CompareT(BOOL, ">=", domains.times(event, scope, at, env), m.Lit(INT, 1))
            return m.NotT(BOOL, happened) if negated else happened
        case t.Times(event=event, scope=scope, at=at):
            return domains.times(event, scope, at, env)
        case t.Broken(clause=clause, scope=scope, at=at):
            return m.BrokenT(BOOL, breach_latch(clause, scope, at, env.source, env.world))
        case t.MultipleOf(left=left, right=right, at=at):
            whole = _arithmetic("mod", left, right, at, env)
            return m.CompareT(BOOL, "=", whole, m.Lit(whole.type, 0))
        case t.After(of=of):
            inner = read(of, env, expected)
            return m.AfterT(inner.type, inner)
        case t.Table(of=of, rows=rows, at=at):
            return domains.table(of, rows, at, env, expected)


# ------------------------------------------------------------------------------------------------- literals
def _integer(value: int, at: t.At, env: Env, expected: Type | None) -> Term:
    wanted = expected.of if isinstance(expected, ty.OptT) else expected
    match wanted:
        case ty.EnumT(values=values):
            if str(value) not in values:
                raise env.error(
                    at,
                    f"{value} is no value of {wanted}",
                    "type-mismatch",
                    "expected one of: " + ", ".join(values),
                )
            return m.Lit(wanted, values.index(str(value)))
        case ty.MoneyT():
            return m.Lit(MONEY, value)
        case ty.IntT(low=low, high=high) if low is not None and high is not None and not low <= value <= high:
            raise env.error(
                at,
                f"{value} is outside {low}..{high}",
                "out-of-range",
                f"expected a number from {low} to {high}",
            )
        case _:
            return m.Lit(ty.IntT(value, value), value)


def _name(name: str, at: t.At, env: Env, expected: Type | None) -> Term:
    wanted = expected.of if isinstance(expected, ty.OptT) else expected
    if name in env.variables:
        return m.Var(env.variables[name], name)
    if isinstance(wanted, ty.EnumT) and name in wanted.values:
        return m.Lit(wanted, wanted.values.index(name))
    if isinstance(wanted, ty.PartyT) and name == "house":
        return m.Lit(PARTY, HOUSE)
    if isinstance(expected, ty.OptT) and name == "absent":
        return m.Lit(expected, None)
    if isinstance(expected, ty.ListT) and name == "empty":
        return m.Lit(expected, ())
    world = env.world
    if name in world.signatures:
        signature = world.signatures[name]
        if signature.params:
            raise env.error(
                at,
                f"`{name}` needs {len(signature.params)} argument(s)",
                "arity",
                f"write {name}({', '.join(p.name for p in signature.params)})",
            )
        return m.CallF(signature.type, name, ())
    if name in world.state:
        return m.Get(world.state[name].type, name)
    if name in world.options:
        _no_options(at, name, env)
        return m.OptionGet(world.options[name].type, name)
    if name in world.decisions:
        decision = world.decisions[name]
        if decision.params:
            raise env.error(
                at,
                f"`{name}` needs {len(decision.params)} argument(s)",
                "arity",
                f"write {name}({', '.join(p.name for p in decision.params)})",
            )
        return m.Decide(decision.type, name, ())
    enums = world.enums_with(name)
    if len(enums) == 1:
        return m.Lit(enums[0], enums[0].values.index(name))
    if enums:
        raise env.error(
            at,
            f"`{name}` is a value of {' and of '.join(e.name for e in enums)}",
            "ambiguous-name",
            "compare it with something whose type is known",
        )
    raise env.error(
        at,
        f"nothing here is called `{name}`",
        "unknown-name",
        nearest(name, [*env.variables, *world.names()])
        or "declare it, or bind it with a quantifier or in the head of the rule",
    )


def _no_options(at: t.At, name: str, env: Env) -> None:
    if env.mechanics:
        raise env.error(
            at,
            f"mechanics may not read the option `{name}`",
            "mechanics",
            "mechanics say what happened, whatever was permitted",
        )


# --------------------------------------------------------------------------------------- calls, parts, lists
def arguments(args: tuple[t.Arg, ...], at: t.At, env: Env) -> list[t.Expr]:
    """Plain positional arguments."""
    plain: list[t.Expr] = []
    for arg in args:
        if arg.value is None or arg.where is not None or arg.name is not None:
            raise env.error(
                arg.at,
                "only a value can stand here",
                "argument",
                "`any`, `where` and named arguments belong to acts and to history",
            )
        plain.append(arg.value)
    return plain


def _applied(
    name: str, params: tuple[tuple[str, Type], ...], args: tuple[t.Arg, ...], at: t.At, env: Env
) -> tuple[Term, ...]:
    values = arguments(args, at, env)
    if len(values) != len(params):
        raise env.error(
            at,
            f"`{name}` takes {len(params)} argument(s), found {len(values)}",
            "arity",
            "write " + call(name, (p for p, _ in params)),
        )
    return tuple(elaborate(value, env, type_) for value, (_, type_) in zip(values, params, strict=True))


def _call(name: str, args: tuple[t.Arg, ...], at: t.At, env: Env) -> Term:
    world = env.world
    if name in world.signatures:
        signature = world.signatures[name]
        params = tuple((p.name, p.type) for p in signature.params)
        return m.CallF(signature.type, name, _applied(name, params, args, at, env))
    if name in world.decisions:
        if env.mechanics:
            raise env.error(
                at,
                f"mechanics may not read the decision `{name}`",
                "mechanics",
                "mechanics say what happened, never whether it was right",
            )
        decision = world.decisions[name]
        params = tuple((p.name, p.type) for p in decision.params)
        return m.Decide(decision.type, name, _applied(name, params, args, at, env))
    if name in world.events:
        raise env.error(
            at,
            f"`{name}` is an event",
            "event-as-value",
            f"ask `{name}(…) has happened this LIFE`, or `… since EVENT`",
        )
    raise env.error(
        at,
        f"there is no define or decision `{name}`",
        "unknown-name",
        nearest(name, [*world.signatures, *world.decisions]),
    )


def _construct(name: str, args: tuple[t.Arg, ...], at: t.At, env: Env) -> Term:
    found = env.world.types.get(name)
    match found:
        case ty.RecordT(fields=parts) | ty.EntityT(keys=parts):
            return m.Make(found, _applied(name, parts, args, at, env))
        case None:
            raise env.error(
                at,
                f"there is no record or entity `{name}`",
                "unknown-type",
                nearest(name, list(env.world.types)),
            )
        case _:
            raise env.error(
                at, f"`{name}` has no parts", "type-mismatch", "only records and entities are made so"
            )


def _attribute(of: Term, name: str, at: t.At, env: Env) -> Term:
    bare = of.type.of if isinstance(of.type, ty.OptT) else of.type
    match bare:
        case ty.RecordT(fields=fields):
            known = [f for f, _ in fields]
            if name in known:
                return m.Part(fields[known.index(name)][1], of, known.index(name))
        case ty.EntityT(keys=keys, name=entity):
            key_names = [k for k, _ in keys]
            if name in key_names:
                return m.Part(keys[key_names.index(name)][1], of, key_names.index(name))
            declared = {f.name: f for f in env.world.entities[entity].fields}
            if name in declared:
                return m.Field(declared[name].type, entity, name, of)
            known = [*key_names, *declared]
        case _:
            raise env.error(at, f"{article(of.type)} has no parts", "type-mismatch", f"so it has no `{name}`")
    raise env.error(
        at,
        f"{article(bare)} has no `{name}`",
        "unknown-name",
        nearest(name, known) or "it has " + ", ".join(known),
    )


def _index(of: Term, index: t.Expr, at: t.At, env: Env) -> Term:
    match of.type:
        case ty.MapT(key=key, of=value):
            assert isinstance(of, m.Get)
            return m.Get(value, of.name, elaborate(index, env, key))
        case ty.ListT(of=element):
            which = read(index, env, INT)
            if not isinstance(which, m.Lit) or not isinstance(which.value, int) or which.value < 1:
                raise env.error(
                    index.at,
                    "an element is named by a number from 1",
                    "index",
                    "for an element that varies, use a quantifier or `the first (…)`",
                )
            if not any(list_ == of and n >= which.value for list_, n in env.guards):
                what = "element" if which.value == 1 else "elements"
                raise env.error(
                    at,
                    f"element {which.value} is read where nothing says that it is there",
                    "unguarded-index",
                    f"add to the same conjunction that the list has {which.value} "
                    f"{what} or more, or inherit it from a `given`",
                )
            return m.At(element, of, which)
        case _:
            raise env.error(
                at, f"{article(of.type)} has no elements", "type-mismatch", "only lists and maps are indexed"
            )


def _has(of: t.Expr, count: int, what: str, bound: str, at: t.At, env: Env) -> Term:
    """How many a list field of an entity has, or a list itself, which has *elements*."""
    owner = read(of, env, None)
    length = _elements(owner, what) or _listed(owner, what, at, env)
    op = {"exactly": "=", "at least": ">=", "at most": "<="}[bound]
    return m.CompareT(BOOL, op, length, m.Lit(INT, count))  # type: ignore[arg-type]


def _elements(owner: Term, what: str) -> Term | None:
    is_list = isinstance(owner.type, ty.ListT) and what in ("element", "elements")
    return m.Length(INT, owner) if is_list else None


def _listed(owner: Term, what: str, at: t.At, env: Env) -> Term:
    bare = owner.type.of if isinstance(owner.type, ty.OptT) else owner.type
    fields = env.world.entities[bare.name].fields if isinstance(bare, ty.EntityT) else ()
    lists = {f.name: f for f in fields if isinstance(f.type, ty.ListT)}
    name = what if what in lists else f"{what}s"
    if name not in lists or not isinstance(bare, ty.EntityT):
        raise env.error(
            at,
            f"{article(owner.type)} has no list of `{what}`",
            "unknown-name",
            nearest(what, ["elements"] if isinstance(owner.type, ty.ListT) else list(lists))
            or "`has N …` counts a list field of an entity, or the `elements` of a list",
        )
    return m.Length(INT, m.Field(lists[name].type, bare.name, name, owner))


# ------------------------------------------------------------------------------------ arithmetic, comparison
def _arithmetic(op: t.ArithOp, left: t.Expr, right: t.Expr, at: t.At, env: Env) -> Term:
    a, b = forced(read(left, env, None)), forced(read(right, env, None))
    for side, term in ((left, a), (right, b)):
        if not ty.numeric(term.type):
            raise env.error(
                side.at, f"this is {article(term.type)}, where a number is expected", "type-mismatch", None
            )
    return m.ArithT(_result(op, a, b, at, env), op, a, b)


def _joined(a: Type, b: Type) -> Type:
    """The type of a value that is of one type or of the other."""
    if isinstance(a, ty.IntT) and isinstance(b, ty.IntT):
        if a.low is None or b.low is None or a.high is None or b.high is None:
            return INT
        return ty.IntT(min(a.low, b.low), max(a.high, b.high))
    return b if isinstance(b, ty.OptT) else a


def _result(op: str, a: Term, b: Term, at: t.At, env: Env) -> Type:
    match op, a.type, b.type:
        case (("+" | "-"), ty.IntT(), ty.IntT()):
            return _range(op, a.type, b.type)
        case "*", ty.IntT(), ty.IntT():
            return _range(op, a.type, b.type)
        case (("mod" | "div"), ty.IntT(), ty.IntT()):
            return INT
        case "/", ty.IntT(), ty.IntT():
            return ODDS
        case (("+" | "-" | "mod"), ty.MoneyT(), (ty.MoneyT() | ty.IntT())):
            return MONEY
        case (("+" | "-"), ty.IntT(), ty.MoneyT()):
            return MONEY
        case "*", ty.MoneyT(), (ty.IntT() | ty.OddsT()):
            return MONEY
        case "*", (ty.IntT() | ty.OddsT()), ty.MoneyT():
            return MONEY
        case "/", ty.MoneyT(), (ty.IntT() | ty.OddsT()):
            return MONEY
        case "/", ty.MoneyT(), ty.MoneyT():
            return ODDS
        case "div", ty.MoneyT(), ty.IntT():
            return MONEY
        case (("+" | "-" | "*" | "/"), (ty.OddsT() | ty.IntT()), (ty.OddsT() | ty.IntT())):
            return ODDS
        case _:
            raise env.error(
                at,
                f"`{op}` has no meaning between {article(a.type)} and {article(b.type)}",
                "type-mismatch",
                "money is added to money, and multiplied by numbers or odds",
            )


def _range(op: str, a: ty.IntT, b: ty.IntT) -> Type:
    if a.low is None or a.high is None or b.low is None or b.high is None:
        return INT
    if op == "+":
        return ty.IntT(a.low + b.low, a.high + b.high)
    if op == "-":
        return ty.IntT(a.low - b.high, a.high - b.low)
    corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return ty.IntT(min(corners), max(corners))


def _needs_expectation(expr: t.Expr, env: Env) -> bool:
    """Whether only the other side can tell what this literal is."""
    match expr:
        case t.Int():
            return True
        case t.Name(name=name):
            return name not in env.variables and bool(env.world.enums_with(name))
        case _:
            return False


def pair(left: t.Expr, right: t.Expr, env: Env) -> tuple[Term, Term]:
    """Both sides of a comparison, each read with the type of the other where it needs one."""
    if _needs_expectation(left, env) and not _needs_expectation(right, env):
        b = read(right, env, None)
        return _literal_for(left, env, b.type), b
    a = read(left, env, None)
    return a, _literal_for(right, env, a.type)


def _literal_for(expr: t.Expr, env: Env, other: Type) -> Term:
    """`expr` beside a value of type `other`; a number beside a range need not lie in it."""
    wanted = INT if isinstance(other, ty.IntT) else other
    return read(expr, env, wanted)


def _compare(op: str, left: t.Expr, right: t.Expr, at: t.At, env: Env) -> Term:
    a, b = pair(left, right, env)
    if not ty.comparable(a.type, b.type):
        raise env.error(
            at,
            f"{article(a.type)} cannot be compared with {article(b.type)}",
            "type-mismatch",
            "both sides must be of one kind",
        )
    if op in ("=", "!=") and m.Lit(b.type, None) in (a, b):
        absent = m.NotT(BOOL, m.Present(BOOL, a if isinstance(b, m.Lit) else b))
        return absent if op == "=" else m.NotT(BOOL, absent)
    if op not in ("=", "!="):
        a, b = forced(a), forced(b)
    if op not in ("=", "!=") and not (ty.numeric(a.type) or isinstance(a.type, ty.EnumT)):
        raise env.error(at, f"{article(a.type)} has no order", "type-mismatch", "compare with `=` or `!=`")
    return m.CompareT(BOOL, op, a, b)  # type: ignore[arg-type]


def _conjunction(expr: t.And, env: Env) -> Term:
    parts: list[t.Expr] = []
    rest: list[t.Expr] = [expr]
    while rest:
        head = rest.pop()
        if isinstance(head, t.And):
            rest += [head.right, head.left]
        else:
            parts.append(head)
    items: list[Term] = []
    for part in parts:
        item = condition(part, env)
        env = env.guarded(item)
        items += item.items if isinstance(item, m.AndT) else (item,)
    return m.AndT(BOOL, tuple(items))
