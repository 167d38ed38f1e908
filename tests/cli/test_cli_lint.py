"""`gazette lint`: each kind of warning, found where it is and not where it is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from verifier.lint.inspect import lint


def codes(rules: Path) -> list[str]:
    return [finding.problem.code for finding in lint(rules).findings]


def edited(bridge: Path, old: str, new: str) -> Path:
    rules = bridge / "bridge.rules"
    text = rules.read_text()
    assert old in text
    rules.write_text(text.replace(old, new))
    return rules


def test_a_whole_ruleset_has_no_findings(gazette, bridge: Path) -> None:
    ran = gazette("lint", bridge / "bridge.rules")
    assert ran.code == 0
    assert ran.out == f"{bridge / 'bridge.rules'}: 5 rules on 5 clauses: 0 errors, 0 warnings\n"


def test_a_clause_without_a_rule(gazette, bridge: Path) -> None:
    with (bridge / "bridge.law").open("a") as law:
        law.write("\n1.4 The keeper shall be polite.\n")
    ran = gazette("lint", bridge / "bridge.rules")
    assert ran.code == 0
    assert "warning: no rule stands on 1.4: “The keeper shall be polite.” [clause-without-rule]\n" in ran.out
    line = (bridge / "bridge.law").read_text().count("\n")
    assert f"--> {bridge / 'bridge.law'}:{line}\n" in ran.out
    assert gazette("lint", "--strict", bridge / "bridge.rules").code == 1


@pytest.mark.parametrize(
    ("old", "new", "missing"),
    [
        (
            "No traveller shall cross while the bridge is raised",
            "No traveller shall cross",
            "while the bridge is raised.",
        ),
        (
            "No traveller shall cross while the bridge is raised",
            "No … while the bridge",
            "traveller shall cross”, is raised.",
        ),
    ],
)
def test_words_unquoted(bridge: Path, old: str, new: str, missing: str) -> None:
    findings = lint(edited(bridge, old, new)).findings
    assert [f.problem.message for f in findings] == [
        f"no rule on 1.2 quotes “{words}”" for words in missing.split("”, ")
    ]


def test_a_connective_between_items_need_not_be_quoted(bridge: Path) -> None:
    assert "foot; or\n" in (bridge / "bridge.law").read_text()
    assert codes(bridge / "bridge.rules") == []


def test_words_named_by_a_reason_count_as_quoted(bridge: Path) -> None:
    rules = edited(
        bridge,
        'rule 1.3 "The keeper shall wear a cap"\n',
        'rule 1.3 "The keeper shall wear"\n  unobservable "whose cap" for words "a cap"\n',
    )
    assert codes(rules) == []


def test_a_rule_that_binds_nothing(bridge: Path) -> None:
    rules = edited(bridge, '  unobservable "the log records', '  reading "the log records')
    findings = lint(rules).findings
    assert [(f.problem.code, f.problem.clause) for f in findings] == [("rule-binds-nothing", "1.3")]
    assert findings[0].problem.excerpt == 'rule 1.3 "The keeper shall wear a cap"'


@pytest.mark.parametrize(
    ("kind", "declaration", "use"),
    [
        ("define", "define cheap: money = 50", ("toll(k) = 50", "toll(k) = cheap")),
        (
            "decision",
            "decision fine(k: Kind): money",
            ("amount = toll(kind)", "amount = toll(kind) or amount = fine(kind)"),
        ),
        ("option", "option free: bool = no", ("when raised", "when raised and not free")),
        ("event", "event wave by traveller", ("must not cross(t)", "must not wave")),
    ],
)
def test_what_nothing_uses(bridge: Path, kind: str, declaration: str, use: tuple[str, str]) -> None:
    name = declaration.replace(":", " ").replace("(", " ").split()[1]
    rules = edited(bridge, "event raise by keeper", f"{declaration}\nevent raise by keeper")
    found = lint(rules).findings
    assert [f.problem.code for f in found] == [f"unused-{kind}"]
    assert found[0].problem.message == f"nothing uses the {kind} `{name}`"
    if kind == "event":
        rules = edited(bridge, "traveller t must not cross(t)", "traveller must not wave")
    else:
        rules = edited(bridge, *use)
    assert codes(rules) == []


def test_a_define_that_only_an_unused_one_reads_is_unused(bridge: Path) -> None:
    rules = edited(bridge, "event raise by", "define a: money = 50\ndefine b: money = a\nevent raise by")
    assert codes(rules) == ["unused-define", "unused-define"]


def test_errors_come_alone_and_all_of_them(gazette, bridge: Path) -> None:
    edited(bridge, "rule 1.2", "rule 1.20")
    rules = edited(bridge, "rule 1.3", "rule 1.30")
    ran = gazette("lint", rules)
    assert ran.code == 2
    assert ran.out.count("error: ") == 2
    assert ran.out.endswith("bridge.rules: 2 errors, 0 warnings\n")


def test_several_rulesets_and_one_that_is_not_there(gazette, bridge: Path) -> None:
    ran = gazette("lint", bridge / "bridge.rules", "no/such")
    assert ran.code == 2
    assert ran.out.endswith("0 errors, 0 warnings\nno/such: 1 error, 0 warnings\n")


def test_json(gazette, bridge: Path) -> None:
    rules = edited(bridge, "event raise by keeper", "event wave by keeper\nevent raise by keeper")
    ran = gazette("lint", "--format", "json", rules)
    (one,) = json.loads(ran.out)["rulesets"]
    assert (one["ruleset"], one["rules"], one["clauses"], one["errors"], one["warnings"]) == (
        str(rules),
        5,
        5,
        0,
        1,
    )
    (finding,) = one["findings"]
    assert (finding["severity"], finding["code"]) == ("warning", "unused-event")
    assert finding["excerpt"] == "event wave by keeper"


def test_colour(gazette, bridge: Path) -> None:
    rules = edited(bridge, "event raise by keeper", "event wave by keeper\nevent raise by keeper")
    assert "\x1b[1;33mwarning\x1b[0m: " in gazette("lint", "--color", "always", rules).out


def test_a_claim_that_no_rule_answers(bridge: Path) -> None:
    rules = edited(bridge, "claims amount = toll(kind)", "claims amount = toll(kind) and amount > 0")
    (finding,) = lint(rules).findings
    assert finding.problem.code == "claim-without-clause"
    assert finding.problem.message == "no clause is cited where `amount > 0` is false: it reads no decision"


def test_a_claim_may_read_a_decision_by_a_define(bridge: Path) -> None:
    rules = edited(bridge, "claims amount = toll(kind)", "claims amount = due(kind)")
    with rules.open("a") as more:
        more.write('\nrule 1.1 [due] "charge each traveller"\n  define due(k: Kind): money = toll(k)\n')
    assert "claim-without-clause" not in codes(rules)
