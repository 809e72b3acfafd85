"""De Luca and Siciliano 1991: closed form of a planar arm with flexible links, for single calls.

The equations themselves are in `dynamics.planar`, where every verb of an arm with `flexibility="de_luca_siciliano"`
finds them; here they are run for arms with any model of flexibility. B must be positive definite here: accelerations
are not finite where it is not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.dynamics.acting import Acting, placed, standing_frames
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.joint_space import solved
from lissom.dynamics.mass import dense
from lissom.dynamics.planar import programs
from lissom.elements.pivots import Guarded

NAME = "de_luca_siciliano"


def _modelled(bodies: Bodies, acting: Acting) -> Bodies:
    """The bodies with this model of flexibility, and places along beams for the loads."""
    arm = bodies.arm.replace(flexibility=NAME)
    return Bodies(arm).with_stations((*acting.loads, *standing_frames(arm)))


def inverse_program(run: Any, bodies: Bodies, acting: Acting) -> None:
    """Inputs q, qd, qdd, then the loads; output tau."""
    bodies, n = _modelled(bodies, acting), bodies.dof
    q, qd, qdd = (run.input(n) for _ in range(3))
    run.output(*programs.joint_torques(run, bodies, q, qd, qdd, placed(bodies, acting.read_loads(run, bodies))))


def forward_program(run: Any, bodies: Bodies, acting: Acting) -> None:
    """Inputs q, qd, tau, then the loads; output qdd."""
    bodies, n = _modelled(bodies, acting), bodies.dof
    q, qd, tau = (run.input(n) for _ in range(3))
    still = run.constant(np.zeros(n))
    bias = programs.joint_torques(run, bodies, q, qd, still, placed(bodies, acting.read_loads(run, bodies)))
    B = programs.matrix(run, bodies, q)
    carriers = tuple(tuple(range(k - 1, -1, -1)) for k in range(n))
    rows = run.gathered([B[i, k] for k in range(n) for i in range(k + 1)])
    qdd, _ = run.call(solved, carriers, rows, tau, run.gathered(bias), still, (None,) * n, Guarded())
    run.output(qdd)


def mass_program(run: Any, bodies: Bodies, acting: Acting) -> None:
    """Input q; output B with the drives' inertia, row by row."""
    bodies, n = _modelled(bodies, acting), bodies.dof
    run.output(*dense(run, n, programs.matrix(run, bodies, run.input(n))))


PROGRAMS = {"inverse_dynamics": inverse_program, "forward_dynamics": forward_program, "mass_matrix": mass_program}
