"""State of the viewer: which record is shown, at which time and speed, or a pose set with the sliders."""

from __future__ import annotations

import numpy as np

from lissom.errors import SolveError
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array
from lissom.verbs.assembly import assemble
from lissom.verbs.kinematics import pose
from lissom.views.followed import followed_frame
from lissom.views.playback.takes import ModeTake, MotionTake, RecordTake, RunTake, Still, Take
from lissom.views.scene.scene import State

HAND = Still.title


class Player:
    """Plays records of an arm, and stores the pose set with the sliders.

    exaggerate : scale of elastic deflections in a record or a pose
    goal : (dof,) state to be reached, at true scale, or None
    said : message about the last request, or nothing
    """

    def __init__(self, arm: Arm, takes: dict[str, Take], q: Array, exaggerate: float = 1.0, goal: Array | None = None):
        self.arm, self.goal = arm, goal
        self.takes: dict[str, Take] = {**takes, HAND: Still(q)}
        self.exaggerate, self.amplitude = exaggerate, 1.0
        self.speed, self.loop, self.said = 1.0, True, ""
        self.choose(next(iter(self.takes)))

    @property
    def take(self) -> Take:
        """The record that is shown."""
        return self.takes[self.name]

    def choose(self, name: str) -> None:
        """Show another record, from its start; playing if it moves."""
        self.name = name
        self.t = self.take.start
        self.playing = self.take.end > self.take.start

    def seek(self, t: float) -> None:
        """Go to a time, and stay there."""
        self.t = float(np.clip(t, self.take.start, self.take.end))
        self.playing = False

    def play(self) -> None:
        """Start playing, from the start if the end is reached; or pause."""
        self.playing = not self.playing and self.take.end > self.take.start
        if self.playing and self.t >= self.take.end:
            self.t = self.take.start

    def advance(self, seconds: float) -> None:
        """Advance the shown time by seconds of wall time."""
        if not self.playing:
            return
        start, end = self.take.start, self.take.end
        self.t += self.speed * seconds
        if self.t >= end:
            again = self.loop or isinstance(self.take, ModeTake)
            self.t = start + (self.t - start) % (end - start) if again else end
            self.playing = again

    def state(self) -> State:
        """The present state, with scaled deflections."""
        take = self.take
        if isinstance(take, ModeTake):
            take.amplitude = self.amplitude
            return take.at(self.t)
        now = take.at(self.t)
        return now._replace(q=self.larger(now.q))

    def larger(self, q: Array) -> Array:
        """Return states (..., dof) with scaled elastic coordinates."""
        out = np.array(q)
        out[..., self.arm.mode_index] *= self.exaggerate
        return out

    def trail(self) -> Array:
        """(n, 3) path of the tip of the shown record; empty where there is none."""
        take = self.take
        if not isinstance(take, RunTake | MotionTake):
            return np.zeros((0, 3))
        return pose(self.arm, self.larger(take.curves.q), followed_frame(self.arm))[..., :3, 3]

    # ---- by hand ----------------------------------------------------------------------------------

    def move(self, joint: int, value: float) -> None:
        """Move one joint; closed loops are closed again, or nothing moves."""
        q = np.array(self.take.at(self.t).q)
        q[self.arm.joint_index[joint]] = value
        self.said = ""
        if self.arm.loops:
            try:
                q = assemble(self.arm, q, fixed=self.arm.joints[joint].name).q
            except SolveError as error:
                self.said = f"The closed loops cannot reach this position: {error}"
                q = np.array(self.take.at(self.t).q)
        self.takes[HAND] = Still(q)
        self.choose(HAND)

    @property
    def joints(self) -> Array:
        """(joints,) present joint positions."""
        return np.asarray(self.take.at(self.t).q)[self.arm.joint_index]

    def joint_ranges(self, reach: float) -> tuple[Array, Array]:
        """(joints,) lowest and highest positions of sliders, in rad or m.

        These are the limits, without limits half a turn or `reach` [m] to both sides; wider where a record or the
        present pose leaves them.
        """
        wide = np.array([joint.half_range(reach) for joint in self.arm.joints])
        low, high = self.arm.bounds("position")
        low, high = np.where(np.isfinite(low), low, -wide), np.where(np.isfinite(high), high, wide)
        records = [take.curves.q for take in self.takes.values() if isinstance(take, RecordTake)]
        passed = np.vstack([self.joints, *(q[:, self.arm.joint_index] for q in records)])
        return np.minimum(low, passed.min(axis=0)), np.maximum(high, passed.max(axis=0))

    @property
    def tip(self) -> Array:
        """(4, 4) present pose of the tip, with true deflections."""
        return pose(self.arm, self.take.at(self.t).q, followed_frame(self.arm))
