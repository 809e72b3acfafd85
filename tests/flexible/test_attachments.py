"""Bodies that hang along a beam (`Joint(at=...)`), not only on its tip."""

import numpy as np
import pytest

import lissom as ls
from lissom.dynamics import forward
from lissom.dynamics.acting import Acting, nine_of
from lissom.dynamics.stations import on_frame
from lissom.engine.program import Plain
from lissom.kernels.cache import functions_of
from lissom.spatial.frames import pose
from lissom.spatial.inertia import Inertia
from lissom.spatial.rotations import from_rpy
from lissom.views.arms.skeleton import Skeleton

MOUNT = pose(from_rpy([0.3, -0.2, 0.5]), (0.02, 0.05, -0.03))
BODY = Inertia(0.5, np.array([0.1, 0.03, -0.02]), np.diag([0.002, 0.003, 0.004]))


def crane(at=0.37, kind="revolute", mid=True, outer=True):
    """A beam that bends in two planes on two joints, something at its tip, and a chain along it."""
    beam = ls.Beam(1.0, 0.8, EI=(60.0, 40.0), modes=ls.Modes(2), tip=ls.Tip(0.4))
    links = [
        ls.Link("hub", None, ls.Joint(axis=(0.1, 0.2, 1)), 1.0, com=(0.05, 0.02, 0.01), inertia=(0.02, 0.03, 0.04)),
        ls.Link("beam", "hub", ls.Joint(placement=pose(from_rpy([0.1, 0.2, 0.3]), (0.1, 0, 0.2)), axis=(0, 1, 0.3)),
                mass=0.3, com=(0.01, 0, 0), inertia=(1e-3, 1e-3, 1e-3), beam=beam),
    ]  # fmt: skip
    if mid:
        links.append(ls.Link("mid", "beam", ls.Joint(kind, MOUNT, axis=(0.3, 1, 0.2), at=at),
                             mass=BODY.mass, com=BODY.com, inertia=BODY.moment))  # fmt: skip
    if mid and outer:
        links.append(ls.Link("outer", "mid", ls.Joint(placement=pose(from_rpy([-0.3, 0.2, 0.1]), (0.2, 0, 0)),
                                                      axis=(1, 0.1, 0.2)),
                             mass=0.3, com=(0.08, 0.01, 0.02), inertia=(1e-3, 2e-3, 1.5e-3)))  # fmt: skip
    links.append(ls.Link("end", "beam", ls.Joint(placement=pose(from_rpy([0, 0.4, 0]), (0.01, 0, 0)), axis=(0, 0.2, 1)),
                         mass=0.4, com=(0.07, 0.01, -0.03), inertia=(1e-3, 2e-3, 2.5e-3)))  # fmt: skip
    return ls.Arm("crane", links, gravity=(1.0, 2.0, -9.0))


def ask(arm, name, *given, backend="numpy", loads=()):
    """A verb without compiling it."""
    acting = Acting(loads=tuple(frame for frame, _ in loads))
    return functions_of(arm).get(name, acting, backend=backend)(*given, *(nine_of(load) for _, load in loads))


def state(arm, seed=0):
    rng = np.random.default_rng(seed)
    q, qd, x = (rng.uniform(-1, 1, arm.dof) for _ in range(3))
    q[arm.mode_index] *= 0.03
    return q, qd, x


def test_at_the_end_of_the_beam_it_is_at_the_tip():
    along, tip = crane(at=1.0), crane(at=None)
    q, qd, x = state(tip)
    for name, given in (("inverse_dynamics", (q, qd, x)), ("forward_dynamics", (q, qd, x)), ("mass_matrix", (q,)),
                        ("poses", (q,)), ("energies", (q, qd)), ("momentum", (q, qd))):  # fmt: skip
        assert np.allclose(ask(along, name, *given), ask(tip, name, *given), rtol=1e-10, atol=1e-11), name


def test_the_frame_is_that_of_the_section():
    arm = crane(kind="fixed", outer=False)
    q, _, _ = state(arm)
    assert np.allclose(ls.pose(arm, q, "beam", (0.37, 0, 0)) @ MOUNT, ls.pose(arm, q, "mid"))
    still = ls.pose(arm, arm.home, "beam") @ pose(p=(0.37, 0, 0)) @ MOUNT
    assert np.allclose(ls.pose(arm, arm.home, "mid"), still)


def test_a_body_along_the_beam_adds_its_kinetic_energy():
    """M of the whole is M of the rest and J^T I J of the body, J of a section known without it."""
    bare, arm = crane(mid=False), crane(kind="fixed", outer=False)
    q, _, _ = state(bare)
    J = ls.jacobian(bare, q, "beam", (0.37, 0, 0))
    J = np.vstack([J[3:], J[:3]])
    R = ls.pose(bare, q, "beam", (0.37, 0, 0))[:3, :3]
    own = BODY.in_frame(pose(R) @ MOUNT).spatial()
    assert np.allclose(ask(arm, "mass_matrix", q), ask(bare, "mass_matrix", q) + J.T @ own @ J, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("backend", ["numpy", "tape", "straight"])
def test_forward_dynamics_and_mass_matrix_agree_with_inverse_dynamics(backend):
    arm = crane()
    q, qd, x = state(arm)
    tau = ask(arm, "inverse_dynamics", q, qd, x, backend=backend)
    assert np.allclose(ask(arm, "forward_dynamics", q, qd, tau, backend=backend), x, atol=1e-10)
    M = ask(arm, "mass_matrix", q, backend=backend)
    assert np.allclose(M @ x, tau - ask(arm, "inverse_dynamics", q, qd, 0 * x, backend=backend), atol=1e-12)
    assert ask(arm, "kinetic_energy", q, qd, backend=backend)[0] == pytest.approx(0.5 * qd @ M @ qd, rel=1e-13)


def test_articulated_bodies_agree_with_the_matrix():
    arm = crane()
    q, qd, x = state(arm)
    tau = ask(arm, "inverse_dynamics", q, qd, x)
    run = Plain([np.asarray(value)[None] for value in (q, qd, tau)])
    forward.program(run, functions_of(arm).bodies, Acting(), tape=True)
    assert np.allclose([float(np.ravel(value)[0]) for value in run.outputs[0]], x, atol=1e-10)


def test_inverse_dynamics_is_lagranges():
    arm = crane()
    (q, qd, x), h = state(arm), 1e-4
    sides = [[ask(arm, "energies", q + s * h * e, qd) for s in (1, -1)] for e in np.eye(arm.dof)]
    T, V = np.moveaxis(np.array(sides), -1, 0)
    turned = [ask(arm, "mass_matrix", q + s * h * qd) @ qd for s in (1, -1)]
    expected = ask(arm, "mass_matrix", q) @ x + (turned[0] - turned[1] + (V - T) @ [1, -1]) / (2 * h)
    assert np.allclose(ask(arm, "inverse_dynamics", q, qd, x), expected, atol=1e-5)


def test_derivatives_follow():
    arm = crane()
    (q, qd, x), h = state(arm), 1e-6
    sides = [[ask(arm, "inverse_dynamics", q + s * h * e, qd, x) for e in np.eye(arm.dof)] for s in (1, -1)]
    slope = (np.array(sides[0]) - sides[1]).T / (2 * h)
    assert np.allclose(ask(arm, "inverse_dynamics_gradient", q, qd, x)[0], slope, rtol=1e-6, atol=1e-5)


def test_loads_act_where_the_bodies_are():
    arm = crane()
    q, qd, x = state(arm)
    given = [ls.Load("beam", (1, 2, -3), point=(s, 0, 0)) for s in (0.37, 0.6)]
    given += [ls.Load("mid", (1, 2, 3), (0.1, 0.2, 0.3), (0.1, 0.2, 0.3)), ls.Load("outer", (0, 1, 0))]
    loads = [on_frame(arm, load) for load in given]
    tau = ask(arm, "inverse_dynamics", q, qd, x, loads=loads)
    pulled = sum(ls.jacobian(arm, q, p.link, p.point).T @ np.concatenate([p.force, p.moment]) for p in given)
    assert np.allclose(ask(arm, "inverse_dynamics", q, qd, x) - tau, pulled, atol=1e-12)
    assert np.allclose(ask(arm, "forward_dynamics", q, qd, tau, loads=loads), x, atol=1e-10)


def test_arms_of_an_ensemble_may_differ_in_where_it_sits():
    arm = crane(kind="fixed", outer=False)
    other = arm.with_joint("mid", at=0.55).with_link("mid", mass=0.7)
    q, _, _ = state(arm)
    options = {"until": 0.01, "dt": 1e-3, "method": "rk8"}
    many = ls.simulate(arm, q, arms=[arm, other], **options)
    assert np.allclose(many.q[1], ls.simulate(other, q, **options).q, atol=1e-12)
    assert many.balance_error.max() < 1e-9


def test_files_merging_and_subtrees_keep_it(tmp_path):
    arm = crane(kind="fixed")
    ls.save(arm, tmp_path / "crane.toml")
    assert ls.load(tmp_path / "crane.toml") == arm
    assert arm.merge_fixed().link("mid").joint.at == 0.37
    assert arm.subtree("mid").links[0].joint.at is None


def test_pictures_show_it_on_the_beam():
    arm = crane()
    q, _, _ = state(arm)
    k = arm.index("mid")
    assert np.allclose(Skeleton(arm, q).starts[k], ls.pose(arm, q, "beam", (0.37, 0, 0))[:3, 3])


def test_a_beam_without_modes_is_rigid_there_too():
    arm = crane()
    stiff = arm.with_link("beam", beam=arm.link("beam").beam.replace(modes=ls.Modes(0)))
    assert np.allclose(ls.pose(stiff, stiff.home, "mid"), ls.pose(arm, arm.home, "mid"))
    joints = np.ix_(arm.joint_index, arm.joint_index)
    assert np.allclose(ask(stiff, "mass_matrix", stiff.home), ask(arm, "mass_matrix", arm.home)[joints], rtol=1e-12)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda arm: arm.with_joint("end", at=2.0),
            "joint 'end': at is 2, beyond the beam of link 'beam'",
        ),
        (lambda arm: arm.with_joint("outer", at=0.1), "at is for joints along a beam, and link 'mid' has none"),
        (lambda arm: arm.with_joint("hub", at=0.1), "at is for joints along a beam, and the base has none"),
        (lambda arm: arm.with_joint("mid", at=-0.1), "at is -0.1; expected at least 0"),
        (lambda arm: arm.replace(flexibility="linear"), "at is not available with flexibility='linear'"),
    ],
)
def test_places_that_are_not_on_a_beam_are_refused(make, words):
    with pytest.raises(ls.ModelError, match=words):
        make(crane())


def test_placements_that_look_counted_from_the_root_are_found():
    arm = crane(at=None)
    assert not any("beyond the tip" in finding.message for finding in arm.check())
    far = arm.with_joint("end", placement=pose(p=(0.5, 0, 0)))
    (found,) = (finding for finding in far.check() if "beyond the tip" in finding.message)
    assert (found.level, found.subject) == ("warning", "link 'end'")
    assert "give the joint at=0.5" in found.message


def test_a_locked_joint_stays_where_it_is_along_the_beam():
    arm = crane(at=0.37)
    locked = arm.lock({"mid": 0.4})
    q, _, _ = state(arm)
    k = arm.coordinates.index("mid")
    q[k] = 0.4
    assert np.allclose(ask(locked, "poses", np.delete(q, k)), ask(arm, "poses", q), rtol=0, atol=1e-14)
    M = np.delete(np.delete(ask(arm, "mass_matrix", q), k, 0), k, 1)
    assert np.allclose(ask(locked, "mass_matrix", np.delete(q, k)), M, rtol=1e-12, atol=1e-12)


def test_joints_that_follow_along_a_beam():
    """`outer` follows `mid`, which sits along the beam: the free arm with both moving together."""
    free = crane(at=0.37)
    arm = free.with_joint("outer", mimic=ls.Mimic("mid", 0.7, 0.1))
    q, qd, x = state(arm)
    i, j = free.coordinates.index("mid"), free.coordinates.index("outer")
    G = np.insert(np.eye(arm.dof), j, 0.0, axis=0)
    G[j, i] = 0.7
    at = G @ q
    at[j] += 0.1
    M = G.T @ ask(free, "mass_matrix", at) @ G
    assert np.allclose(ask(arm, "mass_matrix", q), M, rtol=1e-11, atol=1e-11)
    tau = G.T @ ask(free, "inverse_dynamics", at, G @ qd, G @ x)
    assert np.allclose(ask(arm, "inverse_dynamics", q, qd, x), tau, rtol=1e-11, atol=1e-11)
    assert np.allclose(ask(arm, "forward_dynamics", q, qd, tau), x, rtol=1e-8, atol=1e-8)
