"""`lissom reproduce`: what a paper claims, tried."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from lissom.cli.common import AsJson, err, failing_kindly, out, print_json, save_figure
from lissom.errors import InputError, suggest

PAPERS = ("book1983", "deluca1991", "hollerbach1980", "nasser", "xiang2008")
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
            print_json({"paper": found.paper, "title": found.title, "claims": [c._asdict() for c in found.claims]})
        else:
            _show(found)
        if figures and found.drawings:
            _draw(found.drawings, folder)


def _show(found: Any) -> None:
    table = Table(title=found.title, title_justify="left", show_lines=True)
    for word in ("where", "claim", "ours", "verdict"):
        table.add_column(word)
    for claim in found.claims:
        verdict = f"[{COLOURS.get(claim.verdict, 'blue')}]{claim.verdict}[/]"
        table.add_row(claim.where, claim.claim, claim.ours, verdict + (f": {claim.why}" if claim.why else ""))
    out.print(table)


def _draw(drawings: Any, folder: Path) -> None:
    from lissom.views.panels import draw_panels

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"reproduce: the folder {folder} cannot be made ({error.strerror}).") from None
    for drawing in drawings:
        save_figure(draw_panels(drawing.panels, drawing.caption, drawing.columns), folder / f"{drawing.name}.png")
