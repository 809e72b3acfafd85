"""Forward dynamics: accelerations from torques.

Few joints: mass matrix and bias forces, solved by the sparse L^T D L of the tree (Featherstone 2008,
section 6.5), straight-line. Many: articulated bodies, O(n), on the tape (`articulated`). Where joints follow others,
one coordinate moves several bodies, which articulated bodies cannot eliminate: the mass matrix is factorised on tapes
too (`joint_space`).

A joint that moves no inertia (for example, two collinear axes) leaves a pivot D of rounding. D is therefore compared
with the inertia that would move if the joints beyond were locked (a bound of it on the tape); below
NEGLIGIBLE of that, 1/D is made infinite, which is noticed. Such a state is computed again without the guard
and kept if inverse dynamics gives the torques back, as it does for long chains of thin links; otherwise it
is singular.

Some coordinates may be held: they follow a given acceleration, and the torque that this takes on top of tau
is their effort. With 1/D made zero a coordinate is left out of the elimination, so whether it is held is a
number, 1 (free) or 0, and not another program.
"""

from __future__ import annotations

from typing import Any

from lissom.dynamics import articulated, joint_space
from lissom.dynamics.acting import Acting
from lissom.dynamics.articulated import Given
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.from_arm import tree_of
from lissom.dynamics.gears import Gears, gears_of
from lissom.elements.pivots import Held
from lissom.engine.run import AbstractRun

RETURNED = 1e-6  # relative error of the torques that accelerations must give back where a pivot is in doubt


def accelerations(
    run: AbstractRun, bodies: Bodies, given: Given, held: dict[int, Held], tape: bool, guarded: bool = True,
    gears: Gears | None = None,
) -> tuple[list[Any], dict[int, Any]]:  # fmt: skip
    """Accelerations by the method that is best for straight-line code, or for the tape.

    gears : of coordinates with load-dependent friction, see `gears`; default: those of the drives
    """
    if gears is None:
        gears = gears_of(run, tree_of(bodies), given.qd)
    if tape and bodies.coupling is None and not (bodies.closed_form or tree_of(bodies).stretches):
        return articulated.accelerations(run, tree_of(bodies), given, held, guarded, gears)
    return joint_space.accelerations(run, bodies, given, held, tape, guarded, gears)


def read(run: AbstractRun, bodies: Bodies, acting: Acting) -> tuple[Bodies, Given]:
    """Inputs q, qd, tau, then as `Acting.read`."""
    n = bodies.dof
    q, qd, tau = run.input(n), run.input(n), run.input(n)
    bodies, base, loads = acting.read(run, bodies)
    return bodies, Given(q, qd, tau, base, loads)


def program(run: AbstractRun, bodies: Bodies, acting: Acting, tape: bool) -> None:
    """Inputs as `read`; output qdd."""
    bodies, given = read(run, bodies, acting)
    run.output(*accelerations(run, bodies, given, {}, tape)[0])


def program_unguarded(run: AbstractRun, bodies: Bodies, acting: Acting) -> None:
    """Forward dynamics on the tape without a guard against small pivots."""
    bodies, given = read(run, bodies, acting)
    run.output(*accelerations(run, bodies, given, {}, tape=True, guarded=False)[0])
