"""Figures of free vibrations: the record with what was fitted, and the spectra of both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.identification.vibration.free_decay import FreeDecay
from lissom.views.figures.curves import finish_axes, span
from lissom.views.figures.figure import new_figure, set_title
from lissom.views.figures.palette import curve_colour, palette

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_CHANNELS = 4


def free_decay(found: FreeDecay) -> Figure:
    """Plot the signals of a free vibration, measured and fitted, and their amplitude spectra beside the residuals'."""
    count = min(found.measured.shape[1], MOST_CHANNELS)
    figure = new_figure(9.6, 1.9 * (count + 1) + 0.9)
    axes = list(figure.subplots(count + 1, 1, height_ratios=[1.0] * count + [1.2]))
    for k, ax in enumerate(axes[:-1]):
        ax.plot(found.t, found.measured[:, k], color=palette().muted, linewidth=2.4, alpha=0.5, label="measured")
        ax.plot(found.t, found.fitted[:, k], color=curve_colour(0), linewidth=1.0, label="fitted")
        finish_axes(ax, "time [s]" if k == count - 1 else "", f"signal {k + 1}" if count > 1 else "signal")
        span(ax, found.t)
    _spectra(axes[-1], found)
    handles, labels = axes[0].get_legend_handles_labels()
    more = axes[-1].get_legend_handles_labels()
    figure.legend(handles + more[0], labels + more[1], loc="outside lower center", ncols=4)
    parts = [
        f"{f:.4g} ± {e:.1g} Hz, damping {100 * d:.3g} ± {100 * s:.1g} %"
        for f, e, d, s in zip(found.frequencies_hz, found.std_hz, found.damping, found.std_damping, strict=True)
    ]
    set_title(figure, "free vibration, measured and fitted", "; ".join(parts[:3]))
    return figure


def _spectra(ax: Any, found: FreeDecay) -> None:
    """Amplitude spectra of all channels together, and where the modes are."""
    f = np.fft.rfftfreq(len(found.t), found.t[1] - found.t[0])[1:]
    for values, colour, label in (
        (found.measured - found.measured.mean(axis=0), palette().muted, "measured (spectrum)"),
        (found.residuals, curve_colour(1), "residual (spectrum)"),
    ):
        window = np.hanning(len(values))[:, None]
        size = 4 / len(values) * np.linalg.norm(np.fft.rfft(values * window, axis=0)[1:], axis=1)
        ax.semilogy(f, size, color=colour, linewidth=1.2, label=label)
    for k, hz in enumerate(found.frequencies_hz):
        ax.axvline(hz, color=palette().resting, linewidth=1.0, zorder=0.5)
        ax.annotate(f"mode {k + 1}", (hz, 1.0), (3, -3), xycoords=("data", "axes fraction"), textcoords="offset points",
                    fontsize=8, va="top")  # fmt: skip
    ax.set_xlim(0.0, min(3 * found.frequencies_hz[-1], f[-1]))
    finish_axes(ax, "frequency [Hz]", "amplitude")
