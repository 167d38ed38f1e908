"""Names that a log cannot have are refused where they are declared, with the line that declares them."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.check.schema import bind
from verifier.errors import RuleTextError
from verifier.model.load import load

TEXT = """ruleset counted/clash
law nz/gazette-1998-9-division-2
actors holder, clerk
life day
life draw ends close
event {event} by holder
event close by clerk
rule 5.2 "All wagers shall be made by placing chips"
  holder must not {act}
"""


@pytest.mark.parametrize(
    ("event", "message"),
    [
        ("draw", "`draw` is the name of a life"),
        ("correction", "`correction` is a name of the log format's own"),
        ("x_take", "`x_take` is a name of the log format's own"),
        ("take(seq: bool)", "the column `seq`, which is the log format's own"),
        ("take(day: bool)", "the column `day`, which is a life"),
    ],
)
def test_a_name_that_the_log_has_already_is_refused_at_its_line(
    tmp_path: Path, event: str, message: str
) -> None:
    path = tmp_path / "clash.rules"
    path.write_text(TEXT.format(event=event, act=event.partition("(")[0]))
    with pytest.raises(RuleTextError) as caught:
        bind(load(path))
    (problem,) = caught.value.problems
    assert message in problem.message
    assert problem.line == 6
    assert problem.excerpt == f"event {event} by holder"
    assert problem.help is not None


def test_a_name_that_is_free_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "free.rules"
    path.write_text(TEXT.format(event="take(lot: bool)", act="take"))
    assert "take" in bind(load(path)).schema.events
