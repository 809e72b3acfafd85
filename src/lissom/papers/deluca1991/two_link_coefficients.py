"""De Luca and Siciliano 1991, (32)-(34) and the appendix: two links with two modes each, coefficient by coefficient.

The names are the paper's; `printed` gives every constant as it reads there, `corrected` the same with the slips in
`ERRATA` corrected. `inertia` and `velocity_forces` put them into (32) and (34). With the corrected constants they are
the general closed form of `de_luca_siciliano`; with the printed ones h does not belong to B, and energy drifts.

Coordinates are the paper's here, (theta_1, theta_2, delta_11, delta_12, delta_21, delta_22); `ORDER` takes lissom's to
them: ``q[..., ORDER]``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from lissom.dynamics.bodies import Bodies
from lissom.dynamics.planar.chain import Planar
from lissom.errors import UnsupportedError
from lissom.model.arm import Arm
from lissom.spatial.scalar import cos, sin

ORDER = (0, 3, 1, 2, 4, 5)
Coefficients = dict[str, Any]


class TwoLink(NamedTuple):
    """The paper's parameters; phi_11 ... are values at the end of the link, dphi_11 ... slopes there."""

    m1: Any
    m2: Any
    mh2: Any
    mp: Any
    d2: Any
    l1: Any
    l2: Any
    Jo1: Any
    Jo2: Any
    Jh1: Any
    Jh2: Any
    Jp: Any
    phi_11: Any
    phi_12: Any
    phi_21: Any
    phi_22: Any
    dphi_11: Any
    dphi_12: Any
    dphi_21: Any
    dphi_22: Any
    v_21: Any
    v_22: Any
    w_11: Any
    w_12: Any
    w_21: Any
    w_22: Any
    z_1: Any  # ((z_111, z_112), (z_121, z_122))
    z_2: Any

    @classmethod
    def of(cls, arm: Arm) -> TwoLink:
        """Make the parameters from an arm of two straight links, two transversal modes each, and a tip payload."""
        shapes = [(link.beam, link.mode_labels) for link in arm.links]
        if len(shapes) != 2 or any(beam is None or len(labels) != 2 for beam, labels in shapes):
            raise UnsupportedError(
                f"arm {arm.name!r} is not two flexible links of two modes each, for which the paper prints its "
                "coefficients; use method='de_luca_siciliano', which takes any number."
            )
        planar = Planar(Bodies(arm))
        one, two = (_without_ends(arm, planar, k) for k in range(2))
        hub1, hub2, tip = arm.links[0], arm.links[1], arm.links[1].payload
        l1, l2 = (link.reach.real for link in planar.links)
        (phi_11, phi_12), (phi_21, phi_22) = ([s.imag for s in link.reach_shift] for link in planar.links)
        (dphi_11, dphi_12), (dphi_21, dphi_22) = (link.turn for link in planar.links)
        return cls(
            one.m, two.m, hub2.mass, 0.0 if tip is None else tip.mass, two.d, l1, l2, one.J, two.J, hub1.inertia[2, 2],
            hub2.inertia[2, 2], 0.0 if tip is None else tip.inertia[2, 2], phi_11, phi_12, phi_21, phi_22, dphi_11,
            dphi_12, dphi_21, dphi_22, two.v[0], two.v[1], one.w[0], one.w[1], two.w[0], two.w[1], one.z, two.z,
        )  # fmt: skip

    @property
    def far(self) -> Any:
        """m_2 d_2 + m_p l_2."""
        return self.m2 * self.d2 + self.mp * self.l2

    @property
    def J_L1(self) -> Any:
        """J_o2 + J_h2 + J_p + m_p l_2^2, (28)."""
        return self.Jh2 + self.Jo2 + self.Jp + self.mp * self.l2 * self.l2

    @property
    def M_L1(self) -> Any:
        """m_2 + m_h2 + m_p, (28)."""
        return self.mh2 + self.m2 + self.mp

    @property
    def V(self) -> tuple[Any, Any]:
        """v_2j + m_p phi_2j,e."""
        return self.v_21 + self.mp * self.phi_21, self.v_22 + self.mp * self.phi_22

    @property
    def U(self) -> tuple[Any, Any]:
        """w_2j + J_p phi'_2j,e + m_p l_2 phi_2j,e."""
        return (
            self.w_21 + self.Jp * self.dphi_21 + self.mp * self.l2 * self.phi_21,
            self.w_22 + self.Jp * self.dphi_22 + self.mp * self.l2 * self.phi_22,
        )


class _Plain(NamedTuple):
    """Integrals (24) of a beam alone."""

    m: float
    d: float
    J: float
    v: list[float]
    w: list[float]
    z: list[list[float]]


def _without_ends(arm: Arm, planar: Planar, k: int) -> _Plain:
    """The integrals (24) of a beam without hub and payload, which must lie where the paper has them."""
    from lissom.dynamics.flexible_links import flexible_bodies

    body, link = flexible_bodies(arm)[k], arm.links[k]
    own, payload = planar.links[k], link.payload
    beside = abs(own.reach - body.tip.point[0]) > 1e-12 or body.D[:, [0, 2]].any() or link.com.any()
    turned = k == 1 and (own.heading != 1 or own.sign != 1)
    carried = payload is not None and (k == 0 or payload.com.any())
    if beside or turned or carried:
        raise UnsupportedError(
            f"link {link.name!r} of arm {arm.name!r} has a hub, payload, joint or mode that the two-link arm of the "
            "paper does not have; use method='de_luca_siciliano', which is general."
        )
    m = float(body.C[0, 0])
    return _Plain(
        m, float(body.C[0, 1]) / m, float(body.C[1, 1]), body.D[:, 1, 0].tolist(), body.D[:, 1, 1].tolist(),
        body.Y[:, :, 1, 1].tolist(),
    )  # fmt: skip


def printed(p: TwoLink) -> Coefficients:
    """b, t and h as the appendix prints them."""
    return {**_b(p), **_t(p), **_h1(p), **_h2(p), **_h3(p), **_h4(p), **_h56(p)}


def corrected(p: TwoLink) -> Coefficients:
    """Coefficients b, t and h with the errata corrected."""
    return {**printed(p), **{name: right(p) for name, (_, _, right) in ERRATA.items()}}


# name: as it reads, should be, and what it then is
ERRATA: dict[str, tuple[str, str, Callable[[TwoLink], Any]]] = {
    "h_107": (
        "-(m_2 d_2 + m_p l_2) l_1 phi'_11,e",
        "-2 (m_2 d_2 + m_p l_2) l_1 phi'_11,e",
        lambda p: -2 * p.far * p.l1 * p.dphi_11,
    ),
    "h_117": ("-(v_21 + m_p phi_21,e)", "v_21 + m_p phi_21,e", lambda p: p.V[0]),
    "h_118": ("-(v_22 + m_p phi_22,e)", "v_22 + m_p phi_22,e", lambda p: p.V[1]),
    "h_412": (
        "-2 (v_22 + m_p phi_22,e) phi_12,e phi'_12,e",
        "-2 (v_22 + m_p phi_22,e) phi_12,e phi'_11,e",
        lambda p: -2 * p.V[1] * p.phi_12 * p.dphi_11,
    ),
    "h_413": (
        "-2 (v_21 + m_p phi_21,e) phi_12,e phi'_11,e",
        "-2 (v_21 + m_p phi_21,e) phi_12,e phi'_12,e",
        lambda p: -2 * p.V[0] * p.phi_12 * p.dphi_12,
    ),
}


def _b(p: TwoLink) -> Coefficients:
    far, J, (V1, V2), (U1, U2) = p.far, p.J_L1, p.V, p.U
    l1, f1, f2, g1, g2 = p.l1, p.phi_11, p.phi_12, p.dphi_11, p.dphi_12
    return {
        "b_111": p.Jh1 + p.Jo1 + p.Jh2 + p.mh2 * l1 * l1 + p.Jo2 + p.m2 * l1 * l1 + p.Jp
        + p.mp * (l1 * l1 + p.l2 * p.l2),
        "b_112": 2 * far * l1, "b_113": 2 * far, "b_114": -2 * l1,
        "b_121": J, "b_122": far * l1, "b_123": far, "b_124": -l1,
        "b_131": p.w_11 + J * g1 + p.M_L1 * l1 * f1, "b_132": far * (f1 + l1 * g1), "b_133": -(f1 + l1 * g1),
        "b_134": -far * (f1 * g2 - f2 * g1),
        "b_141": p.w_12 + J * g2 + p.M_L1 * l1 * f2, "b_142": far * (f2 + l1 * g2), "b_143": -(f2 + l1 * g2),
        "b_144": -far * (f2 * g1 - f1 * g2),
        "b_151": U1, "b_152": V1 * l1, "b_153": V1,
        "b_161": U2, "b_162": V2 * l1, "b_163": V2,
        "b_221": J,
        "b_231": J * g1, "b_232": far * f1, "b_233": -f1, "b_234": -far * f1,
        "b_241": J * g2, "b_242": far * f2, "b_243": -f2, "b_244": -far * f2,
        "b_251": U1, "b_261": U2,
        "b_331": p.m1, "b_332": 2 * far * f1 * g1, "b_333": -2 * f1 * g1,
        "b_341": 0, "b_342": far * (f1 * g2 + f2 * g1), "b_343": -(f1 * g2 + f2 * g1),
        "b_351": U1 * g1, "b_352": V1 * f1, "b_353": -V1 * f1,
        "b_361": U2 * g1, "b_362": V2 * f1, "b_363": -V2 * f1,
        "b_441": p.m1, "b_442": 2 * far * f2 * g2, "b_443": -2 * f2 * g2,
        "b_451": U1 * g2, "b_452": V1 * f2, "b_453": -V1 * f2,
        "b_461": U2 * g2, "b_462": V2 * f2, "b_463": -V2 * f2,
        "b_551": p.m2, "b_561": 0, "b_661": p.m2,
    }  # fmt: skip


def _t(p: TwoLink) -> Coefficients:
    return {
        "t_11": p.phi_11 - p.l1 * p.dphi_11, "t_12": p.phi_12 - p.l1 * p.dphi_12, "t_21": p.V[0], "t_22": p.V[1],
        "t_31": p.dphi_11, "t_32": p.dphi_12,
    }  # fmt: skip


def _h1(p: TwoLink) -> Coefficients:
    far, (V1, V2) = p.far, p.V
    l1, f1, f2, g1, g2 = p.l1, p.phi_11, p.phi_12, p.dphi_11, p.dphi_12
    return {
        "h_101": -2 * far * l1, "h_102": 2 * far * (f1 - l1 * g1), "h_103": 2 * far * (f2 - l1 * g2),
        "h_104": -2 * V1 * l1, "h_105": -2 * V2 * l1, "h_106": -far * l1, "h_107": -far * l1 * g1,
        "h_108": -2 * far * l1 * g2, "h_109": -2 * V1 * l1, "h_110": -2 * V2 * l1, "h_111": -2 * V1 * l1 * g1,
        "h_112": -2 * V2 * l1 * g1, "h_113": -2 * V1 * l1 * g2, "h_114": -2 * V2 * l1 * g2, "h_115": 2 * far,
        "h_116": far, "h_117": -V1, "h_118": -V2, "h_119": -2 * l1, "h_120": -l1, "h_121": -(f1 + l1 * g1),
        "h_122": -(f2 + l1 * g2), "h_123": -far * (f1 * g2 - f2 * g1), "h_124": -far * (f2 * g1 - f1 * g2),
    }  # fmt: skip


def _h2(p: TwoLink) -> Coefficients:
    far, (V1, V2) = p.far, p.V
    l1, f1, f2, g1, g2 = p.l1, p.phi_11, p.phi_12, p.dphi_11, p.dphi_12
    return {
        "h_201": far * l1, "h_202": 2 * far * f1, "h_203": 2 * far * f2, "h_204": -far, "h_205": -V1, "h_206": -V2,
        "h_207": l1, "h_208": f1 + l1 * g1, "h_209": f2 + l1 * g2, "h_210": far * (f1 * g2 - f2 * g1),
        "h_211": far * (f2 * g1 - f1 * g2), "h_212": f1 * g1, "h_213": f1 * g2 + f2 * g1, "h_214": V1 * f1,
        "h_215": V2 * f1, "h_216": f2 * g2, "h_217": V1 * f2, "h_218": V2 * f2,
    }  # fmt: skip


def _h3(p: TwoLink) -> Coefficients:
    far, (V1, V2) = p.far, p.V
    l1, f1, f2, g1, g2 = p.l1, p.phi_11, p.phi_12, p.dphi_11, p.dphi_12
    return {
        "h_301": -far * (f1 - l1 * g1), "h_302": -2 * far * f1, "h_303": 2 * far * (f2 * g1 - f1 * g2),
        "h_304": -2 * V1 * f1, "h_305": -2 * V2 * f1, "h_306": -far * f1, "h_307": -2 * far * f1 * g1,
        "h_308": -2 * far * f1 * g2, "h_309": -2 * V1 * f1, "h_310": -2 * V2 * f1, "h_311": -2 * V1 * f1 * g1,
        "h_312": -2 * V2 * f1 * g1, "h_313": -2 * V1 * f1 * g2, "h_314": -2 * V2 * f1 * g2,
        "h_315": -(f1 + l1 * g1), "h_316": -f1, "h_317": -2 * f1 * g1, "h_318": -(f1 * g2 + f2 * g1),
        "h_319": -far * f1, "h_320": -V1 * f1, "h_321": -V2 * f1, "h_322": -far * (f1 * g2 - f2 * g1),
    }  # fmt: skip


def _h4(p: TwoLink) -> Coefficients:
    far, (V1, V2) = p.far, p.V
    l1, f1, f2, g1, g2 = p.l1, p.phi_11, p.phi_12, p.dphi_11, p.dphi_12
    return {
        "h_401": -far * (f2 - l1 * g2), "h_402": -2 * far * f2, "h_403": 2 * far * (f1 * g2 - f2 * g1),
        "h_404": -2 * V1 * f2, "h_405": -2 * V2 * f2, "h_406": -far * f2, "h_407": -2 * far * f2 * g1,
        "h_408": -2 * far * f2 * g2, "h_409": -2 * V1 * f2, "h_410": -2 * V2 * f2, "h_411": -2 * V1 * f2 * g1,
        "h_412": -2 * V2 * f2 * g2, "h_413": -2 * V1 * f2 * g1, "h_414": -2 * V2 * f2 * g2,
        "h_415": -(f2 + l1 * g2), "h_416": -f2, "h_417": -(f1 * g2 + f2 * g1), "h_418": -2 * f2 * g2,
        "h_419": -far * f2, "h_420": -V1 * f2, "h_421": -V2 * f2, "h_422": -far * (f2 * g1 - f1 * g2),
    }  # fmt: skip


def _h56(p: TwoLink) -> Coefficients:
    out: Coefficients = {}
    for row, V in zip("56", p.V, strict=True):
        out |= {
            f"h_{row}01": V * p.l1, f"h_{row}02": 2 * V * p.phi_11, f"h_{row}03": 2 * V * p.phi_12, f"h_{row}04": V,
            f"h_{row}05": -V * p.phi_11, f"h_{row}06": -V * p.phi_12,
        }  # fmt: skip
    return out


def _shared(x: Coefficients, q: Sequence[Any]) -> tuple[Any, ...]:
    """Shared values c_2, s_2 and t_1, t_2, t_3 of (33)."""
    _, theta2, d11, d12, d21, d22 = q
    t1 = x["t_11"] * d11 + x["t_12"] * d12
    t2 = x["t_21"] * d21 + x["t_22"] * d22
    t3 = x["t_31"] * d11 + x["t_32"] * d12
    return cos(theta2), sin(theta2), t1, t2, t3


def inertia(x: Coefficients, q: Sequence[Any]) -> list[list[Any]]:
    """The inertia matrix B, (32)."""
    d11, d12 = q[2], q[3]
    c, s, t1, t2, t3 = _shared(x, q)
    pairs = {
        "11": ("113", t1, "114", t2), "12": ("123", t1, "124", t2), "13": ("133", t2, "134", d12),
        "14": ("143", t2, "144", d11), "15": ("153", t1), "16": ("163", t1), "22": (), "23": ("233", t2, "234", t3),
        "24": ("243", t2, "244", t3), "25": (), "26": (), "33": ("333", t2), "34": ("343", t2), "35": ("353", t3),
        "36": ("363", t3), "44": ("443", t2), "45": ("453", t3), "46": ("463", t3), "55": (), "56": (), "66": (),
    }  # fmt: skip
    B: list[list[Any]] = [[0.0] * 6 for _ in range(6)]
    for name, parts in pairs.items():
        entry = x[f"b_{name}1"] + x.get(f"b_{name}2", 0) * c
        for number, t in zip(parts[0::2], parts[1::2], strict=True):
            entry = entry + x[f"b_{number}"] * t * s
        a, b = int(name[0]) - 1, int(name[1]) - 1
        B[a][b] = B[b][a] = entry
    return B


def velocity_forces(x: Coefficients, q: Sequence[Any], qd: Sequence[Any]) -> list[Any]:
    """The velocity forces h, (34)."""
    return [sum(x[name] * term for name, term in row.items()) for row in velocity_terms(x, q, qd)]


def velocity_terms(x: Coefficients, q: Sequence[Any], qd: Sequence[Any]) -> list[dict[str, Any]]:
    """Products of rates and deflections that the coefficients of (34) multiply, by row."""
    d11, d12 = q[2], q[3]
    T1, T2, D11, D12, D21, D22 = qd
    c, s, t1, t2, t3 = _shared(x, q)
    one = _named("1", 1, [T1 * v * s for v in (T2, D11, D12, D21, D22)])
    one |= _named("1", 6, [T2 * v * s for v in (T2, D11, D12, D21, D22)])
    one |= _named("1", 11, [v * s for v in (D21 * D11, D22 * D11, D21 * D12, D22 * D12)])
    one |= _named("1", 15, [v * t1 * T2 * c for v in (T1, T2, D21, D22)])
    one |= _named("1", 19, [v * t2 * T2 * c for v in (T1, T2, D11, D12)])
    one |= _named("1", 23, [d12 * D11 * T2 * c, d11 * D12 * T2 * c])
    two = _named("2", 1, [v * T1 * s for v in (T1, D11, D12)])
    two |= _named("2", 4, [v * t1 * T1 * c for v in (T1, D21, D22)])
    two |= _named("2", 7, [v * t2 * T1 * c for v in (T1, D11, D12)])
    two |= _named("2", 10, [d12 * D11 * T1 * c, d11 * D12 * T1 * c])
    two |= _named("2", 12, [D11 * t2 * D11 * c, D12 * t2 * D11 * c, D21 * t3 * D11 * c, D22 * t3 * D11 * c])
    two |= _named("2", 16, [D12 * t2 * D12 * c, D21 * t3 * D12 * c, D22 * t3 * D12 * c])
    rows = [one, two]
    for row, other, rate in (("3", d12, D12), ("4", d11, D11)):
        terms = _named(row, 1, [v * T1 * s for v in (T1, T2, rate, D21, D22)])
        terms |= _named(row, 6, [v * T2 * s for v in (T2, D11, D12, D21, D22)])
        terms |= _named(row, 11, [v * s for v in (D21 * D11, D22 * D11, D21 * D12, D22 * D12)])
        terms |= _named(row, 15, [v * t2 * T2 * c for v in (T1, T2, D11, D12)])
        terms |= _named(row, 19, [v * t3 * T2 * c for v in (T2, D21, D22)])
        rows.append(terms | _named(row, 22, [other * T1 * T2 * c]))
    for row in "56":
        terms = _named(row, 1, [v * T1 * s for v in (T1, D11, D12)])
        rows.append(terms | _named(row, 4, [t1 * T1 * T2 * c, D11 * t3 * T2 * c, D12 * t3 * T2 * c]))
    return rows


def _named(row: str, first: int, terms: Sequence[Any]) -> dict[str, Any]:
    return {f"h_{row}{first + k:02d}": term for k, term in enumerate(terms)}


def modal_inertia(p: TwoLink, link: int, j: int, k: int, offset: Any = 0, as_printed: bool = False) -> Any:
    """Factors of deflection rates in the kinetic energy, (27); `offset` is (MD) of the link, 0 for the second one.

    As printed, (27a) and (27c) have no end terms at all and (27b) has half of (MD).
    """
    f, g = (((p.phi_11, p.phi_12), (p.dphi_11, p.dphi_12)), ((p.phi_21, p.phi_22), (p.dphi_21, p.dphi_22)))[link]
    M, J, z = ((p.M_L1, p.J_L1, p.z_1), (p.mp, p.Jp, p.z_2))[link]
    if as_printed and j == k:
        return z[j][k]
    shared = offset / 2 if as_printed else offset
    return z[j][k] + M * f[j] * f[k] + J * g[j] * g[k] + shared * (f[j] * g[k] + g[j] * f[k])
