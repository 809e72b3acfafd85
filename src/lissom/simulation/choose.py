"""Which integrator, which step, and why."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.errors import LissomError
from lissom.simulation.closed_loop import ClosedLoop
from lissom.simulation.fixed import Fixed, grid
from lissom.simulation.spectrum import spectrum
from lissom.simulation.tableau import tableau
from lissom.spatial.rotations import Array
from lissom.verbs.several import call_rows

WORDS = {
    "rk4": "fixed steps, Runge-Kutta of order 4", "rk8": "fixed steps, order 8 (Dormand-Prince)",
    "rk45": "adaptive, order 5 (Dormand-Prince)",
    "dop853": "adaptive, order 8 (Dormand-Prince)", "radau": "implicit, order 5 (Radau IIA)",
    "bdf": "implicit, order 1 to 5 (backward differences)",
}  # fmt: skip
STIFF = 2e4  # decay rate times duration beyond which explicit steps are wasted on stability
FINE = 1e-6  # rtol below which order 8 pays
TRIALS = 4  # runs that choose the step of an ensemble
MOST_TRIED = 50_000  # steps of a run
MOST_SWINGS = 1e5  # fastest motion times duration up to which compiled steps beat implicit ones
MOST_COMPILED = 1_000_000  # the same where no step waits for Python
LOOKS = 50  # times at which the results of two steps are compared
ROUGH = 1e-5  # rad or m; accuracy that is good enough where the method has lost its order


class Choice(NamedTuple):
    """A method, and the sentence that says why."""

    method: str
    why: str


def choose(
    loop: ClosedLoop, method: str | None, q: Array, qd: Array, until: float, rtol: float, dt: float | None, many: bool
) -> Choice:
    """The method asked for, or the one that suits."""
    if method is not None:
        return Choice(method, f"{WORDS[method]}: asked for.")
    if dt is not None:
        return Choice("rk4", f"{WORDS['rk4']}: a step dt was given.")
    if many:
        fixed = fixed_method(loop)
        return Choice(fixed, f"{WORDS[fixed]}: many runs advance side by side in compiled code.")
    found = spectrum(loop, 0.0, q, qd)
    if found is None:
        return Choice("dop853", f"{WORDS['dop853']}: the default; there are no derivatives at the start.")
    if loop.bodies.flexible and loop.quick and not loop.sliding and found.fastest * until < MOST_SWINGS:
        why = f"the fastest motion has {found.fastest:.3g} rad/s, and compiled steps are the cheapest"
        return Choice("rk8", f"{WORDS['rk8']}: {why}.")
    if found.decay * until > STIFF:
        why = f"the start has a motion that decays at {found.decay:.3g} 1/s, stiff beside {until:g} s"
        return Choice("radau", f"{WORDS['radau']}: {why}.")
    method = "dop853" if rtol < FINE else "rk45"
    why = f"the fastest motion at the start has {found.fastest:.3g} rad/s, nothing stiff; rtol is {rtol:g}"
    return Choice(method, f"{WORDS[method]}: {why}.")


def fixed_method(loop: ClosedLoop) -> str:
    """The method of fixed steps that suits: vibrations of high frequency pay for a high order, friction does not."""
    return "rk8" if loop.bodies.flexible and not loop.sliding else "rk4"


def step_for(
    loop: ClosedLoop, method: str, q: Array, qd: Array, until: float, rtol: float, atol: float
) -> tuple[float, str]:
    """A step for fixed steps: halved until halving it again changes the first runs by less than the tolerances."""
    spread = np.linspace(0, len(q) - 1, min(TRIALS, len(q))).astype(int)
    picked = np.unique(
        [*spread, int(np.abs(qd).max(axis=1).argmax()), *_quickest(loop, q)]
    )  # the fastest are among them
    found = [spectrum(loop.member(int(k)), 0.0, q[k], qd[k]) for k in picked]
    fastest = max((s.fastest for s in found if s is not None), default=10.0)
    most = MOST_COMPILED if loop.quick else MOST_TRIED
    gain = 2.0 ** tableau(method).order - 1  # the change by halving is so many times the error that is left
    h = min(until / LOOKS, 2.0 / max(fastest, 1e-6))
    ends = np.array([_seen(loop, method, int(k), q, qd, until, h) for k in picked])
    before = np.inf
    while True:
        finer = np.array([_seen(loop, method, int(k), q, qd, until, h / 2) for k in picked])
        change = float(np.nan_to_num(np.abs(finer - ends).max(), nan=np.inf))
        wanted = float(np.nan_to_num((np.abs(finer - ends) / gain / (atol + rtol * np.abs(finer))).max(), nan=np.inf))
        h, ends = h / 2, finer
        note = f"dt = {h:.3g} s: halving the step to it changed {len(picked)} of the runs by {change:.1g}"
        if wanted <= 1.0:
            return h, f"{note}, within rtol and atol."
        # where friction changes, order 1 is left
        if until / h > most or (change > before / 4 and change < ROUGH):
            return h, f"{note}; rtol and atol were not reached, and smaller steps would gain little."
        before = change


def _quickest(loop: ClosedLoop, q: Array) -> list[int]:
    """Of different arms the one that vibrates fastest about where its run starts."""
    if loop.several is None:
        return []
    rows = loop.inputs.part("arm", loop.inputs.steady(len(q)))
    try:
        change = call_rows(loop.several.varied, rows, "inverse_dynamics_gradient", (q, 0 * q, 0 * q))
        squares = np.abs(np.linalg.eigvals(np.linalg.solve(change.qdd, change.q))).max(axis=-1)
    except (LissomError, np.linalg.LinAlgError):
        return []
    return [int(squares.argmax())]


def _seen(loop: ClosedLoop, method: str, run: int, q: Array, qd: Array, until: float, h: float) -> Array:
    """(LOOKS, 2 dof) states over the whole run: its end may be rest, whatever was before."""
    times, step, repeats = grid(until, until / LOOKS, h)
    steps = Fixed(loop.member(run), method, step, repeats, [], lambda _t: None, 1)
    states = steps.run(q[run : run + 1], qd[run : run + 1], times).states[0, :, : 2 * loop.dof]
    out = np.full((LOOKS, 2 * loop.dof), np.nan)
    out[: len(states) - 1] = states[1 : LOOKS + 1]
    return out
