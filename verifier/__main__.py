"""`python -m verifier` is `gazette`."""

from verifier.cli import main

main()
