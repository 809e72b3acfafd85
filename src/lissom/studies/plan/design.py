"""The parameter values of a study's rows: grids, lists, and random or low-discrepancy samples."""

from __future__ import annotations

import hashlib
import math
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.errors import InputError, shown, suggest
from lissom.spatial.rotations import Array
from lissom.studies.plan.parameter import StudyParameter

MOST_ROWS = 10_000_000
MOST_VALUES = 100_000_000  # of all parameters in all rows
SAMPLED = ("random", "latin_hypercube", "sobol", "saltelli")
SAMPLINGS = {
    "grid": "every combination of the values",
    "list": "the first value of every parameter, then the second ones, ...",
    "random": "independent",
    "latin_hypercube": "Latin hypercube: one sample in each of `count` equal intervals of every parameter",
    "sobol": "scrambled Sobol' points, evenly spread over the parameter space",
    "saltelli": "Saltelli's design for Sobol' indices; count is the number of base points, not of rows",
}
Columns = dict[str, NDArray[Any]]


def rows_of(parameters: Mapping[str, StudyParameter], sampling: str, count: int | None, verb: str) -> int:
    """Return the number of rows, after checks; no values are computed yet."""
    if sampling not in SAMPLINGS:
        raise InputError(f"{verb}: sampling is {shown(sampling)}; {suggest(str(sampling), SAMPLINGS)}")
    if sampling in SAMPLED:
        rows = _count(count, sampling, verb) * (len(parameters) + 2 if sampling == "saltelli" else 1)
    else:
        if count is not None:
            raise InputError(
                f"{verb}: count is {shown(count)}, but the values decide the rows of a {sampling}; omit it."
            )
        lengths = {name: _listed(name, parameter, sampling, verb) for name, parameter in parameters.items()}
        rows = math.prod(lengths.values()) if sampling == "grid" else _common(lengths, verb)
    most = min(MOST_ROWS, MOST_VALUES // len(parameters))
    if rows > most:
        many = f"{rows:,}" if rows < 10**18 else f"{float(min(rows, 10**300)):.1e}"
        raise InputError(f"{verb}: the study would have {many} rows; at most {most:,} are allowed. Use fewer values.")
    return rows


def _count(count: Any, sampling: str, verb: str) -> int:
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
        raise InputError(f"{verb}: count is {shown(count)}; {sampling} samples need a whole number, at least 1.")
    if sampling == "saltelli" and count & (count - 1):
        near = 1 << int(count).bit_length()
        raise InputError(f"{verb}: count is {count}; saltelli samples need a power of 2, for example {near}.")
    return int(count)


def _listed(name: str, parameter: StudyParameter, sampling: str, verb: str) -> int:
    if not parameter.length:
        raise InputError(
            f"{verb}: parameter {name!r} is {parameter.spread}, which has no list of values; sampling={sampling!r} "
            "needs values, grid or log_grid. Or sample: " + ", ".join(SAMPLED) + "."
        )
    return parameter.length


def _common(lengths: Mapping[str, int], verb: str) -> int:
    if len(set(lengths.values())) != 1:
        have = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise InputError(f"{verb}: sampling='list' needs equally many values of every parameter, but there are {have}.")
    return next(iter(lengths.values()))


def design(parameters: Mapping[str, StudyParameter], sampling: str, count: int | None, seed: int) -> Columns:
    """Return the values of all rows, one column per parameter; reproducible for the same settings and seed."""
    if sampling in SAMPLED:
        u = _sampled(len(parameters), sampling, int(count or 0), seed)
        return {name: np.asarray(p.drawn(u[:, k])) for k, (name, p) in enumerate(parameters.items())}
    columns = {name: parameter.column for name, parameter in parameters.items()}
    if sampling == "list":
        return columns
    rest = np.arange(math.prod(len(x) for x in columns.values()))
    for name, x in reversed(columns.items()):  # the last varies fastest
        rest, at = np.divmod(rest, len(x))
        columns[name] = x[at]
    return columns


def _sampled(d: int, sampling: str, count: int, seed: int) -> Array:
    """(rows, d) samples between 0 and 1."""
    if sampling == "random":
        return np.random.default_rng(seed).random((count, d))
    if sampling == "latin_hypercube":
        return np.asarray(_engine("LatinHypercube", d, seed).random(count))
    if sampling == "saltelli":
        return _saltelli(d, count, seed)
    return _sobol(d, count, seed)


def _sobol(d: int, count: int, seed: int) -> Array:
    with warnings.catch_warnings():  # that balance is best at powers of two is in the docs
        warnings.simplefilter("ignore", UserWarning)
        return np.asarray(_engine("Sobol", d, seed).random(count))


def _engine(kind: str, d: int, seed: int) -> Any:
    from scipy.stats import qmc

    generator = np.random.default_rng(seed)
    try:
        return getattr(qmc, kind)(d, rng=generator)
    except TypeError:  # SciPy before 1.15
        return getattr(qmc, kind)(d, seed=generator)


def _saltelli(d: int, count: int, seed: int) -> Array:
    """((d + 2) count, d): A, B, and d times A with one column of B, as SciPy's sobol_indices wants their values."""
    A, B = np.hsplit(_sobol(2 * d, count, seed), 2)
    return np.concatenate([A, B, *np.where(np.eye(d, dtype=bool)[:, None], B, A)])


def seeds(study_seed: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a seed for every row, from the row's number and the study's seed alone (SplitMix64)."""
    start = np.uint64(int.from_bytes(hashlib.sha256(str(study_seed).encode()).digest()[:8], "little"))
    with np.errstate(over="ignore"):
        x = start + (rows.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        x ^= x >> np.uint64(31)
    return (x >> np.uint64(1)).astype(np.int64)
