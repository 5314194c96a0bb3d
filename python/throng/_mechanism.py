"""Mechanisms as people write them, and everything that is read off their privacy loss."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, cast, overload

from throng import _native
from throng._bracket import Bracket
from throng._errors import InvalidInput
from throng._number import Number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: What it means that two data sets differ in one unit.
Neighbours = Literal["add-remove", "replace", "zero-out"]

#: What a curve shows.
Kind = Literal["tradeoff", "profile", "renyi"]

#: How narrow brackets are, relatively, if nothing is said.
WIDTH = 1e-4


class Hole:
    """The one number of a template that :func:`calibrate` is to find."""

    def __repr__(self) -> str:
        return "?"


def text_of(number: Number | Hole) -> str:
    """A number as the expression language writes it."""
    if isinstance(number, Hole):
        return "?"
    if isinstance(number, bool):
        raise _no_number(number)
    if isinstance(number, str):
        if number and set(number) <= set("0123456789eE+-./? "):
            return number
        raise _no_number(number)
    if isinstance(number, (int, Decimal)):
        return str(number)
    if isinstance(number, Fraction):
        return f"{number.numerator}/{number.denominator}"
    try:
        # numpy's numbers too: the text is that of Python's own float.
        return repr(float(number))
    except (TypeError, ValueError):
        raise _no_number(number) from None


def _no_number(number: object) -> InvalidInput:
    shown = repr(number)[:60]
    return InvalidInput(
        f"{shown} is not a number", "give a number such as 0.5, 1e-5, Fraction(1, 3) or '256/60000'"
    )


class Expression:
    """What mechanisms and templates share: they can be put together."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text

    def _made(self, text: str) -> Mechanism:
        return made(text, like=self)

    def __mul__(self, times: int | Hole) -> Mechanism:
        # `hole * mechanism` comes here too, by way of __rmul__.
        if isinstance(times, Hole):
            return self._made(f"repeated({self}, times=?)")
        if isinstance(times, bool) or not hasattr(times, "__index__"):
            return NotImplemented
        return self._made(f"repeated({self}, times={times.__index__()})")

    __rmul__ = __mul__

    def __add__(self, other: Expression) -> Mechanism:
        if not isinstance(other, Expression):
            return NotImplemented
        return self._made(f"composed({self}, {other})")

    def __radd__(self, other: object) -> Mechanism:
        # So that sum() works.
        return cast(Mechanism, self) if other == 0 else NotImplemented

    def sampled(self, rate: Number | Hole) -> Mechanism:
        """Run on a sample that holds each unit independently with chance `rate`."""
        return self._made(f"sampled({self}, rate={text_of(rate)})")

    def without_replacement(self, batch: int | Hole, population: int | Hole) -> Mechanism:
        """Run on a uniformly random set of exactly `batch` of the `population` units."""
        counts = f"batch={text_of(batch)}, population={text_of(population)}"
        return self._made(f"without_replacement({self}, {counts})")

    def shuffled(self, users: int | Hole) -> Mechanism:
        """A local randomiser run by each of the `users`, whose reports are shuffled."""
        return self._made(f"shuffled({self}, users={text_of(users)})")

    def allocated(self, steps: int | Hole, chosen: int | Hole = 1) -> Mechanism:
        """Each unit takes part in `chosen` of `steps` runs, chosen uniformly at random."""
        return self._made(f"allocated({self}, steps={text_of(steps)}, chosen={text_of(chosen)})")

    def group(self, size: int | Hole) -> Mechanism:
        """The guarantee for `size` units changed together."""
        return self._made(f"group({self}, size={text_of(size)})")

    def postprocessed(self) -> Mechanism:
        """Anything computed from the output: as private as the output."""
        return self._made(f"postprocessed({self})")

    def quantised(self, cuts: Iterable[Number]) -> Mechanism:
        """The mechanism seen only up to the cells between the cuts."""
        return self._made(f"quantised({self}, cuts=[{', '.join(map(text_of, cuts))}])")


class Template(Expression):
    """A mechanism with one number missing, for :func:`calibrate`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<Template {self}>"


class Mechanism(Expression):
    """A mechanism as plain data, and what it guarantees.

    Mechanisms are made by functions such as :func:`throng.gaussian`, or read from an expression, the
    same as on the command line. They are put together by ``+`` (both on the same data), ``n *`` (n
    times), and methods such as :meth:`sampled`.

    Parameters
    ----------
    text : str
        An expression, such as ``"100 * gaussian(sigma=50) + laplace(scale=2)"``.
    neighbours : {"add-remove", "replace", "zero-out"}
        What it means that two data sets differ in one unit.
    width : float
        How narrow brackets are asked for, relatively; what is promised is the bracket.

    Examples
    --------
    >>> import throng as tg
    >>> training = 14062 * tg.gaussian(sigma=0.8).sampled(rate="256/60000") + tg.laplace(scale=2)
    >>> print(training)
    14062 * sampled(gaussian(sigma=0.8), rate=8/1875) + laplace(scale=2)
    >>> epsilon = training.epsilon(delta=1e-5)
    >>> epsilon.lower <= float(epsilon) == epsilon.upper
    True
    >>> print(f"{epsilon:.4f}")
    4.8952
    >>> tg.gaussian(sigma=1).tradeoff(0.05).lower  # an attacker with 5 % false alarms misses so many
    0.740...
    """

    __slots__ = ("_spec", "_neighbours", "_width", "_loss_cache")

    def __init__(
        self, text: str, *, neighbours: str = "add-remove", width: float = WIDTH
    ) -> None:
        self._spec = _native.Spec(str(text))
        super().__init__(str(self._spec))
        self._neighbours = neighbours
        self._width = float(width)
        self._loss_cache: _native.Loss | None = None

    # What it is.

    @property
    def neighbours(self) -> str:
        """What it means that two data sets differ in one unit."""
        return self._neighbours

    def under(self, neighbours: str | None = None, *, width: float | None = None) -> Mechanism:
        """The same mechanism, looked at under another relation or more closely.

        Parameters
        ----------
        neighbours : {"add-remove", "replace", "zero-out"}, optional
        width : float, optional
            How narrow brackets are asked for, relatively.

        Examples
        --------
        >>> import throng as tg
        >>> tg.gaussian(sigma=1).under("replace").epsilon(delta=1e-5).upper
        9.997...
        """
        other = Mechanism.__new__(Mechanism)
        other._text, other._spec = self._text, self._spec
        other._neighbours = self._neighbours if neighbours is None else neighbours
        other._width = self._width if width is None else float(width)
        other._loss_cache = None
        return other

    def to_json(self) -> str:
        """The mechanism as a JSON document; numbers stay exact."""
        return self._spec.to_json()

    @classmethod
    def from_json(cls, text: str, *, neighbours: str = "add-remove") -> Mechanism:
        """Read what :meth:`to_json` wrote."""
        return cls(str(_native.Spec.from_json(text)), neighbours=neighbours)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mechanism):
            return NotImplemented
        return (self._spec, self._neighbours) == (other._spec, other._neighbours)

    def __hash__(self) -> int:
        return hash((str(self), self._neighbours))

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (str(self), self._neighbours, self._width)

    # What it guarantees.

    @property
    def _loss(self) -> _native.Loss:
        if self._loss_cache is None:
            self._loss_cache = _native.Loss(self._spec, self._neighbours, self._width)
        return self._loss_cache

    def epsilon(self, delta: Number = 0) -> Bracket:
        """Epsilon at a delta; the upper end is the promise.

        Parameters
        ----------
        delta : number
            The chance of anything worse; 0 asks for pure epsilon.

        Returns
        -------
        Bracket
        """
        return Bracket(*self._loss.epsilon(delta))

    def delta(self, epsilon: Number) -> Bracket:
        """Delta at an epsilon; the upper end is the promise."""
        return Bracket(*self._loss.delta(epsilon))

    @overload
    def tradeoff(self, alpha: Number) -> Bracket: ...
    @overload
    def tradeoff(self, alpha: Sequence[float]) -> Curve: ...
    def tradeoff(self, alpha: Any) -> Bracket | Curve:
        """The attacker's miss rate at a rate of false alarms; here the lower end is the promise.

        Parameters
        ----------
        alpha : number or sequence of numbers
            Of the units that are absent, the attacker accuses at most this share.

        Returns
        -------
        Bracket or Curve
            Of the units that are present, the attacker misses at least ``.lower``; a curve for
            several rates.
        """
        if _is_many(alpha):
            return self._curve_at("tradeoff", alpha)
        return Bracket(*self._loss.miss_rate(alpha), promise="lower")

    def renyi(self, order: Number) -> Bracket:
        """The Renyi divergence of an order above 1."""
        return Bracket(*self._loss.renyi(order))

    def zcdp(self) -> Bracket:
        """The smallest rho of zero-concentrated privacy."""
        return Bracket(*self._loss.zcdp())

    def gdp(self) -> Bracket:
        """The smallest mu of Gaussian privacy."""
        return Bracket(*self._loss.gdp())

    def advantage(self) -> Bracket:
        """Found minus false alarms, at the attacker's best rate: the total variation."""
        return Bracket(*self._loss.total_variation())

    def posterior(self, prior: Number, delta: Number = 0) -> float:
        """How sure an attacker can become that a unit is there, except with chance `delta`."""
        return self._loss.posterior(prior, delta)

    def attacker(self, false_alarm: Number = 0.01) -> str:
        """What an attacker can do, in a sentence.

        Examples
        --------
        >>> import throng as tg
        >>> tg.gaussian(sigma=1).attacker(0.01)
        'of 100 absent units an attacker accuses 1, of 100 present ones finds at most 9.3'
        """
        missed = self.tradeoff(false_alarm).lower
        alarms = float(Fraction(text_of(false_alarm)))
        found = math.ceil(1000 * (1 - missed)) / 10
        return (
            f"of 100 absent units an attacker accuses {100 * alarms:.3g}, "
            f"of 100 present ones finds at most {found:g}"
        )

    def curve(self, kind: Kind = "tradeoff", points: int = 101) -> Curve:
        """A whole curve.

        Parameters
        ----------
        kind : {"tradeoff", "profile", "renyi"}
            The miss rate by false alarms; delta by epsilon; the divergence by order.
        points : int
            How many points.

        Returns
        -------
        Curve
        """
        if points < 2:
            raise InvalidInput(f"points is {points}, but must be at least 2", "leave it out")
        steps = [i / (points - 1) for i in range(points)]
        if kind == "tradeoff":
            # Denser where curves bend: near both ends.
            return self._curve_at(kind, [x * x * (3 - 2 * x) for x in steps])
        if kind == "profile":
            most = min(self.epsilon(1e-10).upper, 100.0)
            return self._curve_at(kind, [most * x for x in steps])
        if kind == "renyi":
            return self._curve_at(kind, [1.01 * (64 / 1.01) ** x for x in steps])
        raise InvalidInput(f"there is no curve {kind!r}", "choose tradeoff, profile or renyi")

    def _curve_at(self, kind: Kind, places: Iterable[Any]) -> Curve:
        at = [float(place) for place in places]
        ask = {
            "tradeoff": self._loss.miss_rates,
            "profile": self._loss.deltas,
            "renyi": self._loss.renyis,
        }[kind]
        found = ask(at)
        lower, upper = [ends[0] for ends in found], [ends[1] for ends in found]
        return Curve(kind, str(self), at, lower, upper)

    def loss(self, cells: int = 64) -> list[tuple[float, float, Bracket]]:
        """The privacy loss as a histogram: (from, to, chance) when the unit is there."""
        return [(a, b, Bracket(p, q)) for a, b, p, q in self._loss.histogram(cells)]

    def compare(self, other: Mechanism) -> Comparison:
        """Which of two mechanisms reveals more, everywhere (Blackwell's order).

        Examples
        --------
        >>> import throng as tg
        >>> print(tg.gaussian(sigma=2).compare(tg.gaussian(sigma=1)))
        the first is more private: wherever they could be told apart, it reveals less
        """
        verdict, words, crossing = self._loss.compare(other.under(self._neighbours)._loss)
        return Comparison(verdict, words, crossing)

    def classical(self, delta: Number) -> dict[str, float | None]:
        """What older composition theorems say of epsilon at a delta; None where one does not apply."""
        rows = _native.classical_bounds(self._spec, self._neighbours, delta)
        return {name: epsilon for name, epsilon, _ in rows}

    def plot(
        self, kind: Kind | Literal["loss"] = "tradeoff", *, ax: Axes | None = None, **style: Any
    ) -> Axes:
        """Draw a curve with matplotlib; the band is what is certified.

        Parameters
        ----------
        kind : {"tradeoff", "profile", "renyi", "loss"}
        ax : matplotlib Axes, optional
        **style
            Passed to matplotlib's ``plot``.

        Returns
        -------
        matplotlib Axes
        """
        from throng import _plot

        if kind == "loss":
            return _plot.histogram(self.loss(), str(self), ax=ax, **style)
        return _plot.curve(self.curve(kind), ax=ax, **style)

    def __repr__(self) -> str:
        return f"<Mechanism {self}, neighbours {self._neighbours}>"

    def _repr_html_(self) -> str:
        from html import escape

        from throng import _spark

        rows = [f"<code>{escape(str(self))}</code>, neighbours {self._neighbours}"]
        try:
            pure = self.epsilon(0)
            shown = pure if pure.upper < 100 else self.epsilon(1e-5)
            at = "0" if shown is pure else "1e-5"
            rows += [f"epsilon at delta {at}: {shown}", self.attacker()]
            rows.append(_spark.tradeoff(self.curve("tradeoff", 41)))
        except (InvalidInput, ArithmeticError) as error:
            rows.append(escape(str(error)))
        return "<br>".join(rows)


def _unpickled(text: str, neighbours: str, width: float) -> Mechanism:
    return Mechanism(text, neighbours=neighbours, width=width)


def _is_many(value: Any) -> bool:
    return hasattr(value, "__iter__") and not isinstance(value, str)


def made(text: str, *, like: Expression | None = None) -> Mechanism:
    """A mechanism; it inherits the relation.

    If a number is missing it is a :class:`Template`, which only :func:`calibrate` asks for: for type
    checkers all words make mechanisms.
    """
    if "?" in text:
        return cast(Mechanism, Template(text))
    if isinstance(like, Mechanism):
        return Mechanism(text, neighbours=like._neighbours, width=like._width)
    return Mechanism(text)


def spec(text: str, *, neighbours: str = "add-remove") -> Mechanism:
    """Read an expression, the same as on the command line.

    Examples
    --------
    >>> import throng as tg
    >>> tg.spec("3 * laplace(scale=2)").epsilon()
    Bracket(lower=1.5, upper=1.5)
    """
    return Mechanism(text, neighbours=neighbours)


@dataclass(frozen=True)
class Curve:
    """Points of a curve, certified from both sides.

    Attributes
    ----------
    kind : {"tradeoff", "profile", "renyi"}
    of : str
        The mechanism.
    x : list of float
        False alarms, epsilon or orders.
    lower, upper : list of float
        What is certified there. The promise is the lower end of a trade-off curve, the upper end of
        the others.
    """

    kind: Kind
    of: str
    x: list[float]
    lower: list[float]
    upper: list[float]

    @property
    def promise(self) -> list[float]:
        """The end that is promised."""
        return self.lower if self.kind == "tradeoff" else self.upper

    def __len__(self) -> int:
        return len(self.x)

    def to_pandas(self) -> Any:
        """A data frame with columns x, lower and upper (needs pandas)."""
        from throng._optional import needed

        frame = needed("pandas")
        return frame.DataFrame({"x": self.x, "lower": self.lower, "upper": self.upper})

    def plot(self, *, ax: Axes | None = None, **style: Any) -> Axes:
        """Draw it with matplotlib."""
        from throng import _plot

        return _plot.curve(self, ax=ax, **style)

    def _repr_html_(self) -> str:
        from throng import _spark

        return _spark.curve(self)


@dataclass(frozen=True)
class Comparison:
    """How two mechanisms compare.

    Attributes
    ----------
    verdict : {"less private", "more private", "alike", "incomparable"}
        Of the first, wherever the two could be told apart.
    words : str
    crossing : tuple of float or None
        If incomparable: an epsilon where the first reveals more, and one where the second does.
    """

    verdict: str
    words: str
    crossing: tuple[float, float] | None

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True)
class Calibration:
    """A parameter that reaches its target.

    Attributes
    ----------
    value : float
        The parameter, as a float on which the target was certified.
    text : str
        The same as a short decimal, exactly.
    mechanism : Mechanism
        The mechanism with the value in place.
    achieved : Bracket
        What it achieves, in the currency of the target.
    """

    value: float
    text: str
    mechanism: Mechanism
    achieved: Bracket

    def __float__(self) -> float:
        return self.value


def calibrate(
    template: str | Template | Callable[[Any], Expression],
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    gdp: Number | None = None,
    zcdp: Number | None = None,
    fpr: Number | None = None,
    tpr: Number | None = None,
    advantage: Number | None = None,
    neighbours: str = "add-remove",
    width: float = WIDTH,
) -> Calibration:
    """Find the parameter that reaches a target: the smallest noise, the largest rate or count.

    Parameters
    ----------
    template : str, Template or callable
        A mechanism with one number missing: ``"gaussian(sigma=?)"``, or a function of that number.
    epsilon, delta : number
        Target: at most this epsilon at this delta.
    gdp, zcdp : number
        Target: at most this mu, or this rho.
    fpr, tpr : number
        Target: at this rate of false alarms at most this share of the members is found.
    advantage : number
        Target: found minus false alarms is at most this.

    Returns
    -------
    Calibration
        The target was checked, by its certified bound, at exactly the value returned.

    Examples
    --------
    >>> import throng as tg
    >>> found = tg.calibrate(lambda s: 100 * tg.gaussian(sigma=s), epsilon=1, delta=1e-6)
    >>> found.achieved.upper <= 1
    True
    >>> tg.calibrate("? * gaussian(sigma=50)", epsilon=1, delta=1e-6).value
    140.0
    """
    text = str(template if isinstance(template, (str, Expression)) else template(Hole()))
    if "?" not in text:
        raise InvalidInput(
            "no number is missing", "put ? in place of one number, or use the argument of the function"
        )
    named = {
        "epsilon": (epsilon, delta),
        "gdp": (gdp,),
        "zcdp": (zcdp,),
        "detection": (fpr, tpr),
        "advantage": (advantage,),
    }
    given = {name: numbers for name, numbers in named.items() if any(x is not None for x in numbers)}
    hint = "give epsilon with delta, gdp, zcdp, fpr with tpr, or advantage"
    if len(given) != 1:
        raise InvalidInput(f"{len(given)} targets given, but must be one", hint)
    [(name, numbers)] = given.items()
    if any(number is None for number in numbers):
        raise InvalidInput("half of a target is missing", hint)
    wanted = (name, [number for number in numbers if number is not None])
    value, found, ends = _native.calibrate(text, wanted, neighbours, width)
    mechanism = Mechanism(str(found), neighbours=neighbours, width=width)
    return Calibration(float(Fraction(value)), value, mechanism, Bracket(*ends))
