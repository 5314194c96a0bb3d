"""Tables that are made up."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from throng import testing
from throng._budget import Budget
from throng._number import Number
from throng._optional import needed
from throng.learn._base import Bounds, PrivateEstimator, Progress, _refused
from throng.learn._declared import is_frame
from throng.learn._words import documented


@documented
class Synthesizer(PrivateEstimator):
    """A made-up table with about the same columns and pairs of columns.

    Parameters
    ----------
    {shared}
    bins : int
        Bins of each column of numbers.
    shares : (int, int, int)
        The shares of the privacy for the counts of columns, the choice of pairs, and the counts of
        pairs.

    Attributes
    ----------
    guarantee_ : Guarantee

    Examples
    --------
    >>> import numpy as np
    >>> from throng.learn import Synthesizer
    >>> X = np.random.default_rng(0).normal(size=(1000, 2))
    >>> table = Synthesizer(epsilon=1, bounds=(-4, 4)).fit(X).sample(5)
    >>> table.shape
    (5, 2)
    """

    _kind = "synthetic"
    _one_hot = False

    def __init__(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        bounds: Bounds = None,
        bounds_share: float = 0.1,
        bins: int = 16,
        shares: tuple[int, int, int] = (1, 1, 1),
        neighbours: str = "add-remove",
        budget: Budget | None = None,
        progress: Progress | None = None,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.bounds = bounds
        self.bounds_share = bounds_share
        self.bins = bins
        self.shares = shares
        self.neighbours = neighbours
        self.budget = budget
        self.progress = progress
        self.random_state = random_state

    def _options(self) -> dict[str, Any]:
        return {"bins": self.bins, "shares": list(self.shares)}

    def fit(self, X: Any, y: Any = None, **refused: object) -> Self:
        """Pay, and fit; `y` is not looked at."""
        _refused(refused)
        self._frame = type(X).__module__.partition(".")[0] if is_frame(X) else "numpy"
        return self._fitted(X)

    def sample(self, n_samples: int = 1) -> Any:
        """Rows that are made up: nobody is in them, and there may be as many as one likes.

        Returns
        -------
        table
            A data frame of the library of the fitted one; an array if there was none.
        """
        check_is_fitted(self)
        drawn = self._model.sample(n_samples, testing.seed())
        columns: dict[str, Any] = {}
        for column, cells in zip(self._declared.columns, drawn.T, strict=True):
            columns[column.name] = cells
            if column.levels is not None:
                levels = np.asarray(column.levels)
                columns[column.name] = levels[np.ceil(cells).astype(np.intp)]
        if self._frame == "pandas":
            return needed("pandas").DataFrame(columns)
        if self._frame == "polars":
            return needed("polars").DataFrame(columns)
        if all(column.levels is None for column in self._declared.columns):
            return drawn
        return np.column_stack([cells.astype(object) for cells in columns.values()])
