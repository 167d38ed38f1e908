"""The Python API: a ruleset by name, logs checked against it, what must hold of it proved, clauses explained.

```
rules = verifier.load("nz/blackjack-1998")
result = rules.check("logs/")
for entry in result.entries:
    print(entry.event, [c.clause for c in entry.lead.citations])
```
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verifier.check.engine import KEEP, Engine, Prepared, Progress, check, judge_logs, prepare
from verifier.check.result import CheckResult, Entry
from verifier.errors import LogError, Problem, RequestError
from verifier.model.ruleset import Ruleset

if TYPE_CHECKING:
    from verifier.check.clause import ClausePage
    from verifier.coverage.measure import Coverage
    from verifier.log.schema import LogSchema
    from verifier.log.sources import Format
    from verifier.prove.prove import OnProgress, OnResult, Proof

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


class Rules:
    """One ruleset, ready to check logs."""

    def __init__(self, ready: Prepared) -> None:
        self._ready = ready

    @property
    def name(self) -> str:
        """The ruleset's name."""
        return self._ready.ruleset.name

    @property
    def ruleset(self) -> Ruleset:
        """All that its text says."""
        return self._ready.ruleset

    @property
    def prepared(self) -> Prepared:
        """The ruleset with its core and its log's columns."""
        return self._ready

    @property
    def schema(self) -> LogSchema:
        """What its log looks like."""
        return self._ready.binding.schema

    def check(
        self,
        logs: Paths | Any = (),
        *,
        options: Mapping[str, object] | Iterable[str] = (),
        format: Format | None = None,
        manifest: str | os.PathLike[str] | None = None,
        header: Mapping[str, object] | None = None,
        any_ruleset: bool = False,
        strict: bool = False,
        keep: int = KEEP,
        on_entry: Callable[[Entry], None] | None = None,
        progress: Progress | None = None,
        columns: str | os.PathLike[str] | None = None,
        sort: bool = False,
        query: str | None = None,
        database: str | os.PathLike[str] | None = None,
        engine: Engine = "auto",
        jobs: int = 1,
    ) -> CheckResult:
        """Check logs: a path or several (files, folders, `-`), or whatever gives Arrow's C stream (an Arrow table,
        a record batch reader, a DuckDB relation).

        A relation needs `header`, with the keys of a manifest (`operator`, `currency`, `exponent`,
        `records`, …; `gazette-log` and `ruleset` are filled in). `manifest` goes with a single CSV or Parquet
        file. Everything else, and what is raised, as `verifier.check.engine.check`.
        """
        if _is_arrow(logs):
            return self._check_relation(logs, options, header, strict, keep, on_entry, progress, engine)
        if header is not None:
            raise RequestError(
                Problem(
                    "a header goes with a relation, files have their own",
                    code="header-of-file",
                    help="leave header out, or name a manifest",
                )
            )
        paths = [logs] if isinstance(logs, str | os.PathLike) else list(logs)
        return check(
            paths,
            self._ready,
            options,
            format,
            progress,
            manifest=manifest,
            any_ruleset=any_ruleset,
            strict=strict,
            keep=keep,
            on_entry=on_entry,
            columns=columns,
            sort=sort,
            query=query,
            database=database,
            engine=engine,
            jobs=jobs,
        )

    def report(
        self,
        logs: Paths,
        into: str | os.PathLike[str],
        *,
        options: Mapping[str, object] | Iterable[str] = (),
        format: Format | None = None,
        manifest: str | os.PathLike[str] | None = None,
        any_ruleset: bool = False,
        strict: bool = False,
        rounds: int | None = None,
        jobs: int = 1,
        progress: Progress | None = None,
        columns: str | os.PathLike[str] | None = None,
        sort: bool = False,
    ) -> CheckResult:
        """Check logs and write pages about it into the folder `into`, which is made, or is there and empty.

        At most so many `rounds` are drawn, all unless asked otherwise, by `jobs` processes. Everything else, and what
        is raised, as `check`; the result keeps no entries. Raises `FileExistsError` where the folder is not empty.
        """
        from verifier.report.html import check as pages

        folder = Path(into)
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise FileExistsError(f"{folder} is not empty")
        paths = [logs] if isinstance(logs, str | os.PathLike) else list(logs)
        pairs = options.items() if isinstance(options, Mapping) else ()
        named = [f"{n}={('yes' if v else 'no') if isinstance(v, bool) else v}" for n, v in pairs]
        request = pages.Request(
            tuple(str(path) for path in paths),
            self.name,
            tuple(named or map(str, options)),
            format,
            None if manifest is None else os.fspath(manifest),
            any_ruleset,
            strict,
            None if columns is None else os.fspath(columns),
            sort,
        )
        return pages.folder(request, self._ready, folder, progress, rounds, jobs)

    def _check_relation(
        self,
        relation: Any,
        options: Mapping[str, object] | Iterable[str],
        header: Mapping[str, object] | None,
        strict: bool,
        keep: int,
        on_entry: Callable[[Entry], None] | None,
        progress: Progress | None,
        engine: Engine,
    ) -> CheckResult:
        from verifier.log.faults import RefusedError, log_error
        from verifier.log.header import HEADER_KEY, VERSION, parse_header
        from verifier.log.sources import open_relation

        name = "<relation>"
        if header is None:
            raise RequestError(
                Problem(
                    "a relation comes without a header",
                    name,
                    code="no-header",
                    help='give header={"operator": …, "currency": "NZD", "exponent": 2, "records": "all"}',
                )
            )
        fields = {HEADER_KEY: VERSION, "ruleset": self.name, **header}
        try:
            parsed = parse_header(fields, self.schema)
        except RefusedError as refused:
            raise LogError(*log_error(name, None, refused.faults).problems) from None
        log = open_relation(name, relation, self.schema, parsed)
        return judge_logs(
            [log], self._ready, options, progress, engine, strict=strict, keep=keep, on_entry=on_entry
        )

    def prove(
        self,
        *,
        only: Sequence[str] = (),
        scope: Iterable[str] = (),
        solver: str = "both",
        jobs: int = 1,
        cache: bool = True,
        afresh: bool = False,
        smt2: str | os.PathLike[str] | None = None,
        on_result: OnResult | None = None,
        on_progress: OnProgress | None = None,
    ) -> Proof:
        """Prove what must hold of the ruleset in every possible course of play, or what `only` names of it.

        `only` are patterns of obligations, kinds or rules, `scope` texts such as `Guest=2`; `solver` is both, z3 or
        cvc5; `afresh` looks for everything anew, not first at what is kept beside the ruleset; `smt2` is a folder into
        which every question is written. `verifier.report.prove_text.text` prints it,
        `verifier.report.prove_page.page` publishes it. Raises `RequestError` for what makes no sense,
        `InternalError` where a process of ours dies.
        """
        from verifier.prove import found
        from verifier.prove.whole import prove_whole, settings

        return prove_whole(
            self._ready.program,
            settings(solver, None if smt2 is None else Path(smt2), not cache),
            only=only,
            scope=scope,
            jobs=jobs,
            found=None if afresh else found.kept(self._ready.ruleset),
            rounds=None if afresh else found.kept(self._ready.ruleset, found.ROUNDS),
            on_result=on_result,
            on_progress=on_progress,
        )

    def coverage(
        self,
        transcripts: Sequence[str | Path] = (),
        *,
        proof: Path | None = None,
        mutants: Path | None = None,
        rounds: Path | None = None,
    ) -> Coverage:
        """How much of the law the rules say, and what looks after them, by transcripts that say what they expect and
        by what `gazette prove`, `gazette mutate` and `gazette generate` wrote as JSON. As
        `verifier.coverage.measure.measure`.
        """
        from verifier.coverage.measure import measure

        return measure(self._ready, transcripts, proof=proof, mutants=mutants, rounds=rounds)

    def explain(self, clause: str) -> ClausePage:
        """The law's words of a clause, the rules on it with their readings and edges, and what refers to it.

        `verifier.report.explain.clause_text` prints it. Raises `LawError` for a clause that the law does not
        have.
        """
        from verifier.check.clause import clause_page

        return clause_page(self.ruleset, clause)

    def __repr__(self) -> str:
        return f"<Rules {self.name}>"


def load(name: str | Path, search: Sequence[str | Path] = ()) -> Rules:
    """The shipped ruleset `name`, one in a folder of `search`, or the one in a .rules file.

    Raises `RequestError` if there is none, `RuleTextError` and `LawError` if its text is wrong.
    """
    return Rules(prepare(name, [Path(folder) for folder in search]))


def _is_arrow(logs: object) -> bool:
    """Whether it gives Arrow's C stream; Arrow itself is not loaded to find out."""
    return hasattr(logs, "__arrow_c_stream__")
