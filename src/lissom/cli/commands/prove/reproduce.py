"""`lissom reproduce`: what a paper claims, tried."""

from __future__ import annotations

import importlib
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from lissom.cli.common import WIDEST, AsJson, check_output_folder, err, out, print_json, save_figure, wrote
from lissom.errors import InputError, suggest

if TYPE_CHECKING:
    from lissom.listing import Listing
    from lissom.papers.claims import Reproduction

PAPERS = ("book1983", "deluca1991", "hollerbach1980", "nasser", "xiang2008")
ALL = "all"
LARGE = "xiang2008"  # the paper with persons of several sizes
WIDE = 130  # columns of a terminal that a table of claims takes
COLOURS = {
    "reproduced": "green",
    "reproduced as corrected": "green",
    "ours is cheaper or better": "green",
    "not reproduced": "red",
}


def _complete(incomplete: str) -> list[str]:
    return [paper for paper in (*PAPERS, ALL) if paper.startswith(incomplete)]


def reproduce(
    paper: Annotated[
        str, typer.Argument(metavar="PAPER", help=f"One of: {', '.join(PAPERS)}; or all.", autocompletion=_complete)
    ],
    timed: Annotated[
        bool,
        typer.Option(
            "--time/--no-time",
            help="Also measure computing times, and run the claims that are slow to test (a minute).",
        ),
    ] = True,
    large: Annotated[
        bool,
        typer.Option("--large", help="xiang2008: also predict walks of persons with 31 and 55 coordinates (minutes)."),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FOLDER", help="Folder for the page and figures. Default: the paper's name."
        ),
    ] = None,
    figures: Annotated[
        bool, typer.Option("--figures/--no-figures", help="Draw the figures, and write one page with all results.")
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Reproduce the claims and figures of a paper: printed value, ours, verdict."""
    if paper not in (*PAPERS, ALL):
        raise InputError(f"reproduce: there is no paper {paper!r}; {suggest(paper, (*PAPERS, ALL))}")
    if large and paper not in (LARGE, ALL):
        raise InputError(f"reproduce: --large is for {LARGE}, which has walks of persons; omit it.")
    folder = output or Path("papers" if paper == ALL else paper)
    if figures:
        check_output_folder(folder)
    drawn = (lambda name: folder / name) if paper == ALL else (lambda name: folder)
    chosen = f"{'' if timed else ' --no-time'}{' --large' if large else ''}"
    command = f"lissom reproduce {paper}{chosen} --output {shlex.quote(str(folder))}"
    done: list[Reproduction] = []
    for name in PAPERS if paper == ALL else (paper,):
        done.append(_tried(name, timed, {"large": True} if large and name == LARGE else {}))
        if not as_json:
            _show(done[-1])
        if figures:  # after every paper: what is done is kept when the next is interrupted
            _draw(done[-1], drawn(name))
            _write_page(done, folder / "index.html", command)
    if len(done) > 1 and not as_json:
        _show_overview(done)
    if as_json:
        print_json([_data(found) for found in done] if paper == ALL else _data(done[0]))


def _tried(paper: str, timed: bool, more: dict[str, bool]) -> Reproduction:
    start = _cpu()
    module = importlib.import_module(f"lissom.papers.{paper}")
    with err.status(f"{paper}: working") as status:
        found = module.reproduce(progress=lambda words: status.update(f"{paper}: {words}"), timed=timed, **more)
    return found._replace(seconds=_cpu() - start)


def _cpu() -> float:
    """CPU seconds of this process and of those that it started and that ended."""
    now = os.times()
    return now.user + now.system + now.children_user + now.children_system


def _data(found: Reproduction) -> dict[str, Any]:
    from lissom.papers.claims import counted

    return {
        "paper": found.paper, "title": found.title, "seconds": found.seconds, "verdicts": counted(found.claims),
        "claims": [claim._asdict() for claim in found.claims],
        "listings": [listing._asdict() for listing in found.listings],
    }  # fmt: skip


def _show(found: Reproduction) -> None:
    """A table where there is room for one, else claim after claim; then what else is listed, and the sum."""
    from lissom.papers.claims import summary

    if WIDE <= out.width < WIDEST:
        out.print(_table(found))
    else:
        out.print(f"[bold]{found.title}[/]\n")
        for claim in found.claims:
            _show_claim(claim)
    for listing in found.listings:
        _show_listing(listing)
    took = "" if found.seconds is None else f"; {found.seconds:.0f} s of CPU time"
    out.print(summary(found.claims) + took)


def _table(found: Reproduction) -> Table:
    table = Table(title=found.title, title_justify="left", show_lines=True, expand=True)
    for word, share in (("where", 2), ("claim", 4), ("ours", 6), ("verdict", 4)):
        table.add_column(word, ratio=share, overflow="fold")
    for claim in found.claims:
        ours = claim.ours + (f" ({claim.tolerance})" if claim.tolerance else "")
        reasons = "; ".join(filter(None, (claim.detail, claim.why)))
        table.add_row(claim.where, claim.claim, ours, _verdict(claim) + (f": {reasons}" if reasons else ""))
    return table


def _show_claim(claim: Any) -> None:
    """A claim below another, for narrow terminals."""
    from lissom.papers.claims import LIMIT

    out.print(f"{_verdict(claim)}  {claim.where}")
    known = claim.detail and ("limit" if claim.verdict == LIMIT else "correct")
    pairs = (("claim", claim.claim), ("ours", claim.ours), ("bar", claim.tolerance), (known, claim.detail),
             ("why", claim.why))  # fmt: skip
    for word, text in pairs:
        if text:
            out.print(f"  {word:<7} {text}")
    out.print()


def _show_listing(listing: Listing) -> None:
    table = Table(title=listing.title, title_justify="left")
    for head in listing.heads:
        table.add_column(head)
    for row in listing.rows:
        table.add_row(*row)
    out.print(table)


def _show_overview(done: list[Reproduction]) -> None:
    """The claims of all papers by verdict."""
    from lissom.papers.claims import overview

    _show_listing(overview(done)._replace(title="All papers"))


def _verdict(claim: Any) -> str:
    return f"[{COLOURS.get(claim.verdict, 'yellow')}]{claim.verdict}[/]"


def _draw(found: Reproduction, folder: Path) -> None:
    from lissom.views.figures.panels import draw_panels

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"reproduce: the folder {folder} cannot be made ({error.strerror}).") from None
    for drawing in found.drawings:
        save_figure(draw_panels(drawing.panels, drawing.caption, drawing.columns), folder / f"{drawing.name}.png")


def _write_page(done: list[Reproduction], target: Path, command: str) -> None:
    from lissom.pages.papers import write_papers_page

    write_papers_page(done, target, command)
    wrote(target)
