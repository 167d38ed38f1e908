"""The obligations that write themselves: what every ruleset must meet without being asked.

Each module has `obligations(program)`, pure and cheap: it reads the program and asks no solver.
"""
