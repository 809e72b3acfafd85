"""The formulations by name, what each covers, and how each becomes a program for the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from lissom.dynamics import forward
from lissom.dynamics.acting import Acting
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.drives import arm_forces, motor_forces
from lissom.dynamics.from_arm import tree_of
from lissom.dynamics.planar.chain import Planar
from lissom.dynamics.planar.equations import generalized_forces
from lissom.dynamics.refusals import refuse_laws
from lissom.errors import InputError, UnsupportedError, suggest
from lissom.formulations import (
    de_luca_siciliano,
    hollerbach_3x3,
    hollerbach_4x4,
    horn_raibert,
    nasser,
    newton_euler_base,
    newton_euler_link,
    uicker_kahn,
    walker_orin,
    waters,
    xiang,
    xiang_sensitivity,
    xiang_tape,
)
from lissom.formulations.linkage import Linkage, State
from lissom.formulations.matrices import value
from lissom.model.arm import Arm
from lissom.model.flexibility import FLEXIBILITIES
from lissom.spatial.scalar import sign

HOLLERBACH = "Hollerbach 1980, IEEE Trans. Systems, Man, and Cybernetics 10(11)"
WALKER_ORIN = "Walker and Orin 1982, J. Dynamic Systems, Measurement, and Control 104"
DE_LUCA_SICILIANO = "De Luca and Siciliano 1991, IEEE Trans. Systems, Man, and Cybernetics 21(4)"
XIANG = "Xiang, Arora and Abdel-Malek 2008, Structural and Multidisciplinary Optimization 37"


class Formulation(NamedTuple):
    """A published formulation.

    name : what `method=` takes
    direction : "inverse", "forward" or "both"
    paper : where it is from
    cost : order of growth with the number of joints
    topology : "serial" or "tree"
    joints : kinds of joints it covers
    moving_base : whether `base=` is covered
    verbs : the public functions that take it
    function : on a `State` (and torques, when forward); on a planar `Model` where links may bend
    limit : coordinates up to which it is compiled as one piece; beyond, a tape is, and without tapes the same code runs
        on NumPy arrays
    links : "rigid", or "rigid, flexible"
    gradient : on a `State`, derivatives of the torques by q, qd and qdd; None when it gives none
    gradient_limit : as `limit`, for the gradient
    """

    name: str
    direction: str
    paper: str
    cost: str
    topology: str
    joints: str
    moving_base: bool
    verbs: tuple[str, ...]
    function: Callable[..., list[Any]]
    limit: int
    links: str = "rigid"
    gradient: Callable[[State], xiang_sensitivity.Gradient] | None = None
    gradient_limit: int = 0

    def limit_of(self, verb: str) -> int:
        """Coordinates up to which a public function is compiled."""
        return self.gradient_limit if verb == "inverse_dynamics_gradient" else self.limit

    @property
    def planar(self) -> bool:
        """Whether it is a closed form of planar arms, possibly flexible; the others take a rigid arm as a linkage."""
        return self.links != "rigid"


BOTH_JOINTS = "revolute, prismatic"
INVERSE, FORWARD = ("inverse_dynamics",), ("forward_dynamics", "mass_matrix")
ALL = {
    f.name: f
    for f in (
        Formulation("uicker_kahn", "inverse", f"Uicker 1965, Kahn 1969; {HOLLERBACH}, (1)-(5)", "n^4", "serial",
                    BOTH_JOINTS, False, INVERSE, uicker_kahn.generalized_forces, 6),
        Formulation("waters", "inverse", f"Waters 1979; {HOLLERBACH}, (6)-(10)", "n^2", "serial", BOTH_JOINTS, True,
                    INVERSE, waters.generalized_forces, 7),
        Formulation("hollerbach_4x4", "inverse", f"{HOLLERBACH}, (8)-(14)", "n", "serial", BOTH_JOINTS, True, INVERSE,
                    hollerbach_4x4.generalized_forces, 9),
        Formulation("hollerbach_3x3", "inverse", f"{HOLLERBACH}, (15)-(18), appendix B", "n", "serial", BOTH_JOINTS,
                    True, INVERSE, hollerbach_3x3.generalized_forces, 10),
        Formulation("newton_euler_base", "inverse", f"Luh, Walker and Paul 1979; {HOLLERBACH}", "n", "tree",
                    BOTH_JOINTS, True, INVERSE, newton_euler_base.generalized_forces, 12),
        Formulation("newton_euler_link", "inverse", f"Luh, Walker and Paul 1979; {HOLLERBACH}", "n", "tree",
                    BOTH_JOINTS, True, INVERSE, newton_euler_link.generalized_forces, 12),
        Formulation("horn_raibert", "inverse", f"Horn and Raibert 1978; {HOLLERBACH}", "n^3 from tables", "serial",
                    BOTH_JOINTS, False, (*INVERSE, "mass_matrix"), horn_raibert.generalized_forces, 7),
        Formulation("xiang", "inverse", f"{XIANG}, (12)-(37)", "n", "tree", BOTH_JOINTS, True,
                    (*INVERSE, "inverse_dynamics_gradient"), xiang.generalized_forces, 9,
                    gradient=xiang_sensitivity.gradient, gradient_limit=6),
        Formulation("nasser", "forward", "Nasser, Recursive Newton-Euler Formulation of Manipulator Dynamics", "n",
                    "tree", BOTH_JOINTS, True, ("forward_dynamics",), nasser.accelerations, 9),
        Formulation("walker_orin_1", "forward", f"{WALKER_ORIN}, method 1", "n^3", "tree", BOTH_JOINTS, True, FORWARD,
                    walker_orin.accelerations_1, 6),
        Formulation("walker_orin_2", "forward", f"{WALKER_ORIN}, method 2", "n^3", "tree", BOTH_JOINTS, True, FORWARD,
                    walker_orin.accelerations_2, 7),
        Formulation("walker_orin_3", "forward", f"{WALKER_ORIN}, method 3", "n^3", "tree", BOTH_JOINTS, True, FORWARD,
                    walker_orin.accelerations_3, 9),
        Formulation("de_luca_siciliano", "both", DE_LUCA_SICILIANO, "n^5", "serial", "revolute, axes parallel", False,
                    (*INVERSE, *FORWARD), generalized_forces, 12, "rigid, flexible"),
    )
}  # fmt: skip
TAPES: dict[tuple[str, str], Callable[[Any, Bodies, Acting], None]] = {  # programs link by link, for trees of any size
    ("xiang", "inverse_dynamics"): xiang_tape.torque_program,
    ("xiang", "inverse_dynamics_gradient"): xiang_tape.gradient_program,
}
ALIASES = {"walker_orin": "walker_orin_3"}


def named(method: Any) -> Formulation | None:
    """A formulation by its name or an alias, or None."""
    return ALL.get(ALIASES.get(method, method)) if isinstance(method, str) else None


def find(method: Any, verb: str) -> Formulation:
    """The formulation of a public function; raises InputError for an unknown method."""
    names = [
        *(f.name for f in ALL.values() if verb in f.verbs),
        *(a for a, f in ALIASES.items() if verb in ALL[f].verbs),
    ]
    found = named(method)
    if found is None or verb not in found.verbs:
        if found:
            able = f"{found.name} computes {' and '.join(found.verbs)}. For {verb} use one of: {', '.join(names)}."
            if found.name in FLEXIBILITIES:
                able += f" All functions of arm.replace(flexibility={found.name!r}) compute with this model."
        elif method in FLEXIBILITIES:
            able = f"it is a flexibility model: use arm.replace(flexibility={method!r})."
        else:
            able = suggest(str(method), names)
        raise InputError(f"{verb}: method is {method!r}; expected None (the fast path) or a formulation; {able}")
    return found


def refuse_uncovered(
    f: Formulation, arm: Arm, bodies: Bodies, acting: Acting, verb: str, asking: str | None = None
) -> None:
    """Raise an error if a formulation does not cover an arm; it names the ones that do."""
    for name, mimic in arm.mimics.items():
        raise UnsupportedError(
            f"{asking or verb}: method {f.name!r} does not cover mimic joints, and {name!r} of arm "
            f"{arm.name!r} follows {mimic.joint!r}. "
            + ("Leave out method to use the fast path, or load" if asking is None else "Load")
            + " the arm with mimic='free'."
        )
    _refuse_friction(f, arm, verb, asking)
    if f.planar:
        _refuse_spatial(f, arm, bodies, acting, asking or verb)
        return
    _refuse_kinds(f, arm, asking or verb, asking is None)
    if bodies.flexible:
        raise UnsupportedError(
            f"{asking or verb}: method {f.name!r} covers rigid links only, and arm {arm.name!r} has flexible ones"
            + ("; leave out method to use the fast path." if asking is None else ".")
        )
    serial = Linkage(bodies).serial
    others = [g for g in ALL.values() if verb in g.verbs and not g.planar]
    if f.topology == "serial" and not serial:
        problem = f"covers serial arms only, and arm {arm.name!r} branches"
        able = [g.name for g in others if g.topology == "tree"]
    elif acting.base and not f.moving_base:
        problem = "does not cover a moving base"
        able = [g.name for g in others if g.moving_base and (serial or g.topology == "tree")]
    else:
        return
    listed = ", ".join(able) + (", or None, the fast path" if asking is None else "")
    raise UnsupportedError(f"{asking or verb}: method {f.name!r} {problem}. Supported by: {listed}.")


def _refuse_friction(f: Formulation, arm: Arm, verb: str, asking: str | None) -> None:
    """Raise an error for laws of friction that a formulation does not cover; torques alone are simple with all."""
    gears_only = verb == "forward_dynamics"
    if gears_only or verb == "inverse_dynamics_gradient":
        instead = "Leave out method to use the fast path, which covers it." if asking is None else "Leave it out."
        refuse_laws(arm, f"{asking or verb}: method {f.name!r}", instead, gears_only)


def _refuse_kinds(f: Formulation, arm: Arm, verb: str, optional: bool) -> None:
    """Raise an error for joints of a kind that a formulation does not cover."""
    covered = f.joints.split(", ")
    for joint in arm.moving_joints:
        if joint.kind not in covered:
            raise UnsupportedError(
                f"{verb}: method {f.name!r} covers {' and '.join(covered)} joints only, and joint {joint.name!r} of "
                f"arm {arm.name!r} is {joint.kind}"
                + (". Leave out method to use the fast path, which covers it." if optional else ".")
            )


def _refuse_spatial(f: Formulation, arm: Arm, bodies: Bodies, acting: Acting, asking: str) -> None:
    """Raise an error if a planar closed form does not cover an arm."""
    fast = "Leave out method" if asking in f.verbs else f"Use {', '.join(f.verbs)} without method"
    fast += ": the fast path covers it"
    if bodies.flexible:
        moving = [link.joint for link in arm.links if link.joint.travel]  # which Book's recursion does not cover
        screws = any(joint.rotation for joint in moving)
        fast += ", with flexibility='second_order'"
        fast += "" if screws else " (or 'linear')" if moving else " (or 'linear' or 'book')"
    if acting.base:
        raise UnsupportedError(f"{asking}: method {f.name!r} does not cover a moving base. {fast}.")
    try:
        Planar(bodies)
    except UnsupportedError as problem:
        raise UnsupportedError(
            f"{asking}: the closed form {f.name!r} covers planar serial arms with "
            f"revolute joints only; of arm {arm.name!r}, {problem}. {fast}."
        ) from None


# ---- programs ------------------------------------------------------------------------------------


def program(f: Formulation, verb: str) -> Callable[[Any, Bodies, Acting], None]:
    """The program of a formulation for a public function: ``program(run, bodies, acting)``."""
    if f.planar:
        return de_luca_siciliano.PROGRAMS[verb]
    if verb == "mass_matrix":
        return lambda run, bodies, _setting: mass_program(f, run, bodies)
    if verb == "inverse_dynamics_gradient":
        return lambda run, bodies, acting: gradient_program(f, run, bodies, acting)
    made = inverse_program if f.direction == "inverse" else forward_program
    return lambda run, bodies, acting: made(f, run, bodies, acting)


def inverse_program(f: Formulation, run: Any, bodies: Bodies, acting: Acting) -> None:
    """Inputs q, qd, qdd, then the base's motion and the loads; output tau."""
    n = len(bodies)
    q, qd, qdd = (run.input(n) for _ in range(3))
    tau = f.function(_state(run, bodies, acting, q, qd, qdd))
    run.output(*motor_forces(run, tree_of(bodies), [[value(x)] for x in tau], q, qd, qdd))


def gradient_program(f: Formulation, run: Any, bodies: Bodies, acting: Acting) -> None:
    """Inputs as of `inverse_program`; outputs dtau/dq, dtau/dqd, dtau/dqdd, row by row.

    A joint's spring, damping and drive inertia stand on the diagonals; friction, a step, has no slope.
    """
    assert f.gradient is not None
    n = len(bodies)
    q, qd, qdd = (run.input(n) for _ in range(3))
    slopes = f.gradient(_state(run, bodies, acting, q, qd, qdd))
    for i, body in enumerate(bodies.list):
        for matrix, own in zip(slopes, (body.stiffness, body.damping, body.armature), strict=True):
            matrix[i][i] = matrix[i][i] + own
    for matrix in slopes:
        run.output([entry for row in matrix for entry in row])


def forward_program(f: Formulation, run: Any, bodies: Bodies, acting: Acting) -> None:
    """Inputs q, qd, tau, then the base's motion and the loads; output qdd."""
    n = len(bodies)
    q, qd, tau = (run.input(n) for _ in range(3))
    efforts = [x for [x] in arm_forces(run, tree_of(bodies), tau, q, qd).values()]
    state = _state(run, bodies, acting, q, qd, [0.0] * n)
    run.output(returned(state, f.function(state, efforts), efforts))


def returned(state: State, qdd: list[Any], tau: list[Any]) -> list[Any]:
    """Accelerations, not finite where inverse dynamics does not give the torques back: the inertia is singular there.

    The papers do not look; a pivot of rounding would give any number.
    """
    bias = newton_euler_link.generalized_forces(state)
    again = newton_euler_link.generalized_forces(state._replace(qdd=qdd))
    size: Any = 0.0
    for t, b in zip(tau, bias, strict=True):
        size = size + t * sign(t) + value(b) * sign(value(b))
    out = []
    for t, g, a, member in zip(tau, again, qdd, state.members, strict=True):
        off = value(g) + member.armature * a - t
        out.append(a / (0.5 + 0.5 * sign(forward.RETURNED * size - off * sign(off))))
    wrong: Any = 0.0
    for a in out:
        wrong = wrong + a * 0.0  # NaN when any joint failed
    return [a + wrong for a in out]


def mass_program(f: Formulation, run: Any, bodies: Bodies) -> None:
    """Input q; output M, row by row."""
    n = len(bodies)
    linkage = Linkage(bodies)
    nothing = [0.0] * n
    state = State(linkage.members, linkage.frames(run.input(n)), nothing, nothing, [0.0, 0.0, 0.0])
    M = inertia_matrix(f, state)
    for i, member in enumerate(linkage.members):
        M[i][i] = M[i][i] + member.armature
    run.output([entry for row in M for entry in row])


def inertia_matrix(f: Formulation, state: State) -> list[list[Any]]:
    """The inertia matrix H of a formulation that computes one, without the drives."""
    makers: dict[str, Callable[[], list[list[Any]]]] = {
        "horn_raibert": lambda: horn_raibert.coefficients(state)[0].J,
        "walker_orin_1": lambda: walker_orin.inertia_by_columns(state),
        "walker_orin_2": lambda: walker_orin.inertia_by_lower_columns(state),
        "walker_orin_3": lambda: walker_orin.inertia_by_composites(state),
    }
    return makers[f.name]()


def _state(run: Any, bodies: Bodies, acting: Acting, q: Any, qd: Any, qdd: Any) -> State:
    """The state in frame 0, with gravity, loads and base motion in its axes."""
    linkage = Linkage(bodies)
    base = linkage.base_state(run.input(9)) if acting.base else None
    pushes = [linkage.push(frame, nine) for frame, nine in acting.read_loads(run, bodies)]
    gravity = [float(g) for g in linkage.in_frame_0(bodies.arm.gravity)]
    on_links = [push for push in pushes if push is not None]
    return State(linkage.members, linkage.frames(q), qd, qdd, gravity, on_links, base)
