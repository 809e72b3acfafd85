"""``method="encoders"``: stiffness and damping of elastic joints from motor and link encoders."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from lissom.errors import InputError, UnsupportedError, listed
from lissom.identification.encoders.deflection import COLUMNS, Deflections, deflections, spring_torques
from lissom.identification.encoders.regression import CERTAIN, Spring, spring_of
from lissom.identification.logs.log import Log
from lissom.identification.result.check import TorqueFit
from lissom.identification.result.identification import Identification
from lissom.identification.result.table import ParameterTable
from lissom.identification.signals.filters import suggested_cutoff
from lissom.model.arm import Arm
from lissom.model.joint import Joint
from lissom.model.joint_elasticity import JointElasticity
from lissom.progress import stage
from lissom.spatial.rotations import Array

HIGHEST = 20.0  # Hz, of the cut-off by default: noise of encoders biases the stiffness by its cube
LATE = 0.1  # sampling periods by which an encoder is late that are worth a note


@dataclass(frozen=True, eq=False)
class DeflectionPredictor:
    """Deflections of joints `at`, from what was found of each."""

    arm: Arm
    at: tuple[int, ...]
    springs: tuple[Spring, ...]
    cutoff_hz: float

    def fit(self, log: Log, extra: Any = None) -> TorqueFit:
        """Measured and predicted deflections of a log, the offset of each joint free."""
        _refuse(self.arm, [log], self.at)
        torque = spring_torques(self.arm, log, self.cutoff_hz)
        data, found = [], []
        for k, spring in zip(self.at, self.springs, strict=True):
            one = deflections(log, k, torque[:, k], self.cutoff_hz, float(spring.values[2]), spring.lag)
            x = np.where(np.arange(len(COLUMNS)) == 2, 0.0, spring.values)
            columns = one.columns(spring.middle) @ x
            data.append(one)
            found.append(columns - columns.mean() + one.deflection.mean())
        return _compared(self.arm, self.at, data, found, log.source)


def identify_from_encoders(arm: Arm, logs: list[Log], cutoff_hz: float | None) -> Identification:
    """See `lissom.identify`."""
    if arm.loops:
        raise UnsupportedError(
            f"identify: arm {arm.name!r} has closed loops, whose forces between motors and links are not measured; "
            "method='encoders' takes trees."
        )
    at = _measured(arm, logs)
    _refuse(arm, logs, at)
    usual = min(HIGHEST, max(suggested_cutoff(log.q, log.rate) for log in logs))
    cutoff = usual if cutoff_hz is None else cutoff_hz
    torques = [spring_torques(arm, log, cutoff) for log in logs]
    springs = []
    for k in at:
        stage(f"joint {arm.joints[k].name}")
        springs.append(spring_of(partial(_signals, logs, torques, k, cutoff)))
    return _result(arm, logs, DeflectionPredictor(arm, at, tuple(springs), cutoff))


def _signals(
    logs: list[Log], torques: list[Array], k: int, cutoff_hz: float, late: float, lag: float
) -> list[Deflections]:
    """Signals of joint k in every log."""
    pairs = zip(logs, torques, strict=True)
    return [deflections(log, k, tau[:, k], cutoff_hz, late, lag) for log, tau in pairs]


def _measured(arm: Arm, logs: list[Log]) -> tuple[int, ...]:
    """Joints that have two encoders in all logs."""
    if any(log.second is None for log in logs):
        raise InputError(
            "identify: method='encoders' needs positions of the links by a second encoder; the log has none. Expected "
            "columns such as second[joint] (ls.Log(second=...))."
        )
    return tuple(k for k in range(len(arm.joints)) if all(np.isfinite(log.second[:, k]).all() for log in logs))


def _refuse(arm: Arm, logs: list[Log], at: tuple[int, ...]) -> None:
    have = set(_measured(arm, logs))
    missing = [arm.joints[k].name for k in at if k not in have]
    if missing or not have:
        raise InputError(
            f"identify: the log has no second encoder of {listed(missing, 4) if missing else 'any joint'}; expected "
            "positions of the links in `second`."
        )
    passive = [arm.joints[k].name for k in at if not arm.joints[k].actuated]
    if passive:
        raise InputError(
            f"identify: joint {passive[0]!r} has no motor, so it has no deflection between motor and link. Leave it "
            "out of `second` (nan)."
        )
    for log in logs:
        if not np.ptp(log.q[:, list(at)], axis=0).any():
            raise InputError("identify: no joint with a second encoder moves in the log; nothing can be identified.")


def _result(arm: Arm, logs: list[Log], predictor: DeflectionPredictor) -> Identification:
    at, springs = predictor.at, predictor.springs
    fits = tuple(
        _compared(arm, at, [s.data[i] for s in springs], [s.fitted[i] for s in springs], log.source)
        for i, log in enumerate(logs)
    )
    late, late_std = np.zeros(len(arm.joints)), np.full(len(arm.joints), np.nan)
    late[list(at)], late_std[list(at)] = [s.values[2] for s in springs], [s.std[2] for s in springs]
    return Identification(
        _elastic(arm, predictor, logs), arm, _table(arm, at, springs), fits, predictor, late, late_std,
        method="encoders", notes=_notes(arm, predictor, logs),
    )  # fmt: skip


def _compared(arm: Arm, at: tuple[int, ...], data: list[Deflections], found: list[Array], source: str) -> TorqueFit:
    """Deflections measured, explained, and of the arm before: rigid, or with the springs it has."""
    names, units = (tuple(getattr(arm.joints[k], word) for k in at) for word in ("name", "unit"))
    before = []
    for k, one in zip(at, data, strict=True):
        elastic = arm.joints[k].elastic
        spring = 0.0 * one.torque if elastic is None else -one.torque / elastic.stiffness
        before.append(spring - spring.mean() + one.deflection.mean())
    measured = np.column_stack([one.deflection for one in data])
    return TorqueFit(
        names, units, data[0].t, measured, np.column_stack(found), np.column_stack(before), source,
        quantity="deflection",
    )  # fmt: skip


def _elastic(arm: Arm, predictor: DeflectionPredictor, logs: list[Log]) -> Arm:
    """The arm with the springs that are identifiable, where the joint has the inertia of a drive."""
    done = []
    for k, spring in zip(predictor.at, predictor.springs, strict=True):
        joint = arm.joints[k]
        if spring.known and joint.reflected_inertia > 0.0:
            old = 0.0 if joint.elastic is None else joint.elastic.damping
            damping = spring.damping[0] if spring.damped else old
            arm = arm.with_joint(joint.name, elastic=JointElasticity(spring.stiffness[0], damping))
            done.append(joint.name)
    if not done:
        return arm
    sources = ", ".join(log.source or "log" for log in logs)
    return arm.replace(notes=(*arm.notes, f"elastic joints {listed(done, 12)} identified from encoders in {sources}."))


def _table(arm: Arm, at: tuple[int, ...], springs: tuple[Spring, ...]) -> ParameterTable:
    rows = [row for k, spring in zip(at, springs, strict=True) for row in _rows(arm.joints[k], spring)]
    names, units, values, std, prior, known = zip(*rows, strict=True)
    value, given, yes = np.array(values), np.array(prior), np.array(known)
    return ParameterTable(names, units, value, np.array(std), given, np.where(yes, value, given), yes)


def _rows(joint: Joint, spring: Spring) -> list[tuple[str, str, float, float, float, bool]]:
    """Name, unit, value, standard deviation, given value, and whether it is identifiable."""
    given = (np.nan, np.nan) if joint.elastic is None else (joint.elastic.stiffness, joint.elastic.damping)
    effort, unit = joint.effort_unit, joint.unit
    rows = [
        (f"{joint.name}.elastic.stiffness", f"{effort}/{unit}", *spring.stiffness, given[0], spring.known),
        (f"{joint.name}.elastic.damping", f"{effort} s/{unit}", *spring.damping, given[1], spring.damped),
    ]
    for k, (word, its) in enumerate((("second.delay", "s"), ("lost_motion", unit), ("second.scale_error", "")), 2):
        value, std = float(spring.values[k]), float(spring.std[k])
        rows.append((f"{joint.name}.{word}", its, value, std, 0.0, abs(value) > CERTAIN * std))
    return rows


def _notes(arm: Arm, predictor: DeflectionPredictor, logs: list[Log]) -> tuple[str, ...]:
    out = []
    for k, spring in zip(predictor.at, predictor.springs, strict=True):
        name = arm.joints[k].name
        if not spring.known:
            out.append(
                f"the stiffness of {name} is not identifiable: a spring lowers the error of deflections that were not "
                f"used by {100 * spring.gain:.0f} %. Move with larger torques at this joint."
            )
        elif arm.joints[k].reflected_inertia <= 0.0:
            out.append(f"{name} has no drive inertia, which an elastic joint needs: give armature to have the spring.")
    late = [s.values[2] for s in predictor.springs]
    if max(abs(x) for x in late) * max(log.rate for log in logs) > LATE:
        times = ", ".join(f"{arm.joints[k].name} {1e3 * x:.2f} ms" for k, x in zip(predictor.at, late, strict=True))
        out.append(f"link encoders are late by: {times}. Without this correction the stiffness would be wrong.")
    if all(log.tau is None for log in logs):
        out.append("the log has no torques: those of the springs are what the links need, as good as their masses.")
    return tuple(out)
