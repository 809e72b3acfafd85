"""Outputs of linear models: frames, points, strains, encoders."""

import numpy as np
import pytest

import lissom as ls

ARM = ls.load("two_link_flexible")
Q = ARM.expanded(np.array([0.2, 1.2]))


def test_several_outputs_in_their_order():
    plant = ls.linearise(ARM, Q, output=[ls.Encoder(["joint2"]), ("link1", (0.2, 0, 0)), "link2.tip"], rows=["y", "rz"])
    assert plant.outputs == ("joint2", "link1@0.2,0,0.y", "link1@0.2,0,0.rz", "link2.tip.y", "link2.tip.rz")
    wanted = [
        np.eye(ARM.dof)[[ARM.coordinates.index("joint2")]],
        ls.jacobian(ARM, Q, "link1", (0.2, 0, 0))[[1, 5]],
        ls.jacobian(ARM, Q, "link2.tip")[[1, 5]],
    ]
    assert np.array_equal(plant.C, np.hstack([np.vstack(wanted), np.zeros((5, ARM.dof))]))


def test_encoders_are_at_the_motors():
    elastic = ls.Joint(elastic=ls.JointElasticity(50.0), armature=0.1)
    arm = ls.Arm("elastic", [ls.Link("rod", joint=elastic, mass=1.0, com=(0.3, 0, 0), inertia=0.1)], gravity=(0, 0, 0))
    plant = ls.linearise(arm, [0.0, 0.0], output=ls.Encoder())
    assert plant.outputs == (arm.coordinates[0],)
    assert plant.C[0, :2].tolist() == [1.0, 0.0]


def test_strain_is_that_of_the_deformation():
    gauge = ls.StrainGauge("link1", s=0.03, y=1e-3)
    row = ls.linearise(ARM, Q, output=gauge).C[0, : ARM.dof]
    step = np.zeros(ARM.dof)
    step[[1, 2]] = 0.013, -0.007
    assert row @ step == pytest.approx(ls.deformation(ARM, step, "link1", [0.03]).strain(y=1e-3)[0], rel=1e-12)


def test_outputs_of_closed_loops():
    arm = ls.load("examples/four_bar.toml")
    q = ls.assemble(arm, [0.3, 0, 0], fixed=arm.joints[0].name).q
    one = ls.linearise(arm, q, output=arm.links[-1].name)
    some = ls.linearise(arm, q, output=arm.links[-1].name, rows="yx")
    assert np.array_equal(some.C, one.C[[1, 0]])


@pytest.mark.parametrize(
    ("output", "rows", "message"),
    [
        (None, "xy", "no output is the motion of a frame"),
        (ls.Encoder(), "xy", "no output is the motion of a frame"),
        ("link2.tip", "xq", "rows has 'q'"),
        ("link2.tip", "xx", "each once"),
        ("link2.tip", "", "at least one row"),
        ("link9", None, "no link|unknown|link2"),
        (3.0, None, "expected a frame's name"),
        ([], None, "output is empty"),
        (ls.Encoder(["joint9"]), None, "'joint9' is not a joint coordinate"),
        (ls.Encoder(["link1.bending_z1"]), None, "is not a joint coordinate"),
        (ls.StrainGauge("link1", s=0.7), None, "0.7 m is not on the beam"),
        (("link1", (0.7, 0, 0)), None, "not on its beam"),
    ],
)
def test_refusals(output, rows, message):
    with pytest.raises(ls.InputError, match=message):
        ls.linearise(ARM, Q, output=output, rows=rows)
