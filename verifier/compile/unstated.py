"""Conditions asked with options unstated, or things not recorded, as the interpreter's bench asks them, and what is
counted of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from verifier.check.unjudged import Unjudged
from verifier.compile.emit import OTHER, Body, Truth, i32, i64, lack, store
from verifier.compile.encoding import UNDEFINED, NotCompiledError, encode
from verifier.compile.keeping import Changed
from verifier.compile.layout import CELL, Layout, data_at
from verifier.model.ruleset import Option
from verifier.run.bench import MAX_COMBINATIONS

if TYPE_CHECKING:
    from verifier.compile.functions import Functions


def globals_of(made: Layout) -> list[str]:
    """The globals of a module that tells what it lacks."""
    doubted = [f"(global {name} (mut i32) (i32.const 0))" for name in doubted_of(made).values()]
    if not made.lacks.unstated:
        return doubted
    wide = ("lack", "lacking", "names", "turn", "union")
    narrow = ("asking", "answer", "told")
    return [
        *(f"(global ${name} (mut i64) (i64.const 0))" for name in wide),
        *(f"(global ${name} (mut i32) (i32.const 0))" for name in narrow),
        *doubted,
    ]


def doubted_of(made: Layout) -> dict[int, str]:
    """For each latch of a breach that an event resets, and that can be in doubt: the global that says whether the event
    at hand has put it there, for such a doubt outlasts the reset."""
    return {
        index: f"$doubted_{index}"
        for index, breach in enumerate(made.ruleset.breaches)
        if breach.reset is not None and f"doubt {index}" in made.cells
    }


ASK = """
;; Whether a condition, which came to $t, is to be asked again with options set. Else $answer is what it comes to: where
;; options of few values are unstated what all of these agree on; and $lack why it is undefined.
(func $ask (param $t i32) (param $exact i32) (result i32) (local $more i64)
  (if (i32.eq (local.get $t) (i32.const 3)) (then
    (if (i32.and (i32.eqz (local.get $exact))
        (i64.gt_u (i64.popcnt (i64.and (global.get $lack) (i64.const OPTIONS))) (i64.const 1)))
      (then (global.set $lack (i64.or (global.get $lack) (i64.const OTHER)))))))
  (block $lacking
    (if (global.get $asking)
      (then
        (if (i32.eq (local.get $t) (i32.const 3))
          (then (global.set $union (i64.or (global.get $union) (global.get $lack))))
          (else (global.set $told
            (i32.or (global.get $told) (i32.shl (i32.const 1) (local.get $t))))))
        (br_if $lacking (i32.eq (global.get $told) (i32.const 3)))
        (if (call $try) (then (return (i32.const 1))))
        (if (i64.eqz (global.get $union)) (then
          (call $leave)
          (global.set $answer (i32.shr_u (global.get $told) (i32.const 1)))
          (return (i32.const 0))))
        ;; where it is some of their values that leave something else undefined, it is for want of the options
        (br_if $lacking (i32.and NO_OPTION
          (i32.ne (global.get $told) (i32.const 0))))
        (global.set $lacking (global.get $union))
        (br_if $lacking (i64.ne (i64.and (global.get $union) (i64.const OTHER)) (i64.const 0))))
      (else
        (global.set $names (i64.const 0))
        (global.set $lacking (global.get $lack))
        (br_if $lacking (i64.ne (i64.and (global.get $lack) (i64.const OTHER)) (i64.const 0)))))
    (local.set $more (i64.and STILL_OPEN (i64.xor (global.get $names) (i64.const -1))))
    (br_if $lacking (i64.eqz (local.get $more)))
    (global.set $names (i64.or (global.get $names) (local.get $more)))
    (br_if $lacking (i64.ne (i64.and (global.get $names) (i64.const ENDLESS)) (i64.const 0)))
    (if (i64.ne (i64.and (global.get $names) (i64.const UNTRIED)) (i64.const 0))
      (then (global.set $lacking (i64.const OTHER)) (br $lacking)))
    (br_if $lacking (i64.gt_u (call $ways) (i64.const MANY)))
    (global.set $union (i64.const 0))
    (global.set $told (i32.const 0))
    (global.set $turn (i64.const 0))
    (global.set $asking (i32.const 1))
    (drop (call $try))
    (return (i32.const 1)))
  (call $leave)
  (global.set $lack (global.get $lacking))
  (global.set $answer (i32.const 3))
  (i32.const 0))

;; In how many ways the options $names may be set; too many are as good as $MANY and one.
(func $ways (result i64) (local $n i64)
  (local.set $n (i64.const 1)) EACH_COUNT
  (local.get $n))

;; Set the options $names in the next way; whether there was one. No value kept is good then.
(func $try (result i32) (local $n i64)
  (local.set $n (global.get $turn))
  (global.set $turn (i64.add (global.get $turn) (i64.const 1))) EACH_SET
  FORGET
  (i64.eqz (local.get $n)))

;; The options are unstated again.
(func $leave
  (if (global.get $asking) (then EACH_UNSET FORGET))
  (global.set $asking (i32.const 0)))

;; One more that a rule could not be judged at, for want of these options.
(func $not_checkable (param $at i32) (param $mask i64)
  (i64.store (local.get $at) (i64.add (i64.load (local.get $at)) (i64.const 1)))
  (block $out (loop $on
    (br_if $out (i64.eqz (local.get $mask)))
    (call $count (i32.add (local.get $at) (i32.shl (i32.add (i32.const 1)
      (i32.wrap_i64 (i64.ctz (local.get $mask)))) (i32.const 3))))
    (local.set $mask (i64.and (local.get $mask) (i64.sub (local.get $mask) (i64.const 1))))
    (br $on))))

(func $count (param $at i32)
  (i64.store (local.get $at) (i64.add (i64.load (local.get $at)) (i64.const 1))))
"""


def asking(made: Layout, forget: str) -> str:
    """The functions that ask a condition with options unstated as `verifier.run.bench.Bench.ask` does; `forget` is code
    that makes no value kept good."""
    if not made.lacks.unstated:
        return ""
    endless = untried = 0
    count = set_ = unset = ""
    for name in made.unstated:
        bit, option = made.lacks.bits[name], made.ruleset.options[name]
        if option.values is None:
            endless |= bit
            continue
        try:
            numbers = _encoded(option, made)
        except NotCompiledError:
            untried |= bit
            continue
        named = f"(i64.ne (i64.and (global.get $names) {i64(bit)}) (i64.const 0))"
        size, at = i64(len(numbers)), made.cells[f"option {name}"].at
        more = f"(i64.mul (local.get $n) {size})"
        many = (
            f"(select {more} {i64(MAX_COMBINATIONS + 1)} (i64.le_u (local.get $n) {i64(MAX_COMBINATIONS)}))"
        )
        count += f"(if {named} (then (local.set $n {many})))"
        index = f"(i32.shl (i32.wrap_i64 (i64.rem_u (local.get $n) {size})) (i32.const 3))"
        value = f"(i64.load offset={data_at(made, numbers)} {index})"
        set_ += f"(if {named} (then {store(at, value)} (local.set $n (i64.div_u (local.get $n) {size}))))"
        unset += f"(if {named} (then {store(at, i64(UNDEFINED))}))"
    no_option, open_ = "(i64.eq (global.get $union) (i64.const OTHER))", "(global.get $lacking)"
    if made.reasons:
        # what the log never records is no option that could be set
        options = i64(OTHER - 1 - made.never)
        no_option = f"(i64.eqz (i64.and (global.get $union) {options}))"
        open_ = f"(i64.and (global.get $lacking) {options})"
    text = ASK
    for word, put in (
        ("NO_OPTION", no_option),
        ("STILL_OPEN", open_),
        ("EACH_COUNT", count),
        ("EACH_SET", set_),
        ("EACH_UNSET", unset),
        ("FORGET", forget),
        ("OPTIONS", str(OTHER - 1)),
        ("OTHER", str(OTHER)),
        ("ENDLESS", str(endless)),
        ("UNTRIED", str(untried)),
        ("$MANY", str(MAX_COMBINATIONS)),
        ("MANY", str(MAX_COMBINATIONS)),
    ):
        text = text.replace(word, put)
    return text


def _encoded(option: Option, made: Layout) -> tuple[int, ...]:
    """The values of an option as cells; at least one."""
    assert option.values is not None
    found = tuple(encode(option.type, value, {}, made.unit) for value in option.values)
    if not found:
        raise NotCompiledError("an option of no value")
    return found


def asked(functions: Functions, body: Body, function: str, truth: Truth, t: str) -> str:
    """Code that sets a local to the truth value of a condition, all of which `function` is; where it is undefined, for
    want of options alone, `$lack` says which. It gives up where anything else is lacking."""
    again = body.label()
    exact = i32(functions.layout.lacks.exactly(function))
    undefined = f"(i32.eq (local.get {t}) (i32.const 3))"
    other = f"(i64.ne (i64.and {lack()} {i64(OTHER)}) (i64.const 0))"
    return (
        f"(loop {again} (global.set $lack (i64.const 0)) (local.set {t} {truth.code})"
        f" (if (i32.or (global.get $asking) {undefined}) (then"
        f" (br_if {again} (call $ask (local.get {t}) {exact})) (local.set {t} (global.get $answer)))))"
        f" (if {undefined} (then (if {other} (then {functions.give_up}))))"
    )


def not_checkable(functions: Functions, rule: str, lacked: str = lack()) -> str:
    """Code that counts that a rule could not be judged for want of that whose bits `lacked` has; then nobody can tell
    either whether it has been broken."""
    made = functions.layout
    at = made.lacking + CELL * (1 + len(made.lacks.unstated)) * made.rules[rule]
    code = f"(call $not_checkable {i32(at)} {lacked})"
    doubted = doubted_of(made)
    for index, rules in enumerate(made.program.breach_rules):
        if rule in rules and (doubt := made.cells.get(f"doubt {index}")) is not None:
            code += store(doubt.at, lacked) + functions.outdated([Changed(("broken", str(index)))])
            code += f"(global.set {doubted[index]} (i32.const 1))" if index in doubted else ""
    return code


def unjudged_of(state: Sequence[int], layout: Layout) -> dict[str, Unjudged]:
    """What could not be judged for want of options, or of what is not recorded, by rule, by a state, or the sum of
    several."""
    found: dict[str, Unjudged] = {}
    whys = layout.whys
    wide, first = 1 + len(whys), layout.lacking // CELL
    for rule, i in layout.rules.items():
        if whys and (times := int(state[first + wide * i])):
            lacked = [int(n) for n in state[first + wide * i + 1 : first + wide * (i + 1)]]
            each = zip(whys, lacked, strict=True)
            found[rule] = Unjudged(times, {reason: n for reason, n in each if n})
    return found


__all__ = ["asked", "asking", "doubted_of", "globals_of", "not_checkable", "unjudged_of"]
