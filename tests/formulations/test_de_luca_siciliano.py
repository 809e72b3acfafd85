"""The planar closed form against an independent derivation, its energy, its limits and what it refuses."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.formulations.planar_cloud import LinearCloud, modal

import lissom as ls
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.flexible_links import flexible_bodies
from lissom.dynamics.planar.chain import Planar
from lissom.dynamics.planar.equations import Equations, Phases, value
from lissom.formulations.counting import degree_of
from lissom.kernels.cache import functions_of
from lissom.spatial.frames import pose
from lissom.spatial.rotations import about_axis

DLS = "de_luca_siciliano"
Z = np.array([0.0, 0.0, 1.0])


def planar_arm(seed, modes, *, tilt=True, stretch=False, drives=False, gravity=(3.1, -7.7, 2.0)):
    """Beams with awkward numbers in a tilted plane: offsets, anti-parallel axes, hubs and payloads off their axes.

    modes : of every link; 0 is a rigid one
    """
    rng = np.random.default_rng(seed)
    plane = about_axis(np.array([0.36, 0.48, 0.8]), 0.7) if tilt else np.eye(3)
    links = []
    for i, count in enumerate(modes):
        # every other axis points the other way, and its frame is turned over
        turned = about_axis(Z, rng.uniform(-2, 2)) @ (np.diag([1.0, -1.0, -1.0]) if i % 2 else np.eye(3))
        start = pose((plane if i == 0 else np.eye(3)) @ turned, rng.uniform(-0.1, 0.1, 3))
        options = {"armature": 0.07, "damping": 0.21, "stiffness": 1.3, "rest": 0.4} if drives else {}
        frame = pose(about_axis(Z, rng.uniform(-1, 1)), rng.uniform(-0.08, 0.08, 3))
        flat = ls.Beam(
            length=rng.uniform(0.4, 0.9), mass_per_length=rng.uniform(0.2, 0.6), EI=(None, rng.uniform(1.0, 4.0)),
            EA=800.0 if stretch else None, modes=ls.Modes(bending_z=count, stretch=int(stretch)),
            damping=0.01 if drives else 0.0,
        ) if count else None  # fmt: skip
        links.append(ls.Link(
            f"l{i}", None if i == 0 else f"l{i - 1}", ls.Joint("revolute", start, name=f"j{i}", **options),
            mass=rng.uniform(0.2, 0.8), com=rng.uniform(-0.1, 0.1, 3), inertia=(0.02, 0.02, 0.03), frame=frame,
            beam=flat, payload=ls.Payload(0.3, rng.uniform(-0.06, 0.06, 3), (0.002, 0.002, 0.003)),
        ))  # fmt: skip
    return ls.Arm(f"planar{seed}", links, gravity=gravity)


def states(arm, seed=0, bent=0.05):
    q, qd, qdd = np.random.default_rng(seed).uniform(-1.5, 1.5, (3, arm.dof))
    q[modal(arm)] *= bent
    return q, qd, qdd


def close(got, want, bar):
    assert np.abs(np.asarray(got) - np.asarray(want)).max() <= bar * np.abs(np.asarray(want)).max()


ARMS = {
    "two links, 1 and 2 modes": (1, (1, 2), {}),
    "two links, 3 and 3 modes": (2, (3, 3), {}),
    "three links, 2 modes each": (3, (2, 2, 2), {}),
    "three links, 3, 1 and 2 modes, drives": (4, (3, 1, 2), {"drives": True}),
    "a rigid link between": (5, (2, 0, 1), {}),
    "rigid links about flexible ones": (6, (0, 2, 1, 0), {"drives": True}),
    "stretch": (7, (2, 1), {"stretch": True}),
}


LARGE = ("two links, 3 and 3 modes", "three links, 2 modes each", "three links, 3, 1 and 2 modes, drives")


@pytest.mark.parametrize("case", [pytest.param(x, marks=pytest.mark.slow) if x in LARGE else x for x in ARMS])
@pytest.mark.some(2)
def test_against_automatic_differentiation_of_sampled_points(case):
    """The bar: 1e-10 relative, B and h, and gravity with springs."""
    seed, modes, options = ARMS[case]
    arm = planar_arm(seed, modes, **options)
    B, h, g = LinearCloud(arm).closed_form()
    for k in range(2):
        q, qd, qdd = states(arm, k)
        close(ls.mass_matrix(arm, q, method=DLS), B(q), 1e-10)
        nothing = np.zeros(arm.dof)
        still = ls.inverse_dynamics(arm, q, nothing, nothing, method=DLS)
        close(still, np.array(g(q)).ravel(), 1e-10)
        model = ls.planar_model(arm)
        close(model.h(q, qd), np.array(h(q, qd)).ravel(), 1e-10)
        tau = ls.inverse_dynamics(arm, q, qd, qdd, method=DLS)
        damped = np.array([0.21 if options.get("drives") and c not in modal(arm) else 0.0 for c in range(arm.dof)])
        want = np.array(B(q)) @ qdd + np.array(h(q, qd)).ravel() + np.array(g(q)).ravel() + damped * qd
        want += np.array(model.D) @ qd - damped * qd
        close(tau, want, 1e-10)
        close(ls.forward_dynamics(arm, q, qd, tau, method=DLS), qdd, 1e-8)


def test_loads():
    """Forces and moments in the plane and across it, on a tip, a hub and along a beam, standing and given."""
    modes = (0, 2, 1)
    arm = planar_arm(6, modes, drives=True)
    bent = next(i for i, count in enumerate(modes) if count)
    length = arm.links[bent].beam.length
    q, qd, qdd = states(arm, 3)
    cloud = LinearCloud(arm)
    force, moment = np.array([1.1, -0.7, 2.3]), np.array([0.4, 0.9, -1.7])
    last = len(modes) - 1
    spots = {
        f"l{last}": (cloud.frames[last], (0.0, 0.0, 0.0)),
        f"l{bent}.tip": (cloud.tips[bent], (0.03, -0.04, 0.05)),
        f"l{bent}": (cloud.station(bent, 0.6 * length, (0, 0, 0)), (0.6 * length, 0.02, 0.01)),
    }
    free = ls.inverse_dynamics(arm, q, qd, qdd, method=DLS)
    for name, (frame, point) in spots.items():
        load = ls.Load(name, force=force, moment=moment, point=point)
        across = (0.0, *point[1:]) if name == f"l{bent}" else point
        want = free - np.array(cloud.pushed(frame, force, moment, across)(q)).ravel()
        got = ls.inverse_dynamics(arm, q, qd, qdd, loads=[load], method=DLS)
        close(got, want, 1e-10)
        standing = arm.replace(loads=[load])
        close(ls.inverse_dynamics(standing, q, qd, qdd, method=DLS), got, 1e-13)
        close(ls.forward_dynamics(arm, q, qd, got, loads=[load], method=DLS), qdd, 1e-8)


def test_rigid_planar_arms_and_elastic_joints_are_the_fast_path():
    """Without deflections nothing is cut off: friction, springs and elastic joints included."""
    links = [
        ls.Link("a", None, ls.Joint(elastic=ls.JointElasticity(40.0, 0.2), armature=0.08, friction=0.3),
                1.2, (0.2, 0.1, 0.3), (0.1, 0.2, 0.25)),
        ls.Link("fixed", "a", ls.Joint("fixed", pose(about_axis(Z, 0.4), (0.3, 0.1, 0.2))), 0.4, (0.1, 0.0, 0.0)),
        ls.Link("b", "fixed", ls.Joint(placement=pose(p=(0.1, 0.2, -0.3)), axis=(0, 0, -1), stiffness=2.0, rest=0.3,
                                       damping=0.4), 0.9, (0.1, -0.2, 0.0), 0.05),
    ]  # fmt: skip
    arm = ls.Arm("rigid", links, gravity=(1.0, -9.0, 2.0))
    q, qd, qdd = np.random.default_rng(5).uniform(-1.5, 1.5, (3, 7, arm.dof))
    tau = ls.inverse_dynamics(arm, q, qd, qdd)
    close(ls.inverse_dynamics(arm, q, qd, qdd, method=DLS), tau, 1e-13)
    close(ls.mass_matrix(arm, q, method=DLS), ls.mass_matrix(arm, q), 1e-13)
    close(ls.forward_dynamics(arm, q, qd, tau, method=DLS), qdd, 1e-11)


def test_a_beam_on_a_beam_and_a_beam_across_the_plane_of_its_own_axes():
    """A tip that carries another beam by a fixed joint; bending_y of a beam whose y is along the axis."""
    flat = ls.Beam(0.5, 0.3, EI=(None, 2.0), modes=ls.Modes(bending_z=2))
    upright = ls.Beam(0.4, 0.2, EI=(1.5, None), modes=ls.Modes(bending_y=1, bending_z=0))
    links = [
        ls.Link("a", None, ls.Joint("revolute"), 0.3, inertia=0.01, beam=flat),
        ls.Link("b", "a", ls.Joint("fixed", pose(about_axis(Z, 0.3))), beam=flat),
        ls.Link("c", "b", ls.Joint("revolute", pose(about_axis(np.array([1.0, 0, 0]), np.pi / 2)), axis=(0, -1, 0)),
                0.4, (0.1, 0.0, 0.05), 0.02, beam=upright),
    ]  # fmt: skip
    arm = ls.Arm("beam on beam", links, gravity=(2.0, -9.0, 0.0))
    B, h, g = LinearCloud(arm).closed_form()
    q, qd, _ = states(arm, 8)
    close(ls.mass_matrix(arm, q, method=DLS), B(q), 1e-10)
    close(ls.planar_model(arm).h(q, qd), np.array(h(q, qd)).ravel(), 1e-10)
    close(ls.inverse_dynamics(arm, q, 0 * q, 0 * q, method=DLS), np.array(g(q)).ravel(), 1e-10)


def test_links_from_modal_integrals_and_tables():
    """The same link as its integrals, and as tabulated shapes."""
    arm = planar_arm(1, (1, 2))
    first = arm.links[0].name  # its shapes are to be the same in both arms
    arm = arm.with_link(first, beam=arm.link(first).beam.replace(tip=ls.beam_tip(arm, first)))
    body = flexible_bodies(arm)[1]
    Ck = np.zeros((2, 4, 4))
    Ck[:, :, 1:] = np.transpose(body.D, (0, 2, 1)) / 2
    Ckl = np.zeros((2, 2, 4, 4))
    Ckl[:, :, 1:, 1:] = body.Y / 2
    given = ls.ModalIntegrals(
        body.C / 2, Ck, Ckl, body.K, body.damping, body.tip.point, body.tip.shift, body.tip.turn
    )  # fmt: skip
    other = arm.replace(links=[arm.links[0], arm.links[1].replace(beam=None, modes=given)])
    q, qd, qdd = states(arm, 2)
    close(
        ls.inverse_dynamics(other, q, qd, qdd, method=DLS), ls.inverse_dynamics(arm, q, qd, qdd, method=DLS), 1e-12
    )  # fmt: skip
    s = np.linspace(0, 0.5, 9)
    table = ls.ShapeTable(s, bending_z=np.column_stack([s**2, s**3]))
    beam = ls.Beam(0.5, 0.3, EI=(None, 2.0), modes=ls.Modes(bending_z=2), shapes=table)
    drawn = ls.Arm("drawn", [ls.Link("a", mass=0.2, inertia=0.01, beam=beam)], gravity=(0, -9, 0))
    B, *_ = LinearCloud(drawn).closed_form()
    q = states(drawn, 4)[0]
    close(ls.mass_matrix(drawn, q, method=DLS), B(q), 1e-10)


def test_compiled_and_plain_agree_on_a_batch_bit_for_bit_with_one_state():
    arm = planar_arm(3, (1, 2, 1))
    q, qd, qdd = np.random.default_rng(2).uniform(-1, 1, (3, 5, arm.dof)) * 0.1
    for verb, last in (("inverse_dynamics", qdd), ("forward_dynamics", qdd)):
        ways = [functions_of(arm).get(verb, None, way, DLS)(q, qd, last) for way in ("straight", "numpy")]
        close(ways[0], ways[1], 1e-9)
        assert np.array_equal(getattr(ls, verb)(arm, q[3], qd[3], last[3], method=DLS), ways[0][3])


# ---- theory --------------------------------------------------------------------------------------


def test_zero_deflection_agrees_with_second_order_but_for_squares_of_amplitude_rates():
    """B to first order makes everything exact at zero deflection that the linear field has. The second-order field
    differs there by what foreshortening and finite turns accelerate: terms in products of two amplitude rates."""
    for arm in (planar_arm(1, (1, 2)), planar_arm(3, (2, 2, 2)), ls.load("two_link_flexible")):
        q, qd, qdd = states(arm, 1, bent=0.0)
        modes = modal(arm)
        close(ls.mass_matrix(arm, q, method=DLS), ls.mass_matrix(arm, q), 1e-9)
        still = qd.copy()
        still[modes] = 0.0
        want = ls.inverse_dynamics(arm, q, still, qdd)
        close(ls.inverse_dynamics(arm, q, still, qdd, method=DLS), want, 1e-9)  # all rows, any joint rates

        def off(rates, arm=arm, q=q, qdd=qdd):
            return ls.inverse_dynamics(arm, q, rates, qdd, method=DLS) - ls.inverse_dynamics(arm, q, rates, qdd)

        only = qd - still
        size = np.abs(want).max()
        assert np.abs(off(qd)).max() > 1e-3 * size  # there is something to explain
        assert np.abs(off(qd) - off(only)).max() < 1e-9 * size  # joint rates have no part in it
        assert np.abs(off(2 * only) - 4 * off(only)).max() < 1e-9 * size  # and it is quadratic


def energy(model, q, qd):
    modes = modal(model.arm)
    return 0.5 * qd @ model.B(q) @ qd + 0.5 * q[modes] @ model.K[np.ix_(modes, modes)] @ q[modes]


def free_motion(acceleration, q, qd, seconds):
    n = len(q)
    slopes = lambda _t, x: np.concatenate([x[n:], acceleration(x[:n], x[n:])])  # noqa: E731
    done = solve_ivp(slopes, (0, seconds), np.concatenate([q, qd]), method="DOP853", rtol=1e-12, atol=1e-13)
    assert done.success
    return done.y.T


START = np.array([0.0, 0.05, 0.001, 1.2, 0.05, 0.001]), np.array([1.5, 0.0, 0.0, -2.0, 0.0, 0.0])


def test_energy_of_free_motion_is_kept():
    """The bar: 1e-8 of the energy at the start."""
    arm = ls.load("two_link_flexible")
    model, (q, qd) = ls.planar_model(arm), START
    path = free_motion(lambda x, v: ls.forward_dynamics(arm, x, v, np.zeros(6), method=DLS), q, qd, 1.0)
    found = np.array([energy(model, x[:6], x[6:]) for x in path])
    assert np.abs(found - found[0]).max() < 1e-8 * found[0]


def test_energy_with_gravity_is_kept():
    """A hanging arm: the potential is cut off like the inertia, so they belong together."""
    arm = ls.load("two_link_flexible").with_gravity((0.0, -9.81, 0.0))
    model, (q, qd) = ls.planar_model(arm), (START[0] - np.array([1.57, 0, 0, 1.0, 0, 0]), 0.3 * START[1])
    path = free_motion(lambda x, v: ls.forward_dynamics(arm, x, v, np.zeros(6), method=DLS), q, qd, 0.5)
    kinetic = np.array([energy(model, x[:6], x[6:]) for x in path])
    assert np.ptp(kinetic) > 0.05  # it swings
    own = Equations.of(Planar(Bodies(arm)))
    potential = np.array([value(own.forms.V, Phases(own.turns, x[:6]), x[:6]) for x in path])
    assert np.abs(kinetic + potential - kinetic[0] - potential[0]).max() < 1e-8 * np.ptp(kinetic)


def test_B_is_lost_at_large_deflections_and_says_so():
    arm = ls.load("two_link_flexible")
    q = np.array([0.0, 0.0, 0.0, np.pi / 2, 3.0, 0.0])
    assert np.linalg.eigvalsh(functions_of(arm).get("mass_matrix", method=DLS)(q))[0] < 0
    lost = r"forward_dynamics: the inertia of arm 'two_link_flexible' has the eigenvalue -.*first order.*second_order"
    with pytest.raises(ls.SolveError, match=lost):
        ls.forward_dynamics(arm, q, 0 * q, 0 * q, method=DLS)
    with pytest.raises(ls.SolveError, match=r"of state \[1\]"):
        ls.forward_dynamics(arm, np.array([0 * q, q]), np.zeros((2, 6)), np.zeros((2, 6)), method=DLS)
    with pytest.warns(ls.IndefiniteInertia, match=r"mass_matrix: .*no longer positive definite"):
        M = ls.mass_matrix(arm, q, method=DLS)
    assert np.isfinite(M).all()
    with pytest.warns(ls.IndefiniteInertia, match=r"at state \[2\]"):
        ls.mass_matrix(arm, np.array([0 * q, 0 * q, q]), method=DLS)
    assert np.linalg.eigvalsh(ls.mass_matrix(arm, 0 * q, method=DLS))[0] > 0  # and no warning


def test_damping_as_in_the_paper():
    """D = 0.1 sqrt(K): a ratio of 0.05 / sqrt(m) of every mode, m the mass of the beam."""
    arm = ls.load("two_link_flexible")
    links = [link.replace(beam=link.beam.replace(damping=0.05 / np.sqrt(0.1))) for link in arm.links]
    model = ls.planar_model(arm.replace(links=links))
    close(np.diag(model.D)[modal(arm)], 0.1 * np.sqrt(np.diag(model.K)[modal(arm)]), 1e-9)


# ---- what is not covered --------------------------------------------------------------------------

FLAT = ls.Beam(0.5, 0.3, EI=(2.0, 2.0), GJ=1.0, gyration=(0.01, 0.01), modes=ls.Modes(bending_z=1))


def chain(*joints, beam=FLAT):
    links = [ls.Link(f"l{i}", f"l{i - 1}" if i else None, joint, 0.3, inertia=0.01, beam=beam)
             for i, joint in enumerate(joints)]  # fmt: skip
    return ls.Arm("odd", links)


def branched():
    links = [ls.Link("a", beam=FLAT), ls.Link("b", "a", beam=FLAT), ls.Link("c", "a", beam=FLAT)]
    return ls.Arm("fork", links)


WRONG = {
    "spatial": (chain(ls.Joint(), ls.Joint(axis=(0, 1, 0))), "axis of joint 'l1' is not parallel to the first one"),
    "nearly planar": (chain(ls.Joint(), ls.Joint(axis=(0, 1e-6, 1))), "axis of joint 'l1' is not parallel"),
    "prismatic": (chain(ls.Joint("prismatic"), ls.Joint()), "joint 'l0' is prismatic"),
    "branches": (branched(), "it branches at 'c'"),
    "torsion": (chain(ls.Joint(), beam=FLAT.replace(modes=ls.Modes(torsion=1))), "'l0' has modes that leave the plane"),
    "out of the plane": (
        chain(ls.Joint(), beam=FLAT.replace(modes=ls.Modes(bending_z=1, bending_y=1))), "modes that leave the plane",
    ),
    "no joint": (chain(ls.Joint("fixed")), "it has no moving joint"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_is_not_covered_is_said(case):
    arm, words = WRONG[case]
    o = np.zeros(arm.dof)
    calls = (
        lambda: ls.inverse_dynamics(arm, o, o, o, method=DLS), lambda: ls.forward_dynamics(arm, o, o, o, method=DLS),
        lambda: ls.mass_matrix(arm, o, method=DLS),
    )  # fmt: skip
    covers = r"'linear'\)" if case == "prismatic" else r"'linear' or 'book'\)"
    for call in calls:
        with pytest.raises(ls.UnsupportedError, match=f"{words}.*Leave out method.*'second_order' .or {covers}"):
            call()
    for call in (lambda: ls.planar_model(arm), lambda: ls.count_operations(DLS, arm)):  # which take no method
        with pytest.raises(ls.UnsupportedError, match=f"{words}.*Use inverse_dynamics.* without method.*{covers}"):
            call()


def test_other_refusals():
    arm = ls.load("two_link_flexible")
    o = np.zeros(6)
    with pytest.raises(ls.UnsupportedError, match=r"does not cover a moving base\. Leave out method"):
        ls.inverse_dynamics(arm, o, o, o, base=ls.BaseMotion(linear_acceleration=(0, 0, 1)), method=DLS)
    with pytest.raises(ls.UnsupportedError, match=r"parallel.*Leave out method: the fast path covers it\."):
        ls.inverse_dynamics(ls.load("puma560"), *np.zeros((3, 6)), method=DLS)
    with pytest.raises(ls.InputError, match="packed results come from the fast path only"):
        ls.mass_matrix(arm, o, packed=True, method=DLS)


def test_counts_grow_as_the_catalogue_says():
    values = {n: ls.count_operations(DLS, n).multiplications for n in range(1, 8)}
    assert f"n^{degree_of(values)}" == next(f.cost for f in ls.formulations() if f.name == DLS)
    own = ls.count_operations(DLS, ls.load("two_link_flexible"))
    assert own.folded.multiplications <= own.multiplications
    assert ls.time_formulations([DLS], joints=(1, 2))[1].operations > 300
