"""Concrete exploration of a ruleset with the interpreter: plays, the states that they reach, what is true there."""
