"""Random calls of public verbs with awkward arguments: each gives the bits of a plain call, or a `LissomError`.

    python -m tests.fuzz.fuzz_calls FIRST COUNT

tries calls FIRST to FIRST + COUNT in this process, within limits of time and memory, and prints a line of JSON.
"""

from __future__ import annotations

import dataclasses
import faulthandler
import json
import random
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from tests.arms import random_arm
from tests.fuzz.fuzz_arrays import Dressed, dressed
from tests.fuzz.fuzz_child import memory

import lissom as ls

TOP = Path(__file__).parents[2]
SECONDS = 60.0  # for one call; then the process is ended
MEMORY = 512 * 2**20  # bytes that one call may take beyond what the process has
BATCHES = ((), (), (), (1,), (3,), (4,), (5,), (0,), (2, 3), (1, 4), (2, 0), (70,), (2, 1, 2))


class Verb(NamedTuple):
    """words: its arrays by kind; out: it takes `out=`; more: other arguments, made for an arm.

    rows : it takes batches
    optional : its arrays may be left out
    call : what is called; the public function of this name by default
    """

    words: str
    out: bool = True
    threads: bool = True
    more: Callable[[random.Random, ls.Arm], dict[str, Any]] = lambda _chosen, _arm: {}
    rows: bool = True
    optional: bool = False
    call: Callable[..., Any] | None = None


def simulated(arm: ls.Arm, q: Any, qd: Any) -> Any:
    run = ls.simulate(arm, q, qd, until=2e-3, dt=1e-3)
    return run.t, run.q, run.qd


def reached(arm: ls.Arm, q: Any) -> Any:
    if q is None:
        raise ls.InputError("it is optional")
    link = arm.links[-1].name
    target = ls.pose(arm, arm.home, link)[:3, 3]
    return ls.inverse_kinematics(arm, target, link, match="position", q0=q, starts=2, on_failure="return").q


def frame(chosen: random.Random, arm: ls.Arm) -> dict[str, Any]:
    return {"link": chosen.choice([*arm.frames, "no such link", 3])}


def loads(chosen: random.Random, arm: ls.Arm) -> dict[str, Any]:
    if chosen.random() < 0.7:
        return {}
    name = chosen.choice(list(arm.frames))
    force = chosen.choice([(0, 0, 1.0), np.ones((3, 3)), np.float32([1, 2, 3]), [1, 2], np.ma.masked_all(3)])
    base = chosen.choice([None, "fast", 3])
    try:
        return {"loads": [ls.Load(name, force=force)], "base": base}
    except ls.LissomError:
        return {"loads": chosen.choice([None, "x", [3]])}


def packed(chosen: random.Random, _arm: ls.Arm) -> dict[str, Any]:
    return {"packed": chosen.choice([True, False, False])}


def method(chosen: random.Random, arm: ls.Arm) -> dict[str, Any]:
    return loads(chosen, arm) | ({"method": chosen.choice(["luh", "", 3, [], None])} if chosen.random() < 0.1 else {})


VERBS: dict[str, Verb] = {
    "inverse_dynamics": Verb("qva", more=method),
    "forward_dynamics": Verb("qvt", more=loads),
    "mass_matrix": Verb("q", more=packed),
    "bias_forces": Verb("qv"),
    "gravity_forces": Verb("q"),
    "poses": Verb("q"),
    "pose": Verb("q", more=frame),
    "jacobian": Verb("q", more=frame),
    "velocity": Verb("qv", more=frame),
    "acceleration": Verb("qva", more=frame),
    "kinetic_energy": Verb("qv", out=False),
    "potential_energy": Verb("q", out=False),
    "centre_of_mass": Verb("q", out=False),
    "momentum": Verb("qv", out=False),
    "regressor": Verb("qva"),
    "inverse_dynamics_gradient": Verb("qva"),
    "forward_dynamics_gradient": Verb("qvt"),
    "inverse_dynamics_product": Verb("qvat"),
    "inverse_dynamics_hessian": Verb("qvat"),
    "modes": Verb("q", out=False, threads=False, rows=False, optional=True),
    "linearise": Verb("qv", out=False, threads=False, rows=False, optional=True),
    "equilibrium": Verb("q", out=False, threads=False, rows=False, optional=True),
    "assemble": Verb("q", out=False, threads=False, rows=False, optional=True),
    "closure_forces": Verb("qva", out=False, threads=False, rows=False, optional=True),
    "deformation": Verb("q", out=False, threads=False, more=frame, rows=False),
    "simulate": Verb("qv", out=False, threads=False, rows=False, optional=True, call=simulated),
    "inverse_kinematics": Verb("q", out=False, threads=False, rows=False, call=reached),
}


# ---- arms and states -----------------------------------------------------------------------------------------------


ARMS = ("two_link", "puma560", "stanford", "tree_demo", "two_link_flexible", "four_bar", "random")


@cache
def arm_of(name: str) -> ls.Arm:
    if name == "random":
        return random_arm(5, 4)
    return ls.load(TOP / f"examples/{name}.toml" if name == "four_bar" else name)


@cache
def states(name: str) -> dict[str, np.ndarray]:
    """Rows of good positions, rates, accelerations and torques; loops are closed in all of them."""
    arm, numbers = arm_of(name), np.random.default_rng(3)
    small = np.where(np.isin(np.arange(arm.dof), arm.joint_index), 1.0, 1e-3)
    rows = [small * numbers.uniform(-1, 1, (4, arm.dof)) for _ in range(280)]
    if arm.loops:
        rows = rows[:40]
        for row in rows:
            found = ls.assemble(arm, row[0], qd=row[1], qdd=row[2])
            row[:3] = found.q, found.qd, found.qdd
    table = np.array(rows)
    return dict(zip("qvat", table.swapaxes(0, 1), strict=True))


def picked(chosen: random.Random, table: np.ndarray, batch: tuple[int, ...], at: int) -> np.ndarray:
    count = int(np.prod(batch)) if batch else 1
    rows = table[(at + np.arange(count)) % len(table)]
    return np.ascontiguousarray(rows.reshape(*batch, table.shape[1]) if batch else rows[0])


# ---- results -------------------------------------------------------------------------------------------------------


def arrays_of(result: Any) -> list[np.ndarray]:
    """Every number of a result, in order."""
    if isinstance(result, np.ndarray | float | int | complex | np.generic):
        return [np.asarray(result)]
    if isinstance(result, list | tuple):
        return [x for item in result for x in arrays_of(item)]
    if isinstance(result, ls.Arm | str) or result is None:
        return []
    if dataclasses.is_dataclass(result):
        return [x for f in dataclasses.fields(result) for x in arrays_of(getattr(result, f.name))]
    return []


def same(a: list[np.ndarray], b: list[np.ndarray]) -> bool:
    return len(a) == len(b) and all(
        x.shape == y.shape and x.tobytes() == y.tobytes() for x, y in zip(a, b, strict=True)
    )


def fresh_outs(chosen: random.Random, shapes: list[tuple[int, ...]], inputs: list[Any]) -> tuple[str, list[Any]]:
    """Arrays to write to: whole, strided, across an input, or wrong."""
    kind = chosen.choice(["whole", "Fortran", "strided", "across", "partly", "same", "shared", "wrong"])
    if kind == "whole":
        return kind, [np.full(shape, np.nan) for shape in shapes]
    if kind == "Fortran":
        return kind, [np.full(shape, np.nan, order="F") for shape in shapes]
    if kind == "strided":
        return kind, [np.full((*shape, 2), np.nan)[..., 0] for shape in shapes]
    if kind == "shared":
        one = np.full(max(1, *(int(np.prod(shape)) for shape in shapes)), np.nan)
        return kind, [one[: int(np.prod(shape))].reshape(shape) for shape in shapes]
    if kind == "wrong":
        what = chosen.choice(["float32", "shape", "read only", "list", "number", "repeated"])
        made: list[Any] = [np.full(shape, np.nan) for shape in shapes]
        if what == "float32":
            made = [x.astype(np.float32) for x in made]
        elif what == "shape":
            made = [np.zeros((*x.shape, 1)) for x in made]
        elif what == "read only":
            for x in made:
                x.flags.writeable = False
        elif what == "list":
            made = [x.tolist() for x in made]
        elif what == "number":
            made = [3.0 for _ in made]
        else:
            made = [np.broadcast_to(np.zeros(()), x.shape) if x.size > 1 else np.zeros((*x.shape, 1)) for x in made]
        return f"wrong: {what}", made
    if kind == "same":  # an input itself, where its shape is that of a result
        for k, shape in enumerate(shapes):
            for x in inputs:
                if type(x) is np.ndarray and x.shape == shape and x.dtype == float and x.flags.writeable:
                    return kind, [x if i == k else np.full(s, np.nan) for i, s in enumerate(shapes)]
    return "whole", [np.full(shape, np.nan) for shape in shapes]


def overlapping(chosen: random.Random, plain: np.ndarray, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """A copy of an input and an array for a result, in one piece of memory."""
    size = int(np.prod(shape))
    shift = chosen.randrange(0, plain.size + 1)
    room = np.full(plain.size + size + 1, np.nan)
    held = room[: plain.size].reshape(plain.shape)
    held[...] = plain
    return held, room[shift : shift + size].reshape(shape)


# ---- one call ------------------------------------------------------------------------------------------------------


class Told:
    """What was met."""

    def __init__(self) -> None:
        self.same = self.refused = 0
        self.widest = 0
        self.failures: list[tuple[int, str]] = []


def attempt(call: Callable[[], Any]) -> tuple[Any, BaseException | None]:
    try:
        return call(), None
    except Exception as error:
        return None, error


def try_call(k: int, told: Told, names: Sequence[str] = ARMS, verbs: Sequence[str] = tuple(VERBS)) -> None:
    """Call number k of some arms and verbs; the same arguments every time."""
    chosen = random.Random(f"call {k}")
    verb = chosen.choice(verbs)
    how, name = VERBS[verb], chosen.choice(names)
    arm = arm_of(name)
    function = how.call or getattr(ls, verb)
    batch = chosen.choice(BATCHES) if how.rows else ()
    at = chosen.randrange(100)
    plain = [picked(chosen, states(name)[word], batch, at) for word in how.words]
    if batch and chosen.random() < 0.15:  # one of them is the same for all
        plain[-1] = picked(chosen, states(name)[how.words[-1]], (), at)
    if batch and chosen.random() < 0.05:  # batches that do not fit together
        plain[-1] = picked(chosen, states(name)[how.words[-1]], (*batch[:-1], batch[-1] + 7), at)
    made = [dressed(chosen, x) if chosen.random() < 0.6 else ("plain", Dressed(x.copy(), x)) for x in plain]
    story = [f"{verb} of {name}, batch {batch}", *(guise for guise, _ in made)]
    values: list[Any] = [value for _, (value, _) in made]
    options = how.more(chosen, arm)
    refused = any(means is None and not (how.optional and value is None) for _, (value, means) in made)
    if how.optional and any(value is None for value in values):  # then there is nothing to compare with
        return
    means = [x if m is None else m for x, (_, (_, m)) in zip(plain, made, strict=True)]
    expected, why = attempt(lambda: function(arm, *(x.copy() for x in means), **options))
    if how.threads and chosen.random() < 0.3:
        threads = chosen.choice([1, 2, 3, np.int64(2), 0, -1, True, 1.5, "2", None])
        options, story = options | {"threads": threads}, [*story, f"threads {threads!r}"]
        refused |= threads in (0, -1, 1.5, "2") or threads is True
    across = False
    if how.out and why is None and chosen.random() < 0.5:
        results = list(expected) if isinstance(expected, tuple) else [expected]
        shapes = [x.shape for x in results]
        kind, outs = fresh_outs(chosen, shapes, values)
        if chosen.random() < 0.3 and not refused and len(outs) == 1 and not kind.startswith("wrong"):
            which = chosen.randrange(len(values))
            values[which], outs[0] = overlapping(chosen, means[which], shapes[0])
            kind = "partly"
        across = kind in ("same", "partly")
        refused |= kind.startswith("wrong") or (kind == "shared" and len(shapes) > 1 and sum(map(np.prod, shapes)) > 0)
        if len(outs) > 1:
            outs = type(expected)(*outs) if hasattr(expected, "_fields") else tuple(outs)
        options, story = options | {"out": outs if len(results) > 1 else outs[0]}, [*story, f"out {kind}"]
    before = [x.tobytes() if isinstance(x, np.ndarray) else None for x in values]
    found, error = attempt(lambda: function(arm, *values, **options))
    judge(k, story, told, expected, why, found, error, refused, across)
    changed = [i for i, x in enumerate(values) if before[i] is not None and x.tobytes() != before[i]]
    if changed and not across:
        told.failures.append((k, f"{story}: argument {changed} was changed"))


def judge(
    k: int, story: list[str], told: Told, expected: Any, why: Any, found: Any, error: Any, refused: bool, across: bool
) -> None:
    if error is not None and not isinstance(error, ls.LissomError):
        told.failures.append((k, f"{story}: {''.join(traceback.format_exception(error))[-2500:]}"))
    elif why is not None and not isinstance(why, ls.LissomError):
        told.failures.append((k, f"{story}: plainly: {''.join(traceback.format_exception(why))[-2500:]}"))
    elif error is not None:
        told.refused += 1
        if not str(error).strip():
            told.failures.append((k, f"{story}: a refusal without a sentence"))
        elif why is None and not refused and not across:
            told.failures.append((k, f"{story}: refused although the plain call is not: {error}"))
    elif refused:
        told.failures.append((k, f"{story}: not refused"))
    elif why is not None:
        told.failures.append((k, f"{story}: not refused although the plain call is: {why}"))
    else:
        told.same += 1
        a, b = arrays_of(found), arrays_of(expected)
        if not same(a, b):
            pairs = [(x, y) for x, y in zip(a, b, strict=False) if x.shape == y.shape and x.size]
            off = max((float(np.abs(x - y).max()) for x, y in pairs), default=np.nan)
            told.failures.append((k, f"{story}: other numbers, by up to {off:g}"))
        elif not all(np.isfinite(x).all() for x in a if x.dtype.kind in "fc"):
            told.failures.append((k, f"{story}: numbers that are not finite"))


def main(first: int, count: int) -> Told:
    """Calls `first` to `first + count`."""
    told = Told()
    warnings.simplefilter("ignore")
    warnings.simplefilter("error", RuntimeWarning)
    clear = Path("/proc/self/clear_refs")
    for k in range(first, first + count):
        print(k, file=sys.stderr, flush=True)
        if clear.exists():
            clear.write_text("5", "ascii")
        before = memory("VmRSS")
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        try_call(k, told)
        faulthandler.cancel_dump_traceback_later()
        wide = memory("VmHWM") - before
        told.widest = max(told.widest, wide)
        if wide > MEMORY:
            told.failures.append((k, f"took {wide / 2**20:.0f} MiB"))
    return told


if __name__ == "__main__":
    print(json.dumps(vars(main(int(sys.argv[1]), int(sys.argv[2])))), flush=True)
