"""The description of a study, for stores and for worker processes."""

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
from lissom.motion.result.files.encode import plain
from lissom.studies.study import Study
from lissom.versions import versions


def described(study: Study) -> dict[str, Any]:
    """Return the description of a study with its fingerprint, and the versions that results depend on.

    `unseen` names objects that cannot be hashed: such a study cannot be compared with another.
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
    """Return a study as bytes for a worker; arms are sent as text, functions by value."""
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
            f"{study.verb} and its arguments cannot be sent to another process ({type(error).__name__}: {error}). Use "
            "workers=1 to stay in this process, or create these objects inside the function."
        ) from None
    return stream.getvalue()


def unpacked(data: bytes) -> tuple[Study, dict[str, Any]]:
    """Return what `packed` was given; call it only with bytes from the parent process."""
    return pickle.loads(data)


def _arm_of(text: str) -> Arm:
    return native_read.read(Path("study"), text.encode(), False, False)
