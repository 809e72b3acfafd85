"""Section I: the closed form of more links and modes, in symbols."""

from __future__ import annotations

import importlib.util

import numpy as np

from lissom.model.arm import Arm
from lissom.model.beam import Beam, Modes
from lissom.model.joint import Joint
from lissom.model.link import Link
from lissom.papers.claims import ROUNDING, Claim, near
from lissom.papers.deluca1991.two_links import METHOD
from lissom.verbs.dynamics import inverse_dynamics
from lissom.verbs.planar_model import planar_model

LINKS, STATES = 4, 5


def claims() -> list[Claim]:
    """The claim about symbols; none without SymPy."""
    return [_symbols()] if importlib.util.find_spec("sympy") else []


def chain(n: int, modes: int) -> Arm:
    """n flexible links of different lengths with hubs, in a horizontal plane."""
    links = [
        Link(f"link{k + 1}", f"link{k}" if k else None, Joint("revolute"), mass=0.4, inertia=0.05 + 0.01 * k,
             beam=Beam(0.5 - 0.05 * k, 0.2, EI=1.0 + 0.3 * k, modes=Modes(modes)))
        for k in range(n)
    ]  # fmt: skip
    return Arm(f"{n} links", tuple(links), gravity=(0.0, 0.0, 0.0), flexibility=METHOD)


def _symbols() -> Claim:
    """B and h in symbols, evaluated, beside the numbers of the closed form."""
    import sympy

    arm = chain(LINKS, 1)
    model = planar_model(arm)
    symbols = model.sympy()
    names, known = list(symbols.values), list(symbols.values.values())
    run = sympy.lambdify([symbols.q, symbols.qd, names], [symbols.B, symbols.h], "numpy", cse=True)
    rng, worst = np.random.default_rng(5), 0.0
    for _ in range(STATES):
        q, qd, qdd = rng.uniform(-1.0, 1.0, (3, arm.dof))
        q[arm.mode_index] *= 0.05
        B, h = run(q, qd, known)
        tau = np.asarray(B, float) @ qdd + np.ravel(h) + model.K @ q + model.D @ qd
        want = inverse_dynamics(arm, q, qd, qdd)
        worst = max(worst, float(np.abs(tau - want).max() / np.abs(want).max()))
    terms = sum(len(sympy.Add.make_args(x)) for x in (*symbols.B, *symbols.h))
    return near(
        "section I",
        "symbolic manipulation languages prove helpful for automatic model generation",
        "lissom's symbolic export, tested: "
        f"{LINKS} links of one mode: {arm.dof} equations with {terms:,} terms in SymPy's symbols, evaluated at "
        f"{STATES} states within {worst:.0e} of the numbers, relative",
        worst, ROUNDING, "planar_model(arm).sympy(), .latex() and .c() write it out, up to five links",
    )  # fmt: skip
