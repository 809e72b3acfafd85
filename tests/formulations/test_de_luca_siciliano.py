"""The planar closed form against an independent derivation, its energy, its limits and what it refuses."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.formulations.linear_cloud import LinearCloud, modal

import lissom as ls
from lissom.spatial.frames import pose
from lissom.spatial.rotations import about_axis
from lissom.verbs.library import library

DLS = "de_luca_siciliano"
Z = np.array([0.0, 0.0, 1.0])


def planar_arm(seed, modes, *, tilt=True, stretch=False, drives=False, gravity=(3.1, -7.7, 2.0)):
    """Beams with awkward numbers in a tilted plane: offsets, anti-parallel axes, hubs and payloads off their axes.

    modes : of every link; 0 is a rigid one
    """
    rng = np.random.default_rng(seed)
    plane = about_axis(np.array([0.36, 0.48, 0.8]), 0.7) if tilt else np.eye(3)
    links = []
    for i, count in enumerate(modes):
        # every other axis points the other way, and its frame is turned over
        turned = about_axis(Z, rng.uniform(-2, 2)) @ (np.diag([1.0, -1.0, -1.0]) if i % 2 else np.eye(3))
        start = pose((plane if i == 0 else np.eye(3)) @ turned, rng.uniform(-0.1, 0.1, 3))
        options = {"armature": 0.07, "damping": 0.21, "stiffness": 1.3, "rest": 0.4} if drives else {}
        frame = pose(about_axis(Z, rng.uniform(-1, 1)), rng.uniform(-0.08, 0.08, 3))
        flat = ls.Beam(
            length=rng.uniform(0.4, 0.9), mass_per_length=rng.uniform(0.2, 0.6), EI=(None, rng.uniform(1.0, 4.0)),
            EA=800.0 if stretch else None, modes=ls.Modes(bending_z=count, stretch=int(stretch)),
            damping=0.01 if drives else 0.0,
        ) if count else None  # fmt: skip
        links.append(ls.Link(
            f"l{i}", None if i == 0 else f"l{i - 1}", ls.Joint("revolute", start, name=f"j{i}", **options),
            mass=rng.uniform(0.2, 0.8), com=rng.uniform(-0.1, 0.1, 3), inertia=(0.02, 0.02, 0.03), frame=frame,
            beam=flat, payload=ls.Payload(0.3, rng.uniform(-0.06, 0.06, 3), (0.002, 0.002, 0.003)),
        ))  # fmt: skip
    return ls.Arm(f"planar{seed}", links, gravity=gravity)


def states(arm, seed=0, bent=0.05):
    q, qd, qdd = np.random.default_rng(seed).uniform(-1.5, 1.5, (3, arm.dof))
    q[modal(arm)] *= bent
    return q, qd, qdd


def close(got, want, bar):
    assert np.abs(np.asarray(got) - np.asarray(want)).max() <= bar * np.abs(np.asarray(want)).max()


ARMS = {
    "two links, 1 and 2 modes": (1, (1, 2), {}),
    "two links, 3 and 3 modes": (2, (3, 3), {}),
    "three links, 2 modes each": (3, (2, 2, 2), {}),
    "three links, 3, 1 and 2 modes, drives": (4, (3, 1, 2), {"drives": True}),
    "a rigid link between": (5, (2, 0, 1), {}),
    "rigid links about flexible ones": (6, (0, 2, 1, 0), {"drives": True}),
    "stretch": (7, (2, 1), {"stretch": True}),
}


@pytest.mark.parametrize("case", ARMS)
def test_against_automatic_differentiation_of_sampled_points(case):
    """The bar: 1e-10 relative, B and h, and gravity with springs."""
    seed, modes, options = ARMS[case]
    arm = planar_arm(seed, modes, **options)
    B, h, g = LinearCloud(arm).closed_form()
    for k in range(2):
        q, qd, qdd = states(arm, k)
        close(ls.mass_matrix(arm, q, method=DLS), B(q), 1e-10)
        nothing = np.zeros(arm.dof)
        still = ls.inverse_dynamics(arm, q, nothing, nothing, method=DLS)
        close(still, np.array(g(q)).ravel(), 1e-10)
        model = ls.planar_model(arm)
        close(model.h(q, qd), np.array(h(q, qd)).ravel(), 1e-10)
        tau = ls.inverse_dynamics(arm, q, qd, qdd, method=DLS)
        damped = np.array([0.21 if options.get("drives") and c not in modal(arm) else 0.0 for c in range(arm.dof)])
        want = (np.array(B(q)) @ qdd + np.array(h(q, qd)).ravel() + np.array(g(q)).ravel() + damped * qd)
        want += np.array(model.D) @ qd - damped * qd
        close(tau, want, 1e-10)
        close(ls.forward_dynamics(arm, q, qd, tau, method=DLS), qdd, 1e-8)
