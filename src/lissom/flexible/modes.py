"""Natural modes of one beam, clamped at its root, with a body at its tip."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.errors import ModelError
from lissom.flexible import bending, elements, rods
from lissom.flexible.beam_modes import BeamModes
from lissom.flexible.elements import ElementModes, Section
from lissom.flexible.quadrature import Panels
from lissom.model.beam import Beam, Tip
from lissom.model.fields import rank
from lissom.spatial.rotations import Array

ELEMENTS = 60
MOST_PER_ELEMENT = 0.25  # modes of a mesh that are still good


def natural_modes(beam: Beam, plane: str, tip: Tip, count: int) -> BeamModes:
    """Natural modes of a beam: exact for uniform beams, by finite elements for tapered ones."""
    stiffness, inertia = section(beam, plane)
    if inertia is None:
        return _without_inertia(beam, plane, stiffness, tip, count)
    if beam.stations is None or (rank(stiffness) == 0 and rank(inertia) == 0):
        return _uniform(beam, plane, float(stiffness), float(inertia), tip, count)
    return _tapered(beam, plane, stiffness, inertia, tip, count)


def section(beam: Beam, plane: str) -> tuple[Any, Any]:
    """Stiffness and inertia per length of a plane of motion; inertia is None if there is none."""
    mu = beam.mass_per_length
    if plane != "torsion":
        return beam.stiffness(plane), mu
    return beam.stiffness(plane), np.asarray(mu) * float(np.sum(beam.gyration**2)) if beam.resists_spin else None


def _uniform(beam: Beam, plane: str, S: float, rho: float, tip: Tip, count: int) -> BeamModes:
    L = beam.length
    if plane.startswith("bending"):
        b, shapes = bending.natural(L, rho, tip, count)
        omega = b**2 * np.sqrt(S / rho)
    else:
        end = tip.polar if plane == "torsion" else tip.mass
        b = rods.wavenumbers(L, rho, end, count)
        omega, shapes = b * np.sqrt(S / rho), rods.shapes(L, rho, end, b)
    mass = rho * L
    return BeamModes(plane, omega / (2 * np.pi), b, mass, np.diag(omega**2 * mass), tip, shapes)


def _without_inertia(beam: Beam, plane: str, stiffness: Any, tip: Tip, count: int) -> BeamModes:
    """Torsion mode of a beam without polar inertia: the tip inertia on a spring."""
    if tip.polar <= 0.0:
        raise ModelError(
            "torsion modes need inertia about the beam's axis: give gyration=(r_y, r_z) of the section, or a payload "
            "with inertia about x. Without it a twist has stiffness but no inertia."
        )
    if count > 1:
        raise ModelError(
            f"{count} torsion modes are requested; without gyration=(r_y, r_z) of the section there is one, of the tip."
        )
    if rank(stiffness):
        panels = Panels(beam.stations)
        compliance = float(panels.w @ (1 / along(beam, stiffness, panels.s)))
    else:
        compliance = beam.length / float(stiffness)
    spring = 1 / compliance
    omega = np.sqrt(np.array([spring / tip.polar]))
    return BeamModes(
        plane, omega / (2 * np.pi), np.zeros(1), tip.polar, np.array([[spring]]), tip, rods.straight(beam.length)
    )


def _tapered(beam: Beam, plane: str, stiffness: Any, inertia: Any, tip: Tip, count: int) -> BeamModes:
    rho, S = section_along(beam, inertia), section_along(beam, stiffness)
    edges = elements.mesh(beam.length, beam.stations, max(ELEMENTS, int(np.ceil(count / MOST_PER_ELEMENT))))
    found: ElementModes
    if plane.startswith("bending"):
        found = elements.bending(edges, rho, S, tip.matrix, count)
    else:
        found = elements.rods(edges, rho, S, tip.polar if plane == "torsion" else tip.mass, count)
    mean_rho, mean_S = float(np.mean(rho(edges))), float(np.mean(S(edges)))
    ratio = found.omega**2 * mean_rho / mean_S
    panels = Panels(edges)
    mass = float(panels.w @ rho(panels.s))
    b = ratio**0.25 if plane.startswith("bending") else ratio**0.5
    return BeamModes(plane, found.omega / (2 * np.pi), b, mass, found.stiffness, tip, found.shapes)


def along(beam: Beam, value: Any, s: Array) -> Array:
    """Section data at positions s, linear between stations; None counts as zero."""
    if value is None:
        return np.zeros_like(s)
    if rank(value) == 0:
        return np.full_like(s, float(value))
    return np.interp(s, beam.stations, np.asarray(value, float))


def section_along(beam: Beam, value: Any) -> Section:
    """Section data as a function of position."""
    return lambda s: along(beam, value, s)
