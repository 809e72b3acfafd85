"""`lissom lift`: how a person lifts a box."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lissom.cli.commands.compute.person_search import refuse_unwritable, searched
from lissom.cli.commands.compute.predict import show, verified
from lissom.cli.common import (
    AsJson,
    Figure,
    Film,
    Quiet,
    numbers,
    print_json,
    save_pictures,
    wrote,
)
from lissom.cli.person_options import FilmSpeed, Height, Mass, Output, Seconds, Sex, Verify
from lissom.cli.plot_kinds import MOTION, MotionKind
from lissom.errors import InputError


def lift(
    height: Height = 1.74,
    mass: Mass = 73.0,
    sex: Sex = "male",
    joints: Annotated[
        int, typer.Option(metavar="N", help="Coordinates: 16 in the sagittal plane; 31 or 55 in space.")
    ] = 16,
    box: Annotated[float, typer.Option(metavar="KG", help="Mass of the box.")] = 10.0,
    start: Annotated[
        str, typer.Option(metavar="X,Z", help="Where the hands begin in m: forward of the ankles, and height.")
    ] = "0.42,0.25",
    goal: Annotated[str, typer.Option(metavar="X,Z", help="Where they end.")] = "0.45,1.25",
    duration: Annotated[float, typer.Option(metavar="SECONDS", help="Duration of the lifting.")] = 1.4,
    depth: Annotated[float, typer.Option(metavar="M", help="From the hands to the back of the box.")] = 0.2,
    output: Output = None,
    report: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page about the motion (.html).")] = None,
    figure: Figure = None,
    kind: MotionKind = None,
    film: Film = None,
    film_speed: FilmSpeed = 1.0,
    segments: Annotated[int, typer.Option(metavar="N", help="Segments of the splines.")] = 12,
    seconds: Seconds = None,
    verify: Verify = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Predict how a person lifts a box: motion, torques and ground forces.

    Both feet stay on the ground, both hands hold the box, from rest to rest. Ctrl-C ends the search and keeps the best
    motion so far.
    """
    from lissom.humans.human import human
    from lissom.humans.lift.predict import predict_lift
    from lissom.motion.result.overview import summary
    from lissom.pages.report import write_report
    from lissom.views.plots.needs import check_needs

    refuse_unwritable(output, report, figure, film, film_speed, kind, MOTION)
    person = human(height=height, mass=mass, sex=sex, joints=joints)
    if figure is not None:
        check_needs(kind, person, False)
    options: dict[str, Any] = {"duration": duration, "depth": depth, "segments": segments, "seconds": seconds}
    options |= {"progress": not quiet}
    places = _place(start, "--start"), _place(goal, "--goal")
    done = searched(lambda: predict_lift(person, box, *places, **options), "lift", output, verify)
    motion, found = done.motion, done.found
    result = summary(motion) | ({} if found is None else {"verification": verified(found)})
    print_json(result) if as_json else show(motion, found)
    if report is not None:
        write_report(motion, report)
        wrote(report)
    save_pictures(motion, figure, kind, film, speed=film_speed)
    done.finish()


def _place(text: str, option: str) -> list[float]:
    found = numbers(text, option)
    if len(found) != 2:
        raise InputError(f"{option} is {text!r}; expected two numbers, forward and height in m.")
    return found
