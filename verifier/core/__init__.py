"""The core: a ruleset with everything lawyerly lowered, once, for the three back ends."""
