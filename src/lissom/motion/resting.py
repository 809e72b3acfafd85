"""Rows of an end at rest whose joints are not all given: what no motor holds is where nothing pulls at it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca
import numpy as np
from scipy import sparse

from lissom.kernels.cache import cache_of
from lissom.kernels.keys import fingerprint
from lissom.motion.program import Block
from lissom.motion.rubbing import SLOW
from lissom.motion.sample import LANES, Sample
from lissom.motion.torques import torques

if TYPE_CHECKING:
    from lissom.motion.build import Problem


def resting(problem: Problem, s: float, word: str) -> Block | None:
    """Of the unactuated coordinates that are free at an end and have no rate there; None where there are none."""
    free = np.isnan(problem.given(word)) & (problem.rates(word) == 0.0) & ~problem.arm.actuated
    if not free.any():
        return None
    sample = _sample(problem)
    some = np.flatnonzero(free)
    some = some[np.isin(some, sample.jacobian[0])]  # of the others, any place is one to rest at
    rows = sparse.csr_array((np.ones(len(some)), (np.arange(len(some)), some)), shape=(len(some), LANES * sample.m))
    zero, names = np.zeros(len(some)), [("rest", problem.names[k], s) for k in some]
    at = np.full(LANES, s)
    return Block(sample, at, np.zeros(LANES), rows, zero, zero, names, problem.load_data(at)[:, : sample.data])


def _sample(problem: Problem) -> Sample:
    """Torques that hold positions."""
    key = f"rest|{fingerprint(problem.bodies, problem.setting)}"
    n, count = problem.n, len(problem.frames)

    def rows(z):  # type: ignore[no-untyped-def]
        loads = [z.data[9 * k : 9 * k + 9] for k in range(count)]
        still = ca.SX.zeros(n)
        return torques(problem.bodies, problem.setting, z.q, still, still, loads, np.full(n, SLOW)), 0.0

    return cache_of(problem.arm).stored("sample", key, lambda: Sample(key, n, rows, 3, 9 * count))
