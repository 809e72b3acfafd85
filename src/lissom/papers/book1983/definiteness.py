"""(37), (72), (73): the deflections at which the truncated inertia matrix is no longer positive definite."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

from lissom.errors import IndefiniteInertia
from lissom.model.arm import Arm
from lissom.papers.book1983.arms import TRUNCATIONS, named, six_joint_arm, slopes_of, three_joint_arm, two_link_arm
from lissom.papers.claims import Claim, Drawing, limited
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import mass_matrix
from lissom.views.figures.panels import Curve, Panel

POSES = 120
SLOPES = np.geomspace(0.003, 0.4, 60)  # of the steepest tip [rad]
ORDINARY = {"six joints": six_joint_arm, "three joints": three_joint_arm}
WORST = "two light links"
STYLES = {"linear": "-", "book": "-", "book_37": "-", "book_72": "--"}


class Lowest(NamedTuple):
    """Smallest eigenvalues (poses, slopes) of the inertia matrix by model of flexibility."""

    name: str
    values: dict[str, Array]

    def first(self, word: str) -> float:
        """The least slope at which some pose has a negative one [rad]."""
        return float(SLOPES[(self.values[word] < 0).any(axis=0)].min(initial=np.inf))

    def relative(self, word: str) -> Array:
        """(slopes,) the worst of all poses, relative to the undeflected arm."""
        return np.asarray((self.values[word] / self.values["linear"][:, :1]).min(axis=0))


def claim_and_drawing() -> tuple[Claim, Drawing]:
    """The claim about small deflections, and its figure."""
    worst = _lowest(WORST, two_link_arm("linear"), ("linear", *TRUNCATIONS))
    others = [_lowest(name, make("linear"), ("linear", "book")) for name, make in ORDINARY.items()]
    return _claim(worst, others), _drawing(worst, others)


def _lowest(name: str, arm: Arm, words: tuple[str, ...]) -> Lowest:
    """Random poses and directions of deflection; in each the steepest tip has every slope in turn."""
    rng, modes = np.random.default_rng(0), list(arm.mode_index)
    q = rng.uniform(-np.pi, np.pi, (POSES, 1, arm.dof)) * np.ones((1, len(SLOPES), 1))
    unit = slopes_of(arm)
    ways = rng.normal(size=(POSES, len(modes))) / unit
    flexible = sum(link.flexible for link in arm.links)
    steepest = np.abs(ways * unit).reshape(POSES, flexible, -1).sum(axis=2).max(axis=1)
    q[..., modes] = (ways / steepest[:, None])[:, None] * SLOPES[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IndefiniteInertia)
        found = {word: np.linalg.eigvalsh(mass_matrix(arm.replace(flexibility=word), q))[..., 0] for word in words}
    return Lowest(name, {word: np.asarray(values, float) for word, values in found.items()})


def _claim(worst: Lowest, others: list[Lowest]) -> Claim:
    found = "; ".join(f"{TRUNCATIONS[word]}: {worst.first(word):.3f} rad" for word in TRUNCATIONS)
    first = min(worst.first(word) for word in TRUNCATIONS)
    ordinary = ", ".join(f"{x.name}: {_slope(x.first('book'))}" for x in others)
    least = min(float(x.values["linear"].min()) for x in (worst, *others))
    usual = min(x.first("book") for x in others)
    holds = 0.003 < first < 0.1 and least > 0 and usual > 2 * first
    return limited(
        "(37), (72), (73)",
        "second-order terms can be ignored, and rotations are orthogonal, so that the inertia coefficients simplify",
        f"{POSES} poses, J is no longer positive definite from these slopes of a tip on: {WORST} under a payload of "
        f"twice the mass of one link, truncated by {found}; ordinary arms, by all: {ordinary}. Without truncation "
        f"never (smallest eigenvalue {least:.1e} kg m^2)",
        holds,
        f"slopes below {first:.3f} rad in the worst case, below {usual:.3f} rad on ordinary arms",
        "flexibility='linear' keeps the terms and stays positive definite",
    )


def _slope(first: float) -> str:
    return f"{first:.3f} rad" if np.isfinite(first) else f"not up to {SLOPES[-1]:g} rad"


def _drawing(worst: Lowest, others: list[Lowest]) -> Drawing:
    curves = [Curve(named(word), SLOPES, worst.relative(word), STYLES[word]) for word in worst.values]
    ends = [worst.first(word) for word in TRUNCATIONS]
    curves.append(Curve("no longer positive definite", ends, [0.0] * len(ends), "o"))
    ordinary = [Curve(f"{x.name}, {named(word)}", SLOPES, x.relative(word), style)
                for x in others for word, style in (("linear", "--"), ("book", "-"))]  # fmt: skip
    axes = ("steepest slope of a tip [rad]", "relative to the undeflected arm")
    return Drawing("definiteness", f"Smallest eigenvalue of the inertia matrix, the worst of {POSES} poses", (
        Panel(WORST, *axes, tuple(curves), ("log", "linear"), (-1.5, 1.5), beside=True),
        Panel("ordinary arms", *axes, tuple(ordinary), ("log", "linear"), (-1.5, 1.5), beside=True),
    ), 1)  # fmt: skip
