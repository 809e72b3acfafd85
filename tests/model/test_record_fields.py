"""Records: fields that do not exist are refused with a suggestion, for every public record."""

import inspect
import pickle

import pytest

import lissom as ls


@pytest.mark.parametrize(
    ("make", "meant"),
    [
        (lambda: ls.Limits(vel=1.0), "velocity"),
        (lambda: ls.Limits(torques=1.0), "torque"),
        (lambda: ls.Joint("revolute", axsi=(0, 0, 1)), "axis"),
        (lambda: ls.Link("rod", masse=1.0), "mass"),
        (lambda: ls.Payload(mas=1.0), "mass"),
        (lambda: ls.Beam(length=1.0, mass_per_lenght=1.0), "mass_per_length"),
        (lambda: ls.Load("tool", forse=(0, 0, 1)), "force"),
        (lambda: ls.Limits(velocity=1.0).replace(vel=2.0), "velocity"),
    ],
)
def test_an_unknown_field_is_refused_with_the_one_that_was_meant(make, meant):
    with pytest.raises(ls.InputError, match=f"there is no field '.*'; did you mean '{meant}'") as caught:
        make()
    assert isinstance(caught.value, TypeError)


def test_a_field_like_no_other_gets_the_list():
    with pytest.raises(ls.InputError, match=r"Payload: there is no field 'colour'; known: mass, com, inertia\."):
        ls.Payload(1.0, colour="red")


def test_signatures_and_copies_are_those_of_the_fields():
    assert list(inspect.signature(ls.Payload).parameters) == ["mass", "com", "inertia"]
    payload = ls.Payload(1.0, inertia=(1, 2, 2))
    assert pickle.loads(pickle.dumps(payload)) == payload
    assert payload.replace(mass=2.0).mass == 2.0
