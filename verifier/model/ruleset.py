"""A ruleset, resolved and typed: what the text said, with every name bound and every quote found in the law."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from verifier.law import Law
from verifier.model.terms import Domain, Term
from verifier.model.types import EntityT, Type
from verifier.model.views import Scene, View


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where something stands in a rule file; line and column from 1."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Param:
    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class StateField:
    """One field of the state; `initial` is what it holds when its life begins."""

    name: str
    type: Type
    life: str
    initial: object


@dataclass(frozen=True, slots=True)
class Entity:
    type: EntityT
    life: str
    fields: tuple[StateField, ...]


@dataclass(frozen=True, slots=True)
class Life:
    """A stretch of time with state of its own; `ends` are the events after which it is reset.

    `beside`: it has logs of its own, beside those of the first life.
    """

    name: str
    begins: tuple[str, ...]
    ends: tuple[str, ...]
    beside: bool = False


@dataclass(frozen=True, slots=True)
class Moves:
    """Whose money an event moves, and how much the law would have moved."""

    amount: Term
    source: Term
    target: Term
    due: Term | None


@dataclass(frozen=True, slots=True)
class Event:
    """An act or an observation. Its terms see the parameters as variables of the same names.

    `life` is the one in whose own logs it stands; None where that is the first.
    """

    name: str
    params: tuple[Param, ...]
    by: tuple[str, ...]
    claims: tuple[Term, ...]
    moves: tuple[Moves, ...]
    needs: tuple[Term, ...]
    observed: bool
    place: Place
    life: str | None = None


# --------------------------------------------------------------------------------------------- mechanics
@dataclass(frozen=True, slots=True)
class StateTarget:
    name: str
    key: Term | None


@dataclass(frozen=True, slots=True)
class FieldTarget:
    entity: str
    name: str
    of: Term


Target = StateTarget | FieldTarget


@dataclass(frozen=True, slots=True)
class Write:
    target: Target
    value: Term
    when: Term | None


@dataclass(frozen=True, slots=True)
class Append:
    target: Target
    value: Term
    when: Term | None


@dataclass(frozen=True, slots=True)
class New:
    entity: str
    of: Term
    when: Term | None


@dataclass(frozen=True, slots=True)
class Each:
    var: str
    domain: Domain
    where: Term | None
    update: Update


Update = Write | Append | New | Each


# ------------------------------------------------------------------------------------ functions, decisions
@dataclass(frozen=True, slots=True)
class Function:
    """A `define`. `clause` is the rule it stands in, `supplied` the reason where the law lacks it."""

    name: str
    params: tuple[Param, ...]
    type: Type
    body: Term
    place: Place
    clause: str | None = None
    supplied: str | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    name: str
    params: tuple[Param, ...]
    type: Type
    place: Place


@dataclass(frozen=True, slots=True)
class Option:
    """The operator's or the licence's choice. `values` lists them where they are few; `default` may be absent."""

    name: str
    type: Type
    values: tuple[object, ...] | None
    default: object | None
    place: Place
    clause: str | None


@dataclass(frozen=True, slots=True)
class Latch:
    """A counter of events. Its key is the values of the event's parameters `keys`.

    `fixed` are (parameter, value) pairs an event must have to be counted. It is reset with the life `life`, or
    by the event `reset`: for `reset_keys` (positions of the key, parameter of the reset event) only there.
    """

    event: str
    fixed: tuple[tuple[int, object], ...]
    keys: tuple[int, ...]
    life: str | None
    reset: str | None = None
    reset_fixed: tuple[tuple[int, object], ...] = ()
    reset_keys: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class BreachLatch:
    """Whether the rule at `address` (any label, or `label`) has been broken since the life began or `reset`.

    `base` is as in a `Rule`.
    """

    address: str
    label: str | None
    life: str | None
    reset: str | None
    base: str = ""


# -------------------------------------------------------------------------------------------------- rules
Givens = tuple[tuple[str, Term], ...]
"""The givens that bind something: the rule that each stands in, and its condition."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """A value for a decision. `variables` are the rule's own names for the decision's parameters.

    `applied` is the unit of which this is a copy, where another rule applies its clause; `handed` as in `Givens`.
    """

    id: str
    rule: str
    decision: str
    variables: tuple[Param, ...]
    value: Term
    given: tuple[Term, ...]
    when: Term | None
    otherwise: bool
    place: Place
    applied: str | None = None
    handed: Givens = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Slot:
    """One argument of an act: it binds `variable`, must equal `equals`, or is anything; `where` narrows it."""

    variable: str | None = None
    equals: Term | None = None
    where: Term | None = None


@dataclass(frozen=True, slots=True)
class Act:
    event: str
    slots: tuple[Slot, ...]


@dataclass(frozen=True, slots=True)
class Deadline:
    kind: Literal["at once", "before", "by end of", "immediately after"]
    acts: tuple[Act, ...] = ()
    life: str | None = None


@dataclass(frozen=True, slots=True)
class Norm:
    """A duty, a prohibition or a permission. `exempt` is the role that `anyone but` leaves out."""

    id: str
    rule: str
    roles: tuple[str, ...]
    force: Literal["must", "must not", "may"]
    acts: tuple[Act, ...]
    deadline: Deadline | None
    variables: tuple[Param, ...]
    given: tuple[Term, ...]
    when: Term | None
    place: Place
    exempt: tuple[str, ...] = ()
    handed: Givens = field(default=(), compare=False, repr=False)


Unit = Contribution | Norm


@dataclass(frozen=True, slots=True)
class Question:
    """When an answer to a decision is due."""

    rule: str
    decision: str
    variables: tuple[Param, ...]
    condition: Term
    place: Place
    handed: Givens = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Requirement:
    """A condition that the options must meet."""

    rule: str
    condition: Term
    place: Place


@dataclass(frozen=True, slots=True)
class Edge:
    """`loser` does not apply where `winner` applies; `like` says how their variables are linked.

    `by` is what makes it: words of the text at `place`, or that the winner stands there in a layer over the loser.
    """

    loser: str
    winner: str
    like: bool
    place: Place
    by: Literal["text", "layer"] = "text"


@dataclass(frozen=True, slots=True)
class Unchecked:
    kind: Literal["unobservable", "external", "structural"]
    reason: str
    words: str | None


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of the text; `id` is its clause, and its label where it has one.

    `base` is the ruleset that it comes from where another is laid over that, and begins its id; else it is empty.
    `disapplied` is the ruleset that disapplies it: then it neither binds nor decides.
    """

    id: str
    address: str
    label: str | None
    quote: str
    place: Place
    module: str
    unchecked: tuple[Unchecked, ...] = ()
    readings: tuple[str, ...] = ()
    points_to: tuple[str, ...] = ()
    agrees_with: tuple[str, ...] = ()
    answers_for: tuple[tuple[str, tuple[str, ...]], ...] = ()
    defines: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    is_definition: bool = False
    has_given: bool = False
    edges: tuple[str, ...] = ()
    base: str = ""
    disapplied: str | None = None


def named(base: str, name: str) -> str:
    """A clause or rule as it is cited: one of a ruleset laid under another has that ruleset's name in front."""
    return f"{base} {name}" if base else name


@dataclass(frozen=True, slots=True)
class Chance:
    """How a parameter of an event comes about: any value alike, or drawn from a stock that is used up.

    `stock` (of the event's parameters) is how many of the value there are; `latch` counts those drawn since the
    stock was last made whole. Without a stock every value is as likely as another, every time.
    """

    event: str
    parameter: int
    stock: Term | None
    latch: int | None
    place: Place


@dataclass(frozen=True, slots=True)
class Theorem:
    kind: Literal["theorem", "invariant", "reachable"]
    name: str
    title: str | None
    params: tuple[Param, ...]
    where: Term | None
    body: Term
    place: Place


@dataclass(frozen=True, slots=True)
class Source:
    """A rule file that went into the ruleset, with its SHA-256."""

    module: str
    path: str
    digest: str
    text: str


@dataclass(frozen=True, slots=True)
class Ruleset:
    """Everything the back ends and the reports need; mappings are in the order of the text.

    `law` is the ruleset's own; `laws` has it too, by the path of the module, after those that it is laid over.
    """

    name: str
    law: Law | None
    in_force: str | None
    sources: tuple[Source, ...]
    actors: tuple[str, ...]
    types: Mapping[str, Type]
    lives: Mapping[str, Life]
    state: Mapping[str, StateField]
    entities: Mapping[str, Entity]
    events: Mapping[str, Event]
    mechanics: Mapping[str, tuple[Update, ...]]
    functions: Mapping[str, Function]
    decisions: Mapping[str, Decision]
    options: Mapping[str, Option]
    rules: Mapping[str, Rule]
    units: Mapping[str, Unit]
    edges: tuple[Edge, ...]
    questions: tuple[Question, ...]
    requirements: tuple[Requirement, ...]
    latches: tuple[Latch, ...]
    breaches: tuple[BreachLatch, ...]
    chances: tuple[Chance, ...]
    theorems: tuple[Theorem, ...]
    accepted: Mapping[str, str]
    digest: str
    notes: tuple[str, ...] = field(default=())
    laws: Mapping[str, Law] = field(default_factory=dict)
    views: Mapping[str, View] = field(default_factory=dict)
    scenes: tuple[Scene, ...] = ()

    def means(self, name: str, rule: Rule) -> bool:
        """Whether `name`, a clause or a labelled rule of the rule's own law, means the rule: it is that one, or stands
        on the clause or below it in the outline (5.1 and the rows of its table are below section 5)."""
        if rule.id == named(rule.base, name):
            return True
        law = self.laws[rule.module]
        address = law.canonical(name)
        return address in law.clauses and (
            law.canonical(rule.address) == address or law.is_under(rule.address, address)
        )
