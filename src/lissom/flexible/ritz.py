"""The shapes that a beam keeps: natural modes, or the best combinations of other shapes (Ritz).

Given shapes y_k become modes by the generalised eigenproblem of

    K_kl = int EI y_k'' y_l'' ds,      M_kl = int mu y_k y_l ds + (inertia of the tip)

(torsion and stretch: first derivatives), after K is made 1 by singular values. They are scaled like natural modes:
modal mass, the tip included, is that of the beam, and the root bends the positive way.
"""

from __future__ import annotations

import numpy as np

from lissom.errors import DependentShapes
from lissom.flexible import elements
from lissom.flexible.modes import ELEMENTS, along, natural_modes, section, section_along
from lissom.flexible.quadrature import Panels, refined
from lissom.flexible.shapes import Shapes, joined, polynomials, tabulated
from lissom.model.beam import Beam, Tip
from lissom.model.shape_table import DEPENDENT, KINDS, ShapeTable
from lissom.spatial.rotations import Array


def shapes_of(beam: Beam, tip: Tip, across: Tip) -> dict[str, Shapes]:
    """The shapes that a beam keeps, by kind; `tip` is its tip inertia for bending about z, `across` about y."""
    tip, across = assumed_tips(beam, tip, across)
    out = {}
    for word in KINDS:
        count = getattr(beam.modes, word)
        if count:
            out[word] = _kept(beam, word, across if word == "bending_y" else tip, count)
    return out


def assumed_tips(beam: Beam, tip: Tip, across: Tip) -> tuple[Tip, Tip]:
    """The tip inertias that the shapes of a beam assume."""
    if beam.tip == "auto":
        return tip, across
    own = beam.tip if isinstance(beam.tip, Tip) else Tip()
    if own.polar == 0.0 and section(beam, "torsion")[1] is None:
        own = own.replace(polar=tip.polar)  # the one inertia that a twist without gyration can have
    return own, own


def stations_of(beam: Beam) -> Array:
    """Ends of the beam, and stations between."""
    return np.array([0.0, beam.length]) if beam.stations is None else np.asarray(beam.stations, float)


def _kept(beam: Beam, plane: str, tip: Tip, count: int) -> Shapes:
    """`count` shapes of one kind."""
    if isinstance(beam.shapes, ShapeTable):
        given = tabulated(beam.shapes.stations, getattr(beam.shapes, plane), clamped=plane.startswith("bending"))
        return _combined(beam, plane, given, tip, count)
    return MADE[beam.shapes](beam, plane, tip, count)


def _natural(beam: Beam, plane: str, tip: Tip, count: int) -> Shapes:
    return natural_modes(beam, plane, tip, count).shapes


def _polynomial(beam: Beam, plane: str, tip: Tip, count: int) -> Shapes:
    """Polynomials; natural modes of a kind without mass."""
    if section(beam, plane)[1] is None:
        return _natural(beam, plane, tip, count)
    given = polynomials(beam.length, count, 2 if plane.startswith("bending") else 1)
    return _combined(beam, plane, given, tip, count)


def _with_static(beam: Beam, plane: str, tip: Tip, count: int) -> Shapes:
    """Natural modes and, where it bends, the static shape, or one more mode if they contain it (heavy tips)."""
    if not plane.startswith("bending"):
        return _natural(beam, plane, tip, count)
    parts = [natural_modes(beam, plane, tip, count - 1).shapes] if count > 1 else []
    try:
        return _combined(beam, plane, joined([*parts, _static(beam, plane)]), tip, count)
    except DependentShapes:
        return _natural(beam, plane, tip, count)


MADE = {"natural": _natural, "natural+static": _with_static, "polynomial": _polynomial}


def _static(beam: Beam, plane: str) -> Shapes:
    """The shape under a moment at the tip; s^2 on a uniform beam."""
    EI = section(beam, plane)[0]
    tapered = np.ndim(EI) > 0
    edges = elements.mesh(beam.length, beam.stations, ELEMENTS) if tapered else np.array([0.0, beam.length])
    return elements.bent_by_moment(edges, section_along(beam, EI))


def _combined(beam: Beam, plane: str, given: Shapes, tip: Tip, count: int) -> Shapes:
    """The lowest `count` modes as combinations of given shapes (Ritz)."""
    from scipy.linalg import eigh

    stiffness, inertia = section(beam, plane)
    bends = plane.startswith("bending")
    panels = Panels(refined(np.union1d(given.edges, stations_of(beam)), 6 + given.count))
    strain = given.at(panels.s, 2 if bends else 1)
    basis = given.mixed(_orthonormal(np.sqrt(panels.w * along(beam, stiffness, panels.s))[:, None] * strain, plane))
    y, ends = basis.at(panels.s), np.stack([basis.at(beam.length), basis.at(beam.length, 1)])
    rho = panels.w * along(beam, inertia, panels.s)
    point = tip.matrix if bends else np.diag([tip.polar if plane == "torsion" else tip.mass, 0.0])
    values, U = eigh((y.T * rho) @ y + ends.T @ point @ ends)  # 1/w^2, as K is 1
    A = U[:, ::-1][:, :count] * np.sqrt(rho.sum() / values[::-1][:count])
    root = basis.at(0.0, 2 if bends else 1) @ A
    return basis.mixed(A * np.where(root < 0, -1.0, 1.0))


def _orthonormal(strains: Array, plane: str) -> Array:
    """Combinations of shapes that are orthonormal in elastic energy; strains (points, shapes), weighted."""
    size = np.linalg.norm(strains, axis=0)
    _, sizes, V = np.linalg.svd(strains / size, full_matrices=False)
    if sizes[-1] ** 2 < DEPENDENT * sizes[0] ** 2:
        raise DependentShapes(
            f"the shapes of {plane} are nearly dependent (a sum of them has {sizes[-1]:.1g} of their strain). "
            'Keep fewer of them, or use shapes="natural", which are orthogonal.'
        )
    return (V.T / sizes) / size[:, None]
