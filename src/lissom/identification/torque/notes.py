"""Sentences about a result: what to know before it is used."""

from __future__ import annotations

import numpy as np

from lissom.errors import listed
from lissom.identification.fit.masks import Mask
from lissom.identification.fit.pseudo_inertia import COUNT
from lissom.identification.result.arms import unheld
from lissom.identification.result.check import TorqueFit
from lissom.identification.result.table import ParameterTable
from lissom.identification.torque.attenuation import attenuation
from lissom.identification.torque.estimate import Estimate

UNEXPLAINED = 0.5  # of the torque of a joint: a residual above says that the model is of another machine
LITTLE = 0.05  # of the largest changes of a torque of the arm: less may be noise of a joint that bears hardly anything
RESOLVED = 2e-3  # of the torque limit of a joint: no smaller torque is told from noise
AGAINST = -0.5  # correlation of torques with those of the given arm
OTHER_UNIT = 5.0  # times the torques of the given arm, where most of them are and in all: masses are known better
WORTH = 0.05  # of the changes of a torque: a smaller residual is no reason for doubt
HEAVIER = 1.5  # times the given mass of a link, or the inverse: more than estimates of masses usually err
UNLIKE = 0.5  # of the torques: an error of the given arm that large is not that of a few masses
HEAVY = 0.1  # of the mass of the arm
WORSE = 1.5  # times the residual without constraints: physical consistency costs more than it should


def notes(
    found: Estimate, table: ParameterTable, fits: tuple[TorqueFit, ...], moves: Mask, cutoff_hz: float
) -> tuple[str, ...]:
    """All sentences about an estimate; `moves` (n,) are the joints that move in some log."""
    return (
        *_resting(fits, moves),
        *_unexplained(found, fits, moves),
        *_other_unit(fits),
        *_reversed(fits),
        *_inconsistent(found, fits),
        *_filtered(fits, cutoff_hz),
        *_masses(found, fits),
        *_not_identifiable(table),
        *_confounded(found),
        *_left_out(found),
    )


def _resting(fits: tuple[TorqueFit, ...], moves: Mask) -> list[str]:
    """Joints that are at rest in all logs, where friction holds them with any torque."""
    still = [name for name, moving in zip(fits[0].joints, moves, strict=True) if not moving]
    if not still:
        return []
    return [
        f"{listed(still, 8)} {'rests' if len(still) == 1 else 'rest'} in these logs: friction and drive inertia there "
        "are as given, and the measured torque may be that of sticking."
    ]


def _unexplained(found: Estimate, fits: tuple[TorqueFit, ...], moves: Mask) -> list[str]:
    """Joints whose torques the model does not explain, though they are more than noise."""
    measured, residuals = (np.concatenate([getattr(fit, word) for fit in fits]) for word in ("measured", "residuals"))
    errors, spread = np.sqrt(np.mean(residuals**2, axis=0)), measured.std(axis=0)
    limits = found.model.arm.bounds("torque")[1]
    units = np.array(fits[0].units)
    largest = np.array([spread[units == unit].max() for unit in units])
    least = np.maximum(LITTLE * largest, RESOLVED * np.where(np.isfinite(limits), limits, 0.0))
    share = errors / np.maximum(spread, 1e-12)
    doubtful = moves & (np.ptp(measured, axis=0) > 0.0) & (share > UNEXPLAINED) & (errors > least)
    bad = [f"{fits[0].joints[k]} ({100 * share[k]:.0f} %)" for k in np.flatnonzero(doubtful)]
    if not bad:
        return []
    return [
        f"the residuals of {listed(bad, 6)} are large against the changes of their torques: the log may be of another "
        "robot, its joints in another order or with another sign, or the joints hardly move."
    ]


def _other_unit(fits: tuple[TorqueFit, ...]) -> list[str]:
    """Torques whose size is not that of the given arm's: of another unit, or before the gear."""
    measured, before = (np.concatenate([getattr(fit, word) for fit in fits]) for word in ("measured", "before"))
    sizes, expected = (np.median(np.abs(x), axis=0) for x in (measured, before))
    some = (sizes > 0.0) & (expected > 0.0)
    if not some.any():
        return []
    ratio = sizes[some] / expected[some]
    whole = sizes.sum() / expected.sum()  # friction may be most of the torque of small joints, not of all of them
    beyond = ratio > OTHER_UNIT if whole > 1.0 else ratio < 1 / OTHER_UNIT
    most = expected[some][beyond].sum() > 0.5 * expected[some].sum()
    if not most or 1 / OTHER_UNIT <= whole <= OTHER_UNIT:
        return []
    factor, word = (whole, "larger") if whole > 1.0 else (1 / whole, "smaller")
    about = float(f"{factor:.1g}")
    return [
        f"torques are about {about:g} times {word} than those of the arm given: check their unit (N mm, per cent, "
        "currents), and whether they are those of motors, without the gear ratio; load_log takes scale={'tau': ...}. "
        "Otherwise the masses of the arm given are far off."
    ]


def _reversed(fits: tuple[TorqueFit, ...]) -> list[str]:
    """Joints whose torques run against those of the given arm."""
    measured, before = (np.concatenate([getattr(fit, word) for fit in fits]) for word in ("measured", "before"))
    against = []
    for name, x, y in zip(fits[0].joints, measured.T, before.T, strict=True):
        if np.ptp(x) > 0.0 and np.ptp(y) > 0.0 and np.corrcoef(x, y)[0, 1] < AGAINST:
            against.append(name)
    if not against:
        return []
    return [f"torques of {listed(against, 6)} run against those of the given arm: check their sign, or their axes."]


def _inconsistent(found: Estimate, fits: tuple[TorqueFit, ...]) -> list[str]:
    """Joints that fit much worse with bodies that can exist."""
    free = np.sqrt(np.mean(np.concatenate(found.regression.residuals) ** 2, axis=0))
    held = np.sqrt(np.mean(np.concatenate([fit.residuals for fit in fits]) ** 2, axis=0))
    measured = np.concatenate([fit.measured for fit in fits])
    least = WORTH * np.linalg.norm(measured - measured.mean(axis=0), axis=0) / np.sqrt(len(measured))
    bad = [name for name, a, b, c in zip(fits[0].joints, free, held, least, strict=True) if b > max(WORSE * a, c)]
    if not bad:
        return []
    return [
        f"torques of {listed(bad, 6)} would be fitted much better by masses that cannot exist, or far from those "
        "given: check whether the log is of this robot, kinematics, order of joints, gravity, signs and units of the "
        "torques, or lower `strength`."
    ]


def _filtered(fits: tuple[TorqueFit, ...], cutoff_hz: float) -> list[str]:
    """Torques that went through a filter of their own."""
    sentence = attenuation(fits, cutoff_hz)
    return [] if sentence is None else [sentence]


def _masses(found: Estimate, fits: tuple[TorqueFit, ...]) -> list[str]:
    """Links whose mass is far from the given one."""
    inertias, arm = found.model.inertias, found.model.arm
    given, now = inertias.pseudo[:, 3, 3], found.x[: COUNT * len(inertias.links) : COUNT]
    off = np.maximum(now / given, given / now)
    if not (off > HEAVIER).any():
        return []
    far = [f"{arm.links[inertias.links[k]].name} ({given[k]:.3g} to {now[k]:.3g} kg)"
           for k in np.flatnonzero(off > HEAVIER)]  # fmt: skip
    heavy = np.maximum(now, given) > HEAVY * arm.mass
    unlike = (off[heavy] > HEAVIER).any() and _missed_before(fits) > UNLIKE
    other = "; the log may be of another robot, or in other units" if unlike else ""
    return [
        f"the masses of {listed(far, 6)} are far from those given{other}. Torques show combinations of masses, seldom "
        "a mass: check the given masses, inertias and drive inertia, and give better ones where you have them."
    ]


def _missed_before(fits: tuple[TorqueFit, ...]) -> float:
    """Errors of the given arm over the torques, those of all joints together."""
    errors, sizes = (
        np.sum([np.sqrt(np.mean(x**2, axis=0)).sum() for x in parts])
        for parts in ([fit.measured - fit.before for fit in fits], [fit.measured for fit in fits])
    )
    return float(errors / max(sizes, 1e-300))


def _not_identifiable(table: ParameterTable) -> list[str]:
    """Parameters that the logs do not show."""
    silent = [row.name.split(" ")[0] for row in table if not np.isfinite(row.std)]
    weak = [row.name.split(" ")[0] for row in table if np.isfinite(row.std) and not row.identifiable]
    out = []
    if silent:
        out.append(f"the logs do not excite {listed(silent, 8)}: they keep what is given.")
    if weak:
        out.append(
            f"{len(weak)} of {len(table)} parameters are not identifiable from these logs ({listed(weak, 6)}): in the "
            "arm they are held by the prior and by physical consistency."
        )
    return out


def _confounded(found: Estimate) -> list[str]:
    """Columns of the user's own that act as parameters of the arm do."""
    leaders = {found.model.terms.names[k] for k in found.base.kept}
    same = [name for name in found.model.extras.terms.names if name not in leaders]
    return [
        f"{name} acts as parameters of the arm do, and has no value of its own: the table has it in their rows."
        for name in same
    ]


def _left_out(found: Estimate) -> list[str]:
    terms = unheld(found.law, found.model)
    if not terms:
        return []
    return [f"an arm has no field for {listed(terms, 8)}: `check` and `plot` include these torques, `arm` does not."]
