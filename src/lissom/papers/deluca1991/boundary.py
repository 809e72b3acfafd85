"""Section IV: conditions at the ends of a link: mass or free tip, offset (MD), configuration, root clamped or not."""

from __future__ import annotations

import numpy as np

from lissom.model.arm import Arm
from lissom.model.beam import Modes, Tip
from lissom.model.joint import Joint
from lissom.papers.claims import ROUNDING, Claim, judged, limited, near
from lissom.papers.deluca1991.two_link_coefficients import TwoLink, modal_inertia
from lissom.papers.deluca1991.two_links import arm_with
from lissom.spatial.rotations import Array
from lissom.verbs.modes import BeamModes, beam_modes, beam_tip, modes

MANY = 10  # shapes per link, of the reference
COMPARED = 4  # frequencies
POSES = (0.0, 1.0, np.pi / 2)  # of theta_2 [rad]
TURNS = np.linspace(0.0, np.pi, 5)
FREE = (2, 4, 6, 8)  # free shapes per link
GAINS = (1.0, 10.0, 100.0, 1000.0)  # of position feedback at both joints [N m/rad]
HUBS = (0.001, 0.01, 0.1, 1.0)  # [kg m^2]


def claims() -> list[Claim]:
    """All claims about boundary conditions."""
    return [_mass_or_free(), _orthogonal(), _configuration(), _feedback(), _constrained()]


def _kept(count: int, tip: str | Tip = "auto", first: Tip | None = None) -> Arm:
    """The two-link arm with so many shapes per link for given conditions at its end; `first`: those of link 1."""
    links = list(arm_with().links)
    for k, link in enumerate(links):
        assert link.beam is not None
        own = first if first is not None and k == 0 else tip
        links[k] = link.replace(beam=link.beam.replace(modes=Modes(count), tip=own))
    return arm_with().replace(links=links)


def _frequencies(arm: Arm, turn: float, joints: str = "locked") -> Array:
    return np.asarray(modes(arm, [0.0, turn], joints=joints).frequencies_hz[:COMPARED])


def _errors(arm: Arm, turn: float, joints: str = "locked") -> Array:
    """Relative errors of the lowest frequencies, against many shapes."""
    return np.abs(_frequencies(arm, turn, joints) / _frequencies(_kept(MANY), turn, joints) - 1)


def _mass_or_free() -> Claim:
    mass = np.array([_errors(_kept(2), turn) for turn in POSES])
    free = {count: np.array([_errors(_kept(count, "free"), turn) for turn in POSES]).max() for count in FREE}
    hinged = {word: _errors(_kept(2, tip), np.pi / 2, "free") for word, tip in (("mass", "auto"), ("free", "free"))}
    return judged(
        "section IV, (16)",
        "mass boundary conditions are more correct than the usual free end",
        f"first {COMPARED} frequencies of the arm, joints locked, theta_2 = 0, 1 and pi/2: two mass modes per link are "
        f"off by at most {100 * mass.max():.2g} %, free modes by "
        + ", ".join(f"{100 * x:.2g} % ({count})" for count, x in free.items())
        + f". Joints free, pi/2: the first three by {100 * hinged['mass'][:3].max():.1g} % against "
        f"{100 * hinged['free'][:3].max():.2g} %, the fourth, which two shapes hardly cover, by "
        f"{100 * hinged['mass'][3]:.2g} against {100 * hinged['free'][3]:.2g} %",
        bool(mass.max() < 2e-4 and min(free.values()) > 100 * mass.max()),
        "two mass modes do what eight free ones do not",
        "mass modes are off by less than 0.02 %, free ones by more than 100 times as much (joints locked)",
    )


# ---- (MD) and configuration --------------------------------------------------------------------------------


def _shapes(p: TwoLink, turn: float) -> BeamModes:
    """Two modes of link 1 with (28) for undeflected links at an angle of link 2."""
    beam = arm_with().links[0].beam
    assert beam is not None
    return beam_modes(beam, Tip(p.M_L1, p.J_L1, p.far * float(np.cos(turn))), count=2)


def _product(p: TwoLink, found: BeamModes, offset: float) -> float:
    """(27b) with (MD) of two shapes, beside (27a), (27c)."""
    l = found.shapes.length
    (f1, f2), (g1, g2) = found.shape(l), found.slope(l)
    x, w = np.polynomial.legendre.leggauss(40)
    y = found.shape((x + 1) * l / 2)
    z = (w * l / 2) @ (y[:, :, None] * y[:, None, :]).reshape(-1, 4) * p.m1 / l
    own = z.reshape(2, 2) + p.M_L1 * np.outer([f1, f2], [f1, f2]) + p.J_L1 * np.outer([g1, g2], [g1, g2])
    own = own + offset * (np.outer([f1, f2], [g1, g2]) + np.outer([g1, g2], [f1, f2]))
    return float(abs(own[0, 1]) / np.sqrt(own[0, 0] * own[1, 1]))


def _orthogonal() -> Claim:
    """The factor of 2 delta_11 delta_12 vanishes for shapes with the actual (MD)."""
    p = TwoLink.of(arm_with())
    exact = max(_product(p, _shapes(p, turn), p.far * np.cos(turn)) for turn in TURNS)
    plain = modal_inertia(p, 0, 0, 1, p.far) / p.m1
    return near(
        "section VI, (27), (28)",
        "with the exact boundary conditions, (MD)_1 included, the shapes of link 1 are orthogonal",
        f"product of both shapes with (MD)_1 at five angles theta_2: at most {exact:.0e} of their norms; of the shapes "
        f"for (MD)_1 = 0, {100 * abs(plain):.2g} % of m_1 at theta_2 = 0, where (MD)_1 = {p.far:g} kg m",
        exact, ROUNDING, "this product is b_342 of the paper; b_343 is that of the "
        "deflection term of (MD)_1, which is left out here",
    )  # fmt: skip


def _configuration() -> Claim:
    p = TwoLink.of(arm_with())
    found = [_shapes(p, turn) for turn in TURNS]
    hz = np.array([x.frequencies_hz for x in found])
    ends = np.array([x.shape(x.shapes.length) for x in found])
    still, moved = [], []
    for turn in TURNS:
        still.append(_errors(_kept(2, first=Tip(p.M_L1, p.J_L1)), float(turn)).max())
        moved.append(_errors(_kept(2, first=Tip(p.M_L1, p.J_L1, p.far * float(np.cos(turn)))), float(turn)).max())
    return judged(
        "sections IV, VI",
        "exact shapes of inner links depend on the configuration; constant, nonzero conditions are in order",
        f"theta_2 from 0 to pi: f_11 from {hz[0, 0]:.3f} to {hz[-1, 0]:.3f} Hz, f_12 from {hz[0, 1]:.2f} to "
        f"{hz[-1, 1]:.2f} Hz, phi_11,e from {ends[0, 0]:.3f} to {ends[-1, 0]:.3f}. First {COMPARED} frequencies of the "
        f"arm with the shapes of (MD)_1 = 0 at all angles: off by at most {max(still):.1e}, with those updated "
        f"{max(moved):.1e}",
        bool(hz[-1, 0] / hz[0, 0] > 1.1 and max(still) < 2e-4 and max(still) < 2 * max(moved)),
        "two shapes are a basis: another one of nearly the same span gives the same motion",
        "f_11 changes by more than 10 %, and constant shapes are off by less than 0.02 % and twice those updated",
    )


# ---- the root ----------------------------------------------------------------------------------------------


def _feedback() -> Claim:
    """Frequencies with position feedback at the joints, beside those of clamped links."""
    clamped, off = _frequencies(_kept(6), np.pi / 2), dict[float, float]()
    for gain in GAINS:
        arm = _kept(6)
        held = [link.replace(joint=link.joint.replace(stiffness=gain)) for link in arm.links]
        found = modes(arm.replace(links=held), [0.0, np.pi / 2], joints="free").frequencies_hz
        off[gain] = float(np.abs(found[:2] / clamped[:2] - 1).max())
    return limited(
        "section IV, (15)",
        "the clamped assumption is even enforced when closing a feedback control loop around the joint",
        "position feedback at both joints, theta_2 = pi/2; distance of the two lowest frequencies to those of clamped "
        "links: " + ", ".join(f"{100 * x:.2g} % at {gain:g} N m/rad" for gain, x in off.items()),
        bool(off[GAINS[-1]] < 0.01 and off[GAINS[0]] > 0.2 and np.all(np.diff(list(off.values())) < 0)),
        f"stiff loops: below 1 % from {GAINS[-1]:g} N m/rad on, {100 * off[GAINS[0]]:.0f} % away at "
        f"{GAINS[0]:g} N m/rad",
    )


def _constrained() -> Claim:
    """Link 2 alone on a hub: its motion with constrained shapes beside the exact unconstrained modes."""
    link = arm_with().links[1]
    assert link.beam is not None
    tip = beam_tip(arm_with(), link.name)
    clamped = beam_modes(link.beam, tip, count=2).frequencies_hz
    rows = {}
    for hub in HUBS:
        exact, two = (_on_hub(hub, count) for count in (MANY, 2))
        rows[hub] = (exact[0] / clamped[0], float(np.abs(two / exact - 1).max()))
    listed = "; ".join(f"{hub:g}: {ratio:.3f} times, {off:.0e}" for hub, (ratio, off) in rows.items())
    p = TwoLink.of(arm_with())
    outer, inner = p.Jo2 + p.Jp + p.mp * p.l2**2, p.M_L1 * p.l1**2 + p.J_L1
    ratios = [ratio for ratio, _ in rows.values()]
    return limited(
        "section IV, (15)",
        "with a link inertia that is small compared to the hub inertia, constrained mode shapes can be used",
        f"link 2 and payload on hubs of (kg m^2): first unconstrained frequency beside the clamped one, and error of "
        f"the first two with two clamped shapes and the joint: {listed}. "
        f"The premise in this arm: link 2 {outer:.3f} kg m^2, what link 1 carries {inner:.3f}, on hubs of "
        f"{p.Jh1:g} and {p.Jh2:g} kg m^2",
        bool(np.all(np.diff(ratios) < 0) and abs(ratios[-1] - 1) < 0.02 and ratios[0] > 2
             and rows[HUBS[1]][1] < 1e-4 < rows[HUBS[0]][1]),
        f"a premise that link 1 does not meet: it carries {inner / p.Jh1:.1f} times the inertia of its hub. "
        f"As frequencies the constrained ones "
        f"are right within 2 % from a hub of {HUBS[-1]:g} kg m^2 on; as shapes "
        f"they serve much smaller hubs, within 1e-4 down to {HUBS[1]:g} kg m^2",
        "the shapes can be used, for another reason: together with the joint they span the exact ones",
    )  # fmt: skip


def _on_hub(inertia: float, count: int) -> Array:
    """First two frequencies of link 2 on a free hub [Hz]."""
    link = arm_with().links[1]
    assert link.beam is not None
    alone = link.replace(parent=None, joint=Joint("revolute"), mass=0.0, inertia=inertia,
                         beam=link.beam.replace(modes=Modes(count)))  # fmt: skip
    return np.asarray(modes(Arm("one", (alone,), gravity=(0.0, 0.0, 0.0)), joints="free").frequencies_hz[:2])
