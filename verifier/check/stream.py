"""One table's rows as they come, from file to file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from verifier.check.lives import Lives
from verifier.check.owing import Owing
from verifier.check.terms import Terms
from verifier.log.header import Header
from verifier.run.explain import Explainer
from verifier.run.judge import Judge


@dataclass(slots=True)
class Stream:
    """One table's rows over all files. Its judge is made when it is first asked for; `used` is it, where it was."""

    make: Callable[[], Judge]
    lives: Lives
    terms: Terms
    header: Header
    file: str
    seq: int
    keys: tuple[object, ...]
    owing: Owing
    begun: tuple[int, int] = (0, 0)
    """Its first file's place among the files, and its first row's line there."""
    events: int = 0
    entries: int = 0
    first_at: str | None = None
    last_at: str | None = None
    used: Judge | None = None
    _explainer: Explainer | None = None

    @property
    def judge(self) -> Judge:
        if self.used is None:
            self.used = self.make()
        return self.used

    @property
    def explainer(self) -> Explainer:
        if self._explainer is None:
            self._explainer = Explainer(self.judge)
        return self._explainer
