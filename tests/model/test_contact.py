"""Contacts and mirrors of arms: validated, kept by edits and files."""

import numpy as np
import pytest

import lissom as ls


def legs():
    """Return a base on rails with two legs, and their feet."""
    links = [
        ls.Link("carrier", joint=ls.Joint("prismatic", axis=(1, 0, 0), name="x", actuated=False)),
        ls.Link(
            "trunk", "carrier", ls.Joint("revolute", axis=(0, 1, 0), name="pitch", actuated=False), 7.0, (0, 0, 0.1)
        ),
        ls.Link("leg_right", "trunk", ls.Joint("revolute", axis=(0, 1, 0), name="hip_right"), 1.3, (0, 0, -0.2)),
        ls.Link("leg_left", "trunk", ls.Joint("revolute", axis=(0, 1, 0), name="hip_left"), 1.3, (0, 0, -0.2)),
    ]
    contacts = [ls.Contact(f"foot_{side}", f"leg_{side}", (0, 0, -0.41), friction=0.7) for side in ("right", "left")]
    mirror = ls.Mirror({"hip_right": "hip_left"}, links={"leg_right": "leg_left"}, contacts={"foot_left": "foot_right"})
    return ls.Arm("legs", links, contacts=contacts, mirror=mirror)


def test_files_keep_contacts_and_mirror(tmp_path):
    arm = legs()
    wall = ls.Contact("palm", "trunk", (0.1, 0, 0.3), friction=0.4, normal=(-1, 0, 0), height=-0.6)
    arm = arm.replace(contacts=[*arm.contacts, wall], mirror=arm.mirror.replace(signs={"pitch": -1}, normal=(1, 0, 0)))
    ls.save(arm, tmp_path / "legs.toml")
    again = ls.load(tmp_path / "legs.toml")
    assert again == arm
    assert again.contacts[2].height == -0.6
    assert again.mirror.sign("pitch") == -1.0
    with pytest.raises(ls.UnsupportedError, match="contacts"):
        ls.save(arm.with_joint("hip_left", actuated=True), tmp_path / "legs.urdf")


def test_a_mirror_is_an_involution():
    mirror = legs().mirror
    assert mirror.partner("coordinates", "hip_left") == "hip_right"
    assert mirror.partner("coordinates", mirror.partner("coordinates", "x")) == "x"
    both = ls.Mirror({"a": "b"}, signs={"b": -1})
    assert both.sign("a") == both.sign("b") == -1.0
    assert ls.Mirror(dict(both.coordinates), dict(both.signs)) == both


def test_edits_keep_names_together():
    arm = legs().with_link("leg_left", name="shank").with_joint("hip_left", name="hip")
    assert [contact.link for contact in arm.contacts] == ["leg_right", "shank"]
    assert arm.mirror.partner("coordinates", "hip_right") == "hip"
    assert arm.mirror.partner("links", "shank") == "leg_right"
    fixed = legs().lock({"hip_left": 0.1})
    assert fixed.mirror is None
    assert "mirror" in fixed.notes[-1]
    part = legs().subtree("leg_left")
    assert [contact.name for contact in part.contacts] == ["foot_left"]
    assert part.mirror is None
    assert legs().merge_fixed() == legs()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"contacts": [ls.Contact("sole", "foot")]}, "there is no link or tool 'foot'"),
        ({"contacts": [ls.Contact("a", "trunk"), ls.Contact("a", "trunk")]}, "used twice"),
        ({"contacts": "heel"}, "expected a list of Contact"),
        ({"mirror": ls.Mirror({"hip_right": "hop_left"})}, "did you mean 'hip_left'"),
        ({"mirror": ls.Mirror(signs={"rol": -1})}, "'rol', which does not exist"),
        ({"mirror": True}, r"expected Mirror\(\.\.\.\)"),
    ],
)
def test_what_does_not_fit_is_refused(changes, words):
    with pytest.raises(ls.ModelError, match=words):
        legs().replace(**changes)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ls.Contact("a", "b", normal=(0, 0, 0)), "has no direction"),
        (lambda: ls.Contact("a", "b", friction=-0.1), "expected at least 0"),
        (lambda: ls.Contact("", "b"), "expected a name"),
        (lambda: ls.Mirror({"a": "b", "c": "b"}), "each name has one partner"),
        (lambda: ls.Mirror({"a": "b"}, signs={"a": -1, "b": 1}), "differ"),
        (lambda: ls.Mirror(signs={"a": 0.5}), "expected 1 or -1"),
        (lambda: ls.Mirror("ab"), "expected a mapping"),
    ],
)
def test_wrong_records_are_refused(make, words):
    with pytest.raises(ls.ModelError, match=words):
        make()


def test_normals_are_unit_vectors():
    assert np.allclose(ls.Contact("a", "b", normal=(0, 3, 4)).normal, (0, 0.6, 0.8), atol=1e-15)


def test_its_image_of_arrays():
    """Of postures and of contacts, in whatever order these are; reflected twice they are what they were."""
    mirror = ls.Mirror({"right": "left"}, signs={"roll": -1, "left": -1}, contacts={"a": "b"}, normal=(0.6, 0.8, 0))
    image = mirror.image(["left", "x", "roll", "right"], ["b", "c", "a"])
    q = np.array([[1.0, 2.0, 3.0, 4.0]])
    np.testing.assert_array_equal(image(q), [[-4.0, 2.0, -3.0, -1.0]])
    np.testing.assert_array_equal(image(image(q)), q)
    assert image.contacts == [2, 1, 0]
    np.testing.assert_allclose(image.S @ mirror.normal, -mirror.normal, atol=1e-15)
    np.testing.assert_allclose(image.S @ (-0.8, 0.6, 5.0), (-0.8, 0.6, 5.0), atol=1e-15)
