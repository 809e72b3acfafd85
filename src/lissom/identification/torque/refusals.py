"""What this method does not cover, named before any work is done."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lissom.errors import InputError, UnsupportedError, listed
from lissom.identification.columns.friction import EVERY
from lissom.identification.fit.pseudo_inertia import WORDS
from lissom.identification.logs.log import Log
from lissom.identification.signals.samples import RESTING, Samples
from lissom.model.arm import Arm

SLOWEST = 4.0  # Hz


def refuse_arm(arm: Arm) -> None:
    """Raise an error for arms whose torques are not linear in rigid parameters."""
    if arm.loops:
        raise UnsupportedError(
            f"identify: arm {arm.name!r} has closed loops, whose closure forces are not measured. Expected a tree of "
            "rigid links; identify its branches apart, as arm.subtree(...) gives them."
        )
    flexible = [link.name for link in arm.links if link.flexible]
    if flexible:
        raise UnsupportedError(
            f"identify: links {listed(flexible, 4)} of arm {arm.name!r} are flexible; method='torque' is for rigid "
            "links. Identify the arm with rigid links."
        )
    elastic = [joint.name for joint in arm.joints if joint.elastic is not None]
    if elastic:
        raise UnsupportedError(
            f"identify: joints {listed(elastic, 4)} of arm {arm.name!r} are elastic; method='torque' is for rigid "
            "joints. Leave `elastic` out of the joints to find inertias and friction."
        )
    if arm.kinematics_only or arm.mass <= 0.0:
        raise InputError(
            f"identify: arm {arm.name!r} has no masses. They are the prior of the parameters that a log cannot show: "
            "give estimates, for example those of CAD."
        )


def refuse_log(log: Log) -> None:
    """Raise an error for a log without torques or without motion."""
    where = f"{log.source}: " if log.source else "log: "
    if log.tau is None and log.current is None:
        unused = next((f" It has {note.rstrip('.')}." for note in log.notes if note.startswith("columns not")), "")
        raise InputError(f"{where}it has no torques. Expected tau[joint] or current[joint] for each joint.{unused}")
    if log.rate < SLOWEST:
        raise InputError(
            f"{where}it has {log.rate:.3g} samples per second, too few for rates and accelerations; expected "
            f"{SLOWEST:g} or more. If its times are milliseconds, give scale={{'t': 1e-3}} to load_log."
        )
    if log.tau is not None and not np.any(log.tau):
        raise InputError(f"{where}all torques are zero; check the columns.")
    if not np.ptp(log.q, axis=0).any():
        raise InputError(f"{where}no joint moves, so nothing can be identified. Expected a motion of all joints.")


def refuse_rest(samples: Sequence[Samples]) -> None:
    """Raise an error for logs in which no joint moves by more than the noise of its encoder."""
    if not any(one.qd.any() for one in samples):
        raise InputError(
            f"identify: no joint moves by more than {100 * RESTING:g} % of its range, so nothing can be identified. "
            "Expected a motion of all joints."
        )


def refuse_names(arm: Arm, names: Sequence[str]) -> None:
    """Raise an error for columns of the user's own with names of parameters of the arm."""
    taken = {f"{joint.name}.{term}" for joint in arm.joints for term in (*EVERY, "armature")}
    taken |= {f"{link.name}.{word}" for link in arm.links for word in WORDS}
    for name in names:
        if name in taken or name.split("[")[0].split(".")[0] == "payload":
            raise InputError(
                f"identify: extra has {name!r}, which is a parameter of arm {arm.name!r} or its payload; give the "
                "column another name."
            )
