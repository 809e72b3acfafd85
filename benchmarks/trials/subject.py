"""A robot under trial, and what a trial reports."""

from __future__ import annotations

import sysconfig
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import lissom as ls

ROBOTS = Path(sysconfig.get_path("purelib")) / "cmeel.prefix/share/example-robot-data/robots"
UNLIMITED = np.pi  # rad or m: how far a joint without limits is moved from zero


class Outcome(NamedTuple):
    """The result of one trial.

    ok : the trial met its expectation
    error : worst error, in the unit that the trial states; None where there is none
    note : sentence of a refusal, or what was found; empty where nothing is worth saying
    """

    ok: bool
    error: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Subject:
    """A robot as a user would load it."""

    file: str
    seed: int

    @property
    def name(self) -> str:
        """Name of the file, with its folder where several robots share it."""
        path = Path(self.file)
        return f"{path.parts[0].removesuffix('_description')}/{path.stem}" if path.stem == "anymal" else path.stem

    @property
    def path(self) -> Path:
        return ROBOTS / self.file

    @cached_property
    def arm(self) -> ls.Arm:
        """The arm, its inertias repaired only where the file as it stands is refused."""
        try:
            return ls.load(self.path, fixed="merge")
        except ls.ModelError:
            return ls.load(self.path, fixed="merge", repair=True)

    def rng(self, word: str) -> np.random.Generator:
        """Random numbers that depend on robot, trial and seed alone."""
        return np.random.default_rng([self.seed, *word.encode(), *self.file.encode()])

    @cached_property
    def range(self) -> tuple[np.ndarray, np.ndarray]:
        """(dof,) lowest and highest positions; a half turn or metre on each side where there is no limit."""
        lower, upper = self.arm.bounds("position")
        return np.where(np.isfinite(lower), lower, -UNLIMITED), np.where(np.isfinite(upper), upper, UNLIMITED)

    @cached_property
    def middle(self) -> np.ndarray:
        """(dof,) the middle of the range of every joint."""
        return np.mean(self.range, axis=0)

    def states(self, word: str, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(count, dof) positions within the range, rates and accelerations."""
        rng, n = self.rng(word), self.arm.dof
        q = rng.uniform(*self.range, (count, n))
        return q, rng.normal(size=(count, n)), rng.normal(scale=3.0, size=(count, n))


def relative(ours: Any, theirs: Any) -> float:
    """Largest difference beside the largest entry."""
    return float(np.abs(np.asarray(ours) - theirs).max(initial=0.0) / max(np.abs(theirs).max(initial=0.0), 1e-300))
