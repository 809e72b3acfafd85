"""A motion, as users meet it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lissom.later import cached_property
from lissom.motion.result.record import AbstractMotion

if TYPE_CHECKING:
    import pandas
    import xarray
    from numpy.typing import ArrayLike

    from lissom.motion.result.files.table import MotionTable
    from lissom.motion.result.sensitivity import MotionSensitivity
    from lissom.motion.result.verification.contacts import ContactVerification
    from lissom.motion.result.verification.verify import Verification
    from lissom.simulation.controllers.feedforward.command import Command

RTOL = 1e-10  # of the integrator of `Motion.verify`


@dataclass(frozen=True, eq=False)
class Motion(AbstractMotion):
    """A motion for a task, from `predict_motion`, `retime_motion` or `excite`.

    Attributes
    ----------
    arm : Arm
    task : Task
    duration : float             [s]
    cost : float                 value of the minimised integral; of `excite` minus the log det of the information
    outcome : MotionOutcome      how the search ended, to compare with
    status : str                 the same as a sentence: "solved", or why no solution was found
    ok : bool                    whether it is solved, and no limit is exceeded by more than 0.1 %
    t : (nt,)                    times [s]
    q, qd, qdd, tau : (nt, dof)  at these times; the torque of unactuated coordinates is zero
    breaks, degree, continuity, control_points    of the splines of all coordinates, or of the actuated ones
    unactuated : UnactuatedSplines or None    splines of unactuated coordinates (modes, springs, passive joints)
    closures : Closures or None  forces in closed loops
    report : MotionReport
    notes : tuple of str         remarks: limits of the task that exceed the arm's, joints that move although start and
                                 goal are equal, what Coulomb friction does to the torques
    compared : Comparison or None     comparison with other plans, if requested
    information : Information or None    of `excite`: what the motion says about the parameters of the arm
    contacts : MotionContacts or None    forces and places of the contacts of a motion with phases

    Examples
    --------
    >>> import lissom as ls
    >>> arm = ls.load("two_link").with_gravity((0, 0, 0))
    >>> motion = ls.predict_motion(arm, start=[0, -2], goal=[1, -1])
    >>> round(motion.duration, 4), motion.tau.shape
    (0.3931, (201, 2))
    >>> q, qd, qdd = motion.at(0.2)
    >>> motion.table(rate_hz=1000).q.shape
    (395, 2)
    """

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Remarks on limits, friction and idle joints, one sentence each; empty if there is nothing to remark."""
        from lissom.motion.result.notes import notes_of

        return notes_of(self)

    def verify(
        self,
        tolerance: float = 1e-4,
        rtol: float = RTOL,
        per_segment: int = 100,
        *,
        modes: int = 0,
        payload: float = 0.0,
        stiffness: float = 0.0,
        feedback: Any = None,
    ) -> Verification | ContactVerification:
        """Replay the motion in an independent simulation, and check every limit on a grid finer than the solver's.

        Each segment of the splines is replayed from its planned state under the planned torques. What replayed and
        planned states differ by at the ends of segments (the defects) shows whether the plan obeys the equations of
        motion, on arms that are unstable too. The simulation integrates forward dynamics by adaptive steps, with loads
        and Coulomb friction that sticks; nothing of the search is used. The whole motion is simulated too, under its
        torques alone or with a controller, for information.

        Parameters
        ----------
        tolerance : float       largest joint error to which the defects may add up [rad or m]
        rtol : float            of the integrator
        per_segment : int       points per segment of the splines at which limits are checked
        modes : int             also simulate an arm whose links have this many more modes of every kind
        payload : float         also simulate payloads heavier and lighter by this fraction, 0.1: ten percent
        stiffness : float       also simulate links and joint springs stiffer and softer by this fraction
        feedback : Controller, function tau(t, q, qd), or None
            simulate the whole motion with this controller instead of the torques alone: `joint_error` and `tracked`
            are then those of the closed loop, the verdict is the same. Of any controller, also of your own class, the
            inputs ``q``, ``qd``, ``qdd`` and ``motion`` are replaced by the motion, and the feedforward ``tau`` by the
            planned torques; all else counts as given. A function gives all of the torque

        Returns
        -------
        Verification, or ContactVerification of a motion with phases: `tolerance` is then that of each segment, replayed
        under torques and contact forces, and only `per_segment` counts beside it; others are refused
        """
        from lissom.motion.result.verification.arguments import check_numbers, refuse_with_phases
        from lissom.motion.result.verification.verify import verify

        check_numbers(tolerance, rtol, per_segment)
        if self.contact_path is not None:
            from lissom.motion.result.verification.contacts import verify_contacts
            from lissom.progress import line_if_long

            refuse_with_phases(
                rtol=rtol != RTOL, modes=modes, payload=payload, stiffness=stiffness, feedback=feedback is not None
            )
            with line_if_long("verifying") as show:
                return verify_contacts(self, tolerance, per_segment, show)
        return verify(self, tolerance, rtol, per_segment, modes, payload, stiffness, feedback)

    def command(self, lag: ArrayLike | None = None) -> Command:
        """Torques to command so that the planned torques act behind actuators with lag.

        ``u = tau + lag dtau/dt``, from the splines. Where planned torques jump (accelerations of the splines that jump,
        friction that changes its direction), no command makes them act; both sides are then blended around the jump,
        and `Command.note` says where and how much.

        Parameters
        ----------
        lag : number, (joints,) or None    time constants [s]; None: those of the actuators of the arm

        Returns
        -------
        Command
            as ``tau`` of `simulate`, with ``tau0=motion.tau[0]``; ``command(t)``: torques (nt, dof) at times (nt,)

        Examples
        --------
        >>> import lissom as ls
        >>> arm = ls.load("two_link").with_joint("upper", actuator=ls.Actuator(lag=0.02))
        >>> motion = ls.predict_motion(arm, start=[0, 0], goal=[1, 0.5], duration=1.0, minimise="torque_squared")
        >>> run = ls.simulate(arm, motion.q[0], tau=motion.command(), tau0=motion.tau[0], until=1.0)
        >>> bool(abs(run.q[-1] - motion.q[-1]).max() < 1e-5)
        True
        """
        from lissom.motion.result.commands import command_of

        return command_of(self, lag)

    def sensitivity(self, t: ArrayLike | None = None, *, method: str | None = None) -> MotionSensitivity:
        """Return the derivatives of the torques by control points and duration, exact.

        At fixed fractions of the duration, as an optimiser needs them. Arms with flexible links, springs and passive
        joints are covered; closed loops are not, since their torques exist for consistent motions only.

        Parameters
        ----------
        t : (nt,), float or None    times [s]; default: those of `t`
        method : str or None        formulation of `inverse_dynamics_gradient`; default: the fast path

        Returns
        -------
        MotionSensitivity
        """
        from lissom.motion.result.sensitivity import sensitivity_of

        return sensitivity_of(self, t, method)

    def table(self, rate_hz: float = 1000.0) -> MotionTable:
        """Return equally spaced samples for a controller; see `MotionTable`."""
        from lissom.motion.result.files.table import sampled

        return sampled(self, rate_hz)

    def to_csv(self, path: str | os.PathLike[str], rate_hz: float = 1000.0) -> None:
        """Write `table(rate_hz)` as CSV: a line of units, a line of names, one line per sample."""
        self.table(rate_hz).to_csv(path)

    def export(
        self,
        path: str | os.PathLike[str],
        format: str | None = None,
        *,
        rate_hz: float | None = None,
        effort: bool = False,
    ) -> None:
        """Write the motion for a robot controller. Motions that are not solved are refused.

        ``"joint_trajectory"`` (.yaml): a message trajectory_msgs/JointTrajectory of ROS with the actuated joints.
        ``"urscript"`` (.script): a program of Universal Robots, six revolute joints, by servoj; rates are 500 Hz
        divided by a whole number. Both need motions that begin and end at rest. ``"csv"``: as `to_csv`.

        Parameters
        ----------
        path : path             file to write
        format : str or None    "joint_trajectory", "urscript" or "csv"; None: by the ending of the file
        rate_hz : float or None samples per second; None: 100, 125 or 1000 in the order above
        effort : bool           also write the torques into the message of ROS. Controllers of ROS without an effort
                                interface, and all of ROS 2 Humble, reject messages with efforts

        Examples
        --------
        >>> import lissom as ls, tempfile, pathlib
        >>> motion = ls.predict_motion(ls.load("two_link"), start=[0, -2], goal=[1, -1])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "swing.yaml")
        ...     motion.export(file)
        ...     file.read_text().splitlines()[-1]
        '  time_from_start: {sec: 0, nanosec: 410000000}'
        """
        from lissom.motion.result.files.export import export

        export(self, path, format, rate_hz, effort)

    def to_dataframe(self, rate_hz: float = 1000.0) -> pandas.DataFrame:
        """Return `table(rate_hz)` as a pandas DataFrame: times as index, columns such as ``q[elbow]``."""
        return self.table(rate_hz).to_dataframe()

    def to_xarray(self) -> xarray.Dataset:
        """Return the whole motion as an xarray dataset with names and units."""
        from lissom.motion.result.files.write import to_dataset

        return to_dataset(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the motion as NetCDF (``.nc``): splines, task, arm and report. See `load_motion`."""
        from lissom.motion.result.files.write import save

        save(self, path)

    def describe(self) -> str:
        """Return a summary as text."""
        from lissom.motion.result.overview import headline

        compared = [] if self.compared is None else ["", str(self.compared)]
        said = [] if self.information is None else ["", self.information.describe()]
        return "\n".join([headline(self), *self.notes, self.report.describe(), *compared, *said])

    def _repr_html_(self) -> str:
        from lissom.motion.result.overview import to_html

        return to_html(self)

    def __repr__(self) -> str:
        return f"<Motion of {self.arm.name!r}: {self.duration:.6g} s, cost {self.cost:.6g}, {self.status}>"
