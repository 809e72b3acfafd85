"""The page of ``lissom --help``: typer's own page has the same look, but loads a Markdown parser to print it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text


def print_page(group: Any, ctx: Any) -> None:
    """Print usage, options, and the commands of every panel in their order."""
    console = Console(highlight=False)
    usage = " ".join(["Usage:", ctx.command_path, *group.collect_usage_pieces(ctx)])
    console.print(Padding(Text(usage, "bold"), (1, 1, 1, 1)))
    console.print(Padding(group.help, (0, 1, 1, 1)))
    records = [param.get_help_record(ctx) for param in group.get_params(ctx)]
    console.print(_panel("Options", [(name.strip(), text) for name, text in filter(None, records)]))
    panels: dict[str, list[tuple[str, str]]] = {}
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        panels.setdefault(command.rich_help_panel, []).append((name, command.help))
    for title, rows in panels.items():
        console.print(_panel(title, rows))
    console.print(Padding(group.epilog, (1, 1, 1, 1)))


def _panel(title: str, rows: Iterable[tuple[str, str]]) -> Panel:
    table = Table(box=None, show_header=False, expand=True, padding=(0, 1), pad_edge=False)
    table.add_column(style="bold cyan", no_wrap=True)
    table.add_column(ratio=1)
    for name, text in rows:
        table.add_row(Text(name), Text(text))
    return Panel(table, title=title, title_align="left", border_style="dim")
