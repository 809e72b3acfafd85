"""Half a period is refused where its mirror image would be another motion."""

import numpy as np
import pytest
from tests.legged import biped, scissors, step

import lissom as ls


def slippery(arm):
    return arm.replace(contacts=[c.replace(friction=0.05) if "left" in c.name else c for c in arm.contacts])


@pytest.mark.parametrize(
    ("make", "changes", "words"),
    [
        (lambda arm: arm.with_joint("ankle_left", stiffness=40.0), {}, "force on coordinate 'ankle_.*not symmetric"),
        (lambda arm: arm.with_joint("knee_left", damping=0.7), {}, "force on coordinate 'knee_"),
        (lambda arm: arm, {"loads": ls.Load("foot_left", force=(0, 0, -40))}, "loads or gravity are not symmetric"),
        (lambda arm: arm, {"loads": ls.Load("foot_left", force=[[0, 0, 0], [0, 0, -40], [0, 0, 0]])}, "loads"),
        (lambda arm: arm.with_gravity((0, 3, -9)), {}, "gravity has a component of 3 m/s"),
        (slippery, {}, "friction of contact 'heel_right' is 0.8"),
        (lambda arm: arm.with_joint("knee_left", limits=ls.Limits(position=(0, 2.2), torque=5)), {},
         "torque limits of 'knee_right' are -90 to 90"),
        (lambda arm: arm, {"limits": ls.Limits(velocity=[9] * 8 + [8])}, "velocity limits of 'ankle_right'"),
    ],
)  # fmt: skip
def test_arms_that_are_not_symmetric_are_refused(make, changes, words):
    with pytest.raises(ls.InputError, match=words):
        ls.predict_motion(make(biped()), step(biped(), **changes), guess=scissors(biped()))


def test_a_load_on_the_middle_and_coulomb_friction_on_both_sides_are_symmetric():
    from lissom.motion.phased.problem import PhasedProblem

    arm = biped().with_joint("knee_left", friction=1.5).with_joint("knee_right", friction=1.5)
    task = step(arm, loads=ls.Load("trunk", force=[[0, 0, 0], [20, 0, -40], [0, 0, 0]]))
    problem = PhasedProblem(arm, task, [2, 5, 3])
    assert (problem.reflection(np.arange(9.0)) != np.arange(9.0)).sum() == 6
