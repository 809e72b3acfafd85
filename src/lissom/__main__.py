"""``python -m lissom`` is the `lissom` command."""

from lissom.cli.start import run

run()
