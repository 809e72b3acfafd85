"""How far flexible links may bend along a motion: deflection of their tips, strain or stress at their roots.

All are linear in the amplitudes of a link, so a limit on the control points of the amplitudes holds at all times.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from lissom.errors import InputError, ModelError
from lissom.model.arm import Arm
from lissom.motion.splines.curves import Curves
from lissom.motion.task.bending_limits import QUANTITIES, BendingLimit
from lissom.motion.transcription.constraints.constraint import AbstractConstraint, Look
from lissom.motion.transcription.peak import Peak
from lissom.motion.transcription.rows import Scaled
from lissom.spatial.rotations import Array
from lissom.verbs.deformation import Rule, amplitudes

SLACK = 1e-9  # of a limit
UNIT = 1e-3  # amplitude at which fields are asked for; what is quadratic in it drops out


class Measure(NamedTuple):
    """One limited quantity of a link: rows @ amplitudes, each between -limit and limit."""

    quantity: str
    link: str
    columns: NDArray[np.intp]
    rows: Array
    limit: float


def measures_of(arm: Arm, limits: Sequence[BendingLimit], verb: str) -> list[Measure]:
    """Return the measures of all that is limited."""
    out = []
    for one in limits:
        try:
            labels = arm.link(one.link).mode_labels
        except ModelError as error:
            raise InputError(f"{verb}: bending: {error}") from None
        if not labels:
            raise InputError(f"{verb}: bending: link {one.link!r} is rigid; bending limits need a flexible link.")
        span = amplitudes(arm, one.link)
        columns = np.arange(span.start, span.stop)
        for quantity in QUANTITIES:
            limit = getattr(one, quantity)
            if limit is not None:
                rows = _deflections(arm, one, verb) if quantity == "deflection" else _strains(arm, one, verb)
                rows = rows * one.youngs_modulus if quantity == "stress" else rows
                out.append(Measure(quantity, one.link, columns, rows[np.abs(rows).max(axis=1) > 0], limit))
    return out


def _deflections(arm: Arm, one: BendingLimit, verb: str) -> Array:
    """(2, m) of the tip along y and z, by unit amplitudes."""
    link = arm.link(one.link)
    if link.modes is not None:
        return np.asarray(link.modes.tip_shift)[:, 1:].T
    rule, unit = Rule(arm, one.link, [link.tip[0, 3]], verb), UNIT * np.eye(len(link.mode_labels))
    shift = (rule(unit).displacement - rule(-unit).displacement)[:, 0] / (2 * UNIT)
    return np.asarray(shift[:, 1:].T)


def _strains(arm: Arm, one: BendingLimit, verb: str) -> Array:
    """(corners, m) of the corners of the root's section, by unit amplitudes.

    In bending alone opposite corners have opposite strains, so two of the four say it all; a link that stretches too
    needs all of them.
    """
    bent = Rule(arm, one.link, [0.0], verb)(np.eye(len(arm.link(one.link).mode_labels)))
    y, z = one.half_height
    kept: list[Array] = []
    for corner in ((y, z), (y, -z), (-y, z), (-y, -z)):
        row = bent.strain(*corner)[:, 0]
        if not any(np.array_equal(row, sign * other) for other in kept for sign in (1, -1)):
            kept.append(row)
    return np.stack(kept)


class BendingLimits(AbstractConstraint):
    """Limits of deflection, strain and stress of flexible links."""

    def __init__(self, arm: Arm, limits: Sequence[BendingLimit], verb: str) -> None:
        self.measures = measures_of(arm, limits, verb)

    def linear(self, curves: Curves) -> list[Scaled]:
        """Limits on control points; those that the ends fix are left out."""
        out = []
        for one in self.measures:
            space, at = next((s, at) for s, at in zip(curves.spaces, curves.offsets, strict=True)
                             if one.columns[0] in s.coordinates)  # fmt: skip
            width, count = len(space.coordinates), space.basis.count
            picked = np.zeros((len(one.rows), width))
            picked[:, [space.coordinates.index(k) for k in one.columns]] = one.rows
            each = sparse.csr_array(sparse.kron(sparse.eye(count), sparse.csr_array(picked)))
            block = slice(at, at + count * width)
            A, c = sparse.csr_array(each @ curves.points.A[block]), each @ curves.points.c[block]
            some = np.flatnonzero(np.diff(A.indptr) > 0)
            zero, most = np.zeros(len(some)), np.full(len(some), one.limit)
            s = np.repeat(space.basis.greville, len(one.rows))
            names = [(one.quantity, one.link, float(s[k])) for k in some]
            out.append(Scaled(A[some], c[some], zero, 0, -most, most, names))
        return out

    def peaks(self, look: Look) -> list[Peak]:
        """The largest utilisation of every limit."""
        return self._peaks(look.q, look.s * look.T)

    def refuse_place(self, word: str, q: Array, s: float, verb: str) -> None:
        """Refuse ends that sag too far."""
        for peak in self._peaks(q[None], np.zeros(1)) if s in (0.0, 1.0) else []:
            if peak.utilisation > 1 + SLACK:
                raise InputError(
                    f"{verb}: at the {word} the {peak.quantity} of link {peak.joint!r} is {abs(peak.value):.4g} at "
                    f"rest, and its limit is {peak.limit:.4g}. Give another {word}, or a wider limit."
                )

    def _peaks(self, q: Array, t: Array) -> list[Peak]:
        out = []
        for one in self.measures:
            values = q[:, one.columns] @ one.rows.T
            at, k = np.unravel_index(int(np.argmax(np.abs(values))), values.shape)
            value = float(values[at, k])
            out.append(Peak(one.quantity, one.link, float(t[at]), value, one.limit, abs(value) / one.limit))
        return out
