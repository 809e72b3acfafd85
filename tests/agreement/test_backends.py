"""Every way to run a program gives the same numbers; one state and a batch the same bits."""

import numpy as np
import pytest
from tests.arms import random_arm, random_base, random_loads, random_states

import lissom as ls
from lissom.dynamics.acting import Acting
from lissom.kernels.cache import functions_of
from lissom.kernels.verbs import VERBS

ARMS = [
    random_arm(11, 3), random_arm(12, 8), random_arm(13, 9, tree=False),
    random_arm(14, 5, kinds=("helical", "revolute", "prismatic")),
]  # fmt: skip
# a few hundred roundings, in another order and with or without fused multiply-adds
RELATIVE = 1e-11


COMPILED = [name for name, verb in VERBS.items() if not verb.composed_of]


def arguments(arm, name, rows):
    states = list(random_states(arm, rows, seed=5, count=len(VERBS[name].arguments)))
    sizes = functions_of(arm).plan(name, acting(arm, name)).sizes
    rng = np.random.default_rng(9)  # of what is not as long as the state
    states = [x if x.shape[1] == n else rng.normal(size=(rows, n)) for x, n in zip(states, sizes, strict=False)]
    return [*states, np.random.default_rng(6).normal(size=(rows, 3))] if VERBS[name].frame else states


def acting(arm, name):
    return Acting(frame=arm.links[-1].name) if VERBS[name].frame else Acting()


def closed(arm, name):
    """The arm; for closures with loops, whose frames are turned and off."""
    if name != "closure":
        return arm
    rng = np.random.default_rng(3)
    frames = np.tile(np.eye(4), (2, 1, 1))
    frames[:, :3, :3] = [np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(2)]
    frames[:, :3, :3] *= np.linalg.det(frames[:, :3, :3])[:, None, None]
    frames[:, :3, 3] = rng.normal(scale=0.2, size=(2, 3))
    stiff = [link.name for link in arm.links if link.beam is None and link.modes is None]
    ends = [(stiff[0], frames[0]), (stiff[-1], frames[1])]
    loops = [ls.Loop(ends[0], ends[1], "fixed"), ls.Loop((None, frames[1]), ends[1], "planar")]
    return arm.replace(loops=tuple(loops))


def results(value):
    return value if isinstance(value, tuple) else (value,)


@pytest.mark.parametrize("name", COMPILED)
@pytest.mark.parametrize("arm", ARMS, ids=lambda a: a.name)
@pytest.mark.some(13)
def test_straight_tape_and_numpy_agree(arm, name):
    if VERBS[name].needs_inertia and arm.dof > 2 * VERBS[name].program.straight_up_to:
        arm = ARMS[0]  # straight-line code far beyond its range takes long to compile
    arm = closed(arm, name)
    states, about = arguments(arm, name, 6), acting(arm, name)
    functions = [functions_of(arm).get(name, about, backend) for backend in ("straight", "tape", "numpy")]
    ways = [results(function(*states)) for function in functions]
    for way in ways[:2]:
        for got, want in zip(way, ways[2], strict=True):
            assert np.abs(got - want).max() <= RELATIVE * np.abs(want).max()


@pytest.mark.parametrize("backend", ["straight", "tape"])
@pytest.mark.parametrize("name", COMPILED)
@pytest.mark.some(10)
def test_one_state_and_any_batch_agree_bit_for_bit(name, backend):
    arm = closed(ARMS[0] if name == "inverse_dynamics_hessian" else ARMS[1], name)
    function = functions_of(arm).get(name, acting(arm, name), backend)
    states = arguments(arm, name, 23)
    whole = results(function(*states))
    for rows in (1, 2, 3, 4, 5, 7, 8, 23):
        for got, want in zip(results(function(*(x[:rows] for x in states))), whole, strict=True):
            assert np.array_equal(got, want[:rows])
    for k in range(23):
        for got, want in zip(results(function.one(*(np.ascontiguousarray(x[k]) for x in states))), whole, strict=True):
            assert np.array_equal(got, want[k])
    many = [np.tile(x, (40, 1)) for x in states]
    for threads in (1, 2, 3):
        for got, want in zip(results(function(*many, threads=threads)), whole, strict=True):
            assert np.array_equal(got, np.tile(want, (40, *[1] * (want.ndim - 1))))


def test_loads_and_base_agree_on_all_backends():
    arm = ARMS[1].replace(loads=random_loads(ARMS[1], 8)[:1])
    about = Acting(loads=("l2", "l5", "l2"), base=True)
    extra = list(np.random.default_rng(0).normal(size=(4, 9)))
    for name in ("inverse_dynamics", "forward_dynamics"):
        states = [*arguments(arm, name, 4), *extra]
        ways = [functions_of(arm).get(name, about, backend)(*states) for backend in ("straight", "tape", "numpy")]
        assert np.abs(ways[0] - ways[2]).max() <= RELATIVE * np.abs(ways[2]).max()
        assert np.abs(ways[1] - ways[2]).max() <= RELATIVE * np.abs(ways[2]).max()


def test_batched_loads_broadcast():
    arm = ARMS[0]
    q, qd, qdd = random_states(arm, 4)
    loads = random_loads(arm, 2, batch=(4,))
    together = ls.inverse_dynamics(arm, q, qd, qdd, loads=loads, base=random_base(1))
    for k in range(4):
        mine = [ls.Load(x.link, x.force[k], x.moment[k], x.point[k]) for x in loads]
        assert np.array_equal(
            together[k], ls.inverse_dynamics(arm, q[k], qd[k], qdd[k], loads=mine, base=random_base(1))
        )


def test_a_thousand_links_work():
    arm = random_arm(3, 1000, tree=False, drives=False, kinds=("revolute",))
    q, qd, qdd = random_states(arm, 4) * 0.1
    tau = ls.inverse_dynamics(arm, q, qd, qdd)
    assert tau.shape == (4, 1000)
    # torques of a thousand links span many orders; rounding grows with the length of the chain
    assert np.abs(ls.forward_dynamics(arm, q, qd, tau) - qdd).max() < 1e-4
