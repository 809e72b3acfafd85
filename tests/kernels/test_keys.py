"""Keys of compiled code: another one for every number and structure that a program could read."""

import dataclasses
import subprocess
import sys

import numpy as np
import pytest
from tests.arms import other_numbers, random_arm, random_loads

import lissom as ls
from lissom.dynamics import inverse
from lissom.dynamics.acting import Acting
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.varied import Varied
from lissom.engine.kernel import graph_of
from lissom.errors import LissomError
from lissom.kernels.cache import functions_of
from lissom.kernels.keys import IGNORED, fingerprint, sources
from lissom.kernels.verbs import VERBS
from lissom.model.record import Record
from lissom.spatial.frames import pose
from lissom.spatial.rotations import from_rpy

CHOICES = {
    "flexibility": ("second_order", "linear"), "kind": ("revolute", "prismatic"), "joint": ("spherical", "revolute"),
    "shapes": ("natural", "polynomial"), "tip": ("auto", "free"),
}  # fmt: skip


def rigid():
    """A tree with everything that rigid arms can have."""
    arm = random_arm(3, 5)
    stiff = [link.name for link in arm.links]
    loops = (ls.Loop((stiff[0], (0.1, 0.2, 0.3)), (stiff[-1], (0.3, 0.1, 0.0))),)
    arm = arm.replace(loads=random_loads(arm, 5)[:2], loops=loops, kinematics_only=False)
    arm = arm.with_link(stiff[-1], tools={"grip": pose(from_rpy((0.1, 0.2, 0.3)), (0.0, 0.1, 0.2))})
    return arm.with_payload(ls.Payload(0.3, (0.1, 0.0, 0.0), 0.02), stiff[-1])


def flexible():
    """A flexible link on an elastic joint that another joint follows, and one along the beam."""
    beam = ls.Beam(0.5, 0.4, EI=(3.0, 4.0), GJ=2.0, modes=ls.Modes(2, 1, torsion=1), damping=0.01)
    block = {"mass": 0.4, "com": (0.1, 0.0, 0.02), "inertia": np.diag((0.01, 0.02, 0.015))}
    elastic = ls.JointElasticity(30.0, 0.1)
    return ls.Arm("soft", [
        ls.Link("upper", joint=ls.Joint(damping=0.1, armature=0.2, elastic=elastic), beam=beam, **block),
        ls.Link("hand", "upper", ls.Joint(axis=(0, 1, 0), mimic=ls.Mimic("upper", 0.5, 0.1)), **block),
        ls.Link("side", "upper", ls.Joint(at=0.2, stiffness=2.0, rest=0.1), **block),
    ])  # fmt: skip


def changes(value, name="", kind=""):
    """(place, changed value) with one number, flag or choice changed, or one record of a sequence left out."""
    if isinstance(value, Record):
        kind = type(value).__name__
        for field in dataclasses.fields(value):
            if field.compare and field.name not in IGNORED.get(kind, ()):
                for place, other in changes(getattr(value, field.name), field.name, kind):
                    yield f"{kind}.{place}", (value, field.name, other)
    elif isinstance(value, tuple):
        if value and all(isinstance(item, Record) for item in value) and name in ("loads", "loops", "tools"):
            yield name, value[1:]
        for k, item in enumerate(value):
            for place, other in changes(item, name, kind):
                yield f"{name}[{k}].{place}", (value, k, other)
    elif isinstance(value, bool):
        yield name, not value
    elif isinstance(value, int):
        yield name, value + 1
    elif isinstance(value, float):
        yield name, 1.01 * value + 0.013
    elif isinstance(value, np.ndarray):
        yield from ((f"{name}{place}", other) for place, other in arrays(value))
    elif isinstance(value, str) and value in CHOICES.get(name, ()):
        yield from ((name, other) for other in CHOICES[name] if other != value)


def arrays(value):
    if value.shape == (4, 4):
        yield "rotation", value @ pose(from_rpy((0.01, 0.0, 0.0)))
        yield from ((f"[{k}, 3]", value + 0.013 * np.outer(np.eye(4)[k], np.eye(4)[3])) for k in range(3))
    elif value.shape == (3, 3):
        yield "", 1.01 * value + 0.001 * np.eye(3)
    else:
        yield from ((f"[{k}]", value + 0.013 * np.eye(len(value))[k]) for k in range(len(value)))


def built(change):
    """The record or sequence that a change describes; raises an error where the model does not allow it."""
    if isinstance(change, tuple) and len(change) == 3 and isinstance(change[0], Record):
        record, field, other = change
        return record.replace(**{field: built(other)})
    if isinstance(change, tuple) and len(change) == 3 and isinstance(change[0], tuple):
        whole, k, other = change
        return tuple(built(other) if i == k else item for i, item in enumerate(whole))
    return change


def key(arm):
    return fingerprint(Bodies(arm))


@pytest.mark.parametrize(("arm", "least"), [(rigid(), 150), (flexible(), 90)], ids=["rigid", "flexible"])
def test_every_number_and_structure_of_an_arm_is_in_the_key(arm, least):
    before, tried, same = key(arm), 0, []
    for place, change in changes(arm):
        try:
            other = built(change)
            after = key(other)
        except LissomError:
            continue  # not an arm
        tried += 1
        if after == before and other != arm:
            same.append(place)
    assert not same
    assert tried > least


@pytest.mark.parametrize("arm", [rigid(), flexible()], ids=["rigid", "flexible"])
def test_every_number_of_a_body_is_in_the_key(arm):
    bodies = Bodies(arm)
    before, fields = fingerprint(bodies), set()
    for k, body in enumerate(bodies.list):
        for field, value in body._asdict().items():
            for _, other in changes(value, field):
                assert fingerprint(bodies.changed(**{field: {k: other}})) != before, field
                fields.add(field)
    assert fields >= {"parent", "kind", "R", "p", "mass", "moment", "inertia", "armature", "friction", "width"}


def test_a_key_that_was_made_before_follows_what_changes_in_place():
    """The fingerprint of bodies is remembered; lists and dictionaries of the same bodies may change."""
    bodies = Bodies(flexible())
    before = fingerprint(bodies)
    assert fingerprint(bodies) == before == fingerprint(Bodies(flexible()))
    keys = [before]
    bodies.list[0] = bodies.list[0]._replace(damping=0.123)
    keys.append(fingerprint(bodies))
    bodies.list.append(bodies.list[-1])
    keys.append(fingerprint(bodies))
    bodies.given["gravity", 0] = (1.0, 2.0, 3.0)
    keys.append(fingerprint(bodies))
    bodies.links[0] = bodies.links[0]._replace(body=7)
    keys.append(fingerprint(bodies))
    keys.append(fingerprint(bodies.changed(friction={0: 0.4})))
    assert len(set(keys)) == len(keys)


def torques(bodies):
    """Inverse dynamics of an arm as a graph."""
    return graph_of(lambda run: inverse.program(run, bodies, Acting()))


def test_what_no_program_reads_is_not_in_the_key():
    arm = rigid()
    joint = next(joint.name for joint in arm.joints)
    others = [
        arm.replace(name="another"),
        arm.with_joint(joint, limits=ls.Limits(position=(-3.0, 3.0), torque=40.0)),
        arm.with_link(arm.links[0].name, shapes=[ls.LinkShape("box", (0.1, 0.1, 0.1))]),
    ]
    graphs = [torques(Bodies(x)) for x in (arm, *others)]
    assert len({(repr(graph.nodes), repr(graph.outputs)) for graph in graphs}) == 1
    assert {key(other) for other in others} == {key(arm)}


def test_limits_that_move_the_shapes_of_a_flexible_link_are_in_the_key():
    """Shapes assume what hangs on the tip at home, which limits can move."""
    arm = flexible().with_joint("side", at=None)
    assert key(arm) != key(arm.with_joint("side", limits=ls.Limits(position=(0.5, 2.0))))


def test_what_acts_on_an_arm_is_in_the_key():
    arm, rng = random_arm(3, 5), np.random.default_rng(0)
    samples = [other_numbers(arm, rng) for _ in range(2)]
    heavy = arm.with_link("l1", mass=arm.link("l1").mass + 1.0)
    settings = [
        Acting(), Acting(loads=("l1",)), Acting(loads=("l2",)), Acting(loads=("l1", "l1")), Acting(base=True),
        Acting(frame="l1"), Acting(payloads=("l1",)), Acting(varied=Varied(arm, samples)),
        Acting(varied=Varied(arm, [heavy])), Acting(varied=Varied(heavy, [arm])),
        Acting(varied=Varied(arm, [heavy], rounded=False)),
    ]  # fmt: skip
    assert len({fingerprint(Bodies(arm), acting) for acting in settings}) == len(settings)


def test_verb_method_and_sources_are_in_the_key():
    functions = functions_of(random_arm(3, 3, tree=False, kinds=("revolute",)))
    names = [name for name, verb in VERBS.items() if not verb.frame and not verb.composed_of and name != "closure"]
    keys = [functions.plan(name).key for name in names]
    keys += [functions.plan("inverse_dynamics", method=method).key for method in ("waters", "hollerbach_4x4")]
    assert len(set(keys)) == len(keys)
    assert all(sources() in key for key in keys)


def test_a_key_is_the_same_in_another_process():
    code = "import lissom as ls; from lissom.dynamics.bodies import Bodies; from lissom.kernels.keys import fingerprint"
    code += "; print(fingerprint(Bodies(ls.load('two_link_flexible'))))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == key(ls.load("two_link_flexible"))


def test_a_value_that_cannot_be_read_is_refused():
    with pytest.raises(TypeError, match="cannot be part of the key"):
        fingerprint(lambda: 1)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((1.0, 2.0), (1.0, (2.0,))),
        (("a", "bc"), ("ab", "c")),
        ((1,), (True,)),
        ((np.zeros(2),), (np.zeros((2, 1)),)),
        ((0.0,), (-0.0,)),
        ((), (None,)),
    ],
)
def test_parts_do_not_run_into_each_other(a, b):
    assert fingerprint(*a) != fingerprint(*b)
