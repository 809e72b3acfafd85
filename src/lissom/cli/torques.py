"""`lissom torques`: torques along a sampled motion."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.markup import escape
from rich.table import Table

from lissom.cli.common import (
    ArmName,
    AsJson,
    Flexible,
    Mimic,
    check_figure,
    failing_kindly,
    load_arm,
    out,
    print_json,
    save_figure,
)
from lissom.errors import InputError
from lissom.model.arm import Arm
from lissom.model.units import units
from lissom.spatial.rotations import Array


def torques(
    arm: ArmName,
    motion: Annotated[
        Path, typer.Argument(metavar="MOTION", help=r"Columns t, q\[joint], and qd\[..], qdd\[..] if known.")
    ],
    output: Annotated[Path | None, typer.Option("--output", "-o", help=r"Write t and tau\[joint] as CSV.")] = None,
    figure: Annotated[Path | None, typer.Option(help="Draw torques over time into this file.")] = None,
    method: Annotated[str | None, typer.Option(help="A published formulation; see lissom count.")] = None,
    loads: Annotated[
        Path | None, typer.Option(help=r"A TOML file with \[\[loads]] as in run files, or a run file.")
    ] = None,
    flexible: Flexible = None,
    mimic: Mimic = "follow",
    as_json: AsJson = False,
) -> None:
    """Torques that a sampled motion takes: peaks, and how they compare with the limits."""
    from lissom.formats.files import write_text
    from lissom.formats.tables import write_table
    from lissom.simulation.acting import loads_at
    from lissom.simulation.run_file import read_loads
    from lissom.simulation.trajectory import read_trajectory
    from lissom.verbs.dynamics import inverse_dynamics

    with failing_kindly():
        check_figure(figure)
        if output is not None and output.suffix.lower() != ".csv":
            raise InputError(f"{output}: torques are written as .csv.")
        loaded = load_arm(arm, flexible=flexible, mimic=mimic)
        path = read_trajectory(motion, loaded)
        pushes = [] if loads is None else loads_at(read_loads(loads), path.t)
        tau = inverse_dynamics(loaded, path.q, path.qd, path.qdd, loads=pushes, method=method)
        rows = peaks(loaded, path.t, tau)
        if output is not None:
            columns = {"t": path.t} | {f"tau[{name}]": tau[:, k] for k, name in enumerate(loaded.coordinates)}
            text = io.StringIO()
            write_table(text, columns)
            write_text(output, text.getvalue())
        print_json({"derived": path.derived, "torques": rows}) if as_json else _show(rows, path.derived)
        if figure is not None:
            from lissom.views.runs import over_time

            save_figure(
                over_time(
                    path.t, tau, loaded.coordinates, f"torque [{' or '.join(dict.fromkeys(units(loaded, 'tau')))}]"
                ),
                figure,
            )


def peaks(arm: Arm, t: Array, tau: Array) -> list[dict[str, Any]]:
    """Largest and mean torques (nt, dof) of every coordinate, beside its limit."""
    lower, upper = np.full(arm.dof, -np.inf), np.full(arm.dof, np.inf)
    lower[arm.joint_index], upper[arm.joint_index] = arm.bounds("torque")
    rows: list[dict[str, Any]] = []
    for k, (name, unit) in enumerate(zip(arm.coordinates, units(arm, "tau"), strict=True)):
        at = int(np.argmax(np.abs(tau[:, k])))
        used = max(tau[:, k].max() / upper[k], tau[:, k].min() / lower[k])
        rms = float(np.sqrt(np.mean(tau[:, k] ** 2)))
        found = {"peak": float(tau[at, k]), "t": float(t[at]), "rms": rms, "of_limit": float(used)}
        rows.append({"name": name, "unit": unit, **found})
    return rows


def _show(rows: list[dict[str, Any]], derived: tuple[str, ...]) -> None:
    table = Table()
    for word in ("coordinate", "peak", "at", "rms", "of its limit"):
        table.add_column(word, justify="left" if word == "coordinate" else "right")
    for row in rows:
        share = f"{100 * row['of_limit']:.1f} %" if row["of_limit"] > 0 else "-"
        peak, rms = f"{row['peak']:.5g} {row['unit']}", f"{row['rms']:.4g} {row['unit']}"
        table.add_row(escape(str(row["name"])), peak, f"{row['t']:.4g} s", rms, share)
    out.print(table)
    if derived:
        out.print(f"{' and '.join(derived)}: derivatives of cubic splines through the samples.")
