"""Contact forces along a motion: as data, at any times, and as users meet them.

The forces of samples are interpolated inside each phase, and changed by as little as it takes that coordinates without
a motor need none, each in proportion to its force: the splines move the base between samples too, and only the contacts
can do that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lissom.kernels.loads import Applied
from lissom.kernels.tree_call import tree_call
from lissom.kernels.verbs import INVERSE_DYNAMICS
from lissom.later import cached_property
from lissom.model.arm import Arm
from lissom.model.contact import Contact
from lissom.model.loads import Load
from lissom.spatial.rotations import Array
from lissom.verbs.kinematics import jacobian, pose

LEAST = 1e-3  # of the largest force: a contact without one changes as if it had this
WEAK = 1e-7  # of the largest singular value: directions in which contacts do not move the base
States = tuple[Array, Array, Array]
UP = 0.5  # part of a normal against gravity, from which a contact carries weight


class ContactPath(NamedTuple):
    """Contact forces of a motion.

    contacts : names                  of all that count
    phases : names
    ends : (phases + 1,)              fractions of the duration at which phases begin, and the last ends
    active : (phases, contacts)       1 where a contact holds
    s : (k,)                          fractions of the samples
    forces : (k, contacts, 3)         forces there, world axes [N]
    """

    contacts: tuple[str, ...]
    phases: tuple[str, ...]
    ends: Array
    active: Array
    s: Array
    forces: Array

    def phase_at(self, s: Array) -> Array:
        """Return the numbers of the phases (N,) at fractions; where one ends, the next."""
        found = np.searchsorted(self.ends, s, side="right") - 1
        return np.clip(found, 0, len(self.phases) - 1)

    def interpolated(self, s: Array) -> Array:
        """Return forces (N, contacts, 3) on straight lines through the samples of each phase."""
        out = np.zeros((len(s), len(self.contacts), 3))
        of_samples, phase = self.phase_at(self.s), self.phase_at(s)
        for p in range(len(self.phases)):
            here, known = np.flatnonzero(phase == p), np.flatnonzero(of_samples == p)
            if len(here) and len(known):
                out[here] = _lines(self.s[known], self.forces[known], s[here])
        return out


def _lines(x: Array, y: Array, at: Array) -> Array:
    """Values at `at` of the straight lines through points (k,), (k, ...), the outer ones extended."""
    if len(x) == 1:
        return np.repeat(y, len(at), axis=0)
    k = np.clip(np.searchsorted(x, at) - 1, 0, len(x) - 2)
    part = ((at - x[k]) / (x[k + 1] - x[k])).reshape(-1, *[1] * (y.ndim - 1))
    return np.asarray(y[k] + part * (y[k + 1] - y[k]))


def contact_loads(contacts: list[Contact], forces: Array) -> list[Load]:
    """Return forces (N, contacts, 3) as loads."""
    return [Load(one.link, force=np.ascontiguousarray(forces[:, i]), point=one.point) for i, one in enumerate(contacts)]


def contacts_named(arm: Arm, names: tuple[str, ...]) -> list[Contact]:
    """Return the contacts of an arm by their names."""
    known = {contact.name: contact for contact in arm.contacts}
    return [known[word] for word in names]


def balanced(arm: Arm, path: ContactPath, s: Array, state: States, loads: Sequence[Any]) -> Array:
    """Return contact forces (N, contacts, 3) at fractions s with which the base moves as states q, qd, qdd say."""
    contacts = contacts_named(arm, path.contacts)
    forces, free = path.interpolated(s), np.flatnonzero(~arm.actuated)
    if not len(free) or not contacts:
        return forces
    tau = tree_call(arm, INVERSE_DYNAMICS.name, state, Applied([*loads, *contact_loads(contacts, forces)]))
    left = np.asarray(tau)[:, free]
    J = np.stack([jacobian(arm, state[0], one.link, one.point)[:, :3][:, :, free] for one in contacts], axis=1)
    part = path.active[path.phase_at(s)] * (
        np.linalg.norm(forces, axis=2) + LEAST * np.linalg.norm(forces, axis=2).max()
    )
    columns = (J * part[:, :, None, None]).reshape(len(s), -1, len(free)).swapaxes(1, 2)
    change = (np.linalg.pinv(columns, rcond=WEAK) @ left[:, :, None]).reshape(forces.shape)
    return np.asarray(forces + part[:, :, None] * change)


@dataclass(frozen=True, eq=False)
class PhaseTimes:
    """A phase of a motion: its name, when it begins and ends [s], and the contacts that hold."""

    name: str
    begin: float
    end: float
    contacts: tuple[str, ...]


class MotionContacts:
    """Contacts along a motion.

    Attributes
    ----------
    names : tuple of str                 contacts
    t : (nt,)                            times, those of the motion [s]
    forces : (nt, contacts, 3)           forces that act on the arm, world axes [N]
    points : (nt, contacts, 3)           where the contacts are, world axes [m]
    centre_of_pressure : (nt, 3)         of the contacts that carry weight; NaN where none does [m]
    phases : tuple of PhaseTimes
    """

    def __init__(
        self, arm: Arm, path: ContactPath, t: Array, duration: float, states: Callable[[Array], Sequence[Array]],
        loads: Callable[[Array], Sequence[Any]],
    ) -> None:  # fmt: skip
        """states, loads : of the motion at any times (N,)."""
        self._arm, self._path, self._duration, self._states, self._loads = arm, path, duration, states, loads
        self.names, self.t = path.contacts, t
        ends = path.ends * duration
        self.phases = tuple(
            PhaseTimes(name, float(ends[p]), float(ends[p + 1]),
                       tuple(word for word, on in zip(path.contacts, path.active[p], strict=True) if on))
            for p, name in enumerate(path.phases)
        )  # fmt: skip

    def forces_at(self, t: Array) -> Array:
        """Return the forces (N, contacts, 3) at any times (N,)."""
        t = np.asarray(t, float)
        q, qd, qdd = self._states(t)
        return balanced(self._arm, self._path, t / self._duration, (q, qd, qdd), self._loads(t))

    def points_at(self, t: Array) -> Array:
        """Return where the contacts are (N, contacts, 3) at any times (N,)."""
        q = self._states(np.asarray(t, float))[0]
        some = contacts_named(self._arm, self.names)
        out = np.zeros((len(q), len(some), 3))
        for i, one in enumerate(some):
            out[:, i] = pose(self._arm, q, one.link, one.point)[:, :3, 3]
        return out

    @cached_property
    def forces(self) -> Array:
        """(nt, contacts, 3) forces [N]."""
        return self.forces_at(self.t)

    @cached_property
    def points(self) -> Array:
        """(nt, contacts, 3) places [m]."""
        return self.points_at(self.t)

    @cached_property
    def centre_of_pressure(self) -> Array:
        """(nt, 3) centre of the normal forces that carry weight [m]."""
        arm = self._arm
        g = float(np.linalg.norm(arm.gravity))
        some = contacts_named(arm, self.names)
        up = -arm.gravity / g if g else np.zeros(3)
        normals = np.reshape([one.normal for one in some], (-1, 3))
        carries, normal = normals @ up > UP, np.einsum("nix,ix->ni", self.forces, normals)
        normal = np.maximum(np.where(carries if carries.any() else True, normal, 0.0), 0.0)
        whole = normal.sum(axis=1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.einsum("ni,nix->nx", normal, self.points) / np.where(whole > 0, whole, np.nan))

    def __repr__(self) -> str:
        return f"<MotionContacts: {', '.join(self.names)}; phases {', '.join(phase.name for phase in self.phases)}>"
