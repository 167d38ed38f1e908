"""One kind of event to code: the interpreter's judge where nothing is wrong, and a mark where anything may be.

It follows `verifier.run.judge` step by step. While no rule has been broken and no duty charged, an event is in order
exactly where none of the marks here is set; every verdict `kept` is counted as the judge counts it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from verifier.check.lives import Lives
from verifier.compile.arguments import Arguments
from verifier.compile.claims import sites
from verifier.compile.depends import AFTER, written
from verifier.compile.emit import TRUE, Bound, Number, Truth, i64, lack, store
from verifier.compile.encoding import NotCompiledError, bits, shifts
from verifier.compile.holding import Sure
from verifier.compile.instances import Then
from verifier.compile.keeping import Changed
from verifier.compile.layout import MASK, Cell
from verifier.compile.marks import Mark
from verifier.compile.owed import Owed
from verifier.compile.unstated import doubted_of, not_checkable
from verifier.compile.updates import Waiting, apart, clear, forget, made, one_more, update, waiting
from verifier.core.program import EventNorm, Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.ruleset import Append, Each, FieldTarget, New, Update, Write
from verifier.model.terms import Term
from verifier.model.types import BOOL


@dataclass(slots=True)
class Judging(Arguments, Owed):
    """The code of one kind of event."""

    def function(self, symbol: str) -> str:
        """The whole function: of the event's number and its actor's, the mark."""
        self.functions.writing = self.event.name
        try:
            steps = self.steps()
        except NotCompiledError as lacking:
            self.functions.writing = f"{self.event.name}: {lacking}"
            steps = [self.functions.give_up]
        code = self.body.resolved(" ".join(steps))
        head = f"(func {symbol} (param $i i32) (param $actor i32) (result i32)"
        return f"{head} {self.body.declared()} {code} (i32.const 0))"

    def steps(self) -> list[str]:
        event = self.event
        found = [*self.arguments(), *self.needs(), "(global.set $writes (i32.const 0))"]
        found += [f"(global.set {name} (i32.const 0))" for name in self.doubted().values()]
        changes = self.program.ruleset.mechanics.get(event.name, ())
        waits: list[Waiting] | None = None
        ahead = self.looks_ahead()
        if apart(changes):
            code, waits = waiting(self.expressions, changes, self.plain, ahead)
            found.append(code)
        else:
            found += [update(self.expressions, change, self.plain) for change in changes]
        found += ["(if (global.get $bad) (then (return (i32.const 0))))"]
        found += self.rows(changes)
        self.expressions.moment += 1
        found += self.stocks()
        left, doing = self.left()
        found += [*doing, *self.at_once()]
        found += self.prohibitions()
        found += self.permissions(left)
        found += self.too_late()
        found += self.deadlines()
        for claim in event.claims:
            found += self.claim(claim)
        found += self.actor()
        found += self.right_after()
        found += ["(if (global.get $bad) (then (return (i32.const 0))))"]
        self.expressions.moment += 1
        if waits is None:
            found += ["(call $apply)"]
            kinds = [entity for change in changes if (entity := _entity(change)) is not None]
            found += [self.functions.all_renewed(kinds)]
            outdated = [Changed(written(change)) for change in changes]
        else:
            found += [made(self.expressions, one) for one in waits]
            found += self.renewed(waits)
            outdated = self.changed(waits)
        found += self.history()
        if ahead:
            outdated.append(Changed(AFTER))
        found += [self.functions.outdated([*outdated, *self.counted()])]
        lives = self.program.ruleset.lives
        ended = [i for i, life in enumerate(lives.values()) if event.name in life.ends]
        for life in lives.values():
            if event.name in life.ends:
                found += self.end_of(life.name)
        for life_number in ended:
            found += [f"(call $reset_{life_number})", self.functions.forget()]
        return found

    def rows(self, changes: Sequence[Update]) -> list[str]:
        """The rows that the event's own updates have made, of the entities among its parameters."""
        made = {entity for change in changes if (entity := _entity(change)) is not None}
        found: list[str] = []
        for bound in self.plain.values():
            if bound.row is not None:
                assert isinstance(bound.type, ty.EntityT)
                table = self.functions.table(bound.type)
                if bound.type.name in made and not table.dense:
                    row = self.functions.find(table, f"(local.get {bound.local})")
                    found.append(f"(local.set {bound.row} {row})")
        return found

    def looks_ahead(self) -> bool:
        """Whether anything that is judged at the event may ask for what it would leave."""
        return AFTER in self.functions.depends.judged(self.event.name)

    def renewed(self, waits: list[Waiting]) -> list[str]:
        """What is held of the entities that the updates are about."""
        found: list[str] = []
        for number in dict.fromkeys(one.number for one in waits if one.number is not None):
            ones = [one for one in waits if one.number == number]
            entity = _entity(ones[0].update)
            assert entity is not None
            fields = [written(one.update)[2] for one in ones if not isinstance(one.update, New)]
            made_ = _any_of([one.change for one in ones if isinstance(one.update, New)])
            changed = _any_of([one.change for one in ones if not isinstance(one.update, New)])
            place = f"(local.get {number})"
            every = self.functions.renewed(entity, None, place)
            some = self.functions.renewed(entity, fields, place, _sure(ones))
            if changed and some:
                some = f"(if {changed} (then {some}))"
            if made_ and every:
                some = f"(if {made_} (then {every}) (else {some}))"
            found.append(some)
        return found

    def changed(self, waits: list[Waiting]) -> list[Changed]:
        """What updates that wait write to, where it was changed."""
        return [
            Changed(
                written(one.update), f"(local.get {one.change})", one.others and f"(local.get {one.others})"
            )
            for one in waits
        ]

    def counted(self) -> list[Changed]:
        """What is written to because the event has happened."""
        ruleset, name = self.program.ruleset, self.event.name
        latches = [
            ("latch", str(i)) for i, one in enumerate(ruleset.latches) if name in (one.event, one.reset)
        ]
        breaches = [("broken", str(i)) for i, b in enumerate(ruleset.breaches) if b.reset == name]
        return [Changed(atom) for atom in (*latches, *breaches)]

    def needs(self) -> list[str]:
        found = []
        for need in self.event.needs:
            truth = self.expressions.truth(need, self.plain)
            if truth != TRUE:
                found.append(f"(if (i32.eqz {truth.code}) (then {self.mark(Mark.IMPOSSIBLE)}))")
        return found

    def stocks(self) -> list[str]:
        found = []
        for chance in self.program.ruleset.chances:
            if chance.event == self.event.name and chance.stock is not None and chance.latch is not None:
                if chance.parameter in self.missing or self._is_lost(chance.latch):
                    continue
                param = self.event.params[chance.parameter]
                drawn = m.ArithT(
                    ty.INT,
                    "+",
                    m.Count(ty.INT, chance.latch, (m.Var(param.type, param.name),)),
                    m.Lit(ty.INT, 1),
                )
                self.expressions.raw = True
                short = self.expressions.truth(m.CompareT(BOOL, ">", drawn, chance.stock), self.plain)
                self.expressions.raw = False
                mark = self.mark(Mark.IMPOSSIBLE)
                found.append(
                    self.if_sure(short, mark) if self.layout.reasons else self.demand(short, 1, mark)
                )
        return found

    def _is_lost(self, latch: int) -> bool:
        """Whether a log tells nothing of how often something has happened."""
        return self.layout.told is not None and latch in self.layout.told.latches

    # ----------------------------------------------------------------------------------------------- norms
    def applies(self, norm: EventNorm) -> Truth:
        with self.expressions.tracked(self.countable(norm.rule, norm.applies)):
            told = [p for i, p in enumerate(self.event.params) if i not in self.missing]
            return self.expressions.applied(norm.applies, [self.plain[p.name] for p in told])

    def prohibitions(self) -> list[str]:
        found: list[tuple[tuple[str, ...], str]] = []
        endings = self.program.endings.get(self.event.name, ())
        for norm in self.program.against(self.event.name):
            head = self.expressions.truth(norm.head, self.marked)
            if norm.exempt:
                found.append((norm.exempt, self.unless_no(head, self.count(norm.rule))))
            if norm.roles:
                with self.expressions.facts.given(head.when):
                    applies = self.applies(norm)
                forbidden = self.mark(Mark.FORBIDDEN, norm.rule)
                if self.clashes():
                    forbidden = self.functions.give_up
                if applies.open and self.countable(norm.rule, norm.applies):
                    t = self.body.local("i32")
                    kept = "" if norm in endings else self.count(norm.rule)
                    judged = (
                        f"{self.asked(norm.applies, applies, t)}"
                        f" (if (i32.eq (local.get {t}) (i32.const 1)) (then {forbidden}))"
                        f" (if (local.get {t}) (then {not_checkable(self.functions, norm.rule)})"
                        f" (else {kept}))"
                    )
                else:
                    judged = self.demand(applies, 1, forbidden) + self.count(norm.rule)
                found.append((norm.roles, self.unless_no(head, judged)))
        return self.by_roles(found)

    def clashes(self) -> bool:
        """Whether the event may do a duty of which nobody can tell whether it is due now: then it may not be told
        either that it is forbidden."""
        return bool(self.layout.reasons) and any(
            duty.kind in ("at once", "immediately after")
            and (
                self.owed(index) is not None
                or bool(self.layout.lacks.reached(duty.pending))
                or any(bool(self.layout.lacks.of(act.matches)) for act in duty.acts)
            )
            for index, duty in enumerate(self.program.duties)
            if any(act.event == self.event.name for act in duty.acts)
        )

    def permissions(self, left: str | None) -> list[str]:
        """`left`: the local that tells whether the event does what an earlier one left to be done."""
        governing = self.program.permissions.get(self.event.name, ())
        if not governing or self.event.observed:
            return []
        governed, permitted, own = (self.body.local("i32") for _ in range(3))
        found = [f"(local.set {governed} (i32.const 0)) (local.set {permitted} (i32.const 0))"]
        rules = list(dict.fromkeys(norm.rule for norm in governing))
        duties = [
            duty
            for duty in self.program.duties
            if duty.kind != "immediately after" and any(act.event == self.event.name for act in duty.acts)
        ]
        conditions = [*(norm.applies for norm in governing), *(duty.pending for duty in duties)]
        reached = self.layout.lacks.reached
        # that the event is governed may hang on what is never told of it
        partly = bool(self.layout.reasons) and any(self.layout.never_told(norm.head) for norm in governing)
        after = [
            index
            for index, duty in enumerate(self.program.duties)
            if any(act.event == self.event.name for act in duty.acts) and self.unsure(index) is not None
        ]
        counting = partly or bool(after) or any(reached(condition) for condition in conditions)
        counting = counting and all(map(self.doubtable, rules))
        surely = self.body.local("i32") if partly else ""
        found += [f"(local.set {surely} (i32.const 0))"] if partly else []
        lacked = ""
        lacks = self.body.local() if counting else ""
        governs = {rule: self.body.local("i32") for rule in rules} if counting else {}
        if counting:
            lacked = f"(local.set {lacks} (i64.or (local.get {lacks}) {lack()}))"
            found += [f"(local.set {lacks} (i64.const 0))"]
            found += [f"(local.set {local} (i32.const 0))" for local in governs.values()]
        # that the event is governed may hang on an option
        unsure = ""
        if any(self.layout.hangs(norm.head) for norm in governing):
            unsure = self.body.local("i32")
            found += [f"(local.set {unsure} (i32.const 0))"]
        for rule in rules:
            found.append(f"(local.set {own} (i32.const 0))")
            for norm in governing:
                if norm.rule != rule:
                    continue
                head = self.expressions.truth(norm.head, self.marked)
                permits, truth = f"(local.set {own} (i32.const 1))", self.applies(norm)
                if counting and truth.open and self.countable(norm.rule, norm.applies):
                    t = self.body.local("i32")
                    applies = (
                        f"{self.asked(norm.applies, truth, t)}"
                        f" (if (i32.eq (local.get {t}) (i32.const 1)) (then {permits}))"
                        f" (if (i32.eq (local.get {t}) (i32.const 3)) (then {lacked}))"
                    )
                else:
                    applies = self.demand(truth, 1, permits)
                here = f"(local.set {governed} (i32.const 1))"
                if counting:
                    here += f" (local.set {governs[rule]} (i32.const 1))"
                if surely and head.open:
                    t = self.body.local("i32")
                    head = Truth(f"(local.tee {t} {head.code})", True)
                    here += f" (if (i32.eq (local.get {t}) (i32.const 1)) (then (local.set {surely} (i32.const 1))))"
                elif surely:
                    here += f" (local.set {surely} (i32.const 1))"
                if head.open and unsure:
                    t = self.body.local("i32")
                    head = Truth(f"(local.tee {t} {head.code})", True)
                    here += f" (if (i32.eq (local.get {t}) (i32.const 3)) (then (local.set {unsure} (i32.const 1))))"
                found.append(
                    self.unless_no(head, f"{here} {self.if_sure(self.by(norm.roles), applies)}"),
                )
            found.append(
                f"(if (local.get {own}) (then (local.set {permitted} (i32.const 1)) {self.count(rule)}))"
            )
        demanded = self.body.local("i32")
        asked = [f"(local.set {demanded} (i32.const 0))"]
        doing = f"(local.set {demanded} (i32.const 1))"
        perhaps: Then | None = (lambda env: lacked) if counting else None
        for duty in duties:
            asked += [
                self.if_sure(
                    self.by(duty.roles), self.instances(duty, act.matches, lambda env: doing, perhaps)
                )
                for act in duty.acts
                if act.event == self.event.name
            ]
        for index, duty in enumerate(self.program.duties):
            lacking = duty.kind == "immediately after" and self.owed(index) is not None
            if lacking and any(act.event == self.event.name for act in duty.acts):
                asked.append(self.if_sure(self.by(duty.roles), self.functions.give_up))
        asked += self.perhaps_demanded(lacks)
        if left is not None:
            asked.append(f"(if (local.get {left}) (then {doing}))")
        refused = self.mark(Mark.NOT_PERMITTED)
        if surely:
            part = i64(self.layout.why(f"part of {self.event.name}"))
            lost = f"(local.set {lacks} (i64.or (local.get {lacks}) {part}))"
            asked.append(f"(if (i32.eqz (local.get {surely})) (then {lost}))")
        if counting:
            counts = " ".join(
                f"(if (local.get {local}) (then {not_checkable(self.functions, rule, f'(local.get {lacks})')}))"
                for rule, local in governs.items()
            )
            refused = f"(if (i64.eqz (local.get {lacks})) (then {refused})) {counts}"
        if unsure:
            refused = f"(if (local.get {unsure}) (then {self.functions.give_up}) (else {refused}))"
        asked.append(f"(if (i32.eqz (local.get {demanded})) (then {refused}))")
        found.append(
            f"(if (i32.and (local.get {governed}) (i32.eqz (local.get {permitted}))) (then {' '.join(asked)}))"
        )
        return found

    def actor(self) -> list[str]:
        if not self.event.by:
            return []
        here = self.by(self.event.by)
        if here == TRUE:
            return []
        # where it hangs on an option to whom a rule gives the act, there may be nothing to find
        heads = [norm.head for norm in self.program.permissions.get(self.event.name, ())]
        unsure = any(self.layout.optional.of(head) for head in heads)
        found = self.functions.give_up if unsure else self.mark(Mark.ACTOR)
        return [f"(if (i32.eqz {here.code}) (then {found}))"]

    # ----------------------------------------------------------------------------------------------- claims
    def claim(self, claim: Term) -> list[str]:
        """It holds, and the answers it asks for are due; then the rules that gave them, or ask for them, are kept."""
        holds = self.expressions.truth(claim, self.plain)
        found: list[str] = []
        doubt, doubts = self.body.local("i32"), ""
        rules: dict[str, list[str]] = {}
        asked: dict[str, list[str]] = {}
        for site in sites(self.program, claim):
            decision = self.program.decisions[site.decision]
            written = self.functions.decision(site.decision)
            label, done = self.body.label(), self.body.label()
            by: dict[str, Bound] = {}
            code = ""
            for param, bound, arg in zip(decision.params, written.params, site.args, strict=True):
                local = self.body.local()
                number = self.expressions.number(arg, self.plain, label)
                code += f"(local.set {local} {self.expressions.fitted(number, arg.type, param.type).code})"
                by[param.name] = replace(bound, local=local, row=None)
            rows, bounds = self.functions.with_rows(self.body, tuple(by.values()))
            by = dict(zip(by, bounds, strict=True))
            code += rows
            if decision.asked is not None:
                due = self.expressions.truth(decision.asked, by)
                if due.open:
                    unsure = f"(i32.eq {due.code} (i32.const 3))"
                    doubts += f"(block {label} {code} (if {unsure} (then (local.set {doubt} (i32.const 1)))))"
                code += self.demand(due, 0, self.mark(Mark.EARLY))
            call = f"(call {written.symbol} {self.functions.passed(written.params, bounds)})"
            unknown = (
                f"(i32.eq {call} (i32.const 3))"
                if isinstance(decision.type, ty.BoolT)
                else f"(i64.eq {call} {i64(-(1 << 63))})"
            )
            code += f"(if {unknown} (then {self.functions.give_up}))"
            masks = [self.body.local() for _ in self.functions.masks(site.decision)]
            zero = ""
            for local, mask in zip(masks, self.functions.masks(site.decision), strict=True):
                code += f"(local.set {local} (global.get {mask}))"
                zero += f"(local.set {local} (i64.const 0))"
            for rule in dict.fromkeys(case.rule for case in decision.cases):
                for part, local in enumerate(masks):
                    gave = sum(
                        1 << i % MASK
                        for i, case in enumerate(decision.cases)
                        if case.rule == rule and i // MASK == part
                    )
                    if gave:
                        rules.setdefault(rule, []).append(
                            f"(i64.ne (i64.and (local.get {local}) {i64(gave)}) (i64.const 0))"
                        )
            for rule, term in decision.askers:
                flag = self.body.local("i32")
                zero += f"(local.set {flag} (i32.const 0))"
                code += f"(local.set {flag} {self.expressions.truth(term, by).code})"
                asked.setdefault(rule, []).append(f"(i32.eq (local.get {flag}) (i32.const 1))")
            if label in self.body.used:
                code = f"(block {done} (block {label} {code} (br {done})) {self.functions.give_up})"
            if site.reached:
                reached = self.expressions.all_of(
                    [self.expressions.truth(t, self.plain) for t in site.reached]
                )
                code = self.demand(reached, 1, code)
            found.append(zero + code)
        for rule in dict.fromkeys([*rules, *asked]):
            tests = [*rules.get(rule, ()), *asked.get(rule, ())]
            test = tests[0]
            for more in tests[1:]:
                test = f"(i32.or {test} {more})"
            found.append(f"(if {test} (then {self.count(rule)}))")
        wrong = self.mark(Mark.SETTLEMENT)
        if doubts:
            # where nobody can tell whether an answer is due, there is nothing to find
            told = f"(if (local.get {doubt}) (then {self.functions.give_up}) (else {wrong}))"
            wrong = f"(local.set {doubt} (i32.const 0)) {doubts} {told}"
        return [self.demand(holds, 0, wrong), *found]

    # ----------------------------------------------------------------------------------------------- afterwards
    def history(self) -> list[str]:
        ruleset = self.program.ruleset
        found: list[str] = []
        for index, latch in enumerate(ruleset.latches):
            name = f"latch {index}"
            lost = self.layout.cells.get(f"lost {index}")
            if latch.reset == self.event.name and self._misses(
                latch.reset_fixed, (param for _, param in latch.reset_keys)
            ):
                found.append(self._losing(index, latch.reset_fixed))
            elif latch.reset == self.event.name:
                place = self.layout.place(name)
                apart: list[tuple[int, int, str]] | None = None
                if latch.reset_keys:
                    assert not isinstance(place, Cell)
                    places = shifts(place.keys)
                    apart = []
                    for position, param in latch.reset_keys:
                        type_ = place.keys[position]
                        part = self.expressions.packed_part(
                            type_, self._argument(param), self.event.params[param].type
                        )
                        apart.append((places[position], (1 << bits(type_)) - 1, part))
                code = forget(self.expressions, name, apart)
                code += store(lost.at, i64(0)) if lost is not None and not latch.reset_keys else ""
                found.append(self._fixed(latch.reset_fixed, code))
            if latch.event == self.event.name and self._misses(latch.fixed, latch.keys):
                found.append(self._losing(index, latch.fixed))
            elif latch.event == self.event.name:
                keys = [(self._argument(k), self.event.params[k].type) for k in latch.keys]
                found.append(self._fixed(latch.fixed, one_more(self.expressions, name, keys)))
        for index, breach in enumerate(ruleset.breaches):
            if breach.reset == self.event.name:
                found.append(clear(self.layout.cells[f"broken {index}"]))
                if (doubt := self.layout.cells.get(f"doubt {index}")) is not None:
                    sooner = f"(i32.eqz (global.get {self.doubted()[index]}))"
                    found.append(f"(if {sooner} (then {store(doubt.at, i64(0))}))")
        return found

    def doubted(self) -> dict[int, str]:
        """As `verifier.compile.unstated.doubted_of`, of those that the event resets."""
        breaches = self.program.ruleset.breaches
        return {
            i: name for i, name in doubted_of(self.layout).items() if breaches[i].reset == self.event.name
        }

    def _misses(self, fixed: tuple[tuple[int, object], ...], keys: Iterable[int]) -> bool:
        """Whether it hangs on what is never told of the event which count it changes."""
        return any(index in self.missing for index in (*(index for index, _ in fixed), *keys))

    def _losing(self, latch: int, fixed: tuple[tuple[int, object], ...]) -> str:
        """Code after which nobody can tell how often something has happened, unless it is told that it has not."""
        why = i64(self.layout.why(f"part of {self.event.name}"))
        known = tuple((index, value) for index, value in fixed if index not in self.missing)
        return self._fixed(known, store(self.layout.cells[f"lost {latch}"].at, why))

    def _argument(self, index: int) -> Number:
        param = self.event.params[index]
        return self.expressions.number(m.Var(param.type, param.name), self.plain, "")

    def _fixed(self, fixed: tuple[tuple[int, object], ...], code: str) -> str:
        for index, value in fixed:
            param = self.event.params[index]
            number = self.expressions.literal(param.type, value)
            code = f"(if (i64.eq (local.get {self.plain[param.name].local}) {number.code}) (then {code}))"
        return code


def _sure(ones: Sequence[Waiting]) -> Sure:
    """What is known of the one row that updates are about, where any of them has changed it."""
    exists = any(isinstance(one.update, New) and one.update.when is None for one in ones)
    match [one.update for one in ones if not isinstance(one.update, New)]:
        case [Append(target=FieldTarget(name=name))]:
            return Sure(exists, name)
        case _:
            return Sure(exists)


def _any_of(flags: list[str]) -> str:
    """Code for whether any of these locals is other than 0."""
    found = ""
    for flag in flags:
        found = f"(i32.or {found} (local.get {flag}))" if found else f"(local.get {flag})"
    return found


def _entity(change: Update) -> str | None:
    """The kind of entity of which an update may make a row."""
    match change:
        case New(entity=entity):
            return entity
        case Write(target=FieldTarget(entity=entity)) | Append(target=FieldTarget(entity=entity)):
            return entity
        case Write() | Append():
            return None
        case Each(update=inner):
            return _entity(inner)


def own_events(program: Program) -> dict[str, frozenset[str]]:
    """For each life that passes, the events that go on in it."""
    return {track.life.name: track.own for track in Lives.of(program.ruleset).tracks}


__all__ = ["Judging", "own_events"]
