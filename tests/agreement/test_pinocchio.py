"""The fast path against Pinocchio on random trees, chains and real robots."""

import numpy as np
import pinocchio as pin
import pytest
from tests.arms import random_arm, random_base, random_loads, random_states

import lissom as ls
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.body import BASE

# both sides are sums of products over tens of bodies in double precision
RELATIVE = 1e-10
SIZES = [(1, 1), (2, 3), (3, 7), (4, 9), (5, 14), (6, 30), (7, 55)]
SCREWS = {"kinds": ("revolute", "prismatic", "helical", "helical", "fixed")}  # generic pitches up to 0.4 m/rad
CASES = [(size, {}) for size in SIZES] + [((seed, n), SCREWS) for seed, n in ((11, 4), (12, 9), (13, 26))]


def depth_first(bodies):
    """Bodies in the order Pinocchio wants: every subtree in one piece."""
    children = [[k for k, body in enumerate(bodies.list) if body.parent == i] for i in range(len(bodies))]
    order, stack = [], [k for k in reversed(range(len(bodies))) if bodies.list[k].parent == BASE]
    while stack:
        order.append(stack.pop())
        stack += reversed(children[order[-1]])
    return order


class Twin:
    """The same machine built body by body in Pinocchio, without drives (they are added by hand)."""

    def __init__(self, arm, free_base=False):
        self.arm, self.bodies = arm, Bodies(arm)
        self.order = depth_first(self.bodies)
        self.joint = {BASE: 0}
        self.model = pin.Model()
        self.model.gravity.linear = arm.gravity
        if free_base:
            self.joint[BASE] = self.model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "free")
        for k in self.order:
            self._add(k, self.bodies.list[k])
        self.data = self.model.createData()
        self.rows = [(b.armature, b.damping, b.friction, b.stiffness, b.rest) for b in self.bodies.list]

    def _add(self, k, body):
        kinds = {"prismatic": pin.JointModelPZ, "revolute": pin.JointModelRZ, "helical": pin.JointModelHZ}
        kind = kinds[body.kind](*body.numbers)
        placement = pin.SE3(body.R, body.p)
        self.joint[k] = self.model.addJoint(self.joint[body.parent], kind, placement, f"{k}")
        if body.mass > 0:
            com = body.moment / body.mass
            about_com = body.inertia - body.mass * (com @ com * np.eye(3) - np.outer(com, com))
            self.model.appendBodyToJoint(self.joint[k], pin.Inertia(body.mass, com, about_com), pin.SE3.Identity())

    def back(self, values):
        """From Pinocchio's order to ours."""
        out = np.empty_like(values)
        out[self.order] = values
        return out

    def drives(self, q, qd, qdd):
        """Torque of armatures, damping, friction and springs."""
        a, d, f, k, rest = np.array(self.rows).T
        return a * qdd + d * qd + f * np.sign(qd) + k * (q - rest)


def close(got, want):
    # a derivative that is exactly zero on their side may be a rounding of ordinary numbers on ours
    assert np.abs(got - want).max() <= RELATIVE * max(np.abs(want).max(), 1e-3)


@pytest.fixture(scope="module", params=CASES, ids=lambda c: f"{c[0][1]} links{', screws' if c[1] else ''}")
def case(request):
    size, options = request.param
    arm = random_arm(*size, **options)
    return arm, Twin(arm), random_states(arm, 5, seed=size[0])


def test_inverse_dynamics(case):
    arm, twin, (Q, V, A) = case
    want = [
        twin.back(pin.rnea(twin.model, twin.data, *(x[twin.order] for x in state))) + twin.drives(*state)
        for state in zip(Q, V, A, strict=True)
    ]
    close(ls.inverse_dynamics(arm, Q, V, A), np.array(want))


def test_jacobians(case):
    """Of the origins of the bodies that carry links."""
    arm, twin, (Q, _, _) = case
    for q, i in zip(Q, np.linspace(0, len(arm.links) - 1, len(Q)).astype(int), strict=True):
        place = twin.bodies.links[i]
        if place.body == BASE:
            continue
        joint = twin.joint[place.body]
        pin.computeJointJacobians(twin.model, twin.data, q[twin.order])
        theirs = pin.getJointJacobian(twin.model, twin.data, joint, pin.LOCAL_WORLD_ALIGNED)
        origin = -place.X[:3, :3].T @ place.X[:3, 3]
        close(ls.jacobian(arm, q, arm.links[i].name, origin), twin.back(np.reshape(theirs, (6, -1)).T).T)


def test_mass_matrix(case):
    arm, twin, (Q, _, _) = case
    armature = np.diag([b.armature for b in twin.bodies.list])
    want = []
    for q in Q:
        M = pin.crba(twin.model, twin.data, q[twin.order])
        want.append(twin.back(twin.back(np.triu(M) + np.triu(M, 1).T).T) + armature)
    close(ls.mass_matrix(arm, Q), np.array(want))


def test_forward_dynamics(case):
    arm, twin, (Q, V, T) = case
    twin.model.armature = np.array([b.armature for b in twin.bodies.list])[twin.order]
    want = []
    for q, v, t in zip(Q, V, T, strict=True):
        effort = t - twin.drives(q, v, np.zeros(arm.dof))
        want.append(twin.back(pin.aba(twin.model, twin.data, *(x[twin.order] for x in (q, v, effort)))))
    twin.model.armature = np.zeros(arm.dof)
    close(ls.forward_dynamics(arm, Q, V, T), np.array(want))


def test_gradient(case):
    arm, twin, (Q, V, A) = case
    got = ls.inverse_dynamics_gradient(arm, Q, V, A)
    rows = np.array(twin.rows).T
    for k, state in enumerate(zip(Q, V, A, strict=True)):
        pin.computeRNEADerivatives(twin.model, twin.data, *(x[twin.order] for x in state))
        M = np.triu(twin.data.M) + np.triu(twin.data.M, 1).T
        for mine, theirs, own in ((got.q, twin.data.dtau_dq, rows[3]), (got.qd, twin.data.dtau_dv, rows[1]),
                                  (got.qdd, M, rows[0])):  # fmt: skip
            close(mine[k], twin.back(twin.back(theirs).T).T + np.diag(own))


def test_regressor_column_by_column():
    """Against Pinocchio, on arms whose link frames are the joints' own; its order of inertias is another."""
    arm = random_arm(17, 11, drives=False, kinds=("revolute", "prismatic", "helical"))
    assert any(joint.kind == "helical" for joint in arm.joints)
    links = [
        link.replace(frame=np.eye(4), payload=None, joint=link.joint.replace(axis=(0, 0, 1)))
        for link in arm.links
    ]  # fmt: skip
    arm = arm.replace(links=links)
    twin = Twin(arm)
    order = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]  # theirs: xx, xy, yy, xz, yz, zz
    for q, v, a in np.moveaxis(random_states(arm, 4), 0, 1):
        theirs = pin.computeJointTorqueRegressor(twin.model, twin.data, *(x[twin.order] for x in (q, v, a)))
        blocks = theirs.reshape(arm.dof, arm.dof, 10)[:, :, order]
        want = np.empty_like(blocks)
        want[np.ix_(twin.order, twin.order)] = blocks
        close(ls.regressor(arm, q, v, a).reshape(arm.dof, arm.dof, 10), want)


def test_regressor(case):
    """Against the torques."""
    arm, twin, (Q, V, A) = case
    parameters = []
    for link in arm.links:
        I = link.body.spatial()
        six = [I[0, 0], I[0, 1], I[0, 2], I[1, 1], I[1, 2], I[2, 2]]
        parameters += [link.body.mass, *(link.body.mass * link.body.com), *six]
    Y = ls.regressor(arm, Q, V, A)
    drives = [twin.drives(*state) for state in zip(Q, V, A, strict=True)]
    close(Y @ np.array(parameters), ls.inverse_dynamics(arm, Q, V, A) - np.array(drives))


def test_energies_and_momentum(case):
    arm, twin, (Q, V, _) = case
    model, data, bodies = twin.model, twin.data, twin.bodies.list
    for q, v in zip(Q, V, strict=True):
        p, w = q[twin.order], v[twin.order]
        pin.computeCentroidalMomentum(model, data, p, w)
        drive = 0.5 * sum(b.armature * x**2 for b, x in zip(bodies, v, strict=True))
        spring = 0.5 * sum(b.stiffness * (x - b.rest) ** 2 for b, x in zip(bodies, q, strict=True))
        close(ls.kinetic_energy(arm, q, v), pin.computeKineticEnergy(model, data, p, w) + drive)
        close(ls.potential_energy(arm, q), pin.computePotentialEnergy(model, data, p) + spring)
        com = pin.centerOfMass(model, data, p)
        close(ls.centre_of_mass(arm, q), com)
        linear, angular = data.hg.linear, data.hg.angular + np.cross(com, data.hg.linear)
        close(ls.momentum(arm, q, v), np.concatenate([linear, angular]))


def test_loads_and_base_motion(case):
    """Loads as external forces; the base's motion as that of a first, free joint with given motion."""
    arm, _, (Q, V, A) = case
    loads, base = random_loads(arm, 3), random_base(4)
    got = ls.inverse_dynamics(arm, Q, V, A, loads=loads, base=base)
    free = Twin(arm, free_base=True)
    want = [moving_base_torques(free, *state, loads, base) for state in zip(Q, V, A, strict=True)]
    close(got, np.array(want))
    # long light chains amplify rounding: the same accelerations to seven digits
    assert np.abs(ls.forward_dynamics(arm, Q, V, got, loads=loads, base=base) - A).max() < 1e-7


def moving_base_torques(twin, q, v, a, loads, base):
    """Inverse dynamics with a free-flyer below the arm whose velocity and acceleration are prescribed."""
    model, data = twin.model, twin.data
    # the base frame coincides with the world; spatial acceleration = classical - w x v with v = 0
    position = np.concatenate([pin.neutral(model)[:7], q[twin.order]])
    rate = np.concatenate([np.zeros(3), base.angular_velocity, v[twin.order]])
    acceleration = np.concatenate([base.linear_acceleration, base.angular_acceleration, a[twin.order]])
    pin.forwardKinematics(model, data, position)
    total = [pin.Force.Zero() for _ in range(model.njoints)]
    for load in loads:
        place = twin.bodies.place(load.link)
        if place.body == BASE:
            continue
        joint = twin.joint[place.body]
        R = data.oMi[joint].rotation
        point = place.X[:3, :3] @ load.point + place.X[:3, 3]
        F = R.T @ load.force
        total[joint] = total[joint] + pin.Force(F, R.T @ load.moment + np.cross(point, F))
    forces = pin.StdVec_Force()
    for f in total:
        forces.append(f)
    return twin.back(pin.rnea(model, data, position, rate, acceleration, forces)[6:]) + twin.drives(q, v, a)
