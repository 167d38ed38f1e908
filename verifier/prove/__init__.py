"""The prover: the core's terms in Z3, and what is asked of them. Z3 is imported nowhere else."""
