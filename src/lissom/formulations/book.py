"""Operation counts of Book 1983's simulation form: J (66)-(81) and R (83)-(90), without solving J zdd = R.

The equations themselves are in `elements.book`, where every verb of an arm with `flexibility="book"` or "linear"
finds them. They are counted as they are compiled, for the constants of a given arm: products with 0 and 1, sums
with 0 and whatever is between constants are free, and what is needed twice is computed once. A division counts as
a product; signs, sines and cosines are free. Mass matrix and bias forces of other arms are counted in the same way.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from lissom.dynamics import acting, inverse, mass
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.refusals import refuse_unready
from lissom.engine.program import Inline
from lissom.engine.symbolics import alone
from lissom.formulations.counting import Count
from lissom.model.arm import Arm


def printed_multiplications(n: int, flexible: int, m: int) -> float:
    """The paper's polynomial (section 6) for n joints and `flexible` links of m modes."""
    f = flexible
    return (
        6 * f**2 * m**2 + 17.5 * f * m**2 + 118 * f**2 * m + 74 * n * f * m + 137.5 * f * m
        + 84 * n**2 + 86 * n * f + 279 * n + 126 * f - 57
    )  # fmt: skip


def printed_additions(n: int, flexible: int, m: int) -> float:
    """The paper's polynomial of additions for n joints and `flexible` links of m modes."""
    f = flexible
    return (
        6.5 * f**2 * m**2 + 19 * f * m**2 + 115.5 * f**2 * m + 68 * n * f * m + 123 * f * m
        + 85 * n**2 + 80 * n * f + 329 * n + 111 * f - 91
    )  # fmt: skip


def simulation_form(run: Any, bodies: Bodies) -> None:
    """Inputs q, qd; outputs J, its upper triangle, and -R."""
    n = bodies.dof
    q, qd = run.input(n), run.input(n)
    base = acting.base_motion(run, bodies)
    run.output(*mass.matrix(run, bodies, q, tape=False).values())
    run.output(*inverse.joint_torques(run, bodies, q, qd, run.constant(np.zeros(n)), base, []))


@alone
def count_simulation_form(arm: Arm) -> Count:
    """Multiplications and additions of J and R for one state of an arm."""
    refuse_unready(arm)
    run = Inline()
    simulation_form(run, Bodies(arm))
    done = Counter(node.op for node in run.graph(fuse=False).nodes)
    return Count(done["mul"] + done["div"], done["add"] + done["sub"])
