"""Results as figures: `plot` knows what it is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lissom.control.state_space import StateSpace
from lissom.errors import InputError, shown
from lissom.simulation.run import Run
from lissom.views import runs
from lissom.views.frequency import frequency_response

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot(result: Any, kind: str | None = None) -> Figure:
    """A figure of a result.

    Parameters
    ----------
    result : StateSpace          its frequency response, magnitude and phase
        or Run                   its motion; of an ensemble the median and how far the runs spread
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
    """
    if isinstance(result, StateSpace):
        if kind is not None:
            raise InputError(f"plot: kind is {shown(kind)}; a plant has only its frequency response.")
        return frequency_response(result)
    if isinstance(result, Run):
        if kind is not None and kind not in runs.KINDS:
            raise InputError(f"plot: kind is {shown(kind)}; expected one of {', '.join(runs.KINDS)}.")
        return runs.KINDS[kind or "motion"](result)
    raise InputError(
        f"plot: got {type(result).__name__}; expected a Run (from simulate, load_run) or a StateSpace (from linearise)."
    )
