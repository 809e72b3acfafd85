"""The functions that can be exported, with names and meanings of their arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from lissom.export.record import CArgument
from lissom.model.arm import Arm
from lissom.model.units import units
from lissom.verbs import dynamics, energy, kinematics, sensitivity

TORQUES = "torques, drives, friction and springs included"


class Result(NamedTuple):
    """An output: name, unit (q, qd, qdd and tau stand for those of the coordinates), description."""

    name: str
    unit: str
    meaning: str


class Entry(NamedTuple):
    """A function: its outputs, and whether it needs a frame, and accepts loads and base motion."""

    function: Callable[..., Any]
    outputs: tuple[Result, ...]
    frame: bool = False
    acted: bool = False


def _slopes(of: str, rows: str, by: tuple[str, ...]) -> tuple[Result, ...]:
    return tuple(Result(f"{of}_{x}", f"{of}/{x}", f"d {of} / d {x}, row by row, rows are {rows}") for x in by)


CATALOGUE = {
    "inverse_dynamics": Entry(dynamics.inverse_dynamics, (Result("tau", "tau", TORQUES),), acted=True),
    "forward_dynamics": Entry(dynamics.forward_dynamics, (Result("qdd", "qdd", "accelerations"),), acted=True),
    "mass_matrix": Entry(dynamics.mass_matrix, (Result("M", "tau/qdd", "inertia, row by row, drives included"),)),
    "bias_forces": Entry(dynamics.bias_forces, (Result("h", "tau", "torques at zero acceleration"),)),
    "gravity_forces": Entry(dynamics.gravity_forces, (Result("g", "tau", "torques that hold the arm at rest"),)),
    "inverse_dynamics_gradient": Entry(
        sensitivity.inverse_dynamics_gradient, _slopes("tau", "torques", ("q", "qd", "qdd")), acted=True
    ),
    "forward_dynamics_gradient": Entry(
        sensitivity.forward_dynamics_gradient, _slopes("qdd", "accelerations", ("q", "qd", "tau")), acted=True
    ),
    "inverse_dynamics_product": Entry(
        sensitivity.inverse_dynamics_product,
        tuple(Result(f"by_{x}", f"tau/{x}", f"weights times d tau / d {x}") for x in ("q", "qd", "qdd")),
        acted=True,
    ),
    "regressor": Entry(sensitivity.regressor, (Result("Y", "tau per parameter", "row by row, ten columns per link"),)),
    "kinetic_energy": Entry(energy.kinetic_energy, (Result("T", "J", "kinetic energy"),)),
    "potential_energy": Entry(energy.potential_energy, (Result("V", "J", "potential energy"),)),
    "momentum": Entry(
        energy.momentum, (Result("p", "kg m/s, kg m^2/s", "linear, then angular about the world's origin"),)
    ),
    "poses": Entry(kinematics.poses, (Result("X", "1, m", "4 x 4 pose of every link in the world, row by row"),)),
    "pose": Entry(
        kinematics.pose, (Result("X", "1, m", "4 x 4 pose of {frame} in the world, row by row"),), frame=True
    ),
    "jacobian": Entry(
        kinematics.jacobian,
        (Result("J", "velocity/qd", "6 rows: linear, then angular velocity of {frame}, world axes"),),
        frame=True,
    ),
    "velocity": Entry(
        kinematics.velocity, (Result("v", "m/s, rad/s", "linear, then angular, of {frame}, world axes"),), frame=True
    ),
    "acceleration": Entry(
        kinematics.acceleration,
        (Result("a", "m/s^2, rad/s^2", "linear, then angular, of {frame}, world axes"),),
        frame=True,
    ),
}
INPUTS = {
    "q": "positions",
    "qd": "rates",
    "qdd": "accelerations",
    "tau": "torques",
    "weights": "one per torque",
    "base": "angular velocity, angular acceleration, linear acceleration of the base, world axes",
    "load": "force and moment in world axes, and the point where it acts in the axes of {frame}",
}
GIVEN_UNITS = {"weights": "1", "base": "rad/s, rad/s^2, m/s^2", "load": "N, N m, m"}


def argument(arm: Arm, word: str, size: int, name: str | None = None, frame: str = "") -> CArgument:
    """An input array with its unit and meaning."""
    unit = GIVEN_UNITS.get(word) or " or ".join(dict.fromkeys(units(arm, word)))
    return CArgument(name or word, (size,), unit, INPUTS[word].format(frame=repr(frame)))


def results(arm: Arm, verb: str, shapes: tuple[tuple[int, ...], ...], place: str) -> tuple[CArgument, ...]:
    """Output arrays of a function; `place` describes the frame of kinematics."""
    out = []
    for result, shape in zip(CATALOGUE[verb].outputs, shapes, strict=True):
        unit = result.unit
        if unit in ("tau", "qdd"):
            unit = " or ".join(dict.fromkeys(units(arm, unit)))
        out.append(CArgument(result.name, shape, unit, result.meaning.format(frame=place)))
    return tuple(out)
