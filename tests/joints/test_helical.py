"""Helical joints: the closed form of a lead screw, and a slide that follows a turn, in every verb."""

import numpy as np
import pytest
from tests.arms import other_numbers, random_arm, random_base, random_loads, random_pose, random_states

import lissom as ls
from lissom.dynamics.acting import Acting
from lissom.kernels.batch_of_arms import call_each
from lissom.kernels.cache import functions_of
from lissom.kernels.verbs import VERBS
from lissom.spatial.frames import inverse

SCREWS = ("revolute", "prismatic", "helical", "helical", "fixed")
CLOSE = 1e-11  # relative: sums of products over ten bodies, in another order
PITCH, MASS, INERTIA, GRAVITY = 0.0127 / (2 * np.pi), 3.7, 0.00213, 9.81  # half an inch of lead


def lead_screw(**fields):
    """A nut that turns and travels on a fixed vertical screw."""
    joint = ls.Joint("helical", pitch=PITCH, **fields)
    return ls.Arm("lead screw", [ls.Link("nut", joint=joint, mass=MASS, inertia=(INERTIA / 2, INERTIA / 2, INERTIA))])


def tied(arm):
    """The arm with every screw as a turn on a massless slide that follows it."""
    links = []
    for link in arm.links:
        joint = link.joint
        if joint.kind == "helical":
            slide = ls.Joint(
                "prismatic", joint.placement, joint.axis, mimic=ls.Mimic(joint.name, joint.pitch), at=joint.at
            )
            links.append(ls.Link(f"{link.name} slide", link.parent, slide))
            turn = joint.replace(kind="revolute", pitch=None, placement=np.eye(4), at=None)
            link = link.replace(parent=f"{link.name} slide", joint=turn)
        links.append(link)
    return arm.replace(links=links)


def boom():
    """A screw between two beams, and one on the base, with drives and gravity in no special direction."""
    modes = ls.Modes(bending_z=1, bending_y=1, torsion=1)
    beam = ls.Beam(0.7, 0.9, EI=(30.0, 21.0), GJ=15.0, gyration=(0.01, 0.013), modes=modes, damping=0.01)
    tip = ls.Beam(0.5, 0.6, EI=(11.0, 9.0), modes=ls.Modes(bending_z=1), damping=0.02)
    rng = np.random.default_rng(4)
    first = ls.Joint("helical", random_pose(rng), (0.2, 1, 0.1), damping=0.4, armature=0.1, pitch=-0.2)
    second = ls.Joint("helical", random_pose(rng), (0.3, 0.2, 1), friction=0.1, pitch=0.13)
    links = [
        ls.Link("post", joint=first, mass=2.0, inertia=0.1),
        ls.Link("near", "post", ls.Joint(axis=(0.1, 0.2, 1)), mass=0.3, inertia=1e-3, beam=beam),
        ls.Link("far", "near", second, mass=0.2, com=(0.01, 0.02, 0.0), inertia=1e-3, beam=tip),
        ls.Link("side", "near", ls.Joint("helical", axis=(0, 1, 0), pitch=0.3, at=0.3), 0.4, (0.1, 0, 0), 2e-3),
    ]
    loads = [ls.Load("near", force=(0.3, -0.2, 0.5), point=(0.31, 0.01, 0.0)), ls.Load("far.tip", moment=(0.1, 0, 0.2))]
    return ls.Arm("boom", links, gravity=(0.4, -3.0, -8.0), loads=loads)


def tree():
    """Screws, slides and turns with drives and springs; no joint is elastic, so that slides can follow."""
    arm = random_arm(32, 10, kinds=SCREWS)
    rigid = [link.replace(joint=link.joint.replace(elastic=None)) for link in arm.links]
    assert sum(link.joint.kind == "helical" for link in rigid) >= 3
    return arm.replace(links=rigid)


ARMS = {"tree": tree(), "flexible": boom()}
SMALL = {"tree": 1.0, "flexible": 0.1}
DYNAMICS = {
    "inverse_dynamics": 3, "forward_dynamics": 3, "mass_matrix": 1, "bias_forces": 2, "gravity_forces": 1,
    "kinetic_energy": 2, "potential_energy": 1, "momentum": 2, "centre_of_mass": 1, "coriolis_matrix": 2,
    "inverse_dynamics_gradient": 3, "forward_dynamics_gradient": 3,
}  # fmt: skip


def agree(got, want, allowed=CLOSE):
    for one, other in zip(*(x if isinstance(x, tuple) else (x,) for x in (got, want)), strict=True):
        assert np.abs(one - other).max() <= allowed * max(np.abs(other).max(), 1e-3)


# ---- closed form ---------------------------------------------------------------------------------


def test_a_lead_screw_in_closed_form():
    """tau = (I + m p^2) qdd + m g p + b qd + c sign(qd): the weight lifts itself p metres per radian."""
    arm, (q, qd, qdd) = lead_screw(armature=2e-4, damping=0.03, friction=0.02), (11.3, -2.7, 40.1)
    inertia = INERTIA + MASS * PITCH**2 + 2e-4
    drive = 0.03 * qd - 0.02
    tau = inertia * qdd + MASS * GRAVITY * PITCH + drive
    assert ls.inverse_dynamics(arm, [q], [qd], [qdd]) == pytest.approx([tau], rel=1e-14)
    assert ls.forward_dynamics(arm, [q], [qd], [tau]) == pytest.approx([qdd], rel=1e-12)
    assert ls.mass_matrix(arm, [q])[0, 0] == pytest.approx(inertia, rel=1e-14)
    assert ls.gravity_forces(arm, [q]) == pytest.approx([MASS * GRAVITY * PITCH], rel=1e-14)
    assert ls.potential_energy(arm, [q]) == pytest.approx(MASS * GRAVITY * PITCH * q, rel=1e-14)
    assert ls.kinetic_energy(arm, [q], [qd]) == pytest.approx(0.5 * inertia * qd**2, rel=1e-14)
    assert ls.momentum(arm, [q], [qd]) == pytest.approx([0, 0, MASS * PITCH * qd, 0, 0, INERTIA * qd], rel=1e-13)
    assert ls.jacobian(arm, [q], "nut")[:, 0] == pytest.approx([0, 0, PITCH, 0, 0, 1], abs=1e-15)
    # an axial load F takes F p of torque, whatever the speed
    load = ls.Load("nut", force=(0, 0, -250.0))
    thrust = ls.inverse_dynamics(arm, [q], [0.0], [0.0], loads=[load])
    assert thrust == pytest.approx([(MASS * GRAVITY + 250.0) * PITCH], rel=1e-14)


def test_the_pitch_is_that_of_pinocchio():
    """About an axis in no special direction."""
    pin = pytest.importorskip("pinocchio")
    axis = np.array([0.3, -0.5, 0.8]) / np.linalg.norm([0.3, -0.5, 0.8])
    model, X = pin.Model(), pin.SE3.Random()
    joint = model.addJoint(0, pin.JointModelHelicalUnaligned(axis, -0.21), X, "screw")
    body = pin.Inertia(1.7, np.array([0.1, 0.2, -0.3]), np.diag([0.02, 0.03, 0.04]))
    model.appendBodyToJoint(joint, body, pin.SE3.Identity())
    made = ls.Joint("helical", X.homogeneous, axis, pitch=-0.21)
    arm = ls.Arm("screw", [ls.Link("nut", None, made, 1.7, (0.1, 0.2, -0.3), np.diag([0.02, 0.03, 0.04]))])
    data = model.createData()
    for q, qd, qdd in np.random.default_rng(1).uniform(-4, 4, (5, 3)):
        want = pin.rnea(model, data, np.array([q]), np.array([qd]), np.array([qdd]))
        assert ls.inverse_dynamics(arm, [q], [qd], [qdd]) == pytest.approx(want, rel=1e-12)
        pin.framesForwardKinematics(model, data, np.array([q]))
        assert np.abs(ls.poses(arm, [q])[0] - data.oMi[joint].homogeneous).max() < 1e-14


# ---- a turn on a slide that follows it -----------------------------------------------------------


def allowed(verb):
    return 1e-9 if verb.startswith("forward") else CLOSE  # times the condition of the inertia


@pytest.mark.parametrize("verb", DYNAMICS)
def test_it_is_a_turn_with_a_slide_that_follows(verb):
    arm, function = ARMS["tree"], getattr(ls, verb)
    state = random_states(arm, 4, seed=3, count=DYNAMICS[verb])
    agree(function(arm, *state), function(tied(arm), *state), allowed(verb))


@pytest.mark.parametrize("verb", [verb for verb in DYNAMICS if not VERBS[verb].composed_of])
def test_beams_before_and_behind_screws(verb):
    """By plain arrays: nothing is compiled for it."""
    arm = ARMS["flexible"]
    state = SMALL["flexible"] * random_states(arm, 2, seed=3, count=DYNAMICS[verb])
    got, want = (functions_of(one).get(verb, Acting(), "numpy")(*state) for one in (arm, tied(arm)))
    agree(got, want, allowed(verb))


def test_loads_and_motion_of_the_base():
    arm, base = ARMS["tree"], random_base(3)
    state, loads = random_states(arm, 4, seed=5), random_loads(ARMS["tree"], 6)
    for verb in (ls.inverse_dynamics, ls.forward_dynamics):
        got, want = (verb(one, *state, loads=loads, base=base) for one in (arm, tied(arm)))
        agree(got, want, allowed(verb.__name__))


@pytest.mark.parametrize("name", ARMS)
def test_kinematics(name):
    arm, frame = ARMS[name], ARMS[name].links[-1].name
    point = np.tile([0.1, 0.0, 0.0] if name == "tree" else np.zeros(3), (2, 1))
    for verb, count in (("pose", 1), ("jacobian", 1), ("velocity", 2), ("acceleration", 3)):
        state = SMALL[name] * random_states(arm, 2, seed=7, count=count)
        twins = (functions_of(one).get(verb, Acting(frame=frame), "numpy") for one in (arm, tied(arm)))
        agree(*(function(*state, point) for function in twins))


def test_hessian_and_product():
    arm = random_arm(33, 3, tree=False, kinds=("helical",), drives=False)
    q, qd, qdd = random_states(arm, 3, seed=1)
    for verb in (ls.inverse_dynamics_hessian, ls.inverse_dynamics_product):
        got, want = (verb(one, q, qd, qdd, [0.3, -1.1, 0.7]) for one in (arm, tied(arm)))
        agree(tuple(got), tuple(want))


def test_the_regressor_gives_the_torques():
    arm = random_arm(35, 6, kinds=SCREWS, drives=False)
    q, qd, qdd = random_states(arm, 4)
    known = []
    for link in arm.links:
        I = link.body.spatial()
        six = [I[0, 0], I[0, 1], I[0, 2], I[1, 1], I[1, 2], I[2, 2]]
        known += [link.body.mass, *(link.body.mass * link.body.com), *six]
    agree(ls.regressor(arm, q, qd, qdd) @ known, ls.inverse_dynamics(arm, q, qd, qdd))


def test_what_a_screw_transmits():
    """Along its axis force and moment keep n + p f = tau: the slide takes what the turn does not."""
    arm = ARMS["tree"]
    q, qd, qdd = random_states(arm, 1, seed=2)[:, 0]
    bare = arm.replace(links=[link.replace(joint=ls.Joint(
        link.joint.kind, link.joint.placement, link.joint.axis, link.joint.name, pitch=link.joint.pitch))
        for link in arm.links])  # fmt: skip
    found, tau = ls.joint_reactions(bare, q, qd, qdd), ls.inverse_dynamics(bare, q, qd, qdd)
    poses = ls.poses(bare, q)
    at = {joint.name: k for k, joint in enumerate(bare.joints)}
    for i, link in enumerate(bare.links):
        if link.joint.kind == "helical":
            axis = (poses[i] @ inverse(link.frame))[:3, :3] @ link.joint.axis
            force, moment = found[i, :3], found[i, 3:]
            along = axis @ moment + link.joint.pitch * (axis @ force)
            assert along == pytest.approx(tau[at[link.joint.name]], rel=1e-10, abs=1e-12)


# ---- parts of an arm -----------------------------------------------------------------------------


def test_an_elastic_screw_is_two_on_one_axis():
    elastic = ls.JointElasticity(40.0, 0.1)
    arm = lead_screw(armature=0.003, elastic=elastic)
    motor = ls.Link("motor", joint=ls.Joint("helical", armature=0.003, pitch=PITCH))
    spring = ls.Joint("helical", stiffness=40.0, damping=0.1, pitch=PITCH)
    two = arm.replace(links=[motor, arm.links[0].replace(parent="motor", joint=spring)])
    q, qd, qdd = random_states(arm, 4)
    agree(ls.inverse_dynamics(arm, q, qd, qdd), ls.inverse_dynamics(two, q, qd, qdd))
    assert ls.mass_matrix(arm, q[0])[0, 0] == pytest.approx(0.003 + INERTIA + MASS * PITCH**2, rel=1e-13)


def test_a_screw_that_follows_and_one_that_is_followed():
    """A coarse and a fine thread in one another, driven together: their travels add up."""
    coarse = ls.Link("coarse", joint=ls.Joint("helical", pitch=0.02), mass=1.1, inertia=0.01)
    fine = ls.Joint("helical", pitch=0.015, mimic=ls.Mimic("coarse", -1.0))
    arm = ls.Arm("differential", [coarse, ls.Link("fine", "coarse", fine, mass=0.7, inertia=0.02)])
    travel = 0.02 - 0.015  # the inner one does not turn
    assert ls.pose(arm, [1.3], "fine")[:3, 3] == pytest.approx([0, 0, 1.3 * travel], abs=1e-15)
    inertia = 0.01 + 1.1 * 0.02**2 + 0.7 * travel**2
    assert ls.mass_matrix(arm, [1.3])[0, 0] == pytest.approx(inertia, rel=1e-13)


def test_a_locked_screw_and_merged_links():
    arm = ARMS["tree"]
    screw = next(joint.name for joint in arm.joints if joint.kind == "helical")
    k = [joint.name for joint in arm.joints].index(screw)
    locked = arm.lock({screw: 1.7})
    q = random_states(arm, 1, count=1)[0, 0]
    q[k] = 1.7
    agree(ls.poses(locked, np.delete(q, k)), ls.poses(arm, q))
    assert "1.7 rad" in locked.notes[-1] or "1.7 rad" in locked.notes[0]
    agree(ls.inverse_dynamics(arm.merge_fixed(), q, q, q), ls.inverse_dynamics(arm, q, q, q))


@pytest.mark.parametrize("backend", ["straight", "tape", "numpy"])
def test_payloads_as_inputs(backend):
    arm = random_arm(38, 4, tree=False, kinds=("helical",), drives=False)
    q, qd, qdd = random_states(arm, 3)
    payload = ls.Payload(0.8, (0.1, 0.2, 0.05), np.diag([0.01, 0.012, 0.015]))
    plain = arm.replace(links=[link.replace(payload=None) for link in arm.links])
    frame = plain.links[2].name
    place = functions_of(plain).bodies.place(frame)
    from lissom.dynamics.rounding import about_origin

    own = about_origin(payload.body.in_frame(place.X))
    I = own["inertia"]
    ten = [own["mass"], *own["moment"], I[0, 0], I[0, 1], I[0, 2], I[1, 1], I[1, 2], I[2, 2]]
    function = functions_of(plain).get("inverse_dynamics", Acting(payloads=(frame,)), backend)
    want = ls.inverse_dynamics(plain.with_payload(payload, frame), q, qd, qdd)
    agree(function(q, qd, qdd, np.tile(ten, (3, 1))), want)


@pytest.mark.parametrize("verb", ["inverse_dynamics", "forward_dynamics", "inverse_dynamics_gradient", "poses"])
def test_arms_with_other_pitches(verb):
    """One compiled function for all of them; the pitch varies like masses and placements."""
    rng = np.random.default_rng(1)
    arm = random_arm(41, 3, kinds=("helical", "revolute"))
    arms = [arm, *(other_numbers(arm, rng) for _ in range(4))]
    state = random_states(arm, len(arms), count=1 if verb == "poses" else 3)
    want = [getattr(ls, verb)(one, *(x[k] for x in state)) for k, one in enumerate(arms)]
    got = call_each(arms, verb, state)
    want = tuple(map(np.array, zip(*want, strict=True))) if isinstance(want[0], tuple) else np.array(want)
    agree(tuple(got) if isinstance(got, list) else got, want, 1e-10)


def test_a_closed_chain_with_a_screw():
    """A carriage on a slide, on the nut by a ball at the axis: it carries (m + M) on the thread."""
    carriage = ls.Link("carriage", joint=ls.Joint("prismatic", actuated=False), mass=5.3)
    nut = lead_screw().links[0]
    loop = ls.Loop(("nut", (0, 0, 0)), ("carriage", (0, 0, 0)), "spherical")
    arm = ls.Arm("drive", [nut, carriage], loops=[loop])
    total = MASS + 5.3
    q, qdd = np.array([7.3, 7.3 * PITCH]), np.array([3.1, 3.1 * PITCH])
    qd = np.array([-2.0, -2.0 * PITCH])
    tau = ls.inverse_dynamics(arm, q, qd, qdd)
    inertia = INERTIA + total * PITCH**2
    assert tau == pytest.approx([inertia * 3.1 + total * GRAVITY * PITCH, 0.0], rel=1e-10, abs=1e-12)
    assert ls.forward_dynamics(arm, q, qd, tau) == pytest.approx(qdd, rel=1e-9)
    assert ls.assemble(arm, [7.3, 0.0], fixed=["nut"]).q == pytest.approx(q, rel=1e-9)


def test_inverse_kinematics_of_a_screw():
    arm = ls.Arm("scara", [
        ls.Link("upper", joint=ls.Joint(limits=ls.Limits(position=2.5)), mass=1.0, com=(0.2, 0, 0), inertia=0.01),
        ls.Link("fore", "upper", ls.Joint(placement=[[1, 0, 0, 0.4], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
                                          limits=ls.Limits(position=2.5)), 1.0, (0.15, 0, 0), 0.01),
        ls.Link("quill", "fore", ls.Joint("helical", [[1, 0, 0, 0.3], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
                                          axis=(0, 0, -1), pitch=0.004, limits=ls.Limits(position=(-60, 60))),
                0.3, inertia=1e-4),
    ])  # fmt: skip
    q = np.array([0.4, -0.9, 31.7])  # 0.13 m down, five turns
    found = ls.inverse_kinematics(arm, ls.pose(arm, q, "quill")[:3, 3], "quill", match="position")
    assert found.solved
    assert np.abs(ls.pose(arm, found.q, "quill")[:3, 3] - ls.pose(arm, q, "quill")[:3, 3]).max() < 1e-8
    assert found.q[2] == pytest.approx(31.7, abs=1e-6)  # only the screw goes up and down
