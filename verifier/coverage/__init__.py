"""Coverage of a law by its ruleset, and of the ruleset by proofs, transcripts and mutants.

`phrases` says of every word of the law what becomes of it, `evidence` what is known of every rule, `measure` puts both
together. What the levels mean says `spec/coverage.md`.
"""
