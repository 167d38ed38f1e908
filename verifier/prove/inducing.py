"""Questions asked of every state in which the invariants hold that events were proved to keep."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from verifier.core.lower import domain_of
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.rewrite import substitute
from verifier.model.show import names_of, show_term
from verifier.model.terms import Term, free_variables
from verifier.model.types import BOOL
from verifier.prove import company
from verifier.prove.anyhow import anyhow
from verifier.prove.clauses import Clause, countable, every_reference
from verifier.prove.conjectures import Named
from verifier.prove.counted import SPARE, Counted, either_way
from verifier.prove.desk import Desk
from verifier.prove.everywhere import typed
from verifier.prove.explore.pieces import conjuncts
from verifier.prove.extent import SMALL, places, small, with_one_more
from verifier.prove.facts import facts
from verifier.prove.freed import unbinding
from verifier.prove.guard import Sizes
from verifier.prove.induct import denied
from verifier.prove.lasting import lasting
from verifier.prove.obligations.acts import Acts
from verifier.prove.obligations.units import Alternative, before_event
from verifier.prove.playable import MOST_PLACES
from verifier.prove.probes import VAR
from verifier.prove.proven import Broken, Proven
from verifier.prove.question import Answer, Mode, Never, Obligation, Question, Unknown
from verifier.prove.scope import Scope, reads_after
from verifier.prove.standing import with_counts
from verifier.prove.telling import telling
from verifier.prove.transitions import Reads, written
from verifier.prove.widened import widened

NOWHERE_ELSE = (
    "the scope that the induction looks at is too small for it to be otherwise, "
    "and of larger ones nothing is proved"
)

MOST_PARTS = 2
"""So many parts of a question are tried, each of which may be nowhere."""

NAMED = 3
"""So many rules are named that count more than a scope has."""

Asking = Callable[[Desk, Obligation, Sequence[Term]], Answer]
"""Asks the question of an obligation of every state of a scope in which some conditions hold."""


def inductive(desk: Desk, obligation: Obligation, assuming: Sequence[Term]) -> Answer:
    """The answer over every state of the scope of the induction in which it is as assumed."""
    if desk.inductive == desk.scopes[0]:
        return typed(desk, obligation, assuming, 1)
    question = obligation.question
    assert question is not None
    name = f"{obligation.id} where play goes on"
    return desk.typed_inductive().ask(question, assuming, name, obligation.claim, "never")


def with_invariants(desk: Desk, obligation: Obligation, mode: Mode, alone: bool = True) -> Answer:
    """The answer over every state in which the invariants of the mode hold.

    That is asked in the scope of the induction only, or, where that has less than the question counts, in one made for
    the question, if an induction can be made there: of all that may hold, or, where that is too much, of what the
    answer takes, if `alone` lets one be made of that. It tells nothing where that scope has no such state anyway, and
    a wider one has; nor where what may lead there was seen to happen in a wider scope, and never in that one.
    """
    question = obligation.question
    assert question is not None
    answer: Answer = Unknown("it counts more things than there are where invariants are known")
    counting = _counting(desk, question, mode)
    more = desk.counted(counting, induction=True)
    if more != Counted((), True) and (lean := _without_what_counts_more(desk, obligation)) is not None:
        told = _kept(desk, lean, mode, desk.inductive, desk.proven, inductive)
        if isinstance(told, Never) or (isinstance(told, Unknown) and told.disagree):
            return told
    if more == Counted((), True):
        answer = _kept(desk, obligation, mode, desk.inductive, desk.proven, inductive)
    elif (scope := _one(desk, more, MOST_PLACES)) is not None:
        answer = _where_as_many(desk, obligation, mode, scope)
    elif alone and (scope := _one(desk, more, company.MOST_PLACES)) is not None:
        answer = _in_company(desk, obligation, mode, scope) or answer
    if isinstance(answer, Unknown) and answer.why == NOWHERE_ELSE:
        longer = desk.counted(counting, induction=True, spare=SPARE)
        if (scope := _one(desk, longer, SMALL)) is not None:
            answer = _where_as_many(desk, obligation, mode, scope)
        elif alone and (scope := _one(desk, longer, company.MOST_PLACES)) is not None:
            answer = _in_company(desk, obligation, mode, scope) or answer
        elif alone and longer == Counted((), True):
            answer = _with_one_more(desk, obligation, mode) or answer
    if more != Counted((), True) or (isinstance(answer, Unknown) and answer.disagree):
        return answer
    if isinstance(answer, Never):
        if widened(desk, obligation, desk.inductive, mode) != desk.inductive:
            return _where_as_many(desk, obligation, mode, desk.inductive)
        more_free = among_more(desk, question) if mode == "play" and desk.exact else ""
        return replace(answer, scope=f"{answer.scope}{more_free}")
    among = _among_as_many(desk, obligation, mode) if mode == "play" else None
    return among if isinstance(among, Never) or (isinstance(among, Unknown) and among.disagree) else answer


def _counting(desk: Desk, question: Question, mode: Mode) -> Question:
    """The question with what it counts in a small ruleset by way of numbers that stand for counts."""
    if desk.asked or not small(desk.program, desk.inductive):
        return question
    return with_counts(desk.program, question, [named.term for named in desk.proven(mode).holding])


def _among_as_many(desk: Desk, obligation: Obligation, mode: Mode) -> Answer | None:
    """The answer by an induction in a small scope in which rules bind that might bind nothing among more than there are
    where invariants are known (`verifier.prove.freed`); None where there are no such rules, or no such scope."""
    question, program = obligation.question, desk.program
    assert question is not None
    terms = [term for said in _unbinding(desk, question, desk.inductive).values() for term in said]
    if not terms:
        return None
    counting = replace(question, condition=m.OrT(BOOL, (question.condition, either_way(terms))))
    more = desk.counted(counting, induction=True)
    scope = desk.inductive if more == Counted((), True) else _one(desk, more, SMALL)
    if scope is not None and _unbinding(desk, question, scope):
        *_, scope = (scope, *with_one_more(program, scope))
    if scope in (None, desk.inductive) or places(program, scope) > SMALL:
        return None
    return _where_as_many(desk, obligation, mode, scope)


def _unbinding(desk: Desk, question: Question, scope: Scope) -> dict[str, list[Term]]:
    """By rule what the size of a scope settles of what makes those events lawful that bear on a question."""
    program, reads = desk.program, Reads(desk.program)
    terms = [question.condition, *(nothing.condition for nothing in question.none)]
    read = frozenset[str]().union(*map(reads.of, terms))
    bearing = [event for event in program.ruleset.events if written(program.ruleset, event) & read]
    return {} if desk.asked else unbinding(program, scope, bearing)


def among_more(desk: Desk, question: Question) -> str:
    """That rules are not taken to bind as they do within the scope, in words, where they bear on a question."""
    rules = [rule for rule in _unbinding(desk, question, desk.inductive) if rule]
    if not rules:
        return ""
    named, others = rules[:NAMED], len(rules[NAMED:])
    more = [f"{others} other rules"] if others > 1 else rules[NAMED:]
    *firsts, last = [*named, *more]
    listing = f"{', '.join(firsts)} and {last}" if firsts else last
    return f"; {listing} may leave free among more what {'they forbid' if firsts else 'it forbids'} there"


def _without_what_counts_more(desk: Desk, obligation: Obligation) -> Obligation | None:
    """The obligation without those things of which there is to be none that count more than there is where invariants
    are known; None where that makes no difference, or not enough.

    Where nothing answers the question that is left nothing answers the whole: it asks for more.
    """
    question = obligation.question
    if question is None or obligation.wanted != "never":
        return None

    def met(part: Question) -> bool:
        return desk.counted(part, induction=True) == Counted((), True)

    none = tuple(one for one in question.none if met(Question(one.params, one.condition)))
    lean = replace(question, none=none)
    return replace(obligation, question=lean) if len(none) < len(question.none) and met(lean) else None


def _with_one_more(desk: Desk, obligation: Obligation, mode: Mode) -> Answer | None:
    """The answer by an induction of that alone where there is one more of somebody: what takes two is never so where
    there is one. None where no such induction can be made, or it tells nothing."""
    for scope in with_one_more(desk.program, desk.inductive):
        if places(desk.program, scope) <= company.MOST_PLACES:
            answer = _in_company(desk, obligation, mode, scope)
            if isinstance(answer, Never) or (isinstance(answer, Unknown) and answer.disagree):
                return answer
    return None


def by_itself(desk: Desk, obligation: Obligation, mode: Mode, most: int = company.FEW) -> Answer:
    """The answer over every state of the mode, by an induction of that alone and of what it takes of what was told to
    hold (`Desk.told_to_hold`), if that is not more than `most` conditions: it costs little where little is needed, and
    tells less than `with_invariants`.

    Where all that is asked cannot be proved to be nowhere a part of it may. Of an event it is asked what must be so
    before it.
    """
    question = obligation.question
    assert question is not None
    more = desk.counted(question, induction=True)
    scope = desk.inductive if more == Counted((), True) else _one(desk, more, company.MOST_PLACES)
    answer: Answer | None = None
    if scope is not None and obligation.wanted == "never":
        for number, claim in enumerate(_claims(desk, question, mode)):
            named = Named(f"{obligation.id}, {number}", claim)
            answer = _beside(desk, obligation, mode, scope, named, told=True, most=most)
            if isinstance(answer, Never) or (isinstance(answer, Unknown) and answer.disagree):
                break
    return answer or Unknown("no induction of it alone can be made")


def lastingly(desk: Desk, obligation: Obligation, mode: Mode) -> Never | None:
    """That there is none in any state of the mode, of whatever size, by an induction of that alone, or of a part of it;
    None where that is not told. Of an event it is asked what must be so before it."""
    question, program = obligation.question, desk.program
    assert question is not None
    found: dict[Clause, None] = {}
    for asked in _parts(desk, question, mode):
        types = [param.type for param in asked.params]
        if asked.none or len(types) > 1 or not all(isinstance(type_, ty.EntityT) for type_ in types):
            continue
        by: dict[str, Term] = {param.name: m.Var(param.type, VAR) for param in asked.params}
        tests = tuple((substitute(item, by), False) for item in conjuncts(asked.condition))
        anywhere = not set(asked.params) <= set(question.params)
        found[Clause(types[0] if types else None, anywhere, tests)] = None
    typed = desk.typed(0)
    kept = lasting(typed, (*found, *facts(program, "words")), mode) if found else ()
    if not any(clause in found for clause in kept):
        return None
    return Never("induction", typed.outlined.anything, desk.settings.solvers)


def _claims(desk: Desk, question: Question, mode: Mode) -> Iterator[Term]:
    """Conditions each of which leaves nowhere what is asked, or what must be so before its event."""
    for asked in islice(_parts(desk, question, mode), MOST_PARTS):
        of_what_there_is = denied(asked)
        if of_what_there_is is not None:
            yield of_what_there_is
        claim = _of_no_reference(asked, question)
        if claim is not None and claim != of_what_there_is:
            yield claim


def _parts(desk: Desk, question: Question, mode: Mode) -> Iterator[Question]:
    """What is asked, or what must be so before its event, and parts of that; the plainest first, and none that is so
    in a state that a play leads to. Where one of them is nowhere what is asked is nowhere."""
    program, sizes = desk.program, Sizes(desk.program)
    params, items, needs = question.params, list(conjuncts(question.condition)), list[Term]()
    if question.event is not None:
        way = before_event(program, Alternative(params, question.condition, question.event))
        params, needs = way.params, list(conjuncts(way.condition))[len(items) :]
    told = [item for item in (*items, *needs) if not reads_after(program, item)]
    wholes = [tuple(told)]
    for item in told:
        read = free_variables(item)
        beside = [need for need in needs if need != item and free_variables(need) & read]
        wholes += [(item,), (item, *beside)]
    asked: dict[Question, None] = {}
    for whole in wholes:
        read = frozenset[str]().union(*map(free_variables, whole))
        own = tuple(param for param in params if param.name in read)
        if whole and not any(param.name in question.made for param in own):
            asked[Question(own, whole[0] if len(whole) == 1 else m.AndT(BOOL, whole))] = None
    if question.event is None:
        asked[question] = None
    for one in sorted(asked, key=lambda one: sizes.of(one.condition)):
        if not _seen(desk, one, mode):
            yield one


def _of_no_reference(asked: Question, question: Question) -> Term | None:
    """That nothing answers what is asked before the event of a question, which may name what is not there; None for
    what cannot be said so."""
    own = {param.name for param in question.params}
    loose = [
        p for p in asked.params if p.name not in own and isinstance(p.type, ty.EntityT) and countable(p.type)
    ]
    claim = denied(replace(asked, params=tuple(p for p in asked.params if p not in loose)))
    for param in loose:
        assert isinstance(param.type, ty.EntityT)
        claim = None if claim is None else every_reference(param.type, claim, param.name)
    return claim


def _seen(desk: Desk, question: Question, mode: Mode) -> bool:
    """Whether a play within the scope, or one that was told, leads to where a question is true."""
    if any(explorer.look(question, mode) for explorer in desk.explorers):
        return True
    return desk.answered_by_told(question, mode) is not None


def in_no_play(desk: Desk, obligation: Obligation) -> Never | Unknown | None:
    """That no play, lawful or not, leads to where the question of an obligation is true, by an induction of steps that
    do something (`verifier.prove.anyhow`); None where that is not shown, `Unknown` where solvers contradict each other.

    What an event leaves is not asked. Its amounts are supposed to be as it helps. What the answer `uses` are the
    conditions that together are kept by all that can happen, and leave no such state.
    """
    question = obligation.question
    assert question is not None
    before = _before(desk, question)
    if not desk.exact and telling(desk.program, desk.inductive) != desk.inductive:
        return None
    if before is None or desk.counted(before, induction=True) != Counted((), True):
        return None
    asked = replace(obligation, question=before, wanted="never")
    proven, claim = desk.proven("words"), denied(before)
    if proven.disagree:
        return Unknown(proven.why, disagree=True, scope=proven.scope)
    if claim is None or not proven.holding:
        return None

    def told(assuming: Sequence[Term]) -> Answer:
        name = f"{obligation.id} in no play"
        return desk.briefly().ask(before, assuming, name, obligation.claim, "never")

    answer = told([named.term for named in proven.holding])
    if isinstance(answer, Unknown) and answer.disagree:
        return answer
    if not isinstance(answer, Never) or isinstance(told(()), Never) or desk.unseen("words", before)[0]:
        return None
    found = anyhow(desk, asked, desk.inductive, proven.holding, replace(answer, how="induction"))
    if not isinstance(found, Never):
        return found
    support, _ = desk.supports[repr(desk.inductive)]
    part = support.of(claim) or ()
    names = names_of(desk.program.ruleset)
    return replace(found, using=tuple(show_term(named.term, names) for named in part if named.term != claim))


def _before(desk: Desk, question: Question) -> Question | None:
    """The question without its event, asked of the state before that; None where it reads what the event leaves."""
    if reads_after(desk.program, question.condition):
        return None
    params, items = question.params, [question.condition]
    if question.event is not None:
        way = before_event(desk.program, Alternative(params, question.condition, question.event))
        params, items = way.params, [way.condition]
    endless = [p for p in params if domain_of(p.type) is None]
    condition = Acts(desk.program).some(endless, items) if endless else items[0]
    return Question(tuple(p for p in params if p not in endless), condition)


def _one(desk: Desk, more: Counted, most: int) -> Scope | None:
    """The scope that has all that is counted, if there is one with so few fields."""
    alone = more.scopes[0] if more.whole and len(more.scopes) == 1 else None
    return alone if alone is not None and places(desk.program, alone) <= most else None


def _where_as_many(desk: Desk, obligation: Obligation, mode: Mode, scope: Scope) -> Answer:
    """The answer by an induction in a scope made for the question, with what tells things apart there: of lawful play,
    if no scope has as much as the rules count, by one in words, which hangs on less."""
    wider = widened(desk, obligation, scope, mode)
    if isinstance(wider, Unknown):
        in_words = _where_as_many(desk, obligation, "words", scope) if mode == "play" else wider
        surely = isinstance(in_words, Never) or (isinstance(in_words, Unknown) and in_words.disagree)
        return in_words if surely else wider
    scope = wider
    return _kept(desk, obligation, mode, scope, lambda mode: desk.proven_within(scope, mode), _within(scope))


def _in_company(desk: Desk, obligation: Obligation, mode: Mode, scope: Scope) -> Answer | None:
    """The answer by an induction of that alone, and of what it takes, in a large scope made for the question; None
    where it cannot be put as one condition, or is not wanted of all states."""
    assert obligation.question is not None
    term = denied(obligation.question)
    if term is None or obligation.wanted != "never":
        return None
    return _beside(desk, obligation, mode, scope, Named(obligation.id, term))


def _beside(
    desk: Desk,
    obligation: Obligation,
    mode: Mode,
    scope: Scope,
    named: Named,
    told: bool = False,
    most: int = company.MOST,
) -> Answer:
    """The answer by an induction of a condition, and of what that takes, within a scope."""
    written = {one.name for one in desk.written}

    def beside(mode: Mode) -> Proven:
        proven = desk.proven_beside(scope, mode, named, told, most)
        return replace(proven, written=tuple(one for one in proven.holding if one.name in written))

    answer = _kept(desk, obligation, mode, scope, beside, _within(scope))
    if isinstance(answer, Unknown) and not answer.disagree:
        untold = [one for one in beside(mode).broken if one.named == named and one.why]
        return replace(answer, why=_untold(untold[0])) if untold else answer
    return answer


def _untold(broken: Broken) -> str:
    """That nobody could tell whether an event keeps something."""
    return broken.why if broken.event is None else f"whether `{broken.event}` keeps it: {broken.why}"


def _within(scope: Scope) -> Asking:
    def within(desk: Desk, obligation: Obligation, assuming: Sequence[Term]) -> Answer:
        assert obligation.question is not None
        name = f"{obligation.id} where there are as many"
        return desk.typed_within(scope).ask(obligation.question, assuming, name, obligation.claim, "never")

    return within


def _kept(
    desk: Desk,
    obligation: Obligation,
    mode: Mode,
    of: Scope,
    invariants: Callable[[Mode], Proven],
    ask: Asking,
) -> Answer:
    """The answer by the invariants of a scope, in which `ask` asks.

    Where lawful play does not get far enough within that scope, what holds whichever rules are broken may do, as
    `verifier.prove.anyhow` says; or what holds whether or not those rules are that stand in its way
    (`verifier.prove.loosened`).
    """
    question = obligation.question
    assert question is not None
    proven = invariants(mode)
    if proven.disagree:
        return Unknown(proven.why, disagree=True, scope=proven.scope)
    if not proven.holding:
        return Unknown("no invariant was found")
    if isinstance(ask(desk, obligation, ()), Never):
        return Unknown(NOWHERE_ELSE, scope=proven.scope)
    answer = ask(desk, obligation, [named.term for named in proven.holding])
    if not isinstance(answer, Never):
        return answer
    lawful = "lawful " if mode == "play" else ""
    beyond, nowhere = desk.unseen(mode, question, of)
    if beyond and mode == "play":
        in_words = _kept(desk, obligation, "words", of, invariants, ask)
        if isinstance(in_words, Never):
            found = anyhow(desk, obligation, of, invariants("words").holding, in_words)
            if found is not None:
                return found
        if desk.loosened is not None and (loose := _loosely(desk.loosened, obligation)) is not None:
            return loose
    if beyond:
        return Unknown(
            f"no {lawful}play within that scope had {listed(beyond)}, which may change it, and a wider one had",
            scope=proven.scope,
        )
    scope = (
        f"{answer.scope}; no {lawful}play was found that had {listed(nowhere)}" if nowhere else answer.scope
    )
    return replace(answer, how="induction", using=tuple(named.name for named in proven.written), scope=scope)


def _loosely(desk: Desk, obligation: Obligation) -> Never | None:
    """The answer `never` of play that may break the rules which a desk does without, and so of lawful play.

    Those rules want more things than there are in the scope, so that each update which writes what is asked about must
    take effect in some step there: where it does not, more things may make a difference.
    """
    assert obligation.question is not None
    answer = with_invariants(desk, obligation, "play", alone=False)
    if not isinstance(answer, Never):
        return None
    reads, question = Reads(desk.program), obligation.question
    terms = [question.condition, *(nothing.condition for nothing in question.none)]
    read = frozenset[str]().union(*map(reads.of, terms))
    events = [name for name in desk.program.ruleset.events if written(desk.program.ruleset, name) & read]
    if not desk.effects.all_seen(events, read):
        return None
    return replace(answer, scope=f"{answer.scope}; {kept_or_not(desk.less)}")


def kept_or_not(rules: Sequence[str]) -> str:
    """That a verdict is of all play which breaks no other rules, in words."""
    verb = "is" if len(rules) == 1 else "are"
    return f"whether {' and '.join(rules)} {verb} kept or not"


def listed(names: Sequence[str]) -> str:
    """Names in words."""
    return " or ".join(f"`{name}`" for name in names)
