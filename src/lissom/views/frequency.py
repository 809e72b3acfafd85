"""Figures of frequency responses of linear plants."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom.control.state_space import StateSpace
from lissom.views.figures import new_figure
from lissom.views.palette import COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_CURVES = 6
POINTS = 600


def frequency_response(plant: StateSpace) -> Figure:
    """Plot gain and phase from each input to the outputs with the largest response."""
    omega = _range(plant)
    H = plant.frequency_response(omega)
    figure = new_figure(4.2 * min(len(plant.inputs), 4) + 1.5, 6.0)
    axes = figure.subplots(2, len(plant.inputs), sharex=True, squeeze=False)
    for j, name in enumerate(plant.inputs):
        strongest = np.argsort(-np.abs(H[:, :, j]).max(axis=0))[:MOST_CURVES]
        for k, i in enumerate(sorted(strongest)):
            colour = COLOURS[k % len(COLOURS)]
            axes[0, j].loglog(omega, np.abs(H[:, i, j]), color=colour, label=plant.outputs[i])
            phase = np.degrees(np.unwrap(np.angle(H[:, i, j])))
            axes[1, j].semilogx(omega, phase, color=colour)
        axes[0, j].set_title(f"input: {name}", fontsize=10)
        axes[0, j].legend(fontsize=8)
        axes[1, j].set_xlabel("angular frequency [rad/s]")
        for row in (0, 1):
            axes[row, j].grid(visible=True, which="both", alpha=0.25)
    axes[0, 0].set_ylabel("gain [output per N m or N]")
    axes[1, 0].set_ylabel("phase [degrees]")
    return figure


def _range(plant: StateSpace) -> np.ndarray:
    """Two decades around the poles; up to the Nyquist frequency when sampled."""
    poles = plant.poles if plant.dt is None else np.log(plant.poles + 0j) / plant.dt
    sizes = np.abs(poles)
    sizes = sizes[sizes > 1e-3]
    low, high = (sizes.min(), sizes.max()) if sizes.size else (1.0, 1.0)
    low, high = low / 30, high * 30
    if plant.dt is not None:
        high = min(high, np.pi / plant.dt)
        low = min(low, high / 100)
    return np.geomspace(low, high, POINTS)
