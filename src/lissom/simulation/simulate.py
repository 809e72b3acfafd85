"""`simulate`: from an arm and what acts on it to a run."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike

from lissom.errors import InputError, SimulationError, UnsupportedError, shown
from lissom.formats.table_header import load_rows
from lissom.model.arm import Arm
from lissom.simulation.options import as_options
from lissom.simulation.run import Run
from lissom.verbs.states import as_arm


def simulate(
    arm: Arm,
    q0: ArrayLike | None = None,
    qd0: ArrayLike | None = None,
    tau: Any = None,
    until: float | None = None,
    *,
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
    progress: bool | Callable[[float], None] = False,
    threads: int | None = None,
    save: str | os.PathLike[str] | None = None,
    save_every: int | None = None,
    resume: bool = False,
) -> Run:
    """The motion of an arm over time, with its energy audited.

    Where torques are numbers, profiles or controllers, fixed steps run as one compiled loop; many runs
    (`q0` or anything else with one row per run) then advance side by side in SIMD lanes and threads.

    Parameters
    ----------
    arm : Arm
    q0, qd0 : (dof,) or (runs, dof)   initial state; None: `arm.home`, at rest; one entry per joint is accepted
    tau : what the motors do
        None, numbers (dof,) or (runs, dof), samples (nt, dof) or (runs, nt, dof) evenly spread over the
        time and joined by lines, a `Profile`, a controller (`PD`, `ComputedTorque`, `GravityCompensation`,
        `Impedance`, `StateFeedback`), or a function ``tau(t, q, qd)`` of one state (of many runs: called for each)
    until : float                     end [s]
    loads : list of Load, or a function of time that gives one
    base : BaseMotion, or a function of time that gives one
    prescribed : {joint: acceleration}
        joints (or links) that follow an acceleration: a number, a `Profile` or a function of time; the
        torque that leads them is in `Run.tau`
    payloads : list of Payload, or {link: list}
        the payload of every run, in place of the one the arm has; default: at the end of the arm (`Arm.ends`)
    arms : list of Arm
        the arm of every run, of the same structure with other numbers: masses, lengths, stiffness, drives, gravity ...;
        all run in one compiled loop. Controllers believe in `arm` (or their own model), whatever the arm of a run is
    events : list of Event, or of functions f(t, q, qd)
    stop_at_limits : bool             end where a joint reaches a limit of its position (else it is only noted)
    rtol, atol : float or None
        tolerances of adaptive methods, and of the step chosen for many runs; None: 1e-8 and 1e-10 for one run, 1e-6 and
        1e-8 for many
    dt : float or None                length of fixed steps, at most [s]
    every : float or None             time between samples [s]; None: each step dt, else 500 (many runs: 100) in all
    method : str or None
        "rk4", "rk8" (fixed steps, orders 4 and 8), "rk45", "dop853" (adaptive), "radau", "bdf" (implicit, for
        stiff arms), "rodas" (linearly implicit, for many stiff runs); None: chosen, with the reason in `Run.report`
    audit : float or None             allowed error of the energy balance, relative; None: by the method
    singular : "stop" or "pass"
        of an arm with closed loops: what to do where they come to a singular configuration, from which the motion
        may go on in more than one way; passing is noted in the report
    on_failure : "raise" or "return"  what to do with a run that ends early; the error carries `.run`
    progress : bool or f(fraction)    show a bar, or call f with the fraction that is done
    threads : int or None             for many runs; None: all cores
    save : path or None               write the run there (see `Run.save`), also when it ends early
    save_every : int or None
        of many runs, write each so many as they are finished, to a folder beside `save`; a process that is
        killed loses no more than that
    resume : bool                     go on from such a folder; the numbers are those of an unbroken simulation

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
    from lissom.simulation import integrate  # the engine is loaded when something is first simulated

    if not as_arm(arm, "simulate").dof:
        raise UnsupportedError(f"simulate: arm {arm.name!r} has no joint that moves and no link that bends.")
    options = as_options(until, method, rtol, atol, dt, every, audit, threads, singular)
    if on_failure not in ("raise", "return"):
        raise InputError(f"simulate: on_failure is {shown(on_failure)}; expected 'raise' or 'return'.")
    scene = integrate.prepare(
        arm, q0, qd0, tau, options, loads, base, prescribed, payloads, arms, events, stop_at_limits
    )
    run = integrate.integrate(scene, options, progress, save, save_every, resume)
    if loads:  # a function or a list; tables of the run name them
        run.report.made["loads"] = load_rows(loads)
    if on_failure == "raise":
        _raise_early_end(run)
    return run


def _raise_early_end(run: Run) -> None:
    """The error that carries a run which did not get to its end."""
    if run.failures:
        raise SimulationError(f"simulate: {run.status}", run)
    if run.interrupted:
        interrupt = KeyboardInterrupt(run.status)
        interrupt.run = run  # type: ignore[attr-defined]
        raise interrupt
