"""Programs of arms with `flexibility="de_luca_siciliano"`: torques, mass matrix and energies by the closed form.

The closed form is one step of a program; which of its coefficients are there is structure, their values are entries.
Points move as in the paper, (1)-(4), which is the linear field (`kinematics`): loads act through its Jacobians.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import islice
from typing import Any, ClassVar

from lissom.dynamics import kinematics
from lissom.dynamics.acting import Loaded
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.body import BASE
from lissom.dynamics.drives import motor_forces, with_armature
from lissom.dynamics.from_arm import CONSTANTS, constants_of, tree_of
from lissom.dynamics.planar.chain import Planar, planar_chain
from lissom.dynamics.planar.complex_numbers import known
from lissom.dynamics.planar.equations import Equations, Phases, generalized_forces, inertia
from lissom.engine.run import AbstractRun
from lissom.engine.specialise import once
from lissom.records import Packed, filled, flat
from lissom.spatial.inertias import Energies
from lissom.spatial.motions import LoadValues, PointVelocity
from lissom.spatial.scalar import Coordinates, Scalar


class ClosedForm(Packed):
    """The equations of an arm; in the pattern, numbers of values stand for the coefficients."""

    parameters: ClassVar[bool] = True  # nothing is differentiated by the coefficients
    pattern: Equations

    @classmethod
    def of(cls, equations: Equations) -> ClosedForm:
        """Pack equations."""
        values: list[Any] = []

        def placed(x: Any) -> int:
            values.append(x)
            return len(values) - 1

        return cls(equations.mapped(placed), values)

    @property
    def equations(self) -> Equations:
        """The equations with their coefficients."""
        return self.pattern.mapped(lambda k: self.values[k])

    @once
    def torques(self, q: Coordinates, qd: Coordinates, qdd: Coordinates) -> list[Scalar]:
        """tau of (25)."""
        return generalized_forces(self.equations, q, qd, qdd)

    @once
    def inertia(self, q: Coordinates) -> list[Scalar]:
        """B, of each row what is on the diagonal and right of it."""
        equations = self.equations
        B = inertia(equations.forms, Phases(equations.turns, q), q)
        return [B[a][b] for a in range(len(B)) for b in range(a, len(B))]

    @once
    def energies(self, q: Coordinates, qd: Coordinates) -> Energies:
        """Kinetic energy, and potential energy of gravity."""
        return Energies(*self.equations.energies(q, qd))


class _Chain:
    """The bodies of an arm without their numbers, as the pattern of those: rows of bodies, values of beams, gravity."""

    def __init__(self, bodies: Bodies):
        beams = {k: body.beam._replace(values=()) for k, body in bodies.movers if body.beam is not None}
        nothing: dict[int, Any] = dict.fromkeys(range(len(bodies)))
        self._bodies = bodies.changed(constants=nothing, drive=nothing, beam=beams)
        parts = [
            (body.parent, body.kind, body.coordinate, body.width, body.R.tolist(), body.beam and body.beam.layout.key)
            for _, body in bodies.movers
        ]
        self.key = hashlib.sha256(repr(parts).encode()).hexdigest()[:12]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Chain) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def filled(self, numbers: Any) -> Bodies:
        """The bodies with numbers."""
        bodies, left = self._bodies, iter(numbers)
        rows = {k: list(islice(left, CONSTANTS)) for k, _ in bodies.movers}
        beams = {k: body.beam._replace(values=list(islice(left, body.beam.layout.length)))
                 for k, body in bodies.movers if body.beam is not None}  # fmt: skip
        other = bodies.changed(constants=rows, beam=beams)
        other.given = {("gravity", 0): list(left)}
        return other


class ChainNumbers(Packed):
    """The numbers of bodies, some of which are values of a program."""

    parameters: ClassVar[bool] = True
    pattern: _Chain


@once
def _assembled(numbers: ChainNumbers) -> ClosedForm:
    """The closed form of an arm from the numbers of its bodies."""
    return ClosedForm.of(Equations.of(Planar(numbers.pattern.filled(numbers.values))))


def closed_form(run: AbstractRun, bodies: Bodies) -> ClosedForm:
    """The closed form of an arm; where its numbers are values of a program, so are the coefficients."""
    rows = [constants_of(body) for _, body in bodies.movers]
    rows += [body.beam.values for _, body in bodies.movers if body.beam is not None]
    numbers = [x for row in (*rows, bodies.gravity) for x in row]
    if known(numbers):
        return ClosedForm.of(Equations.of(planar_chain(bodies)))
    return run.call(_assembled, ChainNumbers(_Chain(bodies), numbers))


def joint_torques(run: AbstractRun, bodies: Bodies, q: Any, qd: Any, qdd: Any, loads: Sequence[Loaded]) -> list[Any]:
    """Joint torques as in `inverse.joint_torques`: one vector of length one per coordinate."""
    found = run.call(closed_form(run, bodies).torques, q, qd, qdd)
    tau: list[Any] = [found[k : k + 1] for k in range(bodies.dof)]
    for load in loads:
        if load.body != BASE:
            path = kinematics.reach(run, bodies, load.frame, q, flat(load.values.point).entries)
            for c, column in kinematics.columns(run, bodies, path).items():
                tau[c] = [run.call(_minus_work, tau[c][0], filled(kinematics.VELOCITY, column), load.values)]
    return motor_forces(run, tree_of(bodies), tau, q, qd, qdd)


def _minus_work(tau: Scalar, column: PointVelocity, load: LoadValues) -> Scalar:
    """A torque less the work of a load per unit rate of its coordinate: J^T f."""
    return tau - (column.v.dot(load.f) + column.w.dot(load.n))


def matrix(run: AbstractRun, bodies: Bodies, q: Any) -> dict[tuple[int, int], Any]:
    """The mass matrix as in `mass.matrix`, the inertia of drives included."""
    n = bodies.dof
    found = run.call(closed_form(run, bodies).inertia, q)
    places = [(a, b) for a in range(n) for b in range(a, n)]
    return with_armature(run, tree_of(bodies), {place: found[k : k + 1] for k, place in enumerate(places)})


def energies(run: AbstractRun, bodies: Bodies, q: Any, qd: Any) -> Energies:
    """Kinetic energy of the links, 1/2 qd.B qd, and their potential energy in the field of gravity."""
    return run.call(closed_form(run, bodies).energies, q, qd)
