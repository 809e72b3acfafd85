"""Where the `lissom` command begins: nothing heavy is loaded before Ctrl-C is looked after."""

from __future__ import annotations

import sys


def run() -> None:
    """Run the `lissom` command; Ctrl-C ends it with one line and exit code 130, also while it is loading."""
    try:
        from lissom.cli.main import app

        app(prog_name="lissom")
    except KeyboardInterrupt:
        print("lissom: interrupted while starting; nothing was written.", file=sys.stderr)
        sys.exit(130)
