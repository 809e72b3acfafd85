"""LLVM IR text for arithmetic on lanes.

`Lanes` knows the vector type and its constants, `Body` collects the lines of one function and names
their results, `arithmetic` emits the nodes of a graph. No fast-math flags: what is written is what
is computed, in one lane as in four.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Iterable
from typing import NamedTuple

from lissom.engine.graph import Graph


class Angles(NamedTuple):
    """How sine and cosine are computed in one precision.

    largest : |x| up to which they are; beyond, the result is NaN and the caller takes its slow path
    sin, cos : polynomials for |r| <= pi/4
    fused, plain : pi/2 in parts; plain ones have trailing zeros, so that products with multiples are exact
    round : adding it leaves the nearest integer in the low bits
    """

    largest: float
    sin: tuple[float, ...]
    cos: tuple[float, ...]
    fused: tuple[float, ...]
    plain: tuple[float, ...]
    round: float


ANGLES = {
    64: Angles(  # to 2 ulp; the well-known fdlibm coefficients
        1e6,
        (-1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
         2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10),
        (4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
         -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11),
        (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33),
        (1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624871116645580e-21,
         8.47842766036889956997e-32),
        1.5 * 2**52,
    ),
    32: Angles(  # to 2 ulp, and 5e-11 without fused arithmetic; the coefficients of Cephes
        1e4,
        (-1.6666654611e-1, 8.3321608736e-3, -1.9515295891e-4),
        (4.166664568298827e-2, -1.388731625493765e-3, 2.443315711809948e-5),
        (1.5707963705062866, -4.371138828673793e-08, -1.7151244994428829e-15),
        (1.5703125, 0.0004837512969970703, 7.549533620476723e-08, 2.563344151594519e-12),
        1.5 * 2**23,
    ),
}  # fmt: skip


class Lanes(NamedTuple):
    """A vector type of `width` numbers of 64 or 32 bits; `fma`: the machine multiplies and adds in one instruction."""

    width: int
    fma: bool
    bits: int = 64

    @property
    def scalar(self) -> str:
        return "double" if self.bits == 64 else "float"

    @property
    def transposes(self) -> bool:
        """Whether there are transposes for this number of lanes: those that are used."""
        return (self.width, self.bits) in ((4, 64), (8, 32))

    @property
    def four(self) -> str:
        """Four numbers of one row."""
        return f"<4 x {self.scalar}>"

    @property
    def type(self) -> str:
        return self.scalar if self.width == 1 else f"<{self.width} x {self.scalar}>"

    @property
    def integers(self) -> str:
        return f"i{self.bits}" if self.width == 1 else f"<{self.width} x i{self.bits}>"

    @property
    def flags(self) -> str:
        return "i1" if self.width == 1 else f"<{self.width} x i1>"

    @property
    def suffix(self) -> str:
        return f"f{self.bits}" if self.width == 1 else f"v{self.width}f{self.bits}"

    @property
    def size(self) -> int:
        """Bytes of a number."""
        return self.bits // 8

    @property
    def bytes(self) -> int:
        return self.size * self.width

    @property
    def align(self) -> int:
        return min(self.bytes, 64)

    @property
    def stack(self) -> str:
        """Attribute of a function that keeps many vectors on the stack: a frame that starts with a cache line.

        Else the depth of the stack at the call decides how long it takes, by up to a quarter.
        """
        return "alignstack(64)" if self.bytes >= 32 else ""

    @property
    def zero(self) -> str:
        return "0.0" if self.width == 1 else "zeroinitializer"

    def number(self, value: float) -> str:
        """A constant in all lanes."""
        if self.bits == 32:
            value = ctypes.c_float(value).value
        bits = f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
        return bits if self.width == 1 else "<" + ", ".join([f"{self.scalar} {bits}"] * self.width) + ">"

    def integer(self, value: int) -> str:
        """An integer constant in all lanes."""
        return str(value) if self.width == 1 else "<" + ", ".join([f"i{self.bits} {value}"] * self.width) + ">"

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
        L, how = self.lanes, ANGLES[self.lanes.bits]
        number, integer = L.number, L.integer
        shifted = self.fma(x, number(2.0 / 3.141592653589793), number(how.round))
        quadrant = self.put(f"bitcast {L.type} {shifted} to {L.integers}")
        k = self.two("fsub", shifted, number(how.round))
        r = self._reduced_fused(x, k) if L.fma else self._reduced_plain(x, k)
        r = self.choose(self.compare("ole", self.one("fabs", x), number(how.largest)), r, number(float("nan")))
        square = self.two("fmul", r, r)
        sine = self.fma(self.two("fmul", square, r), self._polynomial(how.sin, square), r)
        half = self.fma(square, number(-0.5), number(1.0))
        cosine = self.fma(self.two("fmul", square, square), self._polynomial(how.cos, square), half)
        odd = self.put(f"and {L.integers} {quadrant}, {integer(1)}")
        swap = self.put(f"icmp ne {L.integers} {odd}, {integer(0)}")
        next_one = self.put(f"add {L.integers} {quadrant}, {integer(1)}")
        return (
            self._signed(self.choose(swap, cosine, sine), quadrant),
            self._signed(self.choose(swap, sine, cosine), next_one),
        )

    def _reduced_fused(self, x: str, k: str) -> str:
        """x - k pi/2; each product is exact inside its multiply-add."""
        for part in ANGLES[self.lanes.bits].fused:
            x = self.fma(k, self.lanes.number(-part), x)
        return x

    def _reduced_plain(self, x: str, k: str) -> str:
        """x - k pi/2; the first difference is exact, the rounding of the second is kept and put back."""
        one, two, three, four = (self.two("fmul", k, self.lanes.number(part)) for part in ANGLES[self.lanes.bits].plain)
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
        bit = self.put(f"shl {L.integers} {quadrant}, {L.integer(L.bits - 2)}")
        bit = self.put(f"and {L.integers} {bit}, {L.integer(-(2 ** (L.bits - 1)))}")
        raw = self.put(f"bitcast {L.type} {value} to {L.integers}")
        flipped = self.put(f"xor {L.integers} {raw}, {bit}")
        return self.put(f"bitcast {L.integers} {flipped} to {L.type}")

    # ---- memory ----------------------------------------------------------------------------------

    def address(self, base: str, offset: int | str, unit: str) -> str:
        return self.put(f"getelementptr {unit}, ptr {base}, i64 {offset}")

    def load(self, where: str, aligned: bool = True) -> str:
        L = self.lanes
        return self.put(f"load {L.type}, ptr {where}, align {L.align if aligned else L.size}")

    def store(self, value: str, where: str, aligned: bool = True) -> None:
        L = self.lanes
        self.say(f"store {L.type} {value}, ptr {where}, align {L.align if aligned else L.size}")

    def splat(self, scalar: str) -> str:
        """Broadcast one number to all lanes."""
        L = self.lanes
        if L.width == 1:
            return scalar
        first = self.put(f"insertelement {L.type} poison, {L.scalar} {scalar}, i32 0")
        return self.put(f"shufflevector {L.type} {first}, {L.type} poison, <{L.width} x i32> zeroinitializer")

    def load_fours(self, rows: list[str], z: int | str) -> list[str]:
        """Four entries of every row, from entry z on, in lanes."""
        L = self.lanes
        found = [self.put(f"load {L.four}, ptr {self.address(row, z, L.scalar)}, align {L.size}") for row in rows]
        if L.bits == 64:
            return self._transposed(found)
        pairs = [self._mixed(L.four, found[k], found[k + 4], range(8)) for k in range(4)]
        return self._transposed(pairs)

    def store_fours(self, rows: list[str], z: int | str, values: list[str]) -> None:
        """Lanes of four entries to every row, from entry z on."""
        L, parts = self.lanes, self._transposed(values)
        if L.bits == 32:
            halves = (range(4), range(4, 8))
            parts = [self._mixed(L.type, part, part, half) for half in halves for part in parts]
        for row, value in zip(rows, parts, strict=True):
            self.say(f"store {L.four} {value}, ptr {self.address(row, z, L.scalar)}, align {L.size}")

    def _mixed(self, kind: str, a: str, b: str, order: Iterable[int]) -> str:
        """Entries of two vectors of a type, in an order."""
        mask = [f"i32 {i}" for i in order]
        return self.put(f"shufflevector {kind} {a}, {kind} {b}, <{len(mask)} x i32> <{', '.join(mask)}>")

    def _transposed(self, v: list[str]) -> list[str]:
        """Four vectors of four lanes transposed; of eight lanes both halves."""
        T, W = self.lanes.type, self.lanes.width
        orders = ((0, W, 2, W + 2), (1, W + 1, 3, W + 3), (0, 1, W, W + 1), (2, 3, W + 2, W + 3))
        first, second, low, high = ([half + i for half in range(0, W, 4) for i in order] for order in orders)
        a, b = self._mixed(T, v[0], v[1], first), self._mixed(T, v[0], v[1], second)
        c, d = self._mixed(T, v[2], v[3], first), self._mixed(T, v[2], v[3], second)
        return [self._mixed(T, a, c, low), self._mixed(T, b, d, low), self._mixed(T, a, c, high),
                self._mixed(T, b, d, high)]  # fmt: skip


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
