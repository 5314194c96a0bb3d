"""What protects a released value."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from throng import _native
from throng._bracket import Bracket
from throng._number import Number

if TYPE_CHECKING:
    from throng._mechanism import Mechanism

#: How exact epsilon is computed, as on the command line.
_WIDTH = 1e-4


class Guarantee:
    """What a released value is protected by.

    It is about one release (or one fit, or one answer): several on the same data cost what their
    mechanisms cost together, ``a.mechanism + b.mechanism``.

    Parameters
    ----------
    spec : str
        The mechanism that ran, as an expression.
    neighbours : str
        What it means that two data sets differ in one unit.
    cost : pairs of name and number
        What was charged, in the currency of the budget, rounded up.
    receipt : str, optional
        Where the charge is recorded, if a ledger keeps the budget.

    Examples
    --------
    >>> from throng._guarantee import Guarantee
    >>> guarantee = Guarantee("discrete_laplace(scale=2)", "add-remove", [("epsilon", 0.5)])
    >>> guarantee
    <Guarantee discrete_laplace(scale=2), neighbours add-remove; charged epsilon=0.5>
    >>> 0.5 in guarantee.epsilon()
    True
    """

    __slots__ = ("_cost", "_neighbours", "_receipt", "_spec")

    def __init__(
        self,
        spec: str,
        neighbours: str,
        cost: Iterable[tuple[str, float]] = (),
        receipt: str | None = None,
    ) -> None:
        self._spec = spec
        self._neighbours = neighbours
        self._cost = dict(cost)
        self._receipt = receipt

    @property
    def spec(self) -> str:
        """The mechanism that ran, as an expression: what ``throng account`` takes."""
        return self._spec

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism that ran, for everything else that can be said about it."""
        from throng._mechanism import spec

        return spec(self._spec, neighbours=self._neighbours)

    @property
    def neighbours(self) -> str:
        """What it means that two data sets differ in one unit."""
        return self._neighbours

    @property
    def cost(self) -> dict[str, float]:
        """What was charged, in the currency of the budget, rounded up."""
        return dict(self._cost)

    @property
    def receipt(self) -> str | None:
        """Where the charge is recorded, if a ledger keeps the budget."""
        return self._receipt

    def epsilon(self, delta: Number = 0) -> Bracket:
        """Epsilon at a delta; the upper end is the promise.

        Parameters
        ----------
        delta : number
            The chance of anything worse; 0 asks for pure privacy, which Gaussian noise has not.

        Returns
        -------
        Bracket
        """
        loss = _native.Loss(_native.Spec(self._spec), self._neighbours, _WIDTH)
        return Bracket(*loss.epsilon(delta))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Guarantee):
            return NotImplemented
        return self._state() == other._state()

    def __hash__(self) -> int:
        return hash((self._spec, self._neighbours, self._receipt))

    def __reduce__(self) -> tuple[type[Guarantee], tuple[object, ...]]:
        return type(self), self._state()

    def _state(self) -> tuple[object, ...]:
        return self._spec, self._neighbours, tuple(self._cost.items()), self._receipt

    def _charged(self) -> str:
        return ", ".join(f"{name}={value:.6g}" for name, value in self._cost.items())

    def __repr__(self) -> str:
        charged = f"; charged {self._charged()}" if self._cost else ""
        receipt = f"; receipt {self._receipt}" if self._receipt else ""
        return f"<Guarantee {self._spec}, neighbours {self._neighbours}{charged}{receipt}>"

    def _repr_html_(self) -> str:
        rows = [("mechanism", self._spec), ("neighbours", self._neighbours)]
        if self._cost:
            rows.append(("charged", self._charged()))
        if self._receipt:
            rows.append(("receipt", self._receipt))
        cells = "".join(f"<tr><td>{name}</td><td>{escape(text)}</td></tr>" for name, text in rows)
        return f"<table>{cells}</table>"
