"""Columns of data on their way to Rust: as they are, wherever Rust can read them where they lie."""

from __future__ import annotations

import importlib.util
from typing import Any

from throng._errors import InvalidInput
from throng._optional import needed

#: A column of data: a numpy array, a pandas or polars Series, an Arrow array, a list.
Column = Any


def numbers(data: Column) -> Any:
    """A column of numbers."""
    return _column(data, keys=False)


def keys(data: Column) -> Any:
    """A column of keys or of units: what is different stays different."""
    return _column(data, keys=True)


def cells(data: Column) -> Any:
    """A column of numbers that were computed elsewhere: nothing may move them apart."""
    if type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "to_numpy"):
        if getattr(data.dtype, "kind", "") in "fu" and not hasattr(data.dtype, "na_value"):
            data = data.to_numpy()
    if type(data).__module__.partition(".")[0] == "numpy":
        import numpy as np

        kind, size = data.dtype.kind, data.dtype.itemsize
        if kind == "f" and size > 8:
            raise InvalidInput(
                f"the values are a column of type {data.dtype.name}", "give integers or floats"
            )
        if kind == "u" and size == 8:
            data = np.minimum(data, 2**63 - 1).astype(np.int64)
    return numbers(data)


def rows(data: Any) -> int:
    """How many rows a column or a table has."""
    if isinstance(data, (str, bytes, dict)) or not hasattr(data, "__len__"):
        raise _no_column(data)
    try:
        return len(data)
    except TypeError:
        raise _no_column(data) from None


def same_table(one: Any, other: Any) -> None:
    """That two columns have the same length, which may be private and is not said."""
    if rows(one) != rows(other):
        raise InvalidInput("the columns have different lengths", "give columns of one table")


def _column(data: Any, *, keys: bool) -> Any:
    if isinstance(data, (list, tuple)):
        return data
    package = type(data).__module__.partition(".")[0]
    if package == "numpy":
        return _of_array(data, keys=keys)
    if package == "pandas":
        return _of_pandas(data, keys=keys)
    if hasattr(data, "__arrow_c_array__") or hasattr(data, "__arrow_c_stream__"):
        return data
    raise _no_column(data)


def _no_column(data: Any) -> InvalidInput:
    return InvalidInput(
        f"the data is of type {type(data).__name__}, which is no column",
        "give one column: a numpy array, a pandas or polars Series, an Arrow array or a list",
    )


def _of_pandas(data: Any, *, keys: bool) -> Any:
    import numpy as np

    if getattr(data, "ndim", 0) != 1 or not hasattr(data, "array"):
        raise _no_column(data)
    if isinstance(data.dtype, np.dtype):
        return _of_array(data.to_numpy(), keys=keys)
    # Arrow-backed, nullable, text, categories: pandas hands its memory over to pyarrow.
    if importlib.util.find_spec("pyarrow") is not None:
        arrow = needed("pyarrow")
        try:
            return arrow.array(data.array)
        except (arrow.ArrowInvalid, arrow.ArrowNotImplementedError, arrow.ArrowTypeError):
            pass
    return data.astype(object).tolist()


def _of_array(data: Any, *, keys: bool) -> Any:
    import numpy as np

    if isinstance(data, np.ma.MaskedArray):
        masked: Any = data.astype(object)
        data = masked.filled(None)
    if not isinstance(data, np.ndarray):
        raise _no_column(data)
    if data.ndim != 1:
        raise InvalidInput(
            f"the data is an array of {data.ndim} dimensions, which is no column",
            "give one column, such as values[:, 0]",
        )
    kind, size = data.dtype.kind, data.dtype.itemsize
    # A warning would tell of rows.
    with np.errstate(all="ignore"):
        if kind == "f" and (size <= 8 or not keys):
            return np.ascontiguousarray(data, dtype=np.float64)
        if kind == "i" or (kind == "u" and size < 8):
            return np.ascontiguousarray(data, dtype=np.int64)
        if kind == "u" and not keys:
            return np.ascontiguousarray(data, dtype=np.float64)
    if kind == "b":
        return np.ascontiguousarray(data)
    if kind in "OUS" or keys:
        return data.tolist()
    raise InvalidInput(
        f"the data is a column of type {data.dtype.name}, which has no numbers",
        "give a column of integers, floats, decimals or booleans",
    )
