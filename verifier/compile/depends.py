"""What of the state a function's value rests on: so that a value kept is good until some of it has changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from verifier.core.program import ActMatch, Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.ruleset import Append, Each, FieldTarget, New, StateTarget, Update, Write
from verifier.model.terms import Term, children, free_variables

Atom = tuple[str, ...]
"""A part of the state that is written as one: ("state", NAME), ("field", ENTITY, NAME) of any of the kind, ("exists",
ENTITY), ("latch", N), ("broken", N), ("ids", TYPE); ("keys", ENTITY): whose row a row is; ("after",): what an event at
hand would leave, which is good for that event only."""

AFTER: Atom = ("after",)


@dataclass(frozen=True, slots=True)
class Reads:
    """What is read: atoms; fields of the argument asked about, `own`; fields of entities named by a constant, `rows`:
    (entity, key, field)."""

    atoms: frozenset[Atom] = frozenset()
    own: frozenset[str] = frozenset()
    rows: frozenset[tuple[str, tuple[object, ...], str]] = frozenset()

    def __or__(self, other: Reads) -> Reads:
        return Reads(self.atoms | other.atoms, self.own | other.own, self.rows | other.rows)


NOTHING = Reads()


@dataclass(slots=True)
class Depends:
    """What a program's functions and decisions read. `dense` are the kinds of entity that have a row for each key."""

    program: Program
    dense: frozenset[str]
    _own: dict[str, tuple[frozenset[Atom], frozenset[str]]] = field(default_factory=dict)
    _all: dict[str, frozenset[Atom]] = field(default_factory=dict)
    _always: frozenset[Atom] | None = None
    _under_way: set[tuple[str, int | None]] = field(default_factory=set)
    _known: dict[tuple[str, int | None], Reads] = field(default_factory=dict)

    # ------------------------------------------------------------------------------------------------- atoms
    def atoms(self, terms: Iterable[Term]) -> frozenset[Atom]:
        """All that these terms may read, in what they call too."""
        atoms, names = _of_terms(terms)
        return atoms.union(*(self.of(name) for name in names))

    def of(self, name: str) -> frozenset[Atom]:
        """All that a function may read, or with `decide ` in front a decision; in what it calls too."""
        if name not in self._all:
            reached, rest = {name}, [name]
            found: set[Atom] = set()
            while rest:
                atoms, names = self._itself(rest.pop())
                found |= atoms
                rest += names - reached
                reached |= names
            self._all[name] = frozenset(found)
        return self._all[name]

    def _itself(self, name: str) -> tuple[frozenset[Atom], frozenset[str]]:
        """What a function reads itself, and what it calls."""
        if name not in self._own:
            self._own[name] = _of_terms(self.bodies(name))
        return self._own[name]

    def bodies(self, name: str) -> list[Term]:
        if not name.startswith("decide "):
            return [self.program.functions[name].body]
        cases = self.program.decisions[name.removeprefix("decide ")].cases
        return [term for case in cases for term in (self.program.functions[case.applies].body, case.value)]

    # ------------------------------------------------------------------------------------------------- an argument
    def reads(self, name: str, position: int | None) -> Reads:
        """What a function or decision reads, told apart for its argument at `position`."""
        key = (name, position)
        if key not in self._known:
            if key in self._under_way:
                return Reads(self.of(name))
            self._under_way.add(key)
            self._known[key] = self._reads(name, position)
            self._under_way.discard(key)
        return self._known[key]

    def _reads(self, name: str, position: int | None) -> Reads:
        if not name.startswith("decide "):
            function = self.program.functions[name]
            return self._term(function.body, None if position is None else function.params[position].name)
        decision = self.program.decisions[name.removeprefix("decide ")]
        var = None if position is None else decision.params[position].name
        found = NOTHING
        for case in decision.cases:
            found |= self.reads(case.applies, position) | self._term(case.value, var)
        return found

    def _term(self, term: Term, var: str | None) -> Reads:
        found = Reads(direct(term))
        match term:
            case m.Field(entity=entity, name=name, of=of):
                if isinstance(of, m.Var) and of.name == var:
                    return Reads(own=frozenset((name,)))
                if (key := self.constant(of)) is not None:
                    return Reads(rows=frozenset(((entity, key, name),)))
            case m.CallF(function=called_, args=args):
                found |= self._call(called_, args, var)
            case m.Decide(decision=called_, args=args):
                found |= self._call(f"decide {called_}", args, var)
            case m.Quant() | m.Fold() | m.Pick() if term.var == var:
                found |= self._together(m.domain_terms(term.domain), var)
                rest = children(term)[len(m.domain_terms(term.domain)) :]
                return found | self._together(rest, None)
            case _:
                pass
        return found | self._together(children(term), var)

    def alone(self, term: Term, var: str) -> bool:
        """Whether a term rests on nothing but the entity `var`: its key and its fields."""
        if free_variables(term) != {var}:
            return False
        found = self._term(term, var)
        return not found.atoms and not found.rows

    def _together(self, terms: Iterable[Term], var: str | None) -> Reads:
        found = NOTHING
        for term in terms:
            found |= self._term(term, var)
        return found

    def _call(self, name: str, args: tuple[Term, ...], var: str | None) -> Reads:
        """What a call reads beside its arguments."""
        own = [i for i, arg in enumerate(args) if isinstance(arg, m.Var) and arg.name == var]
        fixed = [(i, key) for i, arg in enumerate(args) if (key := self.constant(arg)) is not None]
        if len(own) + len(fixed) > 1:
            return Reads(self.of(name))
        if own:
            return self.reads(name, own[0])
        if not fixed:
            return self.reads(name, None)
        position, key = fixed[0]
        found = self.reads(name, position)
        type_ = args[position].type
        assert isinstance(type_, ty.EntityT)
        rows = frozenset((type_.name, key, name) for name in found.own)
        return Reads(found.atoms, frozenset(), found.rows | rows)

    def constant(self, term: Term) -> tuple[object, ...] | None:
        """The key of an entity that has a row of its own, where it is written out."""
        if not isinstance(term.type, ty.EntityT) or term.type.name not in self.dense:
            return None
        match term:
            case m.Make(parts=parts) if all(isinstance(part, m.Lit) for part in parts):
                return tuple(part.value for part in parts if isinstance(part, m.Lit))
            case m.CallF(function=name, args=()):
                return self.constant(self.program.functions[name].body)
            case _:
                return None

    # ------------------------------------------------------------------------------------------------- events
    def judged(self, event: str) -> frozenset[Atom]:
        """What judging an event may read."""
        program = self.program
        here = program.ruleset.events[event]
        norms = (*program.against(event), *program.permissions.get(event, ()))
        found = self.atoms([*here.claims, *here.needs, *(norm.head for norm in norms)]) | self._at_any()
        return found.union(*(self.of(norm.applies) for norm in norms))

    def _at_any(self) -> frozenset[Atom]:
        """What judging any event may read: duties, and when answers are due."""
        if self._always is None:
            program = self.program
            terms: list[Term] = []
            for duty in program.duties:
                acts: tuple[ActMatch, ...] = (*duty.acts, *duty.deadline_acts)
                terms += [act.matches for act in acts]
            for decision in program.decisions.values():
                terms += [
                    *((decision.asked,) if decision.asked is not None else ()),
                    *(t for _, t in decision.askers),
                ]
            pending = [self.of(duty.pending) for duty in program.duties]
            self._always = self.atoms(terms).union(*pending)
        return self._always


def written(update: Update) -> Atom:
    """What an update writes."""
    match update:
        case Write(target=target) | Append(target=target):
            match target:
                case FieldTarget(entity=entity, name=name):
                    return ("field", entity, name)
                case StateTarget(name=name):
                    return ("state", name)
        case New(entity=entity):
            return ("exists", entity)
        case Each(update=inner):
            return written(inner)


def direct(term: Term) -> frozenset[Atom]:
    """What a term reads by itself, its subterms and what it calls apart."""
    match term:
        case m.Get(name=name):
            return frozenset((("state", name),))
        case m.Field(entity=entity, name=name):
            return frozenset((("field", entity, name),))
        case m.Count(latch=latch):
            return frozenset((("latch", str(latch)),))
        case m.BrokenT(latch=latch):
            return frozenset((("broken", str(latch)),))
        case m.AfterT():
            return frozenset((AFTER,))
        case m.Quant(domain=domain) | m.Fold(domain=domain) | m.Pick(domain=domain):
            match domain:
                case m.OverEntity(entity=entity):
                    return frozenset((("exists", entity), ("keys", entity)))
                case m.OverIds(type=type_):
                    return frozenset((("ids", str(type_)),))
                case _:
                    return frozenset()
        case _:
            return frozenset()


def called(term: Term) -> str | None:
    match term:
        case m.CallF(function=name):
            return name
        case m.Decide(decision=name):
            return f"decide {name}"
        case _:
            return None


def _of_terms(terms: Iterable[Term]) -> tuple[frozenset[Atom], frozenset[str]]:
    """What terms read themselves, and what they call."""
    atoms: set[Atom] = set()
    names: set[str] = set()
    for term in terms:
        for one in _within(term):
            atoms |= direct(one)
            if (name := called(one)) is not None:
                names.add(name)
    return frozenset(atoms), frozenset(names)


def _within(term: Term) -> Iterator[Term]:
    rest = [term]
    while rest:
        one = rest.pop()
        yield one
        rest += children(one)
