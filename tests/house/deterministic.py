"""Fingerprints of results, printed as JSON; `test_determinism.py` runs it in fresh processes.

python deterministic.py ORDER BATCH THREADS [NAME ...]: the order of the computations, rows at once, threads; which
"""

import hashlib
import json
import sys

import numpy as np

import lissom as ls

GIVEN = sys.argv[1:] if __name__ == "__main__" else ["forward", "1", "1"]
ORDER, BATCH, THREADS = GIVEN[0], int(GIVEN[1]), int(GIVEN[2])
ROWS = 3000
PUMA, SOFT, PLANE = ls.load("puma560"), ls.load("two_link_flexible"), ls.load("two_link")
Q, QD, X = np.random.default_rng(2).uniform(-1, 1, (3, ROWS, 6))


def batched(verb, *arrays):
    """The whole batch, BATCH rows at a time."""
    parts = [verb(PUMA, *(x[k : k + BATCH] for x in arrays), threads=THREADS) for k in range(0, ROWS, BATCH)]
    if isinstance(parts[0], tuple):
        return [np.concatenate(part) for part in zip(*parts, strict=True)]
    return [np.concatenate(parts)]


def run(arm, q0, **options):
    found = ls.simulate(arm, q0, until=0.2, **options)
    return [found.t, found.q, found.qd, found.qdd, found.tau, found.energy]


def motion():
    found = ls.predict_motion(
        PLANE, start=[0.0, -2.0], goal=[1.0, -1.0], limits=ls.Limits(torque=10.0), segments=10, progress=False
    )
    return [np.array(found.duration), found.q, found.tau]


def large_motion():
    """24 joints: the solver's dense blocks are large enough to be shared out to threads."""
    rng = np.random.default_rng(5)
    links = []
    for k in range(24):
        placement = np.eye(4)
        placement[:3, 3] = rng.uniform(-0.2, 0.2, 3)
        axis, above = rng.normal(size=3), links[-1].name if links else None
        links.append(ls.Link(f"l{k}", above, ls.Joint("revolute", placement, axis), 1.0, inertia=0.01 * np.eye(3)))
    arm, goal = ls.Arm("chain", links), rng.uniform(-0.5, 0.5, 24)
    found = ls.predict_motion(
        arm, start=np.zeros(24), goal=goal, duration=1.5, minimise="torque_squared", segments=10, iterations=40,
        limits=ls.Limits(velocity=2.0), on_failure="return",
    )  # fmt: skip
    return [np.array(found.duration), found.q, found.tau]


def linear():
    plant = ls.linearise(SOFT, [0.1, 0.5])
    return [plant.A, plant.B]


START = np.random.default_rng(3).uniform(-1, 1, (40, 2))
JOBS = {
    "inverse": lambda: batched(ls.inverse_dynamics, Q, QD, X),
    "forward": lambda: batched(ls.forward_dynamics, Q, QD, X),
    "slopes": lambda: batched(ls.inverse_dynamics_gradient, Q, QD, X),
    "forward slopes": lambda: batched(ls.forward_dynamics_gradient, Q, QD, X),
    "mass": lambda: batched(ls.mass_matrix, Q),
    "energy": lambda: batched(ls.kinetic_energy, Q, QD),
    "modes": lambda: [(found := ls.modes(SOFT, [0.1, 0.5], joints="free")).frequencies_hz, found.shapes],
    "linear": linear,
    "rk4": lambda: run(PLANE, [0.3, 0.2], dt=1e-3, method="rk4"),
    "rk8": lambda: run(PLANE, [0.3, 0.2], dt=1e-3, method="rk8"),
    "dop853": lambda: run(SOFT, [0.3, 0.2], method="dop853"),
    "radau": lambda: run(SOFT, [0.3, 0.2], method="radau"),
    "ensemble": lambda: run(PLANE, START, dt=1e-3, threads=THREADS),
    "motion": motion,
    "large motion": large_motion,
}


def fingerprint(arrays):
    total = hashlib.sha256()
    for array in arrays:
        total.update(np.ascontiguousarray(array).tobytes())
    return total.hexdigest()


if __name__ == "__main__":
    names = sorted(GIVEN[3:] or JOBS, reverse=ORDER == "backward")
    print(json.dumps({name: fingerprint(JOBS[name]()) for name in names}))
