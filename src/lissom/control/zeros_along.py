"""Zeros of the motion of a point, for points along a link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.control.linearise import linearise
from lissom.control.zeros import invariant_zeros, phase_verdict
from lissom.errors import InputError
from lissom.kernels.arguments import as_arm, as_numbers
from lissom.listing import Listing
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array

PLACES = 40


@dataclass(frozen=True, eq=False)
class ZerosAlongLink:
    """Zeros of the motion of a point, for points along a link.

    Attributes
    ----------
    link : str
    rows : str or sequence       which rows of the point's motion are the outputs
    s : (ns,)                    distances from the root of the link [m]
    zeros : tuple of (k,)        zeros at each place [1/s]
    minimum_phase : tuple of str     "yes", "marginal" or "no" at each place
    """

    link: str
    rows: str | Sequence[str]
    s: Array
    zeros: tuple[NDArray[np.complex128], ...]
    minimum_phase: tuple[str, ...]

    @property
    def crossing(self) -> float | None:
        """Distance from the root of the first place with a zero in the right half plane; None: there is none."""
        return next((float(s) for s, word in zip(self.s, self.minimum_phase, strict=True) if word == "no"), None)

    @property
    def verdict(self) -> str:
        """Where the motion of the point is non-minimum phase, as words."""
        words = self.minimum_phase
        if "no" not in words:
            return "no zero in the right half plane"
        if all(word == "no" for word in words):
            return "non-minimum phase everywhere"
        again = "" if all(word == "no" for word in words[words.index("no") :]) else ", with gaps"
        return f"non-minimum phase from {self.crossing:.4g} m on{again}"

    def describe(self) -> str:
        """Return a table of the places, with the zero farthest to the right, as text."""
        heads = ("s m", "minimum phase", "zero farthest right 1/s")
        rows = [
            (f"{s:.4g}", word, "-" if not len(z) else f"{z[np.argmax(z.real)]:.4g}")
            for s, word, z in zip(self.s, self.minimum_phase, self.zeros, strict=True)
        ]
        return "\n".join([f"zeros of points along link {self.link!r}", "", *Listing.of(heads, rows).lines()])

    def __str__(self) -> str:
        return self.describe()


def zeros_along(
    arm: Arm, q: ArrayLike, link: str, rows: str | Sequence[str], s: ArrayLike | None = None
) -> ZerosAlongLink:
    """Zeros of the motion of a point of a flexible link, as the point is moved from root to tip.

    They tell where along a link the output may lie, so that its inverse is stable. The answer depends on the number of
    modes: with n modes the first zero crosses into the right half plane at about 1/n of the length of a link.

    Parameters
    ----------
    arm : Arm
    q : (dof,)                   positions; one entry per joint is accepted
    link : str                   a link with a beam
    rows : str or sequence       as many of x, y, z, rx, ry, rz of the point as there are actuators: "xy"
    s : (ns,) or None            distances from the root [m]; None: 40 places up to the tip

    Returns
    -------
    ZerosAlongLink
        ``.crossing`` is the first place with a zero in the right half plane, `.verdict` the same in
        words; `print` and `plot` show it

    Examples
    --------
    >>> import lissom as ls
    >>> beam = ls.Beam(0.5, 0.2, EI=1.0, modes=ls.Modes(bending_z=2))
    >>> arm = ls.Arm("rod", [ls.Link("rod", beam=beam)], gravity=(0, 0, 0))
    >>> found = ls.zeros_along(arm, [0.0, 0.0, 0.0], "rod", "y", [0.1, 0.25, 0.5])
    >>> found.minimum_phase, found.crossing
    (('marginal', 'no', 'no'), 0.25)
    """
    verb = "zeros_along"
    beam = as_arm(arm, verb).link(link).beam
    if beam is None:
        raise InputError(f"{verb}: link {link!r} has no beam; expected a link with one.")
    if s is None:  # the root of a link need not move
        places = np.linspace(0.0, beam.length, PLACES + 1)[1:]
    else:
        places = np.atleast_1d(as_numbers(s, "s", verb))
    if places.ndim != 1 or not len(places):
        raise InputError(f"{verb}: s has shape {places.shape}; expected (ns,) distances along link {link!r}.")
    outputs = ((link, (float(place), 0.0, 0.0)) for place in places)
    found = [invariant_zeros(linearise(arm, q, output=point, rows=rows)) for point in outputs]
    return ZerosAlongLink(link, rows, places, tuple(found), tuple(phase_verdict(zeros, None) for zeros in found))
