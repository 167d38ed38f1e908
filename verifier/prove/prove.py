"""All obligations of a ruleset, decided one by one, perhaps in several processes, and what came of them as one result.

The result and its order do not hang on how many processes there were: what the types alone settle is reported first,
in the order of the obligations, then what needs plays and invariants, in the same order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from typing import Literal

from verifier.check.result import RulesetResult
from verifier.core.program import Program
from verifier.errors import Problem, RequestError
from verifier.exits import Exit, worst
from verifier.model.ruleset import Ruleset
from verifier.prove.accepted import out_of_date
from verifier.prove.everywhere import of_any_size
from verifier.prove.finding import Finding, Teller, names_of, refutation, unknown
from verifier.prove.kept import Entry, Memory
from verifier.prove.question import Answer, Decided, Kind, Never, Obligation
from verifier.prove.workers import Decider, Workers
from verifier.version import VERSION

Verdict = Literal["proved", "refuted", "accepted", "undecided", "disagreement"]

VERDICTS: tuple[Verdict, ...] = ("disagreement", "refuted", "undecided", "accepted", "proved")
"""In the order in which they want attention."""

EXITS: dict[Verdict, Exit] = {
    "proved": Exit.HOLDS,
    "accepted": Exit.HOLDS,
    "refuted": Exit.BROKEN,
    "undecided": Exit.UNDECIDED,
    "disagreement": Exit.OURSELVES,
}

SLOWEST = 10
"""So many obligations are named as the slowest."""


ACCEPTED = "the ruleset accepts it as a finding, though none was made"


@dataclass(frozen=True, slots=True)
class Result:
    """One obligation with its verdict. `name` is what a finding of it is called, `accepted` the reason for which the
    ruleset accepts one, made or not; `seconds` differ from run to run.
    """

    obligation: Obligation
    name: str
    verdict: Verdict
    decided: Decided
    finding: Finding | None
    accepted: str | None
    seconds: float = field(compare=False)

    @property
    def answers(self) -> tuple[Answer, ...]:
        """The answers in words and in play, as far as they were asked."""
        return tuple(a for a in (self.decided.words, self.decided.play) if a is not None)

    @property
    def bounded(self) -> bool:
        """Whether it is proved of no more people and things than its scope has: that more are alike is assumed."""
        return self.verdict == "proved" and any(
            isinstance(answer, Never) and not of_any_size(answer) for answer in self.answers
        )

    @property
    def why(self) -> str | None:
        """Why it is undecided, or what disagrees; and whether the ruleset accepts that it does not hold."""
        open_ = unknown(self.decided)
        if open_ is None or self.verdict not in ("undecided", "disagreement"):
            return None
        return open_.why if self.accepted is None else f"{open_.why}; {ACCEPTED}: {self.accepted}"


@dataclass(frozen=True, slots=True)
class Proof:
    """What was found of a ruleset. `results` are in the order of the obligations, all of them or those of `only`.

    `asked` and `cached` count queries to the solvers and answers from the cache, and differ from run to run;
    `errors` are the accepted findings that no longer occur.
    """

    ruleset: Ruleset
    about: RulesetResult
    version: str
    solvers: tuple[tuple[str, str], ...]
    only: tuple[str, ...]
    total: int
    results: tuple[Result, ...]
    errors: tuple[Problem, ...]
    asked: int = field(compare=False)
    cached: int = field(compare=False)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What does not hold, accepted or not."""
        return tuple(result.finding for result in self.results if result.finding is not None)

    @property
    def counts(self) -> dict[Verdict, int]:
        """How many obligations came out how."""
        return {verdict: sum(r.verdict == verdict for r in self.results) for verdict in VERDICTS}

    @property
    def kinds(self) -> dict[Kind, dict[Verdict, int]]:
        """The same for each kind of obligation, in the order met."""
        found: dict[Kind, dict[Verdict, int]] = {}
        for result in self.results:
            tally = found.setdefault(result.obligation.kind, dict.fromkeys(VERDICTS, 0))
            tally[result.verdict] += 1
        return found

    @property
    def bounded(self) -> int:
        """How many are proved of no more people and things than their scopes have."""
        return sum(result.bounded for result in self.results)

    @property
    def scopes(self) -> tuple[str, ...]:
        """The scopes that answers were given in, in the order met."""
        return tuple(dict.fromkeys(a.scope for r in self.results for a in r.answers if a.scope))

    @property
    def slowest(self) -> tuple[Result, ...]:
        """The obligations that took longest, the longest first."""
        return tuple(sorted(self.results, key=lambda r: -r.seconds)[:SLOWEST])

    @property
    def exit_code(self) -> Exit:
        """4 where answers disagree, 2 where an accepted finding is gone, 1 refuted, 3 undecided, else 0."""
        exits = [EXITS[result.verdict] for result in self.results]
        return worst([*exits, Exit.REQUEST] if self.errors else exits)


OnResult = Callable[[Result], None]
"""Called with each result as soon as those before it are there."""

OnProgress = Callable[[str, int, int], None]
"""Called with what is being done, how many obligations are decided, and how many there are."""


def prove(
    program: Program,
    obligations: Iterable[Obligation],
    decider: Decider,
    *,
    solvers: Sequence[str] = ("z3", "cvc5"),
    only: Sequence[str] = (),
    rests: Mapping[str, tuple[str, ...]] | None = None,
    jobs: int = 1,
    memory: Memory | None = None,
    on_result: OnResult | None = None,
    on_progress: OnProgress | None = None,
) -> Proof:
    """Decide every obligation, or those that a pattern of `only` names, by `decider`, in up to `jobs` processes.

    What `rests` on an obligation that is refuted itself is not reported as one more finding. A run that `memory`
    has is not made again.

    Raises `RequestError` where a pattern names none, `InternalError` where a process dies.
    """
    every = tuple(obligations)
    rests = rests or {}
    parts = {o.id: decider.parts(o) for o in every}
    names = names_of([*every, *(part for several in parts.values() for part in several)])
    chosen = select([x for o in every for x in (o, *parts[o.id])], names, only)
    inside = {part.id for o in chosen for part in parts.get(o.id, ())}
    chosen = tuple(o for o in chosen if o.id not in inside)
    teller = Teller(program, names)
    found: dict[str, Result] = {}
    regions: dict[str, tuple[str, ...]] = {}
    show = on_progress or (lambda what, done, total: None)

    def take(decided: Decided, region: tuple[str, ...], seconds: float) -> None:
        result = _result(teller, decided, region, seconds)
        regions[decided.obligation.id] = region
        found[decided.obligation.id] = result
        if on_result is not None and not hollow(result):
            on_result(result)
        show("deciding", len(found), len(chosen))

    def hollow(result: Result) -> bool:
        """Whether it says nothing more than another finding that it rests on."""
        below = [found[on].finding for on in rests.get(result.obligation.id, ()) if on in found]
        return result.finding is not None and any(finding is not None for finding in below)

    show("deciding", 0, len(chosen))
    known = {x.id: x for o in chosen for x in (o, *parts.get(o.id, ()))}
    kept = None if memory is None else memory.get(chosen, known)
    if kept is not None:
        for entry in kept[0]:
            take(entry.decided, entry.region, 0.0)
        order, asked, cached = kept[1], 0, len(kept[0])
    else:
        workers = Workers(decider, jobs, take, lambda what: show(what, len(found), len(chosen)))
        order = tuple(o.id for o in workers.run(chosen))
        asked, cached = workers.asked, workers.cached
        if memory is not None:
            memory.put(chosen, [Entry(r.decided, regions[name]) for name, r in found.items()], order)
    results = tuple(found[name] for name in order)
    results = tuple(result for result in results if not hollow(result))
    holds = {r.name: r.obligation.claim for r in results if r.verdict == "proved"}
    decided = {r.obligation.id for r in results}
    for whole in chosen:
        holds.update({names[p.id]: p.claim for p in parts.get(whole.id, ()) if p.id not in decided})
    return Proof(
        program.ruleset,
        about(program.ruleset),
        VERSION,
        tuple((name, _version(name)) for name in solvers),
        tuple(only),
        len(every),
        results,
        out_of_date(program.ruleset, holds, set(names.values()), not only),
        asked,
        cached,
    )


def _result(teller: Teller, decided: Decided, region: tuple[str, ...], seconds: float) -> Result:
    name = teller.names[decided.obligation.id]
    finding = None if refutation(decided) is None else teller.finding(decided, region)
    open_ = unknown(decided)
    verdict: Verdict
    if open_ is not None and open_.disagree:
        verdict = "disagreement"
    elif finding is not None:
        verdict = "refuted" if finding.accepted is None else "accepted"
    else:
        verdict = "proved" if open_ is None else "undecided"
    accepted = teller.ruleset.accepted.get(name)
    return Result(decided.obligation, name, verdict, decided, finding, accepted, seconds)


def select(
    obligations: Sequence[Obligation], names: dict[str, str], only: Sequence[str]
) -> tuple[Obligation, ...]:
    """The obligations that some pattern names: by id, name, kind, or a rule that they speak of; `*` is any text.

    Raises `RequestError` for a pattern that names none.
    """
    if not only:
        return tuple(obligations)
    wanted: set[str] = set()
    for pattern in only:
        glob = re.compile(
            re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."), re.IGNORECASE | re.DOTALL
        )
        met = {o.id for o in obligations if any(map(glob.fullmatch, (o.id, names[o.id], o.kind, *o.rules)))}
        if not met:
            raise _no_such(pattern, obligations, names)
        wanted |= met
    return tuple(o for o in obligations if o.id in wanted)


def _no_such(pattern: str, obligations: Sequence[Obligation], names: dict[str, str]) -> RequestError:
    import difflib

    kinds = list(dict.fromkeys(o.kind for o in obligations))
    rules = list(dict.fromkeys(rule for o in obligations for rule in o.rules))
    near = difflib.get_close_matches(pattern, [*kinds, *names.values(), *rules], n=1)
    advice = f"did you mean {near[0]}?" if near else f"there are the kinds {', '.join(kinds)}"
    return RequestError(
        Problem(
            f"no obligation is called {pattern}",
            code="unknown-obligation",
            help=f"{advice}; a pattern is an obligation's name, a kind or a rule, and * stands for any text",
        )
    )


def about(ruleset: Ruleset) -> RulesetResult:
    """The names and digests of a ruleset and its law."""
    law = ruleset.law
    if law is None:
        return RulesetResult(ruleset.name, ruleset.digest, in_force=ruleset.in_force)
    return RulesetResult(ruleset.name, ruleset.digest, law.id, law.title, law.digest, ruleset.in_force)


def _version(solver: str) -> str:
    return metadata.version({"z3": "z3-solver"}.get(solver, solver))
