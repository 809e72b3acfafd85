"""Vibration: natural modes of beams and of assembled arms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Never

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.errors import InputError, ModelError, shown
from lissom.flexible.beam_modes import BeamModes as BeamModes  # the record of `beam_modes`, for those who use it
from lissom.kernels.arguments import as_arm, as_state
from lissom.keywords import check_keywords, without_unknown
from lissom.listing import Listing
from lissom.markup import tag
from lissom.model.arm import Arm
from lissom.model.beam import PLANES, STIFFNESS, Beam, Modes, Tip
from lissom.spatial.rotations import Array
from lissom.verbs.bending_range import refuse_large_deflections, warn_if_large
from lissom.verbs.small_motions import motions

MOST_MODES = 200
MOST_KEPT = 12  # modes of each kind in a convergence report
NAMED = 0.15  # share of a mode's energy from which a coordinate is named
RIGID = 1e-9  # of the largest eigenvalue: below, nothing pulls back


def beam_modes(beam: Beam, tip: Tip | None = None, count: int = 4, plane: str = "bending_z") -> BeamModes:
    """Natural modes of one beam, clamped at its root, with a body at its tip.

    Exact for uniform beams (no mode is missed, even with heavy tips and for high modes), by finite elements for
    tapered ones. The beam's `gyration` affects torsion only: bending is that of a slender beam, without rotary inertia;
    `modes` of an arm includes it.

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
    from lissom.flexible.modes import natural_modes

    if not isinstance(beam, Beam):
        raise InputError(f"beam_modes: got {shown(beam)}; expected a Beam.")
    if tip is not None and not isinstance(tip, Tip):
        raise InputError(f"beam_modes: tip is {shown(tip)}; expected Tip(mass, inertia, offset_moment).")
    _refuse_count(count, "count", "beam_modes", MOST_MODES)
    _refuse_plane(plane, "beam_modes")
    if beam.stiffness(plane) is None:
        raise InputError(f"beam_modes: the beam has no {STIFFNESS[plane]}; give it for {plane}.")
    try:
        return natural_modes(beam, plane, tip or Tip(), count)
    except ModelError as error:
        raise InputError(f"beam_modes: {error}") from None


def beam_tip(arm: Arm, link: str, plane: str = "bending_z") -> Tip:
    """Tip inertia that the shapes of a flexible link assume: payload and all links beyond, at home.

    Parameters
    ----------
    arm : Arm
    link : str           a link with a beam
    plane : str          as for `beam_modes`

    Returns
    -------
    Tip
        joints beyond are locked; the offset is averaged over the turn of the next joint

    Examples
    --------
    >>> import lissom as ls
    >>> arm = ls.load("two_link_flexible")
    >>> tip = ls.beam_tip(arm, "link2")
    >>> ls.beam_modes(arm.link("link2").beam, tip, count=2).frequencies_hz.round(2)
    array([ 2.18, 15.91])
    """
    from lissom.flexible.tips import hanging, tips

    verb = "beam_tip"
    _refuse_plane(plane, verb)
    try:
        i = as_arm(arm, verb).index(link)
    except ModelError as error:
        raise InputError(f"{verb}: {error}") from None
    if arm.links[i].beam is None:
        have = ", ".join(repr(x.name) for x in arm.links if x.beam is not None)
        raise InputError(f"{verb}: link {link!r} has no beam; {f'those with one: {have}' if have else 'no link has'}.")
    along_y, along_z = tips(hanging(arm)[i])
    return along_z if plane == "bending_y" else along_y


def _refuse_plane(plane: Any, verb: str) -> None:
    if plane not in PLANES:
        raise InputError(f"{verb}: plane is {shown(plane)}; expected one of {', '.join(PLANES)}.")


def _refuse_count(value: Any, word: str, verb: str, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise InputError(f"{verb}: {word} is {shown(value)}; expected a whole number from 1 to {most}.")


@dataclass(frozen=True, eq=False)
class ArmModes:
    """Natural modes of an arm around a pose, lowest first.

    Attributes
    ----------
    arm : Arm
    q : (dof,)                    the pose
    joints : str                  "locked" or "free"
    frequencies_hz : (count,)     natural frequencies, without damping
    shapes : (dof, count)         coordinates of each mode, modal mass 1
    rigid : int                   number of motions without restoring force
    unstable : int                number of unstable motions (an inverted pendulum, for example)
    damping : (count,)            damping ratios, damping forces between modes neglected; from 1 on a mode is overdamped
    shares : (dof, count)         each coordinate's part of a mode's potential energy by size, together 1 (gravity can
                                  make parts negative where joints are free)
    """

    arm: Arm
    q: Array
    joints: str
    frequencies_hz: Array
    shapes: Array
    rigid: int
    unstable: int
    damping: Array
    shares: Array

    @property
    def time_constants(self) -> Array:
        """(count, 2) slow and fast time constant [s] of modes that are overdamped; NaN of those that vibrate."""
        ratio = np.where(self.damping >= 1, self.damping, np.nan)
        omega, slow = 2 * np.pi * self.frequencies_hz, ratio + np.sqrt(ratio**2 - 1)
        return np.stack([slow / omega, 1 / (slow * omega)], axis=-1)

    def listing(self) -> Listing:
        """Table of frequencies, damping, and the coordinates that hold a mode's energy."""
        rows = [[str(k + 1), *self._motion(k), self._mostly(k)] for k in range(len(self.frequencies_hz))]
        return Listing.of(("mode", "frequency Hz", "period s", "damping", "energy in"), rows)

    def _motion(self, k: int) -> tuple[str, str, str]:
        """Frequency, period and damping of mode k; an overdamped one creeps back, and has time constants instead."""
        if self.damping[k] >= 1:
            slow, fast = self.time_constants[k]
            return "-", "-", f"overdamped, time constants about {slow:.3g} s and {fast:.2g} s"
        f = self.frequencies_hz[k]
        return f"{f:.5g}", f"{1 / f:.4g}", f"{100 * self.damping[k]:.3g} %"

    def _repr_html_(self) -> str:
        return tag("p", tag("b", _head(self.arm, self.joints, self.q))) + self.listing().html()

    def describe(self) -> str:
        """Return a table as text: frequencies, damping, and the coordinates that hold a mode's energy."""
        lines = [_head(self.arm, self.joints, self.q), ""]
        if len(self.frequencies_hz):
            lines += self.listing().lines()
        else:
            lines.append("no vibration modes")
        if self.rigid:
            lines.append(f"{_motions(self.rigid)} without restoring force (frequency zero)")
        if self.unstable:
            lines.append(f"{_motions(self.unstable, 'unstable ')}")
        return "\n".join(lines)

    def _mostly(self, k: int) -> str:
        """The coordinates with most of a mode's energy."""
        share = self.shares[:, k]
        most = [c for c in np.argsort(-share)[:3] if share[c] >= NAMED] or [int(np.argmax(share))]
        return ", ".join(f"{self.arm.coordinates[c]} {100 * share[c]:.0f} %" for c in most)

    def __str__(self) -> str:
        return self.describe()


def _head(arm: Arm, joints: str, q: Array) -> str:
    """The heading of a table of modes: arm, locked or free joints, and pose."""
    pose = ", ".join(f"{x:.4g}" for x in q[arm.joint_index])
    deflected = ", links deflected" if q[arm.mode_index].any() else ""
    return f"{arm.name}: modes with its joints {joints}, at ({pose}){deflected}"


def _motions(n: int, which: str = "") -> str:
    """The number of motions, such as ``2 unstable motions``."""
    return f"1 {which}motion" if n == 1 else f"{n} {which}motions"


@without_unknown
def modes(
    arm: Arm, q: ArrayLike | None = None, joints: str = "locked", count: int | None = None, **unknown: Never
) -> ArmModes:
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
    check_keywords(modes, unknown)
    verb = "modes"
    state = as_state(as_arm(arm, verb), arm.home if q is None else q, "q", verb)
    if state.ndim != 1:
        raise InputError(f"{verb}: q has shape {state.shape}; expected one pose ({arm.dof},).")
    refuse_large_deflections(arm, state, verb)
    warn_if_large(arm, state, verb)
    if joints not in ("locked", "free"):
        raise InputError(f"{verb}: joints is {shown(joints)}; expected 'locked' or 'free'.")
    if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 1):
        raise InputError(f"{verb}: count is {shown(count)}; expected a whole number of at least 1, or None.")
    free = np.ones(arm.dof, bool) if joints == "free" else ~arm.actuated
    if not free.any():
        raise InputError(
            f"{verb}: arm {arm.name!r} has no vibration modes with its joints locked: it has no elastic parts. "
            "Give links beams (at the terminal: --flexible SIDE.toml) or joints a JointElasticity(...), or use "
            "joints='free' (--joints free)."
        )
    return _vibration(arm, state, joints, np.flatnonzero(free), count)


def _vibration(arm: Arm, q: Array, joints: str, free: NDArray[np.intp], count: int | None) -> ArmModes:
    values, every, decay, K = motions(arm, q, free)
    small = RIGID * max(float(np.abs(values).max()), 1e-300)
    good = np.flatnonzero(values > small)[: len(values) if count is None else count]
    omega, shapes = np.sqrt(values[good]), every[:, good]
    parts = np.abs(shapes * (K @ shapes))
    shares = parts / parts.sum(axis=0)
    rigid, unstable = int((np.abs(values) <= small).sum()), int((values < -small).sum())
    return ArmModes(arm, q, joints, omega / (2 * np.pi), shapes, rigid, unstable, decay[good] / omega, shares)


@dataclass(frozen=True, eq=False)
class ModeConvergence:
    """Frequencies of an arm as its flexible links keep more modes.

    arm, q, joints                    as in `ArmModes`; q has one entry per joint
    modes : (tries,)                  number of modes of each kind per link
    frequencies_hz : (tries, count)   NaN where there are not as many
    change : (tries - 1, count)       relative change from one row to the next
    """

    arm: Arm
    q: Array
    joints: str
    modes: NDArray[np.intp]
    frequencies_hz: Array

    @property
    def change(self) -> Array:
        """(tries - 1, count) relative change from one row to the next."""
        f = self.frequencies_hz
        return np.abs(f[1:] / f[:-1] - 1)

    def describe(self) -> str:
        """Return a table as text: frequencies over the number of modes, and the last change."""
        count = self.frequencies_hz.shape[1]
        heads, rows = ["modes kept", *(f"f{k + 1} Hz" for k in range(count))], []
        for n, row in zip(self.modes, self.frequencies_hz, strict=True):
            rows.append([str(n), *("-" if np.isnan(f) else f"{f:.6g}" for f in row)])
        if len(self.change):
            rows.append(["last change", *("-" if np.isnan(x) else f"{100 * x:.2g} %" for x in self.change[-1])])
        head = _head(self.arm, self.joints, self.arm.expanded(self.q))
        return "\n".join(
            [f"{head},\nwith 1, 2, ... modes of each kind per beam", "", *Listing.of(heads, rows).telling().lines()]
        )

    def __str__(self) -> str:
        return self.describe()


def mode_convergence(
    arm: Arm, q: ArrayLike | None = None, joints: str = "locked", count: int = 4, most: int = 6
) -> ModeConvergence:
    """Convergence of an arm's frequencies as its flexible links keep 1, 2, ... modes of each kind.

    A beam with tabulated shapes keeps as many as its table has, and a link given by integrals those it has; the
    report ends where no link has more to add.

    Parameters
    ----------
    arm, q, joints : as for `modes`; q one entry per joint
    count : int      frequencies to follow
    most : int       modes of each kind, at most

    Examples
    --------
    >>> import lissom as ls
    >>> found = ls.mode_convergence(ls.load("two_link_flexible"), [0.0, 0.5], count=2, most=3)
    >>> found.frequencies_hz.shape, bool(found.change[-1].max() < 1e-3)
    ((3, 2), True)
    """
    verb = "mode_convergence"
    state = as_state(as_arm(arm, verb), arm.home if q is None else q, "q", verb)
    if state.ndim != 1:
        raise InputError(f"{verb}: q is a batch of shape {state.shape[:-1]}; expected one pose.")
    if not any(link.beam is not None and link.beam.modes.count for link in arm.links):
        raise InputError(f"{verb}: arm {arm.name!r} has no flexible beams.")
    _refuse_count(count, "count", verb, MOST_MODES)
    _refuse_count(most, "most", verb, MOST_KEPT)
    if state[arm.mode_index].any():
        raise InputError(f"{verb}: q bends links; amplitudes change with the modes kept. Give one entry per joint.")
    pose, rows, before = state[arm.joint_index], [], None
    for n in range(1, most + 1):
        now = _with_modes(arm, n)
        if now == before:
            break  # tables of shapes have no more
        found = modes(now, pose, joints, count).frequencies_hz
        rows.append(np.append(found, np.full(count - len(found), np.nan)))
        before = now
    return ModeConvergence(arm, pose, joints, np.arange(1, len(rows) + 1), np.array(rows))


def _with_modes(arm: Arm, n: int) -> Arm:
    """The arm with n modes of every kind that its beams bend in."""
    links = []
    for link in arm.links:
        if link.beam is not None and link.beam.modes.count:
            beam = link.beam
            kept = {word: int(min(n, beam.most(word))) if getattr(beam.modes, word) else 0 for word in PLANES}
            link = link.replace(beam=beam.replace(modes=Modes(**kept), damping=0.0))
        links.append(link)
    return arm.replace(links=links)
