"""Units of an arm's coordinates, rates, torques and limits."""

from __future__ import annotations

from lissom.model.arm import Arm

# by the unit of the position; a torque is energy per position
UNITS = {
    "rad": {"q": "rad", "qd": "rad/s", "qdd": "rad/s^2", "tau": "N m"},
    "m": {"q": "m", "qd": "m/s", "qdd": "m/s^2", "tau": "N"},
    "1": {"q": "1", "qd": "1/s", "qdd": "1/s^2", "tau": "J"},
}


# words of limits as derivatives of positions, or as what goes with torques
RATES = {"position": "", "velocity": "/s", "acceleration": "/s^2", "jerk": "/s^3"}


def unit_of(arm: Arm, quantity: str, coordinate: str) -> str:
    """The unit of a limited quantity of a coordinate; empty for other words.

    Examples
    --------
    >>> import lissom as ls
    >>> unit_of(ls.load("two_link"), "jerk", "fore"), unit_of(ls.load("two_link"), "torque_rate", "fore")
    ('rad/s^3', 'N m/s')
    """
    if coordinate not in arm.coordinates:
        return ""
    known = limit_units(arm)
    known["equation of motion"] = known["torque"]
    return known[quantity][arm.coordinates.index(coordinate)] if quantity in known else ""


def limit_units(arm: Arm) -> dict[str, list[str]]:
    """The units of every quantity that can be limited, of all coordinates."""
    tau = units(arm, "tau")
    known = {word: [f"{unit}{per}" for unit in units(arm)] for word, per in RATES.items()}
    return known | {"torque": tau, "torque_rate": [f"{unit}/s" for unit in tau], "power": ["W"] * arm.dof}


def units(arm: Arm, word: str = "q") -> list[str]:
    """The unit of q, qd, qdd or tau of every coordinate.

    Shapes of beams have no unit, so amplitudes of bending and stretch are metres, those of torsion radians;
    amplitudes of modes that come as `ModalIntegrals` are plain numbers.

    Examples
    --------
    >>> import lissom as ls
    >>> units(ls.load("stanford"), "tau")[1:4]
    ['N m', 'N', 'N m']
    >>> units(ls.load("two_link_flexible"), "tau")[:2]
    ['N m', 'N']
    """
    known = dict.fromkeys(arm.coordinates, "1")
    for link in arm.links:
        if link.beam is not None:
            for label in link.mode_labels:
                known[f"{link.name}.{label}"] = "rad" if label.startswith("torsion") else "m"
        if link.joint.moves:
            unit = link.joint.unit
            known |= {link.joint.name: unit, f"{link.joint.name}.deflection": unit}
    return [UNITS[known[name]][word] for name in arm.coordinates]


def amplitudes(arm: Arm) -> list[int]:
    """Indices of the modal amplitudes of flexible links, without deflections of elastic joints."""
    names = [f"{link.name}.{label}" for link in arm.links for label in link.mode_labels]
    return [arm.coordinates.index(name) for name in names]
