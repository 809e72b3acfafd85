"""A study in plain words: what it is, for stores and for the other processes that work on it."""

from __future__ import annotations

import hashlib
import io
import json
import pickle
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lissom.errors import InputError
from lissom.formats import native_read, native_write
from lissom.formats.identity import identity
from lissom.model.arm import Arm
from lissom.motion.encode import plain
from lissom.studies.study import Study
from lissom.versions import versions


def described(study: Study) -> dict[str, Any]:
    """All that says which study it is, with a fingerprint of it, and what numbers depend on besides.

    `unseen` names objects whose content cannot be read: such a study cannot be compared with another.
    """
    arguments = identity(study.arguments)
    function = identity(study.evaluate if callable(study.evaluate) else None)
    content: dict[str, Any] = {
        "title": study.title,
        "evaluate": study.verb,
        "arm": None if study.arm is None else native_write.write(study.arm),
        "arguments": arguments.content,
        "parameters": {name: plain(parameter, 0) for name, parameter in study.parameters.items()},
        "outputs": {name: plain(output, 0) for name, output in study.outputs.items()},
        "sampling": study.sampling,
        "count": study.count,
        "seed": study.seed,
        "lanes": study.lanes,
        "rows": study.rows,
    }
    total = hashlib.sha256(json.dumps(content, sort_keys=True).encode())
    for column in study.design.values():  # another version of a library may draw other samples
        total.update(repr(column.tolist()).encode() if column.dtype.kind == "U" else column.tobytes())
    if callable(study.evaluate):
        total.update(json.dumps(function.content, sort_keys=True).encode())
    made = {"versions": versions(), "machine": platform.machine(), "begun": datetime.now(UTC).isoformat("T", "seconds")}
    unseen = [*function.unseen, *arguments.unseen]
    return {**content, "units": study.units, "fingerprint": total.hexdigest(), "unseen": unseen, "made": made}


# ---- to other processes --------------------------------------------------------------------------


def packed(study: Study, settings: dict[str, Any]) -> bytes:
    """A study as it travels to a worker; arms go as text, functions by value."""
    import cloudpickle

    class Packer(cloudpickle.Pickler):  # type: ignore[misc]
        def reducer_override(self, value: Any) -> Any:
            if isinstance(value, Arm):
                return _arm_of, (native_write.write(value),)
            return super().reducer_override(value)

    stream = io.BytesIO()
    try:
        Packer(stream).dump((study, settings))
    except Exception as error:
        raise InputError(
            f"{study.verb} and what it is given cannot be sent to another process ({type(error).__name__}: {error}). "
            "Work in this process, with workers=1, or let the function make these things itself."
        ) from None
    return stream.getvalue()


def unpacked(data: bytes) -> tuple[Study, dict[str, Any]]:
    """What `packed` was given; only ever of bytes that come from the process that this one works for."""
    return pickle.loads(data)


def _arm_of(text: str) -> Arm:
    return native_read.read(Path("study"), text.encode(), False, False)
