"""`torch_function`: an arm's functions for automatic differentiation with PyTorch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Never

from numpy.typing import ArrayLike

from lissom.errors import install_extra
from lissom.export.smooth.offered import NO_LOADS, refuse_without
from lissom.keywords import check_keywords, without_unknown
from lissom.model.arm import Arm
from lissom.verbs.kinematics import ORIGIN

if TYPE_CHECKING:
    from lissom.export.torch.tensors import TorchFunction

NAME = "torch_function"


@without_unknown
def torch_function(
    arm: Arm, verb: str, *, frame: str | None = None, point: ArrayLike = ORIGIN, **unknown: Never
) -> TorchFunction:
    """Return a function of an arm on PyTorch tensors, with exact first and second derivatives.

    Values, gradients and second derivatives are computed by lissom's compiled code, all states of a batch in one call.
    `backward`, `torch.autograd.grad` with ``create_graph=True``, `torch.func.grad`, `vjp`, `jvp`, `jacrev`, `jacfwd`,
    `hessian` and `vmap` work. Third derivatives do not exist and are refused.

    Parameters
    ----------
    arm : Arm                     flexible links included; friction, payload and its own loads are part of the function
    verb : str                    "inverse_dynamics", "forward_dynamics", "mass_matrix", "bias_forces",
                                  "gravity_forces", "coriolis_matrix", "joint_reactions", "regressor", "kinetic_energy",
                                  "potential_energy", "momentum", "centre_of_mass", "poses", "pose", "jacobian",
                                  "velocity", "acceleration"
    frame : str or None           link or tool of "pose", "jacobian", "velocity", "acceleration"; None: the last one
    point : (3,)                  point in the axes of the frame [m]

    Returns
    -------
    callable
        ``f(*state)`` takes tensors (..., dof), in the order of lissom's function, whose leading axes are broadcast, and
        returns a tensor. Tensors of float64 and float32 are accepted, and the result has their type; float32 is
        computed in double precision and rounded. Tensors on other devices are copied to the CPU and back

    Examples
    --------
    >>> import lissom as ls, torch  # doctest: +SKIP
    >>> f = ls.torch_function(ls.load("two_link"), "inverse_dynamics")  # doctest: +SKIP
    >>> q = torch.tensor([0.3, 0.5], dtype=torch.float64, requires_grad=True)  # doctest: +SKIP
    >>> f(q, 0 * q, 0 * q).sum().backward()  # doctest: +SKIP
    >>> q.grad  # doctest: +SKIP
    tensor([-2.2763, -1.4069], dtype=torch.float64)
    """
    check_keywords(torch_function, unknown, {"loads": NO_LOADS, "base": NO_LOADS})
    refuse_without("torch", NAME, install_extra("torch"))
    from lissom.export.torch.tensors import TorchFunction

    return TorchFunction.of(arm, verb, frame, point)
