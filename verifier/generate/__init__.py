"""Rounds that show the rules at work: whole lawful ones that exercise every rule, and one faulty one for each rule.

`asks` says what a round must show, `rounds` judges rounds and makes them short, `search` finds them, `write` makes
transcripts of them, `generate` does it for a whole ruleset.
"""
