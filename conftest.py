"""Modules for frameworks that are not installed have no examples to run."""

from importlib.util import find_spec

collect_ignore_glob = [f"src/lissom/export/{name}/*.py" for name in ("jax", "torch") if find_spec(name) is None]
