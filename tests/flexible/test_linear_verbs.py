"""Arms with a linear field in every verb: runs, modes, plants, ensembles, backends; the warning of lost inertia."""

import numpy as np
import pytest
from scipy.linalg import eigh
from tests.flexible.linear_arms import planar, sliding, spatial, states
from tests.flexible.linear_cloud import LinearCloud

import lissom as ls
from lissom.kernels.cache import functions_of

MODELS = ("linear", "book", "de_luca_siciliano")


def bent(arm, slope):
    """A pose whose modes turn tips by about a slope [rad]."""
    q = np.random.default_rng(3).uniform(-1, 1, arm.dof)
    for k in arm.mode_index:
        unit = np.zeros(arm.dof)
        unit[k] = 1e-3
        turn = ls.deformation(arm, unit, arm.coordinates[k].split(".")[0]).angles[-1]
        q[k] *= slope / (np.linalg.norm(turn) / 1e-3)
    return q


@pytest.mark.parametrize("model", ["book_37", "book_72"])
def test_one_truncation_at_a_time(model):
    arm = planar().replace(flexibility=model)
    q = bent(arm, 0.05)
    qd, qdd = np.random.default_rng(5).uniform(-1, 1, (2, arm.dof))
    forces = LinearCloud(planar()).book(products=model == "book_72", shortcut=model == "book_72")
    want = np.array(forces(q, qd, qdd)).ravel()
    assert np.abs(ls.inverse_dynamics(arm, q, qd, qdd) - want).max() < 1e-9 * np.abs(want).max()
    whole = ls.inverse_dynamics(planar().replace(flexibility="book"), q, qd, qdd)
    assert np.abs(whole - want).max() > 1e-6 * np.abs(want).max()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.some(1)
def test_all_backends_agree(model):
    """Straight-line code, tapes and NumPy run the same steps."""
    arm = planar().with_joint("upper", armature=0.02, damping=0.3, stiffness=1.1).replace(flexibility=model)
    q, (qd, x) = bent(arm, 0.02), np.random.default_rng(6).uniform(-1, 1, (2, arm.dof))
    for name, state in (("inverse_dynamics", (q, qd, x)), ("forward_dynamics", (q, qd, x)), ("mass_matrix", (q,))):
        straight, tape, plain = (functions_of(arm).get(name, backend=b)(*state) for b in ("straight", "tape", "numpy"))
        assert np.abs(tape - straight).max() <= 1e-12 * np.abs(straight).max()
        assert np.abs(plain - straight).max() <= 1e-12 * np.abs(straight).max()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.some(1)
def test_modes_and_plants(model):
    arm = planar().replace(flexibility=model)
    arm = arm.with_gravity((0.1, -0.3, 0.0))  # it would bend too far under its whole weight
    q = ls.equilibrium(arm, [0.3, -0.8]).q
    gradient = ls.inverse_dynamics_gradient(arm, q, 0 * q, 0 * q)
    K, M = gradient.q, ls.mass_matrix(arm, q)
    some = np.ix_(arm.mode_index, arm.mode_index)
    K, M = K[some], M[some]
    want = np.sqrt(eigh((K + K.T) / 2, M, eigvals_only=True)) / (2 * np.pi)
    assert ls.modes(arm, q, joints="locked", count=4).frequencies_hz == pytest.approx(want, rel=1e-9)
    plant = ls.linearise(arm, q)
    n, tau = arm.dof, ls.gravity_forces(arm, q)
    step = 1e-6 * np.eye(n)
    slope = (
        ls.forward_dynamics(arm, q + step, 0 * step, tau) - ls.forward_dynamics(arm, q - step, 0 * step, tau)
    ) / 2e-6
    assert np.abs(plant.A[n:, :n] - slope.T).max() < 1e-8 * np.abs(slope).max()


def boom():
    """Bends in two planes and twists, with a forearm on it."""
    arm = spatial()
    return arm.replace(links=arm.links[:2], gravity=(0.0, 0.0, 0.0))


def test_energy_is_conserved_to_1e_8():
    """In space, with bending in two planes and torsion; Book's truncations drift."""
    arm = boom().replace(flexibility="linear")
    q0 = bent(arm, 0.02)
    run = ls.simulate(arm, q0, until=0.2, method="rk8", dt=5e-5, every=2e-3)
    assert np.abs(run.energy / run.energy[0] - 1).max() < 1e-8
    book = ls.simulate(arm.replace(flexibility="book"), q0, until=0.2, method="rk8", dt=5e-5, every=2e-3)
    assert np.abs(book.energy / book.energy[0] - 1).max() > 1e-5
    assert "truncated equations do not conserve energy" in book.status


def test_an_ensemble_of_payloads_is_each_of_its_runs():
    arm = planar().replace(flexibility="linear")
    payloads = [ls.Payload(0.1, (0.0, 0.02, 0.0), 0.0004), ls.Payload(0.5, (0.03, 0.0, 0.0), 0.002)]
    options = {"until": 0.05, "method": "rk4", "dt": 5e-4}
    together = ls.simulate(arm, [0.3, -0.2], payloads=payloads, **options)
    heavy = arm.with_link("lower", payload=payloads[1])
    # the payload of every run is felt by shapes chosen for the arm's own: only those of the heavy run's own arm differ
    assert together.q.shape == (2, 101, arm.dof)
    assert np.abs(together.q[0] - together.q[1]).max() > 1e-4
    assert together.ok
    assert (
        np.abs(
            together.q[1][:, arm.joint_index] - ls.simulate(heavy, [0.3, -0.2], **options).q[:, arm.joint_index]
        ).max()
        < 2e-3
    )


def test_held_and_pushed_along_a_beam():
    """A joint that is led, a load on the middle of a beam, and the balance of power."""
    arm = planar().replace(flexibility="linear")
    push = ls.Load("lower", force=(0.3, -0.5, 0.2), moment=(0.01, 0.02, 0.1), point=(0.2, 0.01, 0.0))
    run = ls.simulate(arm, [0.3, -0.2], loads=[push], prescribed={"upper": lambda t: np.sin(9 * t)}, until=0.2,
                      rtol=1e-8)  # fmt: skip
    assert run.ok
    assert run.balance_error < 1e-6
    assert run.qdd[:, 0] == pytest.approx(np.sin(9 * run.t), abs=1e-9)


def light():
    """Two light links and a heavy payload: Book's inertia is lost from small slopes on."""
    beam = ls.Beam(1.0, 0.5, EI=20.0, modes=ls.Modes(2))
    links = [
        ls.Link("first", None, ls.Joint("revolute"), beam=beam),
        ls.Link("second", "first", ls.Joint("revolute"), beam=beam, payload=ls.Payload(10.0, inertia=1e-3)),
    ]
    return ls.Arm("light", links, gravity=(0, 0, 0), flexibility="book")


LOST = [0.4, 0.0290, -0.0224, -2.995, -0.0292, -0.0003]


def test_indefinite_inertia_is_told():
    arm = light()
    q = np.array(LOST)
    with pytest.warns(ls.IndefiniteInertia, match="no longer positive definite") as told:
        M = ls.mass_matrix(arm, q)
    assert np.linalg.eigvalsh(M)[0] < 0
    assert told[0].filename == __file__  # the line that asked, not one of the library
    with pytest.warns(ls.IndefiniteInertia, match=r"forward_dynamics: the inertia of arm 'light' at state \[1\]"):
        qdd = ls.forward_dynamics(arm, [0 * q, q], [0 * q] * 2, [0 * q] * 2)
    assert np.abs(M @ qdd[1] + ls.gravity_forces(arm, q)).max() < 1e-9
    assert np.linalg.eigvalsh(ls.mass_matrix(arm.replace(flexibility="linear"), q))[0] > 0
    with pytest.warns(ls.IndefiniteInertia, match="at t = 0 s"):
        run = ls.simulate(arm, q, until=1e-3, dt=1e-4, method="rk4")
    assert not run.ok
    assert "not positive definite" in run.status


def test_indefinite_inertia_is_told_once_and_where_it_was_asked_for():
    arm, q = light(), np.array(LOST)
    calls = (
        lambda: ls.mass_matrix(arm, q), lambda: ls.mass_matrix(arm, q, out=np.zeros((6, 6))),
        lambda: ls.mass_matrix(arm, q, packed=True), lambda: ls.forward_dynamics(arm, q, 0 * q, 0 * q),
        lambda: ls.simulate(arm, q, until=1e-3, dt=1e-4, method="rk4"),
        lambda: ls.mass_matrix(arm, 40 * q, method="de_luca_siciliano"),
    )  # fmt: skip
    for call in calls:
        with pytest.warns(ls.IndefiniteInertia) as told:
            call()
        assert [warning.filename for warning in told] == [__file__]


def test_indefinite_inertia_of_a_payload_is_told():
    """The arm's own payload is light enough; that of the second run is not."""
    heavy = light()
    arm, q = heavy.with_payload(ls.Payload(0.2, inertia=1e-3)), np.array(LOST)
    q[arm.mode_index] *= 0.4
    assert np.linalg.eigvalsh(ls.mass_matrix(arm, q))[0] > 0
    payloads = [arm.links[1].payload, heavy.links[1].payload]
    with pytest.warns(ls.IndefiniteInertia, match="mass matrix of run 1 is not positive definite at t = 0 s"):
        run = ls.simulate(arm, q, payloads=payloads, until=1e-3, dt=1e-4, method="rk4")
    assert not run.ok


@pytest.mark.parametrize("seed", [2, 9])
def test_jacobian_past_prismatic_joints(seed):
    """Against central differences of the pose, and the acceleration against those of the Jacobian."""
    arm = sliding().replace(flexibility="linear")
    q, qd, qdd = states(arm, seed)
    where, h = ("hand.tip", (0.03, 0.02, -0.01)), 1e-6
    J = ls.jacobian(arm, q, *where)
    ahead, back = (ls.pose(arm, q + s * h * np.eye(arm.dof), *where)[:, :3, 3] for s in (1, -1))
    assert np.abs((ahead - back).T / (2 * h) - J[:3]).max() < 1e-8
    assert ls.velocity(arm, q, qd, *where) == pytest.approx(J @ qd, abs=1e-12)
    rate = (ls.jacobian(arm, q + h * qd, *where) - ls.jacobian(arm, q - h * qd, *where)) / (2 * h)
    assert ls.acceleration(arm, q, qd, qdd, *where) == pytest.approx(J @ qdd + rate @ qd, abs=1e-7)
