"""The syntax tree of a rule module: what was written, with its place, and nothing resolved.

One dataclass a construct, all of them here since they refer to one another. `at` is the place of the
construct's first character in the file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True, order=True)
class At:
    """A stretch of a file: 1-based line and column of its start, and of the character after its end."""

    line: int
    column: int
    end_line: int
    end_column: int


# ---------------------------------------------------------------------------------------------- expressions
@dataclass(frozen=True, slots=True)
class Int:
    at: At
    value: int


@dataclass(frozen=True, slots=True)
class OddsLiteral:
    """`3 to 2`."""

    at: At
    paid: int
    staked: int


@dataclass(frozen=True, slots=True)
class Bool:
    at: At
    value: bool


@dataclass(frozen=True, slots=True)
class Text:
    at: At
    value: str


@dataclass(frozen=True, slots=True)
class Name:
    at: At
    name: str


@dataclass(frozen=True, slots=True)
class Call:
    at: At
    name: str
    args: tuple[Arg, ...]


@dataclass(frozen=True, slots=True)
class Construct:
    """`Card(ace, spades)` or `Wager(p, h, initial)`: a record's value, or the reference with that key."""

    at: At
    name: str
    args: tuple[Arg, ...]


@dataclass(frozen=True, slots=True)
class Attr:
    at: At
    of: Expr
    name: str


@dataclass(frozen=True, slots=True)
class Index:
    at: At
    of: Expr
    index: Expr


ArithOp = Literal["+", "-", "*", "/", "mod", "div"]
CompareOp = Literal["=", "!=", "<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True)
class Arith:
    at: At
    op: ArithOp
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Negate:
    at: At
    of: Expr


@dataclass(frozen=True, slots=True)
class Compare:
    at: At
    op: CompareOp
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class And:
    at: At
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Or:
    at: At
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Not:
    at: At
    of: Expr


@dataclass(frozen=True, slots=True)
class If:
    at: At
    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True)
class Quantified:
    """`some|every|none x in D where C: body`."""

    at: At
    kind: Literal["some", "every", "none"]
    name: str
    domain: Domain
    where: Expr | None
    body: Expr


@dataclass(frozen=True, slots=True)
class Aggregate:
    """`sum (e for x in D where C)`; for `number of` and `all` there is no `value`."""

    at: At
    kind: Literal["sum", "least", "greatest", "number", "first", "last", "all"]
    value: Expr | None
    name: str
    domain: Domain
    where: Expr | None


@dataclass(frozen=True, slots=True)
class Member:
    at: At
    of: Expr
    domain: Domain
    negated: bool


@dataclass(frozen=True, slots=True)
class Exists:
    at: At
    of: Expr
    negated: bool


@dataclass(frozen=True, slots=True)
class Has:
    """`h has 2 cards`, `or more`, `or fewer`."""

    at: At
    of: Expr
    count: int
    what: str
    bound: Literal["exactly", "at least", "at most"]


@dataclass(frozen=True, slots=True)
class Scope:
    """Since when history counts: `this round` (a life) or `since shuffle` (an event pattern)."""

    at: At
    life: str | None
    since: Call | Name | None


@dataclass(frozen=True, slots=True)
class Happened:
    at: At
    event: Call | Name
    scope: Scope
    negated: bool


@dataclass(frozen=True, slots=True)
class Times:
    """`number of (deal(h, any) this round)`."""

    at: At
    event: Call | Name
    scope: Scope


@dataclass(frozen=True, slots=True)
class Broken:
    at: At
    clause: ClauseRef
    scope: Scope


@dataclass(frozen=True, slots=True)
class MultipleOf:
    at: At
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class After:
    """The value as the event leaves it."""

    at: At
    of: Expr


@dataclass(frozen=True, slots=True)
class Table:
    """`table (r) { ace: 1; 2: 2 }`."""

    at: At
    of: Expr
    rows: tuple[tuple[Expr, Expr], ...]


Expr = (
    Int
    | OddsLiteral
    | Bool
    | Text
    | Name
    | Call
    | Construct
    | Attr
    | Index
    | Arith
    | Negate
    | Compare
    | And
    | Or
    | Not
    | If
    | Quantified
    | Aggregate
    | Member
    | Exists
    | Has
    | Happened
    | Times
    | Broken
    | MultipleOf
    | After
    | Table
)


@dataclass(frozen=True, slots=True)
class DomainType:
    at: At
    name: str


@dataclass(frozen=True, slots=True)
class DomainRange:
    at: At
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class DomainSet:
    at: At
    elements: tuple[Expr | tuple[Expr, Expr], ...]


Domain = DomainType | DomainRange | DomainSet | Expr


# ------------------------------------------------------------------------------------- arguments, references
@dataclass(frozen=True, slots=True)
class Arg:
    """One argument: a value, `any` (value None), `h where C`, or named `kind: initial`."""

    at: At
    value: Expr | None
    where: Expr | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class ClauseRef:
    at: At
    address: str
    label: str | None = None
    section: bool = False


# ------------------------------------------------------------------------------------------------------ types
@dataclass(frozen=True, slots=True)
class RangeType:
    at: At
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class PlainType:
    at: At
    kind: Literal["bool", "money", "odds", "text"]


@dataclass(frozen=True, slots=True)
class IdType:
    at: At
    maximum: int


@dataclass(frozen=True, slots=True)
class NamedType:
    at: At
    name: str
    optional: bool = False


@dataclass(frozen=True, slots=True)
class ListType:
    at: At
    element: str
    maximum: int


@dataclass(frozen=True, slots=True)
class SetType:
    at: At
    element: str


@dataclass(frozen=True, slots=True)
class MapType:
    at: At
    key: str
    value: TypeExpr


@dataclass(frozen=True, slots=True)
class ChoiceType:
    at: At
    values: tuple[int, ...]


TypeExpr = RangeType | PlainType | IdType | NamedType | ListType | SetType | MapType | ChoiceType


# ----------------------------------------------------------------------------------------------- declarations
@dataclass(frozen=True, slots=True)
class Param:
    at: At
    name: str
    type: TypeExpr


@dataclass(frozen=True, slots=True)
class WrittenForm:
    at: At
    template: str
    values: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Ruleset:
    at: At
    name: str
    extends: str | None
    disapplied: tuple[ClauseRef, ...]


@dataclass(frozen=True, slots=True)
class LawDecl:
    at: At
    name: str


@dataclass(frozen=True, slots=True)
class InForce:
    at: At
    date: str


@dataclass(frozen=True, slots=True)
class Use:
    at: At
    name: str


@dataclass(frozen=True, slots=True)
class Actors:
    at: At
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TypeDecl:
    at: At
    name: str
    type: TypeExpr


@dataclass(frozen=True, slots=True)
class EnumDecl:
    """`values` are (name, how it is written within a record or an entity that a log writes as text)."""

    at: At
    name: str
    values: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class RecordDecl:
    at: At
    name: str
    fields: tuple[Param, ...]
    written: tuple[WrittenForm, ...]


@dataclass(frozen=True, slots=True)
class FieldDecl:
    at: At
    name: str
    type: TypeExpr
    initial: Expr | None


@dataclass(frozen=True, slots=True)
class EntityDecl:
    at: At
    name: str
    keys: tuple[Param, ...]
    life: str
    written: tuple[WrittenForm, ...]
    fields: tuple[FieldDecl, ...]


@dataclass(frozen=True, slots=True)
class LifeDecl:
    """`around` names the life before which it is declared, `beside` the one whose logs it has logs beside."""

    at: At
    name: str
    begins: tuple[str, ...]
    ends: tuple[str, ...]
    around: str | None = None
    beside: str | None = None


@dataclass(frozen=True, slots=True)
class StateDecl:
    at: At
    life: str
    fields: tuple[FieldDecl, ...]


@dataclass(frozen=True, slots=True)
class Claims:
    at: At
    condition: Expr


@dataclass(frozen=True, slots=True)
class Moves:
    at: At
    amount: Expr
    source: Expr
    target: Expr
    due: Expr | None


@dataclass(frozen=True, slots=True)
class Observed:
    at: At


@dataclass(frozen=True, slots=True)
class Needs:
    """What must hold for the event to be applicable at all."""

    at: At
    condition: Expr


@dataclass(frozen=True, slots=True)
class EventDecl:
    """`life` is the one in whose logs it stands, where that is not the first."""

    at: At
    name: str
    params: tuple[Param, ...]
    by: tuple[str, ...]
    clauses: tuple[Claims | Moves | Observed | Needs, ...]
    life: str | None = None


@dataclass(frozen=True, slots=True)
class Assign:
    at: At
    target: Expr
    value: Expr
    when: Expr | None


@dataclass(frozen=True, slots=True)
class Gains:
    """Append to a list, or put into a set."""

    at: At
    target: Expr
    value: Expr
    when: Expr | None


@dataclass(frozen=True, slots=True)
class Create:
    at: At
    entity: Expr
    when: Expr | None


@dataclass(frozen=True, slots=True)
class UpdateEach:
    at: At
    name: str
    domain: Domain
    where: Expr | None
    update: Update


Update = Assign | Gains | Create | UpdateEach


@dataclass(frozen=True, slots=True)
class OnDecl:
    at: At
    event: str
    params: tuple[str, ...]
    updates: tuple[Update, ...]


@dataclass(frozen=True, slots=True)
class Define:
    at: At
    name: str
    params: tuple[Param, ...]
    type: TypeExpr
    body: Expr


@dataclass(frozen=True, slots=True)
class Decision:
    at: At
    name: str
    params: tuple[Param, ...]
    type: TypeExpr


@dataclass(frozen=True, slots=True)
class Option:
    at: At
    name: str
    type: TypeExpr
    initial: Expr | None


@dataclass(frozen=True, slots=True)
class Supplied:
    """Definitions that the law uses and lacks, with the reason; shown as supplied, never as law."""

    at: At
    reason: str
    defines: tuple[Define, ...]


@dataclass(frozen=True, slots=True)
class Accepted:
    at: At
    finding: str
    reason: str


@dataclass(frozen=True, slots=True)
class ChanceDecl:
    """How a parameter of an event comes about: uniformly, or from a stock without replacement since an event."""

    at: At
    event: str
    param: str
    stock: Expr | None
    since: str | None


@dataclass(frozen=True, slots=True)
class Claim:
    at: At
    params: tuple[Param, ...]
    where: Expr | None
    body: Expr


@dataclass(frozen=True, slots=True)
class Theorem:
    at: At
    kind: Literal["theorem", "invariant", "reachable"]
    name: str
    title: str | None
    claim: Claim


# ------------------------------------------------------------------------------------------------- statements
@dataclass(frozen=True, slots=True)
class Given:
    at: At
    condition: Expr
    only_for: tuple[str, ...]


EdgeKind = Literal[
    "except",
    "subject to",
    "unless",
    "unless expressly permitted",
    "notwithstanding",
    "overrides",
    "notwithstanding everything",
]


@dataclass(frozen=True, slots=True)
class Edge:
    at: At
    kind: EdgeKind
    refs: tuple[ClauseRef, ...]
    only_for: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Effect:
    at: At
    decision: str
    args: tuple[str, ...]
    value: Expr


@dataclass(frozen=True, slots=True)
class Effects:
    at: At
    effects: tuple[Effect, ...]
    when: Expr | None
    otherwise: bool


@dataclass(frozen=True, slots=True)
class Asked:
    at: At
    decision: str
    args: tuple[str, ...]
    when: Expr | None


@dataclass(frozen=True, slots=True)
class Apply:
    at: At
    first: ClauseRef
    last: ClauseRef | None
    where: Expr


@dataclass(frozen=True, slots=True)
class Bearer:
    """Who is bound: named roles, or everybody but one role (`but`)."""

    at: At
    roles: tuple[str, ...]
    variable: str | None = None
    but: str | None = None


@dataclass(frozen=True, slots=True)
class Act:
    at: At
    event: str
    args: tuple[Arg, ...]


@dataclass(frozen=True, slots=True)
class Deadline:
    at: At
    kind: Literal["at once", "before", "by end of", "immediately after", "until"]
    acts: tuple[Act, ...] = field(default=())
    life: str | None = None


@dataclass(frozen=True, slots=True)
class Deontic:
    at: At
    bearer: Bearer
    force: Literal["must", "must not", "may"]
    acts: tuple[Act, ...]
    deadline: Deadline | None
    when: Expr | None


@dataclass(frozen=True, slots=True)
class Require:
    at: At
    condition: Expr
    when: Expr | None


@dataclass(frozen=True, slots=True)
class Unchecked:
    """`unobservable`, `external` or `structural`, with the reason and, for a part, the words it is for."""

    at: At
    kind: Literal["unobservable", "external", "structural"]
    reason: str
    words: str | None = None


@dataclass(frozen=True, slots=True)
class Pointer:
    at: At
    kind: Literal["agrees with", "points to"]
    refs: tuple[ClauseRef, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    at: At
    text: str


@dataclass(frozen=True, slots=True)
class AnswersFor:
    at: At
    role: str
    refs: tuple[ClauseRef, ...]


Statement = (
    Define
    | Decision
    | Option
    | Given
    | Edge
    | Effects
    | Asked
    | Apply
    | Deontic
    | Require
    | Unchecked
    | Pointer
    | Reading
    | AnswersFor
)


@dataclass(frozen=True, slots=True)
class Rule:
    at: At
    address: str
    label: str | None
    quote: str
    quote_at: At
    statements: tuple[Statement, ...]


# ---------------------------------------------------------------------------------------------------- views
@dataclass(frozen=True, slots=True)
class Many:
    """`x in D where C`: the things that are drawn, one after another."""

    at: At
    name: str
    domain: Domain
    where: Expr | None


@dataclass(frozen=True, slots=True)
class Shape:
    at: At
    name: str


@dataclass(frozen=True, slots=True)
class Words:
    """`text E, E when C`: values written one after another on a line."""

    at: At
    values: tuple[Expr, ...]
    when: Expr | None


@dataclass(frozen=True, slots=True)
class Colour:
    at: At
    name: str
    when: Expr | None


@dataclass(frozen=True, slots=True)
class Mark:
    at: At
    text: str
    when: Expr | None


@dataclass(frozen=True, slots=True)
class Faded:
    at: At
    when: Expr


@dataclass(frozen=True, slots=True)
class Holds:
    at: At
    many: Many


Look = Shape | Words | Colour | Mark | Faded | Holds


@dataclass(frozen=True, slots=True)
class ViewDecl:
    """`view x: T`: how a value of the type looks."""

    at: At
    name: str
    type: str
    looks: tuple[Look, ...]


@dataclass(frozen=True, slots=True)
class Row:
    at: At
    title: str | None
    many: Many


@dataclass(frozen=True, slots=True)
class Ring:
    at: At
    many: Many


@dataclass(frozen=True, slots=True)
class Grid:
    """`grid x in D at (E, E)`: each thing in a cell, `across` from the left and `down` from the top."""

    at: At
    many: Many
    across: Expr
    down: Expr


@dataclass(frozen=True, slots=True)
class Lay:
    """`lay x in D on y in E`: things that lie on cells of the grid above, amid all of theirs."""

    at: At
    many: Many
    on: Many


ScenePart = Row | Ring | Grid | Lay | Words


@dataclass(frozen=True, slots=True)
class SceneDecl:
    """`view "The table" in round`: what is drawn of a state of the logs that have this life."""

    at: At
    title: str
    life: str
    parts: tuple[ScenePart, ...]


Block = (
    Ruleset
    | LawDecl
    | InForce
    | Use
    | Actors
    | TypeDecl
    | EnumDecl
    | RecordDecl
    | EntityDecl
    | LifeDecl
    | StateDecl
    | EventDecl
    | OnDecl
    | Define
    | Decision
    | Option
    | Supplied
    | ChanceDecl
    | Accepted
    | Theorem
    | ViewDecl
    | SceneDecl
    | Rule
)


@dataclass(frozen=True, slots=True)
class Module:
    """One .rules file."""

    path: str
    text: str
    blocks: tuple[Block, ...]
