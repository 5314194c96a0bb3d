"""Try to break a claim."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from html import escape
from os import PathLike
from typing import TYPE_CHECKING, Any

from throng import _native
from throng._column import Column, keys as _keys, numbers as _numbers
from throng._errors import InvalidInput
from throng._mechanism import Mechanism, spec
from throng._number import Number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Runs in each world at most, if nothing is said.
_MOST = 1_000_000
#: Mechanisms that are acted out, and exhibits, roll the same dice each time.
_SEED = 1

#: Called with the runs so far in each world, their largest number, and how much of the evidence is there.
Watch = Callable[[int, int, float], object]


@dataclass(frozen=True)
class Witness:
    """The event that tells the two worlds apart, chosen before it was counted.

    Attributes
    ----------
    text : str
        The event in words.
    likelier_in : int
        The world in which it is more likely than the claim allows: 0 or 1.
    hits, runs : tuple of int
        How often it happened, of how many runs that certify, in world 0 and world 1.
    allowed : float
        The largest chance that the claim allows it in that world, at the rate seen in the other.
    """

    text: str
    likelier_in: int
    hits: tuple[int, int]
    runs: tuple[int, int]
    allowed: float
    _json: str

    def to_json(self) -> str:
        """What ``witness=`` and the option ``--witness`` of the command read."""
        return self._json


class AuditReport:
    """What an audit found: a certified statement about the mechanism.

    If the claim holds and runs are independent, the verdict is "violated" with a chance of at most
    ``false_alarm``, whatever the mechanism; "not violated" is no proof of the claim.

    Attributes
    ----------
    verdict : {"violated", "not violated"}
    violated : bool
    claim, neighbours : str
        What was claimed.
    false_alarm : float
        The largest chance that a claim that holds is said to be violated.
    p_value : float
        The smallest such chance at which the verdict would be "violated".
    epsilon : float
        The mechanism is not (epsilon, delta)-private for any smaller epsilon, at `delta`.
    mu : float
        It is not mu-Gaussian-private for any smaller mu.
    samples : int
        Runs in both worlds together; canaries, if it was those.
    witness : Witness or None
    curve : list of (float, float)
        What an attacker achieves at least: false alarms and misses.
    claimed : list of (float, float)
        The claimed curve.
    """

    def __init__(self, told: dict[str, Any]) -> None:
        self._told = told
        self.violated: bool = told["verdict"] == "violated"
        self.verdict = "violated" if self.violated else "not violated"
        self.claim: str = told["claim"]
        self.neighbours: str = told["neighbours"]
        self.false_alarm: float = told["false_alarm"]
        self.p_value: float = told["p_value"]
        self.epsilon: float = told["epsilon_lower"]
        self.delta: float = told["delta"]
        self.mu: float = told["mu_lower"]
        self.samples: int = told["samples"]
        self.explored: int = told.get("explored", 0)
        self.curve: list[tuple[float, float]] = told.get("curve", [])
        self.claimed: list[tuple[float, float]] = told.get("claimed", [])
        self.roc: list[tuple[float, float]] = told.get("roc", [])
        self.witness = _witness(told.get("witness"))

    @property
    def sentence(self) -> str:
        """The verdict in one line."""
        if self.violated:
            chance = _plain(self.false_alarm)
            return (
                f"violated: the target is less private than {self.claim} "
                f"(false alarm: at most {chance})"
            )
        return (
            f"not violated: these outcomes do not refute {self.claim}, which is no proof of it"
        )

    def _rows(self) -> list[tuple[str, str]]:
        rows = [
            (f"epsilon at delta {_plain(self.delta)}", f"at least {_down(self.epsilon)}"),
            ("mu of Gaussian privacy", f"at least {_down(self.mu)}"),
            ("p-value of the claim", f"at most {_up(self.p_value)}"),
        ]
        if "guesses" in self._told:
            included = self._told["included"]
            rows.append(("canaries", f"{self.samples}, of which {included} were included"))
            rows.append(("area under the curve of scores", f"{self._told['area']:.4f}"))
            for made, right, chance in self._told["guesses"]:
                rows.append((f"of {made} guesses", f"{right} right, p-value at most {_up(chance)}"))
        else:
            runs = f"{self.samples}, of which {self.explored} chose the event"
            rows.append(("runs in both worlds", runs))
        return rows

    def __repr__(self) -> str:
        rows = self._rows()
        wide = max(len(what) for what, _ in rows)
        text = [self.sentence, "", *(f"{what:<{wide}}  {bound}" for what, bound in rows)]
        if self.witness is not None:
            one = self.witness
            text += ["", f"witness: {one.text}"]
            for world in (0, 1):
                text.append(f"world {world}: {one.hits[world]} of {one.runs[world]} runs")
            text.append(
                f"at that rate in world {1 - one.likelier_in} the claim allows at most "
                f"{_up(one.allowed)} in world {one.likelier_in}"
            )
        return "\n".join(text)

    def _repr_html_(self) -> str:
        cells = "".join(
            f"<tr><td>{escape(what)}</td><td>{escape(bound)}</td></tr>"
            for what, bound in self._rows()
        )
        event = "" if self.witness is None else f"<p>witness: {escape(self.witness.text)}</p>"
        return f"<p><b>{escape(self.sentence)}</b></p><table>{cells}</table>{event}"

    def to_json(self) -> str:
        """All of it, with the keys of ``throng audit --json``."""
        told = dict(self._told)
        if told.get("witness") is not None:
            told["witness"] = json.loads(told["witness"])
        return json.dumps(_finite(told))

    def save(self, path: str | PathLike[str]) -> None:
        """Write what :meth:`to_json` gives into a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_json() + "\n")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the claimed curve, what an attacker is certified to reach, and the witness.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        from throng import _plot

        ax = _plot.axes(ax)
        if self.roc:
            ax.plot(*zip(*self.roc, strict=True), label="scores of the canaries")
            ax.plot([0, 1], [0, 1], color="0.6", linestyle=":", lw=1)
            ax.set_ylabel("found")
        else:
            if self.claimed:
                ax.plot(*zip(*self.claimed, strict=True), label=f"claimed: {self.claim}")
            if self.curve:
                ax.plot(*zip(*self.curve, strict=True), label="certified attacker")
            if self.witness is not None:
                _mark(ax, self.witness, self.false_alarm)
            ax.plot([0, 1], [1, 0], color="0.6", linestyle=":", lw=1)
            ax.set_ylabel("missed")
        ax.set_xlabel("false alarms")
        ax.set_xlim(0, 1)
        ax.set_ylim(0, 1)
        ax.set_aspect("equal")
        ax.legend()
        return ax


def _mark(ax: Axes, witness: Witness, miss: float) -> None:
    """The witness with intervals that hold both rates (Hoeffding), each but for half the chance."""
    rates = [hits / max(runs, 1) for hits, runs in zip(witness.hits, witness.runs, strict=True)]
    reach = [math.sqrt(math.log(4 / miss) / (2 * max(runs, 1))) for runs in witness.runs]
    there, other = witness.likelier_in, 1 - witness.likelier_in
    ax.errorbar(
        rates[other],
        1 - rates[there],
        xerr=reach[other],
        yerr=reach[there],
        fmt="o",
        capsize=2,
        label="witness",
    )


def _witness(text: str | None) -> Witness | None:
    if text is None:
        return None
    data = json.loads(text)
    return Witness(
        data["text"],
        0 if data["likelier_in"] == "Zero" else 1,
        (data["hits"][0], data["hits"][1]),
        (data["runs"][0], data["runs"][1]),
        data["allowed"],
        text,
    )


def _down(number: float) -> str:
    return _digits(number, ROUND_FLOOR)


def _up(number: float) -> str:
    return _digits(number, ROUND_CEILING)


def _digits(number: float, rounding: str) -> str:
    """A few digits, rounded to a side: what is printed is true."""
    if not math.isfinite(number) or number == 0:
        return "inf" if number == math.inf else f"{number:g}"
    short = Context(prec=4, rounding=rounding).plus(Decimal(number))
    return f"{short.normalize():g}"


def _plain(number: float) -> str:
    return f"{number:g}" if number == float(f"{number:g}") else repr(number)


def _finite(value: Any) -> Any:
    """JSON has no infinity: it is the text "inf"."""
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if value != value else ("inf" if value > 0 else "-inf")
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value


class _Bar:
    """A line on the terminal that says how far an audit is."""

    def __init__(self) -> None:
        self._shown = False

    def __call__(self, runs: int, most: int, evidence: float) -> None:
        share = runs / max(most, 1)
        bar = "#" * int(24 * share)
        found = f", evidence {evidence:.0%}" if evidence > 0 else ""
        sys.stderr.write(f"\r{runs} of {most} runs [{bar:<24}]{found} ")
        sys.stderr.flush()
        self._shown = True

    def close(self) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _watch(progress: bool | Watch) -> tuple[Watch | None, Callable[[], None]]:
    if callable(progress):
        return progress, lambda: None
    if progress and sys.stderr is not None and sys.stderr.isatty():
        bar = _Bar()
        return bar, bar.close
    return None, lambda: None


def _claimed(claim: Mechanism | str | Number, delta: Number | None) -> tuple[_native.Spec, str]:
    """The claim as a mechanism: a number is epsilon."""
    if isinstance(claim, Mechanism):
        return claim._spec, claim.neighbours
    if isinstance(claim, str) and "(" in claim:
        return spec(claim)._spec, "add-remove"
    from throng._mechanism import text_of

    epsilon = text_of(claim)
    if delta is None or delta == 0:
        return _native.Spec(f"pure(epsilon={epsilon})"), "add-remove"
    return _native.Spec(f"approx_dp(epsilon={epsilon}, delta={text_of(delta)})"), "add-remove"


def _asked(
    claim: Mechanism | str | Number,
    delta: Number | None,
    neighbours: str | None,
    confidence: Number,
    unit_in: int | None,
    nan: bool,
    unequal: bool,
    grid: Number | None,
) -> _native._Audit:
    claimed, relation = _claimed(claim, delta)
    if unit_in is not None and unit_in not in (0, 1):
        raise InvalidInput(f"unit_in is {unit_in!r}, but must be 0 or 1", "leave it out if unknown")
    under = relation if neighbours is None else neighbours
    return claimed, under, unit_in, confidence, delta, nan, unequal, grid


def _count(name: str, number: int | None) -> int | None:
    if number is None:
        return None
    if isinstance(number, bool) or not isinstance(number, int) or not 2 <= number < 2**63:
        raise InvalidInput(
            f"{name} is {number!r}, but must be a whole number of at least 2", "choose another"
        )
    return number


def audit(
    mechanism: Callable[..., Any] | Mechanism,
    x0: Any = None,
    x1: Any = None,
    *,
    claim: Mechanism | str | Number | None = None,
    delta: Number | None = None,
    neighbours: str | None = None,
    confidence: Number = 0.999,
    runs: int | None = None,
    most: int | None = None,
    batch: bool = False,
    unit_in: int | None = None,
    nan: bool = False,
    grid: Number | None = None,
    progress: bool | Watch = True,
) -> AuditReport:
    """Try to break a claim: run a mechanism on two neighbouring inputs and hold the outcomes against it.

    One part of the outcomes chooses an event, the others count it. The verdict "violated" is wrong with a
    chance of at most ``1 - confidence``, whatever the mechanism, if runs are independent; "not
    violated" is no proof.

    Parameters
    ----------
    mechanism : callable
        Called as ``mechanism(x)`` with `x0` and with `x1`, many times; each call must draw fresh
        randomness. Outcomes are numbers, texts, None, booleans, or lists, tuples, sets, dicts and arrays of
        them; of a release its value. What it raises is raised. A :class:`Mechanism` is acted out.
    x0, x1
        The two inputs: they differ in one unit.
    claim : Mechanism, str or number
        What is claimed: a mechanism, an expression such as ``"gdp(mu=1)"``, or an epsilon (with `delta`).
    delta : number, optional
        At which delta to bound epsilon; if not given: that of the claim, or 1e-5.
    neighbours : str, optional
        What it means that the inputs differ in one unit; that of the claim, or add-remove.
    confidence : number
        One minus the largest chance of a false alarm.
    runs : int, optional
        Run it this often in each world; no more, no less.
    most : int, optional
        Instead: stop as soon as the claim is refuted, or after so many runs in each world. 1000000 if
        neither is given.
    batch : bool
        The mechanism is called as ``mechanism(x, n)`` and gives n outcomes at once.
    unit_in : {0, 1}, optional
        In which world the unit is; if given, each direction is held to its own curve.
    nan : bool
        NaN is an outcome like others; otherwise there is no verdict on it.
    grid : number, optional
        Round numbers to multiples of this first: what the mechanism gives away beyond its low bits.
    progress : bool or callable
        A bar on the terminal; or a callable of (runs, most, evidence).

    Returns
    -------
    AuditReport

    Examples
    --------
    >>> import random
    >>> import throng as tg
    >>> def coin(truth):  # tells the truth three times out of four: ln 3 = 1.0986
    ...     return truth if random.random() < 0.75 else 1 - truth
    >>> tg.audit(coin, 0, 1, claim=0.5).verdict
    'violated'
    >>> tg.audit(coin, 0, 1, claim=1.1, runs=5000).verdict
    'not violated'
    """
    if runs is not None and most is not None:
        raise InvalidInput("runs and most are both given", "give one of them")
    runs, most = _count("runs", runs), _count("most", most) or _MOST
    watch, close = _watch(progress)
    try:
        if isinstance(mechanism, Mechanism):
            held = mechanism if claim is None else claim
            under = mechanism.neighbours if neighbours is None else neighbours
            ask = _asked(held, delta, under, confidence, unit_in, nan, False, grid)
            most = min(most, 200_000)
            return AuditReport(
                _native.audit_simulated(mechanism._spec, _SEED, ask, runs, most, watch)
            )
        if not callable(mechanism):
            raise InvalidInput(
                f"the mechanism is of type {type(mechanism).__name__}, which cannot be called",
                "give a function of one input",
            )
        if claim is None:
            raise InvalidInput("it is not said what is claimed", "give claim, such as claim=1")
        ask = _asked(claim, delta, neighbours, confidence, unit_in, nan, False, grid)
        return AuditReport(
            _native.audit_callable(mechanism, (x0, x1), batch, ask, runs, most, watch)
        )
    finally:
        close()


def audit_outcomes(
    outcomes0: Iterable[Any],
    outcomes1: Iterable[Any],
    *,
    claim: Mechanism | str | Number,
    delta: Number | None = None,
    neighbours: str | None = None,
    confidence: Number = 0.999,
    unit_in: int | None = None,
    nan: bool = False,
    unequal: bool = False,
    grid: Number | None = None,
    witness: Witness | str | None = None,
) -> AuditReport:
    """Audit outcomes that were recorded before: independent runs in each of the two worlds.

    Parameters
    ----------
    outcomes0, outcomes1 : iterable
        One outcome of each run.
    claim, delta, neighbours, confidence, unit_in, nan, grid
        As for :func:`audit`.
    unequal : bool
        The worlds may have different numbers of outcomes.
    witness : Witness, optional
        An event that was chosen before these outcomes were recorded: all of them count it.

    Returns
    -------
    AuditReport

    Examples
    --------
    >>> from throng._audit import audit_outcomes
    >>> audit_outcomes(["no"] * 1000, ["yes"] * 1000, claim=1).verdict
    'violated'
    """
    ask = _asked(claim, delta, neighbours, confidence, unit_in, nan, unequal, grid)
    known = witness.to_json() if isinstance(witness, Witness) else witness
    return AuditReport(_native.audit_recorded(outcomes0, outcomes1, ask, known))


def audit_canaries(
    scores: Column,
    included: Column,
    *,
    claim: Mechanism | str | Number,
    guesses: Sequence[int] | int = (),
    delta: Number | None = None,
    neighbours: str | None = None,
    confidence: Number = 0.999,
) -> AuditReport:
    """Audit one training run by canaries, each of which was put into the data with chance 1/2.

    Parameters
    ----------
    scores : column of numbers
        The higher, the more a canary looks as if it had been in the data.
    included : column of booleans
        What its coin said.
    claim, delta, neighbours, confidence
        As for :func:`audit`.
    guesses : int or sequence of int
        How many canaries to guess, all if not given; must not be chosen by looking at `included`. Of several
        numbers the best counts, at the price of a union bound.

    Returns
    -------
    AuditReport

    Examples
    --------
    >>> from throng._audit import audit_canaries
    >>> audit_canaries([0.0, 1.0] * 50, [False, True] * 50, claim=1).verdict
    'violated'
    """
    ask = _asked(claim, delta, neighbours, confidence, None, False, False, None)
    made = [guesses] if isinstance(guesses, int) else list(guesses)
    return AuditReport(_native.audit_canaries(_numbers(scores), _keys(included), made, ask))


@dataclass(frozen=True)
class Exhibit:
    """A broken mechanism, with the claim of its author.

    Attributes
    ----------
    name, title : str
    claim, neighbours : str
        What is claimed.
    flaw, reference : str
        What is wrong with it, and where that was described.
    """

    name: str
    title: str
    claim: str
    neighbours: str
    flaw: str
    reference: str

    def audit(
        self, *, mended: bool = False, runs: int | None = None, confidence: Number = 0.999
    ) -> AuditReport:
        """Audit it, or its correct twin, against its claim."""
        ask = _asked(self.claim, None, self.neighbours, confidence, None, False, False, None)
        told = _native.audit_exhibit(self.name, mended, _SEED, ask, _count("runs", runs), None)
        return AuditReport(told)


def exhibits() -> list[Exhibit]:
    """The zoo of broken mechanisms.

    Examples
    --------
    >>> from throng._audit import exhibits
    >>> [one.title for one in exhibits() if one.name == "laplace-low-bits"]
    [...]
    """
    return [Exhibit(*row) for row in _native.audit_exhibits()]


# The rest is found beside the function that most people want: ``tg.audit.canaries(...)``.
audit.outcomes = audit_outcomes  # type: ignore[attr-defined]
audit.canaries = audit_canaries  # type: ignore[attr-defined]
audit.exhibits = exhibits  # type: ignore[attr-defined]
