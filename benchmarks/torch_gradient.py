"""Value and gradient of a batch of states through PyTorch and JAX, against lissom's own calls.

    python benchmarks/torch_gradient.py [--states 4096] [--rounds 40]

Own calls are `inverse_dynamics` and `inverse_dynamics_product` with the same weights. PyTorch computes the value of
`torch_function` and goes backward; JAX has a jitted `vjp`. One process on one core, each interleaved with our own, CPU
time, best of the rounds (and the ratio of medians, for the noise). Results are compared before they are timed. Ratios
are what compares between machines.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"

import jax
import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parent))
from timing import race

import lissom as ls

BAR = 1.3  # through torch, times our own calls, at most
AGREES = 1e-12  # relative to the largest entry


def through_torch(arm: ls.Arm, x: np.ndarray, w: np.ndarray) -> Callable[[], list[Any]]:
    f = ls.torch_function(arm, "inverse_dynamics")
    states = [torch.tensor(part, requires_grad=True) for part in x]
    weights = torch.tensor(w)

    def call() -> list[Any]:
        for state in states:
            state.grad = None
        tau = f(*states)
        tau.backward(weights)
        return [tau.detach(), *(state.grad for state in states)]

    return call


def through_jax(arm: ls.Arm, x: np.ndarray, w: np.ndarray) -> Callable[[], list[Any]]:
    f = ls.jax_function(arm, "inverse_dynamics")

    @jax.jit
    def weighted(*state: Any) -> Any:
        tau, back = jax.vjp(f, *state)
        return tau, *back(jax.numpy.asarray(w))

    states = [jax.numpy.asarray(part) for part in x]
    return lambda: [y.block_until_ready() for y in weighted(*states)]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--states", type=int, default=4096)
    options.add_argument("--rounds", type=int, default=40)
    given = options.parse_args()
    if hasattr(os, "sched_setaffinity"):  # one core: work is not shared among threads, whose waiting costs time too
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    torch.set_num_threads(1)
    jax.config.update("jax_enable_x64", True)
    arm = ls.load("panda")
    *x, w = np.random.default_rng(0).normal(size=(4, given.states, arm.dof))

    def own() -> list[Any]:
        return [ls.inverse_dynamics(arm, *x), *ls.inverse_dynamics_product(arm, *x, w)]

    expected, failed = own(), False
    for name, through in (("torch", through_torch), ("jax", through_jax)):
        call = through(arm, np.array(x), w)
        worst = max(abs(np.asarray(a) - b).max() / abs(b).max() for a, b in zip(call(), expected, strict=True))
        assert worst < AGREES, f"{name}: results differ by {worst:.1e}"
        found = race({"own": (own, given.states), name: (call, given.states)}, given.rounds)
        ratios = [theirs / ours for theirs, ours in zip(found[name], found["own"], strict=True)]
        print(
            f"{name:6} {found[name][0]:5.0f} ns per state, ours {found['own'][0]:5.0f}: {ratios[0]:.2f} times "
            f"(medians {ratios[1]:.2f}), errors {worst:.0e}"
        )
        failed |= name == "torch" and ratios[0] > BAR
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
