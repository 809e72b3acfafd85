"""A run, as users meet it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lissom.simulation.records.record import AbstractRun

if TYPE_CHECKING:
    import pandas
    import xarray


@dataclass(frozen=True, eq=False)
class Run(AbstractRun):
    """The result of a simulation. Arrays of an ensemble have the runs as first axis; NaN after a run's end.

    Attributes
    ----------
    arm : Arm
    t : (nt,)                          times [s]
    q, qd, qdd, tau : (nt, dof)        motion and torques; for prescribed joints the torque that their motion requires
    kinetic, potential : (nt,)         energies [J], springs and drives included
    power, work : (nt, 3)              [W, J] supplied by torques (in), dissipated by damping and friction (lost),
                                       supplied by loads and a moving base (outer)
    status : str                       "done", or what happened, with the time
    ok : bool                          every run reached its end (or an event that stops it), and energy is conserved
                                       within `report.balance_tolerance`
    events : tuple of EventHit
    failures : dict                    run -> why it ended early
    report : RunReport
    interrupted : bool                 the simulation was interrupted (Ctrl-C)
    arms : sequence of Arm or None     the arms of the runs, for an ensemble of different arms
    controller_state : (nt, m) or None the controller's own states, such as the integral terms of `PID`, and torques
                                       behind the lag of an `Actuator`; their names are in
                                       `report.provenance["controller_states"]`
    outcomes : tuple of RunOutcome     how each run ended; `outcome`: of a single run, or the most severe
    """

    def to_xarray(self) -> xarray.Dataset:
        """Return the run as an xarray dataset with names and units.

        Examples
        --------
        >>> import lissom as ls
        >>> run = ls.simulate(ls.load("two_link"), [0.1, 0.2], until=0.1)
        >>> run.to_xarray().q.dims
        ('time', 'coordinate')
        """
        from lissom.simulation.records.written import to_dataset

        return to_dataset(self)

    def to_dataframe(self) -> pandas.DataFrame:
        """Return the run as a pandas DataFrame: columns such as ``q[elbow]``; index: times, of ensembles run and time.

        Examples
        --------
        >>> import lissom as ls
        >>> frame = ls.simulate(ls.load("two_link"), [0.1, 0.2], until=0.1).to_dataframe()
        >>> frame[["q[upper]", "q[fore]"]].iloc[0].tolist()
        [0.1, 0.2]
        """
        from lissom.simulation.records.written import to_dataframe

        return to_dataframe(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the run to a file: ``.nc`` (NetCDF), ``.csv``, or ``.parquet`` (extra ``parquet``). See `load_run`."""
        from lissom.simulation.records.written import save

        save(self, path)

    def _repr_html_(self) -> str:
        from lissom.simulation.overview import to_html

        return to_html(self)

    def __repr__(self) -> str:
        many = f"{self.count} runs, " if self.count is not None else ""
        more = "; joints pass their position limits, see run.report" if self.report.passes_limits else ""
        span = f"{self.t[0]:g} to {self.t[-1]:g} s"
        return f"<Run of {self.arm.name!r}: {many}{len(self.t)} samples, {span}, {self.status}{more}>"
