"""Transcripts that say what they expect: read, checked, compared.

`expectation` reads what stands under `expect`, `compare` tells how a check differs from it, `case` finds the files
and runs them. What a file must look like says `spec/log.md`.
"""
