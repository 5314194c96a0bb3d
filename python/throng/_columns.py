"""Columns on their way to Rust: shared where that can be, converted once where not."""

from __future__ import annotations

from typing import Any

from throng._errors import InvalidInput
from throng._optional import needed


def column(data: Any) -> Any:
    """Something that the native side reads: an array of numpy's, an Arrow object, or a list.

    numpy's ``float64``, ``int64`` and ``bool``, pandas' columns of these, polars and pyarrow are shared, not
    copied; other types of numbers are converted once.
    """
    if isinstance(data, (list, tuple)):
        return data
    if hasattr(data, "columns") or getattr(data, "ndim", 1) != 1:
        raise InvalidInput(
            "the data is a table, but must be one column", "choose one, such as frame['age']"
        )
    if _is_of(data, "pandas"):
        return _of_pandas(data)
    if _is_of(data, "numpy") and hasattr(data, "dtype"):
        return _of_numpy(data)
    if hasattr(data, "__arrow_c_array__") or hasattr(data, "__arrow_c_stream__"):
        return data
    if hasattr(data, "__array__"):
        return _of_numpy(needed("numpy").asarray(data))
    if hasattr(data, "__iter__") and not isinstance(data, (str, bytes, dict)):
        return list(data)
    raise InvalidInput(
        f"the data is of type {type(data).__name__}, which is no column",
        "give one column: a numpy array, a pandas or polars Series, an Arrow array or a list",
    )


def _is_of(data: Any, package: str) -> bool:
    return type(data).__module__.partition(".")[0] == package


def _of_pandas(data: Any) -> Any:
    dtype = data.dtype
    if hasattr(dtype, "categories"):
        # Codes of categories are numbers of no meaning.
        return data.to_numpy(dtype=object).tolist()
    if _is_of(dtype, "numpy"):
        return _of_numpy(data.to_numpy())
    if hasattr(data, "__arrow_c_stream__"):
        try:
            return _Stream(data.__arrow_c_stream__())
        except (ImportError, NotImplementedError, TypeError, ValueError):
            pass
    return data.to_numpy(dtype=object).tolist()


class _Stream:
    """An Arrow stream that was asked for already."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._capsule


def _of_numpy(array: Any) -> Any:
    numpy = needed("numpy")
    kind, name = array.dtype.kind, array.dtype.name
    if name in ("float64", "int64", "bool"):
        return numpy.ascontiguousarray(array)
    if kind == "f" or name == "uint64":
        return numpy.ascontiguousarray(array, dtype="float64")
    if kind in "iu":
        return numpy.ascontiguousarray(array, dtype="int64")
    if kind in "OUST":
        return array.tolist()
    raise InvalidInput(
        f"the data is an array of type {name}, which is no column of numbers or keys",
        "convert it to numbers or texts first",
    )
