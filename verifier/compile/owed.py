"""The duties of an event to code: which are due at it, which it does, which deadlines it passes.

It follows `verifier.run.duties`: a duty of which anything must be told marks the event.
"""

from __future__ import annotations

from dataclasses import dataclass

from verifier.compile.depends import AFTER
from verifier.compile.emit import FALSE, Bound, Truth, i64, lack, load, store
from verifier.compile.encoding import range_of
from verifier.compile.instances import Instances, Then
from verifier.compile.layout import Cell, keeps
from verifier.compile.loops import Env
from verifier.compile.marking import Marking
from verifier.compile.marks import Mark
from verifier.compile.unstated import not_checkable
from verifier.core.program import ActMatch, Duty
from verifier.model.terms import Term


@dataclass(slots=True)
class Owed(Marking):
    """The code of an event's duties."""

    def instances(
        self, duty: Duty, matches: Term | None, then: Then, unsure: Then | None = None, sure: bool = False
    ) -> str:
        """`then`, for each instance that the event matches and that is pending; `unsure`, `sure` as `Instances` has
        them."""
        made = Instances(self.functions, self.expressions, self.marked, unsure=unsure, sure=sure)
        return made.each(duty, matches, then)

    def unjudged(self, duty: Duty) -> Then | None:
        """What counts that it could not be judged, for want of options, whether a duty was done; None where the kernel
        cannot tell what hangs on that."""
        if not self.countable(duty.rule, duty.pending):
            return None
        return lambda env: not_checkable(self.functions, duty.rule)

    def left(self) -> tuple[str | None, list[str]]:
        """A local that tells whether the event does what was due right after an earlier one; None where it never does.

        The code stands before that of `at_once`, which forgets what has been done.
        """
        found: list[str] = []
        local: str | None = None
        for index, duty in enumerate(self.program.duties):
            acts = [act for act in duty.acts if act.event == self.event.name]
            if keeps(duty) and acts and not self.event.observed:
                local = local or self.body.local("i32")
                doing = f"(local.set {local} (i32.const 1))"
                due = self._kept(index, duty, lambda env: self.if_sure(self._does(acts, env), doing))  # noqa: B023
                found.append(self.if_sure(self.by(duty.roles), due))
        return local, [f"(local.set {local} (i32.const 0))", *found] if local else []

    def at_once(self) -> list[str]:
        if self.event.observed:
            return []
        if self.layout.reasons:
            return self._perhaps_at_once()
        due, done = self.body.local("i32"), self.body.local("i32")
        lost: str | None = None
        found: list[tuple[tuple[str, ...], str]] = []
        late: str | None = None
        for index, duty in enumerate(self.program.duties):
            acts = [act for act in duty.acts if act.event == self.event.name]
            if not self.program.waits_for(self.event.name, duty):
                continue
            if duty.kind == "at once":
                late = late or duty.rule

                def doing(env: Env, duty: Duty = duty, acts: list[ActMatch] = acts) -> str:
                    here = f"(local.set {due} (i32.const 1)) "
                    if not acts:
                        return here
                    does = f"(local.set {done} (i32.const 1)) {self.count(duty.rule)}"
                    return here + self.if_sure(self._does(acts, env), does)

                unsure: Then | None = None
                if self.countable(duty.rule, duty.pending):
                    lost = lost or self.body.local("i32")
                    unsure = self._perhaps(duty, acts, lost)
                found.append((duty.roles, self.instances(duty, None, doing, unsure)))
            elif keeps(duty):
                late = late or duty.rule

                def left(env: Env, index: int = index, duty: Duty = duty, acts: list[ActMatch] = acts) -> str:
                    here = f"(local.set {due} (i32.const 1))"
                    if not acts:
                        return here
                    bit = store(self.layout.cells[f"bit {index}"].at, i64(0))
                    does = f"(local.set {done} (i32.const 1)) {bit} {self.count(duty.rule)}"
                    return here + self.if_sure(self._does(acts, env), does)

                found.append((duty.roles, self._kept(index, duty, left)))
        if not found:
            return []
        reset, told = "", ""
        if lost is not None:
            # where a duty due is done, what may have been due besides is passed over
            reset = f" (local.set {lost} (i32.const 0))"
            told = f"(if (i32.and (local.get {lost}) (local.get {done})) (then {self.functions.give_up}))"
        return [
            f"(local.set {due} (i32.const 0)) (local.set {done} (i32.const 0)){reset}",
            *self.by_roles(found),
            told,
            f"(if (i32.and (local.get {due}) (i32.eqz (local.get {done}))) (then {self.mark(Mark.SKIPPED, late)}))",
        ]

    def _perhaps_at_once(self) -> list[str]:
        """As `at_once`, where some that are due, or what the event does, may not be told: it is found out first whether
        the event does, or perhaps does, what is due; and then said of each that is or may be due."""
        due, done, held, lost = (self.body.local("i32") for _ in range(4))
        why, own = self.body.local(), self.body.local()
        locals_ = (due, done, held, lost)
        first: list[tuple[tuple[str, ...], str]] = []
        then: list[tuple[tuple[str, ...], str]] = []
        late: str | None = None
        for index, duty in enumerate(self.program.duties):
            acts = [act for act in duty.acts if act.event == self.event.name]
            if not self.program.waits_for(self.event.name, duty):
                continue
            if (lacking := self.owed(index)) is not None:
                if duty.kind == "at once":
                    first.append((duty.roles, self.never(duty.rule, lacking)))
                continue
            if duty.kind != "at once" and not keeps(duty):
                continue
            late = late or duty.rule
            if duty.kind != "at once":

                def left(env: Env, index: int = index, duty: Duty = duty, acts: list[ActMatch] = acts) -> str:
                    here = f"(local.set {due} (i32.const 1)) (local.set {held} (i32.const 1))"
                    bit = store(self.layout.cells[f"bit {index}"].at, i64(0))
                    does = f"(local.set {done} (i32.const 1)) {bit} {self.count(duty.rule)}"
                    return here + (self.if_sure(self._does(acts, env), does) if acts else "")

                first.append((duty.roles, self._kept(index, duty, left)))
                continue

            def doing(env: Env, duty: Duty = duty, acts: list[ActMatch] = acts) -> str:
                does = f"(local.set {done} (i32.const 1)) {self.count(duty.rule)}"
                here = f"(local.set {due} (i32.const 1))"
                return here + (self.if_sure(self._does(acts, env), does) if acts else "")

            unsure: Then | None = None
            if self.countable(duty.rule, duty.pending):

                def perhaps(env: Env, acts: list[ActMatch] = acts) -> str:
                    here = f"(local.set {lost} (i32.const 1))"
                    if not acts:
                        return here
                    more = f"(local.set {why} (i64.or (local.get {why}) (local.get {own})))"
                    does = self.if_sure(self._does(acts, env), more)
                    return f"{here} (local.set {own} {lack()}) {does}"

                unsure = perhaps
            first.append((duty.roles, self.instances(duty, None, doing, unsure)))

            def judged(env: Env, duty: Duty = duty) -> str:
                counted = not_checkable(self.functions, duty.rule, f"(local.get {why})")
                return f"(if (i64.ne (local.get {why}) (i64.const 0)) (then {counted}))"

            def unjudged(env: Env, duty: Duty = duty) -> str:
                mask = f"(local.get {why})"
                known = f"(local.set {own} (select {lack()} {mask} (i64.eqz {mask})))"
                return known + not_checkable(self.functions, duty.rule, f"(local.get {own})")

            if unsure is not None:
                then.append((duty.roles, self.instances(duty, None, judged, unjudged)))
            else:
                then.append((duty.roles, self.instances(duty, None, judged)))
        if late is None:
            return self.by_roles(first)
        nothing = f"(i64.eqz (local.get {why}))"
        skipped = f"(if (i32.and (local.get {due}) {nothing}) (then {self.mark(Mark.SKIPPED, late)}))"
        left_over = f"(if (local.get {held}) (then {self.functions.give_up}))"
        each = f"(if (local.get {lost}) (then {left_over} {' '.join(self.by_roles(then))}))"
        return [
            *(f"(local.set {local} (i32.const 0))" for local in locals_),
            f"(local.set {why} (i64.const 0))",
            *self.by_roles(first),
            f"(if (i32.eqz (local.get {done})) (then {skipped} {each}))",
        ]

    def _perhaps(self, duty: Duty, acts: list[ActMatch], lost: str) -> Then:
        """What counts that it cannot be told whether a duty is due at once; where the event may do it, it gives up."""

        def perhaps(env: Env) -> str:
            counted = f"(local.set {lost} (i32.const 1)) {not_checkable(self.functions, duty.rule)}"
            does = self.expressions.any_of([self.expressions.truth(act.matches, env) for act in acts])
            if does == FALSE:
                return counted
            return f"(if {does.code} (then {self.functions.give_up}) (else {counted}))"

        return perhaps

    def _does(self, acts: list[ActMatch], env: Env) -> Truth:
        """As `_any_act`; where it hangs on an option that is not stated this gives up."""
        return self._any_act(acts, env, tell=True)

    def _any_act(self, acts: list[ActMatch], env: Env, tell: bool = False) -> Truth:
        """That the event does one of the acts; what is undefined is not done. `tell`: for want of an option this gives
        up."""
        found = []
        for act in acts:
            truth = self.expressions.truth(act.matches, env)
            if truth.open and tell and self.layout.optional.of(act.matches):
                t = self.body.local("i32")
                undefined = f"(i32.eq (local.get {t}) (i32.const 3))"
                truth = Truth(
                    f"(block (result i32) (local.set {t} {truth.code}) (if {undefined} (then {self.functions.give_up}))"
                    f" (i32.eq (local.get {t}) (i32.const 1)))"
                )
            elif truth.open:
                truth = Truth(f"(i32.eq {truth.code} (i32.const 1))")
            found.append(truth)
        return self.expressions.any_of(found)

    def deadlines(self) -> list[str]:
        acting: list[tuple[tuple[str, ...], str]] = []
        for index, duty in enumerate(self.program.duties):
            acts = [act for act in duty.acts if act.event == self.event.name]
            if duty.kind in ("before", "by end of") and acts and self.owed(index) is None:
                if len(acts) == 1:
                    code = self.instances(duty, acts[0].matches, self._kept_of(duty), _nothing, sure=True)
                else:

                    def doing(env: Env, duty: Duty = duty, acts: list[ActMatch] = acts) -> str:
                        return self.if_sure(self._any_act(acts, env), self.count(duty.rule))

                    code = self.instances(duty, None, doing, _nothing)
                acting.append((duty.roles, code))
        found = self.by_roles(acting)
        for index, duty in enumerate(self.program.duties):
            deadlines = [act for act in duty.deadline_acts if act.event == self.event.name]
            if (lacking := self.owed(index)) is not None:
                found += [self.never(duty.rule, lacking)] if duty.kind == "before" and deadlines else []
            elif duty.kind == "before":
                # of one that several say is due now, it is counted once
                unsure = self.unjudged(duty) if len(deadlines) == 1 else None
                found += [self.instances(duty, act.matches, self._late(duty), unsure) for act in deadlines]
        return found

    def _kept_of(self, duty: Duty) -> Then:
        return lambda env: self.count(duty.rule)

    def _late(self, duty: Duty) -> Then:
        return lambda env: self.mark(Mark.LATE, duty.rule)

    def right_after(self) -> list[str]:
        found = []
        for index, duty in enumerate(self.program.duties):
            if duty.kind != "immediately after":
                continue
            noting = self._noting(index, duty)
            after = [act for act in duty.deadline_acts if act.event == self.event.name]
            if (lacking := self.owed(index)) is not None:
                found += [self.never(duty.rule, lacking)] if after else []
                continue
            unsure = self._noting_unsure(index, duty)
            found += [self.instances(duty, act.matches, noting, unsure) for act in after]
        return found

    def unsure(self, index: int) -> Cell | None:
        """The cell that tells why nobody can tell whether a duty is due right after an earlier event."""
        return self.layout.cells.get(f"unsure {index}")

    def _noting_unsure(self, index: int, duty: Duty) -> Then | None:
        """What notes that nobody can tell whether a duty is due from now on, and counts that; None to give up."""
        cell = self.unsure(index)
        if cell is None or not self.countable(duty.rule, duty.pending):
            return None
        return lambda env: store(cell.at, lack()) + not_checkable(self.functions, duty.rule)

    def too_late(self) -> list[str]:
        """What perhaps was due right after an event is so no longer once its bearer has acted."""
        if self.event.observed:
            return []
        return [
            self.if_sure(self.by(duty.roles), store(cell.at, i64(0)))
            for index, duty in enumerate(self.program.duties)
            if (cell := self.unsure(index)) is not None
        ]

    def perhaps_demanded(self, lacks: str) -> list[str]:
        """What notes, in a local, why nobody can tell whether the event does what is due right after an earlier one;
        no local: this gives up."""
        found: list[str] = []
        for index, duty in enumerate(self.program.duties):
            acts = [act for act in duty.acts if act.event == self.event.name]
            cell = self.unsure(index)
            if cell is None or not acts:
                continue
            noted = f"(local.set {lacks} (i64.or (local.get {lacks}) {load(cell.at)}))"
            does = self.if_sure(self._does(acts, self.marked), noted if lacks else self.functions.give_up)
            there = f"(if (i64.ne {load(cell.at)} (i64.const 0)) (then {does}))"
            found.append(self.if_sure(self.by(duty.roles), there))
        return found

    def _noting(self, index: int, duty: Duty) -> Then:
        """What notes that an instance is due from now on; where one is already, or it is not kept, this gives up."""

        def noting(env: Env) -> str:
            if not keeps(duty):
                return self.functions.give_up
            cells = self.layout.cells
            noted = store(cells[f"bit {index}"].at, i64(1))
            if not duty.variables:
                return noted
            for variable in duty.variables:
                cell = cells[f"bit {index} {variable.name}"]
                noted += store(cell.at, f"(local.get {env[variable.name].local})")
            due = f"(i32.wrap_i64 {load(cells[f'bit {index}'].at)})"
            return f"(if {due} (then {self.functions.give_up}) (else {noted}))"

        return noting

    def _kept(self, index: int, duty: Duty, then: Then) -> str:
        """`then`, of the instance that an earlier event left due, if one did."""
        env, values = dict(self.marked), ""
        for variable in duty.variables:
            low, high = range_of(variable.type)
            local = self.body.local()
            env[variable.name] = Bound(local, variable.type, low, high)
            values += f"(local.set {local} {load(self.layout.cells[f'bit {index} {variable.name}'].at)})"
        due = f"(i32.wrap_i64 {load(self.layout.cells[f'bit {index}'].at)})"
        return f"(if {due} (then {values} {then(env)}))"

    def end_of(self, life: str) -> list[str]:
        """The duties due by the end of a life: none is pending."""
        found: list[str] = []
        for index, duty in enumerate(self.program.duties):
            if duty.kind != "by end of" or duty.life != life:
                continue
            if (lacking := self.owed(index)) is not None:
                found.append(self.never(duty.rule, lacking))
            elif AFTER in self.functions.depends.of(duty.pending):
                # an exception asks for what an event would leave, and none is at hand
                found.append(self.functions.give_up)
            else:
                found.append(self.instances(duty, None, self._late(duty), self.unjudged(duty)))
        return found


def _nothing(env: Env) -> str:
    """What is not surely due is not done either."""
    return ""
