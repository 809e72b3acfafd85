"""`lissom doctor`: is this installation in order?"""

from __future__ import annotations

import typer

from lissom.cli.common import AsJson, err, out, print_json, print_listing


def doctor(as_json: AsJson = False) -> None:
    """Check this installation: versions, cache, every formulation, speed."""
    from lissom.diagnosis import doctor as examine

    with err.status("checking") as status:
        found = examine(progress=lambda words: status.update(words))
    if as_json:
        print_json({
            "ok": found.ok, "versions": found.versions, "machine": found.machine,
            "checks": [check._asdict() for check in found.checks], "nanoseconds": found.nanoseconds,
        })  # fmt: skip
    else:
        for listing in found.listings():
            print_listing(listing)
        out.print(found.verdict(), style="green" if found.ok else "bold red")
    if not found.ok:
        raise typer.Exit(1)
