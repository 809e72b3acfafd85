"""The whole motion replayed by a simulation: under its torques alone, or with a controller that follows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from lissom.errors import InputError, shown
from lissom.motion.result.record import AbstractMotion
from lissom.motion.result.replay import loads_of
from lissom.motion.result.verification.defects import STIFF, heard, stepping
from lissom.motion.result.verification.growth import Growth
from lissom.simulation.controllers import Controller
from lissom.simulation.controllers.feedforward.command import commanded_torques
from lissom.simulation.integrate import integrate, prepare
from lissom.simulation.loop.spectrum import spectrum
from lissom.simulation.options import Options, Scenario
from lissom.simulation.run import Run
from lissom.simulation.simulate import simulate

SAMPLES = 4  # in a segment
STIFF_LOOP = 10.0  # as STIFF, with feedback, whose reference has jerks that jump from segment to segment


def replayed(
    motion: AbstractMotion, growth: Growth, feedback: Any, rtol: float, progress: Callable[[float], None]
) -> Run:
    """Simulate a motion from its start to its end; `progress` is called with the fraction that is done."""
    every = motion.duration / (SAMPLES * (len(motion.finest_breaks) - 1))
    segment = motion.duration / (len(motion.breaks) - 1)
    begin = motion.tau[0] if motion.arm.actuator_lag.any() else None
    if feedback is None:
        stiff = float(growth.decay.max()) * segment > STIFF
        how = stepping(commanded_torques(motion), float(growth.fastest.max()), stiff, rtol) | {"progress": progress}
        how |= {"loads": loads_of(motion), "tau0": begin}
        return heard(simulate(motion.arm, motion.q[0], motion.qd[0], every=every, **how))
    tau = tracking(motion, feedback)
    scenario = Scenario(motion.arm, motion.q[0], motion.qd[0], tau, loads_of(motion), tau0=begin)
    options = Options(motion.duration, rtol=rtol, atol=1e-2 * rtol, every=every, progress=progress)
    scene = prepare(scenario, options)
    if not scene.begin.single:
        raise InputError(f"verify: feedback has values for {len(scene.begin.q)} runs; expected those of one run.")
    poles = spectrum(scene.loop.member(0), 0.0, scene.begin.states[0])
    if poles is not None and poles.decay * segment > STIFF_LOOP:
        options = replace(options, method="radau")
    return heard(integrate(scene, options))


def tracking(motion: AbstractMotion, feedback: Any) -> Any:
    """Return a controller with the motion as its reference and the planned torques as its feedforward."""
    if not isinstance(feedback, Controller):
        if callable(feedback) and not isinstance(feedback, type):
            return feedback
        raise InputError(
            f"verify: feedback is {shown(feedback)}; expected a controller such as PD or Follow, whose reference is "
            "replaced by the motion, or a function tau(t, q, qd) that returns the total torque."
        )
    words = feedback.inputs()
    if "tau" in words and getattr(feedback, "gravity", False):
        raise InputError(
            f"verify: feedback is a {type(feedback).__name__} with gravity=True, but it is added to the planned "
            "torques, which already contain gravity. Use gravity=False."
        )
    plan = {"motion": motion, "q": motion, "qd": None, "qdd": None, "tau": commanded_torques(motion)}
    inputs = {word: value for word, value in plan.items() if word in words}
    return replace(feedback, **inputs) if inputs else feedback  # type: ignore[type-var]
