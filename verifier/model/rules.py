"""Rules of a module: quotes found in the law, effects and norms typed, givens handed down."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from verifier.errors import LawError, RuleTextError
from verifier.law import Clause, Law, find_quote, nearest_words, split_words
from verifier.model import terms as m
from verifier.model.expressions import Env, condition, elaborate
from verifier.model.history import life_named, positional
from verifier.model.ruleset import (
    Act,
    Contribution,
    Deadline,
    Givens,
    Norm,
    Param,
    Question,
    Requirement,
    Rule,
    Slot,
    Unchecked,
    Unit,
    named,
)
from verifier.model.scope import Source, Text, World, call, nearest
from verifier.model.terms import Term
from verifier.model.types import BOOL, INT, EntityT, IdT, Type
from verifier.syntax import tree as t


@dataclass(slots=True)
class Handed:
    """A `given` of the rule `rule`, and whether it has bound anything."""

    source: Source
    given: t.Given
    rule: str
    used: bool = False


@dataclass(slots=True)
class Book:
    """The rules as they are collected. `givens` are by module and clause."""

    rules: dict[str, Rule] = field(default_factory=dict)
    units: dict[str, Unit] = field(default_factory=dict)
    questions: list[Question] = field(default_factory=list)
    requirements: list[Requirement] = field(default_factory=list)
    edges: list[tuple[Source, str, t.Edge]] = field(default_factory=list)
    applies: list[tuple[Source, str, t.Apply]] = field(default_factory=list)
    givens: dict[tuple[str, str], list[Handed]] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)

    def applied(self, rule: str) -> bool:
        """Whether the rule may bind and decide: nothing disapplies it."""
        return rule not in self.rules or self.rules[rule].disapplied is None


def rule_id(address: str, label: str | None) -> str:
    """`5.1(c)`, or `4.1(c) [one]`."""
    return address if label is None else f"{address} [{label}]"


def find_clause(source: Source, law: Law, rule: t.Rule) -> Clause:
    """The clause a rule stands on: a definition by its term, a row of a table by its first cell, else the number."""
    if rule.label and (found := law.clauses.get(law.canonical(rule_id(rule.address, rule.label)))):
        return found
    try:
        return law.clause(rule.address)
    except LawError as error:
        message = f"{law.id} has no clause {rule.address}"
        raise source.error(rule.at, message, "unknown-clause", error.problem.help) from None


def read_head(source: Source, text: Text | None, rule: t.Rule, book: Book) -> Rule:
    """A rule's head: its clause exists, its quote stands there, its label is its own."""
    source = replace(source, clause=rule.address)
    if text is None:
        raise source.error(rule.at, "a rule needs a law to quote", "no-law", "name it at the top: `law ID`")
    law = text.law
    name = named(text.base, rule_id(rule.address, rule.label))
    if name in book.rules:
        other = book.rules[name].place
        raise source.error(
            rule.at,
            f"there is a rule {name} already, in line {other.line}",
            "labels-alike",
            "give each rule on one clause a label of its own, in brackets after the number",
        )
    clause = find_clause(source, law, rule)
    by_label = clause.kind in ("definition", "row")
    if find_quote(clause, rule.quote) is None:
        raise source.error(
            rule.quote_at,
            f"these words are not in {clause.address}",
            "quote-not-found",
            _instead(clause, rule.quote),
        )
    unchecked: list[Unchecked] = []
    for statement in rule.statements:
        if isinstance(statement, t.Unchecked):
            if statement.words is not None and find_quote(clause, statement.words) is None:
                raise source.error(
                    statement.at,
                    f"“{statement.words}” is not in {clause.address}",
                    "quote-not-found",
                    _instead(clause, statement.words),
                )
            unchecked.append(Unchecked(statement.kind, statement.reason, statement.words))
    found = Rule(
        name,
        clause.address if by_label else rule.address,
        rule.label,
        rule.quote,
        source.place(rule.at),
        text.module,
        tuple(unchecked),
        tuple(s.text for s in rule.statements if isinstance(s, t.Reading)),
        tuple(
            r.address
            for s in rule.statements
            if isinstance(s, t.Pointer) and s.kind == "points to"
            for r in s.refs
        ),
        tuple(
            r.address
            for s in rule.statements
            if isinstance(s, t.Pointer) and s.kind == "agrees with"
            for r in s.refs
        ),
        tuple(
            (s.role, tuple(rule_id(r.address, r.label) for r in s.refs))
            for s in rule.statements
            if isinstance(s, t.AnswersFor)
        ),
        tuple(s.name for s in rule.statements if isinstance(s, t.Define)),
        tuple(s.name for s in rule.statements if isinstance(s, t.Decision)),
        tuple(s.name for s in rule.statements if isinstance(s, t.Option)),
        clause.kind == "definition",
        any(isinstance(s, t.Given) for s in rule.statements),
        tuple(_edge_words(s) for s in rule.statements if isinstance(s, t.Edge)),
        text.base,
    )
    book.rules[name] = found
    for statement in rule.statements:
        match statement:
            case t.Given():
                book.givens.setdefault((text.module, rule.address), []).append(
                    Handed(source, statement, name)
                )
            case t.Edge():
                book.edges.append((source, name, statement))
            case t.Apply():
                book.applies.append((source, name, statement))
            case _:
                pass
    return found


def _instead(clause: Clause, quote: str) -> str:
    """What to do about a quote that is not found."""
    if not split_words(quote.replace("…", " ")):
        return "a quote may not be empty: quote the words that the rule formalises"
    near = nearest_words(clause, quote)
    return f"the nearest words there are: “{near}”" if near else f"{clause.address} has no words of its own"


def _edge_words(edge: t.Edge) -> str:
    refs = ", ".join(("section " if r.section else "") + rule_id(r.address, r.label) for r in edge.refs)
    return f"{edge.kind} {refs}".strip()


def ancestors(law: Law, address: str) -> list[str]:
    """The clauses above `address`, nearest last, with itself."""
    chain = [address]
    while True:
        try:
            parent = law.clause(chain[0]).parent
        except LawError:
            return chain
        if parent is None:
            return chain
        chain.insert(0, parent)


def read_body(source: Source, world: World, text: Text, rule: t.Rule, book: Book) -> None:
    """A rule's statements, typed, with the givens of the chapeaux above it; nothing of one that is disapplied."""
    name = named(text.base, rule_id(rule.address, rule.label))
    if not book.applied(name):
        return
    source = replace(source, clause=rule.address)
    above = [
        handed
        for address in ancestors(text.law, rule.address)
        for handed in book.givens.get((text.module, address), ())
        if book.applied(handed.rule)
    ]
    number = 0
    for statement in rule.statements:
        match statement:
            case t.Effects(effects=effects):
                for effect in effects:
                    number += 1
                    unit = _contribution(source, world, effect, statement, f"{name} #{number}", name, above)
                    book.units[unit.id] = unit
            case t.Deontic():
                number += 1
                norm = _norm(source, world, statement, f"{name} #{number}", name, above)
                book.units[norm.id] = norm
            case t.Asked():
                book.questions.append(_question(source, world, statement, name, above))
            case t.Require(at=at, condition=required, when=when):
                env = Env(source, world)
                term = condition(required, env)
                if when is not None:
                    term = m.OrT(BOOL, (m.NotT(BOOL, condition(when, env)), term))
                book.requirements.append(Requirement(name, term, source.place(at)))
            case _:
                pass


def _effect_variables(
    source: Source, world: World, at: t.At, decision: str, args: tuple[str, ...]
) -> tuple[Param, ...]:
    found = world.decisions.get(decision)
    if found is None and decision in world.signatures:
        raise source.error(
            at,
            f"`{decision}` is a define, and has one meaning already",
            "unknown-decision",
            "a rule gives values to a decision only: take the define away, or this value",
        )
    if found is None:
        raise source.error(
            at,
            f"nobody declared a decision `{decision}`",
            "unknown-decision",
            nearest(decision, list(world.decisions)) or f"declare it: `decision {decision}(…): TYPE`",
        )
    if len(args) != len(found.params):
        raise source.error(
            at,
            f"`{decision}` takes {len(found.params)} argument(s), found {len(args)}",
            "arity",
            "write " + call(decision, (p.name for p in found.params)),
        )
    if len(set(args)) != len(args):
        raise source.error(
            at,
            "each argument of a decision is a variable of its own",
            "arity",
            "put conditions on them after `when`",
        )
    for name, param in zip(args, found.params, strict=True):
        if not _is_variable(name, param.type, world):
            raise source.error(
                at,
                f"`{name}` is known already, and an argument of a decision is a new name",
                "known-name",
                f"give the argument a name of its own, and write `when` it is {name}",
            )
    return tuple(Param(name, p.type) for name, p in zip(args, found.params, strict=True))


Above = list[Handed]


def _givens(above: Above, world: World, variables: Mapping[str, Type], names: set[str]) -> Givens:
    """The givens that bind here: those whose variables are all in sight."""
    found: list[tuple[str, Term]] = []
    for handed in above:
        given = handed.given
        if given.only_for and not names & set(given.only_for):
            continue
        unknown = {n for n in _names_in(given.condition) if n not in variables and not _known(n, world)}
        if unknown:
            continue
        handed.used = True
        env = Env(handed.source, world, variables)
        guarded = env.guarded(*(term for _, term in found))
        found.append((handed.rule, condition(given.condition, guarded)))
    return tuple(found)


def _names_in(expr: object, bound: frozenset[str] = frozenset()) -> Iterator[str]:
    """The free names of an expression of the syntax tree."""
    match expr:
        case t.Name(name=name):
            if name not in bound:
                yield name
        case t.Quantified(name=name) | t.Aggregate(name=name):
            yield from _names_in(expr.domain, bound)
            inside = bound | {name}
            yield from _names_in(expr.where, inside)
            yield from _names_in(expr.body if isinstance(expr, t.Quantified) else expr.value, inside)
        case tuple():
            for item in expr:
                yield from _names_in(item, bound)
        case t.Happened(event=event) | t.Times(event=event):
            if isinstance(event, t.Call):
                yield from _names_in(event.args, bound)
        case t.At() | t.ClauseRef() | t.Scope() | None | str() | int() | bool():
            return
        case _:
            for slot in getattr(expr, "__slots__", ()):
                yield from _names_in(getattr(expr, slot), bound)


def _known(name: str, world: World) -> bool:
    return (
        name in world.state
        or name in world.signatures
        or name in world.decisions
        or name in world.options
        or bool(world.enums_with(name))
        or name in ("house", "absent", "empty")
    )


def _contribution(
    source: Source, world: World, effect: t.Effect, statement: t.Effects, unit: str, rule: str, above: Above
) -> Contribution:
    variables = _effect_variables(source, world, effect.at, effect.decision, effect.args)
    types = {p.name: p.type for p in variables}
    handed = _givens(above, world, types, {effect.decision})
    given = tuple(term for _, term in handed)
    env = Env(source, world, types).guarded(*given)
    when = None if statement.when is None else condition(statement.when, env)
    value = elaborate(effect.value, env.guarded(when), world.decisions[effect.decision].type)
    return Contribution(
        unit,
        rule,
        effect.decision,
        variables,
        value,
        given,
        when,
        statement.otherwise,
        source.place(effect.at),
        handed=handed,
    )


def _question(source: Source, world: World, asked: t.Asked, rule: str, above: Above) -> Question:
    variables = _effect_variables(source, world, asked.at, asked.decision, asked.args)
    types = {p.name: p.type for p in variables}
    handed = _givens(above, world, types, {asked.decision})
    given = tuple(term for _, term in handed)
    env = Env(source, world, types).guarded(*given)
    when = None if asked.when is None else condition(asked.when, env)
    items: list[Term] = []
    for part in (*given, *((when,) if when else ())):
        items += part.items if isinstance(part, m.AndT) else (part,)
    term: Term = m.AndT(BOOL, tuple(items)) if items else m.Lit(BOOL, True)
    return Question(rule, asked.decision, variables, term, source.place(asked.at), handed)


# --------------------------------------------------------------------------------------------------- norms
def _norm(source: Source, world: World, norm: t.Deontic, unit: str, rule: str, above: Above) -> Norm:
    roles = _roles(source, world, norm.bearer)
    variables: dict[str, Type] = {}
    places: dict[str, t.At] = {}
    deadline_acts = norm.deadline.acts if norm.deadline else ()
    for act in (*norm.acts, *deadline_acts):
        _bind(source, world, act, variables, places)
    _acting(source, norm, variables)
    names = {act.event for act in norm.acts}
    handed = _givens(above, world, variables, names)
    given = tuple(term for _, term in handed)
    env = Env(source, world, variables).guarded(*given)
    acts = tuple(_act(env, act) for act in norm.acts)
    when = None if norm.when is None else condition(norm.when, env)
    deadline: Deadline | None = None
    match norm.deadline:
        case None:
            pass
        case t.Deadline(kind="until", acts=until, life=life, at=at):
            assert life is not None
            when = _until(source, world, env, until[0], life, at, when)
        case t.Deadline(
            kind=("at once" | "before" | "by end of" | "immediately after") as kind, life=life, at=at
        ):
            if life is not None:
                life_named(life, at, source, world)
            deadline = Deadline(kind, tuple(_act(env, act) for act in norm.deadline.acts), life)
    _all_used(source, norm, variables, places, acts, deadline, given, when)
    # What the deadline alone names is any such event: it makes no duty of its own.
    own = set(variables) if deadline is None else _names_of(acts, (*given, *((when,) if when else ())))
    return Norm(
        unit,
        rule,
        roles,
        norm.force,
        acts,
        deadline,
        tuple(Param(n, ty) for n, ty in variables.items() if n in own),
        given,
        when,
        source.place(norm.at),
        (norm.bearer.but,) if norm.bearer.but else (),
        handed,
    )


def _acting(source: Source, norm: t.Deontic, variables: dict[str, Type]) -> None:
    """Whoever is named beside the role stands in the act: a row says of its actor the role, and no more."""
    name = norm.bearer.variable
    if name is None or name in variables:
        return
    role, event = norm.bearer.roles[0], norm.acts[0].event
    raise source.error(
        norm.bearer.at,
        f"no argument of the act is `{name}`, so nothing says who `{name}` is",
        "nobody-acts",
        f"name the {role} among the arguments of `{event}` (`{role} {name} … {event}({name}, …)`), or leave "
        f"`{name}` out; an event without such a parameter does not say which {role} did it",
    )


def _names_of(acts: tuple[Act, ...], conditions: tuple[Term, ...]) -> set[str]:
    """The variables of acts and conditions."""
    slots = [slot for act in acts for slot in act.slots]
    terms = [*conditions, *(x for slot in slots for x in (slot.equals, slot.where) if x)]
    named = {slot.variable for slot in slots if slot.variable}
    return named.union(*(m.free_variables(term) for term in terms))


def _until(
    source: Source, world: World, env: Env, act: t.Act, life: str, at: t.At, when: Term | None
) -> Term:
    from verifier.model.history import event_latch

    pattern: t.Call | t.Name = t.Call(act.at, act.event, act.args) if act.args else t.Name(act.at, act.event)
    latch, keys = event_latch(pattern, t.Scope(at, life, None), at, env)
    pending: Term = m.CompareT(BOOL, "=", m.Count(INT, latch, keys), m.Lit(INT, 0))
    return pending if when is None else m.AndT(BOOL, (pending, when))


def _roles(source: Source, world: World, bearer: t.Bearer) -> tuple[str, ...]:
    for role in (*bearer.roles, *((bearer.but,) if bearer.but else ())):
        if role not in world.actors:
            raise source.error(
                bearer.at,
                f"there is no actor `{role}`",
                "unknown-name",
                nearest(role, world.actors) or "declare it with `actors`",
            )
    if bearer.but:
        return tuple(a for a in world.actors if a != bearer.but)
    return bearer.roles


def _bind(
    source: Source, world: World, act: t.Act, variables: dict[str, Type], places: dict[str, t.At]
) -> None:
    event = world.events.get(act.event)
    if event is None:
        raise source.error(
            act.at,
            f"there is no event `{act.event}`",
            "unknown-name",
            nearest(act.event, list(world.events)) or "declare it: `event NAME(…) by ACTOR`",
        )
    for arg, param in zip(positional(act.args, event, act.at, source), event.params, strict=True):
        if (
            arg is not None
            and isinstance(arg.value, t.Name)
            and _is_variable(arg.value.name, param.type, world)
        ):
            known = variables.get(arg.value.name)
            if known is not None and known != param.type:
                raise source.error(
                    arg.at,
                    f"`{arg.value.name}` is {known} elsewhere in this rule, here {param.type}",
                    "type-mismatch",
                    "use two names",
                )
            variables[arg.value.name] = param.type
            places.setdefault(arg.value.name, arg.at)


def _is_variable(name: str, type_: Type, world: World) -> bool:
    from verifier.model.types import EnumT

    if isinstance(type_, EnumT):
        return name not in type_.values and not _known(name, world)
    return not _known(name, world)


def _act(env: Env, act: t.Act) -> Act:
    event = env.world.events[act.event]
    slots: list[Slot] = []
    bound: set[str] = set()
    for arg, param in zip(positional(act.args, event, act.at, env.source), event.params, strict=True):
        if arg is None or arg.value is None:
            slots.append(Slot())
            continue
        where = None if arg.where is None else condition(arg.where, env)
        if isinstance(arg.value, t.Name) and arg.value.name in env.variables and arg.value.name not in bound:
            bound.add(arg.value.name)
            slots.append(Slot(arg.value.name, None, where))
        else:
            slots.append(Slot(None, elaborate(arg.value, env, param.type), where))
    return Act(act.event, tuple(slots))


def _all_used(
    source: Source,
    norm: t.Deontic,
    variables: dict[str, Type],
    places: dict[str, t.At],
    acts: tuple[Act, ...],
    deadline: Deadline | None,
    given: tuple[Term, ...],
    when: Term | None,
) -> None:
    """A variable that nothing reads is a mistake: it says no more than `any`."""
    uses: dict[str, int] = dict.fromkeys(variables, 0)
    terms = [*given, *((when,) if when else ())]
    for act in (*acts, *(deadline.acts if deadline else ())):
        for slot in act.slots:
            if slot.variable:
                uses[slot.variable] += 1
            terms += [x for x in (slot.equals, slot.where) if x]
    for term in terms:
        for name in m.free_variables(term):
            uses[name] = uses.get(name, 0) + 1
    for name, count in uses.items():
        is_key = norm.force == "must" and isinstance(variables.get(name), EntityT | IdT)
        if count < 2 and name != norm.bearer.variable and not is_key:
            raise source.error(
                places[name],
                f"`{name}` is bound here and used nowhere",
                "unused-variable",
                nearest(name, [n for n in variables if n != name]) or "write `any`",
            )


def check_givens(book: Book, excused: Callable[[Rule], bool]) -> list[RuleTextError]:
    """A given that binds nothing is a mistake in its names, unless its rule is `excused`."""
    return [
        handed.source.error(
            handed.given.at,
            "this `given` binds no effect",
            "given",
            "its variables are those of no rule under this clause: check their names",
        )
        for entries in book.givens.values()
        for handed in entries
        if not handed.used and book.applied(handed.rule) and not excused(book.rules[handed.rule])
    ]
