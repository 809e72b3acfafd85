"""Random arms for tests: trees with awkward axes, full inertias, drives, springs and odd gravity."""

import numpy as np

import lissom as ls
from lissom.spatial.frames import pose
from lissom.spatial.rotations import about_axis


def random_pose(rng):
    axis = rng.normal(size=3)
    return pose(about_axis(axis / np.linalg.norm(axis), rng.uniform(-3, 3)), rng.uniform(-0.4, 0.4, 3))


def random_inertia(rng, mass):
    """Inertia of a few point masses about their centre: physical by construction."""
    points = rng.normal(size=(5, 3)) * 0.1
    points -= points.mean(axis=0)
    return mass / 5 * sum(p @ p * np.eye(3) - np.outer(p, p) for p in points)


def random_link(rng, i, parent, drives, kinds):
    mass = rng.uniform(0.2, 3.0)
    kind = rng.choice(kinds)
    options = {}
    if drives and kind != "fixed":
        options = {
            "armature": rng.choice([0.0, 0.05]), "rotor_inertia": 1e-5, "gear_ratio": rng.choice([1.0, -60.0]),
            "damping": rng.choice([0.0, 0.3]), "friction": rng.choice([0.0, 0.2]),
            "stiffness": rng.choice([0.0, 2.0]), "rest": rng.normal(),
        }  # fmt: skip
        if rng.random() < 0.2:
            options |= {"elastic": ls.JointElasticity(40.0, 0.1), "armature": 0.08}
    if kind == "helical":
        options["pitch"] = rng.uniform(-0.4, 0.4)
    joint = ls.Joint(kind, random_pose(rng), rng.normal(size=3), f"j{i}", **options)
    payload = ls.Payload(0.4, rng.normal(size=3) * 0.1, random_inertia(rng, 0.4)) if rng.random() < 0.2 else None
    return ls.Link(
        f"l{i}", parent, joint, mass, rng.uniform(-0.2, 0.2, 3), random_inertia(rng, mass), frame=random_pose(rng),
        payload=payload,
    )  # fmt: skip


def random_arm(seed, n, *, tree=True, drives=True, kinds=("revolute", "revolute", "prismatic", "fixed")):
    """A tree (or chain) of n links; the first joint moves, so that there is something to compute."""
    rng = np.random.default_rng(seed)
    links = []
    for i in range(n):
        back = int(rng.integers(0, min(i, 4) + 1)) if tree else 1
        parent = None if i == 0 or (tree and back == 0 and rng.random() < 0.3) else f"l{max(i - max(back, 1), 0)}"
        links.append(random_link(rng, i, parent, drives, kinds if i else ("revolute",)))
    return ls.Arm(f"random{seed}", links, gravity=rng.normal(size=3) * 6)


def random_states(arm, rows, seed=0, count=3):
    rng = np.random.default_rng(seed)
    return rng.uniform(-1.5, 1.5, (count, rows, arm.dof))


def random_loads(arm, seed, batch=()):
    rng = np.random.default_rng(seed)
    names = [arm.links[int(i)].name for i in rng.integers(0, len(arm.links), 3)]
    return [ls.Load(name, *(rng.normal(size=(*batch, 3)) for _ in range(3))) for name in names]


def random_base(seed):
    return ls.BaseMotion(*np.random.default_rng(seed).normal(size=(3, 3)))


def other_numbers(arm, rng, *, places=True, friction=True):
    """An arm alike with other numbers: masses, inertias, drives, springs, beams, gravity, loads; and places."""
    links = [_other_link(link, rng, places, friction) for link in arm.links]
    loads = [load.replace(force=load.force + rng.normal(size=3), moment=load.moment * 1.3) for load in arm.loads]
    return arm.replace(links=links, loads=loads, gravity=arm.gravity + rng.normal(size=3) * 0.3)


def _other_link(link, rng, places, friction):
    some = lambda: rng.uniform(0.8, 1.25)  # noqa: E731
    joint, changes = link.joint, {}
    if joint.moves:
        words = ("armature", "damping", "stiffness", "rest", *(("friction",) if friction else ()))
        joint = joint.replace(**{word: getattr(joint, word) * some() for word in words})
    if joint.pitch is not None:
        joint = joint.replace(pitch=joint.pitch * some())
    if joint.elastic is not None:
        joint = joint.replace(
            elastic=ls.JointElasticity(joint.elastic.stiffness * some(), joint.elastic.damping * some())
        )
    if places:
        joint = joint.replace(
            placement=joint.placement @ pose(about_axis(np.array([0.6, 0.0, 0.8]), 0.1 * rng.normal()))
        )
        changes = {"frame": link.frame @ pose(p=0.02 * rng.normal(size=3))}
    if link.beam is not None:
        beam, factor = link.beam, some()
        changes["beam"] = beam.replace(
            EI=tuple(x and x * factor for x in beam.EI), mass_per_length=beam.mass_per_length * some()
        )
    if link.payload is not None:
        changes["payload"] = link.payload.replace(mass=link.payload.mass * some())
    size = some()
    return link.replace(
        joint=joint, mass=link.mass * size, com=link.com * some(), inertia=link.inertia * size, **changes
    )


def rod(name, parent=None, kind="revolute", **fields):
    """A link of 1 kg and 0.3 m."""
    joint = ls.Joint(kind, pose(p=(0.3, 0.0, 0.0)), axis=(0, 0, 1))
    return ls.Link(name, parent, joint, mass=1.0, com=(0.15, 0, 0), inertia=0.01, **fields)


def gripper_arm():
    """An elbow cover listed last, two fingers, and a camera on the base."""
    return ls.Arm("gripper", [
        rod("upper"), rod("fore", "upper"), rod("hand", "fore", "fixed"), rod("left", "hand"), rod("right", "hand"),
        rod("camera", kind="fixed"), rod("cover", "upper", "fixed"),
    ])  # fmt: skip
