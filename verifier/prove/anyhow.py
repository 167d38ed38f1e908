"""What holds whichever rules are broken holds of lawful play, where the proof is one of steps that do something.

Lawful play may not get far within the scope of an induction: a session wants four players, and there is one. What was
proved in words says something of that all the same, for it speaks of every step, kept or broken. Only a step that
changes nothing within the scope, since what it would change is not there, was proved to do no harm for that reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from verifier.prove.conjectures import Named
from verifier.prove.desk import Desk
from verifier.prove.effects import Effects
from verifier.prove.extent import with_one_more
from verifier.prove.induct import denied
from verifier.prove.proving import Proving
from verifier.prove.question import Never, Obligation, Unknown
from verifier.prove.scope import Scope
from verifier.prove.support import Support
from verifier.prove.transitions import Reads, written


def anyhow(
    desk: Desk, obligation: Obligation, scope: Scope, holding: Sequence[Named], answer: Never
) -> Never | Unknown | None:
    """The answer `never` by an induction in words, as one of lawful play, too; None where it says too little for that,
    `Unknown` where solvers contradict each other.

    `answer` is the one within `scope`, by what is `holding` there. What it rests on is a part of that which is
    inductive by itself. Each update that writes what this part reads must take effect in some step that the induction
    looks at. Where one does not, the part is proved anew where there is one more of each kind of person, if all do
    there.
    """
    question = obligation.question
    claim = None if question is None else denied(question)
    if claim is None:
        return None
    program, key = desk.program, repr(scope)
    if key not in desk.supports:
        desk.supports[key] = (
            Support(program, scope, holding, desk.settings),
            Effects(program, scope, holding, desk.settings),
        )
    support, effects = desk.supports[key]
    part = support.of(claim)
    if part is None:
        return None
    reads = Reads(program)
    read = frozenset[str]().union(*(reads.of(named.term) for named in part), reads.of(claim))
    events = [name for name in program.ruleset.events if written(program.ruleset, name) & read]
    if effects.all_seen(events, read):
        return answer
    for wider in with_one_more(program, scope):
        desk.note("induction of one more, words")
        if Effects(program, wider, part, desk.settings).all_seen(events, read):
            return _proved_within(desk, obligation, wider, part)
    return None


def _proved_within(
    desk: Desk, obligation: Obligation, scope: Scope, part: Sequence[Named]
) -> Never | Unknown | None:
    """The answer by the same conditions within another scope, if they are inductive there, too."""
    found = Proving(desk.program, scope, "words", desk.settings, (), desk.jobs).prove(part, ())
    if found.disagree:
        return Unknown(found.why, disagree=True, scope=found.scope)
    if len(found.holding) < len(part):
        return None
    assert obligation.question is not None
    name = f"{obligation.id} of one more"
    assuming = [named.term for named in part]
    answer = desk.typed_within(scope).ask(obligation.question, assuming, name, obligation.claim)
    if not isinstance(answer, Never):
        return None
    names = {named.term: named.name for named in desk.written}
    using = tuple(names[named.term] for named in part if named.term in names)
    return replace(answer, how="induction", using=using)
