"""`lissom reproduce`: what a paper claims, tried."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from lissom.cli.common import AsJson, err, failing_kindly, out, print_json, save_figure
from lissom.errors import InputError, suggest

PAPERS = ("book1983", "deluca1991", "hollerbach1980", "nasser", "xiang2008")
WIDE = 130  # columns of a terminal that a table of claims takes
COLOURS = {"reproduced": "green", "differs": "yellow"}


def _complete(incomplete: str) -> list[str]:
    return [paper for paper in PAPERS if paper.startswith(incomplete)]


def reproduce(
    paper: Annotated[str, typer.Argument(help=f"One of: {', '.join(PAPERS)}.", autocompletion=_complete)],
    timed: Annotated[bool, typer.Option("--time/--no-time", help="Also what must be measured (a minute).")] = True,
    into: Annotated[
        Path | None, typer.Option("--into", help="Folder for the figures, made if need be. Default: the paper's name.")
    ] = None,
    figures: Annotated[bool, typer.Option("--figures/--no-figures", help="Draw the paper's figures again.")] = True,
    as_json: AsJson = False,
) -> None:
    """Run everything a paper claims, print claim, ours and verdict, and draw its figures."""
    import importlib

    with failing_kindly():
        if paper not in PAPERS:
            raise InputError(f"reproduce: there is no paper {paper!r}; {suggest(paper, PAPERS)}")
        folder = into or Path(paper)
        if figures and folder.exists() and not folder.is_dir():
            raise InputError(f"reproduce: {folder} is a file; name a folder for the figures with --into.")
        module = importlib.import_module(f"lissom.papers.{paper}")
        with err.status("working") as status:
            found = module.reproduce(progress=lambda words: status.update(words), timed=timed)
        if as_json:
            print_json(
                {
                    "paper": found.paper,
                    "title": found.title,
                    "claims": [c._asdict() for c in found.claims],
                    "listings": [listing._asdict() for listing in found.listings],
                }
            )
        else:
            _show(found)
        if figures and found.drawings:
            _draw(found.drawings, folder)


def _show(found: Any) -> None:
    """A table where there is room for one, else claim after claim; then what else is listed, and the sum."""
    if out.width >= WIDE:
        table = Table(title=found.title, title_justify="left", show_lines=True, expand=True)
        for word, share in (("where", 2), ("claim", 4), ("ours", 6), ("verdict", 4)):
            table.add_column(word, ratio=share, overflow="fold")
        for claim in found.claims:
            table.add_row(
                claim.where, claim.claim, claim.ours, _verdict(claim) + (f": {claim.why}" if claim.why else "")
            )
        out.print(table)
    else:
        out.print(f"[bold]{found.title}[/]\n")
        for claim in found.claims:
            why = f"\n  why   {claim.why}" if claim.why else ""
            out.print(f"{_verdict(claim)}  {claim.where}\n  claim {claim.claim}\n  ours  {claim.ours}{why}\n")
    for listing in found.listings:
        table = Table(title=listing.title, title_justify="left")
        for head in listing.heads:
            table.add_column(head)
        for row in listing.rows:
            table.add_row(*row)
        out.print(table)
    verdicts = Counter(claim.verdict for claim in found.claims)
    out.print(", ".join(f"{count} {verdict}" for verdict, count in verdicts.items()))


def _verdict(claim: Any) -> str:
    return f"[{COLOURS.get(claim.verdict, 'blue')}]{claim.verdict}[/]"


def _draw(drawings: Any, folder: Path) -> None:
    from lissom.views.panels import draw_panels

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"reproduce: the folder {folder} cannot be made ({error.strerror}).") from None
    for drawing in drawings:
        save_figure(draw_panels(drawing.panels, drawing.caption, drawing.columns), folder / f"{drawing.name}.png")
