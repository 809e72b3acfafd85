"""Vibration: natural modes of beams and of assembled arms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.errors import InputError, ModelError, SolveError, shown
from lissom.model.arm import Arm
from lissom.model.beam import Beam, Tip
from lissom.model.shape_table import ShapeTable
from lissom.spatial.rotations import Array
from lissom.verbs.call import library_of
from lissom.verbs.states import as_arm, as_state

if TYPE_CHECKING:
    from lissom.flexible.modes import BeamModes

MOST_MODES = 200
RIGID = 1e-9  # of the largest eigenvalue: below, nothing pulls back


def beam_modes(beam: Beam, tip: Tip | None = None, count: int = 4, plane: str = "bending_z") -> BeamModes:
    """Natural modes of one beam, clamped at its root, with a body at its tip.

    Exact for uniform beams (no root is missed, also of heavy tips and high modes), by finite elements for
    tapered ones.

    Parameters
    ----------
    beam : Beam
    tip : Tip or None      mass, inertia and offset moment at the tip; None: free
    count : int            how many, lowest first
    plane : str            "bending_z" (deflection along y), "bending_y", "torsion" or "stretch"

    Returns
    -------
    BeamModes
        scaled so that the modal mass, the tip included, is the mass of the beam; curvature at the root positive

    Examples
    --------
    >>> import lissom as ls
    >>> forearm = ls.Beam(0.5, 0.2, EI=1.0)
    >>> modes = ls.beam_modes(forearm, ls.Tip(mass=0.1, inertia=0.0005), count=2)
    >>> modes.frequencies_hz.round(2), modes.shape(0.5).round(3)
    (array([ 2.18, 15.91]), array([ 0.883, -0.069]))
    """
    from lissom.flexible.modes import PLANES, natural_modes, section

    if not isinstance(beam, Beam):
        raise InputError(f"beam_modes: got {shown(beam)}; expected a Beam.")
    if tip is not None and not isinstance(tip, Tip):
        raise InputError(f"beam_modes: tip is {shown(tip)}; expected Tip(mass, inertia, offset_moment).")
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_MODES:
        raise InputError(f"beam_modes: count is {shown(count)}; expected a whole number from 1 to {MOST_MODES}.")
    if plane not in PLANES:
        raise InputError(f"beam_modes: plane is {shown(plane)}; expected one of {', '.join(PLANES)}.")
    if section(beam, plane)[0] is None:
        word = {"bending_z": "EI_z", "bending_y": "EI_y", "torsion": "GJ", "stretch": "EA"}[plane]
        raise InputError(f"beam_modes: the beam has no {word}; give it for {plane}.")
    try:
        return natural_modes(beam, plane, tip or Tip(), count)
    except ModelError as error:
        raise InputError(f"beam_modes: {error}") from None


@dataclass(frozen=True, eq=False)
class ArmModes:
    """Natural modes of an arm around a pose, lowest first.

    Attributes
    ----------
    arm : Arm
    q : (dof,)                    the pose
    joints : str                  "locked" or "free"
    frequencies_hz : (count,)     of what vibrates
    shapes : (dof, count)         coordinates of each mode, modal mass 1
    rigid : int                   motions that nothing pulls back
    unstable : int                motions that run away (an arm held upright by nothing)
    damping : (count,)            damping ratios, small damping assumed
    """

    arm: Arm
    q: Array
    joints: str
    frequencies_hz: Array
    shapes: Array
    rigid: int
    unstable: int
    damping: Array


def modes(arm: Arm, q: ArrayLike | None = None, joints: str = "locked", count: int | None = None) -> ArmModes:
    """Natural modes of an arm: flexible links, elastic joints and springs, assembled.

    Parameters
    ----------
    arm : Arm
    q : (dof,) or None       the pose, None: `arm.home`; one entry per joint is accepted, the links are then undeformed
    joints : "locked" or "free"
        locked: motors hold their joints; free: no torque acts, gravity and springs do
    count : int or None      how many, lowest first; None: all

    Returns
    -------
    ArmModes

    Examples
    --------
    >>> import lissom as ls
    >>> found = ls.modes(ls.load("two_link_flexible"), [0.0, 0.5], count=3)
    >>> found.frequencies_hz.round(2), found.rigid
    (array([0.44, 1.94, 2.65]), 0)
    """
    verb = "modes"
    state = as_state(as_arm(arm, verb), arm.home if q is None else q, "q", verb)
    if state.ndim != 1:
        raise InputError(f"{verb}: q has shape {state.shape}; expected one pose ({arm.dof},).")
    if joints not in ("locked", "free"):
        raise InputError(f"{verb}: joints is {shown(joints)}; expected 'locked' or 'free'.")
    if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 1):
        raise InputError(f"{verb}: count is {shown(count)}; expected a whole number of at least 1, or None.")
    free = np.ones(arm.dof, bool) if joints == "free" else ~arm.actuated
    if not free.any():
        raise InputError(
            f"{verb}: nothing of arm {arm.name!r} vibrates with its joints locked; it has no elastic parts."
        )
    return _vibration(arm, state, joints, np.flatnonzero(free), count)


def _vibration(arm: Arm, q: Array, joints: str, free: NDArray[np.intp], count: int | None) -> ArmModes:
    from scipy.linalg import eigh

    M, K, D = (A[np.ix_(free, free)] for A in _matrices(arm, q))
    try:
        values, U = eigh(K, M)
    except np.linalg.LinAlgError:
        raise SolveError(f"modes: the inertia of arm {arm.name!r} is singular at this pose.") from None
    small = RIGID * max(float(np.abs(values).max()), 1e-300)
    good = np.flatnonzero(values > small)[: len(values) if count is None else count]
    omega = np.sqrt(values[good])
    shapes = np.zeros((arm.dof, len(good)))
    shapes[free] = U[:, good]
    damping = np.einsum("ik,ij,jk->k", U[:, good], D, U[:, good]) / (2 * omega)
    rigid, unstable = int((np.abs(values) <= small).sum()), int((values < -small).sum())
    return ArmModes(arm, q, joints, omega / (2 * np.pi), shapes, rigid, unstable, damping)


def _matrices(arm: Arm, q: Array) -> tuple[Array, Array, Array]:
    """Inertia, stiffness (springs, elasticity, gravity) and damping; nothing is compiled for them."""
    from lissom.dynamics import inverse
    from lissom.dynamics.bodies import refuse_unready
    from lissom.engine.program import Inline, Plain

    refuse_unready(arm)
    known = library_of(arm)
    M = known.get("mass_matrix", backend="numpy")(q)
    run = Inline()
    bodies = known.bodies.with_stations(inverse.standing_frames(arm))
    inverse.program_at_rest(run, bodies, inverse.Setting(), rates=False)
    _, K = run.slope_at(q)
    D = np.zeros_like(K)
    still = np.zeros(arm.dof)
    for k in range(arm.dof):  # damping is linear in the rates; what is quadratic cancels between opposite ones
        columns = []
        for side in (1e-3, -1e-3):
            plain = Plain([q[None], (still + side * np.eye(arm.dof)[k])[None], still[None]])
            inverse.program(plain, bodies.smooth, inverse.Setting())
            columns.append(np.array([float(np.ravel(x)[0]) for x in plain.outputs[0]]))
        D[:, k] = (columns[0] - columns[1]) / 2e-3
    return M, (K + K.T) / 2, (D + D.T) / 2


@dataclass(frozen=True, eq=False)
class ModeConvergence:
    """Frequencies of an arm as its flexible links keep more modes.

    modes : (tries,)                  of each kind that a link bends in
    frequencies_hz : (tries, count)   NaN where there are not as many
    change : (tries - 1, count)       relative change from one to the next
    """

    modes: NDArray[np.intp]
    frequencies_hz: Array

    @property
    def change(self) -> Array:
        """(tries - 1, count) relative change from one to the next."""
        f = self.frequencies_hz
        return np.abs(f[1:] / f[:-1] - 1)


def mode_convergence(
    arm: Arm, q: ArrayLike | None = None, joints: str = "locked", count: int = 4, most: int = 6
) -> ModeConvergence:
    """How the frequencies of an arm settle as its flexible links keep 1, 2, ... modes of every kind they bend in.

    Parameters
    ----------
    arm, q, joints : as for `modes`; q one entry per joint
    count : int      frequencies to follow
    most : int       modes of each kind, at most

    Examples
    --------
    >>> import lissom as ls
    >>> told = ls.mode_convergence(ls.load("two_link_flexible"), [0.0, 0.5], count=2, most=3)
    >>> told.frequencies_hz.shape, bool(told.change[-1].max() < 1e-3)
    ((3, 2), True)
    """
    verb = "mode_convergence"
    state = as_state(as_arm(arm, verb), arm.home if q is None else q, "q", verb)
    if not any(link.beam is not None and link.beam.modes.count for link in arm.links):
        raise InputError(f"{verb}: arm {arm.name!r} has no beams that bend.")
    if isinstance(most, bool) or not isinstance(most, int) or not 1 <= most <= 12:
        raise InputError(f"{verb}: most is {shown(most)}; expected a whole number from 1 to 12.")
    rows = []
    for n in range(1, most + 1):
        found = modes(_with_modes(arm, n), state[arm.joint_index], joints, count).frequencies_hz
        rows.append(np.append(found, np.full(count - len(found), np.nan)))
    return ModeConvergence(np.arange(1, most + 1), np.array(rows))


def _with_modes(arm: Arm, n: int) -> Arm:
    """The arm with n modes of every kind that its beams bend in."""
    links = []
    for link in arm.links:
        if link.beam is not None and link.beam.modes.count:
            kinds = ("bending_z", "bending_y", "torsion", "stretch")
            kept = {word: n for word in kinds if getattr(link.beam.modes, word)}
            if isinstance(link.beam.shapes, ShapeTable):  # no more than the table has
                kept = {word: min(n, link.beam.shapes.count(word)) for word in kept}
            spec = link.beam.modes.replace(**(dict.fromkeys(kinds, 0) | kept))
            link = link.replace(beam=link.beam.replace(modes=spec, damping=0.0))
        links.append(link)
    return arm.replace(links=links)
