"""Questions asked of every state of whatever size, by the logic between their parts alone: what reads the state is
left open, at first all of it, then what is said of lists no longer.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Literal

from verifier.core.program import Program
from verifier.prove.abstract import BUT_LISTS, EVERYWHERE, Outline
from verifier.prove.extent import LONGEST_WHOLE
from verifier.prove.question import Never, Question
from verifier.prove.scope import Scope, list_fields
from verifier.prove.scope_words import Telling, scope_parts
from verifier.prove.smtlib import Assumed
from verifier.prove.solve import Settings, solve
from verifier.prove.symbolic import SymbolicOptions, SymbolicState, World, variables
from verifier.prove.values import CannotEncodeError

COMMENT = (
    "Of {scope}: unsat means that no state is what is asked for; sat means nothing, for constants stand here for "
    "whatever reads the state."
)

Found = Literal["never", "open", "not told", "no lists"]
"""That no state is so; that some choice of the constants is; that neither is known; that there is nothing to look
into."""


Outlines = dict[tuple[object, ...], tuple[Question, Found, tuple[str, ...]]]
"""What outlines tell, by the place of a question in memory, which stays its own as long as it is kept, and by what the
outline hangs on: of a scope only how long its lists are, and what is listed of the options."""

MOST_TOLD = 2_000
"""So much of it is kept."""


class Outlined:
    """A program over any state: its outlines, made as they are needed. `state` and `options` are of its scope. What
    they tell is taken from `told`, which those of the same program in other scopes may share, and kept there."""

    def __init__(
        self,
        program: Program,
        scope: Scope,
        settings: Settings,
        telling: Telling,
        state: SymbolicState,
        options: SymbolicOptions,
        told: Outlines | None = None,
    ) -> None:
        self._told: Outlines = {} if told is None else told
        self.program = program
        self.settings = settings
        self.scope = scope
        self._state, self._options = state, options
        listed = {n: v for n, v in scope.narrowed.items() if n in program.ruleset.options}
        bounds = Scope({}, {}, {}, listed, scope.money_parts)
        self.anything = ", ".join((EVERYWHERE, *scope_parts(bounds, program, telling)))
        with_lists = replace(bounds, slots=scope.slots)
        self.but_lists = ", ".join((BUT_LISTS, *scope_parts(with_lists, program, telling)))
        self.longer: set[Question] = set()
        """Questions that short lists do not answer, and longer ones may."""

    @cached_property
    def _open(self) -> Outline:
        return Outline(self._state, self._options, "open")

    @cached_property
    def _counted(self) -> Outline:
        return Outline(self._state, self._options, "counted")

    @cached_property
    def _slots(self) -> Outline:
        return Outline(self._state, self._options, "slots")

    @cached_property
    def _whole(self) -> Outline | None:
        """With every list as long as it may be; None where some may be too long, or all are so long already."""
        slots = {path: type_.maximum for path, type_ in list_fields(self.program.ruleset)}
        if slots == dict(self.scope.slots) or max(slots.values(), default=0) > LONGEST_WHOLE:
            return None
        world = World(self.program, replace(self.scope, slots=slots))
        return Outline(variables(world), self._options, "slots")

    def never(
        self,
        question: Question,
        options: Assumed,
        name: str,
        comment: str,
        likely: bool = False,
        soon: bool = False,
    ) -> Never | None:
        """`Never` where the logic of the question says so; None where that does not tell, or not so `soon`: with
        nothing of lists.

        What no choice of short lists can be is asked of lists as long as they may be: where these can it is not said.
        What is `likely` to be is sooner told with the short ones first: what can be with these can be.
        """
        name = f"{name}, in outline"
        if likely and self._asked(self._slots, question, options, name, comment, self.but_lists)[0] == "open":
            return None
        for outline in (self._open,) if soon else (self._open, self._counted):
            found, by = self._asked(outline, question, options, name, comment, self.anything)
            if found == "never":
                return Never("typed", self.anything, by)
            if found == "no lists":
                return None
        if soon:
            return None
        found, by = self._asked(self._slots, question, options, name, comment, self.but_lists)
        if found != "never":
            return None
        if self._whole is None:
            every = all(t.maximum <= self.scope.slots[path] for path, t in list_fields(self.program.ruleset))
            return Never("typed", self.anything if every else self.but_lists, by)
        longer, by_longer = self._asked(self._whole, question, options, name, comment, self.anything)
        if longer == "never":
            return Never("typed", self.anything, by_longer)
        if longer == "open":
            self.longer.add(question)
            return None
        return Never("typed", self.but_lists, by)

    def _asked(
        self, outline: Outline, question: Question, options: Assumed, name: str, comment: str, scope: str
    ) -> tuple[Found, tuple[str, ...]]:
        """What an outline tells of a question, and who says so; of the whole program's outlines each is asked once."""
        key = (id(question), outline.lists, outline.slots, self.anything)
        if key not in self._told or self.settings.smt2 is not None:
            self._told[key] = question, *self._ask(outline, question, options, name, comment, scope)
            if len(self._told) > MOST_TOLD:
                del self._told[next(iter(self._told))]
        return self._told[key][1:]

    def _ask(
        self, outline: Outline, question: Question, options: Assumed, name: str, comment: str, scope: str
    ) -> tuple[Found, tuple[str, ...]]:
        try:
            conditions = outline.conditions(question)
        except CannotEncodeError:
            return "not told", ()
        if conditions is None:
            return "no lists", ()
        solved = solve(
            conditions,
            self.settings,
            name,
            f"{comment}\n{COMMENT.format(scope=scope)}",
            options,
            outline.writer,
            confirm=False,
        )
        match solved.status:
            case "unsat":
                return "never", solved.by
            case "sat":
                return "open", solved.by
            case _:
                return "not told", ()
