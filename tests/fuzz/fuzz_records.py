"""Broken records: HDF5, Parquet and npz files made again with other shapes, types, names, texts and sizes.

Damaged bytes seldom get past the checksums and offsets of such files; these mutants are sound files that lie.
"""

from __future__ import annotations

import io
import json
import random
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from tests.fuzz.fuzz_text import TOML, broken_text

ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 10**6, 10**12, 2**63, 10**400, 0.5, -0.0, 1e308, 1e-320, float("nan"), float("inf"),
    "", "text", "\x00", "\ud800", "\U0001f600", [], {}, [[]], [1, 2], [None], {"a": 1}, {"array": 3}, {"tuple": 1},
    {"table": [[1, 2, 3]]}, {"table": [[[], 1]]}, {"record": "Arm", "fields": {}}, {"record": [], "fields": {}},
    {"fields": {}},
    {"criterion": "jhpnnagiieahaaaadaaaaaaa"}, {"criterion": [["q", 10**9]]}, {"criterion": [["LIFT", 0, 0]]},
    {"criterion": [[1.0], ["ADD", 0, -1]]}, {"criterion": [[1.0], ["ADD", True, 0]]}, {"array": [1.0, [2.0]]},
    {"array": "nan"}, {"record": "Task", "fields": {"self": 1}},
)  # fmt: skip


# ---- JSON ----------------------------------------------------------------------------------------------------------


def _places(value: Any, found: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """All containers with the keys of their entries."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in entries:
        found.append((value, key))
        _places(item, found)
    return found


def broken_json(rng: random.Random, text: str) -> str:
    """An entry lost, changed, moved, renamed, nested or grown; or the arm's own text broken; or any text at all."""
    if rng.random() < 0.1:
        return broken_text(rng, text, (), TOML)
    try:
        return _broken_entries(rng, json.loads(text))
    except (RecursionError, ValueError):  # nested again and again, or in itself
        return "[" * 1500 + "]" * 1500


def _broken_entries(rng: random.Random, told: Any) -> str:
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        places = _places(told, [])
        if not places:
            break
        owner, key = rng.choice(places)
        if rng.random() < 0.2 and isinstance(told, dict) and isinstance(told.get("arm"), str):
            told["arm"] = broken_text(rng, told["arm"], (), TOML)
            continue
        _changed(rng, owner, key, places)
    return json.dumps(told)


def _changed(rng: random.Random, owner: Any, key: Any, places: list[tuple[Any, Any]]) -> None:
    kind = rng.randrange(6)
    if kind == 0:
        del owner[key]
    elif kind == 1:
        other, place = rng.choice(places)
        owner[key] = json.loads(json.dumps(other[place]))
    elif kind == 2:
        for _ in range(rng.choice((1, 3, 150))):
            owner[key] = [owner[key]] if rng.random() < 0.5 else {"tuple": [owner[key]]}
    elif kind == 3 and isinstance(owner, dict):
        owner[f"{key}x"] = owner.pop(key)
    elif kind == 4 and isinstance(owner, list):
        owner.extend([owner[key]] * rng.choice((1, 5, 1000)))
    else:
        owner[key] = rng.choice(ODD_VALUES)


# ---- arrays --------------------------------------------------------------------------------------------------------


def broken_array(rng: random.Random, x: Any) -> Any:
    """Another length, rank, type, or odd numbers inside."""
    x = np.array(x)
    kind = rng.randrange(9)
    if kind == 0:
        return x[: rng.choice((0, 1, len(x) // 2))] if x.ndim else np.repeat(x, 3)
    if kind == 1:
        return np.concatenate([x, x]) if x.ndim else x[None]
    if kind == 2:
        return x.T.copy()
    if kind == 3:
        return x.ravel() if x.ndim != 1 else x[:, None]
    if kind == 4:
        return (
            x.astype(rng.choice(("f4", ">f8", "i4", "u1", "bool", "f2", "c16")))
            if x.dtype.kind in "fiu"
            else x[..., None]
        )
    if kind == 5:
        return np.full(x.shape, rng.choice(("a", "", "nan")), dtype="S3")
    if kind == 6:
        return x[..., None]
    if kind == 7 and x.dtype.kind == "f" and x.size:
        x = x.copy()
        x.flat[rng.randrange(x.size)] = rng.choice((np.nan, np.inf, -np.inf, 1e308, -1.0, 0.0, 1e-320, 1e18))
        return x
    return np.zeros(rng.choice(((), (0,), (0, 0), (3,), (2, 3, 4), (1,) * 20)))


# ---- HDF5 ----------------------------------------------------------------------------------------------------------


def broken_netcdf(rng: random.Random, data: bytes) -> bytes:
    """The same variables in a new file, one or two of them not the same."""
    import h5py

    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "made.nc"
        with h5py.File(io.BytesIO(data), "r") as old, h5py.File(place, "w") as new:
            words = list(old)
            odd = set(rng.sample(words, min(len(words), rng.choice((1, 1, 2)))))
            if rng.random() < 0.5:
                odd = {"record"}
            for word in words:
                _put(rng, new, word, old[word][()], word in odd)
            for word, value in old.attrs.items():
                if not word.startswith("_"):
                    new.attrs[word] = rng.choice((value, value, value, value, np.zeros(3), "", 5))
        return place.read_bytes()


def _put(rng: random.Random, new: Any, word: str, value: Any, odd: bool) -> None:
    if not odd:
        new[word] = value
    elif isinstance(value, bytes | str):
        _put_text(rng, new, word, value.decode() if isinstance(value, bytes) else value)
    else:
        rng.choice(ODD_DATASETS)(rng, new, word, value if np.asarray(value).dtype.kind in "fiu" else np.zeros(3))


def _put_text(rng: random.Random, new: Any, word: str, text: str) -> None:
    kind = rng.randrange(12)
    if kind == 0:
        new[word] = np.array([text, text], dtype=object)
    elif kind == 1:
        new[word] = np.bytes_(text.encode())
    elif kind == 2:
        new[word] = rng.choice((3.0, np.zeros(4), "", "[" * 100_000, "{}", "[]", "null", '{"format": 1}'))
    else:
        new[word] = broken_json(rng, text).encode("utf-8", "surrogatepass").replace(b"\0", b"")


def _bomb(rng: random.Random, new: Any, word: str, value: Any) -> None:
    """A size that nothing in the file stands for."""
    shape = rng.choice(((10**12,), (10**6, 10**6), (2**40, 3), (10**9, 2, 3)))
    new.create_dataset(word, shape, "f8", chunks=tuple(min(1000, n) for n in shape))


def _large_chunks(rng: random.Random, new: Any, word: str, value: Any) -> None:
    x = np.array(value, float).ravel()
    made = new.create_dataset(word, x.shape, "f8", chunks=(2**28,), maxshape=(None,), compression="gzip")
    if rng.random() < 0.3:
        made.id.write_direct_chunk((0,), b"\x78\x9c" + rng.randbytes(60))


def _lying_chunk(rng: random.Random, new: Any, word: str, value: Any) -> None:
    """A chunk that unpacks to very much more than its place."""
    made = new.create_dataset(word, np.shape(value) or (4,), "f8", chunks=np.shape(value) or (4,), compression="gzip")
    made.id.write_direct_chunk((0,) * made.ndim, _zeros_packed())


_PACKED: list[bytes] = []


def _zeros_packed() -> bytes:
    import zlib

    if not _PACKED:
        _PACKED.append(zlib.compress(bytes(2**26), 9))
    return _PACKED[0]


def _linked(rng: random.Random, new: Any, word: str, value: Any) -> None:
    import h5py

    links = (h5py.SoftLink("/q"), h5py.SoftLink(f"/{word}"), h5py.ExternalLink("/dev/zero", "/q"),
             h5py.ExternalLink("seed.nc", f"/{word}"))  # fmt: skip
    new[word] = rng.choice(links)


def _elsewhere(rng: random.Random, new: Any, word: str, value: Any) -> None:
    import h5py

    shape = np.shape(value) or (4,)
    if rng.random() < 0.5:
        new.create_dataset(
            word, shape, "f8", external=[(rng.choice(("/dev/zero", "seed.nc", "/etc/passwd")), 0, 2**20)]
        )
        return
    layout = h5py.VirtualLayout(shape=shape, dtype="f8")
    layout[...] = h5py.VirtualSource("seed.nc", word, shape=shape)
    new.create_virtual_dataset(word, layout)


def _grouped(rng: random.Random, new: Any, word: str, value: Any) -> None:
    new.create_group(word)[word] = value


def _typed(rng: random.Random, new: Any, word: str, value: Any) -> None:
    import h5py

    types: tuple[Any, ...] = (
        h5py.string_dtype(), h5py.vlen_dtype(np.float64), [("a", "f8"), ("b", "i4")], "S1000000", h5py.ref_dtype,
        h5py.enum_dtype({"a": 1}, basetype="i4"), "f16", np.dtype(("f8", (100,))),
    )  # fmt: skip
    new.create_dataset(word, rng.choice(((), (1,), np.shape(value))), rng.choice(types))


def _packed(rng: random.Random, new: Any, word: str, value: Any) -> None:
    x = np.array(value, float)
    chunks = True if x.size and x.ndim else None
    options = {"compression": rng.choice(("gzip", "lzf")), "shuffle": True} if chunks else {}
    made = new.create_dataset(word, data=x, chunks=chunks, **options)
    if rng.random() < 0.5:
        made.attrs[rng.choice(("scale_factor", "add_offset", "units", "_FillValue"))] = rng.choice(
            (2.0, "days since x", 0)
        )


def _reshaped(rng: random.Random, new: Any, word: str, value: Any) -> None:
    new[word] = broken_array(rng, value)


def _missing(rng: random.Random, new: Any, word: str, value: Any) -> None:
    """Nothing is put there."""


ODD_DATASETS: tuple[Callable[[random.Random, Any, str, Any], None], ...] = (
    _bomb, _large_chunks, _lying_chunk, _linked, _elsewhere, _grouped, _typed, _packed, _reshaped, _reshaped, _reshaped,
    _reshaped, _missing,
)  # fmt: skip


# ---- Parquet -------------------------------------------------------------------------------------------------------


def broken_parquet(rng: random.Random, data: bytes) -> bytes:
    """The same columns, one or two of them not the same; or the text beside them broken."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(io.BytesIO(data))
    text = (table.schema.metadata or {}).get(b"lissom", b"{}")
    columns = {name: table[name].to_numpy() for name in table.column_names}
    kind = rng.randrange(8)
    if kind == 0:
        columns = {name: np.zeros(10**6) for name in columns}  # encoded in next to nothing
    elif kind < 4:
        for name in rng.sample(list(columns), rng.choice((1, 1, 2))):
            x, change = columns.pop(name), rng.randrange(12)
            if change:
                columns[f"{name}x" if change == 1 else name] = x if change == 1 else _odd_column(rng, x)
    else:
        text = broken_json(rng, text.decode()).encode("utf-8", "surrogatepass")
    made = pa.table(columns).replace_schema_metadata({b"lissom": text} if rng.random() < 0.95 else {})
    out = io.BytesIO()
    pq.write_table(made, out, compression=rng.choice(("snappy", "zstd", "gzip", "none")))
    return out.getvalue()


def _odd_column(rng: random.Random, x: Any) -> Any:
    """As many entries, of another kind."""
    import pyarrow as pa

    n, number = len(x), float(rng.choice((0.0, -1.0, 1e12, 1e308, np.nan, np.inf)))
    if x.dtype.kind in "if" and rng.random() < 0.4:
        y = x.astype(float) if rng.random() < 0.7 or not np.isfinite(number) or abs(number) > 1e18 else x.copy()
        y[rng.randrange(n)] = number
        with np.errstate(all="ignore"):  # what is not a number becomes any
            return y if rng.random() < 0.5 else x.astype(rng.choice(("i4", "f4", "u1", "u8", "bool", "f2")))
    word = rng.choice(("", "text", "ok", "failed", "\x00", "\U0001f600", "$x_{$", "long " * 20_000))
    kinds: tuple[Callable[[], Any], ...] = (
        lambda: pa.array([None] * n, rng.choice((pa.float64(), pa.string(), pa.null()))),
        lambda: pa.array([word] * n, rng.choice((pa.string(), pa.large_string()))),
        lambda: pa.array([word] * n).dictionary_encode(),
        lambda: pa.array([b"\xff\x00"] * n, pa.binary()),
        lambda: pa.array([[1.0]] * n),
        lambda: pa.array([{"a": 1, "b": [None]}] * n),
        lambda: pa.array([1] * n, pa.decimal128(38, 10)),
        lambda: pa.array([10**15] * n, rng.choice((pa.timestamp("us"), pa.duration("s"), pa.date64()))),
        lambda: pa.array([2**63 + 5] * n, pa.uint64()),
        lambda: pa.array([[[1.0, None], []]] * n),
    )
    return rng.choice(kinds)()


# ---- npz -----------------------------------------------------------------------------------------------------------


def broken_npz(rng: random.Random, data: bytes) -> bytes:
    """The same arrays, one of them not the same: other shapes, a header that lies, objects, a bomb."""
    with np.load(io.BytesIO(data)) as content:
        arrays = {word: content[word] for word in content.files}
    out = io.BytesIO()
    odd = rng.choice(list(arrays))
    with zipfile.ZipFile(out, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as box:
        for word, value in arrays.items():
            member = _member(rng, value) if word == odd else _npy(value)
            if member is not None:
                names = ("../x.npy", word, "/x.npy", "x/y.npy")
                name = rng.choice(names) if word == odd and rng.random() < 0.1 else f"{word}.npy"
                box.writestr(name, member)
    return out.getvalue()


def _npy(value: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, value, allow_pickle=True)
    return stream.getvalue()


def _member(rng: random.Random, value: Any) -> bytes | None:
    kind = rng.randrange(8)
    if kind == 0:
        return None
    if kind == 1:  # a header without numbers behind it
        shape = rng.choice(((10**12,), (10**5, 10**6), (-1,), (2**62, 2)))
        text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"
        text += " " * (118 - len(text)) + "\n"
        return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()
    if kind == 2:
        return _npy(np.array([{"a": 1}, None], dtype=object))
    if kind == 3:
        return bytes(2**22)
    if kind == 4:
        return _npy(np.zeros(2**18))
    if kind == 5:
        return _npy(value)[: rng.randrange(200)]
    return _npy(broken_array(rng, value))
