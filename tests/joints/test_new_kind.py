"""A kind of joint that is defined in this file alone works in every recursion; unknown kinds are errors."""

import numpy as np
import pytest

import lissom as ls
from lissom.dynamics import articulated, energy, gradient, inverse, mass
from lissom.dynamics.acting import MOTION
from lissom.dynamics.articulated import Given
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.drives import with_armature
from lissom.dynamics.from_arm import constants_of, tree_of
from lissom.dynamics.tree import Tree
from lissom.elements.link import RigidLink
from lissom.engine import kernel
from lissom.engine.program import Plain
from lissom.errors import UnsupportedError
from lissom.joints.base import JOINTS, AbstractJoint, joint_class
from lissom.records import filled, flat, record
from lissom.spatial.motions import Pose, Twist
from lissom.spatial.orientation import RotationZ
from lissom.spatial.scalar import Scalar, cos, mul, sin
from lissom.spatial.vectors import Z_AXIS, Vector3

PITCH = 0.3


@record
class Screw(AbstractJoint):
    """Rotation about z with a displacement along it, `pitch` metres per radian."""

    pitch: Scalar

    kind = "screw"

    def pose(self, q):
        return Pose(RotationZ(cos(q[0]), sin(q[0])), Vector3(0, 0, mul(self.pitch, q[0])))

    @property
    def S(self):
        return (Twist(Z_AXIS, Z_AXIS * self.pitch),)


def arm_of(kinds):
    """A chain; joints of kind "screw" are a slide that carries a massless turn about the same axis."""
    rng = np.random.default_rng(2)
    links, parent = [], None
    for k, kind in enumerate(kinds):
        placement = np.eye(4)
        angle = rng.uniform(-1, 1)
        placement[1:3, 1:3] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        placement[:3, 3] = rng.uniform(-0.3, 0.3, 3)
        if kind == "screw":
            links.append(ls.Link(f"slide{k}", parent, ls.Joint("prismatic", placement, axis=(0, 0, 1))))
            parent, placement, kind = f"slide{k}", np.eye(4), "revolute"
        joint = ls.Joint(kind, placement, axis=(0, 0, 1), armature=0.02 * k)
        inertia = np.diag(rng.uniform(0.02, 0.03, 3))
        links.append(ls.Link(f"l{k}", parent, joint, 1.0 + k, rng.normal(size=3) * 0.1, inertia))
        parent = f"l{k}"
    return ls.Arm("chain", links)


KINDS = ("revolute", "screw", "prismatic", "screw", "revolute")
TIED = arm_of(KINDS)
# coordinates of the arm of simple joints from those of the arm with screws
G = np.zeros((7, 5))
for row, column, factor in ((0, 0, 1), (1, 1, PITCH), (2, 1, 1), (3, 2, 1), (4, 3, PITCH), (5, 3, 1), (6, 4, 1)):
    G[row, column] = factor


def screw_tree():
    """The tree of the chain with screws, made from the tree of a chain of revolute and prismatic joints."""
    bodies = Bodies(arm_of([kind.replace("screw", "revolute") for kind in KINDS]))
    nodes = []
    for node, body, kind in zip(tree_of(bodies).nodes, bodies.list, KINDS, strict=True):
        link = node.element
        if kind == "screw":
            row = constants_of(body)
            link = filled(flat(RigidLink(link.placement, link.inertia, Screw(PITCH))).structure, [*row, PITCH])
        values = [link if name == "element" else getattr(node, name) for name in type(node).__annotations__]
        nodes.append(type(node)(*values))
    return Tree(tuple(nodes))


TREE = screw_tree()
BASE = [0.1, -0.2, 0.3, 0.4, 0.2, -0.1, 0.5, 0.3, 9.0]


def torques(run):
    q, qd, qdd = (run.input(5) for _ in range(3))
    run.output(*inverse.tree_torques(run, TREE, q, qd, qdd, filled(MOTION, run.constant(BASE)), []))


def accelerations(run):
    given = Given(*(run.input(5) for _ in range(3)), filled(MOTION, run.constant(BASE)), [])
    run.output(*articulated.accelerations(run, TREE, given, {})[0])


def inertia(run, how):
    found = {key: [entry] for key, entry in how(run, TREE, run.input(5)).items()}
    entries = with_armature(run, TREE, found)
    run.output(*(entries[min(i, j), max(i, j)] for i in range(5) for j in range(5)))


def inertia_in_world_axes(run):
    inertia(run, mass.in_world_axes)


def inertia_in_body_axes(run):
    inertia(run, mass.in_body_axes)


def evaluated(program, sizes, *given):
    """A program on NumPy, as straight-line code and as a tape."""
    run = Plain([x.copy() for x in given])
    program(run)
    out = [np.stack(np.broadcast_arrays(*run.outputs[0]), axis=-1)]
    n = out[0].shape[-1]
    key = f"screw|{program.__name__}"
    codes = [kernel.straight_kernel(key, sizes, (n,), lambda: kernel.graph_of(program))]
    if program is not inertia_in_body_axes:  # which tapes do not use
        codes.append(kernel.tape_kernel(key, sizes, (n,), (), program))
    for code in codes:
        result = np.empty((len(given[0]), n))
        assert code.run(list(given), [result])
        out.append(result)
    return out


@pytest.fixture(scope="module")
def states():
    return np.random.default_rng(5).uniform(-1, 1, (3, 9, 5))


def test_torques_are_those_of_tied_joints(states):
    w, dw, a = np.array(BASE).reshape(3, 3)
    base = ls.BaseMotion(w, dw, a + TIED.gravity)
    want = ls.inverse_dynamics(TIED, *(x @ G.T for x in states), base=base) @ G
    for have in evaluated(torques, (5, 5, 5), *states):
        np.testing.assert_allclose(have, want, rtol=0, atol=1e-12 * np.abs(want).max())


def test_mass_matrix_is_that_of_tied_joints(states):
    want = (G.T @ ls.mass_matrix(TIED, states[0] @ G.T) @ G).reshape(9, 25)
    for program in (inertia_in_world_axes, inertia_in_body_axes):
        for have in evaluated(program, (5,), states[0]):
            np.testing.assert_allclose(have, want, rtol=0, atol=1e-13 * np.abs(want).max())


def test_forward_dynamics_inverts_inverse_dynamics(states):
    q, qd, qdd = states
    tau = evaluated(torques, (5, 5, 5), q, qd, qdd)[0]
    for have in evaluated(accelerations, (5, 5, 5), q, qd, tau):
        np.testing.assert_allclose(have, qdd, rtol=0, atol=1e-10)


def test_energy_and_gradient_ask_the_joint(states):
    q, qd, qdd = (x[:1] for x in states)
    run = Plain([q.copy(), qd.copy()])
    x, v = run.input(5), run.input(5)
    state = run.constant(energy.AT_REST)
    total = 0.0
    positions = TREE.positions(run, x)
    for i, node in TREE.outward():
        state, own, _ = run.call(node.element.moving, state, positions[i], node.part(v))
        total = total + own.T
    M = evaluated(inertia_in_world_axes, (5,), q)[0].reshape(5, 5)
    armature = sum(0.01 * k * qd[0, k] ** 2 for k in range(5))
    np.testing.assert_allclose(total + armature, 0.5 * qd[0] @ M @ qd[0], rtol=1e-12)
    run = Plain([y.copy() for y in (q, qd, qdd)])
    entries = gradient.tree_derivatives(run, TREE, *(run.input(5) for _ in range(3)), filled(MOTION, BASE), [])
    step = 1e-6
    for which in range(3):
        have = np.array([[float(entries[which, i, j][0][0]) for j in range(5)] for i in range(5)])
        for j in range(5):
            given = [[y.copy(), y.copy()] for y in (q, qd, qdd)]
            given[which][0][0, j] += step
            given[which][1][0, j] -= step
            up, down = (evaluated(torques, (5, 5, 5), *(pair[k] for pair in given))[0][0] for k in range(2))
            np.testing.assert_allclose(have[:, j], (up - down) / (2 * step), rtol=0, atol=1e-7)


def test_unknown_kinds_are_errors():
    assert set(JOINTS) == {"fixed", "helical", "prismatic", "revolute", "screw"}
    with pytest.raises(UnsupportedError, match="'ball' are not supported; expected one of fixed, helical, prismatic, "):
        joint_class("ball")
    bodies = Bodies(TIED)
    bodies.list[0] = bodies.list[0]._replace(kind="ball")
    with pytest.raises(UnsupportedError, match="'ball'"):
        tree_of(bodies)
