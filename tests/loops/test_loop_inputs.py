"""What cannot be is said in a sentence."""

import numpy as np
import pytest
from tests.loops.mechanisms import BEAM, flexible_four_bar, four_bar, rod, spatial

import lissom as ls

Q = ls.assemble(four_bar(), [1.0, -0.5, 1.5], fixed="crank").q
STILL = np.zeros(3)


def too_short():
    links = [rod("a", None, (0, 0, 0), 0.2, 1.0), rod("b", None, (1, 0, 0), 0.3, 1.0)]
    return ls.Arm("gap", links, loops=[ls.Loop(("a", (0.2, 0, 0)), ("b", (0.3, 0, 0)))])


def rough():
    links = [link.replace(joint=link.joint.replace(friction=0.1)) for link in four_bar().links]
    return four_bar().replace(links=links)


def upside_down():
    """Axes that can only meet the wrong way round."""
    turned = np.diag([1.0, -1.0, -1.0, 1.0])
    links = [rod("a", None, (0, 0, 0), 0.5, 1.0)]
    return ls.Arm("flipped", links, loops=[ls.Loop(("a", turned), (None, np.eye(4)), "revolute")])


CASES = {
    "open position": (
        lambda: ls.inverse_dynamics(four_bar(), Q + [0.01, 0, 0], STILL, STILL), ls.InputError,
        r"dynamics: q leaves open loop 1 \(coupler - rocker, revolute\): shift along y by 0.0108 m; ls.assemble",
    ),
    "open in a batch": (
        lambda: ls.forward_dynamics(four_bar(), [Q, Q, Q + [0, 0, 0.1]], STILL, STILL), ls.InputError,
        r"forward_dynamics: q\[2\] leaves open",
    ),
    "rates": (
        lambda: ls.forward_dynamics(four_bar(), Q, [1.0, 0, 0], STILL), ls.InputError,
        r"qd opens loop 1 .* by 1\.08 m/s; ls.assemble\(arm, q, qd=qd\)",
    ),
    "accelerations": (
        lambda: ls.inverse_dynamics(four_bar(), Q, STILL, [1.0, 0, 0]), ls.InputError, r"qdd parts loop 1 .* m/s\^2",
    ),
    "no motor": (
        lambda: ls.inverse_dynamics(four_bar(actuated=False), Q, STILL, STILL), ls.InputError,
        r"the motors cannot produce this motion: .* N m remains on joint '\w+'",
    ),
    "load": (
        lambda: ls.forward_dynamics(four_bar(), Q, STILL, STILL, loads=[ls.Load("crnk")]), ls.InputError,
        "forward_dynamics: .*did you mean 'crank'",
    ),
    "all held": (
        lambda: ls.assemble(four_bar(), Q + 0.1, fixed=("crank", "coupler", "rocker")), ls.SolveError, "rocker held",
    ),
    "method": (
        lambda: ls.forward_dynamics(four_bar(), Q, STILL, STILL, method="walker_orin_3"), ls.UnsupportedError,
        "method is for open arms",
    ),
    "gradient": (
        lambda: ls.inverse_dynamics_gradient(four_bar(), Q, STILL, STILL), ls.UnsupportedError,
        "inverse_dynamics_gradient: arm 'four_bar' has closed loops",
    ),
    "cannot close": (
        lambda: ls.assemble(too_short(), [0.1, 2.0]), ls.SolveError,
        r"no position was found that closes arm 'gap'. The best attempt leaves open loop 1 \(a - b, sph.* by 0.5 m",
    ),
    "held too much": (
        lambda: ls.assemble(four_bar(), [1.0, -0.5, 1.2], fixed=("crank", "rocker")), ls.SolveError,
        "with crank, rocker held",
    ),
    "held rates": (
        lambda: ls.assemble(four_bar(), Q, fixed=("crank", "rocker"), qd=[1.0, 0, 0]), ls.InputError,
        "no rates of the other joints are compatible with the fixed ones",
    ),
    "turned round": (lambda: ls.assemble(upside_down(), [0.3]), ls.SolveError, "only with an axis reversed"),
    "torques turned round": (
        lambda: ls.inverse_dynamics(upside_down(), [0.3], [0.0], [0.0]), ls.InputError,
        r"inverse_dynamics: q closes loop 1 \(a - base, revolute\) with an axis reversed: z of both frames",
    ),
    "run turned round": (
        lambda: ls.simulate(upside_down(), [0.3], until=1.0), ls.InputError, "q0 closes loop 1 .* an axis reversed",
    ),
    "fixed unknown": (
        lambda: ls.assemble(four_bar(), Q, fixed="crnk"), ls.InputError, "fixed has 'crnk'; did you mean 'crank'",
    ),
    "no loops": (lambda: ls.assemble(ls.load("two_link")), ls.InputError, "has no loops"),
    "both": (
        lambda: ls.closure_forces(four_bar(), Q, STILL, STILL, STILL), ls.InputError, "give qdd .* or tau",
    ),
    "run from an open start": (
        lambda: ls.simulate(four_bar(), Q + [0.1, 0, 0], until=1.0), ls.InputError,
        "simulate: q0 leaves open .*ls.assemble",
    ),
    "run with rates that open": (
        lambda: ls.simulate(four_bar(), Q, [1.0, 0, 0], until=1.0), ls.InputError, "simulate: qd0 opens loop 1",
    ),
    "friction": (
        lambda: ls.simulate(rough(), Q, until=1.0), ls.UnsupportedError,
        "joints 'crank', 'coupler', 'rocker' have Coulomb friction, but the closed loops leave only",
    ),
    "controller": (
        lambda: ls.simulate(four_bar(), Q, tau=ls.ComputedTorque(Q, 1.0, 1.0), until=1.0), ls.UnsupportedError,
        "ComputedTorque does not support the closed loops",
    ),
    "singular": (
        lambda: ls.simulate(four_bar(), Q, until=1.0, singular="ignore"), ls.InputError, "expected 'stop' or 'pass'",
    ),
    "linear bending": (
        lambda: ls.assemble(flexible_four_bar().replace(flexibility="linear"), [1.0, -0.5, 1.5]), ls.UnsupportedError,
        "closed loops: .* frames beyond a tip are not orthonormal",
    ),
    "least equilibrium": (
        lambda: ls.equilibrium(four_bar(), Q, least=True), ls.UnsupportedError, "least=True is for open arms",
    ),
    "inverse kinematics": (
        lambda: ls.inverse_kinematics(four_bar(), np.eye(4), "rocker"), ls.UnsupportedError, "has closed loops",
    ),
    "prediction": (
        lambda: ls.predict_motion(spatial(("planar",))[0], start=np.zeros(9), goal=np.ones(9)), ls.InputError,
        "the start leaves open loop 1",
    ),
    "modes of what is locked": (lambda: ls.modes(four_bar(), Q), ls.InputError, "its joints locked and its loops"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_sentences(case):
    call, kind, message = CASES[case]
    with pytest.raises(kind, match=message):
        call()


def test_the_tree_is_there_for_what_is_of_the_tree():
    """Inertia, gravity, energies, poses and the regressor do not know of closures."""
    arm = four_bar()
    tree = arm.replace(loops=())
    assert (ls.mass_matrix(arm, Q) == ls.mass_matrix(tree, Q)).all()
    assert (ls.gravity_forces(arm, Q) == ls.gravity_forces(tree, Q)).all()
    assert (ls.bias_forces(arm, Q, Q) == ls.bias_forces(tree, Q, Q)).all()
    assert (ls.regressor(arm, Q, Q, Q) == ls.regressor(tree, Q, Q, Q)).all()
    assert ls.kinetic_energy(arm, Q, Q) == ls.kinetic_energy(tree, Q, Q)


def test_points_beyond_a_beam_are_refused():
    arm = flexible_four_bar()
    beyond = arm.replace(loops=[ls.Loop(("coupler", (BEAM.length + 0.1, 0, 0)), ("rocker", (0.57, 0, 0)))])
    with pytest.raises(ls.InputError, match="is not on its beam"):
        ls.assemble(beyond, [1.0, -0.5, 1.5])


def test_joints_stay_within_their_limits_where_they_can():
    """A rocker that could close on either side of the crank; its limits leave one."""
    arm, guess = four_bar(), [1.0, -1.0, 2.5]
    free = ls.assemble(arm, guess, fixed="crank").q
    other = ls.assemble(arm.with_joint("rocker", limits=ls.Limits(position=(2.0, 5.0))), guess, fixed="crank")
    assert free[2] < 2.0 < other.q[2] < 5.0
    assert other.error < 1e-10
    nowhere = arm.with_joint("rocker", limits=ls.Limits(position=(2.0, 2.1)))
    assert np.allclose(ls.assemble(nowhere, guess, fixed="crank").q, free)


@pytest.mark.parametrize("end", ["coupler", None])
def test_a_loop_joins_two_links(end):
    with pytest.raises(ls.ModelError, match=r"both ends are on ('coupler'|the base)"):
        four_bar().replace(loops=[ls.Loop((end, (0, 0, 0)), (end, (0.1, 0, 0)))])
