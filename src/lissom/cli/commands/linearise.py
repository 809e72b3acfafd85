"""`lissom linearise`: an arm as a linear plant."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from lissom.cli.arm_options import ArmOptions, Positions, positions, takes_arm
from lissom.cli.common import AsJson, check_figure, numbers, out, print_json, save_pictures

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom.control.state_space import StateSpace

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
        str | None, typer.Option(metavar="LINK", help="The link or tool whose motion is the output. Default: joints.")
    ] = None,
    dt: Annotated[float | None, typer.Option(metavar="SECONDS", help="Discretise with this sampling time.")] = None,
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the frequency response to this file (.png, .svg, .pdf).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Linearise an arm around a state: matrices, poles, frequency response."""
    import numpy as np

    from lissom.control.linearise import linearise as make

    check_figure(figure)
    loaded = arm.load()
    rates, torques = (
        None if text is None else np.array(numbers(text, word)) for text, word in ((qd, "--qd"), (tau, "--tau"))
    )
    plant = make(loaded, positions(loaded, q, arm.deg), rates, torques, output=frame)
    plant = plant if dt is None else plant.discrete(dt)
    if as_json:
        print_json(_plain(plant))
    else:
        _show(plant)
    save_pictures(plant, figure)


def _plain(plant: StateSpace) -> dict[str, object]:
    numbers_of = {word: getattr(plant, word) for word in ("A", "B", "C", "D", "q", "qd", "tau", "drift", "dt")}
    names = {word: getattr(plant, word) for word in ("states", "inputs", "outputs")}
    poles = [[float(p.real), float(p.imag)] for p in plant.poles]
    return {**names, **numbers_of, "poles": poles, "stable": plant.stable}


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
    kind = "undamped" if swings and not off else "free motion" if not off else "decays" if off < 0 else "unstable"
    size = abs(pole) if dt is None else abs(cmath.phase(pole)) / dt
    ratio = f"{abs(pole):.4f}" if dt is not None else f"{-pole.real / abs(pole):.4f}" if swings else "-"
    return f"{size / (2 * math.pi):.5g}" if swings else "-", ratio, kind


def _show(plant: StateSpace) -> None:
    import numpy as np

    table = Table(title="Poles", title_justify="left")
    continuous = plant.dt is None
    parts = ("real [1/s]", "imaginary [1/s]") if continuous else ("real", "imaginary")
    for word in (*parts, "frequency [Hz]", "damping ratio" if continuous else "radius"):
        table.add_column(word, justify="right")
    table.add_column("motion")
    for pole in without_noise(plant.poles):
        if pole.imag >= 0:
            table.add_row(f"{pole.real:.5g}", f"{pole.imag:.5g}", *pole_cells(complex(pole), plant.dt))
    out.print(table)
    out.print(
        f"{len(plant.states)} states; inputs {', '.join(plant.inputs)}; {'stable' if plant.stable else 'not stable'}.",
        markup=False,
    )
    if np.abs(plant.drift).max() > 1e-9:
        out.print(f"The state is no equilibrium: its derivative is up to {np.abs(plant.drift).max():.3g} (SI units).")
    out.print("The matrices A, B, C, D are in the output of --json.")
