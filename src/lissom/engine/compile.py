"""LLVM IR to machine code, in this process.

llvmlite frees what it holds in finalisers written in Python, where Ctrl-C would be lost. So everything it makes is
made and freed in `uninterrupted` regions: an engine whose code nobody can call any more is freed when the
next one is made.

llvmlite has one lock around LLVM, which it holds during each of its calls. A fork takes it too, so that no thread that
is missing in the child is inside. Locks are taken in one order, by threads and by forks, so that none waits for another
in a circle: that of an arm's library, which forks do not take; that of imports and expressions (`later.importing`);
that of LLVM, whose calls take no other lock.
"""

from __future__ import annotations

import functools
import weakref
from typing import Any

from lissom.engine.interrupts import uninterrupted
from lissom.engine.ir import Lanes
from lissom.later import hold_at_fork, importing

LEVEL = 1  # of LLVM's code generator: the code of level 2 in half its time; IR passes gain nothing on these graphs


@functools.cache
def llvm() -> Any:
    """llvmlite's binding, set up for this machine."""
    with uninterrupted(), importing:
        import llvmlite.binding as binding

        hold_at_fork(binding.ffi.lib._lock)  # before LLVM is first used, while no fork can begin
        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
    return binding


@functools.cache
def host() -> tuple[str, str, str]:
    """Triple, CPU and features of this machine."""
    binding = llvm()
    with uninterrupted():
        return (
            binding.get_process_triple(),
            binding.get_host_cpu_name(),
            binding.get_host_cpu_features().flatten(),
        )


@functools.cache
def version() -> str:
    """Everything about compiler and machine that a cached object depends on."""
    import llvmlite

    return "|".join((llvmlite.__version__, ".".join(map(str, llvm().llvm_version_info)), *host()))


@functools.cache
def has_fma() -> bool:
    """Whether the machine has a fused multiply-add instruction."""
    triple, _, features = host()
    return triple.startswith(("aarch64", "arm64")) or "+fma" in features.split(",")


def lanes(width: int, single: bool = False) -> Lanes:
    """The vector type (lanes) of this machine, of doubles or of numbers in single precision."""
    return Lanes(width, has_fma(), 32 if single else 64)


def object_code(ir: str, triple: str | None = None, cpu: str = "", features: str = "") -> bytes:
    """Machine code of a module; by default for this machine."""
    with uninterrupted():
        return _object_code(ir, triple, cpu, features)


def _object_code(ir: str, triple: str | None, cpu: str, features: str) -> bytes:
    binding = llvm()
    if triple is None:
        triple, cpu, features = host()
    else:
        binding.initialize_all_targets()
        binding.initialize_all_asmprinters()
    module = binding.parse_assembly(ir)
    target, layout = _target(triple, cpu, features)
    module.triple, module.data_layout = target.triple, layout  # in Windows objects for this process are ELF
    return target.emit_object(module)


@functools.cache
def _target(triple: str, cpu: str, features: str) -> tuple[Any, str]:
    """LLVM's code generator for a machine, and how that machine lays out data; to make one costs as much as a step."""
    made = llvm().Target.from_triple(triple).create_target_machine(
        cpu=cpu, features=features, opt=LEVEL, reloc="pic", codemodel="jitdefault"
    )  # fmt: skip
    return made, str(made.target_data)


class Loaded:
    """An object loaded into memory, for the lifetime of this instance."""

    def __init__(self, code: bytes):
        with uninterrupted():
            _free_unused()
            self._engine = _engine(code)
            _engines[id(self._engine)] = weakref.ref(self), self._engine

    def has(self, name: str) -> bool:
        """Whether the object defines a function."""
        return bool(self._engine.get_function_address(name))

    def data(self, name: str, kind: Any, count: int) -> Any:
        """Data of the object, of a ctypes type `kind`; valid for the lifetime of this instance."""
        return (kind * count).from_address(int(self._engine.get_global_value_address(name)))

    def address(self, name: str) -> int:
        """Address of a function."""
        found = int(self._engine.get_function_address(name))
        if not found:
            raise KeyError(name)
        return found


_engines: dict[int, tuple[weakref.ref[Loaded], Any]] = {}


def _free_unused() -> None:
    """Free the engines of objects that are gone; other threads may do so at the same time."""
    for key, (owner, _) in list(_engines.items()):
        if owner() is None:
            _engines.pop(key, None)


def _engine(code: bytes) -> Any:
    """The object, linked into this process."""
    binding = llvm()
    triple, cpu, features = host()
    target = binding.Target.from_triple(triple).create_target_machine(
        cpu=cpu, features=features, opt=LEVEL, codemodel="jitdefault", jit=True
    )
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), target)
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine
