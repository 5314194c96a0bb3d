"""A number that is known from both sides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bracket:
    """A certified interval around a privacy number.

    The promised end holds for the mechanism itself, rounding errors included: the upper end of an
    epsilon, a delta or a divergence, the lower end of a miss rate. ``float(bracket)`` is the promise.

    Parameters
    ----------
    lower, upper : float
        The ends.
    promise : {"upper", "lower"}
        Which end is promised.

    Examples
    --------
    >>> from throng import Bracket
    >>> epsilon = Bracket(0.5, 0.75)
    >>> float(epsilon), 0.6 in epsilon, epsilon.width
    (0.75, True, 0.25)
    """

    lower: float
    upper: float
    promise: str = "upper"

    def __post_init__(self) -> None:
        if not self.lower <= self.upper:
            raise ValueError(f"the lower end {self.lower} is above the upper end {self.upper}")

    @property
    def width(self) -> float:
        """How far the ends are apart."""
        return self.upper - self.lower

    def __float__(self) -> float:
        return float(self.upper if self.promise == "upper" else self.lower)

    def __contains__(self, value: float) -> bool:
        return self.lower <= value <= self.upper

    def __iter__(self) -> Iterator[float]:
        # So that `lower, upper = bracket` works.
        yield self.lower
        yield self.upper

    def __repr__(self) -> str:
        return f"Bracket(lower={self.lower!r}, upper={self.upper!r})"

    def __str__(self) -> str:
        return f"{self.lower:.6g} .. {self.upper:.6g}"

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else str(self)
