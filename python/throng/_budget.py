"""What may be spent."""

from __future__ import annotations

from contextvars import ContextVar, Token
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Self

from throng import _native
from throng._errors import Refused
from throng._number import Number

if TYPE_CHECKING:
    from throng._mechanism import Mechanism

_current: ContextVar[Budget | None] = ContextVar("throng_budget", default=None)


class Budget:
    """What all releases that are paid from it may cost together.

    However the next question is chosen after seeing the answers so far, all of them together have
    the guarantee of the budget. A budget is shared, never copied: ``copy.deepcopy``,
    ``sklearn.base.clone``, cross-validation and grid search all pay from the same one. With
    ``ledger`` it is kept in a file that outlives the process and that other processes may use at the
    same time; only such a budget can be pickled.

    Parameters
    ----------
    epsilon : number, optional
        Alone: pure epsilon.
    delta : number, optional
        With epsilon.
    gdp, zcdp : number, optional
        Instead: mu of Gaussian privacy, rho of zero-concentrated privacy.
    currency : {"pure", "approximate", "gdp", "zcdp"}, optional
        What (epsilon, delta) is turned into. Pairs add up ("approximate", what a ledger of the
        command line keeps); "gdp" and "zcdp" pay for more releases with Gaussian noise.
    neighbours : {"add-remove", "replace", "zero-out"}
        What it means that two data sets differ in one unit.
    ledger : path, optional
        The file that keeps the budget; made if there is none. Alone it opens an existing one.

    Examples
    --------
    >>> import throng as tg
    >>> budget = tg.Budget(epsilon=1)
    >>> budget.charge(tg.laplace(scale=4))
    >>> budget.remaining
    {'epsilon': 0.75}
    >>> budget.charge(tg.laplace(scale=1))
    Traceback (most recent call last):
        ...
    throng._errors.BudgetExhausted: the budget does not cover this: ...

    As a context it pays for everything inside that names no budget of its own:

    >>> with tg.Budget(epsilon=1) as budget:
    ...     pass
    """

    __slots__ = ("_native", "_tokens", "__weakref__")

    def __init__(
        self,
        epsilon: Number | None = None,
        delta: Number | None = None,
        *,
        gdp: Number | None = None,
        zcdp: Number | None = None,
        currency: str | None = None,
        neighbours: str = "add-remove",
        ledger: str | PathLike[str] | None = None,
    ) -> None:
        path = None if ledger is None else fspath(ledger)
        self._native = _native.Budget(epsilon, delta, gdp, zcdp, currency, neighbours, path)
        self._tokens: list[Token[Budget | None]] = []

    @classmethod
    def _of(cls, native: _native.Budget) -> Self:
        self = cls.__new__(cls)
        self._native = native
        self._tokens = []
        return self

    @property
    def neighbours(self) -> str:
        """What it means that two data sets differ in one unit."""
        return self._native.neighbours

    @property
    def ledger(self) -> str | None:
        """The file that keeps the budget, if there is one."""
        path = self._native.ledger
        return None if path is None else fspath(path)

    @property
    def capacity(self) -> dict[str, float]:
        """What may be spent in all, in the currency of the budget."""
        return dict(self._native.capacity())

    @property
    def spent(self) -> dict[str, float]:
        """What is spent, rounded up."""
        return dict(self._native.spent())

    @property
    def remaining(self) -> dict[str, float]:
        """What is left, rounded down."""
        return dict(self._native.remaining())

    def preview(self, mechanism: Mechanism, *, delta: Number | None = None) -> dict[str, float]:
        """What a mechanism would cost; nothing is spent.

        Parameters
        ----------
        mechanism : Mechanism
        delta : number, optional
            In a budget of pairs: the delta at which a whole curve is priced.

        Returns
        -------
        dict
            The cost, in the currency of the budget, rounded up.
        """
        cost, _ = self._native.preview(mechanism._spec, delta)
        return dict(cost)

    def charge(
        self, mechanism: Mechanism, *, delta: Number | None = None, label: str = "a charge"
    ) -> str | None:
        """Pay for a mechanism that is run elsewhere.

        Returns
        -------
        str or None
            The receipt, if a ledger keeps the budget.
        """
        return self._native.charge(mechanism._spec, label, delta)

    def __enter__(self) -> Self:
        self._tokens.append(_current.set(self))
        return self

    def __exit__(self, *_: object) -> None:
        _current.reset(self._tokens.pop())

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> Any:
        if self.ledger is None:
            raise Refused(
                "a budget in memory cannot be sent to another process: both would spend it",
                "keep it in a file: Budget(epsilon, delta, ledger='team.ledger')",
            )
        return _opened, (self.ledger,)

    def __repr__(self) -> str:
        def words(amount: dict[str, float]) -> str:
            return ", ".join(f"{name}={value:.6g}" for name, value in amount.items())

        return f"<Budget {words(self.capacity)}; left: {words(self.remaining)}>"

    def _repr_html_(self) -> str:
        rows = []
        left = self.remaining
        for name, whole in self.capacity.items():
            share = max(0.0, min(1.0, left[name] / whole)) if whole > 0 else 0.0
            rows.append(
                f"<tr><td>{name}</td><td><svg width='120' height='10' role='img' "
                f"aria-label='{share:.0%} left'><rect width='120' height='10' fill='#ddd'/>"
                f"<rect width='{120 * share:.1f}' height='10' fill='#2a78d6'/></svg></td>"
                f"<td>{left[name]:.6g} of {whole:.6g} left</td></tr>"
            )
        return f"<table>{''.join(rows)}</table>"


def _opened(ledger: str) -> Budget:
    return Budget(ledger=ledger)


def current(budget: Budget | None) -> Budget | None:
    """The budget to pay from: the one named, else that of the context."""
    return _current.get() if budget is None else budget
