"""`lissom walk`: the predicted walk of a person."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lissom.cli.commands.compute.person_search import refuse_unwritable, searched
from lissom.cli.commands.compute.predict import verified
from lissom.cli.common import (
    AsJson,
    Figure,
    Film,
    Quiet,
    check_output,
    numbers,
    out,
    print_json,
    print_listing,
    save_pictures,
    wrote,
)
from lissom.cli.person_options import FilmSpeed, Height, Joints, Mass, Output, Seconds, Sex, Verify
from lissom.cli.plot_kinds import GAIT, GaitKind
from lissom.errors import InputError

if TYPE_CHECKING:
    from lissom.gait.curves import GaitCurves
    from lissom.gait.report import GaitReport
    from lissom.motion.result.motion import Motion


def walk(
    height: Height = 1.74,
    mass: Mass = 73.0,
    sex: Sex = "male",
    joints: Joints = 13,
    speed: Annotated[float, typer.Option(metavar="M/S", help="Mean speed.")] = 1.33,
    step: Annotated[
        float | None, typer.Option(metavar="M", help="Step length. Default: what costs the person least.")
    ] = None,
    slope: Annotated[float, typer.Option(metavar="DEG", help="Slope of the ground, uphill positive.")] = 0.0,
    load: Annotated[float | None, typer.Option(metavar="KG", help="Mass that is carried on the back.")] = None,
    hands: Annotated[float | None, typer.Option(metavar="KG", help="Mass that is carried in both hands.")] = None,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            metavar="JOINT=LOW,HIGH",
            help="Limit of a joint in degrees, for example a stiff knee: knee_flexion_r=0,10; can be repeated.",
        ),
    ] = None,
    reference: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ANGLES,FORCES",
            help="Compare with a walk in tables of OpenSim: joint angles and ground forces (.mot, .sto), with a comma "
            "between them; can be repeated.",
        ),
    ] = None,
    output: Output = None,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the curves over the cycle (.csv).")] = None,
    report: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page about the walk (.html).")] = None,
    figure: Figure = None,
    kind: GaitKind = None,
    film: Film = None,
    film_speed: FilmSpeed = 1.0,
    guess: Annotated[Path | None, typer.Option(metavar="FILE", help="Start from this earlier walk (.nc).")] = None,
    segments: Annotated[
        str | None,
        typer.Option(metavar="N,N,N,N", help="Segments of the splines in the four phases of a step. Default: fine."),
    ] = None,
    starts: Annotated[
        int | None, typer.Option(metavar="N", help="Number of starts; those after the first are random.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random starts.")] = 0,
    seconds: Seconds = None,
    verify: Verify = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Predict how a person walks: motion, torques and ground forces at a given speed.

    A step whose mirror image is the next one, of a person of any height, mass and sex. No measured motion is used; with
    --reference the walk is compared with one. Ctrl-C ends the search and keeps the best motion so far.
    """
    from lissom.gait.public import gait_report
    from lissom.humans.human import human
    from lissom.humans.walk.predict import predict_walk
    from lissom.motion.public import load_motion

    refuse_unwritable(output, report, figure, film, film_speed, kind, GAIT)
    check_output(csv, (".csv",), "a table of curves")
    person = human(height=height, mass=mass, sex=sex, joints=joints)
    references = [_reference(text) for text in reference or ()]
    options: dict[str, Any] = {"load": _load(load, hands), "slope": math.radians(slope), "limits": _limits(limit)}
    options |= {"guess": None if guess is None else load_motion(guess), "starts": starts, "seed": seed}
    options |= {} if segments is None else {"segments": _counts(segments)}
    options |= {"seconds": seconds, "progress": not quiet}
    done = searched(lambda: predict_walk(person, speed, step, **options), "walk", output, verify)
    motion, found = done.motion, done.found
    walked = gait_report(motion, references)
    print_json(_plain(motion, walked, found)) if as_json else _show(motion, walked, found)
    write(walked, csv, report, "" if motion.ok else "the last iterate of the search, which is not solved")
    save_pictures(walked, figure, kind)
    save_pictures(motion, None, None, film, speed=film_speed)
    done.finish()


def write(walked: GaitReport, csv: Path | None, report: Path | None, note: str) -> None:
    """Write the curves and the page."""
    if csv is not None:
        walked.save(csv)
        wrote(csv, note)
    if report is not None:
        walked.report(report)
        wrote(report, note)


def _reference(text: str) -> GaitCurves:
    """A walk from "angles.mot,forces.mot"."""
    from lissom.gait.opensim import load_gait

    parts = text.split(",")
    if len(parts) != 2:
        raise InputError(f"--reference is {text!r}; expected two files, angles and forces, separated by a comma.")
    return load_gait(*parts)


def _counts(text: str) -> list[int]:
    found = numbers(text, "--segments")
    if any(count != int(count) for count in found):
        raise InputError(f"--segments is {text!r}; expected four whole numbers.")
    return [int(count) for count in found]


def _load(back: float | None, hands: float | None) -> dict[str, float] | None:
    given = {"back": back, "hands": hands}
    return {place: mass for place, mass in given.items() if mass is not None} or None


def _limits(given: list[str] | None) -> dict[str, tuple[float, float]] | None:
    """{joint: (lower, upper)} [rad] from "joint=low,high" in degrees."""
    out = {}
    for text in given or ():
        joint, _, values = text.partition("=")
        try:
            low, high = (math.radians(float(value)) for value in values.split(","))
        except ValueError:
            raise InputError(f"--limit is {text!r}; expected JOINT=LOW,HIGH in degrees.") from None
        out[joint.strip()] = (low, high)
    return out or None


def _plain(motion: Motion, walked: GaitReport, found: Any) -> dict[str, Any]:
    """The numbers, by name."""
    likeness = {name: {word: one._asdict() for word, one in like.items()} for name, like in walked.likeness.items()}
    result = {
        "person": motion.arm.name, "status": motion.status, "ok": motion.ok, "duration": motion.duration,
        "cost": motion.cost, "seconds": motion.report.seconds,
        "measures": {one.name: {"value": one.value, "unit": one.unit} for one in walked.measures}, "likeness": likeness,
    }  # fmt: skip
    return result | ({} if found is None else {"verification": verified(found)})


def _show(motion: Motion, walked: GaitReport, found: Any) -> None:
    """Print the numbers, how like the walk is to references, and how it was found."""
    print_listing(walked.listing()._replace(title=repr(walked).strip("<>")))
    if walked.references:
        print_listing(walked.comparison()._replace(title="likeness"))
    if len(walked.references) > 1:
        print_listing(walked.beside_others())
    for note in (*motion.notes, *walked.notes):
        out.print(f"note: {note}", markup=False)
    if found is not None:
        out.print(found.describe(), markup=False)
    out.print(motion.report.describe(limits=found is None), markup=False)
