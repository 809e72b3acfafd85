"""MatrixMarket files (``.mtx``): matrices of real numbers; the declared size is checked first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from lissom.errors import ModelError, shown
from lissom.formats.files import LARGEST_MATRIX, read_bytes
from lissom.spatial.rotations import Array

MOST_ROWS = 10_000_000


def read_matrix(path: Path) -> Any:
    """Read a sparse or dense matrix; raises `ModelError` for invalid files."""
    if path.suffix.lower() != ".mtx":
        raise ModelError("its ending is not .mtx (MatrixMarket).", file=str(path))
    try:
        return _read(read_bytes(path, LARGEST_MATRIX).decode("ascii", "replace").splitlines())
    except ModelError:
        raise
    except (ValueError, OverflowError) as error:
        raise ModelError(f"it cannot be read as MatrixMarket ({error}).", file=str(path)) from None


def _read(lines: list[str]) -> Any:
    words = lines[0].lower().split() if lines else []
    if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"]:
        raise ValueError("its first line is not %%MatrixMarket matrix ...")
    form, kind, symmetry = words[2:]
    if (
        form not in ("coordinate", "array")
        or kind not in ("real", "integer")
        or symmetry not in ("general", "symmetric")
    ):
        raise ValueError(f"it is {form} {kind} {symmetry}; expected coordinate or array, real, general or symmetric")
    body = [line for line in lines[1:] if line.strip() and not line.lstrip().startswith("%")]
    size = body[0].split() if body else []
    wanted = 3 if form == "coordinate" else 2
    if len(size) != wanted or not all(word.isdecimal() and len(word) < 19 for word in size):
        raise ValueError(f"its size is {shown(' '.join(size))}; expected {wanted} whole numbers")
    rows, columns, *_ = shape = [int(word) for word in size]
    if max(rows, columns) > MOST_ROWS or min(rows, columns) < 1 or (symmetry == "symmetric" and rows != columns):
        raise ValueError(
            f"its size is {rows} by {columns}; expected at most {MOST_ROWS} rows, and a square matrix if symmetric"
        )
    values = np.loadtxt(body[1:], ndmin=2, comments=None) if len(body) > 1 else np.zeros((0, wanted))
    if form == "coordinate":
        return _sparse(values, rows, columns, shape[2], symmetry)
    return _dense(values, rows, columns, symmetry)


def _sparse(values: Array, rows: int, columns: int, count: int, symmetry: str) -> Any:
    from scipy.sparse import coo_array

    if values.shape != (count, 3):
        raise ValueError(f"it has {values.shape} numbers; expected {count} lines of row, column, value")
    if not (values[:, :2] == np.floor(values[:, :2])).all() or not ((values[:, :2] >= 1).all()
            and (values[:, 0] <= rows).all() and (values[:, 1] <= columns).all()):  # fmt: skip
        raise ValueError(f"an entry is outside of the {rows} rows and {columns} columns")
    i, j, x = values[:, 0].astype(np.intp) - 1, values[:, 1].astype(np.intp) - 1, values[:, 2]
    if symmetry == "symmetric":
        off = i != j
        i, j, x = np.concatenate([i, j[off]]), np.concatenate([j, i[off]]), np.concatenate([x, x[off]])
    return coo_array((x, (i, j)), shape=(rows, columns))


def _dense(values: Array, rows: int, columns: int, symmetry: str) -> Array:
    count = rows * columns if symmetry == "general" else rows * (rows + 1) // 2
    if values.size != count:
        raise ValueError(f"it has {values.size} numbers; expected {count}")
    if symmetry == "general":
        return values.reshape(columns, rows).T
    out = np.zeros((rows, rows))
    j, i = np.triu_indices(rows)  # column by column, from the diagonal down
    out[i, j] = out[j, i] = values.ravel()
    return out
