"""`lissom identify`: the numbers of an arm from logs of the real machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lissom.cli.arm_options import ArmOptions, takes_arm
from lissom.cli.common import (
    AsJson,
    Figure,
    Quiet,
    check_figure,
    check_output,
    numbers,
    out,
    print_json,
    print_listing,
    save_pictures,
    wrote,
)
from lissom.cli.log_options import Between, Columns, Rate, Scales, Shifts, log_arguments, read_logs
from lissom.cli.remedies import in_terminal
from lissom.errors import InputError

if TYPE_CHECKING:
    from lissom.identification.result.check import TorqueFit
    from lissom.identification.result.identification import Identification

Logs = Annotated[
    list[Path],
    typer.Argument(
        metavar="LOG...",
        help=r"Tables (.csv, .nc) with columns t, q\[joint], tau\[joint] or current\[joint], or names like them.",
    ),
]


@takes_arm(needs_mass=True)
def identify(
    arm: ArmOptions,
    logs: Logs,
    hold_out: Annotated[
        list[Path] | None, typer.Option(metavar="LOG", help="Check the result on this log; can be repeated.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the identified arm (.toml).")
    ] = None,
    report: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page about it (.html).")] = None,
    friction: Annotated[
        str, typer.Option(metavar="LAW", help="auto, none, or terms as viscous+coulomb+offset+load.")
    ] = "auto",
    strength: Annotated[float, typer.Option(help="Strength of the prior, the arm as it is.")] = 1.0,
    cutoff: Annotated[
        float | None, typer.Option(metavar="HZ", help="Cut-off of the filter. Default: five times the motion.")
    ] = None,
    loaded: Annotated[
        list[Path] | None,
        typer.Option(metavar="LOG", help="A log with a payload, which is identified too; can be repeated."),
    ] = None,
    on: Annotated[
        str | None, typer.Option(metavar="LINK", help="The link or tool that carries it. Default: the end of the arm.")
    ] = None,
    known_mass: Annotated[
        float | None,
        typer.Option(metavar="KG", help="The payload's mass; finds torques per current from logs of currents."),
    ] = None,
    gains: Annotated[
        str | None,
        typer.Option(metavar="NUMBERS", help="Torque per current of each joint in N m/A, for logs of currents."),
    ] = None,
    skew: Annotated[
        str, typer.Option(metavar="MS", help="auto, none, or ms by which torques are late, one per joint or for all.")
    ] = "auto",
    column: Columns = None,
    scale: Scales = None,
    shift: Shifts = None,
    rate: Rate = None,
    between: Between = None,
    figure: Figure = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Identify masses, inertias, drives and friction of an arm from logs of motion and torques."""
    from lissom.identification.identify import identify as identified

    check_output(output, (".toml",), "an arm")
    check_output(report, (".html", ".htm"), "the page")
    check_figure(figure)
    if not loaded and (on is not None or known_mass is not None):
        raise InputError("identify: --on and --known-mass describe the payload of --loaded LOG.")
    given = arm.load()
    columns = log_arguments(column, scale, shift, rate, between)
    read = read_logs(given, logs, "", columns) + read_logs(given, loaded or [], "payload", columns)
    payload = tuple(x for x in (on, known_mass) if x is not None) or None
    law = None if friction == "none" else friction
    found = identified(given, read, friction=law, payload=payload, strength=strength, cutoff_hz=cutoff,
                       gains=None if gains is None else numbers(gains, "--gains"), skew=_skew(skew),
                       progress=False if quiet else None)  # fmt: skip
    held_out = read_logs(given, hold_out or [], "", columns)
    checks = [found.check(log) for log in held_out]
    print_json(_plain(found, checks)) if as_json else _show(found, checks)
    for note in (note for log in held_out for note in log.sourced_notes if not as_json):
        out.print(f"note: {in_terminal(note)}", markup=False)
    if output is not None:
        found.save(output)
        wrote(output)
    if report is not None:
        found.report(report, checks=checks)
        wrote(report)
    save_pictures(checks[0] if checks else found, figure)


def _skew(text: str) -> Any:
    """Delays [s], or "auto"; None for none."""
    if text in ("auto", "none"):
        return None if text == "none" else text
    delays = [1e-3 * x for x in numbers(text, "--skew")]
    return delays[0] if len(delays) == 1 else delays


def _show(found: Identification, checks: list[TorqueFit]) -> None:
    print_listing(found.table.listing())
    print_listing(found.listing()._replace(title="errors of the torques"))
    for fit in checks:
        print_listing(fit.listing()._replace(title=f"held out: {fit.source}"))
    for load, payload in found.payloads.items():
        com = ", ".join(f"{x:.4g}" for x in payload.com)
        out.print(f"{load}: {payload.mass:.4g} kg, centre of mass ({com}) m", markup=False)
    if found.gains is not None:
        gains = ", ".join(f"{name} {gain:.4g}" for name, gain in zip(found.joints, found.gains, strict=True))
        out.print(f"torque per current [N m/A or N/A]: {gains}", markup=False)
    for note in found.notes:
        out.print(f"note: {in_terminal(note)}", markup=False)


def _plain(found: Identification, checks: list[TorqueFit]) -> dict[str, Any]:
    """The numbers, by name."""
    return {
        "arm": found.arm.name, "friction": found.friction, "skew": found.skew, "notes": found.notes,
        "parameters": [row._asdict() for row in found.table],
        "errors": [_errors(fit) for fit in found.fits], "held_out": [_errors(fit) for fit in checks],
        "payloads": {load: {"mass": p.mass, "com": p.com, "inertia": p.inertia} for load, p in found.payloads.items()},
        "gains": found.gains,
    }  # fmt: skip


def _errors(fit: TorqueFit) -> dict[str, Any]:
    return {"log": fit.source, "joints": fit.joints, "rmse": fit.rmse, "rmse_before": fit.rmse_before}
