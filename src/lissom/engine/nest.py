"""Nested loops as LLVM text: every loop has a counter and values that it carries from one turn to the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lissom.engine.ir import Body, Lanes

Carried = tuple[str, str]  # type and first value
FOUR = "<4 x double>"


class Nest(Body):
    """Lines of a function with nested loops."""

    def __init__(self, lanes: Lanes):
        super().__init__(lanes)
        self._loops = 0

    def loop(
        self, count: str, carried: Sequence[Carried], make: Callable[[str, list[str]], Sequence[str]]
    ) -> list[str]:
        """``for k in range(count)``: `make(k, values)` gives the values of the next turn; returns the last ones."""
        self._loops += 1
        name, results = f"loop{self._loops}", []
        self.lines += [f"  br label %{name}.head", f"{name}.head:"]
        some = self.put(f"icmp sgt i64 {count}, 0")
        self.lines += [f"  br i1 {some}, label %{name}, label %{name}.end", f"{name}:"]
        self.say(f"%{name}.k = phi i64 [0, %{name}.head], [%{name}.next, %{name}.latch]")
        start = len(self.lines)
        inside = [f"%{name}.v{z}" for z in range(len(carried))]
        new = make(f"%{name}.k", inside)
        phis = [f"  {value} = phi {kind} [{first}, %{name}.head], [{after}, %{name}.latch]"
                for value, (kind, first), after in zip(inside, carried, new, strict=True)]  # fmt: skip
        self.lines[start:start] = phis
        self.lines += [
            f"  br label %{name}.latch",
            f"{name}.latch:",
            f"  %{name}.next = add i64 %{name}.k, 1",
            f"  %{name}.more = icmp slt i64 %{name}.next, {count}",
            f"  br i1 %{name}.more, label %{name}, label %{name}.end",
            f"{name}.end:",
        ]
        for (kind, first), after in zip(carried, new, strict=True):
            results.append(self.put(f"phi {kind} [{first}, %{name}.head], [{after}, %{name}.latch]"))
        return results

    def each(self, count: str, make: Callable[[str], object]) -> None:
        """A loop that carries nothing."""

        def turn(k: str, _: list[str]) -> list[str]:
            make(k)
            return []

        self.loop(count, (), turn)

    def read(self, kind: str, where: str, index: int | str = 0, unit: str | None = None) -> str:
        """Load a value; `index` counts units, by default values."""
        align = 4 if kind == "i32" else 8
        return self.put(f"load {kind}, ptr {self.address(where, index, unit or kind)}, align {align}")

    def write(self, kind: str, value: str, where: str, index: int | str = 0, unit: str | None = None) -> None:
        """Store a value."""
        self.say(f"store {kind} {value}, ptr {self.address(where, index, unit or kind)}, align 8")

    def scale(self, kind: str, where: str, index: str, factor: str) -> None:
        """Multiply what is stored by a factor."""
        self.write(kind, self.put(f"fmul {kind} {self.read(kind, where, index)}, {factor}"), where, index)

    def word(self, where: str, index: int | str) -> str:
        """Load 32 bits as a 64-bit number."""
        return self.put(f"zext i32 {self.read('i32', where, index)} to i64")

    def spread(self, scalar: str, kind: str = FOUR) -> str:
        """One double in all entries of a vector type."""
        width = kind[1 : kind.index(" ")]
        first = self.put(f"insertelement {kind} poison, double {scalar}, i32 0")
        return self.put(f"shufflevector {kind} {first}, {kind} poison, <{width} x i32> zeroinitializer")

    def multiply_add(self, kind: str, a: str, b: str, c: str) -> str:
        """a b + c of a vector type; one rounding where the machine supports it."""
        if not self.lanes.fma:
            return self.put(f"fadd {kind} {self.put(f'fmul {kind} {a}, {b}')}, {c}")
        suffix = "f64" if kind == "double" else f"v{kind[1 : kind.index(' ')]}f64"
        return self.put(f"call {kind} @llvm.fma.{suffix}({kind} {a}, {kind} {b}, {kind} {c})")
