"""The list of published formulations. `import lissom` loads this file: it imports nothing heavy."""

from __future__ import annotations

from typing import NamedTuple


class FormulationInfo(NamedTuple):
    """A published formulation that can be given as `method=`."""

    name: str
    direction: str
    paper: str
    cost: str
    topology: str
    joints: str
    moving_base: bool
    verbs: tuple[str, ...]
    links: str


def formulations() -> tuple[FormulationInfo, ...]:
    """The formulations that `method=` accepts.

    Returns
    -------
    tuple of FormulationInfo
        `.name`, `.direction` ("inverse", "forward" or "both"), `.paper`, `.cost` (order of growth with the number
        of joints), `.topology` ("serial" or "tree"), `.joints`, `.moving_base`, `.verbs` (the functions
        that take it), `.links` ("rigid", or "rigid, flexible")

    Examples
    --------
    >>> import lissom as ls
    >>> [f.name for f in ls.formulations() if f.direction == "forward"]
    ['nasser', 'walker_orin_1', 'walker_orin_2', 'walker_orin_3']
    """
    from lissom.formulations.catalogue import ALL

    return tuple(FormulationInfo(*f[:8], f.links) for f in ALL.values())
