"""What a log never tells, written into the program: what reads it is undefined, for a reason that has a name.

A term that reads a field or a count which no log with such a header can tell, or a parameter whose column it lacks, is
a term that has no value (`lacking`), as an option is that nobody states. What follows from that the kernel finds out as
it does for options (`verifier.compile.lacking`), and the reasons are those that the interpreter gives
(`verifier.run.recording`, `verifier.run.machine`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations

from verifier.compile.depends import Atom, written
from verifier.compile.encoding import NotCompiledError
from verifier.compile.lacking import MOST, Lacking
from verifier.core.program import (
    EVENT_PREFIX,
    ActMatch,
    Case,
    DecisionProgram,
    Duty,
    EventNorm,
    Program,
)
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.rewrite import map_children, substitute
from verifier.model.ruleset import (
    Append,
    Each,
    Event,
    FieldTarget,
    Function,
    New,
    Param,
    StateTarget,
    Target,
    Update,
    Write,
)
from verifier.model.terms import Term
from verifier.model.types import BOOL, Type, ids_within
from verifier.run.machine import Unrecorded
from verifier.run.recording import Recording, never_judged, never_reset, unrecorded

LACKS = "? "
"""What stands before a reason in the name of what reads as an option that is never stated."""

UNTRIED = "! "
"""What stands before what the kernel leaves to the interpreter, in such a name."""


@dataclass(frozen=True, slots=True)
class Untold:
    """What a log never tells: kinds of event, and parameters: of which event, which, and the column that is named."""

    absent: frozenset[str] = frozenset()
    params: tuple[tuple[str, int, str], ...] = ()

    @property
    def recording(self) -> Recording:
        return Recording(self.absent)

    def of(self, event: str) -> dict[int, str]:
        """The parameters of an event that are never told, each with the column that is named."""
        return {index: column for name, index, column in self.params if name == event}


NOTHING_UNTOLD = Untold()


@dataclass(frozen=True, slots=True)
class Told:
    """A program in which is written what is never told.

    `reasons` are all that can be given, in their order; `found` the parts of the state of which nobody may be able to
    tell what they are, each with the names of the reasons; `owed` the duties that cannot be checked at all, by their
    places, with what is lacking; `latches` those of which the log tells nothing.
    """

    program: Program
    reasons: tuple[str, ...]
    found: Mapping[Atom, frozenset[str]]
    owed: Mapping[int, str]
    latches: frozenset[int]


def lossy(program: Program, untold: Untold) -> dict[int, tuple[str, ...]]:
    """The latches of which an event may leave nobody able to tell how they stand, with these events."""
    found: dict[int, tuple[str, ...]] = {}
    for index, latch in enumerate(program.ruleset.latches):
        counts = {place for place, _ in latch.fixed} | set(latch.keys)
        resets = {place for place, _ in latch.reset_fixed} | {place for _, place in latch.reset_keys}
        events = [latch.event] if counts & untold.of(latch.event).keys() else []
        if latch.reset is not None and resets & untold.of(latch.reset).keys():
            events.append(latch.reset)
        if events:
            found[index] = tuple(dict.fromkeys(events))
    return found


def told(program: Program, untold: Untold) -> Told:
    """The program for logs that never tell this. Raises `NotCompiledError` where the kernel could not judge them."""
    return _Telling(program, untold).told()


def lacking_of(duty: Duty, absent: frozenset[str]) -> str | None:
    """What a log lacks for a duty, as `verifier.run.duties` has it, or None."""
    acts = [act.event for act in duty.acts if act.event in absent]
    if acts or duty.kind == "by end of":
        return acts[0] if acts else None
    return next((act.event for act in duty.deadline_acts if act.event in absent), None)


@dataclass(slots=True)
class _Telling:
    program: Program
    untold: Untold
    lacks: Unrecorded = field(init=False)
    judged: frozenset[int] = field(init=False)
    reset: frozenset[int] = field(init=False)
    used: set[str] = field(default_factory=set)
    functions: dict[str, Function] = field(default_factory=dict)
    under_way: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.lacks = unrecorded(self.program, self.untold.recording)
        self.judged = never_judged(self.program, self.untold.recording)
        self.reset = never_reset(self.program, self.untold.recording)

    # ------------------------------------------------------------------------------------------------- terms
    def lacking(self, type_: Type, what: str) -> Term:
        """A term that has no value, since the log does not record `what`."""
        self.used.add(what)
        return m.OptionGet(type_, f"{LACKS}{what}")

    def term(self, term: Term, lazy: Mapping[str, str]) -> Term:
        """The term where variables are never told: `lazy`, each with the column that is named."""
        match term:
            case m.Var(type=type_, name=name):
                return self.lacking(type_, lazy[name]) if name in lazy else term
            case m.Get(type=type_, name=name) if name in self.lacks.fields:
                return self.lacking(type_, ", ".join(self.lacks.fields[name]))
            case m.Field(type=type_, entity=entity, name=name) if f"{entity}.{name}" in self.lacks.fields:
                return self.lacking(type_, ", ".join(self.lacks.fields[f"{entity}.{name}"]))
            case m.Count(type=type_, latch=latch) if latch in self.lacks.latches:
                return self.lacking(type_, self.lacks.latches[latch])
            case m.BrokenT(latch=latch) if latch in self.judged | self.reset:
                broken: Term = m.Lit(BOOL, True)
                if latch in self.reset:
                    broken = self.lacking(BOOL, "what it is reckoned from")
                other: Term = m.Lit(BOOL, False)
                if latch in self.judged:
                    other = self.lacking(BOOL, "what could have broken it")
                return m.Ite(BOOL, term, broken, other)
            case (
                m.Quant(domain=domain, var=var)
                | m.Fold(domain=domain, var=var)
                | m.Pick(domain=domain, var=var)
            ):
                if (instead := self._loop(term, domain)) is not None:
                    return instead
                if var in lazy:
                    term = _renamed(term, var + "'")
                return map_children(term, lambda inner: self.term(inner, lazy))
            case m.CallF(type=type_, function=name, args=args):
                given = {
                    i: lazy[a.name] for i, a in enumerate(args) if isinstance(a, m.Var) and a.name in lazy
                }
                rest = tuple(self.term(a, lazy) for i, a in enumerate(args) if i not in given)
                if not given and all(new is old for new, old in zip(rest, args, strict=True)):
                    return term
                return m.CallF(type_, self.special(name, given), rest)
            case _:
                return map_children(term, lambda inner: self.term(inner, lazy))

    def _loop(self, term: m.Quant | m.Fold | m.Pick, domain: m.Domain) -> Term | None:
        """What stands for a loop of which nobody can tell over what it goes; None where that can be told."""
        match domain:
            case m.OverEntity(entity=entity) if f"new {entity}" in self.lacks.fields:
                return self.lacking(term.type, ", ".join(self.lacks.fields[f"new {entity}"]))
            case m.OverIds(type=type_) if _any_of(type_, self.lacks.ids) is not None:
                return m.OptionGet(term.type, f"{UNTRIED}who was met")
            case m.OverEntity(type=type_) if isinstance(term, m.Pick) and _any_of(type_, self.lacks.ids):
                return m.OptionGet(term.type, f"{UNTRIED}who was met first")
            case _:
                return None

    def special(self, name: str, given: Mapping[int, str]) -> str:
        """The name of a function where some arguments are never told, each with the column that is named."""
        if not given:
            return name
        made = f"{LACKS}{name} without {', '.join(f'{i} {column}' for i, column in sorted(given.items()))}"
        if made not in self.functions and made not in self.under_way:
            self.under_way.add(made)
            function = self.program.functions[name]
            lazy = {function.params[i].name: column for i, column in given.items()}
            body = self.term(function.body, lazy)
            params = tuple(p for i, p in enumerate(function.params) if i not in given)
            self.functions[made] = replace(function, name=made, params=params, body=body)
        return made

    # ------------------------------------------------------------------------------------------------- the whole
    def told(self) -> Told:
        program = self.program
        ruleset = program.ruleset
        self._answerable()
        plain = {name: {p.name: untold[i] for i, p in enumerate(event.params) if i in untold}
                 for name, event in ruleset.events.items() for untold in [self.untold.of(name)]}  # fmt: skip
        functions = {
            name: replace(function, body=self.term(function.body, {}))
            for name, function in program.functions.items()
        }
        decisions = {name: self._decision(decision) for name, decision in program.decisions.items()}
        prohibitions = {e: tuple(map(self._norm, norms)) for e, norms in program.prohibitions.items()}
        permissions = {e: tuple(map(self._norm, norms)) for e, norms in program.permissions.items()}
        endings = {e: tuple(map(self._norm, norms)) for e, norms in program.endings.items()}
        owed = {
            i: lacking
            for i, duty in enumerate(program.duties)
            if (lacking := lacking_of(duty, self.untold.absent)) is not None
        }
        duties = [self._duty(duty, {}) for duty in program.duties]
        duties += [found for i, duty in enumerate(program.duties) for found in self._shadows(duty, i in owed)]
        events = {name: self._event(event, plain[name]) for name, event in ruleset.events.items()}
        mechanics = {
            name: tuple(self._update(update, plain[name]) for update in updates)
            for name, updates in ruleset.mechanics.items()
        }
        chances = tuple(
            chance
            if chance.stock is None
            else replace(chance, stock=self.term(chance.stock, plain[chance.event]))
            for chance in ruleset.chances
        )
        self.used |= {
            *owed.values(),
            *(f"part of {event}" for event in {e for e, _, _ in self.untold.params}),
        }
        made = replace(
            program,
            ruleset=replace(ruleset, events=events, mechanics=mechanics, chances=chances),
            functions={**functions, **self.functions},
            decisions=decisions,
            prohibitions=prohibitions,
            permissions=permissions,
            endings=endings,
            duties=tuple(duties),
        )
        lost = lossy(program, self.untold)
        names = tuple(f"{LACKS}{what}" for what in sorted(self.used))
        lacks = Lacking(made, names, _tainted(made, names, lost))
        for event, norms in permissions.items():
            if any(lacks.of(norm.head) for norm in norms):
                self.used.add(f"part of {event}")
        reasons = tuple(sorted(self.used))
        found = _tainted(made, tuple(f"{LACKS}{what}" for what in reasons), lost)
        if len(reasons) > MOST:
            raise NotCompiledError("a log that leaves out so much")
        return Told(made, reasons, found, owed, frozenset(self.lacks.latches))

    def _answerable(self) -> None:
        """Raises `NotCompiledError` where it hangs on when somebody was first met whether the log tells it."""
        lost = {kind for event, index, _ in self.untold.params
                for kind in ids_within(self.program.ruleset.events[event].params[index].type)}  # fmt: skip
        if lost & _asked_ids(self.program):
            raise NotCompiledError("whom a log that leaves somebody out has met")

    def _decision(self, decision: DecisionProgram) -> DecisionProgram:
        cases: tuple[Case, ...] = tuple(replace(c, value=self.term(c.value, {})) for c in decision.cases)
        asked = None if decision.asked is None else self.term(decision.asked, {})
        askers = tuple((rule, self.term(term, {})) for rule, term in decision.askers)
        return replace(decision, cases=cases, asked=asked, askers=askers)

    def _norm(self, norm: EventNorm) -> EventNorm:
        untold = self.untold.of(norm.event)
        head = self.term(norm.head, self._marked(norm.event))
        return replace(norm, head=head, applies=self.special(norm.applies, untold))

    def _marked(self, event: str) -> dict[str, str]:
        """The parameters of an event that are never told, as judgements name them."""
        params = self.program.ruleset.events[event].params
        return {EVENT_PREFIX + params[i].name: column for i, column in self.untold.of(event).items()}

    def _event(self, event: Event, lazy: Mapping[str, str]) -> Event:
        claims = tuple(self.term(claim, lazy) for claim in event.claims)
        return replace(event, claims=claims, needs=tuple(self.term(need, lazy) for need in event.needs))

    # ------------------------------------------------------------------------------------------------- duties
    def _duty(self, duty: Duty, lazy: Mapping[str, str]) -> Duty:
        def act(one: ActMatch) -> ActMatch:
            return replace(one, matches=self.term(one.matches, {**self._marked(one.event), **lazy}))

        return replace(
            duty, acts=tuple(map(act, duty.acts)), deadline_acts=tuple(map(act, duty.deadline_acts))
        )

    def _shadows(self, duty: Duty, owed: bool) -> Iterator[Duty]:
        """The instances of a duty of what may be there besides and is never told: never surely pending."""
        unlisted = {v.name: what for v in duty.variables if (what := self._unlisted(v)) is not None}
        if unlisted and (owed or duty.kind == "immediately after"):
            raise NotCompiledError("a duty of somebody whom a log leaves out")
        for size in range(1, len(unlisted) + 1):
            for names in combinations(unlisted, size):
                lazy = {name: unlisted[name] for name in names}
                function = self.program.functions[duty.pending]
                given = {i: lazy[v.name] for i, v in enumerate(duty.variables) if v.name in lazy}
                rest = tuple(v for v in duty.variables if v.name not in lazy)
                special = self.special(duty.pending, given)
                params = self.functions[special].params
                call = m.CallF(BOOL, special, tuple(m.Var(p.type, p.name) for p in params))
                body = m.Ite(BOOL, call, self.lacking(BOOL, lazy[names[0]]), m.Lit(BOOL, False))
                name = f"{special} or not"
                self.functions[name] = replace(function, name=name, params=params, body=body)
                yield replace(self._duty(duty, lazy), variables=rest, pending=name)

    def _unlisted(self, variable: Param) -> str | None:
        """Why there may be more values of a duty's variable than are known, as `verifier.run.machine` has it."""
        if isinstance(variable.type, ty.EntityT):
            lacking = self.lacks.fields.get(f"new {variable.type.name}")
            return None if lacking is None else ", ".join(lacking)
        return _any_of(variable.type, self.lacks.ids)

    # ------------------------------------------------------------------------------------------------- mechanics
    def _update(self, update: Update, lazy: Mapping[str, str]) -> Update:
        def maybe(term: Term | None) -> Term | None:
            return None if term is None else self.term(term, lazy)

        match update:
            case Write(target=target, value=value, when=when):
                return replace(
                    update, target=self._target(target, lazy), value=self.term(value, lazy), when=maybe(when)
                )
            case Append(target=target, value=value, when=when):
                return replace(
                    update, target=self._target(target, lazy), value=self.term(value, lazy), when=maybe(when)
                )
            case New(of=of, when=when):
                return replace(update, of=self.term(of, lazy), when=maybe(when))
            case Each(var=var, domain=domain, where=where, update=inner):
                if var in lazy:
                    raise NotCompiledError("a loop whose variable is named as what is left out")
                return replace(
                    update,
                    domain=self._domain(domain, lazy),
                    where=maybe(where),
                    update=self._update(inner, lazy),
                )

    def _domain(self, domain: m.Domain, lazy: Mapping[str, str]) -> m.Domain:
        """The domain of an update; where nobody can tell over what it goes, one that the kernel gives up at."""
        match domain:
            case m.OverValues(values=values):
                return replace(domain, values=tuple(self.term(value, lazy) for value in values))
            case m.OverList(list=list_):
                return replace(domain, list=self.term(list_, lazy))
            case m.OverEntity(type=type_, entity=entity) if f"new {entity}" in self.lacks.fields:
                return m.OverList(type_, m.OptionGet(type_, f"{UNTRIED}which {entity} there are"))
            case m.OverIds(type=type_) if _any_of(type_, self.lacks.ids) is not None:
                return m.OverList(type_, m.OptionGet(type_, f"{UNTRIED}who was met"))
            case m.OverEntity() | m.OverIds():
                return domain

    def _target(self, target: Target, lazy: Mapping[str, str]) -> Target:
        match target:
            case StateTarget(key=key):
                return replace(target, key=None if key is None else self.term(key, lazy))
            case FieldTarget(of=of):
                return replace(target, of=self.term(of, lazy))


def _any_of(type_: Type, ids: Mapping[str, str]) -> str | None:
    """Why values of a type may have ids that the log does not tell, where they may."""
    return next((ids[kind] for kind in ids_within(type_) if kind in ids), None)


def _asked_ids(program: Program) -> set[str]:
    """The types of ids of which rules ask who all has been met, or who was first."""
    found = {kind for duty in program.duties for v in duty.variables if not isinstance(v.type, ty.EntityT)
             for kind in ids_within(v.type)}  # fmt: skip
    for term in _terms(program):
        match term:
            case m.Quant(domain=m.OverIds(type=type_)) | m.Fold(domain=m.OverIds(type=type_)):
                found |= set(ids_within(type_))
            case m.Pick(domain=m.OverIds(type=type_) | m.OverEntity(type=type_)):
                found |= set(ids_within(type_))
            case _:
                pass
    for updates in program.ruleset.mechanics.values():
        for update in updates:
            while isinstance(update, Each):
                if isinstance(update.domain, m.OverIds):
                    found |= set(ids_within(update.domain.type))
                update = update.update
    return found


def _terms(program: Program) -> Iterator[Term]:
    """Every term of a program that a kernel may write, with their subterms."""
    rest: list[Term] = [function.body for function in program.functions.values()]
    for decision in program.decisions.values():
        rest += [case.value for case in decision.cases]
        rest += [t for t in (decision.asked, *(t for _, t in decision.askers)) if t is not None]
    for of in (program.prohibitions, program.permissions, program.endings):
        rest += [norm.head for norms in of.values() for norm in norms]
    for duty in program.duties:
        rest += [act.matches for act in (*duty.acts, *duty.deadline_acts)]
    for event in program.ruleset.events.values():
        rest += [*event.claims, *event.needs]
    rest += [chance.stock for chance in program.ruleset.chances if chance.stock is not None]
    for updates in program.ruleset.mechanics.values():
        for update in updates:
            rest += _in_update(update)
    while rest:
        term = rest.pop()
        yield term
        rest += m.children(term)


def _in_update(update: Update) -> Iterable[Term]:
    match update:
        case Write(target=target, value=value, when=when) | Append(target=target, value=value, when=when):
            place = target.of if isinstance(target, FieldTarget) else target.key
            return [term for term in (place, value, when) if term is not None]
        case New(of=of, when=when):
            return [of] if when is None else [of, when]
        case Each(domain=domain, where=where, update=inner):
            own = [*m.domain_terms(domain), *(() if where is None else (where,))]
            return [*own, *_in_update(inner)]


def _renamed(term: m.Quant | m.Fold | m.Pick, fresh: str) -> m.Quant | m.Fold | m.Pick:
    """A loop with another name for its variable."""
    by: dict[str, Term] = {term.var: m.Var(term.domain.type, fresh)}
    where = None if term.where is None else substitute(term.where, by)
    match term:
        case m.Quant(body=body):
            return replace(term, var=fresh, where=where, body=substitute(body, by))
        case m.Fold(body=value):
            return replace(
                term, var=fresh, where=where, body=None if value is None else substitute(value, by)
            )
        case m.Pick():
            return replace(term, var=fresh, where=where)


def _tainted(
    program: Program, names: tuple[str, ...], lost: Mapping[int, tuple[str, ...]]
) -> dict[Atom, frozenset[str]]:
    """The parts of the state of which nobody may be able to tell what they are, each with those of the reasons, which
    have these names."""
    found: dict[Atom, frozenset[str]] = {
        ("latch", str(i)): frozenset(f"{LACKS}part of {event}" for event in events)
        for i, events in lost.items()
    }
    found |= {("broken", str(i)): frozenset(names) for i in range(len(program.ruleset.breaches)) if names}
    while True:
        lacks = Lacking(program, names, found)
        before = dict(found)
        for updates in program.ruleset.mechanics.values():
            for update in updates:
                inner: Update = update
                while isinstance(inner, Each):
                    inner = inner.update
                if isinstance(inner, New):
                    continue
                more = lacks.of(inner.value) | (frozenset() if inner.when is None else lacks.of(inner.when))
                if more:
                    found[written(inner)] = found.get(written(inner), frozenset()) | more
        if found == before:
            return found


__all__ = ["LACKS", "NOTHING_UNTOLD", "UNTRIED", "Told", "Untold", "lacking_of", "lossy", "told"]
