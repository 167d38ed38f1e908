"""Synthetic logs: lawful play drawn at random from a ruleset's own rules, and faults planted in it.

`performer` plays one round, `library` keeps rounds by the states that they lead from and to, `walk` strings them into
tables, `faults` edits rows, `simulate` makes the log.
"""
