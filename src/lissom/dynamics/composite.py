"""Composites: bodies taken together as one rigid body, m, h = first moment (3), I (6), about a point."""

from __future__ import annotations

from typing import Any

from lissom.dynamics.vectors import UPPER, add, dot


def shifted(C: Any, r: Any) -> list[Any]:
    """A composite about a point r before its origin."""
    m, h, I = C[0], C[1:4], C[4:10]
    h2 = [a + m * b for a, b in zip(h, r, strict=True)]
    g = [a + 0.5 * (m * b) for a, b in zip(h, r, strict=True)]  # I + (r.(h + h2)) 1 - (r g^T + g r^T)
    trace = dot(r, add(h, h2))
    off = [r[a] * g[b] + g[a] * r[b] for a, b in UPPER]
    I2 = [I[k] + trace - off[k] if a == b else I[k] - off[k] for k, (a, b) in enumerate(UPPER)]
    return [m, *h2, *I2]
