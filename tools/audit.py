"""Known vulnerabilities of what lissom needs: `make audit`.

pip-audit asks the advisory service of the package index about every installed package. A vulnerability of a package
that lissom needs to run, extras included, fails; one of the tools for building and testing is told. What could not be
audited, because the service does not answer or does not know it, is said plainly and fails nothing.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any

COMMAND = (sys.executable, "-m", "pip_audit", "--local", "--format", "json", "--desc", "off",
           "--progress-spinner", "off", "--timeout", "5")  # fmt: skip
PATIENCE = 300.0  # seconds for all packages
FOR_USERS = (
    "viewer",
    "mujoco",
    "control",
    "parquet",
    "studies",
    "symbolic",
    "cluster",
    "torch",
    "jax",
)  # extras, as pyproject.toml has them


def closure(extras: Sequence[str] = FOR_USERS, package: str = "lissom") -> dict[str, str]:
    """Names and versions of what is installed of a package's needs, with those of its extras, and of theirs."""
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    found: dict[str, str] = {}
    waiting: list[tuple[str, tuple[str, ...]]] = [(package, tuple(extras))]
    seen = set(waiting)
    while waiting:
        name, wanted = waiting.pop()
        try:
            known = distribution(name)
        except PackageNotFoundError:
            continue
        found[canonicalize_name(name)] = known.version
        for line in known.requires or ():
            need = Requirement(line)
            if need.marker is None or any(need.marker.evaluate({"extra": extra}) for extra in ("", *wanted)):
                entry = canonicalize_name(need.name), tuple(sorted(need.extras))
                if entry not in seen:
                    seen.add(entry)
                    waiting.append(entry)
    found.pop(canonicalize_name(package), None)
    return found


def answers(command: Sequence[str] = COMMAND, patience: float = PATIENCE) -> list[dict[str, Any]] | str:
    """What pip-audit found of every package, or in words why it found nothing."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=patience)
        return list(json.loads(done.stdout)["dependencies"])
    except subprocess.TimeoutExpired:
        return f"no answer within {patience:.0f} s"
    except OSError as error:
        return f"{command[0]}: {error.strerror}"
    except (ValueError, KeyError, TypeError):
        said = done.stderr.strip().splitlines()
        return said[-1] if said else "pip-audit said nothing"


def judged(found: list[dict[str, Any]] | str, runtime: Mapping[str, str]) -> tuple[bool, list[str]]:
    """Whether lissom may be used with what is installed, as far as is known; and lines that say so."""
    if isinstance(found, str):
        return True, [f"NOT AUDITED: the advisory service could not be asked ({found})."]
    lines, bad = [], 0
    for package in found:
        needed = package["name"] in runtime
        for weakness in package.get("vulns", ()):
            bad += needed
            fixed = ", ".join(weakness.get("fix_versions", ())) or "no version yet"
            whose = "which lissom needs" if needed else "a tool for building or testing"
            lines.append(f"{package['name']} {package['version']}, {whose}: {weakness['id']}, mended in {fixed}")
    audited = {package["name"] for package in found if "skip_reason" not in package}
    missed = sorted(set(runtime) - audited)
    lines += _missed(missed, len(runtime))
    if bad:
        lines.append(f"FAILED: {bad} known vulnerabilities in packages that lissom needs.")
    elif not missed:
        lines.append(f"all {len(runtime)} packages that lissom needs were audited, no known vulnerability")
    return not bad, lines


def _missed(missed: Sequence[str], count: int) -> Iterable[str]:
    if not missed:
        return []
    if len(missed) == count:
        return [f"NOT AUDITED: the advisory service knows none of the {count} packages that lissom needs."]
    return [f"NOT AUDITED: {len(missed)} of {count} packages that lissom needs: {', '.join(missed)}."]


def main(command: Sequence[str] = COMMAND, patience: float = PATIENCE) -> int:
    """Print what is known; 1 for a vulnerability that matters."""
    fine, lines = judged(answers(command, patience), closure())
    print("\n".join(lines))
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
