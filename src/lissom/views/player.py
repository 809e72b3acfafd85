"""What a viewer shows at the moment: which take, at which time, how fast, or a pose set by hand."""

from __future__ import annotations

import numpy as np

from lissom.errors import SolveError
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array
from lissom.verbs.assembly import assemble
from lissom.verbs.kinematics import pose
from lissom.views.followed import followed_frame
from lissom.views.scene import State
from lissom.views.takes import ModeTake, MotionTake, RunTake, Still, Take

HAND = Still.title


class Player:
    """Plays takes of an arm, and holds the pose that was set by hand.

    exaggerate : how many times more than they do elastic parts bend, where a record or a pose is shown
    said : what there is to say about the last thing that was asked for, or nothing
    """

    def __init__(self, arm: Arm, takes: dict[str, Take], q: Array, exaggerate: float = 1.0):
        self.arm = arm
        self.takes: dict[str, Take] = {**takes, HAND: Still(q)}
        self.exaggerate, self.amplitude = exaggerate, 1.0
        self.speed, self.loop, self.said = 1.0, True, ""
        self.choose(next(iter(self.takes)))

    @property
    def take(self) -> Take:
        """What is shown."""
        return self.takes[self.name]

    def choose(self, name: str) -> None:
        """Show another take, from its start; those that move begin to."""
        self.name = name
        self.t = self.take.start
        self.playing = self.take.end > self.take.start

    def seek(self, t: float) -> None:
        """Go to a time, and stay there."""
        self.t = float(np.clip(t, self.take.start, self.take.end))
        self.playing = False

    def play(self) -> None:
        """Go on, from the start where the end is reached; or stop."""
        self.playing = not self.playing and self.take.end > self.take.start
        if self.playing and self.t >= self.take.end:
            self.t = self.take.start

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        if not self.playing:
            return
        start, end = self.take.start, self.take.end
        self.t += self.speed * seconds
        if self.t >= end:
            again = self.loop or isinstance(self.take, ModeTake)
            self.t = start + (self.t - start) % (end - start) if again else end
            self.playing = again

    def state(self) -> State:
        """What is shown now, exaggerated."""
        take = self.take
        if isinstance(take, ModeTake):
            take.amplitude = self.amplitude
            return take.at(self.t)
        now = take.at(self.t)
        return now._replace(q=self.larger(now.q))

    def larger(self, q: Array) -> Array:
        """States (..., dof) with elastic coordinates as many times larger as they are exaggerated."""
        out = np.array(q)
        out[..., self.arm.mode_index] *= self.exaggerate
        return out

    def trail(self) -> Array:
        """(n, 3) path of the tip as it is shown; empty of what leaves none."""
        take = self.take
        if not isinstance(take, RunTake | MotionTake):
            return np.zeros((0, 3))
        return pose(self.arm, self.larger(take.curves.q), followed_frame(self.arm))[..., :3, 3]

    # ---- by hand ----------------------------------------------------------------------------------

    def move(self, joint: int, value: float) -> None:
        """Put one joint somewhere; closed loops are closed again or nothing moves."""
        q = np.array(self.take.at(self.t).q)
        q[self.arm.joint_index[joint]] = value
        self.said = ""
        if self.arm.loops:
            try:
                q = assemble(self.arm, q, fixed=self.arm.joints[joint].name).q
            except SolveError as error:
                self.said = f"The loops cannot close there: {error}"
                q = np.array(self.take.at(self.t).q)
        self.takes[HAND] = Still(q)
        self.choose(HAND)

    @property
    def joints(self) -> Array:
        """(joints,) positions that are shown."""
        return np.asarray(self.take.at(self.t).q)[self.arm.joint_index]
