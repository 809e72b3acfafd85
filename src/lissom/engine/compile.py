"""LLVM IR to machine code, in this process."""

from __future__ import annotations

import functools
from typing import Any

from lissom.engine.ir import Lanes

LEVEL = 1  # of LLVM's code generator: the code of level 2 in half its time; IR passes gain nothing on these graphs


@functools.cache
def llvm() -> Any:
    """llvmlite's binding, set up for this machine."""
    import llvmlite.binding as binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding


@functools.cache
def host() -> tuple[str, str, str]:
    """Triple, CPU and features of this machine."""
    binding = llvm()
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
    """The machine multiplies and adds in one instruction."""
    triple, _, features = host()
    return triple.startswith(("aarch64", "arm64")) or "+fma" in features.split(",")


def lanes(width: int) -> Lanes:
    """Lanes of this machine."""
    return Lanes(width, has_fma())


def object_code(ir: str, triple: str | None = None, cpu: str = "", features: str = "") -> bytes:
    """Machine code of a module; for this machine unless another target is named."""
    binding = llvm()
    if triple is None:
        triple, cpu, features = host()
    else:
        binding.initialize_all_targets()
        binding.initialize_all_asmprinters()
    module = binding.parse_assembly(ir)
    target = binding.Target.from_triple(triple).create_target_machine(
        cpu=cpu, features=features, opt=LEVEL, reloc="pic", codemodel="jitdefault"
    )
    module.triple, module.data_layout = triple, str(target.target_data)
    return target.emit_object(module)


class Loaded:
    """An object in memory: it lives as long as this does."""

    def __init__(self, code: bytes):
        binding = llvm()
        triple, cpu, features = host()
        target = binding.Target.from_triple(triple).create_target_machine(
            cpu=cpu, features=features, opt=LEVEL, codemodel="jitdefault", jit=True
        )
        self._engine = binding.create_mcjit_compiler(binding.parse_assembly(""), target)
        self._engine.add_object_file(binding.ObjectFileRef.from_data(code))
        self._engine.finalize_object()

    def has(self, name: str) -> bool:
        """The object defines a function."""
        return bool(self._engine.get_function_address(name))

    def data(self, name: str, kind: Any, count: int) -> Any:
        """Numbers that the object carries, `kind` a type of ctypes; they live as long as this does."""
        return (kind * count).from_address(int(self._engine.get_global_value_address(name)))

    def address(self, name: str) -> int:
        """Address of a function."""
        found = int(self._engine.get_function_address(name))
        if not found:
            raise KeyError(name)
        return found
