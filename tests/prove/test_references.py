"""Each reference in the law's words leads somewhere, or is told of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from obligation_bench import EXAMPLES, asked, program_of

from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.law import read_law
from verifier.model.load import load
from verifier.prove.obligations import references


def with_words(program: Program, old: str, new: str, folder: Path) -> Program:
    """The program over a law with other words."""
    ruleset = program.ruleset
    law = ruleset.law
    assert law is not None
    text = law.path.read_text("utf-8")
    assert old in text
    file = folder / "changed.law"
    file.write_text(text.replace(old, new), "utf-8")
    changed = read_law(file, law.id)
    laws = {module: changed if found is law else found for module, found in ruleset.laws.items()}
    return replace(program, ruleset=replace(ruleset, law=changed, laws=laws))


def faults(program: Program) -> dict[str, str]:
    return {o.id: o.told for o in references.obligations(program) if o.told is not None}


def test_what_leads_somewhere_is_one_obligation_a_clause(tmp_path: Path) -> None:
    found = asked(references.obligations, program_of('rule 4.6\n  structural "it only points"\n', tmp_path))
    assert not [o for o in found.values() if o.told is not None or o.question is not None]
    assert found["references 4.6"].about == ('"rule 2.5": 2.5',)
    assert found["references 4.6"].rules == ("4.6",)


def test_a_clause_that_is_not_there(tmp_path: Path) -> None:
    program = program_of('rule 4.6\n  structural "it only points"\n', tmp_path)
    dangling = with_words(program, "any breach of rule 2.5", "any breach of rules 2.5 and 2.95", tmp_path)
    assert faults(dangling) == {
        'reference 4.6 "rules 2.5 and 2.95"': "anyton/cloakroom has no 2.95, which 4.6 refers to"
    }
    assert not faults(
        with_words(program, "any breach of rule 2.5", "any breach of rules 2.5 and 2.8", tmp_path)
    )


def test_a_text_that_is_not_here(tmp_path: Path) -> None:
    program = program_of("", tmp_path)
    named = with_words(
        program, "any breach of rule 2.5", "any breach of section 3 of the Cloakrooms Act 1901", tmp_path
    )
    assert not faults(named)
    found = asked(references.obligations, named)["references 4.6"]
    assert found.about == (
        '"section 3 of the Cloakrooms Act 1901": the Cloakrooms Act 1901, a text that is not here',
    )
    assert list(
        faults(
            with_words(program, "any breach of rule 2.5", "any breach of rule 2.5 of division 3", tmp_path)
        )
    )


def test_what_a_layer_disapplies(tmp_path: Path) -> None:
    base = EXAMPLES / "anyton" / "cloakroom.rules"
    layer = tmp_path / "regatta.rules"
    for disapplied, wanted in (
        ("3.2", {"reference anyton/cloakroom 3.4 [pay] refers to 3.2, which is disapplied"}),
        (
            "2.5(a)",
            {
                "reference anyton/cloakroom 4.5 refers to 2.5, which is disapplied",
                'reference anyton/cloakroom 4.5 "rule 2.5"',
                'reference anyton/cloakroom 4.6 "rule 2.5"',
            },
        ),
        ("2.2", set()),
    ):
        layer.write_text(
            f"ruleset regatta extends anyton/cloakroom, disapplying {disapplied}\nlaw anyton/regatta\n",
            "utf-8",
        )
        program = lower(load(layer, [EXAMPLES, base.parent.parent]))
        assert set(faults(program)) == wanted
