"""One condition against another over the same inputs: the same, wider, narrower, or neither."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from verifier.model.ruleset import Param
from verifier.model.terms import Term
from verifier.prove.question import Never, Nothing, Question, Sometimes, Unknown
from verifier.prove.wide import Wide

Turn: TypeAlias = Literal["same", "wider", "narrower", "other", "open"]
"""What became of a condition: as before; true more often; less often; neither; nobody can tell."""


def turned(wide: Wide, params: Sequence[Param], first: Term, second: Term) -> tuple[Turn, str]:
    """What became of `first`, which is `second` now, of all values of `params`; and why nobody can tell."""
    if first == second:
        return "same", ""
    more = wide.ask(Question(tuple(params), second, none=(Nothing((), first),)))
    less = wide.ask(Question(tuple(params), first, none=(Nothing((), second),)))
    match less, more:
        case Never(), Never():
            return "same", ""
        case Never(), Sometimes():
            return "wider", ""
        case Sometimes(), Never():
            return "narrower", ""
        case Sometimes(), Sometimes():
            return "other", ""
    whys = [a.why for a in (less, more) if isinstance(a, Unknown)]
    return "open", "; ".join(whys)
