"""Mechanisms of the IFToMM library, and those in the examples."""

from pathlib import Path

import numpy as np
import pytest
from benchmarks import loops

import lissom as ls
from lissom.kernels.cache import closure_of

ROOT = Path(__file__).parents[2]


def test_bricard_has_one_redundant_row_and_keeps_its_energy():
    """A04: ten seconds within 1e-3 J."""
    arm, q, qd = loops.bricard()
    found = ls.assemble(arm, q)
    assert (found.rank, found.mobility, len(found.redundant)) == (4, 1, 1)
    run = ls.simulate(arm, q, qd, until=10.0)
    assert run.ok
    assert np.abs(run.energy - run.energy[0]).max() < 1e-5
    assert run.closure_error.max() < 1e-12
    assert np.ptp(run.q[:, 0]) > 1.0  # it moves


@pytest.mark.parametrize("count", [2, pytest.param(40, marks=pytest.mark.slow)])
def test_n_four_bar_passes_its_singular_configurations(count):
    """A02: ten seconds within 0.1 J of N = 40; all windows stay parallelograms."""
    arm, q, qd = loops.n_four_bar(count)
    run = ls.simulate(arm, q, qd, until=10.0, singular="pass")
    assert run.ok
    assert np.abs(run.energy - run.energy[0]).max() < 0.1 * count / 40
    assert np.abs(run.q[:, 1 : count + 1] - run.q[:, :1]).max() < 1e-6
    assert any(note.startswith("At t = 0.7") for note in run.report.notes)


def test_passing_holds_at_tight_tolerances():
    arm, q, qd = loops.n_four_bar(5)
    run = ls.simulate(arm, q, qd, until=3.0, singular="pass", rtol=1e-10, atol=1e-12)
    assert run.ok
    assert np.abs(run.energy - run.energy[0]).max() < 1e-5
    assert np.abs(run.q[:, 1:6] - run.q[:, :1]).max() < 1e-9


def example(name):
    return ls.load(ROOT / "examples" / f"{name}.toml")


def test_two_arms_share_a_load():
    """Twelve motors for six motions: the least torques, less than those of one arm that lifts alone."""
    arm = example("two_arms")
    side = [0.276, -0.275, 0.056]
    state = ls.assemble(arm, [*side, 2.859, 1.36, 0.061, *side, -0.283, -1.36, -3.081])
    assert (state.rank, state.mobility) == (6, 6)
    still = np.zeros(12)
    tau = ls.inverse_dynamics(arm, state.q, still, still)
    assert np.abs(ls.forward_dynamics(arm, state.q, still, tau)).max() < 1e-9
    alone = ls.inverse_dynamics(arm.replace(loops=()), state.q, still, still)
    assert tau @ tau < alone @ alone
    forces = ls.closure_forces(arm, state.q, still, still)
    assert forces.force.shape == (1, 3)
    # a solution as well: the other arm bears the object alone; it costs more
    G = closure_of(arm)(state.q).G
    assert tau @ tau < min((tau + G.T @ x) @ (tau + G.T @ x) for x in 0.1 * np.eye(6))


def test_stewart_platform_is_held_by_its_legs():
    """The forces of all legs together bear the weight: at the base, along the legs."""
    arm = example("stewart")
    guess = np.zeros(21)
    guess[[2, 8, 11, 14, 17, 20]] = 0.9
    state = ls.assemble(arm, guess)
    assert (state.rank, state.mobility) == (15, 6)
    still = np.zeros(21)
    tau = ls.inverse_dynamics(arm, state.q, still, still)
    assert (tau[~arm.actuated] == 0).all()
    assert np.abs(ls.forward_dynamics(arm, state.q, still, tau)).max() < 1e-8
    # power: raising all pistons at once lifts what the gravity forces say
    rise = ls.assemble(arm, state.q, fixed=[arm.coordinates[k] for k in np.flatnonzero(arm.actuated)],
                       qd=np.where(arm.actuated, 0.1, 0.0)).qd  # fmt: skip
    assert abs(tau @ rise - ls.gravity_forces(arm, state.q) @ rise) < 1e-9
    run = ls.simulate(arm, state.q, tau=ls.PD(state.q, 4000.0, 200.0), until=0.2)
    assert run.closure_error.max() < 1e-12
    assert run.balance_error < 1e-7


def test_five_bar_is_driven_by_two_motors():
    arm = example("five_bar")
    state = ls.assemble(arm, [2.2, -1.2, 0.9, 1.2], fixed=("left", "right"), qd=[1.0, 0, -0.5, 0], qdd=[2.0, 0, 3.0, 0])
    assert state.mobility == 2
    tau = ls.inverse_dynamics(arm, state.q, state.qd, state.qdd)
    assert (tau[[1, 3]] == 0).all()
    assert np.abs(ls.forward_dynamics(arm, state.q, state.qd, tau) - state.qdd).max() < 1e-10
