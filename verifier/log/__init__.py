"""Logs: strict readers and writers of the one format that every ruleset's log has.

`schema` says what a ruleset's log looks like, `sources` opens files and folders, `write` writes them.
"""
