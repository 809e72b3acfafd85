"""Tables in Parquet files: numbers and words, nothing else, and no more than their file can hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.errors import InputError, install_extra
from lissom.formats.files import Budget

LARGEST_TEXT = 2**26  # bytes; texts of a file are not longer
TEXT = b"lissom"  # the key of a record's text
Columns = dict[str, NDArray[Any]]


def pyarrow_for(what: str, extra: str, instead: str) -> Any:
    """Return the package that reads and writes Parquet files; raise an error that names the extra which brings it."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise InputError(f"{what} pyarrow: {install_extra(extra)}{instead}.") from None
    return pyarrow


def write_parquet(arrow: Any, path: Path, columns: Mapping[str, NDArray[Any]], text: str = "") -> None:
    """Write columns of numbers or words, and the text of a record."""
    made = {
        name: arrow.array(x.tolist(), arrow.string()) if x.dtype.kind in "OU" else arrow.array(x)
        for name, x in columns.items()
    }
    table = arrow.table(made)
    arrow.parquet.write_table(table.replace_schema_metadata({TEXT: text.encode()}) if text else table, path)


@contextmanager
def opened_parquet(arrow: Any, path: Path) -> Iterator[Any]:
    """Open a file whose parts do not unpack to more than it can hold; columns of words stay packed."""
    limits = {"thrift_string_size_limit": LARGEST_TEXT, "memory_map": False}
    with arrow.parquet.ParquetFile(path, **limits) as file:
        words = [field.name for field in file.schema_arrow if not _are_numbers(arrow, field.type)]
    with arrow.parquet.ParquetFile(path, read_dictionary=words, **limits) as file:
        budget = Budget(path)
        for k in range(file.metadata.num_row_groups):  # a damaged column, asked for its own size, ends the process
            budget.allow(file.metadata.row_group(k).total_byte_size, "table")
        yield file


def columns_of(arrow: Any, table: Any) -> Columns:
    """Return the columns of a table as arrays; raise `ValueError` for what is neither numbers nor words."""
    return {name: _array(arrow, name, table[name]) for name in table.column_names}


def _are_numbers(arrow: Any, kind: Any) -> bool:
    return bool(arrow.types.is_floating(kind) or arrow.types.is_integer(kind))


def _array(arrow: Any, name: str, column: Any) -> NDArray[Any]:
    """Numbers, or words, each of which is kept once however often it stands there."""
    if column.null_count == 0 and arrow.types.is_dictionary(column.type):
        chunks = [(np.array([*chunk.dictionary.to_pylist(), None], object), chunk.indices) for chunk in column.chunks]
        if all(isinstance(word, str) for words, _ in chunks for word in words[:-1]):
            return np.concatenate([np.zeros(0, object), *(words[at.to_numpy()] for words, at in chunks)])
    if _are_numbers(arrow, column.type) and (array := column.to_numpy()).dtype.kind in "iuf":
        return np.asarray(array)
    raise ValueError(f"column {name[:60]!r} holds neither numbers nor words")
