"""Verbs for many arms that differ in numbers only: as the verbs of each arm, and the same bits in any company."""

import numpy as np
import pytest

import lissom as ls
from arms import other_numbers, random_arm, random_base, random_loads, random_pose, random_states
from lissom.dynamics.varied import Varied
from lissom.errors import InputError, UnsupportedError
from lissom.kernels.batch_of_arms import call_each, places
from lissom.kernels.cache import functions_of
from lissom.kernels.loads import load_inputs

ROUNDING = 1e-12  # relative; other folding of constants rounds otherwise
SCREWS = {"kinds": ("helical", "revolute", "fixed", "prismatic", "helical")}
VERBS = {
    "inverse_dynamics": 3, "forward_dynamics": 3, "mass_matrix": 1, "bias_forces": 2, "gravity_forces": 1,
    "kinetic_energy": 2, "potential_energy": 1, "inverse_dynamics_gradient": 3, "poses": 1,
    "joint_reactions": 3,
}  # fmt: skip


def others(arm, count, seed=0, **options):
    rng = np.random.default_rng(seed)
    return [arm, *(other_numbers(arm, rng, **options) for _ in range(count - 1))]


def parts(result):
    return result if isinstance(result, tuple) else (result,)


def agree(got, want, allowed=ROUNDING):
    for one, many in zip(
        got if isinstance(got, list) else parts(got), zip(*map(parts, want), strict=True), strict=True
    ):
        many = np.array(many)
        assert one.shape == many.shape
        assert np.abs(one - many).max() <= allowed * max(np.abs(many).max(), 1e-9)


def of_each(arms, name, state, loads=(), base=None):
    """By the programs of each arm on plain arrays: nothing is compiled for it."""
    out = []
    for k, arm in enumerate(arms):
        inputs = load_inputs(arm, name, loads, base)
        function = functions_of(arm).get(name, inputs.acting, backend="numpy")
        found = function(*(x[k] for x in state), *inputs.values)
        out.append(found[0] if name.endswith("energy") else found)
    return out


def boom(plane="bending_z"):
    """Two flexible links, the first bending in two planes and twisting, on a slide and an elastic joint."""
    modes = ls.Modes(bending_z=2, bending_y=1, torsion=1)
    beam = ls.Beam(0.7, 0.9, EI=(30.0, 21.0), GJ=15.0, gyration=(0.01, 0.013), modes=modes, damping=0.01)
    tip = ls.Beam(0.5, 0.6, EI=(11.0, 9.0), modes=ls.Modes(**{plane: 2}), damping=0.02)
    links = [
        ls.Link("cart", joint=ls.Joint("prismatic", axis=(0.2, 1, 0.1), damping=0.4), mass=2.0, inertia=(0.1,) * 3),
        ls.Link("near", "cart", joint=ls.Joint(axis=(0.1, 0.2, 1), armature=0.02, friction=0.1), mass=0.3, beam=beam),
        ls.Link(
            "far", "near", mass=0.2, com=(0.01, 0.02, 0.0), inertia=1e-3 * np.eye(3), beam=tip,
            joint=ls.Joint(axis=(0, 0, 1), armature=0.01, elastic=ls.JointElasticity(60.0, 0.05)),
            payload=ls.Payload(0.3, (0.02, 0.01, 0.0), 2e-3 * np.eye(3)),
        ),
    ]  # fmt: skip
    loads = [
        ls.Load("near", force=(0.3, -0.2, 0.5), point=(0.31, 0.01, 0.0)),
        ls.Load("far.tip", moment=(0.1, 0.0, 0.2)),
    ]
    return ls.Arm("boom", links, gravity=(0.4, -3.0, -8.0), loads=loads)


@pytest.mark.some(6)
@pytest.mark.parametrize("name", VERBS)
@pytest.mark.parametrize(("seed", "n", "options"), [(3, 4, {}), (8, 14, {}), (4, 4, SCREWS), (9, 14, SCREWS)])
def test_trees_as_each_arm_by_itself(name, seed, n, options):
    """Straight-line code and tape; slides, screws, fixed and elastic joints, drives and springs, everything varied."""
    arms = others(random_arm(seed, n, **options), 6)
    state = random_states(arms[0], len(arms), count=VERBS[name])
    agree(call_each(arms, name, state), of_each(arms, name, state))


@pytest.mark.some(2)
@pytest.mark.parametrize(
    "name", ["inverse_dynamics", "forward_dynamics", "inverse_dynamics_gradient", "joint_reactions"]
)
@pytest.mark.parametrize(("seed", "n"), [(4, 4), (9, 13)])
def test_loads_and_a_moving_base(name, seed, n):
    base = random_arm(seed, n)
    arms = others(base.replace(loads=random_loads(base, 5)), 5)
    acting = {"loads": random_loads(base, 6), "base": random_base(7)}
    state = random_states(base, len(arms))
    agree(call_each(arms, name, state, **acting), of_each(arms, name, state, **acting))


@pytest.mark.some(3)
@pytest.mark.parametrize(
    "name", ["inverse_dynamics", "forward_dynamics", "mass_matrix", "potential_energy", "poses", "joint_reactions"]
)
@pytest.mark.parametrize("flexibility", ["second_order", "linear"])
def test_flexible_links_in_two_planes(name, flexibility):
    arms = others(boom().replace(flexibility=flexibility), 4, places=False)
    state = 0.05 * random_states(arms[0], len(arms), count=VERBS[name])
    options = {"loads": [ls.Load("near", force=(1.0, 2.0, 3.0), point=(0.2, 0.0, 0.03))]} if "dynamics" in name else {}
    agree(call_each(arms, name, state, **options), of_each(arms, name, state, **options))


def welded(flexible):
    """Links welded to the base, to each other and to the tip of a link; the base arm has no payloads."""
    beam = ls.Beam(0.8, 0.9, EI=(30.0, 21.0), modes=ls.Modes(1, 1)) if flexible else None
    spot = ls.Joint("fixed", random_pose(np.random.default_rng(3)))
    bar = {"mass": 0.7, "com": (0.05, 0.02, 0.01), "inertia": np.diag([1e-3, 2e-3, 2e-3])}
    return ls.Arm("welded", [
        ls.Link("post", None, spot, frame=random_pose(np.random.default_rng(4)), **bar),
        ls.Link("boom", "post", ls.Joint(axis=(0.1, 0.2, 1)), beam=beam, **bar), ls.Link("plate", "boom", spot, **bar),
        ls.Link("lamp", "plate", spot, **bar), ls.Link("hand", "plate", ls.Joint("prismatic", axis=(1, 0, 0.2)), **bar),
        ls.Link("cap", "hand", spot, mass=0.0, inertia=np.zeros((3, 3))),
    ])  # fmt: skip


@pytest.mark.parametrize("flexible", [False, True])
@pytest.mark.parametrize("name", ["joint_reactions", "joint_reactions_in_link_axes"])
def test_reactions_of_welded_links_with_payloads_of_their_own(name, flexible):
    """What one arm only has, a payload, is told apart by link; so are places of welds."""
    rng = np.random.default_rng(5)
    some = [welded(flexible)]
    for link in ("boom", "cap", "post", "lamp"):
        payload = ls.Payload(rng.uniform(0.1, 1.0), rng.uniform(-0.1, 0.1, 3), 1e-3 * np.eye(3))
        arm = other_numbers(welded(flexible), rng, places=not flexible)
        some.append(arm.with_link(link, payload=payload))
    state = 0.05 * random_states(some[0], len(some))
    acting = {"loads": [ls.Load("post", (1.0, 2.0, 3.0)), ls.Load("cap", (0.3, 0.2, 0.1), point=(0.1, 0.2, 0.3))]}
    agree(call_each(some, name, state, **acting), of_each(some, name, state, **acting))


def test_gradients_of_flexible_arms():
    rod = ls.Link("rod", joint=ls.Joint(axis=(0.1, 0.2, 1), damping=0.1), beam=ls.Beam(
        0.7, 0.9, EI=(None, 21.0), modes=ls.Modes(bending_z=2), damping=0.01))  # fmt: skip
    arms = [ls.Arm("rod", [rod.replace(payload=ls.Payload(mass, inertia=0.004))]) for mass in (0.1, 0.2, 0.15)]
    state = 0.05 * random_states(arms[0], len(arms))
    agree(call_each(arms, "inverse_dynamics_gradient", state), of_each(arms, "inverse_dynamics_gradient", state))
    # the inverse of an inertia of condition number 1e4
    want = [ls.forward_dynamics_gradient(arms[0], *(x[0] for x in state))]
    agree([x[:1] for x in call_each(arms, "forward_dynamics_gradient", state)], want, 1e-11)


@pytest.mark.some(1)
@pytest.mark.parametrize("name", ["pose", "jacobian", "velocity"])
def test_points_along_a_beam(name):
    arms = others(boom(), 4, places=False)
    state = 0.05 * random_states(arms[0], len(arms), count=2 if name == "velocity" else 1)
    where = {"link": "near", "point": (0.4, 0.01, 0.0)}
    want = [getattr(ls, name)(arm, *(x[k] for x in state), **where) for k, arm in enumerate(arms)]
    agree(call_each(arms, name, state, **where), want)


def test_a_row_has_the_same_bits_in_any_company():
    arm = ls.load("two_link_flexible")
    rng = np.random.default_rng(4)
    samples = others(arm, 3, places=False)
    arms = [other_numbers(arm, rng, places=False) for _ in range(75)]
    arms = [other.replace(gravity=samples[1].gravity) for other in arms]
    varied = Varied(arm, samples)
    state = 0.05 * random_states(arm, len(arms))
    whole = call_each(arms, "forward_dynamics", state, varied=varied, threads=2)
    for some in (slice(7, 8), slice(3, 8), slice(0, 66)):
        piece = call_each(arms[some], "forward_dynamics", [x[some] for x in state], varied=varied, threads=1)
        assert np.array_equal(whole[some], piece)
    again = Varied(arm, samples)
    assert again == varied
    assert np.array_equal(again.rows(arms), varied.rows(arms))


def test_what_nobody_varies_is_not_passed():
    arm = ls.load("puma560")
    heavier = arm.with_link("elbow", mass=6.0)
    varied = Varied(arm, [heavier])
    assert [piece.key[0] for piece in varied.pieces] == ["body"]
    assert len(varied.pieces[0].known) >= 12  # rotation and position are folded
    assert Varied(arm, [arm, arm]).size == 0
    state = random_states(arm, 3)
    agree(call_each([arm] * 3, "inverse_dynamics", state), of_each([arm] * 3, "inverse_dynamics", state))


def test_stiffness_alone_leaves_the_shapes_folded():
    arm = ls.load("two_link_flexible")
    softer = [
        arm.replace(
            links=[link.replace(beam=link.beam.replace(EI=[x and x * f for x in link.beam.EI])) for link in arm.links]
        )
        for f in (0.8, 1.2)
    ]
    varied = Varied(arm, softer)
    assert {piece.key[0] for piece in varied.pieces} == {"beam"}
    moving = sum(len(piece.entries) - len(piece.known) for piece in varied.pieces)
    assert moving <= 2 * 14  # stiffness and quartic energy, not the integrals of the shapes


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda arm: arm.with_joint("j1", kind="fixed"), "link 'l1': the joint's kind is fixed"),
        (lambda arm: arm.with_joint("j1", actuated=False), "link 'l1': actuated is False"),
        (lambda arm: arm.with_joint("j1", elastic=ls.JointElasticity(5.0), armature=0.1), "link 'l1': elastic is True"),
        (lambda arm: arm.with_joint("j1", name="other"), "the joint's name is other"),
        (lambda arm: arm.replace(links=arm.links[:-1]), "the number of links is 2"),
        (lambda arm: arm.replace(loads=[ls.Load("l1", (1, 0, 0))]), "the number of loads is 1"),
        (lambda arm: 3.0, "arm 1 is 3.0; expected an Arm"),
    ],
)
def test_arms_that_are_not_alike_are_refused(change, words):
    arm = random_arm(2, 3, tree=False, drives=False, kinds=("revolute",))
    with pytest.raises(InputError, match="arm 1") as told:
        call_each([arm, change(arm)], "gravity_forces", np.zeros((1, 2, arm.dof)))
    assert words in str(told.value)


def test_numbers_that_may_not_vary_are_refused():
    arm = ls.load("puma560")
    varied = Varied(arm, [arm.with_link("elbow", mass=6.0)])
    with pytest.raises(InputError, match=r"arm 1, 'elbow'.*does not vary between the samples|arm 1, .*samples"):
        varied.rows([arm, arm.with_joint("elbow", damping=0.3)])
    soft = ls.load("two_link_flexible")
    varied = Varied(soft, [soft.with_gravity((0, -9.0, 0))])
    with pytest.raises(InputError, match="beam differs"):
        varied.rows([soft.with_payload(ls.Payload(0.3))])
    with pytest.raises(InputError, match="not among the frames"):
        call_each([soft], "pose", [np.zeros((1, 6))], link=soft.links[0].name, point=(0.1, 0, 0), varied=varied)
    with pytest.raises(UnsupportedError, match="each"):
        call_each([soft], "regressor", np.zeros((3, 1, 6)))


def test_closed_loops_are_refused():
    two = ls.load("two_link")
    arm = two.replace(loops=[ls.Loop(a=("fore", (0.4, 0, 0)), b=(None, (0.5, 0.2, 0)), joint="planar")])
    with pytest.raises(UnsupportedError, match="closed loops"):
        call_each([arm, arm], "mass_matrix", [np.zeros((2, arm.dof))])


def test_frames_of_loads_are_told():
    arm = boom()
    assert places(arm, "inverse_dynamics", [ls.Load("cart", (1, 0, 0))]) == ["cart"]
    assert "near" in places(arm, "pose", link="near", point=(0.1, 0, 0))[0]


def test_places_of_loads_may_vary():
    """A tool that carries a load, and sits elsewhere on every arm."""
    rng = np.random.default_rng(9)
    arm = random_arm(5, 3, kinds=("revolute", "prismatic"))
    held = [arm.with_link("l2", tools={"hook": random_pose(rng)}).replace(loads=[ls.Load("hook", (1, 2, 3), (3, 2, 1))])
            for _ in range(4)]  # fmt: skip
    state = random_states(held[0], 4)
    for name in ("inverse_dynamics", "forward_dynamics", "inverse_dynamics_gradient"):
        agree(call_each(held, name, state), of_each(held, name, state))
    want = [ls.pose(other, state[0][k], "hook") for k, other in enumerate(held)]
    agree(call_each(held, "pose", state[:1], link="hook"), want)
