"""Versions of packages that results depend on, for the provenance of records."""

from __future__ import annotations

import contextlib
import functools
import platform
from importlib.metadata import PackageNotFoundError, version

NUMBERS = ("numpy", "scipy", "casadi", "llvmlite")


@functools.cache
def versions(packages: tuple[str, ...] = NUMBERS) -> dict[str, str]:
    """{name: version} of lissom, of installed packages and of Python."""
    import lissom

    out = {"lissom": lissom.__version__}
    for word in packages:
        with contextlib.suppress(PackageNotFoundError):
            out[word] = version(word)
    return out | {"python": platform.python_version()}
