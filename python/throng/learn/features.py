"""Other features of the same rows."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from throng._budget import Budget
from throng._errors import InvalidInput
from throng._number import Number
from throng.learn._base import Bounds, PrivateTransformer, Progress
from throng.learn._declared import Declared, Floats, text_of
from throng.learn._words import documented


def _encoded_bounds(columns: Declared) -> Floats:
    """The ends of every encoded column."""
    ends: list[tuple[float, float]] = []
    for column in columns.columns:
        if column.levels is not None:
            ends += [(0.0, 1.0)] * len(column.levels)
        else:
            ends.append(column.bounds or (-1.0, 1.0))
    return np.array(ends, dtype=np.float64)


@documented
class PCA(ClassNamePrefixFeaturesOutMixin, PrivateTransformer):  # type: ignore[misc]
    """Principal components of noisy second moments.

    Columns are measured in half-widths of their bounds: ``transform(X)`` is
    ``((X - mean_) / half_widths_) @ components_.T``, with `X` clamped to the bounds.

    Parameters
    ----------
    {shared}
    n_components : int
        How many components are kept; all, if there are not so many columns.
    reach : float
        How far from the middle of the bounds a row counts, as a fraction of the largest distance;
        rows further out are moved towards the middle. Less means less noise.

    Attributes
    ----------
    components_ : array of shape (components, features)
        Each of length 1.
    explained_variance_ : array of shape (components,)
    mean_, half_widths_ : arrays of shape (features,)
    n_components_ : int
    guarantee_ : Guarantee
    """

    _kind = "pca"

    def __init__(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        bounds: Bounds = None,
        bounds_share: float = 0.1,
        n_components: int = 2,
        reach: float = 0.5,
        neighbours: str = "add-remove",
        budget: Budget | None = None,
        progress: Progress | None = None,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.bounds = bounds
        self.bounds_share = bounds_share
        self.n_components = n_components
        self.reach = reach
        self.neighbours = neighbours
        self.budget = budget
        self.progress = progress
        self.random_state = random_state

    def _options(self) -> dict[str, Any]:
        return {"components": self.n_components, "reach": self.reach}

    def _finish(self) -> None:
        ends = _encoded_bounds(self._declared)
        self.half_widths_ = (ends[:, 1] - ends[:, 0]) / 2
        self.mean_ = ends[:, 0] + self.half_widths_ * (1 + self.mean_)
        self.n_components_ = len(self.components_)

    components_: Floats
    mean_: Floats

    @property
    def _n_features_out(self) -> int:
        return self.n_components_


@documented
class StandardScaler(PrivateTransformer):
    """Standard scores by noisy means and deviations.

    There is no ``n_samples_seen_``: how many records there are is private.

    Parameters
    ----------
    {shared}
    with_mean, with_std : bool
        Whether means are subtracted, and whether columns are divided by their deviations. Both are
        paid for in any case.
    least : float
        The least standard deviation, as a fraction of half the width of the bounds.

    Attributes
    ----------
    mean_, scale_, var_ : arrays of shape (features,)
    guarantee_ : Guarantee
    """

    _kind = "scaler"

    def __init__(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        bounds: Bounds = None,
        bounds_share: float = 0.1,
        with_mean: bool = True,
        with_std: bool = True,
        least: float = 0.01,
        neighbours: str = "add-remove",
        budget: Budget | None = None,
        progress: Progress | None = None,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.bounds = bounds
        self.bounds_share = bounds_share
        self.with_mean = with_mean
        self.with_std = with_std
        self.least = least
        self.neighbours = neighbours
        self.budget = budget
        self.progress = progress
        self.random_state = random_state

    def _options(self) -> dict[str, Any]:
        return {"least": self.least}

    scale_: Floats
    mean_: Floats

    def _finish(self) -> None:
        self.var_ = self.scale_**2

    def transform(self, X: Any) -> Floats:
        """The standard scores of each row."""
        scores: Floats = super().transform(X)
        if not self.with_mean:
            scores += self.mean_ / self.scale_
        if not self.with_std:
            scores *= self.scale_
        return scores

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted model to a file; as ``PrivateEstimator.save``."""
        if not (self.with_mean and self.with_std):
            raise InvalidInput(
                "a saved scaler subtracts means and divides by deviations", "leave with_mean and with_std"
            )
        super().save(path)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The names of the columns; categories have one for each level."""
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        found = []
        for name, column in zip(names, self._declared.columns, strict=True):
            levels = column.levels
            found += [name] if levels is None else [f"{name}={text_of(level)}" for level in levels]
        return np.asarray(found, dtype=object)
