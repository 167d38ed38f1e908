"""Mutants of a ruleset: small changes of what its rules say, each of which a transcript or a proof should notice.

`mutant` says what one is, `walk` finds all there are, `workshop` makes a program of one, `bench` and `trial` judge
transcripts by it, `run` goes through them all. What the changes are says `spec/coverage.md`.
"""
