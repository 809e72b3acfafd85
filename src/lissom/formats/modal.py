"""Flexible links from files: modal integrals, or finite-element matrices to be reduced."""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import ModelError, suggest
from lissom.formats.files import LARGEST_TABLE, read_bytes
from lissom.formats.matrix_market import read_matrix
from lissom.formats.npz import read_npz
from lissom.formats.tables import read_table
from lissom.model.loads import Payload
from lissom.model.modal_integrals import ModalIntegrals

FILES = ("file", "mass", "stiffness", "nodes")
OPTIONS = ("root", "tip", "count", "damping", "carries", "frame")
INTEGRALS = tuple(f.name for f in fields(ModalIntegrals))
MATRICES = ("M", "K", "nodes", "root", "tip", "count", "damping", "frame")

PathLike = str | os.PathLike[str]


def load_modal_integrals(
    file: PathLike | None = None,
    *,
    mass: PathLike | None = None,
    stiffness: PathLike | None = None,
    nodes: PathLike | None = None,
    root: Any = None,
    tip: Any = None,
    count: int | None = None,
    damping: ArrayLike | None = None,
    carries: Payload | None = None,
    frame: ArrayLike | None = None,
) -> ModalIntegrals:
    """A flexible link from files: its modal integrals, or matrices, reduced by `ModalIntegrals.from_matrices`.

    Parameters
    ----------
    file : path                 ``.npz`` with the fields of `ModalIntegrals`; or with ``M``, ``K``, ``nodes``, and if
                                they are not given here ``root``, ``tip``, ``count``, ``damping``, ``frame``
    mass, stiffness : path      MatrixMarket files ``.mtx`` of M and K, in place of `file`
    nodes : path                CSV with columns x, y, z [m], one line per node
    root, tip, count, damping, carries, frame : as for `ModalIntegrals.from_matrices`

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from lissom import load_modal_integrals
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "spring.npz"
    >>> C, phi = np.diag([0.5, 0.08, 0.0, 0.0]), np.zeros((1, 4, 4))
    >>> phi[0, 1, 2], Y = 0.1, np.zeros((1, 1, 4, 4))
    >>> Y[0, 0, 2, 2] = 0.2
    >>> data = {"C": C, "Ck": phi, "Ckl": Y, "K": [[90.0]], "D": [[0.0]], "tip": [0.4, 0, 0]}
    >>> np.savez(file, **data, tip_shift=[[0, 1.0, 0]], tip_turn=[[0, 0, 2.0]])
    >>> load_modal_integrals(file).mass
    1.0
    """
    given = {"root": root, "tip": tip, "count": count, "damping": damping, "carries": carries, "frame": frame}
    options = {word: value for word, value in given.items() if value is not None}
    return read_modal_integrals(file, mass, stiffness, nodes, **options)


def read_modal_integrals(
    file: Any = None, mass: Any = None, stiffness: Any = None, nodes: Any = None, **options: Any
) -> ModalIntegrals:
    """Read modal integrals or matrices, with only the options that are given."""
    if (file is None) == (mass is None and stiffness is None and nodes is None):
        raise ModelError("give either file (.npz), or mass, stiffness (.mtx) and nodes (.csv).", "modal integrals")
    if file is not None:
        return _from_npz(Path(file), options)
    parts = {"mass": mass, "stiffness": stiffness, "nodes": nodes}
    missing = [word for word, path in parts.items() if path is None]
    if missing:
        raise ModelError(f"{missing[0]} is missing; give mass, stiffness (.mtx) and nodes (.csv).", "modal integrals")
    matrices = {"M": read_matrix(Path(mass)), "K": read_matrix(Path(stiffness)), "nodes": _nodes(Path(nodes))}
    return _reduced(matrices | options, str(mass))


def _from_npz(path: Path, options: dict[str, Any]) -> ModalIntegrals:
    if path.suffix.lower() != ".npz":
        raise ModelError("its ending is not .npz; write it with numpy.savez.", file=str(path))
    data = read_npz(path)
    whole = "C" in data or "Ck" in data
    known = INTEGRALS if whole else MATRICES
    for word in data:
        if word not in known:
            raise ModelError(f"{word[:60]} is not a known key; {suggest(word[:60], known)}", file=str(path))
    if not whole:
        single = {word: value.item() for word, value in data.items() if value.ndim == 0}
        return _reduced(data | single | options, str(path))
    if options:
        raise ModelError(f"{next(iter(options))} is for matrices; the file holds modal integrals.", file=str(path))
    missing = [f.name for f in fields(ModalIntegrals) if f.name not in data and f.default is not None]
    if missing:
        raise ModelError(f"{missing[0]} is missing.", file=str(path))
    return _located(lambda: ModalIntegrals(**data), str(path))


def _reduced(data: dict[str, Any], file: str) -> ModalIntegrals:
    for word in MATRICES[:5]:
        if word not in data:
            raise ModelError(f"{word} is missing; matrices need {', '.join(MATRICES[:5])}.", file=file)
    return _located(lambda: ModalIntegrals.from_matrices(**data), file)


def _located(make: Any, file: str) -> ModalIntegrals:
    """Return the result of `make`, with the file's name added to its errors."""
    try:
        found: ModalIntegrals = make()
        return found
    except ModelError as error:
        raise ModelError(error.problem, error.subject, file) from None


def _nodes(path: Path) -> Any:
    """Nodes (N, 3) from a CSV file."""
    try:
        columns = read_table(read_bytes(path, LARGEST_TABLE).decode("utf-8-sig"))
        missing = [word for word in "xyz" if word not in columns]
        if missing:
            raise ValueError(f"there is no column {missing[0]}; expected x, y, z")
    except ModelError:
        raise
    except ValueError as error:
        raise ModelError(f"it cannot be read as a table of nodes ({error}).", file=str(path)) from None
    return np.column_stack([columns[word] for word in "xyz"])
