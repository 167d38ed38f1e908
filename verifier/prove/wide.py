"""Questions asked of every state that the types allow, in a small scope first and, where that tells nothing of larger
ones, in those that can tell.

With one guest, *two guests are aboard* is never; so is *five are* with four.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from verifier.core.program import Program
from verifier.model.ruleset import Param
from verifier.model.terms import Term
from verifier.prove.abstract import EVERYWHERE
from verifier.prove.counted import counted
from verifier.prove.everywhere import MANY_COUNTED, of_any_size
from verifier.prove.extent import scopes, with_many
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

    def ask(self, question: Question, assuming: Sequence[Term] = ()) -> Answer:
        """As `Typed.ask`; `never` only where that is so in each scope that can tell."""
        self.found = None
        answer = self.typed.ask(question, assuming)
        if not isinstance(answer, Never):
            return answer
        wider, whole = self._wider(answer, question)
        for larger in wider:
            more = larger.ask(question, assuming)
            if isinstance(more, Sometimes):
                self.found = larger
            if not isinstance(more, Never):
                return more
            answer = more
        return answer if whole else Unknown(MANY_COUNTED, scope=answer.scope)

    def differ(
        self, params: Sequence[Param], left: Term, right: Term, assuming: Sequence[Term] = ()
    ) -> Never | Differ | Unknown:
        """As `Typed.differ`; `never` only where that is so in each scope that can tell."""
        answer = self.typed.differ(params, left, right, assuming)
        if not isinstance(answer, Never):
            return answer
        wider, whole = self._wider(answer, Question(tuple(params), left, none=(Nothing((), right),)))
        for larger in wider:
            more = larger.differ(params, left, right, assuming)
            if not isinstance(more, Never):
                return more
            answer = more
        return answer if whole else Unknown(MANY_COUNTED, scope=answer.scope)

    def _wider(self, never: Never, question: Question) -> tuple[list[Typed], bool]:
        """Who can tell of more, where `never` does not hold of any number; and whether they have all that counts."""
        if of_any_size(never):
            return [], True
        base = self.typed.scope
        if never.scope.startswith(EVERYWHERE):
            # Only lists have an end here.
            more = counted(self.program, (base,), question)
            return [self._within(s) for s in more.scopes if s.slots != base.slots], more.whole
        # In none of them lists are shorter than in the first.
        others = [
            replace(s, slots={path: max(most, base.slots.get(path, 0)) for path, most in s.slots.items()})
            for s in scopes(self.program)[1:]
        ]
        several = with_many(self.program, base, question)
        more = counted(self.program, (base, *others), question)
        every = [*others, *(() if several is None else (several,)), *more.scopes]
        return [self._within(scope) for scope in every], more.whole

    def _within(self, scope: Scope) -> Typed:
        key = repr(scope)
        if key not in self._larger:
            self._larger[key] = Typed(self.program, scope, self.settings)
        return self._larger[key]
