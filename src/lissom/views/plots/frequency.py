"""Figures of frequency responses of linear plants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.control.state_space import StateSpace
from lissom.views.figures.figure import new_figure, set_title
from lissom.views.figures.palette import curve_colour

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_CURVES = 6
MOST_ACROSS = 3  # inputs side by side
MOST_POSITIONS = 6  # of the operating point, in the title
LIGHT_DAMPING = 0.3  # damping ratio below which a pole is a resonance
POINTS = 600


def frequency_response(plant: StateSpace) -> Figure:
    """Plot gain and phase from each input to the outputs with the largest response."""
    omega = _range(plant)
    H = plant.frequency_response(omega)
    across = min(len(plant.inputs), MOST_ACROSS)
    blocks = -(-len(plant.inputs) // across)
    figure = new_figure(3.7 * across + 1.8, 5.2 * blocks + 0.6)
    axes = figure.subplots(2 * blocks, across, sharex=True, squeeze=False)
    colours: dict[str, str] = {}  # an output has one colour in all panels
    for j, name in enumerate(plant.inputs):
        row, column = 2 * (j // across), j % across
        strongest = np.argsort(-np.abs(H[:, :, j]).max(axis=0))[:MOST_CURVES]
        for i in sorted(strongest):
            output = plant.outputs[i]
            colour = colours.setdefault(output, curve_colour(len(colours)))
            axes[row, column].loglog(omega, np.abs(H[:, i, j]), color=colour, label=output)
            phase = np.degrees(np.unwrap(np.angle(H[:, i, j])))
            axes[row + 1, column].semilogx(omega, phase, color=colour, label=output)
        _name(axes[row, column], axes[row + 1, column], name, first=column == 0)
    for ax in axes.ravel():
        ax.set_visible(bool(ax.lines))
    _legend(figure, colours)
    at = ", ".join(f"{x:.3g}" for x in plant.q[:MOST_POSITIONS]) + (", ..." if len(plant.q) > MOST_POSITIONS else "")
    set_title(figure, f"Frequency response at q = ({at})", _resonances(plant))
    return figure


def _name(gain: Any, phase: Any, name: str, *, first: bool) -> None:
    """Write names of axes; phases in parts of a turn."""
    from matplotlib.ticker import MultipleLocator

    gain.set_title(f"input: {name}")
    phase.set_xlabel("angular frequency [rad/s]")
    for ax in (gain, phase):
        ax.minorticks_off()
    low, high = phase.get_ylim()
    phase.yaxis.set_major_locator(MultipleLocator(90.0 if high - low < 600 else 360.0))
    if first:
        gain.set_ylabel("gain [output per N m or N]")
        phase.set_ylabel("phase [degrees]")


def _legend(figure: Any, colours: dict[str, str]) -> None:
    """One legend of outputs for all panels, beside them."""
    from matplotlib.lines import Line2D

    entries = [Line2D([], [], color=colour, label=name) for name, colour in colours.items()]
    legend = figure.legend(handles=entries, loc="outside right upper", title="output")
    for text in legend.get_texts():
        text.set_parse_math(False)


def _resonances(plant: StateSpace) -> str:
    """The frequencies of lightly damped poles, as text."""
    poles = _continuous_poles(plant)
    size = np.abs(poles)
    light = (poles.imag > 1e-6) & (np.abs(poles.real) < LIGHT_DAMPING * size)
    found = np.unique(size[light].round(12))[:MOST_CURVES]
    return f"resonances at {', '.join(f'{x:.4g}' for x in found)} rad/s" if found.size else "no resonances"


def _continuous_poles(plant: StateSpace) -> np.ndarray:
    """Poles [1/s], those of a sampled plant mapped back."""
    return plant.poles if plant.dt is None else np.log(plant.poles + 0j) / plant.dt


def _range(plant: StateSpace) -> np.ndarray:
    """Two decades around the poles; up to the Nyquist frequency when sampled."""
    sizes = np.abs(_continuous_poles(plant))
    sizes = sizes[sizes > 1e-3]
    low, high = (sizes.min(), sizes.max()) if sizes.size else (1.0, 1.0)
    low, high = low / 30, high * 30
    if plant.dt is not None:
        high = min(high, np.pi / plant.dt)
        low = min(low, high / 100)
    return np.geomspace(low, high, POINTS)
