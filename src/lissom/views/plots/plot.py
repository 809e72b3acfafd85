"""`plot`: a figure of any result."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Never

from lissom.control.shapers import Shaper
from lissom.control.state_space import StateSpace
from lissom.control.zeros_along import ZerosAlongLink
from lissom.errors import InputError, shown
from lissom.gait.curves import GaitCurves
from lissom.gait.report import GaitReport
from lissom.identification.result.check import TorqueFit
from lissom.identification.result.identification import Identification
from lissom.identification.vibration.free_decay import FreeDecay
from lissom.keywords import check_keywords, without_unknown
from lissom.model.arm import Arm
from lissom.model.friction import Friction
from lissom.motion.result.motion import Motion
from lissom.simulation.run import Run
from lissom.studies.result import StudyResult
from lissom.studies.study import Study
from lissom.verbs.deformation import Deformation
from lissom.verbs.modes import ArmModes, BeamModes, ModeConvergence
from lissom.views.figures.style import figure_style
from lissom.views.plots import (
    bending,
    free_decays,
    friction,
    gaits,
    identifications,
    motions,
    plants,
    runs,
    shapers,
    studies,
    vibration,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURES: dict[type, Callable[[Any], Figure]] = {
    ZerosAlongLink: plants.zeros_along_link,
    ArmModes: vibration.arm_modes,
    BeamModes: vibration.beam_modes,
    ModeConvergence: vibration.convergence,
    Deformation: bending.along_link,
    Shaper: shapers.insensitivity,
    FreeDecay: free_decays.free_decay,
    Friction: friction.laws,
}
# the first kind is what is drawn unless one is asked for
KINDS: dict[type, dict[str, Callable[[Any], Figure]]] = {
    Run: runs.KINDS,
    Motion: motions.KINDS,
    StudyResult: studies.KINDS,
    StateSpace: plants.KINDS,
    Identification: identifications.KINDS,
    TorqueFit: identifications.KINDS,
    GaitReport: gaits.KINDS,
    GaitCurves: gaits.KINDS,
}


@without_unknown
def plot(result: Any, kind: str | None = None, *, theme: str | None = None, **unknown: Never) -> Figure:
    """Plot a result and return the figure.

    Parameters
    ----------
    result : StateSpace          frequency response, gain and phase
        or Run                   positions, rates and torques; for an ensemble the median and the spread of the runs
        or Motion                positions, torques with their limits, poses of the arm, limit utilisation
        or ArmModes              the arm at both extremes of each mode, over the arm at rest
        or BeamModes             mode shapes along the beam
        or ModeConvergence       frequencies over the number of modes, and their relative change
        or Deformation           displacement, angles and internal moments along a link
        or ZerosAlongLink        zeros of the motion of a point, over its place on the link
        or Shaper                vibration that is left, over the frequency of a mode
        or Friction              friction over the rate, law by law
        or StudyResult           outputs over parameters
        or FreeDecay             a free vibration, measured and fitted, and its spectrum
        or Identification, TorqueFit   measured and predicted torques, of the log that was used or checked
        or GaitReport, GaitCurves    angles, forces, moments and powers over the cycle of a walk, beside references
    kind : str or None           for a Run: "motion" (positions, rates, torques; the default), "tip" (path and speed of
        the tip), "energy" (energies, work, and the balance error), "phase" (rate over position) or "estimate" (what an
        `OutputFeedback` estimates beside what is true); for a Motion:
            "motion" (overview, the default), "joints", "torques", "poses", "convergence", "deflection" (of flexible
            links) or "residual" (residual vibration, beside other plans); for a StudyResult: "scatter" (the default),
            "distribution", "map" (over the first two parameters), "sensitivity" or "pareto" (the first two outputs);
            select others with `StudyResult.only`; for a StateSpace: "response" (the default) or "poles" (with zeros);
            for an Identification or TorqueFit: "torques" (the default) or "spectrum" (of torques and residuals);
            for a GaitReport: "curves" (the default) or "stride" (the body over a stride, with the forces on its feet)
    theme : "light", "dark" or None    colours; None: light, or dark where matplotlib's settings have a dark background
        (``plt.style.use("dark_background")``). Other settings that you change in ``matplotlib.rcParams`` are kept

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import lissom as ls
    >>> run = ls.simulate(ls.load("two_link"), [0.3, 0.1], until=1.0)
    >>> ls.plot(run, "energy").savefig("audit.png")  # doctest: +SKIP
    >>> motion = ls.predict_motion(ls.load("two_link"), start=[0, -2], goal=[1, -1])
    >>> figure = ls.plot(motion, "torques")
    >>> figure = ls.plot(ls.linearise(ls.load("two_link"), [-1.2, 0.3]))
    >>> figure = ls.plot(ls.modes(ls.load("two_link_flexible"), [0.0, 0.5], count=2))
    """
    check_keywords(plot, unknown)
    drawn = _drawer(result, kind)
    with figure_style(theme):
        return _plainly(drawn(result))


def _drawer(result: Any, kind: str | None) -> Callable[[Any], Figure]:
    """The function that draws a result; an error where there is none."""
    for record, kinds in KINDS.items():
        if isinstance(result, record):
            if kind is not None and kind not in kinds:
                raise InputError(f"plot: kind is {shown(kind)}; expected one of {', '.join(kinds)}.")
            return kinds[kind or next(iter(kinds))]
    for record, figure in FIGURES.items():
        if isinstance(result, record):
            if kind is not None:
                raise InputError(f"plot: kind is {shown(kind)}, but {record.__name__} has only one figure; omit kind.")
            return figure
    if isinstance(result, Arm):
        raise InputError("plot: an arm has no curves; draw(arm) draws it, view(arm) shows it in the browser.")
    if isinstance(result, Study):
        raise InputError("plot: this study has no results; plot the result of study.run(...) or load_study(folder).")
    raise InputError(
        f"plot: got {type(result).__name__}; expected a Run (from simulate, load_run), a Motion (from "
        "predict_motion, load_motion), a StateSpace (from linearise), ZerosAlongLink (from "
        "zeros_along), ArmModes (from modes), BeamModes (from beam_modes), a ModeConvergence (from mode_convergence), "
        "a Deformation (from deformation), a Shaper, a Friction, a StudyResult (from Study.run, load_study), "
        "an Identification (from identify), a TorqueFit (from its check), a GaitReport (from gait_report) or "
        "GaitCurves (from load_gait)."
    )


def _plainly(figure: Figure) -> Figure:
    """Names of users are no formulas, whatever is in them. (Numbers on logarithmic axes are, and stay so.)"""
    for ax in figure.axes:
        legend = ax.get_legend()
        named = [ax.title, ax.xaxis.label, ax.yaxis.label, *ax.texts, *(legend.get_texts() if legend else [])]
        named += [legend.get_title()] if legend else []
        named += [ax.zaxis.label] if hasattr(ax, "zaxis") else []
        for text in named:
            text.set_parse_math(False)
    return figure
