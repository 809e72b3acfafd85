"""Reproduction of Nasser: recursive forward dynamics compared with Walker and Orin on a Shuttle-like arm."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from lissom.formulations.counting import at, degree_of, polynomial, written
from lissom.model.arm import Arm
from lissom.model.dh import DH
from lissom.model.joint import Joint
from lissom.model.link import Link
from lissom.model.loads import BaseMotion, Load
from lissom.papers.claims import OPEN, Claim, Drawing, Reproduction, judged
from lissom.spatial.rotations import Array
from lissom.verbs.count import count_operations
from lissom.verbs.dynamics import forward_dynamics
from lissom.verbs.timing import time_formulations
from lissom.views.figures.panels import Curve, Panel

TITLE = "Recursive Newton-Euler Formulation of Manipulator Dynamics (Nasser)"
WALKER_ORIN = ("walker_orin_1", "walker_orin_2", "walker_orin_3")


class Counts(NamedTuple):
    """Printed polynomials, constant first, and their values for N = 6."""

    multiplications: tuple[Fraction, ...]
    additions: tuple[Fraction, ...]
    six: tuple[int, int]


COUNTS = Counts((Fraction(-119), Fraction(258)), (Fraction(-83), Fraction(191)), (1429, 1063))


def shuttle_like_arm() -> Arm:
    """A stand-in for the Shuttle Remote Manipulator System: six joints, two long booms, no gravity.

    The paper prints no data. Lengths and masses here are rounded, of the size of the real arm (booms of
    6.4 m and 7.1 m, some hundred kilograms each), and inertias are those of slender tubes; they are a
    stand-in and no source for the real arm.
    """

    def tube(mass: float, length: float) -> dict[str, Any]:
        side = mass * (length**2 / 12 + 0.02)
        return {"mass": mass, "com": (-length / 2, 0.0, 0.0), "inertia": np.diag([mass * 0.04, side, side])}

    quarter = np.pi / 2
    rows = [
        DH(a=0.0, alpha=quarter, d=0.30, mass=95.0, com=(0.02, -0.1, 0.01), inertia=(2.5, 2.0, 2.6), armature=140.0),
        DH(a=6.4, alpha=0.0, d=0.0, armature=150.0, **tube(138.0, 6.4)),
        DH(a=7.1, alpha=0.0, d=0.0, armature=80.0, **tube(85.0, 7.1)),
        DH(a=0.46, alpha=-quarter, d=0.0, armature=25.0, **tube(8.5, 0.46)),
        DH(a=0.76, alpha=quarter, d=0.0, armature=25.0, **tube(45.0, 0.76)),
        DH(a=0.66, alpha=0.0, d=0.0, armature=25.0, **tube(41.0, 0.66)),
    ]  # fmt: skip
    return Arm.from_dh(rows, convention="standard", gravity=(0.0, 0.0, 0.0), name="shuttle-like")


def reproduce(progress: Callable[[str], object] | None = None, timed: bool = True) -> Reproduction:
    """Check every claim of the paper; those about time only when `timed`, which takes half a minute."""
    tell = progress or (lambda _words: None)
    tell("accelerations")
    claims = [_identical(), _two_links(), _tree(), _pushed(), *_counts()]
    claims += _costs(progress) if timed else []
    stand_in = "the data is not printed; a stated stand-in was used"
    claims.append(Claim("Introduction", "tested with the Shuttle RMS data", stand_in, OPEN))
    return Reproduction("nasser", TITLE, tuple(claims), (_drawn(),))


def _drawn() -> Drawing:
    """Multiplications of forward dynamics over the number of joints."""
    joints = range(2, 17)
    curves = []
    for method in ("nasser", *WALKER_ORIN):
        known = {n: _products(method, n) for n in range(2, 7)}
        ours = polynomial(known, degree_of(known))
        curves.append(Curve(method, joints, [float(at(ours, n)) for n in joints]))
    printed = [float(at(COUNTS.multiplications, n)) for n in joints]
    panel = Panel("", "joints", "multiplications", (*curves, Curve("nasser, printed", joints, printed, "o")))
    return Drawing("multiplications", "Multiplications of forward dynamics, dense", (panel,), 1)


def _difference(arm: Arm, methods: tuple[str, ...], rows: int = 50) -> float:
    """Largest relative difference of the hinge accelerations of `nasser` to others."""
    rng = np.random.default_rng(4)
    q, qd = rng.uniform(-1.5, 1.5, (2, rows, arm.dof))
    tau = rng.uniform(-50.0, 50.0, (rows, arm.dof))
    ours = forward_dynamics(arm, q, qd, tau, method="nasser")
    others = [forward_dynamics(arm, q, qd, tau, method=method) for method in methods]
    others.append(forward_dynamics(arm, q, qd, tau))
    return max(float(np.abs(ours - other).max() / np.abs(other).max()) for other in others)


def _identical() -> Claim:
    worst = _difference(shuttle_like_arm(), WALKER_ORIN)
    return judged(
        "Introduction",
        "hinge accelerations identical to Walker-Orin on a six-joint arm",
        f"largest relative difference {worst:.1e} (methods 1, 2, 3 and the fast path)",
        worst < 1e-10,
    )


def _two_links() -> Claim:
    """Compare with the closed form of a planar arm with point-like elbows: M(q) qdd + h = tau."""
    l1, r1, m1, I1, r2, m2, I2, g = 0.7, 0.31, 2.3, 0.09, 0.27, 1.9, 0.06, 9.81
    bodies = {"shoulder": (m1, r1, I1), "fore": (m2, r2, I2)}
    links = [
        Link(name, None if k == 0 else "shoulder", Joint("revolute", _at(0.0 if k == 0 else l1)), m, (r, 0.0, 0.0), I)
        for k, (name, (m, r, I)) in enumerate(bodies.items())
    ]
    arm = Arm("planar", tuple(links), gravity=(0.0, -g, 0.0))
    rng = np.random.default_rng(2)
    worst = 0.0
    for q, qd, tau in np.moveaxis(rng.uniform(-2.0, 2.0, (3, 25, 2)), 0, 1):
        a, b, d = I1 + m1 * r1**2 + I2 + m2 * (l1**2 + r2**2), m2 * l1 * r2, I2 + m2 * r2**2
        M = np.array([[a + 2 * b * np.cos(q[1]), d + b * np.cos(q[1])], [d + b * np.cos(q[1]), d]])
        h = b * np.sin(q[1]) * np.array([-(2 * qd[0] + qd[1]) * qd[1], qd[0] ** 2])
        fall = m2 * r2 * g * np.cos(q[0] + q[1])
        weight = np.array([(m1 * r1 + m2 * l1) * g * np.cos(q[0]) + fall, fall])
        want = np.linalg.solve(M, tau - h - weight)
        got = forward_dynamics(arm, q, qd, tau, method="nasser")
        worst = max(worst, float(np.abs(got - want).max() / np.abs(want).max()))
    return judged(
        "Introduction",
        "verified analytically on a planar two-link arm",
        f"largest relative difference to the closed form {worst:.1e}",
        worst < 1e-12,
    )


def _at(x: float) -> Array:
    X = np.eye(4)
    X[0, 3] = x
    return X


def _tree() -> Claim:
    """Claim about trees: two arms on a column that turns and slides."""
    rng = np.random.default_rng(7)
    links = []
    for k, parent in enumerate((None, "0", "1", "2", "3", "1", "5", "6")):
        X = np.eye(4)
        X[:3, 3] = rng.uniform(-0.4, 0.4, 3)
        kind = "prismatic" if k in (1, 4) else "revolute"
        joint = Joint(kind, X, rng.normal(size=3), armature=0.05 * k)
        links.append(Link(str(k), parent, joint, rng.uniform(1.0, 4.0), rng.uniform(-0.2, 0.2, 3), (0.05, 0.06, 0.07)))
    worst = _difference(Arm("two arms", tuple(links), gravity=(1.0, -2.0, -9.0)), WALKER_ORIN)
    return judged(
        "section 2.3",
        "rotational and translational joints and a topological tree",
        f"largest relative difference {worst:.1e} on a branched arm of eight joints",
        worst < 1e-10,
    )


def _pushed() -> Claim:
    """Claim about base motion and external forces on two links."""
    arm = shuttle_like_arm()
    rng = np.random.default_rng(9)
    q, qd, tau = rng.uniform(-1.0, 1.0, (3, 20, arm.dof))
    around: dict[str, Any] = {
        "base": BaseMotion(*rng.uniform(-0.5, 0.5, (3, 3))),
        "loads": [
            Load(arm.links[k].name, rng.uniform(-20.0, 20.0, 3), rng.uniform(-20.0, 20.0, 3), rng.uniform(-1.0, 1.0, 3))
            for k in (2, 5)
        ],
    }
    ours = forward_dynamics(arm, q, qd, tau, method="nasser", **around)
    want = forward_dynamics(arm, q, qd, tau, **around)
    worst = float(np.abs(ours - want).max() / np.abs(want).max())
    return judged(
        "sections 2.1, 3.1",
        "prescribed base motion, control and external forces and torques",
        f"largest relative difference to the fast path {worst:.1e}",
        worst < 1e-10,
    )


def _counts() -> list[Claim]:
    counts = {n: count_operations("nasser", n) for n in range(2, 9)}
    out = []
    for word in ("multiplications", "additions"):
        printed = list(getattr(COUNTS, word))
        values = {n: getattr(c, word) for n, c in counts.items()}
        folded = getattr(counts[6].folded, word)
        ours = polynomial(values, degree_of(values))
        out.append(
            judged(
                "section 3.3",
                f"{written(printed).replace('n', 'N')} {word}",
                f"{written(ours).replace('n', 'N')} dense; {folded} for N = 6 after folding a PUMA-like arm "
                f"(printed: {sum(c * 6**k for k, c in enumerate(printed))})",
                ours == printed,
                "the paper states no rule and no sparseness that it used; for N >= 2",
            )
        )
    return out


def _costs(progress: Callable[[str], object] | None) -> list[Claim]:
    sizes = (4, 6, 8, 12, 16)
    found = time_formulations(("nasser", *WALKER_ORIN), joints=sizes, seconds=8.0, progress=progress)
    times = {(row.method, row.joints): row.nanoseconds for row in found}
    mine = [(n, times["nasser", n]) for n in sizes if ("nasser", n) in times]
    exponent = float(np.polyfit(np.log([n for n, _ in mine]), np.log([t for _, t in mine]), 1)[0])
    dense = {m: count_operations(m, 6).multiplications for m in ("nasser", *WALKER_ORIN)}
    listed = ", ".join(f"{m} {times[m, 6]:.0f} ns" for m in ("nasser", *WALKER_ORIN) if (m, 6) in times)
    values = {n: _products("nasser", n) for n in range(2, 8)}
    degree = degree_of(values)
    fewest = min(dense, key=lambda m: dense[m])
    cross = next(n for n in range(6, 99) if _products("nasser", n) < _products("walker_orin_3", n))
    return [
        judged(
            "Introduction",
            "computational requirements vary linearly with the number of joints",
            f"count of degree {degree}; measured exponent {exponent:.2f} from {mine[0][0]} to {mine[-1][0]} joints",
            degree == 1,
        ),
        judged(
            "Introduction",
            "efficiency exceeds that of Walker-Orin methods",
            f"n = 6, as written: {listed}; multiplications {', '.join(f'{m} {c}' for m, c in dense.items())}",
            fewest == "nasser",
            f"with dense 6x6 products method 3 is cheaper; by multiplications nasser wins from n = {cross} on",
        ),
    ]


def _products(method: str, n: int) -> int:
    return count_operations(method, n).multiplications
