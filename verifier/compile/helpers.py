"""What every kernel has, in WebAssembly text: the list of an event's writes, and arithmetic that gives up."""

from __future__ import annotations

from verifier.compile.emit import LIMIT
from verifier.compile.layout import LOG_ENTRIES, Layout

TEXT = """
;; A write of the event at hand; two different ones to one place are left to the interpreter.
(func $write (param $at i32) (param $value i64) (local $e i32)
  (local.set $e (call $written (local.get $at)))
  (if (local.get $e)
    (then (if (i64.ne (i64.load offset=8 (local.get $e)) (local.get $value)) (then GIVE_UP)))
    (else (call $log (local.get $at) (local.get $value)))))

(func $log (param $at i32) (param $value i64) (local $e i32)
  (if (i32.ge_u (global.get $writes) (i32.const ENTRIES)) (then GIVE_UP (return)))
  (local.set $e (i32.add (i32.const LOG) (i32.shl (global.get $writes) (i32.const 4))))
  (i32.store (local.get $e) (local.get $at))
  (i64.store offset=8 (local.get $e) (local.get $value))
  (global.set $writes (i32.add (global.get $writes) (i32.const 1))))

;; The entry of a place, or 0.
(func $written (param $at i32) (result i32) (local $e i32) (local $end i32)
  (local.set $e (i32.const LOG))
  (local.set $end (i32.add (i32.const LOG) (i32.shl (global.get $writes) (i32.const 4))))
  (block $out (loop $on
    (br_if $out (i32.ge_u (local.get $e) (local.get $end)))
    (if (i32.eq (i32.load (local.get $e)) (local.get $at)) (then (return (local.get $e))))
    (local.set $e (i32.add (local.get $e) (i32.const 16)))
    (br $on)))
  (i32.const 0))

;; A whole list set to another; twice in one event is left to the interpreter.
(func $write_list (param $at i32) (param $from i32) (local $end i32)
  (if (call $written (local.get $at)) (then GIVE_UP (return)))
  (call $log (local.get $at) (i64.load (local.get $from)))
  (local.set $end (i32.add (local.get $from) (i32.shl (i32.wrap_i64 (i64.load (local.get $from))) (i32.const 3))))
  (block $out (loop $on
    (br_if $out (i32.ge_u (local.get $from) (local.get $end)))
    (local.set $from (i32.add (local.get $from) (i32.const 8)))
    (local.set $at (i32.add (local.get $at) (i32.const 8)))
    (call $log (local.get $at) (i64.load (local.get $from)))
    (br $on))))

;; One element more, after those that the event has given the list already.
(func $append (param $at i32) (param $value i64) (param $most i64)
  (local $e i32) (local $n i64) (local $here i32)
  (local.set $e (call $written (local.get $at)))
  (local.set $n (if (result i64) (local.get $e)
    (then (i64.load offset=8 (local.get $e)))
    (else (i64.load (local.get $at)))))
  (if (i64.ge_s (local.get $n) (local.get $most)) (then GIVE_UP (return)))
  (local.set $n (i64.add (local.get $n) (i64.const 1)))
  (local.set $here (i32.add (local.get $at) (i32.shl (i32.wrap_i64 (local.get $n)) (i32.const 3))))
  (if (local.get $e)
    (then (i64.store offset=8 (local.get $e) (local.get $n)))
    (else (call $log (local.get $at) (local.get $n))))
  (local.set $e (call $written (local.get $here)))
  (if (local.get $e)
    (then (i64.store offset=8 (local.get $e) (local.get $value)))
    (else (call $log (local.get $here) (local.get $value)))))

;; The event's writes are made.
(func $apply (local $e i32) (local $end i32)
  (local.set $e (i32.const LOG))
  (local.set $end (i32.add (i32.const LOG) (i32.shl (global.get $writes) (i32.const 4))))
  (block $out (loop $on
    (br_if $out (i32.ge_u (local.get $e) (local.get $end)))
    (i64.store (i32.load (local.get $e)) (i64.load offset=8 (local.get $e)))
    (local.set $e (i32.add (local.get $e) (i32.const 16)))
    (br $on))))

;; What the event would leave, and again what is: the writes and what stands in their places change places. Of the
;; values kept none is good at first of what it would leave, and afterwards those that were, unless another was kept
;; in their place.
(func $swap (local $e i32) (local $end i32) (local $at i32) (local $old i64)
  (if (global.get $ahead)
    (then
      (local.set $e (i32.const GOOD))
      (block $out (loop $on
        (br_if $out (i32.ge_u (local.get $e) (i32.const COPY)))
        (i64.store (local.get $e) (i64.and
          (i64.load offset=SIZE (local.get $e))
          (i64.xor (i64.load (local.get $e)) (i64.const -1))))
        (local.set $e (i32.add (local.get $e) (i32.const 8)))
        (br $on))))
    (else
      (memory.copy (i32.const HELD_COPY) (i32.const HELD) (i32.const HELD_SIZE))
      (memory.copy (i32.const COPY) (i32.const GOOD) (i32.const SIZE))
      (memory.fill (i32.const GOOD) (i32.const 0) (i32.const SIZE))))
  (global.set $ahead (i32.eqz (global.get $ahead)))
  (local.set $e (i32.const LOG))
  (local.set $end (i32.add (i32.const LOG) (i32.shl (global.get $writes) (i32.const 4))))
  (block $out (loop $on
    (br_if $out (i32.ge_u (local.get $e) (local.get $end)))
    (local.set $at (i32.load (local.get $e)))
    (local.set $old (i64.load (local.get $at)))
    (i64.store (local.get $at) (i64.load offset=8 (local.get $e)))
    (i64.store offset=8 (local.get $e) (local.get $old))
    (local.set $e (i32.add (local.get $e) (i32.const 16)))
    (br $on)))
  (if (global.get $ahead)
    (then (call $renew_all))
    (else (memory.copy (i32.const HELD) (i32.const HELD_COPY) (i32.const HELD_SIZE)))))

(func $bounded (param $n i64) (result i64)
  (if (i32.or (i64.gt_s (local.get $n) (i64.const MOST)) (i64.lt_s (local.get $n) (i64.const -MOST)))
    (then GIVE_UP (return (i64.const 0))))
  (local.get $n))

;; Both are of 62 bits at most, so that the division, which tells an overflow, has none itself.
(func $times (param $a i64) (param $b i64) (result i64) (local $n i64)
  (if (i32.or (i64.eqz (local.get $a)) (i64.eqz (local.get $b))) (then (return (i64.const 0))))
  (local.set $n (i64.mul (local.get $a) (local.get $b)))
  (if (i64.eq (local.get $n) (i64.const -9223372036854775808)) (then GIVE_UP (return (i64.const 0))))
  (if (i64.ne (i64.div_s (local.get $n) (local.get $b)) (local.get $a)) (then GIVE_UP (return (i64.const 0))))
  (call $bounded (local.get $n)))

;; Rounded down.
(func $div (param $a i64) (param $b i64) (result i64) (local $q i64)
  (local.set $q (i64.div_s (local.get $a) (local.get $b)))
  (if (i32.and (i64.ne (i64.rem_s (local.get $a) (local.get $b)) (i64.const 0))
      (i64.lt_s (i64.xor (local.get $a) (local.get $b)) (i64.const 0)))
    (then (local.set $q (i64.sub (local.get $q) (i64.const 1)))))
  (local.get $q))

(func $mod (param $a i64) (param $b i64) (result i64) (local $r i64)
  (local.set $r (i64.rem_s (local.get $a) (local.get $b)))
  (if (i32.and (i64.ne (local.get $r) (i64.const 0))
      (i64.lt_s (i64.xor (local.get $r) (local.get $b)) (i64.const 0)))
    (then (local.set $r (i64.add (local.get $r) (local.get $b)))))
  (local.get $r))

(func $fill (param $at i32) (param $value i64) (param $bytes i32) (local $end i32)
  (local.set $end (i32.add (local.get $at) (local.get $bytes)))
  (block $out (loop $on
    (br_if $out (i32.ge_u (local.get $at) (local.get $end)))
    (i64.store (local.get $at) (local.get $value))
    (local.set $at (i32.add (local.get $at) (i32.const 8)))
    (br $on))))

;; The rows of a dense table that were touched, as they were at first.
(func $clear (param $mask i32) (param $rows i32) (param $stride i32) (param $null i32) (param $bytes i32)
  (local $m i64)
  (local.set $m (i64.load (local.get $mask)))
  (block $out (loop $on
    (br_if $out (i64.eqz (local.get $m)))
    (memory.copy
      (i32.add (local.get $rows) (i32.mul (i32.wrap_i64 (i64.ctz (local.get $m))) (local.get $stride)))
      (local.get $null) (local.get $bytes))
    (local.set $m (i64.and (local.get $m) (i64.sub (local.get $m) (i64.const 1))))
    (br $on)))
  (i64.store (local.get $mask) (i64.const 0)))
"""


def helpers(layout: Layout) -> str:
    """The functions, with the addresses of this layout. The first reason to give up is the kernel's bounds."""
    text = TEXT
    first, end = layout.good
    held, met = layout.holding
    for name, value in (
        ("GIVE_UP", "(global.set $bad (i32.const 1))"),
        ("ENTRIES", LOG_ENTRIES),
        ("LOG", layout.log),
        ("HELD_COPY", met),
        ("HELD_SIZE", met - held),
        ("HELD", held),
        ("GOOD", first),
        ("COPY", end),
        ("SIZE", end - first),
        ("MOST", LIMIT),
    ):
        text = text.replace(name, str(value))
    return text
