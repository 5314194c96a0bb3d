"""Numbers from columns, with noise: what leaves may be published.

>>> import throng as tg
>>> ages = [31, 47, 22, 68, 35, 41, 29, 55]
>>> tg.release.mean(ages, 0, 120, epsilon=1000)
4... (95 %)  guarantee laplace(...), neighbours add-remove

A column is a numpy array, a pandas or polars Series, an Arrow array (of several chunks, too) or a list.
``float64`` and ``int64`` are read where they lie, without a copy. **Each row is a unit** of privacy,
unless ``unit`` names whose rows they are.

How private, in one of four ways:

==============================  ========  ========================================
arguments                       noise     guarantee
==============================  ========  ========================================
``epsilon=1``                   Laplace   pure: epsilon is never exceeded
``epsilon=1, delta=1e-6``       Gaussian  except with chance delta
``gdp=0.5``, ``zcdp=0.1``       Gaussian  for budgets in these currencies
==============================  ========  ========================================

With ``budget`` (or inside ``with tg.Budget(...):``) a release is paid for before any row is read;
without, its guarantee is about this one release, and whoever makes several adds them up.

Bounds come from what you know without the data. Rows without a number (NaN, null, a text in a list)
count as the allowed number nearest to 0; ``skip_missing=True`` leaves them out. No error depends on
what stands in a row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from throng import _native
from throng._budget import Budget, current
from throng._column import Column, same_table
from throng._column import cells as _cells
from throng._column import keys as _keys
from throng._column import numbers as _numbers
from throng._column import rows as _rows
from throng._errors import InvalidInput, Refused
from throng._guarantee import Guarantee
from throng._mechanism import Mechanism
from throng._number import Number

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
    """A released value: with error bars, and with what protects it.

    Attributes
    ----------
    value : int, float, list, dict or None
        What may be published. A list for several quantiles and for bins, a dict for counts by key, None
        for bounds that do not show.
    guarantee : Guarantee
        What protects it.
    """

    __slots__ = ("_edges", "_kind", "_released", "_value")

    def __init__(
        self, kind: str, released: _native.Released, value: Any, edges: list[float] | None = None
    ) -> None:
        self._kind = kind
        self._released = released
        self._value = value
        self._edges = edges

    @property
    def value(self) -> Any:
        """What may be published."""
        return self._value

    @property
    def guarantee(self) -> Guarantee:
        """What protects it."""
        made = self._released
        return Guarantee(
            Mechanism(made.spec, neighbours=made.neighbours),
            cost=dict(made.cost),
            receipt=made.receipt,
        )

    @property
    def uncovered(self) -> list[str]:
        """What the error bars leave out."""
        return self._released.uncovered()

    @property
    def records(self) -> float | None:
        """Of a mean, the number of records: released with it, or public."""
        return self._released.records

    @property
    def edges(self) -> list[float] | None:
        """Of a histogram over bins, their edges."""
        return None if self._edges is None else list(self._edges)

    @property
    def threshold(self) -> int | None:
        """Of a histogram of private keys, the noisy count from which on a key is shown."""
        return self._released.threshold

    @property
    def deviation(self) -> float:
        """Of a variance, its root; of numbers with noise, the standard deviation of the noise."""
        if self._kind == "variance":
            return self._released.values()[1]
        found = self._released.noise_deviation()
        if found is None:
            raise _no_bars(self._kind)
        return found

    def interval(self, confidence: float = 0.95) -> Any:
        """Error bars: an interval that holds the value before noise.

        Parameters
        ----------
        confidence : float
            The chance, over the noise, that it does; at least.

        Returns
        -------
        tuple of float, list of them, or dict of them
            As the value is: one, one for each number, or one for each key. Each holds its own number with
            that confidence; :meth:`half_width_of_all` covers all at once.

        Raises
        ------
        Refused
            For quantiles, whose error is known in ranks (:meth:`rank_error`), and for bounds.
        """
        found = self._released.intervals(confidence)
        if self._kind in ("quantile", "bounds"):
            raise _no_bars(self._kind)
        if isinstance(self._value, dict):
            ends = dict(zip(self._released.keys() or [], found, strict=True))
            return {key: ends[_shown(key, ends)] for key in self._value}
        if isinstance(self._value, list):
            return found
        return found[0]

    def half_width_of_all(self, confidence: float = 0.95) -> float:
        """How far off the numbers are, at most, all at once with this confidence."""
        found = self._released.half_width_of_all(confidence)
        if found is None:
            raise _no_bars(self._kind)
        return found

    def rank_error(self, confidence: float = 0.95) -> float:
        """How many ranks quantiles are off, at most, all at once with this confidence."""
        found = self._released.rank_error(confidence)
        if found is None:
            raise InvalidInput(
                "only quantiles are off by ranks", "use interval() for other releases"
            )
        return found

    def to_pandas(self) -> Any:
        """A data frame with the columns value, lower and upper (95 %); by key or bin, if there are any."""
        from throng._optional import needed

        frame = needed("pandas")
        if self._kind in ("quantile", "bounds"):
            return frame.DataFrame({"value": self._as_list()})
        ends = self.interval()
        if isinstance(self._value, dict):
            index: Any = list(self._value)
            ends = list(ends.values())
        elif self._edges is not None:
            index = frame.IntervalIndex.from_breaks(self._edges, closed="left")
        else:
            index = None
        ends = ends if isinstance(ends, list) else [ends]
        columns = {
            "value": self._as_list(),
            "lower": [lower for lower, _ in ends],
            "upper": [upper for _, upper in ends],
        }
        return frame.DataFrame(columns, index=index)

    def _as_list(self) -> list[Any]:
        if isinstance(self._value, dict):
            return list(self._value.values())
        if self._value is None:
            return []
        return list(self._value) if isinstance(self._value, (list, tuple)) else [self._value]

    def __float__(self) -> float:
        if isinstance(self._value, (int, float)):
            return float(self._value)
        raise TypeError("the release has several numbers: use .value")

    def __int__(self) -> int:
        if isinstance(self._value, (int, float)):
            return int(self._value)
        raise TypeError("the release has several numbers: use .value")

    def _bars(self) -> str:
        if self._kind == "quantile":
            return f" ({self.rank_error():.4g} ranks off at most, 95 %)"
        if self._kind == "bounds":
            return ""
        if self._kind in ("mean", "variance"):
            lower, upper = self.interval()
            return f" [{lower:.6g}, {upper:.6g}] (95 %)"
        lower, upper = self._released.intervals(0.95)[0] if self._as_list() else (0.0, 0.0)
        return f" ± {(upper - lower) / 2:.6g} (95 %)"

    def __repr__(self) -> str:
        shown = f"{self._value:.6g}" if isinstance(self._value, float) else repr(self._value)
        made = self._released
        return f"{shown}{self._bars()}  guarantee {made.spec}, neighbours {made.neighbours}"

    def _repr_html_(self) -> str:
        if isinstance(self._value, dict):
            ends = self.interval()
            cells = "".join(
                f"<tr><td>{escape(str(key))}</td><td>{value}</td>"
                f"<td>{ends[key][0]:.6g} to {ends[key][1]:.6g}</td></tr>"
                for key, value in self._value.items()
            )
            head = "<tr><th>key</th><th>value</th><th>95 %</th></tr>"
            shown = f"<table>{head}{cells}</table>"
        else:
            shown = f"<p>{escape(repr(self._value) + self._bars())}</p>"
        return shown + self.guarantee._repr_html_()


def _no_bars(kind: str) -> Refused:
    if kind == "quantile":
        return Refused(
            "how far off a quantile is, is known in ranks only",
            "use rank_error(); an interval would be another release",
        )
    return Refused(f"there are no error bars for {kind}", "see .uncovered for what they are")


def _ask(
    label: str,
    epsilon: Number | None,
    delta: Number | None,
    gdp: Number | None,
    zcdp: Number | None,
    neighbours: str | None,
    budget: Budget | None,
) -> _native._Ask:
    if budget is not None and not isinstance(budget, Budget):
        raise InvalidInput(
            f"the budget is of type {type(budget).__name__}", "give a Budget, such as Budget(1)"
        )
    paying = current(budget)
    if neighbours is None:
        neighbours = "add-remove" if paying is None else paying.neighbours
    native = None if paying is None else paying._native
    return epsilon, delta, gdp, zcdp, neighbours, native, f"release.{label}"


def _one(kind: str, released: _native.Released) -> Release:
    whole = released.whole()
    return Release(kind, released, released.values()[0] if whole is None else whole[0])


def count(
    data: Column,
    *,
    where: Column | None = None,
    unit: Column | None = None,
    max_per_unit: int = 1,
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
        The rows.
    where : column of booleans, optional
        Count the rows where it is true; a null is not.
    unit : column, optional
        Whose row it is; without it each row is a unit. Rows where it is null are one unit together.
    max_per_unit : int
        With `unit`: at most so many rows of each are counted. With 1, units are counted.
    epsilon, delta, gdp, zcdp : number, optional
        How private; see :mod:`throng.release`.
    neighbours : {"add-remove", "replace", "zero-out"}, optional
        What it means that two tables differ in one unit; that of the budget, or add-remove.
    budget : Budget, optional
        What it is paid from.

    Returns
    -------
    Release
        Its value is an int.

    Examples
    --------
    >>> import throng as tg
    >>> tg.release.count(["ann", "bob", "cid"], epsilon=50)
    3 ± 0 (95 %)  guarantee discrete_laplace(scale=0.02), neighbours add-remove
    >>> tg.release.count([1, 2, 3], where=[True, False, True], epsilon=50).value
    2
    """
    ask = _ask("count", epsilon, delta, gdp, zcdp, neighbours, budget)
    if where is not None:
        same_table(data, where)
    if unit is not None:
        same_table(data, unit)
        yes = None if where is None else _keys(where)
        most = _whole("max_per_unit", max_per_unit)
        return _one("count", _native.release_bounded_rows(_keys(unit), yes, most, ask))
    if max_per_unit != 1:
        raise InvalidInput("max_per_unit needs unit", "say whose row it is with unit=")
    if where is not None:
        return _one("count", _native.release_matches(_keys(where), ask))
    return _one("count", _native.release_rows(_rows(data), ask))


def sum(
    data: Column,
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
    """The sum of a column, each number clamped to public bounds.

    Parameters
    ----------
    data : column
        The numbers; each row is a unit.
    lower, upper : number
        Numbers are clamped to these; choose them without looking at the data.
    integers : bool
        The sum is a whole number: numbers are rounded to whole ones first.
    skip_missing : bool
        Leave rows without a number out, instead of counting the allowed number nearest to 0. Under
        add-remove neighbours only.
    epsilon, delta, gdp, zcdp, neighbours, budget
        As for :func:`count`.

    Returns
    -------
    Release

    Examples
    --------
    >>> import throng as tg
    >>> tg.release.sum([3, 4, 250], 0, 10, integers=True, epsilon=500).value
    17
    """
    ask = _ask("sum", epsilon, delta, gdp, zcdp, neighbours, budget)
    made = _native.release_sum(_numbers(data), (lower, upper), integers, skip_missing, ask)
    return _one("sum", made)


def mean(
    data: Column,
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
    """The mean of a column, each number clamped to public bounds.

    Under add-remove the number of records is private and released with it, at no extra cost
    (``.records``); under the other relations it is public.

    Parameters
    ----------
    data : column
        The numbers; each row is a unit.
    lower, upper, skip_missing
        As for :func:`sum`.
    epsilon, delta, gdp, zcdp, neighbours, budget
        As for :func:`count`.

    Returns
    -------
    Release

    Examples
    --------
    >>> import throng as tg
    >>> release = tg.release.mean([20.0, 40.0, 60.0], 0, 100, epsilon=1000)
    >>> 39 < release.value < 41, 2.9 < release.records < 3.1
    (True, True)
    """
    ask = _ask("mean", epsilon, delta, gdp, zcdp, neighbours, budget)
    return _one("mean", _native.release_mean(_numbers(data), (lower, upper), skip_missing, ask))


def variance(
    data: Column,
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
    """The variance (over n, not n - 1) of a column, each number clamped to public bounds.

    Its root is ``.deviation``. Parameters as for :func:`mean`.

    Examples
    --------
    >>> import throng as tg
    >>> release = tg.release.variance([0.0, 100.0] * 50, 0, 100, epsilon=1000)
    >>> 49 < release.deviation < 51
    True
    """
    ask = _ask("variance", epsilon, delta, gdp, zcdp, neighbours, budget)
    made = _native.release_variance(_numbers(data), (lower, upper), skip_missing, ask)
    return Release("variance", made, made.values()[0])


def quantile(
    data: Column,
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
    """One quantile of a column, or several at once.

    Parameters
    ----------
    data : column
        The numbers; each row is a unit.
    q : number or sequence of numbers
        Which part of the data lies below: 0.5 is the median. Several share epsilon.
    lower, upper : number
        As for :func:`sum`; be generous, the error grows with the logarithm of their distance only.
    integers : bool
        The answer is a whole number.
    skip_missing : bool
        As for :func:`sum`.
    epsilon : number
        How private, for all quantiles together.
    neighbours, budget
        As for :func:`count`.

    Returns
    -------
    Release
        Its error is known in ranks: :meth:`Release.rank_error`.

    Examples
    --------
    >>> import throng as tg
    >>> tg.release.quantile(range(101), 0.5, 0, 200, integers=True, epsilon=1000).value
    Traceback (most recent call last):
        ...
    throng._errors.InvalidInput: the data is of type range, which is no column
    hint: ...
    >>> tg.release.quantile(list(range(101)), 0.5, 0, 200, integers=True, epsilon=1000).value
    50
    """
    ask = _ask("quantile", epsilon, None, None, None, neighbours, budget)
    several = isinstance(q, Iterable) and not isinstance(q, str)
    at: list[Any] = list(q) if several else [q]  # type: ignore[arg-type]
    if not at:
        raise InvalidInput("it is not said which quantiles", "give q, such as 0.5")
    column = _numbers(data)
    order = sorted(range(len(at)), key=lambda place: _exact(at[place]))
    distinct: list[Any] = []
    places = [0] * len(at)
    for place in order:
        if not distinct or _exact(distinct[-1]) != _exact(at[place]):
            distinct.append(at[place])
        places[place] = len(distinct) - 1
    made = _native.release_quantiles(
        column, distinct, (lower, upper), integers, skip_missing, ask
    )
    whole = made.whole()
    found: list[Any] = list(made.values() if whole is None else whole)
    values = [found[place] for place in places]
    return Release("quantile", made, values if several else values[0])


def median(
    data: Column,
    lower: Number,
    upper: Number,
    *,
    integers: bool = False,
    skip_missing: bool = False,
    epsilon: Number | None = None,
    neighbours: str | None = None,
    budget: Budget | None = None,
) -> Release:
    """The median of a column: ``quantile(data, 0.5, lower, upper)``.

    Examples
    --------
    >>> import throng as tg
    >>> tg.release.median([1, 2, 2, 2, 9], 0, 10, integers=True, epsilon=1000).value
    2
    """
    return quantile(
        data,
        "1/2",
        lower,
        upper,
        integers=integers,
        skip_missing=skip_missing,
        epsilon=epsilon,
        neighbours=neighbours,
        budget=budget,
    )


def histogram(
    data: Column,
    *,
    keys: Iterable[Any] | None = None,
    bins: Sequence[float] | int | None = None,
    lower: float | None = None,
    upper: float | None = None,
    unit: Column | None = None,
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
        Texts, categories or whole numbers; with `bins` numbers. A null is the key None.
    keys : iterable, optional
        The keys, if they are public: all of them appear, and no others. Without them (and without `bins`)
        which keys occur is private, too: those with a noisy count below a threshold are not shown,
        which takes epsilon and delta.
    bins : sequence of float, or int with `lower` and `upper`, optional
        Public edges: a bin holds its lower edge, the last one its upper edge as well. Rows in no bin are
        left out.
    unit : column, optional
        Whose row it is; without it each row is a unit. Rows where it is null are one unit together.
    max_keys, max_rows : int
        Of one unit at most so many keys are counted, and so many rows for each, chosen at random.
    noise : {"laplace", "gaussian"}, optional
        For private keys; the one with the lower threshold if not given.
    epsilon, delta, gdp, zcdp, neighbours, budget
        As for :func:`count`.
        Zero-out neighbours are refused: what they leave of a row could be a key.

    Returns
    -------
    Release
        Its value is a dict of counts by key, or a list of counts with ``.edges``.

    Examples
    --------
    >>> import throng as tg
    >>> tg.release.histogram(["A", "B", "A"], keys=["A", "B", "C"], epsilon=50).value
    {'A': 2, 'B': 1, 'C': 0}
    >>> tg.release.histogram(["A"] * 100 + ["B"], epsilon=5, delta=1e-6).value
    {'A': ...}
    >>> tg.release.histogram([3, 17, 64, 18], bins=[0, 18, 65], epsilon=50).value
    [2, 2]
    """
    ask = _ask("histogram", epsilon, delta, gdp, zcdp, neighbours, budget)
    owners = None
    if unit is not None:
        same_table(data, unit)
        owners = (_keys(unit), _whole("max_keys", max_keys), _whole("max_rows", max_rows))
    elif (max_keys, max_rows) != (1, 1):
        raise InvalidInput("max_keys and max_rows need unit", "say whose row it is with unit=")
    if bins is not None:
        if keys is not None or noise is not None:
            raise InvalidInput("bins are given beside keys or noise", "give one of them")
        edges = _edges(bins, lower, upper)
        made = _native.release_bins(_numbers(data), owners, edges, ask)
        return Release("histogram", made, made.whole(), edges)
    if lower is not None or upper is not None:
        raise InvalidInput("lower and upper need bins", "say how many: bins=10")
    listed = None if keys is None else _listed(keys)
    if listed is not None and noise is not None:
        raise InvalidInput("noise is chosen for private keys only", "leave keys or noise out")
    made = _native.release_histogram(_keys(data), owners, listed, noise, ask)
    counts = dict(zip(made.keys() or [], made.whole() or [], strict=True))
    if listed is not None:
        counts = {key: counts[_shown(key, counts)] for key in listed}
    return Release("histogram", made, counts)


def bounds(
    data: Column,
    *,
    step: Number = "1/16",
    beta: Number = 1e-6,
    epsilon: Number | None = None,
    delta: Number | None = None,
    gdp: Number | None = None,
    zcdp: Number | None = None,
    neighbours: str | None = None,
    budget: Budget | None = None,
) -> Release:
    """Bounds of a column, found privately: powers of two between which its numbers seem to lie.

    For when nothing is known without the data. Bounds that are known are better: these cost budget, and
    leave out what few records have.

    Parameters
    ----------
    data : column
        The numbers; each row is a unit.
    step : number
        Numbers are rounded to multiples of at most this, a power of two: the smallest magnitude that is
        told from 0.
    beta : number
        The chance that a bound is one that no record is near; at most.
    epsilon, delta, gdp, zcdp, neighbours, budget
        As for :func:`count`.

    Returns
    -------
    Release
        Its value is (lower, upper), or None if too few records are anywhere.

    Examples
    --------
    >>> import throng as tg
    >>> tg.release.bounds([5.0] * 1000 + [100.0] * 1000, epsilon=1).value
    (4.0, 127.9375)
    """
    ask = _ask("bounds", epsilon, delta, gdp, zcdp, neighbours, budget)
    made = _native.release_bounds(_numbers(data), step, beta, ask)
    ends = made.values()
    return Release("bounds", made, (ends[0], ends[1]) if ends else None)


def noise(
    values: Column,
    *,
    sensitivity: Number = 1,
    cells: int = 1,
    integers: bool = False,
    epsilon: Number | None = None,
    delta: Number | None = None,
    gdp: Number | None = None,
    zcdp: Number | None = None,
    neighbours: str | None = None,
    budget: Budget | None = None,
) -> Release:
    """Noise on numbers that were computed elsewhere, such as counts or sums.

    One unit must change at most `cells` of them by at most `sensitivity` each. Only you can know that this
    is so; if it is not, the guarantee is wrong. How many numbers there are is published.

    Parameters
    ----------
    values : column
        The numbers.
    sensitivity : number
        How much one unit changes a number, at most.
    cells : int
        How many numbers one unit changes, at most.
    integers : bool
        Numbers are whole; others are rounded down.
    epsilon, delta, gdp, zcdp, neighbours, budget
        As for :func:`count`.

    Returns
    -------
    Release
        Its value is a list.

    Examples
    --------
    >>> import throng as tg
    >>> tg.release.noise([120, 97], integers=True, epsilon=50).value
    [120, 97]
    """
    ask = _ask("noise", epsilon, delta, gdp, zcdp, neighbours, budget)
    each = _whole("cells", cells)
    made = _native.release_noise(_cells(values), sensitivity, each, integers, ask)
    whole = made.whole() if integers else None
    return Release("noise", made, made.values() if whole is None else whole)


def _whole(name: str, number: int) -> int:
    try:
        whole = int(number.__index__())
    except (AttributeError, TypeError):
        whole = 0
    if not 1 <= whole < 2**63:
        raise InvalidInput(
            f"{name} is {number!r}, but must be a whole number of at least 1", "choose another"
        )
    return whole


def _exact(number: Number) -> Any:
    from fractions import Fraction

    try:
        return Fraction(str(number)) if isinstance(number, float) else Fraction(number)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise InvalidInput(
            f"{number!r} is not a finite number",
            "give a number such as 0.5, 1e-5, Fraction(1, 3) or '256/60000'",
        ) from None


def _edges(
    bins: Sequence[float] | int, lower: float | None, upper: float | None
) -> list[float]:
    if isinstance(bins, int):
        if lower is None or upper is None:
            raise InvalidInput(
                "bins is a number, but lower and upper are not given",
                "give public edges, or lower and upper: the data must not choose them",
            )
        ends, pieces = (_exact(lower), _exact(upper)), _whole("bins", bins)
        if pieces >= 2**32:
            raise InvalidInput("there are more than 2^32 bins", "give fewer")
        width = ends[1] - ends[0]
        return [float(ends[0] + width * place / pieces) for place in range(pieces + 1)]
    if lower is not None or upper is not None:
        raise InvalidInput("lower and upper are given beside edges", "leave them out")
    try:
        return [float(edge) for edge in bins]
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(
            "the edges of bins are not two or more rising numbers",
            "give public edges such as [0, 18, 65, 120]",
        ) from None


def _listed(keys: Iterable[Any]) -> list[Any]:
    try:
        return list(dict.fromkeys(keys))
    except TypeError:
        raise InvalidInput("the keys are no list of keys", "give keys=[...]") from None


def _shown(key: Any, among: Mapping[Any, Any]) -> Any:
    """A key as it comes back: what is no number, text or None is the text it prints as."""
    try:
        if key in among:
            return key
    except TypeError:
        pass
    if key != key:  # NaN
        return None
    if hasattr(key, "item") and key.item() in among:
        return key.item()
    return str(key)


