"""Figures of identified arms: measured and predicted torques, and spectra of what is left."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.identification.result.check import TorqueFit
from lissom.identification.result.identification import Identification
from lissom.spatial.rotations import Array
from lissom.views.figures.curves import finish_axes, span
from lissom.views.figures.figure import new_figure, set_title
from lissom.views.figures.palette import curve_colour, palette

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = 2  # panels side by side
MOST_PANELS = 12
FILTERED = 1e-4  # of the largest density: beyond is what the filter leaves
SEGMENTS = 8  # of a log, over which spectra are averaged


def torques(result: Identification | TorqueFit) -> Figure:
    """Plot measured and predicted torques of every joint over time, and those of the arm before."""
    fit = _fit(result)
    figure, axes = _panels(len(fit.joints))
    for k, ax in enumerate(axes):
        ax.plot(
            fit.t,
            fit.before[:, k],
            color=palette().muted,
            linewidth=1.0,
            linestyle="--",
            label="arm before",
            zorder=1.5,
        )
        ax.plot(fit.t, fit.measured[:, k], color=palette().muted, linewidth=2.4, alpha=0.5, label="measured")
        ax.plot(fit.t, fit.predicted[:, k], color=curve_colour(0), linewidth=1.0, label="identified")
        ax.set_title(f"{fit.joints[k]}: error {fit.rmse[k]:.3g}, before {fit.rmse_before[k]:.3g} {fit.units[k]}")
        finish_axes(ax, "time [s]" if _last(k, axes) else "", f"{fit.quantity} [{fit.units[k]}]")
        span(ax, fit.t)
    _finish(figure, axes, result, f"measured and predicted {fit.quantity}s")
    return figure


def spectrum(result: Identification | TorqueFit) -> Figure:
    """Plot the amplitude spectra of the torques and of the residuals, per joint."""
    fit = _fit(result)
    figure, axes = _panels(len(fit.joints))
    for k, ax in enumerate(axes):
        for values, label, style in (
            (fit.measured, "measured", {"color": palette().muted, "linewidth": 2.4, "alpha": 0.5}),
            (fit.measured - fit.before, "residual before", {"color": palette().muted, "linestyle": "--"}),
            (fit.residuals, "residual", {"color": curve_colour(0)}),
        ):
            f, size = _spectrum(values[:, k] - values[:, k].mean(), fit.t)
            ax.semilogy(f, size, label=label, **({"linewidth": 1.2} | style))
            if label == "measured":
                ax.set_xlim(0.0, f[np.flatnonzero(size > FILTERED * size.max())[-1]])
                ax.set_ylim(FILTERED * size.max(), 3 * size.max())
        ax.set_title(fit.joints[k])
        finish_axes(ax, "frequency [Hz]" if _last(k, axes) else "", f"density [{fit.units[k]}/√Hz]")
    _finish(figure, axes, result, f"spectra of {fit.quantity}s and residuals")
    return figure


KINDS: dict[str, Callable[[Any], Figure]] = {"torques": torques, "spectrum": spectrum}


def _fit(result: Identification | TorqueFit) -> TorqueFit:
    """The torques to draw: of the first log that was used, or of the one that was checked."""
    return result if isinstance(result, TorqueFit) else result.fits[0]


def _spectrum(x: Array, t: Array) -> tuple[Array, Array]:
    """Frequencies [Hz] and amplitude density, averaged over segments of the samples; without the lowest one, zero."""
    from scipy.signal import welch

    rate = (len(t) - 1) / (t[-1] - t[0])
    f, power = welch(x, rate, nperseg=max(len(x) // SEGMENTS, 16))
    return f[1:], np.sqrt(np.maximum(power[1:], 1e-30))


def _panels(count: int) -> tuple[Figure, list[Any]]:
    """A panel per joint, in two columns."""
    shown = min(count, MOST_PANELS)
    rows = -(-shown // COLUMNS)
    figure = new_figure(9.6, 1.1 + 1.75 * rows)
    axes = list(figure.subplots(rows, min(COLUMNS, shown), squeeze=False).ravel())
    for ax in axes[shown:]:
        ax.set_visible(False)
    return figure, axes[:shown]


def _last(k: int, axes: list[Any]) -> bool:
    """Whether a panel is the lowest of its column."""
    return k >= len(axes) - COLUMNS


def _finish(figure: Figure, axes: list[Any], result: Identification | TorqueFit, what: str) -> None:
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    fit, left = _fit(result), ""
    if len(fit.joints) > len(axes):
        left = f"the first {len(axes)} of {len(fit.joints)} joints"
    name = f"{result.arm.name}: " if isinstance(result, Identification) else ""
    where = f"log {fit.source}" if fit.source else ""
    set_title(figure, f"{name}{what}", "; ".join(part for part in (where, left) if part))
