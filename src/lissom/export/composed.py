"""The gradient of forward dynamics in C, computed from that of inverse dynamics.

With D the derivatives of inverse dynamics at the acceleration that tau produces: d qdd = M^-1 (d tau - D).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from lissom.engine.c99 import Helper, Real, Routine
from lissom.export.arrays import results
from lissom.export.functions import Made, Request, planned, read_by, record
from lissom.kernels.verbs import FORWARD_DYNAMICS_GRADIENT, VERBS
from lissom.model.arm import Arm


def with_needed(verbs: list[str]) -> list[str]:
    """The functions to export, each after those that it calls."""
    return list(dict.fromkeys(x for verb in verbs for x in (*VERBS[verb].composed_of, verb)))


def forward_gradient(arm: Arm, asked: Request, before: Sequence[Made]) -> Made:
    """The C function; its workspace holds qdd, then the three matrices D. `before` holds the functions it calls."""
    n, verb = arm.dof, FORWARD_DYNAMICS_GRADIENT
    forward, slopes = verb.composed_of
    plan, _ = planned(arm, VERBS[forward], asked)
    inputs, outputs = read_by(arm, plan, asked), results(arm, verb, ((n, n),) * 3, asked.place)
    acting = [x.name for x in inputs[3:]]
    D_q, D_qd, M = (f"w + {n + k * n * n}" for k in range(3))
    lines = [
        f"if ({asked.name}_{forward}({', '.join(['q', 'qd', 'tau', *acting, 'w'])})) return 1;",
        f"if ({asked.name}_{slopes}({', '.join(['q', 'qd', 'w', *acting, D_q, D_qd, M])})) return 1;",
        f"inverted({M}, qdd_tau);",
        f"negative_product(qdd_tau, {D_q}, qdd_q);",
        f"negative_product(qdd_tau, {D_qd}, qdd_qd);",
    ]
    routine = Routine(tuple(lines), _algebra(n, asked.real), n + 3 * n * n, 0, _operations(n))
    own = record(f"{asked.name}_{verb.name}", verb.name, inputs, outputs, "composed", routine, asked.real)
    below = max(other.record.stack for other in before if other.record.verb in verb.composed_of)
    return Made(own._replace(stack=own.stack + below), routine)


def _operations(n: int) -> Counter[str]:
    """Operation counts of the elimination and the two products, without the called functions."""
    pairs = 2 * n**3
    return Counter({"mul": n * (n - 1) * 2 * n + 2 * n * n + pairs, "sub": n * (n - 1) * 2 * n + pairs, "div": n})


def _algebra(n: int, real: Real) -> tuple[Helper, ...]:
    T, one = real.type, real.number(1.0)
    absolute = real.called("fabs", "A[r * n + k]"), real.called("fabs", "A[p * n + k]")
    inverted = f"""/* B = A^-1 by elimination with row exchanges; A is used up. Not finite where A is singular. */
static void inverted({T} *A, {T} *B)
{{
    enum {{ n = {n} }};
    int i, j, k, p, r;
    for (i = 0; i < n * n; ++i) B[i] = i % (n + 1) == 0;
    for (k = 0; k < n; ++k) {{
        {T} scale;
        p = k;
        for (r = k + 1; r < n; ++r)
            if ({absolute[0]} > {absolute[1]}) p = r;
        for (j = 0; j < n; ++j) {{
            const {T} a = A[k * n + j], b = B[k * n + j];
            A[k * n + j] = A[p * n + j];
            B[k * n + j] = B[p * n + j];
            A[p * n + j] = a;
            B[p * n + j] = b;
        }}
        scale = {one} / A[k * n + k];
        for (j = 0; j < n; ++j) {{
            A[k * n + j] *= scale;
            B[k * n + j] *= scale;
        }}
        for (r = 0; r < n; ++r) {{
            const {T} factor = A[r * n + k];
            if (r == k) continue;
            for (j = 0; j < n; ++j) {{
                A[r * n + j] -= factor * A[k * n + j];
                B[r * n + j] -= factor * B[k * n + j];
            }}
        }}
    }}
}}"""
    product = f"""/* C = -A B */
static void negative_product(const {T} *A, const {T} *B, {T} *C)
{{
    enum {{ n = {n} }};
    int i, j, k;
    for (i = 0; i < n; ++i) {{
        for (j = 0; j < n; ++j) C[i * n + j] = -A[i * n] * B[j];
        for (k = 1; k < n; ++k)
            for (j = 0; j < n; ++j) C[i * n + j] -= A[i * n + k] * B[k * n + j];
    }}
}}"""
    return Helper("inverted", tuple(inverted.split("\n"))), Helper("negative_product", tuple(product.split("\n")))
