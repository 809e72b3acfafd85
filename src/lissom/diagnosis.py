"""Installation check: versions, processor, cache, a self-test of every formulation, and speed."""

from __future__ import annotations

import importlib.util
import os
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from lissom.engine import cache, compile as compiler
from lissom.formats.load import load
from lissom.listing import Listing
from lissom.markup import Markup, paragraphs
from lissom.model.arm import Arm
from lissom.model.beam import Beam, Modes
from lissom.model.limits import Limits
from lissom.model.link import Link
from lissom.motion.public import predict_motion
from lissom.simulation.simulate import simulate
from lissom.verbs.count import bending_chain, puma_like
from lissom.verbs.dynamics import forward_dynamics, inverse_dynamics
from lissom.verbs.formulations import FormulationInfo, formulations
from lissom.verbs.modes import modes
from lissom.verbs.sensitivity import inverse_dynamics_gradient
from lissom.versions import versions

PACKAGES = ("numpy", "scipy", "casadi", "llvmlite", "xarray", "h5netcdf", "matplotlib", "rich", "typer")
EXTRAS = {"viewer": "viser", "mujoco": "mujoco", "control": "control", "parquet": "pyarrow", "studies": "cloudpickle",
          "symbolic": "sympy", "cluster": "distributed"}  # fmt: skip
VECTORS = ("avx512f", "avx2", "fma", "neon", "sve")  # features worth knowing of a processor
AGREE = 1e-9  # relative; formulations that sum in other orders differ by some 1e-13
STATES = 4096
ROUNDS = 7


class Check(NamedTuple):
    """One check: its name, whether it passed, and what was found."""

    what: str
    ok: bool
    found: str


@dataclass(frozen=True)
class Diagnosis:
    """Result of `doctor`.

    versions, machine : dict        names and values, text
    checks : tuple of Check
    nanoseconds : dict              CPU time per state of a six-joint arm, one core, by verb
    ok : bool                       all checks passed
    """

    versions: dict[str, str]
    machine: dict[str, str]
    checks: tuple[Check, ...]
    nanoseconds: dict[str, float]

    @property
    def ok(self) -> bool:
        """Whether all checks passed."""
        return all(check.ok for check in self.checks)

    def listings(self) -> tuple[Listing, ...]:
        """Tables of versions, machine, checks and speeds."""
        checks = [(check.what, "ok" if check.ok else "FAILED", check.found) for check in self.checks]
        speeds = [(verb, f"{ns:.3g}") for verb, ns in self.nanoseconds.items()]
        return (
            Listing.of(("installed", "version"), self.versions.items()),
            Listing.of(("machine", ""), self.machine.items()),
            Listing.of(("tried", "", "found"), checks),
            Listing.of(("six joints, one core", "ns per state"), speeds),
        )

    def verdict(self) -> str:
        """Return one sentence: how many checks passed, and which failed."""
        failed = [check.what for check in self.checks if not check.ok]
        if not failed:
            return f"all {len(self.checks)} checks passed"
        return f"{len(failed)} of {len(self.checks)} checks failed: {', '.join(failed)}"

    def describe(self) -> str:
        """Return the tables and the verdict as text."""
        return "\n".join(line for listing in self.listings() for line in (*listing.lines(), "")) + self.verdict()

    def __str__(self) -> str:
        return self.describe()

    def _repr_html_(self) -> str:
        return Markup("".join(listing.html() for listing in self.listings()) + paragraphs([self.verdict()]))


def doctor(progress: Callable[[str], object] | None = None) -> Diagnosis:
    """Check this installation: versions, machine, a self-test of every formulation, and speed.

    It takes some seconds, and half a minute the first time, to compile.

    Parameters
    ----------
    progress : callable or None     called with the name of each check

    Returns
    -------
    Diagnosis
        `.ok`, `.checks`, `.versions`, `.machine`, `.nanoseconds`; `print` shows tables of these

    Examples
    --------
    >>> import lissom as ls
    >>> found = ls.doctor()
    >>> found.ok
    True
    >>> [check.what for check in found.checks][:3]
    ['cache of compiled code', 'formulation uicker_kahn', 'formulation waters']
    """
    tell = progress or (lambda _words: None)
    checks = []
    for what, try_it in _trials():
        tell(what)
        checks.append(_tried(what, try_it))
    tell("speed")
    machine, speeds = _known(_machine), _known(_speeds)
    return Diagnosis(versions(PACKAGES), machine, tuple(checks), speeds)


def _known(look: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The result of a lookup, empty if it fails; the checks report a broken engine."""
    try:
        return look()
    except Exception:
        return {}


def _tried(what: str, try_it: Callable[[], tuple[bool, str]]) -> Check:
    """The result of a check; any exception counts as a failure."""
    try:
        return Check(what, *try_it())
    except Exception as error:
        return Check(what, False, f"{type(error).__name__}: {error}")


def _machine() -> dict[str, str]:
    triple, cpu, features = compiler.host()
    vectors = [word for word in VECTORS if f"+{word}" in features.split(",")]
    extras = [f"{extra} {'yes' if importlib.util.find_spec(module) else 'no'}" for extra, module in EXTRAS.items()]
    return {
        "system": f"{platform.system()} {platform.release()}, {triple}",
        "processor": f"{cpu}, {os.cpu_count()} cores, {', '.join(vectors) or 'no wide vectors'}",
        "extras": ", ".join(extras),
    }


# ---- what is tried ------------------------------------------------------------------------------


def _trials() -> Iterator[tuple[str, Callable[[], tuple[bool, str]]]]:
    yield "cache of compiled code", _cache
    for info in formulations():
        yield f"formulation {info.name}", partial(_agrees, info)
    yield "forward undoes inverse dynamics", _undone
    yield "gradient against differences", _gradient
    yield "frequency of a cantilever", _cantilever
    yield "energy of a simulated run", _energy
    yield "a motion predicted and replayed", _motion


def _cache() -> tuple[bool, str]:
    """Check the cache; a cache that was turned off passes."""
    folder = cache.directory()
    if folder is None:
        off = os.environ.get("LISSOM_CACHE") == ""
        return off, "turned off" if off else "no directory that only you can write to; set LISSOM_CACHE"
    sizes = [entry.size for entry in cache.entries(folder)]
    used, cap = sum(sizes) / cache.MIB, cache.cap() / cache.MIB
    return True, f"{folder}: {len(sizes)} entries, {used:.1f} of at most {cap:g} MiB"


def _state(arm: Arm, rows: tuple[int, ...] = ()) -> tuple[Any, Any, Any]:
    """A generic state; amplitudes of modes are small."""
    rng = np.random.default_rng(5)
    q, qd, qdd = rng.uniform(-1, 1, (3, *rows, arm.dof))
    for x in (q, qd, qdd):
        x[..., arm.mode_index] *= 0.02
    return q, qd, qdd


def _apart(a: Any, b: Any) -> float:
    return float(np.abs(a - b).max() / np.abs(b).max())


def _agrees(info: FormulationInfo) -> tuple[bool, str]:
    """Compare a formulation with the fast path, on an arm that it covers."""
    planar = "flexible" in info.links
    arm = bending_chain(2).replace(flexibility="linear") if planar else puma_like(4)
    q, qd, x = _state(arm)
    if planar:
        q[arm.mode_index] = 0.0  # the closed form keeps other terms of higher order
    call = forward_dynamics if info.direction == "forward" else inverse_dynamics
    error = _apart(call(arm, q, qd, x, method=info.name), call(arm, q, qd, x))
    return error < AGREE, f"{error:.1e} from the fast path"


def _undone() -> tuple[bool, str]:
    arm = load("two_link_flexible")
    q, qd, qdd = _state(arm)
    error = _apart(forward_dynamics(arm, q, qd, inverse_dynamics(arm, q, qd, qdd)), qdd)
    return error < AGREE, f"{error:.1e}"


def _gradient() -> tuple[bool, str]:
    """Compare the gradient with central differences, which are accurate to about 1e-9 here."""
    arm, step = puma_like(6), 1e-5
    q, qd, qdd = _state(arm)
    shifts = step * np.eye(arm.dof)
    ahead, behind = (inverse_dynamics(arm, q + sign * shifts, qd, qdd) for sign in (1, -1))
    error = _apart(inverse_dynamics_gradient(arm, q, qd, qdd).q, ((ahead - behind) / (2 * step)).T)
    return error < 1e-7, f"{error:.1e}"


def _cantilever() -> tuple[bool, str]:
    """Compare the frequency of a uniform beam with 1.8751^2 sqrt(EI / rhoA L^4)."""
    length, density, stiffness = 0.8, 0.5, 3.0
    beam = Beam(length, density, EI=(None, stiffness), modes=Modes(bending_z=3))
    arm = Arm("beam", (Link("beam", beam=beam),), gravity=(0.0, 0.0, 0.0))
    exact = 1.875104068711961**2 * np.sqrt(stiffness / (density * length**4)) / (2 * np.pi)
    error = abs(float(modes(arm).frequencies_hz[0]) / exact - 1)
    return error < 1e-6, f"{error:.1e} from the exact one"


def _energy() -> tuple[bool, str]:
    run = simulate(load("two_link"), [0.4, -0.3], until=1.0)
    return run.ok and run.balance_error < 1e-6, f"balanced to {run.balance_error:.1e}"


def _motion() -> tuple[bool, str]:
    limits = Limits(torque=10.0)
    motion = predict_motion(load("two_link"), start=[0.0, -2.0], goal=[1.0, -1.0], limits=limits, segments=10)
    played = motion.verify()
    return motion.ok and played.ok, f"{motion.duration:.4f} s, {motion.status}; {played.status}"


# ---- speed --------------------------------------------------------------------------------------


def _speeds() -> dict[str, float]:
    """CPU time per state of a batch, the best of some rounds."""
    arm = puma_like(6)
    q, qd, x = _state(arm, (STATES,))
    verbs: dict[str, Callable[[], Any]] = {
        "inverse dynamics": lambda: inverse_dynamics(arm, q, qd, x, threads=1),
        "forward dynamics": lambda: forward_dynamics(arm, q, qd, x, threads=1),
        "gradient of inverse dynamics": lambda: inverse_dynamics_gradient(arm, q, qd, x, threads=1),
    }
    return {verb: _best(call) for verb, call in verbs.items()}


def _best(call: Callable[[], Any]) -> float:
    call()  # compiled, and memory at hand
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return 1e9 * min(times) / STATES
