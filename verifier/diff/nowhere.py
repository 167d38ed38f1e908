"""Whether the two sides of a matter come to the same in every state."""

from __future__ import annotations

from dataclasses import replace

from verifier.diff.fold import NO, conjunction
from verifier.diff.groups import Bench, GivenUpError, different_term
from verifier.diff.inner import with_one_inside
from verifier.diff.matter import Matter, alike
from verifier.diff.regions import ask
from verifier.diff.turn import together
from verifier.model.terms import Term
from verifier.prove.question import Answer, Never
from verifier.prove.values import CannotEncodeError
from verifier.prove.wide import Wide


def nowhere(wide: Wide, bare: Bench, matter: Matter, whole: Term) -> Answer:
    """Whether the sides differ nowhere, as `whole` says that they do: what they say of all things is first held to be
    one, if it may be."""
    inside = with_one_inside(wide, matter)
    if inside is not None:
        one, proof = inside
        answer = ask(bare, conjunction([bare.context, different_term(one)]), NO)
        if isinstance(answer, Never):
            by = dict.fromkeys((*proof.by, *answer.by))
            return replace(answer, scope=together([proof.scope, answer.scope]), by=tuple(by))
    return ask(bare, conjunction([bare.context, whole]), NO)


def comes_out_alike(wide: Wide, matter: Matter) -> bool:
    """Whether it is proved that the sides come to the same, and what is undefined on one is so on the other."""
    if alike(matter):
        return True
    try:
        bare, whole = Bench(wide.program, wide, matter), different_term(matter)
        return (
            not bare.uneven
            and not bare.possible(bare.truth(whole))
            and isinstance(nowhere(wide, bare, matter, whole), Never)
        )
    except (GivenUpError, CannotEncodeError):
        return False
