"""What is declared about a table before it is looked at, and how tables become numbers by it.

Nothing here fails because of what is in a cell: what is no number is NaN, which counts as the middle of
the bounds, and a level or class that is not declared is none of them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from throng._errors import InvalidInput

Floats = NDArray[np.float64]

#: The code of a record that is left out: no model knows such a class.
OUT = np.uint32(0xFFFF_FFFF)

_BOUNDS = (
    "give bounds=(lower, upper), two arrays of one number for each column, or a dict such as "
    "{'age': (17, 90), 'sex': ['f', 'm']}; take them from what the columns mean, not from the table; "
    "bounds='buy' buys them with a part of the privacy"
)


def finite(lower: float, upper: float) -> None:
    """That two numbers are the ends of an interval."""
    if not (lower < upper and math.isfinite(upper - lower)):
        raise InvalidInput(
            f"an interval is [{lower:g}, {upper:g}], but must be finite, with the lower end below the "
            "upper",
            _BOUNDS,
        )


@dataclass(frozen=True)
class Column:
    """One column: between two numbers, or one of some levels, or with bounds to be bought."""

    name: str
    bounds: tuple[float, float] | None = None
    levels: tuple[Any, ...] | None = None

    @property
    def written(self) -> dict[str, Any]:
        """As the files of models have it."""
        if self.levels is not None:
            return {"name": self.name, "levels": [text_of(level) for level in self.levels]}
        lower, upper = self.bounds or (-1.0, 1.0)
        finite(lower, upper)
        return {"name": self.name, "bounds": [lower, upper]}


@dataclass(frozen=True)
class Declared:
    """The columns of a table."""

    columns: tuple[Column, ...]

    @property
    def wanting(self) -> list[int]:
        """The places of the columns whose bounds are to be bought."""
        return [
            place
            for place, column in enumerate(self.columns)
            if column.bounds is None and column.levels is None
        ]

    @property
    def plain(self) -> bool:
        """Whether all columns are numbers."""
        return all(column.levels is None for column in self.columns)

    def schema(self, label: dict[str, Any] | None) -> str:
        """What is declared, as JSON."""
        document: dict[str, Any] = {"columns": [column.written for column in self.columns]}
        if label is not None:
            document["label"] = label
        return json.dumps(document)

    def with_bounds(self, schema: str) -> Declared:
        """The same with the bounds that were bought."""
        found = json.loads(schema)["columns"]
        columns = tuple(
            replace(column, bounds=tuple(written["bounds"])) if "bounds" in written else column
            for column, written in zip(self.columns, found, strict=True)
        )
        return Declared(columns)


def columns_of(bounds: Any, names: Sequence[str]) -> Declared:
    """Bounds as people give them, for columns of these names."""
    if bounds is None:
        raise InvalidInput("the bounds of the columns are not declared", _BOUNDS)
    if isinstance(bounds, str):
        _bought(bounds)
        return Declared(tuple(Column(name) for name in names))
    if isinstance(bounds, Mapping):
        _all_known(bounds, names)
        declared = (_one(bounds, name, place) for place, name in enumerate(names))
        return Declared(tuple(declared))
    lowers, uppers = _two(bounds, len(names))
    ends = zip(names, lowers, uppers, strict=True)
    return Declared(tuple(Column(name, (low, high)) for name, low, high in ends))


def _bought(word: str) -> None:
    if word != "buy":
        raise InvalidInput(f"bounds is {word[:40]!r}, but the only word there is is 'buy'", _BOUNDS)


def _all_known(bounds: Mapping[Any, Any], names: Sequence[str]) -> None:
    known = {*names, *range(len(names))}
    for key in bounds:
        if key not in known:
            shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
            raise InvalidInput(
                f"bounds are declared of {key!r}, but there is no such column",
                f"the columns are: {shown}",
            )


def _one(bounds: Mapping[Any, Any], name: str, place: int) -> Column:
    if name not in bounds and place not in bounds:
        raise InvalidInput(f"the bounds of column {name} are not declared", _BOUNDS)
    given = bounds[name] if name in bounds else bounds[place]
    if isinstance(given, str):
        _bought(given)
        return Column(name)
    if isinstance(given, tuple) and len(given) == 2:
        return Column(name, _ends(given))
    if isinstance(given, (list, np.ndarray)):
        return Column(name, levels=tuple(np.asarray(given, dtype=object).tolist()))
    raise InvalidInput(
        f"what is declared of column {name} is neither bounds nor levels",
        "give (lower, upper) for numbers, a list of levels for categories, or 'buy'",
    )


def _ends(given: Any) -> tuple[float, float]:
    try:
        lower, upper = given
        return float(lower), float(upper)
    except (TypeError, ValueError):
        raise InvalidInput("bounds are not two numbers", _BOUNDS) from None


def _two(bounds: Any, columns: int) -> tuple[list[float], list[float]]:
    try:
        lower, upper = bounds
        ends = [np.broadcast_to(np.asarray(end, dtype=np.float64), columns) for end in (lower, upper)]
    except (TypeError, ValueError):
        raise InvalidInput(
            f"bounds are not a lower and an upper end for each of {columns} columns", _BOUNDS
        ) from None
    return ends[0].tolist(), ends[1].tolist()


def interval(bounds: Any) -> list[float]:
    """The bounds of a label."""
    if bounds is None:
        raise InvalidInput(
            "the bounds of the label are not declared",
            "give label_bounds=(lower, upper); take them from what the label means, not from y",
        )
    lower, upper = _ends(bounds)
    finite(lower, upper)
    return [lower, upper]


# From tables to numbers.


def text_of(value: Any) -> str:
    """A level or class as the files of models write it."""
    if isinstance(value, (np.generic,)):
        value = value.item()
    return value.strip() if isinstance(value, str) else str(value)


def names_of(table: Any, count: int) -> list[str]:
    """The names of columns: those of a data frame, else x0, x1, ..."""
    columns = getattr(table, "column_names", None) or getattr(table, "columns", None)
    if columns is not None and not callable(columns) and not isinstance(table, np.ndarray):
        names = list(columns)
        if len(names) == count and all(isinstance(name, str) for name in names):
            return names
    return [f"x{place}" for place in range(count)]


def is_frame(table: Any) -> bool:
    """Whether columns have types of their own."""
    return hasattr(table, "columns") and hasattr(table, "__getitem__") and hasattr(table, "shape")


def columns_in(table: Any) -> list[NDArray[Any]]:
    """The columns of a data frame or an array, one by one."""
    if is_frame(table):
        if hasattr(table, "iloc"):
            return [np.asarray(table.iloc[:, place]) for place in range(table.shape[1])]
        if hasattr(table, "to_numpy") or hasattr(table, "get_column"):
            return [np.asarray(table[name]) for name in table.columns]
        return [np.asarray(column) for column in table.columns]
    return list(np.asarray(table).T)


def numbers_in(cells: NDArray[Any]) -> Floats:
    """Cells as numbers: NaN for whatever is none, whatever it is."""
    if cells.dtype.kind in "biuf":
        return cells.astype(np.float64, copy=False)
    return np.fromiter((_number(cell) for cell in cells.ravel().tolist()), np.float64, cells.size)


def _number(cell: Any) -> float:
    if isinstance(cell, float):
        return cell
    try:
        return float(cell)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def codes_in(cells: NDArray[Any], known: Sequence[Any] | NDArray[Any]) -> NDArray[np.uint32]:
    """The place of each cell among known values; :data:`OUT` for whatever is none of them."""
    values = known if isinstance(known, np.ndarray) else np.asarray(known, dtype=object)
    if values.dtype.kind == "O":
        plain = np.asarray(values.tolist())
        values = plain if plain.dtype.kind in "biufU" and plain.ndim == 1 else values
    if cells.dtype.kind in "biuf" and values.dtype.kind in "biuf":
        return _sorted_codes(cells, values)
    if cells.dtype.kind == "U" and values.dtype.kind == "U":
        return _sorted_codes(np.char.strip(cells), np.char.strip(values))
    places: dict[Any, int] = {}
    for place, value in enumerate(values.tolist()):
        places.setdefault(_key(value), place)
    found = (places.get(_key(cell), int(OUT)) for cell in cells.tolist())
    return np.fromiter(found, np.uint32, cells.size)


def _sorted_codes(cells: NDArray[Any], values: NDArray[Any]) -> NDArray[np.uint32]:
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    places = np.minimum(np.searchsorted(ordered, cells), len(values) - 1)
    return np.where(ordered[places] == cells, order[places], OUT).astype(np.uint32)


def _key(value: Any) -> Any:
    """What makes two values the same: a number in any form is one, and spaces do not matter."""
    if isinstance(value, str):
        value = value.strip()
        try:
            return float(value)
        except ValueError:
            return value.lower() if value.lower() in ("true", "false") else value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return ("other", repr(type(value)), id(value))


def encoded(table: Any, declared: Declared, *, one_hot: bool) -> Floats:
    """A table with categories as numbers: a column of 0 and 1 for each level, or the place of the level."""
    parts: list[Floats] = []
    for column, cells in zip(declared.columns, columns_in(table), strict=True):
        if column.levels is None:
            parts.append(numbers_in(cells))
            continue
        codes = codes_in(cells, column.levels)
        if one_hot:
            parts += [(codes == place).astype(np.float64) for place in range(len(column.levels))]
        else:
            places = codes.astype(np.float64)
            places[codes == OUT] = np.nan
            parts.append(places)
    return np.ascontiguousarray(np.column_stack(parts)) if parts else np.empty((0, 0))


def class_array(classes: Any) -> NDArray[Any]:
    """Declared classes, in order."""
    if isinstance(classes, str) or not hasattr(classes, "__len__"):
        raise InvalidInput(
            "classes is not a list of classes", "give them all, such as classes=['no', 'yes']"
        )
    try:
        given = np.asarray(classes)
        found = np.unique(given)
    except TypeError:
        raise InvalidInput("the classes are not of one kind", "give numbers or texts") from None
    if given.ndim != 1 or len(found) != len(given):
        raise InvalidInput("classes is not a list in which each class occurs once", "")
    return found


def same_kind(labels: NDArray[Any], classes: NDArray[Any]) -> None:
    """That texts are not looked for among numbers: types are public, and are told before any value."""
    numeric = "biuf"
    if (labels.dtype.kind in numeric) != (classes.dtype.kind in numeric) and labels.dtype.kind != "O":
        raise InvalidInput(
            f"the labels are of type {labels.dtype}, the classes of type {classes.dtype}: all records "
            "would be left out",
            "declare classes of the type of the labels",
        )
