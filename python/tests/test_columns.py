"""Columns are read where they lie, whatever they come in, and every row has a place."""

from __future__ import annotations

import resource
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import throng as tg
from throng._column import keys, numbers

# Noise of no account, so that what was read can be seen: wrong less than once in 10^20 calls.
CLEAR = 60
VALUES = [3.0, 4.0, 250.0, -7.0, 0.5]

COLUMNS = {
    "list": lambda x: list(x),
    "tuple": lambda x: tuple(x),
    "numpy": lambda x: np.array(x, dtype=np.float64),
    "numpy, every other": lambda x: np.repeat(np.array(x, dtype=np.float64), 2)[::2],
    "numpy, other byte order": lambda x: np.array(x, dtype=">f8"),
    "numpy float32": lambda x: _short(x),
    "numpy longdouble": lambda x: np.array(x, dtype=np.longdouble),
    "numpy object": lambda x: np.array(list(x), dtype=object),
    "numpy, read only": lambda x: _frozen(np.array(x, dtype=np.float64)),
    "pandas": lambda x: pd.Series(list(x), dtype="float64"),
    "pandas object": lambda x: pd.Series(list(x), dtype=object),
    "pandas nullable": lambda x: pd.Series(list(x), dtype="Float64"),
    "pandas Arrow": lambda x: pd.Series(list(x), dtype="float64[pyarrow]"),
    "pandas index": lambda x: pd.Index(list(x), dtype="float64"),
    "polars": lambda x: pl.Series(list(x), dtype=pl.Float64),
    "polars, two chunks": lambda x: _joined(list(x)),
    "polars Float32": lambda x: pl.Series(list(x), dtype=pl.Float32),
    "pyarrow": lambda x: pa.array(list(x), pa.float64()),
    "pyarrow, sliced": lambda x: pa.array([99.0, *x, 99.0], pa.float64()).slice(1, len(x)),
    "pyarrow, chunks": lambda x: pa.chunked_array(
        [pa.array(list(x[:2]), pa.float64()), pa.array([], pa.float64()), list(x[2:])]
    ),
    "pyarrow dictionary": lambda x: pa.array(list(x), pa.float64()).dictionary_encode(),
}


def _frozen(array):
    array.flags.writeable = False
    return array


def _short(values):
    with np.errstate(all="ignore"):
        return np.array(values, dtype=np.float32)


def _joined(values):
    joined = pl.Series(values[:2], dtype=pl.Float64)
    return joined.append(pl.Series(values[2:], dtype=pl.Float64))


@pytest.mark.parametrize("made", COLUMNS.values(), ids=COLUMNS.keys())
def test_all_kinds_of_columns_say_the_same(made):
    column = made(VALUES)
    assert tg.release.count(column, epsilon=CLEAR).value == 5
    total = tg.release.sum(column, -10, 10, integers=True, epsilon=CLEAR * 20)
    assert total.value in (10, 11)  # 0.5 is halfway, and goes to the even one
    assert 1.9 < tg.release.mean(column, -10, 10, epsilon=10**6).value < 2.3
    assert tg.release.median(column, -300, 300, integers=True, epsilon=1000).value == 3
    assert tg.release.histogram(column, bins=[-10, 0, 10, 300], epsilon=CLEAR).value == [1, 3, 1]


@pytest.mark.parametrize("made", COLUMNS.values(), ids=COLUMNS.keys())
def test_missing_numbers_have_a_place(made):
    column = made([3.0, float("nan"), 9.0])
    counted = tg.release.sum(column, 2, 10, integers=True, epsilon=CLEAR * 20)
    assert counted.value == 14  # as the allowed number nearest to 0
    skipped = tg.release.sum(
        column, 2, 10, integers=True, skip_missing=True, epsilon=CLEAR * 20
    )
    assert skipped.value == 12
    with pytest.raises(tg.Refused, match="public"):
        tg.release.sum(column, 2, 10, skip_missing=True, epsilon=1, neighbours="replace")


@pytest.mark.parametrize(
    "column",
    [
        pa.array([3, None, 9]),
        pa.chunked_array([[3], [None, 9]]),
        pl.Series([3, None, 9]),
        pd.Series([3, None, 9], dtype="Int64"),
        pd.Series([3, None, 9], dtype="int64[pyarrow]"),
        [3, None, 9],
        [3, "three", 9],
        [3, object(), 9],
        np.ma.array([3, 5, 9], mask=[False, True, False]),
    ],
)
def test_nulls_have_a_place(column):
    counted = tg.release.sum(column, 2, 10, integers=True, epsilon=CLEAR * 20)
    assert counted.value == 14
    kept = tg.release.sum(column, 2, 10, integers=True, skip_missing=True, epsilon=CLEAR * 20)
    assert kept.value == 12


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint32", "uint64"])
def test_whole_numbers_of_all_sizes(dtype):
    for column in (np.array([1, 2, 100], dtype), pa.array([1, 2, 100], getattr(pa, dtype)())):
        total = tg.release.sum(column, 0, 50, integers=True, epsilon=CLEAR * 50)
        assert total.value == 53
        assert tg.release.histogram(column, keys=[2, 3], epsilon=CLEAR).value == {2: 1, 3: 0}


def test_numbers_beyond_all_bounds():
    column = [2**63, -(2**70), 10**400, -(10**400), float("inf"), float("-inf"), 10**18]
    total = tg.release.sum(column, -1, 2, integers=True, epsilon=CLEAR * 5)
    assert total.value == 2 - 1 + 2 - 1 + 2 - 1 + 2


TEXTS = ["a", "b", None, "a", "ö"]


@pytest.mark.parametrize(
    "column",
    [
        TEXTS,
        np.array(TEXTS, dtype=object),
        pd.Series(TEXTS, dtype=object),
        pd.Series(TEXTS, dtype="str"),
        pd.Series(TEXTS, dtype="string"),
        pd.Series(TEXTS, dtype="category"),
        pl.Series(TEXTS),
        pl.Series(TEXTS, dtype=pl.Categorical),
        pl.Series(TEXTS, dtype=pl.Enum(["ö", "b", "a", "c"])),
        pa.array(TEXTS),
        pa.array(TEXTS, pa.large_string()),
        pa.array(TEXTS, pa.string_view()),
        pa.array(TEXTS).dictionary_encode(),
        pa.chunked_array([TEXTS[:1], TEXTS[1:]]),
        pa.chunked_array([TEXTS[:1], TEXTS[1:]]).dictionary_encode(),
    ],
)
def test_texts_are_keys(column):
    listed = tg.release.histogram(column, keys=["ö", "a", "z", None], epsilon=CLEAR)
    assert listed.value == {"ö": 1, "a": 2, "z": 0, None: 1}
    assert list(listed.value) == ["ö", "a", "z", None]
    units = tg.release.count(list(range(5)), unit=column, epsilon=CLEAR)
    assert units.value == 4


def test_units_that_are_large_stay_apart():
    ids = np.array([2**63 + 1, 2**63 + 2, 2**63 + 1], dtype=np.uint64)
    for unit in (ids, ids.tolist(), pa.array(ids), pl.Series(ids)):
        assert tg.release.count([0, 0, 0], unit=unit, epsilon=CLEAR).value == 2


def test_what_rust_gets_is_the_same_memory():
    array = np.arange(10.0)
    assert numbers(array) is array or numbers(array).ctypes.data == array.ctypes.data
    series = pd.Series(array)
    assert numbers(series).ctypes.data == series.to_numpy().ctypes.data
    arrow = pd.Series(array, dtype="float64[pyarrow]")
    chunk = numbers(arrow)
    chunk = chunk.chunk(0) if hasattr(chunk, "chunk") else chunk
    there = pa.chunked_array(arrow.array.__arrow_array__()).chunk(0) if hasattr(
        arrow.array.__arrow_array__(), "chunks"
    ) else arrow.array.__arrow_array__()
    assert chunk.buffers()[1].address == there.buffers()[1].address
    for other in (pl.Series(array), pa.array(array), pa.chunked_array([array, array])):
        assert numbers(other) is other
        assert keys(other) is other


MEMORY = """
import resource, sys
import numpy as np, pandas as pd, polars as pl, pyarrow as pa
import throng as tg

ROWS = 10_000_000
array = np.random.default_rng(0).normal(50, 20, ROWS)
column = {
    "numpy": lambda: array,
    "pandas": lambda: pd.Series(array),
    "pandas Arrow": lambda: pd.Series(pd.arrays.ArrowExtensionArray(pa.array(array))),
    "polars": lambda: pl.Series(array),
    "polars, chunks": lambda: pl.Series(array[:ROWS // 2]).append(pl.Series(array[ROWS // 2:])),
    "pyarrow": lambda: pa.array(array),
    "pyarrow, chunks": lambda: pa.chunked_array([array[:1000], array[1000:]]),
}[sys.argv[1]]()
tg.release.sum(column[:10] if hasattr(column, "__getitem__") else column, 0, 100, epsilon=1)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert abs(tg.release.sum(column, 0, 100, epsilon=1).value / ROWS - 50) < 1
tg.release.mean(column, 0, 100, epsilon=1)
tg.release.variance(column, 0, 100, epsilon=1)
tg.release.count(column, epsilon=1)
grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
print(grown)
assert grown < 16, grown  # the column has 76 MB
"""


@pytest.mark.parametrize(
    "kind",
    ["numpy", "pandas", "pandas Arrow", "polars", "polars, chunks", "pyarrow", "pyarrow, chunks"],
)
def test_ten_million_rows_cost_no_memory(kind):
    assert resource is not None
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, kind], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


NO_COLUMNS = [
    None,
    3,
    "text",
    b"bytes",
    {"a": 1},
    {1, 2},
    object(),
    np.zeros((2, 2)),
    np.float64(3),
    pd.DataFrame({"a": [1.0]}),
    pa.array([[1.0], [2.0]]),
    pa.array([{"a": 1}]),
    np.array([1 + 2j]),
    np.array(["2020-01-01"], dtype="datetime64[D]"),
]


@pytest.mark.parametrize("data", NO_COLUMNS, ids=lambda data: type(data).__name__)
def test_what_is_no_column_of_numbers_is_said_by_type(data):
    with pytest.raises(tg.InvalidInput) as caught:
        tg.release.sum(data, 0, 1, epsilon=1)
    assert "2020" not in str(caught.value)


ITEMS = st.one_of(
    st.none(),
    st.floats(),
    st.integers(),
    st.integers(min_value=2**62, max_value=2**1100),
    st.text(max_size=4),
    st.booleans(),
    st.binary(max_size=4),
    st.just(object()),
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(ITEMS, max_size=6))
def test_no_row_makes_a_release_fail(items):
    for column in (items, np.array([*items, None], dtype=object)[:-1]):
        rows = len(items)
        assert tg.release.count(column, epsilon=CLEAR).value == rows
        assert 0 <= tg.release.sum(column, 0, 1, integers=True, epsilon=CLEAR).value <= rows
        assert 0 <= tg.release.mean(column, 0, 1, epsilon=1).value <= 1
        assert tg.release.variance(column, 0, 1, epsilon=1).value >= 0
        assert 0 <= tg.release.median(column, 0, 1, epsilon=1).value <= 1
        tg.release.bounds(column, epsilon=1)
        tg.release.histogram(column, keys=["a", 1, None], epsilon=1)
        tg.release.histogram(column, epsilon=1, delta=1e-3)
        tg.release.histogram(column, bins=[0, 1, 2], epsilon=1)
        tg.release.count(list(range(rows)), unit=column, max_per_unit=2, epsilon=1)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.floats(), max_size=8),
    st.sampled_from([k for k in COLUMNS if "dictionary" not in k]),
)
def test_columns_of_any_floats(values, kind):
    if len(values) < 3 and "chunks" in kind:
        return
    column = COLUMNS[kind](values)
    assert 0 <= tg.release.mean(column, 0, 1, epsilon=1).value <= 1
    assert 0 <= tg.release.median(column, 0, 1, epsilon=1).value <= 1
    assert tg.release.count(column, epsilon=CLEAR).value == len(values)
