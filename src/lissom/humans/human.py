"""A person as an arm: a tree of links whose pelvis moves freely."""

from __future__ import annotations

from typing import Any, Never

from lissom.errors import InputError, ModelError, shown
from lissom.humans.body.build import Build
from lissom.humans.body.drawing import POINT
from lissom.humans.body.mirror import mirror
from lissom.humans.body.skeleton import Skeleton
from lissom.humans.body.soles import contacts
from lissom.humans.body.tables import SEXES, table
from lissom.keywords import check_keywords, without_unknown
from lissom.model.arm import Arm
from lissom.model.fields import number

MODELS = {
    13: "in the sagittal plane, legs with toes, straight arms",
    16: "in the sagittal plane, also a lumbar joint and elbows, for lifting",
    31: "in space, one lumbar joint, legs with toes, arms with elbows",
    55: "in space, four joints of the spine, neck, head, clavicles, wrists",
}
HEIGHTS = (1.0, 2.5)  # m; beyond them the proportions of young adults say nothing
MASS_INDEX = (10.0, 60.0)  # kg/m^2


@without_unknown
def human(height: float = 1.74, mass: float = 73.0, sex: str = "male", joints: int = 55, **unknown: Never) -> Arm:
    """Return a digital human of a given height, mass and sex, as an arm for every function that takes one.

    Segments have the masses, centres of mass and inertias of de Leva's tables (1996), scaled with height and mass. x is
    forward, y to the left, z up; the pelvis moves freely by joints without motors, so that a motion needs forces of the
    ground. Joints are positive in the direction of their names, and mirrored on the left side. Positions are
    limited by ranges of motion, torques by strengths; `arm.notes` names the sources and what is merely plausible.

    Parameters
    ----------
    height : float          body height [m]
    mass : float            body mass [kg]
    sex : "male" or "female"
    joints : 13, 16, 31 or 55
        Number of coordinates. 13 and 16 move in the sagittal plane (16 with a lumbar joint and elbows, for lifting); 31
        and 55 in space, 55 as the digital human of Xiang, Arora and Abdel-Malek with a spine of four joints.

    Returns
    -------
    Arm
        Pose "ready" stands upright with the soles on the ground; `arm.contacts` are points of the soles (heel, ball
        and tip of both feet), `arm.mirror` is the mirror image, tools "grip_r" and "grip_l" are in the palms.

    Examples
    --------
    >>> person = human(height=1.80, mass=80.0, joints=31)
    >>> person.dof, round(sum(link.mass for link in person.links), 9)
    (31, 80.0)
    """
    check_keywords(human, unknown)
    build = _checked(height, mass, sex)
    if isinstance(joints, bool) or joints not in MODELS:
        known = "; ".join(f"{count}: {words}" for count, words in MODELS.items())
        raise InputError(f"human: joints is {shown(joints)}; expected one of these models. {known}.")
    links = Skeleton(build, int(joints)).links
    soles = contacts(build, joints < 31)
    return Arm(
        f"human{joints}", tuple(links), source=SOURCE, notes=NOTES, shapes=(POINT,),
        named_poses={"ready": {"pelvis_z": build.hip_height}}, contacts=soles, mirror=mirror(links, soles),
    )  # fmt: skip


def _checked(height: Any, mass: Any, sex: Any) -> Build:
    """Height, mass and sex, or an error."""
    try:
        height, mass = number(height, "height"), number(mass, "mass")
    except ModelError as error:
        raise InputError(f"human: {error.problem}") from None
    if sex not in SEXES:
        raise InputError(f"human: sex is {shown(sex)}; expected 'male' or 'female', the two tables of segments.")
    low, high = HEIGHTS
    if not low <= height <= high:
        raise InputError(f"human: height is {height:g} m; expected metres from {low:g} to {high:g}, a grown person.")
    index, (thin, heavy) = mass / height**2, MASS_INDEX
    if not thin <= index <= heavy:
        raise InputError(
            f"human: mass is {mass:g} kg at {height:g} m; expected {thin * height**2:.0f} to {heavy * height**2:.0f} "
            "kg (10 to 60 kg/m^2): the proportions of the segments do not hold beyond."
        )
    return Build(height, mass, str(sex))


SOURCE = (
    f"{table('segments')['source']}; ankle height: Drillis and Contini 1966, in Winter, Biomechanics and Motor Control "
    "of Human Movement; strengths of hip, knee and ankle: Anderson, Madigan, Nussbaum 2007; ranges of motion: AAOS 1965"
)
NOTES = (
    "plausible, not measured: stiffness and damping of the joints, strengths other than of hip, knee and ankle in "
    "flexion and extension, widths of hips, shoulders and soles, shares of the toes, joints of the spine.",
    "the trunk is shortened so that the vertex is at the body height; segments are not fitted to a single person.",
    "strengths are largest isometric torques; they do not depend on position or velocity here.",
    "shapes are for pictures only; no number depends on them.",
)
