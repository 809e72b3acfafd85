"""Arms and tasks with contacts that do not fit each other, refused before a program is made of them."""

from __future__ import annotations

import numpy as np

from lissom.errors import InputError, UnsupportedError, suggest
from lissom.model.arm import Arm
from lissom.model.contact import Contact, Mirror
from lissom.motion.phased.holding import travel_directions
from lissom.motion.phased.layout import Layout, Reflection
from lissom.motion.phased.points import PointsAt
from lissom.motion.task.criteria.known import CRITERIA, criterion
from lissom.motion.task.phases import Travel
from lissom.motion.task.reach import Reach
from lissom.motion.task.task import Task
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import mass_matrix

VERB = "predict_motion"
POSTURES = 3
CLOSE = 1e-6  # relative: of a mirror image; m: of a contact at a given end
DEEP = 1e-3  # m, that a point may be beyond its plane, as for `verify`
LIMITS = ("torque_rate", "power")


def contacts_of(arm: Arm, task: Task) -> list[Contact]:
    """Return the contacts that count, of the arm."""
    known = {contact.name: contact for contact in arm.contacts}
    asked = list(known) if task.contacts is None else list(task.contacts)
    for word in asked:
        if word not in known:
            raise InputError(f"{VERB}: contacts: arm {arm.name!r} has no contact {word!r}; {suggest(word, known)}")
    for phase in task.phases:
        for word in phase.contacts:
            if word not in asked:
                raise InputError(
                    f"{VERB}: phase {phase.name!r} names contact {word!r}, which arm {arm.name!r} does not have; "
                    f"{suggest(word, asked)}"
                )
    for one in task.transfer:
        for word in one.contacts:
            if word not in asked:
                raise InputError(f"{VERB}: transfer names contact {word!r}; {suggest(word, asked)}")
    return [known[word] for word in asked]


def mirror_of(arm: Arm, task: Task) -> Mirror | None:
    """Return the mirror of a task."""
    if task.mirror is True and arm.mirror is None:
        raise InputError(f"{VERB}: mirror is True, but arm {arm.name!r} has no mirror; give Arm(mirror=Mirror(...)).")
    found: Mirror | None = arm.mirror if task.mirror is True else task.mirror
    if found is not None:
        for kind, known in (("coordinates", arm.coordinates), ("contacts", [one.name for one in arm.contacts])):
            for word in found.named(kind):
                if word not in known:
                    raise InputError(f"{VERB}: mirror: {kind} has {word!r}; {suggest(word, known)}")
        asked = [one.name for one in arm.contacts] if task.contacts is None else task.contacts
        for word in asked:
            partner = found.partner("contacts", word)
            if partner not in asked:
                raise InputError(
                    f"{VERB}: contacts has {word!r}, but not {partner!r}, its partner in the mirror; give both or none."
                )
    return found


def refuse_unsupported(arm: Arm, task: Task) -> None:
    """Refuse what motions with contacts do not have."""
    if arm.flexible or len(arm.mode_index):
        raise UnsupportedError(f"{VERB}: phases are for rigid arms; {arm.name!r} has flexible links or elastic joints.")
    if arm.loops:
        raise UnsupportedError(f"{VERB}: phases are for trees; arm {arm.name!r} has closed loops.")
    heavy = task.periodic and np.linalg.norm(arm.gravity) > 0 and not arm.actuated.all()
    if heavy and not any(phase.contacts for phase in task.phases):
        word = arm.coordinates[int(np.argmin(arm.actuated))]
        raise InputError(
            f"{VERB}: {word!r} of arm {arm.name!r} has no motor, and no phase has a contact that carries the weight. "
            "Give contacts to a phase."
        )
    unused = {"via": (), "obstacles": (), "bodies": None, "margin": 0.0, "bending": ()}
    for word, empty in unused.items():
        if getattr(task, word) != empty:
            raise UnsupportedError(f"{VERB}: {word} is not supported together with phases.")
    for end in ("start", "goal"):
        if isinstance(getattr(task, end), Reach):
            raise UnsupportedError(f"{VERB}: {end} is a Reach; with phases give positions of joints, NaN where free.")
        if getattr(task, f"{end}_acceleration") is not None:
            raise UnsupportedError(f"{VERB}: {end}_acceleration is not supported together with phases.")
    for word in LIMITS:
        limited = [joint.name for joint in arm.joints if getattr(joint.limits, word) is not None]
        if getattr(task.limits, word) is not None:
            limited = ["the task"]
        if limited:
            raise UnsupportedError(
                f"{VERB}: limits of {word} are not supported together with phases (limited: {limited[0]}); omit them."
            )
    for word in task.minimise:
        kind = criterion(word)
        if callable(word) or type(kind).parts is None or kind.name not in CRITERIA:
            raise UnsupportedError(f"{VERB}: functions as criteria are not supported together with phases.")
        if kind.name == "jerk":
            raise UnsupportedError(f"{VERB}: minimise: jerk is not supported with phases, whose splines are cubic.")


def refuse_wrong_travel(layout: Layout) -> None:
    """Refuse travels along what does not carry the whole arm, or into planes."""
    arm = layout.arm
    for one in layout.task.travel:
        if one.coordinate not in arm.coordinates:
            raise InputError(f"{VERB}: travel: {one.coordinate!r}; {suggest(one.coordinate, arm.coordinates)}")
    for one, d in zip(layout.task.travel, travel_directions(layout), strict=True):
        joint = arm.joint(one.coordinate)
        k = arm.coordinates.index(one.coordinate)
        outside = [word for word, chain in zip(layout.names, layout.kinematics.chains, strict=True) if k not in chain]
        chains = [chain for chain in layout.kinematics.chains if k in chain]
        inner = [arm.joint(arm.coordinates[j]) for chain in chains for j in chain[: list(chain).index(k)]]
        if joint.angular or outside or any(other.angular for other in inner):
            raise InputError(
                f"{VERB}: travel along {one.coordinate!r}: expected a prismatic coordinate of the base that carries "
                "all contacts, with no rotation before it."
            )
        for word, plane in zip(layout.names, layout.planes, strict=True):
            if abs(float(plane.directions[0] @ d)) > CLOSE:
                raise InputError(
                    f"{VERB}: travel along {one.coordinate!r} moves contact {word!r} off its plane; travel along it."
                )


def refuse_endless_contacts(layout: Layout, reflection: Reflection) -> None:
    """Refuse contacts that hold through a whole period of a motion that travels."""
    moves = [one.coordinate for one in layout.task.travel if one.speed or _excludes_rest(one)]
    always = set.intersection(*(set(mesh.contacts) for mesh in layout.phases))
    for i in sorted(always):
        if moves and reflection.partner[i] in always:
            raise InputError(
                f"{VERB}: contact {layout.names[i]!r} holds in all phases, so the motion cannot travel along "
                f"{moves[0]!r}. End its contact in some phase."
            )


def _excludes_rest(one: Travel) -> bool:
    """Whether a distance is given, and is not zero."""
    if isinstance(one.distance, tuple):
        return bool(one.distance[0] > 0.0 or one.distance[1] < 0.0)
    return bool(one.distance)


def refuse_odd_mirror(layout: Layout, reflection: Reflection, mirror: Mirror) -> None:
    """Refuse a mirror that does not map places of contacts, or inertias, to their images."""
    for i, contact in enumerate(layout.contacts):
        plane, other = layout.planes[i], layout.planes[reflection.partner[i]]
        image = plane.directions @ reflection.S
        same = image.shape == other.directions.shape and np.allclose(
            np.abs(image @ other.directions.T), np.eye(len(image))
        )
        if not same or abs(plane.height - other.height) > CLOSE:
            raise InputError(f"{VERB}: mirror: the plane of contact {contact.name!r} is not that of its partner.")
    q = np.random.default_rng(0).uniform(-0.6, 0.6, size=(POSTURES, layout.n))
    here, there = layout.kinematics.at(q), layout.kinematics.at(reflection(q))
    for i, contact in enumerate(layout.contacts):
        partner = reflection.partner[i]
        off = np.abs(there.place(partner) - here.place(i) @ reflection.S).max()
        if off > CLOSE:
            raise InputError(
                f"{VERB}: mirror: where the posture is reflected, contact {layout.names[partner]!r} is {off:.3g} m "
                f"from the image of {contact.name!r}. Check the pairs and signs of coordinates."
            )
    M, image = mass_matrix(layout.arm, q), mass_matrix(layout.arm, reflection(q))
    turned = reflection.sign[:, None] * M[:, reflection.order][:, :, reflection.order] * reflection.sign
    error = np.abs(turned - image).max(axis=0)
    if error.max() > CLOSE * np.abs(M).max():
        a, b = (layout.arm.coordinates[int(k)] for k in np.unravel_index(int(np.argmax(error)), error.shape))
        raise InputError(
            f"{VERB}: mirror: the mass matrix of a reflected posture differs at {a!r}, {b!r}, so the arm is not "
            "symmetric. Give phases of the whole period with periodic=True instead of the mirror."
        )


def refuse_wrong_ends(layout: Layout, start: Array, goal: Array) -> None:
    """Refuse given ends at which contacts that should hold are not at their planes, or have moved, or others are
    beyond their planes."""
    places = list[PointsAt | None]()
    for word, phase, q in (("start", 0, start), ("goal", -1, goal)):
        if np.isnan(q).any():
            places.append(None)
            continue
        at = layout.kinematics.at(q[None])
        places.append(at)
        for i, plane in enumerate(layout.planes):
            gap = float(plane.directions[0] @ at.place(i)[0]) - plane.height
            holds = i in layout.phases[phase].contacts
            if not holds and gap < -DEEP:
                raise InputError(
                    f"{VERB}: contact {layout.names[i]!r} is {-gap:.3g} m beyond its plane at the {word}; expected it "
                    "on the side to which the normal points."
                )
            if holds and abs(gap) > CLOSE:
                raise InputError(
                    f"{VERB}: contact {layout.names[i]!r} holds in phase {layout.phases[phase].name!r}, but at the "
                    f"{word} it is {gap:.3g} m from its plane."
                )
    first, last = places
    if first is None or last is None:
        return
    always = set.intersection(*(set(mesh.contacts) for mesh in layout.phases))
    for i in sorted(always):
        moved = layout.planes[i].directions[1:] @ (last.place(i)[0] - first.place(i)[0])
        if np.abs(moved).max(initial=0.0) > CLOSE:
            raise InputError(
                f"{VERB}: contact {layout.names[i]!r} holds in all phases, but start and goal move it by "
                f"{np.abs(moved).max():.3g} m along its plane."
            )
