"""Questions asked of two programs in one, or of a program that is held against another: in every scope that can tell,
from one that is chosen for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from verifier.core.program import Program
from verifier.model.ruleset import Param
from verifier.model.terms import Term
from verifier.prove.everywhere import climb
from verifier.prove.extent import abreast
from verifier.prove.question import Answer, Never, Nothing, Question, Sometimes, Unknown
from verifier.prove.scope import Scope
from verifier.prove.solve import Settings
from verifier.prove.typed import Differ, Typed


@dataclass(slots=True)
class Wide:
    """Asks of a program: within the scope of `typed`, then in larger ones. `found` is who answered last where that
    was not `typed`, and what is looked for was there."""

    program: Program
    typed: Typed
    settings: Settings
    found: Typed | None = None
    _larger: dict[str, Typed] = field(default_factory=dict)
    _scopes: tuple[Scope, ...] = field(init=False)

    def __post_init__(self) -> None:
        # In none of them lists are shorter than in the first.
        base = self.typed.scope
        others = [
            replace(s, slots={path: max(most, base.slots.get(path, 0)) for path, most in s.slots.items()})
            for s in abreast(self.program)[1:]
        ]
        self._scopes = base, *others

    def ask(
        self, question: Question, assuming: Sequence[Term] = (), weaker: Question | None = None
    ) -> Answer:
        """As `Typed.ask`; `never` only where that is so in each scope that can tell.

        `weaker` supposes less than the question: where the logic of it alone leaves no state, the question has none.
        """
        self.found = None

        def ask(scope: Scope, _: str) -> Answer:
            asked = self._within(scope)
            if weaker is not None and (never := asked.anywhere(weaker)) is not None:
                return never
            answer = asked.ask(question, assuming)
            if isinstance(answer, Sometimes) and asked is not self.typed:
                self.found = asked
            return answer

        return climb(self.program, self._scopes, question, ask)

    def differ(
        self, params: Sequence[Param], left: Term, right: Term, assuming: Sequence[Term] = ()
    ) -> Never | Differ | Unknown:
        """As `Typed.differ`; `never` only where that is so in each scope that can tell."""

        def ask(scope: Scope, _: str) -> Never | Differ | Unknown:
            return self._within(scope).differ(params, left, right, assuming)

        question = Question(tuple(params), left, none=(Nothing((), right),))
        return climb(self.program, self._scopes, question, ask)

    def _within(self, scope: Scope) -> Typed:
        if scope == self.typed.scope:
            return self.typed
        key = repr(scope)
        if key not in self._larger:
            self._larger[key] = Typed(self.program, scope, self.settings, self.typed.telling)
        return self._larger[key]
