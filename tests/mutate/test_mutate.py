"""Mutants tried: by transcripts, by a prover, with what is known kept on disk."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from verifier.cache import Cache
from verifier.core.program import Program
from verifier.errors import LogError, RequestError, RuleTextError
from verifier.mutate.bench import Bench
from verifier.mutate.difference import changed, infected
from verifier.mutate.reasons import beside, read_reasons
from verifier.mutate.record import record
from verifier.mutate.run import Mutation, mutate
from verifier.mutate.trial import Prover
from verifier.mutate.walk import mutants
from verifier.mutate.workshop import Workshop, workshop
from verifier.report.mutate_json import document
from verifier.report.mutate_text import text
from verifier.resources import root
from verifier.run.judge import Judge
from verifier.transcripts.case import read_cases


@pytest.fixture
def run(folder: Path) -> Callable[..., Mutation]:
    def of(**more: Any) -> Mutation:
        return mutate(folder / "bridge.rules", [folder / "transcripts"], **more)

    return of


def test_transcripts_kill_what_they_know_and_no_more(run: Callable[..., Mutation]) -> None:
    found = {(o.mutant.rule, o.mutant.kind, o.mutant.after): o for o in run().outcomes}
    killed = found["1.1(b)", "constant", "199"]
    assert killed.verdict == "killed"
    assert Path(killed.by).name == "with-a-cart.transcript.yaml"
    assert "expected, not found: seq 2: broken 1.1(b)" in killed.detail
    assert found["1.2", "rule", "never applies"].verdict == "killed"
    assert found["1.1", "rule", "never applies"].verdict == "killed"
    # The duty is done in all transcripts: whom it is due from is shown, before what is not.
    assert found["1.1", "limb", "not charged"].verdict == "survived"


def test_nothing_is_killed_without_transcripts(folder: Path) -> None:
    mutation = mutate(folder / "bridge.rules")
    assert {o.verdict for o in mutation.outcomes} <= {"survived", "refused"}
    assert mutation.exit_code == 1


def test_what_is_tried_fast_comes_out_as_when_everything_is_run(
    shop: Workshop, folder: Path, run: Callable[..., Mutation]
) -> None:
    cases = list(read_cases([folder / "transcripts"], shop.original))
    for outcome in run().outcomes:
        try:
            made = shop.made(outcome.mutant)
        except RuleTextError:
            assert outcome.verdict == "refused"
            continue
        by_hand = any(case.unlike(made) for case in cases)
        assert (outcome.verdict == "killed") == by_hand, outcome.mutant.id


def test_a_transcript_in_which_nothing_answers_otherwise_shows_nothing_else(
    shop: Workshop, folder: Path
) -> None:
    cases = list(read_cases([folder / "transcripts"], shop.original))
    recorded = record(shop.original, cases)
    told = set()
    for mutant in mutants(shop.modules):
        made = shop.made(mutant)
        found = changed(shop.original.program, made.program)
        if found is None:
            continue
        machine = Judge(made.program, {}).machine
        for one in recorded:
            differs = tuple(Bench(made).seen(one.case)) != one.seen
            told.add((infected(one, machine, found, Bench(made)), differs))
    assert told >= {(True, True), (False, False)}
    assert (False, True) not in told


def test_a_transcript_that_never_comes_to_what_norms_or_duties_say_otherwise_shows_nothing() -> None:
    """Held against judging everything, on a shipped ruleset: whom a rule binds, what does a duty, by when."""
    roulette = workshop("nz/roulette-1998")
    folder = Path(__file__).parents[1] / "nz_roulette" / "transcripts"
    recorded = record(roulette.original, list(read_cases([folder], roulette.original))[::12])
    told = set()
    for mutant in [m for m in mutants(roulette.modules) if m.kind in ("label", "limb")][::24]:
        try:
            made = roulette.made(mutant)
        except RuleTextError:
            continue
        found = changed(roulette.original.program, made.program)
        if found is None or not (found.frame or found.pending):
            continue
        machine, bench = Judge(made.program, {}).machine, Bench(made)
        for one in recorded:
            told.add((infected(one, machine, found, bench), tuple(bench.seen(one.case)) != one.seen))
    assert {shows for shows, _ in told} == {True, False}
    assert (False, True) not in told


def test_whom_a_norm_binds_shows_at_the_rows_of_those(shop: Workshop) -> None:
    program = shop.original.program
    (norm,) = program.prohibitions["cross"]
    other = replace(program, prohibitions={"cross": (replace(norm, roles=("keeper",)),)})
    found = changed(program, other)
    assert found is not None
    assert found.acts == {("cross", "traveller"), ("cross", "keeper")}
    assert found.frame
    assert found.keys == frozenset()


def test_a_duty_done_by_less_shows_while_it_is_pending(shop: Workshop) -> None:
    program = shop.original.program
    (duty,) = program.duties
    found = changed(program, replace(program, duties=(replace(duty, deadline_acts=()),)))
    assert found is not None
    assert found.pending == {duty.pending}
    assert found.events == frozenset()
    assert not found.frame


def test_a_change_of_more_than_functions_is_not_told_by_functions(shop: Workshop) -> None:
    program = shop.original.program
    other = replace(program, duties=program.duties[:-1])
    assert changed(program, other) is None
    assert changed(program, program) is not None


def test_a_prover_is_asked_for_what_transcripts_leave(run: Callable[..., Mutation]) -> None:
    asked: list[Program] = []

    def prove(program: Program) -> str | None:
        asked.append(program)
        return "theorem due"

    plain = run()
    proved = run(prover=Prover("a prover", prove))
    assert len(asked) == plain.counts["survived"] > 0
    assert proved.counts["proved"] == plain.counts["survived"]
    assert {o.by for o in proved.outcomes if o.verdict == "proved"} == {"theorem due"}
    assert proved.exit_code == 0


def test_what_is_proved_to_be_the_same_does_not_survive(run: Callable[..., Mutation], shop: Workshop) -> None:
    def same(original: Program, mutant: Program) -> str | None:
        assert original.ruleset.digest == shop.original.ruleset.digest != mutant.ruleset.digest
        return "by induction"

    found = run(prover=Prover("a prover", None, same))
    assert found.counts["survived"] == 0
    assert found.counts["equivalent"] > 0


def test_processes_make_no_difference(run: Callable[..., Mutation]) -> None:
    assert run(jobs=2) == run(jobs=1)


def test_what_is_known_is_not_tried_again(run: Callable[..., Mutation], tmp_path: Path, folder: Path) -> None:
    cache = Cache(tmp_path / "cache")
    tried: list[str] = []
    first = run(cache=cache, on_outcome=lambda o: tried.append(o.mutant.id))
    assert len(tried) == len(first.outcomes)
    again = run(cache=cache, on_outcome=lambda o: tried.append(o.mutant.id))
    assert len(tried) == len(first.outcomes)
    assert again == first
    assert again.cached == len(first.outcomes)
    # Without a transcript its kills are unknown again, and so is every survivor.
    (folder / "transcripts" / "raised.transcript.yaml").unlink()
    fewer = run(cache=cache)
    assert 0 < fewer.cached < len(first.outcomes)
    assert fewer.counts["survived"] > first.counts["survived"]


def test_patterns_choose(run: Callable[..., Mutation]) -> None:
    every = run()
    some = run(only=["1.2"])
    assert {o.mutant.rule for o in some.outcomes} == {"1.2"}
    assert some.total == every.total == len(every.outcomes)
    assert {o.mutant.kind for o in run(only=["constant"]).outcomes} == {"constant"}
    with pytest.raises(RequestError, match=r"no mutant is called 9\.9"):
        run(only=["9.9"])


def test_transcripts_of_other_rulesets_are_passed_over_and_told_of(
    run: Callable[..., Mutation], folder: Path
) -> None:
    path = next((folder / "transcripts").glob("*.yaml"))
    path.write_text(path.read_text("utf-8").replace("ruleset: ", "ruleset: other-", 1), "utf-8")
    (name,) = run().passed_over
    assert name.startswith("other-")
    assert f"; 1 of {name} passed over." in text(run(), 100)
    assert document(run())["passed_over"] == {name: 1}


def test_a_transcript_that_fails_already_is_refused(run: Callable[..., Mutation], folder: Path) -> None:
    path = folder / "transcripts" / "on-foot.transcript.yaml"
    path.write_text(path.read_text("utf-8").replace("amount=50", "amount=51"), "utf-8")
    with pytest.raises(RequestError, match="the ruleset does not fulfil this transcript"):
        run()


def test_a_survivor_may_have_a_reason(run: Callable[..., Mutation], tmp_path: Path) -> None:
    survivors = run().survivors
    assert run().open == survivors
    reasons = tmp_path / "reasons.yaml"
    reasons.write_text("".join(f'"{o.mutant.id}": "nobody\n  looked"\n' for o in survivors), "utf-8")
    excused = run(reasons=read_reasons(reasons))
    assert excused.open == ()
    assert excused.exit_code == 0
    assert "reason  nobody looked" in text(excused, 100)


@pytest.mark.parametrize("content", ["- a\n", '"1.2:rule:000000": 5\n', '"1.2:rule:000000": ""\n'])
def test_reasons_in_another_form_are_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "reasons.yaml"
    path.write_text(content, "utf-8")
    with pytest.raises(LogError):
        read_reasons(path)


def test_a_reason_for_a_mutant_that_is_gone_is_refused(run: Callable[..., Mutation], tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="there is no such mutant"):
        run(reasons={"1.2:rule:000000": "it was so once"})
    with pytest.raises(RequestError, match="cannot read the reasons"):
        read_reasons(tmp_path / "none.yaml")


def test_a_reason_for_a_mutant_that_is_killed_is_told(run: Callable[..., Mutation]) -> None:
    mutation = run()
    killed = next(o.mutant.id for o in mutation.outcomes if o.verdict == "killed")
    assert "to be taken out" not in text(run(reasons={mutation.survivors[0].mutant.id: "so it is"}), 100)
    found = run(reasons={killed: "so it was"})
    assert [o.mutant.id for o in found.needless] == [killed]
    assert f"to be taken out\n    {killed}  killed by a transcript\n" in text(found, 100)


def test_the_text_shows_every_survivor_with_place_and_change(run: Callable[..., Mutation]) -> None:
    mutation = run()
    shown = text(mutation, 100)
    for outcome in mutation.survivors:
        assert f"survived: {outcome.mutant.id}" in shown
    assert "    before  here = t and not charged\n    after   not charged\n" in shown
    counts = mutation.counts
    assert f"{counts['killed']:>6}  killed by a transcript" in shown
    assert f"{counts['survived']:>6}  survived" in shown


def test_the_text_says_where_a_round_was_looked_for_and_none_found(run: Callable[..., Mutation]) -> None:
    mutation = run()
    nothing = "no round was found that would kill it"
    assert nothing not in text(mutation, 100)
    found = [outcome for outcome in mutation.survivors if outcome.witness]
    assert text(mutation, 100, sought=True).count(nothing) == len(mutation.survivors) - len(found) > 0


def test_the_document_has_every_mutant(run: Callable[..., Mutation]) -> None:
    mutation = run()
    found = json.loads(json.dumps(document(mutation)))
    assert found["gazette-mutate"] == 1
    assert len(found["mutants"]) == found["mutants_total"] == len(mutation.outcomes)
    assert sum(found["counts"].values()) == found["mutants_total"]
    killed = next(m for m in found["mutants"] if m["verdict"] == "killed")
    assert killed["by"].endswith(".transcript.yaml")
    assert killed["reason"] is None


def test_reasons_beside_the_rules_are_read(run: Callable[..., Mutation], folder: Path) -> None:
    survivor = run().survivors[0]
    (folder / "bridge.mutants.yaml").write_text(f"{survivor.mutant.id}: nobody could tell\n", "utf-8")
    assert survivor not in run().open
    assert run(reasons={}).open == run(reasons={}).survivors


def test_the_reasons_of_a_shipped_ruleset_are_found_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = Path("rulesets/nz/blackjack-1994.rules")
    found = beside(shown)
    assert found == root("rulesets") / "nz" / "blackjack-1994.mutants.yaml"
    assert read_reasons(found)
    assert beside(shown.with_stem("blackjack-1900")) is None
