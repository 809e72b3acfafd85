"""Results as figures: `plot` knows what it is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lissom.control.state_space import StateSpace
from lissom.errors import InputError, shown
from lissom.simulation.run import Run
from lissom.verbs.deformation import Deformation
from lissom.verbs.modes import ArmModes, BeamModes, ModeConvergence
from lissom.views import bending, runs, vibration
from lissom.views.frequency import frequency_response

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURES: dict[type, Callable[[Any], Figure]] = {
    StateSpace: frequency_response,
    ArmModes: vibration.arm_modes,
    BeamModes: vibration.beam_modes,
    ModeConvergence: vibration.convergence,
    Deformation: bending.along_link,
}


def plot(result: Any, kind: str | None = None) -> Figure:
    """A figure of a result.

    Parameters
    ----------
    result : StateSpace          its frequency response, magnitude and phase
        or Run                   its motion; of an ensemble the median and how far the runs spread
        or ArmModes              the arm at both ends of each mode's swing, over the arm at rest
        or BeamModes             the shapes along the beam
        or ModeConvergence       frequencies over the number of modes, and how they change
        or Deformation           displacement, angles and inner moments along a link
    kind : str or None           of a Run: "motion" (positions, rates, torques; the default), "tip" (path and speed of
        the tip), "energy" (the audit: energies, where they went, what is left over) or "phase" (rate over position)

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import lissom as ls
    >>> run = ls.simulate(ls.load("two_link"), [0.3, 0.1], until=1.0)
    >>> ls.plot(run, "energy").savefig("audit.png")  # doctest: +SKIP
    >>> figure = ls.plot(ls.linearise(ls.load("two_link"), [-1.2, 0.3]))
    >>> figure = ls.plot(ls.modes(ls.load("two_link_flexible"), [0.0, 0.5], count=2))
    """
    if isinstance(result, Run):
        if kind is not None and kind not in runs.KINDS:
            raise InputError(f"plot: kind is {shown(kind)}; expected one of {', '.join(runs.KINDS)}.")
        return runs.KINDS[kind or "motion"](result)
    for record, figure in FIGURES.items():
        if isinstance(result, record):
            if kind is not None:
                raise InputError(f"plot: kind is {shown(kind)}; of a {record.__name__} there is one figure.")
            return figure(result)
    raise InputError(
        f"plot: got {type(result).__name__}; expected a Run (from simulate, load_run), a StateSpace (from linearise), "
        "ArmModes (from modes), BeamModes (from beam_modes), a ModeConvergence (from mode_convergence) or a "
        "Deformation (from deformation)."
    )
