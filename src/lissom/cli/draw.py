"""`lissom draw`: a figure of an arm."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from lissom.cli.common import (
    ArmName,
    Flexible,
    KinematicsOnly,
    MergeFixed,
    Repair,
    failing_kindly,
    load_arm,
    numbers,
    save_figure,
)
from lissom.errors import UnsupportedError
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array


def draw(
    arm: ArmName,
    q: Annotated[
        str | None, typer.Option(help="Joint positions, e.g. --q 0,0.5,-1. Default: zero, within the limits.")
    ] = None,
    deg: Annotated[bool, typer.Option("--deg", help="Angles of --q are in degrees.")] = False,
    figure: Annotated[Path | None, typer.Option(help="File to write (png, svg, pdf). Default: NAME.png.")] = None,
    show: Annotated[bool, typer.Option("--show", help="Open a window instead of writing a file.")] = False,
    labels: Annotated[bool, typer.Option(help="Write the links' names.")] = True,
    merge_fixed: MergeFixed = False,
    kinematics_only: KinematicsOnly = False,
    repair: Repair = False,
    flexible: Flexible = None,
) -> None:
    """Draw an arm's links, joint axes, centres of mass and frames."""
    import matplotlib

    if not show:
        matplotlib.use("Agg")
    from lissom.views.draw import draw as picture

    with failing_kindly():
        loaded = load_arm(arm, merge_fixed, kinematics_only, repair, flexible)
        state = loaded.home if q is None else np.array(numbers(q, "--q"))
        if deg and q is not None:
            state = _radians(loaded, state)
        if show:
            import matplotlib.pyplot as plt

            if plt.get_backend().lower() in ("agg", "svg", "pdf", "ps", "cairo", "template"):
                raise UnsupportedError("there is no display for a window; leave out --show to write a file.")
            picture(loaded, state, labels=labels, ax=plt.figure(figsize=(7.5, 7)).add_subplot(projection="3d"))
            plt.show()
            return
        made = picture(loaded, state, labels=labels)
        target = figure or Path(f"{loaded.name.replace('/', '_')}.png")
        save_figure(made, target)


def _radians(arm: Arm, state: Array) -> Array:
    """Degrees to radians for the revolute joints only."""
    if state.shape[-1] not in (len(arm.joints), arm.dof):
        return state  # the verb explains
    turning = np.zeros(arm.dof, bool)
    turning[arm.joint_index] = [joint.kind == "revolute" for joint in arm.joints]
    if state.shape[-1] != arm.dof:
        turning = turning[arm.joint_index]
    return np.where(turning, np.radians(state), state)
