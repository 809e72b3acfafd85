"""The deformation along flexible links."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import InputError, UnsupportedError
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array
from lissom.verbs.states import as_arm, as_numbers, as_state

if TYPE_CHECKING:
    from lissom.flexible.deformation import Deformation, Rule

PLACES = 41


def deformation(arm: Arm, q: ArrayLike, link: str, s: ArrayLike | None = None) -> Deformation:
    """Displacement, slope, curvature, inner moments, strain and stress along a flexible link.

    Moments and strains are those of the modes that the link keeps: near the ends they settle more slowly than
    displacements as modes are added.

    Parameters
    ----------
    arm : Arm
    q : (dof,) or (..., dof)     positions with modal amplitudes
    link : str                   a link with a beam
    s : (ns,) or None            distances from its root [m]; None: 41 places from root to tip

    Returns
    -------
    Deformation
        arrays (..., ns, 3) in the link's axes; ``.strain(y, z)`` and ``.stress(E, y, z)`` of a fibre

    Examples
    --------
    >>> import lissom as ls
    >>> beam = ls.Beam(1.0, 0.4, EI=2.0, modes=ls.Modes(bending_z=3))
    >>> arm = ls.Arm("rod", [ls.Link("rod", beam=beam)], gravity=(0, 0, 0))
    >>> bent = ls.deformation(arm, [0.0, 0.01, 0.0, 0.0], "rod", [0.0, 1.0])
    >>> bent.displacement[:, 1].round(4), abs(bent.moment[:, 2]).round(4)
    (array([0.  , 0.02]), array([0.1406, 0.    ]))
    """
    verb = "deformation"
    state = as_state(as_arm(arm, verb), q, "q", verb)
    return rule(arm, link, s, verb)(state[..., amplitudes(arm, link)])


def amplitudes(arm: Arm, link: str) -> slice:
    """Where the amplitudes of a link stand among the coordinates."""
    i = arm.index(link)
    start = int(arm.coordinate_start[i]) + arm.links[i].joint.coordinate_count
    return slice(start, start + len(arm.links[i].mode_labels))


def rule(arm: Arm, link: str, s: ArrayLike | None, verb: str) -> Rule:
    """How amplitudes deform a link."""
    from lissom.dynamics.bodies import flexible_bodies
    from lissom.flexible.deformation import Rule

    found = arm.link(link)
    if not found.mode_labels:
        raise InputError(f"{verb}: link {link!r} is rigid; give it a beam with modes.")
    line = flexible_bodies(arm)[arm.index(link)].line
    if line is None:
        raise UnsupportedError(
            f"{verb}: link {link!r} is given by modal integrals, which know its tip only, not what is along it."
        )
    return Rule(line, _places(s, line.beam.length, link, verb))


def _places(s: ArrayLike | None, length: float, link: str, verb: str) -> Array:
    if s is None:
        return np.linspace(0.0, length, PLACES)
    places = np.atleast_1d(as_numbers(s, "s", verb))
    if places.ndim != 1:
        raise InputError(f"{verb}: s has shape {places.shape}; expected (ns,) distances along link {link!r}.")
    off = (places < 0.0) | (places > length)
    if off.any():
        raise InputError(f"{verb}: {places[off][0]:g} m is not on the beam of link {link!r}, 0 to {length:g} m.")
    return places
