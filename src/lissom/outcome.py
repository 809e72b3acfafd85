"""How something ended, as a value to compare, with the sentence that describes it."""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class Outcome(StrEnum):
    """Base of enumerations whose members are a word and a sentence: ``DONE = "done", "the run reached its end"``.

    Sentences begin with a small letter and have no full stop: statuses begin with them and go on with details.
    """

    sentence: str

    def __new__(cls, word: str, sentence: str = "") -> Self:
        """Return a member; its value is the word."""
        member = str.__new__(cls, word)
        member._value_ = word
        member.sentence = sentence
        return member
