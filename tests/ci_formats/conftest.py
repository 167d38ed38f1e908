"""What a check, a proof and a coverage found of the toll bridge, as reports for other tools."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from verifier.check.engine import check
from verifier.core.lower import lower
from verifier.coverage.measure import measure
from verifier.model.load import load
from verifier.prove.whole import prove_whole, settings
from verifier.report.ci.findings import Report
from verifier.report.ci.of_check import of_check
from verifier.report.ci.of_coverage import of_coverage
from verifier.report.ci.of_proof import of_proof

BRIDGE = Path(__file__).parents[1] / "cli" / "bridge"


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    """By command: a log with three faults; a rule that can never apply; a clause that no rule quotes."""
    own = tmp_path_factory.mktemp("own") / "bridge"
    shutil.copytree(BRIDGE, own)
    rules = own / "bridge.rules"
    text = rules.read_text("utf-8")
    rules.write_text(
        text.partition("rule 1.3")[0].replace("when raised", "when raised and not raised"), "utf-8"
    )
    program = lower(load(rules))
    return {
        "check": of_check(check([BRIDGE / "broken.jsonl"], BRIDGE / "bridge.rules")),
        "prove": of_proof(prove_whole(program, settings("z3", None, True), only=["1.2"])),
        "coverage": of_coverage([measure(rules)]),
    }


@pytest.fixture(params=["check", "prove", "coverage"])
def report(request: pytest.FixtureRequest, reports: dict[str, Report]) -> Report:
    return reports[request.param]


@pytest.fixture
def fair(tmp_path: Path) -> Path:
    """A ruleset laid over that of the bridge, in whose law stands another clause 1.2; neither can ever be broken."""
    own = tmp_path / "bridge"
    shutil.copytree(BRIDGE, own)
    law = (own / "bridge.law").read_text("utf-8")
    head = law.partition("# 1.0")[0].replace("Toll Bridge", "The Fair")
    (own / "fair.law").write_text(
        head + "# 1.0 Fair\n\n1.2 No keeper shall raise the bridge on a fair day.\n"
    )
    (own / "fair.rules").write_text(
        "ruleset fair extends bridge\nlaw fair\n\n"
        'rule 1.2 "No keeper shall raise the bridge on a fair day"\n  keeper must not raise when raised\n'
    )
    return own / "fair.rules"
