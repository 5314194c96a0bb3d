"""SQL on private tables: those of a policy, or data frames in memory."""

from __future__ import annotations

import enum
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from html import escape
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Self

from throng import _native
from throng._bracket import Bracket
from throng._budget import Budget, current
from throng._errors import InvalidInput
from throng._guarantee import Guarantee
from throng._mechanism import Mechanism
from throng._number import Number
from throng._optional import needed

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped]
    import polars
    import pyarrow  # type: ignore[import-untyped]

#: The name of the table if a session has one frame only.
DATA: Final = "data"

#: The policy that is looked for in a folder.
POLICY: Final = "throng.toml"


class _Unit(enum.Enum):
    """Each row is a unit of its own: rows are protected, not people."""

    ROW = "row"

    def __repr__(self) -> str:
        return "throng.ROW"


#: Each row is a unit of its own: rows are protected, not people.
ROW: Final = _Unit.ROW

#: Whose a row is: the column that says so, or `ROW`.
Unit = str | Literal[_Unit.ROW]

#: The range of a column that is summed, or "auto" to have one chosen privately.
Bounds = tuple[Number, Number] | Literal["auto"]


class Session:
    """Private tables in memory, what is allowed, and their budget, ready to be asked in SQL.

    Frames are anything that Arrow's interface can read: pandas, polars, pyarrow, DuckDB. Their columns
    are shared, never copied; do not change them while the session lives. A dictionary of lists is
    copied. One frame is the table ``data``; several come with their names:
    ``Session({"visits": df, "people": other}, ...)``.

    Nothing about rows decides how a question is planned, what it costs, or whether it fails.
    :meth:`sql` pays before a row is read; :meth:`explain` reads none and pays nothing. The same
    question again is free as long as the session lives.

    Parameters
    ----------
    frames : frame, or dict of frames
        The private tables.
    unit : str or ROW, or dict of these by table
        Who is protected: the column that says whose row it is, or ``throng.ROW`` if each row is
        somebody else's.
    budget : Budget, number or (epsilon, delta), optional
        What all questions together may cost; one number is a pure epsilon. That of ``ledger`` or of
        the surrounding ``with`` if left out. One budget protects one kind of unit.
    bounds : dict of (lower, upper) or "auto", optional
        The ranges of columns that are summed, by column or ``table.column``; what is beyond counts as the
        end. Never taken from the data: that would tell two people's values.
    keys : dict of lists, optional
        Values of columns that everybody may know: all are shown, and no others.
    max_groups, max_rows : int, optional
        Of one unit at most so many groups count, and so many rows in each; chosen privately if left
        out.
    neighbours : {"add-remove", "replace", "zero-out"}, optional
        What it means that two data sets differ in one unit; that of the budget if left out.
    ledger : path, optional
        Keep the budget in this file; made if there is none.
    public : dict of frames, optional
        Tables that everybody may know: not protected at all.

    Examples
    --------
    >>> import throng as tg
    >>> visits = {"person": [1, 1, 2, 3] * 50, "clinic": ["Oak", "Elm", "Oak", "Elm"] * 50}
    >>> session = tg.Session(
    ...     visits, unit="person", budget=(3, 1e-6),
    ...     keys={"clinic": ["Oak", "Elm"]}, max_groups=2, max_rows=100,
    ... )
    >>> question = "SELECT clinic, count(*) AS visits FROM data GROUP BY clinic"
    >>> round(session.explain(question, epsilon=1).cost["epsilon"], 3)
    1.0
    >>> result = session.sql(question, epsilon=1)
    >>> [row["clinic"] for row in result]
    ['Elm', 'Oak']
    >>> result.cost["epsilon"] <= 1  # what the noise costs, at most what was said
    True
    >>> session.budget
    <Budget epsilon=3, delta=1e-06; left: epsilon=2...>
    >>> session.sql(question, epsilon=1).fresh  # the same question again is free
    False
    """

    __slots__ = ("_budget", "_native", "__weakref__")

    def __init__(
        self,
        frames: object,
        *,
        unit: Unit | Mapping[str, Unit] | None = None,
        budget: Budget | Number | tuple[Number, Number] | None = None,
        bounds: Mapping[str, Bounds] | None = None,
        keys: Mapping[str, Iterable[object]] | None = None,
        max_groups: int | None = None,
        max_rows: int | None = None,
        neighbours: str | None = None,
        ledger: str | PathLike[str] | None = None,
        public: Mapping[str, object] | None = None,
    ) -> None:
        private = _named(frames)
        units = _units(unit, private)
        tables = [
            (name, _frame(name, frame), *units[name]) for name, frame in private.items()
        ] + [(name, _frame(name, frame), "public", None) for name, frame in (public or {}).items()]
        ranges = [(column, _range(column, said)) for column, said in (bounds or {}).items()]
        listed = [(column, _keys(column, said)) for column, said in (keys or {}).items()]
        self._budget: Budget | None = _budget(budget, neighbours, ledger)
        self._native = _native.Session.of_frames(
            tables, ranges, listed, (max_groups, max_rows), self._budget._native
        )

    @classmethod
    def _of_policy(cls, path: Path) -> Self:
        self = cls.__new__(cls)
        self._budget = None
        self._native = _native.Session.of_policy(path)
        return self

    def sql(
        self,
        text: str,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        mu: Number | None = None,
        error: str | Mapping[str, Number | tuple[Number, Number]] | None = None,
        weights: Mapping[str, Number] | None = None,
        noise: Literal["auto", "laplace", "gaussian"] | None = None,
        confidence: Number | None = None,
        analyst: str | None = None,
        non_negative: bool = False,
        consistent: bool = False,
    ) -> Result:
        """Ask, pay and answer; what is answered already is free.

        The charge is made before a row is read and cannot be undone. Ctrl-C stops the work; what was
        paid stays paid.

        Parameters
        ----------
        text : str
            One SELECT, or several with ``;`` between them, which are paid for together.
        epsilon, delta : number, optional
            At most this; groups whose keys are not listed need a delta. The policy's ``[query]`` if
            nothing is said.
        rho, mu : number, optional
            Instead: rho of zero-concentrated or mu of Gaussian privacy.
        error : dict or str, optional
            Instead: as little as gives these errors, by column: ``{"visits": 50}``, or ``(50, 0.9)``
            with a confidence; or as on the command line: ``"visits: 50 @90%"``.
        weights : dict, optional
            How much columns matter beside the others.
        noise : {"auto", "laplace", "gaussian"}, optional
            Which noise; the one with the smaller error if not given.
        confidence : number, optional
            The chance that an interval holds the answer before noise; 0.95 if nothing is said.
        analyst : str, optional
            Who asks, where the policy gives analysts quotas.
        non_negative, consistent : bool
            Counts are not shown below 0; totals equal the sums of their parts. Both cost nothing.

        Returns
        -------
        Result

        Raises
        ------
        InvalidInput
            Something to fix; nothing was spent.
        Refused
            The question would leak; nothing was spent.
        BudgetExhausted
            The budget does not cover it; nothing was spent.
        """
        asked = _asked(epsilon, delta, rho, mu, error, weights, noise, confidence, analyst)
        reply = self._native.ask(_text(text), asked, bool(non_negative), bool(consistent))
        return Result(reply, self)

    def explain(
        self,
        text: str,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        mu: Number | None = None,
        error: str | Mapping[str, Number | tuple[Number, Number]] | None = None,
        weights: Mapping[str, Number] | None = None,
        noise: Literal["auto", "laplace", "gaussian"] | None = None,
        confidence: Number | None = None,
        analyst: str | None = None,
    ) -> Explanation:
        """Say what a question would do and cost: no row is read, nothing is spent or written.

        Parameters are those of :meth:`sql`.

        Returns
        -------
        Explanation
            Prints as ``throng explain`` does.

        Examples
        --------
        >>> import throng as tg
        >>> session = tg.Session({"x": [1.0, 2.0]}, unit=tg.ROW, budget=1, bounds={"x": (0, 10)})
        >>> print(session.explain("SELECT sum(x) AS x FROM data", epsilon=0.5))
        SELECT sum(x) AS x FROM data
        ...
        budget: epsilon = 1, spent epsilon = 0
        left afterwards: epsilon = 0.5...
        """
        asked = _asked(epsilon, delta, rho, mu, error, weights, noise, confidence, analyst)
        return Explanation(*self._native.explain(_text(text), asked))

    @property
    def budget(self) -> Budget:
        """What may be spent, is spent and is left."""
        if self._budget is None:
            native = self._native.budget()
            assert native is not None
            self._budget = Budget._of(native)
        return self._budget

    def remaining(self, analyst: str | None = None) -> dict[str, float]:
        """What is left, for everybody or for one analyst, rounded down."""
        return dict(self._native.remaining(analyst))

    @property
    def neighbours(self) -> str:
        """What it means that two data sets differ in one unit."""
        return self._native.neighbours

    @property
    def tables(self) -> dict[str, dict[str, Any]]:
        """The tables: whose their rows are (``"unit"``) and their columns with types."""
        return {
            name: {"unit": unit, "columns": dict(columns)}
            for name, unit, columns in self._native.tables()
        }

    @property
    def notes(self) -> list[str]:
        """What is allowed here but looks unwise."""
        return list(self._native.warnings)

    def history(
        self, limit: int | None = None, *, analyst: str | None = None
    ) -> list[dict[str, Any]]:
        """What was asked and what it cost, the newest first, as ``throng ledger history --json``."""
        return list(json.loads(self._native.history(limit, analyst)))

    def __repr__(self) -> str:
        return f"<Session {', '.join(self.tables)}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(name)}</td><td>{escape(str(table['unit']))}</td>"
            f"<td>{escape(', '.join(table['columns']))}</td></tr>"
            for name, table in self.tables.items()
        )
        head = "<tr><th>table</th><th>unit</th><th>columns</th></tr>"
        return f"<table>{head}{rows}</table>{self.budget._repr_html_()}"


def connect(path: str | PathLike[str] = POLICY) -> Session:
    """Open the tables of a policy and their ledger.

    Parameters
    ----------
    path : path
        The owner's policy, or a folder with a ``throng.toml``.

    Returns
    -------
    Session
        Its questions are paid from the ledger of the policy, which the command line and other
        processes use too. The ledger is made with the first question.

    Examples
    --------
    >>> import throng as tg
    >>> session = tg.connect("clinic/throng.toml")  # doctest: +SKIP
    >>> session.sql("SELECT clinic, count(*) AS n FROM visits GROUP BY clinic")  # doctest: +SKIP
    """
    where = Path(fspath(path))
    return Session._of_policy(where / POLICY if where.is_dir() else where)


class Explanation:
    """What a question would do and cost.

    Attributes
    ----------
    text : str
        As ``throng explain`` prints it.
    data : dict
        As ``throng explain --json`` prints it.
    """

    __slots__ = ("data", "text")

    def __init__(self, text: str, data: str) -> None:
        self.text = text
        self.data: dict[str, Any] = json.loads(data)

    @property
    def cost(self) -> dict[str, float] | None:
        """What it would cost, rounded up; nothing if it is free."""
        cost: dict[str, float] | None = self.data["cost"]
        return cost

    @property
    def left(self) -> dict[str, float] | None:
        """What would be left; nothing if it is free, or not covered."""
        left: dict[str, float] | None = self.data["left"]
        return left

    @property
    def stored(self) -> bool:
        """Whether the answer is stored, and free."""
        return bool(self.data["stored"])

    @property
    def warnings(self) -> list[str]:
        """What looks wrong."""
        return list(self.data["warnings"])

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text)}</pre>"


class Table:
    """One released table: keys, noisy numbers, and the ends of their intervals.

    A noisy column ``x`` comes with ``x_low`` and ``x_high``, unless ``intervals=False`` is said.
    """

    __slots__ = ("_native", "confidence")

    def __init__(self, native: _native.ReleasedTable, confidence: float) -> None:
        self._native = native
        #: The chance that an interval holds the answer before noise.
        self.confidence = confidence

    @property
    def columns(self) -> list[str]:
        """The names of the columns, without the ends of intervals."""
        return [name for name, _, _, _ in self._native.columns]

    def rows(self, *, intervals: bool = True) -> list[dict[str, Any]]:
        """The rows as dictionaries: numbers, text, dates, True and False, None."""
        columns = self.to_dict(intervals=intervals)
        return [dict(zip(columns, row)) for row in zip(*columns.values())]

    def to_dict(self, *, intervals: bool = True) -> dict[str, list[Any]]:
        """The columns as lists."""
        return {
            name: [_value(kind, cell) for cell in cells]
            for name, kind, cells in self._native.values(intervals)
        }

    def interval(self, column: str) -> list[tuple[float | None, float | None]]:
        """The intervals of a column, row by row; None where an end is not finite."""
        ends = self._native.ends(column)
        if ends is None:
            noisy = [name for name, _, _, has in self._native.columns if has]
            raise InvalidInput(
                f"there is no column {column} with intervals", f"one of: {', '.join(noisy)}"
            )
        return ends

    def to_arrow(self, *, intervals: bool = True) -> pyarrow.Table:
        """As a pyarrow table."""
        return needed("pyarrow").table(_Stream(self._native, intervals))

    def to_polars(self, *, intervals: bool = True) -> polars.DataFrame:
        """As a polars data frame."""
        frame: polars.DataFrame = needed("polars").DataFrame(_Stream(self._native, intervals))
        return frame

    def to_pandas(self, *, intervals: bool = True) -> pandas.DataFrame:
        """As a pandas data frame."""
        frame = needed("pandas").DataFrame
        try:
            return self.to_arrow(intervals=intervals).to_pandas()
        except ModuleNotFoundError:
            return frame(self.to_dict(intervals=intervals))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return self._native.rows

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows())

    def __repr__(self) -> str:
        return self._native.text(True).rstrip("\n")

    def _repr_html_(self) -> str:
        columns = self._native.columns
        ends = {name: self.interval(name) for name, _, _, has in columns if has}
        values = self.to_dict(intervals=False)
        head = "".join(f"<th>{escape(name)}</th>" for name in values)
        body = "".join(
            "<tr>"
            + "".join(_cell(cells[row], ends[name][row] if name in ends else None)
                      for name, cells in values.items())
            + "</tr>"
            for row in range(len(self))
        )
        drawn = self._native.svg() if ends and 1 < len(self) <= 30 else ""
        return f"<table><tr>{head}</tr>{body}</table>{drawn}"


class Result:
    """The answer to a question: a table with error bars, what it cost, what is left.

    With several statements there are several :attr:`tables`; otherwise the methods of the one table
    are here too.
    """

    __slots__ = ("_native", "_session", "tables")

    def __init__(self, native: _native.Reply, session: Session) -> None:
        self._native = native
        self._session = session
        #: One for each statement.
        self.tables: tuple[Table, ...] = tuple(
            Table(table, native.confidence) for table in native.tables
        )

    @property
    def table(self) -> Table:
        """The table, if there is one statement."""
        if len(self.tables) != 1:
            raise InvalidInput(
                f"there are {len(self.tables)} tables, one for each statement",
                "take one of them: result.tables[0]",
            )
        return self.tables[0]

    # What it cost.

    @property
    def guarantee(self) -> Guarantee | None:
        """What protects everybody in the data; None if only public tables were read."""
        if self._native.promise is None:
            return None
        spec = self._native.promise[0]
        return Guarantee(
            Mechanism(spec, neighbours=self._session.neighbours),
            cost=dict(self.cost),
            receipt=self.receipt,
            asked=self.delta,
        )

    @property
    def epsilon(self) -> Bracket:
        """Epsilon of this answer at :attr:`delta`; the upper end is the promise."""
        if self._native.promise is None:
            return Bracket(0.0, 0.0)
        return Bracket(*self._native.promise[2:])

    @property
    def delta(self) -> float:
        """The delta that :attr:`epsilon` belongs to."""
        return 0.0 if self._native.promise is None else self._native.promise[1]

    @property
    def cost(self) -> dict[str, float]:
        """What was charged when the answer was fresh, in the currency of the budget, rounded up."""
        return dict(self._native.charged or ())

    @property
    def remaining(self) -> dict[str, float]:
        """What was left after this answer, rounded down."""
        return dict(self._native.remaining)

    @property
    def budget(self) -> Budget:
        """What it was paid from, as it stands now."""
        return self._session.budget

    @property
    def receipt(self) -> str | None:
        """The number and the digest of the charge."""
        return self._native.receipt

    @property
    def fresh(self) -> bool:
        """Whether it was paid for now; a stored answer is free."""
        return self._native.fresh

    @property
    def notes(self) -> list[str]:
        """What to know beside the numbers: groups not shown, bounds chosen, rows left out."""
        return list(self._native.notes)

    @property
    def clipping(self) -> list[tuple[float, float, float]]:
        """What bounds on contributions seem to leave out: share, least, most."""
        return list(self._native.clipping)

    @property
    def confidence(self) -> float:
        """The chance that an interval holds the answer before noise."""
        return self._native.confidence

    def explain(self) -> Explanation:
        """How it was planned."""
        return Explanation(*self._native.explained())

    # The table.

    @property
    def columns(self) -> list[str]:
        """The names of the columns, without the ends of intervals."""
        return self.table.columns

    def rows(self, *, intervals: bool = True) -> list[dict[str, Any]]:
        """The rows as dictionaries; see :meth:`Table.rows`."""
        return self.table.rows(intervals=intervals)

    def to_dict(self, *, intervals: bool = True) -> dict[str, list[Any]]:
        """The columns as lists."""
        return self.table.to_dict(intervals=intervals)

    def interval(self, column: str) -> list[tuple[float | None, float | None]]:
        """The intervals of a column, row by row."""
        return self.table.interval(column)

    def to_arrow(self, *, intervals: bool = True) -> pyarrow.Table:
        """As a pyarrow table."""
        return self.table.to_arrow(intervals=intervals)

    def to_polars(self, *, intervals: bool = True) -> polars.DataFrame:
        """As a polars data frame."""
        return self.table.to_polars(intervals=intervals)

    def to_pandas(self, *, intervals: bool = True) -> pandas.DataFrame:
        """As a pandas data frame."""
        return self.table.to_pandas(intervals=intervals)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self.table)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.table)

    def __str__(self) -> str:
        return "\n\n".join(map(repr, self.tables))

    def __repr__(self) -> str:
        return f"{self}\n\n{self._native.talk().rstrip()}"

    def _repr_html_(self) -> str:
        tables = "".join(table._repr_html_() for table in self.tables)
        return f"{tables}<pre>{escape(self._native.talk())}</pre>"


class _Stream:
    """A released table for whoever takes Arrow streams, with or without intervals."""

    __slots__ = ("_intervals", "_native")

    def __init__(self, native: _native.ReleasedTable, intervals: bool) -> None:
        self._native = native
        self._intervals = intervals

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema, self._intervals)


def _value(kind: str, cell: Any) -> Any:
    """A released cell; dates and times are text in Rust."""
    if isinstance(cell, str):
        try:
            if kind.startswith("Date"):
                return date.fromisoformat(cell[:10])
            if kind.startswith("Timestamp"):
                return datetime.fromisoformat(cell)
        except ValueError:
            # A year that Python does not know.
            return cell
    return cell


def _cell(value: Any, ends: tuple[float | None, float | None] | None) -> str:
    shown = f"{value:.6g}" if isinstance(value, float) else str(value)
    if ends is None:
        return f"<td>{escape(shown)}</td>"
    low, high = (f"{end:.6g}" if end is not None else "…" for end in ends)
    return f"<td>{escape(shown)} <small>[{low}, {high}]</small></td>"


def _text(sql: object) -> str:
    if not isinstance(sql, str):
        raise InvalidInput("the question is not text", "write SQL: 'SELECT count(*) FROM data'")
    return sql


def _asked(
    epsilon: Number | None,
    delta: Number | None,
    rho: Number | None,
    mu: Number | None,
    error: str | Mapping[str, Number | tuple[Number, Number]] | None,
    weights: Mapping[str, Number] | None,
    noise: str | None,
    confidence: Number | None,
    analyst: str | None,
) -> dict[str, Any]:
    """The options of ``throng query``, as Rust reads them."""
    return {
        "epsilon": epsilon,
        "delta": delta,
        "rho": rho,
        "mu": mu,
        "error": _errors(error),
        "weight": [f"{name}={factor}" for name, factor in (weights or {}).items()],
        "noise": noise,
        "confidence": confidence,
        "analyst": analyst,
    }


def _errors(error: str | Mapping[str, Number | tuple[Number, Number]] | None) -> list[str]:
    if error is None:
        return []
    if isinstance(error, str):
        return error.split(";")
    if not isinstance(error, Mapping):
        raise InvalidInput(
            "it is not said which column the error is of", "give error={'visits': 50}"
        )
    def one(name: str, wanted: Number | tuple[Number, Number]) -> str:
        if isinstance(wanted, tuple):
            size, level = wanted
            return f"{name}: {size} @{level}"
        return f"{name}: {wanted}"

    return [one(name, wanted) for name, wanted in error.items()]


def _is_frame(thing: object) -> bool:
    if isinstance(thing, Mapping):
        return True
    return hasattr(thing, "columns") or hasattr(thing, "schema")


def _named(frames: object) -> dict[str, object]:
    """Tables by name; a frame alone is called ``data``."""
    if isinstance(frames, Mapping) and frames and all(map(_is_frame, frames.values())):
        return {str(name): frame for name, frame in frames.items()}
    return {DATA: frames}


def _frame(name: str, frame: object) -> _native.Frame:
    if isinstance(frame, Mapping):
        return _native.Frame.of_columns(
            [(str(column), _list(str(column), values)) for column, values in frame.items()]
        )
    if type(frame).__module__.partition(".")[0] == "pandas":
        needed("pyarrow")
    if hasattr(frame, "__arrow_c_stream__") or hasattr(frame, "__arrow_c_array__"):
        try:
            return _native.Frame.of_arrow(frame)
        except InvalidInput as error:
            failed = error
        # Outside of the handler: what Arrow had to say may hold values, and is dropped for good.
        raise _unreadable(name, frame) or failed from None
    hint = "give a pandas, polars or pyarrow frame, or a dictionary of lists"
    if hasattr(frame, "collect"):
        hint = "collect it first: frame.collect()"
    raise InvalidInput(f"table {name} is not a frame but {type(frame).__name__}", hint)


def _unreadable(name: str, frame: Any) -> InvalidInput | None:
    """Which column of a pandas frame has no type of its own."""
    if type(frame).__module__.partition(".")[0] != "pandas":
        return None
    for column in frame.columns:
        try:
            _native.Frame.of_arrow(frame[[column]])
        except InvalidInput:
            return InvalidInput(
                f"table {name}: column {column} cannot be read: its values are not of one type",
                "convert it, for example with astype(str) or pandas.to_numeric",
            )
    return None


def _list(column: str, values: object) -> list[Any]:
    if hasattr(values, "tolist"):
        values = values.tolist()
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InvalidInput(
            f"column {column} is not a list of values", "give a dictionary of lists, or a frame"
        )
    return list(values)


def _units(
    unit: Unit | Mapping[str, Unit] | None, private: Mapping[str, object]
) -> dict[str, tuple[str, str | None]]:
    """Whose the rows of each table are, said for all tables or for each."""
    hint = (
        "give unit='user_id', the column that says whose row it is, or unit=throng.ROW if each "
        "row is somebody else's"
    )

    def one(said: object) -> tuple[str, str | None]:
        if said is ROW:
            return "row", None
        if isinstance(said, str) and said:
            return "column", said
        raise InvalidInput("it is not said who is protected", hint)

    if isinstance(unit, Mapping):
        strange = [name for name in unit if name not in private]
        if strange:
            known = ", ".join(private)
            raise InvalidInput(f"there is no private table {strange[0]}", f"one of: {known}")
        return {name: one(unit.get(name)) for name in private}
    said = one(unit)
    return {name: said for name in private}


def _range(column: str, said: object) -> tuple[Number, Number] | None:
    if said == "auto":
        return None
    if isinstance(said, Sequence) and not isinstance(said, str) and len(said) == 2:
        return said[0], said[1]
    raise InvalidInput(
        f"the bounds of {column} are not a pair", f"give bounds={{{column!r}: (0, 100)}}, or 'auto'"
    )


def _keys(column: str, said: object) -> list[object]:
    if isinstance(said, (str, bytes)) or not isinstance(said, Iterable):
        raise InvalidInput(
            f"the keys of {column} are not a list", f"give keys={{{column!r}: ['a', 'b']}}"
        )
    return list(said)


def _budget(
    said: Budget | Number | tuple[Number, Number] | None,
    neighbours: str | None,
    ledger: str | PathLike[str] | None,
) -> Budget:
    hint = "give budget=(1, 1e-6), a number, or a throng.Budget"
    if said is None and ledger is None:
        said = current(None)
    if isinstance(said, Budget):
        if ledger is not None:
            raise InvalidInput("the budget has its own place", "give budget or ledger, not both")
        made = said
    elif said is None and ledger is None:
        raise InvalidInput("it is not said what may be spent", hint)
    elif said is None:
        made = Budget(ledger=ledger)
    else:
        relation = "add-remove" if neighbours is None else neighbours
        epsilon, delta = said if isinstance(said, tuple) and len(said) == 2 else (said, None)
        if isinstance(epsilon, tuple):
            raise InvalidInput("the budget is not a pair", hint)
        made = Budget(epsilon, delta, neighbours=relation, ledger=ledger)
    if neighbours is not None and neighbours != made.neighbours:
        raise InvalidInput(
            f"the budget is for {made.neighbours} and not {neighbours} neighbours",
            "leave neighbours out, or give a budget of the same relation",
        )
    return made
