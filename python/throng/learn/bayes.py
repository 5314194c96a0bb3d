"""Naive Bayes."""

from __future__ import annotations

from typing import Any

import numpy as np

from throng._budget import Budget
from throng._errors import InvalidInput
from throng._number import Number
from throng.learn._base import Bounds, Progress, WithChances
from throng.learn._declared import Column, Declared
from throng.learn._words import documented


@documented
class GaussianNB(WithChances):
    """Naive Bayes of numbers, and of the categories among the columns, from one noisy release.

    Parameters
    ----------
    {classes}
    reach : float
        How far a row may be from the middle of the bounds, as a fraction of the largest distance;
        rows further out are moved towards the middle. Less means less noise.
    square_weight, count_weight : float
        The weights of squares and of counts beside those of sums, 1: more means less noise.
    variance_floor : float
        The least variance, as a fraction of a quarter of the squared width of the bounds.
    alpha : float
        What is added to each count of a level of a category.

    Attributes
    ----------
    classes_ : array
    theta_, var_ : arrays of shape (classes, features)
        Means and variances; NaN for categories.
    class_prior_ : array of shape (classes,)
    guarantee_ : Guarantee
    """

    _kind = "naive-bayes"
    _one_hot = False

    def __init__(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        bounds: Bounds = None,
        bounds_share: float = 0.1,
        classes: Any = None,
        reach: float = 0.5,
        square_weight: float = 0.5,
        count_weight: float = 1.0,
        variance_floor: float = 0.02,
        alpha: float = 1.0,
        neighbours: str = "add-remove",
        budget: Budget | None = None,
        progress: Progress | None = None,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.bounds = bounds
        self.bounds_share = bounds_share
        self.classes = classes
        self.reach = reach
        self.square_weight = square_weight
        self.count_weight = count_weight
        self.variance_floor = variance_floor
        self.alpha = alpha
        self.neighbours = neighbours
        self.budget = budget
        self.progress = progress
        self.random_state = random_state

    def _options(self) -> dict[str, Any]:
        return {
            "reach": self.reach,
            "square_weight": self.square_weight,
            "count_weight": self.count_weight,
            "variance_floor": self.variance_floor,
            "smoothing": self.alpha,
        }

    def _set(self, name: str, value: Any) -> None:
        if name == "class_log_prior_":
            self.class_prior_ = np.exp(value)
        elif name in ("theta_", "var_"):
            setattr(self, name, value)


@documented
class CategoricalNB(WithChances):
    """Naive Bayes of categories, from one noisy release.

    Parameters
    ----------
    {classes}
    n_categories : int or list of int, optional
        Instead of ``bounds``: the columns hold 0, 1, ..., n_categories - 1; anything else is no level.
    alpha : float
        What is added to each count of a level.
    count_weight : float
        The weight of the number of records of each class.

    Attributes
    ----------
    classes_ : array
    class_log_prior_ : array of shape (classes,)
    feature_log_prob_ : list of arrays of shape (classes, levels)
    guarantee_ : Guarantee
    """

    _kind = "naive-bayes"
    _one_hot = False

    def __init__(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        bounds: Bounds = None,
        bounds_share: float = 0.1,
        classes: Any = None,
        n_categories: Any = None,
        alpha: float = 1.0,
        count_weight: float = 1.0,
        neighbours: str = "add-remove",
        budget: Budget | None = None,
        progress: Progress | None = None,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.bounds = bounds
        self.bounds_share = bounds_share
        self.classes = classes
        self.n_categories = n_categories
        self.alpha = alpha
        self.count_weight = count_weight
        self.neighbours = neighbours
        self.budget = budget
        self.progress = progress
        self.random_state = random_state

    def _options(self) -> dict[str, Any]:
        return {"smoothing": self.alpha, "count_weight": self.count_weight}

    def _columns(self, names: list[str]) -> Declared:
        if self.n_categories is None:
            return super()._columns(names)
        try:
            counts = np.broadcast_to(np.asarray(self.n_categories, dtype=np.int64), len(names))
        except (TypeError, ValueError):
            raise InvalidInput(
                f"n_categories is not a number of levels for each of {len(names)} columns",
                "give a whole number, or one for each column",
            ) from None
        levels = (tuple(range(max(0, min(count, 1 << 17)))) for count in counts.tolist())
        pairs = zip(names, levels, strict=True)
        return Declared(tuple(Column(name, levels=known) for name, known in pairs))

    def _set(self, name: str, value: Any) -> None:
        if name in ("class_log_prior_", "feature_log_prob_"):
            setattr(self, name, value)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        return tags
