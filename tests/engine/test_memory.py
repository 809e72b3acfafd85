"""What a large batch takes besides its inputs and results: a constant."""

import json
import subprocess
import sys

import numpy as np
import pytest
from tests.arms import random_arm, random_loads, random_states

import lissom as ls
from lissom.engine import blocks
from lissom.engine.blocks import Joined, boxes, taken

# The room for blocks, and what the interpreter and the kernels' workspaces add.
CONSTANT = blocks.ROOM + 4 * 2**20
PREPARED = """
import json, sys, tracemalloc
import numpy as np, lissom as ls
rng, rows = np.random.default_rng(4), int(sys.argv[1])
links = [ls.DH(a=rng.uniform(0, 0.4), alpha=rng.uniform(-1.5, 1.5), d=rng.uniform(0, 0.3), mass=rng.uniform(1, 4),
               com=rng.uniform(-0.1, 0.1, 3), inertia=np.diag(rng.uniform(0.01, 0.012, 3)), friction=0.1)
         for _ in range(7)]
arm = ls.Arm.from_dh(links, convention="standard", name="seven")
tip = arm.links[-1].name
soft = ls.load("two_link_flexible")
book = soft.replace(flexibility="book")

def states(arm, rows):
    found = rng.uniform(-1, 1, (3, rows, arm.dof))
    found[..., arm.mode_index] *= 0.01
    return list(found)

def size(result):
    return sum(part.nbytes for part in result) if isinstance(result, tuple) else result.nbytes
"""
BY_TRACE = """
found = {}
for name in sys.argv[2:] or cases:
    arm, call = cases[name]
    call(arm, *states(arm, 300))  # compiled
    given = states(arm, rows)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    result = call(arm, *given)
    found[name] = tracemalloc.get_traced_memory()[1] - before - size(result)
    tracemalloc.stop()
    del given, result
print(json.dumps(found))
"""
PLAIN = """
cases = {verb: (arm, lambda arm, *state, verb=verb: getattr(ls, verb)(arm, *state)) for verb in (
    "inverse_dynamics", "forward_dynamics", "inverse_dynamics_gradient", "forward_dynamics_gradient")}
cases |= {verb: (arm, lambda arm, q, qd, _, verb=verb: getattr(ls, verb)(arm, q, qd)) for verb in (
    "bias_forces", "kinetic_energy", "momentum")}
cases |= {verb: (arm, lambda arm, q, *_, verb=verb: getattr(ls, verb)(arm, q)) for verb in (
    "mass_matrix", "gravity_forces", "potential_energy", "centre_of_mass")}
cases["product"] = arm, lambda arm, q, qd, qdd: ls.inverse_dynamics_product(arm, q, qd, qdd, qd)
cases["velocity"] = arm, lambda arm, q, qd, _: ls.velocity(arm, q, qd, tip, q[:, :3])
cases["acceleration"] = arm, lambda arm, *state: ls.acceleration(arm, *state, tip)
cases["jacobian"] = arm, lambda arm, q, *_: ls.jacobian(arm, q, tip)
cases["flexible slopes"] = soft, lambda arm, *state: ls.forward_dynamics_gradient(arm, *state)
"""
AWKWARD = """
load = lambda q: [ls.Load(tip, force=q[:, :3])]
cases = {
    "float32": (arm, lambda arm, *state: ls.inverse_dynamics(arm, *(x.astype(np.float32) for x in state))),
    "strided": (arm, lambda arm, q, qd, qdd: ls.inverse_dynamics(arm, q[:, ::-1], qd[:, ::-1], qdd[:, ::-1])),
    "axes": (arm, lambda arm, *state: ls.inverse_dynamics(
        arm, *(x.reshape(-1, 100, 7).swapaxes(0, 1) for x in state))),
    "repeated": (arm, lambda arm, q, qd, qdd: ls.inverse_dynamics(
        arm, q[: len(q) // 100, None], qd[:100], qdd[:1])),
    "loads": (arm, lambda arm, *state: ls.forward_dynamics_gradient(arm, *state, loads=load(state[0]))),
    "base": (arm, lambda arm, *state: ls.inverse_dynamics(
        arm, *state, base=ls.BaseMotion(angular_velocity=state[0][:, :3]))),
    "short": (soft, lambda arm, *state: ls.inverse_dynamics(arm, *(x[:, :2] for x in state))),
    "not finite": (arm, lambda arm, q, qd, qdd: ls.inverse_dynamics(arm, np.multiply(q, 1e9, out=q), qd, qdd)),
    "book": (book, lambda arm, q, qd, tau: ls.forward_dynamics(arm, q, qd, tau)),
    "closed form": (soft, lambda arm, q, *_: ls.mass_matrix(arm, q, method="de_luca_siciliano")),
}
"""


def measured(cases, rows, *names):
    command = [sys.executable, "-c", PREPARED + cases + BY_TRACE, str(rows), *names]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


FEW = ("inverse_dynamics_gradient", "forward_dynamics_gradient", "centre_of_mass")
ODD = ("float32", "repeated")


@pytest.mark.parametrize("names", [FEW, pytest.param((), marks=pytest.mark.slow)], ids=["few", "all"])
def test_plain_batches(names):
    for name, extra in measured(PLAIN, 100_000, *names).items():
        assert extra < CONSTANT, (name, extra)
        if "slopes" not in name and name != "forward_dynamics_gradient":
            assert extra < 2**20, (name, extra)  # nothing at all but workspaces


@pytest.mark.parametrize("names", [ODD, pytest.param((), marks=pytest.mark.slow)], ids=["few", "all"])
def test_batches_that_must_be_converted(names):
    """Copies that the cases make themselves are allowed for; states beyond 1e6 rad are computed by NumPy."""
    rows = 200_000
    own = {"float32": 4 * 3 * 7 * rows, "loads": 3 * 3 * 8 * rows, "base": 3 * 3 * 8 * rows, "not finite": 100 * 2**20}
    for name, extra in measured(AWKWARD, rows, *names).items():
        assert extra < CONSTANT + own.get(name, 0), (name, extra)


BY_SYSTEM = """
import resource
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
verb = getattr(ls, sys.argv[2])
verb(arm, *states(arm, 20_000))
given = states(arm, rows)
before = resident()
result = verb(arm, *given)
print(json.dumps([peak() - before, size(result)]))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")
@pytest.mark.parametrize("verb", ["inverse_dynamics_gradient", "forward_dynamics_gradient"])
def test_a_million_gradients_of_a_seven_joint_arm(verb):
    """Seen by the system: the peak is the result (1.2 GB) and a constant."""
    command = [sys.executable, "-c", PREPARED + BY_SYSTEM, "1000000", verb]
    peak, result = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert result == 1_000_000 * 3 * 49 * 8
    assert peak - result < CONSTANT + 16 * 2**20  # pages that the allocator keeps


# ---- the bits do not know of blocks --------------------------------------------------------------


@pytest.mark.parametrize("room", [1, 40_000])
def test_blocks_do_not_change_a_bit(monkeypatch, room):
    arm = random_arm(6, 6)
    states, loads = random_states(arm, 231).reshape(3, 3, 7, 11, arm.dof), random_loads(arm, 1, (7, 11))
    calls = {
        "slopes": lambda *s: np.stack(ls.forward_dynamics_gradient(arm, *s, loads=loads)),
        "single": lambda *s: ls.inverse_dynamics(arm, *(x.astype(np.float32) for x in s)),
        "turned": lambda *s: ls.inverse_dynamics(arm, *(x.swapaxes(0, 2) for x in s)).swapaxes(0, 2),
        "spread": lambda q, qd, x: ls.forward_dynamics(arm, q[:1], qd[:, :1], x[..., :1, :]),
    }
    want = {name: call(*states) for name, call in calls.items()}
    monkeypatch.setattr(blocks, "ROOM", room)
    monkeypatch.setattr(blocks, "LEAST", 5)
    for name, call in calls.items():
        assert np.array_equal(call(*states), want[name]), name


def test_gradients_of_forward_dynamics_do_not_depend_on_batch_or_threads():
    for seed in (3, 7):
        arm = random_arm(seed, seed)
        states = random_states(arm, 1500)
        whole = np.stack(ls.forward_dynamics_gradient(arm, *states, threads=2))
        assert np.array_equal(np.stack(ls.forward_dynamics_gradient(arm, *states, threads=1)), whole)
        for some in (slice(0, 1), slice(3, 8), slice(700, 1500)):
            part = ls.forward_dynamics_gradient(arm, *(x[some] for x in states))
            assert np.array_equal(np.stack(part), whole[:, some])
        one = ls.forward_dynamics_gradient(arm, *(x[5] for x in states))
        assert np.array_equal(np.stack(one), whole[:, 5])


def test_results_may_lie_over_inputs(monkeypatch):
    """Exactly, or across: what is read later is not overwritten before."""
    arm = random_arm(4, 4)
    q, qd, x = random_states(arm, 400)
    monkeypatch.setattr(blocks, "ROOM", 1)
    want = ls.inverse_dynamics(arm, q, qd, x)
    assert np.array_equal(ls.inverse_dynamics(arm, q, qd, over := x.copy(), out=over), want)
    room = np.zeros((500, arm.dof))
    room[:400] = x
    assert np.array_equal(ls.inverse_dynamics(arm, q, qd, room[:400], out=room[100:]), want)
    room[:400] = x
    assert np.array_equal(ls.inverse_dynamics(arm, q, qd, room[:400], out=room[:400][::-1]), want)


def test_errors_name_the_place_in_the_whole_batch(monkeypatch):
    arm = ls.load("two_link")
    monkeypatch.setattr(blocks, "ROOM", 1)
    q = np.zeros((3, 100, 2), np.float32)
    q[2, 41, 1] = np.nan
    with pytest.raises(ls.InputError, match=r"inverse_dynamics: q\[2, 41, 1\] is nan"):
        ls.inverse_dynamics(arm, q, q[0, 0], q[0, 0])
    wide = np.zeros((3, 100, 4))[..., ::2]
    wide[1, 70, 0] = np.inf
    with pytest.raises(ls.InputError, match=r"q\[1, 70, 0\] is inf"):
        ls.forward_dynamics_gradient(arm, wide, wide[0], wide[0])
    with pytest.raises(ls.InputError, match="qd has 3 entries"):
        ls.inverse_dynamics(arm, q[0], np.zeros((100, 3), np.float32), q[0])
    with pytest.raises(ls.InputError, match="batches do not fit together"):
        ls.inverse_dynamics(arm, q[0], np.zeros((99, 2), np.float32), q[0])


@pytest.mark.parametrize("batch", [(), (0,), (7,), (2, 3, 4), (5, 0), (1, 1, 13), (13, 1, 1)])
@pytest.mark.parametrize("most", [1, 3, 6, 100])
def test_boxes_cover_a_batch_once_and_in_order(batch, most):
    numbers = np.arange(np.prod(batch, dtype=int)).reshape(batch)
    seen = []
    for box in boxes(batch, most):
        part = numbers[box.index]
        assert part.size == box.rows <= max(most, 1)
        assert np.shares_memory(part, numbers) or not part.size or not batch
        assert not part.size or part.flat[0] == box.first
        seen += part.ravel().tolist()
    assert seen == numbers.ravel().tolist()


def test_vectors_joined_when_used():
    a, b = np.arange(6.0).reshape(2, 1, 3), np.arange(12.0).reshape(4, 3)
    joined = Joined([a, b])
    whole = joined.whole()
    assert joined.shape == whole.shape == (2, 4, 6)
    assert joined.nbytes == whole.nbytes
    for box in boxes((2, 4), 3):
        assert np.array_equal(taken(joined, (2, 4), box), whole[box.index])
