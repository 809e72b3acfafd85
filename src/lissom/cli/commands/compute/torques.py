"""`lissom torques`: torques along a sampled motion."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from lissom.cli.arm_options import ArmOptions, ArmOrRecord, takes_arm
from lissom.cli.common import (
    AsJson,
    check_figure,
    check_output,
    err,
    out,
    print_json,
    print_warning,
    save_figure,
    wrote,
)

if TYPE_CHECKING:
    from lissom.cli.torque_source import TorqueSource
    from lissom.model.arm import Arm
    from lissom.spatial.rotations import Array


@takes_arm(needs_mass=True, arm=ArmOrRecord)
def torques(
    arm: ArmOptions,
    motion: Annotated[
        Path | None,
        typer.Argument(
            metavar="MOTION",
            help=r"A table (.csv) with columns t, q\[joint], and qd\[joint], qdd\[joint] if known; or a saved motion "
            "or run.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help=r"Write t and tau\[joint] to this file (.csv)."),
    ] = None,
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a figure of the torques to this file (.png, .svg, .pdf).")
    ] = None,
    method: Annotated[
        str | None, typer.Option(metavar="NAME", help="Compute with this published formulation; see lissom count.")
    ] = None,
    loads: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help=r"External loads: a run file, or a TOML file with \[\[loads]]. Default: the motion's."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compute the joint torques of a sampled motion, and compare them with the limits.

    Files written by lissom name their payload and loads. These are used by default; --payload and --loads replace them.
    If a file has torques of its own that differ from the computed ones, a warning says by how much.
    """
    from lissom.cli.torque_advice import notes_of, warnings_of
    from lissom.cli.torque_source import check_record, completed, explained, of_record, of_table, refuse_swapped
    from lissom.motion.run_file import read_loads
    from lissom.simulation.records.acting import loads_at
    from lissom.verbs.dynamics import inverse_dynamics

    check_figure(figure)
    check_output(output, (".csv",), "a table of torques")
    acting = None if loads is None else read_loads(loads)
    if motion is None:
        check_record(Path(arm.arm), arm.given("payload", "payload_link"))
        source, notes = of_record(Path(arm.arm), arm, loads is not None)
    else:
        refuse_swapped(Path(arm.arm), motion)
        loaded = arm.load()
        source, notes = completed(of_table(loaded, motion), arm.payload is not None, loads is not None)
    path = source.path
    if acting is not None:
        source = source._replace(loads=loads_at(acting, path.t))
    tau = source.tau  # of a motion with its arm, also where it rests and friction has a direction to come
    if motion is not None or tau is None or any(given is not None for given in (loads, method, arm.payload)):
        tau = inverse_dynamics(source.arm, path.q, path.qd, path.qdd, loads=source.loads, method=method)
    rows = peaks(source.arm, path.t, tau)
    differs = explained(source, tau)
    notes += notes_of(source)
    if as_json:
        print_json({"derived": path.derived, "torques": rows, "notes": notes, "differs": differs})
    else:
        _show(rows, path.derived)
    for note in notes:
        err.print(f"note: {note}", markup=False)
    for warning in [*warnings_of(source, rows), *([differs] if differs else [])]:
        print_warning(warning)
    _write(source, tau, output, figure)


def _write(source: TorqueSource, tau: Array, output: Path | None, figure: Path | None) -> None:
    """Write the requested table and figure."""
    from lissom.formats.files import write_text
    from lissom.formats.tables import write_table
    from lissom.model.units import units

    names, t = source.arm.coordinates, source.path.t
    if output is not None:
        text = io.StringIO()
        write_table(text, {"t": t} | {f"tau[{name}]": tau[:, k] for k, name in enumerate(names)})
        write_text(output, text.getvalue())
        wrote(output)
    if figure is not None:
        from lissom.views.plots.runs import over_time

        known = units(source.arm, "tau")
        label = f"torque [{' or '.join(dict.fromkeys(known))}]"
        save_figure(over_time(t, tau, names, label, known, source.arm.name), figure)


def peaks(arm: Arm, t: Array, tau: Array) -> list[dict[str, Any]]:
    """Largest and mean torques (nt, dof) of every coordinate, beside its limit."""
    import numpy as np

    from lissom.model.units import units

    lower, upper = np.full(arm.dof, -np.inf), np.full(arm.dof, np.inf)
    lower[arm.joint_index], upper[arm.joint_index] = arm.bounds("torque")
    rows: list[dict[str, Any]] = []
    for k, (name, unit) in enumerate(zip(arm.coordinates, units(arm, "tau"), strict=True)):
        at = int(np.argmax(np.abs(tau[:, k])))
        with np.errstate(divide="ignore", invalid="ignore"):
            used = np.nanmax([tau[:, k].max() / upper[k], tau[:, k].min() / lower[k], 0.0])
        rms = float(np.sqrt(np.mean(tau[:, k] ** 2)))
        found = {"peak": float(tau[at, k]), "t": float(t[at]), "rms": rms, "of_limit": float(used)}
        rows.append({"name": name, "unit": unit, **found})
    return rows


def _show(rows: list[dict[str, Any]], derived: tuple[str, ...]) -> None:
    table = Table()
    for word in ("joint", "peak", "at time", "rms", "limit utilisation"):
        table.add_column(word, justify="left" if word == "joint" else "right", overflow="fold")
    for row in rows:
        share = f"{100 * row['of_limit']:.1f} %" if row["of_limit"] > 0 else "no limit"
        peak, rms = f"{row['peak']:.5g} {row['unit']}", f"{row['rms']:.4g} {row['unit']}"
        table.add_row(escape(str(row["name"])), peak, f"{row['t']:.4g} s", rms, share)
    out.print(table)
    if derived:
        out.print(f"The file has no {' and no '.join(derived)}: derivatives of cubic splines through its samples.")
