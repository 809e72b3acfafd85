"""`load` and `save`, for all formats."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Never

from lissom.errors import InputError, ModelError, about, shown, suggest
from lissom.formats.files import AS_WRITTEN, read_bytes, write_text
from lissom.formats.foreign import ENDINGS
from lissom.formats.kinds import about_record
from lissom.formats.shipped import shipped
from lissom.keywords import check_keywords, without_unknown
from lissom.model.arm import Arm

SUFFIXES = (".toml", ".urdf", ".xml", ".mjcf")

ELSEWHERE = {"flexibility": "change the model of a loaded arm with arm.replace(flexibility=...)."}


@without_unknown
def load(
    source: str | os.PathLike[str],
    *,
    fixed: str = "keep",
    kinematics_only: bool = False,
    repair: bool | str = False,
    flexible: str | os.PathLike[str] | None = None,
    mimic: str = "follow",
    lock: Mapping[str, float] | None = None,
    **unknown: Never,
) -> Arm:
    """Load an arm from a file, or a shipped arm by its name.

    Parameters
    ----------
    source : path or str
        ``.toml`` (native), ``.urdf``, ``.xml`` (MJCF, needs the extra ``mujoco``; or URDF), or the
        name of a shipped arm such as ``"puma560"``.
    fixed : "keep" or "merge"
        What to do with links on fixed joints: keep them, or make them part of their parents
        (their frames stay as tools).
    kinematics_only : bool
        Accept a model without masses. Dynamics functions reject it.
    repair : False, True or "as_written"
        What to do with unphysical inertia tensors: raise an error (False); replace those of a URDF by close physical
        ones (True); or take them literally ("as_written", URDF and native files), as other tools do, to compare with
        them. The notes list every link concerned. With tensors as written the mass matrix may not be positive definite;
        forward dynamics then raises an error.
    flexible : path or None
        A side file (TOML) that names links and makes them flexible: beams from their joints to the next ones.
    mimic : "follow" or "free"
        Joints that mimic another one (URDF ``<mimic>``, MJCF ``<equality><joint>``, ``mimic`` of a native file)
        follow it and have no coordinate, or become independent joints.
    lock : {joint: position} or None
        Joints to fix at a position [rad or m], such as those of a gripper; see `Arm.lock`.

    Returns
    -------
    Arm
        `arm.notes` lists what the reader ignored or changed.

    Examples
    --------
    >>> load("two_link").dof
    2
    """
    check_keywords(load, unknown, ELSEWHERE)
    if fixed not in ("keep", "merge"):
        raise InputError(f"load: fixed is {fixed!r}; expected 'keep' or 'merge'.")
    if not isinstance(repair, bool) and repair != AS_WRITTEN:
        raise InputError(f"load: repair is {shown(repair)}; expected False, True or {AS_WRITTEN!r}.")
    if mimic not in ("follow", "free"):
        raise InputError(f"load: mimic is {shown(mimic)}; expected 'follow' or 'free'.")
    path = _resolve(source)
    arm = _reader(path)(path, read_bytes(path), kinematics_only, repair, mimic == "follow")
    folder = str(path.absolute().parent)
    if folder.isprintable():  # else its name cannot be kept as text
        arm = arm._with(folder=folder)
    if flexible is not None:
        from lissom.formats.side_file import made_flexible

        if not isinstance(flexible, str | os.PathLike):
            raise InputError(f"load: flexible is {shown(flexible)}; expected the path of a side file (.toml).")
        arm = made_flexible(arm, Path(flexible))
    if lock is not None:
        arm = arm.lock(lock)
    return arm.merge_fixed() if fixed == "merge" else arm


def _resolve(source: str | os.PathLike[str]) -> Path:
    if not isinstance(source, str | os.PathLike):
        raise InputError(f"load: got {shown(source)}; expected a path or the name of a shipped arm.")
    path = Path(os.fspath(source))
    if path.suffix.lower() in SUFFIXES:
        return path
    known = shipped()
    if str(source) in known:
        return known[str(source)]
    if found := about_record(path):
        raise ModelError(f"it is {found}.", file=str(source))
    if path.suffix.lower() in ENDINGS:
        raise ModelError(f"{ENDINGS[path.suffix.lower()]}.", file=str(source))
    if path.suffix or os.sep in str(source) or os.path.exists(path):
        raise ModelError(f"its ending is not one of {', '.join(SUFFIXES)}.", file=str(source))
    raise ModelError(f"there is no shipped arm {shown(str(source))}; {suggest(str(source)[:60], known)} "
                     f"For a file, give its ending ({', '.join(SUFFIXES)}).")  # fmt: skip


def _reader(path: Path) -> Callable[[Path, bytes, bool, bool | str, bool], Arm]:
    """The reader of a file's format, imported on first use."""
    module = {".toml": "native_read", ".urdf": "urdf_read"}.get(path.suffix.lower(), "mjcf")
    reader: Callable[[Path, bytes, bool, bool | str, bool], Arm] = import_module(f"lissom.formats.{module}").read
    return reader


def save(arm: Arm, path: str | os.PathLike[str], *, lossy: bool = False) -> tuple[str, ...]:
    """Write an arm to a file; on failure no partial file is left.

    Parameters
    ----------
    arm : Arm
    path : path           ``.toml`` keeps everything, bit for bit; ``.urdf`` what URDF can represent
    lossy : bool          drop what the format cannot represent instead of raising an error

    Returns
    -------
    tuple of str          what was dropped, empty unless `lossy`

    Examples
    --------
    >>> import tempfile, pathlib
    >>> arm = load("puma560")
    >>> target = pathlib.Path(tempfile.mkdtemp()) / "puma.toml"
    >>> dropped = save(arm, target)
    >>> load(target) == arm
    True
    """
    if not isinstance(arm, Arm):
        raise InputError(f"save: got {type(arm).__name__}; expected an Arm first, then the path.")
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"save: got {shown(path)}; expected a path that ends in .toml or .urdf.")
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix == ".toml":
        from lissom.formats import native_write

        write_text(target, native_write.write(arm))
        return ()
    if suffix == ".urdf":
        from lissom.formats import urdf_write

        with about(f"arm {arm.name!r}"):
            write_text(target, urdf_write.write(arm, lossy))
        return tuple(urdf_write.unsayable(arm))
    raise ModelError("arms are written as .toml or .urdf; choose one of these endings.", file=str(target))
