"""The arm of a command: the argument ARM and the options that say how it is read and changed.

They are in this file for all verbs that take an arm: a new one is a field of `ArmOptions`, and every verb has it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from lissom.cli.common import err, numbers, print_warning
from lissom.errors import InputError, listed
from lissom.formats.shipped import shipped

if TYPE_CHECKING:
    from lissom.model.arm import Arm
    from lissom.model.loads import Payload
    from lissom.spatial.rotations import Array

PANEL = "Options for the arm"
SAME = 1e-9  # rad or m


def complete_arm(incomplete: str) -> list[str]:
    """Shell completion: shipped arms (files are completed by the shell)."""
    return [name for name in shipped() if name.startswith(incomplete)]


def _option(*names: str, **more: Any) -> Any:
    return typer.Option(*names, rich_help_panel=PANEL, **more)


GIVEN = "Joint positions in rad or m (with --deg in degrees), e.g. --q 0,0.5,-1."
Positions = Annotated[str | None, typer.Option(metavar="NUMBERS", help=f"{GIVEN} Default: zero, within the limits.")]
PicturedPositions = Annotated[
    str | None,
    typer.Option(metavar="NUMBERS", help=f"{GIVEN} Default: the arm's pose 'ready', or zero within the limits."),
]


ArmOrRecord = Annotated[
    str,
    typer.Argument(
        metavar="ARM",
        help="A file (.urdf, .toml, .xml), or the name of a shipped arm; or only a saved motion or run (.nc), which "
        "contains its arm.",
        autocompletion=complete_arm,
    ),
]


@dataclass(frozen=True)
class ArmOptions:
    """The arm that a command line describes; `load` reads it."""

    arm: Annotated[
        str,
        typer.Argument(
            metavar="ARM",
            help="A file (.urdf, .toml, .xml), or the name of a shipped arm.",
            autocompletion=complete_arm,
        ),
    ]
    flexible: Annotated[
        Path | None, _option(metavar="SIDE.toml", help="A side file that makes links of the arm flexible.")
    ] = None
    payload: Annotated[
        str | None,
        _option(
            metavar="MASS[,X,Y,Z]",
            help="Payload: mass in kg, and its centre of mass in the link's frame in m (default 0,0,0).",
        ),
    ] = None
    payload_link: Annotated[
        str | None, _option(metavar="LINK", help="The link that carries the payload. Default: the end of the arm.")
    ] = None
    lock: Annotated[
        list[str] | None,
        _option(metavar="JOINT=POSITION", help="Fix a joint at a position in rad or m; can be repeated."),
    ] = None
    deg: Annotated[bool, _option("--deg", help="Angles of --lock and --q are in degrees.")] = False
    mimic: Annotated[
        str, _option(metavar="follow|free", help="Joints that mimic another one follow it, or move freely.")
    ] = "follow"
    merge_fixed: Annotated[bool, _option("--merge-fixed", help="Make links on fixed joints part of their parents.")] = (
        False
    )
    repair: Annotated[
        bool, _option("--repair", help="Replace unphysical inertias of a URDF by close physical ones.")
    ] = False
    as_written: Annotated[
        bool, _option("--as-written", help="Use unphysical inertias as they are, like other tools.")
    ] = False
    kinematics_only: Annotated[bool, _option("--kinematics-only", help="Accept links without mass.")] = False

    def load(self) -> Arm:
        """`lissom.load` with these options; joints are locked before the payload is added."""
        from lissom.formats.files import AS_WRITTEN
        from lissom.formats.load import load

        if self.repair and self.as_written:
            raise InputError("--repair and --as-written exclude each other; give one.")
        carried = self.carried()
        arm = load(
            self.arm,
            kinematics_only=self.kinematics_only,
            repair=AS_WRITTEN if self.as_written else self.repair,
            flexible=self.flexible,
            mimic=self.mimic,
        )
        if self.lock:
            arm = arm.lock(self._locked(arm))
        arm = arm.merge_fixed() if self.merge_fixed else arm
        return arm if carried is None else arm.with_payload(carried, self.carrier(arm))

    def carried(self) -> Payload | None:
        """The payload that --payload describes."""
        if self.payload is None:
            if self.payload_link is not None:
                raise InputError("--payload-link needs --payload MASS.")
            return None
        from lissom.model.loads import Payload

        values = numbers(self.payload, "--payload")
        if len(values) not in (1, 4):
            raise InputError(
                f"--payload is {self.payload!r}; expected a mass, or a mass and three coordinates: 2.5,0,0,0.1."
            )
        return Payload(values[0], tuple(values[1:]) or (0.0, 0.0, 0.0))

    def carrier(self, arm: Arm) -> str:
        """The link or frame that carries the payload; an arm with several ends needs --payload-link."""
        from lissom.model.ends import only_end, tip_frame

        why = "name the link that carries the payload with --payload-link"
        return self.payload_link or tip_frame(arm, only_end(arm, why))

    def _locked(self, arm: Arm) -> dict[str, float]:
        """Positions of the joints that --lock names; degrees are of joints whose position is an angle."""
        import math

        turning = {joint.name for joint in arm.joints if joint.angular}
        found: dict[str, float] = {}
        for text in self.lock or ():
            name, _, value = text.rpartition("=")
            values = numbers(value, "--lock") if name else []
            if len(values) != 1:
                raise InputError(f"--lock is {text!r}; expected a joint and its position: --lock finger=0.02.")
            if name in found:
                raise InputError(f"--lock names joint {name!r} twice; give one position.")
            found[name] = math.radians(values[0]) if self.deg and name in turning else values[0]
        return found

    def given(self, *apart: str) -> list[str]:
        """Names of the options that differ from their defaults, apart from some fields."""
        return [
            f"--{field.name.replace('_', '-')}"
            for field in fields(self)
            if field.name not in ("arm", *apart) and getattr(self, field.name) not in (field.default, [])
        ]


def takes_arm(*, needs_mass: bool = False, arm: Any = None) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Let a command, whose first parameter is `arm: ArmOptions`, have the argument ARM and all these options.

    needs_mass : it has no use for an arm without masses; arm : another annotation of the argument
    """
    left_out = {"kinematics_only"} if needs_mass else set()

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        hints = get_type_hints(ArmOptions, include_extras=True) | ({} if arm is None else {"arm": arm})
        own = inspect.signature(command, eval_str=True).parameters
        shared = [
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=parameter.default,
                              annotation=hints[name])
            for name, parameter in inspect.signature(ArmOptions).parameters.items()
            if name not in left_out
        ]  # fmt: skip
        words = [parameter.name for parameter in shared]

        @functools.wraps(command)
        def run(**values: Any) -> None:
            command(arm=ArmOptions(**{word: values.pop(word) for word in words}), **values)

        together = [shared[0], *(parameter for name, parameter in own.items() if name != "arm"), *shared[1:]]
        run.__signature__ = inspect.Signature(together)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in together}
        return run

    return decorated


def positions(arm: Arm, q: str | None, deg: bool, default: Array | None = None, option: str = "--q") -> Array:
    """The state that --q and --deg describe, loops closed; degrees are of joints whose position is an angle.

    default : without --q; otherwise `arm.home`
    option : the name of --q in messages
    """
    if q is None:
        return _closed(arm, arm.home if default is None else default)
    state = _requested(arm, q, deg, option)
    _check_length(arm, len(state), option)
    if state.shape[-1:] in ((len(arm.joints),), (arm.dof,)):
        from lissom.model.positions import outside_limits

        beyond = outside_limits(arm, arm.expanded(state))
        if beyond:
            print_warning(f"{option}: {beyond}")
    return _closed(arm, state)


def _check_length(arm: Arm, given: int, option: str) -> None:
    """Raise an error for fewer numbers than the arm has joints; the last ones are mostly those of a hand."""
    if not 0 < given < len(arm.joints):
        return
    names = [joint.name for joint in arm.joints]
    lock = " ".join(
        f"--lock {name}={arm.home[k]:g}" for name, k in list(zip(names, arm.joint_index, strict=True))[given:]
    )
    raise InputError(
        f"{option} has {given} number{'s' * (given > 1)}, arm {arm.name!r} has {len(names)} joints "
        f"({listed(names, 8)}). Give one for each, or fix the others: {lock}"
    )


def _closed(arm: Arm, state: Array) -> Array:
    """Typed numbers have few digits: the nearest position that closes all loops, printed where it is another."""
    if not arm.loops:
        return state
    import numpy as np

    from lissom.verbs.assembly import assemble

    found = assemble(arm, state).q
    if np.abs(found - arm.expanded(state)).max() > SAME:
        err.print(
            f"closed loops: the nearest position that closes them is --q {','.join(f'{x:.9g}' for x in found)}",
            markup=False,
        )
    return found


def _requested(arm: Arm, q: str, deg: bool, option: str) -> Array:
    import numpy as np

    state = np.array(numbers(q, option))
    if not deg or state.shape[-1] not in (len(arm.joints), arm.dof):
        return state  # the verb explains a wrong length
    turning = np.zeros(arm.dof, bool)
    turning[arm.joint_index] = [joint.angular for joint in arm.joints]
    if state.shape[-1] != arm.dof:
        turning = turning[arm.joint_index]
    return np.where(turning, np.radians(state), state)
