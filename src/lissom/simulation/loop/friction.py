"""Coulomb friction: which joints stick, and in which direction the others slide.

On a moving joint friction opposes the motion. A joint at rest sticks as long as the torque that holds it
(its effort) is below its friction torque; beyond that it slides in the direction of the effort. Holding one joint
changes the efforts of the others, so joints are released one at a time, the one with the largest ratio first, and held
again if they would not start to move in the direction in which they were released.
"""

from __future__ import annotations

import numpy as np

from lissom.errors import SolveError
from lissom.simulation.loop.closed_loop import ClosedLoop
from lissom.spatial.rotations import Array

GRIP = 1e-9  # relative; a joint is let go a little beyond its friction, so that it does start to move


def settled(loop: ClosedLoop, t: float, y: Array) -> Array:
    """(sliding,) friction states at a state (q, qd, z, ...): sign of the rate, or of the release; 0: sticks."""
    loop, sliding = loop.on_tape(), np.array(loop.sliding, int)
    state = loop.split(y)
    way = np.sign(state.qd[sliding])
    resting = way == 0.0
    if not resting.any():
        return way
    friction = loop.grips
    place = [loop.held.index(k) for k in loop.sliding]
    given, tau = loop.inputs.at(t), loop.outside(t, state.q, state.qd)
    for _ in range(10 + 4 * len(sliding)):
        rates = loop.rates(state, way, given, tau)
        effort = rates.effort[place]
        back = resting & (way != 0.0) & (rates.qdd[sliding] * way < 0.0)
        strain = np.where(resting & (way == 0.0), np.abs(effort) / friction, 0.0)
        if back.any():
            way[np.argmax(back * np.abs(rates.qdd[sliding]))] = 0.0
        elif strain.max(initial=0.0) > 1 + GRIP / 2:
            worst = int(np.argmax(strain))
            way[worst] = -np.sign(effort[worst])
        else:
            return way
    raise SolveError(
        f"at t = {t:.6g} s it cannot be decided which joints stick: every choice contradicts the accelerations. Reduce "
        "the friction of joints at rest there, or replace it by damping."
    )
