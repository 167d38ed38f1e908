"""A mutant made into a program: its block is parsed anew, and all modules are bound and lowered again.

Measured on nz/blackjack-1998 (one core, not idle): the block is parsed in 1 ms, bound in 150 to 250 ms, lowered in 30;
parsing whole modules would take 400 more. Changing terms of the core would be faster still, but what a mutant is
could then not be shown as rule text, nor refused for the reasons for which a drafter's text is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from verifier.check.engine import Prepared
from verifier.check.schema import bind
from verifier.core.lower import lower
from verifier.model.again import Kept
from verifier.model.load import Modules, build, read
from verifier.mutate.mutant import Mutant
from verifier.syntax.parse import parse_module
from verifier.syntax.tree import Module


@dataclass(frozen=True, slots=True)
class Workshop:
    """Makes mutants of one ruleset; `original` is the ruleset as it stands."""

    modules: Modules
    original: Prepared

    def made(self, mutant: Mutant) -> Prepared:
        """The mutant, ready to judge. Raises `RuleTextError` where its text is refused."""
        ruleset = build(replace(self.modules, modules=(*self.modules.modules[:-1], self._module(mutant))))
        return Prepared(ruleset, lower(ruleset), bind(ruleset))

    def text(self, mutant: Mutant) -> str:
        """The rule file with the change made."""
        text = self.modules.modules[-1].text
        return text[: mutant.change.start] + mutant.change.text + text[mutant.change.end :]

    def _module(self, mutant: Mutant) -> Module:
        module = self.modules.modules[-1]
        old = module.blocks[mutant.block].at
        text = self.text(mutant)
        lines = text.split("\n")[old.line - 1 : old.end_line]
        parsed = parse_module("\n" * (old.line - 1) + "\n".join(lines) + "\n", module.path)
        blocks = (*module.blocks[: mutant.block], *parsed.blocks, *module.blocks[mutant.block + 1 :])
        return Module(module.path, text, blocks)


def workshop(name: str | Path) -> Workshop:
    """The workshop for a ruleset. Raises as `verifier.model.load.load`."""
    modules = replace(read(name), kept=Kept())
    ruleset = build(modules)
    prepared = Prepared(ruleset, lower(ruleset), bind(ruleset))
    return Workshop(replace(modules, laws=ruleset.laws), prepared)
