"""What a fitted model guarantees."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from html import escape

from throng._bracket import Bracket
from throng._mechanism import Mechanism
from throng._number import Number


@dataclass(frozen=True, repr=False)
class Guarantee:
    """What a model tells about any one record, and what it cost.

    Attributes
    ----------
    mechanism : throng.Mechanism
        What ran, as data: every other number is read off it.
    neighbours : str
        What it means that two tables differ in one record.
    unit : str
        Whose privacy is protected.
    cost : dict or None
        What was charged to the budget, in its currency, rounded up; none without a budget: then whoever
        fits several models adds up.
    receipt : str or None
        The receipt of a ledger.
    assumptions : tuple of str
        What the caller declared beside bounds.
    insecure : bool
        Whether the noise came from a known seed (:func:`throng.testing.insecure_seed`): then there is
        no guarantee at all.
    """

    mechanism: Mechanism
    unit: str = "a record"
    cost: dict[str, float] | None = None
    receipt: str | None = None
    assumptions: tuple[str, ...] = ()
    insecure: bool = False
    #: The delta that was asked for, at which it is shown.
    asked: Number = field(default=0, compare=False)

    @property
    def neighbours(self) -> str:
        """What it means that two tables differ in one record."""
        return self.mechanism.neighbours

    def epsilon(self, delta: Number | None = None) -> Bracket:
        """Epsilon at a delta; the upper end is the promise.

        Parameters
        ----------
        delta : number, optional
            The delta that the model was fitted for, if left out.
        """
        return self.mechanism.epsilon(self.asked if delta is None else delta)

    def _words(self) -> list[tuple[str, str]]:
        rows = []
        if self.insecure:
            rows.append(("INSECURE", "noise from a known seed: there is no guarantee"))
        at = "" if float(self.asked) == 0 else f" at delta {float(self.asked):.3g}"
        rows += [
            ("epsilon", f"{_up(self.epsilon().upper)}{at}"),
            ("neighbours", f"{self.neighbours} of {self.unit}"),
            ("mechanism", _short(str(self.mechanism))),
        ]
        if self.cost is not None:
            paid = ", ".join(f"{name} {_up(value)}" for name, value in self.cost.items())
            rows.append(("paid", paid + (f" (receipt {self.receipt})" if self.receipt else "")))
        rows += [("assumed", text) for text in self.assumptions]
        return rows

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
