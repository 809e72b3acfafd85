"""`lissom linearise`: an arm as a linear plant."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from lissom.cli.arm_options import ArmOptions, Positions, positions, takes_arm
from lissom.cli.common import AsJson, check_figure, check_kind, numbers, out, print_json, save_pictures
from lissom.cli.plot_kinds import PLANT, PlantKind
from lissom.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom.control.state_space import StateSpace
    from lissom.model.arm import Arm

NOISE = 1e-8  # of the largest pole: errors of double eigenvalues are about the square root of the precision


@takes_arm(needs_mass=True)
def linearise(
    arm: ArmOptions,
    q: Positions = None,
    qd: Annotated[
        str | None, typer.Option(metavar="NUMBERS", help="Joint rates in rad/s or m/s. Default: at rest.")
    ] = None,
    tau: Annotated[
        str | None, typer.Option(metavar="NUMBERS", help="Torques in N m or N. Default: those that hold the arm.")
    ] = None,
    frame: Annotated[
        str | None,
        typer.Option(metavar="LINK", help="The link or tool whose motion is the output. Default: all coordinates."),
    ] = None,
    rows: Annotated[
        str | None, typer.Option(metavar="ROWS", help="Which of its rows are outputs: xy, or x,rz. Default: all six.")
    ] = None,
    point: Annotated[
        str | None,
        typer.Option(metavar="X,Y,Z", help="A point of it in m, anywhere along a beam. Default: its origin."),
    ] = None,
    encoders: Annotated[bool, typer.Option("--encoders", help="The outputs are the positions of the motors.")] = False,
    along: Annotated[
        str | None, typer.Option(metavar="LINK", help="Zeros of points along this flexible link; needs --rows.")
    ] = None,
    sagging: Annotated[
        bool, typer.Option("--sagging", help="At the equilibrium that beams, springs and passive joints settle to.")
    ] = False,
    dt: Annotated[float | None, typer.Option(metavar="SECONDS", help="Discretise with this sampling time.")] = None,
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a figure to this file (.png, .svg, .pdf).")
    ] = None,
    kind: PlantKind = None,
    as_json: AsJson = False,
) -> None:
    """Linearise an arm around a state: poles, zeros, weakest modes, matrices."""
    import numpy as np

    from lissom.control.linearise import linearise as make

    check_figure(figure)
    check_kind(kind, PLANT)
    if along is not None:
        _along(arm.load(), q, arm.deg, along, rows, figure)
        return
    output, rows_of = _output(frame, rows, point, encoders)
    loaded = arm.load()
    rates, torques = (
        None if text is None else np.array(numbers(text, word)) for text, word in ((qd, "--qd"), (tau, "--tau"))
    )
    state = positions(loaded, q, arm.deg)
    if sagging:
        from lissom.control.equilibrium import equilibrium

        state = equilibrium(loaded, state).q
    # a whole state: what is no equilibrium is said below
    state = loaded.expanded(state) if len(state) == len(loaded.joints) else state
    plant = make(loaded, state, rates, torques, output=output, rows=rows_of)
    plant = plant if dt is None else plant.discrete(dt)
    if as_json:
        print_json(_plain(plant))
    else:
        _show(plant)
    save_pictures(plant, figure, kind)


def _output(frame: str | None, rows: str | None, point: str | None, encoders: bool) -> tuple[Any, Any]:
    """The output and rows that the options mean."""
    from lissom.control.sensors.encoder import Encoder

    if frame is None and (rows is not None or point is not None):
        raise InputError("--rows and --point belong to the motion of a frame; name it with --frame.")
    if encoders and frame is not None:
        raise InputError("--encoders and --frame are given; expected one of them.")
    if encoders:
        return Encoder(), None
    return (frame if point is None else (frame, numbers(point, "--point"))), _rows(rows)


def _rows(rows: str | None) -> list[str] | str | None:
    """Rows as the library takes them: letters together, or names with commas."""
    from lissom.control.sensors.frame_motion import ROWS

    return rows.split(",") if rows is not None and ("," in rows or rows in ROWS) else rows


def _along(arm: Arm, q: str | None, degrees: bool, link: str, rows: str | None, figure: Path | None) -> None:
    """Print and draw the zeros of points along a link."""
    from lissom.control.zeros_along import zeros_along

    if rows is None:
        raise InputError("--along needs --rows: which rows of the motion of a point are the outputs, such as xy.")
    found = zeros_along(arm, positions(arm, q, degrees), link, _rows(rows) or "")
    out.print(found.describe(), markup=False, highlight=False)
    out.print(f"{found.verdict[0].upper()}{found.verdict[1:]}.", markup=False, highlight=False)
    save_pictures(found, figure)


def _plain(plant: StateSpace) -> dict[str, object]:
    from lissom.control.zeros import zeros_or_reason

    numbers_of = {word: getattr(plant, word) for word in ("A", "B", "C", "D", "q", "qd", "tau", "drift", "dt")}
    names = {word: getattr(plant, word) for word in ("states", "inputs", "outputs")}
    poles = [[float(p.real), float(p.imag)] for p in plant.poles]
    found = {**names, **numbers_of, "poles": poles, "stable": plant.stable}
    zeros, _ = zeros_or_reason(plant)
    if zeros is not None:
        found["zeros"] = [[float(z.real), float(z.imag)] for z in zeros]
        found |= {"minimum_phase": plant.minimum_phase, "relative_degree": plant.relative_degree}
    return found


def without_noise(poles: NDArray[Any]) -> NDArray[Any]:
    """The poles with parts that are rounding errors of the eigenvalues, also of double ones, set to zero."""
    import numpy as np

    small = NOISE * np.abs(poles).max(initial=0.0)
    real, imaginary = (np.where(np.abs(part) <= small, 0.0, part) for part in (poles.real, poles.imag))
    return np.asarray(real + 1j * imaginary)


def pole_cells(pole: complex, dt: float | None) -> tuple[str, str, str]:
    """Frequency, damping ratio (of a discrete plant the radius) and kind of motion; real poles have no frequency."""
    import cmath
    import math

    off = pole.real if dt is None else abs(pole) - 1.0
    off = 0.0 if abs(off) <= (0.0 if dt is None else NOISE) else off
    swings = pole.imag != 0.0
    kind = "undamped" if swings and not off else "rigid body" if not off else "decays" if off < 0 else "unstable"
    size = abs(pole) if dt is None else abs(cmath.phase(pole)) / dt
    ratio = f"{abs(pole):.4f}" if dt is not None else f"{0.0 - pole.real / abs(pole):.4f}" if swings else "-"
    return f"{size / (2 * math.pi):.5g}" if swings else "-", ratio, kind


def _show(plant: StateSpace) -> None:
    import numpy as np

    out.print(f"At q = {', '.join(f'{x:.4g}' for x in plant.q)}", markup=False, highlight=False)
    _print_roots("Poles", plant.poles, plant.dt)
    out.print(
        f"{len(plant.states)} states; inputs {', '.join(plant.inputs)}; {'stable' if plant.stable else 'not stable'}.",
        markup=False,
    )
    _show_zeros(plant)
    for reach, verb in ((plant.reachability, "reached by the inputs"), (plant.observability, "seen in the outputs")):
        state = "Every mode is" if reach.complete else "Not every mode is"
        out.print(f"{state} {verb}; the weakest: {reach.weakest}.", markup=False)
    if np.abs(plant.drift).max() > 1e-9:
        out.print(
            f"The state is no equilibrium: its derivative is up to {np.abs(plant.drift).max():.3g} (SI units)"
            + ("" if plant.qd.any() else "; --sagging takes the equilibrium with these joint positions")
            + "."
        )
    out.print("The matrices A, B, C, D are in the output of --json.")


def _show_zeros(plant: StateSpace) -> None:
    """Print the zeros, what they mean for the inverse of the plant, and the relative degree."""
    from lissom.control.zeros import zeros_or_reason

    zeros, reason = zeros_or_reason(plant)
    if zeros is None:
        out.print(f"No zeros: {reason}.")
        return
    if len(zeros):
        _print_roots("Zeros", zeros, plant.dt)
    degree = plant.relative_degree
    text = "not defined (the inputs act on the outputs by a singular matrix)" if degree is None else str(list(degree))
    out.print(
        f"Outputs {', '.join(plant.outputs)}: minimum phase: {plant.minimum_phase}; relative degree {text}.",
        markup=False,
    )


def _print_roots(title: str, roots: NDArray[Any], dt: float | None) -> None:
    table = Table(title=title, title_justify="left")
    parts = ("real [1/s]", "imaginary [1/s]") if dt is None else ("real", "imaginary")
    for word in (*parts, "frequency [Hz]", "damping ratio" if dt is None else "radius"):
        table.add_column(word, justify="right")
    table.add_column("motion")
    for root in without_noise(roots):
        if root.imag >= 0:
            table.add_row(f"{root.real:.5g}", f"{root.imag:.5g}", *pole_cells(complex(root), dt))
    out.print(table)
