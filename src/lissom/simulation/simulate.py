"""`simulate`: from an arm and what acts on it to a run."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Never

from numpy.typing import ArrayLike

from lissom.errors import SimulationError, UnsupportedError
from lissom.kernels.arguments import as_arm
from lissom.keywords import check_keywords, without_unknown
from lissom.model.arm import Arm
from lissom.simulation.options import Options, Scenario
from lissom.simulation.run import Run

ELSEWHERE = {"controller": "a controller is given as tau=, for example tau=ls.PD(q, kp, kd)."}


@without_unknown
def simulate(
    arm: Arm,
    q0: ArrayLike | None = None,
    qd0: ArrayLike | None = None,
    tau: Any = None,
    until: float | None = None,
    *,
    tau0: ArrayLike | None = None,
    loads: Any = (),
    base: Any = None,
    prescribed: Any = None,
    payloads: Any = None,
    arms: Any = None,
    events: Any = (),
    stop_at_limits: bool = False,
    rtol: float | None = None,
    atol: float | None = None,
    dt: float | None = None,
    every: float | None = None,
    method: str | None = None,
    audit: float | None = None,
    singular: str = "stop",
    on_failure: str = "raise",
    progress: bool | Callable[[float], None] | None = None,
    threads: int | None = None,
    save: str | os.PathLike[str] | None = None,
    save_every: int | None = None,
    resume: bool = False,
    **unknown: Never,
) -> Run:
    """Simulate the motion of an arm over time and check its energy balance.

    With torques given as numbers, profiles or controllers, fixed steps run as one compiled loop; ensembles
    (`q0` or any other argument with one row per run) then run in parallel in SIMD lanes and threads.

    Parameters
    ----------
    arm : Arm
    q0, qd0 : (dof,) or (runs, dof)   initial state; one entry per joint is accepted
        None: the start of the motion under `Follow`, otherwise `arm.home`, at rest
    tau : actuator torques
        None, numbers (dof,) or (runs, dof), samples (nt, dof) or (runs, nt, dof) equally spaced over the
        time and interpolated linearly, a `Profile`, a controller (`PD`, `PID`, `ComputedTorque`,
        `GravityCompensation`, `Impedance`, `StateFeedback`, `Follow`, or a class derived from `Controller`), or a
        function ``tau(t, q, qd)`` of one state (of many runs: called for each)
    until : float                     end [s]
    tau0 : (dof,), (runs, dof) or None
        torques that act at the start on joints whose `Actuator` has a lag; None: those commanded then
    loads : list of Load, or a function of time that returns one
    base : BaseMotion, or a function of time that returns one
    prescribed : {joint: acceleration}
        joints (or links) with a prescribed acceleration: a number, a `Profile` or a function of time; the
        torque that this requires is in `Run.tau`
    payloads : list of Payload, or {link or tool: list}
        the payload of every run, instead of the arm's own; default: at the end of the arm (`Arm.tip_frame`)
    arms : list of Arm
        the arm of every run, with the same structure and different parameters: masses, lengths, stiffness, drives,
        gravity ...; all run in one compiled loop. Controllers with a model use `arm` (or their own `model`)
    events : list of Event, or of functions f(t, q, qd)
    stop_at_limits : bool             end where a joint reaches a position limit (otherwise an event is recorded)
    rtol, atol : float or None
        tolerances of adaptive methods, and of the step chosen for ensembles; None: 1e-8 and 1e-10 for one run, 1e-6
        and 1e-8 for ensembles
    dt : float or None                largest length of fixed steps [s]
    every : float or None             time between samples [s]; None: every step dt, or 500 samples (ensembles: 100)
    method : str or None
        "rk4", "rk8" (fixed steps, orders 4 and 8), "rk45", "dop853" (adaptive), "radau", "bdf" (implicit, for
        stiff arms), "rodas" (linearly implicit, for stiff ensembles); None: automatic, with the reason in `Run.report`
    audit : float or None             allowed relative error of the energy balance; None: depends on the method
    singular : "stop" or "pass"
        for arms with closed loops: what to do at a singular configuration, after which the motion is not unique;
        "pass" continues and adds a note to the report
    on_failure : "raise" or "return"  what to do with a run that ends early; the error has it as `.run`
    progress : bool or f(fraction)    show a progress bar, or call f with the completed fraction; default: a bar after
                                   three seconds (where nobody watches, a plain line after 3, 10, 20, 40 ... s)
    threads : int or None             for ensembles; None: all cores
    save : path or None               write the run to this file (see `Run.save`), also when it ends early
    save_every : int or None
        for ensembles: write every block of this many finished runs to a folder next to `save`, so that a
        killed process loses at most one block
    resume : bool                     continue from such a folder; results equal those of an uninterrupted simulation

    Returns
    -------
    Run

    Examples
    --------
    >>> import lissom as ls
    >>> run = ls.simulate(ls.load("two_link"), [0.3, 0.1], until=1.0)
    >>> run.q.shape, run.status, bool(run.balance_error < 1e-6)
    ((501, 2), 'done', True)
    >>> many = ls.simulate(ls.load("two_link"), [[0.3, 0.1], [0.2, 0.1]], until=1.0, dt=1e-3, every=0.1)
    >>> many.q.shape
    (2, 11, 2)
    >>> arm = ls.load("two_link")
    >>> heavy = ls.simulate(arm, [0.3, 0.1], until=1.0, dt=1e-3, arms=[arm, arm.with_link("fore", mass=2.0)])
    >>> heavy.member(1).arm.link("fore").mass, heavy.ok
    (2.0, True)
    """
    check_keywords(simulate, unknown, ELSEWHERE)
    from lissom.simulation import integrate  # the engine is loaded when something is first simulated

    if not as_arm(arm, "simulate").dof:
        raise UnsupportedError(f"simulate: arm {arm.name!r} has no moving joint and no flexible link.")
    options = Options(
        until, method, rtol, atol, dt, every, audit, threads, singular, stop_at_limits, on_failure, progress, save,
        save_every, resume,
    )  # fmt: skip
    scenario = Scenario(arm, q0, qd0, tau, loads, base, prescribed, payloads, arms, events, tau0)
    run = integrate.integrate(integrate.prepare(scenario, options), options)
    if options.on_failure == "raise":
        _raise_early_end(run)
    return run


def _raise_early_end(run: Run) -> None:
    """Raise the error that carries a run which ended early."""
    if run.failures:
        raise SimulationError(f"simulate: {run.status}", run)
    if run.interrupted:
        interrupt = KeyboardInterrupt(run.status)
        interrupt.run = run  # type: ignore[attr-defined]
        raise interrupt
