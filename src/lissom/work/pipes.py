"""Messages through pipes: their length, then their bytes."""

from __future__ import annotations

import struct
from typing import IO

LENGTH = struct.Struct("<Q")


def write(stream: IO[bytes], message: bytes) -> None:
    """Write one message to a stream."""
    stream.write(LENGTH.pack(len(message)))
    stream.write(message)
    stream.flush()


def read(stream: IO[bytes]) -> bytes:
    """Read the next message from a stream; `EOFError` if the other side closed it."""
    (length,) = LENGTH.unpack(_exactly(stream, LENGTH.size))
    return _exactly(stream, length)


def _exactly(stream: IO[bytes], count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise EOFError
    return data
