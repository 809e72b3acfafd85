"""Statistics of a study's rows: summaries, sensitivity, Pareto front."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.errors import InputError
from lissom.listing import Listing
from lissom.spatial.rotations import Array

PERCENTILES = (5, 50, 95)
HEADS = ("output", "rows", "mean", "std", "min", *(f"{p} %" for p in PERCENTILES), "max")
CERTAIN = 0.95
RESAMPLES = 400
FEWEST = 3  # rows that a correlation needs


def summed_up(column: Array) -> dict[str, float]:
    """Return the statistics of a column by the names of `HEADS`, ignoring entries that are not finite."""
    x = column[np.isfinite(column)]
    if not x.size:
        return {"rows": 0} | dict.fromkeys(HEADS[2:], float("nan"))
    with np.errstate(over="ignore", invalid="ignore"):  # numbers so large that their squares are not
        spread = x.std(ddof=1) if x.size > 1 else 0.0
        numbers = [x.mean(), spread, x.min(), *np.percentile(x, PERCENTILES), x.max()]
    return {"rows": x.size} | dict(zip(HEADS[2:], map(float, numbers), strict=True))


def summary(columns: Mapping[str, Array]) -> Listing:
    """Return a table with one line per column."""
    found = {name: summed_up(column) for name, column in columns.items()}
    return Listing.of(HEADS, ([name, *map(_said, numbers.values())] for name, numbers in found.items()))


def _said(x: float) -> str:
    if np.isnan(x):
        return "-"
    return str(x) if isinstance(x, int) else f"{x:.4g}"


@dataclass(frozen=True, eq=False)
class StudySensitivity:
    """Sensitivity of an output to each parameter.

    Attributes
    ----------
    output : str
    parameters : tuple of names
    method : str                 "sobol" or "spearman"
    first : (d,)                 first-order Sobol' indices: fraction of the variance due to the parameter alone; or
                                 rank correlations, from -1 to 1
    total : (d,) or None         total Sobol' indices: fraction of the variance that involves the parameter
    first_interval, total_interval : (d, 2) or None    95 % confidence intervals
    """

    output: str
    parameters: tuple[str, ...]
    method: str
    first: Array
    total: Array | None = None
    first_interval: Array | None = None
    total_interval: Array | None = None

    def listing(self) -> Listing:
        """Return a table with one row per parameter, the most important first."""
        key = self.first if self.total is None else self.total
        order = np.argsort(-np.abs(key), kind="stable")
        if self.total is None or self.first_interval is None or self.total_interval is None:
            rows = [[self.parameters[k], f"{self.first[k]:.3f}"] for k in order]
            return Listing.of(("parameter", "rank correlation"), rows, self.output)
        rows = []
        for k in order:
            spans = [f"{low:.3f} to {high:.3f}" for low, high in (self.first_interval[k], self.total_interval[k])]
            rows.append([self.parameters[k], f"{self.first[k]:.3f}", spans[0], f"{self.total[k]:.3f}", spans[1]])
        return Listing.of(("parameter", "first order", "95 %", "total", "95 %"), rows, self.output)

    def describe(self) -> str:
        """Return the table as text."""
        return "\n".join([self.output, "", *self.listing().lines()])

    def __str__(self) -> str:
        return self.describe()

    def _repr_html_(self) -> str:
        return self.listing().html()


def sensitivity(
    output: str, parameters: Mapping[str, NDArray[Any]], values: Array, paired: tuple[str, ...], seed: int
) -> StudySensitivity:
    """Return Sobol' indices for a complete Saltelli sample, otherwise rank correlations."""
    if not parameters:
        raise InputError("sensitivity: this result has no parameters.")
    if paired and np.isfinite(values).all():
        return _some(_sobol(output, paired, values, seed), tuple(parameters))
    known = np.isfinite(values)
    if known.sum() < FEWEST:
        raise InputError(f"sensitivity: {output} has {int(known.sum())} values; expected at least {FEWEST}.")
    from scipy.stats import rankdata

    ranks = rankdata(values[known])
    first = [_correlation(rankdata(x[known]) if x.dtype.kind in "if" else None, ranks) for x in parameters.values()]
    return StudySensitivity(output, tuple(parameters), "spearman", np.array(first))


def _some(found: StudySensitivity, names: tuple[str, ...]) -> StudySensitivity:
    """Return the sensitivity of some of the parameters."""
    which = [found.parameters.index(name) for name in names]
    parts = (found.first, found.total, found.first_interval, found.total_interval)
    return StudySensitivity(found.output, names, found.method, *(np.asarray(part)[which] for part in parts))


def _correlation(a: Array | None, b: Array) -> float:
    """Return the rank correlation; NaN where values are constant or the parameter is text."""
    if a is None or np.ptp(a) == 0 or np.ptp(b) == 0:
        return float("nan")
    return float(np.corrcoef(a, b)[0, 1])


def _sobol(output: str, names: tuple[str, ...], values: Array, seed: int) -> StudySensitivity:
    """Return Sobol' indices by SciPy, from values at A, at B, and at A with one column of B each (see `design`).

    Its own bootstrap has no seed, takes 18 times as long for 4096 base points (it removes each point once), and gives
    NaN for parameters without influence: percentiles of resampled indices have none of these.
    """
    blocks = values.reshape(len(names) + 2, -1)
    if np.ptp(values) == 0:
        raise InputError(f"sensitivity: {output} is the same in all rows, so it depends on no parameter.")
    first, total = _indices(blocks)
    generator, count = np.random.default_rng(seed), blocks.shape[1]
    again = [_indices(blocks[:, generator.integers(0, count, count)]) for _ in range(RESAMPLES)]
    ends = (100 * (1 - CERTAIN) / 2, 100 * (1 + CERTAIN) / 2)
    spans = [np.percentile([x[k] for x in again], ends, axis=0).T for k in (0, 1)]
    return StudySensitivity(output, names, "sobol", first, total, *spans)


def _indices(blocks: Array) -> tuple[Array, Array]:
    from scipy.stats import sobol_indices

    given = {"f_A": blocks[:1], "f_B": blocks[1:2], "f_AB": blocks[2:, None, :]}
    found = sobol_indices(func=given, n=blocks.shape[1])
    return found.first_order.reshape(-1), found.total_order.reshape(-1)


def pareto(costs: Array) -> NDArray[np.intp]:
    """Return the indices of the Pareto-optimal rows of costs (n, k), sorted by the first cost."""
    known = np.flatnonzero(np.isfinite(costs).all(axis=1))
    order = known[np.lexsort(costs[known].T[::-1])]
    front: list[int] = []
    kept = np.empty((0, costs.shape[1]))
    for k in order:  # whoever betters it comes before it
        if not ((kept <= costs[k]).all(axis=1) & (kept < costs[k]).any(axis=1)).any():
            front.append(int(k))
            kept = np.vstack([kept, costs[k]])
    return np.array(front, np.intp)
