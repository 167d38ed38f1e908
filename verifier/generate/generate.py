"""A ruleset's rounds: found, written as transcripts, and each transcript checked before it is given out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from verifier.check.engine import Prepared, prepare
from verifier.check.result import RulesetResult
from verifier.check.terms import ruleset_result
from verifier.coverage.evidence import exercise_of
from verifier.coverage.measure import binding_rules
from verifier.exits import Exit
from verifier.generate.beside import Beside, Target
from verifier.generate.habitual import Tables
from verifier.generate.options import option_faults
from verifier.generate.proofs import Unmet
from verifier.generate.rounds import Beat, Round
from verifier.generate.search import Faulty, Note, Search
from verifier.generate.write import Draft, checked, event_line, expected, transcript
from verifier.model.ruleset import Ruleset
from verifier.prove.desk import Desk
from verifier.prove.found import ENDING as FOUND
from verifier.prove.found import ROUNDS, kept
from verifier.prove.known import Known
from verifier.prove.solve import Settings
from verifier.prove.told import Tellings, Told
from verifier.transcripts.case import ENDING, case_of
from verifier.transcripts.compare import counts_of
from verifier.version import VERSION

SHARE = 40
"""Of what solvers may spend on a question of a proof they may spend one part in so many."""

STEPS = 4_000
"""So many events are played before anything is looked for on purpose."""


@dataclass(frozen=True, slots=True)
class Made:
    """One transcript. `name` is its file's; `rule` the rule that it breaks, None where it breaks none on purpose;
    `shows` the rules that it exercises (keeps, reads or breaks); `whole`: it goes on to the end of the round; `beside`
    says, event by event, what else a check finds in it; `draft` is what the text was written of."""

    name: str
    rule: str | None
    text: str
    events: int
    shows: tuple[str, ...]
    whole: bool
    draft: Draft = field(repr=False, compare=False)
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Generated:
    """All rounds made for a ruleset. `targets` are the rules that bind or decide, in the order of the text;
    `faulty` rounds have one fault each, or one after others that must come first. `beside` shows rules at work that no
    lawful round exercises. `unmet` says which rules no lawful round exercises, or none breaks, and why."""

    ruleset: Ruleset = field(compare=False)
    about: RulesetResult
    targets: tuple[str, ...]
    lawful: tuple[Made, ...]
    faulty: tuple[Made, ...]
    beside: tuple[Made, ...]
    unmet: tuple[Unmet, ...]
    version: str = VERSION

    @property
    def exercised(self) -> frozenset[str]:
        """The rules that some lawful round exercises."""
        return frozenset(rule for made in self.lawful for rule in made.shows)

    @property
    def broken(self) -> frozenset[str]:
        """The rules that some round breaks."""
        return frozenset(made.rule for made in self.faulty if made.rule is not None)

    @property
    def exit_code(self) -> Exit:
        """3 where of some rule it is open whether a round can show it as is wanted, else 0."""
        return Exit.UNDECIDED if any(one.verdict == "open" for one in self.unmet) else Exit.HOLDS


def generate(
    ruleset: str | Path | Prepared,
    settings: Settings,
    *,
    steps: int = STEPS,
    seed: int = 0,
    told: Told | None = None,
    on_progress: Note | None = None,
) -> Generated:
    """Whole lawful rounds which between them exercise every rule that was seen exercised, few and short, and for each
    rule a round with one event that breaks it.

    What is kept beside the ruleset of earlier proofs, the rounds kept there, and what people `told`, is
    looked at before much is played. The same program, all of these, `steps` and `seed` give the same rounds.

    Raises `RuleTextError`, `LawError`, `RequestError`.
    """
    ready = ruleset if isinstance(ruleset, Prepared) else prepare(ruleset)
    search = _with_rounds(_search(ready, settings, steps, seed, on_progress), ready)
    if told is not None:
        search.plays += tuple(Tellings(ready.program, told).plays())
    targets, note = search.targets, search.note
    maker = _Maker(ready)
    rounds = search.lawful()
    lawful = [made for index, one in enumerate(rounds, 1) if (made := maker.lawful(index, one)) is not None]
    faulty: list[Made] = []
    faults = search.faulty()
    for number, rule in enumerate(targets):
        note("going on", number, len(targets))
        made = _broken(search, maker, rule, faults.get(rule), rounds)
        if made is not None:
            faulty.append(made)
    left = {(u.rule, u.wanted): u for u in _unmet(search, targets, lawful, faulty)}
    note("beside something else", len(targets), len(targets))
    beside: list[Made] = []
    for one in search.beside(frozenset(target for target, u in left.items() if not u.ever)):
        target = one.rule, one.wanted
        alone = _alone(search, left[target])
        shown = maker.beside(one, search.bench.complete(one.round.happenings), alone)
        if shown is not None:
            (beside if shown.rule is None else faulty).append(shown)
            left[target] = _at_work(alone, shown)
    order = {rule: number for number, rule in enumerate(targets)}
    faulty.sort(key=lambda made: order[made.rule or ""])
    broken = {made.rule for made in faulty}
    return Generated(
        ready.ruleset,
        ruleset_result(ready.ruleset),
        targets,
        tuple(lawful),
        tuple(faulty),
        tuple(beside),
        tuple(u for u in left.values() if u.wanted == "kept" or u.rule not in broken),
    )


def lacking(
    ready: Prepared,
    settings: Settings,
    *,
    steps: int = STEPS,
    seed: int = 0,
    rounds: bool = False,
    on_progress: Note | None = None,
) -> frozenset[Target]:
    """What is not come upon without what people told, before anything is looked for on purpose; with the `rounds` kept
    beside the ruleset, or without."""
    search = _search(ready, settings, steps, seed, on_progress)
    return (_with_rounds(search, ready) if rounds else search).lacking()


def _with_rounds(search: Search, ready: Prepared) -> Search:
    """The search, which looks at the rounds kept beside the ruleset first."""
    if (kept_rounds := _known(ready, ROUNDS)) is not None:
        search.plays += kept_rounds.plays()
    return search


def _search(ready: Prepared, settings: Settings, steps: int, seed: int, on_progress: Note | None) -> Search:
    """A search that begins from what is kept of earlier proofs."""
    note = on_progress or (lambda what, done, total: None)
    targets = binding_rules(ready.ruleset)
    note("playing", 0, len(targets))
    known = _known(ready, FOUND)
    rounds = _known(ready, ROUNDS)
    desk = Desk(ready.program, _brief(settings), steps=steps, seed=seed, kept=known, rounds=rounds)
    earlier = () if known is None else known.plays()
    return Search(desk, targets, note, Tables(ready, seed), earlier, most=settings)


def _known(ready: Prepared, ending: str) -> Known | None:
    """What is kept beside the ruleset in the file of that ending."""
    found = kept(ready.ruleset, ending)
    return None if found is None else Known(ready.program, found)


def _alone(search: Search, unmet: Unmet) -> Unmet:
    """With what an induction tells of a rule that is to be kept by nothing but lawful events, if nothing else tells."""
    if unmet.proved or unmet.wanted == "broken":
        return unmet
    within = search.proofs.lawfully_nowhere(unmet.rule, search.ways_of(unmet.rule, "kept"))
    return replace(unmet, within=within)


def _at_work(unmet: Unmet, made: Made) -> Unmet:
    """With the round in which the rule is at work all the same."""
    where = f"at work in {made.name}, where {'; '.join(made.beside)}"
    lawfully = f"in no lawful play, by induction ({unmet.within})" if unmet.within else None
    return replace(unmet, why=f"{where}; {lawfully or f'of lawful rounds: {unmet.why}'}", beside=made.name)


def _lawful_ones(unmet: Unmet) -> str:
    """What is known of lawful rounds that show the rule, in a sentence."""
    if unmet.proved:
        return "No lawful round can show it."
    if unmet.within is not None:
        return f"By induction it is at work in no lawful play ({unmet.within})."
    return "No lawful round was found that shows it."


def _brief(settings: Settings) -> Settings:
    """As a proof asks solvers, but each question for less: many are asked here, and most in vain."""
    return replace(settings, rlimit=settings.rlimit // SHARE, cvc5_rlimit=settings.cvc5_rlimit // SHARE)


def _broken(
    search: Search, maker: _Maker, rule: str, found: Faulty | None, rounds: Sequence[Round]
) -> Made | None:
    if found is not None:
        longer = search.gone_on(found)
        whole = search.bench.complete(longer.round.happenings)
        return maker.faulty(longer, whole) or maker.faulty(found, False)
    for one in option_faults(search.bench, search.desk.explorer.mover.settings, rule, rounds):
        made = maker.options(rule, one)
        if made is not None:
            return made
    return None


def _unmet(
    search: Search, targets: Sequence[str], lawful: Sequence[Made], faulty: Sequence[Made]
) -> Iterator[Unmet]:
    shown = {rule for made in lawful for rule in made.shows}
    broken = {made.rule for made in faulty}
    for number, rule in enumerate(targets):
        search.note("proofs", number, len(targets))
        if rule not in shown:
            yield search.proofs.unmet(rule, "kept", search.ways_of(rule, "kept"))
        if rule not in broken:
            yield search.proofs.unmet(rule, "broken", search.ways_of(rule, "broken"))


@dataclass(slots=True)
class _Maker:
    """Writes transcripts, and checks each: what it says that a check finds, a check has found."""

    ready: Prepared
    _names: set[str] = field(default_factory=set)

    def lawful(self, number: int, one: Round) -> Made | None:
        about = f"A lawful round of {len(one.beats)} events. Under kept stand the rules that it exercises."
        name = f"lawful-{number:02}{ENDING}"
        return self._made(name, None, Draft(one.options, one.happenings, about), True)

    def faulty(self, found: Faulty, whole: bool) -> Made | None:
        event = event_line(self.ready, found.round.happenings[found.at])
        ends = "" if whole else "There the transcript stops."
        if found.at < len(found.round.beats) - 1:
            ends = "The round then goes on lawfully."
        about = f"{self._quoted(found.rule)} Event {found.at + 1}, {event}, breaks it. {ends}".rstrip()
        draft = Draft(found.round.options, found.round.happenings, about)
        return self._made(self._named(found.rule), found.rule, draft, whole)

    def options(self, rule: str, one: Round) -> Made | None:
        about = f"{self._quoted(rule)} The options break it; what is played under them is lawful."
        return self._made(self._named(rule), rule, Draft(one.options, one.happenings, about), True)

    def beside(self, one: Beside, whole: bool, unmet: Unmet) -> Made | None:
        """What shows a rule beside something else, with all of it, and what is known of lawful rounds."""
        beats = one.round.beats
        at = one.at(one.round)
        if at is None:
            return None
        others = tuple(
            dict.fromkeys(  # two duties under one rule are one thing to say
                words
                for number, beat in enumerate(beats, 1)
                for words in _found(
                    number, beat, one.rule if one.wanted == "broken" and number == at + 1 else None
                )
            )
        )
        event = event_line(self.ready, beats[at].happening)
        does = "breaks it" if one.wanted == "broken" else "shows it at work"
        more = f" Besides, {'; '.join(others)}." if others else ""
        about = f"{self._quoted(one.rule)} Event {at + 1}, {event}, {does}.{more}"
        if one.wanted == "kept":
            about += f" {_lawful_ones(unmet)}"
        draft = Draft(one.round.options, one.round.happenings, about)
        if one.wanted == "broken":
            return self._made(self._named(one.rule), one.rule, draft, whole, others)
        return self._made(self._named(one.rule, "beside"), None, draft, whole, others)

    def _quoted(self, rule: str) -> str:
        return f"{rule}: “{' '.join(self.ready.ruleset.rules[rule].quote.split())}”."

    def _named(self, rule: str, kind: str = "broken") -> str:
        """A file's name, each once."""
        stem = re.sub(r"[^A-Za-z0-9.]+", "-", rule.replace("(", "").replace(")", "")).strip("-.")
        name, number = f"{kind}-{stem}{ENDING}", 2
        while name in self._names:
            name, number = f"{kind}-{stem}-{number}{ENDING}", number + 1
        return name

    def _made(
        self, name: str, rule: str | None, draft: Draft, whole: bool, beside: tuple[str, ...] = ()
    ) -> Made | None:
        """The transcript, with what a check finds under `expect`; None where the check finds something else than
        was wanted of it."""
        result = checked(self.ready, transcript(self.ready, draft))
        broken = {
            c.rule for e in result.entries for f in e.findings if f.verdict == "broken" for c in f.citations
        }
        if (rule is not None and rule not in broken) or (
            not beside and len(result.entries) != (rule is not None)
        ):
            return None
        counts = counts_of(result)
        kept = [r for r, c in counts.items() if c.kept and c.applied == c.kept] if rule is None else []
        text = transcript(self.ready, draft, expected(result, kept))
        if case_of(name, text, self.ready).unlike(self.ready):
            return None
        self._names.add(name)
        return Made(name, rule, text, len(draft.happenings), tuple(exercise_of(result)), whole, draft, beside)


def _found(number: int, beat: Beat, rule: str | None) -> Iterator[str]:
    """What is at fault in an event, in words, but for a fault that is of this rule alone."""
    for verdict, rules in beat.faults:
        if (verdict, rules) == ("broken", (rule,)):
            continue
        cited = ", ".join(rules)
        if verdict == "broken":
            yield f"event {number} breaks {cited}"
        else:
            yield f"event {number} is {verdict}" + (f" by {cited}" if cited else "")
