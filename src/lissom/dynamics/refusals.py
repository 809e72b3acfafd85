"""Arms that dynamics does not cover: errors with what to do instead."""

from __future__ import annotations

from lissom.errors import UnsupportedError
from lissom.model.arm import Arm
from lissom.model.flexibility import MODELS
from lissom.model.friction import Friction


def refuse_unready(arm: Arm, moving_base: bool = False) -> None:
    """Raise an error for arms whose dynamics, on a base that moves, is not supported."""
    if arm.kinematics_only:
        raise UnsupportedError(f"arm {arm.name!r} is marked kinematics_only: it has no dynamics. Give its links mass.")
    _refuse_shared_gears(arm)
    if arm.flexible and arm.flexibility.startswith("book"):
        others = [link.joint for link in arm.links if link.joint.travel]
        if others:
            raise UnsupportedError(
                f"arm {arm.name!r}: joint {others[0].name!r} is {others[0].kind}; flexibility={arm.flexibility!r} "
                "covers revolute joints only. Use 'linear', the same equations without their truncations, or "
                "'second_order'."
            )
    if moving_base and arm.flexible and MODELS[arm.flexibility].closed_form:
        raise UnsupportedError(
            f"arm {arm.name!r} has flexibility={arm.flexibility!r}, which does not cover a moving base. Use 'linear', "
            "the same field without its truncation, or 'second_order'."
        )


def refuse_stretching(arm: Arm, what: str) -> None:
    """Raise an error for linear fields in what needs rotations between frames."""
    if arm.flexible and arm.flexibility != "second_order":
        raise UnsupportedError(
            f"{what}: arm {arm.name!r} has flexibility={arm.flexibility!r}, where frames beyond a tip are not "
            "orthonormal: there is no rotation between two frames. Use arm.replace(flexibility='second_order')."
        )


def refuse_closed_form(arm: Arm, what: str) -> None:
    """Raise an error for equations of the arm as a whole in what needs the forces on each link."""
    if arm.flexible and MODELS[arm.flexibility].closed_form:
        raise UnsupportedError(
            f"{what}: arm {arm.name!r} has flexibility={arm.flexibility!r}, whose equations are those of the whole arm "
            "with the forces between links eliminated. Use arm.replace(flexibility='linear'), the same field of "
            "deflection without the truncation, or 'second_order'."
        )


def refuse_loops(arm: Arm, verb: str, instead: str) -> None:
    """Raise an error for arms with closed loops in functions that support open arms only."""
    if arm.loops:
        raise UnsupportedError(f"{verb}: arm {arm.name!r} has closed loops, which {verb} does not cover. {instead}")


def refuse_laws(arm: Arm, what: str, instead: str, gears_only: bool = False) -> None:
    """Raise an error for friction other than Coulomb and viscous, or for load-dependent friction only."""
    for joint in arm.moving_joints:
        own = joint.friction
        if isinstance(own, Friction) and (own.load if gears_only else own.numbers):
            covered = "friction that does not depend on the load" if gears_only else "Coulomb and viscous friction"
            raise UnsupportedError(
                f"{what} covers {covered} only, and joint {joint.name!r} of arm {arm.name!r} has {own.title} friction. "
                f"{instead}"
            )


def _refuse_shared_gears(arm: Arm) -> None:
    """Raise an error where the load of a gear is not that of its joint alone."""
    if arm.loops:
        refuse_laws(arm, "dynamics of closed loops", "Use the other laws of ls.Friction, or open the loops.", True)
    for mimic in arm.mimics.values():
        for joint in arm.joints:
            own = joint.friction
            if joint.name == mimic.joint and isinstance(own, Friction) and own.load:
                raise UnsupportedError(
                    f"arm {arm.name!r}: joint {joint.name!r} has load-dependent friction, and other joints follow it, "
                    "whose load it would have to carry too. Use the other laws of ls.Friction, or load the arm with "
                    "mimic='free'."
                )
