"""Files that a command has written so far, so that an interrupted one can name them."""

from __future__ import annotations

written: list[str] = []
