"""LLVM IR text for arithmetic on lanes.

`Lanes` knows the vector type and its constants, `Body` collects the lines of one function and names
their results, `arithmetic` emits the nodes of a graph. No fast-math flags: what is written is what
is computed, in one lane as in four.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from typing import NamedTuple

from lissom.engine.graph import Graph

# |x| up to which sin and cos are computed here; beyond, the result is NaN and the caller takes
# its slow path. The reduction below is good to 2 ulp up to this bound.
LARGEST_ANGLE = 1e6

# Minimax polynomials for |r| <= pi/4 (the well-known fdlibm coefficients).
SIN = (-1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
       2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10)  # fmt: skip
COS = (4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
       -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11)  # fmt: skip
# pi/2 in parts: plain for fused arithmetic, with trailing zeros (so that products with k are exact) for the other.
HALF_PI_FUSED = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33)
HALF_PI_PLAIN = (
    1.57079632673412561417e00,
    6.07710050630396597660e-11,
    2.02226624871116645580e-21,
    8.47842766036889956997e-32,
)
# Adding 1.5 * 2^52 leaves the nearest integer in the low bits.
ROUND = 6755399441055744.0


class Lanes(NamedTuple):
    """A vector type of `width` doubles; `fma` says whether the machine multiplies and adds in one instruction."""

    width: int
    fma: bool

    @property
    def type(self) -> str:
        return "double" if self.width == 1 else f"<{self.width} x double>"

    @property
    def integers(self) -> str:
        return "i64" if self.width == 1 else f"<{self.width} x i64>"

    @property
    def flags(self) -> str:
        return "i1" if self.width == 1 else f"<{self.width} x i1>"

    @property
    def suffix(self) -> str:
        return "f64" if self.width == 1 else f"v{self.width}f64"

    @property
    def bytes(self) -> int:
        return 8 * self.width

    @property
    def align(self) -> int:
        return min(self.bytes, 64)

    @property
    def zero(self) -> str:
        return "0.0" if self.width == 1 else "zeroinitializer"

    def number(self, value: float) -> str:
        """A constant in all lanes."""
        bits = f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
        return bits if self.width == 1 else "<" + ", ".join([f"double {bits}"] * self.width) + ">"

    def integer(self, value: int) -> str:
        """An integer constant in all lanes."""
        return str(value) if self.width == 1 else "<" + ", ".join([f"i64 {value}"] * self.width) + ">"

    @property
    def declarations(self) -> list[str]:
        """Intrinsics the emitted code may call."""
        T, s = self.type, self.suffix
        return [
            f"declare {T} @llvm.fma.{s}({T}, {T}, {T})",
            f"declare {T} @llvm.sqrt.{s}({T})",
            f"declare {T} @llvm.fabs.{s}({T})",
        ]


class Body:
    """Lines of one function; every result gets a unique name."""

    def __init__(self, lanes: Lanes):
        self.lanes = lanes
        self.lines: list[str] = []
        self.count = 0

    def put(self, text: str) -> str:
        """Append ``%name = text`` and return the name."""
        self.count += 1
        self.lines.append(f"  %t{self.count} = {text}")
        return f"%t{self.count}"

    def say(self, text: str) -> None:
        """Append a line without a result."""
        self.lines.append(f"  {text}")

    def label(self, name: str) -> None:
        self.lines.append(f"{name}:")

    # ---- arithmetic on lanes ---------------------------------------------------------------------

    def two(self, op: str, a: str, b: str) -> str:
        return self.put(f"{op} {self.lanes.type} {a}, {b}")

    def fma(self, a: str, b: str, c: str) -> str:
        """Multiply-add a b + c, with one rounding where the machine supports it."""
        if not self.lanes.fma:
            return self.two("fadd", self.two("fmul", a, b), c)
        T = self.lanes.type
        return self.put(f"call {T} @llvm.fma.{self.lanes.suffix}({T} {a}, {T} {b}, {T} {c})")

    def one(self, intrinsic: str, a: str) -> str:
        T = self.lanes.type
        return self.put(f"call {T} @llvm.{intrinsic}.{self.lanes.suffix}({T} {a})")

    def negative(self, a: str) -> str:
        return self.put(f"fneg {self.lanes.type} {a}")

    def choose(self, flag: str, a: str, b: str) -> str:
        L = self.lanes
        return self.put(f"select {L.flags} {flag}, {L.type} {a}, {L.type} {b}")

    def compare(self, how: str, a: str, b: str) -> str:
        return self.put(f"fcmp {how} {self.lanes.type} {a}, {b}")

    def sign(self, a: str) -> str:
        """Sign of a value: -1, 0 or 1."""
        number = self.lanes.number
        below = self.choose(self.compare("olt", a, number(0.0)), number(-1.0), number(0.0))
        return self.choose(self.compare("ogt", a, number(0.0)), number(1.0), below)

    def sincos(self, x: str) -> tuple[str, str]:
        """Sine and cosine: reduction by multiples of pi/2 (Cody and Waite), polynomials, quadrant by bits."""
        L = self.lanes
        number, integer = L.number, L.integer
        shifted = self.fma(x, number(2.0 / 3.141592653589793), number(ROUND))
        quadrant = self.put(f"bitcast {L.type} {shifted} to {L.integers}")
        k = self.two("fsub", shifted, number(ROUND))
        r = self._reduced_fused(x, k) if L.fma else self._reduced_plain(x, k)
        r = self.choose(self.compare("ole", self.one("fabs", x), number(LARGEST_ANGLE)), r, number(float("nan")))
        square = self.two("fmul", r, r)
        sine = self.fma(self.two("fmul", square, r), self._polynomial(SIN, square), r)
        half = self.fma(square, number(-0.5), number(1.0))
        cosine = self.fma(self.two("fmul", square, square), self._polynomial(COS, square), half)
        odd = self.put(f"and {L.integers} {quadrant}, {integer(1)}")
        swap = self.put(f"icmp ne {L.integers} {odd}, {integer(0)}")
        next_one = self.put(f"add {L.integers} {quadrant}, {integer(1)}")
        return (
            self._signed(self.choose(swap, cosine, sine), quadrant),
            self._signed(self.choose(swap, sine, cosine), next_one),
        )

    def _reduced_fused(self, x: str, k: str) -> str:
        """x - k pi/2; each product is exact inside its multiply-add."""
        for part in HALF_PI_FUSED:
            x = self.fma(k, self.lanes.number(-part), x)
        return x

    def _reduced_plain(self, x: str, k: str) -> str:
        """x - k pi/2; the first difference is exact, the rounding of the second is kept and put back."""
        one, two, three, four = (self.two("fmul", k, self.lanes.number(part)) for part in HALF_PI_PLAIN)
        r = self.two("fsub", x, one)
        rough = self.two("fsub", r, two)
        lost = self.two("fsub", self.two("fsub", r, rough), two)
        return self.two("fadd", rough, self.two("fsub", lost, self.two("fadd", three, four)))

    def _polynomial(self, coefficients: tuple[float, ...], x: str) -> str:
        total = self.lanes.number(coefficients[-1])
        for c in reversed(coefficients[:-1]):
            total = self.fma(x, total, self.lanes.number(c))
        return total

    def _signed(self, value: str, quadrant: str) -> str:
        """Flip the sign where bit 1 of the quadrant is set."""
        L = self.lanes
        bit = self.put(f"shl {L.integers} {quadrant}, {L.integer(62)}")
        bit = self.put(f"and {L.integers} {bit}, {L.integer(-(2**63))}")
        raw = self.put(f"bitcast {L.type} {value} to {L.integers}")
        flipped = self.put(f"xor {L.integers} {raw}, {bit}")
        return self.put(f"bitcast {L.integers} {flipped} to {L.type}")

    # ---- memory ----------------------------------------------------------------------------------

    def address(self, base: str, offset: int | str, unit: str) -> str:
        return self.put(f"getelementptr {unit}, ptr {base}, i64 {offset}")

    def load(self, where: str, aligned: bool = True) -> str:
        return self.put(f"load {self.lanes.type}, ptr {where}, align {self.lanes.align if aligned else 8}")

    def store(self, value: str, where: str, aligned: bool = True) -> None:
        self.say(f"store {self.lanes.type} {value}, ptr {where}, align {self.lanes.align if aligned else 8}")

    def splat(self, scalar: str) -> str:
        """Broadcast one double to all lanes."""
        L = self.lanes
        if L.width == 1:
            return scalar
        first = self.put(f"insertelement {L.type} poison, double {scalar}, i32 0")
        return self.put(f"shufflevector {L.type} {first}, {L.type} poison, <{L.width} x i32> zeroinitializer")

    def transpose4(self, v: list[str]) -> list[str]:
        """Transpose four vectors of four lanes."""

        def mix(a: str, b: str, order: Iterable[int]) -> str:
            mask = ", ".join(f"i32 {i}" for i in order)
            return self.put(f"shufflevector <4 x double> {a}, <4 x double> {b}, <4 x i32> <{mask}>")

        a, b = mix(v[0], v[1], (0, 4, 2, 6)), mix(v[0], v[1], (1, 5, 3, 7))
        c, d = mix(v[2], v[3], (0, 4, 2, 6)), mix(v[2], v[3], (1, 5, 3, 7))
        low, high = (0, 1, 4, 5), (2, 3, 6, 7)
        return [mix(a, c, low), mix(b, d, low), mix(a, c, high), mix(b, d, high)]


def arithmetic(body: Body, graph: Graph, read: Callable[[int, int], str], done: Callable[[int, str], None]) -> None:
    """Emit all nodes in order; `read(vector, entry)` loads an input, `done(node, name)` hears of each result."""
    number = body.lanes.number
    names: list[str] = []
    pairs: dict[int, tuple[str, str]] = {}
    plain = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
    for k, node in enumerate(graph.nodes):
        a = [names[j] for j in node.args]
        if node.op == "const":
            name = number(node.data[0])
        elif node.op == "input":
            name = read(int(node.data[0]), int(node.data[1]))
        elif node.op in plain:
            name = body.two(plain[node.op], a[0], a[1])
        elif node.op == "fma":
            name = body.fma(*a)
        elif node.op == "fms":
            name = body.fma(a[0], a[1], body.negative(a[2]))
        elif node.op == "fnma":
            name = body.fma(body.negative(a[0]), a[1], a[2])
        elif node.op in ("sin", "cos"):
            if node.args[0] not in pairs:
                pairs[node.args[0]] = body.sincos(a[0])
            name = pairs[node.args[0]][node.op == "cos"]
        elif node.op == "sign":
            name = body.sign(a[0])
        elif node.op == "neg":
            name = body.negative(a[0])
        else:
            name = body.one({"sqrt": "sqrt", "abs": "fabs"}[node.op], a[0])
        names.append(name)
        done(k, name)


class Finite:
    """Accumulates, in four short chains, whether all values were finite: 0 x inf and 0 x NaN are NaN."""

    def __init__(self, body: Body):
        self.body = body
        self.chains: list[str] = []
        self.seen = 0

    def see(self, value: str) -> None:
        body, zero = self.body, self.body.lanes.zero
        if len(self.chains) < 4:
            self.chains.append(body.two("fmul", value, zero))
        else:
            at = self.seen % 4
            self.chains[at] = body.fma(value, zero, self.chains[at])
        self.seen += 1

    def total(self) -> str:
        """NaN in a lane where something was not finite, else zero."""
        total = self.body.lanes.zero
        for chain in self.chains:
            total = self.body.two("fadd", total, chain)
        return total


def any_nan(body: Body, value: str) -> str:
    """An i64 that is nonzero if any lane is NaN."""
    L = body.lanes
    flags = body.compare("uno", value, value)
    if L.width == 1:
        return body.put(f"zext i1 {flags} to i64")
    bits = body.put(f"bitcast {L.flags} {flags} to i{L.width}")
    return body.put(f"zext i{L.width} {bits} to i64")
