"""Conditions made plain for the page."""

from __future__ import annotations

from verifier.diff.fold import NO, YES, less_obvious
from verifier.model import terms as m
from verifier.model.types import BOOL

A, B = m.Get(BOOL, "a"), m.Get(BOOL, "b")
ITSELF = m.CompareT(BOOL, "=", A, A)
OTHER = m.CompareT(BOOL, "=", A, B)


def test_that_something_is_what_it_is_goes_without_saying() -> None:
    both = m.AndT(BOOL, (ITSELF, B))
    assert less_obvious(both) == B
    assert less_obvious(m.OrT(BOOL, (both, m.AndT(BOOL, (A, ITSELF))))) == m.OrT(BOOL, (B, A))
    assert less_obvious(m.OrT(BOOL, (B, ITSELF))) == YES
    assert less_obvious(ITSELF) == YES


def test_what_says_something_stays() -> None:
    for term in (A, OTHER, NO, m.NotT(BOOL, ITSELF), m.AndT(BOOL, (OTHER, B)), m.OrT(BOOL, (OTHER, B))):
        assert less_obvious(term) == term
