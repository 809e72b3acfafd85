"""Mistakes that were once made in calls of the dynamics, each with its test."""

import subprocess
import sys

import numpy as np
import pytest
from tests.arms import random_arm, random_loads, random_states

import lissom as ls
from lissom.kernels.cache import functions_of

PUMA = ls.load("puma560")
STATES = np.random.default_rng(3).normal(size=(3, 17, 6))
WANT = ls.inverse_dynamics(PUMA, *STATES)


def views():
    """Results that lie in memory in unusual ways, each in a room of its own."""
    return {
        "every other column": (room := np.full((17, 12), np.nan), room[:, ::2]),
        "transposed": (room := np.full((6, 17), np.nan), room.T),
        "backwards": (room := np.full((17, 8), np.nan), room[:, 6:0:-1]),
        "rows backwards": (room := np.full((17, 6), np.nan), room[::-1]),
        "every third row": (room := np.full((51, 6), np.nan), room[::3]),
    }


@pytest.mark.parametrize("case", views())
@pytest.mark.parametrize("threads", [1, 2])
def test_results_may_lie_anywhere_and_nothing_else_is_touched(case, threads):
    room, out = views()[case]
    assert ls.inverse_dynamics(PUMA, *STATES, out=out, threads=threads) is out
    assert np.array_equal(out, WANT)
    assert np.isnan(room).sum() == room.size - out.size


def test_one_state_into_every_other_entry():
    room = np.full(12, np.nan)
    ls.inverse_dynamics(PUMA, *(x[0] for x in STATES), out=room[::2])
    assert np.array_equal(room[::2], WANT[0])
    assert np.isnan(room[1::2]).all()


def test_results_that_share_memory_are_refused():
    room = np.zeros((17, 6, 6))
    with pytest.raises(ls.InputError, match="share memory"):
        ls.inverse_dynamics_gradient(PUMA, *STATES, out=ls.InverseGradient(room, room, room))
    big = np.full((17, 3, 6, 6), np.nan)  # interleaved, nothing shared
    ls.inverse_dynamics_gradient(PUMA, *STATES, out=ls.InverseGradient(big[:, 0], big[:, 1], big[:, 2]))
    assert np.array_equal(big[:, 2], ls.inverse_dynamics_gradient(PUMA, *STATES).qdd)
    overlapping = np.lib.stride_tricks.as_strided(np.zeros(60), (17, 6), (24, 8))
    with pytest.raises(ls.InputError, match="share memory"):
        ls.inverse_dynamics(PUMA, *STATES, out=overlapping)


def test_all_threads_finish_before_a_large_angle_is_recomputed():
    arm = random_arm(5, 30, drives=False)
    x = random_states(arm, 20_000)
    x[0, 0, 0] = 3e6
    want = ls.inverse_dynamics(arm, *x, threads=1)
    for _ in range(3):
        assert np.array_equal(ls.inverse_dynamics(arm, *x, threads=8), want)


def test_arms_with_other_modes_do_not_share_code():
    """They have no joints and differ in the number of columns only."""

    def mast(modes):
        beam = ls.Beam(1.0, 1.0, EI=3.0, modes=ls.Modes(bending_z=modes))
        return ls.Arm("mast", [ls.Link("mast", joint=ls.Joint("fixed"), beam=beam)])

    assert ls.jacobian(mast(5), np.zeros(5), "mast").shape == (6, 5)
    room = np.full((6, 2), np.nan)
    assert ls.jacobian(mast(1), np.zeros(1), "mast", out=room[:, :1]).shape == (6, 1)
    assert np.isnan(room[:, 1]).all()


def test_points_are_points_on_arms_of_any_size():
    with pytest.raises(ls.InputError, match=r"point has shape \(6,\)"):
        ls.pose(PUMA, np.zeros(6), "flange", np.zeros(6))
    pendulum = ls.Arm("pendulum", [ls.Link("rod", joint=ls.Joint(), mass=1.0, inertia=0.1)])
    with pytest.raises(ls.InputError, match=r"point has shape \(1,\)"):
        ls.pose(pendulum, np.zeros(1), "rod", np.array([0.5]))


def test_loads_may_be_a_generator():
    loads = random_loads(PUMA, 2)
    whole = ls.forward_dynamics_gradient(PUMA, *STATES, loads=loads)
    again = ls.forward_dynamics_gradient(PUMA, *STATES, loads=(load for load in loads))
    assert all(np.array_equal(a, b) for a, b in zip(whole, again, strict=True))


def test_out_fits_the_broadcast_batch():
    q, qd = STATES[0][:1], STATES[1]
    room = np.zeros((17, 6))
    want = ls.inverse_dynamics(PUMA, np.repeat(q, 17, axis=0), qd, qd)
    assert np.array_equal(ls.inverse_dynamics(PUMA, q, qd, qd, out=room), want)
    wide = np.zeros((3, 17, 6))
    ls.inverse_dynamics(PUMA, STATES[0], np.stack([qd] * 3), qd, out=wide)
    assert np.array_equal(wide[2], ls.inverse_dynamics(PUMA, STATES[0], qd, qd))


def test_out_may_be_a_plain_tuple():
    want = ls.forward_dynamics_gradient(PUMA, *STATES)
    room = tuple(np.zeros_like(x) for x in want)
    ls.forward_dynamics_gradient(PUMA, *STATES, out=room)
    assert all(np.array_equal(a, b) for a, b in zip(room, want, strict=True))


@pytest.mark.parametrize(
    ("verb", "call"),
    [
        ("kinetic_energy", lambda q: ls.kinetic_energy(PUMA, q, q)),
        ("potential_energy", lambda q: ls.potential_energy(PUMA, q)),
        ("centre_of_mass", lambda q: ls.centre_of_mass(PUMA, q)),
        ("momentum", lambda q: ls.momentum(PUMA, q, q)),
        ("mass_matrix", lambda q: ls.mass_matrix(PUMA, q, packed=True)),
    ],
)
def test_messages_name_the_function_that_was_called(verb, call):
    with pytest.raises(ls.InputError, match=rf"^{verb}: q\[2\] is nan"):
        call([0.0, 0.0, np.nan, 0.0, 0.0, 0.0])


def test_whole_numbers_of_numpy_are_numbers_of_threads():
    assert np.array_equal(ls.inverse_dynamics(PUMA, *STATES, threads=np.int64(1)), WANT)


def test_no_loads_in_any_form_take_the_same_way():
    assert np.array_equal(ls.inverse_dynamics(PUMA, *STATES, loads=[]), WANT)
    assert functions_of(PUMA).get("inverse_dynamics") is functions_of(PUMA).get("inverse_dynamics", None)


FORK = """
import multiprocessing, numpy as np, lissom as ls
arm = ls.load("puma560")
q = np.ones((60000, 6))
want = ls.inverse_dynamics(arm, q, q, q, threads=2)

def work(queue):
    queue.put(ls.inverse_dynamics(arm, q, q, q, threads=2)[-1])

context = multiprocessing.get_context("fork")
queue = context.Queue()
child = context.Process(target=work, args=(queue,))
child.start()
assert (queue.get(timeout=60) == want[-1]).all()
child.join()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="processes are forked on POSIX systems only")
def test_a_forked_process_has_threads_of_its_own():
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORK], check=True, timeout=120)


@pytest.mark.parametrize("roll", [np.pi / 2, 1.5708, 1.571, 1.57079632679, 1.5707963])
def test_angles_near_a_quarter_turn_keep_rotations_rotations(roll):
    """Rounding one entry of a rotation and not another cost forward dynamics half its digits."""
    turn = np.eye(4)
    turn[1:3, 1:3] = [[np.cos(roll), -np.sin(roll)], [np.sin(roll), np.cos(roll)]]
    turn[0, 3] = 0.3
    links = [
        ls.Link(f"l{i}", None if i == 0 else f"l{i - 1}", ls.Joint("revolute", turn), 5 * 0.5**i + 0.05,
                (0.1, 0.02, 0.03), 0.01 * np.diag([1.0, 1.2, 0.9]))
        for i in range(10)
    ]  # fmt: skip
    arm = ls.Arm("chain", links)
    q, qd, qdd = random_states(arm, 20)
    back = ls.forward_dynamics(arm, q, qd, ls.inverse_dynamics(arm, q, qd, qdd))
    assert np.abs(back - qdd).max() < 1e-11  # condition number of M times rounding


def test_a_singular_state_of_a_batch_is_named():
    turn = lambda name, parent, axis: ls.Link(name, parent, ls.Joint("revolute", axis=axis))  # noqa: E731
    ball = ls.Link("ball", "b", ls.Joint(axis=(0, 0, 1)), mass=1.0, inertia=(0.1, 0.1, 0.1))
    arm = ls.Arm("gimbal", [turn("a", None, (0, 0, 1)), turn("b", "a", (0, 1, 0)), ball])
    q = np.full((2, 3, 3), 0.4)
    q[1, 2, 1] = 0.0
    with pytest.raises(
        ls.SolveError, match=r"at this position of state \[1, 2\]: joints 'a', 'ball' can move together"
    ):
        ls.forward_dynamics(arm, q, q, q)


def test_one_state_in_place():
    room = np.full(6, np.nan)
    assert ls.inverse_dynamics(PUMA, *(x[0].copy() for x in STATES), out=room) is room
    assert np.array_equal(room, WANT[0])
    assert isinstance(ls.kinetic_energy(PUMA, STATES[0, 0], STATES[0, 0]), float)


def test_packed_is_yes_or_no():
    with pytest.raises(ls.InputError, match="packed is 'no'"):
        ls.mass_matrix(PUMA, STATES[0], packed="no")
