"""`export_c`: an arm's functions as C99."""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Never

import numpy as np
from numpy.typing import ArrayLike

from lissom.engine.c99 import KINDS, Real
from lissom.errors import InputError, UnsupportedError, shown, suggest
from lissom.export import composed, states, text, trial
from lissom.export.functions import Made, Request, made
from lissom.export.names import as_identifier, identifier
from lissom.export.record import CExport
from lissom.formats.files import write_text
from lissom.kernels.arguments import as_arm, as_frame, as_points
from lissom.kernels.verb import Refused
from lissom.kernels.verbs import VERBS
from lissom.keywords import check_keywords, without_unknown
from lissom.model.arm import Arm
from lissom.model.ends import only_end, tip_frame
from lissom.verbs.kinematics import ORIGIN

NAME = "export_c"
HEAD = 100_000  # bytes; names of arms may be long
FORMS = ("straight", "tape")
EXPORTED = tuple(name for name, verb in VERBS.items() if verb.exported)


@without_unknown
def export_c(
    arm: Arm,
    functions: str | Iterable[str],
    into: str | os.PathLike[str] = ".",
    *,
    frame: str | None = None,
    point: ArrayLike = ORIGIN,
    loads: Iterable[str] = (),
    base: bool = False,
    precision: str = "double",
    form: str | None = None,
    name: str | None = None,
    **unknown: Never,
) -> CExport:
    """Write an arm's functions as C99 that needs nothing but math.h: header, source, test program.

    The code comes from the programs that lissom compiles for itself, for one state and this arm's numbers (payload,
    friction, its own loads). It allocates no memory and keeps no state between calls.

    Parameters
    ----------
    arm : Arm
    functions : str or sequence of str  "inverse_dynamics", "forward_dynamics", "mass_matrix", "bias_forces",
        "gravity_forces", "coriolis_matrix", "joint_reactions", "inverse_dynamics_gradient",
        "forward_dynamics_gradient" (brings the two functions it calls), "inverse_dynamics_product", "regressor",
        "kinetic_energy", "potential_energy", "momentum", "poses", "pose", "jacobian", "velocity", "acceleration"
    into : path                   folder, created if it does not exist
    frame : str or None           link or tool of "pose", "jacobian", "velocity", "acceleration"; None: the last one
    point : (3,)                  point in the axes of the frame [m]; a constant of the code
    loads : sequence of str       links and tools whose load is an input of the functions that take loads: nine numbers,
                                  force [N] and moment [N m] in world axes, point in the frame's axes [m]
    base : bool                   the motion of the base is an input of the same functions: nine numbers, angular
                                  velocity, angular acceleration, linear acceleration, world axes
    precision : str               "double" or "float"
    form : str or None            "straight": every operation in a row, fastest for small arms; "tape": calls of
                                  shared steps, smallest for large ones; None: the better one by the size of the arm
    name : str or None            prefix of files and functions; None: after the arm. Files of an arm of another
                                  name, or not written by export_c, are not overwritten

    Returns
    -------
    CExport
        `.files`, `.functions` (with arrays, units, operations, bytes of stack), `.bytes`, `.compile`; can be printed

    Examples
    --------
    >>> import lissom as ls, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = ls.export_c(ls.load("two_link"), "gravity_forces", into=folder)
    >>> [path.name for path in made.files]
    ['two_link.h', 'two_link.c', 'two_link_test.c']
    >>> print(made.functions[0])
    two_link_gravity_forces(q[2]) -> g[2]
        straight; 4 +, 1 -, 13 *, 2 sin, 2 cos; stack about 152 bytes
    """
    check_keywords(export_c, unknown)
    asked, wanted = _request(as_arm(arm, NAME), functions, frame, point, loads, base, precision, form, name)
    folder = _folder(into)
    files = tuple(folder / f"{asked.name}{ending}" for ending in (".h", ".c", "_test.c"))
    _refuse_foreign(files, arm)
    written: list[Made] = []
    for verb in wanted:
        own = not VERBS[verb].composed_of
        written.append(made(arm, VERBS[verb], asked) if own else composed.forward_gradient(arm, asked, written))
    records = [function.record for function in written]
    trials = [(record, *states.tried(arm, record, asked)) for record in records]
    texts = (text.header(arm, asked, records), text.source(arm, asked, written), trial.program(arm, asked, trials))
    _make_folder(folder)
    for path, content in zip(files, texts, strict=True):
        write_text(path, content)
    sizes = tuple(len(content.encode()) for content in texts)
    return CExport(asked.name, arm.name, precision, files, tuple(records), sizes)


def _request(
    arm: Arm, verbs: Any, frame: Any, point: Any, loads: Any, base: Any, precision: Any, form: Any, name: Any
) -> tuple[Request, list[str]]:
    """The validated request; raises InputError if arguments are invalid."""
    if find_spec("casadi") is None:
        raise UnsupportedError(f"{NAME} traces programs with casadi, which is not installed: pip install casadi.")
    if arm.dof == 0:
        raise UnsupportedError(f"{NAME}: arm {arm.name!r} has no coordinates; there is no function to write.")
    wanted = _verbs(arm, verbs)
    if precision not in KINDS:
        raise InputError(f"{NAME}: precision is {shown(precision)}; expected one of {', '.join(KINDS)}.")
    if form is not None and form not in FORMS:
        raise InputError(f"{NAME}: form is {shown(form)}; expected None or one of {', '.join(FORMS)}.")
    if not isinstance(base, bool):
        raise InputError(f"{NAME}: base is {shown(base)}; expected True when its motion is to be an input, or False.")
    about_frames = [verb for verb in wanted if VERBS[verb].frame]
    asked = Request(
        name=identifier(arm.name) if name is None else as_identifier(name, NAME),
        loads=_loads(arm, loads), base=base, frame=_frame(arm, about_frames) if frame is None else frame,
        point=tuple(map(float, as_points(point, "point", NAME).reshape(-1, 3)[0])), real=Real(precision), form=form,
    )  # fmt: skip
    if np.ndim(point) != 1:
        raise InputError(f"{NAME}: point has shape {np.shape(point)}; expected (3,), one point.")
    as_frame(arm, asked.frame, NAME)
    if (frame is not None or np.any(asked.point)) and not about_frames:
        raise InputError(f"{NAME}: a frame or point was given, but {', '.join(wanted)} does not use one.")
    if (asked.loads or base) and not any(VERBS[verb].acted for verb in wanted):
        takers = ", ".join(name for name in EXPORTED if VERBS[name].acted)
        raise InputError(f"{NAME}: {', '.join(wanted)} accepts no loads and no base motion; {takers} do.")
    return asked, wanted


def _verbs(arm: Arm, verbs: Any) -> list[str]:
    """The functions to write, without repetition, in an order in which they can call each other."""
    given = [verbs] if isinstance(verbs, str) else verbs
    if not isinstance(given, Iterable) or not (given := list(given)):
        raise InputError(
            f"{NAME}: functions is {shown(verbs)}; expected the name of one or several, {suggest('', EXPORTED)}"
        )
    for verb in given:
        if not isinstance(verb, str) or verb not in EXPORTED:
            problem = f"{shown(verb)} cannot be exported{_why_not(verb)}"
            raise InputError(f"{NAME}: {problem}; {suggest(str(verb), EXPORTED)}")
        if arm.loops and VERBS[verb].loops != "tree":
            raise UnsupportedError(
                f"{NAME}: arm {arm.name!r} has closed loops, and {verb} of the closed arm is not available in C. "
                "mass_matrix, bias_forces, gravity_forces and kinematics are, of the tree without its closures."
            )
    return composed.with_needed(given)


def _why_not(verb: Any) -> str:
    """The reason why a verb cannot be exported, where there is one."""
    known = VERBS.get(verb) if isinstance(verb, str) else None
    return f" ({known.outputs.because})" if known is not None and isinstance(known.outputs, Refused) else ""


def _frame(arm: Arm, about_frames: list[str]) -> str:
    """The frame of kinematic functions, by default the end of the arm."""
    return tip_frame(arm, only_end(arm, f"give {NAME} the frame") if about_frames else arm.ends[0])


def _loads(arm: Arm, loads: Any) -> tuple[str, ...]:
    """Frames that carry loads; on a beam only the tip is allowed."""
    if isinstance(loads, str) or not isinstance(loads, Iterable):
        raise InputError(
            f"{NAME}: loads is {shown(loads)}; expected names of links or tools, such as ['{arm.ends[0]}']."
        )
    names = tuple(loads)
    for word in names:
        frame = as_frame(arm, word, NAME)
        link = arm.links[frame.link]
        if link.mode_labels and not frame.at_tip:
            raise UnsupportedError(
                f"{NAME}: a load along the flexible link {link.name!r} is not available in C, where its place would be "
                f"an input; its tip is: {link.name + '.tip'!r}."
            )
    return names


def _folder(into: Any) -> Path:
    try:
        folder = Path(into)
    except TypeError:
        raise InputError(f"{NAME}: into is {shown(into)}; expected a folder.") from None
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise InputError(f"{NAME}: {folder} is a file; expected a folder to write into.")
    return folder


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{NAME}: the folder {folder} cannot be made ({error.strerror}).") from None


def _refuse_foreign(files: Iterable[Path], arm: Arm) -> None:
    """Raise an error unless existing files are from an earlier export of an arm of the same name."""
    for path in files:
        if os.path.isdir(path):
            raise InputError(f"{NAME}: {path} is a folder; move it away, or choose another name or into.")
        if os.path.exists(path) and (other := text.name_inside(_head(path))) != arm.name:
            of = f"was not made by {NAME}" if other is None else f"is of arm {other!r}, not of {arm.name!r}"
            raise InputError(f"{NAME}: {path} exists and {of}; it is not overwritten. Choose another name or into.")


def _head(path: Path) -> str:
    """The beginning of a file, long enough for its opening comment."""
    try:
        with path.open("rb") as stream:
            return stream.read(HEAD).decode("ascii", "replace")
    except OSError:
        return ""
