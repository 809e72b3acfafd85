"""lissom: dynamics of manipulator arms, rigid and flexible.

Describe an arm, get its kinematics, dynamics, sensitivities, modes, simulated and optimal motions.
Functions take an `Arm` first, then the state, one or a batch.
"""

import lissom.formulations  # noqa: F401  the room, before the function of that name takes its place here
from lissom.later import listed, loader
from lissom.verbs.formulations import formulations as formulations

__version__ = "0.2.0"

_HOMES = listed(__file__)
__all__ = sorted(_HOMES)
__getattr__, __dir__ = loader(__name__, _HOMES)
