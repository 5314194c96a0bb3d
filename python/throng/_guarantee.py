"""What was promised to everybody in the data, and what it cost."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from html import escape

from throng._bracket import Bracket
from throng._mechanism import Mechanism
from throng._number import Number


@dataclass(frozen=True, repr=False)
class Guarantee:
    """What a release, an answer or a fitted model tells about any one unit, and what it cost.

    It is about one of them: several on the same data cost what their mechanisms cost together,
    ``a.mechanism + b.mechanism``.

    Attributes
    ----------
    mechanism : throng.Mechanism
        What ran, as data: every other number is read off it.
    neighbours : str
        What it means that two data sets differ in one unit.
    unit : str
        Whose privacy is protected.
    cost : dict or None
        What was charged to the budget, in its currency, rounded up; none without a budget: then whoever
        makes several adds up.
    receipt : str or None
        Where the charge is recorded, if a ledger keeps the budget.
    assumptions : tuple of str
        What the caller declared beside bounds.
    insecure : bool
        Whether the noise came from a known seed (:func:`throng.testing.insecure_seed`): then there is
        no guarantee at all.

    Examples
    --------
    >>> import throng as tg
    >>> guarantee = tg.Guarantee(tg.discrete_laplace(scale=2), cost={"epsilon": 0.5})
    >>> guarantee
    <Guarantee: mechanism: discrete_laplace(scale=2); neighbours: add-remove of a unit; charged: epsilon 0.5>
    >>> 0.5 in guarantee.epsilon()
    True
    """

    mechanism: Mechanism
    unit: str = "a unit"
    cost: dict[str, float] | None = field(default=None, hash=False)
    receipt: str | None = None
    assumptions: tuple[str, ...] = ()
    insecure: bool = False
    #: The delta that was asked for, at which it is shown.
    asked: Number | None = field(default=None, compare=False)

    @property
    def spec(self) -> str:
        """The mechanism as an expression: what ``throng account`` takes."""
        return str(self.mechanism)

    @property
    def neighbours(self) -> str:
        """What it means that two data sets differ in one unit."""
        return self.mechanism.neighbours

    def epsilon(self, delta: Number | None = None) -> Bracket:
        """Epsilon at a delta; the upper end is the promise.

        Parameters
        ----------
        delta : number, optional
            The chance of anything worse. If left out, the one that was asked for; 0 if there was none,
            which asks for pure privacy: Gaussian noise has not got it.
        """
        if delta is None:
            delta = 0 if self.asked is None else self.asked
        return self.mechanism.epsilon(delta)

    def _words(self) -> list[tuple[str, str]]:
        rows = []
        if self.insecure:
            rows.append(("INSECURE", "noise from a known seed: there is no guarantee"))
        if self.asked is not None:
            at = "" if float(self.asked) == 0 else f" at delta {float(self.asked):.3g}"
            rows.append(("epsilon", f"{_up(self.epsilon().upper)}{at}"))
        rows += [
            ("mechanism", _short(self.spec)),
            ("neighbours", f"{self.neighbours} of {self.unit}"),
        ]
        if self.cost:
            charged = ", ".join(f"{name} {_up(value)}" for name, value in self.cost.items())
            rows.append(("charged", charged))
        if self.receipt:
            rows.append(("receipt", self.receipt))
        return rows + [("assumed", text) for text in self.assumptions]

    def __repr__(self) -> str:
        return "<Guarantee: " + "; ".join(f"{name}: {text}" for name, text in self._words()) + ">"

    def _repr_html_(self) -> str:
        cells = "".join(
            f"<tr><th style='text-align:left'>{escape(name)}</th><td>{escape(text)}</td></tr>"
            for name, text in self._words()
        )
        return f"<table>{cells}</table>"


def _up(number: float) -> str:
    """Four digits, not below the number."""
    if number == 0 or not math.isfinite(number):
        return f"{number:g}"
    unit = 10.0 ** (math.floor(math.log10(abs(number))) - 3)
    near = float(f"{number:.4g}")
    return f"{near if near >= number else near + unit:.4g}"


def _short(text: str) -> str:
    return text if len(text) <= 120 else text[:117] + "..."
