"""Units of an arm's coordinates, and of what goes with them."""

from __future__ import annotations

from lissom.model.arm import Arm

# by the unit of the position; a torque is energy per position
UNITS = {
    "rad": {"q": "rad", "qd": "rad/s", "qdd": "rad/s^2", "tau": "N m"},
    "m": {"q": "m", "qd": "m/s", "qdd": "m/s^2", "tau": "N"},
    "1": {"q": "1", "qd": "1/s", "qdd": "1/s^2", "tau": "J"},
}


def units(arm: Arm, word: str = "q") -> list[str]:
    """The unit of q, qd, qdd or tau of every coordinate; amplitudes of modes are plain numbers.

    Examples
    --------
    >>> import lissom as ls
    >>> units(ls.load("stanford"), "tau")[1:4]
    ['N m', 'N', 'N m']
    """
    known = dict.fromkeys(arm.coordinates, "1")
    for link in arm.links:
        if link.joint.moves:
            unit = "m" if link.joint.kind == "prismatic" else "rad"
            known |= {link.joint.name: unit, f"{link.joint.name}.deflection": unit}
    return [UNITS[known[name]][word] for name in arm.coordinates]
