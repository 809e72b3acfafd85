"""State arguments in arrays of other libraries."""

import numpy as np
import pytest

import lissom as ls


class Exchanged:
    """An array that has the protocol DLPack alone."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


@pytest.mark.parametrize("dtype", [float, np.float32, int])
def test_arrays_come_by_dlpack(dtype):
    arm, q = ls.load("two_link"), np.array([[1, 2], [3, 4], [0, 1]], dtype)
    assert np.array_equal(ls.gravity_forces(arm, Exchanged(q)), ls.gravity_forces(arm, q))
    assert np.array_equal(ls.gravity_forces(arm, Exchanged(q[0])), ls.gravity_forces(arm, q[0]))


def test_what_dlpack_brings_is_checked_too():
    with pytest.raises(ls.InputError, match=r"q\[1\] is nan"):
        ls.gravity_forces(ls.load("two_link"), Exchanged(np.array([0.0, np.nan])))
    with pytest.raises(ls.InputError, match="expected numbers"):
        ls.gravity_forces(ls.load("two_link"), Exchanged(np.array([True, False])))
