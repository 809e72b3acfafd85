"""Records that verbs with several results return."""

from __future__ import annotations

from typing import NamedTuple

from lissom.spatial.rotations import Array


class InverseGradient(NamedTuple):
    """Derivatives of `inverse_dynamics`; rows are torques, columns coordinates."""

    q: Array
    qd: Array
    qdd: Array


class ForwardGradient(NamedTuple):
    """Derivatives of `forward_dynamics`; rows are accelerations, columns coordinates."""

    q: Array
    qd: Array
    tau: Array


class TorqueProduct(NamedTuple):
    """Gradient of a weighted sum of torques."""

    q: Array
    qd: Array
    qdd: Array


class TorqueHessian(NamedTuple):
    """Second derivatives of a weighted sum of torques; rows belong to the first name, columns to the second."""

    q_q: Array
    q_qd: Array
    q_qdd: Array
    qd_qd: Array
