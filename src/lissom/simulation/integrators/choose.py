"""Choice of the integrator and its step, with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lissom.dynamics.plant import POWERS
from lissom.errors import InputError, LissomError
from lissom.kernels.batch_of_arms import call_rows
from lissom.kernels.verbs import INVERSE_DYNAMICS_GRADIENT
from lissom.simulation.events import Event
from lissom.simulation.integrators import implicit
from lissom.simulation.integrators.fixed import Fixed, grid
from lissom.simulation.integrators.tableau import tableau
from lissom.simulation.loop.closed_loop import ClosedLoop
from lissom.simulation.loop.spectrum import Spectrum, spectrum
from lissom.simulation.options import FIXED, Options
from lissom.simulation.setup import Start
from lissom.spatial.rotations import Array

WORDS = {
    "rk4": "fixed steps, Runge-Kutta of order 4", "rk8": "fixed steps, order 8 (Dormand-Prince)",
    "rk45": "adaptive, order 5 (Dormand-Prince)",
    "dop853": "adaptive, order 8 (Dormand-Prince)", "radau": "implicit, order 5 (Radau IIA)",
    "bdf": "implicit, order 1 to 5 (backward differences)",
    "rodas": "linearly implicit, order 4 (Rosenbrock, RODAS)",
}  # fmt: skip
STIFF = 2e4  # decay rate times duration beyond which explicit steps are wasted on stability
FINE = 1e-6  # rtol below which order 8 pays
TRIALS = 4  # runs that choose the step of an ensemble
MOST_SWINGS = 1e5  # fastest motion times duration up to which compiled steps beat implicit ones
MOST_STABLE = 1000  # compiled steps of an ensemble for stability alone, beyond which implicit ones are cheaper
MOST_ACCURATE = 5000  # the same for accuracy
MOST_STEPS = 50_000  # compiled steps of a run that are tried; bounds the time of the choice and of what follows
MOST_IN_PYTHON = 2000  # the same where every step waits for Python
HALVINGS = 7
LOOKS = 50  # times at which the results of two steps are compared
LOSS = 3e-6  # of the work of the runs that choose; the audit allows 1e-4, and runs that move less lose more of it
ROUGH = 1e-5  # rad or m; accuracy that is good enough where the method has lost its order


class Plan(NamedTuple):
    """An integration method, the reason for it, the length of fixed steps, and notes for the report."""

    method: str
    why: str
    dt: float | None = None
    note: str = ""


def plan(loop: ClosedLoop, begin: Start, options: Options, events: Sequence[Event]) -> Plan:
    """Return how all runs are integrated: as requested, or as chosen from the spectrum of the closed loop."""
    found = _method(loop, begin, options, events)
    if found.method not in FIXED or found.dt is not None:
        return found
    instead = not begin.single and options.method is None and implicit.covers(loop, events)
    most = MOST_ACCURATE if instead else MOST_STEPS if loop.quick else MOST_IN_PYTHON
    step, note, reached = step_for(loop, found.method, begin, options, most)
    if instead and not reached:
        why = f"more than {most} fixed steps would be needed for rtol = {options.rtol:g}"
        return Plan("rodas", f"{WORDS['rodas']}, adaptive steps for each run: {why}.")
    return found._replace(dt=step, note=note)


def _method(loop: ClosedLoop, begin: Start, options: Options, events: Sequence[Event]) -> Plan:
    if options.method is not None:
        if options.method == "rodas" and not implicit.covers(loop, events):
            raise InputError(
                "simulate: method 'rodas' does not support closed loops, sampled controllers, events, or tau as a "
                "Python function; use method='radau'."
            )
        return Plan(options.method, f"{WORDS[options.method]}: requested.", options.dt)
    if options.dt is not None:
        return Plan("rk4", f"{WORDS['rk4']}: dt was given.", options.dt)
    if loop.sampling is not None:
        method = "rk4" if loop.sliding else "rk8"  # few long steps between sampling times
        return Plan(method, f"{WORDS[method]}: the controller acts every {loop.sampling:g} s; it holds in between.")
    return _of_one(loop, begin, options) if begin.single else _of_many(loop, begin, options, events)


def _of_one(loop: ClosedLoop, begin: Start, options: Options) -> Plan:
    until, rtol = options.until, options.rtol
    found = spectrum(loop.member(0), 0.0, begin.states[0])
    if found is None:
        return Plan("dop853", f"{WORDS['dop853']}: the default; the poles at the start could not be computed.")
    if loop.bodies.flexible and loop.quick and not loop.sliding and found.fastest * until < MOST_SWINGS:
        why = f"the largest |pole| at the start is {found.fastest:.3g} rad/s, and compiled steps are the cheapest"
        return Plan("rk8", f"{WORDS['rk8']}: {why}.")
    if found.decay * until > STIFF:
        return Plan("radau", f"{WORDS['radau']}: {_stiff(found, until)}.")
    method = "dop853" if rtol < FINE else "rk45"
    why = f"the equations are not stiff ({_slow_decay(found, until)}); rtol is {rtol:g}"
    return Plan(method, f"{WORDS[method]}: {why}.")


def _of_many(loop: ClosedLoop, begin: Start, options: Options, events: Sequence[Event]) -> Plan:
    covered = implicit.covers(loop, events)
    if loop.sliding and covered:
        why = "adaptive steps for each run; the instants at which joints start and stop sticking are located"
        return Plan("rodas", f"{WORDS['rodas']}: {why}.")
    fixed, picked = fixed_method(loop), _picked(loop, begin)
    found = [s for k in picked if (s := spectrum(loop.member(k), 0.0, begin.states[k])) is not None]
    worst = max(found, key=lambda s: s.decay, default=None)
    if worst is not None and worst.decay * options.until > MOST_STABLE * tableau(fixed).reach:
        method = "rodas" if covered else "radau"
        return Plan(method, f"{WORDS[method]}, adaptive steps for each run: {_stiff(worst, options.until)}.")
    return Plan(fixed, f"{WORDS[fixed]}: many runs are integrated together in compiled code.")


def _slow_decay(found: Spectrum, until: float) -> str:
    if not found.decay:
        return "nothing decays at the start"
    return f"the fastest decay at the start, {found.decay:.3g} 1/s over {until:g} s, is below {STIFF:g} time constants"


def _stiff(found: Spectrum, until: float) -> str:
    return f"stiff: at the start the fastest decay rate is {found.decay:.3g} 1/s, over a run of {until:g} s"


def fixed_method(loop: ClosedLoop) -> str:
    """Return the fixed-step method: order 8 where there are fast vibrations, order 4 with friction."""
    return "rk8" if loop.bodies.flexible and not loop.sliding else "rk4"


# ---- the step of an ensemble ---------------------------------------------------------------------


def step_for(loop: ClosedLoop, method: str, begin: Start, options: Options, most: int) -> tuple[float, str, bool]:
    """Return the length of fixed steps, a note for the report, and whether rtol and atol are reached.

    The step starts from what the poles of the closed loop allow and is halved until halving it again changes a few of
    the runs by less than the tolerances, at most `HALVINGS` times and down to about `most` steps.
    """
    until = options.until
    picked = _picked(loop, begin)
    found = [spectrum(loop.member(k), 0.0, begin.states[k]) for k in picked]
    fastest = max((s.fastest for s in found if s is not None), default=10.0)
    gain = 2.0 ** tableau(method).order - 1  # the change by halving is so many times the error that is left
    h = max(min(until / LOOKS, 2.0 / max(fastest, 1e-6), loop.sampling or np.inf), until / most)
    ends = _seen(loop, method, picked, begin, until, h)
    before, note = np.inf, ""
    for _ in range(HALVINGS):
        finer = _seen(loop, method, picked, begin, until, h / 2)
        size = np.abs(finer - ends)
        change = float(np.nan_to_num(size[..., : loop.size].max(), nan=np.inf))
        wanted = float(np.nan_to_num((size / gain / _allowed(finer, loop.size, options)).max(), nan=np.inf))
        grown = np.isinf(change) and np.array_equal(np.isnan(finer), np.isnan(ends))  # by both steps, at one time
        h, ends = h / 2, finer
        note = f"dt = {h:.3g} s: the last halving of the step changed {len(picked)} test runs by {change:.1g}"
        if wanted <= 1.0:
            return h, f"{note}, within rtol and atol.", True
        if grown:
            return h, f"dt = {h:.3g} s: some runs diverge, also with twice the step.", True
        # where friction changes, order 1 is left
        if until / h > most or (change > before / 4 and change < ROUGH):
            break
        before = change
    return h, f"{note}; rtol and atol are not reached, and smaller steps would improve little.", False


def _allowed(states: Array, own: int, options: Options) -> Array:
    """Allowed errors of states (runs, LOOKS, ...) by rtol and atol; those of work relative to its largest value."""
    motion, work = np.abs(states[..., :own]), np.abs(states[..., own:])
    moved = np.broadcast_to(work.max(axis=(1, 2), keepdims=True), work.shape)
    return np.concatenate([options.atol + options.rtol * motion, options.atol + LOSS * moved], axis=-1)


def _picked(loop: ClosedLoop, begin: Start) -> list[int]:
    """Numbers of the runs by which the step is chosen: some spread over all, the fastest among them."""
    count = len(begin.q)
    spread = np.linspace(0, count - 1, min(TRIALS, count)).astype(int)
    fastest = int(np.abs(begin.qd).max(axis=1).argmax())
    return [int(k) for k in np.unique([*spread, fastest, *_quickest(loop, begin.q)])]


def _quickest(loop: ClosedLoop, q: Array) -> list[int]:
    """Number of the run whose arm vibrates fastest about its start, where arms differ."""
    if loop.several is None:
        return []
    rows = loop.inputs.part("arm", loop.inputs.steady(len(q)))
    try:
        change = call_rows(loop.several.varied, rows, INVERSE_DYNAMICS_GRADIENT.name, (q, 0 * q, 0 * q))
        squares = np.abs(np.linalg.eigvals(np.linalg.solve(change.qdd, change.q))).max(axis=-1)
    except (LissomError, np.linalg.LinAlgError):
        return []
    return [int(squares.argmax())]


def _seen(loop: ClosedLoop, method: str, runs: Sequence[int], begin: Start, until: float, h: float) -> Array:
    """(runs, LOOKS, q qd z work) states spread over the whole runs, since final states alone may all be at rest."""
    times, step, repeats = grid(until, until / LOOKS, h)
    size = loop.size + POWERS
    out = np.full((len(runs), LOOKS, size), np.nan)
    for row, k in zip(out, runs, strict=True):
        steps = Fixed(loop.member(k), method, step, repeats, [], lambda _t: None, 1)
        states = steps.run(begin.states[k : k + 1], times).states[0, 1 : LOOKS + 1, :size]
        row[: len(states)] = states
    return out
