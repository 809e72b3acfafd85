"""Where the search for a motion with contacts begins."""

from __future__ import annotations

import numpy as np

from lissom.motion.phased.holding import Holding, anchor_places
from lissom.motion.phased.layout import Layout
from lissom.motion.phased.units import units_of
from lissom.motion.result.contact_path import ContactPath
from lissom.motion.solve.guess import Guess
from lissom.motion.task.bounds import Bounds
from lissom.motion.task.loads import loads_over
from lissom.motion.task.task import Task
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics

PHASE = 0.25  # s, of a phase whose duration is free
COARSE = 6  # points of a random change
SMALL = 0.1  # of it, of coordinates that shift
TOUCH = 0.01  # weights, of contacts that carry nothing in the guess
STILL = 1e-9


def expected_durations(task: Task) -> Array:
    """(phases,) durations to begin with [s]."""
    out = np.zeros(len(task.phases))
    for p, phase in enumerate(task.phases):
        low, high = phase.bounds
        out[p] = PHASE if phase.duration is None else np.sqrt(low * high)
    whole = task.duration if isinstance(task.duration, float) else None
    for one in task.travel:
        if one.speed and isinstance(one.distance, float):
            whole = one.distance / one.speed
    given = np.array([isinstance(phase.duration, float) for phase in task.phases])
    if whole is not None and not given.all() and whole > out[given].sum():
        out[~given] *= (whole - out[given].sum()) / out[~given].sum()
    return out


class PhasedGuess:
    """Positions along a motion to begin with; of an earlier motion with the same phases, their durations and the forces
    of its contacts too.

    Attributes
    ----------
    durations : (phases,)        [s]
    units : Units                of the program that begins here
    t, q : (k,), (k, n)          fractions of the motion, and positions there
    beginnings : (phases, n)     positions where phases begin
    shifts : list of int         coordinates along which the whole motion may be moved, so that it begins where it does
    """

    def __init__(
        self, layout: Layout, typical: Array, start: Array, goal: Array, given: Guess | None, bounds: Bounds
    ) -> None:
        self._layout, self._earlier = layout, _same_phases(layout, given)
        self.durations = typical
        if given is not None and given.duration is not None and self._earlier is not None:
            shortest, longest = np.array([phase.bounds for phase in layout.task.phases]).T
            self.durations = np.clip(np.diff(self._earlier.ends) * given.duration, shortest, longest)
        self.ends = np.cumsum([0.0, *self.durations]) / self.durations.sum()
        if given is not None:
            self.q = given.q
        elif layout.task.periodic:
            self.q = self._standing()
        else:
            home = layout.arm.ready
            self.q = np.stack([np.where(np.isnan(q), home, q) for q in (start, goal)])
        self.t = np.linspace(0.0, 1.0, len(self.q))
        if self._earlier is not None:  # phases begin where those of the earlier motion do
            self.t = np.interp(self.t, self._earlier.ends, self.ends)
        self.beginnings = self.at(self.ends[:-1])
        self.shifts = self._shifts() if layout.task.periodic else []
        self.units = units_of(layout.arm, bounds, self.required())

    def _standing(self) -> Array:
        """The pose of the arm that is shown by default, moved along its travels."""
        layout = self._layout
        q = np.stack([layout.arm.ready, layout.arm.ready])
        for one in layout.task.travel:
            q[1, layout.arm.coordinates.index(one.coordinate)] += self._distance(one)
        return q

    def _distance(self, one: object) -> float:
        distance, speed = getattr(one, "distance", None), getattr(one, "speed", None)
        if isinstance(distance, float):
            return distance
        if speed is not None:
            return float(speed * self.durations.sum())
        return 0.0 if distance is None else float(np.mean(distance))

    def _shifts(self) -> list[int]:
        """Coordinates of the base that move all contacts along their planes and leave their forces as they are."""
        layout, arm = self._layout, self._layout.arm
        at = layout.kinematics.at(self.q[:1])
        out = []
        for link in arm.links:
            if link.joint.moves and (link.joint.actuated or link.joint.angular or not link.joint.independent):
                break
            if not link.joint.moves:
                continue
            k = arm.coordinates.index(link.joint.name)
            moved = [
                float(at.slopes(i)[0, int(np.flatnonzero(chain == k)[0])] @ layout.planes[i].directions[0])
                for i, chain in enumerate(layout.kinematics.chains)
                if k in chain
            ]
            mirrored = layout.task.mirror is not None and self._sign(link.joint.name) < 0
            if not mirrored and np.abs(moved).max(initial=0.0) < STILL:
                out.append(k)
        return out

    def _sign(self, word: str) -> float:
        mirror = self._layout.task.mirror
        mirror = self._layout.arm.mirror if mirror is True else mirror
        return float(mirror.sign(word)) if mirror is not None else 1.0

    def at(self, t: Array) -> Array:
        """(N, n) positions at fractions of the motion."""
        return np.stack([np.interp(t, self.t, column) for column in self.q.T], axis=1)

    def required(self) -> Array:
        """Generalised forces (N, n) without contacts, at rest along the guess."""
        t = np.linspace(0.0, 1.0, 5)
        q = self.at(t)
        loads = loads_over(self._layout.task.loads, t)
        return np.asarray(inverse_dynamics(self._layout.arm, q, 0 * q, 0 * q, loads=loads))

    def variables(self, holding: Holding, noise: float = 0.0, seed: int = 0) -> Array:
        """Variables of the program; `noise` [rad]: of a random change of all coordinates, and of free durations."""
        layout, x = self._layout, np.zeros(self._layout.size)
        rng = np.random.default_rng(seed)
        whole = self._random(rng, noise)
        x[layout.durations] = self.durations
        if noise:
            x[layout.durations] *= np.exp(rng.normal(scale=noise, size=len(self.durations)))
        for place, one in zip(layout.travels, layout.task.travel, strict=True):
            x[place] = self._distance(one)
        for p, mesh in enumerate(layout.phases):
            s = self.ends[p] + mesh.basis.greville * (self.ends[p + 1] - self.ends[p])
            x[layout.points[p]] = self.at(s) + np.stack(
                [np.interp(s, np.linspace(0, 1, COARSE), column) for column in whole.T], axis=1
            )
            self._share(x, p)
            self._keep_forces(x, p)
        self._anchor(holding, x)
        return x

    def _random(self, rng: np.random.Generator, noise: float) -> Array:
        arm = self._layout.arm
        out = rng.normal(scale=noise, size=(COARSE, arm.dof)) if noise else np.zeros((COARSE, arm.dof))
        angular = np.zeros(arm.dof, bool)
        angular[arm.joint_index] = [joint.angular for joint in arm.joints]
        return out * np.where(angular, 1.0, SMALL)

    def _share(self, x: Array, p: int) -> None:
        """Contacts that face up share the weight of an arm on a free base."""
        layout = self._layout
        up = -layout.arm.gravity / max(float(np.linalg.norm(layout.arm.gravity)), 1e-300)
        carrying = [i for i in layout.forces[p] if layout.planes[i].directions[0] @ up > 0.5]
        for i, places in layout.forces[p].items():
            free = not layout.arm.actuated.all()
            x[places[:, 0]] = 1 / len(carrying) if i in carrying and free else TOUCH

    def _keep_forces(self, x: Array, p: int) -> None:
        """Contacts that held in the same phase of the earlier motion carry what they carried there."""
        path, layout = self._earlier, self._layout
        if path is None:
            return
        s = path.ends[p] + layout.phases[p].s * (path.ends[p + 1] - path.ends[p])
        forces = path.interpolated(s)
        for i, places in layout.forces[p].items():
            k = path.contacts.index(layout.names[i]) if layout.names[i] in path.contacts else None
            if k is not None and path.active[p, k]:
                x[places] = forces[:, k] @ layout.planes[i].directions.T / self.units.force

    def _anchor(self, holding: Holding, x: Array) -> None:
        """Anchors where contacts begin along the guess."""
        for place, row in anchor_places(holding.places).items():
            span = self.ends[row.phase + 1] - self.ends[row.phase]
            q = self.at(np.array([self.ends[row.phase] + row.s * span]))
            at = self._layout.kinematics.at(q).place(row.at.contact)[0]
            x[place] = at @ self._layout.planes[row.at.contact].directions[row.at.part]


def _same_phases(layout: Layout, given: Guess | None) -> ContactPath | None:
    """Return the contacts of an earlier motion with the same phases; None where there is none."""
    path = None if given is None else given.contacts
    same = path is not None and path.phases == tuple(mesh.name for mesh in layout.phases)
    return path if same else None
