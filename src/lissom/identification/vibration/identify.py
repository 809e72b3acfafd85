"""`identify_modes`: stiffness and damping of an arm from measured natural frequencies and damping ratios."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Never

import numpy as np

from lissom.errors import InputError, UnsupportedError, listed, shown
from lissom.identification.parameters import Flags, Numbers
from lissom.identification.result.table import ParameterTable
from lissom.identification.vibration.eigenvalues import Eigenvalues, Predicted
from lissom.identification.vibration.fit import USUAL_DAMPING, USUAL_HZ, ModalFit, fit
from lissom.identification.vibration.measured_modes import MeasuredModes, as_measured
from lissom.identification.vibration.result import ModalIdentification
from lissom.keywords import check_keywords, without_unknown
from lissom.model.arm import Arm

VERB = "identify_modes"
WORSE = 5.0  # times the usual errors


@without_unknown
def identify_modes(
    arm: Arm,
    measured: MeasuredModes | Sequence[MeasuredModes],
    parameters: Sequence[str] | None = None,
    **unknown: Never,
) -> ModalIdentification:
    """Identify stiffness and damping of an arm from its natural frequencies and damping ratios.

    Measure at several poses, or with several payloads: one frequency alone shows one number.

    Frequencies of the whole arm are fitted, as `modes` has them, with gravity and everything that moves along; a record
    of a free vibration becomes frequencies and damping ratios by `free_decay`. Masses are those of the arm, unless they
    are among the parameters: frequencies at one payload show ratios of stiffness to mass only.

    Parameters
    ----------
    arm : Arm                          with estimates of what is sought; flexible links, elastic joints, or springs
    measured : MeasuredModes or several
    parameters : sequence of str       what is sought: fields of joints and links by name, ``link1.beam.EI``,
                                       ``elbow.elastic.stiffness``, ``link2.payload.mass``; without a name, of all that
                                       have the field. None: ``beam.EI`` and ``elastic.stiffness``, and where damping
                                       ratios were measured ``beam.damping`` and ``elastic.damping``

    Returns
    -------
    ModalIdentification
        `.arm`, `.table`, `.residuals`, `.check(other)`

    Raises
    ------
    InputError
        where there are fewer measured numbers than parameters
    UnsupportedError
        for arms with closed loops

    Examples
    --------
    >>> import lissom as ls
    >>> arm = ls.load("two_link_flexible")
    >>> measured = [ls.MeasuredModes([0.0, q], ls.modes(arm, [0.0, q], count=3).frequencies_hz) for q in (0.5, 1.5)]
    >>> softer = arm.with_link("link1", beam=arm.link("link1").beam.replace(EI=0.7))
    >>> ls.identify_modes(softer, measured).table.values.round(6)
    array([1., 1.])
    """
    check_keywords(identify_modes, unknown)
    if not isinstance(arm, Arm):
        raise InputError(f"{VERB}: arm is {shown(arm)}; expected an Arm.")
    if arm.loops:
        raise UnsupportedError(
            f"{VERB}: arm {arm.name!r} has closed loops, which this does not cover. Open them (arm.replace(loops=())) "
            "where they do not matter, or fit by hand with `modes`."
        )
    every = as_measured([measured] if isinstance(measured, MeasuredModes) else measured)
    numbers = Numbers(arm, _default(arm, every) if parameters is None else parameters, VERB)
    _refuse_few(numbers, every)
    eigenvalues = Eigenvalues(numbers, every)
    before = eigenvalues.at(np.zeros(len(numbers)))
    return _result(eigenvalues, fit(eigenvalues), before)


def _default(arm: Arm, measured: tuple[MeasuredModes, ...]) -> list[str]:
    """Stiffness, and damping where it was measured, of what the arm has."""
    kinds = [("beam", any(link.beam is not None for link in arm.links), "EI"),
             ("elastic", any(joint.elastic is not None for joint in arm.joints), "stiffness")]  # fmt: skip
    damped = any(one.damping is not None for one in measured)
    names = [f"{kind}.{word}" for kind, there, word in kinds if there]
    names += [f"{kind}.damping" for kind, there, _ in kinds if there and damped]
    if not names:
        raise InputError(
            f"{VERB}: arm {arm.name!r} has no flexible links and no elastic joints. Give links a Beam or joints a "
            "JointElasticity with estimates, or name parameters=[...]."
        )
    return names


def _refuse_few(numbers: Numbers, measured: tuple[MeasuredModes, ...]) -> None:
    ratios = sum(int(np.isfinite(one.damping).sum()) for one in measured if one.damping is not None)
    have = sum(len(one.frequencies_hz) for one in measured)
    if have + ratios < len(numbers):
        raise InputError(
            f"{VERB}: {have} measured frequencies and {ratios} damping ratios do not determine "
            f"{len(numbers)} parameters ({listed(numbers.names, 6)}). Measure at more "
            "poses, with other payloads or more modes, or name fewer parameters=[...]."
        )


def _result(eigenvalues: Eigenvalues, found: ModalFit, before: list[Predicted]) -> ModalIdentification:
    numbers, measured = eigenvalues.numbers, eigenvalues.measured
    std = np.sqrt(np.diag(found.covariance))
    known, table = numbers.known(found.x, std), None
    if not known.all():  # these stay as given, and the others are found without them
        table = numbers.table(found.x, std, known)
        found = fit(eigenvalues, known) if known.any() else found._replace(x=0 * found.x, predicted=before)
    table = _merged(numbers.table(found.x, np.sqrt(np.diag(found.covariance)), known), table, known)
    x, now = found.x, found.predicted
    source = f"{', '.join(numbers.names)} identified from {sum(len(one.order) for one in measured)} measured modes."
    arm = numbers.arm_at(x)
    return ModalIdentification(
        arm.replace(notes=(*arm.notes, source)), numbers.arm, table, measured,
        tuple(one.frequencies_hz for one in now), tuple(one.damping for one in now),
        tuple(one.frequencies_hz for one in before), tuple(one.damping for one in before),
        _notes(numbers, found, known),
    )  # fmt: skip


def _merged(table: ParameterTable, first: ParameterTable | None, known: Flags) -> ParameterTable:
    """The table of the last fit, with what the first found for numbers that are not identifiable."""
    if first is None:
        return table
    return replace(table, values=np.where(known, table.values, first.values), std=np.where(known, table.std, first.std))


def _notes(numbers: Numbers, found: ModalFit, known: Flags) -> tuple[str, ...]:
    out = []
    if not known.all():
        names = [name for name, there in zip(numbers.names, known, strict=True) if not there]
        out.append(
            f"{listed(names, 6)} {'is' if len(names) == 1 else 'are'} not identifiable from these modes and "
            f"{'keeps' if len(names) == 1 else 'keep'} what is given: measure at other poses, payloads, or more modes."
        )
    if not found.redundant:
        out.append(
            f"there are as many measured numbers as parameters: standard deviations assume errors of {USUAL_HZ:.1%} of "
            f"frequencies and {USUAL_DAMPING:.0%} of damping ratios, where none were given."
        )
    if found.scale > WORSE:
        out.append(
            f"the errors are {found.scale:.3g} times what is usual: check which modes were measured (order=), the "
            "payload, and the masses of the arm."
        )
    if not found.converged:
        out.append("the search did not converge: give an arm closer to the real one, or fewer parameters.")
    return tuple(out)
