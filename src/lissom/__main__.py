"""``python -m lissom`` is the `lissom` command."""

from lissom.cli.main import app

app(prog_name="lissom")
