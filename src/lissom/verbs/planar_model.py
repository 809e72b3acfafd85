"""The planar closed form of an arm as an object: parameters, regressor, symbols."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import InputError, ModelError
from lissom.formats.files import write_text
from lissom.kernels.arguments import as_arm, as_state
from lissom.later import cached_property
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array

if TYPE_CHECKING:
    from lissom.planar.parameters import Regressor
    from lissom.planar.symbols import SymbolicModel

METHOD = "de_luca_siciliano"


class PlanarModel:
    """The closed form of De Luca and Siciliano of one arm; made by `planar_model`.

        B(q) qdd + h(q, qd) + K (q - rest) + D qd + gravity = tau = Y(q, qd, qdd) p

    in the arm's order of coordinates. Loads are not included.

    Attributes
    ----------
    arm : Arm
    parameters : (p,)            constants that the model is linear in; zero ones are left out
    names, meanings : (p,)       symbols (m_1, J_1, v_11, w_11, z_111, k_111, ...) and descriptions with units
    K, D : (dof, dof)            stiffness of modes and joint springs, damping of modes and joints
    """

    def __init__(self, arm: Arm):
        from lissom.dynamics.acting import Acting
        from lissom.dynamics.bodies import Bodies
        from lissom.dynamics.planar.chain import Planar
        from lissom.dynamics.planar.equations import Equations
        from lissom.dynamics.refusals import refuse_laws, refuse_unready
        from lissom.formulations.catalogue import ALL, refuse_uncovered
        from lissom.planar.parameters import parameters

        refuse_unready(arm)
        refuse_laws(arm, "planar_model", "Leave out those laws; inverse_dynamics and the other verbs cover them.")
        bodies = Bodies(arm)
        refuse_uncovered(ALL[METHOD], arm, bodies, Acting(), "inverse_dynamics", "planar_model")
        self.arm = arm
        self._planar = Planar(bodies)
        self._equations = Equations.of(self._planar)
        self._given = parameters(self._planar)
        self.parameters = np.array([p.value for p in self._given])
        self.names = tuple(p.name for p in self._given)
        self.meanings = tuple(p.meaning for p in self._given)
        self.K, self.D = self._matrices()

    def _matrices(self) -> tuple[Array, Array]:
        K, D = np.zeros((2, self.arm.dof, self.arm.dof))
        for link in self._planar.links:
            at = np.ix_(link.modes, link.modes)
            if len(link.modes):
                K[at], D[at] = link.K, link.damping
            if link.drive is not None:
                c = link.drive.coordinate
                K[c, c], D[c, c] = link.drive.stiffness, link.drive.damping
        return K, D

    def B(self, q: ArrayLike) -> Array:
        """Inertia (..., dof, dof), the drives' included, to first order in the deflections; q is (..., dof)."""
        from lissom.verbs.dynamics import mass_matrix

        return mass_matrix(self.arm, q, method=METHOD)

    def h(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """Coriolis and centrifugal forces (..., dof) by Christoffel symbols of B; q and qd are (..., dof)."""
        from lissom.dynamics.planar.equations import Phases, velocity_forces

        columns, batch = self._columns("h", q=q, qd=qd)
        phases = Phases(self._planar.turns, columns[0])
        return _stacked(velocity_forces(self._equations.forms, phases, *columns), batch)

    def Y(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Regressor (..., dof, p): ``Y @ parameters`` is the torque without loads; arguments are (..., dof)."""
        columns, batch = self._columns("Y", q=q, qd=qd, qdd=qdd)
        made = self._regressor.columns(*columns)
        if not made:
            return np.zeros((*batch, self.arm.dof, 0))
        return np.stack([_stacked(column, batch) for column in made], axis=-1)

    @cached_property
    def _regressor(self) -> Regressor:
        from lissom.planar.parameters import Regressor

        return Regressor(self._planar, self._given)

    def _columns(self, verb: str, **given: ArrayLike) -> tuple[list[list[Array]], tuple[int, ...]]:
        """Arrays split into single coordinates, and the shape of the batch."""
        arrays = [as_state(self.arm, value, word, f"planar_model.{verb}") for word, value in given.items()]
        try:
            batch = np.broadcast_shapes(*(x.shape[:-1] for x in arrays))
        except ValueError:
            shapes = ", ".join(f"{word} {x.shape}" for word, x in zip(given, arrays, strict=True))
            raise InputError(f"planar_model.{verb}: the batches do not fit together: {shapes}.") from None
        return [[x[..., k] for k in range(self.arm.dof)] for x in arrays], batch

    @cached_property
    def _symbolic(self) -> SymbolicModel:
        from lissom.planar.symbols import symbolic

        return symbolic(self._planar)

    def sympy(self) -> SymbolicModel:
        """The model in SymPy's symbols, for up to five links (four of two modes each: about a second).

        A record of `q`, `qd` (symbols), `B`, `h`, `K`, `D`, `G` (gravity, matrices) and `values` (the arm's number for
        every other symbol).
        """
        return self._symbolic

    def latex(self) -> str:
        """B, h, gravity G, K and D as LaTeX, one line for every entry that is not zero."""
        from lissom.planar.exports import latex

        return latex(self._symbolic)

    def c(self, into: str | Path | None = None) -> str:
        """The model as self-contained C99; `into` is a file to write it to.

        Functions planar_B, planar_h, planar_g (gravity) and planar_p (springs and damping), which add up to tau.
        """
        from lissom.planar.exports import Passive, c_source

        drives, rest = np.zeros((2, self.arm.dof))
        for link in self._planar.links:
            if link.drive is not None:
                drives[link.drive.coordinate] = link.drive.armature
                rest[link.drive.coordinate] = link.drive.rest
        title = " ".join(self.arm.name.split()).replace("*/", "")
        passive = Passive(drives.tolist(), self.K.tolist(), self.D.tolist(), rest.tolist())
        text = c_source(self._planar, self._equations.forms, passive, title)
        if into is not None:
            try:
                write_text(Path(into), text)
            except ModelError as error:
                raise InputError(f"planar_model.c: {error}") from None
            except TypeError:
                raise InputError(f"planar_model.c: into is {into!r}; expected the name of a file.") from None
        return text

    def describe(self) -> str:
        """Coordinates and parameters as text."""
        rows = [f"Planar model of {self.arm.name!r}: coordinates {', '.join(self.arm.coordinates)}"]
        rows += [f"{p.name:>8}  {p.value:12.6g}  {p.meaning}" for p in self._given]
        return "\n".join(rows)

    def __reduce__(self) -> tuple[Any, ...]:
        return PlanarModel, (self.arm,)

    def __repr__(self) -> str:
        return f"PlanarModel(arm={self.arm.name!r}, coordinates={self.arm.dof}, parameters={len(self.names)})"


def _stacked(entries: Sequence[Any], batch: tuple[int, ...]) -> Array:
    if not entries:
        return np.zeros((*batch, 0))
    return np.stack([np.broadcast_to(np.asarray(x, float), batch) for x in entries], axis=-1)


def planar_model(arm: Arm) -> PlanarModel:
    """The closed form of a planar arm with flexible links (De Luca and Siciliano 1991).

    Linear in constant parameters, with symbolic export; ``method="de_luca_siciliano"`` of `inverse_dynamics`,
    `forward_dynamics` and `mass_matrix` computes with it. Inertia is kept to first order in the deflections.

    Parameters
    ----------
    arm : Arm        serial, revolute joints with parallel axes, modes that move in the plane

    Returns
    -------
    PlanarModel
        `.parameters`, `.names`, `.meanings`, `.Y(q, qd, qdd)`, `.B(q)`, `.h(q, qd)`, `.K`, `.D`, `.sympy()`,
        `.latex()`, `.c(into=None)`, `.describe()`

    Examples
    --------
    >>> import lissom as ls
    >>> model = ls.planar_model(ls.load("two_link_flexible"))
    >>> model.names[:6]
    ('m_1', 'mx_1', 'J_1', 'v_11', 'w_11', 'z_111')
    >>> q, qd, qdd = [0.1, 0.02, 0.0, 0.5, 0.0, 0.01], [0.3] * 6, [1.0] * 6
    >>> tau = ls.inverse_dynamics(model.arm, q, qd, qdd, method="de_luca_siciliano")
    >>> bool(abs(model.Y(q, qd, qdd) @ model.parameters - tau).max() < 1e-12)
    True
    """
    from lissom.dynamics.refusals import refuse_loops

    refuse_loops(as_arm(arm, "planar_model"), "planar_model", "For the open tree, use arm.replace(loops=()).")
    return PlanarModel(arm)
