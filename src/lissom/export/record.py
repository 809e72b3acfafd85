"""The record of an export: files and functions."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

SHOWN = {"add": "+", "sub": "-", "mul": "*", "div": "/", "sin": "sin", "cos": "cos", "sqrt": "sqrt"}


class CArgument(NamedTuple):
    """An array that a function reads or writes.

    name, shape : `shape` row by row; one state
    unit : of its entries; that of single coordinates is in the header
    meaning : a short description
    """

    name: str
    shape: tuple[int, ...]
    unit: str
    meaning: str

    @property
    def size(self) -> int:
        """Number of entries."""
        size = 1
        for n in self.shape:
            size *= n
        return size


class CFunction(NamedTuple):
    """A function in C.

    name, verb : in C, and in lissom
    inputs, outputs : its arrays, in the order of its arguments
    form : "straight" (operations in a row), "tape" (calls of shared steps) or "composed" (of other functions)
    operations : how many of each kind one call carries out, by their names (add, sub, mul, div, sin, ...)
    workspace : bytes of the array of intermediate results, 0 without one
    stack : bytes of the stack that a call takes, about, when optimised; the workspace included
    """

    name: str
    verb: str
    inputs: tuple[CArgument, ...]
    outputs: tuple[CArgument, ...]
    form: str
    operations: dict[str, int]
    workspace: int
    stack: int

    def __str__(self) -> str:
        arguments = ", ".join(f"{x.name}[{x.size}]" for x in self.inputs)
        results = ", ".join(f"{x.name}[{x.size}]" for x in self.outputs)
        rest = sum(n for op, n in self.operations.items() if op not in SHOWN)
        counts = [f"{self.operations[op]} {mark}" for op, mark in SHOWN.items() if self.operations.get(op)]
        counts += [f"{rest} others"] * (rest > 0)
        return (
            f"{self.name}({arguments}) -> {results}\n"
            f"    {self.form}; {', '.join(counts) or 'no operations'}; stack about {self.stack} bytes"
        )


class CExport(NamedTuple):
    """Files and functions that `export_c` wrote.

    name : prefix of files and functions
    arm : name of the arm
    precision : "double" or "float"
    files : header, source, test program
    functions : in the order of the header
    bytes : of the files
    """

    name: str
    arm: str
    precision: str
    files: tuple[Path, ...]
    functions: tuple[CFunction, ...]
    bytes: tuple[int, ...]

    @property
    def compile(self) -> str:
        """A command that compiles the test program, in the folder of the files."""
        return command(self.name)

    def __str__(self) -> str:
        files = ", ".join(f"{path.name} ({n / 1000:.1f} kB)" for path, n in zip(self.files, self.bytes, strict=True))
        lines = [f"arm {self.arm!r} in C99, {self.precision}: {files}", *map(str, self.functions), self.compile]
        return "\n".join(lines)


def command(name: str) -> str:
    """The command that compiles the test program."""
    return f"cc -std=c99 -O2 {name}.c {name}_test.c -o {name}_test -lm"
