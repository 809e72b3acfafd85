"""Vibration: natural modes of beams."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lissom.errors import InputError, ModelError, shown
from lissom.model.beam import Beam, Tip

if TYPE_CHECKING:
    from lissom.flexible.modes import BeamModes

MOST_MODES = 200


def beam_modes(beam: Beam, tip: Tip | None = None, count: int = 4, plane: str = "bending_z") -> BeamModes:
    """Natural modes of one beam, clamped at its root, with a body at its tip.

    Exact for uniform beams (no root is missed, also of heavy tips and high modes), by finite elements for
    tapered ones.

    Parameters
    ----------
    beam : Beam
    tip : Tip or None      mass, inertia and offset moment at the tip; None: free
    count : int            how many, lowest first
    plane : str            "bending_z" (deflection along y), "bending_y", "torsion" or "stretch"

    Returns
    -------
    BeamModes
        scaled so that the modal mass, the tip included, is the mass of the beam; curvature at the root positive

    Examples
    --------
    >>> import lissom as ls
    >>> forearm = ls.Beam(0.5, 0.2, EI=1.0)
    >>> modes = ls.beam_modes(forearm, ls.Tip(mass=0.1, inertia=0.0005), count=2)
    >>> modes.frequencies_hz.round(2), modes.shape(0.5).round(3)
    (array([ 2.18, 15.91]), array([ 0.883, -0.069]))
    """
    from lissom.flexible.modes import PLANES, natural_modes, section

    if not isinstance(beam, Beam):
        raise InputError(f"beam_modes: got {shown(beam)}; expected a Beam.")
    if tip is not None and not isinstance(tip, Tip):
        raise InputError(f"beam_modes: tip is {shown(tip)}; expected Tip(mass, inertia, offset_moment).")
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_MODES:
        raise InputError(f"beam_modes: count is {shown(count)}; expected a whole number from 1 to {MOST_MODES}.")
    if plane not in PLANES:
        raise InputError(f"beam_modes: plane is {shown(plane)}; expected one of {', '.join(PLANES)}.")
    if section(beam, plane)[0] is None:
        word = {"bending_z": "EI_z", "bending_y": "EI_y", "torsion": "GJ", "stretch": "EA"}[plane]
        raise InputError(f"beam_modes: the beam has no {word}; give it for {plane}.")
    try:
        return natural_modes(beam, plane, tip or Tip(), count)
    except ModelError as error:
        raise InputError(f"beam_modes: {error}") from None
