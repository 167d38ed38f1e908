"""What can be said of a ruleset without running anything: its errors, and what looks forgotten.

`inspect.lint` gathers the findings, `print` writes them.
"""
