"""Residual vibration of an arm after a motion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.control.equilibrium import equilibrium
from lissom.errors import InputError, SolveError
from lissom.kernels.arguments import as_arm, as_state
from lissom.kernels.call import call_few
from lissom.kernels.verbs import MASS_MATRIX
from lissom.model.arm import Arm
from lissom.model.loads import Load
from lissom.spatial.inertia import Inertia, principal_moments
from lissom.spatial.rotations import Array
from lissom.verbs.kinematics import jacobian
from lissom.verbs.small_motions import motions

DRIFT = 10.0  # s, in which what nothing pulls back counts
NUDGE = 1e-6  # relative: critically damped modes are taken a little apart


def residual_vibration(
    arm: Arm, q: ArrayLike, qd: ArrayLike, loads: Sequence[Load] = (), frame: str | None = None
) -> float:
    """Residual tip vibration of an arm after a state, with its actuated joints locked, in metres.

    With the joints locked, the unactuated coordinates (modal amplitudes, springs of elastic joints, passive joints) are
    decomposed into natural modes about their equilibrium. The result is the sum of the tip amplitudes of all modes, the
    largest distance that the tip can reach from its equilibrium without damping. Deflections are assumed small: for
    strong vibration the result is an estimate. Modes without or with hardly any stiffness drift and count by their
    displacement in ten seconds.

    An arm may have several tips, and a tip may rotate without moving. The result is the largest of: displacements of
    tips of flexible links, of tools, and of centres of mass of last links; rotations of last links and of payloads on
    flexible tips, times their radius of gyration; and the mass-weighted root mean square displacement of all vibrating
    parts. (Rotating bodies without mass count at a distance of 1 m.)

    Parameters
    ----------
    arm : Arm
    q, qd : (dof,)            the state; rates of actuated joints are ignored, since they are locked
    loads : sequence of Load  that act from then on
    frame : str or None       the link or tool whose origin alone counts; None: all of the above

    Returns
    -------
    float
        [m]; zero without vibration, infinite if there is no stable equilibrium

    Examples
    --------
    >>> import lissom as ls
    >>> from lissom.motion.result.verification.residual import residual_vibration
    >>> arm = ls.load("two_link_flexible")
    >>> residual_vibration(arm, [0.3, 0, 0, 0.5, 0, 0], [1.0, 0, 0, 1.0, 0, 0])
    0.0
    >>> round(residual_vibration(arm, [0.3, 0.01, 0, 0.5, 0, 0], [0, 0, 0, 0, 0, 0]), 5)
    0.0053
    """
    verb = "residual_vibration"
    q, qd = as_state(as_arm(arm, verb), q, "q", verb), as_state(arm, qd, "qd", verb)
    if q.ndim != 1 or qd.ndim != 1:
        raise InputError(f"{verb}: q has shape {q.shape}; expected one state ({arm.dof},).")
    found = vibration(arm, q, qd, loads, frame)
    return np.inf if found is None else found.reach


class Vibration(NamedTuple):
    """Modes of an arm with its joints locked, and how a state excites them.

    values : (k,)                 squared rates [rad^2/s^2]: zero where nothing pulls back, negative where it runs away
    decay : (k,)                  of amplitudes [1/s]
    seen : tuple of (d, k)        how a unit of each moves what is looked at [m]
    x, v : (k,)                   amplitudes and rates to begin with
    """

    values: Array
    decay: Array
    seen: tuple[Array, ...]
    x: Array
    v: Array

    @property
    def reaches(self) -> Array:
        """How far each thing that is looked at can get from its rest [m]."""
        omega = np.maximum(np.sqrt(np.abs(self.values)), 1 / DRIFT)
        amplitudes = np.hypot(self.x, self.v / omega)
        return np.array([np.linalg.norm(one, axis=0) @ amplitudes for one in self.seen])

    @property
    def reach(self) -> float:
        """How far the tip can get from its rest [m]."""
        return float(self.reaches.max(initial=0.0))

    def distances(self, t: Array) -> Array:
        """(nt,) from rest of what gets farthest, at times (nt,) from then on [m]."""
        if not self.seen:
            return np.zeros(len(t))
        # x'' + 2 d x' + w^2 x = 0 by its two roots -d +- r, whether damping is small or large
        root = np.sqrt((self.decay**2 - self.values).astype(complex))
        least = NUDGE * (np.sqrt(np.abs(self.values)) + 1 / DRIFT)
        root = np.where(np.abs(root) < least, least, root)
        turned = (self.v + self.decay * self.x) / root
        forth, back = (np.exp(np.outer(t, sign * root - self.decay)) * (self.x + sign * turned) / 2 for sign in (1, -1))
        amounts = (forth + back).real
        return np.asarray(np.linalg.norm(amounts @ self.seen[int(np.argmax(self.reaches))].T, axis=1))


def vibration(arm: Arm, q: Array, qd: Array, loads: Sequence[Load], frame: str | None = None) -> Vibration | None:
    """Return the vibration that a state (dof,) leaves with the joints locked; None without a stable equilibrium."""
    try:
        rest = equilibrium(arm, q, loads).q if not arm.actuated.all() else q
    except SolveError:
        return None
    return apart(arm, rest, q - rest, qd, frame)


def apart(arm: Arm, at: Array, dq: Array, dqd: Array, frame: str | None = None) -> Vibration:
    """Decompose the difference of a state from a pose into the natural modes about that pose, joints locked."""
    free = np.flatnonzero(~arm.actuated)
    nothing = np.zeros(0)
    if not len(free):
        return Vibration(nothing, nothing, (), nothing, nothing)
    found = motions(arm, at, free)
    M = call_few(arm, MASS_MATRIX, (at,))[np.ix_(free, free)]
    U = found.shapes[free]
    seen = _seen(arm, at, free, U) if frame is None else (jacobian(arm, at, frame)[:3][:, free] @ U,)
    return Vibration(found.values, found.decay, seen, U.T @ M @ dq[free], U.T @ M @ dqd[free])


class _End(NamedTuple):
    """A point that is looked at: its frame, where it is there, and how far off it turning counts [m]."""

    frame: str
    point: Array
    arm: float


def _seen(arm: Arm, at: Array, free: NDArray[np.intp], U: Array) -> tuple[Array, ...]:
    """Return how modes (free coordinates, k) move the ends, and the whole arm by its mean."""
    moved = _moved_links(arm)
    out = []
    for end in _ends(arm, moved):
        J = jacobian(arm, at, end.frame, *([end.point] if end.point.any() else []))[:, free] @ U
        out += [J[:3], end.arm * J[3:]] if end.arm else [J[:3]]
    mass = sum(arm.links[i].body.mass for i in moved) or 1.0
    return (*out, np.eye(U.shape[1]) / np.sqrt(mass))  # of modal mass 1, the mean square is that over the mass


def _moved_links(arm: Arm) -> list[int]:
    """Links that move with some coordinate that has no motor."""
    out: list[int] = []
    for i, link in enumerate(arm.links):
        own = arm.actuated[arm.coordinate_start[i] :][: link.coordinate_count]
        if not own.all() or int(arm.parent_index[i]) in out:
            out.append(i)
    return out


def _ends(arm: Arm, moved: list[int]) -> list[_End]:
    """Return the ends of links that move: flexible tips, tools, and rigid links that carry no other."""
    out, parents = [], set(arm.parent_index.tolist())
    for i in moved:
        link = arm.links[i]
        if link.flexible:
            carried = 0.0 if link.payload is None else _gyration(link.payload.body)
            out.append(_End(f"{link.name}.tip", np.zeros(3), carried))
        elif i not in parents:
            out.append(_End(link.name, link.body.com, _gyration(link.body)))
        out += [_End(tool.name, np.zeros(3), 0.0) for tool in link.tools]
    return out


def _gyration(body: Inertia) -> float:
    """The largest radius of gyration [m]; 1 where something turns that has no mass."""
    largest = float(principal_moments(body.moment)[-1])
    if body.mass > 0:
        return float(np.sqrt(max(largest, 0.0) / body.mass))
    return 1.0 if largest > 0 else 0.0
