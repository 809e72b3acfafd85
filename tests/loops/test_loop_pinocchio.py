"""Closed loops against the constrained dynamics of Pinocchio, and runs against Pinocchio and MuJoCo."""

import numpy as np
import pytest
from tests.loops.mechanisms import four_bar, frame, moving, slider_crank

import lissom as ls

pin = pytest.importorskip("pinocchio")


class Twin:
    """The arm in Pinocchio: its tree through a URDF, its loops as rigid constraints."""

    def __init__(self, arm, folder):
        tree = arm.replace(loops=())
        ls.save(tree, folder / "tree.urdf", lossy=True)
        self.model = pin.buildModelFromUrdf(str(folder / "tree.urdf"))
        self.model.gravity.linear = np.array(arm.gravity)
        self.data = self.model.createData()
        kinds = {"spherical": pin.ContactType.CONTACT_3D, "fixed": pin.ContactType.CONTACT_6D}
        self.loops = []
        for loop in arm.loops:
            ends = []
            for link, X in (loop.a, loop.b):
                joint = 0 if link is None else self.model.getJointId(arm.link(link).joint.name)
                ends += [joint, pin.SE3(X[:3, :3], X[:3, 3])]
            self.loops.append(pin.RigidConstraintModel(kinds[loop.joint], self.model, *ends, pin.ReferenceFrame.LOCAL))
        self.loop_data = [loop.createData() for loop in self.loops]
        pin.initConstraintDynamics(self.model, self.data, self.loops, self.loop_data)
        self.settings = pin.ProximalSettings(1e-14, 0.0, 1)
        self.joints = [self.model.joints[self.model.getJointId(joint.name)] for joint in arm.joints]

    def accelerations(self, q, qd, tau):
        place, rate, torque = np.zeros(self.model.nq), np.zeros(self.model.nv), np.zeros(self.model.nv)
        for k, joint in enumerate(self.joints):
            # joints without limits are given by cosine and sine
            place[joint.idx_q : joint.idx_q + joint.nq] = [np.cos(q[k]), np.sin(q[k])] if joint.nq == 2 else q[k]
            rate[joint.idx_v], torque[joint.idx_v] = qd[k], tau[k]
        given = (place, rate, torque, self.loops, self.loop_data, self.settings)
        found = pin.constraintDynamics(self.model, self.data, *given)
        return found[[joint.idx_v for joint in self.joints]]


def branches(kind):
    """Two branches with odd axes and a prismatic joint, joined at their ends, in odd gravity."""
    rng = np.random.default_rng(17)

    def link(name, parent, sort="revolute"):
        axis = rng.normal(size=3)
        joint = ls.Joint(sort, placement=frame(rng), axis=axis / np.linalg.norm(axis), damping=0.0)
        return ls.Link(name, parent=parent, joint=joint, mass=rng.uniform(0.5, 2), com=0.1 * rng.normal(size=3),
                       inertia=np.diag(rng.uniform(0.02, 0.03, 3)))  # fmt: skip

    links = [link("a1", None), link("a2", "a1"), link("a3", "a2", "prismatic"), link("a4", "a3"),
             link("b1", "a1"), link("b2", "b1"), link("b3", "b2"), link("b4", "b3", "prismatic")]  # fmt: skip
    tree = ls.Arm("branches", links, gravity=(1.0, 2.0, -9.0))
    q = 0.5 * rng.normal(size=tree.dof)
    A = frame(rng)
    there = ls.pose(tree, q, "a4") @ A
    return tree.replace(loops=[ls.Loop(("a4", A), ("b4", np.linalg.inv(ls.pose(tree, q, "b4")) @ there), kind)]), q


@pytest.mark.parametrize("kind", ["spherical", "fixed"])
def test_accelerations(kind, tmp_path):
    arm, q = branches(kind)
    twin = Twin(arm, tmp_path)
    for seed in range(4):
        state = moving(arm, q, seed)
        tau = np.random.default_rng(seed).normal(size=arm.dof)
        ours = ls.forward_dynamics(arm, state.q, state.qd, tau)
        theirs = twin.accelerations(state.q, state.qd, tau)
        assert np.abs(ours - theirs).max() < 1e-8 * np.abs(ours).max()


def plane(arm):
    """The arm with its closure as a point in the plane: two rows, as constraints in space would be redundant."""
    return arm.replace(loops=[arm.loops[0].replace(joint="spherical")])


def rk4(slope, q, qd, h, steps, keep):
    out = [q]
    for k in range(steps):
        a1 = slope(q, qd)
        v2, a2 = qd + h / 2 * a1, slope(q + h / 2 * qd, qd + h / 2 * a1)
        v3, a3 = qd + h / 2 * a2, slope(q + h / 2 * v2, qd + h / 2 * a2)
        v4, a4 = qd + h * a3, slope(q + h * v3, qd + h * a3)
        q, qd = q + h / 6 * (qd + 2 * v2 + 2 * v3 + v4), qd + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        if (k + 1) % keep == 0:
            out.append(q)
    return np.array(out)


@pytest.mark.parametrize("mechanism", [pytest.param("four_bar", marks=pytest.mark.slow), "slider_crank", "branches"])
def test_runs(mechanism, tmp_path):
    """Ten seconds of falling without motors (branches, chaotic: one), within 1e-4 rad of steps of 1 ms by Pinocchio."""
    if mechanism == "branches":
        arm, q = branches("spherical")
        until = 1.0
    else:
        arm = plane(four_bar() if mechanism == "four_bar" else slider_crank())
        q = ls.assemble(arm, (1.0, -0.5, 1.5) if mechanism == "four_bar" else (1.1, -1.4, 1.0), fixed="crank").q
        until = 10.0
    twin = Twin(arm, tmp_path)
    twin.settings = pin.ProximalSettings(1e-14, 1e-10, 20)  # the row across the plane is always zero
    still = np.zeros(arm.dof)
    theirs = rk4(lambda q, qd: twin.accelerations(q, qd, still), q, still, 1e-3, round(until * 1000), 100)
    ours = ls.simulate(arm, q, until=until, every=0.1)
    assert ours.ok
    assert np.abs(ours.q - theirs).max() < 1e-4


def test_connect_of_mujoco(tmp_path):
    """A soft constraint made hard: MuJoCo comes near."""
    mujoco = pytest.importorskip("mujoco")
    arm = plane(four_bar())
    q = ls.assemble(arm, [1.0, -0.5, 1.5], fixed="crank").q

    def xml(name, inside=""):
        link = arm.link(name)
        place, I = link.joint.placement[:3, 3], np.diag(link.inertia)
        return (
            f'<body name="{name}" pos="{place[0]} {place[1]} {place[2]}"><joint name="{name}" axis="0 0 1"/>'
            f'<inertial pos="{link.com[0]} 0 0" mass="{link.mass}" diaginertia="{I[0]} {I[1]} {I[2]}"/>{inside}</body>'
        )

    bodies = xml("crank", xml("coupler")) + xml("rocker")
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option gravity="0 -9.81 0" timestep="2e-4" integrator="RK4" solver="Newton" tolerance="1e-14"/>'
        f"<worldbody>{bodies}</worldbody><equality>"
        f'<connect body1="coupler" body2="rocker" anchor="0.83 0 0" solref="4e-4 1" solimp="0.99999 0.99999 1e-9"/>'
        "</equality></mujoco>"
    )
    data = mujoco.MjData(model)
    # the anchor on body2 is where it is at q = 0 of the model; put it where the loop closes
    model.eq_data[0, 3:6] = [0.57, 0, 0]
    data.qpos[:] = q
    for _ in range(5000):
        mujoco.mj_step(model, data)
    run = ls.simulate(arm, q, until=1.0)
    assert np.abs(run.q[-1] - data.qpos).max() < 1e-3
