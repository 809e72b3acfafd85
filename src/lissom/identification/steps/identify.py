"""``method="steps"``: errors of simulations over short windows of logs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.errors import InputError, UnsupportedError, listed, shown
from lissom.identification.logs.log import Log
from lissom.identification.parameters import Numbers
from lissom.identification.result.identification import Identification
from lissom.identification.steps.fit import Fit, Fitter, State
from lissom.identification.steps.measured import Measured
from lissom.identification.steps.plant import Plant
from lissom.identification.steps.result import Outcome, StepsPredictor, on_time, result
from lissom.identification.steps.windows import Integration
from lissom.model.arm import Arm
from lissom.progress import stage
from lissom.spatial.rotations import Array

USUAL = ("elastic.stiffness", "elastic.damping", "beam.EI", "beam.damping", "armature", "damping", "friction",
         "friction.coulomb", "friction.viscous")  # fmt: skip
SHORTEST = 0.25  # s, of windows by default
SLOWEST = 0.5  # of the longest period of a vibration is in a window by default
UNEQUAL = 1e-3  # of sampling rates


class StepOptions(NamedTuple):
    """What the caller asks for.

    parameters : names, None for springs, beams and drives
    window : length of a window [s], None: half the longest period of a vibration, 0.25 s at least
    held : whether torques are constant between samples
    skew : times (joints,) by which torques are logged late [s], "auto": one for all is found, and one for second
        encoders
    """

    parameters: Sequence[str] | None = None
    window: float | None = None
    held: bool = False
    skew: Array | str = "auto"


def identify_from_steps(arm: Arm, logs: list[Log], options: StepOptions) -> Identification:
    """See `lissom.identify`."""
    _refuse(arm, logs, options)
    numbers = Numbers(arm, _usual(arm) if options.parameters is None else options.parameters, "identify")
    stage("compile the arm with its parameters as inputs")
    plant = Plant(numbers)
    window = longest_vibration(plant, logs[0]) if options.window is None else float(options.window)
    late = np.zeros(len(arm.joints)) if isinstance(options.skew, str) else options.skew
    measured = Measured.of(arm, [on_time(log, late) for log in logs], window, options.held)
    stage("multi-step errors")
    outcome = _fitted(Integration(plant, measured), options)
    predictor = StepsPredictor(numbers, outcome.found.at, window, options.held, late, measured.channels)
    return result(measured, logs, outcome, predictor)


def _fitted(steps: Integration, options: StepOptions) -> Outcome:
    """The fit, a second time without the numbers that turn out not to be identifiable."""
    numbers = steps.plant.numbers
    free = np.ones(len(numbers) + 2, bool)
    auto = isinstance(options.skew, str)
    free[-2:] = auto and not options.held, auto and steps.measured.second.any()
    start = State(np.zeros(len(numbers)), np.zeros(2), steps.measured.first_states())
    first = Fitter(steps, free, stage).run(start)
    std = _std(first, free)
    known = numbers.known(first.at.x, std[:-2])
    if known.all():
        return Outcome(first, first.at.x, std, known)
    free[:-2] = known
    again = Fitter(steps, free, stage).run(first.at._replace(x=np.where(known, first.at.x, 0.0)))
    better = _std(again, free)
    spread = np.append(np.where(known, better[:-2], std[:-2]), better[-2:])
    return Outcome(again, np.where(known, again.at.x, first.at.x), spread, known)


def _std(found: Fit, free: NDArray[np.bool_]) -> Array:
    """Standard deviations of the shared numbers, infinite for those that were not sought or not seen."""
    out = np.full(len(free), np.inf)
    out[free] = np.sqrt(np.diag(found.covariance))
    return out


def longest_vibration(plant: Plant, log: Log) -> float:
    """A length for windows [s]: half the longest period of a vibration with the joints held, 0.25 s at least."""
    arm, still = plant.numbers.arm, np.zeros((1, plant.dof))
    free = np.flatnonzero(~arm.actuated)
    half = 0.0
    if len(free):
        q = still.copy()
        q[:, arm.joint_index] = log.q[0]
        by = plant.slopes(q, still, still)
        squares = np.linalg.eigvals(_held(by.tau[0], by.q[0], free))
        slow = squares.real[squares.real > 0]
        half = SLOWEST * 2 * np.pi / np.sqrt(slow.min()) if len(slow) else 0.0
    return float(min(max(SHORTEST, half), log.duration / 4))


def _held(inverse: Array, by_q: Array, free: NDArray[np.intp]) -> Array:
    """M^-1 K of the free coordinates, the others held, from the inverse inertia and -M^-1 K of all."""
    M = np.linalg.inv(inverse)
    K = -M @ by_q
    return np.asarray(np.linalg.solve(M[np.ix_(free, free)], K[np.ix_(free, free)]))


def _usual(arm: Arm) -> list[str]:
    """Springs, beams and drives, as far as the arm has them."""
    try_all = []
    for word in USUAL:
        try:
            try_all += list(Numbers(arm, [word], "identify").names)
        except InputError:
            continue
    if not try_all:
        raise InputError(
            f"identify: arm {arm.name!r} has no springs, beams, drive inertia, damping or friction to find; name "
            "parameters=['mass'], for example."
        )
    return try_all


def _refuse(arm: Arm, logs: Sequence[Log], options: StepOptions) -> None:
    if arm.loops:
        raise UnsupportedError(
            f"identify: arm {arm.name!r} has closed loops, which method='steps' does not cover. Identify its branches "
            "apart, as arm.subtree(...) gives them."
        )
    heavy = [joint.name for joint in arm.joints if joint.friction_laws.load]
    if heavy:
        raise UnsupportedError(
            f"identify: friction of joint {heavy[0]!r} depends on the load, which method='steps' does not cover. Leave "
            "`load` out of its Friction, or use method='torque'."
        )
    window = options.window
    if window is not None and (isinstance(window, bool) or not isinstance(window, int | float) or window <= 0.0):
        raise InputError(f"identify: window is {shown(window)}; expected a time above 0 [s].")
    for log in logs:
        if log.tau is None:
            raise InputError(
                "identify: the log has no torques, under which method='steps' simulates the arm. Give tau, or currents "
                "with gains=."
            )
        if not np.ptp(log.q, axis=0).any():
            raise InputError("identify: no joint moves in the log, so nothing can be identified.")
    _refuse_different(logs)


def _refuse_different(logs: Sequence[Log]) -> None:
    loads = {log.load for log in logs}
    if len(loads) > 1:
        raise InputError(
            f"identify: the logs carry {listed(sorted(map(repr, loads)), 4)}; method='steps' takes logs with one "
            "payload. Give arm.with_payload(...) and its logs, one payload at a time."
        )
    rates = [log.rate for log in logs]
    if max(rates) > min(rates) * (1 + UNEQUAL):
        raise InputError(
            f"identify: the logs have sampling rates from {min(rates):.5g} to {max(rates):.5g} Hz; method='steps' "
            "takes logs of one rate. Resample them, or give them one at a time."
        )
