"""Syntax tree to a resolved, typed ruleset: names, types, clauses, quotes, the exception graph."""
