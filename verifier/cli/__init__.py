"""The command line `gazette`: it parses and prints; all it does can be done from Python."""

from __future__ import annotations

from typing import NoReturn


def main() -> NoReturn:
    """The entry point: runs the command of `sys.argv` and ends the process with its exit code."""
    import gc
    import sys

    # Most of what is made lasts: to look for what does not took a tenth of the time of a short command.
    gc.set_threshold(50_000, 20, 20)
    try:
        from verifier.cli.app import run
        from verifier.cli.signals import end_tidily, let_messages_fail

        end_tidily()
        let_messages_fail()

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130  # before `run` could take over
    sys.exit(code)
