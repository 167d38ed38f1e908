"""The mutants of a ruleset as text: the score, and every survivor with its clause, the change and its place."""

from __future__ import annotations

from verifier.mutate.mutant import KINDS, Verdict
from verifier.mutate.run import Mutation
from verifier.mutate.trial import Outcome
from verifier.report.lines import Page, count
from verifier.transcripts.case import passed_words

_WORDS: dict[Verdict, str] = {
    "killed": "killed by a transcript",
    "refuted": "killed by a theorem or another obligation, which fails where transcripts lead",
    "proved": "killed by a proof",
    "equivalent": "proved to change nothing",
    "refused": "refused when loaded: no ruleset at all",
    "survived": "survived",
}


def text(mutation: Mutation, width: int, sought: bool = False) -> str:
    """The whole result; `sought`: a round that would kill it was looked for of each survivor."""
    page = Page(width)
    about = mutation.about
    limited = f", of which {len(mutation.outcomes)} were asked for" if mutation.only else ""
    by = count(mutation.transcripts, "transcript")
    if mutation.prover is not None:
        by += f" and {mutation.prover}"
    page.line(f"Ruleset {about.name} ({about.digest[:12]})", style="head")
    page.line(
        f"{count(mutation.total, 'mutant')}{limited}, tried by {by}{passed_words(mutation.passed_over)}."
    )
    for outcome in mutation.survivors:
        _survivor(page, mutation, outcome, sought)
    _score(page, mutation)
    return "\n".join(page.lines) + "\n"


def _survivor(page: Page, mutation: Mutation, outcome: Outcome, sought: bool) -> None:
    mutant = outcome.mutant
    place = mutant.place
    page.heading(f"survived: {mutant.id}")
    page.raw(f"{place.file}:{place.line}:{place.column}", 4)
    page.pair("before", [mutant.before], 8, 4)
    page.pair("after", [mutant.after or "(left out)"], 8, 4)
    if (reason := mutation.reasons.get(mutant.id)) is not None:
        page.pair("reason", [reason], 8, 4)
    if outcome.witness:
        page.raw("a transcript that would kill it:", 4)
        for line in outcome.witness.splitlines():
            page.raw(line, 8)
    elif sought:
        page.raw("no round was found that would kill it, and it is not proved that there is none", 4)


def _score(page: Page, mutation: Mutation) -> None:
    page.line()
    for verdict, number in mutation.counts.items():
        if number:
            page.raw(f"{number:>6}  {_WORDS[verdict]}")
    page.line()
    page.line("Survivors by kind:")
    for kind in KINDS:
        mine = [o for o in mutation.outcomes if o.mutant.kind == kind and o.verdict != "refused"]
        if mine:
            page.raw(f"{sum(o.verdict == 'survived' for o in mine):>6} of {len(mine):>5}  {kind}")
    given = len(mutation.survivors) - len(mutation.open)
    if given:
        page.line()
        page.line(f"{given} of the survivors have a reason.")
    if mutation.needless:
        page.heading("Reasons for mutants that do not survive, to be taken out")
        for outcome in mutation.needless:
            page.raw(f"{outcome.mutant.id}  {_WORDS[outcome.verdict]}", 4)
