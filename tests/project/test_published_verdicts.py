"""What the published reports call proved of every state still is: a change of the prover is seen here, and at once.

CI holds the digests of reports against law and rules. Proofs by induction and plays take too long to be made again
with every change; what the types alone settle does not.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from verifier.core.lower import lower
from verifier.model.load import load
from verifier.prove.desk import Desk
from verifier.prove.everywhere import of_any_size, typed
from verifier.prove.finding import names_of
from verifier.prove.question import Never
from verifier.prove.solve import Settings
from verifier.prove.whole import every

ROOT = Path(__file__).parents[2]

REPORTS = sorted(p for p in (ROOT / "reports").glob("*/*.md") if p.parent.name != "diff")

MOST = 6
"""So many of a report are proved again, evenly taken."""

_SCOPE = re.compile(r"^- scope (?P<letter>[A-Z][0-9]*): (?P<text>.*)$", re.MULTILINE)
_ROW = re.compile(
    r"^\| proved \| (?P<name>\w+) \|.*\| never: every typed state, scope (?P<letter>[A-Z][0-9]*), (?P<by>[^|]*) \|$",
    re.MULTILINE,
)


@cache
def rows(report: Path) -> list[tuple[str, str]]:
    """What a report says is proved of every typed state: its name, and the scope in words."""
    text = report.read_text("utf-8")
    scopes = {found["letter"]: found["text"] for found in _SCOPE.finditer(text)}
    return [(found["name"], scopes[found["letter"]]) for found in _ROW.finditer(text)]


@pytest.mark.parametrize("report", REPORTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_what_is_proved_of_every_typed_state_still_is(report: Path) -> None:
    published = rows(report)
    assert published
    apart = -(-len(published) // MOST)
    some = published[apart // 2 :: apart]
    program = lower(load(ROOT / "rulesets" / report.parent.name / f"{report.stem}.rules"))
    desk = Desk(program, Settings())
    obligations = list(every(program))
    names = names_of(obligations)
    by_name = {names[o.id]: o for o in obligations}
    for name, scope in some:
        answer = typed(desk, by_name[name])
        assert isinstance(answer, Never), name
        assert answer.scope == scope or of_any_size(answer), name
