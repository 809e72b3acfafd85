"""One fingerprint for the question whether two computations are the same, so that one may continue the other."""

from __future__ import annotations

import hashlib
import json
from typing import Any, NamedTuple

from lissom.errors import InputError
from lissom.formats.identity import identity


class Fingerprint(NamedTuple):
    """digest : hash of everything that results depend on; unseen : names of what cannot be compared, with types."""

    digest: str
    unseen: tuple[str, ...]

    def refuse_unseen(self, place: str, what: str, otherwise: str) -> None:
        """Raise an error where it is unknown whether a stored computation is the same."""
        if self.unseen:
            raise InputError(
                f"{place} cannot be resumed: the content of {', '.join(self.unseen)} cannot be compared, so it is "
                f"unknown whether this is the same {what}. {otherwise}, or let the functions use numbers, arrays and "
                "plain objects only."
            )


def fingerprint(*parts: Any) -> Fingerprint:
    """Return the fingerprint of values: objects by their content, functions by their code and what they use.

    Examples
    --------
    >>> def law(gain):
    ...     return lambda t: gain * t
    >>> fingerprint(law(2.0)) == fingerprint(law(2.0)), fingerprint(law(2.0)) == fingerprint(law(3.0))
    (True, False)
    """
    found = identity(parts)
    return Fingerprint(hashlib.sha256(json.dumps(found.content, sort_keys=True).encode()).hexdigest(), found.unseen)
