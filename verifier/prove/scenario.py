"""Plays that answer a question: the kinds of event are those of a play that there is, Z3 chooses the rest.

What is found is replayed by the judge, and the question asked again of the interpreter, before it is returned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import z3

from verifier.core.program import Program
from verifier.model.types import BOOL
from verifier.prove import contexts
from verifier.prove.explore.evaluate import asker
from verifier.prove.explore.replay import replay
from verifier.prove.explore.shorten import shortened
from verifier.prove.explore.snapshot import Runner
from verifier.prove.question import Play, Question, Sometimes
from verifier.prove.shapes import Leaf, model_leaf
from verifier.prove.smtlib import Writer
from verifier.prove.solve import Settings, solve
from verifier.prove.unroll import Asked, Unrolled
from verifier.prove.values import CannotEncodeError, Truth, and_, or_
from verifier.run.bench import Happening

RLIMIT = 20_000_000
"""What Z3 may spend on one look for a play, in its own units."""

MILD_RLIMIT = 2_000_000
"""What Z3 may spend on finding out whether one more rule can be kept;"""

MOST_TOO_MUCH = 3
"""where that has not been enough so often, the play is mild as it is."""

MOST_KEPT = 48
"""So many plays are kept unrolled for the next question."""

MOST_LOOKS = 3
"""Where the judge finds a play unlawful after all, others are looked for, so many in all."""


def find_play(
    program: Program,
    skeleton: Play,
    question: Question,
    lawful: bool,
    settings: Settings,
    free_options: bool = False,
    optional: bool = False,
) -> Sometimes | None:
    """A play that begins as `skeleton` does, in kinds of event, actors and references, and makes the question true;
    events that it does not need are left out.

    Where `lawful`, no event of it breaks a rule; else as few break any as a quick look finds. Options stay as they
    are, unless those of few values are to be free. Where events are `optional`, any of the skeleton's may be left out,
    and so it may have events that were never played. None where there is no such play, or none was found.
    """
    try:
        unrolled = _unrolled(program, skeleton, free_options, optional)
        asked = [found for after in unrolled.places(lawful) for found in unrolled.asked(question, after)]
        return _Search(unrolled, question, lawful, settings).find(asked)
    except CannotEncodeError:
        return None


def _unrolled(program: Program, play: Play, free_options: bool, optional: bool) -> Unrolled:
    """The play in Z3, kept from one question to the next."""
    for place, known in enumerate(_UNROLLED):
        if (
            known.program is program
            and (known.free_options, known.optional) == (free_options, optional)
            and known.play.happenings == play.happenings
            and known.play.options == play.options
            and known.play.state.ids == play.state.ids
        ):
            _UNROLLED.insert(0, _UNROLLED.pop(place))
            return known
    made = Unrolled(program, play, free_options, optional)
    _UNROLLED.insert(0, made)
    del _UNROLLED[MOST_KEPT:]
    return made


_UNROLLED: list[Unrolled] = []


@dataclass(frozen=True, slots=True)
class _Search:
    """A look for a play that makes one of several questions true."""

    unrolled: Unrolled
    question: Question
    lawful: bool
    settings: Settings

    def find(self, asked: Sequence[Asked]) -> Sometimes | None:
        """The play, replayed and judged, with the values for which the question is true after it."""
        left = list(asked)
        for _ in range(MOST_LOOKS):
            first = self._first(left)
            if first is None:
                return None
            hit, leaf = first
            if not self.lawful:
                leaf = self._milder(hit, leaf)
            found = self._replayed(hit, leaf)
            if found is not None:
                return found
            left.remove(hit)
        return None

    def _first(self, asked: Sequence[Asked]) -> tuple[Asked, Leaf] | None:
        """Of what can be reached that which needs the fewest events, and how."""
        best: tuple[Asked, Leaf] | None = None
        left = list(asked)
        while left and (leaf := self._solved(left)) is not None:
            hits = [a for a in left if self._holds(self._reached(a), leaf)]
            best = min(hits, key=lambda a: a.after), leaf
            left = [a for a in left if a.after < best[0].after]
        return best

    def _solved(self, asked: Sequence[Asked]) -> Leaf | None:
        """Values for which one of `asked` is true, and reached as it should be."""
        conditions = [*self.unrolled.assumed, or_(*map(self._reached, asked))]
        limit = min(RLIMIT, self.settings.rlimit)
        solved = solve(conditions, replace(self.settings, solvers=("z3",), rlimit=limit, smt2=None))
        return model_leaf(solved.model) if solved.status == "sat" else None

    def _reached(self, asked: Asked) -> Truth:
        """That the question is true, and that the events up to it can be so, and lawfully where that is wanted."""
        moments = self.unrolled.moments[: asked.after]
        kept = [moment.kept for moment in moments] if self.lawful else []
        return and_(asked.truth, *(moment.can for moment in moments), *kept)

    def _holds(self, truth: Truth, leaf: Leaf) -> bool:
        return bool(self.unrolled.world.shapes.concrete(BOOL, truth, leaf))

    def _milder(self, hit: Asked, leaf: Leaf) -> Leaf:
        """Values for which few events break rules: each keeps to them that can, the earlier ones first, and else to as
        many of them as it can."""
        moments = self.unrolled.moments[: hit.after]
        wishes = [m.kept for m in moments] + [t for m in moments if len(m.lawful) > 1 for _, t in m.lawful]
        named = [(z3.Bool(f"wish {i}"), wish) for i, wish in enumerate(wishes) if not isinstance(wish, bool)]
        conditions = [*self.unrolled.assumed, self._reached(hit), *(or_(z3.Not(n), w) for n, w in named)]
        written = Writer().write(conditions)
        context = contexts.fresh()
        solver = z3.SolverFor("QF_LIA", ctx=context)
        solver.set("random_seed", self.settings.seed)
        solver.set("rlimit", MILD_RLIMIT)
        solver.from_string(written.body)
        held: list[Any] = []
        model: Any = None
        too_much = 0
        for name, _ in named:
            wish = z3.Bool(name.decl().name(), ctx=context)
            if model is not None and z3.is_true(model.eval(wish)):
                held.append(wish)
                continue
            told = solver.check(*held, wish)
            if told == z3.sat:
                held.append(wish)
                model = solver.model()
            too_much += told == z3.unknown
            if too_much == MOST_TOO_MUCH:
                break
        return leaf if model is None else model_leaf(_at_home(model, written.constants, context))

    def _replayed(self, hit: Asked, leaf: Leaf) -> Sometimes | None:
        """What the judge makes of the play; None where it or the interpreter does not confirm what Z3 says."""
        program, shapes = self.unrolled.program, self.unrolled.world.shapes
        happenings = []
        for moment in self.unrolled.moments[: hit.after]:
            if not self._holds(moment.taken, leaf):
                continue
            params = program.ruleset.events[moment.happening.event].params
            values = tuple(shapes.concrete(p.type, a, leaf) for p, a in zip(params, moment.args, strict=True))
            happenings.append(Happening(moment.happening.event, moment.happening.actor, values))
        options = {
            name: shapes.concrete(program.ruleset.options[name].type, value, leaf)
            for name, (value, stated) in self.unrolled.options.values.items()
            if stated
        }
        play = replay(program, options, happenings)
        if play is None or (self.lawful and not play.lawful):
            return None
        wanted = {name: shapes.concrete(type_, value, leaf) for name, type_, value in hit.values}
        ask = asker(program)
        if not ask.holds(self.question, play.state, options, wanted):
            return None
        if ask.find(self.question, play.state, options) is not None:
            short, known = shortened(Runner(program), ask, self.question, play)
            if set(short.broken) <= set(play.broken):
                play, wanted = short, known
        scope = f"plays of the kinds of event of one that has {len(self.unrolled.play.happenings)}"
        return Sometimes(play.state, options, wanted, play, scope, ("z3", "interpreter"))


def _at_home(model: Any, constants: Mapping[str, Any], context: Any) -> Any:
    """A model of another context as one of ours, of these constants."""
    found = z3.Model()
    for name, constant in constants.items():
        truth = z3.is_bool(constant)
        sort = z3.BoolSort(ctx=context) if truth else z3.IntSort(ctx=context)
        value = model.eval(z3.Const(name, sort), model_completion=True)
        found.update_value(constant, z3.BoolVal(z3.is_true(value)) if truth else z3.IntVal(value.as_long()))
    return found
