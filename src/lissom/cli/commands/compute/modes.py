"""`lissom modes`: how an arm vibrates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from lissom.cli.arm_options import ArmOptions, Positions, positions, takes_arm
from lissom.cli.common import AsJson, Figure, Film, check_figure, check_film, out, print_json, save_pictures
from lissom.errors import InputError

if TYPE_CHECKING:
    from lissom.model.arm import Arm
    from lissom.verbs.modes import ArmModes, BeamModes, ModeConvergence

    Found = ArmModes | BeamModes | ModeConvergence
PLANES = ("bending_z", "bending_y", "torsion", "stretch")


@takes_arm(needs_mass=True)
def modes(
    arm: ArmOptions,
    q: Positions = None,
    joints: Annotated[
        str | None,
        typer.Option(metavar="locked|free", help="locked: motors hold their joints (default); free: no torques act."),
    ] = None,
    count: Annotated[
        int | None, typer.Option(help="How many modes, lowest first. Default: all of an arm, 4 of a beam.")
    ] = None,
    beam: Annotated[
        str | None, typer.Option(metavar="LINK", help="The modes of this link's beam alone, clamped at its root.")
    ] = None,
    plane: Annotated[
        str | None, typer.Option(metavar="PLANE", help=f"With --beam: {', '.join(PLANES)}. Default: {PLANES[0]}.")
    ] = None,
    carrying: Annotated[
        bool,
        typer.Option("--carrying", help="With --beam: include the mass that the tip carries. Default: a free tip."),
    ] = False,
    convergence: Annotated[
        bool, typer.Option("--convergence", help="Frequencies for 1, 2, ... modes per beam and kind.")
    ] = False,
    most: Annotated[
        int | None, typer.Option(help="With --convergence: largest number of modes per beam and kind. Default: 6.")
    ] = None,
    figure: Figure = None,
    film: Film = None,
    mode: Annotated[int | None, typer.Option(help="With --film: which mode; 1 is the lowest (default).")] = None,
    as_json: AsJson = False,
) -> None:
    """Compute natural frequencies, damping and mode shapes of an arm or of one beam."""
    of_q = arm.deg and not arm.lock  # else --deg is for the locked joints
    for_arms = {"--q": q, "--deg": of_q, "--joints": joints, "--convergence": convergence, "--film": film}
    for_beams = {"--plane": plane, "--carrying": carrying}
    if beam is not None:
        _refuse(for_arms, "describes the whole arm, --beam one beam; leave one of them out")
    else:
        _refuse(for_beams, "describes one beam; name its link with --beam LINK")
    if convergence:
        _refuse({"--film": film}, "shows one mode and cannot show --convergence; leave one of them out")
    else:
        _refuse({"--most": most}, "needs --convergence")
    if film is None:
        _refuse({"--mode": mode}, "needs --film FILE")
    check_figure(figure)
    check_film(film)
    loaded = arm.load()
    found: Found
    if beam is not None:
        found = _of_beam(loaded, beam, plane or PLANES[0], carrying, count)
    else:
        found = _of_arm(loaded, q, arm.deg, joints or "locked", count, convergence, most)
    print_json(_plain(found)) if as_json else out.print(found.describe(), markup=False)
    save_pictures(found, figure, film=film, mode=1 if mode is None else mode)


def _refuse(options: dict[str, Any], why: str) -> None:
    for word, value in options.items():
        if value is not None and value is not False:
            raise InputError(f"modes: {word} {why}.")


def _of_beam(arm: Arm, link: str, plane: str, carrying: bool, count: int | None) -> BeamModes:
    from lissom.model.beam import Tip
    from lissom.verbs.modes import beam_modes, beam_tip

    tip = beam_tip(arm, link, plane)  # refuses links without a beam
    beam = arm.link(link).beam
    assert beam is not None
    return beam_modes(beam, tip if carrying else Tip(), 4 if count is None else count, plane)


def _of_arm(
    arm: Arm, q: str | None, deg: bool, joints: str, count: int | None, convergence: bool, most: int | None
) -> Found:
    from lissom.verbs.modes import mode_convergence, modes as of

    state = positions(arm, q, deg)
    if not convergence:
        return of(arm, state, joints, count)
    return mode_convergence(arm, state, joints, 4 if count is None else count, 6 if most is None else most)


def _plain(found: Found) -> dict[str, Any]:
    """The numbers, by name."""
    from lissom.verbs.modes import BeamModes, ModeConvergence

    if isinstance(found, BeamModes):
        length = found.shapes.length
        tip = {word: getattr(found.tip, word) for word in ("mass", "inertia", "offset_moment", "polar")}
        return {
            "plane": found.plane, "length": length, "tip": tip, "frequencies_hz": found.frequencies_hz,
            "wavenumbers": found.wavenumbers, "modal_mass": found.modal_mass, "at_tip": found.shape(length),
            "slope_at_tip": found.slope(length),
        }  # fmt: skip
    start = {"arm": found.arm.name, "q": found.q, "joints": found.joints, "frequencies_hz": found.frequencies_hz}
    if isinstance(found, ModeConvergence):
        return {**start, "modes": found.modes, "change": found.change}
    by_name = {
        word: [dict(zip(found.arm.coordinates, map(float, column), strict=True)) for column in table.T]
        for word, table in (("shapes", found.shapes), ("shares", found.shares))
    }
    return {**start, "damping": found.damping, **by_name, "rigid": found.rigid, "unstable": found.unstable}
