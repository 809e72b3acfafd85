"""Claims of Hollerbach 1980 about tables: of positions, of positions and rates, and of accelerations too."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.interpolate import RegularGridInterpolator

from lissom.dynamics.bodies import Bodies
from lissom.engine.trace import AsWritten
from lissom.formats.load import load
from lissom.formulations.counting import Tally, counted_state
from lissom.formulations.horn_raibert import Coefficients, coefficients, combined
from lissom.formulations.linkage import Linkage
from lissom.listing import Listing
from lissom.model.arm import Arm
from lissom.model.loads import Payload
from lissom.papers.claims import Claim, judged, limited
from lissom.papers.hollerbach1980.timed import PDP_OPERATION
from lissom.spatial.rotations import Array
from lissom.verbs.configuration_table import ConfigurationTable
from lissom.verbs.count import puma_like
from lissom.verbs.dynamics import bias_forces, inverse_dynamics, mass_matrix

POINTS = 9  # per axis of every table that is compared
FAST = 3.0  # rates and accelerations up to this [rad/s, rad/s^2]
TRIES = 5  # of a timed look-up, of which the quickest counts
SIX = 6
FINE = 33
TIB = 2.0**40


def claims_and_listing(tell: Callable[[str], object]) -> tuple[list[Claim], Listing]:
    """All claims about tables, and the three kinds side by side."""
    tell("filling tables")
    kinds = kinds_of_tables()
    return [*_drawbacks(), _eliminated(kinds), _no_cost(kinds[-1]), _sines()], _listing(kinds)


# ---- three kinds of tables ---------------------------------------------------------------------------------


class Table(NamedTuple):
    """Values (points, ..., width) over axes such as "qv", positions and rates; `six`: the width for six joints."""

    axes: str
    values: Array
    six: int


class Kind(NamedTuple):
    """A kind of table for two joints: its size, errors and time, and what six joints would take.

    memory, six_memory : bytes, for two joints and for six
    error, nearest : largest torque error, interpolated and of the nearest entry, relative to the largest torque
    read : numbers read per state to interpolate, for two joints and for six
    microseconds : CPU time per state, interpolated
    """

    name: str
    memory: int
    six_memory: float
    error: float
    nearest: float
    read: tuple[int, int]
    microseconds: float


def kinds_of_tables() -> list[Kind]:
    """Tables of Horn and Raibert, Raibert, and Albus, of the same arm on grids of the same spacing."""
    arm = load("two_link")
    q, qv, qva = (_grid(arm, kinds) for kinds in ("q", "qv", "qva"))
    J = mass_matrix(arm, q, packed=True)
    K = bias_forces(arm, qv[..., :2], qv[..., 2:])
    tau = inverse_dynamics(arm, qva[..., :2], qva[..., 2:4], qva[..., 4:])
    G_J_C = ConfigurationTable.build(arm, POINTS).values
    pairs = SIX * (SIX + 1) // 2
    return [
        _kind("Horn and Raibert: G, J, C of q", [Table("q", G_J_C, SIX + (SIX + 1) * pairs)], _by_positions),
        _kind("Raibert: J of q, K of q and qd", [Table("q", J, pairs), Table("qv", K, SIX)], _by_rates),
        _kind("Albus: torques of q, qd and qdd", [Table("qva", tau, SIX)], lambda tau, _v, _a: tau),
    ]


def _axes(arm: Arm, kinds: str) -> tuple[Array, ...]:
    """Grids of positions (q), rates (v) and accelerations (a) of all joints."""
    reach = {"q": np.pi, "v": FAST, "a": FAST}
    return tuple(np.linspace(-reach[kind], reach[kind], POINTS) for kind in kinds for _ in range(arm.dof))


def _grid(arm: Arm, kinds: str) -> Array:
    return np.stack(np.meshgrid(*_axes(arm, kinds), indexing="ij"), axis=-1)


def _kind(name: str, tables: list[Table], combined: Callable[..., Array]) -> Kind:
    """Errors and time at random states; `combined` makes torques of what the tables give, rates and accelerations."""
    arm = load("two_link")
    reach = np.array([np.pi, FAST, FAST])[:, None, None]
    state = dict(zip("qva", np.random.default_rng(1980).uniform(-reach, reach, (3, 4000, arm.dof)), strict=True))
    exact = inverse_dynamics(arm, *state.values())
    errors, seconds = [], []
    for method in ("linear", "nearest"):
        lookups = [RegularGridInterpolator(_axes(arm, t.axes), t.values, method) for t in tables]
        places = [np.hstack([state[axis] for axis in t.axes]) for t in tables]
        spent = []
        for _ in range(TRIES):
            start = time.process_time()
            tau = combined(*(look(place) for look, place in zip(lookups, places, strict=True)), state["v"], state["a"])
            spent.append(time.process_time() - start)
        seconds.append(min(spent))
        errors.append(float(np.abs(tau - exact).max() / np.abs(exact).max()))
    two = sum(2 ** (arm.dof * len(t.axes)) * t.values.shape[-1] for t in tables)
    six = sum(2 ** (SIX * len(t.axes)) * t.six for t in tables)
    need = sum(8.0 * t.six * float(POINTS) ** (SIX * len(t.axes)) for t in tables)
    memory = sum(t.values.nbytes for t in tables)
    return Kind(name, memory, need, errors[0], errors[1], (two, six), 1e6 * seconds[0] / len(exact))


def _square(packed: Array) -> Array:
    """Symmetric 2x2 matrices from their upper triangles."""
    return packed[..., [0, 1, 1, 2]].reshape(*packed.shape[:-1], 2, 2)


def _by_positions(rows: Array, v: Array, a: Array) -> Array:
    """G + J qdd + sum of C qd qd, of two joints."""
    C = _square(rows[:, 5:].reshape(-1, 2, 3))
    return rows[:, :2] + np.einsum("rij,rj->ri", _square(rows[:, 2:5]), a) + np.einsum("rijk,rj,rk->ri", C, v, v)


def _by_rates(J: Array, K: Array, _v: Array, a: Array) -> Array:
    return np.einsum("rij,rj->ri", _square(J), a) + K


def _size(number: float) -> str:
    """A number of bytes."""
    for unit in ("bytes", "kB", "MB", "GB", "TB", "PB"):
        if number < 1000:
            return f"{number:.3g} {unit}"
        number /= 1000
    return f"{number:.3g} EB"


def _listing(kinds: list[Kind]) -> Listing:
    heads = (
        "table",
        "memory",
        "worst error",
        "nearest entry",
        "numbers read",
        "CPU time",
        "six joints",
        "read for six",
    )
    rows = [
        (k.name, _size(k.memory), f"{100 * k.error:.1f} %", f"{100 * k.nearest:.0f} %", f"{k.read[0]}",
         f"{k.microseconds:.2f} us", _size(k.six_memory), f"{k.read[1]:,}")
        for k in kinds
    ]  # fmt: skip
    title = f"Tables of two joints, {POINTS} points per axis, rates and accelerations up to {FAST:g} (SI)"
    return Listing.of(heads, rows, title)


def _eliminated(kinds: list[Kind]) -> Claim:
    """What leaving axes out of a table is worth."""
    positions, rates, everything = kinds
    return judged(
        "Introduction",
        "Raibert's J(q), K(q, qd) take less memory than Albus' table of everything; Horn and Raibert tabulate "
        "positions only because of the large memory of both",
        f"{POINTS} points per axis, two joints: {', '.join(_size(k.memory) for k in reversed(kinds))}; six joints "
        f"{', '.join(_size(k.six_memory) for k in reversed(kinds))}; worst error "
        f"{', '.join(f'{100 * k.error:.1f} %' for k in reversed(kinds))} of the largest torque with rates and "
        f"accelerations up to {FAST:g} rad/s and rad/s^2",
        positions.memory < rates.memory < everything.memory and positions.error < 1.05 * everything.error,
        "rates enter as products and accelerations linearly: only positions need a grid",
        "memory falls from Albus to Raibert to Horn and Raibert, and the error grows by less than 5 %",
    )


def _no_cost(everything: Kind) -> Claim:
    return limited(
        "Introduction",
        "Albus' table gives the forces at no computational cost, by indexing",
        f"two joints, {POINTS} points per axis, rates and accelerations up to {FAST:g} rad/s and rad/s^2: the entry "
        f"that lies nearest is off by {100 * everything.nearest:.0f} % of the largest torque; interpolation, off by "
        f"{100 * everything.error:.1f} %, reads {everything.read[0]} numbers",
        everything.nearest > 2 * everything.error,
        f"no cost only without interpolation, which reads {everything.read[1]:,} numbers for six joints",
    )


# ---- the drawbacks of tables -------------------------------------------------------------------------------


def _drawbacks() -> list[Claim]:
    """The four difficulties that the introduction lists."""
    arm = load("two_link")
    tables = [ConfigurationTable.build(arm, points) for points in (9, FINE)]
    coarse, fine = (100 * table.error().worst for table in tables)
    small = ConfigurationTable.build(load("puma560"), 4)
    need = small.memory / 4**SIX * float(FINE) ** SIX
    six = 100 * small.error(200).worst
    return [
        judged(
            "Introduction",
            "tables must be enormous for a fine tessellation",
            f"{FINE} positions per joint: {_size(tables[1].memory)} for two joints, {_size(need)} for six",
            need > TIB,
            bar=f"six joints need more than {_size(TIB)}",
        ),
        _filling(),
        judged(
            "Introduction",
            "interpolation between stored values is a difficulty",
            f"positions over the ranges of the joints, rates and accelerations up to 1 rad/s and rad/s^2, errors "
            f"relative to the largest torque of each joint: two joints {coarse:.2g} % at worst with 9 positions per "
            f"joint, {fine:.2g} % with {FINE}; a PUMA 560 with 4, {_size(small.memory)}: {six:.0f} %",
            coarse > 1.0 and six > 10.0,
            "other rates and another measure than in the comparison of the three kinds of tables",
            "it is above 1 % with 9 positions, and above 10 % for six joints with 4",
        ),
        _other_load(tables[1]),
    ]


def _filling() -> Claim:
    """The operations of all entries, at the rate of the paper's computer."""
    tally = Tally(folded=False)
    coefficients(counted_state(Linkage(Bodies(puma_like(SIX))), tally))
    each, positions = tally.multiplications + tally.additions, FINE**SIX
    days = each * positions * PDP_OPERATION / 86400
    return judged(
        "Introduction",
        "filling the entries is a difficulty",
        f"{FINE}^{SIX} positions of six joints with {each:,} operations each, by our dense rule: {days / 365:,.0f} "
        "years at the rate that the paper gives for a PDP 11/45",
        days > 1,
        bar="it takes more than a day",
    )


def _other_load(table: ConfigurationTable) -> Claim:
    heavier = table.arm.with_payload(Payload(0.5))
    q, qd, qdd = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 200, 2))
    exact = inverse_dynamics(heavier, q, qd, qdd)
    off = float(np.abs(table.inverse_dynamics(q, qd, qdd) - exact).max() / np.abs(exact).max())
    return judged(
        "Introduction",
        "tables become useless if the load changes",
        f"0.5 kg in the hand of the two-link arm: torques off by {100 * off:.0f} %",
        off > 0.1,
        bar="it is more than 10 %",
    )


def _sines() -> Claim:
    """Sines and cosines that the recursion needs and the configuration-space form does not."""
    run = AsWritten()
    frames = Linkage(Bodies(puma_like(SIX))).frames(run.input(SIX))
    run.output([x for A in frames.A for row in A for x in row])
    table = AsWritten()
    G, J, C = table.input(SIX), table.input(SIX**2), table.input(SIX**3)
    square = [J[SIX * i : SIX * i + SIX] for i in range(SIX)]
    cube = [[C[SIX * (SIX * i + j) : SIX * (SIX * i + j) + SIX] for j in range(SIX)] for i in range(SIX)]
    table.output(combined(Coefficients(G, square, cube), table.input(SIX), table.input(SIX)))
    needed, without = (
        sum(node.op in ("sin", "cos") for node in program.graph(False).nodes) for program in (run, table)
    )
    return judged(
        "Configuration space",
        "with tables it is unnecessary to compute sines and cosines",
        f"six joints: {needed} for the matrices A_i of a recursion, {without} with tabulated coefficients",
        needed == 2 * SIX and without == 0,
        "the table is read at the angles themselves",
        "the program with tables has none, that of the matrices one of each per joint",
    )
