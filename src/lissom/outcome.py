"""How something ended, as a value to compare, with the sentence that describes it."""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class Outcome(StrEnum):
    """Base of enumerations whose members are a word and a sentence: ``DONE = "done", "The run reached its end."``."""

    sentence: str

    def __new__(cls, word: str, sentence: str = "") -> Self:
        """Return a member; its value is the word."""
        member = str.__new__(cls, word)
        member._value_ = word
        member.sentence = sentence
        return member
