"""`lissom torques`: torques along a sampled motion."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from rich.markup import escape
from rich.table import Table

from lissom.cli.common import (
    AsJson,
    Flexible,
    Mimic,
    check_figure,
    complete_arm,
    err,
    failing_kindly,
    load_arm,
    out,
    print_json,
    save_figure,
)
from lissom.errors import InputError, ModelError
from lissom.model.arm import Arm
from lissom.model.units import units
from lissom.simulation.trajectory import Trajectory
from lissom.spatial.rotations import Array

SAME = 0.01  # of a file's largest torque, within which torques agree with those of the file
SAME_DERIVED = 0.1  # the same, where accelerations are derivatives of what the file has


class Source(NamedTuple):
    """A motion with its arm; loads that are known to act on it, and torques of its own, if the file has some."""

    arm: Arm
    path: Trajectory
    loads: Any = ()
    tau: Array | None = None


def torques(
    arm: Annotated[
        str,
        typer.Argument(
            metavar="ARM",
            help="A .toml, .urdf or .xml file, or a shipped arm; or a saved motion (.nc) alone, which has its arm.",
            autocompletion=complete_arm,
        ),
    ],
    motion: Annotated[
        Path | None,
        typer.Argument(
            metavar="MOTION", help=r"Columns t, q\[joint], and qd\[..], qdd\[..] if known; or a saved motion or run."
        ),
    ] = None,
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
    """Torques that a sampled motion takes: peaks, and how they compare with the limits and with torques in the file."""
    from lissom.formats.files import write_text
    from lissom.formats.tables import write_table
    from lissom.simulation.acting import loads_at
    from lissom.simulation.run_file import read_loads
    from lissom.verbs.dynamics import inverse_dynamics

    with failing_kindly():
        check_figure(figure)
        if output is not None and output.suffix.lower() != ".csv":
            raise InputError(f"{output}: torques are written as .csv.")
        source = (
            _saved(Path(arm)) if motion is None else _sampled(load_arm(arm, flexible=flexible, mimic=mimic), motion)
        )
        loaded, path = source.arm, source.path
        pushes = source.loads if loads is None else loads_at(read_loads(loads), path.t)
        tau = source.tau  # of a motion with its arm, also where it rests and friction has a direction to come
        if motion is not None or tau is None or loads is not None or method is not None:
            tau = inverse_dynamics(loaded, path.q, path.qd, path.qdd, loads=pushes, method=method)
        rows = peaks(loaded, path.t, tau)
        differs = _differing(source, tau)
        if output is not None:
            columns = {"t": path.t} | {f"tau[{name}]": tau[:, k] for k, name in enumerate(loaded.coordinates)}
            text = io.StringIO()
            write_table(text, columns)
            write_text(output, text.getvalue())
        if as_json:
            print_json({"derived": path.derived, "torques": rows, "differs": differs})
        else:
            _show(rows, path.derived)
        if differs:
            err.print(f"[bold yellow]warning:[/] {escape(differs)}")
        if figure is not None:
            from lissom.views.runs import over_time

            save_figure(
                over_time(
                    path.t, tau, loaded.coordinates, f"torque [{' or '.join(dict.fromkeys(units(loaded, 'tau')))}]"
                ),
                figure,
            )


def _saved(file: Path) -> Source:
    """A motion or a run with the arm that it was saved with, and a motion with the loads of its task."""
    from lissom.motion.files import load_record
    from lissom.motion.record import Motion

    if file.suffix.lower() not in (".nc", ".parquet"):
        raise InputError(
            f"torques: give the motion too: lissom torques {file} MOTION; a saved motion (.nc) has its arm."
        )
    found = load_record(file)
    if isinstance(found, Motion):
        path = Trajectory(found.t, found.q, found.qd, found.qdd, ())
        return Source(found.arm, path, found.loads_at(found.t), found.tau)
    return _sampled(found.arm, file)


def _sampled(arm: Arm, file: Path) -> Source:
    """A motion from a table, a saved motion or a saved run, for an arm that is given."""
    from lissom.motion.files import load_record
    from lissom.motion.record import Motion
    from lissom.simulation.trajectory import read_columns, read_trajectory

    if file.suffix.lower() in (".nc", ".parquet"):
        found = load_record(file)
        if isinstance(found, Motion):
            if found.arm.coordinates != arm.coordinates:
                raise InputError(
                    f"{file}: it is a motion of arm {found.arm.name!r}, which has other joints than {arm.name!r}."
                )
            return Source(arm, Trajectory(found.t, found.q, found.qd, found.qdd, ()), (), found.tau)
        return Source(arm, read_trajectory(file, arm), (), found.tau if found.q.ndim == 2 else None)
    path = read_trajectory(file, arm)
    try:
        return Source(arm, path, (), read_columns(file, arm, "tau")[1])
    except ModelError:  # it has none, or not of every joint
        return Source(arm, path)


def _differing(source: Source, tau: Array) -> str:
    """How the file's own torques (nt, dof) differ from these, in a sentence; empty where they do not."""
    own, arm = source.tau, source.arm
    if own is None:
        return ""
    away = np.where(arm.actuated, np.abs(tau - own), 0.0)
    allowed = (SAME_DERIVED if source.path.derived else SAME) * np.abs(own).max(initial=0.0)
    # at rest friction has no direction: a tenth of the samples may differ
    if not away.size or np.quantile(away, 0.9, axis=0).max() <= allowed:
        return ""
    here, there = (np.abs(x).max(axis=0) for x in (tau, own))
    k = int(np.argmax(np.abs(here - there)))
    unit = units(arm, "tau")[k]
    return (
        f"the file's own torques are others: {arm.coordinates[k]!r} has a peak of {there[k]:.5g} {unit} there, "
        f"{here[k]:.5g} {unit} here. The motion may be of an arm with a payload, other numbers or loads, which arm "
        f"{arm.name!r} does not have. Give that arm, or the saved motion, which has it: lissom torques MOTION.nc; "
        "loads by --loads."
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
