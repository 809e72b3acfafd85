"""`lissom linearise`: an arm as a linear plant."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.table import Table

from lissom.cli.common import (
    ArmName,
    AsJson,
    Flexible,
    Mimic,
    check_figure,
    failing_kindly,
    load_arm,
    numbers,
    out,
    positions,
    print_json,
    save_figure,
)
from lissom.control.state_space import StateSpace


def linearise(
    arm: ArmName,
    q: Annotated[
        str | None, typer.Option(help="Positions, e.g. --q 0,0.5,-1. Default: zero, within the limits.")
    ] = None,
    qd: Annotated[str | None, typer.Option(help="Rates; default: at rest.")] = None,
    tau: Annotated[str | None, typer.Option(help="Torques; default: those that hold the arm.")] = None,
    output: Annotated[str | None, typer.Option(help="A link or tool whose motion is the output.")] = None,
    dt: Annotated[float | None, typer.Option(help="Sample the plant every so many seconds.")] = None,
    figure: Annotated[Path | None, typer.Option(help="Draw the frequency response into this file.")] = None,
    flexible: Flexible = None,
    mimic: Mimic = "follow",
    as_json: AsJson = False,
) -> None:
    """Linearise an arm around a state: A, B, C, D, poles, frequency response."""
    from lissom.control.linearise import linearise as make

    with failing_kindly():
        check_figure(figure)
        loaded = load_arm(arm, flexible=flexible, mimic=mimic)
        rates, torques = (
            None if text is None else np.array(numbers(text, word)) for text, word in ((qd, "--qd"), (tau, "--tau"))
        )
        plant = make(loaded, positions(loaded, q, deg=False), rates, torques, output=output)
        plant = plant if dt is None else plant.discrete(dt)
        if as_json:
            print_json(_plain(plant))
        else:
            _show(plant)
        if figure is not None:
            from lissom.views.plots import plot

            save_figure(plot(plant), figure)


def _plain(plant: StateSpace) -> dict[str, object]:
    numbers_of = {word: getattr(plant, word) for word in ("A", "B", "C", "D", "q", "qd", "tau", "drift", "dt")}
    names = {word: getattr(plant, word) for word in ("states", "inputs", "outputs")}
    poles = [[float(p.real), float(p.imag)] for p in plant.poles]
    return {**names, **numbers_of, "poles": poles, "stable": plant.stable}


def _show(plant: StateSpace) -> None:
    table = Table(title="Poles", title_justify="left")
    continuous = plant.dt is None
    for word in ("real", "imaginary", "frequency [Hz]", "damping ratio" if continuous else "radius"):
        table.add_column(word, justify="right")
    for pole in plant.poles:
        if pole.imag < 0:
            continue
        size = abs(pole) if continuous else abs(np.angle(pole)) / (plant.dt or 1.0)
        last = (-pole.real / abs(pole) if abs(pole) else 1.0) if continuous else abs(pole)
        table.add_row(f"{pole.real:.5g}", f"{pole.imag:.5g}", f"{size / (2 * np.pi):.5g}", f"{last:.4f}")
    out.print(table)
    out.print(
        f"{len(plant.states)} states, inputs {', '.join(plant.inputs)}; {'stable' if plant.stable else 'not stable'}"
    )
    if np.abs(plant.drift).max() > 1e-9:
        out.print(f"The state is no equilibrium: it drifts by up to {np.abs(plant.drift).max():.3g} per second.")
    out.print("Matrices: --json.")
