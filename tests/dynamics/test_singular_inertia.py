"""Poses in which joints move no inertia: found, named, and told from light links of long chains."""

import numpy as np
import pytest

import lissom as ls
from lissom.kernels.singular_inertia import degenerate_links, directions_without_inertia, taking_part
from lissom.verbs.inertia_findings import inertia_findings


def on_crossing_axes(inertia=0.0):
    """A point mass on two axes that cross; with b = 0 it lies in their plane."""
    first = ls.Link("a", joint=ls.Joint("revolute", axis=(1, 0, 0)), mass=0.1)
    joint = ls.Joint("revolute", axis=(0, 1, 0))
    second = ls.Link("b", parent="a", joint=joint, mass=1.3, com=(0.05, 0.1, 0), inertia=inertia)
    return ls.Arm("crossing", [first, second])


def chain(count):
    links = []
    for i in range(count):
        placement = np.eye(4)
        placement[0, 3] = 1 / count if i else 0.0
        joint, parent = ls.Joint("revolute", axis=(0, 0, 1), placement=placement), {"parent": f"l{i - 1}"} if i else {}
        body = {"mass": 1 / count, "com": (0.5 / count, 0, 0), "inertia": 1e-2 / count**3}
        links.append(ls.Link(f"l{i}", joint=joint, **parent, **body))
    return ls.Arm("chain", links)


def test_the_direction_turns_the_mass_about_the_line_to_it():
    arm = on_crossing_axes()
    M = np.stack([ls.mass_matrix(arm, q) for q in ([0.3, 0.0], [0.3, 0.4])])
    directions = directions_without_inertia(M)
    assert directions.shape == (2, 1)  # in the first pose only
    assert directions[:, 0] / directions[1, 0] == pytest.approx([0.5, 1.0])  # along com
    assert taking_part(arm, directions) == ["a", "b"]


def test_light_links_of_a_chain_are_not_singular():
    """The smallest eigenvalue is small beside the largest, not beside the inertia of its own links."""
    q = 0.2 * np.random.default_rng(0).uniform(-1, 1, 120)
    M = ls.mass_matrix(chain(120), q)
    values = np.linalg.eigvalsh(M)
    assert values[0] < 1e-9 * values[-1]
    assert not directions_without_inertia(M[None]).size


def test_check_warns_and_says_what_to_do():
    (found,) = inertia_findings(on_crossing_axes())
    assert (found.level, found.subject) == ("warning", "arm 'crossing'")
    assert "at home: joints 'a', 'b' can move together" in found.message
    assert "links 'a', 'b'" in found.message
    assert "armature or damping, or lock a joint" in found.message
    assert inertia_findings(on_crossing_axes(1e-3)) == []
    assert [link.name for link in degenerate_links(on_crossing_axes(1e-3))] == ["a"]
    assert inertia_findings(ls.load("puma560")) == []
