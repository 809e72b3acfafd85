"""The table of Horn and Raibert: exact on the grid, second order between, refused beyond."""

from itertools import pairwise

import numpy as np
import pytest

import lissom as ls

ARM = ls.load("two_link")
RNG = np.random.default_rng(3)


def states(rows, low=-3.0, high=3.0):
    return RNG.uniform(low, high, (rows, 2)), *RNG.normal(size=(2, rows, 2))


def test_exact_on_the_grid():
    table = ls.ConfigurationTable.build(ARM, points=(5, 7))
    assert table.values.shape == (5, 7, 11)
    q = np.array([(a, b) for a in table.axes[0] for b in table.axes[1]])
    qd, qdd = RNG.normal(size=(2, len(q), 2))
    want = ls.inverse_dynamics(ARM, q, qd, qdd)
    assert np.abs(table.inverse_dynamics(q, qd, qdd) - want).max() <= 1e-12 * np.abs(want).max()


def test_error_falls_with_the_square_of_the_spacing():
    errors = [ls.ConfigurationTable.build(ARM, points).error(2000).mean for points in (17, 33, 65)]
    for coarse, fine in pairwise(errors):
        assert 3.5 < coarse / fine < 4.5


def test_a_grid_of_one_turn_has_no_end():
    """Turns more or less change nothing; between the last position and the first it interpolates."""
    table = ls.ConfigurationTable.build(ARM, 65)
    q, qd, qdd = states(40)
    tau = table.inverse_dynamics(q, qd, qdd)
    turns = 2 * np.pi * RNG.integers(-3, 4, q.shape)
    np.testing.assert_allclose(table.inverse_dynamics(q + turns, qd, qdd), tau, atol=1e-11)
    edge = np.array([[np.pi, -np.pi], [np.pi + 1e-9, np.pi - 1e-9]])
    want = ls.inverse_dynamics(ARM, edge, qd[:2], qdd[:2])
    np.testing.assert_allclose(table.inverse_dynamics(edge, qd[:2], qdd[:2]), want, atol=1e-6)


def test_a_sliding_joint_and_less_than_a_turn_do_not_wrap():
    half = ls.ConfigurationTable.build(ARM, 5, ranges=[(-np.pi, np.pi), (-1, 1)])
    half.inverse_dynamics([4.0, 0.5], [0, 0], [0, 0])
    with pytest.raises(ls.InputError, match=r"q\[1\] = 1.2"):
        half.inverse_dynamics([4.0, 1.2], [0, 0], [0, 0])
    slide = ls.Arm("slide", [ls.Link("a", None, ls.Joint("prismatic"), 2.0)])
    with pytest.raises(ls.InputError, match="beyond the grid"):
        ls.ConfigurationTable.build(slide, 5, ranges=[(-np.pi, np.pi)]).inverse_dynamics([4.0], [0], [0])


def test_a_table_prints_in_one_line():
    assert (
        repr(ls.ConfigurationTable.build(ARM, (9, 33))) == "ConfigurationTable('two_link', 9 x 33 positions, 26.1 kB)"
    )


def test_drives_need_no_table():
    driven = ls.Arm("driven", [link.replace(joint=link.joint.replace(
        armature=0.3, damping=0.2, friction=0.1, stiffness=2.0, rest=0.4)) for link in ARM.links])  # fmt: skip
    table = ls.ConfigurationTable.build(driven, 65)
    q, qd, qdd = states(50)
    want = ls.inverse_dynamics(driven, q, qd, qdd)
    assert np.abs(table.inverse_dynamics(q, qd, qdd) - want).max() < 5e-3 * np.abs(want).max()


def test_six_joints_with_a_sliding_one():
    arm = ls.load("stanford")
    table = ls.ConfigurationTable.build(arm, 2, ranges=[(0.1 * k, 0.1 * k + 0.01) for k in range(1, 7)])
    q = np.array([0.1 * k + 0.004 for k in range(1, 7)])
    qd, qdd = RNG.normal(size=(2, 6))
    want = ls.inverse_dynamics(arm, q, qd, qdd)
    assert np.abs(table.inverse_dynamics(q, qd, qdd) - want).max() < 1e-4 * np.abs(want).max()
    assert table.memory == 2**6 * (6 + 7 * 21) * 8


def test_stored_and_read_again(tmp_path):
    table = ls.ConfigurationTable.build(ARM, 9)
    table.save(tmp_path / "table.npz")
    again = ls.ConfigurationTable.load(tmp_path / "table.npz", ARM)
    state = states(5)
    assert np.array_equal(again.inverse_dynamics(*state), table.inverse_dynamics(*state))
    with pytest.raises(ls.InputError, match="filled for an arm other than"):
        ls.ConfigurationTable.load(tmp_path / "table.npz", ARM.with_payload(ls.Payload(0.5)))
    whole = (tmp_path / "table.npz").read_bytes()
    np.save(tmp_path / "array.npy", np.zeros(3))
    bad = {
        "bad.npz": b"nothing of use",
        "short.npz": whole[: len(whole) // 2],
        "array": (tmp_path / "array.npy").read_bytes(),
    }
    for name, content in bad.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ls.InputError, match="cannot be read as a table"):
            ls.ConfigurationTable.load(tmp_path / name, ARM)
    table.save(tmp_path / "any.ending")
    assert ls.ConfigurationTable.load(tmp_path / "any.ending", ARM).memory == table.memory


def test_beyond_the_grid_is_refused_with_the_methods_that_have_none():
    table = ls.ConfigurationTable.build(ARM, 5, ranges=[(-1, 1), (-1, 1)])
    with pytest.raises(ls.InputError, match=r"q\[1\] = 1.2 is beyond the grid of joint .*method='horn_raibert'"):
        table.inverse_dynamics([0.5, 1.2], [0, 0], [0, 0])


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: ls.ConfigurationTable.build(ls.load("puma560"), 40), ls.UnsupportedError, "GiB.*fewer points"),
        (lambda: ls.ConfigurationTable.build(ARM, 1), ls.InputError, "at least 2"),
        (lambda: ls.ConfigurationTable.build(ARM, 5, ranges=[(1, 0), (0, 1)]), ls.InputError, "2 finite pairs"),
        (lambda: ls.ConfigurationTable.build(ARM, 2.5), ls.InputError, "points is 2.5"),
        (lambda: ls.ConfigurationTable.build(ARM, [9, None]), ls.InputError, "points is"),
        (lambda: ls.ConfigurationTable.build(ARM, 5, ranges=[1, 2]), ls.InputError, "2 finite pairs"),
        (lambda: ls.ConfigurationTable.build(ARM, 5, ranges=[(-np.inf, np.inf)] * 2), ls.InputError, "2 finite pairs"),
        (lambda: ls.ConfigurationTable.build(ARM, 5).error(0), ls.InputError, "samples is 0"),
        (
            lambda: ls.ConfigurationTable.build(ARM, 5).inverse_dynamics(np.zeros((2, 2)), np.zeros((3, 2)), [0, 0]),
            ls.InputError,
            "batches do not fit",
        ),
        (lambda: ls.ConfigurationTable.build(ls.load("tree_demo"), 3), ls.UnsupportedError, "serial arms only"),
        (
            lambda: ls.ConfigurationTable.build(ARM.replace(loads=[ls.Load("fore", (1, 0, 0))])),
            ls.UnsupportedError,
            "loads",
        ),
        (lambda: ls.ConfigurationTable.build("puma560"), ls.InputError, "Arm was expected"),
    ],
)
def test_what_cannot_be_tabulated(call, kind, words):
    with pytest.raises(kind, match=words):
        call()
