"""What the names begin with of functions that the compiler makes itself."""

OWN = "own "
"""Conditions on one entity by itself; they hold of no entity that does not exist."""

OWED = "owed "
"""What a duty asks besides."""
