"""Operation counts of the published formulations."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom.errors import InputError, UnsupportedError, shown, suggest
from lissom.model.arm import Arm
from lissom.model.beam import Beam, Modes
from lissom.model.dh import DH
from lissom.model.link import Link

if TYPE_CHECKING:
    from lissom.formulations.catalogue import Formulation

# Twists, lengths and offsets of the PUMA 560, repeated for arms of another length.
PUMA_TWISTS = (90.0, 0.0, -90.0, 90.0, -90.0, 0.0)
PUMA_LENGTHS = (0.0, 0.4318, 0.0203, 0.0, 0.0, 0.0)
PUMA_OFFSETS = (0.0, 0.0, 0.15005, 0.4318, 0.0, 0.0)


class OperationCount(NamedTuple):
    """Multiplications and additions by the dense rule, and `folded` those left after zero folding."""

    multiplications: int
    additions: int
    folded: OperationCount | None = None


def count_operations(method: str, arm_or_n: Arm | int) -> OperationCount:
    """Multiplications and additions of a formulation.

    Dense rule, as Hollerbach 1980 counts: every product and sum counts, whatever its values; a division counts
    as a product; signs, sines, cosines and the entries of the joint transforms are free, as are values
    that begin a recursion. Loads are left out, and of the drives all but the inertia in forward dynamics.
    Folded: products with 0 or 1, sums with 0 and
    operations between constants of the given arm are free too.

    Parameters
    ----------
    method : str                 a formulation's name
    arm_or_n : Arm or int        an arm, or a number of joints: a generic revolute arm, and for the folded
                                 count one with the twists and lengths of a PUMA 560; for `de_luca_siciliano` a
                                 planar arm of so many flexible links with two modes each, inverse dynamics

    Returns
    -------
    OperationCount
        `.multiplications`, `.additions`, and `.folded` with the same fields

    Examples
    --------
    >>> import lissom as ls
    >>> ls.count_operations("waters", 6)[:2]
    (6069, 4686)
    """
    return _counted(_known(method), arm_or_n if isinstance(arm_or_n, Arm) else _joints(arm_or_n))


@functools.lru_cache(maxsize=256)  # tables and polynomials ask for the same arms again
def _counted(f: Formulation, arm_or_n: Arm | int) -> OperationCount:
    from lissom.dynamics.acting import Acting
    from lissom.dynamics.bodies import Bodies
    from lissom.dynamics.planar.chain import Planar
    from lissom.dynamics.planar.equations import Equations
    from lissom.dynamics.refusals import refuse_unready
    from lissom.formulations.catalogue import refuse_uncovered
    from lissom.formulations.counting import count, count_planar
    from lissom.formulations.linkage import Linkage

    generic = bending_chain if f.planar else puma_like
    arm = arm_or_n if isinstance(arm_or_n, Arm) else generic(arm_or_n)
    refuse_unready(arm)
    bodies = Bodies(arm)
    if not len(bodies):
        raise UnsupportedError(
            f"count_operations: arm {arm.name!r} has no joint that moves; there is nothing to count."
        )
    refuse_uncovered(f, arm, bodies, Acting(), f.verbs[0], "count_operations")
    if f.planar:
        equations = Equations.of(Planar(bodies))
        dense, folded = (count_planar(f, equations, folded=way) for way in (False, True))
    else:
        linkage = Linkage(bodies)
        dense, folded = (count(f, linkage, folded=way) for way in (False, True))
    return OperationCount(*dense, OperationCount(*folded))


def _known(method: Any) -> Formulation:
    from lissom.formulations.catalogue import ALL, named

    found = named(method)
    if found is None:
        raise InputError(f"count_operations: method is {shown(method)}; {suggest(str(method), ALL)}")
    return found


def _joints(arm_or_n: Any) -> int:
    if isinstance(arm_or_n, bool) or not isinstance(arm_or_n, int | np.integer) or arm_or_n < 1:
        raise InputError(
            f"count_operations: got {shown(arm_or_n)}; expected an Arm or a number of joints of at least 1."
        )
    return int(arm_or_n)


def bending_chain(n: int) -> Arm:
    """A planar arm of n flexible links with two modes each, in a horizontal plane, hubs on the joints."""
    links = tuple(
        Link(f"link{k + 1}", f"link{k}" if k else None, mass=0.9, inertia=0.02,
             beam=Beam(0.5, 0.3, EI=(None, 2.0), modes=Modes(bending_z=2)))
        for k in range(n)
    )  # fmt: skip
    return Arm(f"bending chain {n}", links, gravity=(0.0, 0.0, 0.0))


def puma_like(n: int) -> Arm:
    """A revolute arm of n joints that repeats the geometry of a PUMA 560, with generic inertias."""
    rows = []
    for k in range(n):
        part = k % 6
        rows.append(DH(
            a=PUMA_LENGTHS[part], alpha=np.deg2rad(PUMA_TWISTS[part]), d=PUMA_OFFSETS[part], theta=0.0, mass=3.0,
            com=(0.05, -0.03, 0.11), inertia=[[0.05, 0.004, 0.003], [0.004, 0.06, 0.002], [0.003, 0.002, 0.04]],
        ))  # fmt: skip
    return Arm.from_dh(rows, convention="standard", gravity=(0.0, 0.0, -9.81), name=f"puma-like {n}")
