"""Broken bytes: what disks, networks and mischief do to any file."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

ODD = (b"\x00" * 8, b"\xff" * 8, b"\x7f" + b"\xff" * 7, b"\xff" * 7 + b"\x7f", b"\x00\x00\x00\x80", b"\xff\xff\xff\x7f",
       b"\x01", b"\x00\x10", b"\xf0\x7f", b"\xf8\x7f")  # fmt: skip


def flipped(rng: random.Random, data: bytearray) -> None:
    """Some bits of one to twenty bytes."""
    for _ in range(rng.choice((1, 1, 3, 20))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def overwritten(rng: random.Random, data: bytearray) -> None:
    """A few bytes become those at which sizes and signs turn over."""
    at, new = rng.randrange(len(data)), rng.choice(ODD)
    data[at : at + len(new)] = new


def cut(rng: random.Random, data: bytearray) -> None:
    del data[rng.randrange(len(data)) :]


def lost(rng: random.Random, data: bytearray) -> None:
    at = rng.randrange(len(data))
    del data[at : at + rng.choice((1, 2, 8, 100))]


def inserted(rng: random.Random, data: bytearray) -> None:
    at = rng.randrange(len(data) + 1)
    data[at:at] = rng.randbytes(rng.choice((1, 2, 8, 100)))


def zeroed(rng: random.Random, data: bytearray) -> None:
    at = rng.randrange(len(data))
    count = min(len(data) - at, rng.choice((8, 64, 512, 4096)))
    data[at : at + count] = bytes(count)


def repeated(rng: random.Random, data: bytearray) -> None:
    at, size = rng.randrange(len(data)), rng.choice((8, 64, 512))
    data[at:at] = data[at : at + size] * rng.choice((1, 3, 20))


DAMAGES: tuple[Callable[[random.Random, bytearray], None], ...] = (
    flipped, flipped, flipped, overwritten, overwritten, cut, lost, inserted, zeroed, repeated,
)  # fmt: skip


def broken_bytes(rng: random.Random, data: bytes, others: Sequence[bytes] = ()) -> bytes:
    """One to three damages, sometimes after a splice of two files."""
    out = bytearray(data)
    if others and rng.random() < 0.05:
        other = rng.choice(others)
        out[rng.randrange(len(out) + 1) :] = other[rng.randrange(len(other) + 1) :]
    for _ in range(rng.choice((1, 1, 2, 3))):
        if out:
            rng.choice(DAMAGES)(rng, out)
    return bytes(out)
