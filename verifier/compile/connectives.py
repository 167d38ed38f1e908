"""Truth values joined to others: and, or, not, where any of them may be undefined (Kleene's three values)."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from verifier.compile.emit import FALSE, TRUE, Body, Truth
from verifier.compile.facts import joined


class Connectives:
    """Writes what joins truth values once their own code is written."""

    body: Body

    def all_of(self, items: list[Truth]) -> Truth:
        """Kleene's and."""
        items = [i for i in items if i != TRUE]
        if not items:
            return TRUE
        if FALSE in items:
            return FALSE
        found = items[-1]
        when = reduce(joined, (i.when for i in items))
        for item in reversed(items[:-1]):
            if item.open:
                t, s = self.body.local("i32"), self.body.local("i32")
                code = (
                    f"(if (result i32) (local.tee {t} {item.code}) (then (if (result i32) (local.tee {s} {found.code})"
                    f" (then (i32.or (local.get {t}) (local.get {s}))) (else (i32.const 0)))) (else (i32.const 0)))"
                )
                found = Truth(code, True)
            else:
                code = f"(if (result i32) {item.code} (then {found.code}) (else (i32.const 0)))"
                found = Truth(code, found.open)
        if len(items) == 1:
            return found
        return replace(found, when=when, unless={}, shape=("all", tuple(items)))

    def any_of(self, items: list[Truth]) -> Truth:
        """Kleene's or."""
        items = [i for i in items if i != FALSE]
        if not items:
            return FALSE
        if TRUE in items:
            return TRUE
        found = items[-1]
        unless = reduce(joined, (i.unless for i in items))
        for item in reversed(items[:-1]):
            if item.open:
                t, s = self.body.local("i32"), self.body.local("i32")
                code = (
                    f"(if (result i32) (i32.eq (local.tee {t} {item.code}) (i32.const 1)) (then (i32.const 1))"
                    f" (else (if (result i32) (i32.eq (local.tee {s} {found.code}) (i32.const 1)) (then (i32.const 1))"
                    f" (else (i32.or (local.get {t}) (local.get {s}))))))"
                )
                found = Truth(code, True)
            else:
                code = f"(if (result i32) {item.code} (then (i32.const 1)) (else {found.code}))"
                found = Truth(code, found.open)
        if len(items) == 1:
            return found
        return replace(found, when={}, unless=unless, shape=("any", tuple(items)))

    def negated(self, item: Truth) -> Truth:
        if item == TRUE:
            return FALSE
        if item == FALSE:
            return TRUE
        if not item.open:
            return Truth(f"(i32.eqz {item.code})", False, item.unless, item.when, ("not", (item,)))
        t = self.body.local("i32")
        code = (
            f"(block (result i32) (local.set {t} {item.code}) (select (i32.const 3) (i32.eqz (local.get {t}))"
            f" (i32.eq (local.get {t}) (i32.const 3))))"
        )
        return Truth(code, True, item.unless, item.when)
