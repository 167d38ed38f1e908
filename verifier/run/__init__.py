"""The interpreter: one table at a time, exact, deterministic, and able to say why."""
