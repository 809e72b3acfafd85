"""A study as bytes for another process, in which it is made once."""

from __future__ import annotations

import hashlib
import io
import pickle
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from lissom.errors import InputError
from lissom.formats import native_read, native_write
from lissom.model.arm import Arm
from lissom.studies.plan.description import AbstractStudy
from lissom.studies.rows.evaluation import Evaluation
from lissom.work.jobs import cloudpickle_for


@dataclass(frozen=True)
class Sent:
    """The bytes of a study and its settings; studies with the same `key` are the same."""

    key: str
    data: bytes = field(compare=False, repr=False)

    @classmethod
    def of(cls, study: AbstractStudy, settings: dict[str, Any]) -> Sent:
        """Pack a study; arms are sent as text, functions by value."""
        cloudpickle = cloudpickle_for("a study in several processes")

        class Packer(cloudpickle.Pickler):  # type: ignore[misc,name-defined]
            def reducer_override(self, value: Any) -> Any:
                if isinstance(value, Arm):
                    return _arm_of, (native_write.write(value),)
                return super().reducer_override(value)

        stream = io.BytesIO()
        try:
            Packer(stream).dump((study, settings))
        except Exception as error:
            raise InputError(
                f"{study.verb} and its arguments cannot be sent to another process ({type(error).__name__}: {error}). "
                "Use workers=1 to stay in this process, or create these objects inside the function."
            ) from None
        return cls(hashlib.sha256(stream.getvalue()).hexdigest(), stream.getvalue())


@lru_cache(maxsize=4)
def received(sent: Sent) -> Evaluation:
    """Return the evaluation of a study that was sent from the parent process."""
    return Evaluation(*pickle.loads(sent.data))


def _arm_of(text: str) -> Arm:
    return native_read.read(Path("study"), text.encode(), False, False)
