"""`lissom excite`: the motion that identifies an arm best."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lissom.cli.arm_options import ArmOptions, Positions, positions, takes_arm
from lissom.cli.commands.compute.predict import divided, refuse_unwritable, show, verification, verified, write
from lissom.cli.common import AsJson, Figure, Film, Quiet, check_kind, numbers, out, print_json, save_pictures
from lissom.cli.plot_kinds import MOTION, MotionKind
from lissom.errors import InputError, Unfinished

if TYPE_CHECKING:
    from lissom.model.arm import Arm
    from lissom.model.limits import Limits
    from lissom.motion.result.motion import Motion

EACH = "one number for all joints, or one for each"


@takes_arm(needs_mass=True)
def excite(
    arm: ArmOptions,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the motion (.nc), or samples for a controller: .csv, a message JointTrajectory of ROS (.yaml), "
            "URScript (.script); can be repeated.",
        ),
    ] = None,
    rate: Annotated[
        float, typer.Option(metavar="HZ", help="Samples per second, for controllers and of the measured torques.")
    ] = 100.0,
    duration: Annotated[float, typer.Option(metavar="SECONDS", help="Duration of the motion.")] = 20.0,
    q: Positions = None,
    around: Annotated[
        str | None,
        typer.Option(metavar="NUMBERS", help=f"Stay within this distance of the start, in rad or m: {EACH}."),
    ] = None,
    velocity: Annotated[
        str | None, typer.Option(metavar="NUMBERS", help=f"Velocity limits, in rad/s or m/s: {EACH}.")
    ] = None,
    acceleration: Annotated[
        str | None, typer.Option(metavar="NUMBERS", help=f"Acceleration limits, in rad/s^2 or m/s^2: {EACH}.")
    ] = None,
    noise: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS",
            help=f"Standard deviation of the measured torques: {EACH}; inf: not measured. Default: 1 % of the limits.",
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A link, joint or parameter that need not be precise; can be repeated."),
    ] = None,
    segments: Annotated[int | None, typer.Option(help="Segments of the splines. Default: one for each second.")] = None,
    starts: Annotated[int, typer.Option(help="How many random motions are improved.")] = 2,
    seed: Annotated[int, typer.Option(help="Of the random motions; the same seed gives the same motion.")] = 0,
    figure: Figure = None,
    kind: MotionKind = None,
    film: Film = None,
    verify: Annotated[bool, typer.Option("--verify", help="Replay the torques of the motion in a simulation.")] = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Find the motion that identifies the parameters of an arm best.

    The motion begins and ends at rest at --q and stays within the limits of the arm. The arm does not avoid obstacles
    here: use lissom.excite in Python for these, and look at the motion with lissom view before a robot runs it.
    """
    from lissom.identification.excitation.public import excite as find
    from lissom.views.plots.needs import check_needs

    wholes, tables = divided(output or [])
    loaded = arm.load()
    refuse_unwritable(loaded, wholes, tables, rate, figure, film, 1.0)
    check_kind(kind, MOTION)
    if figure is not None:
        check_needs(kind, loaded, compared=False, excites=True)
    start = None if q is None else positions(loaded, q, arm.deg)
    motion = find(
        loaded, duration, start=start, limits=_limits(loaded, start, around, velocity, acceleration),
        noise=_each(noise, "--noise"), rate_hz=rate, ignore=tuple(ignore or ()), segments=segments, starts=starts,
        seed=seed, progress=not quiet,
    )  # fmt: skip
    problem = "" if motion.ok else motion.status
    write(motion, wholes, tables, rate)
    found, problem = verification(motion, problem) if verify else (None, problem)
    _print(motion, found, as_json)
    save_pictures(motion, figure, kind, film)
    if problem:
        raise Unfinished(problem, motion.interrupted)


def _print(motion: Motion, found: Any, as_json: bool) -> None:
    """The motion, its verification and what it says."""
    from lissom.motion.result.overview import summary

    if as_json:
        print_json(summary(motion) | ({} if found is None else {"verification": verified(found)}))
        return
    show(motion, found)
    assert motion.information is not None
    out.print(motion.information.describe(), markup=False)


def _each(text: str | None, what: str) -> Any:
    """One number, or a list of them."""
    values = None if text is None else numbers(text, what)
    return values[0] if values is not None and len(values) == 1 else values


def _limits(arm: Arm, start: Any, around: str | None, velocity: str | None, acceleration: str | None) -> Limits:
    """Limits beside those of the arm."""
    import numpy as np

    from lissom.model.limits import Limits

    rates = {"velocity": _each(velocity, "--velocity"), "acceleration": _each(acceleration, "--acceleration")}
    if around is None:
        return Limits(**rates)
    begin = (arm.home if start is None else arm.expanded(start))[arm.joint_index]
    reach = np.abs(_each(around, "--around"))
    if reach.shape not in ((), begin.shape):
        raise InputError(f"--around has {reach.size} numbers; expected one, or {begin.size}, one for each joint.")
    return Limits(position=(begin - reach, begin + reach), **rates)
