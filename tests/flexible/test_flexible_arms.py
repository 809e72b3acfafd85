"""Arms with flexible links: the recursion against sampled points, energy, limits, and other beams."""

import numpy as np
import pytest
from tests.flexible.sampled import Cloud

import lissom as ls
from lissom.dynamics import forward
from lissom.dynamics.acting import Acting
from lissom.dynamics.stations import on_frame
from lissom.elements.pivots import Held
from lissom.engine.program import Plain
from lissom.kernels.cache import functions_of
from lissom.spatial.frames import pose
from lissom.spatial.rotations import about_axis


def rotated(axis, angle, p=(0, 0, 0)):
    axis = np.asarray(axis, float)
    return pose(about_axis(axis / np.linalg.norm(axis), angle), np.asarray(p, float))


def spatial_arm():
    """Prismatic root, two-plane bending with torsion, a branch of another flexible link and a sliding rigid one."""
    beam = ls.Beam(0.6, 0.5, EI=(1.2, 0.9), GJ=0.7, gyration=(0.012, 0.017), modes=ls.Modes(2, 1, 1))
    thin = ls.Beam(0.4, 0.3, EI=(0.5, 0.8), modes=ls.Modes(1, 1, 0))
    I = np.array([[0.02, 0.003, -0.002], [0.003, 0.03, 0.004], [-0.002, 0.004, 0.025]])
    return ls.Arm("spatial", [
        ls.Link("cart", joint=ls.Joint("prismatic", rotated((1, 2, 3), 0.4), (0.3, 0.5, 1.0), armature=0.2), mass=1.5,
                com=(0.1, 0, 0.05), inertia=I),
        ls.Link("boom", "cart", ls.Joint("revolute", rotated((3, 1, 2), 0.8, (0.1, 0.2, 0.3)), (0.2, 1.0, 0.4),
                damping=0.1, stiffness=0.5, rest=0.2), mass=0.3, com=(0.02, 0.01, 0), inertia=I / 10,
                frame=rotated((1, 0, 2), 0.3), beam=beam, payload=ls.Payload(0.4, (0.03, 0.02, -0.01), I / 20)),
        ls.Link("fore", "boom", ls.Joint("revolute", rotated((1, 1, 0), 0.5, (0.02, 0, 0.01)), (0, 0.3, 1)), mass=0.2,
                inertia=I / 30, beam=thin, payload=ls.Payload(0.2, (0, 0.02, 0), I / 40)),
        ls.Link("slide", "boom", ls.Joint("prismatic", rotated((0, 1, 1), -0.6, (0, 0.1, 0)), (1, 0.2, 0)), mass=0.6,
                com=(0.1, 0.05, 0), inertia=I / 5),
        ls.Link("hand", "fore", ls.Joint("revolute", rotated((1, 0, 1), 0.7), (0, 1, 0)), mass=0.3, com=(0.05, 0, 0.02),
                inertia=I / 15),
    ], gravity=(1.0, -3.0, -8.0))  # fmt: skip


ARMS = {"two_link": ls.load("two_link_flexible"), "spatial": spatial_arm()}


def states(arm, seed, size=0.06):
    rng = np.random.default_rng(seed)
    q, qd, qdd = rng.normal(size=(3, arm.dof))
    q[arm.mode_index] *= size
    qd[arm.mode_index] *= size
    return q, qd, qdd


@pytest.fixture(scope="module", params=ARMS)
def case(request):
    arm = ARMS[request.param]
    rng = np.random.default_rng(5)
    loads = [(arm.links[k].name + (".tip" if arm.links[k].flexible else ""), rng.normal(size=3), rng.normal(size=3))
             for k in range(1, len(arm.links))]  # fmt: skip
    cloud = Cloud(arm)
    told = [
        ((cloud.tips if arm.links[k + 1].flexible else cloud.frames)[k + 1], *load[1:]) for k, load in enumerate(loads)
    ]
    made = [ls.Load(*load) for load in loads]
    for k, s in ((1, 0.31), (1, 0.07)):  # along a beam, beside its axis
        force, moment = rng.normal(size=(2, 3))
        made.append(ls.Load(arm.links[k].name, force, moment, point=(s, 0.02, -0.01)))
        told.append((cloud.station(k, s, (0, 0.02, -0.01)), force, moment))
    return arm, made, cloud.lagrange(told), cloud.lagrange()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.some(3)
def test_recursion_against_automatic_differentiation(case, seed):
    """The bar: 1e-9 relative."""
    arm, loads, (loaded, _), (free, energy) = case
    q, qd, qdd = states(arm, seed)
    want = np.array(free(q, qd, qdd)).ravel()
    assert np.abs(ls.inverse_dynamics(arm, q, qd, qdd) - want).max() < 1e-9 * np.abs(want).max()
    want = np.array(loaded(q, qd, qdd)).ravel()
    assert np.abs(ls.inverse_dynamics(arm, q, qd, qdd, loads=loads) - want).max() < 1e-9 * np.abs(want).max()
    M, V = (np.array(x) for x in energy(q))
    assert np.abs(ls.mass_matrix(arm, q) - M).max() < 1e-9 * np.abs(M).max()
    assert ls.kinetic_energy(arm, q, qd) == pytest.approx(0.5 * qd @ M @ qd, rel=1e-9)
    rest = energy(np.zeros(arm.dof))[1]
    assert float(ls.potential_energy(arm, q) - ls.potential_energy(arm, np.zeros(arm.dof))) == pytest.approx(
        float(V.item() - rest), rel=1e-9
    )


def test_the_plain_field_without_third_order():
    """The switch: 1e-9 as with it, and another model at finite deflections."""
    arm = ARMS["two_link"]
    plain = arm.replace(links=[link.replace(beam=link.beam.replace(third_order=False)) for link in arm.links])
    free, energy = Cloud(plain).lagrange()
    q, qd, qdd = states(plain, 9, size=0.03)
    want = np.array(free(q, qd, qdd)).ravel()
    assert np.abs(ls.inverse_dynamics(plain, q, qd, qdd) - want).max() < 1e-9 * np.abs(want).max()
    M = np.array(energy(q)[0])
    assert np.abs(ls.mass_matrix(plain, q) - M).max() < 1e-9 * np.abs(M).max()
    bias = np.array(free(q, qd, 0 * qdd)).ravel()
    back = np.linalg.solve(M, want - bias)
    assert np.abs(ls.forward_dynamics(plain, q, qd, want) - back).max() < 1e-9 * np.abs(back).max()
    apart = np.abs(ls.mass_matrix(arm, q) - M).max() / np.abs(M).max()
    assert 1e-4 < apart < 0.05


@pytest.mark.parametrize("seed", range(3))
def test_forward_dynamics_against_the_matrix(case, seed):
    arm, loads, *_ = case
    q, qd, tau = states(arm, seed)
    still = np.zeros(arm.dof)
    bias = ls.inverse_dynamics(arm, q, qd, still, loads=loads)
    want = np.linalg.solve(ls.mass_matrix(arm, q), tau - bias)
    got = ls.forward_dynamics(arm, q, qd, tau, loads=loads)
    assert np.abs(got - want).max() < 1e-9 * np.abs(want).max()


@pytest.mark.parametrize("seed", range(2))
def test_articulated_bodies_against_the_matrix_with_held_joints(case, seed):
    """Loads at tips and along beams, a payload that is an input, a held joint: accelerations and its effort."""
    arm, loads, *_ = case
    rng = np.random.default_rng(seed)
    q, qd, tau = states(arm, seed)
    library = functions_of(arm)
    spots = [on_frame(arm, load) for load in loads]
    acting = Acting(tuple(frame for frame, _ in spots), payloads=(f"{arm.links[1].name}.tip",))
    rows = [np.concatenate([load.force, load.moment, load.point]) for _, load in spots]
    payload = np.array([0.3, 0.01, -0.02, 0.03, 0.02, 0.001, 0.002, 0.03, -0.001, 0.025])
    joint = int(arm.joint_index[1])
    held = [0.0, rng.normal()]  # it is held, and follows this acceleration
    found = []
    for tape in (False, True):
        run = Plain([np.atleast_2d(x) for x in (q, qd, tau, *rows, payload, held)])
        bodies, given = forward.read(run, library.bodies.with_stations(acting.loads), acting)
        free, follows = run.input(2)
        qdd, effort = forward.accelerations(run, bodies, given, {joint: Held(free, follows)}, tape)
        found.append(np.array([np.ravel(x[0])[0] for x in (*qdd, effort[joint])]))
    assert found[1][joint] == held[1]
    assert np.abs(found[1] - found[0]).max() < 1e-10 * np.abs(found[0]).max()


@pytest.mark.parametrize("verb", ["inverse_dynamics", "mass_matrix", "forward_dynamics", "inverse_dynamics_gradient"])
@pytest.mark.parametrize("name", ["two_link", pytest.param("spatial", marks=pytest.mark.slow)])
def test_all_ways_of_running_agree(name, verb):
    """NumPy, straight-line code and tape; one state, and more than one block of four."""
    arm = ARMS[name]
    q, qd, qdd = (np.stack(x) for x in zip(*(states(arm, k) for k in range(7)), strict=True))
    given = (q,) if verb == "mass_matrix" else (q, qd, qdd)
    backends = ["tape", "straight"] if name == "two_link" else ["tape"]  # long straight-line code takes long to make
    want = functions_of(arm).get(verb, backend="numpy")(*given)
    for backend in backends:
        function = functions_of(arm).get(verb, backend=backend)
        many, one = function(*given), function(*(x[5] for x in given))
        for a, b, c in zip(*([x] if isinstance(x, np.ndarray) else x for x in (want, many, one)), strict=True):
            assert np.abs(b - a).max() < 1e-11 * np.abs(a).max()
            assert (c == b[5]).all()


@pytest.mark.parametrize("name", ["two_link", pytest.param("spatial", marks=pytest.mark.slow)])
def test_products_and_second_derivatives(name):
    arm = ARMS[name]
    q, qd, qdd = states(arm, 6)
    w = np.random.default_rng(1).normal(size=arm.dof)
    slopes = ls.inverse_dynamics_gradient(arm, q, qd, qdd)
    product = ls.inverse_dynamics_product(arm, q, qd, qdd, w)
    for got, slope in zip(product, slopes, strict=True):
        assert np.abs(got - w @ slope).max() < 1e-12 * max(1.0, np.abs(w @ slope).max())
    second = ls.inverse_dynamics_hessian(arm, q, qd, qdd, w)
    e = 1e-5 * np.random.default_rng(2).normal(size=arm.dof)
    ahead, behind = (ls.inverse_dynamics_product(arm, q + s * e, qd, qdd, w) for s in (1, -1))
    for block, a, b in zip(second[:3], ahead, behind, strict=True):  # by q of the derivatives by q, qd, qdd
        want = (a - b) / 2
        got = e @ block
        assert np.abs(got - want).max() < 1e-6 * np.abs(want).max()


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.some(1)
def test_momentum_is_what_a_joint_below_the_arm_feels(name):
    """A joint about (along) e under the whole arm, at rest: its row of M times the rates is L.e (P.e)."""
    arm = ARMS[name]
    q, qd, _ = states(arm, 8)
    told = ls.momentum(arm, q, qd)
    e = np.array([0.3, -0.7, 0.4]) / np.linalg.norm([0.3, -0.7, 0.4])
    for kind, part in (("prismatic", told[:3]), ("revolute", told[3:])):
        root = ls.Link("ground", joint=ls.Joint(kind, np.eye(4), e, armature=1.0))
        onto = [link.replace(parent=link.parent or "ground") for link in arm.links]
        M = ls.mass_matrix(ls.Arm("on a joint", [root, *onto]), [0.0, *q])
        assert M[0, 1:] @ qd == pytest.approx(part @ e, rel=1e-11)
    mass = ls.mass_matrix(ls.Arm("mass", [ls.Link("ground", joint=ls.Joint("prismatic")), *onto]), [0.0, *q])[0, 0]
    step = 1e-6
    moved = (ls.centre_of_mass(arm, q + step * qd) - ls.centre_of_mass(arm, q - step * qd)) / (2 * step)
    assert np.abs(mass * moved - told[:3]).max() < 1e-7 * np.abs(told[:3]).max()


@pytest.mark.parametrize("name", ARMS)
def test_batches_are_single_states_bit_for_bit(name):
    arm = ARMS[name]
    q, qd, qdd = (np.stack(x) for x in zip(*(states(arm, k) for k in range(7)), strict=True))
    for verb in (ls.inverse_dynamics, ls.forward_dynamics):
        many = verb(arm, q, qd, qdd)
        for k in (0, 3, 6):
            assert (many[k] == verb(arm, q[k], qd[k], qdd[k])).all()


@pytest.mark.parametrize("case", ["two_link", pytest.param("spatial", marks=pytest.mark.slow)], indirect=True)
def test_gradients(case):
    """The bar: 1e-8 relative, against casadi on the sampled points."""
    import casadi as ca

    arm, _, _, (free, _) = case
    q, qd, qdd = states(arm, 4)
    symbols = [ca.SX.sym(w, arm.dof) for w in ("q", "qd", "qdd")]
    slopes = ca.Function("s", symbols, [ca.jacobian(free(*symbols), x) for x in symbols])
    got = ls.inverse_dynamics_gradient(arm, q, qd, qdd)
    for mine, theirs in zip(got, slopes(q, qd, qdd), strict=True):
        theirs = np.array(theirs)
        assert np.abs(mine - theirs).max() < 1e-8 * max(1e-3, np.abs(theirs).max())
    change = ls.forward_dynamics_gradient(arm, q, qd, qdd)
    step = 1e-6
    for k in (0, 2, arm.dof - 1):
        e = step * np.eye(arm.dof)[k]
        column = (ls.forward_dynamics(arm, q + e, qd, qdd) - ls.forward_dynamics(arm, q - e, qd, qdd)) / (2 * step)
        assert np.abs(change.q[:, k] - column).max() < 1e-5 * np.abs(change.q).max()


@pytest.mark.parametrize("name", ARMS)
def test_kinematics_of_a_bent_arm(name):
    arm = ARMS[name]
    cloud = Cloud(arm)
    import casadi as ca

    q, qd, qdd = states(arm, 2)
    for i, link in enumerate(arm.links):
        frames = {link.name: cloud.frames[i]} | ({f"{link.name}.tip": cloud.tips[i]} if link.flexible else {})
        for frame, (R, o) in frames.items():
            place = ca.Function("x", [cloud.q], [R, o, ca.jacobian(o, cloud.q)])
            R0, o0, J0 = (np.array(x) for x in place(q))
            X = ls.pose(arm, q, frame)
            assert np.abs(X[:3, :3] - R0).max() < 1e-12
            assert np.abs(X[:3, 3] - o0[:, 0]).max() < 1e-12
            J = ls.jacobian(arm, q, frame)
            assert np.abs(J[:3] - J0).max() < 1e-11
            assert np.abs(ls.velocity(arm, q, qd, frame) - J @ qd).max() < 1e-11
            h = 1e-4
            p = [ls.pose(arm, q + s * qd + s * s / 2 * qdd, frame)[:3, 3] for s in (-h, 0, h)]
            a = ls.acceleration(arm, q, qd, qdd, frame)[:3]
            assert np.abs(a - (p[0] - 2 * p[1] + p[2]) / h**2).max() < 1e-5 * max(1.0, np.abs(a).max())
    R, o = cloud.station(1, 0.23, (0, 0.01, 0.02))
    R0, o0, J0 = (np.array(x) for x in ca.Function("x", [cloud.q], [R, o, ca.jacobian(o, cloud.q)])(q))
    X = ls.pose(arm, q, arm.links[1].name, point=(0.23, 0.01, 0.02))
    assert np.abs(X[:3, 3] - o0[:, 0]).max() < 1e-12
    assert np.abs(X[:3, :3] - R0).max() < 1e-12
    assert np.abs(ls.jacobian(arm, q, arm.links[1].name, (0.23, 0.01, 0.02))[:3] - J0).max() < 1e-11


def test_standing_loads_along_a_beam():
    arm = ARMS["two_link"]
    load = ls.Load("link1", force=(1.0, -2.0, 0.5), point=(0.2, 0, 0))
    q, qd, qdd = states(arm, 0)
    with_it = ls.inverse_dynamics(arm.replace(loads=[load]), q, qd, qdd)
    assert np.abs(with_it - ls.inverse_dynamics(arm, q, qd, qdd, loads=[load])).max() < 1e-13
    a = ls.simulate(arm, q, until=0.1, loads=[load])
    b = ls.simulate(arm.replace(loads=[load]), q, until=0.1)
    assert np.abs(a.q - b.q).max() < 1e-9
    assert a.balance_error < 1e-7
    with pytest.raises(ls.InputError, match=r"0\.7 m along link 'link1' is not on its beam of 0\.5 m"):
        ls.inverse_dynamics(arm, q, qd, qdd, loads=[ls.Load("link1", (1, 0, 0), point=(0.7, 0, 0))])
    with pytest.raises(ls.UnsupportedError, match="points at 2 places along the flexible link"):
        ls.pose(arm, q, "link1", point=[[0.1, 0, 0], [0.2, 0, 0]])


@pytest.mark.parametrize("name", ARMS)
def test_inertia_is_positive_at_large_slopes(name):
    """The bar: slopes up to 1, always."""
    arm = ARMS[name]
    rng = np.random.default_rng(0)
    q = rng.uniform(-3, 3, (400, arm.dof))
    q[:, arm.mode_index] *= 0.2
    M = ls.mass_matrix(arm, q)
    assert np.abs(M - np.swapaxes(M, 1, 2)).max() < 1e-12 * np.abs(M).max()
    assert (np.linalg.eigvalsh(M) > 0).all()


@pytest.mark.some(1)
@pytest.mark.parametrize("name", ARMS)
def test_energy_of_free_motion(name):
    """The bar: drift over the largest kinetic energy at most 1e-8 (5 s of the two-link arm)."""
    arm = ARMS[name]
    arm = arm.replace(links=[x.replace(joint=x.joint.replace(damping=0.0)) if x.joint.moves else x for x in arm.links])
    q, qd, _ = states(arm, 1, 0.02)
    run = ls.simulate(arm, 0.3 * q, 0.3 * qd, until=5.0 if name == "two_link" else 0.3, rtol=1e-10, atol=1e-12)
    assert run.ok, run.status
    assert np.ptp(run.energy) / run.kinetic.max() < 1e-8


def test_stiff_links_are_rigid():
    """Static and dynamic difference to the rigid arm shrinks as 1 / EI."""
    arm = ARMS["two_link"]
    rigid = ls.Arm("rigid", [
        ls.Link(x.name, x.parent, x.joint.replace(placement=pose(p=(0.5, 0, 0)) if x.parent else np.eye(4)),
                mass=x.body.mass, com=x.body.com, inertia=x.body.moment) for x in arm.links
    ], gravity=(0, -9.81, 0))  # fmt: skip
    differences = []
    for EI in (1e2, 1e3, 1e4):
        links = [x.replace(beam=x.beam.replace(EI=EI, damping=0.5)) for x in arm.links]
        stiff = arm.replace(links=links, gravity=(0, -9.81, 0))
        start = ls.equilibrium(stiff, [0.3, -0.4])
        tau = ls.gravity_forces(rigid, [0.3, -0.4])
        differences.append(np.abs(start.tau[stiff.joint_index] - tau).max())
    assert differences[1] == pytest.approx(differences[0] / 10, rel=0.1)
    assert differences[2] == pytest.approx(differences[1] / 10, rel=0.1)
    still = np.zeros(2)
    assert np.allclose(ls.inverse_dynamics(stiff, [0.3, -0.4], still, still)[stiff.joint_index], tau, rtol=1e-12)


@pytest.mark.parametrize("joints", ["locked", "free"])
def test_modes_of_the_assembled_arm(joints):
    """Frequencies from the compiled inertia and gradient; the poles of the linear plant with locked joints."""
    arm, q = ARMS["two_link"], np.array([0.3, 0, 0, 0.7, 0, 0])
    found = ls.modes(arm, [0.3, 0.7], joints)
    still = np.zeros(6)
    M, K = ls.mass_matrix(arm, q), ls.inverse_dynamics_gradient(arm, q, still, still).q
    some = arm.mode_index if joints == "locked" else np.arange(6)
    values = np.sort(np.linalg.eigvals(np.linalg.solve(M[np.ix_(some, some)], K[np.ix_(some, some)])).real)
    assert found.rigid == (0 if joints == "locked" else 2)
    want = np.sqrt(values[found.rigid :]) / (2 * np.pi)
    assert np.abs(found.frequencies_hz / want - 1).max() < 1e-9
    assert np.allclose(np.einsum("ik,ij,jl->kl", found.shapes, M, found.shapes), np.eye(4), atol=1e-9)


def test_modal_damping_is_the_ratio_asked_for():
    beam = ls.Beam(0.6, 0.5, EI=2.0, damping=0.03, modes=ls.Modes(2))
    arm = ls.Arm("rod", [ls.Link("rod", beam=beam, payload=ls.Payload(0.2, inertia=0.001))], gravity=(0, 0, 0))
    found = ls.modes(arm, joints="locked")
    assert np.allclose(found.damping, 0.03, rtol=1e-6)
    alone = ls.beam_modes(beam, ls.Tip(0.2, 0.001), 2)
    assert np.allclose(found.frequencies_hz, alone.frequencies_hz, rtol=1e-9)


def test_wrong_questions_about_modes():
    with pytest.raises(ls.InputError, match="arm 'puma560' has no vibration modes with its joints locked"):
        ls.modes(ls.load("puma560"))
    with pytest.raises(ls.InputError, match="joints is 'open'; expected 'locked' or 'free'"):
        ls.modes(ARMS["two_link"], joints="open")
    with pytest.raises(ls.InputError, match="has no flexible beams"):
        ls.mode_convergence(ls.load("puma560"))


def test_tip_and_deflection_of_a_run():
    arm = ARMS["two_link"]
    run = ls.simulate(arm, [0.1, 0.02, 0, 0.2, 0.03, 0.001], until=0.2, every=0.02)
    assert run.tip_frame == "link2.tip"
    assert np.allclose(run.tip[3], ls.pose(arm, run.q[3], "link2.tip")[:3, 3])
    shape = ls.beam_modes(arm.link("link2").beam, ls.Tip(0.1, 0.0005), 2).shape(0.5)
    assert np.allclose(run.tip_deflection[:, 1], run.q[:, 4:6] @ shape, atol=1e-12)
    assert (run.tip_deflection[:, 0] <= 0).all()  # foreshortening
    mixed = arm.with_link("link1", beam=None, mass=0.3, inertia=np.diag([0.0, 0.01, 0.01]))
    with pytest.raises(ls.InputError, match="rigid"):
        ls.simulate(mixed, until=0.01).deflection("link1")


def test_loads_that_stand_off_the_tip_of_given_integrals_concern_dynamics_only():
    """Integrals know the tip alone: a load elsewhere is refused, but the arm's kinematics never asks for it."""
    C, Ck, Ckl = np.diag([0.5, 0.1, 0.0, 0.0]), np.zeros((1, 4, 4)), np.zeros((1, 1, 4, 4))
    Ck[0, 0, 2], Ckl[0, 0, 2, 2] = 0.2, 0.3
    given = ls.ModalIntegrals(C, Ck, Ckl, [[40.0]], [[0.0]], (0.9, 0, 0), [[0, 1.1, 0]], [[0, 0, 2.0]])
    arm = ls.Arm("a", [ls.Link("boom", modes=given)], loads=[ls.Load("boom", force=(0, 1, 0), point=(0.3, 0, 0))])
    assert ls.poses(arm, [0.2, 0.01]).shape == (1, 4, 4)
    assert ls.pose(arm, [0.2, 0.01], "boom.tip")[1, 3] > 0.0
    with pytest.raises(ls.UnsupportedError, match="given by modal integrals, which describe its tip only"):
        ls.inverse_dynamics(arm, [0.2, 0.01], [0, 0], [0, 0])
