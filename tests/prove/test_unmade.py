"""What has not been made is as it first was, of things with too many names to be told one by one."""

from __future__ import annotations

from pathlib import Path

from verifier.core.lower import lower
from verifier.model.load import load
from verifier.prove.clauses import countable
from verifier.prove.effects import Effects
from verifier.prove.induct import Proven, invariants
from verifier.prove.question import Mode
from verifier.prove.scope import scope_of
from verifier.prove.solve import Settings
from verifier.prove.written import written

RULES = Path(__file__).parent / "rules" / "induct-claims.rules"


def proven(path: Path, mode: Mode) -> Proven:
    program = lower(load(path))
    assert not countable(program.ruleset.entities["Claim"].type)
    scope = scope_of(program, {}, narrowed={"Number": (1, 2)})
    return invariants(program, scope, tuple(written(program)), mode, Settings())


def test_what_is_made_anew_is_as_everything_first_was() -> None:
    assert [named.name for named in proven(RULES, "play").written] == ["paid_once"]
    (lost,) = proven(RULES, "words").broken
    assert (lost.event, lost.why) == ("file", "")
    assert any(claim["*"] for claim in lost.before.entities["Claim"].values()), "it is filed a second time"


def test_where_an_event_writes_what_has_not_been_made_that_is_not_supposed(tmp_path: Path) -> None:
    path = tmp_path / "claims.rules"
    path.write_text(RULES.read_text().replace("  needs claim.open\n", ""))
    (lost,) = proven(path, "play").broken
    assert (lost.event, lost.why) == ("file", "")


def test_a_step_that_needs_what_was_not_made_to_be_otherwise_takes_no_effect(tmp_path: Path) -> None:
    path = tmp_path / "claims.rules"
    rules = RULES.read_text().replace(
        "event close by", "event void(claim: Claim) by porter\n  needs not (claim in Claim)\nevent close by"
    )
    path.write_text(rules.replace("on pay(c, a)", "on void(c)\n  c.open = no\non pay(c, a)"))
    program = lower(load(path))
    effects = Effects(program, scope_of(program, {}, narrowed={"Number": (1, 2)}), (), Settings())
    assert effects.all_seen(["pay"], frozenset(("Claim.open",)))
    assert not effects.all_seen(["void"], frozenset(("Claim.open",)))
