"""What earlier proofs found, looked at anew.

A play answers a question only if, judged event by event by the interpreter, it leads to where that is true. Where rules
have changed, what no longer fits is passed over. That a search was in vain is a reason not to repeat it as long as the
rules are the very same.
"""

from __future__ import annotations

from collections.abc import Sequence

from verifier.check.fields import happening_of
from verifier.check.options import read_settings
from verifier.check.schema import Binding, bind
from verifier.core.program import Program
from verifier.errors import RequestError, RuleTextError
from verifier.prove.explore.evaluate import Asker
from verifier.prove.explore.replay import replayed
from verifier.prove.explore.settings import Required
from verifier.prove.explore.snapshot import Runner
from verifier.prove.found import Found, Recorded
from verifier.prove.proven import rules_digest
from verifier.prove.question import Mode, Obligation, Play, Question, Sometimes
from verifier.run.bench import Happening

SCOPE = "a play kept from an earlier proof"


class Known:
    """What was found of a program before: what of it still answers."""

    def __init__(self, program: Program, found: Found) -> None:
        self.program = program
        self.found = found
        self.same = found.rules == rules_digest(program.ruleset)
        self.required = Required(program)
        self._runner: Runner | None = None
        self._binding: Binding | None = None

    def in_vain(self, obligation: Obligation, mode: Mode) -> bool:
        """Whether a play was looked for in vain, of the very same rules."""
        return self.same and (obligation.id, mode) in self.found.vain

    def answer(
        self, obligation: Obligation, mode: Mode, question: Question, askers: Sequence[Asker]
    ) -> Sometimes | None:
        """The play kept for an obligation, judged anew, if one of `askers` finds the question true at its end."""
        for asked in (mode, "play"):
            recorded = self.found.plays.get((obligation.id, asked))
            play = None if recorded is None else self._replayed(recorded)
            if play is None or (mode == "play" and not play.lawful):
                continue
            for asker in askers:
                values = asker.find(question, play.state, play.options)
                if values is not None:
                    return Sometimes(play.state, play.options, values, play, SCOPE, ("interpreter",))
        return None

    def plays(self) -> tuple[Play, ...]:
        """The plays kept that can still happen, each once, in the order of the file."""
        recorded = {id(one): one for one in self.found.plays.values()}
        return tuple(play for one in recorded.values() if (play := self._replayed(one)) is not None)

    def _replayed(self, recorded: Recorded) -> Play | None:
        """The play, where the ruleset has its options and events, and they can happen."""
        try:
            self._binding = self._binding or bind(self.program.ruleset)
            options = read_settings(self.program.ruleset, recorded.options)
        except (RuleTextError, RequestError):
            return None
        if options.keys() != self.program.ruleset.options.keys() or not self.required(options):
            return None
        happenings: list[Happening] = []
        for fields in recorded.events:
            happening = happening_of(fields, self.program.ruleset, self._binding)
            if happening is None:
                return None
            happenings.append(happening)
        self._runner = self._runner or Runner(self.program)
        return replayed(self._runner, options, happenings)
