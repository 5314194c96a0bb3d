"""Numbers from columns that may be published: counts, sums, means, quantiles, histograms.

Every function takes a column (a numpy array, a pandas or polars Series, an Arrow array, a list), says how
private the number shall be (``epsilon`` alone, ``epsilon`` with ``delta``, ``gdp`` or ``zcdp``), pays from a
:class:`throng.Budget` if one is given or surrounds it, and gives a :class:`Release`: value, error bars, guarantee.

What must be known beforehand (bounds, keys, edges) is given, never read from the data. A missing value counts as
the allowed number nearest to 0; ``skip_missing=True`` leaves it out. Each row is a unit, unless ``unit`` names
whose rows they are.

>>> import throng as tg
>>> ages = [31, 47, 12, 25] * 500
>>> with tg.Budget(epsilon=1) as budget:
...     people = tg.release.count(ages, epsilon=0.2)
...     age = tg.release.mean(ages, 0, 100, epsilon=0.8)
>>> low, high = age.interval(0.95)
>>> low < age.value < high, budget.remaining
(True, {'epsilon': 0.0})
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Any

from throng import _native
from throng._budget import Budget, current
from throng._columns import column
from throng._errors import InvalidInput, Refused
from throng._guarantee import Guarantee
from throng._number import Number
from throng._optional import needed

__all__ = [
    "Release",
    "bounds",
    "count",
    "histogram",
    "mean",
    "median",
    "noise",
    "quantile",
    "sum",
    "variance",
]


class Release:
    """A released value with its error bars and its guarantee.

    Attributes
    ----------
    value : int, float, list or dict
        What was released: a number, a list of numbers, or counts by key.
    guarantee : Guarantee
        What protects it.

    ``float(release)`` is the value of a single number.
    """

    __slots__ = ("_found", "_name", "_shape")

    def __init__(self, name: str, found: _native.Released, shape: str) -> None:
        self._name = name
        self._found = found
        self._shape = shape

    def _numbers(self) -> list[Any]:
        whole = self._found.whole()
        return list(self._found.values() if whole is None else whole)

    def _shaped(self, numbers: Sequence[Any]) -> Any:
        if self._shape == "one":
            return numbers[0] if numbers else None
        keys = self._found.keys()
        return list(numbers) if keys is None else dict(zip(keys, numbers, strict=True))

    @property
    def value(self) -> Any:
        """What was released."""
        return self._shaped(self._numbers())

    @property
    def guarantee(self) -> Guarantee:
        """What protects it."""
        found = self._found
        return Guarantee(found.spec, found.neighbours, found.cost, found.receipt)

    @property
    def uncovered(self) -> list[str]:
        """What error bars leave out, in words."""
        return self._found.uncovered()

    @property
    def threshold(self) -> int | None:
        """From which count on a private key is shown."""
        return self._found.threshold

    @property
    def noise_deviation(self) -> float | None:
        """The standard deviation of the noise on each number, where that is known."""
        return self._found.noise_deviation()

    def interval(self, confidence: float = 0.95) -> Any:
        """Where the number without noise lies, with this chance.

        Parameters
        ----------
        confidence : float

        Returns
        -------
        tuple, list of tuples or dict of tuples
            (low, high) in the shape of the value. What it leaves out is in ``uncovered``.

        Raises
        ------
        Refused
            For quantiles and bounds, whose error is in ranks: see :meth:`rank_error`.
        """
        found = self._found.intervals(float(confidence))
        if not found and self._numbers():
            raise Refused(
                f"a {self._name} has no interval that holds whatever the data is",
                "rank_error says how many ranks it may be off",
            )
        return self._shaped(found)

    def rank_error(self, confidence: float = 0.95) -> float:
        """How many ranks a quantile may be off, with this chance."""
        found = self._found.rank_error(float(confidence))
        if found is None:
            raise Refused(f"a {self._name} has no ranks", "interval gives its error bars")
        return found

    def to_pandas(self) -> Any:
        """A data frame of keys, values and 95 % intervals (needs pandas)."""
        numbers, keys = self._numbers(), self._found.keys()
        ends = self._found.intervals(0.95)
        frame = {} if keys is None else {"key": keys}
        frame["value"] = numbers
        if ends:
            frame |= {"low": [low for low, _ in ends], "high": [high for _, high in ends]}
        return needed("pandas").DataFrame(frame)

    def __float__(self) -> float:
        if self._shape != "one":
            raise TypeError(f"a {self._name} is not one number")
        return float(self.value)

    def __reduce__(self) -> Any:
        raise TypeError("a release is not pickled: keep its value and its guarantee")

    def _rows(self) -> list[tuple[str, str, str]]:
        keys = self._found.keys() or [""] * len(self._numbers())
        ends = self._found.intervals(0.95) or [None] * len(self._numbers())
        return [
            (str(key), f"{number:.6g}", "" if end is None else f"{end[0]:.6g} .. {end[1]:.6g}")
            for key, number, end in zip(keys, self._numbers(), ends, strict=True)
        ]

    def __repr__(self) -> str:
        if self._shape == "one":
            [(_, number, ends)] = self._rows() or [("", "nothing", "")]
            error = f" ({ends}, 95 %)" if ends else ""
            return f"<Release {self._name} {number}{error}; {self._found.spec}>"
        return f"<Release {self._name} of {len(self._numbers())}; {self._found.spec}>"

    def _repr_html_(self) -> str:
        head = "<tr><th></th><th>value</th><th>95 %</th></tr>"
        cells = "".join(
            f"<tr><td>{escape(key)}</td><td>{number}</td><td>{ends}</td></tr>"
            for key, number, ends in self._rows()[:100]
        )
        return f"<table>{head}{cells}</table>{self.guarantee._repr_html_()}"


def _made(
    name: str,
    native: Callable[..., _native.Released],
    arguments: Iterable[Any],
    shape: str,
    epsilon: Number | None,
    delta: Number | None,
    gdp: Number | None,
    zcdp: Number | None,
    neighbours: str | None,
    budget: Budget | None,
) -> Release:
    paying = current(budget)
    if neighbours is None:
        neighbours = "add-remove" if paying is None else paying.neighbours
    books = None if paying is None else paying._native
    ask = (epsilon, delta, gdp, zcdp, neighbours, books, f"release.{name}")
    return Release(name, native(*arguments, ask), shape)


def count(
    data: Any,
    *,
    where: Any = None,
    unit: Any = None,
    max_rows: int = 1,
    epsilon: Number | None = None,
    delta: Number | None = None,
    gdp: Number | None = None,
    zcdp: Number | None = None,
    neighbours: str | None = None,
    budget: Budget | None = None,
) -> Release:
    """How many rows there are.

    Parameters
    ----------
    data : column or table
        Anything with a length.
    where : column of booleans, optional
        Count only the rows for which it is true.
    unit : column, optional
        Whose row it is. Of each unit at most `max_rows` are counted.
    max_rows : int
        With `unit`: how many rows of a unit count.
    epsilon, delta, gdp, zcdp : number
        How private: epsilon alone, with delta, mu, or rho.
    neighbours : {"add-remove", "replace", "zero-out"}, optional
        That of the budget, or add-remove.
    budget : Budget, optional
        What pays; else the surrounding one; else nothing is kept.

    Returns
    -------
    Release

    Examples
    --------
    >>> import throng as tg
    >>> tg.release.count(range(1000), epsilon=50).value
    1000
    """
    privacy = (epsilon, delta, gdp, zcdp, neighbours, budget)
    if unit is not None:
        condition = None if where is None else column(where)
        arguments: tuple[Any, ...] = (column(unit), condition, max_rows)
        return _made("count", _native.release_bounded_rows, arguments, "one", *privacy)
    if where is not None:
        return _made("count", _native.release_matches, (column(where),), "one", *privacy)
    if not hasattr(data, "__len__"):
        raise InvalidInput("the data has no length", "give a column or a table")
    return _made("count", _native.release_rows, (len(data),), "one", *privacy)


def sum(  # noqa: A001
    data: Any,
    lower: Number,
    upper: Number,
    *,
    integers: bool = False,
    skip_missing: bool = False,
    epsilon: Number | None = None,
    delta: Number | None = None,
    gdp: Number | None = None,
    zcdp: Number | None = None,
    neighbours: str | None = None,
    budget: Budget | None = None,
) -> Release:
    """The sum of numbers, each clamped to bounds.

    Parameters
    ----------
    data : column
    lower, upper : number
        What is beyond counts as the end.
    integers : bool
        Whether the sum is a whole number.
    skip_missing : bool
        Leave missing values out, instead of counting them as the number nearest to 0.
    epsilon, delta, gdp, zcdp, neighbours, budget
        As for :func:`count`.

    Examples
    --------
    >>> import throng as tg
    >>> total = tg.release.sum([1.0, 2.5, 99.0], 0, 10, epsilon=1000)
    >>> round(total.value)  # 99 counts as 10
    14
    """
    privacy = (epsilon, delta, gdp, zcdp, neighbours, budget)
    arguments = (column(data), (lower, upper), integers, skip_missing)
    return _made("sum", _native.release_sum, arguments, "one", *privacy)


def mean(
    data: Any,
    lower: Number,
    upper: Number,
    *,
    skip_missing: bool = False,
    epsilon: Number | None = None,
    delta: Number | None = None,
    gdp: Number | None = None,
    zcdp: Number | None = None,
    neighbours: str | None = None,
    budget: Budget | None = None,
) -> Release:
    """The mean of numbers, each clamped to bounds.

    Parameters
    ----------
    data : column
    lower, upper : number
    skip_missing : bool
    epsilon, delta, gdp, zcdp, neighbours, budget
        As for :func:`count`.

    Examples
    --------
    >>> import throng as tg
    >>> age = tg.release.mean([20.0, 30.0, 40.0] * 1000, 0, 100, epsilon=10)
    >>> round(age.value)
    30
    """
    privacy = (epsilon, delta, gdp, zcdp, neighbours, budget)
    arguments = (column(data), (lower, upper), skip_missing)
    return _made("mean", _native.release_mean, arguments, "one", *privacy)


def variance(
    data: Any,
    lower: Number,
    upper: Number,
    *,
    skip_missing: bool = False,
    epsilon: Number | None = None,
    delta: Number | None = None,
    gdp: Number | None = None,
    zcdp: Number | None = None,
    neighbours: str | None = None,
    budget: Budget | None = None,
) -> Release:
    """The variance of numbers, each clamped to bounds, and the standard deviation.

    Returns
    -------
    Release
        Its value is the list [variance, standard deviation].

    Examples
    --------
    >>> import throng as tg
    >>> spread = tg.release.variance([0.0, 10.0] * 5000, 0, 10, epsilon=10)
    >>> round(spread.value[0]), round(spread.value[1])
    (25, 5)
    """
    privacy = (epsilon, delta, gdp, zcdp, neighbours, budget)
    arguments = (column(data), (lower, upper), skip_missing)
    return _made("variance", _native.release_variance, arguments, "many", *privacy)


def quantile(
    data: Any,
    q: Number | Sequence[Number],
    lower: Number,
    upper: Number,
    *,
    integers: bool = False,
    skip_missing: bool = False,
    epsilon: Number | None = None,
    neighbours: str | None = None,
    budget: Budget | None = None,
) -> Release:
    """Quantiles of numbers, each clamped to bounds.

    Parameters
    ----------
    data : column
    q : number or rising numbers
        Which fractions; several share epsilon.
    lower, upper : number
    integers : bool
        Whether the answer is a whole number; else it is on a fine grid between the bounds.
    skip_missing : bool
    epsilon : number
    neighbours, budget
        As for :func:`count`.

    Examples
    --------
    >>> import throng as tg
    >>> middle = tg.release.quantile(range(10001), 0.5, 0, 10000, epsilon=5)
    >>> abs(middle.value - 5000) < 100
    True
    """
    several = hasattr(q, "__iter__") and not isinstance(q, str)
    at = list(q) if several else [q]  # type: ignore[arg-type]  # one or several
    arguments = (column(data), at, (lower, upper), integers, skip_missing)
    privacy = (epsilon, None, None, None, neighbours, budget)
    shape = "many" if several else "one"
    return _made("quantile", _native.release_quantiles, arguments, shape, *privacy)


def median(data: Any, lower: Number, upper: Number, **options: Any) -> Release:
    """The median of numbers, each clamped to bounds: :func:`quantile` at one half.

    Examples
    --------
    >>> import throng as tg
    >>> tg.release.median([3, 4, 5] * 1000, 0, 10, integers=True, epsilon=5).value
    4
    """
    return quantile(data, "1/2", lower, upper, **options)


def histogram(
    data: Any,
    *,
    keys: Iterable[Any] | None = None,
    edges: Sequence[float] | None = None,
    unit: Any = None,
    max_keys: int = 1,
    max_rows: int = 1,
    noise: str | None = None,
    epsilon: Number | None = None,
    delta: Number | None = None,
    gdp: Number | None = None,
    zcdp: Number | None = None,
    neighbours: str | None = None,
    budget: Budget | None = None,
) -> Release:
    """How many rows there are of each key, or in each bin.

    Parameters
    ----------
    data : column
        Keys (texts, whole numbers, ...) or, with `edges`, numbers.
    keys : iterable, optional
        The keys that everybody may know: all are shown, and no others. If left out, keys are private:
        that takes a delta, and only those are shown whose noisy count passes a threshold.
    edges : rising numbers, optional
        Public edges of bins, from each to below the next; the last one holds its upper edge.
    unit : column, optional
        Whose row it is; of each unit at most `max_keys` keys and `max_rows` rows of each count.
    max_keys, max_rows : int
        With `unit`.
    noise : {"laplace", "gaussian"}, optional
        For private keys; the one with the lower threshold if left out.
    epsilon, delta, gdp, zcdp, neighbours, budget
        As for :func:`count`.

    Returns
    -------
    Release
        Its value is a dict of counts by key; by number of the bin with `edges`.

    Examples
    --------
    >>> import throng as tg
    >>> wards = ["A", "B", "A", "C"] * 100
    >>> tg.release.histogram(wards, keys=["A", "B", "C", "D"], epsilon=50).value
    {'A': 200, 'B': 100, 'C': 100, 'D': 0}
    >>> tg.release.histogram([1.5, 22.0, 90.0], edges=[0, 18, 65, 120], epsilon=50).value
    {0: 1, 1: 1, 2: 1}
    """
    privacy = (epsilon, delta, gdp, zcdp, neighbours, budget)
    owners = None if unit is None else (column(unit), max_keys, max_rows)
    if edges is not None:
        if keys is not None:
            raise InvalidInput("both keys and edges are given", "give one of them")
        arguments: tuple[Any, ...] = (column(data), owners, [float(edge) for edge in edges])
        return _made("histogram", _native.release_bins, arguments, "many", *privacy)
    listed = None if keys is None else list(keys)
    arguments = (column(data), owners, listed, noise)
    return _made("histogram", _native.release_histogram, arguments, "many", *privacy)


def bounds(
    data: Any,
    *,
    step: Number = 1,
    beta: Number = 0.01,
    epsilon: Number | None = None,
    delta: Number | None = None,
    gdp: Number | None = None,
    zcdp: Number | None = None,
    neighbours: str | None = None,
    budget: Budget | None = None,
) -> Release:
    """Powers of two between which the numbers of a column seem to lie, for the bounds of other releases.

    Parameters
    ----------
    data : column
    step : number
        The smallest difference that matters.
    beta : number
        The chance that an empty stretch is taken for data.
    epsilon, delta, gdp, zcdp, neighbours, budget
        As for :func:`count`.

    Returns
    -------
    Release
        Its value is [lower, upper]; empty if nothing stood out from the noise.

    Examples
    --------
    >>> import throng as tg
    >>> tg.release.bounds([20, 30, 40] * 1000, epsilon=1).value
    [0.0, 64.0]
    """
    privacy = (epsilon, delta, gdp, zcdp, neighbours, budget)
    arguments = (column(data), step, beta)
    return _made("bounds", _native.release_bounds, arguments, "many", *privacy)


def noise(
    values: Any,
    *,
    sensitivity: Number,
    cells: int = 1,
    integers: bool = False,
    epsilon: Number | None = None,
    delta: Number | None = None,
    gdp: Number | None = None,
    zcdp: Number | None = None,
    neighbours: str | None = None,
    budget: Budget | None = None,
) -> Release:
    """Numbers that were computed elsewhere, with noise.

    Parameters
    ----------
    values : column
        The numbers. How many there are is public.
    sensitivity : number
        By how much one unit changes a number at most; to know it is up to you.
    cells : int
        How many of the numbers one unit changes.
    integers : bool
        Whether the numbers are whole.
    epsilon, delta, gdp, zcdp, neighbours, budget
        As for :func:`count`.

    Examples
    --------
    >>> import throng as tg
    >>> tg.release.noise([120, 45], sensitivity=1, integers=True, epsilon=50).value
    [120, 45]
    """
    privacy = (epsilon, delta, gdp, zcdp, neighbours, budget)
    arguments = (column(values), sensitivity, cells, integers)
    return _made("noise", _native.release_noise, arguments, "many", *privacy)


