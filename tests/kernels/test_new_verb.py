"""A verb is a program and an entry: one that is defined here works like those of the registry."""

import numpy as np
import pytest
from tests.arms import random_arm, random_base, random_loads, random_states

import lissom as ls
from lissom.dynamics import inverse
from lissom.dynamics.acting import Acting, nine_of
from lissom.engine.record import RECORDED
from lissom.errors import UnsupportedError
from lissom.kernels.cache import functions_of
from lissom.kernels.verb import Output, Program, Refused, Verb
from lissom.kernels.verbs import VERBS


def _start(run, bodies, acting, _tape):
    """Torques at rest under given accelerations."""
    n = bodies.dof
    q, qdd = run.input(n), run.input(n)
    bodies, base, loads = acting.read(run, bodies)
    still = run.constant(np.zeros(n))
    run.output(*inverse.joint_torques(run, bodies, q, still, qdd, base, loads))


PROGRAM = Program(_start, RECORDED, 12)
STARTING_TORQUES = Verb(
    "starting_torques", ("q", "qdd"), lambda b: ((b.arm.dof,),), program=PROGRAM, flexible=PROGRAM, loops="tree",
    outputs=(Output("tau", "tau", "torques that begin a motion"),), acted=True, batch_of_arms=True,
)  # fmt: skip
ARMS = {"small": random_arm(3, 5), "large": random_arm(4, 16), "flexible": ls.load("two_link_flexible")}
# straight-line code of large arms would take long to compile
CASES = [(name, backend) for name in ARMS for backend in (None, "straight", "tape", "numpy")]
CASES.remove(("large", "straight"))


@pytest.mark.parametrize(("name", "backend"), CASES)
def test_a_new_verb_on_all_backends(name, backend):
    arm = ARMS[name]
    q, qdd = 0.1 * random_states(arm, 5, count=2)
    found = functions_of(arm).get(STARTING_TORQUES, backend=backend)(q, qdd)
    np.testing.assert_allclose(found, ls.inverse_dynamics(arm, q, 0 * q, qdd), rtol=1e-10, atol=1e-10)


def test_a_new_verb_with_loads_and_a_moving_base():
    arm = ARMS["small"]
    q, qdd = random_states(arm, 5, count=2)
    loads, base = random_loads(arm, 3), random_base(2)
    nine = [np.concatenate([base.angular_velocity, base.angular_acceleration, base.linear_acceleration])]
    acting = Acting(tuple(load.link for load in loads), base=True)
    found = functions_of(arm).get(STARTING_TORQUES, acting)(q, qdd, *nine, *map(nine_of, loads))
    want = ls.inverse_dynamics(arm, q, 0 * q, qdd, loads=loads, base=base)
    np.testing.assert_allclose(found, want, rtol=1e-10, atol=1e-10)


def test_a_refusal_of_a_new_verb_is_an_error():
    stiff = STARTING_TORQUES._replace(name="stiff_torques", flexible=Refused("stiff_torques needs rigid links."))
    with pytest.raises(UnsupportedError, match=r"stiff_torques needs rigid links\."):
        functions_of(ARMS["flexible"]).get(stiff)
    assert functions_of(ARMS["small"]).get(stiff).name == "stiff_torques"
    assert not {STARTING_TORQUES.name, stiff.name} & set(VERBS)


def test_an_unknown_name_is_refused():
    with pytest.raises(KeyError, match="no_such_verb"):
        functions_of(ARMS["small"]).get("no_such_verb")
