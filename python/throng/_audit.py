"""Trying to break a claim: Python functions and recorded outcomes."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from throng import _native
from throng._errors import InvalidInput
from throng._mechanism import Mechanism, text_of
from throng._number import Number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: What is told about a running audit: runs so far, runs at most, share of the evidence.
Progress = Callable[[int, int, float], Any]


def audit(
    mechanism: Callable[..., Any],
    x0: Any,
    x1: Any,
    *,
    claim: Mechanism | str | Number,
    delta: Number | None = None,
    neighbours: str | None = None,
    confidence: Number = 0.999,
    runs: int | None = None,
    most: int = 1_000_000,
    batch: bool = False,
    unit_in: int | None = None,
    nan: bool = False,
    grid: float | None = None,
    progress: bool | Progress = True,
) -> AuditReport:
    """Try to refute what is claimed of a function, by running it on two neighbouring inputs.

    One part of the outcomes looks for an event that tells the inputs apart, the others count it. The
    verdict "violated" is wrong with a chance of at most 1 - `confidence`, whatever the function does;
    "not violated" is no proof.

    Parameters
    ----------
    mechanism : callable
        ``mechanism(x)`` gives one outcome: a number, a text, a boolean, None, or a list, set, dictionary
        or array of these. With `batch`, ``mechanism(x, n)`` gives n outcomes at once.
    x0, x1 : object
        Two inputs that differ in one unit.
    claim : Mechanism, str or number
        What is claimed: a mechanism, an expression, or epsilon.
    delta : number, optional
        With a number as the claim: its delta. Also where epsilon is bounded; if left out, at that of the
        claim.
    neighbours : str, optional
        What it means that the inputs differ in one unit; that of the claim if left out.
    confidence : number
        One minus the largest chance of a false alarm.
    runs : int, optional
        Run this often with each input. If left out, stop as soon as the claim is refuted.
    most : int
        Without `runs`: stop after so many runs with each input.
    batch : bool
        Whether the function gives many outcomes at once.
    unit_in : {0, 1}, optional
        The input with the unit in it, if each direction is to be held to its own curve.
    nan : bool
        Whether NaN is an outcome like others.
    grid : float, optional
        Round numbers to multiples of this first: what is given away beyond low bits.
    progress : bool or callable
        A bar on stderr, on a terminal only; or who is told (runs, at most, evidence).

    Returns
    -------
    AuditReport

    Examples
    --------
    >>> import random
    >>> import throng as tg
    >>> def leaky(count):
    ...     return count + random.choice([-1, 0, 1])
    >>> report = tg.audit(leaky, 10, 11, claim=1, runs=2000)
    >>> report.verdict
    'violated'
    >>> report.epsilon > 1
    True
    """
    if not callable(mechanism):
        raise InvalidInput("the mechanism cannot be called", "give a function of one input")
    claimed = _claimed(claim, delta, neighbours)
    bar = _Bar() if progress is True and sys.stderr.isatty() else None
    watch = bar if bar is not None else progress if callable(progress) else None
    how = (confidence, delta, nan, False, grid, unit_in)
    try:
        text = _native.audit_function(
            mechanism,
            (x0, x1),
            batch,
            claimed._spec,
            claimed.neighbours,
            how,
            most if runs is None else runs,
            runs is None,
            watch,
        )
    finally:
        if bar is not None:
            bar.end()
    return AuditReport(json.loads(text))


def audit_outcomes(
    outcomes0: Sequence[Any],
    outcomes1: Sequence[Any],
    *,
    claim: Mechanism | str | Number,
    delta: Number | None = None,
    neighbours: str | None = None,
    confidence: Number = 0.999,
    unit_in: int | None = None,
    nan: bool = False,
    unequal: bool = False,
    grid: float | None = None,
) -> AuditReport:
    """Hold outcomes that were recorded on two neighbouring inputs against a claim.

    Parameters
    ----------
    outcomes0, outcomes1 : sequence
        What independent runs gave on each input.
    unequal : bool
        Whether there may be more of one than of the other.
    claim, delta, neighbours, confidence, unit_in, nan, grid
        As for :func:`audit`.

    Examples
    --------
    >>> import throng as tg
    >>> same = list(range(5)) * 200
    >>> tg.audit_outcomes(same, same, claim=0.5).verdict
    'not violated'
    """
    claimed = _claimed(claim, delta, neighbours)
    how = (confidence, delta, nan, unequal, grid, unit_in)
    outcomes = (outcomes0, outcomes1)
    text = _native.audit_recorded(outcomes, claimed._spec, claimed.neighbours, how)
    return AuditReport(json.loads(text))


def _claimed(
    claim: Mechanism | str | Number, delta: Number | None, neighbours: str | None
) -> Mechanism:
    if isinstance(claim, Mechanism):
        return claim if neighbours is None else claim.under(neighbours)
    under = "add-remove" if neighbours is None else neighbours
    if isinstance(claim, str):
        return Mechanism(claim, neighbours=under)
    epsilon = text_of(claim)
    if delta is None or delta == 0:
        return Mechanism(f"pure(eps={epsilon})", neighbours=under)
    return Mechanism(f"approx_dp(eps={epsilon}, delta={text_of(delta)})", neighbours=under)


class AuditReport:
    """What an audit certifies.

    Attributes
    ----------
    verdict : {"violated", "not violated"}
    violated : bool
    claim : str
    false_alarm : float
        The largest chance that a claim that holds is said to be violated.
    p_value : float
    epsilon : float
        The function is not (epsilon, delta)-private for any smaller epsilon, at ``delta``.
    delta : float
    mu : float
        The function is not mu-Gaussian-private for any smaller mu.
    curve, claimed : list of (false alarms, missed)
        What an attacker achieves at least; what the claim allows.
    witness : dict or None
        The event that tells the inputs apart best.
    samples, explored : int
        Runs on both inputs together, and how many of them chose the event.
    """

    def __init__(self, found: dict[str, Any]) -> None:
        self._found = found

    @property
    def violated(self) -> bool:
        """Whether the claim was refuted."""
        return bool(self._found["verdict"] == "violated")

    @property
    def verdict(self) -> str:
        """"violated" or "not violated"."""
        return "violated" if self.violated else "not violated"

    @property
    def claim(self) -> str:
        """What was claimed."""
        return str(self._found["claim"])

    @property
    def false_alarm(self) -> float:
        """The largest chance that a claim that holds is said to be violated."""
        return float(self._found["false_alarm"])

    @property
    def p_value(self) -> float:
        """The smallest false-alarm chance at which the verdict would be "violated"."""
        return float(self._found["p_value"])

    @property
    def epsilon(self) -> float:
        """A lower bound on epsilon at ``delta``."""
        return float(self._found["epsilon_lower"])

    @property
    def delta(self) -> float:
        """The delta of ``epsilon``."""
        return float(self._found["delta"])

    @property
    def mu(self) -> float:
        """A lower bound on mu."""
        return float(self._found["mu_lower"])

    @property
    def curve(self) -> list[tuple[float, float]]:
        """What an attacker achieves at least: (false alarms, missed)."""
        return [(a, b) for a, b in self._found["curve"]]

    @property
    def claimed(self) -> list[tuple[float, float]]:
        """What the claim allows: (false alarms, missed)."""
        return [(a, b) for a, b in self._found["claimed"]]

    @property
    def witness(self) -> dict[str, Any] | None:
        """The event that tells the inputs apart best, as it was chosen before it was counted."""
        found = self._found["witness"]
        return None if found is None else dict(found)

    @property
    def samples(self) -> int:
        """Runs on both inputs together."""
        return int(self._found["samples"])

    @property
    def explored(self) -> int:
        """How many of the runs chose the event."""
        return int(self._found["explored"])

    @property
    def sentence(self) -> str:
        """The verdict in a sentence."""
        if self.violated:
            chance = f"{self.false_alarm:.3g}"
            return f"violated: it is less private than {self.claim} (false alarm: at most {chance})"
        return f"not violated: these outcomes do not refute {self.claim}, which is no proof of it"

    def to_json(self) -> str:
        """Everything, as JSON."""
        return json.dumps(self._found)

    def save(self, path: str | PathLike[str]) -> None:
        """Write :meth:`to_json` to a file."""
        Path(path).write_text(self.to_json(), encoding="utf-8")

    def plot(self, *, ax: Axes | None = None, **style: Any) -> Axes:
        """Draw what is claimed and what an attacker achieves, with matplotlib.

        Below the claimed curve the claim is refuted.
        """
        from throng import _plot

        ax = _plot.axes(ax)
        style.setdefault("marker", ".")
        ax.plot(*zip(*self.claimed, strict=True), color="0.3", label=f"claimed: {self.claim}")
        ax.plot(*zip(*self.curve, strict=True), label="certified attack", **style)
        ax.plot([0, 1], [1, 0], color="0.6", linestyle=":", lw=1)
        ax.set_xlim(0, 1)
        ax.set_ylim(0, 1)
        ax.set_xlabel("false alarms")
        ax.set_ylabel("missed")
        ax.set_title(self.verdict)
        ax.legend(fontsize=8)
        return ax

    def _rows(self) -> list[tuple[str, str]]:
        rows = [
            (f"epsilon at delta {self.delta:g}", f"at least {self.epsilon:.6g}"),
            ("mu of Gaussian privacy", f"at least {self.mu:.6g}"),
            ("p-value of the claim", f"at most {self.p_value:.3g}"),
            ("runs on both inputs", f"{self.samples}, of which {self.explored} chose the event"),
        ]
        if self.witness is not None:
            rows.append(("witness", str(self.witness.get("text", ""))))
        return rows

    def __str__(self) -> str:
        lines = [f"{name:<26} {text}" for name, text in self._rows()]
        return "\n".join([self.sentence, *lines])

    def __repr__(self) -> str:
        return f"<AuditReport {self.sentence}>"

    def _repr_html_(self) -> str:
        cells = "".join(
            f"<tr><td>{escape(name)}</td><td>{escape(text)}</td></tr>" for name, text in self._rows()
        )
        return f"<b>{escape(self.sentence)}</b><table>{cells}</table>"


class _Bar:
    """A progress bar on stderr."""

    WIDTH = 30

    def __init__(self) -> None:
        self._shown = 0.0

    def __call__(self, runs: int, most: int, evidence: float) -> None:
        now = time.monotonic()
        if now - self._shown < 0.1 and runs < most:
            return
        self._shown = now
        done = int(self.WIDTH * runs / max(most, 1))
        bar = "#" * done + "-" * (self.WIDTH - done)
        found = f", evidence {evidence:.0%}" if evidence > 0 else ""
        sys.stderr.write(f"\r[{bar}] {runs} of {most} runs{found}   ")
        sys.stderr.flush()

    def end(self) -> None:
        """Leave the line empty."""
        sys.stderr.write("\r" + " " * 78 + "\r")
        sys.stderr.flush()
