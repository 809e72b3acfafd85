"""States of pandas and xarray are put into the order of the arm by their names."""

import numpy as np
import pandas
import pytest
import xarray

import lissom as ls

ARM = ls.load("ur5")
NAMES = list(ARM.coordinates)
STATES = np.random.default_rng(1).normal(size=(3, 7, 6))
SHUFFLED = [NAMES[k] for k in (3, 0, 5, 1, 4, 2)]


def frames(order, word=None):
    """q, qd, qdd as frames whose columns are in this order."""
    made = [pandas.DataFrame(x, columns=NAMES)[order] for x in STATES]
    if word is None:
        return made
    return [x.set_axis([f"{w}[{name}]" for name in order], axis=1) for x, w in zip(made, word, strict=True)]


@pytest.mark.parametrize("words", [None, ("q", "qd", "qdd")])
def test_columns_of_frames_are_found_by_name(words):
    assert np.array_equal(ls.inverse_dynamics(ARM, *frames(SHUFFLED, words)), ls.inverse_dynamics(ARM, *STATES))


def test_series_and_arrays_of_xarray_are_ordered_too():
    want = ls.gravity_forces(ARM, STATES[0])
    assert np.array_equal(ls.gravity_forces(ARM, frames(SHUFFLED)[0].iloc[2]), want[2])
    array = xarray.DataArray(STATES[0], dims=("time", "coordinate"), coords={"coordinate": NAMES})
    for given in (array, array.sel(coordinate=SHUFFLED), array.sel(coordinate=SHUFFLED).T):
        assert np.array_equal(ls.gravity_forces(ARM, given), want)


def test_frames_without_names_are_plain_numbers():
    assert np.array_equal(ls.gravity_forces(ARM, pandas.DataFrame(STATES[0])), ls.gravity_forces(ARM, STATES[0]))


def test_names_of_joints_leave_elastic_coordinates_straight():
    arm = ls.load("two_link_flexible")
    joints = [joint.name for joint in arm.joints]
    given = pandas.Series([0.2, 0.1], index=joints[::-1])
    assert np.array_equal(ls.gravity_forces(arm, given), ls.gravity_forces(arm, [0.1, 0.2]))
    full = pandas.Series(np.arange(arm.dof) / 1e3, index=list(arm.coordinates))
    assert np.array_equal(ls.gravity_forces(arm, full[::-1]), ls.gravity_forces(arm, np.arange(arm.dof) / 1e3))


@pytest.mark.parametrize(
    ("names", "why"),
    [
        ([*NAMES[:5], "wrist_33"], "'wrist_33', which arm 'ur5' has not; did you mean 'wrist_3'"),
        (NAMES[:5], "no column for wrist_3"),
        ([*NAMES, "extra"], "'extra', which arm 'ur5' has not"),
        ([*NAMES[:5], "elbow"], "the column 'elbow' more than once"),
        ([f"qd[{name}]" for name in NAMES], r"a column 'qd\[shoulder_pan\]'"),
    ],
)
def test_wrong_names_are_refused(names, why):
    with pytest.raises(ls.InputError, match=f"gravity_forces: q has.*{why}"):
        ls.gravity_forces(ARM, pandas.DataFrame(np.zeros((2, len(names))), columns=names))


def test_simulations_begin_at_named_positions_with_named_torques():
    arm = ls.load("two_link")
    start, tau = pandas.Series({"fore": 0.2, "upper": 0.1}), pandas.Series({"fore": 1.0, "upper": 3.0})
    run = ls.simulate(arm, start, tau=tau, until=0.05)
    want = ls.simulate(arm, [0.1, 0.2], tau=[3.0, 1.0], until=0.05)
    assert np.array_equal(run.q, want.q)


def test_where_no_arm_is_known_names_are_refused():
    start = pandas.Series({"fore": 0.2, "upper": 0.1})
    with pytest.raises(ls.ModelError, match=r"start has named entries \(fore, upper\), and no arm is known here"):
        ls.predict_motion(ls.load("two_link"), start=start, goal=[1, 0])
    with pytest.raises(ls.ModelError, match="velocity has named entries"):
        ls.Limits(velocity=start)
    with pytest.raises(ls.InputError, match=r"simulate: .* has named entries"):
        ls.simulate(ls.load("two_link"), [0, 0], tau=ls.PD(start, kp=1.0, kd=1.0), until=0.1)
    with pytest.raises(ls.InputError, match="Profile: values has named entries"):
        ls.Profile([0.0, 1.0], pandas.DataFrame(np.zeros((2, 2)), columns=["fore", "upper"]))


class Tensor:
    """An array of another library, which numpy reads by the array protocol."""

    def __init__(self, values):
        self.values_ = np.asarray(values)

    def __array__(self, dtype=None, copy=None):
        return self.values_ if dtype is None else self.values_.astype(dtype)


def test_arrays_of_other_libraries_are_read():
    assert np.array_equal(ls.inverse_dynamics(ARM, *map(Tensor, STATES)), ls.inverse_dynamics(ARM, *STATES))


def test_runs_and_motions_become_frames_that_functions_read():
    arm = ls.load("two_link")
    run = ls.simulate(arm, [0.1, 0.2], until=0.05)
    frame = run.to_dataframe()
    assert frame.index.name == "t"
    assert np.array_equal(frame.index, run.t)
    torques = ls.inverse_dynamics(arm, *(frame.filter(regex=rf"^{word}\[")[::-1] for word in ("q", "qd", "qdd")))
    assert np.array_equal(torques[::-1], ls.inverse_dynamics(arm, run.q, run.qd, run.qdd))
    many = ls.simulate(arm, [[0.1, 0.2], [0.3, 0.4]], until=0.05).to_dataframe()
    assert many.index.names == ["run", "t"]
    assert many.loc[1, "q[fore]"].iloc[0] == 0.4
    motion = ls.predict_motion(arm, start=[0, 0], goal=[1, 0], segments=6)
    table = motion.table(50)
    assert np.array_equal(motion.to_dataframe(50)["tau[fore]"], table.tau[:, 1])
    assert np.array_equal(ls.gravity_forces(arm, motion.to_xarray().q), ls.gravity_forces(arm, motion.q))
