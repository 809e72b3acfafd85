"""`lissom reproduce`: what a paper claims, tried."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table

from lissom.cli.common import AsJson, err, failing_kindly, out, print_json
from lissom.errors import InputError, suggest

PAPERS = ("hollerbach1980", "nasser")
COLOURS = {"reproduced": "green", "differs": "yellow"}


def _complete(incomplete: str) -> list[str]:
    return [paper for paper in PAPERS if paper.startswith(incomplete)]


def reproduce(
    paper: Annotated[str, typer.Argument(help=f"One of: {', '.join(PAPERS)}.", autocompletion=_complete)],
    timed: Annotated[bool, typer.Option("--time/--no-time", help="Also what must be measured (a minute).")] = True,
    as_json: AsJson = False,
) -> None:
    """Run everything a paper claims and print claim, ours, verdict."""
    import importlib

    with failing_kindly():
        if paper not in PAPERS:
            raise InputError(f"reproduce: there is no paper {paper!r}; {suggest(paper, PAPERS)}")
        module = importlib.import_module(f"lissom.papers.{paper}")
        with err.status("working") as status:
            found = module.reproduce(progress=lambda words: status.update(words), timed=timed)
        if as_json:
            print_json({"paper": found.paper, "title": found.title, "claims": [c._asdict() for c in found.claims]})
            return
        table = Table(title=found.title, title_justify="left", show_lines=True)
        for word in ("where", "claim", "ours", "verdict"):
            table.add_column(word)
        for claim in found.claims:
            verdict = f"[{COLOURS.get(claim.verdict, 'blue')}]{claim.verdict}[/]"
            table.add_row(claim.where, claim.claim, claim.ours, verdict + (f": {claim.why}" if claim.why else ""))
        out.print(table)
