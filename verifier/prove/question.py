"""What is asked of a ruleset, and what can be answered.

Every obligation comes down to one kind of question: whether somewhere a condition is true. The condition is a term
of the core, so that Z3 and the interpreter are asked the very same thing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from verifier.model.rewrite import Alike
from verifier.model.ruleset import Param
from verifier.model.terms import Term
from verifier.run.bench import Happening
from verifier.run.state import State

Mode = Literal["words", "play"]
"""`words`: every state that events can make, lawful or not. `play`: every state that lawful play can reach."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """That for no values of `params` `condition` is true."""

    params: tuple[Param, ...]
    condition: Term


@dataclass(frozen=True, slots=True)
class Question:
    """Whether in some state, for some values of `params`, `condition` is defined and true, and each of `none` holds.

    Where `event` is named its parameters are variables of the condition too, with `EVENT_PREFIX` before their names;
    the event is one that can be applied in the state, and the condition may read what it leaves (`AfterT`).
    Of `params` those in `made` name a thing that need not exist: an act may make what it names.
    Conditions of `none` read `params` and their own. Every option is stated, and all of them meet every `require`.
    """

    params: tuple[Param, ...]
    condition: Term
    event: str | None = None
    none: tuple[Nothing, ...] = ()
    made: frozenset[str] = frozenset()


def alike(question: Question) -> Question:
    """The same question, in which what stands twice is one object: of large ones most does."""
    terms = Alike()
    none = tuple(Nothing(one.params, terms.of(one.condition)) for one in question.none)
    return replace(question, condition=terms.of(question.condition), none=none)


@dataclass(frozen=True, slots=True)
class Play:
    """Events from an empty table on, as the interpreter replayed them.

    `breaches` has, for each event, the rules that the judge found broken, disputed or undecided by it; a life that
    is left open at the end is not judged. `state` is what the last event left.
    """

    options: Mapping[str, object]
    happenings: tuple[Happening, ...]
    breaches: tuple[tuple[str, ...], ...]
    state: State

    @property
    def lawful(self) -> bool:
        """Whether no event broke a rule."""
        return not any(self.breaches)

    @property
    def broken(self) -> tuple[str, ...]:
        """The rules broken on the way, each once, in the order met."""
        return tuple(dict.fromkeys(rule for rules in self.breaches for rule in rules))


@dataclass(frozen=True, slots=True)
class Never:
    """There is none. `scope` says how far that was looked at, `by` who said so, `using` which invariants it needs.

    `how`: `typed` of every state that the types allow, `induction` of every state that events can make,
    `exhaustion` all such states were visited.
    """

    how: Literal["typed", "induction", "exhaustion"]
    scope: str
    by: tuple[str, ...]
    using: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sometimes:
    """There is one: in `state`, with `values` by the names of the question's params (and the event's).

    `play` leads there from an empty table, where one was found; else the state is one that the types allow.
    """

    state: State
    options: Mapping[str, object]
    values: Mapping[str, object]
    play: Play | None
    scope: str
    by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nobody can tell. `disagree` where our own ways of answering contradict each other: a fault of ours."""

    why: str
    disagree: bool = False
    scope: str = ""


Answer = Never | Sometimes | Unknown


@dataclass(frozen=True, slots=True)
class Obligation:
    """What must hold of a ruleset. `id` is stable: it names what it speaks of, never a number.

    `claim` says in one sentence what must hold. `wanted`: the question's answer is to be `never` (in each of
    `modes`) or `sometimes`. `rules` are the rules it speaks of, in the order of the law. `told` answers what needs
    no question: None where it holds, else what is wrong. `about` has further lines for the reader.
    """

    id: str
    kind: Kind
    claim: str
    rules: tuple[str, ...]
    wanted: Literal["never", "sometimes"] = "never"
    question: Question | None = None
    modes: tuple[Mode, ...] = ("words",)
    told: str | None = None
    about: tuple[str, ...] = field(default=())


Kind = Literal[
    "gap",
    "conflict",
    "dead rule",
    "subsumed rule",
    "idle limb",
    "idle exception",
    "duty against prohibition",
    "stuck",
    "unreachable option",
    "range",
    "vacuous",
    "reference",
    "theorem",
    "invariant",
    "reachable",
]


@dataclass(frozen=True, slots=True)
class Decided:
    """What was found of an obligation. In a mode that was not asked the answer is None.

    Of a rule that is to apply somewhere `play` is `Never` where the types allow it, and no play at all leads there,
    lawful or not.
    """

    obligation: Obligation
    words: Answer | None
    play: Answer | None
