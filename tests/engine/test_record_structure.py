"""Records: structure and entries, made from each other."""

import numpy as np
import pytest

from lissom.records import ENTRY, Packed, Stretch, dense, filled, fingerprint, flat, of_values, record, tuple_of
from lissom.spatial.motions import Pose, Twist
from lissom.spatial.orientation import Identity, RotationZ
from lissom.spatial.vectors import Z_AXIS, ZERO, Vector3


@record
class Optional:
    """A record with defaults."""

    a: float = 1.0
    b: tuple = ()


@record
class Named:
    pose: Pose
    rates: tuple
    none: None = None


def test_structure_and_entries():
    form = flat(Vector3(1.5, 0, 2.5))
    assert form.structure.text == "Vector3(*,0,*)"
    assert list(form.entries) == [1.5, 2.5]
    assert form.structure is flat(Vector3(3.5, 0, 4.5)).structure
    assert form.structure is not flat(Vector3(3.5, 1, 4.5)).structure
    assert flat((1.0, 2.0)).structure is tuple_of(2) is flat([1.0, 2.0]).structure
    assert flat(1.0).structure is ENTRY


def test_classes_are_structure():
    x = flat(Pose(RotationZ(0.6, 0.8), ZERO)).structure
    assert x is not flat(Pose(Identity(), Vector3(0.6, 0.8, 0))).structure
    assert (x.size, x.text) == (2, "Pose(RotationZ(*,*),Vector3(0,0,0))")


def test_a_value_is_its_structure_filled_with_its_entries():
    value = Named(Pose(RotationZ(0.6, 0.8), Vector3(1.0, 0, 2.0)), (3.0, Twist(Z_AXIS, ZERO), Vector3(4.0, 5.0, 0)))
    form = flat(value)
    made = filled(form.structure, form.entries)
    assert made.pose.R.s == 0.8
    assert made.pose.p.z == 2.0
    assert made.pose.p.y == 0
    assert made.rates[2].y == 5.0
    assert made.rates[1].w.z == 1
    assert made.none is None
    assert flat(Named(made.pose, made.rates)).structure is form.structure
    assert flat(Named(made.pose, made.rates)).entries == form.entries


def test_defaults_do_not_hide_entries():
    form = flat(Optional(2.0, (3.0,)))
    made = filled(form.structure, form.entries)
    assert (made.a, tuple(made.b)) == (2.0, (3.0,))
    assert (Optional().a, Optional().b) == (1.0, ())


def test_a_tuple_of_entries_is_the_sequence_itself():
    entries = np.arange(3.0)
    assert filled(tuple_of(3), entries) is entries


def test_numbers_and_values():
    x = object()
    form = flat(Vector3(1.0, x, 2.0))
    assert form.argument.stretches == (Stretch(True, 1), Stretch(False, 1), Stretch(True, 1))
    assert form.argument is flat(Vector3(3.0, object(), 2.0)).argument
    assert flat(Vector3(x, x, x)).argument is of_values(form.structure)
    assert flat(Vector3(1.0, 2.0, 3.0)).argument.numbers


def test_packed_values():
    class Table(Packed):
        pass

    form = flat((Table("pattern", (1.0, 2.0)), 3.0))
    assert list(form.entries) == [1.0, 2.0, 3.0]
    table, last = filled(form.structure, [4.0, 5.0, 6.0])
    assert (table.pattern, list(table.values), last) == ("pattern", [4.0, 5.0], 6.0)


def test_records_do_not_change():
    v = Vector3(1.0, 2.0, 3.0)
    with pytest.raises(AttributeError):
        v.x = 2.0
    with pytest.raises(AttributeError, match="nothing"):
        _ = filled(flat(v).structure, [1.0, 2.0, 3.0]).nothing
    with pytest.raises(TypeError):
        Vector3(1.0, 2.0)


def test_dense():
    assert flat(dense(Twist(Z_AXIS, ZERO))).entries == [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]


def test_a_fingerprint_tells_every_number_and_every_class():
    base = Pose(RotationZ(0.6, 0.8), Vector3(1.0, 0, 2.0))
    others = [
        Pose(RotationZ(0.6, 0.8000000000000002), base.p), Pose(base.R.T, base.p),
        Pose(base.R, Vector3(1.0, 1, 2.0)), Pose(base.R, Vector3(1.0, 0.0, 2.0)),
    ]  # fmt: skip
    marks = {fingerprint([x]) for x in (base, *others)}
    assert len(marks) == 5
    assert fingerprint([Pose(RotationZ(0.6, 0.8), Vector3(1.0, 0, 2.0))]) in marks
