"""The description of a study for stores: what it is, how it was made, and its fingerprint."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from typing import Any

from lissom.formats import native_write
from lissom.formats.fingerprint import Fingerprint, fingerprint
from lissom.formats.identity import identity
from lissom.formats.records.encode import Encoding
from lissom.studies.plan.description import AbstractStudy
from lissom.versions import versions

ENCODING = Encoding()  # of parameters and outputs


def described(study: AbstractStudy) -> dict[str, Any]:
    """Return the description of a study with its fingerprint, and the versions that results depend on.

    `unseen` names objects that cannot be compared: such a study is not resumed.
    """
    content: dict[str, Any] = {
        "title": study.title,
        "evaluate": study.verb,
        "arm": None if study.arm is None else native_write.write(study.arm),
        "arguments": identity(study.arguments).content,
        "parameters": {name: ENCODING.plain(parameter) for name, parameter in study.parameters.items()},
        "outputs": {name: ENCODING.plain(output) for name, output in study.outputs.items()},
        "sampling": study.sampling,
        "count": study.count,
        "seed": study.seed,
        "lanes": study.lanes,
        "rows": study.rows,
    }
    own = fingerprint_of(study, content)
    made = {"versions": versions(), "machine": platform.machine(), "begun": datetime.now(UTC).isoformat("T", "seconds")}
    return {**content, "units": study.units, "fingerprint": own.digest, "unseen": own.unseen, "made": made}


def fingerprint_of(study: AbstractStudy, content: dict[str, Any]) -> Fingerprint:
    """Return the fingerprint of a study; its design too: another version of a library may draw other samples."""
    return fingerprint(study.evaluate, study.arguments, content, study.design)
